/* The row of the packet tree: the forest that the object keeps, walked leaf by leaf. See box_forest.h. */
#include "boxes/box_rows.h"

enum { NODES_A_BLOCK = 8 };

static void *build(const struct box_row_input *input)
{
    return input->forest;
}

/* Nodes of the first level are counted class by class. */
static uint32_t block_count(const void *state)
{
    const struct box_forest_view *view = &((const struct box_forest *)state)->view;
    uint32_t nodes = 0;
    for (uint32_t c = 0; c < view->class_count; c++) {
        nodes += view->classes[c].node_counts[0];
    }
    return nodes / NODES_A_BLOCK + (nodes % NODES_A_BLOCK > 0);
}

static void pairs(void *state, uint32_t block, struct pair_buffer *out)
{
    const struct box_forest *forest = state;
    const struct box_forest_view *view = &forest->view;
    uint32_t begin = block * NODES_A_BLOCK, end = begin + NODES_A_BLOCK, first = 0;
    for (uint32_t c = 0; c < view->class_count && first < end; c++) {
        uint32_t count = view->classes[c].node_counts[0];
        for (uint32_t node = begin > first ? begin - first : 0; node < count && first + node < end; node++) {
            forest->kernels->join(view, c, node, out);
        }
        first += count;
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

static void add_lanes(const struct box_packet *packet, struct box_shapes *shapes)
{
    for (uint32_t lane = 0; lane < BOX_LANES; lane++) {
        double lo[3], hi[3];
        for (int axis = 0; axis < 3; axis++) {
            lo[axis] = packet->lo[axis][lane];
            hi[axis] = packet->hi[axis][lane];
        }
        if (lo[0] <= hi[0]) {
            box_shapes_add(shapes, lo, hi);
        }
    }
}

/* Level 0 has the boxes of the highest node of each class of sizes, the deepest one those of leaves. */
static void shapes(const void *state, struct box_shapes *shapes)
{
    const struct box_forest_view *view = &((const struct box_forest *)state)->view;
    uint32_t levels = 1;
    for (uint32_t c = 0; c < view->class_count; c++) {
        levels = view->classes[c].level_count > levels ? view->classes[c].level_count : levels;
    }
    box_shapes_limit(shapes, levels - 1);
    for (uint32_t c = 0; c < view->class_count; c++) {
        const struct box_tree16 *tree = &view->classes[c];
        uint32_t level = tree->level_count - 1 > shapes->level ? tree->level_count - 1 - shapes->level : 0;
        for (uint32_t node = 0; tree->level_count > 0 && node < tree->node_counts[level]; node++) {
            add_lanes(&tree->nodes[level][node], shapes);
        }
    }
}

const struct box_row box_packet_row = {
    .method = DENT_BOXES_PACKET_TREE,
    .name = "packet-tree",
    .build = build,
    .block_count = block_count,
    .pairs = pairs,
    .window = window,
    .size = size,
    .shapes = shapes,
};
