/* Strands in scene files: generated, rooted, fixed; and what is wrong with them, with line and column. */
#include "support_scene_files.h"

#include <dent/sim.h>
#include <dent/sim_scene.h>

#define HEAD                                                                                                           \
    "{\"dent_scene\": 1, \"bodies\": [\n"                                                                              \
    "{\"name\": \"head\", \"kind\": \"prescribed\", \"surface\": true, \"generate\": {\"shape\": \"sphere\", "          \
    "\"radius\": 0.1, \"spacing\": 0.04}},\n"

static dent_status open_text(const char *text, dent_sim_scene **scene)
{
    dent_sim_scene_def def = dent_sim_scene_def_default();
    return dent_sim_scene_read_memory(context, "scene.json", NULL, text, strlen(text), &def, scene);
}

static void grown_strands_stand_on_the_faces_of_their_carrier(void **state)
{
    (void)state;
    dent_sim_scene *scene = NULL;
    assert_int_equal(open_text(HEAD "{\"name\": \"hair\", \"kind\": \"strands\", \"radius\": 1e-4, \"generate\": {\"shape\": "
                                    "\"strands\", \"on\": \"head\", \"count\": 20, \"segments\": 4, \"length\": 0.05}}]}",
                               &scene),
                     DENT_OK);
    dent_sim *sim = dent_sim_scene_sim(scene);
    dent_sim_body_info info;
    assert_true(dent_sim_body(sim, 1, &info));
    assert_int_equal(info.kind, DENT_SIM_STRANDS);
    assert_int_equal(info.vertex_count, 100);
    assert_int_equal(info.element_count, 80);
    const double *x = dent_sim_positions(sim, 1);
    for (uint32_t s = 0; s < 20; s++) { /* outwards */
        const double *root = x + 15 * (size_t)s, *tip = root + 12;
        double from = sqrt(root[0] * root[0] + root[1] * root[1] + root[2] * root[2]);
        double to = sqrt(tip[0] * tip[0] + tip[1] * tip[1] + tip[2] * tip[2]);
        assert_true(to > from + 0.03);
    }
    assert_int_equal(dent_sim_scene_step_frame(scene), DENT_OK);
    dent_sim_scene_destroy(scene);
}

static void roots_lie_on_the_nearest_face(void **state)
{
    (void)state;
    dent_sim_scene *scene = NULL;
    assert_int_equal(open_text(HEAD "{\"kind\": \"strands\", \"radius\": 1e-4, \"move\": [0.1, 0, 0], \"roots\": {\"body\": "
                                    "\"head\"}, \"generate\": {\"shape\": \"strands\", \"segments\": 4, \"length\": 0.05}}]}",
                               &scene),
                     DENT_OK);
    dent_sim *sim = dent_sim_scene_sim(scene);
    for (int n = 0; n < 10; n++) {
        assert_int_equal(dent_sim_scene_step_frame(scene), DENT_OK);
    }
    const double *x = dent_sim_positions(sim, 1); /* clamped: its first segment stays */
    assert_true(fabs(x[0] - 0.1) < 1e-12 && fabs(x[3] - 0.1125) < 1e-12 && fabs(x[5]) < 1e-12);
    assert_true(x[14] < -1e-5);
    dent_sim_scene_destroy(scene);
}

static void mistakes_are_named_with_line_and_column(void **state)
{
    (void)state;
    static const struct {
        const char *text, *where, *what;
    } cases[] = {
        {HEAD "{\"kind\": \"strands\", \"generate\": {\"shape\": \"strands\", \"segments\": 4, \"length\": 1}}]}", ":3:",
         "radius"},
        {HEAD "{\"kind\": \"strands\", \"radius\": 0, \"generate\": {\"shape\": \"strands\", \"segments\": 4, \"length\": 1}}]}",
         ":3:", "radius"},
        {HEAD "{\"kind\": \"strands\", \"radius\": 1, \"generate\": {\"shape\": \"box\", \"size\": [1, 1, 1], \"cells\": [1, 1, 1]}}]}",
         ":3:", "strands"},
        {HEAD "{\"kind\": \"cloth\", \"generate\": {\"shape\": \"strands\", \"segments\": 4, \"length\": 1}}]}", ":3:", "strands"},
        {HEAD "{\"kind\": \"strands\", \"radius\": 1, \"roots\": {\"body\": \"nobody\"}, \"generate\": {\"shape\": \"strands\", "
              "\"segments\": 4, \"length\": 1}}]}",
         ":3:", "nobody"},
        {HEAD "{\"name\": \"hair\", \"kind\": \"strands\", \"radius\": 1, \"roots\": {\"body\": \"hair\"}, \"generate\": "
              "{\"shape\": \"strands\", \"segments\": 4, \"length\": 1}}]}",
         ":3:", "an earlier body"},
        {HEAD "{\"kind\": \"strands\", \"radius\": 1, \"generate\": {\"shape\": \"strands\", \"segments\": 0, \"length\": 1}}]}",
         ":3:", "segments"},
        {HEAD "{\"kind\": \"strands\", \"radius\": 1, \"generate\": {\"shape\": \"strands\", \"count\": 1000000, \"segments\": "
              "100000, \"length\": 1}}]}",
         ":3:", "at most"},
        {HEAD "{\"kind\": \"prescribed\", \"radius\": 1, \"generate\": {\"shape\": \"sheet\", \"size\": [1, 1], \"cells\": [1, 1]}}]}",
         ":3:", "only a body of kind \"strands\""},
    };
    for (size_t n = 0; n < sizeof cases / sizeof cases[0]; n++) {
        dent_sim_scene *scene = NULL;
        char message[600] = "";
        assert_int_not_equal(open_text(cases[n].text, &scene), DENT_OK);
        assert_null(scene);
        dent_context_message(context, message, sizeof message);
        if (!strstr(message, cases[n].where) || !strstr(message, cases[n].what)) {
            fail_msg("case %zu: %s", n, message);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grown_strands_stand_on_the_faces_of_their_carrier),
        cmocka_unit_test(roots_lie_on_the_nearest_face),
        cmocka_unit_test(mistakes_are_named_with_line_and_column),
    };
    return cmocka_run_group_tests(tests, open_context, close_context);
}
