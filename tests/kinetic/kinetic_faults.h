/* The invariants of a kinetic tree: every winner is below its node and beats all vertices there, every event is at the failure
 * of its certificate and in the future, the shape is balanced. */
#ifndef DENT_TESTS_KINETIC_FAULTS_H
#define DENT_TESTS_KINETIC_FAULTS_H

#include "kinetic/kinetic_data.h"

static inline bool kinetic_beats(const struct dent_kinetic *tree, uint32_t a, uint32_t b, uint32_t slot)
{
    struct moving_value first = kinetic_value(tree, a, slot), second = kinetic_value(tree, b, slot);
    int order = moving_order(&first, &second, tree->now);
    return order > 0 || (order == 0 && a <= b);
}

/* Does `winner` beat all vertices below the node? `*found`: it is one of them. */
static inline bool kinetic_wins(const struct dent_kinetic *tree, uint32_t number, uint32_t slot, uint32_t winner, bool *found)
{
    const struct kinetic_node *node = kinetic_node(tree, number);
    if (node->element == NO_NODE) {
        return kinetic_wins(tree, node->children[0], slot, winner, found) &
               kinetic_wins(tree, node->children[1], slot, winner, found);
    }
    const struct kinetic_element *element = kinetic_element(tree, node->element);
    bool wins = true;
    for (uint32_t i = 0; i < element->corners; i++) {
        wins &= kinetic_beats(tree, winner, element->vertices[i], slot);
        *found |= element->vertices[i] == winner;
    }
    return wins;
}

static inline double kinetic_failure(const struct dent_kinetic *tree, uint32_t number, uint32_t slot)
{
    const struct kinetic_node *node = kinetic_node(tree, number);
    uint32_t winner = kinetic_winners(tree, number)[slot], others[DENT_KINETIC_CORNERS], count = 2;
    double failure = INFINITY;
    if (node->element == NO_NODE) {
        others[0] = kinetic_winners(tree, node->children[0])[slot];
        others[1] = kinetic_winners(tree, node->children[1])[slot];
    } else {
        count = kinetic_element(tree, node->element)->corners;
        memcpy(others, kinetic_element(tree, node->element)->vertices, count * sizeof *others);
    }
    struct moving_value own = kinetic_value(tree, winner, slot);
    for (uint32_t i = 0; i < count; i++) {
        struct moving_value other = kinetic_value(tree, others[i], slot);
        failure = others[i] == winner ? failure : fmin(failure, moving_first_failure(&own, &other, tree->now));
    }
    return failure;
}

static inline const char *kinetic_fault_of_slot(const struct dent_kinetic *tree, uint32_t number, uint32_t slot)
{
    uint32_t place = ((const uint32_t *)tree->queue.places.data)[number * tree->slots + slot];
    double time = place == UINT32_MAX ? INFINITY : ((const struct queued_event *)tree->queue.heap.data)[place].time;
    bool found = false;
    if (!kinetic_wins(tree, number, slot, kinetic_winners(tree, number)[slot], &found)) {
        return "a certificate is false";
    }
    if (!found) {
        return "a winner is not below its node";
    }
    if (time != (kinetic_node(tree, number)->refit ? INFINITY : kinetic_failure(tree, number, slot))) {
        return "an event is not at the failure of its certificate";
    }
    return time <= tree->now ? "an event is not in the future" : NULL;
}

static inline const char *kinetic_fault_below(const struct dent_kinetic *tree, uint32_t number, uint32_t parent)
{
    const struct kinetic_node *node = kinetic_node(tree, number);
    const char *fault = node->parent != parent ? "a parent is wrong" : NULL;
    if (node->element == NO_NODE) {
        uint32_t left = kinetic_node(tree, node->children[0])->height, right = kinetic_node(tree, node->children[1])->height;
        bool balanced = left <= right + 1 && right <= left + 1;
        fault = fault ? fault : node->height != 1 + (left > right ? left : right) ? "a height is wrong" : NULL;
        fault = fault ? fault : !balanced ? "a node is not balanced" : NULL;
        fault = fault ? fault : kinetic_fault_below(tree, node->children[0], number);
        fault = fault ? fault : kinetic_fault_below(tree, node->children[1], number);
    }
    for (uint32_t slot = 0; slot < tree->slots && !fault; slot++) {
        fault = kinetic_fault_of_slot(tree, number, slot);
    }
    return fault;
}

/* Null, or what is wrong. Between the events of one time the tree need not be right. */
static inline const char *kinetic_find_fault(const struct dent_kinetic *tree)
{
    return tree->root == NO_NODE ? NULL : kinetic_fault_below(tree, tree->root, NO_NODE);
}

#endif
