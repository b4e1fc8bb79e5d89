/* The query pipeline through the public interface: what the questions mean on cases one can draw, what is refused and
 * with which words, and what never changes the answer.
 */
#include "support/cmocka_includes.h"

#include "support/pair_lists.h"
#include "support/random_scene.h"
#include "support/test_context.h"

#include <fenv.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

static dent_query_def ask(uint32_t questions)
{
    dent_query_def def = dent_query_def_default();
    def.questions = questions;
    return def;
}

static const double unit_tetrahedron[4][3] = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {0, 0, 4}};

static void a_vertex_in_the_open_cell_is_reported_with_its_weights(void **state)
{
    (void)state;
    static const double poking[4][3] = {{1, 1, 1}, {9, 1, 1}, {1, 9, 1}, {1, 1, 9}};
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    dent_world *world = dent_world_create(context);
    dent_query_def def = ask(DENT_QUESTION_VERTEX_CELL);
    dent_query_result result;
    test_add_tetrahedron(world, unit_tetrahedron);
    test_add_tetrahedron(world, poking);
    assert_int_equal(dent_world_query(world, &def, &result), DENT_OK);
    assert_int_equal(result.vertex_cell.count, 1);
    const dent_pair *pair = &result.vertex_cell.pairs[0];
    assert_int_equal(pair->body_a, 1);
    assert_int_equal(pair->feature_a, 0);
    assert_int_equal(pair->body_b, 0);
    assert_int_equal(pair->feature_b, 0);
    assert_int_equal(pair->kind, DENT_PAIR_INTERIOR);
    for (int i = 0; i < 4; i++) {
        assert_true(result.vertex_cell.cell_points[0].weights[i] == 0.25);
        assert_int_equal(result.vertex_cell.cell_points[0].corners[i], i);
    }
    assert_int_equal(result.face_cell.count + result.face_face.count, 0);
    dent_world_destroy(world);
    dent_context_destroy(context);
}

static void a_vertex_on_a_face_touches_only(void **state)
{
    (void)state;
    static const double resting[4][3] = {{1, 1, 0}, {9, 1, -5}, {1, 9, -5}, {1, 1, -9}};
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    dent_world *world = dent_world_create(context);
    dent_query_def def = ask(DENT_DISCRETE_QUESTIONS);
    dent_query_result result;
    test_add_tetrahedron(world, unit_tetrahedron);
    test_add_tetrahedron(world, resting);
    assert_int_equal(dent_world_query(world, &def, &result), DENT_OK);
    assert_int_equal(all_pairs(&result), 0);
    def.touching = true;
    assert_int_equal(dent_world_query(world, &def, &result), DENT_OK);
    assert_int_equal(result.vertex_cell.count, 1);
    assert_int_equal(result.vertex_cell.pairs[0].kind, DENT_PAIR_TOUCHING);
    assert_int_equal(result.face_cell.count, 4); /* the three faces at the vertex, and the bottom face of the other */
    assert_int_equal(result.face_face.count, 3);
    dent_world_destroy(world);
    dent_context_destroy(context);
}

static void tied_vertices_make_no_pair(void **state)
{
    (void)state;
    static const uint32_t corners[4] = {0, 1, 2, 3};
    static const double poking[4][3] = {{1, 1, 1}, {9, 1, 1}, {1, 9, 1}, {1, 1, 9}};
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    dent_world *world = dent_world_create(context);
    dent_query_def def = ask(DENT_DISCRETE_QUESTIONS);
    dent_query_result result;
    dent_same_as tie = {.vertex = 0, .other = test_add_tetrahedron(world, unit_tetrahedron), .other_vertex = 0};
    dent_body_def body = dent_solid_def_default();
    dent_body_id id;
    body.vertex_count = 4;
    body.element_count = 1;
    body.element_corners = corners;
    body.positions_t0 = dent_positions_double(poking[0]);
    body.same_as = &tie;
    body.same_as_count = 1;
    assert_int_equal(dent_world_add_body(world, &body, &id), DENT_OK);
    assert_int_equal(dent_world_query(world, &def, &result), DENT_OK);
    assert_int_equal(result.vertex_cell.count, 0);
    /* What remains has the tied corner on at most one side: the far face of body 0, which body 1 passes through. */
    assert_int_equal(result.face_cell.count, 1);
    assert_int_equal(result.face_face.count, 3);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(result.face_face.pairs[i].feature_a, 0);
    }
    dent_world_destroy(world);
    dent_context_destroy(context);
}

