/* The order of the leaves of a surface: such that blocks of 16, 256, ... leaves, the nodes of an implicit 16-ary tree,
 * are compact regions. */
#ifndef DENT_STRUCTURES_LEAF_ORDER_H
#define DENT_STRUCTURES_LEAF_ORDER_H

#include "structures/surface/region_merging.h"

/* The leaves: their faces, and which are neighbours. */
struct leaf_graph {
    uint32_t leaf_count, border_count;
    uint32_t *leaf_start, *leaf_faces; /* leaf_start: leaf_count + 1 */
    struct border *borders;
};

/* The regions as they are become leaves; from now on lists of regions are lists of leaves, and merging makes blocks.
 * False: no memory. */
bool leaf_order_begin(struct merging *merging, struct leaf_graph *graph, struct arena *arena);

/* Leaves of two regions together; what fills a block becomes one, so that blocks are whole regions wherever possible,
 * and leftovers of neighbouring regions elsewhere. */
void leaf_blocks_join(struct merging *merging, struct leaf_blocks *blocks, const struct leaf_blocks *other);

/* When all is merged, one region for each piece of the mesh: its leaves hang behind regions[piece].first, linked by
 * `next`. False: no memory. */
bool leaf_order_finish(struct merging *merging, const struct leaf_graph *graph, struct arena *arena);

#endif
