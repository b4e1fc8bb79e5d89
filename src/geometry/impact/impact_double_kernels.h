/* Stages 1 and 2 of the impact test over many candidates at once: what impact_double.c does for one query, in lanes.
 *
 * Tasks are pairs of a candidate and an interval [l, r]. They are taken breadth first (impact_rounds.c), so that lanes
 * stay full: the search of one candidate does not wait for that of another.
 *   - test: drops an interval where D has one certain sign, where the projection is certainly outside, or where an axis
 *     separates. Where D has exactly one root for certain the task becomes a root, else it is split.
 *   - bracket: Newton's method, then the same tests on a bracket of the root 4e-8 wide. In contact: a hit with its
 *     bracket. The leftmost hit of a candidate is its first contact if nothing else of it stayed uncertain.
 *   - refine: the time of a hit to the last bit, by the operations of impact_time.c.
 *   - describe: u, v and the normal, by the operations of impact_contact.c.
 * What is uncertain here (sizes out of range, zeros by structure, too many intervals) takes the way of a single query.
 * That and this give the same answer, as every stage does, so nothing depends on which candidates go which way.
 *
 * Bounds. An interval is looked at through its window: the differences q, a, b at l and r, which are the ends of a
 * motion of their own, so all polynomials come as on [0, 1]. u = 2^-53; mq, ma, mb and P = mq ma mb as in
 * impact_kernels.h, from both ends of the whole step; first order.
 *
 *   - a difference x0 (1 - s) + x1 s: the roundings of x0 and x1, of 1 - s, of the products and of the sum: 4u m. Its
 *     size is at most m.
 *   - a component of a x b at one end: two products of error (4 + 4 + 1)u, one subtraction of size 2: 20u ma mb. The
 *     middle coefficient, half of a sum of two of these: 22u ma mb. The same for U and V.
 *   - N-U-V, N-U, N-V: 22u each and two subtractions: 26u (ma mb + mq mb + mq ma).
 *   - B0 = q . N: three products of (2 * 4 + 20 + 2)u, two additions of sizes 4 and 6: 100u P. 3 B1 = q1 . N00 +
 *     q0 . (N01 + N10): 100u + 3 (4 * 4 + 44 + 4)u + 20u + 18u = 330u P, so B1, with the multiplication by 1/3, 122u P.
 *   - d . F at a corner: differences 4u m, three products and up to four sums: 26u max|d| (mq + ma + mb).
 *
 * Each is what impact_double.c derives for its own way to the same number, so the bounds used are the same: 160u, 32u,
 * 40u, 48u. tests/geometry/test_impact_lanes_rational.c measures them.
 *
 * Every row of the table does the same operations in the same order: the same tasks come out.
 */
#ifndef DENT_GEOMETRY_IMPACT_DOUBLE_KERNELS_H
#define DENT_GEOMETRY_IMPACT_DOUBLE_KERNELS_H

#include <stdint.h>

#include "simd/kernel_choice.h"
#include "geometry/impact/impact_test.h"

/* Candidates of a block: number list[place] of `corners`. */
struct impact_chosen {
    const struct impact_vertex *vertices;
    const uint32_t (*corners)[4];
    const uint32_t *list;
};

/* Contacts later than `limit` do not matter. `end` is the next double, or 1 if that is less: where a contact that
 * matters is before. */
struct impact_horizon {
    double limit, end;
};

/* What a round leaves of its tasks. */
struct impact_task_outputs {
    struct impact_tasks *roots, *parts;
    uint8_t *uncertain; /* by place: set where a task cannot be decided */
};

struct impact_double_kernels {
    /* Tests tasks of intervals; by kind. The first round has the whole step for all: its free axis has failed in stage 0
     * already. Roots and parts have room for IMPACT_TASKS. */
    void (*test_whole[2])(const struct impact_chosen *chosen, const struct impact_tasks *tasks,
                          struct impact_task_outputs *outputs);
    void (*test[2])(const struct impact_chosen *chosen, const struct impact_tasks *tasks,
                    const struct impact_horizon *horizon, bool first, struct impact_task_outputs *outputs);
    /* Decides roots: appends hits, in the order of the tasks. */
    void (*bracket[2])(const struct impact_chosen *chosen, const struct impact_tasks *roots,
                       struct impact_brackets *hits, uint8_t *uncertain);
    /* Writes the time of each bracket, or a negative number where it is not certain. */
    void (*refine[2])(const struct impact_chosen *chosen, const struct impact_brackets *hits, double *times);
    /* Describes the contacts of candidates at these times; u is negative where impact_describe_contact must. */
    void (*describe[2])(const struct impact_chosen *chosen, const uint32_t *places, uint32_t count, const double *times,
                        struct impact_descriptions *results);
};

extern const struct impact_double_kernels impact_double_kernels_scalar;
#if defined(__x86_64__)
extern const struct impact_double_kernels impact_double_kernels_avx2;
extern const struct impact_double_kernels impact_double_kernels_avx512;
#endif

static inline const struct impact_double_kernels *impact_double_kernels_for(dent_isa isa)
{
    return KERNELS_FOR(isa, impact_double_kernels_scalar, impact_double_kernels_avx2, impact_double_kernels_avx512);
}

#endif
