/* Per-block output: the merged list does not depend on the threads, and lost memory in a worker is not lost
 * silently. */
#include "support/cmocka_includes.h"
#include "support/failing_allocator.h"

#include "base/block_output.h"

struct pair {
    uint32_t block;
    uint32_t number;
};

struct loop {
    struct block_output output;
};

static uint32_t pairs_of_block(uint32_t block)
{
    return block % 7 == 3 ? 0 : (block * 37) % 101;
}

static void write_pairs(void *data, uint32_t block, uint32_t worker)
{
    struct loop *loop = data;
    (void)worker;
    for (uint32_t i = 0; i < pairs_of_block(block); i++) {
        struct pair pair = {block, i};
        block_output_append(&loop->output, block, &pair, 1);
    }
    block_output_append(&loop->output, block, NULL, 0);
}

static void check_merged(const struct dynamic_array *array, size_t first, uint32_t block_count)
{
    size_t place = first;
    for (uint32_t block = 0; block < block_count; block++) {
        for (uint32_t i = 0; i < pairs_of_block(block); i++) {
            const struct pair *pair = array_at(array, place++);
            assert_int_equal(pair->block, block);
            assert_int_equal(pair->number, i);
        }
    }
    assert_int_equal(array->count, place);
}

static dent_context *make_context(struct failing_allocator *memory, uint32_t threads)
{
    dent_context_def def = dent_context_def_default();
    def.allocator = failing_allocator_hook(memory);
    def.thread_count = threads;
    dent_context *context = dent_context_create(&def, NULL);
    assert_non_null(context);
    return context;
}

static void the_merged_list_is_in_block_order_for_any_number_of_threads(void **state)
{
    (void)state;
    const uint32_t threads[] = {1, 2, 3, 8};
    for (int i = 0; i < 4; i++) {
        struct failing_allocator memory = failing_allocator_make();
        dent_context *context = make_context(&memory, threads[i]);
        struct loop loop;
        struct dynamic_array merged;
        block_output_init(&loop.output, context, sizeof(struct pair));
        array_init(&merged, context, sizeof(struct pair));
        const uint32_t block_counts[] = {5, 200, 0, 33};
        for (int j = 0; j < 4; j++) {
            array_clear(&merged);
            assert_true(block_output_begin(&loop.output, block_counts[j]));
            dent_parallel_for(context, block_counts[j], write_pairs, &loop);
            size_t count = block_output_count(&loop.output);
            assert_true(block_output_merge(&loop.output, &merged));
            assert_int_equal(merged.count, count);
            assert_int_equal(block_output_count(&loop.output), 0);
            check_merged(&merged, 0, block_counts[j]);
        }
        block_output_destroy(&loop.output);
        array_destroy(&merged);
        dent_context_destroy(context);
        assert_true(failing_allocator_clean(&memory));
    }
}

static void a_merge_appends_to_what_is_there(void **state)
{
    (void)state;
    struct failing_allocator memory = failing_allocator_make();
    dent_context *context = make_context(&memory, 1);
    struct loop loop;
    struct dynamic_array merged;
    block_output_init(&loop.output, context, sizeof(struct pair));
    array_init(&merged, context, sizeof(struct pair));
    struct pair old = {77, 88};
    array_push(&merged, &old);
    assert_true(block_output_begin(&loop.output, 10));
    dent_parallel_for(context, 10, write_pairs, &loop);
    assert_int_equal(block_output_count_of(&loop.output, 2), pairs_of_block(2));
    assert_true(block_output_merge(&loop.output, &merged));
    check_merged(&merged, 1, 10);
    assert_int_equal(((struct pair *)merged.data)->block, 77);
    block_output_destroy(&loop.output);
    array_destroy(&merged);
    dent_context_destroy(context);
    assert_true(failing_allocator_clean(&memory));
}

