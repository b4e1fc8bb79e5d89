/* The mesh of a body: from a file, from a generator (box, sphere, capsule, sheet), or a body of a built-in prescribed
 * scene. */
#include "scene_file_parts.h"

#include "scenes/mesher/implicit_mesher.h"
#include "scenes/mesher/mesh_blocks.h"

#include <dent/mesh_io.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

/* Counts beyond this are a typing mistake, not a scene. */
#define MOST_ELEMENTS 5e7

/* ---- files ------------------------------------------------------------------------------------------------------- */

static const dent_mesh_body *choose_body(struct scene_reader *reader, located *file, located *group,
                                         const dent_mesh *mesh)
{
    const char *wanted = reader_text(reader, group, NULL);
    for (uint32_t i = 0; wanted && i < mesh->body_count; i++) {
        if (strcmp(mesh->bodies[i].name, wanted) == 0) {
            return &mesh->bodies[i];
        }
    }
    if (!wanted && mesh->body_count == 1) {
        return &mesh->bodies[0];
    }
    char known[300] = "";
    for (uint32_t i = 0; i < mesh->body_count && i < 8; i++) {
        strncat(known, i > 0 ? ", " : "", sizeof known - strlen(known) - 1);
        strncat(known, mesh->bodies[i].name, sizeof known - strlen(known) - 1);
    }
    if (wanted) {
        reader_wrong(reader, group, "a group of the mesh file was expected: %s", known);
    } else {
        reader_wrong(reader, file,
                     "the file has %u bodies: \"mesh_group\" was expected with one of: %s (or \"merge\": true)",
                     mesh->body_count, known);
    }
    return NULL;
}

/* What the plan keeps of a mesh. */
static double mesh_bytes(double vertices, double elements)
{
    return 24 * vertices + 16 * elements;
}

/* The size of a mesh file counts for the limit of memory. */
static void count_file(struct scene_reader *reader, const char *path)
{
    struct stat facts;
    if (stat(path, &facts) == 0 && S_ISREG(facts.st_mode)) {
        reader->disk_bytes += (uint64_t)facts.st_size;
    }
}

static bool all_of_kind(const dent_mesh_body *body, dent_cell_kind kind)
{
    for (uint32_t i = 0; body->cell_kinds && i < body->element_count; i++) {
        if (body->cell_kinds[i] != kind) {
            return false;
        }
    }
    return body->cell_kinds || kind == DENT_CELL_TETRAHEDRON;
}

/* Hexahedra of a solid are elements of their own; other bodies, and other cells, are not taken. */
static bool take_hexahedra(struct scene_reader *reader, located *object, located *file, const dent_mesh_body *mesh,
                           dent_sim_body_def *body)
{
    bool hexahedra = mesh->kind == DENT_BODY_SOLID && all_of_kind(mesh, DENT_CELL_HEXAHEDRON);
    bool wanted = body->elements == DENT_SIM_HEXAHEDRA || !reader_member(reader, object, "elements");
    if (!hexahedra || !wanted || body->kind != DENT_SIM_SOLID || reader_member(reader, object, "surface")) {
        if (body->elements == DENT_SIM_HEXAHEDRA && !hexahedra) {
            reader_wrong(reader, file, "a mesh of hexahedra was expected, as \"elements\" says; this one has other cells");
        }
        return false;
    }
    uint32_t *corners = plan_allocate(reader->plan, mesh->element_count, 8 * sizeof *corners);
    if (corners) {
        memcpy(corners, mesh->element_corners, 8 * (size_t)mesh->element_count * sizeof *corners);
        plan_copy_mesh(reader->plan, body, DENT_BODY_SOLID, mesh->vertex_count, 0, NULL, mesh->positions);
        body->element_corners = corners;
        body->element_count = mesh->element_count;
        body->elements = DENT_SIM_HEXAHEDRA;
    }
    return true;
}

