/* The question strand, case by case: closed distances, the two rules, memory; and that strands moved only as far as
 * `impact` allows never pass through one another. */
#include "support/cmocka_includes.h"

#include "support/failing_allocator.h"
#include "support/random_strands.h"
#include "support/test_context.h"

#include <dent/strand.h>

static const dent_method methods[] = {DENT_METHOD_BRUTE_FORCE, DENT_METHOD_SURFACE_TREE, DENT_METHOD_STRAND_GRID,
                                      DENT_METHOD_STRAND_PACKETS};
enum { METHODS = 4 };

static dent_body_id add_strands(dent_world *world, const double *xyz, const uint32_t *first, uint32_t count,
                                double radius, const dent_strand_root *roots)
{
    dent_body_def def = dent_strands_def_default();
    dent_body_id id;
    def.vertex_count = first[count];
    def.strand_count = count;
    def.first = first;
    def.thickness = radius;
    def.positions_t0 = dent_positions_double(xyz);
    def.root_on = roots;
    def.root_on_count = roots ? 1 : 0;
    assert_int_equal(dent_world_add_body(world, &def, &id), DENT_OK);
    return id;
}

static dent_strand_result ask_by(dent_world *world, dent_method method)
{
    dent_strand_query_def def = dent_strand_query_def_default();
    dent_strand_result result;
    def.method = method;
    assert_int_equal(dent_world_strands(world, &def, &result), DENT_OK);
    return result;
}

static void a_distance_equal_to_the_sum_of_the_radii_counts(void **state)
{
    const uint32_t first[3] = {0, 2, 4};
    double xyz[4][3] = {{0, 0, 0}, {4, 0, 0}, {1, 0.5, 0}, {3, 0.5, 0}};
    for (int m = 0; m < METHODS; m++) {
        dent_world *world = dent_world_create(*state);
        add_strands(world, xyz[0], first, 2, 0.25, NULL);
        xyz[2][1] = xyz[3][1] = 0.5;
        dent_strand_result result = ask_by(world, methods[m]);
        assert_int_equal(result.edge_edge_count, 1);
        assert_true(result.details[0].distance == 0.5);
        xyz[2][1] = xyz[3][1] = nextafter(0.5, 1);
        assert_int_equal(ask_by(world, methods[m]).edge_edge_count, 0);
        dent_world_destroy(world);
    }
}

/* A square hairpin: segments 0 and 2 are parallel, 1 joins them. Their arc length is that of segment 1. */
static void along_a_strand_the_arc_length_decides(void **state)
{
    const uint32_t first[2] = {0, 4};
    const double pi = 3.14159265358979323846;
    for (int m = 0; m < METHODS; m++) {
        for (int below = 0; below < 2; below++) {
            double radius = 0.25, gap = below ? nextafter(pi * radius, 0) : pi * radius;
            const double xyz[4][3] = {{2, 0, 0}, {0, 0, 0}, {0, gap, 0}, {2, 0.3, 0}};
            dent_world *world = dent_world_create(*state);
            add_strands(world, xyz[0], first, 1, radius, NULL);
            assert_int_equal(ask_by(world, methods[m]).edge_edge_count, !below);
            dent_world_destroy(world);
        }
    }
}

/* Thick strands, far from their root: steps of a tenth, whose sums are rounded differently from each beginning, and radii
 * for which pi r is such a sum, or next to it. */
static void long_arcs_are_decided_as_by_the_sum_in_index_order(void **state)
{
    enum { COUNT = 150 };
    static double xyz[COUNT][3];
    static const uint32_t first[2] = {0, COUNT};
    const double pi = 3.14159265358979323846;
    uint64_t found = 0;
    for (uint32_t v = 0; v < COUNT; v++) { /* a coil, so that parts come near again */
        xyz[v][v % 2] += 0.1;
        for (int axis = 0; axis < 3 && v + 1 < COUNT; axis++) {
            xyz[v + 1][axis] = xyz[v][axis] + (axis == 2 ? 1e-3 * (v % 3) : v / 20 % 2 && v % 2 ? -0.2 : 0);
        }
    }
    for (uint32_t terms = 9; terms < 14; terms++) {
        double sum = 0;
        uint32_t from = terms * 10;
        for (uint32_t v = from; v < from + terms && v + 1 < COUNT; v++) {
            double x = xyz[v + 1][0] - xyz[v][0], y = xyz[v + 1][1] - xyz[v][1], z = xyz[v + 1][2] - xyz[v][2];
            sum += sqrt((x * x + y * y) + z * z);
        }
        double radius = sum / pi;
        for (int step = -1; step <= 1; step++) {
            double r = radius;
            for (int k = 0; k < abs(step); k++) {
                r = nextafter(r, step < 0 ? 0 : 10);
            }
            dent_world *world = dent_world_create(*state), *oracle = dent_world_create(*state);
            add_strands(world, xyz[0], first, 1, r, NULL);
            add_strands(oracle, xyz[0], first, 1, r, NULL);
            dent_strand_result expected = ask_by(oracle, DENT_METHOD_BRUTE_FORCE);
            for (int m = 1; m < METHODS; m++) {
                dent_strand_result got = ask_by(world, methods[m]);
                assert_int_equal(got.edge_edge_count, expected.edge_edge_count);
                assert_int_equal(dent_strand_hash(world, &got), dent_strand_hash(oracle, &expected));
            }
            found += expected.edge_edge_count;
            dent_world_destroy(world);
            dent_world_destroy(oracle);
        }
    }
    assert_true(found > 100);
}

