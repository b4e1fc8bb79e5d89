/* Searches and sums over clouds, four lanes. */
#include "clouds/kernels/cloud_kernels.h"

#if defined(__x86_64__)

#include "simd/lanes_avx2.h"

#include "clouds/kernels/cloud_lanes.h"

const struct cloud_kernels cloud_kernels_avx2 = CLOUD_KERNELS_ROW;

#endif
