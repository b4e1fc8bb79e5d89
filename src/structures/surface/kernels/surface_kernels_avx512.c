/* The leaves of the surface forest, sixteen lanes. */
#include "structures/surface/kernels/surface_kernels.h"

#if defined(__x86_64__)

#include "simd/lanes_avx512.h"

#include "structures/surface/kernels/surface_leaf.h"

const struct surface_kernels surface_kernels_avx512 = SURFACE_KERNELS_ROW;

#endif
