/* Loads and supports on linear and quadratic tetrahedra and on hexahedra: the same answers. Vertices that quadratic
 * cells add follow what is asked of the vertices around them. */
#include "support/cmocka_includes.h"
#include "support_loads.h"

#include <math.h>
#include <string.h>

static const dent_sim_elements all_elements[] = {DENT_SIM_LINEAR, DENT_SIM_QUADRATIC, DENT_SIM_HEXAHEDRA};
enum { ELEMENTS = 3 };

static void without_gravity(struct stage *stage)
{
    memset(stage->def.gravity, 0, sizeof stage->def.gravity);
}

/* The vertices of the simulation whose place at the start has this coordinate; `start` are its positions then. */
static double largest_move(const struct stage *stage, const double *start, int axis, double value, uint32_t *count)
{
    dent_sim_body_info info;
    double largest = 0;
    assert_true(dent_sim_body(stage->sim, 0, &info));
    *count = 0;
    for (uint32_t v = 0; v < info.vertex_count; v++) {
        if (fabs(start[3 * v + axis] - value) < 1e-9) {
            double moved = dent_sim_positions(stage->sim, 0)[3 * v + axis] - start[3 * v + axis];
            largest = fmax(largest, fabs(moved));
            (*count)++;
        }
    }
    return largest;
}

static double *copy_of_positions(const struct stage *stage)
{
    dent_sim_body_info info;
    assert_true(dent_sim_body(stage->sim, 0, &info));
    double *copy = malloc(3 * (size_t)info.vertex_count * sizeof *copy);
    assert_non_null(copy);
    return memcpy(copy, dent_sim_positions(stage->sim, 0), 3 * (size_t)info.vertex_count * sizeof *copy);
}

static void a_support_along_one_axis_holds_the_whole_side_and_answers_with_young_area_strain(void **state)
{
    (void)state;
    for (int e = 0; e < ELEMENTS; e++) {
        struct stage stage;
        double force[2][3];
        uint32_t count;
        stage_open_block(&stage, all_elements[e], 4, 2, 2, 0.05);
        stage.material.young = 1e6;
        stage.material.poisson = 0.3;
        stage.material.damping = 0.05;
        stage.def.substeps = 2;
        without_gravity(&stage);
        stage_hold(&stage, 0, 0, DENT_SIM_HOLD_X);
        stage_hold(&stage, 0, 0.2, DENT_SIM_HOLD_X);
        stage.supports[1].displacement[0] = 0.0002;
        stage_begin(&stage);
        double *start = copy_of_positions(&stage);
        test_steps(stage.sim, 60);
        assert_true(largest_move(&stage, start, 0, 0, &count) < 1e-14);
        assert_int_equal(count, all_elements[e] == DENT_SIM_QUADRATIC ? 25 : 9);
        stage_reaction(&stage, 0, force[0]);
        stage_reaction(&stage, 1, force[1]);
        print_message("%s: %.5f N\n", dent_sim_elements_name(all_elements[e]), force[1][0]);
        assert_true(is_near(force[1][0], 1e6 * 0.01 * 0.001, 0.002));
        assert_true(is_near(force[0][0], -force[1][0], 1e-4));
        free(start);
        stage_close(&stage);
    }
}

/* 0.2 m cube of 8 kg; one face has 0.04 m^2: 100 Pa are 4 N. */
static void forces_tractions_and_pressures_push_all_elements_by_newtons_law(void **state)
{
    (void)state;
    for (int n = 0; n < 4 * ELEMENTS; n++) {
        struct stage stage;
        dent_sim_load_kind kind = (dent_sim_load_kind)(DENT_SIM_LOAD_FORCE + n % 4);
        stage_open_block(&stage, all_elements[n / 4], 2, 2, 2, 0.1);
        without_gravity(&stage);
        stage.material.young = 1e6;
        stage.def.substeps = 4;
        dent_sim_load_def *load = stage_push(&stage, kind);
        load->vertices = stage_layer(&stage, 0, 0.2, &load->vertex_count);
        load->vector[0] = kind == DENT_SIM_LOAD_FORCE ? 4 : 100;
        load->pressure = -100;
        stage_begin(&stage);
        test_steps(stage.sim, 30);
        dent_sim_statistics sums = dent_sim_get_statistics(stage.sim);
        assert_true(is_near(sums.linear_momentum[0], 2, 1e-3));
        assert_true(fabs(sums.linear_momentum[1]) < 1e-6 && fabs(sums.linear_momentum[2]) < 1e-6);
        assert_true(sums.kinetic + sums.elastic <= sums.outer_work * (1 + 1e-9));
        stage_close(&stage);
    }
}

