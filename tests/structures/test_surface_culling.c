/* The self-collision culling never loses a pair: over thousands of surfaces of all kinds, with and without culling, for
 * every cut and instruction set, the pairs found are those of the all-pairs oracle. The same surfaces with the contour
 * test left out (normals only) must lose pairs, or the test could not fail. Kernels and tables are checked against
 * plain exact arithmetic.
 */
#include "structures/surface/kernels/curvature_kernels.h"
#include "support/cmocka_includes.h"

#include <math.h>

#include "support/failing_allocator.h"
#include "support/random_surface.h"
#include "support/test_context.h"

#include "bodies/snapshot.h"
#include "geometry/predicates/triangle_predicates.h"
#include "structures/surface/culling_groups.h"
#include "structures/surface/surface_crossings.h"
#include "structures/surface/surface_regions.h"

/* ---- a stage: one surface in a table, its pose, a forest ------------------------------------- */

struct stage {
    struct body_table table;
    struct snapshot snapshot;
    struct surface_forest forest;
    struct arena scratch;
    struct message message;
};

static bool stage_open(struct stage *stage, dent_context *context, const struct test_body *surface)
{
    message_clear(&stage->message, NULL);
    dent_body_id id;
    dent_body_def def = dent_surface_def_default();
    def.vertex_count = surface->vertex_count;
    def.element_count = surface->element_count;
    def.element_corners = surface->corners;
    def.positions_t0 = dent_positions_double(surface->xyz[0]);
    body_table_init(&stage->table, context);
    snapshot_init(&stage->snapshot, context);
    surface_forest_init(&stage->forest, context);
    arena_init(&stage->scratch, context);
    return body_table_add(&stage->table, &def, &stage->message, &id) == DENT_OK &&
           snapshot_read(&stage->snapshot, &stage->table, &stage->message) == DENT_OK;
}

static void stage_close(struct stage *stage)
{
    arena_destroy(&stage->scratch);
    surface_forest_destroy(&stage->forest);
    snapshot_destroy(&stage->snapshot);
    body_table_destroy(&stage->table);
}

/* ---- lists of pairs -------------------------------------------------------------------------- */

struct pair_list {
    uint64_t *keys; /* face a, face b, kind */
    size_t count, capacity;
};

static void pair_list_push(struct pair_list *list, uint32_t a, uint32_t b, uint32_t kind)
{
    if (list->count == list->capacity) {
        list->capacity = 2 * list->capacity + 64;
        list->keys = realloc(list->keys, list->capacity * sizeof *list->keys);
        assert_non_null(list->keys);
    }
    list->keys[list->count++] = ((uint64_t)a << 30 | b) << 4 | kind;
}

