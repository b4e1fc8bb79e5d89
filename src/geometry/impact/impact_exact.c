/* Stage 3 of the impact test: exact integers.
 *
 * All coordinates are scaled by one power of two to integers of b bits (53 and the spread of the exponents, 2098 at
 * most). D = q . (a x b) is the coplanarity cubic, N = a x b. At a root of D
 *   - where a component N_k is not zero, the projection along k decides: vertex-face contact iff U, V and N - U - V
 *     have the sign of N_k or are zero, with U = (q x b)_k, V = (a x q)_k; edge-edge contact iff U, N - U, V and N - V
 *     do, with V = (q x a)_k;
 *   - where N = 0 (edges parallel, face without area), contact iff a vertex lies on an edge of the other primitive:
 *     (p-x) x (y-x) = 0 and (p-x).(p-y) <= 0, which is right also for x = y.
 *
 * The roots are tried from left to right.
 *
 * D identically zero (always coplanar): let t* > 0 be the first contact. A contact inside a proper face, or a crossing
 * of two edges inside both, would hold a moment earlier too, so at t* some vertex lies on an edge. If one component of
 * the cross product of that vertex and edge is not identically zero, t* is among its roots; else the vertex is on the
 * line of the edge all the time, and t* is a root of the dot product, which goes from positive to not positive there.
 * So it is enough to look at t = 0 and, for every choice of vertex and edge, at the roots of its four quadratics.
 *
 * Memory, in limbs for b = 2098 (a coordinate 33, sides and their products 34, 69 and 104): corners and sides 1840, N
 * 621, D 416, the Sturm sequence of D 730, conditions or vertex-on-edge quadratics 1440 with up to 1300 on the way, the
 * two linear polynomials of a sign 2200, and Horner's rule for f at a rational of 242 limbs over 242 limbs 6700 (the
 * longest number, 24b + 50 bits, has 832). Together below 13600. Ordinary input (b up to 256) needs less than a sixth
 * of it. (Most seen with random exponents over the whole range: 13300; up to 200 bits: 1570.)
 */
#include "geometry/impact/impact_internal.h"

#include <limits.h>

#include "base/allocator.h"
#include "geometry/numbers/exact_roots.h"
#include "geometry/numbers/power_of_two.h"

enum { ORDINARY_BITS = 256, ORDINARY_LIMBS = 4096 };

struct exact_query {
    struct limb_arena arena;
    enum impact_kind kind;
    struct exact_polynomial point[4][3]; /* of degree one in time */
    struct exact_polynomial q[3], a[3], b[3];
    struct exact_polynomial normal[3];
};

static void subtract_points(struct exact_query *query, const uint8_t pair[2], struct exact_polynomial result[3])
{
    for (int axis = 0; axis < 3; axis++) {
        result[axis] = polynomial_subtract(&query->arena, &query->point[pair[0]][axis], &query->point[pair[1]][axis]);
    }
}

static struct exact_polynomial cross(struct exact_query *query, const struct exact_polynomial a[3],
                                     const struct exact_polynomial b[3], int axis)
{
    int i = (axis + 1) % 3, j = (axis + 2) % 3;
    uint64_t *mark = query->arena.next;
    struct exact_polynomial first = polynomial_multiply(&query->arena, &a[i], &b[j]);
    struct exact_polynomial second = polynomial_multiply(&query->arena, &a[j], &b[i]);
    first = polynomial_subtract(&query->arena, &first, &second);
    return polynomial_keep(&query->arena, mark, &first);
}

static struct exact_polynomial dot(struct exact_query *query, const struct exact_polynomial a[3],
                                   const struct exact_polynomial b[3])
{
    uint64_t *mark = query->arena.next;
    struct exact_polynomial sum = polynomial_multiply(&query->arena, &a[0], &b[0]);
    for (int axis = 1; axis < 3; axis++) {
        struct exact_polynomial term = polynomial_multiply(&query->arena, &a[axis], &b[axis]);
        sum = polynomial_add(&query->arena, &sum, &term);
        sum = polynomial_keep(&query->arena, mark, &sum);
    }
    return sum;
}

