/* What solids are made of in scene files: models, fibres, elements and regions are taken as they are written, meshes of
 * hexahedra are elastic, and mistakes are refused with line and column. */
#include "support_scene_files.h"

#define BOX "\"generate\": {\"shape\": \"box\", \"size\": [2, 1, 1], \"cells\": [2, 1, 1]}"
#define SPHERE "\"generate\": {\"shape\": \"sphere\", \"radius\": 1, \"spacing\": 0.5}"
/* The inside of a material on line 2, that of a body on line 3. */
#define SCENE(material, body)                                                                                          \
    "{\"dent_scene\": 1, \"materials\": {\"plain\": {}, \"own\": {\n" material "}}, \"bodies\": [{\n" body "}]}"
#define SOLID "\"kind\": \"solid\", " BOX

static const struct bad_file {
    const char *kind, *text, *place, *expected;
} bad_files[] = {
    {"an unknown model", SCENE("\"model\": \"rubber\"", SOLID), ":2:10: ", "one of neo-hookean, corotated, st-venant"},
    {"a viscosity of another kind", SCENE("\"viscosity\": \"3 Pa\"", SOLID),
     ":2:14: ", "a viscosity such as \"20 Pa*s\""},
    {"a negative viscosity", SCENE("\"bulk_viscosity\": -1", SOLID), ":2:19: ", "of at least 0"},
    {"plastic without yield", SCENE("\"model\": \"plastic\"", SOLID), ":1:", "needs the key \"yield_stress\""},
    {"yield without plastic", SCENE("\"yield_stress\": \"1 kPa\"", SOLID), ":2:1: ", "\"model\": \"plastic\" yields"},
    {"hardening without plastic", SCENE("\"hardening\": \"1 kPa\"", SOLID), ":2:1: ", "\"model\": \"plastic\" yields"},
    {"fibres without direction", SCENE("\"fibres\": {\"direction\": [0, 0, 0]}", SOLID), ":2:25: ", "other than zero"},
    {"fibres with another key", SCENE("\"fibres\": {\"strenth\": 3}", SOLID), ":2:12: ", "did you mean \"strength\"?"},
    {"activation above 1", SCENE("\"fibres\": {\"activation\": 1.5}", SOLID), ":2:26: ", "from 0 to 1"},
    {"activation going back",
     SCENE("\"fibres\": {\"activation\": [{\"time\": 1, \"value\": 0}, {\"time\": 0, \"value\": 1}]}", SOLID),
     ":2:61: ", "ascending times"},
    {"unknown elements", SCENE("", SOLID ", \"elements\": \"cubic\""), ":3:", "one of linear, quadratic, hexahedra"},
    {"elements of a rigid body", SCENE("", "\"elements\": \"quadratic\", \"kind\": \"rigid\", " BOX),
     ":3:1: ", "only bodies of kind \"solid\""},
    {"hexahedra of a sphere", SCENE("", "\"elements\": \"hexahedra\", \"kind\": \"solid\", " SPHERE),
     ":3:13: ", "needs a box"},
    {"hexahedra and surface", SCENE("", "\"surface\": true, \"elements\": \"hexahedra\", " SOLID),
     ":3:1: ", "does not go with hexahedra"},
    {"regions of a rigid body", SCENE("", "\"regions\": [], \"kind\": \"rigid\", " BOX), ":3:1: ", "have regions"},
    {"a region of nothing", SCENE("", "\"regions\": [{\"cells\": [0]}], " SOLID), ":3:13: ", "needs \"material\" or"},
    {"a region nowhere",
     SCENE("", "\"regions\": [{\"cells\": {\"centre\": [9, 9, 9], \"radius\": 1}, \"material\": \"own\"}], " SOLID),
     ":3:23: ", "at least one cell"},
    {"a region of a cell that is not there",
     SCENE("", "\"regions\": [{\"cells\": [10], \"material\": \"own\"}], " SOLID),
     ":3:24: ", "from 0 to 9 was expected, not 10"},
    {"a region of a word", SCENE("", "\"regions\": [{\"cells\": \"all\", \"material\": \"own\"}], " SOLID),
     ":3:23: ", "cells were expected"},
    {"a region without its material", SCENE("", "\"regions\": [{\"cells\": [0], \"material\": \"gold\"}], " SOLID),
     ":3:40: ", "none is called \"gold\""},
};
enum { BAD_FILES = sizeof bad_files / sizeof bad_files[0] };