static void after_warm_up_a_loop_makes_no_allocation(void **state)
{
    (void)state;
    struct failing_allocator memory = failing_allocator_make();
    dent_context *context = make_context(&memory, 3);
    struct loop loop;
    struct dynamic_array merged;
    block_output_init(&loop.output, context, sizeof(struct pair));
    array_init(&merged, context, sizeof(struct pair));
    uint64_t before = 0;
    for (int step = 0; step < 6; step++) {
        array_clear(&merged);
        assert_true(block_output_begin(&loop.output, step % 2 ? 100 : 60));
        dent_parallel_for(context, step % 2 ? 100 : 60, write_pairs, &loop);
        assert_true(block_output_merge(&loop.output, &merged));
        if (step == 1) {
            before = memory.requests;
        }
    }
    assert_int_equal(memory.requests, before);
    block_output_destroy(&loop.output);
    array_destroy(&merged);
    dent_context_destroy(context);
    assert_true(failing_allocator_clean(&memory));
}

static void memory_lost_anywhere_comes_out_at_the_merge(void **state)
{
    (void)state;
    int failures = 0;
    for (uint64_t n = 1;; n++) {
        struct failing_allocator memory = failing_allocator_make();
        dent_context *context = make_context(&memory, 2);
        struct loop loop;
        struct dynamic_array merged;
        block_output_init(&loop.output, context, sizeof(struct pair));
        array_init(&merged, context, sizeof(struct pair));
        struct pair old = {77, 88};
        assert_true(array_push(&merged, &old));
        memory.requests = 0;
        memory.fail_at = n;
        bool good = block_output_begin(&loop.output, 40);
        if (good) {
            dent_parallel_for(context, 40, write_pairs, &loop);
            good = block_output_merge(&loop.output, &merged);
        }
        if (good) {
            check_merged(&merged, 1, 40);
        } else {
            failures++;
            assert_int_equal(merged.count, 1);
            /* the next loop, with memory again, knows nothing of the failure */
            memory.fail_at = 0;
            assert_true(block_output_begin(&loop.output, 40));
            dent_parallel_for(context, 40, write_pairs, &loop);
            assert_true(block_output_merge(&loop.output, &merged));
            check_merged(&merged, 1, 40);
        }
        block_output_destroy(&loop.output);
        array_destroy(&merged);
        dent_context_destroy(context);
        assert_true(failing_allocator_clean(&memory));
        if (good) {
            break;
        }
    }
    assert_true(failures > 20);
}

/* As contact does that wanders through a body. */
static void records_that_come_from_other_blocks_than_before_need_no_memory(void **state)
{
    (void)state;
    enum { BLOCKS = 40, RECORDS = 5000 };
    static struct pair records[RECORDS];
    struct failing_allocator memory = failing_allocator_make();
    dent_context *context = make_context(&memory, 1);
    struct block_output output;
    struct dynamic_array merged;
    uint64_t before = 0;
    block_output_init(&output, context, sizeof(struct pair));
    array_init(&merged, context, sizeof(struct pair));
    for (uint32_t i = 0; i < RECORDS; i++) {
        records[i] = (struct pair){7, i};
    }
    for (uint32_t step = 0; step < BLOCKS; step++) {
        array_clear(&merged);
        assert_true(block_output_begin(&output, BLOCKS));
        before = step == 1 ? memory.requests : before;
        assert_true(block_output_append(&output, step, records, RECORDS / 2));
        assert_true(block_output_append(&output, BLOCKS - 1 - step, records + RECORDS / 2, RECORDS / 2));
        assert_true(block_output_merge(&output, &merged));
        const struct pair *pairs = merged.data;
        for (uint32_t i = 0; i < RECORDS; i++) {
            assert_int_equal(pairs[i].number, step < BLOCKS / 2 ? i : (i + RECORDS / 2) % RECORDS);
        }
    }
    assert_int_equal(memory.requests, before);
    block_output_destroy(&output);
    array_destroy(&merged);
    dent_context_destroy(context);
    assert_true(failing_allocator_clean(&memory));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_merged_list_is_in_block_order_for_any_number_of_threads),
        cmocka_unit_test(a_merge_appends_to_what_is_there),
        cmocka_unit_test(after_warm_up_a_loop_makes_no_allocation),
        cmocka_unit_test(memory_lost_anywhere_comes_out_at_the_merge),
        cmocka_unit_test(records_that_come_from_other_blocks_than_before_need_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
