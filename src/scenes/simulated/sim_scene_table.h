/* The list of built-in simulated scenes: a file sim_scene_<name>.c with a row each. */
#ifndef DENT_SCENES_SIM_SCENE_TABLE_H
#define DENT_SCENES_SIM_SCENE_TABLE_H

#include "sim_plan.h"

enum { SIM_SCENE_MAX_PARAMETERS = 8 };

/* What a builder is asked for. */
struct sim_scene_request {
    double scale;
    double parameters[SIM_SCENE_MAX_PARAMETERS]; /* in the order of the row's list */
    const char *data_folder;                     /* null: none */
};

struct sim_scene_row {
    dent_sim_scene_info info;
    void (*build)(struct sim_plan *plan, const struct sim_scene_request *request);
};

uint32_t sim_scene_table_count(void);
const struct sim_scene_row *sim_scene_table_at(uint32_t index);

extern const struct sim_scene_row sim_scene_bite;
extern const struct sim_scene_row sim_scene_jaw;
extern const struct sim_scene_row sim_scene_jaw_real;
extern const struct sim_scene_row sim_scene_knee;
extern const struct sim_scene_row sim_scene_stack;
extern const struct sim_scene_row sim_scene_v_shapes;
extern const struct sim_scene_row sim_scene_vessels;
extern const struct sim_scene_row sim_scene_fold;
extern const struct sim_scene_row sim_scene_cloth_sphere;
extern const struct sim_scene_row sim_scene_sheet_fold;
extern const struct sim_scene_row sim_scene_cloth_between;
extern const struct sim_scene_row sim_scene_tissue;
extern const struct sim_scene_row sim_scene_box_stack;
extern const struct sim_scene_row sim_scene_newton_cradle;
extern const struct sim_scene_row sim_scene_peg_in_hole;
extern const struct sim_scene_row sim_scene_arm_table;
extern const struct sim_scene_row sim_scene_ur5e_table;
extern const struct sim_scene_row sim_scene_two_chains;

#endif
