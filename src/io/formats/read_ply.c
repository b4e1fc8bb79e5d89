/* PLY (Stanford polygon format): a text header that declares elements with properties, then the data as text or as
 * binary of either byte order.
 *
 * The header is the map: every element and property it declares is walked in order, so files with normals, colours or
 * whole elements that mean nothing here are read without guessing. Taken are x, y, z of "vertex" (any number type) and
 * the list vertex_indices or vertex_index of "face" (any integer type, any number of corners from 3). A file without
 * faces is a cloud of points, with nx, ny, nz as normals where it has them. What a count
 * claims is compared with the bytes that follow before memory is asked for. Format: G. Turk, "The PLY polygon file
 * format", 1994. */
#include "io/bytes/number_type.h"
#include "reader_table.h"
#include "io/bytes/text_scanner.h"
#include "io/bytes/try_status.h"

#include <stdio.h>
#include <string.h>

enum ply_role { ROLE_NONE, ROLE_X, ROLE_Y, ROLE_Z, ROLE_NX, ROLE_NY, ROLE_NZ, ROLE_CORNERS };
enum { NORMAL_ROLES = 1 << ROLE_NX | 1 << ROLE_NY | 1 << ROLE_NZ };
enum ply_element_role { ELEMENT_OTHER, ELEMENT_VERTEX, ELEMENT_FACE };

struct ply_property {
    uint8_t type;       /* enum number_type; of the entries for a list */
    uint8_t count_type; /* of a list's length */
    uint8_t role;
    bool is_list;
};

struct ply_element {
    struct text_span name;
    uint64_t count;
    size_t first_property; /* in ply_reader.properties */
    size_t property_count;
    enum ply_element_role role;
    unsigned declared; /* bit r: a property of role r */
};

struct ply_reader {
    struct read_request *request;
    struct text_scanner scanner; /* the header, and the data when they are text */
    struct byte_reader bytes;    /* the data when they are binary */
    bool is_text;
    unsigned declared;               /* bit r: an element of role r */
    struct dynamic_array elements;   /* struct ply_element */
    struct dynamic_array properties; /* struct ply_property */
    struct dynamic_array corners;    /* uint32_t: of the face at hand */
};

static dent_status out_of_memory(const struct ply_reader *reader)
{
    return dent_fail(reader->request->context, DENT_ERROR_OUT_OF_MEMORY, "%s: out of memory", reader->request->name);
}

static struct ply_element *element_at(const struct ply_reader *reader, size_t i)
{
    return (struct ply_element *)reader->elements.data + i;
}

static const struct ply_property *properties_of(const struct ply_reader *reader, const struct ply_element *element)
{
    return (const struct ply_property *)reader->properties.data + element->first_property;
}

/* ---- header -------------------------------------------------------------------------------------------- */

static bool parse_type(struct text_span word, uint8_t *type)
{
    static const struct {
        const char *name;
        uint8_t type;
    } names[] = {
        {"char", NUMBER_I8},   {"int8", NUMBER_I8},     {"uchar", NUMBER_U8},   {"uint8", NUMBER_U8},
        {"short", NUMBER_I16}, {"int16", NUMBER_I16},   {"ushort", NUMBER_U16}, {"uint16", NUMBER_U16},
        {"int", NUMBER_I32},   {"int32", NUMBER_I32},   {"uint", NUMBER_U32},   {"uint32", NUMBER_U32},
        {"float", NUMBER_F32}, {"float32", NUMBER_F32}, {"double", NUMBER_F64}, {"float64", NUMBER_F64},
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (span_equal(word, names[i].name)) {
            *type = names[i].type;
            return true;
        }
    }
    return false;
}

static dent_status read_type(struct ply_reader *reader, uint8_t *type)
{
    struct text_span word;
    if (!scanner_word_in_line(&reader->scanner, &word) || !parse_type(word, type)) {
        return scanner_fail(&reader->scanner, DENT_ERROR_FORMAT, "'%.*s' is not a type of PLY", SPAN_ARGUMENTS(word));
    }
    return DENT_OK;
}

