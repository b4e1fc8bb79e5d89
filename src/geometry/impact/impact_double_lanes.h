/* The double stages over many candidates, written once over the doubles of simd/lanes.h, one task a lane. Included by
 * impact_double_<isa>.c. What it computes and why it is certain: impact_double_kernels.h.
 */
#include "geometry/impact/impact_internal.h"
#include "geometry/impact/impact_time.h"
#include "geometry/impact/impact_window_lanes.h"

enum { NEWTON_STEPS = 30 };
#define SHORT_STEP 0x1p-27

struct lane_interval {
    doubles l, r;
};

/* ----------------------------------------------------------------------------------------------------- preparation */

/* The corners of the candidates at these places; lanes past the end repeat the last one. */
static inline void fetch_places(const struct impact_chosen *chosen, const uint32_t *places, uint32_t count,
                                struct lane_points *points)
{
    const uint32_t *of_lane[DOUBLES];
    for (uint32_t lane = 0; lane < DOUBLES; lane++) {
        of_lane[lane] = chosen->corners[chosen->list[places[lane < count ? lane : count - 1]]];
    }
    fetch_corners(chosen->vertices, of_lane, points);
}

static inline doubles_mask same_start(const struct lane_points *points, int i, int j)
{
    const doubles *a = points->at[i][0], *b = points->at[j][0];
    return doubles_mask_and(doubles_mask_and(doubles_equal(a[0], b[0]), doubles_equal(a[1], b[1])),
                            doubles_equal(a[2], b[2]));
}

/* Where a vertex of one primitive lies on one of the other at t = 0: a hit that needs no arithmetic. */
static inline doubles_mask share_a_start(enum impact_kind kind, const struct lane_points *points)
{
    doubles_mask first = doubles_mask_or(same_start(points, 0, 2), same_start(points, 0, 3));
    if (kind == IMPACT_VERTEX_FACE) {
        return doubles_mask_or(first, same_start(points, 0, 1));
    }
    return doubles_mask_or(first, doubles_mask_or(same_start(points, 1, 2), same_start(points, 1, 3)));
}

static inline doubles interpolate(doubles x, doubles y, doubles s, doubles rest)
{
    return x * rest + y * s;
}

static inline void interpolate_vector(const doubles x[2][3], doubles s, doubles result[3])
{
    doubles rest = doubles_set(1.0) - s;
    for (int axis = 0; axis < 3; axis++) {
        result[axis] = interpolate(x[0][axis], x[1][axis], s, rest);
    }
}

static inline void open_window(const struct lane_window *whole, struct lane_interval at, struct lane_window *window)
{
    for (int end = 0; end < 2; end++) {
        doubles s = end == 0 ? at.l : at.r;
        interpolate_vector(whole->q, s, window->q[end]);
        interpolate_vector(whole->a, s, window->a[end]);
        interpolate_vector(whole->b, s, window->b[end]);
    }
}

/* ------------------------------------------------------------------------------------------- polynomials of a window */

/* Bernstein coefficients of N = a x b, [axis][coefficient], and of D. */
struct lane_polynomials {
    doubles normal[3][3], cubic[4];
};

static inline void expand(const struct lane_window *x, struct lane_polynomials *p)
{
    doubles start[3], end[3], mixed[3], other[3];
    lanes_cross(x->a[0], x->b[0], start);
    lanes_cross(x->a[1], x->b[1], end);
    lanes_cross(x->a[0], x->b[1], mixed);
    lanes_cross(x->a[1], x->b[0], other);
    for (int axis = 0; axis < 3; axis++) {
        mixed[axis] = mixed[axis] + other[axis];
        p->normal[axis][0] = start[axis];
        p->normal[axis][1] = doubles_set(0.5) * mixed[axis];
        p->normal[axis][2] = end[axis];
    }
    p->cubic[0] = lanes_dot(x->q[0], start);
    p->cubic[1] = (lanes_dot(x->q[1], start) + lanes_dot(x->q[0], mixed)) * doubles_set(1.0 / 3.0);
    p->cubic[2] = (lanes_dot(x->q[0], end) + lanes_dot(x->q[1], mixed)) * doubles_set(1.0 / 3.0);
    p->cubic[3] = lanes_dot(x->q[1], end);
}

