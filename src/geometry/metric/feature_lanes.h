/* The fixed sequence of double operations behind the question proximity, on pairs side by side: closest points of a
 * vertex and a face, and of two edges. This is the definition (see geometry/metric/feature_distance.h for what
 * it promises); it is written once over the doubles of simd/lanes.h, which the includer has
 * chosen, so that all give the same bits.
 *
 * Every feature of lower dimension gives a candidate, the interior one more if it falls inside; the closest candidate
 * wins, the first of equal ones. Nothing depends on a chain of region tests, so no case can end in the wrong region.
 *   A vertex and a face: the closest points of its three edges, and the foot of the perpendicular where its three
 * weights, each from the normal, are positive. Two edges: each end against the other edge, and the common
 * perpendicular, whose place on the first edge comes from cross products (n = u x v, s = (w x v).n / n.n), which lose
 * less than dot products when the edges are nearly parallel; where they lose everything the ends are as close as
 * rounding can tell. The place on the second edge follows from the first: errors of two formulas would not agree along
 * nearly parallel edges.
 *
 * Steps: the corners (ends, edges) are put into lexicographic order, so that the result depends on positions alone;
 * coordinates are taken relative to the vertex, or to the first end, after division by 16 where one is above 2^1000;
 * they are scaled by a power of two to E <= 1; the candidates are compared by squared distance; the difference of the
 * two closest points is scaled to its own size before its length is taken, so that nothing vanishes.
 *
 * Lower bound of the distance. Relative coordinates have a relative error of u = 2^-53 each. A candidate has weights
 * >= 0 whose sum is 1 up to 4u, hence its point, computed with 5 more roundings, lies within 4u + 5u of a point of
 * the set on every axis; for two edges the difference of two such points (one with a single product) within 11u. Over
 * three axes that is 19u; the square root of the sum of squares, of length at most 2 sqrt(3), adds 3u times that:
 * 10u. Together less than 32u E.
 *
 * Upper bound of the distance of two edges, d + 2^-22 E, to first order in u (the rest is below 2^-20 of each term). E = 1.
 *   An end p and the edge at w along v: the place t = (p - w).v / v.v has |t^ - t| |v| <= 5u |p - w| + 4u |v| <= 32u, and
 * a wrong place costs (its error times |v|)^2 in the squared distance, cut to [0, 1] or not, because the cut moves it
 * towards the best one. With the rounding above, D <= d + 64u.
 *   Closest inside both, at s and t, with the angle theta between them. As |a x b| is computed from components of sizes
 * |a_i b_j| + |a_j b_i|, which together have a length of at most sqrt(2) |a| |b|, n = u x v is wrong by 4.3u |u| |v| and
 * m = w x v by 4.3u |w| |v|. With |n| = |u| |v| sin theta, |m| <= |w| |v| and |s| <= 1 the quotient m.n / n.n gives
 *
 *     |s^ - s| |u| <= u (11.6 |w| + 12.6 |u|) / sin^2 theta <= 42u / sin^2 theta.
 *
 * From (s, t) go towards s^, always to the place of v closest to that of u. This costs (|s' - s| |u| sin theta)^2 at s'.
 * Either s^ is reached with its place inside v: then that candidate costs at most (42u / sin theta)^2. Or the way leaves
 * the square before, at an end of u or v: then the candidate of that end costs no more. For sin theta < 2^-24 go on to
 * an end in any case: it costs at most (|u| sin theta)^2 <= 3 * 2^-48. So in all cases the excess of the squared distance
 * is below (2^-23.2)^2, and D <= d + 2^-23.2 + 64u.
 */
#define FEATURE_INLINE static inline __attribute__((always_inline))

/* Of a row of pairs: the vertex and the three corners, or both ends of a and both of b. */
struct row_points {
    struct doubles3 point[4];
};

struct row_result {
    doubles distance;
    doubles weight[4];          /* of the points in the same order (the vertex: 1); exactly 0 where one takes no part */
    struct doubles3 difference; /* from b to a, scaled by a power of two */
    doubles length;             /* of that difference, 0 when the sets touch */
};

FEATURE_INLINE struct doubles3 negative(struct doubles3 a)
{
    return (struct doubles3){-a.x, -a.y, -a.z};
}

/* s a + t b */
FEATURE_INLINE struct doubles3 blend(doubles s, struct doubles3 a, doubles t, struct doubles3 b)
{
    return (struct doubles3){s * a.x + t * b.x, s * a.y + t * b.y, s * a.z + t * b.z};
}

