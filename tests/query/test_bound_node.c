/* What dent_bound_tree_node and _slabs say of a node: its ball, box and slabs hold all its faces, wherever the body
 * lies, and slabs are not wider than they need be. */
#include "support/cmocka_includes.h"

#include "support/random_scene.h"
#include "support/random_surface.h"

static void check_tree(const struct test_body *body, dent_bound_tree *tree)
{
    dent_bound_tree_info facts = dent_bound_tree_get_info(tree);
    const uint32_t *order = dent_bound_tree_face_order(tree);
    for (uint32_t n = 0; n < facts.nodes; n++) {
        dent_bound_node node = dent_bound_tree_node(tree, n);
        for (uint32_t k = 0; k < 3 * node.face_count; k++) {
            const double *p = body->xyz[body->corners[3 * (size_t)order[node.first_face + k / 3] + k % 3]];
            /* Differences are exact or nearly so: both points lie close together, far from the origin. */
            long double square = 0;
            for (int axis = 0; axis < 3; axis++) {
                long double way = (long double)p[axis] - (long double)node.center[axis];
                square += way * way;
            }
            assert_true(square <= (long double)node.radius * (long double)node.radius);
        }
    }
}

static void balls_of_nodes_hold_their_faces_far_from_the_origin(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(11);
    dent_context *context = dent_context_create(NULL, NULL);
    for (int round = 0; round < 60; round++) {
        dent_world *world = dent_world_create(context);
        struct test_scene scene = {0};
        struct test_body *body = &scene.bodies[scene.body_count++];
        *body = surface_closed(&random, 200);
        double shift = round % 5 == 0 ? 0 : pow(10, 1 + round % 5 * 3.5);
        for (uint32_t v = 0; v < 3 * body->vertex_count; v++) {
            body->xyz[v / 3][v % 3] += shift * (1 + v % 3);
        }
        assert_int_equal(test_scene_add(&scene, world), DENT_OK);
        for (int kind = 0; kind < 2; kind++) {
            dent_bound_tree_def def = dent_bound_tree_def_default();
            dent_bound_tree *tree;
            def.kind = kind ? DENT_BOUND_BOXES : DENT_BOUND_SPHERES;
            assert_int_equal(dent_bound_tree_create(world, dent_world_body_at(world, 0), &def, &tree), DENT_OK);
            check_tree(body, tree);
            dent_bound_tree_destroy(tree);
        }
        dent_world_destroy(world);
        test_scene_free(&scene);
    }
    dent_context_destroy(context);
}

/* Every slab of every node: its ends are those of its vertices, but for rounding outward. */
static void check_slabs(const struct test_body *body, dent_bound_tree *tree, uint32_t expected)
{
    dent_bound_tree_info facts = dent_bound_tree_get_info(tree);
    const uint32_t *order = dent_bound_tree_face_order(tree);
    for (uint32_t n = 0; n < facts.nodes; n++) {
        dent_bound_slab slabs[DENT_BOUND_SLABS_MAX];
        dent_bound_node node = dent_bound_tree_node(tree, n);
        assert_int_equal(dent_bound_tree_slabs(tree, n, slabs), expected);
        for (uint32_t s = 0; s < expected; s++) {
            long double lo = INFINITY, hi = -INFINITY, size = 0;
            for (uint32_t k = 0; k < 3 * node.face_count; k++) {
                const double *p = body->xyz[body->corners[3 * (size_t)order[node.first_face + k / 3] + k % 3]];
                long double sum = 0;
                for (int axis = 0; axis < 3; axis++) {
                    sum += (long double)slabs[s].direction[axis] * (long double)p[axis];
                    size = fabsl((long double)p[axis]) > size ? fabsl((long double)p[axis]) : size;
                }
                lo = sum < lo ? sum : lo;
                hi = sum > hi ? sum : hi;
            }
            assert_true((long double)slabs[s].lo <= lo && lo - (long double)slabs[s].lo <= size * 0x1p-48L);
            assert_true((long double)slabs[s].hi >= hi && (long double)slabs[s].hi - hi <= size * 0x1p-48L);
        }
    }
}

static void slabs_of_nodes_hold_their_faces_closely_and_differ_in_direction(void **state)
{
    (void)state;
    static const dent_bound_kind kinds[4] = {DENT_BOUND_SPHERES, DENT_BOUND_BOXES, DENT_BOUND_DOP14, DENT_BOUND_DOP18};
    static const uint32_t expected[4] = {0, 3, 7, 9};
    dent_random random = dent_random_seeded(12);
    dent_context *context = dent_context_create(NULL, NULL);
    for (int round = 0; round < 12; round++) {
        dent_world *world = dent_world_create(context);
        struct test_scene scene = {0};
        struct test_body *body = &scene.bodies[scene.body_count++];
        *body = surface_closed(&random, 200);
        assert_int_equal(test_scene_add(&scene, world), DENT_OK);
        for (int kind = 0; kind < 4; kind++) {
            dent_bound_slab slabs[DENT_BOUND_SLABS_MAX];
            dent_bound_tree_def def = dent_bound_tree_def_default();
            dent_bound_tree *tree;
            def.kind = kinds[kind];
            assert_int_equal(dent_bound_tree_create(world, dent_world_body_at(world, 0), &def, &tree), DENT_OK);
            check_slabs(body, tree, expected[kind]);
            uint32_t count = dent_bound_tree_slabs(tree, 0, slabs);
            for (uint32_t i = 0; i < count; i++) {
                for (uint32_t k = 0; k < i; k++) {
                    assert_memory_not_equal(slabs[i].direction, slabs[k].direction, sizeof slabs[i].direction);
                }
            }
            dent_bound_tree_destroy(tree);
        }
        dent_world_destroy(world);
        test_scene_free(&scene);
    }
    dent_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balls_of_nodes_hold_their_faces_far_from_the_origin),
        cmocka_unit_test(slabs_of_nodes_hold_their_faces_closely_and_differ_in_direction)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
