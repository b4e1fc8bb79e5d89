/* Products of the elements in floats, and gradients and energies in doubles, a register of AVX2 at a time. */
#include "sim/elements/float_kernels.h"

#if defined(__x86_64__)

#include "simd/lanes_avx2.h"

#include "sim/elements/block_kernels_lanes.h"
#include "sim/elements/float_kernels_lanes.h"

const struct float_kernels float_kernels_avx2 = FLOAT_KERNELS_ROW;
const struct block_kernels block_kernels_avx2 = BLOCK_KERNELS_ROW;

#endif
