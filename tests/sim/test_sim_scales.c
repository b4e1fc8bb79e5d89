/* Sizes, moduli and densities from 1e-12 to 1e12: bodies that differ in their units alone answer alike, because no
 * threshold of the solvers has a unit (sleep and the parting of overlap have: seconds). Every case is a small scene of 1 m, 1 MPa and 1000 kg/m^3, drawn in other
 * units; times follow as length * sqrt(density / modulus). */
#include "support/cmocka_includes.h"
#include "support_loads.h"

#include <math.h>
#include <string.h>

struct units {
    double length, modulus, density; /* factors */
    double time, acceleration, force, mass;
};

static struct units units_of(double length, double modulus, double density)
{
    double time = length * sqrt(density / modulus);
    return (struct units){length,
                          modulus,
                          density,
                          time,
                          length / (time * time),
                          modulus * length * length,
                          density * length * length * length};
}

static struct units draw_units(dent_random *random)
{
    double numbers[3];
    for (int k = 0; k < 3; k++) {
        numbers[k] = pow(10, 24 * dent_random_unit(random) - 12);
    }
    return units_of(numbers[0], numbers[1], numbers[2]);
}

static void scale_mesh(struct test_mesh *mesh, double factor)
{
    for (size_t n = 0; n < 3 * (size_t)mesh->vertex_count; n++) {
        mesh->positions[n] *= factor;
    }
}

/* Everything of a stage but its loads, in these units. */
static void scale_stage(struct stage *stage, const struct units *units)
{
    scale_mesh(&stage->mesh, units->length);
    stage->material.young *= units->modulus;
    stage->material.density *= units->density;
    stage->material.damping *= units->time;
    stage->def.time_step *= units->time;
    stage->def.air_damping /= units->time;
    for (int k = 0; k < 3; k++) {
        stage->def.gravity[k] *= units->acceleration;
    }
}

/* A bar on a support, pulled by a traction: its strain and the reaction in these units. */
static void pull_bar(dent_sim_elements elements, const struct units *units, double *strain, double *reaction)
{
    struct stage stage;
    double force[3], sum = 0;
    stage_open_block(&stage, elements, 3, 1, 1, 0.1);
    stage.material.young = 1e6;
    stage.material.damping = 0.05;
    stage.def.substeps = 2;
    memset(stage.def.gravity, 0, sizeof stage.def.gravity);
    stage_hold(&stage, 0, 0, DENT_SIM_HOLD_X);
    dent_sim_load_def *load = stage_push(&stage, DENT_SIM_LOAD_TRACTION);
    load->vertices = stage_layer(&stage, 0, 0.3, &load->vertex_count);
    load->vector[0] = 1e4 * units->modulus;
    scale_stage(&stage, units);
    stage_begin(&stage);
    test_steps(stage.sim, 60);
    for (uint32_t n = 0; n < load->vertex_count; n++) {
        sum += dent_sim_positions(stage.sim, 0)[3 * load->vertices[n]] / load->vertex_count;
    }
    stage_reaction(&stage, 0, force);
    *strain = sum / (0.3 * units->length) - 1;
    *reaction = force[0] / units->force;
    stage_close(&stage);
}

static void bars_of_any_size_modulus_and_density_strain_alike(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(18);
    const dent_sim_elements all[] = {DENT_SIM_LINEAR, DENT_SIM_QUADRATIC, DENT_SIM_HEXAHEDRA};
    const struct units one = units_of(1, 1, 1);
    for (uint64_t n = 0; n < test_count(6, 24, 240); n++) {
        struct units units = draw_units(&random);
        double strain[2], force[2];
        pull_bar(all[n % 3], &one, &strain[0], &force[0]);
        pull_bar(all[n % 3], &units, &strain[1], &force[1]);
        if (!is_near(strain[1], strain[0], 1e-3) || !is_near(force[1], -100, 1e-3)) {
            print_message("draw %u: length %g, modulus %g, density %g\n", (unsigned)n, units.length, units.modulus,
                          units.density);
            fail();
        }
        assert_true(is_near(strain[0], 0.01, 0.02));
    }
}

