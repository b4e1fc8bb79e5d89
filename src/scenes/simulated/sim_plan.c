/* The plan: lists that double, blocks that are released together, meshes that are copied and moved (see the header). */
#include "sim_plan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- memory ------------------------------------------------------------------------------------------------------ */

enum { BLOCK_HEAD = 64 }; /* keeps what follows the header aligned for anything */

void plan_open(struct sim_plan *plan, dent_context *context)
{
    memset(plan, 0, sizeof *plan);
    plan->context = context;
    plan->def = dent_sim_def_default();
    plan->name = "scene";
    plan->length_unit = "m";
    plan->length_in_metres = plan->mass_in_kilograms = plan->time_in_seconds = 1;
    plan->steps_per_frame = 1;
    plan->frame_count = 120;
}

void plan_close(struct sim_plan *plan)
{
    while (plan->blocks) {
        struct plan_block *block = plan->blocks;
        plan->blocks = block->next;
        dent_release(plan->context, block, block->size, 1);
    }
    dent_release(plan->context, plan->bodies, plan->body_capacity, sizeof *plan->bodies);
    dent_release(plan->context, plan->materials, plan->material_capacity, sizeof *plan->materials);
    dent_release(plan->context, plan->pairs, plan->pair_capacity, sizeof *plan->pairs);
    dent_release(plan->context, plan->attachments, plan->attachment_capacity, sizeof *plan->attachments);
    dent_release(plan->context, plan->loads, plan->load_capacity, sizeof *plan->loads);
    dent_release(plan->context, plan->supports, plan->support_capacity, sizeof *plan->supports);
    dent_release(plan->context, plan->springs, plan->spring_capacity, sizeof *plan->springs);
    dent_release(plan->context, plan->probes, plan->probe_capacity, sizeof *plan->probes);
    dent_release(plan->context, plan->joints, plan->joint_capacity, sizeof *plan->joints);
    dent_release(plan->context, plan->excluded, plan->excluded_capacity, sizeof *plan->excluded);
    memset(plan, 0, sizeof *plan);
}

bool plan_note(struct sim_plan *plan, dent_status status)
{
    if (plan->status == DENT_OK) {
        plan->status = status;
    }
    return plan->status == DENT_OK;
}

static void out_of_memory(struct sim_plan *plan)
{
    if (plan->status == DENT_OK) {
        plan->status = dent_fail(plan->context, DENT_ERROR_OUT_OF_MEMORY, "no memory for the scene %s", plan->name);
    }
}

void *plan_allocate(struct sim_plan *plan, size_t count, size_t size)
{
    if (plan->status != DENT_OK) {
        return NULL;
    }
    if (count > (SIZE_MAX / 2 - BLOCK_HEAD) / (size > 0 ? size : 1)) {
        out_of_memory(plan);
        return NULL;
    }
    size_t bytes = BLOCK_HEAD + count * size;
    struct plan_block *block = dent_allocate(plan->context, bytes, 1);
    if (!block) {
        out_of_memory(plan);
        return NULL;
    }
    memset(block, 0, bytes);
    block->next = plan->blocks;
    block->size = bytes;
    plan->blocks = block;
    return (char *)block + BLOCK_HEAD;
}

const char *plan_copy_text(struct sim_plan *plan, const char *text)
{
    char *copy = plan_allocate(plan, strlen(text) + 1, 1);
    return copy ? strcpy(copy, text) : "";
}

const char *plan_numbered_name(struct sim_plan *plan, const char *name, int64_t number)
{
    char text[64];
    if (number < 0) {
        return plan_copy_text(plan, name);
    }
    snprintf(text, sizeof text, "%.40s %lld", name, (long long)number);
    return plan_copy_text(plan, text);
}

/* Room for one more record of a list; false after an error. */
static bool grow(struct sim_plan *plan, void *list, uint32_t count, uint32_t *capacity, size_t size)
{
    void **records = list;
    if (plan->status != DENT_OK || count < *capacity) {
        return plan->status == DENT_OK;
    }
    uint32_t wanted = *capacity > 0 ? 2 * *capacity : 16;
    void *larger = wanted > *capacity ? dent_allocate(plan->context, wanted, size) : NULL;
    if (!larger) {
        out_of_memory(plan);
        return false;
    }
    if (count > 0) {
        memcpy(larger, *records, (size_t)count * size);
    }
    dent_release(plan->context, *records, *capacity, size);
    *records = larger;
    *capacity = wanted;
    return true;
}

uint32_t plan_add_material(struct sim_plan *plan, const dent_sim_material *material)
{
    if (!grow(plan, &plan->materials, plan->material_count, &plan->material_capacity, sizeof *plan->materials)) {
        return 0;
    }
    plan->materials[plan->material_count] = *material;
    return plan->material_count++;
}

