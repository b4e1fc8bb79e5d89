/* The inside of one body of a surface forest: leaves, levels of nodes above them, and who is a neighbour of whom.
 *
 * The tree is implicit: level 0 are the leaves in their order, node i of level k + 1 stands for the nodes 16 i ... 16 i
 * + 15 of level k, and the last level has at most 16 nodes. No pointers; boxes side by side, sixteen to a comparison.
 *
 * Neighbours (leaves or nodes that share a vertex) are listed once, when the leaves are cut: they meet in every snapshot,
 * so that a search goes through the list instead of finding them again, and skips them in the tree. The list of leaves
 * carries for each pair 16 rows of bits: which faces have a common vertex. Vertices in more than HUB_LEAVES leaves and
 * vertices tied to other bodies would make lists of quadratic length, or lists that change with other bodies; they are
 * left out of the lists and marked in `open_vertices`: leaves that both have such vertices are compared by identity
 * when they meet. Nodes all of whose faces have the same hub need not be compared at all when only faces without a
 * common vertex count (`common`): a fan of n faces would otherwise have n^2 pairs whose boxes meet in the hub.
 */
#ifndef DENT_STRUCTURES_SURFACE_TREE_H
#define DENT_STRUCTURES_SURFACE_TREE_H

#include "structures/surface/surface_forest.h"

enum {
    TREE_LEVELS = 8,     /* 16^8 leaves are more than there can be */
    HUB_LEAVES = 16,     /* a vertex in more leaves than this is not in the lists of neighbours */
    VOLUME_AXES_MAX = 13 /* of node volumes: 3, 7, 9 or 13 axes for 6, 14, 18 or 26 directions */
};

/* Bit j of row i: face i of the first leaf and face j of the second have a common vertex (unused faces: bits are set).
 */
struct share_rows {
    uint16_t rows[LEAF_FACES];
};

struct tree_level {
    uint32_t count;  /* nodes */
    uint32_t padded; /* a multiple of 16; nodes behind `count` have empty boxes */
    float *lo[VOLUME_AXES_MAX], *hi[VOLUME_AXES_MAX];
    /* Neighbours j > i of node i, ascending: partners[first[i]] ... partners[first[i + 1] - 1]. */
    uint32_t *first; /* count + 1 */
    uint32_t *partners;
    uint32_t pair_count;
    uint32_t
        *common; /* by node: a hub that is a corner of all its faces, COMMON_NONE: none. Null: the body has no hubs */
    /* Written by the culling (surface_culling.h) for one snapshot, read by the crossing search; 1: nothing crosses inside
     * this node, or inside the union of the two neighbours. Null: no culling. pair_culled is parallel to partners. */
    uint8_t *node_culled, *pair_culled;
};

#define COMMON_NONE UINT32_MAX

struct surface_culling; /* surface_culling.h */

struct surface_tree {
    dent_context *context;
    uint64_t identity_base, tie_hash; /* which body this was cut for */
    uint32_t face_count, leaf_count, level_count;
    struct surface_leaf *leaves;
    uint16_t *open_vertices;        /* by leaf, bits: shared in ways the lists do not know */
    struct share_rows *self_shares; /* by leaf: leaf against itself; diagonal and everything below it set */
    struct share_rows *pair_shares; /* parallel to levels[0].partners */
    struct leaf_points *points;     /* by leaf, of the last refit (positions at t0, not grown) */
    int cut;                        /* enum region_cut */
    int axis_count;                 /* of the volumes; 3: plain boxes */
    float *volume_storage;
    size_t volume_floats;
    double extent_at_build, extent; /* sums of box extents, to see when the leaves have come apart */
    bool has_extent_at_build, stale;
    struct surface_culling *culling; /* null: none */
    struct tree_level levels[];
};

/* Cuts the faces of a body into leaves and lists the neighbours. Null when memory runs out. `shape`: any shape of the
 * body. */
struct surface_tree *surface_tree_create(dent_context *context, const struct body *body, const double (*shape)[3],
                                         int cut, int axis_count, struct arena *scratch);
void surface_tree_destroy(struct surface_tree *tree);

/* 64 bits of the identities of a body; 0 when it has no ties. */
uint64_t surface_tie_hash(const struct body *body);

#endif
