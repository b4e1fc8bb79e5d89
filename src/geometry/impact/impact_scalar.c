/* Stage 0 of the impact test, one candidate at a time. */
#include "simd/lanes_scalar.h"

#include "geometry/impact/impact_lanes.h"

const struct impact_kernels impact_kernels_scalar = IMPACT_KERNELS_ROW;