static void use_mesh(struct scene_reader *reader, located *object, located *file, const dent_mesh *mesh,
                     dent_sim_body_def *body)
{
    const dent_mesh_body *chosen = choose_body(reader, file, reader_member(reader, object, "mesh_group"), mesh);
    if (!chosen || !reader_charge(reader, file, mesh_bytes(chosen->vertex_count, chosen->element_count))) {
        return;
    }
    bool strands = chosen->kind == DENT_BODY_STRANDS;
    if (chosen->kind == DENT_BODY_POINTS) {
        reader_wrong(reader, file, "a mesh was expected; this file has points alone");
        return;
    }
    if (strands != (body->kind == DENT_SIM_STRANDS)) {
        reader_wrong(reader, file, strands ? "a mesh of cells or triangles was expected; this file has strands"
                                           : "a file of strands was expected; this one has cells or triangles");
        return;
    }
    if (strands) {
        take_strands(reader, chosen, body);
    }
    bool taken = strands || take_hexahedra(reader, object, file, chosen, body);
    if (!taken && !all_of_kind(chosen, DENT_CELL_TETRAHEDRON)) {
        reader_wrong(reader, file,
                     "a mesh of tetrahedra or triangles (of a solid also hexahedra) was expected; this one has other "
                     "cells");
        return;
    }
    if (!taken) {
        plan_copy_mesh(reader->plan, body, chosen->kind, chosen->vertex_count, chosen->element_count,
                       chosen->element_corners, chosen->positions);
    }
    keep_regions(reader, reader->plan->body_count - 1, mesh, chosen);
    located *unit = reader_member(reader, object, "mesh_unit");
    const char *name = reader_text(reader, unit, NULL);
    int exponent = 0;
    if (name && !quantity_working_unit(DIMENSION_LENGTH, name, &exponent)) {
        reader_wrong(reader, unit, "\"mesh_unit\": a unit of length was expected (m, cm or mm), not \"%.40s\"", name);
    }
    if (name && reader_good(reader)) {
        char text[32] = "1 ", why[200];
        double factor = 1;
        strncat(text, name, sizeof text - 3);
        quantity_read(&reader->units, QUANTITY_LENGTH, text, &factor, why, sizeof why);
        plan_scale_and_move(body, factor, 0, 0, 0);
    }
}

char *find_file(struct scene_reader *reader, located *file)
{
    const char *name = reader_text(reader, file, NULL);
    if (!name) {
        return NULL;
    }
    if (!reader->folder) {
        reader_wrong(reader, file, "no files may be named here; \"generate\" or \"scene\" was expected");
        return NULL;
    }
    size_t folder_length = name[0] == '/' ? 0 : strlen(reader->folder);
    char *path = plan_allocate(reader->plan, folder_length + strlen(name) + 1, 1);
    if (path) {
        memcpy(path, reader->folder, folder_length);
        strcpy(path + folder_length, name);
        count_file(reader, path);
    }
    return path;
}

static void read_mesh_file(struct scene_reader *reader, located *object, located *file, dent_sim_body_def *body)
{
    char *path = find_file(reader, file);
    if (!path) {
        return;
    }
    dent_mesh_read_def def = dent_mesh_read_def_default();
    def.regular_only = true;
    def.merge = reader_boolean(reader, reader_member(reader, object, "merge"), false);
    dent_mesh *mesh = NULL;
    dent_status status = reader_good(reader) ? dent_mesh_read(reader->plan->context, path, &def, &mesh) : DENT_OK;
    if (status != DENT_OK) {
        char message[500];
        dent_context_message(reader->plan->context, message, sizeof message);
        plan_note(reader->plan, dent_fail(reader->plan->context, status, "%s:%u:%u: a mesh file was expected: %s",
                                          reader->document.file, file->line, file->column, message));
    } else if (mesh) {
        use_mesh(reader, object, file, mesh, body);
        dent_mesh_destroy(reader->plan->context, mesh);
    }
}

/* ---- generators -------------------------------------------------------------------------------------------------- */

