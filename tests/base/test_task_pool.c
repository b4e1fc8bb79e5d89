/* The thread pool: every block once, no worker twice at a time, callers take turns, nesting stays in place. */
#include "support/cmocka_includes.h"
#include "support/failing_allocator.h"
#include "support/sanitizer.h"

#include "base/task_pool.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static dent_context *plain_context(void)
{
    dent_context_def def = dent_context_def_default();
    def.thread_count = 1;
    dent_context *context = dent_context_create(&def, NULL);
    assert_non_null(context);
    return context;
}

struct sum_loop {
    uint32_t worker_count;
    uint64_t *results; /* one per block */
    atomic_uint runs[4096];
    atomic_int busy[1024]; /* per worker */
    atomic_int mistakes;
};

static void sum_block(void *data, uint32_t block, uint32_t worker)
{
    struct sum_loop *loop = data;
    if (worker >= loop->worker_count || atomic_fetch_add(&loop->busy[worker], 1) != 0) {
        atomic_fetch_add(&loop->mistakes, 1);
    }
    uint64_t sum = 0;
    for (uint64_t i = 0; i < 1000; i++) {
        sum += block * i;
    }
    loop->results[block] = sum;
    atomic_fetch_add(&loop->runs[block], 1);
    atomic_fetch_sub(&loop->busy[worker], 1);
}

static void every_block_runs_once_for_any_number_of_threads(void **state)
{
    (void)state;
    const uint32_t threads[] = {1, 2, 3, 8, 64};
    const uint32_t block_counts[] = {0, 1, 2, 7, 64, 1000, 4096};
    dent_context *context = plain_context();
    for (int i = 0; i < 5; i++) {
        struct task_pool *pool = pool_create(context, threads[i]);
        assert_non_null(pool);
        assert_int_equal(pool_thread_count(pool), threads[i]);
        for (int j = 0; j < 7; j++) {
            struct sum_loop *loop = calloc(1, sizeof *loop);
            uint64_t *results = calloc(block_counts[j] + 1, sizeof *results);
            loop->worker_count = threads[i];
            loop->results = results;
            pool_run(pool, block_counts[j], sum_block, loop);
            for (uint32_t block = 0; block < 4096; block++) {
                assert_int_equal(loop->runs[block], block < block_counts[j] ? 1 : 0);
            }
            for (uint32_t block = 0; block < block_counts[j]; block++) {
                assert_int_equal(results[block], block * UINT64_C(499500)); /* plain memory, written by some worker */
            }
            assert_int_equal(loop->mistakes, 0);
            free(results);
            free(loop);
        }
        pool_destroy(pool);
    }
    dent_context_destroy(context);
}

static void count_block(void *data, uint32_t block, uint32_t worker)
{
    (void)block;
    (void)worker;
    atomic_fetch_add((atomic_uint *)data, 1);
}

static void many_short_loops_in_a_row_lose_no_wake_up(void **state)
{
    (void)state;
    dent_context *context = plain_context();
    struct task_pool *pool = pool_create(context, 4);
    atomic_uint count = 0;
    uint32_t expected = 0;
    for (uint32_t i = 0; i < 5000; i++) {
        pool_run(pool, i % 9, count_block, &count);
        expected += i % 9;
        assert_int_equal(count, expected);
    }
    pool_destroy(pool);
    dent_context_destroy(context);
}

static void wait_block(void *data, uint32_t block, uint32_t worker)
{
    (void)block;
    (void)worker;
    pthread_barrier_wait(data);
}

static void more_than_one_thread_really_works(void **state)
{
    (void)state;
    /* Two blocks that wait for each other can only end on two threads. */
    dent_context *context = plain_context();
    struct task_pool *pool = pool_create(context, 2);
    pthread_barrier_t barrier;
    pthread_barrier_init(&barrier, NULL, 2);
    for (int i = 0; i < 50; i++) {
        pool_run(pool, 2, wait_block, &barrier);
    }
    pthread_barrier_destroy(&barrier);
    pool_destroy(pool);
    dent_context_destroy(context);
}

struct nested_loop {
    struct task_pool *pool;
    atomic_uint inner_blocks;
    atomic_int mistakes;
};

struct inner_loop {
    struct nested_loop *outer;
    pthread_t thread;
    uint32_t worker;
    uint32_t next;
};

static void inner_block(void *data, uint32_t block, uint32_t worker)
{
    struct inner_loop *inner = data;
    if (worker != inner->worker || block != inner->next++ || !pthread_equal(pthread_self(), inner->thread)) {
        atomic_fetch_add(&inner->outer->mistakes, 1);
    }
    atomic_fetch_add(&inner->outer->inner_blocks, 1);
}

