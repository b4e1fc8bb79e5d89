/* Impacts with a minimum separation: nothing is missed, what is reported beyond is bounded, never a time of zero for a
 * start that is far enough; the search equals the oracle. */
#include "query/support_impact.h"

static dent_context *context;

static int open_context(void **state)
{
    (void)state;
    dent_context_def def = dent_context_def_default();
    def.thread_count = 2;
    context = dent_context_create(&def, NULL);
    return context ? 0 : -1;
}

static int close_context(void **state)
{
    (void)state;
    dent_context_destroy(context);
    return 0;
}

static struct impact_list near_by(dent_world *world, double separation, dent_method method)
{
    dent_impact_def def = dent_impact_def_default();
    def.separation = separation;
    def.method = method;
    return ask_impacts(world, &def);
}

static const dent_impact *find_pair(const struct impact_list *list, const dent_impact *pair)
{
    for (uint64_t i = 0; i < list->count; i++) {
        if (same_pair(&list->impacts[i], pair)) {
            return &list->impacts[i];
        }
    }
    return NULL;
}

static uint64_t scene_count(void)
{
    return test_count(30, 300, 10000);
}

static double separation_of(const struct moving_scene *moving, uint64_t seed)
{
    static const double parts[4] = {0.01, 0.125, 1e-6, 0.5};
    double size = scene_size(&moving->scene);
    return (size > 0 ? size : 1) * parts[seed % 4];
}

static void the_search_equals_the_oracle(void **state)
{
    (void)state;
    uint64_t found = 0;
    for (uint64_t seed = 1; seed <= scene_count(); seed++) {
        struct moving_scene moving;
        small_scene_make(&moving, seed);
        dent_world *world = moving_scene_world(&moving, context);
        double separation = separation_of(&moving, seed);
        struct impact_list oracle = near_by(world, separation, DENT_METHOD_BRUTE_FORCE);
        struct impact_list search = near_by(world, separation, DENT_METHOD_SURFACE_TREE);
        assert_same_impacts(&oracle, &search, "separation");
        dent_impact_def def = dent_impact_def_default();
        dent_earliest_impact earliest;
        const dent_impact *first = NULL;
        for (uint64_t i = 0; i < oracle.count; i++) {
            first = !first || oracle.impacts[i].toi < first->toi ? &oracle.impacts[i] : first;
        }
        def.separation = separation;
        assert_int_equal(dent_world_earliest_impact(world, &def, &earliest), DENT_OK);
        assert_true(earliest.found == (first != NULL) && (!first || earliest.impact.toi == first->toi));
        found += oracle.count;
        free_impacts(&oracle);
        free_impacts(&search);
        dent_world_destroy(world);
        moving_scene_free(&moving);
    }
    print_message("%llu pairs\n", (unsigned long long)found);
    assert_true(found > 200);
}

/* Coordinates and separation are a few steps of the subnormal grid, where halves are rounded. */
static void the_search_equals_the_oracle_among_subnormals(void **state)
{
    (void)state;
    uint64_t found = 0;
    for (uint64_t seed = 1; seed <= scene_count(); seed++) {
        struct moving_scene moving;
        small_scene_make(&moving, seed);
        double size = scene_size(&moving.scene), steps = 4 + (double)(seed % 60);
        for (uint32_t b = 0; b < moving.scene.body_count; b++) {
            for (uint32_t i = 0; i < 3 * moving.scene.bodies[b].vertex_count; i++) {
                double *x[2] = {&moving.scene.bodies[b].xyz[i / 3][i % 3],
                                moving.end[b] ? &moving.end[b][i / 3][i % 3] : NULL};
                for (int end = 0; end < 2 && x[end]; end++) {
                    *x[end] = ldexp(rint(size > 0 ? *x[end] / size * steps : 0), -1074);
                }
            }
        }
        dent_world *world = moving_scene_world(&moving, context);
        double separation = ldexp(1 + (double)(seed % 4), -1074);
        struct impact_list oracle = near_by(world, separation, DENT_METHOD_BRUTE_FORCE);
        struct impact_list search = near_by(world, separation, DENT_METHOD_SURFACE_TREE);
        assert_same_impacts(&oracle, &search, "subnormals");
        found += oracle.count;
        free_impacts(&oracle);
        free_impacts(&search);
        dent_world_destroy(world);
        moving_scene_free(&moving);
    }
    print_message("%llu pairs\n", (unsigned long long)found);
    assert_true(found > 200);
}

