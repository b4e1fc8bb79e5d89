/* Stage 0, written once over the doubles of simd/lanes.h, one candidate a lane. Included by impact_<isa>.c. What it
 * computes and why it is certain: impact_kernels.h. */
#include <stddef.h>

#include "geometry/impact/impact_kernels.h"
#include "geometry/impact/impact_direction.h"

/* Corners of DOUBLES candidates: [corner][end][axis]. */
struct lane_corners {
    doubles at[4][2][3];
};

/* Differences at both ends, their largest components, and where these are in range. */
struct lane_vectors {
    doubles q[2][3], a[2][3], b[2][3];
    doubles size_q, size_a, size_b;
    doubles_mask in_range;
};

_Static_assert(offsetof(struct impact_vertex, end) == 4 * sizeof(double) && sizeof(struct impact_vertex) == 64,
               "a vertex is a row of eight numbers");

static inline void lanes_fetch(struct lane_corners *points, const struct impact_vertex *vertices,
                               const uint32_t *const of_lane[DOUBLES])
{
    for (int corner = 0; corner < 4; corner++) {
        const double *rows[DOUBLES];
        doubles columns[8];
        for (int lane = 0; lane < DOUBLES; lane++) {
            rows[lane] = vertices[of_lane[lane][corner]].start;
        }
        doubles_columns8(rows, columns);
        points->at[corner][0][0] = columns[0];
        points->at[corner][0][1] = columns[1];
        points->at[corner][0][2] = columns[2];
        points->at[corner][1][0] = columns[4];
        points->at[corner][1][1] = columns[5];
        points->at[corner][1][2] = columns[6];
    }
}

/* first above second, or below, on this axis at both ends. */
static inline doubles_mask apart_on_axis(const doubles least_1[2], const doubles most_1[2], const doubles least_2[2],
                                         const doubles most_2[2])
{
    return doubles_mask_or(doubles_mask_and(doubles_less(most_2[0], least_1[0]), doubles_less(most_2[1], least_1[1])),
                           doubles_mask_and(doubles_less(most_1[0], least_2[0]), doubles_less(most_1[1], least_2[1])));
}

static inline doubles_mask lanes_apart(enum impact_kind kind, const struct lane_corners *points, int axis)
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

static inline void lanes_difference(const struct lane_corners *points, int from, int to, doubles result[2][3],
                                    doubles *size)
{
    for (int end = 0; end < 2; end++) {
        for (int axis = 0; axis < 3; axis++) {
            result[end][axis] = points->at[to][end][axis] - points->at[from][end][axis];
        }
    }
    *size = doubles_most(lanes_largest(result[0]), lanes_largest(result[1]));
}

static inline void lanes_vectors(enum impact_kind kind, const struct lane_corners *points, struct lane_vectors *vectors)
{
    const bool face = kind == IMPACT_VERTEX_FACE;
    lanes_difference(points, face ? 1 : 0, face ? 0 : 2, vectors->q, &vectors->size_q);
    lanes_difference(points, face ? 1 : 0, face ? 2 : 1, vectors->a, &vectors->size_a);
    lanes_difference(points, face ? 1 : 2, 3, vectors->b, &vectors->size_b);
    doubles least = doubles_least(doubles_least(vectors->size_q, vectors->size_a), vectors->size_b);
    doubles most = doubles_most(doubles_most(vectors->size_q, vectors->size_a), vectors->size_b);
    vectors->in_range = doubles_mask_and(doubles_less(doubles_set(IMPACT_LEAST_SIZE), least),
                                         doubles_less(most, doubles_set(IMPACT_MOST_SIZE)));
}

/* Where all values are above the bound, or all below minus the bound. */
static inline doubles_mask lanes_one_sign(doubles least, doubles most, doubles bound)
{
    return doubles_mask_or(doubles_less(bound, least), doubles_less(most, doubles_set(0.0) - bound));
}

