/* The spatial hash with every parameter and in every trap: always the oracle's lists, at bounded cost.
 */
#include "support/cmocka_includes.h"

#include <dent/experimental.h>

#include "support/random_scene.h"
#include "support/test_context.h"

enum { ALL_QUESTIONS = DENT_QUESTION_VERTEX_CELL | DENT_QUESTION_FACE_CELL | DENT_QUESTION_FACE_FACE };

static dent_world *world_of(dent_context *context, const struct test_scene *scene)
{
    dent_world *world = dent_world_create(context);
    assert_non_null(world);
    assert_int_equal(test_scene_add(scene, world), DENT_OK);
    return world;
}

/* The paper's plain form. */
static const dent_experiments *paper_form(void)
{
    static dent_experiments experiments;
    experiments = dent_experiments_default();
    experiments.spatial_hash.paper_form = true;
    return &experiments;
}

static dent_query_def question_def(dent_method method, const dent_spatial_hash_def *hash, bool touching)
{
    dent_query_def def = dent_query_def_default();
    def.questions = ALL_QUESTIONS;
    def.method = method;
    def.touching = touching;
    def.spatial_hash = hash;
    return def;
}

static void assert_same_list(const dent_pair_list *a, const dent_pair_list *b)
{
    assert_int_equal(a->count, b->count);
    if (a->count) {
        assert_memory_equal(a->pairs, b->pairs, a->count * sizeof *a->pairs);
    }
}

static void assert_same(const dent_query_result *a, const dent_query_result *b)
{
    assert_same_list(&a->vertex_cell, &b->vertex_cell);
    assert_same_list(&a->face_cell, &b->face_cell);
    assert_same_list(&a->face_face, &b->face_face);
}

static dent_query_result oracle_of(dent_world *reference, bool touching)
{
    dent_query_def oracle = question_def(DENT_METHOD_BRUTE_FORCE, NULL, touching);
    dent_query_result expected;
    assert_int_equal(dent_world_query(reference, &oracle, &expected), DENT_OK);
    return expected;
}

static void assert_hash_gives(dent_world *world, const dent_query_result *expected, const dent_spatial_hash_def *hash,
                              bool touching, bool paper)
{
    dent_query_def def = question_def(DENT_METHOD_SPATIAL_HASH, hash, touching);
    def.experiments = paper ? paper_form() : NULL;
    dent_query_result got;
    assert_int_equal(dent_world_query(world, &def, &got), DENT_OK);
    assert_same(expected, &got);
}

static void try_sizes(dent_world *world, const dent_query_result *expected, bool touching)
{
    static const uint32_t tables[] = {0, 1, 7, 64, 41 * 1024, 1 << 20, UINT32_MAX};
    static const double cells[] = {0, 0.125, 0.5, 1, 2, 8, 1e-300, 1e300};
    for (size_t table = 0; table < sizeof tables / sizeof tables[0]; table++) {
        for (size_t cell = 0; cell < sizeof cells / sizeof cells[0]; cell++) {
            dent_spatial_hash_def hash = dent_spatial_hash_def_default();
            hash.table_size = tables[table];
            hash.cell_size = cells[cell];
            assert_hash_gives(world, expected, &hash, touching, false);
            if (tables[table] != UINT32_MAX) { /* the plain form clears its 16 million slots for each of these */
                assert_hash_gives(world, expected, &hash, touching, true);
            }
        }
    }
}

static void any_table_and_cell_size_gives_the_oracles_lists(void **state)
{
    (void)state;
    static const int kinds[] = {SCENE_DEEP, SCENE_COINCIDENT, SCENE_GRADED, SCENE_SPLIT_CELLS, SCENE_TIED};
    dent_context *context = test_context(2, DENT_ISA_AUTO);
    for (size_t kind = 0; kind < sizeof kinds / sizeof kinds[0]; kind++) {
        struct test_scene scene;
        test_scene_make(&scene, kinds[kind], kind + 5);
        dent_world *world = world_of(context, &scene), *reference = world_of(context, &scene);
        bool touching = kind % 2;
        dent_query_result expected = oracle_of(reference, touching);
        try_sizes(world, &expected, touching);
        assert_hash_gives(world, &expected, NULL, touching, true);
        dent_world_destroy(world);
        dent_world_destroy(reference);
        test_scene_free(&scene);
    }
    dent_context_destroy(context);
}

