/* Passes over rods, one strand at a time. */
#include "simd/lanes_scalar.h"

#include "sim/elements/rod_kernels_lanes.h"

const struct rod_kernels rod_kernels_scalar = ROD_KERNELS_ROW;
