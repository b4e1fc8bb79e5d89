/* Candidates in doubles, four lanes. */
#include "geometry/predicates/kernels/pair_kernels.h"

#if defined(__x86_64__)

#include "simd/lanes_avx2.h"

#include "geometry/predicates/kernels/pair_lanes.h"

const struct pair_kernels pair_kernels_avx2 = PAIR_KERNELS_ROW;

#endif
