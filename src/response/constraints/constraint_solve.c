/* The public call: builds the system, solves island by island, and writes motion, forces and report when all is known
 * to have gone well. */
#include <float.h>
#include <math.h>

#include "base/floating_point_guard.h"
#include "response/constraints/constraint_system.h"

dent_constraint_row dent_constraint_row_default(void)
{
    return (dent_constraint_row){.tangents = DENT_CONSTRAINT_NONE, .upper = INFINITY};
}

dent_constraint_problem dent_constraint_problem_default(void)
{
    return (dent_constraint_problem){
        .struct_size = sizeof(dent_constraint_problem), .pyramid_directions = 8, .cone_tolerance = 1e-12};
}

dent_constraints *dent_constraints_create(dent_context *context)
{
    dent_constraints *system = context ? dent_allocate(context, 1, sizeof *system) : NULL;
    if (!system) {
        return NULL;
    }
    memset(system, 0, sizeof *system);
    system->context = context;
    array_init(&system->blocks, context, sizeof(struct metric_block));
    array_init(&system->factors, context, sizeof(double));
    array_init(&system->drafts, context, sizeof(struct constraint_column));
    array_init(&system->columns, context, sizeof(struct constraint_column));
    array_init(&system->parts, context, sizeof(struct column_part));
    array_init(&system->values, context, sizeof(double));
    array_init(&system->islands, context, sizeof(struct constraint_island));
    array_init(&system->parents, context, sizeof(uint32_t));
    array_init(&system->marks, context, sizeof(uint32_t));
    array_init(&system->lookup, context, 2 * sizeof(uint64_t));
    array_init(&system->motions, context, sizeof(double));
    array_init(&system->doubles, context, sizeof(double));
    array_init(&system->indices, context, sizeof(uint32_t));
    return system;
}

void dent_constraints_destroy(dent_constraints *system)
{
    if (!system) {
        return;
    }
    struct dynamic_array *arrays[] = {&system->blocks,  &system->factors, &system->drafts,  &system->columns,
                                      &system->parts,   &system->values,  &system->islands, &system->parents,
                                      &system->marks,   &system->lookup,  &system->motions, &system->doubles,
                                      &system->indices};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
        array_destroy(arrays[i]);
    }
    dent_release(system->context, system, 1, sizeof *system);
}

double *system_doubles(dent_constraints *system, size_t count)
{
    return array_reserve_growing(&system->doubles, count) ? system->doubles.data : NULL;
}

uint32_t *system_indices(dent_constraints *system, size_t count)
{
    return array_reserve_growing(&system->indices, count) ? system->indices.data : NULL;
}

static dent_status check_problem(dent_constraints *system, const dent_constraint_problem *problem)
{
    if (problem->struct_size != sizeof *problem) {
        return dent_fail(system->context, DENT_ERROR_INVALID_ARGUMENT,
                         "the problem was not made by dent_constraint_problem_default()");
    }
    if ((unsigned)problem->method > DENT_CONSTRAINTS_CONTACT_SPACE ||
        (unsigned)problem->friction_model > DENT_FRICTION_PYRAMID || problem->pyramid_directions < 4 ||
        problem->pyramid_directions > 32 || problem->pyramid_directions % 2 != 0 || !(problem->cone_tolerance >= 0)) {
        return dent_fail(system->context, DENT_ERROR_INVALID_ARGUMENT,
                         "method, friction model, directions or tolerance of the problem out of range");
    }
    DENT_REQUIRE_ARRAY(system->context, problem->block_count, problem->blocks);
    DENT_REQUIRE_ARRAY(system->context, problem->row_count, problem->rows);
    DENT_REQUIRE_ARRAY(system->context, problem->previous_count, problem->previous);
    DENT_REQUIRE_ARRAY(system->context, problem->block_count, problem->motion);
    return DENT_OK;
}

/* ---- islands ------------------------------------------------------------------------------------------------------- */

static dent_status solve_island(struct island_work *work, const dent_constraint_problem *problem)
{
    uint32_t count = work->island->column_count;
    uint32_t usual = count < UINT32_MAX / 40 ? 100 + 20 * count : UINT32_MAX / 2;
    work->iteration_limit = problem->iteration_limit > 0 ? problem->iteration_limit : usual;
    if (work->island->has_friction && problem->friction_model == DENT_FRICTION_PYRAMID) {
        work->iteration_limit *= problem->iteration_limit > 0 ? 1 : problem->pyramid_directions;
        return friction_pyramid_solve(work, problem->pyramid_directions);
    }
    if (work->island->has_friction) {
        uint32_t sweeps = problem->iteration_limit > 0 ? problem->iteration_limit : 2000;
        return friction_cone_solve(work, problem->cone_tolerance, sweeps);
    }
    return problem->method == DENT_CONSTRAINTS_CONTACT_SPACE ? contact_space_solve(work) : active_set_solve(work);
}

