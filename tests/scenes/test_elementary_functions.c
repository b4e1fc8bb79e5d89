/* The scenes' own sine, cosine and cube root: right to the last bits, and the same bits everywhere. */
#include "support/cmocka_includes.h"

#include "scenes/elementary_functions.h"
#include "scenes/support_counting.h"

#include <dent/base.h>

#include <math.h>
#include <stdio.h>

static void sine_and_cosine_are_within_one_unit_of_the_c_library(void **state)
{
    (void)state;
    double worst = 0;
    for (int i = -200000; i <= 200000; i++) {
        double angle = i * 0.000731;
        struct scene_sine_cosine both = scene_sine_cosine(angle);
        worst = fmax(worst, fmax(fabs(both.sine - sin(angle)), fabs(both.cosine - cos(angle))));
        assert_true(both.sine == scene_sine(angle) && both.cosine == scene_cosine(angle));
    }
    print_message("largest difference from the C library for angles up to 146: %.3g\n", worst);
    assert_true(worst < 2.3e-16);
}

static void large_angles_are_reduced_well(void **state)
{
    (void)state;
    for (int i = 1; i < 1000; i++) {
        double angle = 997.123 * i;
        assert_true(fabs(scene_sine(angle) - sin(angle)) < 1e-15);
        assert_true(fabs(scene_cosine(-angle) - cos(angle)) < 1e-15);
    }
}

static void quarter_turns_and_zero_are_as_expected(void **state)
{
    (void)state;
    assert_true(scene_sine(0) == 0 && scene_cosine(0) == 1);
    assert_true(fabs(scene_sine(SCENE_PI)) < 2e-16 && scene_cosine(SCENE_PI) == -1);
    assert_true(scene_sine(SCENE_PI / 2) == 1 && scene_sine(-SCENE_PI / 2) == -1);
}

static void cube_roots_are_right_for_all_magnitudes(void **state)
{
    (void)state;
    assert_true(scene_cube_root(0) == 0);
    assert_true(scene_cube_root(8) == 2 && scene_cube_root(-27) == -3 && scene_cube_root(1) == 1);
    for (int e = -1000; e <= 1000; e += 7) {
        double value = ldexp(1.3, e);
        assert_true(fabs(scene_cube_root(value) / cbrt(value) - 1) < 4e-16);
    }
}

static void smooth_step_runs_from_zero_to_one_either_way_round(void **state)
{
    (void)state;
    assert_true(scene_smooth_step(1, 2, 0.5) == 0 && scene_smooth_step(1, 2, 3) == 1 &&
                scene_smooth_step(1, 2, 1.5) == 0.5);
    assert_true(scene_smooth_step(2, 1, 0.5) == 1 && scene_smooth_step(2, 1, 3) == 0);
}

static void the_bits_are_the_golden_ones(void **state)
{
    (void)state;
    uint64_t hash = HASH_EMPTY;
    for (int i = -20000; i <= 20000; i++) {
        struct scene_sine_cosine both = scene_sine_cosine(i * 0.37);
        double root = scene_cube_root(i * 0.37);
        hash = hash_doubles(hash, &both.sine, 1);
        hash = hash_doubles(hash, &both.cosine, 1);
        hash = hash_doubles(hash, &root, 1);
    }
    print_message("hash 0x%016llx\n", (unsigned long long)hash);
    assert_true(hash == UINT64_C(0x5EB7B74093B51DD4));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sine_and_cosine_are_within_one_unit_of_the_c_library),
        cmocka_unit_test(large_angles_are_reduced_well),
        cmocka_unit_test(quarter_turns_and_zero_are_as_expected),
        cmocka_unit_test(cube_roots_are_right_for_all_magnitudes),
        cmocka_unit_test(smooth_step_runs_from_zero_to_one_either_way_round),
        cmocka_unit_test(the_bits_are_the_golden_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
