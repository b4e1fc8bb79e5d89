/* Linear complementarity by Lemke's method: w = M z + q, w >= 0, z >= 0, w'z = 0.
 *
 * An artificial variable with a column of ones makes the start feasible; then the complement of what left enters, until
 * the artificial variable leaves (solved) or nothing can leave (a ray). For copositive matrices, which contact problems
 * have, a ray proves that no solution exists. Ties in the ratio test are broken lexicographically by the rows of the
 * inverse basis, so redundant contacts do not make it cycle.
 *
 * The tableau has 2 n + 2 columns: w (it starts as the identity, so it is the inverse basis), z, artificial, right. */
#include <math.h>

#include "response/constraints/constraint_system.h"

#define PIVOT 1e-11 /* entries of a unit-scaled tableau below it do not count as pivots */

struct tableau {
    double *rows;
    uint32_t size, stride;
    uint32_t *basis; /* variable of each row: w_i is i, z_i is size + i, artificial 2 size */
};

size_t lemke_doubles(uint32_t size)
{
    return (size_t)size * (2 * (size_t)size + 2);
}

/* The column of the artificial variable: ones, or other numbers from 1 to 2 in later attempts. */
static double cover(uint32_t row, uint32_t attempt)
{
    dent_random random = dent_random_seeded(((uint64_t)attempt << 32) + row);
    return attempt == 0 ? 1 : 1 + dent_random_unit(&random);
}

static void fill_tableau(struct tableau *tableau, const double *matrix, const double *q, uint32_t attempt)
{
    uint32_t size = tableau->size;
    for (uint32_t i = 0; i < size; i++) {
        double *row = tableau->rows + (size_t)i * tableau->stride;
        for (uint32_t j = 0; j < size; j++) {
            row[j] = i == j;
            row[size + j] = -matrix[(size_t)i * size + j];
        }
        row[2 * size] = -cover(i, attempt);
        row[2 * size + 1] = q[i];
        tableau->basis[i] = i;
    }
}

static void pivot_on(struct tableau *tableau, uint32_t leaving, uint32_t entering)
{
    uint32_t stride = tableau->stride;
    double *pivot_row = tableau->rows + (size_t)leaving * stride;
    double pivot = pivot_row[entering];
    for (uint32_t j = 0; j < stride; j++) {
        pivot_row[j] /= pivot;
    }
    pivot_row[entering] = 1;
    for (uint32_t i = 0; i < tableau->size; i++) {
        double *row = tableau->rows + (size_t)i * stride, factor = row[entering];
        if (i == leaving || factor == 0) {
            continue;
        }
        for (uint32_t j = 0; j < stride; j++) {
            row[j] -= factor * pivot_row[j];
        }
        row[entering] = 0;
    }
    tableau->basis[leaving] = entering;
}

/* Does row a come before row b in the ratio test? Right side first, then the inverse basis. */
static bool leaves_before(const struct tableau *tableau, uint32_t a, uint32_t b, uint32_t entering)
{
    const double *first = tableau->rows + (size_t)a * tableau->stride;
    const double *second = tableau->rows + (size_t)b * tableau->stride;
    double right = first[tableau->stride - 1] / first[entering] - second[tableau->stride - 1] / second[entering];
    double scale = fabs(first[tableau->stride - 1] / first[entering]) + fabs(second[tableau->stride - 1] / second[entering]);
    if (fabs(right) > 1e-13 * scale) {
        return right < 0;
    }
    for (uint32_t j = 0; j < tableau->size; j++) {
        double x = first[j] / first[entering], y = second[j] / second[entering];
        if (fabs(x - y) > 1e-13 * (fabs(x) + fabs(y))) {
            return x < y;
        }
    }
    return a < b;
}

static uint32_t leaving_row(const struct tableau *tableau, uint32_t entering)
{
    uint32_t best = UINT32_MAX;
    for (uint32_t i = 0; i < tableau->size; i++) {
        double entry = tableau->rows[(size_t)i * tableau->stride + entering];
        if (entry > PIVOT && (best == UINT32_MAX || leaves_before(tableau, i, best, entering))) {
            best = i;
        }
    }
    /* The artificial variable goes as soon as it can. */
    for (uint32_t i = 0; i < tableau->size && best != UINT32_MAX; i++) {
        const double *row = tableau->rows + (size_t)i * tableau->stride;
        const double *chosen = tableau->rows + (size_t)best * tableau->stride;
        if (tableau->basis[i] == 2 * tableau->size && row[entering] > PIVOT &&
            row[tableau->stride - 1] / row[entering] <= chosen[tableau->stride - 1] / chosen[entering] + 1e-14) {
            best = i;
        }
    }
    return best;
}

