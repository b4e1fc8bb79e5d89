/* The way down the surface trees, nearest nodes first: of rays by the time at which a box is entered, of points by the
 * squared distance of a box. Compiled into each of them. */
#ifndef DENT_QUERY_LOOKUP_DESCENT_H
#define DENT_QUERY_LOOKUP_DESCENT_H

#include <math.h>

#include "query/lookup/lookup_search.h"

#define DESCENT_INLINE static inline __attribute__((always_inline))

/* A leaf that is reached. */
struct lookup_leaf {
    uint32_t body_index, leaf;
    float key;
};

/* One ray or point on its way: what is still to be looked at. */
struct lookup_descent {
    const struct lookup_search *search;
    float *keys; /* by slot of a body: how near it is; one body needs none */
    uint32_t body, nearest; /* how many bodies were begun; the slot of the first one */
    uint32_t body_index, depth;
    const struct surface_tree *tree; /* of the body that is walked */
    uint64_t box_tests;
    struct lookup_node stack[LOOKUP_STACK];
};

/* Keys of the sixteen boxes from `first` on, and bits of those that are not above the limit. */
typedef uint32_t lookup_measure(const void *walk, float *const *lo, float *const *hi, uint32_t first, float keys[16]);

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

/* How near the bodies are. */
DESCENT_INLINE void descent_begin(struct lookup_descent *descent, const void *walk, lookup_measure *measure)
{
    const struct lookup_search *search = descent->search;
    float *keys = descent->keys;
    descent->body = descent->nearest = descent->depth = 0;
    if (search->slot_count <= 1) {
        return;
    }
    for (uint32_t first = 0; first < search->slot_count; first += 16) {
        uint32_t bits = measure(walk, search->lo, search->hi, first, keys + first);
        for (uint32_t i = 0; i < 16; i++) {
            keys[first + i] = bits >> i & 1 ? keys[first + i] : INFINITY;
        }
    }
    descent->box_tests += search->slot_count;
    for (uint32_t slot = 1; slot < search->slot_count; slot++) {
        descent->nearest = keys[slot] < keys[descent->nearest] ? slot : descent->nearest;
    }
}

/* The nearest body first, then the others. */
DESCENT_INLINE bool descent_next_body(struct lookup_descent *descent, float limit, struct lookup_node *root)
{
    const struct lookup_search *search = descent->search;
    while (descent->body < search->slot_count) {
        uint32_t i = descent->body++, slot = i == 0 ? descent->nearest : i <= descent->nearest ? i - 1 : i;
        if (search->slot_count == 1 || descent->keys[slot] <= limit) {
            descent->body_index = search->bodies[slot];
            descent->tree = search->forest->bodies[descent->body_index].tree;
            *root = (struct lookup_node){0, descent->tree->level_count, 0};
            return true;
        }
    }
    return false;
}

/* The next leaf with a key that is not above *limit; false: there is none. The caller may lower *limit between calls. */
DESCENT_INLINE bool descent_next(struct lookup_descent *descent, const void *walk, lookup_measure *measure,
                                 const float *limit, struct lookup_leaf *leaf)
{
    for (;;) {
        struct lookup_node node;
        if (!descent_pop(descent->stack, &descent->depth, *limit, &node) &&
            !descent_next_body(descent, *limit, &node)) {
            return false;
        }
        while (node.level > 0) {
            const struct tree_level *level = &descent->tree->levels[node.level - 1];
            uint32_t first = node.node * LEAF_TREE_ARITY;
            float keys[16];
            uint32_t bits = measure(walk, level->lo, level->hi, first, keys) & lookup_nodes(level, first);
            descent->box_tests += LEAF_TREE_ARITY;
            if (node.level == 1) { /* the nearest leaf comes at once, the others a little later */
                prefetch_leaves(descent->tree, first, bits);
            }
            if (!bits) {
                break;
            }
            node = descent_take(descent->stack, &descent->depth, node.level - 1, first, bits, keys);
        }
        if (node.level == 0) {
            *leaf = (struct lookup_leaf){descent->body_index, node.node, node.key};
            return true;
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