void plan_add_attachment(struct sim_plan *plan, const dent_sim_attachment *attachment)
{
    if (grow(plan, &plan->attachments, plan->attachment_count, &plan->attachment_capacity, sizeof *plan->attachments)) {
        plan->attachments[plan->attachment_count++] = *attachment;
    }
}

void plan_add_joint(struct sim_plan *plan, const dent_sim_joint *joint)
{
    if (grow(plan, &plan->joints, plan->joint_count, &plan->joint_capacity, sizeof *plan->joints)) {
        plan->joints[plan->joint_count++] = *joint;
    }
}

void plan_add_excluded(struct sim_plan *plan, uint32_t body_a, uint32_t body_b)
{
    if (grow(plan, &plan->excluded, plan->excluded_count, &plan->excluded_capacity, sizeof *plan->excluded)) {
        plan->excluded[plan->excluded_count++] = (dent_sim_body_pair){body_a, body_b};
    }
}

void plan_add_pair(struct sim_plan *plan, const dent_sim_material_pair *pair)
{
    if (grow(plan, &plan->pairs, plan->pair_count, &plan->pair_capacity, sizeof *plan->pairs)) {
        plan->pairs[plan->pair_count++] = *pair;
    }
}

void plan_add_load(struct sim_plan *plan, const dent_sim_load_def *load)
{
    if (grow(plan, &plan->loads, plan->load_count, &plan->load_capacity, sizeof *plan->loads)) {
        plan->loads[plan->load_count++] = *load;
    }
}

void plan_add_support(struct sim_plan *plan, const dent_sim_support *support)
{
    if (grow(plan, &plan->supports, plan->support_count, &plan->support_capacity, sizeof *plan->supports)) {
        plan->supports[plan->support_count++] = *support;
    }
}

void plan_add_spring(struct sim_plan *plan, const dent_sim_spring *spring)
{
    if (grow(plan, &plan->springs, plan->spring_count, &plan->spring_capacity, sizeof *plan->springs)) {
        plan->springs[plan->spring_count++] = *spring;
    }
}

void plan_add_probe(struct sim_plan *plan, const dent_sim_probe *probe)
{
    if (grow(plan, &plan->probes, plan->probe_count, &plan->probe_capacity, sizeof *plan->probes)) {
        plan->probes[plan->probe_count++] = *probe;
    }
}

/* ---- bodies ------------------------------------------------------------------------------------------------------ */

dent_sim_body_def *plan_add_body(struct sim_plan *plan, dent_sim_body_kind kind, const char *name)
{
    if (!grow(plan, &plan->bodies, plan->body_count, &plan->body_capacity, sizeof *plan->bodies)) {
        plan->nobody = dent_sim_body_def_default(kind);
        return &plan->nobody;
    }
    dent_sim_body_def *body = &plan->bodies[plan->body_count++];
    *body = dent_sim_body_def_default(kind);
    body->name = name;
    return body;
}

void plan_copy_mesh(struct sim_plan *plan, dent_sim_body_def *body, dent_body_kind kind, uint32_t vertex_count,
                    uint32_t element_count, const uint32_t *corners, const double *positions)
{
    size_t corner_count = (size_t)element_count * dent_body_kind_get_info(kind)->corner_count;
    uint32_t *own_corners = plan_allocate(plan, corner_count, sizeof *corners);
    double *own_positions = plan_allocate(plan, vertex_count, 3 * sizeof *positions);
    if (plan->status != DENT_OK) {
        return;
    }
    if (corner_count > 0) {
        memcpy(own_corners, corners, corner_count * sizeof *corners);
    }
    if (vertex_count > 0) {
        memcpy(own_positions, positions, (size_t)vertex_count * 3 * sizeof *positions);
    }
    body->mesh = kind;
    body->vertex_count = vertex_count;
    body->element_count = element_count;
    body->element_corners = own_corners;
    body->positions = own_positions;
}

void plan_take_mesh(struct sim_plan *plan, dent_sim_body_def *body, struct scene_mesh *mesh)
{
    plan_copy_mesh(plan, body, scene_mesh_kind(mesh), mesh->vertex_count,
                   mesh->element_count, mesh->corners, mesh->reference);
    scene_mesh_release(plan->context, mesh);
}

double *plan_positions(const dent_sim_body_def *body)
{
    return (double *)(uintptr_t)body->positions; /* allocated by plan_copy_mesh */
}

void plan_transform(dent_sim_body_def *body, const double matrix[9], const double shift[3])
{
    double *positions = plan_positions(body);
    for (size_t v = 0; v < body->vertex_count; v++) {
        double x = positions[3 * v], y = positions[3 * v + 1], z = positions[3 * v + 2];
        for (int row = 0; row < 3; row++) {
            positions[3 * v + row] =
                ((matrix[3 * row] * x + matrix[3 * row + 1] * y) + matrix[3 * row + 2] * z) + shift[row];
        }
    }
}

