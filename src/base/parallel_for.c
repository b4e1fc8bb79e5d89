/* The parallel loop of a context: the caller's hook, the built-in pool, or plainly in place.
 *
 * Every block runs inside the floating-point guard, whoever's thread it is on, so that a loop computes the same bits
 * with any number of threads and whatever state the host's threads are in. */
#include "context.h"
#include "dent_assert.h"
#include "floating_point_guard.h"

struct guarded_loop {
    dent_block_function *function;
    void *data;
    uint32_t worker_count;
};

static void run_guarded_block(void *data, uint32_t block, uint32_t worker)
{
    const struct guarded_loop *loop = data;
    DENT_ASSERT(worker < loop->worker_count);
    struct floating_point_guard guard;
    floating_point_guard_enter(&guard);
    loop->function(loop->data, block, worker);
    floating_point_guard_leave(&guard);
}

void dent_parallel_for(dent_context *context, uint32_t block_count, dent_block_function *function, void *data)
{
    if (!context || !function) {
        return;
    }
    if (block_count == 0) {
        return;
    }
    struct guarded_loop loop = {function, data, context->parallel.worker_count};
    /* The built-in pool runs one block in place too, but knows which worker this thread is. */
    bool in_place = context->parallel.worker_count == 1 || (block_count == 1 && !context->pool);
    if (!in_place) {
        context->parallel.run(context->parallel.user, block_count, run_guarded_block, &loop);
        return;
    }
    for (uint32_t block = 0; block < block_count; block++) {
        run_guarded_block(&loop, block, 0);
    }
}
