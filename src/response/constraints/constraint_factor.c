/* QR factors of the active columns, G = Q R, with R by columns: a new column costs one substitution, a removed one a
 * chain of Givens rotations.
 *
 * Few coordinates: Q is kept, and columns are made orthogonal to it twice (Daniel, Gragg, Kaufman and Stewart 1976).
 * That is accurate for any condition. Many coordinates: Q is not kept, and R comes from inner products of sparse columns
 * (seminormal equations). A column that nearly depends on the others is corrected once by its residual. */
#include <math.h>

#include "response/constraints/constraint_system.h"

#define DEPENDENT 1e-10 /* a unit column less its part in the span: shorter ones are redundant */
#define SEMINORMAL 1e-4 /* squared length above which inner products alone are good enough */

size_t factor_doubles(uint32_t capacity, uint32_t height, bool explicit_basis)
{
    size_t wide = capacity, tall = height;
    return wide * wide + (explicit_basis ? tall * wide : 0) + 2 * wide + 4 * wide + 2 * tall;
}

void factor_begin(struct constraint_factor *factor, double *memory, uint32_t *order, uint32_t capacity, uint32_t height,
                  bool explicit_basis)
{
    size_t wide = capacity, tall = height;
    *factor = (struct constraint_factor){.capacity = capacity, .height = height, .order = order,
                                         .explicit_basis = explicit_basis, .least_diagonal = 1};
    factor->upper = memory;
    factor->basis = memory + wide * wide;
    factor->rotations = factor->basis + (explicit_basis ? tall * wide : 0);
    factor->work = factor->rotations + 2 * wide;
}

/* Four sums, added in a fixed order: the machine can work on them side by side. */
static double dot(const double *a, const double *b, uint32_t count)
{
    double sums[4] = {0, 0, 0, 0};
    uint32_t i = 0;
    for (; i + 4 <= count; i += 4) {
        for (uint32_t k = 0; k < 4; k++) {
            sums[k] += a[i + k] * b[i + k];
        }
    }
    for (; i < count; i++) {
        sums[0] += a[i] * b[i];
    }
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

static void add_scaled(double *vector, double factor, const double *other, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        vector[i] += factor * other[i];
    }
}

static double *upper_column(const struct constraint_factor *factor, uint32_t j)
{
    return factor->upper + (size_t)j * factor->capacity;
}

/* R' w = v, in place. */
static void solve_transposed(const struct constraint_factor *factor, double *v)
{
    for (uint32_t j = 0; j < factor->count; j++) {
        const double *column = upper_column(factor, j);
        v[j] = (v[j] - dot(column, v, j)) / column[j];
    }
}

/* R x = w, in place. */
static void solve_upper(const struct constraint_factor *factor, double *w)
{
    for (uint32_t j = factor->count; j-- > 0;) {
        const double *column = upper_column(factor, j);
        w[j] /= column[j];
        add_scaled(w, -w[j], column, j);
    }
}

void factor_solve(const struct constraint_factor *factor, double *right)
{
    solve_transposed(factor, right);
    solve_upper(factor, right);
}

void factor_meet(const struct constraint_factor *factor, double *right, double *y)
{
    uint32_t height = factor->height;
    solve_transposed(factor, right);
    for (int turn = 0; turn < 2; turn++) { /* the part in the span is replaced; twice, for its rounding */
        for (uint32_t j = 0; j < factor->count; j++) {
            const double *basis = factor->basis + (size_t)j * height;
            add_scaled(y, right[j] - dot(basis, y, height), basis, height);
        }
    }
}

static bool accept_column(struct constraint_factor *factor, uint32_t column, double diagonal)
{
    if (!(diagonal > DEPENDENT) || factor->count == factor->capacity) {
        return false;
    }
    upper_column(factor, factor->count)[factor->count] = diagonal;
    factor->order[factor->count++] = column;
    factor->least_diagonal = diagonal < factor->least_diagonal ? diagonal : factor->least_diagonal;
    return true;
}

