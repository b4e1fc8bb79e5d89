/* stack: soft blocks fall a little way onto one another and stay. The scale changes how finely the blocks are cut. */
#include "sim_parts.h"
#include "sim_scene_table.h"

enum { BLOCKS, GAP, YOUNG, FRICTION, PARAMETER_COUNT };

static const dent_scene_parameter_info parameters[PARAMETER_COUNT] = {
    {"blocks", "how many", 10, 1, 100},
    {"gap", "between neighbours at the beginning, in edges of a block", 0.02, 0, 2},
    {"young", "Young's modulus, kPa; below about 2000 ten blocks buckle under their weight", 5000, 1, 1e6},
    {"friction", "Coulomb's coefficient", 0.6, 0, 10},
};

static const double edge = 0.1; /* m */

static void build(struct sim_plan *plan, const struct sim_scene_request *request)
{
    dent_sim_material rubber = dent_sim_material_default();
    rubber.name = "rubber";
    rubber.young = 1000 * request->parameters[YOUNG];
    rubber.poisson = 0.4;
    rubber.friction_static = rubber.friction_kinetic = request->parameters[FRICTION];
    uint32_t material = plan_add_material(plan, &rubber);
    part_ground(plan, 6 * edge, 6, material);
    uint32_t cells = part_cells(4, request->scale, 3, 1), count = (uint32_t)request->parameters[BLOCKS];
    double gap = request->parameters[GAP] * edge;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t counts[3] = {cells, cells, cells};
        const double size[3] = {edge, edge, edge}, centre[3] = {0, 0, gap + 0.5 * edge + i * (edge + gap)};
        dent_sim_body_def *block =
            part_block(plan, DENT_SIM_SOLID, plan_numbered_name(plan, "block", i), counts, size, centre);
        block->material = material;
        block->self_collision = false; /* a block does not reach itself */
    }
    plan->def.time_step = 1.0 / 120;
    plan->steps_per_frame = 4;
}

const struct sim_scene_row sim_scene_stack = {
    .info = {.name = "stack",
             .summary = "soft blocks fall onto one another and stay",
             .frame_count = 90,
             .length_unit = "m",
             .parameter_count = PARAMETER_COUNT,
             .parameters = parameters},
    .build = build,
};
