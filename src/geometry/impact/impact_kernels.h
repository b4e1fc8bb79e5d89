/* Stage 0 of the impact test (geometry/impact/impact_test.h): candidates that certainly never meet, several at a time.
 *
 * Three rejects, in this order:
 *   - axes: on a coordinate axis all of one primitive is above all of the other at t = 0 and again at t = 1. Both move
 *     linearly, so it is above in between. Comparisons only, no rounding.
 *   - cubic: the Bernstein coefficients of D(t) = q . (a x b) have one certain sign: never coplanar.
 *   - free axis: a direction d with d . F of one certain sign at all corners of the difference F of the two primitives,
 *     at t = 0 and t = 1. Any d may be tried; it is the vector between the nearest points at t = 1/2, or the cross
 *     product of the sides where these are inside both primitives.
 *
 * Bounds (u = 2^-53; mq, ma, mb the largest components of the rounded differences q, a, b at both ends; P = mq ma mb;
 * first order, each with room for the rest):
 *   - a rounded difference has relative error u. A component of a x b: two products of error 3u ma mb each, and one
 *     subtraction: 8u ma mb, size at most 2 ma mb. a0 x b1 + a1 x b0: 20u ma mb, size 4 ma mb.
 *   - B0 = q0 . (a0 x b0): three products of 12u P and two additions of sums up to 4P and 6P: 46u P. The same for B3.
 *     3 B1 = q1 . (a0 x b0) + q0 . (a0 x b1 + a1 x b0): 46u + (3 * 28u + 20u) + 18u = 168u P. The same for 3 B2.
 *     Used: 64u P and 256u P.
 *   - d . x for a rounded difference x: three products of 2u max|d| m each, two additions: 11u max|d| m; the sums of
 *     up to three of them at the corners add 6u: 17u max|d| (mq + ma + mb). Used: 48u.
 *
 * Candidates with mq, ma or mb outside (2^-300, 2^300), or max|d| below 2^-700, are not rejected by the last two: so
 * underflow (2^-1075 per product) is far below the bounds, and nothing overflows.
 *
 * Every row of the table does the same operations in the same order: the same candidates survive.
 */
#ifndef DENT_GEOMETRY_IMPACT_KERNELS_H
#define DENT_GEOMETRY_IMPACT_KERNELS_H

#include <stdint.h>

#include "simd/kernel_choice.h"
#include "geometry/impact/impact_test.h"

#define IMPACT_LEAST_SIZE 0x1p-300
#define IMPACT_MOST_SIZE 0x1p300
#define IMPACT_LEAST_AXIS 0x1p-700

struct impact_kernels {
    /* Axes and cubic over candidates 0 .. count - 1: writes those not rejected, ascending, and returns how many. *axes
     * is increased by those the axes rejected. `survivors` has room for count + 16. By kind. */
    uint32_t (*reject[2])(const struct impact_vertex *vertices, const uint32_t (*corners)[4], uint32_t count,
                          uint32_t *survivors, uint64_t *axes);
    /* The free axis over the candidates of a list. */
    uint32_t (*separate[2])(const struct impact_vertex *vertices, const uint32_t (*corners)[4], const uint32_t *list,
                            uint32_t count, uint32_t *survivors);
};

extern const struct impact_kernels impact_kernels_scalar;
#if defined(__x86_64__)
extern const struct impact_kernels impact_kernels_avx2;
extern const struct impact_kernels impact_kernels_avx512;
#endif

static inline const struct impact_kernels *impact_kernels_for(dent_isa isa)
{
    return KERNELS_FOR(isa, impact_kernels_scalar, impact_kernels_avx2, impact_kernels_avx512);
}

#endif