static void a_root_is_left_out_on_its_face_and_its_neighbours(void **state)
{
    const uint32_t first[2] = {0, 2}, faces[6] = {0, 1, 2, 3, 4, 5};
    const double scalp[6][3] = {{0, 0, 0}, {3, 0, 0}, {0, 3, 0}, {0, 0, -0.01}, {3, 0, -0.01}, {0, 3, -0.01}};
    const double xyz[2][3] = {{0.5, 0.5, 0.01}, {0.5, 0.5, 2}};
    for (int m = 0; m < METHODS; m++) {
        for (int rooted = 0; rooted < 2; rooted++) {
            dent_world *world = dent_world_create(*state);
            dent_body_def def = dent_surface_def_default();
            dent_body_id id;
            def.vertex_count = 6;
            def.element_count = 2;
            def.element_corners = faces;
            def.positions_t0 = dent_positions_double(scalp[0]);
            assert_int_equal(dent_world_add_body(world, &def, &id), DENT_OK);
            const dent_strand_root root = {0, id, 0};
            add_strands(world, xyz[0], first, 1, 0.1, rooted ? &root : NULL);
            /* The other face shares no vertex with the first. */
            assert_int_equal(ask_by(world, methods[m]).vertex_face_count, rooted ? 1 : 2);
            dent_world_destroy(world);
        }
    }
}

static void a_query_on_moved_strands_allocates_nothing(void **state)
{
    struct strand_scene scene;
    strand_scene_make(&scene, STRANDS_FUR, 3, 20);
    dent_world *world = dent_world_create(*state);
    assert_int_equal(strand_scene_add(&scene, world), DENT_OK);
    for (int m = 0; m < METHODS; m++) {
        ask_by(world, methods[m]);
        ask_by(world, methods[m]);
        uint64_t before = dent_context_memory_use(*state).allocations;
        for (uint32_t v = 0; v < scene.bodies[0].vertex_count; v++) {
            scene.bodies[0].xyz[v][2] += 100; /* apart: nothing grows */
        }
        ask_by(world, methods[m]);
        assert_int_equal(dent_context_memory_use(*state).allocations, before);
    }
    dent_world_destroy(world);
    strand_scene_free(&scene);
}

static void every_failing_allocation_is_survived(void **state)
{
    (void)state;
    struct strand_scene scene;
    strand_scene_make(&scene, STRANDS_WITH_SURFACE, 5, 6);
    for (int m = 0; m < METHODS; m++) {
        struct failing_allocator memory = failing_allocator_make();
        dent_context_def def = dent_context_def_default();
        def.thread_count = 1;
        def.allocator = failing_allocator_hook(&memory);
        dent_context *context = dent_context_create(&def, NULL);
        dent_strand_query_def question = dent_strand_query_def_default();
        question.method = methods[m];
        uint64_t expected = 0, failures = 0;
        for (uint64_t fail_at = 0;; fail_at++) {
            dent_strand_result result = {.edge_edge_count = 12345};
            dent_world *world = dent_world_create(context);
            assert_int_equal(strand_scene_add(&scene, world), DENT_OK);
            memory.requests = 0;
            memory.fail_at = fail_at;
            dent_status status = dent_world_strands(world, &question, &result);
            memory.fail_at = 0;
            if (status != DENT_OK) {
                assert_int_equal(status, DENT_ERROR_OUT_OF_MEMORY);
                assert_int_equal(result.edge_edge_count, 12345);
                assert_int_equal(dent_world_strands(world, &question, &result), DENT_OK);
                failures++;
            }
            expected = fail_at == 0 ? result.edge_edge_count : expected;
            assert_int_equal(result.edge_edge_count, expected);
            dent_world_destroy(world);
            if (fail_at > 0 && status == DENT_OK) {
                break;
            }
        }
        assert_true(failures > 3);
        dent_context_destroy(context);
        assert_true(failing_allocator_clean(&memory));
    }
    strand_scene_free(&scene);
}

/* ---- crossings ------------------------------------------------------------------------------- */

enum { BUNDLE = 4, NODES = 9, VERTICES = BUNDLE * NODES };

struct bundles {
    double below[VERTICES][3], above[VERTICES][3], next[VERTICES][3], speed[VERTICES];
};

