/* Motion space: the nearest point of a polyhedron in the mass metric by an active set (Wilhelmsen 1976; Lawson and
 * Hanson's NNLS; Stark and Parker's BVLS for bounds on both sides).
 *
 *     active = those of the last call;  f = theirs
 *     loop: step towards the solution of the active columns; a multiplier that meets its bound leaves
 *           r = target - g . y of the others;  the most violated one enters;  none: done
 *
 * A column that depends on the active ones cannot enter beside them. It moves along the null direction until one of
 * them meets its bound, and takes its place. If none ever does, no motion satisfies the rows: a proof of infeasibility.
 * Then all rows are made a little compliant, which gives the least squares of the violations. */
#include <math.h>

#include "response/constraints/constraint_system.h"

#define NONE UINT32_MAX
#define SOFTNESS 1e-8 /* of infeasible islands, relative to the mobility of a row */

enum { EXPLICIT_HEIGHT = 48 }; /* coordinates up to which the orthogonal factor is kept */

struct active_set {
    struct island_work *work;
    struct constraint_factor factor;
    double *residual; /* per column: target - g . y */
    double *step;     /* per active column */
    double *relation; /* how a dependent column depends */
    uint32_t *position; /* in the factor; NONE: not active */
    uint32_t *barred;   /* 1: entered and left at once; not again before something has moved */
    double size;      /* |y| */
    double push;      /* sum of |f| */
    bool ray;
};

static dent_status begin_set(struct active_set *set, struct island_work *work)
{
    uint32_t count = work->island->column_count;
    uint32_t height = work->island->coordinate_count + work->island->soft_count;
    uint32_t capacity = count < height ? count : height;
    bool explicit_basis = height <= EXPLICIT_HEIGHT;
    size_t numbers = factor_doubles(capacity, height, explicit_basis);
    double *memory = system_doubles(work->system, numbers + 3 * (size_t)count);
    uint32_t *indices = system_indices(work->system, 3 * (size_t)count);
    if (!memory || !indices) {
        return dent_fail(work->system->context, DENT_ERROR_OUT_OF_MEMORY, "no memory for %u constraints", count);
    }
    *set = (struct active_set){.work = work, .residual = memory + numbers, .step = memory + numbers + count,
                               .relation = memory + numbers + 2 * (size_t)count, .position = indices + count,
                               .barred = indices + 2 * (size_t)count};
    factor_begin(&set->factor, memory, indices, capacity, height, explicit_basis);
    for (uint32_t i = 0; i < count; i++) {
        set->position[i] = NONE;
        set->barred[i] = 0;
    }
    return DENT_OK;
}

static bool insert(struct active_set *set, uint32_t column)
{
    if (!factor_insert(&set->factor, set->work, column, set->relation)) {
        return false;
    }
    set->position[column] = set->factor.count - 1;
    return true;
}

static void remove_at(struct active_set *set, uint32_t position)
{
    set->position[set->factor.order[position]] = NONE;
    factor_remove(&set->factor, position);
    for (uint32_t i = position; i < set->factor.count; i++) {
        set->position[set->factor.order[i]] = i;
    }
}

/* y of the columns at their bounds, then of the active ones from their targets: multipliers of nearly dependent columns
 * are large, and their sum would lose digits. */
static void sum_from_targets(struct active_set *set)
{
    struct constraint_column *columns = set->work->columns;
    memset(set->work->y, 0, set->factor.height * sizeof *set->work->y);
    for (uint32_t i = 0; i < set->work->island->column_count; i++) {
        if (set->position[i] == NONE && columns[i].force != 0) {
            column_add(set->work, &columns[i], columns[i].force, set->work->y);
        }
    }
    for (uint32_t i = 0; i < set->factor.count; i++) {
        set->step[i] = columns[set->factor.order[i]].target;
    }
    factor_meet(&set->factor, set->step, set->work->y);
}

/* `settled`: the active columns meet their targets. */
static void sum_up(struct active_set *set, bool settled)
{
    const struct island_work *work = set->work;
    uint32_t height = work->island->coordinate_count + work->island->soft_count;
    bool from_targets = settled && set->factor.explicit_basis;
    double square = 0;
    if (from_targets) {
        sum_from_targets(set);
    } else {
        island_sum(work);
    }
    for (uint32_t i = 0; i < height; i++) {
        square += work->y[i] * work->y[i];
    }
    set->size = sqrt(square);
    set->push = 0;
    for (uint32_t i = 0; i < work->island->column_count; i++) {
        set->push += from_targets && set->position[i] != NONE ? 0 : fabs(work->columns[i].force);
    }
}

