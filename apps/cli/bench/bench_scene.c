/* bench_scene.c — lays a scene or the bodies of files out for measuring. */
#include "bench_scene.h"

#include "interrupt.h"
#include "tool.h"

#include <dent/query.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

dent_status bench_scene_fill(const bench_scene *scene, dent_world *world)
{
    for (uint32_t i = 0; i < scene->body_count; i++) {
        const dent_scene_body *body = scene->bodies[i].body;
        bool solid = dent_body_kind_has_cells(body->kind);
        bool strands = body->kind == DENT_BODY_STRANDS, points = body->kind == DENT_BODY_POINTS;
        dent_body_def def = dent_body_def_default(body->kind);
        def.name = body->name;
        def.vertex_count = body->vertex_count;
        def.element_count = strands || points ? 0 : body->element_count;
        def.element_corners = strands || points ? NULL : body->element_corners;
        def.strand_count = body->strand_count;
        def.first = body->first;
        def.thickness = strands ? body->thickness : DENT_THICKNESS_FROM_QUERY;
        def.radii = scene->bodies[i].radii;
        def.self_collision = scene->scene != NULL || scene->model.self > 0;
        def.positions_t0 = dent_positions_double(scene->positions + 3 * (size_t)scene->bodies[i].first_vertex);
        if (solid && body->reference != NULL) {
            def.reference = dent_positions_double(body->reference);
        }
        dent_body_id id;
        dent_status status = dent_world_add_body(world, &def, &id);
        if (status != DENT_OK) {
            return status;
        }
    }
    return DENT_OK;
}

/* A scene in another motion than its own: the first frame as a whole. */
static void swing_scene(bench_scene *scene, uint32_t frame)
{
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY}, centre[3];
    for (size_t i = 0; i < 3 * (size_t)scene->vertex_count; i++) {
        lo[i % 3] = fmin(lo[i % 3], scene->positions[i]);
        hi[i % 3] = fmax(hi[i % 3], scene->positions[i]);
    }
    for (int axis = 0; axis < 3; axis++) {
        centre[axis] = 0.5 * lo[axis] + 0.5 * hi[axis];
    }
    double time = (double)(frame % MODEL_FRAMES) / MODEL_FRAMES;
    rigid_swing swing = rigid_swing_at(time, centre, hi[0] - lo[0]);
    rigid_swing_move(&swing, scene->vertex_count, scene->positions, scene->positions);
}

void bench_scene_pose(bench_scene *scene, uint32_t frame)
{
    uint32_t shown = scene->first_frame + (scene->motion == BENCH_MOTION_DEFORM ? frame : 0);
    for (uint32_t i = 0; i < scene->body_count; i++) {
        double *positions = scene->positions + 3 * (size_t)scene->bodies[i].first_vertex;
        if (scene->scene != NULL) {
            dent_scene_positions(scene->scene, i, shown, positions);
        } else {
            bench_model_pose(&scene->model, i, scene->first_frame + frame, positions);
        }
    }
    if (scene->scene != NULL && scene->motion == BENCH_MOTION_RIGID) {
        swing_scene(scene, frame);
    }
}

/* Numbers the bodies' vertices and cells; false when 32 bits do not suffice. */
static bool number_bodies(bench_scene *scene)
{
    uint64_t vertices = 0, cells = 0;
    for (uint32_t i = 0; i < scene->body_count; i++) {
        bench_body *body = &scene->bodies[i];
        memset(body, 0, sizeof *body);
        body->body = scene->scene != NULL ? dent_scene_body_at(scene->scene, i) : &scene->model.bodies[i];
        body->radii = scene->scene != NULL ? NULL : scene->model.radii[i];
        body->first_vertex = (uint32_t)vertices;
        body->first_cell = (uint32_t)cells;
        vertices += body->body->vertex_count;
        if (dent_body_kind_has_cells(body->body->kind)) {
            cells += body->body->element_count;
            scene->solid_count++;
        }
        scene->segment_count += body->body->kind == DENT_BODY_STRANDS ? body->body->element_count : 0;
        if (vertices >= UINT32_MAX || cells >= UINT32_MAX) {
            return false;
        }
    }
    scene->vertex_count = (uint32_t)vertices;
    scene->cell_count = (uint32_t)cells;
    return true;
}

static void number_cells(bench_scene *scene)
{
    for (uint32_t i = 0; i < scene->body_count; i++) {
        const bench_body *body = &scene->bodies[i];
        if (!dent_body_kind_has_cells(body->body->kind)) {
            continue;
        }
        for (uint32_t cell = 0; cell < body->body->element_count; cell++) {
            for (uint32_t corner = 0; corner < 4; corner++) {
                scene->cells[body->first_cell + cell][corner] =
                    body->first_vertex + body->body->element_corners[4 * (size_t)cell + corner];
            }
        }
    }
}