static void outer_block(void *data, uint32_t block, uint32_t worker)
{
    struct nested_loop *outer = data;
    if (block % 10 == 0) {
        nanosleep(&(struct timespec){0, 200000}, NULL); /* let the other workers join */
    }
    struct inner_loop inner = {outer, pthread_self(), worker, 0};
    pool_run(outer->pool, 5 + block % 3, inner_block, &inner);
}

static void a_loop_inside_a_block_runs_in_place_as_the_same_worker(void **state)
{
    (void)state;
    dent_context *context = plain_context();
    for (uint32_t threads = 1; threads <= 4; threads++) {
        struct nested_loop outer = {.pool = pool_create(context, threads)};
        pool_run(outer.pool, 300, outer_block, &outer);
        assert_int_equal(outer.inner_blocks, 300 * 6);
        assert_int_equal(outer.mistakes, 0);
        pool_destroy(outer.pool);
    }
    dent_context_destroy(context);
}

struct concurrent_caller {
    struct task_pool *pool;
    uint32_t seed;
    int mistakes;
};

struct worker_sums {
    uint64_t of_worker[8]; /* not atomic: one thread per worker at a time */
};

static void add_to_worker(void *data, uint32_t block, uint32_t worker)
{
    struct worker_sums *sums = data;
    uint64_t sum = sums->of_worker[worker];
    if (block % 8 == 0) {
        sched_yield(); /* let the other callers in, if anything can */
    }
    sums->of_worker[worker] = sum + block;
}

static void *call_often(void *pointer)
{
    struct concurrent_caller *caller = pointer;
    for (uint32_t i = 0; i < 300; i++) {
        uint32_t block_count = (i * caller->seed) % 200;
        struct worker_sums sums = {{0}};
        pool_run(caller->pool, block_count, add_to_worker, &sums);
        uint64_t total = 0;
        for (int j = 0; j < 8; j++) {
            total += sums.of_worker[j];
        }
        if (total != (uint64_t)block_count * (block_count ? block_count - 1 : 0) / 2) {
            caller->mistakes++;
        }
    }
    return NULL;
}

static void loops_of_several_threads_take_turns(void **state)
{
    (void)state;
    dent_context *context = plain_context();
    struct task_pool *pool = pool_create(context, 3);
    struct concurrent_caller callers[4];
    pthread_t threads[4];
    for (uint32_t i = 0; i < 4; i++) {
        callers[i] = (struct concurrent_caller){pool, 17 + 2 * i, 0};
        assert_int_equal(pthread_create(&threads[i], NULL, call_often, &callers[i]), 0);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(callers[i].mistakes, 0);
    }
    pool_destroy(pool);
    dent_context_destroy(context);
}

static void creation_fails_cleanly_without_memory(void **state)
{
    (void)state;
    struct failing_allocator memory = failing_allocator_make();
    dent_context_def def = dent_context_def_default();
    def.allocator = failing_allocator_hook(&memory);
    def.thread_count = 1;
    dent_context *context = dent_context_create(&def, NULL);
    memory.requests = 0;
    memory.fail_at = 1;
    assert_null(pool_create(context, 4));
    memory.fail_at = 0;
    struct task_pool *pool = pool_create(context, 4);
    assert_non_null(pool);
    pool_destroy(pool);
    pool_destroy(NULL);
    assert_null(pool_create(context, 0));
    dent_context_destroy(context);
    assert_true(failing_allocator_clean(&memory));
}

/* In a child process: exit status 0 when the pool got by with fewer threads than asked for. */
static int run_with_little_address_space(void)
{
    dent_context_def def = dent_context_def_default();
    def.thread_count = 1;
    dent_context *context = dent_context_create(&def, NULL);
    struct rlimit limit = {64u << 20, 64u << 20}; /* room for a few stacks of 8 MiB */
    if (!context || setrlimit(RLIMIT_AS, &limit) != 0) {
        return 2;
    }
    struct task_pool *pool = pool_create(context, 200);
    if (!pool || pool_thread_count(pool) >= 200) {
        return 3;
    }
    atomic_uint count = 0;
    pool_run(pool, 1000, count_block, &count);
    if (count != 1000) {
        return 4;
    }
    pool_destroy(pool);
    dent_context_destroy(context);
    return 0;
}

