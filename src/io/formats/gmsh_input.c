/* A Gmsh file is text with sections; in a binary one the numbers inside the sections are raw bytes while titles, and
 * some counts, stay text. One cursor walks through it: the scanner's in text, the byte reader's inside binary data. */
#include "gmsh_input.h"

#include "io/bytes/try_status.h"

#include <stdio.h>
#include <string.h>

dent_status gmsh_input_init(struct gmsh_input *input, const struct read_request *request)
{
    *input = (struct gmsh_input){.context = request->context, .name = request->name, .size_bytes = 8};
    return scanner_open(&input->scanner, request->context, request->name, request->bytes.data, request->bytes.size, -1);
}

void gmsh_begin_data(struct gmsh_input *input)
{
    if (input->binary) {
        scanner_skip_line(&input->scanner);
        input->bytes.cursor = input->scanner.cursor;
        input->bytes.end = input->scanner.end;
        input->bytes.failed = false;
    }
}

dent_status gmsh_end_data(struct gmsh_input *input, const char *title)
{
    if (input->binary) {
        scanner_jump(&input->scanner, input->bytes.cursor);
    }
    struct text_span word;
    if (!scanner_word(&input->scanner, &word)) {
        return gmsh_fail(input, DENT_ERROR_FORMAT, "the file ends where %s should be", title);
    }
    if (!span_equal(word, title)) {
        return gmsh_fail(input, DENT_ERROR_FORMAT, "'%.*s' where %s should be", SPAN_ARGUMENTS(word), title);
    }
    return DENT_OK;
}

/* Does "$End" + title without its '$' stand at p? */
static bool is_end_of(const struct text_scanner *scanner, const uint8_t *p, struct text_span title)
{
    size_t length = title.length + 3;
    return (size_t)(scanner->end - p) >= length && (memcmp(p, "$End", 4) == 0 || memcmp(p, "$END", 4) == 0) &&
           memcmp(p + 4, title.text + 1, title.length - 1) == 0;
}

dent_status gmsh_skip_section(struct gmsh_input *input, struct text_span title)
{
    struct text_scanner *scanner = &input->scanner;
    uint64_t line = scanner->line;
    while (scanner->cursor < scanner->end) {
        /* A title stands at the start of a line; in binary data it may follow any byte. */
        const uint8_t *p = scanner->cursor;
        if (input->binary) {
            p = memchr(p, '$', scanner_bytes_left(scanner));
            if (!p) {
                break;
            }
        }
        if (is_end_of(scanner, p, title)) {
            scanner_jump(scanner, p + title.length + 3);
            return DENT_OK;
        }
        if (input->binary) {
            scanner_jump(scanner, p + 1);
        } else {
            scanner_skip_line(scanner);
        }
    }
    scanner->cursor = scanner->end;
    return gmsh_fail(input, DENT_ERROR_FORMAT, "section %.*s of line %llu has no end", SPAN_ARGUMENTS(title),
                     (unsigned long long)line);
}

static dent_status truncated(const struct gmsh_input *input, const char *what)
{
    return gmsh_fail(input, DENT_ERROR_FORMAT, "the file ends where the %s should be", what);
}

dent_status gmsh_integer(struct gmsh_input *input, const char *what, int64_t *value)
{
    if (!input->binary) {
        return scanner_integer(&input->scanner, what, INT64_MIN, INT64_MAX, value);
    }
    *value = byte_reader_i32(&input->bytes);
    return input->bytes.failed ? truncated(input, what) : DENT_OK;
}

dent_status gmsh_size(struct gmsh_input *input, const char *what, uint64_t *value)
{
    if (!input->binary) {
        int64_t number;
        TRY(scanner_integer(&input->scanner, what, 0, INT64_MAX, &number));
        *value = (uint64_t)number;
        return DENT_OK;
    }
    *value = byte_reader_unsigned(&input->bytes, input->size_bytes);
    if (input->bytes.failed) {
        return truncated(input, what);
    }
    if (*value > INT64_MAX) {
        return gmsh_fail(input, DENT_ERROR_FORMAT, "%s: %llu is beyond all reason", what, (unsigned long long)*value);
    }
    return DENT_OK;
}

dent_status gmsh_number(struct gmsh_input *input, const char *what, double *value)
{
    if (!input->binary) {
        return scanner_double(&input->scanner, what, value);
    }
    *value = byte_reader_f64(&input->bytes);
    return input->bytes.failed ? truncated(input, what) : DENT_OK;
}

dent_status gmsh_count_line(struct gmsh_input *input, const char *what, uint64_t *value)
{
    int64_t number;
    TRY(scanner_integer(&input->scanner, what, 0, INT64_MAX, &number));
    *value = (uint64_t)number;
    return DENT_OK;
}

dent_status gmsh_check_claim(const struct gmsh_input *input, const char *what, uint64_t count, uint64_t text_bytes,
                             uint64_t binary_bytes)
{
    if (!input->binary) {
        return scanner_check_claim(&input->scanner, what, count, text_bytes);
    }
    uint64_t left = byte_reader_left(&input->bytes);
    if (count > left / binary_bytes) {
        return gmsh_fail(input, DENT_ERROR_FORMAT, "claims %llu %s, but only %llu bytes follow",
                         (unsigned long long)count, what, (unsigned long long)left);
    }
    return DENT_OK;
}

uint64_t gmsh_line(const struct gmsh_input *input)
{
    return input->binary ? 0 : input->scanner.line;
}

dent_status gmsh_fail(const struct gmsh_input *input, dent_status status, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (!input->binary) {
        return scanner_fail(&input->scanner, status, "%s", text);
    }
    make_printable(text, strlen(text));
    /* Inside data the byte reader is ahead of the scanner. */
    const uint8_t *place = input->bytes.cursor > input->scanner.cursor ? input->bytes.cursor : input->scanner.cursor;
    return dent_fail(input->context, status, "%s: byte %zu: %s", input->name, (size_t)(place - input->scanner.begin),
                     text);
}
