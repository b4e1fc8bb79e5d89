/* Which vertices or cells of a body: all, by number, by a box, a ball or a half-space, or by a named region of the mesh file. Places
 * are those of the body at the start. */
#include "scene_file_parts.h"

#include <math.h>
#include <string.h>

struct selection {
    enum { SELECT_ALL, SELECT_BOX, SELECT_SPHERE, SELECT_BEYOND } kind;
    double low[3], high[3], centre[3], radius;
    double normal[3]; /* of a plane through the centre */
};

static bool selected(const struct selection *selection, const double point[3])
{
    double square = 0, along = 0;
    for (int axis = 0; axis < 3; axis++) {
        if (selection->kind == SELECT_BOX &&
            !(point[axis] >= selection->low[axis] && point[axis] <= selection->high[axis])) {
            return false;
        }
        double offset = point[axis] - selection->centre[axis];
        square += offset * offset;
        along += offset * selection->normal[axis];
    }
    return selection->kind == SELECT_SPHERE ? square <= selection->radius * selection->radius : along >= 0;
}

/* ---- regions of mesh files --------------------------------------------------------------------------------------- */

/* The vertices of the body that a group of the file names, and its triangles where all their corners are the body's. */
static void keep_region(struct scene_reader *reader, uint32_t number, const dent_mesh_group *group,
                        const uint32_t *body_vertices, uint32_t vertex_count)
{
    size_t corner_count = (size_t)group->element_count * group->corners_per_element;
    struct scene_region *region = plan_allocate(reader->plan, 1, sizeof *region);
    uint8_t *marks = plan_allocate(reader->plan, vertex_count, 1);
    if (!region || !marks) {
        return;
    }
    bool triangles = group->corners_per_element == 3;
    for (size_t n = 0; n < corner_count; n++) {
        uint32_t vertex = body_vertices[group->corners[n]];
        triangles = triangles && vertex != UINT32_MAX;
        region->vertex_count += vertex != UINT32_MAX && !marks[vertex];
        if (vertex != UINT32_MAX) {
            marks[vertex] = 1;
        }
    }
    uint32_t *vertices = plan_allocate(reader->plan, region->vertex_count, sizeof *vertices), count = 0;
    uint32_t *faces = triangles ? plan_allocate(reader->plan, corner_count, sizeof *faces) : NULL;
    for (uint32_t v = 0; vertices && v < vertex_count; v++) {
        if (marks[v]) {
            vertices[count++] = v;
        }
    }
    for (size_t n = 0; faces && n < corner_count; n++) {
        faces[n] = body_vertices[group->corners[n]];
    }
    region->name = plan_copy_text(reader->plan, group->name ? group->name : "");
    region->body = number;
    region->vertices = vertices;
    region->faces = faces;
    region->face_count = faces ? group->element_count : 0;
    region->next = reader->regions;
    reader->regions = region;
}

void keep_regions(struct scene_reader *reader, uint32_t number, const dent_mesh *mesh, const dent_mesh_body *body)
{
    if (mesh->group_count == 0 || mesh->file_vertex_count == 0 ||
        !reader_charge(reader, NULL, 4.0 * mesh->file_vertex_count)) {
        return;
    }
    uint32_t *body_vertices = plan_allocate(reader->plan, mesh->file_vertex_count, sizeof *body_vertices);
    if (!body_vertices) {
        return;
    }
    memset(body_vertices, 0xff, mesh->file_vertex_count * sizeof *body_vertices);
    for (uint32_t v = 0; v < body->vertex_count; v++) {
        uint32_t in_file = body->vertex_numbers ? body->vertex_numbers[v] : v;
        if (in_file < mesh->file_vertex_count) {
            body_vertices[in_file] = v;
        }
    }
    for (uint32_t n = 0; n < mesh->group_count && reader_good(reader); n++) {
        double bytes = 16.0 * mesh->groups[n].element_count * mesh->groups[n].corners_per_element + body->vertex_count;
        if (reader_charge(reader, NULL, bytes)) {
            keep_region(reader, number, &mesh->groups[n], body_vertices, body->vertex_count);
        }
    }
}

void drop_regions(struct scene_reader *reader, uint32_t number)
{
    for (struct scene_region *region = reader->regions; region != NULL; region = region->next) {
        region->vertex_count = region->body == number ? 0 : region->vertex_count;
    }
}

