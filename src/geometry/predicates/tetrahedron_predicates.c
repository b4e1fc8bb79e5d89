/* Points, triangles and tetrahedra against a tetrahedron, by orientation signs.
 *
 * A proper triangle T is compared with a proper tetrahedron in the plane of T: the plane cuts the tetrahedron in a
 * convex polygon Q whose edge lines lie in the tetrahedron's face planes and whose corners lie on its edges. Two
 * polygons with area are separated by a line through an edge of one of them, so everything is decided by
 *   - the sides of T's corners of the four face planes (lines of Q against T),
 *   - the sides of the tetrahedron's corners of T's plane (is there a Q with area at all?),
 *   - for each edge of T, the sides of Q's corners of it: one orientation of two corners of each.
 * Weak separation excludes the interior, strict separation excludes touching. Segments are compared in the plane
 * across them. Flat tetrahedra have no interior; they touch where one of their four triangles does.
 */
#include "geometry/predicates/tetrahedron_predicates.h"

#include "geometry/predicates/hull_predicates.h"
#include "geometry/predicates/orientation_predicates.h"
#include "geometry/predicates/triangle_predicates.h"
#include "geometry/predicates/triangle_tetrahedron_filter.h"

/* Orientation with corner k of the tetrahedron moved to p: has the tetrahedron's own sign iff p is on the inner side
 * of the face opposite corner k. */
static inline int orientation_with_corner_moved(const double *const tetrahedron[4], int corner, const double p[3],
                                                predicate_counters *counters)
{
    switch (corner) {
    case 0:
        return orientation_3d_counted(p, tetrahedron[1], tetrahedron[2], tetrahedron[3], counters);
    case 1:
        return orientation_3d_counted(tetrahedron[0], p, tetrahedron[2], tetrahedron[3], counters);
    case 2:
        return orientation_3d_counted(tetrahedron[0], tetrahedron[1], p, tetrahedron[3], counters);
    default:
        return orientation_3d_counted(tetrahedron[0], tetrahedron[1], tetrahedron[2], p, counters);
    }
}

/* The corners of the face opposite corner k. */
static void face_of_tetrahedron(const double *const tetrahedron[4], int corner, const double *face[3])
{
    for (int k = 0, n = 0; k < 4; k++) {
        if (k != corner) {
            face[n++] = tetrahedron[k];
        }
    }
}

/* The four orientations add up to that of the tetrahedron, so if all have one sign it is its sign. */
bool vertex_in_tetrahedron(const double p[3], const double t0[3], const double t1[3], const double t2[3],
                           const double t3[3], predicate_counters *counters)
{
    int sign = orientation_3d_counted(p, t1, t2, t3, counters);
    return sign != 0 && orientation_3d_counted(t0, p, t2, t3, counters) == sign &&
           orientation_3d_counted(t0, t1, p, t3, counters) == sign &&
           orientation_3d_counted(t0, t1, t2, p, counters) == sign;
}

/* The hull of four points in one plane is the union of the four triangles. */
static bool point_in_flat_tetrahedron(const double p[3], const double *const tetrahedron[4],
                                      predicate_counters *counters)
{
    for (int corner = 0; corner < 4; corner++) {
        const double *face[3];
        face_of_tetrahedron(tetrahedron, corner, face);
        if (point_in_triangle_closed(p, face, counters)) {
            return true;
        }
    }
    return false;
}

point_relation point_versus_tetrahedron(const double p[3], const double t0[3], const double t1[3], const double t2[3],
                                        const double t3[3], predicate_counters *counters)
{
    const double *const tetrahedron[4] = {t0, t1, t2, t3};
    int sign = orientation_3d_counted(t0, t1, t2, t3, counters);
    if (sign == 0) {
        return point_in_flat_tetrahedron(p, tetrahedron, counters) ? POINT_BOUNDARY : POINT_OUTSIDE;
    }
    point_relation relation = POINT_INTERIOR;
    for (int corner = 0; corner < 4; corner++) {
        int side = orientation_with_corner_moved(tetrahedron, corner, p, counters);
        if (side == -sign) {
            return POINT_OUTSIDE;
        }
        relation = side == 0 ? POINT_BOUNDARY : relation;
    }
    return relation;
}

