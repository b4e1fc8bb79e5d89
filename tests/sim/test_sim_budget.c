/* A simulation with a fixed budget for contacts: it stays within it, bodies that meet are thrown back, momentum is
 * kept, also where embedded surfaces meet, and the bits are the same for any number of threads. */
#include "support/cmocka_includes.h"
#include "support_meshes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { UNITS = 3000 };

/* Two balls of the same kind, one flying towards the other. */
static dent_sim *two_balls(dent_context *context, dent_sim_body_kind kind, uint64_t units)
{
    struct test_mesh a = kind == DENT_SIM_SOLID ? test_block(4, 4, 4, 0.25, 0, 0, 0) : test_ball(3, 0.5, 0, 0, 0);
    struct test_mesh b =
        kind == DENT_SIM_SOLID ? test_block(4, 4, 4, 0.25, 1.3, 0.1, 0.15) : test_ball(3, 0.5, 1.3, 0.1, 0.05);
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

static double mean_y(const dent_sim *sim, uint32_t body)
{
    dent_sim_body_info info;
    const double *positions = dent_sim_positions(sim, body);
    double sum = 0;
    dent_sim_body(sim, body, &info);
    for (uint32_t v = 0; v < info.vertex_count; v++) {
        sum += positions[3 * (size_t)v + 1];
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
        printf("kind %d: at most %llu units a step, %llu pushes, momentum %.6g -> %.6g\n", (int)kinds[n],
               (unsigned long long)most, (unsigned long long)regions, before, after);
        assert_true(regions > 0);
        assert_true(most > 0 && most <= UNITS + 64);
        assert_true(fabs(after - before) < 1e-9 * fabs(before));
        assert_true(mean_x(sim, 1) >
                    1.3 + (kinds[n] == DENT_SIM_SOLID ? 0.6 : 0.1)); /* the second one was set in motion */
        dent_sim_destroy(sim);
        dent_context_destroy(context);
    }
}

/* A ball thrown obliquely at a wall: what friction leaves of its speed along the wall. */
static double speed_along_the_wall(double friction, double *momentum_error)
{
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    struct test_mesh wall = test_block(2, 6, 6, 0.5, 0.8, -1.5, -1.5), ball = test_ball(3, 0.5, 0, 0, 0);
    dent_sim_body_def bodies[2] = {test_body(DENT_SIM_RIGID, &ball), test_body(DENT_SIM_RIGID, &wall)};
    dent_sim_material material = dent_sim_material_default();
    bodies[0].mesh = DENT_BODY_SURFACE;
    bodies[1].mesh = DENT_BODY_SOLID;
    bodies[0].linear_velocity[0] = bodies[0].linear_velocity[1] = 2;
    material.friction_static = material.friction_kinetic = friction;
    dent_sim_def def = dent_sim_def_default();
    def.body_count = 2;
    def.bodies = bodies;
    def.material_count = 1;
    def.materials = &material;
    def.gravity[2] = 0;
    def.time_step = 0.005;
    def.substeps = 2;
    def.contact_budget = UNITS;
    dent_sim *sim = test_sim(context, &def);
    double before = dent_sim_get_statistics(sim).linear_momentum[1];
    test_steps(sim, 160);
    dent_sim_statistics after = dent_sim_get_statistics(sim);
    *momentum_error = fabs(after.linear_momentum[1] - before) / before;
    double center[2] = {mean_y(sim, 0), 0};
    test_steps(sim, 20);
    center[1] = mean_y(sim, 0);
    dent_sim_destroy(sim);
    test_mesh_free(&wall);
    test_mesh_free(&ball);
    dent_context_destroy(context);
    return (center[1] - center[0]) / (20 * 0.005);
}

static void friction_slows_what_slides_and_keeps_momentum(void **state)
{
    (void)state;
    double errors[3], without = speed_along_the_wall(0, &errors[0]), some = speed_along_the_wall(0.2, &errors[1]),
                      much = speed_along_the_wall(5, &errors[2]);
    printf("speed along the wall: %.3f m/s without friction, %.3f with 0.2, %.3f with 5\n", without, some, much);
    assert_true(without > some + 0.1 && some > much && much > 0);
    assert_true(errors[0] < 1e-9 && errors[1] < 1e-9 && errors[2] < 1e-9);
}

/* One body of two blocks that fly at one another. */
static void a_body_does_not_pass_through_itself(void **state)
{
    (void)state;
    double parted[2];
    for (int wanted = 0; wanted < 2; wanted++) {
        dent_context *context = test_context(1, DENT_ISA_AUTO);
        struct test_mesh a = test_block(3, 3, 3, 0.2, 0, 0, 0), b = test_block(3, 3, 3, 0.2, 0.9, 0.05, 0.03);
        uint32_t vertices = a.vertex_count + b.vertex_count, elements = a.element_count + b.element_count;
        struct test_mesh both = {.vertex_count = vertices, .element_count = elements};
        both.positions = malloc(3 * (size_t)vertices * sizeof(double));
        both.corners = malloc(4 * (size_t)elements * sizeof(uint32_t));
        double *velocities = calloc(3 * (size_t)vertices, sizeof *velocities);
        assert_true(both.positions && both.corners && velocities);
        memcpy(both.positions, a.positions, 3 * (size_t)a.vertex_count * sizeof(double));
        memcpy(both.positions + 3 * (size_t)a.vertex_count, b.positions, 3 * (size_t)b.vertex_count * sizeof(double));
        memcpy(both.corners, a.corners, 4 * (size_t)a.element_count * sizeof(uint32_t));
        for (uint32_t n = 0; n < 4 * b.element_count; n++) {
            both.corners[4 * (size_t)a.element_count + n] = b.corners[n] + a.vertex_count;
        }
        for (uint32_t v = 0; v < vertices; v++) {
            velocities[3 * (size_t)v] = v < a.vertex_count ? 0.5 : -0.5;
        }
        dent_sim_body_def body = test_body(DENT_SIM_SOLID, &both);
        body.velocities = velocities;
        body.self_collision = wanted;
        dent_sim_def def = dent_sim_def_default();
        def.body_count = 1;
        def.bodies = &body;
        def.gravity[2] = 0;
        def.time_step = 0.005;
        def.substeps = 2;
        def.contact_budget = 20000;
        dent_sim *sim = test_sim(context, &def);
        uint64_t regions = 0;
        for (int step = 0; step < 200; step++) {
            test_steps(sim, 1);
            regions += dent_sim_get_statistics(sim).budget_regions;
        }
        const double *x = dent_sim_positions(sim, 0);
        double middle[2] = {0, 0}, momentum = fabs(dent_sim_get_statistics(sim).linear_momentum[0]);
        for (uint32_t v = 0; v < vertices; v++) {
            middle[v >= a.vertex_count] += x[3 * (size_t)v] / a.vertex_count;
        }
        parted[wanted] = middle[1] - middle[0];
        printf("self-collision %s: %llu pushes, the pieces end %.3f m apart\n", wanted ? "on" : "off",
               (unsigned long long)regions, parted[wanted]);
        assert_true(momentum < 1e-9 && (regions > 0) == (wanted == 1));
        dent_sim_destroy(sim);
        free(velocities);
        test_mesh_free(&a);
        test_mesh_free(&b);
        test_mesh_free(&both);
        dent_context_destroy(context);
    }
    assert_true(parted[0] < 0 && parted[1] > 0.5);
}

/* Two coarse blocks that carry balls larger than themselves, one flying past the middle of the other. Contacts act on the
 * balls alone. */
static dent_sim *two_carried_balls(dent_context *context)
{
    struct test_mesh hosts[2] = {test_block(2, 2, 2, 0.25, -0.25, -0.25, -0.25),
                                 test_block(2, 2, 2, 0.25, 1.05, 0.1, -0.05)};
    struct test_mesh balls[2] = {test_ball(3, 0.5, 0, 0, 0), test_ball(3, 0.5, 1.3, 0.35, 0.2)};
    dent_sim_body_def bodies[4];
    dent_sim_material material = dent_sim_material_default();
    material.friction_static = material.friction_kinetic = 0;
    for (uint32_t n = 0; n < 2; n++) {
        bodies[n] = test_body(DENT_SIM_SOLID, &hosts[n]);
        bodies[n].collision_mask = 0;
        bodies[2 + n] = test_body(DENT_SIM_EMBEDDED, &balls[n]);
        bodies[2 + n].host = n;
    }
    bodies[0].linear_velocity[0] = 2;
    dent_sim_def def = dent_sim_def_default();
    def.body_count = 4;
    def.bodies = bodies;
    def.material_count = 1;
    def.materials = &material;
    def.gravity[2] = 0;
    def.time_step = 0.005;
    def.substeps = 2;
    def.contact_budget = UNITS;
    dent_sim *sim = test_sim(context, &def);
    for (int n = 0; n < 2; n++) {
        test_mesh_free(&hosts[n]);
        test_mesh_free(&balls[n]);
    }
    return sim;
}

static void surfaces_on_coarse_bodies_are_thrown_back_and_the_torque_of_their_links_is_kept(void **state)
{
    (void)state;
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    dent_sim *sim = two_carried_balls(context);
    dent_sim_statistics before = dent_sim_get_statistics(sim), after = before;
    uint64_t regions = 0;
    double spin = 0, error = 0, nearest = 10;
    for (int step = 0; step < 240; step++) {
        assert_int_equal(dent_sim_step(sim), DENT_OK);
        after = dent_sim_get_statistics(sim);
        regions += after.budget_regions;
        nearest = fmin(nearest, mean_x(sim, 3) - mean_x(sim, 2));
        for (int axis = 0; axis < 3; axis++) {
            spin = fmax(spin, fabs(after.angular_momentum[axis] - before.angular_momentum[axis]));
            error = fmax(error, fabs(after.linear_momentum[axis] - before.linear_momentum[axis]));
        }
    }
    double size = before.linear_momentum[0];
    printf("carried balls: %llu pushes, momentum of %.4g changes by %.2g, angular momentum by %.2g of %.4g m\n",
           (unsigned long long)regions, size, error, spin, size);
    assert_true(regions > 0 && nearest > 0.3);
    assert_true(error < 1e-9 * size);
    assert_true(spin < 1e-9 * size);
    assert_true(mean_x(sim, 3) > 1.6);
    dent_sim_destroy(sim);
    dent_context_destroy(context);
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
        cmocka_unit_test(friction_slows_what_slides_and_keeps_momentum),
        cmocka_unit_test(a_body_does_not_pass_through_itself),
        cmocka_unit_test(surfaces_on_coarse_bodies_are_thrown_back_and_the_torque_of_their_links_is_kept),
        cmocka_unit_test(threads_do_not_change_a_bit),
        cmocka_unit_test(one_unit_is_enough_to_go_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
