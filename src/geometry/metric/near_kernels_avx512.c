/* The filter of the proximity search, and the measuring of pairs, sixteen floats or eight doubles at a time. */
#include "geometry/metric/near_kernels.h"

#if defined(__x86_64__)

#include "simd/lanes_avx512.h"

#include "geometry/metric/near_lanes.h"

const struct near_kernels near_kernels_avx512 = NEAR_KERNELS_ROW;

#endif
