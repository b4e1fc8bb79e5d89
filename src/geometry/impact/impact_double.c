/* Stages 1 and 2 of the impact test: certified double arithmetic, one pass over [0, 1] from left to right.
 *
 * D is the coplanarity cubic in Bernstein form. An interval is dropped where D has one certain sign, where the
 * primitives are certainly apart in the projection along a component of N = a x b of certain sign, or where an axis
 * separates them. Where D has exactly one root for certain, the root is bracketed and decided by the same tests on the
 * bracket. Else the interval is split (not in the middle: hand-made data have their roots there). Whatever stays
 * uncertain is left to exact integers.
 *
 * Bounds, for coefficients on any subinterval [l, r], u = 2^-53, P = mq ma mb as in kernels/impact_kernels.h. There:
 * B0 and B3 of D have error 46u P, 3 B1 and 3 B2 168u P, hence B1 and B2 68u P with the multiplication by 1/3; all are
 * at most 6P. Coefficients on [l, r] are blossoms of the original ones: a linear interpolation x (1 - s) + y s, s
 * exact, has error 3u max(|x|, |y|) and averages earlier errors, so three of them add 54u P, two of a quadratic of size
 * 2m add 12u m.
 *
 *     D                  68 + 54 = 122u P                                        used 160u P
 *     N_k, U_k, V_k      10 + 12 = 22u times ma mb, mq mb, mq ma                 used 32u
 *     N-U-V, N-U, N-V    22u and two subtractions, 26u (ma mb + mq mb + mq ma)   used 40u
 *     D'                 3 (68 + 68) + 72 for the operations + 216 = 696u P      used 1280u P
 *     d . F at a corner  interpolated differences 4u m, products and sums 26u    used 48u max|d| (mq + ma + mb)
 *
 * The numbers used are IMPACT_CUBIC_BOUND and its neighbours in impact_internal.h.
 *
 * Underflow is harmless for the same reason as there. tests/geometry/test_impact_bounds_rational.c measures all of
 * them.
 */
#include <math.h>

#include "geometry/impact/impact_internal.h"
#include "geometry/impact/impact_time.h"
#include "geometry/impact/impact_kernels.h"
#include "simd/lanes_scalar.h"
#include "geometry/numbers/power_of_two.h"

#include "geometry/impact/impact_direction.h"

enum { INTERVAL_LIMIT = 20, STACK_LIMIT = 24 };

enum inside { CERTAINLY_OUTSIDE, CERTAINLY_INSIDE, NOT_KNOWN };

struct interval {
    double l, r;
};

static inline double interpolate(double x, double y, double s)
{
    return x * (1.0 - s) + y * s;
}

/* ------------------------------------------------------------------------------------------------------ preparation */

static inline double difference(const struct impact_vertex *to, const struct impact_vertex *from, double result[2][3])
{
    for (int axis = 0; axis < 3; axis++) {
        result[0][axis] = to->start[axis] - from->start[axis];
        result[1][axis] = to->end[axis] - from->end[axis];
    }
    return doubles_most(lanes_largest(result[0]), lanes_largest(result[1]));
}

/* False where a size is out of the range that the bounds allow. */
static bool prepare(struct impact_doubles *x, enum impact_kind kind, const struct impact_vertex *const corners[4])
{
    struct impact_pairs pairs = impact_pairs_of(kind);
    x->kind = kind;
    x->corners = corners;
    x->size_q = difference(corners[pairs.q[0]], corners[pairs.q[1]], x->q);
    x->size_a = difference(corners[pairs.a[0]], corners[pairs.a[1]], x->a);
    x->size_b = difference(corners[pairs.b[0]], corners[pairs.b[1]], x->b);
    double least = doubles_least(doubles_least(x->size_q, x->size_a), x->size_b);
    double most = doubles_most(doubles_most(x->size_q, x->size_a), x->size_b);
    if (!(least > IMPACT_LEAST_SIZE && most < IMPACT_MOST_SIZE)) {
        return false;
    }
    double start[3], end[3], mixed[3], other[3];
    lanes_cross(x->a[0], x->b[0], start);
    lanes_cross(x->a[1], x->b[1], end);
    lanes_cross(x->a[0], x->b[1], mixed);
    lanes_cross(x->a[1], x->b[0], other);
    for (int axis = 0; axis < 3; axis++) {
        mixed[axis] = mixed[axis] + other[axis];
        x->normal[axis][0] = start[axis];
        x->normal[axis][1] = 0.5 * mixed[axis];
        x->normal[axis][2] = end[axis];
    }
    x->cubic[0] = lanes_dot(x->q[0], start);
    x->cubic[1] = (lanes_dot(x->q[1], start) + lanes_dot(x->q[0], mixed)) * (1.0 / 3.0);
    x->cubic[2] = (lanes_dot(x->q[0], end) + lanes_dot(x->q[1], mixed)) * (1.0 / 3.0);
    x->cubic[3] = lanes_dot(x->q[1], end);
    x->product = x->size_q * x->size_a * x->size_b;
    x->cubic_bound = IMPACT_CUBIC_BOUND * x->product;
    return true;
}

