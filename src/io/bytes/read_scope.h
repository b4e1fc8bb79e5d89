/* The memory of one call that reads: a context of its own, which takes its blocks from the caller's and refuses what
 * goes beyond a limit.
 *
 * Everything a reader allocates goes through scope->context: unpacked bytes, the unpackers' own memory, parsed arrays,
 * generated shapes. The caller's context made every block, so what is handed over is released with that one. The limit
 * is the caller's, or 256 MiB and 100 times the bytes on disk of the files that were read, each file counted once. A
 * refusal ends as one line that names the file, the limit and how to raise it (TOO_LARGE).
 *
 * Libraries that take no allocator (expat, jansson, Assimp) are covered by read_scope_room(), asked with a bound of
 * what they take. */
#ifndef DENT_IO_READ_SCOPE_H
#define DENT_IO_READ_SCOPE_H

#include <dent/base.h>

struct counted_file {
    uint64_t device, number; /* number 0: a free place */
};

struct read_scope {
    dent_context *caller;
    dent_context *context; /* for all that is allocated */
    const char *name;      /* of what is read, for messages */
    uint64_t limit;        /* 0: by the bytes on disk */
    uint64_t disk_bytes;
    uint64_t used;
    bool refused;               /* something was beyond the limit */
    struct counted_file *files; /* a hash table, at most half full; from the caller's context */
    size_t file_count, file_capacity;
};

/* Opens a scope; `limit` 0: that of the context, which may be 0 as well. The scope must not move while it is open. On
 * failure there is nothing to close. */
dent_status read_scope_open(struct read_scope *scope, dent_context *caller, const char *name, uint64_t limit);

/* Gives the message of a failing call to the caller's context; a refusal becomes TOO_LARGE. Blocks that are alive stay
 * alive. Returns the status for the caller. */
dent_status read_scope_result(struct read_scope *scope, dent_status status);
/* Ends the scope after read_scope_result. */
void read_scope_close(struct read_scope *scope);
/* Both. */
dent_status read_scope_end(struct read_scope *scope, dent_status status);

/* The file is about to be read: its size counts, once. */
void read_scope_count_file(struct read_scope *scope, const char *path);
/* The same for bytes in memory. */
void read_scope_count_bytes(struct read_scope *scope, uint64_t size);

/* Is there room for so many bytes more? False: status OUT_OF_MEMORY is to be returned, which will be the refusal. */
bool read_scope_room(struct read_scope *scope, uint64_t size);

#endif
