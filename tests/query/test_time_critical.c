/* The interruptible search against brute force: whatever the budget, nothing is hidden; bounds never rise; unlimited,
 * it is the oracle; stopping and going on changes nothing. On random scenes of every kind, all pairs of bodies and
 * bodies with themselves.
 */
#include "query/time_critical_truth.h"

static void check_budgets(struct stage *stage, dent_random *random)
{
    dent_time_critical_def def = search_def(stage, random);
    check_all_budgets(stage, &def);
}

static void nothing_is_hidden_for_any_budget_and_bounds_never_rise(void **state)
{
    (void)state;
    for_random_pairs(rounds(24), ELEMENTS_MAX, false, check_budgets, "superset");
}

static void check_touching(struct stage *stage, dent_random *random)
{
    dent_time_critical_def def = search_def(stage, random);
    def.touching = true;
    check_all_budgets(stage, &def);
}

static void touching_pairs_are_found_when_asked_for(void **state)
{
    (void)state;
    for_random_pairs(rounds(10), ELEMENTS_MAX, true, check_touching, "touching");
}

/* ---- stopping and going on --------------------------------------------------------------------------------------- */

static void check_resume(struct stage *stage, dent_random *random)
{
    dent_time_critical_def def = search_def(stage, random);
    dent_time_critical *once, *pieces;
    dent_time_critical_result whole, part;
    assert_int_equal(dent_time_critical_create(stage->context, &def, &once), DENT_OK);
    assert_int_equal(dent_time_critical_create(stage->context, &def, &pieces), DENT_OK);
    for (int step = 0; step < 6; step++) {
        uint64_t total = 0;
        dent_time_critical_begin(pieces, NULL);
        do {
            uint64_t units = dent_random_below(random, 2u << (2 * step));
            total += units;
            assert_int_equal(dent_time_critical_run(pieces, dent_budget_units(units), &part), DENT_OK);
        } while (part.outcome == DENT_OUTCOME_BUDGET_SPENT && dent_random_below(random, 8));
        dent_time_critical_begin(once, NULL);
        assert_int_equal(dent_time_critical_run(once, dent_budget_units(total), &whole), DENT_OK);
        assert_same_lists(&whole, &part);
    }
    assert_int_equal(dent_time_critical_run(pieces, dent_budget_ns(INFINITY), &part), DENT_OK);
    assert_is_truth(stage, &part);
    dent_time_critical_destroy(once);
    dent_time_critical_destroy(pieces);
}

static void stopping_and_going_on_is_the_same_as_one_run(void **state)
{
    (void)state;
    for_random_pairs(rounds(10), ELEMENTS_MAX, false, check_resume, "resume");
}

/* ---- small lists ------------------------------------------------------------------------------------------------- */

static void check_capacity(struct stage *stage, dent_random *random)
{
    dent_time_critical_def def = search_def(stage, random);
    dent_time_critical_result result;
    uint32_t *place_a = places(stage->tree_a), *place_b = places(stage->tree_b);
    def.pending_capacity = dent_random_below(random, 2) ? 1 : 1 + dent_random_below(random, 40);
    def.confirmed_capacity = 1 + dent_random_below(random, 20);
    def.pair_capacity = 1 + dent_random_below(random, 600);
    assert_int_equal(dent_time_critical_create(stage->context, &def, &stage->search), DENT_OK);
    dent_time_critical_begin(stage->search, NULL);
    assert_int_equal(dent_time_critical_run(stage->search, dent_budget_ns(INFINITY), &result), DENT_OK);
    assert_int_equal(hidden_pairs(stage, &result, place_a, place_b), 0);
    assert_true(result.outcome == DENT_OUTCOME_COMPLETE || result.outcome == DENT_OUTCOME_TRUNCATED);
    assert_true(result.outcome == DENT_OUTCOME_COMPLETE ? result.pending_count == 0 : result.pending_count > 0);
    if (result.outcome == DENT_OUTCOME_COMPLETE) {
        assert_is_truth(stage, &result);
    }
    dent_time_critical_destroy(stage->search);
    free(place_a);
    free(place_b);
}

