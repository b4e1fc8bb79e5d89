/* VTK XML files: .vtu (unstructured grids) and .vtp (polygonal data), of one or several pieces.
 *
 * First pass: the XML is walked once and the arrays that matter are noted where they lie — positions, connectivity,
 * offsets, types, and cell data named group, physical, gmsh:physical or body. Second pass: piece by piece they are
 * unpacked (text, base64 or raw, plain or in zlib blocks, either byte order) and handed to the builder. The format is
 * described in "VTK File Formats" of the VTK User's Guide. */
#include "io/bytes/number_type.h"
#include "reader_table.h"
#include "io/bytes/try_status.h"
#include "vtk_cells.h"
#include "vtk_data_stream.h"
#include "io/bytes/xml_scanner.h"

#include "io/bytes/decimal_number.h"

#include <stdio.h>
#include <string.h>

/* The lists of cells, in the order in which cell data number them. A grid has one. */
enum part { PART_VERTS, PART_LINES, PART_POLYS, PART_STRIPS, PART_COUNT };

enum placement { ARRAY_MISSING, ARRAY_TEXT, ARRAY_INLINE, ARRAY_APPENDED };

struct data_array {
    enum placement placement;
    enum number_type type;
    uint64_t components;
    uint64_t offset;          /* appended: in the block at the end */
    struct text_span content; /* inline */
    const char *tag;          /* where it is declared, for messages */
    uint64_t line;            /* of its text, or of its tag */
    const char *name;         /* what it is, for messages; static */
};

struct piece {
    uint64_t point_count;
    uint64_t cell_counts[PART_COUNT];
    struct data_array positions;
    struct data_array connectivity[PART_COUNT];
    struct data_array offsets[PART_COUNT];
    struct data_array types;
    struct data_array groups;
    struct data_array radii; /* of points, "radius": of strands */
};

enum section { SECTION_NONE, SECTION_POINTS, SECTION_CELLS, SECTION_CELL_DATA, SECTION_POINT_DATA };

struct vtu_reader {
    struct read_request *request;
    struct xml_scanner xml;
    bool is_polydata;
    struct vtk_encoding encoding;   /* base64 is set per array */
    const char *unknown_compressor; /* null when arrays can be unpacked */
    bool appended_base64;
    const uint8_t *appended;     /* first byte of the block behind the XML; null when there is none */
    struct dynamic_array pieces; /* struct piece */
    enum section section;
    int part;                   /* of SECTION_CELLS */
    struct data_array *waiting; /* the array whose text comes next, or null */
    uint64_t numbers_left;      /* how many more the file can hold; see source_open() */
    uint64_t lengths_left;      /* the same of lengths of packed blocks */
};

static dent_status out_of_memory(const struct vtu_reader *reader)
{
    return dent_fail(reader->request->context, DENT_ERROR_OUT_OF_MEMORY, "%s: out of memory", reader->request->name);
}

/* ---- first pass: the XML ------------------------------------------------------------------------------- */

static bool parse_type(struct text_span word, enum number_type *type)
{
    static const char *const names[NUMBER_TYPE_COUNT] = {"Int8",   "UInt8", "Int16",  "UInt16",  "Int32",
                                                         "UInt32", "Int64", "UInt64", "Float32", "Float64"};
    for (int i = 0; i < NUMBER_TYPE_COUNT; i++) {
        if (span_equal(word, names[i])) {
            *type = (enum number_type)i;
            return true;
        }
    }
    return false;
}

static dent_status count_attribute(const struct vtu_reader *reader, const struct xml_tag *tag, const char *name,
                                   bool required, uint64_t *count)
{
    struct text_span value;
    *count = 0;
    if (!xml_attribute(tag, name, &value)) {
        return required ? xml_fail(&reader->xml, tag->name.text, DENT_ERROR_FORMAT, "<%.*s> has no %s",
                                   SPAN_ARGUMENTS(tag->name), name)
                        : DENT_OK;
    }
    int64_t number;
    bool fits;
    if (!decimal_to_integer(value.text, value.length, &number, &fits) || number < 0) {
        return xml_fail(&reader->xml, tag->name.text, DENT_ERROR_FORMAT, "%s '%.*s' is not a count", name,
                        SPAN_ARGUMENTS(value));
    }
    *count = (uint64_t)number;
    return DENT_OK;
}

