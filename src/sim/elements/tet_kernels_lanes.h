/* Stable neo-Hookean tetrahedra, eight at a time: included behind a lanes_<isa>.h by every row.
 *
 * With F the deformation gradient, the energy is V (mu/2 (|F|^2 - 3) + lambda'/2 (J - gamma)^2), tet_elasticity.c. Its
 * matrix is V [mu I + lambda' cof cof^T + kappa d2J], kappa = lambda' (J - gamma). To keep it positive without singular
 * values, kappa is limited to mu / s, s^2 the largest row sum of |F^T F|, which bounds the largest singular value from
 * above and equals it for rotations: there the matrix is exact, and turning costs nothing.
 *
 * Damping is viscous: damping * rate times that matrix at `start` on the change of F since. */
#include "sim/elements/tet_kernels.h"
#include "sim/elements/wide_cofactors.h"

struct matrix_lanes {
    doubles at[9]; /* by rows */
};

/* Positions of a corner, lane by lane. */
static inline void corner_of(const struct tet_group *group, uint32_t corner, uint32_t lane, const double *positions,
                             doubles columns[4])
{
    const double *rows[DOUBLES];
    for (uint32_t l = 0; l < DOUBLES; l++) {
        rows[l] = positions + 3 * (size_t)group->corners[corner][lane + l];
    }
    doubles_columns4(rows, columns);
}

/* The edges from corner 0 as columns, times the inverse of the rest edges. */
static inline struct matrix_lanes gradient_of(const struct tet_group *group, uint32_t lane, const double *positions)
{
    doubles corners[4][4];
    struct matrix_lanes f;
    for (uint32_t k = 0; k < 4; k++) {
        corner_of(group, k, lane, positions, corners[k]);
    }
    for (uint32_t i = 0; i < 3; i++) {
        doubles x = corners[1][i] - corners[0][i], y = corners[2][i] - corners[0][i], z = corners[3][i] - corners[0][i];
        for (uint32_t j = 0; j < 3; j++) {
            f.at[3 * i + j] = (x * doubles_load_any(group->inverse[j] + lane) +
                               y * doubles_load_any(group->inverse[3 + j] + lane)) +
                              z * doubles_load_any(group->inverse[6 + j] + lane);
        }
    }
    return f;
}

static inline struct matrix_lanes cofactor(const struct matrix_lanes *f)
{
    const doubles *a = f->at;
    return (struct matrix_lanes){COFACTORS(a)};
}

/* The derivative of the cofactor at a in the direction b, symmetric in both. */
static inline struct matrix_lanes cofactor_change(const struct matrix_lanes *first, const struct matrix_lanes *second)
{
    const doubles *a = first->at, *b = second->at;
    return (struct matrix_lanes){COFACTORS_CHANGE(a, b)};
}

static inline doubles product_of(const struct matrix_lanes *a, const struct matrix_lanes *b)
{
    doubles sum = a->at[0] * b->at[0];
    for (int n = 1; n < 9; n++) {
        sum = sum + a->at[n] * b->at[n];
    }
    return sum;
}

static inline doubles determinant_of(const struct matrix_lanes *f, const struct matrix_lanes *cofactors)
{
    return (f->at[0] * cofactors->at[0] + f->at[1] * cofactors->at[1]) + f->at[2] * cofactors->at[2];
}

/* The square of a bound on the largest singular value. */
static inline doubles norm_bound(const struct matrix_lanes *f)
{
    const doubles *a = f->at;
    doubles xx = (a[0] * a[0] + a[3] * a[3]) + a[6] * a[6], yy = (a[1] * a[1] + a[4] * a[4]) + a[7] * a[7];
    doubles zz = (a[2] * a[2] + a[5] * a[5]) + a[8] * a[8];
    doubles xy = doubles_absolute((a[0] * a[1] + a[3] * a[4]) + a[6] * a[7]);
    doubles xz = doubles_absolute((a[0] * a[2] + a[3] * a[5]) + a[6] * a[8]);
    doubles yz = doubles_absolute((a[1] * a[2] + a[4] * a[5]) + a[7] * a[8]);
    return doubles_most(doubles_most(xx + xy + xz, yy + xy + yz), zz + xz + yz);
}

