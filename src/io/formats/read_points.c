/* Reads back the points of a .vtp with their fields, as our own writer lays them down: one piece, arrays of doubles (or
 * unsigned numbers nobody asks for here), appended raw. The mesh readers leave fields aside; recordings need them. */
#include "base/containers/dynamic_array.h"
#include "io/bytes/byte_reader.h"
#include "io/bytes/decimal_number.h"
#include "io/bytes/try_status.h"
#include "io/bytes/xml_file.h"
#include "vtk_data_stream.h"

#include <dent/mesh_io.h>

#include <math.h>

enum { NAME_LIMIT = 64 };

/* An array as the head declares it. */
struct declared_array {
    char name[NAME_LIMIT];
    uint32_t components;
    uint64_t offset;
    bool is_position;
};

struct points_storage {
    dent_point_set points;
    struct dynamic_array fields;  /* dent_mesh_field */
    struct dynamic_array names;   /* char[NAME_LIMIT] */
    struct dynamic_array numbers; /* double */
};

struct points_reader {
    dent_context *context;
    const char *path;
    struct xml_scanner *xml;
    struct dynamic_array declared; /* struct declared_array */
    uint64_t point_count;
    bool seen_piece, in_points, in_data;
    const uint8_t *appended;
};

static dent_status out_of_memory(const struct points_reader *reader)
{
    return dent_fail(reader->context, DENT_ERROR_OUT_OF_MEMORY, "%s: out of memory", reader->path);
}

static dent_status whole_attribute(struct points_reader *reader, const struct xml_tag *tag, const char *name,
                                   uint64_t otherwise, uint64_t *number)
{
    struct text_span value;
    int64_t parsed;
    bool fits;
    *number = otherwise;
    if (!xml_attribute(tag, name, &value)) {
        return DENT_OK;
    }
    if (!decimal_to_integer(value.text, value.length, &parsed, &fits) || !fits || parsed < 0) {
        return xml_fail(reader->xml, tag->name.text, DENT_ERROR_FORMAT, "%s '%.*s' is not a count", name,
                        SPAN_ARGUMENTS(value));
    }
    *number = (uint64_t)parsed;
    return DENT_OK;
}

static dent_status declare_array(struct points_reader *reader, const struct xml_tag *tag)
{
    struct declared_array array = {.is_position = reader->in_points};
    struct text_span type = {0}, format = {0}, name = {0};
    uint64_t components;
    xml_attribute(tag, "type", &type);
    xml_attribute(tag, "format", &format);
    xml_attribute(tag, "Name", &name);
    if (!span_equal(type, "Float64") || !span_equal(format, "appended") || name.length >= NAME_LIMIT) {
        return xml_fail(reader->xml, tag->name.text, DENT_ERROR_UNSUPPORTED,
                        "array '%.*s': only doubles appended raw are read back", SPAN_ARGUMENTS(name));
    }
    TRY(whole_attribute(reader, tag, "NumberOfComponents", 1, &components));
    TRY(whole_attribute(reader, tag, "offset", 0, &array.offset));
    if ((components != 1 && components != 3) || (array.is_position && components != 3)) {
        return xml_fail(reader->xml, tag->name.text, DENT_ERROR_UNSUPPORTED, "array '%.*s' has %llu components",
                        SPAN_ARGUMENTS(name), (unsigned long long)components);
    }
    if (name.length > 0) {
        memcpy(array.name, name.text, name.length);
    }
    array.components = (uint32_t)components;
    return array_push(&reader->declared, &array) ? DENT_OK : out_of_memory(reader);
}

