/* The arena: pieces do not overlap, brackets work, and after warm-up nothing is allocated. */
#include "support/cmocka_includes.h"
#include "support/failing_allocator.h"
#include "support/sanitizer.h"

#include "base/arena.h"

#include <string.h>

#if TEST_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#endif

struct fixture {
    struct failing_allocator memory;
    dent_context *context;
    struct arena arena;
};

static int set_up(void **state)
{
    static struct fixture fixture;
    memset(&fixture, 0, sizeof fixture);
    dent_context_def def = dent_context_def_default();
    def.allocator = failing_allocator_hook(&fixture.memory);
    def.thread_count = 1;
    fixture.context = dent_context_create(&def, NULL);
    arena_init(&fixture.arena, fixture.context);
    *state = &fixture;
    return fixture.context ? 0 : -1;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    arena_destroy(&fixture->arena);
    dent_context_destroy(fixture->context);
    return failing_allocator_clean(&fixture->memory) ? 0 : -1;
}

static uint64_t allocations(const struct fixture *fixture)
{
    return dent_context_memory_use(fixture->context).allocations;
}

static void an_empty_arena_takes_no_memory(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(dent_context_memory_use(fixture->context).allocations, 1);
    arena_reset(&fixture->arena);
    struct arena_mark mark = arena_mark(&fixture->arena);
    arena_rewind(&fixture->arena, mark);
    assert_int_equal(arena_high_water(&fixture->arena), 0);
    assert_int_equal(dent_context_memory_use(fixture->context).allocations, 1);
}

static void pieces_are_aligned_and_do_not_overlap(void **state)
{
    struct fixture *fixture = *state;
    enum { PIECES = 300 };
    unsigned char *pieces[PIECES];
    size_t sizes[PIECES];
    dent_random random = dent_random_seeded(1);
    for (int i = 0; i < PIECES; i++) {
        sizes[i] = dent_random_below(&random, i % 10 == 0 ? 100000 : 500);
        pieces[i] = arena_allocate(&fixture->arena, sizes[i], 1);
        assert_non_null(pieces[i]);
        assert_int_equal((uintptr_t)pieces[i] % 64, 0);
        memset(pieces[i], i & 255, sizes[i]);
    }
    for (int i = 0; i < PIECES; i++) {
        for (size_t j = 0; j < sizes[i]; j++) {
            assert_int_equal(pieces[i][j], i & 255);
        }
    }
}

static void one_step(struct fixture *fixture, size_t scale)
{
    arena_reset(&fixture->arena);
    for (size_t i = 1; i < 200; i++) {
        struct arena_mark mark = arena_mark(&fixture->arena);
        uint64_t *numbers = arena_allocate(&fixture->arena, i * scale, sizeof *numbers);
        assert_non_null(numbers);
        memset(numbers, 1, i * scale * sizeof *numbers);
        if (i % 3 == 0) {
            arena_rewind(&fixture->arena, mark);
        }
    }
}

static void after_warm_up_a_step_makes_no_allocation(void **state)
{
    struct fixture *fixture = *state;
    one_step(fixture, 100);
    one_step(fixture, 100); /* its reset makes the single block */
    uint64_t before = allocations(fixture);
    size_t high_water = arena_high_water(&fixture->arena);
    for (int step = 0; step < 5; step++) {
        one_step(fixture, 100);
        one_step(fixture, 50);
    }
    assert_int_equal(allocations(fixture), before);
    assert_int_equal(arena_high_water(&fixture->arena), high_water);

    /* Larger than ever before: grows once more, and is calm again. */
    one_step(fixture, 300);
    one_step(fixture, 300);
    assert_true(allocations(fixture) > before);
    assert_true(arena_high_water(&fixture->arena) > high_water);
    before = allocations(fixture);
    one_step(fixture, 300);
    assert_int_equal(allocations(fixture), before);
}

static void the_single_block_is_a_quarter_larger_than_the_high_water_mark(void **state)
{
    struct fixture *fixture = *state;
    uint64_t empty = dent_context_memory_use(fixture->context).bytes;
    one_step(fixture, 100);
    arena_reset(&fixture->arena);
    uint64_t held = dent_context_memory_use(fixture->context).bytes - empty;
    size_t high_water = arena_high_water(&fixture->arena);
    assert_int_equal(held, high_water + high_water / 4 + 64);
}

static void the_high_water_mark_counts_what_is_in_use_at_a_time(void **state)
{
    struct fixture *fixture = *state;
    struct arena_mark mark = arena_mark(&fixture->arena);
    arena_allocate(&fixture->arena, 10, 64);
    size_t once = arena_high_water(&fixture->arena);
    assert_true(once >= 640 && once <= 640 + 64);
    for (int i = 0; i < 10; i++) {
        arena_rewind(&fixture->arena, mark);
        arena_allocate(&fixture->arena, 10, 64);
    }
    assert_int_equal(arena_high_water(&fixture->arena), once);
}

