/* The exact half of the orientation predicates: signs by integers.
 *
 * Finite doubles are integers times powers of two. A determinant of coordinate differences keeps its sign when each axis is
 * scaled by its own power of two, so each axis is scaled until its coordinates are integers, and the sign is computed without
 * rounding: in 64-bit differences when an axis fits 61 bits (most near-degenerate input does: full 53-bit mantissas within eight
 * binary orders of magnitude), else in wide integers, which hold any finite input. No expansion arithmetic, hence no range in
 * which it would be valid. In: positions. Out: signs.
 */
#include "geometry/orientation_predicates.h"

#include <stdbool.h>
#include <string.h>

#include "base/dent_assert.h"
#include "geometry/wide_determinants.h"

__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;

/* Scales `count` <= 4 coordinates by one power of two to integers below 2^61 in magnitude; false when they do not fit.
 *
 * The factor brings the largest exponent to 2^61 (or is 2^1023, for coordinates so small that it would not be a double): no
 * product overflows, and one that is an integer of at most 61 bits in a double is exact; a product that underflows cannot
 * pass for an integer unless it is 0, which is caught by comparing with the input. */
static inline bool scale_to_short_integers(const double coordinates[], int count, int64_t integers[])
{
    double largest = 0.0;
    for (int k = 0; k < count; k++) {
        largest = fabs(coordinates[k]) > largest ? fabs(coordinates[k]) : largest;
    }
    uint64_t bits;
    memcpy(&bits, &largest, sizeof bits);
    int field = 1023 + 61 + 1022 - (int)(bits >> 52);
    bits = (uint64_t)(field > 2046 ? 2046 : field) << 52;
    double factor;
    memcpy(&factor, &bits, sizeof factor);
    bool exact = true;
    for (int k = 0; k < count; k++) {
        double scaled = coordinates[k] * factor;
        integers[k] = (int64_t)scaled;
        exact &= (double)integers[k] == scaled && (scaled != 0.0 || coordinates[k] == 0.0);
    }
    return exact;
}

/* Sign of the determinant of columns of 63-bit differences. Minors stay below 2^125, their products with a difference below
 * 2^187: kept as high * 2^64 + low with 128 bits for high. */
static int sign_of_short_determinant(const int64_t x[3], const int64_t y[3], const int64_t z[3])
{
    int128 high = 0;
    uint128 low = 0;
    for (int k = 0; k < 3; k++) {
        int next = k == 2 ? 0 : k + 1, last = k == 0 ? 2 : k - 1;
        int128 minor = (int128)y[next] * z[last] - (int128)z[next] * y[last];
        int128 low_product = (int128)x[k] * (int128)(uint64_t)minor;
        high += (int128)x[k] * (int64_t)(minor >> 64) + (low_product >> 64);
        low += (uint64_t)low_product;
    }
    high += (int128)(low >> 64);
    if (high != 0) {
        return high < 0 ? -1 : 1;
    }
    return (uint64_t)low != 0;
}

static inline bool equal_points(const double a[3], const double b[3])
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

int orientation_3d_by_integers(const double a[3], const double b[3], const double c[3], const double d[3],
                               predicate_counters *counters)
{
    for (int axis = 0; axis < 3; axis++) {
        if (a[axis] == b[axis] && a[axis] == c[axis] && a[axis] == d[axis]) {
            return 0;
        }
    }
    if (equal_points(a, b) || equal_points(a, c) || equal_points(a, d) || equal_points(b, c) || equal_points(b, d) ||
        equal_points(c, d)) {
        return 0;
    }
    counters->exact_fallbacks++;

    int64_t differences[3][3];
    bool fits = true;
    for (int axis = 0; axis < 3 && fits; axis++) {
        double coordinates[4] = {a[axis], b[axis], c[axis], d[axis]};
        int64_t integers[4];
        fits = scale_to_short_integers(coordinates, 4, integers);
        for (int k = 0; k < 3; k++) {
            differences[axis][k] = integers[k + 1] - integers[0];
        }
    }
    if (fits) {
        return sign_of_short_determinant(differences[0], differences[1], differences[2]);
    }
    const double *const points[4] = {a, b, c, d};
    struct axis_scale scale = axis_scale_of_nothing();
    axis_scale_include(&scale, points, 4);
    struct wide_integer determinant;
    wide_orientation_3d(&determinant, points, &scale);
    return determinant.sign;
}

int orientation_2d_by_integers(const double a[3], const double b[3], const double c[3], int i, int j,
                               predicate_counters *counters)
{
    if ((a[i] == b[i] && a[i] == c[i]) || (a[j] == b[j] && a[j] == c[j]) || (a[i] == b[i] && a[j] == b[j]) ||
        (a[i] == c[i] && a[j] == c[j]) || (b[i] == c[i] && b[j] == c[j])) {
        return 0;
    }
    counters->exact_fallbacks++;

    double coordinates_i[3] = {a[i], b[i], c[i]}, coordinates_j[3] = {a[j], b[j], c[j]};
    int64_t p[3], q[3];
    if (scale_to_short_integers(coordinates_i, 3, p) && scale_to_short_integers(coordinates_j, 3, q)) {
        int128 determinant = (int128)(p[1] - p[0]) * (q[2] - q[0]) - (int128)(q[1] - q[0]) * (p[2] - p[0]);
        return (determinant > 0) - (determinant < 0);
    }
    const double *const points[3] = {a, b, c};
    struct axis_scale scale = axis_scale_of_nothing();
    axis_scale_include(&scale, points, 3);
    struct wide_integer determinant;
    wide_orientation_2d(&determinant, points, i, j, &scale);
    return determinant.sign;
}

int orientation_3d_sum_sign(const double *const points[][4], int count)
{
    DENT_ASSERT(count >= 1 && count <= 4);
    struct axis_scale scale = axis_scale_of_nothing();
    for (int k = 0; k < count; k++) {
        axis_scale_include(&scale, points[k], 4);
    }
    struct wide_integer determinant, sum;
    wide_orientation_3d(&sum, points[0], &scale);
    for (int k = 1; k < count; k++) {
        wide_orientation_3d(&determinant, points[k], &scale);
        wide_add(&sum, &sum, &determinant);
    }
    return sum.sign;
}

int orientation_2d_sum_sign(const double *const points[][3], int count, int i, int j)
{
    DENT_ASSERT(count >= 1 && count <= 4);
    struct axis_scale scale = axis_scale_of_nothing();
    for (int k = 0; k < count; k++) {
        axis_scale_include(&scale, points[k], 3);
    }
    struct wide_integer determinant, sum;
    wide_orientation_2d(&sum, points[0], i, j, &scale);
    for (int k = 1; k < count; k++) {
        wide_orientation_2d(&determinant, points[k], i, j, &scale);
        wide_add(&sum, &sum, &determinant);
    }
    return sum.sign;
}
