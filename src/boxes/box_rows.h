/* The table of searches: one row a method, each with a structure of its own over the records of a store.
 *
 * A row builds its structure anew (the packet tree keeps its order, see box_forest.h), finds pairs block by block, and
 * finds the boxes that meet a window. All compare the same records, so all find the same.
 */
#ifndef DENT_BOXES_BOX_ROWS_H
#define DENT_BOXES_BOX_ROWS_H

#include "boxes/box_forest.h"
#include "boxes/box_pairs.h"
#include "boxes/box_shapes.h"

struct box_row_input {
    dent_context *context;
    const struct box_store *store;
    const dent_boxes_def *def;
    struct box_forest *forest; /* for the packet tree: up to date */
    struct arena *arena;       /* what is taken from it lives as long as the structure */
};

/* What a structure holds, for counters. */
struct box_row_size {
    uint64_t cells, references;
};

struct box_row {
    dent_boxes_method method;
    const char *name;
    /* Null when memory runs out. */
    void *(*build)(const struct box_row_input *input);
    uint32_t (*block_count)(const void *state);
    pair_block_function *pairs;
    /* Indices of the boxes that meet a window, each once, in lists of at most BOX_LIST_MOST. */
    void (*window)(const void *state, const float lo[3], const float hi[3], uint32_t list[BOX_LIST_ROOM],
                   box_list_function *function, void *data);
    struct box_row_size (*size)(const void *state);
    /* Cells or boxes of a level, for pictures. There are boxes that are present. */
    void (*shapes)(const void *state, struct box_shapes *shapes);
};

extern const struct box_row box_sweep_row, box_dense_grid_row, box_hash_grid_row, box_hierarchical_grid_row,
    box_octree_row, box_kd_tree_row, box_packet_row;

/* Null for AUTO and unknown methods. */
const struct box_row *box_row_of(dent_boxes_method method);

#endif
