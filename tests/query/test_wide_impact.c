/* The question impact where magnitudes span the whole range of double: the search equals the oracle bit by bit, with
 * and without a separation, on every instruction set and for any number of threads. */
#include "support/wide_scene.h"

struct wide_tally {
    uint64_t scenes, with_impacts, impacts, later, by_mode[WIDE_MODE_COUNT];
};

static void print_wide_tally(const struct wide_tally *tally)
{
    print_message("%llu scenes, %llu with impacts: %llu impacts, %llu after t = 0\n", (unsigned long long)tally->scenes,
                  (unsigned long long)tally->with_impacts, (unsigned long long)tally->impacts,
                  (unsigned long long)tally->later);
    for (int mode = 0; mode < WIDE_MODE_COUNT; mode++) {
        print_message("%s: %llu with impacts\n", wide_mode_name(mode), (unsigned long long)tally->by_mode[mode]);
    }
}

static const dent_impact *first_of(const struct impact_list *list)
{
    const dent_impact *first = NULL;
    for (uint64_t i = 0; i < list->count; i++) {
        first = !first || list->impacts[i].toi < first->toi ? &list->impacts[i] : first;
    }
    return first;
}

static void compare_earliest(dent_world *world, const dent_impact_def *def, const struct impact_list *oracle,
                             const char *what)
{
    dent_earliest_impact earliest;
    const dent_impact *first = first_of(oracle);
    assert_int_equal(dent_world_earliest_impact(world, def, &earliest), DENT_OK);
    if (earliest.found != (first != NULL) || (first && !same_impact(first, &earliest.impact))) {
        fail_msg("%s: the earliest is another", what);
    }
}

static void compare_search(dent_context *context, const struct moving_scene *moving, double separation,
                           const struct impact_list *oracle, bool with_earliest, const char *what)
{
    dent_world *world = moving_scene_world(moving, context);
    assert_non_null(world);
    dent_impact_def def = dent_impact_def_default();
    def.separation = separation;
    def.method = DENT_METHOD_SURFACE_TREE;
    struct impact_list search = ask_impacts(world, &def);
    assert_same_impacts(oracle, &search, what);
    free_impacts(&search);
    if (with_earliest) {
        compare_earliest(world, &def, oracle, what);
    }
    dent_world_destroy(world);
}

static void count(struct wide_tally *tally, const struct impact_list *list, int mode)
{
    tally->scenes++;
    tally->with_impacts += list->count > 0;
    tally->by_mode[mode] += list->count > 0;
    tally->impacts += list->count;
    for (uint64_t i = 0; i < list->count; i++) {
        assert_true(list->impacts[i].toi >= 0 && list->impacts[i].toi <= 1);
        tally->later += list->impacts[i].toi > 0;
    }
}

static void compare_scenes(uint64_t first_seed, uint64_t scenes, bool separated, struct wide_tally *tally)
{
    struct wide_contexts contexts = wide_contexts_open();
    for (uint64_t seed = first_seed; seed < first_seed + scenes; seed++) {
        struct wide_draw draw = wide_draw_make(seed, 1);
        struct moving_scene moving;
        wide_moving_scene_make(&draw, &moving);
        double separation = separated ? wide_length(&draw) : 0;
        char what[96];
        snprintf(what, sizeof what, "seed %llu, %s, separation %g", (unsigned long long)seed, wide_mode_name(draw.mode),
                 separation);
        dent_world *world = moving_scene_world(&moving, contexts.at[0]);
        dent_impact_def def = dent_impact_def_default();
        def.separation = separation;
        def.method = DENT_METHOD_BRUTE_FORCE;
        struct impact_list oracle = ask_impacts(world, &def);
        dent_world_destroy(world);
        /* Contexts in turn; the earliest now and then, as exact tests of such numbers take a millisecond each. */
        compare_search(contexts.at[seed % contexts.count], &moving, separation, &oracle, separated || seed % 4 == 0,
                       what);
        count(tally, &oracle, draw.mode);
        free_impacts(&oracle);
        moving_scene_free(&moving);
    }
    wide_contexts_close(&contexts);
}

static void the_search_equals_the_oracle_at_every_magnitude(void **state)
{
    (void)state;
    struct wide_tally tally = {0};
    compare_scenes(1, test_count(40, 250, 20000), false, &tally);
    print_wide_tally(&tally);
    assert_true(2 * tally.with_impacts >= tally.scenes && tally.later > 0);
}

static void the_search_with_a_separation_equals_the_oracle_at_every_magnitude(void **state)
{
    (void)state;
    struct wide_tally tally = {0};
    compare_scenes(1000001, test_count(40, 300, 10000), true, &tally);
    print_wide_tally(&tally);
    assert_true(2 * tally.with_impacts >= tally.scenes && tally.later > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_search_equals_the_oracle_at_every_magnitude),
        cmocka_unit_test(the_search_with_a_separation_equals_the_oracle_at_every_magnitude),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
