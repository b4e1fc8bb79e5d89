/* PCD (Point Cloud Library): a text header of keyed lines, then the points as text, as binary records, or as binary
 * columns packed by LZF.
 *
 *     FIELDS x y z normal_x …    names; the next three lines have as many entries
 *     SIZE 4 4 4 …               bytes of a number        TYPE F F F …   F float, I integer, U unsigned
 *     COUNT 1 1 1 …              numbers of a field       WIDTH, HEIGHT, POINTS   how many points
 *     DATA ascii | binary | binary_compressed             the points begin behind this line
 *
 * Taken are x, y, z and normal_x, normal_y, normal_z; other fields are passed over. A point whose x, y and z are all NaN
 * is a ray of the scanner without a return: it is left out, and the number of such points is noted. Packed data are the
 * columns of the fields one after the other; a pack begins with its size and the size unpacked, both of 32 bits. LZF: a
 * byte below 32 begins a run of that many bytes and one; other bytes begin a copy of earlier bytes. Numbers are
 * little-endian. Counts are compared with the bytes that follow before memory is asked for. */
#include "io/bytes/number_type.h"
#include "io/bytes/text_scanner.h"
#include "io/bytes/try_status.h"
#include "reader_table.h"

#include <stdio.h>

enum { PCD_FIELDS_MAX = 256, PCD_ROLES = 6, LZF_GROWTH = 88 };

enum pcd_data { DATA_MISSING, DATA_ASCII, DATA_BINARY, DATA_PACKED };

struct pcd_field {
    uint32_t size, count;
    uint8_t type; /* enum number_type */
    char letter;  /* of TYPE */
    int8_t role;  /* 0-2: x, y, z; 3-5: the normal; -1: none */
};

struct pcd_reader {
    struct read_request *request;
    struct text_scanner scanner;
    struct pcd_field fields[PCD_FIELDS_MAX];
    uint32_t field_count, seen; /* bits: lines of the header */
    uint64_t width, height, points, record; /* record: bytes of one point */
    uint32_t roles;                         /* bits: roles that fields have */
    enum pcd_data data;
    uint64_t without_return;
};

enum { SEEN_FIELDS = 1, SEEN_SIZE = 2, SEEN_TYPE = 4, SEEN_COUNT = 8, SEEN_WIDTH = 16, SEEN_HEIGHT = 32, SEEN_POINTS = 64 };

/* ---- header ---------------------------------------------------------------------------------------------------- */

static int8_t role_of_name(struct text_span name)
{
    static const char *const names[PCD_ROLES] = {"x", "y", "z", "normal_x", "normal_y", "normal_z"};
    for (int8_t role = 0; role < PCD_ROLES; role++) {
        if (span_equal(name, names[role])) {
            return role;
        }
    }
    return -1;
}

static dent_status read_fields(struct pcd_reader *reader)
{
    struct text_span name;
    while (scanner_word_in_line(&reader->scanner, &name)) {
        if (reader->field_count == PCD_FIELDS_MAX) {
            return scanner_fail(&reader->scanner, DENT_ERROR_TOO_LARGE, "more than %d fields", (int)PCD_FIELDS_MAX);
        }
        int8_t role = role_of_name(name);
        if (role >= 0 && reader->roles >> role & 1) {
            return scanner_fail(&reader->scanner, DENT_ERROR_FORMAT, "field '%.*s' is named twice", SPAN_ARGUMENTS(name));
        }
        reader->roles |= role >= 0 ? 1u << role : 0;
        reader->fields[reader->field_count++] = (struct pcd_field){.size = 4, .count = 1, .letter = 'F', .role = role};
    }
    return DENT_OK;
}

/* One entry for each field. */
static dent_status read_entries(struct pcd_reader *reader, uint32_t line)
{
    struct text_scanner *scanner = &reader->scanner;
    struct text_span word;
    for (uint32_t i = 0; i < reader->field_count; i++) {
        struct pcd_field *field = &reader->fields[i];
        int64_t number = 0;
        if (line == SEEN_TYPE) {
            if (!scanner_word_in_line(scanner, &word) || word.length != 1 || !strchr("FIU", word.text[0])) {
                return scanner_fail(scanner, DENT_ERROR_FORMAT, "TYPE of field %u must be F, I or U", i);
            }
            field->letter = word.text[0];
            continue;
        }
        TRY(scanner_integer_in_line(scanner, line == SEEN_SIZE ? "SIZE" : "COUNT", 1, line == SEEN_SIZE ? 8 : 65536,
                                    &number));
        *(line == SEEN_SIZE ? &field->size : &field->count) = (uint32_t)number;
    }
    if (scanner_word_in_line(scanner, &word)) {
        return scanner_fail(scanner, DENT_ERROR_FORMAT, "more entries than the %u fields", reader->field_count);
    }
    return DENT_OK;
}

