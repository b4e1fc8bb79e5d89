/* The question proximity: what it means on cases one can draw, equality of surface tree and oracle on thousands of random scenes, and what
 * never changes the answer: threads, instruction sets, order of bodies and elements, exact motions.
 */
#include "support/cmocka_includes.h"

#include "support/failing_allocator.h"
#include "support/random_scene.h"
#include "support/random_surface.h"

#include <float.h>

static dent_context *make_context(uint32_t threads, dent_isa isa)
{
    dent_context_def def = dent_context_def_default();
    def.thread_count = threads;
    def.isa = isa;
    dent_context *context = dent_context_create(&def, NULL);
    assert_non_null(context);
    return context;
}

static uint32_t rounds(uint32_t standard)
{
    return getenv("DENT_QUICK_TESTS") ? standard / 10 : getenv("DENT_LONG_TESTS") ? standard * 5 : standard;
}

static dent_body_id add_surface(dent_world *world, const double (*xyz)[3], uint32_t vertices, const uint32_t (*faces)[3], uint32_t count)
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

static dent_proximity_result ask(dent_world *world, double thickness, dent_method method)
{
    dent_proximity_def def = dent_proximity_def_default();
    dent_proximity_result result;
    def.thickness = thickness;
    def.method = method;
    assert_int_equal(dent_world_proximity(world, &def, &result), DENT_OK);
    assert_int_equal(result.outcome, DENT_OUTCOME_COMPLETE);
    return result;
}

/* ---- meanings ----------------------------------------------------------------------------------------------------------- */

static const uint32_t one_face[1][3] = {{0, 1, 2}};
static const double floor_face[3][3] = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}};

