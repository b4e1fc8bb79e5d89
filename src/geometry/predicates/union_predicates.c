/* Points and triangles against a union of closed tetrahedra.
 *
 * What is inside an open tetrahedron is inside the union; what is in no closed one is outside. What remains lies on
 * faces of tetrahedra, and whether it is interior depends on what surrounds it: near a point of it each proper
 * tetrahedron is a cone of the half-spaces of its faces through that point, and the point is interior iff these
 * cones cover all of space (cone_cover.c). Flat tetrahedra cannot fill a gap, because what closed sets leave
 * uncovered is open.
 *
 * The interior is open, so a triangle with area that meets it meets it at almost every point of a piece of the
 * triangle, and if it meets no open tetrahedron that piece lies in faces of tetrahedra on both sides of its plane.
 * Likewise a segment meets it along a piece of the segment, on which the surrounding faces do not change.
 */
#include "geometry/predicates/union_predicates.h"

#include "base/dent_assert.h"
#include "geometry/predicates/cone_cover.h"
#include "geometry/predicates/hull_predicates.h"
#include "geometry/predicates/orientation_predicates.h"
#include "geometry/predicates/tetrahedron_predicates.h"
#include "geometry/numbers/wide_determinants.h"

/* A face of one of the tetrahedra, and on which side of it (as its three corners are given) the tetrahedron lies. */
struct union_face {
    const double *corner[3];
    int inner_side;
};

/* The face opposite a corner of a proper tetrahedron. */
static struct union_face face_of(const double *const tetrahedron[4], int corner, predicate_counters *counters)
{
    struct union_face face = {{0}, 0};
    for (int k = 0, n = 0; k < 4; k++) {
        if (k != corner) {
            face.corner[n++] = tetrahedron[k];
        }
    }
    face.inner_side =
        orientation_3d_counted(face.corner[0], face.corner[1], face.corner[2], tetrahedron[corner], counters);
    return face;
}

static int side_of_face(const struct union_face *face, const double p[3], predicate_counters *counters)
{
    return face->inner_side * orientation_3d_counted(face->corner[0], face->corner[1], face->corner[2], p, counters);
}

static void add_face_to_cone(struct open_cone *cone, struct plane_set *planes, const struct union_face *face)
{
    cone->plane[cone->count] = plane_set_add(planes, face->corner);
    cone->side[cone->count++] = face->inner_side;
}

/* The cone of a proper tetrahedron at a point of its boundary. */
static struct open_cone cone_at_point(const double p[3], const double *const tetrahedron[4], struct plane_set *planes,
                                      predicate_counters *counters)
{
    struct open_cone cone = {0, {0}, {0}};
    for (int corner = 0; corner < 4; corner++) {
        struct union_face face = face_of(tetrahedron, corner, counters);
        if (side_of_face(&face, p, counters) == 0) {
            add_face_to_cone(&cone, planes, &face);
        }
    }
    return cone;
}

static bool is_proper(const double *const t[4], predicate_counters *counters)
{
    return orientation_3d_counted(t[0], t[1], t[2], t[3], counters) != 0;
}

/* Some plane through p that bounds one of the tetrahedra has all of them on one side: then p is on the boundary. The
 * usual case for the faces of a convex cell, decided without cones. */
static bool is_supported(const double *const tetrahedra[][4], const int touched[], int touched_count, const double p[3],
                         predicate_counters *counters)
{
    for (int n = 0; n < touched_count; n++) {
        for (int corner = 0; corner < 4; corner++) {
            struct union_face face = face_of(tetrahedra[touched[n]], corner, counters);
            bool supports = side_of_face(&face, p, counters) == 0;
            for (int m = 0; m < touched_count && supports; m++) {
                for (int k = 0; k < 4 && supports; k++) {
                    supports = side_of_face(&face, tetrahedra[touched[m]][k], counters) >= 0;
                }
            }
            if (supports) {
                return true;
            }
        }
    }
    return false;
}

