/* peg-in-hole: a rigid peg falls into a square hole that leaves it two target gaps on each side, the example that
 * the source calls unstable: the peg rattles from wall to wall, and the rattling must not grow. */
#include "scenes/elementary_functions.h"
#include "sim_parts.h"
#include "sim_scene_table.h"

enum { CLEARANCE, DISTANCE, PUSH, PARAMETER_COUNT };

static const dent_scene_parameter_info parameters[PARAMETER_COUNT] = {
    {"clearance", "between the peg and each wall, target gaps", 2, 1.1, 100},
    {"distance", "target gap, mm", 0.1, 0.01, 2},
    {"push", "sideways speed of the peg at the beginning, mm/s", 20, 0, 1000},
};

static const double width = 0.1, length = 0.3, wall = 0.1; /* m */

static void add_wall(struct sim_plan *plan, uint32_t number, const double size[3], const double centre[3])
{
    const uint32_t cells[3] = {1, 1, 1};
    dent_sim_body_def *body =
        part_block(plan, DENT_SIM_PRESCRIBED, plan_numbered_name(plan, "wall", number), cells, size, centre);
    body->collision_group = 2;
    body->collision_mask = 1; /* walls stand side by side */
}

static void build(struct sim_plan *plan, const struct sim_scene_request *request)
{
    double distance = 1e-3 * request->parameters[DISTANCE], clearance = request->parameters[CLEARANCE] * distance;
    dent_sim_material steel = dent_sim_material_default();
    steel.name = "steel";
    steel.density = 7800;
    steel.friction_static = steel.friction_kinetic = 0.1;
    plan_add_material(plan, &steel);
    double hole = width + 2 * clearance, out = 0.5 * (hole + wall), far = hole + 2 * wall;
    const double across[3] = {wall, far, length}, along[3] = {hole, wall, length}, bottom[3] = {far, far, wall};
    for (uint32_t n = 0; n < 4; n++) {
        double place = n % 2 == 0 ? -out : out;
        const double centre[3] = {n < 2 ? place : 0, n < 2 ? 0 : place, -0.5 * length};
        add_wall(plan, n, n < 2 ? across : along, centre);
    }
    const double below[3] = {0, 0, -length - 0.5 * wall}, size[3] = {width, width, length},
                 start[3] = {0, 0, -0.1 * length + 0.5 * length};
    add_wall(plan, 4, bottom, below);
    uint32_t n = part_cells(2, request->scale, 3, 1);
    const uint32_t cells[3] = {n, n, 3 * n};
    dent_sim_body_def *peg = part_block(plan, DENT_SIM_RIGID, "peg", cells, size, start);
    peg->linear_velocity[0] = 1e-3 * request->parameters[PUSH];
    peg->linear_velocity[1] = 0.4e-3 * request->parameters[PUSH];
    plan->def.thickness = 0.5 * distance;
    plan->def.solver = DENT_SIM_SOLVER_CONSTRAINTS;
    plan->def.time_step = 1.0 / 120;
    plan->steps_per_frame = 2;
}

const struct sim_scene_row sim_scene_peg_in_hole = {
    .info = {.name = "peg-in-hole",
             .summary = "a rigid peg falls into a hole with two target gaps of clearance",
             .frame_count = 90,
             .length_unit = "m",
             .parameter_count = PARAMETER_COUNT,
             .parameters = parameters},
    .build = build,
};
