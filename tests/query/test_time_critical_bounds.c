/* The bounds an interruptible search states, entry by entry and over all; what must not change its lists (threads,
 * instruction sets, powers of two); bad input, and memory.
 */
#include "query/time_critical_gaps.h"

#include "support/failing_allocator.h"

/* ---- per-entry bounds -------------------------------------------------------------------------------------------- */

static void check_entry_bounds(struct stage *stage, dent_random *random)
{
    dent_time_critical_def def = search_def(stage, random);
    dent_time_critical_result result;
    if (stage->body_a == stage->body_b) {
        return;
    }
    assert_int_equal(dent_time_critical_create(stage->context, &def, &stage->search), DENT_OK);
    dent_time_critical_begin(stage->search, NULL);
    double least_error = INFINITY, least_depth = INFINITY;
    for (int run = 0; run < 60; run++) { /* of a step at most, so that no list is missed */
        double error = 0, depth = 0;
        assert_int_equal(dent_time_critical_run(stage->search, dent_budget_units(run > 0), &result), DENT_OK);
        for (uint32_t i = 0; i < result.pending_count; i++) {
            if (stage->true_count == 0 && run % 20 == 0) { /* gaps are measurable */
                assert_gap_is_between(stage, &result.pending[i]);
            }
            error = fmax(error, result.pending[i].error);
            depth = fmax(depth, -result.pending[i].lo);
        }
        for (uint32_t i = 0; i < result.confirmed_count; i++) {
            depth = fmax(depth, -result.confirmed[i].lo);
        }
        least_error = fmin(least_error, error);
        least_depth = fmin(least_depth, depth);
        assert_true(result.pending_error >= error && result.error >= least_error && result.depth >= least_depth);
        if (error > 0) { /* buckets: sixteen to the octave */
            assert_true(result.pending_error <= error * (17.0 / 16));
        }
        if (least_error > 0) {
            assert_true(result.error <= least_error * (17.0 / 16));
        }
    }
    dent_time_critical_destroy(stage->search);
}

static void gaps_lie_between_the_bounds_of_their_entries(void **state)
{
    (void)state;
    for_random_pairs(rounds(10), 150, false, check_entry_bounds, "gaps");
}

/* Of the searches in lists_are_the_same_…: any compiler, any machine. */
static const struct golden {
    dent_bound_kind kind;
    uint64_t units, hash;
} golden[] = {{DENT_BOUND_SPHERES, 3948, UINT64_C(0xbc3f4fea766258df)},
              {DENT_BOUND_BOXES, 1569, UINT64_C(0x2f0dbea37c36c947)},
              {DENT_BOUND_DOP14, 1367, UINT64_C(0xd27e23986a37b2c7)},
              {DENT_BOUND_DOP18, 1231, UINT64_C(0xd7d3d212a50b5801)}};

/* ---- what must not matter ---------------------------------------------------------------------------------------- */

struct printed {
    uint64_t hash, units;
};

/* A fingerprint of the lists after each of some budgets; lengths divided by `unit`, a power of two. */
static struct printed print_search(dent_bound_kind kind, uint32_t threads, dent_isa isa, double unit)
{
    struct stage stage;
    open_two_blocks(&stage, make_context(threads, isa));
    struct printed printed = {UINT64_C(0xcbf29ce484222325), 0};
    dent_bound_tree_def tree_def = dent_bound_tree_def_default();
    tree_def.kind = kind;
    for (uint32_t i = 0; i < 2; i++) {
        for (uint32_t v = 0; v < stage.scene.bodies[i].vertex_count; v++) {
            double *p = stage.scene.bodies[i].xyz[v];
            double bent = p[0] * p[0] * 0.01;
            p[0] *= unit;
            p[1] = (p[1] + bent) * unit;
            p[2] = (p[2] * 0.9 + p[1] / unit * 0.1) * unit;
        }
        assert_int_equal(dent_bound_tree_create(stage.world, dent_world_body_at(stage.world, i), &tree_def,
                                                i ? &stage.tree_b : &stage.tree_a),
                         DENT_OK);
    }
    dent_time_critical_def def = dent_time_critical_def_default();
    def.tree_a = stage.tree_a;
    def.tree_b = stage.tree_b;
    assert_int_equal(dent_time_critical_create(stage.context, &def, &stage.search), DENT_OK);
    dent_time_critical_begin(stage.search, NULL);
    dent_time_critical_result result;
    do {
        assert_int_equal(dent_time_critical_run(stage.search, dent_budget_units(100), &result), DENT_OK);
        double numbers[2] = {result.error / unit, result.depth / unit};
        uint64_t words[4] = {0, 0, result.pending_count, result.pair_count};
        memcpy(words, numbers, sizeof numbers);
        for (int k = 0; k < 4; k++) {
            printed.hash = (printed.hash ^ words[k]) * UINT64_C(0x100000001b3);
        }
        for (uint32_t i = 0; i < result.pending_count; i++) {
            printed.hash = (printed.hash ^ result.pending[i].node_a) * UINT64_C(0x100000001b3);
            printed.hash = (printed.hash ^ result.pending[i].node_b) * UINT64_C(0x100000001b3);
        }
    } while (result.outcome == DENT_OUTCOME_BUDGET_SPENT);
    assert_int_equal(result.outcome, DENT_OUTCOME_COMPLETE);
    assert_true(result.pair_count > 10);
    printed.units = result.work_units;
    dent_time_critical_destroy(stage.search);
    close_trees(&stage);
    dent_world_destroy(stage.world);
    test_scene_free(&stage.scene);
    dent_context_destroy(stage.context);
    return printed;
}

