/* "Exact for all finite doubles" taken by its word: small scenes with exponents drawn per coordinate, vertex, body and
 * axis over the whole range, every method against the oracle, to the bit. The usual tier makes a few thousand; the long
 * tier (DENT_LONG_TESTS=1) 100,000 for face-face and 20,000 each for vertex-cell, face-cell and the border.
 * DENT_RANDOM_SCENES=N makes N of each, DENT_FIRST_SEED=N begins elsewhere.
 */
#include "support/cmocka_includes.h"

#include <dent/experimental.h>

#include "support/test_context.h"
#include "support/wide_exponents.h"

enum { MACHINES = 6 };

struct fleet {
    uint32_t count;
    dent_context *contexts[MACHINES];
};

/* One thread with every instruction set, and three threads, which small scenes rarely fill. */
static int open_fleet(void **state)
{
    static struct fleet fleet;
    fleet.count = 0;
    for (int isa = DENT_ISA_SCALAR; isa < DENT_ISA_COUNT; isa++) {
        if (dent_isa_available((dent_isa)isa)) {
            fleet.contexts[fleet.count++] = test_context(1, (dent_isa)isa);
        }
    }
    fleet.contexts[fleet.count++] = test_context(3, DENT_ISA_AUTO);
    *state = &fleet;
    return 0;
}

static int close_fleet(void **state)
{
    struct fleet *fleet = *state;
    for (uint32_t i = 0; i < fleet->count; i++) {
        dent_context_destroy(fleet->contexts[i]);
    }
    return 0;
}

static uint64_t first_seed(void)
{
    return getenv("DENT_FIRST_SEED") ? strtoull(getenv("DENT_FIRST_SEED"), NULL, 10) : 0;
}

static uint64_t scene_count(uint64_t usual, uint64_t most)
{
    const char *wanted = getenv("DENT_RANDOM_SCENES");
    return wanted ? strtoull(wanted, NULL, 10) : test_count(usual / 10, usual, most);
}

/* ---- lists ---- */

static bool same_bytes(const void *a, const void *b, size_t size)
{
    return size == 0 || memcmp(a, b, size) == 0;
}

static bool same_list(const dent_pair_list *a, const dent_pair_list *b)
{
    return a->count == b->count && same_bytes(a->pairs, b->pairs, a->count * sizeof *a->pairs) &&
           (!a->cell_points || same_bytes(a->cell_points, b->cell_points, a->count * sizeof *a->cell_points)) &&
           (!a->segments || same_bytes(a->segments, b->segments, a->count * sizeof *a->segments));
}

/* Numbers that go with the pairs: weights of a convex combination, finite points. */
static bool sane_details(const dent_pair_list *list)
{
    bool sane = true;
    for (uint64_t i = 0; i < list->count && list->cell_points; i++) {
        double sum = 0;
        for (int k = 0; k < 4; k++) {
            double weight = list->cell_points[i].weights[k];
            sane &= weight >= 0 && weight <= 1;
            sum += weight;
        }
        sane &= fabs(sum - 1) <= 4 * DBL_EPSILON;
    }
    for (uint64_t i = 0; i < list->count && list->segments; i++) {
        for (int axis = 0; axis < 3; axis++) {
            sane &= isfinite(list->segments[i].point0[axis]) && isfinite(list->segments[i].point1[axis]);
        }
    }
    return sane;
}

/* Every way a method can be asked to work; which one is drawn with the scene. */
struct settings {
    dent_spatial_hash_def hash;
    dent_bucket_tree_def buckets;
    dent_experiments experiments;
};

static void draw_settings(struct settings *settings, dent_query_def *def, dent_random *random)
{
    static const uint32_t directions[4] = {6, 14, 18, 26};
    settings->hash = dent_spatial_hash_def_default();
    settings->experiments = dent_experiments_default();
    settings->experiments.spatial_hash.paper_form = dent_random_below(random, 4) == 0;
    settings->buckets = dent_bucket_tree_def_default();
    settings->experiments.bucket_tree.sorted_coordinates = dent_random_below(random, 2) != 0;
    settings->buckets.level = dent_random_below(random, 2) ? 1 + dent_random_below(random, 5) : 0;
    settings->experiments.cluster_search.no_certificate = dent_random_below(random, 4) == 0;
    settings->experiments.surface_tree.directions = directions[dent_random_below(random, 4)];
    settings->experiments.surface_tree.leaves = (dent_surface_leaves)dent_random_below(random, 3);
    settings->experiments.surface_tree.no_culling = dent_random_below(random, 4) == 0;
    settings->experiments.cluster_search.numbers = (dent_leaf_numbers)dent_random_below(random, 4);
    def->spatial_hash = &settings->hash;
    def->bucket_tree = &settings->buckets;
    def->experiments = &settings->experiments;
}

struct tally {
    uint64_t scenes, with_answers, pairs, queries, differences;
};

static void complain(uint64_t seed, const char *what, dent_method method, uint64_t frame)
{
    printf("seed %llu (%s), %s by %s, frame %llu: not the oracle's answer\n", (unsigned long long)seed,
           wide_mode_name(wide_scene_mode(seed)), what, dent_method_name(method), (unsigned long long)frame);
}

