/* json_output.c — a writer of flat JSON objects. */
#include "json_output.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Length of the UTF-8 character at `text` (ends with a zero byte), or 0 when it is not well-formed: stray or missing
 * continuation bytes, overlong forms, surrogates, beyond U+10FFFF. */
static size_t utf8_length(const unsigned char *text)
{
    unsigned char lead = text[0];
    size_t length = lead < 0x80                   ? 1
                    : lead >= 0xc2 && lead < 0xe0 ? 2
                    : lead >= 0xe0 && lead < 0xf0 ? 3
                    : lead >= 0xf0 && lead < 0xf5 ? 4
                                                  : 0;
    for (size_t i = 1; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    bool bad = (lead == 0xe0 && text[1] < 0xa0) || (lead == 0xed && text[1] >= 0xa0) ||
               (lead == 0xf0 && text[1] < 0x90) || (lead == 0xf4 && text[1] >= 0x90);
    return length > 1 && bad ? 0 : length;
}

static void write_string(printer *out, const char *value)
{
    printer_text(out, "\"");
    const unsigned char *text = (const unsigned char *)value;
    while (*text != '\0') {
        size_t length = utf8_length(text);
        if (length == 0) {
            printer_text(out, "\\ufffd");
            text++;
            continue;
        }
        if (*text == '"' || *text == '\\') {
            printer_text(out, "\\");
            printer_bytes(out, (const char *)text, 1);
        } else if (*text < 0x20 || *text == 0x7f) {
            printer_format(out, "\\u%04x", *text);
        } else {
            printer_bytes(out, (const char *)text, length);
        }
        text += length;
    }
    printer_text(out, "\"");
}

static void write_key(json_line *line, const char *key)
{
    if (!line->first) {
        printer_text(line->out, ", ");
    }
    line->first = false;
    write_string(line->out, key);
    printer_text(line->out, ": ");
}

json_line json_line_begin(printer *out)
{
    printer_text(out, "{");
    json_line line = {out, true};
    return line;
}

void json_line_end(json_line *line)
{
    printer_text(line->out, "}\n");
}

void json_line_string(json_line *line, const char *key, const char *value)
{
    write_key(line, key);
    write_string(line->out, value);
}

void json_line_integer(json_line *line, const char *key, uint64_t value)
{
    write_key(line, key);
    printer_format(line->out, "%llu", (unsigned long long)value);
}

void json_line_number(json_line *line, const char *key, double value)
{
    write_key(line, key);
    if (isfinite(value)) {
        printer_format(line->out, "%.17g", value);
    } else {
        printer_text(line->out, "null");
    }
}

void json_line_boolean(json_line *line, const char *key, bool value)
{
    write_key(line, key);
    printer_text(line->out, value ? "true" : "false");
}

void json_object_begin(json_line *line, const char *key)
{
    write_key(line, key);
    printer_text(line->out, "{");
    line->first = true;
}

void json_object_end(json_line *line)
{
    printer_text(line->out, "}");
    line->first = false;
}

void json_array_begin(json_line *line, const char *key)
{
    write_key(line, key);
    printer_text(line->out, "[");
    line->first = true;
}

void json_array_end(json_line *line)
{
    printer_text(line->out, "]");
    line->first = false;
}

void json_item_begin(json_line *line)
{
    printer_text(line->out, line->first ? "{" : ", {");
    line->first = true;
}

void json_item_string(json_line *line, const char *value)
{
    printer_text(line->out, line->first ? "" : ", ");
    write_string(line->out, value);
    line->first = false;
}

void json_item_end(json_line *line)
{
    printer_text(line->out, "}");
    line->first = false;
}
