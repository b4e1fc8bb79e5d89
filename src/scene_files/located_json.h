/* A JSON text with places: jansson's values, each with the line and column where it stands, in the order of the text.
 *
 * jansson tells where a text breaks the rules of JSON, but not where a well-formed value stands. So the text is gone
 * through once more, in step with what jansson made of it, and every value is noted with its place; a message about
 * content can then point as precisely as one about form. Lines and columns count from 1; columns in characters. */
#ifndef DENT_SCENE_FILES_LOCATED_JSON_H
#define DENT_SCENE_FILES_LOCATED_JSON_H

#include <dent/base.h>

#include <jansson.h>

#define LOCATED_NONE UINT32_MAX

struct located_value {
    const json_t *json;
    const char *key; /* null: not a member of an object */
    uint32_t key_line, key_column;
    uint32_t line, column;
    uint32_t first_child, next; /* indices into the document's values, LOCATED_NONE at the end */
};

struct located_document {
    dent_context *context;
    const char *file; /* for messages; borrowed */
    json_t *root;
    struct located_value *values; /* values[0] is the root */
    uint32_t count, capacity;
};

/* FORMAT with "file:line:column: what was expected" when the text is no JSON object. On failure nothing is kept. */
dent_status located_parse(dent_context *context, const char *file, const char *text, size_t size,
                          struct located_document *document);
void located_release(struct located_document *document);

/* Sets the message "file:line:column: …" and returns FORMAT. */
dent_status located_wrong(const struct located_document *document, uint32_t line, uint32_t column, const char *format,
                          ...) DENT_PRINTF_LIKE(4, 5);

#endif
