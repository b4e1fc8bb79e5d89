/* bench_model.c — reads mesh files and makes them move. */
#include "bench_model.h"

#include "interrupt.h"
#include "tool.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- parameters ------------------------------------------------------------------------------------------ */

typedef struct model_parameter {
    const char *name;
    double lowest, highest;
    size_t place; /* in bench_model */
} model_parameter;

static const model_parameter parameter_table[] = {
    {"copies", 1, 1000, offsetof(bench_model, copies)},
    {"inside", 0, 0.8, offsetof(bench_model, inside)},
    {"shift", 0, 100, offsetof(bench_model, shift)},
    {"wave", 0, 100, offsetof(bench_model, wave)},
    {"self", 0, 1, offsetof(bench_model, self)},
};
enum { PARAMETER_COUNT = sizeof parameter_table / sizeof parameter_table[0] };

static const double default_inside = 0.075;

static int take_settings(const tool_options *options, const char *command, bench_model *model)
{
    model->copies = 0; /* not given */
    model->inside = model->shift = -1;
    model->wave = 0.5;
    model->self = 1;
    bool wave_given = false;
    for (uint32_t i = 0; i < options->setting_count; i++) {
        const dent_scene_setting *setting = &options->settings[i];
        const model_parameter *found = NULL;
        for (int p = 0; p < PARAMETER_COUNT; p++) {
            found = strcmp(parameter_table[p].name, setting->name) == 0 ? &parameter_table[p] : found;
        }
        if (found == NULL) {
            return complain("%s: files have no parameter '%s'; they have copies, inside, shift, wave and self", command,
                            setting->name);
        }
        if (!(setting->value >= found->lowest && setting->value <= found->highest)) {
            return complain("%s: %s=%g: give a number from %g to %g", command, found->name, setting->value,
                            found->lowest, found->highest);
        }
        *(double *)((char *)model + found->place) = setting->value;
        wave_given = wave_given || strcmp(found->name, "wave") == 0;
    }
    model->motion = options->bench_motion;
    if (model->motion != BENCH_MOTION_DEFORM) {
        if (wave_given) {
            return complain("%s: wave is the height of deforming waves: it needs --motion deform", command);
        }
        model->wave = 0;
    }
    if (model->self <= 0 && (options_have(options, OPTION_PEERS) || options_have(options, OPTION_FASTEST_PEER))) {
        return complain("%s: self=0 goes without peers: they take all bodies as one", command);
    }
    if (model->inside >= 0 && model->shift >= 0) {
        return complain("%s: inside and shift exclude each other: inside finds the shift", command);
    }
    model->copies = floor(model->copies);
    return STATUS_GOOD;
}

/* ---- files ----------------------------------------------------------------------------------------------- */

/* "Armadillo13K", or "Tooth_L1_Dentin+54". */
static void name_model(bench_model *model, const char *first, uint32_t count)
{
    const char *slash = strrchr(first, '/');
    char stem[MODEL_NAME_SIZE - 16];
    snprintf(stem, sizeof stem, "%s", slash != NULL ? slash + 1 : first);
    stem[strcspn(stem, ".")] = '\0';
    for (char *c = stem; *c != '\0'; c++) {
        *c = *c == ',' || *c == '"' ? '_' : *c; /* it goes into tables */
    }
    if (count > 1) {
        snprintf(model->name, sizeof model->name, "%s+%u", stem, count - 1);
    } else {
        snprintf(model->name, sizeof model->name, "%s", stem);
    }
}

static int take_bodies(bench_model *model, const dent_mesh *mesh, const char *file)
{
    for (uint32_t i = 0; i < mesh->body_count; i++) {
        if (mesh->bodies[i].cell_kinds != NULL) {
            return complain("%s: has other cells than tetrahedra; bench cannot hand these to all contestants", file);
        }
    }
    model->bodies_per_copy += mesh->body_count;
    return STATUS_GOOD;
}

static int read_file(tool_session *session, bench_model *model, const char *file)
{
    dent_mesh_read_def def = dent_mesh_read_def_default();
    def.merge = options_have(session->options, OPTION_MERGE);
    dent_mesh *mesh = NULL;
    dent_status status = dent_mesh_read(model->context, file, &def, &mesh);
    if (status != DENT_OK) {
        session_forget_notices(session);
        return complain("%s", session_message(session, status));
    }
    session_print_notices(session);
    model->meshes[model->mesh_count++] = mesh;
    return take_bodies(model, mesh, file);
}

/* ---- series ---------------------------------------------------------------------------------------------- */

