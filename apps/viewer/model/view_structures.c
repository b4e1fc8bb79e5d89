/* view_structures.c — the shapes of an acceleration structure as a BOXES message (view_protocol.h): boxes of
 * dent_world_structure, balls and k-DOPs of a bounding tree (dent/time_critical.h). Partitions of space are in
 * view_partitions.c, kinetic boxes in view_kinetic.c. */
#include "view_frames.h"
#include "view_partitions.h"
#include "view_polytope.h"

#include <dent/hair.h>

#include <string.h>

enum { BOXES_SENT = 20000, POLYTOPES_SENT = 4000 }; /* a polytope has up to 48 edges */
enum { SHAPE_BOXES = 0, SHAPE_BALLS = 1, SHAPE_POLYTOPES = 2 };

const view_tree view_trees[VIEW_TREE_COUNT] = {
    {.name = "sphere-tree", .family = VIEW_TREE_BOUNDS, .kind = DENT_BOUND_SPHERES},
    {.name = "dop14-tree", .family = VIEW_TREE_BOUNDS, .kind = DENT_BOUND_DOP14},
    {.name = "dop18-tree", .family = VIEW_TREE_BOUNDS, .kind = DENT_BOUND_DOP18},
    {.name = "wisps", .family = VIEW_TREE_WISPS},
    {.name = "dense-grid", .family = VIEW_TREE_SEARCH, .method = DENT_BOXES_DENSE_GRID},
    {.name = "hash-grid", .family = VIEW_TREE_SEARCH, .method = DENT_BOXES_HASH_GRID},
    {.name = "hierarchical-grid", .family = VIEW_TREE_SEARCH, .method = DENT_BOXES_HIERARCHICAL_GRID},
    {.name = "loose-octree", .family = VIEW_TREE_SEARCH, .method = DENT_BOXES_LOOSE_OCTREE},
    {.name = "kd-tree", .family = VIEW_TREE_SEARCH, .method = DENT_BOXES_KD_TREE},
    {.name = "packet-tree", .family = VIEW_TREE_SEARCH, .method = DENT_BOXES_PACKET_TREE},
    {.name = "bsp", .family = VIEW_TREE_BSP},
    {.name = "kinetic-tree", .family = VIEW_TREE_KINETIC},
};

bool view_tree_offered(const view_source *source, const view_tree *tree)
{
    return tree->family != VIEW_TREE_WISPS || view_source_has_strands(source);
}

const view_tree *view_find_tree(const char *name)
{
    for (uint32_t i = 0; i < VIEW_TREE_COUNT; i++) {
        if (strcmp(name, view_trees[i].name) == 0) {
            return &view_trees[i];
        }
    }
    return NULL;
}

/* ---- messages ---------------------------------------------------------------------------------------------------- */

static view_message *begin_shapes(uint32_t sent, uint32_t level, uint32_t deepest, uint32_t shape, uint64_t total)
{
    uint32_t head[7] = {VIEW_BOXES, 0, sent, level, deepest, shape, total < UINT32_MAX ? (uint32_t)total : UINT32_MAX};
    view_message *message = view_message_create(sizeof head + (size_t)sent * 24);
    if (message != NULL && !view_message_append(message, head, sizeof head)) {
        view_message_drop(message);
        message = NULL;
    }
    return message;
}

static view_message *end_shapes(view_source *source, view_message *message, bool good)
{
    if (message == NULL || !good) {
        view_message_drop(message);
        view_fail(source, "out of memory");
        return NULL;
    }
    return message;
}

static bool append_ball(const view_source *source, const dent_bound_node *node, view_message *message)
{
    float ball[4] = {0, 0, 0, view_length(source, node->radius)};
    for (int axis = 0; axis < 3; axis++) {
        ball[axis] = view_place(source, node->center[axis], axis);
    }
    return view_message_append(message, ball, sizeof ball);
}

