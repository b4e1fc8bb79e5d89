/* Legacy VTK files (.vtk), text and binary, versions 1 to 5: unstructured grids and polygonal data.
 *
 * After four lines of head the file is a sequence of sections, each a line of words and then an array of numbers;
 * binary arrays are big endian on every machine. From version 5 on cells are two arrays, offsets and connectivity,
 * before that one list in which each cell has its node count in front. Sections that say nothing about shape are
 * skipped by their size. Cell data named group, physical, gmsh:physical or body (integers, one per cell) are the
 * physical groups. The formats are described in "VTK File Formats" of the VTK User's Guide; OFFSETS and CONNECTIVITY in
 * the release notes of VTK 9. */
#include "io/bytes/number_type.h"
#include "reader_table.h"
#include "io/bytes/text_scanner.h"
#include "io/bytes/try_status.h"
#include "vtk_cells.h"

#include <stdio.h>

/* Polygonal data numbers its cells in this order, whatever the order of the sections. */
enum part { PART_VERTICES, PART_LINES, PART_POLYGONS, PART_STRIPS, PART_COUNT };

struct vtk_reader {
    struct read_request *request;
    struct text_scanner scanner;
    bool is_text;
    bool is_polydata;
    int64_t major_version;
    bool found_points;
    struct vtk_cells parts[PART_COUNT]; /* an unstructured grid has all cells in the first */
    struct dynamic_array tags;          /* int32_t per cell, or empty */
    bool beyond_knowledge;              /* met an attribute that cannot even be skipped */
    bool on_cells;                      /* attributes being read are those of cells */
    uint64_t tuple_count;               /* of the attributes */
};

static dent_status out_of_memory(const struct vtk_reader *reader)
{
    return dent_fail(reader->request->context, DENT_ERROR_OUT_OF_MEMORY, "%s: out of memory", reader->request->name);
}

/* ---- arrays of numbers --------------------------------------------------------------------------------- */

/* BIT is VTK's own: eight numbers in a byte. Only ever skipped. */
enum { TYPE_BIT = NUMBER_TYPE_COUNT };

static bool parse_type(struct text_span word, int *type)
{
    static const struct {
        const char *name;
        int type;
    } names[] = {
        {"bit", TYPE_BIT},
        {"char", NUMBER_I8},
        {"signed_char", NUMBER_I8},
        {"unsigned_char", NUMBER_U8},
        {"short", NUMBER_I16},
        {"unsigned_short", NUMBER_U16},
        {"int", NUMBER_I32},
        {"vtkidtype", NUMBER_I32}, /* VTK writes these as int */
        {"unsigned_int", NUMBER_U32},
        {"long", NUMBER_I64},
        {"unsigned_long", NUMBER_U64},
        {"vtktypeint64", NUMBER_I64},
        {"vtktypeuint64", NUMBER_U64},
        {"float", NUMBER_F32},
        {"double", NUMBER_F64},
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (span_equal_any_case(word, names[i].name)) {
            *type = names[i].type;
            return true;
        }
    }
    return false;
}

static bool is_integer(int type)
{
    return type != TYPE_BIT && number_is_integer((enum number_type)type);
}

static dent_status read_type(struct vtk_reader *reader, int *type)
{
    struct text_span word;
    if (!scanner_word_in_line(&reader->scanner, &word) || !parse_type(word, type)) {
        return scanner_fail(&reader->scanner, DENT_ERROR_FORMAT, "'%.*s' is not a number type of VTK",
                            SPAN_ARGUMENTS(word));
    }
    return DENT_OK;
}

/* The same for an array that is not needed: strings and other things that are no numbers end the reading of attributes,
 * they do not make the file unreadable. */
static dent_status read_attribute_type(struct vtk_reader *reader, int *type)
{
    struct text_span word;
    if (!scanner_word_in_line(&reader->scanner, &word) || !parse_type(word, type)) {
        reader->beyond_knowledge = true;
        return DENT_ERROR_UNSUPPORTED;
    }
    return DENT_OK;
}

