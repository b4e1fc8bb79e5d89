/* Energy: what a hand gets from a press and release, with delays; limits, blending and refused poses. */
#include "support/haptic_field.h"
#include "support/test_context.h"

#include <stdio.h>

static void plane_field(struct haptic_field *field, dent_context *context)
{
    haptic_field_open(field, context, haptic_box(0.1, 0.1, 0.1));
    haptic_field_add(field, "floor", DENT_HAPTIC_FIXED, haptic_sheet(2, 6, NULL));
}

static dent_haptic *open_haptic(struct haptic_field *field, dent_haptic_def def)
{
    dent_haptic *haptic = NULL;
    assert_int_equal(dent_haptic_create(field->context, &def, &haptic), DENT_OK);
    return haptic;
}

/* How deep the device is at a tick: in, a rest, and out again, as smooth as a cosine. */
static double depth_at(int tick, int in, int rest, double depth)
{
    double cosine;
    int out = tick - in - rest;
    if (tick < in) {
        dent_sine_cosine(3.14159265358979323846 * tick / in, NULL, &cosine);
    } else if (out < 0) {
        cosine = -1;
    } else {
        dent_sine_cosine(3.14159265358979323846 * fmin(out, in) / in, NULL, &cosine);
        cosine = -cosine;
    }
    return depth * (1 - cosine) / 2;
}

/* The work on the hand of one press and release, and the largest force. */
static double cycle_work(dent_context *context, dent_haptic_delays delays, bool passivity, int in, int rest,
                         double slide, double *most)
{
    struct haptic_field field;
    plane_field(&field, context);
    dent_haptic_def def = haptic_field_def(&field, 0, 0, 0.12);
    def.no_passivity = !passivity;
    dent_haptic *haptic = open_haptic(&field, def);
    double work = 0, before[3] = {0}, force_before[3] = {0};
    *most = 0;
    for (int i = 0; i < 2 * in + rest + 100; i++) {
        double at[3] = {slide * i, 0, 0.12 - depth_at(i, in, rest, 0.05)};
        dent_pose device = haptic_pose(at[0], at[1], at[2]);
        dent_haptic_force force;
        assert_int_equal(dent_haptic_clock_tick(haptic, &delays, &device, &force), DENT_OK);
        for (int k = 0; k < 3 && i > 0; k++) {
            work += force_before[k] * (at[k] - before[k]);
        }
        memcpy(before, at, sizeof at);
        memcpy(force_before, force.force, sizeof force_before);
        *most = fmax(*most, force.force[2]);
        assert_true(force.force[2] >= 0);             /* a push, never a pull, also with damping */
        assert_true(fabs(force.work - work) <= 1e-9); /* turns there are none */
        assert_int_equal(haptic_crossings(&field, &force.tool), 0);
    }
    dent_haptic_destroy(haptic);
    haptic_field_close(&field);
    return work;
}

static void a_press_and_release_gives_the_hand_no_energy(void **state)
{
    static const uint32_t ticks[] = {0, 1, 5, 20};
    double without = -INFINITY;
    for (int where = 0; where < 2; where++) {
        for (int d = 0; d < 4; d++) {
            dent_haptic_delays delays = dent_haptic_delays_default();
            *(where ? &delays.device : &delays.update) = ticks[d];
            for (int speed = 0; speed < 2; speed++) {
                double most, most_off;
                int in = speed ? 40 : 150;
                double on = cycle_work(*state, delays, true, in, 30, 0, &most);
                double off = cycle_work(*state, delays, false, in, 30, 0, &most_off);
                print_message(
                    "%s delay %2u ms, press of %3d ms: work on the hand %+.5f J with passivity control, %+.5f J"
                    " without; largest force %.1f N, %.1f N\n",
                    where ? "device" : "update", ticks[d], in, on, off, most, most_off);
                assert_true(on <= 0);
                assert_true(
                    most >
                    (ticks[d] < 20 || !speed ? 20 : 0)); /* there is a wall; not for a tap as quick as the delay */
                without = fmax(without, off);
            }
        }
    }
    assert_true(without > 0); /* what the control is for */
    double most;
    dent_haptic_delays delays = dent_haptic_delays_default();
    delays.device = 5;
    assert_true(cycle_work(*state, delays, true, 100, 0, 0.001, &most) <= 0);
}

