/* A small persistent pool of POSIX threads.
 *
 * One job at a time: a function and a counter of blocks that are not yet taken. Workers that wake up while the job is
 * open join it and take blocks until none is left; the caller does the same as worker 0, then closes the job and waits
 * for those who joined. Nobody waits for a worker that has not woken up, so a loop of few short blocks costs no round
 * trip, and a process forked from one with a pool (where the threads do not exist) still gets its loops done: it runs
 * them in place. Such a child should make a context of its own to have threads again.
 *
 * There is no thread-local variable: whether a call comes from inside a block is found by comparing thread ids. */
#include "base/task_pool.h"

#include "base/allocator.h"
#include "base/floating_point_guard.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/types.h>
#include <unistd.h>

struct pool_worker {
    struct task_pool *pool;
    pthread_t thread;
    uint32_t index; /* 1 to thread_count - 1 */
};

struct task_pool {
    dent_context *context;
    size_t bytes;          /* size of this block */
    pid_t process;         /* the one that owns the threads */
    uint32_t thread_count; /* caller included */

    pthread_mutex_t run_mutex; /* held for a whole loop: callers take turns */
    pthread_mutex_t mutex;     /* guards what follows, down to `stopping` */
    pthread_cond_t job_opened;
    pthread_cond_t workers_left;
    dent_block_function *function;
    void *data;
    uint32_t block_count;
    uint64_t job_number; /* a worker joins each job once */
    bool job_open;
    pthread_t caller; /* worker 0 while `running` */
    bool running;
    uint32_t joined; /* workers inside the job, the caller not counted */
    bool stopping;

    /* 64 bits, as every worker steps once past the end. On a cache line of its own. */
    _Alignas(64) atomic_uint_fast64_t next_block;
    struct pool_worker workers[];
};

static void take_blocks(struct task_pool *pool, uint32_t worker)
{
    dent_block_function *function = pool->function;
    void *data = pool->data;
    uint32_t block_count = pool->block_count;
    for (;;) {
        uint64_t block = atomic_fetch_add_explicit(&pool->next_block, 1, memory_order_relaxed);
        if (block >= block_count) {
            return;
        }
        function(data, (uint32_t)block, worker);
    }
}

static void *worker_main(void *pointer)
{
    struct pool_worker *self = pointer;
    struct task_pool *pool = self->pool;
    struct floating_point_guard guard;
    floating_point_guard_enter(&guard);
    uint64_t last_job = 0;
    pthread_mutex_lock(&pool->mutex);
    while (!pool->stopping) {
        if (!pool->job_open || pool->job_number == last_job) {
            pthread_cond_wait(&pool->job_opened, &pool->mutex);
            continue;
        }
        last_job = pool->job_number;
        pool->joined++;
        pthread_mutex_unlock(&pool->mutex);
        take_blocks(pool, self->index);
        pthread_mutex_lock(&pool->mutex);
        if (--pool->joined == 0) {
            pthread_cond_signal(&pool->workers_left);
        }
    }
    pthread_mutex_unlock(&pool->mutex);
    floating_point_guard_leave(&guard);
    return NULL;
}

/* Threads of a library must not run the host's signal handlers, except for signals raised by the thread's own
 * instructions and those profilers use. */
static void signals_to_block(sigset_t *set)
{
    static const int kept[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS, SIGPROF};
    sigfillset(set);
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
        sigdelset(set, kept[i]);
    }
}

/* The stack of our threads is not left to the system: with musl it would be 128 KiB, with glibc whatever `ulimit -s`
 * says. dent needs DENT_STACK_BYTES of it; the rest is for blocks of the host (dent_parallel_for) and sanitizers. */
enum { STACK_BYTES = 1 << 20 };

static bool start_thread(struct pool_worker *worker)
{
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) {
        return false;
    }
    bool started = pthread_attr_setstacksize(&attributes, STACK_BYTES) == 0 &&
                   pthread_create(&worker->thread, &attributes, worker_main, worker) == 0;
    pthread_attr_destroy(&attributes);
    return started;
}

