/* Clouds as objects: the same bits for threads and instruction sets, bad input, no memory, points that move, triangles. */
#include "clouds/cloud_shapes.h"

#include "support/failing_allocator.h"
#include "support/test_context.h"

/* ---- the same bits ----------------------------------------------------------------------------------------------- */

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t count)
{
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < count; i++) {
        hash = (hash ^ byte[i]) * UINT64_C(1099511628211);
    }
    return hash;
}

/* Everything a user can see of two clouds and a search between them. */
static uint64_t hash_of_all(uint32_t threads, dent_isa isa, const double *xyz_a, const double *xyz_b, uint32_t count,
                            dent_cloud_function function)
{
    dent_context *context = test_context(threads, isa);
    dent_cloud *a = cloud_of(context, xyz_a, count), *b = cloud_of(context, xyz_b, count);
    uint64_t hash = UINT64_C(14695981039346656037);
    for (uint32_t i = 0; i < count; i++) {
        dent_cloud_point point = dent_cloud_point_at(a, i);
        uint32_t others[64] = {0};
        dent_cloud_point_edges(a, i, 64, others);
        hash = hash_bytes(hash, point.normal, sizeof point.normal);
        hash = hash_bytes(hash, &point.radius, sizeof point.radius);
        hash = hash_bytes(hash, &point.part, sizeof point.part);
        hash = hash_bytes(hash, others, sizeof others);
    }
    dent_cloud_value values[64];
    assert_int_equal(dent_cloud_evaluate(a, function, dent_positions_double(xyz_b), 64, values), DENT_OK);
    for (int i = 0; i < 64; i++) {
        hash = hash_bytes(hash, &values[i].value, sizeof values[i].value);
        hash = hash_bytes(hash, values[i].normal, sizeof values[i].normal);
    }
    dent_cloud_search_def def = dent_cloud_search_def_default();
    def.cloud_a = a;
    def.cloud_b = b;
    def.function = function;
    dent_cloud_search *search = NULL;
    dent_cloud_result result;
    dent_pose pose = {{0.5, 0.1, 0.7, 0.2}, {1.1, 0.2, 0.3}};
    assert_int_equal(dent_cloud_search_create(context, &def, &search), DENT_OK);
    assert_int_equal(dent_cloud_search_begin(search, NULL, &pose, 5), DENT_OK);
    assert_int_equal(dent_cloud_search_run(search, dent_budget_units(30000), &result), DENT_OK);
    for (uint32_t i = 0; i < result.point_count; i++) {
        hash = hash_bytes(hash, result.points[i].position, sizeof result.points[i].position);
        hash = hash_bytes(hash, &result.points[i].residual_a, sizeof(double));
    }
    hash = hash_bytes(hash, &result.miss_probability, sizeof result.miss_probability);
    hash = hash_bytes(hash, &result.work_units, sizeof result.work_units);
    assert_true(result.point_count > 0);
    dent_cloud_search_destroy(search);
    dent_cloud_destroy(b);
    dent_cloud_destroy(a);
    dent_context_destroy(context);
    return hash;
}

/* Every number of threads with every instruction set: a fault may need both. */
static void threads_and_instruction_sets_give_the_same_bits(void **state)
{
    (void)state;
    static const uint32_t threads[] = {1, 2, 7};
    uint32_t count = (uint32_t)test_count(2500, 2500, 20000); /* more than one block of slots */
    double *xyz_a = points_on_sphere(count, 1, 1), *xyz_b = points_on_sphere(count, 1, 2);
    for (int function = 0; function < DENT_CLOUD_FUNCTION_COUNT; function++) {
        uint64_t first = hash_of_all(1, DENT_ISA_SCALAR, xyz_a, xyz_b, count, (dent_cloud_function)function);
        for (int run = 1; run < 3 * (DENT_ISA_COUNT - DENT_ISA_SCALAR); run++) { /* 0 was the first */
            dent_isa isa = (dent_isa)(DENT_ISA_SCALAR + run / 3);
            if (dent_isa_available(isa)) {
                assert_true(hash_of_all(threads[run % 3], isa, xyz_a, xyz_b, count, (dent_cloud_function)function) == first);
            }
        }
    }
    free(xyz_b);
    free(xyz_a);
}

/* ---- bad input --------------------------------------------------------------------------------------------------- */