static int compare_keys(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void pair_list_sort(struct pair_list *list)
{
    if (list->count > 0) {
        qsort(list->keys, list->count, sizeof *list->keys, compare_keys);
    }
}

static bool begin_pairs(void *user, uint32_t block_count)
{
    (void)user;
    (void)block_count;
    return true;
}

static void take_pairs(void *user, uint32_t block, uint32_t worker, const dent_pair *pairs, size_t count)
{
    (void)block;
    (void)worker;
    for (size_t i = 0; i < count; i++) {
        pair_list_push(user, pairs[i].feature_a, pairs[i].feature_b, pairs[i].kind);
    }
}

enum culling_mode { CULLING_OFF, CULLING_ON, CULLING_NORMALS_ONLY };

struct question {
    enum culling_mode mode;
    enum region_cut cut;
    dent_isa isa;
    bool touching;
};

static void find_pairs(struct stage *stage, const struct question *question, struct pair_list *list,
                       struct culling_counts *counts)
{
    dent_isa isa = question->isa;
    const struct forest_refit refit = {.snapshot = &stage->snapshot};
    struct cancel_flag cancel = {0};
    struct crossing_search search = {.forest = &stage->forest,
                                     .snapshot = &stage->snapshot,
                                     .isa = isa,
                                     .cancel = &cancel,
                                     .touching = question->touching,
                                     .culling = question->mode != CULLING_OFF,
                                     .user = list,
                                     .begin = begin_pairs,
                                     .take = take_pairs};
    *counts = (struct culling_counts){0};
    stage->snapshot.reading++; /* as if positions were read again: nothing made before counts */
    stage->forest.cut = question->cut;
    assert_true(surface_forest_update(&stage->forest, &stage->snapshot, &stage->scratch));
    assert_true(surface_forest_refit(&stage->forest, &refit, isa, &stage->scratch));
    if (question->mode != CULLING_OFF) {
        struct surface_tree *tree = stage->forest.bodies[0].tree;
        if (!tree->culling) {
            tree->culling = surface_culling_create(tree, stage->snapshot.bodies[0].body);
            assert_non_null(tree->culling);
        }
        tree->culling->trust_normals = question->mode == CULLING_NORMALS_ONLY;
        tree->culling->always = true;
        assert_true(surface_culling_run(&stage->forest, &stage->snapshot, isa, &stage->scratch, counts));
    }
    list->count = 0;
    assert_true(surface_crossings_find(&search, &stage->scratch));
    pair_list_sort(list);
    arena_reset(&stage->scratch);
}

static bool share_vertex(const uint32_t *a, const uint32_t *b)
{
    for (int i = 0; i < 9; i++) {
        if (a[i / 3] == b[i % 3]) {
            return true;
        }
    }
    return false;
}

/* All pairs, exact; boxes first, which are exact too. */
static void find_pairs_by_force(const struct test_body *surface, bool touching, struct pair_list *list)
{
    predicate_counters counters = {0};
    uint32_t count = surface->element_count;
    double(*boxes)[6] = test_allocate(count, sizeof *boxes);
    for (uint32_t face = 0; face < count; face++) {
        for (int axis = 0; axis < 3; axis++) {
            boxes[face][axis] = INFINITY;
            boxes[face][axis + 3] = -INFINITY;
            for (int k = 0; k < 3; k++) {
                double x = surface->xyz[surface->corners[3 * face + (uint32_t)k]][axis];
                boxes[face][axis] = x < boxes[face][axis] ? x : boxes[face][axis];
                boxes[face][axis + 3] = x > boxes[face][axis + 3] ? x : boxes[face][axis + 3];
            }
        }
    }
    list->count = 0;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = i + 1; j < count; j++) {
            const uint32_t *a = surface->corners + 3 * (size_t)i, *b = surface->corners + 3 * (size_t)j;
            if (boxes[i][0] > boxes[j][3] || boxes[j][0] > boxes[i][3] || boxes[i][1] > boxes[j][4] ||
                boxes[j][1] > boxes[i][4] || boxes[i][2] > boxes[j][5] || boxes[j][2] > boxes[i][5] ||
                share_vertex(a, b)) {
                continue;
            }
            const double *const p[3] = {surface->xyz[a[0]], surface->xyz[a[1]], surface->xyz[a[2]]};
            const double *const q[3] = {surface->xyz[b[0]], surface->xyz[b[1]], surface->xyz[b[2]]};
            face_pair_kind kind = triangle_versus_triangle(p, q, &counters);
            if (kind == FACE_PAIR_CROSSING) {
                pair_list_push(list, i, j, DENT_PAIR_CROSSING);
            } else if (kind == FACE_PAIR_COPLANAR) {
                pair_list_push(list, i, j, DENT_PAIR_COPLANAR);
            } else if (kind == FACE_PAIR_TOUCHING && touching) {
                pair_list_push(list, i, j, DENT_PAIR_TOUCHING);
            }
        }
    }
    free(boxes);
    pair_list_sort(list);
}

static bool same_lists(const struct pair_list *a, const struct pair_list *b)
{
    return a->count == b->count && (a->count == 0 || memcmp(a->keys, b->keys, a->count * sizeof *a->keys) == 0);
}

/* ---- the tests ------------------------------------------------------------------------------- */

static uint64_t runs_wanted(uint64_t usual)
{
    return getenv("DENT_QUICK_TESTS") ? usual / 10 + 1 : getenv("DENT_LONG_TESTS") ? usual * 8 : usual;
}

/* Kinds that answer with nearly all pairs stay small. */
static uint32_t random_size(int kind, uint64_t seed)
{
    static const uint32_t sizes[] = {40, 120, 250, 20, 500, 80, 8};
    uint32_t size = sizes[seed % (sizeof sizes / sizeof sizes[0])];
    bool dense = kind == SURFACE_ZERO_AREA || kind == SURFACE_KNOTTED_SOUP || kind == SURFACE_NOISE ||
                 kind == SURFACE_CLOSED_SMALL;
    return dense && size > 100 ? 100 : size;
}

