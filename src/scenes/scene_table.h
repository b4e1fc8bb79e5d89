/* The list of scenes. */
#ifndef DENT_SCENES_SCENE_TABLE_H
#define DENT_SCENES_SCENE_TABLE_H

#include "scene_internal.h"

uint32_t scene_table_count(void);
const struct scene_row *scene_table_at(uint32_t index);

/* One row each, in the file of the same name (the sheets in scene_sheets.c, strands in scene_strands.c, points in
 * scene_clouds.c, the shelf in scene_arm.c, teschner-a, b, c, e in
 * scene_teschner_swarms.c). */
extern const struct scene_row scene_teschner_a;
extern const struct scene_row scene_teschner_b;
extern const struct scene_row scene_teschner_c;
extern const struct scene_row scene_teschner_d;
extern const struct scene_row scene_teschner_e;
extern const struct scene_row scene_v_shapes;
extern const struct scene_row scene_v_self;
extern const struct scene_row scene_blocks_640k;
extern const struct scene_row scene_folded_1m;
extern const struct scene_row scene_cloth_500k;
extern const struct scene_row scene_sheet_flat;
extern const struct scene_row scene_sheet_tilted;
extern const struct scene_row scene_sheet_curved;
extern const struct scene_row scene_jaw;
extern const struct scene_row scene_graded;
extern const struct scene_row scene_fitted;
extern const struct scene_row scene_rod;
extern const struct scene_row scene_teapot;
extern const struct scene_row scene_rings;
extern const struct scene_row scene_arm;
extern const struct scene_row scene_shelf;
extern const struct scene_row scene_piano;
extern const struct scene_row scene_peg;
extern const struct scene_row scene_strands_1m;
extern const struct scene_row scene_strands_1m_sparse;
extern const struct scene_row scene_head;
extern const struct scene_row scene_ponytail;
extern const struct scene_row scene_fibre_clump;
extern const struct scene_row scene_strand_curtain;
extern const struct scene_row scene_cloud_spheres;
extern const struct scene_row scene_cloud_torus;
extern const struct scene_row scene_cloud_sheets;
extern const struct scene_row scene_cloud_scans;

#endif
