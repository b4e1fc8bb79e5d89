/* Strand kernels, eight lanes. */
#include "structures/strands/kernels/strand_kernels.h"

#if defined(__x86_64__)

#include "simd/lanes_avx2.h"
#include "structures/strands/kernels/strand_lanes.h"

const struct strand_kernels strand_kernels_avx2 = STRAND_KERNELS_ROW;

#endif
