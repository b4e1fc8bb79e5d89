/* What the fuzzers of recordings share: readers that take a path get the bytes as a file in memory. Linux only, as the fuzzers are. */
#ifndef DENT_TESTS_FUZZ_RECORDING_H
#define DENT_TESTS_FUZZ_RECORDING_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
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

#endif