static void number_segments(bench_scene *scene)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < scene->body_count; i++) {
        const bench_body *body = &scene->bodies[i];
        for (uint32_t strand = 0; strand < body->body->strand_count; strand++) {
            for (uint32_t v = body->body->first[strand]; v + 1 < body->body->first[strand + 1]; v++, at++) {
                scene->segments[at][0] = body->first_vertex + v;
                scene->segments[at][1] = body->first_vertex + v + 1;
                scene->segment_radii[at] =
                    body->radii == NULL ? body->body->thickness : fmax(body->radii[v], body->radii[v + 1]);
            }
        }
    }
}

/* The world knows which faces are on the surface. */
static bool number_faces(bench_scene *scene, const dent_world *world)
{
    uint64_t faces = 0, edges = 0;
    for (uint32_t i = 0; i < scene->body_count; i++) {
        uint32_t count;
        dent_body_edges(world, dent_world_body_at(world, i), &count);
        scene->bodies[i].first_edge = (uint32_t)edges;
        edges += count;
        dent_body_surface_faces(world, dent_world_body_at(world, i), &count);
        scene->bodies[i].first_face = (uint32_t)faces;
        faces += count;
    }
    if (faces >= UINT32_MAX || edges >= UINT32_MAX) {
        return false;
    }
    scene->edge_count = (uint32_t)edges;
    scene->faces = dent_allocate(scene->context, (size_t)faces, sizeof *scene->faces);
    scene->face_count = (uint32_t)faces;
    for (uint32_t i = 0; i < scene->body_count && scene->faces != NULL; i++) {
        const bench_body *body = &scene->bodies[i];
        uint32_t count;
        const dent_surface_face *list = dent_body_surface_faces(world, dent_world_body_at(world, i), &count);
        for (uint32_t face = 0; face < count; face++) {
            for (int corner = 0; corner < 3; corner++) {
                scene->faces[body->first_face + face][corner] = body->first_vertex + list[face].corners[corner];
            }
        }
    }
    return scene->faces != NULL;
}

static bool list_used_vertices(bench_scene *scene)
{
    uint8_t *used = dent_allocate(scene->context, scene->vertex_count, 1);
    scene->used_vertices = dent_allocate(scene->context, scene->vertex_count, sizeof *scene->used_vertices);
    bool done = used != NULL && scene->used_vertices != NULL;
    if (done) {
        memset(used, 0, scene->vertex_count);
        for (uint32_t cell = 0; cell < scene->cell_count; cell++) {
            for (int corner = 0; corner < 4; corner++) {
                used[scene->cells[cell][corner]] = 1;
            }
        }
        for (uint32_t face = 0; face < scene->face_count; face++) {
            for (int corner = 0; corner < 3; corner++) {
                used[scene->faces[face][corner]] = 1;
            }
        }
        for (uint32_t i = 0; i < scene->body_count; i++) {
            const bench_body *body = &scene->bodies[i];
            if (dent_body_kind_get_info(body->body->kind)->dimension < 2) {
                memset(used + body->first_vertex, 1, body->body->vertex_count);
            }
        }
        for (uint32_t vertex = 0; vertex < scene->vertex_count; vertex++) {
            if (used[vertex]) {
                scene->used_vertices[scene->used_count++] = vertex;
            }
        }
    }
    dent_release(scene->context, used, scene->vertex_count, 1);
    return done;
}

static bool lay_out(bench_scene *scene)
{
    scene->body_count = scene->scene != NULL ? dent_scene_body_count(scene->scene) : scene->model.body_count;
    scene->bodies = dent_allocate(scene->context, scene->body_count, sizeof *scene->bodies);
    if (scene->bodies == NULL || !number_bodies(scene)) {
        return false;
    }
    scene->positions = dent_allocate(scene->context, scene->vertex_count, 3 * sizeof(double));
    scene->cells = dent_allocate(scene->context, scene->cell_count, sizeof *scene->cells);
    scene->segments = dent_allocate(scene->context, scene->segment_count, sizeof *scene->segments);
    scene->segment_radii = dent_allocate(scene->context, scene->segment_count, sizeof *scene->segment_radii);
    if (scene->positions == NULL || scene->cells == NULL || scene->segments == NULL || scene->segment_radii == NULL) {
        return false;
    }
    bench_scene_pose(scene, 0);
    number_cells(scene);
    number_segments(scene);
    dent_world *world = dent_world_create(scene->context);
    bool done = world != NULL && bench_scene_fill(scene, world) == DENT_OK && number_faces(scene, world) &&
                list_used_vertices(scene);
    dent_world_destroy(world);
    return done;
}

