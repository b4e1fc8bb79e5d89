/* Minimum separation: do two primitives come as near as a distance ms, and from when on is it possible?
 *
 * Advancement along separating slabs. At time t take the direction n between the nearest points. The differences of
 * corners of the two primitives, F_c (3 or 4 of them), move linearly, so n . F_c(t') is a linear function of t', and
 * while all of them are above ms |n| the primitives are farther apart than ms. The time up to which that holds is the
 * next t: unlike a step by the largest speed (additive CCD: Li, Kaufman, Jiang 2021) it does not shrink when primitives
 * slide past each other at a constant distance. It ends free at the limit, or with a hit when the slab is thinner than
 * ms + tolerance.
 *
 * Never missed: n is any vector of doubles and carries no error. Computed values of n . F_c have error E = 48u max|n|
 * (mq + ma + mb) at most (26u by the count of impact_double.c, interpolation included), 2^-1000 is added for underflow
 * after scaling. They are lowered by E, T = ms |n| is rounded up, and the new time rounded down.
 *
 * Over-reported: n is the best of all vertex-to-edge vectors and the normal, so a slab as thick as the distance is
 * found, up to rounding. Nearly parallel edges at an angle x lose u / x of their length in the normal and x in the
 * vertex-to-edge vectors, so at most about the root of u: 1e-7 of the size of the pair is stated. Progress is at least
 * tolerance / speed per slab, so it ends; `work_limit` stops it early, with the time reached, which is safe.
 */
#include <math.h>

#include "geometry/impact/impact_internal.h"
#include "simd/lanes_scalar.h"
#include "geometry/numbers/power_of_two.h"

#include "geometry/impact/impact_direction.h"

enum { DEFAULT_LIMIT = 1000000 };

/* Corners scaled by a power of two so that no coordinate is above 1: differences at both ends, and their sizes. */
struct separation_query {
    enum impact_kind kind;
    double q[2][3], a[2][3], b[2][3];
    double size;
    double distance, tolerance;
};

/* A direction with the nearest points it belongs to. */
struct slab {
    double n[3], u, v;
    double thickness; /* certified: lower bound of (smallest n . F - ms |n|) / |n| at this time */
    double threshold, error;
};

static double largest_coordinate(const struct impact_vertex *const corners[4])
{
    double most = 0.0;
    for (int i = 0; i < 4; i++) {
        most = doubles_most(most, doubles_most(lanes_largest(corners[i]->start), lanes_largest(corners[i]->end)));
    }
    return most;
}

static double scaled_difference(const struct impact_vertex *to, const struct impact_vertex *from, int scale,
                                double result[2][3])
{
    for (int axis = 0; axis < 3; axis++) {
        result[0][axis] =
            scale_by_power_of_two(to->start[axis], scale) - scale_by_power_of_two(from->start[axis], scale);
        result[1][axis] = scale_by_power_of_two(to->end[axis], scale) - scale_by_power_of_two(from->end[axis], scale);
    }
    return doubles_most(lanes_largest(result[0]), lanes_largest(result[1]));
}

static void prepare(struct separation_query *x, enum impact_kind kind, const struct impact_vertex *const corners[4],
                    const struct impact_separation *separation)
{
    struct impact_pairs pairs = impact_pairs_of(kind);
    double most = largest_coordinate(corners);
    int scale = most > 0.0 ? -binary_exponent(most) : 0;
    x->kind = kind;
    x->size = scaled_difference(corners[pairs.q[0]], corners[pairs.q[1]], scale, x->q);
    x->size += scaled_difference(corners[pairs.a[0]], corners[pairs.a[1]], scale, x->a);
    x->size += scaled_difference(corners[pairs.b[0]], corners[pairs.b[1]], scale, x->b);
    x->distance = scale_by_power_of_two(separation->distance, scale) + 0x1p-1000;
    x->tolerance = scale_by_power_of_two(separation->tolerance, scale);
}

static void vector_at(const double x[2][3], double t, double out[3])
{
    for (int axis = 0; axis < 3; axis++) {
        out[axis] = x[0][axis] * (1.0 - t) + x[1][axis] * t;
    }
}

