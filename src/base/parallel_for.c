/* The parallel loop of a context: the caller's hook, the built-in pool, or plainly in place.
 *
 * Every block runs inside the floating-point guard, whoever's thread it is on, so that a loop computes the same bits
 * with any number of threads and whatever state the host's threads are in.
 *
 * A hook of the host is not trusted to keep its contract. A bit for every block says that it was begun, one for every
 * worker that it is at work: a block that comes a second time, or with a worker that does not exist or is busy, is not
 * run then. What was not run when the hook returns is run in place. So the loop does what it should in any case,
 * nothing is written twice, and the fault is noted: dent_parallel_for() returns it, and queries do (context_loop_status()). The
 * bits lie on the stack; longer loops are handed over in parts. */
#include "base/context.h"
#include "base/floating_point_guard.h"

enum { PART_BLOCKS = 16384, WORKERS_MOST = 1024 };

struct guarded_loop {
    dent_block_function *function;
    void *data;
    uint32_t worker_count;
};

static void run_guarded_block(void *data, uint32_t block, uint32_t worker)
{
    const struct guarded_loop *loop = data;
    struct floating_point_guard guard;
    floating_point_guard_enter(&guard);
    loop->function(loop->data, block, worker);
    floating_point_guard_leave(&guard);
}

/* ---- hooks of the host ------------------------------------------------------------------------------------------- */

struct checked_loop {
    struct guarded_loop guarded;
    uint32_t first, count; /* blocks of this part */
    atomic_uint faults;    /* enum loop_fault */
    atomic_uint begun[PART_BLOCKS / 32];
    atomic_uint busy[WORKERS_MOST / 32];
};

static bool take_bit(atomic_uint *bits, uint32_t number)
{
    unsigned bit = 1u << number % 32;
    return !(atomic_fetch_or_explicit(&bits[number / 32], bit, memory_order_acquire) & bit);
}

static void run_checked_block(void *data, uint32_t block, uint32_t worker)
{
    struct checked_loop *loop = data;
    unsigned fault = 0;
    if (block >= loop->count) {
        fault = LOOP_FAULT_REPEATED;
    } else if (worker >= loop->guarded.worker_count || !take_bit(loop->busy, worker)) {
        fault = LOOP_FAULT_WORKER;
    } else {
        if (take_bit(loop->begun, block)) {
            run_guarded_block(&loop->guarded, loop->first + block, worker);
        } else {
            fault = LOOP_FAULT_REPEATED;
        }
        atomic_fetch_and_explicit(&loop->busy[worker / 32], ~(1u << worker % 32), memory_order_release);
    }
    if (fault) {
        atomic_fetch_or_explicit(&loop->faults, fault, memory_order_relaxed);
    }
}

static unsigned run_part(dent_context *context, const struct guarded_loop *guarded, uint32_t first, uint32_t count)
{
    struct checked_loop loop = {.guarded = *guarded, .first = first, .count = count};
    context->parallel.run(context->parallel.user, count, run_checked_block, &loop);
    for (uint32_t block = 0; block < count; block++) {
        if (take_bit(loop.begun, block)) {
            atomic_fetch_or_explicit(&loop.faults, LOOP_FAULT_SKIPPED, memory_order_relaxed);
            run_guarded_block(&loop.guarded, first + block, 0);
        }
    }
    return atomic_load_explicit(&loop.faults, memory_order_relaxed);
}

static dent_status run_by_hook(dent_context *context, const struct guarded_loop *loop, uint32_t block_count)
{
    unsigned faults = 0;
    for (uint32_t first = 0; first < block_count; first += PART_BLOCKS) {
        uint32_t rest = block_count - first;
        faults |= run_part(context, loop, first, rest < PART_BLOCKS ? rest : PART_BLOCKS);
        if (rest <= PART_BLOCKS) {
            break;
        }
    }
    if (!faults) {
        return DENT_OK;
    }
    atomic_fetch_or_explicit(&context->loop_faults, faults, memory_order_relaxed);
    return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "%s", loop_fault_text(faults));
}

const char *loop_fault_text(unsigned faults)
{
    if (faults & LOOP_FAULT_WORKER) {
        return "parallel.run of the context: expected a worker below worker_count that runs no other block; got others";
    }
    return faults & LOOP_FAULT_REPEATED ? "parallel.run of the context: expected every block once; some were repeated"
                                        : "parallel.run of the context: expected every block once; some were left out";
}

unsigned context_take_loop_faults(dent_context *context)
{
    /* Read first: queries ask each time, and there is nothing to write. */
    return atomic_load_explicit(&context->loop_faults, memory_order_relaxed)
               ? atomic_exchange_explicit(&context->loop_faults, 0, memory_order_relaxed)
               : 0;
}

dent_status dent_parallel_for(dent_context *context, uint32_t block_count, dent_block_function *function, void *data)
{
    DENT_REQUIRE(context, context);
    DENT_REQUIRE(context, function);
    if (block_count == 0) {
        return DENT_OK;
    }
    struct guarded_loop loop = {function, data, context->parallel.worker_count};
    if (context->pool) { /* runs one block in place too, and knows which worker this thread is */
        context->parallel.run(context->parallel.user, block_count, run_guarded_block, &loop);
        return DENT_OK;
    }
    if (context->parallel.worker_count > 1 && block_count > 1) {
        return run_by_hook(context, &loop, block_count);
    }
    for (uint32_t block = 0; block < block_count; block++) {
        run_guarded_block(&loop, block, 0);
    }
    return DENT_OK;
}
