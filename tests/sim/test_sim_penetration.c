/* The penetration a simulation reports is the one there is: bodies that start in one another by a known depth, measured
 * against the positions themselves in every step until they have come apart; zero exactly when nothing is inside; the
 * exact check agrees. */
#include "support/cmocka_includes.h"
#include "support_meshes.h"

#include <dent/penetration.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A floor whose upper side is z = 0, and a block over its middle that reaches `depth` into it. No vertex of the floor
 * is in the block: so each depth is one below a plane, which is exact. */
struct pressed {
    dent_context *context;
    dent_sim *sim;
    struct test_mesh floor, block;
};

static struct pressed press(dent_sim_body_kind kind, double depth, double gravity, double thickness, double time_step)
{
    struct pressed pressed = {.context = test_context(1, DENT_ISA_AUTO)};
    pressed.floor = test_block(3, 3, 1, 1, -1.5, -1.5, -1);
    pressed.block = test_block(3, 3, 3, 0.1, -0.16, -0.14, -depth);
    dent_sim_body_def bodies[2] = {test_body(DENT_SIM_PRESCRIBED, &pressed.floor), test_body(kind, &pressed.block)};
    dent_sim_def def = dent_sim_def_default();
    def.body_count = 2;
    def.bodies = bodies;
    def.gravity[2] = gravity;
    def.time_step = time_step;
    bodies[0].thickness = bodies[1].thickness = thickness;
    bodies[1].self_collision = false; /* pushed out that fast, soft cells may fold */
    pressed.sim = test_sim(pressed.context, &def);
    return pressed;
}

static const double short_step = 5e-4; /* s: overlap takes several steps to come out */

static void let_go(struct pressed *pressed)
{
    dent_sim_destroy(pressed->sim);
    test_mesh_free(&pressed->floor);
    test_mesh_free(&pressed->block);
    dent_context_destroy(pressed->context);
}

/* How far the block is below the floor's upper side, from its positions; negative: above. */
static double depth_of(const struct pressed *pressed)
{
    double lowest = INFINITY;
    for (uint32_t v = 0; v < pressed->block.vertex_count; v++) {
        lowest = fmin(lowest, dent_sim_positions(pressed->sim, 1)[3 * (size_t)v + 2]);
    }
    return -lowest;
}

static void a_known_depth_is_reported(void **state)
{
    (void)state;
    static const double depths[] = {1e-6, 0.001, 0.02, 0.07};
    static const dent_sim_body_kind kinds[] = {DENT_SIM_RIGID, DENT_SIM_SOLID};
    for (size_t k = 0; k < 2; k++) {
        for (size_t d = 0; d < sizeof depths / sizeof depths[0]; d++) {
            struct pressed pressed = press(kinds[k], depths[d], 0, -1, 1.0 / 60);
            test_steps(pressed.sim, 1);
            dent_sim_statistics statistics = dent_sim_get_statistics(pressed.sim);
            print_message("%s, %g deep: reported %.17g\n", dent_sim_body_kind_name(kinds[k]), depths[d],
                          statistics.max_penetration);
            assert_true(fabs(statistics.max_penetration - depths[d]) <= 1e-12);
            assert_true(statistics.deepest_a + statistics.deepest_b == 1); /* bodies 0 and 1, either way round */
            let_go(&pressed);
        }
    }
}

/* Two blocks, one pressed into the floor by a known depth and a small one swallowed whole by the floor, whose depth is
 * a guess. In either order. */
static void a_depth_that_is_a_guess_does_not_stand_for_one_that_is_known(void **state)
{
    (void)state;
    for (uint32_t swallowed = 1; swallowed <= 2; swallowed++) {
        dent_context *context = test_context(1, DENT_ISA_AUTO);
        struct test_mesh meshes[3] = {test_block(3, 3, 3, 1, -1.5, -1.5, -3)};
        meshes[swallowed] = test_block(1, 1, 1, 0.1, 0.2, 0.3, -1.4);
        meshes[3 - swallowed] = test_block(3, 3, 3, 0.1, -0.16, -0.14, -0.02);
        dent_sim_body_def bodies[3];
        dent_sim_def def = dent_sim_def_default();
        for (int i = 0; i < 3; i++) {
            bodies[i] = test_body(i == 0 ? DENT_SIM_PRESCRIBED : DENT_SIM_RIGID, &meshes[i]);
        }
        def.body_count = 3;
        def.bodies = bodies;
        def.gravity[2] = 0;
        dent_sim *sim = test_sim(context, &def);
        test_steps(sim, 1);
        dent_sim_statistics statistics = dent_sim_get_statistics(sim);
        assert_true(fabs(statistics.max_penetration - 0.02) <= 1e-12);
        assert_true(statistics.max_penetration_error <= 1e-12);
        assert_true(statistics.deepest_a + statistics.deepest_b == 3 - swallowed);
        assert_true(statistics.uncertain_penetration > 0.5);
        dent_sim_destroy(sim);
        for (int i = 0; i < 3; i++) {
            test_mesh_free(&meshes[i]);
        }
        dent_context_destroy(context);
    }
}

