/* json_output.h — one JSON object per line, keys in the order they are given.
 *
 * Strings are escaped, and bytes that are not UTF-8 (file names may hold any) become U+FFFD. Numbers have 17
 * significant digits, so they read back to the same double; what JSON cannot say (infinity, NaN) is null.
 */
#ifndef DENT_JSON_OUTPUT_H
#define DENT_JSON_OUTPUT_H

#include "printer.h"

typedef struct json_line {
    printer *out;
    bool first; /* no comma is due */
} json_line;

json_line json_line_begin(printer *out);
void json_line_end(json_line *line);

void json_line_string(json_line *line, const char *key, const char *value);
void json_line_integer(json_line *line, const char *key, uint64_t value);
void json_line_number(json_line *line, const char *key, double value);
void json_line_boolean(json_line *line, const char *key, bool value);

/** An object within the object. */
void json_object_begin(json_line *line, const char *key);
void json_object_end(json_line *line);

/** An array of objects: open, then json_item_begin … json_item_end for each, close. */
void json_array_begin(json_line *line, const char *key);
void json_array_end(json_line *line);
void json_item_begin(json_line *line);
/** A text as an item. */
void json_item_string(json_line *line, const char *value);
void json_item_end(json_line *line);

#endif