static inline doubles_mask cubic_of_one_sign(const doubles c[4], doubles bound)
{
    doubles least = doubles_least(doubles_least(c[0], c[1]), doubles_least(c[2], c[3]));
    doubles most = doubles_most(doubles_most(c[0], c[1]), doubles_most(c[2], c[3]));
    return one_sign(least, most, bound);
}

/* Where the ends are certain and of opposite sign, and whatever the uncertain coefficients are there is one sign change
 * only. With c0 > 0 > c3 that is: c1 certainly above 0, or c2 certainly below. */
static inline doubles_mask one_change(const doubles c[4], doubles bound)
{
    doubles_mask falling = doubles_mask_and(doubles_mask_and(doubles_less(bound, c[0]), doubles_less(c[3], -bound)),
                                            doubles_mask_or(doubles_less(bound, c[1]), doubles_less(c[2], -bound)));
    doubles_mask rising = doubles_mask_and(doubles_mask_and(doubles_less(c[0], -bound), doubles_less(bound, c[3])),
                                           doubles_mask_or(doubles_less(c[1], -bound), doubles_less(bound, c[2])));
    return doubles_mask_or(falling, rising);
}

/* ---------------------------------------------------------------------------------------------------- inside tests */

/* The projection along the axis with the largest certain component of N: which axis, and the sign. */
struct lane_projection {
    doubles_mask certain, positive, second, third; /* second, third: axis 1, axis 2; else axis 0 */
};

static inline struct lane_projection choose_projection(const doubles normal[3][3], doubles bound)
{
    doubles clear[3], least[3];
    for (int axis = 0; axis < 3; axis++) {
        const doubles *c = normal[axis];
        least[axis] = doubles_least(doubles_least(c[0], c[1]), c[2]);
        clear[axis] = doubles_most(least[axis], -doubles_most(doubles_most(c[0], c[1]), c[2]));
    }
    struct lane_projection along;
    along.second = doubles_less(clear[0], clear[1]);
    doubles best = doubles_most(clear[0], clear[1]);
    along.third = doubles_less(best, clear[2]);
    best = doubles_most(best, clear[2]);
    doubles sign = doubles_choose(along.third, least[2], doubles_choose(along.second, least[1], least[0]));
    along.certain = doubles_less(bound, best);
    along.positive = doubles_less(doubles_set(0.0), sign);
    return along;
}

static inline doubles pick(const struct lane_projection *along, doubles first, doubles second, doubles third)
{
    return doubles_choose(along->third, third, doubles_choose(along->second, second, first));
}

/* The two components that the projection keeps, at both ends: [end][i or j]. */
static inline void project(const struct lane_projection *along, const doubles x[2][3], doubles kept[2][2])
{
    for (int end = 0; end < 2; end++) {
        kept[end][0] = pick(along, x[end][1], x[end][2], x[end][0]);
        kept[end][1] = pick(along, x[end][2], x[end][0], x[end][1]);
    }
}

static inline void cross_quadratic(const doubles x[2][2], const doubles y[2][2], doubles c[3])
{
    c[0] = x[0][0] * y[0][1] - x[0][1] * y[0][0];
    c[1] = doubles_set(0.5) * ((x[0][0] * y[1][1] - x[0][1] * y[1][0]) + (x[1][0] * y[0][1] - x[1][1] * y[0][0]));
    c[2] = x[1][0] * y[1][1] - x[1][1] * y[1][0];
}

struct lane_inside {
    doubles_mask outside, inside; /* neither: not known */
};

