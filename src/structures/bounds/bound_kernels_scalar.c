/* Children of a bounding tree, one at a time. */
#include "simd/lanes_scalar.h"

#include "structures/bounds/bound_lanes.h"

const struct bound_kernels bound_kernels_scalar = BOUND_KERNELS_ROW;
