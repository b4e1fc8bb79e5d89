/* Parses with jansson, then walks the text and jansson's tree in step (see the header).
 *
 * The second walk may trust the text: jansson has accepted it, so brackets match and strings end. Objects keep the
 * order of their members in jansson (since 2.8), and a key that appears twice was refused, so the n-th member of the
 * text is the n-th of the tree. */
#include "located_json.h"

#include <stdio.h>
#include <string.h>

enum { MOST_DEPTH = 64, FIRST_CAPACITY = 256 };
static const size_t most_bytes = (size_t)1 << 28;

dent_status located_wrong(const struct located_document *document, uint32_t line, uint32_t column, const char *format,
                          ...)
{
    char text[800];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return dent_fail(document->context, DENT_ERROR_FORMAT, "%s:%u:%u: %s", document->file, line, column, text);
}

/* ---- what jansson says ------------------------------------------------------------------------------------------- */

static dent_status refuse_syntax(const struct located_document *document, const json_error_t *error)
{
    uint32_t line = error->line > 0 ? (uint32_t)error->line : 1,
             column = error->column > 0 ? (uint32_t)error->column : 1;
    switch (json_error_code(error)) {
    case json_error_out_of_memory:
        return dent_fail(document->context, DENT_ERROR_OUT_OF_MEMORY, "%s: out of memory", document->file);
    case json_error_premature_end_of_input:
        return located_wrong(document, line, column, "the text ends too early: %s", error->text);
    case json_error_duplicate_key:
        return located_wrong(document, line, column, "each key may stand once only: %s", error->text);
    default:
        break;
    }
    if (json_error_code(error) == json_error_invalid_utf8) {
        return located_wrong(document, line, column, "UTF-8 was expected: %s", error->text);
    }
    if (strncmp(error->text, "unexpected token", strlen("unexpected token")) == 0 ||
        strncmp(error->text, "invalid token", strlen("invalid token")) == 0) {
        return located_wrong(document, line, column,
                             "a value was expected (text in \"quotes\", a number, true, false, [...] or {...}): %s",
                             error->text);
    }
    return located_wrong(document, line, column, "%s", error->text);
}

/* ---- the walk ---------------------------------------------------------------------------------------------------- */

struct place_walk {
    struct located_document *document;
    const char *at, *end;
    uint32_t line, column;
};

/* Takes one byte; continuation bytes of UTF-8 do not move the column. */
static void take(struct place_walk *walk)
{
    unsigned char byte = (unsigned char)*walk->at++;
    if (byte == '\n') {
        walk->line++;
        walk->column = 1;
    } else if ((byte & 0xC0) != 0x80) {
        walk->column++;
    }
}

static void skip_blanks(struct place_walk *walk)
{
    while (walk->at < walk->end && strchr(" \t\r\n", *walk->at) != NULL && *walk->at != '\0') {
        take(walk);
    }
}

static void skip_string(struct place_walk *walk)
{
    take(walk);
    while (walk->at < walk->end && *walk->at != '"') {
        if (*walk->at == '\\') {
            take(walk);
        }
        take(walk);
    }
    take(walk);
}

static void skip_word(struct place_walk *walk)
{
    while (walk->at < walk->end && strchr(" \t\r\n,]}", *walk->at) == NULL) {
        take(walk);
    }
}

/* The index of a new record, or LOCATED_NONE. */
static uint32_t note_value(struct place_walk *walk, const json_t *json)
{
    struct located_document *document = walk->document;
    if (document->count == document->capacity) {
        uint32_t capacity = document->capacity > 0 ? 2 * document->capacity : FIRST_CAPACITY;
        struct located_value *values = dent_allocate(document->context, capacity, sizeof *values);
        if (!values) {
            return LOCATED_NONE;
        }
        if (document->count > 0) {
            memcpy(values, document->values, document->count * sizeof *values);
        }
        dent_release(document->context, document->values, document->capacity, sizeof *values);
        document->values = values;
        document->capacity = capacity;
    }
    document->values[document->count] = (struct located_value){
        .json = json, .line = walk->line, .column = walk->column, .first_child = LOCATED_NONE, .next = LOCATED_NONE};
    return document->count++;
}

static dent_status place_value(struct place_walk *walk, const json_t *json, unsigned depth, uint32_t *index);

static void link_child(struct located_document *document, uint32_t parent, uint32_t *last, uint32_t child)
{
    if (*last == LOCATED_NONE) {
        document->values[parent].first_child = child;
    } else {
        document->values[*last].next = child;
    }
    *last = child;
}