static void filters_leave_out_bodies_and_self_collision(void **state)
{
    (void)state;
    struct test_scene scene;
    dent_context *context = test_context(2, DENT_ISA_AUTO);
    dent_world *world = dent_world_create(context);
    dent_query_def def = ask(DENT_DISCRETE_QUESTIONS);
    dent_query_result result;
    test_scene_make(&scene, SCENE_SELF_FOLDED, 5);
    assert_int_equal(test_scene_add(&scene, world), DENT_OK);
    assert_int_equal(dent_world_query(world, &def, &result), DENT_OK);
    assert_true(result.vertex_cell.count > 0 && result.face_cell.count > 0 && result.face_face.count > 0);
    assert_int_equal(dent_body_set_filter(world, dent_world_body_at(world, 0), 1, 1, false), DENT_OK);
    assert_int_equal(dent_world_query(world, &def, &result), DENT_OK);
    assert_int_equal(all_pairs(&result), 0);
    test_scene_free(&scene);
    dent_world_destroy(world);

    world = dent_world_create(context);
    test_scene_make(&scene, SCENE_DEEP, 5);
    assert_int_equal(test_scene_add(&scene, world), DENT_OK);
    assert_int_equal(dent_world_query(world, &def, &result), DENT_OK);
    uint64_t before = result.face_face.count;
    assert_true(before > 0);
    for (uint32_t body_index = 0; body_index < dent_world_body_count(world); body_index++) {
        dent_body_set_filter(world, dent_world_body_at(world, body_index), 1, 2, true);
    }
    assert_int_equal(dent_world_query(world, &def, &result), DENT_OK);
    assert_int_equal(all_pairs(&result), 0);
    test_scene_free(&scene);
    dent_world_destroy(world);
    dent_context_destroy(context);
}

static void surface_vertices_only_leaves_out_interior_vertices(void **state)
{
    (void)state;
    struct test_scene scene = {0};
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    dent_world *world = dent_world_create(context);
    dent_query_def def = ask(DENT_QUESTION_VERTEX_CELL);
    dent_query_result result;
    struct test_body *inner = test_add_block(&scene, 2, 2, 2); /* one interior vertex */
    test_map(inner, 0.5, 0.5, 0.5, 0.75, 0.8125, 0.875);
    struct test_body *outer = test_add_block(&scene, 1, 1, 1);
    test_map(outer, 16, 16, 16, -7, -7, -7);
    assert_int_equal(test_scene_add(&scene, world), DENT_OK);
    assert_int_equal(dent_world_query(world, &def, &result), DENT_OK);
    uint64_t all = result.vertex_cell.count;
    def.surface_vertices_only = true;
    assert_int_equal(dent_world_query(world, &def, &result), DENT_OK);
    assert_int_equal(all, 27);
    assert_int_equal(result.vertex_cell.count, 26);
    test_scene_free(&scene);
    dent_world_destroy(world);
    dent_context_destroy(context);
}

static void no_details_leaves_the_pairs_and_drops_the_numbers(void **state)
{
    (void)state;
    struct test_scene scene;
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    dent_world *world = dent_world_create(context);
    dent_query_def def = ask(DENT_DISCRETE_QUESTIONS);
    dent_query_result with, without;
    test_scene_make(&scene, SCENE_SELF_FOLDED, 5);
    assert_int_equal(test_scene_add(&scene, world), DENT_OK);
    assert_int_equal(dent_world_query(world, &def, &with), DENT_OK);
    assert_non_null(with.vertex_cell.cell_points);
    assert_non_null(with.face_face.segments);
    def.no_details = true;
    assert_int_equal(dent_world_query(world, &def, &without), DENT_OK);
    assert_null(without.vertex_cell.cell_points);
    assert_null(without.face_face.segments);
    assert_int_equal(with.face_face.count, without.face_face.count);
    test_scene_free(&scene);
    dent_world_destroy(world);
    dent_context_destroy(context);
}

