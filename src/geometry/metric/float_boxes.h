/* Float boxes that contain what they stand for, whatever the exponents.
 *
 * All coordinates of a world are first multiplied by one power of two, chosen so that the largest becomes about 1
 * (so that coordinates of 1e±150 do not collapse the boxes), then rounded outward to float. Scaling by a power of two
 * is exact unless a number falls into the subnormal range of double, which lies far below the smallest float: there
 * only its sign matters, and the sign is kept.
 */
#ifndef DENT_GEOMETRY_FLOAT_BOXES_H
#define DENT_GEOMETRY_FLOAT_BOXES_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#define SMALLEST_FLOAT 1.40129846432481707e-45f /* 2^-149 */

/* The scaling of a world whose largest |coordinate| is `largest`, in two factors because one power of two cannot reach
 * from the smallest subnormal to 1. */
struct box_scaling {
    double first, second;
};

static inline struct box_scaling box_scaling_for(double largest)
{
    int exponent = 0;
    if (largest > 0) {
        frexp(largest, &exponent);
    }
    int half = -exponent / 2;
    return (struct box_scaling){ldexp(1.0, half), ldexp(1.0, -exponent - half)};
}

static inline double box_scale(struct box_scaling scaling, double x)
{
    return x * scaling.first * scaling.second;
}

/* The next float below or above a finite one. */
static inline float float_step(float value, int direction)
{
    int32_t bits;
    memcpy(&bits, &value, sizeof bits);
    if ((bits & INT32_MAX) == 0) {
        return direction > 0 ? SMALLEST_FLOAT : -SMALLEST_FLOAT;
    }
    bits += (bits < 0) == (direction < 0) ? 1 : -1;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Largest float not above x (scaled, |x| <= 1). `original` is x before scaling: its sign survives underflow. */
static inline float float_below(double x, double original)
{
    float rounded = (float)x;
    if (rounded == 0) {
        return original < 0 ? -SMALLEST_FLOAT : 0.0f;
    }
    return (double)rounded > x ? float_step(rounded, -1) : rounded;
}

static inline float float_above(double x, double original)
{
    float rounded = (float)x;
    if (rounded == 0) {
        return original > 0 ? SMALLEST_FLOAT : 0.0f;
    }
    return (double)rounded < x ? float_step(rounded, 1) : rounded;
}

#endif