static dent_status read_count(struct vtk_reader *reader, const char *what, uint64_t *count)
{
    int64_t value = 0;
    dent_status status = scanner_integer_in_line(&reader->scanner, what, 0, INT64_MAX, &value);
    *count = (uint64_t)value;
    return status;
}

/* An array begins: goes to the next line (in text the numbers may also stand on this one), and checks that `count`
 * numbers can follow. */
static dent_status begin_array(struct vtk_reader *reader, const char *what, uint64_t count, int type)
{
    if (!reader->is_text) {
        struct text_span rest;
        scanner_line(&reader->scanner, &rest);
        if (rest.length > 0) {
            return scanner_fail(&reader->scanner, DENT_ERROR_FORMAT, "'%.*s' where the line before the %s should end",
                                SPAN_ARGUMENTS(rest), what);
        }
    }
    uint64_t left = scanner_bytes_left(&reader->scanner);
    uint64_t most = reader->is_text    ? (left + 1) / 2
                    : type == TYPE_BIT ? 8 * left
                                       : left / number_size((enum number_type)type);
    if (count > most) {
        return scanner_fail(&reader->scanner, DENT_ERROR_FORMAT,
                            "claims %llu numbers of %s, but only %llu bytes follow", (unsigned long long)count, what,
                            (unsigned long long)left);
    }
    return DENT_OK;
}

/* In binary the bytes are there: begin_array() has looked. */
static dent_status next_integer(struct vtk_reader *reader, const char *what, int type, int64_t *value)
{
    if (reader->is_text) {
        return scanner_integer(&reader->scanner, what, INT64_MIN, INT64_MAX, value);
    }
    struct byte_reader bytes = byte_reader_over(reader->scanner.cursor, reader->scanner.end, true);
    *value = number_read_integer(&bytes, (enum number_type)type);
    scanner_jump(&reader->scanner, bytes.cursor);
    return DENT_OK;
}

static dent_status next_real(struct vtk_reader *reader, const char *what, int type, double *value)
{
    if (reader->is_text) {
        return scanner_double(&reader->scanner, what, value);
    }
    struct byte_reader bytes = byte_reader_over(reader->scanner.cursor, reader->scanner.end, true);
    *value = number_read_real(&bytes, (enum number_type)type);
    scanner_jump(&reader->scanner, bytes.cursor);
    return DENT_OK;
}

static dent_status skip_array(struct vtk_reader *reader, const char *what, uint64_t count, int type)
{
    dent_status status = begin_array(reader, what, count, type);
    if (status != DENT_OK) {
        return status;
    }
    if (!reader->is_text) {
        scanner_jump(&reader->scanner,
                     reader->scanner.cursor +
                         (type == TYPE_BIT ? (count + 7) / 8 : count * number_size((enum number_type)type)));
        return DENT_OK;
    }
    for (uint64_t i = 0; i < count; i++) {
        struct text_span word;
        if (!scanner_word(&reader->scanner, &word)) {
            return scanner_fail(&reader->scanner, DENT_ERROR_FORMAT, "the file ends within the %s", what);
        }
    }
    return DENT_OK;
}

/* ---- points and cells ---------------------------------------------------------------------------------- */

static dent_status read_points(struct vtk_reader *reader)
{
    uint64_t count;
    int type;
    TRY(read_count(reader, "number of points", &count));
    TRY(read_type(reader, &type));
    if (reader->found_points || type == TYPE_BIT || count > UINT64_MAX / 3) {
        return scanner_fail(&reader->scanner, DENT_ERROR_FORMAT, "%s",
                            reader->found_points ? "a second section POINTS"
                            : type == TYPE_BIT   ? "points cannot be bits"
                                                 : "too many points");
    }
    TRY(begin_array(reader, "coordinates", 3 * count, type));
    TRY(builder_reserve_vertices(reader->request->builder, count));
    for (uint64_t i = 0; i < count; i++) {
        double position[3];
        for (int axis = 0; axis < 3; axis++) {
            TRY(next_real(reader, "coordinate", type, &position[axis]));
        }
        uint64_t line = reader->is_text ? reader->scanner.line : 0;
        TRY(builder_add_vertex(reader->request->builder, position[0], position[1], position[2], line));
    }
    reader->found_points = true;
    return DENT_OK;
}

