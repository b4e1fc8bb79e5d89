/* A whole file in memory, gzip and xz taken off.
 *
 * Compression is told from the ending of the name (.gz, .xz), not from the content. How far a stream may grow is the
 * context's affair: readers have one with a limit (read_scope.h). */
#ifndef DENT_IO_FILE_BYTES_H
#define DENT_IO_FILE_BYTES_H

#include "unpacker.h"

#include <sys/stat.h>

struct file_bytes {
    uint8_t *data;
    size_t size;
    size_t capacity; /* bytes taken from the context */
};

/* A pipe is read where the caller has named it; one that another file names, or that was found by its name, would be
 * waited for until the end of days. */
enum file_kinds { FILES_ONLY, FILES_AND_PIPES };

/* Opens, reads, unpacks. A directory, a device, a missing, unreadable or empty file is FILE; bad compressed data is
 * FORMAT; a compression this build does not have is UNSUPPORTED. *bytes is written
 * on success only. */
dent_status file_bytes_load(dent_context *context, const char *path, enum file_kinds kinds, struct file_bytes *bytes);

/* The same for bytes that are in memory already: unpacked by the ending of `name`, or copied. Size 0 is FILE, as for
 * files. */
dent_status file_bytes_from_memory(dent_context *context, const char *name, const void *data, size_t size,
                                   struct file_bytes *bytes);

void file_bytes_release(dent_context *context, struct file_bytes *bytes);

/* Opens for reading; *file is to be closed when the status is DENT_OK. Directories and devices are refused. */
dent_status file_open(dent_context *context, const char *path, enum file_kinds kinds, int *file, struct stat *facts);

/* FILE, with what could not be done (`what`) and the reason in errno. */
dent_status file_error(dent_context *context, const char *path, const char *what);

/* Can it be opened, and is it not a directory or a device? */
dent_status file_check(dent_context *context, const char *path);

/* True when a file of this name can be opened and is not a directory. */
bool file_exists(const char *path);

#endif
