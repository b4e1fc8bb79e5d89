/* The cells of a search over boxes as shapes, for pictures: see dent_boxes_structure() of dent/structure.h.
 *
 * A row appends the shapes of one level in the coordinates of its records, or keys of cells where many boxes share one.
 * Levels count from the coarsest, 0; a level behind the deepest means that one.
 */
#ifndef DENT_BOXES_BOX_SHAPES_H
#define DENT_BOXES_BOX_SHAPES_H

#include "base/containers/dynamic_array.h"

#include <dent/structure.h>

struct box_shapes {
    uint32_t level, deepest; /* in: the level requested; out: the level drawn, and the deepest there is */
    struct dynamic_array *boxes; /* dent_structure_box */
    struct dynamic_array *keys;  /* uint64_t: for rows that need them, in any order */
    bool failed;                 /* no memory */
};

/* Sets the deepest level, and limits the requested one to it. */
void box_shapes_limit(struct box_shapes *shapes, uint32_t deepest);
void box_shapes_add(struct box_shapes *shapes, const double lo[3], const double hi[3]);
void box_shapes_add_key(struct box_shapes *shapes, uint64_t key);
/* Sorts the keys and leaves each once. Returns how many there are. */
size_t box_shapes_sort_keys(struct box_shapes *shapes);

#endif
