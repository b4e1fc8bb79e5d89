/* Candidates in doubles, one number at a time. */
#include "simd/lanes_scalar.h"

#include "geometry/predicates/kernels/pair_lanes.h"

const struct pair_kernels pair_kernels_scalar = PAIR_KERNELS_ROW;
