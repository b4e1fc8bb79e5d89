/* Points that no border reaches: a body swallowed whole, an island left by a jump (F1, F2).
 *
 * Such points form islands, connected over edges of a. In an island a point that had a direction at the last step keeps
 * it, and its depth is the way to b's surface along it (F1). If no point of the island had one, the point nearest to
 * b's surface takes the normal of the nearest face (F2). From these the others get their values by the same rounds as
 * everywhere (S4): the island moves out as a whole, through one side, instead of being torn apart by nearest points on
 * all sides. Islands of a body in itself without a last step and within one connected part are no contact: surfaces
 * must cross before a body can meet itself, so cells are turned inside out there; they are counted and left out.
 */
#include "contact/depth/contact_run.h"

#include <float.h>

#include "geometry/numbers/vector3.h"
#include "geometry/metric/closest_points.h"
#include "query/pairs/pair_tests.h"

const struct box_tree *contact_face_tree(struct contact_run *run, uint32_t body)
{
    if (!run->face_trees[body]) {
        const struct body_snapshot *body_snapshot = &run->snapshot->bodies[body];
        struct box_tree *tree = arena_allocate_cleared(run->scratch, 1, sizeof *tree);
        if (!tree || !box_tree_build(tree, run->scratch, body_snapshot->xyz, body_snapshot->body->surface_faces, 3,
                                     sizeof *body_snapshot->body->surface_faces,
                                     body_snapshot->body->surface_face_count, false)) {
            return NULL;
        }
        run->face_trees[body] = tree;
    }
    return run->face_trees[body];
}

/* Faces at the vertex itself are no way out. */
static bool face_counts(const struct contact_run *run, const struct depth_point *point, uint32_t face)
{
    const struct body *a = run->snapshot->bodies[point->body_a].body, *b = run->snapshot->bodies[point->body_b].body;
    return point->body_a != point->body_b ||
           !corners_share_vertex(a, &point->vertex, 1, b, b->surface_faces[face].corners, 3);
}

/* ---- nearest face ------------------------------------------------------------------------------------------------ */

struct nearest_face {
    double distance;
    uint32_t face; /* SLOT_NONE: none */
    double closest[3];
};

static void look_at_leaf(const struct contact_run *run, const struct depth_point *point, const struct box_tree *tree,
                         uint32_t leaf, struct nearest_face *best)
{
    const double *p = run->snapshot->bodies[point->body_a].xyz[point->vertex];
    uint32_t end = box_tree_leaf_start(tree, leaf + 1);
    for (uint32_t slot = box_tree_leaf_start(tree, leaf); slot < end; slot++) {
        uint32_t face = tree->items[slot];
        const double *corners[3];
        double closest[3];
        if (box_gap(&tree->item_boxes[slot], p) > best->distance || !face_counts(run, point, face)) {
            continue;
        }
        border_face_positions(run->snapshot, point->body_b, face, corners);
        double distance = distance_to_triangle(p, corners, closest);
        if (distance < best->distance || (distance == best->distance && face < best->face)) {
            *best = (struct nearest_face){distance, face, {closest[0], closest[1], closest[2]}};
        }
    }
}

static struct nearest_face nearest_face_of(const struct contact_run *run, const struct depth_point *point,
                                           const struct box_tree *tree)
{
    const double *p = run->snapshot->bodies[point->body_a].xyz[point->vertex];
    struct nearest_face best = {DBL_MAX, SLOT_NONE, {0, 0, 0}};
    uint32_t stack[2 * BOX_TREE_STACK], depth = 0;
    if (tree->item_count > 0) {
        stack[depth++] = 1;
    }
    while (depth > 0) {
        uint32_t node = stack[--depth];
        if (box_gap(&tree->nodes[node], p) > best.distance) {
            continue;
        }
        if (node >= tree->leaf_count) {
            look_at_leaf(run, point, tree, node - tree->leaf_count, &best);
            continue;
        }
        bool second_first = box_gap(&tree->nodes[2 * node + 1], p) < box_gap(&tree->nodes[2 * node], p);
        stack[depth++] = second_first ? 2 * node : 2 * node + 1;
        stack[depth++] = second_first ? 2 * node + 1 : 2 * node;
    }
    return best;
}

/* ---- along a direction ------------------------------------------------------------------------------------------- */

static bool ray_meets_box(const struct box *box, const double p[3], const double r[3], double farthest)
{
    double enter = 0, leave = farthest;
    for (int axis = 0; axis < 3; axis++) {
        if (r[axis] == 0) {
            if (p[axis] < box->lo[axis] || p[axis] > box->hi[axis]) {
                return false;
            }
            continue;
        }
        double near = (box->lo[axis] - p[axis]) / r[axis], far = (box->hi[axis] - p[axis]) / r[axis];
        if (near > far) {
            double swap = near;
            near = far;
            far = swap;
        }
        enter = near > enter ? near : enter;
        leave = far < leave ? far : leave;
    }
    return enter <= leave * (1 + 0x1p-40) + 0x1p-1000; /* metric: decides nothing exact */
}

