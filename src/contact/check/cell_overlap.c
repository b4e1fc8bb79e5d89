/* Cells of a solid against the cells of another, or against the faces of a surface; faces of a surface against cells.
 *
 * Two unions of closed cells have interiors that meet iff two of their open tetrahedra do: a common interior point has
 * a whole ball in both unions, and all but a set without volume of that ball lies in open tetrahedra of both. So one
 * pair of tetrahedra is a witness for its two cells, split or not, and no union is ever formed. Each side is searched
 * by itself and every cell stops at its first witness: cells deep inside cost next to nothing, and nothing is shared
 * between blocks.
 */
#include "contact/check/overlap_stages.h"

#include "geometry/predicates/orientation_predicates.h"
#include "geometry/predicates/tetrahedron_predicates.h"
#include "geometry/predicates/triangle_predicates.h"
#include "geometry/predicates/union_predicates.h"
#include "query/pairs/pair_tests.h"

static struct box element_box(const struct check_body *x, uint32_t element, const uint32_t **corners,
                              uint32_t *corner_count)
{
    struct box box;
    *corners = element_corners(x->body, element, corner_count);
    box_around(&box, x->xyz, *corners, *corner_count);
    return box;
}

/* ---- cells and cells --------------------------------------------------------------------------------------------- */

static bool tetrahedron_meets_cells(const struct check_side *side, uint32_t tetrahedron, const uint32_t *cell_corners,
                                    uint32_t corner_count, struct check_tally *tally)
{
    const struct check_body *y = side->y;
    const double *a[4], *b[4];
    struct box_walk walk;
    struct box box;
    uint32_t other;
    bool found = false;
    tetrahedron_corners(side->x, tetrahedron, a);
    box_around(&box, side->x->xyz, side->x->body->tetrahedra[tetrahedron], 4);
    box_walk_begin(&walk, &y->cells, &box);
    while (!found && box_walk_next(&walk, &other)) {
        if (side->x == y) {
            uint32_t other_count;
            const uint32_t *other_corners = element_corners(y->body, cell_of(y->body, other), &other_count);
            if (corners_share_vertex(y->body, cell_corners, corner_count, y->body, other_corners, other_count)) {
                continue;
            }
        }
        tetrahedron_corners(y, other, b);
        tally->candidates++;
        found = tetrahedra_interiors_meet(a, b, &tally->predicates);
    }
    tally_walk(tally, &walk);
    return found;
}

static void cells_in_cells(struct check_run *run, void *data, uint32_t begin, uint32_t end, struct check_tally *tally)
{
    struct check_side *side = data;
    (void)run;
    for (uint32_t cell = begin; cell < end; cell++) {
        const uint32_t *corners;
        uint32_t corner_count, last;
        struct box box = element_box(side->x, cell, &corners, &corner_count);
        if (!boxes_meet(&box, &side->y->bounds)) {
            continue;
        }
        for (uint32_t t = cell_tetrahedra(side->x->body, cell, &last); t < last; t++) {
            const double *a[4];
            tetrahedron_corners(side->x, t, a);
            if (orientation_3d_counted(a[0], a[1], a[2], a[3], &tally->predicates) == 0) {
                side->elements[cell] |= ELEMENT_IS_FLAT;
            } else if (tetrahedron_meets_cells(side, t, corners, corner_count, tally)) {
                side->elements[cell] |= ELEMENT_OVERLAPS;
                break;
            }
        }
    }
}

dent_status stage_cells_in_cells(struct check_run *run, struct check_side *side)
{
    return check_for_each(run, side->x->body->element_count, cells_in_cells, side);
}

/* ---- cells and faces --------------------------------------------------------------------------------------------- */

static int cell_points(const struct check_body *x, uint32_t cell, const double *points[UNION_TETRAHEDRA_MAX][4])
{
    uint32_t end, first = cell_tetrahedra(x->body, cell, &end);
    for (uint32_t t = first; t < end; t++) {
        tetrahedron_corners(x, t, points[t - first]);
    }
    return (int)(end - first);
}

static bool face_meets_cell(const double *const face[3], const double *const tetrahedra[][4], int count,
                            struct check_tally *tally)
{
    tally->candidates++;
    if (count == 1) {
        return triangle_meets_open_tetrahedron(face, tetrahedra[0], &tally->predicates);
    }
    return triangle_versus_tetrahedra_union(face, tetrahedra, count, &tally->predicates) == OVERLAP_INTERIOR;
}

