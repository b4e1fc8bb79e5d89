/* Poses and motions as the public interface shows them: matrices to quaternions by the largest-component rule, axis and
 * angle between two poses without acos, poses along a motion. See dent/motion.h. */
#include <dent/motion.h>

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/floating_point_guard.h"
#include "geometry/motion/in_between_motion.h"
#include "geometry/motion/motion_laws.h"
#include "geometry/numbers/interval.h"
#include "geometry/metric/quaternion.h"

dent_pose dent_pose_identity(void)
{
    return (dent_pose){{1, 0, 0, 0}, {0, 0, 0}};
}

/* ---- matrices ---------------------------------------------------------------------------------------------------- */

static DENT_NOINLINE dent_status pose_of_rotation(dent_context *context, const double m[9], const double translation[3],
                                                  dent_pose *pose)
{
    for (int k = 0; k < 12; k++) {
        double number = k < 9 ? m[k] : translation[k - 9];
        if (!isfinite(number)) {
            return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "the %s of the pose has a number that is not finite",
                             k < 9 ? "rotation" : "translation");
        }
    }
    double worst = 0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            double product = m[i] * m[j] + m[3 + i] * m[3 + j] + m[6 + i] * m[6 + j] - (i == j ? 1.0 : 0.0);
            worst = fabs(product) > worst || isnan(product) ? fabs(product) : worst;
        }
    }
    if (!(worst <= 1e-6)) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT,
                         "the matrix of the pose is not a rotation: R'R differs from the identity by %g (at most 1e-6)",
                         worst);
    }
    double cross[3];
    vector_cross(m, m + 3, cross);
    if (!(vector_dot(cross, m + 6) > 0)) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "the matrix of the pose is a mirror image");
    }
    quaternion_of_matrix(m, pose->rotation);
    memcpy(pose->translation, translation, sizeof pose->translation);
    return DENT_OK;
}

dent_status dent_pose_from_rotation(dent_context *context, const double rotation[9], const double translation[3],
                                    dent_pose *pose)
{
    DENT_REQUIRE(context, context);
    DENT_REQUIRE(context, rotation);
    DENT_REQUIRE(context, translation);
    DENT_REQUIRE(context, pose);
    struct floating_point_guard guard;
    floating_point_guard_enter(&guard);
    dent_status status = pose_of_rotation(context, rotation, translation, pose);
    floating_point_guard_leave(&guard);
    return status;
}

dent_status dent_pose_from_matrix(dent_context *context, const double matrix[16], dent_pose *pose)
{
    DENT_REQUIRE(context, context);
    DENT_REQUIRE(context, matrix);
    DENT_REQUIRE(context, pose);
    const double last_row[4] = {0, 0, 0, 1};
    for (int k = 0; k < 4; k++) {
        if (!(matrix[12 + k] == last_row[k])) {
            return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT,
                             "the last row of the matrix of the pose is %g %g %g %g instead of 0 0 0 1", matrix[12],
                             matrix[13], matrix[14], matrix[15]);
        }
    }
    const double rotation[9] = {matrix[0], matrix[1], matrix[2], matrix[4], matrix[5],
                                matrix[6], matrix[8], matrix[9], matrix[10]};
    const double translation[3] = {matrix[3], matrix[7], matrix[11]};
    return dent_pose_from_rotation(context, rotation, translation, pose);
}

/* The rotation matrix of a pose; the identity for a zero quaternion. */
static void rotation_of(const dent_pose *pose, double unit[4], double m[9])
{
    if (!quaternion_make_unit(pose->rotation, unit)) {
        unit[0] = 1;
        unit[1] = unit[2] = unit[3] = 0;
    }
    quaternion_to_matrix(unit, m);
}

static DENT_NOINLINE void fill_matrix(const dent_pose *pose, double matrix[16])
{
    double unit[4], m[9];
    rotation_of(pose, unit, m);
    for (int i = 0; i < 3; i++) {
        memcpy(matrix + 4 * i, m + 3 * i, 3 * sizeof(double));
        matrix[4 * i + 3] = pose->translation[i];
    }
    matrix[12] = matrix[13] = matrix[14] = 0;
    matrix[15] = 1;
}

void dent_pose_to_matrix(const dent_pose *pose, double matrix[16])
{
    if (!pose || !matrix) {
        return;
    }
    struct floating_point_guard guard;
    floating_point_guard_enter(&guard);
    fill_matrix(pose, matrix);
    floating_point_guard_leave(&guard);
}

