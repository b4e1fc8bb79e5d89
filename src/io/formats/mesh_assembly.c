/* From what a reader found to a dent_mesh.
 *
 *   1. The highest dimension that has elements makes bodies: cells, else triangles, else strands (strand_assembly.c).
 *   2. The elements are dealt out to bodies by their group tag, in order of first appearance. Quads and polygons of a
 * surface become triangles by a fan from the corner with the smallest vertex number, so that the result depends on the
 * numbers of the file only.
 *   3. One body keeps all vertices of the file and their numbers. Several bodies keep the vertices they use, in the
 * order of the file (splitting a hexahedron looks at which number is smaller), with a list of where they came from.
 *   4. Elements of lower dimension become groups.
 *
 * Everything is linear in the file, whatever the number of groups. */
#include "io/model/mesh_builder.h"
#include "io/model/mesh_storage.h"
#include "io/model/number_index.h"
#include "reader_table.h"
#include "io/model/strand_assembly.h"

#include <stdio.h>
#include <string.h>

/* A body or a group in the making. */
struct part {
    uint32_t element_count;
    uint64_t corner_count;
    uint32_t *corners;
    uint8_t *cell_kinds;
    uint32_t *element_numbers;
    /* How far it is filled. */
    uint32_t elements_done;
    uint64_t corners_done;
};

struct assembly {
    dent_context *context;
    struct mesh_builder *builder;
    struct mesh_storage *storage;
    struct number_entry *name_index; /* sorted by (dimension, tag) */
};

static dent_status assembly_no_memory(const struct assembly *assembly)
{
    return dent_fail(assembly->context, DENT_ERROR_OUT_OF_MEMORY, "%s: no memory for its mesh",
                     assembly->builder->file_name);
}

/* ---- walking over a list of elements --------------------------------------------------------------------------- */

struct element_walk {
    const uint8_t *kinds;
    const int32_t *tags;
    const uint32_t *next_corners;
    size_t count;
    size_t position; /* of the current element + 1 */
    /* The current element. */
    enum element_kind kind;
    const uint32_t *corners;
    uint32_t corner_count;
};

static struct element_walk walk_over(const struct element_list *list)
{
    return (struct element_walk){.kinds = list->kinds.data,
                                 .tags = list->tags.data,
                                 .next_corners = list->corners.data,
                                 .count = list->kinds.count};
}

static bool walk_next(struct element_walk *walk)
{
    if (walk->position == walk->count) {
        return false;
    }
    walk->kind = walk->kinds[walk->position++];
    if (walk->kind == ELEMENT_POLYGON) {
        walk->corner_count = *walk->next_corners++;
    } else {
        walk->corner_count = element_kind_corners(walk->kind);
    }
    walk->corners = walk->next_corners;
    walk->next_corners += walk->corner_count;
    return true;
}

/* A quad or polygon as triangles; the k-th of corner_count - 2. */
static uint32_t smallest_corner(const uint32_t *corners, uint32_t corner_count)
{
    uint32_t smallest = 0;
    for (uint32_t i = 1; i < corner_count; i++) {
        smallest = corners[i] < corners[smallest] ? i : smallest;
    }
    return smallest;
}

static void fan_triangle(const struct element_walk *walk, uint32_t apex, uint32_t k, uint32_t triangle[3])
{
    triangle[0] = walk->corners[apex];
    triangle[1] = walk->corners[(apex + k + 1) % walk->corner_count];
    triangle[2] = walk->corners[(apex + k + 2) % walk->corner_count];
}

/* ---- checks ---------------------------------------------------------------------------------------------------- */

static dent_status check_corners(const struct mesh_builder *builder)
{
    uint32_t vertex_count = builder_vertex_count(builder);
    for (int dimension = 0; dimension < 4; dimension++) {
        struct element_walk walk = walk_over(&builder->elements[dimension]);
        while (walk_next(&walk)) {
            for (uint32_t i = 0; i < walk.corner_count; i++) {
                if (walk.corners[i] >= vertex_count) {
                    return builder_bad_corner(builder, walk.kind, walk.position - 1, i, walk.corners[i], 0);
                }
            }
        }
    }
    return DENT_OK;
}