static dent_status read_format(struct ply_reader *reader)
{
    struct text_span word;
    if (!scanner_word_in_line(&reader->scanner, &word)) {
        word.length = 0;
    }
    const char *name = NULL;
    if (span_equal(word, "ascii")) {
        reader->is_text = true;
        name = "ply ascii";
    } else if (span_equal(word, "binary_little_endian")) {
        name = "ply binary little endian";
    } else if (span_equal(word, "binary_big_endian")) {
        reader->bytes.big_endian = true;
        name = "ply binary big endian";
    } else {
        return scanner_fail(&reader->scanner, DENT_ERROR_FORMAT, "'%.*s' is not a format of PLY", SPAN_ARGUMENTS(word));
    }
    snprintf(reader->request->format, sizeof reader->request->format, "%s", name);
    return DENT_OK;
}

/* Behind a declaration nothing may follow: what would be ignored could be a name with a blank in it. */
static dent_status expect_line_end(struct ply_reader *reader)
{
    struct text_span word;
    if (scanner_word_in_line(&reader->scanner, &word)) {
        return scanner_fail(&reader->scanner, DENT_ERROR_FORMAT, "'%.*s' behind the declaration", SPAN_ARGUMENTS(word));
    }
    return DENT_OK;
}

static dent_status read_element_line(struct ply_reader *reader)
{
    struct ply_element element = {.first_property = reader->properties.count};
    if (!scanner_word_in_line(&reader->scanner, &element.name)) {
        return scanner_fail(&reader->scanner, DENT_ERROR_FORMAT, "an element without a name");
    }
    int64_t count;
    dent_status status = scanner_integer_in_line(&reader->scanner, "number of elements", 0, INT64_MAX, &count);
    if (status != DENT_OK) {
        return status;
    }
    element.count = (uint64_t)count;
    element.role = span_equal(element.name, "vertex") ? ELEMENT_VERTEX
                   : span_equal(element.name, "face") ? ELEMENT_FACE
                                                      : ELEMENT_OTHER;
    if (element.role != ELEMENT_OTHER && reader->declared & 1u << element.role) {
        return scanner_fail(&reader->scanner, DENT_ERROR_FORMAT, "element '%.*s' is declared twice",
                            SPAN_ARGUMENTS(element.name));
    }
    reader->declared |= 1u << element.role;
    TRY(expect_line_end(reader));
    return array_push(&reader->elements, &element) ? DENT_OK : out_of_memory(reader);
}

static uint8_t role_of_property(const struct ply_element *element, const struct ply_property *property,
                                struct text_span name)
{
    if (element->role == ELEMENT_VERTEX && !property->is_list && name.length == 1 && name.text[0] >= 'x' &&
        name.text[0] <= 'z') {
        return (uint8_t)(ROLE_X + (name.text[0] - 'x'));
    }
    if (element->role == ELEMENT_VERTEX && !property->is_list && name.length == 2 && name.text[0] == 'n' &&
        name.text[1] >= 'x' && name.text[1] <= 'z') {
        return (uint8_t)(ROLE_NX + (name.text[1] - 'x'));
    }
    bool integers = number_is_integer(property->type);
    if (element->role == ELEMENT_FACE && property->is_list && integers &&
        (span_equal(name, "vertex_indices") || span_equal(name, "vertex_index"))) {
        return ROLE_CORNERS;
    }
    return ROLE_NONE;
}

static dent_status read_property_line(struct ply_reader *reader)
{
    struct text_scanner *scanner = &reader->scanner;
    if (reader->elements.count == 0) {
        return scanner_fail(scanner, DENT_ERROR_FORMAT, "a property before the first element");
    }
    struct ply_property property = {.role = ROLE_NONE};
    struct text_scanner before = *scanner;
    struct text_span word;
    property.is_list = scanner_word_in_line(scanner, &word) && span_equal(word, "list");
    dent_status status = DENT_OK;
    if (property.is_list) {
        status = read_type(reader, &property.count_type);
        if (status == DENT_OK && !number_is_integer(property.count_type)) {
            status = scanner_fail(scanner, DENT_ERROR_FORMAT, "the length of a list cannot be a fraction");
        }
    } else {
        *scanner = before;
    }
    status = status == DENT_OK ? read_type(reader, &property.type) : status;
    if (status != DENT_OK) {
        return status;
    }
    if (!scanner_word_in_line(scanner, &word)) {
        return scanner_fail(scanner, DENT_ERROR_FORMAT, "a property without a name");
    }
    struct ply_element *element = element_at(reader, reader->elements.count - 1);
    property.role = role_of_property(element, &property, word);
    if (property.role != ROLE_NONE && element->declared & 1u << property.role) {
        return scanner_fail(scanner, DENT_ERROR_FORMAT, "property '%.*s' is declared twice", SPAN_ARGUMENTS(word));
    }
    element->declared |= 1u << property.role;
    element->property_count++;
    TRY(expect_line_end(reader));
    return array_push(&reader->properties, &property) ? DENT_OK : out_of_memory(reader);
}

