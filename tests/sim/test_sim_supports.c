/* Supports against statics: what they hold stays, and their reactions are load and weight. */
#include "support/cmocka_includes.h"
#include "support_loads.h"

#include <math.h>
#include <string.h>

static void a_clamped_beam_bends_along_its_tip_load_and_the_clamp_gives_load_and_weight(void **state)
{
    (void)state;
    struct stage stage;
    double force[3], sag[2];
    uint32_t steps = (uint32_t)test_count(120, 400, 400); /* swings fade by e a second at least */
    for (int axis = 1; axis < 3; axis++) {
        stage_open_beam(&stage, 1e7);
        stage.def.substeps = getenv("DENT_QUICK_TESTS") ? 2 : 0;
        stage_hold(&stage, 0, 0, 7);
        dent_sim_load_def *load = stage_push(&stage, DENT_SIM_LOAD_FORCE);
        load->vertices = stage_layer(&stage, 0, 1, &load->vertex_count);
        load->vector[axis] = 5;
        stage_begin(&stage);
        double mass = 1000 * 0.01;
        test_steps(stage.sim, steps);
        stage_reaction(&stage, 0, force);
        assert_true(is_near(force[2], mass * 9.81 - (axis == 2 ? 5 : 0), 0.005));
        assert_true(fabs(force[1] - (axis == 1 ? -5 : 0)) < 0.01 && fabs(force[0]) < 0.01);
        double tip = 0;
        for (uint32_t n = 0; n < load->vertex_count; n++) {
            uint32_t v = load->vertices[n];
            tip += (dent_sim_positions(stage.sim, 0)[3 * v + axis] - stage.mesh.positions[3 * v + axis]) /
                   load->vertex_count;
        }
        sag[axis - 1] = tip;
        stage_close(&stage);
    }
    /* F L^3 / 3 E I and shear: 0.0200 m; linear tetrahedra of two cells lock to about 60 % of it. */
    print_message("tip: %.5f m sideways\n", sag[0]);
    assert_true(sag[0] > 0.5 * 0.02 && sag[0] < 0.0205);
    assert_true(sag[1] < 0); /* the weight is the greater */
}

static void supports_along_one_axis_carry_the_weight_and_let_the_rest_move(void **state)
{
    (void)state;
    struct stage stage;
    double force[3];
    uint32_t steps = (uint32_t)test_count(60, 240, 240);
    for (int exponent = 4; exponent < 10; exponent += 2) {
        stage_open(&stage, 1, DENT_ISA_AUTO, test_block(3, 3, 3, 0.1, 0, 0, 0), DENT_SIM_SOLID);
        stage.material.young = pow(10, exponent);
        stage.bodies[0].linear_velocity[0] = 0.5;
        stage.material.damping = 0.05;
        stage.def.substeps = getenv("DENT_QUICK_TESTS") ? 4 : 0;
        stage_hold(&stage, 2, 0, DENT_SIM_HOLD_Z);
        stage_begin(&stage);
        test_steps(stage.sim, steps);
        stage_reaction(&stage, 0, force);
        assert_true(is_near(force[2], 27 * 9.81, 0.005));
        assert_true(fabs(force[0]) < 1e-9 && fabs(force[1]) < 1e-9);
        assert_true(is_near(stage_mean(&stage, dent_sim_positions(stage.sim, 0), 0),
                            0.15 + 0.5 * dent_sim_time(stage.sim), 0.001));
        for (uint32_t n = 0; n < stage.supports[0].vertex_count; n++) {
            assert_true(fabs(dent_sim_positions(stage.sim, 0)[3 * stage.supports[0].vertices[n] + 2]) < 1e-14);
        }
        stage_close(&stage);
    }
}

static void a_body_held_along_a_slanting_direction_slides_down_that_slope(void **state)
{
    (void)state;
    struct stage stage;
    double force[3];
    stage_open(&stage, 1, DENT_ISA_AUTO, test_block(2, 2, 2, 0.1, 0, 0, 0), DENT_SIM_SOLID);
    stage.material.young = 1e6;
    stage_hold(&stage, 2, 0, 0);
    stage.supports[0].direction[0] = -3; /* normal of a slope of 3 in 4, falling towards -x … of length 5 */
    stage.supports[0].direction[2] = 4;
    stage_begin(&stage);
    test_steps(stage.sim, 60);
    /* g sin cos along x, g sin sin down; the normal force is m g cos. */
    assert_true(is_near(stage_mean(&stage, dent_sim_velocities(stage.sim, 0), 0), -9.81 * 0.6 * 0.8, 0.01));
    assert_true(is_near(stage_mean(&stage, dent_sim_velocities(stage.sim, 0), 2), -9.81 * 0.6 * 0.6, 0.01));
    stage_reaction(&stage, 0, force);
    assert_true(is_near(force[0] / force[2], -0.75, 1e-9));
    assert_true(is_near(sqrt(force[0] * force[0] + force[2] * force[2]), 8 * 9.81 * 0.8, 0.02));
    stage_close(&stage);
}

