/* Leaving a contact: a motion that begins at t_lo of a reported contact and goes back along its path gets away.
 *
 * The distance at such a start is between the rounding of the positions and a quarter of the tolerance, so that nothing
 * but its growth tells the retreat from a contact. What turns round, goes on or goes anywhere else from there is held
 * against dense sampling. */
#include "query/motion_tally.h"

/* ---- the way back ------------------------------------------------------------------------------------------------ */

/* The part of a motion from t to `end`, over a step of its own. */
static dent_motion part_of(const dent_motion *motion, double t, double end)
{
    dent_motion part = *motion;
    dent_pose last = dent_motion_at(motion, end);
    part.start = dent_motion_at(motion, t);
    part.angle = motion->angle * (end - t);
    for (int k = 0; k < 3; k++) {
        part.displacement[k] = motion->kind == DENT_MOTION_SCREW ? last.translation[k] - part.start.translation[k]
                                                                 : motion->displacement[k] * (end - t);
    }
    return part;
}

static void take_part(struct moving_pair *scene, double t, double end)
{
    for (uint32_t f = 0; f < scene->frame_count; f++) {
        scene->frames[f].motion = part_of(&scene->frames[f].motion, t, end);
    }
}

/* ---- scenes ------------------------------------------------------------------------------------------------------ */

enum scene_kind { TRANSLATIONS, ROTATIONS, SCREWS, ANY_MOTIONS, LINKAGES, SOFT_BODIES, BOXES, SCENE_KINDS };
static const char *const scene_names[SCENE_KINDS] = {"translations", "rotations",   "screws", "any motions",
                                                     "linkages",     "soft bodies", "boxes"};

struct retreat {
    struct moving_pair pair;
    bool soft; /* body b goes on straight lines to `end` */
    double end[ORACLE_VERTICES][3];
    double tolerance;
    dent_motion_bounds bounds;
    dent_motion_volume volume;
};

static void make_motion(dent_context *context, dent_random *random, enum scene_kind kind, dent_motion *motion)
{
    *motion = oracle_random_motion(context, random, oracle_uniform(random, 0.5, 3));
    if (kind == TRANSLATIONS) {
        motion->angle = 0;
    } else if (kind == ROTATIONS) {
        motion->kind = DENT_MOTION_CONSTANT_VELOCITY;
        oracle_random_axis(random, motion->axis);
        motion->angle = oracle_uniform(random, -3, 3);
        for (int k = 0; k < 3; k++) {
            motion->displacement[k] = 0;
            motion->centre[k] = oracle_uniform(random, -2, 2);
        }
    } else if (kind == SCREWS) {
        motion->kind = DENT_MOTION_SCREW;
        motion->angle += motion->angle == 0 ? 0.5 : 0;
        motion->axis[0] += motion->axis[0] == 0 ? 0.1 : 0;
    }
}

static void make_tree_of_frames(dent_context *context, dent_random *random, struct moving_pair *pair)
{
    pair->frame_count = 2 + dent_random_below(random, 7);
    for (uint32_t f = 0; f < pair->frame_count; f++) {
        uint32_t parent = dent_random_below(random, f + 1);
        pair->frames[f].parent = parent == f ? DENT_FRAME_WORLD : parent;
        pair->frames[f].motion = oracle_random_motion(context, random, 1);
        pair->frames[f].motion.angle *= 0.3;
    }
    uint32_t a = dent_random_below(random, pair->frame_count);
    pair->on[0] = a;
    pair->on[1] = (a + 1 + dent_random_below(random, pair->frame_count - 1)) % pair->frame_count;
}

static void make_soft(dent_random *random, struct retreat *scene)
{
    struct oracle_body *body = &scene->pair.bodies[1];
    double away[3], way[3];
    scene->soft = true;
    for (int k = 0; k < 3; k++) {
        away[k] = oracle_uniform(random, -2, 2);
        way[k] = oracle_uniform(random, -2, 2);
    }
    for (uint32_t v = 0; v < body->vertex_count; v++) {
        for (int k = 0; k < 3; k++) {
            body->vertices[v][k] += away[k];
            scene->end[v][k] = body->vertices[v][k] + way[k] + oracle_uniform(random, -0.5, 0.5);
        }
    }
}

