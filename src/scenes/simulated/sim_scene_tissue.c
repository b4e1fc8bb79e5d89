/* tissue: a probe of half a kilogram with a round head drops on soft tissue and comes to rest in the dent that it makes. A hand can
 * take it, too, and feel the tissue: `dent view tissue --hand 1`. */
#include "scenes/elementary_functions.h"
#include "sim_parts.h"
#include "sim_scene_table.h"

enum { YOUNG, RADIUS, SPEED, PARAMETER_COUNT };

static const dent_scene_parameter_info parameters[PARAMETER_COUNT] = {
    {"young", "Young's modulus of the tissue, kPa", 30, 1, 1000},
    {"radius", "of the probe, mm", 15, 5, 30},
    {"speed", "of the probe at the beginning, downwards, mm/s", 300, 0, 2000},
};

static const double width = 0.16, depth = 0.06; /* of the tissue, m */
static const double mass = 0.5;                 /* of the probe with its handle, kg */

static bool is_foot(const void *user, const double point[3])
{
    (void)user;
    return point[2] < -depth + 1e-9;
}

static void build(struct sim_plan *plan, const struct sim_scene_request *request)
{
    dent_sim_material flesh = dent_sim_material_default(), steel = flesh;
    double radius = 1e-3 * request->parameters[RADIUS];
    flesh.name = "tissue";
    flesh.density = 1000;
    flesh.young = 1000 * request->parameters[YOUNG];
    flesh.poisson = 0.4;
    flesh.damping = 0.02;
    flesh.friction_static = flesh.friction_kinetic = 0.1;
    steel.name = "steel";
    steel.density = mass / (4.0 / 3 * SCENE_PI * radius * radius * radius);
    steel.friction_static = steel.friction_kinetic = 0.1;
    uint32_t soft = plan_add_material(plan, &flesh), hard = plan_add_material(plan, &steel);
    uint32_t n = part_cells(14, request->scale, 3, 4);
    const uint32_t cells[3] = {n, n, n > 8 ? n * 3 / 8 : 2};
    const double size[3] = {width, width, depth}, centre[3] = {0, 0, -0.5 * depth};
    dent_sim_body_def *tissue = part_block(plan, DENT_SIM_SOLID, "tissue", cells, size, centre);
    tissue->material = soft;
    tissue->self_collision = false;
    tissue->prevent_crossing = true; /* however fast a hand is */
    plan_fix_vertices(plan, tissue, is_foot, NULL);
    const double start[3] = {0, 0, 2 * radius};
    dent_sim_body_def *probe = part_ball(plan, DENT_SIM_RIGID, "probe", radius, radius / 3, start);
    probe->material = hard;
    probe->linear_velocity[2] = -1e-3 * request->parameters[SPEED];
    plan_keep_surface(plan, probe);
    plan->def.thickness = 5e-4;
    plan->def.time_step = 1.0 / 120;
    plan->steps_per_frame = 2;
}

const struct sim_scene_row sim_scene_tissue = {
    .info = {.name = "tissue",
             .summary = "a rigid probe drops on soft tissue; by hand: dent view tissue --hand 1",
             .frame_count = 90,
             .length_unit = "m",
             .parameter_count = PARAMETER_COUNT,
             .parameters = parameters},
    .build = build,
};
