/* The state of an adaptive wisp tree.
 *
 * Wisps form a binary tree over the strands, numbered so that a parent comes before its children and a subtree is a
 * range. Each row of vertices has its own cut through that tree: `split` says where. A wisp is active in a row if all its
 * ancestors are split there and it is not. Two rules hold in every state:
 *
 *     split[row][child]  only if  split[row][parent]
 *     split[row][wisp]   only if  split[row + 1][wisp]      the cut refines towards the tips */
#ifndef DENT_HAIR_WISP_TREE_STATE_H
#define DENT_HAIR_WISP_TREE_STATE_H

#include <dent/hair.h>

#include "base/containers/dynamic_array.h"
#include "geometry/numbers/vector3.h"

enum { NO_WISP = UINT32_MAX };

struct wisp {
    uint32_t parent, children[2]; /* NO_WISP: none */
    uint32_t level;
    uint32_t begin, end; /* strands, in `order` */
};

/* One row of a wisp. Position and velocity count while it is active. */
struct wisp_row {
    double mass, radius;
    double position[3], velocity[3];
    double rest_offset[3]; /* from the parent, at rest */
    double offset[3];      /* from the parent, when they merged last */
    uint32_t active;       /* index among the active nodes; NO_WISP: not active */
    bool split, changed;
};

struct dent_wisp_tree {
    dent_context *context;
    dent_wisp_tree_def def;              /* pointers are not used */
    struct dynamic_array wisps;          /* struct wisp */
    struct dynamic_array order;          /* uint32_t: strands, grouped */
    struct dynamic_array rows;           /* struct wisp_row: by row, then wisp */
    struct dynamic_array strand_offsets; /* double[3]: of each vertex from its leaf, by strand, then row */
    struct dynamic_array leaf_of;        /* uint32_t: by strand */
    struct dynamic_array active;         /* dent_wisp_node; has room for all */
    /* dent_wisp_tree_strands */
    struct dynamic_array first, positions, velocities, radii, nodes, child_count, only_child;
};

static inline struct wisp_row *wisp_row_at(const dent_wisp_tree *tree, uint32_t row, uint32_t wisp)
{
    return (struct wisp_row *)tree->rows.data + (size_t)row * tree->wisps.count + wisp;
}

/* Lists the active nodes anew. The list has room for all of them. */
void wisp_tree_list_active(dent_wisp_tree *tree);

#endif