static void bad_defs_are_refused_in_words_and_leave_the_result_alone(void **state)
{
    (void)state;
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    dent_world *world = dent_world_create(context);
    dent_query_result result;
    dent_query_result untouched;
    memset(&result, 0x5A, sizeof result);
    memcpy(&untouched, &result, sizeof result);
    dent_query_def def = ask(0);
    assert_int_equal(dent_world_query(world, &def, &result), DENT_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(dent_world_message(world), "questions"));
    def = ask(8);
    assert_int_equal(dent_world_query(world, &def, &result), DENT_ERROR_INVALID_ARGUMENT);
    def = ask(1);
    def.struct_size = 3;
    assert_int_equal(dent_world_query(world, &def, &result), DENT_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(dent_world_message(world), "dent_query_def_default"));
    assert_int_equal(dent_world_query(world, NULL, &result), DENT_ERROR_INVALID_ARGUMENT);
    def = ask(1);
    def.method = (dent_method)99;
    assert_int_equal(dent_world_query(world, &def, &result), DENT_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(dent_world_message(world), "99"));
    assert_memory_equal(&result, &untouched, sizeof result);
    dent_world_destroy(world);
    dent_context_destroy(context);
}

static void numbers_that_are_not_finite_are_named(void **state)
{
    (void)state;
    double bad[4][3] = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {0, 0, 4}};
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    dent_world *world = dent_world_create(context);
    dent_query_def def = ask(DENT_DISCRETE_QUESTIONS);
    dent_query_result result;
    test_add_tetrahedron(world, unit_tetrahedron);
    dent_body_id id = test_add_tetrahedron(world, (const double(*)[3])bad);
    bad[2][1] = NAN;
    assert_int_equal(dent_world_query(world, &def, &result), DENT_ERROR_BAD_NUMBER);
    assert_non_null(strstr(dent_world_message(world), "vertex 2"));
    bad[2][1] = -INFINITY;
    assert_int_equal(dent_world_query(world, &def, &result), DENT_ERROR_BAD_NUMBER);
    bad[2][1] = 4;
    assert_int_equal(dent_world_query(world, &def, &result), DENT_OK); /* nothing was spoilt */
    assert_int_equal(dent_body_set_positions(world, id, NULL, NULL), DENT_OK);
    assert_int_equal(dent_world_query(world, &def, &result), DENT_ERROR_INVALID_ARGUMENT);
    dent_world_destroy(world);
    dent_context_destroy(context);
}

static void an_empty_world_answers_nothing(void **state)
{
    (void)state;
    dent_context *context = test_context(2, DENT_ISA_AUTO);
    dent_world *world = dent_world_create(context);
    for (int method = 0; method < DENT_METHOD_COUNT; method++) {
        if (dent_method_questions((dent_method)method) == 0) {
            continue;
        }
        dent_query_def def = ask(dent_method_questions((dent_method)method));
        dent_query_result result;
        def.method = (dent_method)method;
        assert_int_equal(dent_world_query(world, &def, &result), DENT_OK);
        assert_int_equal(result.outcome, DENT_OUTCOME_COMPLETE);
        assert_int_equal(all_pairs(&result), 0);
    }
    dent_world_destroy(world);
    dent_context_destroy(context);
}

