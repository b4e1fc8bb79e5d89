/* The shape of the tree: balanced over a space-filling order when it is built, kept balanced by rotations when elements
 * come and go. Heights of two children differ by 1 at most (Adelson-Velsky & Landis 1962), so the height is below
 * 1.5 log2 n. A new leaf goes where the sum of edges of the boxes grows least.
 */
#include "kinetic/kinetic_data.h"

#include "neighbours/point_order.h"

/* ---- room -------------------------------------------------------------------------------------------------------- */

bool kinetic_tree_reserve(struct dent_kinetic *tree, uint32_t count)
{
    size_t nodes = 2 * (size_t)(tree->element_count + (uint64_t)count);
    tree->winners.count = tree->nodes.count * tree->slots; /* what is kept when it grows */
    return array_reserve_growing(&tree->nodes, nodes) && array_reserve_growing(&tree->winners, nodes * tree->slots) &&
           event_queue_reserve(&tree->queue, nodes * tree->slots) && array_reserve_growing(&tree->stack, nodes) &&
           array_reserve_growing(&tree->refit_order, nodes);
}

static uint32_t take_node(struct dent_kinetic *tree)
{
    uint32_t number = tree->free_node;
    if (number == NO_NODE) {
        number = (uint32_t)tree->nodes.count++;
    } else {
        tree->free_node = kinetic_node(tree, number)->children[0];
    }
    *kinetic_node(tree, number) = (struct kinetic_node){
        .parent = NO_NODE, .children = {NO_NODE, NO_NODE}, .element = NO_NODE, .first_pair = NO_NODE,
        .refit = tree->def.mode == DENT_KINETIC_REFIT};
    return number;
}

static void give_node(struct dent_kinetic *tree, uint32_t number)
{
    for (uint32_t slot = 0; slot < tree->slots; slot++) {
        event_queue_remove(&tree->queue, number * tree->slots + slot);
    }
    kinetic_node(tree, number)->children[0] = tree->free_node;
    tree->free_node = number;
}

/* ---- building ---------------------------------------------------------------------------------------------------- */

static double middle_of(const struct dent_kinetic *tree, const struct kinetic_element *element, uint32_t axis)
{
    double lo = INFINITY, hi = -INFINITY;
    for (uint32_t i = 0; i < element->corners; i++) {
        struct moving_value value = kinetic_value(tree, element->vertices[i], 2 * axis + 1);
        double place = moving_guess(&value, tree->now);
        lo = fmin(lo, place);
        hi = fmax(hi, place);
    }
    return 0.5 * lo + 0.5 * hi;
}

/* Elements first to first + count - 1 of the order. Returns the root. Depth is log2 n: recursion is safe. */
static uint32_t build(struct dent_kinetic *tree, const struct ordered_point *order, uint32_t count, uint32_t parent)
{
    uint32_t number = take_node(tree);
    struct kinetic_node *node = kinetic_node(tree, number);
    node->parent = parent;
    if (count == 1) {
        node->element = order->index;
        kinetic_element(tree, order->index)->leaf = number;
        return number;
    }
    uint32_t half = count / 2;
    uint32_t left = build(tree, order, half, number), right = build(tree, order + half, count - half, number);
    node = kinetic_node(tree, number);
    node->children[0] = left;
    node->children[1] = right;
    uint32_t left_height = kinetic_node(tree, left)->height, right_height = kinetic_node(tree, right)->height;
    node->height = 1 + (left_height > right_height ? left_height : right_height);
    return number;
}

/* Places of at most 2^1000: the order needs no more than what a shift by a power of two keeps. */
static double bounded(double place)
{
    return fmax(-0x1p1000, fmin(0x1p1000, place));
}

bool kinetic_tree_build(struct dent_kinetic *tree)
{
    arena_reset(&tree->scratch);
    struct ordered_point *order = arena_allocate(&tree->scratch, tree->element_count, sizeof *order);
    uint32_t filled = 0;
    for (uint32_t e = 0; order && e < tree->elements.count; e++) {
        const struct kinetic_element *element = kinetic_element(tree, e);
        for (uint32_t axis = 0; axis < 3 && element->corners > 0; axis++) {
            order[filled].point[axis] = bounded(middle_of(tree, element, axis));
        }
        order[filled].index = e;
        filled += element->corners > 0;
    }
    if (!order || (filled > 1 && point_order_sort_in(tree->context, order, filled, &tree->scratch) != DENT_OK)) {
        return false;
    }
    event_queue_clear(&tree->queue);
    array_clear(&tree->nodes);
    tree->free_node = NO_NODE;
    tree->root = filled > 0 ? build(tree, order, filled, NO_NODE) : NO_NODE;
    return true;
}

