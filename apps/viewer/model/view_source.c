/* view_source.c — what all sources of the viewer share: bodies and their surfaces, contacts of a world that stands
 * still. */
#include "view_source.h"

#include "view_clouds.h"
#include "view_partitions.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int view_fail(view_source *source, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(source->trouble, sizeof source->trouble, format, arguments);
    va_end(arguments);
    if (source->report != NULL) {
        source->report(source, source->trouble);
    }
    return VIEW_ERROR;
}

int view_fail_status(view_source *source, dent_status status)
{
    char words[VIEW_TROUBLE_SIZE];
    size_t length = dent_context_message(source->context, words, sizeof words);
    return view_fail(source, "%s", length > 0 ? words : dent_status_name(status));
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
    dent_context *context = source->context;
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
            for (int axis = 0; axis < 3 && isfinite(x[0] + x[1] + x[2]); axis++) {
                low[axis] = first || x[axis] < low[axis] ? x[axis] : low[axis];
                high[axis] = first || x[axis] > high[axis] ? x[axis] : high[axis];
            }
            first = first && !isfinite(x[0] + x[1] + x[2]);
        }
    }
    double half = 0;
    for (int axis = 0; axis < 3; axis++) {
        source->origin[axis] = 0.5 * low[axis] + 0.5 * high[axis];
        half = fmax(half, 0.5 * high[axis] - 0.5 * low[axis]);
    }
    find_unit(source, half);
    source->placed = !first;
}

static void follow(view_body *body, const view_body_def *told)
{
    body->name = told->name;
    body->positions = told->positions;
    body->vertex_numbers = told->vertex_numbers;
    body->radii = told->radii;
    body->normals = told->normals;
    body->element_numbers = told->element_numbers;
}

void view_source_follow(view_source *source, view_body_reader *read, const void *list)
{
    for (uint32_t i = 0; i < source->body_count; i++) {
        view_body_def told = read(source, list, i);
        follow(&source->bodies[i], &told);
    }
}

/* Strands are drawn with their radii, with the one for all, or with a tenth of their mean segment. */
static void describe_strands(view_source *source, view_body *body, double radius)
{
    double sum = 0;
    body->kind = "strands";
    body->segments = dent_body_edges(source->world, body->id, &body->segment_count);
    for (uint32_t i = 0; i < body->segment_count; i++) {
        const double *a = body->positions + 3 * (size_t)body->segments[i].v0;
        const double *b = body->positions + 3 * (size_t)body->segments[i].v1;
        sum += sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
    }
    body->radius = radius >= 0 ? radius : body->segment_count > 0 ? 0.1 * sum / body->segment_count : 0;
}

static bool describe_inside(view_source *source, view_body *body)
{
    dent_body_topology topology;
    body->closed = dent_body_get_topology(source->world, body->id, &topology) == DENT_OK && topology.surface_closed;
    body->depths = dent_allocate(source->context, body->vertex_count, sizeof *body->depths);
    if (body->depths != NULL) {
        memset(body->depths, 0, body->vertex_count * sizeof *body->depths);
    }
    return body->depths != NULL;
}

static bool describe_body(view_source *source, view_body *body, const view_body_def *told)
{
    body->id = told->id;
    body->solid = told->kind == DENT_BODY_SOLID;
    body->points = told->kind == DENT_BODY_POINTS;
    body->kind = body->solid ? "solid" : body->points ? "points" : "surface";
    body->vertex_count = told->vertex_count;
    body->element_count = told->element_count;
    follow(body, told);
    body->faces = dent_body_surface_faces(source->world, body->id, &body->face_count);
    if (told->kind == DENT_BODY_STRANDS) {
        describe_strands(source, body, told->radius);
    }
    return list_shown_vertices(source->context, body) && describe_inside(source, body);
}

int view_source_describe(view_source *source, view_body_reader *read, const void *list, uint32_t count)
{
    release_bodies(source);
    source->broken = true;
    source->bodies = dent_allocate(source->context, count, sizeof *source->bodies);
    if (source->bodies == NULL) {
        return view_fail(source, "out of memory");
    }
    memset(source->bodies, 0, count * sizeof *source->bodies);
    source->body_count = count;
    for (uint32_t i = 0; i < count; i++) {
        view_body_def told = read(source, list, i);
        if (!describe_body(source, &source->bodies[i], &told)) {
            return view_fail(source, "out of memory");
        }
    }
    source->broken = false;
    source->generation++;
    if (!source->placed) {
        find_origin(source);
    }
    return VIEW_GOOD;
}

void view_source_release(view_source *source)
{
    release_bodies(source);
    view_facts_release(source);
    dent_release(source->context, source->checked, source->checked_count, sizeof *source->checked);
    source->checked = NULL;
    source->checked_count = 0;
}

/* ---- contacts -------------------------------------------------------------------------------------------------- */

view_contact view_shown_contact(const view_source *source, const dent_contact *contact)
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
    def.cancel = source->cancel;
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
        view_contact shown = view_shown_contact(source, contact);
        if (!view_facts_add(source, &shown)) {
            return view_fail(source, "out of memory");
        }
        if (contact->vertices_a[1] == UINT32_MAX) {
            view_facts_deepen(source, contact->body_a, contact->vertices_a[0], shown.push);
        }
    }
    return VIEW_GOOD;
}
