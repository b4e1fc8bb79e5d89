/* cloth-between: a cloth hangs from its upper edge; two soft balls come from both sides, pinch it, carry it a little
 * upwards, and let it go again. */
#include "sim_parts.h"
#include "sim_scene_table.h"

enum { PINCH, YOUNG, FRICTION, PARAMETER_COUNT };

static const dent_scene_parameter_info parameters[PARAMETER_COUNT] = {
    {"pinch", "how far each ball is pressed in, of its radius", 0.15, 0, 0.5},
    {"young", "Young's modulus of the balls, kPa", 50, 1, 1e5},
    {"friction", "Coulomb's coefficient", 0.6, 0, 10},
};

static const double radius = 0.1, size = 0.6, gap = 0.05; /* m */

struct cap {
    double side, from; /* beyond `from` on that side */
};

static bool in_cap(const void *user, const double point[3])
{
    const struct cap *cap = user;
    return cap->side * point[1] > cap->from;
}

static bool at_the_top(const void *user, const double point[3])
{
    (void)user;
    return point[2] > 0.499 * size;
}

static void add_ball(struct sim_plan *plan, const struct sim_scene_request *request, double side, uint32_t material)
{
    double away = radius + gap, lift = 0.05;
    const double centre[3] = {0, side * away, -0.05};
    dent_sim_body_def *ball = part_ball(plan, DENT_SIM_SOLID, side < 0 ? "left ball" : "right ball", radius,
                                        radius / part_cells(4, request->scale, 3, 2), centre);
    ball->material = material;
    ball->self_collision = false;
    struct cap cap = {side, away + 0.55 * radius};
    plan_fix_vertices(plan, ball, in_cap, &cap);
    dent_sim_keyframe *keys = plan_keyframes(plan, ball, 5);
    if (keys) {
        double in = -side * (gap + request->parameters[PINCH] * radius);
        keys[0] = plan_key(0, 0, 0, 0);
        keys[1] = plan_key(1, 0, in, 0);
        keys[2] = plan_key(1.7, 0, in, lift);
        keys[3] = plan_key(2.4, 0, in, 0);
        keys[4] = plan_key(3.2, 0, 0, 0);
    }
}

static void build(struct sim_plan *plan, const struct sim_scene_request *request)
{
    dent_sim_material cotton = dent_sim_material_default(), rubber = cotton;
    cotton.name = "cotton";
    cotton.density = 0.2;
    cotton.stretch = 1000;
    cotton.shear = 200;
    cotton.bending = 2e-4;
    cotton.friction_static = cotton.friction_kinetic = request->parameters[FRICTION];
    rubber.name = "rubber";
    rubber.young = 1000 * request->parameters[YOUNG];
    rubber.density = 500;
    rubber.friction_static = rubber.friction_kinetic = request->parameters[FRICTION];
    uint32_t cotton_number = plan_add_material(plan, &cotton), rubber_number = plan_add_material(plan, &rubber);
    dent_sim_body_def *cloth = part_sheet(plan, "cloth", part_cells(32, request->scale, 2, 4), size);
    cloth->material = cotton_number;
    const double upright[9] = {1, 0, 0, 0, 0, -1, 0, 1, 0}, shift[3] = {0, 0, 0};
    if (plan->status == DENT_OK) {
        plan_transform(cloth, upright, shift);
    }
    plan_fix_vertices(plan, cloth, at_the_top, NULL);
    add_ball(plan, request, -1, rubber_number);
    add_ball(plan, request, 1, rubber_number);
    plan->def.air_damping = 1;
    plan->def.time_step = 1.0 / 120;
    plan->steps_per_frame = 4;
}

const struct sim_scene_row sim_scene_cloth_between = {
    .info = {.name = "cloth-between",
             .summary = "two soft balls pinch a hanging cloth and let it go",
             .frame_count = 110,
             .length_unit = "m",
             .parameter_count = PARAMETER_COUNT,
             .parameters = parameters},
    .build = build,
};
