/* Children of a bounding tree, four at a time. */
#include "structures/bounds/bound_kernels.h"

#if defined(__x86_64__)

#include "simd/lanes_avx2.h"

#include "structures/bounds/bound_lanes.h"

const struct bound_kernels bound_kernels_avx2 = BOUND_KERNELS_ROW;

#endif