/* Only for a notice, so plain arithmetic will do: does a triangle of the fan look against the polygon as a whole? */
static bool fan_folds_back(const struct mesh_builder *builder, const struct element_walk *walk)
{
    const double *positions = builder->positions.data;
    uint32_t apex = smallest_corner(walk->corners, walk->corner_count);
    double total[3] = {0, 0, 0};
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t k = 0; k + 2 < walk->corner_count; k++) {
            uint32_t t[3];
            fan_triangle(walk, apex, k, t);
            double a[3], b[3];
            for (int i = 0; i < 3; i++) {
                a[i] = positions[3 * (size_t)t[1] + i] - positions[3 * (size_t)t[0] + i];
                b[i] = positions[3 * (size_t)t[2] + i] - positions[3 * (size_t)t[0] + i];
            }
            double n[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
            if (pass == 0) {
                for (int i = 0; i < 3; i++) {
                    total[i] += n[i];
                }
            } else if (n[0] * total[0] + n[1] * total[1] + n[2] * total[2] < 0) {
                return true;
            }
        }
    }
    return false;
}

static void note_polygons(struct mesh_builder *builder)
{
    uint64_t split = 0;
    uint64_t folded = 0;
    struct element_walk walk = walk_over(&builder->elements[2]);
    while (walk_next(&walk)) {
        if (walk.corner_count > 3) {
            split++;
            folded += fan_folds_back(builder, &walk);
        }
    }
    if (split) {
        builder_note(builder, split, "quads and polygons were split into triangles at their smallest vertex number");
    }
    if (folded) {
        builder_note(builder, folded, "polygons are not convex: the triangles they were split into overlap");
    }
}

/* ---- names ----------------------------------------------------------------------------------------------------- */

static int64_t name_key(uint32_t dimension, int32_t tag)
{
    return (int64_t)((uint64_t)dimension << 32 | (uint32_t)tag);
}

static dent_status index_names(struct assembly *assembly)
{
    const struct dynamic_array *names = &assembly->builder->names;
    const struct group_name *entries = names->data;
    assembly->name_index = dent_allocate(assembly->context, names->count, sizeof *assembly->name_index);
    if (!assembly->name_index) {
        return assembly_no_memory(assembly);
    }
    for (size_t i = 0; i < names->count; i++) {
        assembly->name_index[i] =
            (struct number_entry){.key = name_key(entries[i].dimension, entries[i].tag), .value = (uint32_t)i};
    }
    if (!number_index_sort(assembly->context, assembly->name_index, names->count)) {
        return assembly_no_memory(assembly);
    }
    return DENT_OK;
}

/* The name of a group, made up when the file gives none. */
static const char *group_text(const struct assembly *assembly, uint32_t dimension, int32_t tag)
{
    const struct dynamic_array *names = &assembly->builder->names;
    const struct number_entry *entry = number_index_find(assembly->name_index, names->count, name_key(dimension, tag));
    if (entry) {
        return mesh_storage_string(assembly->context, assembly->storage,
                                   ((const struct group_name *)names->data)[entry->value].text);
    }
    char text[32];
    snprintf(text, sizeof text, "group %d", (int)tag);
    return mesh_storage_string(assembly->context, assembly->storage, text);
}

/* The file's name without folder and endings. */
static const char *file_stem(const struct assembly *assembly)
{
    const char *name = assembly->builder->file_name;
    const char *slash = strrchr(name, '/');
    char text[256];
    snprintf(text, sizeof text, "%s", slash ? slash + 1 : name);
    if (compression_of_name(text) != COMPRESSION_NONE) {
        text[strlen(text) - 3] = 0;
    }
    const struct mesh_format *format = mesh_format_of_name(text);
    if (format && strlen(text) > strlen(format->ending)) {
        text[strlen(text) - strlen(format->ending)] = 0;
    }
    make_printable(text, strlen(text));
    return mesh_storage_string(assembly->context, assembly->storage, text);
}

/* ---- dealing elements out -------------------------------------------------------------------------------------- */

