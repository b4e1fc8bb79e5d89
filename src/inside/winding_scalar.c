/* Winding numbers, one lane. */
#include "inside/winding_tree.h"

#include "simd/lanes_scalar.h"

#include "inside/winding_lanes.h"

const struct winding_kernels winding_kernels_scalar = WINDING_KERNELS_ROW;