static void any_number_of_levels_gives_the_oracles_lists(void **state)
{
    (void)state;
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct test_scene scene;
        test_scene_make(&scene, seed % 2 ? SCENE_GRADED : SCENE_ONE_GIANT, seed);
        dent_world *world = world_of(context, &scene), *reference = world_of(context, &scene);
        dent_query_result expected = oracle_of(reference, false);
        for (uint32_t levels = 0; levels <= 16; levels++) {
            dent_spatial_hash_def hash = dent_spatial_hash_def_default();
            hash.levels = levels;
            hash.cell_size = seed % 3 ? 0 : 0.01;
            assert_hash_gives(world, &expected, &hash, false, false);
        }
        dent_world_destroy(world);
        dent_world_destroy(reference);
        test_scene_free(&scene);
    }
    dent_context_destroy(context);
}

static void bad_parameters_are_refused_by_name(void **state)
{
    (void)state;
    static const double cells[] = {-1, -0.0 - 1e-300, NAN, INFINITY, -INFINITY};
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    struct test_scene scene;
    test_scene_make(&scene, SCENE_DEEP, 1);
    dent_world *world = world_of(context, &scene);
    dent_query_result untouched, result;
    memset(&untouched, 0x5A, sizeof untouched);
    for (int paper = 0; paper < 2; paper++) {
        for (size_t i = 0; i < sizeof cells / sizeof cells[0] + 2; i++) {
            dent_spatial_hash_def hash = dent_spatial_hash_def_default();
            dent_query_def def = question_def(DENT_METHOD_SPATIAL_HASH, &hash, false);
            def.experiments = paper ? paper_form() : NULL;
            if (i < sizeof cells / sizeof cells[0]) {
                hash.cell_size = cells[i];
            } else if (i == sizeof cells / sizeof cells[0]) {
                hash.levels = 40;
            } else {
                hash.struct_size = 3;
            }
            memcpy(&result, &untouched, sizeof result);
            assert_int_equal(dent_world_query(world, &def, &result), DENT_ERROR_INVALID_ARGUMENT);
            assert_memory_equal(&result, &untouched, sizeof result);
            assert_non_null(strstr(dent_world_message(world), "spatial hash"));
        }
    }
    dent_world_destroy(world);
    dent_context_destroy(context);
    test_scene_free(&scene);
}

/* Positions are multiples of 1/256 here, so moving them by 1e9 is exact. */
static void far_from_the_origin_the_lists_are_those_at_home(void **state)
{
    (void)state;
    static const double moves[][3] = {
        {0, 0, 0}, {1e7, 1e7, 1e7}, {-1e7, 1e7, -3e7}, {-1.5, -0.5, -2.5}, {1e9, -1e9, 0}};
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    struct test_scene scene;
    test_scene_make(&scene, SCENE_SELF_FOLDED, 9);
    for (uint32_t i = 0; i < scene.body_count; i++) {
        for (uint32_t v = 0; v < scene.bodies[i].vertex_count; v++) {
            for (int axis = 0; axis < 3; axis++) {
                scene.bodies[i].xyz[v][axis] = floor(scene.bodies[i].xyz[v][axis] * 256) / 256;
            }
        }
    }
    dent_world *home = world_of(context, &scene);
    dent_query_def oracle = question_def(DENT_METHOD_BRUTE_FORCE, NULL, true);
    dent_query_result expected;
    assert_int_equal(dent_world_query(home, &oracle, &expected), DENT_OK);
    assert_true(expected.face_cell.count > 20);
    struct test_scene moved;
    test_scene_make(&moved, SCENE_SELF_FOLDED, 9);
    for (size_t m = 0; m < sizeof moves / sizeof moves[0]; m++) {
        for (uint32_t i = 0; i < scene.body_count; i++) {
            for (uint32_t v = 0; v < scene.bodies[i].vertex_count; v++) {
                for (int axis = 0; axis < 3; axis++) {
                    moved.bodies[i].xyz[v][axis] = scene.bodies[i].xyz[v][axis] + moves[m][axis];
                }
            }
        }
        dent_world *world = world_of(context, &moved);
        for (int paper = 0; paper < 2; paper++) {
            dent_spatial_hash_def hash = dent_spatial_hash_def_default();
            dent_query_def def = question_def(DENT_METHOD_SPATIAL_HASH, &hash, true);
            def.experiments = paper ? paper_form() : NULL;
            dent_query_result got;
            assert_int_equal(dent_world_query(world, &def, &got), DENT_OK);
            assert_same(&expected, &got);
        }
        dent_world_destroy(world);
    }
    dent_world_destroy(home);
    test_scene_free(&scene);
    test_scene_free(&moved);
    dent_context_destroy(context);
}

