/* The surface forest: everything is owned once, boxes contain what they stand for (at rest, in motion, grown), and a
 * visit meets every pair of leaves whose boxes meet exactly once, in the same order for any number of threads and any
 * instruction set. */
#include "support/cmocka_includes.h"

#include "support/failing_allocator.h"
#include "support/random_surface.h"
#include "support/test_context.h"

#include <math.h>

#include "base/containers/dynamic_array.h"
#include "bodies/snapshot.h"
#include "geometry/predicates/triangle_predicates.h"
#include "structures/surface/leaf_features.h"
#include "structures/surface/surface_crossings.h"
#include "structures/surface/surface_forest.h"
#include "structures/surface/surface_regions.h"
#include "structures/surface/surface_tree.h"

enum { BODIES_MAX = 4 };

struct stage {
    dent_context *context;
    struct body_table table;
    struct snapshot snapshot;
    struct surface_forest forest;
    struct arena scratch;
    struct test_body surfaces[BODIES_MAX];
    double (*ends[BODIES_MAX])[3];
    uint32_t body_count;
};

static void stage_open(struct stage *stage, dent_context *context, uint64_t seed)
{
    dent_random random = dent_random_seeded(seed);
    struct message message = {0};
    *stage = (struct stage){.context = context, .body_count = 1 + dent_random_below(&random, BODIES_MAX)};
    body_table_init(&stage->table, context);
    snapshot_init(&stage->snapshot, context);
    surface_forest_init(&stage->forest, context);
    arena_init(&stage->scratch, context);
    for (uint32_t i = 0; i < stage->body_count; i++) {
        int kind = (int)((seed * 5 + i) % SURFACE_KIND_COUNT);
        kind = kind == SURFACE_HUGE || kind == SURFACE_TINY ? (i == 0 && seed % 2 ? kind : SURFACE_CRUMPLED) : kind;
        struct test_body *surface = &stage->surfaces[i];
        *surface = random_surface_make(kind, seed + i, 1 + dent_random_below(&random, seed % 3 ? 300 : 3000));
        stage->ends[i] = test_allocate((size_t)surface->vertex_count + 1, sizeof stage->ends[i][0]);
        for (uint32_t vertex = 0; vertex < surface->vertex_count; vertex++) {
            for (int axis = 0; axis < 3; axis++) {
                stage->ends[i][vertex][axis] = surface->xyz[vertex][axis] * (0.9 + 0.2 * dent_random_unit(&random));
            }
        }
        dent_body_def def = dent_surface_def_default();
        def.vertex_count = surface->vertex_count;
        def.element_count = surface->element_count;
        def.element_corners = surface->corners;
        def.positions_t0 = dent_positions_double(surface->xyz[0]);
        def.self_collision = dent_random_below(&random, 5) != 0;
        def.collision_mask = dent_random_below(&random, 5) == 0 ? 2 : UINT32_MAX;
        dent_same_as tie = {0};
        if (i > 0 && seed % 4 == 0 && surface->vertex_count > 0 && stage->surfaces[i - 1].vertex_count > 0) {
            tie.other = body_table_id_at(&stage->table, i - 1);
            def.same_as = &tie;
            def.same_as_count = 1;
        }
        dent_body_id id;
        assert_int_equal(body_table_add(&stage->table, &def, &message, &id), DENT_OK);
    }
    assert_int_equal(snapshot_read(&stage->snapshot, &stage->table, &message), DENT_OK);
}

static void stage_close(struct stage *stage)
{
    surface_forest_destroy(&stage->forest);
    snapshot_destroy(&stage->snapshot);
    body_table_destroy(&stage->table);
    arena_destroy(&stage->scratch);
    for (uint32_t i = 0; i < stage->body_count; i++) {
        random_surface_free(&stage->surfaces[i]);
        free(stage->ends[i]);
    }
}

static void refit(struct stage *stage, bool moving, const double *grow)
{
    const double(*ends[BODIES_MAX])[3];
    for (uint32_t i = 0; i < stage->body_count; i++) {
        ends[i] = (const double(*)[3])stage->ends[i];
    }
    struct forest_refit how = {.snapshot = &stage->snapshot, .ends = moving ? ends : NULL, .grow = grow};
    stage->snapshot.reading++; /* as if positions were read again */
    assert_true(surface_forest_refit(&stage->forest, &how, dent_context_isa(stage->context), &stage->scratch));
}

