/* Rigid bodies that are fast, or are met by fast ones; starts inside the rest distance. */
#include "support_physics.h"

/* ---- a told body ------------------------------------------------------------------------------------------------- */

/* A wall of 10 cm that goes 4 m along x within the time given, through the place of a box; and what becomes of it. */
static void sweep_wall(double seconds, double turn, bool standing)
{
    struct physics physics;
    dent_sim_keyframe keys[2] = {{0.02, {1, 0, 0, 0}, {0, 0, 0}},
                                 {0.02 + seconds, {cos(0.5 * turn), 0, 0, sin(0.5 * turn)}, {4, 0, 0}}};
    physics_open(&physics, 1);
    uint32_t wall = physics_add(&physics, DENT_SIM_PRESCRIBED,
                                physics_block((const uint32_t[3]){1, 10, 10}, 0.1, (const double[3]){-1, -0.5, -0.1}));
    physics.bodies[wall].motion.keyframes = keys;
    physics.bodies[wall].motion.keyframe_count = 2;
    uint32_t box = physics_add(&physics, DENT_SIM_RIGID,
                               physics_block((const uint32_t[3]){2, 2, 2}, 0.05, (const double[3]){0, -0.05, 0.01}));
    if (standing) {
        physics_add(&physics, DENT_SIM_PRESCRIBED,
                    physics_block((const uint32_t[3]){8, 8, 1}, 2, (const double[3]){-8, -8, -2.2}));
        physics.def.gravity[2] = -9.81;
    } else {
        physics.def.gravity[2] = 0;
    }
    physics_begin(&physics);
    for (int n = 0; n < 60; n++) {
        double center[3], front[3];
        physics_step(&physics);
        physics_center(&physics, box, center);
        physics_center(&physics, wall, front);
        if (turn == 0) {
            assert_true(center[0] > front[0]);
        }
        assert_int_equal(physics_crossings(&physics), 0);
    }
    physics_close(&physics);
}

static void a_prescribed_body_passes_no_rigid_one_however_fast(void **state)
{
    (void)state;
    static const double seconds[] = {1, 0.1, 0.02, 0.005, 0.001};
    for (size_t n = 0; n < sizeof seconds / sizeof seconds[0]; n++) {
        print_message("wall at %g m/s\n", 4 / seconds[n]);
        sweep_wall(seconds[n], 0, false);
    }
}

/* ---- what turns -------------------------------------------------------------------------------------------------- */

/* A bar that turns by `turns` in a substep beside a post it must hit; the fastest of its ends afterwards, as a share of
 * before. Positions at the ends of substeps alone show nothing: for whole turns they are the same. */
static double strike(double turns, uint32_t substeps)
{
    struct physics physics;
    double fastest = 0, h = 1.0 / 60 / substeps, before = 6.283185307179586 * turns / h * 0.5;
    physics_open(&physics, 1);
    uint32_t bar =
        physics_add(&physics, DENT_SIM_RIGID,
                    physics_block((const uint32_t[3]){1, 10, 1}, 0.1, (const double[3]){-0.05, -0.5, -0.05}));
    physics_add(&physics, DENT_SIM_PRESCRIBED,
                physics_block((const uint32_t[3]){1, 1, 4}, 0.1, (const double[3]){0.3, -0.05, -0.2}));
    physics.bodies[bar].angular_velocity[2] = 6.283185307179586 * turns / h;
    physics.def.gravity[2] = 0;
    physics.def.substeps = substeps;
    physics_begin(&physics);
    for (int n = 0; n < 20; n++) {
        physics_step(&physics);
        assert_int_equal(physics_crossings(&physics), 0);
    }
    const double *v = dent_sim_velocities(physics.sim, bar);
    for (uint32_t k = 0; k < 44; k++) {
        fastest = fmax(fastest, sqrt(v[3 * k] * v[3 * k] + v[3 * k + 1] * v[3 * k + 1]));
    }
    physics_close(&physics);
    return fastest / before;
}

static void a_bar_that_turns_fast_strikes_what_stands_in_its_circle(void **state)
{
    (void)state;
    static const double turns[] = {0.05, 0.2, 0.49, 1, 1.3, 5, 40};
    for (size_t n = 0; n < sizeof turns / sizeof turns[0]; n++) {
        double left = strike(turns[n], n % 2 ? 10 : 1);
        print_message("%g turns in a substep: %.3g of the speed is left\n", turns[n], left);
        assert_true(left < 0.8);
    }
}

/* ---- starts inside the rest distance ----------------------------------------------------------------------------- */

static void a_stack_that_starts_too_near_stands_whatever_it_carries(void **state)
{
    (void)state;
    static const double gaps[] = {0, 1e-4, 5e-4, 2e-3}, loads[] = {1, 1000};
    for (size_t n = 0; n < 8; n++) {
        struct physics physics;
        double gap = gaps[n % 4], fastest = 0;
        physics_open(&physics, 1);
        physics.def.gravity[2] = -9.81;
        physics_add(&physics, DENT_SIM_PRESCRIBED,
                    physics_block((const uint32_t[3]){4, 4, 1}, 0.5, (const double[3]){-1, -1, -0.5}));
        for (int k = 0; k < 10; k++) {
            uint32_t box = physics_add(
                &physics, DENT_SIM_RIGID,
                physics_block((const uint32_t[3]){1, 1, 1}, 0.2, (const double[3]){-0.1, -0.1, gap + (0.2 + gap) * k}));
            physics.bodies[box].density = k == 9 ? 1000 * loads[n / 4] : 1000;
        }
        physics.def.sleep = false;
        physics_begin(&physics);
        for (int step = 0; step < (int)test_count(60, 180, 600); step++) {
            physics_step(&physics);
            for (uint32_t b = 1; b <= 10; b++) {
                const double *v = dent_sim_velocities(physics.sim, b);
                for (uint32_t k = 0; k < 8; k++) {
                    fastest = fmax(
                        fastest, sqrt(v[3 * k] * v[3 * k] + v[3 * k + 1] * v[3 * k + 1] + v[3 * k + 2] * v[3 * k + 2]));
                }
            }
        }
        const double *x = dent_sim_positions(physics.sim, 10);
        print_message("gaps of %g m, top %g times the mass: fastest %.3g m/s, top at %.6f %.6f %.6f\n", gap,
                      loads[n / 4], fastest, x[0], x[1], x[2]);
        assert_true(fastest < 1e-6);
        assert_true(fabs(x[0] + 0.1) < 2e-3 && fabs(x[1] + 0.1) < 2e-3 && fabs(x[2] - 1.8) < 0.2);
        physics_close(&physics);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_prescribed_body_passes_no_rigid_one_however_fast),
        cmocka_unit_test(a_bar_that_turns_fast_strikes_what_stands_in_its_circle),
        cmocka_unit_test(a_stack_that_starts_too_near_stands_whatever_it_carries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