/* Where the line from p leaves through the face (Moeller and Trumbore 1997), as a length; negative: nowhere. Corners
 * are taken relative to p and scaled by a power of two. */
static double ray_leaves_face(const double p[3], const double r[3], const double *const corners[3],
                              const double normal[3])
{
    enum { SLACK_BITS = 30 }; /* a hit on a seam must not be lost to rounding: 2^-30 of the face's size */
    double local[3][3], edge1[3], edge2[3], from[3], across[3], q[3], largest = 0;
    if (!(vector_dot(r, normal) > 0)) {
        return -1;
    }
    for (int k = 0; k < 3; k++) {
        vector_subtract(corners[k], p, local[k]);
        double size = vector_largest(local[k]);
        largest = size > largest ? size : largest;
    }
    if (!(largest > 0) || !(largest < INFINITY)) {
        return -1;
    }
    int exponent = binary_exponent(largest);
    for (int k = 0; k < 9; k++) {
        local[k / 3][k % 3] = scale_by_power_of_two(local[k / 3][k % 3], -exponent);
    }
    vector_subtract(local[1], local[0], edge1);
    vector_subtract(local[2], local[0], edge2);
    vector_cross(r, edge2, across);
    double determinant = vector_dot(edge1, across);
    if (determinant == 0) {
        return -1;
    }
    for (int axis = 0; axis < 3; axis++) {
        from[axis] = -local[0][axis];
    }
    vector_cross(from, edge1, q);
    double u = vector_dot(from, across) / determinant, v = vector_dot(r, q) / determinant;
    double along = vector_dot(edge2, q) / determinant, slack = power_of_two(-SLACK_BITS);
    bool hit = u >= -slack && v >= -slack && u + v <= 1 + slack && along >= 0 && along < INFINITY;
    return hit ? scale_by_power_of_two(along, exponent) : -1;
}

double depth_along(const struct contact_run *run, const struct depth_point *point, const struct box_tree *tree,
                   const double direction[3], uint32_t *hit_face)
{
    const double *p = run->snapshot->bodies[point->body_a].xyz[point->vertex];
    uint32_t stack[2 * BOX_TREE_STACK], depth = 0;
    double best = DBL_MAX;
    *hit_face = SLOT_NONE;
    if (tree->item_count > 0) {
        stack[depth++] = 1;
    }
    while (depth > 0) {
        uint32_t node = stack[--depth];
        if (!ray_meets_box(&tree->nodes[node], p, direction, best)) {
            continue;
        }
        if (node < tree->leaf_count) {
            stack[depth++] = 2 * node + 1;
            stack[depth++] = 2 * node;
            continue;
        }
        uint32_t end = box_tree_leaf_start(tree, node - tree->leaf_count + 1);
        for (uint32_t slot = box_tree_leaf_start(tree, node - tree->leaf_count); slot < end; slot++) {
            uint32_t face = tree->items[slot];
            const double *corners[3];
            double normal[3];
            if (!face_counts(run, point, face)) {
                continue;
            }
            border_face_positions(run->snapshot, point->body_b, face, corners);
            contact_face_normal(run, point->body_b, face, normal);
            double along = ray_leaves_face(p, direction, corners, normal);
            if (along >= 0 && (along < best || (along == best && face < *hit_face))) {
                best = along;
                *hit_face = face;
            }
        }
    }
    return best;
}

/* ---- islands ----------------------------------------------------------------------------------------------------- */

/* All points without a value that hang together with the first of the queue; they are marked with round ROUND_NEVER. */
static bool gather_island(struct contact_run *run)
{
    struct contact_state *state = run->state;
    for (size_t at = 0; at < state->queue.count; at++) {
        uint32_t slot = ((const uint32_t *)state->queue.data)[at];
        const struct depth_point *point = array_at(&state->points, slot);
        if (!depth_push_neighbours(run, point, ROUND_NEVER, &state->queue)) {
            return false;
        }
    }
    return true;
}

static bool use_previous(struct contact_run *run, struct depth_point *point, const struct box_tree *tree)
{
    const dent_contact_memory *memory = run->state->memory.records.data;
    uint32_t face;
    if (point->previous == SLOT_NONE) {
        return false;
    }
    const double *direction = memory[point->previous].direction;
    double depth = depth_along(run, point, tree, direction, &face);
    if (face == SLOT_NONE) {
        return false;
    }
    point->depth = point->error = depth;
    point->face = face;
    point->source = DENT_CONTACT_SOURCE_PREVIOUS;
    vector_copy(direction, point->direction);
    return true;
}

static void use_nearest(struct contact_run *run, struct depth_point *point, const struct nearest_face *nearest)
{
    point->depth = point->error = nearest->face == SLOT_NONE ? 0 : nearest->distance;
    point->face = nearest->face;
    point->source = DENT_CONTACT_SOURCE_NEAREST;
    if (nearest->face == SLOT_NONE) { /* no surface at all: some direction */
        point->direction[0] = 1;
        point->direction[1] = point->direction[2] = 0;
    } else {
        contact_face_normal(run, point->body_b, nearest->face, point->direction);
    }
}

