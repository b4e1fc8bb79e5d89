/* A balanced tree of boxes over the elements of one body: which of them may meet a box, and which is nearest to a
 * point.
 *
 * Elements are sorted along a Morton curve through their centres and cut into runs of a few; the runs are the leaves of
 * a complete binary tree stored as a heap (children of node i: 2i and 2i + 1), so the tree needs no pointers and
 * depends on the numbers only. Boxes are the exact bounds of the corners in doubles; closed boxes that touch count as
 * meeting.
 *
 * An exhaustive tree answers "may meet" with every element: the oracle the search is tested against.
 * Cost: build O(n); a walk O(log n + answers) on ordinary meshes. Reading is safe from any number of threads.
 */
#ifndef DENT_STRUCTURES_BOX_TREE_H
#define DENT_STRUCTURES_BOX_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "geometry/numbers/bounds.h"

struct box {
    double lo[3], hi[3];
};

struct box_tree {
    uint32_t item_count;
    uint32_t leaf_count;    /* a power of two; 0 when there is no item */
    struct box *nodes;      /* 1 … 2 * leaf_count - 1; node leaf_count + l is leaf l */
    struct box *item_boxes; /* in tree order */
    uint32_t *items;        /* the element at each slot */
    bool exhaustive;
};

/* Corners of the elements: item i has `corner_count` vertices at (const char *)corners + i * stride. False when the
 * arena runs out of memory. */
bool box_tree_build(struct box_tree *tree, struct arena *arena, const double (*xyz)[3], const void *corners,
                    uint32_t corner_count, size_t stride, uint32_t item_count, bool exhaustive);

static inline void box_around(struct box *box, const double (*xyz)[3], const uint32_t *corners, uint32_t corner_count)
{
    bounds_of_vertices(box->lo, box->hi, xyz, corners, corner_count);
}

static inline bool boxes_meet(const struct box *a, const struct box *b)
{
    return bounds_meet(a->lo, a->hi, b->lo, b->hi);
}

enum { BOX_TREE_STACK = 40 }; /* a heap of 32-bit items is at most 32 levels deep */

/* One search, element by element:
 *
 *     box_walk_begin(&walk, &tree, &box);
 *     while (box_walk_next(&walk, &item)) { … }
 */
struct box_walk {
    const struct box_tree *tree;
    struct box box;
    uint32_t stack[BOX_TREE_STACK];
    uint32_t depth;
    uint32_t slot, slot_end; /* the leaf being read */
    uint64_t box_tests;
};

void box_walk_begin(struct box_walk *walk, const struct box_tree *tree, const struct box *box);
bool box_walk_next(struct box_walk *walk, uint32_t *item);

/* First place of leaf l in tree order: leaves share the items as evenly as integers allow. */
static inline uint32_t box_tree_leaf_start(const struct box_tree *tree, uint32_t leaf)
{
    return (uint32_t)((uint64_t)leaf * tree->item_count / tree->leaf_count);
}

/* How far p is outside the box along the worst axis: never more than its distance to anything in the box. */
static inline double box_gap(const struct box *box, const double p[3])
{
    double gap = 0;
    for (int axis = 0; axis < 3; axis++) {
        double below = box->lo[axis] - p[axis];
        double above = p[axis] - box->hi[axis];
        gap = below > gap ? below : gap;
        gap = above > gap ? above : gap;
    }
    return gap;
}

#endif
