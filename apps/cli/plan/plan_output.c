/* plan_output.c — writes a path as a table and as an animation. */
#include "plan_output.h"

#include "placed_file.h"
#include "tool.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- names ----------------------------------------------------------------------------------------------- */

int plan_output_name(plan_output *output, tool_session *session)
{
    const char *out = session->options->out;
    memset(output, 0, sizeof *output);
    if (!options_have(session->options, OPTION_PATH_OUT)) {
        return STATUS_GOOD;
    }
    bool table = ends_with(out, ".csv"), animation = ends_with(out, ".pvd");
    size_t length = strlen(out) - (table || animation ? 4 : 0);
    const char *other = table || animation ? NULL : ending_of_another_format(out, ".pvd");
    if (other != NULL) {
        return complain("plan: --out %s: this writes .csv and .pvd, not %s", out, other);
    }
    if (length == 0 || length >= FILE_NAME_LIMIT - 128) {
        return complain("plan: --out: the name is %s", length == 0 ? "empty" : "too long");
    }
    int failed = STATUS_GOOD;
    if (!animation) {
        snprintf(output->table, FILE_NAME_LIMIT, "%.*s.csv", (int)length, out);
        failed = check_target(session, "plan: --out:", output->table);
    }
    if (!table && !failed) {
        snprintf(output->collection, FILE_NAME_LIMIT, "%.*s.pvd", (int)length, out);
        snprintf(output->folder, FILE_NAME_LIMIT, "%.*s_frames", (int)length, out);
        failed = check_target(session, "plan: --out:", output->collection);
    }
    return failed;
}

/* ---- text files ------------------------------------------------------------------------------------------ */

typedef void text_writer(printer *out, const plan_stage *stage, const dent_plan_result *result);

static int write_text(const plan_stage *stage, const dent_plan_result *result, const char *path, text_writer *writer)
{
    int descriptor = scratch_file_open(path);
    if (descriptor < 0) {
        return complain("plan: --out: %s: %s", path, strerror(errno));
    }
    printer out;
    printer_open(&out, descriptor);
    writer(&out, stage, result);
    printer_flush(&out);
    int status = printer_failed(&out) ? complain("plan: --out: %s: %s", path, strerror(out.error))
                                      : place_file(stage->session, "plan: --out:", descriptor, path);
    close(descriptor);
    return status;
}

static void put_table(printer *out, const plan_stage *stage, const dent_plan_result *result)
{
    for (uint32_t j = 0, put = 0; j < dent_linkage_joint_count(stage->linkage); j++) {
        const dent_joint_def *joint = dent_linkage_joint(stage->linkage, j);
        uint32_t count = dent_linkage_first_value(stage->linkage, j) == UINT32_MAX ? 0 : dent_joint_kind_value_count(joint->kind);
        for (uint32_t v = 0; v < count; v++, put++) {
            printer_text(out, put > 0 ? "," : "");
            printer_name(out, joint->name);
            if (count > 1) {
                printer_format(out, ".%u", v);
            }
        }
    }
    printer_text(out, "\n");
    for (uint32_t w = 0; w < result->waypoint_count; w++) {
        for (uint32_t v = 0; v < stage->value_count; v++) {
            printer_format(out, "%s%.17g", v > 0 ? "," : "", result->waypoints[(size_t)w * stage->value_count + v]);
        }
        printer_text(out, "\n");
    }
}

static void put_names(printer *out, const plan_stage *stage, const dent_plan_result *result)
{
    (void)result;
    for (uint32_t i = 0; i < stage->body_count; i++) {
        printer_format(out, "%u\t", i);
        printer_name(out, stage->bodies[i].shape.name);
        printer_text(out, "\n");
    }
}

/* ---- the animation --------------------------------------------------------------------------------------- */

enum { FRAMES_WANTED = 96, FRAME_NAME = 96 };

typedef struct path_frames {
    uint32_t vertex_count, triangle_count, frame_count;
    double *positions;   /* 3 per vertex */
    uint32_t *triangles; /* of all surfaces, joined */
    double *bodies;      /* number of the body, per triangle */
    dent_pose *poses;    /* by link */
    dent_collection_entry *entries;
    char (*names)[FRAME_NAME];
} path_frames;

