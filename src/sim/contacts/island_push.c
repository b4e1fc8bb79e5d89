/* The push: from free flight, no contact comes nearer than its gap allows, n . u >= -gap / h, or 0 where it overlaps;
 * Coulomb friction. Poses follow from the velocities that solve this. */
#include "island_stages.h"

#include <math.h>
#include <string.h>

/* Large islands that move by more than a mean edge a second may keep this share of their speed into contacts. */
#define ROUGH_SHARE 0.2

/* The velocity that leads to the pose as it is: of free flight, and what attachments and grabs did since. */
static void free_velocity(const struct islands_call *call, uint32_t rigid, double velocity[6])
{
    const dent_rigid_state *pose = &call->state->rigids[rigid], *free = &call->motion->free[rigid];
    double h = call->model->substep;
    memcpy(velocity, free->linear_velocity, 3 * sizeof *velocity);
    memcpy(velocity + 3, free->angular_velocity, 3 * sizeof *velocity);
    if (memcmp(pose->center, free->center, sizeof pose->center) != 0 ||
        memcmp(pose->orientation, free->orientation, sizeof pose->orientation) != 0) {
        dent_rigid_state moved = *pose;
        dent_rigid_velocity_between(free, &moved, h);
        sim_add_scaled(velocity, 1, moved.linear_velocity);
        sim_add_scaled(velocity + 3, 1, moved.angular_velocity);
    }
}

/* Gaps as small as the overlap that recovery leaves are closed: bodies at rest that closed them would rock from corner to
 * corner. */
static void prepare_push(const struct islands_call *call, const struct island_problem *problem)
{
    const struct sim_model *model = call->model;
    double h = model->substep;
    islands_turn_bodies(problem, call->motion->previous);
    for (uint32_t r = 0; r < problem->island->row_count; r++) {
        struct island_row *row = &problem->rows[r];
        const dent_contact *contact = &call->contacts->records[row->contact];
        const dent_contact_force *last = &call->state->forces[row->contact];
        double relative[3];
        if (row->implied) {
            row->target = -INFINITY;
            row->normal_force = 0;
            memset(row->tangent_force, 0, sizeof row->tangent_force);
            continue;
        }
        row_measure(call, problem->bodies, row, call->motion->previous, call->start);
        island_relative_velocity(row, problem->free, relative);
        row->approach = sim_dot(row->normal, relative);
        row->target = row->gap > row_least_overlap(model, contact) ? -row->gap / h : 0;
        if (row->yield > 0 && row->gap < 0) {
            double most = RECOVERY_EDGES * model->mean_edge;
            row->target = -row->gap / h < most ? -row->gap / h : most;
        }
        row->kinetic = last->state == DENT_ACTION_SLIDING;
        row->normal_force = last->normal;
        memcpy(row->tangent_force, last->tangent, sizeof last->tangent);
        sim_add_scaled(row->tangent_force, -sim_dot(row->tangent_force, row->normal), row->normal);
        row->limit = (row->kinetic ? row->friction_kinetic : row->friction_static) * row->normal_force;
    }
}

/* Impulses that turn a body by more than this in a substep change its spin only, not its pose. */
#define MOST_TURN 0.5

static void apply_push(const struct islands_call *call, const struct island_problem *problem)
{
    double h = call->model->substep;
    for (uint32_t i = 0; i < problem->island->body_count; i++) {
        dent_rigid_state *pose = &call->state->rigids[problem->bodies[i].rigid];
        const double *free = problem->free + 6 * (size_t)i, *velocity = problem->velocity + 6 * (size_t)i;
        double angle[3];
        for (int k = 0; k < 3; k++) {
            pose->center[k] += h * (velocity[k] - free[k]);
            angle[k] = h * (velocity[3 + k] - free[3 + k]);
        }
        double turn = sqrt(sim_dot(angle, angle));
        if (turn > 0 && turn < MOST_TURN) {
            rigid_turn(pose, angle);
        }
    }
    for (uint32_t r = 0; r < problem->island->row_count; r++) {
        const struct island_row *row = &problem->rows[r];
        dent_contact_force *force = &call->state->forces[row->contact];
        double held = sqrt(sim_dot(row->tangent_force, row->tangent_force));
        force->normal = row->normal_force;
        memcpy(force->tangent, row->tangent_force, sizeof force->tangent);
        memset(force->slip, 0, sizeof force->slip);
        force->state = !(row->normal_force > 0)                     ? DENT_ACTION_NONE
                       : row->kinetic && held >= 0.999 * row->limit ? DENT_ACTION_SLIDING
                                                                    : DENT_ACTION_STICKING;
    }
}

/* Compliant contacts give back what they store. */
static bool any_springs_back(const struct island_problem *problem)
{
    for (uint32_t r = 0; r < problem->island->row_count; r++) {
        if (problem->rows[r].yield > 0 && problem->rows[r].target > 0) {
            return true;
        }
    }
    return false;
}

/* What of the velocities may stay: at their end contacts that nothing drives take no less than they give, so
 * (v - free)^T M v <= 0. A part of velocities that contacts allow is allowed, too. */
