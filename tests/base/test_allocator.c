/* Memory: alignment, overflow, counting, and what a failing call leaves behind. */
#include "support/cmocka_includes.h"
#include "support/failing_allocator.h"

#include "base/allocator.h"

#include <dent/base.h>

#include <string.h>

struct fixture {
    struct failing_allocator memory;
    dent_context *context;
};

static int set_up(void **state)
{
    static struct fixture fixture;
    memset(&fixture, 0, sizeof fixture);
    dent_context_def def = dent_context_def_default();
    def.allocator = failing_allocator_hook(&fixture.memory);
    def.thread_count = 2;
    fixture.context = dent_context_create(&def, NULL);
    *state = &fixture;
    return fixture.context ? 0 : -1;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    dent_context_destroy(fixture->context);
    return failing_allocator_clean(&fixture->memory) ? 0 : -1;
}

static void blocks_are_aligned_to_64_bytes(void **state)
{
    struct fixture *fixture = *state;
    dent_context *with_c_library = dent_context_create(NULL, NULL);
    for (size_t bytes = 0; bytes < 300; bytes += 7) {
        void *hooked = dent_allocate(fixture->context, bytes, 1);
        void *plain = dent_allocate(with_c_library, bytes, 1);
        assert_non_null(hooked);
        assert_non_null(plain);
        assert_int_equal((uintptr_t)hooked % 64, 0);
        assert_int_equal((uintptr_t)plain % 64, 0);
        memset(plain, 1, bytes);
        dent_release(fixture->context, hooked, bytes, 1);
        dent_release(with_c_library, plain, bytes, 1);
    }
    dent_context_destroy(with_c_library);
}

static void sizes_that_overflow_give_null_without_asking(void **state)
{
    struct fixture *fixture = *state;
    uint64_t requests = fixture->memory.requests;
    assert_null(dent_allocate(fixture->context, SIZE_MAX, 2));
    assert_null(dent_allocate(fixture->context, 2, SIZE_MAX));
    assert_null(dent_allocate(fixture->context, SIZE_MAX / 2 + 1, 2));
    assert_null(dent_reallocate(fixture->context, NULL, 0, SIZE_MAX / 8 + 1, 8));
    assert_int_equal(fixture->memory.requests, requests);
    size_t product = 77;
    assert_true(size_multiply(SIZE_MAX, 1, &product));
    assert_true(product == SIZE_MAX);
    assert_true(size_multiply(0, SIZE_MAX, &product));
    assert_int_equal(product, 0);
    assert_true(size_multiply(SIZE_MAX, 0, &product));
    assert_int_equal(product, 0);
    size_t sum = 77;
    assert_false(size_add(SIZE_MAX, 1, &sum));
    assert_int_equal(sum, 77);
    assert_true(size_add(SIZE_MAX, 0, &sum));
    assert_true(sum == SIZE_MAX);
}

static void a_block_of_nothing_can_be_released(void **state)
{
    struct fixture *fixture = *state;
    void *no_count = dent_allocate(fixture->context, 0, 8);
    void *no_size = dent_allocate(fixture->context, 8, 0);
    assert_non_null(no_count);
    assert_non_null(no_size);
    dent_release(fixture->context, no_count, 0, 8);
    dent_release(fixture->context, no_size, 8, 0);
    dent_release(fixture->context, NULL, 5, 5);
    context_release(fixture->context, NULL, 5);
}

static void reallocation_keeps_what_fits(void **state)
{
    struct fixture *fixture = *state;
    uint32_t *numbers = dent_reallocate(fixture->context, NULL, 0, 10, sizeof *numbers);
    assert_non_null(numbers);
    for (uint32_t i = 0; i < 10; i++) {
        numbers[i] = i;
    }
    numbers = dent_reallocate(fixture->context, numbers, 10, 1000, sizeof *numbers);
    assert_non_null(numbers);
    for (uint32_t i = 0; i < 10; i++) {
        assert_int_equal(numbers[i], i);
    }
    numbers = dent_reallocate(fixture->context, numbers, 1000, 3, sizeof *numbers);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(numbers[i], i);
    }
    numbers = dent_reallocate(fixture->context, numbers, 3, 0, sizeof *numbers);
    assert_non_null(numbers);
    dent_release(fixture->context, numbers, 0, sizeof *numbers);
}

static void a_failing_reallocation_leaves_the_block_alone(void **state)
{
    struct fixture *fixture = *state;
    uint32_t *numbers = dent_allocate(fixture->context, 4, sizeof *numbers);
    for (uint32_t i = 0; i < 4; i++) {
        numbers[i] = 100 + i;
    }
    dent_memory_use before = dent_context_memory_use(fixture->context);
    fixture->memory.requests = 0;
    fixture->memory.fail_at = 1;
    assert_null(dent_reallocate(fixture->context, numbers, 4, 8, sizeof *numbers));
    assert_null(dent_allocate(fixture->context, 1, 1));
    fixture->memory.fail_at = 0;
    dent_memory_use after = dent_context_memory_use(fixture->context);
    assert_int_equal(before.bytes, after.bytes);
    assert_int_equal(before.peak_bytes, after.peak_bytes);
    assert_int_equal(after.allocations, before.allocations + 2);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(numbers[i], 100 + i);
    }
    dent_release(fixture->context, numbers, 4, sizeof *numbers);
}

static void take_and_give(void *data, uint32_t block, uint32_t worker)
{
    dent_context *context = data;
    (void)worker;
    for (int i = 0; i < 50; i++) {
        void *memory = dent_allocate(context, block + 1, 16);
        dent_release(context, memory, block + 1, 16);
    }
}

static void counting_from_many_threads_loses_nothing(void **state)
{
    struct fixture *fixture = *state;
    dent_memory_use before = dent_context_memory_use(fixture->context);
    dent_parallel_for(fixture->context, 40, take_and_give, fixture->context);
    dent_memory_use after = dent_context_memory_use(fixture->context);
    assert_int_equal(after.bytes, before.bytes);
    assert_int_equal(after.allocations, before.allocations + 40 * 50);
    assert_true(after.peak_bytes >= before.bytes + 40 * 16);
    assert_true(after.peak_bytes <= before.peak_bytes + 2 * 40 * 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(blocks_are_aligned_to_64_bytes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(sizes_that_overflow_give_null_without_asking, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_block_of_nothing_can_be_released, set_up, tear_down),
        cmocka_unit_test_setup_teardown(reallocation_keeps_what_fits, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_failing_reallocation_leaves_the_block_alone, set_up, tear_down),
        cmocka_unit_test_setup_teardown(counting_from_many_threads_loses_nothing, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