/* Strands along x at z = 0, others along y above them, all crooked. */
static void lay_bundles(struct bundles *bundles, double radius, dent_random *random)
{
    for (uint32_t v = 0; v < VERTICES; v++) {
        double along = v % NODES, across = 1.7 + 1.3 * (v / NODES), jitter = 0.3 * dent_random_unit(random);
        double below[3] = {along, across + jitter, radius * dent_random_unit(random)};
        double above[3] = {across + jitter, along, radius * (3 + dent_random_unit(random))};
        memcpy(bundles->below[v], below, sizeof below);
        memcpy(bundles->above[v], above, sizeof above);
    }
}

/* Seen from above, at the crossing of two segments: is b above a? 0: they do not cross. */
static int side_of(const double a0[3], const double a1[3], const double b0[3], const double b1[3])
{
    double ux = a1[0] - a0[0], uy = a1[1] - a0[1], vx = b1[0] - b0[0], vy = b1[1] - b0[1];
    double wx = b0[0] - a0[0], wy = b0[1] - a0[1], area = ux * vy - uy * vx;
    double s = (wx * vy - wy * vx) / area, t = (wx * uy - wy * ux) / area;
    if (!(s >= 0 && s <= 1 && t >= 0 && t <= 1)) {
        return 0;
    }
    return b0[2] + t * (b1[2] - b0[2]) > a0[2] + s * (a1[2] - a0[2]) ? 1 : -1;
}

/* Crossings seen from above, and how many of them have b below. */
static uint32_t count_below(const struct bundles *bundles, const double (*above)[3], uint32_t *crossings)
{
    uint32_t wrong = 0;
    *crossings = 0;
    for (uint32_t i = 0; i + 1 < VERTICES; i++) {
        for (uint32_t j = 0; j + 1 < VERTICES; j++) {
            if (i % NODES == NODES - 1 || j % NODES == NODES - 1) {
                continue;
            }
            int side = side_of(bundles->below[i], bundles->below[i + 1], above[j], above[j + 1]);
            *crossings += side != 0;
            wrong += side < 0;
        }
    }
    return wrong;
}

static void strands_that_obey_impact_never_pass_through_one_another(void **state)
{
    const double radius = 0.01;
    const uint32_t first[BUNDLE + 1] = {0, NODES, 2 * NODES, 3 * NODES, 4 * NODES};
    for (double speed = 1; speed <= 1000; speed *= 10) {
        dent_random random = dent_random_seeded((uint64_t)speed);
        struct bundles bundles;
        lay_bundles(&bundles, radius, &random);
        dent_world *world = dent_world_create(*state);
        add_strands(world, bundles.below[0], first, BUNDLE, radius, NULL);
        dent_body_id id = add_strands(world, bundles.above[0], first, BUNDLE, radius, NULL);
        uint32_t crossings, stops = 0, passed = 0;
        for (int step = 0; step < 40; step++) {
            double down = step % 4 == 3 ? 1 : -1; /* three steps down, one up */
            for (uint32_t v = 0; v < VERTICES; v++) {
                memcpy(bundles.next[v], bundles.above[v], sizeof bundles.next[v]);
                bundles.next[v][2] += down * speed * radius * (0.5 + 0.5 * dent_random_unit(&random));
            }
            passed += count_below(&bundles, (const double(*)[3])bundles.next, &crossings) > 0;
            dent_positions t0 = dent_positions_double(bundles.above[0]), t1 = dent_positions_double(bundles.next[0]);
            assert_int_equal(dent_body_set_positions(world, id, &t0, &t1), DENT_OK);
            dent_impact_def def = dent_impact_def_default();
            dent_earliest_impact impact;
            assert_int_equal(dent_world_earliest_impact(world, &def, &impact), DENT_OK);
            double part = impact.found ? 0.5 * impact.impact.toi : 1;
            stops += impact.found;
            for (uint32_t v = 0; v < VERTICES; v++) {
                bundles.above[v][2] += part * (bundles.next[v][2] - bundles.above[v][2]);
            }
            assert_int_equal(count_below(&bundles, (const double(*)[3])bundles.above, &crossings), 0);
            assert_true(crossings >= BUNDLE * BUNDLE);
        }
        printf("%4g radii a step: %u of 40 steps stopped, %u would have crossed\n", speed, stops, passed);
        assert_true(stops > 0 && passed > 0 && stops >= passed);
        dent_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_distance_equal_to_the_sum_of_the_radii_counts),
        cmocka_unit_test(along_a_strand_the_arc_length_decides),
        cmocka_unit_test(long_arcs_are_decided_as_by_the_sum_in_index_order),
        cmocka_unit_test(a_root_is_left_out_on_its_face_and_its_neighbours),
        cmocka_unit_test(a_query_on_moved_strands_allocates_nothing),
        cmocka_unit_test(every_failing_allocation_is_survived),
        cmocka_unit_test(strands_that_obey_impact_never_pass_through_one_another),
    };
    return cmocka_run_group_tests(tests, test_open_context_of_one, test_close_context);
}
