/* MEDIT .mesh (text) and .meshb (binary, also known as GMF).
 *
 * A file is a list of sections: a keyword, a count, and that many records. An element is its vertices, counted from 1,
 * and a reference number, which is its group; a vertex is its coordinates and a reference, which is not kept. One table
 * says what the sections are; those that are not in it (corners, ridges, normals, solutions …) are passed over with a
 * notice. Sections may stand in any order, so elements may name vertices that come later. In text '#' starts a comment.
 *
 * Binary: a 1 that tells the byte order, the version, then sections with a keyword number and the place of the next
 * section. Version 1 has float coordinates, 3 has 64-bit places, 4 has 64-bit counts and indices too. The corner orders
 * are VTK's. */
#include "io/bytes/byte_reader.h"
#include "reader_table.h"
#include "io/bytes/text_scanner.h"
#include "io/bytes/try_status.h"

#include <stdio.h>
#include <string.h>

struct section {
    const char *word;
    int32_t code; /* in binary files; -1: none */
    enum element_kind kind;
    uint32_t nodes; /* listed per element; more than the kind has corners: second order, corners first */
};

static const struct section sections[] = {
    {"Edges", 5, ELEMENT_LINE, 2},
    {"Triangles", 6, ELEMENT_TRIANGLE, 3},
    {"Quadrilaterals", 7, ELEMENT_QUAD, 4},
    {"Tetrahedra", 8, ELEMENT_TETRAHEDRON, 4},
    {"Tetrahedrons", -1, ELEMENT_TETRAHEDRON, 4},
    {"Prisms", 9, ELEMENT_WEDGE, 6},
    {"Pentahedra", -1, ELEMENT_WEDGE, 6},
    {"Wedges", -1, ELEMENT_WEDGE, 6},
    {"Hexahedra", 10, ELEMENT_HEXAHEDRON, 8},
    {"Hexaedra", -1, ELEMENT_HEXAHEDRON, 8},
    {"Pyramids", 49, ELEMENT_PYRAMID, 5},
    {"EdgesP2", 25, ELEMENT_LINE, 3},
    {"TrianglesP2", 24, ELEMENT_TRIANGLE, 6},
    {"QuadrilateralsQ2", 27, ELEMENT_QUAD, 9},
    {"TetrahedraP2", 30, ELEMENT_TETRAHEDRON, 10},
    {"HexahedraQ2", 33, ELEMENT_HEXAHEDRON, 27},
};
enum { SECTION_COUNT = sizeof sections / sizeof sections[0], NODES_MAX = 27 };
enum { CODE_DIMENSION = 3, CODE_VERTICES = 4, CODE_END = 54 };

struct medit_reader {
    struct read_request *request;
    struct mesh_builder *builder;
    struct text_scanner scanner;
    struct byte_reader bytes;
    int64_t version;
    int64_t dimension; /* 0: not yet known */
    bool has_vertices;
};

#define NOTICE_SKIPPED "sections hold nothing that dent uses (corners, ridges, normals …) and were passed over"
#define NOTICE_FLAT "vertices have two coordinates and were placed at z = 0"

/* `line` 0: binary. */
static dent_status fail_at(const struct medit_reader *reader, uint64_t line, dent_status status, const char *text)
{
    if (line) {
        return scanner_fail(&reader->scanner, status, "%s", text);
    }
    const uint8_t *begin = reader->request->bytes.data;
    return dent_fail(reader->request->context, status, "%s: byte %zu: %s", reader->request->name,
                     (size_t)(reader->bytes.cursor - begin), text);
}

/* An element with its vertices as the file counts them. */
static dent_status add_element(struct medit_reader *reader, const struct section *section, const int64_t *nodes,
                               int64_t reference, uint64_t line)
{
    uint32_t corners[NODES_MAX];
    char text[128];
    uint32_t vertex_count = builder_vertex_count(reader->builder);
    for (uint32_t k = 0; k < section->nodes; k++) {
        if (nodes[k] < 1 || nodes[k] > MESH_COUNT_MAX || (reader->has_vertices && nodes[k] > vertex_count)) {
            snprintf(text, sizeof text, "%s: vertex %lld is named; there are %u, counted from 1", section->word,
                     (long long)nodes[k], vertex_count);
            return fail_at(reader, line, DENT_ERROR_BAD_MESH, text);
        }
        corners[k] = (uint32_t)(nodes[k] - 1);
    }
    if (reference < INT32_MIN || reference > INT32_MAX) {
        snprintf(text, sizeof text, "%s: reference %lld does not fit in 32 bits", section->word, (long long)reference);
        return fail_at(reader, line, DENT_ERROR_TOO_LARGE, text);
    }
    return builder_add_element(reader->builder, section->kind, (int32_t)reference, corners, line);
}