static void assert_rejected(dent_context *context, const dent_cloud_def *def, dent_status expected, const char *part)
{
    dent_cloud *cloud = NULL;
    char message[512];
    assert_int_equal(dent_cloud_create(context, def, &cloud), expected);
    assert_null(cloud);
    dent_context_message(context, message, sizeof message);
    if (!strstr(message, part)) {
        fail_msg("'%s' does not contain '%s'", message, part);
    }
}

static void bad_input_is_named(void **state)
{
    double xyz[30] = {0}, normals[30] = {0};
    for (int i = 0; i < 30; i++) {
        xyz[i] = i * i % 7;
        normals[i] = 1;
    }
    dent_cloud_def def = cloud_def_of(xyz, 10);
    def.struct_size = 0;
    assert_rejected(*state, &def, DENT_ERROR_INVALID_ARGUMENT, "dent_cloud_def_default");
    def = cloud_def_of(xyz, 0);
    assert_rejected(*state, &def, DENT_ERROR_INVALID_ARGUMENT, "point_count");
    def = cloud_def_of(xyz, UINT32_MAX);
    assert_rejected(*state, &def, DENT_ERROR_TOO_LARGE, "2^31");
    def = cloud_def_of(NULL, 10);
    assert_rejected(*state, &def, DENT_ERROR_INVALID_ARGUMENT, "null");
    def = cloud_def_of(xyz, 10);
    def.neighbours = 0;
    assert_rejected(*state, &def, DENT_ERROR_INVALID_ARGUMENT, "neighbours");
    def = cloud_def_of(xyz, 10);
    def.reach_radii = 0;
    assert_rejected(*state, &def, DENT_ERROR_INVALID_ARGUMENT, "reach_radii");
    def = cloud_def_of(xyz, 10);
    def.support_radii = NAN;
    assert_rejected(*state, &def, DENT_ERROR_INVALID_ARGUMENT, "support_radii");
    def = cloud_def_of(xyz, 10);
    def.normals = dent_positions_double(normals);
    normals[12] = normals[13] = normals[14] = 0;
    assert_rejected(*state, &def, DENT_ERROR_BAD_NUMBER, "normal 4 has no length");
    def = cloud_def_of(xyz, 10);
    const double bad[3] = {NAN, -INFINITY, 1e101};
    for (int i = 0; i < 3; i++) {
        double kept = xyz[10];
        xyz[10] = bad[i];
        assert_rejected(*state, &def, DENT_ERROR_BAD_NUMBER, "point 3: y");
        xyz[10] = kept;
    }
}

/* Few points, equal points, k > n, huge and tiny coordinates: clouds like others, without a surface if need be. */
static void odd_clouds_are_made_and_searched(void **state)
{
    for (int kind = 0; kind < 9; kind++) {
        double xyz[300];
        uint32_t count = kind == 0 ? 1 : kind == 1 ? 2 : kind == 2 ? 3 : 100;
        dent_random random = dent_random_seeded(7);
        for (uint32_t i = 0; i < 300; i++) {
            double unit = dent_random_unit(&random);
            xyz[i] = kind == 3   ? 4.0                            /* all equal */
                     : kind == 4 ? (i % 3 ? 0 : unit)             /* a line */
                     : kind == 5 ? 1e99 * unit                    /* huge */
                     : kind == 6 ? 1e-90 * unit                   /* tiny */
                     : kind == 7 ? 5e-324 * (i % 3)               /* equal, and subnormal */
                     : kind == 8 ? (i < 150 ? 1e-9 * unit : unit) /* a speck and a crowd */
                                 : unit;
        }
        dent_cloud *cloud = cloud_of(*state, xyz, count);
        dent_cloud_info info = dent_cloud_get_info(cloud);
        assert_true(info.points == count && info.merged == (kind == 3 || kind == 7 ? 99 : 0));
        for (uint32_t i = 0; i < count; i++) {
            dent_cloud_point point = dent_cloud_point_at(cloud, i);
            assert_true(isfinite(point.radius) && isfinite(point.normal[0]) && point.same_as <= i);
        }
        for (int function = 0; function < DENT_CLOUD_FUNCTION_COUNT; function++) {
            dent_cloud_search_def def = dent_cloud_search_def_default();
            dent_cloud_search *search = NULL;
            dent_cloud_result result;
            def.cloud_a = def.cloud_b = cloud;
            def.function = (dent_cloud_function)function;
            assert_int_equal(dent_cloud_search_create(*state, &def, &search), DENT_OK);
            assert_int_equal(dent_cloud_search_run(search, dent_budget_units(1), &result), DENT_ERROR_INVALID_ARGUMENT);
            dent_pose bad = shifted(NAN, 0, 0), zero = {{0, 0, 0, 0}, {0, 0, 0}};
            assert_int_equal(dent_cloud_search_begin(search, &bad, NULL, 1), DENT_ERROR_BAD_NUMBER);
            assert_int_equal(dent_cloud_search_begin(search, NULL, &zero, 1), DENT_ERROR_BAD_NUMBER);
            assert_int_equal(dent_cloud_search_begin(search, NULL, NULL, 1), DENT_OK);
            assert_int_equal(dent_cloud_search_run(search, dent_budget_units(UINT64_MAX), &result), DENT_OK);
            assert_int_not_equal(result.outcome, DENT_OUTCOME_BUDGET_SPENT);
            if (info.isolated + info.merged == info.points) { /* no surface: nothing is known of it */
                assert_int_equal(result.answer, DENT_CLOUD_UNKNOWN);
                assert_true(result.miss_probability == 1 && result.undefined > 0);
            }
            dent_cloud_search_destroy(search);
        }
        dent_cloud_destroy(cloud);
    }
}

