/* The interruptible search where magnitudes span the whole range of double: nothing is hidden at any budget, and at the
 * end its pairs are those of brute force and every component is where the winding numbers put it. */
#include "query/time_critical_truth.h"

#include "geometry/metric/bound_volumes.h"
#include "support/wide_scene.h"

/* Every ball holds the vertices below it, and says so in numbers. (A distance that overflows needs an infinite radius.)
 */
static void check_balls(const struct stage *stage, dent_bound_tree *tree, uint32_t body)
{
    const uint32_t *order = dent_bound_tree_face_order(tree);
    uint32_t count;
    const dent_surface_face *faces =
        dent_body_surface_faces(stage->world, dent_world_body_at(stage->world, body), &count);
    for (uint32_t i = 0; i < dent_bound_tree_get_info(tree).nodes; i++) {
        dent_bound_node node = dent_bound_tree_node(tree, i);
        assert_true(node.radius >= 0 && node.error >= 0);
        for (uint32_t k = 0; k < 3 * node.face_count; k++) {
            uint32_t face = order[node.first_face + k / 3];
            const double *p = stage->scene.bodies[body].xyz[faces[face].corners[k % 3]];
            assert_true(distance_below(node.center, p) <= node.radius);
        }
    }
}

static void check_scene(struct stage *stage, struct wide_draw *draw, uint32_t states_seen[5])
{
    dent_time_critical_result result;
    bool touching = dent_random_below(&draw->random, 4) == 0;
    find_truth(stage, touching);
    open_trees(stage, &draw->random);
    dent_time_critical_def def = search_def(stage, &draw->random);
    def.touching = touching;
    check_balls(stage, stage->tree_a, stage->body_a);
    check_balls(stage, stage->tree_b, stage->body_b);
    check_all_budgets(stage, &def);
    assert_int_equal(dent_time_critical_create(stage->context, &def, &stage->search), DENT_OK);
    dent_time_critical_begin(stage->search, NULL);
    assert_int_equal(dent_time_critical_run(stage->search, dent_budget_units(UINT64_MAX), &result), DENT_OK);
    assert_int_equal(result.components_pending, 0);
    assert_components_are_true(stage, &result, states_seen);
    dent_time_critical_destroy(stage->search);
    close_trees(stage);
}

static void the_promises_hold_at_every_magnitude(void **state)
{
    (void)state;
    struct wide_contexts contexts = wide_contexts_open();
    uint64_t scenes = test_count(100, 2000, 20000), with_pairs = 0;
    uint32_t states_seen[5] = {0};
    for (uint64_t seed = 1; seed <= scenes; seed++) {
        struct wide_draw draw = wide_draw_make(seed, 4);
        struct stage stage = {.context = contexts.at[seed % contexts.count], .body_b = 1};
        wide_scene_make(&draw, &stage.scene, seed % 2 == 0);
        stage.world = dent_world_create(stage.context);
        assert_int_equal(test_scene_add(&stage.scene, stage.world), DENT_OK);
        check_scene(&stage, &draw, states_seen);
        with_pairs += stage.true_count > 0;
        dent_world_destroy(stage.world);
        test_scene_free(&stage.scene);
    }
    print_message("%llu scenes, %llu with crossing faces; components: %u outside, %u inside, %u crossing, %u on\n",
                  (unsigned long long)scenes, (unsigned long long)with_pairs, states_seen[DENT_COMPONENT_OUTSIDE],
                  states_seen[DENT_COMPONENT_INSIDE], states_seen[DENT_COMPONENT_CROSSING],
                  states_seen[DENT_COMPONENT_ON]);
    assert_true(2 * with_pairs >= scenes && states_seen[DENT_COMPONENT_INSIDE] > 0);
    wide_contexts_close(&contexts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_promises_hold_at_every_magnitude),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
