/* Stage 0 of the impact test, four candidates at a time. */
#include "geometry/impact/impact_kernels.h"

#if defined(__x86_64__)

#include "simd/lanes_avx2.h"

#include "geometry/impact/impact_lanes.h"

const struct impact_kernels impact_kernels_avx2 = IMPACT_KERNELS_ROW;

#endif
