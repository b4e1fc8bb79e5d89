/* Forces, tractions, pressures and torques: motion by Newton's law, the thick sphere by Lamé's solution, energy never
 * above the work of the loads. All lengths in metres, forces in newtons. */
#include "support/cmocka_includes.h"
#include "support_loads.h"

#include <math.h>
#include <string.h>

static void forces_tractions_and_pressures_push_bodies_by_newtons_law(void **state)
{
    (void)state;
    /* 0.2 m cube of 8 kg; one face has 0.04 m^2: 100 Pa are 4 N. */
    for (int rigid = 0; rigid < 2; rigid++) {
        for (int kind = DENT_SIM_LOAD_FORCE; kind <= DENT_SIM_LOAD_FOLLOWER; kind++) {
            struct stage stage;
            stage_open(&stage, 1, DENT_ISA_AUTO, test_block(2, 2, 2, 0.1, 0, 0, 0),
                       rigid ? DENT_SIM_RIGID : DENT_SIM_SOLID);
            memset(stage.def.gravity, 0, sizeof stage.def.gravity);
            stage.material.young = 1e6;
            dent_sim_load_def *load = stage_push(&stage, (dent_sim_load_kind)kind);
            if (kind != DENT_SIM_LOAD_FORCE) {
                load->vertices = stage_layer(&stage, 0, 0.2, &load->vertex_count);
            }
            load->vector[0] = kind == DENT_SIM_LOAD_FORCE ? 4 : 100;
            load->pressure = -100; /* suction pulls along the outer normal */
            stage_begin(&stage);
            test_steps(stage.sim, 60);
            dent_sim_statistics sums = dent_sim_get_statistics(stage.sim);
            assert_true(is_near(sums.linear_momentum[0], 4, 1e-3));
            assert_true(fabs(sums.linear_momentum[1]) < 1e-6 && fabs(sums.linear_momentum[2]) < 1e-6);
            assert_true(is_near(sums.outer_work, 4 * 0.25, 0.02)); /* 4 N over half a * t^2 */
            assert_true(sums.kinetic + sums.elastic <= sums.outer_work * (1 + 1e-9));
            stage_close(&stage);
        }
    }
}

static void listed_faces_take_the_pressure_in_any_order_of_their_corners(void **state)
{
    (void)state;
    struct stage stage;
    uint32_t faces[3 * 16], count = 0;
    stage_open(&stage, 1, DENT_ISA_AUTO, test_block(2, 2, 2, 0.1, 0, 0, 0), DENT_SIM_SOLID);
    memset(stage.def.gravity, 0, sizeof stage.def.gravity);
    for (uint32_t e = 0; e < stage.mesh.element_count; e++) {
        uint32_t found = 0, corners[4];
        for (int k = 0; k < 4; k++) {
            uint32_t v = stage.mesh.corners[4 * e + k];
            if (fabs(stage.mesh.positions[3 * v] - 0.2) < 1e-9) {
                corners[found++] = v;
            }
        }
        if (found == 3) {
            for (uint32_t k = 0; k < 3; k++) {
                faces[3 * count + k] = corners[(k + e) % 3];
            }
            count++;
        }
    }
    assert_int_equal(count, 8);
    dent_sim_load_def *load = stage_push(&stage, DENT_SIM_LOAD_FOLLOWER);
    load->faces = faces;
    load->face_count = 4; /* half of them: whatever four, each has 0.005 m^2 */
    load->pressure = 100;
    stage_begin(&stage);
    test_steps(stage.sim, 6);
    assert_true(is_near(dent_sim_get_statistics(stage.sim).linear_momentum[0], -100 * 0.02 * 0.1, 0.01));
    stage_close(&stage);
}

