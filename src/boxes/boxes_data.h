/* The inside of a dent_boxes: the store, the structures over it, and the memory of its results.
 *
 * Versions say what is up to date: every update gives the store the next one; a structure carries the version of the store
 * it was made from.
 */
#ifndef DENT_BOXES_BOXES_DATA_H
#define DENT_BOXES_BOXES_DATA_H

#include "boxes/box_rows.h"

struct dent_boxes {
    dent_context *context;
    dent_boxes_def def;
    struct box_store store;
    uint64_t version;

    struct box_forest forest;
    uint64_t forest_version;
    uint64_t sorted_tests;     /* of the first search after sorting; 0: not known */
    uint64_t moved_since_sort; /* boxes, by updates of few */
    bool sort_wanted;
    bool fresh_order;    /* no search has used it yet */
    uint32_t searches;   /* that the order has served; or, if orders are lost, sweeps since */
    uint32_t lost_orders; /* orders in a row that served for a few searches only */

    const struct box_row *row; /* whose structure there is; null: none */
    void *row_state;
    uint64_t row_version;
    struct arena row_arena, scratch;

    struct pair_collector collector;
    struct dynamic_array pairs, other_pairs; /* dent_box_pair */
    struct dynamic_array moved_flags;        /* uint8_t by box; all 0 between calls */
    uint64_t pairs_version;

    struct block_output found; /* struct box_hit */
    struct dynamic_array hit_first, hit_keys, hit_indices, hit_parameters;

    dent_neighbours *neighbours;
    uint64_t neighbours_version;
    struct dynamic_array near_boxes; /* struct box_corners: those of the neighbours, present ones alone */
    struct dynamic_array near_index; /* uint32_t: which boxes these are */

    struct dynamic_array shapes, shape_keys; /* of pictures: dent_structure_box, uint64_t */

    dent_boxes_counters counters;
};

/* Brings the forest up to date: by sorting, or by reading all or few records again. */
dent_status boxes_prepare_forest(struct dent_boxes *boxes);
/* Brings the structure of a method up to date; not AUTO. */
dent_status boxes_prepare_row(struct dent_boxes *boxes, dent_boxes_method method);
/* The method of windows and pictures: an order serves for all windows of a list. Never AUTO. */
dent_boxes_method boxes_query_method(const struct dent_boxes *boxes);

#endif
