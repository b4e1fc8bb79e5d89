/* The recovery: displacements, outside velocities, that take overlap out at RECOVERY_EDGES mean edges a second: bodies that
 * begin in one another part without gaining speed, and what lifts them is paid for (island_energy.c). */
#include "island_stages.h"

#include <math.h>
#include <string.h>

/* Of the rate, against gravity. */
#define UPWARD_SHARE 0.05
/* While bodies are in one another, or nearer than this share of their rest distance, what is above so many edges a second
 * of the speeds in their island decays in this time. */
#define NEAR_SHARE 0.4
#define SINKING_SECONDS 0.02
#define SINKING_EDGES 1.0

enum { RECOVER_ROUNDS = 3, JOINT_ROUNDS = 6 };

/* Bodies that lie in one another part sideways first, and are lifted by one another later, if they must: lifted at once
 * they would fall down from where they parted. */
static double recovery_share(const struct islands_call *call, const struct island_row *row)
{
    const double *gravity = call->state->gravity;
    double square = sim_dot(gravity, gravity), along = sim_dot(gravity, row->normal);
    bool both = row->side[0] != SIM_NONE && row->side[1] != SIM_NONE;
    double aside = square > 0 ? 1 - along * along / square : 1;
    return !both || aside > UPWARD_SHARE ? (both ? aside : 1) : UPWARD_SHARE;
}

/* Targets of the displacements; false where nothing overlaps by more than the tolerance of its contact. */
static bool prepare_recovery(const struct islands_call *call, const struct island_problem *problem, double most,
                             double *tolerance)
{
    const struct sim_model *model = call->model;
    bool any = false;
    *tolerance = INFINITY;
    islands_turn_bodies(problem, call->state->rigids);
    for (uint32_t r = 0; r < problem->island->acting_count; r++) {
        struct island_row *row = &problem->rows[r];
        const dent_contact *contact = &call->contacts->records[row->contact];
        double least = row_least_overlap(model, contact);
        row_measure(call, problem->bodies, row, call->state->rigids, call->state->positions);
        memset(row->drift, 0, sizeof row->drift);
        row->normal_force = 0;
        double rate = most * recovery_share(call, row);
        double depth = -row->gap - 0.1 * least; /* lifted too far, bodies would fall again */
        row->target = row->yield > 0 ? -INFINITY : depth < rate ? depth : rate;
        any = any || (row->yield == 0 && row->gap < -least);
        *tolerance = least < *tolerance ? least : *tolerance;
    }
    return any;
}

/* A supported island with bodies in one another is where none can be, and sinks as in mud: what it would gain by
 * falling through itself is no energy of its own. */
static void slow_down(const struct islands_call *call, const struct island_problem *problem)
{
    double most = SINKING_EDGES * call->model->mean_edge, h = call->model->substep;
    double keep = h < SINKING_SECONDS ? 1 - h / SINKING_SECONDS : 0;
    bool deep = false;
    for (uint32_t r = 0; r < problem->island->row_count && problem->island->supported; r++) {
        const struct island_row *row = &problem->rows[r];
        const dent_contact *contact = &call->contacts->records[row->contact];
        double rest = call->model->bodies[contact->body_a].thickness + call->model->bodies[contact->body_b].thickness;
        bool near = call->contacts->reported[row->contact].gap < NEAR_SHARE * rest;
        deep = deep || (near && row->side[0] != SIM_NONE && row->side[1] != SIM_NONE);
    }
    for (uint32_t i = 0; i < problem->island->body_count && deep; i++) {
        const struct island_body *body = &problem->bodies[i];
        dent_rigid_state *pose = &call->state->rigids[body->rigid];
        double speed = sqrt(sim_dot(pose->linear_velocity, pose->linear_velocity)) +
                       body->radius * sqrt(sim_dot(pose->angular_velocity, pose->angular_velocity));
        double share = speed > most ? (most + keep * (speed - most)) / speed : 1;
        for (int k = 0; k < 3 && share < 1; k++) {
            pose->linear_velocity[k] *= share;
            pose->angular_velocity[k] *= share;
        }
    }
}

/* What is supported is parted as if all bodies had one mass: displacements need no forces, only to be small, and a heavy
 * body on light ones is lifted as easily. Without support the masses decide, so that the centre of mass stays. */
static void level_masses(const struct island_problem *problem)
{
    double largest = 0;
    for (uint32_t i = 0; i < problem->island->body_count; i++) {
        largest = problem->bodies[i].mass > largest ? problem->bodies[i].mass : largest;
    }
    for (uint32_t i = 0; i < problem->island->body_count && problem->island->supported; i++) {
        struct island_body *body = &problem->bodies[i];
        double factor = largest / body->mass;
        body->mass = largest;
        body->inverse_mass = 1 / largest;
        for (int k = 0; k < 9; k++) {
            body->inertia[k] *= factor;
            body->inverse_inertia[k] /= factor;
        }
    }
}

static void true_masses(const struct islands_call *call, const struct island_problem *problem)
{
    for (uint32_t i = 0; i < problem->island->body_count && problem->island->supported; i++) {
        struct island_body *body = &problem->bodies[i];
        body->mass = call->model->rigids[body->rigid].mass;
        body->inverse_mass = 1 / body->mass;
        island_fill_body(call->model, &call->state->rigids[body->rigid], body);
    }
}

void island_recover(const struct islands_call *call, struct island_problem *problem)
{
    double most = RECOVERY_EDGES * call->model->mean_edge * call->model->substep, tolerance, largest = 0;
    size_t count = 6 * (size_t)problem->island->body_count;
    bool overlaps = prepare_recovery(call, problem, most, &tolerance);
    double error = joints_prepare(call->model, call->state, call->state->rigids, problem, JOINT_RECOVER);
    if (overlaps) {
        slow_down(call, problem);
    }
    island_energy_book(call, problem);
    if (!overlaps && !(error > 0)) {
        return;
    }
    tolerance = error > 0 && 0.1 * error < tolerance ? 0.1 * error : tolerance;
    memset(problem->free, 0, count * sizeof *problem->free);
    memset(problem->velocity, 0, count * sizeof *problem->velocity);
    problem->tolerance = 1e-2 * tolerance;
    problem->rounds = problem->island->joint_count > 0 ? JOINT_ROUNDS : RECOVER_ROUNDS;
    problem->friction = false;
    problem->rough = INFINITY;
    level_masses(problem);
    island_solve(problem);
    true_masses(call, problem);
    for (uint32_t i = 0; i < problem->island->body_count; i++) {
        const double *d = problem->velocity + 6 * (size_t)i;
        double size = sqrt(sim_dot(d, d)) + problem->bodies[i].radius * sqrt(sim_dot(d + 3, d + 3));
        largest = size > largest ? size : largest;
    }
    /* Contradictory depths may ask for more than each of them does. */
    double share = largest > 4 * most && error < most ? 4 * most / largest : 1;
    if (problem->island->joint_count > 0 && !overlaps) {
        share = joint_energy_share(call->model, call->state, call->motion, problem, share);
    }
    share = island_energy_pay(call, problem, share);
    momentum_displace(call->model, call->state, problem, problem->velocity, share);
}
