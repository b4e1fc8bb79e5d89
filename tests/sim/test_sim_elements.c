/* Elements of solids: bars have the Young's modulus and Poisson's ratio of their material, cantilevers sag as Timoshenko
 * says where elements do not lock, patches of any shape feel uniform strain, forces are the derivative of the energy. */
#include "sim/step/sim_step.h"
#include "support/cmocka_includes.h"
#include "support_meshes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const dent_sim_elements all_elements[] = {DENT_SIM_LINEAR, DENT_SIM_QUADRATIC, DENT_SIM_HEXAHEDRA};

/* ---- beams ------------------------------------------------------------------------------------------------------- */

struct beam {
    double length, width, height;
    uint32_t cells[3];
};

static uint32_t vertex_at(const struct beam *beam, uint32_t i, uint32_t j, uint32_t k)
{
    return (i * (beam->cells[1] + 1) + j) * (beam->cells[2] + 1) + k;
}

/* From the origin along x: hexahedra, or five tetrahedra for each of them. */
static struct test_mesh beam_mesh(const struct beam *beam, dent_sim_elements elements)
{
    static const uint8_t split[2][5][4] = {{{0, 1, 2, 5}, {0, 2, 3, 7}, {0, 5, 7, 4}, {2, 7, 5, 6}, {0, 2, 7, 5}},
                                           {{1, 2, 3, 6}, {0, 1, 3, 4}, {1, 6, 4, 5}, {3, 4, 6, 7}, {1, 3, 4, 6}}};
    const uint32_t *n = beam->cells;
    bool whole = elements == DENT_SIM_HEXAHEDRA;
    uint32_t boxes = n[0] * n[1] * n[2];
    struct test_mesh mesh = {.vertex_count = (n[0] + 1) * (n[1] + 1) * (n[2] + 1),
                             .element_count = whole ? boxes : 5 * boxes};
    mesh.positions = malloc(3 * mesh.vertex_count * sizeof(double));
    mesh.corners = malloc(20 * (size_t)boxes * sizeof(uint32_t));
    size_t filled = 0;
    for (uint32_t i = 0; i <= n[0]; i++) {
        for (uint32_t j = 0; j <= n[1]; j++) {
            for (uint32_t k = 0; k <= n[2]; k++) {
                double *x = mesh.positions + 3 * vertex_at(beam, i, j, k);
                x[0] = beam->length * i / n[0];
                x[1] = beam->width * j / n[1];
                x[2] = beam->height * k / n[2];
                if (i == n[0] || j == n[1] || k == n[2]) {
                    continue;
                }
                const uint32_t corners[8] = {vertex_at(beam, i, j, k),
                                             vertex_at(beam, i + 1, j, k),
                                             vertex_at(beam, i + 1, j + 1, k),
                                             vertex_at(beam, i, j + 1, k),
                                             vertex_at(beam, i, j, k + 1),
                                             vertex_at(beam, i + 1, j, k + 1),
                                             vertex_at(beam, i + 1, j + 1, k + 1),
                                             vertex_at(beam, i, j + 1, k + 1)};
                for (uint32_t t = 0; t < (whole ? 8u : 20u); t++) {
                    mesh.corners[filled++] = corners[whole ? t : split[(i + j + k) % 2][t / 4][t % 4]];
                }
            }
        }
    }
    return mesh;
}

/* Statics: time steps so long that vibrations die at once. */
static dent_sim_def static_def(dent_sim_body_def *body, const dent_sim_material *material)
{
    dent_sim_def def = dent_sim_def_default();
    def.body_count = 1;
    def.bodies = body;
    def.material_count = 1;
    def.materials = material;
    def.contacts = false;
    def.time_step = 2;
    def.substeps = 1;
    def.iterations = 50;
    return def;
}