/* The matrix at F on a change of F, kept positive. */
static inline struct matrix_lanes stress_change(const struct tet_group *group, uint32_t lane,
                                                const struct matrix_lanes *f, const struct matrix_lanes *change)
{
    doubles mu = doubles_load_any(group->mu + lane), lambda = doubles_load_any(group->lambda + lane);
    struct matrix_lanes cofactors = cofactor(f), turned = cofactor_change(f, change), out;
    doubles volume = determinant_of(f, &cofactors) - doubles_load_any(group->gamma + lane);
    doubles limit = doubles_most(norm_bound(f), doubles_set(1e-280));
    doubles most = mu / doubles_root(limit), kappa = lambda * volume;
    kappa = doubles_most(doubles_least(kappa, most), -most);
    doubles along = lambda * product_of(&cofactors, change);
    for (int n = 0; n < 9; n++) {
        out.at[n] = (mu * change->at[n] + along * cofactors.at[n]) + kappa * turned.at[n];
    }
    return out;
}

/* Corner forces of a stress: P times the gradients of the shape functions. */
static inline void store_corners(const struct tet_group *group, uint32_t lane, const struct matrix_lanes *stress,
                                 double *out)
{
    for (uint32_t i = 0; i < 3; i++) {
        doubles sum = doubles_set(0);
        for (uint32_t k = 0; k < 3; k++) {
            doubles force = (stress->at[3 * i] * doubles_load_any(group->inverse[3 * k] + lane) +
                             stress->at[3 * i + 1] * doubles_load_any(group->inverse[3 * k + 1] + lane)) +
                            stress->at[3 * i + 2] * doubles_load_any(group->inverse[3 * k + 2] + lane);
            sum = sum + force;
            doubles_store_any(out + (3 * (k + 1) + i) * TET_LANES + lane, force);
        }
        doubles_store_any(out + i * TET_LANES + lane, -sum);
    }
}

/* Fetches the next group while one is worked on: they come from far, each is used once. */
static inline void fetch_behind(const struct tet_group *group)
{
    for (size_t n = 0; n < sizeof *group; n += 64) {
        __builtin_prefetch((const char *)(group + 1) + n);
    }
}

static bool any_damping(const struct tet_group *group, const struct element_pass *pass)
{
    return pass->rate > 0 && group->damping[0] > 0; /* one material a group; lane 0 is never filled up */
}

static void tet_gradient(const struct tet_group *groups, uint32_t count, const struct element_pass *pass, double *out)
{
    for (uint32_t g = 0; g < count; g++) {
        const struct tet_group *group = &groups[g];
        fetch_behind(group);
        for (uint32_t lane = 0; lane < TET_LANES; lane += DOUBLES) {
            doubles mu = doubles_load_any(group->mu + lane), lambda = doubles_load_any(group->lambda + lane);
            struct matrix_lanes f = gradient_of(group, lane, pass->now), cofactors = cofactor(&f), stress;
            doubles volume = determinant_of(&f, &cofactors) - doubles_load_any(group->gamma + lane);
            doubles pressure = lambda * volume;
            for (int n = 0; n < 9; n++) {
                stress.at[n] = mu * f.at[n] + pressure * cofactors.at[n];
            }
            if (any_damping(group, pass)) {
                struct matrix_lanes start = gradient_of(group, lane, pass->start), change;
                doubles rate = doubles_load_any(group->damping + lane) * doubles_set(pass->rate);
                for (int n = 0; n < 9; n++) {
                    change.at[n] = f.at[n] - start.at[n];
                }
                struct matrix_lanes viscous = stress_change(group, lane, &start, &change);
                for (int n = 0; n < 9; n++) {
                    stress.at[n] = stress.at[n] + rate * viscous.at[n];
                }
            }
            store_corners(group, lane, &stress, out + (size_t)g * TET_ENTRIES);
        }
    }
}

static void tet_product(const struct tet_group *groups, uint32_t count, const struct element_pass *pass, double *out)
{
    for (uint32_t g = 0; g < count; g++) {
        const struct tet_group *group = &groups[g];
        fetch_behind(group);
        for (uint32_t lane = 0; lane < TET_LANES; lane += DOUBLES) {
            struct matrix_lanes f = gradient_of(group, lane, pass->now);
            struct matrix_lanes change = gradient_of(group, lane, pass->direction);
            struct matrix_lanes stress = stress_change(group, lane, &f, &change);
            doubles factor =
                doubles_set(1) + doubles_load_any(group->damping + lane) * doubles_set(pass->rate);
            for (int n = 0; n < 9; n++) {
                stress.at[n] = factor * stress.at[n];
            }
            store_corners(group, lane, &stress, out + (size_t)g * TET_ENTRIES);
        }
    }
}

