/* Pairs of moving boxes one at a time. */
#include "simd/lanes_scalar.h"

#include "geometry/motion/motion_box_lanes.h"

const struct motion_box_kernels motion_box_kernels_scalar = MOTION_BOX_KERNELS_ROW;
