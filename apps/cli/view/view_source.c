/* view_source.c — what all sources of the viewer share: bodies and their surfaces, contacts of a world that stands
 * still. */
#include "view_source.h"

#include "interrupt.h"
#include "series.h"
#include "tool.h"
#include "view_clouds.h"
#include "view_partitions.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int view_fail(view_source *source, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(source->trouble, sizeof source->trouble, format, arguments);
    va_end(arguments);
    return interrupt_seen() ? STATUS_ERROR : complain("view: %s", source->trouble); /* Ctrl-C is trouble enough */
}

/* ---- surfaces ------------------------------------------------------------------------------------------------- */

/* Numbers of the vertices that surface faces use, ascending. */
static bool list_shown_vertices(dent_context *context, view_body *body)
{
    uint8_t *used = dent_allocate(context, body->vertex_count + 1, 1);
    if (used == NULL) {
        return false;
    }
    memset(used, body->segments != NULL || body->points, body->vertex_count + 1);
    used[body->vertex_count] = 0;
    for (uint32_t i = 0; i < body->face_count; i++) {
        for (int k = 0; k < 3; k++) {
            used[body->faces[i].corners[k]] = 1;
        }
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < body->vertex_count; i++) {
        count += used[i];
    }
    body->shown_vertices = dent_allocate(context, count, sizeof *body->shown_vertices);
    if (body->shown_vertices != NULL) {
        body->shown_count = count;
        count = 0;
        for (uint32_t i = 0; i < body->vertex_count; i++) {
            if (used[i]) {
                body->shown_vertices[count++] = i;
            }
        }
    }
    dent_release(context, used, body->vertex_count + 1, 1);
    return body->shown_vertices != NULL;
}

static void release_bodies(view_source *source)
{
    dent_context *context = source->session->context;
    view_clouds_release(source);
    for (uint32_t i = 0; i < source->body_count; i++) {
        view_body *body = &source->bodies[i];
        dent_release(context, body->shown_vertices, body->shown_count, sizeof *body->shown_vertices);
        dent_release(context, body->depths, body->vertex_count, sizeof *body->depths);
    }
    dent_release(context, source->bodies, source->body_count, sizeof *source->bodies);
    dent_bound_tree_destroy(source->tree);
    source->tree = NULL;
    view_kinetic_close(source);
    source->bodies = NULL;
    source->body_count = 0;
}

/* Half the size of everything as a power of two: dividing by it changes no digit. The limits keep its inverse a number;
 * what is smaller still has 2^-1000 for a unit and floats to spare. No size: one. */
static void find_unit(view_source *source, double half)
{
    int exponent = 0;
    if (half > 0) {
        frexp(half, &exponent);
        exponent = exponent < -1000 ? -1000 : exponent > 1000 ? 1000 : exponent;
    }
    source->unit = ldexp(1, exponent);
    source->per_unit = ldexp(1, -exponent);
}

/* The middle of everything, so that floats relative to it are as fine as they can be. */
static void find_origin(view_source *source)
{
    double low[3] = {0}, high[3] = {0};
    bool first = true;
    for (uint32_t i = 0; i < source->body_count; i++) {
        const view_body *body = &source->bodies[i];
        for (uint32_t k = 0; k < body->shown_count; k++) {
            const double *x = body->positions + 3 * (size_t)body->shown_vertices[k];
            for (int axis = 0; axis < 3; axis++) {
                low[axis] = first || x[axis] < low[axis] ? x[axis] : low[axis];
                high[axis] = first || x[axis] > high[axis] ? x[axis] : high[axis];
            }
            first = false;
        }
    }
    double half = 0;
    for (int axis = 0; axis < 3; axis++) {
        source->origin[axis] = 0.5 * low[axis] + 0.5 * high[axis];
        half = fmax(half, 0.5 * high[axis] - 0.5 * low[axis]);
    }
    find_unit(source, half);
}

