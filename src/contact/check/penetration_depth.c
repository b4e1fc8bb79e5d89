/* The witnesses of depth: points of one body inside the other, and surface faces that cross.
 *
 * The answer is a largest smallest distance, so most points need no exact nearest face: as soon as one face is no
 * farther than the deepest witness so far, the point is done with (the early break of Hausdorff distance computations;
 * Taha and Hanbury 2015). Each block starts from what was known when its loop began, and blocks are joined in order, so
 * threads change nothing.
 */
#include "contact/check/penetration_depth.h"

#include <float.h>
#include <math.h>

#include "geometry/metric/closest_points.h"
#include "geometry/predicates/tetrahedron_predicates.h"
#include "geometry/predicates/triangle_predicates.h"
#include "query/pairs/pair_tests.h"

/* ---- nearest surface face ---------------------------------------------------------------------------------------- */

static double distance_to_leaf(const struct check_body *y, uint32_t leaf, const double p[3],
                               const struct exclusion *exclusion, double best)
{
    const struct box_tree *tree = &y->faces;
    uint32_t end = box_tree_leaf_start(tree, leaf + 1);
    for (uint32_t slot = box_tree_leaf_start(tree, leaf); slot < end; slot++) {
        uint32_t face = tree->items[slot];
        const uint32_t *v = y->surface[face].corners;
        if (box_gap(&tree->item_boxes[slot], p) >= best ||
            (exclusion && corners_share_vertex(y->body, exclusion->vertices, exclusion->count, y->body, v, 3))) {
            continue;
        }
        const double *corners[3];
        double closest[3];
        face_corners(y, face, corners);
        double distance = distance_to_triangle(p, corners, closest);
        best = distance < best ? distance : best;
    }
    return best;
}

double distance_to_surface(const struct check_body *y, const double p[3], const struct exclusion *exclusion,
                           double enough, struct check_tally *tally)
{
    const struct box_tree *tree = &y->faces;
    struct {
        uint32_t node;
        double gap;
    } stack[BOX_TREE_STACK];
    uint32_t depth = 0;
    double best = DBL_MAX;
    if (tree->item_count > 0) {
        stack[depth].node = 1;
        stack[depth++].gap = 0;
    }
    while (depth > 0 && best > enough) {
        depth--;
        uint32_t node = stack[depth].node;
        tally->box_tests++;
        if (stack[depth].gap >= best) {
            continue;
        }
        if (node >= tree->leaf_count) {
            best = distance_to_leaf(y, node - tree->leaf_count, p, exclusion, best);
            continue;
        }
        uint32_t near = 2 * node, far = 2 * node + 1;
        double near_gap = box_gap(&tree->nodes[near], p), far_gap = box_gap(&tree->nodes[far], p);
        if (far_gap < near_gap) {
            double gap = near_gap;
            near_gap = far_gap;
            far_gap = gap;
            near = 2 * node + 1;
            far = 2 * node;
        }
        stack[depth].node = far;
        stack[depth++].gap = far_gap;
        stack[depth].node = near;
        stack[depth++].gap = near_gap;
    }
    return best;
}

/* ---- points ------------------------------------------------------------------------------------------------------ */

struct depth_stage {
    struct check_side *side;
    double known; /* the deepest witness before the loop */
};

static void consider_point(const struct depth_stage *stage, const double p[3], const struct exclusion *exclusion,
                           struct check_tally *tally)
{
    double enough = tally->depth > stage->known ? tally->depth : stage->known;
    double distance = distance_to_surface(stage->side->y, p, exclusion, enough, tally);
    if (distance > enough && distance < DBL_MAX) {
        tally_depth(tally, distance, p);
    }
}

static void depth_of_vertices(struct check_run *run, void *data, uint32_t begin, uint32_t end,
                              struct check_tally *tally)
{
    const struct depth_stage *stage = data;
    const struct check_side *side = stage->side;
    (void)run;
    for (uint32_t vertex = begin; vertex < end; vertex++) {
        struct exclusion exclusion = {&vertex, 1};
        if (side->vertices[vertex] == VERTEX_INSIDE) {
            consider_point(stage, side->x->xyz[vertex], side->x == side->y ? &exclusion : NULL, tally);
        }
    }
}

static void depth_of_centroids(struct check_run *run, void *data, uint32_t begin, uint32_t end,
                               struct check_tally *tally)
{
    const struct depth_stage *stage = data;
    const struct check_side *side = stage->side;
    for (uint32_t element = begin; element < end && !tally->out_of_memory; element++) {
        if (!(side->elements[element] & ELEMENT_OVERLAPS)) {
            continue;
        }
        uint32_t corner_count;
        const uint32_t *corners = element_corners(side->x->body, element, &corner_count);
        struct exclusion own = {corners, corner_count};
        const struct exclusion *exclusion = side->x == side->y ? &own : NULL;
        double centroid[3] = {0, 0, 0};
        for (uint32_t k = 0; k < corner_count; k++) {
            for (int axis = 0; axis < 3; axis++) {
                centroid[axis] += side->x->xyz[corners[k]][axis] / corner_count;
            }
        }
        if (point_is_inside(run, side->y, centroid, exclusion, tally)) {
            consider_point(stage, centroid, exclusion, tally);
        }
    }
}

dent_status stage_depth_of_points(struct check_run *run, struct check_side *side)
{
    struct depth_stage stage = {side, run->total.depth};
    dent_status status = check_for_each(run, side->x->body->vertex_count, depth_of_vertices, &stage);
    if (status == DENT_OK && (side->y->solid || side->y->closed) && (side->x->solid || side->x != side->y)) {
        stage.known = run->total.depth;
        status = check_for_each(run, side->x->body->element_count, depth_of_centroids, &stage);
    }
    return status;
}

/* ---- crossing faces ---------------------------------------------------------------------------------------------- */

static void consider_crossing(const double *const a[3], const double *const b[3], struct check_tally *tally)
{
    double depth = triangle_separation_depth(a, b);
    if (depth > tally->depth) {
        double end0[3], end1[3], middle[3];
        common_segment(a, b, end0, end1);
        for (int axis = 0; axis < 3; axis++) {
            middle[axis] = 0.5 * end0[axis] + 0.5 * end1[axis];
        }
        tally_depth(tally, depth, middle);
    }
}

static void depth_of_crossings(struct check_run *run, void *data, uint32_t begin, uint32_t end,
                               struct check_tally *tally)
{
    const struct check_side *side = data;
    const struct check_body *x = side->x, *y = side->y;
    for (uint32_t face = begin; face < end; face++) {
        const uint32_t *v = x->surface[face].corners;
        if (!(side->elements[x->surface[face].cell] & ELEMENT_OVERLAPS)) {
            continue;
        }
        const double *a[3], *b[3];
        struct box_walk walk;
        struct box box;
        uint32_t other;
        face_corners(x, face, a);
        box_around(&box, x->xyz, v, 3);
        box_walk_begin(&walk, &y->faces, &box);
        while (box_walk_next(&walk, &other)) {
            if (check_leaves_out(run, x, face, y, other)) {
                continue;
            }
            face_corners(y, other, b);
            tally->candidates++;
            if (triangle_versus_triangle(a, b, &tally->predicates) == FACE_PAIR_CROSSING) {
                consider_crossing(a, b, tally);
            }
        }
        tally_walk(tally, &walk);
    }
}

dent_status stage_depth_of_crossings(struct check_run *run, struct check_side *side)
{
    return check_for_each(run, side->x->surface_count, depth_of_crossings, side);
}
