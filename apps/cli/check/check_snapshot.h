/* check_snapshot.h — the picture of a check: all bodies, culprits red, touching elements yellow, a ring around each
 * deepest point. With crossing curves: plain bodies, and the curves red. */
#ifndef DENT_CHECK_SNAPSHOT_H
#define DENT_CHECK_SNAPSHOT_H

#include "crossing_curves.h"
#include "load_world.h"

#include <dent/penetration.h>


/** Draws and writes options->picture, with the curves where there are any; reports its errors itself. */
int check_snapshot_write(tool_session *session, const loaded_world *loaded, const dent_check_result *result,
                         const crossing_curves *curves);

#endif
