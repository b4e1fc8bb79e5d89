/* The way down the surface trees, nearest nodes first: of rays by the time at which a box is entered, of points by the
 * squared distance of a box. Compiled into each of them. */
#ifndef DENT_QUERY_LOOKUP_DESCENT_H
#define DENT_QUERY_LOOKUP_DESCENT_H

#include <math.h>

#include "query/lookup/lookup_search.h"

#define DESCENT_INLINE static inline __attribute__((always_inline))

/* One ray or point on its way. `walk` is what the two functions know of it. */
struct lookup_descent {
    const struct lookup_search *search;
    struct lookup_worker *worker;
    void *walk;
    const float *limit; /* boxes with larger keys are of no interest; `visit` lowers it */
    /* Keys of the sixteen boxes from `first` on, and bits of those that are not above the limit. */
    uint32_t (*measure)(const void *walk, float *const *lo, float *const *hi, uint32_t first, float keys[16]);
    /* Looks at the faces of a leaf. */
    void (*visit)(void *walk, uint32_t body_index, uint32_t leaf, float key);
};

/* Adds the nodes with their bits set to the stack, the nearest on top, the others in any order. Returns the new depth. */
DESCENT_INLINE uint32_t descent_push(struct lookup_node *stack, uint32_t depth, uint32_t level, uint32_t first,
                                     uint32_t bits, const float keys[16])
{
    uint32_t nearest = depth, end = depth;
    for (; bits; bits &= bits - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(bits);
        stack[end] = (struct lookup_node){keys[i], level, first + i};
        nearest = stack[end].key < stack[nearest].key ? end : nearest;
        end++;
    }
    if (end > depth) {
        struct lookup_node top = stack[nearest];
        stack[nearest] = stack[end - 1];
        stack[end - 1] = top;
    }
    return end;
}

/* Takes the nearest of the nodes with their bits set, at least one, and adds the others to the stack. */
DESCENT_INLINE struct lookup_node descent_take(struct lookup_node *stack, uint32_t *depth, uint32_t level, uint32_t first,
                                               uint32_t bits, const float keys[16])
{
    uint32_t i = (uint32_t)__builtin_ctz(bits), end = *depth;
    struct lookup_node nearest = {keys[i], level, first + i};
    for (bits &= bits - 1; bits; bits &= bits - 1) {
        i = (uint32_t)__builtin_ctz(bits);
        bool nearer = keys[i] < nearest.key;
        stack[end++] = (struct lookup_node){nearer ? nearest.key : keys[i], level, nearer ? nearest.node : first + i};
        nearest.key = nearer ? keys[i] : nearest.key;
        nearest.node = nearer ? first + i : nearest.node;
    }
    *depth = end;
    return nearest;
}

DESCENT_INLINE void prefetch_leaves(const struct surface_tree *tree, uint32_t first, uint32_t bits)
{
    for (; bits; bits &= bits - 1) {
        const char *points = (const char *)&tree->points[first + (uint32_t)__builtin_ctz(bits)];
        for (size_t line = 0; line < sizeof(struct leaf_points); line += 64) {
            __builtin_prefetch(points + line);
        }
    }
}

/* The next node of the stack that is of interest; false: none. */
DESCENT_INLINE bool descent_pop(const struct lookup_node *stack, uint32_t *depth, float limit, struct lookup_node *node)
{
    while (*depth > 0) {
        *node = stack[--*depth];
        if (node->key <= limit) {
            return true;
        }
    }
    return false;
}

DESCENT_INLINE void descend_body(const struct lookup_descent *descent, uint32_t body_index)
{
    const struct surface_tree *tree = descent->search->forest->bodies[body_index].tree;
    struct lookup_node stack[LOOKUP_STACK], node = {0, tree->level_count, 0};
    uint32_t depth = 0;
    bool more = true;
    while (more) {
        uint32_t bits = 0, first = node.node * LEAF_TREE_ARITY;
        float keys[16];
        if (node.level == 0) {
            descent->visit(descent->walk, body_index, node.node, node.key);
        } else {
            const struct tree_level *level = &tree->levels[node.level - 1];
            bits = descent->measure(descent->walk, level->lo, level->hi, first, keys) & lookup_nodes(level, first);
            descent->worker->box_tests += LEAF_TREE_ARITY;
        }
        if (node.level == 1) { /* the nearest leaf comes at once, the others a little later */
            prefetch_leaves(tree, first, bits);
        }
        if (bits) {
            node = descent_take(stack, &depth, node.level - 1, first, bits, keys);
        } else {
            more = descent_pop(stack, &depth, *descent->limit, &node);
        }
    }
}

/* The nearest body first, then the others. */
DESCENT_INLINE void descend(const struct lookup_descent *descent)
{
    const struct lookup_search *search = descent->search;
    float *keys = descent->worker->keys;
    uint32_t nearest = 0;
    if (search->slot_count == 1) {
        descend_body(descent, search->bodies[0]);
        return;
    }
    for (uint32_t first = 0; first < search->slot_count; first += 16) {
        uint32_t bits = descent->measure(descent->walk, search->lo, search->hi, first, keys + first);
        for (uint32_t i = 0; i < 16; i++) {
            keys[first + i] = bits >> i & 1 ? keys[first + i] : INFINITY;
        }
    }
    descent->worker->box_tests += search->slot_count;
    for (uint32_t slot = 1; slot < search->slot_count; slot++) {
        nearest = keys[slot] < keys[nearest] ? slot : nearest;
    }
    for (uint32_t i = 0; i < search->slot_count; i++) {
        uint32_t slot = i == 0 ? nearest : i <= nearest ? i - 1 : i;
        if (keys[slot] <= *descent->limit) {
            descend_body(descent, search->bodies[slot]);
        }
    }
}

/* The oracle: every face of every body. */
DESCENT_INLINE void visit_every_face(const struct lookup_search *search, void *walk,
                                     void (*test)(void *walk, uint32_t body_index, uint32_t face))
{
    for (uint32_t slot = 0; slot < search->slot_count; slot++) {
        uint32_t body_index = search->bodies[slot], count = search->snapshot->bodies[body_index].body->surface_face_count;
        for (uint32_t face = 0; face < count; face++) {
            test(walk, body_index, face);
        }
    }
}

#endif
