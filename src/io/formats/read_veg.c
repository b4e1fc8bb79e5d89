/* VEG: the volumetric meshes of Vega, tetrahedra or cubes.
 *
 *     *VERTICES              *ELEMENTS
 *     count 3 0 0            TET               (or CUBIC)
 *     number x y z           count 4 0         (or 8)
 *                            number corner …
 *
 * Vertices are named by their numbers, which commonly start at 1. Other sections (materials, sets, regions) are passed
 * over; '#' starts a comment. The corners of a cube are in VTK's order. A file that includes others is not whole, and is
 * refused. */
#include "io/bytes/text_scanner.h"
#include "io/bytes/try_status.h"
#include "io/model/node_tags.h"
#include "reader_table.h"

#include <stdio.h>

struct veg_reader {
    struct read_request *request;
    struct text_scanner scanner;
    struct node_tags tags;
    bool has_vertices, has_elements;
};

static dent_status out_of_memory(const struct veg_reader *reader)
{
    return scanner_fail(&reader->scanner, DENT_ERROR_OUT_OF_MEMORY, "out of memory for the vertices");
}

static dent_status read_vertices(struct veg_reader *reader)
{
    struct text_scanner *scanner = &reader->scanner;
    int64_t count, dimension, number, duplicate;
    if (reader->has_vertices) {
        return scanner_fail(scanner, DENT_ERROR_FORMAT, "a second list of vertices");
    }
    reader->has_vertices = true;
    TRY(scanner_integer(scanner, "number of vertices", 0, INT64_MAX, &count));
    TRY(scanner_integer_in_line(scanner, "dimension", 3, 3, &dimension));
    scanner_skip_line(scanner);
    TRY(scanner_check_claim(scanner, "vertices", (uint64_t)count, 8));
    TRY(builder_reserve_vertices(reader->request->builder, (uint64_t)count));
    if (!node_tags_reserve(&reader->tags, (size_t)count)) {
        return out_of_memory(reader);
    }
    for (int64_t i = 0; i < count; i++) {
        double x, y, z;
        TRY(scanner_integer(scanner, "number of the vertex", INT64_MIN, INT64_MAX, &number));
        TRY(scanner_double_in_line(scanner, "x of the vertex", &x));
        TRY(scanner_double_in_line(scanner, "y of the vertex", &y));
        TRY(scanner_double_in_line(scanner, "z of the vertex", &z));
        TRY(builder_add_vertex(reader->request->builder, x, y, z, scanner->line));
        if (!node_tags_add(&reader->tags, number)) {
            return out_of_memory(reader);
        }
        scanner_skip_line(scanner);
    }
    dent_status status = node_tags_finish(&reader->tags, &duplicate);
    if (status == DENT_ERROR_BAD_MESH) {
        return scanner_fail(scanner, status, "vertex number %lld appears twice", (long long)duplicate);
    }
    return status == DENT_OK ? status : out_of_memory(reader);
}

static dent_status read_element(struct veg_reader *reader, enum element_kind kind)
{
    struct text_scanner *scanner = &reader->scanner;
    uint32_t corners[8];
    int64_t number;
    TRY(scanner_integer(scanner, "number of the element", INT64_MIN, INT64_MAX, &number));
    for (uint32_t k = 0; k < element_kind_corners(kind); k++) {
        int64_t tag;
        TRY(scanner_integer_in_line(scanner, "vertex of the element", INT64_MIN, INT64_MAX, &tag));
        if (!node_tags_find(&reader->tags, tag, &corners[k])) {
            return scanner_fail(scanner, DENT_ERROR_BAD_MESH, "element %lld: no vertex has number %lld",
                                (long long)number, (long long)tag);
        }
    }
    TRY(builder_add_element(reader->request->builder, kind, 0, corners, scanner->line));
    scanner_skip_line(scanner);
    return DENT_OK;
}

static dent_status read_elements(struct veg_reader *reader)
{
    struct text_scanner *scanner = &reader->scanner;
    struct text_span word;
    int64_t count, corners;
    if (!reader->has_vertices || reader->has_elements) {
        return scanner_fail(scanner, DENT_ERROR_FORMAT, "%s",
                            reader->has_elements ? "a second list of elements" : "elements come before vertices");
    }
    reader->has_elements = true;
    bool is_cubic = scanner_word(scanner, &word) && span_equal_any_case(word, "CUBIC");
    if (!is_cubic && !(word.length > 0 && span_equal_any_case(word, "TET"))) {
        return scanner_fail(scanner, DENT_ERROR_UNSUPPORTED, "elements '%.*s'; TET and CUBIC are read",
                            SPAN_ARGUMENTS(word));
    }
    enum element_kind kind = is_cubic ? ELEMENT_HEXAHEDRON : ELEMENT_TETRAHEDRON;
    int64_t needed = element_kind_corners(kind);
    TRY(scanner_integer(scanner, "number of elements", 0, INT64_MAX, &count));
    TRY(scanner_integer_in_line(scanner, "number of vertices per element", needed, needed, &corners));
    scanner_skip_line(scanner);
    TRY(scanner_check_claim(scanner, "elements", (uint64_t)count, 2 * (uint64_t)needed + 2));
    TRY(builder_reserve_elements(reader->request->builder, kind, (uint64_t)count));
    for (int64_t i = 0; i < count; i++) {
        TRY(read_element(reader, kind));
    }
    return DENT_OK;
}

static dent_status read_sections(struct veg_reader *reader)
{
    struct text_scanner *scanner = &reader->scanner;
    struct text_span word;
    bool in_section = false; /* numbers and words of sections that are passed over */
    while (scanner_word(scanner, &word)) {
        in_section = in_section || word.text[0] == '*';
        if (span_equal_any_case(word, "*VERTICES")) {
            TRY(read_vertices(reader));
        } else if (span_equal_any_case(word, "*ELEMENTS")) {
            TRY(read_elements(reader));
        } else if (span_equal_any_case(word, "*INCLUDE")) {
            return scanner_fail(scanner, DENT_ERROR_UNSUPPORTED, "*INCLUDE: files that include others are not read");
        } else if (!in_section) {
            return scanner_fail(scanner, DENT_ERROR_FORMAT, "'%.*s' where *VERTICES should be: not a VEG file",
                                SPAN_ARGUMENTS(word));
        } else if (word.text[0] == '*') {
            builder_note_line(reader->request->builder, "sections hold nothing that dent uses and were passed over",
                              scanner->line, word.text, word.length);
        }
    }
    if (!reader->has_vertices || !reader->has_elements) {
        return scanner_fail(scanner, DENT_ERROR_FORMAT, "no %s: not a whole VEG file",
                            reader->has_vertices ? "*ELEMENTS" : "*VERTICES");
    }
    return DENT_OK;
}

dent_status read_veg(struct read_request *request)
{
    struct veg_reader reader = {.request = request};
    TRY(scanner_open(&reader.scanner, request->context, request->name, request->bytes.data, request->bytes.size, '#'));
    node_tags_init(&reader.tags, request->context);
    snprintf(request->format, sizeof request->format, "veg");
    dent_status status = read_sections(&reader);
    node_tags_release(&reader.tags);
    return status;
}
