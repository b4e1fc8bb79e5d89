/* The double stages of the impact test in lanes, one candidate at a time. See impact_double_kernels.h. */
#include "geometry/impact/impact_double_kernels.h"

#include <math.h>

#include "geometry/impact/impact_internal.h"
#include "geometry/impact/impact_kernels.h"
#include "geometry/impact/impact_time.h"
#include "simd/lanes_scalar.h"

#include "geometry/impact/impact_double_lanes.h"

const struct impact_double_kernels impact_double_kernels_scalar = IMPACT_DOUBLE_KERNELS_ROW;
