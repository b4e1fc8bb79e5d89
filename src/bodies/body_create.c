/* From a def to a body: check, copy, split, compute the topology.
 *
 * The body is filled array by array; body_destroy accepts one that is only half filled, so every failure ends the same
 * way and leaves nothing behind. Descriptions are copied, or borrowed from a body that has the same; positions are only
 * noted.
 *
 * In: a def, the serial that names it when it has no name, and the first of a fresh range of vertex identities. Out: a
 * body complete but for its ties (vertex_ties.c).
 */
#include "bodies/body_data.h"
#include "bodies/cell_split.h"
#include "bodies/mesh_check.h"
#include "bodies/mesh_topology.h"
#include "bodies/points_body.h"
#include "bodies/reference_shape.h"
#include "bodies/shared_mesh.h"
#include "bodies/strand_body.h"

#include <float.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { DEFAULT_NAME_SIZE = 32 };

dent_body_def dent_body_def_default(dent_body_kind kind)
{
    dent_body_def def;
    memset(&def, 0, sizeof def);
    def.struct_size = sizeof def;
    def.kind = kind;
    def.collision_group = 1;
    def.collision_mask = UINT32_MAX;
    def.self_collision = true;
    def.thickness = DENT_THICKNESS_FROM_QUERY;
    return def;
}

dent_body_def dent_solid_def_default(void)
{
    return dent_body_def_default(DENT_BODY_SOLID);
}

dent_body_def dent_surface_def_default(void)
{
    return dent_body_def_default(DENT_BODY_SURFACE);
}

dent_body_def dent_strands_def_default(void)
{
    return dent_body_def_default(DENT_BODY_STRANDS);
}

dent_body_def dent_points_def_default(void)
{
    return dent_body_def_default(DENT_BODY_POINTS);
}

static dent_status out_of_memory(const struct body *body, struct message *message)
{
    return message_fail(message, DENT_ERROR_OUT_OF_MEMORY, BODY_TITLE ": not enough memory to hold it",
                        BODY_TITLE_OF(body));
}

static dent_status copy_name(struct body *body, const char *name, uint64_t serial, struct message *message)
{
    char numbered[DEFAULT_NAME_SIZE];
    body->named = name != NULL;
    if (!name) {
        snprintf(numbered, sizeof numbered, "body %" PRIu64, serial);
        name = numbered;
    }
    size_t size = strlen(name) + 1;
    body->name = dent_allocate(body->context, size, 1);
    if (!body->name) {
        return message_fail(message, DENT_ERROR_OUT_OF_MEMORY, "not enough memory for the name of a body");
    }
    body->name_size = size;
    memcpy(body->name, name, size);
    return DENT_OK;
}

static void note_settings(struct body *body, const dent_body_def *def)
{
    body->kind = def->kind;
    body->vertex_count = def->vertex_count;
    body->positions_t0 = def->positions_t0;
    body->positions_t1 = def->positions_t1;
    body->collision_group = def->collision_group;
    body->collision_mask = def->collision_mask;
    body->self_collision = def->self_collision;
    body->strict = def->strict;
    body->thickness = def->thickness;
}

dent_status body_check_thickness(const struct body *body, double thickness, struct message *message)
{
    if (thickness == DENT_THICKNESS_FROM_QUERY || (thickness >= 0 && thickness <= DBL_MAX)) {
        return DENT_OK;
    }
    return message_fail(message, DENT_ERROR_BAD_NUMBER,
                        BODY_TITLE ": the thickness is %g: a finite length, 0 or more, is needed", BODY_TITLE_OF(body),
                        thickness);
}

/* The elements as the caller gave them. */
static bool copy_elements(struct body *body, const dent_body_def *def, const struct mesh_counts *counts)
{
    body->corner_count = counts->corner_count;
    body->element_count = def->element_count;
    body->element_corners = dent_allocate(body->context, (size_t)counts->corner_count, sizeof *body->element_corners);
    if (!body->element_corners) {
        return false;
    }
    if (counts->corner_count > 0) {
        memcpy(body->element_corners, def->element_corners,
               (size_t)counts->corner_count * sizeof *body->element_corners);
    }
    if (!counts->is_split) {
        return true;
    }
    body->cell_kinds = dent_allocate(body->context, def->element_count, sizeof *body->cell_kinds);
    body->element_start = dent_allocate(body->context, (size_t)def->element_count + 1, sizeof *body->element_start);
    if (!body->cell_kinds || !body->element_start) {
        return false;
    }
    memcpy(body->cell_kinds, def->cell_kinds, def->element_count);
    uint64_t start = 0;
    for (uint32_t element = 0; element < def->element_count; element++) {
        body->element_start[element] = start;
        start += cell_corner_count(body->cell_kinds[element]);
    }
    body->element_start[def->element_count] = start;
    return true;
}

static bool split_cells(struct body *body, const struct mesh_counts *counts)
{
    if (!body_has_cells(body)) {
        return true;
    }
    body->tetrahedron_count = (uint32_t)counts->tetrahedron_count;
    if (!counts->is_split) {
        body->tetrahedra = (uint32_t(*)[4])body->element_corners;
        return true;
    }
    body->tetrahedra = dent_allocate(body->context, body->tetrahedron_count, sizeof *body->tetrahedra);
    body->cell_of_tetrahedron =
        dent_allocate(body->context, body->tetrahedron_count, sizeof *body->cell_of_tetrahedron);
    body->first_tetrahedron =
        dent_allocate(body->context, (size_t)body->element_count + 1, sizeof *body->first_tetrahedron);
    if (!body->tetrahedra || !body->cell_of_tetrahedron || !body->first_tetrahedron) {
        return false;
    }
    uint32_t total = 0;
    for (uint32_t cell = 0; cell < body->element_count; cell++) {
        uint32_t parts[CELL_MAX_TETRAHEDRA][4];
        uint32_t count = cell_split(body->cell_kinds[cell], body->element_corners + body->element_start[cell], parts);
        body->first_tetrahedron[cell] = total;
        for (uint32_t part = 0; part < count; part++, total++) {
            memcpy(body->tetrahedra[total], parts[part], sizeof parts[part]);
            body->cell_of_tetrahedron[total] = cell;
        }
    }
    body->first_tetrahedron[body->element_count] = total;
    return true;
}

