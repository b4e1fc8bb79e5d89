/* Large scenes: linear equations in floats and passes over blocks of elements. Kernels give the same bits for every
 * instruction set, are the derivative of the exact forces, and know no unit of length. */
#include "sim/elements/block_kernels.h"
#include "sim/elastic/minimise.h"
#include "sim/step/sim_step.h"
#include "support_meshes.h"

#include <math.h>
#include <string.h>

enum { ROWS = 40, GROUPS = 3 };

/* Random elements of all kinds over the same vertices; the last lanes are empty. */
struct sample {
    struct float_tets tets[GROUPS + 1];
    struct float_triangles triangles[GROUPS + 1];
    struct float_hinges hinges[GROUPS + 1];
    struct block_tets exact_tets[GROUPS + 1];
    struct block_triangles exact_triangles[GROUPS + 1];
    struct block_hinges exact_hinges[GROUPS + 1];
    struct float_elements elements;
    struct block_elements exact;
    double rest[4 * ROWS];
};

static double number(dent_random *random)
{
    return 2 * dent_random_unit(random) - 1;
}

static void inverse_of(const double *rest, const uint32_t corners[4], double inverse[9])
{
    double e[3][3], cross[3];
    for (int k = 0; k < 3; k++) {
        sim_subtract(rest + 4 * (size_t)corners[k + 1], rest + 4 * (size_t)corners[0], e[k]);
    }
    sim_cross(e[1], e[2], cross);
    double volume = sim_dot(e[0], cross);
    for (int k = 0; k < 3; k++) {
        sim_cross(e[(k + 1) % 3], e[(k + 2) % 3], inverse + 3 * k);
        for (int i = 0; i < 3; i++) {
            inverse[3 * k + i] /= volume;
        }
    }
}

static void add_sample_tet(struct sample *sample, uint32_t place, const uint32_t corners[4])
{
    struct float_tets *to = &sample->tets[place / FLOAT_LANES];
    struct block_tets *exact = &sample->exact_tets[place / FLOAT_LANES];
    uint32_t lane = place % FLOAT_LANES;
    double inverse[9];
    inverse_of(sample->rest, corners, inverse);
    for (int n = 0; n < 9; n++) {
        exact->inverse[n][lane] = inverse[n];
        to->inverse[n][lane] = (float)inverse[n];
    }
    for (int k = 0; k < 4; k++) {
        to->corners[k][lane] = (uint16_t)corners[k];
    }
    exact->mu[lane] = 1;
    exact->lambda[lane] = 3;
    exact->gamma[lane] = 1 + 1.0 / 3;
    to->mu[lane] = 1;
    to->lambda[lane] = 3;
    to->gamma[lane] = (float)(1 + 1.0 / 3);
}

static void add_sample_cloth(struct sample *sample, uint32_t place, const uint32_t corners[4], dent_random *random)
{
    uint32_t group = place / FLOAT_LANES, lane = place % FLOAT_LANES;
    for (int k = 0; k < 2; k++) {
        sample->exact_triangles[group].along[k][lane] = k == 0 ? 1 : 0.2;
        sample->exact_triangles[group].across[k][lane] = k == 0 ? -0.1 : 1.1;
        sample->triangles[group].along[k][lane] = k == 0 ? 1 : 0.2f;
        sample->triangles[group].across[k][lane] = k == 0 ? -0.1f : 1.1f;
    }
    sample->exact_triangles[group].stretch[lane] = 2;
    sample->exact_triangles[group].shear[lane] = 0.5;
    sample->triangles[group].stretch[lane] = 2;
    sample->triangles[group].shear[lane] = 0.5f;
    for (int k = 0; k < 3; k++) {
        double weight = number(random);
        sample->exact_hinges[group].weights[k][lane] = weight;
        sample->hinges[group].weights[k][lane] = (float)weight;
    }
    sample->exact_hinges[group].stiffness[lane] = 1.5;
    sample->exact_hinges[group].rest[lane] = place % 2 ? 0.125 : 0;
    sample->hinges[group].stiffness[lane] = 1.5f;
    sample->hinges[group].rest[lane] = place % 2 ? 0.125f : 0;
    for (int k = 0; k < 4; k++) {
        sample->hinges[group].corners[k][lane] = (uint16_t)corners[k];
        if (k < 3) {
            sample->triangles[group].corners[k][lane] = (uint16_t)corners[k];
        }
    }
}