static void nothing_is_hidden_when_lists_are_full(void **state)
{
    (void)state;
    for_random_pairs(rounds(15), ELEMENTS_MAX, false, check_capacity, "capacity");
}

/* A pool of a few hundred entries is enough for any search: when it is nearly full the search goes deep. */
static void a_small_pool_is_enough_for_a_large_search(void **state)
{
    (void)state;
    struct stage stage = {.context = make_context(1, DENT_ISA_AUTO), .body_b = 1};
    dent_random random = dent_random_seeded(5);
    for (int i = 0; i < 2; i++) {
        struct test_body *body = test_add_sheet(&stage.scene, 40, 40);
        for (uint32_t v = 0; v < body->vertex_count; v++) {
            body->xyz[v][2] = dent_random_unit(&random) * 2;
        }
    }
    stage.world = dent_world_create(stage.context);
    assert_int_equal(test_scene_add(&stage.scene, stage.world), DENT_OK);
    find_truth(&stage, false);
    assert_true(stage.true_count > 1000);
    open_trees(&stage, &random);
    for (int order = 0; order < 6; order++) {
        dent_time_critical_def def = search_def(&stage, &random);
        dent_time_critical_result result;
        def.order = (dent_refine_order)order;
        def.pending_capacity = 512;
        assert_int_equal(dent_time_critical_create(stage.context, &def, &stage.search), DENT_OK);
        dent_time_critical_begin(stage.search, NULL);
        assert_int_equal(dent_time_critical_run(stage.search, dent_budget_ns(INFINITY), &result), DENT_OK);
        assert_is_truth(&stage, &result);
        dent_time_critical_destroy(stage.search);
    }
    close_trees(&stage);
    dent_world_destroy(stage.world);
    test_scene_free(&stage.scene);
    dent_context_destroy(stage.context);
}

/* ---- containment ------------------------------------------------------------------------------------------------- */

static uint32_t states_seen[5];

static void check_containment(struct stage *stage, dent_random *random)
{
    if (stage->body_a == stage->body_b) {
        return;
    }
    dent_time_critical_def def = search_def(stage, random);
    dent_time_critical_result result;
    struct component_oracle bodies[2] = {look_at(stage, stage->body_a), look_at(stage, stage->body_b)};
    assert_int_equal(dent_time_critical_create(stage->context, &def, &stage->search), DENT_OK);
    dent_time_critical_begin(stage->search, NULL);
    do {
        assert_int_equal(
            dent_time_critical_run(stage->search, dent_budget_units(dent_random_below(random, 400)), &result), DENT_OK);
        uint32_t pending = 0;
        for (uint32_t i = 0; i < result.component_count; i++) {
            uint32_t state = result.components[i].state, side = result.components[i].side;
            pending += state == DENT_COMPONENT_PENDING;
            dent_component_state truth =
                true_state(stage, &bodies[side], &bodies[1 - side], result.components[i].first_face, side == 1);
            assert_true(state == DENT_COMPONENT_PENDING || state == truth);
            states_seen[state] += result.outcome == DENT_OUTCOME_COMPLETE;
        }
        assert_int_equal(pending, result.components_pending);
    } while (result.outcome == DENT_OUTCOME_BUDGET_SPENT);
    assert_int_equal(result.outcome, DENT_OUTCOME_COMPLETE);
    assert_int_equal(result.components_pending, 0);
    /* All components about a closed other, each once. */
    uint32_t expected = 0;
    for (int side = 0; side < 2; side++) {
        for (uint32_t v = 0; v < bodies[side].vertex_count; v++) {
            bool used = false;
            for (uint32_t f = 0; f < bodies[side].face_count && !used; f++) {
                used = bodies[side].faces[f].corners[0] == v || bodies[side].faces[f].corners[1] == v ||
                       bodies[side].faces[f].corners[2] == v;
            }
            expected += bodies[1 - side].closed && used && bodies[side].number[v] == v;
        }
        free(bodies[side].number);
    }
    assert_int_equal(result.component_count, expected);
    dent_time_critical_destroy(stage->search);
}

