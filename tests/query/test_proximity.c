/* The question proximity: what it means on cases one can draw, what is refused and with which words, filters, ties,
 * cancelling, memory.
 */
#include "query/proximity_cases.h"

#include "support/failing_allocator.h"

#include <float.h>

static dent_body_id add_surface(dent_world *world, const double (*xyz)[3], uint32_t vertices,
                                const uint32_t (*faces)[3], uint32_t count)
{
    dent_body_def def = dent_surface_def_default();
    dent_body_id id;
    def.vertex_count = vertices;
    def.element_count = count;
    def.element_corners = faces[0];
    def.positions_t0 = dent_positions_double(xyz[0]);
    assert_int_equal(dent_world_add_body(world, &def, &id), DENT_OK);
    return id;
}

/* ---- meanings -------------------------------------------------------------------------------- */

static const uint32_t one_face[1][3] = {{0, 1, 2}};
static const double floor_face[3][3] = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}};

static void a_vertex_over_a_face_is_reported_with_everything(void **state)
{
    (void)state;
    static const double spike[3][3] = {{1, 1, 0.5}, {1, 2, 9}, {2, 1, 9}};
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    for (int method = 0; method < 2; method++) {
        dent_world *world = dent_world_create(context);
        dent_method chosen = method ? DENT_METHOD_SURFACE_TREE : DENT_METHOD_BRUTE_FORCE;
        add_surface(world, floor_face, 3, one_face, 1);
        add_surface(world, spike, 3, one_face, 1);
        assert_int_equal(ask(world, 0.249, chosen).count, 0);
        dent_proximity_result result = ask(world, 0.25, chosen); /* closed: 0.5 <= 0.25 + 0.25 */
        assert_int_equal(result.count, 1);
        assert_int_equal(result.vertex_face_count, 1);
        assert_int_equal(result.counters.method, chosen);
        const dent_proximity *pair = result.pairs;
        assert_int_equal(pair->kind, DENT_PROXIMITY_VERTEX_FACE);
        assert_int_equal(pair->body_a, 1);
        assert_int_equal(pair->feature_a, 0);
        assert_int_equal(pair->body_b, 0);
        assert_int_equal(pair->feature_b, 0);
        assert_int_equal(pair->closest_a, DENT_CLOSEST_VERTEX);
        assert_int_equal(pair->closest_b, DENT_CLOSEST_INTERIOR);
        assert_true(pair->distance == 0.5);
        assert_true(pair->point_a[2] == 0.5 && pair->point_b[0] == 1 && pair->point_b[1] == 1 && pair->point_b[2] == 0);
        assert_true(pair->direction[0] == 0 && pair->direction[1] == 0 && pair->direction[2] == 1);
        dent_world_destroy(world);
    }
    dent_context_destroy(context);
}

static void every_body_has_its_own_thickness(void **state)
{
    (void)state;
    static const double spike[3][3] = {{1, 1, 0.5}, {1, 2, 9}, {2, 1, 9}};
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    dent_world *world = dent_world_create(context);
    dent_body_id floor_id = add_surface(world, floor_face, 3, one_face, 1);
    dent_body_id spike_id = add_surface(world, spike, 3, one_face, 1);
    assert_int_equal(dent_body_set_thickness(world, floor_id, 0.5), DENT_OK);
    assert_int_equal(ask(world, 0, DENT_METHOD_AUTO).count, 1);
    assert_int_equal(dent_body_set_thickness(world, floor_id, 0.3), DENT_OK);
    assert_int_equal(ask(world, 0.1, DENT_METHOD_AUTO).count, 0);
    assert_int_equal(ask(world, 0.2, DENT_METHOD_AUTO).count, 1);
    assert_int_equal(dent_body_set_thickness(world, spike_id, 0), DENT_OK); /* its own: 0, whatever the query says */
    assert_int_equal(ask(world, 100, DENT_METHOD_AUTO).count, 0);
    assert_int_equal(dent_body_set_thickness(world, spike_id, DENT_THICKNESS_FROM_QUERY), DENT_OK);
    assert_int_equal(ask(world, 0.2, DENT_METHOD_AUTO).count, 1);
    dent_world_destroy(world);
    dent_context_destroy(context);
}

