/* The text of stage 0 that is the same for every instruction set: included by impact_scalar.c, impact_avx2.c and
 * impact_avx512.c after their lanes. What it computes and why it is certain: impact_kernels.h.
 */
#include "geometry/impact/impact_direction.h"

/* Corners of LANES candidates: [corner][end][axis]. */
struct lane_corners {
    lanes at[4][2][3];
};

/* Differences at both ends, their largest components, and where these are in range. */
struct lane_vectors {
    lanes q[2][3], a[2][3], b[2][3];
    lanes size_q, size_a, size_b;
    lane_mask in_range;
};

static inline void lanes_fetch(struct lane_corners *points, const struct impact_vertex *vertices,
                               const uint32_t *const of_lane[LANES]);
static inline uint32_t lanes_keep(uint32_t *to, const uint32_t *numbers, uint32_t bits);
static inline uint32_t mask_bits(lane_mask mask);

/* first above second, or below, on this axis at both ends. */
static inline lane_mask apart_on_axis(const lanes least_1[2], const lanes most_1[2], const lanes least_2[2],
                                      const lanes most_2[2])
{
    return mask_or(mask_and(lanes_less(most_2[0], least_1[0]), lanes_less(most_2[1], least_1[1])),
                   mask_and(lanes_less(most_1[0], least_2[0]), lanes_less(most_1[1], least_2[1])));
}

static inline lane_mask lanes_apart(enum impact_kind kind, const struct lane_corners *points, int axis)
{
    lanes least_1[2], most_1[2], least_2[2], most_2[2];
    for (int end = 0; end < 2; end++) {
        lanes x0 = points->at[0][end][axis], x1 = points->at[1][end][axis];
        lanes x2 = points->at[2][end][axis], x3 = points->at[3][end][axis];
        if (kind == IMPACT_VERTEX_FACE) {
            least_1[end] = most_1[end] = x0;
            least_2[end] = lanes_least(lanes_least(x1, x2), x3);
            most_2[end] = lanes_most(lanes_most(x1, x2), x3);
        } else {
            least_1[end] = lanes_least(x0, x1);
            most_1[end] = lanes_most(x0, x1);
            least_2[end] = lanes_least(x2, x3);
            most_2[end] = lanes_most(x2, x3);
        }
    }
    return apart_on_axis(least_1, most_1, least_2, most_2);
}

static inline void lanes_difference(const struct lane_corners *points, int from, int to, lanes result[2][3],
                                    lanes *size)
{
    for (int end = 0; end < 2; end++) {
        for (int axis = 0; axis < 3; axis++) {
            result[end][axis] = lanes_subtract(points->at[to][end][axis], points->at[from][end][axis]);
        }
    }
    *size = lanes_most(lanes_largest(result[0]), lanes_largest(result[1]));
}

static inline void lanes_vectors(enum impact_kind kind, const struct lane_corners *points, struct lane_vectors *vectors)
{
    const bool face = kind == IMPACT_VERTEX_FACE;
    lanes_difference(points, face ? 1 : 0, face ? 0 : 2, vectors->q, &vectors->size_q);
    lanes_difference(points, face ? 1 : 0, face ? 2 : 1, vectors->a, &vectors->size_a);
    lanes_difference(points, face ? 1 : 2, 3, vectors->b, &vectors->size_b);
    lanes least = lanes_least(lanes_least(vectors->size_q, vectors->size_a), vectors->size_b);
    lanes most = lanes_most(lanes_most(vectors->size_q, vectors->size_a), vectors->size_b);
    vectors->in_range =
        mask_and(lanes_less(lanes_set(IMPACT_LEAST_SIZE), least), lanes_less(most, lanes_set(IMPACT_MOST_SIZE)));
}

/* Where all values are above the bound, or all below minus the bound. */
static inline lane_mask lanes_one_sign(lanes least, lanes most, lanes bound)
{
    return mask_or(lanes_less(bound, least), lanes_less(most, lanes_subtract(lanes_set(0.0), bound)));
}

static inline lane_mask lanes_never_coplanar(const struct lane_vectors *x)
{
    lanes start[3], end[3], mixed[3], other[3];
    lanes_cross(x->a[0], x->b[0], start);
    lanes_cross(x->a[1], x->b[1], end);
    lanes_cross(x->a[0], x->b[1], mixed);
    lanes_cross(x->a[1], x->b[0], other);
    for (int axis = 0; axis < 3; axis++) {
        mixed[axis] = lanes_add(mixed[axis], other[axis]);
    }
    /* times 4, 1, 1, 4: the bounds 64u and 256u become one */
    const lanes four = lanes_set(4.0);
    lanes c0 = lanes_multiply(four, lanes_dot(x->q[0], start)), c3 = lanes_multiply(four, lanes_dot(x->q[1], end));
    lanes c1 = lanes_add(lanes_dot(x->q[1], start), lanes_dot(x->q[0], mixed));
    lanes c2 = lanes_add(lanes_dot(x->q[0], end), lanes_dot(x->q[1], mixed));
    lanes least = lanes_least(lanes_least(c0, c1), lanes_least(c2, c3));
    lanes most = lanes_most(lanes_most(c0, c1), lanes_most(c2, c3));
    lanes product = lanes_multiply(lanes_multiply(x->size_q, x->size_a), x->size_b);
    lanes bound = lanes_multiply(lanes_set(256 * 0x1p-53), product);
    return mask_and(x->in_range, lanes_one_sign(least, most, bound));
}

