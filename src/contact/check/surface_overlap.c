/* What lies inside a closed surface y: cells and faces of x, once it is known where their vertices are.
 *
 * Where the surface y does not pass, its winding number does not change. So an open tetrahedron that no face of y meets
 * is inside or outside as a whole, and any of its corners that is not on y tells which; if all four are on y, a point
 * of its inside does.
 *
 * A face of x that y crosses has points inside y next to the crossing: the winding number changes by one there, so it
 * is not zero on one of the two sides. (Where y lies on itself the changes may cancel; a crossing still counts.) And
 * next to any point of a closed surface x there are points inside x, so a face of x with a point inside y proves that
 * the interiors meet. Conversely, a common part of the interiors has a boundary, and each piece of that boundary is a
 * piece of a face of one body inside the other, or a piece of two faces in one plane with the interiors on the same
 * side. The pieces of a face that y only touches end at corners of y or of the face, or where edges of both meet; they
 * are probed at exact means of such corners. Exact for crossing and coinciding faces, corners, whole faces; a piece of
 * a touched face that is cut out by edges of y alone, none of them with an end in the face, is not noticed by this face
 * (but may be by others).
 */
#include "contact/check/inside_test.h"
#include "contact/check/overlap_stages.h"
#include "contact/check/penetration_depth.h"

#include "geometry/predicates/orientation_predicates.h"
#include "geometry/predicates/tetrahedron_predicates.h"
#include "geometry/predicates/triangle_predicates.h"

/* ---- cells ------------------------------------------------------------------------------------------------------- */

/* A tetrahedron with all corners on y, its interior not met by y. */
static bool untouched_inside_is_in(const struct check_side *side, const double *const t[4], struct check_tally *tally)
{
    double centroid[3];
    for (int axis = 0; axis < 3; axis++) {
        centroid[axis] = (0.25 * t[0][axis] + 0.25 * t[1][axis]) + (0.25 * t[2][axis] + 0.25 * t[3][axis]);
    }
    if (vertex_in_tetrahedron(centroid, t[0], t[1], t[2], t[3], &tally->predicates)) {
        const double *p = centroid;
        return point_versus_closed_surface(side->y, &p, 1, tally) == VERTEX_INSIDE;
    }
    for (int k = 0; k < 4; k++) { /* so thin that rounding leaves it: its faces, as far as they are not on y */
        const double *face[3] = {t[(k + 1) & 3], t[(k + 2) & 3], t[(k + 3) & 3]};
        if (point_versus_closed_surface(side->y, face, 3, tally) == VERTEX_INSIDE) {
            return true;
        }
    }
    return false;
}

static bool tetrahedron_is_inside(const struct check_side *side, uint32_t tetrahedron, struct check_tally *tally)
{
    const double *t[4];
    tetrahedron_corners(side->x, tetrahedron, t);
    if (orientation_3d_counted(t[0], t[1], t[2], t[3], &tally->predicates) == 0) {
        return false;
    }
    for (int k = 0; k < 4; k++) {
        uint8_t slot = side->vertices[side->x->body->tetrahedra[tetrahedron][k]];
        if (slot != VERTEX_ON) {
            return slot == VERTEX_INSIDE;
        }
    }
    return untouched_inside_is_in(side, t, tally);
}

static void cells_in_surface(struct check_run *run, void *data, uint32_t begin, uint32_t end, struct check_tally *tally)
{
    struct check_side *side = data;
    (void)run;
    for (uint32_t cell = begin; cell < end; cell++) {
        uint32_t last, t = cell_tetrahedra(side->x->body, cell, &last);
        bool overlaps = side->elements[cell] & ELEMENT_IS_CUT;
        for (; t < last && !overlaps; t++) {
            overlaps = tetrahedron_is_inside(side, t, tally);
        }
        side->elements[cell] |= overlaps ? ELEMENT_OVERLAPS : 0;
    }
}

dent_status stage_cells_in_surface(struct check_run *run, struct check_side *side)
{
    return check_for_each(run, side->x->body->element_count, cells_in_surface, side);
}

/* ---- faces ------------------------------------------------------------------------------------------------------- */

/* The exact mean of some points of the face: inside y? Then its distance to y is a witness of depth. */
static bool probe(const struct check_side *side, const double *const points[], int count, struct check_tally *tally)
{
    if (point_versus_closed_surface(side->y, points, count, tally) != VERTEX_INSIDE) {
        return false;
    }
    double mean[3];
    for (int axis = 0; axis < 3; axis++) {
        mean[axis] = points[0][axis] / count;
        for (int k = 1; k < count; k++) {
            mean[axis] += points[k][axis] / count;
        }
    }
    tally_depth(tally, distance_to_surface(side->y, mean, NULL, tally->depth, tally), mean);
    return true;
}

static bool same_slot(const double p[3], const double q[3])
{
    return p[0] == q[0] && p[1] == q[1] && p[2] == q[2];
}

/* How many corners of the one are corners of the other. */
static int shared_corners(const double *const a[3], const double *const b[3])
{
    int count = 0;
    for (int k = 0; k < 9; k++) {
        count += same_slot(a[k / 3], b[k % 3]);
    }
    return count;
}