static DENT_NOINLINE dent_pose multiply_poses(const dent_pose *a, const dent_pose *b)
{
    double unit_a[4], unit_b[4], matrix_a[9], matrix_b[9], product[4];
    rotation_of(a, unit_a, matrix_a);
    rotation_of(b, unit_b, matrix_b);
    quaternion_multiply(unit_a, unit_b, product);
    dent_pose result;
    quaternion_make_unit(product, result.rotation);
    matrix_times_vector(matrix_a, b->translation, result.translation);
    for (int k = 0; k < 3; k++) {
        result.translation[k] += a->translation[k];
    }
    return result;
}

dent_pose dent_pose_product(const dent_pose *a, const dent_pose *b)
{
    if (!a || !b) {
        return dent_pose_identity();
    }
    struct floating_point_guard guard;
    floating_point_guard_enter(&guard);
    dent_pose result = multiply_poses(a, b);
    floating_point_guard_leave(&guard);
    return result;
}

static DENT_NOINLINE dent_pose invert_pose(const dent_pose *pose)
{
    double unit[4], m[9];
    rotation_of(pose, unit, m);
    dent_pose result = {{unit[0], -unit[1], -unit[2], -unit[3]}, {0, 0, 0}};
    vector_times_matrix(m, pose->translation, result.translation);
    for (int k = 0; k < 3; k++) {
        result.translation[k] = -result.translation[k];
    }
    return result;
}

dent_pose dent_pose_inverse(const dent_pose *pose)
{
    if (!pose) {
        return dent_pose_identity();
    }
    struct floating_point_guard guard;
    floating_point_guard_enter(&guard);
    dent_pose result = invert_pose(pose);
    floating_point_guard_leave(&guard);
    return result;
}

/* ---- motions ----------------------------------------------------------------------------------------------------- */

const char *dent_motion_kind_name(dent_motion_kind kind)
{
    switch (kind) {
    case DENT_MOTION_CONSTANT_VELOCITY:
        return "constant-velocity";
    case DENT_MOTION_SCREW:
        return "screw";
    case DENT_MOTION_GIVEN:
        return "given";
    }
    return NULL;
}

dent_motion dent_motion_stationary(const dent_pose *pose)
{
    if (!pose) {
        return dent_motion_stationary(&(dent_pose){.rotation = {1, 0, 0, 0}});
    }
    dent_motion motion = {.start = *pose};
    return motion;
}

/* Axis and angle from a to b: the quaternion of the turn is given the sign that makes it the shorter one; of the two
 * axes of a half turn the one whose first non-zero component is positive is taken. */
static void shortest_turn(const double a[4], const double b[4], double axis[3], double *angle)
{
    const double inverse[4] = {a[0], -a[1], -a[2], -a[3]};
    double turn[4];
    quaternion_multiply(b, inverse, turn);
    bool flip = turn[0] < 0;
    for (int k = 1; k < 4 && turn[0] == 0; k++) {
        if (turn[k] != 0) {
            flip = turn[k] < 0;
            break;
        }
    }
    for (int k = 0; k < 4 && flip; k++) {
        turn[k] = -turn[k];
    }
    *angle = 0;
    axis[0] = axis[1] = 0;
    axis[2] = 1;
    double sine = vector_length(turn + 1);
    if (sine >= 1e-150) {
        *angle = 2 * angle_of_direction(sine, turn[0]);
        vector_make_unit(turn + 1, axis);
    }
}

static bool all_finite(const double *numbers, int count)
{
    bool finite = true;
    for (int k = 0; k < count; k++) {
        finite = finite && isfinite(numbers[k]);
    }
    return finite;
}

#define FULL_TURN 0x1.921fb54442d18p+2