struct tally {
    uint64_t surfaces, with_answers, runs, pairs, culled, neighbours, lossy;
};

static void compare_surface(dent_context *context, int kind, uint64_t seed, struct tally *tally)
{
    struct test_body surface = random_surface_make(kind, seed, random_size(kind, seed));
    struct stage stage;
    struct pair_list expected = {0}, found = {0};
    struct culling_counts counts, scalar = {0};
    struct question question = {.touching = seed % 3 == 1, .cut = (enum region_cut)(seed / 2 % REGION_CUT_COUNT)};
    assert_true(stage_open(&stage, context, &surface));
    find_pairs_by_force(&surface, question.touching, &expected);
    question.cut = seed % 2 ? question.cut : REGION_CUT_MERGE;
    for (int isa = DENT_ISA_SCALAR; isa < DENT_ISA_COUNT; isa++) {
        if (!dent_isa_available((dent_isa)isa) || (isa == DENT_ISA_AVX2 && seed % 4)) {
            continue;
        }
        for (int mode = CULLING_OFF; mode <= CULLING_ON; mode++) {
            question.mode = (enum culling_mode)mode;
            question.isa = (dent_isa)isa;
            find_pairs(&stage, &question, &found, &counts);
            if (!same_lists(&expected, &found)) {
                fail_msg("%s, seed %u: %zu pairs instead of %zu (culling %d, cut %d, isa %d)",
                         random_surface_name(kind), (unsigned)seed, found.count, expected.count, mode,
                         (int)question.cut, isa);
            }
            tally->runs++;
        }
        assert_true(isa == DENT_ISA_SCALAR || memcmp(&scalar, &counts, sizeof counts) == 0);
        scalar = isa == DENT_ISA_SCALAR ? counts : scalar;
    }
    tally->culled += counts.nodes_culled + counts.pairs_culled;
    tally->neighbours += counts.pairs;
    question.mode = CULLING_NORMALS_ONLY;
    find_pairs(&stage, &question, &found, &counts);
    tally->lossy += found.count < expected.count;
    tally->surfaces++;
    tally->pairs += expected.count;
    tally->with_answers += expected.count > 0;
    free(expected.keys);
    free(found.keys);
    stage_close(&stage);
    random_surface_free(&surface);
}

static void no_pair_is_ever_lost(void **state)
{
    uint64_t seeds = runs_wanted(140);
    struct tally all = {0};
    for (int kind = 0; kind < SURFACE_KIND_COUNT; kind++) {
        struct tally tally = {0};
        for (uint64_t seed = 0; seed < seeds; seed++) {
            compare_surface(*state, kind, seed, &tally);
        }
        print_message(
            "%-15s %5u surfaces, %5u with answers, %8u pairs, %5.1f %% of neighbours culled; normals alone lose in "
            "%u\n",
            random_surface_name(kind), (unsigned)tally.surfaces, (unsigned)tally.with_answers, (unsigned)tally.pairs,
            100.0 * (double)tally.culled / (double)(tally.neighbours ? tally.neighbours : 1), (unsigned)tally.lossy);
        all.surfaces += tally.surfaces;
        all.with_answers += tally.with_answers;
        all.runs += tally.runs;
        all.lossy += tally.lossy;
    }
    print_message("%u surfaces, %u with answers, %u runs; without the contour test %u lose pairs\n",
                  (unsigned)all.surfaces, (unsigned)all.with_answers, (unsigned)all.runs, (unsigned)all.lossy);
    assert_true(2 * all.with_answers >= all.surfaces);
    assert_true(all.lossy > all.surfaces / 200); /* the control: normals alone are not enough */
}

/* The marks themselves, level by level. */
static uint64_t marks_hash(const struct surface_tree *tree)
{
    uint64_t hash = UINT64_C(0xCBF29CE484222325);
    for (uint32_t number = 0; number < tree->level_count; number++) {
        const struct tree_level *level = &tree->levels[number];
        for (uint32_t i = 0; i < level->count + level->pair_count; i++) {
            uint8_t byte = i < level->count ? level->node_culled[i] : level->pair_culled[i - level->count];
            hash = (hash ^ byte) * UINT64_C(0x100000001B3);
        }
    }
    return hash;
}

