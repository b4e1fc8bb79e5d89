/* The time of hits to the last bit, in lanes: impact_time.c over many, by the same operations. Included by
 * impact_double_lanes.h.
 */
#include "geometry/numbers/double_double_lanes.h"

/* Component of to - from at time t, with t and 1 - t given: as in impact_time.c. */
static inline struct doubles_pair difference_at(const struct lane_points *points, const uint8_t pair[2], int axis,
                                                doubles t, struct doubles_pair rest)
{
    struct doubles_pair start = lanes_two_sum(points->at[pair[0]][0][axis], -points->at[pair[1]][0][axis]);
    struct doubles_pair end = lanes_two_sum(points->at[pair[0]][1][axis], -points->at[pair[1]][1][axis]);
    struct doubles_pair at_end = lanes_two_product(end.high, t);
    at_end = lanes_quick_two_sum(at_end.high, at_end.low + end.low * t);
    return lanes_pair_add(lanes_pair_multiply(start, rest), at_end);
}

static inline struct doubles_pair coplanarity_at(enum impact_kind kind, const struct lane_points *points, doubles t)
{
    const struct impact_pairs pairs = impact_pairs_of(kind);
    struct doubles_pair q[3], a[3], b[3], rest = lanes_two_sum(doubles_set(1.0), -t);
    struct doubles_pair sum = {doubles_set(0.0), doubles_set(0.0)};
    for (int axis = 0; axis < 3; axis++) {
        q[axis] = difference_at(points, pairs.q, axis, t, rest);
        a[axis] = difference_at(points, pairs.a, axis, t, rest);
        b[axis] = difference_at(points, pairs.b, axis, t, rest);
    }
    for (int axis = 0; axis < 3; axis++) {
        int i = axis == 2 ? 0 : axis + 1, j = axis == 0 ? 2 : axis - 1;
        struct doubles_pair normal =
            lanes_pair_add(lanes_pair_multiply(a[i], b[j]), lanes_pair_negate(lanes_pair_multiply(a[j], b[i])));
        sum = lanes_pair_add(sum, lanes_pair_multiply(q[axis], normal));
    }
    return sum;
}

/* Bounds of D' on an interval. */
struct lane_slope {
    doubles least, most;
};

/* Where they do not include 0. */
static inline doubles_mask enclose_slope(const struct lane_query *x, const doubles cubic[4], struct lane_interval at,
                                         struct lane_slope *slope)
{
    doubles c[3], bound = doubles_set(IMPACT_SLOPE_BOUND) * x->product, rest_l = doubles_set(1.0) - at.l,
                  rest_r = doubles_set(1.0) - at.r;
    for (int i = 0; i < 3; i++) {
        c[i] = doubles_set(3.0) * (cubic[i + 1] - cubic[i]);
    }
    doubles l01 = interpolate(c[0], c[1], at.l, rest_l), l12 = interpolate(c[1], c[2], at.l, rest_l);
    doubles r01 = interpolate(c[0], c[1], at.r, rest_r), r12 = interpolate(c[1], c[2], at.r, rest_r);
    doubles d0 = interpolate(l01, l12, at.l, rest_l), d1 = interpolate(l01, l12, at.r, rest_r);
    doubles d2 = interpolate(r01, r12, at.r, rest_r);
    slope->least = doubles_least(doubles_least(d0, d1), d2) - bound;
    slope->most = doubles_most(doubles_most(d0, d1), d2) + bound;
    return doubles_mask_or(doubles_less(doubles_set(0.0), slope->least), doubles_less(slope->most, doubles_set(0.0)));
}

/* One pass of impact_refine_time from m: the correction lies between these two. */
struct lane_correction {
    doubles first, last;
};

