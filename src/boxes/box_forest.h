/* The packet forest: boxes in leaves of sixteen neighbours, a tree of boxes above them for each class of sizes.
 *
 * In: the records of a store. Out: what the kernels walk. Boxes whose longest edges differ by less than four times are of
 * one class, so that a large box does not spoil the leaves of small ones. Within a class the order is that of their
 * middles (neighbours/point_order.h). The order is kept while boxes move; only the boxes of leaves and nodes are computed
 * again. Absent boxes have places in a class of their own, behind the others, so that they may appear at any time.
 */
#ifndef DENT_BOXES_BOX_FOREST_H
#define DENT_BOXES_BOX_FOREST_H

#include "base/arena.h"
#include "boxes/box_store.h"

struct box_forest {
    dent_context *context;
    const struct box_kernels *kernels;
    struct box_forest_view view;
    struct dynamic_array leaves;  /* struct box_packet */
    struct dynamic_array nodes;   /* struct box_packet, of all levels of all classes */
    struct dynamic_array indices; /* uint32_t */
    struct dynamic_array slots;   /* uint32_t: where each box lies */
    struct dynamic_array leaf_class; /* uint8_t, by leaf */
    uint32_t leaf_count;
    bool sorted; /* there is an order, for slots.count boxes */
};

void box_forest_init(struct box_forest *forest, dent_context *context);
void box_forest_destroy(struct box_forest *forest);

/* Chooses classes and sorts. Fails with OUT_OF_MEMORY; the forest has no order then. Memory for the work from `scratch`. */
dent_status box_forest_sort(struct box_forest *forest, const struct box_store *store, struct arena *scratch);
/* Reads all records again in the order there is. */
dent_status box_forest_refit(struct box_forest *forest, const struct box_store *store);
/* Reads the records of some boxes again. */
void box_forest_move(struct box_forest *forest, const struct box_store *store, const uint32_t *moved, uint32_t count);

#endif