static dent_status read_file_tag(struct vtu_reader *reader, const struct xml_tag *tag)
{
    const char *at = tag->name.text;
    struct text_span value;
    if (!span_equal(tag->name, "VTKFile") || !xml_attribute(tag, "type", &value)) {
        return xml_fail(&reader->xml, at, DENT_ERROR_FORMAT, "<%.*s> where <VTKFile type=\"\"> should be",
                        SPAN_ARGUMENTS(tag->name));
    }
    reader->is_polydata = span_equal(value, "PolyData");
    if (!reader->is_polydata && !span_equal(value, "UnstructuredGrid")) {
        return xml_fail(&reader->xml, at, DENT_ERROR_UNSUPPORTED,
                        "a VTK file of type '%.*s' is neither UnstructuredGrid nor PolyData", SPAN_ARGUMENTS(value));
    }
    if (xml_attribute(tag, "byte_order", &value)) {
        reader->encoding.big_endian = span_equal(value, "BigEndian");
        if (!reader->encoding.big_endian && !span_equal(value, "LittleEndian")) {
            return xml_fail(&reader->xml, at, DENT_ERROR_FORMAT, "unknown byte_order '%.*s'", SPAN_ARGUMENTS(value));
        }
    }
    if (xml_attribute(tag, "header_type", &value)) {
        reader->encoding.wide_headers = span_equal(value, "UInt64");
        if (!reader->encoding.wide_headers && !span_equal(value, "UInt32")) {
            return xml_fail(&reader->xml, at, DENT_ERROR_FORMAT, "unknown header_type '%.*s'", SPAN_ARGUMENTS(value));
        }
    }
    if (xml_attribute(tag, "compressor", &value) && value.length > 0) {
        reader->encoding.compressed = true;
        if (!span_equal(value, "vtkZLibDataCompressor")) {
            reader->unknown_compressor = at; /* fails only when an array is packed by it: text arrays never are */
        }
    }
    return DENT_OK;
}

static dent_status read_piece_tag(struct vtu_reader *reader, const struct xml_tag *tag)
{
    static const char *const polydata_counts[PART_COUNT] = {"NumberOfVerts", "NumberOfLines", "NumberOfPolys",
                                                            "NumberOfStrips"};
    struct piece piece;
    memset(&piece, 0, sizeof piece);
    dent_status status = count_attribute(reader, tag, "NumberOfPoints", true, &piece.point_count);
    if (!reader->is_polydata && status == DENT_OK) {
        status = count_attribute(reader, tag, "NumberOfCells", true, &piece.cell_counts[0]);
    }
    for (int part = 0; reader->is_polydata && part < PART_COUNT && status == DENT_OK; part++) {
        status = count_attribute(reader, tag, polydata_counts[part], false, &piece.cell_counts[part]);
    }
    if (status == DENT_OK && !array_push(&reader->pieces, &piece)) {
        status = out_of_memory(reader);
    }
    return status;
}

static void enter_section(struct vtu_reader *reader, struct text_span name)
{
    static const char *const polydata_sections[PART_COUNT] = {"Verts", "Lines", "Polys", "Strips"};
    reader->section = SECTION_NONE;
    if (span_equal(name, "Points")) {
        reader->section = SECTION_POINTS;
    } else if (span_equal(name, "CellData")) {
        reader->section = SECTION_CELL_DATA;
    } else if (span_equal(name, "PointData")) {
        reader->section = SECTION_POINT_DATA;
    } else if (!reader->is_polydata && span_equal(name, "Cells")) {
        reader->section = SECTION_CELLS;
        reader->part = 0;
    }
    for (int part = 0; reader->is_polydata && part < PART_COUNT; part++) {
        if (span_equal(name, polydata_sections[part])) {
            reader->section = SECTION_CELLS;
            reader->part = part;
        }
    }
}

