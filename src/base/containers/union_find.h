/* Union-find: which items are joined, directly or by way of others.
 *
 * In: an array of one parent per item, given by the caller. Out: the root of an item, the smallest of all that are
 * joined with it, so that the result does not depend on the order of the joins. Paths are halved as they are followed;
 * an item is never below a larger one. */
#ifndef DENT_BASE_UNION_FIND_H
#define DENT_BASE_UNION_FIND_H

#include <stddef.h>
#include <stdint.h>

static inline void union_find_init(uint32_t *parents, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        parents[i] = (uint32_t)i;
    }
}

static inline uint32_t union_find_root(uint32_t *parents, uint32_t item)
{
    while (parents[item] != item) {
        item = parents[item] = parents[parents[item]];
    }
    return item;
}

/* Returns the common root. */
static inline uint32_t union_find_join(uint32_t *parents, uint32_t a, uint32_t b)
{
    a = union_find_root(parents, a);
    b = union_find_root(parents, b);
    return parents[a > b ? a : b] = a > b ? b : a;
}

#endif
