/* gzip and xz taken off a stream of bytes, piece by piece.
 *
 * The caller owns both windows: what goes in and where it comes out. Working memory comes from the context. A build
 * without zlib or liblzma refuses at unpacker_open, naming what was missing. */
#ifndef DENT_IO_UNPACKER_H
#define DENT_IO_UNPACKER_H

#include <dent/base.h>

enum compression { COMPRESSION_NONE, COMPRESSION_GZIP, COMPRESSION_XZ };

/* By the last ending of the name, upper or lower case: .gz, .xz. */
enum compression compression_of_name(const char *name);

struct unpacker;

/* `name` is for messages and must outlive the unpacker. COMPRESSION_NONE is not allowed. */
dent_status unpacker_open(dent_context *context, const char *name, enum compression compression,
                          struct unpacker **unpacker);
void unpacker_close(struct unpacker *unpacker);

struct unpack_windows {
    const uint8_t *in; /* moved on by what was taken */
    size_t in_left;
    bool in_is_last; /* nothing follows behind it */
    uint8_t *out;    /* moved on by what was written */
    size_t out_left;
};

/* Goes on until the input is used up, the output is full or the data is complete (*ended; streams joined by cat are one
 * stream). Damaged or cut data is FORMAT and names the byte. */
dent_status unpacker_run(struct unpacker *unpacker, struct unpack_windows *windows, bool *ended);

/* How many bytes a stream of `packed_size` bytes that is not kept in memory may unpack to. */
uint64_t unpacked_size_limit(uint64_t packed_size);

#endif
