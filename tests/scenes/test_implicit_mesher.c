/* The mesher: whatever the shape, positive cells, bounded angles, a closed manifold boundary on the surface. */
#include "support/cmocka_includes.h"
#include "support/failing_allocator.h"
#include "support/test_context.h"

#include "scenes/elementary_functions.h"
#include "scenes/mesher/implicit_mesher.h"
#include "scenes/support_counting.h"

#include <math.h>
#include <stdio.h>

/* Everything that is promised of every mesh. */
static struct boundary_report check_mesh(const struct scene_mesh *mesh, double *smallest, double *largest)
{
    struct joined_scene joined = {mesh->vertex_count, mesh->element_count, 4, mesh->corners, NULL, mesh->reference};
    assert_true(mesh->element_count > 0);
    assert_true(smallest_determinant(&joined) > 0);
    dihedral_range(mesh->corners, mesh->element_count, mesh->reference, smallest, largest);
    assert_true(*smallest >= MESHER_LEAST_ANGLE);
    assert_true(*largest <= MESHER_MOST_ANGLE);
    struct boundary_report report =
        examine_boundary(mesh->corners, mesh->element_count, mesh->reference, mesh->vertex_count);
    assert_int_equal(report.edges_not_two, 0);
    assert_int_equal(report.pinched_vertices, 0);
    assert_int_equal(report.faces_with_more_cells, 0);
    assert_int_equal(report.components, 1);
    return report;
}

static void the_volume_of_a_sphere_converges_with_the_square_of_the_spacing(void **state)
{
    (void)state;
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    const double centre[3] = {0.1, 0.2, 0.3};
    struct implicit_shape shape = {0};
    shape_sphere(&shape, centre, 1);
    double error_before = INFINITY;
    for (double spacing = 0.5; spacing > 0.1; spacing /= 2) {
        struct mesher_def def = {.low = {-1, -1, -1}, .high = {1.2, 1.3, 1.4}, .spacing = spacing, .shape = &shape};
        struct scene_mesh mesh;
        assert_int_equal(implicit_mesh_create(context, &def, &mesh), DENT_OK);
        double smallest, largest;
        struct boundary_report report = check_mesh(&mesh, &smallest, &largest);
        assert_int_equal(report.euler, 2);
        double error = 1 - report.volume / (4.0 / 3 * SCENE_PI);
        print_message("spacing %.4f: %u vertices, %u cells, angles %.2f … %.2f, volume short by %.4f\n", spacing,
                      mesh.vertex_count, mesh.element_count, smallest, largest, error);
        assert_true(error > 0 && error < 0.3 * error_before);
        error_before = error;
        scene_mesh_release(context, &mesh);
    }
    dent_context_destroy(context);
}

/* How many cells there were, and their dihedral angles. */
struct seen_meshes {
    uint64_t cells;
    double smallest, largest; /* degrees */
};

static void check_promises(dent_context *context, const struct mesher_def *def, struct seen_meshes *seen)
{
    struct scene_mesh mesh;
    double low, high;
    assert_int_equal(implicit_mesh_create(context, def, &mesh), DENT_OK);
    check_mesh(&mesh, &low, &high);
    seen->smallest = fmin(seen->smallest, low);
    seen->largest = fmax(seen->largest, high);
    seen->cells += mesh.element_count;
    scene_mesh_release(context, &mesh);
}

/* A random sum of waves cut by a ball: every stencil, thin walls, tunnels, pinches. */
struct noise {
    double waves[12][4];
};

static struct noise make_noise(uint64_t seed, double frequency)
{
    dent_random random = dent_random_seeded(seed);
    struct noise noise;
    for (int w = 0; w < 12; w++) {
        for (int i = 0; i < 3; i++) {
            noise.waves[w][i] = frequency * (dent_random_unit(&random) - 0.5);
        }
        noise.waves[w][3] = 6 * dent_random_unit(&random);
    }
    return noise;
}

static double noise_value(const void *shape, const double p[3])
{
    const struct noise *noise = shape;
    double sum = 0;
    for (int w = 0; w < 12; w++) {
        const double *k = noise->waves[w];
        sum += scene_sine((k[0] * p[0] + k[1] * p[1]) + (k[2] * p[2] + k[3]));
    }
    double ball = sqrt((p[0] * p[0] + p[1] * p[1]) + p[2] * p[2]) - 2;
    return 0.3 * sum > ball ? 0.3 * sum : ball;
}