static inline doubles_mask lanes_never_coplanar(const struct lane_vectors *x)
{
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
    doubles product = x->size_q * x->size_a * x->size_b;
    doubles bound = doubles_set(256 * 0x1p-53) * product;
    return doubles_mask_and(x->in_range, lanes_one_sign(least, most, bound));
}

static inline doubles_mask lanes_separated(enum impact_kind kind, const struct lane_vectors *x)
{
    doubles q[3], a[3], b[3], d[3]; /* twice the vectors at t = 1/2 */
    for (int axis = 0; axis < 3; axis++) {
        q[axis] = x->q[0][axis] + x->q[1][axis];
        a[axis] = x->a[0][axis] + x->a[1][axis];
        b[axis] = x->b[0][axis] + x->b[1][axis];
    }
    if (kind == IMPACT_VERTEX_FACE) {
        vertex_face_direction(q, a, b, d);
    } else {
        edge_edge_direction(q, a, b, d);
    }
    doubles least = doubles_set(HUGE_VAL), most = doubles_set(-HUGE_VAL);
    for (int end = 0; end < 2; end++) {
        doubles dq = lanes_dot(d, x->q[end]), da = lanes_dot(d, x->a[end]), db = lanes_dot(d, x->b[end]);
        doubles values[4] = {dq, dq - da, dq - db, dq};
        if (kind == IMPACT_EDGE_EDGE) {
            values[2] = dq + db;
            values[3] = values[2] - da;
        }
        least = doubles_least(least,
                              doubles_least(doubles_least(values[0], values[1]), doubles_least(values[2], values[3])));
        most = doubles_most(most, doubles_most(doubles_most(values[0], values[1]), doubles_most(values[2], values[3])));
    }
    doubles size = lanes_largest(d);
    doubles sum = x->size_q + x->size_a + x->size_b;
    doubles bound = doubles_set(48 * 0x1p-53) * size * sum;
    doubles_mask usable = doubles_mask_and(x->in_range, doubles_less(doubles_set(IMPACT_LEAST_AXIS), size));
    return doubles_mask_and(usable, lanes_one_sign(least, most, bound));
}

/* The candidates of a group: lanes past the end repeat the last one and are masked out by the caller. */
static inline uint32_t fetch_group(struct lane_corners *points, const struct impact_vertex *vertices,
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
    lanes_fetch(points, vertices, of_lane);
    return left >= DOUBLES ? (UINT32_C(1) << DOUBLES) - 1 : (UINT32_C(1) << left) - 1;
}

static inline uint32_t reject(enum impact_kind kind, const struct impact_vertex *vertices, const uint32_t (*corners)[4],
                              uint32_t count, uint32_t *survivors, uint64_t *axes)
{
    uint32_t kept = 0, rejected = 0;
    for (uint32_t begin = 0; begin < count; begin += DOUBLES) {
        struct lane_corners points;
        struct lane_vectors vectors;
        uint32_t numbers[DOUBLES];
        uint32_t alive = fetch_group(&points, vertices, corners, NULL, begin, count, numbers);
        uint32_t apart = doubles_mask_bits(lanes_apart(kind, &points, 0));
        for (int axis = 1; axis < 3 && (DOUBLES > 1 || apart == 0); axis++) {
            apart |= doubles_mask_bits(lanes_apart(kind, &points, axis));
        }
        rejected += (uint32_t)__builtin_popcount(alive & apart);
        alive &= ~apart;
        if (alive != 0) {
            lanes_vectors(kind, &points, &vectors);
            alive &= ~doubles_mask_bits(lanes_never_coplanar(&vectors));
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
        struct lane_corners points;
        struct lane_vectors vectors;
        uint32_t numbers[DOUBLES];
        uint32_t alive = fetch_group(&points, vertices, corners, list, begin, count, numbers);
        lanes_vectors(kind, &points, &vectors);
        alive &= ~doubles_mask_bits(lanes_separated(kind, &vectors));
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
