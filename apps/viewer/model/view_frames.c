/* view_frames.c — builds the messages of view_protocol.h. Text is JSON, numbers go as they lie in memory. */
#include "view_frames.h"

#include "../server/view_text.h"
#include "view_clouds.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- the opening ------------------------------------------------------------------------------------------------- */

static void add_body(view_text *into, const view_body *body)
{
    view_text_add(into, "{\"name\":");
    view_text_string(into, body->name);
    view_text_add(into, ",\"kind\":");
    view_text_string(into, body->kind);
    view_text_add(into, ",\"vertices\":");
    view_text_number(into, body->vertex_count);
    view_text_add(into, ",\"elements\":");
    view_text_number(into, body->element_count);
    view_text_add(into, ",\"faces\":");
    view_text_number(into, body->face_count);
    view_text_add(into, ",\"segments\":");
    view_text_number(into, body->segment_count);
    view_text_add(into, body->closed ? ",\"closed\":true" : ",\"closed\":false");
    view_text_add(into, "}");
}

static void add_checked(view_text *into, const view_source *source, const view_checked_pair *pair)
{
    view_text_add(into, "{\"a\":");
    view_text_number(into, pair->body_a);
    view_text_add(into, ",\"b\":");
    view_text_number(into, pair->body_b);
    view_text_add(into, pair->penetrates ? ",\"penetrates\":true,\"count\":" : ",\"penetrates\":false,\"count\":");
    view_text_number(into, (double)pair->elements);
    view_text_add(into, ",\"depth\":");
    view_text_number(into, pair->depth);
    for (int axis = 0; axis < 3; axis++) {
        view_text_add(into, axis == 0 ? ",\"at\":[" : ",");
        view_text_number(into, (double)view_place(source, pair->deepest[axis], axis));
    }
    view_text_add(into, "]}");
}

static void add_joints(view_text *hello, const view_source *source)
{
    view_text_add(hello, ",\"joints\":[");
    for (uint32_t i = 0; i < source->joint_count; i++) {
        const view_joint *joint = &source->joints[i];
        view_text_add(hello, i > 0 ? ",{\"name\":" : "{\"name\":");
        view_text_string(hello, joint->name);
        if (joint->part != UINT32_MAX) {
            view_text_add(hello, ",\"part\":");
            view_text_number(hello, joint->part);
        }
        view_text_add(hello, joint->angle ? ",\"angle\":true,\"lower\":" : ",\"angle\":false,\"lower\":");
        view_text_number(hello, joint->lower);
        view_text_add(hello, ",\"upper\":");
        view_text_number(hello, joint->upper);
        view_text_add(hello, ",\"value\":");
        view_text_number(hello, joint->value);
        view_text_add(hello, "}");
    }
    view_text_add(hello, "]");
}

