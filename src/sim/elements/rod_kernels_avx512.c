/* Passes over rods, eight strands at a time. */
#include "sim/elements/rod_kernels.h"

#if defined(__x86_64__)

#include "simd/lanes_avx512.h"

#include "sim/elements/rod_kernels_lanes.h"

const struct rod_kernels rod_kernels_avx512 = ROD_KERNELS_ROW;

#endif