static void a_force_beside_the_centre_turns_a_free_body(void **state)
{
    (void)state;
    struct stage stage;
    stage_open(&stage, 1, DENT_ISA_AUTO, test_block(2, 2, 2, 0.1, -0.1, -0.1, -0.1), DENT_SIM_SOLID);
    memset(stage.def.gravity, 0, sizeof stage.def.gravity);
    stage.material.young = 1e6;
    dent_sim_load_def *load = stage_push(&stage, DENT_SIM_LOAD_FORCE);
    load->vertices = stage_layer(&stage, 0, 0.1, &load->vertex_count);
    load->vector[1] = 4;
    stage_begin(&stage);
    test_steps(stage.sim, 10); /* it turns by at most 0.1 rad: the lever is as long as at the start to 0.5 % */
    assert_true(is_near(dent_sim_get_statistics(stage.sim).angular_momentum[2], 4 * 0.1 / 6, 0.005));
    stage_close(&stage);
}

static void a_torque_spins_a_rigid_body_and_does_its_work(void **state)
{
    (void)state;
    struct stage stage;
    stage_open(&stage, 1, DENT_ISA_AUTO, test_block(2, 2, 2, 0.1, 0, 0, 0), DENT_SIM_RIGID);
    memset(stage.def.gravity, 0, sizeof stage.def.gravity);
    dent_sim_load_def *load = stage_push(&stage, DENT_SIM_LOAD_TORQUE);
    load->vector[2] = 0.1;
    stage_begin(&stage);
    test_steps(stage.sim, 60);
    dent_sim_statistics sums = dent_sim_get_statistics(stage.sim);
    double inertia = 8 * 0.04 / 6, turned = 0.5 * 0.1 / inertia;
    assert_true(is_near(sums.angular_momentum[2], 0.1, 1e-6));
    assert_true(is_near(sums.outer_work, 0.1 * turned, 0.01));
    assert_true(is_near(sums.kinetic, 0.5 * 0.1 * 0.1 / inertia, 1e-6));
    stage_close(&stage);
}

static void a_course_is_linear_between_its_rows(void **state)
{
    (void)state;
    static const dent_sim_time_value rows[] = {{0.25, 0}, {0.75, 8}};
    struct stage stage;
    stage_open(&stage, 1, DENT_ISA_AUTO, test_block(2, 2, 2, 0.1, 0, 0, 0), DENT_SIM_RIGID);
    memset(stage.def.gravity, 0, sizeof stage.def.gravity);
    stage.def.time_step = 1.0 / 64;
    stage.def.substeps = 16;
    dent_sim_load_def *load = stage_push(&stage, DENT_SIM_LOAD_FORCE);
    load->vector[0] = 1;
    load->course = (dent_sim_course){2, rows};
    stage_begin(&stage);
    test_steps(stage.sim, 16);
    assert_true(fabs(dent_sim_get_statistics(stage.sim).linear_momentum[0]) < 1e-12);
    test_steps(stage.sim, 32);
    /* 8 * 0.5 / 2 N s, and the half substep by which factors are those at its end */
    assert_true(is_near(dent_sim_get_statistics(stage.sim).linear_momentum[0], 2 + 8 * 0.5 / 64 / 16, 1e-9));
    test_steps(stage.sim, 16);
    assert_true(is_near(dent_sim_get_statistics(stage.sim).linear_momentum[0], 4 + 8 * 0.5 / 64 / 16, 1e-9));
    stage_close(&stage);
}

/* ---- the thick sphere -------------------------------------------------------------------------------------------- */