static void random_shapes_keep_every_promise(void **state)
{
    (void)state;
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    struct seen_meshes seen = {.smallest = 180};
    for (uint64_t seed = 1; seed <= 40; seed++) {
        /* Up to frequencies the lattice cannot resolve at all. */
        struct noise noise = make_noise(seed, 4 + 0.8 * (double)(seed % 20));
        struct mesher_def def = {
            .low = {-2, -2, -2}, .high = {2, 2, 2}, .spacing = 0.25, .value = noise_value, .shape = &noise};
        check_promises(context, &def, &seen);
    }
    print_message("%llu cells, dihedral angles %.2f … %.2f degrees\n", (unsigned long long)seen.cells, seen.smallest,
                  seen.largest);
    dent_context_destroy(context);
}

/* Not a shape at all: an unrelated random value at every point, so that signs, cut points and moves come in every
 * combination. */
static double white_noise_value(const void *shape, const double p[3])
{
    uint64_t bits[3];
    memcpy(bits, p, sizeof bits);
    dent_random random = dent_random_seeded(*(const uint64_t *)shape ^ (bits[0] * 3) ^ (bits[1] * 5) ^ (bits[2] * 7));
    double value = 2 * dent_random_unit(&random) - 1.4;
    double edge = fmax(fabs(p[0]), fmax(fabs(p[1]), fabs(p[2]))) - 1.9;
    return edge > 0 ? 1 : value;
}

static void white_noise_keeps_every_promise(void **state)
{
    (void)state;
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    struct seen_meshes seen = {.smallest = 180};
    for (uint64_t seed = 1; seed <= 10; seed++) {
        struct mesher_def def = {
            .low = {-2, -2, -2}, .high = {2, 2, 2}, .spacing = 0.2, .value = white_noise_value, .shape = &seed};
        check_promises(context, &def, &seen);
    }
    print_message("%llu cells, dihedral angles %.2f … %.2f degrees\n", (unsigned long long)seen.cells, seen.smallest,
                  seen.largest);
    assert_true(seen.cells > 50000);
    dent_context_destroy(context);
}

static void boundary_vertices_lie_on_the_surface(void **state)
{
    (void)state;
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    const double a[3] = {-1, 0, 0}, b[3] = {1, 0.3, 0.2}, centre[3] = {0, 0, 0.2}, half[3] = {0.7, 0.5, 0.4};
    struct implicit_shape shape = {0};
    shape_cone(&shape, a, 0.7, b, 0.4);
    shape_box(&shape, centre, half, 0.1);
    shape_union(&shape, 0.2);
    struct mesher_def def = {.low = {-2, -1, -1}, .high = {2, 1, 1}, .spacing = 0.15, .shape = &shape};
    struct scene_mesh mesh;
    assert_int_equal(implicit_mesh_create(context, &def, &mesh), DENT_OK);
    /* Inside or on it up to the accuracy of the root finder; and as many on it as a surface has vertices. */
    uint32_t on = 0;
    for (size_t v = 0; v < mesh.vertex_count; v++) {
        double value = shape_value(&shape, mesh.reference + 3 * v);
        assert_true(value < 1e-4);
        on += fabs(value) < 1e-4;
    }
    struct boundary_report report =
        examine_boundary(mesh.corners, mesh.element_count, mesh.reference, mesh.vertex_count);
    /* A closed surface of genus 0 has half as many vertices as faces, plus two. */
    assert_int_equal(report.euler, 2);
    assert_true(on >= report.faces / 2 + 2);
    scene_mesh_release(context, &mesh);
    dent_context_destroy(context);
}