/* Large enough for the loops inside a tree to have many blocks. */
static void marks_do_not_depend_on_threads_or_instructions(void **state)
{
    (void)state;
    struct test_body surface = random_surface_make(SURFACE_CRUMPLED, 17, getenv("DENT_QUICK_TESTS") ? 20000 : 80000);
    uint64_t expected = 0;
    for (int isa = DENT_ISA_SCALAR; isa < DENT_ISA_COUNT; isa++) {
        for (uint32_t threads = 1; threads <= 3 && dent_isa_available((dent_isa)isa); threads++) {
            dent_context_def def = dent_context_def_default();
            def.thread_count = threads;
            dent_context *context = dent_context_create(&def, NULL);
            struct stage stage;
            struct culling_counts counts = {0};
            assert_true(stage_open(&stage, context, &surface));
            assert_true(surface_forest_update(&stage.forest, &stage.snapshot, &stage.scratch));
            assert_true(surface_forest_refit(&stage.forest, &(struct forest_refit){.snapshot = &stage.snapshot},
                                             (dent_isa)isa, &stage.scratch));
            assert_true(surface_culling_run(&stage.forest, &stage.snapshot, (dent_isa)isa, &stage.scratch, &counts));
            uint64_t hash = marks_hash(stage.forest.bodies[0].tree);
            assert_true(counts.nodes_culled > 0 && counts.pairs_culled > 0);
            expected = expected ? expected : hash;
            assert_true(hash == expected);
            stage_close(&stage);
            dent_context_destroy(context);
        }
    }
    random_surface_free(&surface);
}

/* The fact that speed rests on: of a gently curved sheet nothing is left to search, of a crumpled one little. */
static void a_gently_curved_sheet_is_culled_as_a_whole(void **state)
{
    struct test_body surface = random_surface_make(SURFACE_GENTLE, 5, 20000);
    struct stage stage;
    struct pair_list found = {0};
    struct culling_counts counts;
    assert_true(stage_open(&stage, *state, &surface));
    find_pairs(&stage, &(struct question){.mode = CULLING_ON, .isa = DENT_ISA_SCALAR}, &found, &counts);
    print_message("%u of %u neighbours culled by looking at %u regions\n",
                  (unsigned)(counts.nodes_culled + counts.pairs_culled), (unsigned)counts.pairs,
                  (unsigned)counts.regions_tested);
    assert_true(100 * (counts.nodes_culled + counts.pairs_culled) >= 99 * counts.pairs);
    assert_int_equal(found.count, 0);
    free(found.keys);
    stage_close(&stage);
    random_surface_free(&surface);
}

static bool cull_once(struct stage *stage, struct culling_counts *counts)
{
    dent_isa isa = DENT_ISA_SCALAR;
    stage->snapshot.reading++;
    bool good = surface_forest_update(&stage->forest, &stage->snapshot, &stage->scratch) &&
                surface_forest_refit(&stage->forest, &(struct forest_refit){.snapshot = &stage->snapshot}, isa,
                                     &stage->scratch) &&
                surface_culling_run(&stage->forest, &stage->snapshot, isa, &stage->scratch, counts);
    arena_reset(&stage->scratch);
    return good;
}

static void running_out_of_memory_leaves_nothing_behind_and_later_runs_need_none(void **state)
{
    (void)state;
    static const int kinds[] = {SURFACE_CUTS_AND_HOLES, SURFACE_GENTLE, SURFACE_SOUP};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        struct failing_allocator memory = failing_allocator_make();
        dent_context_def def = dent_context_def_default();
        def.allocator = failing_allocator_hook(&memory);
        def.thread_count = 1;
        dent_context *context = dent_context_create(&def, NULL);
        struct test_body surface = random_surface_make(kinds[k], 4, 700);
        struct stage stage;
        struct culling_counts counts = {0};
        bool good = false;
        uint64_t n = 0;
        assert_true(stage_open(&stage, context, &surface));
        while (!good) {
            memory.requests = 0;
            memory.fail_at = ++n;
            good = cull_once(&stage, &counts);
            memory.fail_at = 0;
        }
        assert_true(n > 20);
        assert_true(cull_once(&stage, &counts));
        memory.requests = 0;
        assert_true(cull_once(&stage, &counts));
        assert_int_equal(memory.requests, 0);
        stage_close(&stage);
        dent_context_destroy(context);
        assert_true(failing_allocator_clean(&memory));
        random_surface_free(&surface);
    }
}

