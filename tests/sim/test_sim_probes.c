/* Probes read what they name; stress by theory; runs with loads have the same bits however they run. */
#include "support/cmocka_includes.h"
#include "support_loads.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

static void a_resumed_run_with_loads_equals_an_uninterrupted_one_to_the_bit(void **state)
{
    (void)state;
    struct stage whole, first, second;
    const char *path = "test_sim_loads.checkpoint";
    stage_open_everything(&whole, 1, DENT_ISA_AUTO);
    stage_begin(&whole);
    test_steps(whole.sim, 20);
    stage_open_everything(&first, 1, DENT_ISA_AUTO);
    stage_begin(&first);
    test_steps(first.sim, 9);
    assert_int_equal(dent_sim_save(first.sim, path, NULL, 0), DENT_OK);
    stage_open_everything(&second, 1, DENT_ISA_AUTO);
    stage_begin(&second);
    assert_int_equal(dent_sim_load(second.sim, path), DENT_OK);
    struct stage other;
    stage_open_everything(&other, 1, DENT_ISA_AUTO);
    other.supports[1].displacement[1] = 0.003;
    stage_begin(&other);
    assert_int_equal(dent_sim_load(other.sim, path), DENT_ERROR_FORMAT); /* of another simulation */
    stage_close(&other);
    unlink(path);
    test_steps(second.sim, 11);
    assert_true(dent_sim_hash(second.sim) == dent_sim_hash(whole.sim));
    for (uint32_t n = 0; n < whole.def.probe_count; n++) {
        double a[3], b[3];
        assert_int_equal(dent_sim_read_probe(whole.sim, n, a), DENT_OK);
        assert_int_equal(dent_sim_read_probe(second.sim, n, b), DENT_OK);
        assert_memory_equal(a, b, sizeof a);
    }
    assert_true(dent_sim_get_statistics(second.sim).outer_work == dent_sim_get_statistics(whole.sim).outer_work);
    stage_close(&whole);
    stage_close(&first);
    stage_close(&second);
}

static void runs_with_loads_have_the_same_bits_for_any_threads_and_instruction_set(void **state)
{
    (void)state;
    uint64_t hash = 0;
    for (int n = 0; n < 5; n++) {
        static const uint32_t threads[] = {1, 2, 5, 1, 2};
        static const dent_isa isas[] = {DENT_ISA_AUTO, DENT_ISA_AUTO, DENT_ISA_AUTO, DENT_ISA_SCALAR, DENT_ISA_AVX2};
        struct stage stage;
        stage_open_everything(&stage, threads[n], isas[n]);
        stage_begin(&stage);
        test_steps(stage.sim, 12);
        hash = n == 0 ? dent_sim_hash(stage.sim) : hash;
        assert_true(dent_sim_hash(stage.sim) == hash);
        stage_close(&stage);
    }
}

static void probes_read_what_they_name(void **state)
{
    (void)state;
    struct stage stage;
    double values[3], force[3];
    dent_sim_probe_info info;
    stage_open_everything(&stage, 1, DENT_ISA_AUTO);
    stage.probes[0].name = "middle";
    stage.probes[2].vertex_count = 0;
    stage.probes[6].energy = DENT_SIM_ENERGY_OUTER_WORK;
    stage_begin(&stage);
    assert_int_equal(dent_sim_read_probe(stage.sim, 3, values), DENT_OK);
    assert_true(values[0] == 0 && values[2] == 0); /* nothing is known before the first step */
    test_steps(stage.sim, 10);
    assert_int_equal(dent_sim_probe_count(stage.sim), 7);
    assert_true(dent_sim_probe_at(stage.sim, 0, &info));
    assert_string_equal(info.name, "middle");
    assert_int_equal(info.column_count, 3);
    assert_string_equal(info.unit, "m");
    assert_true(dent_sim_probe_at(stage.sim, 4, &info));
    assert_string_equal(info.name, "probe 4");
    assert_int_equal(info.column_count, 1);
    assert_false(dent_sim_probe_at(stage.sim, 7, &info));
    assert_int_equal(dent_sim_read_probe(stage.sim, 0, values), DENT_OK);
    assert_true(is_near(values[0], stage_mean(&stage, dent_sim_positions(stage.sim, 0), 0), 1e-12));
    assert_int_equal(dent_sim_read_probe(stage.sim, 1, values), DENT_OK);
    assert_true(is_near(values[1], stage_mean(&stage, dent_sim_velocities(stage.sim, 0), 1), 1e-9));
    assert_int_equal(dent_sim_read_probe(stage.sim, 3, values), DENT_OK);
    stage_reaction(&stage, 0, force);
    assert_memory_equal(values, force, sizeof force);
    assert_int_equal(dent_sim_read_probe(stage.sim, 4, values), DENT_OK);
    dent_sim_spring_force(stage.sim, 0, force);
    assert_true(is_near(fabs(values[0]), sqrt(force[0] * force[0] + force[1] * force[1] + force[2] * force[2]), 1e-3));
    assert_int_equal(dent_sim_read_probe(stage.sim, 6, values), DENT_OK);
    assert_true(values[0] == dent_sim_get_statistics(stage.sim).outer_work && values[0] != 0);
    assert_int_equal(dent_sim_read_probe(stage.sim, 7, values), DENT_ERROR_INVALID_ARGUMENT);
    stage_close(&stage);
}

