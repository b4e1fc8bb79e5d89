/* Binary arrays of VTK XML files.
 *
 * Plain: the length in bytes, then the bytes. Compressed: number of blocks, size of a block, size of the last one if it
 * is smaller (else 0), the packed size of each, then the blocks, each a zlib stream of its own. Lengths have 32 or 64
 * bits. All of it may be base64; writers encode header and body together or one after the other, each with its own
 * padding, so the decoder lets a new group of four follow a padded one.
 *
 * Nothing a header claims is believed before it is compared with the bytes that are there; packed blocks may grow by
 * zlib's largest ratio at most. zlib works in one block of the context's memory. */
#include "vtk_data_stream.h"

#include "io/bytes/byte_reader.h"

#include <string.h>

#if defined(DENT_HAVE_ZLIB)
#include <zlib.h>
#endif

/* ---- a stream of bytes over raw bytes or base64 text --------------------------------------------------- */

struct data_stream {
    const uint8_t *cursor;
    const uint8_t *end;
    bool base64;
    uint8_t group[3]; /* decoded, not yet handed out */
    int group_count;
    int group_used;
};

static int base64_digit(uint8_t c)
{
    if (c >= 'A' && c <= 'Z') {
        return c - 'A';
    }
    if (c >= 'a' && c <= 'z') {
        return c - 'a' + 26;
    }
    if (c >= '0' && c <= '9') {
        return c - '0' + 52;
    }
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

static bool is_space(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Four characters, white space between them allowed, to one to three bytes. */
static bool decode_group(struct data_stream *stream)
{
    uint32_t bits = 0;
    int digits = 0;
    int padding = 0;
    while (digits + padding < 4) {
        if (stream->cursor == stream->end) {
            return false;
        }
        uint8_t c = *stream->cursor++;
        if (is_space(c)) {
            continue;
        }
        int digit = base64_digit(c);
        if (c == '=' && digits >= 2) {
            padding++;
        } else if (digit < 0 || padding > 0) {
            return false;
        } else {
            bits = bits << 6 | (uint32_t)digit;
            digits++;
        }
    }
    bits <<= 6 * padding;
    stream->group[0] = (uint8_t)(bits >> 16);
    stream->group[1] = (uint8_t)(bits >> 8);
    stream->group[2] = (uint8_t)bits;
    stream->group_count = 3 - padding;
    stream->group_used = 0;
    return true;
}

static bool stream_read(struct data_stream *stream, uint8_t *out, size_t size)
{
    if (!stream->base64) {
        if ((size_t)(stream->end - stream->cursor) < size) {
            return false;
        }
        memcpy(out, stream->cursor, size);
        stream->cursor += size;
        return true;
    }
    for (size_t i = 0; i < size; i++) {
        if (stream->group_used == stream->group_count && !decode_group(stream)) {
            return false;
        }
        out[i] = stream->group[stream->group_used++];
    }
    return true;
}

/* No more bytes than this can come. */
static uint64_t stream_left(const struct data_stream *stream)
{
    uint64_t left = (uint64_t)(stream->end - stream->cursor);
    return stream->base64 ? left / 4 * 3 + (uint64_t)(stream->group_count - stream->group_used) : left;
}

static bool read_length(struct data_stream *stream, const struct vtk_encoding *encoding, uint64_t *length)
{
    uint8_t bytes[8];
    size_t size = encoding->wide_headers ? 8 : 4;
    if (!stream_read(stream, bytes, size)) {
        return false;
    }
    struct byte_reader reader = byte_reader_over(bytes, bytes + size, encoding->big_endian);
    *length = byte_reader_unsigned(&reader, size);
    return true;
}

/* ---- plain --------------------------------------------------------------------------------------------- */

static dent_status cut_off(dent_context *context, const char *where)
{
    return dent_fail(context, DENT_ERROR_FORMAT, "%s: the binary data are cut off or damaged", where);
}

static dent_status take_memory(dent_context *context, const char *where, uint64_t size, struct vtk_array_bytes *bytes)
{
    bytes->owned = size <= SIZE_MAX ? dent_allocate(context, (size_t)size, 1) : NULL;
    if (!bytes->owned) {
        return dent_fail(context, DENT_ERROR_OUT_OF_MEMORY, "%s: out of memory for %llu bytes", where,
                         (unsigned long long)size);
    }
    bytes->owned_size = (size_t)size;
    bytes->data = bytes->owned;
    bytes->size = (size_t)size;
    return DENT_OK;
}

static dent_status unpack_plain(dent_context *context, const char *where, const struct vtk_encoding *encoding,
                                struct data_stream *stream, uint64_t needed, struct vtk_array_bytes *bytes)
{
    uint64_t length;
    if (!read_length(stream, encoding, &length)) {
        return cut_off(context, where);
    }
    if (length < needed) {
        return dent_fail(context, DENT_ERROR_FORMAT, "%s: has %llu bytes, but %llu are needed", where,
                         (unsigned long long)length, (unsigned long long)needed);
    }
    if (length > stream_left(stream)) {
        return dent_fail(context, DENT_ERROR_FORMAT, "%s: claims %llu bytes, but only %llu follow", where,
                         (unsigned long long)length, (unsigned long long)stream_left(stream));
    }
    if (!stream->base64) {
        bytes->data = stream->cursor;
        bytes->size = (size_t)needed;
        return DENT_OK;
    }
    dent_status status = take_memory(context, where, needed, bytes);
    if (status == DENT_OK && !stream_read(stream, bytes->owned, (size_t)needed)) {
        status = cut_off(context, where);
    }
    return status;
}

/* ---- zlib blocks --------------------------------------------------------------------------------------- */

#if defined(DENT_HAVE_ZLIB)

enum { ZLIB_MEMORY = 96 * 1024, ZLIB_RATIO = 1032 };

/* All zlib asks for while a stream lives, given back at once. */
struct zlib_memory {
    uint8_t *block;
    size_t used;
};

static voidpf zlib_allocate(voidpf user, uInt count, uInt size)
{
    struct zlib_memory *memory = user;
    size_t bytes = ((size_t)count * size + 63) / 64 * 64;
    if (bytes > ZLIB_MEMORY - memory->used) {
        return Z_NULL;
    }
    memory->used += bytes;
    return memory->block + memory->used - bytes;
}

static void zlib_release(voidpf user, voidpf address)
{
    (void)user;
    (void)address;
}

struct block_sizes {
    uint64_t count;
    uint64_t size; /* unpacked, all but perhaps the last */
    uint64_t last; /* 0: as the others */
    uint64_t total;
};

/* Unpacks one block, which must fill `size` bytes exactly. */
static bool inflate_block(struct zlib_memory *memory, const uint8_t *packed, size_t packed_size, uint8_t *out,
                          size_t size)
{
    memory->used = 0;
    z_stream zlib = {.zalloc = zlib_allocate, .zfree = zlib_release, .opaque = memory};
    if (packed_size > UINT32_MAX || size > UINT32_MAX || inflateInit(&zlib) != Z_OK) {
        return false;
    }
    zlib.next_in = (z_const Bytef *)packed;
    zlib.avail_in = (uInt)packed_size;
    zlib.next_out = out;
    zlib.avail_out = (uInt)size;
    int code = inflate(&zlib, Z_FINISH);
    bool good = code == Z_STREAM_END && zlib.avail_out == 0;
    inflateEnd(&zlib);
    return good;
}

static dent_status read_block_sizes(dent_context *context, const char *where, const struct vtk_encoding *encoding,
                                    struct data_stream *stream, uint64_t needed, struct block_sizes *sizes)
{
    if (!read_length(stream, encoding, &sizes->count)) {
        return cut_off(context, where);
    }
    sizes->total = 0;
    if (sizes->count > 0) {
        if (!read_length(stream, encoding, &sizes->size) || !read_length(stream, encoding, &sizes->last)) {
            return cut_off(context, where);
        }
        uint64_t full = sizes->last > 0 ? sizes->count - 1 : sizes->count;
        uint64_t left = stream_left(stream);
        bool absurd = sizes->count > left / (encoding->wide_headers ? 8 : 4) || sizes->last > sizes->size ||
                      sizes->size > UINT32_MAX || (full > 0 && sizes->size > UINT64_MAX / 2 / full);
        sizes->total = absurd ? 0 : full * sizes->size + sizes->last;
        if (absurd || sizes->total > left * ZLIB_RATIO) {
            return dent_fail(
                context, DENT_ERROR_FORMAT, "%s: claims %llu packed blocks of %llu bytes, but only %llu bytes follow",
                where, (unsigned long long)sizes->count, (unsigned long long)sizes->size, (unsigned long long)left);
        }
    }
    if (sizes->total < needed) {
        return dent_fail(context, DENT_ERROR_FORMAT, "%s: unpacks to %llu bytes, but %llu are needed", where,
                         (unsigned long long)sizes->total, (unsigned long long)needed);
    }
    return DENT_OK;
}

/* Over the packed sizes of all blocks. */
static bool pass_lengths(struct data_stream *stream, const struct vtk_encoding *encoding, uint64_t count)
{
    if (!stream->base64) {
        stream->cursor += count * (encoding->wide_headers ? 8 : 4); /* they are there: read_block_sizes() has looked */
        return true;
    }
    uint64_t ignored;
    for (uint64_t b = 0; b < count; b++) {
        if (!read_length(stream, encoding, &ignored)) {
            return false;
        }
    }
    return true;
}

/* Blocks behind the bytes that are needed are not unpacked: other arrays may point at the same ones. */
static void keep_needed_blocks(struct block_sizes *sizes, uint64_t needed)
{
    uint64_t full = sizes->size > 0 ? needed / sizes->size + (needed % sizes->size > 0) : 0;
    if (full < sizes->count) {
        sizes->count = full;
        sizes->last = 0;
        sizes->total = full * sizes->size;
    }
}

/* `lengths` stands at the packed sizes, `stream` behind them at the first block. */
static dent_status inflate_blocks(dent_context *context, const char *where, const struct vtk_encoding *encoding,
                                  struct data_stream *lengths, struct data_stream *stream,
                                  const struct block_sizes *sizes, struct zlib_memory *memory, uint8_t *out)
{
    for (uint64_t b = 0; b < sizes->count; b++) {
        uint64_t packed_size;
        uint64_t size = b + 1 == sizes->count && sizes->last > 0 ? sizes->last : sizes->size;
        if (!read_length(lengths, encoding, &packed_size) || packed_size > stream_left(stream)) {
            return cut_off(context, where);
        }
        bool good;
        if (stream->base64) {
            uint8_t *packed = dent_allocate(context, (size_t)packed_size, 1);
            if (!packed) {
                return dent_fail(context, DENT_ERROR_OUT_OF_MEMORY, "%s: out of memory for a packed block", where);
            }
            good = stream_read(stream, packed, (size_t)packed_size) &&
                   inflate_block(memory, packed, (size_t)packed_size, out, (size_t)size);
            dent_release(context, packed, (size_t)packed_size, 1);
        } else {
            good = inflate_block(memory, stream->cursor, (size_t)packed_size, out, (size_t)size);
            stream->cursor += packed_size;
        }
        if (!good) {
            return dent_fail(context, DENT_ERROR_FORMAT, "%s: packed block %llu is damaged", where,
                             (unsigned long long)b);
        }
        out += size;
    }
    return DENT_OK;
}

static dent_status unpack_blocks(dent_context *context, const char *where, const struct vtk_encoding *encoding,
                                 struct data_stream *stream, uint64_t needed, struct vtk_array_bytes *bytes)
{
    struct block_sizes sizes = {0};
    dent_status status = read_block_sizes(context, where, encoding, stream, needed, &sizes);
    if (status != DENT_OK || sizes.count == 0) {
        return status;
    }
    struct data_stream lengths = *stream;
    if (!pass_lengths(stream, encoding, sizes.count)) {
        return cut_off(context, where);
    }
    bytes->lengths_passed = stream->base64 ? sizes.count : 0;
    keep_needed_blocks(&sizes, needed);
    struct zlib_memory memory = {.block = dent_allocate(context, ZLIB_MEMORY, 1)};
    if (!memory.block) {
        return dent_fail(context, DENT_ERROR_OUT_OF_MEMORY, "%s: out of memory to unpack zlib blocks", where);
    }
    status = take_memory(context, where, sizes.total, bytes);
    if (status == DENT_OK) {
        status = inflate_blocks(context, where, encoding, &lengths, stream, &sizes, &memory, bytes->owned);
    }
    dent_release(context, memory.block, ZLIB_MEMORY, 1);
    return status;
}

#else

static dent_status unpack_blocks(dent_context *context, const char *where, const struct vtk_encoding *encoding,
                                 struct data_stream *stream, uint64_t needed, struct vtk_array_bytes *bytes)
{
    (void)encoding;
    (void)stream;
    (void)needed;
    (void)bytes;
    return dent_fail(context, DENT_ERROR_UNSUPPORTED,
                     "%s: this build of dent cannot unpack zlib blocks: zlib (Debian: zlib1g-dev) "
                     "was not found when it was built",
                     where);
}

#endif

/* ---- either -------------------------------------------------------------------------------------------- */

void vtk_array_bytes_release(dent_context *context, struct vtk_array_bytes *bytes)
{
    dent_release(context, bytes->owned, bytes->owned_size, 1);
    *bytes = (struct vtk_array_bytes){0};
}

dent_status vtk_array_unpack(dent_context *context, const char *where, const struct vtk_encoding *encoding,
                             const uint8_t *begin, const uint8_t *end, uint64_t needed, struct vtk_array_bytes *bytes)
{
    *bytes = (struct vtk_array_bytes){0};
    struct data_stream stream = {.cursor = begin, .end = end, .base64 = encoding->base64};
    dent_status status = encoding->compressed ? unpack_blocks(context, where, encoding, &stream, needed, bytes)
                                              : unpack_plain(context, where, encoding, &stream, needed, bytes);
    if (status != DENT_OK) {
        vtk_array_bytes_release(context, bytes);
    }
    return status;
}
