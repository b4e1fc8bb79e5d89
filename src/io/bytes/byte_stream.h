/* A file read from front to back in bounded memory, gzip and xz taken off on the way.
 *
 * Positions count unpacked bytes. Going back in a packed stream starts it again from its beginning, so what is read in
 * order costs one pass. A stream that unpacks to more than unpacked_size_limit is refused with TOO_LARGE. */
#ifndef DENT_IO_BYTE_STREAM_H
#define DENT_IO_BYTE_STREAM_H

#include "unpacker.h"

struct byte_stream {
    dent_context *context;
    const char *name; /* for messages */
    enum compression compression;
    int file;              /* or -1: */
    const uint8_t *memory; /* borrowed */
    uint64_t packed_size;
    uint64_t packed_position; /* read from the file or memory so far */
    uint8_t *buffer;          /* packed bytes, STREAM_BUFFER_SIZE; only with compression */
    struct unpack_windows windows;
    struct unpacker *unpacker; /* null: not begun */
    uint64_t position;
    bool ended; /* the packed data is complete */
};

/* The name must outlive the stream. On failure there is nothing to close. */
dent_status byte_stream_open(struct byte_stream *stream, dent_context *context, const char *path,
                             enum compression compression);
/* The same over borrowed bytes. */
dent_status byte_stream_open_memory(struct byte_stream *stream, dent_context *context, const char *name,
                                    const void *bytes, size_t size, enum compression compression);
void byte_stream_close(struct byte_stream *stream);

/* *got is less than size only at the end of the data. */
dent_status byte_stream_read(struct byte_stream *stream, void *bytes, size_t size, size_t *got);

/* Goes to a position; *reached is less only when the data ends before it. */
dent_status byte_stream_seek(struct byte_stream *stream, uint64_t position, uint64_t *reached);

#endif
