/* Strands in a world: what the discrete questions say about them, and which calls refuse them, in words. */
#include "support/pair_lists.h"
#include "support/random_scene.h"
#include "support/test_context.h"

#include <dent/experimental.h>

enum { STRANDS = 12, VERTICES = 8 * STRANDS };

/* Curls of eight vertices through the cube [0, 4]^3. */
static void draw_strands(uint64_t seed, double (*xyz)[3], uint32_t *first)
{
    dent_random random = dent_random_seeded(seed);
    for (uint32_t strand = 0; strand <= STRANDS; strand++) {
        first[strand] = 8 * strand;
    }
    for (uint32_t vertex = 0; vertex < VERTICES; vertex++) {
        for (int axis = 0; axis < 3; axis++) {
            double step = dent_random_unit(&random) - 0.3;
            xyz[vertex][axis] = vertex % 8 == 0 ? 4 * dent_random_unit(&random) : xyz[vertex - 1][axis] + step;
        }
    }
}

static dent_world *world_with_strands(dent_context *context, const struct test_scene *scene, const double (*xyz)[3],
                                      const uint32_t *first)
{
    dent_world *world = dent_world_create(context);
    dent_body_id id;
    dent_body_def def = dent_strands_def_default();
    def.vertex_count = VERTICES;
    def.strand_count = STRANDS;
    def.first = first;
    def.thickness = 0.05;
    def.positions_t0 = dent_positions_double(xyz[0]);
    assert_non_null(world);
    assert_int_equal(test_scene_add(scene, world), DENT_OK);
    assert_int_equal(dent_world_add_body(world, &def, &id), DENT_OK);
    return world;
}

static void every_method_finds_strand_vertices_inside_solids(void **state)
{
    uint64_t found = 0;
    for (uint64_t seed = 0; seed < test_rounds(100); seed++) {
        struct test_scene scene;
        double xyz[VERTICES][3];
        uint32_t first[STRANDS + 1];
        test_scene_make(&scene, seed % 2 ? SCENE_DEEP : SCENE_MIXED, seed);
        draw_strands(seed, xyz, first);
        dent_world *world = world_with_strands(*state, &scene, (const double(*)[3])xyz, first);
        dent_world *reference = world_with_strands(*state, &scene, (const double(*)[3])xyz, first);
        dent_query_def def = dent_query_def_default();
        dent_query_result expected, got;
        def.questions = DENT_DISCRETE_QUESTIONS;
        def.touching = seed % 3 == 0;
        def.method = DENT_METHOD_BRUTE_FORCE;
        assert_int_equal(dent_world_query(reference, &def, &expected), DENT_OK);
        for (uint64_t i = 0; i < expected.vertex_cell.count; i++) {
            found += expected.vertex_cell.pairs[i].body_a == scene.body_count;
        }
        for (int method = 0; method < DENT_METHOD_COUNT; method++) {
            def.method = (dent_method)method;
            def.questions = dent_method_questions(def.method);
            if (def.questions) {
                assert_int_equal(dent_world_query(world, &def, &got), DENT_OK);
                assert_same_lists(&expected, &got, def.questions);
            }
        }
        dent_world_destroy(world);
        dent_world_destroy(reference);
        test_scene_free(&scene);
    }
    printf("%llu strand vertices inside cells\n", (unsigned long long)found);
    assert_true(found >= test_count(1, 20, 20)); /* quick runs draw few scenes */
}

static void calls_that_take_no_strands_say_so(void **state)
{
    struct test_scene scene;
    double xyz[VERTICES][3];
    uint32_t first[STRANDS + 1];
    test_scene_make(&scene, SCENE_SURFACES, 1);
    draw_strands(1, xyz, first);
    dent_world *world = world_with_strands(*state, &scene, (const double(*)[3])xyz, first);
    dent_bound_tree_def tree_def = dent_bound_tree_def_default();
    dent_bound_tree *tree = NULL;
    dent_body_id strands = dent_world_body_at(world, scene.body_count);
    assert_int_equal(dent_bound_tree_create(world, strands, &tree_def, &tree), DENT_ERROR_UNSUPPORTED);
    assert_non_null(strstr(dent_world_message(world), "strands"));
    dent_motion_impact_def motion_def = dent_motion_impact_def_default();
    dent_motion_impact_result motion;
    assert_int_equal(dent_world_motion_impact(world, &motion_def, &motion), DENT_ERROR_UNSUPPORTED);
    assert_non_null(strstr(dent_world_message(world), "has strands, a motion query takes none"));
    motion_def.ignore_thin = true;
    assert_int_equal(dent_world_motion_impact(world, &motion_def, &motion), DENT_OK);
    dent_world_destroy(world);
    test_scene_free(&scene);
}

static void a_radius_per_vertex_is_not_overwritten_by_one_for_all(void **state)
{
    const uint32_t first[2] = {0, 2};
    const double xyz[2][3] = {{0, 0, 0}, {1, 0, 0}}, radii[2] = {1, 2};
    dent_world *world = dent_world_create(*state);
    dent_body_def def = dent_strands_def_default();
    dent_body_id id;
    def.vertex_count = 2;
    def.strand_count = 1;
    def.first = first;
    def.positions_t0 = dent_positions_double(xyz[0]);
    assert_int_equal(dent_world_add_body(world, &def, &id), DENT_OK);
    assert_int_equal(dent_body_set_thickness(world, id, 0.5), DENT_OK);
    def.radii = radii;
    assert_int_equal(dent_body_set_topology(world, id, &def), DENT_OK);
    assert_int_equal(dent_body_set_thickness(world, id, 0.5), DENT_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(dent_world_message(world), "a radius for each vertex"));
    dent_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_finds_strand_vertices_inside_solids),
        cmocka_unit_test(calls_that_take_no_strands_say_so),
        cmocka_unit_test(a_radius_per_vertex_is_not_overwritten_by_one_for_all),
    };
    return cmocka_run_group_tests(tests, test_open_context_of_two, test_close_context);
}