/* The place for an array of this name in this section, or null when it does not matter. */
static struct data_array *place_for(struct vtu_reader *reader, struct text_span name, const char **what)
{
    struct piece *piece = (struct piece *)reader->pieces.data + reader->pieces.count - 1;
    if (reader->section == SECTION_POINTS) {
        *what = "Points";
        return &piece->positions;
    }
    if (reader->section == SECTION_CELL_DATA && vtk_name_is_group(name.text, name.length)) {
        *what = "group";
        return &piece->groups;
    }
    if (reader->section == SECTION_POINT_DATA && span_equal(name, "radius")) {
        *what = "radius";
        return &piece->radii;
    }
    if (reader->section != SECTION_CELLS) {
        return NULL;
    }
    if (span_equal(name, "connectivity")) {
        *what = "connectivity";
        return &piece->connectivity[reader->part];
    }
    if (span_equal(name, "offsets")) {
        *what = "offsets";
        return &piece->offsets[reader->part];
    }
    if (span_equal(name, "types") && !reader->is_polydata) {
        *what = "types";
        return &piece->types;
    }
    return NULL;
}

static dent_status read_array_tag(struct vtu_reader *reader, const struct xml_tag *tag)
{
    struct text_span name = {0}, value;
    xml_attribute(tag, "Name", &name);
    const char *what = "";
    struct data_array *place = reader->pieces.count > 0 ? place_for(reader, name, &what) : NULL;
    if (!place) {
        return DENT_OK;
    }
    const char *at = tag->name.text;
    struct data_array array = {.tag = at, .name = what, .line = xml_line_of(&reader->xml, at)};
    if (!xml_attribute(tag, "type", &value) || !parse_type(value, &array.type)) {
        if (place == &((struct piece *)reader->pieces.data)[reader->pieces.count - 1].groups) {
            return DENT_OK; /* named like a group, but of strings */
        }
        return xml_fail(&reader->xml, at, DENT_ERROR_FORMAT, "array '%s' has no known number type", what);
    }
    if (place->placement != ARRAY_MISSING) {
        return xml_fail(&reader->xml, at, DENT_ERROR_FORMAT, "array '%s' stands twice in one piece", what);
    }
    dent_status status = count_attribute(reader, tag, "NumberOfComponents", false, &array.components);
    if (!xml_attribute(tag, "format", &value)) {
        value = (struct text_span){.text = "ascii", .length = 5};
    }
    if (span_equal(value, "appended")) {
        array.placement = ARRAY_APPENDED;
        status = status == DENT_OK ? count_attribute(reader, tag, "offset", true, &array.offset) : status;
    } else if (span_equal(value, "binary") || span_equal(value, "ascii")) {
        array.placement = span_equal(value, "ascii") ? ARRAY_TEXT : ARRAY_INLINE;
        reader->waiting = tag->is_empty ? NULL : place;
    } else {
        return xml_fail(&reader->xml, at, DENT_ERROR_FORMAT, "array '%s' has the unknown format '%.*s'", what,
                        SPAN_ARGUMENTS(value));
    }
    *place = array;
    return status;
}

/* What follows this tag is no XML any more. The data begin behind an underscore. */
static dent_status read_appended_tag(struct vtu_reader *reader, const struct xml_tag *tag)
{
    struct text_span value;
    if (!xml_attribute(tag, "encoding", &value) || !(span_equal(value, "raw") || span_equal(value, "base64"))) {
        return xml_fail(&reader->xml, tag->name.text, DENT_ERROR_FORMAT, "appended data are neither raw nor base64");
    }
    reader->appended_base64 = span_equal(value, "base64");
    const char *cursor = reader->xml.cursor;
    while (cursor < reader->xml.end && (*cursor == ' ' || *cursor == '\t' || *cursor == '\n' || *cursor == '\r')) {
        cursor++;
    }
    if (cursor == reader->xml.end || *cursor != '_') {
        return xml_fail(&reader->xml, cursor, DENT_ERROR_FORMAT, "appended data do not begin with an underscore");
    }
    reader->appended = (const uint8_t *)cursor + 1;
    return DENT_OK;
}

static dent_status read_open_tag(struct vtu_reader *reader, const struct xml_tag *tag)
{
    bool at_root = reader->xml.depth == (tag->is_empty ? 0 : 1);
    if (at_root) {
        return read_file_tag(reader, tag);
    }
    if (span_equal(tag->name, "Piece")) {
        return read_piece_tag(reader, tag);
    }
    if (span_equal(tag->name, "DataArray")) {
        return read_array_tag(reader, tag);
    }
    if (span_equal(tag->name, "AppendedData")) {
        return read_appended_tag(reader, tag);
    }
    /* VTKFile / UnstructuredGrid / Piece / section */
    if (reader->xml.depth == (tag->is_empty ? 3 : 4)) {
        enter_section(reader, tag->name);
    }
    return DENT_OK;
}

