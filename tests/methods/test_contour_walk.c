/* The contour walk against the oracle on the scenes its argument has to survive, and proof that every kind of seed is
 * needed.
 *
 * Counts are printed. DENT_LONG_TESTS: 20,400 scenes; DENT_QUICK_TESTS: a few hundred.
 */
#include "support/cmocka_includes.h"

#include "methods/contour_walk/contour_walk.h"
#include "query/discrete/discrete_state.h"
#include "support/random_solids.h"

enum { CONTEXTS_MAX = 12 };

static dent_context *contexts[CONTEXTS_MAX];
static uint32_t context_count;

static int make_contexts(void **state)
{
    static const uint32_t threads[] = {1, 2, 3, 8};
    (void)state;
    for (int isa = DENT_ISA_SCALAR; isa < DENT_ISA_COUNT; isa++) {
        for (size_t t = 0; t < 4 && dent_isa_available((dent_isa)isa); t++) {
            dent_context_def def = dent_context_def_default();
            def.thread_count = threads[t];
            def.isa = (dent_isa)isa;
            contexts[context_count++] = dent_context_create(&def, NULL);
        }
    }
    return 0;
}

static int free_contexts(void **state)
{
    (void)state;
    while (context_count > 0) {
        dent_context_destroy(contexts[--context_count]);
    }
    return 0;
}

static dent_query_def both(dent_method method)
{
    dent_query_def def = dent_query_def_default();
    def.questions = DENT_QUESTION_VERTEX_CELL | DENT_QUESTION_FACE_CELL;
    def.method = method;
    return def;
}

static bool same_lists(const dent_pair_list *a, const dent_pair_list *b)
{
    return a->count == b->count && (a->count == 0 || memcmp(a->pairs, b->pairs, a->count * sizeof *a->pairs) == 0);
}

struct tally {
    uint64_t scenes, with_answers, vertex_pairs, face_pairs, by_other, removed;
};

/* True when the walk, without the seeds in `leave_out`, gives the oracle's lists. */
static bool walk_equals_oracle(const struct test_scene *scene, uint64_t seed, bool touching, uint32_t leave_out,
                               struct tally *tally)
{
    dent_world *reference = dent_world_create(contexts[0]), *world = dent_world_create(contexts[seed % context_count]);
    dent_query_def oracle = both(DENT_METHOD_BRUTE_FORCE), def = both(DENT_METHOD_CONTOUR_WALK);
    dent_query_result expected, got;
    dent_experiments experiments = dent_experiments_default();
    dent_method_counters own;
    experiments.counters = &own;
    def.experiments = &experiments;
    oracle.touching = def.touching = touching;
    oracle.surface_vertices_only = def.surface_vertices_only = seed % 5 == 0;
    assert_int_equal(test_scene_add(scene, reference), DENT_OK);
    assert_int_equal(test_scene_add(scene, world), DENT_OK);
    assert_int_equal(dent_world_query(reference, &oracle, &expected), DENT_OK);
    void *state;
    assert_int_equal(contour_state_create(dent_world_context(world), &state), DENT_OK);
    ((struct contour_state *)state)->leave_out = leave_out;
    ((struct discrete_state *)world_state_of(world, &discrete_slot))->method_states[DENT_METHOD_CONTOUR_WALK] = state;
    assert_int_equal(dent_world_query(world, &def, &got), DENT_OK);
    bool same = same_lists(&expected.vertex_cell, &got.vertex_cell) && same_lists(&expected.face_cell, &got.face_cell);
    tally->scenes++;
    tally->with_answers += expected.vertex_cell.count + expected.face_cell.count > 0;
    tally->vertex_pairs += expected.vertex_cell.count;
    tally->face_pairs += expected.face_cell.count;
    tally->by_other += strstr(got.counters.reason, "spatial hash") != NULL;
    tally->removed += own.contour_walk.removed_cells;
    if (same && seed % 3 == 0) { /* once more, with the last answer as first guess */
        assert_int_equal(dent_world_query(world, &def, &got), DENT_OK);
        same = same_lists(&expected.vertex_cell, &got.vertex_cell) && same_lists(&expected.face_cell, &got.face_cell);
    }
    if (same && def.surface_vertices_only) { /* after a query about all vertices: inner ones are no guesses */
        def.surface_vertices_only = false;
        assert_int_equal(dent_world_query(world, &def, &got), DENT_OK);
        def.surface_vertices_only = true;
        assert_int_equal(dent_world_query(world, &def, &got), DENT_OK);
        same = same_lists(&expected.vertex_cell, &got.vertex_cell) && same_lists(&expected.face_cell, &got.face_cell);
    }
    dent_world_destroy(world);
    dent_world_destroy(reference);
    return same;
}

