/* Strands on random scenes: every search of proximity and impact gives the records of its oracle, to the bit, for every
 * number of threads and instruction set. */
#include "query/proximity_cases.h"
#include "support/random_strands.h"

#include <dent/strand.h>

static const uint32_t thread_counts[] = {1, 2, 5};

struct fleet {
    dent_context *contexts[9];
    uint32_t count;
};

static int open_fleet(void **state)
{
    static struct fleet fleet;
    fleet.count = 0;
    for (int isa = DENT_ISA_SCALAR; isa < DENT_ISA_COUNT; isa++) {
        for (int i = 0; i < 3 && dent_isa_available((dent_isa)isa); i++) {
            fleet.contexts[fleet.count++] = test_context(thread_counts[i], (dent_isa)isa);
        }
    }
    *state = &fleet;
    return 0;
}

static int close_fleet(void **state)
{
    struct fleet *fleet = *state;
    for (uint32_t i = 0; i < fleet->count; i++) {
        dent_context_destroy(fleet->contexts[i]);
    }
    return 0;
}

static dent_world *world_of(const struct strand_scene *scene, dent_context *context)
{
    dent_world *world = dent_world_create(context);
    assert_non_null(world);
    assert_int_equal(strand_scene_add(scene, world), DENT_OK);
    return world;
}

static uint64_t compare_proximity(const struct strand_scene *scene, const struct fleet *fleet, uint64_t seed)
{
    dent_world *oracle = world_of(scene, fleet->contexts[0]);
    dent_world *world = world_of(scene, fleet->contexts[seed % fleet->count]);
    dent_proximity_result answer = ask(oracle, 0.05, DENT_METHOD_BRUTE_FORCE);
    struct kept expected = keep(&answer);
    answer = ask(world, 0.05, DENT_METHOD_AUTO);
    assert_true(equal(&expected, &answer));
    uint64_t with_strands = 0;
    for (uint64_t i = 0; i < expected.count; i++) {
        with_strands += expected.pairs[i].body_a >= scene->others.body_count ||
                        expected.pairs[i].body_b >= scene->others.body_count;
    }
    free(expected.pairs);
    dent_world_destroy(oracle);
    dent_world_destroy(world);
    return with_strands;
}

static uint64_t compare_impacts(const struct strand_scene *scene, const struct fleet *fleet, uint64_t seed)
{
    dent_world *oracle = world_of(scene, fleet->contexts[0]);
    dent_world *world = world_of(scene, fleet->contexts[seed % fleet->count]);
    dent_impact_def def = dent_impact_def_default();
    dent_impact_result expected, got;
    dent_earliest_impact first, earliest;
    def.method = DENT_METHOD_BRUTE_FORCE;
    assert_int_equal(dent_world_impacts(oracle, &def, &expected), DENT_OK);
    def.method = DENT_METHOD_AUTO;
    assert_int_equal(dent_world_impacts(world, &def, &got), DENT_OK);
    assert_int_equal(expected.count, got.count);
    for (uint64_t i = 0; i < got.count; i++) {
        assert_memory_equal(&expected.impacts[i], &got.impacts[i], sizeof got.impacts[i]);
    }
    uint64_t found = expected.count;
    def.method = DENT_METHOD_BRUTE_FORCE;
    assert_int_equal(dent_world_earliest_impact(oracle, &def, &first), DENT_OK);
    def.method = DENT_METHOD_AUTO;
    assert_int_equal(dent_world_earliest_impact(world, &def, &earliest), DENT_OK);
    assert_int_equal(first.found, earliest.found);
    assert_true(!first.found || memcmp(&first.impact, &earliest.impact, sizeof first.impact) == 0);
    dent_world_destroy(oracle);
    dent_world_destroy(world);
    return found;
}

static dent_strand_result ask_strands(dent_world *world, dent_method method, bool no_details)
{
    dent_strand_query_def def = dent_strand_query_def_default();
    dent_strand_result result;
    def.thickness = 0.05;
    def.method = method;
    def.no_details = no_details;
    assert_int_equal(dent_world_strands(world, &def, &result), DENT_OK);
    assert_int_equal(result.outcome, DENT_OUTCOME_COMPLETE);
    return result;
}

