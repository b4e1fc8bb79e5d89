/* The leaves of the surface forest, one lane. */
#include "simd/lanes_scalar.h"

#include "structures/surface/kernels/surface_leaf.h"

const struct surface_kernels surface_kernels_scalar = SURFACE_KERNELS_ROW;