/* The largest of the sizes of the components. */
FEATURE_INLINE doubles extent_of(struct doubles3 a)
{
    return doubles3_largest(doubles3_absolute(a));
}

/* ---- powers of two --------------------------------------------------------------------------- */

/* 2^-e = down[0] * down[1] and 2^e = up[0] * up[1], for the e with x in [2^(e-1), 2^e); subnormals and 0 have e =
 * -1022. */
struct row_scale {
    doubles down[2], up[2];
};

FEATURE_INLINE struct row_scale scale_of(doubles x)
{
    doubles_bits biased = doubles_to_bits(x) >> 52 & 0x7FF; /* e + 1022 */
    doubles_bits half = biased >> 1, rest = biased - half;
    return (struct row_scale){
        {doubles_of_bits((1534 - half) << 52), doubles_of_bits((1534 - rest) << 52)}, /* 2^(511 - half) */
        {doubles_of_bits((512 + half) << 52), doubles_of_bits((512 + rest) << 52)}};  /* 2^(half - 511) */
}

/* Three points relative to an origin and scaled to E <= 1; multiply by scale.up and `unhalve` to come back. */
struct local_rows {
    struct doubles3 point[3];
    struct row_scale scale;
    doubles unhalve;
};

FEATURE_INLINE struct local_rows seen_from(struct doubles3 origin, struct doubles3 a, struct doubles3 b,
                                           struct doubles3 c)
{
    struct local_rows local;
    doubles largest =
        doubles_most(doubles_most(extent_of(origin), extent_of(a)), doubles_most(extent_of(b), extent_of(c)));
    doubles_mask large = doubles_greater(largest, doubles_set(0x1p1000));
    doubles halve = doubles_choose(large, doubles_set(0.0625), doubles_set(1.0));
    local.unhalve = doubles_choose(large, doubles_set(16.0), doubles_set(1.0));
    struct doubles3 start = doubles3_scale(origin, halve);
    local.point[0] = doubles3_subtract(doubles3_scale(a, halve), start);
    local.point[1] = doubles3_subtract(doubles3_scale(b, halve), start);
    local.point[2] = doubles3_subtract(doubles3_scale(c, halve), start);
    local.scale = scale_of(
        doubles_most(doubles_most(extent_of(local.point[0]), extent_of(local.point[1])), extent_of(local.point[2])));
    for (int k = 0; k < 3; k++) {
        local.point[k] = doubles3_scale(doubles3_scale(local.point[k], local.scale.down[0]), local.scale.down[1]);
    }
    return local;
}

/* ---- order ------------------------------------------------------------------------------------------------------- */

FEATURE_INLINE doubles_mask comes_before(struct doubles3 p, struct doubles3 q)
{
    doubles_mask by_z = doubles_less(p.z, q.z);
    doubles_mask by_y = doubles_mask_or(doubles_less(p.y, q.y), doubles_mask_and(doubles_equal(p.y, q.y), by_z));
    return doubles_mask_or(doubles_less(p.x, q.x), doubles_mask_and(doubles_equal(p.x, q.x), by_y));
}

FEATURE_INLINE void exchange3(doubles_mask mask, struct doubles3 *p, struct doubles3 *q)
{
    struct doubles3 first = doubles3_choose(mask, *q, *p);
    *q = doubles3_choose(mask, *p, *q);
    *p = first;
}

FEATURE_INLINE void exchange(doubles_mask mask, doubles *p, doubles *q)
{
    doubles first = doubles_choose(mask, *q, *p);
    *q = doubles_choose(mask, *p, *q);
    *p = first;
}

/* ---- the result ------------------------------------------------------------------------------ */

/* The best candidate so far: squared distance, difference of the closest points, weights. */
struct best_rows {
    doubles squared;
    struct doubles3 difference;
    doubles weight[3];
};

FEATURE_INLINE void keep_closer(struct best_rows *best, doubles_mask valid, struct doubles3 difference, doubles w0,
                                doubles w1, doubles w2)
{
    doubles squared = doubles3_dot(difference, difference);
    doubles_mask closer = doubles_mask_and(valid, doubles_less(squared, best->squared));
    best->squared = doubles_choose(closer, squared, best->squared);
    best->difference = doubles3_choose(closer, difference, best->difference);
    best->weight[0] = doubles_choose(closer, w0, best->weight[0]);
    best->weight[1] = doubles_choose(closer, w1, best->weight[1]);
    best->weight[2] = doubles_choose(closer, w2, best->weight[2]);
}

#define ALWAYS doubles_mask_all()