static void when_threads_cannot_be_started_fewer_do_the_work(void **state)
{
    (void)state;
    if (TEST_ADDRESS_SANITIZER || TEST_THREAD_SANITIZER) {
        print_message("skipped: sanitizers need more address space than this test leaves\n");
        skip();
    }
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        _exit(run_with_little_address_space());
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void a_forked_child_gets_its_loops_done_in_place(void **state)
{
    (void)state;
    if (TEST_THREAD_SANITIZER) {
        print_message("skipped: the thread sanitizer does not follow a fork of many threads\n");
        skip();
    }
    dent_context *context = plain_context();
    struct task_pool *pool = pool_create(context, 4);
    atomic_uint count = 0;
    pool_run(pool, 100, count_block, &count);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(600); /* a hang is a failure */
        pool_run(pool, 100, count_block, &count);
        pool_destroy(pool);
        _exit(count == 200 ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    pool_run(pool, 100, count_block, &count);
    assert_int_equal(count, 200);
    pool_destroy(pool);
    dent_context_destroy(context);
}

struct slow_loop {
    atomic_int started;
    atomic_int may_end;
};

static void wait_for_permission(void *data, uint32_t block, uint32_t worker)
{
    (void)block;
    (void)worker;
    struct slow_loop *loop = data;
    atomic_store(&loop->started, 1);
    while (!atomic_load(&loop->may_end)) {
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
}

struct slow_caller {
    struct task_pool *pool;
    struct slow_loop loop;
};

static void *run_slow_loop(void *pointer)
{
    struct slow_caller *caller = pointer;
    pool_run(caller->pool, 2, wait_for_permission, &caller->loop);
    return NULL;
}

static void a_child_forked_in_the_middle_of_a_loop_does_not_wait_for_it(void **state)
{
    (void)state;
    if (TEST_THREAD_SANITIZER) {
        print_message("skipped: the thread sanitizer does not follow a fork of many threads\n");
        skip();
    }
    dent_context *context = plain_context();
    struct slow_caller caller = {.pool = pool_create(context, 2)};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, run_slow_loop, &caller), 0);
    while (!atomic_load(&caller.loop.started)) {
        sched_yield();
    }
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(600); /* a hang is a failure */
        atomic_uint count = 0;
        pool_run(caller.pool, 100, count_block, &count);
        pool_destroy(caller.pool);
        _exit(count == 100 ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    atomic_store(&caller.loop.may_end, 1);
    pthread_join(thread, NULL);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    pool_destroy(caller.pool);
    dent_context_destroy(context);
}

static void sleep_in_the_first_block(void *data, uint32_t block, uint32_t worker)
{
    (void)data;
    (void)worker;
    if (block == 0) {
        nanosleep(&(struct timespec){0, 200000000}, NULL);
    }
}

static double processor_seconds(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_utime.tv_sec + (double)usage.ru_utime.tv_usec * 1e-6 + (double)usage.ru_stime.tv_sec +
           (double)usage.ru_stime.tv_usec * 1e-6;
}

static void workers_without_work_sleep(void **state)
{
    (void)state;
    dent_context *context = plain_context();
    struct task_pool *pool = pool_create(context, 4);
    double before = processor_seconds();
    pool_run(pool, 8, sleep_in_the_first_block, NULL); /* some wait for the last block to end */
    nanosleep(&(struct timespec){0, 100000000}, NULL); /* and all for the next loop */
    assert_true(processor_seconds() - before < 0.1);
    pool_destroy(pool);
    dent_context_destroy(context);
}

static void note_blocked_signal(void *data, uint32_t block, uint32_t worker)
{
    (void)block;
    sigset_t set;
    pthread_sigmask(SIG_SETMASK, NULL, &set);
    atomic_int *mistakes = data;
    if (worker > 0 && (!sigismember(&set, SIGINT) || sigismember(&set, SIGSEGV))) {
        atomic_fetch_add(mistakes, 1);
    }
    if (worker == 0 && sigismember(&set, SIGINT)) {
        atomic_fetch_add(mistakes, 1);
    }
    nanosleep(&(struct timespec){0, 1000000}, NULL); /* let others join */
}

static void workers_leave_the_hosts_signals_alone(void **state)
{
    (void)state;
    dent_context *context = plain_context();
    struct task_pool *pool = pool_create(context, 4);
    atomic_int mistakes = 0;
    pool_run(pool, 50, note_blocked_signal, &mistakes);
    assert_int_equal(mistakes, 0);
    pool_destroy(pool);
    dent_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_block_runs_once_for_any_number_of_threads),
        cmocka_unit_test(many_short_loops_in_a_row_lose_no_wake_up),
        cmocka_unit_test(more_than_one_thread_really_works),
        cmocka_unit_test(a_loop_inside_a_block_runs_in_place_as_the_same_worker),
        cmocka_unit_test(loops_of_several_threads_take_turns),
        cmocka_unit_test(creation_fails_cleanly_without_memory),
        cmocka_unit_test(when_threads_cannot_be_started_fewer_do_the_work),
        cmocka_unit_test(a_forked_child_gets_its_loops_done_in_place),
        cmocka_unit_test(a_child_forked_in_the_middle_of_a_loop_does_not_wait_for_it),
        cmocka_unit_test(workers_without_work_sleep),
        cmocka_unit_test(workers_leave_the_hosts_signals_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
