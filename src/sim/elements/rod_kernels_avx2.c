/* Passes over rods, four strands at a time. */
#include "sim/elements/rod_kernels.h"

#if defined(__x86_64__)

#include "simd/lanes_avx2.h"

#include "sim/elements/rod_kernels_lanes.h"

const struct rod_kernels rod_kernels_avx2 = ROD_KERNELS_ROW;

#endif