/* |f - what the bounds leave of f - slack|, with unit mobility. */
static double natural_residual(const struct island_work *work, const struct constraint_column *column)
{
    double slack = column_dot(work, column, work->y) - column->target, next = column->force - slack;
    next = next < column->lower ? column->lower : next > column->upper ? column->upper : next;
    return fabs(column->force - next);
}

static void report_island(const struct island_work *work, dent_constraint_report *report)
{
    const struct constraint_island *island = work->island;
    double largest = 0, residual = 0;
    for (uint32_t i = 0; i < island->coordinate_count; i++) {
        largest = fabs(work->y[i]) > largest ? fabs(work->y[i]) : largest;
    }
    for (uint32_t i = 0; i < island->column_count; i++) {
        const struct constraint_column *column = &work->columns[i];
        report->active += column->force != 0 && !column->is_tangent;
        if (!column->is_tangent) {
            double own = natural_residual(work, column);
            residual = own > residual ? own : residual;
        }
        largest = fabs(column->target) > largest ? fabs(column->target) : largest;
    }
    residual = largest > 0 ? residual / largest : residual;
    if (island->outcome == DENT_CONSTRAINTS_INFEASIBLE) {
        report->infeasible_islands++;
    } else if (residual > report->residual) {
        report->residual = residual;
    }
    report->iterations += work->iterations;
    report->redundant += work->redundant;
    report->diagonal = work->least_diagonal < report->diagonal ? work->least_diagonal : report->diagonal;
}

static uint32_t severity(dent_constraint_outcome outcome)
{
    return outcome == DENT_CONSTRAINTS_SOLVED ? 0 : outcome == DENT_CONSTRAINTS_LIMIT ? 1 : 2;
}

/* x = u + M^(-1/2)' y of the blocks of an island. */
static void add_motion(struct island_work *work, uint32_t index, double *motion, double *change)
{
    const dent_constraints *system = work->system;
    const struct metric_block *blocks = system->blocks.data;
    for (size_t i = 0; i < system->blocks.count; i++) {
        if (blocks[i].island == index) {
            metric_apply(system, &blocks[i], work->y + blocks[i].local_coordinate, change);
            for (uint32_t k = 0; k < blocks[i].size; k++) {
                motion[blocks[i].first_coordinate + k] += ldexp(change[k], work->island->target_exponent);
            }
        }
    }
}

static size_t room_of_island(const struct constraint_island *island)
{
    return 2 * ((size_t)island->coordinate_count + island->column_count) + island->column_count;
}

/* Memory: the motion, one block's change, then y and scratch of an island. */
static dent_status solve_islands(dent_constraints *system, const dent_constraint_problem *problem,
                                 dent_constraint_report *report)
{
    const struct metric_block *blocks = system->blocks.data;
    struct constraint_island *islands = system->islands.data;
    size_t total = 0, widest = 0, room = 0;
    for (size_t i = 0; i < system->blocks.count; i++) {
        total += blocks[i].size;
        widest = blocks[i].size > widest ? blocks[i].size : widest;
    }
    for (size_t i = 0; i < system->islands.count; i++) {
        room = room_of_island(&islands[i]) > room ? room_of_island(&islands[i]) : room;
    }
    if (!array_reserve_growing(&system->motions, total + widest + room)) {
        return dent_fail(system->context, DENT_ERROR_OUT_OF_MEMORY, "no memory for %zu coordinates", total);
    }
    double *motion = system->motions.data;
    memset(motion, 0, total * sizeof *motion);
    for (size_t i = 0; i < total && problem->free_motion; i++) {
        motion[i] = problem->free_motion[i];
    }
    for (size_t i = 0; i < system->islands.count; i++) {
        struct island_work work = {.system = system, .island = &islands[i], .y = motion + total + widest,
                                   .columns = array_at(&system->columns, islands[i].first_column), .least_diagonal = 1};
        dent_status status = solve_island(&work, problem);
        if (status != DENT_OK) {
            return status;
        }
        add_motion(&work, (uint32_t)i, motion, motion + total);
        report_island(&work, report);
        report->outcome = severity(islands[i].outcome) > severity(report->outcome) ? islands[i].outcome : report->outcome;
        for (uint32_t k = 0; k < islands[i].column_count; k++) {
            work.columns[k].force = column_multiplier(&work, &work.columns[k], work.columns[k].force);
        }
    }
    report->islands = (uint32_t)system->islands.count;
    for (size_t i = 0; i < total; i++) {
        if (!(fabs(motion[i]) <= DBL_MAX)) {
            return dent_fail(system->context, DENT_ERROR_BAD_NUMBER, "coordinate %zu of the motion overflows", i);
        }
    }
    return DENT_OK;
}

