/* What a caller attaches to bodies and reads back: user pointers, ids by body index, messages. */
#include "support/cmocka_includes.h"
#include "support/failing_allocator.h"

#include <dent/dent.h>

#include <math.h>
#include <string.h>

static const double corners_of_tet[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
static const uint32_t tet[4] = {0, 1, 2, 3};

static dent_body_def tet_def(void *user)
{
    dent_body_def def = dent_solid_def_default();
    def.vertex_count = 4, def.element_count = 1, def.element_corners = tet;
    def.positions_t0 = dent_positions_double(corners_of_tet[0]);
    def.user = user;
    return def;
}

static void a_body_keeps_its_user_pointer(void **state)
{
    (void)state;
    dent_context *context = dent_context_create(NULL, NULL);
    dent_world *world = dent_world_create(context);
    int things[3];
    dent_body_id ids[3];
    for (int i = 0; i < 3; i++) {
        dent_body_def def = tet_def(i == 1 ? NULL : &things[i]);
        assert_int_equal(dent_world_add_body(world, &def, &ids[i]), DENT_OK);
    }
    assert_ptr_equal(dent_body_user(world, ids[0]), &things[0]);
    assert_null(dent_body_user(world, ids[1]));
    assert_int_equal(dent_body_set_user(world, ids[1], &things[1]), DENT_OK);
    assert_ptr_equal(dent_world_user_at(world, 1), &things[1]);
    dent_body_def other = tet_def(&things[0]);
    assert_int_equal(dent_body_set_topology(world, ids[2], &other), DENT_OK);
    assert_ptr_equal(dent_body_user(world, ids[2]), &things[0]);
    assert_int_equal(dent_world_remove_body(world, ids[0]), DENT_OK);
    assert_null(dent_body_user(world, ids[0]));
    assert_int_equal(dent_body_set_user(world, ids[0], &things[0]), DENT_ERROR_STALE_ID);
    assert_ptr_equal(dent_world_user_at(world, 0), &things[1]);
    assert_null(dent_world_user_at(world, 2));
    dent_body_def again = tet_def(NULL); /* takes the slot of the removed one */
    assert_int_equal(dent_world_add_body(world, &again, &ids[0]), DENT_OK);
    assert_null(dent_body_user(world, ids[0]));
    dent_world_destroy(world);
    dent_context_destroy(context);
}

static void ids_by_body_index_are_those_of_the_bodies(void **state)
{
    (void)state;
    dent_context *context = dent_context_create(NULL, NULL);
    dent_world *world = dent_world_create(context);
    dent_random random = dent_random_seeded(4);
    dent_body_id expected[40];
    uint32_t count = 0, most = 0;
    for (int step = 0; step < 500; step++) {
        uint32_t at = count ? dent_random_below(&random, count) : 0, listed = 77;
        if (count == 40 || (count > 0 && dent_random_below(&random, 5) < 2)) {
            assert_int_equal(dent_world_remove_body(world, expected[at]), DENT_OK);
            memmove(&expected[at], &expected[at + 1], (--count - at) * sizeof *expected);
        } else {
            dent_body_def def = tet_def(NULL);
            assert_int_equal(dent_world_add_body(world, &def, &expected[count++]), DENT_OK);
        }
        const dent_body_id *ids = dent_world_body_ids(world, &listed);
        assert_int_equal(listed, count);
        for (uint32_t i = 0; i < count; i++) {
            assert_true(dent_body_id_equal(ids[i], expected[i]));
            assert_true(dent_body_id_equal(dent_world_body_at(world, i), expected[i]));
            assert_int_equal(dent_body_index(world, expected[i]), i);
        }
        most = count > most ? count : most;
    }
    assert_true(most > 20);
    dent_world_destroy(world);
    dent_context_destroy(context);
}

static void the_context_has_the_last_message_of_everything(void **state)
{
    (void)state;
    dent_context *context = dent_context_create(NULL, NULL);
    dent_world *worlds[2] = {dent_world_create(context), dent_world_create(context)};
    char text[1024];
    dent_body_def def = tet_def(NULL);
    dent_body_id id;
    def.element_corners = (const uint32_t[4]){0, 1, 2, 9};
    for (int i = 0; i < 2; i++) {
        def.name = i ? "second" : "first";
        assert_int_equal(dent_world_add_body(worlds[i], &def, &id), DENT_ERROR_BAD_MESH);
        dent_context_message(context, text, sizeof text);
        assert_string_equal(text, dent_world_message(worlds[i]));
        assert_non_null(strstr(text, def.name));
    }
    assert_non_null(strstr(dent_world_message(worlds[0]), "first")); /* each world has its own, too */
    assert_int_equal(dent_world_query(worlds[0], NULL, NULL), DENT_ERROR_INVALID_ARGUMENT);
    dent_context_message(context, text, sizeof text);
    assert_string_equal(text, dent_world_message(worlds[0]));
    assert_int_equal(dent_fail(context, DENT_ERROR_FILE, "a file"), DENT_ERROR_FILE);
    dent_context_message(context, text, sizeof text);
    assert_string_equal(text, "a file");
    dent_world_destroy(worlds[0]);
    dent_world_destroy(worlds[1]);
    dent_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_body_keeps_its_user_pointer),
        cmocka_unit_test(ids_by_body_index_are_those_of_the_bodies),
        cmocka_unit_test(the_context_has_the_last_message_of_everything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
