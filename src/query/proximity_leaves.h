/* Features of the leaves of a surface forest as the proximity search compares them: boxes of faces and owned edges in rounded coordinates,
 * sixteen to a comparison, and bits for what shares a vertex. Made when a leaf is met and kept in a small cache per worker, since a
 * leaf meets its neighbours within a short time. */
#ifndef DENT_QUERY_PROXIMITY_LEAVES_H
#define DENT_QUERY_PROXIMITY_LEAVES_H

#include "structures/surface_forest.h"
#include "structures/surface_tree.h"

/* Boxes, [axis][feature]; behind the last feature empty ones. */
struct feature_boxes {
    _Alignas(64) float lo_of[3][LEAF_EDGES], hi_of[3][LEAF_EDGES];
    float *lo[3], *hi[3];
};

struct near_leaf {
    const struct surface_leaf *leaf; /* null: this place of the cache is empty */
    const struct leaf_points *points;
    uint32_t rank, number;
    float lo[3], hi[3]; /* of the points */
    struct feature_boxes vertices, faces, edges;
};

enum { NEAR_CACHE = 64 };

struct near_cache {
    struct near_leaf leaves[2][NEAR_CACHE]; /* for either side of a pair: they must not push each other out */
};

void near_cache_init(struct near_cache *cache);

/* The features of a leaf, valid until the next call for the same side. */
const struct near_leaf *near_leaf_of(struct near_cache *cache, int side, const struct surface_forest *forest, uint32_t rank,
                                     uint32_t number);

/* What of leaf b has a vertex in common with leaf a, by place of the vertex in a: bits of faces and of owned edges. */
struct common_features {
    uint64_t edges[LEAF_VERTICES];
    uint32_t faces[LEAF_VERTICES];
};

void find_common_features(const struct body *body_a, const struct surface_leaf *a, const struct body *body_b, const struct surface_leaf *b,
                          struct common_features *common);

#endif
