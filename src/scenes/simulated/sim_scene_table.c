/* The only list of built-in simulated scenes. A new one is a file with a `const struct sim_scene_row`, its line in the
 * header, and one here. */
#include "sim_scene_table.h"

#include <string.h>

static const struct sim_scene_row *const rows[] = {
    &sim_scene_bite,          &sim_scene_jaw,         &sim_scene_jaw_real,      &sim_scene_knee,
    &sim_scene_stack,         &sim_scene_v_shapes,    &sim_scene_vessels,       &sim_scene_fold,
    &sim_scene_cloth_sphere,  &sim_scene_sheet_fold,  &sim_scene_cloth_between, &sim_scene_tissue,
    &sim_scene_box_stack,     &sim_scene_newton_cradle, &sim_scene_peg_in_hole, &sim_scene_arm_table,
    &sim_scene_ur5e_table,    &sim_scene_two_chains,
};

uint32_t sim_scene_table_count(void)
{
    return sizeof rows / sizeof rows[0];
}

const struct sim_scene_row *sim_scene_table_at(uint32_t index)
{
    return rows[index];
}

uint32_t dent_sim_scene_count(void)
{
    return sim_scene_table_count();
}

const dent_sim_scene_info *dent_sim_scene_info_at(uint32_t index)
{
    return index < sim_scene_table_count() ? &rows[index]->info : NULL;
}

const dent_sim_scene_info *dent_sim_scene_find(const char *name)
{
    for (uint32_t i = 0; name && i < sim_scene_table_count(); i++) {
        if (strcmp(rows[i]->info.name, name) == 0) {
            return &rows[i]->info;
        }
    }
    return NULL;
}

dent_sim_scene_def dent_sim_scene_def_default(void)
{
    dent_sim_scene_def def = {.struct_size = sizeof def, .scale = 1};
    return def;
}