static dent_status read_header_line(struct ply_reader *reader, struct text_span keyword)
{
    if (span_equal(keyword, "format")) {
        return read_format(reader);
    }
    if (span_equal(keyword, "element")) {
        return read_element_line(reader);
    }
    if (span_equal(keyword, "property")) {
        return read_property_line(reader);
    }
    if (span_equal(keyword, "comment") || span_equal(keyword, "obj_info")) {
        return DENT_OK;
    }
    return scanner_fail(&reader->scanner, DENT_ERROR_FORMAT, "'%.*s' is not a header line of PLY",
                        SPAN_ARGUMENTS(keyword));
}

/* Leaves the cursor at the first byte of the data. A header whose lines end with CR alone must not swallow a data byte
 * that happens to be LF, so the line end is the one of the first line. */
static dent_status read_header(struct ply_reader *reader)
{
    struct text_scanner *scanner = &reader->scanner;
    struct text_span word;
    if (!scanner_word_in_line(scanner, &word) || !span_equal(word, "ply")) {
        return scanner_fail(scanner, DENT_ERROR_FORMAT, "a PLY file must begin with 'ply'");
    }
    bool cr_only = scanner_bytes_left(scanner) > 1 && scanner->cursor[0] == '\r' && scanner->cursor[1] != '\n';
    scanner_skip_line(scanner);
    bool found_format = false;
    dent_status status = DENT_OK;
    while (status == DENT_OK) {
        if (!scanner_word(scanner, &word)) {
            return scanner_fail(scanner, DENT_ERROR_FORMAT, "the file ends within the header");
        }
        if (span_equal(word, "end_header")) {
            break;
        }
        found_format = found_format || span_equal(word, "format");
        status = read_header_line(reader, word);
        scanner_skip_line(scanner);
    }
    if (status == DENT_OK && !found_format) {
        status = scanner_fail(scanner, DENT_ERROR_FORMAT, "the header names no format");
    }
    if (status != DENT_OK) {
        return status;
    }
    const uint8_t *line_end = memchr(scanner->cursor, cr_only ? '\r' : '\n', scanner_bytes_left(scanner));
    scanner_jump(scanner, line_end ? line_end + 1 : scanner->end);
    scanner->line++;
    return DENT_OK;
}

/* ---- data ---------------------------------------------------------------------------------------------- */

static size_t data_left(const struct ply_reader *reader)
{
    return reader->is_text ? scanner_bytes_left(&reader->scanner) : byte_reader_left(&reader->bytes);
}

/* Message about a place in the data, in the words of the kind of file it is. */
static dent_status fail_at(const struct ply_reader *reader, const struct ply_element *element, uint64_t index,
                           const char *what)
{
    if (reader->is_text) {
        return scanner_fail(&reader->scanner, DENT_ERROR_FORMAT, "%.*s %llu %s", SPAN_ARGUMENTS(element->name),
                            (unsigned long long)index, what);
    }
    size_t at = (size_t)(reader->bytes.cursor - reader->request->bytes.data);
    return dent_fail(reader->request->context, DENT_ERROR_FORMAT, "%s: byte %zu: %.*s %llu %s", reader->request->name,
                     at, SPAN_ARGUMENTS(element->name), (unsigned long long)index, what);
}

static dent_status read_integer(struct ply_reader *reader, uint8_t type, const char *what, int64_t *value)
{
    if (reader->is_text) {
        return scanner_integer(&reader->scanner, what, INT64_MIN, INT64_MAX, value);
    }
    *value = number_read_integer(&reader->bytes, type);
    return DENT_OK; /* a short file is seen when the record ends */
}

static dent_status read_real(struct ply_reader *reader, uint8_t type, double *value)
{
    if (reader->is_text) {
        return scanner_double(&reader->scanner, "property value", value);
    }
    *value = number_read_real(&reader->bytes, type);
    return DENT_OK;
}

