/* check_picture.h — files for ParaView after a check: every body with its culprits marked, and the deepest points. */
#ifndef DENT_CHECK_PICTURE_H
#define DENT_CHECK_PICTURE_H

#include "load_world.h"
#include "vertex_depths.h"

#include <dent/penetration.h>

/** Can --out be written at all, and is its ending one for this many bodies? Asked before the long work. */
int check_picture_possible(tool_session *session, uint32_t body_count);

/** Writes. `path` gets the name to open in ParaView (FILE_NAME_LIMIT bytes). */
int check_picture_write(tool_session *session, const loaded_world *loaded, const dent_check_result *result,
                        const vertex_depths *depths, char *path);

#endif