/* "cells": how many along each axis. */
static bool read_cells(struct scene_reader *reader, located *object, int axes, uint32_t cells[3])
{
    located *value = reader_need(reader, object, "cells", axes == 3 ? "a box" : "a sheet");
    if (!value || !reader_array(reader, value, "whole numbers")) {
        return false;
    }
    if (json_array_size(value->json) != (size_t)axes) {
        reader_wrong(reader, value, "\"cells\": %d whole numbers were expected, not %zu", axes,
                     json_array_size(value->json));
        return false;
    }
    double product = 1;
    int axis = 0;
    for (located *item = reader_first(reader, value); item != NULL; item = reader_next(reader, item)) {
        cells[axis] = reader_count(reader, item, 1, 100000, 1);
        product *= cells[axis++];
    }
    if (reader_good(reader) && product > MOST_ELEMENTS / 5) {
        reader_wrong(reader, value, "\"cells\": at most %.0f cells were expected, not %.0f", MOST_ELEMENTS / 5,
                     product);
    }
    /* the mesh and the plan's copy of it; a sheet has as many points as cells, a box up to eight times as many */
    return reader_charge(reader, value,
                         2 * mesh_bytes((axes == 3 ? 8 : 4) + 2 * product, (axes == 3 ? 6 : 2) * product));
}

/* "size" of a box or a sheet: positive lengths. */
static bool read_size(struct scene_reader *reader, located *object, size_t axes, double size[3])
{
    located *value = reader_need(reader, object, "size", axes == 3 ? "a box" : "a sheet");
    if (!value || !reader_array(reader, value, "lengths")) {
        return false;
    }
    if (json_array_size(value->json) != axes) {
        reader_wrong(reader, value, "\"size\": %zu lengths were expected, not %zu", axes, json_array_size(value->json));
        return false;
    }
    int axis = 0;
    for (located *item = reader_first(reader, value); item != NULL; item = reader_next(reader, item)) {
        size[axis++] = reader_positive(reader, item, QUANTITY_LENGTH, 1);
    }
    return reader_good(reader);
}

static void generate_box(struct scene_reader *reader, located *object, dent_sim_body_def *body)
{
    static const char *const keys[] = {"shape", "size", "cells", NULL};
    uint32_t cells[3];
    double size[3];
    struct scene_mesh mesh = {0};
    if (!reader_object(reader, object, "a box", keys) || !read_size(reader, object, 3, size) ||
        !read_cells(reader, object, 3, cells) ||
        !plan_note(reader->plan, mesh_block_create(reader->plan->context, cells, &mesh))) {
        return;
    }
    plan_take_mesh(reader->plan, body, &mesh);
    if (body->elements == DENT_SIM_HEXAHEDRA) {
        make_box_hexahedra(reader->plan, cells, body);
    }
    const double matrix[9] = {size[0] / cells[0], 0, 0, 0, size[1] / cells[1], 0, 0, 0, size[2] / cells[2]},
                 shift[3] = {0, 0, 0};
    if (reader_good(reader)) {
        plan_transform(body, matrix, shift);
    }
}

/* Triangles of right angles with alternating diagonals in the plane z = 0, facing +z, centred at the origin. */
static void generate_sheet(struct scene_reader *reader, located *object, dent_sim_body_def *body)
{
    static const char *const keys[] = {"shape", "size", "cells", NULL};
    uint32_t cells[3];
    double size[3];
    struct scene_mesh mesh = {0};
    if (!reader_object(reader, object, "a sheet", keys) || !read_size(reader, object, 2, size) ||
        !read_cells(reader, object, 2, cells)) {
        return;
    }
    uint32_t columns = cells[0] + 1;
    if (!plan_note(reader->plan, scene_mesh_allocate(reader->plan->context, &mesh, columns * (cells[1] + 1),
                                                     2 * cells[0] * cells[1], 3))) {
        return;
    }
    for (uint32_t v = 0; v < mesh.vertex_count; v++) {
        mesh.reference[3 * (size_t)v] = size[0] * ((double)(v % columns) / cells[0] - 0.5);
        mesh.reference[3 * (size_t)v + 1] = size[1] * ((double)(v / columns) / cells[1] - 0.5);
        mesh.reference[3 * (size_t)v + 2] = 0;
    }
    for (uint32_t c = 0; c < cells[0] * cells[1]; c++) {
        uint32_t i = c % cells[0], j = c / cells[0], a = i + columns * j, b = a + 1, d = a + columns, e = d + 1;
        const uint32_t rising[6] = {a, b, e, a, e, d}, falling[6] = {a, b, d, b, e, d};
        memcpy(mesh.corners + 6 * (size_t)c, (i + j) % 2 == 0 ? rising : falling, sizeof rising);
    }
    plan_take_mesh(reader->plan, body, &mesh);
}

