/* The surface tree: its answers are the oracle's on every kind of surface, whatever its parameters, instruction set and
 * threads, while the surface deforms and when it is cut anew; bad parameters are named; traps stay cheap; a warm query
 * takes no memory. */
#include "support/cmocka_includes.h"

#include <dent/experimental.h>

#include <math.h>

#include "support/random_surface.h"

static dent_context *context_of(uint32_t threads, dent_isa isa)
{
    dent_context_def def = dent_context_def_default();
    def.thread_count = threads;
    def.isa = isa;
    return dent_context_create(&def, NULL); /* null: the machine does not have it */
}

static dent_query_def asking(dent_method method, bool touching)
{
    dent_query_def def = dent_query_def_default();
    def.questions = DENT_QUESTION_FACE_FACE;
    def.method = method;
    def.touching = touching;
    return def;
}

static dent_body_id add_surface(dent_world *world, const struct test_body *surface)
{
    dent_body_def def = dent_surface_def_default();
    def.vertex_count = surface->vertex_count;
    def.element_count = surface->element_count;
    def.element_corners = surface->corners;
    def.positions_t0 = dent_positions_double(surface->xyz[0]);
    dent_body_id id;
    assert_int_equal(dent_world_add_body(world, &def, &id), DENT_OK);
    return id;
}

static void assert_same_answer(const dent_query_result *expected, const dent_query_result *got)
{
    assert_int_equal(expected->face_face.count, got->face_face.count);
    if (expected->face_face.count) {
        assert_memory_equal(expected->face_face.pairs, got->face_face.pairs,
                            expected->face_face.count * sizeof(dent_pair));
        assert_memory_equal(expected->face_face.segments, got->face_face.segments,
                            expected->face_face.count * sizeof(dent_segment));
    }
}

/* ---- equality with the oracle ---- */

enum { MACHINES = 5 };

struct fleet {
    dent_context *contexts[MACHINES];
    int count;
};

static void fleet_open(struct fleet *fleet)
{
    static const struct {
        uint32_t threads;
        dent_isa isa;
    } machines[MACHINES] = {
        {1, DENT_ISA_SCALAR}, {1, DENT_ISA_AVX2}, {1, DENT_ISA_AVX512}, {3, DENT_ISA_AUTO}, {8, DENT_ISA_AUTO}};
    fleet->count = 0;
    for (int i = 0; i < MACHINES; i++) {
        dent_context *context = context_of(machines[i].threads, machines[i].isa);
        if (context) {
            fleet->contexts[fleet->count++] = context;
        }
    }
    assert_true(fleet->count >= 3);
}

static void fleet_close(struct fleet *fleet)
{
    for (int i = 0; i < fleet->count; i++) {
        dent_context_destroy(fleet->contexts[i]);
    }
}

static dent_experiments variant_of(uint64_t number)
{
    static const uint32_t directions[] = {0, 6, 14, 18, 26};
    dent_experiments def = dent_experiments_default();
    def.surface_tree.directions = directions[number % 5];
    def.surface_tree.leaves = (dent_surface_leaves)(number / 5 % 3);
    def.surface_tree.no_culling = number / 15 % 2;
    def.surface_tree.keep_leaves = number / 30 % 2;
    return def;
}

static void jolt(struct test_body *surface, dent_random *random, double by)
{
    for (uint32_t vertex = 0; vertex < surface->vertex_count; vertex++) {
        for (int axis = 0; axis < 3; axis++) {
            surface->xyz[vertex][axis] += by * (dent_random_unit(random) - 0.5);
        }
    }
}

static double size_of(const struct test_body *surface)
{
    double largest = 0;
    for (uint32_t vertex = 0; vertex < surface->vertex_count; vertex++) {
        largest = fmax(largest, fabs(surface->xyz[vertex][0]));
    }
    return largest;
}

