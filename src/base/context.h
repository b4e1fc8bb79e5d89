/* The inside of a dent_context: the host's four hooks with their defaults filled in, the last message, and the memory
 * account. Worlds of one context may be used from different threads at once, so everything here that changes after
 * creation is atomic or under a mutex. */
#ifndef DENT_BASE_CONTEXT_H
#define DENT_BASE_CONTEXT_H

#include "base/message.h"

#include <dent/base.h>

#include <pthread.h>
#include <stdatomic.h>

struct task_pool;

struct dent_context {
    dent_allocator allocator; /* never null functions */
    dent_parallel parallel;   /* run is null when there is one worker and no hook of the caller */
    dent_log log;
    dent_isa isa;           /* never AUTO */
    uint64_t reading_limit; /* for the readers; 0: their default */
    struct task_pool *pool; /* null with a hook of the caller or with one worker */

    pthread_mutex_t message_mutex;
    struct message message; /* under message_mutex */

    atomic_uint loop_faults; /* enum loop_fault, of loops on the host's threads since somebody asked */
    atomic_uint worlds;      /* made so far: the serial of the last one, which its ids carry */

    _Alignas(8) atomic_uint_fast64_t bytes; /* 32-bit systems align 8-byte numbers to 4: no place for an atomic one */
    _Alignas(8) atomic_uint_fast64_t peak_bytes;
    _Alignas(8) atomic_uint_fast64_t allocations;
};

/* Stores the text, of at most MESSAGE_CAPACITY bytes, as the context's last message (status.c). */
void context_note_message(dent_context *context, const char *text);

/* What a hook of the host did that its contract forbids (parallel_for.c). */
enum loop_fault { LOOP_FAULT_SKIPPED = 1, LOOP_FAULT_REPEATED = 2, LOOP_FAULT_WORKER = 4 };
const char *loop_fault_text(unsigned faults);
/* Those since the last call; 0: none. */
unsigned context_take_loop_faults(dent_context *context);

#endif