/* The length of the difference, and the distance in the caller's units. */
FEATURE_INLINE void finish(struct doubles3 difference, const struct local_rows *local, struct row_result *result)
{
    struct row_scale own = scale_of(extent_of(difference));
    result->difference = doubles3_scale(doubles3_scale(difference, own.down[0]), own.down[1]);
    result->length = doubles_root(doubles3_dot(result->difference, result->difference));
    /* In this order no product on the way vanishes or overflows unless the result does. */
    doubles middle = (result->length * own.up[0]) * local->scale.up[0];
    result->distance = ((middle * own.up[1]) * local->scale.up[1]) * local->unhalve;
}

/* Where the closest point of a segment lies: along / length, cut to [0, 1]; 0 for a segment of no length. */
FEATURE_INLINE doubles cut_place(doubles along, doubles length)
{
    doubles zero = doubles_set(0);
    doubles t = doubles_choose(doubles_less_equal(length, along), doubles_set(1.0), along / length);
    return doubles_choose(doubles_mask_or(doubles_less_equal(along, zero), doubles_equal(length, zero)), zero, t);
}

/* ---- a vertex and a face --------------------------------------------------------------------- */

/* The place on the segment from p to q closest to the origin. */
FEATURE_INLINE doubles place_on_side(struct doubles3 p, struct doubles3 q)
{
    struct doubles3 direction = doubles3_subtract(q, p);
    return cut_place(-doubles3_dot(direction, p), doubles3_dot(direction, direction));
}

FEATURE_INLINE void consider_foot(struct best_rows *best, const struct local_rows *local)
{
    struct doubles3 a = local->point[0], b = local->point[1], c = local->point[2];
    struct doubles3 normal = doubles3_cross(doubles3_subtract(b, a), doubles3_subtract(c, a));
    doubles w0 = doubles3_dot(doubles3_cross(b, c), normal), w1 = doubles3_dot(doubles3_cross(c, a), normal),
            w2 = doubles3_dot(doubles3_cross(a, b), normal);
    doubles zero = doubles_set(0), total = (w0 + w1) + w2;
    doubles_mask inside = doubles_mask_and(doubles_mask_and(doubles_greater(w0, zero), doubles_greater(w1, zero)),
                                           doubles_greater(w2, zero));
    w0 /= total;
    w1 /= total;
    w2 /= total;
    struct doubles3 point = blend(w0, a, w1, b), rest = doubles3_scale(c, w2);
    keep_closer(best, inside, (struct doubles3){point.x + rest.x, point.y + rest.y, point.z + rest.z}, w0, w1, w2);
}

FEATURE_INLINE void measure_row_of_vertices(const struct row_points *points, struct row_result *result)
{
    struct doubles3 a = points->point[1], b = points->point[2], c = points->point[3];
    doubles_mask first = comes_before(b, a);
    exchange3(first, &a, &b);
    doubles_mask second = comes_before(c, b);
    exchange3(second, &b, &c);
    doubles_mask third = comes_before(b, a);
    exchange3(third, &a, &b);
    struct local_rows local = seen_from(points->point[0], a, b, c);
    a = local.point[0];
    b = local.point[1];
    c = local.point[2];
    doubles zero = doubles_set(0), t = place_on_side(a, b), rest = 1.0 - t;
    struct best_rows best = {doubles_set(INFINITY), a, {zero, zero, zero}};
    keep_closer(&best, ALWAYS, blend(rest, a, t, b), rest, t, zero);
    t = place_on_side(b, c);
    rest = 1.0 - t;
    keep_closer(&best, ALWAYS, blend(rest, b, t, c), zero, rest, t);
    t = place_on_side(a, c);
    rest = 1.0 - t;
    keep_closer(&best, ALWAYS, blend(rest, a, t, c), rest, zero, t);
    consider_foot(&best, &local);
    finish(negative(best.difference), &local, result); /* from the face to the vertex */
    exchange(third, &best.weight[0], &best.weight[1]);
    exchange(second, &best.weight[1], &best.weight[2]);
    exchange(first, &best.weight[0], &best.weight[1]);
    result->weight[0] = doubles_set(1.0);
    result->weight[1] = best.weight[0];
    result->weight[2] = best.weight[1];
    result->weight[3] = best.weight[2];
}

/* ---- two edges ------------------------------------------------------------------------------- */

/* Seen from the beginning of the first edge: point 0 its end, 1 and 2 the second edge. weight[0] and [1] are the
 * places s and t. */
FEATURE_INLINE void consider_places(struct best_rows *best, const struct local_rows *local, doubles_mask valid,
                                    doubles s, doubles t)
{
    struct doubles3 second = blend(1.0 - t, local->point[1], t, local->point[2]);
    struct doubles3 difference = doubles3_subtract(doubles3_scale(local->point[0], s), second);
    keep_closer(best, valid, difference, s, t, doubles_set(0));
}

