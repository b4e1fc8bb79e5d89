/* jaw-real: a measured tooth in its measured ligament, from the data kit (jaw-openmandible: tetrahedra of dentin,
 * enamel and periodontal ligament of seven lower teeth, and the bone), bitten by a moving plate.
 *
 * Dentin and enamel make one rigid body. The ligament is elastic; where its vertices are those of the dentin it is tied
 * to the tooth, the rest of its surface is held by the bone. The plate comes down along the axis of the tooth, from the
 * ligament's middle to the enamel's, and goes back. Nothing is remeshed, so the scale must be 1. Millimetres. Nothing
 * of the kit is part of dent. */
#include "scenes/elementary_functions.h"
#include "sim_parts.h"
#include "sim_scene_table.h"

#include <dent/mesh_io.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TOOTH, BITE, BONE, YOUNG, PARAMETER_COUNT };

static const dent_scene_parameter_info parameters[PARAMETER_COUNT] = {
    {"tooth", "1 (middle incisor) to 7 (second molar), left side", 6, 1, 7},
    {"bite", "how far the plate goes beyond first contact, mm", 0.08, 0, 0.3},
    {"bone", "1: with the bone, for pictures only", 0, 0, 1},
    {"young", "Young's modulus of the ligament, MPa", 1.5, 0.01, 1000},
};

/* ---- meshes of the kit ------------------------------------------------------------------------------------------- */

/* Reads one part; null after an error. */
static dent_mesh *read_part(struct sim_plan *plan, const struct sim_scene_request *request, const char *part)
{
    char path[4096];
    dent_mesh *mesh = NULL;
    dent_mesh_read_def def = dent_mesh_read_def_default();
    def.merge = true;
    def.regular_only = true;
    int length = snprintf(path, sizeof path, "%s/meshes/jaw-openmandible/%s.1.ele.xz", request->data_folder, part);
    if (length < 0 || (size_t)length >= sizeof path) {
        plan_note(plan, dent_fail(plan->context, DENT_ERROR_INVALID_ARGUMENT,
                                  "scene jaw-real: the name of the data folder is too long"));
    }
    if (plan->status != DENT_OK || !plan_note(plan, dent_mesh_read(plan->context, path, &def, &mesh))) {
        return NULL;
    }
    if (mesh->body_count != 1 || !dent_body_kind_has_cells(mesh->bodies[0].kind)) {
        plan_note(plan, dent_fail(plan->context, DENT_ERROR_FORMAT, "%s: one solid body was expected", path));
    }
    return mesh;
}

static void middle_of(const double *positions, uint32_t count, double middle[3])
{
    for (int axis = 0; axis < 3; axis++) {
        double sum = 0;
        for (uint32_t v = 0; v < count; v++) {
            sum += positions[3 * (size_t)v + axis];
        }
        middle[axis] = sum / count;
    }
}

/* Two meshes as the mesh of one body. */
static void join_meshes(struct sim_plan *plan, dent_sim_body_def *body, const dent_mesh_body *a,
                        const dent_mesh_body *b)
{
    uint32_t *corners = plan_allocate(plan, 4 * ((size_t)a->element_count + b->element_count), sizeof *corners);
    double *positions = plan_allocate(plan, (size_t)a->vertex_count + b->vertex_count, 3 * sizeof *positions);
    if (plan->status != DENT_OK) {
        return;
    }
    size_t first = 4 * (size_t)a->element_count;
    memcpy(corners, a->element_corners, first * sizeof *corners);
    for (size_t i = 0; i < 4 * (size_t)b->element_count; i++) {
        corners[first + i] = b->element_corners[i] + a->vertex_count;
    }
    memcpy(positions, a->positions, (size_t)a->vertex_count * 3 * sizeof *positions);
    memcpy(positions + 3 * (size_t)a->vertex_count, b->positions, (size_t)b->vertex_count * 3 * sizeof *positions);
    body->mesh = a->kind;
    body->vertex_count = a->vertex_count + b->vertex_count;
    body->element_count = a->element_count + b->element_count;
    body->element_corners = corners;
    body->positions = positions;
}

/* ---- tooth and ligament ------------------------------------------------------------------------------------------ */

static uint64_t position_hash(const double point[3])
{
    uint64_t bits[3];
    memcpy(bits, point, sizeof bits);
    return (bits[0] * UINT64_C(0x9E3779B97F4A7C15) ^ bits[1] * UINT64_C(0xC2B2AE3D27D4EB4F)) +
           bits[2] * UINT64_C(0x165667B19E3779F9);
}

