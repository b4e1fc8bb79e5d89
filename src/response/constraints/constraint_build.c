/* From the caller's rows to columns: checked, scaled, cut into islands, with the multipliers of the last call where the
 * key is the same. Nothing of the caller's is written here. */
#include <float.h>
#include <math.h>

#include "base/containers/heap_sort.h"
#include "base/containers/union_find.h"
#include "response/constraints/constraint_system.h"

#define NONE UINT32_MAX

enum { ROW_PLAIN = 0, ROW_TANGENT = 1, ROW_IDLE_TANGENT = 2 };

static bool finite_number(double x)
{
    return fabs(x) <= DBL_MAX;
}

/* ---- checks -------------------------------------------------------------------------------------------------------- */

static dent_status check_parts(dent_context *context, const dent_constraint_problem *problem, uint32_t index)
{
    const dent_constraint_row *row = &problem->rows[index];
    if (row->part_count > 0 && !row->parts) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "row %u: parts is null", index);
    }
    for (uint32_t i = 0; i < row->part_count; i++) {
        const dent_constraint_part *part = &row->parts[i];
        if (part->block >= problem->block_count) {
            return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "row %u: no block %u", index, part->block);
        }
        uint32_t size = problem->blocks[part->block].size;
        if (size > 0 && !part->coefficients) {
            return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "row %u: coefficients are null", index);
        }
        for (uint32_t k = 0; k < i; k++) {
            if (row->parts[k].block == part->block) {
                return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "row %u: block %u twice", index, part->block);
            }
        }
        for (uint32_t k = 0; k < size; k++) {
            if (!finite_number(part->coefficients[k])) {
                return dent_fail(context, DENT_ERROR_BAD_NUMBER, "row %u: a coefficient is not finite", index);
            }
        }
    }
    return DENT_OK;
}

static dent_status check_row(dent_context *context, const dent_constraint_problem *problem, uint32_t index)
{
    const dent_constraint_row *row = &problem->rows[index];
    if (!finite_number(row->target) || !finite_number(row->compliance) || !finite_number(row->friction)) {
        return dent_fail(context, DENT_ERROR_BAD_NUMBER, "row %u: a number is not finite", index);
    }
    if (!(row->lower <= row->upper) || row->lower == INFINITY || row->upper == -INFINITY || row->compliance < 0 ||
        row->friction < 0) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "row %u: bounds, compliance or friction out of range",
                         index);
    }
    if ((row->friction > 0 && row->tangents == DENT_CONSTRAINT_NONE) ||
        (row->tangents != DENT_CONSTRAINT_NONE &&
         (problem->row_count < 2 || row->tangents > problem->row_count - 2 || row->tangents == index ||
          row->tangents + 1 == index))) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "row %u: no two tangent rows at %u", index,
                         row->tangents);
    }
    return check_parts(context, problem, index);
}

/* marks[row]: what it is. */
static dent_status mark_rows(dent_constraints *system, const dent_constraint_problem *problem)
{
    uint32_t count = problem->row_count;
    uint32_t *marks = system->marks.data;
    memset(marks, 0, count * sizeof *marks);
    for (uint32_t i = 0; i < count; i++) {
        dent_status status = check_row(system->context, problem, i);
        if (status != DENT_OK) {
            return status;
        }
        uint32_t first = problem->rows[i].tangents;
        for (uint32_t k = 0; k < 2 && first != DENT_CONSTRAINT_NONE; k++) {
            if (marks[first + k] != ROW_PLAIN || problem->rows[first + k].tangents != DENT_CONSTRAINT_NONE) {
                return dent_fail(system->context, DENT_ERROR_INVALID_ARGUMENT,
                                 "row %u: its tangent row %u has another use", i, first + k);
            }
            marks[first + k] = problem->rows[i].friction > 0 ? ROW_TANGENT : ROW_IDLE_TANGENT;
        }
    }
    return DENT_OK;
}

/* ---- columns ------------------------------------------------------------------------------------------------------- */

static double largest_coefficient(const dent_constraint_problem *problem, const dent_constraint_row *row)
{
    double most = 0;
    for (uint32_t i = 0; i < row->part_count; i++) {
        for (uint32_t k = 0; k < problem->blocks[row->parts[i].block].size; k++) {
            double size = fabs(row->parts[i].coefficients[k]);
            most = size > most ? size : most;
        }
    }
    return most;
}