point_relation point_versus_tetrahedra_union(const double p[3], const double *const tetrahedra[][4], int count,
                                             predicate_counters *counters)
{
    DENT_ASSERT(count <= UNION_TETRAHEDRA_MAX);
    int touched[UNION_TETRAHEDRA_MAX], touched_count = 0;
    point_relation relation = POINT_OUTSIDE;
    for (int n = 0; n < count; n++) {
        const double *const *t = tetrahedra[n];
        point_relation one = point_versus_tetrahedron(p, t[0], t[1], t[2], t[3], counters);
        if (one == POINT_INTERIOR) {
            return POINT_INTERIOR;
        }
        if (one == POINT_BOUNDARY) {
            relation = POINT_BOUNDARY;
            if (is_proper(t, counters)) {
                touched[touched_count++] = n;
            }
        }
    }
    if (touched_count < 2 || is_supported(tetrahedra, touched, touched_count, p, counters)) {
        return relation;
    }
    counters->exact_fallbacks++;
    struct plane_set planes;
    struct open_cone cones[UNION_TETRAHEDRA_MAX];
    plane_set_begin(&planes);
    for (int n = 0; n < touched_count; n++) {
        cones[n] = cone_at_point(p, tetrahedra[touched[n]], &planes, counters);
    }
    return cones_cover_space(cones, touched_count, &planes) ? POINT_INTERIOR : POINT_BOUNDARY;
}

/* ---- triangles with area: faces on both sides of the triangle's plane ------------------------------------------ */

/* Adds the three edge lines of a triangle, projected, to a cone: a point (x, y) of the plane is the ray
 * through (x, y, 1), and a line the plane through the origin that contains it. False when nothing is left. */
static bool add_triangle_to_cone(struct open_cone *cone, struct plane_set *planes, const double *const triangle[3],
                                 struct plane_projection projection, double storage[3][3], predicate_counters *counters)
{
    static const double origin[3] = {0.0, 0.0, 0.0};
    int orientation =
        orientation_2d_counted(triangle[0], triangle[1], triangle[2], projection.i, projection.j, counters);
    for (int k = 0; k < 3; k++) {
        storage[k][0] = triangle[k][projection.i];
        storage[k][1] = triangle[k][projection.j];
        storage[k][2] = 1.0;
    }
    for (int k = 0; k < 3; k++) {
        const double *const line[3] = {origin, storage[k], storage[k == 2 ? 0 : k + 1]};
        if (!open_cone_add(cone, planes, plane_set_add(planes, line), orientation)) {
            return false;
        }
    }
    return true;
}

static bool same_face(const struct union_face *a, const struct union_face *b)
{
    for (int i = 0; i < 3; i++) {
        bool found = false;
        for (int j = 0; j < 3; j++) {
            found |= compare_points(a->corner[i], b->corner[j]) == 0;
        }
        if (!found) {
            return false;
        }
    }
    return true;
}

/* Three triangles of one plane have common area. */
static bool triangles_share_area(const double *const triangle[3], const struct union_face *a,
                                 const struct union_face *b, struct plane_projection projection,
                                 predicate_counters *counters)
{
    if (hull_versus_triangle_in_plane(a->corner, 3, triangle, projection, counters) != PLANAR_OVERLAP ||
        hull_versus_triangle_in_plane(b->corner, 3, triangle, projection, counters) != PLANAR_OVERLAP) {
        return false;
    }
    if (same_face(a, b)) {
        return true;
    }
    counters->exact_fallbacks++;
    struct plane_set planes;
    struct open_cone common = {0, {0}, {0}};
    double storage[3][3][3];
    plane_set_begin(&planes);
    return add_triangle_to_cone(&common, &planes, triangle, projection, storage[0], counters) &&
           add_triangle_to_cone(&common, &planes, a->corner, projection, storage[1], counters) &&
           add_triangle_to_cone(&common, &planes, b->corner, projection, storage[2], counters);
}

