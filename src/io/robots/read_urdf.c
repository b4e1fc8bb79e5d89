/* Robots from URDF: the parsed document becomes a linkage and one surface per link. See dent/urdf.h.
 *
 * Names are looked up in hash tables, so that a file of many links costs no more than its length. The linkage checks
 * that the joints form a tree; its messages get the name of the file in front. */
#include <dent/urdf.h>

#include "io/model/name_table.h"
#include "io/bytes/read_scope.h"
#include "io/bytes/try_status.h"
#include "urdf_meshes.h"
#include "urdf_origin.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What expat keeps of a byte at most: names of elements and attributes, each once, in records of some 60 bytes. It
 * takes its memory from the C library. */
#define EXPAT_BYTES 24
/* What the linkage keeps of a link and a joint, names not counted. It lives in the caller's context, which it refers to
 * as long as it lives. */
#define LINKAGE_BYTES 1024

/* What dent_robot.storage points to. */
struct robot_storage {
    dent_robot robot;
    struct mesh_storage *blocks; /* names and arrays */
    dent_linkage *linkage;
};

/* One call of dent_robot_read. */
struct robot_reading {
    struct read_scope *scope;
    dent_context *context; /* of the scope */
    const char *file;
    const dent_robot_read_def *def;
    struct urdf_search_path places;
    struct urdf_document document;
    struct name_table link_names, joint_names;
    struct robot_storage *storage;
};

dent_robot_read_def dent_robot_read_def_default(void)
{
    return (dent_robot_read_def){.struct_size = sizeof(dent_robot_read_def)};
}

void dent_robot_destroy(dent_context *context, dent_robot *robot)
{
    if (context && robot) {
        struct robot_storage *storage = robot->storage;
        dent_linkage_destroy(storage->linkage);
        mesh_storage_destroy(context, storage->blocks);
        dent_release(context, storage, 1, sizeof *storage);
    }
}

static dent_status out_of_memory(const struct robot_reading *reading)
{
    return dent_fail(reading->context, DENT_ERROR_OUT_OF_MEMORY, "%s: out of memory", reading->file);
}

static dent_status fail_at(const struct robot_reading *reading, uint64_t line, const char *format, ...)
    DENT_PRINTF_LIKE(3, 4);
