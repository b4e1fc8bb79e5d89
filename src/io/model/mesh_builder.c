/* Taking in vertices, elements and names from a reader. Everything a file can get wrong about indices and numbers is
 * refused here, so that mesh_assembly.c, which makes the mesh, can trust its input. */
#include "mesh_builder.h"

#include <stdio.h>
#include <string.h>

static const struct {
    uint8_t dimension, corners;
    const char *name;
} kind_facts[ELEMENT_KIND_COUNT] = {
    [ELEMENT_POINT] = {0, 1, "point"},           [ELEMENT_LINE] = {1, 2, "line"},
    [ELEMENT_TRIANGLE] = {2, 3, "triangle"},     [ELEMENT_QUAD] = {2, 4, "quad"},
    [ELEMENT_POLYGON] = {2, 0, "polygon"},       [ELEMENT_TETRAHEDRON] = {3, 4, "tetrahedron"},
    [ELEMENT_HEXAHEDRON] = {3, 8, "hexahedron"}, [ELEMENT_WEDGE] = {3, 6, "wedge"},
    [ELEMENT_PYRAMID] = {3, 5, "pyramid"},
};

uint32_t element_kind_corners(enum element_kind kind)
{
    return kind_facts[kind].corners;
}

uint32_t element_kind_dimension(enum element_kind kind)
{
    return kind_facts[kind].dimension;
}

const char *element_kind_name(enum element_kind kind)
{
    return kind_facts[kind].name;
}

/* "file:line: …" or "file: …". */
static dent_status builder_fail(const struct mesh_builder *builder, uint64_t line, dent_status status,
                                const char *format, ...) DENT_PRINTF_LIKE(4, 5);
static dent_status builder_fail(const struct mesh_builder *builder, uint64_t line, dent_status status,
                                const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (line) {
        return dent_fail(builder->context, status, "%s:%llu: %s", builder->file_name, (unsigned long long)line, text);
    }
    return dent_fail(builder->context, status, "%s: %s", builder->file_name, text);
}

static dent_status no_memory(const struct mesh_builder *builder)
{
    return dent_fail(builder->context, DENT_ERROR_OUT_OF_MEMORY, "%s: no memory for its mesh", builder->file_name);
}

void builder_init(struct mesh_builder *builder, dent_context *context, const char *file_name)
{
    *builder = (struct mesh_builder){.context = context, .file_name = file_name};
    array_init(&builder->positions, context, sizeof(double));
    array_init(&builder->radii, context, sizeof(double));
    array_init(&builder->normals, context, sizeof(double));
    array_init(&builder->names, context, sizeof(struct group_name));
    for (int d = 0; d < 4; d++) {
        array_init(&builder->elements[d].kinds, context, sizeof(uint8_t));
        array_init(&builder->elements[d].tags, context, sizeof(int32_t));
        array_init(&builder->elements[d].corners, context, sizeof(uint32_t));
    }
}

void builder_release(struct mesh_builder *builder)
{
    const struct group_name *names = builder->names.data;
    for (size_t i = 0; i < builder->names.count; i++) {
        dent_release(builder->context, names[i].text, names[i].size, 1);
    }
    array_destroy(&builder->names);
    array_destroy(&builder->positions);
    array_destroy(&builder->radii);
    array_destroy(&builder->normals);
    for (int d = 0; d < 4; d++) {
        array_destroy(&builder->elements[d].kinds);
        array_destroy(&builder->elements[d].tags);
        array_destroy(&builder->elements[d].corners);
    }
}

/* ---- vertices -------------------------------------------------------------------------------------------------- */

uint32_t builder_vertex_count(const struct mesh_builder *builder)
{
    return (uint32_t)(builder->positions.count / 3);
}

dent_status builder_reserve_vertices(struct mesh_builder *builder, uint64_t count)
{
    uint64_t total = count + builder_vertex_count(builder);
    if (count > MESH_COUNT_MAX || total > MESH_COUNT_MAX) {
        return builder_fail(builder, 0, DENT_ERROR_TOO_LARGE, "%llu vertices are more than 32-bit indices can name",
                            (unsigned long long)count);
    }
    return array_reserve_growing(&builder->positions, (size_t)total * 3) ? DENT_OK : no_memory(builder);
}

/* Without arithmetic on the number: the caller may have any floating-point mode set. */
static bool is_finite(double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return (bits >> 52 & 0x7ff) != 0x7ff;
}

