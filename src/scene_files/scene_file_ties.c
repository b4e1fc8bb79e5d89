/* What holds bodies: fixed vertices, prescribed motion, attachments. */
#include "scene_file_parts.h"

#include "scenes/elementary_functions.h"

#include <math.h>
#include <string.h>

/* ---- which vertices ---------------------------------------------------------------------------------------------- */

struct selection {
    enum { SELECT_ALL, SELECT_BOX, SELECT_SPHERE } kind;
    double low[3], high[3], centre[3], radius;
};

static bool selected(const void *user, const double point[3])
{
    const struct selection *selection = user;
    double square = 0;
    for (int axis = 0; axis < 3; axis++) {
        if (selection->kind == SELECT_BOX &&
            !(point[axis] >= selection->low[axis] && point[axis] <= selection->high[axis])) {
            return false;
        }
        double offset = point[axis] - selection->centre[axis];
        square += offset * offset;
    }
    return selection->kind != SELECT_SPHERE || square <= selection->radius * selection->radius;
}

/* {"box": [[..], [..]]} or {"centre": [..], "radius": ..}. */
static void read_region(struct scene_reader *reader, located *value, struct selection *selection)
{
    static const char *const keys[] = {"box", "centre", "radius", NULL};
    if (!reader_object(reader, value, "a region", keys)) {
        return;
    }
    located *box = reader_member(reader, value, "box");
    if (!box) {
        selection->kind = SELECT_SPHERE;
        reader_vector(reader, reader_need(reader, value, "centre", "a region (\"box\", or \"centre\" and \"radius\")"),
                      QUANTITY_LENGTH, selection->centre);
        selection->radius = reader_bounded(reader, reader_need(reader, value, "radius", "a region around a centre"),
                                           QUANTITY_LENGTH, 0, 0, HUGE_VAL, "of at least 0");
        return;
    }
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

/* The vertices of a selection in a list of the plan's; `all` allowed as text. Returns how many, 0 is an error. */
static uint32_t read_vertices(struct scene_reader *reader, located *value, const dent_sim_body_def *body,
                              const uint32_t **vertices)
{
    uint32_t *list = plan_allocate(reader->plan, body->vertex_count, sizeof *list), count = 0;
    if (!list) {
        return 0;
    }
    if (json_is_array(value->json)) {
        for (located *item = reader_first(reader, value); item != NULL; item = reader_next(reader, item)) {
            uint32_t vertex = reader_count(reader, item, 0, body->vertex_count > 0 ? body->vertex_count - 1 : 0, 0);
            if (count == body->vertex_count) {
                reader_wrong(reader, item, "at most %u vertices were expected, as many as the body has",
                             body->vertex_count);
            } else {
                list[count++] = vertex;
            }
        }
    } else {
        struct selection selection = {.kind = SELECT_ALL};
        static const char *const words[] = {"all", NULL};
        if (json_is_string(value->json)) {
            reader_choice(reader, value, words);
        } else if (json_is_object(value->json)) {
            read_region(reader, value, &selection);
        } else {
            reader_wrong(
                reader, value,
                "vertices were expected: \"all\", [numbers], {\"box\": ...} or {\"centre\": ..., \"radius\": ...}");
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
        read_region(reader, value, &selection);
        for (uint32_t e = 0; reader_good(reader) && e < body->element_count; e++) {
            double middle[3];
            element_middle(body, e, middle);
            chosen[e] = selected(&selection, middle);
            count += chosen[e];
        }
    } else {
        reader_wrong(reader, value, "cells were expected: [numbers], {\"box\": ...} or {\"centre\": ..., \"radius\": ...}");
    }
    if (count == 0 && reader_good(reader)) {
        reader_wrong(reader, value, "at least one cell of \"%.60s\" was expected in it, and there is none", body->name);
    }
    return reader_good(reader);
}

void read_fixed_vertices(struct scene_reader *reader, located *value, dent_sim_body_def *body)
{
    if (!value || !reader_good(reader)) {
        return;
    }
    if (body->kind != DENT_SIM_SOLID && body->kind != DENT_SIM_CLOTH) {
        reader_wrong_key(reader, value, "only bodies of kind \"solid\" and \"cloth\" have fixed vertices");
        return;
    }
    body->fixed_count = read_vertices(reader, value, body, &body->fixed_vertices);
}

/* ---- motion ------------------------------------------------------------------------------------------------------ */

void read_rotation(struct scene_reader *reader, located *value, double quaternion[4])
{
    static const char *const keys[] = {"axis", "angle", NULL};
    double axis[3] = {0, 0, 1};
    if (!reader_object(reader, value, "a rotation", keys)) {
        return;
    }
    located *direction = reader_need(reader, value, "axis", "a rotation");
    reader_vector(reader, direction, QUANTITY_RATIO, axis);
    double angle = reader_bounded(reader, reader_need(reader, value, "angle", "a rotation"), QUANTITY_ANGLE, 0, -1e6,
                                  1e6, "of at most a million radians");
    double length = sqrt((axis[0] * axis[0] + axis[1] * axis[1]) + axis[2] * axis[2]);
    if (reader_good(reader) && !(length > 0 && length < HUGE_VAL)) {
        reader_wrong(reader, direction, "\"axis\": a direction [x, y, z] other than zero was expected");
        return;
    }
    struct scene_sine_cosine half = scene_sine_cosine(0.5 * angle);
    quaternion[0] = half.cosine;
    for (int i = 0; i < 3; i++) {
        quaternion[i + 1] = half.sine * (axis[i] / length);
    }
}

static void read_key(struct scene_reader *reader, located *value, dent_sim_keyframe *key,
                     const dent_sim_keyframe *before)
{
    static const char *const keys[] = {"time", "move", "rotate", NULL};
    if (!reader_object(reader, value, "a key of a motion", keys)) {
        return;
    }
    *key = plan_key(0, 0, 0, 0);
    located *time = reader_need(reader, value, "time", "a key of a motion");
    key->time = reader_quantity(reader, time, QUANTITY_TIME, 0);
    if (before && reader_good(reader) && !(key->time > before->time)) {
        reader_wrong(reader, time, "\"time\": ascending times were expected; %.9g comes after %.9g", key->time,
                     before->time);
    }
    reader_vector(reader, reader_member(reader, value, "move"), QUANTITY_LENGTH, key->translation);
    located *rotate = reader_member(reader, value, "rotate");
    if (rotate) {
        read_rotation(reader, rotate, key->rotation);
    }
}

void read_motion(struct scene_reader *reader, located *value, dent_sim_body_def *body)
{
    static const char *const keys[] = {"keys", "pivot", "repeat", NULL};
    if (!value || !reader_good(reader)) {
        return;
    }
    if (body->kind != DENT_SIM_PRESCRIBED && body->fixed_count == 0) {
        reader_wrong_key(reader, value,
                         "a motion goes with \"kind\": \"prescribed\" or with \"fixed\" vertices, which were expected");
        return;
    }
    if (!reader_object(reader, value, "a motion", keys)) {
        return;
    }
    located *list = reader_need(reader, value, "keys", "a motion");
    if (!list || !reader_array(reader, list, "keys")) {
        return;
    }
    size_t count = json_array_size(list->json);
    if (count == 0) {
        reader_wrong(reader, list, "\"keys\": at least one key was expected");
        return;
    }
    reader_vector(reader, reader_member(reader, value, "pivot"), QUANTITY_LENGTH, body->motion.pivot);
    body->motion.repeat = reader_boolean(reader, reader_member(reader, value, "repeat"), false);
    dent_sim_keyframe *frames = reader_good(reader) ? plan_keyframes(reader->plan, body, (uint32_t)count) : NULL;
    uint32_t index = 0;
    for (located *item = reader_first(reader, list); frames && item != NULL; item = reader_next(reader, item)) {
        read_key(reader, item, &frames[index], index > 0 ? &frames[index - 1] : NULL);
        index++;
    }
}

/* ---- attachments ------------------------------------------------------------------------------------------------- */

/* The vertex of `other` nearest to a point within reach; UINT32_MAX: none. */
static uint32_t nearest_vertex(const dent_sim_body_def *other, const double point[3], double reach)
{
    uint32_t nearest = UINT32_MAX;
    double least = reach * reach;
    for (uint32_t v = 0; v < other->vertex_count; v++) {
        double square = 0;
        for (int axis = 0; axis < 3; axis++) {
            double offset = other->positions[3 * (size_t)v + axis] - point[axis];
            square += offset * offset;
        }
        if (square <= least) {
            least = square;
            nearest = v;
        }
    }
    return nearest;
}

static double distance(const double a[3], const double b[3])
{
    double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return sqrt((x * x + y * y) + z * z);
}

struct tie_request {
    uint32_t body_a, body_b; /* body_b UINT32_MAX: space */
    double reach, compliance;
};

/* Ties one vertex; false when nothing is within reach. */
static bool tie_vertex(struct scene_reader *reader, const struct tie_request *request, uint32_t vertex)
{
    const struct sim_plan *plan = reader->plan;
    const double *point = plan->bodies[request->body_a].positions + 3 * (size_t)vertex;
    dent_sim_attachment tie = dent_sim_attachment_default();
    tie.body_a = request->body_a;
    tie.vertex_a = vertex;
    tie.body_b = request->body_b;
    tie.compliance = request->compliance;
    if (request->body_b == UINT32_MAX) {
        memcpy(tie.point, point, sizeof tie.point);
    } else {
        const dent_sim_body_def *other = &plan->bodies[request->body_b];
        uint32_t nearest = nearest_vertex(other, point, request->reach);
        if (nearest == UINT32_MAX) {
            return false;
        }
        tie.vertices_b[0] = nearest;
        tie.weights_b[0] = 1;
        tie.length = distance(point, other->positions + 3 * (size_t)nearest);
    }
    plan_add_attachment(reader->plan, &tie);
    return true;
}

struct listed {
    const uint32_t *vertices;
    uint32_t count;
    const double *positions;
    bool *marks; /* one per vertex of the body */
};

/* A region made of a list: the point is one of the body's own, so its place in the array tells its number. */
static bool is_listed(const void *user, const double point[3])
{
    const struct listed *list = user;
    return list->marks[(point - list->positions) / 3];
}

static bool mark_listed(struct scene_reader *reader, const dent_sim_body_def *body, struct listed *list)
{
    list->marks = plan_allocate(reader->plan, body->vertex_count, sizeof *list->marks);
    for (uint32_t i = 0; list->marks && i < list->count; i++) {
        list->marks[list->vertices[i]] = true;
    }
    return list->marks != NULL;
}

static void read_attachment(struct scene_reader *reader, located *value)
{
    static const char *const keys[] = {"body", "vertices", "to", "by", "reach", "compliance", NULL};
    static const char *const modes[] = {"cells", "vertices", NULL};
    if (!reader_object(reader, value, "an attachment", keys)) {
        return;
    }
    located *body = reader_need(reader, value, "body", "an attachment"),
            *to = reader_need(reader, value, "to", "an attachment");
    located *vertices = reader_need(reader, value, "vertices", "an attachment");
    if (!reader_good(reader)) {
        return;
    }
    const char *target = reader_text(reader, to, "");
    bool space = strcmp(target, "space") == 0;
    struct tie_request request = {.body_a = find_body(reader, body), .body_b = UINT32_MAX, .reach = HUGE_VAL};
    request.body_b = space ? UINT32_MAX : find_body(reader, to);
    if (reader_good(reader) && request.body_a == request.body_b) {
        reader_wrong(reader, to, "\"to\": another body was expected, or \"space\"");
    }
    request.compliance = reader_bounded(reader, reader_member(reader, value, "compliance"), QUANTITY_COMPLIANCE, 0, 0,
                                        HUGE_VAL, "of at least 0");
    request.reach = reader_bounded(reader, reader_member(reader, value, "reach"), QUANTITY_LENGTH, HUGE_VAL, 0,
                                   HUGE_VAL, "of at least 0");
    int mode = reader_choice(reader, reader_member(reader, value, "by"), modes);
    if (!reader_good(reader)) {
        return;
    }
    struct listed list = {.positions = reader->plan->bodies[request.body_a].positions};
    list.count = read_vertices(reader, vertices, &reader->plan->bodies[request.body_a], &list.vertices);
    bool cells = !space && reader_good(reader) && dent_body_kind_has_cells(reader->plan->bodies[request.body_b].mesh) &&
                 reader->plan->bodies[request.body_b].elements != DENT_SIM_HEXAHEDRA && mode != 1;
    if (mode == 0 && !cells && reader_good(reader)) {
        reader_wrong(reader, reader_member(reader, value, "by"),
                     "\"by\": \"vertices\" was expected: \"%.60s\" has no tetrahedra", target);
    }
    uint32_t tied = 0;
    if (reader_good(reader) && cells && mark_listed(reader, &reader->plan->bodies[request.body_a], &list)) {
        tied = plan_attach_to_cells(reader->plan, request.body_a, request.body_b, request.reach, request.compliance,
                                    is_listed, &list);
    }
    for (uint32_t i = 0; reader_good(reader) && !cells && i < list.count; i++) {
        tied += tie_vertex(reader, &request, list.vertices[i]);
    }
    if (reader_good(reader) && tied == 0) {
        reader_wrong(reader, to, "\"to\": something within \"reach\" of the vertices was expected, and there is none");
    }
}

void read_attachments(struct scene_reader *reader, located *attachments)
{
    for (located *value = reader_first(reader, attachments); value != NULL; value = reader_next(reader, value)) {
        read_attachment(reader, value);
    }
}