/* What a step reports is the depth it found where the last one had left the bodies: old overlap shrinks slowly, and
 * each of its depths must be told, then zero and not a residual of the solver. */
static void every_step_reports_the_depth_the_positions_have(void **state)
{
    (void)state;
    static const dent_sim_body_kind kinds[] = {DENT_SIM_RIGID, DENT_SIM_SOLID};
    for (size_t k = 0; k < 2; k++) {
        struct pressed pressed = press(kinds[k], 0.07, 0, -1, short_step);
        int deep = 0, apart = 0;
        for (int n = 0; n < 200 && apart < 8; n++) {
            double before = depth_of(&pressed);
            test_steps(pressed.sim, 1);
            double reported = dent_sim_get_statistics(pressed.sim).max_penetration;
            if (before > 0) {
                assert_true(fabs(reported - before) <= 1e-9);
                deep++;
            } else {
                assert_true(reported == 0);
                apart++;
            }
        }
        print_message("%s: %d steps inside, %d outside\n", dent_sim_body_kind_name(kinds[k]), deep, apart);
        assert_true(deep >= 10 && apart == 8);
        let_go(&pressed);
    }
}

/* A block at rest lies on the sum of the thicknesses: contacts with force, and no penetration. The exact check says
 * the same. */
static void bodies_at_rest_are_kept_apart_by_their_thickness_and_report_none(void **state)
{
    (void)state;
    static const dent_sim_body_kind kinds[] = {DENT_SIM_RIGID, DENT_SIM_SOLID};
    for (size_t k = 0; k < 2; k++) {
        struct pressed pressed = press(kinds[k], -0.01, -9.81, 0.002, 1.0 / 60);
        test_steps(pressed.sim, 60);
        dent_sim_statistics statistics = dent_sim_get_statistics(pressed.sim);
        double gap = -depth_of(&pressed);
        dent_check_def check = dent_check_def_default();
        dent_check_result result;
        assert_int_equal(dent_world_check(dent_sim_world(pressed.sim), &check, &result), DENT_OK);
        print_message("%s at rest: %llu contacts carry it, %g above\n", dent_sim_body_kind_name(kinds[k]),
                      (unsigned long long)statistics.touching, gap);
        assert_true(statistics.touching >= 3);
        assert_true(statistics.max_penetration == 0 && statistics.deepest_a == UINT32_MAX);
        assert_true(gap > 0 && gap <= 1.1 * 0.004);
        assert_int_equal(result.penetrating_pairs, 0);
        let_go(&pressed);
    }
}

/* The depth of the exact check, which finds it by distances to faces, is that of the simulation. */
static void the_check_and_the_simulation_agree(void **state)
{
    (void)state;
    struct pressed pressed = press(DENT_SIM_SOLID, 0.03, 0, -1, short_step);
    for (int n = 0; n < 3; n++) {
        dent_check_def check = dent_check_def_default();
        dent_check_result result;
        assert_int_equal(dent_world_check(dent_sim_world(pressed.sim), &check, &result), DENT_OK);
        assert_int_equal(result.penetrating_pairs, 1);
        double checked = result.max_depth;
        test_steps(pressed.sim, 1);
        assert_true(fabs(dent_sim_get_statistics(pressed.sim).max_penetration - checked) <= 1e-9);
    }
    let_go(&pressed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_known_depth_is_reported),
        cmocka_unit_test(a_depth_that_is_a_guess_does_not_stand_for_one_that_is_known),
        cmocka_unit_test(every_step_reports_the_depth_the_positions_have),
        cmocka_unit_test(bodies_at_rest_are_kept_apart_by_their_thickness_and_report_none),
        cmocka_unit_test(the_check_and_the_simulation_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
