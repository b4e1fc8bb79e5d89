/* Candidates of the discrete questions in doubles, a pair to a lane: certainly no answer, certainly one, or open. What is
 * open goes to the exact tests, so lanes change the work and never the answer.
 *
 * The signs are determinants of differences d . (e x f), computed as orientation_predicates.h counts them. In each of the
 * six products there are three roundings of differences, one of the product inside e x f, one of the difference there,
 * one of the product with d, and one or two of the sum of three: 46 u XYZ in all, with u = 2^-53 and X, Y, Z the largest
 * |differences| of each axis. SINGLE takes 48 u, which covers terms in u^2 and the roundings of the bound (below 500 u^2
 * XYZ). Without fused multiply-add: with it each product would lose one rounding, and rows of different instruction
 * sets would leave different lanes open.
 *
 * Some signs are sums of four such determinants, which share their factors:
 *   - the side of q of the face opposite the first corner of a tetrahedron, what is left of the volume
 *     b.(c x d) - q.(c x d) - q.(d x b) - q.(b x c);
 *   - the edge from p to q of a triangle o p q against the edge from s to t of a tetrahedron, all as differences from o:
 *     q.(s x t) - p.(s x t) + t.(p x q) - s.(p x q).
 * Four times 48 u XYZ and three sums of numbers below 24 XYZ come to 264 u XYZ; FOURFOLD takes 272 u.
 *
 * The whole range of exponents. Differences of finite doubles are exact or rounded once, never lost to underflow; they
 * may be infinite. Where one is above 2^300 the bound is infinite, and the lane stays open; below that no product of
 * three overflows (6 * 2^900). Underflow loses at most 2^-1074 in a product of two; times a difference and summed up it
 * comes to less than 24 * 2^-1074 * 2^300, and that of the bound itself is smaller: 2^-760 is added, so that lanes of
 * tiny coordinates stay open. NaN compares as open.
 *
 * Zeros that doubles cannot see but comparisons can: a corner that equals one of the other element lies in every plane
 * and on every edge line through it. Parts that were meshed together have thousands of such corners. With `touching`
 * these zeros are not used: a pair that touches must not be taken for one that is apart.
 *
 * The arithmetic is the same in every row of the table: all instruction sets leave the same lanes open.
 */
#ifndef DENT_GEOMETRY_PAIR_KERNELS_H
#define DENT_GEOMETRY_PAIR_KERNELS_H

#include <stdbool.h>
#include <stdint.h>

#include "simd/kernel_choice.h"

enum { PAIR_BATCH = 8, PAIR_CORNERS = 7 };

/* Positions of the corners of eight pairs, a before b: [corner][lane]. The double behind each position is read, too.
 * Unused lanes repeat another one. */
struct pair_rows {
    const double *corner[PAIR_CORNERS][PAIR_BATCH];
};

/* Bits of lanes; in none of them: open. */
struct pair_bits {
    uint32_t apart;    /* certainly no answer */
    uint32_t meet;     /* certainly one: inside a cell, in a cell, crossing */
    uint32_t coplanar; /* PAIR_FACE_FACE: certainly one, in one plane */
    uint32_t
        uncut; /* PAIR_FACE_CELL: no plane of the cell separates, no corner is inside; PAIR_FACE_CELL_CUT decides */
};

enum pair_kernel_kind {
    PAIR_VERTEX_CELL, /* a vertex in the open tetrahedron */
    PAIR_FACE_CELL,   /* a face against the planes of a tetrahedron */
    PAIR_FACE_FACE,   /* two faces */
    PAIR_FACE_CELL_CUT,
    PAIR_KERNEL_COUNT
};

typedef struct pair_bits pair_kernel(const struct pair_rows *rows, bool touching);

struct pair_kernels {
    pair_kernel *test[PAIR_KERNEL_COUNT];
};

extern const struct pair_kernels pair_kernels_scalar;
#if defined(__x86_64__)
extern const struct pair_kernels pair_kernels_avx2;
extern const struct pair_kernels pair_kernels_avx512;
#endif

static inline const struct pair_kernels *pair_kernels_for(dent_isa isa)
{
    return KERNELS_FOR(isa, pair_kernels_scalar, pair_kernels_avx2, pair_kernels_avx512);
}

#endif
