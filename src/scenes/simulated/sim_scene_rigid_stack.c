/* box-stack: rigid boxes, one on the other, stand still at their target gap, solved exactly (dent/constraints.h).
 *
 * newton-cradle: a row of balls on rigid rods; the first ones are lifted and swing against the others. Impacts have one
 * common restitution. */
#include "scenes/elementary_functions.h"
#include "scenes/mesher/surface_parts.h"
#include "sim_parts.h"
#include "sim_scene_table.h"

/* ---- box-stack --------------------------------------------------------------------------------------------------- */

enum { BOXES, DISTANCE, FRICTION, STACK_PARAMETERS };

static const dent_scene_parameter_info stack_parameters[STACK_PARAMETERS] = {
    {"boxes", "how many", 10, 1, 100},
    {"distance", "target gap, mm: boxes keep it between one another", 1, 0.01, 10},
    {"friction", "Coulomb's coefficient", 0.5, 0, 10},
};

static const double edge = 0.1; /* m */

static void build_stack(struct sim_plan *plan, const struct sim_scene_request *request)
{
    double distance = 1e-3 * request->parameters[DISTANCE];
    uint32_t count = (uint32_t)request->parameters[BOXES], cells = part_cells(1, request->scale, 3, 1);
    dent_sim_material wood = dent_sim_material_default();
    wood.name = "wood";
    wood.density = 600;
    wood.friction_static = wood.friction_kinetic = request->parameters[FRICTION];
    uint32_t material = plan_add_material(plan, &wood);
    part_ground(plan, 6 * edge, 6, material);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t counts[3] = {cells, cells, cells};
        const double size[3] = {edge, edge, edge}, centre[3] = {0, 0, 0.5 * edge + i * edge + (i + 1) * distance};
        dent_sim_body_def *box =
            part_block(plan, DENT_SIM_RIGID, plan_numbered_name(plan, "box", i), counts, size, centre);
        box->material = material;
    }
    plan->def.thickness = 0.5 * distance; /* the target gap is the sum of two */
    plan->def.sleep = false;              /* every step is computed */
    plan->def.solver = DENT_SIM_SOLVER_CONSTRAINTS;
}

const struct sim_scene_row sim_scene_box_stack = {
    .info = {.name = "box-stack",
             .summary = "rigid boxes stand on one another at their target gap",
             .frame_count = 120,
             .length_unit = "m",
             .parameter_count = STACK_PARAMETERS,
             .parameters = stack_parameters},
    .build = build_stack,
};

/* ---- newton-cradle ----------------------------------------------------------------------------------------------- */

enum { BALLS, LIFTED, ANGLE, RESTITUTION, CRADLE_PARAMETERS };

static const dent_scene_parameter_info cradle_parameters[CRADLE_PARAMETERS] = {
    {"balls", "how many", 5, 2, 20},
    {"lifted", "how many of them swing at the beginning", 1, 1, 20},
    {"angle", "how far these are lifted, degrees", 30, 0, 80},
    {"restitution", "of all impacts", 1, 0, 1},
};

static const double radius = 0.05, rod = 0.4, gap = 2e-4; /* m */

/* A ball as rings of points, pointed along z, where it hangs. */
static struct part_ring ball_ring(const void *data, uint32_t index)
{
    const double *shape = data; /* centre, rings */
    static const double up[3] = {0, 0, 1}, side[3] = {1, 0, 0};
    struct scene_sine_cosine place = scene_sine_cosine(SCENE_PI * (index + 0.5) / shape[3]);
    const double centre[3] = {shape[0], shape[1], shape[2] - radius * place.cosine};
    return part_ring_at(centre, up, side, radius * place.sine);
}

static void add_ball(struct sim_plan *plan, uint32_t number, double x, double angle, uint32_t rings)
{
    uint32_t around = 2 * rings; /* an even number: neighbours meet with a vertical edge */
    struct scene_mesh mesh = {0};
    struct scene_sine_cosine turn = scene_sine_cosine(angle);
    double shape[4] = {0, 0, -rod, rings};
    const double matrix[9] = {turn.cosine, 0, turn.sine, 0, 1, 0, -turn.sine, 0, turn.cosine}, shift[3] = {x, 0, 0};
    dent_sim_body_def *ball = plan_add_body(plan, DENT_SIM_RIGID, plan_numbered_name(plan, "ball", number));
    if (!plan_note(plan, scene_mesh_allocate(plan->context, &mesh, part_tube_vertices(rings, around, false),
                                             part_tube_triangles(rings, around, false), 3))) {
        return;
    }
    struct part_writer writer = {.mesh = &mesh};
    part_write_tube(&writer, ball_ring, shape, rings, around, false);
    plan_take_mesh(plan, ball, &mesh);
    if (plan->status == DENT_OK) {
        plan_transform(ball, matrix, shift);
    }
    dent_sim_joint hinge = dent_sim_joint_default();
    hinge.kind = DENT_SIM_JOINT_HINGE;
    hinge.body_a = number;
    hinge.point[0] = x;
    hinge.axis[0] = hinge.axis[2] = 0;
    hinge.axis[1] = 1;
    plan_add_joint(plan, &hinge);
}

static void build_cradle(struct sim_plan *plan, const struct sim_scene_request *request)
{
    dent_sim_material steel = dent_sim_material_default();
    steel.name = "steel";
    steel.density = 7800;
    steel.friction_static = steel.friction_kinetic = 0;
    steel.restitution = request->parameters[RESTITUTION];
    plan_add_material(plan, &steel);
    uint32_t count = (uint32_t)request->parameters[BALLS], rings = part_cells(8, request->scale, 2, 4);
    for (uint32_t i = 0; i < count; i++) {
        bool lifted = i < (uint32_t)request->parameters[LIFTED];
        double angle = lifted ? request->parameters[ANGLE] * (SCENE_PI / 180) : 0;
        add_ball(plan, i, i * (2 * radius + gap), angle, rings);
    }
    plan->def.thickness = 0.25 * gap;
    plan->def.solver = DENT_SIM_SOLVER_CONSTRAINTS;
    plan->def.time_step = 1.0 / 120;
    plan->steps_per_frame = 2;
}

const struct sim_scene_row sim_scene_newton_cradle = {
    .info = {.name = "newton-cradle",
             .summary = "balls on rods swing against one another",
             .frame_count = 180,
             .length_unit = "m",
             .parameter_count = CRADLE_PARAMETERS,
             .parameters = cradle_parameters},
    .build = build_cradle,
};
