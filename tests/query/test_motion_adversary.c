/* Motions made to break the query, held against dense sampling: bodies that rest, slide, start inside one another, meet
 * at the very end of the step, are the same body twice, have faces without area; half turns; linkages with every kind
 * of joint; worlds far from the origin, of very unequal bodies, and of any scale. */
#include "query/motion_tally.h"

/* ---- bodies ------------------------------------------------------------------------------------------------------ */

/* From lo to hi. */
static void make_block(const double lo[3], const double hi[3], struct oracle_body *body)
{
    static const uint32_t faces[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                          {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    memset(body, 0, sizeof *body);
    body->vertex_count = 8;
    body->face_count = 12;
    memcpy(body->faces, faces, sizeof faces);
    for (int v = 0; v < 8; v++) {
        for (int k = 0; k < 3; k++) {
            body->vertices[v][k] = v >> k & 1 ? hi[k] : lo[k];
        }
    }
}

static void make_cube(double half, struct oracle_body *body)
{
    make_block((double[3]){-half, -half, -half}, (double[3]){half, half, half}, body);
}

/* Some faces become segments and points, some appear twice. */
static void spoil_faces(dent_random *random, struct oracle_body *body)
{
    for (uint32_t f = 0; f < body->face_count; f++) {
        const uint32_t *other = body->faces[dent_random_below(random, body->face_count)];
        uint32_t how = dent_random_below(random, 5);
        double *p = body->vertices[body->faces[f][0]], *q = body->vertices[body->faces[f][1]];
        double *r = body->vertices[body->faces[f][2]];
        if (how == 0) {
            memcpy(r, p, 3 * sizeof *r);
        } else if (how == 1) {
            memcpy(q, p, 3 * sizeof *r);
            memcpy(r, p, 3 * sizeof *r);
        } else if (how == 2) {
            for (int k = 0; k < 3; k++) {
                r[k] = p[k] + 0.25 * (q[k] - p[k]);
            }
        } else if (how == 3) {
            memcpy(body->faces[f], other, sizeof body->faces[f]);
        }
    }
}

/* ---- random ones ------------------------------------------------------------------------------------------------- */

static void make_random(dent_context *context, dent_random *random, struct moving_pair *scene)
{
    *scene = two_frames();
    scene->samples = 300;
    for (uint32_t b = 0; b < 2; b++) {
        oracle_random_body(random, &scene->bodies[b]);
        scene->frames[b].motion = oracle_random_motion(context, random, oracle_uniform(random, 0.2, 3));
    }
}

static void make_spoiled(dent_context *context, dent_random *random, uint64_t seed, struct moving_pair *scene)
{
    static const int exponents[5] = {0, 480, -480, 900, -900};
    make_random(context, random, scene);
    spoil_faces(random, &scene->bodies[seed % 2]);
    scene->exponent = exponents[seed % 5];
}

static void spoiled_bodies_are_never_missed_at_any_scale(void **state)
{
    ask_random_pairs(*state, "spoiled", test_count(20, 70, 20000), 41000, make_spoiled);
}

static void make_unequal(dent_context *context, dent_random *random, uint64_t seed, struct moving_pair *scene)
{
    make_random(context, random, scene);
    if (seed % 2) { /* one body tiny */
        scale_vector(scene->bodies[1].vertices[0], 3 * ORACLE_VERTICES, -(int)dent_random_below(random, 20));
    }
    double away = ldexp(1, (int)dent_random_below(random, 20));
    for (int k = 0; k < 3; k++) { /* both far away, or in a frame that is */
        scene->frames[0].motion.start.translation[k] += away;
        scene->frames[1].motion.start.translation[k] += away;
    }
}

static void unequal_and_distant_bodies_are_never_missed(void **state)
{
    ask_random_pairs(*state, "unequal", test_count(20, 70, 20000), 42000, make_unequal);
}

static void make_twice_the_same(dent_context *context, dent_random *random, uint64_t seed, struct moving_pair *scene)
{
    make_random(context, random, scene);
    scene->bodies[1] = scene->bodies[0];
    if (seed % 3 == 0) { /* from the same place */
        scene->frames[1].motion.start = scene->frames[0].motion.start;
    } else if (seed % 3 == 1) { /* the same turn, beside one another */
        scene->frames[1] = scene->frames[0];
        scene->frames[1].motion.start.translation[seed % 2] += oracle_uniform(random, -2.5, 2.5);
    }
    scene->meets_at_start = seed % 3 == 0;
}

static void the_same_body_twice_is_never_missed(void **state)
{
    ask_random_pairs(*state, "same", test_count(15, 45, 10000), 43000, make_twice_the_same);
}

static void make_half_turns(dent_context *context, dent_random *random, uint64_t seed, struct moving_pair *scene)
{
    make_random(context, random, scene);
    for (uint32_t b = 0; b < 2; b++) {
        dent_pose start = oracle_random_pose(random, 1.5), end = oracle_random_pose(random, 1.5);
        dent_pose half = dent_pose_identity();
        memcpy(end.rotation, start.rotation, sizeof end.rotation);
        uint32_t how = dent_random_below(random, 4);
        if (how < 2) { /* about an axis of the frame, or any */
            half.rotation[0] = 0;
            for (int k = 1; k < 4; k++) {
                half.rotation[k] = how ? oracle_uniform(random, -1, 1) : k == 1 + (int)(seed % 3);
            }
            half = dent_pose_product(&half, &start);
            memcpy(end.rotation, half.rotation, sizeof end.rotation);
        } else if (how == 2) { /* nothing at all */
            end = start;
        }
        dent_motion_kind kind = dent_random_below(random, 2) ? DENT_MOTION_SCREW : DENT_MOTION_CONSTANT_VELOCITY;
        assert_int_equal(dent_motion_between(context, &start, &end, kind, NULL, 0, &scene->frames[b].motion), DENT_OK);
    }
}

static void half_turns_and_no_turns_are_never_missed(void **state)
{
    ask_random_pairs(*state, "half turns", test_count(20, 60, 10000), 44000, make_half_turns);
}

/* Hundreds of turns, many body sizes in a step. */
static void make_wild(dent_context *context, dent_random *random, uint64_t seed, struct moving_pair *scene)
{
    (void)seed;
    make_random(context, random, scene);
    for (uint32_t b = 0; b < 2; b++) {
        dent_motion *motion = &scene->frames[b].motion;
        double much = ldexp(1, (int)dent_random_below(random, 10));
        motion->kind = DENT_MOTION_CONSTANT_VELOCITY;
        oracle_random_axis(random, motion->axis);
        motion->angle = oracle_uniform(random, -1, 1) * much * 1.9;
        for (int k = 0; k < 3; k++) {
            motion->displacement[k] *= dent_random_below(random, 2) ? much : 1;
            motion->start.translation[k] -= dent_random_below(random, 2) ? 0.5 * motion->displacement[k] : 0;
        }
    }
}

static void wild_motions_are_never_missed(void **state)
{
    ask_random_pairs(*state, "wild", test_count(20, 60, 5000), 46000, make_wild);
}

/* ---- linkages ---------------------------------------------------------------------------------------------------- */

/* A tree of links with every kind of joint; the two bodies are somewhere on it. */
static void put_on_linkage(dent_context *context, dent_random *random, struct moving_pair *scene)
{
    dent_joint_def joints[11];
    double from[77], to[77];
    dent_linkage_def def = dent_linkage_def_default();
    def.link_count = 3 + dent_random_below(random, 8);
    def.joint_count = def.link_count - 1;
    def.joints = joints;
    for (uint32_t j = 0; j < def.joint_count; j++) {
        joints[j] = dent_joint_def_default();
        joints[j].kind = (dent_joint_kind)dent_random_below(random, DENT_JOINT_KIND_COUNT);
        joints[j].child = j + 1;
        joints[j].parent = dent_random_below(random, 3) ? j : dent_random_below(random, j + 1);
        joints[j].origin = oracle_random_pose(random, 0.7);
        joints[j].pitch = oracle_uniform(random, -0.3, 0.3);
        oracle_random_axis(random, joints[j].axis);
        if (j > 0 && dent_joint_kind_value_count(joints[j].kind) == 1 && dent_random_below(random, 3) == 0) {
            uint32_t other = dent_random_below(random, j);
            joints[j].mimics = dent_joint_kind_value_count(joints[other].kind) == 1 ? other : DENT_JOINT_NONE;
            joints[j].multiplier = oracle_uniform(random, -1.5, 1.5);
            joints[j].offset = oracle_uniform(random, -0.5, 0.5);
        }
    }
    dent_linkage *linkage;
    assert_int_equal(dent_linkage_create(context, &def, &linkage), DENT_OK);
    for (uint32_t i = 0; i < dent_linkage_value_count(linkage); i++) {
        from[i] = oracle_uniform(random, -1, 1);
        to[i] = from[i] + (dent_random_below(random, 4) ? oracle_uniform(random, -0.8, 0.8) : 0);
    }
    assert_int_equal(dent_linkage_motion(linkage, NULL, from, to, 0, scene->frames), DENT_OK);
    scene->frame_count = def.link_count;
    uint32_t a = dent_random_below(random, def.link_count), b = dent_random_below(random, def.link_count - 1);
    scene->on[0] = a;
    scene->on[1] = b + (b >= a);
    dent_linkage_destroy(linkage);
}

static void make_on_linkage(dent_context *context, dent_random *random, uint64_t seed, struct moving_pair *scene)
{
    make_random(context, random, scene);
    put_on_linkage(context, random, scene);
    scene->exponent = seed % 3 == 1 ? 500 : seed % 3 == 2 ? -500 : 0;
}

static void linkages_of_every_joint_are_never_missed(void **state)
{
    struct tally tally = ask_random_pairs(*state, "linkages", test_count(15, 50, 20000), 45000, make_on_linkage);
    assert_both_answers(&tally);
}

/* ---- resting, sliding, at the end -------------------------------------------------------------------------------- */

static void a_cube_that_arrives_at_the_very_end_touches(void **state)
{
    for (int exponent = -600; exponent <= 600; exponent += 300) {
        for (int turn = 0; turn < 2; turn++) {
            struct moving_pair scene = two_frames();
            struct tally tally = {0};
            make_cube(1, &scene.bodies[0]);
            make_cube(1, &scene.bodies[1]);
            scene.exponent = exponent;
            scene.frames[1].motion.start.translation[0] = 3;
            scene.frames[1].motion.displacement[0] = -1;
            scene.frames[1].motion.axis[0] = turn; /* turns about the way it goes */
            scene.frames[1].motion.angle = turn;
            dent_motion_impact_result result = ask_moving_pair(*state, &scene, 0, &tally);
            assert_int_equal(result.verdict, DENT_MOTION_CONTACT);
            assert_true(result.t_lo > 1 - 1e-5 && result.t_lo <= 1);
            scene.frames[1].motion.start.translation[0] += 16 * result.tolerance; /* not quite */
            assert_int_equal(ask_moving_pair(*state, &scene, 0, &tally).verdict, DENT_MOTION_FREE);
        }
    }
}

/* On a plate, a gap of so many tolerances above it, going along it and turning about its normal. */
static dent_motion_impact_result slide(dent_context *context, double gap, double way, double angle)
{
    struct moving_pair scene = two_frames();
    struct tally tally = {0};
    make_cube(0.5, &scene.bodies[0]);
    make_block((double[3]){-8, -8, -1}, (double[3]){8, 8, 0}, &scene.bodies[1]);
    double size = sqrt(0.75) + sqrt(64 + 64 + 0.25);
    scene.frames[0].motion.start.translation[2] = 0.5 + gap * 1e-6 * size;
    scene.frames[0].motion.displacement[0] = way;
    scene.frames[0].motion.axis[2] = 1;
    scene.frames[0].motion.angle = angle;
    return ask_moving_pair(context, &scene, 0, &tally);
}

static void what_rests_or_slides_at_a_distance_is_free_and_what_touches_is_not(void **state)
{
    static const double motions[5][2] = {{0, 0}, {4, 0}, {0, 3}, {4, 3}, {1e-9, 1e-9}};
    for (int i = 0; i < 5; i++) {
        dent_motion_impact_result touching = slide(*state, 0, motions[i][0], motions[i][1]);
        assert_true(touching.verdict == DENT_MOTION_CONTACT && touching.initial);
        dent_motion_impact_result beside = slide(*state, 4, motions[i][0], motions[i][1]);
        assert_int_equal(beside.verdict, DENT_MOTION_FREE);
        /* Within the tolerance both answers are allowed, but not many words: the oracle has looked at what was said. */
        dent_motion_impact_result near = slide(*state, 0.5, motions[i][0], motions[i][1]);
        assert_true(near.verdict != DENT_MOTION_UNDECIDED && !near.initial);
        for (int k = 0; k < 3; k++) {
            const dent_motion_counters *counters = k == 0   ? &touching.counters
                                                   : k == 1 ? &beside.counters
                                                            : &near.counters;
            assert_true(counters->volume_tests + counters->face_tests + counters->time_pieces < 200000);
        }
    }
}

static void a_body_inside_another_is_free_until_it_meets_the_shell(void **state)
{
    struct moving_pair scene = two_frames();
    struct tally tally = {0};
    make_cube(1, &scene.bodies[0]);
    make_cube(0.25, &scene.bodies[1]);
    scene.frames[1].motion.axis[0] = scene.frames[1].motion.axis[1] = 1;
    scene.frames[1].motion.angle = 40;
    assert_int_equal(ask_moving_pair(*state, &scene, 0, &tally).verdict, DENT_MOTION_FREE);
    scene.frames[1].motion.displacement[2] = 3;
    dent_motion_impact_result out = ask_moving_pair(*state, &scene, 0, &tally);
    assert_true(out.verdict == DENT_MOTION_CONTACT && out.t_lo > 0.1 && out.t_lo < 0.25);
    scene.frames[1].motion.displacement[2] = 0.75 * (1 - 1e-4);
    scene.frames[1].motion.angle = 0;
    assert_int_equal(ask_moving_pair(*state, &scene, 0, &tally).verdict, DENT_MOTION_FREE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spoiled_bodies_are_never_missed_at_any_scale),
        cmocka_unit_test(unequal_and_distant_bodies_are_never_missed),
        cmocka_unit_test(the_same_body_twice_is_never_missed),
        cmocka_unit_test(half_turns_and_no_turns_are_never_missed),
        cmocka_unit_test(wild_motions_are_never_missed),
        cmocka_unit_test(linkages_of_every_joint_are_never_missed),
        cmocka_unit_test(a_cube_that_arrives_at_the_very_end_touches),
        cmocka_unit_test(what_rests_or_slides_at_a_distance_is_free_and_what_touches_is_not),
        cmocka_unit_test(a_body_inside_another_is_free_until_it_meets_the_shell),
    };
    return cmocka_run_group_tests(tests, test_open_context, test_close_context);
}