void plan_scale_and_move(dent_sim_body_def *body, double factor, double x, double y, double z)
{
    const double matrix[9] = {factor, 0, 0, 0, factor, 0, 0, 0, factor}, shift[3] = {x, y, z};
    plan_transform(body, matrix, shift);
}

uint32_t plan_fix_vertices(struct sim_plan *plan, dent_sim_body_def *body, plan_region *inside, const void *user)
{
    uint32_t *fixed = plan_allocate(plan, body->vertex_count, sizeof *fixed);
    uint32_t count = 0;
    for (uint32_t v = 0; fixed && v < body->vertex_count; v++) {
        if (inside(user, body->positions + 3 * (size_t)v)) {
            fixed[count++] = v;
        }
    }
    if (fixed) {
        body->fixed_vertices = fixed;
        body->fixed_count = count;
    }
    return count;
}

dent_sim_keyframe *plan_keyframes(struct sim_plan *plan, dent_sim_body_def *body, uint32_t count)
{
    dent_sim_keyframe *keys = plan_allocate(plan, count, sizeof *keys);
    if (keys) {
        body->motion.keyframes = keys;
        body->motion.keyframe_count = count;
    }
    return keys;
}

dent_sim_keyframe plan_key(double time, double x, double y, double z)
{
    return (dent_sim_keyframe){.time = time, .rotation = {1, 0, 0, 0}, .translation = {x, y, z}};
}

/* ---- the scene --------------------------------------------------------------------------------------------------- */

struct dent_sim_scene {
    struct sim_plan plan;
    dent_sim *sim;
};

dent_status plan_finish(struct sim_plan *plan, dent_sim_scene **result)
{
    if (plan->status != DENT_OK) {
        return plan->status;
    }
    plan->def.body_count = plan->body_count;
    plan->def.bodies = plan->bodies;
    plan->def.material_count = plan->material_count;
    plan->def.materials = plan->materials;
    plan->def.pair_count = plan->pair_count;
    plan->def.pairs = plan->pairs;
    plan->def.attachment_count = plan->attachment_count;
    plan->def.attachments = plan->attachments;
    plan->def.load_count = plan->load_count;
    plan->def.loads = plan->loads;
    plan->def.support_count = plan->support_count;
    plan->def.supports = plan->supports;
    plan->def.spring_count = plan->spring_count;
    plan->def.springs = plan->springs;
    plan->def.probe_count = plan->probe_count;
    plan->def.probes = plan->probes;
    plan->def.joint_count = plan->joint_count;
    plan->def.joints = plan->joints;
    plan->def.excluded_count = plan->excluded_count;
    plan->def.excluded = plan->excluded;
    dent_sim_scene *scene = dent_allocate(plan->context, 1, sizeof *scene);
    if (!scene) {
        out_of_memory(plan);
        return plan->status;
    }
    dent_status status = dent_sim_create(plan->context, &plan->def, &scene->sim);
    if (status != DENT_OK) {
        dent_release(plan->context, scene, 1, sizeof *scene);
        plan->status = status;
        return status;
    }
    scene->plan = *plan;
    memset(plan, 0, sizeof *plan);
    *result = scene;
    return DENT_OK;
}

void dent_sim_scene_destroy(dent_sim_scene *scene)
{
    if (scene) {
        dent_context *context = scene->plan.context;
        dent_sim_destroy(scene->sim);
        plan_close(&scene->plan);
        dent_release(context, scene, 1, sizeof *scene);
    }
}

dent_sim *dent_sim_scene_sim(const dent_sim_scene *scene)
{
    if (!scene) {
        return NULL;
    }
    return scene->sim;
}

dent_sim_scene_facts dent_sim_scene_get_facts(const dent_sim_scene *scene)
{
    if (!scene) {
        return (dent_sim_scene_facts){0};
    }
    const struct sim_plan *plan = &scene->plan;
    return (dent_sim_scene_facts){
        .name = plan->name,
        .length_unit = plan->length_unit,
        .length_in_metres = plan->length_in_metres,
        .mass_in_kilograms = plan->mass_in_kilograms,
        .time_in_seconds = plan->time_in_seconds,
        .time_step = plan->def.time_step,
        .steps_per_frame = plan->steps_per_frame,
        .frame_count = plan->frame_count,
    };
}

dent_status dent_sim_scene_step_frame(dent_sim_scene *scene)
{
    DENT_REQUIRE(NULL, scene);
    for (uint32_t step = 0; step < scene->plan.steps_per_frame; step++) {
        uint64_t before = dent_sim_step_count(scene->sim);
        dent_status status = dent_sim_step(scene->sim);
        if (status != DENT_OK || dent_sim_step_count(scene->sim) == before) {
            return status; /* failed, or cancelled: the state is that before the step */
        }
    }
    return DENT_OK;
}
