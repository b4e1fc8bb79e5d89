/* Masks and stars, eight lanes. See curvature_kernels.h. */
#include "structures/surface/kernels/curvature_kernels.h"

#if defined(__x86_64__)

#include "simd/lanes_avx2.h"

#include "structures/surface/kernels/curvature_leaf.h"

const struct curvature_kernels curvature_kernels_avx2 = CURVATURE_KERNELS_ROW;

#endif
