/* Point location in solids and closed surfaces with the help of the box trees.
 *
 * Solids: a walk finds the tetrahedra whose boxes hold the point; in an open one settles it, otherwise those that have
 * the point on their boundary must cover its neighbourhood (local_cover.h).
 *
 * Closed surfaces: winding_number counts signed crossings of a ray in direction +x, one term per face, so the faces may
 * be handed over one by one and those whose boxes the ray misses may be left out.
 */
#include "contact/check/inside_test.h"

#include <float.h>

#include "contact/check/cone_list.h"
#include "geometry/predicates/orientation_predicates.h"
#include "geometry/predicates/winding_number.h"
#include "query/pairs/pair_tests.h"

/* ---- solids ------------------------------------------------------------------------------------------------------ */

bool point_is_inside_solid(const struct check_run *run, const struct check_body *y, const double p[3],
                           const struct exclusion *exclusion, struct check_tally *tally)
{
    struct cone_list list;
    cone_list_begin(&list, run->context);
    struct box box = {{p[0], p[1], p[2]}, {p[0], p[1], p[2]}};
    struct box_walk walk;
    bool inside = false;
    uint32_t tetrahedron;
    box_walk_begin(&walk, &y->cells, &box);
    while (!inside && !tally->out_of_memory && box_walk_next(&walk, &tetrahedron)) {
        const uint32_t *v = y->body->tetrahedra[tetrahedron];
        if (exclusion && corners_share_vertex(y->body, exclusion->vertices, exclusion->count, y->body, v, 4)) {
            continue;
        }
        const double *corners[4];
        struct cone cone;
        tetrahedron_corners(y, tetrahedron, corners);
        tally->candidates++;
        point_relation relation = cone_at_point(p, corners, &cone, &tally->predicates);
        inside = relation == POINT_INTERIOR;
        if (relation == POINT_BOUNDARY && !cone_list_push(&list, &cone)) {
            tally->out_of_memory = true;
        }
    }
    tally_walk(tally, &walk);
    if (!inside && !tally->out_of_memory && list.count > 1) { /* a single cone leaves something open */
        inside = cone_list_covers(&list, &tally->predicates, &tally->out_of_memory);
    }
    cone_list_end(&list);
    return inside;
}

/* ---- closed surfaces --------------------------------------------------------------------------------------------- */

/* Everything the ray from the mean of the points may meet. */
static struct box ray_box(const double *const points[], int point_count)
{
    struct box box = {{points[0][0], points[0][1], points[0][2]}, {DBL_MAX, points[0][1], points[0][2]}};
    for (int k = 1; k < point_count; k++) {
        bounds_add_point(box.lo, box.hi, points[k]);
    }
    return box;
}

/* Sum over the faces but one; *on is set when the point lies on one of them. */
static int winding_without_face(const struct check_body *y, const double *const points[], int point_count,
                                uint32_t left_out, bool *on, struct check_tally *tally)
{
    struct box box = ray_box(points, point_count);
    struct box_walk walk;
    uint32_t face;
    int number = 0;
    *on = false;
    box_walk_begin(&walk, &y->faces, &box);
    while (!*on && box_walk_next(&walk, &face)) {
        if (face == left_out) {
            continue;
        }
        tally->candidates++;
        const uint32_t(*triangle)[3] = (const uint32_t(*)[3]) & y->surface[face].corners;
        number += winding_number_at_mean(points, point_count, y->xyz, triangle, 1, &tally->predicates, on);
    }
    tally_walk(tally, &walk);
    return number;
}

int point_versus_closed_surface(const struct check_body *y, const double *const points[], int point_count,
                                struct check_tally *tally)
{
    bool on;
    int number = winding_without_face(y, points, point_count, UINT32_MAX, &on, tally);
    return on ? VERTEX_ON : number != 0 ? VERTEX_INSIDE : VERTEX_OUTSIDE;
}

bool point_is_inside(const struct check_run *run, const struct check_body *y, const double p[3],
                     const struct exclusion *exclusion, struct check_tally *tally)
{
    if (y->solid) {
        return point_is_inside_solid(run, y, p, exclusion, tally);
    }
    return y->closed && point_versus_closed_surface(y, &p, 1, tally) == VERTEX_INSIDE;
}

/* Bends the face over a vertex q outside its plane: the three triangles from its edges to q in its place. The bent
 * surface is closed, no longer holds the centroid, and winds around it as the old one does on the side away from q,
 * because the two differ by the boundary of one tetrahedron on q's side. Crossing the face against its normal adds one.
 */
bool windings_beside_face(const struct check_body *x, uint32_t face, int windings[2], struct check_tally *tally)
{
    const uint32_t *v = x->surface[face].corners;
    const double *corners[3];
    face_corners(x, face, corners);
    uint32_t q = UINT32_MAX;
    int side = 0;
    for (uint32_t other = 0; other < x->surface_count && side == 0; other++) {
        for (int k = 0; k < 3 && side == 0; k++) {
            q = x->surface[other].corners[k];
            side = orientation_3d_counted(corners[0], corners[1], corners[2], x->xyz[q], &tally->predicates);
        }
    }
    bool on = side == 0;
    int number = on ? 0 : winding_without_face(x, corners, 3, face, &on, tally);
    for (int k = 0; k < 3 && !on; k++) {
        const uint32_t bent[1][3] = {{v[k], v[(k + 1) % 3], q}};
        number += winding_number_at_mean(corners, 3, x->xyz, bent, 1, &tally->predicates, &on);
    }
    if (on) {
        return false;
    }
    windings[0] = side < 0 ? number : number - 1;
    windings[1] = side < 0 ? number + 1 : number;
    return true;
}
