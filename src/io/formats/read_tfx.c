/* TressFX: strands (.tfx, binary) and the meshes they collide with (.tfxmesh, text).
 *
 * .tfx, little-endian: version (float), number of strands, vertices per strand, and where the positions begin (three
 * uint32); the header has 160 bytes, of which the rest places data that collisions do not need. A position is four
 * floats: x, y, z and an inverse mass that is not used here. A file has no radii.
 *
 * .tfxmesh: "numOfBones n" and n lines, "numOfVertices n" and n lines (number, position, normal, bones and weights),
 * "numOfTriangles n" and n lines (number and three vertices). Numbers must count up from 0. '#' begins a comment. */
#include "io/bytes/byte_reader.h"
#include "io/bytes/text_scanner.h"
#include "io/bytes/try_status.h"
#include "reader_table.h"

#include <stdio.h>

enum { TFX_HEADER_BYTES = 160, TFX_VERTEX_BYTES = 16 };

/* ---- strands --------------------------------------------------------------------------------------------------- */

struct tfx_header {
    double version;
    uint32_t strands, vertices_each, positions;
};

static dent_status check_tfx_header(const struct read_request *request, const struct tfx_header *header)
{
    if (!(header->version >= 1 && header->version < 100)) {
        return dent_fail(request->context, DENT_ERROR_FORMAT, "%s: version %g in its header; is it a TressFX file?",
                         request->name, header->version);
    }
    if (header->strands == 0 || header->vertices_each < 2) {
        return dent_fail(request->context, DENT_ERROR_BAD_MESH,
                         "%s: %u strands of %u vertices: at least one strand of two vertices is needed", request->name,
                         header->strands, header->vertices_each);
    }
    uint64_t vertices = (uint64_t)header->strands * header->vertices_each;
    if (header->positions < TFX_HEADER_BYTES || header->positions > request->bytes.size ||
        vertices > (request->bytes.size - header->positions) / TFX_VERTEX_BYTES) {
        return dent_fail(request->context, DENT_ERROR_FORMAT,
                         "%s: claims %u strands of %u vertices from byte %u on, but the file has %zu bytes",
                         request->name, header->strands, header->vertices_each, header->positions, request->bytes.size);
    }
    return DENT_OK;
}

static dent_status read_tfx_strands(struct read_request *request, const struct tfx_header *header)
{
    const struct file_bytes *bytes = &request->bytes;
    uint64_t vertices = (uint64_t)header->strands * header->vertices_each;
    struct byte_reader reader = byte_reader_over(bytes->data + header->positions, bytes->data + bytes->size, false);
    TRY(builder_reserve_vertices(request->builder, vertices));
    TRY(builder_reserve_elements(request->builder, ELEMENT_LINE, vertices - header->strands));
    for (uint64_t v = 0; v < vertices; v++) {
        double position[3];
        for (int axis = 0; axis < 3; axis++) {
            position[axis] = byte_reader_f32(&reader);
        }
        byte_reader_take(&reader, 4); /* the inverse mass */
        TRY(builder_add_vertex(request->builder, position[0], position[1], position[2], 0));
        if (v % header->vertices_each > 0) {
            const uint32_t corners[2] = {(uint32_t)v - 1, (uint32_t)v};
            TRY(builder_add_element(request->builder, ELEMENT_LINE, 0, corners, 0));
        }
    }
    return DENT_OK;
}

dent_status read_tfx(struct read_request *request)
{
    if (request->bytes.size < TFX_HEADER_BYTES) {
        return dent_fail(request->context, DENT_ERROR_FORMAT, "%s: %zu bytes are fewer than the header of a .tfx file",
                         request->name, request->bytes.size);
    }
    struct byte_reader reader = byte_reader_over(request->bytes.data, request->bytes.data + request->bytes.size, false);
    struct tfx_header header;
    header.version = byte_reader_f32(&reader);
    header.strands = byte_reader_u32(&reader);
    header.vertices_each = byte_reader_u32(&reader);
    header.positions = byte_reader_u32(&reader);
    TRY(check_tfx_header(request, &header));
    snprintf(request->format, sizeof request->format, "tfx %.3g", header.version);
    return read_tfx_strands(request, &header);
}

