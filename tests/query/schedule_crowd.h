/* A crowd: some blocks thrown into a box, each turned, stretched and jittered, a search for every pair of them, and the
 * truth of each. For tests of many searches under one budget. */
#ifndef DENT_TESTS_SCHEDULE_CROWD_H
#define DENT_TESTS_SCHEDULE_CROWD_H

#include "query/time_critical_gaps.h"
#include "query/time_critical_truth.h"

#include <dent/schedule.h>

enum { CROWD_BODIES_MAX = 10, CROWD_PAIRS_MAX = CROWD_BODIES_MAX * (CROWD_BODIES_MAX + 1) / 2 };

struct crowd {
    dent_context *context;
    dent_world *world;
    struct test_scene scene;
    dent_bound_tree *trees[CROWD_BODIES_MAX];
    uint32_t pair_count;
    struct stage pairs[CROWD_PAIRS_MAX]; /* share world, scene and trees */
    dent_time_critical *searches[CROWD_PAIRS_MAX];
};

static inline void crowd_throw(struct crowd *crowd, dent_random *random, double room)
{
    struct test_body *body =
        test_add_block(&crowd->scene, 1 + dent_random_below(random, 4), 1 + dent_random_below(random, 4), 1);
    double shift[3], spin = dent_random_unit(random), size = 0.25 + dent_random_unit(random);
    for (int axis = 0; axis < 3; axis++) {
        shift[axis] = room * dent_random_unit(random);
    }
    for (uint32_t v = 0; v < body->vertex_count; v++) {
        double *p = body->xyz[v], x = p[0], y = p[1];
        p[0] = size * (x * (1 - spin * spin) - y * 2 * spin) / (1 + spin * spin) + shift[0];
        p[1] = size * (x * 2 * spin + y * (1 - spin * spin)) / (1 + spin * spin) + shift[1];
        p[2] = size * (p[2] + 0.2 * dent_random_unit(random)) + shift[2];
    }
}

static inline void crowd_find_truth(struct stage *pair, const dent_query_result *all)
{
    pair->truth = test_allocate(all->face_face.count, sizeof *pair->truth);
    for (uint64_t i = 0; i < all->face_face.count; i++) {
        const dent_pair *found = &all->face_face.pairs[i];
        if (found->body_a == pair->body_a && found->body_b == pair->body_b) {
            pair->truth[pair->true_count++] = (dent_face_pair){found->feature_a, found->feature_b, found->kind};
        }
    }
}

static inline void crowd_add_pair(struct crowd *crowd, uint32_t a, uint32_t b, dent_refine_order order)
{
    struct stage *pair = &crowd->pairs[crowd->pair_count];
    *pair = (struct stage){.context = crowd->context,
                           .world = crowd->world,
                           .scene = crowd->scene,
                           .body_a = a,
                           .body_b = b,
                           .tree_a = crowd->trees[a],
                           .tree_b = crowd->trees[b]};
    dent_time_critical_def def = dent_time_critical_def_default();
    def.tree_a = pair->tree_a;
    def.tree_b = pair->tree_b;
    def.order = order;
    def.pending_capacity = 4096;
    def.confirmed_capacity = 1024;
    def.pair_capacity = 4096;
    assert_int_equal(dent_time_critical_create(crowd->context, &def, &crowd->searches[crowd->pair_count++]), DENT_OK);
}

static inline void crowd_open(struct crowd *crowd, dent_context *context, uint64_t seed, uint32_t bodies)
{
    dent_random random = dent_random_seeded(seed);
    *crowd = (struct crowd){.context = context, .world = dent_world_create(context)};
    for (uint32_t i = 0; i < bodies; i++) {
        crowd_throw(crowd, &random, 3);
    }
    assert_int_equal(test_scene_add(&crowd->scene, crowd->world), DENT_OK);
    dent_bound_tree_def def = dent_bound_tree_def_default();
    def.kind = (dent_bound_kind)dent_random_below(&random, 4);
    def.branching = 2u << dent_random_below(&random, 3);
    for (uint32_t i = 0; i < bodies; i++) {
        assert_int_equal(
            dent_bound_tree_create(crowd->world, dent_world_body_at(crowd->world, i), &def, &crowd->trees[i]), DENT_OK);
    }
    dent_query_def ask = dent_query_def_default();
    dent_query_result all;
    ask.questions = DENT_QUESTION_FACE_FACE;
    ask.method = DENT_METHOD_BRUTE_FORCE;
    assert_int_equal(dent_world_query(crowd->world, &ask, &all), DENT_OK);
    dent_refine_order order = (dent_refine_order)dent_random_below(&random, 6);
    for (uint32_t a = 0; a < bodies; a++) {
        for (uint32_t b = a; b < bodies; b++) {
            crowd_add_pair(crowd, a, b, order);
            crowd_find_truth(&crowd->pairs[crowd->pair_count - 1], &all);
        }
    }
}

static inline void crowd_close(struct crowd *crowd)
{
    for (uint32_t i = 0; i < crowd->pair_count; i++) {
        dent_time_critical_destroy(crowd->searches[i]);
        free(crowd->pairs[i].truth);
    }
    for (uint32_t i = 0; i < crowd->scene.body_count; i++) {
        dent_bound_tree_destroy(crowd->trees[i]);
    }
    dent_world_destroy(crowd->world);
    test_scene_free(&crowd->scene);
}

static inline dent_schedule *crowd_schedule(struct crowd *crowd, uint32_t slice, const double *importance)
{
    dent_schedule *schedule;
    dent_schedule_def def = dent_schedule_def_default();
    def.searches = crowd->searches;
    def.search_count = crowd->pair_count;
    def.slice_units = slice;
    def.importance = importance;
    assert_int_equal(dent_schedule_create(crowd->context, &def, &schedule), DENT_OK);
    return schedule;
}

/* The lists of one search as they are. */
static inline dent_time_critical_result crowd_result(const struct crowd *crowd, uint32_t pair)
{
    dent_time_critical_result result;
    assert_int_equal(dent_time_critical_run(crowd->searches[pair], dent_budget_units(0), &result), DENT_OK);
    return result;
}

#endif
