/* Typed reading of located JSON; each function knows what it expects and says so. */
#include "scene_reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

bool reader_good(const struct scene_reader *reader)
{
    return reader->plan->status == DENT_OK;
}

static void wrong_at(struct scene_reader *reader, uint32_t line, uint32_t column, const char *format, va_list arguments)
{
    char text[700];
    vsnprintf(text, sizeof text, format, arguments);
    if (reader_good(reader)) {
        plan_note(reader->plan, located_wrong(&reader->document, line, column, "%s", text));
    }
}

void reader_wrong(struct scene_reader *reader, located *at, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    wrong_at(reader, at->line, at->column, format, arguments);
    va_end(arguments);
}

void reader_wrong_key(struct scene_reader *reader, located *at, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    wrong_at(reader, at->key ? at->key_line : at->line, at->key ? at->key_column : at->column, format, arguments);
    va_end(arguments);
}

located *reader_first(const struct scene_reader *reader, located *parent)
{
    bool none = !reader_good(reader) || !parent || parent->first_child == LOCATED_NONE;
    return none ? NULL : &reader->document.values[parent->first_child];
}

located *reader_next(const struct scene_reader *reader, located *value)
{
    return !reader_good(reader) || value->next == LOCATED_NONE ? NULL : &reader->document.values[value->next];
}

static const char *type_name(located *value)
{
    switch (json_typeof(value->json)) {
    case JSON_OBJECT:
        return "an object";
    case JSON_ARRAY:
        return "an array";
    case JSON_STRING:
        return "text";
    case JSON_INTEGER:
    case JSON_REAL:
        return "a number";
    case JSON_NULL:
        return "null";
    default:
        return "true or false";
    }
}

/* How messages call a value: by its key where it has one. */
static void call_it(located *value, char *text, size_t size)
{
    if (value->key) {
        snprintf(text, size, "\"%.60s\": ", value->key);
    } else {
        text[0] = '\0';
    }
}

/* ---- suggestions ------------------------------------------------------------------------------------------------- */

static size_t edit_distance(const char *a, const char *b)
{
    enum { ROW = 32 };
    size_t row[ROW], length = strlen(b);
    if (length >= ROW) {
        return ROW;
    }
    for (size_t j = 0; j <= length; j++) {
        row[j] = j;
    }
    for (size_t i = 0; a[i] != '\0'; i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 0; j < length; j++) {
            size_t changed = diagonal + (a[i] != b[j]);
            size_t shorter = (row[j] < row[j + 1] ? row[j] : row[j + 1]) + 1;
            diagonal = row[j + 1];
            row[j + 1] = changed < shorter ? changed : shorter;
        }
    }
    return row[length];
}

/* "; did you mean "x"?" or the list of what there is, for messages. */
static void reader_suggest(const char *word, const char *const *words, char *text, size_t size)
{
    const char *best = NULL;
    size_t best_distance = strlen(word) / 3 + 2;
    for (const char *const *at = words; *at != NULL; at++) {
        size_t distance = edit_distance(word, *at);
        if (distance < best_distance) {
            best = *at;
            best_distance = distance;
        }
    }
    if (best) {
        snprintf(text, size, "did you mean \"%s\"?", best);
        return;
    }
    size_t used = (size_t)snprintf(text, size, "expected %s ", words[0] && words[1] ? "one of" : "is");
    for (const char *const *at = words; *at != NULL && used < size; at++) {
        used += (size_t)snprintf(text + used, size - used, "%s%s", at == words ? "" : ", ", *at);
    }
}

/* ---- structure --------------------------------------------------------------------------------------------------- */

bool reader_object(struct scene_reader *reader, located *value, const char *what, const char *const *keys)
{
    if (!reader_good(reader)) {
        return false;
    }
    if (!json_is_object(value->json)) {
        reader_wrong(reader, value, "%s was expected, an object { ... }, not %s", what, type_name(value));
        return false;
    }
    for (located *member = reader_first(reader, value); member != NULL; member = reader_next(reader, member)) {
        bool known = false;
        for (const char *const *key = keys; *key != NULL && !known; key++) {
            known = strcmp(*key, member->key) == 0;
        }
        if (!known) {
            char suggestion[500];
            reader_suggest(member->key, keys, suggestion, sizeof suggestion);
            reader_wrong_key(reader, member, "%s has no key \"%.60s\"; %s", what, member->key, suggestion);
        }
    }
    return reader_good(reader);
}