static uint32_t first_row(const struct tableau *tableau)
{
    uint32_t best = UINT32_MAX;
    double least = 0;
    for (uint32_t i = 0; i < tableau->size; i++) {
        double right = tableau->rows[(size_t)i * tableau->stride + tableau->stride - 1];
        double ratio = right / -tableau->rows[(size_t)i * tableau->stride + tableau->stride - 2];
        if (ratio < least) { /* later ones of equal value lose: lexicographic for an identity */
            least = ratio;
            best = i;
        }
    }
    return best;
}

static void read_solution(const struct tableau *tableau, double *z)
{
    memset(z, 0, tableau->size * sizeof *z);
    for (uint32_t i = 0; i < tableau->size; i++) {
        uint32_t variable = tableau->basis[i];
        double value = tableau->rows[(size_t)i * tableau->stride + tableau->stride - 1];
        if (variable >= tableau->size && variable < 2 * tableau->size) {
            z[variable - tableau->size] = value > 0 ? value : 0;
        }
    }
}

/* Where the ray goes: growth of z per growth of the entering variable. */
static void read_ray(const struct tableau *tableau, uint32_t entering, double *z)
{
    uint32_t size = tableau->size;
    memset(z, 0, size * sizeof *z);
    for (uint32_t i = 0; i < size; i++) {
        uint32_t variable = tableau->basis[i];
        if (variable >= size && variable < 2 * size) {
            z[variable - size] = -tableau->rows[(size_t)i * tableau->stride + entering];
        }
    }
    if (entering >= size && entering < 2 * size) {
        z[entering - size] = 1;
    }
}

/* A ray z >= 0 that changes no w and lowers q'z proves that no solution exists, for symmetric parts of M. */
static bool ray_proves(const double *matrix, const double *q, uint32_t size, const double *z)
{
    double most = 0, moved = 0, gain = 0;
    for (uint32_t i = 0; i < size; i++) {
        double sum = 0;
        for (uint32_t j = 0; j < size; j++) {
            sum += matrix[(size_t)i * size + j] * z[j];
        }
        moved = sum < 0 && -sum > moved ? -sum : moved; /* w may grow */
        most = fabs(z[i]) > most ? fabs(z[i]) : most;
        gain += q[i] * z[i];
    }
    return most > 0 && moved <= 1e-8 * most && gain < -1e-12 * most;
}

dent_constraint_outcome lemke_solve(const double *matrix, const double *q, uint32_t size, double *memory,
                                    uint32_t *basis, uint32_t limit, uint32_t attempt, double *z, uint32_t *pivots)
{
    struct tableau tableau = {memory, size, 2 * size + 2, basis};
    fill_tableau(&tableau, matrix, q, attempt);
    uint32_t leaving = first_row(&tableau), entering = 2 * size;
    dent_constraint_outcome outcome = leaving == UINT32_MAX ? DENT_CONSTRAINTS_SOLVED : DENT_CONSTRAINTS_LIMIT;
    for (uint32_t n = 0; n < limit && outcome == DENT_CONSTRAINTS_LIMIT; n++) {
        uint32_t left = basis[leaving];
        pivot_on(&tableau, leaving, entering);
        (*pivots)++;
        if (left == 2 * size) {
            outcome = DENT_CONSTRAINTS_SOLVED;
            break;
        }
        entering = left < size ? left + size : left - size;
        leaving = leaving_row(&tableau, entering);
        if (leaving == UINT32_MAX) {
            read_ray(&tableau, entering, z);
            outcome = ray_proves(matrix, q, size, z) ? DENT_CONSTRAINTS_INFEASIBLE : DENT_CONSTRAINTS_LIMIT;
            break;
        }
    }
    read_solution(&tableau, z);
    return outcome;
}
