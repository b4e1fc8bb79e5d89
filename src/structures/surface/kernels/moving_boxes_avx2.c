/* Moving boxes, eight at a time. */
#include "structures/surface/kernels/moving_boxes.h"

#if defined(__x86_64__)

#include "simd/lanes_avx2.h"

#include "structures/surface/kernels/moving_boxes_lanes.h"

const struct moving_box_kernels moving_box_kernels_avx2 = MOVING_BOX_KERNELS_ROW;

#endif
