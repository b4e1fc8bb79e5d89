/* Springs between points of bodies: periods, forces, damping along their direction alone. */
#include "support/cmocka_includes.h"
#include "support_loads.h"

#include <math.h>
#include <string.h>

/* Times at which the height crosses its mean upwards; returns the period. */
static double period_of(struct stage *stage, double level, double seconds)
{
    double first = 0, last = 0, before = stage_mean(stage, dent_sim_positions(stage->sim, 0), 2);
    uint32_t crossings = 0;
    while (dent_sim_time(stage->sim) < seconds) {
        test_steps(stage->sim, 1);
        double now = stage_mean(stage, dent_sim_positions(stage->sim, 0), 2);
        if (before < level && now >= level) {
            last = dent_sim_time(stage->sim) - stage->def.time_step * (now - level) / (now - before);
            first = crossings++ == 0 ? last : first;
        }
        before = now;
    }
    assert_true(crossings > 2);
    return (last - first) / (crossings - 1);
}

static void a_mass_on_a_spring_swings_with_its_period(void **state)
{
    (void)state;
    for (int rigid = 0; rigid < 2; rigid++) {
        struct stage stage;
        stage_open(&stage, 1, DENT_ISA_AUTO, test_block(2, 2, 2, 0.1, -0.1, -0.1, -0.1),
                   rigid ? DENT_SIM_RIGID : DENT_SIM_SOLID);
        stage.material.young = 1e7;
        stage.material.damping = 0;
        stage.def.time_step = 1.0 / 240;
        stage.def.substeps = (uint32_t)test_count(10, 20, 20);
        stage.def.spring_count = 1;
        dent_sim_spring *spring = &stage.springs[0];
        *spring = dent_sim_spring_default();
        spring->a.body = 0;
        for (uint32_t v = 0; v < stage.mesh.vertex_count; v++) { /* the middle */
            const double *x = stage.mesh.positions + 3 * v;
            spring->a.vertices[0] = x[0] * x[0] + x[1] * x[1] + x[2] * x[2] < 1e-9 ? v : spring->a.vertices[0];
        }
        spring->b.place[2] = 2;
        spring->stiffness = 8 * 4 * PI * PI; /* one second */
        spring->length = 2;
        stage_begin(&stage);
        double drop = 8 * 9.81 / spring->stiffness, period = period_of(&stage, -drop, 4), force[3];
        print_message("period %.5f s\n", period);
        assert_true(is_near(period, 1, 0.01));
        assert_int_equal(dent_sim_spring_force(stage.sim, 0, force), DENT_OK);
        double z = dent_sim_positions(stage.sim, 0)[3 * spring->a.vertices[0] + 2];
        assert_true(is_near(force[2], -spring->stiffness * z, 1e-3));
        dent_sim_statistics sums = dent_sim_get_statistics(stage.sim);
        assert_true(sums.contact > 0 && sums.kinetic + sums.elastic + sums.potential + sums.contact < 1e-6);
        stage_close(&stage);
    }
}

static void a_damped_spring_between_two_bodies_slows_their_approach_alone(void **state)
{
    (void)state;
    struct stage stage;
    stage_open(&stage, 1, DENT_ISA_AUTO, test_block(2, 2, 2, 0.1, 0, 0, 0), DENT_SIM_RIGID);
    struct test_mesh other = test_block(2, 2, 2, 0.1, 1, 0, 0);
    stage.bodies[1] = test_body(DENT_SIM_RIGID, &other);
    stage.def.body_count = 2;
    memset(stage.def.gravity, 0, sizeof stage.def.gravity);
    stage.def.substeps = 50;
    stage.bodies[0].linear_velocity[0] = 0.4;
    stage.bodies[0].linear_velocity[1] = 0.1;
    stage.bodies[1].linear_velocity[1] = 0.1;
    stage.def.spring_count = 1;
    dent_sim_spring *spring = &stage.springs[0];
    *spring = dent_sim_spring_default();
    spring->a.body = 0;
    spring->b.body = 1;
    spring->a.place[0] = spring->a.place[1] = spring->a.place[2] = 0.1; /* the centres */
    spring->b.place[0] = 1.1;
    spring->b.place[1] = spring->b.place[2] = 0.1;
    spring->damping = 4; /* reduced mass 4 kg: the approach falls by e a second */
    stage_begin(&stage);
    test_steps(stage.sim, 60);
    double v0 = stage_mean(&stage, dent_sim_velocities(stage.sim, 0), 0),
           v1 = stage_mean(&stage, dent_sim_velocities(stage.sim, 1), 0);
    assert_true(is_near(v0 - v1, 0.4 * exp(-1), 0.01));
    assert_true(is_near(v0 + v1, 0.4, 1e-6));
    assert_true(is_near(stage_mean(&stage, dent_sim_velocities(stage.sim, 1), 1), 0.1, 1e-6));
    test_mesh_free(&other);
    stage_close(&stage);
}

static void bodies_on_a_spring_never_sleep(void **state)
{
    (void)state;
    struct stage stage;
    stage_open(&stage, 1, DENT_ISA_AUTO, test_block(2, 2, 2, 0.1, 0, 0, 0.04), DENT_SIM_RIGID);
    struct test_mesh floor = test_block(4, 4, 1, 1, -2, -2, -1);
    stage.bodies[1] = test_body(DENT_SIM_PRESCRIBED, &floor);
    stage.def.body_count = 2;
    stage.def.contacts = true;
    stage.def.spring_count = 1;
    dent_sim_spring *spring = &stage.springs[0];
    *spring = dent_sim_spring_default();
    spring->a.body = 0;
    spring->a.place[0] = spring->a.place[1] = spring->a.place[2] = 0.1;
    spring->b.place[0] = spring->b.place[1] = 0.1;
    spring->b.place[2] = 1.1;
    spring->length = 1;
    spring->stiffness = 10;
    spring->damping = 10;
    stage_begin(&stage);
    test_steps(stage.sim, 180);
    dent_sim_statistics sums = dent_sim_get_statistics(stage.sim);
    assert_int_equal(sums.sleeping, 0);
    assert_true(sums.kinetic < 1e-9);
    test_mesh_free(&floor);
    stage_close(&stage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mass_on_a_spring_swings_with_its_period),
        cmocka_unit_test(a_damped_spring_between_two_bodies_slows_their_approach_alone),
        cmocka_unit_test(bodies_on_a_spring_never_sleep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
