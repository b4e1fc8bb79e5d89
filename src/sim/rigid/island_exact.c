/* Small islands by the exact constraint solver (dent/constraints.h): the problem of island_solver.h as it stands, with
 * the exact cone of friction. An island that no velocity satisfies is frozen: its velocities become 0. One whose friction
 * does not settle goes back to the island solver. */
#include "island_exact.h"

#include <math.h>
#include <string.h>

enum { ROWS_PER_CONTACT = 3, FRICTION_SWEEPS = 500 };
#define FRICTION_TOLERANCE 1e-10

const char *dent_sim_solver_name(dent_sim_solver solver)
{
    return solver == DENT_SIM_SOLVER_ISLANDS ? "islands" : solver == DENT_SIM_SOLVER_CONSTRAINTS ? "constraints" : NULL;
}

dent_status island_exact_create(dent_context *context, struct island_exact *exact)
{
    memset(exact, 0, sizeof *exact);
    exact->context = context;
    array_init(&exact->blocks, context, sizeof(dent_constraint_block));
    array_init(&exact->metrics, context, 10 * sizeof(double));
    array_init(&exact->rows, context, sizeof(dent_constraint_row));
    array_init(&exact->parts, context, 2 * sizeof(dent_constraint_part));
    array_init(&exact->coefficients, context, 12 * sizeof(double));
    array_init(&exact->forces, context, sizeof(dent_constraint_force));
    exact->solver = dent_constraints_create(context);
    return exact->solver ? DENT_OK : DENT_ERROR_OUT_OF_MEMORY;
}

void island_exact_destroy(struct island_exact *exact)
{
    if (!exact->context) {
        return;
    }
    array_destroy(&exact->blocks);
    array_destroy(&exact->metrics);
    array_destroy(&exact->rows);
    array_destroy(&exact->parts);
    array_destroy(&exact->coefficients);
    array_destroy(&exact->forces);
    dent_constraints_destroy(exact->solver);
    memset(exact, 0, sizeof *exact);
}

static bool reserve(struct island_exact *exact, const struct island *island)
{
    size_t rows = ROWS_PER_CONTACT * (size_t)island->acting_count + island->joint_count;
    array_clear(&exact->blocks);
    array_clear(&exact->metrics);
    array_clear(&exact->rows);
    array_clear(&exact->parts);
    array_clear(&exact->coefficients);
    array_clear(&exact->forces);
    return array_extend(&exact->blocks, island->body_count) && array_extend(&exact->metrics, island->body_count) &&
           array_reserve_growing(&exact->rows, rows) && array_reserve_growing(&exact->parts, rows) &&
           array_reserve_growing(&exact->coefficients, rows) && array_reserve_growing(&exact->forces, rows);
}

static void fill_blocks(struct island_exact *exact, const struct island_problem *problem)
{
    dent_constraint_block *blocks = exact->blocks.data;
    double(*metrics)[10] = exact->metrics.data;
    for (uint32_t i = 0; i < problem->island->body_count; i++) {
        metrics[i][0] = problem->bodies[i].inverse_mass;
        memcpy(metrics[i] + 1, problem->bodies[i].inverse_inertia, 9 * sizeof(double));
        blocks[i] = (dent_constraint_block){DENT_METRIC_RIGID, 6, metrics[i]};
    }
}

/* A row with coefficients for both sides; those that do not yield have no part. */
static dent_constraint_row *add_row(struct island_exact *exact, const uint32_t side[2], double multiplier)
{
    size_t n = exact->rows.count;
    dent_constraint_row *row = array_extend(&exact->rows, 1);
    dent_constraint_part *parts = array_extend(&exact->parts, 1);
    double *coefficients = array_extend(&exact->coefficients, 1);
    dent_constraint_force *force = array_extend(&exact->forces, 1);
    *row = dent_constraint_row_default();
    row->key = n;
    row->parts = parts;
    for (int s = 0; s < 2; s++) {
        if (side[s] != SIM_NONE) {
            parts[row->part_count++] = (dent_constraint_part){side[s], coefficients + 6 * s};
        }
    }
    *force = (dent_constraint_force){.key = n, .multiplier = multiplier};
    force->state = multiplier != 0 ? DENT_CONSTRAINT_ACTIVE : DENT_CONSTRAINT_INACTIVE;
    return row;
}

static void add_direction(struct island_exact *exact, const struct island_row *contact, const double direction[3],
                          double target, double multiplier)
{
    dent_constraint_row *row = add_row(exact, contact->side, multiplier);
    double *coefficients = array_at(&exact->coefficients, exact->rows.count - 1);
    for (int s = 0; s < 2; s++) {
        double sign = s == 0 ? 1 : -1, moment[3];
        sim_cross(contact->arm[s], direction, moment);
        for (int k = 0; k < 3; k++) {
            coefficients[6 * s + k] = sign * direction[k];
            coefficients[6 * s + 3 + k] = sign * moment[k];
        }
    }
    row->target = target - sim_dot(direction, contact->drift);
}

/* Two unit vectors across a unit normal. */
static void tangents_of(const double normal[3], double first[3], double second[3])
{
    double x = fabs(normal[0]), y = fabs(normal[1]), z = fabs(normal[2]);
    double axis[3] = {x <= y && x <= z, !(x <= y && x <= z) && y <= z, !(x <= y && x <= z) && !(y <= z)};
    sim_cross(normal, axis, first);
    double length = sqrt(sim_dot(first, first));
    for (int i = 0; i < 3; i++) {
        first[i] /= length;
    }
    sim_cross(normal, first, second);
}

static double coefficient_of(const struct island_problem *problem, const struct island_row *row)
{
    return !problem->friction ? 0 : row->kinetic ? row->friction_kinetic : row->friction_static;
}

