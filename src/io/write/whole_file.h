/* A file that appears under its name whole or not at all: what include/dent/file_output.h promises.
 *
 * Errors stick: after the first one every call does nothing, whole_file_close() removes the temporary file and returns
 * what went wrong, so writers need not look at each call.
 */
#ifndef DENT_IO_WHOLE_FILE_H
#define DENT_IO_WHOLE_FILE_H

#include <dent/base.h>

struct whole_file {
    dent_context *context;
    char *block; /* one allocation: buffer, path, target, temporary name */
    size_t block_size;
    char *path;           /* as the caller spells it, for messages */
    char *target;         /* where the path leads when it is a link */
    char *temporary;      /* empty: the file has no name */
    size_t folder_length; /* of target and temporary, the slash included; 0: the current folder */
    uint64_t number;      /* the next temporary name */
    size_t used;          /* bytes waiting in the buffer */
    int descriptor;
    bool flush_folder; /* set after opening: the rename, too, is on the disk when the file is closed */
    dent_status status;
};

/* How the temporary file is made; tests choose what else the clock and the file system choose. */
struct whole_file_temporary {
    uint64_t number; /* of the first name tried */
    bool named;      /* from the beginning on, as where the system has no files without names */
};
enum { WHOLE_FILE_NAME_TRIES = 100 };

/* On failure nothing is left open and whole_file_close() must not be called. Null `temporary`: the usual way. */
dent_status whole_file_open(struct whole_file *file, dent_context *context, const char *path,
                            const struct whole_file_temporary *temporary);
void whole_file_put(struct whole_file *file, const void *bytes, size_t size);
/* Puts the file in its place, or removes all traces of it; either way the memory is released. */
dent_status whole_file_close(struct whole_file *file);
void whole_file_discard(struct whole_file *file);

#endif
