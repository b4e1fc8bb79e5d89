/* Contacts in the simulator: fast bodies do not sink in, floors have no kerbs, forces carry the weight, a heavy body
 * lies on a light one, crossing starts are told. */
#include "sim/step/sim_step.h"
#include "support/cmocka_includes.h"
#include "support_meshes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void fast_bodies_do_not_sink_into_one_another(void **state)
{
    (void)state;
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    struct test_mesh floor = test_block(4, 4, 1, 0.25, -0.5, -0.5, -0.25);
    struct test_mesh soft = test_block(2, 2, 2, 0.1, -0.3, -0.1, 0.2), ball = test_ball(2, 0.1, 0.3, 0, 0.4);
    dent_sim_body_def bodies[3] = {test_body(DENT_SIM_PRESCRIBED, &floor), test_body(DENT_SIM_SOLID, &soft),
                                   test_body(DENT_SIM_RIGID, &ball)};
    bodies[2].mesh = DENT_BODY_SURFACE;
    bodies[1].linear_velocity[2] = bodies[2].linear_velocity[2] = -12; /* two edges a step */
    dent_sim_def def = dent_sim_def_default();
    def.body_count = 3;
    def.bodies = bodies;
    dent_sim *sim = test_sim(context, &def);
    double worst = 0;
    uint64_t touching = 0;
    for (int n = 0; n < 30; n++) {
        test_steps(sim, 1);
        dent_sim_statistics statistics = dent_sim_get_statistics(sim);
        worst = statistics.max_penetration > worst ? statistics.max_penetration : worst;
        touching += statistics.touching;
    }
    assert_true(touching > 0);
    printf("deepest %.4g m\n", worst);
    assert_true(worst <= 0.01); /* a tenth of an edge */
    dent_sim_destroy(sim);
    test_mesh_free(&floor);
    test_mesh_free(&soft);
    test_mesh_free(&ball);
    dent_context_destroy(context);
}

/* All corners of the overlap lie exactly on surfaces, no vertex is inside. */
static void cubes_that_start_half_in_one_another_in_common_planes_come_apart(void **state)
{
    (void)state;
    static const dent_sim_body_kind kinds[3][2] = {
        {DENT_SIM_RIGID, DENT_SIM_RIGID}, {DENT_SIM_SOLID, DENT_SIM_SOLID}, {DENT_SIM_RIGID, DENT_SIM_SOLID}};
    for (int number = 0; number < 6; number++) {
        dent_context *context = test_context(1, DENT_ISA_AUTO);
        uint32_t cells = number < 3 ? 1 : 2;
        struct test_mesh one = test_block(cells, cells, cells, 0.2 / cells, 0, 0, 0),
                         two = test_block(cells, cells, cells, 0.2 / cells, 0.1, 0, 0);
        dent_sim_body_def bodies[2] = {test_body(kinds[number % 3][0], &one), test_body(kinds[number % 3][1], &two)};
        dent_sim_def def = dent_sim_def_default();
        def.body_count = 2;
        def.bodies = bodies;
        def.gravity[2] = 0;
        dent_sim *sim = test_sim(context, &def);
        double speed = 0;
        for (int n = 0; n < 120; n++) {
            test_steps(sim, 1);
            dent_sim_statistics statistics = dent_sim_get_statistics(sim);
            dent_sim_body_info info;
            dent_sim_body(sim, 0, &info);
            speed = fmax(speed, sqrt(2 * statistics.kinetic / info.mass));
        }
        double left = INFINITY, right = -INFINITY;
        uint32_t count = cells == 1 ? 8 : 27;
        for (uint32_t v = 0; v < count; v++) {
            right = fmax(right, dent_sim_positions(sim, 0)[3 * v]);
            left = fmin(left, dent_sim_positions(sim, 1)[3 * v]);
        }
        print_message("kinds %d, %d cells: overlap of 0.1 became %.4f, fastest %.3f\n", number % 3, cells, right - left,
                      speed);
        assert_true(right - left < 0.01);
        assert_true(speed < 5);
        dent_sim_destroy(sim);
        test_mesh_free(&one);
        test_mesh_free(&two);
        dent_context_destroy(context);
    }
}