/* The separator (a comma, or at first the opening bracket) and the blanks after it. */
static void next_item(struct place_walk *walk)
{
    skip_blanks(walk);
    take(walk);
    skip_blanks(walk);
}

static dent_status place_members(struct place_walk *walk, const json_t *json, unsigned depth, uint32_t parent)
{
    uint32_t last = LOCATED_NONE;
    json_t *object = (json_t *)json; /* jansson's iterators do not take const; nothing is changed */
    for (void *member = json_object_iter(object); member != NULL; member = json_object_iter_next(object, member)) {
        next_item(walk);
        uint32_t key_line = walk->line, key_column = walk->column, child = LOCATED_NONE;
        skip_string(walk);
        next_item(walk); /* the colon */
        dent_status status = place_value(walk, json_object_iter_value(member), depth + 1, &child);
        if (status != DENT_OK) {
            return status;
        }
        struct located_value *value = &walk->document->values[child];
        value->key = json_object_iter_key(member);
        value->key_line = key_line;
        value->key_column = key_column;
        link_child(walk->document, parent, &last, child);
    }
    return DENT_OK;
}

static dent_status place_items(struct place_walk *walk, const json_t *json, unsigned depth, uint32_t parent)
{
    uint32_t last = LOCATED_NONE;
    for (size_t i = 0; i < json_array_size(json); i++) {
        uint32_t child = LOCATED_NONE;
        next_item(walk);
        dent_status status = place_value(walk, json_array_get(json, i), depth + 1, &child);
        if (status != DENT_OK) {
            return status;
        }
        link_child(walk->document, parent, &last, child);
    }
    return DENT_OK;
}

static dent_status place_value(struct place_walk *walk, const json_t *json, unsigned depth, uint32_t *index)
{
    *index = note_value(walk, json);
    if (*index == LOCATED_NONE) {
        return dent_fail(walk->document->context, DENT_ERROR_OUT_OF_MEMORY, "%s: out of memory", walk->document->file);
    }
    if (depth > MOST_DEPTH) {
        return located_wrong(walk->document, walk->line, walk->column,
                             "brackets within brackets: at most %d deep were expected", (int)MOST_DEPTH);
    }
    if (json_is_string(json)) {
        skip_string(walk);
        return DENT_OK;
    }
    if (!json_is_object(json) && !json_is_array(json)) {
        skip_word(walk);
        return DENT_OK;
    }
    bool empty = json_is_object(json) ? json_object_size(json) == 0 : json_array_size(json) == 0;
    dent_status status =
        json_is_object(json) ? place_members(walk, json, depth, *index) : place_items(walk, json, depth, *index);
    if (status == DENT_OK) {
        if (empty) {
            take(walk); /* the opening bracket, which otherwise goes with the first item */
        }
        skip_blanks(walk);
        take(walk);
    }
    return status;
}

dent_status located_parse(dent_context *context, const char *file, const char *text, size_t size,
                          struct located_document *result)
{
    struct located_document document = {.context = context, .file = file};
    if (size >= most_bytes) {
        return dent_fail(context, DENT_ERROR_TOO_LARGE, "%s: %zu bytes; a scene file may have %zu", file, size,
                         most_bytes);
    }
    if (size >= 2 && (memcmp(text, "\xFF\xFE", 2) == 0 || memcmp(text, "\xFE\xFF", 2) == 0)) {
        return located_wrong(&document, 1, 1, "UTF-8 was expected, and this is UTF-16 or UTF-32 text");
    }
    if (size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) { /* a byte order mark, as some editors write it */
        text += 3;
        size -= 3;
    }
    json_error_t error;
    document.root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
    if (!document.root) {
        return refuse_syntax(&document, &error);
    }
    struct place_walk walk = {.document = &document, .at = text, .end = text + size, .line = 1, .column = 1};
    skip_blanks(&walk);
    uint32_t root;
    dent_status status = json_is_object(document.root)
                             ? place_value(&walk, document.root, 0, &root)
                             : located_wrong(&document, walk.line, walk.column,
                                             "a scene was expected: an object { ... }, not an array [ ... ]");
    if (status != DENT_OK) {
        located_release(&document);
        return status;
    }
    *result = document;
    return DENT_OK;
}

void located_release(struct located_document *document)
{
    dent_release(document->context, document->values, document->capacity, sizeof *document->values);
    json_decref(document->root);
    document->values = NULL;
    document->root = NULL;
    document->count = document->capacity = 0;
}