/* One surface, or two of different kinds, in three poses; the worlds of the tree live on, the oracle's too. */
static uint64_t compare_scene(const struct fleet *fleet, int kind, uint64_t seed)
{
    dent_random random = dent_random_seeded(seed * 100 + (uint64_t)kind);
    struct test_body surfaces[2] = {random_surface_make(kind, seed, 20 + dent_random_below(&random, 160))};
    uint32_t count = 1;
    if (seed % 3 == 0 && kind != SURFACE_HUGE && kind != SURFACE_TINY) {
        int other = (int)dent_random_below(&random, SURFACE_KIND_COUNT);
        surfaces[count++] =
            random_surface_make(other == SURFACE_HUGE || other == SURFACE_TINY ? SURFACE_CLOSED : other, seed + 7, 60);
    }
    bool touching = seed % 4 == 1;
    uint64_t answers = 0;
    dent_world *reference = dent_world_create(fleet->contexts[0]), *worlds[2];
    dent_context *contexts[2];
    for (int k = 0; k < 2; k++) {
        contexts[k] = fleet->contexts[(seed * 2 + (uint64_t)k) % (uint64_t)fleet->count];
        worlds[k] = dent_world_create(contexts[k]);
    }
    for (uint32_t i = 0; i < count; i++) {
        add_surface(reference, &surfaces[i]);
        add_surface(worlds[0], &surfaces[i]);
        add_surface(worlds[1], &surfaces[i]);
    }
    for (int pose = 0; pose < 3; pose++) {
        dent_query_def oracle = asking(DENT_METHOD_BRUTE_FORCE, touching),
                       def = asking(DENT_METHOD_SURFACE_TREE, touching);
        dent_query_result expected, got;
        assert_int_equal(dent_world_query(reference, &oracle, &expected), DENT_OK);
        answers += expected.face_face.count;
        for (int k = 0; k < 2; k++) {
            dent_experiments experiments = variant_of(seed * 2 + (uint64_t)k + (uint64_t)kind * 7);
            def.experiments = seed % 5 || k ? &experiments : NULL;
            assert_int_equal(dent_world_query(worlds[k], &def, &got), DENT_OK);
            assert_same_answer(&expected, &got);
        }
        for (uint32_t i = 0; i < count; i++) {
            jolt(&surfaces[i], &random, size_of(&surfaces[i]) * (pose ? 2 : 0.02));
        }
    }
    dent_world_destroy(reference);
    dent_world_destroy(worlds[0]);
    dent_world_destroy(worlds[1]);
    for (uint32_t i = 0; i < count; i++) {
        random_surface_free(&surfaces[i]);
    }
    return answers;
}

static void answers_are_the_oracles_on_every_kind_of_surface_for_all_parameters(void **state)
{
    (void)state;
    struct fleet fleet;
    fleet_open(&fleet);
    uint64_t seeds = getenv("DENT_LONG_TESTS")    ? 350
                     : getenv("DENT_QUICK_TESTS") ? 3
                                                  : 24,
             scenes = 0, with_answers = 0, pairs = 0;
    for (int kind = 0; kind < SURFACE_KIND_COUNT; kind++) {
        for (uint64_t seed = 0; seed < seeds; seed++) {
            uint64_t answers = compare_scene(&fleet, kind, seed);
            scenes++;
            with_answers += answers > 0;
            pairs += answers;
        }
    }
    print_message("%llu scenes in 3 poses, %llu with answers, %llu pairs\n", (unsigned long long)scenes,
                  (unsigned long long)with_answers, (unsigned long long)pairs);
    assert_true(with_answers * 2 > scenes);
    fleet_close(&fleet);
}

