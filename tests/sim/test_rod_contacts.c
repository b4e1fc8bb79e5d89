/* Contacts of strands with strands and with other bodies, and safe motion: nothing passes. */
#include "support_meshes.h"

#include <dent/impact.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { STRANDS = 64, LENGTH = 17, VERTICES = STRANDS * LENGTH };

/* Strands in one body or two, and a body beside them. */
struct scene {
    struct test_mesh mesh;
    dent_sim_body_def bodies[3];
    dent_sim_material materials[2];
    dent_sim_def def;
    uint32_t first[2][STRANDS + 1], fixed[2][2 * STRANDS];
    double positions[2][3 * VERTICES], velocities[2][3 * VERTICES];
};

static void begin_scene(struct scene *scene)
{
    memset(scene, 0, sizeof *scene);
    scene->materials[0] = dent_sim_material_default();
    scene->materials[1] = dent_sim_material_default();
    scene->materials[1].young = 1e8;
    scene->materials[1].density = 1000;
    scene->def = dent_sim_def_default();
    scene->def.bodies = scene->bodies;
    scene->def.materials = scene->materials;
    scene->def.material_count = 2;
    scene->def.substeps = 4;
}

static dent_sim_body_def *add_strands(struct scene *scene, int which, uint32_t count, uint32_t length)
{
    dent_sim_body_def *body = &scene->bodies[scene->def.body_count++];
    *body = dent_sim_body_def_default(DENT_SIM_STRANDS);
    for (uint32_t s = 0; s < count; s++) {
        scene->first[which][s + 1] = length * (s + 1);
    }
    body->strand_count = count;
    body->vertex_count = count * length;
    body->first = scene->first[which];
    body->positions = scene->positions[which];
    body->velocities = scene->velocities[which];
    body->fixed_vertices = scene->fixed[which];
    body->material = 1;
    body->radius = 5e-4;
    body->thickness = 1e-3;
    return body;
}

/* A straight strand. */
static void draw(double *x, uint32_t length, const double from[3], const double step[3])
{
    for (uint32_t i = 0; i < length; i++) {
        for (uint32_t axis = 0; axis < 3; axis++) {
            x[3 * i + axis] = from[axis] + i * step[axis];
        }
    }
}

static void strands_come_to_rest_on_a_floor(void **state)
{
    (void)state;
    static struct scene scene;
    begin_scene(&scene);
    scene.mesh = test_sheet(4, 4, 0.1, -0.2, -0.2, 0);
    scene.bodies[scene.def.body_count++] = test_body(DENT_SIM_PRESCRIBED, &scene.mesh);
    scene.bodies[0].thickness = 1e-3;
    add_strands(&scene, 0, 4, 9);
    for (uint32_t s = 0; s < 4; s++) {
        double from[3] = {-0.04, 0.05 * s - 0.07, 0.02}, step[3] = {0.01, 0, 0};
        draw(scene.positions[0] + 3 * 9 * s, 9, from, step);
    }
    dent_context *context = dent_context_create(NULL, NULL);
    dent_sim *sim = test_sim(context, &scene.def);
    test_steps(sim, 120);
    const double *x = dent_sim_positions(sim, 1), *v = dent_sim_velocities(sim, 1);
    double force = 0;
    uint64_t count;
    const dent_sim_contact *contacts = dent_sim_contacts(sim, &count);
    for (uint64_t n = 0; n < count; n++) {
        force += contacts[n].force[2] * (contacts[n].body_a == 1 ? 1 : -1);
    }
    dent_sim_body_info info;
    dent_sim_body(sim, 1, &info);
    print_message("%u contacts carry %.5g of the weight\n", (unsigned)count, force / (9.81 * info.mass));
    for (uint32_t k = 0; k < 36; k++) {
        assert_true(x[3 * k + 2] > 0.9e-3 && x[3 * k + 2] < 2.1e-3); /* fallen fast, it stays at half of the thicknesses */
        assert_true(fabs(v[3 * k + 2]) < 1e-4);
    }
    assert_true(fabs(force / (9.81 * info.mass) - 1) < 0.01);
    dent_sim_destroy(sim);
    dent_context_destroy(context);
    test_mesh_free(&scene.mesh);
}

