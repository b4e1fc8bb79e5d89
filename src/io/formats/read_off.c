/* OFF: a surface as a list of vertices and a list of polygons.
 *
 *     [ST][C][N]OFF [BINARY]        the word may be missing; '#' starts a comment
 *     vertices faces [edges]        the number of edges is not used
 *     x y z …                       per vertex; normals, colours and texture coordinates follow on the line
 *     n corner … [colour]           per face, counted from 0
 *
 * The prefixes say what else belongs to a vertex: ST texture coordinates (2), C a colour (4), N a normal (3). In text
 * the rest of a line is passed over, whatever the prefix says. Binary files are big-endian: 32-bit integers, floats,
 * and behind the corners of a face the number of its colour components. Faces with one and two corners are points and
 * lines. 4OFF and nOFF have other spaces than ours. */
#include "io/bytes/byte_reader.h"
#include "io/bytes/decimal_number.h"
#include "io/bytes/text_scanner.h"
#include "io/bytes/try_status.h"
#include "reader_table.h"

#include <stdio.h>
#include <string.h>

struct off_reader {
    struct read_request *request;
    struct text_scanner scanner;
    struct byte_reader bytes;
    struct dynamic_array corners; /* uint32_t, of the present face */
    int64_t vertices, faces;
    uint32_t floats_behind; /* per vertex, in binary: what the prefixes announce */
};

/* ---- header ---------------------------------------------------------------------------------------------------- */

static bool take_prefix(struct text_span *word, const char *prefix, size_t length)
{
    if (!span_starts_with(*word, prefix)) {
        return false;
    }
    word->text += length;
    word->length -= length;
    return true;
}

/* "STCNOFF" and its shorter forms; false: not such a word. */
static bool read_magic(struct off_reader *reader, struct text_span word)
{
    reader->floats_behind += take_prefix(&word, "ST", 2) ? 2 : 0;
    reader->floats_behind += take_prefix(&word, "C", 1) ? 4 : 0;
    reader->floats_behind += take_prefix(&word, "N", 1) ? 3 : 0;
    return span_equal(word, "OFF");
}

static bool is_other_space(struct text_span word)
{
    const char *end = word.text + word.length;
    return word.length >= 4 && (end[-4] == '4' || end[-4] == 'n') && memcmp(end - 3, "OFF", 3) == 0;
}

static dent_status read_header(struct off_reader *reader, bool *is_binary)
{
    struct text_scanner *scanner = &reader->scanner;
    struct text_scanner begin = *scanner;
    struct text_span word;
    *is_binary = false;
    if (!scanner_word(scanner, &word)) {
        return scanner_fail(scanner, DENT_ERROR_FORMAT, "nothing but comments: not an OFF file");
    }
    if (is_other_space(word)) {
        return scanner_fail(scanner, DENT_ERROR_UNSUPPORTED, "'%.*s': only vertices with three coordinates are read",
                            SPAN_ARGUMENTS(word));
    }
    int64_t number;
    bool fits;
    if (!read_magic(reader, word)) {
        if (!decimal_to_integer(word.text, word.length, &number, &fits)) {
            return scanner_fail(scanner, DENT_ERROR_FORMAT, "'%.*s' where OFF should be: not an OFF file",
                                SPAN_ARGUMENTS(word));
        }
        reader->floats_behind = 0;
        *scanner = begin; /* a file without its first word */
        return DENT_OK;
    }
    struct text_scanner ahead = *scanner;
    if (scanner_word_in_line(&ahead, &word) && span_equal_any_case(word, "BINARY")) {
        *is_binary = true;
        scanner_skip_line(scanner);
    }
    return DENT_OK;
}

/* ---- faces ----------------------------------------------------------------------------------------------------- */