static void bigger_surfaces_agree_with_the_sweep_with_and_without_culling(void **state)
{
    (void)state;
    struct fleet fleet;
    fleet_open(&fleet);
    uint32_t size = getenv("DENT_QUICK_TESTS") ? 1500 : 12000;
    for (int kind = 0; kind < SURFACE_KIND_COUNT; kind++) {
        if (kind == SURFACE_NOISE || kind == SURFACE_SOUP || kind == SURFACE_KNOTTED_SOUP ||
            kind == SURFACE_ZERO_AREA || kind == SURFACE_COPLANAR_FOLD || kind == SURFACE_HUB ||
            kind == SURFACE_DOUBLE_STAR) {
            continue; /* answers of quadratic number */
        }
        struct test_body surface = random_surface_make(kind, 77, size);
        dent_world *reference = dent_world_create(fleet.contexts[0]);
        dent_query_def oracle = asking(DENT_METHOD_SWEEP, false), def = asking(DENT_METHOD_SURFACE_TREE, false);
        dent_query_result expected, got;
        add_surface(reference, &surface);
        assert_int_equal(dent_world_query(reference, &oracle, &expected), DENT_OK);
        for (int machine = 0; machine < fleet.count; machine++) {
            dent_world *world = dent_world_create(fleet.contexts[machine]);
            dent_experiments experiments = dent_experiments_default();
            add_surface(world, &surface);
            experiments.surface_tree.no_culling = machine % 2;
            def.experiments = &experiments;
            assert_int_equal(dent_world_query(world, &def, &got), DENT_OK);
            assert_same_answer(&expected, &got);
            dent_world_destroy(world);
        }
        dent_world_destroy(reference);
        random_surface_free(&surface);
    }
    fleet_close(&fleet);
}

/* The giant's leaf is near all groups of the sheet, more than one list of the walk can hold. */
static void a_giant_face_meets_all_it_should_among_many_small_ones(void **state)
{
    (void)state;
    dent_context *context = context_of(2, DENT_ISA_AUTO);
    struct test_body giant = surface_new(3, 1);
    dent_random random = dent_random_seeded(5);
    const uint32_t side = getenv("DENT_QUICK_TESTS") ? 70 : 280; /* 150,000 faces; sanitizers take minutes for them */
    struct test_body small = surface_strip(&random, side, side, false, 8);
    double lo[2] = {INFINITY, INFINITY}, hi[2] = {-INFINITY, -INFINITY};
    for (uint32_t vertex = 0; vertex < small.vertex_count; vertex++) {
        for (int axis = 0; axis < 2; axis++) {
            lo[axis] = fmin(lo[axis], small.xyz[vertex][axis]);
            hi[axis] = fmax(hi[axis], small.xyz[vertex][axis]);
        }
        small.xyz[vertex][2] = 0;
    }
    double x = lo[0] + 0.503 * (hi[0] - lo[0]), wide = hi[0] - lo[0], deep = hi[1] - lo[1];
    surface_put_vertex(&giant, x - 9 * wide, lo[1] - 9 * deep, -5);
    surface_put_vertex(&giant, x + 9 * wide, lo[1] - 9 * deep, 5);
    surface_put_vertex(&giant, x, hi[1] + 15 * deep, 0);
    surface_put_face(&giant, 0, 1, 2);
    dent_world *world = dent_world_create(context), *reference = dent_world_create(context);
    dent_query_def oracle = asking(DENT_METHOD_SWEEP, false), def = asking(DENT_METHOD_SURFACE_TREE, false);
    dent_query_result expected, got;
    for (int body = 0; body < 4; body++) {
        add_surface(body % 2 ? world : reference, body < 2 ? &giant : &small);
    }
    assert_int_equal(dent_world_query(reference, &oracle, &expected), DENT_OK);
    assert_int_equal(dent_world_query(world, &def, &got), DENT_OK);
    assert_true(expected.face_face.count > side / 2);
    assert_same_answer(&expected, &got);
    dent_world_destroy(world);
    dent_world_destroy(reference);
    random_surface_free(&giant);
    random_surface_free(&small);
    dent_context_destroy(context);
}

/* ---- work ---- */

static void counters_do_not_depend_on_threads_and_instruction_sets(void **state)
{
    (void)state;
    struct fleet fleet;
    fleet_open(&fleet);
    struct test_body surface = random_surface_make(SURFACE_T_JUNCTIONS, 5, 5000);
    dent_query_counters first = {0};
    for (int machine = 0; machine < fleet.count; machine++) {
        dent_world *world = dent_world_create(fleet.contexts[machine]);
        dent_query_def def = asking(DENT_METHOD_SURFACE_TREE, false);
        dent_query_result result;
        add_surface(world, &surface);
        assert_int_equal(dent_world_query(world, &def, &result), DENT_OK);
        if (machine == 0) {
            first = result.counters;
            assert_true(first.candidates > 0 && first.cells_visited > 0 && first.box_tests > 0);
        }
        assert_int_equal(result.counters.candidates, first.candidates);
        assert_int_equal(result.counters.cells_visited, first.cells_visited);
        assert_int_equal(result.counters.box_tests, first.box_tests);
        assert_int_equal(result.counters.exact_fallbacks, first.exact_fallbacks);
        dent_world_destroy(world);
    }
    random_surface_free(&surface);
    fleet_close(&fleet);
}

