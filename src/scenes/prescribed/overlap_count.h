/* Counts vertices inside tetrahedra, approximately in rounding (plain doubles) and exactly reproducibly. */
#ifndef DENT_SCENES_OVERLAP_COUNT_H
#define DENT_SCENES_OVERLAP_COUNT_H

#include "scenes/scene_internal.h"

/* Scratch for a scene of solids; made once, used for many frames and placements. */
struct overlap_counter {
    const dent_scene *scene;
    uint32_t vertex_count; /* of all bodies together */
    uint32_t stride;       /* one vertex out of so many is a sample */
    uint32_t sample_count;
    double *positions; /* of all bodies, one after the other */
    uint32_t *samples; /* vertex numbers, sorted by grid cell */
    uint32_t *sample_cells;
    uint8_t *inside;       /* per sample (unsorted number) */
    uint32_t *cell_starts; /* cell_capacity + 1 */
    uint32_t cell_capacity;
};

/* At most about `most_samples` vertices are looked at, spread evenly over the numbering. */
dent_status overlap_counter_create(struct overlap_counter *counter, const dent_scene *scene, uint32_t most_samples);
void overlap_counter_destroy(struct overlap_counter *counter);

/* Share of the samples that lie inside a cell they are no corner of, at scene->placement. Does not allocate. */
double overlap_counter_share(struct overlap_counter *counter, uint32_t frame);

#endif