/* ------------------------------------------------------------------------------------------------ parts of intervals
 */

static inline void cubic_on(const double c[4], double l, double r, double out[4])
{
    double l01 = interpolate(c[0], c[1], l), l12 = interpolate(c[1], c[2], l), l23 = interpolate(c[2], c[3], l);
    double r01 = interpolate(c[0], c[1], r), r12 = interpolate(c[1], c[2], r), r23 = interpolate(c[2], c[3], r);
    double ll0 = interpolate(l01, l12, l), ll1 = interpolate(l12, l23, l);
    double lr0 = interpolate(l01, l12, r), lr1 = interpolate(l12, l23, r);
    double rr0 = interpolate(r01, r12, r), rr1 = interpolate(r12, r23, r);
    out[0] = interpolate(ll0, ll1, l);
    out[1] = interpolate(ll0, ll1, r);
    out[2] = interpolate(lr0, lr1, r);
    out[3] = interpolate(rr0, rr1, r);
}

static inline void quadratic_on(const double c[3], double l, double r, double out[3])
{
    double l01 = interpolate(c[0], c[1], l), l12 = interpolate(c[1], c[2], l);
    double r01 = interpolate(c[0], c[1], r), r12 = interpolate(c[1], c[2], r);
    out[0] = interpolate(l01, l12, l);
    out[1] = interpolate(l01, l12, r);
    out[2] = interpolate(r01, r12, r);
}

static inline double cubic_at(const double c[4], double t)
{
    double c01 = interpolate(c[0], c[1], t), c12 = interpolate(c[1], c[2], t), c23 = interpolate(c[2], c[3], t);
    return interpolate(interpolate(c01, c12, t), interpolate(c12, c23, t), t);
}

/* 1: all above the bound, -1: all below minus the bound, 0: else. */
static inline int certain_sign(double value, double bound)
{
    return (value > bound) - (value < -bound);
}

static inline int certain_sign_3(const double c[3], double bound)
{
    double least = doubles_least(doubles_least(c[0], c[1]), c[2]), most = doubles_most(doubles_most(c[0], c[1]), c[2]);
    return (least > bound) - (most < -bound);
}

static inline int certain_sign_4(const double c[4], double bound)
{
    double least = doubles_least(doubles_least(c[0], c[1]), doubles_least(c[2], c[3]));
    double most = doubles_most(doubles_most(c[0], c[1]), doubles_most(c[2], c[3]));
    return (least > bound) - (most < -bound);
}

/* Component `axis` of x cross y in Bernstein form on [0, 1]. */
static inline void cross_component(const double x[2][3], const double y[2][3], int axis, double c[3])
{
    int i = axis == 2 ? 0 : axis + 1, j = axis == 0 ? 2 : axis - 1;
    c[0] = x[0][i] * y[0][j] - x[0][j] * y[0][i];
    c[1] = 0.5 * ((x[0][i] * y[1][j] - x[0][j] * y[1][i]) + (x[1][i] * y[0][j] - x[1][j] * y[0][i]));
    c[2] = x[1][i] * y[1][j] - x[1][j] * y[1][i];
}

/* ------------------------------------------------------------------------------------------------------ inside tests
 */

/* Corners of the condition that is ((y - x) cross (z - x))_k up to sign: U, V, then N-U-V, or N-U and N-V. */
static const uint8_t condition_corners[2][4][3] = {
    {{0, 1, 3}, {0, 1, 2}, {0, 2, 3}, {0, 0, 0}},
    {{0, 2, 3}, {2, 0, 1}, {1, 2, 3}, {3, 0, 1}},
};

