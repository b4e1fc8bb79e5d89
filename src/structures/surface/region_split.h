/* Things in space divided top-down: at the median along the longest side of the box of their centres, until a group is
 * small enough. */
#ifndef DENT_STRUCTURES_REGION_SPLIT_H
#define DENT_STRUCTURES_REGION_SPLIT_H

#include <stdbool.h>
#include <stdint.h>

struct split_item {
    double centre[3];
    uint32_t id;
};

/* What to do with the groups. `fits` is asked about groups of 2 to 16 items; groups of one fit. */
struct split_groups {
    void *user;
    bool (*fits)(void *user, const struct split_item *items, uint32_t count);
    void (*take)(void *user, const struct split_item *items, uint32_t count);
};

/* Hands the groups over in the order of the division. Reorders the items. O(n log n) expected, depth at most log2(n) +
 * 1; ties by id. */
void region_split(struct split_item *items, uint32_t count, const struct split_groups *groups);

/* Reorders the items so that places 16^k i to 16^k (i + 1) - 1 hold neighbours, for every k and i: the nodes of an
 * implicit 16-ary tree. */
void region_split_aligned(struct split_item *items, uint32_t count);

#endif
