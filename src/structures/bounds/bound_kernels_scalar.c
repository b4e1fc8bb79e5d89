/* Children of a bounding tree one after the other: the reference. See bound_kernels.h. */
#include "structures/bounds/bound_kernels.h"

static uint32_t balls(const struct bound_volume *parts, uint32_t count, const struct bound_volume *other,
                      double lo[BOUND_KERNEL_LANES])
{
    return balls_one_by_one(parts, 0, count, other, lo);
}

static uint32_t boxes(const struct bound_volume *parts, uint32_t count, const struct bound_volume *other,
                      double lo[BOUND_KERNEL_LANES])
{
    uint32_t meet = 0;
    for (uint32_t i = 0; i < count; i++) {
        meet |= (uint32_t)boxes_meet(&parts[i], other, &lo[i]) << i;
    }
    return meet;
}

const struct bound_kernels bound_kernels_scalar = {balls, boxes};