static dent_status read_data_line(struct pcd_reader *reader)
{
    struct text_span word;
    if (!scanner_word_in_line(&reader->scanner, &word)) {
        word.length = 0;
    }
    reader->data = span_equal(word, "ascii")               ? DATA_ASCII
                   : span_equal(word, "binary")            ? DATA_BINARY
                   : span_equal(word, "binary_compressed") ? DATA_PACKED
                                                           : DATA_MISSING;
    return reader->data != DATA_MISSING
               ? DENT_OK
               : scanner_fail(&reader->scanner, DENT_ERROR_FORMAT, "'%.*s' is not a kind of data of PCD",
                              SPAN_ARGUMENTS(word));
}

static dent_status read_count_line(struct pcd_reader *reader, const char *what, uint64_t *count)
{
    int64_t number;
    TRY(scanner_integer_in_line(&reader->scanner, what, 0, INT64_MAX, &number));
    *count = (uint64_t)number;
    return DENT_OK;
}

static dent_status read_header_line(struct pcd_reader *reader, struct text_span key)
{
    static const struct {
        const char *key;
        uint32_t bit;
    } lines[] = {{"FIELDS", SEEN_FIELDS}, {"COLUMNS", SEEN_FIELDS}, {"SIZE", SEEN_SIZE},     {"TYPE", SEEN_TYPE},
                 {"COUNT", SEEN_COUNT},   {"WIDTH", SEEN_WIDTH},    {"HEIGHT", SEEN_HEIGHT}, {"POINTS", SEEN_POINTS}};
    uint32_t bit = 0;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        bit |= span_equal(key, lines[i].key) ? lines[i].bit : 0;
    }
    if (bit & reader->seen) {
        return scanner_fail(&reader->scanner, DENT_ERROR_FORMAT, "'%.*s' stands twice in the header", SPAN_ARGUMENTS(key));
    }
    reader->seen |= bit;
    switch (bit) {
    case SEEN_FIELDS:
        return read_fields(reader);
    case SEEN_SIZE:
    case SEEN_TYPE:
    case SEEN_COUNT:
        return read_entries(reader, bit);
    case SEEN_WIDTH:
        return read_count_line(reader, "WIDTH", &reader->width);
    case SEEN_HEIGHT:
        return read_count_line(reader, "HEIGHT", &reader->height);
    case SEEN_POINTS:
        return read_count_line(reader, "POINTS", &reader->points);
    default:
        break;
    }
    if (span_equal(key, "DATA")) {
        return read_data_line(reader);
    }
    return span_equal(key, "VERSION") || span_equal(key, "VIEWPOINT")
               ? DENT_OK
               : scanner_fail(&reader->scanner, DENT_ERROR_FORMAT, "'%.*s' is not a header line of PCD",
                              SPAN_ARGUMENTS(key));
}

static bool type_of_field(struct pcd_field *field)
{
    static const struct {
        char letter;
        uint8_t size, type;
    } types[] = {{'F', 4, NUMBER_F32}, {'F', 8, NUMBER_F64}, {'I', 1, NUMBER_I8},  {'I', 2, NUMBER_I16}, {'I', 4, NUMBER_I32},
                 {'I', 8, NUMBER_I64}, {'U', 1, NUMBER_U8},  {'U', 2, NUMBER_U16}, {'U', 4, NUMBER_U32}, {'U', 8, NUMBER_U64}};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (types[i].letter == field->letter && types[i].size == field->size) {
            field->type = types[i].type;
            return true;
        }
    }
    return false;
}

/* Behind the header: is all there, and how large is a point? */
static dent_status judge_header(struct pcd_reader *reader)
{
    struct text_scanner *scanner = &reader->scanner;
    if ((reader->roles & 7) != 7) {
        return scanner_fail(scanner, DENT_ERROR_FORMAT, "the header declares no fields x, y and z");
    }
    for (uint32_t i = 0; i < reader->field_count; i++) {
        struct pcd_field *field = &reader->fields[i];
        if (!type_of_field(field) || (field->role >= 0 && field->count != 1)) {
            return scanner_fail(scanner, DENT_ERROR_FORMAT, "field %u: there are no %u numbers of type %c with %u bytes", i,
                                field->count, field->letter, field->size);
        }
        reader->record += (uint64_t)field->size * field->count;
    }
    if (!(reader->seen & SEEN_POINTS)) {
        bool overflows = reader->height > 0 && reader->width > UINT64_MAX / reader->height;
        reader->points = overflows ? UINT64_MAX : reader->width * reader->height;
    }
    return DENT_OK;
}