/* A hollow ball of layers of prisms, three tetrahedra each; vertices of a layer follow one another, the innermost first. */
static struct test_mesh hollow_ball(uint32_t refinements, uint32_t layers, double inner, double outer)
{
    struct test_mesh skin = test_ball(refinements, 1, 0, 0, 0), mesh = {0};
    mesh.vertex_count = skin.vertex_count * (layers + 1);
    mesh.element_count = 3 * skin.element_count * layers;
    mesh.positions = malloc(3 * (size_t)mesh.vertex_count * sizeof(double));
    mesh.corners = malloc(4 * (size_t)mesh.element_count * sizeof(uint32_t));
    assert_true(mesh.positions && mesh.corners);
    for (uint32_t v = 0; v < mesh.vertex_count; v++) {
        double radius = inner + (outer - inner) * (v / skin.vertex_count) / layers;
        for (int k = 0; k < 3; k++) {
            mesh.positions[3 * v + k] = radius * skin.positions[3 * (v % skin.vertex_count) + k];
        }
    }
    uint32_t count = 0;
    for (uint32_t n = 0; n < skin.element_count * layers; n++) {
        uint32_t low[3], base = n / skin.element_count * skin.vertex_count;
        memcpy(low, skin.corners + 3 * (n % skin.element_count), sizeof low);
        for (int i = 0; i < 2; i++) { /* ascending: neighbouring prisms then split their common side alike */
            for (int k = 0; k < 2; k++) {
                if (low[k] > low[k + 1]) {
                    uint32_t swap = low[k];
                    low[k] = low[k + 1];
                    low[k + 1] = swap;
                }
            }
        }
        for (int k = 0; k < 3; k++) {
            low[k] += base;
        }
        uint32_t up[3] = {low[0] + skin.vertex_count, low[1] + skin.vertex_count, low[2] + skin.vertex_count};
        uint32_t tets[3][4] = {
            {low[0], low[1], low[2], up[2]}, {low[0], low[1], up[1], up[2]}, {low[0], up[0], up[1], up[2]}};
        for (int t = 0; t < 3; t++) {
            double e[3][3], normal[3];
            for (int k = 0; k < 9; k++) {
                e[k / 3][k % 3] =
                    mesh.positions[3 * tets[t][k / 3 + 1] + k % 3] - mesh.positions[3 * tets[t][0] + k % 3];
            }
            for (int k = 0; k < 3; k++) {
                normal[k] = e[0][(k + 1) % 3] * e[1][(k + 2) % 3] - e[0][(k + 2) % 3] * e[1][(k + 1) % 3];
            }
            if (normal[0] * e[2][0] + normal[1] * e[2][1] + normal[2] * e[2][2] < 0) {
                uint32_t swap = tets[t][0];
                tets[t][0] = tets[t][1];
                tets[t][1] = swap;
            }
            memcpy(mesh.corners + 4 * (size_t)count++, tets[t], sizeof tets[t]);
        }
    }
    test_mesh_free(&skin);
    return mesh;
}

/* Displacement of the inner side over Lamé's. */
static double vessel(uint32_t refinements, uint32_t layers, dent_sim_load_kind kind)
{
    struct stage stage;
    const double a = 0.5, b = 1, young = 1e6, poisson = 0.3, p = 1e3;
    stage_open(&stage, 1, DENT_ISA_AUTO, hollow_ball(refinements, layers, a, b), DENT_SIM_SOLID);
    stage.material.young = young;
    stage.material.poisson = poisson;
    stage.material.damping = 0.1;
    stage.def.time_step = 0.02;
    stage.def.substeps = 1;
    memset(stage.def.gravity, 0, sizeof stage.def.gravity);
    uint32_t skin = stage.mesh.vertex_count / (layers + 1);
    dent_sim_load_def *load = stage_push(&stage, kind);
    uint32_t *inside = malloc(skin * sizeof *inside);
    assert_non_null(inside);
    stage.chosen[stage.chosen_count++] = inside;
    for (uint32_t v = 0; v < skin; v++) {
        inside[v] = v;
    }
    load->vertices = inside;
    load->vertex_count = skin;
    load->pressure = p;
    stage_begin(&stage);
    test_steps(stage.sim, 60);
    double sum = 0;
    for (uint32_t v = 0; v < skin; v++) {
        const double *x = dent_sim_positions(stage.sim, 0) + 3 * v;
        sum += (sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]) - a) / skin;
    }
    double exact = p * a * a * a / (young * (b * b * b - a * a * a)) *
                   ((1 - 2 * poisson) * a + (1 + poisson) * b * b * b / (2 * a * a));
    stage_close(&stage);
    return sum / exact;
}

