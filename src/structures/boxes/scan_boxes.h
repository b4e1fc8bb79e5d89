/* Boxes in structure-of-arrays form against one window: the inner loop of a sweep. */
#ifndef DENT_STRUCTURES_SCAN_BOXES_H
#define DENT_STRUCTURES_SCAN_BOXES_H

#include "simd/kernel_choice.h"

/* On the two axes that a sweep along the third has not yet compared. */
struct box_columns {
    const float *lo1, *hi1, *lo2, *hi2;
};

struct box_window {
    float lo1, hi1, lo2, hi2;
};

/* Writes the indices i in [begin, end) of the boxes that meet the window (closed) to `found`, ascending, and returns
 * how many. `found` has room for end - begin + 16. */
typedef uint32_t scan_boxes_kernel(const struct box_columns *boxes, uint32_t begin, uint32_t end,
                                   const struct box_window *window, uint32_t *found);

scan_boxes_kernel scan_boxes_scalar;
#if defined(__x86_64__)
scan_boxes_kernel scan_boxes_avx2, scan_boxes_avx512;
#endif

static inline scan_boxes_kernel *scan_boxes_for(dent_isa isa)
{
    return KERNELS_FOR(isa, scan_boxes_scalar, scan_boxes_avx2, scan_boxes_avx512);
}

#endif