/* ---- ownership ---- */

static void check_ownership(const struct body *body, const struct forest_body *forest)
{
    uint8_t *faces = test_allocate(body->surface_face_count, 1), *vertices = test_allocate(body->vertex_count, 1);
    uint8_t *edges = test_allocate(body->edge_count, 1);
    for (uint32_t number = 0; number < forest->leaf_count; number++) {
        const struct surface_leaf *leaf = &forest->leaves[number];
        assert_in_range(leaf->face_count, 1, LEAF_FACES);
        assert_in_range(leaf->vertex_count, 3, LEAF_VERTICES);
        for (uint32_t face = 0; face < leaf->face_count; face++) {
            faces[leaf->faces[face]]++;
            for (int k = 0; k < 3; k++) {
                assert_int_equal(leaf->vertices[leaf->corners[k][face]],
                                 body->surface_faces[leaf->faces[face]].corners[k]);
            }
        }
        for (uint32_t place = 0; place < leaf->vertex_count; place++) {
            vertices[leaf->vertices[place]] += leaf->owned_vertices >> place & 1;
        }
        assert_int_equal(leaf->owned_vertices >> (leaf->vertex_count - 1) >> 1, 0);
        for (uint32_t edge = 0; edge < leaf->edge_count; edge++) {
            uint32_t a = leaf->vertices[leaf->edge_ends[0][edge]], b = leaf->vertices[leaf->edge_ends[1][edge]];
            edges[leaf->edges[edge]]++;
            assert_int_equal(body->edges[leaf->edges[edge]].v0, a < b ? a : b);
            assert_int_equal(body->edges[leaf->edges[edge]].v1, a < b ? b : a);
        }
    }
    for (uint32_t face = 0; face < body->surface_face_count; face++) {
        assert_int_equal(faces[face], 1);
    }
    for (uint32_t vertex = 0; vertex < body->vertex_count; vertex++) {
        assert_int_equal(vertices[vertex], (body->vertex_use[vertex] & VERTEX_ON_SURFACE) != 0);
    }
    for (uint32_t edge = 0; edge < body->edge_count; edge++) {
        assert_int_equal(edges[edge], body->edge_is_surface[edge] != 0);
    }
    free(faces);
    free(vertices);
    free(edges);
}

static void every_face_vertex_and_edge_is_owned_once(void **state)
{
    (void)state;
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    for (uint64_t seed = 0; seed < 60; seed++) {
        struct stage stage;
        stage_open(&stage, context, seed);
        stage.forest.cut = (int)(seed % REGION_CUT_COUNT);
        assert_true(surface_forest_update(&stage.forest, &stage.snapshot, &stage.scratch));
        assert_int_equal(stage.forest.rebuilds, stage.body_count);
        for (uint32_t body_index = 0; body_index < stage.body_count; body_index++) {
            check_ownership(stage.snapshot.bodies[body_index].body, &stage.forest.bodies[body_index]);
        }
        assert_true(surface_forest_update(&stage.forest, &stage.snapshot, &stage.scratch));
        assert_int_equal(stage.forest.rebuilds, 0);
        stage_close(&stage);
    }
    dent_context_destroy(context);
}

/* ---- boxes ---- */

static float rounded(const struct forest_map *map, const double *point, int axis)
{
    return (float)((point[axis] - map->centre[axis]) * map->first * map->second);
}

static void check_boxes(const struct stage *stage, uint32_t body_index, bool moving, const double *grow)
{
    const struct surface_tree *tree = stage->forest.bodies[body_index].tree;
    const struct forest_map *map = &stage->forest.map;
    for (uint32_t number = 0; number < tree->leaf_count; number++) {
        const struct surface_leaf *leaf = &tree->leaves[number];
        for (uint32_t k = 0; k < 2u * leaf->vertex_count; k++) {
            bool end = k >= leaf->vertex_count;
            if (end && !moving) {
                break;
            }
            uint32_t vertex = leaf->vertices[k % leaf->vertex_count];
            const double *point =
                end ? stage->ends[body_index][vertex] : stage->snapshot.bodies[body_index].xyz[vertex];
            for (int axis = 0; axis < 3; axis++) {
                double x = (double)rounded(map, point, axis),
                       by = grow ? grow[body_index] * map->first * map->second : 0;
                by = by < 4 ? by : 4;
                assert_true((double)tree->levels[0].lo[axis][number] <= x - by);
                assert_true((double)tree->levels[0].hi[axis][number] >= x + by);
                assert_true(fabs(x) <= 1.0001);
                if (!end) {
                    assert_true((double)tree->points[number].x[axis][k] == x);
                }
            }
        }
    }
    for (uint32_t level = 1; level < tree->level_count; level++) {
        for (uint32_t node = 0; node < tree->levels[level - 1].count; node++) {
            for (int axis = 0; axis < tree->axis_count; axis++) {
                assert_true(tree->levels[level].lo[axis][node / 16] <= tree->levels[level - 1].lo[axis][node]);
                assert_true(tree->levels[level].hi[axis][node / 16] >= tree->levels[level - 1].hi[axis][node]);
            }
        }
    }
}