static dent_status fail_at(const struct robot_reading *reading, uint64_t line, const char *format, ...)
{
    char text[700];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return dent_fail(reading->context, DENT_ERROR_FORMAT, "%s:%llu: %s", reading->file, (unsigned long long)line, text);
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

static dent_status note_names(struct robot_reading *reading)
{
    const struct urdf_document *document = &reading->document;
    const struct urdf_link *links = document->links.data;
    const struct urdf_joint *joints = document->joints.data;
    if (document->links.count >= UINT32_MAX || document->joints.count >= UINT32_MAX) {
        return fail_at(reading, 1, "more links or joints than 32 bits can number");
    }
    for (uint32_t i = 0; i < document->links.count; i++) {
        uint32_t before;
        if (!name_table_add(&reading->link_names, links[i].name, i, &before)) {
            return out_of_memory(reading);
        }
        if (before != NAME_TABLE_NONE) {
            return fail_at(reading, links[i].line, "a second link '%s'; the first is in line %llu", links[i].name,
                           (unsigned long long)links[before].line);
        }
    }
    for (uint32_t j = 0; j < document->joints.count; j++) {
        uint32_t before;
        if (!name_table_add(&reading->joint_names, joints[j].name, j, &before)) {
            return out_of_memory(reading);
        }
        if (before != NAME_TABLE_NONE) {
            return fail_at(reading, joints[j].line, "a second joint '%s'; the first is in line %llu", joints[j].name,
                           (unsigned long long)joints[before].line);
        }
    }
    return DENT_OK;
}

static dent_status find_link(const struct robot_reading *reading, const struct urdf_joint *joint, const char *name,
                             uint32_t *link)
{
    *link = name_table_find(&reading->link_names, name);
    if (*link == NAME_TABLE_NONE) {
        return fail_at(reading, joint->line, "joint '%s' names link '%s', which does not exist", joint->name,
                       name);
    }
    return DENT_OK;
}

/* ---- the linkage ------------------------------------------------------------------------------------------------- */

static dent_status check_angles(const struct robot_reading *reading, const struct urdf_origin *origin, uint64_t line)
{
    for (int i = 0; i < 3; i++) {
        if (!(fabs(origin->rpy[i]) <= 1000)) {
            return fail_at(reading, line, "an angle of %.9g radians in rpy", origin->rpy[i]);
        }
    }
    return DENT_OK;
}

static dent_status describe_joint(const struct robot_reading *reading, const struct urdf_joint *joint,
                                  dent_joint_def *def)
{
    static const dent_joint_kind kinds[URDF_JOINT_TYPE_COUNT] = {
        [URDF_JOINT_FIXED] = DENT_JOINT_FIXED,         [URDF_JOINT_REVOLUTE] = DENT_JOINT_REVOLUTE,
        [URDF_JOINT_CONTINUOUS] = DENT_JOINT_REVOLUTE, [URDF_JOINT_PRISMATIC] = DENT_JOINT_PRISMATIC,
        [URDF_JOINT_FLOATING] = DENT_JOINT_FREE,       [URDF_JOINT_PLANAR] = DENT_JOINT_PLANAR,
    };
    *def = dent_joint_def_default();
    def->name = joint->name;
    def->kind = kinds[joint->type];
    TRY(find_link(reading, joint, joint->parent, &def->parent));
    TRY(find_link(reading, joint, joint->child, &def->child));
    TRY(check_angles(reading, &joint->origin, joint->line));
    def->origin = urdf_origin_pose(&joint->origin);
    memcpy(def->axis, joint->axis, sizeof def->axis);
    def->has_limits = joint->has_limits && (joint->type == URDF_JOINT_REVOLUTE || joint->type == URDF_JOINT_PRISMATIC);
    def->lower = joint->lower;
    def->upper = joint->upper;
    if (joint->mimics) {
        def->mimics = name_table_find(&reading->joint_names, joint->mimics);
        if (def->mimics == NAME_TABLE_NONE) {
            return fail_at(reading, joint->line, "joint '%s' mimics joint '%s', which does not exist",
                           joint->name, joint->mimics);
        }
        def->multiplier = joint->multiplier;
        def->offset = joint->offset;
    }
    return DENT_OK;
}

static dent_status create_linkage(struct robot_reading *reading, const dent_joint_def *joints, const char *const *names)
{
    dent_linkage_def def = dent_linkage_def_default();
    def.name = reading->document.name;
    def.link_count = (uint32_t)reading->document.links.count;
    def.link_names = names;
    def.joint_count = (uint32_t)reading->document.joints.count;
    def.joints = joints;
    if (!read_scope_room(reading->scope, LINKAGE_BYTES * ((uint64_t)def.link_count + def.joint_count))) {
        return out_of_memory(reading);
    }
    dent_status status = dent_linkage_create(reading->scope->caller, &def, &reading->storage->linkage);
    if (status != DENT_OK) {
        char message[900];
        dent_context_message(reading->scope->caller, message, sizeof message);
        status = status == DENT_ERROR_INVALID_ARGUMENT ? DENT_ERROR_FORMAT : status;
        return dent_fail(reading->context, status, "%s: %s", reading->file, message);
    }
    return DENT_OK;
}

static dent_status build_linkage(struct robot_reading *reading)
{
    const struct urdf_document *document = &reading->document;
    const struct urdf_link *links = document->links.data;
    const struct urdf_joint *joints = document->joints.data;
    size_t link_count = document->links.count, joint_count = document->joints.count;
    const char **names = dent_allocate(reading->context, link_count, sizeof *names);
    dent_joint_def *defs = dent_allocate(reading->context, joint_count, sizeof *defs);
    dent_status status = names && defs ? DENT_OK : out_of_memory(reading);
    for (size_t i = 0; i < link_count && names; i++) {
        names[i] = links[i].name;
    }
    for (size_t j = 0; j < joint_count && status == DENT_OK; j++) {
        status = describe_joint(reading, &joints[j], &defs[j]);
    }
    if (status == DENT_OK) {
        status = create_linkage(reading, defs, names);
    }
    dent_release(reading->context, names, link_count, sizeof *names);
    dent_release(reading->context, defs, joint_count, sizeof *defs);
    return status;
}

/* ---- masses and drives -------------------------------------------------------------------------------------------- */

/* <inertial> in the frame of the link: R I R^T. */
static void place_inertia(const struct urdf_link *from, dent_robot_link *link)
{
    static const int at[6][2] = {{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}};
    const double *i = from->inertia, full[3][3] = {{i[0], i[1], i[2]}, {i[1], i[3], i[4]}, {i[2], i[4], i[5]}};
    dent_pose pose = urdf_origin_pose(&from->inertial);
    double m[16];
    dent_pose_to_matrix(&pose, m);
    link->mass = from->has_mass ? from->mass : 0;
    memcpy(link->mass_center, from->inertial.xyz, sizeof link->mass_center);
    for (int n = 0; n < 6 && from->has_inertia; n++) {
        double sum = 0;
        for (int j = 0; j < 3; j++) {
            for (int k = 0; k < 3; k++) {
                sum += m[4 * at[n][0] + j] * full[j][k] * m[4 * at[n][1] + k];
            }
        }
        link->inertia[n] = sum;
    }
}

static dent_status build_drives(struct robot_reading *reading)
{
    const struct urdf_joint *joints = reading->document.joints.data;
    size_t count = reading->document.joints.count;
    dent_robot_joint *made = mesh_storage_take(reading->context, reading->storage->blocks, count + 1, sizeof *made);
    if (!made) {
        return out_of_memory(reading);
    }
    for (size_t j = 0; j < count; j++) {
        made[j] = (dent_robot_joint){joints[j].effort, joints[j].velocity, joints[j].damping, joints[j].friction};
    }
    reading->storage->robot.joints = made;
    return DENT_OK;
}

/* ---- the surfaces ------------------------------------------------------------------------------------------------ */

static dent_status build_surface(struct robot_reading *reading, uint32_t index, size_t *next_shape,
                                 dent_robot_link *link)
{
    struct link_surface surface;
    link_surface_init(&surface, reading->context);
    dent_status status = urdf_build_link(reading->scope, reading->file, &reading->document, index, next_shape,
                                         &reading->places, reading->def, &surface);
    if (status == DENT_OK && surface.triangles.count > 0) {
        link->vertex_count = link_surface_vertices(&surface);
        link->triangle_count = (uint32_t)surface.triangles.count;
        link->positions = mesh_storage_keep_array(reading->storage->blocks, &surface.positions);
        link->triangles =
            link->positions ? mesh_storage_keep_array(reading->storage->blocks, &surface.triangles) : NULL;
        status = link->triangles ? DENT_OK : out_of_memory(reading);
    }
    link_surface_release(&surface);
    return status;
}

static dent_status build_surfaces(struct robot_reading *reading)
{
    const struct urdf_link *links = reading->document.links.data;
    const struct urdf_geometry *shapes = reading->document.shapes.data;
    uint32_t count = (uint32_t)reading->document.links.count;
    for (size_t i = 0; i < reading->document.shapes.count; i++) {
        TRY(check_angles(reading, &shapes[i].origin, shapes[i].line));
    }
    dent_robot_link *made = mesh_storage_take(reading->context, reading->storage->blocks, count, sizeof *made);
    if (!made) {
        return out_of_memory(reading);
    }
    size_t next_shape = 0;
    for (uint32_t i = 0; i < count; i++) {
        made[i] = (dent_robot_link){.name = links[i].name};
        TRY(check_angles(reading, &links[i].inertial, links[i].line));
        place_inertia(&links[i], &made[i]);
        TRY(build_surface(reading, i, &next_shape, &made[i]));
    }
    reading->storage->robot.links = made;
    reading->storage->robot.link_count = count;
    return DENT_OK;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static dent_status build_robot(struct robot_reading *reading, const struct file_bytes *bytes)
{
    if (!read_scope_room(reading->scope, EXPAT_BYTES * (uint64_t)bytes->size)) {
        return out_of_memory(reading);
    }
    TRY(urdf_document_parse(reading->context, reading->file, bytes, reading->storage->blocks, &reading->document));
    TRY(note_names(reading));
    TRY(build_linkage(reading));
    TRY(build_drives(reading));
    TRY(build_surfaces(reading));
    if (!reading->def->no_mesh_files) {
        urdf_note_visual_meshes(reading->context, reading->file, &reading->document, &reading->places);
    }
    return DENT_OK;
}

static dent_status create_storage(struct robot_reading *reading)
{
    struct robot_storage *storage = dent_allocate(reading->context, 1, sizeof *storage);
    if (!storage) {
        return out_of_memory(reading);
    }
    memset(storage, 0, sizeof *storage);
    storage->robot.storage = storage;
    storage->blocks = mesh_storage_create(reading->context);
    reading->storage = storage;
    return storage->blocks ? DENT_OK : out_of_memory(reading);
}

static dent_status read_robot(struct read_scope *scope, const char *path, const struct file_bytes *bytes,
                              const dent_robot_read_def *def, dent_robot **robot)
{
    dent_context *context = scope->context;
    const char *name = scope->name;
    struct robot_reading *reading = dent_allocate(context, 1, sizeof *reading);
    if (!reading) {
        return dent_fail(context, DENT_ERROR_OUT_OF_MEMORY, "%s: out of memory", name);
    }
    memset(reading, 0, sizeof *reading);
    reading->scope = scope;
    reading->context = context;
    reading->file = name;
    reading->def = def;
    urdf_places_init(&reading->places, path, def);
    name_table_init(&reading->link_names, context);
    name_table_init(&reading->joint_names, context);
    dent_status status = create_storage(reading);
    status = status == DENT_OK ? build_robot(reading, bytes) : status;
    urdf_document_release(&reading->document);
    name_table_release(&reading->link_names);
    name_table_release(&reading->joint_names);
    if (status == DENT_OK) {
        struct robot_storage *storage = reading->storage;
        storage->robot.linkage = storage->linkage;
        storage->robot.name = dent_linkage_name(storage->linkage);
        *robot = &storage->robot;
    } else if (reading->storage) {
        dent_robot_destroy(context, &reading->storage->robot);
    }
    dent_release(context, reading, 1, sizeof *reading);
    return status;
}

static dent_status check_def(dent_context *context, const dent_robot_read_def *def)
{
    if (def->struct_size != sizeof *def) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT,
                         "dent_robot_read_def was not made by dent_robot_read_def_default()");
    }
    return DENT_OK;
}