void view_source_follow(view_source *source, const loaded_body *bodies)
{
    for (uint32_t i = 0; i < source->body_count; i++) {
        source->bodies[i].name = bodies[i].name;
        source->bodies[i].positions = bodies[i].positions;
        source->bodies[i].vertex_numbers = bodies[i].vertex_numbers;
        source->bodies[i].radii = bodies[i].radii;
        source->bodies[i].normals = bodies[i].normals;
        source->bodies[i].element_numbers = bodies[i].element_numbers;
    }
}

/* Strands are drawn with the radii of their file, with --thickness, or with a tenth of their mean segment. */
static void describe_strands(view_source *source, view_body *body)
{
    double sum = 0;
    body->kind = "strands";
    body->segments = dent_body_edges(source->world, body->id, &body->segment_count);
    for (uint32_t i = 0; i < body->segment_count; i++) {
        const double *a = body->positions + 3 * (size_t)body->segments[i].v0;
        const double *b = body->positions + 3 * (size_t)body->segments[i].v1;
        sum += sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
    }
    body->radius = options_have(source->session->options, OPTION_THICKNESS) ? source->session->options->thickness
                   : body->segment_count > 0                                ? 0.1 * sum / body->segment_count
                                                                            : 0;
}

static bool describe_inside(view_source *source, view_body *body)
{
    dent_body_topology topology;
    body->closed = dent_body_get_topology(source->world, body->id, &topology) == DENT_OK && topology.surface_closed;
    body->depths = dent_allocate(source->session->context, body->vertex_count, sizeof *body->depths);
    if (body->depths != NULL) {
        memset(body->depths, 0, body->vertex_count * sizeof *body->depths);
    }
    return body->depths != NULL;
}

int view_source_describe(view_source *source, const loaded_body *bodies, uint32_t count)
{
    release_bodies(source);
    source->broken = true;
    source->bodies = dent_allocate(source->session->context, count, sizeof *source->bodies);
    if (source->bodies == NULL) {
        return view_fail(source, "out of memory");
    }
    memset(source->bodies, 0, count * sizeof *source->bodies);
    source->body_count = count;
    view_source_follow(source, bodies);
    for (uint32_t i = 0; i < count; i++) {
        view_body *body = &source->bodies[i];
        body->id = bodies[i].id;
        body->solid = bodies[i].kind == DENT_BODY_SOLID;
        body->points = bodies[i].kind == DENT_BODY_POINTS;
        body->kind = body->solid ? "solid" : body->points ? "points" : "surface";
        body->vertex_count = bodies[i].vertex_count;
        body->element_count = bodies[i].element_count;
        body->faces = dent_body_surface_faces(source->world, body->id, &body->face_count);
        if (bodies[i].kind == DENT_BODY_STRANDS) {
            describe_strands(source, body);
        }
        if (!list_shown_vertices(source->session->context, body) || !describe_inside(source, body)) {
            return view_fail(source, "out of memory");
        }
    }
    source->broken = false;
    if (source->generation++ == 0) {
        find_origin(source);
    }
    return STATUS_GOOD;
}

/* ---- contacts -------------------------------------------------------------------------------------------------- */

static view_contact shown_contact(const view_source *source, const dent_contact *contact)
{
    view_contact shown;
    memset(&shown, 0, sizeof shown);
    for (int axis = 0; axis < 3; axis++) {
        double middle = 0.5 * contact->point_a[axis] + 0.5 * contact->point_b[axis];
        shown.point[axis] = view_place(source, middle, axis);
        shown.normal[axis] = (float)contact->normal[axis];
    }
    shown.push = view_length(source, -contact->gap);
    shown.error = view_length(source, contact->error);
    shown.body_a = contact->body_a;
    shown.feature_a = contact->feature_a;
    shown.body_b = contact->body_b;
    shown.feature_b = contact->feature_b;
    return shown;
}

