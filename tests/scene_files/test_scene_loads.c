/* Loads, supports, springs and probes in scene files: what good ones mean, and that bad ones are refused with line,
 * column and what was expected. */
#include "support_scene_files.h"

#include <unistd.h>

#define BOX "\"generate\": {\"shape\": \"box\", \"size\": [2, 2, 2], \"cells\": [2, 2, 2]}"
/* The key under test stands in line 4. */
#define SCENE(inside)                                                                                                  \
    "{\"dent_scene\": 1, \"bodies\": [{\"name\": \"soft\", \"kind\": \"solid\", " BOX "},\n"                           \
    "{\"name\": \"hard\", \"kind\": \"rigid\", " BOX ", \"move\": [5, 0, 0]},\n"                                       \
    "{\"name\": \"floor\", \"kind\": \"prescribed\", " BOX ", \"move\": [0, 0, -5]}],\n" inside "}"

struct bad_file {
    const char *text, *place, *expected;
};

static const struct bad_file bad_files[] = {
    {SCENE("\"loads\": 1"), "4:10: ", "loads"},
    {SCENE("\"loads\": [{\"body\": \"soft\"}]"),
     "4:11: ", "one of \"force\", \"traction\", \"pressure\" and \"torque\""},
    {SCENE("\"loads\": [{\"body\": \"soft\", \"force\": [1, 0, 0], \"pressure\": 1}]"), "4:11: ", "and there are 2"},
    {SCENE("\"loads\": [{\"body\": \"oft\", \"force\": [1, 0, 0]}]"), "4:20: ", "none is called \"oft\""},
    {SCENE("\"loads\": [{\"body\": \"floor\", \"force\": [1, 0, 0]}]"), "4:20: ", "body of kind \"prescribed\""},
    {SCENE("\"loads\": [{\"body\": \"soft\", \"force\": \"1 N\"}]"), "4:37: ", "expected"},
    {SCENE("\"loads\": [{\"body\": \"soft\", \"force\": [\"1 Pa\", 0, 0]}]"), "4:38: ", "a force such as"},
    {SCENE("\"loads\": [{\"body\": \"soft\", \"torque\": [1, 0, 0]}]"), "4:28: ", "only rigid bodies take a torque"},
    {SCENE("\"loads\": [{\"body\": \"hard\", \"torque\": [1, 0, 0], \"on\": [0]}]"),
     "4:49: ", "a torque acts on a whole body"},
    {SCENE("\"loads\": [{\"body\": \"soft\", \"force\": [1, 0, 0], \"follows\": true}]"),
     "4:48: ", "goes with \"pressure\""},
    {SCENE("\"loads\": [{\"body\": \"soft\", \"pressure\": 1, \"on\": [0, 1]}]"), "4:49: ", "at least one face"},
    {SCENE("\"loads\": [{\"body\": \"soft\", \"force\": [1, 0, 0], \"on\": {\"box\": [[7, 7, 7], [8, 8, 8]]}}]"),
     "4:54: ", "at least one vertex of \"soft\""},
    {SCENE("\"loads\": [{\"body\": \"soft\", \"force\": [1, 0, 0], \"on\": {\"beyond\": [0, 0, 0]}}]"),
     "4:54: ", "needs the key \"normal\""},
    {SCENE("\"loads\": [{\"body\": \"soft\", \"force\": [1, 0, 0], \"on\": {\"beyond\": [0, 0, 0], \"normal\": [0, 0, "
           "0]}}]"),
     "4:86: ", "a direction [x, y, z] other than zero"},
    {SCENE("\"loads\": [{\"body\": \"soft\", \"force\": [1, 0, 0], \"on\": {\"region\": \"top\"}}]"),
     "4:65: ", "\"top\" is none; there are: none"},
    {SCENE("\"loads\": [{\"body\": \"soft\", \"force\": [1, 0, 0], \"on\": {\"region\": \"top\", \"radius\": 1}}]"),
     "4:54: ", "\"region\" was expected alone"},
    {SCENE("\"loads\": [{\"body\": \"soft\", \"force\": [1, 0, 0], \"course\": []}]"), "4:58: ", "at least one row"},
    {SCENE("\"loads\": [{\"body\": \"soft\", \"force\": [1, 0, 0], \"course\": [[0, 1], [0, 2]]}]"),
     "4:68: ", "ascending times were expected; 0 comes after 0"},
    {SCENE("\"loads\": [{\"body\": \"soft\", \"force\": [1, 0, 0], \"course\": [[0]]}]"),
     "4:59: ", "a row [time, factor]"},
    {SCENE("\"loads\": [{\"body\": \"soft\", \"force\": [1, 0, 0], \"course\": [[\"1 m\", 2]]}]"),
     "4:60: ", "a time such as"},
    {SCENE("\"supports\": [{\"body\": \"hard\", \"on\": [0]}]"), "4:23: ", "body of kind \"rigid\""},
    {SCENE("\"supports\": [{\"body\": \"soft\"}]"), "4:14: ", "needs the key \"on\""},
    {SCENE("\"supports\": [{\"body\": \"soft\", \"on\": [0], \"hold\": \"xx\"}]"), "4:50: ", "\"hold\": axes"},
    {SCENE("\"supports\": [{\"body\": \"soft\", \"on\": [0], \"hold\": \"\"}]"), "4:50: ", "\"hold\": axes"},
    {SCENE("\"supports\": [{\"body\": \"soft\", \"on\": [0], \"hold\": [0, 0, 0]}]"), "4:50: ", "a direction"},
    {SCENE("\"supports\": [{\"body\": \"soft\", \"on\": [0], \"course\": [[0, 1]]}]"),
     "4:42: ", "goes with \"displacement\""},
    {SCENE("\"supports\": [{\"name\": \"a\", \"body\": \"soft\", \"on\": [0]},\n{\"name\": \"a\", \"body\": \"soft\", "
           "\"on\": [1]}]"),
     "5:10: ", "the name of an earlier support"},
    {SCENE("\"springs\": [{\"from\": {\"body\": \"soft\"}, \"to\": {\"point\": [0, 0, 0]}, \"stiffness\": 1}]"),
     "4:22: ", "an end of a spring was expected"},
    {SCENE("\"springs\": [{\"from\": {\"vertex\": 1}, \"to\": {\"point\": [0, 0, 0]}, \"stiffness\": 1}]"),
     "4:22: ", "an end of a spring was expected"},
    {SCENE("\"springs\": [{\"from\": {\"body\": \"soft\", \"vertex\": 99}, \"to\": {\"point\": [0, 0, 0]}, "
           "\"stiffness\": 1}]"),
     "4:49: ", "a whole number from 0 to 26"},
    {SCENE("\"springs\": [{\"from\": {\"body\": \"soft\", \"vertex\": 0}, \"to\": {\"point\": [0, 0, 0]}}]"),
     "4:13: ", "\"stiffness\" or \"damping\" above 0"},
    {SCENE("\"springs\": [{\"from\": {\"body\": \"soft\", \"vertex\": 0}, \"to\": {\"point\": [0, 0, 0]}, \"damping\": "
           "\"1 N/m\"}]"),
     "4:92: ", "a force per velocity such as"},
    {SCENE("\"probes\": [{\"name\": \"a\"}]"), "4:12: ", "needs the key \"kind\""},
    {SCENE("\"probes\": [{\"kind\": \"positon\", \"body\": \"soft\"}]"), "4:21: ", "\"position\""},
    {SCENE("\"probes\": [{\"kind\": \"position\", \"body\": \"soft\", \"spring\": \"a\"}]"),
     "4:49: ", "does not go with"},
    {SCENE("\"probes\": [{\"kind\": \"reaction\", \"support\": \"a\"}]"), "4:44: ", "none is called \"a\""},
    {SCENE("\"probes\": [{\"kind\": \"stress\", \"body\": \"hard\"}]"), "4:39: ", "body of kind \"rigid\""},
    {SCENE("\"probes\": [{\"kind\": \"energy\", \"energy\": \"heat\"}]"), "4:41: ", "expected"},
    {SCENE("\"probes\": [{\"name\": \"a,b\", \"kind\": \"energy\"}]"), "4:21: ", "without comma and quote"},
    {SCENE("\"probes\": [{\"name\": \"\", \"kind\": \"energy\"}]"), "4:21: ", "1 to 63 bytes"},
    {SCENE("\"probes\": [{\"name\": \"a\", \"kind\": \"energy\"},\n{\"name\": \"a\", \"kind\": \"energy\"}]"),
     "5:10: ", "the name of an earlier probe"},
    {SCENE("\"probe\": []"), "4:1: ", "did you mean \"probes\"?"},
};