static dent_status read_xml(struct vtu_reader *reader)
{
    struct xml_tag tag;
    for (;;) {
        dent_status status = xml_next_tag(&reader->xml, &tag);
        if (status != DENT_OK) {
            return status;
        }
        if (reader->waiting) { /* the text right behind a DataArray's tag */
            reader->waiting->content = tag.text;
            reader->waiting->line = xml_line_of(&reader->xml, tag.text.text);
            reader->waiting = NULL;
        }
        if (tag.kind == XML_END_OF_FILE) {
            break;
        }
        status = tag.kind == XML_OPEN ? read_open_tag(reader, &tag) : DENT_OK;
        if (status != DENT_OK || reader->appended) {
            return status;
        }
    }
    return DENT_OK;
}

/* ---- second pass: numbers ------------------------------------------------------------------------------ */

/* The numbers of one array, one after the other. */
struct number_source {
    bool is_text;
    enum number_type type;
    const char *name;
    struct text_scanner text;
    struct byte_reader bytes;
    struct vtk_array_bytes owner;
};

/* Text with more numbers than announced may have been shifted: counted. */
static void source_close(struct vtu_reader *reader, struct number_source *source)
{
    struct text_span word;
    if (source->is_text && scanner_word(&source->text, &word)) {
        builder_note_line(reader->request->builder, "arrays have more numbers than announced, which are not read",
                          source->text.line, word.text, word.length);
    }
    vtk_array_bytes_release(reader->request->context, &source->owner);
}

static dent_status open_binary(struct vtu_reader *reader, const struct data_array *array, uint64_t size,
                               struct number_source *source)
{
    dent_context *context = reader->request->context;
    if (reader->unknown_compressor) {
        return xml_fail(&reader->xml, reader->unknown_compressor, DENT_ERROR_UNSUPPORTED,
                        "packed by another compressor than zlib: dent cannot unpack that");
    }
    const uint8_t *begin = (const uint8_t *)array->content.text;
    const uint8_t *end = begin ? begin + array->content.length : NULL;
    struct vtk_encoding encoding = reader->encoding;
    encoding.base64 = true;
    if (array->placement == ARRAY_APPENDED) {
        if (!reader->appended) {
            return xml_fail(&reader->xml, array->tag, DENT_ERROR_FORMAT, "array '%s' is appended, but nothing is",
                            array->name);
        }
        encoding.base64 = reader->appended_base64;
        end = (const uint8_t *)reader->xml.end;
        if (array->offset > (uint64_t)(end - reader->appended)) {
            return xml_fail(&reader->xml, array->tag, DENT_ERROR_FORMAT,
                            "array '%s' begins behind the end of the file: byte %llu of %zu", array->name,
                            (unsigned long long)array->offset, (size_t)(end - reader->appended));
        }
        begin = reader->appended + array->offset;
    }
    char where[512];
    snprintf(where, sizeof where, "%.400s:%llu: array '%s'", reader->request->name, (unsigned long long)array->line,
             array->name);
    dent_status status = vtk_array_unpack(context, where, &encoding, begin, end, size, &source->owner);
    if (status == DENT_OK && source->owner.lengths_passed > reader->lengths_left) {
        vtk_array_bytes_release(context, &source->owner);
        return xml_fail(&reader->xml, array->tag, DENT_ERROR_FORMAT, "array '%s' shares its blocks with many others",
                        array->name);
    }
    reader->lengths_left -= status == DENT_OK ? source->owner.lengths_passed : 0;
    if (status == DENT_OK && size > 0) { /* otherwise there may be no bytes to point at */
        source->bytes =
            byte_reader_over(source->owner.data, source->owner.data + source->owner.size, encoding.big_endian);
    }
    return status;
}

/* `count` numbers must be there. Close the source when done, also after an error of the numbers; not when opening
 * failed. */
