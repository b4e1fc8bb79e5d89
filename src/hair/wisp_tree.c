/* Making an adaptive wisp tree: strands are halved by their roots across the widest side, down to single strands or the
 * level limit; masses, mean positions and radii follow from the leaves up. */
#include "hair/wisp_tree_state.h"

#include "base/containers/heap_sort.h"

#include <float.h>

dent_wisp_tree_def dent_wisp_tree_def_default(void)
{
    return (dent_wisp_tree_def){
        .struct_size = sizeof(dent_wisp_tree_def), .level_limit = 31, .split_threshold = INFINITY};
}

static dent_status check_wisp_def(dent_context *context, const dent_wisp_tree_def *def)
{
    if (def->struct_size != sizeof *def || def->strand_count == 0 || def->strand_count > UINT32_MAX / 4 ||
        def->row_count < 2 || !def->positions || def->level_limit > 31 || !(def->strand_radius >= 0) ||
        !(def->strand_radius <= DBL_MAX) || !(def->split_threshold > 0) || !(def->merge_distance >= 0) ||
        !(def->merge_speed >= 0)) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT,
                         "the wisp tree def was not made by dent_wisp_tree_def_default(), or a number is out of range");
    }
    size_t vertices = (size_t)def->strand_count * def->row_count;
    for (size_t i = 0; i < 3 * vertices; i++) {
        if (!(fabs(def->positions[i]) <= DBL_MAX)) {
            return dent_fail(context, DENT_ERROR_BAD_NUMBER, "vertex %zu: %c is not finite", i / 3, "xyz"[i % 3]);
        }
    }
    for (size_t v = 0; def->masses && v < vertices; v++) {
        if (!(def->masses[v] > 0 && def->masses[v] <= DBL_MAX)) {
            return dent_fail(context, DENT_ERROR_BAD_NUMBER, "the mass of vertex %zu is %g", v, def->masses[v]);
        }
    }
    return DENT_OK;
}

/* ---- grouping ---------------------------------------------------------------------------------------------------- */

struct root_order {
    const dent_wisp_tree_def *def;
    int axis;
};

static bool root_before(const void *left, const void *right, const void *data)
{
    const struct root_order *order = data;
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    size_t stride = 3 * (size_t)order->def->row_count;
    double x = order->def->positions[a * stride + (size_t)order->axis];
    double y = order->def->positions[b * stride + (size_t)order->axis];
    return x != y ? x < y : a < b;
}

static int widest_axis(const dent_wisp_tree_def *def, const uint32_t *strands, uint32_t count)
{
    double width[3];
    for (int axis = 0; axis < 3; axis++) {
        double low = INFINITY, high = -INFINITY;
        for (uint32_t i = 0; i < count; i++) {
            double x = def->positions[3 * (size_t)strands[i] * def->row_count + (size_t)axis];
            low = x < low ? x : low;
            high = x > high ? x : high;
        }
        width[axis] = high - low;
    }
    return width[0] >= width[1] && width[0] >= width[2] ? 0 : width[1] >= width[2] ? 1 : 2;
}

/* Adds the wisp of a range of strands and, below it, those of its halves. The depth is at most 31. */
static uint32_t add_wisp(dent_wisp_tree *tree, const dent_wisp_tree_def *def, uint32_t parent, uint32_t level,
                         uint32_t begin, uint32_t end)
{
    uint32_t number = (uint32_t)tree->wisps.count, *order = tree->order.data;
    const struct wisp fresh = {
        .parent = parent, .children = {NO_WISP, NO_WISP}, .level = level, .begin = begin, .end = end};
    array_push(&tree->wisps, &fresh); /* has room */
    if (end - begin > 1 && level < def->level_limit) {
        struct root_order by = {def, widest_axis(def, order + begin, end - begin)};
        heap_sort(order + begin, end - begin, sizeof *order, root_before, &by);
        uint32_t middle = begin + (end - begin) / 2;
        uint32_t left = add_wisp(tree, def, number, level + 1, begin, middle);
        uint32_t right = add_wisp(tree, def, number, level + 1, middle, end);
        struct wisp *wisps = tree->wisps.data;
        wisps[number].children[0] = left;
        wisps[number].children[1] = right;
    } else {
        for (uint32_t i = begin; i < end; i++) {
            ((uint32_t *)tree->leaf_of.data)[order[i]] = number;
        }
    }
    return number;
}

/* ---- shapes ------------------------------------------------------------------------------------------------------ */

static void measure_leaf(dent_wisp_tree *tree, const dent_wisp_tree_def *def, const struct wisp *wisp, uint32_t row,
                         struct wisp_row *node)
{
    const uint32_t *order = tree->order.data;
    double sum[3] = {0};
    node->mass = 0;
    for (uint32_t i = wisp->begin; i < wisp->end; i++) {
        size_t v = (size_t)order[i] * def->row_count + row;
        double mass = def->masses ? def->masses[v] : 1;
        node->mass += mass;
        vector_add_scaled(sum, mass, def->positions + 3 * v);
    }
    for (int axis = 0; axis < 3; axis++) {
        node->position[axis] = sum[axis] / node->mass;
    }
    node->radius = 0;
    for (uint32_t i = wisp->begin; i < wisp->end; i++) {
        size_t v = (size_t)order[i] * def->row_count + row;
        double *offset = (double *)tree->strand_offsets.data + 3 * v;
        vector_subtract(def->positions + 3 * v, node->position, offset);
        double reach = vector_length(offset) + def->strand_radius;
        node->radius = reach > node->radius ? reach : node->radius;
    }
}