/* The share of the step that multiplier f may make to the bounds of its column. */
static double allowed_share(const struct constraint_column *column, double step)
{
    double next = column->force + step;
    if (next < column->lower) {
        return step < 0 ? (column->lower - column->force) / step : 0;
    }
    if (next > column->upper) {
        return step > 0 ? (column->upper - column->force) / step : 0;
    }
    return 1;
}

/* One step towards the solution of the active columns. Returns false if one of them left. */
static bool advance(struct active_set *set)
{
    struct constraint_column *columns = set->work->columns;
    struct constraint_factor *factor = &set->factor;
    double share = 1;
    uint32_t blocking = NONE;
    sum_up(set, false);
    for (uint32_t i = 0; i < factor->count; i++) {
        set->step[i] = columns[factor->order[i]].target - column_dot(set->work, &columns[factor->order[i]], set->work->y);
    }
    factor_solve(factor, set->step);
    for (uint32_t i = 0; i < factor->count; i++) {
        double allowed = allowed_share(&columns[factor->order[i]], set->step[i]);
        if (allowed < share) {
            share = allowed;
            blocking = i;
        }
    }
    share = share < 0 ? 0 : share;
    for (uint32_t i = 0; i < factor->count; i++) {
        columns[factor->order[i]].force += share * set->step[i];
    }
    if (blocking != NONE) {
        struct constraint_column *column = &columns[factor->order[blocking]];
        column->force = set->step[blocking] < 0 ? column->lower : column->upper;
        remove_at(set, blocking);
    }
    return blocking == NONE;
}

static void settle(struct active_set *set)
{
    while (set->factor.count > 0 && !advance(set)) {
        set->work->iterations++;
    }
    sum_up(set, true);
}

/* How far the residual pushes a multiplier off its bound; 0: not at all. */
static double violation_at_bound(const struct active_set *set, uint32_t i)
{
    const struct constraint_column *column = &set->work->columns[i];
    double r = column->target - column_dot(set->work, column, set->work->y);
    double rounding = 1e-13 * (fabs(column->target) + set->size) + 8e-16 * set->push;
    set->residual[i] = r;
    if (r > rounding && column->force < column->upper) {
        return r;
    }
    return r < -rounding && column->force > column->lower ? -r : 0;
}

static uint32_t choose(const struct active_set *set, bool smallest_index)
{
    double most = 0;
    uint32_t chosen = NONE;
    for (uint32_t i = 0; i < set->work->island->column_count; i++) {
        if (set->position[i] != NONE || set->barred[i] || set->work->columns[i].is_tangent) {
            continue;
        }
        double w = violation_at_bound(set, i);
        if (w > most) {
            most = w;
            chosen = i;
            if (smallest_index) {
                break;
            }
        }
    }
    return chosen;
}

/* The largest step of a dependent column along the null direction, and the active column that ends it (NONE: its own
 * bound). Infinite: a ray. */
static double null_step(const struct active_set *set, uint32_t column, double sign, uint32_t *blocking)
{
    const struct constraint_column *columns = set->work->columns;
    const struct constraint_column *own = &columns[column];
    double least = sign > 0 ? own->upper - own->force : own->force - own->lower, pivot = 0;
    *blocking = NONE;
    for (uint32_t i = 0; i < set->factor.count; i++) {
        const struct constraint_column *other = &columns[set->factor.order[i]];
        double rate = -sign * set->relation[i];
        if (fabs(rate) <= 1e-9) {
            continue;
        }
        double room = rate < 0 ? (other->force - other->lower) / -rate : (other->upper - other->force) / rate;
        room = room < 0 ? 0 : room;
        if (room < least || (room == least && room < INFINITY && fabs(rate) > pivot)) {
            least = room;
            pivot = fabs(rate);
            *blocking = i;
        }
    }
    return least;
}