static dent_status read_pcd_header(struct pcd_reader *reader)
{
    struct text_scanner *scanner = &reader->scanner;
    struct text_span key;
    while (reader->data == DATA_MISSING) {
        if (!scanner_word(scanner, &key)) {
            return scanner_fail(scanner, DENT_ERROR_FORMAT, "the file ends before the line DATA; is it a PCD file?");
        }
        TRY(read_header_line(reader, key));
        if (reader->data == DATA_MISSING) {
            scanner_skip_line(scanner);
        }
    }
    return judge_header(reader);
}

/* ---- points ---------------------------------------------------------------------------------------------------- */

static bool is_nan(double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return (bits << 1) > UINT64_C(0x7ff) << 53;
}

static dent_status add_point(struct pcd_reader *reader, const double values[PCD_ROLES], uint64_t line)
{
    struct mesh_builder *builder = reader->request->builder;
    if (is_nan(values[0]) && is_nan(values[1]) && is_nan(values[2])) {
        reader->without_return++;
        return DENT_OK;
    }
    TRY(builder_add_vertex(builder, values[0], values[1], values[2], line));
    return reader->roles >> 3 == 7 ? builder_add_normal(builder, values + 3, line) : DENT_OK;
}

static dent_status read_ascii(struct pcd_reader *reader)
{
    struct text_scanner *scanner = &reader->scanner;
    uint64_t numbers = 0;
    for (uint32_t i = 0; i < reader->field_count; i++) {
        numbers += reader->fields[i].count;
    }
    scanner_skip_line(scanner);
    TRY(scanner_check_claim(scanner, "points", reader->points, 2 * numbers - 1));
    TRY(builder_reserve_vertices(reader->request->builder, reader->points));
    for (uint64_t point = 0; point < reader->points; point++) {
        double values[PCD_ROLES] = {0};
        uint64_t line = 0;
        for (uint32_t i = 0; i < reader->field_count; i++) {
            for (uint32_t k = 0; k < reader->fields[i].count; k++) {
                double value;
                TRY(scanner_double(scanner, "number of a point", &value));
                line = scanner->line;
                if (reader->fields[i].role >= 0) {
                    values[reader->fields[i].role] = value;
                }
            }
        }
        TRY(add_point(reader, values, line));
    }
    return scanner_at_end(scanner) ? DENT_OK
                                   : scanner_fail(scanner, DENT_ERROR_FORMAT, "more data than the header declares");
}

/* Records one after the other, or columns. */
static dent_status read_numbers(struct pcd_reader *reader, const uint8_t *data, bool columns)
{
    for (uint64_t point = 0; point < reader->points; point++) {
        double values[PCD_ROLES] = {0};
        uint64_t offset = columns ? 0 : point * reader->record;
        for (uint32_t i = 0; i < reader->field_count; i++) {
            const struct pcd_field *field = &reader->fields[i];
            uint64_t size = (uint64_t)field->size * field->count;
            if (field->role >= 0) {
                const uint8_t *at = data + offset + (columns ? point * size : 0);
                struct byte_reader bytes = byte_reader_over(at, at + size, false);
                values[field->role] = number_read_real(&bytes, field->type);
            }
            offset += columns ? reader->points * size : size;
        }
        TRY(add_point(reader, values, 0));
    }
    return DENT_OK;
}

static void note_rest(struct pcd_reader *reader, uint64_t bytes)
{
    if (bytes > 0) {
        builder_note(reader->request->builder, bytes, "bytes behind the last point were ignored");
    }
}

static dent_status read_binary(struct pcd_reader *reader)
{
    size_t left = scanner_bytes_left(&reader->scanner);
    if (reader->points > left / reader->record) { /* all of the last record, too: text needs no blank at its end */
        return dent_fail(reader->request->context, DENT_ERROR_FORMAT,
                         "%s: claims %llu points of %llu bytes, but only %zu bytes follow", reader->request->name,
                         (unsigned long long)reader->points, (unsigned long long)reader->record, left);
    }
    TRY(builder_reserve_vertices(reader->request->builder, reader->points));
    TRY(read_numbers(reader, reader->scanner.cursor, false));
    note_rest(reader, left - reader->points * reader->record);
    return DENT_OK;
}