/* Self-collision without crossing surfaces, within one part. */
static bool island_is_inverted(const struct contact_run *run, const struct depth_point *point)
{
    const struct body *body = run->snapshot->bodies[point->body_a].body;
    if (point->body_a != point->body_b || point->cell_pair == SLOT_NONE) {
        return false;
    }
    uint32_t corner = run->query->vertex_cell.cell_points[point->cell_pair].corners[0];
    return body->vertex_component[point->vertex] == body->vertex_component[corner];
}

struct nearest_loop {
    const struct contact_run *run;
    const struct box_tree *tree;
    struct nearest_face *found; /* by slot in the queue */
};

enum { NEAREST_PER_BLOCK = 64 };

static void nearest_block(void *data, uint32_t block, uint32_t worker)
{
    (void)worker;
    const struct nearest_loop *loop = data;
    const uint32_t *slots = loop->run->state->queue.data;
    size_t begin = (size_t)block * NEAREST_PER_BLOCK, count = loop->run->state->queue.count;
    size_t end = count - begin < NEAREST_PER_BLOCK ? count : begin + NEAREST_PER_BLOCK;
    for (size_t i = begin; i < end; i++) {
        loop->found[i] = nearest_face_of(loop->run, array_at(&loop->run->state->points, slots[i]), loop->tree);
    }
}

/* The point of the island nearest to the surface is its seed; the first of equals. */
static bool seed_by_nearest(struct contact_run *run, const struct box_tree *tree, uint32_t *seed)
{
    struct contact_state *state = run->state;
    struct arena_mark mark = arena_mark(run->scratch);
    struct nearest_loop loop = {run, tree, arena_allocate(run->scratch, state->queue.count, sizeof *loop.found)};
    if (!loop.found) {
        return false;
    }
    dent_parallel_for(state->context, (uint32_t)(state->queue.count / NEAREST_PER_BLOCK + 1), nearest_block, &loop);
    const uint32_t *slots = state->queue.data;
    size_t best = 0;
    for (size_t i = 1; i < state->queue.count; i++) {
        if (loop.found[i].distance < loop.found[best].distance ||
            (loop.found[i].distance == loop.found[best].distance && slots[i] < slots[best])) {
            best = i;
        }
    }
    *seed = slots[best];
    use_nearest(run, array_at(&state->points, *seed), &loop.found[best]);
    arena_rewind(run->scratch, mark);
    return true;
}

/* The queue holds the island; afterwards its seeds. */
static bool value_island(struct contact_run *run)
{
    struct contact_state *state = run->state;
    uint32_t *slots = state->queue.data;
    const struct depth_point *first = array_at(&state->points, slots[0]);
    const struct box_tree *tree = contact_face_tree(run, first->body_b);
    size_t seeds = 0, count = state->queue.count;
    uint8_t source = DENT_CONTACT_SOURCE_PREVIOUS;
    if (!tree) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        struct depth_point *point = array_at(&state->points, slots[i]);
        if (use_previous(run, point, tree)) {
            point->round = 1;
            uint32_t swap = slots[seeds];
            slots[seeds++] = slots[i];
            slots[i] = swap;
        }
    }
    if (seeds == 0 && island_is_inverted(run, first)) {
        for (size_t i = 0; i < count; i++) {
            ((struct depth_point *)array_at(&state->points, slots[i]))->source = 0; /* no contact */
        }
        run->counters.inverted_vertices += count;
        array_clear(&state->queue);
        return true;
    }
    if (seeds == 0) {
        uint32_t seed;
        if (!seed_by_nearest(run, tree, &seed)) {
            return false;
        }
        slots = state->queue.data;
        for (size_t i = 0; i < count; i++) {
            ((struct depth_point *)array_at(&state->points, slots[i]))->round = 0;
        }
        ((struct depth_point *)array_at(&state->points, seed))->round = 1;
        slots[0] = seed;
        seeds = 1;
        source = DENT_CONTACT_SOURCE_NEAREST;
    }
    for (size_t i = seeds; i < count && source == DENT_CONTACT_SOURCE_PREVIOUS; i++) {
        ((struct depth_point *)array_at(&state->points, slots[i]))->round = 0;
    }
    state->queue.count = seeds;
    return depth_propagate_from(run, source);
}

bool depth_fall_back(struct contact_run *run)
{
    struct contact_state *state = run->state;
    for (size_t i = 0; i < state->points.count && !cancel_requested(run->cancel); i++) {
        struct depth_point *point = array_at(&state->points, i);
        uint32_t slot = (uint32_t)i;
        if (point->round != 0) {
            continue;
        }
        array_clear(&state->queue);
        point->round = ROUND_NEVER;
        if (!array_push(&state->queue, &slot) || !gather_island(run) || !value_island(run)) {
            return false;
        }
    }
    return true;
}
