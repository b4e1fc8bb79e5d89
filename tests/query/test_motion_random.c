/* Certified: on random motions of small bodies no contact is missed and no time is late, held against dense sampling of
 * an independent evaluation; what is reported is near, and apart before. Rigid pairs, linkages, deformable bodies. */
#include "query/motion_tally.h"

static void make_pair_of_bodies(dent_context *context, dent_random *random, uint64_t seed, struct moving_pair *scene)
{
    (void)seed;
    *scene = two_frames();
    scene->samples = 1000;
    for (uint32_t b = 0; b < 2; b++) {
        oracle_random_body(random, &scene->bodies[b]);
        scene->frames[b].motion = oracle_random_motion(context, random, oracle_uniform(random, 0.5, 4));
    }
}

static void random_pairs_are_never_missed_and_never_late(void **state)
{
    struct tally tally = ask_random_pairs(*state, "pairs", test_count(150, 2000, 100000), 7000, make_pair_of_bodies);
    assert_both_answers(&tally);
}

/* A tree of up to eight frames, two bodies somewhere on it. */
static void make_pair_on_tree(dent_context *context, dent_random *random, uint64_t seed, struct moving_pair *scene)
{
    (void)seed;
    uint32_t frame_count = 2 + dent_random_below(random, 7);
    *scene = (struct moving_pair){.frame_count = frame_count, .samples = 500};
    for (uint32_t f = 0; f < frame_count; f++) {
        uint32_t parent = dent_random_below(random, f + 1);
        scene->frames[f].parent = parent == f ? DENT_FRAME_WORLD : parent;
        scene->frames[f].motion = oracle_random_motion(context, random, 0.7);
        scene->frames[f].motion.angle *= 0.3;
    }
    uint32_t a = dent_random_below(random, frame_count), b = dent_random_below(random, frame_count + 1);
    b = b == a ? (a + 1) % frame_count : b;
    scene->on[0] = a;
    scene->on[1] = b == frame_count ? DENT_FRAME_WORLD : b;
    oracle_random_body(random, &scene->bodies[0]);
    oracle_random_body(random, &scene->bodies[1]);
}

static void random_linkages_are_never_missed_and_never_late(void **state)
{
    ask_random_pairs(*state, "linkages", test_count(50, 120, 10000), 17000, make_pair_on_tree);
}

static void deformable_bodies_meet_rigid_ones_in_the_same_query(void **state)
{
    dent_context *context = *state;
    struct tally tally = {0};
    uint64_t last, count = test_count(50, 120, 10000);
    for (uint64_t seed = first_seed(count, &last); seed < last; seed++) {
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
        dent_body_id soft_id = {0};
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
    assert_both_answers(&tally);
    assert_int_equal(tally.undecided, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_pairs_are_never_missed_and_never_late),
        cmocka_unit_test(random_linkages_are_never_missed_and_never_late),
        cmocka_unit_test(deformable_bodies_meet_rigid_ones_in_the_same_query),
    };
    return cmocka_run_group_tests(tests, test_open_context, test_close_context);
}
