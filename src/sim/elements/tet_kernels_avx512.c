/* Passes over tetrahedra, eight at a time. */
#include "sim/elements/tet_kernels.h"

#if defined(__x86_64__)

#include "simd/lanes_avx512.h"

#include "sim/elements/tet_kernels_lanes.h"

const struct tet_kernels tet_kernels_avx512 = TET_KERNELS_ROW;

#endif
