/* Boxes at the present time, and what overlaps. A side of a box is the place of its winner, rounded outward. */
#include "kinetic/kinetic_data.h"

#include "base/radix_sort.h"

/* The coordinate of a node along a slot, outward. */
static double side_of(const struct dent_kinetic *tree, uint32_t node, uint32_t slot)
{
    struct moving_value value = kinetic_value(tree, kinetic_winners(tree, node)[slot], slot);
    double lo, hi;
    moving_bounds(&value, tree->now, &lo, &hi);
    hi += slot >= 6 ? 2 * tree->slack : 0;
    return slot % 2 ? hi : -hi;
}

dent_status dent_kinetic_bounds(const dent_kinetic *tree, uint32_t element, double *bounds)
{
    DENT_REQUIRE(NULL, tree);
    DENT_REQUIRE(tree->context, bounds);
    uint32_t node = tree->root;
    if (element != DENT_KINETIC_ALL) {
        if (element >= tree->elements.count || kinetic_element(tree, element)->leaf == NO_NODE) {
            return dent_fail(tree->context, DENT_ERROR_INVALID_ARGUMENT, "there is no element %u", (unsigned)element);
        }
        node = kinetic_element(tree, element)->leaf;
    }
    for (uint32_t slot = 0; slot < tree->slots; slot++) {
        bounds[slot] = node == NO_NODE ? (slot % 2 ? -INFINITY : INFINITY) : side_of(tree, node, slot);
    }
    return DENT_OK;
}

dent_status dent_kinetic_positions(const dent_kinetic *tree, uint32_t first_vertex, uint32_t count, double *positions)
{
    DENT_REQUIRE(NULL, tree);
    DENT_REQUIRE_ARRAY(tree->context, count, positions);
    if (first_vertex > tree->vertices.count || count > tree->vertices.count - first_vertex) {
        return dent_fail(tree->context, DENT_ERROR_INVALID_ARGUMENT, "%u vertices from %u on: there are %zu",
                         (unsigned)count, (unsigned)first_vertex, tree->vertices.count);
    }
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t axis = 0; axis < 3; axis++) {
            struct moving_value value = kinetic_value(tree, first_vertex + i, 2 * axis + 1);
            positions[3 * (size_t)i + axis] = moving_place(&value, tree->now);
        }
    }
    return DENT_OK;
}

/* ---- a box ------------------------------------------------------------------------------------------------------- */

static bool meets(const struct dent_kinetic *tree, uint32_t node, const double box[6])
{
    for (uint32_t axis = 0; axis < 3; axis++) {
        if (side_of(tree, node, 2 * axis) > box[3 + axis] || side_of(tree, node, 2 * axis + 1) < box[axis]) {
            return false;
        }
    }
    return true;
}

struct overlap_call {
    dent_kinetic *tree;
    const double *box;
    dent_kinetic_hits *hits;
};

static bool collect(struct dent_kinetic *tree, const double box[6])
{
    uint32_t *stack = tree->stack.data; /* has room for all nodes */
    size_t filled = 0;
    array_clear(&tree->keys);
    if (tree->root != NO_NODE) {
        stack[filled++] = tree->root;
    }
    while (filled > 0) {
        uint32_t number = stack[--filled];
        const struct kinetic_node *node = kinetic_node(tree, number);
        if (!meets(tree, number, box)) {
            continue;
        }
        if (node->element == NO_NODE) {
            stack[filled++] = node->children[0];
            stack[filled++] = node->children[1];
        } else {
            uint64_t key = node->element;
            if (!array_push(&tree->keys, &key)) {
                return false;
            }
        }
    }
    return true;
}

/* Sorts the keys with scratch behind them. */
static bool sort_keys(struct dent_kinetic *tree)
{
    size_t count = tree->keys.count;
    if (!array_reserve_growing(&tree->keys, 2 * count)) {
        return false;
    }
    uint64_t *keys = tree->keys.data;
    radix_sort_u64(keys, NULL, keys + count, NULL, count);
    return true;
}

static dent_status overlapping(void *data)
{
    const struct overlap_call *call = data;
    dent_kinetic *tree = call->tree;
    for (int i = 0; i < 6; i++) {
        if (isnan(call->box[i])) {
            return dent_fail(tree->context, DENT_ERROR_BAD_NUMBER, "number %d of the box is not a number", i);
        }
    }
    if (!collect(tree, call->box) || !sort_keys(tree) || !array_reserve_growing(&tree->hits, tree->keys.count)) {
        return dent_fail(tree->context, DENT_ERROR_OUT_OF_MEMORY, "no memory for the elements found");
    }
    for (size_t i = 0; i < tree->keys.count; i++) {
        ((uint32_t *)tree->hits.data)[i] = (uint32_t)((const uint64_t *)tree->keys.data)[i];
    }
    *call->hits = (dent_kinetic_hits){tree->keys.count, tree->hits.data};
    return DENT_OK;
}

dent_status dent_kinetic_overlapping(dent_kinetic *tree, const double box[6], dent_kinetic_hits *hits)
{
    DENT_REQUIRE(NULL, tree);
    DENT_REQUIRE(tree->context, box);
    DENT_REQUIRE(tree->context, hits);
    struct overlap_call call = {tree, box, hits};
    return dent_call_guarded(tree->context, overlapping, &call);
}

/* ---- pairs ------------------------------------------------------------------------------------------------------- */