static void a_listed_face_of_a_quadratic_cell_is_its_four_parts(void **state)
{
    (void)state;
    struct stage stage;
    uint32_t face[3], found = 0;
    stage_open_block(&stage, DENT_SIM_QUADRATIC, 1, 1, 1, 0.1);
    without_gravity(&stage);
    for (uint32_t e = 0; e < stage.mesh.element_count && found < 3; e++) {
        found = 0;
        for (int k = 0; k < 4 && found < 3; k++) {
            uint32_t v = stage.mesh.corners[4 * e + k];
            if (fabs(stage.mesh.positions[3 * v] - 0.1) < 1e-9) {
                face[found++] = v;
            }
        }
    }
    assert_int_equal(found, 3);
    dent_sim_load_def *load = stage_push(&stage, DENT_SIM_LOAD_FOLLOWER);
    load->faces = face;
    load->face_count = 1;
    load->pressure = 100;
    stage_begin(&stage);
    test_steps(stage.sim, 6);
    assert_true(is_near(dent_sim_get_statistics(stage.sim).linear_momentum[0], -100 * 0.005 * 0.1, 0.01));
    dent_sim_destroy(stage.sim);
    stage.sim = NULL;
    face[1] = face[0];
    assert_int_equal(dent_sim_create(stage.context, &stage.def, &stage.sim), DENT_ERROR_BAD_MESH);
    stage_close(&stage);
}

static void a_bar_pulled_by_a_traction_lengthens_by_traction_over_young(void **state)
{
    (void)state;
    for (int e = 0; e < ELEMENTS; e++) {
        struct stage stage;
        uint32_t count;
        stage_open_block(&stage, all_elements[e], 4, 2, 2, 0.05);
        stage.material.young = 1e6;
        stage.material.poisson = 0.3;
        stage.material.damping = 0.05;
        stage.def.substeps = 2;
        without_gravity(&stage);
        stage_hold(&stage, 0, 0, DENT_SIM_HOLD_X);
        dent_sim_load_def *load = stage_push(&stage, DENT_SIM_LOAD_TRACTION);
        load->vertices = stage_layer(&stage, 0, 0.2, &load->vertex_count);
        load->vector[0] = 1000;
        stage_begin(&stage);
        double *start = copy_of_positions(&stage);
        test_steps(stage.sim, 90);
        double longest = largest_move(&stage, start, 0, 0.2, &count);
        print_message("%s: longer by %.6g m\n", dent_sim_elements_name(all_elements[e]), longest);
        assert_true(is_near(longest, 0.2 * 0.001, 0.005)); /* no vertex of the side more */
        free(start);
        stage_close(&stage);
    }
}

/* Vertices of the end x = 0 in the middle of y or z. */
static void hold_middle(struct stage *stage, int axis)
{
    dent_sim_support *support = &stage->supports[stage->def.support_count];
    stage_hold(stage, 0, 0, 1u << axis);
    uint32_t *list = stage->chosen[stage->chosen_count - 1];
    uint32_t kept = 0;
    for (uint32_t n = 0; n < support->vertex_count; n++) {
        if (fabs(stage->mesh.positions[3 * list[n] + axis] - 0.05) < 1e-9) {
            list[kept++] = list[n];
        }
    }
    support->vertex_count = kept;
}