/* How many bytes a list entry or a scalar takes at least: in text a digit and a blank. */
static uint64_t least_bytes(const struct ply_reader *reader, uint8_t type)
{
    return reader->is_text ? 2 : number_size(type);
}

static dent_status read_list(struct ply_reader *reader, const struct ply_element *element, uint64_t index,
                             const struct ply_property *property)
{
    int64_t length = 0;
    dent_status status = read_integer(reader, property->count_type, "length of a list", &length);
    if (status != DENT_OK) {
        return status;
    }
    /* + 1: the last number of a text needs no blank behind it */
    if (length < 0 || (uint64_t)length > (data_left(reader) + 1) / least_bytes(reader, property->type)) {
        return fail_at(reader, element, index, "has a list longer than the rest of the file");
    }
    bool corners = property->role == ROLE_CORNERS;
    if (!corners && !reader->is_text) {
        byte_reader_take(&reader->bytes, (size_t)length * number_size(property->type));
        return DENT_OK;
    }
    for (int64_t i = 0; i < length && status == DENT_OK; i++) {
        if (!corners) {
            double ignored;
            status = read_real(reader, property->type, &ignored);
            continue;
        }
        int64_t corner = 0;
        status = read_integer(reader, property->type, "vertex index", &corner);
        if (status == DENT_OK && (corner < 0 || corner > UINT32_MAX)) {
            status = fail_at(reader, element, index,
                             "names a vertex that does not exist: its index is negative or too large");
        }
        uint32_t stored = (uint32_t)corner;
        if (status == DENT_OK && !array_push(&reader->corners, &stored)) {
            status = out_of_memory(reader);
        }
    }
    return status;
}

static dent_status finish_record(struct ply_reader *reader, const struct ply_element *element, uint64_t index,
                                 const double values[6])
{
    uint64_t line = reader->is_text ? reader->scanner.line : 0;
    if (!reader->is_text && reader->bytes.failed) {
        return fail_at(reader, element, index, "is cut off: the file is too short");
    }
    if (element->role == ELEMENT_VERTEX) {
        struct mesh_builder *builder = reader->request->builder;
        TRY(builder_add_vertex(builder, values[0], values[1], values[2], line));
        bool wanted = builder->points_make_a_body && (element->declared & NORMAL_ROLES) == NORMAL_ROLES;
        return wanted ? builder_add_normal(builder, values + 3, line) : DENT_OK;
    }
    if (element->role == ELEMENT_FACE) {
        if (reader->corners.count < 3) {
            return fail_at(reader, element, index, "has fewer than 3 corners");
        }
        return builder_add_polygon(reader->request->builder, 0, reader->corners.data, (uint32_t)reader->corners.count,
                                   line);
    }
    return DENT_OK;
}

static dent_status read_record(struct ply_reader *reader, const struct ply_element *element, uint64_t index)
{
    const struct ply_property *properties = properties_of(reader, element);
    double values[6] = {0}; /* position, normal */
    reader->corners.count = 0;
    dent_status status = DENT_OK;
    for (size_t p = 0; p < element->property_count && status == DENT_OK; p++) {
        if (properties[p].is_list) {
            status = read_list(reader, element, index, &properties[p]);
        } else {
            double value = 0;
            status = read_real(reader, properties[p].type, &value);
            if (properties[p].role >= ROLE_X && properties[p].role <= ROLE_NZ) {
                values[properties[p].role - ROLE_X] = value;
            }
        }
    }
    return status == DENT_OK ? finish_record(reader, element, index, values) : status;
}

/* Can so many records follow, each with at least so many bytes? */
static dent_status check_claim(struct ply_reader *reader, const struct ply_element *element)
{
    const struct ply_property *properties = properties_of(reader, element);
    uint64_t record = 0;
    for (size_t p = 0; p < element->property_count; p++) {
        record += least_bytes(reader, properties[p].is_list ? properties[p].count_type : properties[p].type);
    }
    size_t left = data_left(reader);
    if (record > 0 && element->count > (left + 1) / record) {
        return dent_fail(reader->request->context, DENT_ERROR_FORMAT,
                         "%s: claims %llu of element '%.*s', but only %zu bytes follow", reader->request->name,
                         (unsigned long long)element->count, SPAN_ARGUMENTS(element->name), left);
    }
    return DENT_OK;
}