static dent_status fail_at(const struct off_reader *reader, uint64_t line, dent_status status, const char *text)
{
    if (line) {
        return scanner_fail(&reader->scanner, status, "%s", text);
    }
    return dent_fail(reader->request->context, status, "%s: byte %zu: %s", reader->request->name,
                     (size_t)(reader->bytes.cursor - reader->request->bytes.data), text);
}

static dent_status add_corner(struct off_reader *reader, int64_t face, int64_t corner, uint64_t line)
{
    if (corner < 0 || corner >= reader->vertices) {
        char text[128];
        snprintf(text, sizeof text, "face %lld: no vertex %lld; the file has %lld, counted from 0", (long long)face,
                 (long long)corner, (long long)reader->vertices);
        return fail_at(reader, line, DENT_ERROR_BAD_MESH, text);
    }
    if (!array_push(&reader->corners, &(uint32_t){(uint32_t)corner})) {
        return fail_at(reader, line, DENT_ERROR_OUT_OF_MEMORY, "out of memory for the corners of a face");
    }
    return DENT_OK;
}

/* `count` was checked against the bytes that follow. */
static dent_status start_face(struct off_reader *reader, int64_t face, int64_t count, uint64_t each, uint64_t left,
                              uint64_t line)
{
    reader->corners.count = 0;
    if (count >= 1 && (uint64_t)count <= left / each && count <= UINT32_MAX) {
        return DENT_OK;
    }
    char text[128];
    snprintf(text, sizeof text, "face %lld claims %lld corners, but %llu bytes follow", (long long)face,
             (long long)count, (unsigned long long)left);
    return fail_at(reader, line, DENT_ERROR_FORMAT, text);
}

static dent_status add_face(struct off_reader *reader, uint64_t line)
{
    struct mesh_builder *builder = reader->request->builder;
    uint32_t count = (uint32_t)reader->corners.count;
    if (count < 3) {
        return builder_add_element(builder, count == 1 ? ELEMENT_POINT : ELEMENT_LINE, 0, reader->corners.data, line);
    }
    return builder_add_polygon(builder, 0, reader->corners.data, count, line);
}

/* ---- text ------------------------------------------------------------------------------------------------------ */

static dent_status read_text_counts(struct off_reader *reader)
{
    struct text_scanner *scanner = &reader->scanner;
    TRY(scanner_integer(scanner, "number of vertices", 0, INT64_MAX, &reader->vertices));
    TRY(scanner_integer(scanner, "number of faces", 0, INT64_MAX, &reader->faces));
    scanner_skip_line(scanner);
    TRY(scanner_check_claim(scanner, "vertices", (uint64_t)reader->vertices, 6));
    return scanner_check_claim(scanner, "faces", (uint64_t)reader->faces, 4);
}

static dent_status read_text_vertices(struct off_reader *reader)
{
    struct text_scanner *scanner = &reader->scanner;
    for (int64_t i = 0; i < reader->vertices; i++) {
        double x, y, z;
        TRY(scanner_double(scanner, "x of the vertex", &x));
        TRY(scanner_double_in_line(scanner, "y of the vertex", &y));
        TRY(scanner_double_in_line(scanner, "z of the vertex", &z));
        TRY(builder_add_vertex(reader->request->builder, x, y, z, scanner->line));
        scanner_skip_line(scanner);
    }
    return DENT_OK;
}

static dent_status read_text_faces(struct off_reader *reader)
{
    struct text_scanner *scanner = &reader->scanner;
    for (int64_t f = 0; f < reader->faces; f++) {
        int64_t count, corner;
        TRY(scanner_integer(scanner, "number of corners", INT64_MIN, INT64_MAX, &count));
        TRY(start_face(reader, f, count, 2, scanner_bytes_left(scanner), scanner->line));
        for (int64_t k = 0; k < count; k++) {
            TRY(scanner_integer(scanner, "corner of the face", INT64_MIN, INT64_MAX, &corner));
            TRY(add_corner(reader, f, corner, scanner->line));
        }
        TRY(add_face(reader, scanner->line));
        scanner_skip_line(scanner);
    }
    struct text_span word;
    if (scanner_word(scanner, &word)) {
        builder_note_line(reader->request->builder, "file goes on behind the faces it announces, which is not read",
                          scanner->line, word.text, word.length);
    }
    return DENT_OK;
}

