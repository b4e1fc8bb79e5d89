/* Block Cholesky with the order of least degree (Tinney and Walker 1967), rows as sets of bits: for the some thousand
 * rows that a complete factor can have that is as quick as cleverer forms, and short. Larger systems, and those whose
 * factor would cost more than MOST_UPDATES products of blocks, get the factor without fill (Meijerink and van der Vorst
 * 1977), where a pivot that is not positive is replaced by the diagonal it came from. */
#include "block_matrix.h"

#include <math.h>
#include <string.h>

enum { MOST_ORDERED = 4096, MOST_UPDATES = 1500000, MOST_ITERATIONS = 300 };

/* Iterations with an old factor before a new one is made: in large systems each costs as much as many rows of it. */
enum { PATIENCE = 8, LARGE_PATIENCE = 4, FEW_ROWS = 40 };

/* ---- room -------------------------------------------------------------------------------------------------------- */

void block_room_clear(struct block_room *room)
{
    room->number_count = room->value_count = 0;
}

void block_room_release(dent_context *context, struct block_room *room)
{
    dent_release(context, room->numbers, (size_t)room->number_capacity, sizeof *room->numbers);
    dent_release(context, room->values, (size_t)room->value_capacity, sizeof *room->values);
    dent_release(context, room->bits, (size_t)room->bit_capacity, sizeof *room->bits);
}

static dent_status take_numbers(dent_context *context, struct block_room *room, uint64_t count, uint64_t *begin)
{
    *begin = room->number_count;
    room->number_count += count;
    return sim_reserve(context, (void **)&room->numbers, &room->number_capacity, room->number_count,
                       sizeof *room->numbers);
}

static dent_status take_values(dent_context *context, struct block_room *room, uint64_t count, uint64_t *begin)
{
    *begin = room->value_count;
    room->value_count += count;
    return sim_reserve(context, (void **)&room->values, &room->value_capacity, room->value_count, sizeof *room->values);
}

/* ---- order of elimination ---------------------------------------------------------------------------------------- */

