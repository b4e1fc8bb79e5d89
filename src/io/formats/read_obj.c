/* Wavefront OBJ: "v x y z" makes a vertex, "f a b c …" a face of any number of corners, "l" a polyline, "p" points.
 *
 * One file is one body. `o`, `g` and `usemtl` name parts of one model for a renderer (materials, smoothing), not
 * physical bodies, and their parts commonly share vertices; so they do not split it. Lines and points become groups.
 *
 * A corner is v, v/vt, v//vn or v/vt/vn; only v matters here. Numbers count from 1, negative ones back from the latest
 * vertex. Faces may stand before their vertices, so a first pass counts these and every index is checked against the
 * total at its line. A backslash at the end of a line continues it. Statements without a meaning for collisions
 * (normals, textures, materials) are skipped; free-form curves and surfaces, and words that are no OBJ statement, are
 * counted in a notice with the first line. A line with three numbers behind a word that is no statement may be a
 * damaged vertex, without which all later ones would have the wrong number: it is refused. */
#include "io/bytes/decimal_number.h"
#include "reader_table.h"
#include "io/bytes/text_scanner.h"
#include "io/bytes/try_status.h"

#include <stdio.h>

struct obj_reader {
    struct text_scanner scanner;
    struct mesh_builder *builder;
    struct dynamic_array corners; /* uint32_t: of the statement at hand */
    uint64_t vertex_total;        /* in the whole file */
    int64_t vertex_count;         /* so far */
};

static bool is_blank(uint8_t c)
{
    return c == ' ' || c == '\t';
}

static uint64_t count_vertices(const uint8_t *cursor, const uint8_t *end)
{
    uint64_t count = 0;
    bool at_line_start = true;
    for (; cursor < end; cursor++) {
        if (*cursor == '\n' || *cursor == '\r') {
            at_line_start = true;
        } else if (at_line_start && !is_blank(*cursor)) {
            count += *cursor == 'v' && end - cursor > 1 && is_blank(cursor[1]);
            at_line_start = false;
        }
    }
    return count;
}

/* The next word of the statement, over continued lines. */
static bool next_word(struct obj_reader *reader, struct text_span *word)
{
    while (scanner_word_in_line(&reader->scanner, word)) {
        const uint8_t *after = reader->scanner.cursor;
        bool at_line_end = after == reader->scanner.end || *after == '\n' || *after == '\r';
        if (!at_line_end || word->text[word->length - 1] != '\\') {
            return true;
        }
        scanner_skip_line(&reader->scanner);
        if (--word->length > 0) {
            return true;
        }
    }
    return false;
}

static void skip_statement(struct obj_reader *reader)
{
    struct text_span word;
    while (next_word(reader, &word)) {
    }
    scanner_skip_line(&reader->scanner);
}

/* Behind the coordinates of a vertex: a weight or a colour. */
static dent_status skip_numbers(struct obj_reader *reader)
{
    struct text_span word;
    double ignored;
    while (next_word(reader, &word)) {
        if (!decimal_to_double(word.text, word.length, &ignored)) {
            return scanner_fail(&reader->scanner, DENT_ERROR_FORMAT, "'%.*s' behind the coordinates of vertex %lld",
                                SPAN_ARGUMENTS(word), (long long)reader->vertex_count);
        }
    }
    scanner_skip_line(&reader->scanner);
    return DENT_OK;
}

static dent_status read_vertex(struct obj_reader *reader)
{
    double position[3];
    uint64_t line = reader->scanner.line;
    for (int axis = 0; axis < 3; axis++) {
        struct text_span word;
        if (!next_word(reader, &word)) {
            return scanner_fail(&reader->scanner, DENT_ERROR_FORMAT, "vertex %lld has %d coordinates, not 3",
                                (long long)reader->vertex_count + 1, axis);
        }
        if (!decimal_to_double(word.text, word.length, &position[axis])) {
            return scanner_fail(&reader->scanner, DENT_ERROR_FORMAT, "coordinate '%.*s' of vertex %lld is not a number",
                                SPAN_ARGUMENTS(word), (long long)reader->vertex_count + 1);
        }
    }
    reader->vertex_count++;
    TRY(skip_numbers(reader));
    return builder_add_vertex(reader->builder, position[0], position[1], position[2], line);
}