/* A mass on a spring that a hand pulls into the floor and out again: the force acts back on it. */
static void a_hand_that_gives_way_gets_no_energy(void **state)
{
    for (uint32_t delay = 0; delay <= 20; delay = delay ? 4 * delay : 5) {
        struct haptic_field field;
        plane_field(&field, *state);
        dent_haptic_def def = haptic_field_def(&field, 0, 0, 0.12);
        dent_haptic *haptic = open_haptic(&field, def);
        dent_haptic_delays delays = dent_haptic_delays_default();
        dent_haptic_force force = {.work = 0};
        double z = 0.12, speed = 0, mass = 0.2, spring = 400, damper = 4, most = 0;
        delays.device = delay;
        for (int i = 0; i < 700; i++) {
            double wanted = 0.12 - depth_at(i, 200, 100, 0.05);
            speed += 0.001 / mass * (spring * (wanted - z) - damper * speed + force.force[2]);
            z += 0.001 * speed;
            dent_pose device = haptic_pose(0, 0, z);
            assert_int_equal(dent_haptic_clock_tick(haptic, &delays, &device, &force), DENT_OK);
            assert_int_equal(haptic_crossings(&field, &force.tool), 0);
            most = fmax(most, force.force[2]);
        }
        print_message("hand of 0.2 kg, device delay %2u ms: work %+.5f J, largest force %.1f N\n", delay, force.work,
                      most);
        assert_true(force.work <= 0);
        dent_haptic_destroy(haptic);
        haptic_field_close(&field);
    }
}

static void a_larger_force_is_blended_in_and_a_smaller_one_acts_at_once(void **state)
{
    struct haptic_field field;
    plane_field(&field, *state);
    dent_haptic_def def = haptic_field_def(&field, 0, 0, 0.12);
    def.no_passivity = true;
    dent_haptic *haptic = open_haptic(&field, def);
    dent_haptic_delays delays = dent_haptic_delays_default();
    dent_haptic_force force;
    double last = 0;
    for (int i = 0; i < 20; i++) {
        dent_pose device = haptic_pose(0, 0, i < 2 ? 0.12 : 0.07); /* into the floor at once */
        assert_int_equal(dent_haptic_clock_tick(haptic, &delays, &device, &force), DENT_OK);
        assert_true(force.force[2] >= last);
        assert_true(i < 2 || i >= 6 || (force.blended && force.force[2] < 30));
        last = force.force[2];
    }
    assert_false(force.blended);
    assert_true(last > 29);
    dent_pose out = haptic_pose(0, 0, 0.12);
    assert_int_equal(dent_haptic_clock_tick(haptic, &delays, &out, &force), DENT_OK);
    assert_true(force.force[2] == 0);
    dent_haptic_destroy(haptic);
    haptic_field_close(&field);
}

static void a_force_above_its_limit_keeps_its_direction(void **state)
{
    struct haptic_field field;
    plane_field(&field, *state);
    dent_haptic_force forces[2];
    for (int limited = 0; limited < 2; limited++) {
        dent_haptic_def def = haptic_field_def(&field, 0, 0, 0.12);
        def.force_limit = limited ? 3 : INFINITY;
        dent_haptic *haptic = open_haptic(&field, def);
        dent_haptic_delays delays = dent_haptic_delays_default();
        for (int i = 0; i < 100; i++) {
            dent_pose device = haptic_turned(0.3, 0, 0.12 - 0.0005 * i, 0.003 * i, 1);
            assert_int_equal(dent_haptic_clock_tick(haptic, &delays, &device, &forces[limited]), DENT_OK);
        }
        dent_haptic_destroy(haptic);
    }
    assert_true(forces[1].clamped && !forces[0].clamped);
    double factor = forces[1].force[2] / forces[0].force[2];
    assert_true(fabs(forces[1].force[2] - 3) < 1e-9 && factor < 1);
    for (int k = 0; k < 3; k++) {
        assert_true(fabs(forces[1].torque[k] - factor * forces[0].torque[k]) <= 1e-9);
    }
    assert_true(fabs(forces[0].torque[1]) > 0.01);
    haptic_field_close(&field);
}