/* Timoshenko's clamp keeps the end plane and lets it contract. So do supports along x, and along y and z in the middle. */
static void a_cantilever_whose_end_may_contract_sags_as_timoshenko_says_up_to_0_499(void **state)
{
    (void)state;
    static const double ratios[] = {0.499, 0.3};
    for (int n = 0; n < (int)test_count(1, 2, 2) * 2; n++) {
        struct stage stage;
        dent_sim_elements elements = all_elements[1 + n % 2];
        double ratio = ratios[n / 2], sag = 0, tips = 0, young = 1e6, load = 1000 * 0.01 * 0.01;
        stage_open_block(&stage, elements, 20, 2, 2, 0.05);
        stage.material.young = young;
        stage.material.poisson = ratio;
        stage.def.time_step = 2;
        stage.def.substeps = 1;
        stage.def.iterations = 50;
        stage.def.gravity[2] = -0.01;
        stage_hold(&stage, 0, 0, DENT_SIM_HOLD_X);
        hold_middle(&stage, 1);
        hold_middle(&stage, 2);
        stage_begin(&stage);
        test_steps(stage.sim, 12);
        for (uint32_t v = 0; v < stage.mesh.vertex_count; v++) {
            if (fabs(stage.mesh.positions[3 * v] - 1) < 1e-9) {
                sag += stage.mesh.positions[3 * v + 2] - dent_sim_positions(stage.sim, 0)[3 * v + 2];
                tips++;
            }
        }
        double moment = 0.01 * 0.01 / 12, shear = young / (2 * (1 + ratio));
        double theory = load / (8 * young * moment) + load * (12 + 11 * ratio) / (20 * (1 + ratio) * shear * 0.01);
        print_message("%s, %g: %.4f of Timoshenko\n", dent_sim_elements_name(elements), ratio, sag / tips / theory);
        assert_true(is_near(sag / tips, theory, 0.005));
        stage_close(&stage);
    }
}

static void a_loaded_block_rests_on_supports_with_weight_and_load(void **state)
{
    (void)state;
    for (int e = 0; e < ELEMENTS; e++) {
        struct stage stage;
        double force[3];
        stage_open_block(&stage, all_elements[e], 2, 2, 2, 0.1);
        stage.material.young = 1e6;
        stage.material.damping = 0.05;
        stage.def.substeps = 4;
        stage_hold(&stage, 2, 0, DENT_SIM_HOLD_Z);
        dent_sim_load_def *load = stage_push(&stage, DENT_SIM_LOAD_PRESSURE);
        load->vertices = stage_layer(&stage, 2, 0.2, &load->vertex_count);
        load->pressure = 500;
        stage_begin(&stage);
        test_steps(stage.sim, 90);
        stage_reaction(&stage, 0, force);
        assert_true(is_near(force[2], 8 * 9.81 + 500 * 0.04, 0.001));
        assert_true(fabs(force[0]) < 1e-9 && fabs(force[1]) < 1e-9);
        stage_close(&stage);
    }
}

static void a_follower_on_a_closed_surface_makes_no_momentum_and_no_energy_of_any_elements(void **state)
{
    (void)state;
    for (int e = 1; e < ELEMENTS; e++) {
        struct stage stage;
        stage_open_block(&stage, all_elements[e], 2, 2, 2, 0.1);
        without_gravity(&stage);
        stage.material.young = 1e5;
        stage.material.damping = 0;
        stage.def.substeps = 4;
        stage.bodies[0].angular_velocity[0] = 3;
        stage_push(&stage, DENT_SIM_LOAD_FOLLOWER)->pressure = 2e4;
        stage_begin(&stage);
        dent_sim_statistics start = dent_sim_get_statistics(stage.sim), sums;
        for (uint64_t n = 0, steps = test_count(15, 40, 40); n < steps; n++) {
            test_steps(stage.sim, 1);
            sums = dent_sim_get_statistics(stage.sim);
            double gained = sums.kinetic + sums.elastic - start.kinetic - start.elastic - sums.outer_work;
            assert_true(gained <= 1e-6 * (start.kinetic + fabs(sums.outer_work)));
        }
        for (int axis = 0; axis < 3; axis++) {
            assert_true(fabs(sums.linear_momentum[axis]) < 1e-6);
        }
        stage_close(&stage);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_support_along_one_axis_holds_the_whole_side_and_answers_with_young_area_strain),
        cmocka_unit_test(forces_tractions_and_pressures_push_all_elements_by_newtons_law),
        cmocka_unit_test(a_listed_face_of_a_quadratic_cell_is_its_four_parts),
        cmocka_unit_test(a_bar_pulled_by_a_traction_lengthens_by_traction_over_young),
        cmocka_unit_test(a_cantilever_whose_end_may_contract_sags_as_timoshenko_says_up_to_0_499),
        cmocka_unit_test(a_loaded_block_rests_on_supports_with_weight_and_load),
        cmocka_unit_test(a_follower_on_a_closed_surface_makes_no_momentum_and_no_energy_of_any_elements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
