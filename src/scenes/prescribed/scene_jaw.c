/* jaw: a lower jaw with teeth in ligaments that chews against the teeth of an upper jaw; all generated.
 *
 * The lower jaw turns about the axis through its condyles, which also slide forward as it opens, and swings sideways a
 * little, as when chewing. Around the middle of the cycle the teeth meet and pass into each other by the depth `bite`;
 * while they do, the lower teeth are pressed into their ligaments and tilt by about `mobility`. Open, nothing meets.
 *
 * The scale changes how finely everything is cut. Ligaments have to stay thicker than their cells, so below scale 1
 * they become thicker, and below scale 0.6, where neighbours would touch, some teeth are left out. */
#include "scenes/elementary_functions.h"
#include "scenes/mesher/implicit_mesher.h"
#include "scenes/mesher/jaw_shapes.h"
#include "scenes/scene_table.h"

enum { FRAMES = 100 };

enum { OPENING, BITE, MOBILITY, PARAMETER_COUNT };

static const dent_scene_parameter_info parameters[PARAMETER_COUNT] = {
    {"opening", "largest angle between the jaws, degrees", 14, 0, 30},
    {"bite", "how far the teeth pass into each other when closed, mm", 0.8, 0, 3},
    {"mobility", "how far a loaded tooth is pressed into its ligament, mm", 0.2, 0, 1},
};

/* Spacings of the lattices at scale 1, mm. */
static const double bone_spacing = 2.4, tooth_spacing = 1.25, ligament_spacing = 0.68, ligament_thickness = 0.9,
                    tooth_cleft = 0.13;

enum jaw_part { PART_MANDIBLE, PART_MAXILLA, PART_TOOTH, PART_LIGAMENT };

struct jaw_body {
    enum jaw_part part;
    struct jaw_tooth tooth; /* of teeth and ligaments */
};

enum { MOST_TEETH = 4 * JAW_TEETH_PER_SIDE };

struct jaw_plan {
    double coarseness;   /* times the spacings above */
    double bone_spacing; /* mm */
    struct jaw_fit fit;
    struct jaw_tooth teeth[MOST_TEETH];
    uint32_t tooth_count;
};

/* ---- what to build ----------------------------------------------------------------------------------------------- */

/* Which teeth there are at a scale. Those left are no neighbours, so their thick ligaments do not meet. */
static bool has_tooth(double scale, bool right, int number)
{
    if (scale >= 0.6) {
        return true;
    }
    if (scale >= 0.1) {
        return number % 2 == 0;
    }
    return number == 6 && (right || scale >= 0.03);
}

static double jaw_coarseness(double scale)
{
    double coarseness = 1 / scene_cube_root(scale);
    return coarseness < 1.9 ? coarseness : 1.9;
}

double jaw_ligament_middle(double scale)
{
    double coarseness = jaw_coarseness(scale), thicker = coarseness > 1 ? coarseness : 1;
    return (tooth_cleft + 0.5 * ligament_thickness) * thicker;
}

static struct jaw_plan make_plan(double scale)
{
    struct jaw_plan plan = {.coarseness = 1 / scene_cube_root(scale)};
    /* Coarser lattices would lose the thin parts: bone first, then ligaments. */
    plan.bone_spacing = bone_spacing * (plan.coarseness < 2.3 ? plan.coarseness : 2.3);
    plan.coarseness = jaw_coarseness(scale);
    double thicker = plan.coarseness > 1 ? plan.coarseness : 1;
    plan.fit = (struct jaw_fit){
        .tooth_cleft = tooth_cleft * thicker,
        .ligament = ligament_thickness * thicker,
        .bone_cleft = 0.15 + 0.06 * plan.bone_spacing * plan.bone_spacing,
    };
    for (int quadrant = 0; quadrant < 4; quadrant++) {
        for (int number = 1; number <= JAW_TEETH_PER_SIDE; number++) {
            if (has_tooth(scale, quadrant & 1, number)) {
                plan.teeth[plan.tooth_count++] = jaw_tooth_in_place(quadrant >= 2, quadrant & 1, number);
            }
        }
    }
    return plan;
}