static const char *number_fault(double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits << 12 ? "not a number" : "infinite or too large for a double";
}

dent_status builder_add_vertex(struct mesh_builder *builder, double x, double y, double z, uint64_t line)
{
    const double xyz[3] = {x, y, z};
    for (int i = 0; i < 3; i++) {
        if (!is_finite(xyz[i])) {
            return builder_fail(builder, line, DENT_ERROR_BAD_NUMBER, "vertex %u: %c is %s",
                                builder_vertex_count(builder), "xyz"[i], number_fault(xyz[i]));
        }
    }
    if (builder_vertex_count(builder) == MESH_COUNT_MAX) {
        return builder_fail(builder, line, DENT_ERROR_TOO_LARGE, "more vertices than 32-bit indices can name");
    }
    double *room = array_extend(&builder->positions, 3);
    if (!room) {
        return no_memory(builder);
    }
    memcpy(room, xyz, sizeof xyz);
    return DENT_OK;
}

dent_status builder_add_radius(struct mesh_builder *builder, double radius)
{
    if (!is_finite(radius) || !(radius >= 0)) {
        return builder_fail(builder, 0, DENT_ERROR_BAD_NUMBER, "the radius of vertex %zu is %s", builder->radii.count,
                            is_finite(radius) ? "negative" : number_fault(radius));
    }
    return array_push(&builder->radii, &radius) ? DENT_OK : no_memory(builder);
}

dent_status builder_add_normal(struct mesh_builder *builder, const double normal[3], uint64_t line)
{
    for (int i = 0; i < 3; i++) {
        if (!is_finite(normal[i])) {
            return builder_fail(builder, line, DENT_ERROR_BAD_NUMBER, "the normal of vertex %zu: %c is %s",
                                builder->normals.count / 3, "xyz"[i], number_fault(normal[i]));
        }
    }
    double *room = array_extend(&builder->normals, 3);
    if (!room) {
        return no_memory(builder);
    }
    memcpy(room, normal, 3 * sizeof *normal);
    return DENT_OK;
}

/* ---- elements -------------------------------------------------------------------------------------------------- */

dent_status builder_reserve_elements(struct mesh_builder *builder, enum element_kind kind, uint64_t count)
{
    struct element_list *list = &builder->elements[kind_facts[kind].dimension];
    uint64_t total = count + list->kinds.count;
    if (count > MESH_COUNT_MAX || total > MESH_COUNT_MAX) {
        return builder_fail(builder, 0, DENT_ERROR_TOO_LARGE, "%llu elements are more than 32-bit indices can name",
                            (unsigned long long)count);
    }
    size_t corners = list->corners.count + (size_t)count * (kind_facts[kind].corners ? kind_facts[kind].corners : 5);
    bool good = array_reserve_growing(&list->kinds, (size_t)total) &&
                array_reserve_growing(&list->tags, (size_t)total) && array_reserve_growing(&list->corners, corners);
    return good ? DENT_OK : no_memory(builder);
}

static dent_status add_corners(struct mesh_builder *builder, enum element_kind kind, int32_t tag,
                               const uint32_t *corners, uint32_t corner_count, uint64_t line)
{
    struct element_list *list = &builder->elements[kind_facts[kind].dimension];
    if (!builder->forward_references) {
        for (uint32_t i = 0; i < corner_count; i++) {
            if (corners[i] >= builder_vertex_count(builder)) {
                return builder_bad_corner(builder, kind, list->kinds.count, i, corners[i], line);
            }
        }
    }
    if (list->kinds.count == MESH_COUNT_MAX) {
        return builder_fail(builder, line, DENT_ERROR_TOO_LARGE, "more elements than 32-bit indices can name");
    }
    bool counted = kind == ELEMENT_POLYGON;
    uint8_t small_kind = (uint8_t)kind;
    uint32_t *room = array_extend(&list->corners, (size_t)corner_count + counted);
    if (!room || !array_push(&list->kinds, &small_kind) || !array_push(&list->tags, &tag)) {
        return no_memory(builder);
    }
    if (counted) {
        *room++ = corner_count;
    }
    memcpy(room, corners, corner_count * sizeof *corners);
    return DENT_OK;
}

dent_status builder_bad_corner(const struct mesh_builder *builder, enum element_kind kind, size_t element,
                               uint32_t corner, uint32_t vertex, uint64_t line)
{
    return builder_fail(builder, line, DENT_ERROR_BAD_MESH,
                        "%s (element %zu): corner %u is vertex %u counted from 0, but there are only %u vertices",
                        kind_facts[kind].name, element, corner, vertex, builder_vertex_count(builder));
}

