/* The hierarchy over the surface of one body for motion queries: a binary tree, one face in a leaf, in the coordinates
 * of the body. For a rigid body it is built once and then only read; its volumes are oriented boxes, boxes along the
 * body's axes, or spheres. For a body whose vertices move on straight lines the same tree carries boxes at both ends of
 * the step and is refitted in each query.
 *
 * All lengths are multiplied by `scale`, a power of two (1 but for coordinates beyond 2^100 or all below 2^-100), so
 * that products of several lengths neither overflow nor vanish. Build O(n log n), refit O(n); about 260 bytes a face.
 */
#ifndef DENT_STRUCTURES_MOTION_TREE_H
#define DENT_STRUCTURES_MOTION_TREE_H

#include "base/containers/dynamic_array.h"
#include "bodies/body_data.h"
#include "geometry/motion/motion_volumes.h"

struct motion_tree {
    struct dynamic_array nodes;                     /* struct motion_volume; parents before children */
    struct dynamic_array linear;                    /* struct linear_volume, the same numbering; of linear movers */
    struct dynamic_array corners;                   /* double[3][3] of every face, in the order of the tree, scaled */
    struct dynamic_array ends;                      /* the same at t1; of linear movers */
    struct dynamic_array faces;                     /* uint32_t: number of the surface face */
    struct dynamic_array unordered, keys, pointers; /* of the build */
    uint32_t face_count, node_count;
    double reach;   /* bounds |x| of all points (linear movers: at both ends), scaled */
    double largest; /* |coordinate| of a vertex, not scaled; filled by the reader */
    double scale;
    dent_motion_volume volume;
    uint64_t shape_key;    /* identity of the body's elements: body->identity_base; UINT64_MAX: not built */
    uint64_t position_key; /* body->position_version when its positions were read */
};

void motion_tree_init(struct motion_tree *tree, dent_context *context);
void motion_tree_destroy(struct motion_tree *tree);

/* Builds over the given positions (packed doubles, not scaled). False when memory runs out; the tree is then not
 * built. */
bool motion_tree_build(struct motion_tree *tree, const struct body *body, const double (*xyz)[3],
                       dent_motion_volume volume, double scale);

/* Puts the positions at both ends into a tree that was built for the same faces. */
bool motion_tree_refit(struct motion_tree *tree, const struct body *body, const double (*start)[3],
                       const double (*end)[3], double scale);

static inline bool motion_tree_is_built(const struct motion_tree *tree)
{
    return tree->shape_key != UINT64_MAX;
}

#endif
