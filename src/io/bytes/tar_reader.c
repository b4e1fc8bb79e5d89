/* A tar archive is a row of blocks of 512 bytes: a header, then the data of the member, filled up to whole blocks; two
 * blocks of zeros end it. A name longer than the header's field comes before it, as a member of its own: GNU's type L
 * holds the name, pax's type x holds lines "LENGTH key=value". POSIX.1-2017, pax, "ustar Interchange Format".
 *
 * Nothing in the archive is believed before it is checked: the sum of the header, that sizes are numbers, that the data
 * is really there (the reader goes over it before it says that there is a member). */
#include "tar_reader.h"

#include "try_status.h"

#include <string.h>

enum { BLOCK = 512, NAME_FIELD = 100, PREFIX_FIELD = 155, EXTENDED_LIMIT = 1 << 20 };

/* Offsets of the fields. */
enum { AT_SIZE = 124, AT_SUM = 148, AT_TYPE = 156, AT_MAGIC = 257, AT_PREFIX = 345 };

/* What the headers in front of a member say about it. */
struct overrides {
    bool has_name;
    bool has_size;
    uint64_t size;
};

void tar_reader_init(struct tar_reader *reader, struct byte_stream *stream)
{
    *reader = (struct tar_reader){.stream = stream};
    array_init(&reader->name, stream->context, 1);
    array_init(&reader->extended, stream->context, 1);
}

void tar_reader_release(struct tar_reader *reader)
{
    array_destroy(&reader->name);
    array_destroy(&reader->extended);
}

const char *tar_kind_name(enum tar_kind kind)
{
    static const char *const names[] = {"a file",      "a directory", "a symbolic link",
                                        "a hard link", "a device",    "no file"};
    return names[kind];
}

/* ---- errors ---------------------------------------------------------------------------------------------------- */

static dent_status bad_header(const struct tar_reader *reader, uint64_t offset, const char *what)
{
    return dent_fail(reader->stream->context, DENT_ERROR_FORMAT, "%s: header of member %llu at byte %llu: %s",
                     reader->stream->name, (unsigned long long)reader->member_count + 1, (unsigned long long)offset,
                     what);
}

static dent_status no_memory(const struct tar_reader *reader)
{
    return dent_fail(reader->stream->context, DENT_ERROR_OUT_OF_MEMORY, "%s: no memory for a name in it",
                     reader->stream->name);
}

/* ---- one header ------------------------------------------------------------------------------------------------ */

static bool all_zero(const uint8_t *block)
{
    for (int i = 0; i < BLOCK; i++) {
        if (block[i] != 0) {
            return false;
        }
    }
    return true;
}

/* Octal digits between blanks and zero bytes. False: something else, or nothing. */
static bool read_octal(const uint8_t *field, size_t length, uint64_t *value)
{
    size_t i = 0;
    while (i < length && field[i] == ' ') {
        i++;
    }
    uint64_t number = 0;
    size_t digits = 0;
    for (; i < length && field[i] >= '0' && field[i] <= '7'; i++, digits++) {
        number = number * 8 + (uint64_t)(field[i] - '0'); /* at most 12 digits: 36 bits */
    }
    for (; i < length; i++) {
        if (field[i] != ' ' && field[i] != 0) {
            return false;
        }
    }
    *value = number;
    return digits > 0;
}

/* Octal, or with the highest bit of the field set a number of 95 bits, of which 63 are taken. */
static bool read_size(const uint8_t *field, uint64_t *value)
{
    if (!(field[0] & 0x80)) {
        return read_octal(field, 12, value);
    }
    uint64_t number = 0;
    if (field[0] != 0x80 || field[1] != 0 || field[2] != 0 || field[3] != 0 || (field[4] & 0x80)) {
        return false;
    }
    for (int i = 4; i < 12; i++) {
        number = number << 8 | field[i];
    }
    *value = number;
    return true;
}

/* The sum of all bytes, its own field taken as blanks. Some old programs summed signed bytes. */
static bool sum_is_right(const uint8_t *block)
{
    uint64_t stated;
    if (!read_octal(block + AT_SUM, 8, &stated)) {
        return false;
    }
    int64_t plain = 0, with_signs = 0;
    for (int i = 0; i < BLOCK; i++) {
        uint8_t byte = i >= AT_SUM && i < AT_SUM + 8 ? ' ' : block[i];
        plain += byte;
        with_signs += (int8_t)byte;
    }
    return (int64_t)stated == plain || (int64_t)stated == with_signs;
}