static dent_status read_nodes(struct vtk_reader *reader, struct vtk_cells *cells, uint64_t count, int type)
{
    for (uint64_t i = 0; i < count; i++) {
        int64_t node;
        TRY(next_integer(reader, "node of a cell", type, &node));
        TRY(vtk_cells_add_node(cells, reader->request->builder, node));
    }
    return DENT_OK;
}

/* Before version 5: "3 a b c 4 a b c d …", `size` numbers in all. */
static dent_status read_counted_cells(struct vtk_reader *reader, struct vtk_cells *cells, uint64_t cell_count,
                                      uint64_t size)
{
    TRY(begin_array(reader, "cells", size, NUMBER_I32));
    if (cell_count > size) {
        return scanner_fail(&reader->scanner, DENT_ERROR_FORMAT, "%llu cells cannot be listed in %llu numbers",
                            (unsigned long long)cell_count, (unsigned long long)size);
    }
    uint64_t used = 0;
    for (uint64_t c = 0; c < cell_count; c++) {
        int64_t node_count = 0;
        if (used < size) {
            TRY(next_integer(reader, "number of nodes of a cell", NUMBER_I32, &node_count));
        }
        if (used >= size || node_count < 0 || (uint64_t)node_count > size - used - 1) {
            return scanner_fail(&reader->scanner, DENT_ERROR_FORMAT,
                                "cell %llu has more nodes than the %llu numbers of the list hold",
                                (unsigned long long)c, (unsigned long long)size);
        }
        used += 1 + (uint64_t)node_count;
        TRY(read_nodes(reader, cells, (uint64_t)node_count, NUMBER_I32));
        uint64_t end = cells->nodes.count;
        if (!array_push(&cells->ends, &end)) {
            return out_of_memory(reader);
        }
    }
    if (used != size) {
        return scanner_fail(&reader->scanner, DENT_ERROR_FORMAT, "the cells take %llu numbers, not the %llu announced",
                            (unsigned long long)used, (unsigned long long)size);
    }
    return DENT_OK;
}

static dent_status begin_named_array(struct vtk_reader *reader, const char *keyword, uint64_t count, int *type)
{
    struct text_span word;
    if (!scanner_word(&reader->scanner, &word) || !span_equal_any_case(word, keyword)) {
        return scanner_fail(&reader->scanner, DENT_ERROR_FORMAT, "'%.*s' where %s should be", SPAN_ARGUMENTS(word),
                            keyword);
    }
    TRY(read_type(reader, type));
    if (!is_integer(*type)) {
        return scanner_fail(&reader->scanner, DENT_ERROR_FORMAT, "%s must be integers", keyword);
    }
    return begin_array(reader, keyword, count, *type);
}

/* From version 5 on: offsets (one more than cells, from 0) and connectivity. */
static dent_status read_offset_cells(struct vtk_reader *reader, struct vtk_cells *cells, uint64_t offset_count,
                                     uint64_t node_count)
{
    scanner_skip_line(&reader->scanner);
    int type;
    TRY(begin_named_array(reader, "OFFSETS", offset_count, &type));
    for (uint64_t i = 0; i < offset_count; i++) {
        int64_t offset;
        TRY(next_integer(reader, "offset of a cell", type, &offset));
        if (offset < 0 || (uint64_t)offset > node_count || (i == 0 && offset != 0)) {
            return scanner_fail(&reader->scanner, DENT_ERROR_FORMAT, "offset %llu is %lld, outside 0 to %llu",
                                (unsigned long long)i, (long long)offset,
                                (unsigned long long)(i == 0 ? 0 : node_count));
        }
        uint64_t end = (uint64_t)offset;
        if (i > 0 && !array_push(&cells->ends, &end)) {
            return out_of_memory(reader);
        }
    }
    TRY(begin_named_array(reader, "CONNECTIVITY", node_count, &type));
    return read_nodes(reader, cells, node_count, type);
}