static void mistakes_are_refused_with_their_place(void **state)
{
    (void)state;
    int failures = 0;
    for (int i = 0; i < BAD_FILES; i++) {
        const struct bad_file *file = &bad_files[i];
        dent_sim_scene *scene = NULL;
        dent_status status =
            dent_sim_scene_read_memory(context, "bad.json", ".", file->text, strlen(file->text), NULL, &scene);
        char message[1024] = "", place[64];
        dent_context_message(context, message, sizeof message);
        snprintf(place, sizeof place, "bad.json%s", file->place);
        if (status == DENT_OK || scene || strncmp(message, place, strlen(place)) != 0 ||
            !strstr(message, file->expected)) {
            print_error("%s: status %d, \"%s\" instead of \"%s … %s\"\n", file->kind, (int)status, message, place,
                        file->expected);
            failures++;
        }
    }
    assert_int_equal(failures, 0);
}

static struct sim_plan read_plan(const char *text, const char *folder)
{
    struct sim_plan plan;
    plan_open(&plan, context);
    if (scene_file_plan(&plan, "good.json", folder, text, strlen(text)) != DENT_OK) {
        char message[1024];
        dent_context_message(context, message, sizeof message);
        fail_msg("%s", message);
    }
    return plan;
}

static const char full_scene[] =
    SCENE("\"model\": \"plastic\", \"yield_stress\": \"2 MPa\", \"hardening\": 7, \"viscosity\": \"3 Pa*s\", "
          "\"bulk_viscosity\": 4, \"fibres\": {\"stiffness\": \"5 kPa\", \"strength\": 6, \"direction\": [0, 0, 2], "
          "\"activation\": [{\"time\": 0, \"value\": 0}, {\"time\": \"500 ms\", \"value\": 0.75}]}",
          "\"kind\": \"solid\", \"elements\": \"hexahedra\", \"regions\": ["
          "{\"cells\": {\"box\": [[0, -1, -1], [2, 1, 1]]}, \"material\": \"own\"},"
          "{\"cells\": [1], \"fibre_direction\": [0, 1, 0]}], " BOX);

static void laws_elements_and_regions_are_taken(void **state)
{
    (void)state;
    struct sim_plan plan = read_plan(full_scene, NULL);
    const dent_sim_material *own = &plan.materials[1];
    const dent_sim_body_def *body = &plan.bodies[0];
    assert_int_equal(plan.materials[0].model, DENT_SIM_NEO_HOOKEAN);
    assert_int_equal(own->model, DENT_SIM_PLASTIC);
    assert_true(own->yield_stress == 2e6 && own->hardening == 7 && own->viscosity == 3 && own->bulk_viscosity == 4);
    assert_true(own->fibre_stiffness == 5e3 && own->fibre_strength == 6 && own->fibre_direction[2] == 2);
    assert_int_equal(own->activation_count, 2);
    assert_true(own->activation[1].time == 0.5 && own->activation[1].value == 0.75);
    assert_int_equal(body->elements, DENT_SIM_HEXAHEDRA);
    assert_int_equal(body->element_count, 2);
    assert_int_equal(body->element_materials[0], 0);
    assert_int_equal(body->element_materials[1], 1);
    assert_true(body->fibre_directions[0] == 1 && body->fibre_directions[4] == 1 && body->fibre_directions[3] == 0);
    plan_close(&plan);
}