enum { SERIES_FRAMES = 5 };

/* The frames from number --frame on, until there are --frames of them or one has other elements. */
static int read_frames(tool_session *session, bench_model *model, dent_frames *series)
{
    dent_mesh_read_def def = dent_mesh_read_def_default();
    def.merge = options_have(session->options, OPTION_MERGE);
    uint32_t first = 0, count = dent_frames_count(series);
    while (first + 1 < count && dent_frame_number(series, first) < session->options->frame) {
        first++;
    }
    if (dent_frame_number(series, first) < session->options->frame) {
        return complain("%s has %u frames, numbered %llu to %llu: there is none from %u on", dent_frame_name(series, 0),
                        count, (unsigned long long)dent_frame_number(series, 0),
                        (unsigned long long)dent_frame_number(series, count - 1), session->options->frame);
    }
    for (uint32_t i = first; i < count && model->frame_count < model->frame_capacity; i++) {
        dent_mesh *mesh = NULL;
        dent_status status = dent_frame_read(series, i, &def, &mesh);
        if (status != DENT_OK) {
            session_forget_notices(session);
            return complain("%s", session_message(session, status));
        }
        if (model->frame_count > 0 && dent_mesh_compare(model->frames[0], mesh) != DENT_MESH_SAME_TOPOLOGY) {
            dent_mesh_destroy(model->context, mesh);
            remark("%s: has other elements than the frame before it: the series ends there",
                   dent_frame_name(series, i));
            break;
        }
        model->frames[model->frame_count++] = mesh;
    }
    session_forget_notices(session);
    return take_bodies(model, model->frames[0], dent_frame_name(series, first));
}

static int read_series(tool_session *session, const char *command, const char *name, bench_model *model)
{
    if (session->options->setting_count > 0) {
        return complain("%s: --set is for scenes and single files; the frames of %s are as they are", command, name);
    }
    model->wave = 0;
    model->copies = 1;
    model->frame_capacity = session->options->frames > 0 ? session->options->frames : SERIES_FRAMES;
    model->frames = dent_allocate(model->context, model->frame_capacity, sizeof *model->frames);
    if (model->frames == NULL) {
        model->frame_capacity = 0;
        return complain("%s: out of memory", command);
    }
    dent_frames *series;
    dent_status opened = dent_frames_open(model->context, 1, &name, &series);
    if (opened != DENT_OK) {
        return complain("%s", session_message(session, opened));
    }
    int status = read_frames(session, model, series);
    dent_frames_close(series);
    return status;
}

static bool has_strands(const bench_model *model)
{
    bool found = false;
    for (uint32_t m = 0; m < model->mesh_count + model->frame_count; m++) {
        const dent_mesh *mesh = m < model->mesh_count ? model->meshes[m] : model->frames[m - model->mesh_count];
        for (uint32_t i = 0; i < mesh->body_count; i++) {
            found = found || mesh->bodies[i].kind == DENT_BODY_STRANDS;
        }
    }
    return found;
}

/* As in load_world.c: what is asked for, or a tenth of the mean segment. */
static double thickness_of(const tool_options *options, const dent_mesh_body *body)
{
    double sum = 0;
    if (body->kind != DENT_BODY_STRANDS) {
        return DENT_THICKNESS_FROM_QUERY;
    }
    for (uint32_t i = 0; i < body->element_count; i++) {
        const double *p = body->positions + 3 * (size_t)body->element_corners[2 * (size_t)i],
                     *q = body->positions + 3 * (size_t)body->element_corners[2 * (size_t)i + 1];
        double x = q[0] - p[0], y = q[1] - p[1], z = q[2] - p[2];
        sum += sqrt((x * x + y * y) + z * z);
    }
    double thickness = body->element_count > 0 ? 0.1 * (sum / body->element_count) : 0;
    return options_have(options, OPTION_THICKNESS) ? options->thickness : thickness < INFINITY ? thickness : 0;
}