/* Two faces as far apart along an axis as they are grown together, to the last bit: their rounded coordinates are off
 * by more than that, and yet their boxes meet. */
static void grown_boxes_of_faces_at_the_grown_distance_meet(void **state)
{
    (void)state;
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    dent_random random = dent_random_seeded(257);
    uint32_t close = 0;
    for (int turn = 0; turn < 400; turn++) {
        static const uint32_t corners[3] = {0, 1, 2};
        double xyz[2][4][3], size = ldexp(1, (int)dent_random_below(&random, 1800) - 900);
        double gap = 0.5 * dent_random_unit(&random), base = dent_random_unit(&random);
        struct stage stage = {.context = context, .body_count = 2};
        struct message message = {0};
        body_table_init(&stage.table, context);
        snapshot_init(&stage.snapshot, context);
        surface_forest_init(&stage.forest, context);
        arena_init(&stage.scratch, context);
        for (int i = 0; i < 6; i++) {
            double *p = xyz[i / 3][i % 3];
            p[0] = (i / 3 ? base + gap : base) * size;
            p[1] = (2 * dent_random_unit(&random) - 1) * size;
            p[2] = (2 * dent_random_unit(&random) - 1) * size;
        }
        double apart = xyz[1][0][0] - xyz[0][0][0];
        const double grow[2] = {apart / 4, apart - apart / 4};
        for (int i = 0; i < 2; i++) {
            dent_body_def def = dent_surface_def_default();
            dent_body_id id;
            def.vertex_count = 3;
            def.element_count = 1;
            def.element_corners = corners;
            def.positions_t0 = dent_positions_double(xyz[i][0]);
            assert_int_equal(body_table_add(&stage.table, &def, &message, &id), DENT_OK);
        }
        assert_int_equal(snapshot_read(&stage.snapshot, &stage.table, &message), DENT_OK);
        assert_true(surface_forest_update(&stage.forest, &stage.snapshot, &stage.scratch));
        struct forest_refit how = {.snapshot = &stage.snapshot, .grow = grow};
        assert_true(surface_forest_refit(&stage.forest, &how, DENT_ISA_SCALAR, &stage.scratch));
        float end = stage.forest.bodies[0].tree->levels[0].hi[0][0];
        float begin = stage.forest.bodies[1].tree->levels[0].lo[0][0];
        assert_true(end >= begin);
        close += end - begin < 4 * FOREST_INPUT_ERROR; /* and no more is given away than need be */
        stage_close(&stage);
    }
    assert_int_equal(close, 400);
    dent_context_destroy(context);
}

static void boxes_contain_vertices_motions_and_growth_and_parents_contain_children(void **state)
{
    (void)state;
    static const int axes[] = {3, 7, 9, 13};
    static const dent_isa sets[] = {DENT_ISA_SCALAR, DENT_ISA_AVX2, DENT_ISA_AVX512};
    for (int set = 0; set < 3; set++) {
        dent_context *context = test_context(1, sets[set]);
        for (uint64_t seed = 0; context && seed < 40; seed++) {
            struct stage stage;
            stage_open(&stage, context, 100 + seed);
            double grow[BODIES_MAX];
            for (uint32_t i = 0; i < stage.body_count; i++) {
                grow[i] = seed % 7 == 0 ? 1e300 : stage.snapshot.largest * 0.01 * (double)i;
            }
            stage.forest.axis_count = axes[seed % 4];
            assert_true(surface_forest_update(&stage.forest, &stage.snapshot, &stage.scratch));
            for (int mode = 0; mode < 4; mode++) {
                refit(&stage, mode & 1, mode & 2 ? grow : NULL);
                for (uint32_t body_index = 0; body_index < stage.body_count; body_index++) {
                    check_boxes(&stage, body_index, mode & 1, mode & 2 ? grow : NULL);
                }
            }
            stage_close(&stage);
        }
        dent_context_destroy(context);
    }
}