static void units_of_the_file_hold_for_viscosity_too(void **state)
{
    (void)state;
    struct sim_plan plan = read_plan("{\"dent_scene\": 1, \"units\": {\"length\": \"mm\"}, \"materials\": {\"a\": {"
                                     "\"viscosity\": \"3 Pa*s\"}}, \"bodies\": [{" SOLID "}]}",
                                     NULL);
    assert_true(fabs(plan.materials[0].viscosity / 3e-3 - 1) < 1e-14); /* kg/(mm s) */
    assert_true(fabs(plan.materials[0].yield_stress / 1 - 1) < 1e-14); /* 1 kPa in kg/(mm s^2) */
    plan_close(&plan);
}

static void meshes_of_hexahedra_are_elastic(void **state)
{
    (void)state;
    FILE *file = fopen("test_scene_file_laws.mesh", "w");
    assert_non_null(file);
    fprintf(file,
            "MeshVersionFormatted 2\nDimension 3\nVertices\n8\n0 0 0 1\n1 0 0 1\n1 1 0 1\n0 1 0 1\n0 0 1 1\n1 0 1 "
            "1\n1 1 1 1\n0 1 1 1\nHexahedra\n1\n1 2 3 4 5 6 7 8 1\nEnd\n");
    fclose(file);
    struct sim_plan plan = read_plan(SCENE("", "\"kind\": \"solid\", \"mesh\": \"test_scene_file_laws.mesh\""), "./");
    assert_int_equal(plan.bodies[0].elements, DENT_SIM_HEXAHEDRA);
    assert_int_equal(plan.bodies[0].element_count, 1);
    assert_int_equal(plan.bodies[0].element_corners[7], 7);
    plan_close(&plan);
    static const char *const refused[] = {
        SCENE("", "\"elements\": \"quadratic\", \"kind\": \"solid\", \"mesh\": \"test_scene_file_laws.mesh\""),
        SCENE("", "\"kind\": \"rigid\", \"mesh\": \"test_scene_file_laws.mesh\"")};
    for (int n = 0; n < 2; n++) {
        dent_sim_scene *scene = NULL;
        assert_true(dent_sim_scene_read_memory(context, "b.json", "./", refused[n], strlen(refused[n]), NULL, &scene) !=
                    DENT_OK);
    }
    remove("test_scene_file_laws.mesh");
}

static void every_kind_of_elements_runs_or_leaves_nothing_without_memory(void **state)
{
    (void)state;
    static const char *const texts[] = {full_scene, SCENE("", "\"elements\": \"quadratic\", " SOLID)};
    for (int t = 0; t < 2; t++) {
        struct failing_allocator memory = failing_allocator_make();
        dent_context_def def = dent_context_def_default();
        def.allocator = failing_allocator_hook(&memory);
        def.thread_count = 1;
        dent_context *own = dent_context_create(&def, NULL);
        uint64_t before = atomic_load(&memory.live_bytes);
        dent_sim_scene *scene = NULL;
        for (uint64_t n = 1; scene == NULL; n++) {
            atomic_store(&memory.requests, 0);
            atomic_store(&memory.fail_at, n);
            dent_status status =
                dent_sim_scene_read_memory(own, "m.json", NULL, texts[t], strlen(texts[t]), NULL, &scene);
            atomic_store(&memory.fail_at, 0);
            assert_true((status == DENT_OK) == (scene != NULL));
            assert_true(scene || (status == DENT_ERROR_OUT_OF_MEMORY && atomic_load(&memory.live_bytes) == before));
            assert_true(n < 20000);
        }
        assert_int_equal(dent_sim_scene_step_frame(scene), DENT_OK);
        dent_sim_scene_destroy(scene);
        dent_context_destroy(own);
        assert_true(failing_allocator_clean(&memory));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mistakes_are_refused_with_their_place),
        cmocka_unit_test(laws_elements_and_regions_are_taken),
        cmocka_unit_test(units_of_the_file_hold_for_viscosity_too),
        cmocka_unit_test(meshes_of_hexahedra_are_elastic),
        cmocka_unit_test(every_kind_of_elements_runs_or_leaves_nothing_without_memory),
    };
    return cmocka_run_group_tests(tests, open_context, close_context);
}
