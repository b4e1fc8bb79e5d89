/* Reading a file or memory piece by piece. Plain files are read at any position; packed ones go through a buffer of
 * STREAM_BUFFER_SIZE bytes and the unpacker. */
#include "byte_stream.h"

#include "file_bytes.h"
#include "try_status.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { STREAM_BUFFER_SIZE = 1 << 16, SKIP_SIZE = 1 << 14 };

static dent_status finish_open(struct byte_stream *stream)
{
    if (stream->compression != COMPRESSION_NONE) {
        stream->buffer = dent_allocate(stream->context, STREAM_BUFFER_SIZE, 1);
        if (!stream->buffer) {
            byte_stream_close(stream);
            return dent_fail(stream->context, DENT_ERROR_OUT_OF_MEMORY, "%s: no memory to read it", stream->name);
        }
    }
    return DENT_OK;
}

dent_status byte_stream_open(struct byte_stream *stream, dent_context *context, const char *path,
                             enum compression compression)
{
    struct stat facts;
    *stream = (struct byte_stream){.context = context, .name = path, .compression = compression, .file = -1};
    TRY(file_open(context, path, FILES_ONLY, &stream->file, &facts)); /* an archive is read more than once */
    stream->packed_size = (uint64_t)facts.st_size;
    return finish_open(stream);
}

dent_status byte_stream_open_memory(struct byte_stream *stream, dent_context *context, const char *name,
                                    const void *bytes, size_t size, enum compression compression)
{
    *stream = (struct byte_stream){
        .context = context, .name = name, .compression = compression, .file = -1, .memory = bytes, .packed_size = size};
    return finish_open(stream);
}

void byte_stream_close(struct byte_stream *stream)
{
    unpacker_close(stream->unpacker);
    stream->unpacker = NULL;
    dent_release(stream->context, stream->buffer, STREAM_BUFFER_SIZE, 1);
    stream->buffer = NULL;
    if (stream->file >= 0) {
        close(stream->file);
    }
    stream->file = -1;
}

/* Bytes as they are in the file, from packed_position on. */
static dent_status read_packed(struct byte_stream *stream, uint8_t *bytes, size_t size, size_t *got)
{
    *got = 0;
    if (stream->file < 0) {
        uint64_t left = stream->packed_size - stream->packed_position;
        *got = size < left ? size : (size_t)left;
        if (*got > 0) {
            memcpy(bytes, stream->memory + stream->packed_position, *got);
        }
    }
    while (stream->file >= 0 && *got < size) {
        ssize_t count = pread(stream->file, bytes + *got, size - *got, (off_t)(stream->packed_position + *got));
        if (count == 0) {
            break;
        }
        if (count < 0 && errno != EINTR) {
            return file_error(stream->context, stream->name, "cannot be read");
        }
        *got += count > 0 ? (size_t)count : 0;
    }
    stream->packed_position += *got;
    return DENT_OK;
}

/* Fills the window with packed bytes when it is empty. */
static dent_status refill(struct byte_stream *stream)
{
    if (stream->windows.in_left > 0 || stream->windows.in_is_last) {
        return DENT_OK;
    }
    size_t got;
    TRY(read_packed(stream, stream->buffer, STREAM_BUFFER_SIZE, &got));
    stream->windows.in = stream->buffer;
    stream->windows.in_left = got;
    stream->windows.in_is_last = got < STREAM_BUFFER_SIZE;
    return DENT_OK;
}

static dent_status read_unpacked(struct byte_stream *stream, uint8_t *bytes, size_t size, size_t *got)
{
    if (!stream->unpacker) {
        TRY(unpacker_open(stream->context, stream->name, stream->compression, &stream->unpacker));
    }
    stream->windows.out = bytes;
    stream->windows.out_left = size;
    while (stream->windows.out_left > 0 && !stream->ended) {
        TRY(refill(stream));
        TRY(unpacker_run(stream->unpacker, &stream->windows, &stream->ended));
    }
    *got = size - stream->windows.out_left;
    return DENT_OK;
}

dent_status byte_stream_read(struct byte_stream *stream, void *bytes, size_t size, size_t *got)
{
    *got = 0;
    if (stream->compression == COMPRESSION_NONE) {
        stream->packed_position = stream->position;
        TRY(read_packed(stream, bytes, size, got));
    } else {
        TRY(read_unpacked(stream, bytes, size, got));
    }
    stream->position += *got;
    if (stream->compression != COMPRESSION_NONE && stream->position > unpacked_size_limit(stream->packed_size)) {
        return dent_fail(stream->context, DENT_ERROR_TOO_LARGE,
                         "%s: unpacks to more than %llu bytes from %llu: not an archive of meshes", stream->name,
                         (unsigned long long)unpacked_size_limit(stream->packed_size),
                         (unsigned long long)stream->packed_size);
    }
    return DENT_OK;
}

/* Back to the beginning of a packed stream. */
static void rewind_stream(struct byte_stream *stream)
{
    unpacker_close(stream->unpacker);
    stream->unpacker = NULL;
    stream->windows = (struct unpack_windows){0};
    stream->packed_position = 0;
    stream->position = 0;
    stream->ended = false;
}

dent_status byte_stream_seek(struct byte_stream *stream, uint64_t position, uint64_t *reached)
{
    if (stream->compression == COMPRESSION_NONE) {
        stream->position = position < stream->packed_size ? position : stream->packed_size;
        *reached = stream->position;
        return DENT_OK;
    }
    if (position < stream->position) {
        rewind_stream(stream);
    }
    uint8_t skipped[SKIP_SIZE];
    size_t got = 1;
    while (stream->position < position && got > 0) {
        uint64_t left = position - stream->position;
        TRY(byte_stream_read(stream, skipped, left < SKIP_SIZE ? (size_t)left : SKIP_SIZE, &got));
    }
    *reached = stream->position;
    return DENT_OK;
}
