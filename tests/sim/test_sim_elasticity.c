/* Elastic solids and cloth: forces are the derivative of the energy, patches feel uniform strain, turning costs
 * nothing, small strains follow Hooke's law. */
#include "sim/step/sim_step.h"
#include "support/cmocka_includes.h"
#include "support_meshes.h"

#include <math.h>
#include <string.h>

static dent_sim *one_body(dent_context *context, const dent_sim_body_def *body, const dent_sim_material *material)
{
    dent_sim_def def = dent_sim_def_default();
    def.body_count = 1;
    def.bodies = body;
    def.material_count = 1;
    def.materials = material;
    def.contacts = false;
    def.continuous = DENT_SIM_CONTINUOUS_OFF;
    return test_sim(context, &def);
}

static void put(dent_sim *sim, const double *positions)
{
    memcpy(sim->state.positions, positions, 3 * (size_t)sim->model.vertex_count * sizeof(double));
}

static double energy_of(const dent_sim *sim, uint32_t body)
{
    return elastic_body_energy(&sim->model, &sim->state, body);
}

static void force_on(const dent_sim *sim, uint32_t vertex, double force[3])
{
    elastic_force(&sim->model, &sim->state, vertex, force);
}

static void shake(dent_sim *sim, double size, uint64_t seed)
{
    dent_random random = dent_random_seeded(seed);
    for (size_t n = 0; n < 3 * (size_t)sim->model.vertex_count; n++) {
        sim->state.positions[n] += size * (dent_random_unit(&random) - 0.5);
    }
    put(sim, sim->state.positions);
}

/* The largest difference of force and central difference of the energy, relative to the largest force. */
static double derivative_error(dent_sim *sim, double step)
{
    double worst = 0, largest = 0;
    for (uint32_t v = 0; v < sim->model.vertex_count; v++) {
        double force[3];
        force_on(sim, v, force);
        for (int axis = 0; axis < 3; axis++) {
            double *x = &sim->state.positions[3 * v + (uint32_t)axis], kept = *x;
            *x = kept + step;
            double after = energy_of(sim, 0);
            *x = kept - step;
            double before = energy_of(sim, 0);
            *x = kept;
            double off = fabs(force[axis] + (after - before) / (2 * step));
            worst = off > worst ? off : worst;
            largest = fabs(force[axis]) > largest ? fabs(force[axis]) : largest;
        }
    }
    assert_true(largest > 0);
    return worst / largest;
}

static void forces_of_a_solid_are_the_derivative_of_its_energy_also_inside_out(void **state)
{
    (void)state;
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    struct test_mesh mesh = test_block(2, 2, 2, 0.1, 1, 2, 3);
    dent_sim_body_def body = test_body(DENT_SIM_SOLID, &mesh);
    dent_sim_material material = dent_sim_material_default();
    dent_sim *sim = one_body(context, &body, &material);
    const double sizes[] = {0.01, 0.1, 0.4}; /* the last turns cells inside out */
    for (int n = 0; n < 3; n++) {
        put(sim, mesh.positions);
        shake(sim, sizes[n], 7 + (uint64_t)n);
        assert_true(derivative_error(sim, 1e-6) < 1e-6);
    }
    assert_true(dent_sim_get_statistics(sim).inverted_cells > 0);
    dent_sim_destroy(sim);
    test_mesh_free(&mesh);
    dent_context_destroy(context);
}

static void forces_of_cloth_are_the_derivative_of_its_energy_flat_and_curved_at_rest(void **state)
{
    (void)state;
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    struct test_mesh mesh = test_sheet(4, 4, 0.1, 0, 0, 0);
    dent_sim_material material = dent_sim_material_default();
    material.bending = 0.5;
    for (int curved = 0; curved < 2; curved++) {
        for (uint32_t v = 0; v < mesh.vertex_count && curved; v++) {
            mesh.positions[3 * v + 2] = 0.5 * mesh.positions[3 * v] * mesh.positions[3 * v];
        }
        dent_sim_body_def body = test_body(DENT_SIM_CLOTH, &mesh);
        dent_sim *sim = one_body(context, &body, &material);
        assert_true(fabs(dent_sim_get_statistics(sim).elastic) < 1e-12);
        shake(sim, 0.03, 5);
        assert_true(derivative_error(sim, 1e-6) < 1e-6);
        dent_sim_destroy(sim);
    }
    test_mesh_free(&mesh);
    dent_context_destroy(context);
}

