/* The leaves of the surface forest in the vector unit: at most 16 faces on at most 16 vertices, one lane each.
 *
 * Coordinates of a world are rounded from doubles by one monotone map, x -> float((x - centre) * first * second), with
 * results in
 * [-1, 1] (forest_map; first and second are powers of two, two because one cannot reach from the smallest subnormal to
 * 1). Two facts carry everything: rounding is monotone, so boxes that are apart in float are apart; and the absolute
 * error of a rounded coordinate is at most e = FOREST_INPUT_ERROR (half a float ulp below 1 and the rounding of the
 * difference). All arithmetic is the same in every row of the table, without contraction, so every instruction set
 * takes the same decisions.
 *
 * Plane filter. s = d . (e1 x e2) with e1, e2 two edges of a face and d from its first corner to a vertex, all from
 * rounded coordinates. Let u = 2^-24, L1, L2 the sums of the |components| of e1 and e2, and D the largest |component|
 * any d can have. The six products have magnitudes that add up to at most D L1 L2, and each carries at most 8
 * roundings: three differences, two products, the difference of the minor, two sums. Moving every rounded coordinate by
 * e moves each difference by 2e, hence s by at most 2e L1 L2 + 4e D (L1 + L2) to first order. With e < 0.501 u the
 * total is below
 *
 *     8 u D L1 L2 + 1.01 u L1 L2 + 2.01 u D (L1 + L2).
 *
 * The filter compares with u (12 D L1 L2 + 3 (L1 L2 + D (L1 + L2))), with L1, L2, D made larger by 8e first: this
 * covers the terms of second order, the roundings of the bound, and float underflow (the bound is above 2^-75). A
 * vertex beyond the bound is strictly on its side.
 *
 * Narrow tests of pairs of faces. Signs of determinants of differences, d . (e1 x e2), X, Y, Z the largest differences of
 * each axis. In doubles of the positions themselves 48 u XYZ (geometry/predicates/kernels/pair_kernels.h). Before that in
 * floats of the rounded coordinates, u = 2^-24: moving both ends of every difference by e changes each of the six
 * products by at most 2e (YZ + XZ + XY) in all three factors, so 12 e (YZ + XZ + XY) < 6.02 u (...) is added; used are 50
 * u XYZ + 7 u (YZ + XZ + XY) with 4e added to X, Y, Z, which covers true differences and the roundings of the bound.
 * Where a side is left open, directions w across the edges in the planes of the faces are tried: w, however it was
 * rounded, separates when the two ranges of w . (p - a0) are apart by more than their errors. Each w . p has one rounding
 * of a difference, one of a product and two of sums: at most 4 u |w|_1 X to first order, X the largest |component| of a
 * difference; two ends: 8 u |w|_1 X. Each end also moves by 2e |w|_1, both by less than 2.01 u |w|_1: asked for are u
 * |w|_1 (10 X + 3) + 2^-120.
 */
#ifndef DENT_STRUCTURES_SURFACE_KERNELS_H
#define DENT_STRUCTURES_SURFACE_KERNELS_H

#include <stdbool.h>
#include <stdint.h>

#include "simd/kernel_choice.h"

enum { LEAF_FACES = 16, LEAF_VERTICES = 16, FLOAT_BATCH = 16 };

#define FOREST_INPUT_ERROR (0x1.008p-25f)

struct forest_map {
    double centre[3], first, second;
};

/* A leaf in one snapshot: all that a search touches, in a row of five cache lines. Unused places repeat the first vertex.
 */
struct leaf_points {
    _Alignas(64) float x[3][LEAF_VERTICES]; /* rounded coordinates: all that `load` writes */
    uint8_t corners[3][LEAF_FACES];         /* of each face: slots in x, 0 for unused faces; never changes */
    uint32_t face_count;                    /* never changes */
    float lo[3], hi[3];                     /* of the points */
};

/* What the comparison of two leaves makes of one of them; may be kept while the leaf is compared with others. */
struct leaf_side {
    _Alignas(64) float lo[3][LEAF_FACES], hi[3][LEAF_FACES]; /* boxes of the faces */
    float base[3][LEAF_FACES], normal[3][LEAF_FACES];        /* planes */
    float slope[LEAF_FACES], floor[LEAF_FACES];              /* bound of the plane filter: slope * reach + floor */
    const struct leaf_points *leaf;
    bool has_planes;
};

/* Pairs of faces: rounded coordinates of the corners a0 a1 a2 b0 b1 b2. */
struct float_batch {
    _Alignas(64) float corner[6][3][FLOAT_BATCH];
};

/* Bits of the batch; in neither set: open. */
struct narrow_signs {
    uint32_t apart, crossing;
};

struct surface_kernels {
    /* Gathers and rounds the vertices of a leaf. Reads 8 bytes past the last coordinate of a vertex. */
    void (*load)(const uint32_t vertices[LEAF_VERTICES], const double (*xyz)[3], const struct forest_map *map,
                 struct leaf_points *points);
    /* Bounds of the points along the first axis_count (3, 7, 9 or 13) axes; those behind the third are made larger by
     * their rounding. */
    void (*bound)(const struct leaf_points *points, int axis_count, float *lo, float *hi);
    /* Bit i: volume i of the sixteen at lo[axis] + offset, hi[axis] + offset meets the one given (closed). */
    uint32_t (*meet)(float *const *lo, float *const *hi, uint32_t offset, int axis_count, const float *box_lo,
                     const float *box_hi);
    /* Boxes of the faces of a leaf. */
    void (*prepare)(const struct leaf_points *leaf, struct leaf_side *side);
    /* Pairs of faces (16 * face of a + face of b) whose boxes meet and that no plane of theirs separates; those with
     * their bit set in `shares` are left out (null: none). `side_a` is prepared; `side_b` is made when needed, or the
     * same as side_a for a leaf with itself. Room for 256. */
    uint32_t (*leaf_pair)(struct leaf_side *side_a, const struct leaf_points *b, struct leaf_side *side_b,
                          const uint16_t *shares, uint8_t *found);
    struct narrow_signs (*narrow_floats)(const struct float_batch *batch);
};

extern const struct surface_kernels surface_kernels_scalar;
#if defined(__x86_64__)
extern const struct surface_kernels surface_kernels_avx2;
extern const struct surface_kernels surface_kernels_avx512;
#endif

/* The 13 axes of the volumes as integers: 3 of the box, 4 diagonals of the cube, 6 of its faces. The sets of 6, 14, 18
 * and 26 directions are the axes 0-2; 0-6; 0-2 and 7-12; all. A volume of 18 directions keeps the axes 7-12 in places
 * 3-8. */
#define VOLUME_ROUNDING 0x1p-20f

static inline const struct surface_kernels *surface_kernels_for(dent_isa isa)
{
    return KERNELS_FOR(isa, surface_kernels_scalar, surface_kernels_avx2, surface_kernels_avx512);
}

#endif
