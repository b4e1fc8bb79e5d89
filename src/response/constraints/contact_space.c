/* Contact space: the same problem in the multipliers, A f + (J u - b) = w with A = J M^-1 J', as one linear
 * complementarity problem for Lemke's method. Redundant contacts make A singular; the motion is still unique.
 *
 * Variables z >= 0 stand for multipliers: f = lower + z, f = upper - z, or f = z - z' where there are no bounds. Two
 * bounds need one variable more, for the upper one. Friction pyramids (Stewart and Trinkle 1996) have a variable per
 * direction d and one for the slip: d . v + slip >= 0, friction * f - sum of z >= 0. */
#include <math.h>

#include "response/constraints/constraint_system.h"

#define SOFTNESS 1e-8 /* as in motion space */

enum { ATTEMPTS = 4 }; /* a path that rounding has spoiled is taken anew from another start */

enum { VARIABLE_FORCE, VARIABLE_CAP, VARIABLE_SLIP };

struct variable {
    uint32_t kind;
    uint32_t columns[2];
    double weights[2]; /* of the columns; the second is 0 except for directions of friction */
    uint32_t partner;  /* CAP: its force. SLIP: the normal's force */
    uint32_t first, count; /* SLIP: directions */
    double range;          /* CAP: upper - lower */
    double friction;       /* SLIP */
};

struct contact_space {
    struct island_work *work;
    struct variable *variables;
    uint32_t count;
    double *matrix, *q, *z, *memory, *vector;
    uint32_t *basis;
    double *origin; /* per column: the multiplier that z = 0 stands for */
};

static uint32_t variable_limit(const struct island_work *work, uint32_t directions)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < work->island->column_count; i++) {
        const struct constraint_column *column = &work->columns[i];
        count += column->is_tangent ? 0 : 2;
        count += column->friction > 0 && directions > 0 ? directions + 1 : 0;
    }
    return count;
}

static dent_status begin_space(struct contact_space *space, struct island_work *work, uint32_t directions)
{
    size_t count = variable_limit(work, directions), columns = work->island->column_count;
    size_t height = (size_t)work->island->coordinate_count + work->island->soft_count;
    size_t records = count * ((sizeof(struct variable) + sizeof(double) - 1) / sizeof(double));
    size_t polish = factor_doubles((uint32_t)columns, (uint32_t)height, false) + 2 * columns;
    size_t tableau = lemke_doubles((uint32_t)count);
    size_t shared = tableau > polish ? tableau : polish;
    if (count > 20000) {
        return dent_fail(work->system->context, DENT_ERROR_TOO_LARGE, "%zu variables in contact space: at most 20000",
                         count);
    }
    double *memory = system_doubles(work->system, records + count * count + 2 * count + shared + height + columns);
    uint32_t *basis = system_indices(work->system, count + columns);
    if (!memory || !basis) {
        return dent_fail(work->system->context, DENT_ERROR_OUT_OF_MEMORY, "no memory for %zu contacts", columns);
    }
    *space = (struct contact_space){.work = work, .variables = (struct variable *)memory, .basis = basis};
    space->matrix = memory + records;
    space->q = space->matrix + count * count;
    space->z = space->q + count;
    space->memory = space->z + count;
    space->vector = space->memory + shared;
    space->origin = space->vector + height;
    return DENT_OK;
}

static uint32_t add_force(struct contact_space *space, uint32_t column, double weight)
{
    space->variables[space->count] =
        (struct variable){.kind = VARIABLE_FORCE, .columns = {column, column}, .weights = {weight, 0}};
    return space->count++;
}

static uint32_t add_multiplier(struct contact_space *space, uint32_t i)
{
    const struct constraint_column *column = &space->work->columns[i];
    bool below = column->lower > -INFINITY, above = column->upper < INFINITY;
    space->origin[i] = below ? column->lower : above ? column->upper : 0;
    uint32_t force = add_force(space, i, below || !above ? 1 : -1);
    if (below && above) {
        space->variables[space->count++] = (struct variable){
            .kind = VARIABLE_CAP, .partner = force, .range = column->upper - column->lower};
    } else if (!below && !above) {
        add_force(space, i, -1);
    }
    return force;
}