static void a_bar_pulled_by_a_prescribed_displacement_answers_with_young_area_strain(void **state)
{
    (void)state;
    struct stage stage;
    double force[2][3];
    static const dent_sim_time_value rows[] = {{0, 0}, {1, 1}};
    stage_open(&stage, 1, DENT_ISA_AUTO, test_block(6, 2, 2, 0.05, 0, 0, 0), DENT_SIM_SOLID);
    stage.material.young = 1e6;
    stage.material.poisson = 0.3;
    stage.material.damping = 0.05;
    memset(stage.def.gravity, 0, sizeof stage.def.gravity);
    stage_hold(&stage, 0, 0, DENT_SIM_HOLD_X);
    stage_hold(&stage, 0, 0.3, DENT_SIM_HOLD_X);
    stage.supports[1].displacement[0] = 0.0003;
    stage.supports[1].course = (dent_sim_course){2, rows};
    stage_begin(&stage);
    test_steps(stage.sim, 120);
    stage_reaction(&stage, 0, force[0]);
    stage_reaction(&stage, 1, force[1]);
    print_message("pulled with %.5f N\n", force[1][0]);
    assert_true(is_near(force[1][0], 1e6 * 0.01 * 0.001, 0.002)); /* strain 0.1 %: the law bends by about as much */
    assert_true(is_near(force[0][0], -force[1][0], 1e-4));
    stage_close(&stage);
}

static void the_first_support_that_holds_a_direction_counts(void **state)
{
    (void)state;
    struct stage stage;
    double first[3], second[3];
    stage_open(&stage, 1, DENT_ISA_AUTO, test_block(2, 2, 2, 0.1, 0, 0, 0), DENT_SIM_SOLID);
    stage.material.young = 1e6;
    stage.material.damping = 0.05;
    stage_hold(&stage, 2, 0, DENT_SIM_HOLD_Z);
    stage_hold(&stage, 2, 0, 7);
    stage_begin(&stage);
    test_steps(stage.sim, 120);
    stage_reaction(&stage, 0, first);
    stage_reaction(&stage, 1, second);
    assert_true(is_near(first[2], 8 * 9.81, 0.005));
    assert_true(second[2] == 0);
    assert_true(first[0] == 0 && first[1] == 0);
    stage_close(&stage);
}

static void supports_carry_what_lies_on_the_vertices_they_hold(void **state)
{
    (void)state;
    struct stage stage;
    double force[3];
    stage_open(&stage, 1, DENT_ISA_AUTO, test_sheet(6, 6, 0.1, 0, 0, 0), DENT_SIM_CLOTH);
    struct test_mesh block = test_block(2, 2, 2, 0.1, 0.2, 0.2, 0.01);
    stage.bodies[1] = test_body(DENT_SIM_RIGID, &block);
    stage.def.body_count = 2;
    stage.def.contacts = true;
    stage.material.density = 100; /* per area and per volume: 36 kg and 0.8 kg */
    stage_hold(&stage, 2, 0, 7);
    stage.def.probe_count = 1;
    stage.probes[0] = dent_sim_probe_default(DENT_SIM_PROBE_CONTACT);
    stage.probes[0].body = 1;
    stage_begin(&stage);
    test_steps(stage.sim, 180);
    stage_reaction(&stage, 0, force);
    assert_true(is_near(force[2], (36 + 0.8) * 9.81, 0.005));
    assert_int_equal(dent_sim_read_probe(stage.sim, 0, force), DENT_OK);
    assert_true(is_near(force[2], 0.8 * 9.81, 0.005));
    test_mesh_free(&block);
    stage_close(&stage);
}

static void supports_count_in_the_first_mode_as_fixed_vertices_do(void **state)
{
    (void)state;
    dent_sim_mode modes[3];
    double chosen[3];
    for (int n = 0; n < 3; n++) { /* fixed, held, and free to slide along x */
        struct stage stage;
        stage_open_beam(&stage, 1e6);
        if (n == 0) {
            stage.bodies[0].fixed_vertices = stage_layer(&stage, 0, 0, &stage.bodies[0].fixed_count);
        } else {
            stage_hold(&stage, 0, 0, n == 1 ? 7 : DENT_SIM_HOLD_Y | DENT_SIM_HOLD_Z);
        }
        stage_begin(&stage);
        assert_int_equal(dent_sim_first_mode(stage.sim, 0, &modes[n]), DENT_OK);
        chosen[n] = dent_sim_get_statistics(stage.sim).mode;
        stage_close(&stage);
    }
    print_message("%g %g %g; %g %g %g\n", modes[0].omega, modes[1].omega, modes[2].omega, chosen[0], chosen[1],
                  chosen[2]);
    assert_true(is_near(modes[1].omega, modes[0].omega, 1e-3));
    assert_true(is_near(chosen[1], chosen[0], 1e-9));
    /* Sliding and turning about the end are no vibrations: what is left is the beam pinned at one end, 15.42 / 3.516 of
     * the clamped one where it is slender. */
    assert_true(is_near(modes[2].omega, 15.42 / 3.516 * modes[0].omega, 0.1));
    assert_true(is_near(chosen[2], modes[2].omega, 0.02));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_clamped_beam_bends_along_its_tip_load_and_the_clamp_gives_load_and_weight),
        cmocka_unit_test(supports_along_one_axis_carry_the_weight_and_let_the_rest_move),
        cmocka_unit_test(a_body_held_along_a_slanting_direction_slides_down_that_slope),
        cmocka_unit_test(a_bar_pulled_by_a_prescribed_displacement_answers_with_young_area_strain),
        cmocka_unit_test(the_first_support_that_holds_a_direction_counts),
        cmocka_unit_test(supports_carry_what_lies_on_the_vertices_they_hold),
        cmocka_unit_test(supports_count_in_the_first_mode_as_fixed_vertices_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
