/* The time of impact to the last bit.
 *
 * On the bracket [left, right] of a simple root t*, the mean value theorem gives t* = m - D(m) / D'(s) for some s
 * there. D' is enclosed by its Bernstein coefficients, and D(m) computed in double-double arithmetic, so the
 * correction, about 1e-16, is known to seven digits or more: nearly always enough to know the double below t*. If the
 * two ends of the enclosure round differently, once more from the new middle; then it is left to exact integers.
 *
 * Error of D(m), with pairs of 106 bits (w = 2^-106; Dekker 1971): differences of the corners are exact sums of two
 * doubles, 1 - m too. A product of pairs has error 8w, a sum 3w of the sum of sizes. A component of q(m) then has (8 +
 * 8) w + 6w = 22w mq, of N 2 (44w + 8w) + 6w = 110w ma mb, D 3 (2 * 22w + 110w + 16w) + 36w = 546w P: below 2^-96 P.
 * Used: 2^-94 P.
 */
#include "geometry/impact/impact_time.h"

#include <math.h>

typedef struct double_double pair;

/* Component of to - from at time t, with t and 1 - t given. */
static inline pair difference_at(const struct impact_vertex *to, const struct impact_vertex *from, int axis, double t,
                                 pair rest)
{
    pair start = two_sum(to->start[axis], -from->start[axis]), end = two_sum(to->end[axis], -from->end[axis]);
    pair at_end = two_product(end.high, t);
    at_end = quick_two_sum(at_end.high, at_end.low + end.low * t);
    return pair_add(pair_multiply(start, rest), at_end);
}

pair impact_coplanarity_at(enum impact_kind kind, const struct impact_vertex *const corners[4], double t)
{
    struct impact_pairs pairs = impact_pairs_of(kind);
    pair q[3], a[3], b[3], rest = two_sum(1.0, -t), sum = {0.0, 0.0};
    for (int axis = 0; axis < 3; axis++) {
        q[axis] = difference_at(corners[pairs.q[0]], corners[pairs.q[1]], axis, t, rest);
        a[axis] = difference_at(corners[pairs.a[0]], corners[pairs.a[1]], axis, t, rest);
        b[axis] = difference_at(corners[pairs.b[0]], corners[pairs.b[1]], axis, t, rest);
    }
    for (int axis = 0; axis < 3; axis++) {
        int i = axis == 2 ? 0 : axis + 1, j = axis == 0 ? 2 : axis - 1;
        pair normal = pair_add(pair_multiply(a[i], b[j]), pair_negate(pair_multiply(a[j], b[i])));
        sum = pair_add(sum, pair_multiply(q[axis], normal));
    }
    return sum;
}

static inline double interpolate(double x, double y, double s)
{
    return x * (1.0 - s) + y * s;
}

bool impact_enclose_slope(const struct impact_doubles *x, double left, double right, double *least, double *most)
{
    double c[3], bound = IMPACT_SLOPE_BOUND * x->product;
    for (int i = 0; i < 3; i++) {
        c[i] = 3.0 * (x->cubic[i + 1] - x->cubic[i]);
    }
    double l01 = interpolate(c[0], c[1], left), l12 = interpolate(c[1], c[2], left);
    double r01 = interpolate(c[0], c[1], right), r12 = interpolate(c[1], c[2], right);
    double d0 = interpolate(l01, l12, left), d1 = interpolate(l01, l12, right), d2 = interpolate(r01, r12, right);
    double low = d0 < d1 ? d0 : d1, high = d0 > d1 ? d0 : d1;
    *least = (low < d2 ? low : d2) - bound;
    *most = (high > d2 ? high : d2) + bound;
    return *least > 0.0 || *most < 0.0;
}

/* The largest double not above base + correction, base in [0, 1]. */
static double sum_down(double base, double correction)
{
    pair sum = two_sum(base, correction);
    return sum.low < 0.0 ? nextafter(sum.high, -1.0) : sum.high;
}

bool impact_refine_time(const struct impact_doubles *x, double left, double right, double m, double *toi)
{
    double least, most;
    if (!impact_enclose_slope(x, left, right, &least, &most)) {
        return false;
    }
    double near_zero = fabs(least) < fabs(most) ? least : most, far = fabs(least) < fabs(most) ? most : least;
    for (int attempt = 0; attempt < 2; attempt++) {
        pair value = impact_coplanarity_at(x->kind, x->corners, m);
        double error = IMPACT_TIME_ERROR * x->product + fabs(value.high) * 0x1p-52;
        double low = value.high - error, high = value.high + error;
        /* -low / slope and -high / slope: of the slopes the one that widens the range */
        double from_low = -low / (low < 0.0 ? near_zero : far), from_high = -high / (high > 0.0 ? near_zero : far);
        double first = from_low < from_high ? from_low : from_high, last = from_low < from_high ? from_high : from_low;
        first -= fabs(first) * 0x1p-50;
        last += fabs(last) * 0x1p-50;
        double down = sum_down(m, first), up = sum_down(m, last);
        if (down == up) {
            *toi = down < left ? left : down;
            return down >= left && down <= right;
        }
        double next = m + 0.5 * (first + last);
        if (!(next > left && next < right)) {
            return false;
        }
        m = next;
    }
    return false;
}