static uint64_t pairs_looked_at(dent_context *context, const struct test_body *surface, bool touching)
{
    dent_world *world = dent_world_create(context);
    dent_query_def def = asking(DENT_METHOD_SURFACE_TREE, touching);
    dent_query_result result;
    def.no_details = true;
    add_surface(world, surface);
    assert_int_equal(dent_world_query(world, &def, &result), DENT_OK);
    dent_world_destroy(world);
    return result.counters.cells_visited + result.counters.candidates + result.counters.box_tests / 16;
}

/* A flat sheet of n x n quads, tilted or not. */
static struct test_body sheet(uint32_t n, double tilt)
{
    dent_random random = dent_random_seeded(n);
    struct test_body body = surface_strip(&random, n, n, false, 8);
    for (uint32_t vertex = 0; vertex < body.vertex_count; vertex++) {
        body.xyz[vertex][2] = tilt * body.xyz[vertex][0] + 0.7 * tilt * body.xyz[vertex][1];
    }
    return body;
}

static void work_grows_linearly_on_sheets_fans_giants_and_points(void **state)
{
    (void)state;
    dent_context *context = context_of(1, DENT_ISA_AUTO);
    for (int trap = 0; trap < 6; trap++) {
        double work[2], faces[2];
        for (int size = 0; size < 2; size++) {
            struct test_body surface;
            uint32_t n = size ? 128 : 32;
            if (trap == 4) {
                surface = random_surface_make(SURFACE_SOUP, 1, 2 * n * n);
            } else {
                surface = sheet(n, trap == 1 ? 0.3 : 0);
            }
            for (uint32_t vertex = 0; vertex < surface.vertex_count; vertex++) {
                double *p = surface.xyz[vertex];
                if (trap >= 4) { /* everything at one point */
                    p[0] = p[1] = p[2] = 1;
                } else if (trap == 3 && vertex == 0) { /* one giant face */
                    p[0] = p[1] = 4.0 * n;
                    p[2] = 1;
                }
            }
            if (trap == 2) { /* a cone: one vertex in all faces */
                random_surface_free(&surface);
                surface = surface_new(2 * n * n + 1, 2 * n * n);
                surface_put_vertex(&surface, 0, 0, 1);
                for (uint32_t i = 0; i < 2 * n * n; i++) {
                    double angle = 6.283185307179586 * i / (2 * n * n);
                    surface_put_vertex(&surface, cos(angle), sin(angle), 0);
                    surface_put_face(&surface, 0, 1 + i, 1 + (i + 1) % (2 * n * n));
                }
            }
            faces[size] = surface.element_count;
            work[size] = (double)pairs_looked_at(context, &surface, false);
            random_surface_free(&surface);
        }
        double growth = (work[1] / faces[1]) / (work[0] / faces[0]);
        print_message("trap %d: %.2f and %.2f pairs a face\n", trap, work[0] / faces[0], work[1] / faces[1]);
        assert_true(work[1] / faces[1] < 3 || growth < 2.5);
    }
    dent_context_destroy(context);
}

static void a_warm_query_takes_no_memory(void **state)
{
    (void)state;
    static const int kinds[] = {SURFACE_CRUMPLED, SURFACE_CLOSED_SMALL, SURFACE_SOUP, SURFACE_GENTLE};
    for (int i = 0; i < 8; i++) {
        dent_context *context = context_of(i < 4 ? 1 : 3, DENT_ISA_AUTO);
        dent_world *world = dent_world_create(context);
        struct test_body surface = random_surface_make(kinds[i % 4], 9, 4000);
        dent_query_def def = asking(DENT_METHOD_SURFACE_TREE, false);
        dent_query_result result;
        add_surface(world, &surface);
        for (int turn = 0; turn < 2; turn++) {
            assert_int_equal(dent_world_query(world, &def, &result), DENT_OK);
        }
        uint64_t before = dent_context_memory_use(context).allocations;
        for (int turn = 0; turn < 3; turn++) {
            assert_int_equal(dent_world_query(world, &def, &result), DENT_OK);
        }
        assert_int_equal(dent_context_memory_use(context).allocations, before);
        assert_int_equal(result.counters.rebuilds, 0);
        dent_world_destroy(world);
        random_surface_free(&surface);
        dent_context_destroy(context);
    }
}

