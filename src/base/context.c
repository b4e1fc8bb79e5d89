/* Creation and destruction of a context, and the small questions one may ask it.
 *
 * A def is checked whole before anything is taken; a context that cannot be completed gives back what it took. The
 * context's own block is part of its memory account, so an allocator hook and dent_context_memory_use() always
 * agree. */
#if defined(__linux__)
#define _GNU_SOURCE /* sched_getaffinity */
#endif
#include "base/context.h"

#include "base/allocator.h"
#include "base/platform/cpu_features.h"
#include "base/task_pool.h"

#include <sched.h>
#include <string.h>
#include <unistd.h>

enum { MAXIMUM_WORKERS = 1024 };

dent_context_def dent_context_def_default(void)
{
    dent_context_def def;
    memset(&def, 0, sizeof def);
    def.struct_size = sizeof def;
    def.isa = DENT_ISA_AUTO;
    return def;
}

static dent_status check_def(const dent_context_def *def)
{
    if (def->struct_size != sizeof *def) {
        return DENT_ERROR_INVALID_ARGUMENT;
    }
    if (!def->allocator.allocate != !def->allocator.release) {
        return DENT_ERROR_INVALID_ARGUMENT;
    }
    if (def->parallel.run && (def->parallel.worker_count < 1 || def->parallel.worker_count > MAXIMUM_WORKERS)) {
        return DENT_ERROR_INVALID_ARGUMENT;
    }
    if (def->thread_count > MAXIMUM_WORKERS || (unsigned)def->isa >= DENT_ISA_COUNT) {
        return DENT_ERROR_INVALID_ARGUMENT;
    }
    return dent_isa_available(def->isa) ? DENT_OK : DENT_ERROR_UNSUPPORTED;
}

/* Processors this process may run on: a container or taskset may allow fewer than the machine has. */
static uint32_t usable_processors(void)
{
    long count = 0;
#if defined(__linux__)
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) {
        count = CPU_COUNT(&allowed);
    }
#endif
    if (count < 1) {
        count = sysconf(_SC_NPROCESSORS_ONLN);
    }
    if (count < 1) {
        return 1;
    }
    return count > MAXIMUM_WORKERS ? MAXIMUM_WORKERS : (uint32_t)count;
}

static bool start_threads(dent_context *context, const dent_context_def *def)
{
    if (def->parallel.run) {
        context->parallel = def->parallel;
        return true;
    }
    context->parallel.worker_count = 1;
    uint32_t threads = def->thread_count > 0 ? def->thread_count : usable_processors();
    if (threads == 1) {
        return true;
    }
    context->pool = pool_create(context, threads);
    if (!context->pool) {
        return false;
    }
    context->parallel =
        (dent_parallel){.run = pool_run, .worker_count = pool_thread_count(context->pool), .user = context->pool};
    return true;
}

static dent_context *create_checked(const dent_context_def *def)
{
    dent_allocator allocator = def->allocator.allocate ? def->allocator : allocator_default();
    dent_context *context = allocator.allocate(allocator.user, sizeof *context, ALLOCATION_ALIGNMENT);
    if (!context) {
        return NULL;
    }
    memset(context, 0, sizeof *context);
    context->allocator = allocator;
    context->log = def->log;
    context->isa = def->isa == DENT_ISA_AUTO ? cpu_widest_isa() : def->isa;
    context->reading_limit = def->reading_limit;
    atomic_init(&context->loop_faults, 0);
    atomic_init(&context->worlds, 0);
    atomic_init(&context->bytes, 0);
    atomic_init(&context->peak_bytes, 0);
    atomic_init(&context->allocations, 0);
    context_count_allocation(context, sizeof *context);
    if (pthread_mutex_init(&context->message_mutex, NULL) != 0) {
        allocator.release(allocator.user, context, sizeof *context);
        return NULL;
    }
    if (!start_threads(context, def)) {
        dent_context_destroy(context);
        return NULL;
    }
    return context;
}

dent_context *dent_context_create(const dent_context_def *def, dent_status *status)
{
    dent_context_def defaults = dent_context_def_default();
    if (!def) {
        def = &defaults;
    }
    dent_context *context = NULL;
    dent_status result = check_def(def);
    if (result == DENT_OK) {
        context = create_checked(def);
        if (!context) {
            result = DENT_ERROR_OUT_OF_MEMORY;
        }
    }
    if (status) {
        *status = result;
    }
    return context;
}

void dent_context_destroy(dent_context *context)
{
    if (!context) {
        return;
    }
    pool_destroy(context->pool);
    pthread_mutex_destroy(&context->message_mutex);
    dent_allocator allocator = context->allocator;
    allocator.release(allocator.user, context, sizeof *context);
}

size_t dent_context_message(const dent_context *context, char *buffer, size_t buffer_size)
{
    if (!context) {
        return 0;
    }
    /* No context was ever created const: the mutex may be locked through this pointer. */
    pthread_mutex_t *mutex = (pthread_mutex_t *)&context->message_mutex;
    pthread_mutex_lock(mutex);
    size_t length = message_copy(&context->message, buffer, buffer ? buffer_size : 0);
    pthread_mutex_unlock(mutex);
    return length;
}

dent_isa dent_context_isa(const dent_context *context)
{
    if (!context) {
        return DENT_ISA_AUTO;
    }
    return context->isa;
}

uint64_t dent_context_reading_limit(const dent_context *context)
{
    return context ? context->reading_limit : 0;
}

uint32_t dent_context_worker_count(const dent_context *context)
{
    if (!context) {
        return 0;
    }
    return context->parallel.worker_count;
}

dent_memory_use dent_context_memory_use(const dent_context *context)
{
    if (!context) {
        return (dent_memory_use){0};
    }
    return (dent_memory_use){
        .bytes = atomic_load_explicit(&context->bytes, memory_order_relaxed),
        .peak_bytes = atomic_load_explicit(&context->peak_bytes, memory_order_relaxed),
        .allocations = atomic_load_explicit(&context->allocations, memory_order_relaxed),
    };
}