static void a_thick_sphere_under_inner_pressure_widens_by_lames_solution(void **state)
{
    (void)state;
    double coarse = vessel(2, 3, DENT_SIM_LOAD_PRESSURE), fine = vessel(3, 6, DENT_SIM_LOAD_PRESSURE);
    double follower = vessel(3, 6, DENT_SIM_LOAD_FOLLOWER);
    print_message("inner side: %.4f, %.4f of Lame's solution; follower %.4f\n", coarse, fine, follower);
    assert_true(fabs(fine - 1) < 0.05);
    /* Of half the edges the error of linear tetrahedra is a quarter: what is left is the mesh's. */
    assert_true(fabs(fine - 1) < 0.35 * fabs(coarse - 1));
    assert_true(fabs((4 * fine - coarse) / 3 - 1) < 0.015);
    assert_true(is_near(follower, fine, 0.005));
}

/* ---- random loads ------------------------------------------------------------------------------------------------ */

static double between(dent_random *random, double low, double high)
{
    return low + (high - low) * dent_random_unit(random);
}

/* A soft and a rigid block with a random load each, a support or none, and a spring between them. */
static void open_random(struct stage *stage, uint64_t seed, struct test_mesh *other, dent_sim_time_value rows[3])
{
    dent_random random = dent_random_seeded(seed);
    stage_open(stage, 1, DENT_ISA_AUTO, test_block(4, 2, 2, 0.1, 0, 0, 0), DENT_SIM_SOLID);
    *other = test_block(1, 1, 1, 0.2, 1, 0, 0);
    stage->bodies[1] = test_body(DENT_SIM_RIGID, other);
    stage->def.body_count = 2;
    stage->material.young = pow(10, between(&random, 3, 9));
    stage->material.density = pow(10, between(&random, 1, 4));
    stage->material.poisson = between(&random, 0, 0.49);
    stage->material.damping = seed % 2 ? 0 : 0.01;
    stage->bodies[1].density = 1000; /* a lighter one would turn by radians in a substep */
    stage->def.time_step = pow(10, between(&random, -3, -1.5));
    for (int n = 0; n < 3; n++) {
        rows[n] = (dent_sim_time_value){n * pow(10, between(&random, -2, -1)) + n, between(&random, -1, 1)};
    }
    for (uint32_t n = 0; n < 2; n++) {
        uint32_t kind = 1 + (uint32_t)(between(&random, 0, n == 1 ? 4.99 : 3.99));
        dent_sim_load_def *load = stage_push(stage, (dent_sim_load_kind)kind);
        load->body = n;
        load->pressure = between(&random, -1e4, 1e4);
        load->course = (dent_sim_course){seed % 3 ? 3 : 0, rows};
        if (n == 0 && seed % 4 < 2 && kind != DENT_SIM_LOAD_TORQUE) {
            load->vertices = stage_layer(stage, 2, 0.2, &load->vertex_count);
        }
        for (int k = 0; k < 3; k++) {
            load->vector[k] = between(&random, -50, 50);
        }
    }
    if (seed % 5 < 3) {
        stage_hold(stage, 0, 0, (uint32_t)between(&random, 1, 7.99));
    }
    stage->def.spring_count = seed % 2;
    stage->springs[0] = dent_sim_spring_default();
    stage->springs[0].a = (dent_sim_point){0, {44, UINT32_MAX, UINT32_MAX, UINT32_MAX}, {1, 0, 0, 0}, {0, 0, 0}};
    stage->springs[0].b.body = 1;
    stage->springs[0].b.place[0] = 1;
    stage->springs[0].stiffness = pow(10, between(&random, -1, 6));
    stage->springs[0].damping = between(&random, 0, 10);
}

static void random_loads_give_no_more_energy_than_their_work(void **state)
{
    (void)state;
    uint64_t count = test_count(15, 40, 1000);
    for (uint64_t seed = 1; seed <= count; seed++) {
        struct stage stage;
        struct test_mesh other;
        dent_sim_time_value rows[3];
        open_random(&stage, seed, &other, rows);
        stage_begin(&stage);
        dent_sim_statistics start = dent_sim_get_statistics(stage.sim), sums = start;
        double before = start.kinetic + start.elastic + start.potential, largest = fabs(before);
        for (int n = 0; n < 10; n++) {
            test_steps(stage.sim, 1);
            sums = dent_sim_get_statistics(stage.sim);
            double now = sums.kinetic + sums.elastic + sums.potential + sums.contact;
            largest = fmax(largest, fabs(sums.outer_work));
            if (!(now - before - sums.outer_work <= 1e-6 * largest)) {
                print_message("seed %u, step %d: %.9g J and %.9g J of work become %.9g J\n", (unsigned)seed, n, before,
                              sums.outer_work, now);
            }
            assert_true(now - before - sums.outer_work <= 1e-6 * largest);
        }
        stage_close(&stage);
        test_mesh_free(&other);
    }
}