/* J x of a row with 2^exponent taken out. */
static double row_times_motion(const dent_constraints *system, const dent_constraint_row *row, int exponent,
                               const double *motion)
{
    const struct metric_block *blocks = system->blocks.data;
    double sum = 0;
    for (uint32_t i = 0; i < row->part_count && motion; i++) {
        const struct metric_block *block = &blocks[row->parts[i].block];
        for (uint32_t k = 0; k < block->size; k++) {
            sum += ldexp(row->parts[i].coefficients[k], -exponent) * motion[block->first_coordinate + k];
        }
    }
    return sum;
}

/* Unit length; the length it had is returned, 0 if nothing can move. */
static double make_unit(double *values, size_t count)
{
    double most = 0, sum = 0;
    for (size_t i = 0; i < count; i++) {
        most = fabs(values[i]) > most ? fabs(values[i]) : most;
    }
    if (!(most > 0)) {
        return 0;
    }
    int exponent;
    frexp(most, &exponent);
    for (size_t i = 0; i < count; i++) {
        values[i] = ldexp(values[i], -exponent);
        sum += values[i] * values[i];
    }
    sum = sqrt(sum);
    for (size_t i = 0; i < count; i++) {
        values[i] /= sum;
    }
    return ldexp(sum, exponent);
}

/* Parts of a row that can move, in unit length. `scaled` has room for the largest block. */
static void fill_column(dent_constraints *system, const dent_constraint_problem *problem, uint32_t index,
                        struct constraint_column *column, double *scaled)
{
    const dent_constraint_row *row = &problem->rows[index];
    const struct metric_block *blocks = system->blocks.data;
    struct column_part *parts = array_at(&system->parts, column->first_part);
    size_t begin = system->values.count, end = begin;
    double most = largest_coefficient(problem, row);
    if (most > 0) {
        frexp(most, &column->exponent);
    }
    for (uint32_t i = 0; i < row->part_count; i++) {
        const struct metric_block *block = &blocks[row->parts[i].block];
        double *values = (double *)system->values.data + end;
        bool moves = false;
        for (uint32_t k = 0; k < block->size; k++) {
            scaled[k] = ldexp(row->parts[i].coefficients[k], -column->exponent);
        }
        metric_apply_transposed(system, block, scaled, values);
        for (uint32_t k = 0; k < block->size; k++) {
            moves = moves || values[k] != 0;
        }
        if (moves) {
            parts[column->part_count++] =
                (struct column_part){.size = block->size, .values = end, .block = row->parts[i].block};
            end += block->size;
        }
    }
    system->values.count = end + 1; /* one more for compliance */
    column->length = make_unit((double *)system->values.data + begin, end - begin);
    if (column->length > 0) {
        column->target = (ldexp(row->target, -column->exponent) -
                          row_times_motion(system, row, column->exponent, problem->free_motion)) / column->length;
        column->softness = ldexp(row->compliance, -2 * (system->metric_exponent + column->exponent)) /
                           (column->length * column->length);
    }
}

static dent_status reserve_columns(dent_constraints *system, const dent_constraint_problem *problem)
{
    size_t parts = problem->row_count, values = problem->row_count, widest = 0;
    for (uint32_t i = 0; i < problem->row_count; i++) {
        const dent_constraint_row *row = &problem->rows[i];
        parts += row->part_count;
        for (uint32_t k = 0; k < row->part_count; k++) {
            size_t size = problem->blocks[row->parts[k].block].size;
            values += size;
            widest = size > widest ? size : widest;
        }
    }
    values += widest; /* the last product is written before it is known whether it is kept */
    array_clear(&system->drafts);
    array_clear(&system->columns);
    array_clear(&system->parts);
    array_clear(&system->values);
    array_clear(&system->islands);
    bool fits = array_extend(&system->drafts, problem->row_count) && array_reserve_growing(&system->columns, problem->row_count) &&
                array_extend(&system->parts, parts) && array_reserve_growing(&system->values, values) &&
                array_reserve_growing(&system->islands, problem->block_count) && system_doubles(system, widest);
    return fits ? DENT_OK : dent_fail(system->context, DENT_ERROR_OUT_OF_MEMORY, "no memory for %u rows", problem->row_count);
}