enum { BAD_FILES = sizeof bad_files / sizeof bad_files[0] };

static void bad_loads_are_refused_with_their_place(void **state)
{
    (void)state;
    int failures = 0;
    for (int i = 0; i < BAD_FILES; i++) {
        dent_sim_scene *scene = NULL;
        char message[1024] = "", place[64];
        dent_status status = dent_sim_scene_read_memory(context, "bad.json", NULL, bad_files[i].text,
                                                        strlen(bad_files[i].text), NULL, &scene);
        dent_context_message(context, message, sizeof message);
        snprintf(place, sizeof place, "bad.json:%s", bad_files[i].place);
        if (status != DENT_ERROR_FORMAT || strncmp(message, place, strlen(place)) != 0 ||
            !strstr(message, bad_files[i].expected)) {
            print_error("status %d, \"%s\" instead of \"%s … %s\"\n", (int)status, message, place,
                        bad_files[i].expected);
            failures++;
        }
    }
    print_message("%d kinds of bad files\n", (int)BAD_FILES);
    assert_int_equal(failures, 0);
}

static const char good_file[] = SCENE(
    "\"units\": {\"length\": \"mm\"},\n"
    "\"loads\": [{\"name\": \"push\", \"body\": \"soft\", \"force\": [\"2 N\", 0, 0], \"on\": [3, 4], \"course\": "
    "[[\"0 ms\", 0], [2, 0.5]]},\n"
    "{\"body\": \"soft\", \"traction\": [0, 0, \"1 kPa\"], \"on\": {\"beyond\": [0, 0, 1], \"normal\": [0, 0, 2]}},\n"
    "{\"body\": \"soft\", \"pressure\": \"3 kPa\"}, {\"body\": \"soft\", \"pressure\": -1, \"follows\": true, \"on\": "
    "\"all\"},\n"
    "{\"body\": \"hard\", \"torque\": [0, \"1 N*m\", 0]}],\n"
    "\"supports\": [{\"body\": \"soft\", \"on\": {\"box\": [[-2, -2, -1], [2, 2, -1]]}, \"hold\": \"zx\", "
    "\"displacement\": [0, 0, \"1 cm\"],"
    " \"course\": [[0, 0], [1, 1]]}, {\"name\": \"slope\", \"body\": \"soft\", \"on\": {\"centre\": [0, 0, 0], "
    "\"radius\": 0.1}, \"hold\": [1, 1, 0]}],\n"
    "\"springs\": [{\"from\": {\"body\": \"soft\", \"point\": [1, 1, 0.9]}, \"to\": {\"body\": \"hard\", \"point\": "
    "[5, 0, 0]}, \"stiffness\": \"3 N/m\","
    " \"damping\": \"2 N*s/m\", \"length\": 0}, {\"name\": \"rope\", \"from\": {\"body\": \"hard\", \"vertex\": 2}, "
    "\"to\": {\"point\": [0, 0, 9]}, \"damping\": 1}],\n"
    "\"probes\": [{\"kind\": \"position\", \"body\": \"soft\", \"on\": [0]}, {\"name\": \"v\", \"kind\": \"velocity\", "
    "\"body\": \"hard\"},\n"
    "{\"kind\": \"contact\", \"body\": \"floor\"}, {\"kind\": \"reaction\", \"support\": \"slope\"}, {\"kind\": "
    "\"spring\", \"spring\": \"rope\"},\n"
    "{\"kind\": \"stress\", \"body\": \"soft\"}, {\"kind\": \"energy\", \"energy\": \"outer work\"}]");

