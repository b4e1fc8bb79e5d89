/* The filter of the proximity search, and the measuring of pairs, one lane. */
#include "simd/lanes_scalar.h"

#include "geometry/metric/near_lanes.h"

const struct near_kernels near_kernels_scalar = NEAR_KERNELS_ROW;
