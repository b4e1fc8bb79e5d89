/* The public face of the scenes: checks a def, builds the scene its name stands for, poses its bodies.
 *
 * Building and posing run in dent_call_guarded(), so a caller's rounding mode or flush-to-zero does not change a
 * scene. */
#include "scene_internal.h"
#include "scene_table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What one mesh or one scene may number: indices are 32 bits, and the largest is kept free for "none". */
#define MOST_ELEMENTS 4294967294.0

dent_scene_def dent_scene_def_default(void)
{
    dent_scene_def def = {.struct_size = sizeof def, .scale = 1};
    return def;
}

uint32_t dent_scene_count(void)
{
    return scene_table_count();
}

const dent_scene_info *dent_scene_info_at(uint32_t index)
{
    return index < scene_table_count() ? &scene_table_at(index)->info : NULL;
}

static const struct scene_row *find_row(const char *name)
{
    for (uint32_t i = 0; name && i < scene_table_count(); i++) {
        if (strcmp(scene_table_at(i)->info.name, name) == 0) {
            return scene_table_at(i);
        }
    }
    return NULL;
}

const dent_scene_info *dent_scene_find(const char *name)
{
    const struct scene_row *row = find_row(name);
    return row ? &row->info : NULL;
}

/* ---- what a def may ask ------------------------------------------------------------------------------------------ */

static dent_status unknown_scene(dent_context *context, const char *name)
{
    char known[512] = "";
    size_t length = 0;
    for (uint32_t i = 0; i < scene_table_count() && length < sizeof known; i++) {
        length += (size_t)snprintf(known + length, sizeof known - length, "%s%s", i > 0 ? ", " : "",
                                   scene_table_at(i)->info.name);
    }
    return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "no scene is named '%s'; the scenes are: %s",
                     name ? name : "", known);
}

static dent_status unknown_setting(dent_context *context, const dent_scene_info *info, const char *name)
{
    char known[512] = "";
    size_t length = 0;
    for (uint32_t i = 0; i < info->parameter_count && length < sizeof known; i++) {
        length += (size_t)snprintf(known + length, sizeof known - length, "%s%s", i > 0 ? ", " : "",
                                   info->parameters[i].name);
    }
    return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "scene %s has no parameter '%s'; it has: %s", info->name,
                     name ? name : "", known);
}

static dent_status apply_setting(dent_scene *scene, const dent_scene_setting *setting)
{
    const dent_scene_info *info = &scene->row->info;
    for (uint32_t i = 0; i < info->parameter_count; i++) {
        const dent_scene_parameter_info *parameter = &info->parameters[i];
        if (!setting->name || strcmp(parameter->name, setting->name) != 0) {
            continue;
        }
        if (!(setting->value >= parameter->lowest && setting->value <= parameter->highest)) {
            return dent_fail(scene->context, DENT_ERROR_INVALID_ARGUMENT, "scene %s: %s=%.9g is not within %.9g … %.9g",
                             info->name, parameter->name, setting->value, parameter->lowest, parameter->highest);
        }
        scene->parameters[i] = setting->value;
        return DENT_OK;
    }
    return unknown_setting(scene->context, info, setting->name);
}

static dent_status apply_def(dent_scene *scene, const dent_scene_def *def)
{
    const dent_scene_info *info = &scene->row->info;
    if (!(def->scale > 0) || !isfinite(def->scale)) {
        return dent_fail(scene->context, DENT_ERROR_INVALID_ARGUMENT,
                         "scene %s: scale %.9g is not a finite number above 0", info->name, def->scale);
    }
    if (def->setting_count > 0 && !def->settings) {
        return dent_fail(scene->context, DENT_ERROR_INVALID_ARGUMENT, "scene %s: %u settings announced, none given",
                         info->name, def->setting_count);
    }
    scene->scale = def->scale;
    for (uint32_t i = 0; i < info->parameter_count; i++) {
        scene->parameters[i] = info->parameters[i].default_value;
    }
    for (uint32_t i = 0; i < def->setting_count; i++) {
        dent_status status = apply_setting(scene, &def->settings[i]);
        if (status != DENT_OK) {
            return status;
        }
    }
    return DENT_OK;
}

/* ---- creation ---------------------------------------------------------------------------------------------------- */

static dent_status build(void *data)
{
    dent_scene *scene = data;
    return scene->row->build(scene);
}

static void release_contents(dent_scene *scene)
{
    dent_context *context = scene->context;
    for (uint32_t i = 0; i < scene->mesh_count; i++) {
        scene_mesh_release(context, &scene->meshes[i]);
    }
    dent_release(context, scene->meshes, scene->mesh_count, sizeof *scene->meshes);
    dent_release(context, scene->bodies, scene->body_capacity, sizeof *scene->bodies);
    dent_release(context, scene->names, scene->body_capacity, SCENE_NAME_SIZE);
    dent_release(context, scene->state, scene->state_count, scene->state_size);
    dent_linkage_destroy(scene->linkage);
}