static void bad_thickness_is_refused_by_name(void **state)
{
    (void)state;
    static const double bad[] = {NAN, INFINITY, -INFINITY, -0.5, -DBL_TRUE_MIN};
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    dent_world *world = dent_world_create(context);
    dent_body_def body = dent_surface_def_default();
    dent_body_id id, other = {0};
    body.name = "sleeve";
    body.vertex_count = 3;
    body.element_count = 1;
    body.element_corners = one_face[0];
    body.positions_t0 = dent_positions_double(floor_face[0]);
    body.thickness = 0.125;
    assert_int_equal(dent_world_add_body(world, &body, &id), DENT_OK);
    dent_proximity_def def = dent_proximity_def_default();
    dent_proximity_result result;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(dent_body_set_thickness(world, id, bad[i]), DENT_ERROR_BAD_NUMBER);
        assert_non_null(strstr(dent_world_message(world), "sleeve"));
        body.thickness = bad[i];
        assert_int_equal(dent_world_add_body(world, &body, &other), DENT_ERROR_BAD_NUMBER);
        assert_non_null(strstr(dent_world_message(world), "sleeve"));
        assert_int_equal(dent_body_set_topology(world, id, &body), DENT_ERROR_BAD_NUMBER);
        def.thickness = bad[i];
        assert_int_equal(dent_world_proximity(world, &def, &result), DENT_ERROR_BAD_NUMBER);
        assert_non_null(strstr(dent_world_message(world), "thickness"));
    }
    assert_int_equal(dent_body_set_thickness(world, other, 1), DENT_ERROR_STALE_ID);
    dent_world_destroy(world);
    dent_context_destroy(context);
}