/* Ties the ligament's vertices that are bitwise those of the dentin to it, and fixes the others of its surface. */
static void hold_ligament(struct sim_plan *plan, uint32_t ligament, uint32_t tooth, uint32_t dentin_vertices)
{
    const dent_sim_body_def *a = &plan->bodies[ligament], *b = &plan->bodies[tooth];
    dent_sim_body_def surface = *a;
    plan_keep_surface(plan, &surface);
    size_t slots = 4;
    while (slots < 2 * (size_t)dentin_vertices + 2 * (size_t)a->vertex_count) {
        slots *= 2;
    }
    uint32_t *table = plan_allocate(plan, slots, sizeof *table); /* one above the vertex, 0: free */
    uint8_t *tied = plan_allocate(plan, a->vertex_count, 1);
    uint32_t *fixed = plan_allocate(plan, a->vertex_count, sizeof *fixed), fixed_count = 0;
    if (plan->status != DENT_OK) {
        return;
    }
    for (uint32_t v = 0; v < dentin_vertices; v++) {
        size_t at = (size_t)(position_hash(b->positions + 3 * (size_t)v) >> 20) & (slots - 1);
        while (table[at] != 0) {
            at = (at + 1) & (slots - 1);
        }
        table[at] = v + 1;
    }
    for (uint32_t v = 0; v < a->vertex_count; v++) {
        const double *point = a->positions + 3 * (size_t)v;
        size_t at = (size_t)(position_hash(point) >> 20) & (slots - 1);
        while (table[at] != 0 && memcmp(b->positions + 3 * (size_t)(table[at] - 1), point, 3 * sizeof *point) != 0) {
            at = (at + 1) & (slots - 1);
        }
        if (table[at] != 0) {
            dent_sim_attachment tie = dent_sim_attachment_default();
            tie.body_a = ligament;
            tie.vertex_a = v;
            tie.body_b = tooth;
            tie.vertices_b[0] = table[at] - 1;
            tie.weights_b[0] = 1;
            plan_add_attachment(plan, &tie);
            tied[v] = 1;
        }
    }
    /* Vertices of the surface come in their old order: one pass over both lists. */
    for (uint32_t v = 0, s = 0; v < a->vertex_count && s < surface.vertex_count; v++) {
        if (memcmp(surface.positions + 3 * (size_t)s, a->positions + 3 * (size_t)v, 3 * sizeof(double)) == 0) {
            s++;
            if (!tied[v]) {
                fixed[fixed_count++] = v;
            }
        }
    }
    plan->bodies[ligament].fixed_vertices = fixed;
    plan->bodies[ligament].fixed_count = fixed_count;
}

/* ---- the plate --------------------------------------------------------------------------------------------------- */

/* A square plate across the axis of the tooth, just above the enamel. */
static void add_plate(struct sim_plan *plan, const struct sim_scene_request *request, uint32_t tooth,
                      const double axis[3], const double crown[3], uint32_t material)
{
    const dent_sim_body_def *body = &plan->bodies[tooth];
    const double gap = 0.05, thickness = 1, width = 14;
    double top = -HUGE_VAL;
    for (uint32_t v = 0; v < body->vertex_count; v++) {
        const double *at = body->positions + 3 * (size_t)v;
        double height = ((at[0] - crown[0]) * axis[0] + (at[1] - crown[1]) * axis[1]) + (at[2] - crown[2]) * axis[2];
        top = height > top ? height : top;
    }
    /* Two directions across the axis: with the coordinate axis it is least along. */
    int least = fabs(axis[0]) < fabs(axis[1]) ? (fabs(axis[0]) < fabs(axis[2]) ? 0 : 2)
                                              : (fabs(axis[1]) < fabs(axis[2]) ? 1 : 2);
    double helper[3] = {0, 0, 0}, u[3], w[3];
    helper[least] = 1;
    for (int i = 0; i < 3; i++) {
        u[i] = axis[(i + 1) % 3] * helper[(i + 2) % 3] - axis[(i + 2) % 3] * helper[(i + 1) % 3];
    }
    double length = sqrt((u[0] * u[0] + u[1] * u[1]) + u[2] * u[2]);
    for (int i = 0; i < 3; i++) {
        u[i] /= length;
    }
    for (int i = 0; i < 3; i++) {
        w[i] = axis[(i + 1) % 3] * u[(i + 2) % 3] - axis[(i + 2) % 3] * u[(i + 1) % 3];
    }
    const uint32_t cells[3] = {14, 14, 1};
    const double size[3] = {width, width, thickness}, origin[3] = {0, 0, 0};
    dent_sim_body_def *plate = part_block(plan, DENT_SIM_PRESCRIBED, "plate", cells, size, origin);
    plate->material = material;
    /* Columns u, w, axis: u x w = axis, so it is a rotation. */
    const double matrix[9] = {u[0], w[0], axis[0], u[1], w[1], axis[1], u[2], w[2], axis[2]};
    double shift[3], displacement = gap + request->parameters[BITE];
    for (int i = 0; i < 3; i++) {
        shift[i] = crown[i] + (top + gap + 0.5 * thickness) * axis[i];
    }
    if (plan->status == DENT_OK) {
        plan_transform(plate, matrix, shift);
    }
    dent_sim_keyframe *keys = plan_keyframes(plan, plate, 4);
    if (keys) {
        keys[0] = plan_key(0, 0, 0, 0);
        keys[1] = plan_key(0.3, -displacement * axis[0], -displacement * axis[1], -displacement * axis[2]);
        keys[2] = plan_key(0.5, -displacement * axis[0], -displacement * axis[1], -displacement * axis[2]);
        keys[3] = plan_key(0.8, 0, 0, 0);
        plate->motion.repeat = true;
    }
}

