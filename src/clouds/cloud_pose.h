/* Poses as matrices. In: a pose, or null for the identity. Out: rotation (row by row) and translation; false for numbers
 * that are not finite or beyond 1e100, and for a zero quaternion. */
#ifndef DENT_CLOUDS_CLOUD_POSE_H
#define DENT_CLOUDS_CLOUD_POSE_H

#include <dent/motion.h>

bool cloud_pose_read(const dent_pose *pose, double rotation[9], double translation[3]);

#endif
