/* Boxes, sixteen lanes. */
#include "boxes/kernels/box_kernels.h"

#if defined(__x86_64__)

#include "simd/lanes_avx512.h"

#include "boxes/kernels/box_lanes.h"

const struct box_kernels box_kernels_avx512 = BOX_KERNELS_ROW;

#endif