/* Sag of the tip of a cantilever under its own weight over that of Timoshenko. */
static double relative_sag(dent_sim_elements elements, const struct beam *beam, double poisson)
{
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    struct test_mesh mesh = beam_mesh(beam, elements);
    dent_sim_body_def body = test_body(DENT_SIM_SOLID, &mesh);
    dent_sim_material material = dent_sim_material_default();
    material.young = 1e6;
    material.poisson = poisson;
    body.elements = elements;
    uint32_t fixed[64], count = 0;
    for (uint32_t v = 0; v < mesh.vertex_count; v++) {
        if (mesh.positions[3 * v] == 0) {
            fixed[count++] = v;
        }
    }
    body.fixed_vertices = fixed;
    body.fixed_count = count;
    dent_sim_def def = static_def(&body, &material);
    def.gravity[2] = -0.01;
    dent_sim *sim = test_sim(context, &def);
    test_steps(sim, 12);
    const double *x = dent_sim_positions(sim, 0);
    double sag = 0, tips = 0;
    for (uint32_t v = 0; v < mesh.vertex_count; v++) {
        if (mesh.positions[3 * v] == beam->length) {
            sag += mesh.positions[3 * v + 2] - x[3 * v + 2];
            tips++;
        }
    }
    double area = beam->width * beam->height, load = 1000 * 0.01 * area, length = beam->length;
    double moment = area * beam->height * beam->height / 12, shear = material.young / (2 * (1 + poisson));
    double factor = 10 * (1 + poisson) / (12 + 11 * poisson);
    double theory = load * length * length * length * length / (8 * material.young * moment) +
                    load * length * length / (2 * factor * shear * area);
    dent_sim_destroy(sim);
    test_mesh_free(&mesh);
    dent_context_destroy(context);
    return sag / tips / theory;
}

static void cantilevers_of_two_cells_sag_as_timoshenko_says(void **state)
{
    (void)state;
    const struct beam beam = {1, 0.1, 0.1, {20, 2, 2}}, coarse = {1, 0.1, 0.1, {10, 2, 2}};
    for (int e = 1; e < 3 && getenv("DENT_QUICK_TESTS"); e++) {
        assert_true(fabs(relative_sag(all_elements[e], &coarse, 0.3) - 1) < 0.05);
    }
    for (int e = 1; e < 3 && !getenv("DENT_QUICK_TESTS"); e++) {
        double none = relative_sag(all_elements[e], &beam, 0), some = relative_sag(all_elements[e], &beam, 0.3);
        double long_cells = relative_sag(all_elements[e], &coarse, 0.3),
               soft = relative_sag(all_elements[e], &beam, 0.45);
        printf("%s: sag %.4f (nu 0), %.4f (0.3), %.4f (0.3, cells twice as long), %.4f (0.45) of Timoshenko\n",
               dent_sim_elements_name(all_elements[e]), none, some, long_cells, soft);
        assert_true(fabs(none - 1) < 0.01 && fabs(some - 1) < 0.03 && fabs(long_cells - 1) < 0.05 &&
                    fabs(soft - 1) < 0.05);
    }
    assert_true(relative_sag(DENT_SIM_LINEAR, &coarse, 0.3) < 0.7); /* what the others are for */
}

/* ---- single bodies ----------------------------------------------------------------------------------------------- */

struct stand {
    dent_context *context;
    struct test_mesh mesh;
    dent_sim_body_def body;
    dent_sim_material material;
    dent_sim_def def;
    dent_sim *sim;
};

static void stand_open(struct stand *stand, const struct beam *beam, dent_sim_elements elements)
{
    stand->context = test_context(1, DENT_ISA_AUTO);
    stand->mesh = beam_mesh(beam, elements);
    stand->body = test_body(DENT_SIM_SOLID, &stand->mesh);
    stand->body.elements = elements;
    stand->material = dent_sim_material_default();
    stand->material.poisson = 0.3;
    stand->def = static_def(&stand->body, &stand->material);
}

static void stand_begin(struct stand *stand)
{
    stand->sim = test_sim(stand->context, &stand->def);
}

static void stand_close(struct stand *stand)
{
    dent_sim_destroy(stand->sim);
    test_mesh_free(&stand->mesh);
    dent_context_destroy(stand->context);
}