/* Adds a condition that must have the sign of N. */
static inline void add_condition(const struct lane_projection *along, const doubles c[3], doubles bound,
                                 struct lane_inside *result)
{
    doubles_mask above = doubles_less(bound, doubles_least(doubles_least(c[0], c[1]), c[2]));
    doubles_mask below = doubles_less(doubles_most(doubles_most(c[0], c[1]), c[2]), -bound);
    doubles_mask same =
        doubles_mask_or(doubles_mask_and(along->positive, above), doubles_mask_and_not(below, along->positive));
    doubles_mask opposite =
        doubles_mask_or(doubles_mask_and(along->positive, below), doubles_mask_and_not(above, along->positive));
    result->inside = doubles_mask_and(result->inside, same);
    result->outside = doubles_mask_or(result->outside, opposite);
}

static inline struct lane_inside inside_on(enum impact_kind kind, const struct lane_query *x,
                                           const struct lane_window *window, const struct lane_polynomials *p)
{
    doubles ab = x->size_a * x->size_b, qb = x->size_q * x->size_b, qa = x->size_q * x->size_a;
    struct lane_projection along = choose_projection(p->normal, doubles_set(IMPACT_CROSS_BOUND) * ab);
    doubles q[2][2], a[2][2], b[2][2], n[3], u[3], v[3], rest[3], other[3];
    project(&along, window->q, q);
    project(&along, window->a, a);
    project(&along, window->b, b);
    cross_quadratic(q, b, u);
    if (kind == IMPACT_VERTEX_FACE) {
        cross_quadratic(a, q, v);
    } else {
        cross_quadratic(q, a, v);
    }
    for (int i = 0; i < 3; i++) {
        n[i] = pick(&along, p->normal[0][i], p->normal[1][i], p->normal[2][i]);
        rest[i] = kind == IMPACT_VERTEX_FACE ? n[i] - u[i] - v[i] : n[i] - u[i];
        other[i] = n[i] - v[i];
    }
    struct lane_inside result = {doubles_mask_nothing(), doubles_mask_all()};
    doubles rest_bound = doubles_set(IMPACT_REST_BOUND) * (ab + qb + qa);
    add_condition(&along, u, doubles_set(IMPACT_CROSS_BOUND) * qb, &result);
    add_condition(&along, v, doubles_set(IMPACT_CROSS_BOUND) * qa, &result);
    add_condition(&along, rest, rest_bound, &result);
    if (kind == IMPACT_EDGE_EDGE) {
        add_condition(&along, other, rest_bound, &result);
    }
    result.outside = doubles_mask_and(result.outside, along.certain);
    result.inside = doubles_mask_and(result.inside, along.certain);
    return result;
}

/* ----------------------------------------------------------------------------------------------------- tasks in, out */

static inline void mark_uncertain(const uint32_t *places, uint32_t bits, uint8_t *uncertain)
{
    for (; bits != 0; bits &= bits - 1) {
        uncertain[places[__builtin_ctz(bits)]] = 1;
    }
}

static inline void append_task(struct impact_tasks *tasks, uint32_t place, double l, double r)
{
    uint32_t at = tasks->count++;
    tasks->place[at] = place;
    tasks->l[at] = l;
    tasks->r[at] = r;
}

/* The halves of the tasks given, not split in the middle: hand-made data have their roots there. Those for which there
 * is no room, and those too short, are uncertain. */
static inline void append_parts(const uint32_t *places, const double *l, const double *r, uint32_t bits,
                                struct impact_task_outputs *outputs)
{
    for (; bits != 0; bits &= bits - 1) {
        int lane = __builtin_ctz(bits);
        if (r[lane] - l[lane] < IMPACT_SHORTEST_INTERVAL || outputs->parts->count + 2 > IMPACT_TASKS) {
            outputs->uncertain[places[lane]] = 1;
            continue;
        }
        double split = l[lane] + IMPACT_SPLIT * (r[lane] - l[lane]);
        append_task(outputs->parts, places[lane], l[lane], split);
        append_task(outputs->parts, places[lane], split, r[lane]);
    }
}

