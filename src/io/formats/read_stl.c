/* STL, text and binary: a list of triangles that repeat their corners' positions.
 *
 * The size of the file tells binary from text: a binary file of n facets has 84 + 50 n bytes, n at byte 80. (Many
 * binary files begin with the word "solid", so the first word tells nothing.)
 *
 * Corners at bitwise-equal positions become one vertex, numbered by first appearance; so 0.0 and -0.0 stay apart, as
 * everything else does that differs in any bit. Facets keep their numbers, none is dropped: a facet two of whose
 * corners coincide gets a vertex of its own for the repeated one (a notice counts them), since an element must not name
 * a vertex twice. The file's normals are not used. Several solids in one text file are parts of one surface and make
 * one body.
 */
#include "io/bytes/byte_reader.h"
#include "reader_table.h"
#include "io/bytes/text_scanner.h"
#include "io/bytes/try_status.h"
#include "io/model/vertex_welder.h"

#include <stdio.h>
#include <string.h>

enum { HEADER_BYTES = 84, FACET_BYTES = 50 };

/* ---- binary -------------------------------------------------------------------------------------------- */

static uint64_t claimed_facets(const struct file_bytes *bytes)
{
    struct byte_reader reader = byte_reader_over(bytes->data + HEADER_BYTES - 4, bytes->data + HEADER_BYTES, false);
    return byte_reader_u32(&reader);
}

static dent_status read_binary(struct read_request *request, struct vertex_welder *welder)
{
    const struct file_bytes *bytes = &request->bytes;
    snprintf(request->format, sizeof request->format, "stl binary");
    uint64_t count = claimed_facets(bytes);
    if (count > (bytes->size - HEADER_BYTES) / FACET_BYTES) {
        return dent_fail(request->context, DENT_ERROR_FORMAT,
                         "%s: claims %llu facets, which need %llu bytes, but the file has %zu", request->name,
                         (unsigned long long)count, (unsigned long long)(HEADER_BYTES + FACET_BYTES * count),
                         bytes->size);
    }
    if (count == 0) {
        return dent_fail(request->context, DENT_ERROR_FORMAT, "%s: an STL file without facets", request->name);
    }
    if (HEADER_BYTES + FACET_BYTES * count < bytes->size) {
        builder_note(request->builder, bytes->size - HEADER_BYTES - FACET_BYTES * count,
                     "bytes behind the last facet were ignored");
    }
    dent_status status = builder_reserve_elements(request->builder, ELEMENT_TRIANGLE, count);
    struct byte_reader reader = byte_reader_over(bytes->data + HEADER_BYTES, bytes->data + bytes->size, false);
    for (uint64_t f = 0; f < count && status == DENT_OK; f++) {
        double positions[3][3];
        byte_reader_take(&reader, 12); /* the normal */
        for (int i = 0; i < 9; i++) {
            positions[i / 3][i % 3] = byte_reader_f32(&reader);
        }
        byte_reader_take(&reader, 2); /* attribute bytes: colours, of no use here */
        status = welder_add_triangle(welder, positions, 0);
    }
    return status;
}

/* ---- text ---------------------------------------------------------------------------------------------- */

static dent_status expect(struct text_scanner *scanner, const char *keyword)
{
    struct text_span word;
    if (!scanner_word(scanner, &word)) {
        return scanner_fail(scanner, DENT_ERROR_FORMAT, "the file ends where '%s' should be", keyword);
    }
    if (!span_equal_any_case(word, keyword)) {
        return scanner_fail(scanner, DENT_ERROR_FORMAT, "'%.*s' where '%s' should be", SPAN_ARGUMENTS(word), keyword);
    }
    return DENT_OK;
}

static dent_status read_numbers(struct text_scanner *scanner, const char *what, double *numbers)
{
    for (int i = 0; i < 3; i++) {
        TRY(scanner_double(scanner, what, &numbers[i]));
    }
    return DENT_OK;
}

