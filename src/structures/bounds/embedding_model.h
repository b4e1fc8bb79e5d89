/* The inside of a dent_embedding (include/dent/embedding.h): links from dense vertices to coarse facets, and the frames of
 * the facets in the present snapshot. Dense positions come from embedding_vertex and from nowhere else, so every path gives
 * the same bits.
 */
#ifndef DENT_STRUCTURES_EMBEDDING_MODEL_H
#define DENT_STRUCTURES_EMBEDDING_MODEL_H

#include <dent/embedding.h>

#include "bodies/body_data.h"

struct rigid_link {
    uint32_t facet;
    double weights[3]; /* of the facet's corners; they sum to 1 within 2 units in the last slot */
    double offset[3];  /* in the facet's frame */
};

struct dent_embedding {
    dent_context *context;
    dent_embedding_info facts;
    uint32_t (*facets)[3]; /* coarse vertices */
    struct rigid_link *links;
    double (*coarse_rest)[3], (*coarse)[3];
    double (*dense_rest)[3];
    double (*rest_frames)[9]; /* by facet, columns e, n x e, n; row by row */
    double (*frames)[9];
    double (*turns)[9]; /* by facet: the rotation from its rest frame to its present one */
    double rotation[9]; /* best fit of the whole coarse surface, rest to now */
    double largest;     /* largest |coordinate| of a coarse vertex, now */
    double largest_rest;
    uint32_t flat_now;
    uint64_t epoch;
};

/* Both bodies with their positions. On failure *message says why and nothing is left. */
dent_status embedding_create(dent_context *context, const struct body *dense, const double (*dense_xyz)[3],
                             const struct body *coarse, const double (*coarse_xyz)[3], const dent_embedding_def *def,
                             struct message *message, dent_embedding **model);

/* Frames and rotation for model->coarse. */
void embedding_positions(dent_embedding *model);

static inline void embedding_base(const dent_embedding *model, uint32_t vertex, const double (*coarse)[3],
                                  double base[3])
{
    const struct rigid_link *link = &model->links[vertex];
    const uint32_t *corner = model->facets[link->facet];
    for (int axis = 0; axis < 3; axis++) {
        base[axis] = (link->weights[0] * coarse[corner[0]][axis] + link->weights[1] * coarse[corner[1]][axis]) +
                     link->weights[2] * coarse[corner[2]][axis];
    }
}

static inline void embedding_vertex(const dent_embedding *model, uint32_t vertex, double position[3])
{
    const struct rigid_link *link = &model->links[vertex];
    const double *frame = model->frames[link->facet], *o = link->offset;
    embedding_base(model, vertex, (const double(*)[3])model->coarse, position);
    for (int axis = 0; axis < 3; axis++) {
        position[axis] += (frame[3 * axis] * o[0] + frame[3 * axis + 1] * o[1]) + frame[3 * axis + 2] * o[2];
    }
}

#endif