/* The next header, or *end. */
static dent_status read_header(struct tar_reader *reader, uint64_t offset, uint8_t *block, bool *end)
{
    uint64_t reached;
    size_t got = 0;
    TRY(byte_stream_seek(reader->stream, offset, &reached));
    if (reached == offset) {
        TRY(byte_stream_read(reader->stream, block, BLOCK, &got));
    }
    *end = got == 0 || (got == BLOCK && all_zero(block));
    if (got == 0 && reader->member_count > 0) {
        dent_log_line(reader->stream->context, DENT_LOG_NOTICE, "%s: has no end mark: it may have been cut off",
                      reader->stream->name);
    }
    if (*end) {
        return DENT_OK;
    }
    if (got < BLOCK && reader->member_count > 0) {
        return bad_header(reader, offset, "the archive ends in it");
    }
    if (got < BLOCK || !sum_is_right(block)) {
        return offset == 0 ? dent_fail(reader->stream->context, DENT_ERROR_FORMAT, "%s: is not a tar archive",
                                       reader->stream->name)
                           : bad_header(reader, offset, "damaged, its sum is wrong");
    }
    return DENT_OK;
}

/* ---- names ----------------------------------------------------------------------------------------------------- */

/* Adds bytes up to the first zero. */
static bool append_name(struct tar_reader *reader, const void *bytes, size_t length)
{
    const uint8_t *end = memchr(bytes, 0, length);
    size_t used = end ? (size_t)(end - (const uint8_t *)bytes) : length;
    char *room = array_extend(&reader->name, used + 1);
    if (!room) {
        return false;
    }
    memcpy(room, bytes, used);
    room[used] = 0;
    reader->name.count--; /* the zero is overwritten by what follows */
    return true;
}

/* The name in the header itself. Only POSIX headers have a prefix; GNU keeps times in that place. */
static bool take_short_name(struct tar_reader *reader, const uint8_t *block)
{
    reader->name.count = 0;
    bool posix = memcmp(block + AT_MAGIC, "ustar\0", 6) == 0;
    if (posix && block[AT_PREFIX] != 0 &&
        (!append_name(reader, block + AT_PREFIX, PREFIX_FIELD) || !append_name(reader, "/", 1))) {
        return false;
    }
    return append_name(reader, block, NAME_FIELD);
}

/* ---- headers that speak about the next one --------------------------------------------------------------------- */

static dent_status read_extended(struct tar_reader *reader, uint64_t offset, uint64_t size)
{
    if (size > EXTENDED_LIMIT) {
        return bad_header(reader, offset, "a long name or extended header of more than a megabyte");
    }
    reader->extended.count = 0;
    uint8_t *data = array_extend(&reader->extended, (size_t)size + 1);
    if (!data) {
        return no_memory(reader);
    }
    size_t got;
    TRY(byte_stream_read(reader->stream, data, (size_t)size, &got));
    if (got < size) {
        return bad_header(reader, offset, "the archive ends in its extended header");
    }
    data[size] = 0;
    reader->extended.count = (size_t)size;
    return DENT_OK;
}

/* A decimal number up to `end`; returns the first byte behind it, or null. */
static const char *read_decimal(const char *text, const char *end, uint64_t *value)
{
    const char *start = text;
    uint64_t number = 0;
    for (; text < end && *text >= '0' && *text <= '9'; text++) {
        if (number > (UINT64_MAX - 9) / 10) {
            return NULL;
        }
        number = number * 10 + (uint64_t)(*text - '0');
    }
    *value = number;
    return text > start ? text : NULL;
}

static bool key_is(const char *key, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(key, word, length) == 0;
}

/* One line of a pax header: key and value, neither ended by a zero byte. */
static dent_status take_pax_line(struct tar_reader *reader, uint64_t offset, const char *key, size_t key_length,
                                 const char *value, size_t value_length, struct overrides *overrides)
{
    if (key_is(key, key_length, "path")) {
        if (value_length == 0 || memchr(value, 0, value_length)) {
            return bad_header(reader, offset, "its extended header gives an impossible name");
        }
        reader->name.count = 0;
        overrides->has_name = true;
        return append_name(reader, value, value_length) ? DENT_OK : no_memory(reader);
    }
    if (key_is(key, key_length, "size")) {
        const char *end = read_decimal(value, value + value_length, &overrides->size);
        overrides->has_size = true;
        if (end != value + value_length || overrides->size > INT64_MAX) {
            return bad_header(reader, offset, "its extended header gives a size that is no number");
        }
    }
    if (key_length >= 10 && memcmp(key, "GNU.sparse", 10) == 0) {
        return bad_header(reader, offset, "a sparse file: pack it without --sparse");
    }
    return DENT_OK;
}

static dent_status take_pax_lines(struct tar_reader *reader, uint64_t offset, struct overrides *overrides)
{
    const char *at = reader->extended.data;
    const char *end = at + reader->extended.count;
    while (at < end) {
        uint64_t length;
        const char *key = read_decimal(at, end, &length);
        if (!key || key == end || *key != ' ' || length > (uint64_t)(end - at) || length < (uint64_t)(key - at) + 3 ||
            at[length - 1] != '\n') {
            return bad_header(reader, offset, "its extended header is damaged");
        }
        key++;
        const char *line_end = at + length - 1;
        const char *equals = memchr(key, '=', (size_t)(line_end - key));
        if (!equals) {
            return bad_header(reader, offset, "its extended header is damaged");
        }
        TRY(take_pax_line(reader, offset, key, (size_t)(equals - key), equals + 1, (size_t)(line_end - equals - 1),
                          overrides));
        at = line_end + 1;
    }
    return DENT_OK;
}

