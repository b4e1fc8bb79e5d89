/* Joints of rigid bodies as terms, where the minimisation moves them: so that what is behind a joint weighs on what its
 * bodies touch and hold. Points of the two sides are kept together by hard springs: one for a ball joint, two on the axis
 * of a hinge, three for a fixed joint; sliders keep three points together across their axis only.
 *
 * The island solver (contacts/rigid_islands.c) has the last word in every substep: it takes out what error is left, and
 * adds motors, limits and springs. */
#include "minimise.h"

#include <math.h>
#include <string.h>

/* Where the points of a joint are about its own, in units of its reach: along the axis, and across. */
struct joint_shape {
    uint32_t count;
    double along[TERMS_PER_JOINT], across[TERMS_PER_JOINT];
};

static struct joint_shape shape_of(dent_sim_joint_kind kind)
{
    static const double half = 0.5, height = 0.8660254037844386;
    switch (kind) {
    case DENT_SIM_JOINT_BALL:
        return (struct joint_shape){.count = 1};
    case DENT_SIM_JOINT_HINGE:
        return (struct joint_shape){2, {1, -1, 0}, {0, 0, 0}};
    case DENT_SIM_JOINT_FIXED:
    case DENT_SIM_JOINT_SLIDER:
        return (struct joint_shape){3, {1, -half, -half}, {0, height, -height}};
    default:
        return (struct joint_shape){0};
    }
}

/* The radius of gyration of side a: springs there resist turning about as much as moving. */
static double reach_of(const struct sim_model *model, const struct sim_joint *joint)
{
    const struct sim_rigid *rigid = &model->rigids[joint->rigid[0]];
    return sqrt((rigid->inertia[0] + rigid->inertia[4] + rigid->inertia[8]) / (2 * rigid->mass));
}

static struct term_point side_point(const struct sim_joint *joint, int side, double along, double across)
{
    struct term_point point = {.rigid = joint->rigid[side], .vertices = {SIM_NONE, SIM_NONE, SIM_NONE, SIM_NONE}};
    memcpy(point.local, joint->local[side], sizeof point.local);
    sim_add_scaled(point.local, along, joint->axis);
    sim_add_scaled(point.local, across, joint->across);
    return point;
}

/* A slider moves along the axis of side b; so far it has moved by its position, and the points of b go with it. */
static void follow_slider(const struct sim_state *state, const struct sim_joint *joint, double position,
                          struct point_term *term)
{
    double turn[9];
    term->kind = TERM_RAIL;
    memcpy(term->normal, joint->axis, sizeof term->normal);
    sim_add_scaled(term->b.local, position, joint->axis);
    if (joint->rigid[1] != SIM_NONE) {
        rigid_rotation(state->rigids[joint->rigid[1]].orientation, turn);
        for (int k = 0; k < 3; k++) {
            term->normal[k] = sim_dot(turn + 3 * k, joint->axis);
        }
    }
}

void joint_terms_add(const struct sim_model *model, const struct sim_state *state, const struct minimiser *work,
                     struct point_terms *terms)
{
    for (uint32_t n = 0; n < model->joint_count; n++) {
        const struct sim_joint *joint = &model->joints[n];
        struct joint_shape shape = shape_of(joint->kind);
        double reach = reach_of(model, joint);
        uint32_t bodies[2] = {SIM_NONE, SIM_NONE};
        for (int s = 0; s < 2; s++) {
            bodies[s] = joint->rigid[s] == SIM_NONE ? SIM_NONE : model->rigids[joint->rigid[s]].body;
        }
        for (uint32_t k = 0; k < shape.count && work->inertia.rigid_active[joint->rigid[0]]; k++) {
            struct point_term term = {.kind = TERM_SPRING, .source = n};
            term.a = side_point(joint, 0, reach * shape.along[k], reach * shape.across[k]);
            term.b = side_point(joint, 1, reach * shape.along[k], reach * shape.across[k]);
            if (joint->kind == DENT_SIM_JOINT_SLIDER) {
                follow_slider(state, joint, state->joints[n].position, &term);
            }
            term.stiffness = terms_hard_stiffness(model, state, work, &term, bodies);
            if (term.stiffness > 0 && isfinite(term.stiffness)) {
                terms->terms[terms->count++] = term;
            }
        }
    }
}

void elastic_joint_reactions(const struct sim_model *model, struct sim_state *state, const struct elastic_work *elastic)
{
    const struct minimiser *work = elastic->minimiser;
    struct placement at = {state->positions, state->rigids};
    for (uint64_t i = work->first_joint; model->joint_count > 0 && i < work->terms.count; i++) {
        const struct point_term *term = &work->terms.terms[i];
        const struct sim_joint *joint = &model->joints[term->source];
        struct joint_state *now = &state->joints[term->source];
        struct term_point own = side_point(joint, 0, 0, 0);
        double place[3], center[3], arm[3], moment[3];
        term_point_place(&own, &at, center);
        term_point_place(&term->a, &at, place);
        sim_subtract(place, center, arm);
        sim_cross(arm, term->force, moment);
        sim_add_scaled(now->force, 1, term->force);
        sim_add_scaled(now->moment, 1, moment);
    }
}