static dent_status read_cells(struct vtk_reader *reader, struct vtk_cells *cells)
{
    uint64_t first, second;
    TRY(read_count(reader, "number of cells", &first));
    TRY(read_count(reader, "size of the cell list", &second));
    if (cells->ends.count > 0) {
        return scanner_fail(&reader->scanner, DENT_ERROR_FORMAT, "a second list of the same cells");
    }
    return reader->major_version >= 5 ? read_offset_cells(reader, cells, first, second)
                                      : read_counted_cells(reader, cells, first, second);
}

static dent_status read_cell_types(struct vtk_reader *reader)
{
    struct dynamic_array *types = &reader->parts[0].types;
    uint64_t count;
    TRY(read_count(reader, "number of cell types", &count));
    if (types->count > 0) {
        return scanner_fail(&reader->scanner, DENT_ERROR_FORMAT, "a second section CELL_TYPES");
    }
    TRY(begin_array(reader, "cell types", count, NUMBER_I32));
    for (uint64_t i = 0; i < count; i++) {
        int64_t type;
        TRY(next_integer(reader, "type of a cell", NUMBER_I32, &type));
        if (type < 0 || type > UINT8_MAX) {
            return scanner_fail(&reader->scanner, DENT_ERROR_FORMAT, "cell %llu has the unknown type %lld",
                                (unsigned long long)i, (long long)type);
        }
        uint8_t stored = (uint8_t)type;
        if (!array_push(types, &stored)) {
            return out_of_memory(reader);
        }
    }
    return DENT_OK;
}

/* ---- attributes ---------------------------------------------------------------------------------------- */

static uint64_t cell_count(const struct vtk_reader *reader)
{
    uint64_t count = 0;
    for (int part = 0; part < PART_COUNT; part++) {
        count += reader->parts[part].ends.count;
    }
    return count;
}

static dent_status read_tags(struct vtk_reader *reader, uint64_t count, int type)
{
    TRY(begin_array(reader, "groups", count, type));
    reader->tags.count = 0;
    for (uint64_t i = 0; i < count; i++) {
        int64_t tag;
        TRY(next_integer(reader, "group of a cell", type, &tag));
        if (tag < INT32_MIN || tag > INT32_MAX) {
            return scanner_fail(&reader->scanner, DENT_ERROR_FORMAT, "the group of cell %llu does not fit in 32 bits",
                                (unsigned long long)i);
        }
        int32_t stored = (int32_t)tag;
        if (!array_push(&reader->tags, &stored)) {
            return out_of_memory(reader);
        }
    }
    return DENT_OK;
}

static dent_status read_or_skip_array(struct vtk_reader *reader, struct text_span name, uint64_t components,
                                      uint64_t tuples, int type)
{
    if (reader->on_cells && components == 1 && is_integer(type) && tuples == cell_count(reader) &&
        vtk_name_is_group(name.text, name.length)) {
        return read_tags(reader, tuples, type);
    }
    if (components > 0 && tuples > UINT64_MAX / components) {
        return scanner_fail(&reader->scanner, DENT_ERROR_FORMAT, "array '%.*s' is too large", SPAN_ARGUMENTS(name));
    }
    return skip_array(reader, "array values", components * tuples, type);
}

