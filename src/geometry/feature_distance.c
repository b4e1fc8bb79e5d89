/* Closest points by comparing candidates: every feature of lower dimension gives one, the interior one more if it falls inside.
 *
 * A vertex and a face: the closest points of its three edges and the foot of the perpendicular. Two edges: each end against the other edge, and the
 * common perpendicular, whose place on the first edge comes from cross products (n = u x v, s = (w x v).n / n.n), which lose less than
 * dot products when the edges are nearly parallel; where they lose everything the ends are as close as rounding can tell. Nothing
 * depends on a chain of region tests, so no case can end in the wrong region.
 *
 * Lower bound of the computed distance. Coordinates are taken relative to the first point (relative error u each) and scaled by a power of
 * two to E <= 1. A candidate has weights >= 0 whose sum is 1 up to 4u, hence its point, computed with 5 more roundings, lies within
 * 4u + 5u of a point of the set on every axis; for two edges the difference of two such points (one with a single product) within 11u.
 * Over three axes that is 19u; the square root of the sum of squares, of length at most 2 sqrt(3), adds 3u times that: 10u. Together
 * less than 32u E. Squares are taken of a difference scaled to its own size, so that they do not vanish.
 */
#include "geometry/feature_distance.h"

#include <stdint.h>

#include "geometry/closest_points_local.h"

static bool comes_before(const double p[3], const double q[3])
{
    for (int axis = 0; axis < 3; axis++) {
        if (p[axis] != q[axis]) {
            return p[axis] < q[axis];
        }
    }
    return false;
}

/* Ordered places: sorted[k] = points[order[k]]. */
struct sorted_corners {
    const double *point[3];
    uint8_t order[3];
};

static void exchange(struct sorted_corners *sorted, int i, int j)
{
    if (comes_before(sorted->point[j], sorted->point[i])) {
        const double *point = sorted->point[i];
        uint8_t place = sorted->order[i];
        sorted->point[i] = sorted->point[j];
        sorted->order[i] = sorted->order[j];
        sorted->point[j] = point;
        sorted->order[j] = place;
    }
}

static struct sorted_corners sort_corners(const double *const corners[3])
{
    struct sorted_corners sorted = {{corners[0], corners[1], corners[2]}, {0, 1, 2}};
    exchange(&sorted, 0, 1);
    exchange(&sorted, 1, 2);
    exchange(&sorted, 0, 1);
    return sorted;
}

/* What the candidates leave: the difference of the closest points, scaled. */
struct scaled_gap {
    double difference[3];
    double length; /* of the difference after one more scaling, by 2^-more */
    int more;
};

static void measure_gap(struct scaled_gap *gap)
{
    double extent = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        extent = fabs(gap->difference[axis]) > extent ? fabs(gap->difference[axis]) : extent;
    }
    gap->more = 0;
    gap->length = 0.0;
    if (extent > 0.0) {
        gap->more = binary_exponent(extent);
        for (int axis = 0; axis < 3; axis++) {
            gap->difference[axis] = scale_by_power_of_two(gap->difference[axis], -gap->more);
        }
        gap->length = sqrt(local_dot(gap->difference, gap->difference));
    }
}

static void unit_or_axis(const double vector[3], double sign, double unit[3])
{
    struct scaled_gap gap = {.difference = {vector[0], vector[1], vector[2]}};
    measure_gap(&gap);
    for (int axis = 0; axis < 3; axis++) {
        double along = sign * (gap.difference[axis] / gap.length) + 0.0; /* no negative zero */
        unit[axis] = gap.length > 0.0 ? along : axis == 0 ? 1.0 : 0.0;
    }
}

/* A cross product of two differences; scaled, so that only its direction means something. */
static void cross_of_differences(const double *const points[4], double product[3])
{
    struct local_corners local = corners_seen_from(points[0], points + 1, 3);
    double u[3], v[3];
    for (int axis = 0; axis < 3; axis++) {
        u[axis] = local.corner[0][axis];
        v[axis] = local.corner[2][axis] - local.corner[1][axis];
    }
    local_cross(u, v, product);
}

/* ---- a vertex and a face ------------------------------------------------------------------------------------------------- */

static double nearest_of_face(const double p[3], const struct sorted_corners *sorted, struct candidate *best, struct scaled_gap *gap)
{
    struct local_corners local = corners_seen_from(p, sorted->point, 3);
    struct candidate foot;
    *best = candidate_of_edge(&local, 0, 1);
    *best = better_of(*best, candidate_of_edge(&local, 1, 2));
    *best = better_of(*best, candidate_of_edge(&local, 0, 2));
    if (candidate_of_foot(&local, &foot)) {
        *best = better_of(*best, foot);
    }
    weigh(best, &local, gap->difference); /* from p to the face */
    measure_gap(gap);
    return scale_by_power_of_two(gap->length, local.exponent + gap->more);
}

double vertex_face_distance(const double p[3], const double *const corners[3])
{
    struct sorted_corners sorted = sort_corners(corners);
    struct candidate best;
    struct scaled_gap gap;
    return nearest_of_face(p, &sorted, &best, &gap);
}

void closest_of_vertex_and_face(const double p[3], const double *const corners[3], struct closest_pair *pair)
{
    struct sorted_corners sorted = sort_corners(corners);
    struct candidate best;
    struct scaled_gap gap;
    pair->distance = nearest_of_face(p, &sorted, &best, &gap);
    pair->weights_a[0] = 1.0;
    pair->weights_a[1] = 0.0;
    for (int k = 0; k < 3; k++) {
        pair->weights_b[sorted.order[k]] = best.weight[k];
    }
    if (gap.length > 0.0) {
        unit_or_axis(gap.difference, -1.0, pair->direction);
    } else {
        const double *const sides[4] = {corners[0], corners[1], corners[0], corners[2]};
        double normal[3];
        cross_of_differences(sides, normal);
        unit_or_axis(normal, 1.0, pair->direction);
    }
}

