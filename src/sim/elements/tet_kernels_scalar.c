/* Passes over tetrahedra, one at a time. */
#include "simd/lanes_scalar.h"

#include "sim/elements/tet_kernels_lanes.h"

const struct tet_kernels tet_kernels_scalar = TET_KERNELS_ROW;