static void add_contact(struct island_exact *exact, const struct island_problem *problem, const struct island_row *row)
{
    double friction = coefficient_of(problem, row), first[3], second[3];
    add_direction(exact, row, row->normal, row->target, row->normal_force);
    dent_constraint_row *normal = array_at(&exact->rows, exact->rows.count - 1);
    normal->compliance = row->yield;
    if (friction > 0) {
        normal->friction = friction;
        normal->tangents = (uint32_t)exact->rows.count;
        tangents_of(row->normal, first, second);
        add_direction(exact, row, first, 0, sim_dot(first, row->tangent_force));
        add_direction(exact, row, second, 0, sim_dot(second, row->tangent_force));
    }
}

static void add_joint(struct island_exact *exact, const struct joint_row *joint)
{
    dent_constraint_row *row = add_row(exact, joint->side, joint->impulse);
    double *coefficients = array_at(&exact->coefficients, exact->rows.count - 1);
    memcpy(coefficients, joint->along, 12 * sizeof *coefficients);
    row->target = joint->target;
    row->lower = joint->lower;
    row->upper = joint->upper;
    row->compliance = joint->yield;
}

/* ---- results ------------------------------------------------------------------------------------------------------- */

static void take_contact(const struct island_exact *exact, const struct island_problem *problem, struct island_row *row,
                         size_t *next)
{
    const dent_constraint_force *force = array_at(&exact->forces, *next);
    double friction = coefficient_of(problem, row), first[3], second[3];
    double into = -force->slack - row->yield * force->multiplier;
    row->normal_force = force->multiplier;
    problem->island->residual = into > problem->island->residual ? into : problem->island->residual;
    memset(row->tangent_force, 0, sizeof row->tangent_force);
    *next += 1;
    if (friction > 0) {
        tangents_of(row->normal, first, second);
        sim_add_scaled(row->tangent_force, force[1].multiplier, first);
        sim_add_scaled(row->tangent_force, force[2].multiplier, second);
        row->limit = friction * row->normal_force;
        row->kinetic = sqrt(sim_dot(row->tangent_force, row->tangent_force)) >= 0.999 * row->limit;
        *next += 2;
    }
}

static void take_results(const struct island_exact *exact, struct island_problem *problem)
{
    size_t next = 0;
    problem->island->residual = 0;
    for (uint32_t r = 0; r < problem->island->acting_count; r++) {
        if (problem->rows[r].target != -INFINITY) {
            take_contact(exact, problem, &problem->rows[r], &next);
        }
    }
    for (uint32_t r = 0; r < problem->island->joint_count; r++) {
        problem->joints[r].impulse = ((const dent_constraint_force *)array_at(&exact->forces, next++))->multiplier;
    }
}

/* Nothing satisfies the island: it stands still until the next substep. Displacements keep the least squares. */
static void freeze(struct island_exact *exact, struct island_problem *problem, bool displacement)
{
    exact->frozen++;
    problem->island->consistent = false;
    if (!displacement) {
        memset(problem->velocity, 0, 6 * (size_t)problem->island->body_count * sizeof(double));
    }
    for (uint32_t r = 0; r < problem->island->row_count; r++) {
        problem->rows[r].normal_force = problem->rows[r].limit = 0;
        memset(problem->rows[r].tangent_force, 0, sizeof problem->rows[r].tangent_force);
    }
    for (uint32_t r = 0; r < problem->island->joint_count; r++) {
        problem->joints[r].impulse = 0;
    }
}

static bool all_zero(const double *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (numbers[i] != 0) {
            return false;
        }
    }
    return true;
}

bool island_exact_solve(struct island_problem *problem)
{
    struct island_exact *exact = problem->exact;
    struct island *island = problem->island;
    size_t count = 6 * (size_t)island->body_count;
    if (island->body_count > ISLAND_FEW_BODIES || island->acting_count + island->joint_count > ISLAND_EXACT_ROWS) {
        return false;
    }
    if (!reserve(exact, island)) {
        exact->status = DENT_ERROR_OUT_OF_MEMORY;
        return false;
    }
    fill_blocks(exact, problem);
    for (uint32_t r = 0; r < island->acting_count; r++) {
        if (problem->rows[r].target != -INFINITY) {
            add_contact(exact, problem, &problem->rows[r]);
        }
    }
    for (uint32_t r = 0; r < island->joint_count; r++) {
        add_joint(exact, &problem->joints[r]);
    }
    dent_constraint_problem ask = dent_constraint_problem_default();
    dent_constraint_report report;
    ask.blocks = exact->blocks.data;
    ask.block_count = island->body_count;
    ask.rows = exact->rows.data;
    ask.row_count = (uint32_t)exact->rows.count;
    ask.free_motion = problem->free;
    ask.previous = ask.forces = exact->forces.data;
    ask.previous_count = ask.row_count;
    ask.cone_tolerance = FRICTION_TOLERANCE;
    ask.motion = problem->step;
    dent_status status = dent_constraints_solve(exact->solver, &ask, &report);
    exact->status = status == DENT_ERROR_OUT_OF_MEMORY ? status : exact->status;
    if (status != DENT_OK || report.outcome == DENT_CONSTRAINTS_LIMIT) {
        exact->passed_on++;
        return false;
    }
    exact->solved++;
    memcpy(problem->velocity, problem->step, count * sizeof(double));
    island->newtons = report.iterations;
    island->rounds = 1;
    island->consistent = true;
    take_results(exact, problem);
    if (report.outcome == DENT_CONSTRAINTS_INFEASIBLE) {
        freeze(exact, problem, all_zero(problem->free, count));
    }
    return true;
}
