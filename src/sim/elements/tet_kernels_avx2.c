/* Passes over tetrahedra, four at a time. */
#include "sim/elements/tet_kernels.h"

#if defined(__x86_64__)

#include "simd/lanes_avx2.h"

#include "sim/elements/tet_kernels_lanes.h"

const struct tet_kernels tet_kernels_avx2 = TET_KERNELS_ROW;

#endif
