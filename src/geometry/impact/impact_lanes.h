/* Stage 0, written once over the doubles of simd/lanes.h, one candidate a lane. Included by impact_<isa>.c. What it
 * computes and why it is certain: impact_kernels.h. */
#include "geometry/impact/impact_window_lanes.h"

/* first above second, or below, on this axis at both ends. */
static inline doubles_mask apart_on_axis(const doubles least_1[2], const doubles most_1[2], const doubles least_2[2],
                                         const doubles most_2[2])
{
    return doubles_mask_or(doubles_mask_and(doubles_less(most_2[0], least_1[0]), doubles_less(most_2[1], least_1[1])),
                           doubles_mask_and(doubles_less(most_1[0], least_2[0]), doubles_less(most_1[1], least_2[1])));
}

static inline doubles_mask lanes_apart(enum impact_kind kind, const struct lane_points *points, int axis)
{
    doubles least_1[2], most_1[2], least_2[2], most_2[2];
    for (int end = 0; end < 2; end++) {
        doubles x0 = points->at[0][end][axis], x1 = points->at[1][end][axis];
        doubles x2 = points->at[2][end][axis], x3 = points->at[3][end][axis];
        if (kind == IMPACT_VERTEX_FACE) {
            least_1[end] = most_1[end] = x0;
            least_2[end] = doubles_least(doubles_least(x1, x2), x3);
            most_2[end] = doubles_most(doubles_most(x1, x2), x3);
        } else {
            least_1[end] = doubles_least(x0, x1);
            most_1[end] = doubles_most(x0, x1);
            least_2[end] = doubles_least(x2, x3);
            most_2[end] = doubles_most(x2, x3);
        }
    }
    return apart_on_axis(least_1, most_1, least_2, most_2);
}

static inline doubles_mask lanes_never_coplanar(const struct lane_query *query)
{
    const struct lane_window *x = &query->whole;
    doubles start[3], end[3], mixed[3], other[3];
    lanes_cross(x->a[0], x->b[0], start);
    lanes_cross(x->a[1], x->b[1], end);
    lanes_cross(x->a[0], x->b[1], mixed);
    lanes_cross(x->a[1], x->b[0], other);
    for (int axis = 0; axis < 3; axis++) {
        mixed[axis] = mixed[axis] + other[axis];
    }
    /* times 4, 1, 1, 4: the bounds 64u and 256u become one */
    const doubles four = doubles_set(4.0);
    doubles c0 = four * lanes_dot(x->q[0], start), c3 = four * lanes_dot(x->q[1], end);
    doubles c1 = lanes_dot(x->q[1], start) + lanes_dot(x->q[0], mixed);
    doubles c2 = lanes_dot(x->q[0], end) + lanes_dot(x->q[1], mixed);
    doubles least = doubles_least(doubles_least(c0, c1), doubles_least(c2, c3));
    doubles most = doubles_most(doubles_most(c0, c1), doubles_most(c2, c3));
    doubles bound = doubles_set(256 * 0x1p-53) * query->product;
    return doubles_mask_and(query->in_range, one_sign(least, most, bound));
}

/* The candidates of a group: lanes past the end repeat the last one and are masked out by the caller. */
static inline uint32_t fetch_group(struct lane_points *points, const struct impact_vertex *vertices,
                                   const uint32_t (*corners)[4], const uint32_t *list, uint32_t begin, uint32_t count,
                                   uint32_t numbers[DOUBLES])
{
    const uint32_t *of_lane[DOUBLES];
    uint32_t left = count - begin;
    for (uint32_t lane = 0; lane < DOUBLES; lane++) {
        uint32_t place = begin + (lane < left ? lane : left - 1);
        numbers[lane] = list != NULL ? list[place] : place;
        of_lane[lane] = corners[numbers[lane]];
    }
    fetch_corners(vertices, of_lane, points);
    return lanes_left(left);
}

static inline uint32_t reject(enum impact_kind kind, const struct impact_vertex *vertices, const uint32_t (*corners)[4],
                              uint32_t count, uint32_t *survivors, uint64_t *axes)
{
    uint32_t kept = 0, rejected = 0;
    for (uint32_t begin = 0; begin < count; begin += DOUBLES) {
        struct lane_points points;
        struct lane_query query;
        uint32_t numbers[DOUBLES];
        uint32_t alive = fetch_group(&points, vertices, corners, NULL, begin, count, numbers);
        uint32_t apart = doubles_mask_bits(lanes_apart(kind, &points, 0));
        for (int axis = 1; axis < 3 && (DOUBLES > 1 || apart == 0); axis++) {
            apart |= doubles_mask_bits(lanes_apart(kind, &points, axis));
        }
        rejected += (uint32_t)__builtin_popcount(alive & apart);
        alive &= ~apart;
        if (alive != 0) {
            prepare_query(kind, &points, &query);
            alive &= ~doubles_mask_bits(lanes_never_coplanar(&query));
            kept += doubles_keep_words(survivors + kept, numbers, alive);
        }
    }
    *axes += rejected;
    return kept;
}

static inline uint32_t separate(enum impact_kind kind, const struct impact_vertex *vertices,
                                const uint32_t (*corners)[4], const uint32_t *list, uint32_t count, uint32_t *survivors)
{
    uint32_t kept = 0;
    for (uint32_t begin = 0; begin < count; begin += DOUBLES) {
        struct lane_points points;
        struct lane_query query;
        uint32_t numbers[DOUBLES];
        uint32_t alive = fetch_group(&points, vertices, corners, list, begin, count, numbers);
        prepare_query(kind, &points, &query);
        alive &= ~doubles_mask_bits(doubles_mask_and(query.in_range, separated_on(kind, &query, &query.whole)));
        kept += doubles_keep_words(survivors + kept, numbers, alive);
    }
    return kept;
}

static uint32_t reject_vertex_face(const struct impact_vertex *vertices, const uint32_t (*corners)[4], uint32_t count,
                                   uint32_t *survivors, uint64_t *axes)
{
    return reject(IMPACT_VERTEX_FACE, vertices, corners, count, survivors, axes);
}

static uint32_t reject_edge_edge(const struct impact_vertex *vertices, const uint32_t (*corners)[4], uint32_t count,
                                 uint32_t *survivors, uint64_t *axes)
{
    return reject(IMPACT_EDGE_EDGE, vertices, corners, count, survivors, axes);
}

static uint32_t separate_vertex_face(const struct impact_vertex *vertices, const uint32_t (*corners)[4],
                                     const uint32_t *list, uint32_t count, uint32_t *survivors)
{
    return separate(IMPACT_VERTEX_FACE, vertices, corners, list, count, survivors);
}

static uint32_t separate_edge_edge(const struct impact_vertex *vertices, const uint32_t (*corners)[4],
                                   const uint32_t *list, uint32_t count, uint32_t *survivors)
{
    return separate(IMPACT_EDGE_EDGE, vertices, corners, list, count, survivors);
}

#define IMPACT_KERNELS_ROW                                                                                             \
    {                                                                                                                  \
        {reject_vertex_face, reject_edge_edge},                                                                        \
        {                                                                                                              \
            separate_vertex_face, separate_edge_edge                                                                   \
        }                                                                                                              \
    }