static bool area_meets_inner_faces(const double *const triangle[3], struct plane_projection projection,
                                   const double *const tetrahedra[][4], int count, predicate_counters *counters)
{
    struct union_face above[UNION_TETRAHEDRA_MAX], below[UNION_TETRAHEDRA_MAX];
    int above_count = 0, below_count = 0;
    for (int n = 0; n < count; n++) {
        int off_plane = -1, off_plane_count = 0, side = 0;
        for (int k = 0; k < 4; k++) {
            int where = orientation_3d_counted(triangle[0], triangle[1], triangle[2], tetrahedra[n][k], counters);
            if (where != 0) {
                off_plane = k;
                off_plane_count++;
                side = where;
            }
        }
        if (off_plane_count == 1 && is_proper(tetrahedra[n], counters)) {
            struct union_face face = face_of(tetrahedra[n], off_plane, counters);
            if (side > 0) {
                above[above_count++] = face;
            } else {
                below[below_count++] = face;
            }
        }
    }
    for (int i = 0; i < above_count; i++) {
        for (int j = 0; j < below_count; j++) {
            if (triangles_share_area(triangle, &above[i], &below[j], projection, counters)) {
                return true;
            }
        }
    }
    return false;
}

/* ---- segments: pieces on which the surrounding faces do not change --------------------------------------------- */

/* What a tetrahedron with faces along the segment's line keeps of the segment: from the largest lower bound to the
 * smallest upper one. A bound is where the segment, from p (t = 0) to q (t = 1), crosses the plane of a face. */
struct segment_bound {
    struct union_face face;
    bool is_lower;
};

struct segment_tetrahedron {
    struct union_face along[2]; /* faces whose planes contain the segment */
    int along_count;
    struct segment_bound bounds[4];
    int bound_count;
};

struct segment_ends {
    const double *p, *q;
};

/* False when the tetrahedron has no piece of the segment, of any length, on its boundary. */
static bool describe_along_segment(const double *const tetrahedron[4], struct segment_ends ends,
                                   struct segment_tetrahedron *described, predicate_counters *counters)
{
    described->along_count = 0;
    described->bound_count = 0;
    for (int corner = 0; corner < 4; corner++) {
        struct union_face face = face_of(tetrahedron, corner, counters);
        int at_p = side_of_face(&face, ends.p, counters), at_q = side_of_face(&face, ends.q, counters);
        if (at_p == 0 && at_q == 0) {
            if (described->along_count < 2) {
                described->along[described->along_count++] = face;
            }
        } else if (at_p <= 0 && at_q <= 0) {
            return false;
        } else if (at_p < 0 || at_q < 0) {
            described->bounds[described->bound_count++] = (struct segment_bound){face, at_p < 0};
        }
    }
    return described->along_count > 0;
}

/* Volumes of a face with the two ends of the segment: the bound is at |p| / (|p| + |q|). */
static void bound_volumes(const struct union_face *face, struct segment_ends ends, struct wide_integer *at_p,
                          struct wide_integer *at_q)
{
    const double *const with_p[4] = {face->corner[0], face->corner[1], face->corner[2], ends.p};
    const double *const with_q[4] = {face->corner[0], face->corner[1], face->corner[2], ends.q};
    struct axis_scale scale = axis_scale_of_nothing();
    axis_scale_include(&scale, with_p, 4);
    axis_scale_include(&scale, with_q, 4);
    wide_orientation_3d(at_p, with_p, &scale);
    wide_orientation_3d(at_q, with_q, &scale);
    at_p->sign = at_p->sign != 0;
    at_q->sign = at_q->sign != 0;
}

/* Sign of (place of a - place of b) on the segment. A null bound stands for the end p. */
static int compare_bounds(const struct segment_bound *a, const struct segment_bound *b, struct segment_ends ends)
{
    if (a == 0 || b == 0) {
        return (a != 0) - (b != 0); /* bounds are strictly between the ends */
    }
    struct wide_integer a_p, a_q, b_p, b_q, difference;
    bound_volumes(&a->face, ends, &a_p, &a_q);
    bound_volumes(&b->face, ends, &b_p, &b_q);
    wide_determinant_2(&difference, &a_p, &a_q, &b_p, &b_q);
    return difference.sign;
}

