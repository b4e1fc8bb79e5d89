/* The bucket tree: its parameters change the work and never the answer, self-intersection is complete, traps stay
 * cheap. */
#include "support/cmocka_includes.h"

#include <dent/experimental.h>

#include "support/random_scene.h"
#include "support/test_context.h"

static dent_query_def everything(dent_method method)
{
    dent_query_def def = dent_query_def_default();
    def.questions = DENT_QUESTION_VERTEX_CELL | DENT_QUESTION_FACE_CELL | DENT_QUESTION_FACE_FACE;
    def.method = method;
    return def;
}

static void assert_same_list(const dent_pair_list *expected, const dent_pair_list *got)
{
    assert_int_equal(expected->count, got->count);
    if (expected->count) {
        assert_memory_equal(expected->pairs, got->pairs, expected->count * sizeof *got->pairs);
    }
}

static void assert_same_answer(const dent_query_result *expected, const dent_query_result *got)
{
    assert_same_list(&expected->vertex_cell, &got->vertex_cell);
    assert_same_list(&expected->face_cell, &got->face_cell);
    assert_same_list(&expected->face_face, &got->face_face);
}

/* Sets the parameters of both structs, which begin as their defaults. */
static void set_variant(int variant, dent_bucket_tree_def *def, dent_experiments *experiments)
{
    static const double ratios[] = {0, 1e-300, 0.25, 0.5, 1, 4, 1e300};
    static const uint32_t levels[] = {0, 1, 2, 5, 10, 21};
    experiments->bucket_tree.sorted_coordinates = variant % 2;
    variant /= 2;
    if (variant < 7) {
        def->cell_ratio = ratios[variant];
    } else if (variant < 13) {
        def->level = levels[variant - 7];
    } else {
        experiments->bucket_tree.paper_sizing = true;
        experiments->bucket_tree.bucket_fill = variant == 13 ? 2 : variant == 14 ? 1e-200 : 1e200;
    }
}

enum { VARIANTS = 32 };

static void answers_do_not_depend_on_cell_ratio_level_sizing_or_sorting(void **state)
{
    (void)state;
    dent_context *contexts[2] = {test_context(1, DENT_ISA_AUTO), test_context(3, DENT_ISA_AUTO)};
    uint64_t answers = 0;
    for (int kind = 0; kind < SCENE_KIND_COUNT; kind++) {
        for (uint64_t seed = 0; seed < 4; seed++) {
            struct test_scene scene;
            test_scene_make(&scene, kind, 1000 + seed);
            dent_world *reference = dent_world_create(contexts[0]), *world = dent_world_create(contexts[seed % 2]);
            assert_int_equal(test_scene_add(&scene, reference), DENT_OK);
            assert_int_equal(test_scene_add(&scene, world), DENT_OK);
            dent_query_def oracle = everything(DENT_METHOD_BRUTE_FORCE), def = everything(DENT_METHOD_BUCKET_TREE);
            dent_query_result expected, got;
            oracle.touching = def.touching = seed / 2 % 2;
            oracle.surface_vertices_only = def.surface_vertices_only = seed % 2;
            assert_int_equal(dent_world_query(reference, &oracle, &expected), DENT_OK);
            answers += expected.vertex_cell.count + expected.face_cell.count + expected.face_face.count;
            /* Quick: other variants in every scene instead of all in each. */
            bool quick = getenv("DENT_QUICK_TESTS") != NULL;
            for (int variant = quick ? (kind + (int)seed) % 4 : 0; variant < VARIANTS; variant += quick ? 4 : 1) {
                dent_bucket_tree_def tree = dent_bucket_tree_def_default();
                dent_experiments experiments = dent_experiments_default();
                set_variant(variant, &tree, &experiments);
                def.bucket_tree = &tree;
                def.experiments = &experiments;
                assert_int_equal(dent_world_query(world, &def, &got), DENT_OK);
                assert_same_answer(&expected, &got);
            }
            dent_world_destroy(reference);
            dent_world_destroy(world);
            test_scene_free(&scene);
        }
    }
    assert_true(answers > 1000);
    dent_context_destroy(contexts[0]);
    dent_context_destroy(contexts[1]);
}