static void bad_poses_are_refused_and_change_nothing(void **state)
{
    struct haptic_field field;
    plane_field(&field, *state);
    dent_haptic *haptic = open_haptic(&field, haptic_field_def(&field, 0, 0, 0.12));
    dent_haptic_delays delays = dent_haptic_delays_default();
    dent_haptic_force force, untouched;
    char message[256];
    memset(&untouched, 0x5A, sizeof untouched);
    for (int bad = 0; bad < 6; bad++) {
        dent_pose device = haptic_pose(0, 0, 0.12);
        double *numbers[] = {&device.translation[1], &device.rotation[2], &device.translation[0]};
        *numbers[bad % 3] = bad == 0 ? NAN : bad < 3 ? INFINITY : bad == 3 ? -1e300 : bad == 5 ? 1e101 : NAN;
        force = untouched;
        dent_status status = bad % 2 ? dent_haptic_couple(haptic, &device, &force)
                                     : dent_haptic_clock_tick(haptic, &delays, &device, &force);
        assert_int_equal(status, DENT_ERROR_BAD_NUMBER);
        assert_memory_equal(&force, &untouched, sizeof force);
        dent_context_message(field.context, message, sizeof message);
        assert_non_null(strstr(message, "the pose of the device"));
    }
    dent_pose zero = haptic_pose(0, 0, 0.12);
    zero.rotation[0] = 0;
    assert_int_equal(dent_haptic_couple(haptic, &zero, &force), DENT_ERROR_INVALID_ARGUMENT);
    dent_pose good = haptic_pose(0, 0, 0.13);
    assert_int_equal(dent_haptic_clock_tick(haptic, &delays, &good, &force), DENT_OK);
    assert_true(force.work == 0 && force.tool.translation[2] > 0.125);
    dent_haptic_counters counters;
    assert_int_equal(dent_haptic_get_counters(haptic, &counters), DENT_OK);
    assert_int_equal(counters.rejected_poses, 7);
    assert_int_equal(counters.ticks, 1);
    dent_haptic_destroy(haptic);
    haptic_field_close(&field);
}

/* The same at a thousandth of a millionth of the size, and far larger: lengths have no unit. */
static void sizes_do_not_matter(void **state)
{
    double first = 0;
    for (int exponent = -40; exponent <= 40; exponent += 20) {
        double unit = ldexp(1, exponent);
        struct haptic_field field;
        plane_field(&field, *state);
        for (uint32_t n = 0; n < 3 * field.tool.vertex_count; n++) {
            field.tool.points[n] *= unit;
        }
        for (uint32_t n = 0; n < 3 * field.shapes[0].vertex_count; n++) {
            field.shapes[0].points[n] *= unit;
        }
        dent_haptic *haptic = open_haptic(&field, haptic_field_def(&field, 0, 0, 0.12 * unit));
        dent_haptic_delays delays = dent_haptic_delays_default();
        dent_haptic_force force;
        for (int i = 0; i < 60; i++) {
            dent_pose device = haptic_turned(0, 0, unit * (0.12 - 0.001 * i), 0.2, 0);
            assert_int_equal(dent_haptic_clock_tick(haptic, &delays, &device, &force), DENT_OK);
            assert_int_equal(haptic_crossings(&field, &force.tool), 0);
        }
        first = first > 0 ? first : force.force[2] / unit;
        assert_true(first > 1 && fabs(force.force[2] / unit - first) <= 1e-9 * first);
        dent_haptic_destroy(haptic);
        haptic_field_close(&field);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_press_and_release_gives_the_hand_no_energy),
        cmocka_unit_test(a_hand_that_gives_way_gets_no_energy),
        cmocka_unit_test(a_larger_force_is_blended_in_and_a_smaller_one_acts_at_once),
        cmocka_unit_test(a_force_above_its_limit_keeps_its_direction),
        cmocka_unit_test(bad_poses_are_refused_and_change_nothing),
        cmocka_unit_test(sizes_do_not_matter),
    };
    return cmocka_run_group_tests_name("haptic hand", tests, test_open_context_of_one, test_close_context);
}
