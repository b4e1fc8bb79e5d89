/* Conformance on random small scenes: every method x threads x instruction set gives the oracle's lists, to the bit, on
 * thousands of scenes of every kind; the counts are printed: of each kind at least 200 scenes, at least half of all
 * with answers. The long tier (DENT_LONG_TESTS=1) makes more than 10,000 scenes, DENT_RANDOM_SCENES=N at least N; quick
 * mode (DENT_QUICK_TESTS=1, for sanitizer runs) ten of each kind.
 */
#include "support/cmocka_includes.h"

#include "support/pair_lists.h"
#include "support/random_scene.h"

enum { CONTEXTS_MAX = 16 };

struct machine {
    dent_context *context;
    uint32_t threads;
    dent_isa isa;
};

struct fleet {
    uint32_t count;
    struct machine machines[CONTEXTS_MAX];
};

static void make_fleet(struct fleet *fleet)
{
    static const uint32_t threads[] = {1, 2, 3, 8};
    fleet->count = 0;
    for (int isa = DENT_ISA_SCALAR; isa < DENT_ISA_COUNT; isa++) {
        for (size_t t = 0; t < sizeof threads / sizeof threads[0] && dent_isa_available((dent_isa)isa); t++) {
            dent_context_def def = dent_context_def_default();
            def.thread_count = threads[t];
            def.isa = (dent_isa)isa;
            struct machine *machine = &fleet->machines[fleet->count++];
            *machine = (struct machine){dent_context_create(&def, NULL), threads[t], (dent_isa)isa};
            assert_non_null(machine->context);
        }
    }
}

static void free_fleet(struct fleet *fleet)
{
    for (uint32_t i = 0; i < fleet->count; i++) {
        dent_context_destroy(fleet->machines[i].context);
    }
}

static dent_query_def everything(dent_method method, bool touching, bool surface_vertices_only)
{
    dent_query_def def = dent_query_def_default();
    def.questions = DENT_DISCRETE_QUESTIONS;
    def.method = method;
    def.touching = touching;
    def.surface_vertices_only = surface_vertices_only;
    return def;
}

struct tally {
    uint64_t scenes, with_answers, pairs[5], elements;
    uint64_t queries, certified;                  /* of methods; scenes in which the cluster search certified a body */
    uint32_t machines_used[DENT_METHOD_COUNT][2]; /* as bits; without and with touching pairs */
};

static void count_kinds(const dent_pair_list *list, struct tally *tally)
{
    for (uint64_t i = 0; i < list->count; i++) {
        tally->pairs[list->pairs[i].kind]++;
    }
}

/* Any machine, for any method, with and without touching pairs: not a pattern that the parity of the seed could miss.
 */
static uint32_t draw_machine(const struct fleet *fleet, uint64_t seed, int method, uint32_t turn)
{
    uint64_t mixed = (seed * 64 + (uint64_t)method + 1) * UINT64_C(0x9E3779B97F4A7C15);
    return (uint32_t)(((mixed >> 32) + 5 * (uint64_t)turn) % fleet->count);
}

/* One scene: the oracle on one thread without vectors, then every method on a machine (in the long tier two) that
 * changes from scene to scene. */
static void compare_scene(const struct fleet *fleet, const struct test_scene *scene, uint64_t seed, struct tally *tally)
{
    dent_world *reference = dent_world_create(fleet->machines[0].context);
    assert_non_null(reference);
    assert_int_equal(test_scene_add(scene, reference), DENT_OK);
    bool touching = seed % 2 != 0, surface_vertices_only = seed % 5 == 0;
    dent_query_result expected;
    dent_query_def oracle = everything(DENT_METHOD_BRUTE_FORCE, touching, surface_vertices_only);
    assert_int_equal(dent_world_query(reference, &oracle, &expected), DENT_OK);
    bool certified = false;
    uint32_t turns = getenv("DENT_LONG_TESTS") ? 2 : 1;
    for (int method = 1; method < DENT_METHOD_COUNT; method++) {
        if (dent_method_questions((dent_method)method) == 0) {
            continue;
        }
        uint32_t able = dent_method_questions((dent_method)method);
        for (uint32_t turn = 0; turn < turns; turn++) {
            uint32_t drawn = draw_machine(fleet, seed, method, turn);
            const struct machine *machine = &fleet->machines[drawn];
            tally->machines_used[method][touching] |= UINT32_C(1) << drawn;
            dent_world *world = dent_world_create(machine->context);
            dent_query_def def = everything((dent_method)method, touching, surface_vertices_only);
            dent_query_result got;
            def.questions &= able;
            assert_non_null(world);
            assert_int_equal(test_scene_add(scene, world), DENT_OK);
            assert_int_equal(dent_world_query(world, &def, &got), DENT_OK);
            assert_int_equal(got.outcome, DENT_OUTCOME_COMPLETE);
            assert_same_lists(&expected, &got, able);
            certified = certified || got.counters.certified_bodies > 0;
            tally->queries++;
            dent_world_destroy(world);
        }
    }
    tally->scenes++;
    tally->certified += certified;
    tally->elements += test_scene_elements(scene);
    tally->with_answers += all_pairs(&expected) > 0;
    for (uint32_t i = 0; i < DENT_DISCRETE_QUESTION_COUNT; i++) {
        count_kinds(dent_query_result_list(&expected, dent_question_info_at(i)->question), tally);
    }
    dent_world_destroy(reference);
}