static dent_status start_elements(struct medit_reader *reader, const struct section *section, uint64_t count)
{
    if (!reader->has_vertices) {
        reader->builder->forward_references = true;
    }
    if (section->nodes > element_kind_corners(section->kind) && count > 0) {
        builder_note(reader->builder, count, NOTICE_SECOND_ORDER);
    }
    return builder_reserve_elements(reader->builder, section->kind, count);
}

static dent_status start_vertices(struct medit_reader *reader, uint64_t count, uint64_t line)
{
    if (reader->dimension == 0) {
        return fail_at(reader, line, DENT_ERROR_FORMAT, "vertices come before the dimension");
    }
    if (reader->has_vertices) {
        return fail_at(reader, line, DENT_ERROR_FORMAT, "a second list of vertices");
    }
    reader->has_vertices = true;
    if (reader->dimension == 2) {
        builder_note(reader->builder, count, NOTICE_FLAT);
    }
    return builder_reserve_vertices(reader->builder, count);
}

/* ---- text ------------------------------------------------------------------------------------------------------ */

static dent_status read_text_vertices(struct medit_reader *reader)
{
    struct text_scanner *scanner = &reader->scanner;
    int64_t count, reference;
    TRY(scanner_integer(scanner, "number of vertices", 0, INT64_MAX, &count));
    TRY(scanner_check_claim(scanner, "vertices", (uint64_t)count, 2 * (uint64_t)(reader->dimension + 1)));
    TRY(start_vertices(reader, (uint64_t)count, scanner->line));
    for (int64_t i = 0; i < count; i++) {
        double x, y, z = 0;
        TRY(scanner_double(scanner, "x of the vertex", &x));
        TRY(scanner_double(scanner, "y of the vertex", &y));
        if (reader->dimension == 3) {
            TRY(scanner_double(scanner, "z of the vertex", &z));
        }
        TRY(builder_add_vertex(reader->builder, x, y, z, scanner->line));
        TRY(scanner_integer(scanner, "reference of the vertex", INT64_MIN, INT64_MAX, &reference));
    }
    return DENT_OK;
}

static dent_status read_text_elements(struct medit_reader *reader, const struct section *section)
{
    struct text_scanner *scanner = &reader->scanner;
    int64_t count;
    TRY(scanner_integer(scanner, "number of elements", 0, INT64_MAX, &count));
    TRY(scanner_check_claim(scanner, section->word, (uint64_t)count, 2 * (uint64_t)(section->nodes + 1)));
    TRY(start_elements(reader, section, (uint64_t)count));
    for (int64_t i = 0; i < count; i++) {
        int64_t nodes[NODES_MAX];
        int64_t reference;
        for (uint32_t k = 0; k < section->nodes; k++) {
            TRY(scanner_integer(scanner, section->word, INT64_MIN, INT64_MAX, &nodes[k]));
        }
        TRY(scanner_integer(scanner, "reference of the element", INT64_MIN, INT64_MAX, &reference));
        TRY(add_element(reader, section, nodes, reference, scanner->line));
    }
    return DENT_OK;
}

/* Keywords are words that start with a letter, but not the numbers nan and inf. */
static bool is_keyword(struct text_span word)
{
    char first = word.text[0];
    bool letter = (first >= 'A' && first <= 'Z') || (first >= 'a' && first <= 'z');
    return letter && !span_equal_any_case(word, "nan") && !span_equal_any_case(word, "inf") &&
           !span_equal_any_case(word, "infinity");
}

