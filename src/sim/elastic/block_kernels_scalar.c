/* Gradients and energies of blocks of elements, one at a time. */
#include "simd/lanes_scalar.h"

#include "sim/elastic/block_kernels_lanes.h"

const struct block_kernels block_kernels_scalar = BLOCK_KERNELS_ROW;