static void stretch_bar(dent_sim_model model)
{
    struct stage stage;
    double stress[3];
    stage_open(&stage, 1, DENT_ISA_AUTO, test_block(6, 2, 2, 0.05, 0, 0, 0), DENT_SIM_SOLID);
    stage.material.model = model;
    stage.material.young = 1e6;
    stage.material.poisson = 0.3;
    stage.material.damping = 0.05;
    stage.def.substeps = 2; /* it rests: 100 are chosen, and show the same */
    memset(stage.def.gravity, 0, sizeof stage.def.gravity);
    stage_hold(&stage, 0, 0, DENT_SIM_HOLD_X);
    stage_hold(&stage, 0, 0.3, DENT_SIM_HOLD_X);
    stage.supports[1].displacement[0] = 0.0003;
    stage.probes[0] = dent_sim_probe_default(DENT_SIM_PROBE_STRESS);
    stage.def.probe_count = 1;
    stage_begin(&stage);
    test_steps(stage.sim, 120);
    assert_int_equal(dent_sim_read_probe(stage.sim, 0, stress), DENT_OK);
    assert_true(is_near(stress[0], 1e6 * 0.001, 0.005));
    assert_true(dent_sim_get_statistics(stage.sim).residual < 0.01);
    stage_close(&stage);
}

static void the_stress_of_a_stretched_bar_is_young_times_strain(void **state)
{
    (void)state;
    stretch_bar(DENT_SIM_NEO_HOOKEAN);
    stretch_bar(DENT_SIM_COROTATED); /* a cell with a law of its own */
}

static void the_stress_of_a_sheared_block_is_that_of_the_law(void **state)
{
    (void)state;
    struct stage stage;
    double stress[3], mu = 1e6 / 2.6, shear = 0.02;
    stage_open(&stage, 1, DENT_ISA_AUTO, test_block(2, 2, 1, 0.1, 0, 0, 0), DENT_SIM_SOLID);
    stage.material.young = 1e6;
    stage.material.poisson = 0.3;
    stage_hold(&stage, 2, 0, 7);
    stage_hold(&stage, 2, 0.1, 7); /* all vertices */
    stage.supports[1].displacement[0] = 0.1 * shear;
    stage.probes[0] = dent_sim_probe_default(DENT_SIM_PROBE_STRESS);
    stage.def.probe_count = 1;
    stage_begin(&stage);
    test_steps(stage.sim, 2);
    assert_int_equal(dent_sim_read_probe(stage.sim, 0, stress), DENT_OK);
    assert_true(is_near(stress[0], mu * shear * sqrt(3 + shear * shear), 1e-9));
    stage_close(&stage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_resumed_run_with_loads_equals_an_uninterrupted_one_to_the_bit),
        cmocka_unit_test(runs_with_loads_have_the_same_bits_for_any_threads_and_instruction_set),
        cmocka_unit_test(probes_read_what_they_name),
        cmocka_unit_test(the_stress_of_a_stretched_bar_is_young_times_strain),
        cmocka_unit_test(the_stress_of_a_sheared_block_is_that_of_the_law),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