static void impacts_are_among_them_and_not_earlier(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= scene_count(); seed++) {
        struct moving_scene moving;
        small_scene_make(&moving, seed);
        dent_world *world = moving_scene_world(&moving, context);
        double separation = separation_of(&moving, seed);
        struct impact_list exact = impacts_by(world, DENT_METHOD_AUTO);
        struct impact_list close = near_by(world, separation, DENT_METHOD_AUTO);
        struct impact_list closer = near_by(world, separation / 2, DENT_METHOD_AUTO);
        for (uint64_t i = 0; i < exact.count; i++) {
            const dent_impact *near = find_pair(&close, &exact.impacts[i]);
            assert_non_null(near);
            assert_true(near->toi <= exact.impacts[i].toi);
        }
        for (uint64_t i = 0; i < closer.count; i++) {
            assert_non_null(find_pair(&close, &closer.impacts[i])); /* 1 + 2^-10 is below 2 */
        }
        free_impacts(&exact);
        free_impacts(&close);
        free_impacts(&closer);
        dent_world_destroy(world);
        moving_scene_free(&moving);
    }
}

/* The distance at t0 by the question proximity; infinite when it is above the limit. */
static double start_distance(const dent_proximity_result *near, const dent_impact *impact)
{
    for (uint64_t i = 0; i < near->count; i++) {
        const dent_proximity *pair = &near->pairs[i];
        if (pair->kind == impact->kind && pair->body_a == impact->body_a && pair->feature_a == impact->feature_a &&
            pair->body_b == impact->body_b && pair->feature_b == impact->feature_b) {
            return pair->distance;
        }
    }
    return INFINITY;
}

static void a_start_that_is_far_enough_has_no_time_of_zero_and_a_near_one_has(void **state)
{
    (void)state;
    uint64_t at_zero = 0, later = 0;
    for (uint64_t seed = 1; seed <= scene_count(); seed++) {
        struct moving_scene moving;
        small_scene_make(&moving, seed);
        dent_world *world = moving_scene_world(&moving, context);
        double separation = separation_of(&moving, seed);
        struct impact_list close = near_by(world, separation, DENT_METHOD_AUTO);
        dent_proximity_def def = dent_proximity_def_default();
        dent_proximity_result near;
        def.thickness = separation;
        assert_int_equal(dent_world_proximity(world, &def, &near), DENT_OK);
        for (uint64_t i = 0; i < close.count; i++) {
            double distance = start_distance(&near, &close.impacts[i]);
            if (close.impacts[i].toi == 0) {
                at_zero++;
                assert_true(distance <= separation * (1 + 1e-9));
            } else {
                later++;
                assert_true(distance >= separation * (1 - 1e-9));
            }
        }
        for (uint64_t i = 0; i < near.count; i++) { /* nothing that is near at the start is missed */
            const dent_proximity *pair = &near.pairs[i];
            dent_impact impact = {.kind = pair->kind,
                                  .body_a = pair->body_a,
                                  .feature_a = pair->feature_a,
                                  .body_b = pair->body_b,
                                  .feature_b = pair->feature_b};
            if (pair->distance <= separation * (1 - 1e-9) && !find_pair(&close, &impact)) {
                print_impact("near at the start and not found:", &impact);
                fail_msg("scene %llu, separation %.17g, distance %.17g", (unsigned long long)seed, separation,
                         pair->distance);
            }
        }
        free_impacts(&close);
        dent_world_destroy(world);
        moving_scene_free(&moving);
    }
    print_message("%llu at zero, %llu later\n", (unsigned long long)at_zero, (unsigned long long)later);
    assert_true(at_zero > 100 && later > 100);
}