static void make_sample(struct sample *sample)
{
    dent_random random = dent_random_seeded(7);
    memset(sample, 0, sizeof *sample);
    for (int n = 0; n < 4 * ROWS; n++) {
        sample->rest[n] = n % 4 == 3 ? 0 : number(&random);
    }
    for (uint32_t place = 0; place < GROUPS * FLOAT_LANES - 5; place++) {
        uint32_t corners[4];
        for (uint32_t k = 0; k < 4; k++) {
            corners[k] = (place * 7 + k * 11 + place / ROWS * k) % ROWS;
        }
        add_sample_tet(sample, place, corners);
        add_sample_cloth(sample, place, corners, &random);
    }
    sample->elements = (struct float_elements){sample->tets, sample->triangles, sample->hinges,
                                               GROUPS,       GROUPS,            GROUPS,         GROUPS};
    sample->exact =
        (struct block_elements){&sample->elements, sample->exact_tets, sample->exact_triangles, sample->exact_hinges};
}

/* Rows near the rest shape: turned (or not), stretched a little. */
static void place(const struct sample *sample, double stretch, double *rows)
{
    for (int n = 0; n < ROWS; n++) {
        const double *x = sample->rest + 4 * n;
        rows[4 * n] = (1 + stretch) * (0.6 * x[0] - 0.8 * x[1]);
        rows[4 * n + 1] = (1 + stretch) * (0.8 * x[0] + 0.6 * x[1]);
        rows[4 * n + 2] = (1 + stretch) * x[2];
        rows[4 * n + 3] = 0;
    }
}

static void to_floats(const double *from, float *to)
{
    for (int n = 0; n < 4 * ROWS; n++) {
        to[n] = (float)from[n];
    }
}

static void float_product(const struct float_kernels *kernels, struct sample *sample, const double *now,
                          const double *direction, float *product)
{
    float rows[4 * ROWS];
    to_floats(now, rows);
    kernels->prepare(&sample->elements, rows);
    to_floats(direction, rows);
    memset(product, 0, 4 * ROWS * sizeof *product);
    kernels->product(&sample->elements, rows, product);
}

static void products_have_the_same_bits_for_every_instruction_set(void **state)
{
    (void)state;
    static struct sample sample;
    double now[4 * ROWS], direction[4 * ROWS];
    float scalar[4 * ROWS], other[4 * ROWS];
    dent_random random = dent_random_seeded(3);
    make_sample(&sample);
    for (int round = 0; round < 50; round++) {
        place(&sample, number(&random), now);
        for (int n = 0; n < 4 * ROWS; n++) {
            now[n] += n % 4 == 3 ? 0 : 0.3 * round / 50 * number(&random);
            direction[n] = n % 4 == 3 ? 0 : number(&random);
        }
        float_product(&float_kernels_scalar, &sample, now, direction, scalar);
#if defined(__x86_64__)
        if (dent_isa_available(DENT_ISA_AVX2)) {
            float_product(&float_kernels_avx2, &sample, now, direction, other);
            assert_memory_equal(scalar, other, sizeof scalar);
        }
        if (dent_isa_available(DENT_ISA_AVX512)) {
            float_product(&float_kernels_avx512, &sample, now, direction, other);
            assert_memory_equal(scalar, other, sizeof scalar);
        }
#else
        (void)other;
#endif
    }
}

static void block_sums(const struct block_kernels *kernels, const struct sample *sample, const double *now,
                       const double *start, const double *direction, double *gradient,
                       double change[CHANGE_KINDS][FLOAT_LANES])
{
    struct block_rows rows = {now, start, direction, 10};
    memset(gradient, 0, 4 * ROWS * sizeof *gradient);
    memset(change, 0, CHANGE_KINDS * FLOAT_LANES * sizeof(double));
    kernels->gradient(&sample->exact, &rows, gradient);
    kernels->change_tets(&sample->exact, &rows, change);
    kernels->change_cloth(&sample->exact, &rows, change);
}

