/* Children of a bounding tree, one a lane, over the doubles of simd/lanes.h: the operations of the scalar functions in
 * the same order. Included by bound_kernels_<isa>.c. See bound_kernels.h. */
#include "structures/bounds/bound_kernels.h"

enum { ALL_LANES = (1 << DOUBLES) - 1 };

/* The parts from `from` on, one a lane; beyond the last part, that part. */
static inline void find_rows(const struct bound_volume *parts, uint32_t from, uint32_t count,
                             const double *rows[DOUBLES])
{
    for (uint32_t lane = 0; lane < DOUBLES; lane++) {
        rows[lane] = parts[from + lane < count ? from + lane : count - 1].v;
    }
}

static inline doubles down_lanes(doubles value)
{
    return value - doubles_absolute(value) * doubles_set(0x1p-51);
}

/* *odd: some number is too large or too small for squares. */
static inline uint32_t meet_balls(const doubles c[4], const struct bound_volume *other, double *lo, bool *odd)
{
    doubles x = c[0] - doubles_set(other->v[0]), y = c[1] - doubles_set(other->v[1]);
    doubles z = c[2] - doubles_set(other->v[2]), sum = c[3] + doubles_set(other->v[3]);
    doubles square = x * x + y * y + z * z;
    doubles_mask in_range =
        doubles_mask_and(doubles_greater(square, doubles_set(1e-280)), doubles_less(square, doubles_set(1e300)));
    *odd = doubles_mask_bits(in_range) != ALL_LANES;
    uint32_t apart = doubles_mask_bits(doubles_greater(square, sum * sum * doubles_set(1 + 0x1p-49)));
    if (*odd || apart == ALL_LANES) {
        return 0;
    }
    doubles reach = sum + doubles_absolute(sum) * doubles_set(0x1p-51);
    doubles gap = down_lanes(doubles_root(square) * doubles_set(1 - 0x1p-50) - reach);
    gap = doubles_choose(doubles_ordered(gap, gap), gap, doubles_set(-INFINITY));
    doubles_store_any(lo, gap);
    return ~(apart | doubles_mask_bits(doubles_greater(gap, doubles_set(0)))) & ALL_LANES;
}

static uint32_t balls(const struct bound_volume *parts, uint32_t count, const struct bound_volume *other,
                      double lo[BOUND_KERNEL_LANES])
{
    if (DOUBLES == 1) {
        return balls_one_by_one(parts, 0, count, other, lo);
    }
    uint32_t meet = 0;
    for (uint32_t from = 0; from < count; from += DOUBLES) {
        const double *rows[DOUBLES];
        doubles columns[4];
        bool odd;
        find_rows(parts, from, count, rows);
        doubles_columns4(rows, columns);
        meet |= meet_balls(columns, other, lo + from, &odd) << from;
        if (odd) {
            uint32_t end = from + DOUBLES < count ? from + DOUBLES : count;
            meet |= balls_one_by_one(parts, from, end, other, lo);
        }
    }
    return meet & ((1u << count) - 1);
}

static uint32_t boxes(const struct bound_volume *parts, uint32_t count, const struct bound_volume *other,
                      double lo[BOUND_KERNEL_LANES])
{
    uint32_t meet = 0;
    for (uint32_t from = 0; from < count; from += DOUBLES) {
        const double *rows[DOUBLES];
        doubles c[8], largest = doubles_set(-INFINITY);
        find_rows(parts, from, count, rows);
        doubles_columns8(rows, c);
        for (int axis = 0; axis < 3; axis++) {
            doubles after = doubles_set(other->v[axis]) - c[axis + 3];
            doubles before = c[axis] - doubles_set(other->v[axis + 3]);
            largest = doubles_most(doubles_most(after, before), largest);
        }
        doubles_store_any(lo + from, down_lanes(largest)); /* which has the same sign */
        meet |= (~doubles_mask_bits(doubles_greater(largest, doubles_set(0))) & ALL_LANES) << from;
    }
    return meet & ((1u << count) - 1);
}

#define BOUND_KERNELS_ROW                                                                                              \
    {                                                                                                                  \
        balls, boxes                                                                                                   \
    }