FEATURE_INLINE doubles place_on(struct doubles3 point, struct doubles3 from, struct doubles3 direction)
{
    return cut_place(doubles3_dot(doubles3_subtract(point, from), direction), doubles3_dot(direction, direction));
}

FEATURE_INLINE void measure_row_of_edges(const struct row_points *points, struct row_result *result)
{
    struct doubles3 a0 = points->point[0], a1 = points->point[1], b0 = points->point[2], b1 = points->point[3];
    doubles_mask flipped_a = comes_before(a1, a0), flipped_b = comes_before(b1, b0);
    exchange3(flipped_a, &a0, &a1);
    exchange3(flipped_b, &b0, &b1);
    doubles_mask swapped =
        doubles_mask_or(comes_before(b0, a0), doubles_mask_and_not(comes_before(b1, a1), comes_before(a0, b0)));
    exchange3(swapped, &a0, &b0);
    exchange3(swapped, &a1, &b1);

    struct local_rows local = seen_from(a0, a1, b0, b1);
    doubles zero = doubles_set(0), one = doubles_set(1.0);
    struct doubles3 u = local.point[0], w = local.point[1], v = doubles3_subtract(local.point[2], w),
                    origin = {zero, zero, zero};
    struct best_rows best = {doubles_set(INFINITY), origin, {zero, zero, zero}};
    consider_places(&best, &local, ALWAYS, zero, place_on(origin, w, v));
    consider_places(&best, &local, ALWAYS, one, place_on(u, w, v));
    consider_places(&best, &local, ALWAYS, place_on(w, origin, u), zero);
    consider_places(&best, &local, ALWAYS, place_on(local.point[2], origin, u), one);
    struct doubles3 normal = doubles3_cross(u, v);
    doubles s = doubles3_dot(doubles3_cross(w, v), normal) / doubles3_dot(normal, normal);
    doubles_mask inside =
        doubles_mask_and(doubles_greater(s, zero), doubles_less(s, one)); /* not so when the normal vanishes */
    consider_places(&best, &local, inside, s, place_on(doubles3_scale(u, s), w, v));

    exchange(swapped, &best.weight[0], &best.weight[1]);
    finish(doubles3_choose(swapped, negative(best.difference), best.difference), &local, result); /* from b to a */
    result->weight[0] = 1.0 - best.weight[0];
    result->weight[1] = best.weight[0];
    result->weight[2] = 1.0 - best.weight[1];
    result->weight[3] = best.weight[1];
    exchange(flipped_a, &result->weight[0], &result->weight[1]);
    exchange(flipped_b, &result->weight[2], &result->weight[3]);
}

/* ---- directions ------------------------------------------------------------------------------ */

/* Below this part of the features' extent a distance is rounding: 32 u (feature_distance.h), the extent of the box of
 * the four points being at least E. Then the difference of the closest points may point anywhere. Closest points inside
 * both features differ along the normal, so that nothing is lost by taking that up to 2^10 times the bound, where the
 * difference would still be off by 2^-10, and by more on slender faces. */
#define TOUCHING 0x1p-48
#define TOUCHING_INSIDE 0x1p-38

/* Where the four points touch as far as the computed distance can tell; depends on the positions alone. */
FEATURE_INLINE doubles_mask rows_touch(const struct row_points *points, const struct row_result *result,
                                       doubles_mask inside)
{
    const struct doubles3 *p = points->point;
    struct doubles3 low = doubles3_least(doubles3_least(p[0], p[1]), doubles3_least(p[2], p[3]));
    struct doubles3 high = doubles3_most(doubles3_most(p[0], p[1]), doubles3_most(p[2], p[3]));
    doubles_mask large = doubles_greater(doubles_most(extent_of(low), extent_of(high)), doubles_set(0x1p1000));
    doubles halve = doubles_choose(large, doubles_set(0.0625), doubles_set(1.0));
    struct doubles3 width = doubles3_subtract(doubles3_scale(high, halve), doubles3_scale(low, halve));
    doubles share = doubles_choose(inside, doubles_set(TOUCHING_INSIDE), doubles_set(TOUCHING));
    return doubles_less_equal(result->distance * halve, share * doubles3_largest(width));
}