dent_status dent_robot_read(dent_context *context, const char *path, const dent_robot_read_def *def, dent_robot **robot)
{
    DENT_REQUIRE(context, context);
    DENT_REQUIRE(context, path);
    DENT_REQUIRE(context, robot);
    dent_robot_read_def defaults = dent_robot_read_def_default();
    struct file_bytes bytes = {0};
    struct read_scope scope;
    def = def ? def : &defaults;
    TRY(check_def(context, def));
    TRY(read_scope_open(&scope, context, path, def->memory_limit));
    read_scope_count_file(&scope, path);
    dent_status status = file_bytes_load(scope.context, path, FILES_AND_PIPES, &bytes);
    status = status == DENT_OK ? read_robot(&scope, path, &bytes, def, robot) : status;
    file_bytes_release(scope.context, &bytes);
    return read_scope_end(&scope, status);
}

dent_status dent_robot_read_memory(dent_context *context, const char *name, const void *bytes, size_t size,
                                   const dent_robot_read_def *def, dent_robot **robot)
{
    DENT_REQUIRE(context, context);
    DENT_REQUIRE(context, name);
    DENT_REQUIRE_ARRAY(context, size, bytes);
    DENT_REQUIRE(context, robot);
    dent_robot_read_def defaults = dent_robot_read_def_default();
    struct file_bytes file = {0};
    struct read_scope scope;
    def = def ? def : &defaults;
    TRY(check_def(context, def));
    TRY(read_scope_open(&scope, context, name, def->memory_limit));
    read_scope_count_bytes(&scope, size);
    dent_status status = file_bytes_from_memory(scope.context, name, bytes, size, &file);
    status = status == DENT_OK ? read_robot(&scope, NULL, &file, def, robot) : status;
    file_bytes_release(scope.context, &file);
    return read_scope_end(&scope, status);
}

