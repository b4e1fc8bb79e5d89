/* A substep of elastic bodies: the sum it minimises is least there, products are those of a symmetric positive matrix,
 * momentum is kept, energy never rises, vibrations keep their energy over periods, resumed runs have the same bits. */
#include "sim/elastic/minimise.h"
#include "sim/step/sim_step.h"

#include "support_meshes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct scene {
    dent_context *context;
    struct test_mesh mesh;
    uint32_t fixed[64];
    double *velocities;
    dent_sim_material material;
    dent_sim_body_def body;
    dent_sim_def def;
    dent_sim *sim;
};

/* A beam of 6 x 1 x 1 cells of 0.1 m, held at its end or not, with a bending velocity. */
static void open_beam(struct scene *scene, double young, bool held, uint32_t threads)
{
    *scene = (struct scene){.context = test_context(threads, DENT_ISA_AUTO)};
    scene->mesh = test_block(6, 1, 1, 0.1, 0, 0, 0);
    scene->velocities = calloc(3 * (size_t)scene->mesh.vertex_count, sizeof(double));
    scene->material = dent_sim_material_default();
    scene->material.young = young;
    scene->material.damping = 0;
    scene->body = test_body(DENT_SIM_SOLID, &scene->mesh);
    for (uint32_t v = 0; v < scene->mesh.vertex_count; v++) {
        double x = scene->mesh.positions[3 * (size_t)v];
        scene->velocities[3 * (size_t)v + 2] = 0.5 * x * x;
        if (held && x < 1e-9) {
            scene->fixed[scene->body.fixed_count++] = v;
        }
    }
    scene->body.fixed_vertices = scene->fixed;
    scene->body.velocities = scene->velocities;
    scene->def = dent_sim_def_default();
    scene->def.bodies = &scene->body;
    scene->def.body_count = 1;
    scene->def.materials = &scene->material;
    scene->def.material_count = 1;
    scene->def.contacts = false;
    memset(scene->def.gravity, 0, sizeof scene->def.gravity);
    scene->sim = test_sim(scene->context, &scene->def);
}

static void close_scene(struct scene *scene)
{
    dent_sim_destroy(scene->sim);
    test_mesh_free(&scene->mesh);
    free(scene->velocities);
    dent_context_destroy(scene->context);
}

static double energy_of(const dent_sim *sim)
{
    dent_sim_statistics now = dent_sim_get_statistics(sim);
    return now.kinetic + now.elastic + now.potential + now.contact;
}

/* ---- newton_step.c ----------------------------------------------------------------------------------------------- */

static double dot(const double *a, const double *b, size_t count)
{
    double sum = 0;
    for (size_t n = 0; n < count; n++) {
        sum += a[n] * b[n];
    }
    return sum;
}

static void a_finished_substep_leaves_no_force(void **state)
{
    (void)state;
    struct scene scene;
    open_beam(&scene, 1e6, true, 1);
    struct minimiser *work = scene.sim->work.solver.elastic.minimiser;
    test_steps(scene.sim, 5);
    /* Targets are those of the last substep, positions where it ended. */
    newton_gradient(&scene.sim->model, &scene.sim->state, work);
    double left = sqrt(dot(work->gradient, work->gradient, work->size));
    double inertia = 0;
    for (size_t n = 0; n < work->size; n++) {
        double force = work->inertia.vertices[n / 3] * (scene.sim->state.positions[n] - work->targets[n]);
        inertia += force * force;
    }
    printf("force left %.3g of %.3g N\n", left, sqrt(inertia));
    assert_true(left <= 1e-2 * sqrt(inertia));
    close_scene(&scene);
}

static void products_are_those_of_a_symmetric_positive_matrix(void **state)
{
    (void)state;
    struct scene scene;
    open_beam(&scene, 1e6, true, 1);
    struct minimiser *work = scene.sim->work.solver.elastic.minimiser;
    test_steps(scene.sim, 3);
    size_t size = work->size;
    double *vectors = calloc(4 * (size + 1), sizeof *vectors);
    double *a = vectors, *b = a + size + 1, *of_a = b + size + 1, *of_b = of_a + size + 1;
    for (size_t n = 0; n < size; n++) {
        bool moves = work->inertia.vertices[n / 3] > 0;
        a[n] = moves ? sin(1.7 * (double)n) : 0;
        b[n] = moves ? cos(0.9 * (double)n) : 0;
    }
    newton_gradient(&scene.sim->model, &scene.sim->state, work);
    newton_product(&scene.sim->model, &scene.sim->state, work, a, of_a);
    newton_product(&scene.sim->model, &scene.sim->state, work, b, of_b);
    double left = dot(b, of_a, size), right = dot(a, of_b, size), own = dot(a, of_a, size);
    assert_true(own > 0);
    assert_true(fabs(left - right) <= 1e-10 * own);
    free(vectors);
    close_scene(&scene);
}

/* ---- coarse_space.c: the preconditioner is symmetric and positive, and near to the inverse -------------------------- */

static void the_preconditioner_of_a_small_body_is_its_inverse(void **state)
{
    (void)state;
    struct scene scene;
    open_beam(&scene, 1e7, true, 1);
    struct minimiser *work = scene.sim->work.solver.elastic.minimiser;
    struct sim_state *now = &scene.sim->state;
    size_t size = work->size;
    double *vectors = calloc(3 * (size + 1), sizeof *vectors), *x = vectors, *product = x + size + 1;
    double *back = product + size + 1;
    test_steps(scene.sim, 1);
    newton_gradient(&scene.sim->model, now, work);
    assert_int_equal(coarse_refresh(&scene.sim->model, now, &work->terms, &work->inertia, &work->space, true), DENT_OK);
    for (size_t n = 0; n < size; n++) {
        x[n] = work->inertia.vertices[n / 3] > 0 ? sin(0.3 * (double)n) : 0;
    }
    newton_product(&scene.sim->model, now, work, x, product);
    coarse_apply(&scene.sim->model, &work->space, product, back);
    double off = 0;
    for (size_t n = 0; n < size; n++) {
        off += (back[n] - x[n]) * (back[n] - x[n]);
    }
    printf("off by %.3g of it\n", sqrt(off / dot(x, x, size)));
    assert_true(off <= 1e-2 * dot(x, x, size));
    free(vectors);
    close_scene(&scene);
}

