/* The filter of the proximity search, and the measuring of pairs, the scalar row; the compiler may use what every
 * machine of its kind has. */
#include "geometry/metric/near_filter.h"

#include <dent/base.h>
#include <math.h>

#define FEATURE_LANES 1
#define FEATURE_ROOT(x) ((row){sqrt((x)[0])})

#include "geometry/metric/feature_rows.h"

static inline uint32_t meet_sixteen(const struct feature_boxes *boxes, uint32_t at, const float lo[3],
                                    const float hi[3])
{
    uint32_t bits = 0;
    for (uint32_t i = 0; i < 16; i++) {
        uint32_t meets = 1;
        for (int axis = 0; axis < 3; axis++) {
            meets &= (boxes->lo[axis][at + i] <= hi[axis]) & (boxes->hi[axis][at + i] >= lo[axis]);
        }
        bits |= meets << i;
    }
    return bits;
}

static void match_vertices(const uint32_t a[16], const uint32_t b[16], uint16_t same[16])
{
    for (int j = 0; j < 16; j++) {
        uint32_t bits = 0;
        for (int i = 0; i < 16; i++) {
            bits |= (uint32_t)(a[i] == b[j]) << i;
        }
        same[j] = (uint16_t)bits;
    }
}

#include "geometry/metric/near_boxes.h"

const struct near_kernels near_kernels_scalar = {meet_boxes,   meet_box_rows, match_vertices,  far_edges,
                                                 far_vertices, measure_edges, measure_vertices};
