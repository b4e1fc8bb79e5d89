/* jaw: the generated jaw, simulated. The lower jaw is driven through chewing strokes; its teeth are rigid bodies that
 * hang in elastic ligaments and nothing else; the upper teeth stand still. When the teeth meet, the contact presses the
 * lower ones into their ligaments and tilts them.
 *
 * Meshes are those of the prescribed scene `jaw` (millimetres). A ligament's outer side is fixed to the bone and moves
 * with it; its inner side is tied to the cells of the tooth. Clefts between tooth, ligament and bone are there so that
 * the parts do not touch; contact is asked for between upper and lower teeth only. */
#include "scenes/elementary_functions.h"
#include "scenes/mesher/jaw_shapes.h"
#include "jaw_chewing.h"
#include "sim_parts.h"
#include "sim_scene_table.h"

#include <stdio.h>
#include <string.h>

enum { OPENING, BITE, PERIOD, YOUNG, FRICTION, PARAMETER_COUNT };

static const dent_scene_parameter_info parameters[PARAMETER_COUNT] = {
    {"opening", "largest angle between the jaws, degrees", 8, 0, 30},
    {"bite", "how far the lower jaw goes beyond first contact, mm", 0.25, 0, 1},
    {"period", "of one stroke, s", 1, 0.2, 10},
    {"young", "Young's modulus of the ligaments, MPa", 1.5, 0.01, 1000},
    {"friction", "Coulomb's coefficient of wet enamel", 0.1, 0, 2},
};

enum { GROUP_UPPER = 2, GROUP_LOWER = 4 };

/* ---- the bodies -------------------------------------------------------------------------------------------------- */

struct jaw_builder {
    struct sim_plan *plan;
    const dent_scene *scene;
    const struct chewing *chewing;
    double ligament_middle; /* distance from the tooth */
    uint32_t bone, enamel, ligament;
};

/* Copies a body of the prescribed scene; those of the lower jaw start where the motion does. */
static dent_sim_body_def *copy_body(const struct jaw_builder *builder, uint32_t index, dent_sim_body_kind kind,
                                    bool lower)
{
    struct sim_plan *plan = builder->plan;
    const dent_scene_body *source = dent_scene_body_at(builder->scene, index);
    dent_sim_body_def *body = plan_add_body(plan, kind, plan_copy_text(plan, source->name));
    plan_copy_mesh(plan, body, source->kind, source->vertex_count, source->element_count, source->element_corners,
                   source->reference);
    if (lower) {
        chewing_add(plan, body, builder->chewing);
    }
    body->self_collision = false;
    return body;
}

/* A region of a ligament: nearer to the tooth than its middle, or farther. Works on the body's own vertices in the open
 * jaw, so it looks the closed ones up by their place in the array. */
struct ligament_side {
    const struct implicit_shape *tooth;
    const double *positions, *closed;
    double middle;
    bool inner;
};

static bool on_side(const void *user, const double point[3])
{
    const struct ligament_side *side = user;
    double distance = shape_value(side->tooth, side->closed + (point - side->positions));
    return side->inner ? distance < 0.7 * side->middle : distance > 1.3 * side->middle;
}

static void add_ligament(const struct jaw_builder *builder, uint32_t index, int number, uint32_t tooth_body)
{
    struct sim_plan *plan = builder->plan;
    struct implicit_shape *shape = plan_allocate(plan, 1, sizeof *shape);
    dent_sim_body_def *body = copy_body(builder, index, DENT_SIM_SOLID, true);
    if (plan->status != DENT_OK) {
        return;
    }
    struct jaw_tooth tooth = jaw_tooth_in_place(false, number / 10 == 4, number % 10);
    jaw_describe_tooth(shape, &tooth);
    body->material = builder->ligament;
    body->collision_mask = 0;
    struct ligament_side side = {.tooth = shape,
                                 .positions = body->positions,
                                 .closed = dent_scene_body_at(builder->scene, index)->reference,
                                 .middle = builder->ligament_middle};
    plan_fix_vertices(plan, body, on_side, &side);
    side.inner = true;
    plan_attach_to_cells(plan, plan->body_count - 1, tooth_body, builder->ligament_middle, 0, on_side, &side);
}

static void add_tooth(const struct jaw_builder *builder, uint32_t index, int number)
{
    bool lower = number >= 30;
    dent_sim_body_def *body = copy_body(builder, index, lower ? DENT_SIM_RIGID : DENT_SIM_PRESCRIBED, lower);
    body->material = builder->enamel;
    body->collision_group = lower ? GROUP_LOWER : GROUP_UPPER;
    body->collision_mask = lower ? GROUP_UPPER : GROUP_LOWER;
}

static void add_bone(const struct jaw_builder *builder, uint32_t index, bool lower)
{
    dent_sim_body_def *body = copy_body(builder, index, DENT_SIM_PRESCRIBED, lower);
    body->material = builder->bone;
    body->collision_mask = 0;
}

/* Bodies come in the order of the prescribed scene: a lower tooth is followed by its ligament. */
static void add_bodies(const struct jaw_builder *builder)
{
    uint32_t tooth_body = 0;
    for (uint32_t i = 0; i < dent_scene_body_count(builder->scene) && builder->plan->status == DENT_OK; i++) {
        const char *name = dent_scene_body_at(builder->scene, i)->name;
        int number = 0;
        if (sscanf(name, "tooth %d", &number) == 1) {
            tooth_body = builder->plan->body_count;
            add_tooth(builder, i, number);
        } else if (sscanf(name, "ligament %d", &number) == 1) {
            add_ligament(builder, i, number, tooth_body);
        } else {
            add_bone(builder, i, strcmp(name, "mandible") == 0);
        }
    }
}

static void add_materials(struct jaw_builder *builder, const struct sim_scene_request *request)
{
    struct chewing_materials materials = chewing_add_materials(builder->plan, request->parameters[FRICTION],
                                                               "ligament", request->parameters[YOUNG]);
    builder->bone = materials.bone;
    builder->enamel = materials.enamel;
    builder->ligament = materials.tissue;
}

static void build(struct sim_plan *plan, const struct sim_scene_request *request)
{
    struct chewing *chewing = plan_allocate(plan, 1, sizeof *chewing);
    if (!chewing) {
        return;
    }
    chewing->opening = request->parameters[OPENING] * (SCENE_PI / 180);
    chewing->bite = request->parameters[BITE];
    chewing->period = request->parameters[PERIOD];
    struct jaw_builder builder = {
        .plan = plan, .chewing = chewing, .ligament_middle = jaw_ligament_middle(request->scale)};
    add_materials(&builder, request);
    dent_scene_def def = dent_scene_def_default();
    def.name = "jaw";
    def.scale = request->scale;
    dent_scene *scene = NULL;
    if (plan_note(plan, dent_scene_create(plan->context, &def, &scene))) {
        builder.scene = scene;
        add_bodies(&builder);
    }
    dent_scene_destroy(scene);
    plan->def.gravity[2] = -9810;
    plan->def.air_damping = 10;
    plan->def.time_step = 1.0 / 120;
    plan->steps_per_frame = 4;
}

const struct sim_scene_row sim_scene_jaw = {
    .info = {.name = "jaw",
             .summary = "a lower jaw chews; its teeth hang in elastic ligaments and meet the upper ones",
             .frame_count = 90,
             .length_unit = "mm",
             .parameter_count = PARAMETER_COUNT,
             .parameters = parameters},
    .build = build,
};