static void the_walk_gives_the_oracles_lists_on_random_solids(void **state)
{
    uint64_t seeds = getenv("DENT_LONG_TESTS") ? 1200 : getenv("DENT_QUICK_TESTS") ? 20 : 200, total = 0, answered = 0;
    (void)state;
    for (int kind = 0; kind < SOLIDS_KIND_COUNT; kind++) {
        struct tally tally = {0};
        for (uint64_t seed = 0; seed < seeds; seed++) {
            struct test_scene scene;
            solids_make(&scene, kind, seed);
            if (!walk_equals_oracle(&scene, seed, false, 0, &tally)) {
                fail_msg("%s, seed %llu: the lists differ", solid_kind_name(kind), (unsigned long long)seed);
            }
            test_scene_free(&scene);
        }
        printf("%-20s %5llu scenes, %5llu with answers: %7llu vertex-cell, %8llu face-cell; %5llu cells removed, %llu "
               "by another method\n",
               solid_kind_name(kind), (unsigned long long)tally.scenes, (unsigned long long)tally.with_answers,
               (unsigned long long)tally.vertex_pairs, (unsigned long long)tally.face_pairs,
               (unsigned long long)tally.removed, (unsigned long long)tally.by_other);
        total += tally.scenes;
        answered += tally.with_answers;
        assert_true(tally.by_other * 10 <= tally.scenes);
    }
    printf("%llu scenes, %llu with answers\n", (unsigned long long)total, (unsigned long long)answered);
    assert_true(2 * answered >= total);
}

/* Blocks half a cube apart on one lattice that has been turned, also far from the origin: what lay in one plane is off by
 * rounding, so that signs close to zero are all over. */
static void the_walk_is_right_where_rounding_decides(void **state)
{
    (void)state;
    struct tally tally = {0};
    uint64_t seeds = getenv("DENT_LONG_TESTS") ? 4000 : getenv("DENT_QUICK_TESTS") ? 130 : 400;
    for (uint64_t seed = 0; seed < seeds; seed++) {
        struct test_scene scene = {0};
        dent_random random = dent_random_seeded(seed);
        for (int body = 0; body < 3; body++) {
            struct test_body *block = solid_block(&scene, &random, 4);
            double x = 0.5 * dent_random_below(&random, 4), y = 0.5 * dent_random_below(&random, 4);
            solid_move(block, 1, x, y, 0.5 * dent_random_below(&random, 4));
        }
        for (uint32_t body = 0; body < scene.body_count; body++) {
            dent_random same = random;
            solid_turn(&scene.bodies[body], &same);
            solid_move(&scene.bodies[body], 1, seed % 3 == 2 ? 1e5 : 0, seed % 3 == 1 ? 300 : 0, 0);
        }
        if (!walk_equals_oracle(&scene, seed, false, 0, &tally)) {
            fail_msg("turned lattice, seed %llu: the lists differ", (unsigned long long)seed);
        }
        test_scene_free(&scene);
    }
    assert_true(2 * tally.with_answers > tally.scenes);
}

static void touching_pairs_are_the_oracles_too(void **state)
{
    (void)state;
    for (int kind = 0; kind < SOLIDS_KIND_COUNT; kind++) {
        for (uint64_t seed = 0; seed < 10; seed++) {
            struct test_scene scene;
            struct tally tally = {0};
            solids_make(&scene, kind, seed);
            assert_true(walk_equals_oracle(&scene, seed, true, 0, &tally));
            test_scene_free(&scene);
        }
    }
}

static uint64_t differences_without(uint32_t left_out, int first_kind, int last_kind, uint64_t seeds)
{
    uint64_t differences = 0;
    for (int kind = first_kind; kind <= last_kind; kind++) {
        for (uint64_t seed = 0; seed < seeds; seed++) {
            struct test_scene scene;
            struct tally tally = {0};
            solids_make(&scene, kind, seed);
            differences += !walk_equals_oracle(&scene, seed, false, left_out, &tally);
            test_scene_free(&scene);
        }
    }
    return differences;
}