/* n . F at the corners of the difference; returns how many there are. */
static int corner_values(const struct separation_query *x, const double n[3], double t, double values[4])
{
    double q[3], a[3], b[3];
    vector_at(x->q, t, q);
    vector_at(x->a, t, a);
    vector_at(x->b, t, b);
    double nq = lanes_dot(n, q), na = lanes_dot(n, a), nb = lanes_dot(n, b);
    values[0] = nq;
    values[1] = nq - na;
    values[2] = x->kind == IMPACT_VERTEX_FACE ? nq - nb : nq + nb;
    values[3] = values[2] - na;
    return x->kind == IMPACT_VERTEX_FACE ? 3 : 4;
}

/* Scales n to size one and measures the slab; keeps it if it is the thickest so far. */
static void consider(const struct separation_query *x, double t, const double n[3], double u, double v,
                     struct slab *best)
{
    double most = lanes_largest(n), values[4];
    struct slab slab = {.u = u, .v = v};
    if (!(most > 0x1p-400 && most < HUGE_VAL)) {
        return;
    }
    double factor = power_of_two(-binary_exponent(most));
    for (int axis = 0; axis < 3; axis++) {
        slab.n[axis] = n[axis] * factor;
    }
    int count = corner_values(x, slab.n, t, values);
    if (values[0] < 0.0) {
        for (int axis = 0; axis < 3; axis++) {
            slab.n[axis] = -slab.n[axis];
        }
        for (int i = 0; i < count; i++) {
            values[i] = -values[i];
        }
    }
    double least = values[0];
    for (int i = 1; i < count; i++) {
        least = doubles_least(least, values[i]);
    }
    double length = sqrt(lanes_dot(slab.n, slab.n));
    slab.error = IMPACT_AXIS_BOUND * x->size + 0x1p-1000; /* largest component of n below 1 */
    slab.threshold = x->distance * length * (1.0 + 0x1p-48);
    slab.thickness = (least - slab.error - slab.threshold) / length;
    if (slab.thickness > best->thickness) {
        *best = slab;
    }
}

/* The vector from the nearest point of the segment start + s edge, `start` counted from its first end to the point. */
static double to_segment(const double start[3], const double edge[3], double gap[3])
{
    double s = lanes_clamp(lanes_dot(start, edge) / lanes_dot(edge, edge));
    for (int axis = 0; axis < 3; axis++) {
        gap[axis] = start[axis] - s * edge[axis];
    }
    return s;
}

static void face_slabs(const struct separation_query *x, double t, const double q[3], const double a[3],
                       const double b[3], struct slab *best)
{
    double gap[3], third[3], start[3];
    double s = to_segment(q, a, gap);
    consider(x, t, gap, s, 0.0, best);
    s = to_segment(q, b, gap);
    consider(x, t, gap, 0.0, s, best);
    for (int axis = 0; axis < 3; axis++) {
        third[axis] = b[axis] - a[axis];
        start[axis] = q[axis] - a[axis];
    }
    s = to_segment(start, third, gap);
    consider(x, t, gap, 1.0 - s, s, best);
}

/* Ends of one edge against the other; F runs from a to b. */
static void edge_slabs(const struct separation_query *x, double t, const double q[3], const double a[3],
                       const double b[3], struct slab *best)
{
    double gap[3], start[3];
    for (int end = 0; end < 2; end++) {
        for (int axis = 0; axis < 3; axis++) { /* from a0 to the end of b */
            start[axis] = q[axis] + end * b[axis];
        }
        double s = to_segment(start, a, gap);
        consider(x, t, gap, s, end, best);
        for (int axis = 0; axis < 3; axis++) { /* from b0 to the end of a */
            start[axis] = end * a[axis] - q[axis];
        }
        s = to_segment(start, b, gap);
        consider(x, t, gap, end, s, best);
    }
}