static void a_patch_under_uniform_strain_has_no_force_inside_and_the_energy_of_its_volume(void **state)
{
    (void)state;
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    struct test_mesh mesh = test_block(3, 3, 3, 0.1, -0.15, -0.15, -0.15);
    dent_random random = dent_random_seeded(3);
    for (uint32_t v = 0; v < mesh.vertex_count; v++) { /* an irregular mesh: move the inner vertices */
        bool inside = fabs(mesh.positions[3 * v]) < 0.1 && fabs(mesh.positions[3 * v + 1]) < 0.1 &&
                      fabs(mesh.positions[3 * v + 2]) < 0.1;
        for (int axis = 0; axis < 3 && inside; axis++) {
            mesh.positions[3 * v + (uint32_t)axis] += 0.03 * (dent_random_unit(&random) - 0.5);
        }
    }
    dent_sim_body_def body = test_body(DENT_SIM_SOLID, &mesh);
    dent_sim_material material = dent_sim_material_default();
    dent_sim *sim = one_body(context, &body, &material);
    const double F[9] = {1.1, 0.2, -0.05, 0.1, 0.85, 0.15, -0.1, 0.05, 1.2};
    double *x = sim->state.positions;
    for (uint32_t v = 0; v < mesh.vertex_count; v++) {
        for (int i = 0; i < 3; i++) {
            x[3 * v + (uint32_t)i] = sim_dot(F + 3 * i, mesh.positions + 3 * v);
        }
    }
    put(sim, x);
    double inner = 0, outer = 0;
    for (uint32_t v = 0; v < mesh.vertex_count; v++) {
        double force[3];
        force_on(sim, v, force);
        double size = sqrt(sim_dot(force, force));
        bool inside = fabs(mesh.positions[3 * v]) < 0.1 && fabs(mesh.positions[3 * v + 1]) < 0.1 &&
                      fabs(mesh.positions[3 * v + 2]) < 0.1;
        inner = inside && size > inner ? size : inner;
        outer = !inside && size > outer ? size : outer;
    }
    assert_true(inner < 1e-12 * outer);
    double mu = material.young / (2 * (1 + material.poisson));
    double lambda = material.young * material.poisson / ((1 + material.poisson) * (1 - 2 * material.poisson)) + mu;
    double square = 0, crossed[3];
    for (int n = 0; n < 9; n++) {
        square += F[n] * F[n];
    }
    sim_cross(F, F + 3, crossed);
    double J = sim_dot(crossed, F + 6), gamma = 1 + mu / lambda;
    double density = mu / 2 * (square - 3) + lambda / 2 * ((J - gamma) * (J - gamma) - (1 - gamma) * (1 - gamma));
    double volume = 0.3 * 0.3 * 0.3;
    assert_true(fabs(dent_sim_get_statistics(sim).elastic - density * volume) < 1e-9 * density * volume);
    dent_sim_destroy(sim);
    test_mesh_free(&mesh);
    dent_context_destroy(context);
}

static void turning_a_bent_body_changes_no_energy_and_turns_the_forces(void **state)
{
    (void)state;
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    struct test_mesh block = test_block(2, 2, 2, 0.1, 0, 0, 0), sheet = test_sheet(4, 4, 0.1, 0, 0, 0);
    const double turn[9] = {0.36, 0.48, -0.8, -0.8, 0.6, 0, 0.48, 0.64, 0.6}; /* exact to rounding */
    dent_sim_material material = dent_sim_material_default();
    for (int cloth = 0; cloth < 2; cloth++) {
        dent_sim_body_def body = test_body(cloth ? DENT_SIM_CLOTH : DENT_SIM_SOLID, cloth ? &sheet : &block);
        dent_sim *sim = one_body(context, &body, &material);
        shake(sim, 0.05, 11);
        double energy = energy_of(sim, 0), before[3], after[3], rotated[3], far[3] = {30, -20, 10};
        force_on(sim, 5, before);
        for (uint32_t v = 0; v < sim->model.vertex_count; v++) {
            double x[3];
            memcpy(x, sim->state.positions + 3 * v, sizeof x);
            for (int i = 0; i < 3; i++) {
                sim->state.positions[3 * v + (uint32_t)i] = sim_dot(turn + 3 * i, x) + far[i];
            }
        }
        put(sim, sim->state.positions);
        assert_true(fabs(energy_of(sim, 0) - energy) < 1e-9 * energy);
        force_on(sim, 5, after);
        for (int i = 0; i < 3; i++) {
            rotated[i] = sim_dot(turn + 3 * i, before);
            assert_true(fabs(rotated[i] - after[i]) < 1e-9 * sqrt(sim_dot(before, before)));
        }
        dent_sim_destroy(sim);
    }
    test_mesh_free(&block);
    test_mesh_free(&sheet);
    dent_context_destroy(context);
}