/* The tags as keys, for number_groups_find; lower-dimensional groups also differ by their number of corners. */
static bool find_groups(const struct assembly *assembly, const struct element_list *list, bool by_corners,
                        struct number_groups *groups)
{
    size_t count = list->kinds.count;
    int64_t *keys = dent_allocate(assembly->context, count, sizeof *keys);
    if (!keys) {
        return false;
    }
    const int32_t *tags = list->tags.data;
    struct element_walk walk = walk_over(list);
    for (size_t i = 0; walk_next(&walk); i++) {
        uint32_t corners = walk.corner_count > 4 ? 3 : walk.corner_count;
        keys[i] = (int64_t)tags[i] * 8 + (by_corners ? corners : 0);
    }
    bool good = number_groups_find(assembly->context, keys, count, groups);
    dent_release(assembly->context, keys, count, sizeof *keys);
    return good;
}

/* Into how many elements of a body or group an element goes. */
static uint32_t pieces_of(const struct element_walk *walk, bool split_quads)
{
    return walk->corner_count > (split_quads ? 3u : 4u) && element_kind_dimension(walk->kind) == 2
               ? walk->corner_count - 2
               : 1;
}

static uint32_t part_of(const struct number_groups *groups, size_t element)
{
    return groups->group_of ? groups->group_of[element] : 0;
}

static dent_status count_parts(const struct assembly *assembly, const struct element_list *list,
                               const struct number_groups *groups, bool split_quads, struct part *parts)
{
    struct element_walk walk = walk_over(list);
    while (walk_next(&walk)) {
        struct part *part = &parts[part_of(groups, walk.position - 1)];
        uint32_t pieces = pieces_of(&walk, split_quads);
        if (pieces > MESH_COUNT_MAX - part->element_count) {
            return dent_fail(assembly->context, DENT_ERROR_TOO_LARGE, "%s: more triangles than 32-bit indices can name",
                             assembly->builder->file_name);
        }
        part->element_count += pieces;
        part->corner_count += pieces > 1 ? 3 * (uint64_t)pieces : walk.corner_count;
    }
    return DENT_OK;
}

static void fill_parts(const struct element_list *list, const struct number_groups *groups, bool split_quads,
                       struct part *parts)
{
    struct element_walk walk = walk_over(list);
    while (walk_next(&walk)) {
        struct part *part = &parts[part_of(groups, walk.position - 1)];
        uint32_t pieces = pieces_of(&walk, split_quads);
        uint32_t apex = pieces > 1 ? smallest_corner(walk.corners, walk.corner_count) : 0;
        for (uint32_t k = 0; k < pieces; k++) {
            uint32_t *corners = part->corners + part->corners_done;
            if (pieces > 1) {
                fan_triangle(&walk, apex, k, corners);
                part->corners_done += 3;
            } else {
                memcpy(corners, walk.corners, walk.corner_count * sizeof *corners);
                part->corners_done += walk.corner_count;
            }
            if (part->element_numbers) {
                part->element_numbers[part->elements_done] = (uint32_t)(walk.position - 1);
            }
            if (part->cell_kinds) {
                static const uint8_t cell_kind_of[ELEMENT_KIND_COUNT] = {[ELEMENT_TETRAHEDRON] = DENT_CELL_TETRAHEDRON,
                                                                         [ELEMENT_HEXAHEDRON] = DENT_CELL_HEXAHEDRON,
                                                                         [ELEMENT_WEDGE] = DENT_CELL_WEDGE,
                                                                         [ELEMENT_PYRAMID] = DENT_CELL_PYRAMID};
                part->cell_kinds[part->elements_done] = cell_kind_of[walk.kind];
            }
            part->elements_done++;
        }
    }
}

/* ---- bodies ---------------------------------------------------------------------------------------------------- */

