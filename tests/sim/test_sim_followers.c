/* Follower pressure: turns with the surface, and gives no more energy than its work. */
#include "support/cmocka_includes.h"
#include "support_loads.h"

#include <math.h>
#include <string.h>

static void a_follower_on_a_closed_surface_makes_no_momentum_and_no_energy_but_its_work(void **state)
{
    (void)state;
    for (int cloth = 0; cloth < 2; cloth++) {
        struct stage stage;
        stage_open(&stage, 1, DENT_ISA_AUTO, cloth ? test_ball(3, 0.5, 0, 0, 0) : test_block(3, 3, 3, 0.1, 0, 0, 0),
                   cloth ? DENT_SIM_CLOTH : DENT_SIM_SOLID);
        memset(stage.def.gravity, 0, sizeof stage.def.gravity);
        stage.material.density = cloth ? 0.2 : 1000;
        stage.material.young = 1e5;
        stage.material.damping = 0;
        stage.bodies[0].angular_velocity[0] = 3;
        stage.bodies[0].angular_velocity[1] = 1;
        dent_sim_load_def *load = stage_push(&stage, DENT_SIM_LOAD_FOLLOWER);
        load->pressure = cloth ? -200 : 2e4; /* inflates the one, squeezes the other */
        stage_begin(&stage);
        dent_sim_statistics start = dent_sim_get_statistics(stage.sim), sums;
        for (uint64_t n = 0, steps = test_count(40, 120, 120); n < steps; n++) {
            test_steps(stage.sim, 1);
            sums = dent_sim_get_statistics(stage.sim);
            double gained = sums.kinetic + sums.elastic - start.kinetic - start.elastic - sums.outer_work;
            assert_true(gained <= 1e-6 * (start.kinetic + fabs(sums.outer_work)));
        }
        assert_true(sums.outer_work > 0);
        for (int axis = 0; axis < 3; axis++) {
            assert_true(fabs(sums.linear_momentum[axis]) < 1e-6);
            assert_true(fabs(sums.angular_momentum[axis] - start.angular_momentum[axis]) <
                        0.01 * fabs(start.angular_momentum[0]));
        }
        stage_close(&stage);
    }
}

static void a_follower_turns_with_the_surface_and_a_dead_pressure_does_not(void **state)
{
    (void)state;
    /* A rigid cube that has turned by 90 degrees about z is pushed along +y instead of +x. */
    for (int kind = DENT_SIM_LOAD_PRESSURE; kind <= DENT_SIM_LOAD_FOLLOWER; kind++) {
        struct stage stage;
        static const dent_sim_time_value rows[] = {{1, 0}, {1.000001, 1}};
        stage_open(&stage, 1, DENT_ISA_AUTO, test_block(2, 2, 2, 0.1, -0.1, -0.1, -0.1), DENT_SIM_RIGID);
        memset(stage.def.gravity, 0, sizeof stage.def.gravity);
        stage.bodies[0].angular_velocity[2] = PI / 2;
        dent_sim_load_def *load = stage_push(&stage, (dent_sim_load_kind)kind);
        load->vertices = stage_layer(&stage, 0, -0.1, &load->vertex_count);
        load->pressure = 100;
        load->course = (dent_sim_course){2, rows};
        stage_begin(&stage);
        test_steps(stage.sim, 61);
        dent_sim_statistics sums = dent_sim_get_statistics(stage.sim);
        double along = sums.linear_momentum[kind == DENT_SIM_LOAD_FOLLOWER ? 1 : 0];
        double across = sums.linear_momentum[kind == DENT_SIM_LOAD_FOLLOWER ? 0 : 1];
        assert_true(is_near(along, 4.0 / 60, 0.02));
        assert_true(fabs(across) < 0.05 * along);
        stage_close(&stage);
    }
}

static void a_follower_on_an_open_patch_gives_no_more_energy_than_its_work(void **state)
{
    (void)state;
    struct stage stage;
    stage_open_beam(&stage, 1e5);
    stage.def.time_step = 1.0 / 60;
    stage.material.damping = 0;
    stage.def.air_damping = 0;
    memset(stage.def.gravity, 0, sizeof stage.def.gravity);
    stage_hold(&stage, 0, 0, 7);
    dent_sim_load_def *load = stage_push(&stage, DENT_SIM_LOAD_FOLLOWER);
    load->vertices = stage_layer(&stage, 2, 0.1, &load->vertex_count);
    load->pressure = 200;
    stage_begin(&stage);
    for (uint64_t n = 0, steps = test_count(80, 180, 180); n < steps; n++) {
        test_steps(stage.sim, 1);
        dent_sim_statistics sums = dent_sim_get_statistics(stage.sim);
        assert_true(sums.kinetic + sums.elastic <= sums.outer_work + 1e-6 * fabs(sums.outer_work) + 1e-12);
        assert_int_equal(sums.inverted_cells, 0);
    }
    stage_close(&stage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_follower_on_a_closed_surface_makes_no_momentum_and_no_energy_but_its_work),
        cmocka_unit_test(a_follower_turns_with_the_surface_and_a_dead_pressure_does_not),
        cmocka_unit_test(a_follower_on_an_open_patch_gives_no_more_energy_than_its_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
