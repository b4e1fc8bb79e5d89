/* The double stages of the impact test over a block, one candidate at a time. See impact_double_kernels.h. */
#include "geometry/impact/impact_double_kernels.h"
#include "simd/lanes_scalar.h"

#include "geometry/impact/impact_double_lanes.h"

const struct impact_double_kernels impact_double_kernels_scalar = IMPACT_DOUBLE_KERNELS_ROW;