static void a_rewind_keeps_what_was_there_before_the_mark(void **state)
{
    struct fixture *fixture = *state;
    unsigned char *kept = arena_allocate(&fixture->arena, 1000, 1);
    memset(kept, 7, 1000);
    struct arena_mark outer = arena_mark(&fixture->arena);
    unsigned char *first = arena_allocate(&fixture->arena, 100, 1);
    struct arena_mark inner = arena_mark(&fixture->arena);
    assert_non_null(arena_allocate(&fixture->arena, 1000000, 1));
    arena_rewind(&fixture->arena, inner);
    memset(first, 8, 100);
    arena_rewind(&fixture->arena, outer);
    assert_ptr_equal(arena_allocate(&fixture->arena, 100, 1), first);
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(kept[i], 7);
    }
}

static void cleared_memory_is_zero(void **state)
{
    struct fixture *fixture = *state;
    memset(arena_allocate(&fixture->arena, 5000, 1), 0xFF, 5000);
    arena_reset(&fixture->arena);
    unsigned char *memory = arena_allocate_cleared(&fixture->arena, 1250, 4);
    for (int i = 0; i < 5000; i++) {
        assert_int_equal(memory[i], 0);
    }
    assert_null(arena_allocate_cleared(&fixture->arena, SIZE_MAX, 4));
}

static void requests_that_cannot_be_met_give_null_and_change_nothing(void **state)
{
    struct fixture *fixture = *state;
    arena_allocate(&fixture->arena, 1, 1);
    size_t high_water = arena_high_water(&fixture->arena);
    assert_null(arena_allocate(&fixture->arena, SIZE_MAX, 1));
    assert_null(arena_allocate(&fixture->arena, SIZE_MAX - 64, 1));
    assert_null(arena_allocate(&fixture->arena, SIZE_MAX / 2, 3));
    assert_null(arena_allocate(&fixture->arena, 1, SIZE_MAX - 128));
    fixture->memory.requests = 0;
    fixture->memory.fail_at = 1;
    assert_null(arena_allocate(&fixture->arena, 1000000, 1));
    assert_int_equal(arena_high_water(&fixture->arena), high_water);
    fixture->memory.fail_at = 0;
    assert_non_null(arena_allocate(&fixture->arena, 1000000, 1));
}

static void when_memory_is_scarce_a_block_is_just_large_enough(void **state)
{
    struct fixture *fixture = *state;
    fixture->memory.requests = 0;
    fixture->memory.fail_at = 1;
    fixture->memory.fail_once = 1;
    assert_non_null(arena_allocate(&fixture->arena, 100, 1));
    assert_true(dent_context_memory_use(fixture->context).bytes < 10000);
}

static void a_reset_without_memory_leaves_a_usable_arena(void **state)
{
    struct fixture *fixture = *state;
    one_step(fixture, 100);
    fixture->memory.requests = 0;
    fixture->memory.fail_at = 1;
    arena_reset(&fixture->arena);
    assert_null(arena_allocate(&fixture->arena, 1, 1));
    fixture->memory.fail_at = 0;
    one_step(fixture, 100);
}

static void memory_not_handed_out_is_poisoned_for_the_address_sanitizer(void **state)
{
    struct fixture *fixture = *state;
    unsigned char *memory = arena_allocate(&fixture->arena, 100, 1);
    unsigned char *next = arena_allocate(&fixture->arena, 64, 1);
    assert_non_null(memory);
    assert_non_null(next);
#if TEST_ADDRESS_SANITIZER
    assert_null(__asan_region_is_poisoned(memory, 100));
    assert_true(__asan_address_is_poisoned(memory + 104));
    assert_null(__asan_region_is_poisoned(next, 64));
    assert_true(__asan_address_is_poisoned(next + 64));
    struct arena_mark mark = arena_mark(&fixture->arena);
    unsigned char *rewound = arena_allocate(&fixture->arena, 1, 1);
    arena_rewind(&fixture->arena, mark);
    assert_true(__asan_address_is_poisoned(rewound));
    arena_reset(&fixture->arena);
    unsigned char *before_reset = arena_allocate(&fixture->arena, 1, 1);
    assert_false(__asan_address_is_poisoned(before_reset));
    assert_true(__asan_address_is_poisoned(before_reset + 8));
    arena_reset(&fixture->arena); /* the same block, emptied */
    assert_true(__asan_address_is_poisoned(before_reset));
#else
    print_message("not built with the address sanitizer: only that allocation works was checked\n");
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_empty_arena_takes_no_memory, set_up, tear_down),
        cmocka_unit_test_setup_teardown(pieces_are_aligned_and_do_not_overlap, set_up, tear_down),
        cmocka_unit_test_setup_teardown(after_warm_up_a_step_makes_no_allocation, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_single_block_is_a_quarter_larger_than_the_high_water_mark, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(the_high_water_mark_counts_what_is_in_use_at_a_time, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_rewind_keeps_what_was_there_before_the_mark, set_up, tear_down),
        cmocka_unit_test_setup_teardown(cleared_memory_is_zero, set_up, tear_down),
        cmocka_unit_test_setup_teardown(requests_that_cannot_be_met_give_null_and_change_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(when_memory_is_scarce_a_block_is_just_large_enough, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_reset_without_memory_leaves_a_usable_arena, set_up, tear_down),
        cmocka_unit_test_setup_teardown(memory_not_handed_out_is_poisoned_for_the_address_sanitizer, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