static dent_status source_open(struct vtu_reader *reader, const struct data_array *array, uint64_t count, bool integers,
                               struct number_source *source)
{
    memset(source, 0, sizeof *source);
    source->is_text = array->placement == ARRAY_TEXT;
    source->type = array->type;
    source->name = array->name;
    if (integers && !number_is_integer(array->type)) {
        return xml_fail(&reader->xml, array->tag, DENT_ERROR_FORMAT, "array '%s' must be of integers", array->name);
    }
    /* Many small pieces could all point at one large array; a file that makes more of itself than it holds is refused.
     */
    if (count > reader->numbers_left) {
        return xml_fail(&reader->xml, array->tag, DENT_ERROR_FORMAT,
                        "array '%s' of %llu numbers: more than the file can hold", array->name,
                        (unsigned long long)count);
    }
    reader->numbers_left -= count;
    if (!source->is_text) {
        return open_binary(reader, array, count * number_size(array->type), source);
    }
    const char *begin = array->content.text ? array->content.text : reader->xml.end;
    scanner_init(&source->text, reader->request->context, reader->request->name, begin, array->content.length, -1);
    source->text.line = array->line;
    return scanner_check_claim(&source->text, array->name, count, 2);
}

static dent_status next_integer(struct number_source *source, int64_t *value)
{
    if (source->is_text) {
        return scanner_integer(&source->text, source->name, INT64_MIN, INT64_MAX, value);
    }
    *value = number_read_integer(&source->bytes, source->type);
    return DENT_OK;
}

static dent_status next_real(struct number_source *source, double *value)
{
    if (source->is_text) {
        return scanner_double(&source->text, source->name, value);
    }
    *value = number_read_real(&source->bytes, source->type);
    return DENT_OK;
}

/* ---- second pass: pieces ------------------------------------------------------------------------------- */

static dent_status require(struct vtu_reader *reader, const struct data_array *array, const char *name)
{
    if (array->placement == ARRAY_MISSING) {
        return dent_fail(reader->request->context, DENT_ERROR_FORMAT, "%s: a piece has no array '%s'",
                         reader->request->name, name);
    }
    return DENT_OK;
}

static dent_status emit_points(struct vtu_reader *reader, const struct piece *piece)
{
    if (piece->point_count == 0) {
        return DENT_OK;
    }
    dent_status status = require(reader, &piece->positions, "Points");
    if (status == DENT_OK && (piece->positions.components != 3 || piece->point_count > UINT32_MAX)) {
        return xml_fail(&reader->xml, piece->positions.tag,
                        piece->positions.components != 3 ? DENT_ERROR_FORMAT : DENT_ERROR_TOO_LARGE,
                        "%llu points of %llu coordinates", (unsigned long long)piece->point_count,
                        (unsigned long long)piece->positions.components);
    }
    struct number_source source;
    status =
        status == DENT_OK ? source_open(reader, &piece->positions, 3 * piece->point_count, false, &source) : status;
    if (status != DENT_OK) {
        return status;
    }
    status = builder_reserve_vertices(reader->request->builder, piece->point_count);
    for (uint64_t i = 0; i < piece->point_count && status == DENT_OK; i++) {
        double position[3] = {0, 0, 0};
        for (int axis = 0; axis < 3 && status == DENT_OK; axis++) {
            status = next_real(&source, &position[axis]);
        }
        uint64_t line = source.is_text ? source.text.line : 0;
        if (status == DENT_OK) {
            status = builder_add_vertex(reader->request->builder, position[0], position[1], position[2], line);
        }
    }
    source_close(reader, &source);
    return status;
}

/* Radii matter where lines become strands: in pieces without faces. */
static dent_status emit_radii(struct vtu_reader *reader, const struct piece *piece)
{
    bool strands = reader->is_polydata && piece->cell_counts[PART_LINES] > 0 && piece->cell_counts[PART_POLYS] == 0 &&
                   piece->cell_counts[PART_STRIPS] == 0;
    if (!strands || piece->radii.placement == ARRAY_MISSING || piece->radii.components != 1) {
        return DENT_OK;
    }
    struct number_source source;
    dent_status status = source_open(reader, &piece->radii, piece->point_count, false, &source);
    if (status != DENT_OK) {
        return status;
    }
    for (uint64_t i = 0; i < piece->point_count && status == DENT_OK; i++) {
        double radius = 0;
        status = next_real(&source, &radius);
        status = status == DENT_OK ? builder_add_radius(reader->request->builder, radius) : status;
    }
    source_close(reader, &source);
    return status;
}

