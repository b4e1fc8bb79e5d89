/* Boxes, one lane. */
#include "simd/lanes_scalar.h"

#include "boxes/kernels/box_lanes.h"

const struct box_kernels box_kernels_scalar = BOX_KERNELS_ROW;
