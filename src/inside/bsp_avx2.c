/* BSP tree of a solid, four lanes. */
#include "inside/solid_bsp.h"

#if defined(__x86_64__)

#include "simd/lanes_avx2.h"

#include "inside/bsp_lanes.h"

const struct bsp_kernels bsp_kernels_avx2 = BSP_KERNELS_ROW;

#endif
