/* The question proximity where magnitudes, thicknesses included, span the whole range of double: the search equals the
 * oracle bit by bit, on every instruction set and for any number of threads; also for pairs exactly at the threshold.
 */
#include "query/proximity_cases.h"
#include "support/wide_scene.h"

/* A finite distance of a pair of the world, or -1. */
static double some_distance(dent_world *world, dent_random *random)
{
    dent_proximity_result all = ask(world, DBL_MAX, DENT_METHOD_BRUTE_FORCE);
    double distance = all.count > 0 ? all.pairs[dent_random_below(random, (uint32_t)all.count)].distance : -1;
    return distance < INFINITY ? distance : -1;
}

/* Two thicknesses whose sum is the distance of a pair, or just below; or lengths of any size. */
static void choose_thickness(dent_world *world, struct wide_draw *draw, double thickness[2])
{
    double distance = dent_random_below(&draw->random, 4) ? some_distance(world, &draw->random) : -1;
    thickness[0] = distance >= 0 ? distance / 2 : wide_length(draw);
    thickness[1] = distance >= 0 ? distance - distance / 2 : wide_length(draw);
    if (distance > 0 && dent_random_below(&draw->random, 4) == 0) {
        thickness[1] = nextafter(thickness[1], 0);
    }
}

static void the_search_equals_the_oracle_at_every_magnitude(void **state)
{
    (void)state;
    struct wide_contexts contexts = wide_contexts_open();
    uint64_t scenes = test_count(200, 4000, 60000), with_pairs = 0, pairs = 0, of_mode[WIDE_MODE_COUNT] = {0};
    for (uint64_t seed = 1; seed <= scenes; seed++) {
        struct wide_draw draw = wide_draw_make(seed, 5);
        struct test_scene scene;
        struct kept expected = {NULL, 0};
        double thickness[2];
        wide_scene_make(&draw, &scene, false);
        for (uint32_t i = 0; i < 3 && i < contexts.count; i++) { /* every instruction set, threads in turn */
            dent_world *world = dent_world_create(contexts.at[(i + 3 * seed) % contexts.count]);
            assert_int_equal(test_scene_add(&scene, world), DENT_OK);
            if (i == 0) {
                choose_thickness(world, &draw, thickness);
            }
            assert_int_equal(dent_body_set_thickness(world, dent_world_body_at(world, 1), thickness[1]), DENT_OK);
            if (i == 0) {
                dent_proximity_result oracle = ask(world, thickness[0], DENT_METHOD_BRUTE_FORCE);
                expected = keep(&oracle);
            }
            dent_proximity_result result = ask(world, thickness[0], DENT_METHOD_SURFACE_TREE);
            if (!equal(&expected, &result)) {
                fail_msg("seed %llu, %s, thickness %g and %g: %llu pairs by the tree, %llu by the oracle",
                         (unsigned long long)seed, wide_mode_name(draw.mode), thickness[0], thickness[1],
                         (unsigned long long)result.count, (unsigned long long)expected.count);
            }
            dent_world_destroy(world);
        }
        with_pairs += expected.count > 0;
        of_mode[draw.mode] += expected.count > 0;
        pairs += expected.count;
        free(expected.pairs);
        test_scene_free(&scene);
    }
    print_message("%llu scenes, %llu with answers, %llu pairs\n", (unsigned long long)scenes,
                  (unsigned long long)with_pairs, (unsigned long long)pairs);
    for (int mode = 0; mode < WIDE_MODE_COUNT; mode++) {
        print_message("%s: %llu with answers\n", wide_mode_name(mode), (unsigned long long)of_mode[mode]);
    }
    assert_true(2 * with_pairs >= scenes);
    wide_contexts_close(&contexts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_search_equals_the_oracle_at_every_magnitude),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