static dent_pair short_pair(const dent_proximity *pair)
{
    return (dent_pair){pair->body_a, pair->feature_a, pair->body_b, pair->feature_b, pair->kind};
}

/* The oracle of proximity, restricted, is the oracle of strand; every method has its pairs and its records. */
static uint64_t compare_strands(const struct strand_scene *scene, const struct fleet *fleet, uint64_t seed)
{
    static const dent_method methods[] = {DENT_METHOD_BRUTE_FORCE, DENT_METHOD_STRAND_GRID, DENT_METHOD_STRAND_PACKETS,
                                          DENT_METHOD_SURFACE_TREE, DENT_METHOD_AUTO};
    dent_world *oracle = world_of(scene, fleet->contexts[0]);
    dent_proximity_result answer = ask(oracle, 0.05, DENT_METHOD_BRUTE_FORCE);
    dent_proximity *expected = test_allocate((size_t)answer.count + 1, sizeof *expected);
    uint64_t count = 0;
    for (uint64_t i = 0; i < answer.count; i++) {
        bool strands = answer.pairs[i].body_a >= scene->others.body_count ||
                       answer.pairs[i].body_b >= scene->others.body_count;
        expected[count] = answer.pairs[i];
        count += strands;
    }
    for (uint32_t m = 0; m < 5; m++) {
        dent_world *world = world_of(scene, fleet->contexts[(seed + m) % fleet->count]);
        dent_strand_result got = ask_strands(world, methods[m], seed % 3 == 0);
        assert_int_equal(got.vertex_face_count + got.edge_edge_count, count);
        for (uint64_t i = 0; i < count; i++) {
            dent_pair pair = short_pair(&expected[i]);
            const dent_pair *other =
                i < got.vertex_face_count ? &got.vertex_face[i] : &got.edge_edge[i - got.vertex_face_count];
            assert_memory_equal(&pair, other, sizeof pair);
        }
        if (got.details && count > 0) {
            assert_memory_equal(got.details, expected, count * sizeof *expected);
        }
        assert_true(dent_strand_hash(world, &got) == dent_proximity_hash(oracle, expected, count));
        dent_world_destroy(world);
    }
    free(expected);
    dent_world_destroy(oracle);
    return count;
}

typedef uint64_t comparison(const struct strand_scene *scene, const struct fleet *fleet, uint64_t seed);

static void compare_all(const struct fleet *fleet, uint32_t per_kind, uint32_t most, comparison *compare)
{
    uint64_t scenes = 0, with_answers = 0, pairs = 0;
    for (int kind = 0; kind < STRAND_SCENE_KINDS; kind++) {
        uint64_t of_kind = 0;
        for (uint64_t seed = 0; seed < per_kind; seed++, scenes++) {
            struct strand_scene scene;
            strand_scene_make(&scene, kind, seed, most);
            uint64_t found = compare(&scene, fleet, seed * 5 + (uint64_t)kind);
            of_kind += found;
            with_answers += found > 0;
            strand_scene_free(&scene);
        }
        printf("%-16s %u scenes, %llu pairs\n", strand_scene_name(kind), per_kind, (unsigned long long)of_kind);
        assert_true(of_kind > 0 || getenv("DENT_QUICK_TESTS"));
        pairs += of_kind;
    }
    printf("%llu scenes, %llu with answers, %llu pairs\n", (unsigned long long)scenes, (unsigned long long)with_answers,
           (unsigned long long)pairs);
    assert_true(2 * with_answers >= scenes);
}

static void proximity_by_the_forest_equals_the_oracle(void **state)
{
    compare_all(*state, test_rounds(60), 12, compare_proximity);
}

static void impacts_by_the_forest_equal_the_oracle(void **state)
{
    compare_all(*state, test_rounds(20), 3, compare_impacts);
}

static void strand_by_every_method_equals_the_oracle(void **state)
{
    compare_all(*state, (uint32_t)test_count(5, 100, 630), 8, compare_strands); /* 10,080 scenes in the long tier */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strand_by_every_method_equals_the_oracle),
        cmocka_unit_test(proximity_by_the_forest_equals_the_oracle),
        cmocka_unit_test(impacts_by_the_forest_equal_the_oracle),
    };
    return cmocka_run_group_tests(tests, open_fleet, close_fleet);
}
