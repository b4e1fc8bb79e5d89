/* The walk that finds pairs of leaves whose boxes meet, group by group: shared by surface_forest_visit_pairs and the
 * crossing search.
 *
 * A group (sixteen leaves, a node of level 1) is the unit of work. Its pairs are: every leaf with itself, the
 * neighbours of its leaves from the lists, and what the trees yield: from the top of its own body (later groups only,
 * neighbours dropped) and of the bodies after it. With culling, nodes and pairs of neighbours marked in the levels are
 * left out.
 */
#ifndef DENT_STRUCTURES_SURFACE_WALK_H
#define DENT_STRUCTURES_SURFACE_WALK_H

#include "structures/surface/surface_tree.h"

enum { WALK_BATCH = 512, WALK_NEAR = 512 };

#define SHARES_NONE UINT32_MAX       /* no vertex in common */
#define SHARES_SELF (UINT32_MAX - 1) /* the leaf with itself: tree->self_shares */
#define SHARES_OPEN (UINT32_MAX - 2) /* perhaps: hubs or ties, to be compared by identity */

struct walk_pair {
    uint32_t leaf_a, body_index_b, leaf_b;
    uint32_t shares; /* slot in tree->pair_shares, or one of the above */
};

struct surface_walk {
    const struct surface_forest *forest;
    const struct snapshot *snapshot;
    const struct surface_kernels *kernels;
    bool culling;
    bool faces_only; /* pairs of leaves with a vertex common to all faces are of no interest, nor are strands and points */
    bool no_two_strands, strands_and_rest; /* as in leaf_pair_visitor */
    /* Where pairs go when the buffer is full or the group is done; the buffer is empty afterwards. */
    void (*take)(struct surface_walk *walk, uint32_t body_index_a);
    void *user;
    uint32_t count;
    struct walk_pair pairs[WALK_BATCH];
    uint64_t box_tests, leaf_pairs;
    /* Groups that may hold partners, with the leaves of side a that meet each. */
    uint32_t near_count;
    uint32_t near_groups[WALK_NEAR];
    uint16_t near_leaves[WALK_NEAR];
};

/* All pairs whose side a is in group `group` (numbered through the world). */
void surface_walk_group(struct surface_walk *walk, uint32_t group);

#endif
