/* A simulation with a fixed budget for contacts: it stays within it, bodies that meet are thrown back, momentum is kept, and the bits are
 * the same for any number of threads. */
#include "support/cmocka_includes.h"
#include "support_meshes.h"

#include <math.h>
#include <stdio.h>

enum { UNITS = 3000 };

/* Two balls of the same kind, one flying towards the other. */
static dent_sim *two_balls(dent_context *context, dent_sim_body_kind kind, uint64_t units)
{
    struct test_mesh a = kind == DENT_SIM_SOLID ? test_block(4, 4, 4, 0.25, 0, 0, 0) : test_ball(3, 0.5, 0, 0, 0);
    struct test_mesh b = kind == DENT_SIM_SOLID ? test_block(4, 4, 4, 0.25, 1.3, 0.1, 0.15) : test_ball(3, 0.5, 1.3, 0.1, 0.05);
    dent_sim_body_def bodies[2] = {test_body(kind, &a), test_body(kind, &b)};
    bodies[0].linear_velocity[0] = 2;
    bodies[0].mesh = bodies[1].mesh = kind == DENT_SIM_SOLID ? DENT_BODY_SOLID : DENT_BODY_SURFACE;
    dent_sim_def def = dent_sim_def_default();
    def.body_count = 2;
    def.bodies = bodies;
    def.gravity[2] = 0;
    def.time_step = 0.005;
    def.substeps = 2;
    def.contact_budget = units;
    dent_sim *sim = test_sim(context, &def);
    test_mesh_free(&a);
    test_mesh_free(&b);
    return sim;
}

static double mean_x(const dent_sim *sim, uint32_t body)
{
    dent_sim_body_info info;
    const double *positions = dent_sim_positions(sim, body);
    double sum = 0;
    dent_sim_body(sim, body, &info);
    for (uint32_t v = 0; v < info.vertex_count; v++) {
        sum += positions[3 * (size_t)v];
    }
    return sum / info.vertex_count;
}

static void bodies_that_meet_are_thrown_back_and_momentum_is_kept(void **state)
{
    (void)state;
    static const dent_sim_body_kind kinds[] = {DENT_SIM_RIGID, DENT_SIM_SOLID};
    for (int n = 0; n < 2; n++) {
        dent_context *context = test_context(1, DENT_ISA_AUTO);
        dent_sim *sim = two_balls(context, kinds[n], UNITS);
        double before = dent_sim_get_statistics(sim).linear_momentum[0];
        uint64_t most = 0, regions = 0;
        for (int step = 0; step < 240; step++) {
            assert_int_equal(dent_sim_step(sim), DENT_OK);
            dent_sim_statistics facts = dent_sim_get_statistics(sim);
            most = facts.work_units > most ? facts.work_units : most;
            regions += facts.budget_regions;
            assert_true(mean_x(sim, 0) < mean_x(sim, 1)); /* never through one another */
        }
        double after = dent_sim_get_statistics(sim).linear_momentum[0];
        printf("kind %d: at most %llu units a step, %llu pushes, momentum %.6g -> %.6g\n", (int)kinds[n], (unsigned long long)most,
               (unsigned long long)regions, before, after);
        assert_true(regions > 0);
        assert_true(most > 0 && most <= UNITS + 64);
        assert_true(fabs(after - before) < 1e-9 * fabs(before));
        assert_true(mean_x(sim, 1) > 1.3 + (kinds[n] == DENT_SIM_SOLID ? 0.6 : 0.1)); /* the second one was set in motion */
        dent_sim_destroy(sim);
        dent_context_destroy(context);
    }
}

static void threads_do_not_change_a_bit(void **state)
{
    (void)state;
    uint64_t first = 0;
    for (uint32_t threads = 1; threads <= 4; threads++) {
        dent_context *context = test_context(threads, DENT_ISA_AUTO);
        dent_sim *sim = two_balls(context, DENT_SIM_SOLID, UNITS);
        test_steps(sim, 60);
        first = threads == 1 ? dent_sim_hash(sim) : first;
        assert_true(dent_sim_hash(sim) == first);
        dent_sim_destroy(sim);
        dent_context_destroy(context);
    }
}

static void one_unit_is_enough_to_go_on(void **state)
{
    (void)state;
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    dent_sim *sim = two_balls(context, DENT_SIM_RIGID, 1);
    test_steps(sim, 60);
    assert_true(dent_sim_get_statistics(sim).work_units <= 64);
    dent_sim_destroy(sim);
    dent_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_that_meet_are_thrown_back_and_momentum_is_kept),
        cmocka_unit_test(threads_do_not_change_a_bit),
        cmocka_unit_test(one_unit_is_enough_to_go_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
