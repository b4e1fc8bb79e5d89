/* The only file that calls the C library's allocator; everything else goes through a context, which counts the bytes
 * taken now, the most ever taken and the number of requests. The counters are relaxed atomics: they order nothing, and
 * are exact whenever no other thread is inside the library. */
#if defined(__linux__)
#define _DEFAULT_SOURCE /* madvise */
#endif
#include "base/allocator.h"

#include "base/context.h"
#include "base/dent_assert.h"

#include <stdlib.h>
#include <string.h>

#if defined(__linux__)
#include <sys/mman.h>
#endif

/* From this size on a block begins at a multiple of it. */
enum { HUGE_PAGE = 2 << 20 };

/* Large arrays are read all over, and looking up where each small page lies costs as much as reading it: large pages
 * are asked for where the system hands them out on request only. It may refuse; nothing changes then. */
static void prefer_huge_pages(void *block, size_t size)
{
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    (void)madvise(block, size - size % HUGE_PAGE, MADV_HUGEPAGE);
#else
    (void)block;
    (void)size;
#endif
}

static void *allocate_from_c_library(void *user, size_t size, size_t alignment)
{
    (void)user;
    void *block = NULL;
    bool large = size >= HUGE_PAGE;
    if (posix_memalign(&block, large && alignment < HUGE_PAGE ? HUGE_PAGE : alignment, size) != 0) {
        return NULL;
    }
    if (large) {
        prefer_huge_pages(block, size);
    }
    return block;
}

static void release_to_c_library(void *user, void *block, size_t size)
{
    (void)user;
    (void)size;
    free(block);
}

dent_allocator allocator_default(void)
{
    return (dent_allocator){.allocate = allocate_from_c_library, .release = release_to_c_library, .user = NULL};
}

bool size_multiply(size_t a, size_t b, size_t *product)
{
    if (b != 0 && a > SIZE_MAX / b) {
        return false;
    }
    *product = a * b;
    return true;
}

bool size_add(size_t a, size_t b, size_t *sum)
{
    if (a > SIZE_MAX - b) {
        return false;
    }
    *sum = a + b;
    return true;
}

/* Hooks are never asked for 0 bytes. */
static size_t bytes_to_ask(size_t bytes)
{
    return bytes > 0 ? bytes : 1;
}

static void raise_peak(dent_context *context, uint_fast64_t bytes)
{
    uint_fast64_t peak = atomic_load_explicit(&context->peak_bytes, memory_order_relaxed);
    while (peak < bytes) {
        /* a failed exchange reloads peak: try again while ours is still higher */
        if (atomic_compare_exchange_weak_explicit(&context->peak_bytes, &peak, bytes, memory_order_relaxed,
                                                  memory_order_relaxed)) {
            return;
        }
    }
}

void context_count_allocation(dent_context *context, size_t bytes)
{
    atomic_fetch_add_explicit(&context->allocations, 1, memory_order_relaxed);
    raise_peak(context, atomic_fetch_add_explicit(&context->bytes, bytes, memory_order_relaxed) + bytes);
}

void *context_allocate(dent_context *context, size_t bytes)
{
    size_t asked = bytes_to_ask(bytes);
    void *block = context->allocator.allocate(context->allocator.user, asked, ALLOCATION_ALIGNMENT);
    if (!block) {
        atomic_fetch_add_explicit(&context->allocations, 1, memory_order_relaxed);
        return NULL;
    }
    DENT_ASSERT((uintptr_t)block % ALLOCATION_ALIGNMENT == 0);
    context_count_allocation(context, asked);
    return block;
}

void context_release(dent_context *context, void *block, size_t bytes)
{
    if (!block) {
        return;
    }
    size_t asked = bytes_to_ask(bytes);
    atomic_fetch_sub_explicit(&context->bytes, asked, memory_order_relaxed);
    context->allocator.release(context->allocator.user, block, asked);
}

void *dent_allocate(dent_context *context, size_t count, size_t size)
{
    if (!context) {
        return NULL;
    }
    size_t bytes;
    if (!size_multiply(count, size, &bytes)) {
        return NULL;
    }
    return context_allocate(context, bytes);
}

void *dent_reallocate(dent_context *context, void *block, size_t old_count, size_t new_count, size_t size)
{
    if (!context) {
        return NULL;
    }
    void *fresh = dent_allocate(context, new_count, size);
    if (fresh && block) {
        size_t kept = old_count < new_count ? old_count : new_count;
        memcpy(fresh, block, kept * size);
        dent_release(context, block, old_count, size);
    }
    return fresh;
}

void dent_release(dent_context *context, void *block, size_t count, size_t size)
{
    if (!context) {
        return;
    }
    context_release(context, block, count * size);
}