/* Just after `start` the tetrahedron still has (already has) the segment on its boundary. */
static bool holds_after(const struct segment_tetrahedron *tetrahedron, const struct segment_bound *start,
                        struct segment_ends ends)
{
    for (int k = 0; k < tetrahedron->bound_count; k++) {
        int order = compare_bounds(&tetrahedron->bounds[k], start, ends);
        if (tetrahedron->bounds[k].is_lower ? order > 0 : order <= 0) {
            return false;
        }
    }
    return true;
}

/* The cones around a point just after `start` cover space. */
static bool is_covered_after(const struct segment_tetrahedron described[], int count, const struct segment_bound *start,
                             struct segment_ends ends)
{
    struct plane_set planes;
    struct open_cone cones[UNION_TETRAHEDRA_MAX];
    int cone_count = 0;
    plane_set_begin(&planes);
    for (int n = 0; n < count; n++) {
        if (holds_after(&described[n], start, ends)) {
            struct open_cone cone = {0, {0}, {0}};
            for (int k = 0; k < described[n].along_count; k++) {
                add_face_to_cone(&cone, &planes, &described[n].along[k]);
            }
            cones[cone_count++] = cone;
        }
    }
    return cone_count >= 2 && cones_cover_space(cones, cone_count, &planes);
}

/* A piece that ends at an upper bound has more tetrahedra before its end than after: only pieces that begin at p or
 * at a lower bound need be looked at. */
static bool segment_meets_inner_faces(struct segment_ends ends, const double *const tetrahedra[][4], int count,
                                      predicate_counters *counters)
{
    struct segment_tetrahedron described[UNION_TETRAHEDRA_MAX];
    int described_count = 0;
    for (int n = 0; n < count; n++) {
        if (is_proper(tetrahedra[n], counters) &&
            describe_along_segment(tetrahedra[n], ends, &described[described_count], counters)) {
            described_count++;
        }
    }
    if (described_count < 2) {
        return false;
    }
    counters->exact_fallbacks++;
    if (is_covered_after(described, described_count, 0, ends)) {
        return true;
    }
    for (int n = 0; n < described_count; n++) {
        for (int k = 0; k < described[n].bound_count; k++) {
            if (described[n].bounds[k].is_lower &&
                is_covered_after(described, described_count, &described[n].bounds[k], ends)) {
                return true;
            }
        }
    }
    return false;
}

overlap_relation triangle_versus_tetrahedra_union(const double *const triangle[3], const double *const tetrahedra[][4],
                                                  int count, predicate_counters *counters)
{
    DENT_ASSERT(count <= UNION_TETRAHEDRA_MAX);
    int touched = 0;
    for (int n = 0; n < count; n++) {
        overlap_relation one = triangle_versus_tetrahedron(triangle, tetrahedra[n], counters);
        if (one == OVERLAP_INTERIOR) {
            return OVERLAP_INTERIOR;
        }
        touched += one == OVERLAP_TOUCHING;
    }
    if (touched < 2) {
        return touched == 0 ? OVERLAP_NONE : OVERLAP_TOUCHING;
    }
    bool interior;
    struct plane_projection projection = projection_of_triangle(triangle, counters);
    if (projection.orientation != 0) {
        interior = area_meets_inner_faces(triangle, projection, tetrahedra, count, counters);
    } else {
        struct segment_ends ends;
        lexicographic_ends(triangle, 3, &ends.p, &ends.q);
        if (compare_points(ends.p, ends.q) == 0) {
            interior = point_versus_tetrahedra_union(ends.p, tetrahedra, count, counters) == POINT_INTERIOR;
        } else {
            interior = segment_meets_inner_faces(ends, tetrahedra, count, counters);
        }
    }
    return interior ? OVERLAP_INTERIOR : OVERLAP_TOUCHING;
}