static void gradients_and_changes_of_blocks_have_the_same_bits_for_every_instruction_set(void **state)
{
    (void)state;
    static struct sample sample;
    double now[4 * ROWS], start[4 * ROWS], direction[4 * ROWS], scalar[4 * ROWS], other[4 * ROWS];
    double change[CHANGE_KINDS][FLOAT_LANES], other_change[CHANGE_KINDS][FLOAT_LANES];
    dent_random random = dent_random_seeded(4);
    make_sample(&sample);
    for (int g = 0; g < GROUPS; g++) {
        for (int lane = 0; lane < FLOAT_LANES; lane++) {
            sample.exact_tets[g].damping[lane] = sample.exact_triangles[g].damping[lane] = 0.01;
        }
        sample.exact_tets[g].damped = sample.exact_triangles[g].damped = 1;
    }
    place(&sample, 0.2, now);
    place(&sample, -0.1, start);
    for (int n = 0; n < 4 * ROWS; n++) {
        direction[n] = n % 4 == 3 ? 0 : number(&random);
    }
    block_sums(&block_kernels_scalar, &sample, now, start, direction, scalar, change);
#if defined(__x86_64__)
    if (dent_isa_available(DENT_ISA_AVX2)) {
        block_sums(&block_kernels_avx2, &sample, now, start, direction, other, other_change);
        assert_memory_equal(scalar, other, sizeof scalar);
        assert_memory_equal(change, other_change, sizeof change);
    }
    if (dent_isa_available(DENT_ISA_AVX512)) {
        block_sums(&block_kernels_avx512, &sample, now, start, direction, other, other_change);
        assert_memory_equal(scalar, other, sizeof scalar);
        assert_memory_equal(change, other_change, sizeof change);
    }
#else
    (void)other;
    (void)other_change;
#endif
}

static double change_along(const struct sample *sample, const double *now, const double *direction)
{
    struct block_rows rows = {now, now, direction, 0};
    double change[CHANGE_KINDS][FLOAT_LANES] = {{0}}, sum = 0;
    block_kernels_scalar.change_tets(&sample->exact, &rows, change);
    block_kernels_scalar.change_cloth(&sample->exact, &rows, change);
    for (int n = 0; n < CHANGE_KINDS * FLOAT_LANES; n++) {
        sum += change[n / FLOAT_LANES][n % FLOAT_LANES];
    }
    return sum;
}

static void gradients_are_the_derivative_of_the_changes(void **state)
{
    (void)state;
    static struct sample sample;
    double now[4 * ROWS], direction[4 * ROWS], gradient[4 * ROWS], slope = 0, small = 1e-6;
    dent_random random = dent_random_seeded(5);
    struct block_rows rows = {now, now, now, 0};
    make_sample(&sample);
    place(&sample, 0.1, now);
    memset(gradient, 0, sizeof gradient);
    block_kernels_scalar.gradient(&sample.exact, &rows, gradient);
    for (int n = 0; n < 4 * ROWS; n++) {
        direction[n] = n % 4 == 3 ? 0 : small * number(&random);
        slope += direction[n] * gradient[n];
    }
    double forward = change_along(&sample, now, direction);
    for (int n = 0; n < 4 * ROWS; n++) {
        direction[n] = -direction[n];
    }
    double middle = 0.5 * (forward - change_along(&sample, now, direction));
    assert_true(fabs(slope) > 0);
    assert_true(fabs(middle - slope) <= 1e-6 * fabs(slope));
}

/* Near a rotation: there the matrices of tetrahedra are exact. */
static void products_are_the_derivative_of_the_gradients(void **state)
{
    (void)state;
    static struct sample sample;
    double now[4 * ROWS], direction[4 * ROWS], moved[4 * ROWS], before[4 * ROWS], after[4 * ROWS], small = 1e-6;
    float product[4 * ROWS];
    dent_random random = dent_random_seeded(6);
    make_sample(&sample);
    sample.elements.triangle_count = sample.elements.hinge_count = sample.elements.curved_count = 0; /* cloth leaves second derivatives of shear out */
    place(&sample, 0.02, now);
    double most = 0, error = 0;
    for (int n = 0; n < 4 * ROWS; n++) {
        direction[n] = n % 4 == 3 ? 0 : number(&random);
    }
    float_product(&float_kernels_scalar, &sample, now, direction, product);
    for (int side = 0; side < 2; side++) {
        struct block_rows rows = {moved, moved, moved, 0};
        for (int n = 0; n < 4 * ROWS; n++) {
            moved[n] = now[n] + (side ? small : -small) * direction[n];
        }
        memset(side ? after : before, 0, sizeof before);
        block_kernels_scalar.gradient(&sample.exact, &rows, side ? after : before);
    }
    for (int n = 0; n < 4 * ROWS; n++) {
        double derivative = (after[n] - before[n]) / (2 * small), off = fabs(derivative - (double)product[n]);
        most = fabs(derivative) > most ? fabs(derivative) : most;
        error = off > error ? off : error;
    }
    assert_true(most > 0);
    assert_true(error <= 0.02 * most);
}

/* ---- whole scenes ------------------------------------------------------------------------------------------------ */