static void a_set_cancel_flag_stops_the_query(void **state)
{
    (void)state;
    struct test_scene scene;
    int stop = 1;
    dent_context *context = test_context(2, DENT_ISA_AUTO);
    dent_world *world = dent_world_create(context);
    dent_query_def def = ask(DENT_DISCRETE_QUESTIONS);
    dent_query_result result;
    test_scene_make(&scene, SCENE_SELF_FOLDED, 5);
    assert_int_equal(test_scene_add(&scene, world), DENT_OK);
    def.cancel = &stop;
    for (int method = 0; method < DENT_METHOD_COUNT; method++) {
        if (dent_method_questions((dent_method)method) == 0) {
            continue;
        }
        def.method = (dent_method)method;
        def.questions = dent_method_questions(def.method);
        assert_int_equal(dent_world_query(world, &def, &result), DENT_OK);
        assert_int_equal(result.outcome, DENT_OUTCOME_CANCELLED);
        assert_int_equal(all_pairs(&result), 0);
    }
    stop = 0;
    def.questions = DENT_DISCRETE_QUESTIONS;
    def.method = DENT_METHOD_AUTO;
    assert_int_equal(dent_world_query(world, &def, &result), DENT_OK);
    assert_int_equal(result.outcome, DENT_OUTCOME_COMPLETE);
    assert_true(result.face_face.count > 0);
    test_scene_free(&scene);
    dent_world_destroy(world);
    dent_context_destroy(context);
}

static void features_are_printed_as_the_tool_prints_them(void **state)
{
    (void)state;
    static const double poking[4][3] = {{1, 1, 1}, {9, 1, 1}, {1, 9, 1}, {1, 1, 9}};
    char text[32];
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    dent_world *world = dent_world_create(context);
    test_add_tetrahedron(world, unit_tetrahedron);
    test_add_tetrahedron(world, poking);
    dent_pair pair = {.body_a = 1, .feature_a = 2, .body_b = 0, .feature_b = 0};
    assert_int_equal(dent_feature_print(world, DENT_QUESTION_VERTEX_CELL, &pair, false, text, sizeof text), 1);
    assert_string_equal(text, "2");
    dent_feature_print(world, DENT_QUESTION_FACE_CELL, &pair, false, text, sizeof text);
    assert_string_equal(text, "0/2");
    dent_feature_print(world, DENT_QUESTION_FACE_CELL, &pair, true, text, sizeof text);
    assert_string_equal(text, "0");
    assert_int_equal(dent_feature_print(world, DENT_QUESTION_FACE_FACE, &pair, true, text, 2), 3);
    assert_string_equal(text, "0");
    dent_world_destroy(world);
    dent_context_destroy(context);
}

static void warm_queries_allocate_nothing(void **state)
{
    (void)state;
    struct test_scene scene;
    dent_context *context = test_context(2, DENT_ISA_AUTO);
    for (int method = 0; method < DENT_METHOD_COUNT; method++) {
        if (dent_method_questions((dent_method)method) == 0) {
            continue;
        }
        dent_world *world = dent_world_create(context);
        dent_query_def def = ask(dent_method_questions((dent_method)method));
        dent_query_result result;
        test_scene_make(&scene, SCENE_SELF_FOLDED, 3);
        assert_int_equal(test_scene_add(&scene, world), DENT_OK);
        def.method = (dent_method)method;
        def.touching = true;
        assert_int_equal(dent_world_query(world, &def, &result), DENT_OK);
        uint64_t before = dent_context_memory_use(context).allocations;
        for (int step = 0; step < 5; step++) {
            assert_int_equal(dent_world_query(world, &def, &result), DENT_OK);
        }
        assert_int_equal(dent_context_memory_use(context).allocations, before);
        test_scene_free(&scene);
        dent_world_destroy(world);
    }
    dent_context_destroy(context);
}

static uint64_t answer_hash(dent_world *world, dent_method method)
{
    dent_query_def def = ask(dent_method_questions(method));
    dent_query_result result;
    def.method = method;
    def.touching = true;
    assert_int_equal(dent_world_query(world, &def, &result), DENT_OK);
    uint64_t hash = all_pairs_hash(world, &result);
    for (uint64_t i = 0; i < result.face_face.count; i++) {
        uint64_t bits;
        memcpy(&bits, &result.face_face.segments[i].point0[i % 3], sizeof bits);
        hash = hash * 31 + bits;
    }
    return hash;
}

