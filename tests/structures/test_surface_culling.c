/* The self-collision culling never loses a pair: over thousands of surfaces of all kinds, with and without culling, for every cut and
 * instruction set, the pairs found are those of the all-pairs oracle. The same surfaces with the contour test left out (normals only) must
 * lose pairs, or the test could not fail. Kernels and tables are checked against plain exact arithmetic.
 */
#include "support/cmocka_includes.h"

#include <math.h>

#include "support/failing_allocator.h"
#include "support/random_surface.h"

#include "bodies/pose.h"
#include "geometry/triangle_predicates.h"
#include "structures/culling_groups.h"
#include "structures/surface_crossings.h"
#include "structures/surface_regions.h"

/* ---- a stage: one surface in a table, its pose, a forest ----------------------------------------------------------------- */

struct stage {
    struct body_table table;
    struct pose pose;
    struct surface_forest forest;
    struct arena scratch;
    struct message message;
};

static bool stage_open(struct stage *stage, dent_context *context, const struct test_body *surface)
{
    dent_body_id id;
    dent_body_def def = dent_surface_def_default();
    def.vertex_count = surface->vertex_count;
    def.element_count = surface->element_count;
    def.element_corners = surface->corners;
    def.positions_t0 = dent_positions_double(surface->xyz[0]);
    body_table_init(&stage->table, context);
    pose_init(&stage->pose, context);
    surface_forest_init(&stage->forest, context);
    arena_init(&stage->scratch, context);
    return body_table_add(&stage->table, &def, &stage->message, &id) == DENT_OK &&
           pose_read(&stage->pose, &stage->table, &stage->message) == DENT_OK;
}

static void stage_close(struct stage *stage)
{
    arena_destroy(&stage->scratch);
    surface_forest_destroy(&stage->forest);
    pose_destroy(&stage->pose);
    body_table_destroy(&stage->table);
}

/* ---- lists of pairs ------------------------------------------------------------------------------------------------------ */

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

static void find_pairs(struct stage *stage, const struct question *question, struct pair_list *list, struct culling_counts *counts)
{
    const struct kernels *kernels = kernels_for(question->isa);
    const struct forest_refit refit = {.pose = &stage->pose};
    struct cancel_flag cancel = {0};
    struct crossing_search search = {.forest = &stage->forest,
                                     .pose = &stage->pose,
                                     .kernels = kernels,
                                     .cancel = &cancel,
                                     .touching = question->touching,
                                     .culling = question->mode != CULLING_OFF,
                                     .user = list,
                                     .begin = begin_pairs,
                                     .take = take_pairs};
    *counts = (struct culling_counts){0};
    stage->forest.cut = question->cut;
    assert_true(surface_forest_update(&stage->forest, &stage->pose, &stage->scratch));
    assert_true(surface_forest_refit(&stage->forest, &refit, kernels, &stage->scratch));
    if (question->mode != CULLING_OFF) {
        struct surface_tree *tree = stage->forest.bodies[0].tree;
        if (!tree->culling) {
            tree->culling = surface_culling_create(tree, stage->pose.bodies[0].body);
            assert_non_null(tree->culling);
        }
        tree->culling->trust_normals = question->mode == CULLING_NORMALS_ONLY;
        tree->culling->always = true;
        assert_true(surface_culling_run(&stage->forest, &stage->pose, kernels, &stage->scratch, counts));
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
            if (boxes[i][0] > boxes[j][3] || boxes[j][0] > boxes[i][3] || boxes[i][1] > boxes[j][4] || boxes[j][1] > boxes[i][4] ||
                boxes[i][2] > boxes[j][5] || boxes[j][2] > boxes[i][5] || share_vertex(a, b)) {
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

/* ---- the tests ----------------------------------------------------------------------------------------------------------- */

static uint64_t runs_wanted(uint64_t usual)
{
    return getenv("DENT_QUICK_TESTS") ? usual / 10 + 1 : getenv("DENT_LONG_TESTS") ? usual * 8 : usual;
}

static uint32_t random_size(uint64_t seed)
{
    static const uint32_t sizes[] = {40, 120, 250, 20, 500, 80, 8};
    return sizes[seed % (sizeof sizes / sizeof sizes[0])];
}

struct tally {
    uint64_t surfaces, with_answers, runs, pairs, culled, neighbours, lossy;
};

static void compare_surface(dent_context *context, int kind, uint64_t seed, struct tally *tally)
{
    struct test_body surface = random_surface_make(kind, seed, random_size(seed));
    struct stage stage;
    struct pair_list expected = {0}, found = {0};
    struct culling_counts counts;
    struct question question = {.touching = seed % 3 == 1, .cut = (enum region_cut)(seed / 2 % REGION_CUT_COUNT)};
    assert_true(stage_open(&stage, context, &surface));
    find_pairs_by_force(&surface, question.touching, &expected);
    question.cut = seed % 2 ? question.cut : REGION_CUT_MERGE;
    for (int isa = DENT_ISA_SCALAR; isa < DENT_ISA_COUNT; isa++) {
        if (!dent_isa_available((dent_isa)isa) || (isa == DENT_ISA_AVX2 && seed % 4)) {
            continue;
        }
        struct culling_counts first = {0};
        for (int mode = CULLING_OFF; mode <= CULLING_ON; mode++) {
            question.mode = (enum culling_mode)mode;
            question.isa = (dent_isa)isa;
            find_pairs(&stage, &question, &found, &counts);
            if (!same_lists(&expected, &found)) {
                fail_msg("%s, seed %u: %zu pairs instead of %zu (culling %d, cut %d, isa %d)", random_surface_name(kind), (unsigned)seed,
                         found.count, expected.count, mode, (int)question.cut, isa);
            }
            tally->runs++;
        }
        assert_true(isa == DENT_ISA_SCALAR || first.pairs == 0 || memcmp(&first, &counts, sizeof counts) == 0);
        first = counts;
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
        print_message("%-15s %5u surfaces, %5u with answers, %8u pairs, %5.1f %% of neighbours culled; normals alone lose in %u\n",
                      random_surface_name(kind), (unsigned)tally.surfaces, (unsigned)tally.with_answers, (unsigned)tally.pairs,
                      100.0 * (double)tally.culled / (double)(tally.neighbours ? tally.neighbours : 1), (unsigned)tally.lossy);
        all.surfaces += tally.surfaces;
        all.with_answers += tally.with_answers;
        all.runs += tally.runs;
        all.lossy += tally.lossy;
    }
    print_message("%u surfaces, %u with answers, %u runs; without the contour test %u lose pairs\n", (unsigned)all.surfaces,
                  (unsigned)all.with_answers, (unsigned)all.runs, (unsigned)all.lossy);
    assert_true(2 * all.with_answers >= all.surfaces);
    assert_true(all.lossy > all.surfaces / 200); /* the control: normals alone are not enough */
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

static int open_context(void **state)
{
    *state = dent_context_create(NULL, NULL);
    return *state ? 0 : -1;
}

static int close_context(void **state)
{
    dent_context_destroy(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bases_turn_about_their_directions),
        cmocka_unit_test(no_pair_is_ever_lost),
    };
    return cmocka_run_group_tests(tests, open_context, close_context);
}
