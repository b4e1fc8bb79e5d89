/* The built-in threads of a context: started once, asleep between loops. The calling thread is worker 0, so a pool of n
 * has n - 1 threads of its own. */
#ifndef DENT_BASE_TASK_POOL_H
#define DENT_BASE_TASK_POOL_H

#include <dent/base.h>

struct task_pool;

/* Null only when memory runs out. A thread that the system refuses to start is done without: see
 * pool_thread_count(). */
struct task_pool *pool_create(dent_context *context, uint32_t thread_count);
/* Stops and joins the threads. Null is allowed. */
void pool_destroy(struct task_pool *pool);

/* Threads really there, the caller's included: 1 to the number asked for. */
uint32_t pool_thread_count(const struct task_pool *pool);

/* dent_parallel.run, with the pool as `pool_pointer`. Loops of different threads take turns; a loop started from inside
 * a block runs in place, as the worker that runs the block. Within one loop no two blocks with the same worker run at
 * once. */
void pool_run(void *pool_pointer, uint32_t block_count, dent_block_function *function, void *data);

#endif
