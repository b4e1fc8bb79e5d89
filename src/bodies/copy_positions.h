/* Packed positions into aligned memory, with their bounds. */
#ifndef DENT_BODIES_COPY_POSITIONS_H
#define DENT_BODIES_COPY_POSITIONS_H

#include "simd/kernel_choice.h"

/* Copies packed vertices (at any address) and computes their bounds, lo > hi for none; false when some number is not
 * finite (the bounds are then of no use). A bound of zero has any sign. */
typedef bool copy_positions_kernel(const void *from, size_t vertex_count, double (*to)[3], double lo[3], double hi[3]);

copy_positions_kernel copy_positions_scalar;
#if defined(__x86_64__)
copy_positions_kernel copy_positions_avx2, copy_positions_avx512;
#endif

static inline copy_positions_kernel *copy_positions_for(dent_isa isa)
{
    return KERNELS_FOR(isa, copy_positions_scalar, copy_positions_avx2, copy_positions_avx512);
}

#endif