static void tet_line(const struct tet_group *groups, uint32_t count, const struct element_pass *pass,
                     double sums[LINE_TERMS][TET_LANES])
{
    for (uint32_t g = 0; g < count; g++) {
        const struct tet_group *group = &groups[g];
        fetch_behind(group);
        for (uint32_t lane = 0; lane < TET_LANES; lane += DOUBLES) {
            doubles mu = doubles_load_any(group->mu + lane), lambda = doubles_load_any(group->lambda + lane);
            doubles half = doubles_set(0.5), term[LINE_TERMS];
            struct matrix_lanes f = gradient_of(group, lane, pass->now), cofactors = cofactor(&f);
            struct matrix_lanes d = gradient_of(group, lane, pass->direction), crossed = cofactor(&d);
            doubles volume = determinant_of(&f, &cofactors) - doubles_load_any(group->gamma + lane);
            doubles one = product_of(&cofactors, &d), two = product_of(&f, &crossed);
            doubles three = determinant_of(&d, &crossed);
            term[0] = mu * product_of(&f, &d) + lambda * (volume * one);
            term[1] = half * mu * product_of(&d, &d) + lambda * (volume * two + half * one * one);
            term[2] = lambda * (volume * three + one * two);
            term[3] = lambda * (half * two * two + one * three);
            term[4] = lambda * (two * three);
            term[5] = lambda * (half * three * three);
            term[6] = term[7] = doubles_set(0);
            if (any_damping(group, pass)) {
                struct matrix_lanes start = gradient_of(group, lane, pass->start), change;
                doubles rate = doubles_load_any(group->damping + lane) * doubles_set(pass->rate);
                for (int n = 0; n < 9; n++) {
                    change.at[n] = f.at[n] - start.at[n];
                }
                struct matrix_lanes viscous = stress_change(group, lane, &start, &d);
                term[6] = rate * product_of(&viscous, &change);
                term[7] = half * rate * product_of(&viscous, &d);
            }
            for (int n = 0; n < LINE_TERMS; n++) {
                doubles_store_any(sums[n] + lane, doubles_load_any(sums[n] + lane) + term[n]);
            }
        }
    }
}

static void tet_energy(const struct tet_group *groups, uint32_t count, const struct element_pass *pass,
                       double sums[TET_LANES])
{
    for (uint32_t g = 0; g < count; g++) {
        const struct tet_group *group = &groups[g];
        fetch_behind(group);
        for (uint32_t lane = 0; lane < TET_LANES; lane += DOUBLES) {
            doubles mu = doubles_load_any(group->mu + lane), lambda = doubles_load_any(group->lambda + lane);
            doubles gamma = doubles_load_any(group->gamma + lane), one = doubles_set(1), half = doubles_set(0.5);
            struct matrix_lanes f = gradient_of(group, lane, pass->now), cofactors = cofactor(&f);
            doubles j = determinant_of(&f, &cofactors);
            /* (J - gamma)^2 - (1 - gamma)^2 */
            doubles energy = half * mu * (product_of(&f, &f) - doubles_set(3)) +
                             half * lambda * ((j - one) * (j + one - gamma - gamma));
            doubles_store_any(sums + lane, doubles_load_any(sums + lane) + energy);
        }
    }
}

/* Lane k takes in the products k, k + 16 … */
static double lanes_dot(const double *a, const double *b, uint32_t count)
{
    double sums[16];
    doubles parts[16 / DOUBLES];
    uint32_t n = 0;
    for (int k = 0; k < 16 / DOUBLES; k++) {
        parts[k] = doubles_set(0);
    }
    for (; n + 16 <= count; n += 16) {
        for (int k = 0; k < 16 / DOUBLES; k++) {
            parts[k] = parts[k] + doubles_load_any(a + n + k * DOUBLES) * doubles_load_any(b + n + k * DOUBLES);
        }
    }
    for (int k = 0; k < 16 / DOUBLES; k++) {
        doubles_store_any(sums + k * DOUBLES, parts[k]);
    }
    for (uint32_t k = 0; n + k < count; k++) {
        sums[k] += a[n + k] * b[n + k];
    }
    for (int half = 8; half > 0; half /= 2) {
        for (int k = 0; k < half; k++) {
            sums[k] += sums[k + half];
        }
    }
    return sums[0];
}

static void lanes_subtract_scaled(double *x, double factor, const double *a, uint32_t count)
{
    uint32_t n = 0;
    doubles all = doubles_set(factor);
    for (; n + DOUBLES <= count; n += DOUBLES) {
        doubles_store_any(x + n, doubles_load_any(x + n) - all * doubles_load_any(a + n));
    }
    for (; n < count; n++) {
        x[n] -= factor * a[n];
    }
}

#define TET_KERNELS_ROW                                                                                                \
    {                                                                                                                  \
        tet_gradient, tet_product, tet_line, lanes_dot, lanes_subtract_scaled, tet_energy                                                                \
    }
