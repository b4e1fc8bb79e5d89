/* Winding numbers, four lanes. */
#include "inside/winding_tree.h"

#if defined(__x86_64__)

#include "simd/lanes_avx2.h"

#include "inside/winding_lanes.h"

const struct winding_kernels winding_kernels_avx2 = WINDING_KERNELS_ROW;

#endif
