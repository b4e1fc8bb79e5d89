/* Energy of islands with joints: never above what they had, but for what motors and springs do.
 *
 * The equations of the push are of second order in the turn of a substep, and errors of joints are taken out by
 * displacements: both may lift bodies or leave them faster. So what an island has at the end of a substep, kinetic energy
 * and height, is compared with what it had at its beginning, and its velocities pay for what is too much.
 *
 * The substep itself (symplectic Euler) loses and gains by turns: E + h/2 g . p is what it keeps, p being the momentum. A
 * pendulum must get back on its way up what it lost on its way down. So losses of that kind are kept as credit with the
 * joints, and gains are paid from it first. Where a recovery could not be paid, other losses are kept, too, until it
 * can. */
#include "rigid_islands.h"

#include <math.h>
#include <string.h>

/* The energy of a push may exceed what the island has by this share, which arcs of half a radian need: the projection
 * after it takes that out. */
#define ARC_SHARE 0.25

/* What hangs sinks by the tolerance of the solver, and is lifted again: up to this share of a mean edge in a substep. */
#define SINKING_SHARE 1e-6

static double kinetic_of(const struct sim_model *model, const dent_rigid_state *pose, const double *linear,
                         const double *angular, struct island_body body)
{
    double sum = body.mass * sim_dot(linear, linear);
    island_fill_body(model, pose, &body);
    for (int k = 0; k < 3; k++) {
        sum += angular[k] * sim_dot(body.inertia + 3 * k, angular);
    }
    return 0.5 * sum;
}

/* Rows of a joint follow one another; credit[n] of the first one stands for it. */
static bool is_first_row(const struct island_problem *problem, uint32_t row)
{
    return row == 0 || problem->joints[row].joint != problem->joints[row - 1].joint;
}

static double credit_of(const struct sim_state *state, const struct island_problem *problem)
{
    double sum = 0;
    for (uint32_t r = 0; r < problem->island->joint_count; r++) {
        sum += is_first_row(problem, r) ? state->joints[problem->joints[r].joint].credit : 0;
    }
    return sum;
}

static void keep_credit(struct sim_state *state, const struct island_problem *problem, double credit)
{
    uint32_t count = 0;
    for (uint32_t r = 0; r < problem->island->joint_count; r++) {
        count += is_first_row(problem, r) ? 1 : 0;
    }
    for (uint32_t r = 0; r < problem->island->joint_count; r++) {
        state->joints[problem->joints[r].joint].credit = credit > 0 ? credit / count : 0;
    }
}

void joint_energy_begin(const struct sim_model *model, const struct sim_state *state, const struct rigid_motion *motion,
                        const struct island_problem *problem)
{
    struct island *island = problem->island;
    island->kinetic = island->owed = 0;
    island->work = 0;
    for (uint32_t i = 0; i < island->body_count; i++) {
        const struct island_body *body = &problem->bodies[i];
        const double *last = motion->last + 6 * (size_t)body->rigid;
        island->kinetic += kinetic_of(model, &motion->previous[body->rigid], last, last + 3, *body);
    }
    island->credit = credit_of(state, problem);
}

/* What springs that are joints give on the way from poses to others. */
static double released(const struct sim_model *model, const struct joint_row *rows, uint32_t count,
                       const dent_rigid_state *before, const dent_rigid_state *now)
{
    double sum = 0;
    for (uint32_t r = 0; r < count; r++) {
        const struct sim_joint *joint = &model->joints[rows[r].joint];
        if (joint->kind == DENT_SIM_JOINT_SPRING) { /* of one row */
            sum += joint_stored(joint, before) - joint_stored(joint, now);
        }
    }
    return sum;
}

static double released_since(const struct sim_model *model, const struct sim_state *state,
                             const struct rigid_motion *motion, const struct island_problem *problem)
{
    return released(model, problem->joints, problem->island->joint_count, motion->previous, state->rigids);
}