/* What becomes of a group: bits of the lanes that are roots, and that are to be split. */
static inline void hand_on(const uint32_t *places, struct lane_interval at, uint32_t roots, uint32_t parts,
                           struct impact_task_outputs *outputs)
{
    _Alignas(64) double l[DOUBLES], r[DOUBLES];
    doubles_store(l, at.l);
    doubles_store(r, at.r);
    for (; roots != 0; roots &= roots - 1) {
        int lane = __builtin_ctz(roots);
        append_task(outputs->roots, places[lane], l[lane], r[lane]);
    }
    append_parts(places, l, r, parts, outputs);
}

/* ------------------------------------------------------------------------------------------------------- the kernels */

static inline void test_whole(enum impact_kind kind, const struct impact_chosen *chosen,
                              const struct impact_tasks *tasks, struct impact_task_outputs *outputs)
{
    for (uint32_t begin = 0; begin < tasks->count; begin += DOUBLES) {
        const uint32_t *places = tasks->place + begin;
        struct lane_points points;
        struct lane_query x;
        struct lane_polynomials p;
        fetch_places(chosen, places, tasks->count - begin, &points);
        prepare_query(kind, &points, &x);
        uint32_t left = lanes_left(tasks->count - begin);
        uint32_t usable = doubles_mask_bits(doubles_mask_and_not(x.in_range, share_a_start(kind, &points))) & left;
        mark_uncertain(places, left & ~usable, outputs->uncertain);
        expand(&x.whole, &p);
        doubles bound = doubles_set(IMPACT_CUBIC_BOUND) * x.product;
        usable &= ~doubles_mask_bits(inside_on(kind, &x, &x.whole, &p).outside);
        uint32_t roots = doubles_mask_bits(one_change(p.cubic, bound)) & usable;
        struct lane_interval at = {doubles_set(0.0), doubles_set(1.0)};
        hand_on(places, at, roots, usable & ~roots, outputs);
    }
}

static inline void test(enum impact_kind kind, const struct impact_chosen *chosen, const struct impact_tasks *tasks,
                        const struct impact_horizon *horizon, bool first, struct impact_task_outputs *outputs)
{
    for (uint32_t begin = 0; begin < tasks->count; begin += DOUBLES) {
        const uint32_t *places = tasks->place + begin;
        struct lane_interval at = {doubles_load_any(tasks->l + begin),
                                   doubles_least(doubles_load_any(tasks->r + begin), doubles_set(horizon->end))};
        uint32_t left =
            lanes_left(tasks->count - begin) & doubles_mask_bits(doubles_less_equal(at.l, doubles_set(horizon->limit)));
        if (left == 0) {
            continue;
        }
        struct lane_points points;
        struct lane_query x;
        struct lane_window window;
        struct lane_polynomials p;
        fetch_places(chosen, places, tasks->count - begin, &points);
        prepare_query(kind, &points, &x);
        doubles_mask usable = first ? doubles_mask_and_not(x.in_range, share_a_start(kind, &points)) : x.in_range;
        mark_uncertain(places, left & ~doubles_mask_bits(usable), outputs->uncertain);
        left &= doubles_mask_bits(usable);
        open_window(&x.whole, at, &window);
        expand(&window, &p);
        doubles bound = doubles_set(IMPACT_CUBIC_BOUND) * x.product;
        left &= ~doubles_mask_bits(cubic_of_one_sign(p.cubic, bound));
        if (left == 0) {
            continue;
        }
        left &= ~doubles_mask_bits(inside_on(kind, &x, &window, &p).outside);
        uint32_t roots = doubles_mask_bits(one_change(p.cubic, bound)) & left;
        uint32_t parts = left & ~roots;
        if (parts != 0) {
            parts &= ~doubles_mask_bits(separated_on(kind, &x, &window));
        }
        hand_on(places, at, roots, parts, outputs);
    }
}