/* ---- the article's V --------------------------------------------------------------------------------------------- */

/* A strip of 2 m x ny x nz cubes bent in the middle into two legs, thickness inwards. */
static void make_v(struct test_scene *scene, uint32_t m, uint32_t ny, uint32_t nz, double half_angle)
{
    struct test_body *body = test_add_block(scene, 2 * m, ny, nz);
    dent_random random = dent_random_seeded(17);
    double s = sin(half_angle), c = cos(half_angle);
    for (uint32_t i = 0; i < body->vertex_count; i++) {
        double *p = body->xyz[i], along = fabs(p[0] - m), side = p[0] < m ? -1 : p[0] > m ? 1 : 0, thick = p[1];
        p[0] = side * (along * s - thick * c);
        p[1] = side != 0 ? along * c + thick * s : thick * 0.1;
    }
    test_jitter(body, &random, 0.01);
}

/* What the printed self-test reports: a face against cells that came before its own. */
static uint64_t one_way_pairs(const dent_world *world, dent_body_id id, const dent_pair_list *list)
{
    uint32_t count;
    const dent_surface_face *faces = dent_body_surface_faces(world, id, &count);
    uint64_t found = 0;
    for (uint64_t i = 0; i < list->count; i++) {
        found += faces[list->pairs[i].feature_a].cell > list->pairs[i].feature_b;
    }
    return found;
}

static void self_intersection_of_a_v_is_complete_where_the_printed_rule_loses_half(void **state)
{
    (void)state;
    dent_context *context = test_context(2, DENT_ISA_AUTO);
    struct test_scene scene = {0};
    make_v(&scene, 8, 2, 3, 0.2);
    assert_int_equal(scene.bodies[0].element_count, 480);
    dent_world *reference = dent_world_create(context), *world = dent_world_create(context);
    assert_int_equal(test_scene_add(&scene, reference), DENT_OK);
    assert_int_equal(test_scene_add(&scene, world), DENT_OK);
    dent_query_def oracle = everything(DENT_METHOD_BRUTE_FORCE), def = everything(DENT_METHOD_BUCKET_TREE);
    dent_query_result expected, got;
    assert_int_equal(dent_world_query(reference, &oracle, &expected), DENT_OK);
    assert_int_equal(dent_world_query(world, &def, &got), DENT_OK);
    assert_same_answer(&expected, &got);
    uint64_t kept = one_way_pairs(world, dent_world_body_at(world, 0), &got.face_cell);
    printf("V of 480 cells: %llu face-cell pairs; the printed one-way rule would keep %llu\n",
           (unsigned long long)got.face_cell.count, (unsigned long long)kept);
    assert_true(got.face_cell.count > 300);
    assert_true(kept > got.face_cell.count * 3 / 10 && kept < got.face_cell.count * 7 / 10);
    dent_world_destroy(reference);
    dent_world_destroy(world);
    test_scene_free(&scene);
    dent_context_destroy(context);
}

/* ---- moving ------------------------------------------------------------------------------------------------------ */

static void sorted_coordinates_answer_right_when_positions_creep_and_when_they_jump(void **state)
{
    (void)state;
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    struct test_scene scene = {0};
    dent_random random = dent_random_seeded(3);
    test_add_block(&scene, 6, 5, 4);
    test_map(test_add_block(&scene, 5, 5, 5), 1, 1, 1, 3.3, 1.7, 1.1);
    for (uint32_t i = 0; i < scene.body_count; i++) {
        test_jitter(&scene.bodies[i], &random, 0.1);
    }
    dent_world *reference = dent_world_create(context), *world = dent_world_create(context);
    assert_int_equal(test_scene_add(&scene, reference), DENT_OK);
    assert_int_equal(test_scene_add(&scene, world), DENT_OK);
    dent_query_def oracle = everything(DENT_METHOD_SWEEP), def = everything(DENT_METHOD_BUCKET_TREE);
    dent_experiments experiments = dent_experiments_default();
    experiments.bucket_tree.sorted_coordinates = true;
    def.experiments = &experiments;
    uint64_t rebuilds[8];
    for (int step = 0; step < 8; step++) {
        dent_query_result expected, got;
        bool jump = step == 4;
        for (uint32_t i = 0; i < scene.body_count; i++) {
            test_map(&scene.bodies[i], jump ? -1 : 1, 1, 1, 0.001 * step, 0, 0);
            test_jitter(&scene.bodies[i], &random, jump ? 0.3 : 0.001);
        }
        assert_int_equal(dent_world_query(reference, &oracle, &expected), DENT_OK);
        assert_int_equal(dent_world_query(world, &def, &got), DENT_OK);
        assert_true(got.face_cell.count > 0);
        assert_same_answer(&expected, &got);
        rebuilds[step] = got.counters.rebuilds;
    }
    assert_true(rebuilds[0] > 0 && rebuilds[4] == 2); /* both bodies sorted afresh */
    assert_true(rebuilds[2] == 0 && rebuilds[3] == 0 && rebuilds[6] == 0);
    dent_world_destroy(reference);
    dent_world_destroy(world);
    test_scene_free(&scene);
    dent_context_destroy(context);
}