static void without_any_one_kind_of_seed_pairs_are_lost(void **state)
{
    static const struct {
        uint32_t bits;
        const char *name;
        int first_kind, last_kind;
        uint64_t seeds;
    } kinds[] = {
        {SEED_CROSSINGS, "crossings", 0, SOLIDS_KIND_COUNT - 1, 5},
        /* One finds what the other does, in nearly all scenes. */
        {SEED_STARS | SEED_FANS, "stars and fans", SOLIDS_OVERFULL, SOLIDS_OVERFULL, 400},
        {SEED_FANS | SEED_PINCHES, "fans and pinches", SOLIDS_CRACKS, SOLIDS_CRACKS, 20},
        {SEED_CONTAINED, "contained parts", SOLIDS_NESTED, SOLIDS_CAVITY, 20},
        {SEED_DEFECTS, "defects", SOLIDS_CRUMPLED, SOLIDS_CRUMPLED, 40},
        {SEED_EDGES, "pierced edges", 0, SOLIDS_KIND_COUNT - 1, 20},
    };
    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        uint64_t differences =
            differences_without(kinds[i].bits, kinds[i].first_kind, kinds[i].last_kind, kinds[i].seeds);
        printf("without %-18s %4llu scenes differ\n", kinds[i].name, (unsigned long long)differences);
        assert_true(differences > 0);
    }
}

/* Five cells around an inner edge that turn about it twice, closed by five more at each end so that the edge is inside.
 */
static void make_double_ring(struct test_scene *scene)
{
    *scene = (struct test_scene){0};
    struct test_body *body = test_scene_new_body(scene, DENT_BODY_SOLID, 7, 5, 20);
    body->xyz[0][2] = -1;
    body->xyz[1][2] = 1;
    for (uint32_t i = 0; i < 5; i++) {
        double angle = 2 * 6.283185307179586 * i / 5;
        body->xyz[2 + i][0] = cos(angle);
        body->xyz[2 + i][1] = sin(angle);
        body->xyz[2 + i][2] = 0.01 * i;
        uint32_t corners[4] = {0, 1, 2 + i, 2 + (i + 1) % 5};
        memcpy(body->corners + 4 * i, corners, sizeof corners);
    }
}

static void an_edge_turned_about_twice_is_left_to_another_method(void **state)
{
    struct test_scene scene;
    struct tally tally = {0};
    (void)state;
    make_double_ring(&scene);
    assert_true(walk_equals_oracle(&scene, 1, false, 0, &tally));
    assert_int_equal(tally.by_other, 1);
    test_scene_free(&scene);
}

static void a_kept_promise_changes_nothing_and_a_broken_one_is_named(void **state)
{
    (void)state;
    for (int kind = 0; kind < SOLIDS_KIND_COUNT; kind++) {
        struct test_scene scene;
        solids_make(&scene, kind, 1);
        dent_world *world = dent_world_create(contexts[0]);
        dent_contour_walk_def promise = dent_contour_walk_def_default();
        dent_query_def def = both(DENT_METHOD_CONTOUR_WALK), plain = both(DENT_METHOD_BRUTE_FORCE);
        dent_query_result got;
        promise.cells_are_positive = promise.verify_promises = true;
        def.contour_walk = &promise;
        assert_int_equal(test_scene_add(&scene, world), DENT_OK);
        bool positive = true;
        for (uint32_t body_index = 0; body_index < scene.body_count; body_index++) {
            dent_body_metrics measure;
            assert_int_equal(dent_body_get_metrics(world, dent_world_body_at(world, body_index), &measure), DENT_OK);
            positive &= measure.inverted_cells == 0 && measure.flat_cells == 0 && !measure.mirrored;
        }
        dent_status status = dent_world_query(world, &def, &got);
        assert_int_equal(status, positive ? DENT_OK : DENT_ERROR_INVALID_ARGUMENT);
        if (positive) {
            promise.verify_promises = false;
            assert_int_equal(dent_world_query(world, &def, &got), DENT_OK);
            uint64_t hash = dent_pair_list_hash(world, DENT_QUESTION_FACE_CELL, &got.face_cell);
            assert_int_equal(dent_world_query(world, &plain, &got), DENT_OK);
            assert_true(hash == dent_pair_list_hash(world, DENT_QUESTION_FACE_CELL, &got.face_cell));
        } else {
            assert_non_null(
                strstr(dent_world_message(world), "is not positive, although cells_are_positive was promised"));
        }
        dent_world_destroy(world);
        test_scene_free(&scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_walk_gives_the_oracles_lists_on_random_solids),
        cmocka_unit_test(the_walk_is_right_where_rounding_decides),
        cmocka_unit_test(touching_pairs_are_the_oracles_too),
        cmocka_unit_test(without_any_one_kind_of_seed_pairs_are_lost),
        cmocka_unit_test(an_edge_turned_about_twice_is_left_to_another_method),
        cmocka_unit_test(a_kept_promise_changes_nothing_and_a_broken_one_is_named),
    };
    return cmocka_run_group_tests(tests, make_contexts, free_contexts);
}
