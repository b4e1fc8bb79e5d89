/* The bounce: contacts that pushed and were met faster than 2 g h part with restitution times the speed they met with.
 * Contacts that bounce and are still apart are left to the next substep, which meets them with the whole speed. */
#include "island_stages.h"

#include <math.h>
#include <string.h>

/* Velocities as they are now, as the guess and as what an impulse changes. */
static void take_velocities(const struct islands_call *call, const struct island_problem *problem)
{
    for (uint32_t i = 0; i < problem->island->body_count; i++) {
        const dent_rigid_state *pose = &call->state->rigids[problem->bodies[i].rigid];
        memcpy(problem->free + 6 * (size_t)i, pose->linear_velocity, sizeof pose->linear_velocity);
        memcpy(problem->free + 6 * (size_t)i + 3, pose->angular_velocity, sizeof pose->angular_velocity);
    }
    memcpy(problem->velocity, problem->free, 6 * (size_t)problem->island->body_count * sizeof(double));
}

static bool prepare_bounce(const struct islands_call *call, const struct island_problem *problem, double threshold)
{
    bool any = false;
    islands_turn_bodies(problem, call->state->rigids);
    for (uint32_t r = 0; r < problem->island->acting_count; r++) {
        struct island_row *row = &problem->rows[r];
        double relative[3];
        row_measure(call, problem->bodies, row, call->state->rigids, call->state->positions);
        island_relative_velocity(row, problem->free, relative);
        double now = sim_dot(row->normal, relative);
        bool pushed = row->normal_force > 0, bounces = pushed && row->restitution > 0 && row->approach < -threshold;
        double least = row->restitution > 0 ? -INFINITY : -row->gap / call->model->substep;
        row->target = bounces                     ? -row->restitution * row->approach
                      : pushed || !(row->gap > 0) ? (now < 0 ? now : 0)
                                                  : least;
        any = any || bounces;
        row->normal_force = 0;
    }
    return any;
}

/* Restitution with friction can gain energy (Kane and Levinson 1985): then only a part of the bounce. */
static double bounce_share(const struct island_problem *problem, double energy)
{
    uint32_t count = problem->island->body_count;
    double share = 1;
    for (int n = 0; n < 40; n++) {
        for (size_t k = 0; k < 6 * (size_t)count; k++) {
            problem->step[k] = problem->free[k] + share * (problem->velocity[k] - problem->free[k]);
        }
        if (island_product(problem->bodies, count, problem->step, problem->step) <= energy) {
            return share;
        }
        share *= 0.9;
    }
    return 0;
}

/* Twice that of the velocities with which the island came into the substep. */
static double energy_before(const struct islands_call *call, const struct island_problem *problem)
{
    for (uint32_t i = 0; i < problem->island->body_count; i++) {
        const dent_rigid_state *free = &call->motion->free[problem->bodies[i].rigid];
        memcpy(problem->step + 6 * (size_t)i, free->linear_velocity, sizeof free->linear_velocity);
        memcpy(problem->step + 6 * (size_t)i + 3, free->angular_velocity, sizeof free->angular_velocity);
    }
    return island_product(problem->bodies, problem->island->body_count, problem->step, problem->step);
}

void island_bounce(const struct islands_call *call, struct island_problem *problem)
{
    const double *gravity = call->state->gravity;
    double threshold = 2 * sqrt(sim_dot(gravity, gravity)) * call->model->substep;
    take_velocities(call, problem);
    bool bounces = prepare_bounce(call, problem, threshold);
    joints_prepare(call->model, call->state, call->state->rigids, problem, JOINT_PROJECT);
    if (!bounces && problem->island->joint_count == 0) {
        return;
    }
    double energy = energy_before(call, problem);
    problem->tolerance = 1e-8 * island_fastest_point(problem, problem->free);
    problem->rounds = PUSH_ROUNDS;
    problem->friction = false;
    problem->rough = INFINITY;
    island_solve(problem);
    /* What is hit by a moving prescribed body may gain. */
    bool driven = island_is_moved(problem) || problem->island->joint_count > 0;
    double share = driven ? 1 : bounce_share(problem, energy * (1 + 1e-14));
    for (uint32_t i = 0; i < problem->island->body_count; i++) {
        dent_rigid_state *pose = &call->state->rigids[problem->bodies[i].rigid];
        const double *free = problem->free + 6 * (size_t)i, *velocity = problem->velocity + 6 * (size_t)i;
        for (int k = 0; k < 3; k++) {
            pose->linear_velocity[k] += share * (velocity[k] - free[k]);
            pose->angular_velocity[k] += share * (velocity[3 + k] - free[3 + k]);
        }
    }
    joints_keep(call->model, call->state, problem, JOINT_PROJECT);
}