static void measure_parent(const dent_wisp_tree *tree, const struct wisp *wisp, uint32_t row, struct wisp_row *node)
{
    struct wisp_row *children[2];
    double sum[3] = {0};
    node->mass = 0;
    for (int i = 0; i < 2; i++) {
        children[i] = wisp_row_at(tree, row, wisp->children[i]);
        node->mass += children[i]->mass;
        vector_add_scaled(sum, children[i]->mass, children[i]->position);
    }
    for (int axis = 0; axis < 3; axis++) {
        node->position[axis] = sum[axis] / node->mass;
    }
    node->radius = 0;
    for (int i = 0; i < 2; i++) {
        vector_subtract(children[i]->position, node->position, children[i]->rest_offset);
        vector_copy(children[i]->rest_offset, children[i]->offset);
        double reach = vector_length(children[i]->offset) + children[i]->radius;
        node->radius = reach > node->radius ? reach : node->radius;
    }
}

static void measure_wisps(dent_wisp_tree *tree, const dent_wisp_tree_def *def)
{
    const struct wisp *wisps = tree->wisps.data;
    memset(tree->rows.data, 0, tree->rows.count * sizeof(struct wisp_row));
    for (uint32_t row = 0; row < def->row_count; row++) {
        for (uint32_t w = (uint32_t)tree->wisps.count; w-- > 0;) { /* children before parents */
            struct wisp_row *node = wisp_row_at(tree, row, w);
            if (wisps[w].children[0] == NO_WISP) {
                measure_leaf(tree, def, &wisps[w], row, node);
            } else {
                measure_parent(tree, &wisps[w], row, node);
            }
        }
    }
}

/* ---- the calls --------------------------------------------------------------------------------------------------- */

void dent_wisp_tree_destroy(dent_wisp_tree *tree)
{
    if (!tree) {
        return;
    }
    struct dynamic_array *arrays[] = {&tree->wisps,      &tree->order,  &tree->rows,  &tree->strand_offsets,
                                      &tree->leaf_of,    &tree->active, &tree->first, &tree->positions,
                                      &tree->velocities, &tree->radii,  &tree->nodes, &tree->child_count,
                                      &tree->only_child};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
        array_destroy(arrays[i]);
    }
    dent_release(tree->context, tree, 1, sizeof *tree);
}

static void init_arrays(dent_wisp_tree *tree, dent_context *context)
{
    array_init(&tree->wisps, context, sizeof(struct wisp));
    array_init(&tree->order, context, sizeof(uint32_t));
    array_init(&tree->rows, context, sizeof(struct wisp_row));
    array_init(&tree->strand_offsets, context, 3 * sizeof(double));
    array_init(&tree->leaf_of, context, sizeof(uint32_t));
    array_init(&tree->active, context, sizeof(dent_wisp_node));
    array_init(&tree->first, context, sizeof(uint32_t));
    array_init(&tree->positions, context, 3 * sizeof(double));
    array_init(&tree->velocities, context, 3 * sizeof(double));
    array_init(&tree->radii, context, sizeof(double));
    array_init(&tree->nodes, context, sizeof(uint32_t));
    array_init(&tree->child_count, context, sizeof(uint32_t));
    array_init(&tree->only_child, context, sizeof(uint32_t));
}

static dent_status build_tree(void *data)
{
    dent_wisp_tree *tree = data;
    const dent_wisp_tree_def *def = &tree->def;
    size_t vertices = (size_t)def->strand_count * def->row_count;
    uint32_t *order = array_extend(&tree->order, def->strand_count);
    if (!order || !array_extend(&tree->leaf_of, def->strand_count) ||
        !array_reserve(&tree->wisps, 2 * (size_t)def->strand_count) || !array_extend(&tree->strand_offsets, vertices)) {
        return DENT_ERROR_OUT_OF_MEMORY;
    }
    for (uint32_t s = 0; s < def->strand_count; s++) {
        order[s] = s;
    }
    add_wisp(tree, def, NO_WISP, 0, 0, def->strand_count);
    if (!array_extend(&tree->rows, tree->wisps.count * def->row_count) || !array_reserve(&tree->active, vertices)) {
        return DENT_ERROR_OUT_OF_MEMORY;
    }
    measure_wisps(tree, def);
    wisp_tree_list_active(tree);
    return DENT_OK;
}

dent_status dent_wisp_tree_create(dent_context *context, const dent_wisp_tree_def *def, dent_wisp_tree **tree)
{
    DENT_REQUIRE(context, context);
    DENT_REQUIRE(context, def);
    DENT_REQUIRE(context, tree);
    dent_status status = check_wisp_def(context, def);
    if (status != DENT_OK) {
        return status;
    }
    dent_wisp_tree *made = dent_allocate(context, 1, sizeof *made);
    if (!made) {
        return dent_fail(context, DENT_ERROR_OUT_OF_MEMORY, "no memory for a wisp tree");
    }
    *made = (dent_wisp_tree){.context = context, .def = *def};
    init_arrays(made, context);
    if (dent_call_guarded(context, build_tree, made) != DENT_OK) {
        dent_wisp_tree_destroy(made);
        return dent_fail(context, DENT_ERROR_OUT_OF_MEMORY, "no memory for a wisp tree");
    }
    made->def.positions = made->def.masses = NULL;
    *tree = made;
    return DENT_OK;
}

const dent_wisp_node *dent_wisp_tree_nodes(const dent_wisp_tree *tree, uint32_t *count)
{
    if (!tree || !count) {
        return NULL;
    }
    *count = (uint32_t)tree->active.count;
    return tree->active.data;
}
