/* Linkages: from joint values to frames and poses.
 *
 * Every joint becomes one frame that moves in the frame of the parent link: `origin` followed by what the joint's value
 * says. A revolute or screw joint turns by the difference of its values about its axis, taken into the parent's
 * coordinates by the rotation of `origin`; so a joint that makes a turn and a half does just that. A planar joint does
 * the same while its origin goes straight in the plane across the axis. */
#include "kinematics/linkage_data.h"

#include "base/floating_point_guard.h"

#include <math.h>
#include <string.h>

/* As dent_motion has it. */
static const double largest_angle = 1000;

/* ---- reading ----------------------------------------------------------------------------------------------------- */

const char *dent_linkage_name(const dent_linkage *linkage)
{
    if (!linkage) {
        return NULL;
    }
    return linkage->name;
}

uint32_t dent_linkage_link_count(const dent_linkage *linkage)
{
    if (!linkage) {
        return 0;
    }
    return linkage->link_count;
}

uint32_t dent_linkage_joint_count(const dent_linkage *linkage)
{
    if (!linkage) {
        return 0;
    }
    return linkage->joint_count;
}

const char *dent_linkage_link_name(const dent_linkage *linkage, uint32_t link)
{
    if (!linkage) {
        return NULL;
    }
    return link < linkage->link_count ? linkage->links[link].name : NULL;
}

const dent_joint_def *dent_linkage_joint(const dent_linkage *linkage, uint32_t joint)
{
    if (!linkage) {
        return NULL;
    }
    return joint < linkage->joint_count ? &linkage->joints[joint].def : NULL;
}

uint32_t dent_linkage_find_link(const dent_linkage *linkage, const char *name)
{
    if (!linkage || !name) {
        return UINT32_MAX;
    }
    for (uint32_t i = 0; i < linkage->link_count; i++) {
        if (strcmp(linkage->links[i].name, name) == 0) {
            return i;
        }
    }
    return UINT32_MAX;
}

uint32_t dent_linkage_find_joint(const dent_linkage *linkage, const char *name)
{
    if (!linkage || !name) {
        return UINT32_MAX;
    }
    for (uint32_t j = 0; j < linkage->joint_count; j++) {
        if (strcmp(linkage->joints[j].def.name, name) == 0) {
            return j;
        }
    }
    return UINT32_MAX;
}

uint32_t dent_linkage_value_count(const dent_linkage *linkage)
{
    if (!linkage) {
        return 0;
    }
    return linkage->value_count;
}

uint32_t dent_linkage_first_value(const dent_linkage *linkage, uint32_t joint)
{
    if (!linkage) {
        return UINT32_MAX;
    }
    return joint < linkage->joint_count ? linkage->joints[joint].first_value : UINT32_MAX;
}

uint32_t dent_linkage_frame_of(const dent_linkage *linkage, uint32_t link)
{
    if (!linkage) {
        return UINT32_MAX;
    }
    return link < linkage->link_count ? linkage->links[link].frame : UINT32_MAX;
}

