/* Certified: on random motions of small bodies no contact is missed and no time is late, held against dense sampling of
 * an independent evaluation; what is reported is near, and apart before. Rigid pairs, linkages, deformable bodies. */
#include "query/motion_tally.h"

static void random_pairs_are_never_missed_and_never_late(void **state)
{
    (void)state;
    dent_context *context = dent_context_create(NULL, NULL);
    struct tally tally = {0};
    uint64_t count = motion_test_count(150, 2000, 100000);
    uint64_t last, seed;
    for (seed = first_seed(count, &last); seed < last; seed++) {
        dent_random random = dent_random_seeded(seed + 7000);
        struct oracle_body bodies[2];
        dent_world *world = dent_world_create(context);
        dent_motion_frame frames[2];
        dent_motion_body attached[2];
        for (uint32_t b = 0; b < 2; b++) {
            oracle_random_body(&random, &bodies[b]);
            frames[b].parent = DENT_FRAME_WORLD;
            frames[b].motion = oracle_random_motion(context, &random, oracle_uniform(&random, 0.5, 4));
            attached[b] = (dent_motion_body){oracle_add_body(world, &bodies[b], b ? "b" : "a", NULL), b};
        }
        dent_motion_impact_def def = dent_motion_impact_def_default();
        dent_motion_impact_result result;
        def.frames = frames;
        def.frame_count = 2;
        def.bodies = attached;
        def.body_count = 2;
        def.volume = (dent_motion_volume)(seed % DENT_MOTION_VOLUME_COUNT);
        def.bounds = seed % 16 == 15 ? DENT_MOTION_BOUNDS_INTERVAL : DENT_MOTION_BOUNDS_AUTO;
        assert_int_equal(dent_world_motion_impact(world, &def, &result), DENT_OK);
        struct oracle_pair pair = {&bodies[0], &bodies[1], frames, 0, 1, NULL};
        check_answer(&pair, &result, 1000, seed, &tally);
        dent_world_destroy(world);
    }
    print_tally("pairs", &tally);
    assert_true(tally.contacts > tally.queries / 10 && tally.free > tally.queries / 10);
    assert_int_equal(tally.undecided, 0);
    dent_context_destroy(context);
}

/* A tree of up to eight frames, two bodies somewhere on it. */
static void random_linkages_are_never_missed_and_never_late(void **state)
{
    (void)state;
    dent_context *context = dent_context_create(NULL, NULL);
    struct tally tally = {0};
    uint64_t count = motion_test_count(50, 120, 10000);
    uint64_t last, seed;
    for (seed = first_seed(count, &last); seed < last; seed++) {
        dent_random random = dent_random_seeded(seed + 17000);
        struct oracle_body bodies[2];
        dent_world *world = dent_world_create(context);
        dent_motion_frame frames[8];
        uint32_t frame_count = 2 + dent_random_below(&random, 7);
        for (uint32_t f = 0; f < frame_count; f++) {
            uint32_t parent = dent_random_below(&random, f + 1);
            frames[f].parent = parent == f ? DENT_FRAME_WORLD : parent;
            frames[f].motion = oracle_random_motion(context, &random, 0.7);
            frames[f].motion.angle *= 0.3;
        }
        uint32_t on[2] = {dent_random_below(&random, frame_count), dent_random_below(&random, frame_count + 1)};
        on[1] = on[1] == on[0] ? (on[0] + 1) % frame_count : on[1];
        on[1] = on[1] == frame_count ? DENT_FRAME_WORLD : on[1];
        dent_motion_body attached[2];
        for (uint32_t b = 0; b < 2; b++) {
            oracle_random_body(&random, &bodies[b]);
            attached[b] = (dent_motion_body){oracle_add_body(world, &bodies[b], b ? "b" : "a", NULL), on[b]};
        }
        dent_motion_impact_def def = dent_motion_impact_def_default();
        dent_motion_impact_result result;
        def.frames = frames;
        def.frame_count = frame_count;
        def.bodies = attached;
        def.body_count = 2;
        assert_int_equal(dent_world_motion_impact(world, &def, &result), DENT_OK);
        struct oracle_pair pair = {&bodies[0], &bodies[1], frames, on[0], on[1], NULL};
        check_answer(&pair, &result, 500, seed, &tally);
        dent_world_destroy(world);
    }
    print_tally("linkages", &tally);
    assert_int_equal(tally.undecided, 0);
    dent_context_destroy(context);
}

static void deformable_bodies_meet_rigid_ones_in_the_same_query(void **state)
{
    (void)state;
    dent_context *context = dent_context_create(NULL, NULL);
    struct tally tally = {0};
    uint64_t count = motion_test_count(50, 120, 10000);
    uint64_t last, seed;
    for (seed = first_seed(count, &last); seed < last; seed++) {
        dent_random random = dent_random_seeded(seed + 27000);
        struct oracle_body rigid, soft;
        double end[ORACLE_VERTICES][3], away[3], way[3];
        dent_world *world = dent_world_create(context);
        oracle_random_body(&random, &rigid);
        oracle_random_body(&random, &soft);
        double distance = oracle_uniform(&random, 0.5, 3);
        for (int k = 0; k < 3; k++) {
            away[k] = oracle_uniform(&random, -distance, distance);
            way[k] = oracle_uniform(&random, -distance, distance);
        }
        for (uint32_t v = 0; v < soft.vertex_count; v++) {
            for (int k = 0; k < 3; k++) {
                soft.vertices[v][k] += away[k];
                end[v][k] = soft.vertices[v][k] + way[k] + oracle_uniform(&random, -0.5, 0.5);
            }
        }
        dent_motion_frame frame = {DENT_FRAME_WORLD, oracle_random_motion(context, &random, distance)};
        bool first = dent_random_below(&random, 2) == 0;
        dent_body_id soft_id = {0, 0};
        if (first) {
            soft_id = oracle_add_body(world, &soft, "soft", (const double(*)[3])end);
        }
        dent_motion_body attached = {oracle_add_body(world, &rigid, "rigid", NULL), 0};
        if (!first) {
            soft_id = oracle_add_body(world, &soft, "soft", (const double(*)[3])end);
        }
        assert_true(dent_world_has_body(world, soft_id));
        dent_motion_impact_def def = dent_motion_impact_def_default();
        dent_motion_impact_result result;
        def.frames = &frame;
        def.frame_count = 1;
        def.bodies = &attached;
        def.body_count = 1;
        assert_int_equal(dent_world_motion_impact(world, &def, &result), DENT_OK);
        struct oracle_pair pair = {&rigid, &soft, &frame, 0, 0, (const double(*)[3])end};
        check_answer(&pair, &result, 500, seed, &tally);
        dent_world_destroy(world);
    }
    print_tally("deformable", &tally);
    assert_true(tally.contacts > tally.queries / 10 && tally.free > tally.queries / 10);
    assert_int_equal(tally.undecided, 0);
    dent_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_pairs_are_never_missed_and_never_late),
        cmocka_unit_test(random_linkages_are_never_missed_and_never_late),
        cmocka_unit_test(deformable_bodies_meet_rigid_ones_in_the_same_query),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
