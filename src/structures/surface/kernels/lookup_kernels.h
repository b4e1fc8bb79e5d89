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
 * Faces. Corners are taken relative to a point o of the ray near the leaf, and sheared along the ray onto the plane of its
 * two smaller components: p_i = (x_i - o_i) - S_i (x_k - o_k), S_i = d_i / d_k. The line meets the closed face only if the
 * three products P x Q of neighbouring corners have no two strict and opposite signs. Let L be the largest |x - o|.
 * Coordinates are off by e = 0.501 u; o by u from rounding and u/4 from the cut, so 2.52 u off the line in that plane; S by
 * 0.51 u. With the roundings of the differences and of the product, p is off by less than 3.6 u + 5.6 u L; D = 4 u + 6 u L
 * covers the second order. |p| is at most M = 2 L + D. A product P x Q is off by 4 M D + 2 D^2 and three roundings, 4 u
 * M^2: together below 32 u L + 64 u L^2 + 100 u^2 + ... . Asked for are 34 u R + 68 u R^2 with R = L + 16 u.
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
    float shear[2];            /* step of axes 0 and 1 over that of axis 2, at most 1 */
    uint8_t axes[3];           /* the last one: of the largest component */
    bool filter;               /* false: rounded too much for ray_faces; no shear and no axes */
};

struct lookup_kernels {
    /* Squared distances of the sixteen boxes from `offset` on to the one given; bits of those that are not above `limit`. Of
     * empty boxes any number or infinity. */
    uint32_t (*near_boxes)(float *const *lo, float *const *hi, uint32_t offset, const float box_lo[3],
                           const float box_hi[3], float limit, float squared[16]);
    /* Bits of the boxes that the ray may enter no later than `limit`, and when. Empty boxes: any bits. */
    uint32_t (*ray_boxes)(float *const *lo, float *const *hi, uint32_t offset, const struct lookup_ray *ray, float limit,
                          float entry[16]);
    /* Bits of the sixteen faces that the line of the ray may meet; `place`: a point of the ray, rounded. Unused faces: any
     * bits. */
    uint32_t (*ray_faces)(const struct leaf_points *leaf, const struct lookup_ray *ray, const float place[3]);
    /* Bits of the sixteen faces that may be no farther from `point` than *reach. Where a face is certainly nearer, that is
     * lowered first: to its distance and `slack`. Unused faces: any bits. */
    uint32_t (*near_faces)(const struct leaf_points *leaf, const float point[3], float slack, float *reach);
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
