/* Memory. Every byte of the library comes through these functions: they ask the host's hook (or the C library, in
 * allocator.c and nowhere else) and keep the context's account. */
#ifndef DENT_BASE_ALLOCATOR_H
#define DENT_BASE_ALLOCATOR_H

#include <dent/base.h>

/* All blocks are aligned to a cache line, which is also the widest vector. */
enum { ALLOCATION_ALIGNMENT = 64 };

/* The C library's allocator as a hook. */
dent_allocator allocator_default(void);

/* *product = a * b; false when it does not fit. */
bool size_multiply(size_t a, size_t b, size_t *product);
/* *sum = a + b; false when it does not fit. */
bool size_add(size_t a, size_t b, size_t *sum);

/* A block of `bytes` (0 is allowed and gives a block that may only be released), or null; no message is set. Threads:
 * any. */
void *context_allocate(dent_context *context, size_t bytes);
/* bytes as allocated; null is allowed. */
void context_release(dent_context *context, void *block, size_t bytes);

/* For context.c: enters a block into the account that was taken before there was a context. */
void context_count_allocation(dent_context *context, size_t bytes);

#endif