/* Memory for what fill_parts writes. */
static bool prepare_body_parts(const struct assembly *assembly, uint32_t dimension, uint32_t part_count,
                               struct part *parts)
{
    size_t file_elements = assembly->builder->elements[dimension].kinds.count;
    for (uint32_t i = 0; i < part_count; i++) {
        struct part *part = &parts[i];
        part->corners =
            mesh_storage_take(assembly->context, assembly->storage, part->corner_count, sizeof *part->corners);
        bool good = part->corners != NULL;
        if (good && (part_count > 1 || part->element_count != file_elements)) {
            part->element_numbers = mesh_storage_take(assembly->context, assembly->storage, part->element_count,
                                                      sizeof *part->element_numbers);
            good = part->element_numbers != NULL;
        }
        if (good && dimension == 3 && part->corner_count != 4 * (uint64_t)part->element_count) {
            part->cell_kinds = mesh_storage_take(assembly->context, assembly->storage, part->element_count, 1);
            good = part->cell_kinds != NULL;
        }
        if (!good) {
            return false;
        }
    }
    return true;
}

/* For every vertex of the file the list of bodies that use it, bodies ascending. */
struct vertex_users {
    uint64_t *start; /* vertex_count + 1 */
    uint32_t *bodies;
    uint64_t body_total; /* length of `bodies` */
    uint32_t *mark;      /* vertex_count: the last body seen, then the number within a body */
};

static void release_users(const struct assembly *assembly, struct vertex_users *users)
{
    size_t vertex_count = builder_vertex_count(assembly->builder);
    dent_release(assembly->context, users->start, vertex_count + 1, sizeof *users->start);
    dent_release(assembly->context, users->bodies, users->body_total, sizeof *users->bodies);
    dent_release(assembly->context, users->mark, vertex_count, sizeof *users->mark);
}

/* Calls for each vertex of each body once: counting when `place` is null, else writing behind place[vertex]. */
static void visit_users(const struct part *parts, uint32_t part_count, uint32_t *mark, uint64_t *start,
                        uint32_t *bodies)
{
    for (uint32_t b = 0; b < part_count; b++) {
        for (uint64_t i = 0; i < parts[b].corner_count; i++) {
            uint32_t vertex = parts[b].corners[i];
            if (mark[vertex] == b) {
                continue;
            }
            mark[vertex] = b;
            if (bodies) {
                bodies[start[vertex]++] = b;
            } else {
                start[vertex + 1]++;
            }
        }
    }
}

static bool find_users(const struct assembly *assembly, const struct part *parts, uint32_t part_count,
                       struct vertex_users *users)
{
    size_t vertex_count = builder_vertex_count(assembly->builder);
    users->start = dent_allocate(assembly->context, vertex_count + 1, sizeof *users->start);
    users->mark = dent_allocate(assembly->context, vertex_count, sizeof *users->mark);
    if (!users->start || !users->mark) {
        return false;
    }
    memset(users->start, 0, (vertex_count + 1) * sizeof *users->start);
    memset(users->mark, 0xff, vertex_count * sizeof *users->mark);
    visit_users(parts, part_count, users->mark, users->start, NULL);
    for (size_t v = 0; v < vertex_count; v++) {
        users->start[v + 1] += users->start[v];
    }
    users->body_total = users->start[vertex_count];
    users->bodies = dent_allocate(assembly->context, users->body_total, sizeof *users->bodies);
    if (!users->bodies) {
        return false;
    }
    memset(users->mark, 0xff, vertex_count * sizeof *users->mark);
    visit_users(parts, part_count, users->mark, users->start, users->bodies);
    /* Filling moved every start to the start of the next vertex. */
    memmove(users->start + 1, users->start, vertex_count * sizeof *users->start);
    users->start[0] = 0;
    return true;
}