static void no_memory_at_any_point_is_survived(void **state)
{
    (void)state;
    uint32_t count = 300;
    double *xyz = points_on_sphere(count, 1, 3);
    memcpy(xyz + 30, xyz, 3 * sizeof *xyz); /* one coincident point */
    const double triangle[9] = {-2, -2, 0.3, 2, -2, 0.3, 0, 3, 0.3};
    const uint32_t corners[3] = {0, 1, 2};
    bool done = false;
    for (uint64_t fail_at = 1; !done; fail_at++) {
        struct failing_allocator memory = failing_allocator_make();
        dent_context_def context_def = dent_context_def_default();
        context_def.allocator = failing_allocator_hook(&memory);
        context_def.thread_count = 1;
        dent_context *context = dent_context_create(&context_def, NULL);
        assert_non_null(context);
        atomic_store(&memory.requests, 0);
        atomic_store(&memory.fail_at, fail_at);
        dent_cloud_def def = cloud_def_of(xyz, count);
        dent_cloud *cloud = NULL;
        dent_cloud_search *search = NULL;
        dent_cloud_result result;
        dent_cloud_value values[4];
        dent_cloud_triangle_point points[4];
        dent_cloud_triangles_result met;
        dent_cloud_search_def search_def = dent_cloud_search_def_default();
        dent_cloud_triangles_def triangles = dent_cloud_triangles_def_default();
        dent_pose pose = shifted(0.8, 0.1, 0.2);
        dent_status status = dent_cloud_create(context, &def, &cloud);
        search_def.cloud_a = search_def.cloud_b = cloud;
        search_def.function = triangles.function = DENT_CLOUD_GRAPH;
        triangles.vertices = dent_positions_double(triangle);
        triangles.vertex_count = 3;
        triangles.triangles = corners;
        triangles.triangle_count = 1;
        triangles.point_capacity = 4;
        status = status ? status : dent_cloud_evaluate(cloud, DENT_CLOUD_GRAPH, dent_positions_double(xyz), 4, values);
        status = status ? status : dent_cloud_search_create(context, &search_def, &search);
        status = status ? status : dent_cloud_search_begin(search, NULL, &pose, 1);
        status = status ? status : dent_cloud_search_run(search, dent_budget_units(40000), &result);
        status = status ? status : dent_cloud_meet_triangles(cloud, &triangles, points, &met);
        assert_true(status == DENT_OK || status == DENT_ERROR_OUT_OF_MEMORY);
        done = status == DENT_OK;
        dent_cloud_search_destroy(search);
        dent_cloud_destroy(cloud);
        dent_context_destroy(context);
        assert_true(failing_allocator_clean(&memory));
    }
    free(xyz);
}

/* ---- motion ------------------------------------------------------------------------------------------------------ */