/* ---- momentum.c -------------------------------------------------------------------------------------------------- */

static void free_bodies_keep_their_momenta(void **state)
{
    (void)state;
    const double youngs[3] = {1e4, 1e6, 1e9};
    for (int n = 0; n < 3; n++) {
        struct scene scene;
        open_beam(&scene, youngs[n], false, 1);
        dent_sim_statistics before = dent_sim_get_statistics(scene.sim);
        test_steps(scene.sim, 60);
        dent_sim_statistics after = dent_sim_get_statistics(scene.sim);
        for (int axis = 0; axis < 3; axis++) {
            assert_true(fabs(after.linear_momentum[axis] - before.linear_momentum[axis]) <= 1e-12);
            assert_true(fabs(after.angular_momentum[axis] - before.angular_momentum[axis]) <= 1e-10);
        }
        close_scene(&scene);
    }
}

/* ---- energy_limit.c ---------------------------------------------------------------------------------------------- */

static void energy_never_rises_whatever_the_step(void **state)
{
    (void)state;
    const double steps[4] = {1e-4, 1e-3, 1.0 / 60, 0.1}, youngs[3] = {1e3, 1e6, 1e9};
    for (int n = 0; n < 12; n++) {
        struct scene scene;
        open_beam(&scene, youngs[n / 4], n % 2 == 0, 1);
        dent_sim_destroy(scene.sim);
        scene.def.time_step = steps[n % 4];
        scene.def.substeps = 1;
        scene.sim = test_sim(scene.context, &scene.def);
        double start = energy_of(scene.sim), last = start;
        for (int k = 0; k < 40; k++) {
            test_steps(scene.sim, 1);
            double now = energy_of(scene.sim);
            assert_true(now <= last + 1e-7 * start); /* reading the elastic energy at 1 GPa rounds by 1e-8 of it */
            last = now;
        }
        close_scene(&scene);
    }
}

/* ---- two_step.c -------------------------------------------------------------------------------------------------- */

static void vibrations_keep_their_energy(void **state)
{
    (void)state;
    struct scene scene;
    open_beam(&scene, 1e6, true, 1);
    double mode = dent_sim_get_statistics(scene.sim).mode;
    dent_sim_destroy(scene.sim);
    scene.def.substeps = 1;
    scene.def.time_step = 0.1 / mode;
    scene.sim = test_sim(scene.context, &scene.def);
    double start = energy_of(scene.sim);
    test_steps(scene.sim, 63);
    double kept = energy_of(scene.sim) / start;
    printf("kept after a period at w h = 0.1: %.3f\n", kept);
    assert_true(kept > 0.9 && kept <= 1); /* implicit Euler: 0.54 */
    close_scene(&scene);
}

static uint64_t hash_after(uint32_t threads, bool resume)
{
    struct scene scene;
    char path[] = "elastic_step_XXXXXX";
    open_beam(&scene, 1e6, false, threads);
    test_steps(scene.sim, 10);
    if (resume) {
        int file = mkstemp(path);
        assert_true(file >= 0);
        close(file);
        assert_int_equal(dent_sim_save(scene.sim, path, NULL, 0), DENT_OK);
        dent_sim_destroy(scene.sim);
        scene.sim = test_sim(scene.context, &scene.def);
        assert_int_equal(dent_sim_load(scene.sim, path), DENT_OK);
        unlink(path);
    }
    test_steps(scene.sim, 10);
    uint64_t hash = dent_sim_hash(scene.sim);
    close_scene(&scene);
    return hash;
}

static void the_step_before_is_part_of_a_checkpoint(void **state)
{
    (void)state;
    uint64_t hash = hash_after(1, false);
    assert_true(hash_after(1, true) == hash);
    assert_true(hash_after(2, false) == hash);
    assert_true(hash_after(5, true) == hash);
}

static void a_velocity_that_is_set_has_no_history(void **state)
{
    (void)state;
    struct scene scene;
    const double velocity[3] = {3, 0, 0};
    double before[3], after[3] = {0};
    open_beam(&scene, 1e6, false, 1);
    test_steps(scene.sim, 10);
    dent_sim_set_velocity(scene.sim, 0, velocity, NULL);
    memcpy(before, dent_sim_positions(scene.sim, 0), sizeof before);
    test_steps(scene.sim, 1);
    memcpy(after, dent_sim_positions(scene.sim, 0), sizeof after);
    assert_true(fabs(after[0] - before[0] - 3.0 / 60) < 1e-3);
    close_scene(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_finished_substep_leaves_no_force),
        cmocka_unit_test(products_are_those_of_a_symmetric_positive_matrix),
        cmocka_unit_test(the_preconditioner_of_a_small_body_is_its_inverse),
        cmocka_unit_test(free_bodies_keep_their_momenta),
        cmocka_unit_test(energy_never_rises_whatever_the_step),
        cmocka_unit_test(vibrations_keep_their_energy),
        cmocka_unit_test(the_step_before_is_part_of_a_checkpoint),
        cmocka_unit_test(a_velocity_that_is_set_has_no_history),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