/* Own vertices for every body: numbers, positions, and corners renumbered. */
static bool give_own_vertices(const struct assembly *assembly, struct part *parts, uint32_t part_count,
                              dent_mesh_body *bodies)
{
    struct vertex_users users = {0};
    bool good = find_users(assembly, parts, part_count, &users);
    size_t vertex_count = builder_vertex_count(assembly->builder);
    for (uint64_t i = 0; good && i < users.body_total; i++) {
        bodies[users.bodies[i]].vertex_count++;
    }
    for (uint32_t b = 0; good && b < part_count; b++) {
        bodies[b].vertex_numbers =
            mesh_storage_take(assembly->context, assembly->storage, bodies[b].vertex_count, sizeof(uint32_t));
        bodies[b].positions =
            mesh_storage_take(assembly->context, assembly->storage, bodies[b].vertex_count, 3 * sizeof(double));
        good = bodies[b].vertex_numbers && bodies[b].positions;
        bodies[b].vertex_count = 0; /* filled again below */
    }
    for (size_t v = 0; good && v < vertex_count; v++) {
        for (uint64_t i = users.start[v]; i < users.start[v + 1]; i++) {
            dent_mesh_body *body = &bodies[users.bodies[i]];
            ((uint32_t *)body->vertex_numbers)[body->vertex_count] = (uint32_t)v;
            memcpy((double *)body->positions + 3 * (size_t)body->vertex_count,
                   (const double *)assembly->builder->positions.data + 3 * v, 3 * sizeof(double));
            body->vertex_count++;
        }
    }
    for (uint32_t b = 0; good && b < part_count; b++) {
        for (uint32_t i = 0; i < bodies[b].vertex_count; i++) {
            users.mark[bodies[b].vertex_numbers[i]] = i;
        }
        for (uint64_t i = 0; i < parts[b].corner_count; i++) {
            parts[b].corners[i] = users.mark[parts[b].corners[i]];
        }
    }
    release_users(assembly, &users);
    return good;
}

/* One body: the builder's positions become the mesh's. */
static bool give_all_vertices(const struct assembly *assembly, dent_mesh_body *body)
{
    body->vertex_count = builder_vertex_count(assembly->builder);
    body->positions = mesh_storage_keep_array(assembly->storage, &assembly->builder->positions);
    return body->positions != NULL;
}

/* Strands have vertices of their own, in the order of their segments. */
static dent_status make_strands(const struct assembly *assembly, struct part *parts, uint32_t part_count,
                                dent_mesh_body *bodies)
{
    uint64_t copied = 0;
    for (uint32_t b = 0; b < part_count; b++) {
        struct strand_lines lines = {.corners = parts[b].corners, .count = parts[b].element_count, .only = part_count == 1};
        dent_status status = assemble_strands(assembly->builder, assembly->storage, &lines, &bodies[b]);
        if (status != DENT_OK) {
            return status;
        }
        copied += lines.copied_vertices;
    }
    if (copied > 0) {
        builder_note(assembly->builder, copied, "vertices are used more than once by strands and were copied");
    }
    return DENT_OK;
}

static dent_status make_bodies(struct assembly *assembly, uint32_t dimension, const struct number_groups *groups,
                               struct part *parts)
{
    const struct element_list *list = &assembly->builder->elements[dimension];
    dent_status status = count_parts(assembly, list, groups, true, parts);
    if (status != DENT_OK) {
        return status;
    }
    uint32_t count = groups->count;
    dent_mesh_body *bodies = mesh_storage_take(assembly->context, assembly->storage, count, sizeof *bodies);
    if (!bodies || !prepare_body_parts(assembly, dimension, count, parts)) {
        return assembly_no_memory(assembly);
    }
    memset(bodies, 0, count * sizeof *bodies);
    fill_parts(list, groups, true, parts);
    if (dimension == 1) {
        status = make_strands(assembly, parts, count, bodies);
        if (status != DENT_OK) {
            return status;
        }
    } else if (count > 1 ? !give_own_vertices(assembly, parts, count, bodies) : !give_all_vertices(assembly, bodies)) {
        return assembly_no_memory(assembly);
    }
    for (uint32_t b = 0; b < count; b++) {
        bodies[b].tag = groups->keys != NULL ? (int32_t)(groups->keys[b] / 8) : 0;
        bodies[b].name = count > 1 ? group_text(assembly, dimension, bodies[b].tag) : file_stem(assembly);
        bodies[b].kind = dimension == 3 ? DENT_BODY_SOLID : dimension == 2 ? DENT_BODY_SURFACE : DENT_BODY_STRANDS;
        bodies[b].element_count = parts[b].element_count;
        bodies[b].element_corners = parts[b].corners;
        bodies[b].cell_kinds = parts[b].cell_kinds;
        bodies[b].corner_count = parts[b].corner_count;
        bodies[b].element_numbers = parts[b].element_numbers;
        if (!bodies[b].name) {
            return assembly_no_memory(assembly);
        }
    }
    assembly->storage->mesh.bodies = bodies;
    assembly->storage->mesh.body_count = count;
    return DENT_OK;
}