static view_message *make_hello(const view_source *source)
{
    view_text hello = view_text_begin(VIEW_HELLO);
    if (hello.failed) {
        return view_text_end(&hello);
    }
    view_text_add(&hello, "{\"version\":");
    view_text_number(&hello, VIEW_PROTOCOL_VERSION);
    view_text_add(&hello, ",\"dent\":");
    view_text_string(&hello, dent_version());
    view_text_add(&hello, ",\"title\":");
    view_text_string(&hello, source->title);
    view_text_add(&hello, ",\"path\":");
    view_text_string(&hello, source->path != NULL ? source->path : "");
    view_text_add(&hello, ",\"live\":");
    view_text_add(&hello, source->live ? "true" : "false");
    view_text_add(&hello, ",\"frames\":");
    view_text_number(&hello, source->frame_count);
    view_text_add(&hello, ",\"frameSeconds\":");
    view_text_number(&hello, source->frame_seconds);
    if (source->length_unit != NULL) {
        view_text_add(&hello, ",\"lengthUnit\":");
        view_text_string(&hello, source->length_unit);
    }
    if (source->verdict[0] != '\0') {
        view_text_add(&hello, ",\"verdict\":");
        view_text_string(&hello, source->verdict);
    }
    view_text_add(&hello, ",\"origin\":[");
    for (int axis = 0; axis < 3; axis++) {
        view_text_add(&hello, axis > 0 ? "," : "");
        view_text_number(&hello, source->origin[axis]);
    }
    view_text_add(&hello, "],\"unit\":");
    view_text_number(&hello, source->unit);
    view_text_add(&hello, ",\"questions\":[");
    for (unsigned i = 0; i < DENT_DISCRETE_QUESTION_COUNT && !source->plain; i++) {
        view_text_add(&hello, i > 0 ? "," : "");
        view_text_string(&hello, dent_question_info_at(i)->name);
    }
    view_text_add(&hello, "],\"structures\":[");
    for (unsigned i = 0; i < DENT_STRUCTURE_COUNT && !source->plain; i++) {
        view_text_add(&hello, i > 0 ? "," : "");
        view_text_string(&hello, dent_structure_name((dent_structure)i));
    }
    for (uint32_t i = 0; i < VIEW_TREE_COUNT && !source->plain; i++) {
        if (view_tree_offered(source, &view_trees[i])) {
            view_text_add(&hello, ",");
            view_text_string(&hello, view_trees[i].name);
        }
    }
    view_text_add(&hello, "],\"bodies\":[");
    for (uint32_t i = 0; i < source->body_count; i++) {
        view_text_add(&hello, i > 0 ? "," : "");
        add_body(&hello, &source->bodies[i]);
    }
    view_text_add(&hello, "],\"measures\":[");
    for (int i = 0; i < VIEW_MEASURE_COUNT; i++) {
        if (view_measure_offered(source, (view_measure)i)) {
            view_text_add(&hello, i > 0 ? "," : "");
            view_text_string(&hello, view_measure_name((view_measure)i));
        }
    }
    view_text_add(&hello, "],\"checked\":[");
    for (uint32_t i = 0; i < source->checked_count; i++) {
        view_text_add(&hello, i > 0 ? "," : "");
        add_checked(&hello, source, &source->checked[i]);
    }
    view_text_add(&hello, "],\"probes\":[");
    for (uint32_t i = 0; i < source->probe_count; i++) {
        view_text_add(&hello, i > 0 ? ",{\"name\":" : "{\"name\":");
        view_text_string(&hello, source->probes[i].name);
        view_text_add(&hello, ",\"columns\":");
        view_text_number(&hello, source->probes[i].column_count);
        view_text_add(&hello, "}");
    }
    view_text_add(&hello, "]");
    if (source->has_hand) {
        view_text_add(&hello, ",\"hand\":{\"body\":");
        view_text_number(&hello, source->hand);
        view_text_add(&hello, ",\"stiffness\":");
        view_text_number(&hello, source->hand_stiffness);
        view_text_add(&hello, "}");
    }
    if (source->joint_count > 0) {
        add_joints(&hello, source);
    }
    view_text_add(&hello, "}");
    return view_text_end(&hello);
}