/* Types x, g, L, K: reads it and remembers what it says. Global headers (git writes a comment) say nothing we need. */
static dent_status take_extension(struct tar_reader *reader, uint64_t offset, uint8_t type, uint64_t size,
                                  struct overrides *overrides)
{
    TRY(read_extended(reader, offset, size));
    if (type == 'x') {
        return take_pax_lines(reader, offset, overrides);
    }
    if (type == 'L') {
        reader->name.count = 0;
        overrides->has_name = true;
        return append_name(reader, reader->extended.data, reader->extended.count) ? DENT_OK : no_memory(reader);
    }
    return DENT_OK;
}

/* ---- members --------------------------------------------------------------------------------------------------- */

static enum tar_kind kind_of(uint8_t type, const char *name)
{
    size_t length = strlen(name);
    switch (type) {
    case '1':
        return TAR_HARD_LINK;
    case '2':
        return TAR_SYMBOLIC_LINK;
    case '3':
    case '4':
    case '6':
        return TAR_DEVICE;
    case '5':
        return TAR_DIRECTORY;
    case 'D':
    case 'V':
        return TAR_OTHER;
    default: /* 0, '0', '7', and what POSIX does not know is to be taken as a file */
        return length > 0 && name[length - 1] == '/' ? TAR_DIRECTORY : TAR_FILE;
    }
}

/* Links, devices and directories have no data, whatever their size field says. */
static bool has_data(enum tar_kind kind, uint8_t type)
{
    return kind == TAR_FILE || type == 'D';
}

static dent_status verify_member_data(struct tar_reader *reader, const struct tar_member *member)
{
    uint64_t end = member->data_offset + member->size, reached;
    if (member->size > INT64_MAX - member->data_offset - BLOCK) {
        return dent_fail(reader->stream->context, DENT_ERROR_FORMAT,
                         "%s: member '%s' at byte %llu: a size of %llu bytes", reader->stream->name, member->name,
                         (unsigned long long)member->header_offset, (unsigned long long)member->size);
    }
    TRY(byte_stream_seek(reader->stream, end, &reached));
    if (reached < end) {
        return dent_fail(reader->stream->context, DENT_ERROR_FORMAT,
                         "%s: cut off: member '%s' at byte %llu has %llu bytes, the archive ends after %llu of them",
                         reader->stream->name, member->name, (unsigned long long)member->header_offset,
                         (unsigned long long)member->size, (unsigned long long)(reached - member->data_offset));
    }
    reader->next_offset = (end + BLOCK - 1) / BLOCK * BLOCK;
    return DENT_OK;
}

/* The member whose own header this is. */
static dent_status finish_member(struct tar_reader *reader, const uint8_t *block, uint64_t offset, uint64_t size,
                                 const struct overrides *overrides, struct tar_member *member)
{
    uint8_t type = block[AT_TYPE];
    if (!overrides->has_name && !take_short_name(reader, block)) {
        return no_memory(reader);
    }
    member->name = reader->name.data;
    if (type == 'S' || type == 'M') {
        return bad_header(reader, offset,
                          type == 'S' ? "a sparse file: pack it without --sparse"
                                      : "the rest of a file of another volume");
    }
    if (member->name[0] == 0) {
        return bad_header(reader, offset, "it has no name");
    }
    member->kind = kind_of(type, member->name);
    member->size = !has_data(member->kind, type) ? 0 : overrides->has_size ? overrides->size : size;
    member->data_offset = offset + BLOCK;
    TRY(verify_member_data(reader, member));
    reader->member_count++;
    return DENT_OK;
}

dent_status tar_reader_next(struct tar_reader *reader, struct tar_member *member, bool *found)
{
    struct overrides overrides = {0};
    uint64_t offset = reader->next_offset;
    member->header_offset = offset;
    *found = false;
    for (;;) {
        uint8_t block[BLOCK];
        bool end;
        uint64_t size;
        TRY(read_header(reader, offset, block, &end));
        if (end) {
            return offset == member->header_offset
                       ? DENT_OK
                       : bad_header(reader, offset, "the archive ends between a long name and its member");
        }
        if (!read_size(block + AT_SIZE, &size)) {
            return bad_header(reader, offset, "its size is no number");
        }
        uint8_t type = block[AT_TYPE];
        if (type != 'x' && type != 'g' && type != 'L' && type != 'K') {
            dent_status status = finish_member(reader, block, offset, size, &overrides, member);
            *found = status == DENT_OK;
            return status;
        }
        TRY(take_extension(reader, offset, type, size, &overrides));
        offset += BLOCK + (size + BLOCK - 1) / BLOCK * BLOCK;
    }
}
