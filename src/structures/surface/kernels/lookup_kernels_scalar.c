/* Rays and points against the surface forest, one lane. */
#include "structures/surface/kernels/lookup_kernels.h"

#include "simd/lanes_scalar.h"

#include "structures/surface/kernels/lookup_lanes.h"

const struct lookup_kernels lookup_kernels_scalar = LOOKUP_KERNELS_ROW;