/* ---- LZF ------------------------------------------------------------------------------------------------------- */

/* Fills `out` to its end from all bytes of `in`; false when they do not fit each other. */
static bool lzf_unpack(struct byte_reader *in, uint8_t *out, size_t size)
{
    size_t at = 0;
    while (byte_reader_left(in) > 0) {
        size_t control = (size_t)byte_reader_unsigned(in, 1);
        if (control < 32) {
            const uint8_t *run = byte_reader_take(in, control + 1);
            if (!run || control + 1 > size - at) {
                return false;
            }
            memcpy(out + at, run, control + 1);
            at += control + 1;
            continue;
        }
        size_t length = control >> 5;
        length += length == 7 ? (size_t)byte_reader_unsigned(in, 1) : 0;
        size_t back = ((control & 31) << 8 | (size_t)byte_reader_unsigned(in, 1)) + 1;
        length += 2;
        if (in->failed || back > at || length > size - at) {
            return false;
        }
        for (; length > 0; length--, at++) { /* the copy may overlap what it makes */
            out[at] = out[at - back];
        }
    }
    return at == size;
}

static dent_status read_packed(struct pcd_reader *reader)
{
    dent_context *context = reader->request->context;
    struct text_scanner *scanner = &reader->scanner;
    struct byte_reader bytes = byte_reader_over(scanner->cursor, scanner->end, false);
    size_t packed = byte_reader_u32(&bytes), size = byte_reader_u32(&bytes);
    if (bytes.failed || packed > byte_reader_left(&bytes)) {
        return dent_fail(context, DENT_ERROR_FORMAT, "%s: the packed points are cut off", reader->request->name);
    }
    if (reader->points > UINT32_MAX || size != reader->points * reader->record || size / LZF_GROWTH > packed) {
        return dent_fail(context, DENT_ERROR_FORMAT,
                         "%s: claims %llu points of %llu bytes, but %zu packed bytes that say they hold %zu follow",
                         reader->request->name, (unsigned long long)reader->points, (unsigned long long)reader->record,
                         packed, size);
    }
    note_rest(reader, byte_reader_left(&bytes) - packed);
    bytes.end = bytes.cursor + packed;
    uint8_t *columns = dent_allocate(context, size, 1);
    if (!columns) {
        return dent_fail(context, DENT_ERROR_OUT_OF_MEMORY, "%s: no memory for %zu bytes of points",
                         reader->request->name, size);
    }
    dent_status status = lzf_unpack(&bytes, columns, size)
                             ? builder_reserve_vertices(reader->request->builder, reader->points)
                             : dent_fail(context, DENT_ERROR_FORMAT, "%s: the packed points are damaged",
                                         reader->request->name);
    status = status == DENT_OK ? read_numbers(reader, columns, true) : status;
    dent_release(context, columns, size, 1);
    return status;
}

/* ---- the whole file -------------------------------------------------------------------------------------------- */

/* The data begin behind the end of the line DATA, whatever its bytes mean as text. */
static void leave_header(struct text_scanner *scanner)
{
    const uint8_t *line_end = memchr(scanner->cursor, '\n', scanner_bytes_left(scanner));
    scanner_jump(scanner, line_end ? line_end + 1 : scanner->end);
}

dent_status read_pcd(struct read_request *request)
{
    static const char *const names[] = {[DATA_ASCII] = "pcd ascii", [DATA_BINARY] = "pcd binary", [DATA_PACKED] = "pcd binary compressed"};
    struct pcd_reader reader = {.request = request};
    TRY(scanner_open(&reader.scanner, request->context, request->name, request->bytes.data, request->bytes.size, '#'));
    TRY(read_pcd_header(&reader));
    snprintf(request->format, sizeof request->format, "%s", names[reader.data]);
    request->builder->points_make_a_body = true;
    if (reader.data == DATA_ASCII) {
        TRY(read_ascii(&reader));
    } else {
        leave_header(&reader.scanner);
        TRY(reader.data == DATA_BINARY ? read_binary(&reader) : read_packed(&reader));
    }
    if (reader.without_return > 0) {
        builder_note(request->builder, reader.without_return, "points without a return (NaN) were left out");
    }
    return DENT_OK;
}
