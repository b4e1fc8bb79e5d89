/* Nearest neighbours, one lane. */
#include "neighbours/kernels/neighbour_kernels.h"

#include "simd/lanes_scalar.h"

#include "neighbours/kernels/neighbour_lanes.h"

const struct neighbour_kernels neighbour_kernels_scalar = NEIGHBOUR_KERNELS_ROW;