static uint32_t place_of(const view_body *body, uint32_t vertex)
{
    uint32_t low = 0, high = body->shown_count - 1;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (body->shown_vertices[middle] < vertex) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Which vertices begin a segment, and how thick they are: one float per vertex, in units, negative at the tips. A radius
 * of 0 has a sign, too, as the smallest float. */
static bool append_radii(const view_source *source, const view_body *body, view_message *message)
{
    float *out = view_message_extend(message, sizeof *out * (size_t)body->vertex_count);
    for (uint32_t v = 0; out != NULL && v < body->vertex_count; v++) {
        out[v] = -fmaxf(view_length(source, body->radii != NULL ? body->radii[v] : body->radius), FLT_MIN);
    }
    for (uint32_t i = 0; out != NULL && i < body->segment_count; i++) {
        out[body->segments[i].v0] = -out[body->segments[i].v0];
    }
    return out != NULL;
}

static view_message *make_topology(const view_source *source, uint32_t index)
{
    const view_body *body = &source->bodies[index];
    uint32_t head[5] = {VIEW_TOPOLOGY, 0, index, body->shown_count, body->face_count};
    view_message *message =
        view_message_create(sizeof head + 4 * ((size_t)body->shown_count + 3 * (size_t)body->face_count));
    if (message == NULL) {
        return NULL;
    }
    bool good = view_message_append(message, head, sizeof head) &&
                view_message_append(message, body->shown_vertices, 4 * (size_t)body->shown_count);
    for (uint32_t i = 0; i < body->face_count && good; i++) {
        uint32_t corners[3];
        for (int k = 0; k < 3; k++) {
            corners[k] = place_of(body, body->faces[i].corners[k]);
        }
        good = view_message_append(message, corners, sizeof corners);
    }
    good = good && (body->segments == NULL || append_radii(source, body, message));
    if (!good) {
        view_message_drop(message);
        return NULL;
    }
    return message;
}

int view_make_opening(view_source *source, view_message **messages)
{
    uint32_t made = 0;
    bool good = true;
    while (good && made <= source->body_count) {
        messages[made] = made == 0 ? make_hello(source) : make_topology(source, made - 1);
        good = messages[made] != NULL;
        made += good;
    }
    while (!good && made > 0) {
        view_message_drop(messages[--made]);
    }
    return good ? VIEW_GOOD : view_fail(source, "out of memory");
}

int view_send_opening(view_source *source, view_server *server)
{
    uint32_t count = source->body_count + 1;
    view_message **messages = dent_allocate(source->context, count, sizeof *messages);
    int failed = messages != NULL ? view_make_opening(source, messages) : view_fail(source, "out of memory");
    if (!failed && !view_server_set_opening(server, messages, count)) {
        for (uint32_t i = 0; i < count; i++) {
            view_message_drop(messages[i]);
        }
        failed = view_fail(source, "out of memory");
    }
    dent_release(source->context, messages, count, sizeof *messages);
    return failed;
}

/* ---- pairs as marks ---------------------------------------------------------------------------------------------- */

static void mark_cell(const view_body *body, uint32_t cell, uint8_t *marks)
{
    uint32_t low = 0, high = body->face_count; /* faces are ordered by cell */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (body->faces[middle].cell < cell) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    for (; low < body->face_count && body->faces[low].cell == cell; low++) {
        marks[low] = 1;
    }
}

/* Vertices inside something mark their faces through a byte per vertex. */
typedef struct marking {
    uint8_t *faces, *vertices;
} marking;

static void mark_feature(const view_source *source, dent_feature_kind kind, uint32_t body, uint32_t feature,
                         const marking *marks)
{
    if (kind == DENT_FEATURE_VERTEX) {
        marks[body].vertices[feature] = 1;
    } else if (kind == DENT_FEATURE_FACE) {
        marks[body].faces[feature] = 1;
    } else {
        mark_cell(&source->bodies[body], feature, marks[body].faces);
    }
}

static void mark_pairs(const view_source *source, dent_question question, const dent_pair_list *list,
                       const marking *marks)
{
    const dent_feature_pair *sides = &dent_question_get_info(question)->features[0];
    for (uint64_t i = 0; i < list->count; i++) {
        const dent_pair *pair = &list->pairs[i];
        mark_feature(source, sides->a, pair->body_a, pair->feature_a, marks);
        mark_feature(source, sides->b, pair->body_b, pair->feature_b, marks);
    }
    for (uint32_t i = 0; i < source->body_count; i++) {
        const view_body *body = &source->bodies[i];
        for (uint32_t k = 0; k < body->face_count; k++) {
            const uint32_t *corners = body->faces[k].corners;
            marks[i].faces[k] |=
                marks[i].vertices[corners[0]] | marks[i].vertices[corners[1]] | marks[i].vertices[corners[2]];
        }
    }
}

static bool append_marks(const view_source *source, const marking *marks, view_message *message)
{
    bool good = true;
    for (uint32_t i = 0; i < source->body_count && good; i++) {
        size_t size = source->bodies[i].face_count;
        good = view_message_append(message, marks[i].faces, size) &&
               view_message_append(message, NULL, (4 - size % 4) % 4);
    }
    return good;
}

static void release_marks(const view_source *source, marking *marks)
{
    dent_context *context = source->context;
    for (uint32_t i = 0; marks != NULL && i < source->body_count; i++) {
        dent_release(context, marks[i].faces, source->bodies[i].face_count, 1);
        dent_release(context, marks[i].vertices, source->bodies[i].vertex_count, 1);
    }
    dent_release(context, marks, source->body_count, sizeof *marks);
}

static marking *make_marks(const view_source *source)
{
    dent_context *context = source->context;
    marking *marks = dent_allocate(context, source->body_count, sizeof *marks);
    if (marks == NULL) {
        return NULL;
    }
    memset(marks, 0, source->body_count * sizeof *marks);
    for (uint32_t i = 0; i < source->body_count; i++) {
        const view_body *body = &source->bodies[i];
        marks[i].faces = dent_allocate(context, body->face_count, 1);
        marks[i].vertices = dent_allocate(context, body->vertex_count, 1);
        if (marks[i].faces == NULL || marks[i].vertices == NULL) {
            release_marks(source, marks);
            return NULL;
        }
        memset(marks[i].faces, 0, body->face_count);
        memset(marks[i].vertices, 0, body->vertex_count);
    }
    return marks;
}

/* A query that fails takes its question back and leaves a frame without marks; false only: out of memory. */
static bool append_pairs(view_source *source, view_settings *requests, view_message *message)
{
    dent_query_def def = dent_query_def_default();
    dent_query_result result;
    def.questions = requests->question;
    def.no_details = true;
    def.cancel = source->cancel;
    if (dent_world_query(source->world, &def, &result) != DENT_OK) {
        view_fail(source, "%s", dent_world_message(source->world));
        requests->question = 0;
        return true;
    }
    const dent_pair_list *list = dent_query_result_list(&result, requests->question);
    requests->pair_count = list->count < UINT32_MAX ? (uint32_t)list->count : UINT32_MAX - 1;
    marking *marks = make_marks(source);
    bool good = marks != NULL;
    if (good) {
        mark_pairs(source, requests->question, list, marks);
        good = append_marks(source, marks, message);
    }
    release_marks(source, marks);
    return good;
}

/* ---- frames ------------------------------------------------------------------------------------------------------ */

static bool append_positions(const view_source *source, view_message *message)
{
    const double middle[3] = {source->origin[0], source->origin[1], source->origin[2]}, per_unit = source->per_unit;
    for (uint32_t i = 0; i < source->body_count; i++) {
        const view_body *body = &source->bodies[i];
        float *out = view_message_extend(message, 12 * (size_t)body->shown_count);
        if (out == NULL) {
            return false;
        }
        for (uint32_t k = 0; k < body->shown_count; k++, out += 3) {
            const double *x = body->positions + 3 * (size_t)body->shown_vertices[k];
            out[0] = (float)((x[0] - middle[0]) * per_unit);
            out[1] = (float)((x[1] - middle[1]) * per_unit);
            out[2] = (float)((x[2] - middle[2]) * per_unit);
        }
    }
    return true;
}

/* What positions and contacts take; marks, which are rare, are left to grow. */
static size_t frame_size(const view_source *source)
{
    size_t size = sizeof(view_frame_header) + source->facts.sent * sizeof(view_contact);
    for (uint32_t i = 0; i < source->body_count; i++) {
        size += 12 * (size_t)source->bodies[i].shown_count;
    }
    return size;
}

static view_frame_header make_header(const view_source *source, uint32_t sequence, uint32_t flags)
{
    const view_facts *facts = &source->facts;
    view_frame_header header = {
        .kind = VIEW_FRAME,
        .sequence = sequence,
        .time = facts->time,
        .push = facts->push,
        .kinetic = facts->kinetic,
        .elastic = facts->elastic,
        .ms_detect = facts->ms_detect,
        .ms_respond = facts->ms_respond,
        .ms_total = facts->ms_total,
        .published_ns = dent_clock_ns(),
        .frame = source->frame,
        .frame_count = source->frame_count,
        .body_count = source->body_count,
        .contact_count = facts->contact_count < UINT32_MAX ? (uint32_t)facts->contact_count : UINT32_MAX,
        .contacts_sent = facts->sent,
        .pair_count = UINT32_MAX,
        .flags = flags | (source->live ? VIEW_FLAG_LIVE : 0),
        .topology = source->generation,
        .push_error = facts->push_error,
        .uncertain_push = facts->uncertain_push,
    };
    return header;
}

static bool append_probes(const view_source *source, view_message *message)
{
    bool good = true;
    for (uint32_t i = 0; i < source->probe_count && good; i++) {
        const view_probe *probe = &source->probes[i];
        good = view_message_append(message, probe->values, probe->column_count * sizeof *probe->values);
    }
    return good;
}

view_message *view_make_frame(view_source *source, view_settings *requests, uint32_t sequence, uint32_t flags)
{
    bool pending = (flags & VIEW_FLAG_PENDING) != 0, find = !pending && source->moved;
    if (pending ||
        (find && source->find_contacts(source) != VIEW_GOOD)) { /* said; the bodies can be seen all the same */
        view_facts_begin(source);
        source->facts.contact_count = 0;
        source->facts.push = source->facts.push_error = source->facts.uncertain_push = 0;
    }
    source->moved = source->moved && pending;
    view_frame_header header = make_header(source, sequence, flags);
    view_message *message = view_message_create(frame_size(source));
    bool good = message != NULL && view_message_append(message, &header, sizeof header) &&
                append_positions(source, message) &&
                view_message_append(message, source->facts.contacts, source->facts.sent * sizeof(view_contact));
    if (good && requests->question != 0 && !pending) {
        good = append_pairs(source, requests, message);
    }
    bool stressed =
        requests->measure != VIEW_MEASURE_NONE && view_measure_offered(source, requests->measure) && !pending;
    good = good && (!stressed || view_append_stress(source, requests->measure, message)) &&
           view_message_word(message, source->facts.pair_count) &&
           view_message_append(message, source->facts.pairs, source->facts.pair_count * sizeof(view_body_pair));
    bool clouded = good && !pending && view_source_has_clouds(source) && view_append_clouds(source, find, message);
    bool marked = source->append_markers != NULL;
    good = good && (!marked || source->append_markers(source, message));
    if (!good || !append_probes(source, message)) {
        view_message_drop(message);
        view_fail(source, "out of memory");
        return NULL;
    }
    if (requests->question != 0 && !pending) {
        header.pair_count = requests->pair_count;
        header.flags |= VIEW_FLAG_MARKS;
    }
    header.flags |= (stressed ? VIEW_FLAG_STRESS : 0) | (clouded ? VIEW_FLAG_CLOUDS : 0) | (marked ? VIEW_FLAG_MARKERS : 0);
    memcpy(message->bytes, &header, sizeof header);
    return message;
}

/* ---- what all pages share -------------------------------------------------------------------------------------- */

static const char *question_word(const view_settings *requests)
{
    return requests->question != 0 ? dent_question_name(requests->question) : "none";
}

static const char *structure_word(const view_settings *requests)
{
    return !requests->structure_wanted ? "none"
           : requests->tree != NULL    ? requests->tree->name
                                       : dent_structure_name(requests->structure);
}

/* [a, b, volume, a, b, volume …] of the pairs that `dent check` would name; null while they are looked for. */
static void add_volumes(view_text *state, const view_source *source)
{
    view_text_add(state, source->volumes_known ? ",\"volumes\":[" : ",\"volumes\":null");
    const char *before = "";
    for (uint32_t i = 0; i < source->checked_count && source->volumes_known; i++) {
        const view_checked_pair *pair = &source->checked[i];
        const double numbers[3] = {pair->body_a, pair->body_b, pair->volume};
        for (int k = 0; k < 3 && isfinite(pair->volume); k++, before = ",") {
            view_text_add(state, before);
            view_text_number(state, numbers[k]);
        }
    }
    view_text_add(state, source->volumes_known ? "]" : "");
}

view_message *view_make_state(const view_source *source, const view_settings *requests, double speed)
{
    view_text state = view_text_begin(VIEW_STATE);
    if (state.failed) {
        return view_text_end(&state);
    }
    view_text_add(&state, "{\"question\":");
    view_text_string(&state, question_word(requests));
    view_text_add(&state, ",\"structure\":");
    view_text_string(&state, structure_word(requests));
    view_text_add(&state, ",\"body\":");
    view_text_number(&state, requests->structure_body);
    view_text_add(&state, ",\"level\":");
    view_text_number(&state, requests->structure_level);
    view_text_add(&state, ",\"measure\":");
    view_text_string(&state, view_measure_name(requests->measure));
    view_text_add(&state, ",\"speed\":");
    view_text_number(&state, speed);
    if (requests->up != 0) {
        const char axis[2] = {requests->up, '\0'};
        view_text_add(&state, ",\"up\":");
        view_text_string(&state, axis);
    }
    if (source->find_volumes != NULL && source->checked_count > 0) {
        add_volumes(&state, source);
    }
    view_text_add(&state, "}");
    return view_text_end(&state);
}

view_message *view_make_trouble(const char *words)
{
    view_text note = view_text_begin(VIEW_NOTE);
    if (!note.failed) {
        view_text_add(&note, "{\"trouble\":");
        view_text_string(&note, words);
        view_text_add(&note, "}");
    }
    return view_text_end(&note);
}

/* ---- picks ------------------------------------------------------------------------------------------------------- */

static bool touches(const view_contact *contact, uint32_t body, const dent_surface_face *face, uint32_t number)
{
    bool as_a =
        contact->body_a == body && (contact->feature_a == face->corners[0] || contact->feature_a == face->corners[1] ||
                                    contact->feature_a == face->corners[2]);
    bool as_b = contact->body_b == body && (contact->feature_b == face->cell || contact->feature_b == number);
    return as_a || as_b;
}

static uint32_t file_number(const uint32_t *numbers, uint32_t index)
{
    return numbers != NULL ? numbers[index] : index;
}

enum { NOTE_LIMIT = 2048, NAME_SHOWN = 1024 };

/* Appends to the text of a note; what does not fit is left out. */
static void say(char note[NOTE_LIMIT], const char *format, ...)
{
    size_t used = strlen(note);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(note + used, NOTE_LIMIT - used, format, arguments);
    va_end(arguments);
}

static void say_face(char note[NOTE_LIMIT], const view_body *body, uint32_t index, const dent_surface_face *face)
{
    uint32_t element = file_number(body->element_numbers, face->cell);
    say(note, "body %u: %.*s\n%s %u\nvertices %u, %u, %u\n", index, NAME_SHOWN, body->name,
        body->solid ? "cell" : "triangle", element, file_number(body->vertex_numbers, face->corners[0]),
        file_number(body->vertex_numbers, face->corners[1]), file_number(body->vertex_numbers, face->corners[2]));
    if (body->solid) {
        say(note, "face %u/%u\n", element, face->corner);
    }
}

/* Where the middle of the face is, in the model's own units, with as many digits as tell places apart that differ by
 * 1e-4 of the model. */
static void say_place(char note[NOTE_LIMIT], const view_source *source, const view_body *body,
                      const dent_surface_face *face)
{
    double middle[3] = {0}, largest = 0;
    for (int axis = 0; axis < 3; axis++) {
        for (int k = 0; k < 3; k++) {
            middle[axis] += body->positions[3 * (size_t)face->corners[k] + (size_t)axis] / 3;
        }
        largest = fmax(largest, fabs(middle[axis]));
    }
    double digits = 5 + ceil(log10(fmax(largest * source->per_unit, 1)));
    int shown = digits < 17 ? (int)digits : 17;
    say(note, "at %.*g, %.*g, %.*g\n", shown, middle[0], shown, middle[1], shown, middle[2]);
}

/* Returns how many contacts the face has. */
static uint32_t say_contacts(char note[NOTE_LIMIT], const view_source *source, uint32_t body, uint32_t number)
{
    enum { SHOWN = 12 };
    uint32_t met = 0;
    for (uint32_t i = 0; i < source->facts.sent; i++) {
        const view_contact *contact = &source->facts.contacts[i];
        if (touches(contact, body, &source->bodies[body].faces[number], number) && met++ < SHOWN) {
            say(note, "contact %u:%u with %u:%u, push %.4g", contact->body_a, contact->feature_a, contact->body_b,
                contact->feature_b, (double)contact->push * source->unit);
            say(note, contact->error > 0 ? " ± %.2g\n" : "\n", (double)contact->error * source->unit);
        }
    }
    if (met == 0) {
        say(note, "no contact here");
    } else if (met > SHOWN) {
        say(note, "… %u contacts in all", met);
    }
    return met;
}

view_message *view_describe_face(const view_source *source, uint32_t body, uint32_t number)
{
    char words[NOTE_LIMIT] = "";
    view_text note = view_text_begin(VIEW_NOTE);
    if (note.failed || body >= source->body_count || number >= source->bodies[body].face_count) {
        view_text_add(&note, "{}");
        return view_text_end(&note);
    }
    const dent_surface_face *face = &source->bodies[body].faces[number];
    say_face(words, &source->bodies[body], body, face);
    say_place(words, source, &source->bodies[body], face);
    uint32_t met = say_contacts(words, source, body, number);
    view_text_add(&note, "{\"body\":");
    view_text_number(&note, body);
    view_text_add(&note, ",\"face\":");
    view_text_number(&note, number);
    view_text_add(&note, ",\"cell\":");
    view_text_number(&note, file_number(source->bodies[body].element_numbers, face->cell));
    view_text_add(&note, ",\"text\":");
    view_text_string(&note, words);
    view_text_add(&note, ",\"contacts\":");
    view_text_number(&note, met);
    view_text_add(&note, "}");
    return view_text_end(&note);
}
