/* view_frames.c — builds the messages of view_protocol.h. Text is JSON, numbers go as they lie in memory. */
#include "view_frames.h"

#include "interrupt.h"
#include "tool.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- text ------------------------------------------------------------------------------------------------------- */

typedef struct text {
    view_message *message;
    bool failed;
} text;

static void add_text(text *into, const char *string)
{
    into->failed = into->failed || !view_message_append(into->message, string, strlen(string));
}

static void add_number(text *into, double number)
{
    char buffer[40];
    snprintf(buffer, sizeof buffer, isfinite(number) ? "%.17g" : "null", number);
    add_text(into, buffer);
}

/* The bytes of the UTF-8 character at `s` when there are more than one; 0: it is none. Longer forms than needed,
 * surrogates and what lies beyond U+10FFFF do not count. */
static int utf8_length(const unsigned char *s)
{
    int length = s[0] >= 0xc2 && s[0] <= 0xdf   ? 2
                 : s[0] >= 0xe0 && s[0] <= 0xef ? 3
                 : s[0] >= 0xf0 && s[0] <= 0xf4 ? 4
                                                : 0;
    for (int i = 1; i < length; i++) {
        if ((s[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    bool bad = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf0 && s[1] < 0x90) ||
               (s[0] == 0xf4 && s[1] > 0x8f);
    return bad ? 0 : length;
}

/* Quoted; what is neither printable ASCII nor UTF-8 is escaped or becomes '?'. */
static void add_string(text *into, const char *string)
{
    add_text(into, "\"");
    for (; *string != '\0'; string++) {
        unsigned char c = (unsigned char)*string;
        char buffer[8] = {(char)c, '\0'};
        int length = utf8_length((const unsigned char *)string);
        if (length > 0) {
            memcpy(buffer, string, (size_t)length);
            buffer[length] = '\0';
            add_text(into, buffer);
            string += length - 1;
            continue;
        }
        if (c == '"' || c == '\\') {
            snprintf(buffer, sizeof buffer, "\\%c", c);
        } else if (c == '\n') {
            snprintf(buffer, sizeof buffer, "\\n");
        } else if (c < 0x20 || c >= 0x7f) {
            buffer[0] = '?';
        }
        add_text(into, buffer);
    }
    add_text(into, "\"");
}

static text begin_text(view_message_kind kind)
{
    text made = {view_message_create(4096), false};
    made.failed =
        made.message == NULL || !view_message_word(made.message, (uint32_t)kind) || !view_message_word(made.message, 0);
    return made;
}

static view_message *end_text(text *made)
{
    if (made->failed) {
        view_message_drop(made->message);
        return NULL;
    }
    return made->message;
}

/* ---- the opening ------------------------------------------------------------------------------------------------- */

static void add_body(text *into, const view_body *body)
{
    add_text(into, "{\"name\":");
    add_string(into, body->name);
    add_text(into, ",\"kind\":");
    add_string(into, body->kind);
    add_text(into, ",\"vertices\":");
    add_number(into, body->vertex_count);
    add_text(into, ",\"elements\":");
    add_number(into, body->element_count);
    add_text(into, ",\"faces\":");
    add_number(into, body->face_count);
    add_text(into, ",\"segments\":");
    add_number(into, body->segment_count);
    add_text(into, "}");
}

static view_message *make_hello(const view_source *source)
{
    text hello = begin_text(VIEW_HELLO);
    if (hello.failed) {
        return end_text(&hello);
    }
    add_text(&hello, "{\"version\":");
    add_number(&hello, VIEW_PROTOCOL_VERSION);
    add_text(&hello, ",\"dent\":");
    add_string(&hello, dent_version());
    add_text(&hello, ",\"title\":");
    add_string(&hello, source->title);
    add_text(&hello, ",\"live\":");
    add_text(&hello, source->live ? "true" : "false");
    add_text(&hello, ",\"frames\":");
    add_number(&hello, source->frame_count);
    add_text(&hello, ",\"frameSeconds\":");
    add_number(&hello, source->frame_seconds);
    if (source->length_unit != NULL) {
        add_text(&hello, ",\"lengthUnit\":");
        add_string(&hello, source->length_unit);
    }
    if (source->verdict[0] != '\0') {
        add_text(&hello, ",\"verdict\":");
        add_string(&hello, source->verdict);
    }
    add_text(&hello, ",\"origin\":[");
    for (int axis = 0; axis < 3; axis++) {
        add_text(&hello, axis > 0 ? "," : "");
        add_number(&hello, source->origin[axis]);
    }
    add_text(&hello, "],\"unit\":");
    add_number(&hello, source->unit);
    add_text(&hello, ",\"questions\":[");
    for (unsigned i = 0; i < DENT_DISCRETE_QUESTION_COUNT; i++) {
        add_text(&hello, i > 0 ? "," : "");
        add_string(&hello, dent_question_info_at(i)->name);
    }
    add_text(&hello, "],\"structures\":[");
    for (unsigned i = 0; i < DENT_STRUCTURE_COUNT; i++) {
        add_text(&hello, i > 0 ? "," : "");
        add_string(&hello, dent_structure_name((dent_structure)i));
    }
    for (uint32_t i = 0; i < VIEW_TREE_COUNT; i++) {
        if (!view_trees[i].wisps || view_source_has_strands(source)) {
            add_text(&hello, ",");
            add_string(&hello, view_trees[i].name);
        }
    }
    add_text(&hello, "],\"bodies\":[");
    for (uint32_t i = 0; i < source->body_count; i++) {
        add_text(&hello, i > 0 ? "," : "");
        add_body(&hello, &source->bodies[i]);
    }
    add_text(&hello, "],\"measures\":[");
    for (int i = 0; i < VIEW_MEASURE_COUNT && source->find_stress != NULL; i++) {
        add_text(&hello, i > 0 ? "," : "");
        add_string(&hello, view_measure_name((view_measure)i));
    }
    add_text(&hello, "],\"probes\":[");
    for (uint32_t i = 0; i < source->probe_count; i++) {
        add_text(&hello, i > 0 ? ",{\"name\":" : "{\"name\":");
        add_string(&hello, source->probes[i].name);
        add_text(&hello, ",\"columns\":");
        add_number(&hello, source->probes[i].column_count);
        add_text(&hello, "}");
    }
    add_text(&hello, "]}");
    return end_text(&hello);
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

int view_send_opening(view_source *source, view_server *server)
{
    uint32_t count = source->body_count + 1;
    view_message **messages = dent_allocate(source->session->context, count, sizeof *messages);
    bool good = messages != NULL;
    uint32_t made = 0;
    while (good && made < count) {
        messages[made] = made == 0 ? make_hello(source) : make_topology(source, made - 1);
        good = messages[made] != NULL;
        made += good;
    }
    good = good && view_server_set_opening(server, messages, count);
    while (!good && made > 0) {
        view_message_drop(messages[--made]);
    }
    dent_release(source->session->context, messages, count, sizeof *messages);
    return good ? STATUS_GOOD : view_fail(source, "out of memory");
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
    dent_context *context = source->session->context;
    for (uint32_t i = 0; marks != NULL && i < source->body_count; i++) {
        dent_release(context, marks[i].faces, source->bodies[i].face_count, 1);
        dent_release(context, marks[i].vertices, source->bodies[i].vertex_count, 1);
    }
    dent_release(context, marks, source->body_count, sizeof *marks);
}

static marking *make_marks(const view_source *source)
{
    dent_context *context = source->session->context;
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
    def.cancel = interrupt_flag();
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
        (find && source->find_contacts(source) != STATUS_GOOD)) { /* said; the bodies can be seen all the same */
        source->facts.sent = 0;
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
    bool stressed = requests->measure != VIEW_MEASURE_NONE && source->find_stress != NULL && !pending;
    good = good && (!stressed || view_append_stress(source, requests->measure, message));
    if (!good || !append_probes(source, message)) {
        view_message_drop(message);
        view_fail(source, "out of memory");
        return NULL;
    }
    if (requests->question != 0 && !pending) {
        header.pair_count = requests->pair_count;
        header.flags |= VIEW_FLAG_MARKS;
    }
    header.flags |= stressed ? VIEW_FLAG_STRESS : 0;
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

view_message *view_make_state(const view_settings *requests, double speed)
{
    text state = begin_text(VIEW_STATE);
    if (state.failed) {
        return end_text(&state);
    }
    add_text(&state, "{\"question\":");
    add_string(&state, question_word(requests));
    add_text(&state, ",\"structure\":");
    add_string(&state, structure_word(requests));
    add_text(&state, ",\"body\":");
    add_number(&state, requests->structure_body);
    add_text(&state, ",\"level\":");
    add_number(&state, requests->structure_level);
    add_text(&state, ",\"measure\":");
    add_string(&state, view_measure_name(requests->measure));
    add_text(&state, ",\"speed\":");
    add_number(&state, speed);
    add_text(&state, "}");
    return end_text(&state);
}

view_message *view_make_trouble(const char *words)
{
    text note = begin_text(VIEW_NOTE);
    if (!note.failed) {
        add_text(&note, "{\"trouble\":");
        add_string(&note, words);
        add_text(&note, "}");
    }
    return end_text(&note);
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
    text note = begin_text(VIEW_NOTE);
    if (note.failed || body >= source->body_count || number >= source->bodies[body].face_count) {
        add_text(&note, "{}");
        return end_text(&note);
    }
    const dent_surface_face *face = &source->bodies[body].faces[number];
    say_face(words, &source->bodies[body], body, face);
    say_place(words, source, &source->bodies[body], face);
    uint32_t met = say_contacts(words, source, body, number);
    add_text(&note, "{\"body\":");
    add_number(&note, body);
    add_text(&note, ",\"face\":");
    add_number(&note, number);
    add_text(&note, ",\"cell\":");
    add_number(&note, file_number(source->bodies[body].element_numbers, face->cell));
    add_text(&note, ",\"text\":");
    add_string(&note, words);
    add_text(&note, ",\"contacts\":");
    add_number(&note, met);
    add_text(&note, "}");
    return end_text(&note);
}
