/* Boxes and faces of the surface forest against one point or one ray, sixteen at a time: what rays and closest points
 * (query/lookup) skip. Everything is conservative: nothing that the exact test would take is left out.
 *
 * Coordinates are the rounded ones of surface_kernels.h, error e = FOREST_INPUT_ERROR each, u = 2^-24.
 *
 * Rays. A ray is cut to what lies in the box of the world, and has coordinates below 1.01 there. The boxes grow by `slack` on
 * every side: it covers e, the rounding of the ray, of its step and of the three operations of each parameter, all below
 * 8 u (coordinates and steps below 2.1), and what cutting the ray in doubles has cost. So computed entries come no later,
 * computed exits no earlier than the true ones.
 *
 * Faces. The line through o with direction d meets the closed face a b c only if the three volumes d . (B x C), d . (C x
 * A), d . (A x B), with A = a - o and so on, have no two strict and opposite signs. Let X, Y, Z be the largest
 * |components| of A, B, C and d. Each volume has six products of at most XYZ and eight roundings on each: 48 u XYZ.
 * Coordinates of the ray are off by at most 1.1 * 2^-24 (half an ulp of numbers below 2, and the cut), so each difference
 * is off by less than 2^-23 from that of true coordinates: 6 * 2^-23 (YZ + XZ + XY) = 12 u (...). Asked for are 64 u XYZ
 * + 16 u (YZ + XZ + XY) with 2^-22 added to X, Y, Z, which covers the second order and the roundings of the bound.
 */
#ifndef DENT_STRUCTURES_LOOKUP_KERNELS_H
#define DENT_STRUCTURES_LOOKUP_KERNELS_H

#include "geometry/metric/near_kernels.h"
#include "structures/surface/kernels/surface_kernels.h"

/* A ray in rounded coordinates: from, from + step. */
struct lookup_ray {
    float from[3], step[3];
    float inverse[3];          /* 1 / step, a tiny step in place of 0 */
    float from_lo[3], from_hi[3]; /* from + slack and from - slack: subtracted from the lower and the upper bounds */
    bool filter;               /* false: rounded too much for ray_faces */
};

struct lookup_kernels {
    /* Squared distances of the sixteen boxes from `offset` on to the one given; bits of those that are not above `limit`. Of
     * empty boxes any number or infinity. */
    uint32_t (*near_boxes)(float *const *lo, float *const *hi, uint32_t offset, const float box_lo[3],
                           const float box_hi[3], float limit, float squared[16]);
    /* Bits of the boxes that the ray may enter no later than `limit`, and when. Empty boxes: any bits. */
    uint32_t (*ray_boxes)(float *const *lo, float *const *hi, uint32_t offset, const struct lookup_ray *ray, float limit,
                          float entry[16]);
    /* Bits of the sixteen faces that the line of the ray may meet. Unused faces: any bits. */
    uint32_t (*ray_faces)(const struct leaf_points *leaf, const struct lookup_ray *ray);
    /* The corners of the sixteen faces as points 1, 2, 3 of the batch, and `point` as point 0 of all. */
    void (*batch_faces)(const struct leaf_points *leaf, const float point[3], struct near_batch *batch);
};

extern const struct lookup_kernels lookup_kernels_scalar;
#if defined(__x86_64__)
extern const struct lookup_kernels lookup_kernels_avx2;
extern const struct lookup_kernels lookup_kernels_avx512;
#endif

static inline const struct lookup_kernels *lookup_kernels_for(dent_isa isa)
{
    return KERNELS_FOR(isa, lookup_kernels_scalar, lookup_kernels_avx2, lookup_kernels_avx512);
}

#endif