/* The root of a cubic that falls from c0 > 0 to c3 < 0 on [0, 1]: Newton's method inside a shrinking interval. A lane
 * ends when its step was so short that the next one would be nothing; nothing is proven by it. */
static inline doubles newton_root(const doubles c[4], doubles_mask asked)
{
    const doubles two = doubles_set(2.0), three = doubles_set(3.0);
    doubles p1 = three * (c[1] - c[0]), p2 = three * (c[0] - two * c[1] + c[2]);
    doubles p3 = (c[3] - c[0]) - three * (c[2] - c[1]), double_p2 = two * p2, triple_p3 = three * p3;
    doubles low = doubles_set(0.0), high = doubles_set(1.0), s = c[0] / (c[0] - c[3]);
    for (int i = 0; i < NEWTON_STEPS && !doubles_mask_none(asked); i++) {
        doubles value = ((p3 * s + p2) * s + p1) * s + c[0], slope = (triple_p3 * s + double_p2) * s + p1;
        doubles_mask above = doubles_less(doubles_set(0.0), value);
        low = doubles_choose(above, s, low);
        high = doubles_choose(above, high, s);
        doubles next = s - value / slope;
        doubles_mask within = doubles_mask_and(doubles_less_equal(low, next), doubles_less_equal(next, high));
        next = doubles_choose(within, next, doubles_set(0.5) * (low + high));
        doubles step = doubles_absolute(next - s);
        s = doubles_choose(asked, next, s);
        asked = doubles_mask_and(asked, doubles_less(doubles_set(SHORT_STEP), step));
    }
    return s;
}

struct lane_bracket {
    struct lane_interval at;
    doubles middle;
};

/* The bracket of the one root of D in an interval, and where it is certain. */
static inline doubles_mask bracket_root(const struct lane_query *x, struct lane_interval in, doubles_mask asked,
                                        struct lane_bracket *bracket, struct lane_window *window,
                                        struct lane_polynomials *p)
{
    doubles bound = doubles_set(IMPACT_CUBIC_BOUND) * x->product, c[4];
    open_window(&x->whole, in, window);
    expand(window, p);
    doubles_mask rising = doubles_less(p->cubic[0], doubles_set(0.0));
    for (int i = 0; i < 4; i++) {
        c[i] = doubles_choose(rising, -p->cubic[i], p->cubic[i]);
    }
    bracket->middle = in.l + newton_root(c, asked) * (in.r - in.l);
    bracket->at.l = doubles_most(bracket->middle - doubles_set(IMPACT_BRACKET), in.l);
    bracket->at.r = doubles_least(bracket->middle + doubles_set(IMPACT_BRACKET), in.r);
    open_window(&x->whole, bracket->at, window);
    expand(window, p);
    doubles first = doubles_choose(rising, -p->cubic[0], p->cubic[0]);
    doubles last = doubles_choose(rising, -p->cubic[3], p->cubic[3]);
    return doubles_mask_and(doubles_mask_and(doubles_less(bound, first), doubles_less(last, -bound)),
                            doubles_less(bracket->at.l, bracket->at.r));
}

static inline void append_hits(const uint32_t *places, const struct lane_bracket *bracket, uint32_t bits,
                               struct impact_brackets *hits)
{
    _Alignas(64) double l[DOUBLES], r[DOUBLES], middle[DOUBLES];
    doubles_store(l, bracket->at.l);
    doubles_store(r, bracket->at.r);
    doubles_store(middle, bracket->middle);
    for (; bits != 0; bits &= bits - 1) {
        int lane = __builtin_ctz(bits);
        uint32_t at = hits->count++;
        hits->place[at] = places[lane];
        hits->left[at] = l[lane];
        hits->right[at] = r[lane];
        hits->middle[at] = middle[lane];
    }
}