/* Sets a state, asks, checks that the state is still there afterwards. */
static void the_callers_floating_point_state_changes_nothing(void **state)
{
    (void)state;
    static const int roundings[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    static const int kinds[] = {SCENE_DEEP, SCENE_TINY_NUMBERS, SCENE_COINCIDENT, SCENE_WIDE_EXPONENTS};
    dent_context *context = test_context(2, DENT_ISA_AUTO);
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        struct test_scene scene;
        dent_world *world = dent_world_create(context);
        test_scene_make(&scene, kinds[k], 4);
        if (kinds[k] == SCENE_TINY_NUMBERS) {
            test_scale_scene(&scene, 1e-158); /* subnormal positions */
        }
        assert_int_equal(test_scene_add(&scene, world), DENT_OK);
        for (int method = 1; method < DENT_METHOD_COUNT; method++) {
            if (dent_method_questions((dent_method)method) == 0) {
                continue;
            }
            uint64_t expected = answer_hash(world, (dent_method)method);
            for (size_t r = 0; r < sizeof roundings / sizeof roundings[0]; r++) {
                fesetround(roundings[r]);
#if defined(__x86_64__)
                unsigned control = _mm_getcsr();
                _mm_setcsr(control | 0x8040); /* flush to zero, denormals are zero */
#endif
                uint64_t got = answer_hash(world, (dent_method)method);
                int rounding = fegetround();
#if defined(__x86_64__)
                bool flushed = (_mm_getcsr() & 0x8040) == 0x8040;
                _mm_setcsr(control);
                assert_true(flushed);
#endif
                fesetround(FE_TONEAREST);
                assert_int_equal(rounding, roundings[r]);
                assert_true(got == expected);
            }
        }
        test_scene_free(&scene);
        dent_world_destroy(world);
    }
    dent_context_destroy(context);
}

static void float_positions_answer_like_their_double_copy(void **state)
{
    (void)state;
    struct test_scene scene;
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    dent_world *doubles = dent_world_create(context), *floats = dent_world_create(context);
    float *copies[TEST_BODIES_MAX];
    test_scene_make(&scene, SCENE_SELF_FOLDED, 6);
    for (uint32_t i = 0; i < scene.body_count; i++) {
        struct test_body *body = &scene.bodies[i];
        copies[i] = test_allocate((size_t)body->vertex_count * 4, sizeof(float)); /* stride of 16 bytes */
        for (uint32_t v = 0; v < body->vertex_count; v++) {
            for (int axis = 0; axis < 3; axis++) {
                copies[i][4 * v + (uint32_t)axis] = (float)body->xyz[v][axis];
                body->xyz[v][axis] = (double)copies[i][4 * v + (uint32_t)axis];
            }
        }
        dent_body_def def = test_body_def(body);
        dent_body_id id;
        def.positions_t0 = (dent_positions){copies[i], 16, DENT_SCALAR_FLOAT};
        assert_int_equal(dent_world_add_body(floats, &def, &id), DENT_OK);
    }
    assert_int_equal(test_scene_add(&scene, doubles), DENT_OK);
    assert_true(answer_hash(doubles, DENT_METHOD_AUTO) == answer_hash(floats, DENT_METHOD_AUTO));
    for (uint32_t i = 0; i < scene.body_count; i++) {
        free(copies[i]);
    }
    test_scene_free(&scene);
    dent_world_destroy(doubles);
    dent_world_destroy(floats);
    dent_context_destroy(context);
}

/* ---- one forest for all questions -------------------------------------------------------------------------------- */

struct surface_answers {
    uint64_t crossings, near, impacts, rebuilds;
};