void dent_linkage_zero_values(const dent_linkage *linkage, double *values)
{
    if (!linkage || (linkage->value_count > 0 && !values)) {
        return;
    }
    for (uint32_t j = 0; j < linkage->joint_count; j++) {
        const struct linkage_joint *joint = &linkage->joints[j];
        if (joint->first_value == UINT32_MAX) {
            continue;
        }
        double *own = values + joint->first_value;
        memset(own, 0, dent_joint_kind_value_count(joint->def.kind) * sizeof *own);
        if (joint->def.kind == DENT_JOINT_BALL) {
            own[0] = 1;
        } else if (joint->def.kind == DENT_JOINT_FREE) {
            own[3] = 1;
        }
    }
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* The one value of a joint that has one, its own or that of the joint it mimics. */
static double single_value(const dent_linkage *linkage, const struct linkage_joint *joint, const double *values)
{
    const dent_joint_def *def = &joint->def;
    if (def->mimics == DENT_JOINT_NONE) {
        return values[joint->first_value];
    }
    return def->multiplier * values[linkage->joints[def->mimics].first_value] + def->offset;
}

static dent_status check_finite(const dent_linkage *linkage, const struct linkage_joint *joint, const double *values)
{
    const dent_joint_def *def = &joint->def;
    uint32_t count = dent_joint_kind_value_count(def->kind);
    for (uint32_t i = 0; i < count; i++) {
        double value = count == 1 ? single_value(linkage, joint, values) : values[joint->first_value + i];
        if (!isfinite(value)) {
            return dent_fail(linkage->context, DENT_ERROR_BAD_NUMBER, "joint '%s': its value is not a finite number",
                             def->name);
        }
    }
    return DENT_OK;
}

static dent_status check_limits(const dent_linkage *linkage, const struct linkage_joint *joint, double value)
{
    const dent_joint_def *def = &joint->def;
    if (value < def->lower) {
        return dent_fail(linkage->context, DENT_ERROR_INVALID_ARGUMENT, "joint '%s': %.9g is below its limit, %.9g",
                         def->name, value, def->lower);
    }
    if (value > def->upper) {
        return dent_fail(linkage->context, DENT_ERROR_INVALID_ARGUMENT, "joint '%s': %.9g is above its limit, %.9g",
                         def->name, value, def->upper);
    }
    return DENT_OK;
}

static DENT_NOINLINE dent_status check_values(const dent_linkage *linkage, const double *values, bool limits)
{
    for (uint32_t j = 0; j < linkage->joint_count; j++) {
        const struct linkage_joint *joint = &linkage->joints[j];
        dent_status status = check_finite(linkage, joint, values);
        if (status == DENT_OK && limits && joint->def.has_limits && dent_joint_kind_value_count(joint->def.kind) == 1) {
            status = check_limits(linkage, joint, single_value(linkage, joint, values));
        }
        if (status != DENT_OK) {
            return status;
        }
    }
    return DENT_OK;
}

dent_status dent_linkage_check_values(const dent_linkage *linkage, const double *values)
{
    DENT_REQUIRE(NULL, linkage);
    DENT_REQUIRE_ARRAY(linkage->context, linkage->value_count, values);
    struct floating_point_guard guard;
    floating_point_guard_enter(&guard);
    dent_status status = check_values(linkage, values, true);
    floating_point_guard_leave(&guard);
    return status;
}

/* How far a joint with an axis has turned about it. */
static double joint_angle(const dent_linkage *linkage, const struct linkage_joint *joint, const double *values)
{
    switch (joint->def.kind) {
    case DENT_JOINT_REVOLUTE:
    case DENT_JOINT_SCREW:
        return single_value(linkage, joint, values);
    case DENT_JOINT_PLANAR:
        return values[joint->first_value + 2];
    default:
        return 0;
    }
}

/* What dent_linkage_motion and dent_linkage_poses may stumble over, before anything is written. */
static dent_status check_joint_step(const dent_linkage *linkage, const struct linkage_joint *joint,
                                    const double *values_t0, const double *values_t1)
{
    const dent_joint_def *def = &joint->def;
    if (def->kind == DENT_JOINT_BALL || def->kind == DENT_JOINT_FREE) {
        for (int end = 0; end < 2; end++) {
            const double *q =
                (end ? values_t1 : values_t0) + joint->first_value + (def->kind == DENT_JOINT_FREE ? 3 : 0);
            if (q[0] == 0 && q[1] == 0 && q[2] == 0 && q[3] == 0) {
                return dent_fail(linkage->context, DENT_ERROR_INVALID_ARGUMENT, "joint '%s': its quaternion is zero",
                                 def->name);
            }
        }
    }
    if (def->kind == DENT_JOINT_REVOLUTE || def->kind == DENT_JOINT_SCREW || def->kind == DENT_JOINT_PLANAR) {
        double v0 = joint_angle(linkage, joint, values_t0), v1 = joint_angle(linkage, joint, values_t1);
        if (!(fabs(v0) <= largest_angle && fabs(v1) <= largest_angle && fabs(v1 - v0) <= largest_angle)) {
            return dent_fail(linkage->context, DENT_ERROR_INVALID_ARGUMENT,
                             "joint '%s' turns from %.9g to %.9g radians, more than %.0f", def->name, v0, v1,
                             largest_angle);
        }
    }
    return DENT_OK;
}

static dent_status check_step(const dent_linkage *linkage, const double *values_t0, const double *values_t1)
{
    dent_status status = check_values(linkage, values_t0, false);
    status = status == DENT_OK ? check_values(linkage, values_t1, false) : status;
    for (uint32_t j = 0; j < linkage->joint_count && status == DENT_OK; j++) {
        status = check_joint_step(linkage, &linkage->joints[j], values_t0, values_t1);
    }
    return status;
}

/* ---- one joint --------------------------------------------------------------------------------------------------- */

/* A rotation about a unit axis. */
static dent_pose rotated(const double axis[3], double angle)
{
    dent_pose identity = dent_pose_identity();
    dent_motion motion = dent_motion_stationary(&identity);
    memcpy(motion.axis, axis, sizeof motion.axis);
    motion.angle = angle;
    return dent_motion_at(&motion, 1);
}

static void turn_vector(const dent_pose *pose, const double vector[3], double result[3])
{
    double m[16];
    dent_pose_to_matrix(pose, m);
    for (int i = 0; i < 3; i++) {
        result[i] = (m[4 * i] * vector[0] + m[4 * i + 1] * vector[1]) + m[4 * i + 2] * vector[2];
    }
}

/* Two unit vectors that span the plane across a unit vector n: x and y after the shortest turn that takes z to n, by
 * x = (1 - n0 n0 / (1 + n2), -n0 n1 / (1 + n2), -n0) and alike for y. Below the plane of x and y, where 1 + n2 cancels,
 * with 1 + n2 = (n0^2 + n1^2) / (1 - n2); opposite to z every half turn is as short, and the one about x is taken. */
void linkage_plane_axes(const double n[3], double x[3], double y[3])
{
    double share[3] = {0, 0, 0}; /* n0 n0, n0 n1 and n1 n1, divided by 1 + n2 */
    double larger = fmax(fabs(n[0]), fabs(n[1]));
    if (n[2] >= 0) {
        share[0] = n[0] * n[0] / (1 + n[2]);
        share[1] = n[0] * n[1] / (1 + n[2]);
        share[2] = n[1] * n[1] / (1 + n[2]);
    } else if (larger > 0) {
        double a = n[0] / larger, b = n[1] / larger, factor = (1 - n[2]) / (a * a + b * b);
        share[0] = a * a * factor;
        share[1] = a * b * factor;
        share[2] = b * b * factor;
    } else {
        share[2] = 2;
    }
    x[0] = 1 - share[0];
    x[1] = y[0] = -share[1];
    x[2] = -n[0];
    y[1] = 1 - share[2];
    y[2] = -n[1];
}

/* The way of a joint with an axis, from its zero or, given the difference of two sets of values, from one to the
 * other, in the frame of the joint: all of these ways are linear in the values. */
static void joint_translation(const struct linkage_joint *joint, const double own[3], double displacement[3])
{
    const dent_joint_def *def = &joint->def;
    double along = def->kind == DENT_JOINT_PRISMATIC ? own[0] : def->kind == DENT_JOINT_SCREW ? def->pitch * own[0] : 0;
    double x[3] = {0, 0, 0}, y[3] = {0, 0, 0};
    double across[2] = {0, 0};
    if (def->kind == DENT_JOINT_PLANAR) {
        linkage_plane_axes(joint->unit_axis, x, y);
        across[0] = own[0];
        across[1] = own[1];
    }
    for (int i = 0; i < 3; i++) {
        displacement[i] = joint->unit_axis[i] * along + (x[i] * across[0] + y[i] * across[1]);
    }
}

/* The values of a joint with an axis, 1 or 3 of them. */
static void own_values(const dent_linkage *linkage, const struct linkage_joint *joint, const double *values,
                       double own[3])
{
    own[0] = own[1] = own[2] = 0;
    if (joint->def.kind == DENT_JOINT_PLANAR) {
        memcpy(own, values + joint->first_value, 3 * sizeof *own);
    } else {
        own[0] = single_value(linkage, joint, values);
    }
}

/* The child in its parent. */
static dent_pose joint_pose(const dent_linkage *linkage, const struct linkage_joint *joint, const double *values)
{
    const dent_joint_def *def = &joint->def;
    dent_pose own = dent_pose_identity();
    switch (def->kind) {
    case DENT_JOINT_BALL:
        memcpy(own.rotation, values + joint->first_value, sizeof own.rotation);
        break;
    case DENT_JOINT_FREE:
        memcpy(own.translation, values + joint->first_value, sizeof own.translation);
        memcpy(own.rotation, values + joint->first_value + 3, sizeof own.rotation);
        break;
    case DENT_JOINT_REVOLUTE:
    case DENT_JOINT_PRISMATIC:
    case DENT_JOINT_SCREW:
    case DENT_JOINT_PLANAR: {
        double at[3];
        own_values(linkage, joint, values, at);
        if (def->kind != DENT_JOINT_PRISMATIC) {
            own = rotated(joint->unit_axis, joint_angle(linkage, joint, values));
        }
        joint_translation(joint, at, own.translation);
        break;
    }
    default:
        break;
    }
    return dent_pose_product(&def->origin, &own);
}

static dent_status joint_motion(const dent_linkage *linkage, const struct linkage_joint *joint, const double *values_t0,
                                const double *values_t1, dent_motion *motion)
{
    const dent_joint_def *def = &joint->def;
    dent_pose start = joint_pose(linkage, joint, values_t0);
    if (def->kind == DENT_JOINT_BALL || def->kind == DENT_JOINT_FREE) {
        dent_pose end = joint_pose(linkage, joint, values_t1);
        return dent_motion_between(linkage->context, &start, &end, DENT_MOTION_CONSTANT_VELOCITY, NULL, 0, motion);
    }
    *motion = dent_motion_stationary(&start);
    if (def->kind != DENT_JOINT_FIXED) {
        double from[3], to[3], displacement[3];
        own_values(linkage, joint, values_t0, from);
        own_values(linkage, joint, values_t1, to);
        joint_translation(joint, (double[3]){to[0] - from[0], to[1] - from[1], to[2] - from[2]}, displacement);
        turn_vector(&def->origin, joint->unit_axis, motion->axis);
        turn_vector(&def->origin, displacement, motion->displacement);
        motion->angle = joint_angle(linkage, joint, values_t1) - joint_angle(linkage, joint, values_t0);
    }
    return DENT_OK;
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

static DENT_NOINLINE dent_status write_frames(const dent_linkage *linkage, const dent_motion *base,
                                              const double *values_t0, const double *values_t1, uint32_t first_frame,
                                              dent_motion_frame *frames)
{
    dent_status status = check_step(linkage, values_t0, values_t1);
    for (uint32_t f = 0; f < linkage->link_count && status == DENT_OK; f++) {
        const struct linkage_link *link = &linkage->links[linkage->order[f]];
        frames[f].parent = DENT_FRAME_WORLD;
        if (link->joint == DENT_JOINT_NONE) {
            dent_pose identity = dent_pose_identity();
            frames[f].motion = base ? *base : dent_motion_stationary(&identity);
        } else {
            const struct linkage_joint *joint = &linkage->joints[link->joint];
            frames[f].parent = first_frame + linkage->links[joint->def.parent].frame;
            status = joint_motion(linkage, joint, values_t0, values_t1, &frames[f].motion);
        }
    }
    return status;
}

dent_status dent_linkage_motion(const dent_linkage *linkage, const dent_motion *base, const double *values_t0,
                                const double *values_t1, uint32_t first_frame, dent_motion_frame *frames)
{
    DENT_REQUIRE(NULL, linkage);
    DENT_REQUIRE_ARRAY(linkage->context, linkage->value_count, values_t0);
    DENT_REQUIRE_ARRAY(linkage->context, linkage->value_count, values_t1);
    DENT_REQUIRE(linkage->context, frames);
    struct floating_point_guard guard;
    floating_point_guard_enter(&guard);
    dent_status status = write_frames(linkage, base, values_t0, values_t1, first_frame, frames);
    floating_point_guard_leave(&guard);
    return status;
}

static DENT_NOINLINE dent_status write_poses(const dent_linkage *linkage, const dent_pose *base, const double *values,
                                             dent_pose *poses)
{
    dent_status status = check_step(linkage, values, values);
    for (uint32_t f = 0; f < linkage->link_count && status == DENT_OK; f++) {
        uint32_t link = linkage->order[f];
        uint32_t joint = linkage->links[link].joint;
        if (joint == DENT_JOINT_NONE) {
            poses[link] = base ? *base : dent_pose_identity();
        } else {
            dent_pose own = joint_pose(linkage, &linkage->joints[joint], values);
            poses[link] = dent_pose_product(&poses[linkage->joints[joint].def.parent], &own);
        }
    }
    return status;
}

dent_status dent_linkage_poses(const dent_linkage *linkage, const dent_pose *base, const double *values,
                               dent_pose *poses)
{
    DENT_REQUIRE(NULL, linkage);
    DENT_REQUIRE_ARRAY(linkage->context, linkage->value_count, values);
    DENT_REQUIRE(linkage->context, poses);
    struct floating_point_guard guard;
    floating_point_guard_enter(&guard);
    dent_status status = write_poses(linkage, base, values, poses);
    floating_point_guard_leave(&guard);
    return status;
}

/* ---- neighbours -------------------------------------------------------------------------------------------------- */

/* The rigid group that a group hangs on, by its leader; UINT32_MAX for that of the root. */
static uint32_t group_above(const dent_linkage *linkage, uint32_t leader)
{
    uint32_t joint = linkage->links[leader].joint;
    return joint == DENT_JOINT_NONE ? UINT32_MAX : linkage->links[linkage->joints[joint].def.parent].leader;
}

bool dent_linkage_neighbours(const dent_linkage *linkage, uint32_t link_a, uint32_t link_b)
{
    if (!linkage) {
        return false;
    }
    if (link_a >= linkage->link_count || link_b >= linkage->link_count) {
        return false;
    }
    uint32_t a = linkage->links[link_a].leader, b = linkage->links[link_b].leader;
    return a == b || group_above(linkage, a) == b || group_above(linkage, b) == a;
}

uint32_t dent_linkage_excluded_pairs(const dent_linkage *linkage, const dent_body_id *bodies,
                                     dent_excluded_pair *excluded, uint32_t capacity)
{
    if (!linkage || !bodies || (capacity > 0 && !excluded)) {
        return 0;
    }
    uint32_t count = 0;
    for (uint32_t a = 0; a < linkage->link_count; a++) {
        for (uint32_t b = dent_body_id_is_null(bodies[a]) ? linkage->link_count : a + 1; b < linkage->link_count; b++) {
            if (dent_body_id_is_null(bodies[b]) || !dent_linkage_neighbours(linkage, a, b)) {
                continue;
            }
            if (count < capacity) {
                excluded[count] = (dent_excluded_pair){bodies[a], bodies[b]};
            }
            count++;
        }
    }
    return count;
}