/* ---- parameters -------------------------------------------------------------------------------------------------- */

static void bad_parameters_are_refused_by_name(void **state)
{
    (void)state;
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    struct test_scene scene = {0};
    test_add_block(&scene, 2, 2, 2);
    dent_world *world = dent_world_create(context);
    assert_int_equal(test_scene_add(&scene, world), DENT_OK);
    static const double ratios[] = {NAN, -1, INFINITY}, fills[] = {NAN, 0, -2, INFINITY};
    dent_query_def def = everything(DENT_METHOD_BUCKET_TREE);
    dent_query_result result;
    for (int i = 0; i < 3 + 4 + 2 + 1; i++) {
        dent_bucket_tree_def tree = dent_bucket_tree_def_default();
        dent_experiments experiments = dent_experiments_default();
        const char *name = i < 3   ? "cell_ratio"
                           : i < 7 ? "bucket_fill"
                           : i < 9 ? "level"
                                   : "dent_bucket_tree_def_default";
        tree.cell_ratio = i < 3 ? ratios[i] : 0;
        experiments.bucket_tree.bucket_fill = i >= 3 && i < 7 ? fills[i - 3] : 2;
        tree.level = i == 7 ? 22 : i == 8 ? 40 : 0;
        tree.struct_size -= i == 9;
        def.bucket_tree = &tree;
        def.experiments = &experiments;
        assert_int_equal(dent_world_query(world, &def, &result), DENT_ERROR_INVALID_ARGUMENT);
        assert_non_null(strstr(dent_world_message(world), name));
    }
    dent_world_destroy(world);
    test_scene_free(&scene);
    dent_context_destroy(context);
}

/* ---- traps ------------------------------------------------------------------------------------------------------- */

enum trap {
    SPREAD_OUT,
    ONE_HUGE_ELEMENT,
    FAR_VERTEX,
    HUGE_NUMBERS,
    TINY_NUMBERS,
    SMALL_BESIDE_LARGE,
    ONE_POINT,
    TRAPS
};

static void make_trap(struct test_scene *scene, enum trap trap)
{
    dent_random random = dent_random_seeded(8);
    struct test_body *body = test_add_block(scene, 32, 16, 16);
    struct test_body *other = test_add_block(scene, 10, 10, 10);
    test_jitter(body, &random, 0.1);
    test_jitter(other, &random, 0.1);
    test_map(other, 1, 1, 1, 15.3, 3.3, 3.3);
    double factor = trap == HUGE_NUMBERS ? 1e150 : trap == TINY_NUMBERS ? 1e-150 : 1;
    test_map(body, factor, factor, factor, 0, 0, 0);
    test_map(other, factor, factor, factor, 0, 0, 0);
    if (trap == ONE_HUGE_ELEMENT ||
        trap == FAR_VERTEX) { /* a corner: one cell grows; or one vertex runs away with all its cells */
        double *p = body->xyz[trap == FAR_VERTEX ? body->vertex_count / 2 : body->corners[0]];
        p[0] = p[1] = p[2] = trap == FAR_VERTEX ? -2000 : -1e6;
    }
    if (trap == SMALL_BESIDE_LARGE) {
        test_map(other, 1e-9, 1e-9, 1e-9, 0, 0, 0);
    }
    if (trap == ONE_POINT) {
        test_map(body, 0, 0, 0, 1, 2, 3);
    }
}

