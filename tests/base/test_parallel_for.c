/* The context's parallel loop over the built-in pool, in place, and over a hook of the caller. */
#include "support/cmocka_includes.h"

#include "support/test_context.h"

#include <dent/base.h>

#include <fenv.h>
#include <pthread.h>
#include <stdatomic.h>

static void store_square(void *data, uint32_t block, uint32_t worker)
{
    (void)worker;
    ((uint64_t *)data)[block] = (uint64_t)block * block;
}

static void the_sum_is_right_for_any_number_of_threads(void **state)
{
    (void)state;
    const uint32_t threads[] = {1, 2, 3, 8, 64};
    enum { BLOCKS = 1000 };
    for (int i = 0; i < 5; i++) {
        dent_context *context = test_context(threads[i], DENT_ISA_AUTO);
        assert_int_equal(dent_context_worker_count(context), threads[i]);
        uint64_t squares[BLOCKS] = {0};
        dent_parallel_for(context, BLOCKS, store_square, squares);
        uint64_t sum = 0;
        for (uint64_t j = 0; j < BLOCKS; j++) {
            sum += squares[j];
        }
        assert_int_equal(sum, UINT64_C(332833500));
        dent_context_destroy(context);
    }
}

static void note_thread(void *data, uint32_t block, uint32_t worker)
{
    (void)block;
    pthread_t *thread = data;
    assert_int_equal(worker, 0);
    *thread = pthread_self();
}

static void one_block_runs_on_the_callers_thread(void **state)
{
    (void)state;
    dent_context *context = test_context(4, DENT_ISA_AUTO);
    pthread_t thread;
    dent_parallel_for(context, 1, note_thread, &thread);
    assert_true(pthread_equal(thread, pthread_self()));
    dent_context_destroy(context);
}

struct hook_record {
    int calls;
    uint32_t block_count;
    uint32_t worker_count;
    int rounding; /* the mode this host's "threads" are in */
};

/* Runs blocks backwards, on made-up workers, in the host's own rounding mode. */
static void run_backwards(void *user, uint32_t block_count, dent_block_function *function, void *data)
{
    struct hook_record *record = user;
    record->calls++;
    record->block_count = block_count;
    int before = fegetround();
    fesetround(record->rounding);
    for (uint32_t i = 0; i < block_count; i++) {
        function(data, block_count - 1 - i, i % record->worker_count);
        if (fegetround() != record->rounding) {
            record->calls = -1000;
        }
    }
    fesetround(before);
}

static void a_hook_gets_its_user_pointer_and_all_blocks(void **state)
{
    (void)state;
    struct hook_record record = {.worker_count = 5, .rounding = FE_TONEAREST};
    dent_context_def def = dent_context_def_default();
    def.parallel = (dent_parallel){run_backwards, 5, &record};
    def.thread_count = 64; /* ignored */
    dent_context *context = dent_context_create(&def, NULL);
    assert_int_equal(dent_context_worker_count(context), 5);
    uint64_t squares[100] = {0};
    dent_parallel_for(context, 0, store_square, squares);
    dent_parallel_for(context, 1, store_square, squares);
    assert_int_equal(record.calls, 0);
    dent_parallel_for(context, 100, store_square, squares);
    assert_int_equal(record.calls, 1);
    assert_int_equal(record.block_count, 100);
    for (uint64_t i = 0; i < 100; i++) {
        assert_int_equal(squares[i], i * i);
    }
    dent_context_destroy(context);
}

static void store_third(void *data, uint32_t block, uint32_t worker)
{
    (void)worker;
    volatile double one = 1.0, three = 3.0;
    ((double *)data)[block] = one / three;
}

static void blocks_round_to_nearest_whatever_the_hosts_threads_do(void **state)
{
    (void)state;
    const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    for (int i = 0; i < 4; i++) {
        struct hook_record record = {.worker_count = 2, .rounding = modes[i]};
        dent_context_def def = dent_context_def_default();
        def.parallel = (dent_parallel){run_backwards, 2, &record};
        dent_context *hooked = dent_context_create(&def, NULL);
        dent_context *pooled = test_context(3, DENT_ISA_AUTO);
        dent_context *alone = test_context(1, DENT_ISA_AUTO);
        double by_hook[40], by_pool[40], in_place[40];
        fesetround(modes[i]);
        dent_parallel_for(hooked, 40, store_third, by_hook);
        dent_parallel_for(pooled, 40, store_third, by_pool);
        dent_parallel_for(alone, 40, store_third, in_place);
        int after = fegetround();
        fesetround(FE_TONEAREST);
        assert_int_equal(after, modes[i]);
        assert_int_equal(record.calls, 1);
        for (int j = 0; j < 40; j++) {
            assert_true(by_hook[j] == 0x1.5555555555555p-2);
            assert_true(by_pool[j] == 0x1.5555555555555p-2);
            assert_true(in_place[j] == 0x1.5555555555555p-2);
        }
        dent_context_destroy(hooked);
        dent_context_destroy(pooled);
        dent_context_destroy(alone);
    }
}

struct nested {
    dent_context *context;
    uint64_t squares[30][30];
};

static void inner_loop(void *data, uint32_t block, uint32_t worker)
{
    (void)worker;
    struct nested *nested = data;
    dent_parallel_for(nested->context, 30, store_square, nested->squares[block]);
}

static void loops_may_be_nested(void **state)
{
    (void)state;
    for (uint32_t threads = 1; threads <= 3; threads++) {
        struct nested nested = {.context = test_context(threads, DENT_ISA_AUTO)};
        dent_parallel_for(nested.context, 30, inner_loop, &nested);
        for (uint64_t i = 0; i < 30; i++) {
            for (uint64_t j = 0; j < 30; j++) {
                assert_int_equal(nested.squares[i][j], j * j);
            }
        }
        dent_context_destroy(nested.context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sum_is_right_for_any_number_of_threads),
        cmocka_unit_test(one_block_runs_on_the_callers_thread),
        cmocka_unit_test(a_hook_gets_its_user_pointer_and_all_blocks),
        cmocka_unit_test(blocks_round_to_nearest_whatever_the_hosts_threads_do),
        cmocka_unit_test(loops_may_be_nested),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
