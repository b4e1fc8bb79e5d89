/* Rows of intervals, one interval after the other. */
#include "simd/lanes_scalar.h"

#include "geometry/motion/interval_rows.h"

const struct interval_kernels interval_kernels_scalar = INTERVAL_KERNELS_ROW;
