/* Rays and points against the surface forest, sixteen lanes. */
#include "structures/surface/kernels/lookup_kernels.h"

#if defined(__x86_64__)

#include "simd/lanes_avx512.h"

#include "structures/surface/kernels/lookup_lanes.h"

const struct lookup_kernels lookup_kernels_avx512 = LOOKUP_KERNELS_ROW;

#endif