static void mesh_shape(struct scene_reader *reader, located *at, struct mesher_def *def, dent_sim_body_def *body)
{
    struct scene_mesh mesh = {0};
    if (!reader_good(reader)) {
        return;
    }
    if (!(mesher_lattice_points(def) < MOST_ELEMENTS)) {
        reader_wrong(reader, at, "a larger \"spacing\" was expected: %.3g would make more than %.0f cells",
                     def->spacing, MOST_ELEMENTS);
        return;
    }
    /* the lattice, the mesh and the plan's copy of it */
    if (!reader_charge(reader, at, 100 * mesher_lattice_points(def))) {
        return;
    }
    if (!plan_note(reader->plan, implicit_mesh_create(reader->plan->context, def, &mesh))) {
        return;
    }
    if (mesh.element_count == 0) {
        reader_wrong(reader, at, "a smaller \"spacing\" was expected: %.3g is too coarse for this shape", def->spacing);
        scene_mesh_release(reader->plan->context, &mesh);
        return;
    }
    plan_take_mesh(reader->plan, body, &mesh);
}

static void generate_round(struct scene_reader *reader, located *object, bool capsule, dent_sim_body_def *body)
{
    static const char *const sphere_keys[] = {"shape", "radius", "spacing", NULL};
    static const char *const capsule_keys[] = {"shape", "radius", "length", "spacing", NULL};
    const char *what = capsule ? "a capsule" : "a sphere";
    if (!reader_object(reader, object, what, capsule ? capsule_keys : sphere_keys)) {
        return;
    }
    double radius = reader_positive(reader, reader_need(reader, object, "radius", what), QUANTITY_LENGTH, 1);
    double length = reader_bounded(reader, capsule ? reader_need(reader, object, "length", what) : NULL,
                                   QUANTITY_LENGTH, 0, 0, HUGE_VAL, "of at least 0");
    double spacing = reader_positive(reader, reader_need(reader, object, "spacing", what), QUANTITY_LENGTH, 1);
    struct implicit_shape *shape = plan_allocate(reader->plan, 1, sizeof *shape);
    if (!shape) {
        return;
    }
    const double low[3] = {0, 0, -0.5 * length}, high[3] = {0, 0, 0.5 * length};
    if (capsule) {
        shape_cone(shape, low, radius, high, radius);
    } else {
        shape_sphere(shape, low, radius);
    }
    double reach = radius + spacing, tall = reach + 0.5 * length;
    struct mesher_def def = {
        .low = {-reach, -reach, -tall}, .high = {reach, reach, tall}, .spacing = spacing, .shape = shape};
    mesh_shape(reader, object, &def, body);
}

static void read_generator(struct scene_reader *reader, located *object, dent_sim_body_def *body)
{
    static const char *const shapes[] = {"box", "sphere", "capsule", "sheet", "strands", NULL};
    if (!json_is_object(object->json)) {
        reader_wrong(reader, object, "\"generate\": an object was expected, {\"shape\": \"box\", ...}");
        return;
    }
    switch (reader_choice(reader, reader_need(reader, object, "shape", "\"generate\""), shapes)) {
    case 0:
        generate_box(reader, object, body);
        break;
    case 1:
        generate_round(reader, object, false, body);
        break;
    case 2:
        generate_round(reader, object, true, body);
        break;
    case 3:
        generate_sheet(reader, object, body);
        break;
    case 4:
        if (body->kind == DENT_SIM_STRANDS) {
            generate_strands(reader, object, body);
        } else {
            reader_wrong(reader, object, "\"kind\": \"strands\" was expected for the shape \"strands\"");
        }
        break;
    default:
        break;
    }
}

/* ---- bodies of built-in scenes ----------------------------------------------------------------------------------- */

enum { SETTINGS = 16 };

