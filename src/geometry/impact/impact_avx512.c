/* Stage 0 of the impact test, eight candidates at a time. */
#include "geometry/impact/impact_kernels.h"

#if defined(__x86_64__)

#include "simd/lanes_avx512.h"

#include "geometry/impact/impact_lanes.h"

const struct impact_kernels impact_kernels_avx512 = IMPACT_KERNELS_ROW;

#endif
