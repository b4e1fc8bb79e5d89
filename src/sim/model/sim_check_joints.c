/* Joints of a def: what is wrong with them, and their part of the fingerprint. */
#include "byte_order.h"
#include "sim_model.h"

#include <math.h>

static bool is_finite(const double v[3])
{
    return isfinite(v[0]) && isfinite(v[1]) && isfinite(v[2]);
}

static bool is_rigid(const dent_sim_def *def, uint32_t body)
{
    return body < def->body_count && def->bodies[body].kind == DENT_SIM_RIGID;
}

/* A prescribed body that never moves is as good as the world. */
static bool is_still(const dent_sim_def *def, uint32_t body)
{
    const dent_sim_body_def *owner = body < def->body_count ? &def->bodies[body] : NULL;
    return owner && owner->kind == DENT_SIM_PRESCRIBED && !owner->motion.function && owner->motion.keyframe_count == 0;
}

static dent_status refuse(dent_context *context, uint32_t number, const char *what)
{
    return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "joint %u: %s", number, what);
}

static dent_status check_numbers(dent_context *context, const dent_sim_joint *joint, uint32_t number)
{
    bool spring = joint->kind == DENT_SIM_JOINT_SPRING;
    bool axial = joint->kind == DENT_SIM_JOINT_HINGE || joint->kind == DENT_SIM_JOINT_SLIDER;
    const double *a = joint->axis;
    if (!is_finite(joint->point) || (spring && !is_finite(joint->point_b))) {
        return refuse(context, number, "its point must be finite");
    }
    if (axial && (!is_finite(a) || (a[0] == 0 && a[1] == 0 && a[2] == 0))) {
        return refuse(context, number, "its axis must be finite and not 0");
    }
    if (!axial && (joint->limited || joint->motor != DENT_SIM_MOTOR_NONE || joint->friction != 0 || joint->start != 0)) {
        return refuse(context, number, "only hinges and sliders have limits, motors, friction and a start");
    }
    if (!isfinite(joint->start) || !(joint->friction >= 0 && isfinite(joint->friction))) {
        return refuse(context, number, "its start must be finite, its friction finite and not negative");
    }
    if (joint->limited && !(isfinite(joint->lower) && isfinite(joint->upper) && joint->lower <= joint->start &&
                            joint->upper >= joint->start)) {
        return refuse(context, number,
                      "its limits must be finite, the lower one not above the position at the start, the upper one not "
                      "below");
    }
    if (axial && !(joint->damping >= 0 && isfinite(joint->damping))) {
        return refuse(context, number, "its damping must be finite and not negative");
    }
    if (joint->motor == DENT_SIM_MOTOR_POSITION && !(joint->max_speed > 0)) {
        return refuse(context, number, "the largest speed of its motor must be above 0");
    }
    if (joint->motor != DENT_SIM_MOTOR_NONE && (!isfinite(joint->target) || !(joint->max_force >= 0))) {
        return refuse(context, number, "the target of its motor must be finite, the largest force not negative");
    }
    if (spring && !(joint->stiffness >= 0 && joint->damping >= 0 && isfinite(joint->stiffness) &&
                    isfinite(joint->damping) && isfinite(joint->length))) {
        return refuse(context, number, "stiffness and damping must be finite and not negative, the length finite");
    }
    return DENT_OK;
}

static dent_status check_excluded(dent_context *context, const dent_sim_def *def)
{
    if (def->excluded_count > 0 && !def->excluded) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "excluded_count is %u, excluded is null",
                         def->excluded_count);
    }
    for (uint32_t n = 0; n < def->excluded_count; n++) {
        const dent_sim_body_pair *pair = &def->excluded[n];
        if (pair->body_a >= def->body_count || pair->body_b >= def->body_count || pair->body_a == pair->body_b) {
            return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT,
                             "excluded pair %u: bodies %u and %u; two different ones of %u were expected", n,
                             pair->body_a, pair->body_b, def->body_count);
        }
    }
    return DENT_OK;
}

dent_status sim_check_joints(dent_context *context, const dent_sim_def *def)
{
    dent_status status = check_excluded(context, def);
    if (def->joint_count > 0 && !def->joints) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "joint_count is %u, joints is null", def->joint_count);
    }
    for (uint32_t n = 0; n < def->joint_count && status == DENT_OK; n++) {
        const dent_sim_joint *joint = &def->joints[n];
        if (joint->struct_size != sizeof *joint) {
            return refuse(context, n, "it was not made by dent_sim_joint_default()");
        }
        if (!dent_sim_joint_kind_name(joint->kind) || (unsigned)joint->motor > DENT_SIM_MOTOR_FORCE) {
            return refuse(context, n, "unknown kind of joint or motor");
        }
        if (!is_rigid(def, joint->body_a) || joint->body_a == joint->body_b ||
            (joint->body_b != UINT32_MAX && !is_rigid(def, joint->body_b) && !is_still(def, joint->body_b))) {
            return refuse(
                context, n,
                "it must connect a rigid body with another one, a prescribed one without motion or the world");
        }
        status = check_numbers(context, joint, n);
    }
    return status;
}

uint64_t sim_joints_fingerprint(const dent_sim_def *def, uint64_t hash)
{
    for (uint32_t n = 0; n < def->joint_count; n++) {
        const dent_sim_joint *j = &def->joints[n];
        const uint32_t counts[] = {(uint32_t)j->kind, j->body_a, j->body_b, j->limited, (uint32_t)j->motor, j->collide};
        const double numbers[] = {j->point[0],  j->point[1],  j->point[2], j->point_b[0], j->point_b[1], j->point_b[2],
                                  j->axis[0],   j->axis[1],   j->axis[2],  j->lower,      j->upper,      j->target,
                                  j->max_force, j->stiffness, j->damping,  j->length,     j->start,      j->friction,
                                  j->max_speed};
        hash = sim_hash_records(hash, counts, sizeof counts, "4");
        hash = sim_hash_records(hash, numbers, sizeof numbers, "8");
    }
    if (def->excluded_count > 0) {
        hash = sim_hash_records(hash, def->excluded, def->excluded_count * sizeof *def->excluded, "44");
    }
    return hash;
}