/* Beside large elements a small cell falls together in floats; it still has an interior. */
static void a_cell_too_small_for_floats_still_holds_a_vertex(void **state)
{
    (void)state;
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    struct test_scene scene = {0};
    test_add_block(&scene, 8, 3, 3);
    test_map(test_add_block(&scene, 1, 1, 1), 1e-9, 1e-9, 1e-9, 2.5, 40, 40);
    struct test_body *body = test_add_block(&scene, 1, 1, 1);
    for (uint32_t i = 0; i < body->vertex_count; i++) { /* one vertex inside the small block, the rest around */
        body->xyz[i][0] += 2.5 + 0.37e-9 - (i == 0 ? 0 : 0.5);
        body->xyz[i][1] += 40 + 0.41e-9 - (i == 0 ? 0 : 0.5);
        body->xyz[i][2] += 40 + 0.43e-9 - (i == 0 ? 0 : 0.5);
    }
    dent_world *world = dent_world_create(context);
    assert_int_equal(test_scene_add(&scene, world), DENT_OK);
    dent_query_def oracle = everything(DENT_METHOD_BRUTE_FORCE), def = everything(DENT_METHOD_BUCKET_TREE);
    dent_query_result result;
    assert_int_equal(dent_world_query(world, &oracle, &result), DENT_OK);
    uint64_t inside = result.vertex_cell.count, faces = result.face_cell.count;
    assert_true(inside > 0);
    assert_int_equal(dent_world_query(world, &def, &result), DENT_OK);
    assert_int_equal(result.vertex_cell.count, inside);
    assert_int_equal(result.face_cell.count, faces);
    dent_world_destroy(world);
    test_scene_free(&scene);
    dent_context_destroy(context);
}

static void traps_cost_at_most_five_times_the_work_spread_out(void **state)
{
    (void)state;
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    uint64_t spread_out = 0;
    for (int trap = 0; trap < TRAPS; trap++) {
        struct test_scene scene = {0};
        make_trap(&scene, (enum trap)trap);
        dent_world *world = dent_world_create(context);
        assert_int_equal(test_scene_add(&scene, world), DENT_OK);
        dent_query_def second = everything(DENT_METHOD_SWEEP), def = everything(DENT_METHOD_BUCKET_TREE);
        dent_query_result expected, got;
        dent_world *reference = dent_world_create(context);
        assert_int_equal(test_scene_add(&scene, reference), DENT_OK);
        if (trap != ONE_POINT) { /* where the sweep compares all pairs */
            assert_int_equal(dent_world_query(reference, &second, &expected), DENT_OK);
        }
        assert_int_equal(dent_world_query(world, &def, &got), DENT_OK);
        if (trap != ONE_POINT) {
            assert_same_answer(&expected, &got);
        }
        uint64_t work = got.counters.box_tests + 16 * got.counters.cells_visited + 64 * got.counters.candidates;
        spread_out = trap == SPREAD_OUT ? work : spread_out;
        printf("trap %d: work %llu, %.2f times the work spread out, scratch %llu bytes\n", trap,
               (unsigned long long)work, (double)work / (double)spread_out,
               (unsigned long long)got.counters.scratch_bytes);
        assert_true(work <= 5 * spread_out);
        assert_true(got.counters.scratch_bytes < UINT64_C(100) << 20);
        dent_world_destroy(world);
        dent_world_destroy(reference);
        test_scene_free(&scene);
    }
    dent_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_do_not_depend_on_cell_ratio_level_sizing_or_sorting),
        cmocka_unit_test(self_intersection_of_a_v_is_complete_where_the_printed_rule_loses_half),
        cmocka_unit_test(sorted_coordinates_answer_right_when_positions_creep_and_when_they_jump),
        cmocka_unit_test(bad_parameters_are_refused_by_name),
        cmocka_unit_test(a_cell_too_small_for_floats_still_holds_a_vertex),
        cmocka_unit_test(traps_cost_at_most_five_times_the_work_spread_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