/* ---- visits ---- */

struct visits {
    struct dynamic_array *blocks; /* struct leaf_pair */
    uint32_t block_count;
    dent_context *context;
};

static bool begin_visits(void *user, uint32_t block_count)
{
    struct visits *visits = user;
    visits->block_count = block_count;
    visits->blocks = test_allocate(block_count, sizeof *visits->blocks);
    for (uint32_t i = 0; i < block_count; i++) {
        array_init(&visits->blocks[i], visits->context, sizeof(struct leaf_pair));
    }
    return true;
}

static void note_visits(void *user, uint32_t block, uint32_t worker, const struct leaf_pair *pairs, uint32_t count)
{
    struct visits *visits = user;
    (void)worker;
    assert_true(array_push_many(&visits->blocks[block], pairs, count));
}

/* All visited pairs in the order of the blocks. */
static size_t visit(struct stage *stage, struct leaf_pair **list)
{
    struct visits visits = {.context = stage->context};
    struct leaf_pair_visitor visitor = {.user = &visits, .begin = begin_visits, .visit = note_visits};
    struct cancel_flag cancel = {0};
    uint64_t box_tests = 0;
    assert_true(surface_forest_visit_pairs(&stage->forest, &stage->snapshot, dent_context_isa(stage->context), &cancel,
                                           &stage->scratch, &visitor, &box_tests));
    size_t count = 0, next = 0;
    for (uint32_t i = 0; i < visits.block_count; i++) {
        count += visits.blocks[i].count;
    }
    *list = test_allocate(count, sizeof **list);
    for (uint32_t i = 0; i < visits.block_count; i++) {
        for (size_t k = 0; k < visits.blocks[i].count; k++) {
            (*list)[next++] = ((const struct leaf_pair *)visits.blocks[i].data)[k];
        }
        array_destroy(&visits.blocks[i]);
    }
    free(visits.blocks);
    return count;
}

static bool share_vertex(const struct stage *stage, uint32_t body_index_a, uint32_t leaf_a, uint32_t body_index_b,
                         uint32_t leaf_b)
{
    const struct surface_leaf *a = &stage->forest.bodies[body_index_a].leaves[leaf_a],
                              *b = &stage->forest.bodies[body_index_b].leaves[leaf_b];
    for (uint32_t i = 0; i < a->vertex_count; i++) {
        for (uint32_t k = 0; k < b->vertex_count; k++) {
            if (body_identity(stage->snapshot.bodies[body_index_a].body, a->vertices[i]) ==
                body_identity(stage->snapshot.bodies[body_index_b].body, b->vertices[k])) {
                return true;
            }
        }
    }
    return false;
}

static bool leaves_meet(const struct stage *stage, uint32_t body_index_a, uint32_t leaf_a, uint32_t body_index_b,
                        uint32_t leaf_b)
{
    const struct leaf_boxes *a = &stage->forest.bodies[body_index_a].boxes,
                            *b = &stage->forest.bodies[body_index_b].boxes;
    for (int axis = 0; axis < 3; axis++) {
        if (a->lo[axis][leaf_a] > b->hi[axis][leaf_b] || b->lo[axis][leaf_b] > a->hi[axis][leaf_a]) {
            return false;
        }
    }
    return bodies_may_meet(stage->snapshot.bodies[body_index_a].body, stage->snapshot.bodies[body_index_b].body);
}

static int order_of_pairs(const void *a, const void *b)
{
    const struct leaf_pair *p = a, *q = b;
    uint64_t keys[4] = {(uint64_t)p->body_index_a << 32 | p->leaf_a, (uint64_t)q->body_index_a << 32 | q->leaf_a,
                        (uint64_t)p->body_index_b << 32 | p->leaf_b, (uint64_t)q->body_index_b << 32 | q->leaf_b};
    return keys[0] != keys[1] ? (keys[0] < keys[1] ? -1 : 1) : keys[2] != keys[3] ? (keys[2] < keys[3] ? -1 : 1) : 0;
}

