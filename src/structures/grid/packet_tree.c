/* Occupied nodes above the packets. See packet_tree.h. */
#include "structures/grid/packet_tree.h"

#include <math.h>

#include "base/radix_sort.h"
#include "geometry/numbers/bounds.h"
#include "base/containers/morton_code.h"

enum { LEAF_PACKETS = 8 };

static struct packet_node empty_node(uint32_t first)
{
    return (struct packet_node){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, first, 0, 0};
}

static void add_box(struct packet_node *node, const float *lo, const float *hi, uint32_t packets)
{
    float_bounds_add(node->lo, node->hi, lo, hi);
    node->count++;
    node->packets += packets;
}

/* keys: of the slots in, of the leaves out. */
static void make_leaves(struct packet_tree *tree, uint64_t *keys, const struct packet_box *boxes, uint32_t packets)
{
    for (uint32_t slot = 0; slot < packets; slot++) {
        const struct packet_box *box = &boxes[tree->order[slot]];
        uint64_t key = keys[slot] >> 3;
        struct packet_node *last = &tree->nodes[tree->leaf_count - (tree->leaf_count > 0)];
        if (tree->leaf_count == 0 || keys[tree->leaf_count - 1] != key || last->count == LEAF_PACKETS) {
            last = &tree->nodes[tree->leaf_count];
            *last = empty_node(slot);
            keys[tree->leaf_count++] = key; /* never ahead of place */
        }
        add_box(last, box->lo, box->hi, 1);
    }
    tree->node_count = tree->leaf_count;
}

static uint32_t count_parents(const uint64_t *keys, uint32_t count, uint32_t shift)
{
    uint32_t parents = 1;
    for (uint32_t i = 1; i < count; i++) {
        parents += keys[i] >> shift != keys[i - 1] >> shift;
    }
    return parents;
}

/* One level on top of nodes [begin, begin + count); a level at least halves their number, so that all nodes are at most
 * 2 n. */
static uint32_t make_parents(struct packet_tree *tree, uint64_t *keys, uint32_t begin, uint32_t count)
{
    uint32_t shift = 3, made = 0;
    while (shift < 63 && count_parents(keys, count, shift) > count / 2) {
        shift += 3;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint64_t key = keys[i] >> shift;
        if (made == 0 || keys[made - 1] != key) {
            tree->nodes[begin + count + made] = empty_node(begin + i);
            keys[made++] = key;
        }
        const struct packet_node *child = &tree->nodes[begin + i];
        add_box(&tree->nodes[begin + count + made - 1], child->lo, child->hi, child->packets);
    }
    return made;
}

void packet_tree_build(struct packet_tree *tree, const struct packet_tree_room *room,
                       const struct bucket_lattice *lattice, const struct packet_box *boxes, uint32_t first_packet,
                       uint32_t packets)
{
    *tree = (struct packet_tree){.nodes = room->nodes, .order = room->order};
    for (uint32_t i = 0; i < packets; i++) {
        struct bucket_range range = bucket_range_of(lattice, boxes[first_packet + i].lo, boxes[first_packet + i].lo);
        room->keys[i] = morton_code(range.first);
        room->order[i] = first_packet + i;
    }
    radix_sort_u64(room->keys, room->order, room->keys + packets, room->order + packets, packets);
    make_leaves(tree, room->keys, boxes, packets);
    for (uint32_t begin = 0, count = tree->leaf_count; count > 1;) {
        uint32_t made = make_parents(tree, room->keys, begin, count);
        begin += count;
        count = made;
        tree->node_count += made;
    }
}
