/* Poses as matrices. */
#include "clouds/cloud_pose.h"

#include "geometry/metric/quaternion.h"

bool cloud_pose_read(const dent_pose *pose, double rotation[9], double translation[3])
{
    static const dent_pose identity = {{1, 0, 0, 0}, {0, 0, 0}};
    const dent_pose *read = pose ? pose : &identity;
    double unit[4];
    for (int k = 0; k < 4; k++) {
        if (!isfinite(read->rotation[k]) || (k < 3 && !(fabs(read->translation[k]) <= 1e100))) {
            return false;
        }
    }
    if (!quaternion_make_unit(read->rotation, unit)) {
        return false;
    }
    quaternion_to_matrix(unit, rotation);
    for (int axis = 0; axis < 3; axis++) {
        translation[axis] = read->translation[axis];
    }
    return true;
}