static dent_status draft_columns(dent_constraints *system, const dent_constraint_problem *problem)
{
    dent_status status = reserve_columns(system, problem);
    struct constraint_column *drafts = system->drafts.data;
    size_t part = 0;
    for (uint32_t i = 0; i < problem->row_count && status == DENT_OK; i++) {
        const dent_constraint_row *row = &problem->rows[i];
        struct constraint_column *draft = &drafts[i];
        memset(draft, 0, sizeof *draft);
        draft->row = i;
        draft->first_part = part;
        draft->island = draft->tangents[0] = draft->tangents[1] = NONE;
        draft->is_tangent = ((uint32_t *)system->marks.data)[i] != ROW_PLAIN;
        draft->friction = draft->is_tangent ? 0 : row->friction;
        part += row->part_count + 1;
        fill_column(system, problem, i, draft, system->doubles.data);
        if (!finite_number(draft->target) || !finite_number(draft->softness)) {
            status = dent_fail(system->context, DENT_ERROR_BAD_NUMBER, "row %u: target or compliance overflows", i);
        }
    }
    return status;
}

/* ---- islands ------------------------------------------------------------------------------------------------------- */

static void join_parts(dent_constraints *system, const struct constraint_column *column, uint32_t *root)
{
    const struct column_part *parts = array_at(&system->parts, column->first_part);
    for (uint32_t i = 0; i < column->part_count; i++) {
        *root = *root == NONE ? parts[i].block : union_find_join(system->parents.data, *root, parts[i].block);
    }
}

/* A row is left out if it is a tangent without friction or cannot move; a tangent goes where its normal goes. */
static void join_blocks(dent_constraints *system, const dent_constraint_problem *problem)
{
    struct constraint_column *drafts = system->drafts.data;
    const uint32_t *marks = system->marks.data;
    union_find_init(system->parents.data, problem->block_count);
    for (uint32_t i = 0; i < problem->row_count; i++) {
        uint32_t root = NONE, first = problem->rows[i].tangents;
        if (marks[i] != ROW_PLAIN || drafts[i].part_count == 0) {
            continue;
        }
        join_parts(system, &drafts[i], &root);
        for (uint32_t k = 0; k < 2 && drafts[i].friction > 0; k++) {
            join_parts(system, &drafts[first + k], &root);
        }
    }
}

static uint32_t island_of_block(dent_constraints *system, uint32_t block)
{
    struct metric_block *blocks = system->blocks.data;
    uint32_t root = union_find_root(system->parents.data, block);
    if (blocks[root].island == NONE) {
        blocks[root].island = (uint32_t)system->islands.count;
        memset(array_extend(&system->islands, 1), 0, sizeof(struct constraint_island));
    }
    return blocks[root].island;
}

static void number_islands(dent_constraints *system, const dent_constraint_problem *problem)
{
    struct constraint_column *drafts = system->drafts.data;
    const uint32_t *marks = system->marks.data;
    for (uint32_t i = 0; i < problem->row_count; i++) {
        if (marks[i] == ROW_PLAIN && drafts[i].part_count > 0) {
            const struct column_part *part = array_at(&system->parts, drafts[i].first_part);
            drafts[i].island = island_of_block(system, part->block);
            for (uint32_t k = 0; k < 2 && drafts[i].friction > 0; k++) {
                drafts[problem->rows[i].tangents + k].island = drafts[i].island;
            }
        }
    }
    struct constraint_island *islands = system->islands.data;
    for (uint32_t i = 0; i < problem->row_count; i++) {
        if (drafts[i].island != NONE) {
            islands[drafts[i].island].column_count++;
            islands[drafts[i].island].has_friction |= drafts[i].is_tangent;
        }
    }
    size_t first = 0;
    for (size_t i = 0; i < system->islands.count; i++) {
        islands[i].first_column = first;
        first += islands[i].column_count;
        islands[i].column_count = 0;
    }
    system->columns.count = first;
}

static void number_coordinates(dent_constraints *system)
{
    struct metric_block *blocks = system->blocks.data;
    struct constraint_island *islands = system->islands.data;
    for (size_t i = 0; i < system->blocks.count; i++) {
        uint32_t root = union_find_root(system->parents.data, (uint32_t)i);
        blocks[i].island = blocks[root].island; /* a root is never above its items */
        if (blocks[i].island != NONE) {
            struct constraint_island *island = &islands[blocks[i].island];
            blocks[i].local_coordinate = island->coordinate_count;
            island->coordinate_count += blocks[i].size;
        }
    }
}

