/* Features of leaves, and a cache of them. See proximity_leaves.h. */
#include "query/proximity_leaves.h"

#include <math.h>

static void point_at(struct feature_boxes *boxes)
{
    for (int axis = 0; axis < 3; axis++) {
        boxes->lo[axis] = boxes->lo_of[axis];
        boxes->hi[axis] = boxes->hi_of[axis];
    }
}

void near_cache_init(struct near_cache *cache)
{
    for (int i = 0; i < 2 * NEAR_CACHE; i++) {
        struct near_leaf *leaf = &cache->leaves[i / NEAR_CACHE][i % NEAR_CACHE];
        leaf->leaf = NULL;
        point_at(&leaf->vertices);
        point_at(&leaf->faces);
        point_at(&leaf->edges);
    }
}

static inline float least(float x, float y)
{
    return x < y ? x : y;
}

static inline float most(float x, float y)
{
    return x > y ? x : y;
}

/* Empty boxes from `count` to the next multiple of 16. */
static void pad(struct feature_boxes *boxes, uint32_t count)
{
    for (uint32_t i = count; i % 16 != 0; i++) {
        for (int axis = 0; axis < 3; axis++) {
            boxes->lo_of[axis][i] = INFINITY;
            boxes->hi_of[axis][i] = -INFINITY;
        }
    }
}

static void fill(struct near_leaf *near)
{
    const struct surface_leaf *leaf = near->leaf;
    for (int axis = 0; axis < 3; axis++) {
        const float *x = near->points->x[axis];
        float lo = x[0], hi = x[0];
        for (uint32_t i = 0; i < LEAF_VERTICES; i++) { /* unused places repeat the first vertex */
            near->vertices.lo_of[axis][i] = near->vertices.hi_of[axis][i] = x[i];
            lo = least(lo, x[i]);
            hi = most(hi, x[i]);
        }
        near->lo[axis] = lo;
        near->hi[axis] = hi;
        for (uint32_t i = 0; i < leaf->face_count; i++) {
            float p = x[leaf->corners[0][i]], q = x[leaf->corners[1][i]], r = x[leaf->corners[2][i]];
            near->faces.lo_of[axis][i] = least(least(p, q), r);
            near->faces.hi_of[axis][i] = most(most(p, q), r);
        }
        for (uint32_t i = 0; i < leaf->edge_count; i++) {
            float p = x[leaf->edge_ends[0][i]], q = x[leaf->edge_ends[1][i]];
            near->edges.lo_of[axis][i] = least(p, q);
            near->edges.hi_of[axis][i] = most(p, q);
        }
    }
    pad(&near->faces, leaf->face_count);
    pad(&near->edges, leaf->edge_count);
}

const struct near_leaf *near_leaf_of(struct near_cache *cache, int side, const struct surface_forest *forest, uint32_t rank,
                                     uint32_t number)
{
    struct near_leaf *near = &cache->leaves[side][(number + rank * 7u) % NEAR_CACHE];
    const struct forest_body *body = &forest->bodies[rank];
    if (near->leaf != &body->leaves[number]) {
        near->leaf = &body->leaves[number];
        near->points = &body->tree->points[number];
        near->rank = rank;
        near->number = number;
        fill(near);
    }
    return near;
}

void find_common_features(const struct body *body_a, const struct surface_leaf *a, const struct body *body_b, const struct surface_leaf *b,
                          struct common_features *common)
{
    uint32_t places[LEAF_VERTICES]; /* of each vertex of b: bits of the same vertices in a */
    for (uint32_t j = 0; j < b->vertex_count; j++) {
        uint64_t identity = body_identity(body_b, b->vertices[j]);
        places[j] = 0;
        for (uint32_t i = 0; i < a->vertex_count; i++) {
            places[j] |= (uint32_t)(body_identity(body_a, a->vertices[i]) == identity) << i;
        }
    }
    memset(common, 0, sizeof *common);
    for (uint32_t face = 0; face < b->face_count; face++) {
        uint32_t bits = places[b->corners[0][face]] | places[b->corners[1][face]] | places[b->corners[2][face]];
        for (; bits; bits &= bits - 1) {
            common->faces[__builtin_ctz(bits)] |= 1u << face;
        }
    }
    for (uint32_t edge = 0; edge < b->edge_count; edge++) {
        uint32_t bits = places[b->edge_ends[0][edge]] | places[b->edge_ends[1][edge]];
        for (; bits; bits &= bits - 1) {
            common->edges[__builtin_ctz(bits)] |= UINT64_C(1) << edge;
        }
    }
}