/* The two-digit number dentists use: quadrant, then number from the middle. */
static int dental_number(const struct jaw_tooth *tooth)
{
    int quadrant = tooth->upper ? (tooth->right ? 1 : 2) : (tooth->right ? 4 : 3);
    return 10 * quadrant + tooth->number;
}

/* ---- building ---------------------------------------------------------------------------------------------------- */

static dent_status add_part(dent_scene *scene, const struct mesher_def *def, const struct jaw_body *body,
                            const char *name, int number)
{
    struct scene_mesh *mesh = &scene->meshes[scene->body_count];
    dent_status status = implicit_mesh_create(scene->context, def, mesh);
    if (status == DENT_OK) {
        ((struct jaw_body *)scene->state)[scene->body_count] = *body;
        scene_add_body(scene, name, number, mesh);
    }
    return status;
}

static struct mesher_def bone_def(const struct jaw_plan *plan, const struct implicit_shape *shape, bool upper)
{
    const double *low = upper ? jaw_maxilla_low : jaw_mandible_low,
                 *high = upper ? jaw_maxilla_high : jaw_mandible_high;
    return (struct mesher_def){
        .low = {low[0], low[1], low[2]},
        .high = {high[0], high[1], high[2]},
        .spacing = plan->bone_spacing,
        .shape = shape,
    };
}

static dent_status add_bones(dent_scene *scene, const struct jaw_plan *plan, struct implicit_shape *shape)
{
    shape->step_count = 0;
    jaw_describe_mandible(shape, plan->teeth, plan->tooth_count, &plan->fit);
    struct mesher_def def = bone_def(plan, shape, false);
    dent_status status = add_part(scene, &def, &(struct jaw_body){.part = PART_MANDIBLE}, "mandible", -1);
    if (status != DENT_OK) {
        return status;
    }
    shape->step_count = 0;
    jaw_describe_maxilla(shape, plan->teeth, plan->tooth_count, &plan->fit);
    def = bone_def(plan, shape, true);
    return add_part(scene, &def, &(struct jaw_body){.part = PART_MAXILLA}, "maxilla", -1);
}

static dent_status add_tooth(dent_scene *scene, const struct jaw_plan *plan, struct implicit_shape *shape,
                             const struct jaw_tooth *tooth)
{
    struct mesher_def def = {.spacing = tooth_spacing * plan->coarseness, .shape = shape};
    /* Root tips are thin: coarser cells would lose them. */
    def.spacing = def.spacing < 1.6 ? def.spacing : 1.6;
    jaw_tooth_bounds(tooth, def.low, def.high);
    shape->step_count = 0;
    jaw_describe_tooth(shape, tooth);
    struct jaw_body body = {PART_TOOTH, *tooth};
    dent_status status = add_part(scene, &def, &body, "tooth", dental_number(tooth));
    if (status != DENT_OK || tooth->upper) {
        return status;
    }
    def.spacing = ligament_spacing * plan->coarseness;
    shape->step_count = 0;
    jaw_describe_ligament(shape, tooth, &plan->fit);
    body.part = PART_LIGAMENT;
    return add_part(scene, &def, &body, "ligament", dental_number(tooth));
}

static dent_status build_parts(dent_scene *scene, const struct jaw_plan *plan, struct implicit_shape *shape)
{
    dent_status status = add_bones(scene, plan, shape);
    for (uint32_t i = 0; i < plan->tooth_count && status == DENT_OK; i++) {
        status = add_tooth(scene, plan, shape, &plan->teeth[i]);
    }
    return status;
}