static void place_columns(dent_constraints *system, const dent_constraint_problem *problem)
{
    const struct constraint_column *drafts = system->drafts.data;
    struct constraint_column *columns = system->columns.data;
    struct constraint_island *islands = system->islands.data;
    const struct metric_block *blocks = system->blocks.data;
    uint32_t *places = system->marks.data; /* from here on: where the row went in its island */
    for (uint32_t i = 0; i < problem->row_count; i++) {
        places[i] = NONE;
        if (drafts[i].island != NONE) {
            struct constraint_island *island = &islands[drafts[i].island];
            places[i] = island->column_count++;
            columns[island->first_column + places[i]] = drafts[i];
        }
    }
    for (size_t i = 0; i < system->columns.count; i++) {
        struct column_part *parts = array_at(&system->parts, columns[i].first_part);
        for (uint32_t k = 0; k < columns[i].part_count; k++) {
            parts[k].coordinate = blocks[parts[k].block].local_coordinate;
        }
        for (uint32_t k = 0; k < 2 && columns[i].friction > 0; k++) {
            columns[i].tangents[k] = places[problem->rows[columns[i].row].tangents + k];
        }
    }
}

/* ---- scales and warm start ------------------------------------------------------------------------------------------- */

static void scale_island(dent_constraints *system, const dent_constraint_problem *problem,
                         struct constraint_island *island)
{
    struct constraint_column *columns = array_at(&system->columns, island->first_column);
    double most = 0;
    for (uint32_t i = 0; i < island->column_count; i++) {
        most = fabs(columns[i].target) > most ? fabs(columns[i].target) : most;
    }
    if (most > 0) {
        frexp(most, &island->target_exponent);
    }
    for (uint32_t i = 0; i < island->column_count; i++) {
        struct constraint_column *column = &columns[i];
        const dent_constraint_row *row = &problem->rows[column->row];
        int exponent = 2 * system->metric_exponent + column->exponent - island->target_exponent;
        column->target = ldexp(column->target, -island->target_exponent);
        column->lower = column->is_tangent ? -INFINITY : ldexp(row->lower * column->length, exponent);
        column->upper = column->is_tangent ? INFINITY : ldexp(row->upper * column->length, exponent);
        if (column->length == 0) { /* a tangent of something that only moves along the normal */
            column->length = 1;
        }
        if (column->softness > 0) {
            struct column_part *part = array_at(&system->parts, column->first_part + column->part_count);
            const struct column_part *before = part - 1;
            *part = (struct column_part){.coordinate = island->coordinate_count + island->soft_count++, .size = 1,
                                         .values = before->values + before->size, .block = NONE};
            *(double *)array_at(&system->values, part->values) = sqrt(column->softness);
            column->part_count++;
        }
    }
}

struct previous_key {
    uint64_t key;
    uint32_t index;
};

static bool key_before(const void *a, const void *b, const void *data)
{
    const struct previous_key *first = a, *second = b;
    (void)data;
    return first->key < second->key || (first->key == second->key && first->index < second->index);
}

static bool sort_previous(dent_constraints *system, const dent_constraint_problem *problem)
{
    array_clear(&system->lookup);
    struct previous_key *keys = array_extend(&system->lookup, problem->previous_count);
    if (!keys) {
        return false;
    }
    bool sorted = true;
    for (uint32_t i = 0; i < problem->previous_count; i++) {
        keys[i] = (struct previous_key){problem->previous[i].key, i};
        sorted = sorted && (i == 0 || keys[i - 1].key <= keys[i].key);
    }
    if (!sorted) {
        heap_sort(keys, problem->previous_count, sizeof *keys, key_before, NULL);
    }
    return true;
}