/* How a set of points lies to the four face planes of a proper tetrahedron. */
struct face_plane_sides {
    bool strictly_apart; /* some plane has all points strictly outside */
    bool weakly_apart;   /* some plane has all points outside or on it */
    bool corner_inside;  /* some point is strictly inside all planes */
};

/* With `interior_only` it stops at the first plane that separates weakly. */
static struct face_plane_sides sides_of_face_planes(const double *const points[], int count,
                                                    const double *const tetrahedron[4], int sign, bool interior_only,
                                                    predicate_counters *counters)
{
    struct face_plane_sides sides = {false, false, false};
    unsigned inside = (1u << count) - 1;
    for (int corner = 0; corner < 4; corner++) {
        bool any_inner = false, any_on = false;
        for (int k = 0; k < count; k++) {
            int side = orientation_with_corner_moved(tetrahedron, corner, points[k], counters);
            any_inner |= side == sign;
            any_on |= side == 0;
            inside &= side == sign ? ~0u : ~(1u << k);
        }
        if (!any_inner) {
            sides.weakly_apart = true;
            sides.strictly_apart |= !any_on;
            if (interior_only || sides.strictly_apart) {
                return sides;
            }
        }
    }
    sides.corner_inside = inside != 0;
    return sides;
}

/* The corners of the cut Q of a tetrahedron with the plane of a triangle (side[k]: of the tetrahedron's corners, on
 * both sides strictly) against the triangle's edge from u to v: bit 1 some inside, bit 2 some on the line. A corner
 * of the cut lies on the edge from an upper corner to a lower one, and is inside iff orientation(u, v, lower, upper)
 * > 0; a corner in the plane plays the part of the lower end with any upper corner. */
enum { CUT_INSIDE = 1, CUT_ON_LINE = 2 };

static int cut_versus_edge(const double u[3], const double v[3], const double *const tetrahedron[4], const int side[4],
                           predicate_counters *counters)
{
    int found = 0;
    for (int lower = 0; lower < 4; lower++) {
        for (int upper = 0; upper < 4 && side[lower] <= 0; upper++) {
            if (side[upper] <= 0) {
                continue;
            }
            int where = orientation_3d_counted(u, v, tetrahedron[lower], tetrahedron[upper], counters);
            found |= where > 0 ? CUT_INSIDE : where == 0 ? CUT_ON_LINE : 0;
            if (found & CUT_INSIDE) {
                return found;
            }
            if (side[lower] == 0) {
                break; /* every upper corner says the same */
            }
        }
    }
    return found;
}

/* The line through two different points passes through the open tetrahedron. Seen along the line the tetrahedron is
 * the hull of four points and the line a point o; o is in the interior of the hull iff no line through o and a
 * corner apart from o has all corners weakly on one side. */
static bool line_meets_open_tetrahedron(const double p[3], const double q[3], const double *const tetrahedron[4],
                                        predicate_counters *counters)
{
    int turn[4][4] = {{0}};
    for (int i = 0; i < 4; i++) {
        for (int j = i + 1; j < 4; j++) {
            turn[i][j] = orientation_3d_counted(p, q, tetrahedron[i], tetrahedron[j], counters);
            turn[j][i] = -turn[i][j];
        }
    }
    for (int i = 0; i < 4; i++) {
        bool left = false, right = false;
        for (int j = 0; j < 4; j++) {
            left |= turn[i][j] > 0;
            right |= turn[i][j] < 0;
        }
        if (left != right) {
            return false;
        }
    }
    return true;
}

/* A collinear triangle. If its line passes through the interior, the part of the line outside it on either side lies
 * behind one face plane: so the segment misses it iff one face plane has both ends weakly outside. */
static bool segment_meets_open_tetrahedron(const double *const triangle[3], const double *const tetrahedron[4],
                                           int sign, predicate_counters *counters)
{
    const double *ends[2];
    lexicographic_ends(triangle, 3, &ends[0], &ends[1]);
    struct face_plane_sides sides = sides_of_face_planes(ends, 2, tetrahedron, sign, true, counters);
    if (sides.weakly_apart || sides.corner_inside) {
        return sides.corner_inside;
    }
    /* A mere point has been decided above. */
    return line_meets_open_tetrahedron(ends[0], ends[1], tetrahedron, counters);
}

