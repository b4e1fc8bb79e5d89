/* The fixed sequence of double operations behind the question proximity, on FEATURE_LANES pairs side by side: closest
 * points of a vertex and a face, and of two edges. This is the definition (see geometry/metric/feature_distance.h for what
 * it promises); it is written once and compiled for one, four and eight lanes, in vector types of the compiler,
 * so that all give the same bits.
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
 * The including file defines FEATURE_LANES (1, 2, 4 or 8) and FEATURE_ROOT(x), the square roots of a row.
 */
#include <math.h>
#include <stdint.h>
#include <string.h>

#define FEATURE_INLINE static inline __attribute__((always_inline))

typedef double row __attribute__((vector_size(8 * FEATURE_LANES)));
typedef int64_t row_mask __attribute__((vector_size(8 * FEATURE_LANES))); /* all bits set or none */
typedef uint64_t row_bits __attribute__((vector_size(8 * FEATURE_LANES)));

typedef struct row3 {
    row x, y, z;
} row3;

/* Of a row of pairs: the vertex and the three corners, or both ends of a and both of b. */
struct row_points {
    row3 point[4];
};

struct row_result {
    row distance;
    row weight[4];   /* of the points in the same order (the vertex: 1); exactly 0 where one takes no part */
    row3 difference; /* from b to a, scaled by a power of two */
    row length;      /* of that difference, 0 when the sets touch */
};

FEATURE_INLINE row row_set(double x)
{
    return x - (row){0};
}

FEATURE_INLINE row row_choose(row_mask mask, row a, row b)
{
    return (row)((mask & (row_mask)a) | (~mask & (row_mask)b));
}

FEATURE_INLINE row row_size(row a)
{
    return (row)((row_mask)a & INT64_MAX);
}

FEATURE_INLINE row row_larger(row a, row b)
{
    return row_choose((row_mask)(a > b), a, b);
}

FEATURE_INLINE row3 row3_choose(row_mask mask, row3 a, row3 b)
{
    return (row3){row_choose(mask, a.x, b.x), row_choose(mask, a.y, b.y), row_choose(mask, a.z, b.z)};
}

FEATURE_INLINE row3 row3_subtract(row3 a, row3 b)
{
    return (row3){a.x - b.x, a.y - b.y, a.z - b.z};
}

FEATURE_INLINE row3 row3_times(row3 a, row by)
{
    return (row3){a.x * by, a.y * by, a.z * by};
}

FEATURE_INLINE row3 row3_negative(row3 a)
{
    return (row3){-a.x, -a.y, -a.z};
}

/* s a + t b */
FEATURE_INLINE row3 row3_blend(row s, row3 a, row t, row3 b)
{
    return (row3){s * a.x + t * b.x, s * a.y + t * b.y, s * a.z + t * b.z};
}

FEATURE_INLINE row row3_dot(row3 a, row3 b)
{
    return (a.x * b.x + a.y * b.y) + a.z * b.z;
}