static dent_status build(dent_scene *scene)
{
    struct jaw_plan plan = make_plan(scene->scale);
    struct mesher_def largest = bone_def(&plan, NULL, false);
    double points = mesher_lattice_points(&largest);
    dent_status status = scene_check_size(scene, 1, 2 * points, 4 * points);
    uint32_t parts = 2 + plan.tooth_count + plan.tooth_count / 2;
    if (status == DENT_OK) {
        status = scene_reserve(scene, parts, parts);
    }
    if (status == DENT_OK) {
        status = scene_allocate_state(scene, parts, sizeof(struct jaw_body));
    }
    if (status != DENT_OK) {
        return status;
    }
    struct implicit_shape *shape = dent_allocate(scene->context, 1, sizeof *shape);
    if (!shape) {
        return scene_out_of_memory(scene);
    }
    status = build_parts(scene, &plan, shape);
    dent_release(scene->context, shape, 1, sizeof *shape);
    return status;
}

/* ---- chewing ----------------------------------------------------------------------------------------------------- */

struct chewing {
    struct scene_sine_cosine turn; /* of the lower jaw about the hinge */
    double shift[3];               /* of the lower jaw */
    double load;                   /* 0 … 1: how hard the teeth are pressed together */
};

static struct chewing chewing_at(const dent_scene *scene, uint32_t frame)
{
    double time = 2 * SCENE_PI * (frame % FRAMES) / FRAMES;
    double open = 0.5 + 0.5 * scene_cosine(time);
    struct chewing chewing = {.load = scene_smooth_step(0.04, 0, open)};
    double bite = scene->parameters[BITE] * scene_smooth_step(0.2, 0, open);
    chewing.turn = scene_sine_cosine(-open * scene->parameters[OPENING] * SCENE_PI / 180);
    /* Chewing is a loop, not a line: the jaw opens on one side of the middle and closes on the other. */
    chewing.shift[0] = 1.5 * open * scene_sine(time);
    chewing.shift[1] = 5 * open;
    chewing.shift[2] = bite - 4 * open;
    return chewing;
}

/* Presses a tooth down and tilts it a little about the middle of its root, each in its own direction. */
static void press_tooth(const struct jaw_tooth *tooth, double distance, double point[3])
{
    double below = point[2] + 15;
    double tilt = 0.04 * distance * (tooth->number & 1 ? 1 : -1) * below;
    point[0] += tilt * tooth->outward[0];
    point[1] += tilt * tooth->outward[1];
    point[2] -= distance;
}

static void pose(const dent_scene *scene, uint32_t index, uint32_t frame, double *positions)
{
    const struct scene_mesh *mesh = &scene->meshes[index];
    const struct jaw_body *body = &((const struct jaw_body *)scene->state)[index];
    struct chewing chewing = chewing_at(scene, frame);
    bool lower =
        body->part == PART_MANDIBLE || body->part == PART_LIGAMENT || (body->part == PART_TOOTH && !body->tooth.upper);
    double pressed = body->part == PART_TOOTH ? scene->parameters[MOBILITY] * chewing.load : 0;
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        double point[3] = {mesh->reference[3 * v], mesh->reference[3 * v + 1], mesh->reference[3 * v + 2]};
        if (lower) {
            press_tooth(&body->tooth, pressed, point);
            double y = point[1] - jaw_hinge[1], z = point[2] - jaw_hinge[2];
            point[0] += chewing.shift[0];
            point[1] = (jaw_hinge[1] + (y * chewing.turn.cosine - z * chewing.turn.sine)) + chewing.shift[1];
            point[2] = (jaw_hinge[2] + (y * chewing.turn.sine + z * chewing.turn.cosine)) + chewing.shift[2];
        }
        for (int axis = 0; axis < 3; axis++) {
            positions[3 * v + axis] = point[axis];
        }
    }
}

const struct scene_row scene_jaw = {
    .info =
        {
            .name = "jaw",
            .summary = "a lower jaw with teeth in ligaments that chews against the upper teeth",
            .frame_count = FRAMES,
            .benchmark_frames = FRAMES,
            .parameter_count = PARAMETER_COUNT,
            .parameters = parameters,
        },
    .build = build,
    .pose = pose,
};