int bench_scene_open(tool_session *session, const char *command, const dent_scene_def *def, bench_scene *scene)
{
    memset(scene, 0, sizeof *scene);
    scene->context = session->context;
    scene->name = def->name;
    scene->scale = def->scale;
    scene->motion = session->options->bench_motion;
    scene->setting_count = def->setting_count;
    scene->settings = def->settings;
    const dent_scene_info *info = dent_scene_find(def->name);
    if (info == NULL) {
        return complain("%s: no scene is called '%s'; dent scenes lists them", command, def->name);
    }
    scene->benchmark_frames = info->benchmark_frames > 0 ? info->benchmark_frames : 1;
    printer_flush(session->out);
    interrupt_at_once(true);
    progress_begin(&session->progress, def->name, 0);
    dent_status made = dent_scene_create(session->context, def, &scene->scene);
    bool whole = made == DENT_OK && lay_out(scene);
    progress_end(&session->progress);
    interrupt_at_once(false);
    if (whole) {
        return STATUS_GOOD;
    }
    bench_scene_close(scene);
    return made == DENT_OK ? complain("%s: %s: out of memory, or too large", command, def->name)
                           : complain("%s", session_message(session, made));
}

/* ---- files ----------------------------------------------------------------------------------------------- */

/* Share of the used vertices that lie inside some cell, in frame 0; below 0: no memory. */
static double share_inside(bench_scene *scene)
{
    bench_scene_pose(scene, 0);
    dent_query_result result;
    dent_query_def def = dent_query_def_default();
    def.questions = DENT_QUESTION_VERTEX_CELL;
    def.no_details = true;
    dent_world *world = dent_world_create(scene->context);
    bool asked =
        world != NULL && bench_scene_fill(scene, world) == DENT_OK && dent_world_query(world, &def, &result) == DENT_OK;
    uint64_t inside = 0;
    const dent_pair_list *pairs = &result.vertex_cell;
    for (uint64_t i = 0; asked && i < pairs->count; i++) {
        inside += i == 0 || pairs->pairs[i].body_a != pairs->pairs[i - 1].body_a ||
                  pairs->pairs[i].feature_a != pairs->pairs[i - 1].feature_a;
    }
    dent_world_destroy(world);
    return asked ? (double)inside / (double)(scene->used_count > 0 ? scene->used_count : 1) : -1;
}

/* Halves an interval: the farther apart the copies, the less is inside. */
static bool find_shift(bench_scene *scene)
{
    enum { HALVINGS = 12 };
    bench_model *model = &scene->model;
    double near = 0, far = 1, share = 0;
    for (int i = 0; i < HALVINGS && !interrupt_seen(); i++) {
        model->shift = 0.5 * (near + far);
        share = share_inside(scene);
        if (share < 0) {
            return false;
        }
        if (share > model->inside) {
            near = model->shift;
        } else {
            far = model->shift;
        }
    }
    snprintf(scene->remark, sizeof scene->remark, "; %g copies, shift %.4g, %.3g %% of the vertices inside",
             model->copies, model->shift, 100 * share);
    return true;
}

int bench_scene_open_files(tool_session *session, const char *command, const char *const *files, uint32_t count,
                           bench_scene *scene)
{
    memset(scene, 0, sizeof *scene);
    scene->context = session->context;
    scene->scale = 1;
    scene->motion = session->options->bench_motion;
    scene->setting_count = session->options->setting_count;
    scene->settings = session->options->settings;
    int status = bench_model_open(session, command, files, count, &scene->model);
    if (status != STATUS_GOOD) {
        return status;
    }
    scene->name = scene->model.name;
    scene->benchmark_frames = scene->model.frame_count > 0 ? scene->model.frame_count : MODEL_FRAMES;
    progress_begin(&session->progress, scene->name, 0);
    bool whole = lay_out(scene) && (scene->model.inside < 0 || find_shift(scene));
    progress_end(&session->progress);
    if (whole) {
        return interrupt_seen() ? interrupt_report() : STATUS_GOOD;
    }
    status =
        complain("%s: %s: out of memory, or too large, or not fit for a world (see dent info)", command, scene->name);
    bench_scene_close(scene);
    return status;
}

void bench_scene_close(bench_scene *scene)
{
    if (scene->scene == NULL) {
        bench_model_close(&scene->model);
    }
    dent_release(scene->context, scene->bodies, scene->body_count, sizeof *scene->bodies);
    dent_release(scene->context, scene->positions, scene->vertex_count, 3 * sizeof(double));
    dent_release(scene->context, scene->cells, scene->cell_count, sizeof *scene->cells);
    dent_release(scene->context, scene->faces, scene->face_count, sizeof *scene->faces);
    dent_release(scene->context, scene->segments, scene->segment_count, sizeof *scene->segments);
    dent_release(scene->context, scene->segment_radii, scene->segment_count, sizeof *scene->segment_radii);
    dent_release(scene->context, scene->used_vertices, scene->vertex_count, sizeof *scene->used_vertices);
    dent_scene_destroy(scene->scene);
    memset(scene, 0, sizeof *scene);
}
