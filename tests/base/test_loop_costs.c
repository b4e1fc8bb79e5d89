/* Loops that begin with what took longest: every block runs once, whatever is remembered, and the dear ones come
 * first. */
#include "support/cmocka_includes.h"
#include "support/failing_allocator.h"
#include "support/test_context.h"

#include "base/loop_costs.h"

enum { BLOCKS = 200 };

/* A hook of two workers that runs the blocks in order, so that the order they are asked for in is seen. */
static void run_in_order(void *user, uint32_t block_count, dent_block_function *function, void *data)
{
    (void)user;
    for (uint32_t block = 0; block < block_count; block++) {
        function(data, block, 0);
    }
}

static dent_context *ordered_context(struct failing_allocator *memory)
{
    dent_context_def def = dent_context_def_default();
    def.parallel = (dent_parallel){.run = run_in_order, .worker_count = 2};
    def.allocator = failing_allocator_hook(memory);
    dent_context *context = dent_context_create(&def, NULL);
    assert_non_null(context);
    return context;
}

struct blocks_run {
    uint32_t turns[BLOCKS + 1]; /* by block: how often it ran */
    uint32_t order[BLOCKS + 1], count;
    uint32_t dear; /* this block takes long */
};

static void note_block(void *data, uint32_t block, uint32_t worker)
{
    struct blocks_run *run = data;
    (void)worker;
    __atomic_fetch_add(&run->turns[block], 1, __ATOMIC_RELAXED);
    run->order[__atomic_fetch_add(&run->count, 1, __ATOMIC_RELAXED) % (BLOCKS + 1)] = block;
    uint64_t began = dent_clock_ns();
    while (block == run->dear && dent_clock_ns() - began < 3000000) {
    }
}

static void check_all_ran(struct blocks_run *run, uint32_t count)
{
    for (uint32_t block = 0; block < count; block++) {
        assert_int_equal(run->turns[block], 1);
    }
    assert_int_equal(run->count, count);
    *run = (struct blocks_run){.dear = run->dear};
}

static void what_took_longest_comes_first(void **state)
{
    (void)state;
    struct failing_allocator memory = failing_allocator_make();
    dent_context *context = ordered_context(&memory);
    struct loop_costs costs;
    struct blocks_run run = {.dear = 150};
    loop_costs_init(&costs, context);
    loop_costs_run(&costs, context, BLOCKS, note_block, &run);
    for (uint32_t i = 0; i < BLOCKS; i++) {
        assert_int_equal(run.order[i], i); /* nothing is known yet */
    }
    check_all_ran(&run, BLOCKS);
    uint64_t requests = memory.requests;
    uint32_t first = 0;
    for (int turn = 0; turn < 10; turn++) { /* another may have been disturbed, but not always */
        loop_costs_run(&costs, context, BLOCKS, note_block, &run);
        first += run.order[0] == run.dear;
        check_all_ran(&run, BLOCKS);
    }
    assert_true(first >= 5);
    assert_int_equal(memory.requests, requests);
    run.dear = 20; /* what is dear changes: known after some turns */
    for (int turn = 0; turn < 20; turn++) {
        loop_costs_run(&costs, context, BLOCKS, note_block, &run);
        first = run.order[0] == run.dear || run.order[1] == run.dear;
        check_all_ran(&run, BLOCKS);
    }
    assert_true(first);
    loop_costs_run(&costs, context, BLOCKS + 1, note_block, &run); /* other blocks: nothing is known of them */
    for (uint32_t i = 0; i <= BLOCKS; i++) {
        assert_int_equal(run.order[i], i);
    }
    check_all_ran(&run, BLOCKS + 1);
    loop_costs_destroy(&costs);
    dent_context_destroy(context);
    assert_true(failing_allocator_clean(&memory));
}

static void every_block_runs_once_on_any_number_of_threads(void **state)
{
    (void)state;
    const uint32_t threads[] = {1, 2, 3, 8};
    for (int i = 0; i < 4; i++) {
        dent_context *context = test_context(threads[i], DENT_ISA_AUTO);
        struct loop_costs costs;
        struct blocks_run run = {.dear = UINT32_MAX};
        loop_costs_init(&costs, context);
        for (uint32_t turn = 0; turn < 20; turn++) {
            loop_costs_run(&costs, context, BLOCKS - turn / 4, note_block, &run);
            check_all_ran(&run, BLOCKS - turn / 4);
        }
        loop_costs_run(&costs, context, 0, note_block, &run);
        check_all_ran(&run, 0);
        loop_costs_destroy(&costs);
        dent_context_destroy(context);
    }
}

/* Threads that are there, and a hook that says it has as many as there can be and gives each block another worker. */
static void run_on_other_workers(void *user, uint32_t block_count, dent_block_function *function, void *data)
{
    (void)user;
    for (uint32_t block = block_count; block-- > 0;) {
        function(data, block, 1023 - block % 1024);
    }
}

static void every_block_runs_once_with_hundreds_of_workers(void **state)
{
    (void)state;
    for (int hooked = 0; hooked < 2; hooked++) {
        dent_context_def def = dent_context_def_default();
        def.thread_count = 300;
        def.parallel = hooked ? (dent_parallel){.run = run_on_other_workers, .worker_count = 1024} : def.parallel;
        dent_context *context = dent_context_create(&def, NULL);
        assert_non_null(context);
        assert_int_equal(dent_context_worker_count(context), hooked ? 1024 : 300);
        struct loop_costs costs;
        struct blocks_run run = {.dear = 7};
        loop_costs_init(&costs, context);
        const uint32_t counts[] = {BLOCKS, BLOCKS, BLOCKS, 1, 1, 0, BLOCKS + 1, BLOCKS + 1, 3};
        for (size_t turn = 0; turn < sizeof counts / sizeof counts[0]; turn++) {
            loop_costs_run(&costs, context, counts[turn], note_block, &run);
            check_all_ran(&run, counts[turn]);
        }
        loop_costs_destroy(&costs);
        dent_context_destroy(context);
    }
}

static void without_memory_the_loop_runs_all_the_same(void **state)
{
    (void)state;
    for (uint64_t failing = 1; failing <= 2; failing++) {
        struct failing_allocator memory = failing_allocator_make();
        dent_context *context = ordered_context(&memory);
        struct loop_costs costs;
        struct blocks_run run = {.dear = UINT32_MAX};
        loop_costs_init(&costs, context);
        memory.requests = 0;
        memory.fail_at = failing;
        for (int turn = 0; turn < 3; turn++) {
            loop_costs_run(&costs, context, BLOCKS, note_block, &run);
            check_all_ran(&run, BLOCKS);
        }
        loop_costs_destroy(&costs);
        dent_context_destroy(context);
        assert_true(failing_allocator_clean(&memory));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_took_longest_comes_first),
        cmocka_unit_test(every_block_runs_once_on_any_number_of_threads),
        cmocka_unit_test(every_block_runs_once_with_hundreds_of_workers),
        cmocka_unit_test(without_memory_the_loop_runs_all_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