/* On which side of a segment another one passes: the sign of their volume. */
static double side(const double *a, const double *b, const double *c, const double *d)
{
    double e[3][3];
    for (int k = 0; k < 3; k++) {
        e[0][k] = b[k] - a[k];
        e[1][k] = d[k] - c[k];
        e[2][k] = c[k] - a[k];
    }
    return e[2][0] * (e[0][1] * e[1][2] - e[0][2] * e[1][1]) + e[2][1] * (e[0][2] * e[1][0] - e[0][0] * e[1][2]) +
           e[2][2] * (e[0][0] * e[1][1] - e[0][1] * e[1][0]);
}

/* Exact: whether anything of the strands met something on the straight way from one set of positions to another. */
static uint64_t impacts_between(dent_context *context, const dent_sim *sim, const struct scene *scene, double *const *before)
{
    dent_world *world = dent_world_create(context);
    for (uint32_t b = 0; b < scene->def.body_count; b++) {
        dent_sim_body_info info;
        dent_sim_body(sim, b, &info);
        dent_body_def def = dent_body_def_default(info.mesh);
        def.vertex_count = info.vertex_count;
        if (info.mesh == DENT_BODY_STRANDS) {
            def.strand_count = scene->bodies[b].strand_count;
            def.first = scene->bodies[b].first;
        } else {
            def.element_count = info.element_count;
            def.element_corners = info.element_corners;
            def.self_collision = false;
        }
        def.positions_t0 = dent_positions_double(before[b]);
        def.positions_t1 = dent_positions_double(dent_sim_positions(sim, b));
        dent_body_id id;
        assert_int_equal(dent_world_add_body(world, &def, &id), DENT_OK);
    }
    dent_impact_def def = dent_impact_def_default();
    dent_impact_result result;
    assert_int_equal(dent_world_impacts(world, &def, &result), DENT_OK);
    dent_world_destroy(world);
    return result.count;
}

static double *copy_positions(const dent_sim *sim, uint32_t body, double *to)
{
    dent_sim_body_info info;
    dent_sim_body(sim, body, &info);
    memcpy(to, dent_sim_positions(sim, body), 3 * (size_t)info.vertex_count * sizeof *to);
    return to;
}

/* One strand swung through another at so many radii per step: it stays on its side. */
static void swung_strands_stay_on_their_side(void **state)
{
    (void)state;
    const double speeds[] = {1, 10, 100, 1000};
    for (int n = 0; n < 4; n++) {
        static struct scene scene;
        static double before[2][3 * VERTICES];
        begin_scene(&scene);
        memset(scene.def.gravity, 0, sizeof scene.def.gravity);
        add_strands(&scene, 0, 1, 9)->fixed_count = 2;
        add_strands(&scene, 1, 1, 9);
        double from[3] = {-0.04, 0, 0}, step[3] = {0.01, 0, 0}, across[3] = {0.003, -0.04, 0.01}, up[3] = {0, 0.01, 0};
        draw(scene.positions[0], 9, from, step);
        draw(scene.positions[1], 9, across, up);
        scene.fixed[0][0] = 0;
        scene.fixed[0][1] = 8;
        double speed = speeds[n] * 1e-3 * 60;
        for (uint32_t i = 0; i < 9; i++) {
            scene.velocities[1][3 * i + 2] = -speed;
        }
        dent_context *context = dent_context_create(NULL, NULL);
        dent_sim *sim = test_sim(context, &scene.def);
        uint64_t met = 0;
        for (int k = 0; k < 40; k++) {
            double *places[2] = {copy_positions(sim, 0, before[0]), copy_positions(sim, 1, before[1])};
            test_steps(sim, 1);
            met += impacts_between(context, sim, &scene, places);
        }
        assert_int_equal(met, 0);
        assert_true(isfinite(side(dent_sim_positions(sim, 0), dent_sim_positions(sim, 0) + 3, dent_sim_positions(sim, 1),
                                  dent_sim_positions(sim, 1) + 3)));
        dent_sim_statistics statistics = dent_sim_get_statistics(sim);
        print_message("%g radii a step: height %g, energy %g\n", speeds[n], dent_sim_positions(sim, 1)[3 * 4 + 2],
                      statistics.kinetic + statistics.elastic);
        dent_sim_destroy(sim);
        dent_context_destroy(context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strands_come_to_rest_on_a_floor),
        cmocka_unit_test(swung_strands_stay_on_their_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
