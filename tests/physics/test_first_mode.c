/* dent_sim_first_mode against the mesh solved directly (physics_modal.h), against theory and against the simulator. */
#include "support/failing_allocator.h"
#include "support/test_context.h"

#include "physics_modal.h"
#include "physics_table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static dent_sim_mode mode_of(physics_stage *stage, uint32_t body)
{
    dent_sim_mode mode = {0};
    assert_true(physics_begin(stage));
    assert_int_equal(dent_sim_first_mode(stage->sim, body, &mode), DENT_OK);
    return mode;
}

static void the_first_mode_of_a_clamped_beam_is_never_below_that_of_its_mesh_and_at_most_1_percent_above(void **state)
{
    static const double youngs[] = {1e3, 1e6, 1e9, 1e11}, ratios[] = {0, 0.3, 0.45, 0.499};
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    (void)state;
    for (int n = 0; n < 16; n++) {
        physics_stage stage;
        physics_modal modal;
        double shape[3 * 512];
        physics_open(&stage, context);
        stage.materials[0].young = youngs[n % 4];
        stage.materials[0].poisson = ratios[n / 4];
        uint32_t body = physics_add(&stage, DENT_SIM_SOLID, physics_beam_mesh(context));
        physics_fix_below(&stage, body, 0, PHYSICS_CLAMP_LIMIT);
        assert_true(stage.meshes[body].vertex_count <= 512);
        assert_true(physics_modal_open(&modal, &stage.meshes[body], &stage.materials[0], PHYSICS_CLAMP_LIMIT));
        double exact = physics_modal_first(&modal, shape);
        dent_sim_mode mode = mode_of(&stage, body);
        printf("E %g, nu %g: %.6g of %.6g rad/s in %u iterations\n", youngs[n % 4], ratios[n / 4], mode.omega, exact,
               mode.iterations);
        /* Nearly incompressible ones end at the limit of iterations. */
        assert_true(mode.omega >= (1 - 1e-9) * exact && mode.omega <= (ratios[n / 4] < 0.49 ? 1.01 : 1.25) * exact);
        double substep = stage.def.time_step / dent_sim_get_statistics(stage.sim).substeps;
        assert_true(mode.turn == mode.omega * substep);
        double kept = atan(mode.turn) / mode.turn;
        assert_true(fabs(mode.stiffness - kept * kept) <= 1e-9);
        assert_true(mode.omega * stage.def.time_step <= 0.28 * mode.substeps);
        assert_true(mode.substeps == 1 || mode.omega * stage.def.time_step > 0.28 * (mode.substeps - 1));
        physics_modal_close(&modal);
        physics_close(&stage);
    }
    dent_context_destroy(context);
}

/* A free cube: the same for every place and turn by a quarter; with rigid motions it would be 0. */
static void a_free_body_has_a_first_mode_that_does_not_depend_on_its_place(void **state)
{
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    const uint32_t cells[3] = {6, 3, 3};
    double found[3];
    (void)state;
    for (int n = 0; n < 3; n++) {
        const double at = n == 0 ? 0 : n == 1 ? 7 : -3000;
        const double low[3] = {at, -at, 2 * at}, high[3] = {at + 0.6, -at + 0.3, 2 * at + 0.3};
        physics_stage stage;
        physics_open(&stage, context);
        stage.materials[0].young = 1e6;
        uint32_t body = physics_add(&stage, DENT_SIM_SOLID, physics_box(context, cells, low, high));
        found[n] = mode_of(&stage, body).omega;
        physics_close(&stage);
    }
    dent_context_destroy(context);
    printf("free: %.6g, %.6g, %.6g rad/s\n", found[0], found[1], found[2]);
    /* Between the slowest wave along the longest edge and the fastest across the shortest. */
    assert_true(found[0] > 3.14 / 0.9 * sqrt(1e6 / 1000) * 0.3 && found[0] < 3.15 / 0.3 * sqrt(1e6 / 1000) * 2);
    assert_true(fabs(found[1] - found[0]) <= 0.01 * found[0] && fabs(found[2] - found[0]) <= 0.01 * found[0]);
}

static void bodies_without_modes_are_told_apart(void **state)
{
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    physics_stage stage;
    dent_sim_mode mode;
    (void)state;
    physics_open(&stage, context);
    physics_add_ground(&stage, 1);
    assert_true(physics_begin(&stage));
    assert_int_equal(dent_sim_first_mode(stage.sim, 0, &mode), DENT_ERROR_UNSUPPORTED);
    assert_int_equal(dent_sim_first_mode(stage.sim, 1, &mode), DENT_ERROR_INVALID_ARGUMENT);
    physics_close(&stage);
    dent_context_destroy(context);
}

/* All vertices held: nothing vibrates. Slivers and flat cells: a number, not more. */
static void degenerate_bodies_give_finite_numbers(void **state)
{
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    const uint32_t cells[3] = {2, 2, 4};
    const double low[3] = {0, 0, 0}, high[3] = {1, 1, 1}, qualities[] = {1e-2, 1e-4, 1e-8, 0};
    (void)state;
    for (int n = 0; n < 5; n++) {
        physics_stage stage;
        physics_open(&stage, context);
        uint32_t body = physics_add(&stage, DENT_SIM_SOLID, physics_box(context, cells, low, high));
        if (n == 4) {
            physics_fix_below(&stage, body, 0, 2);
        } else {
            physics_make_slivers(&stage.meshes[body], cells, qualities[n]);
        }
        dent_sim_mode mode = mode_of(&stage, body);
        printf("degenerate %d: %g rad/s, %g\n", n, mode.omega, mode.stiffness);
        assert_true(isfinite(mode.omega) && mode.omega >= 0 && mode.stiffness >= 0 && mode.stiffness <= 1);
        assert_true(n < 4 || mode.omega == 0);
        physics_close(&stage);
    }
    dent_context_destroy(context);
}

static void without_memory_nothing_changes_and_the_next_call_is_right(void **state)
{
    struct failing_allocator memory = failing_allocator_make();
    dent_context_def def = dent_context_def_default();
    (void)state;
    def.thread_count = 1;
    def.allocator = failing_allocator_hook(&memory);
    dent_context *context = dent_context_create(&def, NULL);
    physics_stage stage;
    physics_open(&stage, context);
    uint32_t body = physics_add(&stage, DENT_SIM_SOLID, physics_beam_mesh(context));
    dent_sim_mode right = mode_of(&stage, body), mode = {.omega = -1};
    uint64_t before = dent_sim_hash(stage.sim);
    for (uint64_t n = 1; n <= 2; n++) {
        memory.requests = 0;
        memory.fail_at = n;
        assert_int_equal(dent_sim_first_mode(stage.sim, body, &mode), DENT_ERROR_OUT_OF_MEMORY);
        assert_true(mode.omega == -1);
    }
    memory.fail_at = 0;
    assert_int_equal(dent_sim_first_mode(stage.sim, body, &mode), DENT_OK);
    assert_memory_equal(&mode, &right, sizeof mode);
    assert_true(dent_sim_hash(stage.sim) == before);
    physics_close(&stage);
    dent_context_destroy(context);
    assert_true(failing_allocator_clean(&memory));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_mode_of_a_clamped_beam_is_never_below_that_of_its_mesh_and_at_most_1_percent_above),
        cmocka_unit_test(a_free_body_has_a_first_mode_that_does_not_depend_on_its_place),
        cmocka_unit_test(bodies_without_modes_are_told_apart),
        cmocka_unit_test(degenerate_bodies_give_finite_numbers),
        cmocka_unit_test(without_memory_nothing_changes_and_the_next_call_is_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
