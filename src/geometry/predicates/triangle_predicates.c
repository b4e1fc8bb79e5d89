/* Triangle against triangle by orientation signs.
 *
 * Two triangles whose planes differ meet in a piece of the line the planes have in common. When each triangle has
 * corners strictly on both sides of the other's plane, each cuts an interval with interior out of that line, and the
 * order of interval ends is the sign of an orientation of four corners (the scheme of Guigue and Devillers: Fast and
 * robust triangle-triangle overlap test using orientation predicates, 2003; here open and closed intervals are told
 * apart). Otherwise at most a corner or an edge lies in the other plane, and only touching is possible. Degenerate
 * triangles are segments or points. The metric facts of a crossing are in triangle_crossing.c.
 */
#include "geometry/predicates/triangle_predicates.h"

#include "geometry/predicates/hull_predicates.h"
#include "geometry/predicates/orientation_predicates.h"
#include "geometry/predicates/triangle_sides.h"

bool point_in_triangle_closed(const double p[3], const double *const triangle[3], predicate_counters *counters)
{
    const double *const point[1] = {p};
    if (boxes_are_apart(point, 1, triangle, 3) ||
        orientation_3d_counted(triangle[0], triangle[1], triangle[2], p, counters) != 0) {
        return false;
    }
    struct plane_projection projection = projection_of_triangle(triangle, counters);
    if (projection.orientation == 0) {
        const double *first, *last;
        lexicographic_ends(triangle, 3, &first, &last);
        return point_on_segment(p, first, last, counters);
    }
    return hull_versus_triangle_in_plane(point, 1, triangle, projection, counters) != PLANAR_DISJOINT;
}

/* A collinear triangle, as the segment of its extreme corners, against a proper one that does not contain it in its
 * plane. */
static face_pair_kind segment_versus_triangle(const double *const segment[3],
                                              const struct triangle_sides *segment_sides,
                                              const double *const triangle[3], predicate_counters *counters)
{
    const double *first, *last;
    lexicographic_ends(segment, 3, &first, &last);
    for (int k = 0; k < 3; k++) { /* an end in the plane: the only point of the segment there */
        if (segment_sides->side[k] == 0 && (segment[k] == first || segment[k] == last)) {
            return point_in_triangle_closed(segment[k], triangle, counters) ? FACE_PAIR_TOUCHING : FACE_PAIR_NONE;
        }
    }
    if (!sides_straddle(segment_sides)) {
        return FACE_PAIR_NONE;
    }
    int sides = 0;
    for (int k = 0; k < 3; k++) {
        int side = orientation_3d_counted(first, last, triangle[k], triangle[k == 2 ? 0 : k + 1], counters);
        sides |= side > 0 ? 1 : side < 0 ? 2 : 4;
    }
    if ((sides & 3) == 3) {
        return FACE_PAIR_NONE;
    }
    return (sides & 4) != 0 ? FACE_PAIR_TOUCHING : FACE_PAIR_CROSSING;
}

/* A triangle with area and another one in its plane. */
static face_pair_kind coplanar_pair(const double *const area[3], struct plane_projection projection,
                                    const double *const other[3], predicate_counters *counters)
{
    planar_relation relation;
    if (orientation_2d_counted(other[0], other[1], other[2], projection.i, projection.j, counters) != 0) {
        relation = hull_versus_triangle_in_plane(other, 3, area, projection, counters);
    } else {
        const double *ends[2];
        lexicographic_ends(other, 3, &ends[0], &ends[1]);
        relation = hull_versus_triangle_in_plane(ends, 2, area, projection, counters);
    }
    return relation == PLANAR_OVERLAP    ? FACE_PAIR_COPLANAR
           : relation == PLANAR_TOUCHING ? FACE_PAIR_TOUCHING
                                         : FACE_PAIR_NONE;
}

/* a is collinear; b lies anywhere, and may be collinear too. */
static face_pair_kind collinear_pair(const double *const a[3], const double *const b[3], predicate_counters *counters)
{
    struct triangle_sides sides_a = sides_of_plane(b, a, counters);
    if (!sides_are_zero(&sides_a)) {
        return segment_versus_triangle(a, &sides_a, b, counters);
    }
    struct plane_projection projection = projection_of_triangle(b, counters);
    if (projection.orientation != 0) {
        return coplanar_pair(b, projection, a, counters);
    }
    const double *a_ends[2], *b_ends[2];
    lexicographic_ends(a, 3, &a_ends[0], &a_ends[1]);
    lexicographic_ends(b, 3, &b_ends[0], &b_ends[1]);
    return segments_meet(a_ends[0], a_ends[1], b_ends[0], b_ends[1], counters) ? FACE_PAIR_TOUCHING : FACE_PAIR_NONE;
}

/* A triangle on one side of the other's plane: only its corners in that plane can meet the other. */
static face_pair_kind touching_pair(const double *const one_sided[3], const struct triangle_sides *sides,
                                    const double *const other[3], predicate_counters *counters)
{
    const double *in_plane[3];
    int count = 0;
    for (int k = 0; k < 3; k++) {
        if (sides->side[k] == 0) {
            in_plane[count++] = one_sided[k];
        }
    }
    struct plane_projection projection = projection_of_triangle(other, counters);
    return hull_versus_triangle_in_plane(in_plane, count, other, projection, counters) == PLANAR_DISJOINT
               ? FACE_PAIR_NONE
               : FACE_PAIR_TOUCHING;
}

face_pair_kind triangle_versus_triangle(const double *const a[3], const double *const b[3],
                                        predicate_counters *counters)
{
    if (boxes_are_apart(a, 3, b, 3)) {
        return FACE_PAIR_NONE;
    }
    struct triangle_sides sides_b = sides_of_plane(a, b, counters);
    if (sides_are_strict(&sides_b)) {
        return FACE_PAIR_NONE;
    }
    if (sides_are_zero(&sides_b)) { /* one plane, or a does not span one */
        struct plane_projection projection = projection_of_triangle(a, counters);
        return projection.orientation != 0 ? coplanar_pair(a, projection, b, counters) : collinear_pair(a, b, counters);
    }
    struct triangle_sides sides_a = sides_of_plane(b, a, counters);
    if (sides_are_strict(&sides_a)) {
        return FACE_PAIR_NONE;
    }
    if (sides_are_zero(&sides_a)) { /* b is not in the plane of a, so it does not span one */
        return segment_versus_triangle(b, &sides_b, a, counters);
    }
    if (!sides_straddle(&sides_b)) {
        return touching_pair(b, &sides_b, a, counters);
    }
    if (!sides_straddle(&sides_a)) {
        return touching_pair(a, &sides_a, b, counters);
    }
    struct straddling_pair pair = arrange_straddling_pair(a, &sides_a, b, &sides_b);
    int first = orientation_3d_counted(pair.a[0], pair.a[1], pair.b[0], pair.b[1], counters);
    if (first > 0) {
        return FACE_PAIR_NONE;
    }
    int second = orientation_3d_counted(pair.a[0], pair.a[2], pair.b[0], pair.b[2], counters);
    if (second < 0) {
        return FACE_PAIR_NONE;
    }
    return first < 0 && second > 0 ? FACE_PAIR_CROSSING : FACE_PAIR_TOUCHING;
}

bool triangles_meet(const double *const a[3], const double *const b[3], predicate_counters *counters)
{
    return triangle_versus_triangle(a, b, counters) != FACE_PAIR_NONE;
}