static struct slab thickest_slab(const struct separation_query *x, double t)
{
    struct slab best = {.thickness = -HUGE_VAL};
    double q[3], a[3], b[3], normal[3], with_b[3], with_a[3];
    vector_at(x->q, t, q);
    vector_at(x->a, t, a);
    vector_at(x->b, t, b);
    lanes_cross(a, b, normal);
    lanes_cross(q, b, with_b);
    lanes_cross(x->kind == IMPACT_VERTEX_FACE ? a : q, x->kind == IMPACT_VERTEX_FACE ? q : a, with_a);
    double square = lanes_dot(normal, normal);
    consider(x, t, normal, lanes_clamp(lanes_dot(with_b, normal) / square),
             lanes_clamp(lanes_dot(with_a, normal) / square), &best);
    if (x->kind == IMPACT_VERTEX_FACE) {
        face_slabs(x, t, q, a, b, &best);
    } else {
        edge_slabs(x, t, q, a, b, &best);
    }
    return best;
}

/* The time up to which the slab stays thicker than the distance, rounded down; 2 where that is the end of the step. */
static double slab_lasts(const struct separation_query *x, const struct slab *slab, double t)
{
    double here[4], there[4], fraction = 2.0;
    int count = corner_values(x, slab->n, t, here);
    corner_values(x, slab->n, 1.0, there);
    for (int i = 0; i < count; i++) {
        double from = here[i] - slab->error, to = there[i] - slab->error;
        if (!(to > slab->threshold)) {
            double part = (from - slab->threshold) / (from - to);
            fraction = part < fraction ? part : fraction;
        }
    }
    if (fraction > 1.5) {
        return 2.0;
    }
    return nextafter(t + fraction * (1.0 - 0x1p-48) * (1.0 - t), 0.0);
}

/* One direction, that of the middle of the step, thick enough at both ends: free, and the end for most pairs. */
static bool free_by_one_slab(const struct separation_query *x)
{
    double q[3], a[3], b[3], n[3], values[4];
    vector_at(x->q, 0.5, q);
    vector_at(x->a, 0.5, a);
    vector_at(x->b, 0.5, b);
    if (x->kind == IMPACT_VERTEX_FACE) {
        vertex_face_direction(q, a, b, n);
    } else {
        edge_edge_direction(q, a, b, n);
    }
    double most = lanes_largest(n), least = HUGE_VAL, highest = -HUGE_VAL;
    if (!(most > 0x1p-400 && most < HUGE_VAL)) {
        return false;
    }
    for (int end = 0; end < 2; end++) {
        int count = corner_values(x, n, end, values);
        for (int i = 0; i < count; i++) {
            least = doubles_least(least, values[i]);
            highest = doubles_most(highest, values[i]);
        }
    }
    double length = sqrt(lanes_dot(n, n));
    double bound = (IMPACT_AXIS_BOUND * x->size + 0x1p-1000) * most + x->distance * length * (1.0 + 0x1p-48);
    return least * (1.0 - 0x1p-50) > bound || -highest * (1.0 - 0x1p-50) > bound;
}

static void report(const struct separation_query *x, const struct impact_vertex *const corners[4],
                   const struct slab *slab, enum impact_answer answer, double toi, struct impact_result *result)
{
    result->answer = answer;
    result->stage = IMPACT_STAGE_SEPARATION;
    result->toi = toi;
    double least = slab->thickness + x->distance;
    if (!(least > 0.0)) { /* in touch, or too near for a direction */
        impact_describe_contact(x->kind, corners, result);
        return;
    }
    double length = sqrt(lanes_dot(slab->n, slab->n)), sign = x->kind == IMPACT_VERTEX_FACE ? 1.0 : -1.0;
    for (int axis = 0; axis < 3; axis++) {
        result->normal[axis] = sign * slab->n[axis] / length;
    }
    result->u = slab->u;
    result->v = x->kind == IMPACT_VERTEX_FACE && slab->u + slab->v > 1.0 ? 1.0 - slab->u : slab->v;
}

