/* Nearest neighbours, four lanes. */
#include "neighbours/kernels/neighbour_kernels.h"

#if defined(__x86_64__)

#include "simd/lanes_avx2.h"

#include "neighbours/kernels/neighbour_lanes.h"

const struct neighbour_kernels neighbour_kernels_avx2 = NEIGHBOUR_KERNELS_ROW;

#endif
