/* The growable array: contents survive growth, clearing keeps memory, failing calls change nothing. */
#include "support/cmocka_includes.h"
#include "support/failing_allocator.h"

#include "base/allocator.h"
#include "base/containers/dynamic_array.h"

static dent_context *make_context(struct failing_allocator *memory)
{
    dent_context_def def = dent_context_def_default();
    def.allocator = failing_allocator_hook(memory);
    def.thread_count = 1;
    dent_context *context = dent_context_create(&def, NULL);
    assert_non_null(context);
    return context;
}

static void records_stay_in_order_while_the_array_grows(void **state)
{
    (void)state;
    struct failing_allocator memory = failing_allocator_make();
    dent_context *context = make_context(&memory);
    struct dynamic_array array;
    array_init(&array, context, sizeof(uint32_t));
    for (uint32_t i = 0; i < 10000; i += 4) {
        uint32_t four[4] = {i, i + 1, i + 2, i + 3};
        assert_true(i % 8 ? array_push_many(&array, four, 4)
                          : array_push(&array, four) && array_push_many(&array, four + 1, 3));
    }
    assert_int_equal(array.count, 10000);
    for (uint32_t i = 0; i < 10000; i++) {
        assert_int_equal(*(uint32_t *)array_at(&array, i), i);
    }
    assert_true(array.capacity <= 16000);
    array_destroy(&array);
    assert_int_equal(array.count, 0);
    assert_true(array_push_many(&array, NULL, 0));
    dent_context_destroy(context);
    assert_true(failing_allocator_clean(&memory));
}

static void a_cleared_array_fills_again_without_allocating(void **state)
{
    (void)state;
    struct failing_allocator memory = failing_allocator_make();
    dent_context *context = make_context(&memory);
    struct dynamic_array array;
    array_init(&array, context, 24);
    uint64_t before = 0;
    for (int step = 0; step < 4; step++) {
        array_clear(&array);
        for (int i = 0; i < 1000; i++) {
            assert_non_null(array_extend(&array, 3));
        }
        if (step == 0) {
            before = memory.requests;
        }
    }
    assert_int_equal(memory.requests, before);
    array_destroy(&array);
    dent_context_destroy(context);
    assert_true(failing_allocator_clean(&memory));
}

/* Offsets into null are undefined, and so is memcpy from it. */
static void an_empty_array_has_a_place_for_nothing_and_takes_no_memory(void **state)
{
    (void)state;
    struct failing_allocator memory = failing_allocator_make();
    dent_context *context = make_context(&memory);
    uint64_t before = dent_context_memory_use(context).allocations;
    struct dynamic_array array;
    for (int round = 0; round < 2; round++) {
        array_init(&array, context, 8);
        for (int i = 0; i < 2; i++) {
            assert_non_null(array.data);
            assert_int_equal((uintptr_t)array.data % ALLOCATION_ALIGNMENT, 0);
            assert_ptr_equal(array_at(&array, 0), array.data);
            assert_ptr_equal(array_extend(&array, 0), array.data);
            assert_int_equal(array.count, 0);
            array_destroy(&array);
        }
        assert_int_equal(dent_context_memory_use(context).allocations, before);
    }
    dent_context_destroy(context);
    assert_true(failing_allocator_clean(&memory));
}

static void reserve_takes_exactly_what_is_asked(void **state)
{
    (void)state;
    struct failing_allocator memory = failing_allocator_make();
    dent_context *context = make_context(&memory);
    struct dynamic_array array;
    array_init(&array, context, 8);
    assert_true(array_reserve(&array, 0));
    assert_int_equal(array.capacity, 0);
    assert_true(array_reserve(&array, 123));
    assert_int_equal(array.capacity, 123);
    assert_true(array_reserve(&array, 5));
    assert_int_equal(array.capacity, 123);
    array_destroy(&array);
    dent_context_destroy(context);
}

static void a_failing_push_changes_nothing(void **state)
{
    (void)state;
    struct failing_allocator memory = failing_allocator_make();
    dent_context *context = make_context(&memory);
    struct dynamic_array array;
    array_init(&array, context, sizeof(uint32_t));
    uint32_t number = 42;
    while (array.count < array.capacity || array.count == 0) {
        assert_true(array_push(&array, &number));
    }
    size_t count = array.count;
    memory.requests = 0;
    memory.fail_at = 1;
    assert_false(array_push(&array, &number));
    assert_null(array_extend(&array, SIZE_MAX));
    assert_null(array_extend(&array, SIZE_MAX / 4));
    assert_false(array_reserve(&array, SIZE_MAX / 2));
    assert_int_equal(array.count, count);
    assert_int_equal(array.capacity, count);
    assert_int_equal(*(uint32_t *)array_at(&array, count - 1), 42);
    memory.requests = 0;
    memory.fail_once = 1; /* the generous request fails, the exact one does not */
    assert_true(array_push(&array, &number));
    assert_int_equal(array.capacity, count + 1);
    array_destroy(&array);
    dent_context_destroy(context);
    assert_true(failing_allocator_clean(&memory));
}

static void many_small_reservations_allocate_seldom_and_the_first_exactly(void **state)
{
    (void)state;
    struct failing_allocator memory = failing_allocator_make();
    dent_context *context = make_context(&memory);
    struct dynamic_array array;
    array_init(&array, context, 8);
    assert_true(array_reserve_growing(&array, 100));
    assert_int_equal(array.capacity, 100);
    uint64_t before = memory.requests;
    for (size_t capacity = 101; capacity <= 10000; capacity++) {
        assert_true(array_reserve_growing(&array, capacity));
        assert_true(array.capacity >= capacity);
    }
    assert_in_range(memory.requests - before, 1, 12); /* log(100) / log(1.5) */
    array_destroy(&array);
    dent_context_destroy(context);
    assert_true(failing_allocator_clean(&memory));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_stay_in_order_while_the_array_grows),
        cmocka_unit_test(a_cleared_array_fills_again_without_allocating),
        cmocka_unit_test(an_empty_array_has_a_place_for_nothing_and_takes_no_memory),
        cmocka_unit_test(reserve_takes_exactly_what_is_asked),
        cmocka_unit_test(a_failing_push_changes_nothing),
        cmocka_unit_test(many_small_reservations_allocate_seldom_and_the_first_exactly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