/* The positions are the test's: overwritten between queries, as a simulator would. */
static void move_scene(struct test_scene *scene, enum wide_shapes shapes, uint64_t seed)
{
    struct test_scene other;
    wide_scene_make(&other, shapes, seed);
    for (uint32_t i = 0; i < scene->body_count && i < other.body_count; i++) {
        struct test_body *body = &scene->bodies[i];
        for (uint32_t v = 0; v < body->vertex_count; v++) {
            memcpy(body->xyz[v], other.bodies[i].xyz[v % other.bodies[i].vertex_count], sizeof body->xyz[v]);
        }
    }
    test_scene_free(&other);
}

static void compare_methods(const struct fleet *fleet, dent_world *const *worlds, dent_question question, uint64_t seed,
                            uint64_t frame, struct tally *tally)
{
    dent_random random = dent_random_seeded(seed * 31 + frame);
    struct settings settings;
    dent_query_def def = dent_query_def_default();
    dent_query_result expected, got;
    def.questions = (uint32_t)question;
    def.method = DENT_METHOD_BRUTE_FORCE;
    def.touching = dent_random_below(&random, 2) != 0;
    assert_int_equal(dent_world_query(worlds[0], &def, &expected), DENT_OK);
    const dent_pair_list *right = dent_query_result_list(&expected, question);
    if (!sane_details(right)) {
        printf("seed %llu: details\n", (unsigned long long)seed);
        tally->differences++;
    }
    for (int method = 0; method < DENT_METHOD_COUNT; method++) {
        def.method = (dent_method)method;
        bool able = method == DENT_METHOD_AUTO || dent_method_questions(def.method) & (uint32_t)question;
        uint32_t machine = 1 + dent_random_below(&random, fleet->count);
        draw_settings(&settings, &def, &random);
        if (method == DENT_METHOD_BRUTE_FORCE || !able) {
            continue;
        }
        assert_int_equal(dent_world_query(worlds[machine], &def, &got), DENT_OK);
        assert_int_equal(got.outcome, DENT_OUTCOME_COMPLETE);
        if (!same_list(right, dent_query_result_list(&got, question))) {
            complain(seed, dent_question_name(question), def.method, frame);
            tally->differences++;
        }
        tally->queries++;
    }
    tally->scenes++;
    tally->with_answers += right->count > 0;
    tally->pairs += right->count;
}

static void compare_question(const struct fleet *fleet, dent_question question, uint64_t scenes)
{
    enum { FRAMES = 2 };
    struct tally tally = {0};
    uint64_t last = first_seed() + (scenes + FRAMES - 1) / FRAMES;
    for (uint64_t seed = first_seed(); seed < last; seed++) {
        struct test_scene scene;
        dent_world *worlds[MACHINES + 1];
        bool solids = question == DENT_QUESTION_VERTEX_CELL && seed % 2 != 0; /* else too few have answers */
        enum wide_shapes shapes = solids ? WIDE_SOLIDS : WIDE_ANY_SHAPES;
        wide_scene_make(&scene, shapes, seed);
        for (uint32_t i = 0; i <= fleet->count; i++) {
            worlds[i] = dent_world_create(fleet->contexts[i ? i - 1 : 0]);
            assert_non_null(worlds[i]);
            assert_int_equal(test_scene_add(&scene, worlds[i]), DENT_OK);
        }
        for (uint64_t frame = 0; frame < FRAMES; frame++) {
            if (frame > 0) {
                move_scene(&scene, shapes, seed + 500000000 * frame);
            }
            compare_methods(fleet, worlds, question, seed, frame, &tally);
        }
        for (uint32_t i = 0; i <= fleet->count; i++) {
            dent_world_destroy(worlds[i]);
        }
        test_scene_free(&scene);
    }
    printf("%s: %llu scenes, %llu with answers, %llu pairs, %llu queries compared, %llu differences\n",
           dent_question_name(question), (unsigned long long)tally.scenes, (unsigned long long)tally.with_answers,
           (unsigned long long)tally.pairs, (unsigned long long)tally.queries, (unsigned long long)tally.differences);
    assert_int_equal(tally.differences, 0);
    assert_true(2 * tally.with_answers >= tally.scenes);
}

/* ---- bodies with a reference ---- */

/* Bars bent by little or much, their reference beside them, both scaled along each axis by powers of two: alike, so
 * that the certificates have something to prove, or each by its own. */
static void make_bent(struct test_scene *scene, uint64_t seed)
{
    dent_random random = dent_random_seeded(seed + 4711);
    test_scene_make(scene, SCENE_BENT, seed);
    int base = (int)dent_random_below(&random, 2000) - 1050, around = dent_random_below(&random, 2) ? 3 : 60;
    int apart = (int)dent_random_below(&random, 3) ? 0 : (int)dent_random_below(&random, 600) - 300;
    for (int axis = 0; axis < 3; axis++) {
        int now = base + (int)dent_random_below(&random, (uint32_t)around);
        int before = dent_random_below(&random, 4) ? now + apart : base + apart;
        for (uint32_t i = 0; i < scene->body_count; i++) {
            for (uint32_t v = 0; v < scene->bodies[i].vertex_count; v++) {
                double *p = scene->bodies[i].xyz[v], *q = scene->bodies[i].reference[v];
                p[axis] = wide_scaled(p[axis], now);
                q[axis] = wide_scaled(q[axis], before);
            }
        }
    }
}

