/* dent/structure.h — acceleration structures as shapes, for pictures: the boxes of each method, level by level.
 *
 * Experimental: nothing here is promised (docs/interface.md). dent.h does not include this header.
 *
 * No query needs this header. The viewer draws these shapes; they show where a query spends its work. The code of the
 * methods computes them, for one body at its positions at t0. They are leaves and boxes of the surface tree, clusters,
 * the lattice of the bucket tree and the grid of the spatial hash. The searches of a broad phase (dent/boxes.h) have
 * cells, too. Those of a BSP tree are listed by dent_inside_cells(), the boxes of a kinetic tree by
 * dent_kinetic_nodes().
 */
#ifndef DENT_STRUCTURE_H
#define DENT_STRUCTURE_H

#include <dent/boxes.h>
#include <dent/world.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum dent_structure {
    DENT_STRUCTURE_SURFACE_TREE = 0, /**< boxes over neighbouring surface faces; level 0 is the root, the deepest the
                                          leaves */
    DENT_STRUCTURE_CLUSTERS = 1,   /**< cluster search: pieces (level 0) of clusters (level 1) of cells */
    DENT_STRUCTURE_BUCKETS = 2,    /**< bucket tree: occupied buckets of each level; the deepest are the smallest */
    DENT_STRUCTURE_HASH_CELLS = 3, /**< spatial hash: occupied grid cells of its finest grid, one level */
    DENT_STRUCTURE_COUNT = 4
} dent_structure;

/** Returns "surface-tree", "clusters", "buckets", "hash-cells"; null for other values. */
DENT_API const char *dent_structure_name(dent_structure structure);

typedef struct dent_structure_box {
    double lo[3], hi[3];
} dent_structure_box;

typedef struct dent_structure_shapes {
    uint32_t level;   /**< level of these boxes: the requested one, or the deepest one if that is less */
    uint32_t deepest; /**< deepest level */
    uint64_t count;
    const dent_structure_box *boxes; /**< in a fixed order; valid until the next call on this world, or these boxes */
} dent_structure_shapes;

/** Computes the boxes of one level. Cost: O(n log n) in the size of the body the first time, O(n) later. Failure:
 * *shapes is untouched. */
DENT_API dent_status dent_world_structure(dent_world *world, dent_structure structure, dent_body_id body,
                                          uint32_t level, dent_structure_shapes *shapes);

/** Computes the cells of one level of the search that a broad phase uses now (dent_boxes_def.method; AUTO: the one that it
 * chooses). Grids: occupied cells; the hierarchical grid has a level for each range of sizes, the largest first. Loose octree:
 * the cells of a depth that hold boxes or have some below them, without the loose border, and coarser cells that hold boxes. k-d tree: parts of a depth and leaves
 * above. Packet tree: boxes of nodes, then of leaves. Sweep: the boxes in its order. Cost:
 * O(n log n). Fails with OUT_OF_MEMORY; then *shapes is untouched. */
DENT_API dent_status dent_boxes_structure(dent_boxes *boxes, uint32_t level, dent_structure_shapes *shapes);

#ifdef __cplusplus
}
#endif

#endif
