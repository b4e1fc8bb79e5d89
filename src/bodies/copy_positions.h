/* Packed positions into aligned memory, with their bounds.
 *
 * The rows for AVX2 and AVX-512 are written with intrinsics, not over the lanes of simd/lanes.h. A lane belongs to an
 * axis here, and bodies may have a handful of vertices: then the time is that of bringing lanes together by axis, which
 * takes permutations that differ with the width. A common text, tried in a loop over 12 vertices, took 33 ns instead of
 * 7 (AVX-512) and 14 instead of 11 (AVX2).
 */
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