/* A block too large for a direct factor over a plane, a cloth and a rigid block that fall onto it. */
static uint64_t hash_of_scene(uint32_t threads, dent_isa isa)
{
    struct test_mesh block = test_block(12, 12, 12, 0.1, 0, 0, 0.005), floor = test_block(3, 3, 1, 1, -1, -1, -1);
    struct test_mesh sheet = test_sheet(30, 30, 0.04, 0, 0, 1.21), brick = test_block(1, 1, 1, 0.3, 0.4, 0.4, 1.23);
    dent_sim_body_def bodies[4] = {test_body(DENT_SIM_SOLID, &block), test_body(DENT_SIM_PRESCRIBED, &floor),
                                   test_body(DENT_SIM_CLOTH, &sheet), test_body(DENT_SIM_RIGID, &brick)};
    bodies[2].density = 0.3;
    dent_sim_def def = dent_sim_def_default();
    def.body_count = 4;
    def.bodies = bodies;
    def.substeps = 2;
    dent_context *context = test_context(threads, isa);
    dent_sim *sim = test_sim(context, &def);
    assert_true(sim->work.solver.elastic.minimiser->floats.built);
    test_steps(sim, 6);
    uint64_t hash = dent_sim_hash(sim);
    dent_sim_destroy(sim);
    dent_context_destroy(context);
    test_mesh_free(&block);
    test_mesh_free(&floor);
    test_mesh_free(&sheet);
    test_mesh_free(&brick);
    return hash;
}

static void large_scenes_have_the_same_bits_for_threads_and_instruction_sets(void **state)
{
    (void)state;
    uint64_t hash = hash_of_scene(1, DENT_ISA_SCALAR);
    assert_true(hash_of_scene(5, DENT_ISA_AUTO) == hash);
    assert_true(hash_of_scene(2, DENT_ISA_AUTO) == hash);
    if (dent_isa_available(DENT_ISA_AVX2)) {
        assert_true(hash_of_scene(1, DENT_ISA_AVX2) == hash);
    }
}

/* A squeezed block in another unit of length: lengths, speeds and gravity times the scale, stiffness times its square. */
static void run_scaled(double scale, double *positions)
{
    struct test_mesh block = test_block(12, 12, 12, 0.1, 0, 0, 0);
    double *velocities = calloc(3 * (size_t)block.vertex_count, sizeof *velocities);
    assert_non_null(velocities);
    for (size_t n = 0; n < 3 * (size_t)block.vertex_count; n++) {
        velocities[n] = n % 3 == 0 ? scale * (0.6 - block.positions[n]) : 0;
        block.positions[n] *= scale;
    }
    dent_sim_body_def body = test_body(DENT_SIM_SOLID, &block);
    dent_sim_material material = dent_sim_material_default();
    material.young = 1e5 * scale * scale;
    body.velocities = velocities;
    dent_sim_def def = dent_sim_def_default();
    def.body_count = def.material_count = 1;
    def.bodies = &body;
    def.materials = &material;
    def.gravity[2] *= scale;
    def.contacts = false;
    def.substeps = 2;
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    dent_sim *sim = test_sim(context, &def);
    assert_true(sim->work.solver.elastic.minimiser->floats.built);
    test_steps(sim, 3);
    const double *from = dent_sim_positions(sim, 0);
    for (size_t n = 0; n < 3 * (size_t)block.vertex_count; n++) {
        positions[n] = from[n] / scale;
    }
    dent_sim_destroy(sim);
    dent_context_destroy(context);
    free(velocities);
    test_mesh_free(&block);
}

static void units_of_any_magnitude_give_the_same_bits(void **state)
{
    (void)state;
    static double usual[3 * 13 * 13 * 13], other[3 * 13 * 13 * 13];
    run_scaled(1, usual);
    run_scaled(0x1p60, other); /* 1e18: forces of 1e90 */
    assert_memory_equal(usual, other, sizeof usual);
    run_scaled(0x1p-60, other);
    assert_memory_equal(usual, other, sizeof usual);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_have_the_same_bits_for_every_instruction_set),
        cmocka_unit_test(gradients_and_changes_of_blocks_have_the_same_bits_for_every_instruction_set),
        cmocka_unit_test(gradients_are_the_derivative_of_the_changes),
        cmocka_unit_test(products_are_the_derivative_of_the_gradients),
        cmocka_unit_test(large_scenes_have_the_same_bits_for_threads_and_instruction_sets),
        cmocka_unit_test(units_of_any_magnitude_give_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