static bool append_polytope(const view_source *source, uint32_t node, view_message *message)
{
    dent_bound_slab slabs[DENT_BOUND_SLABS_MAX];
    view_polytope polytope;
    view_polytope_make(slabs, dent_bound_tree_slabs(source->tree, node, slabs), &polytope);
    float *out = view_message_extend(message, polytope.edge_count * 6 * sizeof *out);
    for (uint32_t i = 0; out != NULL && i < 2 * polytope.edge_count; i++) {
        const double *corner = polytope.corners[polytope.edges[i / 2][i % 2]];
        for (int axis = 0; axis < 3; axis++) {
            *out++ = view_place(source, corner[axis], axis);
        }
    }
    return out != NULL;
}

/* ---- bounding trees ---------------------------------------------------------------------------------------------- */

/* Shown with a level are its nodes and the leaves above it, so that the body stays covered. */
static bool node_shown(const dent_bound_node *node, uint32_t level)
{
    return node->level == level || (node->level < level && node->child_count == 0);
}

static view_message *nodes_of(view_source *source, uint32_t level, bool balls)
{
    dent_bound_tree_info facts = dent_bound_tree_get_info(source->tree);
    uint64_t total = 0;
    level = level < facts.levels ? level : facts.levels - 1;
    for (uint32_t i = 0; i < facts.nodes; i++) {
        dent_bound_node node = dent_bound_tree_node(source->tree, i);
        total += node_shown(&node, level);
    }
    uint32_t most = balls ? BOXES_SENT : POLYTOPES_SENT, left = total < most ? (uint32_t)total : most;
    view_message *message = begin_shapes(left, level, facts.levels - 1, balls ? SHAPE_BALLS : SHAPE_POLYTOPES, total);
    bool good = message != NULL;
    for (uint32_t i = 0; i < facts.nodes && good && left > 0; i++) {
        dent_bound_node node = dent_bound_tree_node(source->tree, i);
        if (node_shown(&node, level)) {
            good = balls ? append_ball(source, &node, message) : append_polytope(source, i, message);
            left--;
        }
    }
    return end_shapes(source, message, good);
}

/* The tree of a body at its present positions. A tree of the frame before is refitted, which is several times as cheap
 * as building one; a body with new elements gets a new one. False: an error that was reported. */
static bool find_present_tree(view_source *source, uint32_t body, dent_bound_kind kind)
{
    bool same = source->tree != NULL && source->tree_body == body && source->tree_kind == kind;
    if (same && dent_bound_tree_update(source->tree) == DENT_OK) {
        return true;
    }
    dent_bound_tree_def def = dent_bound_tree_def_default();
    dent_bound_tree_destroy(source->tree);
    source->tree = NULL;
    source->tree_body = body;
    source->tree_kind = def.kind = kind;
    if (dent_bound_tree_create(source->world, source->bodies[body].id, &def, &source->tree) != DENT_OK) {
        source->tree = NULL;
        view_fail(source, "%s", dent_world_message(source->world));
    }
    return source->tree != NULL;
}

/* ---- wisps ------------------------------------------------------------------------------------------------------- */

/* Rows of strands that all have the same number of vertices; 0: they differ, or these are no strands. */
static uint32_t rows_of(const view_body *body)
{
    uint32_t rows = 0, length = 1;
    for (uint32_t i = 0; i < body->segment_count; i++) {
        length++;
        bool ends = i + 1 == body->segment_count || body->segments[i + 1].v0 != body->segments[i].v1;
        if (ends && rows > 0 && rows != length) {
            return 0;
        }
        rows = ends ? length : rows;
        length = ends ? 1 : length;
    }
    return rows;
}

/* Splits every wisp down to the level limit: each call splits one more row or level. */
static dent_status split_all(dent_context *context, dent_wisp_tree *tree)
{
    dent_wisp_report report = {.splits = 1};
    dent_status status = DENT_OK;
    while (status == DENT_OK && report.splits > 0) {
        uint32_t count;
        dent_wisp_tree_nodes(tree, &count);
        double *strong = dent_allocate(context, 3 * (size_t)count, sizeof *strong);
        for (size_t i = 0; strong != NULL && i < 3 * (size_t)count; i++) {
            strong[i] = 1e100;
        }
        status = strong != NULL ? dent_wisp_tree_adapt(tree, strong, &report) : DENT_ERROR_OUT_OF_MEMORY;
        dent_release(context, strong, 3 * (size_t)count, sizeof *strong);
    }
    return status;
}