/* Behind the word "facet". */
static dent_status read_text_facet(struct text_scanner *scanner, struct vertex_welder *welder)
{
    uint64_t line = scanner->line;
    double positions[3][3];
    double normal[3];
    TRY(expect(scanner, "normal"));
    TRY(read_numbers(scanner, "normal", normal));
    TRY(expect(scanner, "outer"));
    TRY(expect(scanner, "loop"));
    for (int c = 0; c < 3; c++) {
        TRY(expect(scanner, "vertex"));
        TRY(read_numbers(scanner, "coordinate", positions[c]));
    }
    TRY(expect(scanner, "endloop"));
    TRY(expect(scanner, "endfacet"));
    return welder_add_triangle(welder, positions, line);
}

/* Behind the word "solid": its name, then facets until "endsolid". */
static dent_status read_text_solid(struct text_scanner *scanner, struct vertex_welder *welder)
{
    scanner_skip_line(scanner);
    for (;;) {
        struct text_span word;
        if (!scanner_word(scanner, &word)) {
            return scanner_fail(scanner, DENT_ERROR_FORMAT, "the file ends where 'facet' or 'endsolid' should be");
        }
        if (span_equal_any_case(word, "endsolid")) {
            scanner_skip_line(scanner);
            return DENT_OK;
        }
        if (!span_equal_any_case(word, "facet")) {
            return scanner_fail(scanner, DENT_ERROR_FORMAT, "'%.*s' where 'facet' or 'endsolid' should be",
                                SPAN_ARGUMENTS(word));
        }
        dent_status status = read_text_facet(scanner, welder);
        if (status != DENT_OK) {
            return status;
        }
    }
}

static dent_status read_text(struct read_request *request, struct vertex_welder *welder)
{
    snprintf(request->format, sizeof request->format, "stl ascii");
    struct text_scanner scanner;
    TRY(scanner_open(&scanner, request->context, request->name, request->bytes.data, request->bytes.size, -1));
    uint64_t solids = 0;
    while (!scanner_at_end(&scanner)) {
        TRY(expect(&scanner, "solid"));
        TRY(read_text_solid(&scanner, welder));
        solids++;
    }
    if (builder_vertex_count(request->builder) == 0) {
        return dent_fail(request->context, DENT_ERROR_FORMAT, "%s: an STL file without facets", request->name);
    }
    if (solids > 1) {
        builder_note(request->builder, solids, "solids were joined in one body");
    }
    return DENT_OK;
}

/* ---- which of the two ---------------------------------------------------------------------------------- */

static bool looks_like_text(const struct file_bytes *bytes)
{
    struct text_scanner scanner;
    struct text_span word;
    size_t mark = text_mark_length(bytes->data, bytes->size);
    if (text_is_utf16(bytes->data, bytes->size)) {
        return true; /* to be refused as text */
    }
    scanner_init(&scanner, NULL, NULL, bytes->data + mark, bytes->size - mark, -1);
    size_t head = bytes->size < HEADER_BYTES ? bytes->size : HEADER_BYTES;
    return scanner_word(&scanner, &word) && span_equal_any_case(word, "solid") && !memchr(bytes->data, 0, head);
}

dent_status read_stl(struct read_request *request)
{
    const struct file_bytes *bytes = &request->bytes;
    struct vertex_welder welder = welder_over(request->builder);
    bool exact = bytes->size >= HEADER_BYTES && HEADER_BYTES + FACET_BYTES * claimed_facets(bytes) == bytes->size;
    dent_status status;
    if (!exact && looks_like_text(bytes)) {
        status = read_text(request, &welder);
    } else if (bytes->size >= HEADER_BYTES) {
        status = read_binary(request, &welder);
    } else {
        status = dent_fail(
            request->context, DENT_ERROR_FORMAT,
            "%s: neither text STL (it does not begin with 'solid') nor binary (%zu bytes are fewer than its header)",
            request->name, bytes->size);
    }
    welder_release(&welder);
    return status;
}