FEATURE_INLINE row3 row3_cross(row3 a, row3 b)
{
    return (row3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* The largest of the sizes of the components. */
FEATURE_INLINE row row3_extent(row3 a)
{
    return row_larger(row_larger(row_size(a.x), row_size(a.y)), row_size(a.z));
}

/* ---- powers of two --------------------------------------------------------------------------- */

/* 2^-e = down[0] * down[1] and 2^e = up[0] * up[1], for the e with x in [2^(e-1), 2^e); subnormals and 0 have e =
 * -1022. */
struct row_scale {
    row down[2], up[2];
};

FEATURE_INLINE struct row_scale scale_of(row x)
{
    row_bits biased = ((row_bits)x >> 52) & 0x7FF; /* e + 1022 */
    row_bits half = biased >> 1, rest = biased - half;
    return (struct row_scale){{(row)((1534 - half) << 52), (row)((1534 - rest) << 52)}, /* 2^(511 - half) */
                              {(row)((512 + half) << 52), (row)((512 + rest) << 52)}};  /* 2^(half - 511) */
}

/* Three points relative to an origin and scaled to E <= 1; multiply by scale.up and `unhalve` to come back. */
struct local_rows {
    row3 point[3];
    struct row_scale scale;
    row unhalve;
};

FEATURE_INLINE struct local_rows seen_from(row3 origin, row3 a, row3 b, row3 c)
{
    struct local_rows local;
    row largest =
        row_larger(row_larger(row3_extent(origin), row3_extent(a)), row_larger(row3_extent(b), row3_extent(c)));
    row_mask large = (row_mask)(largest > 0x1p1000);
    row halve = row_choose(large, row_set(0.0625), row_set(1.0));
    local.unhalve = row_choose(large, row_set(16.0), row_set(1.0));
    row3 start = row3_times(origin, halve);
    local.point[0] = row3_subtract(row3_times(a, halve), start);
    local.point[1] = row3_subtract(row3_times(b, halve), start);
    local.point[2] = row3_subtract(row3_times(c, halve), start);
    local.scale = scale_of(
        row_larger(row_larger(row3_extent(local.point[0]), row3_extent(local.point[1])), row3_extent(local.point[2])));
    for (int k = 0; k < 3; k++) {
        local.point[k] = row3_times(row3_times(local.point[k], local.scale.down[0]), local.scale.down[1]);
    }
    return local;
}

/* ---- order ------------------------------------------------------------------------------------------------------- */

FEATURE_INLINE row_mask comes_before(row3 p, row3 q)
{
    row_mask by_z = (row_mask)(p.z < q.z);
    row_mask by_y = (row_mask)(p.y < q.y) | ((row_mask)(p.y == q.y) & by_z);
    return (row_mask)(p.x < q.x) | ((row_mask)(p.x == q.x) & by_y);
}

FEATURE_INLINE void exchange3(row_mask mask, row3 *p, row3 *q)
{
    row3 first = row3_choose(mask, *q, *p);
    *q = row3_choose(mask, *p, *q);
    *p = first;
}

FEATURE_INLINE void exchange(row_mask mask, row *p, row *q)
{
    row first = row_choose(mask, *q, *p);
    *q = row_choose(mask, *p, *q);
    *p = first;
}

/* ---- the result ------------------------------------------------------------------------------ */

/* The best candidate so far: squared distance, difference of the closest points, weights. */
struct best_rows {
    row squared;
    row3 difference;
    row weight[3];
};

FEATURE_INLINE void keep_closer(struct best_rows *best, row_mask valid, row3 difference, row w0, row w1, row w2)
{
    row squared = row3_dot(difference, difference);
    row_mask closer = valid & (row_mask)(squared < best->squared);
    best->squared = row_choose(closer, squared, best->squared);
    best->difference = row3_choose(closer, difference, best->difference);
    best->weight[0] = row_choose(closer, w0, best->weight[0]);
    best->weight[1] = row_choose(closer, w1, best->weight[1]);
    best->weight[2] = row_choose(closer, w2, best->weight[2]);
}

#define ALWAYS (~(row_mask){0})

/* The length of the difference, and the distance in the caller's units. */
FEATURE_INLINE void finish(row3 difference, const struct local_rows *local, struct row_result *result)
{
    struct row_scale own = scale_of(row3_extent(difference));
    result->difference = row3_times(row3_times(difference, own.down[0]), own.down[1]);
    result->length = FEATURE_ROOT(row3_dot(result->difference, result->difference));
    /* In this order no product on the way vanishes or overflows unless the result does. */
    row middle = (result->length * own.up[0]) * local->scale.up[0];
    result->distance = ((middle * own.up[1]) * local->scale.up[1]) * local->unhalve;
}

/* Where the closest point of a segment lies: along / length, cut to [0, 1]; 0 for a segment of no length. */
FEATURE_INLINE row cut_place(row along, row length)
{
    row zero = {0};
    row t = row_choose((row_mask)(along >= length), row_set(1.0), along / length);
    return row_choose((row_mask)(along <= zero) | (row_mask)(length == zero), zero, t);
}

/* ---- a vertex and a face --------------------------------------------------------------------- */

/* The place on the segment from p to q closest to the origin. */
FEATURE_INLINE row place_on_side(row3 p, row3 q)
{
    row3 direction = row3_subtract(q, p);
    return cut_place(-row3_dot(direction, p), row3_dot(direction, direction));
}

FEATURE_INLINE void consider_foot(struct best_rows *best, const struct local_rows *local)
{
    row3 a = local->point[0], b = local->point[1], c = local->point[2];
    row3 normal = row3_cross(row3_subtract(b, a), row3_subtract(c, a));
    row w0 = row3_dot(row3_cross(b, c), normal), w1 = row3_dot(row3_cross(c, a), normal),
        w2 = row3_dot(row3_cross(a, b), normal);
    row zero = {0}, total = (w0 + w1) + w2;
    row_mask inside = (row_mask)(w0 > zero) & (row_mask)(w1 > zero) & (row_mask)(w2 > zero);
    w0 /= total;
    w1 /= total;
    w2 /= total;
    row3 point = row3_blend(w0, a, w1, b), rest = row3_times(c, w2);
    keep_closer(best, inside, (row3){point.x + rest.x, point.y + rest.y, point.z + rest.z}, w0, w1, w2);
}

FEATURE_INLINE void measure_row_of_vertices(const struct row_points *points, struct row_result *result)
{
    row3 a = points->point[1], b = points->point[2], c = points->point[3];
    row_mask first = comes_before(b, a);
    exchange3(first, &a, &b);
    row_mask second = comes_before(c, b);
    exchange3(second, &b, &c);
    row_mask third = comes_before(b, a);
    exchange3(third, &a, &b);
    struct local_rows local = seen_from(points->point[0], a, b, c);
    a = local.point[0];
    b = local.point[1];
    c = local.point[2];
    row zero = {0}, t = place_on_side(a, b), rest = 1.0 - t;
    struct best_rows best = {row_set(INFINITY), a, {zero, zero, zero}};
    keep_closer(&best, ALWAYS, row3_blend(rest, a, t, b), rest, t, zero);
    t = place_on_side(b, c);
    rest = 1.0 - t;
    keep_closer(&best, ALWAYS, row3_blend(rest, b, t, c), zero, rest, t);
    t = place_on_side(a, c);
    rest = 1.0 - t;
    keep_closer(&best, ALWAYS, row3_blend(rest, a, t, c), rest, zero, t);
    consider_foot(&best, &local);
    finish(row3_negative(best.difference), &local, result); /* from the face to the vertex */
    exchange(third, &best.weight[0], &best.weight[1]);
    exchange(second, &best.weight[1], &best.weight[2]);
    exchange(first, &best.weight[0], &best.weight[1]);
    result->weight[0] = row_set(1.0);
    result->weight[1] = best.weight[0];
    result->weight[2] = best.weight[1];
    result->weight[3] = best.weight[2];
}

/* ---- two edges ------------------------------------------------------------------------------- */

/* Seen from the beginning of the first edge: point 0 its end, 1 and 2 the second edge. weight[0] and [1] are the
 * places s and t. */
FEATURE_INLINE void consider_places(struct best_rows *best, const struct local_rows *local, row_mask valid, row s,
                                    row t)
{
    row3 second = row3_blend(1.0 - t, local->point[1], t, local->point[2]);
    row3 difference = row3_subtract(row3_times(local->point[0], s), second);
    keep_closer(best, valid, difference, s, t, (row){0});
}

FEATURE_INLINE row place_on(row3 point, row3 from, row3 direction)
{
    return cut_place(row3_dot(row3_subtract(point, from), direction), row3_dot(direction, direction));
}

FEATURE_INLINE void measure_row_of_edges(const struct row_points *points, struct row_result *result)
{
    row3 a0 = points->point[0], a1 = points->point[1], b0 = points->point[2], b1 = points->point[3];
    row_mask flipped_a = comes_before(a1, a0), flipped_b = comes_before(b1, b0);
    exchange3(flipped_a, &a0, &a1);
    exchange3(flipped_b, &b0, &b1);
    row_mask swapped = comes_before(b0, a0) | (~comes_before(a0, b0) & comes_before(b1, a1));
    exchange3(swapped, &a0, &b0);
    exchange3(swapped, &a1, &b1);

    struct local_rows local = seen_from(a0, a1, b0, b1);
    row zero = {0}, one = row_set(1.0);
    row3 u = local.point[0], w = local.point[1], v = row3_subtract(local.point[2], w), origin = {zero, zero, zero};
    struct best_rows best = {row_set(INFINITY), origin, {zero, zero, zero}};
    consider_places(&best, &local, ALWAYS, zero, place_on(origin, w, v));
    consider_places(&best, &local, ALWAYS, one, place_on(u, w, v));
    consider_places(&best, &local, ALWAYS, place_on(w, origin, u), zero);
    consider_places(&best, &local, ALWAYS, place_on(local.point[2], origin, u), one);
    row3 normal = row3_cross(u, v);
    row s = row3_dot(row3_cross(w, v), normal) / row3_dot(normal, normal);
    row_mask inside = (row_mask)(s > zero) & (row_mask)(s < one); /* not so when the normal vanishes */
    consider_places(&best, &local, inside, s, place_on(row3_times(u, s), w, v));

    exchange(swapped, &best.weight[0], &best.weight[1]);
    finish(row3_choose(swapped, row3_negative(best.difference), best.difference), &local, result); /* from b to a */
    result->weight[0] = 1.0 - best.weight[0];
    result->weight[1] = best.weight[0];
    result->weight[2] = 1.0 - best.weight[1];
    result->weight[3] = best.weight[1];
    exchange(flipped_a, &result->weight[0], &result->weight[1]);
    exchange(flipped_b, &result->weight[2], &result->weight[3]);
}
