/* BSP tree of a solid, eight lanes. */
#include "inside/solid_bsp.h"

#if defined(__x86_64__)

#include "simd/lanes_avx512.h"

#include "inside/bsp_lanes.h"

const struct bsp_kernels bsp_kernels_avx512 = BSP_KERNELS_ROW;

#endif