/* ---- collision meshes ------------------------------------------------------------------------------------------ */

/* "numOfVertices 1247": the number of lines that follow, of at least `bytes_each` bytes. */
static dent_status read_count(struct text_scanner *scanner, const char *keyword, uint64_t bytes_each, int64_t *count)
{
    struct text_span word;
    if (!scanner_word(scanner, &word)) {
        return scanner_fail(scanner, DENT_ERROR_FORMAT, "the file ends where '%s' should be", keyword);
    }
    if (!span_equal(word, keyword)) {
        return scanner_fail(scanner, DENT_ERROR_FORMAT, "'%.*s' where '%s' should be", SPAN_ARGUMENTS(word), keyword);
    }
    TRY(scanner_integer_in_line(scanner, keyword, 0, UINT32_MAX - 1, count));
    return scanner_check_claim(scanner, keyword, (uint64_t)*count, bytes_each);
}

/* The number in front of a line; the lines must come in order, because they name one another by place. */
static dent_status read_line_number(struct text_scanner *scanner, const char *what, int64_t expected)
{
    int64_t number;
    TRY(scanner_integer(scanner, what, 0, UINT32_MAX, &number));
    if (number != expected) {
        return scanner_fail(scanner, DENT_ERROR_FORMAT, "%s %lld where %lld should be", what, (long long)number,
                            (long long)expected);
    }
    return DENT_OK;
}

static dent_status skip_bones(struct text_scanner *scanner)
{
    int64_t count;
    TRY(read_count(scanner, "numOfBones", 4, &count));
    for (int64_t i = 0; i < count; i++) {
        TRY(read_line_number(scanner, "bone", i));
        scanner_skip_line(scanner); /* its name */
    }
    return DENT_OK;
}

static dent_status read_mesh_vertices(struct text_scanner *scanner, struct mesh_builder *builder)
{
    int64_t count;
    TRY(read_count(scanner, "numOfVertices", 8, &count));
    TRY(builder_reserve_vertices(builder, (uint64_t)count));
    for (int64_t i = 0; i < count; i++) {
        double position[3];
        TRY(read_line_number(scanner, "vertex", i));
        uint64_t line = scanner->line;
        for (int axis = 0; axis < 3; axis++) {
            TRY(scanner_double_in_line(scanner, "coordinate", &position[axis]));
        }
        scanner_skip_line(scanner); /* normal, bones and weights */
        TRY(builder_add_vertex(builder, position[0], position[1], position[2], line));
    }
    return DENT_OK;
}

static dent_status read_mesh_triangles(struct text_scanner *scanner, struct mesh_builder *builder)
{
    int64_t count, vertex;
    TRY(read_count(scanner, "numOfTriangles", 8, &count));
    TRY(builder_reserve_elements(builder, ELEMENT_TRIANGLE, (uint64_t)count));
    for (int64_t i = 0; i < count; i++) {
        uint32_t corners[3];
        TRY(read_line_number(scanner, "triangle", i));
        uint64_t line = scanner->line;
        for (int c = 0; c < 3; c++) {
            TRY(scanner_integer_in_line(scanner, "corner", 0, UINT32_MAX - 1, &vertex));
            corners[c] = (uint32_t)vertex;
        }
        scanner_skip_line(scanner);
        TRY(builder_add_element(builder, ELEMENT_TRIANGLE, 0, corners, line));
    }
    return DENT_OK;
}

dent_status read_tfxmesh(struct read_request *request)
{
    struct text_scanner scanner;
    TRY(scanner_open(&scanner, request->context, request->name, request->bytes.data, request->bytes.size, '#'));
    snprintf(request->format, sizeof request->format, "tfxmesh");
    TRY(skip_bones(&scanner));
    TRY(read_mesh_vertices(&scanner, request->builder));
    return read_mesh_triangles(&scanner, request->builder);
}