static bool count_frames(const plan_stage *stage, const dent_plan_result *result, dent_world *world, path_frames *frames)
{
    uint64_t vertices = 0, triangles = 0;
    for (uint32_t i = 0; i < stage->body_count; i++) {
        dent_body_id id;
        uint32_t faces;
        if (dent_world_add_body(world, &stage->bodies[i].shape, &id) != DENT_OK) {
            return false;
        }
        (void)dent_body_surface_faces(world, id, &faces);
        vertices += stage->bodies[i].shape.vertex_count;
        triangles += faces;
    }
    frames->vertex_count = (uint32_t)vertices;
    frames->triangle_count = (uint32_t)triangles;
    frames->frame_count = result->waypoint_count + FRAMES_WANTED;
    return vertices < UINT32_MAX / 4 && triangles < UINT32_MAX / 4;
}

static bool allocate_frames(const plan_stage *stage, path_frames *frames)
{
    dent_context *context = stage->session->context;
    frames->positions = dent_allocate(context, (size_t)frames->vertex_count * 3 + 1, sizeof *frames->positions);
    frames->triangles = dent_allocate(context, (size_t)frames->triangle_count * 3 + 1, sizeof *frames->triangles);
    frames->bodies = dent_allocate(context, (size_t)frames->triangle_count + 1, sizeof *frames->bodies);
    frames->poses = dent_allocate(context, dent_linkage_link_count(stage->linkage), sizeof *frames->poses);
    frames->entries = dent_allocate(context, frames->frame_count, sizeof *frames->entries);
    frames->names = dent_allocate(context, frames->frame_count, sizeof *frames->names);
    return frames->positions && frames->triangles && frames->bodies && frames->poses && frames->entries && frames->names;
}

static void release_frames(const plan_stage *stage, path_frames *frames)
{
    dent_context *context = stage->session->context;
    dent_release(context, frames->positions, (size_t)frames->vertex_count * 3 + 1, sizeof *frames->positions);
    dent_release(context, frames->triangles, (size_t)frames->triangle_count * 3 + 1, sizeof *frames->triangles);
    dent_release(context, frames->bodies, (size_t)frames->triangle_count + 1, sizeof *frames->bodies);
    dent_release(context, frames->poses, dent_linkage_link_count(stage->linkage), sizeof *frames->poses);
    dent_release(context, frames->entries, frames->frame_count, sizeof *frames->entries);
    dent_release(context, frames->names, frames->frame_count, sizeof *frames->names);
}

static void join_surfaces(const plan_stage *stage, dent_world *world, path_frames *frames)
{
    uint32_t first_vertex = 0;
    size_t triangle = 0;
    for (uint32_t i = 0; i < stage->body_count; i++) {
        uint32_t count;
        const dent_surface_face *faces = dent_body_surface_faces(world, dent_world_body_at(world, i), &count);
        for (uint32_t f = 0; f < count; f++, triangle++) {
            for (int k = 0; k < 3; k++) {
                frames->triangles[3 * triangle + (size_t)k] = first_vertex + faces[f].corners[k];
            }
            frames->bodies[triangle] = i;
        }
        first_vertex += stage->bodies[i].shape.vertex_count;
    }
}

static void place_bodies(const plan_stage *stage, path_frames *frames)
{
    double *next = frames->positions;
    for (uint32_t i = 0; i < stage->body_count; i++) {
        const dent_plan_body *body = &stage->bodies[i];
        const double *given = body->shape.positions_t0.data; /* packed doubles, as plan_stage.c has them */
        dent_pose pose = body->link == DENT_PLAN_OBSTACLE ? dent_pose_identity() : frames->poses[body->link];
        double m[16];
        dent_pose_to_matrix(&pose, m);
        for (uint32_t v = 0; v < body->shape.vertex_count; v++, next += 3, given += 3) {
            for (int k = 0; k < 3; k++) {
                next[k] = ((m[4 * k] * given[0] + m[4 * k + 1] * given[1]) + m[4 * k + 2] * given[2]) + m[4 * k + 3];
            }
        }
    }
}

