/* Rays and points against the surface forest, eight lanes. */
#include "structures/surface/kernels/lookup_kernels.h"

#if defined(__x86_64__)

#include "simd/lanes_avx2.h"

#include "structures/surface/kernels/lookup_lanes.h"

const struct lookup_kernels lookup_kernels_avx2 = LOOKUP_KERNELS_ROW;

#endif
