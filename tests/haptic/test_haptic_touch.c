/* A tool against bodies that stand still: it never enters them, and what is felt is a push and nothing else. */
#include "support/haptic_field.h"
#include "support/test_context.h"

#include <stdio.h>

static dent_haptic *open_haptic(struct haptic_field *field, const dent_haptic_def *def)
{
    dent_haptic *haptic = NULL;
    dent_status status = dent_haptic_create(field->context, def, &haptic);
    if (status != DENT_OK) {
        char message[256];
        dent_context_message(field->context, message, sizeof message);
        print_error("%s\n", message);
    }
    assert_int_equal(status, DENT_OK);
    return haptic;
}

static dent_haptic_force tick(dent_haptic *haptic, dent_pose device)
{
    dent_haptic_delays delays = dent_haptic_delays_default();
    dent_haptic_force force;
    assert_int_equal(dent_haptic_clock_tick(haptic, &delays, &device, &force), DENT_OK);
    return force;
}

static double length(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static double waves(double x, double y)
{
    double a, b;
    dent_sine_cosine(7 * x, &a, NULL);
    dent_sine_cosine(5 * y, &b, NULL);
    return 0.1 * a * b;
}

static void in_free_space_the_force_is_exactly_zero(void **state)
{
    struct haptic_field field;
    haptic_field_open(&field, *state, haptic_box(0.1, 0.1, 0.1));
    haptic_field_add(&field, "floor", DENT_HAPTIC_FIXED, haptic_sheet(2, 4, NULL));
    dent_haptic_def def = haptic_field_def(&field, 0, 0, 0.5);
    dent_haptic *haptic = open_haptic(&field, &def);
    for (int i = 0; i < 300; i++) {
        double s = i / 300.0;
        dent_haptic_force force = tick(haptic, haptic_turned(s, 0.3 * s, 0.5 + 0.1 * s, 3 * s, i % 3));
        for (int k = 0; k < 3; k++) {
            assert_true(force.force[k] == 0 && force.torque[k] == 0);
        }
        assert_true(force.work == 0);
    }
    /* Also next to the floor, without touching it: nothing acts at a distance. */
    for (int i = 0; i < 300; i++) {
        dent_haptic_force force = tick(haptic, haptic_pose(0, 0, 0.6 - i * 0.4985 / 299));
        assert_true(length(force.force) == 0 && length(force.torque) == 0);
    }
    dent_haptic_destroy(haptic);
    haptic_field_close(&field);
}

static void on_a_plane_nothing_acts_along_it(void **state)
{
    for (int shape = 0; shape < 2; shape++) {
        struct haptic_field field;
        haptic_field_open(&field, *state, shape ? haptic_ball(0.1, 8, 12) : haptic_box(0.1, 0.07, 0.1));
        haptic_field_add(&field, "floor", DENT_HAPTIC_FIXED, haptic_sheet(2, 37, NULL));
        dent_haptic_def def = haptic_field_def(&field, 0, 0, 0.3);
        def.no_passivity = true; /* the spring alone */
        dent_haptic *haptic = open_haptic(&field, &def);
        double worst = 0, most = 0;
        for (int i = 0; i < 600; i++) {
            double s = i < 200 ? i / 200.0 : 1, t = i < 200 ? 0 : (i - 200) / 400.0;
            dent_haptic_force force = tick(haptic, haptic_turned(0.7 * t, 0.37 * t, 0.3 - 0.25 * s, 0.2 * t, 2));
            double along = sqrt(force.force[0] * force.force[0] + force.force[1] * force.force[1]);
            if (force.force[2] > 0) {
                worst = fmax(worst, along / force.force[2]);
                most = fmax(most, force.force[2]);
            }
            assert_true(force.force[2] >= 0);
            assert_int_equal(haptic_crossings(&field, &force.tool), 0);
        }
        assert_true(worst <= 1e-6);
        assert_true(most > 40 && most < 60); /* the device is 0.05 inside, the stiffness 1000 */
        dent_haptic_destroy(haptic);
        haptic_field_close(&field);
    }
}

/* A random walk of the device through a scene, with turns and a jump now and then. */
static void walk(struct haptic_field *field, dent_haptic_def def, uint64_t seed, uint64_t ticks, double reach,
                 uint32_t *touches, uint32_t *pushes)
{
    dent_haptic *haptic = open_haptic(field, &def);
    dent_random random = dent_random_seeded(seed);
    double from[6] = {0}, to[6] = {0};
    memcpy(from, def.start.translation, 3 * sizeof *from);
    uint32_t part = 0, parts = 1;
    for (uint64_t i = 0; i < ticks; i++, part++) {
        if (part >= parts) {
            memcpy(from, to, sizeof from);
            for (int k = 0; k < 6; k++) {
                to[k] = (2 * dent_random_unit(&random) - 1) * (k < 3 ? reach : 1);
            }
            part = 0;
            parts = dent_random_below(&random, 8) == 0 ? 1 : 20 + dent_random_below(&random, 100);
        }
        double s = (part + 1.0) / parts, at[6];
        for (int k = 0; k < 6; k++) {
            at[k] = from[k] + s * (to[k] - from[k]);
        }
        dent_pose device = haptic_turned(at[0], at[1], at[2], 2 * at[3], 0);
        dent_pose turn = haptic_turned(0, 0, 0, 2 * at[4], 2);
        device = dent_pose_product(&device, &turn);
        dent_haptic_force force = tick(haptic, device);
        assert_int_equal(haptic_crossings(field, &force.tool), 0);
        *touches += force.contact_count > 0;
        *pushes += force.pushing > 0;
    }
    dent_haptic_destroy(haptic);
}

static void the_tool_is_never_inside_by_exact_check(void **state)
{
    uint64_t ticks = test_count(60, 200, 33400); /* times three scenes: 100,000 in the long tier */
    uint32_t touches = 0, pushes = 0;
    for (int scene = 0; scene < 3; scene++) {
        struct haptic_field field;
        haptic_field_open(&field, *state, scene == 1 ? haptic_ball(0.15, 6, 9) : haptic_box(0.15, 0.1, 0.05));
        if (scene == 0) { /* a plane and blocks on it */
            haptic_field_add(&field, "floor", DENT_HAPTIC_FIXED, haptic_sheet(1, 6, NULL));
            for (int b = 0; b < 3; b++) {
                struct haptic_shape block = haptic_box(0.1, 0.2, 0.2);
                haptic_shape_move(&block, 0.5 * b - 0.5, 0.1 * b, 0.2);
                haptic_field_add(&field, "block", DENT_HAPTIC_FIXED, block);
            }
        } else if (scene == 1) { /* hills */
            haptic_field_add(&field, "hills", DENT_HAPTIC_FIXED, haptic_sheet(1, 40, waves));
        } else { /* two blocks with a gap that is not much wider than the tool */
            for (int b = -1; b <= 1; b += 2) {
                struct haptic_shape block = haptic_box(0.5, 0.3, 0.3);
                haptic_shape_move(&block, 0, 0.402 * b, 0);
                haptic_field_add(&field, "jaw", DENT_HAPTIC_FIXED, block);
            }
        }
        walk(&field, haptic_field_def(&field, 0, 0, 0.8), 11 + (uint64_t)scene, ticks, 0.8, &touches, &pushes);
        haptic_field_close(&field);
    }
    print_message("%u of %u ticks near, %u pushing, 0 crossings\n", touches, (uint32_t)(3 * ticks), pushes);
    assert_true(touches > ticks / 2 && pushes > ticks / 4);
}

static void a_wedge_pushes_to_both_sides(void **state)
{
    struct haptic_field field;
    haptic_field_open(&field, *state, haptic_ball(0.1, 10, 16));
    struct haptic_shape left = haptic_sheet(1, 5, NULL), right = haptic_sheet(1, 5, NULL);
    for (uint32_t v = 0; v < left.vertex_count; v++) {
        left.points[3 * v + 2] = -left.points[3 * v] / 2;
        right.points[3 * v + 2] = right.points[3 * v] / 2;
    }
    haptic_shape_move(&left, -1, 0, 0.5);
    haptic_shape_move(&right, 1, 0, 0.5);
    haptic_field_add(&field, "left", DENT_HAPTIC_FIXED, left);
    haptic_field_add(&field, "right", DENT_HAPTIC_FIXED, right);
    dent_haptic_def def = haptic_field_def(&field, 0, 0, 0.5);
    dent_haptic *haptic = open_haptic(&field, &def);
    dent_haptic_force force = {.work = 0};
    for (int i = 0; i < 400; i++) {
        force = tick(haptic, haptic_pose(0.001, 0, 0.5 - fmin(i, 300) * 0.0015));
        assert_int_equal(haptic_crossings(&field, &force.tool), 0);
        assert_true(fabs(force.force[1]) <= 1e-6 * length(force.force));
    }
    assert_true(force.pushing >= 2);
    assert_true(force.force[2] > 10);
    dent_haptic_destroy(haptic);
    haptic_field_close(&field);
}

static void a_jump_through_a_wall_ends_before_it(void **state)
{
    struct haptic_field field;
    haptic_field_open(&field, *state, haptic_box(0.05, 0.05, 0.05));
    haptic_field_add(&field, "wall", DENT_HAPTIC_FIXED, haptic_sheet(3, 9, NULL));
    dent_haptic_def def = haptic_field_def(&field, 0.3, 0.2, 0.5);
    def.force_limit = 20;
    dent_haptic *haptic = open_haptic(&field, &def);
    dent_haptic_force force = tick(haptic, haptic_pose(0.3, 0.2, 0.5));
    assert_false(force.jumped);
    force = tick(haptic, haptic_turned(0.3, 0.2, -0.5, 2, 1)); /* a metre in a tick, turned as well */
    assert_true(force.jumped);
    for (int i = 0; i < 50; i++) {
        assert_int_equal(haptic_crossings(&field, &force.tool), 0);
        assert_true(force.tool.translation[2] > 0.05);
        assert_true(length(force.force) <= 20 * (1 + 1e-12));
        force = tick(haptic, haptic_turned(0.3, 0.2, -0.5, 2, 1));
        assert_false(force.jumped);
    }
    assert_true(force.clamped && force.force[2] > 19);
    dent_haptic_counters counters;
    assert_int_equal(dent_haptic_get_counters(haptic, &counters), DENT_OK);
    assert_int_equal(counters.jumps, 1);
    dent_haptic_destroy(haptic);
    haptic_field_close(&field);
}

static uint64_t traced(dent_context *context)
{
    struct haptic_field field;
    uint64_t hash = UINT64_C(0xCBF29CE484222325);
    haptic_field_open(&field, context, haptic_box(0.1, 0.06, 0.04));
    haptic_field_add(&field, "hills", DENT_HAPTIC_FIXED, haptic_sheet(1, 20, waves));
    dent_haptic_def def = haptic_field_def(&field, 0, 0, 0.5);
    dent_haptic *haptic = open_haptic(&field, &def);
    dent_haptic_delays delays = dent_haptic_delays_default();
    delays.device = 3;
    delays.update = 2;
    for (int i = 0; i < 150; i++) {
        double s = i / 150.0;
        dent_pose device = haptic_turned(0.5 * s, 0.2 * s, 0.5 - 0.8 * s, 2 * s, 1);
        dent_haptic_force force;
        assert_int_equal(dent_haptic_clock_tick(haptic, &delays, &device, &force), DENT_OK);
        const double *numbers[] = {force.force, force.torque, force.tool.translation};
        for (int n = 0; n < 9; n++) {
            uint64_t bits;
            memcpy(&bits, &numbers[n / 3][n % 3], sizeof bits);
            hash = (hash ^ bits) * UINT64_C(0x100000001B3);
        }
    }
    dent_haptic_destroy(haptic);
    haptic_field_close(&field);
    return hash;
}

static void the_bits_are_the_same_for_all_threads_and_instruction_sets(void **state)
{
    (void)state;
    uint64_t first = 0;
    for (uint32_t threads = 1; threads <= 4; threads += 3) {
        for (dent_isa isa = DENT_ISA_SCALAR; isa < DENT_ISA_COUNT; isa = (dent_isa)(isa + 1)) {
            if (!dent_isa_available(isa)) {
                continue;
            }
            dent_context *context = test_context(threads, isa);
            uint64_t hash = traced(context);
            first = first ? first : hash;
            assert_true(hash == first);
            dent_context_destroy(context);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_free_space_the_force_is_exactly_zero),
        cmocka_unit_test(on_a_plane_nothing_acts_along_it),
        cmocka_unit_test(the_tool_is_never_inside_by_exact_check),
        cmocka_unit_test(a_wedge_pushes_to_both_sides),
        cmocka_unit_test(a_jump_through_a_wall_ends_before_it),
        cmocka_unit_test(the_bits_are_the_same_for_all_threads_and_instruction_sets),
    };
    return cmocka_run_group_tests_name("haptic touch", tests, test_open_context_of_one, test_close_context);
}