static dent_status assemble_bodies(struct assembly *assembly, uint32_t dimension, bool merge)
{
    struct number_groups groups = {0};
    if (merge) {
        groups.count = 1;
    } else if (!find_groups(assembly, &assembly->builder->elements[dimension], false, &groups)) {
        return assembly_no_memory(assembly);
    }
    uint32_t count = groups.count;
    struct part *parts = dent_allocate(assembly->context, count, sizeof *parts);
    dent_status status = DENT_ERROR_OUT_OF_MEMORY;
    if (parts) {
        memset(parts, 0, count * sizeof *parts);
        status = make_bodies(assembly, dimension, &groups, parts);
    } else {
        status = assembly_no_memory(assembly);
    }
    dent_release(assembly->context, parts, count, sizeof *parts);
    number_groups_release(assembly->context, &groups);
    return status;
}

/* ---- groups of lower dimension --------------------------------------------------------------------------------- */

static dent_status make_groups(struct assembly *assembly, uint32_t dimension, const struct number_groups *groups,
                               struct part *parts, struct dynamic_array *made)
{
    const struct element_list *list = &assembly->builder->elements[dimension];
    dent_status status = count_parts(assembly, list, groups, false, parts);
    if (status != DENT_OK) {
        return status;
    }
    for (uint32_t i = 0; i < groups->count; i++) {
        parts[i].corners =
            mesh_storage_take(assembly->context, assembly->storage, parts[i].corner_count, sizeof(uint32_t));
        if (!parts[i].corners) {
            return assembly_no_memory(assembly);
        }
    }
    fill_parts(list, groups, false, parts);
    for (uint32_t i = 0; i < groups->count; i++) {
        uint32_t corners = (uint32_t)(groups->keys[i] & 7);
        int32_t tag = (int32_t)((groups->keys[i] - corners) / 8);
        dent_mesh_group group = {.name = group_text(assembly, dimension, tag),
                                 .tag = tag,
                                 .dimension = dimension,
                                 .element_count = parts[i].element_count,
                                 .corners_per_element = corners,
                                 .corners = parts[i].corners};
        if (!group.name || !array_push(made, &group)) {
            return assembly_no_memory(assembly);
        }
    }
    return DENT_OK;
}

static dent_status assemble_groups_of(struct assembly *assembly, uint32_t dimension, struct dynamic_array *made)
{
    struct number_groups groups;
    if (!find_groups(assembly, &assembly->builder->elements[dimension], true, &groups)) {
        return assembly_no_memory(assembly);
    }
    uint32_t count = groups.count;
    struct part *parts = dent_allocate(assembly->context, count, sizeof *parts);
    dent_status status;
    if (parts) {
        memset(parts, 0, count * sizeof *parts);
        status = make_groups(assembly, dimension, &groups, parts, made);
    } else {
        status = assembly_no_memory(assembly);
    }
    dent_release(assembly->context, parts, count, sizeof *parts);
    number_groups_release(assembly->context, &groups);
    return status;
}

static dent_status assemble_groups(struct assembly *assembly, uint32_t top)
{
    struct dynamic_array made;
    array_init(&made, assembly->context, sizeof(dent_mesh_group));
    dent_status status = DENT_OK;
    uint64_t elements = 0;
    for (uint32_t dimension = top; status == DENT_OK && dimension-- > 0;) {
        if (assembly->builder->elements[dimension].kinds.count > 0) {
            elements += assembly->builder->elements[dimension].kinds.count;
            status = assemble_groups_of(assembly, dimension, &made);
        }
    }
    if (status == DENT_OK && made.count > 0) {
        builder_note(assembly->builder, elements, "elements of lower dimension make no body and are kept as groups");
        assembly->storage->mesh.group_count = (uint32_t)made.count;
        assembly->storage->mesh.groups = mesh_storage_keep_array(assembly->storage, &made);
        status = assembly->storage->mesh.groups ? DENT_OK : assembly_no_memory(assembly);
    }
    array_destroy(&made);
    return status;
}