static void shapes_combine_as_sets_do(void **state)
{
    (void)state;
    const double origin[3] = {0, 0, 0}, aside[3] = {1, 0, 0}, up[3] = {0, 0, 1}, axes[3] = {3, 2, 1};
    struct implicit_shape shape = {0};
    shape_sphere(&shape, origin, 1);
    shape_sphere(&shape, aside, 1);
    shape_subtraction(&shape, 0);
    const double left[3] = {-0.5, 0, 0}, middle[3] = {0.5, 0, 0};
    assert_true(shape_value(&shape, left) < 0 && shape_value(&shape, middle) > 0);
    shape.step_count = 2;
    shape_intersection(&shape, 0);
    assert_true(shape_value(&shape, left) > 0 && shape_value(&shape, middle) < 0);
    shape.step_count = 2;
    shape_union(&shape, 0.5);
    assert_true(shape_value(&shape, left) < 0 && shape_value(&shape, middle) < 0);
    shape.step_count = 0;
    shape_ellipsoid(&shape, origin, axes);
    shape_half_space(&shape, origin, up);
    shape_intersection(&shape, 0);
    const double low[3] = {2.9, 0, -0.1}, high[3] = {0, 0, 0.5}, out[3] = {0, 2.1, -0.1};
    assert_true(shape_value(&shape, low) < 0 && shape_value(&shape, high) > 0 && shape_value(&shape, out) > 0);
}

static void an_unseen_shape_gives_an_empty_mesh(void **state)
{
    (void)state;
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    const double centre[3] = {0.11, 0.07, 0.05};
    struct implicit_shape shape = {0};
    shape_sphere(&shape, centre, 0.01);
    struct mesher_def def = {.low = {-1, -1, -1}, .high = {1, 1, 1}, .spacing = 0.5, .shape = &shape};
    struct scene_mesh mesh;
    assert_int_equal(implicit_mesh_create(context, &def, &mesh), DENT_OK);
    assert_int_equal(mesh.element_count, 0);
    scene_mesh_release(context, &mesh);
    dent_context_destroy(context);
}

static void a_lattice_too_fine_is_refused_before_anything_is_allocated(void **state)
{
    (void)state;
    struct failing_allocator memory = failing_allocator_make();
    dent_context_def context_def = dent_context_def_default();
    context_def.thread_count = 1;
    context_def.allocator = failing_allocator_hook(&memory);
    dent_context *context = dent_context_create(&context_def, NULL);
    uint64_t before = memory.requests;
    struct implicit_shape shape = {0};
    const double centre[3] = {0, 0, 0};
    shape_sphere(&shape, centre, 1);
    struct mesher_def def = {.low = {-1, -1, -1}, .high = {1, 1, 1}, .spacing = 1e-4, .shape = &shape};
    struct scene_mesh mesh;
    assert_int_equal(implicit_mesh_create(context, &def, &mesh), DENT_ERROR_TOO_LARGE);
    assert_true(memory.requests == before);
    dent_context_destroy(context);
    assert_true(failing_allocator_clean(&memory));
}

static void running_out_of_memory_anywhere_leaves_nothing_behind(void **state)
{
    (void)state;
    struct failing_allocator memory = failing_allocator_make();
    dent_context_def context_def = dent_context_def_default();
    context_def.thread_count = 1;
    context_def.allocator = failing_allocator_hook(&memory);
    dent_context *context = dent_context_create(&context_def, NULL);
    uint64_t blocks = memory.live_blocks;
    struct implicit_shape shape = {0};
    const double centre[3] = {0, 0, 0};
    shape_sphere(&shape, centre, 1);
    struct mesher_def def = {.low = {-1, -1, -1}, .high = {1, 1, 1}, .spacing = 0.2, .shape = &shape};
    uint64_t n = 0;
    dent_status status;
    do {
        struct scene_mesh mesh;
        memory.requests = 0;
        memory.fail_at = ++n;
        status = implicit_mesh_create(context, &def, &mesh);
        memory.fail_at = 0;
        if (status == DENT_OK) {
            scene_mesh_release(context, &mesh);
        } else {
            assert_int_equal(status, DENT_ERROR_OUT_OF_MEMORY);
            assert_null(mesh.corners);
        }
        assert_true(memory.live_blocks == blocks);
    } while (status != DENT_OK);
    assert_true(n > 10);
    dent_context_destroy(context);
    assert_true(failing_allocator_clean(&memory));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_volume_of_a_sphere_converges_with_the_square_of_the_spacing),
        cmocka_unit_test(random_shapes_keep_every_promise),
        cmocka_unit_test(white_noise_keeps_every_promise),
        cmocka_unit_test(boundary_vertices_lie_on_the_surface),
        cmocka_unit_test(shapes_combine_as_sets_do),
        cmocka_unit_test(an_unseen_shape_gives_an_empty_mesh),
        cmocka_unit_test(a_lattice_too_fine_is_refused_before_anything_is_allocated),
        cmocka_unit_test(running_out_of_memory_anywhere_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
