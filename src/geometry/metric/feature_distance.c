/* One pair at a time: the fixed sequence of kernels/feature_lanes.h on a single lane, and the directions and
 * fallbacks that follow from it. */
#include "geometry/metric/feature_distance.h"

#include <stdint.h>

#include "geometry/metric/closest_points_local.h"

#include "simd/lanes_scalar.h"

#include "geometry/metric/feature_lanes.h"

static struct doubles3 point_row(const double p[3])
{
    return (struct doubles3){p[0], p[1], p[2]};
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
    return result.distance;
}

double edge_edge_distance(const double *const a[2], const double *const b[2])
{
    struct row_result result;
    measure_edge(a, b, &result);
    return result.distance;
}

/* ---- directions ------------------------------------------------------------------------------ */

static void divide(const double vector[3], double length, double unit[3])
{
    for (int axis = 0; axis < 3; axis++) {
        unit[axis] = vector[axis] / length + 0.0; /* no negative zero */
    }
}

/* Below this part of the features' extent a distance is rounding: 32 u (feature_distance.h), the extent of the box of
 * the four points being at least E. Then the difference of the closest points may point anywhere. Closest points inside
 * both features differ along the normal, so that nothing is lost by taking that up to 2^10 times the bound, where the
 * difference would still be off by 2^-10, and by more on slender faces. */
#define TOUCHING 0x1p-48
#define TOUCHING_INSIDE 0x1p-38

/* Do the four points touch as far as the computed distance can tell? Depends on the positions alone. */
static bool is_touching(double distance, bool inside, const double *const p[4])
{
    double largest = 0.0, extent = 0.0;
    for (int k = 0; k < 12; k++) {
        double size = fabs(p[k / 3][k % 3]);
        largest = size > largest ? size : largest;
    }
    double halve = largest > 0x1p1000 ? 0.0625 : 1.0;
    for (int axis = 0; axis < 3; axis++) {
        double low = p[0][axis], high = p[0][axis];
        for (int k = 1; k < 4; k++) {
            low = p[k][axis] < low ? p[k][axis] : low;
            high = p[k][axis] > high ? p[k][axis] : high;
        }
        double width = high * halve - low * halve;
        extent = width > extent ? width : extent;
    }
    return distance * halve <= (inside ? TOUCHING_INSIDE : TOUCHING) * extent;
}

/* (p1 - p0) x (p3 - p2), scaled to about 1; returns its largest component before that, where the largest difference
 * of coordinates is 1: not above 2^-40 the product is mostly rounding. 0: it vanishes. */
static double scaled_cross(const double *const p[4], double product[3])
{
    struct local_corners local = corners_seen_from(p[0], p + 1, 3);
    double v[3], extent = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        v[axis] = local.corner[2][axis] - local.corner[1][axis];
    }
    local_cross(local.corner[0], v, product);
    for (int axis = 0; axis < 3; axis++) {
        extent = fabs(product[axis]) > extent ? fabs(product[axis]) : extent;
    }
    for (int axis = 0; axis < 3 && extent > 0.0; axis++) {
        product[axis] = scale_by_power_of_two(product[axis], -binary_exponent(extent));
    }
    return extent;
}

/* Of features that touch: the direction of (p1 - p0) x (p3 - p2), on the side of the difference if that has one; where
 * the product is rounding, too, the difference; the x axis without either. */
static void direction_of_cross(const double difference[3], double length, const double *const p[4], double unit[3])
{
    double product[3], size = scaled_cross(p, product);
    if (size <= 0x1p-40 && length > 0.0) {
        divide(difference, length, unit);
    } else if (size == 0.0) {
        unit[0] = 1.0;
        unit[1] = unit[2] = 0.0;
    } else {
        double side = local_dot(difference, product) < 0.0 ? -1.0 : 1.0;
        divide(product, side * sqrt(local_dot(product, product)), unit);
    }
}

void direction_of_vertex_and_face(const double difference[3], double length, double distance, bool inside,
                                  const double *const points[4], double unit[3])
{
    if (is_touching(distance, inside, points)) {
        const double *const sides[4] = {points[1], points[2], points[1], points[3]};
        direction_of_cross(difference, length, sides, unit);
    } else {
        divide(difference, length, unit);
    }
}

void direction_of_edges(const double difference[3], double length, double distance, bool inside,
                        const double *const points[4], double unit[3])
{
    if (is_touching(distance, inside, points)) {
        direction_of_cross(difference, length, points, unit);
    } else {
        divide(difference, length, unit);
    }
}

/* ---- pairs ----------------------------------------------------------------------------------- */

void closest_of_vertex_and_face(const double p[3], const double *const corners[3], struct closest_pair *pair)
{
    struct row_result result;
    measure_vertex(p, corners, &result);
    pair->distance = result.distance;
    pair->weights_a[0] = 1.0;
    pair->weights_a[1] = 0.0;
    for (int k = 0; k < 3; k++) {
        pair->weights_b[k] = result.weight[k + 1];
    }
    const double difference[3] = {result.difference.x, result.difference.y, result.difference.z};
    const double *const points[4] = {p, corners[0], corners[1], corners[2]};
    bool inside = pair->weights_b[0] > 0 && pair->weights_b[1] > 0 && pair->weights_b[2] > 0;
    direction_of_vertex_and_face(difference, result.length, pair->distance, inside, points, pair->direction);
}

void closest_of_edges(const double *const a[2], const double *const b[2], struct closest_pair *pair)
{
    struct row_result result;
    measure_edge(a, b, &result);
    pair->distance = result.distance;
    for (int k = 0; k < 2; k++) {
        pair->weights_a[k] = result.weight[k];
        pair->weights_b[k] = result.weight[k + 2];
    }
    pair->weights_b[2] = 0.0;
    const double difference[3] = {result.difference.x, result.difference.y, result.difference.z};
    const double *const points[4] = {a[0], a[1], b[0], b[1]};
    bool inside = pair->weights_a[0] > 0 && pair->weights_a[1] > 0 && pair->weights_b[0] > 0 && pair->weights_b[1] > 0;
    direction_of_edges(difference, result.length, pair->distance, inside, points, pair->direction);
}