static void certificates_lose_nothing_at_any_magnitudes(void **state)
{
    const struct fleet *fleet = *state;
    uint64_t scenes = test_count(50, 200, 6000), certified = 0, with_answers = 0, differences = 0;
    for (uint64_t seed = first_seed(); seed < first_seed() + scenes; seed++) {
        struct test_scene scene;
        dent_query_result expected, got;
        dent_query_def def = dent_query_def_default();
        dent_world *oracle = dent_world_create(fleet->contexts[0]);
        dent_world *world = dent_world_create(fleet->contexts[seed % fleet->count]);
        make_bent(&scene, seed);
        assert_int_equal(test_scene_add(&scene, oracle), DENT_OK);
        assert_int_equal(test_scene_add(&scene, world), DENT_OK);
        def.questions = DENT_QUESTION_VERTEX_CELL | DENT_QUESTION_FACE_CELL;
        def.method = DENT_METHOD_BRUTE_FORCE;
        assert_int_equal(dent_world_query(oracle, &def, &expected), DENT_OK);
        def.method = DENT_METHOD_CLUSTER_SEARCH;
        assert_int_equal(dent_world_query(world, &def, &got), DENT_OK);
        if (!same_list(&expected.vertex_cell, &got.vertex_cell) || !same_list(&expected.face_cell, &got.face_cell)) {
            complain(seed, "bent bars", def.method, 0);
            differences++;
        }
        certified += got.counters.certified_bodies > 0;
        with_answers += expected.vertex_cell.count + expected.face_cell.count > 0;
        dent_world_destroy(oracle);
        dent_world_destroy(world);
        test_scene_free(&scene);
    }
    printf("bent bars: %llu scenes, %llu certified, %llu with answers, %llu differences\n", (unsigned long long)scenes,
           (unsigned long long)certified, (unsigned long long)with_answers, (unsigned long long)differences);
    assert_int_equal(differences, 0);
    assert_true(certified > 0 && with_answers > 0);
}

static void face_face_is_the_oracles_at_any_magnitudes(void **state)
{
    compare_question(*state, DENT_QUESTION_FACE_FACE, scene_count(1500, 100000));
}

static void vertex_cell_is_the_oracles_at_any_magnitudes(void **state)
{
    compare_question(*state, DENT_QUESTION_VERTEX_CELL, scene_count(800, 20000));
}

static void face_cell_is_the_oracles_at_any_magnitudes(void **state)
{
    compare_question(*state, DENT_QUESTION_FACE_CELL, scene_count(800, 20000));
}

/* The smallest of the scenes in which the surface tree once lost a pair: two tetrahedra from 1e-300 to 1e150. */
static void two_tetrahedra_of_mixed_magnitudes_have_ten_pairs(void **state)
{
    static const double a[4][3] = {{-2.0000000000000006e-10, -2.0000000000000004, -3e-200},
                                   {9640403264.582405, -2e-100, 4.402475522030224e+99},
                                   {0, -11578822842.558937, 30000000000.0},
                                   {0, 0, -3.0000000000000002e+100}};
    static const double b[4][3] = {{2e-300, -1.0000000000000003e-200, 0},
                                   {30000000000.0, -2.0000000000000003e+150, 0},
                                   {-6.965007583951989e+99, 1e-300, 3.0000000000000005e-200},
                                   {3.0000000000000002e+100, -2e+100, -1.0000000000000002e-300}};
    const struct fleet *fleet = *state;
    for (uint32_t i = 0; i < fleet->count; i++) {
        for (int method = 0; method < DENT_METHOD_COUNT; method++) {
            if (method != DENT_METHOD_AUTO && !(dent_method_questions((dent_method)method) & DENT_QUESTION_FACE_FACE)) {
                continue;
            }
            dent_world *world = dent_world_create(fleet->contexts[i]);
            dent_query_def def = dent_query_def_default();
            dent_query_result result;
            test_add_tetrahedron(world, a);
            test_add_tetrahedron(world, b);
            def.questions = DENT_QUESTION_FACE_FACE;
            def.method = (dent_method)method;
            assert_int_equal(dent_world_query(world, &def, &result), DENT_OK);
            assert_int_equal(result.face_face.count, 10);
            dent_world_destroy(world);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_tetrahedra_of_mixed_magnitudes_have_ten_pairs),
        cmocka_unit_test(face_face_is_the_oracles_at_any_magnitudes),
        cmocka_unit_test(vertex_cell_is_the_oracles_at_any_magnitudes),
        cmocka_unit_test(face_cell_is_the_oracles_at_any_magnitudes),
        cmocka_unit_test(certificates_lose_nothing_at_any_magnitudes),
    };
    return cmocka_run_group_tests(tests, open_fleet, close_fleet);
}