/* ---- bad input ---- */

static void empty_surfaces_and_worlds_have_no_answers(void **state)
{
    (void)state;
    dent_context *context = context_of(1, DENT_ISA_AUTO);
    dent_world *world = dent_world_create(context);
    dent_query_def def = asking(DENT_METHOD_SURFACE_TREE, true);
    dent_query_result result;
    assert_int_equal(dent_world_query(world, &def, &result), DENT_OK);
    assert_int_equal(result.face_face.count, 0);
    struct test_body surface = surface_new(4, 4);
    add_surface(world, &surface);
    assert_int_equal(dent_world_query(world, &def, &result), DENT_OK);
    surface_put_vertex(&surface, 0, 0, 0);
    surface_put_vertex(&surface, 1, 0, 0);
    surface_put_vertex(&surface, 0, 1, 0);
    surface_put_face(&surface, 0, 1, 2);
    add_surface(world, &surface);
    assert_int_equal(dent_world_query(world, &def, &result), DENT_OK);
    assert_int_equal(result.face_face.count, 0);
    add_surface(world, &surface);
    assert_int_equal(dent_world_query(world, &def, &result), DENT_OK);
    assert_int_equal(result.face_face.count, 1);
    assert_int_equal(result.face_face.pairs[0].kind, DENT_PAIR_COPLANAR);
    dent_world_destroy(world);
    random_surface_free(&surface);
    dent_context_destroy(context);
}

static void bad_parameters_are_named(void **state)
{
    (void)state;
    dent_context *context = context_of(1, DENT_ISA_AUTO);
    dent_world *world = dent_world_create(context);
    struct test_body surface = random_surface_make(SURFACE_GENTLE, 1, 100);
    add_surface(world, &surface);
    dent_query_def def = asking(DENT_METHOD_SURFACE_TREE, false);
    dent_query_result result;
    dent_experiments experiments = dent_experiments_default();
    def.experiments = &experiments;
    experiments.surface_tree.directions = 7;
    assert_int_equal(dent_world_query(world, &def, &result), DENT_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(dent_world_message(world), "7"));
    experiments = dent_experiments_default();
    experiments.surface_tree.leaves = (dent_surface_leaves)3;
    assert_int_equal(dent_world_query(world, &def, &result), DENT_ERROR_INVALID_ARGUMENT);
    experiments = dent_experiments_default();
    experiments.struct_size = 4;
    assert_int_equal(dent_world_query(world, &def, &result), DENT_ERROR_INVALID_ARGUMENT);
    def.experiments = NULL;
    def.questions = DENT_QUESTION_FACE_CELL;
    assert_int_equal(dent_world_query(world, &def, &result), DENT_ERROR_UNSUPPORTED);
    def.questions = DENT_QUESTION_FACE_FACE;
    assert_int_equal(dent_world_query(world, &def, &result), DENT_OK);
    dent_world_destroy(world);
    random_surface_free(&surface);
    dent_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_the_oracles_on_every_kind_of_surface_for_all_parameters),
        cmocka_unit_test(bigger_surfaces_agree_with_the_sweep_with_and_without_culling),
        cmocka_unit_test(a_giant_face_meets_all_it_should_among_many_small_ones),
        cmocka_unit_test(counters_do_not_depend_on_threads_and_instruction_sets),
        cmocka_unit_test(work_grows_linearly_on_sheets_fans_giants_and_points),
        cmocka_unit_test(a_warm_query_takes_no_memory),
        cmocka_unit_test(empty_surfaces_and_worlds_have_no_answers),
        cmocka_unit_test(bad_parameters_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
