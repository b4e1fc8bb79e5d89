/* Moving boxes, one at a time. */
#include "simd/lanes_scalar.h"

#include "structures/surface/kernels/moving_boxes_lanes.h"

const struct moving_box_kernels moving_box_kernels_scalar = MOVING_BOX_KERNELS_ROW;
