/* check_snapshot.h — the picture of a check: all bodies, culprits red, touching elements yellow, a ring around each deepest point. */
#ifndef DENT_CHECK_SNAPSHOT_H
#define DENT_CHECK_SNAPSHOT_H

#include "load_world.h"

#include <dent/penetration.h>

/** Can a picture be written there at all? Asked before the long work. */
int check_snapshot_possible(const char *path);

/** Draws and writes options->picture; reports its errors itself. */
int check_snapshot_write(tool_session *session, const loaded_world *loaded, const dent_check_result *result);

#endif