/* Size of a unit of the tangent's multiplier in units of the normal's. */
static double tangent_weight(const struct constraint_column *normal, const struct constraint_column *tangent)
{
    return ldexp(tangent->length / normal->length, tangent->exponent - normal->exponent);
}

static void add_pyramid(struct contact_space *space, uint32_t i, uint32_t force, uint32_t directions)
{
    const struct constraint_column *columns = space->work->columns, *normal = &columns[i];
    double along = tangent_weight(normal, &columns[normal->tangents[0]]);
    double across = tangent_weight(normal, &columns[normal->tangents[1]]);
    uint32_t first = space->count;
    for (uint32_t k = 0; k < directions; k++) {
        double sine, cosine;
        dent_sine_cosine(6.283185307179586 * k / directions, &sine, &cosine);
        space->variables[space->count++] =
            (struct variable){.kind = VARIABLE_FORCE, .columns = {normal->tangents[0], normal->tangents[1]},
                              .weights = {cosine * along, sine * across}};
    }
    space->variables[space->count++] = (struct variable){
        .kind = VARIABLE_SLIP, .partner = force, .first = first, .count = directions, .friction = normal->friction};
}

static void add_variables(struct contact_space *space, uint32_t directions)
{
    for (uint32_t i = 0; i < space->work->island->column_count; i++) {
        const struct constraint_column *column = &space->work->columns[i];
        if (column->is_tangent) {
            space->origin[i] = 0;
            continue;
        }
        uint32_t force = add_multiplier(space, i);
        if (directions > 0 && column->friction > 0) {
            add_pyramid(space, i, force, directions);
        }
    }
}

static void scatter(const struct contact_space *space, const struct variable *variable, double *vector)
{
    size_t height = (size_t)space->work->island->coordinate_count + space->work->island->soft_count;
    memset(vector, 0, height * sizeof *vector);
    for (int k = 0; k < 2; k++) {
        if (variable->weights[k] != 0) {
            column_add(space->work, &space->work->columns[variable->columns[k]], variable->weights[k], vector);
        }
    }
}

static double times(const struct contact_space *space, const struct variable *variable, const double *vector)
{
    double sum = 0;
    for (int k = 0; k < 2; k++) {
        if (variable->weights[k] != 0) {
            sum += variable->weights[k] * column_dot(space->work, &space->work->columns[variable->columns[k]], vector);
        }
    }
    return sum;
}

static void fill_force(struct contact_space *space, uint32_t i)
{
    const struct constraint_column *columns = space->work->columns;
    const struct variable *variable = &space->variables[i];
    scatter(space, variable, space->vector);
    for (uint32_t j = 0; j <= i; j++) {
        if (space->variables[j].kind == VARIABLE_FORCE) {
            double entry = times(space, &space->variables[j], space->vector);
            space->matrix[(size_t)i * space->count + j] = space->matrix[(size_t)j * space->count + i] = entry;
        }
    }
    space->q[i] = times(space, variable, space->work->y); /* of the origins */
    for (int k = 0; k < 2; k++) {
        space->q[i] -= variable->weights[k] * columns[variable->columns[k]].target;
    }
}

static void fill_matrix(struct contact_space *space)
{
    size_t count = space->count;
    struct constraint_column *columns = space->work->columns;
    for (uint32_t i = 0; i < space->work->island->column_count; i++) {
        columns[i].force = space->origin[i];
    }
    island_sum(space->work);
    memset(space->matrix, 0, count * count * sizeof *space->matrix);
    for (uint32_t i = 0; i < space->count; i++) {
        const struct variable *variable = &space->variables[i];
        if (variable->kind == VARIABLE_FORCE) {
            fill_force(space, i);
            continue;
        }
        space->q[i] = variable->kind == VARIABLE_CAP ? variable->range : 0;
        space->matrix[i * count + variable->partner] = variable->kind == VARIABLE_CAP ? -1 : variable->friction;
        if (variable->kind == VARIABLE_CAP) {
            space->matrix[variable->partner * count + i] = 1;
        }
        for (uint32_t k = variable->first; k < variable->first + variable->count; k++) {
            space->matrix[i * count + k] = -1;
            space->matrix[k * count + i] = 1;
        }
    }
}

