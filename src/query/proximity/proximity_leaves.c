/* Features of leaves, and a cache of them. See proximity_leaves.h. */
#include "query/proximity/proximity_leaves.h"

#include <math.h>

void near_cache_init(struct near_cache *cache)
{
    for (int i = 0; i < 2 * NEAR_CACHE; i++) {
        cache->leaves[i / NEAR_CACHE][i % NEAR_CACHE].leaf = NULL;
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
            boxes->lo[axis][i] = INFINITY;
            boxes->hi[axis][i] = -INFINITY;
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
            near->vertices.lo[axis][i] = near->vertices.hi[axis][i] = x[i];
            lo = least(lo, x[i]);
            hi = most(hi, x[i]);
        }
        near->lo[axis] = lo;
        near->hi[axis] = hi;
        for (uint32_t i = 0; i < leaf->face_count; i++) {
            float p = x[leaf->corners[0][i]], q = x[leaf->corners[1][i]], r = x[leaf->corners[2][i]];
            near->faces.lo[axis][i] = least(least(p, q), r);
            near->faces.hi[axis][i] = most(most(p, q), r);
        }
        for (uint32_t i = 0; i < leaf->edge_count; i++) {
            float p = x[leaf->edge_ends[0][i]], q = x[leaf->edge_ends[1][i]];
            near->edges.lo[axis][i] = least(p, q);
            near->edges.hi[axis][i] = most(p, q);
        }
    }
    pad(&near->faces, leaf->face_count);
    pad(&near->edges, leaf->edge_count);
}

const struct near_leaf *near_leaf_of(struct near_cache *cache, int side, const struct surface_forest *forest,
                                     uint32_t body_index, uint32_t number)
{
    struct near_leaf *near = &cache->leaves[side][(number + body_index * 7u) % NEAR_CACHE];
    const struct forest_body *body = &forest->bodies[body_index];
    if (near->leaf != &body->leaves[number]) {
        near->leaf = &body->leaves[number];
        near->points = &body->tree->points[number];
        near->body_index = body_index;
        fill(near);
    }
    return near;
}

/* By slot in b: bits of the vertices of a that are the same. Unused places may have any bits. */
static void match_identities(const struct body *body_a, const struct surface_leaf *a, const struct body *body_b,
                             const struct surface_leaf *b, uint16_t same[LEAF_VERTICES])
{
    for (uint32_t j = 0; j < b->vertex_count; j++) {
        uint64_t identity = body_identity(body_b, b->vertices[j]);
        uint32_t bits = 0;
        for (uint32_t i = 0; i < a->vertex_count; i++) {
            bits |= (uint32_t)(body_identity(body_a, a->vertices[i]) == identity) << i;
        }
        same[j] = (uint16_t)bits;
    }
}

void find_common_features(const struct near_kernels *kernels, const struct body *body_a, const struct surface_leaf *a,
                          const struct body *body_b, const struct surface_leaf *b, uint32_t faces, uint64_t edges,
                          struct common_features *common)
{
    uint16_t same[LEAF_VERTICES];
    if (body_a == body_b && !body_a->identities) {
        kernels->match(a->vertices, b->vertices, same);
    } else {
        match_identities(body_a, a, body_b, b, same);
    }
    memset(common, 0, sizeof *common);
    for (; faces; faces &= faces - 1) {
        uint32_t face = (uint32_t)__builtin_ctz(faces);
        uint32_t bits = (uint32_t)same[b->corners[0][face]] | same[b->corners[1][face]] | same[b->corners[2][face]];
        for (; bits; bits &= bits - 1) {
            common->faces[__builtin_ctz(bits)] |= 1u << face;
        }
    }
    for (; edges; edges &= edges - 1) {
        uint32_t edge = (uint32_t)__builtin_ctzll(edges);
        uint32_t bits = (uint32_t)same[b->edge_ends[0][edge]] | same[b->edge_ends[1][edge]];
        for (; bits; bits &= bits - 1) {
            common->edges[__builtin_ctz(bits)] |= UINT64_C(1) << edge;
        }
    }
}
