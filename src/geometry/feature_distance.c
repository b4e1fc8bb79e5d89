/* One pair at a time: the fixed sequence of kernels/feature_lanes.h on a single lane, and the directions and
 * fallbacks that follow from it. */
#include "geometry/feature_distance.h"

#include <stdint.h>

#include "geometry/closest_points_local.h"

#define FEATURE_LANES 1
#define FEATURE_ROOT(x) ((row){sqrt((x)[0])})
#include "geometry/kernels/feature_lanes.h"

static row3 point_row(const double p[3])
{
    return (row3){{p[0]}, {p[1]}, {p[2]}};
}

static void measure_vertex(const double p[3], const double *const corners[3], struct row_result *result)
{
    struct row_points points = {{point_row(p), point_row(corners[0]), point_row(corners[1]), point_row(corners[2])}};
    measure_row_of_vertices(&points, result);
}

static void measure_edge(const double *const a[2], const double *const b[2], struct row_result *result)
{
    struct row_points points = {{point_row(a[0]), point_row(a[1]), point_row(b[0]), point_row(b[1])}};
    measure_row_of_edges(&points, result);
}

double vertex_face_distance(const double p[3], const double *const corners[3])
{
    struct row_result result;
    measure_vertex(p, corners, &result);
    return result.distance[0];
}

double edge_edge_distance(const double *const a[2], const double *const b[2])
{
    struct row_result result;
    measure_edge(a, b, &result);
    return result.distance[0];
}

/* ---- directions ------------------------------------------------------------------------------ */

static void divide(const double vector[3], double length, double unit[3])
{
    for (int axis = 0; axis < 3; axis++) {
        unit[axis] = vector[axis] / length + 0.0; /* no negative zero */
    }
}

/* The direction of (p1 - p0) x (p3 - p2), or the x axis. */
static void unit_of_cross(const double *const p[4], double unit[3])
{
    struct local_corners local = corners_seen_from(p[0], p + 1, 3);
    double v[3], product[3], extent = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        v[axis] = local.corner[2][axis] - local.corner[1][axis];
    }
    local_cross(local.corner[0], v, product);
    for (int axis = 0; axis < 3; axis++) {
        extent = fabs(product[axis]) > extent ? fabs(product[axis]) : extent;
    }
    if (extent == 0.0) {
        unit[0] = 1.0;
        unit[1] = unit[2] = 0.0;
        return;
    }
    for (int axis = 0; axis < 3; axis++) {
        product[axis] = scale_by_power_of_two(product[axis], -binary_exponent(extent));
    }
    divide(product, sqrt(local_dot(product, product)), unit);
}

void direction_of_vertex_and_face(const double difference[3], double length, const double *const corners[3],
                                  double unit[3])
{
    if (length > 0.0) {
        divide(difference, length, unit);
    } else {
        const double *const sides[4] = {corners[0], corners[1], corners[0], corners[2]};
        unit_of_cross(sides, unit);
    }
}

void direction_of_edges(const double difference[3], double length, const double *const a[2], const double *const b[2],
                        double unit[3])
{
    if (length > 0.0) {
        divide(difference, length, unit);
    } else {
        const double *const ends[4] = {a[0], a[1], b[0], b[1]};
        unit_of_cross(ends, unit);
    }
}

/* ---- pairs ----------------------------------------------------------------------------------- */

void closest_of_vertex_and_face(const double p[3], const double *const corners[3], struct closest_pair *pair)
{
    struct row_result result;
    measure_vertex(p, corners, &result);
    pair->distance = result.distance[0];
    pair->weights_a[0] = 1.0;
    pair->weights_a[1] = 0.0;
    for (int k = 0; k < 3; k++) {
        pair->weights_b[k] = result.weight[k + 1][0];
    }
    const double difference[3] = {result.difference.x[0], result.difference.y[0], result.difference.z[0]};
    direction_of_vertex_and_face(difference, result.length[0], corners, pair->direction);
}

void closest_of_edges(const double *const a[2], const double *const b[2], struct closest_pair *pair)
{
    struct row_result result;
    measure_edge(a, b, &result);
    pair->distance = result.distance[0];
    for (int k = 0; k < 2; k++) {
        pair->weights_a[k] = result.weight[k][0];
        pair->weights_b[k] = result.weight[k + 2][0];
    }
    pair->weights_b[2] = 0.0;
    const double difference[3] = {result.difference.x[0], result.difference.y[0], result.difference.z[0]};
    direction_of_edges(difference, result.length[0], a, b, pair->direction);
}