static void read_forces(struct contact_space *space)
{
    struct constraint_column *columns = space->work->columns;
    for (uint32_t i = 0; i < space->count; i++) {
        const struct variable *variable = &space->variables[i];
        for (int k = 0; k < 2 && variable->kind == VARIABLE_FORCE; k++) {
            columns[variable->columns[k]].force += variable->weights[k] * space->z[i];
        }
    }
    for (uint32_t i = 0; i < space->work->island->column_count; i++) {
        struct constraint_column *column = &columns[i];
        bool at_upper = column->force >= column->upper && column->upper > column->lower;
        column->force = at_upper ? column->upper : column->force;
        column->state = at_upper                          ? DENT_CONSTRAINT_UPPER
                        : column->force > column->lower   ? DENT_CONSTRAINT_ACTIVE
                                                          : DENT_CONSTRAINT_INACTIVE;
    }
    island_sum(space->work);
}

/* The equations of the active columns once more, with A itself: pivots leave rounding behind. A result outside the
 * bounds is not taken. */
static void polish(struct contact_space *space)
{
    struct island_work *work = space->work;
    struct constraint_column *columns = work->columns;
    struct constraint_factor factor;
    uint32_t count = work->island->column_count;
    uint32_t height = work->island->coordinate_count + work->island->soft_count;
    double *step = space->memory + factor_doubles(count, height, false), *relation = step + count;
    factor_begin(&factor, space->memory, space->basis, count, height, false);
    for (uint32_t i = 0; i < count; i++) {
        if (columns[i].state == DENT_CONSTRAINT_ACTIVE && !columns[i].is_tangent) {
            factor_insert(&factor, work, i, relation);
        }
    }
    for (int turn = 0; turn < 2; turn++) {
        bool within = true;
        for (uint32_t i = 0; i < factor.count; i++) {
            const struct constraint_column *column = &columns[factor.order[i]];
            step[i] = column->target - column_dot(work, column, work->y);
        }
        factor_solve(&factor, step);
        for (uint32_t i = 0; i < factor.count; i++) {
            const struct constraint_column *column = &columns[factor.order[i]];
            double next = column->force + step[i];
            within = within && next >= column->lower && next <= column->upper;
        }
        for (uint32_t i = 0; i < factor.count && within; i++) {
            columns[factor.order[i]].force += step[i];
        }
        island_sum(work);
    }
    work->least_diagonal = factor.least_diagonal < work->least_diagonal ? factor.least_diagonal : work->least_diagonal;
}

static dent_status solve_once(struct island_work *work, uint32_t directions, dent_constraint_outcome *outcome)
{
    struct contact_space space = {0};
    dent_status status = begin_space(&space, work, directions);
    if (status != DENT_OK) {
        return status;
    }
    add_variables(&space, directions);
    fill_matrix(&space);
    *outcome = DENT_CONSTRAINTS_LIMIT;
    for (uint32_t attempt = 0; attempt < ATTEMPTS && *outcome == DENT_CONSTRAINTS_LIMIT; attempt++) {
        *outcome = lemke_solve(space.matrix, space.q, space.count, space.memory, space.basis, work->iteration_limit,
                               attempt, space.z, &work->iterations);
    }
    read_forces(&space);
    if (directions == 0) {
        polish(&space);
    }
    return DENT_OK;
}

static dent_status solve_or_soften(struct island_work *work, uint32_t directions)
{
    dent_status status = solve_once(work, directions, &work->island->outcome);
    if (status == DENT_OK && work->island->outcome == DENT_CONSTRAINTS_INFEASIBLE) {
        dent_constraint_outcome ignored;
        island_soften(work, SOFTNESS);
        status = solve_once(work, directions, &ignored);
    }
    return status;
}

dent_status contact_space_solve(struct island_work *work)
{
    return solve_or_soften(work, 0);
}

dent_status friction_pyramid_solve(struct island_work *work, uint32_t directions)
{
    return solve_or_soften(work, directions);
}