static dent_status read_tag(struct points_reader *reader, const struct xml_tag *tag)
{
    if (tag->kind == XML_CLOSE) {
        reader->in_points = reader->in_points && !span_equal(tag->name, "Points");
        reader->in_data = reader->in_data && !span_equal(tag->name, "PointData");
        return DENT_OK;
    }
    if (span_equal(tag->name, "Piece")) {
        if (reader->seen_piece) {
            return xml_fail(reader->xml, tag->name.text, DENT_ERROR_UNSUPPORTED, "more than one piece");
        }
        reader->seen_piece = true;
        return whole_attribute(reader, tag, "NumberOfPoints", 0, &reader->point_count);
    }
    if (!tag->is_empty) {
        reader->in_points = reader->in_points || span_equal(tag->name, "Points");
        reader->in_data = reader->in_data || span_equal(tag->name, "PointData");
    }
    if (span_equal(tag->name, "DataArray") && (reader->in_points || reader->in_data)) {
        return declare_array(reader, tag);
    }
    if (span_equal(tag->name, "AppendedData")) {
        const char *cursor = reader->xml->cursor;
        while (cursor < reader->xml->end && (*cursor == ' ' || *cursor == '\n' || *cursor == '\r' || *cursor == '\t')) {
            cursor++;
        }
        if (cursor == reader->xml->end || *cursor != '_') {
            return xml_fail(reader->xml, cursor, DENT_ERROR_FORMAT, "appended data do not begin with an underscore");
        }
        reader->appended = (const uint8_t *)cursor + 1;
    }
    return DENT_OK;
}

static dent_status read_head(struct points_reader *reader)
{
    struct xml_tag tag;
    struct text_span value;
    TRY(xml_next_tag(reader->xml, &tag));
    if (tag.kind != XML_OPEN || !span_equal(tag.name, "VTKFile") || !xml_attribute(&tag, "type", &value) ||
        !span_equal(value, "PolyData")) {
        return dent_fail(reader->context, DENT_ERROR_FORMAT, "%s: <VTKFile type=\"PolyData\"> should come first",
                         reader->path);
    }
    if (!xml_attribute(&tag, "header_type", &value) || !span_equal(value, "UInt64") ||
        xml_attribute(&tag, "compressor", &value)) {
        return dent_fail(reader->context, DENT_ERROR_UNSUPPORTED,
                         "%s: only plain files with 64-bit lengths are read back", reader->path);
    }
    while (!reader->appended) {
        TRY(xml_next_tag(reader->xml, &tag));
        if (tag.kind == XML_END_OF_FILE) {
            return dent_fail(reader->context, DENT_ERROR_FORMAT, "%s: no appended data", reader->path);
        }
        TRY(read_tag(reader, &tag));
    }
    return DENT_OK;
}

/* Copies one array to the end of `numbers`. */
static dent_status load_array(struct points_reader *reader, const struct declared_array *array,
                              struct dynamic_array *numbers)
{
    const uint8_t *end = (const uint8_t *)reader->xml->end;
    uint64_t count = reader->point_count * array->components, room = (uint64_t)(end - reader->appended);
    struct vtk_encoding encoding = {.wide_headers = true};
    struct vtk_array_bytes bytes;
    if (array->offset > room || reader->point_count > room) {
        return dent_fail(reader->context, DENT_ERROR_FORMAT, "%s: array '%s' lies behind the end of the file",
                         reader->path, array->name);
    }
    TRY(vtk_array_unpack(reader->context, reader->path, &encoding, reader->appended + array->offset, end, 8 * count,
                         &bytes));
    double *out = array_extend(numbers, (size_t)count);
    if (out && count > 0) {
        struct byte_reader doubles = byte_reader_over(bytes.data, bytes.data + 8 * (size_t)count, false);
        for (uint64_t i = 0; i < count; i++) {
            out[i] = byte_reader_f64(&doubles);
        }
    }
    vtk_array_bytes_release(reader->context, &bytes);
    return out || count == 0 ? DENT_OK : out_of_memory(reader);
}