/* Face-face, proximity and impact in an order that the number gives; hashes of the lists, and leaves cut anew. */
static struct surface_answers ask_about_surfaces(dent_world *world, double thickness, unsigned order)
{
    struct surface_answers answers = {0};
    for (unsigned i = 0; i < 3; i++) {
        unsigned what = (i + order) % 3;
        if (what == 0) {
            dent_query_def def = dent_query_def_default();
            dent_query_result result;
            def.questions = DENT_QUESTION_FACE_FACE;
            def.method = DENT_METHOD_SURFACE_TREE;
            assert_int_equal(dent_world_query(world, &def, &result), DENT_OK);
            answers.crossings = dent_pair_list_hash(world, DENT_QUESTION_FACE_FACE, &result.face_face);
            answers.rebuilds += result.counters.rebuilds;
        } else if (what == 1) {
            dent_proximity_def def = dent_proximity_def_default();
            dent_proximity_result result;
            def.thickness = thickness;
            assert_int_equal(dent_world_proximity(world, &def, &result), DENT_OK);
            answers.near = dent_proximity_hash(world, result.pairs, result.count);
            answers.rebuilds += result.counters.rebuilds;
        } else {
            dent_impact_def def = dent_impact_def_default();
            dent_impact_result result;
            assert_int_equal(dent_world_impacts(world, &def, &result), DENT_OK);
            answers.impacts = result.count;
            answers.rebuilds += result.counters.rebuilds;
        }
    }
    return answers;
}

/* The questions share leaves and overwrite each other's boxes: leaves are cut once, and no order of questions, nor
 * positions overwritten in place between them, changes an answer. */
static void questions_about_surfaces_share_their_leaves_and_no_answer_depends_on_it(void **state)
{
    (void)state;
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    for (int kind = 0; kind < SCENE_KIND_COUNT; kind++) {
        struct test_scene scene;
        test_scene_make(&scene, (enum test_scene_kind)kind, 3);
        dent_world *shared = dent_world_create(context);
        assert_int_equal(test_scene_add(&scene, shared), DENT_OK);
        double thickness = 1e-3 * fabs(scene.bodies[0].xyz[0][0]);
        for (unsigned step = 0; step < 3; step++) {
            dent_world *fresh[3];
            /* A step begins with the question the last one ended with: boxes of the same kind, other positions. */
            static const unsigned orders[3] = {1, 0, 2};
            struct surface_answers got = ask_about_surfaces(shared, thickness, orders[step]), alone;
            if (step == 0) {
                assert_true(got.rebuilds <= scene.body_count);
            }
            for (unsigned first = 0; first < 3; first++) {
                fresh[first] = dent_world_create(context);
                assert_int_equal(test_scene_add(&scene, fresh[first]), DENT_OK);
                alone = ask_about_surfaces(fresh[first], thickness, first);
                assert_true(alone.crossings == got.crossings && alone.near == got.near && alone.impacts == got.impacts);
                dent_world_destroy(fresh[first]);
            }
            for (uint32_t v = 0; v < scene.bodies[0].vertex_count; v++) { /* in place, without a word to the world */
                scene.bodies[0].xyz[v][step] = -scene.bodies[0].xyz[v][step];
            }
        }
        dent_world_destroy(shared);
        test_scene_free(&scene);
    }
    dent_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_vertex_in_the_open_cell_is_reported_with_its_weights),
        cmocka_unit_test(a_vertex_on_a_face_touches_only),
        cmocka_unit_test(tied_vertices_make_no_pair),
        cmocka_unit_test(filters_leave_out_bodies_and_self_collision),
        cmocka_unit_test(surface_vertices_only_leaves_out_interior_vertices),
        cmocka_unit_test(no_details_leaves_the_pairs_and_drops_the_numbers),
        cmocka_unit_test(bad_defs_are_refused_in_words_and_leave_the_result_alone),
        cmocka_unit_test(numbers_that_are_not_finite_are_named),
        cmocka_unit_test(an_empty_world_answers_nothing),
        cmocka_unit_test(a_set_cancel_flag_stops_the_query),
        cmocka_unit_test(features_are_printed_as_the_tool_prints_them),
        cmocka_unit_test(warm_queries_allocate_nothing),
        cmocka_unit_test(the_callers_floating_point_state_changes_nothing),
        cmocka_unit_test(float_positions_answer_like_their_double_copy),
        cmocka_unit_test(questions_about_surfaces_share_their_leaves_and_no_answer_depends_on_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
