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

enum { TRANSLATIONS, ROTATIONS, SCREWS, ANY_MOTIONS, LINKAGES, SOFT_BODIES, SCENE_KINDS };
static const char *const scene_names[SCENE_KINDS] = {"translations", "rotations", "screws",
                                                     "any motions",  "linkages",  "soft bodies"};

struct retreat {
    struct moving_pair pair;
    bool soft; /* body b goes on straight lines to `end` */
    double end[ORACLE_VERTICES][3];
    double tolerance;
    dent_motion_bounds bounds;
    dent_motion_volume volume;
};

static void make_motion(dent_context *context, dent_random *random, int kind, dent_motion *motion)
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

static void make_scene(dent_context *context, dent_random *random, int kind, struct retreat *scene)
{
    static const double tolerances[8] = {0, 0, 0, 0, 1e-3, 1e-5, 1e-8, 1e-12};
    *scene = (struct retreat){.pair = two_frames()};
    for (uint32_t b = 0; b < 2; b++) {
        oracle_random_body(random, &scene->pair.bodies[b]);
        make_motion(context, random, kind, &scene->pair.frames[b].motion);
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
    def.bounds = scene->bounds;
    def.volume = scene->volume;
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
    struct oracle_pair oracle = {&pair->bodies[0], &pair->bodies[1], pair->frames, pair->on[0], pair->on[1],
                                 scene->soft ? scene->end : NULL};
    return oracle_pair_distance(&oracle, t);
}

/* ---- retreats ---------------------------------------------------------------------------------------------------- */

static void retreats_of(dent_context *context, int kind, uint64_t wanted)
{
    uint64_t retreats = 0, stalls = 0, initial = 0, work = 0, most = 0;
    for (uint64_t seed = 0; retreats < wanted; seed++) {
        dent_random random = dent_random_seeded(1000000 * (uint64_t)(kind + 1) + seed);
        struct retreat scene;
        make_scene(context, &random, kind, &scene);
        dent_motion_impact_result there = ask(context, &scene);
        if (there.verdict != DENT_MOTION_CONTACT || there.initial) {
            continue;
        }
        struct retreat back = scene;
        take_part_of_scene(&back, there.t_lo, 0);
        dent_motion_impact_result again = ask(context, &back);
        uint64_t tests = again.counters.volume_tests + again.counters.face_tests + again.counters.time_pieces;
        retreats++;
        work += tests;
        most = tests > most ? tests : most;
        if (again.verdict != DENT_MOTION_FREE) {
            stalls++;
            initial += again.initial;
            double t = again.t_lo;
            printf("%s seed %llu: t_lo %.6g, then %s at %.6g%s; tolerance %.3g; distances/tolerance %.4g %.4g %.4g, volume %d bounds %d work %llu\n", scene_names[kind],
                   (unsigned long long)seed, there.t_lo, dent_motion_verdict_name(again.verdict), t,
                   again.initial ? " (initial)" : "", again.tolerance, distance_at(&back, 0) / again.tolerance, distance_at(&back, t) / again.tolerance,
                   distance_at(&back, 2 * t) / again.tolerance, scene.volume, scene.bounds, (unsigned long long)tests);
        }
    }
    printf("%s: %llu retreats, %llu stalls, %llu of them initial; work mean %.0f, most %llu\n", scene_names[kind],
           (unsigned long long)retreats, (unsigned long long)stalls, (unsigned long long)initial,
           (double)work / (double)retreats, (unsigned long long)most);
    assert_int_equal(stalls, 0);
}

static void a_retreat_from_a_contact_by_translation_is_free(void **state)
{
    retreats_of(*state, TRANSLATIONS, test_count(50, 700, 17000));
}

static void a_retreat_from_a_contact_by_rotation_is_free(void **state)
{
    retreats_of(*state, ROTATIONS, test_count(50, 700, 17000));
}

static void a_retreat_from_a_contact_by_screw_is_free(void **state)
{
    retreats_of(*state, SCREWS, test_count(50, 700, 17000));
}

static void a_retreat_from_a_contact_by_any_motion_is_free(void **state)
{
    retreats_of(*state, ANY_MOTIONS, test_count(50, 700, 17000));
}

static void a_retreat_of_a_linkage_is_free(void **state)
{
    retreats_of(*state, LINKAGES, test_count(50, 700, 17000));
}

static void a_retreat_from_a_soft_body_is_free(void **state)
{
    retreats_of(*state, SOFT_BODIES, test_count(50, 700, 17000));
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
    };
    return cmocka_run_group_tests(tests, test_open_context_of_one, test_close_context);
}