/* ---- results ------------------------------------------------------------------------------------------------------- */

static double slack_of(const dent_constraints *system, const dent_constraint_row *row, const double *motion)
{
    const struct metric_block *blocks = system->blocks.data;
    double sum = -row->target;
    for (uint32_t i = 0; i < row->part_count; i++) {
        const struct metric_block *block = &blocks[row->parts[i].block];
        for (uint32_t k = 0; k < block->size; k++) {
            sum += row->parts[i].coefficients[k] * motion[block->first_coordinate + k];
        }
    }
    return sum;
}

/* How far a row is from what it demands: 0 where the multiplier's bounds let it be. */
static double shortfall(const dent_constraint_row *row, double slack)
{
    if (slack < 0) {
        return row->upper == INFINITY ? -slack : 0;
    }
    return row->lower == -INFINITY ? slack : 0;
}

static void judge_row(dent_constraints *system, const dent_constraint_problem *problem, uint32_t i,
                      dent_constraint_report *report, dent_constraint_force *force)
{
    const dent_constraint_row *row = &problem->rows[i];
    const struct constraint_column *draft = array_at(&system->drafts, i);
    const struct constraint_island *islands = system->islands.data;
    const uint32_t *places = system->marks.data;
    *force = (dent_constraint_force){.key = row->key, .slack = slack_of(system, row, system->motions.data)};
    if (draft->island == UINT32_MAX) {
        double missed = draft->is_tangent ? 0 : shortfall(row, force->slack);
        force->state = missed > 0 ? DENT_CONSTRAINT_VIOLATED : DENT_CONSTRAINT_IMMOVABLE;
        if (missed > 0) {
            report->outcome = DENT_CONSTRAINTS_INFEASIBLE;
            report->violation = missed > report->violation ? missed : report->violation;
        }
        return;
    }
    const struct constraint_column *column =
        array_at(&system->columns, islands[draft->island].first_column + places[i]);
    force->multiplier = column->force;
    force->state = column->state;
    if (islands[draft->island].outcome == DENT_CONSTRAINTS_INFEASIBLE && !column->is_tangent) {
        double missed = shortfall(row, force->slack);
        double size = ldexp(column->length, islands[draft->island].target_exponent + column->exponent);
        if (missed > 1e-6 * size) {
            force->state = DENT_CONSTRAINT_VIOLATED;
            report->violation = missed > report->violation ? missed : report->violation;
        }
    }
}

static void write_results(dent_constraints *system, const dent_constraint_problem *problem,
                          dent_constraint_report *report)
{
    const struct metric_block *blocks = system->blocks.data;
    const struct constraint_island *islands = system->islands.data;
    size_t total = 0;
    for (uint32_t i = 0; i < problem->row_count; i++) {
        dent_constraint_force force;
        judge_row(system, problem, i, report, &force);
        if (problem->forces) {
            problem->forces[i] = force;
        }
    }
    for (size_t i = 0; i < system->blocks.count; i++) {
        total += blocks[i].size;
        if (problem->block_outcomes) {
            problem->block_outcomes[i] =
                blocks[i].island == UINT32_MAX ? DENT_CONSTRAINTS_SOLVED : islands[blocks[i].island].outcome;
        }
    }
    if (total > 0) {
        memcpy(problem->motion, system->motions.data, total * sizeof *problem->motion);
    }
}

struct solve_call {
    dent_constraints *system;
    const dent_constraint_problem *problem;
    dent_constraint_report *report;
};

static dent_status solve_guarded(const struct solve_call *call)
{
    dent_status status = metric_prepare(call->system, call->problem);
    if (status == DENT_OK) {
        status = system_build(call->system, call->problem);
    }
    if (status == DENT_OK) {
        status = solve_islands(call->system, call->problem, call->report);
    }
    if (status == DENT_OK) {
        write_results(call->system, call->problem, call->report);
    }
    return status;
}

dent_status dent_constraints_solve(dent_constraints *constraints, const dent_constraint_problem *problem,
                                   dent_constraint_report *report)
{
    DENT_REQUIRE(NULL, constraints);
    DENT_REQUIRE(constraints->context, problem);
    dent_status status = check_problem(constraints, problem);
    if (status != DENT_OK) {
        return status;
    }
    dent_constraint_report local;
    memset(&local, 0, sizeof local);
    local.diagonal = 1;
    struct solve_call call = {constraints, problem, &local};
    struct floating_point_guard guard;
    floating_point_guard_enter(&guard);
    status = solve_guarded(&call);
    floating_point_guard_leave(&guard);
    if (status == DENT_OK && report) {
        *report = local;
    }
    return status;
}