/* "/5/7", "//7" or nothing: the numbers of texture and normal, which are not looked up. */
static bool is_corner_tail(const char *text, size_t length)
{
    size_t slashes = 0;
    for (size_t i = 0; i < length; i++) {
        bool is_digit = text[i] >= '0' && text[i] <= '9';
        bool is_sign = (text[i] == '-' || text[i] == '+') && text[i - 1] == '/';
        slashes += text[i] == '/';
        if (!is_digit && !is_sign && text[i] != '/') {
            return false;
        }
    }
    return slashes <= 2;
}

/* "12/5/7" to a 0-based vertex. */
static dent_status read_corner(struct obj_reader *reader, struct text_span word, uint32_t *corner)
{
    size_t length = 0;
    while (length < word.length && word.text[length] != '/') {
        length++;
    }
    int64_t number = 0;
    bool fits = true;
    if ((!decimal_to_integer(word.text, length, &number, &fits) && fits) ||
        !is_corner_tail(word.text + length, word.length - length)) {
        return scanner_fail(&reader->scanner, DENT_ERROR_FORMAT, "corner '%.*s' is not a vertex number",
                            SPAN_ARGUMENTS(word));
    }
    int64_t index = number > 0 ? number - 1 : reader->vertex_count + number;
    if (!fits || number == 0 || index < 0 || (uint64_t)index >= reader->vertex_total || index > UINT32_MAX) {
        return scanner_fail(&reader->scanner, DENT_ERROR_BAD_MESH,
                            "vertex %.*s does not exist: the file has %llu vertices%s",
                            (int)(length < 40 ? length : 40), word.text, (unsigned long long)reader->vertex_total,
                            fits && number == 0 ? ", numbered from 1" : "");
    }
    *corner = (uint32_t)index;
    return DENT_OK;
}

static dent_status read_corners(struct obj_reader *reader)
{
    reader->corners.count = 0;
    struct text_span word;
    while (next_word(reader, &word)) {
        uint32_t corner;
        dent_status status = read_corner(reader, word, &corner);
        if (status != DENT_OK) {
            return status;
        }
        if (!array_push(&reader->corners, &corner)) {
            return scanner_fail(&reader->scanner, DENT_ERROR_OUT_OF_MEMORY, "out of memory for the corners of a face");
        }
    }
    return DENT_OK;
}

static dent_status add_face(struct obj_reader *reader, uint64_t line)
{
    if (reader->corners.count < 3) {
        return scanner_fail(&reader->scanner, DENT_ERROR_FORMAT, "a face with %zu corners", reader->corners.count);
    }
    if (reader->corners.count > UINT32_MAX) {
        return scanner_fail(&reader->scanner, DENT_ERROR_TOO_LARGE, "a face with %zu corners", reader->corners.count);
    }
    return builder_add_polygon(reader->builder, 0, reader->corners.data, (uint32_t)reader->corners.count, line);
}

static dent_status add_lines_or_points(struct obj_reader *reader, enum element_kind kind, uint64_t line)
{
    const uint32_t *corners = reader->corners.data;
    size_t corners_each = element_kind_corners(kind);
    if (reader->corners.count < corners_each) {
        return scanner_fail(&reader->scanner, DENT_ERROR_FORMAT, "a line or point with %zu corners",
                            reader->corners.count);
    }
    dent_status status = DENT_OK;
    for (size_t i = 0; i + corners_each <= reader->corners.count && status == DENT_OK; i++) {
        status = builder_add_element(reader->builder, kind, 0, corners + i, line);
    }
    return status;
}