/* "SCALARS name type [components]", then "LOOKUP_TABLE name" on a line of its own. */
static dent_status read_scalars(struct vtk_reader *reader)
{
    struct text_span name, word;
    int type;
    uint64_t components = 1;
    if (!scanner_word_in_line(&reader->scanner, &name)) {
        return scanner_fail(&reader->scanner, DENT_ERROR_FORMAT, "scalars without a name");
    }
    TRY(read_attribute_type(reader, &type));
    struct text_scanner before = reader->scanner;
    if (scanner_word_in_line(&reader->scanner, &word)) {
        reader->scanner = before;
        TRY(read_count(reader, "number of components", &components));
    }
    before = reader->scanner;
    scanner_skip_line(&reader->scanner);
    if (scanner_word_in_line(&reader->scanner, &word) && span_equal_any_case(word, "LOOKUP_TABLE")) {
        scanner_word_in_line(&reader->scanner, &word);
    } else {
        reader->scanner = before;
    }
    return read_or_skip_array(reader, name, components, reader->tuple_count, type);
}

/* "KEYWORD name type" with a fixed number of components. */
static dent_status read_fixed(struct vtk_reader *reader, uint64_t components)
{
    struct text_span name;
    int type;
    if (!scanner_word_in_line(&reader->scanner, &name)) {
        return scanner_fail(&reader->scanner, DENT_ERROR_FORMAT, "an array without a name");
    }
    TRY(read_attribute_type(reader, &type));
    return read_or_skip_array(reader, name, components, reader->tuple_count, type);
}

/* "KEYWORD name number …": texture coordinates, colours, colour tables. */
static dent_status read_sized(struct vtk_reader *reader, struct text_span keyword)
{
    struct text_span name;
    uint64_t number;
    int type = NUMBER_U8;
    if (!scanner_word_in_line(&reader->scanner, &name)) {
        return scanner_fail(&reader->scanner, DENT_ERROR_FORMAT, "an array without a name");
    }
    TRY(read_count(reader, "size of the array", &number));
    if (span_equal_any_case(keyword, "TEXTURE_COORDINATES")) {
        TRY(read_attribute_type(reader, &type));
    }
    name.length = 0; /* never a group */
    if (span_equal_any_case(keyword, "LOOKUP_TABLE")) {
        return read_or_skip_array(reader, name, 4, number, type);
    }
    return read_or_skip_array(reader, name, number, reader->tuple_count, type);
}

/* Notes for VTK about the array before; ends with an empty line. */
static void skip_metadata(struct vtk_reader *reader)
{
    struct text_span line;
    scanner_skip_line(&reader->scanner);
    while (scanner_line(&reader->scanner, &line) && line.length > 0) {
    }
}

/* "FIELD name arrays", then for each "name components tuples type" and its numbers. */
static dent_status read_field(struct vtk_reader *reader)
{
    struct text_span name;
    uint64_t arrays;
    if (!scanner_word_in_line(&reader->scanner, &name)) {
        return scanner_fail(&reader->scanner, DENT_ERROR_FORMAT, "a field without a name");
    }
    TRY(read_count(reader, "number of arrays", &arrays));
    scanner_skip_line(&reader->scanner);
    for (uint64_t i = 0; i < arrays;) {
        if (!scanner_word(&reader->scanner, &name)) {
            return scanner_fail(&reader->scanner, DENT_ERROR_FORMAT,
                                "the file ends after %llu of %llu arrays of a field", (unsigned long long)i,
                                (unsigned long long)arrays);
        }
        if (span_equal_any_case(name, "METADATA")) {
            skip_metadata(reader);
            continue;
        }
        i++;
        if (span_equal_any_case(name, "NULL_ARRAY")) {
            continue;
        }
        uint64_t components, tuples;
        int type;
        TRY(read_count(reader, "number of components", &components));
        TRY(read_count(reader, "number of tuples", &tuples));
        TRY(read_attribute_type(reader, &type));
        TRY(read_or_skip_array(reader, name, components, tuples, type));
    }
    return DENT_OK;
}

/* ---- the sections -------------------------------------------------------------------------------------- */