static inline bool same_coordinate(const struct impact_vertex *a, const struct impact_vertex *b, int axis)
{
    return a->start[axis] == b->start[axis] && a->end[axis] == b->end[axis];
}

/* Whether the condition is zero all the time because each of its two products has a factor that is: closed primitives,
 * so it is met. Decides vertex-over-vertex and same-height contacts of structured meshes. */
static bool zero_by_structure(const struct impact_doubles *x, int condition, int axis)
{
    const uint8_t *corner = condition_corners[x->kind][condition];
    const struct impact_vertex *p = x->corners[corner[0]], *y = x->corners[corner[1]], *z = x->corners[corner[2]];
    int i = axis == 2 ? 0 : axis + 1, j = axis == 0 ? 2 : axis - 1;
    return (same_coordinate(y, p, i) || same_coordinate(z, p, j)) &&
           (same_coordinate(y, p, j) || same_coordinate(z, p, i));
}

/* The projection along `axis`, where N has the sign given on [l, r]. `structure`: look at zeros too. */
static enum inside inside_along(const struct impact_doubles *x, int axis, int sign, double l, double r, bool structure)
{
    bool face = x->kind == IMPACT_VERTEX_FACE;
    double u[3], v[3], c[4][3];
    cross_component(x->q, x->b, axis, u);
    if (face) {
        cross_component(x->a, x->q, axis, v);
    } else {
        cross_component(x->q, x->a, axis, v);
    }
    quadratic_on(u, l, r, c[0]);
    quadratic_on(v, l, r, c[1]);
    double n[3];
    quadratic_on(x->normal[axis], l, r, n);
    for (int i = 0; i < 3; i++) {
        c[2][i] = face ? n[i] - c[0][i] - c[1][i] : n[i] - c[0][i];
        c[3][i] = n[i] - c[1][i];
    }
    double ab = x->size_a * x->size_b, qb = x->size_q * x->size_b, qa = x->size_q * x->size_a;
    double rest = IMPACT_REST_BOUND * (ab + qb + qa);
    double bounds[4] = {IMPACT_CROSS_BOUND * qb, IMPACT_CROSS_BOUND * qa, rest, rest};
    enum inside result = CERTAINLY_INSIDE;
    for (int i = 0; i < (face ? 3 : 4); i++) {
        int found = certain_sign_3(c[i], bounds[i]);
        if (found == -sign) {
            return CERTAINLY_OUTSIDE;
        }
        if (found == 0 && !(structure && zero_by_structure(x, i, axis))) {
            result = NOT_KNOWN;
        }
    }
    return result;
}

/* On a long interval: one projection, the one with the largest certain component of N. */
static enum inside inside_on(const struct impact_doubles *x, double l, double r)
{
    double bound = IMPACT_CROSS_BOUND * (x->size_a * x->size_b), best = bound;
    int best_axis = -1, best_sign = 0;
    for (int axis = 0; axis < 3; axis++) {
        double c[3];
        quadratic_on(x->normal[axis], l, r, c);
        double least = doubles_least(doubles_least(c[0], c[1]), c[2]),
               most = doubles_most(doubles_most(c[0], c[1]), c[2]);
        double clear = doubles_most(least, -most);
        if (clear > best) {
            best = clear;
            best_axis = axis;
            best_sign = least > 0.0 ? 1 : -1;
        }
    }
    return best_axis < 0 ? NOT_KNOWN : inside_along(x, best_axis, best_sign, l, r, false);
}

/* On a bracket of a root: every projection. */
static enum inside inside_on_bracket(const struct impact_doubles *x, double l, double r)
{
    double bound = IMPACT_CROSS_BOUND * (x->size_a * x->size_b);
    for (int axis = 0; axis < 3; axis++) {
        double c[3];
        quadratic_on(x->normal[axis], l, r, c);
        int sign = certain_sign_3(c, bound);
        enum inside result = sign == 0 ? NOT_KNOWN : inside_along(x, axis, sign, l, r, true);
        if (result != NOT_KNOWN) {
            return result;
        }
    }
    return NOT_KNOWN;
}

static inline void interpolate_vector(const double x[2][3], double s, double out[3])
{
    for (int axis = 0; axis < 3; axis++) {
        out[axis] = interpolate(x[0][axis], x[1][axis], s);
    }
}

