/* Pairs of moving boxes four at a time. */
#include "geometry/motion/motion_boxes.h"

#if defined(__x86_64__)

#include "simd/lanes_avx2.h"

#include "geometry/motion/motion_box_lanes.h"

const struct motion_box_kernels motion_box_kernels_avx2 = MOTION_BOX_KERNELS_ROW;

#endif