static inline void bracket(enum impact_kind kind, const struct impact_chosen *chosen, const struct impact_tasks *roots,
                           struct impact_brackets *hits, uint8_t *uncertain)
{
    for (uint32_t begin = 0; begin < roots->count; begin += DOUBLES) {
        const uint32_t *places = roots->place + begin;
        uint32_t asked = lanes_left(roots->count - begin);
        struct lane_interval in = {doubles_load_any(roots->l + begin), doubles_load_any(roots->r + begin)};
        struct lane_points points;
        struct lane_query x;
        struct lane_bracket found;
        struct lane_window window;
        struct lane_polynomials p;
        fetch_places(chosen, places, roots->count - begin, &points);
        prepare_query(kind, &points, &x);
        uint32_t certain =
            doubles_mask_bits(bracket_root(&x, in, doubles_mask_first(roots->count - begin), &found, &window, &p)) &
            asked;
        struct lane_inside result = inside_on(kind, &x, &window, &p);
        uint32_t inside = doubles_mask_bits(result.inside) & certain;
        uint32_t unknown = certain & ~inside & ~doubles_mask_bits(result.outside);
        if (unknown != 0) {
            unknown &= ~doubles_mask_bits(separated_on(kind, &x, &window));
        }
        mark_uncertain(places, unknown | (asked & ~certain), uncertain);
        append_hits(places, &found, inside, hits);
    }
}

#include "geometry/impact/impact_time_lanes.h"
#include "geometry/impact/impact_contact_lanes.h"

/* ---------------------------------------------------------------------------------------------------------- the table */

#define IMPACT_DOUBLE_KERNELS_OF(kind, name)                                                                           \
    static void test_whole_##name(const struct impact_chosen *chosen, const struct impact_tasks *tasks,                \
                                  struct impact_task_outputs *outputs)                                                 \
    {                                                                                                                  \
        test_whole(kind, chosen, tasks, outputs);                                                                      \
    }                                                                                                                  \
    static void test_##name(const struct impact_chosen *chosen, const struct impact_tasks *tasks,                      \
                            const struct impact_horizon *horizon, bool first, struct impact_task_outputs *outputs)     \
    {                                                                                                                  \
        test(kind, chosen, tasks, horizon, first, outputs);                                                            \
    }                                                                                                                  \
    static void bracket_##name(const struct impact_chosen *chosen, const struct impact_tasks *roots,                   \
                               struct impact_brackets *hits, uint8_t *uncertain)                                       \
    {                                                                                                                  \
        bracket(kind, chosen, roots, hits, uncertain);                                                                 \
    }                                                                                                                  \
    static void refine_##name(const struct impact_chosen *chosen, const struct impact_brackets *hits, double *times)   \
    {                                                                                                                  \
        refine(kind, chosen, hits, times);                                                                             \
    }                                                                                                                  \
    static void describe_##name(const struct impact_chosen *chosen, const uint32_t *places, uint32_t count,            \
                                const double *times, struct impact_descriptions *results)                              \
    {                                                                                                                  \
        describe(kind, chosen, places, count, times, results);                                                         \
    }

IMPACT_DOUBLE_KERNELS_OF(IMPACT_VERTEX_FACE, vertex_face)
IMPACT_DOUBLE_KERNELS_OF(IMPACT_EDGE_EDGE, edge_edge)

#define IMPACT_DOUBLE_KERNELS_ROW                                                                                      \
    {                                                                                                                  \
        {test_whole_vertex_face, test_whole_edge_edge}, {test_vertex_face, test_edge_edge},                            \
            {bracket_vertex_face, bracket_edge_edge}, {refine_vertex_face, refine_edge_edge},                          \
        {                                                                                                              \
            describe_vertex_face, describe_edge_edge                                                                   \
        }                                                                                                              \
    }