static void loads_supports_springs_and_probes_mean_what_they_say(void **state)
{
    (void)state;
    struct sim_plan plan;
    plan_open(&plan, context);
    assert_int_equal(scene_file_plan(&plan, "good.json", NULL, good_file, strlen(good_file)), DENT_OK);
    assert_int_equal(plan.load_count, 5);
    const dent_sim_load_def *loads = plan.loads;
    assert_string_equal(loads[0].name, "push");
    assert_int_equal(loads[0].kind, DENT_SIM_LOAD_FORCE);
    assert_true(loads[0].vector[0] == 2000 && loads[0].vertex_count == 2 && loads[0].vertices[1] == 4);
    assert_true(loads[0].course.count == 2 && loads[0].course.rows[1].time == 2 &&
                loads[0].course.rows[1].value == 0.5);
    assert_int_equal(loads[1].kind, DENT_SIM_LOAD_TRACTION);
    assert_true(loads[1].vector[2] == 1 && loads[1].vertex_count == 9);
    assert_int_equal(loads[2].kind, DENT_SIM_LOAD_PRESSURE);
    assert_true(loads[2].pressure == 3 && loads[2].vertex_count == 0);
    assert_int_equal(loads[3].kind, DENT_SIM_LOAD_FOLLOWER);
    assert_true(loads[3].pressure == -1 && loads[3].vertex_count == 0);
    assert_int_equal(loads[4].kind, DENT_SIM_LOAD_TORQUE);
    assert_true(loads[4].vector[1] == 1e6 && loads[4].body == 1);
    assert_int_equal(plan.support_count, 2);
    assert_true(plan.supports[0].axes == 5 && plan.supports[0].vertex_count == 9);
    assert_true(plan.supports[0].displacement[2] == 10 && plan.supports[0].course.count == 2);
    assert_true(plan.supports[1].axes == 0 && plan.supports[1].direction[1] == 1 && plan.supports[1].vertex_count == 1);
    assert_int_equal(plan.spring_count, 2);
    const dent_sim_spring *spring = &plan.springs[0];
    const double *end = plan.bodies[0].positions + 3 * (size_t)spring->a.vertices[0];
    assert_true(end[0] == 1 && end[1] == 1 && end[2] == 1);
    assert_true(spring->b.body == 1 && spring->b.vertices[0] == UINT32_MAX && spring->b.place[0] == 5);
    assert_true(spring->stiffness == 3 && spring->damping == 2 && spring->length == 0);
    assert_true(plan.springs[1].length < 0 && plan.springs[1].b.body == UINT32_MAX && plan.springs[1].damping == 1);
    assert_int_equal(plan.probe_count, 7);
    assert_string_equal(plan.probes[0].name, "probe 0");
    assert_true(plan.probes[3].number == 1 && plan.probes[4].number == 1);
    assert_true(plan.probes[6].energy == DENT_SIM_ENERGY_OUTER_WORK);
    plan_close(&plan);
}