static const struct scene_region *find_region(struct scene_reader *reader, located *value, uint32_t number)
{
    const char *name = reader_text(reader, value, "");
    char known[300] = "none";
    for (const struct scene_region *region = reader->regions; region != NULL; region = region->next) {
        if (region->body != number || region->vertex_count == 0) {
            continue;
        }
        if (strcmp(region->name, name) == 0) {
            return region;
        }
        bool first = strcmp(known, "none") == 0;
        known[0] = first ? '\0' : known[0];
        strncat(known, first ? "" : ", ", sizeof known - strlen(known) - 1);
        strncat(known, region->name, sizeof known - strlen(known) - 1);
    }
    reader_wrong(reader, value,
                 "\"region\": a region of the mesh file was expected, and \"%.60s\" is none; there are: %s", name,
                 known);
    return NULL;
}

/* ---- regions of space -------------------------------------------------------------------------------------------- */

static void read_box(struct scene_reader *reader, located *box, struct selection *selection)
{
    selection->kind = SELECT_BOX;
    if (!reader_array(reader, box, "two corners")) {
        return;
    }
    if (json_array_size(box->json) != 2) {
        reader_wrong(reader, box, "\"box\": two corners [[x, y, z], [x, y, z]] were expected, not %zu",
                     json_array_size(box->json));
        return;
    }
    located *low = reader_first(reader, box);
    reader_vector(reader, low, QUANTITY_LENGTH, selection->low);
    reader_vector(reader, reader_good(reader) ? reader_next(reader, low) : NULL, QUANTITY_LENGTH, selection->high);
    for (int axis = 0; axis < 3 && reader_good(reader); axis++) {
        if (!(selection->low[axis] <= selection->high[axis])) {
            reader_wrong(reader, box, "\"box\": the lower corner first was expected; %c goes from %.9g to %.9g",
                         "xyz"[axis], selection -> low[axis], selection -> high[axis]);
        }
    }
}

void read_direction(struct scene_reader *reader, located *value, double direction[3])
{
    reader_vector(reader, value, QUANTITY_RATIO, direction);
    double square = (direction[0] * direction[0] + direction[1] * direction[1]) + direction[2] * direction[2];
    if (value && reader_good(reader) && !(square > 1e-100 && square < 1e100)) {
        reader_wrong(reader, value, "a direction [x, y, z] other than zero was expected");
    }
}

/* {"box": [[..], [..]]}, {"centre": [..], "radius": ..} or {"beyond": [..], "normal": [..]}. */
static void read_space(struct scene_reader *reader, located *value, struct selection *selection)
{
    located *box = reader_member(reader, value, "box"), *beyond = reader_member(reader, value, "beyond");
    if (box) {
        read_box(reader, box, selection);
    } else if (beyond) {
        selection->kind = SELECT_BEYOND;
        reader_vector(reader, beyond, QUANTITY_LENGTH, selection->centre);
        read_direction(reader, reader_need(reader, value, "normal", "a region beyond a plane"), selection->normal);
    } else {
        selection->kind = SELECT_SPHERE;
        reader_vector(
            reader,
            reader_need(reader, value, "centre",
                        "a region (\"box\", \"centre\" and \"radius\", \"beyond\" and \"normal\", \"region\")"),
            QUANTITY_LENGTH, selection->centre);
        selection->radius = reader_bounded(reader, reader_need(reader, value, "radius", "a region around a centre"),
                                           QUANTITY_LENGTH, 0, 0, HUGE_VAL, "of at least 0");
    }
}

/* ---- vertices ---------------------------------------------------------------------------------------------------- */

/* {"region": "name"} alone. */
static const struct scene_region *read_named(struct scene_reader *reader, located *value, uint32_t number)
{
    static const char *const keys[] = {"box", "centre", "radius", "beyond", "normal", "region", NULL};
    if (!json_is_object(value->json) || !reader_object(reader, value, "a region", keys)) {
        return NULL;
    }
    located *name = reader_member(reader, value, "region");
    if (name && json_object_size(value->json) > 1) {
        reader_wrong(reader, value, "\"region\" was expected alone");
        return NULL;
    }
    return name ? find_region(reader, name, number) : NULL;
}