static void a_vertex_over_a_face_is_reported_with_everything(void **state)
{
    (void)state;
    static const double spike[3][3] = {{1, 1, 0.5}, {1, 2, 9}, {2, 1, 9}};
    dent_context *context = make_context(1, DENT_ISA_AUTO);
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
    dent_context *context = make_context(1, DENT_ISA_AUTO);
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
    dent_context *context = make_context(1, DENT_ISA_AUTO);
    dent_world *world = dent_world_create(context);
    dent_body_def body = dent_surface_def_default();
    dent_body_id id, other = {0, 0};
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
    dent_context *context = make_context(1, DENT_ISA_AUTO);
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
    dent_context *context = make_context(1, DENT_ISA_AUTO);
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

static void closest_features_come_once(void **state)
{
    (void)state;
    /* A tent: a vertex hangs over the ridge, the common edge of two faces. */
    static const double tent[4][3] = {{0, 0, 0}, {4, 0, 0}, {2, 3, -1}, {2, -3, -1}};
    static const uint32_t faces[2][3] = {{0, 1, 2}, {1, 0, 3}};
    static const double spike[3][3] = {{2, 0, 0.5}, {2, 1, 9}, {2, -1, 9}};
    dent_context *context = make_context(1, DENT_ISA_AUTO);
    dent_world *world = dent_world_create(context);
    add_surface(world, tent, 4, faces, 2);
    add_surface(world, spike, 3, one_face, 1);
    dent_proximity_result all = ask(world, 0.25, DENT_METHOD_AUTO);
    assert_int_equal(all.vertex_face_count, 2); /* with both faces */
    assert_int_equal(all.count, 4);             /* and the two edges of the spike at that vertex */
    dent_proximity first = all.pairs[0];
    dent_proximity_def def = dent_proximity_def_default();
    dent_proximity_result reduced;
    def.thickness = 0.25;
    def.closest_features_only = true;
    assert_int_equal(dent_world_proximity(world, &def, &reduced), DENT_OK);
    assert_int_equal(reduced.count, 1);
    assert_int_equal(reduced.vertex_face_count, 1);
    assert_memory_equal(&reduced.pairs[0], &first, sizeof first);
    assert_int_equal(first.closest_b, DENT_CLOSEST_EDGE);
    assert_int_equal(first.corner_b, 2); /* the edge opposite corner 2 */
    dent_world_destroy(world);
    dent_context_destroy(context);
}

static void a_thickness_beyond_the_world_gives_all_pairs(void **state)
{
    (void)state;
    static const double thicknesses[] = {1e3, 1e300, DBL_MAX};
    dent_context *context = make_context(2, DENT_ISA_AUTO);
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

static void a_cancelled_query_reports_nothing(void **state)
{
    (void)state;
    int cancel = 1;
    struct test_scene scene;
    dent_context *context = make_context(2, DENT_ISA_AUTO);
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

/* ---- random scenes -------------------------------------------------------------------------------------------------------- */

enum { SCENE_KINDS = SURFACE_KIND_COUNT + SCENE_KIND_COUNT + 2 };

static const char *kind_name(int kind)
{
    return kind < SURFACE_KIND_COUNT                      ? random_surface_name(kind)
           : kind < SURFACE_KIND_COUNT + SCENE_KIND_COUNT ? test_scene_kind_name(kind - SURFACE_KIND_COUNT)
           : kind == SCENE_KINDS - 2                      ? "groove"
                                                          : "parallel edges";
}

/* Surfaces of one body and, every third time, two; or one of the scenes with solids. */
static void make_scene(struct test_scene *scene, int kind, uint64_t seed)
{
    dent_random random = dent_random_seeded(seed * 31 + (uint64_t)kind);
    memset(scene, 0, sizeof *scene);
    if (kind < SURFACE_KIND_COUNT) {
        uint32_t size = 6 + dent_random_below(&random, 28);
        scene->bodies[scene->body_count++] = random_surface_make(kind, seed, size);
        if (seed % 3 == 0) {
            int other = (int)dent_random_below(&random, SURFACE_KIND_COUNT);
            scene->bodies[scene->body_count++] = random_surface_make(other, seed + 1, size / 2);
        }
    } else if (kind < SURFACE_KIND_COUNT + SCENE_KIND_COUNT) {
        test_scene_make(scene, kind - SURFACE_KIND_COUNT, seed);
    } else if (kind == SCENE_KINDS - 2) { /* a V-groove: flat walls, near one another at the bottom */
        struct test_body *body = test_add_sheet(scene, 6 + dent_random_below(&random, 4), 2);
        double steep = test_between(&random, 1, 20);
        for (uint32_t i = 0; i < body->vertex_count; i++) {
            body->xyz[i][2] = fabs(body->xyz[i][0] - 3.5) * steep;
        }
    } else { /* bundles of exactly and nearly parallel edges */
        struct test_body *body = test_add_sheet(scene, 8, 1);
        for (uint32_t i = 0; i < body->vertex_count; i++) {
            body->xyz[i][2] = dent_random_below(&random, 3);
            body->xyz[i][0] = dent_random_below(&random, 2) ? 1 : 1 + 0x1p-30 * dent_random_unit(&random);
        }
    }
}

/* A length to ask with: some part of the size of the smallest body, sometimes 0 or half a step of a lattice. */
static double choose_thickness(const struct test_scene *scene, dent_random *random)
{
    double smallest = INFINITY;
    for (uint32_t i = 0; i < scene->body_count; i++) {
        double size = 0;
        for (uint32_t v = 1; v < scene->bodies[i].vertex_count && v < 9; v++) {
            for (int axis = 0; axis < 3; axis++) {
                size = fmax(size, fabs(scene->bodies[i].xyz[v][axis] - scene->bodies[i].xyz[0][axis]));
            }
        }
        smallest = size > 0 && size < smallest ? size : smallest;
    }
    smallest = isfinite(smallest) ? smallest : 1;
    switch (dent_random_below(random, 16)) {
    case 0:
        return 0;
    case 1:
    case 2:
        return smallest < 10 ? 0.25 : 0;
    case 3:
        return smallest * 0.25;
    case 4:
        return smallest * 1e-9;
    default:
        return smallest * 0.1 * dent_random_unit(random);
    }
}

struct kept {
    dent_proximity *pairs;
    uint64_t count;
};

static struct kept keep(const dent_proximity_result *result)
{
    struct kept kept = {test_allocate((size_t)result->count + 1, sizeof *kept.pairs), result->count};
    if (result->count > 0) {
        memcpy(kept.pairs, result->pairs, (size_t)result->count * sizeof *kept.pairs);
    }
    return kept;
}

static bool equal(const struct kept *expected, const dent_proximity_result *result)
{
    return expected->count == result->count &&
           (result->count == 0 || memcmp(expected->pairs, result->pairs, (size_t)result->count * sizeof *result->pairs) == 0);
}

static void check_records(const struct kept *kept, double most)
{
    for (uint64_t i = 0; i < kept->count; i++) {
        const dent_proximity *pair = &kept->pairs[i];
        double squared = 0;
        for (int axis = 0; axis < 3; axis++) {
            squared += pair->direction[axis] * pair->direction[axis];
            assert_true(isfinite(pair->point_a[axis]) && isfinite(pair->point_b[axis]));
        }
        assert_true(fabs(squared - 1) < 1e-14);
        assert_true(pair->distance >= 0 && pair->distance <= most);
        assert_true(pair->closest_a >= 1 && pair->closest_a <= 2 && pair->closest_b >= 1 && pair->closest_b <= 3);
        if (i > 0) {
            const dent_proximity *last = &kept->pairs[i - 1];
            const uint32_t a[5] = {last->kind, last->body_a, last->feature_a, last->body_b, last->feature_b};
            const uint32_t b[5] = {pair->kind, pair->body_a, pair->feature_a, pair->body_b, pair->feature_b};
            int k = 0;
            while (k < 4 && a[k] == b[k]) {
                k++;
            }
            assert_true(a[k] < b[k]); /* canonical, none twice */
        }
    }
}

static void surface_tree_and_oracle_agree_on_random_scenes(void **state)
{
    (void)state;
    static const uint32_t threads[] = {1, 2, 3, 8};
    static const dent_isa isas[] = {DENT_ISA_SCALAR, DENT_ISA_AVX2, DENT_ISA_AVX512};
    dent_context *contexts[12];
    int context_count = 0;
    for (int i = 0; i < 12; i++) {
        if (dent_isa_available(isas[i % 3])) {
            contexts[context_count++] = make_context(threads[i / 3], isas[i % 3]);
        }
    }
    uint64_t scenes = 0, with_answers = 0, pairs = 0;
    for (int kind = 0; kind < SCENE_KINDS; kind++) {
        /* Scenes of solids are larger, hence fewer; 10,000 in all, in the long tier five times as many. */
        bool solids = kind >= SURFACE_KIND_COUNT && kind < SURFACE_KIND_COUNT + SCENE_KIND_COUNT;
        uint32_t per_kind = rounds(solids ? 75 : 270);
        uint64_t of_kind = 0;
        for (uint64_t seed = 0; seed < per_kind; seed++) {
            struct test_scene scene;
            dent_random random = dent_random_seeded(seed * 977 + (uint64_t)kind);
            make_scene(&scene, kind, seed);
            double thickness = choose_thickness(&scene, &random);
            dent_world *world = dent_world_create(contexts[(seed + (uint64_t)kind) % (uint64_t)context_count]);
            assert_int_equal(test_scene_add(&scene, world), DENT_OK);
            double most = thickness;
            if (seed % 4 == 0 && scene.body_count > 1) { /* one of them is thicker */
                most = thickness * 2;
                assert_int_equal(dent_body_set_thickness(world, dent_world_body_at(world, 1), most), DENT_OK);
            }
            dent_proximity_result result = ask(world, thickness, DENT_METHOD_BRUTE_FORCE);
            struct kept expected = keep(&result);
            check_records(&expected, most + most);
            result = ask(world, thickness, DENT_METHOD_SURFACE_TREE);
            if (!equal(&expected, &result)) {
                fail_msg("%s, seed %d: %d pairs by the tree, %d by the oracle", kind_name(kind), (int)seed, (int)result.count,
                         (int)expected.count);
            }
            scenes++;
            of_kind += expected.count > 0;
            pairs += expected.count;
            free(expected.pairs);
            dent_world_destroy(world);
            test_scene_free(&scene);
        }
        with_answers += of_kind;
        print_message("%s: %d of %d with answers\n", kind_name(kind), (int)of_kind, (int)per_kind);
    }
    print_message("%d scenes, %d with answers, %.0f pairs\n", (int)scenes, (int)with_answers, (double)pairs);
    assert_true(with_answers * 2 > scenes);
    for (int i = 0; i < context_count; i++) {
        dent_context_destroy(contexts[i]);
    }
}

static void threads_and_instruction_sets_change_no_bit(void **state)
{
    (void)state;
    static const uint32_t threads[] = {1, 2, 3, 8};
    struct test_body body = random_surface_make(SURFACE_CRUMPLED, 3, 3000);
    struct kept expected = {NULL, 0};
    uint64_t candidates = 0, box_tests = 0;
    for (int i = 0; i < 12; i++) {
        dent_isa isa = (dent_isa)(DENT_ISA_SCALAR + i % 3);
        if (!dent_isa_available(isa)) {
            continue;
        }
        dent_context *context = make_context(threads[i / 3], isa);
        dent_world *world = dent_world_create(context);
        dent_body_def def = test_body_def(&body);
        dent_body_id id;
        assert_int_equal(dent_world_add_body(world, &def, &id), DENT_OK);
        dent_proximity_result result = ask(world, 0.05, DENT_METHOD_AUTO);
        if (!expected.pairs) {
            expected = keep(&result);
            candidates = result.counters.candidates;
            box_tests = result.counters.box_tests;
            assert_true(expected.count > 100);
        }
        assert_true(equal(&expected, &result));
        assert_int_equal(result.counters.candidates, candidates);
        assert_int_equal(result.counters.box_tests, box_tests);
        dent_world_destroy(world);
        dent_context_destroy(context);
    }
    free(expected.pairs);
    random_surface_free(&body);
}

/* ---- memory ------------------------------------------------------------------------------------------------------------------ */

static void warm_queries_allocate_nothing(void **state)
{
    (void)state;
    dent_context *context = make_context(2, DENT_ISA_AUTO);
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

/* ---- what never changes the answer --------------------------------------------------------------------------------------------- */

/* Body b's place and vertices' places in the changed world. */
struct renaming {
    uint32_t body[TEST_BODIES_MAX];
    uint32_t *vertex[TEST_BODIES_MAX];
};

static int compare_text(const void *x, const void *y)
{
    return strcmp(*(char *const *)x, *(char *const *)y);
}

/* Every pair as text in old names: features as sorted lists of vertices, distance in full. Sorted. */
static char **describe(dent_world *world, const dent_proximity_result *result, const struct renaming *names, double scale)
{
    char **lines = test_allocate((size_t)result->count + 1, sizeof *lines);
    for (uint64_t i = 0; i < result->count; i++) {
        const dent_proximity *pair = &result->pairs[i];
        char side[2][128];
        for (int b = 0; b < 2; b++) {
            uint32_t rank = b ? pair->body_b : pair->body_a, feature = b ? pair->feature_b : pair->feature_a, count, v[3], n = 1;
            dent_body_id id = dent_world_body_at(world, rank);
            v[0] = feature;
            if (pair->kind == DENT_PROXIMITY_EDGE_EDGE) {
                const dent_edge *edge = &dent_body_edges(world, id, &count)[feature];
                v[0] = edge->v0;
                v[1] = edge->v1;
                n = 2;
            } else if (b) {
                memcpy(v, dent_body_surface_faces(world, id, &count)[feature].corners, sizeof v);
                n = 3;
            }
            for (uint32_t k = 0; k < n; k++) {
                v[k] = names ? names->vertex[rank][v[k]] : v[k];
            }
            for (uint32_t k = 0; k + 1 < n; k++) {
                for (uint32_t m = 0; m + 1 < n; m++) {
                    if (v[m + 1] < v[m]) {
                        uint32_t larger = v[m];
                        v[m] = v[m + 1];
                        v[m + 1] = larger;
                    }
                }
            }
            snprintf(side[b], sizeof side[b], "%u:%u,%u,%u", names ? names->body[rank] : rank, v[0], n > 1 ? v[1] : 0, n > 2 ? v[2] : 0);
        }
        bool turned = pair->kind == DENT_PROXIMITY_EDGE_EDGE && strcmp(side[1], side[0]) < 0;
        lines[i] = test_allocate(320, 1);
        snprintf(lines[i], 320, "%u %s %s %a", pair->kind, side[turned], side[!turned], pair->distance / scale);
    }
    qsort(lines, (size_t)result->count, sizeof *lines, compare_text);
    return lines;
}

static void free_lines(char **lines, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        free(lines[i]);
    }
    free(lines);
}

/* Bodies in reverse order, vertices and elements of surfaces shuffled. */
static void shuffle_scene(const struct test_scene *scene, dent_random *random, struct test_scene *changed, struct renaming *names)
{
    memset(changed, 0, sizeof *changed);
    for (uint32_t i = 0; i < scene->body_count; i++) {
        const struct test_body *from = &scene->bodies[scene->body_count - 1 - i];
        uint32_t per = from->kind == DENT_BODY_SOLID ? 4 : 3;
        struct test_body *to = test_scene_new_body(changed, from->kind, from->vertex_count, from->element_count, from->element_count * per);
        uint32_t *place = test_allocate(from->vertex_count, sizeof *place); /* new place of an old vertex */
        names->body[i] = scene->body_count - 1 - i;
        names->vertex[i] = test_allocate(from->vertex_count, sizeof **names->vertex);
        for (uint32_t v = 0; v < from->vertex_count; v++) {
            uint32_t swap = dent_random_below(random, v + 1);
            place[v] = v;
            uint32_t other = place[swap];
            place[swap] = v;
            place[v] = other;
        }
        for (uint32_t v = 0; v < from->vertex_count; v++) {
            names->vertex[i][place[v]] = v;
            memcpy(to->xyz[place[v]], from->xyz[v], sizeof from->xyz[v]);
        }
        for (uint32_t element = 0; element < from->element_count; element++) {
            const uint32_t *corners = from->corners + (size_t)(from->element_count - 1 - element) * per;
            for (uint32_t k = 0; k < per; k++) {
                uint32_t turned = per == 3 ? (k + element) % 3 : k; /* a face may begin anywhere */
                to->corners[element * per + k] = place[corners[turned]];
            }
        }
        free(place);
    }
}

static void order_of_bodies_vertices_and_elements_changes_nothing(void **state)
{
    (void)state;
    static const int kinds[] = {SCENE_SURFACES, SCENE_SURFACES_LATTICE, SCENE_MIXED, SCENE_SELF_FOLDED, SCENE_COINCIDENT, SCENE_SOUP};
    dent_context *context = make_context(2, DENT_ISA_AUTO);
    for (uint32_t round = 0; round < rounds(60); round++) {
        struct test_scene scene, changed;
        struct renaming names;
        dent_random random = dent_random_seeded(round);
        test_scene_make(&scene, kinds[round % 6], round);
        shuffle_scene(&scene, &random, &changed, &names);
        dent_world *world = dent_world_create(context), *other = dent_world_create(context);
        assert_int_equal(test_scene_add(&scene, world), DENT_OK);
        assert_int_equal(test_scene_add(&changed, other), DENT_OK);
        dent_proximity_result result = ask(world, 0.25, DENT_METHOD_AUTO), again = ask(other, 0.25, DENT_METHOD_AUTO);
        assert_int_equal(result.count, again.count);
        char **lines = describe(world, &result, NULL, 1), **other_lines = describe(other, &again, &names, 1);
        for (uint64_t i = 0; i < result.count; i++) {
            assert_string_equal(lines[i], other_lines[i]);
        }
        free_lines(lines, result.count);
        free_lines(other_lines, again.count);
        for (uint32_t i = 0; i < scene.body_count; i++) {
            free(names.vertex[i]);
        }
        dent_world_destroy(world);
        dent_world_destroy(other);
        test_scene_free(&scene);
        test_scene_free(&changed);
    }
    dent_context_destroy(context);
}

static void scaling_by_a_power_of_two_scales_distances_exactly(void **state)
{
    (void)state;
    static const int exponents[] = {-900, -300, -1, 1, 60, 900};
    dent_context *context = make_context(2, DENT_ISA_AUTO);
    for (uint32_t round = 0; round < rounds(60); round++) {
        struct test_scene scene;
        double factor = ldexp(1.0, exponents[round % 6]);
        test_scene_make(&scene, round % 2 ? SCENE_MIXED : SCENE_SURFACES, round);
        dent_world *world = dent_world_create(context);
        assert_int_equal(test_scene_add(&scene, world), DENT_OK);
        dent_proximity_result result = ask(world, 0.2, DENT_METHOD_AUTO);
        uint64_t count = result.count;
        assert_true(count > 0);
        char **lines = describe(world, &result, NULL, 1);
        test_scale_scene(&scene, factor);
        result = ask(world, 0.2 * factor, DENT_METHOD_AUTO);
        assert_int_equal(result.count, count);
        char **scaled = describe(world, &result, NULL, factor);
        for (uint64_t i = 0; i < count; i++) {
            assert_string_equal(lines[i], scaled[i]);
        }
        free_lines(lines, count);
        free_lines(scaled, count);
        dent_world_destroy(world);
        test_scene_free(&scene);
    }
    dent_context_destroy(context);
}

/* Turned by exchanging axes the sums are made in another order: the same pairs but for those within rounding of the threshold. */
static void exchanging_axes_changes_distances_by_rounding_only(void **state)
{
    (void)state;
    dent_context *context = make_context(2, DENT_ISA_AUTO);
    uint64_t compared = 0;
    for (uint32_t round = 0; round < rounds(40); round++) {
        struct test_scene scene;
        test_scene_make(&scene, round % 2 ? SCENE_MIXED : SCENE_SURFACES, round);
        dent_world *world = dent_world_create(context);
        assert_int_equal(test_scene_add(&scene, world), DENT_OK);
        dent_proximity_result result = ask(world, 0.2, DENT_METHOD_AUTO);
        struct kept before = keep(&result);
        for (uint32_t i = 0; i < scene.body_count; i++) {
            for (uint32_t v = 0; v < scene.bodies[i].vertex_count; v++) {
                double *p = scene.bodies[i].xyz[v], x = p[0];
                p[0] = p[1];
                p[1] = p[2];
                p[2] = -x;
            }
        }
        result = ask(world, 0.2, DENT_METHOD_AUTO);
        uint64_t a = 0, b = 0;
        while (a < before.count && b < result.count) {
            const dent_proximity *x = &before.pairs[a], *y = &result.pairs[b];
            int order = memcmp((const uint32_t[5]){x->kind, x->body_a, x->feature_a, x->body_b, x->feature_b},
                               (const uint32_t[5]){y->kind, y->body_a, y->feature_a, y->body_b, y->feature_b}, 20);
            if (order == 0) {
                assert_true(fabs(x->distance - y->distance) < 1e-13);
                a++;
                b++;
                compared++;
            } else {
                const dent_proximity *alone = x->distance > y->distance ? x : y;
                assert_true(fabs(alone->distance - 0.4) < 1e-13);
                a += alone == x;
                b += alone == y;
            }
        }
        free(before.pairs);
        dent_world_destroy(world);
        test_scene_free(&scene);
    }
    assert_true(compared > 1000);
    dent_context_destroy(context);
}

static void filters_and_ties_are_respected(void **state)
{
    (void)state;
    dent_context *context = make_context(1, DENT_ISA_AUTO);
    for (int kind = 0; kind < 2; kind++) {
        struct test_scene scene;
        dent_world *world = dent_world_create(context);
        test_scene_make(&scene, kind ? SCENE_TIED : SCENE_SURFACES, 2);
        assert_int_equal(test_scene_add(&scene, world), DENT_OK);
        for (uint32_t rank = 0; rank < scene.body_count; rank++) {
            assert_int_equal(dent_body_set_filter(world, dent_world_body_at(world, rank), 1u << rank, rank == 0 ? 2u : UINT32_MAX, false),
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
    dent_context *context = make_context(1, DENT_ISA_AUTO);
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
        /* Three pairs of faces, each with six vertex-face and nine edge-edge pairs; tied, two and four of these are left out. */
        assert_int_equal(expected.count, 3 * (6 + 9) - (tied ? 3 * (2 + 4) : 0));
        result = ask(world, 100, DENT_METHOD_AUTO);
        assert_true(equal(&expected, &result));
        free(expected.pairs);
        dent_world_destroy(world);
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
        cmocka_unit_test(closest_features_come_once),
        cmocka_unit_test(a_thickness_beyond_the_world_gives_all_pairs),
        cmocka_unit_test(a_cancelled_query_reports_nothing),
        cmocka_unit_test(surface_tree_and_oracle_agree_on_random_scenes),
        cmocka_unit_test(threads_and_instruction_sets_change_no_bit),
        cmocka_unit_test(warm_queries_allocate_nothing),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(order_of_bodies_vertices_and_elements_changes_nothing),
        cmocka_unit_test(scaling_by_a_power_of_two_scales_distances_exactly),
        cmocka_unit_test(exchanging_axes_changes_distances_by_rounding_only),
        cmocka_unit_test(filters_and_ties_are_respected),
        cmocka_unit_test(vertices_of_a_body_may_be_tied_through_another),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
