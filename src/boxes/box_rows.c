/* The table of box_rows.h. */
#include "boxes/box_rows.h"

static const struct box_row *const rows[DENT_BOXES_METHOD_COUNT] = {
    [DENT_BOXES_SWEEP] = &box_sweep_row,
    [DENT_BOXES_DENSE_GRID] = &box_dense_grid_row,
    [DENT_BOXES_HASH_GRID] = &box_hash_grid_row,
    [DENT_BOXES_HIERARCHICAL_GRID] = &box_hierarchical_grid_row,
    [DENT_BOXES_LOOSE_OCTREE] = &box_octree_row,
    [DENT_BOXES_KD_TREE] = &box_kd_tree_row,
    [DENT_BOXES_PACKET_TREE] = &box_packet_row,
};

const struct box_row *box_row_of(dent_boxes_method method)
{
    return (unsigned)method < DENT_BOXES_METHOD_COUNT ? rows[method] : NULL;
}

const char *dent_boxes_method_name(dent_boxes_method method)
{
    const struct box_row *row = box_row_of(method);
    return method == DENT_BOXES_AUTO ? "auto" : row ? row->name : NULL;
}
