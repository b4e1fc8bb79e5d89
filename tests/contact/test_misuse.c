/* Misuse that used to go unnoticed: hooks that do not run every block once, ids of another world, impacts asked for
 * where nothing moves, bodies without elements, and messages that a caller cannot use. */
#include "support/cmocka_includes.h"

#include "support/random_scene.h"
#include "support/test_context.h"

#include <dent/contact.h>

#include <string.h>

enum fault { FAITHFUL, SKIPS, REPEATS, NO_SUCH_WORKER, NO_SUCH_BLOCK };

static void run_badly(void *user, uint32_t block_count, dent_block_function *function, void *data)
{
    enum fault fault = *(const enum fault *)user;
    for (uint32_t block = fault == SKIPS; block < block_count; block++) {
        function(data, block, fault == NO_SUCH_WORKER && block == 1 ? 1000000 : 0);
        if (fault == REPEATS) {
            function(data, block, 1);
        }
    }
    if (fault == NO_SUCH_BLOCK) {
        function(data, block_count, 0);
    }
}

static void count_block(void *data, uint32_t block, uint32_t worker)
{
    ((uint32_t *)data)[block] += worker < 3 ? 1 : 1000;
}

static dent_context *context_with(enum fault *fault)
{
    dent_context_def def = dent_context_def_default();
    def.parallel = (dent_parallel){run_badly, 3, fault};
    dent_context *context = dent_context_create(&def, NULL);
    assert_non_null(context);
    return context;
}

static void a_hook_that_skips_or_repeats_blocks_or_invents_workers_is_a_status_and_every_block_runs_once(void **state)
{
    (void)state;
    enum { BLOCKS = 40000 };
    static uint32_t counts[BLOCKS];
    for (int fault = FAITHFUL; fault <= NO_SUCH_BLOCK; fault++) {
        enum fault kind = (enum fault)fault;
        dent_context *context = context_with(&kind);
        memset(counts, 0, sizeof counts);
        dent_status status = dent_parallel_for(context, BLOCKS, count_block, counts);
        assert_int_equal(status, fault == FAITHFUL ? DENT_OK : DENT_ERROR_INVALID_ARGUMENT);
        for (uint32_t block = 0; block < BLOCKS; block++) {
            assert_int_equal(counts[block], 1);
        }
        dent_context_destroy(context);
    }
}

static const double low[4][3] = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {0, 0, 4}};
static const double poking[4][3] = {{1, 1, 1}, {9, 1, 1}, {1, 9, 1}, {1, 1, 9}};

static void a_query_on_such_threads_is_refused_with_the_reason_and_right_once_they_behave(void **state)
{
    (void)state;
    enum fault kind = SKIPS;
    dent_context *context = context_with(&kind);
    dent_world *world = dent_world_create(context);
    dent_query_def def = dent_query_def_default();
    dent_query_result result = {0};
    uint32_t dummy[4] = {0};
    def.questions = DENT_QUESTION_VERTEX_CELL;
    test_add_tetrahedron(world, low);
    test_add_tetrahedron(world, poking);
    dent_parallel_for(context, 4, count_block, dummy); /* a loop of a client, whose status is not looked at */
    assert_int_equal(dent_world_query(world, &def, &result), DENT_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(dent_world_message(world), "parallel.run"));
    kind = FAITHFUL;
    assert_int_equal(dent_world_query(world, &def, &result), DENT_OK);
    assert_int_equal(result.vertex_cell.count, 1);
    dent_world_destroy(world);
    dent_context_destroy(context);
}

static void an_id_of_another_world_of_the_context_is_stale(void **state)
{
    (void)state;
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    dent_world *worlds[2] = {dent_world_create(context), dent_world_create(context)};
    test_add_tetrahedron(worlds[0], low);
    test_add_tetrahedron(worlds[1], low);
    dent_body_id id = dent_world_body_at(worlds[0], 0);
    assert_true(dent_world_has_body(worlds[0], id));
    assert_false(dent_world_has_body(worlds[1], id));
    assert_int_equal(dent_world_remove_body(worlds[1], id), DENT_ERROR_STALE_ID);
    assert_non_null(strstr(dent_world_message(worlds[1]), "world"));
    assert_int_equal(dent_world_body_count(worlds[1]), 1);
    dent_world_destroy(worlds[0]);
    dent_world_destroy(worlds[1]);
    dent_context_destroy(context);
}

static void impacts_of_bodies_that_all_stand_still_are_refused(void **state)
{
    (void)state;
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    dent_world *world = dent_world_create(context);
    dent_contacts_def def = dent_contacts_def_default();
    dent_contacts result;
    def.impact = true;
    test_add_tetrahedron(world, low);
    test_add_tetrahedron(world, poking);
    assert_int_equal(dent_world_find_contacts(world, &def, &result), DENT_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(dent_world_message(world), "t1"));
    dent_positions t0 = dent_positions_double(low[0]), t1 = dent_positions_double(poking[0]);
    assert_int_equal(dent_body_set_positions(world, dent_world_body_at(world, 0), &t0, &t1), DENT_OK);
    assert_int_equal(dent_world_find_contacts(world, &def, &result), DENT_OK);
    dent_world_destroy(world);
    dent_context_destroy(context);
}

static void keep_line(void *user, dent_log_level level, const char *text)
{
    (void)level;
    strncat(user, text, 200);
}

static void a_body_without_elements_is_said_to_be_one(void **state)
{
    (void)state;
    char lines[1024] = "";
    dent_context_def def = dent_context_def_default();
    def.log = (dent_log){keep_line, lines};
    dent_context *context = dent_context_create(&def, NULL);
    dent_world *world = dent_world_create(context);
    dent_body_def body = dent_surface_def_default();
    dent_body_id id;
    body.name = "nothing";
    assert_int_equal(dent_world_add_body(world, &body, &id), DENT_OK);
    assert_non_null(strstr(lines, "nothing"));
    dent_world_destroy(world);
    dent_context_destroy(context);
}

static void messages_about_questions_name_the_constants(void **state)
{
    (void)state;
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    dent_world *world = dent_world_create(context);
    dent_query_def def = dent_query_def_default();
    dent_query_result result;
    def.questions = 0;
    assert_int_equal(dent_world_query(world, &def, &result), DENT_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(dent_world_message(world), "DENT_QUESTION_FACE_CELL"));
    dent_world_destroy(world);
    dent_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hook_that_skips_or_repeats_blocks_or_invents_workers_is_a_status_and_every_block_runs_once),
        cmocka_unit_test(a_query_on_such_threads_is_refused_with_the_reason_and_right_once_they_behave),
        cmocka_unit_test(an_id_of_another_world_of_the_context_is_stale),
        cmocka_unit_test(impacts_of_bodies_that_all_stand_still_are_refused),
        cmocka_unit_test(a_body_without_elements_is_said_to_be_one),
        cmocka_unit_test(messages_about_questions_name_the_constants),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
