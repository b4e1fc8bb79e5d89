/* What the vector stages of the impact test share: corners, differences and the free axis, one candidate a lane, over
 * the doubles of simd/lanes.h. Included by impact_lanes.h (stage 0) and impact_double_lanes.h (stages 1 and 2), whose
 * headers impact_kernels.h and impact_double_kernels.h derive the bounds. */
#include <stddef.h>

#include "geometry/impact/impact_internal.h"
#include "geometry/impact/impact_kernels.h"
#include "geometry/impact/impact_direction.h"

/* Corners of DOUBLES candidates: [corner][end][axis]. */
struct lane_points {
    doubles at[4][2][3];
};

/* The differences of impact_internal.h at both ends of a window. */
struct lane_window {
    doubles q[2][3], a[2][3], b[2][3];
};

/* The window [0, 1], largest components over the whole step, their product, and
 * where they are in the range of the bounds. */
struct lane_query {
    struct lane_window whole;
    doubles size_q, size_a, size_b, product;
    doubles_mask in_range;
};

_Static_assert(offsetof(struct impact_vertex, end) == 4 * sizeof(double) && sizeof(struct impact_vertex) == 64,
               "a vertex is a row of eight numbers");

/* The corners of one candidate a lane. */
static inline void fetch_corners(const struct impact_vertex *vertices, const uint32_t *const of_lane[DOUBLES],
                                 struct lane_points *points)
{
    for (int corner = 0; corner < 4; corner++) {
        const double *rows[DOUBLES];
        doubles columns[8];
        for (int lane = 0; lane < DOUBLES; lane++) {
            rows[lane] = vertices[of_lane[lane][corner]].start;
        }
        doubles_columns8(rows, columns);
        for (int axis = 0; axis < 3; axis++) {
            points->at[corner][0][axis] = columns[axis];
            points->at[corner][1][axis] = columns[axis + 4];
        }
    }
}

static inline doubles subtract_corners(const struct lane_points *points, const uint8_t pair[2], doubles result[2][3])
{
    for (int end = 0; end < 2; end++) {
        for (int axis = 0; axis < 3; axis++) {
            result[end][axis] = points->at[pair[0]][end][axis] - points->at[pair[1]][end][axis];
        }
    }
    return doubles_most(lanes_largest(result[0]), lanes_largest(result[1]));
}

static inline void prepare_query(enum impact_kind kind, const struct lane_points *points, struct lane_query *x)
{
    const struct impact_pairs pairs = impact_pairs_of(kind);
    x->size_q = subtract_corners(points, pairs.q, x->whole.q);
    x->size_a = subtract_corners(points, pairs.a, x->whole.a);
    x->size_b = subtract_corners(points, pairs.b, x->whole.b);
    x->product = x->size_q * x->size_a * x->size_b;
    doubles least = doubles_least(doubles_least(x->size_q, x->size_a), x->size_b);
    doubles most = doubles_most(doubles_most(x->size_q, x->size_a), x->size_b);
    x->in_range = doubles_mask_and(doubles_less(doubles_set(IMPACT_LEAST_SIZE), least),
                                   doubles_less(most, doubles_set(IMPACT_MOST_SIZE)));
}

/* The lanes that `count` candidates take, as bits. */
static inline uint32_t lanes_left(uint32_t count)
{
    return count >= DOUBLES ? (UINT32_C(1) << DOUBLES) - 1 : (UINT32_C(1) << count) - 1;
}

/* Where all values are above the bound, or all below minus the bound. */
static inline doubles_mask one_sign(doubles least, doubles most, doubles bound)
{
    return doubles_mask_or(doubles_less(bound, least), doubles_less(most, -bound));
}

/* Where an axis, that of the middle of the window, separates the primitives. */
static inline doubles_mask separated_on(enum impact_kind kind, const struct lane_query *x,
                                        const struct lane_window *window)
{
    doubles q[3], a[3], b[3], d[3]; /* twice the vectors in the middle */
    for (int axis = 0; axis < 3; axis++) {
        q[axis] = window->q[0][axis] + window->q[1][axis];
        a[axis] = window->a[0][axis] + window->a[1][axis];
        b[axis] = window->b[0][axis] + window->b[1][axis];
    }
    if (kind == IMPACT_VERTEX_FACE) {
        vertex_face_direction(q, a, b, d);
    } else {
        edge_edge_direction(q, a, b, d);
    }
    doubles least = doubles_set(HUGE_VAL), most = doubles_set(-HUGE_VAL);
    for (int end = 0; end < 2; end++) {
        doubles dq = lanes_dot(d, window->q[end]), da = lanes_dot(d, window->a[end]), db = lanes_dot(d, window->b[end]);
        doubles values[4] = {dq, dq - da, dq - db, dq};
        if (kind == IMPACT_EDGE_EDGE) {
            values[2] = dq + db;
            values[3] = values[2] - da;
        }
        least = doubles_least(least,
                              doubles_least(doubles_least(values[0], values[1]), doubles_least(values[2], values[3])));
        most = doubles_most(most, doubles_most(doubles_most(values[0], values[1]), doubles_most(values[2], values[3])));
    }
    doubles size = lanes_largest(d),
            bound = doubles_set(IMPACT_AXIS_BOUND) * size * (x->size_q + x->size_a + x->size_b);
    doubles_mask usable =
        doubles_mask_and(doubles_less(doubles_set(IMPACT_LEAST_AXIS), size), doubles_less(size, doubles_set(HUGE_VAL)));
    return doubles_mask_and(usable, one_sign(least, most, bound));
}