static void inner_edges_of_a_flat_floor_are_no_kerbs(void **state)
{
    (void)state;
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    struct test_mesh floor = test_block(20, 4, 1, 0.1, -0.3, -0.2, -0.1),
                     block = test_block(2, 2, 2, 0.05, 0, -0.05, 0.005);
    for (int soft = 0; soft < 2; soft++) {
        dent_sim_body_def bodies[2] = {test_body(DENT_SIM_PRESCRIBED, &floor),
                                       test_body(soft ? DENT_SIM_SOLID : DENT_SIM_RIGID, &block)};
        dent_sim_material material = dent_sim_material_default();
        material.friction_static = material.friction_kinetic = 0; /* nothing but kerbs could stop it */
        dent_sim_def def = dent_sim_def_default();
        def.body_count = 2;
        def.bodies = bodies;
        def.material_count = 1;
        def.materials = &material;
        dent_sim *sim = test_sim(context, &def);
        test_steps(sim, 60);
        const double push[3] = {1, 0, 0};
        dent_sim_set_velocity(sim, 1, push, NULL);
        test_steps(sim, 60);
        dent_sim_body_info info;
        dent_sim_body(sim, 1, &info);
        double speed = dent_sim_get_statistics(sim).linear_momentum[0] / info.mass;
        assert_true(speed > (soft ? 0.97 : 0.999) && speed < (soft ? 1.03 : 1.001));
        dent_sim_destroy(sim);
    }
    test_mesh_free(&floor);
    test_mesh_free(&block);
    dent_context_destroy(context);
}

static void contact_forces_carry_the_weight_also_of_a_heavy_body_on_a_light_one(void **state)
{
    (void)state;
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    struct test_mesh floor = test_block(2, 2, 1, 0.5, -0.5, -0.5, -0.5);
    struct test_mesh light = test_block(2, 2, 2, 0.1, -0.1, -0.1, 0.005),
                     heavy = test_block(1, 1, 1, 0.2, -0.1, -0.1, 0.22);
    dent_sim_body_def bodies[3] = {test_body(DENT_SIM_PRESCRIBED, &floor), test_body(DENT_SIM_SOLID, &light),
                                   test_body(DENT_SIM_RIGID, &heavy)};
    bodies[1].density = 100;
    bodies[2].density = 2000; /* twenty to one */
    dent_sim_material material = dent_sim_material_default();
    material.young = 1e6;
    dent_sim_def def = dent_sim_def_default();
    def.body_count = 3;
    def.bodies = bodies;
    def.material_count = 1;
    def.materials = &material;
    dent_sim *sim = test_sim(context, &def);
    test_steps(sim, 300);
    double on_floor = 0, on_light = 0, mean = 0;
    for (int n = 0; n < 30; n++) { /* the mean over half a second */
        uint64_t count;
        test_steps(sim, 1);
        const dent_sim_contact *contacts = dent_sim_contacts(sim, &count);
        for (uint64_t i = 0; i < count; i++) {
            double up = fabs(contacts[i].force[2]);
            bool floor_side = contacts[i].body_a == 0 || contacts[i].body_b == 0;
            on_floor += floor_side ? up / 30 : 0;
            on_light += floor_side ? 0 : up / 30;
        }
        mean += dent_sim_get_statistics(sim).kinetic / 30;
    }
    dent_sim_body_info info[2];
    dent_sim_body(sim, 1, &info[0]);
    dent_sim_body(sim, 2, &info[1]);
    print_message("floor carries %.2f of %.2f N, the light body %.2f of %.2f N, kinetic %.3g J\n", on_floor,
                  9.81 * (info[0].mass + info[1].mass), on_light, 9.81 * info[1].mass, mean);
    assert_true(fabs(on_floor / (9.81 * (info[0].mass + info[1].mass)) - 1) < 0.02);
    assert_true(fabs(on_light / (9.81 * info[1].mass) - 1) < 0.02);
    assert_int_equal(dent_sim_get_statistics(sim).inverted_cells, 0);
    dent_sim_destroy(sim);
    test_mesh_free(&floor);
    test_mesh_free(&light);
    test_mesh_free(&heavy);
    dent_context_destroy(context);
}