int view_source_ask_contacts(view_source *source)
{
    dent_contacts_def def = dent_contacts_def_default();
    dent_contacts found;
    uint64_t start = dent_clock_ns();
    def.cancel = interrupt_flag();
    if (view_source_has_strands(source)) { /* they have no inside: what is within their radii touches */
        def.penetration = false;
        def.proximity = true;
    }
    if (dent_world_find_contacts(source->world, &def, &found) != DENT_OK) {
        return view_fail(source, "%s", dent_world_message(source->world));
    }
    view_facts *facts = &source->facts;
    facts->ms_detect = facts->ms_total = (double)(dent_clock_ns() - start) * 1e-6;
    facts->contact_count = found.count;
    facts->push = found.scale_depth;
    facts->push_error = found.scale_error;
    facts->uncertain_push = found.uncertain_depth;
    view_facts_begin(source);
    for (uint64_t i = 0; i < found.count; i++) {
        const dent_contact *contact = &found.contacts[i];
        view_contact shown = shown_contact(source, contact);
        if (!view_facts_add(source, &shown)) {
            return view_fail(source, "out of memory");
        }
        if (contact->vertices_a[1] == UINT32_MAX) {
            view_facts_deepen(source, contact->body_a, contact->vertices_a[0], shown.push);
        }
    }
    return STATUS_GOOD;
}

/* ---- open and close --------------------------------------------------------------------------------------------- */

/* Endings that say how a file is written, not what is in it. */
static size_t length_without_endings(const char *name)
{
    static const char *const endings[] = {".xz", ".gz", ".tar", ".node", ".ele",  ".msh", ".mesh", ".vtk", ".vtu", ".vtp",
                                          ".pvd", ".obj", ".stl", ".ply", ".json", ".urdf", ".1",   ".tgz", ".off", ".inp"};
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        size_t ending = strlen(endings[i]);
        if (length > ending && strncmp(name + length - ending, endings[i], ending) == 0) {
            length -= ending;
            i = (size_t)-1; /* from the first again: another one may stand before it */
        }
    }
    return length;
}

void view_source_name(view_source *source, const tool_options *options)
{
    const char *path = options->arguments[0], *slash = strrchr(path, '/'), *name = path;
    if (slash != NULL && slash[1] != '\0') {
        name = slash + 1;
    }
    int length = (int)length_without_endings(name);
    source->path = path;
    if (options->argument_count > 1) {
        snprintf(source->title, sizeof source->title, "%.*s and %u more", length < 120 ? length : 120, name,
                 options->argument_count - 1);
    } else {
        snprintf(source->title, sizeof source->title, "%.*s", length, name);
    }
}

int view_source_open(view_source *source, tool_session *session)
{
    memset(source, 0, sizeof *source);
    source->session = session;
    source->find_contacts = view_source_ask_contacts;
    const tool_options *options = session->options;
    view_source_name(source, options);
    bool live = !view_names_recording(options) && view_names_simulation(options);
    if (options->deadline > 0 && !live) {
        return view_fail(source, "--deadline is for scenes that are simulated");
    }
    bool by_hand = options_have(options, OPTION_HAND);
    if (by_hand && (view_names_recording(options) || options_name_series(options))) {
        return view_fail(source, "--hand is for models and scenes that stand still, not for recordings");
    }
    int failed = by_hand                          ? view_hand_open(source)
                 : view_names_recording(options)    ? view_recording_open(source)
                 : view_names_simulation(options) ? view_simulation_open(source)
                 : options_name_series(options)   ? view_series_open(source)
                                                  : view_model_open(source);
    if (!failed && !source->live && options->frame >= source->frame_count && options->frame > 0) {
        failed = view_fail(source, "%s has %u frames, 0 to %u: there is no frame %u", options->arguments[0],
                           source->frame_count, source->frame_count - 1, options->frame);
    }
    if (failed) {
        view_source_close(source);
    }
    return failed;
}

void view_source_close(view_source *source)
{
    release_bodies(source);
    view_facts_release(source);
    dent_release(source->session->context, source->checked, source->checked_count, sizeof *source->checked);
    source->checked = NULL;
    source->checked_count = 0;
    if (source->close != NULL) {
        source->close(source);
    }
}
