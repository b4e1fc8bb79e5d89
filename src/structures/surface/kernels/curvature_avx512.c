/* Masks and stars, sixteen lanes. See curvature_kernels.h. */
#include "structures/surface/kernels/curvature_kernels.h"

#if defined(__x86_64__)

#include "simd/lanes_avx512.h"

#include "structures/surface/kernels/curvature_leaf.h"

const struct curvature_kernels curvature_kernels_avx512 = CURVATURE_KERNELS_ROW;

#endif