static double passive_share(const struct island_problem *problem)
{
    uint32_t count = problem->island->body_count;
    double own = island_product(problem->bodies, count, problem->velocity, problem->velocity);
    double with_free = island_product(problem->bodies, count, problem->velocity, problem->free);
    double slack = 1e-7 * island_product(problem->bodies, count, problem->free, problem->free);
    return !(own > with_free + slack) ? 1 : with_free > 0 ? with_free / own : 0;
}

/* What of the impulses may stay, by the same measure. */
static double passive_impulse_share(const struct island_problem *problem)
{
    uint32_t count = problem->island->body_count;
    for (size_t k = 0; k < 6 * (size_t)count; k++) {
        problem->step[k] = problem->velocity[k] - problem->free[k];
    }
    double gain = -island_product(problem->bodies, count, problem->step, problem->free);
    double size = island_product(problem->bodies, count, problem->step, problem->step);
    return gain > 0 ? (gain < size ? gain / size : 1) : 0;
}

static void forget_multipliers(const struct island_problem *problem)
{
    for (uint32_t r = 0; r < problem->island->row_count; r++) {
        problem->rows[r].normal_force = problem->rows[r].limit = 0;
        memset(problem->rows[r].tangent_force, 0, sizeof problem->rows[r].tangent_force);
    }
}

/* Velocities that gain energy were not solved (the budget of the solver is finite): once more without the old
 * multipliers, which may be what misled it; then less of the impulses, or of the velocities where they have none. */
static void solve_within_energy(const struct islands_call *call, struct island_problem *problem)
{
    struct island *island = problem->island;
    size_t count = 6 * (size_t)island->body_count;
    island_solve(problem);
    if (island->joint_count > 0 && joint_energy_exceeded(call->model, call->state, problem)) {
        joints_straighten(problem);
        forget_multipliers(problem);
        memcpy(problem->velocity, problem->free, count * sizeof(double));
        island_solve(problem);
    }
    if (island->joint_count > 0 || island_is_moved(problem) || any_springs_back(problem) || passive_share(problem) == 1) {
        return;
    }
    if (island->body_count <= ISLAND_FEW_BODIES) {
        forget_multipliers(problem);
        memcpy(problem->velocity, problem->free, count * sizeof(double));
        island_solve(problem);
    }
    double share = passive_share(problem);
    if (share < 1 && island->consistent) {
        island_scale_impulses(problem, passive_impulse_share(problem));
    } else if (share < 1) {
        forget_multipliers(problem);
        for (size_t k = 0; k < count; k++) {
            problem->velocity[k] *= share;
        }
    }
}

/* Prescribed bodies that move, attachments, grabs and the minimisation may give an island energy. */
static bool is_driven(const struct islands_call *call, const struct island_problem *problem)
{
    bool driven = problem->island->foreign || island_is_moved(problem);
    for (uint32_t i = 0; i < problem->island->body_count && !driven; i++) {
        uint32_t r = problem->bodies[i].rigid;
        const dent_rigid_state *free = &call->motion->free[r], *pose = &call->state->rigids[r];
        driven = memcmp(pose->center, free->center, sizeof pose->center) != 0 ||
                 memcmp(pose->orientation, free->orientation, sizeof pose->orientation) != 0;
    }
    return driven;
}

void island_push(const struct islands_call *call, struct island *island)
{
    struct island_problem problem = island_problem_of(call, island);
    for (uint32_t i = 0; i < island->body_count; i++) {
        struct island_body *body = &call->islands->bodies[island->first_body + i];
        island_fill_body(call->model, &call->state->rigids[body->rigid], body);
        free_velocity(call, body->rigid, problem.free + 6 * (size_t)i);
        const double *last = call->motion->last + 6 * (size_t)body->rigid;
        memcpy(problem.velocity + 6 * (size_t)i, last, 6 * sizeof *last);
    }
    prepare_push(call, &problem);
    joints_prepare(call->model, call->state, call->motion->previous, &problem, JOINT_PUSH);
    double share = island->body_count <= ISLAND_FEW_BODIES ? 1e-8 : 1e-5;
    double fastest = island_fastest_point(&problem, problem.free), driven = joints_fastest(&problem);
    problem.tolerance = share * (fastest > driven ? fastest : driven) / (island->layers + 1);
    problem.rounds = PUSH_ROUNDS;
    problem.friction = true;
    double speed = island_fastest_point(&problem, problem.velocity); /* before the substep */
    problem.rough = speed > call->model->mean_edge ? ROUGH_SHARE * speed : 0;
    island->driven = is_driven(call, &problem);
    if (island->joint_count > 0) {
        joint_energy_begin(call->model, call->state, call->motion, &problem);
    }
    solve_within_energy(call, &problem);
    apply_push(call, &problem);
    joints_keep(call->model, call->state, &problem, JOINT_PUSH);
    double most = 0;
    island->motors = island->joint_count > 0 ? joints_motor_work(call->model, &problem, &most) : 0;
    /* Displacements by motors stretch what the minimisation has put to rest, which gives that back in the next substep. */
    island->work = island->foreign ? most : island->motors;
}