double islands_outer_work(const struct sim_model *model, const struct rigid_islands *islands,
                          const dent_rigid_state *before, const dent_rigid_state *now)
{
    double sum = 0;
    for (uint32_t n = 0; n < islands->island_count; n++) {
        const struct island *island = &islands->islands[n];
        if (island->active && island->joint_count > 0 && island->foreign) {
            sum += island->work + released(model, islands->joints + island->first_joint, island->joint_count, before, now);
        }
    }
    return sum;
}

double islands_motor_work(const struct rigid_islands *islands)
{
    double sum = 0;
    for (uint32_t n = 0; n < islands->island_count; n++) {
        const struct island *island = &islands->islands[n];
        sum += island->active && island->joint_count > 0 && !island->foreign ? island->motors : 0;
    }
    return sum;
}

/* The energy that displacements of the bodies take, 6 numbers each. */
static double lift_by(const struct sim_state *state, const struct island_problem *problem, const double *displacement)
{
    double lift = 0;
    for (uint32_t i = 0; i < problem->island->body_count; i++) {
        lift -= problem->bodies[i].mass * sim_dot(state->gravity, displacement + 6 * (size_t)i);
    }
    return lift;
}

/* That the substep took so far. */
static double lift_since(const struct sim_state *state, const struct rigid_motion *motion,
                         const struct island_problem *problem)
{
    double lift = 0, moved[3];
    for (uint32_t i = 0; i < problem->island->body_count; i++) {
        uint32_t rigid = problem->bodies[i].rigid;
        sim_subtract(state->rigids[rigid].center, motion->previous[rigid].center, moved);
        lift -= problem->bodies[i].mass * sim_dot(state->gravity, moved);
    }
    return lift;
}

bool joint_energy_exceeded(const struct sim_model *model, const struct sim_state *state,
                           const struct island_problem *problem)
{
    const struct island *island = problem->island;
    double kinetic = 0.5 * island_product(problem->bodies, island->body_count, problem->velocity, problem->velocity);
    double lift = model->substep * lift_by(state, problem, problem->velocity);
    return !island->driven &&
           kinetic + lift > (1 + ARC_SHARE) * island->kinetic + island->credit + joints_work(problem);
}

double joint_energy_share(const struct sim_model *model, const struct sim_state *state, const struct rigid_motion *motion,
                          const struct island_problem *problem, double share)
{
    struct island *island = problem->island;
    double lift = lift_by(state, problem, problem->velocity);
    double given = island->work + released_since(model, state, motion, problem);
    double left = island->kinetic + island->credit + given - lift_since(state, motion, problem);
    if (island->driven || !(share * lift > left)) {
        return share;
    }
    double part = left > 0 ? left / lift : 0;
    island->owed = (share - part) * lift;
    return part;
}

void joint_energy_end(const struct sim_model *model, struct sim_state *state, const struct rigid_motion *motion,
                      const struct island_problem *problem)
{
    const struct island *island = problem->island;
    if (island->driven) {
        return;
    }
    double lift = lift_since(state, motion, problem), kinetic = 0, falling = 0, weight = 0;
    double given = island->work + released_since(model, state, motion, problem);
    double left = island->kinetic + island->credit + given - lift;
    momentum_limit_energy(state, problem, left > 0 ? 2 * left : 0);
    for (uint32_t i = 0; i < island->body_count; i++) {
        const struct island_body *body = &problem->bodies[i];
        const dent_rigid_state *pose = &state->rigids[body->rigid];
        double gained[3];
        kinetic += kinetic_of(model, pose, pose->linear_velocity, pose->angular_velocity, *body);
        sim_subtract(pose->linear_velocity, motion->last + 6 * (size_t)body->rigid, gained);
        weight += body->mass * sqrt(sim_dot(state->gravity, state->gravity));
        falling += 0.5 * model->substep * body->mass * sim_dot(state->gravity, gained);
    }
    double loss = island->kinetic + given - lift - kinetic;
    double found = (falling > 0 ? falling : 0) + island->owed + SINKING_SHARE * model->mean_edge * weight;
    double kept = fmin(loss, found);
    keep_credit(state, problem, island->credit + kept);
}
