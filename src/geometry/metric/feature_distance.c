/* One pair at a time: the fixed sequence of feature_lanes.h on a single lane. */
#include "geometry/metric/feature_distance.h"

#include "simd/lanes_scalar.h"

#include "geometry/metric/feature_lanes.h"

static struct doubles3 point_row(const double p[3])
{
    return (struct doubles3){p[0], p[1], p[2]};
}

static struct row_points vertex_and_face(const double p[3], const double *const corners[3])
{
    return (struct row_points){{point_row(p), point_row(corners[0]), point_row(corners[1]), point_row(corners[2])}};
}

static struct row_points two_edges(const double *const a[2], const double *const b[2])
{
    return (struct row_points){{point_row(a[0]), point_row(a[1]), point_row(b[0]), point_row(b[1])}};
}

double vertex_face_distance(const double p[3], const double *const corners[3])
{
    struct row_points points = vertex_and_face(p, corners);
    struct row_result result;
    measure_row_of_vertices(&points, &result);
    return result.distance;
}

double edge_edge_distance(const double *const a[2], const double *const b[2])
{
    struct row_points points = two_edges(a, b);
    struct row_result result;
    measure_row_of_edges(&points, &result);
    return result.distance;
}

/* ---- pairs ----------------------------------------------------------------------------------- */

static void put_direction(struct doubles3 direction, struct closest_pair *pair)
{
    pair->direction[0] = direction.x;
    pair->direction[1] = direction.y;
    pair->direction[2] = direction.z;
}

void closest_of_vertex_and_face(const double p[3], const double *const corners[3], struct closest_pair *pair)
{
    struct row_points points = vertex_and_face(p, corners);
    struct row_result result;
    measure_row_of_vertices(&points, &result);
    pair->distance = result.distance;
    pair->weights_a[0] = 1.0;
    pair->weights_a[1] = 0.0;
    for (int k = 0; k < 3; k++) {
        pair->weights_b[k] = result.weight[k + 1];
    }
    put_direction(direct_row_of_vertices(&points, &result), pair);
}

void closest_of_edges(const double *const a[2], const double *const b[2], struct closest_pair *pair)
{
    struct row_points points = two_edges(a, b);
    struct row_result result;
    measure_row_of_edges(&points, &result);
    pair->distance = result.distance;
    for (int k = 0; k < 2; k++) {
        pair->weights_a[k] = result.weight[k];
        pair->weights_b[k] = result.weight[k + 2];
    }
    pair->weights_b[2] = 0.0;
    put_direction(direct_row_of_edges(&points, &result), pair);
}
