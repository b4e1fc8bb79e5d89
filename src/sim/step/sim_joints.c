/* Joints: made from the def, read and driven by the user. */
#include "sim_step.h"

#include <math.h>
#include <string.h>

const char *dent_sim_joint_kind_name(dent_sim_joint_kind kind)
{
    static const char *const names[] = {NULL, "fixed", "hinge", "ball", "slider", "spring"};
    return (unsigned)kind <= DENT_SIM_JOINT_SPRING ? names[kind] : NULL;
}

dent_sim_joint dent_sim_joint_default(void)
{
    return (dent_sim_joint){.struct_size = sizeof(dent_sim_joint),
                            .kind = DENT_SIM_JOINT_BALL,
                            .body_b = UINT32_MAX,
                            .axis = {0, 0, 1},
                            .max_speed = INFINITY,
                            .length = -1};
}

static void scale_to_one(double *v)
{
    double largest = fmax(fabs(v[0]), fmax(fabs(v[1]), fabs(v[2])));
    for (int k = 0; k < 3; k++) {
        v[k] /= largest;
    }
    double length = sqrt(sim_dot(v, v));
    for (int k = 0; k < 3; k++) {
        v[k] /= length;
    }
}

/* Two directions across the axis; of joints without one those of space. */
static void choose_directions(struct sim_joint *joint, const double *axis)
{
    memcpy(joint->axis, axis, sizeof joint->axis);
    scale_to_one(joint->axis);
    const double *a = joint->axis;
    double x = fabs(a[0]), y = fabs(a[1]), z = fabs(a[2]);
    double other[3] = {x <= y && x <= z, !(x <= y && x <= z) && y <= z, !(x <= y && x <= z) && !(y <= z)};
    sim_cross(a, other, joint->across);
    scale_to_one(joint->across);
    sim_cross(a, joint->across, joint->third);
}

static void make_joint(const struct sim_model *model, const struct sim_state *state, const dent_sim_joint *from,
                       struct sim_joint *joint)
{
    static const double up[3] = {0, 0, 1};
    bool axial = from->kind == DENT_SIM_JOINT_HINGE || from->kind == DENT_SIM_JOINT_SLIDER;
    bool spring = from->kind == DENT_SIM_JOINT_SPRING;
    const uint32_t bodies[2] = {from->body_a, from->body_b};
    double apart[3];
    *joint = (struct sim_joint){.kind = from->kind,
                                .limited = from->limited,
                                .collide = from->collide,
                                .start = from->start,
                                .lower = from->lower - from->start,
                                .upper = from->upper - from->start,
                                .motor = from->motor,
                                .max_force = from->max_force,
                                .max_speed = from->max_speed,
                                .stiffness = from->stiffness,
                                .damping = from->damping,
                                .friction = from->friction,
                                .frame = SIM_NONE};
    choose_directions(joint, axial ? from->axis : up);
    for (int s = 0; s < 2; s++) {
        const double *point = spring && s == 1 ? from->point_b : from->point;
        joint->rigid[s] = bodies[s] == UINT32_MAX ? SIM_NONE : model->bodies[bodies[s]].rigid;
        memcpy(joint->local[s], point, sizeof joint->local[s]);
        if (joint->rigid[s] != SIM_NONE) {
            sim_subtract(point, state->rigids[joint->rigid[s]].center, joint->local[s]);
        }
    }
    if (bodies[1] != UINT32_MAX && joint->rigid[1] == SIM_NONE) {
        joint->frame = bodies[1];
    }
    sim_subtract(from->point, from->point_b, apart);
    joint->length = from->length >= 0 ? from->length : sqrt(sim_dot(apart, apart));
}

/* Positions are counted from time 0 on inside. */
static double target_inside(const struct sim_joint *joint, double target)
{
    return joint->motor == DENT_SIM_MOTOR_POSITION ? target - joint->start : target;
}

dent_status joints_make(struct sim_model *model, struct sim_state *state, const dent_sim_def *def,
                        struct rigid_islands *islands)
{
    model->joints = sim_allocate(model, def->joint_count, sizeof *model->joints);
    if (!model->joints) {
        return sim_no_memory(model->context);
    }
    for (uint32_t n = 0; n < def->joint_count; n++) {
        make_joint(model, state, &def->joints[n], &model->joints[n]);
        state->joints[n].target = target_inside(&model->joints[n], def->joints[n].target);
    }
    islands_tie_joints(model, islands);
    joints_measure(model, state);
    return DENT_OK;
}

bool dent_sim_get_joint(const dent_sim *sim, uint32_t joint, dent_sim_joint_info *info)
{
    if (!sim || !info || joint >= sim->model.joint_count) {
        return false;
    }
    const struct joint_state *now = &sim->state.joints[joint];
    const struct sim_joint *made = &sim->model.joints[joint];
    bool spring = made->kind == DENT_SIM_JOINT_SPRING;
    *info = (dent_sim_joint_info){.position = now->position + made->start,
                                  .speed = now->speed,
                                  .axial = spring ? -now->axial : now->axial,
                                  .target = now->target - target_inside(made, 0)};
    memcpy(info->force, now->force, sizeof info->force);
    memcpy(info->moment, now->moment, sizeof info->moment);
    return true;
}

dent_status dent_sim_set_motor(dent_sim *sim, uint32_t joint, double target)
{
    DENT_REQUIRE(NULL, sim);
    dent_context *context = sim->model.context;
    if (joint >= sim->model.joint_count || sim->model.joints[joint].motor == DENT_SIM_MOTOR_NONE) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "joint %u: no such joint, or it has no motor", joint);
    }
    if (!isfinite(target)) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "joint %u: the target %.9g is not finite", joint,
                         target);
    }
    sim->state.joints[joint].target = target_inside(&sim->model.joints[joint], target);
    return DENT_OK;
}