static dent_status read_geometry_section(struct vtk_reader *reader, struct text_span keyword, bool *known)
{
    static const char *const polydata_sections[PART_COUNT] = {"VERTICES", "LINES", "POLYGONS", "TRIANGLE_STRIPS"};
    *known = true;
    if (span_equal_any_case(keyword, "POINTS")) {
        return read_points(reader);
    }
    if (!reader->is_polydata && span_equal_any_case(keyword, "CELLS")) {
        return read_cells(reader, &reader->parts[0]);
    }
    if (!reader->is_polydata && span_equal_any_case(keyword, "CELL_TYPES")) {
        return read_cell_types(reader);
    }
    for (int part = 0; part < PART_COUNT; part++) {
        if (reader->is_polydata && span_equal_any_case(keyword, polydata_sections[part])) {
            return read_cells(reader, &reader->parts[part]);
        }
    }
    *known = false;
    return DENT_OK;
}

static dent_status read_attribute_section(struct vtk_reader *reader, struct text_span keyword, bool *known)
{
    static const struct {
        const char *keyword;
        uint64_t components;
    } fixed[] = {{"VECTORS", 3},      {"NORMALS", 3},    {"TENSORS", 9},   {"TENSORS6", 6},
                 {"PEDIGREE_IDS", 1}, {"GLOBAL_IDS", 1}, {"EDGE_FLAGS", 1}};
    *known = true;
    if (span_equal_any_case(keyword, "POINT_DATA") || span_equal_any_case(keyword, "CELL_DATA")) {
        reader->on_cells = span_equal_any_case(keyword, "CELL_DATA");
        return read_count(reader, "number of tuples", &reader->tuple_count);
    }
    if (span_equal_any_case(keyword, "SCALARS")) {
        return read_scalars(reader);
    }
    if (span_equal_any_case(keyword, "FIELD")) {
        return read_field(reader);
    }
    if (span_equal_any_case(keyword, "METADATA")) {
        skip_metadata(reader);
        return DENT_OK;
    }
    if (span_equal_any_case(keyword, "LOOKUP_TABLE") || span_equal_any_case(keyword, "COLOR_SCALARS") ||
        span_equal_any_case(keyword, "TEXTURE_COORDINATES")) {
        return read_sized(reader, keyword);
    }
    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++) {
        if (span_equal_any_case(keyword, fixed[i].keyword)) {
            return read_fixed(reader, fixed[i].components);
        }
    }
    *known = false;
    return DENT_OK;
}

static dent_status read_sections(struct vtk_reader *reader)
{
    dent_status status = DENT_OK;
    struct text_span keyword;
    while (status == DENT_OK && scanner_word(&reader->scanner, &keyword)) {
        bool known;
        status = read_geometry_section(reader, keyword, &known);
        if (!known) {
            status = read_attribute_section(reader, keyword, &known);
        }
        bool complete = reader->found_points && cell_count(reader) > 0;
        if (!known && !complete) {
            return scanner_fail(&reader->scanner, DENT_ERROR_FORMAT, "'%.*s' is not a section of this VTK file",
                                SPAN_ARGUMENTS(keyword));
        }
        if (reader->beyond_knowledge && !complete) {
            return scanner_fail(&reader->scanner, DENT_ERROR_UNSUPPORTED, "an array of '%.*s' is not of numbers",
                                SPAN_ARGUMENTS(keyword));
        }
        if (!known || reader->beyond_knowledge) {
            builder_note_line(reader->request->builder, "section of an unknown kind, and all behind it, was not read",
                              reader->scanner.line, keyword.text, keyword.length);
            return DENT_OK;
        }
    }
    return status;
}

