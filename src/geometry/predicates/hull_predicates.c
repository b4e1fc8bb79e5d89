/* Hulls in one plane: project one to one on two axes, then separate by lines.
 *
 * Two convex polygons of which one has area are disjoint (their interiors are disjoint) iff a line through an edge
 * of one of them has the other strictly (weakly) outside, because the edges of their Minkowski difference are
 * parallel to theirs; a segment counts as a polygon with one line, a point as one with none.
 */
#include "geometry/predicates/hull_predicates.h"

#include "geometry/predicates/orientation_predicates.h"

struct plane_projection projection_of_triangle(const double *const triangle[3], predicate_counters *counters)
{
    struct plane_projection projection = {0, 0, 0};
    for (int axis = 0; axis < 3 && projection.orientation == 0; axis++) {
        projection.i = axis;
        projection.j = axis == 2 ? 0 : axis + 1;
        projection.orientation =
            orientation_2d_counted(triangle[0], triangle[1], triangle[2], projection.i, projection.j, counters);
    }
    return projection;
}

void lexicographic_ends(const double *const points[], int count, const double **first, const double **last)
{
    *first = points[0];
    *last = points[0];
    for (int k = 1; k < count; k++) {
        if (compare_points(points[k], *first) < 0) {
            *first = points[k];
        }
        if (compare_points(points[k], *last) > 0) {
            *last = points[k];
        }
    }
}

/* Which sides of the line from a to b the points lie on, as bits: 1 left, 2 right, 4 on it. */
enum { SIDE_LEFT = 1, SIDE_RIGHT = 2, SIDE_ON = 4 };

static int sides_of_line(const double a[3], const double b[3], const double *const points[], int count,
                         struct plane_projection projection, predicate_counters *counters)
{
    int sides = 0;
    for (int k = 0; k < count; k++) {
        int side = orientation_2d_counted(a, b, points[k], projection.i, projection.j, counters);
        sides |= side > 0 ? SIDE_LEFT : side < 0 ? SIDE_RIGHT : SIDE_ON;
    }
    return sides;
}

/* The other set against the lines of a polygon of known orientation. */
static planar_relation separate_by_edges(const double *const polygon[3], int orientation, const double *const points[],
                                         int count, struct plane_projection projection, predicate_counters *counters)
{
    planar_relation relation = PLANAR_OVERLAP;
    int inner = orientation > 0 ? SIDE_LEFT : SIDE_RIGHT;
    for (int k = 0; k < 3; k++) {
        int sides = sides_of_line(polygon[k], polygon[k == 2 ? 0 : k + 1], points, count, projection, counters);
        if ((sides & (inner | SIDE_ON)) == 0) {
            return PLANAR_DISJOINT;
        }
        if ((sides & inner) == 0) {
            relation = PLANAR_TOUCHING;
        }
    }
    return relation;
}

planar_relation hull_versus_triangle_in_plane(const double *const points[], int count, const double *const triangle[3],
                                              struct plane_projection projection, predicate_counters *counters)
{
    planar_relation relation = separate_by_edges(triangle, projection.orientation, points, count, projection, counters);
    if (relation == PLANAR_DISJOINT) {
        return relation;
    }
    if (count == 3) {
        int orientation = orientation_2d_counted(points[0], points[1], points[2], projection.i, projection.j, counters);
        planar_relation other = separate_by_edges(points, orientation, triangle, 3, projection, counters);
        return other < relation ? other : relation;
    }
    if (count == 2) {
        int sides = sides_of_line(points[0], points[1], triangle, 3, projection, counters);
        if (sides == SIDE_LEFT || sides == SIDE_RIGHT) {
            return PLANAR_DISJOINT;
        }
    }
    return PLANAR_TOUCHING; /* a segment or a point has no interior in the plane */
}

static bool points_are_collinear(const double a[3], const double b[3], const double c[3], predicate_counters *counters)
{
    const double *const triangle[3] = {a, b, c};
    return projection_of_triangle(triangle, counters).orientation == 0;
}

bool point_on_segment(const double p[3], const double a[3], const double b[3], predicate_counters *counters)
{
    const double *first = a, *last = b;
    if (compare_points(a, b) > 0) {
        first = b;
        last = a;
    }
    return compare_points(first, p) <= 0 && compare_points(p, last) <= 0 &&
           points_are_collinear(first, last, p, counters);
}

/* Segments in one plane and not on one line: neither lies strictly on one side of the other's line. */
static bool planar_segments_meet(const double *const a[2], const double *const b[2], struct plane_projection projection,
                                 predicate_counters *counters)
{
    int sides_b = sides_of_line(a[0], a[1], b, 2, projection, counters);
    int sides_a = sides_of_line(b[0], b[1], a, 2, projection, counters);
    return sides_b != SIDE_LEFT && sides_b != SIDE_RIGHT && sides_a != SIDE_LEFT && sides_a != SIDE_RIGHT;
}

bool segments_meet(const double a0[3], const double a1[3], const double b0[3], const double b1[3],
                   predicate_counters *counters)
{
    if (compare_points(a0, a1) == 0) {
        return point_on_segment(a0, b0, b1, counters);
    }
    if (compare_points(b0, b1) == 0) {
        return point_on_segment(b0, a0, a1, counters);
    }
    if (orientation_3d_counted(a0, a1, b0, b1, counters) != 0) {
        return false;
    }
    const double *const a[2] = {a0, a1}, *const b[2] = {b0, b1};
    for (int k = 0; k < 2; k++) {
        const double *const spanning[3] = {a0, a1, b[k]};
        struct plane_projection projection = projection_of_triangle(spanning, counters);
        if (projection.orientation != 0) {
            return planar_segments_meet(a, b, projection, counters);
        }
    }
    const double *a_first, *a_last, *b_first, *b_last;
    lexicographic_ends(a, 2, &a_first, &a_last);
    lexicographic_ends(b, 2, &b_first, &b_last);
    return compare_points(a_first, b_last) <= 0 && compare_points(b_first, a_last) <= 0;
}
