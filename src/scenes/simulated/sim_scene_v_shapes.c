/* v-shapes: the two V-shaped strips of the BucketTree article, made of rubber; one is dragged into the opening of the
 * other and pushes its legs apart, then it is drawn out again. Lengths in centimetres of the strips are metres / 100.
 */
#include "scenes/elementary_functions.h"
#include "scenes/mesher/mesh_blocks.h"
#include "sim_parts.h"
#include "sim_scene_table.h"
#include "scenes/mesher/v_shape.h"

enum { LEG, WIDTH, THICKNESS, DEPTH, YOUNG, PARAMETER_COUNT };

static const dent_scene_parameter_info parameters[PARAMETER_COUNT] = {
    {"leg", "length of a leg, cm", 16, 4, 100},
    {"width", "of the strip, cm", 4, 1, 50},
    {"thickness", "of the strip, cm", 2, 1, 10},
    {"depth", "how far one is pushed into the other, of the leg", 0.5, 0, 0.6},
    {"young", "Young's modulus, kPa", 300, 1, 1e6},
};

/* The mesh of the prescribed scene, bent to a half angle in degrees; the V opens to +z. */
static dent_sim_body_def *add_v(struct sim_plan *plan, const dent_scene *scene, const char *name, double half_angle,
                                double height)
{
    const dent_scene_body *source = dent_scene_body_at(scene, 0);
    double *bent = plan_allocate(plan, source->vertex_count, 3 * sizeof *bent);
    dent_sim_body_def *body = plan_add_body(plan, DENT_SIM_SOLID, name);
    if (!bent) {
        return body;
    }
    v_shape_bend(scene, half_angle * SCENE_PI / 180, bent);
    plan_copy_mesh(plan, body, source->kind, source->vertex_count, source->element_count, source->element_corners,
                   bent);
    const double upright[9] = {0.01, 0, 0, 0, 0, -0.01, 0, 0.01, 0}, shift[3] = {0, 0, height};
    if (plan->status == DENT_OK) {
        plan_transform(body, upright, shift);
    }
    return body;
}

struct slab {
    double low, high; /* along z */
};

static bool in_slab(const void *user, const double point[3])
{
    const struct slab *slab = user;
    return point[2] >= slab->low && point[2] <= slab->high;
}

static void add_bodies(struct sim_plan *plan, const struct sim_scene_request *request, const dent_scene *scene,
                       uint32_t material)
{
    double leg = 0.01 * request->parameters[LEG], thickness = 0.01 * request->parameters[THICKNESS];
    dent_sim_body_def *lower = add_v(plan, scene, "lower", 18, 0);
    lower->material = material;
    struct slab bottom = {-1, 0.75 * thickness};
    plan_fix_vertices(plan, lower, in_slab, &bottom);
    /* The upper V is narrower; its bottom starts in the opening, just clear of the legs. */
    double start = 0.75 * leg;
    dent_sim_body_def *upper = add_v(plan, scene, "upper", 8, start);
    upper->material = material;
    struct slab top = {start + 0.85 * leg, start + 3 * leg};
    plan_fix_vertices(plan, upper, in_slab, &top);
    dent_sim_keyframe *keys = plan_keyframes(plan, upper, 4);
    if (keys) {
        double depth = request->parameters[DEPTH] * leg;
        keys[0] = plan_key(0, 0, 0, 0);
        keys[1] = plan_key(1.5, 0, 0, -depth);
        keys[2] = plan_key(2, 0, 0, -depth);
        keys[3] = plan_key(3.5, 0, 0, 0);
    }
}

static void build(struct sim_plan *plan, const struct sim_scene_request *request)
{
    dent_sim_material rubber = dent_sim_material_default();
    rubber.name = "rubber";
    rubber.density = 400;
    rubber.young = 1000 * request->parameters[YOUNG];
    rubber.friction_static = rubber.friction_kinetic = 0.2;
    uint32_t material = plan_add_material(plan, &rubber);
    const dent_scene_setting settings[] = {{"leg", request->parameters[LEG]},
                                           {"width", request->parameters[WIDTH]},
                                           {"thickness", request->parameters[THICKNESS]}};
    dent_scene_def def = dent_scene_def_default();
    def.name = "v-self"; /* the same strip, one body, no overlap to be solved for */
    def.scale = request->scale;
    def.settings = settings;
    def.setting_count = 3;
    dent_scene *scene = NULL;
    if (plan_note(plan, dent_scene_create(plan->context, &def, &scene))) {
        add_bodies(plan, request, scene, material);
    }
    dent_scene_destroy(scene);
    plan->def.time_step = 1.0 / 120;
    plan->steps_per_frame = 4;
}

const struct sim_scene_row sim_scene_v_shapes = {
    .info = {.name = "v-shapes",
             .summary = "a V of rubber is pushed into the opening of another and drawn out again",
             .frame_count = 110,
             .length_unit = "m",
             .parameter_count = PARAMETER_COUNT,
             .parameters = parameters},
    .build = build,
};
