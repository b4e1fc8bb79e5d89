/* The question `impact`: the search over the surface forest equals the oracle, bit by bit; the earliest is the earliest of the list; whatever
 * the threads and the instruction set. */
#include "query/support_impact.h"

#include "support/failing_allocator.h"

/* Larger scenes would keep the exact test of the oracle busy for seconds. */
enum { ELEMENTS_MAX = 24 };

static dent_context *context_with(uint32_t threads, dent_isa isa)
{
    dent_context_def def = dent_context_def_default();
    def.thread_count = threads;
    def.isa = isa;
    dent_context *context = dent_context_create(&def, NULL);
    assert_non_null(context);
    return context;
}

static void describe(char *text, size_t size, int kind, int motion, uint64_t seed)
{
    snprintf(text, size, "%s, motion %s, seed %llu", test_scene_kind_name(kind), motion_name(motion), (unsigned long long)seed);
}

static void check_earliest(dent_world *world, const dent_impact_def *def, const struct impact_list *all, const char *what)
{
    dent_earliest_impact earliest;
    const dent_impact *first = NULL;
    for (uint64_t i = 0; i < all->count; i++) {
        first = !first || all->impacts[i].toi < first->toi ? &all->impacts[i] : first; /* of several the first in the list */
    }
    assert_int_equal(dent_world_earliest_impact(world, def, &earliest), DENT_OK);
    if (earliest.found != (first != NULL) || (first && !same_impact(first, &earliest.impact))) {
        if (first) {
            print_impact("of the list:", first);
        }
        print_impact("earliest:   ", &earliest.impact);
        fail_msg("%s: the earliest is another", what);
    }
    assert_true(first || earliest.impact.toi == 1);
}

struct tally {
    uint64_t scenes, with_impacts, impacts, at_start, later, vertex_face, edge_edge;
};

static void count_impacts(struct tally *tally, const struct impact_list *list)
{
    tally->scenes++;
    tally->with_impacts += list->count > 0;
    tally->impacts += list->count;
    for (uint64_t i = 0; i < list->count; i++) {
        tally->at_start += list->impacts[i].toi == 0;
        tally->later += list->impacts[i].toi > 0;
        tally->vertex_face += list->impacts[i].kind == DENT_IMPACT_VERTEX_FACE;
        tally->edge_edge += list->impacts[i].kind == DENT_IMPACT_EDGE_EDGE;
    }
}

static void compare_scene(dent_context *context, int kind, int motion, uint64_t seed, struct tally *tally)
{
    struct moving_scene moving;
    char what[200];
    moving_scene_make(&moving, kind, motion, seed);
    describe(what, sizeof what, kind, motion, seed);
    if (test_scene_elements(&moving.scene) <= ELEMENTS_MAX) {
        dent_world *world = moving_scene_world(&moving, context);
        assert_non_null(world);
        struct impact_list by_oracle = impacts_by(world, DENT_METHOD_BRUTE_FORCE);
        struct impact_list by_search = impacts_by(world, DENT_METHOD_SURFACE_TREE);
        assert_same_impacts(&by_oracle, &by_search, what);
        dent_impact_def def = dent_impact_def_default();
        check_earliest(world, &def, &by_oracle, what);
        count_impacts(tally, &by_oracle);
        free_impacts(&by_oracle);
        free_impacts(&by_search);
        dent_world_destroy(world);
    }
    moving_scene_free(&moving);
}

static void the_search_equals_the_oracle_on_random_moving_scenes(void **state)
{
    (void)state;
    dent_context *context = context_with(1, DENT_ISA_AUTO);
    struct tally tally = {0};
    uint64_t seeds = test_count(1, 12, 200);
    for (int kind = 0; kind < SCENE_KIND_COUNT; kind++) {
        for (int motion = 0; motion < MOTION_COUNT; motion++) {
            for (uint64_t seed = 1; seed <= seeds; seed++) {
                compare_scene(context, kind, motion, seed, &tally);
            }
        }
    }
    print_message("%llu scenes, %llu with impacts: %llu impacts, %llu at t = 0, %llu later; %llu vertex-face, %llu edge-edge\n",
                  (unsigned long long)tally.scenes, (unsigned long long)tally.with_impacts, (unsigned long long)tally.impacts,
                  (unsigned long long)tally.at_start, (unsigned long long)tally.later, (unsigned long long)tally.vertex_face,
                  (unsigned long long)tally.edge_edge);
    assert_true(2 * tally.with_impacts >= tally.scenes);
    assert_true(tally.at_start >= 200 && tally.later >= 200 && tally.vertex_face >= 200 && tally.edge_edge >= 200);
    dent_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_search_equals_the_oracle_on_random_moving_scenes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