static const dent_constraint_force *find_previous(const dent_constraints *system,
                                                  const dent_constraint_problem *problem, uint32_t row)
{
    uint64_t key = problem->rows[row].key;
    if (row < problem->previous_count && problem->previous[row].key == key) {
        return &problem->previous[row]; /* the same rows as last time */
    }
    const struct previous_key *keys = system->lookup.data;
    size_t low = 0, high = system->lookup.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (keys[middle].key < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < system->lookup.count && keys[low].key == key ? &problem->previous[keys[low].index] : NULL;
}

static double clamp(double x, double lower, double upper)
{
    return x < lower ? lower : x > upper ? upper : x;
}

static void warm_island(dent_constraints *system, const dent_constraint_problem *problem,
                        const struct constraint_island *island)
{
    struct constraint_column *columns = array_at(&system->columns, island->first_column);
    for (uint32_t i = 0; i < island->column_count; i++) {
        struct constraint_column *column = &columns[i];
        const dent_constraint_force *old =
            problem->previous_count > 0 ? find_previous(system, problem, column->row) : NULL;
        column->force = clamp(0, column->lower, column->upper);
        column->state = DENT_CONSTRAINT_INACTIVE;
        if (old && old->state == DENT_CONSTRAINT_ACTIVE && finite_number(old->multiplier)) {
            int exponent = 2 * system->metric_exponent + column->exponent - island->target_exponent;
            double force = ldexp(old->multiplier * column->length, exponent);
            column->force = finite_number(force) ? clamp(force, column->lower, column->upper) : column->force;
            column->state = DENT_CONSTRAINT_ACTIVE;
        } else if (old && old->state == DENT_CONSTRAINT_UPPER && column->upper < INFINITY) {
            column->force = column->upper;
        }
    }
}

dent_status system_build(dent_constraints *system, const dent_constraint_problem *problem)
{
    array_clear(&system->marks);
    array_clear(&system->parents);
    if (!array_extend(&system->marks, problem->row_count) || !array_extend(&system->parents, problem->block_count) ||
        !sort_previous(system, problem)) {
        return dent_fail(system->context, DENT_ERROR_OUT_OF_MEMORY, "no memory for %u rows", problem->row_count);
    }
    dent_status status = mark_rows(system, problem);
    if (status == DENT_OK) {
        status = draft_columns(system, problem);
    }
    if (status != DENT_OK) {
        return status;
    }
    join_blocks(system, problem);
    number_islands(system, problem);
    number_coordinates(system);
    place_columns(system, problem);
    for (size_t i = 0; i < system->islands.count; i++) {
        scale_island(system, problem, array_at(&system->islands, i));
        warm_island(system, problem, array_at(&system->islands, i));
    }
    return DENT_OK;
}

/* ---- what the solvers do with columns -------------------------------------------------------------------------------- */

void island_soften(struct island_work *work, double softness)
{
    struct constraint_island *island = work->island;
    for (uint32_t i = 0; i < island->column_count; i++) {
        struct constraint_column *column = &work->columns[i];
        struct column_part *parts = array_at(&work->system->parts, column->first_part);
        if (column->softness == 0 && column->part_count > 0) {
            struct column_part *part = &parts[column->part_count];
            *part = (struct column_part){.coordinate = island->coordinate_count + island->soft_count++, .size = 1,
                                         .values = part[-1].values + part[-1].size, .block = NONE};
            column->part_count++;
        }
        column->softness += softness;
        if (column->part_count > 0) {
            *(double *)array_at(&work->system->values, parts[column->part_count - 1].values) = sqrt(column->softness);
        }
    }
}

double column_multiplier(const struct island_work *work, const struct constraint_column *column, double force)
{
    int exponent = work->island->target_exponent - 2 * work->system->metric_exponent - column->exponent;
    return ldexp(force / column->length, exponent);
}

double column_dot(const struct island_work *work, const struct constraint_column *column, const double *vector)
{
    const struct column_part *parts = array_at(&work->system->parts, column->first_part);
    const double *values = work->system->values.data;
    double sum = 0;
    for (uint32_t i = 0; i < column->part_count; i++) {
        const double *own = values + parts[i].values, *other = vector + parts[i].coordinate;
        for (uint32_t k = 0; k < parts[i].size; k++) {
            sum += own[k] * other[k];
        }
    }
    return sum;
}

void column_add(const struct island_work *work, const struct constraint_column *column, double factor, double *vector)
{
    const struct column_part *parts = array_at(&work->system->parts, column->first_part);
    const double *values = work->system->values.data;
    for (uint32_t i = 0; i < column->part_count; i++) {
        const double *own = values + parts[i].values;
        double *other = vector + parts[i].coordinate;
        for (uint32_t k = 0; k < parts[i].size; k++) {
            other[k] += factor * own[k];
        }
    }
}

void island_sum(const struct island_work *work)
{
    memset(work->y, 0, ((size_t)work->island->coordinate_count + work->island->soft_count) * sizeof *work->y);
    for (uint32_t i = 0; i < work->island->column_count; i++) {
        if (work->columns[i].force != 0) {
            column_add(work, &work->columns[i], work->columns[i].force, work->y);
        }
    }
}
