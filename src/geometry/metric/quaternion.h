/* Unit quaternions (w, x, y, z) and unit vectors, for any finite input but zero: numbers are first scaled by a power of
 * two to about 1, so that squares neither overflow nor vanish. Fixed order of operations. */
#ifndef DENT_GEOMETRY_QUATERNION_H
#define DENT_GEOMETRY_QUATERNION_H

#include <math.h>
#include <stdbool.h>

#include "geometry/numbers/power_of_two.h"

/* False when all numbers are zero. Otherwise the largest result is at least 1/2 and below 1; all are the given ones
 * times one power of two, exactly but for numbers below 2^-1000 of the largest. */
static inline bool numbers_near_one(const double *given, int count, double *scaled)
{
    double largest = 0;
    for (int k = 0; k < count; k++) {
        largest = fabs(given[k]) > largest ? fabs(given[k]) : largest;
    }
    if (!(largest > 0)) {
        return false;
    }
    int exponent = -binary_exponent(largest);
    if (largest < 0x1p-1000) { /* subnormal ones have no exponent of their own */
        for (exponent = 0; largest < 0.5; exponent++) {
            largest *= 2;
        }
    }
    for (int k = 0; k < count; k++) {
        scaled[k] = scale_by_power_of_two(given[k], exponent);
    }
    return true;
}

/* False when all numbers are zero. The results have relative errors below 3 roundings. */
static inline bool numbers_make_unit(const double *given, int count, double *unit)
{
    if (!numbers_near_one(given, count, unit)) {
        return false;
    }
    double squares = 0;
    for (int k = 0; k < count; k++) {
        squares += unit[k] * unit[k];
    }
    double length = sqrt(squares);
    for (int k = 0; k < count; k++) {
        unit[k] /= length;
    }
    return true;
}

static inline bool quaternion_make_unit(const double given[4], double unit[4])
{
    return numbers_make_unit(given, 4, unit);
}

static inline bool vector_make_unit(const double given[3], double unit[3])
{
    return numbers_make_unit(given, 3, unit);
}

/* Without scaling: lengths are between 1e-150 and 1e150, or so small that 0 will do. */
static inline double vector_length(const double v[3])
{
    return sqrt((v[0] * v[0] + v[1] * v[1]) + v[2] * v[2]);
}

static inline void quaternion_to_matrix(const double q[4], double m[9])
{
    double w = q[0], x = q[1], y = q[2], z = q[3];
    m[0] = 1 - 2 * (y * y + z * z);
    m[1] = 2 * (x * y - w * z);
    m[2] = 2 * (x * z + w * y);
    m[3] = 2 * (x * y + w * z);
    m[4] = 1 - 2 * (x * x + z * z);
    m[5] = 2 * (y * z - w * x);
    m[6] = 2 * (x * z - w * y);
    m[7] = 2 * (y * z + w * x);
    m[8] = 1 - 2 * (x * x + y * y);
}

/* The largest of the four components is found first, so no difference of nearly equal numbers is divided by. */
static inline void quaternion_of_matrix(const double m[9], double q[4])
{
    double trace = m[0] + m[4] + m[8];
    double four_squares[4] = {1 + trace, 1 + m[0] - m[4] - m[8], 1 - m[0] + m[4] - m[8], 1 - m[0] - m[4] + m[8]};
    int most = 0;
    for (int k = 1; k < 4; k++) {
        most = four_squares[k] > four_squares[most] ? k : most;
    }
    const double sums[4][4] = {{four_squares[0], m[7] - m[5], m[2] - m[6], m[3] - m[1]},
                               {m[7] - m[5], four_squares[1], m[1] + m[3], m[2] + m[6]},
                               {m[2] - m[6], m[1] + m[3], four_squares[2], m[5] + m[7]},
                               {m[3] - m[1], m[2] + m[6], m[5] + m[7], four_squares[3]}};
    quaternion_make_unit(sums[most], q);
}

static inline void quaternion_multiply(const double a[4], const double b[4], double c[4])
{
    double w = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    double x = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
    double y = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
    double z = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
    c[0] = w;
    c[1] = x;
    c[2] = y;
    c[3] = z;
}

#endif
