/* Stage 0 of the impact test, one candidate at a time. See impact_kernels.h. */
#include "geometry/impact/impact_kernels.h"

#include <stddef.h>

#include "simd/double_lanes_scalar.h"

#include "geometry/impact/impact_lanes.h"

static inline void lanes_fetch(struct lane_corners *points, const struct impact_vertex *vertices,
                               const uint32_t *const of_lane[LANES])
{
    for (int corner = 0; corner < 4; corner++) {
        const struct impact_vertex *vertex = &vertices[of_lane[0][corner]];
        for (int axis = 0; axis < 3; axis++) {
            points->at[corner][0][axis] = vertex->start[axis];
            points->at[corner][1][axis] = vertex->end[axis];
        }
    }
}

static inline uint32_t lanes_keep(uint32_t *to, const uint32_t *numbers, uint32_t bits)
{
    *to = numbers[0];
    return bits;
}

static inline uint32_t mask_bits(lane_mask mask)
{
    return mask;
}

const struct impact_kernels impact_kernels_scalar = IMPACT_KERNELS_ROW;
