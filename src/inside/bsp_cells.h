/* What the two stages of building a solid_bsp share: axis planes (bsp_cells.c) and planes of triangles
 * (bsp_planes.c). */
#ifndef DENT_INSIDE_BSP_CELLS_H
#define DENT_INSIDE_BSP_CELLS_H

#include "base/containers/dynamic_array.h"
#include "geometry/predicates/orientation_predicates.h"
#include "inside/solid_bsp.h"
#include "inside/solid_fragment.h"

struct cell_box {
    double low[3], high[3];
};

struct bsp_sample {
    double at[3];
};

/* Nodes above, and the side of each. */
struct plane_path {
    const struct plane_path *parent;
    uint32_t node;
    int sign;
};

struct bsp_builder {
    struct solid_bsp *bsp;
    struct dynamic_array nodes, faces, cells;           /* the tree */
    struct dynamic_array lists, fragments, samples;     /* stacks */
    predicate_counters counters;
    uint64_t exact_tests;
    uint32_t plane_count, leaf_count, open_leaf_count, depth;
    uint32_t planes_left; /* of the cell at work */
    bool failed;          /* out of memory */
};

static inline void builder_corners(const struct bsp_builder *builder, uint32_t face, const double *corners[3])
{
    const struct winding_tree *tree = builder->bsp->winding;
    for (int k = 0; k < 3; k++) {
        corners[k] = tree->positions[tree->triangles[face][k]];
    }
}

int32_t builder_fail(struct bsp_builder *builder);
int32_t builder_open_leaf(struct bsp_builder *builder);
int32_t builder_unseen_leaf(struct bsp_builder *builder);
/* A leaf that contains the point strictly. */
int32_t builder_leaf_at(struct bsp_builder *builder, const double point[3]);
int32_t builder_add_node(struct bsp_builder *builder, const struct bsp_node *node);

/* A subtree of triangle planes for the triangles that reach into a box. */
int32_t build_planes_of_cell(struct bsp_builder *builder, const struct cell_box *box, const uint32_t *faces, uint32_t count,
                             uint32_t depth);

#endif
