/* Searches and sums over clouds, one lane. */
#include "clouds/kernels/cloud_kernels.h"

#include "simd/lanes_scalar.h"

#include "clouds/kernels/cloud_lanes.h"

const struct cloud_kernels cloud_kernels_scalar = CLOUD_KERNELS_ROW;