static dent_status refuse_in_strict_mode(const struct body *body, struct message *message)
{
    const dent_body_topology *topology = &body->topology;
    const char *element = body_kind_rows[body->kind].element_name;
    if (!body->strict) {
        return DENT_OK;
    }
    if (topology->duplicate_elements > 0) {
        return message_fail(
            message, DENT_ERROR_BAD_MESH,
            BODY_TITLE ": %s %" PRIu32 " has the same corners as an earlier one (%" PRIu32 " in all); strict",
            BODY_TITLE_OF(body), element, topology->first_duplicate_element, topology->duplicate_elements);
    }
    if (topology->nonmanifold_faces > 0) {
        return message_fail(message, DENT_ERROR_BAD_MESH,
                            BODY_TITLE ": cell %" PRIu32 " has a face with more than two cells (%" PRIu32
                                       " such faces); strict",
                            BODY_TITLE_OF(body), body->first_nonmanifold_cell, topology->nonmanifold_faces);
    }
    if (topology->unused_vertices > 0) {
        return message_fail(message, DENT_ERROR_BAD_MESH,
                            BODY_TITLE ": vertex %" PRIu32 " is used by no %s (%" PRIu32 " in all); strict",
                            BODY_TITLE_OF(body), topology->first_unused_vertex, element, topology->unused_vertices);
    }
    return DENT_OK;
}

/* The undeformed shape, where there is one. */
static dent_status copy_reference(struct body *body, const dent_positions *reference, struct message *message)
{
    if (!reference->data || !body_has_cells(body)) {
        return DENT_OK;
    }
    dent_status status = body_check_positions(body, reference, message);
    if (status != DENT_OK) {
        return status;
    }
    body->reference = dent_allocate(body->context, body->vertex_count, sizeof *body->reference);
    return body->reference ? body_read_positions(body, reference, message, body->reference)
                           : out_of_memory(body, message);
}

/* Copies the elements of the def and computes what follows from them, unless a body of the world has them. */
static dent_status make_mesh(struct body *body, const dent_body_def *def, const struct mesh_counts *counts,
                             const struct shared_meshes *meshes, struct message *message)
{
    if (body_has_segments(body)) {
        return strands_make(body, def) ? DENT_OK : out_of_memory(body, message);
    }
    if (body_has_points(body)) {
        return points_make(body) ? DENT_OK : out_of_memory(body, message);
    }
    struct body *lender = meshes ? shared_meshes_find(meshes, def, counts) : NULL;
    if (lender) {
        mesh_borrow(body, lender);
        return DENT_OK;
    }
    return copy_elements(body, def, counts) && split_cells(body, counts)
               ? mesh_topology_compute(body, message, &body->first_nonmanifold_cell)
               : out_of_memory(body, message);
}

static dent_status check_settings(const struct body *body, struct message *message)
{
    dent_status status = body_check_positions(body, &body->positions_t0, message);
    status = status == DENT_OK ? body_check_positions(body, &body->positions_t1, message) : status;
    return status == DENT_OK ? body_check_thickness(body, body->thickness, message) : status;
}

static dent_status fill_body(struct body *body, const dent_body_def *def, uint64_t serial,
                             const struct shared_meshes *meshes, struct message *message)
{
    struct mesh_counts counts;
    dent_status status = copy_name(body, def->name, serial, message);
    if (status == DENT_OK) {
        status = mesh_check_elements(def, body, message, &counts);
    }
    if (status != DENT_OK) {
        return status;
    }
    note_settings(body, def);
    status = check_settings(body, message);
    status = status == DENT_OK ? copy_reference(body, &def->reference, message) : status;
    status = status == DENT_OK ? make_mesh(body, def, &counts, meshes, message) : status;
    bool judged = status == DENT_OK && body->reference && body->surface_face_count < 1u << 30;
    if (judged && !reference_looks_convex(body, &body->reference_convex)) {
        return out_of_memory(body, message);
    }
    return status == DENT_OK ? refuse_in_strict_mode(body, message) : status;
}

dent_status body_create(dent_context *context, const dent_body_def *def, uint64_t serial, uint64_t identity_base,
                        const struct shared_meshes *meshes, struct message *message, struct body **created)
{
    dent_status status = mesh_check_def(def, message);
    if (status != DENT_OK) {
        return status;
    }
    struct body *body = dent_allocate(context, 1, sizeof *body);
    if (!body) {
        return message_fail(message, DENT_ERROR_OUT_OF_MEMORY, "not enough memory for a body");
    }
    memset(body, 0, sizeof *body);
    body->context = context;
    body->identity_base = identity_base;
    status = fill_body(body, def, serial, meshes, message);
    if (status != DENT_OK) {
        body_destroy(body);
        return status;
    }
    *created = body;
    return DENT_OK;
}

void body_destroy(struct body *body)
{
    if (!body) {
        return;
    }
    dent_context *context = body->context;
    mesh_release(body);
    strands_release(body);
    dent_release(context, body->reference, body->vertex_count, sizeof *body->reference);
    dent_release(context, body->identities, body->vertex_count, sizeof *body->identities);
    dent_release(context, body->name, body->name_size, 1);
    dent_release(context, body, 1, sizeof *body);
}