dent_status builder_add_element(struct mesh_builder *builder, enum element_kind kind, int32_t tag,
                                const uint32_t *corners, uint64_t line)
{
    return add_corners(builder, kind, tag, corners, kind_facts[kind].corners, line);
}

dent_status builder_add_polygon(struct mesh_builder *builder, int32_t tag, const uint32_t *corners,
                                uint32_t corner_count, uint64_t line)
{
    if (corner_count < 3) {
        return builder_fail(builder, line, DENT_ERROR_BAD_MESH,
                            "polygon (element %zu) has %u corners: at least 3 are needed",
                            builder->elements[2].kinds.count, corner_count);
    }
    enum element_kind kind = corner_count == 3 ? ELEMENT_TRIANGLE : corner_count == 4 ? ELEMENT_QUAD : ELEMENT_POLYGON;
    return add_corners(builder, kind, tag, corners, corner_count, line);
}

/* ---- names and notices ----------------------------------------------------------------------------------------- */

/* Length of the printable UTF-8 character at p, or 0. */
static size_t printable_length(const unsigned char *p, size_t left)
{
    if (p[0] < 0x80) {
        return p[0] >= 32 && p[0] != 127;
    }
    size_t length = p[0] >= 0xc2 && p[0] < 0xe0   ? 2
                    : p[0] >= 0xe0 && p[0] < 0xf0 ? 3
                    : p[0] >= 0xf0 && p[0] < 0xf5 ? 4
                                                  : 0;
    if (length > left) {
        return 0;
    }
    for (size_t i = 1; i < length; i++) {
        if ((p[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    /* Too long a form, half of a surrogate pair, or beyond the last character. */
    if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] >= 0xa0) || (p[0] == 0xf0 && p[1] < 0x90) ||
        (p[0] == 0xf4 && p[1] >= 0x90) || (p[0] == 0xc2 && p[1] < 0xa0)) {
        return 0;
    }
    return length;
}

void make_printable(char *text, size_t length)
{
    unsigned char *p = (unsigned char *)text;
    for (size_t i = 0; i < length;) {
        size_t good = printable_length(p + i, length - i);
        if (!good) {
            p[i] = '?';
        }
        i += good ? good : 1;
    }
}

enum { NAME_LENGTH_MAX = 255 };

dent_status builder_name_group(struct mesh_builder *builder, uint32_t dimension, int32_t tag, const char *name,
                               size_t length)
{
    length = length < NAME_LENGTH_MAX ? length : NAME_LENGTH_MAX;
    struct group_name entry = {.dimension = dimension, .tag = tag, .size = length + 1};
    entry.text = dent_allocate(builder->context, entry.size, 1);
    if (!entry.text) {
        return no_memory(builder);
    }
    memcpy(entry.text, name, length);
    entry.text[length] = 0;
    make_printable(entry.text, length);
    if (!array_push(&builder->names, &entry)) {
        dent_release(builder->context, entry.text, entry.size, 1);
        return no_memory(builder);
    }
    return DENT_OK;
}

/* The notice of this text, made if need be; null when there are too many kinds of them. */
static struct mesh_notice *find_notice(struct mesh_builder *builder, const char *text)
{
    for (uint32_t i = 0; i < builder->notice_count; i++) {
        if (strcmp(builder->notices[i].text, text) == 0) {
            return &builder->notices[i];
        }
    }
    if (builder->notice_count == MESH_NOTICE_CAPACITY) {
        return NULL;
    }
    struct mesh_notice *notice = &builder->notices[builder->notice_count++];
    *notice = (struct mesh_notice){.text = text};
    return notice;
}

void builder_note(struct mesh_builder *builder, uint64_t count, const char *text)
{
    struct mesh_notice *notice = find_notice(builder, text);
    if (notice) {
        notice->count += count;
    }
}

void builder_note_line(struct mesh_builder *builder, const char *text, uint64_t line, const char *sample, size_t length)
{
    struct mesh_notice *notice = find_notice(builder, text);
    if (notice && notice->count++ == 0) {
        length = length < sizeof notice->sample ? length : sizeof notice->sample - 1;
        memcpy(notice->sample, sample, length);
        make_printable(notice->sample, length);
        notice->line = line;
    }
}