static bool triangle_meets_face_of_tetrahedron(const double *const triangle[3], const double *const tetrahedron[4],
                                               predicate_counters *counters)
{
    for (int corner = 0; corner < 4; corner++) {
        const double *face[3];
        face_of_tetrahedron(tetrahedron, corner, face);
        if (triangles_meet(triangle, face, counters)) {
            return true;
        }
    }
    return false;
}

/* What the corners of a tetrahedron say about the plane of a triangle. */
struct plane_cut {
    int side[4];
    bool above, below, on;
};

static struct plane_cut cut_by_plane(const double *const triangle[3], const double *const tetrahedron[4],
                                     predicate_counters *counters)
{
    struct plane_cut cut = {{0}, false, false, false};
    for (int k = 0; k < 4; k++) {
        cut.side[k] = orientation_3d_counted(triangle[0], triangle[1], triangle[2], tetrahedron[k], counters);
        cut.above |= cut.side[k] > 0;
        cut.below |= cut.side[k] < 0;
        cut.on |= cut.side[k] == 0;
    }
    return cut;
}

/* A plane that does not cut the interior contains at most a corner, an edge or a face. */
static overlap_relation triangle_versus_corners_in_plane(const double *const triangle[3],
                                                         const double *const tetrahedron[4],
                                                         const struct plane_cut *cut, predicate_counters *counters)
{
    const double *in_plane[4];
    int count = 0;
    for (int k = 0; k < 4; k++) {
        if (cut->side[k] == 0) {
            in_plane[count++] = tetrahedron[k];
        }
    }
    if (count == 0) {
        return OVERLAP_NONE;
    }
    struct plane_projection projection = projection_of_triangle(triangle, counters);
    return hull_versus_triangle_in_plane(in_plane, count, triangle, projection, counters) == PLANAR_DISJOINT
               ? OVERLAP_NONE
               : OVERLAP_TOUCHING;
}

overlap_relation triangle_versus_tetrahedron(const double *const triangle[3], const double *const tetrahedron[4],
                                             predicate_counters *counters)
{
    if (boxes_are_apart(triangle, 3, tetrahedron, 4)) {
        return OVERLAP_NONE;
    }
    int sign = orientation_3d_counted(tetrahedron[0], tetrahedron[1], tetrahedron[2], tetrahedron[3], counters);
    if (sign == 0) {
        return triangle_meets_face_of_tetrahedron(triangle, tetrahedron, counters) ? OVERLAP_TOUCHING : OVERLAP_NONE;
    }
    struct face_plane_sides sides = sides_of_face_planes(triangle, 3, tetrahedron, sign, false, counters);
    if (sides.strictly_apart) {
        return OVERLAP_NONE;
    }
    if (sides.corner_inside) {
        return OVERLAP_INTERIOR;
    }
    struct plane_cut cut = cut_by_plane(triangle, tetrahedron, counters);
    if (!cut.above && !cut.below) { /* four points in space cannot all be in a plane: the triangle is collinear */
        if (segment_meets_open_tetrahedron(triangle, tetrahedron, sign, counters)) {
            return OVERLAP_INTERIOR;
        }
        return triangle_meets_face_of_tetrahedron(triangle, tetrahedron, counters) ? OVERLAP_TOUCHING : OVERLAP_NONE;
    }
    if (!cut.above || !cut.below) {
        return triangle_versus_corners_in_plane(triangle, tetrahedron, &cut, counters);
    }
    overlap_relation relation = sides.weakly_apart ? OVERLAP_TOUCHING : OVERLAP_INTERIOR;
    for (int k = 0; k < 3; k++) {
        int found = cut_versus_edge(triangle[k], triangle[k == 2 ? 0 : k + 1], tetrahedron, cut.side, counters);
        if (found == 0) {
            return OVERLAP_NONE;
        }
        relation = (found & CUT_INSIDE) == 0 ? OVERLAP_TOUCHING : relation;
    }
    return relation;
}

/* All four face planes have a corner of the triangle strictly inside, and no corner is inside all of them: what is
 * left is the cut with the triangle's plane. */
