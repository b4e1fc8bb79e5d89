/* One lane: the operations of impact_lanes.h on plain doubles. */
#ifndef DENT_SIMD_DOUBLE_LANES_SCALAR_H
#define DENT_SIMD_DOUBLE_LANES_SCALAR_H

#include <math.h>
#include <stdbool.h>

enum { LANES = 1 };

typedef double lanes;
typedef bool lane_mask;

static inline lanes lanes_set(double a)
{
    return a;
}
static inline lanes lanes_add(lanes a, lanes b)
{
    return a + b;
}
static inline lanes lanes_subtract(lanes a, lanes b)
{
    return a - b;
}
static inline lanes lanes_multiply(lanes a, lanes b)
{
    return a * b;
}
static inline lanes lanes_divide(lanes a, lanes b)
{
    return a / b;
}
static inline lanes lanes_least(lanes a, lanes b)
{
    return a < b ? a : b;
}
static inline lanes lanes_most(lanes a, lanes b)
{
    return a > b ? a : b;
}
static inline lanes lanes_absolute(lanes a)
{
    return fabs(a);
}
static inline lane_mask lanes_less(lanes a, lanes b)
{
    return a < b;
}
static inline lanes lanes_choose(lane_mask mask, lanes a, lanes b)
{
    return mask ? a : b;
}
static inline lane_mask mask_and(lane_mask a, lane_mask b)
{
    return a & b;
}
static inline lane_mask mask_or(lane_mask a, lane_mask b)
{
    return a | b;
}

#endif