static DENT_NOINLINE dent_status find_motion(dent_context *context, const dent_pose *start, const dent_pose *end,
                                             dent_motion_kind kind, const double centre[3], int32_t full_turns,
                                             dent_motion *motion)
{
    double unit[2][4];
    for (int side = 0; side < 2; side++) {
        const dent_pose *pose = side ? end : start;
        const char *name = side ? "end" : "start";
        if (!all_finite(pose->rotation, 4) || !all_finite(pose->translation, 3)) {
            return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "the %s pose has a number that is not finite", name);
        }
        if (!quaternion_make_unit(pose->rotation, unit[side])) {
            return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "the quaternion of the %s pose is zero", name);
        }
    }
    if (centre && !all_finite(centre, 3)) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "the centre has a number that is not finite");
    }
    if (!dent_motion_kind_name(kind) || kind == DENT_MOTION_GIVEN) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "there is no kind of motion number %d", (int)kind);
    }
    if (full_turns < -150 || full_turns > 150) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "%d full turns in one step: at most 150 are allowed",
                         (int)full_turns);
    }
    dent_motion found = {.start = *start, .kind = kind};
    memcpy(found.start.rotation, unit[0], sizeof unit[0]);
    shortest_turn(unit[0], unit[1], found.axis, &found.angle);
    bool tiny = fabs(found.angle) < 1e-6;
    found.angle += full_turns * FULL_TURN;
    double from[3] = {0, 0, 0}, to[3] = {0, 0, 0};
    if (kind == DENT_MOTION_CONSTANT_VELOCITY && centre) {
        double matrix[9];
        memcpy(found.centre, centre, sizeof found.centre);
        quaternion_to_matrix(unit[0], matrix);
        matrix_times_vector(matrix, centre, from);
        quaternion_to_matrix(unit[1], matrix);
        matrix_times_vector(matrix, centre, to);
    }
    for (int k = 0; k < 3; k++) {
        found.displacement[k] = (end->translation[k] - start->translation[k]) + (to[k] - from[k]);
    }
    if (!all_finite(found.displacement, 3)) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "the poses are too far apart for a double");
    }
    if (kind == DENT_MOTION_SCREW && full_turns != 0 && tiny) {
        double along = vector_dot(found.axis, found.displacement), across[3];
        for (int k = 0; k < 3; k++) {
            across[k] = found.displacement[k] - along * found.axis[k];
        }
        if (vector_length(across) > 0) {
            return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT,
                             "a screw by %d full turns cannot move across its axis", (int)full_turns);
        }
    }
    *motion = found;
    return DENT_OK;
}

dent_status dent_motion_between(dent_context *context, const dent_pose *start, const dent_pose *end,
                                dent_motion_kind kind, const double centre[3], int32_t full_turns, dent_motion *motion)
{
    DENT_REQUIRE(context, context);
    DENT_REQUIRE(context, start);
    DENT_REQUIRE(context, end);
    DENT_REQUIRE(context, motion);
    struct floating_point_guard guard;
    floating_point_guard_enter(&guard);
    dent_status status = find_motion(context, start, end, kind, centre, full_turns, motion);
    floating_point_guard_leave(&guard);
    return status;
}

static DENT_NOINLINE dent_pose pose_along(const dent_motion *motion, double t)
{
    struct trajectory trajectory;
    double unit[4], rotation[9], axis[3] = {0, 0, 0};
    dent_pose pose;
    trajectory_from_motion(motion, 1, &trajectory);
    if (trajectory.given) {
        struct motion_piece piece;
        given_piece(&trajectory, t, 0, &piece);
        quaternion_of_matrix(piece.rotation, pose.rotation);
        memcpy(pose.translation, piece.translation, sizeof pose.translation);
        return pose;
    }
    double slide = t;
    if (trajectory.law) {
        dent_law_enclosure turned, moved;
        law_over(&trajectory, t, 0, &turned, &moved);
        t = turned.value;
        slide = moved.value;
    }
    trajectory_at(&trajectory, t, rotation, pose.translation);
    for (int k = 0; k < 3 && trajectory.law; k++) {
        pose.translation[k] += (slide - t) * trajectory.velocity[k];
    }
    quaternion_make_unit(motion->start.rotation, unit);
    if (trajectory.turns) {
        vector_make_unit(motion->axis, axis);
    }
    struct sine_cosine half = sine_and_cosine(0.5 * motion->angle * t);
    const double turn[4] = {half.cosine, half.sine * axis[0], half.sine * axis[1], half.sine * axis[2]};
    double product[4];
    quaternion_multiply(turn, unit, product);
    quaternion_make_unit(product, pose.rotation);
    return pose;
}

dent_pose dent_motion_at(const dent_motion *motion, double t)
{
    if (!motion) {
        return dent_pose_identity();
    }
    struct floating_point_guard guard;
    floating_point_guard_enter(&guard);
    dent_pose pose = pose_along(motion, t);
    floating_point_guard_leave(&guard);
    return pose;
}

dent_pose dent_motion_frame_at(const dent_motion_frame *frames, uint32_t frame, double t)
{
    if (!frames) {
        return dent_pose_identity();
    }
    dent_pose pose = dent_motion_at(&frames[frame].motion, t);
    while (frames[frame].parent != DENT_FRAME_WORLD) {
        frame = frames[frame].parent;
        dent_pose parent = dent_motion_at(&frames[frame].motion, t);
        pose = dent_pose_product(&parent, &pose);
    }
    return pose;
}