static bool insert_explicit(struct constraint_factor *factor, const struct island_work *work, uint32_t column,
                            double *x)
{
    uint32_t count = factor->count, height = factor->height;
    bool room = count < factor->capacity;
    double *residual = room ? factor->basis + (size_t)count * height : factor->work + 4 * (size_t)factor->capacity;
    double *w = room ? upper_column(factor, count) : factor->work;
    memset(residual, 0, height * sizeof *residual);
    column_add(work, &work->columns[column], 1, residual);
    memset(w, 0, count * sizeof *w);
    for (int turn = 0; turn < 2; turn++) {
        for (uint32_t j = 0; j < count; j++) {
            const double *basis = factor->basis + (size_t)j * height;
            double part = dot(basis, residual, height);
            w[j] += part;
            add_scaled(residual, -part, basis, height);
        }
    }
    double diagonal = sqrt(dot(residual, residual, height));
    if (accept_column(factor, column, diagonal)) {
        for (uint32_t i = 0; i < height; i++) {
            residual[i] /= diagonal;
        }
        return true;
    }
    memcpy(x, w, count * sizeof *x);
    solve_upper(factor, x);
    return false;
}

/* out_p = g_p . vector for the active columns. */
static void against_active(const struct constraint_factor *factor, const struct island_work *work, const double *vector,
                           double *out)
{
    for (uint32_t j = 0; j < factor->count; j++) {
        out[j] = column_dot(work, &work->columns[factor->order[j]], vector);
    }
}

/* g - sum of x_p g_p; returns its length. */
static double residual_of(const struct constraint_factor *factor, const struct island_work *work, uint32_t column,
                          const double *x, double *residual)
{
    memset(residual, 0, factor->height * sizeof *residual);
    column_add(work, &work->columns[column], 1, residual);
    for (uint32_t j = 0; j < factor->count; j++) {
        column_add(work, &work->columns[factor->order[j]], -x[j], residual);
    }
    return sqrt(dot(residual, residual, factor->height));
}

static bool insert_seminormal(struct constraint_factor *factor, const struct island_work *work, uint32_t column,
                              double *x)
{
    uint32_t count = factor->count, wide = factor->capacity;
    double *w = count < wide ? upper_column(factor, count) : factor->work;
    double *change = factor->work + wide, *residual = factor->work + 4 * (size_t)wide;
    memset(residual, 0, factor->height * sizeof *residual);
    column_add(work, &work->columns[column], 1, residual);
    double square = column_dot(work, &work->columns[column], residual);
    against_active(factor, work, residual, w);
    solve_transposed(factor, w);
    double rest = square - dot(w, w, count);
    if (rest > SEMINORMAL * square && accept_column(factor, column, sqrt(rest))) {
        return true;
    }
    memcpy(x, w, count * sizeof *x);
    solve_upper(factor, x);
    residual_of(factor, work, column, x, residual);
    against_active(factor, work, residual, change);
    solve_transposed(factor, change);
    add_scaled(w, 1, change, count);
    solve_upper(factor, change);
    add_scaled(x, 1, change, count);
    return accept_column(factor, column, residual_of(factor, work, column, x, residual));
}

bool factor_insert(struct constraint_factor *factor, const struct island_work *work, uint32_t column, double *x)
{
    return factor->explicit_basis ? insert_explicit(factor, work, column, x)
                                  : insert_seminormal(factor, work, column, x);
}

/* Makes entries below the diagonal, one per column from `position` on, vanish. */
static void rotate_column(double *column, const double *rotations, uint32_t position, uint32_t end)
{
    for (uint32_t i = position; i < end; i++) {
        double cosine = rotations[2 * i], sine = rotations[2 * i + 1], above = column[i], below = column[i + 1];
        column[i] = cosine * above + sine * below;
        column[i + 1] = cosine * below - sine * above;
    }
}

static void rotate_basis(struct constraint_factor *factor, uint32_t i, double cosine, double sine)
{
    double *first = factor->basis + (size_t)i * factor->height, *second = first + factor->height;
    for (uint32_t k = 0; k < factor->height; k++) {
        double a = first[k], b = second[k];
        first[k] = cosine * a + sine * b;
        second[k] = cosine * b - sine * a;
    }
}

void factor_remove(struct constraint_factor *factor, uint32_t position)
{
    uint32_t last = factor->count - 1;
    for (uint32_t j = position; j < last; j++) {
        double *column = upper_column(factor, j);
        memcpy(column, upper_column(factor, j + 1), (j + 2) * sizeof *column);
        factor->order[j] = factor->order[j + 1];
        rotate_column(column, factor->rotations, position, j);
        double length = sqrt(column[j] * column[j] + column[j + 1] * column[j + 1]);
        double cosine = column[j] / length, sine = column[j + 1] / length;
        factor->rotations[2 * j] = cosine;
        factor->rotations[2 * j + 1] = sine;
        column[j] = length;
        if (factor->explicit_basis) {
            rotate_basis(factor, j, cosine, sine);
        }
    }
    factor->count = last;
}