static dent_status load_ends(struct vtu_reader *reader, const struct data_array *array, uint64_t cell_count,
                             struct vtk_cells *cells)
{
    struct number_source source;
    dent_status status = source_open(reader, array, cell_count, true, &source);
    if (status != DENT_OK) {
        return status;
    }
    int64_t before = 0;
    for (uint64_t i = 0; i < cell_count && status == DENT_OK; i++) {
        int64_t end = 0;
        status = next_integer(&source, &end);
        if (status == DENT_OK && end < before) {
            status = xml_fail(&reader->xml, array->tag, DENT_ERROR_FORMAT,
                              "cell %llu ends at %lld, before it begins at %lld", (unsigned long long)i, (long long)end,
                              (long long)before);
        }
        uint64_t stored = (uint64_t)end;
        if (status == DENT_OK && !array_push(&cells->ends, &stored)) {
            status = out_of_memory(reader);
        }
        before = end;
    }
    source_close(reader, &source);
    return status;
}

static dent_status load_nodes(struct vtu_reader *reader, const struct data_array *array, struct vtk_cells *cells)
{
    const uint64_t *ends = cells->ends.data;
    uint64_t node_count = cells->ends.count > 0 ? ends[cells->ends.count - 1] : 0;
    struct number_source source;
    dent_status status = source_open(reader, array, node_count, true, &source);
    if (status != DENT_OK) {
        return status;
    }
    for (uint64_t i = 0; i < node_count && status == DENT_OK; i++) {
        int64_t node = 0;
        status = next_integer(&source, &node);
        status = status == DENT_OK ? vtk_cells_add_node(cells, reader->request->builder, node) : status;
    }
    source_close(reader, &source);
    return status;
}

static dent_status load_types(struct vtu_reader *reader, const struct data_array *array, struct vtk_cells *cells)
{
    struct number_source source;
    dent_status status = source_open(reader, array, cells->ends.count, true, &source);
    if (status != DENT_OK) {
        return status;
    }
    for (size_t i = 0; i < cells->ends.count && status == DENT_OK; i++) {
        int64_t type = 0;
        status = next_integer(&source, &type);
        if (status == DENT_OK && (type < 0 || type > UINT8_MAX)) {
            status = xml_fail(&reader->xml, array->tag, DENT_ERROR_FORMAT, "cell %zu has the unknown type %lld", i,
                              (long long)type);
        }
        uint8_t stored = (uint8_t)type;
        if (status == DENT_OK && !array_push(&cells->types, &stored)) {
            status = out_of_memory(reader);
        }
    }
    source_close(reader, &source);
    return status;
}

/* The group of the next cell. Real numbers are groups where all are whole (dent run writes `body` so); *whole is false
 * for an array of other numbers, which only has the name of one. */
static dent_status next_tag(struct vtu_reader *reader, const struct data_array *array, struct number_source *source,
                            uint64_t cell, int32_t *tag, bool *whole)
{
    if (!number_is_integer(array->type)) {
        double real = 0;
        dent_status status = next_real(source, &real);
        *whole = real >= INT32_MIN && real <= INT32_MAX && real == (double)(int32_t)real;
        *tag = *whole ? (int32_t)real : 0;
        return status;
    }
    int64_t value = 0;
    dent_status status = next_integer(source, &value);
    if (status == DENT_OK && (value < INT32_MIN || value > INT32_MAX)) {
        status = xml_fail(&reader->xml, array->tag, DENT_ERROR_FORMAT, "the group of cell %llu does not fit in 32 bits",
                          (unsigned long long)cell);
    }
    *tag = (int32_t)value;
    return status;
}

static dent_status load_tags(struct vtu_reader *reader, const struct piece *piece, struct dynamic_array *tags)
{
    const struct data_array *array = &piece->groups;
    uint64_t count = 0;
    for (int part = 0; part < PART_COUNT; part++) {
        count += piece->cell_counts[part]; /* each was loaded, so the sum is far from overflowing */
    }
    if (array->placement == ARRAY_MISSING || array->components > 1) {
        return DENT_OK;
    }
    struct number_source source;
    dent_status status = source_open(reader, array, count, number_is_integer(array->type), &source);
    if (status != DENT_OK) {
        return status;
    }
    bool whole = true;
    for (uint64_t i = 0; i < count && status == DENT_OK && whole; i++) {
        int32_t tag = 0;
        status = next_tag(reader, array, &source, i, &tag, &whole);
        if (status == DENT_OK && whole && !array_push(tags, &tag)) {
            status = out_of_memory(reader);
        }
    }
    if (!whole) { /* the rest does not matter either */
        tags->count = 0;
        source.text.cursor = source.text.end;
    }
    source_close(reader, &source);
    return status;
}

