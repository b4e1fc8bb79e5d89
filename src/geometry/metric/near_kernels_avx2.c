/* The filter of the proximity search, and the measuring of pairs, eight floats or four doubles at a time. */
#include "geometry/metric/near_kernels.h"

#if defined(__x86_64__)

#include "simd/lanes_avx2.h"

#include "geometry/metric/near_lanes.h"

const struct near_kernels near_kernels_avx2 = NEAR_KERNELS_ROW;

#endif