/* Over the numbers of a section that means nothing here. */
static void skip_text_section(struct medit_reader *reader, struct text_span keyword)
{
    builder_note_line(reader->builder, NOTICE_SKIPPED, reader->scanner.line, keyword.text, keyword.length);
    struct text_scanner ahead = reader->scanner;
    struct text_span word;
    while (scanner_word(&ahead, &word) && !is_keyword(word)) {
        reader->scanner = ahead;
    }
}

static const struct section *section_of_word(struct text_span word)
{
    for (size_t i = 0; i < SECTION_COUNT; i++) {
        if (span_equal_any_case(word, sections[i].word)) {
            return &sections[i];
        }
    }
    return NULL;
}

static dent_status check_dimension(const struct medit_reader *reader, uint64_t line)
{
    if (reader->dimension != 2 && reader->dimension != 3) {
        char text[64];
        snprintf(text, sizeof text, "dimension %lld; 3 (or 2) is needed", (long long)reader->dimension);
        return fail_at(reader, line, DENT_ERROR_UNSUPPORTED, text);
    }
    return DENT_OK;
}

static dent_status read_text(struct medit_reader *reader)
{
    struct text_scanner *scanner = &reader->scanner;
    struct text_span word;
    if (!scanner_word(scanner, &word) || !span_equal_any_case(word, "MeshVersionFormatted")) {
        return scanner_fail(scanner, DENT_ERROR_FORMAT, "'%.*s' where MeshVersionFormatted should be: not a MEDIT file",
                            SPAN_ARGUMENTS(word));
    }
    TRY(scanner_integer(scanner, "version", 0, 4, &reader->version));
    while (scanner_word(scanner, &word) && !span_equal_any_case(word, "End")) {
        const struct section *section = section_of_word(word);
        if (span_equal_any_case(word, "Dimension")) {
            TRY(scanner_integer(scanner, "dimension", INT64_MIN, INT64_MAX, &reader->dimension));
            TRY(check_dimension(reader, scanner->line));
        } else if (span_equal_any_case(word, "Vertices")) {
            TRY(read_text_vertices(reader));
        } else if (section) {
            TRY(read_text_elements(reader, section));
        } else if (is_keyword(word)) {
            skip_text_section(reader, word);
        } else {
            return scanner_fail(scanner, DENT_ERROR_FORMAT, "'%.*s' where a keyword should be", SPAN_ARGUMENTS(word));
        }
    }
    if (scanner_word(scanner, &word)) {
        builder_note_line(reader->builder, "file goes on behind its End, which is not read", scanner->line, word.text,
                          word.length);
    }
    snprintf(reader->request->format, sizeof reader->request->format, "medit");
    return DENT_OK;
}

/* ---- binary ---------------------------------------------------------------------------------------------------- */

static int64_t take_integer(struct medit_reader *reader, int64_t wide_from_version)
{
    return reader->version >= wide_from_version ? byte_reader_i64(&reader->bytes) : byte_reader_i32(&reader->bytes);
}

static double take_number(struct medit_reader *reader)
{
    return reader->version == 1 ? byte_reader_f32(&reader->bytes) : byte_reader_f64(&reader->bytes);
}

static dent_status truncated(const struct medit_reader *reader)
{
    return fail_at(reader, 0, DENT_ERROR_FORMAT, "the file ends in the middle of a section");
}

/* The count of a section, checked against the bytes that follow. */
static dent_status take_count(struct medit_reader *reader, const char *what, uint64_t bytes_each, uint64_t *count)
{
    int64_t claimed = take_integer(reader, 4);
    uint64_t left = byte_reader_left(&reader->bytes);
    if (reader->bytes.failed) {
        return truncated(reader);
    }
    if (claimed < 0 || (uint64_t)claimed > left / bytes_each) {
        char text[128];
        snprintf(text, sizeof text, "claims %lld %s, but only %llu bytes follow", (long long)claimed, what,
                 (unsigned long long)left);
        return fail_at(reader, 0, DENT_ERROR_FORMAT, text);
    }
    *count = (uint64_t)claimed;
    return DENT_OK;
}

