/* view_stress.c — fields as colours: what a source knows of its cells or vertices, as one number for each vertex that is
 * shown. */
#include "view_frames.h"

#include <math.h>
#include <string.h>

static const char *const names[VIEW_MEASURE_COUNT] = {"none", "von-mises", "tension", "compression", "plastic-strain",
                                                     "speed",     "depth",       "distance",      "quality", "inverted"};

const char *view_measure_name(view_measure measure)
{
    return (unsigned)measure < VIEW_MEASURE_COUNT ? names[measure] : NULL;
}

bool view_find_measure(const char *name, view_measure *measure)
{
    for (int n = 0; n < VIEW_MEASURE_COUNT; n++) {
        if (strcmp(name, names[n]) == 0) {
            *measure = (view_measure)n;
            return true;
        }
    }
    return false;
}

bool view_measure_offered(const view_source *source, view_measure measure)
{
    bool solids = false, faces = false;
    for (uint32_t i = 0; i < source->body_count; i++) {
        solids = solids || source->bodies[i].solid;
        faces = faces || source->bodies[i].face_count > 0;
    }
    if (source->plain) {
        return measure == VIEW_MEASURE_NONE;
    }
    switch (measure) {
    case VIEW_MEASURE_NONE:
        return true;
    case VIEW_MEASURE_SPEED:
        return source->find_velocities != NULL;
    case VIEW_MEASURE_DEPTH:
    case VIEW_MEASURE_QUALITY:
        return faces;
    case VIEW_MEASURE_DISTANCE:
        return faces && source->body_count > 1;
    case VIEW_MEASURE_INVERTED:
        return solids;
    default:
        return source->find_stress != NULL;
    }
}

static bool is_of_vertices(view_measure measure)
{
    return measure >= VIEW_MEASURE_SPEED;
}

/* At a vertex the mean of the cells at the surface faces around it. */
static bool fill_body(const view_source *source, const view_body *body, const double *cells, float *out)
{
    dent_context *context = source->context;
    double *sums = dent_allocate(context, body->vertex_count, 2 * sizeof *sums);
    if (sums == NULL) {
        return false;
    }
    memset(sums, 0, body->vertex_count * 2 * sizeof *sums);
    for (uint32_t f = 0; f < body->face_count; f++) {
        for (int k = 0; k < 3; k++) {
            double *sum = sums + 2 * (size_t)body->faces[f].corners[k];
            sum[0] += cells[body->faces[f].cell];
            sum[1] += 1;
        }
    }
    for (uint32_t n = 0; n < body->shown_count; n++) {
        const double *sum = sums + 2 * (size_t)body->shown_vertices[n];
        double value = sum[1] > 0 ? sum[0] / sum[1] : -1;
        out[n] = (float)fmin(value, 1e38);
    }
    dent_release(context, sums, body->vertex_count, 2 * sizeof *sums);
    return true;
}

static bool append_field(view_source *source, view_measure measure, uint32_t index, float *out)
{
    dent_context *context = source->context;
    const view_body *body = &source->bodies[index];
    double *values = dent_allocate(context, body->vertex_count, sizeof *values);
    bool good = values != NULL && view_find_field(source, measure, index, values);
    for (uint32_t n = 0; n < body->shown_count && good; n++) {
        out[n] = (float)fmin(values[body->shown_vertices[n]], 1e38);
    }
    dent_release(context, values, body->vertex_count, sizeof *values);
    return good;
}

bool view_append_stress(view_source *source, view_measure measure, view_message *message)
{
    dent_context *context = source->context;
    bool good = true;
    for (uint32_t i = 0; i < source->body_count && good; i++) {
        const view_body *body = &source->bodies[i];
        if (is_of_vertices(measure)) {
            float *values = view_message_extend(message, body->shown_count * sizeof *values);
            good = values != NULL && append_field(source, measure, i, values);
            continue;
        }
        double *cells = dent_allocate(context, body->element_count, sizeof *cells);
        float *out = view_message_extend(message, body->shown_count * sizeof *out);
        good = cells != NULL && out != NULL;
        if (good && source->find_stress(source, measure, i, cells)) {
            good = fill_body(source, body, cells, out);
        } else if (good) {
            for (uint32_t n = 0; n < body->shown_count; n++) {
                out[n] = -1; /* none: it keeps its colour */
            }
        }
        dent_release(context, cells, body->element_count, sizeof *cells);
    }
    return good;
}
