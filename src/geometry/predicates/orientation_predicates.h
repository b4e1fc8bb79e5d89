/* The sign of a determinant of coordinate differences: the one exact decision everything else is built from.
 *
 * Fast path: the determinant in doubles against an error bound, one comparison. What the bound leaves open goes out
 * of line to integer arithmetic (orientation_predicates.c), which is exact for all finite doubles: no range of
 * exponents is excluded. Assumes round-to-nearest and denormals on, as every entry point of the library guarantees.
 * Pure functions; any thread.
 *
 * The bound (u = 2^-53; hats are computed values). A computed difference has |d^ - d| <= u |d^|, underflow included,
 * because the difference of two doubles never underflows inexactly. Each of the six products of the 3x3 determinant
 * thus carries at most three factors (1 + u) from its differences, one from each of its two multiplications, one
 * from the difference of the minor, and one or two from adding the three terms: 8 for four of the products, 7 for
 * two. With X, Y, Z the largest |d^| of each column every product is at most XYZ, so to first order
 *
 *     |det^ - det| <= (4 * 8 + 2 * 7) u XYZ = 46 u XYZ.
 *
 * The filter uses 48 u: the spare 2 u XYZ covers terms in u^2 and the roundings of the bound itself (all below 500
 * u^2 XYZ). Underflow adds at most 2^-1075 per multiplication: per minor 2^-1074, carried into the result times X
 * three times, and 3 * 2^-1075 from the last products. Adding 2^-900 to 8 YZ (6 u * 2^-900 X > 2^-951 X) and 2^-900
 * to the whole covers both, and keeps the bound itself out of the slow subnormal range when a column is zero.
 * Overflow: YZ enters as 8 YZ and XYZ as 8 XYZ, so both are below 2^1021 when the bound is finite; a minor is at
 * most 2 YZ and the sum of terms at most 6 XYZ, hence finite. If anything is infinite the bound is infinite or NaN,
 * and the comparison fails.
 */
#ifndef DENT_GEOMETRY_ORIENTATION_PREDICATES_H
#define DENT_GEOMETRY_ORIENTATION_PREDICATES_H

#include <math.h>

#include "geometry/predicates/predicate_kinds.h"

/* Sign of det[b - a, c - a, d - a] by integers, without the filter. Exact zeros that comparisons alone can see (all
 * points in one axis-parallel plane, equal points) do not count as a fallback. */
int orientation_3d_by_integers(const double a[3], const double b[3], const double c[3], const double d[3],
                               predicate_counters *counters);

/* Sign of the 2x2 determinant [b - a, c - a] of the axes i and j, by integers. */
int orientation_2d_by_integers(const double a[3], const double b[3], const double c[3], int i, int j,
                               predicate_counters *counters);

/* Sign of the sum of `count` (1 to 4) orientation determinants det[p1 - p0, p2 - p0, p3 - p0], always by integers.
 * The determinant is affine in each point: the orientation at the mean of k points has the sign of the sum of k
 * orientations. */
int orientation_3d_sum_sign(const double *const points[][4], int count);

/* The same for `count` (1 to 4) plane orientations in the axes i and j. */
int orientation_2d_sum_sign(const double *const points[][3], int count, int i, int j);

static inline double largest_magnitude(double a, double b, double c)
{
    double magnitude_a = fabs(a), magnitude_b = fabs(b), magnitude_c = fabs(c);
    double larger = magnitude_a > magnitude_b ? magnitude_a : magnitude_b;
    return larger > magnitude_c ? larger : magnitude_c;
}

/* det[b - a, c - a, d - a] in doubles, and a bound of its error: |computed - exact| <= *bound, which is never 0. */
static inline double orientation_3d_determinant(const double a[3], const double b[3], const double c[3],
                                                const double d[3], double *bound)
{
    double bx = b[0] - a[0], by = b[1] - a[1], bz = b[2] - a[2];
    double cx = c[0] - a[0], cy = c[1] - a[1], cz = c[2] - a[2];
    double dx = d[0] - a[0], dy = d[1] - a[1], dz = d[2] - a[2];
    double yz = (largest_magnitude(by, cy, dy) * 8.0) * largest_magnitude(bz, cz, dz);
    double xyz = largest_magnitude(bx, cx, dx) * (yz + 0x1p-900);
    *bound = xyz * (6.0 * 0x1p-53) + 0x1p-900;
    return bx * (cy * dz - cz * dy) + cx * (dy * bz - dz * by) + dx * (by * cz - bz * cy);
}

/* Sign (-1, 0, 1) of det[b - a, c - a, d - a]: positive for the corners of a positive cell in order. */
static inline int orientation_3d_counted(const double a[3], const double b[3], const double c[3], const double d[3],
                                         predicate_counters *counters)
{
    double bound;
    double determinant = orientation_3d_determinant(a, b, c, d, &bound);
    if (fabs(determinant) > bound) {
        return determinant > 0.0 ? 1 : -1;
    }
    return orientation_3d_by_integers(a, b, c, d, counters);
}

static inline int orientation_3d(const double a[3], const double b[3], const double c[3], const double d[3])
{
    predicate_counters ignored = {0};
    return orientation_3d_counted(a, b, c, d, &ignored);
}

/* Sign of the orientation of a, b, c projected on the axes i and j (counter-clockwise positive when i turns to j).
 *
 * Two products: each carries two factors from differences, one from its multiplication and one from the subtraction,
 * hence |det^ - det| <= 2 * 4 u IJ with I, J the largest differences of each axis. The filter uses 10 u; underflow
 * is at most 2^-1074. */
static inline int orientation_2d_counted(const double a[3], const double b[3], const double c[3], int i, int j,
                                         predicate_counters *counters)
{
    double bi = b[i] - a[i], bj = b[j] - a[j];
    double ci = c[i] - a[i], cj = c[j] - a[j];
    double determinant = bi * cj - bj * ci;
    double largest_i = fabs(bi) > fabs(ci) ? fabs(bi) : fabs(ci);
    double largest_j = fabs(bj) > fabs(cj) ? fabs(bj) : fabs(cj);
    double bound = (largest_i * 4.0) * largest_j * (2.5 * 0x1p-53) + 0x1p-900;
    if (fabs(determinant) > bound) {
        return determinant > 0.0 ? 1 : -1;
    }
    return orientation_2d_by_integers(a, b, c, i, j, counters);
}

static inline int orientation_2d(const double a[3], const double b[3], const double c[3], int i, int j)
{
    predicate_counters ignored = {0};
    return orientation_2d_counted(a, b, c, i, j, &ignored);
}

#endif