/* ---- one at a time ----------------------------------------------------------------------------------------------- */

static uint32_t height_of(const struct dent_kinetic *tree, uint32_t node)
{
    return kinetic_node(tree, node)->height;
}

static void update_height(struct dent_kinetic *tree, uint32_t number)
{
    struct kinetic_node *node = kinetic_node(tree, number);
    uint32_t left = height_of(tree, node->children[0]), right = height_of(tree, node->children[1]);
    node->height = 1 + (left > right ? left : right);
}

static void replace_child(struct dent_kinetic *tree, uint32_t parent, uint32_t before, uint32_t after)
{
    kinetic_node(tree, after)->parent = parent;
    if (parent == NO_NODE) {
        tree->root = after;
    } else {
        struct kinetic_node *node = kinetic_node(tree, parent);
        node->children[node->children[1] == before] = after;
    }
}

/* If one child is higher than the other by two, it takes the place of its parent, which gets its lower child. Returns the
 * node that is there now. */
static uint32_t balance(struct dent_kinetic *tree, uint32_t number)
{
    struct kinetic_node *node = kinetic_node(tree, number);
    uint32_t left = height_of(tree, node->children[0]), right = height_of(tree, node->children[1]);
    if (left <= right + 1 && right <= left + 1) {
        return number;
    }
    uint32_t side = right > left, upper = node->children[side];
    struct kinetic_node *risen = kinetic_node(tree, upper);
    uint32_t lower_side = height_of(tree, risen->children[0]) > height_of(tree, risen->children[1]);
    uint32_t moved = risen->children[lower_side];
    replace_child(tree, node->parent, number, upper);
    risen->children[lower_side] = number;
    node->parent = upper;
    node->children[side] = moved;
    kinetic_node(tree, moved)->parent = number;
    update_height(tree, number);
    kinetic_node_decide(tree, number);
    return upper;
}

/* Heights, balance and winners from a node up to the root. */
static void mend_upward(struct dent_kinetic *tree, uint32_t node)
{
    while (node != NO_NODE) {
        update_height(tree, node);
        node = balance(tree, node);
        update_height(tree, node);
        kinetic_node_decide(tree, node);
        node = kinetic_node(tree, node)->parent;
    }
    tree->changed_shape = true;
}

static double guess_side(const struct dent_kinetic *tree, uint32_t node, uint32_t slot)
{
    struct moving_value value = kinetic_value(tree, kinetic_winners(tree, node)[slot], slot);
    return moving_guess(&value, tree->now);
}

/* How much the edges of the box of a node grow, if it takes the leaf in, an eighth of that. */
static double growth(const struct dent_kinetic *tree, uint32_t node, uint32_t leaf)
{
    double sum = 0;
    for (uint32_t slot = 0; slot < 6; slot++) {
        double own = guess_side(tree, node, slot), other = guess_side(tree, leaf, slot);
        sum += other > own ? 0.125 * other - 0.125 * own : 0;
    }
    return sum;
}

void kinetic_tree_insert(struct dent_kinetic *tree, uint32_t element)
{
    uint32_t leaf = take_node(tree);
    kinetic_node(tree, leaf)->element = element;
    kinetic_element(tree, element)->leaf = leaf;
    kinetic_node_decide(tree, leaf);
    tree->changed_shape = true;
    if (tree->root == NO_NODE) {
        tree->root = leaf;
        return;
    }
    uint32_t sibling = tree->root;
    while (kinetic_node(tree, sibling)->element == NO_NODE) {
        const uint32_t *children = kinetic_node(tree, sibling)->children;
        sibling = children[growth(tree, children[1], leaf) < growth(tree, children[0], leaf)];
    }
    uint32_t above = take_node(tree), parent = kinetic_node(tree, sibling)->parent;
    replace_child(tree, parent, sibling, above);
    kinetic_node(tree, above)->children[0] = sibling;
    kinetic_node(tree, above)->children[1] = leaf;
    kinetic_node(tree, sibling)->parent = kinetic_node(tree, leaf)->parent = above;
    mend_upward(tree, above);
}

void kinetic_tree_remove(struct dent_kinetic *tree, uint32_t element)
{
    uint32_t leaf = kinetic_element(tree, element)->leaf, parent = kinetic_node(tree, leaf)->parent;
    kinetic_element(tree, element)->leaf = NO_NODE;
    give_node(tree, leaf);
    tree->changed_shape = true;
    if (parent == NO_NODE) {
        tree->root = NO_NODE;
        return;
    }
    const struct kinetic_node *above = kinetic_node(tree, parent);
    uint32_t sibling = above->children[above->children[0] == leaf], upper = above->parent;
    replace_child(tree, upper, parent, sibling);
    give_node(tree, parent);
    mend_upward(tree, upper);
}