/* ---- binary ---------------------------------------------------------------------------------------------------- */

static dent_status read_binary_counts(struct off_reader *reader)
{
    reader->bytes = byte_reader_over(reader->scanner.cursor, reader->scanner.end, true);
    reader->vertices = byte_reader_i32(&reader->bytes);
    reader->faces = byte_reader_i32(&reader->bytes);
    byte_reader_i32(&reader->bytes); /* edges */
    uint64_t each = 4 * (3 + (uint64_t)reader->floats_behind), left = byte_reader_left(&reader->bytes);
    if (reader->bytes.failed || reader->vertices < 0 || reader->faces < 0 || (uint64_t)reader->vertices > left / each ||
        (uint64_t)reader->faces > (left - each * (uint64_t)reader->vertices) / 12) {
        char text[128];
        snprintf(text, sizeof text, "claims %lld vertices and %lld faces, but %llu bytes follow",
                 (long long)reader->vertices, (long long)reader->faces, (unsigned long long)left);
        return fail_at(reader, 0, DENT_ERROR_FORMAT, text);
    }
    return DENT_OK;
}

static dent_status read_binary_vertices(struct off_reader *reader)
{
    for (int64_t i = 0; i < reader->vertices; i++) {
        double x = byte_reader_f32(&reader->bytes);
        double y = byte_reader_f32(&reader->bytes);
        double z = byte_reader_f32(&reader->bytes);
        byte_reader_take(&reader->bytes, 4 * (size_t)reader->floats_behind);
        TRY(builder_add_vertex(reader->request->builder, x, y, z, 0));
    }
    return DENT_OK;
}

static dent_status read_binary_faces(struct off_reader *reader)
{
    struct byte_reader *bytes = &reader->bytes;
    for (int64_t f = 0; f < reader->faces; f++) {
        int64_t count = byte_reader_i32(bytes);
        TRY(start_face(reader, f, count, 4, byte_reader_left(bytes), 0));
        for (int64_t k = 0; k < count; k++) {
            TRY(add_corner(reader, f, byte_reader_i32(bytes), 0));
        }
        int64_t colours = byte_reader_i32(bytes);
        if (bytes->failed || colours < 0 || (uint64_t)colours > byte_reader_left(bytes) / 4) {
            return fail_at(reader, 0, DENT_ERROR_FORMAT, "the file ends in the middle of a face");
        }
        byte_reader_take(bytes, 4 * (size_t)colours);
        TRY(add_face(reader, 0));
    }
    return DENT_OK;
}

/* ---- the file -------------------------------------------------------------------------------------------------- */

static dent_status read_both(struct off_reader *reader)
{
    bool is_binary;
    TRY(read_header(reader, &is_binary));
    TRY(is_binary ? read_binary_counts(reader) : read_text_counts(reader));
    TRY(builder_reserve_vertices(reader->request->builder, (uint64_t)reader->vertices));
    TRY(is_binary ? read_binary_vertices(reader) : read_text_vertices(reader));
    TRY(is_binary ? read_binary_faces(reader) : read_text_faces(reader));
    snprintf(reader->request->format, sizeof reader->request->format, is_binary ? "off binary" : "off");
    return DENT_OK;
}

dent_status read_off(struct read_request *request)
{
    struct off_reader reader = {.request = request};
    TRY(scanner_open(&reader.scanner, request->context, request->name, request->bytes.data, request->bytes.size, '#'));
    array_init(&reader.corners, request->context, sizeof(uint32_t));
    dent_status status = read_both(&reader);
    array_destroy(&reader.corners);
    return status;
}