static void advance(struct separation_query *x, const struct impact_vertex *const corners[4],
                    const struct impact_separation *separation, double t_limit, struct impact_result *result)
{
    uint32_t limit = separation->work_limit == 0 ? DEFAULT_LIMIT : separation->work_limit;
    double t = 0.0;
    for (uint32_t slabs = 0;; slabs++) {
        struct slab slab = thickest_slab(x, t);
        if (slabs == 0 && separation->no_zero_toi && slab.thickness > 0.0) {
            x->tolerance = doubles_least(x->tolerance, 0.5 * slab.thickness);
        }
        if (!(slab.thickness > x->tolerance)) {
            report(x, corners, &slab, IMPACT_HIT, t, result);
            return;
        }
        double next = slab_lasts(x, &slab, t);
        if (next <= 1.0 && (!(next > t) || slabs >= limit)) { /* at t, which is not above the limit, whatever that is */
            report(x, corners, &slab, slabs >= limit ? IMPACT_HIT_BUDGET : IMPACT_HIT, t, result);
            return;
        }
        if (next > t_limit) { /* the limit ends the search, but never changes a step */
            *result = (struct impact_result){IMPACT_FREE, IMPACT_STAGE_SEPARATION, 1.0, 0.0, 0.0, {0.0, 0.0, 1.0}};
            return;
        }
        t = next;
    }
}

/* Farther apart than the distance on a coordinate axis at both ends. Rounding is monotone: a rounded difference above
 * the distance is a difference above it. */
static bool apart_on_an_axis(enum impact_kind kind, const struct impact_vertex *const corners[4], double distance)
{
    int first = kind == IMPACT_VERTEX_FACE ? 1 : 2; /* corners of the first primitive */
    for (int axis = 0; axis < 3; axis++) {
        bool above = true, below = true;
        for (int end = 0; end < 2; end++) {
            double lo[2] = {HUGE_VAL, HUGE_VAL}, hi[2] = {-HUGE_VAL, -HUGE_VAL};
            for (int i = 0; i < 4; i++) {
                double value = end == 0 ? corners[i]->start[axis] : corners[i]->end[axis];
                int side = i >= first;
                lo[side] = doubles_least(lo[side], value);
                hi[side] = doubles_most(hi[side], value);
            }
            above = above && lo[0] - hi[1] > distance;
            below = below && lo[1] - hi[0] > distance;
        }
        if (above || below) {
            return true;
        }
    }
    return false;
}

static void test_finite(enum impact_kind kind, const struct impact_vertex *const corners[4],
                        const struct impact_separation *separation, double t_limit, struct impact_result *result)
{
    if (apart_on_an_axis(kind, corners, separation->distance)) {
        *result = (struct impact_result){IMPACT_FREE, IMPACT_STAGE_AXES, 1.0, 0.0, 0.0, {0.0, 0.0, 1.0}};
        return;
    }
    struct separation_query x;
    prepare(&x, kind, corners, separation);
    if (free_by_one_slab(&x)) {
        *result = (struct impact_result){IMPACT_FREE, IMPACT_STAGE_FREE_AXIS, 1.0, 0.0, 0.0, {0.0, 0.0, 1.0}};
        return;
    }
    advance(&x, corners, separation, t_limit, result);
}

void impact_test_separation(enum impact_kind kind, const struct impact_vertex *const corners[4],
                            const struct impact_separation *separation, double t_limit, struct impact_result *result)
{
    if (!impact_all_finite(corners)) {
        impact_test(kind, corners, t_limit, result); /* which says what is wrong */
        return;
    }
    test_finite(kind, corners, separation, t_limit, result);
}

uint32_t impact_test_separation_block(const struct impact_block *block, const struct impact_separation *separation,
                                      dent_isa isa, struct impact_workspace *workspace, struct impact_hit *hits,
                                      struct impact_counters *counters)
{
    (void)isa;
    (void)workspace;
    double limit = block->t_limit;
    uint32_t hit_count = 0;
    counters->queries += block->count;
    for (uint32_t i = 0; i < block->count; i++) {
        const struct impact_vertex *corners[4];
        for (int k = 0; k < 4; k++) {
            corners[k] = &block->vertices[block->corners[i][k]];
        }
        struct impact_result *result = &hits[hit_count].result;
        test_finite(block->kind, corners, separation, limit, result);
        if (impact_note_result(block, result, &limit, counters)) {
            hits[hit_count++].candidate = i;
        }
    }
    return hit_count;
}
