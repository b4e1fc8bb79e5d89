/* What the fuzzers of recordings share: readers that take a path get the bytes as a file in memory. Linux only, as the
 * fuzzers are. */
#ifndef DENT_TESTS_FUZZ_RECORDING_H
#define DENT_TESTS_FUZZ_RECORDING_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "fuzz_mesh_file.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MEMORY_PATH_SIZE = 64 };

/* The descriptor, to be closed; `path` leads to it. */
static inline int file_in_memory(const void *bytes, size_t size, char path[MEMORY_PATH_SIZE])
{
    int descriptor = memfd_create("fuzz", MFD_CLOEXEC);
    if (descriptor < 0 || (size > 0 && write(descriptor, bytes, size) != (ssize_t)size)) {
        __builtin_trap();
    }
    snprintf(path, MEMORY_PATH_SIZE, "/proc/self/fd/%d", descriptor);
    return descriptor;
}

/* Reads a path; true: done, checked and destroyed. False: refused, nothing made. */
typedef bool read_recording(dent_context *context, const char *path, size_t size);

/* One input: read within bounded memory, or refused with a message that names the file; all memory comes back. */
static inline int fuzz_recording(const uint8_t *data, size_t size, read_recording *read)
{
    struct fuzz_memory memory = {.limit = MEMORY_FREE + 1024 * size};
    dent_context_def def = fuzz_context_def();
    def.allocator = (dent_allocator){fuzz_allocate, fuzz_release, &memory};
    dent_context *context = dent_context_create(&def, NULL);
    fuzz_require(context != NULL);
    size_t before = memory.in_use;
    char path[MEMORY_PATH_SIZE], message[1024];
    int file = file_in_memory(data, size, path);
    if (!read(context, path, size)) {
        fuzz_require(dent_context_message(context, message, sizeof message) > 0);
        fuzz_require(strncmp(message, path, strlen(path)) == 0);
    }
    close(file);
    fuzz_require(memory.in_use == before);
    dent_context_destroy(context);
    return 0;
}

#endif