static void every_instruction_set_and_thread_count_does_the_same_work(void **state)
{
    (void)state;
    struct test_scene scene;
    test_scene_make(&scene, SCENE_SELF_FOLDED, 4);
    dent_query_def def = question_def(DENT_METHOD_SPATIAL_HASH, NULL, false);
    dent_query_counters first = {0};
    for (int isa = DENT_ISA_SCALAR; isa < DENT_ISA_COUNT; isa++) {
        for (uint32_t threads = 1; threads <= 8 && dent_isa_available((dent_isa)isa); threads *= 2) {
            dent_context *context = test_context(threads, (dent_isa)isa);
            dent_world *world = world_of(context, &scene);
            dent_query_result got;
            assert_int_equal(dent_world_query(world, &def, &got), DENT_OK);
            first = first.elements ? first : got.counters;
            assert_int_equal(got.counters.candidates, first.candidates);
            assert_int_equal(got.counters.box_tests, first.box_tests);
            assert_int_equal(got.counters.cells_visited, first.cells_visited);
            dent_world_destroy(world);
            dent_context_destroy(context);
        }
    }
    test_scene_free(&scene);
}

/* ---- traps: the same number of elements as a plain block, at most 20 times its work and memory ------------------ */

enum trap {
    TRAP_NONE,
    TRAP_ONE_HUGE,
    TRAP_ONE_HUGE_1E150,
    TRAP_ALL_EQUAL,
    TRAP_FAR_APART,
    TRAP_1E150,
    TRAP_1E_150,
    TRAP_GRADED,
    TRAP_COUNT
};

static void make_trap(struct test_scene *scene, int trap, uint32_t side)
{
    memset(scene, 0, sizeof *scene);
    dent_random random = dent_random_seeded(3);
    struct test_body *block = test_add_block(scene, side, side, side), *other = test_add_block(scene, side, side, side);
    test_jitter(block, &random, 0.1);
    test_jitter(other, &random, 0.1);
    test_map(other, 1, 1, 1, side - 0.7, 0.3, 0.4);
    double factor = trap == TRAP_1E150 ? 1e150 : trap == TRAP_1E_150 ? 1e-150 : 1;
    if (trap == TRAP_ONE_HUGE || trap == TRAP_ONE_HUGE_1E150) {
        struct test_body *giant = test_scene_new_body(scene, DENT_BODY_SOLID, 4, 1, 4);
        double size = trap == TRAP_ONE_HUGE ? 1e4 : 1e150;
        for (uint32_t k = 0; k < 4; k++) {
            giant->corners[k] = k;
            for (uint32_t axis = 0; axis < 3; axis++) {
                giant->xyz[k][axis] = k == axis ? size : -0.1;
            }
        }
    } else if (trap == TRAP_FAR_APART) {
        struct test_body *far = test_add_block(scene, 1, 1, 1);
        test_map(far, 1, 1, 1, 1e14, -1e13, 1e12);
    } else if (trap == TRAP_ALL_EQUAL) {
        factor = 0;
    } else if (trap == TRAP_GRADED) {
        for (int b = 0; b < 2; b++) {
            for (uint32_t v = 0; v < block->vertex_count; v++) {
                for (int axis = 0; axis < 3; axis++) {
                    double *x = &scene->bodies[b].xyz[v][axis];
                    *x = *x * *x * *x / (side * side);
                }
            }
        }
    }
    test_scale_scene(scene, factor);
}

static void traps_cost_no_more_than_twenty_times_the_plain_block(void **state)
{
    (void)state;
    static const char *const names[TRAP_COUNT] = {"plain",     "one huge", "one huge, 1e150", "all equal",
                                                  "far apart", "1e150",    "1e-150",          "graded"};
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    uint64_t plain_work = 0, plain_bytes = 0;
    for (int trap = 0; trap < TRAP_COUNT; trap++) {
        struct test_scene scene;
        make_trap(&scene, trap, 14);
        dent_world *world = world_of(context, &scene);
        dent_query_def def = question_def(DENT_METHOD_SPATIAL_HASH, NULL, false);
        dent_spatial_hash_def plain = dent_spatial_hash_def_default();
        dent_query_def paper = question_def(DENT_METHOD_SPATIAL_HASH, &plain, false);
        dent_query_result got, expected;
        paper.experiments = paper_form();
        plain.cell_size = trap == TRAP_1E150 ? 1e150 : trap == TRAP_1E_150 ? 1e-150 : 1;
        assert_int_equal(dent_world_query(world, &def, &got), DENT_OK);
        /* Work in units of box tests; an exact test costs about a hundred of them. */
        uint64_t work = got.counters.box_tests + 16 * got.counters.cells_visited + 100 * got.counters.candidates;
        uint64_t bytes = got.counters.scratch_bytes;
        printf(
            "%-16s %6llu elements: %8llu box tests, %6llu rows, %6llu candidates, %9llu bytes, %5.2f times the work\n",
            names[trap], (unsigned long long)got.counters.elements, (unsigned long long)got.counters.box_tests,
            (unsigned long long)got.counters.cells_visited, (unsigned long long)got.counters.candidates,
            (unsigned long long)bytes, trap ? (double)work / (double)plain_work : 1.0);
        plain_work = trap == TRAP_NONE ? work : plain_work;
        plain_bytes = trap == TRAP_NONE ? bytes : plain_bytes;
        assert_true(work <= 20 * plain_work);
        assert_true(bytes <= 20 * plain_bytes);
        if (trap != TRAP_ALL_EQUAL) { /* the plain form has no answer to that one but all pairs */
            dent_world *reference = world_of(context, &scene);
            assert_int_equal(dent_world_query(reference, &paper, &expected), DENT_OK);
            assert_same(&expected, &got);
            dent_world_destroy(reference);
        } else {
            assert_int_equal(got.vertex_cell.count + got.face_cell.count + got.face_face.count, 0);
        }
        dent_world_destroy(world);
        test_scene_free(&scene);
    }
    dent_context_destroy(context);
}

