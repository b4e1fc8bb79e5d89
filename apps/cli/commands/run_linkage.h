/* run_linkage.h — a robot (.urdf) as a simulated scene: start values and the pairs of links that may touch. */
#ifndef DENT_RUN_LINKAGE_H
#define DENT_RUN_LINKAGE_H

#include "tool_session.h"

#include <dent/sim_scene.h>

typedef struct run_linkage {
    dent_context *context;
    dent_robot *robot;
    dent_robot_read_def reading;
    double *values;
    uint32_t value_count;
    uint32_t (*pairs)[2]; /* of links */
    uint32_t pair_count, pair_capacity;
} run_linkage;

/** Reads the robot of the first argument, --from, --srdf and --allow, and completes the def of the scene, which refers
 * to `linkage` from then on. An exit status; errors have been reported. Close it in any case. */
int run_linkage_open(run_linkage *linkage, tool_session *session, dent_sim_scene_def *def);
void run_linkage_close(run_linkage *linkage);

#endif
