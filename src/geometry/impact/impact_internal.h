/* What the stages of the impact test share among themselves. See impact_test.h. */
#ifndef DENT_GEOMETRY_IMPACT_INTERNAL_H
#define DENT_GEOMETRY_IMPACT_INTERNAL_H

#include "geometry/impact/impact_test.h"

/* Differences of every query, at both ends: q from the origin of one primitive to the other, a and b along the sides.
 *
 *     vertex-face:  q = p - f0,   a = f1 - f0,   b = f2 - f0       contact: q = u a + v b
 *     edge-edge:    q = b0 - a0,  a = a1 - a0,   b = b1 - b0       contact: q = u a - v b
 */
struct impact_pairs {
    uint8_t q[2], a[2], b[2]; /* corner minus corner */
};

static inline struct impact_pairs impact_pairs_of(enum impact_kind kind)
{
    return kind == IMPACT_VERTEX_FACE ? (struct impact_pairs){{0, 1}, {2, 1}, {3, 1}}
                                      : (struct impact_pairs){{2, 0}, {1, 0}, {3, 2}};
}

static inline bool impact_all_finite(const struct impact_vertex *const corners[4])
{
    double sum = 0.0; /* x - x is 0 for finite x only */
    for (int i = 0; i < 4; i++) {
        for (int axis = 0; axis < 3; axis++) {
            sum +=
                (corners[i]->start[axis] - corners[i]->start[axis]) + (corners[i]->end[axis] - corners[i]->end[axis]);
        }
    }
    return sum == 0.0;
}

/* Whether doubles round to nearest and keep subnormals, as all bounds assume. A program may have changed that. */
static inline bool impact_arithmetic_is_ordinary(void)
{
    volatile double one = 1.0, half_ulp = 0x1p-53, more = 0x1.8p-53, least = 0x1p-1022;
    return one + half_ulp == 1.0 && one + more > 1.0 && least * 0.5 > 0.0;
}

/* Bounds of rounding errors in the double stages, derived in impact_double.c; tests/geometry/
 * test_impact_bounds_rational.c holds them against the derivation and against exact rationals. Times mq ma mb: the
 * coplanarity cubic D and its derivative. Times the sizes of the two factors: a component of a cross product; times the
 * sum of the three products: differences of such. Times max|d| (mq + ma + mb): d . F at a corner. */
#define IMPACT_CUBIC_BOUND (160 * 0x1p-53)
#define IMPACT_SLOPE_BOUND (1280 * 0x1p-53)
#define IMPACT_CROSS_BOUND (32 * 0x1p-53)
#define IMPACT_REST_BOUND (40 * 0x1p-53)
#define IMPACT_AXIS_BOUND (48 * 0x1p-53)

/* How the double stages search: where an interval is split, which is too short, how far a bracket goes beyond the root
 * that Newton's method finds. */
#define IMPACT_SPLIT 0.4837
#define IMPACT_SHORTEST_INTERVAL 1e-7
#define IMPACT_BRACKET 2e-8

/* Point on segment: the choices that can hold where the cross product of the sides vanishes. {point, end, end} */
static const uint8_t impact_on_segment[2][4][3] = {
    {{0, 1, 2}, {0, 1, 3}, {0, 2, 3}, {0, 0, 0}},
    {{0, 2, 3}, {1, 2, 3}, {2, 0, 1}, {3, 0, 1}},
};

static inline int impact_on_segment_count(enum impact_kind kind)
{
    return kind == IMPACT_VERTEX_FACE ? 3 : 4;
}

/* Stage 3: whether there is a contact, and then its time. limbs: IMPACT_LIMBS of them; null: ordinary input takes 32
 * KiB of the stack, other input a block from the C library, and without one there is no answer: IMPACT_ERROR. */
enum impact_answer impact_exact_time(enum impact_kind kind, const struct impact_vertex *const corners[4],
                                     uint64_t *limbs, double *toi);

/* u, v and the normal of a contact at toi: one fixed sequence of operations in double, never not-a-number. */
void impact_describe_contact(enum impact_kind kind, const struct impact_vertex *const corners[4],
                             struct impact_result *result);

/* Stages 1 and 2. */
enum impact_verdict { IMPACT_CERTAINLY_FREE, IMPACT_CERTAINLY_HIT, IMPACT_UNDECIDED };
enum impact_verdict impact_double_time(enum impact_kind kind, const struct impact_vertex *const corners[4],
                                       double t_limit, double *toi);

/* Stages 1 to 3 for a query of finite coordinates; stage 3 alone where arithmetic is not ordinary. limbs: as above. */
void impact_test_finite(enum impact_kind kind, const struct impact_vertex *const corners[4], double t_limit,
                        bool ordinary, uint64_t *limbs, struct impact_result *result);

/* Stages 1 to 3 for the candidates workspace->first[0 .. count - 1] of a block, many at a time. Arithmetic must be
 * ordinary. As impact_test_block. */
uint32_t impact_test_rounds(const struct impact_block *block, dent_isa isa, uint32_t count,
                            struct impact_workspace *workspace, struct impact_hit *hits,
                            struct impact_counters *counters);

/* Counts what was said about a candidate of a block and, where only the earliest is asked for, lowers the limit. True
 * for a hit. */
static inline bool impact_note_result(const struct impact_block *block, const struct impact_result *result,
                                      double *limit, struct impact_counters *counters)
{
    if (result->answer == IMPACT_FREE) {
        counters->free_by[result->stage]++;
        return false;
    }
    counters->hits_by[result->stage]++;
    if (block->earliest && result->toi < *limit) {
        *limit = result->toi;
    }
    return true;
}

#endif