static void check_fingerprint(const struct golden *expected)
{
    struct printed first = print_search(expected->kind, 1, DENT_ISA_SCALAR, 1);
    print_message("fingerprint of kind %d: %016llx, %llu units\n", (int)expected->kind, (unsigned long long)first.hash,
                  (unsigned long long)first.units);
    for (int isa = DENT_ISA_AUTO; isa < DENT_ISA_COUNT; isa++) {
        if (dent_isa_available((dent_isa)isa)) {
            struct printed other = print_search(expected->kind, 3, (dent_isa)isa, 1);
            assert_true(other.hash == first.hash && other.units == first.units);
        }
    }
    static const double units[4] = {0x1p40, 0x1p-40, 0x1p300, 0x1p-300};
    for (int i = 0; i < 4; i++) {
        struct printed other = print_search(expected->kind, 1, DENT_ISA_AUTO, units[i]);
        assert_true(other.hash == first.hash && other.units == first.units);
    }
    assert_int_equal(first.units, expected->units);
    assert_true(first.hash == expected->hash); /* the same for every compiler and machine */
}

static void lists_are_the_same_for_threads_instruction_sets_and_powers_of_two(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof golden / sizeof golden[0]; i++) {
        check_fingerprint(&golden[i]);
    }
}

/* ---- bad input and memory ---------------------------------------------------------------------------------------- */

