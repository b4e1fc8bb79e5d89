/* A face against a cell in floats: the signs behind geometry/predicates/face_cell_overlap.h, as far as floats can tell.
 *
 * Coordinates are taken relative to the first corner of the face, in doubles, brought to a world of size 1 by powers of
 * two, and rounded to float. The signs are those of three kinds of determinant: corners of the cell over the plane of
 * the face; edges of the face against edges of the cell, as d . (s x t) + (t - s) . (p x q) for the edge from p to q =
 * p + d; corners of the face against faces of the cell.
 *
 * Bounds (u = 2^-24, X the largest |coordinate| of the seven points). A relative coordinate carries a relative error
 * of 1.001 u, so the differences in a determinant (at most 2 X) carry 2.002 u X, which changes it by at most 3 * 6 * (2
 * X)^2 * 2.002 u X < 145 u X^3. Roundings, counted product by product with every partial sum at its largest: edges: six
 * products of at most 4 X^3 with at most 16 u X^3 each, five sums of at most 24 u X^3: 216 u X^3; together below 361,
 * the filter takes 400; faces: normals of differences with 32 u X^2 a component, three products with 96 u X^3 each, two
 * sums of at most 48 u X^3: 384 u X^3; together below 529, the filter takes 600; heights: below 54 u X^3 + 18 u X^3,
 * taken as 100. The spare parts cover terms of second order. Underflow: products of three numbers below 2^-40 X are far
 * below the bound unless X itself is tiny; the bound gets 2^-100 added, and a determinant that is not above it is open.
 */
#ifndef DENT_GEOMETRY_OVERLAP_KERNELS_H
#define DENT_GEOMETRY_OVERLAP_KERNELS_H

#include <stdint.h>

#include "simd/kernel_choice.h"

/* A face, made ready once for all the cells it is compared with. */
struct overlap_face {
    double origin[3], first, second; /* x -> float((x - origin) * first * second) */
    float arm1[3], arm2[3];          /* second and third corner */
    float normal[3];                 /* arm1 x arm2 */
    float largest;                   /* of the |components| of the arms */
};

/* Sets of bits; where `open` has a bit the others mean nothing. */
struct overlap_signs {
    uint8_t above, above_open;      /* corners of the cell above the plane of the face */
    uint8_t edges[3], edges_open;   /* by edge k of the face: edges of the cell with a positive determinant */
    uint8_t within[3], within_open; /* by corner k of the face: faces of the cell with the corner on the side of a
                                       positive cell's interior */
};

struct overlap_kernels {
    void (*signs)(const struct overlap_face *face, const double *const cell[4], struct overlap_signs *signs);
    /* Orientation sign of each of `count` tetrahedra in doubles: 1, -1, or 0 when doubles leave it open (bound: 48 u
     * X^3 with X the largest difference, see orientation_predicates.h). Reads 8 bytes past the last coordinate of a
     * vertex. */
    void (*orientations)(const double (*xyz)[3], const uint32_t (*cells)[4], uint32_t count, int8_t *signs);
};

/* Of 8 X^3: made first, so that it is infinite before the sum of three products of at most 2 X^3 can be. */
#define ORIENTATION_BOUND (6.25 * 0x1p-53)
#define ORIENTATION_FLOOR 0x1p-900

void overlap_face_prepare(struct overlap_face *face, const double *const corners[3], double first, double second);

extern const struct overlap_kernels overlap_kernels_scalar;
#if defined(__x86_64__)
extern const struct overlap_kernels
    overlap_kernels_avx2; /* wide enough for seven points: the AVX-512 row uses it too */
#endif

#define OVERLAP_EDGE_BOUND (400 * 0x1p-24f)
#define OVERLAP_FACE_BOUND (600 * 0x1p-24f)
#define OVERLAP_HEIGHT_BOUND (100 * 0x1p-24f)
#define OVERLAP_FLOOR 0x1p-100f

static inline const struct overlap_kernels *overlap_kernels_for(dent_isa isa)
{
    return KERNELS_FOR(isa, overlap_kernels_scalar, overlap_kernels_avx2, overlap_kernels_avx2);
}

#endif