enum { LISTED_AT_LEAST = 200, LONG_TIER = 10000 };

static uint64_t scenes_per_kind(void)
{
    const char *wanted = getenv("DENT_RANDOM_SCENES");
    uint64_t total = wanted ? strtoull(wanted, NULL, 10) : getenv("DENT_LONG_TESTS") ? LONG_TIER : 0;
    uint64_t each = (total + SCENE_KIND_COUNT - 1) / SCENE_KIND_COUNT;
    return total == 0 && getenv("DENT_QUICK_TESTS") ? 10 : each > LISTED_AT_LEAST ? each : LISTED_AT_LEAST;
}

static void every_method_gives_the_oracles_lists_on_random_scenes(void **state)
{
    (void)state;
    struct fleet fleet;
    struct tally total = {0};
    uint64_t seeds = scenes_per_kind();
    make_fleet(&fleet);
    for (int kind = 0; kind < SCENE_KIND_COUNT; kind++) {
        struct tally tally = {0};
        for (uint64_t seed = 0; seed < seeds; seed++) {
            struct test_scene scene;
            test_scene_make(&scene, kind, seed);
            compare_scene(&fleet, &scene, seed, &tally);
            test_scene_free(&scene);
        }
        printf("%-22s %5llu scenes, %5llu with answers: %7llu interior, %6llu crossing, %6llu coplanar, %7llu "
               "touching; %5llu certified\n",
               test_scene_kind_name(kind), (unsigned long long)tally.scenes, (unsigned long long)tally.with_answers,
               (unsigned long long)tally.pairs[DENT_PAIR_INTERIOR], (unsigned long long)tally.pairs[DENT_PAIR_CROSSING],
               (unsigned long long)tally.pairs[DENT_PAIR_COPLANAR], (unsigned long long)tally.pairs[DENT_PAIR_TOUCHING],
               (unsigned long long)tally.certified);
        fflush(stdout);
        total.scenes += tally.scenes;
        total.with_answers += tally.with_answers;
        total.elements += tally.elements;
        total.queries += tally.queries;
        for (int method = 0; method < DENT_METHOD_COUNT; method++) {
            total.machines_used[method][0] |= tally.machines_used[method][0];
            total.machines_used[method][1] |= tally.machines_used[method][1];
        }
        /* The kind is there to see both sides of the certificate. */
        assert_true(kind != SCENE_BENT || (tally.certified > 0 && tally.certified < tally.scenes));
    }
    printf("%llu scenes of %d kinds, %llu with answers, %.0f elements on the average, %llu queries compared\n",
           (unsigned long long)total.scenes, (int)SCENE_KIND_COUNT, (unsigned long long)total.with_answers,
           (double)total.elements / (double)total.scenes, (unsigned long long)total.queries);
    assert_true(2 * total.with_answers >= total.scenes);
    for (int method = 1; method < DENT_METHOD_COUNT && !getenv("DENT_QUICK_TESTS"); method++) {
        uint32_t all = dent_method_questions((dent_method)method) ? (UINT32_C(1) << fleet.count) - 1 : 0;
        assert_int_equal(total.machines_used[method][0], all); /* every number of threads, every instruction set */
        assert_int_equal(total.machines_used[method][1], all);
    }
    free_fleet(&fleet);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_method_gives_the_oracles_lists_on_random_scenes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