/* Packets are ordered once; when their elements have scattered, they are ordered anew, once. */
static void scattered_elements_are_ordered_anew(void **state)
{
    (void)state;
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    struct test_scene scene;
    memset(&scene, 0, sizeof scene);
    enum { CELLS = 2000 };
    struct test_body *body = test_scene_new_body(&scene, DENT_BODY_SOLID, 4 * CELLS, CELLS, 4 * CELLS);
    dent_random random = dent_random_seeded(5);
    dent_world *world = NULL;
    for (int step = 0; step < 6; step++) {
        for (uint32_t cell = 0; cell < CELLS && step != 2; cell++) {
            double centre[3] = {(step ? dent_random_unit(&random) * 30 : cell % 13),
                                (step ? dent_random_unit(&random) * 30 : cell / 13 % 13),
                                (step ? dent_random_unit(&random) * 30 : cell / 169)};
            for (uint32_t k = 0; k < 4; k++) {
                body->corners[cell * 4 + k] = cell * 4 + k;
                for (int axis = 0; axis < 3; axis++) {
                    body->xyz[cell * 4 + k][axis] = centre[axis] + dent_random_unit(&random);
                }
            }
        }
        world = world ? world : world_of(context, &scene);
        dent_world *reference = world_of(context, &scene);
        dent_query_def def = question_def(DENT_METHOD_SPATIAL_HASH, NULL, false),
                       sweep = question_def(DENT_METHOD_SWEEP, NULL, false);
        dent_query_result got, expected;
        assert_int_equal(dent_world_query(world, &def, &got), DENT_OK);
        assert_int_equal(dent_world_query(reference, &sweep, &expected), DENT_OK);
        assert_same(&expected, &got);
        assert_int_equal(got.counters.rebuilds, step == 0 || step == 2 || step == 4);
        dent_world_destroy(reference);
    }
    dent_world_destroy(world);
    test_scene_free(&scene);
    dent_context_destroy(context);
}

/* Small cells far from the centre of a larger world: all their coordinates round to the same floats, and yet they have
 * an interior, in which others have vertices. */
static void cells_that_are_flat_in_floats_only_keep_their_pairs(void **state)
{
    (void)state;
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    dent_random random = dent_random_seeded(367);
    uint64_t inside = 0;
    for (int turn = 0; turn < 60; turn++) {
        struct test_scene scene = {0};
        double size = ldexp(1, -20 - (int)dent_random_below(&random, 20)), place[3];
        test_add_block(&scene, 4, 4, 4);
        for (int axis = 0; axis < 3; axis++) {
            place[axis] = test_between(&random, 3, 4);
        }
        for (int i = 0; i < 3; i++) {
            struct test_body *body = test_add_block(&scene, 1, 1, 1);
            test_jitter(body, &random, 0.2);
            test_turn(body, &random);
            test_random_shift(body, &random, -0.3, 0.3);
            test_map(body, size, size, size, place[0], place[1], place[2]);
        }
        dent_world *reference = world_of(context, &scene), *world = world_of(context, &scene);
        dent_query_result expected = oracle_of(reference, false);
        assert_hash_gives(world, &expected, NULL, false, false);
        inside += expected.vertex_cell.count > 10;
        dent_world_destroy(reference);
        dent_world_destroy(world);
        test_scene_free(&scene);
    }
    assert_true(inside > 50);
    dent_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_table_and_cell_size_gives_the_oracles_lists),
        cmocka_unit_test(any_number_of_levels_gives_the_oracles_lists),
        cmocka_unit_test(bad_parameters_are_refused_by_name),
        cmocka_unit_test(far_from_the_origin_the_lists_are_those_at_home),
        cmocka_unit_test(every_instruction_set_and_thread_count_does_the_same_work),
        cmocka_unit_test(traps_cost_no_more_than_twenty_times_the_plain_block),
        cmocka_unit_test(scattered_elements_are_ordered_anew),
        cmocka_unit_test(cells_that_are_flat_in_floats_only_keep_their_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
