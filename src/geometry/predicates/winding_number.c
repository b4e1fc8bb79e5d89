/* Winding number by counting crossings of a ray, without ties.
 *
 * The ray leaves p in the direction +x. A face counts iff its shadow on the plane of y and z contains the shadow of
 * p, with the sign of the shadow's orientation, and iff it lies ahead of p, which is the side of p of its plane.
 * Where the shadow of p falls on the shadow of an edge, p is thought moved by (e, e^2) in y and z with e infinitely
 * small; p is not on the surface, so the number does not change, and the sign becomes that of a coordinate
 * difference of the edge (simulation of simplicity: Edelsbrunner and Muecke 1990). No second ray is ever needed, and
 * no auxiliary point, so coordinates may be of any size.
 *
 * p may be the mean of up to three points: orientations are affine in each point, so their signs there are those of
 * sums.
 */
#include "geometry/predicates/winding_number.h"

#include "geometry/predicates/hull_predicates.h"
#include "geometry/predicates/orientation_predicates.h"
#include "geometry/predicates/triangle_predicates.h"

/* The mean of `count` points, and a box that contains it. */
struct query_point {
    const double *const *points;
    int count;
    double low[3], high[3];
};

static struct query_point query_point_at(const double *const points[], int count)
{
    struct query_point query = {points, count, {0}, {0}};
    for (int axis = 0; axis < 3; axis++) {
        query.low[axis] = query.high[axis] = points[0][axis];
        for (int k = 1; k < count; k++) {
            query.low[axis] = points[k][axis] < query.low[axis] ? points[k][axis] : query.low[axis];
            query.high[axis] = points[k][axis] > query.high[axis] ? points[k][axis] : query.high[axis];
        }
    }
    return query;
}

static int plane_orientation(const double u[3], const double v[3], const struct query_point *query, int i, int j,
                             predicate_counters *counters)
{
    if (query->count == 1) {
        return orientation_2d_counted(u, v, query->points[0], i, j, counters);
    }
    const double *points[3][3];
    for (int k = 0; k < query->count; k++) {
        points[k][0] = u;
        points[k][1] = v;
        points[k][2] = query->points[k];
    }
    counters->exact_fallbacks++;
    return orientation_2d_sum_sign(points, query->count, i, j);
}

static int space_orientation(const double *const triangle[3], const struct query_point *query,
                             predicate_counters *counters)
{
    if (query->count == 1) {
        return orientation_3d_counted(triangle[0], triangle[1], triangle[2], query->points[0], counters);
    }
    const double *points[3][4];
    for (int k = 0; k < query->count; k++) {
        points[k][0] = triangle[0];
        points[k][1] = triangle[1];
        points[k][2] = triangle[2];
        points[k][3] = query->points[k];
    }
    counters->exact_fallbacks++;
    return orientation_3d_sum_sign(points, query->count);
}

/* The side of the line from u to v in the plane of y and z, never 0 unless u and v have the same shadow. */
static int side_without_ties(const double u[3], const double v[3], const struct query_point *query,
                             predicate_counters *counters)
{
    int side = plane_orientation(u, v, query, 1, 2, counters);
    if (side != 0) {
        return side;
    }
    if (u[2] != v[2]) {
        return v[2] < u[2] ? 1 : -1;
    }
    return (v[1] > u[1]) - (v[1] < u[1]);
}

/* Sign of (mean - value) of one coordinate: minus the plane orientation of (value, 0), (value, 1) and the mean. */
static int compare_mean(const struct query_point *query, int axis, double value)
{
    const double u[3] = {value, 0.0, 0.0}, v[3] = {value, 1.0, 0.0};
    double coordinates[3][3] = {{0}};
    const double *points[3][3];
    for (int k = 0; k < query->count; k++) {
        coordinates[k][0] = query->points[k][axis];
        points[k][0] = u;
        points[k][1] = v;
        points[k][2] = coordinates[k];
    }
    return -orientation_2d_sum_sign(points, query->count, 0, 1);
}

