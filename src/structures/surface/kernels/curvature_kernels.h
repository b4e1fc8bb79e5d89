/* Two questions of the self-collision culling (structures/surface/surface_culling.h) about rounded coordinates of the surface
 * forest.
 *
 * Coordinates x are rounded with an absolute error of at most h = FOREST_INPUT_ERROR (surface_kernels.h); u = 2^-24.
 * True values carry no hat.
 *
 * Mask of a leaf: for which of the 26 signed directions D do all its faces satisfy n . D > 0, n = e1 x e2? A computed
 * difference differs from the true one by at most 2h + u |e| per component. With A, B the sums of the |components| of
 * e1, e2 the six products of the minors add up to at most A B; their roundings and those of the three differences
 * give 2.1 u A B, the errors of the edges 4.1 h (A + B)
 * + 2.1 u A B + 24.1 h^2, and the two sums of n . D (components of D are 0 or +-1: products are exact) 2.1 u A B. A bit
 * is set where the least computed n . D exceeds
 *
 *     8 u A B + 5 h (A + B) + 32 h^2 + 2^-130      (A, B the largest of the leaf; the last term covers float
 * underflow).
 *
 * Faces without area get no bit.
 *
 * Star of a closed polygon p_0 ... p_(n-1) about a point c, seen along D: with integer vectors E, F such that E x F = k
 * D, k > 0, put a_i = E . (p_i - c), b_i = F . (p_i - c); the turn from p_i to p_(i+1) is a_i b_(i+1) - a_(i+1) b_i,
 * positive iff the angle about c grows (by less than half a turn). E and F have at most two components, 0 or +-1; c is
 * any point of floats and carries no error. With m the largest |x| + |y| + |z| of a difference, a computed a_i or b_i
 * differs from the true one by at most d = 2h + 2.1 u m. While all points move on straight lines from the computed to
 * the true places, a turn changes by at most 4.1 m d + 2 d^2, and it is computed with an error of at most 4.2 u m^2. So
 * if every computed turn exceeds
 *
 *     16 u m^2 + 9 h m + 16 h^2 + 2^-130
 *
 * the turns stay positive all the way, and the number of whole turns about c, which cannot jump, is the same for
 * computed and true places. For the computed places it can be counted exactly: the angle grows by less than half a turn
 * each time, so each whole turn goes exactly once from a < 0 to a >= 0 (the half plane a >= 0 cannot be jumped over,
 * and neither can a < 0). `rises` counts that. (This replaces the bound away from zero on E . (p - c) that the method's
 * description asks for: regular meshes have many zeros there.)
 */
#ifndef DENT_STRUCTURES_CURVATURE_KERNELS_H
#define DENT_STRUCTURES_CURVATURE_KERNELS_H

#include <stddef.h>

#include "simd/kernel_choice.h"
#include "structures/surface/kernels/surface_kernels.h"

enum {
    CURVATURE_AXES = 13,
    CURVATURE_LANES = 16,
    LEAF_STRIDE = sizeof(struct leaf_points) / sizeof(float) /* from the coordinates of one leaf to those of the next */
};

_Static_assert(offsetof(struct leaf_points, x) == 0 && sizeof(struct leaf_points) % sizeof(float) == 0,
               "leaves are rows of floats");

/* Bit d: direction +axis d; bit d + 13: -axis d. Axes in the order of curvature_axes. */
#define CURVATURE_ALL ((1u << 2 * CURVATURE_AXES) - 1)

extern const int8_t curvature_axes[CURVATURE_AXES][3];
/* By signed direction: E and F. */
extern const float curvature_bases[2 * CURVATURE_AXES][2][3];

/* What a leaf looks like to the kernel: corners in consistent orientation; unused faces repeat the first. */
struct leaf_corners {
    _Alignas(16) uint8_t of[3][LEAF_FACES];
};

struct leaf_curvature {
    float normal[3]; /* sum of the computed face normals: a hint which direction to take */
    uint32_t mask;
};

/* Vertices of a polygon that lie one behind the other in a leaf: x of the first at points[place], y at place + 16, z at
 * place + 32. */
struct polygon_run {
    uint32_t slot, count; /* 1 to 16 */
};

struct star_question {
    const float
        *points; /* of the first leaf; runs are read in sixteens, so one more leaf must be readable behind the last */
    const struct polygon_run *runs;
    uint32_t run_count, count; /* count: vertices of all runs */
    const float (*basis)[3];
    const float *centre; /* null: the middle of the box of the polygon */
    float *a, *b,
        *xyz; /* xyz three times as long as a and b, which have star_room(count) floats; aligned to 64 bytes */
};

struct star_answer {
    float least_turn;
    float reach; /* m */
    uint32_t rises;
};

/* A turn above this is one of the true positions, too. */
static inline double star_bound(const struct star_answer *answer)
{
    double m = (double)answer->reach, h = (double)FOREST_INPUT_ERROR;
    return 16 * 0x1p-24 * m * m + 9 * h * m + 16 * h * h + 0x1p-130;
}

struct curvature_kernels {
    void (*leaf)(const struct leaf_points *points, const struct leaf_corners *corners,
                 struct leaf_curvature *curvature);
    void (*star)(const struct star_question *question, struct star_answer *answer);
};

extern const struct curvature_kernels curvature_kernels_scalar, curvature_kernels_avx2, curvature_kernels_avx512;

/* Room for a polygon: whole vectors, one vertex more, and what is written behind the last run. */
static inline uint32_t star_room(uint32_t count)
{
    return (count + 2 * CURVATURE_LANES) / CURVATURE_LANES * CURVATURE_LANES;
}

static inline const struct curvature_kernels *curvature_kernels_for(dent_isa isa)
{
    return KERNELS_FOR(isa, curvature_kernels_scalar, curvature_kernels_avx2, curvature_kernels_avx512);
}

#endif
