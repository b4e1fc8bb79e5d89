/* The double stages of the impact test in lanes, eight candidates at a time. See impact_double_kernels.h. */
#include "geometry/impact/impact_double_kernels.h"

#if defined(__x86_64__)

#include "simd/lanes_avx512.h"

#include "geometry/impact/impact_double_lanes.h"

const struct impact_double_kernels impact_double_kernels_avx512 = IMPACT_DOUBLE_KERNELS_ROW;

#endif