static void start_workers(struct task_pool *pool, uint32_t thread_count)
{
    sigset_t blocked, before;
    signals_to_block(&blocked);
    bool masked = pthread_sigmask(SIG_BLOCK, &blocked, &before) == 0;
    while (pool->thread_count < thread_count) {
        struct pool_worker *worker = &pool->workers[pool->thread_count - 1];
        worker->pool = pool;
        worker->index = pool->thread_count;
        if (!start_thread(worker)) {
            break; /* fewer threads give the same answers */
        }
        pool->thread_count++;
    }
    if (masked) {
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
}

static bool make_locks(struct task_pool *pool)
{
    if (pthread_mutex_init(&pool->run_mutex, NULL) != 0) {
        return false;
    }
    if (pthread_mutex_init(&pool->mutex, NULL) != 0) {
        goto no_mutex;
    }
    if (pthread_cond_init(&pool->job_opened, NULL) != 0) {
        goto no_job_opened;
    }
    if (pthread_cond_init(&pool->workers_left, NULL) != 0) {
        goto no_workers_left;
    }
    return true;
no_workers_left:
    pthread_cond_destroy(&pool->job_opened);
no_job_opened:
    pthread_mutex_destroy(&pool->mutex);
no_mutex:
    pthread_mutex_destroy(&pool->run_mutex);
    return false;
}

struct task_pool *pool_create(dent_context *context, uint32_t thread_count)
{
    size_t bytes;
    if (thread_count == 0 || !size_multiply(thread_count - 1, sizeof(struct pool_worker), &bytes) ||
        !size_add(bytes, sizeof(struct task_pool), &bytes)) {
        return NULL;
    }
    struct task_pool *pool = context_allocate(context, bytes);
    if (!pool) {
        return NULL;
    }
    *pool = (struct task_pool){.context = context, .bytes = bytes, .process = getpid(), .thread_count = 1};
    atomic_init(&pool->next_block, 0);
    if (!make_locks(pool)) {
        context_release(context, pool, bytes);
        return NULL;
    }
    start_workers(pool, thread_count);
    return pool;
}

void pool_destroy(struct task_pool *pool)
{
    if (!pool) {
        return;
    }
    /* In a forked child there is nobody to join, and the conditions still count sleepers that do not exist. */
    if (pool->process == getpid()) {
        pthread_mutex_lock(&pool->mutex);
        pool->stopping = true;
        pthread_cond_broadcast(&pool->job_opened);
        pthread_mutex_unlock(&pool->mutex);
        for (uint32_t i = 1; i < pool->thread_count; i++) {
            pthread_join(pool->workers[i - 1].thread, NULL);
        }
        pthread_cond_destroy(&pool->workers_left);
        pthread_cond_destroy(&pool->job_opened);
        pthread_mutex_destroy(&pool->mutex);
        pthread_mutex_destroy(&pool->run_mutex);
    }
    context_release(pool->context, pool, pool->bytes);
}

uint32_t pool_thread_count(const struct task_pool *pool)
{
    return pool->thread_count;
}

/* The worker this thread is right now, when it is inside a block of this pool. */
static bool find_current_worker(struct task_pool *pool, uint32_t *worker)
{
    pthread_t self = pthread_self();
    for (uint32_t i = 1; i < pool->thread_count; i++) {
        if (pthread_equal(pool->workers[i - 1].thread, self)) {
            *worker = i;
            return true;
        }
    }
    pthread_mutex_lock(&pool->mutex);
    bool found = pool->running && pthread_equal(pool->caller, self);
    pthread_mutex_unlock(&pool->mutex);
    *worker = 0;
    return found;
}

static void run_in_place(uint32_t worker, uint32_t block_count, dent_block_function *function, void *data)
{
    for (uint32_t block = 0; block < block_count; block++) {
        function(data, block, worker);
    }
}

static void wake_workers(struct task_pool *pool, uint32_t block_count)
{
    if (block_count >= pool->thread_count) {
        pthread_cond_broadcast(&pool->job_opened);
        return;
    }
    for (uint32_t i = 1; i < block_count; i++) {
        pthread_cond_signal(&pool->job_opened);
    }
}

void pool_run(void *pool_pointer, uint32_t block_count, dent_block_function *function, void *data)
{
    struct task_pool *pool = pool_pointer;
    uint32_t worker = 0;
    bool alone = pool->thread_count == 1 || pool->process != getpid();
    if (alone || find_current_worker(pool, &worker) || block_count <= 1) {
        run_in_place(worker, block_count, function, data);
        return;
    }
    pthread_mutex_lock(&pool->run_mutex);
    pthread_mutex_lock(&pool->mutex);
    pool->function = function;
    pool->data = data;
    pool->block_count = block_count;
    pool->job_number++;
    pool->job_open = true;
    pool->caller = pthread_self();
    pool->running = true;
    atomic_store_explicit(&pool->next_block, 0, memory_order_relaxed);
    wake_workers(pool, block_count);
    pthread_mutex_unlock(&pool->mutex);

    take_blocks(pool, 0);

    pthread_mutex_lock(&pool->mutex);
    pool->job_open = false;
    while (pool->joined > 0) {
        pthread_cond_wait(&pool->workers_left, &pool->mutex);
    }
    pool->running = false;
    pthread_mutex_unlock(&pool->mutex);
    pthread_mutex_unlock(&pool->run_mutex);
}
