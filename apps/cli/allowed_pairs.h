/* allowed_pairs.h — pairs of bodies that may touch and are not tested: neighbouring links of robots, the pairs of an
 * SRDF file and those of --allow. Every command that takes robots uses this. */
#ifndef DENT_ALLOWED_PAIRS_H
#define DENT_ALLOWED_PAIRS_H

#include "tool_session.h"

#include <dent/srdf.h>
#include <dent/urdf.h>
#include <dent/world.h>

/** A robot in a world. */
typedef struct allowed_robot {
    const char *name; /* of the file */
    const dent_robot *robot;
    const dent_body_id *ids; /* of its links; null ids for links without a surface */
} allowed_robot;

enum { SRDF_PATH_SIZE = 4096 };
/** Reads the SRDF file of a robot: --srdf, or the one beside it. *srdf is null if there is none; else `path` names it. */
int open_srdf(tool_session *session, const char *robot, dent_srdf **srdf, char *path, size_t size);

/** Sets the pairs of the world that are not tested: links of these robots that are neighbours, what their SRDF files say
 * (--srdf, or the file beside each robot) and --allow, by the names of bodies in the world. Says on stderr how many
 * there are and why. An exit status; errors have been reported. */
int allow_pairs(tool_session *session, dent_world *world, const allowed_robot *robots, uint32_t robot_count);

#endif