static void a_turned_and_stretched_cloud_keeps_its_sides_and_a_torn_one_says_so(void **state)
{
    uint32_t count = 3000;
    double *xyz = points_on_sphere(count, 1, 4), *rest = malloc(3 * sizeof *rest * count);
    memcpy(rest, xyz, 3 * sizeof *rest * count);
    dent_cloud *cloud = cloud_of(*state, xyz, count);
    dent_cloud_update_result result;
    uint64_t before = dent_context_memory_use(*state).allocations;
    for (uint32_t i = 0; i < count; i++) { /* half a turn about x, half as large again */
        xyz[3 * i] = 1.5 * rest[3 * i];
        xyz[3 * i + 1] = -1.5 * rest[3 * i + 1];
        xyz[3 * i + 2] = -1.5 * rest[3 * i + 2];
    }
    assert_int_equal(dent_cloud_update(cloud, &result), DENT_OK);
    assert_true(dent_context_memory_use(*state).allocations == before);
    assert_true(fabs(result.stretch - 1.5) < 1e-12 && result.distorted_share == 0 && !result.rebuild_advised);
    for (uint32_t i = 0; i < count; i++) {
        dent_cloud_point point = dent_cloud_point_at(cloud, i);
        double out = 0;
        for (int axis = 0; axis < 3; axis++) {
            out += point.normal[axis] * point.position[axis] / 1.5;
        }
        assert_true(out > 0.9); /* outwards still */
    }
    assert_true(fabs(cloud_value(cloud, DENT_CLOUD_SPHERE_FIT, 0, 0, 1.55).value - 0.05) < 0.01);
    xyz[7] = NAN;
    assert_int_equal(dent_cloud_update(cloud, &result), DENT_ERROR_BAD_NUMBER);
    dent_random random = dent_random_seeded(5);
    for (uint32_t i = 0; i < 3 * count; i++) {
        xyz[i] = dent_random_unit(&random);
    }
    assert_int_equal(dent_cloud_update(cloud, &result), DENT_OK);
    assert_true(result.rebuild_advised && result.distorted_share > 0.02);
    dent_cloud_destroy(cloud);
    free(rest);
    free(xyz);
}

/* ---- triangles --------------------------------------------------------------------------------------------------- */

static void a_plane_cuts_a_sphere_in_a_circle(void **state)
{
    uint32_t count = (uint32_t)test_count(1000, 4000, 100000);
    double *xyz = points_on_sphere(count, 1, 6), worst = 0;
    dent_cloud *cloud = cloud_of(*state, xyz, count);
    double corners[12] = {-2, -2, 0.6, 2, -2, 0.6, 2, 2, 0.6, -2, 2, 0.6};
    const uint32_t triangles[6] = {0, 1, 2, 0, 2, 3};
    static dent_cloud_triangle_point points[20000];
    dent_cloud_triangles_result result;
    dent_cloud_triangles_def def = dent_cloud_triangles_def_default();
    def.vertices = dent_positions_double(corners);
    def.vertex_count = 4;
    def.triangles = triangles;
    def.triangle_count = 2;
    def.point_capacity = 20000;
    def.pose = shifted(0.1, 0, 0);
    assert_int_equal(dent_cloud_meet_triangles(cloud, &def, points, &result), DENT_OK);
    assert_int_equal(result.answer, DENT_CLOUD_YES);
    assert_true(result.triangles_met == 2 && result.triangles_near == 2 && result.point_count > 20);
    for (uint64_t i = 0; i < result.point_count; i++) {
        const double *p = points[i].position;
        assert_true(fabs(p[2] - 0.6) < 1e-14 && points[i].triangle < 2);
        worst = fmax(worst, fabs(hypot(p[0] - 0.1, p[1]) - 0.8));
    }
    print_message("%llu points, largest error %.2e, resolution %.2e, %llu values\n",
                  (unsigned long long)result.point_count, worst, result.resolution,
                  (unsigned long long)result.evaluations);
    assert_true(worst < 0.05 * result.resolution);
    for (int k = 0; k < 4; k++) { /* lifted off the sphere */
        corners[3 * k + 2] = 1.6;
    }
    assert_int_equal(dent_cloud_meet_triangles(cloud, &def, points, &result), DENT_OK);
    assert_int_equal(result.answer, DENT_CLOUD_NO);
    const uint32_t bad[6] = {0, 1, 4, 0, 2, 3};
    def.triangles = bad;
    assert_int_equal(dent_cloud_meet_triangles(cloud, &def, points, &result), DENT_ERROR_BAD_MESH);
    dent_cloud_destroy(cloud);
    free(xyz);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_and_instruction_sets_give_the_same_bits),
        cmocka_unit_test(bad_input_is_named),
        cmocka_unit_test(odd_clouds_are_made_and_searched),
        cmocka_unit_test(no_memory_at_any_point_is_survived),
        cmocka_unit_test(a_turned_and_stretched_cloud_keeps_its_sides_and_a_torn_one_says_so),
        cmocka_unit_test(a_plane_cuts_a_sphere_in_a_circle),
    };
    return cmocka_run_group_tests(tests, test_open_context_of_two, test_close_context);
}
