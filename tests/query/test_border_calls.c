/* What never changes the border: methods, threads, instruction sets, memory that runs out; and what is refused.
 */
#include "query/border_cases.h"

#include "support/failing_allocator.h"
#include "support/wide_exponents.h"

/* ---- all bits of a border in one number -------------------------------------------------------------------------- */

static void mix(uint64_t *hash, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        *hash = (*hash ^ ((const unsigned char *)bytes)[i]) * UINT64_C(1099511628211);
    }
}

#define MIX(hash, value) mix(hash, &(value), sizeof(value))

static uint64_t border_hash(const dent_border *border)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (uint64_t i = 0; i < border->vertex_count; i++) {
        MIX(&hash, border->vertices[i]);
    }
    mix(&hash, border->vertex_edges, border->vertex_edge_count * sizeof *border->vertex_edges);
    for (uint64_t i = 0; i < border->cut_edge_count; i++) {
        const dent_cut_edge *cut = &border->cut_edges[i];
        uint32_t numbers[] = {cut->body_a, cut->edge,      cut->v0,        cut->v1,        cut->body_b,
                              cut->face,   cut->v0_inside, cut->v1_inside, cut->degenerate};
        MIX(&hash, numbers);
        MIX(&hash, cut->parameter);
        MIX(&hash, cut->point);
        MIX(&hash, cut->normal);
    }
    for (uint64_t i = 0; i < border->curve_count; i++) {
        const dent_border_curve *curve = &border->curves[i];
        uint32_t numbers[] = {
            curve->body_a,        curve->body_b,      curve->first_point,         curve->first_segment,
            curve->segment_count, curve->point_count, curve->degenerate_segments, curve->closed};
        MIX(&hash, numbers);
    }
    for (uint64_t i = 0; i < border->point_count; i++) {
        const dent_border_point *point = &border->points[i];
        uint32_t numbers[] = {point->edge_body, point->edge, point->face_body,
                              point->face,      point->kind, point->degenerate};
        MIX(&hash, numbers);
        MIX(&hash, point->parameter);
        MIX(&hash, point->position);
    }
    for (uint64_t i = 0; i < border->segment_count; i++) {
        uint32_t numbers[] = {border->segments[i].face_a, border->segments[i].face_b, border->segments[i].degenerate};
        MIX(&hash, numbers);
    }
    return hash;
}

/* The border of a scene asked in one way, on a world of its own; twice, since the second answer may come from what is
 * kept. */
static uint64_t hash_of(dent_context *context, const struct test_scene *scene, uint32_t questions, dent_method method,
                        bool touching)
{
    dent_world *world = dent_world_create(context);
    dent_border_def border = dent_border_def_default();
    dent_query_def def = dent_query_def_default();
    dent_query_result result;
    assert_int_equal(test_scene_add(scene, world), DENT_OK);
    border.degenerate = true;
    def.border = &border;
    def.questions = questions;
    def.method = method;
    def.touching = touching;
    assert_int_equal(dent_world_query(world, &def, &result), DENT_OK);
    uint64_t hash = border_hash(&result.border);
    assert_int_equal(dent_world_query(world, &def, &result), DENT_OK);
    assert_true(hash == border_hash(&result.border));
    dent_world_destroy(world);
    return hash;
}

static void methods_threads_and_instruction_sets_give_the_same_bits(void **state)
{
    (void)state;
    uint32_t compared = 0;
    dent_context *contexts[2 * DENT_ISA_COUNT];
    uint32_t context_count = 0;
    for (int isa = 1; isa < DENT_ISA_COUNT; isa++) {
        if (dent_isa_available((dent_isa)isa)) {
            contexts[context_count++] = test_context(1, (dent_isa)isa);
            contexts[context_count++] = test_context(3, (dent_isa)isa);
        }
    }
    for (int kind = 0; kind < SCENE_KIND_COUNT; kind++) {
        for (uint32_t seed = 0; seed < test_rounds(5); seed++) {
            struct test_scene scene;
            test_scene_make(&scene, kind, 77 + seed);
            uint64_t expected = hash_of(contexts[0], &scene, 0, DENT_METHOD_AUTO, false);
            for (uint32_t i = 1; i < context_count; i++) {
                assert_true(expected == hash_of(contexts[i], &scene, 0, DENT_METHOD_AUTO, false));
            }
            for (int method = 1; method < DENT_METHOD_COUNT; method++) {
                uint32_t questions = dent_method_questions((dent_method)method);
                assert_true(expected == hash_of(contexts[1], &scene, questions, (dent_method)method, seed % 2));
                compared++;
            }
            test_scene_free(&scene);
        }
    }
    for (uint64_t seed = 0; seed < test_count(8, 100, 3000); seed++) {
        struct test_scene scene;
        wide_scene_make(&scene, WIDE_ANY_SHAPES, 95000000 + seed);
        uint64_t expected = hash_of(contexts[0], &scene, 0, DENT_METHOD_AUTO, false);
        for (int method = 0; method < DENT_METHOD_COUNT; method++) {
            uint32_t questions = dent_method_questions((dent_method)method);
            dent_context *context = contexts[(seed + (uint64_t)method) % context_count];
            assert_true(expected == hash_of(context, &scene, questions, (dent_method)method, seed % 2));
            compared++;
        }
        test_scene_free(&scene);
    }
    for (uint32_t i = 0; i < context_count; i++) {
        dent_context_destroy(contexts[i]);
    }
    printf("%u answers of methods, %u contexts\n", compared, context_count);
}