/* Boxes along the axes that go along them or turn about them: whole faces and edges meet at once. */
static void make_box(dent_random *random, struct oracle_body *body)
{
    static const uint32_t faces[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                          {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    double half[3];
    memset(body, 0, sizeof *body);
    body->vertex_count = 8;
    body->face_count = 12;
    memcpy(body->faces, faces, sizeof faces);
    for (int k = 0; k < 3; k++) {
        half[k] = 0.25 * (1 + dent_random_below(random, 4));
    }
    for (int v = 0; v < 8; v++) {
        for (int k = 0; k < 3; k++) {
            body->vertices[v][k] = v >> k & 1 ? half[k] : -half[k];
        }
    }
}

static void make_motion_of_box(dent_random *random, dent_motion *motion)
{
    dent_pose start = dent_pose_identity();
    uint32_t along = dent_random_below(random, 3), about = dent_random_below(random, 3);
    for (int k = 0; k < 3; k++) {
        start.translation[k] = 0.25 * ((double)dent_random_below(random, 17) - 8);
    }
    *motion = dent_motion_stationary(&start);
    motion->displacement[along] = (double)dent_random_below(random, 9) - 4;
    motion->axis[about] = 1;
    motion->angle = dent_random_below(random, 2) ? 0.25 * ((double)dent_random_below(random, 13) - 6) : 0;
    motion->centre[dent_random_below(random, 3)] = 0.5 * dent_random_below(random, 3);
}

static void make_scene(dent_context *context, dent_random *random, enum scene_kind kind, struct retreat *scene)
{
    static const double tolerances[8] = {0, 0, 0, 0, 1e-3, 1e-5, 1e-8, 1e-12};
    *scene = (struct retreat){.pair = two_frames()};
    for (uint32_t b = 0; b < 2; b++) {
        oracle_random_body(random, &scene->pair.bodies[b]);
        make_motion(context, random, kind, &scene->pair.frames[b].motion);
    }
    for (uint32_t b = 0; b < 2 && kind == BOXES; b++) {
        make_box(random, &scene->pair.bodies[b]);
        make_motion_of_box(random, &scene->pair.frames[b].motion);
    }
    if (kind == LINKAGES) {
        make_tree_of_frames(context, random, &scene->pair);
    } else if (kind == SOFT_BODIES) {
        make_soft(random, scene);
    }
    scene->tolerance = tolerances[dent_random_below(random, 8)];
    scene->bounds = dent_random_below(random, 16) ? DENT_MOTION_BOUNDS_TAYLOR : DENT_MOTION_BOUNDS_INTERVAL;
    scene->volume = (dent_motion_volume)dent_random_below(random, DENT_MOTION_VOLUME_COUNT);
}

static dent_motion_impact_result ask(dent_context *context, const struct retreat *scene)
{
    dent_world *world = dent_world_create(context);
    dent_motion_impact_def def = dent_motion_impact_def_default();
    dent_motion_impact_result result;
    dent_motion_body attached[2];
    for (uint32_t b = 0; b < 2; b++) {
        bool soft = b == 1 && scene->soft;
        attached[b].frame = scene->pair.on[b];
        attached[b].body = oracle_add_body(world, &scene->pair.bodies[b], NULL, soft ? scene->end : NULL);
    }
    def.frames = scene->pair.frames;
    def.frame_count = scene->pair.frame_count;
    def.bodies = attached;
    def.body_count = scene->soft ? 1 : 2;
    def.tolerance = scene->tolerance;
    dent_experiments experiments = dent_experiments_default();
    experiments.motion.bounds = scene->bounds;
    experiments.motion.volume = scene->volume;
    def.experiments = &experiments;
    assert_int_equal(dent_world_motion_impact(world, &def, &result), DENT_OK);
    result.contacts = NULL;
    dent_world_destroy(world);
    return result;
}

/* Puts the soft body where it is at t, to go to where it is at `end`. */
static void take_part_of_soft(struct retreat *scene, double t, double end)
{
    struct oracle_body *body = &scene->pair.bodies[1];
    for (uint32_t v = 0; v < body->vertex_count; v++) {
        for (int k = 0; k < 3; k++) {
            double from = body->vertices[v][k], to = scene->end[v][k];
            body->vertices[v][k] = from + t * (to - from);
            scene->end[v][k] = from + end * (to - from);
        }
    }
}

static void take_part_of_scene(struct retreat *scene, double t, double end)
{
    take_part(&scene->pair, t, end);
    if (scene->soft) {
        take_part_of_soft(scene, t, end);
    }
}

static double distance_at(const struct retreat *scene, double t)
{
    const struct moving_pair *pair = &scene->pair;
    struct oracle_pair oracle = {&pair->bodies[0], &pair->bodies[1], pair->frames,
                                 pair->on[0],      pair->on[1],      scene->soft ? scene->end : NULL};
    return oracle_pair_distance(&oracle, t);
}

/* The scenes of a kind whose bodies meet on the way; false when this one does not. */
static bool make_contact(dent_context *context, enum scene_kind kind, uint64_t seed, struct retreat *scene,
                         double *t_lo)
{
    dent_random random = dent_random_seeded(1000000 * (uint64_t)(kind + 1) + seed);
    make_scene(context, &random, kind, scene);
    dent_motion_impact_result there = ask(context, scene);
    *t_lo = there.t_lo;
    return there.verdict == DENT_MOTION_CONTACT && !there.initial;
}

/* ---- retreats ---------------------------------------------------------------------------------------------------- */

static void complain(enum scene_kind kind, uint64_t seed, const struct retreat *back,
                     const dent_motion_impact_result *result)
{
    fail_msg("%s, seed %llu: the way back is %s at %.9g%s; distances by the tolerance %.4g at 0, %.4g there",
             scene_names[kind], (unsigned long long)seed, dent_motion_verdict_name(result->verdict), result->t_lo,
             result->initial ? " (initial)" : "", distance_at(back, 0) / result->tolerance,
             distance_at(back, result->t_lo) / result->tolerance);
}

static void retreats_are_free(dent_context *context, enum scene_kind kind, uint64_t wanted)
{
    uint64_t retreats = 0, work = 0, last = wanted, first = first_seed(wanted, &last);
    for (uint64_t seed = 20 * first; retreats < last - first; seed++) {
        struct retreat scene;
        double t_lo;
        if (!make_contact(context, kind, seed, &scene, &t_lo)) {
            continue;
        }
        take_part_of_scene(&scene, t_lo, 0);
        dent_motion_impact_result result = ask(context, &scene);
        if (result.verdict != DENT_MOTION_FREE) {
            complain(kind, seed, &scene, &result);
        }
        retreats++;
        work += result.counters.volume_tests + result.counters.face_tests + result.counters.time_pieces;
    }
    printf("%s: %llu retreats, all free; %.0f tests each\n", scene_names[kind], (unsigned long long)retreats,
           (double)work / (double)(retreats ? retreats : 1));
}

static void a_retreat_from_a_contact_by_translation_is_free(void **state)
{
    retreats_are_free(*state, TRANSLATIONS, test_count(50, 500, 16000));
}

static void a_retreat_from_a_contact_by_rotation_is_free(void **state)
{
    retreats_are_free(*state, ROTATIONS, test_count(50, 500, 16000));
}

static void a_retreat_from_a_contact_by_screw_is_free(void **state)
{
    retreats_are_free(*state, SCREWS, test_count(50, 500, 16000));
}

static void a_retreat_from_a_contact_by_any_motion_is_free(void **state)
{
    retreats_are_free(*state, ANY_MOTIONS, test_count(50, 500, 16000));
}

static void a_retreat_of_a_linkage_is_free(void **state)
{
    retreats_are_free(*state, LINKAGES, test_count(50, 500, 16000));
}

static void a_retreat_from_a_soft_body_is_free(void **state)
{
    retreats_are_free(*state, SOFT_BODIES, test_count(50, 500, 16000));
}

static void a_retreat_of_boxes_is_free(void **state)
{
    retreats_are_free(*state, BOXES, test_count(50, 500, 16000));
}

/* ---- not back but on, or anywhere -------------------------------------------------------------------------------- */

static void give_other_motions(dent_random *random, struct moving_pair *pair)
{
    for (uint32_t f = 0; f < pair->frame_count; f++) {
        dent_motion *motion = &pair->frames[f].motion;
        double slow = ldexp(1, -(int)dent_random_below(random, 24));
        oracle_random_axis(random, motion->axis);
        motion->kind = DENT_MOTION_CONSTANT_VELOCITY;
        motion->angle = slow * oracle_uniform(random, -2, 2);
        for (int k = 0; k < 3; k++) {
            motion->displacement[k] = slow * oracle_uniform(random, -1, 1);
            motion->centre[k] = oracle_uniform(random, -1, 1);
        }
    }
}

/* From t_lo of a contact in any direction, at any speed: what is said of it is true. */
static void what_goes_on_from_a_contact_is_never_missed_and_never_late(void **state)
{
    uint64_t last, count = test_count(40, 400, 20000), spent = 0;
    struct tally tally = {0};
    for (uint64_t seed = first_seed(count, &last); seed < last; seed++) {
        enum scene_kind kind = (enum scene_kind)(seed % SCENE_KINDS);
        dent_random random = dent_random_seeded(seed + 77000);
        struct retreat scene;
        double t_lo;
        if (!make_contact(*state, kind, seed, &scene, &t_lo)) {
            continue;
        }
        take_part_of_scene(&scene, t_lo, dent_random_below(&random, 2) ? 1 : t_lo);
        if (dent_random_below(&random, 3)) {
            give_other_motions(&random, &scene.pair);
        }
        dent_motion_impact_result result = ask(*state, &scene);
        if (result.verdict == DENT_MOTION_UNDECIDED && scene.bounds != DENT_MOTION_BOUNDS_TAYLOR) {
            /* Interval bounds may spend their work on a start that grazes (seed 10996); the default bounds may not. */
            spent++;
            scene.bounds = DENT_MOTION_BOUNDS_TAYLOR;
            result = ask(*state, &scene);
        }
        const struct moving_pair *pair = &scene.pair;
        struct oracle_pair oracle = {&pair->bodies[0], &pair->bodies[1], pair->frames,
                                     pair->on[0],      pair->on[1],      scene.soft ? scene.end : NULL};
        result.contact_count = 1; /* they went with the world */
        check_answer(&oracle, &result, 300, seed, &tally);
    }
    print_tally("from a contact", &tally);
    assert_true(tally.initial == 0 && tally.undecided == 0);
    assert_true(spent <= 1 + tally.queries / 1000);
    assert_true(tally.contacts > tally.queries / 5 && tally.free > tally.queries / 10);
}

/* ---- the least distances ----------------------------------------------------------------------------------------- */

/* A box `gap` above another, going up by so much while it turns about the vertical. */
static dent_motion_impact_result lift_box(dent_context *context, double gap, double up, double angle)
{
    struct retreat scene = {.pair = two_frames()};
    dent_random random = dent_random_seeded(1);
    make_box(&random, &scene.pair.bodies[0]);
    scene.pair.bodies[1] = scene.pair.bodies[0];
    dent_motion *motion = &scene.pair.frames[1].motion;
    for (int v = 0; v < 8; v++) { /* its lower face at 0, so that a gap below a rounding of 1 can be said */
        scene.pair.bodies[0].vertices[v][2] = v & 4 ? 0 : -1;
        scene.pair.bodies[1].vertices[v][2] = v & 4 ? 1 : 0;
    }
    motion->start.translation[2] = gap;
    motion->displacement[2] = up;
    motion->axis[2] = 1;
    motion->angle = angle;
    return ask(context, &scene);
}

static void any_distance_above_0_is_enough_and_touching_stays_initial(void **state)
{
    static const double angles[3] = {0, 1, -3};
    for (int i = 0; i < 9; i++) {
        double gap = ldexp(1, -80 + 8 * i), angle = angles[i % 3];
        assert_int_equal(lift_box(*state, gap, 1, angle).verdict, DENT_MOTION_FREE);
        assert_int_equal(lift_box(*state, gap, 1e-3, angle).verdict, DENT_MOTION_FREE);
        dent_motion_impact_result down = lift_box(*state, gap, -1, angle);
        assert_true(down.verdict == DENT_MOTION_CONTACT && !down.initial);
        assert_true(down.t_lo > 0 && down.t_lo <= gap);
        assert_true(lift_box(*state, 0, 1, angle).initial);
        assert_true(lift_box(*state, -gap, 1, angle).initial);
    }
}

/* ---- the same answer --------------------------------------------------------------------------------------------- */

static void retreats_are_the_same_on_every_instruction_set(void **state)
{
    dent_context *scalar = test_context(2, DENT_ISA_SCALAR);
    uint64_t count = test_count(20, 200, 5000);
    for (uint64_t seed = 0; seed < count; seed++) {
        struct retreat scene;
        double t_lo;
        if (!make_contact(*state, (enum scene_kind)(seed % SCENE_KINDS), seed, &scene, &t_lo)) {
            continue;
        }
        take_part_of_scene(&scene, t_lo, seed % 2 ? 0 : 1);
        dent_motion_impact_result one = ask(*state, &scene), two = ask(scalar, &scene);
        assert_true(one.verdict == two.verdict && one.t_lo == two.t_lo && one.t_hi == two.t_hi &&
                    one.t_estimate == two.t_estimate);
        assert_true(one.counters.volume_tests == two.counters.volume_tests &&
                    one.counters.face_tests == two.counters.face_tests &&
                    one.counters.time_pieces == two.counters.time_pieces);
    }
    dent_context_destroy(scalar);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_retreat_from_a_contact_by_translation_is_free),
        cmocka_unit_test(a_retreat_from_a_contact_by_rotation_is_free),
        cmocka_unit_test(a_retreat_from_a_contact_by_screw_is_free),
        cmocka_unit_test(a_retreat_from_a_contact_by_any_motion_is_free),
        cmocka_unit_test(a_retreat_of_a_linkage_is_free),
        cmocka_unit_test(a_retreat_from_a_soft_body_is_free),
        cmocka_unit_test(a_retreat_of_boxes_is_free),
        cmocka_unit_test(what_goes_on_from_a_contact_is_never_missed_and_never_late),
        cmocka_unit_test(any_distance_above_0_is_enough_and_touching_stays_initial),
        cmocka_unit_test(retreats_are_the_same_on_every_instruction_set),
    };
    return cmocka_run_group_tests(tests, test_open_context_of_one, test_close_context);
}
