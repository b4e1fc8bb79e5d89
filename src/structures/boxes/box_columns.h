/* Float boxes of one side of a question over all bodies, column by column, sorted along one axis: what sweeps (and
 * later grids) read. Built anew in every query from the snapshot; all memory from the caller's arena.
 */
#ifndef DENT_STRUCTURES_BOX_COLUMNS_H
#define DENT_STRUCTURES_BOX_COLUMNS_H

#include "base/arena.h"
#include "bodies/snapshot.h"
#include "geometry/metric/float_boxes.h"

/* Open cells: without those that have no extent along an axis, hence no interior. */
enum feature_side {
    FEATURE_VERTICES,
    FEATURE_SURFACE_VERTICES,
    FEATURE_SURFACE_FACES,
    FEATURE_CELLS,
    FEATURE_OPEN_CELLS
};

struct sorted_boxes {
    uint32_t count;
    float *lo[3], *hi[3]; /* [0] is the sweep axis, [1] and [2] the other two */
    uint32_t *body, *feature;
};

/* The axis along which boxes overlap least: largest extent of the world relative to the mean box of the cells and
 * surface faces. */
int sweep_axis(const struct snapshot *snapshot);

/* Collects and sorts by (lo[0], body, feature). False when memory runs out, or when there are 2^32 - 1 or more
 * features: then *too_many is set. */
bool sorted_boxes_build(struct sorted_boxes *boxes, const struct snapshot *snapshot, enum feature_side side, int axis,
                        struct arena *scratch, bool *too_many);

#endif
