/* Products of the elements in floats, and gradients and energies in doubles, one at a time. */
#include "simd/lanes_scalar.h"

#include "sim/elements/block_kernels_lanes.h"
#include "sim/elements/float_kernels_lanes.h"

const struct float_kernels float_kernels_scalar = FLOAT_KERNELS_ROW;
const struct block_kernels block_kernels_scalar = BLOCK_KERNELS_ROW;
