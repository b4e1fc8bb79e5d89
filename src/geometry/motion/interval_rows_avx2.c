/* Rows of intervals, four lower and four upper ends in a register each. */
#include "geometry/motion/interval_kernels.h"

#if defined(__x86_64__)

#include "simd/lanes_avx2.h"

#include "geometry/motion/interval_rows.h"

const struct interval_kernels interval_kernels_avx2 = INTERVAL_KERNELS_ROW;

#endif
