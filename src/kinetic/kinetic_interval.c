/* One step of a motion that is known key by key: see kinetic_interval.h. */
#include "kinetic/kinetic_interval.h"

#include "kinetic/kinetic_data.h"
#include "neighbours/neighbours_data.h"

/* Least and largest coordinates at both ends. */
struct end_boxes {
    double lo[2][3], hi[2][3];
};

static void bound_element(const struct dent_kinetic *tree, const dent_positions positions[2], uint32_t number,
                          struct end_boxes *boxes)
{
    const struct kinetic_element *element = kinetic_element(tree, number);
    for (int end = 0; end < 2; end++) {
        for (uint32_t i = 0; i < element->corners; i++) {
            double place[3];
            neighbours_read_place(&positions[end], element->vertices[i], place);
            for (int axis = 0; axis < 3; axis++) {
                double x = place[axis];
                boxes->lo[end][axis] = i == 0 || x < boxes->lo[end][axis] ? x : boxes->lo[end][axis];
                boxes->hi[end][axis] = i == 0 || x > boxes->hi[end][axis] ? x : boxes->hi[end][axis];
            }
        }
    }
}

static void join_boxes(const struct end_boxes *a, const struct end_boxes *b, struct end_boxes *boxes)
{
    for (int end = 0; end < 2; end++) {
        for (int axis = 0; axis < 3; axis++) {
            boxes->lo[end][axis] = a->lo[end][axis] < b->lo[end][axis] ? a->lo[end][axis] : b->lo[end][axis];
            boxes->hi[end][axis] = a->hi[end][axis] > b->hi[end][axis] ? a->hi[end][axis] : b->hi[end][axis];
        }
    }
}

/* Is one beyond the other along the same axis, in the same sense, at both ends? */
static bool have_witness(const struct end_boxes *a, const struct end_boxes *b)
{
    bool apart = false;
    for (int axis = 0; axis < 3; axis++) {
        apart |= (b->lo[0][axis] > a->hi[0][axis]) & (b->lo[1][axis] > a->hi[1][axis]);
        apart |= (a->lo[0][axis] > b->hi[0][axis]) & (a->lo[1][axis] > b->hi[1][axis]);
    }
    return apart;
}

/* Boxes of all nodes, children before parents. The tree was built at once: children have larger numbers. */
static void bound_all(struct dent_kinetic *tree, const dent_positions positions[2], struct end_boxes *boxes)
{
    for (size_t number = tree->nodes.count; number-- > 0;) {
        const struct kinetic_node *node = kinetic_node(tree, (uint32_t)number);
        if (node->element == NO_NODE) {
            join_boxes(&boxes[node->children[0]], &boxes[node->children[1]], &boxes[number]);
        } else {
            bound_element(tree, positions, node->element, &boxes[number]);
        }
    }
}

static bool push(struct dynamic_array *array, uint32_t a, uint32_t b)
{
    uint64_t pair = (uint64_t)a << 32 | b;
    return array_push(array, &pair);
}

/* Opens a pair of nodes without a witness, or keeps a pair of leaves. */
static bool visit(struct dent_kinetic *tree, const struct end_boxes *boxes, struct dynamic_array *stack, uint32_t a, uint32_t b)
{
    const struct kinetic_node *first = kinetic_node(tree, a), *second = kinetic_node(tree, b);
    if (a == b) {
        return first->height == 0 || (push(stack, first->children[0], first->children[0]) &&
                                      push(stack, first->children[1], first->children[1]) &&
                                      push(stack, first->children[0], first->children[1]));
    }
    if (have_witness(&boxes[a], &boxes[b])) {
        return true;
    }
    if (first->height == 0 && second->height == 0) {
        bool ordered = first->element < second->element;
        return push(&tree->keys, ordered ? first->element : second->element, ordered ? second->element : first->element);
    }
    return first->height >= second->height ? push(stack, first->children[0], b) && push(stack, first->children[1], b)
                                           : push(stack, a, second->children[0]) && push(stack, a, second->children[1]);
}

bool kinetic_interval_pairs(dent_kinetic *tree, const dent_positions positions[2], const uint64_t **pairs, uint64_t *count)
{
    struct dynamic_array *stack = &tree->front.stack;
    arena_reset(&tree->scratch);
    struct end_boxes *boxes = arena_allocate(&tree->scratch, tree->nodes.count, sizeof *boxes);
    bool enough = boxes != NULL;
    array_clear(&tree->keys);
    array_clear(stack);
    if (enough && tree->root != NO_NODE) {
        bound_all(tree, positions, boxes);
        enough = push(stack, tree->root, tree->root);
    }
    while (enough && stack->count > 0) {
        uint64_t next = ((const uint64_t *)stack->data)[--stack->count];
        enough = visit(tree, boxes, stack, (uint32_t)(next >> 32), (uint32_t)next);
    }
    array_clear(stack);
    *pairs = tree->keys.data;
    *count = tree->keys.count;
    return enough;
}