/* ---- into a world ------------------------------------------------------------------------------------------------ */

static dent_status add_link(const dent_robot_link *link, dent_world *world, dent_body_id *id)
{
    dent_body_def def = dent_surface_def_default();
    def.name = link->name;
    def.vertex_count = link->vertex_count;
    def.element_count = link->triangle_count;
    def.element_corners = link->triangles;
    def.positions_t0 = dent_positions_double(link->positions);
    def.self_collision = false; /* a link does not bend */
    return dent_world_add_body(world, &def, id);
}

dent_status dent_robot_add_to_world(const dent_robot *robot, dent_world *world, dent_body_id *ids)
{
    DENT_REQUIRE(dent_world_context(world), robot);
    DENT_REQUIRE(dent_world_context(world), world);
    DENT_REQUIRE(dent_world_context(world), ids);
    memset(ids, 0, robot->link_count * sizeof *ids);
    for (uint32_t i = 0; i < robot->link_count; i++) {
        dent_status status = robot->links[i].triangle_count > 0 ? add_link(&robot->links[i], world, &ids[i]) : DENT_OK;
        if (status != DENT_OK) {
            while (i-- > 0) {
                if (!dent_body_id_is_null(ids[i])) {
                    dent_world_remove_body(world, ids[i]);
                }
            }
            return status;
        }
    }
    return DENT_OK;
}
