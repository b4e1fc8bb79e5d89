/* cloth-sphere: a square of cloth falls onto a fixed ball and drapes over it. */
#include "sim_parts.h"
#include "sim_scene_table.h"

enum { SIZE, RADIUS, HEIGHT, FRICTION, PARAMETER_COUNT };

static const dent_scene_parameter_info parameters[PARAMETER_COUNT] = {
    {"size", "of the cloth, m", 1, 0.1, 10},
    {"radius", "of the ball, m", 0.25, 0.05, 2},
    {"height", "of the cloth above the ball at the beginning, m", 0.05, 0.01, 2},
    {"friction", "Coulomb's coefficient", 0.3, 0, 10},
};

static void build(struct sim_plan *plan, const struct sim_scene_request *request)
{
    dent_sim_material cotton = dent_sim_material_default();
    cotton.name = "cotton";
    cotton.density = 0.2;
    cotton.stretch = 1000;
    cotton.shear = 200;
    cotton.bending = 1e-4;
    cotton.damping = 0.005;
    cotton.friction_static = cotton.friction_kinetic = request->parameters[FRICTION];
    uint32_t material = plan_add_material(plan, &cotton);
    double radius = request->parameters[RADIUS];
    uint32_t cells = part_cells(40, request->scale, 2, 4);
    const double centre[3] = {0, 0, 0};
    dent_sim_body_def *ball = part_ball(plan, DENT_SIM_PRESCRIBED, "ball", radius, radius / 4, centre);
    ball->material = material;
    plan_keep_surface(plan, ball);
    dent_sim_body_def *cloth = part_sheet(plan, "cloth", cells, request->parameters[SIZE]);
    cloth->material = material;
    if (plan->status == DENT_OK) {
        plan_scale_and_move(cloth, 1, 0.02 * radius, 0.01 * radius, radius + request->parameters[HEIGHT]);
    }
    plan->def.air_damping = 0.5;
    plan->def.time_step = 1.0 / 120;
    plan->steps_per_frame = 4;
}

const struct sim_scene_row sim_scene_cloth_sphere = {
    .info = {.name = "cloth-sphere",
             .summary = "a cloth falls onto a ball and drapes over it",
             .frame_count = 90,
             .length_unit = "m",
             .parameter_count = PARAMETER_COUNT,
             .parameters = parameters},
    .build = build,
};