/* Moves the corners inside a body about: cells of any shape. */
static void shake_inside(struct test_mesh *mesh, const struct beam *beam, double size, uint64_t seed)
{
    dent_random random = dent_random_seeded(seed);
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        double *x = mesh->positions + 3 * v;
        bool inside =
            x[0] > 0 && x[0] < beam->length && x[1] > 0 && x[1] < beam->width && x[2] > 0 && x[2] < beam->height;
        for (int axis = 0; axis < 3; axis++) {
            x[axis] += inside ? size * (dent_random_unit(&random) - 0.5) : 0;
        }
    }
}

/* Uniaxial tension as an exact field: only the two ends bear forces, E A strain each. So both Young's modulus and
 * Poisson's ratio are those of the material. */
static void bars_have_the_modulus_and_the_ratio_of_their_material_whatever_their_cells(void **state)
{
    (void)state;
    const struct beam beam = {0.4, 0.2, 0.3, {4, 2, 3}};
    const double strain = 1e-5;
    for (int e = 0; e < 3; e++) {
        struct stand stand;
        stand_open(&stand, &beam, all_elements[e]);
        shake_inside(&stand.mesh, &beam, 0.03, 3);
        stand_begin(&stand);
        double *x = stand.sim->state.positions, end = 0, elsewhere = 0;
        double full = stand.material.young * beam.width * beam.height * strain;
        for (uint32_t v = 0; v < stand.sim->model.vertex_count; v++) {
            x[3 * v] *= 1 + strain;
            x[3 * v + 1] *= 1 - 0.3 * strain;
            x[3 * v + 2] *= 1 - 0.3 * strain;
        }
        for (uint32_t v = 0; v < stand.sim->model.vertex_count; v++) {
            const double *rest = stand.sim->model.bodies[0].rest + 3 * v;
            double force[3];
            elastic_force(&stand.sim->model, &stand.sim->state, v, force);
            bool last = rest[0] > beam.length - 1e-9, first = rest[0] < 1e-9;
            end -= last ? force[0] : 0;
            elsewhere = fmax(elsewhere, fmax(fabs(force[1]), fabs(force[2])));
            elsewhere = fmax(elsewhere, first || last ? 0 : fabs(force[0]));
        }
        assert_true(fabs(end / full - 1) < 1e-3);
        assert_true(elsewhere < 1e-3 * full);
        stand_close(&stand);
    }
}

static void forces_are_the_derivative_of_the_energy_also_inside_out(void **state)
{
    (void)state;
    const struct beam beam = {0.2, 0.2, 0.1, {2, 2, 1}};
    const double sizes[] = {0.01, 0.15}; /* the last turns cells inside out */
    for (int n = 0; n < 4; n++) {
        struct stand stand;
        stand_open(&stand, &beam, all_elements[1 + n % 2]);
        stand_begin(&stand);
        double *x = stand.sim->state.positions, worst = 0, largest = 0;
        dent_random random = dent_random_seeded(5);
        for (size_t i = 0; i < 3 * (size_t)stand.sim->model.vertex_count; i++) {
            x[i] += sizes[n / 2] * (dent_random_unit(&random) - 0.5);
        }
        for (uint32_t i = 0; i < 3 * stand.sim->model.vertex_count; i++) {
            double force[3], kept = x[i], step = 1e-6;
            elastic_force(&stand.sim->model, &stand.sim->state, i / 3, force);
            x[i] = kept + step;
            double after = elastic_body_energy(&stand.sim->model, &stand.sim->state, 0);
            x[i] = kept - step;
            double before = elastic_body_energy(&stand.sim->model, &stand.sim->state, 0);
            x[i] = kept;
            worst = fmax(worst, fabs(force[i % 3] + (after - before) / (2 * step)));
            largest = fmax(largest, fabs(force[i % 3]));
        }
        assert_true(worst < 1e-5 * largest);
        stand_close(&stand);
    }
}

/* ---- in motion --------------------------------------------------------------------------------------------------- */

