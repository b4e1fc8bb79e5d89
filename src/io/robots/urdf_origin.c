/* R = Rz(yaw) Ry(pitch) Rx(roll), each turn made by dent_motion_at. */
#include "urdf_origin.h"

#include <string.h>

static dent_pose turn_about(int axis, double angle)
{
    dent_pose identity = dent_pose_identity();
    dent_motion motion = dent_motion_stationary(&identity);
    motion.axis[axis] = 1;
    motion.angle = angle;
    return dent_motion_at(&motion, 1);
}

dent_pose urdf_origin_pose(const struct urdf_origin *origin)
{
    dent_pose pose = dent_pose_identity();
    for (int axis = 0; axis < 3; axis++) {
        if (origin->rpy[axis] != 0) {
            dent_pose turn = turn_about(axis, origin->rpy[axis]);
            pose = dent_pose_product(&turn, &pose);
        }
    }
    memcpy(pose.translation, origin->xyz, sizeof pose.translation);
    return pose;
}

struct urdf_placement urdf_placement_of(const struct urdf_origin *origin)
{
    struct urdf_placement placement = {.turns = origin->rpy[0] != 0 || origin->rpy[1] != 0 || origin->rpy[2] != 0};
    dent_pose pose = urdf_origin_pose(origin);
    double matrix[16];
    dent_pose_to_matrix(&pose, matrix);
    for (int i = 0; i < 3; i++) {
        memcpy(placement.m[i], matrix + 4 * i, sizeof placement.m[i]);
        placement.t[i] = origin->xyz[i];
    }
    return placement;
}

void urdf_placement_apply(const struct urdf_placement *placement, double p[3])
{
    double q[3] = {p[0], p[1], p[2]};
    for (int i = 0; i < 3; i++) {
        const double *m = placement->m[i];
        double rotated = placement->turns ? (m[0] * q[0] + m[1] * q[1]) + m[2] * q[2] : q[i];
        p[i] = placement->t[i] != 0 ? rotated + placement->t[i] : rotated;
    }
}
