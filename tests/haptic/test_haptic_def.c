/* Defs that are refused, memory that runs out, and memory that is not needed. */
#include "support/failing_allocator.h"
#include "support/haptic_field.h"
#include "support/test_context.h"

static void refused(struct haptic_field *field, dent_haptic_def def, dent_status status, const char *word)
{
    dent_haptic *haptic = (dent_haptic *)field;
    char message[256];
    assert_int_equal(dent_haptic_create(field->context, &def, &haptic), status);
    assert_ptr_equal(haptic, field); /* untouched */
    dent_context_message(field->context, message, sizeof message);
    if (!strstr(message, word)) {
        print_error("'%s' does not name '%s'\n", message, word);
    }
    assert_non_null(strstr(message, word));
}

static void bad_defs_are_refused_by_name(void **state)
{
    struct haptic_field field;
    haptic_field_open(&field, *state, haptic_box(0.1, 0.1, 0.1));
    haptic_field_add(&field, "table", DENT_HAPTIC_FIXED, haptic_box(1, 1, 0.1));
    dent_haptic_def good = haptic_field_def(&field, 0, 0, 0.5), def;
    refused(&field, haptic_field_def(&field, 0, 0, 0.15), DENT_ERROR_INVALID_ARGUMENT, "touches table");
    refused(&field, haptic_field_def(&field, 0, 0, 0.2), DENT_ERROR_INVALID_ARGUMENT, "touches table");
    refused(&field, haptic_field_def(&field, 0, NAN, 0.5), DENT_ERROR_BAD_NUMBER, "start");
    struct {
        size_t field;
        double value;
        const char *word;
    } numbers[] = {{offsetof(dent_haptic_def, target_gap), -1, "target_gap"},
                   {offsetof(dent_haptic_def, target_gap), INFINITY, "target_gap"},
                   {offsetof(dent_haptic_def, stiffness), 0, "stiffness"},
                   {offsetof(dent_haptic_def, stiffness), NAN, "stiffness"},
                   {offsetof(dent_haptic_def, inertia_radius), -1, "inertia_radius"},
                   {offsetof(dent_haptic_def, force_limit), 0, "force_limit"},
                   {offsetof(dent_haptic_def, torque_limit), NAN, "torque_limit"},
                   {offsetof(dent_haptic_def, damping), -2, "damping"},
                   {offsetof(dent_haptic_def, blend), -1, "blend"},
                   {offsetof(dent_haptic_def, tick), 0, "tick"},
                   {offsetof(dent_haptic_def, jump_limit), -1, "jump_limit"}};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        def = good;
        memcpy((char *)&def + numbers[i].field, &numbers[i].value, sizeof(double));
        refused(&field, def, DENT_ERROR_INVALID_ARGUMENT, numbers[i].word);
    }
    def = good;
    def.struct_size = 0;
    refused(&field, def, DENT_ERROR_INVALID_ARGUMENT, "dent_haptic_def_default");
    def = good;
    def.bodies = NULL;
    refused(&field, def, DENT_ERROR_INVALID_ARGUMENT, "bodies");
    def = good;
    def.tool.element_count = 0;
    refused(&field, def, DENT_ERROR_INVALID_ARGUMENT, "tool");
    field.bodies[0].kind = DENT_HAPTIC_LINK;
    refused(&field, good, DENT_ERROR_INVALID_ARGUMENT, "link");
    field.bodies[0].kind = (dent_haptic_kind)9;
    refused(&field, good, DENT_ERROR_INVALID_ARGUMENT, "kind");
    field.bodies[0].kind = DENT_HAPTIC_RIGID;
    field.bodies[0].pose.translation[2] = INFINITY;
    refused(&field, good, DENT_ERROR_BAD_NUMBER, "table");
    field.bodies[0].kind = DENT_HAPTIC_FIXED;
    field.shapes[0].points[4] = NAN;
    refused(&field, good, DENT_ERROR_BAD_NUMBER, "table");
    haptic_field_close(&field);
}

static void names_are_words(void **state)
{
    (void)state;
    assert_string_equal(dent_haptic_kind_name(DENT_HAPTIC_DEFORMING), "deforming");
    assert_null(dent_haptic_kind_name((dent_haptic_kind)4));
    assert_string_equal(dent_haptic_outcome_name(DENT_HAPTIC_SQUEEZED), "squeezed");
    assert_null(dent_haptic_outcome_name((dent_haptic_outcome)-1));
}