static uint64_t hash_after_a_fall(dent_sim_elements elements, uint32_t threads, dent_isa isa, double *energy_ratio)
{
    const struct beam beam = {0.4, 0.1, 0.1, {4, 2, 2}};
    dent_context *context = test_context(threads, isa);
    struct test_mesh mesh = beam_mesh(&beam, elements), floor = test_block(1, 1, 1, 1, -0.3, -0.3, -1.02);
    dent_sim_body_def bodies[2] = {test_body(DENT_SIM_SOLID, &mesh), test_body(DENT_SIM_PRESCRIBED, &floor)};
    dent_sim_def def = dent_sim_def_default();
    bodies[0].elements = elements;
    bodies[0].angular_velocity[1] = 3;
    def.body_count = 2;
    def.bodies = bodies;
    dent_sim *sim = test_sim(context, &def);
    dent_sim_statistics begin = dent_sim_get_statistics(sim);
    test_steps(sim, (uint32_t)test_count(12, 40, 40)); /* it falls 2 cm: touches after 4 */
    dent_sim_statistics end = dent_sim_get_statistics(sim);
    double lowest = begin.potential * -0.02 / 0.05; /* as if all of it lay on the floor */
    *energy_ratio = (end.kinetic + end.elastic + end.potential + end.contact - lowest) /
                    (begin.kinetic + begin.elastic + begin.potential - lowest);
    uint64_t hash = dent_sim_hash(sim);
    dent_sim_destroy(sim);
    test_mesh_free(&mesh);
    test_mesh_free(&floor);
    dent_context_destroy(context);
    return hash;
}

static void falling_bodies_have_the_same_bits_on_any_machine_and_gain_no_energy(void **state)
{
    (void)state;
    for (int e = 1; e < 3; e++) {
        double ratio;
        uint64_t hash = hash_after_a_fall(all_elements[e], 1, DENT_ISA_SCALAR, &ratio);
        assert_true(ratio < 1 + 1e-6);
        if (!getenv("DENT_QUICK_TESTS")) {
            assert_true(hash_after_a_fall(all_elements[e], 3, DENT_ISA_SCALAR, &ratio) == hash);
        }
        assert_true(hash_after_a_fall(all_elements[e], 2, DENT_ISA_AUTO, &ratio) == hash);
    }
}