static uint64_t check_visits(const struct stage *stage, struct leaf_pair *list, size_t count)
{
    size_t next = 0;
    uint64_t sharing = 0;
    qsort(list, count, sizeof *list, order_of_pairs);
    for (uint32_t body_index_a = 0; body_index_a < stage->body_count; body_index_a++) {
        for (uint32_t leaf_a = 0; leaf_a < stage->forest.bodies[body_index_a].leaf_count; leaf_a++) {
            for (uint32_t body_index_b = body_index_a; body_index_b < stage->body_count; body_index_b++) {
                uint32_t first = body_index_a == body_index_b ? leaf_a : 0;
                for (uint32_t leaf_b = first; leaf_b < stage->forest.bodies[body_index_b].leaf_count; leaf_b++) {
                    if (!leaves_meet(stage, body_index_a, leaf_a, body_index_b, leaf_b)) {
                        continue;
                    }
                    assert_true(next < count);
                    assert_true(list[next].body_index_a == body_index_a && list[next].leaf_a == leaf_a);
                    assert_true(list[next].body_index_b == body_index_b && list[next].leaf_b == leaf_b);
                    if (share_vertex(stage, body_index_a, leaf_a, body_index_b, leaf_b)) {
                        assert_true(list[next].may_share);
                        sharing++;
                    }
                    next++;
                }
            }
        }
    }
    assert_int_equal(next, count);
    return sharing;
}

static void a_visit_meets_every_pair_of_leaves_whose_boxes_meet_once(void **state)
{
    (void)state;
    static const dent_isa sets[] = {DENT_ISA_SCALAR, DENT_ISA_AVX2, DENT_ISA_AVX512};
    uint64_t pairs = 0, sharing = 0;
    uint64_t seeds = getenv("DENT_QUICK_TESTS") ? 30 : 150;
    for (int set = 0; set < 3; set++) {
        dent_context *context = test_context(1, sets[set]);
        for (uint64_t seed = 0; context && seed < seeds; seed++) {
            struct stage stage;
            stage_open(&stage, context, 1000 + seed);
            double grow[BODIES_MAX];
            for (uint32_t i = 0; i < stage.body_count; i++) {
                grow[i] = stage.snapshot.largest * 0.02;
            }
            stage.forest.cut = (int)(seed % REGION_CUT_COUNT);
            assert_true(surface_forest_update(&stage.forest, &stage.snapshot, &stage.scratch));
            for (int mode = 0; mode < 3; mode++) {
                refit(&stage, mode == 1, mode == 2 ? grow : NULL);
                struct leaf_pair *list;
                size_t count = visit(&stage, &list);
                pairs += count;
                sharing += check_visits(&stage, list, count);
                free(list);
            }
            stage_close(&stage);
        }
        dent_context_destroy(context);
    }
    print_message("%llu pairs of leaves, %llu share a vertex\n", (unsigned long long)pairs,
                  (unsigned long long)sharing);
    assert_true(pairs > 10000 && sharing > 3000 && pairs > 2 * sharing);
}

static void visits_are_the_same_for_1_2_3_and_8_threads_and_any_volume(void **state)
{
    (void)state;
    static const uint32_t threads[] = {1, 2, 3, 8};
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct leaf_pair *first = NULL, *list;
        size_t first_count = 0;
        for (int k = 0; k < 4; k++) {
            dent_context *context = test_context(threads[k], DENT_ISA_AUTO);
            struct stage stage;
            stage_open(&stage, context, 3000 + 3 * seed);
            stage.forest.axis_count = seed % 2 ? 3 : 9;
            assert_true(surface_forest_update(&stage.forest, &stage.snapshot, &stage.scratch));
            refit(&stage, false, NULL);
            size_t count = visit(&stage, &list);
            if (k == 0) {
                first = list;
                first_count = count;
            } else {
                assert_int_equal(count, first_count);
                for (size_t i = 0; i < count; i++) {
                    assert_int_equal(order_of_pairs(&first[i], &list[i]), 0);
                }
                free(list);
            }
            stage_close(&stage);
            dent_context_destroy(context);
        }
        free(first);
    }
}

/* ---- crossings of faces with a common vertex ---- */

struct crossings {
    struct dynamic_array answers; /* dent_pair */
};

static bool begin_crossings(void *user, uint32_t block_count)
{
    (void)user;
    (void)block_count;
    return true;
}

