/* Where all bodies of a world are at the end of a step: their t1 positions, read and checked as pose.h does for t0. A
 * body without positions at t1 stands still: its positions are those of t0.
 */
#ifndef DENT_BODIES_END_POSE_H
#define DENT_BODIES_END_POSE_H

#include "bodies/pose.h"

struct end_pose {
    const double (**xyz)[3]; /* by rank: vertex_count positions */
    struct dynamic_array pointer_storage, position_storage;
};

void end_pose_init(struct end_pose *end, dent_context *context);
void end_pose_destroy(struct end_pose *end);

/* `pose` has been read. Fails as pose_read does, messages say "at t1". */
dent_status end_pose_read(struct end_pose *end, const struct pose *pose, struct message *message);

#endif
