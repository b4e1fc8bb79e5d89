/* .hair: strands with any number of segments, little-endian.
 *
 *     0  "HAIR"                          16  default number of segments of a strand
 *     4  number of strands               20  default thickness, 24 transparency, 28 colour (3): floats
 *     8  number of points                40  88 bytes of text
 *    12  bits: arrays that follow       128  segments (u16 per strand), points (3 floats), thickness (float),
 *        0 segments … 4 colour               transparency (float), colour (3 floats) per point
 *
 * A thickness is a diameter: radii are half of it. A default thickness above 0 gives all vertices their radius.
 * Transparency and colour are not used, but must be there if the bits say so. */
#include "io/bytes/byte_reader.h"
#include "io/bytes/try_status.h"
#include "reader_table.h"

#include <stdio.h>
#include <string.h>

enum { HAIR_HEADER_BYTES = 128 };
enum { HAIR_SEGMENTS = 1, HAIR_POINTS = 2, HAIR_THICKNESS = 4, HAIR_TRANSPARENCY = 8, HAIR_COLOUR = 16 };

struct hair_header {
    uint32_t strands, points, arrays, default_segments;
    double default_thickness;
};

static dent_status hair_fail(const struct read_request *request, const char *what)
{
    return dent_fail(request->context, DENT_ERROR_FORMAT, "%s: %s", request->name, what);
}

static dent_status read_hair_header(const struct read_request *request, struct hair_header *header)
{
    const struct file_bytes *bytes = &request->bytes;
    if (bytes->size < HAIR_HEADER_BYTES || memcmp(bytes->data, "HAIR", 4) != 0) {
        return hair_fail(request, "no header of 128 bytes that begins with 'HAIR'; is it a .hair file?");
    }
    struct byte_reader reader = byte_reader_over(bytes->data + 4, bytes->data + HAIR_HEADER_BYTES, false);
    header->strands = byte_reader_u32(&reader);
    header->points = byte_reader_u32(&reader);
    header->arrays = byte_reader_u32(&reader);
    header->default_segments = byte_reader_u32(&reader);
    header->default_thickness = byte_reader_f32(&reader);
    if (!(header->arrays & HAIR_POINTS) || header->strands == 0 || header->points == 0) {
        return hair_fail(request, "no strands in it: bit 1 of the arrays is not set, or a count is 0");
    }
    uint64_t each = 12 + (header->arrays & HAIR_THICKNESS ? 4 : 0) + (header->arrays & HAIR_TRANSPARENCY ? 4 : 0) +
                    (header->arrays & HAIR_COLOUR ? 12 : 0);
    uint64_t needed = each * header->points + (header->arrays & HAIR_SEGMENTS ? 2 * (uint64_t)header->strands : 0);
    if (needed > bytes->size - HAIR_HEADER_BYTES) {
        return dent_fail(request->context, DENT_ERROR_FORMAT,
                         "%s: claims %u strands with %u points, which need %llu bytes, but %zu follow the header",
                         request->name, header->strands, header->points, (unsigned long long)needed,
                         bytes->size - HAIR_HEADER_BYTES);
    }
    if (needed < bytes->size - HAIR_HEADER_BYTES) {
        builder_note(request->builder, bytes->size - HAIR_HEADER_BYTES - needed,
                     "bytes behind the last array were ignored");
    }
    return DENT_OK;
}

static dent_status add_strand(const struct read_request *request, const struct hair_header *header, uint32_t strand,
                              uint32_t segments, uint64_t *point)
{
    if (segments == 0) {
        return dent_fail(request->context, DENT_ERROR_BAD_MESH, "%s: strand %u has one vertex: two or more are needed",
                         request->name, strand);
    }
    if (segments >= header->points - *point) {
        return dent_fail(request->context, DENT_ERROR_BAD_MESH, "%s: strand %u of %u ends at point %llu of %u",
                         request->name, strand, header->strands, (unsigned long long)(*point + segments),
                         header->points);
    }
    for (uint32_t i = 0; i < segments; i++, ++*point) {
        const uint32_t corners[2] = {(uint32_t)*point, (uint32_t)*point + 1};
        TRY(builder_add_element(request->builder, ELEMENT_LINE, 0, corners, 0));
    }
    ++*point;
    return DENT_OK;
}

static dent_status read_segments(const struct read_request *request, const struct hair_header *header,
                                 struct byte_reader *reader)
{
    uint64_t point = 0;
    if (header->strands > header->points / 2) {
        return dent_fail(request->context, DENT_ERROR_BAD_MESH, "%s: %u points are too few for %u strands",
                         request->name, header->points, header->strands);
    }
    TRY(builder_reserve_elements(request->builder, ELEMENT_LINE, header->points - header->strands));
    for (uint32_t s = 0; s < header->strands; s++) {
        uint32_t segments =
            header->arrays & HAIR_SEGMENTS ? (uint32_t)byte_reader_unsigned(reader, 2) : header->default_segments;
        TRY(add_strand(request, header, s, segments, &point));
    }
    if (point != header->points) {
        return dent_fail(request->context, DENT_ERROR_BAD_MESH, "%s: the strands use %llu of its %u points",
                         request->name, (unsigned long long)point, header->points);
    }
    return DENT_OK;
}

static dent_status read_hair_points(const struct read_request *request, const struct hair_header *header,
                                    struct byte_reader *reader)
{
    TRY(builder_reserve_vertices(request->builder, header->points));
    for (uint32_t v = 0; v < header->points; v++) {
        double position[3];
        for (int axis = 0; axis < 3; axis++) {
            position[axis] = byte_reader_f32(reader);
        }
        TRY(builder_add_vertex(request->builder, position[0], position[1], position[2], 0));
    }
    bool each = header->arrays & HAIR_THICKNESS;
    if (!each && !(header->default_thickness > 0)) {
        return DENT_OK;
    }
    for (uint32_t v = 0; v < header->points; v++) {
        double thickness = each ? byte_reader_f32(reader) : header->default_thickness;
        TRY(builder_add_radius(request->builder, 0.5 * thickness));
    }
    return DENT_OK;
}

dent_status read_hair(struct read_request *request)
{
    struct hair_header header = {0};
    TRY(read_hair_header(request, &header));
    snprintf(request->format, sizeof request->format, "hair");
    struct byte_reader reader =
        byte_reader_over(request->bytes.data + HAIR_HEADER_BYTES, request->bytes.data + request->bytes.size, false);
    request->builder->forward_references = true; /* the points stand behind the segments */
    TRY(read_segments(request, &header, &reader));
    return read_hair_points(request, &header, &reader);
}