static uint32_t bits_of(uint64_t word)
{
    word -= word >> 1 & UINT64_C(0x5555555555555555);
    word = (word & UINT64_C(0x3333333333333333)) + (word >> 2 & UINT64_C(0x3333333333333333));
    word = (word + (word >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (uint32_t)(word * UINT64_C(0x0101010101010101) >> 56);
}

static uint32_t degree_of(const uint64_t *row, uint64_t words)
{
    uint32_t degree = 0;
    for (uint64_t w = 0; w < words; w++) {
        degree += bits_of(row[w]);
    }
    return degree;
}

static bool has_bit(const uint64_t *row, uint32_t bit)
{
    return (row[bit / 64] >> bit % 64 & 1) != 0;
}

/* The row of least degree among those not yet placed; the first of equal ones. */
static uint32_t least_degree(const uint32_t *degrees, const uint32_t *place, uint32_t count)
{
    uint32_t best = SIM_NONE;
    for (uint32_t i = 0; i < count; i++) {
        if (place[i] == SIM_NONE && (best == SIM_NONE || degrees[i] < degrees[best])) {
            best = i;
        }
    }
    return best;
}

/* Row `chosen` is eliminated: its neighbours become neighbours of one another. Rows of bits hold what is left. */
static void eliminate(uint64_t *bits, uint64_t words, uint32_t *degrees, uint32_t count, uint32_t chosen)
{
    uint64_t *own = bits + words * chosen;
    for (uint32_t i = 0; i < count; i++) {
        if (!has_bit(own, i)) {
            continue;
        }
        uint64_t *row = bits + words * i;
        for (uint64_t w = 0; w < words; w++) {
            row[w] |= own[w];
        }
        row[i / 64] &= ~(UINT64_C(1) << i % 64);
        row[chosen / 64] &= ~(UINT64_C(1) << chosen % 64);
        degrees[i] = degree_of(row, words);
    }
}

/* Places rows by least degree; the rows of bits of each then name the rows of its column in the factor. Returns the
 * products of blocks that the factor costs. */
static uint64_t order_rows(const struct block_matrix *matrix, uint64_t *bits, uint64_t words, uint32_t *place,
                           uint32_t *degrees)
{
    uint32_t count = matrix->count;
    uint64_t updates = 0;
    memset(bits, 0, (size_t)(words * count) * sizeof *bits);
    for (uint32_t p = 0; p < matrix->pair_count; p++) {
        uint32_t low = matrix->pairs[p].low, high = matrix->pairs[p].high;
        bits[words * low + high / 64] |= UINT64_C(1) << high % 64;
        bits[words * high + low / 64] |= UINT64_C(1) << low % 64;
    }
    for (uint32_t i = 0; i < count; i++) {
        place[i] = SIM_NONE;
        degrees[i] = degree_of(bits + words * i, words);
    }
    for (uint32_t at = 0; at < count && updates <= MOST_UPDATES; at++) {
        uint32_t chosen = least_degree(degrees, place, count);
        updates += (uint64_t)degrees[chosen] * (degrees[chosen] + 1) / 2;
        place[chosen] = at;
        eliminate(bits, words, degrees, count, chosen);
    }
    return updates;
}

static void sort_numbers(uint32_t *numbers, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        uint32_t number = numbers[i], k = i;
        for (; k > 0 && numbers[k - 1] > number; k--) {
            numbers[k] = numbers[k - 1];
        }
        numbers[k] = number;
    }
}

/* ---- columns of the factor --------------------------------------------------------------------------------------- */

/* By the rows of bits that order_rows left. */
static dent_status complete_columns(dent_context *context, struct block_room *room, struct block_matrix *matrix,
                                    uint64_t words)
{
    uint32_t count = matrix->count;
    uint64_t inverse;
    dent_status status = take_numbers(context, room, count, &inverse);
    for (uint32_t i = 0; i < count && status == DENT_OK; i++) {
        room->numbers[inverse + room->numbers[matrix->place + i]] = i;
    }
    matrix->rows = room->number_count;
    for (uint32_t at = 0; at < count && status == DENT_OK; at++) {
        const uint64_t *row = room->bits + words * room->numbers[inverse + at];
        uint64_t begin;
        uint32_t length = degree_of(row, words), used = 0;
        room->numbers[matrix->starts + at] = (uint32_t)(room->number_count - matrix->rows);
        status = take_numbers(context, room, length, &begin);
        for (uint32_t i = 0; i < count && status == DENT_OK && used < length; i++) {
            if (has_bit(row, i)) {
                room->numbers[begin + used++] = room->numbers[matrix->place + i];
            }
        }
        sort_numbers(room->numbers + begin, used);
    }
    return status;
}

/* Those of the matrix itself, in its own order: pairs ascend by low, then high. */
static dent_status own_columns(dent_context *context, struct block_room *room, struct block_matrix *matrix)
{
    dent_status status = take_numbers(context, room, matrix->pair_count, &matrix->rows);
    uint32_t p = 0;
    for (uint32_t i = 0; i < matrix->count && status == DENT_OK; i++) {
        room->numbers[matrix->place + i] = i;
        room->numbers[matrix->starts + i] = p;
        for (; p < matrix->pair_count && matrix->pairs[p].low == i; p++) {
            room->numbers[matrix->rows + p] = matrix->pairs[p].high;
        }
    }
    return status;
}

static dent_status choose_columns(dent_context *context, struct block_room *room, struct block_matrix *matrix)
{
    uint32_t count = matrix->count;
    uint64_t words = (count + 63) / 64;
    dent_status status = DENT_OK;
    matrix->complete = count <= MOST_ORDERED;
    if (matrix->complete) {
        status = sim_reserve(context, (void **)&room->bits, &room->bit_capacity, words * count, sizeof *room->bits);
        if (status != DENT_OK) {
            return status;
        }
        matrix->complete = order_rows(matrix, room->bits, words, room->numbers + matrix->place,
                                      room->numbers + matrix->starts) <= MOST_UPDATES;
    }
    return matrix->complete ? complete_columns(context, room, matrix, words) : own_columns(context, room, matrix);
}

dent_status block_matrix_plan(dent_context *context, struct block_room *room, const struct block_pair *pairs,
                              uint32_t pair_count, uint32_t count, struct block_matrix *matrix)
{
    *matrix = (struct block_matrix){.count = count, .pair_count = pair_count, .pairs = pairs};
    dent_status status = take_numbers(context, room, count, &matrix->place);
    status = status == DENT_OK ? take_numbers(context, room, (uint64_t)count + 1, &matrix->starts) : status;
    status = status == DENT_OK ? choose_columns(context, room, matrix) : status;
    if (status != DENT_OK) {
        return status;
    }
    matrix->fill = room->number_count - matrix->rows;
    room->numbers[matrix->starts + count] = (uint32_t)matrix->fill;
    status = take_values(context, room, (uint64_t)BLOCK_SIZE * count, &matrix->diagonal);
    status = status == DENT_OK ? take_values(context, room, (uint64_t)BLOCK_SIZE * pair_count, &matrix->off) : status;
    status = status == DENT_OK ? take_values(context, room, BLOCK_SIZE * matrix->fill, &matrix->lower) : status;
    status = status == DENT_OK ? take_values(context, room, (uint64_t)BLOCK_SIZE * count, &matrix->l_diagonal) : status;
    return status == DENT_OK ? take_values(context, room, (uint64_t)4 * BLOCK_ROWS * count, &matrix->work) : status;
}

/* ---- factorisation ----------------------------------------------------------------------------------------------- */

/* The lower triangle L of a symmetric block, in place; zeros above. */
static void factor_block(double *block)
{
    for (int j = 0; j < BLOCK_ROWS; j++) {
        double original = block[7 * j], pivot = original;
        for (int k = 0; k < j; k++) {
            pivot -= block[6 * j + k] * block[6 * j + k];
        }
        pivot = sqrt(pivot > 1e-14 * fabs(original) ? pivot : fabs(original) > 0 ? fabs(original) : 1);
        block[7 * j] = pivot;
        for (int i = j + 1; i < BLOCK_ROWS; i++) {
            double sum = block[6 * i + j];
            for (int k = 0; k < j; k++) {
                sum -= block[6 * i + k] * block[6 * j + k];
            }
            block[6 * i + j] = sum / pivot;
            block[6 * j + i] = 0;
        }
    }
}

/* X of X L^T = B, in place. */
static void divide_block(double *b, const double *l)
{
    for (int row = 0; row < BLOCK_ROWS; row++) {
        for (int j = 0; j < BLOCK_ROWS; j++) {
            double sum = b[6 * row + j];
            for (int k = 0; k < j; k++) {
                sum -= b[6 * row + k] * l[6 * j + k];
            }
            b[6 * row + j] = sum / l[7 * j];
        }
    }
}

static void transpose_block(const double *from, double *to)
{
    for (int i = 0; i < BLOCK_ROWS; i++) {
        for (int j = 0; j < BLOCK_ROWS; j++) {
            to[6 * j + i] = from[6 * i + j];
        }
    }
}

/* c -= x y, y given as it is multiplied. */
static void subtract_product(double *c, const double *x, const double *y)
{
    for (int i = 0; i < BLOCK_ROWS; i++) {
        for (int k = 0; k < BLOCK_ROWS; k++) {
            double factor = x[6 * i + k];
            for (int j = 0; j < BLOCK_ROWS; j++) {
                c[6 * i + j] -= factor * y[6 * k + j];
            }
        }
    }
}

struct factor_parts {
    const uint32_t *place, *starts, *rows;
    double *lower, *diagonal;
};

static struct factor_parts parts_of(const struct block_room *room, const struct block_matrix *matrix)
{
    return (struct factor_parts){room->numbers + matrix->place, room->numbers + matrix->starts,
                                 room->numbers + matrix->rows, room->values + matrix->lower,
                                 room->values + matrix->l_diagonal};
}

/* The block of a row in a column of the factor; null where it has none. */
static double *find_block(const struct factor_parts *parts, uint32_t column, uint32_t row)
{
    uint32_t low = parts->starts[column], high = parts->starts[column + 1];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (parts->rows[middle] < row) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    bool found = low < parts->starts[column + 1] && parts->rows[low] == row;
    return found ? parts->lower + (size_t)BLOCK_SIZE * low : NULL;
}

static void copy_into_factor(const struct block_room *room, const struct block_matrix *matrix,
                             const struct factor_parts *parts)
{
    memset(parts->lower, 0, (size_t)(BLOCK_SIZE * matrix->fill) * sizeof(double));
    for (uint32_t i = 0; i < matrix->count; i++) {
        memcpy(parts->diagonal + (size_t)BLOCK_SIZE * parts->place[i], block_diagonal(room, matrix, i),
               BLOCK_SIZE * sizeof(double));
    }
    for (uint32_t p = 0; p < matrix->pair_count; p++) {
        uint32_t low = parts->place[matrix->pairs[p].low], high = parts->place[matrix->pairs[p].high];
        const double *block = block_off(room, matrix, p);
        if (low < high) { /* the factor wants row high, column low: the transposed one */
            transpose_block(block, find_block(parts, low, high));
        } else {
            memcpy(find_block(parts, high, low), block, BLOCK_SIZE * sizeof(double));
        }
    }
}

/* What column j takes from the columns of its rows. */
static void update_columns(const struct factor_parts *parts, uint32_t j)
{
    for (uint32_t k = parts->starts[j]; k < parts->starts[j + 1]; k++) {
        uint32_t column = parts->rows[k], at = parts->starts[column];
        double turned[BLOCK_SIZE];
        transpose_block(parts->lower + (size_t)BLOCK_SIZE * k, turned);
        subtract_product(parts->diagonal + (size_t)BLOCK_SIZE * column, parts->lower + (size_t)BLOCK_SIZE * k, turned);
        for (uint32_t i = k + 1; i < parts->starts[j + 1]; i++) {
            while (at < parts->starts[column + 1] && parts->rows[at] < parts->rows[i]) {
                at++;
            }
            if (at < parts->starts[column + 1] && parts->rows[at] == parts->rows[i]) {
                subtract_product(parts->lower + (size_t)BLOCK_SIZE * at, parts->lower + (size_t)BLOCK_SIZE * i, turned);
            }
        }
    }
}

static void factor(const struct block_room *room, struct block_matrix *matrix)
{
    struct factor_parts parts = parts_of(room, matrix);
    copy_into_factor(room, matrix, &parts);
    for (uint32_t j = 0; j < matrix->count; j++) {
        factor_block(parts.diagonal + (size_t)BLOCK_SIZE * j);
        for (uint32_t k = parts.starts[j]; k < parts.starts[j + 1]; k++) {
            divide_block(parts.lower + (size_t)BLOCK_SIZE * k, parts.diagonal + (size_t)BLOCK_SIZE * j);
        }
        update_columns(&parts, j);
    }
    matrix->factored = true;
}

/* ---- solving ----------------------------------------------------------------------------------------------------- */

/* y -= B x or y -= B^T x. */
static void subtract_times(const double *block, const double *x, double *y)
{
    for (int i = 0; i < BLOCK_ROWS; i++) {
        double sum = 0;
        for (int j = 0; j < BLOCK_ROWS; j++) {
            sum += block[6 * i + j] * x[j];
        }
        y[i] -= sum;
    }
}

static void subtract_transposed(const double *block, const double *x, double *y)
{
    for (int i = 0; i < BLOCK_ROWS; i++) {
        for (int j = 0; j < BLOCK_ROWS; j++) {
            y[j] -= block[6 * i + j] * x[i];
        }
    }
}

/* z = (L L^T)^-1 r; `turned` holds it in the order of elimination meanwhile. */
static void precondition(const struct block_room *room, const struct block_matrix *matrix, const double *r, double *z,
                         double *turned)
{
    struct factor_parts parts = parts_of(room, matrix);
    for (uint32_t i = 0; i < matrix->count; i++) {
        memcpy(turned + (size_t)6 * parts.place[i], r + (size_t)6 * i, 6 * sizeof *r);
    }
    for (uint32_t j = 0; j < matrix->count; j++) {
        const double *l = parts.diagonal + (size_t)BLOCK_SIZE * j;
        double *y = turned + (size_t)6 * j;
        for (int i = 0; i < BLOCK_ROWS; i++) {
            for (int k = 0; k < i; k++) {
                y[i] -= l[6 * i + k] * y[k];
            }
            y[i] /= l[7 * i];
        }
        for (uint32_t k = parts.starts[j]; k < parts.starts[j + 1]; k++) {
            subtract_times(parts.lower + (size_t)BLOCK_SIZE * k, y, turned + (size_t)6 * parts.rows[k]);
        }
    }
    for (uint32_t j = matrix->count; j-- > 0;) {
        const double *l = parts.diagonal + (size_t)BLOCK_SIZE * j;
        double *y = turned + (size_t)6 * j;
        for (uint32_t k = parts.starts[j]; k < parts.starts[j + 1]; k++) {
            subtract_transposed(parts.lower + (size_t)BLOCK_SIZE * k, turned + (size_t)6 * parts.rows[k], y);
        }
        for (int i = BLOCK_ROWS - 1; i >= 0; i--) {
            for (int k = i + 1; k < BLOCK_ROWS; k++) {
                y[i] -= l[6 * k + i] * y[k];
            }
            y[i] /= l[7 * i];
        }
    }
    for (uint32_t i = 0; i < matrix->count; i++) {
        memcpy(z + (size_t)6 * i, turned + (size_t)6 * parts.place[i], 6 * sizeof *z);
    }
}

/* r -= A x. */
static void subtract_matrix(const struct block_room *room, const struct block_matrix *matrix, const double *x,
                            double *r)
{
    for (uint32_t i = 0; i < matrix->count; i++) {
        subtract_times(block_diagonal(room, matrix, i), x + (size_t)6 * i, r + (size_t)6 * i);
    }
    for (uint32_t p = 0; p < matrix->pair_count; p++) {
        size_t low = (size_t)6 * matrix->pairs[p].low, high = (size_t)6 * matrix->pairs[p].high;
        subtract_times(block_off(room, matrix, p), x + high, r + low);
        subtract_transposed(block_off(room, matrix, p), x + low, r + high);
    }
}

static double dot(const double *a, const double *b, size_t count)
{
    double sum = 0;
    for (size_t n = 0; n < count; n++) {
        sum += a[n] * b[n];
    }
    return sum;
}

/* Conjugate gradients from x = 0; at most `most` iterations. Returns how many; converged: fewer than `most`. */
static uint32_t iterate(const struct block_room *room, const struct block_matrix *matrix, const double *b, double *x,
                        uint32_t most)
{
    size_t count = (size_t)6 * matrix->count;
    double *r = room->values + matrix->work, *z = r + count, *p = z + count, *turned = p + count;
    memset(x, 0, count * sizeof *x);
    memcpy(r, b, count * sizeof *r);
    precondition(room, matrix, r, z, turned);
    memcpy(p, z, count * sizeof *p);
    double rz = dot(r, z, count), first = rz;
    for (uint32_t n = 0; n < most; n++) {
        if (!(rz > 1e-16 * first) || !isfinite(rz)) {
            return n;
        }
        memset(turned, 0, count * sizeof *turned);
        subtract_matrix(room, matrix, p, turned); /* -A p */
        double curvature = -dot(p, turned, count);
        if (!(curvature > 0)) {
            return n;
        }
        double step = rz / curvature;
        for (size_t k = 0; k < count; k++) {
            x[k] += step * p[k];
            r[k] += step * turned[k];
        }
        precondition(room, matrix, r, z, turned);
        double next = dot(r, z, count), share = next / rz;
        for (size_t k = 0; k < count; k++) {
            p[k] = z[k] + share * p[k];
        }
        rz = next;
    }
    return most;
}

void block_matrix_clear(const struct block_room *room, const struct block_matrix *matrix)
{
    memset(room->values + matrix->diagonal, 0, (size_t)BLOCK_SIZE * matrix->count * sizeof(double));
    memset(room->values + matrix->off, 0, (size_t)BLOCK_SIZE * matrix->pair_count * sizeof(double));
}

uint32_t block_matrix_solve(const struct block_room *room, struct block_matrix *matrix, const double *b, double *x)
{
    uint32_t spent = 0, patience = matrix->count <= FEW_ROWS ? PATIENCE : LARGE_PATIENCE;
    if (matrix->factored) {
        spent = iterate(room, matrix, b, x, patience);
        if (spent < patience) {
            return spent;
        }
    }
    factor(room, matrix);
    if (matrix->complete && matrix->count > FEW_ROWS) {
        precondition(room, matrix, b, x, room->values + matrix->work);
        return spent;
    }
    return spent + iterate(room, matrix, b, x, MOST_ITERATIONS);
}
