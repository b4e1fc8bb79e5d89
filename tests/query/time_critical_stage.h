/* A pair of bodies with trees, the truth about them, and a search: what the tests of the interruptible search share. */
#ifndef DENT_TESTS_TIME_CRITICAL_STAGE_H
#define DENT_TESTS_TIME_CRITICAL_STAGE_H

#include "support/cmocka_includes.h"

#include "support/random_scene.h"

enum { ELEMENTS_MAX = 400 };

static inline uint32_t rounds(uint32_t standard)
{
    return getenv("DENT_QUICK_TESTS") ? standard / 10 + 1 : getenv("DENT_LONG_TESTS") ? standard * 10 : standard;
}

static inline dent_context *make_context(uint32_t threads, dent_isa isa)
{
    dent_context_def def = dent_context_def_default();
    def.thread_count = threads;
    def.isa = isa;
    dent_context *context = dent_context_create(&def, NULL);
    assert_non_null(context);
    return context;
}

/* ---- one pair of bodies ------------------------------------------------------------------------------------------ */

struct stage {
    dent_context *context;
    dent_world *world;
    struct test_scene scene;
    uint32_t body_a, body_b;
    dent_bound_tree *tree_a, *tree_b;
    dent_time_critical *search;
    uint32_t true_count;
    dent_face_pair *truth; /* sorted */
};

static inline int compare_pairs(const void *left, const void *right)
{
    const dent_face_pair *a = left, *b = right;
    if (a->face_a != b->face_a) {
        return a->face_a < b->face_a ? -1 : 1;
    }
    return a->face_b < b->face_b ? -1 : a->face_b > b->face_b;
}

static inline void find_truth(struct stage *stage, bool touching)
{
    dent_query_def ask = dent_query_def_default();
    dent_query_result result;
    ask.questions = DENT_QUESTION_FACE_FACE;
    ask.method = DENT_METHOD_BRUTE_FORCE;
    ask.touching = touching;
    assert_int_equal(dent_world_query(stage->world, &ask, &result), DENT_OK);
    stage->true_count = 0;
    stage->truth = test_allocate(result.face_face.count, sizeof *stage->truth);
    for (uint64_t i = 0; i < result.face_face.count; i++) {
        const dent_pair *pair = &result.face_face.pairs[i];
        if (pair->body_a == stage->body_a && pair->body_b == stage->body_b) {
            stage->truth[stage->true_count++] = (dent_face_pair){pair->feature_a, pair->feature_b, pair->kind};
        }
    }
}

static inline void open_trees(struct stage *stage, dent_random *random)
{
    static const uint32_t branchings[3] = {2, 4, 8};
    dent_bound_tree_def def = dent_bound_tree_def_default();
    for (int side = 0; side < 2; side++) {
        /* Mostly the same on both sides, as the slabs are only used then. */
        def.kind =
            side == 0 || dent_random_below(random, 4) == 0 ? (dent_bound_kind)dent_random_below(random, 5) : def.kind;
        def.branching = branchings[dent_random_below(random, 3)];
        def.leaf_faces = 1 + dent_random_below(random, dent_random_below(random, 2) ? 4 : 16);
        dent_body_id id = dent_world_body_at(stage->world, side ? stage->body_b : stage->body_a);
        dent_body_topology topology;
        assert_int_equal(dent_body_get_topology(stage->world, id, &topology), DENT_OK);
        bool medial =
            topology.surface_closed && topology.surface_face_count < 100 && dent_random_below(random, 32) == 0;
        def.builder = medial ? DENT_BUILD_MEDIAL : DENT_BUILD_SPLIT;
        dent_bound_tree **tree = side ? &stage->tree_b : &stage->tree_a;
        assert_int_equal(dent_bound_tree_create(stage->world, id, &def, tree), DENT_OK);
    }
    if (stage->body_a == stage->body_b) {
        dent_bound_tree_destroy(stage->tree_b);
        stage->tree_b = stage->tree_a;
    }
}

static inline void close_trees(struct stage *stage)
{
    if (stage->tree_b != stage->tree_a) {
        dent_bound_tree_destroy(stage->tree_b);
    }
    dent_bound_tree_destroy(stage->tree_a);
    free(stage->truth);
    stage->truth = NULL;
}

static inline dent_time_critical_def search_def(const struct stage *stage, dent_random *random)
{
    dent_time_critical_def def = dent_time_critical_def_default();
    def.tree_a = stage->tree_a;
    def.tree_b = stage->tree_b;
    def.order = (dent_refine_order)dent_random_below(random, 5);
    def.pending_capacity = 1u << 15;
    return def;
}

typedef void pair_function(struct stage *stage, dent_random *random);

struct totals {
    uint64_t pairs_of_bodies, with_answers;
};

static inline void for_random_pairs(uint32_t seeds, uint64_t elements_max, bool touching, pair_function *function,
                                    const char *what)
{
    struct stage stage = {.context = make_context(1, DENT_ISA_AUTO)};
    struct totals totals = {0};
    for (uint32_t seed = 0; seed < seeds; seed++) {
        for (int kind = 0; kind < SCENE_KIND_COUNT; kind++) {
            dent_random random = dent_random_seeded(1000 + seed * 64 + (uint64_t)kind);
            test_scene_make(&stage.scene, kind, seed + 500);
            stage.world = dent_world_create(stage.context);
            if (test_scene_elements(&stage.scene) <= elements_max) {
                assert_int_equal(test_scene_add(&stage.scene, stage.world), DENT_OK);
                for (int k = 0; k < 4 && k < (int)(stage.scene.body_count * stage.scene.body_count); k++) {
                    uint32_t a = dent_random_below(&random, stage.scene.body_count);
                    uint32_t b = dent_random_below(&random, stage.scene.body_count);
                    stage.body_a = a < b ? a : b;
                    stage.body_b = a < b ? b : a;
                    find_truth(&stage, touching);
                    open_trees(&stage, &random);
                    function(&stage, &random);
                    totals.pairs_of_bodies++;
                    totals.with_answers += stage.true_count > 0;
                    close_trees(&stage);
                }
            }
            dent_world_destroy(stage.world);
            test_scene_free(&stage.scene);
        }
    }
    print_message("%s: %llu pairs of bodies, %llu with crossing faces\n", what,
                  (unsigned long long)totals.pairs_of_bodies, (unsigned long long)totals.with_answers);
    assert_true(totals.pairs_of_bodies > 0 && 4 * totals.with_answers >= totals.pairs_of_bodies);
    dent_context_destroy(stage.context);
}

static inline void open_two_blocks(struct stage *stage, dent_context *context)
{
    *stage = (struct stage){.context = context, .body_b = 1};
    test_add_block(&stage->scene, 4, 4, 4);
    struct test_body *b = test_add_block(&stage->scene, 4, 2, 2);
    for (uint32_t v = 0; v < b->vertex_count; v++) {
        b->xyz[v][0] += 2.3;
        b->xyz[v][1] += 0.4;
    }
    stage->world = dent_world_create(context);
    assert_non_null(stage->world);
    assert_int_equal(test_scene_add(&stage->scene, stage->world), DENT_OK);
}

#endif
