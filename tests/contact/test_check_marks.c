/* What the penetration check says about single vertices and elements, and how long it says so. */
#include "contact/support_check.h"

/* Marks belong to the bodies that were checked: none are handed out once another is there, or one has new elements. */
static void marks_end_with_the_set_of_bodies(void **state)
{
    (void)state;
    for (int removed = 0; removed < 2; removed++) {
        struct check_world check;
        check_world_open(&check, 1);
        test_add_block(&check.scene, 3, 1, 1);
        test_map(test_add_block(&check.scene, 1, 1, 1), 1, 1, 1, 2.5, 0, 0);
        check_world_run(&check, NULL);
        dent_body_id first = dent_world_body_at(check.world, 0), last = dent_world_body_at(check.world, 1);
        assert_non_null(dent_check_element_marks(check.world, last));
        if (removed) { /* the other's place in the list changes, its id stays */
            assert_int_equal(dent_world_remove_body(check.world, first), DENT_OK);
        } else {
            struct test_scene more = {0};
            test_add_block(&more, 2, 2, 2);
            assert_int_equal(test_scene_add(&more, check.world), DENT_OK);
            dent_body_id added = dent_world_body_at(check.world, 2);
            assert_null(dent_check_element_marks(check.world, added));
            assert_null(dent_check_vertex_marks(check.world, added));
            dent_world_remove_body(check.world, added);
            test_scene_free(&more);
        }
        assert_null(dent_check_element_marks(check.world, last));
        assert_null(dent_check_vertex_marks(check.world, last));
        check_world_close(&check);
    }
}

/* The vertex in the middle of a block is surrounded by its own cells. A splinter of the same body passes through some
 * of these without reaching it: it is inside nothing. */
static void a_vertex_amid_its_own_cells_is_not_inside_its_body(void **state)
{
    (void)state;
    struct check_world check;
    check_world_open(&check, 1);
    struct test_scene parts = {0};
    struct test_body *block = test_add_block(&parts, 2, 2, 2);
    uint32_t vertices = block->vertex_count, cells = block->element_count;
    struct test_body *body =
        test_scene_new_body(&check.scene, DENT_BODY_SOLID, vertices + 4, cells + 1, 4 * (cells + 1));
    memcpy(body->xyz, block->xyz, vertices * sizeof *body->xyz);
    memcpy(body->corners, block->corners, 4 * (size_t)cells * sizeof *body->corners);
    for (uint32_t k = 0; k < 4; k++) { /* near the middle (1, 1, 1), in the cube beyond it */
        for (int axis = 0; axis < 3; axis++) {
            body->xyz[vertices + k][axis] = 1.2 + 0.013 * axis + (k == (uint32_t)axis + 1 ? 0.1 : 0);
        }
        body->corners[4 * cells + k] = vertices + k;
    }
    dent_check_def def = dent_check_def_default();
    def.self = true;
    dent_check_result result = check_world_run(&check, &def);
    assert_int_equal(result.pair_count, 1);
    const uint8_t *marks = dent_check_vertex_marks(check.world, dent_world_body_at(check.world, 0));
    assert_int_equal(marks[13], 0);
    for (uint32_t v = 0; v < vertices + 4; v++) {
        assert_int_equal(marks[v], v >= vertices);
    }
    check_world_close(&check);
    test_scene_free(&parts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(marks_end_with_the_set_of_bodies),
        cmocka_unit_test(a_vertex_amid_its_own_cells_is_not_inside_its_body),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
