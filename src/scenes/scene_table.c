/* The only list of scenes. A new scene is a file with a `const struct scene_row`, its line in scene_table.h, and one
 * here. */
#include "scene_table.h"

static const struct scene_row *const rows[] = {
    &scene_teschner_a, &scene_teschner_b,   &scene_teschner_c,   &scene_teschner_d, &scene_teschner_e, &scene_v_shapes,
    &scene_v_self,     &scene_blocks_640k,  &scene_folded_1m,    &scene_cloth_500k, &scene_jaw,        &scene_graded,
    &scene_sheet_flat, &scene_sheet_tilted, &scene_sheet_curved, &scene_rod,        &scene_teapot,     &scene_rings,
    &scene_arm, &scene_shelf, &scene_piano,        &scene_peg,          &scene_fitted,       &scene_strands_1m, &scene_strands_1m_sparse,
    &scene_head,       &scene_ponytail,     &scene_fibre_clump,  &scene_strand_curtain,
    &scene_cloud_spheres, &scene_cloud_torus, &scene_cloud_sheets, &scene_cloud_scans,
};

uint32_t scene_table_count(void)
{
    return sizeof rows / sizeof rows[0];
}

const struct scene_row *scene_table_at(uint32_t index)
{
    return rows[index];
}