/* A small triangle above a large one of another body: its height at both ends, and how far beside it begins. */
static void add_falling_pair(struct moving_scene *moving, double x, double y, const double heights[2], double beside)
{
    static const double corners[3][2] = {{-0.4, -0.4}, {0.4, -0.4}, {0, 0.4}};
    for (int upper = 0; upper < 2; upper++) {
        uint32_t b = moving->scene.body_count;
        struct test_body *body = test_scene_new_body(&moving->scene, DENT_BODY_SURFACE, 3, 1, 3);
        moving->end[b] = test_allocate(3, sizeof *body->xyz);
        for (uint32_t v = 0; v < 3; v++) {
            double size = upper ? 0.1 : 1;
            body->corners[v] = v;
            body->xyz[v][0] = x + size * corners[v][0] - (upper ? beside : 0);
            moving->end[b][v][0] = x + size * corners[v][0];
            body->xyz[v][1] = moving->end[b][v][1] = y + size * corners[v][1];
            body->xyz[v][2] = upper ? heights[0] + 0.05 * v : 0;
            moving->end[b][v][2] = upper ? heights[1] + 0.05 * v : 0;
        }
    }
}

/* A pair that slides over a face at a little more than the separation is reported as soon as it is above it, long
 * before it is as near as the separation. Others come that near in between: none of them may hide it from the search
 * for the earliest, whichever is found first. */
static void the_earliest_is_that_of_the_list_when_a_pair_is_within_the_tolerance(void **state)
{
    (void)state;
    const double separation = 0.5, falling[2] = {1.2, 0.2}, sliding[2] = {0.5 * (1 + 0x1p-11), 0.49994};
    struct moving_scene moving;
    memset(&moving, 0, sizeof moving);
    for (uint32_t i = 0; i < TEST_BODIES_MAX / 2; i++) {
        bool last = i == TEST_BODIES_MAX / 2 - 1;
        add_falling_pair(&moving, 3.0 * (i % 5), 3.0 * (i / 5), last ? sliding : falling, last ? 0.6 : 0);
    }
    dent_impact_def def = dent_impact_def_default();
    def.separation = separation;
    for (uint32_t threads = 1; threads <= 3; threads++) {
        dent_context *own = test_context(threads, DENT_ISA_AUTO);
        dent_world *world = moving_scene_world(&moving, own);
        struct impact_list all = ask_impacts(world, &def);
        dent_earliest_impact earliest;
        const dent_impact *first = NULL;
        for (uint64_t i = 0; i < all.count; i++) {
            first = !first || all.impacts[i].toi < first->toi ? &all.impacts[i] : first;
        }
        assert_int_equal(dent_world_earliest_impact(world, &def, &earliest), DENT_OK);
        assert_true(earliest.found && first && first->body_b >= TEST_BODIES_MAX - 2);
        assert_true(same_impact(first, &earliest.impact));
        free_impacts(&all);
        dent_world_destroy(world);
        dent_context_destroy(own);
    }
    moving_scene_free(&moving);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_search_equals_the_oracle),
        cmocka_unit_test(the_search_equals_the_oracle_among_subnormals),
        cmocka_unit_test(impacts_are_among_them_and_not_earlier),
        cmocka_unit_test(a_start_that_is_far_enough_has_no_time_of_zero_and_a_near_one_has),
        cmocka_unit_test(the_earliest_is_that_of_the_list_when_a_pair_is_within_the_tolerance),
    };
    return cmocka_run_group_tests(tests, open_context, close_context);
}