static int list_bodies(const tool_options *options, bench_model *model)
{
    model->copies = model->copies > 0 ? model->copies : model->bodies_per_copy == 1 && !has_strands(model) ? 2 : 1;
    uint64_t count = (uint64_t)model->copies * model->bodies_per_copy;
    bool few = count < UINT32_MAX;
    model->bodies = few ? dent_allocate(model->context, (size_t)count, sizeof *model->bodies) : NULL;
    model->radii = few ? dent_allocate(model->context, (size_t)count, sizeof *model->radii) : NULL;
    model->body_count = few ? (uint32_t)count : 0;
    if (model->bodies == NULL || model->radii == NULL) {
        return complain("%s: out of memory", model->name);
    }
    uint32_t at = 0;
    for (uint32_t copy = 0; copy < (uint32_t)model->copies; copy++) {
        for (uint32_t m = 0; m < model->mesh_count + (model->frame_count > 0); m++) {
            const dent_mesh *mesh = model->frame_count > 0 ? model->frames[0] : model->meshes[m];
            for (uint32_t i = 0; i < mesh->body_count; i++) {
                const dent_mesh_body *body = &mesh->bodies[i];
                model->radii[at] = body->radii;
                model->bodies[at++] = (dent_scene_body){.name = body->name,
                                                        .kind = body->kind,
                                                        .vertex_count = body->vertex_count,
                                                        .element_count = body->element_count,
                                                        .element_corners = body->element_corners,
                                                        .reference = body->positions,
                                                        .strand_count = body->strand_count,
                                                        .first = body->first,
                                                        .thickness = thickness_of(options, body)};
            }
        }
    }
    return STATUS_GOOD;
}

/* The diagonal of the model and the mean edge of its elements. */
static void measure(bench_model *model)
{
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    double sum = 0, edges = 0;
    for (uint32_t b = 0; b < model->bodies_per_copy; b++) {
        const dent_scene_body *body = &model->bodies[b];
        uint32_t corners = dent_body_kind_get_info(body->kind)->corner_count;
        for (size_t i = 0; i < 3 * (size_t)body->vertex_count; i++) {
            lo[i % 3] = fmin(lo[i % 3], body->reference[i]);
            hi[i % 3] = fmax(hi[i % 3], body->reference[i]);
        }
        for (size_t e = 0; e < body->element_count; e++) {
            const uint32_t *element = body->element_corners + e * corners;
            for (uint32_t c = 0; c < corners; c++) {
                const double *p = body->reference + 3 * (size_t)element[c];
                const double *q = body->reference + 3 * (size_t)element[(c + 1) % corners];
                sum +=
                    sqrt((p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) + (p[2] - q[2]) * (p[2] - q[2]));
                edges += 1;
            }
        }
    }
    double x = hi[0] - lo[0], y = hi[1] - lo[1], z = hi[2] - lo[2];
    double diagonal = sqrt(x * x + y * y + z * z);
    model->length = diagonal > 0 && isfinite(diagonal) ? diagonal : 1;
    for (int axis = 0; axis < 3; axis++) {
        double middle = 0.5 * lo[axis] + 0.5 * hi[axis];
        model->centre[axis] = isfinite(middle) ? middle : 0;
    }
    model->height = edges > 0 ? model->wave * sum / edges : 0;
}

int bench_model_open(tool_session *session, const char *command, const char *const *files, uint32_t count,
                     bench_model *model)
{
    memset(model, 0, sizeof *model);
    model->context = session->context;
    int status = take_settings(session->options, command, model);
    if (status != STATUS_GOOD) {
        return status;
    }
    name_model(model, files[0], count);
    for (uint32_t i = 0; i < count; i++) {
        if (count > 1 && dent_path_is_series(files[i])) {
            return complain("%s: %s is a series of frames: measure it alone", command, files[i]);
        }
    }
    model->meshes = dent_allocate(model->context, count, sizeof *model->meshes);
    model->mesh_capacity = model->meshes != NULL ? count : 0;
    status = model->meshes != NULL ? STATUS_GOOD : complain("%s: out of memory", command);
    printer_flush(session->out);
    interrupt_at_once(true);
    if (status == STATUS_GOOD && dent_path_is_series(files[0])) {
        status = read_series(session, command, files[0], model);
    } else {
        for (uint32_t i = 0; i < count && status == STATUS_GOOD; i++) {
            status = read_file(session, model, files[i]);
        }
    }
    interrupt_at_once(false);
    if (status == STATUS_GOOD && model->bodies_per_copy == 0) {
        status = complain("%s: no cells and no triangles in it", files[0]);
    }
    if (status == STATUS_GOOD) {
        status = list_bodies(session->options, model);
    }
    if (status == STATUS_GOOD) {
        measure(model);
        bool solid = false;
        for (uint32_t i = 0; i < model->bodies_per_copy; i++) {
            solid = solid || model->bodies[i].kind == DENT_BODY_SOLID;
        }
        /* Without cells nothing is inside; then copies stand a tenth of the model apart. */
        model->inside = model->shift < 0 && solid && model->inside < 0 ? default_inside : model->inside;
        model->inside = model->shift < 0 && solid && model->copies > 1 ? model->inside : -1;
        model->shift = model->shift < 0 ? 0.1 : model->shift;
    } else {
        bench_model_close(model);
    }
    return status;
}