/* A block that falls on a plate: where it lies, and what carries it. */
static void drop_block(dent_sim_body_kind kind, const struct units *units, double *height, double *carried)
{
    struct stage stage;
    struct test_mesh floor = test_block(2, 2, 1, 1, -1, -1, -1);
    stage_open(&stage, 1, DENT_ISA_AUTO, test_block(2, 2, 2, 0.1, 0, 0, 0.03), kind);
    stage.material.young = 1e6;
    stage.material.damping = 0.02;
    stage.def.substeps = 10;
    stage.def.contacts = true;
    stage.def.sleep = false; /* its rule is in edges per second */
    scale_stage(&stage, units);
    scale_mesh(&floor, units->length);
    stage.bodies[1] = test_body(DENT_SIM_PRESCRIBED, &floor);
    stage.def.body_count = 2;
    stage.def.probe_count = 1;
    stage.probes[0] = dent_sim_probe_default(DENT_SIM_PROBE_CONTACT);
    stage_begin(&stage);
    test_steps(stage.sim, 90);
    double force[3];
    assert_int_equal(dent_sim_read_probe(stage.sim, 0, force), DENT_OK);
    *height = stage_mean(&stage, dent_sim_positions(stage.sim, 0), 2) / units->length;
    *carried = force[2] / (units->mass * units->acceleration);
    test_mesh_free(&floor);
    stage_close(&stage);
}

static void blocks_of_any_size_modulus_and_density_come_to_rest_on_a_plate(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(81);
    const struct units one = units_of(1, 1, 1);
    for (uint64_t n = 0; n < test_count(4, 12, 120); n++) {
        dent_sim_body_kind kind = n % 2 ? DENT_SIM_RIGID : DENT_SIM_SOLID;
        struct units units = draw_units(&random);
        double height[2], force[2];
        drop_block(kind, &one, &height[0], &force[0]);
        drop_block(kind, &units, &height[1], &force[1]);
        if (!is_near(height[1], height[0], 0.01) || !is_near(force[1], 8 * 9.81, 0.02)) {
            print_message("draw %u, %s: length %g, modulus %g, density %g\n", (unsigned)n,
                          dent_sim_body_kind_name(kind), units.length, units.modulus, units.density);
            fail();
        }
    }
}

/* A rigid block on a hinge at its corner swings as a pendulum; its angle after a while. */
static double swing(const struct units *units)
{
    struct stage stage;
    stage_open(&stage, 1, DENT_ISA_AUTO, test_block(2, 2, 2, 0.1, 0, 0, 0), DENT_SIM_RIGID);
    stage.def.substeps = 20;
    scale_stage(&stage, units);
    dent_sim_joint joint = dent_sim_joint_default();
    joint.kind = DENT_SIM_JOINT_HINGE;
    joint.body_a = 0;
    joint.axis[0] = 0;
    joint.axis[1] = 1;
    joint.axis[2] = 0;
    stage.def.joints = &joint;
    stage.def.joint_count = 1;
    stage_begin(&stage);
    test_steps(stage.sim, 20);
    double x = stage_mean(&stage, dent_sim_positions(stage.sim, 0), 0),
           z = stage_mean(&stage, dent_sim_positions(stage.sim, 0), 2);
    stage_close(&stage);
    return atan2(z, x);
}

static void hinges_of_any_size_and_mass_swing_alike(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(7);
    const struct units one = units_of(1, 1, 1);
    double angle = swing(&one);
    for (uint64_t n = 0; n < test_count(4, 16, 160); n++) {
        struct units units = draw_units(&random);
        if (!is_near(swing(&units), angle, 1e-6)) {
            print_message("draw %u: length %g, modulus %g, density %g\n", (unsigned)n, units.length, units.modulus,
                          units.density);
            fail();
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bars_of_any_size_modulus_and_density_strain_alike),
        cmocka_unit_test(blocks_of_any_size_modulus_and_density_come_to_rest_on_a_plate),
        cmocka_unit_test(hinges_of_any_size_and_mass_swing_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