/* Whether an axis, that of the middle of the interval, separates the primitives on [l, r]. */
static bool separated_on(const struct impact_doubles *x, double l, double r)
{
    double q[3], a[3], b[3], d[3], least = HUGE_VAL, most = -HUGE_VAL;
    double middle = l + 0.5 * (r - l);
    interpolate_vector(x->q, middle, q);
    interpolate_vector(x->a, middle, a);
    interpolate_vector(x->b, middle, b);
    if (x->kind == IMPACT_VERTEX_FACE) {
        vertex_face_direction(q, a, b, d);
    } else {
        edge_edge_direction(q, a, b, d);
    }
    for (int end = 0; end < 2; end++) {
        interpolate_vector(x->q, end == 0 ? l : r, q);
        interpolate_vector(x->a, end == 0 ? l : r, a);
        interpolate_vector(x->b, end == 0 ? l : r, b);
        double dq = lanes_dot(d, q), da = lanes_dot(d, a), db = lanes_dot(d, b);
        double values[4] = {dq, dq - da, dq - db, dq};
        if (x->kind == IMPACT_EDGE_EDGE) {
            values[2] = dq + db;
            values[3] = values[2] - da;
        }
        least = doubles_least(least,
                              doubles_least(doubles_least(values[0], values[1]), doubles_least(values[2], values[3])));
        most = doubles_most(most, doubles_most(doubles_most(values[0], values[1]), doubles_most(values[2], values[3])));
    }
    double size = lanes_largest(d);
    double bound = IMPACT_AXIS_BOUND * size * (x->size_q + x->size_a + x->size_b);
    return size > IMPACT_LEAST_AXIS && size < HUGE_VAL && (least > bound || most < -bound);
}

/* ------------------------------------------------------------------------------------------------------ roots */

/* Coefficients with certain ends of opposite sign: exactly one sign change whatever the uncertain ones are? */
static bool one_change(const double c[4], double bound)
{
    int s0 = certain_sign(c[0], bound), s1 = certain_sign(c[1], bound);
    int s2 = certain_sign(c[2], bound), s3 = certain_sign(c[3], bound);
    if (s0 == 0 || s3 == 0 || s0 == s3) {
        return false;
    }
    if (s1 == 0 || s2 == 0) {
        return s1 == 0 ? s2 == s3 : s1 == s0;
    }
    return !(s1 == s3 && s2 == s0);
}

/* The root of the cubic with these coefficients on [0, 1], whose ends differ in sign: Newton's method inside a
 * shrinking interval. As good as doubles allow; nothing is proven by it. */
static double newton_root(const double c[4])
{
    double p1 = 3.0 * (c[1] - c[0]), p2 = 3.0 * (c[0] - 2.0 * c[1] + c[2]), p3 = (c[3] - c[0]) - 3.0 * (c[2] - c[1]);
    double low = 0.0, high = 1.0, s = c[0] / (c[0] - c[3]);
    bool rising = c[0] < 0.0;
    for (int i = 0; i < 40; i++) {
        double value = ((p3 * s + p2) * s + p1) * s + c[0], slope = (3.0 * p3 * s + 2.0 * p2) * s + p1;
        if (value == 0.0) {
            break;
        }
        if ((value < 0.0) == rising) {
            low = s;
        } else {
            high = s;
        }
        double next = s - value / slope;
        if (!(next > low && next < high)) {
            next = 0.5 * (low + high);
        }
        if (fabs(next - s) <= 0x1p-52 * s) {
            return next;
        }
        s = next;
    }
    return s;
}

/* The one root of [l, r]: free there, in contact (with its time), or undecided. */
static enum impact_verdict decide_root(const struct impact_doubles *x, double l, double r, const double c[4],
                                       double *toi)
{
    double m = l + newton_root(c) * (r - l);
    double slope = 0.0, width = IMPACT_BRACKET;
    int left_sign = c[0] < 0.0 ? -1 : 1;
    for (int attempt = 0; attempt < 2; attempt++) {
        double left = m - width > l ? m - width : l, right = m + width < r ? m + width : r;
        bool certain = left < right && certain_sign(cubic_at(x->cubic, left), x->cubic_bound) == left_sign &&
                       certain_sign(cubic_at(x->cubic, right), x->cubic_bound) == -left_sign;
        if (!certain) {
            return IMPACT_UNDECIDED;
        }
        enum inside inside = inside_on_bracket(x, left, right);
        if (inside == CERTAINLY_OUTSIDE || (inside == NOT_KNOWN && separated_on(x, left, right))) {
            return IMPACT_CERTAINLY_FREE;
        }
        if (inside == CERTAINLY_INSIDE) {
            return impact_refine_time(x, left, right, m, toi) ? IMPACT_CERTAINLY_HIT : IMPACT_UNDECIDED;
        }
        slope = fabs(cubic_at(x->cubic, right) - cubic_at(x->cubic, left)) / (right - left);
        width = 8.0 * x->cubic_bound / slope;
        width = width > 4e-16 ? width : 4e-16;
        if (!(width < 1e-8)) {
            return IMPACT_UNDECIDED;
        }
    }
    return IMPACT_UNDECIDED;
}