/* Means of corners of the face and of corners of a face of y that lie in it but not at its own corners. */
static bool probe_with_corners(const struct check_side *side, const double *const face[3], const double *const other[3],
                               struct check_tally *tally)
{
    const double *in_face[3];
    int n = 0;
    for (int k = 0; k < 3; k++) {
        bool at_corner = same_slot(other[k], face[0]) || same_slot(other[k], face[1]) || same_slot(other[k], face[2]);
        if (!at_corner && point_in_triangle_closed(other[k], face, &tally->predicates)) {
            in_face[n++] = other[k];
        }
    }
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < 3; k++) {
            const double *with_edge[3] = {in_face[i], face[k], face[(k + 1) % 3]};
            const double *with_corner[3] = {in_face[i], in_face[(i + 1) % n], face[k]};
            if (probe(side, with_edge, 3, tally) || (n > 1 && probe(side, with_corner, 3, tally))) {
                return true;
            }
        }
    }
    return false;
}

/* Two faces in one plane that share area, both of closed surfaces: are the interiors on the same side? */
static bool interiors_on_same_side(const struct check_side *side, uint32_t face, uint32_t other,
                                   struct check_tally *tally)
{
    const struct check_body *x = side->x, *y = side->y;
    int mine[2], theirs[2];
    if (!windings_beside_face(x, face, mine, tally) || !windings_beside_face(y, other, theirs, tally)) {
        return false;
    }
    /* Same direction of the two normals: any point outside the plane sees both faces turn alike. */
    const double *a[3], *b[3];
    face_corners(x, face, a);
    face_corners(y, other, b);
    int turn = 0;
    for (int axis = 0; axis < 3 && turn == 0; axis++) {
        turn = orientation_2d_counted(a[0], a[1], a[2], (axis + 1) % 3, (axis + 2) % 3, &tally->predicates) *
               orientation_2d_counted(b[0], b[1], b[2], (axis + 1) % 3, (axis + 2) % 3, &tally->predicates);
    }
    bool alike = turn > 0;
    return (mine[0] != 0 && theirs[alike ? 0 : 1] != 0) || (mine[1] != 0 && theirs[alike ? 1 : 0] != 0);
}

/* Does the face coincide with faces of y, with the interiors on the same side? *whole: one of them is the same
 * triangle, so that no other part of the face is left. */
static bool coinciding_face_overlaps(const struct check_side *side, uint32_t face, bool *whole,
                                     struct check_tally *tally)
{
    const double *a[3], *b[3];
    struct box_walk walk;
    struct box box;
    uint32_t other;
    bool found = false;
    *whole = false;
    face_corners(side->x, face, a);
    box_around(&box, side->x->xyz, side->x->surface[face].corners, 3);
    box_walk_begin(&walk, &side->y->faces, &box);
    while (!found && box_walk_next(&walk, &other)) {
        face_corners(side->y, other, b);
        if (triangle_versus_triangle(a, b, &tally->predicates) == FACE_PAIR_COPLANAR) {
            *whole |= shared_corners(a, b) == 3;
            found = side->x->closed && interiors_on_same_side(side, face, other, tally);
        }
    }
    tally_walk(tally, &walk);
    return found;
}

/* Does a part of a face that y touches but does not cross, no corner inside y, lie inside y? */
static bool part_of_face_is_inside(const struct check_side *side, uint32_t face, struct check_tally *tally)
{
    const double *a[3], *b[3];
    struct box_walk walk;
    struct box box;
    uint32_t other;
    face_corners(side->x, face, a);
    bool found = probe(side, a, 3, tally);
    for (int k = 0; k < 3 && !found; k++) {
        const double *edge[2] = {a[k], a[(k + 1) % 3]};
        found = probe(side, edge, 2, tally);
    }
    box_around(&box, side->x->xyz, side->x->surface[face].corners, 3);
    box_walk_begin(&walk, &side->y->faces, &box);
    while (!found && box_walk_next(&walk, &other)) {
        face_corners(side->y, other, b);
        found = triangles_meet(a, b, &tally->predicates) && probe_with_corners(side, a, b, tally);
    }
    tally_walk(tally, &walk);
    return found;
}

static void faces_in_surface(struct check_run *run, void *data, uint32_t begin, uint32_t end, struct check_tally *tally)
{
    struct check_side *side = data;
    (void)run;
    for (uint32_t face = begin; face < end; face++) {
        const uint32_t *v = side->x->surface[face].corners;
        bool overlaps = side->faces[face] & FACE_CROSSES;
        for (int k = 0; k < 3; k++) {
            overlaps |= side->vertices[v[k]] == VERTEX_INSIDE;
        }
        bool whole = false;
        if (!overlaps && (side->faces[face] & FACE_COINCIDES)) {
            overlaps = coinciding_face_overlaps(side, face, &whole, tally);
        }
        if (!overlaps && !whole && (side->faces[face] & FACE_TOUCHES)) {
            overlaps = part_of_face_is_inside(side, face, tally);
        }
        side->elements[face] |= overlaps ? ELEMENT_OVERLAPS : 0;
    }
}

dent_status stage_faces_in_surface(struct check_run *run, struct check_side *side)
{
    return check_for_each(run, side->x->surface_count, faces_in_surface, side);
}