bool reader_array(struct scene_reader *reader, located *value, const char *what)
{
    if (reader_good(reader) && !json_is_array(value->json)) {
        char name[80];
        call_it(value, name, sizeof name);
        reader_wrong(reader, value, "%san array of %s was expected, not %s", name, what, type_name(value));
    }
    return reader_good(reader);
}

located *reader_member(struct scene_reader *reader, located *object, const char *key)
{
    for (located *member = reader_first(reader, object); member != NULL; member = reader_next(reader, member)) {
        if (member->key && strcmp(member->key, key) == 0) {
            return member;
        }
    }
    return NULL;
}

located *reader_need(struct scene_reader *reader, located *object, const char *key, const char *what)
{
    located *member = reader_member(reader, object, key);
    if (!member && reader_good(reader)) {
        reader_wrong(reader, object, "%s needs the key \"%s\"", what, key);
    }
    return member;
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

bool reader_charge(struct scene_reader *reader, located *at, double bytes)
{
    double limit = reader->memory_limit > 0 ? (double)reader->memory_limit
                                            : 256.0 * 1048576.0 + 100.0 * (double)reader->disk_bytes;
    if (!reader_good(reader)) {
        return false;
    }
    if (!((double)reader->memory_used + bytes <= limit)) {
        char place[64] = "";
        if (at) {
            snprintf(place, sizeof place, ":%u:%u", at->line, at->column);
        }
        plan_note(reader->plan, dent_fail(reader->plan->context, DENT_ERROR_TOO_LARGE,
                                          "%s%s: reading it takes more memory than the limit of %.0f MiB; "
                                          "--memory-limit (reading_limit of the context) raises it",
                                          reader->document.file, place, limit / 1048576.0));
        return false;
    }
    reader->memory_used += (uint64_t)bytes;
    return true;
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

uint32_t reader_find_name(json_t *names, const char *name)
{
    json_t *number = names ? json_object_get(names, name) : NULL;
    return number ? (uint32_t)json_real_value(number) : UINT32_MAX;
}

/* As a real number: it holds 32 bits exactly, and a program may have a json_integer of its own. */
bool reader_note_name(struct scene_reader *reader, json_t **names, const char *name, uint32_t number)
{
    if (reader_find_name(*names, name) != UINT32_MAX) {
        return false;
    }
    *names = *names ? *names : json_object();
    if (!*names || json_object_set_new(*names, name, json_real(number)) != 0) {
        plan_note(reader->plan, dent_fail(reader->plan->context, DENT_ERROR_OUT_OF_MEMORY, "%s: out of memory",
                                          reader->document.file));
    }
    return true;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* Of bounds that went through a conversion of units. */
static const double rounding = 1e-12;

double reader_quantity(struct scene_reader *reader, located *value, enum quantity_kind kind, double fallback)
{
    if (!value || !reader_good(reader)) {
        return fallback;
    }
    char name[80], why[400];
    double result = fallback;
    call_it(value, name, sizeof name);
    if (json_is_number(value->json)) {
        result = quantity_bare(kind, json_number_value(value->json));
    } else if (!json_is_string(value->json)) {
        reader_wrong(reader, value, "%s%s such as %s was expected, not %s", name, quantity_name(kind),
                     quantity_example(kind), type_name(value));
    } else if (kind == QUANTITY_RATIO) {
        reader_wrong(reader, value, "%sa plain number such as 0.45 was expected, not text", name);
    } else if (!quantity_read(&reader->units, kind, json_string_value(value->json), &result, why, sizeof why)) {
        reader_wrong(reader, value, "%s%s", name, why);
    }
    double size = fabs(quantity_in_si(&reader->units, kind, result));
    if (reader_good(reader) && !(size <= quantity_largest(kind) * (1 + rounding))) {
        reader_wrong(reader, value, "%s%s of at most %g %s in size was expected, not %.9g", name, quantity_name(kind),
                     quantity_largest(kind), quantity_unit(kind), size);
        return fallback;
    }
    return result;
}

double reader_ranged(struct scene_reader *reader, located *value, enum quantity_kind kind, double fallback, double low,
                     double high)
{
    double result = reader_quantity(reader, value, kind, fallback);
    double number = quantity_in_si(&reader->units, kind, result);
    if (value && reader_good(reader) && !(number >= low * (1 - rounding) && number <= high * (1 + rounding))) {
        char name[80];
        call_it(value, name, sizeof name);
        reader_wrong(reader, value, "%s%s above 0, from %g to %g %s, was expected, not %.9g", name, quantity_name(kind),
                     low, high, quantity_unit(kind), number);
        return fallback;
    }
    return result;
}

double reader_positive(struct scene_reader *reader, located *value, enum quantity_kind kind, double fallback)
{
    return reader_ranged(reader, value, kind, fallback, quantity_smallest(kind), quantity_largest(kind));
}

double reader_bounded(struct scene_reader *reader, located *value, enum quantity_kind kind, double fallback, double low,
                      double high, const char *bounds)
{
    double result = reader_quantity(reader, value, kind, fallback);
    if (value && reader_good(reader) && !(result >= low && result <= high)) {
        char name[80];
        call_it(value, name, sizeof name);
        reader_wrong(reader, value, "%s%s %s was expected, not %.9g", name, quantity_name(kind), bounds, result);
        return fallback;
    }
    return result;
}

void reader_vector(struct scene_reader *reader, located *value, enum quantity_kind kind, double vector[3])
{
    if (!value || !reader_good(reader)) {
        return;
    }
    if (!json_is_array(value->json) || json_array_size(value->json) != 3) {
        char name[80], items[40] = "";
        call_it(value, name, sizeof name);
        if (json_is_array(value->json)) {
            snprintf(items, sizeof items, " of %zu", json_array_size(value->json));
        }
        reader_wrong(reader, value, "%san array [x, y, z] of three was expected, not %s%s", name, type_name(value),
                     items);
        return;
    }
    int axis = 0;
    for (located *item = reader_first(reader, value); item != NULL; item = reader_next(reader, item)) {
        vector[axis++] = reader_quantity(reader, item, kind, 0);
    }
}

uint32_t reader_count(struct scene_reader *reader, located *value, uint32_t low, uint32_t high, uint32_t fallback)
{
    if (!value || !reader_good(reader)) {
        return fallback;
    }
    json_int_t number = json_integer_value(value->json);
    if (!json_is_integer(value->json) || number < (json_int_t)low || number > (json_int_t)high) {
        char name[80];
        call_it(value, name, sizeof name);
        if (json_is_integer(value->json)) {
            reader_wrong(reader, value, "%sa whole number from %u to %u was expected, not %" JSON_INTEGER_FORMAT, name,
                         low, high, number);
        } else {
            reader_wrong(reader, value, "%sa whole number from %u to %u was expected, not %s", name, low, high,
                         json_is_real(value->json) ? "a fraction" : type_name(value));
        }
        return fallback;
    }
    return (uint32_t)number;
}

bool reader_boolean(struct scene_reader *reader, located *value, bool fallback)
{
    if (!value || !reader_good(reader)) {
        return fallback;
    }
    if (!json_is_boolean(value->json)) {
        char name[80];
        call_it(value, name, sizeof name);
        reader_wrong(reader, value, "%strue or false was expected, not %s", name, type_name(value));
        return fallback;
    }
    return json_is_true(value->json);
}

const char *reader_text(struct scene_reader *reader, located *value, const char *fallback)
{
    if (!value || !reader_good(reader)) {
        return fallback;
    }
    if (!json_is_string(value->json)) {
        char name[80];
        call_it(value, name, sizeof name);
        reader_wrong(reader, value, "%stext in \"quotes\" was expected, not %s", name, type_name(value));
        return fallback;
    }
    return json_string_value(value->json);
}

int reader_choice(struct scene_reader *reader, located *value, const char *const *words)
{
    const char *word = reader_text(reader, value, NULL);
    if (!word) {
        return -1;
    }
    for (int i = 0; words[i] != NULL; i++) {
        if (strcmp(words[i], word) == 0) {
            return i;
        }
    }
    char suggestion[300], name[80];
    reader_suggest(word, words, suggestion, sizeof suggestion);
    call_it(value, name, sizeof name);
    reader_wrong(reader, value, "%s\"%.60s\" is not known here; %s", name, word, suggestion);
    return -1;
}