static view_message *balls_of_wisps(const view_source *source, const dent_wisp_tree *tree, uint32_t level,
                                    uint32_t deepest)
{
    uint32_t count;
    const dent_wisp_node *nodes = dent_wisp_tree_nodes(tree, &count);
    uint32_t sent = count < BOXES_SENT ? count : BOXES_SENT;
    view_message *message = begin_shapes(sent, level, deepest, SHAPE_BALLS, count);
    for (uint32_t i = 0; i < sent && message != NULL; i++) {
        float ball[4] = {0, 0, 0, view_length(source, nodes[i].radius)};
        for (int axis = 0; axis < 3; axis++) {
            ball[axis] = view_place(source, nodes[i].position[axis], axis);
        }
        if (!view_message_append(message, ball, sizeof ball)) {
            view_message_drop(message);
            message = NULL;
        }
    }
    return message;
}

/* The wisps of one level over the strands of a body: a ball for every row of each. */
static view_message *make_wisps(view_source *source, uint32_t index, uint32_t level)
{
    const view_body *body = &source->bodies[index];
    dent_context *context = source->context;
    dent_wisp_tree_def def = dent_wisp_tree_def_default();
    dent_wisp_tree *tree = NULL;
    view_message *message = NULL;
    uint32_t deepest = 0;
    def.row_count = rows_of(body);
    if (def.row_count == 0) {
        view_fail(source, "wisps need a body of strands that all have the same number of vertices");
        return NULL;
    }
    def.strand_count = body->vertex_count / def.row_count;
    while (deepest < 31 && UINT32_C(1) << deepest < def.strand_count) {
        deepest++;
    }
    def.positions = body->positions;
    def.strand_radius = body->radius;
    def.level_limit = level < deepest ? level : deepest;
    def.split_threshold = 1e-300;
    dent_status status = dent_wisp_tree_create(context, &def, &tree);
    status = status == DENT_OK ? split_all(context, tree) : status;
    if (status == DENT_OK) {
        message = balls_of_wisps(source, tree, def.level_limit, deepest);
    }
    if (message == NULL) {
        view_fail(source, "out of memory");
    }
    dent_wisp_tree_destroy(tree);
    return message;
}

static view_message *make_tree(view_source *source, const view_tree *tree, uint32_t body, uint32_t level)
{
    switch (tree->family) {
    case VIEW_TREE_WISPS:
        return make_wisps(source, body, level);
    case VIEW_TREE_SEARCH:
        return view_make_search(source, tree->method, body, level);
    case VIEW_TREE_BSP:
        return view_make_bsp(source, body, level);
    case VIEW_TREE_KINETIC:
        return view_make_kinetic(source, body, level);
    default:
        return find_present_tree(source, body, tree->kind) ? nodes_of(source, level, tree->kind == DENT_BOUND_SPHERES) : NULL;
    }
}

view_message *view_make_boxes(view_source *source, const view_settings *requests)
{
    dent_structure_shapes shapes = {0};
    bool wanted = requests->structure_wanted && requests->structure_body < source->body_count;
    if (wanted && requests->tree != NULL) {
        return make_tree(source, requests->tree, requests->structure_body, requests->structure_level);
    }
    if (wanted && dent_world_structure(source->world, requests->structure, source->bodies[requests->structure_body].id,
                                       requests->structure_level, &shapes) != DENT_OK) {
        view_fail(source, "%s", dent_world_message(source->world));
        return NULL;
    }
    uint32_t sent = shapes.count < BOXES_SENT ? (uint32_t)shapes.count : BOXES_SENT;
    view_message *message = begin_shapes(sent, shapes.level, shapes.deepest, SHAPE_BOXES, shapes.count);
    bool good = message != NULL;
    for (uint32_t i = 0; i < sent && good; i++) {
        good = view_append_box(source, shapes.boxes[i].lo, shapes.boxes[i].hi, message);
    }
    return end_shapes(source, message, good);
}