static void cells_cut_by_faces(struct check_run *run, void *data, uint32_t begin, uint32_t end,
                               struct check_tally *tally)
{
    struct check_side *side = data;
    for (uint32_t cell = begin; cell < end; cell++) {
        const uint32_t *corners;
        uint32_t corner_count, face;
        struct box box = element_box(side->x, cell, &corners, &corner_count);
        struct box_walk walk;
        if (!boxes_meet(&box, &side->y->bounds)) {
            continue;
        }
        const double *tetrahedra[UNION_TETRAHEDRA_MAX][4];
        int count = cell_points(side->x, cell, tetrahedra);
        box_walk_begin(&walk, &side->y->faces, &box);
        while (box_walk_next(&walk, &face)) {
            const double *triangle[3];
            face_corners(side->y, face, triangle);
            if (side->y->thin && check_is_at_root(run, side->y, face, side->x)) {
                continue;
            }
            if (face_meets_cell(triangle, (const double *const(*)[4])tetrahedra, count, tally)) {
                side->elements[cell] |= ELEMENT_IS_CUT;
                break;
            }
        }
        tally_walk(tally, &walk);
    }
}

dent_status stage_cells_cut_by_faces(struct check_run *run, struct check_side *side)
{
    return check_for_each(run, side->x->body->element_count, cells_cut_by_faces, side);
}

/* The face shares area with an inner face of y: a face with a neighbour on its other side, so an open neighbourhood of
 * that area lies in y. */
static bool lies_in_inner_face(const struct check_body *y, uint32_t tetrahedron, const double *const face[3],
                               const double *const corners[4], struct check_tally *tally)
{
    predicate_counters *counters = &tally->predicates;
    for (int k = 0; k < 4; k++) {
        uint32_t neighbour = y->body->neighbours[tetrahedron][k];
        if (neighbour >= y->body->tetrahedron_count) {
            continue;
        }
        const double *wall[3] = {corners[(k + 1) & 3], corners[(k + 2) & 3], corners[(k + 3) & 3]};
        const uint32_t *mine = y->body->tetrahedra[tetrahedron], *theirs = y->body->tetrahedra[neighbour];
        uint32_t opposite = theirs[0];
        for (int j = 0; j < 4; j++) {
            bool shared =
                theirs[j] == mine[(k + 1) & 3] || theirs[j] == mine[(k + 2) & 3] || theirs[j] == mine[(k + 3) & 3];
            opposite = shared ? opposite : theirs[j];
        }
        int here = orientation_3d_counted(wall[0], wall[1], wall[2], corners[k], counters);
        int there = orientation_3d_counted(wall[0], wall[1], wall[2], y->xyz[opposite], counters);
        if (here * there < 0 && triangle_versus_triangle(face, wall, counters) == FACE_PAIR_COPLANAR) {
            return true;
        }
    }
    return false;
}

static bool face_meets_solid(const struct check_side *side, uint32_t face, struct check_tally *tally)
{
    const struct check_body *y = side->y;
    const double *triangle[3];
    struct box_walk walk;
    struct box box;
    uint32_t tetrahedron;
    bool found = false;
    face_corners(side->x, face, triangle);
    box_around(&box, side->x->xyz, side->x->surface[face].corners, 3);
    if (!boxes_meet(&box, &y->bounds)) {
        return false;
    }
    box_walk_begin(&walk, &y->cells, &box);
    while (!found && box_walk_next(&walk, &tetrahedron)) {
        const double *corners[4];
        tetrahedron_corners(y, tetrahedron, corners);
        tally->candidates++;
        overlap_relation relation = triangle_versus_tetrahedron(triangle, corners, &tally->predicates);
        found = relation == OVERLAP_INTERIOR ||
                (relation == OVERLAP_TOUCHING && lies_in_inner_face(y, tetrahedron, triangle, corners, tally));
    }
    tally_walk(tally, &walk);
    return found;
}

static void faces_in_cells(struct check_run *run, void *data, uint32_t begin, uint32_t end, struct check_tally *tally)
{
    struct check_side *side = data;
    (void)run;
    for (uint32_t face = begin; face < end; face++) {
        if (face_meets_solid(side, face, tally)) {
            side->elements[face] |= ELEMENT_OVERLAPS;
        }
    }
}

dent_status stage_faces_in_cells(struct check_run *run, struct check_side *side)
{
    return check_for_each(run, side->x->surface_count, faces_in_cells, side);
}
