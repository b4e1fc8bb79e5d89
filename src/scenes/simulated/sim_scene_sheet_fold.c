/* sheet-fold: a sheet lies on the ground; one edge is taken over to the other side, so that the sheet is folded onto
 * itself. */
#include "scenes/elementary_functions.h"
#include "sim_parts.h"
#include "sim_scene_table.h"

enum { BENDING, FRICTION, PARAMETER_COUNT };

static const dent_scene_parameter_info parameters[PARAMETER_COUNT] = {
    {"bending", "stiffness of the sheet, mJ", 0.5, 0, 100},
    {"friction", "Coulomb's coefficient", 0.4, 0, 10},
};

static const double size = 0.6, height = 0.012, folding_time = 2, turn_degrees = 174; /* m, m, s */

struct edge_motion {
    double half;
};

/* The left edge goes over in a half circle about the middle line, the right edge stays. */
static void move_edges(void *user, double time, uint32_t vertex_count, double *positions)
{
    const struct edge_motion *motion = user;
    double part = scene_smooth_step(0, folding_time, time);
    struct scene_sine_cosine turn = scene_sine_cosine(part * turn_degrees * (SCENE_PI / 180));
    for (uint32_t v = 0; v < vertex_count; v++) {
        double *at = positions + 3 * (size_t)v;
        if (at[0] < 0) {
            double along = -at[0] * (1 - 0.04 * part);
            at[0] = -along * turn.cosine;
            at[2] += along * turn.sine;
        }
    }
    (void)motion;
}

static bool at_an_edge(const void *user, const double point[3])
{
    const struct edge_motion *motion = user;
    return point[0] < -0.999 * motion->half || point[0] > 0.999 * motion->half;
}

static void build(struct sim_plan *plan, const struct sim_scene_request *request)
{
    dent_sim_material felt = dent_sim_material_default();
    felt.name = "felt";
    felt.density = 0.3;
    felt.stretch = 1000;
    felt.shear = 300;
    felt.bending = 0.001 * request->parameters[BENDING];
    felt.damping = 0.01;
    felt.friction_static = felt.friction_kinetic = request->parameters[FRICTION];
    uint32_t material = plan_add_material(plan, &felt);
    part_ground(plan, 1.5 * size, 8, material);
    dent_sim_body_def *sheet = part_sheet(plan, "sheet", part_cells(32, request->scale, 2, 4), size);
    sheet->material = material;
    struct edge_motion *motion = plan_allocate(plan, 1, sizeof *motion);
    if (motion) {
        motion->half = 0.5 * size;
        plan_fix_vertices(plan, sheet, at_an_edge, motion);
        plan_scale_and_move(sheet, 1, 0, 0, height);
        sheet->motion.function = move_edges;
        sheet->motion.user = motion;
    }
    plan->def.air_damping = 1;
    plan->def.time_step = 1.0 / 120;
    plan->steps_per_frame = 4;
}

const struct sim_scene_row sim_scene_sheet_fold = {
    .info = {.name = "sheet-fold",
             .summary = "a sheet on the ground is folded onto itself",
             .frame_count = 90,
             .length_unit = "m",
             .parameter_count = PARAMETER_COUNT,
             .parameters = parameters},
    .build = build,
};
