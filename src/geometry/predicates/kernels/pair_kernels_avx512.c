/* Candidates in doubles, eight lanes. */
#include "geometry/predicates/kernels/pair_kernels.h"

#if defined(__x86_64__)

#include "simd/lanes_avx512.h"

#include "geometry/predicates/kernels/pair_lanes.h"

const struct pair_kernels pair_kernels_avx512 = PAIR_KERNELS_ROW;

#endif
