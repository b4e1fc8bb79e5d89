/* BSP tree of a solid, one lane. */
#include "inside/solid_bsp.h"

#include "simd/lanes_scalar.h"

#include "inside/bsp_lanes.h"

const struct bsp_kernels bsp_kernels_scalar = BSP_KERNELS_ROW;