static void note_answers(void *user, uint32_t block, uint32_t worker, const dent_pair *pairs, size_t count)
{
    (void)block;
    (void)worker;
    assert_true(array_push_many(&((struct crossings *)user)->answers, pairs, count));
}

static int order_of_answers(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(dent_pair)); /* any order will do that is the same for both lists */
}

/* All pairs of faces with `common` common vertices that cross or share area, by looking at each. */
static void expect_crossings(const struct stage *stage, int common, struct dynamic_array *list)
{
    for (uint32_t body_index_a = 0; body_index_a < stage->body_count; body_index_a++) {
        for (uint32_t body_index_b = body_index_a; body_index_b < stage->body_count; body_index_b++) {
            const struct body_snapshot *a = &stage->snapshot.bodies[body_index_a],
                                       *b = &stage->snapshot.bodies[body_index_b];
            for (uint32_t i = 0; bodies_may_meet(a->body, b->body) && i < a->body->surface_face_count; i++) {
                for (uint32_t k = body_index_a == body_index_b ? i + 1 : 0; k < b->body->surface_face_count; k++) {
                    const double *face_a[3], *face_b[3];
                    int shared = 0;
                    for (int m = 0; m < 9; m++) {
                        uint32_t vertex_a = a->body->surface_faces[i].corners[m / 3],
                                 vertex_b = b->body->surface_faces[k].corners[m % 3];
                        face_a[m / 3] = a->xyz[vertex_a];
                        face_b[m % 3] = b->xyz[vertex_b];
                        shared += body_identity(a->body, vertex_a) == body_identity(b->body, vertex_b);
                    }
                    predicate_counters ignored = {0};
                    face_pair_kind kind =
                        shared == common ? triangle_versus_triangle(face_a, face_b, &ignored) : FACE_PAIR_NONE;
                    if (kind == FACE_PAIR_CROSSING || kind == FACE_PAIR_COPLANAR) {
                        dent_pair pair = {body_index_a, i, body_index_b, k,
                                          kind == FACE_PAIR_CROSSING ? DENT_PAIR_CROSSING : DENT_PAIR_COPLANAR};
                        assert_true(array_push(list, &pair));
                    }
                }
            }
        }
    }
}

static void assert_same_pairs(struct dynamic_array *expected, struct dynamic_array *got)
{
    assert_int_equal(expected->count, got->count);
    if (expected->count > 0) {
        qsort(expected->data, expected->count, sizeof(dent_pair), order_of_answers);
        qsort(got->data, got->count, sizeof(dent_pair), order_of_answers);
        assert_memory_equal(expected->data, got->data, expected->count * sizeof(dent_pair));
    }
}

static void faces_that_cross_are_told_unless_they_have_a_vertex_in_common(void **state)
{
    (void)state;
    static const dent_isa sets[] = {DENT_ISA_SCALAR, DENT_ISA_AVX2, DENT_ISA_AVX512};
    uint64_t joined = 0, seeds = getenv("DENT_QUICK_TESTS") ? 10 : 60;
    for (int set = 0; set < 3; set++) {
        dent_context *context = test_context(1, sets[set]);
        for (uint64_t seed = 0; context && seed < seeds; seed++) {
            struct stage stage;
            stage_open(&stage, context, 7001 + seed * 3 / 2 * 2 + (seed % 3 ? 0 : 1));
            uint32_t faces = 0;
            for (uint32_t i = 0; i < stage.body_count; i++) {
                faces += stage.surfaces[i].element_count;
            }
            assert_true(surface_forest_update(&stage.forest, &stage.snapshot, &stage.scratch));
            refit(&stage, false, NULL);
            struct crossings got, expected[2];
            struct cancel_flag cancel = {0};
            struct crossing_search search = {.forest = &stage.forest,
                                             .snapshot = &stage.snapshot,
                                             .isa = dent_context_isa(context),
                                             .cancel = &cancel,
                                             .user = &got,
                                             .begin = begin_crossings,
                                             .take = note_answers};
            array_init(&got.answers, context, sizeof(dent_pair));
            array_init(&expected[0].answers, context, sizeof(dent_pair));
            array_init(&expected[1].answers, context, sizeof(dent_pair));
            if (faces < 800) {
                assert_true(surface_crossings_find(&search, &stage.scratch));
                expect_crossings(&stage, 0, &expected[0].answers);
                expect_crossings(&stage, 1, &expected[1].answers);
                assert_same_pairs(&expected[0].answers, &got.answers);
                joined += expected[1].answers.count;
            }
            array_destroy(&got.answers);
            array_destroy(&expected[0].answers);
            array_destroy(&expected[1].answers);
            stage_close(&stage);
        }
        dent_context_destroy(context);
    }
    print_message("%llu pairs cross although they have a vertex in common\n", (unsigned long long)joined);
    assert_true(joined > 1000);
}