void bench_model_close(bench_model *model)
{
    for (uint32_t i = 0; i < model->mesh_count; i++) {
        dent_mesh_destroy(model->context, model->meshes[i]);
    }
    for (uint32_t i = 0; i < model->frame_count; i++) {
        dent_mesh_destroy(model->context, model->frames[i]);
    }
    dent_release(model->context, model->frames, model->frame_capacity, sizeof *model->frames);
    dent_release(model->context, model->meshes, model->mesh_capacity, sizeof *model->meshes);
    dent_release(model->context, model->bodies, model->body_count, sizeof *model->bodies);
    dent_release(model->context, model->radii, model->body_count, sizeof *model->radii);
    memset(model, 0, sizeof *model);
}

/* ---- motion ---------------------------------------------------------------------------------------------- */

/* Like a sine of `turns` full turns, of two parabolas: between -1 and 1, smooth, nothing but exact-rounded operations.
 */
static double parabola_wave(double turns)
{
    double part = turns - floor(turns);
    return part < 0.5 ? 16 * part * (0.5 - part) : -16 * (part - 0.5) * (1 - part);
}

rigid_swing rigid_swing_at(double time, const double centre[3], double size)
{
    static const double axis[3] = {2.0 / 7, 3.0 / 7, 6.0 / 7}; /* a unit vector */
    double wave = parabola_wave(time), half = 0.05 * wave;     /* the tangent of half the angle */
    double cosine = (1 - half * half) / (1 + half * half), sine = 2 * half / (1 + half * half);
    rigid_swing swing = {.centre = {centre[0], centre[1], centre[2]}, .drift = 0.01 * size * wave};
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        swing.rows[i][i] = cosine + (1 - cosine) * axis[i] * axis[i];
        swing.rows[i][j] = (1 - cosine) * axis[i] * axis[j] - sine * axis[k];
        swing.rows[i][k] = (1 - cosine) * axis[i] * axis[k] + sine * axis[j];
    }
    return swing;
}

void rigid_swing_move(const rigid_swing *swing, size_t count, const double *from, double *to)
{
    for (size_t v = 0; v < count; v++) {
        double p[3];
        for (int axis = 0; axis < 3; axis++) {
            p[axis] = from[3 * v + axis] - swing->centre[axis];
        }
        for (int axis = 0; axis < 3; axis++) {
            const double *row = swing->rows[axis];
            to[3 * v + axis] = swing->centre[axis] + ((row[0] * p[0] + row[1] * p[1]) + row[2] * p[2]) + swing->drift;
        }
    }
}

/* The frame of a series, or the shape of the file, without motion. */
static const double *still_positions(const bench_model *model, uint32_t body, uint32_t frame)
{
    return model->frame_count > 0 ? model->frames[frame % model->frame_count]->bodies[body].positions
                                  : model->bodies[body].reference;
}

void bench_model_pose(const bench_model *model, uint32_t body, uint32_t frame, double *positions)
{
    uint32_t copy = body / model->bodies_per_copy;
    size_t vertex_count = model->bodies[body].vertex_count;
    const double *still = still_positions(model, body, model->motion == BENCH_MOTION_DEFORM ? frame : 0);
    double time = (double)(frame % MODEL_FRAMES) / MODEL_FRAMES + 0.37 * copy;
    memcpy(positions, still, 3 * vertex_count * sizeof *positions);
    if (model->motion == BENCH_MOTION_RIGID) {
        rigid_swing swing = rigid_swing_at(time, model->centre, model->length);
        rigid_swing_move(&swing, vertex_count, still, positions);
    }
    if (model->frame_count > 0) {
        return;
    }
    double waves = 2 / model->length; /* two waves over the diagonal */
    double shift = model->shift * model->length * copy;
    for (size_t v = 0; v < vertex_count; v++) {
        const double *p = still + 3 * v;
        double *q = positions + 3 * v;
        q[0] = q[0] + model->height * parabola_wave(waves * p[1] + time) + 0.8 * shift;
        q[1] = q[1] + model->height * parabola_wave(waves * p[2] + 2 * time) + 0.48 * shift;
        q[2] = q[2] + model->height * parabola_wave(waves * p[0] + 3 * time) + 0.36 * shift;
    }
}