/* A violated column that depends on the active ones. */
static void exchange(struct active_set *set, uint32_t column)
{
    struct constraint_column *columns = set->work->columns;
    double r = set->residual[column], sign = r > 0 ? 1 : -1;
    uint32_t blocking;
    set->work->redundant++;
    if (fabs(r) <= 1e-11 * (fabs(columns[column].target) + set->size)) {
        set->barred[column] = 1; /* satisfied to rounding: redundant and consistent */
        return;
    }
    double t = null_step(set, column, sign, &blocking);
    if (t == INFINITY) {
        set->ray = true;
        return;
    }
    columns[column].force += sign * t;
    for (uint32_t i = 0; i < set->factor.count; i++) {
        columns[set->factor.order[i]].force -= sign * t * set->relation[i];
    }
    if (blocking == NONE) {
        columns[column].force = sign > 0 ? columns[column].upper : columns[column].lower;
        return;
    }
    struct constraint_column *left = &columns[set->factor.order[blocking]];
    left->force = -sign * set->relation[blocking] < 0 ? left->lower : left->upper;
    remove_at(set, blocking);
    if (!insert(set, column)) {
        set->barred[column] = 1;
    }
}

static void clear_bars(struct active_set *set)
{
    memset(set->barred, 0, set->work->island->column_count * sizeof *set->barred);
}

/* Lets one column enter and settles. */
static void enter(struct active_set *set, uint32_t column)
{
    if (!insert(set, column)) {
        exchange(set, column);
        if (!set->ray) {
            settle(set);
        }
        return;
    }
    settle(set);
    if (set->position[column] == NONE && set->work->columns[column].force == set->work->columns[column].lower) {
        set->barred[column] = 1;
    } else {
        clear_bars(set);
    }
}

static void warm_start(struct active_set *set)
{
    for (uint32_t i = 0; i < set->work->island->column_count; i++) {
        struct constraint_column *column = &set->work->columns[i];
        bool wanted = column->state == DENT_CONSTRAINT_ACTIVE && !column->is_tangent;
        if (wanted && !insert(set, i)) { /* redundant among the others of last time */
            column->force = column->lower > 0 ? column->lower : column->upper < 0 ? column->upper : 0;
        } else if (column->is_tangent) {
            column->force = 0;
        }
    }
    settle(set);
}

static void write_states(struct active_set *set)
{
    for (uint32_t i = 0; i < set->work->island->column_count; i++) {
        struct constraint_column *column = &set->work->columns[i];
        bool at_upper = column->force == column->upper && column->upper > column->lower;
        column->state = set->position[i] != NONE ? DENT_CONSTRAINT_ACTIVE
                        : at_upper               ? DENT_CONSTRAINT_UPPER
                                                 : DENT_CONSTRAINT_INACTIVE;
    }
    if (set->factor.least_diagonal < set->work->least_diagonal) {
        set->work->least_diagonal = set->factor.least_diagonal;
    }
}

static dent_constraint_outcome iterate(struct active_set *set)
{
    struct island_work *work = set->work;
    uint32_t begin = work->iterations, patience = 3 * work->island->column_count;
    int polished = 0;
    warm_start(set);
    while (work->iterations - begin < work->iteration_limit) {
        uint32_t column = choose(set, work->iterations - begin > patience);
        if (column != NONE) {
            work->iterations++;
            polished = 0;
            enter(set, column);
            if (set->ray) {
                return DENT_CONSTRAINTS_INFEASIBLE;
            }
        } else if (polished++ < 2) { /* the same equations again, for the rounding of the first time */
            settle(set);
        } else {
            return DENT_CONSTRAINTS_SOLVED;
        }
    }
    return DENT_CONSTRAINTS_LIMIT;
}

static void forget_forces(struct island_work *work)
{
    for (uint32_t i = 0; i < work->island->column_count; i++) {
        struct constraint_column *column = &work->columns[i];
        column->state = DENT_CONSTRAINT_INACTIVE;
        column->force = column->is_tangent ? 0 : column->lower > 0 ? column->lower : column->upper < 0 ? column->upper : 0;
    }
}

dent_status active_set_solve(struct island_work *work)
{
    struct active_set set;
    dent_status status = begin_set(&set, work);
    if (status != DENT_OK) {
        return status;
    }
    work->island->outcome = iterate(&set);
    if (work->island->outcome == DENT_CONSTRAINTS_INFEASIBLE) {
        forget_forces(work);
        island_soften(work, SOFTNESS);
        status = begin_set(&set, work);
        if (status != DENT_OK) {
            return status;
        }
        iterate(&set);
    }
    write_states(&set);
    return DENT_OK;
}