static const char mesh_file[] = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
                                "$PhysicalNames\n3\n2 1 \"top\"\n2 2 \"inside\"\n3 3 \"volume\"\n$EndPhysicalNames\n"
                                "$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 0 0 -1\n$EndNodes\n"
                                "$Elements\n4\n1 2 2 1 1 2 3 4\n2 2 2 2 1 1 2 3\n3 4 2 3 1 1 2 3 4\n4 4 2 3 1 2 1 3 5\n"
                                "$EndElements\n";

static void regions_of_a_mesh_file_are_selected_by_name(void **state)
{
    (void)state;
    static const char text[] = "{\"dent_scene\": 1, \"bodies\": [{\"name\": \"a\", \"kind\": \"solid\", \"mesh\": "
                               "\"test_scene_loads.msh\"}],\n"
                               "\"loads\": [{\"body\": \"a\", \"pressure\": 1, \"on\": {\"region\": \"top\"}}],\n"
                               "\"supports\": [{\"body\": \"a\", \"on\": {\"region\": \"inside\"}}]}";
    static const char wrong[] = "{\"dent_scene\": 1, \"bodies\": [{\"name\": \"a\", \"kind\": \"solid\", \"mesh\": "
                                "\"test_scene_loads.msh\"}],\n"
                                "\"loads\": [{\"body\": \"a\", \"pressure\": 1, \"on\": {\"region\": \"bottom\"}}]}";
    FILE *file = fopen("test_scene_loads.msh", "w");
    assert_non_null(file);
    assert_true(fputs(mesh_file, file) >= 0 && fclose(file) == 0);
    struct sim_plan plan;
    plan_open(&plan, context);
    assert_int_equal(scene_file_plan(&plan, "regions.json", "", text, strlen(text)), DENT_OK);
    assert_int_equal(plan.loads[0].face_count, 1);
    assert_int_equal(plan.loads[0].vertex_count, 3);
    for (int k = 0; k < 3; k++) {
        assert_int_equal(plan.loads[0].faces[k], k + 1);
        assert_int_equal(plan.supports[0].vertices[k], k);
    }
    plan_close(&plan);
    char message[400];
    plan_open(&plan, context);
    assert_int_equal(scene_file_plan(&plan, "regions.json", "", wrong, strlen(wrong)), DENT_ERROR_FORMAT);
    dent_context_message(context, message, sizeof message);
    assert_non_null(strstr(message, "regions.json:2:57: \"region\": a region of the mesh file was expected"));
    assert_true(strstr(message, "top") && strstr(message, "inside"));
    plan_close(&plan);
    unlink("test_scene_loads.msh");
}