static dent_status read_element_data(struct ply_reader *reader, const struct ply_element *element)
{
    if (element->property_count == 0) {
        return DENT_OK; /* no bytes, however many it claims */
    }
    dent_status status = check_claim(reader, element);
    if (status == DENT_OK && element->role == ELEMENT_VERTEX) {
        status = builder_reserve_vertices(reader->request->builder, element->count);
    } else if (status == DENT_OK && element->role == ELEMENT_FACE) {
        status = builder_reserve_elements(reader->request->builder, ELEMENT_TRIANGLE, element->count);
    } else if (element->count > 0) {
        builder_note(reader->request->builder, element->count,
                     "records of elements other than vertex and face were skipped");
    }
    for (uint64_t i = 0; i < element->count && status == DENT_OK; i++) {
        status = read_record(reader, element, i);
    }
    return status;
}

/* ---- the whole file ------------------------------------------------------------------------------------ */

static dent_status require_roles(struct ply_reader *reader, enum ply_element_role role, const char *name,
                                 unsigned roles, const char *properties)
{
    for (size_t e = 0; e < reader->elements.count; e++) {
        const struct ply_element *element = element_at(reader, e);
        if (element->role != role) {
            continue;
        }
        if ((element->declared & roles) == roles) {
            return DENT_OK;
        }
        return dent_fail(reader->request->context, DENT_ERROR_FORMAT, "%s: element '%s' has no %s",
                         reader->request->name, name, properties);
    }
    return dent_fail(reader->request->context, DENT_ERROR_FORMAT, "%s: the header declares no element '%s'",
                     reader->request->name, name);
}

/* None: a cloud of points. */
static bool has_faces(const struct ply_reader *reader)
{
    for (size_t e = 0; e < reader->elements.count; e++) {
        if (element_at(reader, e)->role == ELEMENT_FACE && element_at(reader, e)->count > 0) {
            return true;
        }
    }
    return false;
}

static dent_status read_data(struct ply_reader *reader)
{
    const uint8_t *end = reader->scanner.end;
    bool big_endian = reader->bytes.big_endian;
    reader->bytes = byte_reader_over(reader->scanner.cursor, end, big_endian);
    reader->request->builder->forward_references = true; /* faces may be declared before vertices */
    dent_status status = DENT_OK;
    for (size_t e = 0; e < reader->elements.count && status == DENT_OK; e++) {
        status = read_element_data(reader, element_at(reader, e));
    }
    if (status == DENT_OK && reader->is_text && !scanner_at_end(&reader->scanner)) {
        return scanner_fail(&reader->scanner, DENT_ERROR_FORMAT, "more data than the header declares");
    }
    if (status == DENT_OK && !reader->is_text && byte_reader_left(&reader->bytes) > 0) {
        builder_note(reader->request->builder, byte_reader_left(&reader->bytes),
                     "bytes behind the last record were ignored");
    }
    return status;
}

dent_status read_ply(struct read_request *request)
{
    struct ply_reader reader = {.request = request};
    TRY(scanner_open(&reader.scanner, request->context, request->name, request->bytes.data, request->bytes.size, -1));
    array_init(&reader.elements, request->context, sizeof(struct ply_element));
    array_init(&reader.properties, request->context, sizeof(struct ply_property));
    array_init(&reader.corners, request->context, sizeof(uint32_t));
    dent_status status = read_header(&reader);
    if (status == DENT_OK) {
        status =
            require_roles(&reader, ELEMENT_VERTEX, "vertex", 1u << ROLE_X | 1u << ROLE_Y | 1u << ROLE_Z, "x, y and z");
    }
    request->builder->points_make_a_body = status == DENT_OK && !has_faces(&reader);
    if (status == DENT_OK && !request->builder->points_make_a_body) {
        status = require_roles(&reader, ELEMENT_FACE, "face", 1u << ROLE_CORNERS,
                               "list vertex_indices or vertex_index of integers");
    }
    if (status == DENT_OK) {
        status = read_data(&reader);
    }
    array_destroy(&reader.corners);
    array_destroy(&reader.properties);
    array_destroy(&reader.elements);
    return status;
}