static inline struct lane_correction correct(enum impact_kind kind, const struct lane_points *points,
                                             const struct lane_query *x, const struct lane_slope *slope, doubles m)
{
    const doubles zero = doubles_set(0.0);
    doubles_mask least_is_near = doubles_less(doubles_absolute(slope->least), doubles_absolute(slope->most));
    doubles near_zero = doubles_choose(least_is_near, slope->least, slope->most);
    doubles far = doubles_choose(least_is_near, slope->most, slope->least);
    doubles value = coplanarity_at(kind, points, m).high;
    doubles error = doubles_set(IMPACT_TIME_ERROR) * x->product + doubles_absolute(value) * doubles_set(0x1p-52);
    doubles low = value - error, high = value + error;
    doubles from_low = -low / doubles_choose(doubles_less(low, zero), near_zero, far);
    doubles from_high = -high / doubles_choose(doubles_less(zero, high), near_zero, far);
    struct lane_correction result = {doubles_least(from_low, from_high), doubles_most(from_low, from_high)};
    result.first = result.first - doubles_absolute(result.first) * doubles_set(0x1p-50);
    result.last = result.last + doubles_absolute(result.last) * doubles_set(0x1p-50);
    return result;
}

/* The largest double not above base + correction, for sums in [2^-900, 1]. The double below a positive x is x - u (1 +
 * 2u) x, rounded to nearest (Rump, Zimmermann, Boldo, Melquiond 2009). */
static inline doubles sum_down(doubles base, doubles correction)
{
    struct doubles_pair sum = lanes_two_sum(base, correction);
    doubles below = sum.high - sum.high * doubles_set(0x1p-53 * (1.0 + 0x1p-52));
    return doubles_choose(doubles_less(sum.low, doubles_set(0.0)), below, sum.high);
}

/* Takes another look from m, for the lanes that are open: those whose time is known now are closed, others get a better
 * m, or lose their place where there is none. */
static inline doubles_mask look_again(enum impact_kind kind, const struct lane_points *points,
                                      const struct lane_query *x, const struct lane_slope *slope,
                                      struct lane_bracket *bracket, doubles *times, doubles_mask open)
{
    struct lane_correction correction = correct(kind, points, x, slope, bracket->middle);
    doubles down = sum_down(bracket->middle, correction.first), up = sum_down(bracket->middle, correction.last);
    doubles_mask decided = doubles_mask_and(open, doubles_equal(down, up));
    doubles_mask within =
        doubles_mask_and(doubles_less_equal(bracket->at.l, down), doubles_less_equal(down, bracket->at.r));
    within = doubles_mask_and(within, doubles_less(doubles_set(0x1p-900), down));
    *times = doubles_choose(doubles_mask_and(decided, within), down, *times);
    doubles next = bracket->middle + doubles_set(0.5) * (correction.first + correction.last);
    doubles_mask usable = doubles_mask_and(doubles_less(bracket->at.l, next), doubles_less(next, bracket->at.r));
    bracket->middle = next;
    return doubles_mask_and(doubles_mask_and_not(open, decided), usable);
}

static inline void refine(enum impact_kind kind, const struct impact_chosen *chosen, const struct impact_brackets *hits,
                          double *times)
{
    for (uint32_t begin = 0; begin < hits->count; begin += DOUBLES) {
        struct lane_points points;
        struct lane_query x;
        struct lane_polynomials p;
        struct lane_slope slope;
        struct lane_bracket bracket = {{doubles_load_any(hits->left + begin), doubles_load_any(hits->right + begin)},
                                       doubles_load_any(hits->middle + begin)};
        doubles found = doubles_set(-1.0);
        fetch_places(chosen, hits->place + begin, hits->count - begin, &points);
        prepare_query(kind, &points, &x);
        expand(&x.whole, &p);
        doubles_mask open =
            doubles_mask_and(doubles_mask_first(hits->count - begin), enclose_slope(&x, p.cubic, bracket.at, &slope));
        for (int attempt = 0; attempt < 2 && !doubles_mask_none(open); attempt++) {
            open = look_again(kind, &points, &x, &slope, &bracket, &found, open);
        }
        doubles_store_any(times + begin, found);
    }
}
