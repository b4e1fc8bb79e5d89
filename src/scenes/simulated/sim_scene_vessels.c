/* vessels: the two branching vessels of teschner-d, soft, moving: one stands, the other comes from above until the
 * branches have gone past each other, and is drawn back. Millimetres. */
#include "scenes/elementary_functions.h"
#include "sim_parts.h"
#include "sim_scene_table.h"
#include "scenes/mesher/vessel_shape.h"

enum { DEPTH, YOUNG, PARAMETER_COUNT };

static const dent_scene_parameter_info parameters[PARAMETER_COUNT] = {
    {"depth", "how far the branches go past each other, mm", 7, 0, 14},
    {"young", "Young's modulus, kPa", 300, 1, 1e5},
};

static const double spacing_at_scale_1 = 0.7, coarsest_spacing = 1, start_gap = 1.5;

static bool in_trunk(const void *user, const double point[3])
{
    (void)user;
    return point[2] < -7.5;
}

static dent_sim_body_def *add_vessel(struct sim_plan *plan, const struct sim_scene_request *request, int number)
{
    struct implicit_shape *shape = plan_allocate(plan, 1, sizeof *shape);
    if (!shape) {
        return plan_add_body(plan, DENT_SIM_SOLID, "vessel");
    }
    vessel_describe(shape);
    double spacing = spacing_at_scale_1 / scene_cube_root(request->scale);
    struct mesher_def def = {.low = {-8, -6, -11}, .high = {8, 6, 18}, .shape = shape};
    def.spacing = spacing < coarsest_spacing ? spacing : coarsest_spacing;
    dent_sim_body_def *body = part_shape(plan, DENT_SIM_SOLID, plan_numbered_name(plan, "vessel", number), &def);
    plan_fix_vertices(plan, body, in_trunk, NULL);
    return body;
}

/* Coarse lattices cut the tips of the branches shorter. */
static double top_of(const dent_sim_body_def *body)
{
    double top = 0;
    for (size_t v = 0; v < body->vertex_count; v++) {
        top = body->positions[3 * v + 2] > top ? body->positions[3 * v + 2] : top;
    }
    return top;
}

static void build(struct sim_plan *plan, const struct sim_scene_request *request)
{
    dent_sim_material tissue = dent_sim_material_default();
    tissue.name = "vessel wall";
    tissue.density = 1.05e-6;
    tissue.young = request->parameters[YOUNG];
    tissue.poisson = 0.4;
    tissue.friction_static = tissue.friction_kinetic = 0.1;
    tissue.damping = 0.02;
    uint32_t material = plan_add_material(plan, &tissue);
    add_vessel(plan, request, 0)->material = material;
    dent_sim_body_def *second = add_vessel(plan, request, 1);
    second->material = material;
    /* Upside down, a little to the side: tips meet tips, slip off, and the branches go past one another crosswise. */
    const double rotated[9] = {1, 0, 0, 0, -1, 0, 0, 0, -1}, shift[3] = {0.3, 0.15, 2 * top_of(second) + start_gap};
    if (plan->status == DENT_OK) {
        plan_transform(second, rotated, shift);
    }
    dent_sim_keyframe *keys = plan_keyframes(plan, second, 4);
    if (keys) {
        double displacement = request->parameters[DEPTH] + start_gap;
        keys[0] = plan_key(0, 0, 0, 0);
        keys[1] = plan_key(1.5, 0, 0, -displacement);
        keys[2] = plan_key(2, 0, 0, -displacement);
        keys[3] = plan_key(3.5, 0, 0, 0);
    }
    plan->def.gravity[2] = 0; /* they float in what they are in */
    plan->def.air_damping = 1;
    plan->def.time_step = 1.0 / 120;
    plan->steps_per_frame = 4;
}

const struct sim_scene_row sim_scene_vessels = {
    .info = {.name = "vessels",
             .summary = "two soft branching vessels (teschner-d) are pushed into each other and drawn apart",
             .frame_count = 110,
             .length_unit = "mm",
             .parameter_count = PARAMETER_COUNT,
             .parameters = parameters},
    .build = build,
};