static dent_status read_binary_vertices(struct medit_reader *reader)
{
    uint64_t count;
    uint64_t bytes_each = (uint64_t)reader->dimension * (reader->version == 1 ? 4 : 8) + (reader->version >= 4 ? 8 : 4);
    TRY(take_count(reader, "vertices", bytes_each, &count));
    TRY(start_vertices(reader, count, 0));
    for (uint64_t i = 0; i < count; i++) {
        double x = take_number(reader);
        double y = take_number(reader);
        double z = reader->dimension == 3 ? take_number(reader) : 0;
        take_integer(reader, 4);
        TRY(builder_add_vertex(reader->builder, x, y, z, 0));
    }
    return DENT_OK;
}

static dent_status read_binary_elements(struct medit_reader *reader, const struct section *section)
{
    uint64_t count;
    TRY(take_count(reader, section->word, (uint64_t)(section->nodes + 1) * (reader->version >= 4 ? 8 : 4), &count));
    TRY(start_elements(reader, section, count));
    for (uint64_t i = 0; i < count; i++) {
        int64_t nodes[NODES_MAX];
        for (uint32_t k = 0; k < section->nodes; k++) {
            nodes[k] = take_integer(reader, 4);
        }
        int64_t reference = take_integer(reader, 4);
        TRY(add_element(reader, section, nodes, reference, 0));
    }
    return DENT_OK;
}

static dent_status read_binary_section(struct medit_reader *reader, int32_t code)
{
    if (code == CODE_DIMENSION) {
        reader->dimension = byte_reader_i32(&reader->bytes);
        return reader->bytes.failed ? truncated(reader) : check_dimension(reader, 0);
    }
    if (code == CODE_VERTICES) {
        return read_binary_vertices(reader);
    }
    for (size_t i = 0; i < SECTION_COUNT; i++) {
        if (sections[i].code == code) {
            return read_binary_elements(reader, &sections[i]);
        }
    }
    builder_note(reader->builder, 1, NOTICE_SKIPPED);
    return DENT_OK;
}

static dent_status read_binary(struct medit_reader *reader)
{
    const uint8_t *begin = reader->request->bytes.data;
    size_t size = reader->request->bytes.size;
    reader->bytes = byte_reader_over(begin, begin + size, begin[0] == 0);
    byte_reader_i32(&reader->bytes);
    reader->version = byte_reader_i32(&reader->bytes);
    if (reader->version < 1 || reader->version > 4) {
        char text[64];
        snprintf(text, sizeof text, "version %lld of binary MEDIT is not known", (long long)reader->version);
        return fail_at(reader, 0, DENT_ERROR_UNSUPPORTED, text);
    }
    for (;;) {
        size_t here = (size_t)(reader->bytes.cursor - begin);
        int32_t code = byte_reader_i32(&reader->bytes);
        int64_t next = take_integer(reader, 3);
        if (reader->bytes.failed && code != CODE_END) {
            return fail_at(reader, 0, DENT_ERROR_FORMAT, "the file ends before its end mark");
        }
        if (code == CODE_END) {
            break;
        }
        TRY(read_binary_section(reader, code));
        if (next == 0) {
            break;
        }
        /* Only ever forward, or a file could send us round in circles. */
        if (next < 0 || (uint64_t)next > size || (size_t)next <= here || begin + next < reader->bytes.cursor) {
            return fail_at(reader, 0, DENT_ERROR_FORMAT, "the place of the next section is not behind this one");
        }
        reader->bytes.cursor = begin + next;
    }
    snprintf(reader->request->format, sizeof reader->request->format, "medit binary %lld", (long long)reader->version);
    return DENT_OK;
}

/* Binary files start with the number 1 in one byte order or the other; no text does. */
static bool is_binary(const struct file_bytes *bytes)
{
    static const uint8_t little[4] = {1, 0, 0, 0};
    static const uint8_t big[4] = {0, 0, 0, 1};
    return bytes->size >= 4 && (memcmp(bytes->data, little, 4) == 0 || memcmp(bytes->data, big, 4) == 0);
}

dent_status read_medit(struct read_request *request)
{
    struct medit_reader reader = {.request = request, .builder = request->builder};
    if (is_binary(&request->bytes)) {
        return read_binary(&reader);
    }
    TRY(scanner_open(&reader.scanner, request->context, request->name, request->bytes.data, request->bytes.size, '#'));
    return read_text(&reader);
}