static void components_inside_the_other_body_are_found(void **state)
{
    (void)state;
    memset(states_seen, 0, sizeof states_seen);
    for_random_pairs(rounds(20), 250, false, check_containment, "containment");
    print_message("components: %u outside, %u inside, %u crossing, %u on the other's surface\n",
                  states_seen[DENT_COMPONENT_OUTSIDE], states_seen[DENT_COMPONENT_INSIDE],
                  states_seen[DENT_COMPONENT_CROSSING], states_seen[DENT_COMPONENT_ON]);
    assert_true(states_seen[DENT_COMPONENT_INSIDE] > 0 && states_seen[DENT_COMPONENT_OUTSIDE] > 0);
    assert_true(states_seen[DENT_COMPONENT_CROSSING] > 0 && states_seen[DENT_COMPONENT_ON] > 0);
}

/* ---- front reuse ------------------------------------------------------------------------------------------------- */

static uint32_t fronts_used;

static void check_front(struct stage *stage, dent_random *random)
{
    dent_time_critical_def def = search_def(stage, random);
    dent_time_critical_result result;
    const dent_time_critical_start reuse = {.reuse_front = true};
    def.front_capacity = dent_random_below(random, 4) ? 1u << 15 : dent_random_below(random, 200);
    struct test_body *body = &stage->scene.bodies[stage->body_a];
    assert_int_equal(dent_time_critical_create(stage->context, &def, &stage->search), DENT_OK);
    dent_time_critical_begin(stage->search, NULL);
    assert_int_equal(dent_time_critical_run(stage->search, dent_budget_units(dent_random_below(random, 4000)), &result),
                     DENT_OK);
    for (int step = 0; step < 5; step++) {
        double shift = (dent_random_unit(random) - 0.5) * (step < 3 ? 0.05 : 1);
        for (uint32_t v = 0; v < body->vertex_count; v++) {
            body->xyz[v][step % 3] *= 1 + shift;
        }
        assert_int_equal(dent_bound_tree_update(stage->tree_a), DENT_OK);
        if (stage->tree_b != stage->tree_a) {
            assert_int_equal(dent_bound_tree_update(stage->tree_b), DENT_OK);
        }
        free(stage->truth);
        find_truth(stage, false);
        uint32_t *place_a = places(stage->tree_a), *place_b = places(stage->tree_b);
        double error = INFINITY, depth = INFINITY;
        dent_time_critical_begin(stage->search, &reuse);
        for (uint64_t units = 1;; units *= 2) {
            assert_int_equal(dent_time_critical_run(stage->search, dent_budget_units(units), &result), DENT_OK);
            assert_int_equal(hidden_pairs(stage, &result, place_a, place_b), 0);
            assert_true(result.error <= error && result.depth <= depth);
            error = result.error;
            depth = result.depth;
            if (result.outcome != DENT_OUTCOME_BUDGET_SPENT || (step == 1 && units > 64)) {
                break;
            }
        }
        if (step != 1) {
            assert_is_truth(stage, &result);
        }
        fronts_used += result.bound_tests > 0 && result.splits == 0 && result.confirmed_count > 0;
        free(place_a);
        free(place_b);
    }
    dent_time_critical_destroy(stage->search);
}

static void a_search_from_the_last_front_finds_the_same(void **state)
{
    (void)state;
    fronts_used = 0;
    for_random_pairs(rounds(10), 200, false, check_front, "front");
    print_message("searches that needed no split at all: %u\n", fronts_used);
    assert_true(fronts_used > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_hidden_for_any_budget_and_bounds_never_rise),
        cmocka_unit_test(touching_pairs_are_found_when_asked_for),
        cmocka_unit_test(stopping_and_going_on_is_the_same_as_one_run),
        cmocka_unit_test(nothing_is_hidden_when_lists_are_full),
        cmocka_unit_test(a_small_pool_is_enough_for_a_large_search),
        cmocka_unit_test(components_inside_the_other_body_are_found),
        cmocka_unit_test(a_search_from_the_last_front_finds_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