static void a_scene_with_loads_without_memory_leaves_nothing(void **state)
{
    (void)state;
    struct failing_allocator memory = failing_allocator_make();
    dent_context_def def = dent_context_def_default();
    def.allocator = failing_allocator_hook(&memory);
    def.thread_count = 1;
    dent_context *own = dent_context_create(&def, NULL);
    uint64_t before = atomic_load(&memory.live_bytes), tries = 0;
    dent_sim_scene *scene = NULL;
    for (uint64_t n = 1; scene == NULL; n++, tries++) {
        atomic_store(&memory.requests, 0);
        atomic_store(&memory.fail_at, n);
        dent_status status =
            dent_sim_scene_read_memory(own, "m.json", NULL, good_file, strlen(good_file), NULL, &scene);
        atomic_store(&memory.fail_at, 0);
        assert_true(scene != NULL || (status == DENT_ERROR_OUT_OF_MEMORY && atomic_load(&memory.live_bytes) == before));
        assert_true(n < 20000);
    }
    print_message("%llu requests\n", (unsigned long long)tries - 1);
    assert_int_equal(dent_sim_scene_step_frame(scene), DENT_OK);
    dent_sim_scene_destroy(scene);
    dent_context_destroy(own);
    assert_true(failing_allocator_clean(&memory));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_loads_are_refused_with_their_place),
        cmocka_unit_test(loads_supports_springs_and_probes_mean_what_they_say),
        cmocka_unit_test(regions_of_a_mesh_file_are_selected_by_name),
        cmocka_unit_test(a_scene_with_loads_without_memory_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, open_context, close_context);
}