static void overlapping_bodies_are_put_apart_in_a_few_cycles_and_gain_no_speed(void **state)
{
    (void)state;
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    struct test_mesh floor = test_block(4, 4, 1, 0.25, -0.5, -0.5, -0.25);
    /* A tenth of an edge in the floor, and in one another. */
    struct test_mesh lower = test_block(2, 2, 2, 0.1, -0.1, -0.1, -0.01),
                     upper = test_block(2, 2, 2, 0.1, -0.09, -0.08, 0.18);
    for (int kind = 0; kind < 2; kind++) {
        dent_sim_body_kind moving = kind ? DENT_SIM_RIGID : DENT_SIM_SOLID;
        dent_sim_body_def bodies[3] = {test_body(DENT_SIM_PRESCRIBED, &floor), test_body(moving, &lower),
                                       test_body(moving, &upper)};
        bodies[2].linear_velocity[0] = 0.3;
        bodies[2].linear_velocity[2] = -3;
        dent_sim_def def = dent_sim_def_default();
        def.body_count = 3;
        def.bodies = bodies;
        dent_sim *sim = test_sim(context, &def);
        dent_sim_statistics before = dent_sim_get_statistics(sim);
        dent_sim_reposition_report report;
        assert_int_equal(dent_sim_reposition(sim, &report), DENT_OK);
        dent_sim_statistics after = dent_sim_get_statistics(sim);
        print_message(
            "%s: %u cycles, overlap %.4f -> %.4f m, energy gained %.3g J, taken %.3g J, kinetic %.4g -> %.4g J\n",
            kind ? "rigid" : "soft", report.cycles, report.deepest_before, report.deepest_after, report.energy_gained,
            report.energy_taken, before.kinetic, after.kinetic);
        assert_true(report.deepest_before > 0.005 && report.deepest_after == 0);
        assert_true(report.cycles >= 1 && report.cycles <= 10);
        assert_true(report.energy_gained > 0 && after.kinetic < before.kinetic);
        assert_true(after.kinetic + after.elastic + after.potential <=
                    before.kinetic + before.elastic + before.potential + 1e-9);
        assert_true(after.step == 0);
        /* A second call has nothing to do. */
        uint64_t hash = dent_sim_hash(sim);
        assert_int_equal(dent_sim_reposition(sim, &report), DENT_OK);
        assert_true(report.cycles == 0 && dent_sim_hash(sim) == hash);
        test_steps(sim, 5);
        dent_sim_destroy(sim);
    }
    test_mesh_free(&floor);
    test_mesh_free(&lower);
    test_mesh_free(&upper);
    dent_context_destroy(context);
}

/* Gap 0 or a rounding: what is left of the distance has no direction. */
static void a_body_placed_exactly_on_a_floor_stays_there(void **state)
{
    (void)state;
    static const double gaps[] = {0, 1e-17, 1e-15, 1e-12};
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    struct test_mesh floor = test_block(4, 4, 1, 1, 0, 0, -1);
    double way = 0, sunk = 0, rise = 0;
    for (int kind = 0; kind < 2; kind++) {
        for (int round = 0; round < 8; round++) {
            struct test_mesh block = test_block(1, 1, 1, 1, 1.1 + 0.1 * (round / 4), 1.07, gaps[round % 4]);
            dent_sim_body_def bodies[2] = {test_body(DENT_SIM_PRESCRIBED, &floor),
                                           test_body(kind ? DENT_SIM_SOLID : DENT_SIM_RIGID, &block)};
            dent_sim_def def = dent_sim_def_default();
            def.body_count = 2;
            def.bodies = bodies;
            dent_sim *sim = test_sim(context, &def);
            dent_sim_body_info info;
            dent_sim_body(sim, 1, &info);
            const double *now = dent_sim_positions(sim, 1);
            for (int step = 0; step < 60; step++) { /* the centre rises to the distance at rest and does not hop */
                double height = 0;
                test_steps(sim, 1);
                for (uint32_t v = 0; v < block.vertex_count; v++) {
                    height += (now[3 * v + 2] - block.positions[3 * v + 2]) / block.vertex_count;
                }
                rise = height / (2 * info.thickness) > rise ? height / (2 * info.thickness) : rise;
            }
            for (uint32_t n = 0; n < 3 * block.vertex_count; n++) {
                double moved = fabs(now[n] - block.positions[n]);
                way = n % 3 < 2 && moved > way ? moved : way;
                sunk = n % 3 == 2 && -now[n] > sunk ? -now[n] : sunk;
            }
            dent_sim_destroy(sim);
            test_mesh_free(&block);
        }
    }
    printf("placed on the floor: moved %.2g m sideways, %.2g m into it, rose by %.3g of the rest distance\n", way, sunk,
           rise);
    assert_true(way < 0.05);
    assert_true(rise < 1.5);
    assert_true(sunk < 1e-3);
    test_mesh_free(&floor);
    dent_context_destroy(context);
}

