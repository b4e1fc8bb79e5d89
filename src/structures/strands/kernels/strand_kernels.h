/* Four neighbouring segments of a strand against four others, sixteen distances at once, in floats: near for sure, far
 * for sure, or open. What is open is decided in doubles (geometry/metric/feature_distance.h), so that floats change the
 * work and never the answer.
 *
 * Coordinates. The world is centred and scaled by a power of two to [-1, 1]. A packet has an origin, a multiple of 2^-22,
 * so that differences of origins are exact in float, and its vertices relative to that. The test moves packet b into the
 * frame of packet a. Let M bound all |coordinates| of both in that frame and e = 2^-24. A coordinate is wrong by at most
 * 2.1 e M: one rounding of the relative coordinate, one of the move, and 2^-54 of the centring, as M >= 2^-26
 * (SMALLEST_EXTENT: strands may be tiny beside the world). Segments are differences of unrounded ends, rounded once.
 *
 * The two points. For u, v the segments and w from b to a, places s, t in [0, 1] are computed in the usual way. Nothing
 * below depends on how good they are. With r = w + s u - t v, components of u, v, w are wrong by 6.3 e M, those of r by
 * (6.3 + 2 * 8.3 + 12) e M = 35 e M, so |r| by sqrt(3) times that, 61 e M.
 *
 * Near. The two points exist, so the true distance d is at most |r| + 61 e M. The computation in doubles gives at most
 * D <= d + 2^-20 M: where the segments are closest at an end of one, a place on the other that is wrong by c u E costs
 * (c u E)^2 in the squared distance, u = 2^-53, E <= 2 M. Where they are closest inside both at an angle theta, the place
 * from cross products is wrong by c u |w| / (|u| sin^2 theta) at most, and a wrong place costs (its error * |u| sin
 * theta)^2; for sin theta >= 2^-24 that is (c 2^-28 E)^2, and for smaller ones the ends considered are as near up to
 * (|u| sin theta)^2. With c <= 64 both are below (2^-21 E)^2. So d <= R - 2^-17 M makes the pair near: 2^-17 > 61 e + 2^-20,
 * and R, the sum of two radii rounded to float, is made smaller by 2^-22 of itself first.
 *
 * Far. f(s, t) = |r|^2 is convex, so nowhere on the square is it below f - gap, where gap is the most that the tangent
 * plane at (s, t) falls within the square: max(gs s, -gs (1 - s)) + max(gt t, -gt (1 - t)) with gs = 2 u.r, gt = -2 v.r.
 * Errors: gs by 82 e M |u|_1 + 13 e M |r|_1, gt alike, f by 122 e M |r| + 3 e f. The terms with |r| together are below
 * 166 e M |r| <= 2^-10 f + e M^2. So the pair is far when
 *
 *     (1 - 2^-9) f - 1.001 gap > (R (1 + 2^-22) + e M)^2 + 96 e M (|u|_1 + |v|_1) + e M^2 + 2^-120,
 *
 * where e M covers 32 u E of the lower bound of D, and 2^-120 underflow. |u|_1 and |v|_1 are at most six times the extents
 * of their packets, which is taken for them: one number for all sixteen pairs. All rows give the same bits.
 *
 * Boxes. They have nine axes, three of the coordinates and six diagonals. Sixteen lie together, the ends on an axis side
 * by side, so that a box is compared with sixteen others out of one run of memory.
 */
#ifndef DENT_STRUCTURES_STRAND_KERNELS_H
#define DENT_STRUCTURES_STRAND_KERNELS_H

#include <stdbool.h>
#include <stdint.h>

#include "simd/kernel_choice.h"

enum { PACKET_SEGMENTS = 4, PACKET_AXES = 9, PACKET_ARITY = 16 };

/* Two cache lines. Missing segments are the last vertex. */
struct strand_packet {
    _Alignas(64) float start[4][PACKET_SEGMENTS]; /* x, y, z of first ends, relative to the origin; radii */
    float along[3][PACKET_SEGMENTS];              /* from first to second ends */
    float origin[3];
    float extent; /* the largest |relative coordinate|, at least 2^-26 */
};

_Static_assert(sizeof(struct strand_packet) == 128, "a packet is two cache lines");

/* Bit 4 i + j: segment i of a and j of b. */
struct packet_signs {
    uint16_t near, open;
};

/* Sixteen boxes: of the packets or nodes of a group. Empty ones have lo = infinity, hi = -infinity. */
struct packet_boxes {
    _Alignas(64) float lo[PACKET_AXES][PACKET_ARITY];
    float hi[PACKET_AXES][PACKET_ARITY];
};

/* One box. */
struct axis_bounds {
    float lo[PACKET_AXES], hi[PACKET_AXES];
};

/* A group of packets to refit. Lanes beyond `count` repeat an earlier one. */
struct packet_refit {
    uint32_t count;
    const double *vertices[PACKET_SEGMENTS + 1][PACKET_ARITY]; /* where they are; missing ones: the last */
    float radii[PACKET_SEGMENTS][PACKET_ARITY];                /* of the segments, scaled */
    uint8_t middle[PACKET_ARITY];                              /* the vertex near the origin */
    double centre[3], scale[2];
    float slack; /* what boxes grow by besides the radius */
};

/* Subtracting the centre is wrong by 2^-54 at most: with an extent no smaller than this, that is a sixteenth of e M. */
#define SMALLEST_EXTENT 0x1p-26f

struct strand_kernels {
    /* Signs of the packet a with each of others[0 … count - 1]. */
    void (*test)(const struct strand_packet *packets, uint32_t a, const uint32_t *others, uint32_t count,
                 struct packet_signs *signs);
    /* Which of sixteen boxes meet a box, as bits. */
    uint32_t (*meet)(const struct packet_boxes *boxes, const struct axis_bounds *box);
    /* The same for each of the boxes in `wanted`: those found, numbered from `first`, are appended to its partners. Room
     * for sixteen more than are found. `itself`: the boxes are those of `each`, and only those from a box on count. */
    void (*meet_each)(const struct packet_boxes *boxes, const struct axis_bounds *each, uint32_t wanted, uint32_t first,
                      bool itself, uint32_t *const partners[PACKET_ARITY], uint32_t counts[PACKET_ARITY]);
    /* Packets and boxes of a group, and the box around them. */
    void (*refit)(const struct packet_refit *refit, struct strand_packet *packets, struct packet_boxes *boxes,
                  struct axis_bounds *around);
};

extern const struct strand_kernels strand_kernels_scalar;
#if defined(__x86_64__)
extern const struct strand_kernels strand_kernels_avx2;
extern const struct strand_kernels strand_kernels_avx512;
#endif

static inline const struct strand_kernels *strand_kernels_for(dent_isa isa)
{
    return KERNELS_FOR(isa, strand_kernels_scalar, strand_kernels_avx2, strand_kernels_avx512);
}

#endif
