/* Gradients and energies of blocks of elements, eight at a time. */
#include "sim/elastic/block_kernels.h"

#if defined(__x86_64__)

#include "simd/lanes_avx512.h"

#include "sim/elastic/block_kernels_lanes.h"

const struct block_kernels block_kernels_avx512 = BLOCK_KERNELS_ROW;

#endif