/* The corners times a power of two that brings the largest coordinate near 1; false where a number would be rounded.
 * The answer does not depend on the scale. */
static bool rescale(const struct impact_vertex *const corners[4], struct impact_vertex scaled[4])
{
    double most = 0.0;
    for (int i = 0; i < 4; i++) {
        most = doubles_most(most, doubles_most(lanes_largest(corners[i]->start), lanes_largest(corners[i]->end)));
    }
    int scale = most > 0.0 ? -binary_exponent(most) : 0;
    bool exact = true;
    for (int i = 0; i < 4; i++) {
        for (int axis = 0; axis < 3; axis++) {
            double start = scale_by_power_of_two(corners[i]->start[axis], scale);
            double end = scale_by_power_of_two(corners[i]->end[axis], scale);
            exact = exact && scale_by_power_of_two(start, -scale) == corners[i]->start[axis] &&
                    scale_by_power_of_two(end, -scale) == corners[i]->end[axis];
            scaled[i].start[axis] = start;
            scaled[i].end[axis] = end;
        }
    }
    return exact;
}

/* Intervals from left to right: the first contact, if any. */
static enum impact_verdict search(const struct impact_doubles *x, double t_limit, double *toi)
{
    struct interval stack[STACK_LIMIT];
    int depth = 0, looked_at = 0;
    stack[depth++] = (struct interval){0.0, 1.0};
    while (depth > 0) {
        double l = stack[depth - 1].l, r = stack[depth - 1].r, c[4];
        depth--;
        if (l > t_limit) {
            return IMPACT_CERTAINLY_FREE; /* up to the limit; the rest is later still */
        }
        if (++looked_at > INTERVAL_LIMIT) {
            return IMPACT_UNDECIDED;
        }
        cubic_on(x->cubic, l, r, c);
        if (certain_sign_4(c, x->cubic_bound) != 0) {
            continue;
        }
        enum inside inside = inside_on(x, l, r);
        if (inside == CERTAINLY_OUTSIDE || (inside == NOT_KNOWN && separated_on(x, l, r))) {
            continue;
        }
        if (one_change(c, x->cubic_bound)) {
            enum impact_verdict verdict = decide_root(x, l, r, c, toi);
            if (verdict != IMPACT_CERTAINLY_FREE) {
                return verdict;
            }
            continue;
        }
        if (r - l < IMPACT_SHORTEST_INTERVAL) {
            return IMPACT_UNDECIDED;
        }
        double split = l + IMPACT_SPLIT * (r - l);
        stack[depth++] = (struct interval){split, r};
        stack[depth++] = (struct interval){l, split};
    }
    return IMPACT_CERTAINLY_FREE;
}

/* Apart, so that the ordinary case needs no room for the copies. */
static __attribute__((noinline)) enum impact_verdict
search_rescaled(enum impact_kind kind, const struct impact_vertex *const corners[4], double t_limit, double *toi)
{
    struct impact_doubles x;
    struct impact_vertex scaled[4];
    const struct impact_vertex *const scaled_corners[4] = {&scaled[0], &scaled[1], &scaled[2], &scaled[3]};
    bool usable = rescale(corners, scaled) && prepare(&x, kind, scaled_corners);
    return usable ? search(&x, t_limit, toi) : IMPACT_UNDECIDED;
}

enum impact_verdict impact_double_time(enum impact_kind kind, const struct impact_vertex *const corners[4],
                                       double t_limit, double *toi)
{
    struct impact_doubles x;
    return prepare(&x, kind, corners) ? search(&x, t_limit, toi) : search_rescaled(kind, corners, t_limit, toi);
}