static bool cut_meets_triangle(const double *const triangle[3], const double *const tetrahedron[4],
                               predicate_counters *counters)
{
    struct plane_cut cut;
    if (filter_plane_cut(triangle, tetrahedron, cut.side)) {
        cut.above = cut.side[0] > 0 || cut.side[1] > 0 || cut.side[2] > 0 || cut.side[3] > 0;
        cut.below = cut.side[0] < 0 || cut.side[1] < 0 || cut.side[2] < 0 || cut.side[3] < 0;
    } else {
        cut = cut_by_plane(triangle, tetrahedron, counters);
    }
    if (!cut.above && !cut.below) {
        int sign = orientation_3d_counted(tetrahedron[0], tetrahedron[1], tetrahedron[2], tetrahedron[3], counters);
        return segment_meets_open_tetrahedron(triangle, tetrahedron, sign, counters);
    }
    if (!cut.above || !cut.below) {
        return false;
    }
    for (int k = 0; k < 3; k++) {
        int found = cut_versus_edge(triangle[k], triangle[k == 2 ? 0 : k + 1], tetrahedron, cut.side, counters);
        if ((found & CUT_INSIDE) == 0) {
            return false;
        }
    }
    return true;
}

/* The open tetrahedron of known, nonzero sign. */
static bool triangle_meets_interior(const double *const triangle[3], const double *const tetrahedron[4], int sign,
                                    predicate_counters *counters)
{
    struct face_plane_sides sides = sides_of_face_planes(triangle, 3, tetrahedron, sign, true, counters);
    if (sides.weakly_apart || sides.corner_inside) {
        return sides.corner_inside;
    }
    return cut_meets_triangle(triangle, tetrahedron, counters);
}

bool triangle_meets_open_tetrahedron(const double *const triangle[3], const double *const tetrahedron[4],
                                     predicate_counters *counters)
{
    if (boxes_are_apart(triangle, 3, tetrahedron, 4)) {
        return false;
    }
    switch (filter_face_planes(triangle, tetrahedron)) {
    case FILTER_APART:
        return false;
    case FILTER_INSIDE:
        return true;
    case FILTER_NOT_SEPARATED:
        return cut_meets_triangle(triangle, tetrahedron, counters);
    case FILTER_UNKNOWN:
        break;
    }
    int sign = orientation_3d_counted(tetrahedron[0], tetrahedron[1], tetrahedron[2], tetrahedron[3], counters);
    return sign != 0 && triangle_meets_interior(triangle, tetrahedron, sign, counters);
}

static bool any_face_meets_interior(const double *const a[4], const double *const b[4], int sign_b,
                                    predicate_counters *counters)
{
    for (int corner = 0; corner < 4; corner++) {
        const double *face[3];
        face_of_tetrahedron(a, corner, face);
        if (triangle_meets_interior(face, b, sign_b, counters)) {
            return true;
        }
    }
    return false;
}

static bool same_corners(const double *const a[4], const double *const b[4])
{
    for (int i = 0; i < 4; i++) {
        bool found = false;
        for (int j = 0; j < 4; j++) {
            found |= compare_points(a[i], b[j]) == 0;
        }
        if (!found) {
            return false;
        }
    }
    return true;
}

/* If the interiors meet and no face of either meets the interior of the other, each interior contains the other. */
bool tetrahedra_interiors_meet(const double *const a[4], const double *const b[4], predicate_counters *counters)
{
    if (boxes_are_apart(a, 4, b, 4)) {
        return false;
    }
    int sign_a = orientation_3d_counted(a[0], a[1], a[2], a[3], counters);
    int sign_b = orientation_3d_counted(b[0], b[1], b[2], b[3], counters);
    if (sign_a == 0 || sign_b == 0) {
        return false;
    }
    struct face_plane_sides sides = sides_of_face_planes(b, 4, a, sign_a, true, counters);
    if (sides.weakly_apart || sides.corner_inside) {
        return sides.corner_inside;
    }
    sides = sides_of_face_planes(a, 4, b, sign_b, true, counters);
    if (sides.weakly_apart || sides.corner_inside) {
        return sides.corner_inside;
    }
    return any_face_meets_interior(a, b, sign_b, counters) || any_face_meets_interior(b, a, sign_a, counters) ||
           same_corners(a, b);
}
