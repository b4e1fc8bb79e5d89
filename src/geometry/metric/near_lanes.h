/* The filter of the proximity search and the measuring of pairs, written once over the lanes of simd/lanes.h. Included
 * by near_kernels_<isa>.c. See near_kernels.h. */
#include "geometry/metric/feature_lanes.h"
#include "geometry/metric/near_kernels.h"

/* ---- boxes ------------------------------------------------------------------------------------------------------- */

static uint64_t meet_boxes(const struct feature_boxes *boxes, uint32_t count, const float lo[3], const float hi[3])
{
    const struct floats3 least = floats3_set(lo), most = floats3_set(hi);
    uint64_t bits = 0;
    for (uint32_t at = 0; at < count; at += FLOATS) {
        const floats small[6] = {floats_load(boxes->lo[0] + at), least.x, floats_load(boxes->lo[1] + at), least.y,
                                 floats_load(boxes->lo[2] + at), least.z};
        const floats large[6] = {most.x, floats_load(boxes->hi[0] + at), most.y, floats_load(boxes->hi[1] + at),
                                 most.z, floats_load(boxes->hi[2] + at)};
        bits |= (uint64_t)floats_mask_bits(floats_less_equal6(small, large)) << at;
    }
    return bits;
}

static void meet_box_rows(const struct feature_boxes *a, uint64_t which, float reach, const struct feature_boxes *boxes,
                          uint32_t count, uint64_t rows[NEAR_FEATURES])
{
    for (; which; which &= which - 1) {
        int i = __builtin_ctzll(which);
        float lo[3] = {a->lo[0][i] - reach, a->lo[1][i] - reach, a->lo[2][i] - reach};
        float hi[3] = {a->hi[0][i] + reach, a->hi[1][i] + reach, a->hi[2][i] + reach};
        rows[i] = meet_boxes(boxes, count, lo, hi);
    }
}

static void match_vertices(const uint32_t a[16], const uint32_t b[16], uint16_t same[16])
{
    words own[16 / FLOATS];
    for (int k = 0; k < 16 / FLOATS; k++) {
        own[k] = words_load_any(a + k * FLOATS);
    }
    for (int j = 0; j < 16; j++) {
        uint32_t bits = 0;
        for (int k = 0; k < 16 / FLOATS; k++) {
            bits |= floats_mask_bits(words_equal(own[k], words_set(b[j]))) << k * FLOATS;
        }
        same[j] = (uint16_t)bits;
    }
}

/* ---- the filter -------------------------------------------------------------------------------------------------- */

static inline struct floats3 difference(const struct near_batch *batch, int to, int from, int at)
{
    const float(*p)[NEAR_BATCH] = batch->point[to], (*q)[NEAR_BATCH] = batch->point[from];
    return floats3_subtract(floats3_load(p[0] + at, p[1] + at, p[2] + at),
                            floats3_load(q[0] + at, q[1] + at, q[2] + at));
}

/* numerator / denominator, cut to [0, 1]; denominators near 0 are raised, which keeps it finite or infinite, never
 * NaN, for numbers of size 1. */
static inline floats share(floats numerator, floats denominator)
{
    floats t = numerator / floats_most(denominator, floats_set(0x1p-60f));
    return floats_least(floats_most(t, floats_set(0)), floats_set(1));
}

/* Where q separates: gap is the least of q . x over a less the most over b. */
static inline floats_mask separated(floats gap, struct floats3 q, floats bound)
{
    floats squared = floats3_dot(q, q);
    floats_mask usable =
        floats_mask_and(floats_greater(gap, floats_set(0)), floats_greater(squared, floats_set(0x1p-80f)));
    return floats_mask_and(usable, floats_greater(gap * gap, squared * (bound * bound)));
}

static inline floats_mask far_edges_at(const struct near_batch *batch, int at)
{
    struct floats3 u = difference(batch, 1, 0, at);   /* edge a */
    struct floats3 w = difference(batch, 2, 0, at);   /* its beginning to that of b */
    struct floats3 end = difference(batch, 3, 0, at); /* … to the end of b */
    struct floats3 v = floats3_subtract(end, w);      /* edge b */
    floats uu = floats3_dot(u, u), uv = floats3_dot(u, v), vv = floats3_dot(v, v);
    floats uw = floats3_dot(u, w), vw = floats3_dot(v, w);
    floats s = share(uw * vv - uv * vw, uu * vv - uv * uv), t = share(s * uv - vw, vv);
    s = share(t * uv + uw, uu);
    struct floats3 to_b = floats3_add(w, floats3_scale(v, t)), q = floats3_subtract(floats3_scale(u, s), to_b);
    floats least = floats_least(floats3_dot(q, u), floats_set(0));
    floats most = floats_most(floats3_dot(q, w), floats3_dot(q, end));
    return separated(least - most, q, floats_load(batch->bound + at));
}

/* Of an edge from `from` along `along`, seen from the origin: the point closest to it, if closer than the best so
 * far. */
static inline void consider_edge(struct floats3 from, struct floats3 along, struct floats3 *best, floats *squared)
{
    floats t = share(-floats3_dot(from, along), floats3_dot(along, along));
    struct floats3 point = floats3_add(from, floats3_scale(along, t));
    floats own = floats3_dot(point, point);
    floats_mask closer = floats_less(own, *squared);
    *best = floats3_choose(closer, point, *best);
    *squared = floats_choose(closer, own, *squared);
}

