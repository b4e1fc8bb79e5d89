/* The density grid: length is kept, forces push out of the middle and are continuous, velocities are averaged. */
#include "support/cmocka_includes.h"

#include "support/failing_allocator.h"
#include "support/test_context.h"

#include <dent/hair.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { STRANDS = 200, NODES = 10, VERTICES = STRANDS * NODES };

struct bundle {
    uint32_t first[STRANDS + 1];
    double positions[3 * VERTICES], velocities[3 * VERTICES];
    dent_strand_set set;
    double length;
};

/* Strands along z, dense around the axis. */
static void bundle_fill(struct bundle *bundle, uint64_t seed)
{
    dent_random random = dent_random_seeded(seed);
    bundle->length = 0;
    for (uint32_t s = 0; s <= STRANDS; s++) {
        bundle->first[s] = s * NODES;
    }
    for (uint32_t v = 0; v < VERTICES; v++) {
        double *x = bundle->positions + 3 * v;
        if (v % NODES == 0) {
            double u = dent_random_unit(&random), w = dent_random_unit(&random);
            x[0] = u * u - w * w;
            x[1] = dent_random_unit(&random) * (w - u);
            x[2] = 0;
        } else {
            for (int axis = 0; axis < 3; axis++) {
                x[axis] = x[axis - 3] + (axis == 2 ? 0.1 : 0.02 * (dent_random_unit(&random) - 0.5));
            }
            bundle->length += sqrt((x[0] - x[-3]) * (x[0] - x[-3]) + (x[1] - x[-2]) * (x[1] - x[-2]) +
                                   (x[2] - x[-1]) * (x[2] - x[-1]));
        }
        for (int axis = 0; axis < 3; axis++) {
            bundle->velocities[3 * v + (uint32_t)axis] = axis == 0 ? 3 : dent_random_unit(&random);
        }
    }
    bundle->set = (dent_strand_set){STRANDS, bundle->first, VERTICES, bundle->positions, bundle->velocities};
}

static dent_density_def plain_def(void)
{
    dent_density_def def = dent_density_def_default();
    def.cell_size = 0.15;
    return def;
}

static void the_grid_keeps_the_length_of_all_strands(void **state)
{
    static struct bundle bundle;
    dent_density *density = dent_density_create(*state);
    dent_density_def def = plain_def();
    bundle_fill(&bundle, 1);
    assert_int_equal(dent_density_update(density, &def, &bundle.set), DENT_OK);
    /* The integral of the interpolated field: one value per grid point times the volume of a cell. */
    double sum = 0, low[3] = {INFINITY, INFINITY, INFINITY};
    for (uint32_t i = 0; i < 3 * VERTICES; i++) {
        low[i % 3] = fmin(low[i % 3], bundle.positions[i]);
    }
    for (int z = -1; z < 20; z++) {
        for (int y = -1; y < 40; y++) {
            for (int x = -1; x < 40; x++) {
                double point[3] = {low[0] + x * def.cell_size, low[1] + y * def.cell_size, low[2] + z * def.cell_size};
                sum += dent_density_at(density, point, NULL, NULL) * def.cell_size * def.cell_size * def.cell_size;
            }
        }
    }
    assert_true(fabs(sum - bundle.length) < 1e-6 * bundle.length);
    dent_density_destroy(density);
}

/* The published force only moves strands to the borders of their cells: crowded places stay crowded. */
static void gradient_forces_push_strands_apart_better_than_the_published_ones(void **state)
{
    double ends[2];
    static struct bundle bundle;
    static double forces[3 * VERTICES];
    dent_density *density = dent_density_create(*state);
    for (int form = 0; form < 2; form++) {
        dent_density_def def = plain_def();
        def.form = (dent_density_form)form;
        bundle_fill(&bundle, 2);
        assert_int_equal(dent_density_update(density, &def, &bundle.set), DENT_OK);
        def.limit = 0.3 * dent_density_at(density, (double[]){0.05, 0.05, 0.5}, NULL, NULL);
        double largest[40] = {0};
        for (int step = 0; step < 40; step++) {
            assert_int_equal(dent_density_update(density, &def, &bundle.set), DENT_OK);
            memset(forces, 0, sizeof forces);
            dent_density_forces(density, &bundle.set, forces);
            for (uint32_t v = 0; v < VERTICES; v++) {
                double rho = dent_density_at(density, bundle.positions + 3 * v, NULL, NULL);
                largest[step] = fmax(largest[step], rho);
                for (int axis = 0; axis < 3; axis++) { /* steps of a bounded length */
                    double f = forces[3 * v + (uint32_t)axis];
                    bundle.positions[3 * v + (uint32_t)axis] += 0.005 * f / (1 + fabs(f));
                }
            }
        }
        printf("form %d: largest density %g, after 40 steps %g, limit %g\n", form, largest[0], largest[39], def.limit);
        ends[form] = largest[39];
        assert_true(form == 1 || largest[39] < 0.5 * largest[0]);
    }
    assert_true(ends[0] < ends[1]);
    dent_density_destroy(density);
}