static dent_status read_element(struct obj_reader *reader, char statement)
{
    uint64_t line = reader->scanner.line;
    dent_status status = read_corners(reader);
    if (status == DENT_OK) {
        status = statement == 'f'   ? add_face(reader, line)
                 : statement == 'l' ? add_lines_or_points(reader, ELEMENT_LINE, line)
                                    : add_lines_or_points(reader, ELEMENT_POINT, line);
    }
    scanner_skip_line(&reader->scanner);
    return status;
}

/* Statements that say nothing about shape. */
static bool is_ignored_keyword(struct text_span word)
{
    static const char *const statements[] = {
        "vn",     "vt",    "vp",       "g",        "o",   "s",          "mg",        "usemtl", "mtllib", "usemap",
        "maplib", "bevel", "c_interp", "d_interp", "lod", "shadow_obj", "trace_obj", "ctech",  "stech",
    };
    for (size_t i = 0; i < sizeof statements / sizeof statements[0]; i++) {
        if (span_equal(word, statements[i])) {
            return true;
        }
    }
    return false;
}

static bool is_free_form(struct text_span word)
{
    static const char *const statements[] = {
        "cstype", "deg", "bmat", "step", "curv", "curv2", "surf", "parm", "trim", "hole",
        "scrv",   "sp",  "end",  "con",  "bsp",  "bzp",   "cdc",  "cdp",  "res",
    };
    for (size_t i = 0; i < sizeof statements / sizeof statements[0]; i++) {
        if (span_equal(word, statements[i])) {
            return true;
        }
    }
    return false;
}

/* A word that is no statement: counted, unless the line could have been a vertex. */
static dent_status pass_unknown(struct obj_reader *reader, struct text_span first)
{
    uint64_t line = reader->scanner.line;
    struct text_span word;
    double ignored;
    int numbers = 0;
    while (next_word(reader, &word) && decimal_to_double(word.text, word.length, &ignored)) {
        if (++numbers == 3) {
            return scanner_fail(&reader->scanner, DENT_ERROR_FORMAT,
                                "'%.*s' is no OBJ statement, but three numbers follow: a damaged vertex?",
                                SPAN_ARGUMENTS(first));
        }
    }
    builder_note_line(reader->builder, "lines that are no OBJ statements were skipped", line, first.text, first.length);
    skip_statement(reader);
    return DENT_OK;
}

static dent_status read_statement(struct obj_reader *reader, struct text_span word)
{
    if (span_equal(word, "v")) {
        return read_vertex(reader);
    }
    if (span_equal(word, "f") || span_equal(word, "fo")) { /* fo: an old spelling of f */
        return read_element(reader, 'f');
    }
    if (span_equal(word, "l") || span_equal(word, "p")) {
        return read_element(reader, word.text[0]);
    }
    if (is_free_form(word)) {
        builder_note_line(reader->builder, "free-form statements (curves, surfaces) were skipped", reader->scanner.line,
                          word.text, word.length);
    } else if (!is_ignored_keyword(word)) {
        return pass_unknown(reader, word);
    }
    skip_statement(reader);
    return DENT_OK;
}

static dent_status read_statements(struct obj_reader *reader)
{
    dent_status status = builder_reserve_vertices(reader->builder, reader->vertex_total);
    struct text_span word;
    while (status == DENT_OK && !scanner_at_end(&reader->scanner) && scanner_word_in_line(&reader->scanner, &word)) {
        status = read_statement(reader, word);
    }
    return status;
}

dent_status read_obj(struct read_request *request)
{
    struct obj_reader reader = {.builder = request->builder};
    TRY(scanner_open(&reader.scanner, request->context, request->name, request->bytes.data, request->bytes.size, '#'));
    array_init(&reader.corners, request->context, sizeof(uint32_t));
    reader.vertex_total = count_vertices(reader.scanner.cursor, reader.scanner.end);
    if (reader.vertex_total == 0) {
        return dent_fail(request->context, DENT_ERROR_FORMAT, "%s: no vertices; is it an OBJ file?", request->name);
    }
    request->builder->forward_references = true;
    snprintf(request->format, sizeof request->format, "obj");
    dent_status status = read_statements(&reader);
    array_destroy(&reader.corners);
    return status;
}
