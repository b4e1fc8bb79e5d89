/* The occupied nodes of a body's tree above its packets, built anew in every step.
 *
 * Packets are sorted by the Morton key of the bucket of their lower corner; runs of equal keys are leaves, runs of
 * equal keys without the last three bits their parents, and so on to the root. Only occupied nodes exist. Each has the
 * box of what lies in it.
 */
#ifndef DENT_STRUCTURES_PACKET_TREE_H
#define DENT_STRUCTURES_PACKET_TREE_H

#include "structures/grid/bucket_grid.h"
#include "structures/grid/bucket_packets.h"

struct packet_node {
    float lo[3], hi[3];
    uint32_t first, count; /* children: nodes, or slots in `order` for leaves */
    uint32_t packets;      /* below it */
};

struct packet_tree {
    struct packet_node *nodes; /* leaves first, the root last */
    uint32_t *order;           /* packets by slot */
    uint32_t leaf_count, node_count;
};

/* Memory for the building of a tree of `packets` packets; `order` and `nodes` stay in use. */
struct packet_tree_room {
    uint64_t *keys;            /* 2 * packets */
    uint32_t *order;           /* 2 * packets */
    struct packet_node *nodes; /* 2 * packets + 1 */
};

/* Boxes are indexed by packet. */
void packet_tree_build(struct packet_tree *tree, const struct packet_tree_room *room,
                       const struct bucket_lattice *lattice, const struct packet_box *boxes, uint32_t first_packet,
                       uint32_t packets);

#endif
