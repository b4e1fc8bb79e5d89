/* An allocator hook for tests: counts, can refuse the Nth request, and checks what it is told. Every block carries a
 * header with its size, so a release with another size, a block of another allocator, a size of 0 or a bad alignment is
 * noticed (`complaints`). Fresh and released memory is filled with junk. May be used from many threads.
 *
 *     struct failing_allocator memory = failing_allocator_make();
 *     def.allocator = failing_allocator_hook(&memory);
 *     memory.fail_at = n;               // the n-th request from now on, counted from 1, and all after it; 0: never
 *     ...
 *     assert_true(failing_allocator_clean(&memory));     // all given back, no complaints
 * / */
#ifndef DENT_TESTS_FAILING_ALLOCATOR_H
#define DENT_TESTS_FAILING_ALLOCATOR_H

#include <dent/base.h>

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct failing_allocator {
    atomic_uint_fast64_t requests; /* calls of allocate */
    atomic_uint_fast64_t fail_at;  /* request number, 0: never; set requests to 0 when setting this */
    atomic_int fail_once;          /* only that request fails, not the later ones */
    atomic_uint_fast64_t live_blocks;
    atomic_uint_fast64_t live_bytes;
    atomic_uint_fast64_t complaints;
};

struct failing_allocator_header {
    uint64_t magic;
    const struct failing_allocator *owner;
    size_t size;
};

enum { FAILING_ALLOCATOR_HEADER = 64 };
#define FAILING_ALLOCATOR_MAGIC UINT64_C(0x64656E7420746573)

static inline struct failing_allocator failing_allocator_make(void)
{
    struct failing_allocator memory;
    memset(&memory, 0, sizeof memory);
    return memory;
}

static inline void *failing_allocator_allocate(void *user, size_t size, size_t alignment)
{
    struct failing_allocator *memory = user;
    uint_fast64_t request = atomic_fetch_add(&memory->requests, 1) + 1;
    uint_fast64_t fail_at = atomic_load(&memory->fail_at);
    if (size == 0 || alignment == 0 || alignment > 64 || (alignment & (alignment - 1)) != 0) {
        atomic_fetch_add(&memory->complaints, 1);
        return NULL;
    }
    if (fail_at > 0 && (request == fail_at || (request > fail_at && !atomic_load(&memory->fail_once)))) {
        return NULL;
    }
    if (size > SIZE_MAX / 2) {
        return NULL;
    }
    unsigned char *block = NULL;
    if (posix_memalign((void **)&block, 64, size + FAILING_ALLOCATOR_HEADER) != 0) {
        return NULL;
    }
    struct failing_allocator_header header = {FAILING_ALLOCATOR_MAGIC, memory, size};
    memcpy(block, &header, sizeof header);
    memset(block + FAILING_ALLOCATOR_HEADER, 0xA5, size);
    atomic_fetch_add(&memory->live_blocks, 1);
    atomic_fetch_add(&memory->live_bytes, size);
    return block + FAILING_ALLOCATOR_HEADER;
}

static inline void failing_allocator_release(void *user, void *pointer, size_t size)
{
    struct failing_allocator *memory = user;
    if (!pointer) {
        atomic_fetch_add(&memory->complaints, 1);
        return;
    }
    unsigned char *block = (unsigned char *)pointer - FAILING_ALLOCATOR_HEADER;
    struct failing_allocator_header header;
    memcpy(&header, block, sizeof header);
    if (header.magic != FAILING_ALLOCATOR_MAGIC || header.owner != memory || header.size != size) {
        atomic_fetch_add(&memory->complaints, 1);
        return;
    }
    memset(block, 0xDD, size + FAILING_ALLOCATOR_HEADER);
    atomic_fetch_sub(&memory->live_blocks, 1);
    atomic_fetch_sub(&memory->live_bytes, size);
    free(block);
}

static inline dent_allocator failing_allocator_hook(struct failing_allocator *memory)
{
    return (dent_allocator){failing_allocator_allocate, failing_allocator_release, memory};
}

static inline bool failing_allocator_clean(const struct failing_allocator *memory)
{
    return atomic_load(&memory->live_blocks) == 0 && atomic_load(&memory->live_bytes) == 0 &&
           atomic_load(&memory->complaints) == 0;
}

#endif