static void energy_counts_what_fixed_vertices_are_moved_to(void **state)
{
    (void)state;
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    struct test_mesh block = test_block(2, 2, 2, 0.1, 0, 0, 0), sheet = test_sheet(4, 4, 0.1, 0, 0, 0);
    uint32_t fixed[27];
    dent_sim_material material = dent_sim_material_default();
    for (uint32_t v = 0; v < 27; v++) {
        fixed[v] = v;
    }
    for (int cloth = 0; cloth < 2; cloth++) {
        dent_sim_body_def body = test_body(cloth ? DENT_SIM_CLOTH : DENT_SIM_SOLID, cloth ? &sheet : &block);
        dent_sim *free_sim = one_body(context, &body, &material);
        body.fixed_vertices = fixed;
        body.fixed_count = cloth ? 12 : 18;
        dent_sim *held_sim = one_body(context, &body, &material);
        shake(free_sim, 0.05, 13);
        shake(held_sim, 0.05, 13);
        double wanted = energy_of(free_sim, 0), energy = energy_of(held_sim, 0);
        assert_true(wanted > 0 && fabs(energy - wanted) < 1e-10 * wanted);
        dent_sim_destroy(held_sim);
        dent_sim_destroy(free_sim);
    }
    test_mesh_free(&block);
    test_mesh_free(&sheet);
    dent_context_destroy(context);
}

static void small_strains_follow_hookes_law(void **state)
{
    (void)state;
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    struct test_mesh mesh = test_block(1, 1, 1, 1, 0, 0, 0);
    dent_sim_body_def body = test_body(DENT_SIM_SOLID, &mesh);
    dent_sim_material material = dent_sim_material_default();
    for (int n = 0; n < 3; n++) {
        material.poisson = 0.15 * n;
        dent_sim *sim = one_body(context, &body, &material);
        /* Stretched along x with the sides drawn in by Poisson's ratio: energy E/2 strain^2 per volume. */
        double strain = 1e-4;
        for (uint32_t v = 0; v < mesh.vertex_count; v++) {
            sim->state.positions[3 * v] = mesh.positions[3 * v] * (1 + strain);
            sim->state.positions[3 * v + 1] = mesh.positions[3 * v + 1] * (1 - material.poisson * strain);
            sim->state.positions[3 * v + 2] = mesh.positions[3 * v + 2] * (1 - material.poisson * strain);
        }
        double expected = material.young / 2 * strain * strain;
        assert_true(fabs(energy_of(sim, 0) - expected) < 1e-3 * expected);
        dent_sim_destroy(sim);
    }
    test_mesh_free(&mesh);
    dent_context_destroy(context);
}

static void a_body_turned_inside_out_comes_back(void **state)
{
    (void)state;
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    struct test_mesh mesh = test_block(2, 2, 2, 0.1, 0, 0, 0);
    dent_sim_body_def body = test_body(DENT_SIM_SOLID, &mesh);
    body.rest = mesh.positions;
    struct test_mesh crushed = test_block(2, 2, 2, 0.1, 0, 0, 0);
    dent_random random = dent_random_seeded(23);
    for (uint32_t n = 0; n < 3 * mesh.vertex_count; n++) {
        crushed.positions[n] = 0.2 * dent_random_unit(&random);
    }
    body.positions = crushed.positions;
    dent_sim_material material = dent_sim_material_default();
    dent_sim *sim = one_body(context, &body, &material);
    assert_true(dent_sim_get_statistics(sim).inverted_cells > 0);
    const double none[3] = {0, 0, 0};
    dent_sim_set_gravity(sim, none);
    double before = dent_sim_get_statistics(sim).elastic;
    test_steps(sim, 300);
    assert_int_equal(dent_sim_get_statistics(sim).inverted_cells, 0);
    assert_true(dent_sim_get_statistics(sim).elastic < 1e-6 * before);
    dent_sim_destroy(sim);
    test_mesh_free(&mesh);
    test_mesh_free(&crushed);
    dent_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_of_a_solid_are_the_derivative_of_its_energy_also_inside_out),
        cmocka_unit_test(forces_of_cloth_are_the_derivative_of_its_energy_flat_and_curved_at_rest),
        cmocka_unit_test(a_patch_under_uniform_strain_has_no_force_inside_and_the_energy_of_its_volume),
        cmocka_unit_test(turning_a_bent_body_changes_no_energy_and_turns_the_forces),
        cmocka_unit_test(energy_counts_what_fixed_vertices_are_moved_to),
        cmocka_unit_test(small_strains_follow_hookes_law),
        cmocka_unit_test(a_body_turned_inside_out_comes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