static dent_status load_part(struct vtu_reader *reader, const struct piece *piece, int part, struct vtk_cells *cells)
{
    if (piece->cell_counts[part] == 0) {
        return DENT_OK;
    }
    TRY(require(reader, &piece->offsets[part], "offsets"));
    TRY(require(reader, &piece->connectivity[part], "connectivity"));
    TRY(load_ends(reader, &piece->offsets[part], piece->cell_counts[part], cells));
    TRY(load_nodes(reader, &piece->connectivity[part], cells));
    if (!reader->is_polydata) {
        TRY(require(reader, &piece->types, "types"));
        TRY(load_types(reader, &piece->types, cells));
    }
    return DENT_OK;
}

static dent_status emit_piece(struct vtu_reader *reader, const struct piece *piece)
{
    static const uint8_t part_types[PART_COUNT] = {VTK_POLY_VERTEX, VTK_POLY_LINE, VTK_POLYGON, VTK_TRIANGLE_STRIP};
    struct mesh_builder *builder = reader->request->builder;
    uint32_t first_vertex = builder_vertex_count(builder);
    struct vtk_cells cells[PART_COUNT];
    struct dynamic_array tags;
    array_init(&tags, reader->request->context, sizeof(int32_t));
    dent_status status = emit_points(reader, piece);
    status = status == DENT_OK ? emit_radii(reader, piece) : status;
    for (int part = 0; part < PART_COUNT; part++) {
        vtk_cells_init(&cells[part], reader->request->context);
        cells[part].common_type = part_types[part];
        status = status == DENT_OK ? load_part(reader, piece, part, &cells[part]) : status;
    }
    status = status == DENT_OK ? load_tags(reader, piece, &tags) : status;
    const int32_t *part_tags = tags.count > 0 ? tags.data : NULL;
    for (int part = 0; part < PART_COUNT; part++) {
        if (status == DENT_OK) {
            status = vtk_cells_emit(&cells[part], builder, first_vertex, builder_vertex_count(builder) - first_vertex,
                                    part_tags);
            part_tags = part_tags ? part_tags + cells[part].ends.count : NULL;
        }
        vtk_cells_release(&cells[part]);
    }
    array_destroy(&tags);
    return status;
}

static dent_status emit_pieces(struct vtu_reader *reader)
{
    if (reader->pieces.count == 0) {
        return dent_fail(reader->request->context, DENT_ERROR_FORMAT, "%s: no <Piece>; is it a VTK XML file?",
                         reader->request->name);
    }
    /* A number takes at least one byte; zlib makes at most 1032 bytes of one. */
    reader->lengths_left = reader->request->bytes.size;
    reader->numbers_left = (uint64_t)reader->request->bytes.size * (reader->encoding.compressed ? 1032 : 1);
    dent_status status = DENT_OK;
    for (size_t i = 0; i < reader->pieces.count && status == DENT_OK; i++) {
        status = emit_piece(reader, (const struct piece *)reader->pieces.data + i);
    }
    return status;
}

dent_status read_vtu(struct read_request *request)
{
    struct vtu_reader reader = {.request = request};
    TRY(xml_open(&reader.xml, request->context, request->name, request->bytes.data, request->bytes.size));
    array_init(&reader.pieces, request->context, sizeof(struct piece));
    dent_status status = read_xml(&reader);
    snprintf(request->format, sizeof request->format, "vtk xml %s%s", reader.is_polydata ? "polydata" : "grid",
             reader.appended ? " appended"
             : reader.pieces.count > 0 && ((struct piece *)reader.pieces.data)->positions.placement == ARRAY_TEXT
                 ? " ascii"
                 : " binary");
    status = status == DENT_OK ? emit_pieces(&reader) : status;
    array_destroy(&reader.pieces);
    return status;
}