/* ---- points ---------------------------------------------------------------------------------------------------- */

/* One body: all vertices, each an element of its own. */
static dent_status assemble_points(struct assembly *assembly)
{
    struct mesh_builder *builder = assembly->builder;
    uint32_t count = builder_vertex_count(builder);
    dent_mesh_body *body = mesh_storage_take(assembly->context, assembly->storage, 1, sizeof *body);
    uint32_t *corners = mesh_storage_take(assembly->context, assembly->storage, count, sizeof *corners);
    const char *name = file_stem(assembly);
    if (!body || !corners || !name) {
        return assembly_no_memory(assembly);
    }
    for (uint32_t i = 0; i < count; i++) {
        corners[i] = i;
    }
    *body = (dent_mesh_body){.name = name,
                             .kind = DENT_BODY_POINTS,
                             .element_count = count,
                             .element_corners = corners,
                             .corner_count = count};
    bool normals = builder->normals.count > 0 && builder->normals.count == builder->positions.count;
    body->normals = normals ? mesh_storage_keep_array(assembly->storage, &builder->normals) : NULL;
    assembly->storage->mesh.bodies = body;
    assembly->storage->mesh.body_count = 1;
    return give_all_vertices(assembly, body) && (body->normals || !normals) ? DENT_OK : assembly_no_memory(assembly);
}

/* ---- the whole ------------------------------------------------------------------------------------------------- */

static dent_status assemble(struct assembly *assembly, bool merge, const char *format)
{
    struct mesh_builder *builder = assembly->builder;
    dent_status status = builder->forward_references ? check_corners(builder) : DENT_OK;
    if (status != DENT_OK) {
        return status;
    }
    uint32_t top = 3;
    while (top > 0 && builder->elements[top].kinds.count == 0) {
        top--;
    }
    bool points = top < 1 && builder->points_make_a_body && builder_vertex_count(builder) > 0;
    if (top < 1 && !points) {
        return dent_fail(assembly->context, DENT_ERROR_BAD_MESH,
                         "%s: has %u vertices but no lines, no triangles and no cells: nothing that makes a body",
                         builder->file_name, builder_vertex_count(builder));
    }
    if (top == 2) {
        note_polygons(builder);
    }
    assembly->storage->mesh.file_vertex_count = builder_vertex_count(builder);
    assembly->storage->mesh.format = mesh_storage_string(assembly->context, assembly->storage, format);
    if (!assembly->storage->mesh.format) {
        return assembly_no_memory(assembly);
    }
    if (points) {
        return assemble_points(assembly);
    }
    status = index_names(assembly);
    if (status == DENT_OK) {
        status = assemble_groups(assembly, top);
    }
    if (status == DENT_OK) {
        status = assemble_bodies(assembly, top, merge);
    }
    return status;
}

static void log_notices(const struct mesh_builder *builder)
{
    for (uint32_t i = 0; i < builder->notice_count; i++) {
        const struct mesh_notice *notice = &builder->notices[i];
        char place[96] = "";
        if (notice->line > 0) {
            snprintf(place, sizeof place, " (%sline %llu: '%s')", notice->count > 1 ? "the first in " : "",
                     (unsigned long long)notice->line, notice->sample);
        }
        dent_log_line(builder->context, DENT_LOG_NOTICE, "%s: %llu %s%s", builder->file_name,
                      (unsigned long long)notice->count, notice->text, place);
    }
}

dent_status builder_finish(struct mesh_builder *builder, bool merge, const char *format, dent_mesh **mesh)
{
    struct assembly assembly = {.context = builder->context, .builder = builder};
    assembly.storage = mesh_storage_create(builder->context);
    if (!assembly.storage) {
        return assembly_no_memory(&assembly);
    }
    dent_status status = assemble(&assembly, merge, format);
    dent_release(builder->context, assembly.name_index, builder->names.count, sizeof *assembly.name_index);
    if (status != DENT_OK) {
        mesh_storage_destroy(builder->context, assembly.storage);
        return status;
    }
    log_notices(builder);
    *mesh = &assembly.storage->mesh;
    return DENT_OK;
}