/* Where nothing can be proven the culling steps aside, and looks again now and then. */
static void a_surface_that_does_not_profit_is_passed_over(void **state)
{
    struct test_body surface = random_surface_make(SURFACE_CLOSED_SMALL, 1, 2000);
    struct stage stage;
    struct culling_counts counts = {0};
    assert_true(stage_open(&stage, *state, &surface));
    uint32_t tried = 0;
    for (int query = 0; query < 33; query++) {
        counts = (struct culling_counts){0};
        assert_true(cull_once(&stage, &counts));
        const struct surface_tree *tree = stage.forest.bodies[0].tree;
        assert_int_equal(counts.pairs > 0, tree->levels[0].node_culled != NULL);
        tried += counts.pairs > 0;
    }
    assert_int_equal(tried, 3);
    stage_close(&stage);
    random_surface_free(&surface);
}

/* Both kernels in every instruction set against doubles, on coordinates that are themselves exact. */
static void kernels_agree_with_doubles(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(11);
    uint32_t with_mask = 0;
    for (int turn = 0; turn < 3000; turn++) {
        struct leaf_points points;
        struct leaf_corners corners;
        memset(&points, 0, sizeof points);
        double flatness = turn % 3 ? 0.05 : 1;
        for (int i = 0; i < LEAF_VERTICES; i++) {
            points.x[0][i] = (float)test_between(&random, -1, 1);
            points.x[1][i] = (float)test_between(&random, -1, 1);
            points.x[2][i] = (float)(flatness * test_between(&random, -1, 1));
        }
        for (uint32_t face = 0; face < LEAF_FACES; face++) { /* turned so that most normals point up */
            uint8_t a = (uint8_t)dent_random_below(&random, 16), b = (uint8_t)dent_random_below(&random, 16);
            uint8_t c = (uint8_t)dent_random_below(&random, 16);
            double area =
                ((double)points.x[0][b] - (double)points.x[0][a]) * ((double)points.x[1][c] - (double)points.x[1][a]) -
                ((double)points.x[1][b] - (double)points.x[1][a]) * ((double)points.x[0][c] - (double)points.x[0][a]);
            bool rotated = area < 0;
            corners.of[0][face] = a;
            corners.of[1][face] = rotated ? c : b;
            corners.of[2][face] = rotated ? b : c;
        }
        uint32_t sure = CURVATURE_ALL;
        for (uint32_t face = 0; face < LEAF_FACES; face++) {
            double e[2][3], n[3];
            for (int i = 0; i < 3; i++) {
                double p = (double)points.x[i][corners.of[0][face]];
                e[0][i] = (double)points.x[i][corners.of[1][face]] - p;
                e[1][i] = (double)points.x[i][corners.of[2][face]] - p;
            }
            for (int i = 0; i < 3; i++) {
                int j = (i + 1) % 3, k = (i + 2) % 3;
                n[i] = e[0][j] * e[1][k] - e[0][k] * e[1][j];
            }
            for (int d = 0; d < CURVATURE_AXES; d++) {
                double height = n[0] * curvature_axes[d][0] + n[1] * curvature_axes[d][1] + n[2] * curvature_axes[d][2];
                sure &= height > 0 ? CURVATURE_ALL : ~(1u << d);
                sure &= height < 0 ? CURVATURE_ALL : ~(1u << (d + CURVATURE_AXES));
            }
        }
        struct leaf_curvature first;
        for (int isa = DENT_ISA_SCALAR; isa < DENT_ISA_COUNT; isa++) {
            if (dent_isa_available((dent_isa)isa)) {
                struct leaf_curvature curvature;
                curvature_kernels_for((dent_isa)isa)->leaf(&points, &corners, &curvature);
                first = isa == DENT_ISA_SCALAR ? curvature : first;
                assert_int_equal(curvature.mask & ~sure, 0);
                assert_memory_equal(&first, &curvature, sizeof first);
            }
        }
        with_mask += first.mask != 0;
    }
    assert_true(with_mask > 100);
}