/* ---- sleep ------------------------------------------------------------------------------------------------------- */

static void a_load_that_begins_wakes_a_sleeping_body(void **state)
{
    (void)state;
    static const dent_sim_time_value rows[] = {{2, 0}, {2.01, 1}};
    struct stage stage;
    stage_open(&stage, 1, DENT_ISA_AUTO, test_block(2, 2, 2, 0.1, 0, 0, 0.04), DENT_SIM_RIGID);
    struct test_mesh floor = test_block(4, 4, 1, 1, -2, -2, -1);
    stage.bodies[1] = test_body(DENT_SIM_PRESCRIBED, &floor);
    stage.def.body_count = 2;
    stage.def.contacts = true;
    dent_sim_load_def *load = stage_push(&stage, DENT_SIM_LOAD_FORCE);
    load->vector[2] = 8 * 9.81 + 8; /* rises by 1 m/s^2 */
    stage.def.air_damping = 0;
    load->course = (dent_sim_course){2, rows};
    stage_begin(&stage);
    test_steps(stage.sim, 115);
    assert_int_equal(dent_sim_get_statistics(stage.sim).sleeping, 1);
    test_steps(stage.sim, 65);
    assert_int_equal(dent_sim_get_statistics(stage.sim).sleeping, 0);
    assert_true(is_near(stage_mean(&stage, dent_sim_velocities(stage.sim, 0), 2), 1, 0.02));
    test_mesh_free(&floor);
    stage_close(&stage);
}

static void under_a_load_that_stays_a_body_sleeps_and_keeps_still(void **state)
{
    (void)state;
    struct stage stage;
    stage_open(&stage, 1, DENT_ISA_AUTO, test_block(2, 2, 2, 0.1, 0, 0, 0.04), DENT_SIM_RIGID);
    struct test_mesh floor = test_block(4, 4, 1, 1, -2, -2, -1);
    stage.bodies[1] = test_body(DENT_SIM_PRESCRIBED, &floor);
    stage.def.body_count = 2;
    stage.def.contacts = true;
    stage_push(&stage, DENT_SIM_LOAD_FORCE)->vector[0] = 8 * 9.81 * 0.25;
    stage_begin(&stage);
    test_steps(stage.sim, 120);
    assert_int_equal(dent_sim_get_statistics(stage.sim).sleeping, 1);
    double x = stage_mean(&stage, dent_sim_positions(stage.sim, 0), 0);
    test_steps(stage.sim, 60);
    dent_sim_statistics sums = dent_sim_get_statistics(stage.sim);
    assert_int_equal(sums.sleeping, 1);
    assert_true(stage_mean(&stage, dent_sim_positions(stage.sim, 0), 0) == x && sums.kinetic == 0);
    test_mesh_free(&floor);
    stage_close(&stage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_tractions_and_pressures_push_bodies_by_newtons_law),
        cmocka_unit_test(listed_faces_take_the_pressure_in_any_order_of_their_corners),
        cmocka_unit_test(a_force_beside_the_centre_turns_a_free_body),
        cmocka_unit_test(a_torque_spins_a_rigid_body_and_does_its_work),
        cmocka_unit_test(a_course_is_linear_between_its_rows),
        cmocka_unit_test(a_thick_sphere_under_inner_pressure_widens_by_lames_solution),
        cmocka_unit_test(random_loads_give_no_more_energy_than_their_work),
        cmocka_unit_test(a_load_that_begins_wakes_a_sleeping_body),
        cmocka_unit_test(under_a_load_that_stays_a_body_sleeps_and_keeps_still),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