/* The gap from the origin down to three corners along q. */
static inline floats gap_to_corners(struct floats3 q, struct floats3 a, struct floats3 b, struct floats3 c)
{
    return -floats_most(floats_most(floats3_dot(q, a), floats3_dot(q, b)), floats3_dot(q, c));
}

static inline floats_mask far_vertices_at(const struct near_batch *batch, int at)
{
    const floats bound = floats_load(batch->bound + at);
    struct floats3 a = difference(batch, 1, 0, at), b = difference(batch, 2, 0, at), c = difference(batch, 3, 0, at);
    struct floats3 ab = floats3_subtract(b, a), bc = floats3_subtract(c, b), ac = floats3_subtract(c, a), best = a;
    floats squared = floats3_dot(a, a);
    consider_edge(a, ab, &best, &squared);
    consider_edge(b, bc, &best, &squared);
    consider_edge(a, ac, &best, &squared);
    struct floats3 q = {-best.x, -best.y, -best.z};
    floats_mask found = separated(gap_to_corners(q, a, b, c), q, bound);
    q = floats3_cross(ab, ac);
    floats_mask above = floats_greater(floats3_dot(q, a), floats_set(0));
    q = floats3_scale(q, floats_choose(above, floats_set(-1), floats_set(1)));
    return floats_mask_or(found, separated(gap_to_corners(q, a, b, c), q, bound));
}

static inline uint32_t pack_bits(const floats_mask found[NEAR_BATCH / FLOATS])
{
    uint32_t bits = 0;
    for (int k = 0; k < NEAR_BATCH / FLOATS; k++) {
        bits |= floats_mask_bits(found[k]) << k * FLOATS;
    }
    return bits;
}

/* Bits are packed behind the loops: with one lane the compiler can turn those into vectors. */
static uint32_t far_edges(const struct near_batch *batch)
{
    floats_mask found[NEAR_BATCH / FLOATS];
    for (int k = 0; k < NEAR_BATCH / FLOATS; k++) {
        found[k] = far_edges_at(batch, k * FLOATS);
    }
    return pack_bits(found);
}

static uint32_t far_vertices(const struct near_batch *batch)
{
    floats_mask found[NEAR_BATCH / FLOATS];
    for (int k = 0; k < NEAR_BATCH / FLOATS; k++) {
        found[k] = far_vertices_at(batch, k * FLOATS);
    }
    return pack_bits(found);
}

/* ---- measuring --------------------------------------------------------------------------------------------------- */

FEATURE_INLINE struct row_points load_points(const struct feature_points *points, int at)
{
    struct row_points r;
    for (int k = 0; k < 4; k++) {
        doubles columns[4];
        doubles_columns4(&points->point[k][at], columns);
        r.point[k] = (struct doubles3){columns[0], columns[1], columns[2]};
    }
    return r;
}

FEATURE_INLINE void store_result(const struct row_result *from, struct doubles3 direction, int at,
                                 struct feature_rows *result)
{
    doubles_store(result->distance + at, from->distance);
    for (int k = 0; k < 4; k++) {
        doubles_store(result->weight[k] + at, from->weight[k]);
    }
    doubles3_store(result->direction[0] + at, result->direction[1] + at, result->direction[2] + at, direction);
}

static void measure_edges(const struct feature_points *points, double distance[FEATURE_BATCH])
{
    for (int at = 0; at < FEATURE_BATCH; at += DOUBLES) {
        struct row_points row_of = load_points(points, at);
        struct row_result measured;
        measure_row_of_edges(&row_of, &measured);
        doubles_store_any(distance + at, measured.distance);
    }
}

static void measure_vertices(const struct feature_points *points, double distance[FEATURE_BATCH])
{
    for (int at = 0; at < FEATURE_BATCH; at += DOUBLES) {
        struct row_points row_of = load_points(points, at);
        struct row_result measured;
        measure_row_of_vertices(&row_of, &measured);
        doubles_store_any(distance + at, measured.distance);
    }
}

static void describe_edges(const struct feature_points *points, struct feature_rows *result)
{
    for (int at = 0; at < FEATURE_BATCH; at += DOUBLES) {
        struct row_points row_of = load_points(points, at);
        struct row_result measured;
        measure_row_of_edges(&row_of, &measured);
        store_result(&measured, direct_row_of_edges(&row_of, &measured), at, result);
    }
}

static void describe_vertices(const struct feature_points *points, struct feature_rows *result)
{
    for (int at = 0; at < FEATURE_BATCH; at += DOUBLES) {
        struct row_points row_of = load_points(points, at);
        struct row_result measured;
        measure_row_of_vertices(&row_of, &measured);
        store_result(&measured, direct_row_of_vertices(&row_of, &measured), at, result);
    }
}

#define NEAR_KERNELS_ROW                                                                                               \
    {                                                                                                                  \
        meet_boxes, meet_box_rows, match_vertices, far_edges, far_vertices, measure_edges, measure_vertices,           \
            describe_edges, describe_vertices                                                                          \
    }
