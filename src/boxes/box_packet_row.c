/* The row of the packet tree: the forest that the object keeps, walked leaf by leaf. See box_forest.h. */
#include "boxes/box_rows.h"

enum { LEAVES_A_BLOCK = 128 };

static void *build(const struct box_row_input *input)
{
    return input->forest;
}

static uint32_t block_count(const void *state)
{
    const struct box_forest *forest = state;
    return forest->leaf_count / LEAVES_A_BLOCK + (forest->leaf_count % LEAVES_A_BLOCK > 0);
}

static void pairs(void *state, uint32_t block, struct pair_buffer *out)
{
    const struct box_forest *forest = state;
    const uint8_t *leaf_class = forest->leaf_class.data;
    uint32_t first = block * LEAVES_A_BLOCK, left = forest->leaf_count - first;
    uint32_t end = left < LEAVES_A_BLOCK ? forest->leaf_count : first + LEAVES_A_BLOCK;
    for (uint32_t leaf = first; leaf < end; leaf++) {
        forest->kernels->join(&forest->view, leaf_class[leaf], leaf, out);
    }
}

static void window(const void *state, const float lo[3], const float hi[3], uint32_t list[BOX_LIST_ROOM],
                   box_list_function *function, void *data)
{
    const struct box_forest *forest = state;
    forest->kernels->window(&forest->view, lo, hi, list, function, data);
}

static struct box_row_size size(const void *state)
{
    const struct box_forest *forest = state;
    return (struct box_row_size){forest->leaf_count, forest->slots.count};
}

const struct box_row box_packet_row = {
    .method = DENT_BOXES_PACKET_TREE,
    .name = "packet-tree",
    .build = build,
    .block_count = block_count,
    .pairs = pairs,
    .window = window,
    .size = size,
};
