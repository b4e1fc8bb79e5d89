/* Gradients and energies of blocks of elements, four at a time. */
#include "sim/elastic/block_kernels.h"

#if defined(__x86_64__)

#include "simd/lanes_avx2.h"

#include "sim/elastic/block_kernels_lanes.h"

const struct block_kernels block_kernels_avx2 = BLOCK_KERNELS_ROW;

#endif