/* Sides of all nodes, by node and slot, from the scratch memory; null: none. */
static const double *evaluate_all(struct dent_kinetic *tree)
{
    arena_reset(&tree->scratch);
    double *sides = arena_allocate(&tree->scratch, tree->nodes.count * tree->slots, sizeof *sides);
    uint32_t *stack = tree->stack.data;
    size_t filled = 0;
    if (tree->root != NO_NODE && sides) {
        stack[filled++] = tree->root;
    }
    while (filled > 0) {
        uint32_t number = stack[--filled];
        const struct kinetic_node *node = kinetic_node(tree, number);
        for (uint32_t slot = 0; slot < tree->slots; slot++) {
            sides[(size_t)number * tree->slots + slot] = side_of(tree, number, slot);
        }
        if (node->element == NO_NODE) {
            stack[filled++] = node->children[0];
            stack[filled++] = node->children[1];
        }
    }
    return sides;
}

static bool nodes_meet(const struct dent_kinetic *tree, const double *sides, uint32_t a, uint32_t b)
{
    const double *first = sides + (size_t)a * tree->slots, *second = sides + (size_t)b * tree->slots;
    for (uint32_t slot = 0; slot < tree->slots; slot += 2) {
        if (first[slot] > second[slot + 1] || second[slot] > first[slot + 1]) {
            return false;
        }
    }
    return true;
}

static bool push_pair(struct dynamic_array *stack, uint32_t a, uint32_t b)
{
    uint64_t pair = (uint64_t)a << 32 | b;
    return array_push(stack, &pair);
}

/* Opens a pair of nodes, or keeps a pair of leaves. */
static bool visit(struct dent_kinetic *tree, const double *sides, struct dynamic_array *stack, uint32_t a, uint32_t b)
{
    const struct kinetic_node *first = kinetic_node(tree, a), *second = kinetic_node(tree, b);
    if (a == b) {
        return first->height == 0 || (push_pair(stack, first->children[0], first->children[0]) &&
                                      push_pair(stack, first->children[1], first->children[1]) &&
                                      push_pair(stack, first->children[0], first->children[1]));
    }
    if (!nodes_meet(tree, sides, a, b)) {
        return true;
    }
    if (first->height == 0 && second->height == 0) {
        uint32_t low = first->element < second->element ? first->element : second->element;
        uint64_t key = (uint64_t)low << 32 | (first->element ^ second->element ^ low);
        return array_push(&tree->keys, &key);
    }
    return first->height >= second->height
               ? push_pair(stack, first->children[0], b) && push_pair(stack, first->children[1], b)
               : push_pair(stack, a, second->children[0]) && push_pair(stack, a, second->children[1]);
}

static bool find_pairs(struct dent_kinetic *tree)
{
    const double *sides = evaluate_all(tree);
    struct dynamic_array *stack = &tree->front.stack;
    bool enough = sides != NULL;
    array_clear(&tree->keys);
    array_clear(stack);
    if (enough && tree->root != NO_NODE) {
        enough = push_pair(stack, tree->root, tree->root);
    }
    while (enough && stack->count > 0) {
        uint64_t next = ((const uint64_t *)stack->data)[--stack->count];
        enough = visit(tree, sides, stack, (uint32_t)(next >> 32), (uint32_t)next);
    }
    array_clear(stack);
    return enough && sort_keys(tree) && array_reserve_growing(&tree->pairs, tree->keys.count);
}

struct pairs_call {
    dent_kinetic *tree;
    dent_box_pairs *result;
};

static dent_status pairs(void *data)
{
    const struct pairs_call *call = data;
    dent_kinetic *tree = call->tree;
    if (!find_pairs(tree)) {
        return dent_fail(tree->context, DENT_ERROR_OUT_OF_MEMORY, "no memory for the pairs found");
    }
    for (size_t i = 0; i < tree->keys.count; i++) {
        uint64_t key = ((const uint64_t *)tree->keys.data)[i];
        ((dent_box_pair *)tree->pairs.data)[i] = (dent_box_pair){(uint32_t)(key >> 32), (uint32_t)key};
    }
    *call->result = (dent_box_pairs){tree->keys.count, tree->pairs.data};
    return DENT_OK;
}

dent_status dent_kinetic_pairs(dent_kinetic *tree, dent_box_pairs *result)
{
    DENT_REQUIRE(NULL, tree);
    DENT_REQUIRE(tree->context, result);
    struct pairs_call call = {tree, result};
    return dent_call_guarded(tree->context, pairs, &call);
}

/* ---- drawings ---------------------------------------------------------------------------------------------------- */

struct nodes_call {
    const dent_kinetic *tree;
    uint32_t least, most, capacity, count;
    dent_kinetic_node *nodes;
};

static void write_nodes(struct nodes_call *call, uint32_t number, uint32_t depth)
{
    const struct kinetic_node *node = kinetic_node(call->tree, number);
    if (depth >= call->least && call->count++ < call->capacity) {
        dent_kinetic_node *to = &call->nodes[call->count - 1];
        for (uint32_t axis = 0; axis < 3; axis++) {
            to->lo[axis] = side_of(call->tree, number, 2 * axis);
            to->hi[axis] = side_of(call->tree, number, 2 * axis + 1);
        }
        to->depth = depth;
        to->element = node->element;
    }
    if (depth < call->most && node->element == NO_NODE) {
        write_nodes(call, node->children[0], depth + 1);
        write_nodes(call, node->children[1], depth + 1);
    }
}

static dent_status nodes(void *data)
{
    struct nodes_call *call = data;
    if (call->tree->root != NO_NODE) {
        write_nodes(call, call->tree->root, 0);
    }
    return DENT_OK;
}

uint32_t dent_kinetic_nodes(const dent_kinetic *tree, uint32_t least, uint32_t most, dent_kinetic_node *to,
                            uint32_t capacity)
{
    struct nodes_call call = {tree, least, most, to ? capacity : 0, 0, to};
    if (tree) {
        dent_call_guarded(tree->context, nodes, &call);
    }
    return call.count;
}