/* ---- two edges ----------------------------------------------------------------------------------------------------------- */

/* Places on the first and the second edge, 0 to 1, and the squared distance, scaled. */
struct edge_candidate {
    double s, t, squared;
};

/* Seen from the beginning of the first edge: corner 0 its end, 1 and 2 the second edge. */
static void edge_difference(const struct local_corners *local, double s, double t, double difference[3])
{
    for (int axis = 0; axis < 3; axis++) {
        difference[axis] =
            s * local->corner[0][axis] - ((1.0 - t) * local->corner[1][axis] + t * local->corner[2][axis]);
    }
}

static void consider(struct edge_candidate *best, const struct local_corners *local, double s, double t)
{
    double difference[3];
    edge_difference(local, s, t, difference);
    double squared = local_dot(difference, difference);
    if (squared < best->squared) {
        *best = (struct edge_candidate){s, t, squared};
    }
}

/* Where the point is closest to the line from `from`, cut to the segment. */
static double place_on_edge(const double point[3], const double from[3], const double direction[3])
{
    double offset[3];
    for (int axis = 0; axis < 3; axis++) {
        offset[axis] = point[axis] - from[axis];
    }
    double along = local_dot(offset, direction), length = local_dot(direction, direction);
    return along <= 0.0 || length == 0.0 ? 0.0 : along >= length ? 1.0 : along / length;
}

static struct edge_candidate nearest_places(const struct local_corners *local)
{
    static const double origin[3] = {0.0, 0.0, 0.0};
    const double *u = local->corner[0], *w = local->corner[1];
    double v[3], normal[3], turned[3];
    for (int axis = 0; axis < 3; axis++) {
        v[axis] = local->corner[2][axis] - w[axis];
    }
    struct edge_candidate best = {0.0, 0.0, INFINITY};
    consider(&best, local, 0.0, place_on_edge(origin, w, v));
    consider(&best, local, 1.0, place_on_edge(u, w, v));
    consider(&best, local, place_on_edge(w, origin, u), 0.0);
    consider(&best, local, place_on_edge(local->corner[2], origin, u), 1.0);
    local_cross(u, v, normal);
    double squared = local_dot(normal, normal);
    if (squared > 0.0) {
        local_cross(w, v, turned);
        double s = local_dot(turned, normal) / squared;
        if (s > 0.0 && s < 1.0) {
            /* t from s, not from its own formula: errors of the two would not agree along nearly parallel edges */
            double point[3] = {s * u[0], s * u[1], s * u[2]};
            consider(&best, local, s, place_on_edge(point, w, v));
        }
    }
    return best;
}

/* The four ends in the order of the computation. */
struct sorted_edges {
    const double *end[4]; /* of the first edge, of the second */
    bool turned[2];       /* the ends of a, of b, are given the other way round */
    bool swapped;         /* b is the first */
};

static struct sorted_edges sort_edges(const double *const a[2], const double *const b[2])
{
    struct sorted_edges sorted;
    sorted.turned[0] = comes_before(a[1], a[0]);
    sorted.turned[1] = comes_before(b[1], b[0]);
    const double *first_a = a[sorted.turned[0]], *last_a = a[!sorted.turned[0]];
    const double *first_b = b[sorted.turned[1]], *last_b = b[!sorted.turned[1]];
    sorted.swapped = comes_before(first_b, first_a) || (!comes_before(first_a, first_b) && comes_before(last_b, last_a));
    sorted.end[sorted.swapped ? 2 : 0] = first_a;
    sorted.end[sorted.swapped ? 3 : 1] = last_a;
    sorted.end[sorted.swapped ? 0 : 2] = first_b;
    sorted.end[sorted.swapped ? 1 : 3] = last_b;
    return sorted;
}

static double nearest_of_edges(const struct sorted_edges *sorted, struct edge_candidate *best, struct scaled_gap *gap)
{
    struct local_corners local = corners_seen_from(sorted->end[0], sorted->end + 1, 3);
    *best = nearest_places(&local);
    edge_difference(&local, best->s, best->t, gap->difference); /* from the second to the first */
    measure_gap(gap);
    return scale_by_power_of_two(gap->length, local.exponent + gap->more);
}

double edge_edge_distance(const double *const a[2], const double *const b[2])
{
    struct sorted_edges sorted = sort_edges(a, b);
    struct edge_candidate best;
    struct scaled_gap gap;
    return nearest_of_edges(&sorted, &best, &gap);
}

void closest_of_edges(const double *const a[2], const double *const b[2], struct closest_pair *pair)
{
    struct sorted_edges sorted = sort_edges(a, b);
    struct edge_candidate best;
    struct scaled_gap gap;
    pair->distance = nearest_of_edges(&sorted, &best, &gap);
    double on_a = sorted.swapped ? best.t : best.s, on_b = sorted.swapped ? best.s : best.t;
    pair->weights_a[sorted.turned[0]] = 1.0 - on_a;
    pair->weights_a[!sorted.turned[0]] = on_a;
    pair->weights_b[sorted.turned[1]] = 1.0 - on_b;
    pair->weights_b[!sorted.turned[1]] = on_b;
    pair->weights_b[2] = 0.0;
    if (gap.length > 0.0) {
        unit_or_axis(gap.difference, sorted.swapped ? -1.0 : 1.0, pair->direction);
    } else {
        const double *const ends[4] = {a[0], a[1], b[0], b[1]};
        double product[3];
        cross_of_differences(ends, product);
        unit_or_axis(product, 1.0, pair->direction);
    }
}