/* Turns beyond the bound are turns of the true positions: polygons with an edge that is radial but for about a
 * rounding. */
static void turns_beyond_the_bound_are_true_turns(void **state)
{
    (void)state;
    enum { CORNERS = 12 };
    dent_random random = dent_random_seeded(168);
    uint32_t told = 0, wrong = 0;
    for (uint64_t turn = 0; turn < runs_wanted(20000); turn++) {
        struct leaf_points pair[2], *points = &pair[0]; /* one more is readable */
        _Alignas(64) float a[64], b[64], xyz[192];
        double x[CORNERS + 1][2], off = ldexp(test_between(&random, -1, 1), -16 - (int)dent_random_below(&random, 12));
        int close = (int)dent_random_below(&random, CORNERS / 2);
        memset(pair, 0, sizeof pair);
        for (int i = 0; i < CORNERS; i++) { /* every second corner lies farther out, once at nearly the same angle */
            double angle = 6.283185307179586 * (i / 2 + 0.1) / (CORNERS / 2), radius = i % 2 ? 0.9 : 0.4;
            double aside = i % 2 == 0 ? 0 : i / 2 == close ? off : 0.1;
            x[i][0] = radius * cos(angle) - aside * sin(angle);
            x[i][1] = radius * sin(angle) + aside * cos(angle);
            points->x[0][i] = (float)x[i][0];
            points->x[1][i] = (float)x[i][1];
        }
        memcpy(x[CORNERS], x[0], sizeof x[0]);
        static const float origin[3] = {0, 0, 0};
        struct polygon_run run = {0, CORNERS};
        struct star_question question = {.points = &points->x[0][0],
                                         .runs = &run,
                                         .run_count = 1,
                                         .count = CORNERS,
                                         .basis = curvature_bases[2],
                                         .a = a,
                                         .b = b,
                                         .xyz = xyz,
                                         .centre = origin};
        struct star_answer answer;
        assert_true(3 * star_room(CORNERS) <= 192 && star_room(CORNERS) <= 64);
        curvature_kernels_for(DENT_ISA_SCALAR)->star(&question, &answer);
        double least = INFINITY;
        for (int i = 0; i < CORNERS; i++) {
            least = fmin(least, x[i][0] * x[i + 1][1] - x[i + 1][0] * x[i][1]);
        }
        bool beyond = (double)answer.least_turn > star_bound(&answer);
        assert_true(!beyond || least > 0);
        told += beyond;
        wrong += answer.least_turn > 0 && least <= 0; /* without the bound */
    }
    assert_true(told > 20 && wrong > 20);
}

static void bases_turn_about_their_directions(void **state)
{
    (void)state;
    for (int direction = 0; direction < 2 * CURVATURE_AXES; direction++) {
        int axis = direction % CURVATURE_AXES, sign = direction < CURVATURE_AXES ? 1 : -1;
        const float *e = curvature_bases[direction][0], *f = curvature_bases[direction][1];
        for (int i = 0; i < 3; i++) {
            int j = (i + 1) % 3, k = (i + 2) % 3;
            assert_true(e[j] * f[k] - e[k] * f[j] == (float)(sign * curvature_axes[axis][i]));
        }
        for (int v = 0; v < 2; v++) {
            const float *base = curvature_bases[direction][v];
            assert_true(fabsf(base[0]) + fabsf(base[1]) + fabsf(base[2]) <= 2);
        }
    }
}

/* One thread: lists are filled by whoever finds something. */
int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bases_turn_about_their_directions),
        cmocka_unit_test(turns_beyond_the_bound_are_true_turns),
        cmocka_unit_test(kernels_agree_with_doubles),
        cmocka_unit_test(marks_do_not_depend_on_threads_or_instructions),
        cmocka_unit_test(a_gently_curved_sheet_is_culled_as_a_whole),
        cmocka_unit_test(a_surface_that_does_not_profit_is_passed_over),
        cmocka_unit_test(running_out_of_memory_leaves_nothing_behind_and_later_runs_need_none),
        cmocka_unit_test(no_pair_is_ever_lost),
    };
    return cmocka_run_group_tests(tests, test_open_context_of_one, test_close_context);
}