static void bad_budgets_and_defs_are_refused_with_a_message(void **state)
{
    (void)state;
    struct stage stage;
    dent_random random = dent_random_seeded(1);
    char message[512];
    open_two_blocks(&stage, make_context(1, DENT_ISA_AUTO));
    open_trees(&stage, &random);
    dent_time_critical_def def = search_def(&stage, &random);
    dent_time_critical_result result = {.pair_count = 77};
    assert_int_equal(dent_time_critical_create(stage.context, &def, &stage.search), DENT_OK);
    assert_int_equal(dent_time_critical_run(stage.search, dent_budget_units(5), &result), DENT_ERROR_INVALID_ARGUMENT);
    dent_time_critical_begin(stage.search, NULL);
    assert_int_equal(dent_time_critical_run(stage.search, dent_budget_ns(-1), &result), DENT_ERROR_BAD_NUMBER);
    assert_int_equal(dent_time_critical_run(stage.search, dent_budget_ns(NAN), &result), DENT_ERROR_BAD_NUMBER);
    dent_context_message(stage.context, message, sizeof message);
    assert_non_null(strstr(message, "nan ns"));
    assert_int_equal(result.pair_count, 77);
    assert_int_equal(dent_time_critical_run(stage.search, dent_budget_ns(0), &result), DENT_OK);
    assert_int_equal(result.outcome, DENT_OUTCOME_BUDGET_SPENT);
    assert_int_equal(result.pending_count, 1);
    assert_int_equal(dent_bound_tree_update(stage.tree_a), DENT_OK);
    assert_int_equal(dent_time_critical_run(stage.search, dent_budget_units(5), &result), DENT_ERROR_INVALID_ARGUMENT);
    dent_time_critical_destroy(stage.search);

    def.order = (dent_refine_order)9;
    assert_int_equal(dent_time_critical_create(stage.context, &def, &stage.search), DENT_ERROR_INVALID_ARGUMENT);
    def = search_def(&stage, &random);
    def.struct_size = 3;
    assert_int_equal(dent_time_critical_create(stage.context, &def, &stage.search), DENT_ERROR_INVALID_ARGUMENT);
    def = search_def(&stage, &random);
    def.pending_capacity = 0;
    assert_int_equal(dent_time_critical_create(stage.context, &def, &stage.search), DENT_ERROR_INVALID_ARGUMENT);
    def = search_def(&stage, &random);
    def.tree_b = NULL;
    assert_int_equal(dent_time_critical_create(stage.context, &def, &stage.search), DENT_ERROR_INVALID_ARGUMENT);

    dent_bound_tree *tree;
    dent_body_id id = dent_world_body_at(stage.world, 0);
    dent_bound_tree_def tree_def = dent_bound_tree_def_default();
    tree_def.branching = 3;
    assert_int_equal(dent_bound_tree_create(stage.world, id, &tree_def, &tree), DENT_ERROR_INVALID_ARGUMENT);
    tree_def = dent_bound_tree_def_default();
    tree_def.leaf_faces = 17;
    assert_int_equal(dent_bound_tree_create(stage.world, id, &tree_def, &tree), DENT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(dent_bound_tree_create(stage.world, (dent_body_id){9, 1, 1}, NULL, &tree), DENT_ERROR_STALE_ID);
    dent_body_id sheet;
    dent_body_def sheet_def = test_body_def(test_add_sheet(&stage.scene, 2, 2));
    assert_int_equal(dent_world_add_body(stage.world, &sheet_def, &sheet), DENT_OK);
    tree_def = dent_bound_tree_def_default();
    tree_def.builder = DENT_BUILD_MEDIAL;
    assert_int_equal(dent_bound_tree_create(stage.world, sheet, &tree_def, &tree), DENT_ERROR_UNSUPPORTED);

    stage.scene.bodies[0].xyz[3][1] = NAN;
    assert_int_equal(dent_bound_tree_update(stage.tree_a), DENT_ERROR_BAD_NUMBER);
    assert_non_null(strstr(dent_world_message(stage.world), "vertex 3"));
    assert_int_equal(dent_bound_tree_create(stage.world, id, NULL, &tree), DENT_ERROR_BAD_NUMBER);
    assert_int_equal(dent_world_remove_body(stage.world, id), DENT_OK);
    assert_int_equal(dent_bound_tree_update(stage.tree_a), DENT_ERROR_STALE_ID);
    close_trees(&stage);
    dent_world_destroy(stage.world);
    test_scene_free(&stage.scene);
    dent_context_destroy(stage.context);
}

static dent_status build_and_run(struct stage *stage, dent_random *random)
{
    dent_bound_tree *trees[2] = {NULL, NULL};
    dent_time_critical *search = NULL;
    dent_time_critical_result result;
    dent_status status = DENT_OK;
    for (int side = 0; side < 2 && status == DENT_OK; side++) {
        dent_bound_tree_def def = dent_bound_tree_def_default();
        def.builder = side ? DENT_BUILD_MEDIAL : DENT_BUILD_SPLIT;
        status =
            dent_bound_tree_create(stage->world, dent_world_body_at(stage->world, (uint32_t)side), &def, &trees[side]);
    }
    if (status == DENT_OK) {
        dent_time_critical_def def = search_def(stage, random);
        def.tree_a = trees[0];
        def.tree_b = trees[1];
        def.front_capacity = 100;
        status = dent_time_critical_create(stage->context, &def, &search);
    }
    if (status == DENT_OK) {
        dent_time_critical_begin(search, NULL);
        status = dent_time_critical_run(search, dent_budget_ns(INFINITY), &result);
    }
    dent_time_critical_destroy(search);
    dent_bound_tree_destroy(trees[0]);
    dent_bound_tree_destroy(trees[1]);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    struct failing_allocator memory = failing_allocator_make();
    dent_context_def context_def = dent_context_def_default();
    context_def.allocator = failing_allocator_hook(&memory);
    context_def.thread_count = 1;
    struct stage stage;
    dent_random random = dent_random_seeded(1);
    dent_context *context = dent_context_create(&context_def, NULL);
    open_two_blocks(&stage, context);
    dent_status status = DENT_ERROR_OUT_OF_MEMORY;
    uint32_t failures = 0;
    for (uint32_t n = 1; status != DENT_OK; n++) {
        uint64_t blocks = memory.live_blocks;
        memory.requests = 0;
        memory.fail_at = n;
        status = build_and_run(&stage, &random);
        memory.fail_at = 0;
        assert_true(status == DENT_OK || status == DENT_ERROR_OUT_OF_MEMORY);
        failures += status != DENT_OK;
        (void)blocks; /* the world's scratch may have grown */
    }
    assert_true(failures > 10);
    dent_world_destroy(stage.world);
    dent_context_destroy(context);
    test_scene_free(&stage.scene);
    assert_true(failing_allocator_clean(&memory));
}

static void a_step_allocates_nothing(void **state)
{
    (void)state;
    struct stage stage;
    dent_random random = dent_random_seeded(1);
    open_two_blocks(&stage, make_context(2, DENT_ISA_AUTO));
    open_trees(&stage, &random);
    dent_time_critical_def def = search_def(&stage, &random);
    def.front_capacity = 10000;
    dent_time_critical_result result;
    const dent_time_critical_start reuse = {.reuse_front = true};
    assert_int_equal(dent_time_critical_create(stage.context, &def, &stage.search), DENT_OK);
    uint64_t before = dent_context_memory_use(stage.context).allocations;
    for (int step = 0; step < 20; step++) {
        assert_int_equal(dent_bound_tree_update(stage.tree_a), DENT_OK);
        dent_time_critical_begin(stage.search, step % 2 ? &reuse : NULL);
        assert_int_equal(dent_time_critical_run(stage.search, dent_budget_ns(step * 1000), &result), DENT_OK);
    }
    assert_int_equal(dent_context_memory_use(stage.context).allocations, before);
    dent_time_critical_destroy(stage.search);
    close_trees(&stage);
    dent_world_destroy(stage.world);
    test_scene_free(&stage.scene);
    dent_context_destroy(stage.context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gaps_lie_between_the_bounds_of_their_entries),
        cmocka_unit_test(lists_are_the_same_for_threads_instruction_sets_and_powers_of_two),
        cmocka_unit_test(bad_budgets_and_defs_are_refused_with_a_message),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(a_step_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