/* The four quadratics of a vertex on an edge: the cross product and the dot product. */
static void on_segment_polynomials(struct exact_query *query, const uint8_t choice[3],
                                   struct exact_polynomial result[4])
{
    struct exact_polynomial from_first[3], from_second[3], edge[3];
    subtract_points(query, (const uint8_t[]){choice[0], choice[1]}, from_first);
    subtract_points(query, (const uint8_t[]){choice[0], choice[2]}, from_second);
    subtract_points(query, (const uint8_t[]){choice[2], choice[1]}, edge);
    for (int axis = 0; axis < 3; axis++) {
        result[axis] = cross(query, from_first, edge, axis);
    }
    result[3] = dot(query, from_first, from_second);
}

static bool on_segment_at(struct exact_query *query, const struct exact_polynomial polynomials[4],
                          const struct root_finder *part, int index)
{
    for (int axis = 0; axis < 3; axis++) {
        if (exact_sign_at(&query->arena, part, index, &polynomials[axis]) != 0) {
            return false;
        }
    }
    return exact_sign_at(&query->arena, part, index, &polynomials[3]) <= 0;
}

/* Where component `axis` of the normal has the sign given (not zero) and D is zero. */
static bool inside_at(struct exact_query *query, const struct root_finder *part, int index, int axis, int sign)
{
    bool face = query->kind == IMPACT_VERTEX_FACE;
    struct exact_polynomial conditions[4];
    conditions[0] = cross(query, query->q, query->b, axis);
    conditions[1] = face ? cross(query, query->a, query->q, axis) : cross(query, query->q, query->a, axis);
    conditions[2] = polynomial_subtract(&query->arena, &query->normal[axis], &conditions[0]);
    if (face) {
        conditions[2] = polynomial_subtract(&query->arena, &conditions[2], &conditions[1]);
    } else {
        conditions[3] = polynomial_subtract(&query->arena, &query->normal[axis], &conditions[1]);
    }
    for (int i = 0; i < (face ? 3 : 4); i++) {
        if (exact_sign_at(&query->arena, part, index, &conditions[i]) == -sign) {
            return false;
        }
    }
    return true;
}

/* Whether the primitives, which are coplanar at the root, touch there. */
static bool contact_at(struct exact_query *query, const struct root_finder *part, int index)
{
    uint64_t *mark = query->arena.next;
    bool contact = false;
    int sign = 0;
    for (int axis = 0; axis < 3 && sign == 0; axis++) {
        sign = exact_sign_at(&query->arena, part, index, &query->normal[axis]);
        contact = sign != 0 && inside_at(query, part, index, axis, sign);
    }
    for (int choice = 0; sign == 0 && !contact && choice < impact_on_segment_count(query->kind); choice++) {
        struct exact_polynomial polynomials[4];
        query->arena.next = mark;
        on_segment_polynomials(query, impact_on_segment[query->kind][choice], polynomials);
        contact = on_segment_at(query, polynomials, part, index);
    }
    query->arena.next = mark;
    return contact;
}

/* The earliest contact at a root of D. With two parts both are tried; within a part the roots ascend. */
static bool first_at_roots(struct exact_query *query, const struct exact_polynomial *coplanarity, double *toi)
{
    struct root_finder parts[2];
    int count = exact_roots(&query->arena, coplanarity, parts);
    bool contact = false;
    *toi = 2.0;
    for (int i = 0; i < count; i++) {
        for (int index = 0; index < parts[i].count; index++) {
            if (contact_at(query, &parts[i], index)) {
                double time = exact_root_down(&query->arena, &parts[i], index);
                *toi = time < *toi ? time : *toi;
                contact = true;
                break;
            }
        }
    }
    return contact;
}

/* The earliest time at which this vertex lies on this edge, among the roots of its quadratics; *toi where none earlier.
 */
static void first_on_segment(struct exact_query *query, const uint8_t choice[3], double *toi)
{
    struct exact_polynomial polynomials[4];
    on_segment_polynomials(query, choice, polynomials);
    for (int i = 0; i < 4; i++) {
        struct root_finder parts[2];
        uint64_t *mark = query->arena.next;
        int count = polynomials[i].degree <= 0 ? 0 : exact_roots(&query->arena, &polynomials[i], parts);
        for (int part = 0; part < count; part++) {
            for (int index = 0; index < parts[part].count; index++) {
                if (on_segment_at(query, polynomials, &parts[part], index)) {
                    double time = exact_root_down(&query->arena, &parts[part], index);
                    *toi = time < *toi ? time : *toi;
                    break;
                }
            }
        }
        query->arena.next = mark;
    }
}

