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
};
enum { PARAMETER_COUNT = sizeof parameter_table / sizeof parameter_table[0] };

static const double default_inside = 0.075;

static int take_settings(const tool_options *options, const char *command, bench_model *model)
{
    model->copies = 0; /* not given */
    model->inside = model->shift = -1;
    model->wave = 0.5;
    for (uint32_t i = 0; i < options->setting_count; i++) {
        const dent_scene_setting *setting = &options->settings[i];
        const model_parameter *found = NULL;
        for (int p = 0; p < PARAMETER_COUNT; p++) {
            found = strcmp(parameter_table[p].name, setting->name) == 0 ? &parameter_table[p] : found;
        }
        if (found == NULL) {
            return complain("%s: files have no parameter '%s'; they have copies, inside, shift and wave", command,
                            setting->name);
        }
        if (!(setting->value >= found->lowest && setting->value <= found->highest)) {
            return complain("%s: %s=%g: give a number from %g to %g", command, found->name, setting->value,
                            found->lowest, found->highest);
        }
        *(double *)((char *)model + found->place) = setting->value;
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
    for (uint32_t i = 0; i < mesh->body_count; i++) {
        if (mesh->bodies[i].cell_kinds != NULL) {
            return complain("%s: has other cells than tetrahedra; bench cannot hand these to all contestants", file);
        }
    }
    model->bodies_per_copy += mesh->body_count;
    return STATUS_GOOD;
}

static int list_bodies(bench_model *model)
{
    model->copies = model->copies > 0 ? model->copies : model->bodies_per_copy == 1 ? 2 : 1;
    uint64_t count = (uint64_t)model->copies * model->bodies_per_copy;
    model->bodies = count < UINT32_MAX ? dent_allocate(model->context, (size_t)count, sizeof *model->bodies) : NULL;
    if (model->bodies == NULL) {
        return complain("%s: out of memory", model->name);
    }
    model->body_count = (uint32_t)count;
    uint32_t at = 0;
    for (uint32_t copy = 0; copy < (uint32_t)model->copies; copy++) {
        for (uint32_t m = 0; m < model->mesh_count; m++) {
            for (uint32_t i = 0; i < model->meshes[m]->body_count; i++) {
                const dent_mesh_body *body = &model->meshes[m]->bodies[i];
                model->bodies[at++] = (dent_scene_body){.name = body->name,
                                                        .kind = body->kind,
                                                        .vertex_count = body->vertex_count,
                                                        .element_count = body->element_count,
                                                        .element_corners = body->element_corners,
                                                        .reference = body->positions};
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
        uint32_t corners = body->kind == DENT_BODY_SOLID ? 4 : 3;
        for (size_t i = 0; i < 3 * (size_t)body->vertex_count; i++) {
            lo[i % 3] = fmin(lo[i % 3], body->reference[i]);
            hi[i % 3] = fmax(hi[i % 3], body->reference[i]);
        }
        for (size_t e = 0; e < body->element_count; e++) {
            const uint32_t *element = body->element_corners + e * corners;
            for (uint32_t c = 0; c < corners; c++) {
                const double *p = body->reference + 3 * (size_t)element[c];
                const double *q = body->reference + 3 * (size_t)element[(c + 1) % corners];
                sum += sqrt((p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) +
                            (p[2] - q[2]) * (p[2] - q[2]));
                edges += 1;
            }
        }
    }
    double x = hi[0] - lo[0], y = hi[1] - lo[1], z = hi[2] - lo[2];
    double diagonal = sqrt(x * x + y * y + z * z);
    model->length = diagonal > 0 && isfinite(diagonal) ? diagonal : 1;
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
    model->meshes = dent_allocate(model->context, count, sizeof *model->meshes);
    model->mesh_capacity = model->meshes != NULL ? count : 0;
    status = model->meshes != NULL ? STATUS_GOOD : complain("%s: out of memory", command);
    printer_flush(session->out);
    interrupt_at_once(true);
    for (uint32_t i = 0; i < count && status == STATUS_GOOD; i++) {
        status = read_file(session, model, files[i]);
    }
    interrupt_at_once(false);
    if (status == STATUS_GOOD && model->bodies_per_copy == 0) {
        status = complain("%s: no cells and no triangles in it", files[0]);
    }
    if (status == STATUS_GOOD) {
        status = list_bodies(model);
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
    dent_release(model->context, model->meshes, model->mesh_capacity, sizeof *model->meshes);
    dent_release(model->context, model->bodies, model->body_count, sizeof *model->bodies);
    memset(model, 0, sizeof *model);
}

/* ---- motion ---------------------------------------------------------------------------------------------- */

/* Like a sine of `turns` full turns, of two parabolas: between -1 and 1, smooth, nothing but exact-rounded operations. */
static double parabola_wave(double turns)
{
    double part = turns - floor(turns);
    return part < 0.5 ? 16 * part * (0.5 - part) : -16 * (part - 0.5) * (1 - part);
}

void bench_model_pose(const bench_model *model, uint32_t body, uint32_t frame, double *positions)
{
    const dent_scene_body *shape = &model->bodies[body];
    uint32_t copy = body / model->bodies_per_copy;
    double time = (double)(frame % MODEL_FRAMES) / MODEL_FRAMES + 0.37 * copy;
    double waves = 2 / model->length; /* two waves over the diagonal */
    double shift = model->shift * model->length * copy;
    for (size_t v = 0; v < shape->vertex_count; v++) {
        const double *p = shape->reference + 3 * v;
        double *q = positions + 3 * v;
        q[0] = p[0] + model->height * parabola_wave(waves * p[1] + time) + 0.8 * shift;
        q[1] = p[1] + model->height * parabola_wave(waves * p[2] + 2 * time) + 0.48 * shift;
        q[2] = p[2] + model->height * parabola_wave(waves * p[0] + 3 * time) + 0.36 * shift;
    }
}
