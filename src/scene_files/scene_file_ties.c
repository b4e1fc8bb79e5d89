/* What holds bodies: fixed vertices, prescribed motion, attachments. */
#include "scene_file_parts.h"

#include "scenes/elementary_functions.h"

#include <math.h>
#include <string.h>

/* ---- fixed vertices ----------------------------------------------------------------------------------------------- */

void read_fixed_vertices(struct scene_reader *reader, located *value, uint32_t number)
{
    dent_sim_body_def *body = &reader->plan->bodies[number];
    if (!value || !reader_good(reader)) {
        return;
    }
    if (body->kind != DENT_SIM_SOLID && body->kind != DENT_SIM_CLOTH && body->kind != DENT_SIM_STRANDS) {
        reader_wrong_key(reader, value, "only bodies of kind \"solid\", \"cloth\" and \"strands\" have fixed vertices");
        return;
    }
    body->fixed_count = read_vertices(reader, value, number, &body->fixed_vertices);
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
    list.count = read_vertices(reader, vertices, request.body_a, &list.vertices);
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