static dent_status write_frame(const plan_output *output, const plan_stage *stage, path_frames *frames, uint32_t frame,
                               const double *values, double time)
{
    dent_context *context = stage->session->context;
    dent_status status = dent_linkage_poses(stage->linkage, NULL, values, frames->poses);
    if (status != DENT_OK) {
        return status;
    }
    place_bodies(stage, frames);
    const dent_mesh_field field = {.name = "body", .on_elements = true, .components = 1, .values = frames->bodies};
    const dent_mesh_view view = {.kind = DENT_BODY_SURFACE,
                                 .vertex_count = frames->vertex_count,
                                 .positions = frames->positions,
                                 .element_count = frames->triangle_count,
                                 .element_corners = frames->triangles,
                                 .field_count = 1,
                                 .fields = &field};
    char path[FILE_NAME_LIMIT];
    const char *slash = strrchr(output->folder, '/');
    snprintf(path, sizeof path, "%.*s/frame_%06u_surfaces.vtp", FILE_NAME_LIMIT - 64, output->folder, frame);
    snprintf(frames->names[frame], FRAME_NAME, "%.60s/frame_%06u_surfaces.vtp", slash ? slash + 1 : output->folder, frame);
    frames->entries[frame] = (dent_collection_entry){.time = time, .part = 1, .file = frames->names[frame]};
    return dent_mesh_write(context, path, &view);
}

/* Frames at equal parts of every edge, about FRAMES_WANTED in all. */
static dent_status write_frames(const plan_output *output, const plan_stage *stage, const dent_plan_result *result,
                                path_frames *frames)
{
    uint32_t frame = 0;
    double passed = 0;
    dent_status status = DENT_OK;
    for (uint32_t e = 0; e + 1 < result->waypoint_count && status == DENT_OK; e++) {
        const double *from = result->waypoints + (size_t)e * stage->value_count, *to = from + stage->value_count;
        double length = dent_planner_distance(stage->planner, from, to), total = result->length;
        uint32_t parts = 1 + (uint32_t)(total > 0 ? (FRAMES_WANTED - 2) * length / total : 0);
        for (uint32_t i = e == 0 ? 0 : 1; i <= parts && status == DENT_OK && frame < frames->frame_count; i++) {
            double values[DENT_PLAN_VALUES_MAX], t = (double)i / parts;
            status = dent_planner_edge_at(stage->planner, from, to, t, values);
            double time = total > 0 ? (passed + t * length) / total : t;
            status = status == DENT_OK ? write_frame(output, stage, frames, frame++, values, time) : status;
        }
        passed += length;
    }
    return status == DENT_OK ? dent_collection_write(stage->session->context, output->collection, frame, frames->entries)
                             : status;
}

static int write_animation(const plan_output *output, const plan_stage *stage, const dent_plan_result *result)
{
    path_frames frames;
    char names[FILE_NAME_LIMIT];
    memset(&frames, 0, sizeof frames);
    if (!make_folders(output->folder)) {
        return complain("plan: --out: %s: %s", output->folder, strerror(errno));
    }
    snprintf(names, sizeof names, "%.*s/bodies.txt", FILE_NAME_LIMIT - 64, output->folder);
    dent_world *world = dent_world_create(stage->session->context);
    bool whole = world != NULL && count_frames(stage, result, world, &frames) && allocate_frames(stage, &frames);
    int failed = whole ? write_text(stage, result, names, put_names) : complain("plan: --out: out of memory");
    if (!failed) {
        join_surfaces(stage, world, &frames);
        dent_status status = write_frames(output, stage, result, &frames);
        failed = status == DENT_OK ? STATUS_GOOD : complain("plan: --out: %s", session_message(stage->session, status));
    }
    release_frames(stage, &frames);
    dent_world_destroy(world);
    return failed;
}

int plan_output_write(const plan_output *output, const plan_stage *stage, const dent_plan_result *result)
{
    int failed = STATUS_GOOD;
    if (result->verdict != DENT_PLAN_FOUND) {
        return STATUS_GOOD;
    }
    if (output->table[0] != '\0') {
        failed = write_text(stage, result, output->table, put_table);
    }
    return !failed && output->collection[0] != '\0' ? write_animation(output, stage, result) : failed;
}
