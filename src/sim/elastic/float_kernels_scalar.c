/* Products of the elements in floats, one at a time. */
#include "simd/lanes_scalar.h"

#include "sim/elastic/float_kernels_lanes.h"

const struct float_kernels float_kernels_scalar = FLOAT_KERNELS_ROW;