static dent_status session(struct haptic_field *field)
{
    dent_haptic_def def = haptic_field_def(field, 0, 0, 0.3);
    dent_haptic_delays delays = dent_haptic_delays_default();
    dent_haptic_scene scene = dent_haptic_scene_default();
    dent_haptic_force force;
    dent_haptic_state now;
    dent_haptic *haptic = NULL;
    dent_status status = dent_haptic_create(field->context, &def, &haptic);
    scene.positions = field->shapes[1].points;
    status = status == DENT_OK ? dent_haptic_set_scene(haptic, &scene) : status;
    for (int i = 0; i < 3 && status == DENT_OK; i++) {
        dent_pose device = haptic_turned(0, 0, 0.3 - 0.1 * i, 0.1 * i, 0);
        status = dent_haptic_clock_tick(haptic, &delays, &device, &force);
    }
    status = status == DENT_OK ? dent_haptic_read(haptic, &now) : status;
    dent_haptic_destroy(haptic);
    return status;
}

static void add_scene(struct haptic_field *field)
{
    haptic_field_add(field, "plate", DENT_HAPTIC_RIGID, haptic_box(1, 1, 0.1));
    haptic_field_add(field, "tissue", DENT_HAPTIC_DEFORMING, haptic_sheet(1, 3, NULL));
    haptic_shape_move(&field->shapes[1], 0, 0, 0.12);
}

static void every_failing_allocation_is_survived(void **state)
{
    (void)state;
    struct failing_allocator memory = failing_allocator_make();
    dent_context_def context_def = dent_context_def_default();
    context_def.allocator = failing_allocator_hook(&memory);
    context_def.thread_count = 1;
    dent_context *context = dent_context_create(&context_def, NULL);
    struct haptic_field field;
    haptic_field_open(&field, context, haptic_box(0.1, 0.1, 0.1));
    add_scene(&field);
    uint64_t step = test_count(7, 1, 1), failures = 0;
    for (uint64_t n = 1;; n += step) {
        memory.requests = 0;
        memory.fail_at = n;
        dent_status status = session(&field);
        memory.fail_at = 0;
        if (status == DENT_OK) {
            break;
        }
        assert_int_equal(status, DENT_ERROR_OUT_OF_MEMORY);
        failures++;
    }
    assert_true(failures > 10);
    assert_int_equal(session(&field), DENT_OK);
    haptic_field_close(&field);
    dent_context_destroy(context);
    assert_true(failing_allocator_clean(&memory));
}

static void loops_need_no_memory_once_they_have_run(void **state)
{
    (void)state;
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    struct haptic_field field;
    haptic_field_open(&field, context, haptic_box(0.1, 0.1, 0.1));
    add_scene(&field);
    dent_haptic_def def = haptic_field_def(&field, 0, 0, 0.3);
    dent_haptic_delays delays = dent_haptic_delays_default();
    dent_haptic_scene scene = dent_haptic_scene_default();
    dent_haptic *haptic = NULL;
    dent_haptic_force force;
    uint64_t before = 0;
    assert_int_equal(dent_haptic_create(context, &def, &haptic), DENT_OK);
    for (int round = 0; round < 2; round++) {
        before = dent_context_memory_use(context).allocations;
        for (int i = 0; i < 60; i++) {
            dent_pose device = haptic_turned(0.01 * i, 0, 0.3 - 0.004 * i, 0.01 * i, 0);
            for (uint32_t v = 0; v < field.shapes[1].vertex_count; v++) {
                field.shapes[1].points[3 * v + 2] = 0.12 + 0.0005 * i;
            }
            scene.positions = field.shapes[1].points;
            assert_int_equal(dent_haptic_set_scene(haptic, &scene), DENT_OK);
            assert_int_equal(dent_haptic_clock_tick(haptic, &delays, &device, &force), DENT_OK);
        }
    }
    assert_int_equal(dent_context_memory_use(context).allocations - before, 0);
    dent_haptic_destroy(haptic);
    haptic_field_close(&field);
    dent_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_defs_are_refused_by_name),
        cmocka_unit_test(names_are_words),
        cmocka_unit_test(every_failing_allocation_is_survived),
        cmocka_unit_test(loops_need_no_memory_once_they_have_run),
    };
    return cmocka_run_group_tests_name("haptic def", tests, test_open_context_of_one, test_close_context);
}
