/* The exact half of the orientation predicates: signs by integers.
 *
 * Finite doubles are integers times powers of two. A determinant of coordinate differences keeps its sign when each
 * axis is scaled by its own power of two, so each axis is scaled until its coordinates are integers, and the sign is
 * computed without rounding: in 64-bit differences when an axis fits 61 bits (most near-degenerate input does: full
 * 53-bit mantissas within eight binary orders of magnitude), else in wide integers, which hold any finite input. Between
 * them a filter of 106 bits finds most signs of three dimensions that are not 0. In: positions. Out: signs.
 */
#include "geometry/predicates/orientation_predicates.h"

#include <stdbool.h>
#include <string.h>

#include "base/dent_assert.h"
#include "base/limb_arithmetic.h"
#include "geometry/numbers/double_double.h"
#include "geometry/numbers/wide_determinants.h"

#if DENT_HAS_INT128 /* elsewhere the wide integers answer alone */

/* The power of two that brings the largest magnitude of a coordinate below 2^61, near it; 2^1023 for coordinates so
 * small that the factor would not be a double. */
static inline double short_integer_factor(double a, double b, double c, double d)
{
    double largest = largest_magnitude(largest_magnitude(a, b, c), d, 0.0);
    uint64_t bits;
    memcpy(&bits, &largest, sizeof bits);
    int exponent_field = 1023 + 61 + 1022 - (int)(bits >> 52);
    bits = (uint64_t)(exponent_field > 2046 ? 2046 : exponent_field) << 52;
    double factor;
    memcpy(&factor, &bits, sizeof factor);
    return factor;
}

/* coordinate * factor when it is an integer; otherwise *exact becomes false. The product does not overflow, and one
 * that is an integer is exact; a product that underflows is no integer, or 0, which is caught by comparing with the
 * input. */
static inline int64_t to_short_integer(double coordinate, double factor, bool *exact)
{
    double scaled = coordinate * factor;
    int64_t integer = (int64_t)scaled;
    *exact &= ((double)integer == scaled) & ((scaled != 0.0) | (coordinate == 0.0));
    return integer;
}

/* Differences of one axis from the first point, exact and below 2^62; false when the axis does not fit. */
static inline bool short_differences(const double a[3], const double b[3], const double c[3], const double d[3],
                                     int axis, int64_t differences[3])
{
    bool exact = true;
    double factor = short_integer_factor(a[axis], b[axis], c[axis], d[axis]);
    int64_t origin = to_short_integer(a[axis], factor, &exact);
    differences[0] = to_short_integer(b[axis], factor, &exact) - origin;
    differences[1] = to_short_integer(c[axis], factor, &exact) - origin;
    differences[2] = to_short_integer(d[axis], factor, &exact) - origin;
    return exact;
}

/* x * minor added to high * 2^64 + low. */
static inline void accumulate_product(int64_t x, int128 minor, int128 *high, uint128 *low)
{
    int128 low_product = (int128)x * (int128)(uint64_t)minor;
    *high += (int128)x * (int64_t)(minor >> 64) + (low_product >> 64);
    *low += (uint64_t)low_product;
}

/* Sign of the determinant of columns of differences below 2^62. Minors stay below 2^125, their products with a
 * difference below 2^187, and the sum of three fits 192 bits. */
static inline int sign_of_short_determinant(const int64_t x[3], const int64_t y[3], const int64_t z[3])
{
    int128 high = 0;
    uint128 low = 0;
    accumulate_product(x[0], (int128)y[1] * z[2] - (int128)z[1] * y[2], &high, &low);
    accumulate_product(x[1], (int128)y[2] * z[0] - (int128)z[2] * y[0], &high, &low);
    accumulate_product(x[2], (int128)y[0] * z[1] - (int128)z[0] * y[1], &high, &low);
    high += (int128)(low >> 64);
    if (high != 0) {
        return high < 0 ? -1 : 1;
    }
    return (uint64_t)low != 0;
}

/* The signs by short integers; false when an axis does not fit them. */
static inline bool short_orientation_3d(const double a[3], const double b[3], const double c[3], const double d[3],
                                        int *sign)
{
    int64_t x[3], y[3], z[3];
    if (!short_differences(a, b, c, d, 0, x) || !short_differences(a, b, c, d, 1, y) ||
        !short_differences(a, b, c, d, 2, z)) {
        return false;
    }
    *sign = sign_of_short_determinant(x, y, z);
    return true;
}

static inline bool short_orientation_2d(const double a[3], const double b[3], const double c[3], int i, int j,
                                        int *sign)
{
    int64_t p[3], q[3];
    if (!short_differences(a, b, c, c, i, p) || !short_differences(a, b, c, c, j, q)) {
        return false;
    }
    int128 determinant = (int128)p[0] * q[1] - (int128)q[0] * p[1];
    *sign = (determinant > 0) - (determinant < 0);
    return true;
}

#endif

/* ---- pairs of doubles -------------------------------------------------------------------------------------------- */

/* b[axis] - a[axis] and so on: exact. Returns the largest size. */
static inline double pair_differences(const double a[3], const double b[3], const double c[3], const double d[3],
                                      int axis, struct double_double differences[3])
{
    differences[0] = two_sum(b[axis], -a[axis]);
    differences[1] = two_sum(c[axis], -a[axis]);
    differences[2] = two_sum(d[axis], -a[axis]);
    return largest_magnitude(differences[0].high, differences[1].high, differences[2].high);
}

static inline struct double_double pair_minor(const struct double_double y[3], const struct double_double z[3], int i,
                                              int j)
{
    return pair_add(pair_multiply(y[i], z[j]), pair_negate(pair_multiply(z[i], y[j])));
}

/* The sign in pairs of doubles, for points whose coordinates have too many bits for short integers; 0: left open.
 *
 * The bound, with w = 2^-106 and the largest differences X, Y, Z: a minor has an error of 11 w of its two products, a term
 * one of 38 w XYZ, and the two sums add 3 w of 4 XYZ and of 6 XYZ: 144 w XYZ in all, and 256 w are allowed. A product that
 * underflows is wrong by less than 2^-1069, carried on by factors below 2^300: 2^-700 covers all of them. */
static inline int pair_orientation_3d(const double a[3], const double b[3], const double c[3], const double d[3])
{
    struct double_double x[3], y[3], z[3];
    double largest_x = pair_differences(a, b, c, d, 0, x), largest_y = pair_differences(a, b, c, d, 1, y);
    double largest_z = pair_differences(a, b, c, d, 2, z);
    if (!(largest_magnitude(largest_x, largest_y, largest_z) < 0x1p300)) {
        return 0;
    }
    struct double_double sum = pair_multiply(x[0], pair_minor(y, z, 1, 2));
    sum = pair_add(sum, pair_multiply(x[1], pair_minor(y, z, 2, 0)));
    sum = pair_add(sum, pair_multiply(x[2], pair_minor(y, z, 0, 1)));
    double bound =
        largest_x * largest_y * largest_z * 0x1p-98 + 0x1p-700; /* in this order an underflow costs less than 2^-770 */
    return (sum.high > bound) - (sum.high < -bound);
}

/* ---- the signs --------------------------------------------------------------------------------------------------- */

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

#if DENT_HAS_INT128
    int sign;
    if (short_orientation_3d(a, b, c, d, &sign)) {
        return sign;
    }
#endif
    int pair_sign = pair_orientation_3d(a, b, c, d);
    if (pair_sign != 0) {
        return pair_sign;
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

#if DENT_HAS_INT128
    int sign;
    if (short_orientation_2d(a, b, c, i, j, &sign)) {
        return sign;
    }
#endif
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
