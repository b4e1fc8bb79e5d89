/* Strand kernels, one lane: the reference version. */
#include "simd/lanes_scalar.h"
#include "structures/strands/kernels/strand_lanes.h"

const struct strand_kernels strand_kernels_scalar = STRAND_KERNELS_ROW;