dent_status dent_scene_create(dent_context *context, const dent_scene_def *def, dent_scene **scene)
{
    DENT_REQUIRE(context, context);
    DENT_REQUIRE(context, def);
    DENT_REQUIRE(context, scene);
    if (!def || def->struct_size != sizeof *def) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT,
                         "the scene def was not made by dent_scene_def_default()");
    }
    dent_scene fresh = {.context = context, .row = find_row(def->name)};
    if (!fresh.row) {
        return unknown_scene(context, def->name);
    }
    dent_status status = apply_def(&fresh, def);
    if (status != DENT_OK) {
        return status;
    }
    status = dent_call_guarded(context, build, &fresh);
    dent_scene *made = status == DENT_OK ? dent_allocate(context, 1, sizeof *made) : NULL;
    if (!made) {
        release_contents(&fresh);
        return status == DENT_OK ? scene_out_of_memory(&fresh) : status;
    }
    *made = fresh;
    *scene = made;
    return DENT_OK;
}

void dent_scene_destroy(dent_scene *scene)
{
    if (scene) {
        dent_context *context = scene->context;
        release_contents(scene);
        dent_release(context, scene, 1, sizeof *scene);
    }
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

uint32_t dent_scene_body_count(const dent_scene *scene)
{
    if (!scene) {
        return 0;
    }
    return scene->body_count;
}

const dent_scene_body *dent_scene_body_at(const dent_scene *scene, uint32_t index)
{
    if (!scene) {
        return NULL;
    }
    return index < scene->body_count ? &scene->bodies[index] : NULL;
}

struct pose_call {
    const dent_scene *scene;
    uint32_t body, frame;
    double *positions;
};

static dent_status write_positions(void *data)
{
    const struct pose_call *call = data;
    call->scene->row->pose(call->scene, call->body, call->frame, call->positions);
    return DENT_OK;
}

void dent_scene_positions(const dent_scene *scene, uint32_t body, uint32_t frame, double *positions)
{
    if (!scene || !positions) {
        return;
    }
    struct pose_call call = {scene, body, frame, positions};
    dent_call_guarded(scene->context, write_positions, &call);
}

/* ---- helpers of the builders ------------------------------------------------------------------------------------- */

dent_status scene_out_of_memory(const dent_scene *scene)
{
    return dent_fail(scene->context, DENT_ERROR_OUT_OF_MEMORY, "no memory for scene %s at scale %.9g",
                     scene->row->info.name, scene->scale);
}

dent_status scene_check_size(const dent_scene *scene, double bodies, double vertices_per_body, double elements_per_body)
{
    double vertices = bodies * vertices_per_body;
    double elements = bodies * elements_per_body;
    if (vertices <= MOST_ELEMENTS && elements <= MOST_ELEMENTS && bodies <= MOST_ELEMENTS) {
        return DENT_OK;
    }
    return dent_fail(
        scene->context, DENT_ERROR_TOO_LARGE,
        "scene %s: scale %.9g would make %.3g bodies, %.3g vertices and %.3g elements; at most %.0f of each can "
        "be numbered",
        scene->row->info.name, scene->scale, bodies, vertices, elements, MOST_ELEMENTS);
}

dent_status scene_reserve(dent_scene *scene, uint32_t mesh_count, uint32_t body_count)
{
    scene->meshes = dent_allocate(scene->context, mesh_count, sizeof *scene->meshes);
    if (!scene->meshes) {
        return scene_out_of_memory(scene);
    }
    scene->mesh_count = mesh_count;
    memset(scene->meshes, 0, mesh_count * sizeof *scene->meshes);
    scene->body_capacity = body_count;
    scene->bodies = dent_allocate(scene->context, body_count, sizeof *scene->bodies);
    scene->names = dent_allocate(scene->context, body_count, SCENE_NAME_SIZE);
    return scene->bodies && scene->names ? DENT_OK : scene_out_of_memory(scene);
}

dent_status scene_allocate_state(dent_scene *scene, size_t count, size_t size)
{
    scene->state = dent_allocate(scene->context, count, size);
    if (!scene->state) {
        return scene_out_of_memory(scene);
    }
    scene->state_count = count;
    scene->state_size = size;
    memset(scene->state, 0, count * size);
    return DENT_OK;
}

void scene_add_body(dent_scene *scene, const char *name, int64_t number, const struct scene_mesh *mesh)
{
    char *text = scene->names + (size_t)scene->body_count * SCENE_NAME_SIZE;
    if (number >= 0) {
        snprintf(text, SCENE_NAME_SIZE, "%.16s %u", name, (unsigned)number);
    } else {
        snprintf(text, SCENE_NAME_SIZE, "%.31s", name);
    }
    scene->bodies[scene->body_count++] = (dent_scene_body){
        .name = text,
        .kind = scene_mesh_kind(mesh),
        .vertex_count = mesh->vertex_count,
        .element_count = mesh->element_count,
        .element_corners = mesh->corners,
        .reference = mesh->reference,
        .strand_count = mesh->strand_count,
        .first = mesh->first,
        .thickness = DENT_THICKNESS_FROM_QUERY,
    };
}

uint32_t scene_round(double value, uint32_t least)
{
    double rounded = floor(value + 0.5);
    return !(rounded > least) ? least : rounded < UINT32_MAX ? (uint32_t)rounded : UINT32_MAX;
}