static dent_status read_head(struct vtk_reader *reader)
{
    struct text_scanner *scanner = &reader->scanner;
    struct text_span line, word;
    static const char signature[] = "# vtk DataFile Version ";
    if (!scanner_line(scanner, &line) || !span_starts_with(line, signature)) {
        return dent_fail(reader->request->context, DENT_ERROR_FORMAT, "%s:1: a VTK file must begin with '%sN'",
                         reader->request->name, signature);
    }
    char version = line.length > sizeof signature - 1 ? line.text[sizeof signature - 1] : '?';
    if (version < '1' || version > '5') {
        return dent_fail(reader->request->context, DENT_ERROR_UNSUPPORTED,
                         "%s:1: VTK files of version '%.*s' are not known", reader->request->name,
                         (int)(line.length - (sizeof signature - 1)), line.text + sizeof signature - 1);
    }
    reader->major_version = version - '0';
    scanner_skip_line(scanner); /* the title */
    if (!scanner_word(scanner, &word) || !(span_equal_any_case(word, "ASCII") || span_equal_any_case(word, "BINARY"))) {
        return scanner_fail(scanner, DENT_ERROR_FORMAT, "'%.*s' where ASCII or BINARY should be", SPAN_ARGUMENTS(word));
    }
    reader->is_text = span_equal_any_case(word, "ASCII");
    snprintf(reader->request->format, sizeof reader->request->format, "vtk legacy %s",
             reader->is_text ? "ascii" : "binary");
    return DENT_OK;
}

static dent_status read_dataset_line(struct vtk_reader *reader)
{
    struct text_scanner *scanner = &reader->scanner;
    struct text_span word;
    /* Fields may stand before the dataset. */
    while (scanner_word(scanner, &word) && span_equal_any_case(word, "FIELD")) {
        dent_status status = read_field(reader);
        if (reader->beyond_knowledge) {
            return scanner_fail(scanner, DENT_ERROR_UNSUPPORTED, "an array before the dataset is not of numbers");
        }
        if (status != DENT_OK) {
            return status;
        }
    }
    if (!span_equal_any_case(word, "DATASET") || !scanner_word_in_line(scanner, &word)) {
        return scanner_fail(scanner, DENT_ERROR_FORMAT, "'%.*s' where DATASET and its kind should be",
                            SPAN_ARGUMENTS(word));
    }
    reader->is_polydata = span_equal_any_case(word, "POLYDATA");
    if (!reader->is_polydata && !span_equal_any_case(word, "UNSTRUCTURED_GRID")) {
        return scanner_fail(scanner, DENT_ERROR_UNSUPPORTED, "dataset '%.*s' is neither UNSTRUCTURED_GRID nor POLYDATA",
                            SPAN_ARGUMENTS(word));
    }
    return DENT_OK;
}

static dent_status emit_cells(struct vtk_reader *reader)
{
    struct mesh_builder *builder = reader->request->builder;
    struct vtk_cells *first = &reader->parts[0];
    if (!reader->is_polydata && first->types.count != first->ends.count) {
        return dent_fail(reader->request->context, DENT_ERROR_FORMAT, "%s: %zu cells, but %zu cell types",
                         reader->request->name, first->ends.count, first->types.count);
    }
    const int32_t *tags = reader->tags.count > 0 ? reader->tags.data : NULL;
    dent_status status = DENT_OK;
    for (int part = 0; part < PART_COUNT && status == DENT_OK; part++) {
        status = vtk_cells_emit(&reader->parts[part], builder, 0, builder_vertex_count(builder), tags);
        tags = tags ? tags + reader->parts[part].ends.count : NULL;
    }
    return status;
}

static dent_status read_all(struct vtk_reader *reader)
{
    TRY(read_head(reader));
    TRY(read_dataset_line(reader));
    TRY(read_sections(reader));
    return emit_cells(reader);
}

dent_status read_vtk(struct read_request *request)
{
    static const uint8_t part_types[PART_COUNT] = {VTK_POLY_VERTEX, VTK_POLY_LINE, VTK_POLYGON, VTK_TRIANGLE_STRIP};
    struct vtk_reader reader = {.request = request};
    TRY(scanner_open(&reader.scanner, request->context, request->name, request->bytes.data, request->bytes.size, -1));
    array_init(&reader.tags, request->context, sizeof(int32_t));
    for (int part = 0; part < PART_COUNT; part++) {
        vtk_cells_init(&reader.parts[part], request->context);
        reader.parts[part].common_type = part_types[part];
    }
    dent_status status = read_all(&reader);
    for (int part = 0; part < PART_COUNT; part++) {
        vtk_cells_release(&reader.parts[part]);
    }
    array_destroy(&reader.tags);
    return status;
}