/* A vector times 2^-e, for the e of scale_of(extent), rounded once: in one step but for e beyond 1000. */
FEATURE_INLINE struct doubles3 scaled_to_one(struct doubles3 a, doubles extent)
{
    doubles_bits power = 2045 - (doubles_to_bits(extent) >> 52 & 0x7FF); /* biased exponent of 2^-e */
    doubles_mask small = doubles_less(extent, doubles_set(0x1p-1001)),
                 large = doubles_less_equal(doubles_set(0x1p1000), extent);
    doubles first =
        doubles_choose(small, doubles_set(0x1p1000), doubles_choose(large, doubles_set(0x1p-1000), doubles_set(1.0)));
    doubles last =
        doubles_choose(small, doubles_of_bits((power - 1000) << 52),
                       doubles_choose(large, doubles_of_bits((power + 1000) << 52), doubles_of_bits(power << 52)));
    return doubles3_scale(doubles3_scale(a, first), last);
}

/* (p1 - p0) x (p3 - p2), scaled to about 1; *size: its largest component before that, where the largest difference of
 * coordinates is 1. Not above 2^-40 the product is mostly rounding; 0: it vanishes. */
FEATURE_INLINE struct doubles3 scaled_cross(const struct doubles3 p[4], doubles *size)
{
    doubles largest =
        doubles_most(doubles_most(extent_of(p[0]), extent_of(p[1])), doubles_most(extent_of(p[2]), extent_of(p[3])));
    doubles halve =
        doubles_choose(doubles_greater(largest, doubles_set(0x1p1000)), doubles_set(0.0625), doubles_set(1.0));
    struct doubles3 start = doubles3_scale(p[0], halve), local[3];
    doubles extent = doubles_set(0);
    for (int k = 0; k < 3; k++) {
        local[k] = doubles3_subtract(doubles3_scale(p[k + 1], halve), start);
        extent = doubles_most(extent, extent_of(local[k]));
    }
    for (int k = 0; k < 3; k++) {
        local[k] = scaled_to_one(local[k], extent);
    }
    struct doubles3 product = doubles3_cross(local[0], doubles3_subtract(local[2], local[1]));
    *size = extent_of(product);
    return scaled_to_one(product, *size);
}

/* Without negative zeros. */
FEATURE_INLINE struct doubles3 divide(struct doubles3 a, doubles length)
{
    return (struct doubles3){a.x / length + 0.0, a.y / length + 0.0, a.z / length + 0.0};
}

/* Of pairs that touch: the direction of (p1 - p0) x (p3 - p2), on the side of the difference if that has one; where the
 * product is rounding, too, the difference; the x axis without either. Of others: the difference. */
FEATURE_INLINE struct doubles3 direction_of_rows(const struct row_result *result, doubles_mask touching,
                                                 const struct doubles3 p[4])
{
    doubles zero = doubles_set(0), size;
    struct doubles3 plain = divide(result->difference, result->length);
    if (doubles_mask_none(touching)) {
        return plain;
    }
    struct doubles3 product = scaled_cross(p, &size);
    doubles_mask behind = doubles_less(doubles3_dot(result->difference, product), zero);
    doubles length =
        doubles_choose(behind, doubles_set(-1.0), doubles_set(1.0)) * doubles_root(doubles3_dot(product, product));
    struct doubles3 across = divide(product, length);
    across = doubles3_choose(doubles_equal(size, zero), (struct doubles3){doubles_set(1.0), zero, zero}, across);
    doubles_mask rounding =
        doubles_mask_and(doubles_less_equal(size, doubles_set(0x1p-40)), doubles_greater(result->length, zero));
    return doubles3_choose(doubles_mask_and_not(touching, rounding), across, plain);
}

FEATURE_INLINE struct doubles3 direct_row_of_vertices(const struct row_points *points, const struct row_result *result)
{
    const struct doubles3 *p = points->point, sides[4] = {p[1], p[2], p[1], p[3]};
    doubles zero = doubles_set(0);
    doubles_mask inside = doubles_mask_and(
        doubles_greater(result->weight[1], zero),
        doubles_mask_and(doubles_greater(result->weight[2], zero), doubles_greater(result->weight[3], zero)));
    return direction_of_rows(result, rows_touch(points, result, inside), sides);
}

FEATURE_INLINE struct doubles3 direct_row_of_edges(const struct row_points *points, const struct row_result *result)
{
    doubles zero = doubles_set(0);
    doubles_mask inside = doubles_mask_and(
        doubles_mask_and(doubles_greater(result->weight[0], zero), doubles_greater(result->weight[1], zero)),
        doubles_mask_and(doubles_greater(result->weight[2], zero), doubles_greater(result->weight[3], zero)));
    return direction_of_rows(result, rows_touch(points, result, inside), points->point);
}
