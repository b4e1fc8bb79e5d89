/* Features of the leaves of a surface forest as the proximity search compares them: boxes of vertices, faces and
 * owned edges in rounded coordinates, sixteen to a comparison, and bits for what shares a vertex. Made when a leaf is
 * met and kept in a small cache per worker, since a leaf meets its neighbours within a short time. */
#ifndef DENT_QUERY_PROXIMITY_LEAVES_H
#define DENT_QUERY_PROXIMITY_LEAVES_H

#include "geometry/metric/near_kernels.h"
#include "structures/surface/surface_forest.h"
#include "structures/surface/surface_tree.h"

_Static_assert((int)LEAF_EDGES <= (int)NEAR_FEATURES && LEAF_FACES == 16 && LEAF_VERTICES == 16,
               "leaves and kernels differ");

struct near_leaf {
    const struct surface_leaf *leaf; /* null: this slot of the cache is empty */
    const struct leaf_points *points;
    uint32_t body_index;
    float lo[3], hi[3]; /* of the points */
    struct feature_boxes vertices, faces, edges;
};

enum { NEAR_CACHE = 64 };

struct near_cache {
    struct near_leaf leaves[2][NEAR_CACHE]; /* for either side of a pair: they must not push each other out */
};

void near_cache_init(struct near_cache *cache);

/* The features of a leaf, valid until the next call for the same side. */
const struct near_leaf *near_leaf_of(struct near_cache *cache, int side, const struct surface_forest *forest,
                                     uint32_t body_index, uint32_t number);

/* What of leaf b has a vertex in common with leaf a, by slot of the vertex in a: bits of faces and of owned edges. */
struct common_features {
    uint64_t edges[LEAF_VERTICES];
    uint32_t faces[LEAF_VERTICES];
};

/* Of the faces and edges of b with their bits set, those with vertices of a, by slot in a. */
void find_common_features(const struct near_kernels *kernels, const struct body *body_a, const struct surface_leaf *a,
                          const struct body *body_b, const struct surface_leaf *b, uint32_t faces, uint64_t edges,
                          struct common_features *common);

#endif