/* Two blocks, the upper one sunk in by 0.3, or their sides in common planes: what comes out has no speed of its own,
 * and not more of it with shorter steps. */
static void old_overlap_comes_out_at_the_same_speed_for_any_time_step(void **state)
{
    (void)state;
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    static const double steps[] = {1 / 60.0, 1 / 600.0, 1 / 6000.0};
    struct test_mesh lower = test_block(2, 2, 1, 1, 0, 0, 0);
    for (int round = 0; round < 6; round++) {
        double time_step = steps[round / 2], fastest = 0;
        struct test_mesh upper = test_block(2, 2, 1, 1, 0.1, 0.07, round % 2 ? 0.7 : 0);
        dent_sim_body_def bodies[2] = {test_body(DENT_SIM_RIGID, &lower), test_body(DENT_SIM_RIGID, &upper)};
        dent_sim_def def = dent_sim_def_default();
        def.body_count = 2;
        def.bodies = bodies;
        def.gravity[2] = 0;
        def.time_step = time_step;
        dent_sim *sim = test_sim(context, &def);
        dent_sim_body_info info;
        dent_sim_body(sim, 0, &info);
        for (int n = 0; n < (int)(0.1 / time_step); n++) {
            test_steps(sim, 1);
            for (uint32_t b = 0; b < 2; b++) {
                const double *velocity = dent_sim_velocities(sim, b);
                for (uint32_t k = 0; k < 3 * lower.vertex_count; k++) {
                    fastest = fabs(velocity[k]) > fastest ? fabs(velocity[k]) : fastest;
                }
            }
        }
        dent_sim_statistics end = dent_sim_get_statistics(sim);
        printf("steps of 1/%.0f s: at most %.3g m/s while coming out, kinetic %.3g J in the end, overlap %.3g m\n",
               1 / time_step, fastest, end.kinetic, end.max_penetration);
        assert_true(fastest <= 10 * info.mean_edge);
        double slow = 0.25 * 10 * info.mean_edge;
        assert_true(end.kinetic <= 2 * 0.5 * info.mass * slow * slow);
        dent_sim_destroy(sim);
        test_mesh_free(&upper);
    }
    test_mesh_free(&lower);
    dent_context_destroy(context);
}

static void count_warnings(void *user, dent_log_level level, const char *text)
{
    int *count = user;
    *count += level == DENT_LOG_WARNING && strstr(text, "cross") != NULL;
}

static void thin_bodies_that_cross_at_the_start_are_told(void **state)
{
    (void)state;
    int warnings = 0;
    dent_context_def context_def = dent_context_def_default();
    context_def.thread_count = 1;
    context_def.log.write = count_warnings;
    context_def.log.user = &warnings;
    dent_context *context = dent_context_create(&context_def, NULL);
    struct test_mesh block = test_block(1, 1, 1, 0.2, -0.1, -0.1, -0.1),
                     sheet = test_sheet(4, 4, 0.1, -0.2, -0.2, 0.01);
    dent_sim_body_def bodies[2] = {test_body(DENT_SIM_PRESCRIBED, &block), test_body(DENT_SIM_CLOTH, &sheet)};
    dent_sim_def def = dent_sim_def_default();
    def.body_count = 2;
    def.bodies = bodies;
    dent_sim_destroy(test_sim(context, &def));
    assert_int_equal(warnings, 1);
    for (uint32_t v = 0; v < sheet.vertex_count; v++) {
        sheet.positions[3 * v + 2] = 0.3;
    }
    dent_sim_destroy(test_sim(context, &def));
    assert_int_equal(warnings, 1);
    test_mesh_free(&block);
    test_mesh_free(&sheet);
    dent_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fast_bodies_do_not_sink_into_one_another),
        cmocka_unit_test(cubes_that_start_half_in_one_another_in_common_planes_come_apart),
        cmocka_unit_test(inner_edges_of_a_flat_floor_are_no_kerbs),
        cmocka_unit_test(contact_forces_carry_the_weight_also_of_a_heavy_body_on_a_light_one),
        cmocka_unit_test(overlapping_bodies_are_put_apart_in_a_few_cycles_and_gain_no_speed),
        cmocka_unit_test(a_body_placed_exactly_on_a_floor_stays_there),
        cmocka_unit_test(old_overlap_comes_out_at_the_same_speed_for_any_time_step),
        cmocka_unit_test(thin_bodies_that_cross_at_the_start_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