static void bad_defs_are_refused(void **state)
{
    (void)state;
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    dent_world *world = dent_world_create(context);
    dent_proximity_def def = dent_proximity_def_default();
    dent_proximity_result result;
    def.struct_size--;
    assert_int_equal(dent_world_proximity(world, &def, &result), DENT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(dent_world_proximity(world, NULL, &result), DENT_ERROR_INVALID_ARGUMENT);
    def = dent_proximity_def_default();
    def.method = DENT_METHOD_SWEEP;
    assert_int_equal(dent_world_proximity(world, &def, &result), DENT_ERROR_UNSUPPORTED);
    def.method = (dent_method)99;
    assert_int_equal(dent_world_proximity(world, &def, &result), DENT_ERROR_INVALID_ARGUMENT);
    def = dent_proximity_def_default();
    def.pair_limit = UINT64_C(1) << 32;
    assert_int_equal(dent_world_proximity(world, &def, &result), DENT_ERROR_INVALID_ARGUMENT);
    def = dent_proximity_def_default();
    assert_int_equal(dent_world_proximity(world, &def, &result), DENT_OK); /* an empty world */
    assert_int_equal(result.count, 0);
    dent_query_def query = dent_query_def_default();
    dent_query_result discrete;
    query.questions = DENT_QUESTION_PROXIMITY;
    assert_int_equal(dent_world_query(world, &query, &discrete), DENT_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(dent_world_message(world), "dent_world_proximity"));
    assert_string_equal(dent_question_name(DENT_QUESTION_PROXIMITY), "proximity");
    dent_world_destroy(world);
    dent_context_destroy(context);
}

static void features_print_as_the_tool_prints_them(void **state)
{
    (void)state;
    static const double across[3][3] = {{-1, 1, 0.25}, {9, 1, 0.25}, {1, 1, 9}};
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    dent_world *world = dent_world_create(context);
    char text[32];
    add_surface(world, floor_face, 3, one_face, 1);
    add_surface(world, across, 3, one_face, 1);
    dent_proximity_result result = ask(world, 0.125, DENT_METHOD_AUTO);
    assert_int_equal(result.count, 2); /* edge 0-1 of b over the edges 0-2 and 1-2 of a; no vertex */
    assert_int_equal(result.vertex_face_count, 0);
    dent_proximity_feature_print(world, &result.pairs[0], false, text, sizeof text);
    assert_string_equal(text, "0-2");
    dent_proximity_feature_print(world, &result.pairs[1], true, text, sizeof text);
    assert_string_equal(text, "0-1");
    assert_int_equal(result.pairs[0].closest_a, DENT_CLOSEST_EDGE);
    assert_string_equal(dent_proximity_kind_name((dent_proximity_kind)result.pairs[0].kind), "edge-edge");
    assert_string_equal(dent_closest_feature_name(DENT_CLOSEST_INTERIOR), "interior");
    assert_null(dent_closest_feature_name((dent_closest_feature)0));
    assert_null(dent_proximity_kind_name((dent_proximity_kind)0));
    dent_world_destroy(world);
    dent_context_destroy(context);
}

static void the_hash_is_that_of_the_printed_columns(void **state)
{
    (void)state;
    static const double across[3][3] = {{-1, 1, 0.25}, {9, 1, 0.25}, {1, 1, 9}};
    static const char lines[] = "0 0-2 1 0-1\n0 1-2 1 0-1\n";
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    dent_world *world = dent_world_create(context);
    add_surface(world, floor_face, 3, one_face, 1);
    add_surface(world, across, 3, one_face, 1);
    dent_proximity_result result = ask(world, 0.125, DENT_METHOD_AUTO);
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (const char *c = lines; *c; c++) {
        hash = (hash ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
    }
    assert_int_equal(dent_proximity_hash(world, result.pairs, result.count), hash);
    assert_int_not_equal(dent_proximity_hash(world, result.pairs, 1), hash);
    dent_world_destroy(world);
    dent_context_destroy(context);
}

static void closest_features_come_once(void **state)
{
    (void)state;
    /* A tent: a vertex hangs over the ridge, the common edge of two faces. */
    static const double tent[4][3] = {{0, 0, 0}, {4, 0, 0}, {2, 3, -1}, {2, -3, -1}};
    static const uint32_t faces[2][3] = {{0, 1, 2}, {1, 0, 3}};
    static const double spike[3][3] = {{2, 0, 0.5}, {2, 1, 9}, {2, -1, 9}};
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    dent_world *world = dent_world_create(context);
    add_surface(world, tent, 4, faces, 2);
    add_surface(world, spike, 3, one_face, 1);
    dent_proximity_result all = ask(world, 0.25, DENT_METHOD_AUTO);
    assert_int_equal(all.vertex_face_count, 2); /* with both faces */
    assert_int_equal(all.count, 4);             /* and the two edges of the spike at that vertex */
    dent_proximity first = all.pairs[0];
    dent_proximity_def def = dent_proximity_def_default();
    dent_proximity_result embedding;
    def.thickness = 0.25;
    def.closest_features_only = true;
    assert_int_equal(dent_world_proximity(world, &def, &embedding), DENT_OK);
    assert_int_equal(embedding.count, 1);
    assert_int_equal(embedding.vertex_face_count, 1);
    assert_memory_equal(&embedding.pairs[0], &first, sizeof first);
    assert_int_equal(first.closest_b, DENT_CLOSEST_EDGE);
    assert_int_equal(first.corner_b, 2); /* the edge opposite corner 2 */
    dent_world_destroy(world);
    dent_context_destroy(context);
}

static void a_thickness_beyond_the_world_gives_all_pairs(void **state)
{
    (void)state;
    static const double thicknesses[] = {1e3, 1e300, DBL_MAX};
    dent_context *context = test_context(2, DENT_ISA_AUTO);
    for (size_t i = 0; i < 3; i++) {
        struct test_body body = random_surface_make(SURFACE_CRUMPLED, 5, 60);
        dent_world *world = dent_world_create(context);
        dent_body_def def = test_body_def(&body);
        dent_body_id id;
        assert_int_equal(dent_world_add_body(world, &def, &id), DENT_OK);
        uint64_t expected = ask(world, thicknesses[i], DENT_METHOD_BRUTE_FORCE).count;
        dent_proximity_result all = ask(world, thicknesses[i], DENT_METHOD_AUTO);
        assert_true(all.count > 1000);
        assert_int_equal(all.count, expected);
        dent_proximity_def limited = dent_proximity_def_default();
        dent_proximity_result result;
        limited.thickness = thicknesses[i];
        limited.pair_limit = expected;
        assert_int_equal(dent_world_proximity(world, &limited, &result), DENT_OK);
        limited.pair_limit = expected - 1;
        assert_int_equal(dent_world_proximity(world, &limited, &result), DENT_ERROR_TOO_LARGE);
        assert_non_null(strstr(dent_world_message(world), "pairs"));
        limited.method = DENT_METHOD_BRUTE_FORCE;
        assert_int_equal(dent_world_proximity(world, &limited, &result), DENT_ERROR_TOO_LARGE);
        dent_world_destroy(world);
        random_surface_free(&body);
    }
    dent_context_destroy(context);
}

static void distances_and_thicknesses_that_overflow_are_answered(void **state)
{
    (void)state;
    static const double ends_of_the_world[6][3] = {{-1.7e308, 0, 0}, {-1.7e308, 1e308, 0}, {-1.7e308, 0, 1e308},
                                                   {1.7e308, 0, 0},  {1.7e308, 1e308, 0},  {1.7e308, 0, 1e308}};
    static const uint32_t faces[2][3] = {{0, 1, 2}, {3, 4, 5}};
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    dent_world *world = dent_world_create(context);
    add_surface(world, ends_of_the_world, 6, faces, 2);
    for (int huge = 0; huge < 2; huge++) {
        dent_proximity_result result = ask(world, huge ? 1e308 : 0.8e308, DENT_METHOD_BRUTE_FORCE);
        struct kept expected = keep(&result);
        assert_int_equal(expected.count, huge ? 15 : 0); /* infinite <= infinite */
        result = ask(world, huge ? 1e308 : 0.8e308, DENT_METHOD_AUTO);
        assert_true(equal(&expected, &result));
        free(expected.pairs);
    }
    dent_world_destroy(world);
    dent_context_destroy(context);
}

static void a_cancelled_query_reports_nothing(void **state)
{
    (void)state;
    int cancel = 1;
    struct test_scene scene;
    dent_context *context = test_context(2, DENT_ISA_AUTO);
    dent_world *world = dent_world_create(context);
    dent_proximity_def def = dent_proximity_def_default();
    dent_proximity_result result;
    test_scene_make(&scene, SCENE_SURFACES, 1);
    assert_int_equal(test_scene_add(&scene, world), DENT_OK);
    def.thickness = 1;
    def.cancel = &cancel;
    assert_int_equal(dent_world_proximity(world, &def, &result), DENT_OK);
    assert_int_equal(result.outcome, DENT_OUTCOME_CANCELLED);
    assert_int_equal(result.count, 0);
    cancel = 0;
    assert_int_equal(dent_world_proximity(world, &def, &result), DENT_OK);
    assert_int_equal(result.outcome, DENT_OUTCOME_COMPLETE);
    assert_true(result.count > 0);
    test_scene_free(&scene);
    dent_world_destroy(world);
    dent_context_destroy(context);
}

/* ---- filters and ties ------------------------------------------------------------------------ */

static void filters_and_ties_are_respected(void **state)
{
    (void)state;
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    for (int kind = 0; kind < 2; kind++) {
        struct test_scene scene;
        dent_world *world = dent_world_create(context);
        test_scene_make(&scene, kind ? SCENE_TIED : SCENE_SURFACES, 2);
        assert_int_equal(test_scene_add(&scene, world), DENT_OK);
        for (uint32_t body_index = 0; body_index < scene.body_count; body_index++) {
            assert_int_equal(dent_body_set_filter(world, dent_world_body_at(world, body_index), 1u << body_index,
                                                  body_index == 0 ? 2u : UINT32_MAX, false),
                             DENT_OK);
        }
        dent_proximity_result result = ask(world, 0.5, DENT_METHOD_BRUTE_FORCE);
        struct kept expected = keep(&result);
        assert_true(expected.count > 0);
        for (uint64_t i = 0; i < expected.count; i++) {
            const dent_proximity *pair = &expected.pairs[i];
            assert_true(pair->body_a != pair->body_b);
            assert_true((pair->body_a != 0 || pair->body_b == 1) && (pair->body_b != 0 || pair->body_a == 1));
        }
        result = ask(world, 0.5, DENT_METHOD_AUTO);
        assert_true(equal(&expected, &result));
        free(expected.pairs);
        dent_world_destroy(world);
        test_scene_free(&scene);
    }
    dent_context_destroy(context);
}

/* Two vertices of one body tied to the same vertex of another are the same vertex, too. */
static void vertices_of_a_body_may_be_tied_through_another(void **state)
{
    (void)state;
    static const double apart[6][3] = {{0, 0, 1}, {4, 0, 1}, {0, 4, 1}, {0, 0, 2}, {4, 0, 2}, {0, 4, 2}};
    static const uint32_t faces[2][3] = {{0, 1, 2}, {3, 4, 5}};
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    for (int tied = 0; tied < 2; tied++) {
        dent_world *world = dent_world_create(context);
        dent_body_id floor_id = add_surface(world, floor_face, 3, one_face, 1), id;
        const dent_same_as ties[2] = {{0, floor_id, 0}, {3, floor_id, 0}};
        dent_body_def def = dent_surface_def_default();
        def.vertex_count = 6;
        def.element_count = 2;
        def.element_corners = faces[0];
        def.positions_t0 = dent_positions_double(apart[0]);
        def.same_as = ties;
        def.same_as_count = tied ? 2 : 0;
        assert_int_equal(dent_world_add_body(world, &def, &id), DENT_OK);
        dent_proximity_result result = ask(world, 100, DENT_METHOD_BRUTE_FORCE);
        struct kept expected = keep(&result);
        /* Three pairs of faces, each with six vertex-face and nine edge-edge pairs; tied, two and four of these are
         * left out. */
        assert_int_equal(expected.count, 3 * (6 + 9) - (tied ? 3 * (2 + 4) : 0));
        result = ask(world, 100, DENT_METHOD_AUTO);
        assert_true(equal(&expected, &result));
        free(expected.pairs);
        dent_world_destroy(world);
    }
    dent_context_destroy(context);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static void warm_queries_allocate_nothing(void **state)
{
    (void)state;
    dent_context *context = test_context(2, DENT_ISA_AUTO);
    for (int method = 0; method < 3; method++) {
        struct test_scene scene;
        dent_world *world = dent_world_create(context);
        dent_proximity_def def = dent_proximity_def_default();
        dent_proximity_result result;
        test_scene_make(&scene, SCENE_MIXED, 3);
        assert_int_equal(test_scene_add(&scene, world), DENT_OK);
        def.method = method == 1 ? DENT_METHOD_BRUTE_FORCE : DENT_METHOD_SURFACE_TREE;
        def.closest_features_only = method == 2;
        def.thickness = 0.1;
        assert_int_equal(dent_world_proximity(world, &def, &result), DENT_OK);
        assert_true(result.count > 0);
        uint64_t before = dent_context_memory_use(context).allocations;
        for (int step = 0; step < 5; step++) {
            assert_int_equal(dent_world_proximity(world, &def, &result), DENT_OK);
        }
        assert_int_equal(dent_context_memory_use(context).allocations, before);
        test_scene_free(&scene);
        dent_world_destroy(world);
    }
    dent_context_destroy(context);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    for (int method = 0; method < 3; method++) {
        struct failing_allocator memory = failing_allocator_make();
        dent_context_def def = dent_context_def_default();
        struct test_scene scene;
        def.thread_count = 1;
        def.allocator = failing_allocator_hook(&memory);
        dent_context *context = dent_context_create(&def, NULL);
        dent_world *world = NULL;
        dent_proximity_def question = dent_proximity_def_default();
        uint64_t expected = 0, failures = 0;
        question.thickness = 0.2;
        question.method = method == 1 ? DENT_METHOD_BRUTE_FORCE : DENT_METHOD_SURFACE_TREE;
        question.closest_features_only = method == 2;
        test_scene_make(&scene, SCENE_MIXED, 4);
        for (uint64_t fail_at = 0; fail_at < 100000; fail_at++) {
            dent_proximity_result result = {.count = 12345};
            memory.fail_at = 0;
            dent_world_destroy(world);
            world = dent_world_create(context);
            assert_int_equal(test_scene_add(&scene, world), DENT_OK);
            memory.requests = 0;
            memory.fail_at = fail_at;
            dent_status status = dent_world_proximity(world, &question, &result);
            memory.fail_at = 0;
            if (fail_at == 0) {
                assert_int_equal(status, DENT_OK);
                expected = result.count;
                assert_true(expected > 0);
            } else if (status == DENT_OK) {
                assert_int_equal(result.count, expected);
                break;
            } else {
                assert_int_equal(status, DENT_ERROR_OUT_OF_MEMORY);
                assert_int_equal(result.count, 12345);
                assert_int_equal(dent_world_proximity(world, &question, &result), DENT_OK); /* nothing is broken */
                assert_int_equal(result.count, expected);
                failures++;
            }
        }
        assert_true(failures > 5);
        dent_world_destroy(world);
        test_scene_free(&scene);
        dent_context_destroy(context);
        assert_true(failing_allocator_clean(&memory));
    }
}

static void set_triangle(struct test_scene *scene, const double corners[3][3])
{
    struct test_body *body = test_scene_new_body(scene, DENT_BODY_SURFACE, 3, 1, 3);
    memcpy(body->xyz, corners, 3 * sizeof *body->xyz);
    for (uint32_t v = 0; v < 3; v++) {
        body->corners[v] = v;
    }
}

/* The search rounds coordinates to floats. Two features on either side of the middle between two floats are rounded
 * apart, by far more than the thickness: they are found all the same. */
static void pairs_at_the_threshold_are_found_where_floats_round_apart(void **state)
{
    (void)state;
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    dent_random random = dent_random_seeded(262);
    const double half = 0x1p-40; /* of the distance, and the thickness */
    for (uint32_t round = 0; round < rounds(200); round++) {
        struct test_scene scene = {0};
        int axis = (int)(round % 3), next = (axis + 1) % 3, last = (axis + 2) % 3;
        /* The world reaches from -1 to 1, is halved, and has steps of 2^-25 there. */
        double middle = 2 * ((double)(0.25f + 0x1p-25f * (float)dent_random_below(&random, 1u << 23)) + 0x1p-26);
        double tip[3][3] = {{0}}, face[3][3] = {{0}}, ends[2][3][3] = {{{0}}};
        for (int k = 0; k < 3; k++) {
            tip[k][axis] = middle - half - 0.1 * k;
            tip[k][next] = 0.01 * k;
            tip[k][last] = k == 1 ? 0.01 : 0;
            face[k][axis] = middle + half;
            face[k][next] = k == 1 ? 0.2 : -0.1;
            face[k][last] = k == 2 ? 0.2 : -0.1;
            for (int x = 0; x < 3; x++) {
                ends[0][k][x] = -1 + (x == k ? 0.01 : 0);
                ends[1][k][x] = 1 - (x == k ? 0.01 : 0);
            }
        }
        set_triangle(&scene, (const double(*)[3])tip);
        set_triangle(&scene, (const double(*)[3])face);
        set_triangle(&scene, (const double(*)[3])ends[0]);
        set_triangle(&scene, (const double(*)[3])ends[1]);
        dent_world *world = dent_world_create(context);
        assert_int_equal(test_scene_add(&scene, world), DENT_OK);
        dent_proximity_result result = ask(world, half, DENT_METHOD_BRUTE_FORCE);
        struct kept expected = keep(&result);
        assert_true(expected.count == 1 && expected.pairs[0].distance == 2 * half);
        result = ask(world, half, DENT_METHOD_SURFACE_TREE);
        assert_true(equal(&expected, &result));
        free(expected.pairs);
        dent_world_destroy(world);
        test_scene_free(&scene);
    }
    dent_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_vertex_over_a_face_is_reported_with_everything),
        cmocka_unit_test(every_body_has_its_own_thickness),
        cmocka_unit_test(bad_thickness_is_refused_by_name),
        cmocka_unit_test(bad_defs_are_refused),
        cmocka_unit_test(features_print_as_the_tool_prints_them),
        cmocka_unit_test(the_hash_is_that_of_the_printed_columns),
        cmocka_unit_test(closest_features_come_once),
        cmocka_unit_test(a_thickness_beyond_the_world_gives_all_pairs),
        cmocka_unit_test(distances_and_thicknesses_that_overflow_are_answered),
        cmocka_unit_test(a_cancelled_query_reports_nothing),
        cmocka_unit_test(filters_and_ties_are_respected),
        cmocka_unit_test(vertices_of_a_body_may_be_tied_through_another),
        cmocka_unit_test(warm_queries_allocate_nothing),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(pairs_at_the_threshold_are_found_where_floats_round_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