/* ---- building ---------------------------------------------------------------------------------------------------- */

static uint32_t add_material(struct sim_plan *plan, const char *name, double density, double young)
{
    dent_sim_material material = dent_sim_material_default();
    material.name = name;
    material.density = density;
    material.young = young;
    material.poisson = 0.4;
    material.damping = 0.03;
    material.friction_static = material.friction_kinetic = 0.1;
    return plan_add_material(plan, &material);
}

static void add_tooth(struct sim_plan *plan, const struct sim_scene_request *request, const dent_mesh_body *dentin,
                      const dent_mesh_body *enamel, const dent_mesh_body *ligament)
{
    uint32_t hard = add_material(plan, "enamel and dentin", 2.3e-6, 1e6);
    uint32_t soft = add_material(plan, "ligament", 1.1e-6, 1000 * request->parameters[YOUNG]);
    dent_sim_body_def *tooth = plan_add_body(plan, DENT_SIM_RIGID, "tooth");
    join_meshes(plan, tooth, dentin, enamel);
    tooth->material = hard;
    dent_sim_body_def *shell = plan_add_body(plan, DENT_SIM_SOLID, "ligament");
    plan_copy_mesh(plan, shell, ligament->kind, ligament->vertex_count, ligament->element_count,
                   ligament->element_corners, ligament->positions);
    shell->material = soft;
    shell->collision_mask = 0;
    shell->self_collision = false;
    double crown[3], root[3], axis[3];
    middle_of(enamel->positions, enamel->vertex_count, crown);
    middle_of(ligament->positions, ligament->vertex_count, root);
    double length = 0;
    for (int i = 0; i < 3; i++) {
        axis[i] = crown[i] - root[i];
        length += axis[i] * axis[i];
    }
    length = sqrt(length);
    for (int i = 0; i < 3; i++) {
        axis[i] /= length;
    }
    if (plan->status == DENT_OK) {
        hold_ligament(plan, plan->body_count - 1, plan->body_count - 2, dentin->vertex_count);
        add_plate(plan, request, plan->body_count - 2, axis, crown, hard);
    }
}

static void add_bone(struct sim_plan *plan, const struct sim_scene_request *request)
{
    dent_mesh *bone = read_part(plan, request, "CorticalBone");
    if (bone && plan->status == DENT_OK) {
        dent_sim_body_def *body = plan_add_body(plan, DENT_SIM_PRESCRIBED, "bone");
        const dent_mesh_body *mesh = &bone->bodies[0];
        plan_copy_mesh(plan, body, mesh->kind, mesh->vertex_count, mesh->element_count, mesh->element_corners,
                       mesh->positions);
        plan_keep_surface(plan, body);
        body->collision_mask = 0;
    }
    dent_mesh_destroy(plan->context, bone);
}

static void build(struct sim_plan *plan, const struct sim_scene_request *request)
{
    if (!request->data_folder || !request->data_folder[0]) {
        plan_note(
            plan,
            dent_fail(plan->context, DENT_ERROR_UNSUPPORTED,
                      "scene jaw-real needs the data kit (meshes/jaw-openmandible): set DENT_DATA to its folder"));
        return;
    }
    if (request->scale != 1) {
        plan_note(plan,
                  dent_fail(plan->context, DENT_ERROR_INVALID_ARGUMENT, "scene jaw-real is measured: its scale is 1"));
        return;
    }
    static const char *const parts[3] = {"Dentin", "Enamel", "PDL"};
    dent_mesh *meshes[3] = {NULL, NULL, NULL};
    for (int i = 0; i < 3; i++) {
        char name[64];
        snprintf(name, sizeof name, "Tooth_L%d_%s", (int)request->parameters[TOOTH], parts[i]);
        meshes[i] = read_part(plan, request, name);
    }
    if (plan->status == DENT_OK) {
        add_tooth(plan, request, &meshes[0]->bodies[0], &meshes[1]->bodies[0], &meshes[2]->bodies[0]);
    }
    if (plan->status == DENT_OK && request->parameters[BONE] >= 0.5) {
        add_bone(plan, request);
    }
    for (int i = 0; i < 3; i++) {
        dent_mesh_destroy(plan->context, meshes[i]);
    }
    plan->def.gravity[2] = -9810;
    plan->def.air_damping = 10;
    plan->def.iterations = 2;
    plan->def.time_step = 1.0 / 240;
    plan->steps_per_frame = 4;
}

const struct sim_scene_row sim_scene_jaw_real = {
    .info = {.name = "jaw-real",
             .summary = "a measured tooth in its ligament (data kit) is bitten by a plate",
             .frame_count = 48,
             .length_unit = "mm",
             .needs_data = true,
             .parameter_count = PARAMETER_COUNT,
             .parameters = parameters},
    .build = build,
};