static bool first_always_coplanar(struct exact_query *query, double *toi)
{
    struct root_finder start;
    root_at_zero(&query->arena, &start);
    *toi = 2.0;
    if (contact_at(query, &start, 0)) {
        *toi = 0.0;
        return true;
    }
    for (int choice = 0; choice < impact_on_segment_count(query->kind); choice++) {
        uint64_t *mark = query->arena.next;
        first_on_segment(query, impact_on_segment[query->kind][choice], toi);
        query->arena.next = mark;
    }
    return *toi <= 1.0;
}

static bool first_time(struct exact_query *query, const struct impact_vertex *const corners[4], int scale_exponent,
                       double *toi)
{
    struct limb_arena *arena = &query->arena;
    for (int i = 0; i < 4; i++) {
        for (int axis = 0; axis < 3; axis++) {
            struct exact_integer start = exact_from_double(arena, corners[i]->start[axis], scale_exponent);
            struct exact_integer end = exact_from_double(arena, corners[i]->end[axis], scale_exponent);
            struct exact_integer c[2] = {start, exact_subtract(arena, end, start)};
            query->point[i][axis] = polynomial_of(c, 2);
        }
    }
    struct impact_pairs pairs = impact_pairs_of(query->kind);
    subtract_points(query, pairs.q, query->q);
    subtract_points(query, pairs.a, query->a);
    subtract_points(query, pairs.b, query->b);
    for (int axis = 0; axis < 3; axis++) {
        query->normal[axis] = cross(query, query->a, query->b, axis);
    }
    struct exact_polynomial coplanarity = dot(query, query->q, query->normal);
    return coplanarity.degree < 0 ? first_always_coplanar(query, toi) : first_at_roots(query, &coplanarity, toi);
}

static enum impact_answer answer_in(uint64_t *limbs, int count, struct exact_query *query,
                                    const struct impact_vertex *const corners[4], int scale_exponent, double *toi)
{
    query->arena = limb_arena_of(limbs, count);
    return first_time(query, corners, scale_exponent, toi) ? IMPACT_HIT : IMPACT_FREE;
}

/* Not inlined: nobody else pays for the frame. */
static __attribute__((noinline)) enum impact_answer on_the_stack(struct exact_query *query,
                                                                 const struct impact_vertex *const corners[4],
                                                                 int scale_exponent, double *toi)
{
    uint64_t limbs[ORDINARY_LIMBS];
    return answer_in(limbs, ORDINARY_LIMBS, query, corners, scale_exponent, toi);
}

/* A single test has no workspace and no context; exponents hundreds of powers of two apart are rare in it. */
static enum impact_answer in_a_block(struct exact_query *query, const struct impact_vertex *const corners[4],
                                     int scale_exponent, double *toi)
{
    dent_allocator allocator = allocator_default();
    const size_t size = IMPACT_LIMBS * sizeof(uint64_t);
    uint64_t *limbs = allocator.allocate(allocator.user, size, ALLOCATION_ALIGNMENT);
    if (!limbs) {
        return IMPACT_ERROR;
    }
    enum impact_answer answer = answer_in(limbs, IMPACT_LIMBS, query, corners, scale_exponent, toi);
    allocator.release(allocator.user, limbs, size);
    return answer;
}

enum impact_answer impact_exact_time(enum impact_kind kind, const struct impact_vertex *const corners[4],
                                     uint64_t *limbs, double *toi)
{
    struct exact_query query;
    query.kind = kind;
    int lowest = INT_MAX;
    double most = 0.0;
    for (int i = 0; i < 4; i++) {
        for (int axis = 0; axis < 3; axis++) {
            double start = corners[i]->start[axis], end = corners[i]->end[axis];
            int start_bit = lowest_bit_exponent(start), end_bit = lowest_bit_exponent(end);
            lowest = start_bit < lowest ? start_bit : lowest;
            lowest = end_bit < lowest ? end_bit : lowest;
            start = start < 0.0 ? -start : start;
            end = end < 0.0 ? -end : end;
            most = start > most ? start : most;
            most = end > most ? end : most;
        }
    }
    if (most == 0.0) { /* everything in the origin */
        *toi = 0.0;
        return IMPACT_HIT;
    }
    if (limbs) {
        return answer_in(limbs, IMPACT_LIMBS, &query, corners, lowest, toi);
    }
    return binary_exponent(most) - lowest <= ORDINARY_BITS ? on_the_stack(&query, corners, lowest, toi)
                                                           : in_a_block(&query, corners, lowest, toi);
}