static inline lane_mask lanes_separated(enum impact_kind kind, const struct lane_vectors *x)
{
    lanes q[3], a[3], b[3], d[3]; /* twice the vectors at t = 1/2 */
    for (int axis = 0; axis < 3; axis++) {
        q[axis] = lanes_add(x->q[0][axis], x->q[1][axis]);
        a[axis] = lanes_add(x->a[0][axis], x->a[1][axis]);
        b[axis] = lanes_add(x->b[0][axis], x->b[1][axis]);
    }
    if (kind == IMPACT_VERTEX_FACE) {
        vertex_face_direction(q, a, b, d);
    } else {
        edge_edge_direction(q, a, b, d);
    }
    lanes least = lanes_set(HUGE_VAL), most = lanes_set(-HUGE_VAL);
    for (int end = 0; end < 2; end++) {
        lanes dq = lanes_dot(d, x->q[end]), da = lanes_dot(d, x->a[end]), db = lanes_dot(d, x->b[end]);
        lanes values[4] = {dq, lanes_subtract(dq, da), lanes_subtract(dq, db), dq};
        if (kind == IMPACT_EDGE_EDGE) {
            values[2] = lanes_add(dq, db);
            values[3] = lanes_subtract(values[2], da);
        }
        least = lanes_least(least, lanes_least(lanes_least(values[0], values[1]), lanes_least(values[2], values[3])));
        most = lanes_most(most, lanes_most(lanes_most(values[0], values[1]), lanes_most(values[2], values[3])));
    }
    lanes size = lanes_largest(d);
    lanes sum = lanes_add(lanes_add(x->size_q, x->size_a), x->size_b);
    lanes bound = lanes_multiply(lanes_multiply(lanes_set(48 * 0x1p-53), size), sum);
    lane_mask usable = mask_and(x->in_range, lanes_less(lanes_set(IMPACT_LEAST_AXIS), size));
    return mask_and(usable, lanes_one_sign(least, most, bound));
}

/* The candidates of a group: lanes past the end repeat the last one and are masked out by the caller. */
static inline uint32_t fetch_group(struct lane_corners *points, const struct impact_vertex *vertices,
                                   const uint32_t (*corners)[4], const uint32_t *list, uint32_t begin, uint32_t count,
                                   uint32_t numbers[LANES])
{
    const uint32_t *of_lane[LANES];
    uint32_t left = count - begin;
    for (uint32_t lane = 0; lane < LANES; lane++) {
        uint32_t place = begin + (lane < left ? lane : left - 1);
        numbers[lane] = list != NULL ? list[place] : place;
        of_lane[lane] = corners[numbers[lane]];
    }
    lanes_fetch(points, vertices, of_lane);
    return left >= LANES ? (UINT32_C(1) << LANES) - 1 : (UINT32_C(1) << left) - 1;
}

static inline uint32_t reject(enum impact_kind kind, const struct impact_vertex *vertices, const uint32_t (*corners)[4],
                              uint32_t count, uint32_t *survivors, uint64_t *axes)
{
    uint32_t kept = 0, rejected = 0;
    for (uint32_t begin = 0; begin < count; begin += LANES) {
        struct lane_corners points;
        struct lane_vectors vectors;
        uint32_t numbers[LANES];
        uint32_t alive = fetch_group(&points, vertices, corners, NULL, begin, count, numbers);
        uint32_t apart = mask_bits(lanes_apart(kind, &points, 0));
        for (int axis = 1; axis < 3 && (LANES > 1 || apart == 0); axis++) {
            apart |= mask_bits(lanes_apart(kind, &points, axis));
        }
        rejected += (uint32_t)__builtin_popcount(alive & apart);
        alive &= ~apart;
        if (alive != 0) {
            lanes_vectors(kind, &points, &vectors);
            alive &= ~mask_bits(lanes_never_coplanar(&vectors));
            kept += lanes_keep(survivors + kept, numbers, alive);
        }
    }
    *axes += rejected;
    return kept;
}

static inline uint32_t separate(enum impact_kind kind, const struct impact_vertex *vertices,
                                const uint32_t (*corners)[4], const uint32_t *list, uint32_t count, uint32_t *survivors)
{
    uint32_t kept = 0;
    for (uint32_t begin = 0; begin < count; begin += LANES) {
        struct lane_corners points;
        struct lane_vectors vectors;
        uint32_t numbers[LANES];
        uint32_t alive = fetch_group(&points, vertices, corners, list, begin, count, numbers);
        lanes_vectors(kind, &points, &vectors);
        alive &= ~mask_bits(lanes_separated(kind, &vectors));
        kept += lanes_keep(survivors + kept, numbers, alive);
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