static uint32_t list_numbers(struct scene_reader *reader, located *value, const dent_sim_body_def *body, uint32_t *list)
{
    uint32_t count = 0;
    for (located *item = reader_first(reader, value); item != NULL; item = reader_next(reader, item)) {
        uint32_t vertex = reader_count(reader, item, 0, body->vertex_count > 0 ? body->vertex_count - 1 : 0, 0);
        if (count == body->vertex_count) {
            reader_wrong(reader, item, "at most %u vertices were expected, as many as the body has",
                         body->vertex_count);
        } else {
            list[count++] = vertex;
        }
    }
    return count;
}

uint32_t read_vertices(struct scene_reader *reader, located *value, uint32_t number, const uint32_t **vertices)
{
    static const char *const words[] = {"all", NULL};
    const dent_sim_body_def *body = &reader->plan->bodies[number];
    const struct scene_region *region = reader_good(reader) ? read_named(reader, value, number) : NULL;
    if (region) {
        *vertices = region->vertices;
        return region->vertex_count;
    }
    uint32_t *list = plan_allocate(reader->plan, body->vertex_count, sizeof *list), count = 0;
    if (!list) {
        return 0;
    }
    if (json_is_array(value->json)) {
        count = list_numbers(reader, value, body, list);
    } else {
        struct selection selection = {.kind = SELECT_ALL};
        if (json_is_string(value->json)) {
            reader_choice(reader, value, words);
        } else if (json_is_object(value->json)) {
            read_space(reader, value, &selection);
        } else {
            reader_wrong(
                reader, value,
                "vertices were expected: \"all\", [numbers], {\"box\": ...}, {\"centre\": ..., \"radius\": ...}, "
                "{\"beyond\": ..., \"normal\": ...} or {\"region\": ...}");
        }
        for (uint32_t v = 0; reader_good(reader) && v < body->vertex_count; v++) {
            if (selected(&selection, body->positions + 3 * (size_t)v)) {
                list[count++] = v;
            }
        }
    }
    if (count == 0 && reader_good(reader)) {
        reader_wrong(reader, value, "at least one vertex of \"%.60s\" was expected in it, and there is none",
                     body->name);
    }
    *vertices = list;
    return count;
}

uint32_t read_region_faces(struct scene_reader *reader, located *value, uint32_t number, const uint32_t **faces)
{
    const struct scene_region *region = reader_good(reader) ? read_named(reader, value, number) : NULL;
    *faces = region ? region->faces : NULL;
    return region ? region->face_count : 0;
}

/* ---- cells ------------------------------------------------------------------------------------------------------- */

static void element_middle(const dent_sim_body_def *body, uint32_t element, double middle[3])
{
    uint32_t count = body->elements == DENT_SIM_HEXAHEDRA ? 8 : 4;
    middle[0] = middle[1] = middle[2] = 0;
    for (uint32_t k = 0; k < count; k++) {
        const double *corner = body->positions + 3 * (size_t)body->element_corners[(size_t)count * element + k];
        for (int axis = 0; axis < 3; axis++) {
            middle[axis] += corner[axis] / count;
        }
    }
}

bool read_cell_selection(struct scene_reader *reader, located *value, const dent_sim_body_def *body, uint8_t *chosen)
{
    uint32_t count = 0;
    if (json_is_array(value->json)) {
        for (located *item = reader_first(reader, value); item != NULL; item = reader_next(reader, item), count++) {
            chosen[reader_count(reader, item, 0, body->element_count > 0 ? body->element_count - 1 : 0, 0)] = 1;
        }
    } else if (json_is_object(value->json)) {
        struct selection selection = {.kind = SELECT_ALL};
        static const char *const keys[] = {"box", "centre", "radius", "beyond", "normal", NULL};
        if (!reader_object(reader, value, "a region", keys)) {
            return false;
        }
        read_space(reader, value, &selection);
        for (uint32_t e = 0; reader_good(reader) && e < body->element_count; e++) {
            double middle[3];
            element_middle(body, e, middle);
            chosen[e] = selected(&selection, middle);
            count += chosen[e];
        }
    } else {
        reader_wrong(reader, value, "cells were expected: [numbers], {\"box\": ...}, {\"centre\": ..., \"radius\": ...} or "
                     "{\"beyond\": ..., \"normal\": ...}");
    }
    if (count == 0 && reader_good(reader)) {
        reader_wrong(reader, value, "at least one cell of \"%.60s\" was expected in it, and there is none", body->name);
    }
    return reader_good(reader);
}