/* A clamped beam, slender enough for Euler and Bernoulli to 2 %: 3.516 sqrt(E I / (rho A)) / L^2. */
static void first_modes_of_beams_are_those_of_theory(void **state)
{
    (void)state;
    const struct beam beam = {1, 0.1, 0.1, {20, 2, 2}};
    for (int e = 1; e < 3; e++) {
        struct stand stand;
        uint32_t fixed[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
        stand_open(&stand, &beam, all_elements[e]);
        stand.material.poisson = 0.2;
        stand.body.fixed_vertices = fixed;
        stand.body.fixed_count = 9;
        stand_begin(&stand);
        dent_sim_mode mode;
        assert_int_equal(dent_sim_first_mode(stand.sim, 0, &mode), DENT_OK);
        double theory = 3.516 * sqrt(stand.material.young * 0.1 * 0.1 / 12 / stand.material.density);
        printf("%s: first mode %.4f of theory in %u iterations; of the substep choice %.4f\n",
               dent_sim_elements_name(all_elements[e]), mode.omega / theory, mode.iterations,
               dent_sim_get_statistics(stand.sim).mode / theory);
        assert_true(fabs(mode.omega / theory - 1) < 0.03);
        assert_true(fabs(dent_sim_get_statistics(stand.sim).mode / theory - 1) < 0.05);
        stand_close(&stand);
    }
}

static void blocks_of_any_elements_rest_with_their_weight(void **state)
{
    (void)state;
    const struct beam beam = {0.2, 0.2, 0.1, {2, 2, 1}};
    for (int e = 0; e < 3; e++) {
        dent_context *context = test_context(1, DENT_ISA_AUTO);
        struct test_mesh mesh = beam_mesh(&beam, all_elements[e]), floor = test_block(1, 1, 1, 1, -0.4, -0.4, -1.001);
        dent_sim_body_def bodies[2] = {test_body(DENT_SIM_SOLID, &mesh), test_body(DENT_SIM_PRESCRIBED, &floor)};
        dent_sim_def def = dent_sim_def_default();
        bodies[0].elements = all_elements[e];
        def.body_count = 2;
        def.bodies = bodies;
        def.thickness = 0.0005;
        dent_sim *sim = test_sim(context, &def);
        test_steps(sim, 120);
        uint64_t count;
        double force = 0;
        const dent_sim_contact *contacts = dent_sim_contacts(sim, &count);
        for (uint64_t n = 0; n < count; n++) {
            force += contacts[n].body_a == 0 ? contacts[n].force[2] : -contacts[n].force[2];
        }
        printf("%s: force %.5f of the weight\n", dent_sim_elements_name(all_elements[e]), force / (4 * 9.81));
        assert_true(fabs(force / (4 * 9.81) - 1) < 0.005);
        dent_sim_destroy(sim);
        test_mesh_free(&mesh);
        test_mesh_free(&floor);
        dent_context_destroy(context);
    }
}

static void new_vertices_of_quadratic_bodies_lie_behind_those_of_the_def(void **state)
{
    (void)state;
    const struct beam beam = {0.2, 0.1, 0.1, {2, 1, 1}};
    struct stand stand;
    stand_open(&stand, &beam, DENT_SIM_QUADRATIC);
    const uint32_t fixed[4] = {0, 1, 2, 3}; /* the face x = 0 */
    stand.body.fixed_vertices = fixed;
    stand.body.fixed_count = 4;
    stand_begin(&stand);
    dent_sim_body_info info;
    assert_true(dent_sim_body(stand.sim, 0, &info));
    assert_int_equal(info.element_count, 8 * stand.mesh.element_count);
    assert_true(info.vertex_count > stand.mesh.vertex_count);
    assert_memory_equal(dent_sim_positions(stand.sim, 0), stand.mesh.positions,
                        3 * stand.mesh.vertex_count * sizeof(double));
    assert_int_equal(stand.sim->model.bodies[0].fixed_count, 9); /* four corners, four sides, one diagonal */
    assert_true(fabs(info.mass - 1000 * 0.2 * 0.1 * 0.1) < 1e-12);
    stand_close(&stand);
}

static void elements_that_are_none_are_refused_in_one_line(void **state)
{
    (void)state;
    const struct beam beam = {0.2, 0.1, 0.1, {2, 1, 1}};
    struct stand stand;
    stand_open(&stand, &beam, DENT_SIM_HEXAHEDRA);
    stand.body.elements = (dent_sim_elements)7;
    assert_int_equal(dent_sim_create(stand.context, &stand.def, &stand.sim), DENT_ERROR_INVALID_ARGUMENT);
    stand.body.elements = DENT_SIM_HEXAHEDRA;
    stand.mesh.corners[7] = stand.mesh.vertex_count;
    assert_int_equal(dent_sim_create(stand.context, &stand.def, &stand.sim), DENT_ERROR_BAD_MESH);
    stand.mesh.corners[7] = stand.mesh.corners[0];
    assert_int_equal(dent_sim_create(stand.context, &stand.def, &stand.sim), DENT_ERROR_BAD_MESH);
    test_mesh_free(&stand.mesh);
    dent_context_destroy(stand.context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cantilevers_of_two_cells_sag_as_timoshenko_says),
        cmocka_unit_test(bars_have_the_modulus_and_the_ratio_of_their_material_whatever_their_cells),
        cmocka_unit_test(forces_are_the_derivative_of_the_energy_also_inside_out),
        cmocka_unit_test(falling_bodies_have_the_same_bits_on_any_machine_and_gain_no_energy),
        cmocka_unit_test(first_modes_of_beams_are_those_of_theory),
        cmocka_unit_test(blocks_of_any_elements_rest_with_their_weight),
        cmocka_unit_test(new_vertices_of_quadratic_bodies_lie_behind_those_of_the_def),
        cmocka_unit_test(elements_that_are_none_are_refused_in_one_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