/* ---- memory, refusals -------------------------------------------------------------------------------------------- */

static void every_failing_allocation_leaves_the_world_usable(void **state)
{
    (void)state;
    struct failing_allocator memory = failing_allocator_make();
    dent_context_def context_def = dent_context_def_default();
    context_def.allocator = failing_allocator_hook(&memory);
    context_def.thread_count = 1;
    dent_context *context = dent_context_create(&context_def, NULL);
    static const int kinds[] = {SCENE_DEEP, SCENE_SELF_FOLDED, SCENE_SPLIT_JITTERED};
    for (int i = 0; i < 3; i++) {
        struct test_scene scene;
        test_scene_make(&scene, kinds[i], 5);
        dent_border_def border = dent_border_def_default();
        dent_query_def def = dent_query_def_default();
        def.border = &border;
        def.questions = DENT_QUESTION_FACE_FACE;
        uint64_t expected = 0, failures = 0;
        for (uint64_t fail_at = 0;; fail_at++) {
            dent_world *world = dent_world_create(context);
            dent_query_result result = {.outcome = DENT_OUTCOME_CANCELLED};
            assert_int_equal(test_scene_add(&scene, world), DENT_OK);
            atomic_store(&memory.requests, 0);
            atomic_store(&memory.fail_at, fail_at);
            dent_status status = dent_world_query(world, &def, &result);
            atomic_store(&memory.fail_at, 0);
            if (fail_at == 0) {
                assert_int_equal(status, DENT_OK);
                expected = border_hash(&result.border);
            } else if (status == DENT_OK) {
                assert_true(expected == border_hash(&result.border));
                dent_world_destroy(world);
                break;
            } else {
                failures++;
                assert_int_equal(status, DENT_ERROR_OUT_OF_MEMORY);
                assert_int_equal(result.outcome, DENT_OUTCOME_CANCELLED); /* untouched */
                assert_int_equal(dent_world_query(world, &def, &result), DENT_OK);
                assert_true(expected == border_hash(&result.border));
            }
            dent_world_destroy(world);
        }
        assert_true(failures > 10);
        test_scene_free(&scene);
    }
    dent_context_destroy(context);
    assert_true(failing_allocator_clean(&memory));
}

static void a_warm_world_allocates_nothing(void **state)
{
    (void)state;
    dent_context *context = test_context(2, DENT_ISA_AUTO);
    for (int kind = 0; kind < SCENE_KIND_COUNT; kind++) {
        struct test_scene scene;
        dent_world *world = dent_world_create(context);
        dent_border_def border = dent_border_def_default();
        test_scene_make(&scene, kind, 3);
        assert_int_equal(test_scene_add(&scene, world), DENT_OK);
        ask(world, 7, DENT_METHOD_SPATIAL_HASH, &border);
        ask(world, 7, DENT_METHOD_SPATIAL_HASH, &border);
        uint64_t before = dent_context_memory_use(context).allocations;
        ask(world, 7, DENT_METHOD_SPATIAL_HASH, &border);
        assert_int_equal(dent_context_memory_use(context).allocations, before);
        dent_world_destroy(world);
        test_scene_free(&scene);
    }
    dent_context_destroy(context);
}

static void what_is_not_possible_is_refused_in_words(void **state)
{
    (void)state;
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    dent_world *world = dent_world_create(context);
    dent_border_def border = {0};
    dent_query_def def = dent_query_def_default();
    dent_query_result result;
    def.border = &border;
    assert_int_equal(dent_world_query(world, &def, &result), DENT_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(dent_world_message(world), "dent_border_def_default"));
    border = dent_border_def_default();
    assert_int_equal(dent_world_query(world, &def, &result), DENT_OK); /* a world without bodies */
    assert_int_equal(result.border.curve_count, 0);
    test_add_tetrahedron(world, large_tetrahedron);
    test_add_tetrahedron(world, spike);
    const int stop = 1;
    def.cancel = &stop;
    assert_int_equal(dent_world_query(world, &def, &result), DENT_OK);
    assert_int_equal(result.outcome, DENT_OUTCOME_CANCELLED);
    assert_int_equal(result.border.curve_count + result.border.cut_edge_count, 0);
    dent_world_destroy(world);
    dent_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(methods_threads_and_instruction_sets_give_the_same_bits),
        cmocka_unit_test(every_failing_allocation_leaves_the_world_usable),
        cmocka_unit_test(a_warm_world_allocates_nothing),
        cmocka_unit_test(what_is_not_possible_is_refused_in_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