static void the_gradient_force_is_continuous_and_the_published_one_is_not(void **state)
{
    static struct bundle bundle;
    dent_density *density = dent_density_create(*state);
    double jumps[2] = {0, 0};
    for (int form = 0; form < 2; form++) {
        dent_density_def def = plain_def();
        def.form = (dent_density_form)form;
        def.limit = 1;
        bundle_fill(&bundle, 3);
        assert_int_equal(dent_density_update(density, &def, &bundle.set), DENT_OK);
        double before[3] = {0}, scale = 0;
        for (int i = 0; i <= 100000; i++) { /* along a line through many cells */
            double point[3] = {-0.5 + 1e-5 * i, 0.013, 0.47}, force[3] = {0};
            dent_strand_set one = {.vertex_count = 1, .positions = point};
            dent_density_forces(density, &one, force);
            for (int axis = 0; axis < 3; axis++) {
                jumps[form] = fmax(jumps[form], i ? fabs(force[axis] - before[axis]) : 0);
                scale = fmax(scale, fabs(force[axis]));
            }
            memcpy(before, force, sizeof before);
        }
        jumps[form] /= scale;
    }
    assert_true(jumps[0] < 1e-3 && jumps[1] > 0.1);
    dent_density_destroy(density);
}

static void blending_moves_velocities_to_their_mean(void **state)
{
    static struct bundle bundle;
    static double velocities[3 * VERTICES];
    dent_density *density = dent_density_create(*state);
    dent_density_def def = plain_def();
    bundle_fill(&bundle, 4);
    assert_int_equal(dent_density_update(density, &def, &bundle.set), DENT_OK);
    double spread[2] = {0, 0};
    for (int pass = 0; pass < 2; pass++) {
        memcpy(velocities, bundle.velocities, sizeof velocities);
        dent_density_blend(density, &bundle.set, pass, velocities);
        for (uint32_t v = 0; v < VERTICES; v++) {
            assert_true(fabs(velocities[3 * v] - 3) < 1e-12); /* what all have stays */
            spread[pass] += (velocities[3 * v + 1] - 0.5) * (velocities[3 * v + 1] - 0.5);
        }
    }
    assert_true(spread[1] < 0.2 * spread[0]);
    dent_density_destroy(density);
}

static void bad_input_is_refused_and_leaves_an_empty_grid(void **state)
{
    static struct bundle bundle;
    dent_density *density = dent_density_create(*state);
    dent_density_def def = plain_def();
    bundle_fill(&bundle, 5);
    bundle.positions[31] = NAN;
    assert_int_equal(dent_density_update(density, &def, &bundle.set), DENT_ERROR_BAD_NUMBER);
    char text[200];
    dent_context_message(*state, text, sizeof text);
    assert_string_equal(text, "vertex 10: a number is not finite");
    bundle_fill(&bundle, 5);
    bundle.positions[0] = 1e300;
    assert_int_equal(dent_density_update(density, &def, &bundle.set), DENT_ERROR_TOO_LARGE);
    assert_true(dent_density_at(density, bundle.positions + 30, NULL, NULL) == 0);
    bundle_fill(&bundle, 5);
    bundle.first[3] = 7;
    assert_int_equal(dent_density_update(density, &def, &bundle.set), DENT_ERROR_INVALID_ARGUMENT);
    def.cell_size = 0;
    assert_int_equal(dent_density_update(density, &def, &bundle.set), DENT_ERROR_INVALID_ARGUMENT);
    dent_density_destroy(density);
}

static void an_update_of_the_same_size_allocates_nothing(void **state)
{
    (void)state;
    static struct bundle bundle;
    struct failing_allocator memory = failing_allocator_make();
    dent_context_def context_def = dent_context_def_default();
    context_def.allocator = failing_allocator_hook(&memory);
    context_def.thread_count = 1;
    dent_context *context = dent_context_create(&context_def, NULL);
    dent_density *density = dent_density_create(context);
    dent_density_def def = plain_def();
    bundle_fill(&bundle, 6);
    memory.requests = 0;
    memory.fail_at = 1;
    assert_int_equal(dent_density_update(density, &def, &bundle.set), DENT_ERROR_OUT_OF_MEMORY);
    memory.fail_at = 0;
    assert_int_equal(dent_density_update(density, &def, &bundle.set), DENT_OK);
    memory.requests = 0;
    assert_int_equal(dent_density_update(density, &def, &bundle.set), DENT_OK);
    assert_int_equal(memory.requests, 0);
    dent_density_destroy(density);
    dent_context_destroy(context);
    assert_true(failing_allocator_clean(&memory));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_grid_keeps_the_length_of_all_strands),
        cmocka_unit_test(gradient_forces_push_strands_apart_better_than_the_published_ones),
        cmocka_unit_test(the_gradient_force_is_continuous_and_the_published_one_is_not),
        cmocka_unit_test(blending_moves_velocities_to_their_mean),
        cmocka_unit_test(bad_input_is_refused_and_leaves_an_empty_grid),
        cmocka_unit_test(an_update_of_the_same_size_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, test_open_context_of_one, test_close_context);
}
