/* Depth for pairs that penetrate although no vertex and no centroid of an element lies inside and no surface faces
 * cross: bodies whose surfaces run along one another.
 *
 * The shortest translation that parts two overlapping tetrahedra (or a tetrahedron and a face of a surface in it),
 * found among the directions that can part convex bodies (normals of faces, products of edges). Parting two parts is
 * less than parting the bodies, so the largest is a lower bound.
 */
#include "contact/check/penetration_depth.h"

#include <float.h>
#include <math.h>

#include "geometry/numbers/vector3.h"
#include "geometry/predicates/tetrahedron_predicates.h"
#include "query/pairs/pair_tests.h"

/* ---- two tetrahedra ---------------------------------------------------------------------------------------------- */

/* How far the two must move along the direction to part, or `so_far` when that is less or the direction is nothing. */
static double parting_along(const double direction[3], const double (*a)[3], const double (*b)[3], double so_far)
{
    double length = sqrt(vector_dot(direction, direction));
    if (!(length > 0) || !(length < DBL_MAX)) {
        return so_far;
    }
    double a_lo = DBL_MAX, a_hi = -DBL_MAX, b_lo = DBL_MAX, b_hi = -DBL_MAX;
    for (int k = 0; k < 4; k++) {
        double at_a = vector_dot(direction, a[k]), at_b = vector_dot(direction, b[k]);
        a_lo = at_a < a_lo ? at_a : a_lo;
        a_hi = at_a > a_hi ? at_a : a_hi;
        b_lo = at_b < b_lo ? at_b : b_lo;
        b_hi = at_b > b_hi ? at_b : b_hi;
    }
    double forth = (a_hi - b_lo) / length, back = (b_hi - a_lo) / length;
    double parting = forth < back ? forth : back;
    parting = parting > 0 ? parting : 0;
    return parting < so_far ? parting : so_far;
}

static const int edge_ends[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

static void edges_of(const double (*t)[3], double edges[6][3])
{
    for (int e = 0; e < 6; e++) {
        vector_subtract(t[edge_ends[e][1]], t[edge_ends[e][0]], edges[e]);
    }
}

/* Relative to the first corner of a, so that distant places lose nothing. */
static double parting_of_tetrahedra(const double *const a[4], const double *const b[4])
{
    double ta[4][3], tb[4][3], ea[6][3], eb[6][3], direction[3];
    for (int k = 0; k < 4; k++) {
        vector_subtract(a[k], a[0], ta[k]);
        vector_subtract(b[k], a[0], tb[k]);
    }
    edges_of(ta, ea);
    edges_of(tb, eb);
    double best = DBL_MAX;
    static const int face_edges[4][2] = {{0, 1}, {0, 2}, {1, 2}, {3, 4}}; /* two edges of each face */
    for (int f = 0; f < 4; f++) {
        vector_cross(ea[face_edges[f][0]], ea[face_edges[f][1]], direction);
        best = parting_along(direction, ta, tb, best);
        vector_cross(eb[face_edges[f][0]], eb[face_edges[f][1]], direction);
        best = parting_along(direction, ta, tb, best);
    }
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++) {
            vector_cross(ea[i], eb[j], direction);
            best = parting_along(direction, ta, tb, best);
        }
    }
    return best < DBL_MAX ? best : 0;
}

/* The other element as four corners: a cell of a solid, or a face of a surface with its last corner twice. */
static bool other_corners(const struct check_side *side, const double *const a[4], uint32_t tetrahedron, uint32_t other,
                          const double *b[4], struct check_tally *tally)
{
    const struct check_body *x = side->x, *y = side->y;
    if (!y->solid) {
        face_corners(y, other, b);
        b[3] = b[2];
        return triangle_meets_open_tetrahedron(b, a, &tally->predicates);
    }
    const uint32_t *v = x->body->tetrahedra[tetrahedron], *w = y->body->tetrahedra[other];
    tetrahedron_corners(y, other, b);
    return !(x == y && corners_share_vertex(x->body, v, 4, y->body, w, 4)) &&
           tetrahedra_interiors_meet(a, b, &tally->predicates);
}

static void consider_tetrahedron(const struct check_side *side, uint32_t tetrahedron, struct check_tally *tally)
{
    const struct check_body *x = side->x, *y = side->y;
    const double *a[4], *b[4];
    struct box_walk walk;
    struct box box;
    uint32_t other;
    tetrahedron_corners(x, tetrahedron, a);
    box_around(&box, x->xyz, x->body->tetrahedra[tetrahedron], 4);
    box_walk_begin(&walk, y->solid ? &y->cells : &y->faces, &box);
    while (box_walk_next(&walk, &other)) {
        if (other_corners(side, a, tetrahedron, other, b, tally)) {
            double where[3];
            for (int axis = 0; axis < 3; axis++) {
                double lo = fmax(box.lo[axis], fmin(fmin(b[0][axis], b[1][axis]), fmin(b[2][axis], b[3][axis])));
                double hi = fmin(box.hi[axis], fmax(fmax(b[0][axis], b[1][axis]), fmax(b[2][axis], b[3][axis])));
                where[axis] = 0.5 * lo + 0.5 * hi;
            }
            tally_depth(tally, parting_of_tetrahedra(a, b), where);
        }
    }
    tally_walk(tally, &walk);
}

static void parted_cells(struct check_run *run, void *data, uint32_t begin, uint32_t end, struct check_tally *tally)
{
    const struct check_side *side = data;
    (void)run;
    for (uint32_t cell = begin; cell < end; cell++) {
        uint32_t last, t = cell_tetrahedra(side->x->body, cell, &last);
        for (; t < last && (side->elements[cell] & ELEMENT_OVERLAPS); t++) {
            consider_tetrahedron(side, t, tally);
        }
    }
}

dent_status stage_depth_of_last_resort(struct check_run *run, struct check_side *side)
{
    return side->x->solid ? check_for_each(run, side->x->body->element_count, parted_cells, side) : DENT_OK;
}