/* ---- changes ---- */

static void leaves_are_cut_anew_when_they_have_come_apart_and_only_then(void **state)
{
    (void)state;
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    struct stage stage;
    struct message message = {0};
    stage_open(&stage, context, 1);
    stage_close(&stage);
    stage = (struct stage){.context = context, .body_count = 1};
    body_table_init(&stage.table, context);
    snapshot_init(&stage.snapshot, context);
    surface_forest_init(&stage.forest, context);
    arena_init(&stage.scratch, context);
    stage.surfaces[0] = random_surface_make(SURFACE_SOUP, 3, 2000);
    dent_body_def def = dent_surface_def_default();
    def.vertex_count = stage.surfaces[0].vertex_count;
    def.element_count = stage.surfaces[0].element_count;
    def.element_corners = stage.surfaces[0].corners;
    def.positions_t0 = dent_positions_double(stage.surfaces[0].xyz[0]);
    dent_body_id id;
    assert_int_equal(body_table_add(&stage.table, &def, &message, &id), DENT_OK);
    uint64_t rebuilds[4];
    for (int turn = 0; turn < 4; turn++) {
        if (turn == 2) { /* every third face moves far away */
            for (uint32_t vertex = 0; vertex < def.vertex_count; vertex++) {
                stage.surfaces[0].xyz[vertex][0] += vertex / 3 % 3 ? 0 : 20;
            }
        }
        assert_int_equal(snapshot_read(&stage.snapshot, &stage.table, &message), DENT_OK);
        assert_true(surface_forest_update(&stage.forest, &stage.snapshot, &stage.scratch));
        rebuilds[turn] = stage.forest.rebuilds;
        refit(&stage, false, NULL);
    }
    assert_int_equal(rebuilds[0], 1);
    assert_int_equal(rebuilds[1], 0);
    assert_int_equal(rebuilds[2], 0);
    assert_int_equal(rebuilds[3], 1);
    stage_close(&stage);
    dent_context_destroy(context);
}

static void an_update_without_memory_changes_nothing(void **state)
{
    (void)state;
    for (uint32_t allowed = 0;; allowed++) {
        struct failing_allocator failing = failing_allocator_make();
        dent_context_def def = dent_context_def_default();
        def.thread_count = 1;
        def.allocator = failing_allocator_hook(&failing);
        dent_context *context = dent_context_create(&def, NULL);
        assert_non_null(context);
        struct stage stage;
        stage_open(&stage, context, 5001);
        failing.requests = 0;
        failing.fail_at = allowed + 1;
        bool done = surface_forest_update(&stage.forest, &stage.snapshot, &stage.scratch);
        failing.fail_at = 0;
        if (!done) {
            assert_int_equal(stage.forest.body_count, 0);
            assert_true(surface_forest_update(&stage.forest, &stage.snapshot, &stage.scratch));
        }
        assert_int_equal(stage.forest.body_count, stage.body_count);
        stage_close(&stage);
        dent_context_destroy(context);
        assert_true(failing_allocator_clean(&failing));
        if (done) {
            assert_true(allowed > 10);
            break;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_face_vertex_and_edge_is_owned_once),
        cmocka_unit_test(grown_boxes_of_faces_at_the_grown_distance_meet),
        cmocka_unit_test(boxes_contain_vertices_motions_and_growth_and_parents_contain_children),
        cmocka_unit_test(a_visit_meets_every_pair_of_leaves_whose_boxes_meet_once),
        cmocka_unit_test(visits_are_the_same_for_1_2_3_and_8_threads_and_any_volume),
        cmocka_unit_test(faces_that_cross_are_told_unless_they_have_a_vertex_in_common),
        cmocka_unit_test(leaves_are_cut_anew_when_they_have_come_apart_and_only_then),
        cmocka_unit_test(an_update_without_memory_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