static uint32_t read_scene_settings(struct scene_reader *reader, located *set, dent_scene_setting settings[SETTINGS])
{
    uint32_t count = 0;
    if (set && !json_is_object(set->json)) {
        reader_wrong(reader, set, "\"set\": an object was expected, {\"inside\": 0.1}");
    }
    for (located *value = reader_first(reader, set); value != NULL; value = reader_next(reader, value)) {
        if (count == SETTINGS) {
            reader_wrong(reader, set, "\"set\": at most %d parameters were expected", (int)SETTINGS);
            break;
        }
        settings[count].name = value->key;
        settings[count++].value = reader_quantity(reader, value, QUANTITY_RATIO, 0);
    }
    return count;
}

static void read_scene_body(struct scene_reader *reader, located *object, dent_sim_body_def *body)
{
    static const char *const keys[] = {"name", "body", "frame", "scale", "set", NULL};
    if (!reader_object(reader, object, "a built-in scene", keys)) {
        return;
    }
    dent_scene_setting settings[SETTINGS];
    dent_scene_def def = dent_scene_def_default();
    located *name = reader_need(reader, object, "name", "a built-in scene");
    def.name = reader_text(reader, name, "");
    def.scale = reader_bounded(reader, reader_member(reader, object, "scale"), QUANTITY_RATIO, 1, 1e-9, 1e3,
                               "above 0, at most 1000,");
    def.settings = settings;
    def.setting_count = read_scene_settings(reader, reader_member(reader, object, "set"), settings);
    uint32_t frame = reader_count(reader, reader_member(reader, object, "frame"), 0, UINT32_MAX - 1, 0);
    uint32_t number =
        reader_count(reader, reader_need(reader, object, "body", "a built-in scene"), 0, UINT32_MAX - 1, 0);
    dent_scene *scene = NULL;
    if (!reader_good(reader)) {
        return;
    }
    dent_status status = dent_scene_create(reader->plan->context, &def, &scene);
    if (status != DENT_OK) {
        char message[600];
        dent_context_message(reader->plan->context, message, sizeof message);
        plan_note(reader->plan,
                  dent_fail(reader->plan->context, DENT_ERROR_FORMAT, "%s:%u:%u: a built-in scene was expected: %s",
                            reader->document.file, name->line, name->column, message));
        return;
    }
    const dent_scene_body *chosen = dent_scene_body_at(scene, number);
    if (!chosen) {
        reader_wrong(reader, object, "\"body\": a number below %u was expected, the bodies of scene %s",
                     dent_scene_body_count(scene), def.name);
    } else {
        double *positions = reader_charge(reader, object, mesh_bytes(2.0 * chosen->vertex_count, chosen->element_count))
                                ? plan_allocate(reader->plan, chosen->vertex_count, 3 * sizeof *positions)
                                : NULL;
        if (positions) {
            dent_scene_positions(scene, number, frame, positions);
            plan_copy_mesh(reader->plan, body, chosen->kind, chosen->vertex_count, chosen->element_count,
                           chosen->element_corners, positions);
        }
    }
    dent_scene_destroy(scene);
}

/* ---- the choice -------------------------------------------------------------------------------------------------- */

void read_body_mesh(struct scene_reader *reader, located *object, dent_sim_body_def *body)
{
    located *file = reader_member(reader, object, "mesh"), *generate = reader_member(reader, object, "generate");
    located *scene = reader_member(reader, object, "scene");
    int given = (file != NULL) + (generate != NULL) + (scene != NULL);
    if (given != 1 && reader_good(reader)) {
        reader_wrong(reader, object, "a body needs one of \"mesh\", \"generate\" and \"scene\", and this one has %s",
                     given == 0 ? "none" : "several");
        return;
    }
    static const char *const of_files[] = {"mesh_group", "mesh_unit", "merge"};
    for (int i = 0; !file && i < 3; i++) {
        located *stray = reader_member(reader, object, of_files[i]);
        if (stray) {
            reader_wrong_key(reader, stray, "\"%s\" goes with \"mesh\", which was expected here", of_files[i]);
        }
    }
    if (file) {
        read_mesh_file(reader, object, file, body);
    } else if (generate) {
        read_generator(reader, generate, body);
    } else if (scene) {
        read_scene_body(reader, scene, body);
    }
    if (reader_boolean(reader, reader_member(reader, object, "surface"), false)) {
        plan_keep_surface(reader->plan, body);
        drop_regions(reader, reader->plan->body_count - 1);
    }
}
