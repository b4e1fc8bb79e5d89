/* The table of questions as programs see it: complete, consistent, and what the calls accept. */
#include "support/cmocka_includes.h"

#include <string.h>

#include "query/world/question_row.h"
#include "support/pair_lists.h"
#include "support/test_context.h"

static void every_row_says_what_it_is(void **state)
{
    (void)state;
    uint32_t bits = 0;
    for (uint32_t i = 0; i < dent_question_count(); i++) {
        const dent_question_info *info = dent_question_info_at(i);
        assert_true((info->question & (info->question - 1)) == 0 && !(bits & info->question));
        bits |= info->question;
        assert_ptr_equal(dent_question_get_info(info->question), info);
        assert_string_equal(dent_question_name(info->question), info->name);
        assert_true(info->meaning && info->call && !strchr(info->meaning, '\n'));
        assert_in_range(info->feature_pair_count, 1, DENT_FEATURE_PAIR_LIMIT);
        for (uint32_t k = 0; k < DENT_FEATURE_PAIR_LIMIT; k++) {
            assert_int_equal(info->features[k].a != 0 && info->features[k].b != 0, k < info->feature_pair_count);
        }
        assert_true(dent_question_methods(info->question) & 1u << DENT_METHOD_AUTO);
        for (uint32_t k = 0; k < i; k++) {
            assert_string_not_equal(dent_question_info_at(k)->name, info->name);
        }
    }
    assert_null(dent_question_info_at(dent_question_count()));
    assert_null(dent_question_get_info((dent_question)0));
    assert_null(dent_question_name((dent_question)(DENT_QUESTION_VERTEX_CELL | DENT_QUESTION_FACE_CELL)));
    assert_int_equal(dent_question_methods((dent_question)0), 0);
}

static void the_discrete_questions_come_first_and_have_tests_and_lists(void **state)
{
    (void)state;
    dent_query_result result;
    uint32_t bits = 0;
    for (uint32_t i = 0; i < dent_question_count(); i++) {
        const dent_question_info *info = dent_question_info_at(i);
        assert_int_equal(info->discrete, i < DENT_DISCRETE_QUESTION_COUNT);
        assert_int_equal(dent_query_result_list(&result, info->question) != NULL, info->discrete);
        assert_int_equal(question_table[i]->pairs != NULL, info->discrete);
        bits |= info->discrete ? (uint32_t)info->question : 0;
    }
    assert_int_equal(bits, DENT_DISCRETE_QUESTIONS);
    assert_ptr_equal(dent_query_result_list(&result, DENT_QUESTION_FACE_CELL), &result.face_cell);
    assert_null(dent_query_result_list(NULL, DENT_QUESTION_FACE_CELL));
}

/* The table of methods and that of questions say the same, and a query obeys. */
static void methods_and_questions_agree(void **state)
{
    (void)state;
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    dent_world *world = dent_world_create(context);
    for (int method = 0; method < DENT_METHOD_COUNT; method++) {
        for (uint32_t i = 0; i < dent_question_count(); i++) {
            const dent_question_info *info = dent_question_info_at(i);
            bool answers = dent_question_methods(info->question) >> method & 1;
            dent_query_def def = dent_query_def_default();
            dent_query_result result;
            def.questions = info->question;
            def.method = (dent_method)method;
            dent_status status = dent_world_query(world, &def, &result);
            if (info->discrete) {
                assert_int_equal((dent_method_questions((dent_method)method) & info->question) != 0, answers);
                assert_int_equal(status, answers ? DENT_OK : DENT_ERROR_UNSUPPORTED);
            } else {
                assert_int_equal(status, DENT_ERROR_INVALID_ARGUMENT);
                assert_non_null(strstr(dent_world_message(world), info->call));
            }
        }
    }
    assert_int_equal(dent_question_methods(DENT_QUESTION_PROXIMITY),
                     1u << DENT_METHOD_AUTO | 1u << DENT_METHOD_BRUTE_FORCE | 1u << DENT_METHOD_SURFACE_TREE);
    dent_world_destroy(world);
    dent_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_says_what_it_is),
        cmocka_unit_test(the_discrete_questions_come_first_and_have_tests_and_lists),
        cmocka_unit_test(methods_and_questions_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