static dent_status load_arrays(struct points_reader *reader, struct points_storage *storage)
{
    const struct declared_array *declared = reader->declared.data;
    bool positions = false;
    /* Arrays that all lie in one place would make more of the file than it holds. */
    uint64_t room = (uint64_t)((const uint8_t *)reader->xml->end - reader->appended), claimed = 0;
    for (size_t i = 0; i < reader->declared.count && reader->point_count > 0; i++) {
        claimed += 8 * (uint64_t)declared[i].components; /* per point */
        if (claimed > room / reader->point_count) {
            return dent_fail(reader->context, DENT_ERROR_FORMAT, "%s: %zu arrays claim more bytes than follow",
                             reader->path, reader->declared.count);
        }
    }
    for (int pass = 0; pass < 2; pass++) { /* positions first */
        for (size_t i = 0; i < reader->declared.count; i++) {
            if (declared[i].is_position != (pass == 0)) {
                continue;
            }
            if (pass == 0 && positions) {
                return dent_fail(reader->context, DENT_ERROR_FORMAT, "%s: two arrays of positions", reader->path);
            }
            positions = positions || pass == 0;
            TRY(load_array(reader, &declared[i], &storage->numbers));
            dent_mesh_field field = {.components = declared[i].components};
            if (pass == 1 &&
                (!array_push(&storage->fields, &field) || !array_push(&storage->names, declared[i].name))) {
                return out_of_memory(reader);
            }
        }
    }
    return positions || reader->point_count == 0
               ? DENT_OK
               : dent_fail(reader->context, DENT_ERROR_FORMAT, "%s: no positions", reader->path);
}

static dent_status finish(struct points_reader *reader, struct points_storage *storage)
{
    const double *numbers = storage->numbers.data;
    dent_mesh_field *fields = storage->fields.data;
    size_t at = 3 * (size_t)reader->point_count;
    for (size_t i = 0; i < at; i++) {
        if (!isfinite(numbers[i])) {
            return dent_fail(reader->context, DENT_ERROR_BAD_NUMBER, "%s: point %zu is not finite", reader->path,
                             i / 3);
        }
    }
    for (size_t i = 0; i < storage->fields.count; i++) {
        fields[i].name = (const char *)storage->names.data + i * NAME_LIMIT;
        fields[i].values = numbers + at;
        at += fields[i].components * (size_t)reader->point_count;
    }
    storage->points =
        (dent_point_set){(uint32_t)reader->point_count, numbers, (uint32_t)storage->fields.count, fields, storage};
    return DENT_OK;
}

void dent_points_destroy(dent_context *context, dent_point_set *points)
{
    if (context && points) {
        struct points_storage *storage = points->storage;
        array_destroy_in(&storage->fields, context);
        array_destroy_in(&storage->names, context);
        array_destroy_in(&storage->numbers, context);
        dent_release(context, storage, 1, sizeof *storage);
    }
}

static dent_status read_all(struct points_reader *reader, struct points_storage *storage)
{
    TRY(read_head(reader));
    if (reader->point_count > UINT32_MAX) {
        return dent_fail(reader->context, DENT_ERROR_TOO_LARGE, "%s: more points than 32 bits can count", reader->path);
    }
    TRY(load_arrays(reader, storage));
    return finish(reader, storage);
}

static dent_status read_points(struct xml_scanner *xml, void *result)
{
    dent_context *context = xml->context;
    struct points_reader reader = {.context = context, .path = xml->name, .xml = xml};
    struct points_storage *storage = dent_allocate(context, 1, sizeof *storage);
    if (!storage) {
        return out_of_memory(&reader);
    }
    *storage = (struct points_storage){.points = {.storage = storage}};
    array_init(&storage->fields, context, sizeof(dent_mesh_field));
    array_init(&storage->names, context, NAME_LIMIT);
    array_init(&storage->numbers, context, sizeof(double));
    array_init(&reader.declared, context, sizeof(struct declared_array));
    dent_status status = read_all(&reader, storage);
    array_destroy(&reader.declared);
    if (status == DENT_OK) {
        *(dent_point_set **)result = &storage->points;
    } else {
        dent_points_destroy(context, &storage->points);
    }
    return status;
}

dent_status dent_points_read(dent_context *context, const char *path, dent_point_set **points)
{
    DENT_REQUIRE(context, context);
    DENT_REQUIRE(context, path);
    DENT_REQUIRE(context, points);
    return xml_file_read(context, path, read_points, points);
}