/* The mean is on the closed segment, perhaps a point, between two points in lexicographic order. */
static bool mean_is_on_segment(const double first[3], const double last[3], const struct query_point *query,
                               predicate_counters *counters)
{
    for (int axis = 0; axis < 3; axis++) {
        if (plane_orientation(first, last, query, axis, axis == 2 ? 0 : axis + 1, counters) != 0) {
            return false;
        }
        double low = first[axis] < last[axis] ? first[axis] : last[axis];
        double high = first[axis] < last[axis] ? last[axis] : first[axis];
        if (compare_mean(query, axis, low) < 0 || compare_mean(query, axis, high) > 0) {
            return false;
        }
    }
    return true;
}

/* Faces whose box contains p may contain p itself. A collinear face adds nothing but the points it is made of. */
static bool face_contains(const double *const triangle[3], const struct query_point *query,
                          predicate_counters *counters)
{
    if (query->count == 1) {
        return point_in_triangle_closed(query->points[0], triangle, counters);
    }
    if (space_orientation(triangle, query, counters) != 0) {
        return false;
    }
    struct plane_projection projection = projection_of_triangle(triangle, counters);
    const double *corners[3] = {triangle[0], triangle[1], triangle[2]};
    if (projection.orientation != 0) {
        for (int k = 0; k < 3; k++) {
            int side =
                plane_orientation(corners[k], corners[k == 2 ? 0 : k + 1], query, projection.i, projection.j, counters);
            if (side == -projection.orientation) {
                return false;
            }
        }
        return true;
    }
    const double *first, *last;
    lexicographic_ends(triangle, 3, &first, &last);
    return mean_is_on_segment(first, last, query, counters);
}

/* Bit 1: the face may be met by the ray. Bit 2: its box meets the box of p. */
enum { MAY_CROSS = 1, MAY_CONTAIN = 2 };

static inline int compare_boxes(const double *const triangle[3], const struct query_point *query)
{
    for (int axis = 2; axis >= 0; axis--) {
        double a = triangle[0][axis], b = triangle[1][axis], c = triangle[2][axis];
        double low = a < b ? a : b, high = a < b ? b : a;
        low = c < low ? c : low;
        high = c > high ? c : high;
        if (high < query->low[axis] || (low > query->high[axis] && axis > 0)) {
            return 0;
        }
        if (low > query->high[axis]) {
            return MAY_CROSS;
        }
    }
    return MAY_CROSS | MAY_CONTAIN;
}

/* The face's contribution to the number, p not being on it. */
static int crossing_of_face(const double *const triangle[3], const struct query_point *query,
                            predicate_counters *counters)
{
    int orientation = orientation_2d_counted(triangle[0], triangle[1], triangle[2], 1, 2, counters);
    if (orientation == 0) {
        return 0;
    }
    for (int k = 0; k < 3; k++) {
        if (side_without_ties(triangle[k], triangle[k == 2 ? 0 : k + 1], query, counters) != orientation) {
            return 0;
        }
    }
    /* The normal has the x of the shadow's orientation; the face is ahead of p iff p is below it in that sense. */
    return space_orientation(triangle, query, counters) == -orientation ? orientation : 0;
}

int winding_number_at_mean(const double *const points[], int point_count, const double (*positions)[3],
                           const uint32_t (*triangles)[3], size_t triangle_count, predicate_counters *counters,
                           bool *on_surface)
{
    struct query_point query = query_point_at(points, point_count);
    int number = 0;
    *on_surface = false;
    for (size_t face = 0; face < triangle_count; face++) {
        const double *const triangle[3] = {positions[triangles[face][0]], positions[triangles[face][1]],
                                           positions[triangles[face][2]]};
        int boxes = compare_boxes(triangle, &query);
        if (boxes == 0) {
            continue;
        }
        if ((boxes & MAY_CONTAIN) != 0 && face_contains(triangle, &query, counters)) {
            *on_surface = true;
            return 0;
        }
        number += crossing_of_face(triangle, &query, counters);
    }
    return number;
}

int winding_number(const double p[3], const double (*positions)[3], const uint32_t (*triangles)[3],
                   size_t triangle_count, predicate_counters *counters, bool *on_surface)
{
    const double *const points[1] = {p};
    return winding_number_at_mean(points, 1, positions, triangles, triangle_count, counters, on_surface);
}
