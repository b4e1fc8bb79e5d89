/* fold: a long soft bar whose ends are turned and brought together until it lies against itself, and held there:
 * self-contact of a solid. */
#include "scenes/elementary_functions.h"
#include "sim_parts.h"
#include "sim_scene_table.h"

#include <string.h>

enum { LENGTH, PRESS, YOUNG, PARAMETER_COUNT };

static const dent_scene_parameter_info parameters[PARAMETER_COUNT] = {
    {"length", "of the bar, in thicknesses", 14, 8, 100},
    {"press", "how far the ends are turned less than upright, so that the legs press, degrees", 18, 0, 20},
    {"young", "Young's modulus, kPa", 100, 1, 1e6},
};

static const double thickness = 0.1; /* m */
static const double folding_time = 2.5;

struct fold_motion {
    double half_length, final_offset;
    double end_length; /* of the part that is held */
    double angle;      /* by which the ends are turned, radians */
};

/* Both ends turn upwards, by a little less than a right angle, and come together; the motion of what lies between is
 * not used. */
static void move_ends(void *user, double time, uint32_t vertex_count, double *positions)
{
    const struct fold_motion *fold = user;
    double part = scene_smooth_step(0, folding_time, time);
    struct scene_sine_cosine turn = scene_sine_cosine(fold->angle * part);
    double centre = fold->half_length - 0.5 * fold->end_length;
    /* The middle of a bar bent to an arc between two ends sinks; following it keeps the bar from being stretched. */
    double near = centre + (fold->final_offset - centre) * part;
    double lift = 0.45 * fold->half_length * scene_sine(0.5 * SCENE_PI * part);
    for (uint32_t v = 0; v < vertex_count; v++) {
        double *at = positions + 3 * (size_t)v;
        double side = at[0] < 0 ? -1 : 1;
        double along = side * at[0] - centre, up = at[2];
        at[0] = side * (near + (along * turn.cosine - up * turn.sine));
        at[2] = lift + (along * turn.sine + up * turn.cosine);
    }
}

static bool at_an_end(const void *user, const double point[3])
{
    const struct fold_motion *fold = user;
    double along = point[0] < 0 ? -point[0] : point[0];
    return along >= fold->half_length - fold->end_length;
}

static void build(struct sim_plan *plan, const struct sim_scene_request *request)
{
    dent_sim_material foam = dent_sim_material_default();
    foam.name = "foam";
    foam.density = 200;
    foam.young = 1000 * request->parameters[YOUNG];
    foam.poisson = 0.3;
    foam.damping = 0.03;
    uint32_t material = plan_add_material(plan, &foam);
    double length = request->parameters[LENGTH] * thickness;
    uint32_t across = part_cells(4, request->scale, 3, 2);
    const uint32_t cells[3] = {(uint32_t)(across * request->parameters[LENGTH] + 0.5), across, across};
    const double size[3] = {length, thickness, thickness}, centre[3] = {0, 0, 0};
    dent_sim_body_def *bar = part_block(plan, DENT_SIM_SOLID, "bar", cells, size, centre);
    bar->material = material;
    struct fold_motion *fold = plan_allocate(plan, 1, sizeof *fold);
    if (fold) {
        fold->half_length = 0.5 * length;
        fold->end_length = 1.01 * thickness;
        fold->final_offset = 0.65 * thickness; /* held parts stay clear of one another */
        fold->angle = (90 - request->parameters[PRESS]) * (SCENE_PI / 180);
        plan_fix_vertices(plan, bar, at_an_end, fold);
        bar->motion.function = move_ends;
        bar->motion.user = fold;
    }
    plan->def.time_step = 1.0 / 120;
    plan->steps_per_frame = 4;
}

const struct sim_scene_row sim_scene_fold = {
    .info = {.name = "fold",
             .summary = "a soft bar is folded until it lies against itself",
             .frame_count = 100,
             .length_unit = "m",
             .parameter_count = PARAMETER_COUNT,
             .parameters = parameters},
    .build = build,
};
