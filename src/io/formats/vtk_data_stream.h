/* The bytes of one binary array of a VTK XML file: raw or base64, plain or in zlib blocks. */
#ifndef DENT_IO_VTK_DATA_STREAM_H
#define DENT_IO_VTK_DATA_STREAM_H

#include <dent/base.h>

/* How the file writes its binary arrays. */
struct vtk_encoding {
    bool base64;
    bool big_endian;
    bool compressed;   /* by zlib */
    bool wide_headers; /* lengths are 64 bits wide, not 32 */
};

/* Bytes in place, or in memory taken from the context. */
struct vtk_array_bytes {
    const uint8_t *data;
    size_t size;
    uint8_t *owned; /* null: in place */
    size_t owned_size;
    uint64_t lengths_passed; /* of packed blocks, where passing over each of them takes time (base64) */
};

/* Unpacks the array that starts at `begin` and has at least `needed` bytes; `end` is the end of the file or of the
 * text. On failure the message is "where: …" and nothing is owned. */
dent_status vtk_array_unpack(dent_context *context, const char *where, const struct vtk_encoding *encoding,
                             const uint8_t *begin, const uint8_t *end, uint64_t needed, struct vtk_array_bytes *bytes);
void vtk_array_bytes_release(dent_context *context, struct vtk_array_bytes *bytes);

#endif
