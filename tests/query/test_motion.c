/* The question motion-impact: analytic cases to within the tolerance, invariants, the same bits for threads and
 * instruction sets, bad input in words, memory. Random pairs are in test_motion_random.c. */
#include "query/motion_oracle.h"

#include "support/failing_allocator.h"

static const double pi = 3.14159265358979323846;

/* ---- small worlds ------------------------------------------------------------------------------------------------ */

#define GOLDEN_HASH UINT64_C(0x41be248ee15e0e4e)

enum { SCENE_BODIES = 40 };

struct motion_scene {
    dent_context *context;
    dent_world *world;
    uint32_t body_count, frame_count;
    struct oracle_body bodies[SCENE_BODIES];
    dent_motion_body attached[SCENE_BODIES];
    dent_motion_frame frames[SCENE_BODIES];
    dent_motion_impact_def def;
};

static struct motion_scene *scene_new(const dent_context_def *context_def)
{
    struct motion_scene *scene = calloc(1, sizeof *scene);
    assert_non_null(scene);
    scene->context = dent_context_create(context_def, NULL);
    scene->world = dent_world_create(scene->context);
    assert_non_null(scene->world);
    scene->def = dent_motion_impact_def_default();
    scene->def.frames = scene->frames;
    scene->def.bodies = scene->attached;
    return scene;
}

static void scene_free(struct motion_scene *scene)
{
    dent_world_destroy(scene->world);
    dent_context_destroy(scene->context);
    free(scene);
}

static uint32_t scene_frame(struct motion_scene *scene, uint32_t parent, dent_motion motion)
{
    scene->frames[scene->frame_count] = (dent_motion_frame){parent, motion};
    scene->def.frame_count = scene->frame_count + 1;
    return scene->frame_count++;
}

static dent_body_id scene_body(struct motion_scene *scene, const struct oracle_body *body, uint32_t frame)
{
    uint32_t index = scene->body_count++;
    scene->bodies[index] = *body;
    dent_body_id id = oracle_add_body(scene->world, &scene->bodies[index], NULL, NULL);
    scene->attached[index] = (dent_motion_body){id, frame};
    scene->def.body_count = scene->body_count;
    return id;
}

static dent_motion_impact_result scene_ask(struct motion_scene *scene)
{
    dent_motion_impact_result result;
    if (dent_world_motion_impact(scene->world, &scene->def, &result) != DENT_OK) {
        fail_msg("%s", dent_world_message(scene->world));
    }
    return result;
}

static struct oracle_body triangle_of(const double a[3], const double b[3], const double c[3])
{
    struct oracle_body body = {.vertex_count = 3, .face_count = 1, .faces = {{0, 1, 2}}};
    memcpy(body.vertices[0], a, 3 * sizeof(double));
    memcpy(body.vertices[1], b, 3 * sizeof(double));
    memcpy(body.vertices[2], c, 3 * sizeof(double));
    return body;
}

static struct oracle_body point_at(double x, double y, double z)
{
    const double p[3] = {x, y, z};
    return triangle_of(p, p, p);
}

static dent_motion turning(double x, double y, double z, double angle)
{
    dent_pose start = dent_pose_identity();
    dent_motion motion = dent_motion_still(&start);
    motion.axis[0] = x;
    motion.axis[1] = y;
    motion.axis[2] = z;
    motion.angle = angle;
    return motion;
}

static dent_motion sliding(double x, double y, double z)
{
    dent_pose start = dent_pose_identity();
    dent_motion motion = dent_motion_still(&start);
    motion.displacement[0] = x;
    motion.displacement[1] = y;
    motion.displacement[2] = z;
    return motion;
}

/* t_lo is not late, and early by no more than the way of the tolerance at this speed. */
static void check_time(const dent_motion_impact_result *result, double exact, double speed, const char *what)
{
    assert_int_equal(result->verdict, DENT_MOTION_CONTACT);
    double early = exact - result->t_lo;
    if (!(early >= -1e-15) || early > result->tolerance / speed + 1e-14) {
        fail_msg("%s: t_lo is %.17g, the contact at %.17g, early by %g, allowed %g", what, result->t_lo, exact, early,
                 result->tolerance / speed);
    }
    assert_true(result->t_c >= result->t_lo && result->t_hi >= result->t_c && result->contact_count > 0);
}

/* ---- analytic cases ---------------------------------------------------------------------------------------------- */

static void a_turning_rod_meets_a_point_on_time(void **state)
{
    (void)state;
    for (int i = 1; i < 60; i++) {
        struct motion_scene *scene = scene_new(NULL);
        double angle = 0.05 * i * (i % 7 == 0 ? 4 : 1), where = (i % 5 + 1) / 6.0 * angle, radius = 0.3 + 0.01 * i;
        const double a[3] = {0.1, 0, 0}, b[3] = {1, 0, 0}, c[3] = {0.5, 0, 0};
        struct oracle_body rod = triangle_of(a, b, c);
        struct oracle_body point = point_at(radius * cos(where), radius * sin(where), 0);
        if (where > 2 * pi) {
            where = fmod(where, 2 * pi);
        }
        scene_body(scene, &rod, scene_frame(scene, DENT_FRAME_WORLD, turning(0, 0, 1, angle)));
        scene_body(scene, &point, DENT_FRAME_WORLD);
        dent_motion_impact_result result = scene_ask(scene);
        check_time(&result, where / angle, angle * radius, "rod");
        assert_true(result.contacts[0].separation <= result.tolerance);
        scene_free(scene);
    }
}

/* Vertices on the unit sphere in `rings` rings; *inner becomes the radius of the largest ball inside. */
static void make_ball(struct oracle_body *ball, uint32_t rings, double *inner)
{
    uint32_t segments = 5;
    *ball = (struct oracle_body){.vertex_count = 2 + segments * (rings - 1)};
    ball->vertices[0][2] = 1;
    ball->vertices[1][2] = -1;
    for (uint32_t v = 2; v < ball->vertex_count; v++) {
        double polar = pi * ((v - 2) / segments + 1) / rings, around = 2 * pi * ((v - 2) % segments) / segments;
        ball->vertices[v][0] = sin(polar) * cos(around);
        ball->vertices[v][1] = sin(polar) * sin(around);
        ball->vertices[v][2] = cos(polar);
    }
    for (uint32_t ring = 0; ring < rings; ring++) {
        for (uint32_t s = 0; s < segments; s++) {
            uint32_t next = (s + 1) % segments;
            uint32_t a = ring == 0 ? 0 : 2 + (ring - 1) * segments + s,
                     b = ring == 0 ? 0 : 2 + (ring - 1) * segments + next;
            uint32_t c = ring + 1 == rings ? 1 : 2 + ring * segments + s,
                     d = ring + 1 == rings ? 1 : 2 + ring * segments + next;
            const uint32_t faces[2][3] = {{a, c, b}, {b, c, d}};
            for (int k = 0; k < 2; k++) {
                if (faces[k][0] != faces[k][1] && faces[k][1] != faces[k][2] && faces[k][0] != faces[k][2]) {
                    memcpy(ball->faces[ball->face_count++], faces[k], sizeof faces[k]);
                }
            }
        }
    }
    *inner = 1;
    const double origin[3] = {0, 0, 0};
    for (uint32_t f = 0; f < ball->face_count; f++) {
        const double *const corners[3] = {ball->vertices[ball->faces[f][0]], ball->vertices[ball->faces[f][1]],
                                          ball->vertices[ball->faces[f][2]]};
        *inner = fmin(*inner, vertex_face_distance(origin, corners));
    }
}

static void balls_meet_between_their_inner_and_outer_radius(void **state)
{
    (void)state;
    struct oracle_body ball;
    double inner;
    make_ball(&ball, 4, &inner);
    assert_true(inner > 0.6 && inner < 1);
    for (uint64_t seed = 0; seed < 100; seed++) {
        dent_random random = dent_random_seeded(seed);
        struct motion_scene *scene = scene_new(NULL);
        for (int side = 0; side < 2; side++) {
            dent_motion motion = oracle_random_motion(scene->context, &random, 0);
            motion.kind = DENT_MOTION_CONSTANT_VELOCITY;
            memset(motion.centre, 0, sizeof motion.centre);
            memset(motion.displacement, 0, sizeof motion.displacement);
            motion.start.translation[0] = side ? 3 : -0.5;
            motion.start.translation[1] = motion.start.translation[2] = 0;
            motion.displacement[0] = side ? -1.5 : 1;
            scene_body(scene, &ball, scene_frame(scene, DENT_FRAME_WORLD, motion));
        }
        dent_motion_impact_result result = scene_ask(scene);
        double soonest = (3.5 - 2) / 2.5, latest = (3.5 - 2 * inner) / 2.5;
        assert_int_equal(result.verdict, DENT_MOTION_CONTACT);
        assert_true(result.t_lo >= soonest - result.tolerance / 2.5 && result.t_lo <= latest);
        assert_true(!result.initial && result.body_a == 0 && result.body_b == 1);
        double along = fabs(result.contacts[0].normal[0]);
        assert_true(along > 0.2 && result.contacts[0].separation <= result.tolerance);
        scene_free(scene);
    }
}

/* Without rotation, vertex against vertex: exact. */
static void balls_that_slide_meet_on_time(void **state)
{
    (void)state;
    struct oracle_body ball;
    double inner;
    make_ball(&ball, 4, &inner);
    struct motion_scene *scene = scene_new(NULL);
    dent_motion up = sliding(0, 0, 1), down = sliding(0, 0, -2);
    down.start.translation[2] = 3.5;
    scene_body(scene, &ball, scene_frame(scene, DENT_FRAME_WORLD, up));
    scene_body(scene, &ball, scene_frame(scene, DENT_FRAME_WORLD, down));
    dent_motion_impact_result result = scene_ask(scene);
    check_time(&result, 0.5, 3, "balls");
    const dent_motion_contact *contact = &result.contacts[0];
    assert_int_equal(contact->kind, DENT_IMPACT_VERTEX_FACE);
    assert_true(fabs(contact->normal[2] + 1) < 1e-9); /* from b, which is above, to a */
    assert_true(fabs(contact->point_a[2] - 1.5) < 1e-5 && fabs(contact->point_b[2] - 1.5) < 1e-5);
    scene_free(scene);
}

/* Two wheels with one upright tooth each, a rectangle from radius 0.2 to 1. In the plane: two turning segments; they
 * meet when the tip of one is on the other. The first such time by scanning and halving in long double. */
static int tip_is_beyond(long double t, double w1, double w2, double a0, double b0, int which, long double *radius)
{
    long double a = a0 + w1 * t, b = b0 + w2 * t;
    long double tip[2] = {which ? 1.5L + cosl(b) : cosl(a), which ? sinl(b) : sinl(a)};
    long double from[2] = {tip[0] - (which ? 0 : 1.5L), tip[1]}, to[2] = {cosl(which ? a : b), sinl(which ? a : b)};
    *radius = from[0] * to[0] + from[1] * to[1];
    return from[0] * to[1] - from[1] * to[0] > 0;
}

static double gear_contact(double w1, double w2, double a0, double b0)
{
    double first = 2;
    enum { STEPS = 5000 };
    for (int which = 0; which < 2; which++) {
        for (int i = 0; i < STEPS; i++) {
            long double low = (long double)i / STEPS, high = (long double)(i + 1) / STEPS, radius;
            int side = tip_is_beyond(low, w1, w2, a0, b0, which, &radius);
            if (side == tip_is_beyond(high, w1, w2, a0, b0, which, &radius)) {
                continue;
            }
            for (int k = 0; k < 60; k++) {
                long double middle = (low + high) / 2;
                *(tip_is_beyond(middle, w1, w2, a0, b0, which, &radius) == side ? &low : &high) = middle;
            }
            if (radius >= 0.2L && radius <= 1) {
                first = fmin(first, (double)high);
                break;
            }
        }
    }
    return first;
}

static void gear_teeth_meet_on_time(void **state)
{
    (void)state;
    struct oracle_body tooth = {.vertex_count = 4, .face_count = 2, .faces = {{0, 1, 2}, {0, 2, 3}}};
    const double corners[4][3] = {{0.2, 0, -0.1}, {1, 0, -0.1}, {1, 0, 0.1}, {0.2, 0, 0.1}};
    memcpy(tooth.vertices, corners, sizeof corners);
    int met = 0;
    for (uint64_t seed = 0; seed < 300; seed++) {
        dent_random random = dent_random_seeded(seed + 4);
        double w1 = oracle_uniform(&random, -9, 9), w2 = oracle_uniform(&random, -9, 9);
        double a0 = oracle_uniform(&random, 0.9, 5.3), b0 = oracle_uniform(&random, -2.2, 2.2);
        double exact = gear_contact(w1, w2, a0, b0);
        struct motion_scene *scene = scene_new(NULL);
        dent_motion one = turning(0, 0, 1, w1), two = turning(0, 0, 1, w2);
        one.start.rotation[0] = cos(a0 / 2);
        one.start.rotation[3] = sin(a0 / 2);
        two.start.rotation[0] = cos(b0 / 2);
        two.start.rotation[3] = sin(b0 / 2);
        two.start.translation[0] = 1.5;
        scene_body(scene, &tooth, scene_frame(scene, DENT_FRAME_WORLD, one));
        scene_body(scene, &tooth, scene_frame(scene, DENT_FRAME_WORLD, two));
        dent_motion_impact_result result = scene_ask(scene);
        if (exact > 1) {
            assert_true(result.verdict == DENT_MOTION_FREE);
        } else if (exact > 0.002) {
            met++;
            assert_int_equal(result.verdict, DENT_MOTION_CONTACT);
            assert_true(result.t_lo <= exact + 1e-13);
            /* Early by the tolerance at the speed of approach, which is small where a tip slides along a flank. */
            assert_true(exact - result.t_lo < 2e-3);
            assert_true(exact - result.t_lo < 2e-5 || fabs(w1) < 1 || fabs(w2) < 1);
        }
        scene_free(scene);
    }
    printf("%d pairs of teeth met\n", met);
    assert_true(met > 20);
}

/* A point on a helix against the plane of a large triangle: A cos(wt) + B sin(wt) + Ct + D = 0. */
static void a_screwing_point_meets_a_plane_on_time(void **state)
{
    (void)state;
    const double a[3] = {-50, -50, 0}, b[3] = {50, -50, 0}, c[3] = {0, 80, 0};
    struct oracle_body plane = triangle_of(a, b, c);
    int met = 0;
    for (uint64_t seed = 0; seed < 200; seed++) {
        dent_random random = dent_random_seeded(seed + 8);
        struct motion_scene *scene = scene_new(NULL);
        dent_pose start = oracle_random_pose(&random, 1), end = oracle_random_pose(&random, 1);
        start.translation[2] += 2;
        end.translation[2] -= 2;
        dent_motion motion;
        assert_int_equal(dent_motion_between(scene->context, &start, &end, DENT_MOTION_SCREW, NULL, 0, &motion),
                         DENT_OK);
        struct oracle_body point = point_at(0.3, 0.2, 0.1);
        scene_body(scene, &point, scene_frame(scene, DENT_FRAME_WORLD, motion));
        scene_body(scene, &plane, DENT_FRAME_WORLD);
        scene->def.tolerance = 1e-6;
        dent_motion_impact_result result = scene_ask(scene);
        /* The first zero of the height, in long double. */
        long double first = 2, before = 0;
        for (int i = 0; i <= 4000 && first > 1; i++) {
            struct oracle_pose pose;
            long double t = i / 4000.0L, low = t - 1 / 4000.0L, high = t, height = 0;
            for (int k = 0; k < 70; k++) {
                long double at = k == 0 ? t : (low + high) / 2;
                oracle_pose_at(&motion, at, &pose);
                height = pose.translation[2] + 0.3L * (long double)1 * 0;
                height = pose.translation[2] + pose.rotation[2][0] * point.vertices[0][0] +
                         pose.rotation[2][1] * point.vertices[0][1] + pose.rotation[2][2] * point.vertices[0][2];
                if (k == 0 && height > 0) {
                    before = height;
                    break;
                }
                *(height > 0 ? &low : &high) = at;
                first = high;
            }
        }
        assert_true(before > 0);
        assert_int_equal(result.verdict, DENT_MOTION_CONTACT);
        assert_true((long double)result.t_lo <= first && first - (long double)result.t_lo < 1e-4L);
        met += first - (long double)result.t_lo < 1e-6L;
        scene_free(scene);
    }
    assert_true(met > 180); /* the others graze */
}

static void touching_at_the_start_is_initial_and_a_small_gap_is_not(void **state)
{
    (void)state;
    const double a[3] = {-1, -1, 0}, b[3] = {1, -1, 0}, c[3] = {0, 1, 0};
    struct oracle_body plane = triangle_of(a, b, c);
    for (int i = 0; i < 3; i++) {
        struct motion_scene *scene = scene_new(NULL);
        struct oracle_body point = point_at(0, 0, i == 0 ? 0 : 1e-9);
        scene_body(scene, &point, scene_frame(scene, DENT_FRAME_WORLD, sliding(0, 0, i == 2 ? 1 : -1)));
        scene_body(scene, &plane, DENT_FRAME_WORLD);
        dent_motion_impact_result result = scene_ask(scene);
        if (i == 0) {
            assert_true(result.verdict == DENT_MOTION_CONTACT && result.initial && result.t_lo == 0);
        } else if (i == 1) {
            assert_true(result.verdict == DENT_MOTION_CONTACT && !result.initial && result.t_lo > 0 &&
                        result.t_lo <= 1e-9);
        } else {
            assert_int_equal(result.verdict, DENT_MOTION_FREE); /* moves away */
        }
        scene_free(scene);
    }
}

static void bodies_that_move_together_never_meet(void **state)
{
    (void)state;
    struct motion_scene *scene = scene_new(NULL);
    dent_random random = dent_random_seeded(5);
    dent_motion motion = oracle_random_motion(scene->context, &random, 2);
    struct oracle_body left = point_at(0, 0, 0), right = point_at(1e-3, 0, 0);
    scene_body(scene, &left, scene_frame(scene, DENT_FRAME_WORLD, motion));
    scene_body(scene, &right, scene_frame(scene, DENT_FRAME_WORLD, motion));
    dent_motion_impact_result result = scene_ask(scene);
    assert_int_equal(result.verdict, DENT_MOTION_FREE);
    scene->attached[1].frame = 0; /* the same frame: not even asked */
    result = scene_ask(scene);
    assert_true(result.verdict == DENT_MOTION_FREE && result.counters.body_pairs == 0);
    scene_free(scene);
}

/* ---- invariants -------------------------------------------------------------------------------------------------- */

struct random_pair {
    struct oracle_body bodies[2];
    dent_motion motions[2];
};

static void make_pair(dent_context *context, uint64_t seed, struct random_pair *pair)
{
    dent_random random = dent_random_seeded(seed + 400);
    for (int side = 0; side < 2; side++) {
        oracle_random_body(&random, &pair->bodies[side]);
        pair->motions[side] = oracle_random_motion(context, &random, 2);
    }
}

static dent_motion_impact_result ask_pair(const struct random_pair *pair, bool swapped, const dent_motion *parent)
{
    struct motion_scene *scene = scene_new(NULL);
    uint32_t above = parent ? scene_frame(scene, DENT_FRAME_WORLD, *parent) : DENT_FRAME_WORLD;
    for (int i = 0; i < 2; i++) {
        int side = swapped ? 1 - i : i;
        scene_body(scene, &pair->bodies[side], scene_frame(scene, above, pair->motions[side]));
    }
    dent_motion_impact_result result = scene_ask(scene);
    scene_free(scene);
    return result;
}

/* The same verdict and nearly the same time, or the bodies just miss each other by less than the tolerance. */
static bool agree(const struct random_pair *pair, const dent_motion_impact_result *a,
                  const dent_motion_impact_result *b)
{
    dent_motion_frame frames[2] = {{DENT_FRAME_WORLD, pair->motions[0]}, {DENT_FRAME_WORLD, pair->motions[1]}};
    struct oracle_pair oracle = {&pair->bodies[0], &pair->bodies[1], frames, 0, 1, NULL};
    if (a->verdict == b->verdict && fabs(a->t_lo - b->t_lo) < 1e-7) {
        return true;
    }
    /* Both report a distance within the tolerance. */
    const dent_motion_impact_result *first = a->t_lo < b->t_lo ? a : b;
    return first->verdict == DENT_MOTION_CONTACT && oracle_pair_distance(&oracle, first->t_lo) <= first->tolerance &&
           fabs(a->t_lo - b->t_lo) < 1e-2;
}

static void swapping_the_bodies_changes_nothing(void **state)
{
    (void)state;
    dent_context *context = dent_context_create(NULL, NULL);
    uint64_t count = motion_test_count(30, 200, 2000), same = 0;
    for (uint64_t seed = 0; seed < count; seed++) {
        struct random_pair pair;
        make_pair(context, seed, &pair);
        dent_motion_impact_result plain = ask_pair(&pair, false, NULL), swapped = ask_pair(&pair, true, NULL);
        assert_true(agree(&pair, &plain, &swapped));
        same += plain.t_lo == swapped.t_lo;
    }
    assert_true(same > count * 9 / 10);
    dent_context_destroy(context);
}

static void moving_both_by_the_same_rigid_motion_changes_nothing(void **state)
{
    (void)state;
    dent_context *context = dent_context_create(NULL, NULL);
    uint64_t count = motion_test_count(30, 200, 2000);
    for (uint64_t seed = 0; seed < count; seed++) {
        struct random_pair pair;
        make_pair(context, seed, &pair);
        dent_random random = dent_random_seeded(seed + 9);
        dent_motion common = oracle_random_motion(context, &random, 5);
        dent_motion_impact_result plain = ask_pair(&pair, false, NULL), carried = ask_pair(&pair, false, &common);
        assert_true(plain.t_lo == carried.t_lo && plain.t_hi == carried.t_hi && plain.verdict == carried.verdict &&
                    plain.contact_count == carried.contact_count);
        dent_pose place = oracle_random_pose(&random, 5); /* and from another place, all rounded anew */
        struct random_pair moved = pair;
        for (int side = 0; side < 2; side++) {
            dent_motion *motion = &moved.motions[side];
            dent_pose turn = place;
            memset(turn.translation, 0, sizeof turn.translation);
            dent_pose axis = {{1, 0, 0, 0}, {motion->axis[0], motion->axis[1], motion->axis[2]}};
            dent_pose way = {{1, 0, 0, 0}, {motion->displacement[0], motion->displacement[1], motion->displacement[2]}};
            motion->start = dent_pose_product(&place, &motion->start);
            axis = dent_pose_product(&turn, &axis);
            way = dent_pose_product(&turn, &way);
            memcpy(motion->axis, axis.translation, sizeof motion->axis);
            memcpy(motion->displacement, way.translation, sizeof motion->displacement);
        }
        dent_motion_impact_result elsewhere = ask_pair(&moved, false, NULL);
        assert_true(agree(&pair, &plain, &elsewhere));
    }
    dent_context_destroy(context);
}

static dent_motion reversed(const dent_motion *motion)
{
    dent_motion back = *motion;
    back.start = dent_motion_at(motion, 1);
    back.angle = -motion->angle;
    for (int k = 0; k < 3; k++) {
        back.displacement[k] = -motion->displacement[k];
    }
    return back;
}

static void reversing_time_turns_free_into_free_and_the_first_contact_into_the_last(void **state)
{
    (void)state;
    dent_context *context = dent_context_create(NULL, NULL);
    uint64_t count = motion_test_count(30, 300, 3000), contacts = 0;
    for (uint64_t seed = 0; seed < count; seed++) {
        struct random_pair pair, back;
        make_pair(context, seed, &pair);
        back = pair;
        back.motions[0] = reversed(&pair.motions[0]);
        back.motions[1] = reversed(&pair.motions[1]);
        dent_motion_impact_result forth = ask_pair(&pair, false, NULL), again = ask_pair(&back, false, NULL);
        if (forth.verdict == DENT_MOTION_FREE || again.verdict == DENT_MOTION_FREE) {
            /* Free both ways, or a near miss. */
            const dent_motion_impact_result *other = forth.verdict == DENT_MOTION_FREE ? &again : &forth;
            assert_true(other->verdict == DENT_MOTION_FREE || other->contacts == NULL ||
                        other->verdict == DENT_MOTION_CONTACT);
            dent_motion_frame frames[2] = {{DENT_FRAME_WORLD, pair.motions[0]}, {DENT_FRAME_WORLD, pair.motions[1]}};
            struct oracle_pair oracle = {&pair.bodies[0], &pair.bodies[1], frames, 0, 1, NULL};
            double least;
            assert_true(other->verdict == DENT_MOTION_FREE || oracle_first_contact(&oracle, 200, &least) > 1);
        } else {
            contacts++;
            assert_true(1 - again.t_lo >= forth.t_lo - 1e-5); /* the last contact is not before the first */
        }
    }
    assert_true(contacts > count / 10);
    dent_context_destroy(context);
}

static void volumes_and_bounds_change_the_time_by_less_than_the_tolerance(void **state)
{
    (void)state;
    uint64_t count = motion_test_count(20, 100, 1000);
    for (uint64_t seed = 0; seed < count; seed++) {
        struct motion_scene *scene = scene_new(NULL);
        struct random_pair pair;
        make_pair(scene->context, seed, &pair);
        for (int side = 0; side < 2; side++) {
            scene_body(scene, &pair.bodies[side], scene_frame(scene, DENT_FRAME_WORLD, pair.motions[side]));
        }
        dent_motion_impact_result first = scene_ask(scene);
        for (int volume = 1; volume < DENT_MOTION_VOLUME_COUNT; volume++) {
            for (int bounds = 1; bounds < DENT_MOTION_BOUNDS_COUNT; bounds++) {
                scene->def.volume = (dent_motion_volume)volume;
                scene->def.bounds = (dent_motion_bounds)bounds;
                dent_motion_impact_result other = scene_ask(scene);
                if (!agree(&pair, &first, &other)) {
                    fail_msg("seed %llu, %s, %s: %s at %.17g instead of %s at %.17g", (unsigned long long)seed,
                             dent_motion_volume_name(scene->def.volume), dent_motion_bounds_name(scene->def.bounds),
                             dent_motion_verdict_name(other.verdict), other.t_lo,
                             dent_motion_verdict_name(first.verdict), first.t_lo);
                }
            }
        }
        scene_free(scene);
    }
}

static void far_bodies_change_nothing(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 40; seed++) {
        struct motion_scene *scene = scene_new(NULL);
        struct random_pair pair;
        make_pair(scene->context, seed, &pair);
        for (int side = 0; side < 2; side++) {
            scene_body(scene, &pair.bodies[side], scene_frame(scene, DENT_FRAME_WORLD, pair.motions[side]));
        }
        dent_motion_impact_result alone = scene_ask(scene);
        for (int i = 0; i < 34; i++) { /* also past the number from which bodies are swept */
            dent_motion away = pair.motions[i % 2];
            away.start.translation[0] += 1000 + 100 * i;
            scene_body(scene, &pair.bodies[i % 2], scene_frame(scene, DENT_FRAME_WORLD, away));
        }
        dent_motion_impact_result many = scene_ask(scene);
        assert_true(alone.t_lo == many.t_lo && alone.t_hi == many.t_hi && alone.verdict == many.verdict &&
                    alone.contact_count == many.contact_count);
        scene_free(scene);
    }
}

static void halving_the_step_gives_the_same_time(void **state)
{
    (void)state;
    dent_context *context = dent_context_create(NULL, NULL);
    for (uint64_t seed = 0; seed < 150; seed++) {
        struct random_pair pair, halves[2];
        make_pair(context, seed, &pair);
        for (int half = 0; half < 2; half++) {
            halves[half] = pair;
            for (int side = 0; side < 2; side++) {
                dent_motion *motion = &halves[half].motions[side];
                *motion = pair.motions[side];
                motion->kind = DENT_MOTION_CONSTANT_VELOCITY; /* half a screw displaces by less than half */
                pair.motions[side].kind = DENT_MOTION_CONSTANT_VELOCITY;
                motion->start = half ? dent_motion_at(&pair.motions[side], 0.5) : motion->start;
                motion->angle *= 0.5;
                for (int k = 0; k < 3; k++) {
                    motion->displacement[k] *= 0.5;
                }
            }
        }
        dent_motion_impact_result whole = ask_pair(&pair, false, NULL), one = ask_pair(&halves[0], false, NULL);
        dent_motion_impact_result two = ask_pair(&halves[1], false, NULL), joined = one;
        if (one.verdict == DENT_MOTION_FREE) {
            joined = two;
            joined.t_lo = two.verdict == DENT_MOTION_FREE ? 1 : 0.5 + two.t_lo / 2;
        } else {
            joined.t_lo = one.t_lo / 2;
        }
        assert_true(agree(&pair, &whole, &joined));
    }
    dent_context_destroy(context);
}

/* ---- the same bits ----------------------------------------------------------------------------------------------- */

static struct motion_scene *crowd(const dent_context_def *def, uint64_t seed)
{
    struct motion_scene *scene = scene_new(def);
    dent_random random = dent_random_seeded(seed + 70);
    for (int i = 0; i < 30; i++) {
        struct oracle_body body;
        oracle_random_body(&random, &body);
        dent_motion motion = oracle_random_motion(scene->context, &random, 9);
        uint32_t parent =
            i > 0 && dent_random_below(&random, 2) ? dent_random_below(&random, (uint32_t)i) : DENT_FRAME_WORLD;
        motion.angle *= 0.2;
        for (int k = 0; k < 3; k++) {
            motion.displacement[k] *= 0.1;
        }
        uint32_t frame = scene_frame(scene, parent, motion);
        scene_body(scene, &body, dent_random_below(&random, 8) ? frame : DENT_FRAME_WORLD);
    }
    return scene;
}

static void threads_and_instruction_sets_give_the_same_bits(void **state)
{
    (void)state;
    uint64_t later = 0;
    for (uint64_t seed = 0; seed < 60; seed++) {
        struct motion_scene *reference = crowd(NULL, seed);
        dent_motion_impact_result first = scene_ask(reference);
        later += first.verdict == DENT_MOTION_CONTACT && !first.initial;
        for (uint32_t threads = 1; threads <= 4; threads += 3) {
            for (int isa = DENT_ISA_SCALAR; isa < DENT_ISA_COUNT; isa++) {
                dent_context_def def = dent_context_def_default();
                def.thread_count = threads;
                def.isa = (dent_isa)isa;
                if (!dent_isa_available(def.isa)) {
                    continue;
                }
                struct motion_scene *scene = crowd(&def, seed);
                dent_motion_impact_result other = scene_ask(scene);
                assert_true(first.verdict == other.verdict && first.contact_count == other.contact_count);
                assert_memory_equal(&first.t_lo, &other.t_lo, sizeof first.t_lo);
                assert_memory_equal(&first.t_hi, &other.t_hi, sizeof first.t_hi);
                assert_true(first.body_a == other.body_a && first.body_b == other.body_b);
                assert_true(first.counters.volume_tests == other.counters.volume_tests &&
                            first.counters.face_tests == other.counters.face_tests);
                for (uint64_t i = 0; i < first.contact_count; i++) {
                    const dent_motion_contact *one = &first.contacts[i], *two = &other.contacts[i];
                    assert_memory_equal(&one->kind, &two->kind, 5 * sizeof one->kind);
                    assert_memory_equal(one->point_a, two->point_a, 10 * sizeof(double));
                }
                scene_free(scene);
            }
        }
        scene_free(reference);
    }
    assert_true(later > 5);
}

static uint64_t hash_of(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

/* Motions, times, points and normals of sixty worlds: for every compiler, optimisation and machine. */
static void the_answers_are_the_golden_ones(void **state)
{
    (void)state;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (uint64_t seed = 0; seed < 60; seed++) {
        struct motion_scene *scene = crowd(NULL, seed);
        dent_motion_impact_result result = scene_ask(scene);
        hash = hash_of(hash, scene->frames[seed % 30].motion.axis, 4 * sizeof(double)); /* and the angle */
        hash = hash_of(hash, &result.t_lo, sizeof result.t_lo);
        hash = hash_of(hash, &result.t_hi, sizeof result.t_hi);
        for (uint64_t i = 0; i < result.contact_count; i++) {
            const dent_motion_contact *contact = &result.contacts[i]; /* there is padding between the two parts */
            hash = hash_of(hash, &contact->kind, 5 * sizeof contact->kind);
            hash = hash_of(hash, contact->point_a, 10 * sizeof(double));
        }
        scene_free(scene);
    }
    if (hash != GOLDEN_HASH) {
        fail_msg("the hash is 0x%016llx", (unsigned long long)hash);
    }
}

static void huge_and_tiny_worlds_scale_exactly(void **state)
{
    (void)state;
    static const int exponents[] = {-498, -200, 150, 498};
    for (uint64_t seed = 0; seed < 60; seed++) {
        dent_context *context = dent_context_create(NULL, NULL);
        struct random_pair pair;
        make_pair(context, seed, &pair);
        dent_motion_impact_result plain = ask_pair(&pair, false, NULL);
        for (int i = 0; i < 4; i++) {
            struct random_pair scaled = pair;
            double factor = ldexp(1, exponents[i]);
            for (int side = 0; side < 2; side++) {
                for (uint32_t v = 0; v < scaled.bodies[side].vertex_count; v++) {
                    for (int k = 0; k < 3; k++) {
                        scaled.bodies[side].vertices[v][k] *= factor;
                    }
                }
                for (int k = 0; k < 3; k++) {
                    scaled.motions[side].start.translation[k] *= factor;
                    scaled.motions[side].displacement[k] *= factor;
                    scaled.motions[side].centre[k] *= factor;
                }
            }
            dent_motion_impact_result other = ask_pair(&scaled, false, NULL);
            assert_true(plain.verdict == other.verdict && plain.t_lo == other.t_lo && plain.t_hi == other.t_hi &&
                        plain.contact_count == other.contact_count);
            assert_true(other.tolerance == plain.tolerance * factor);
        }
        dent_context_destroy(context);
    }
}

/* ---- who is asked ------------------------------------------------------------------------------------------------ */

static void excluded_filtered_and_tied_pairs_are_not_asked(void **state)
{
    (void)state;
    const double a[3] = {-1, -1, 0}, b[3] = {1, -1, 0}, c[3] = {0, 1, 0};
    struct oracle_body plane = triangle_of(a, b, c), point = point_at(0, 0, 1);
    struct motion_scene *scene = scene_new(NULL);
    dent_body_id id_a = scene_body(scene, &point, scene_frame(scene, DENT_FRAME_WORLD, sliding(0, 0, -2)));
    dent_body_id id_b = scene_body(scene, &plane, DENT_FRAME_WORLD);
    assert_int_equal(scene_ask(scene).verdict, DENT_MOTION_CONTACT);
    dent_excluded_pair excluded = {id_b, id_a};
    scene->def.excluded = &excluded;
    scene->def.excluded_count = 1;
    assert_int_equal(scene_ask(scene).verdict, DENT_MOTION_FREE);
    scene->def.excluded_count = 0;
    assert_int_equal(dent_body_set_filter(scene->world, id_a, 2, 2, true), DENT_OK);
    assert_int_equal(scene_ask(scene).verdict, DENT_MOTION_FREE);
    assert_int_equal(dent_body_set_filter(scene->world, id_a, 1, UINT32_MAX, true), DENT_OK);
    assert_int_equal(scene_ask(scene).verdict, DENT_MOTION_CONTACT);
    dent_body_def def = dent_surface_def_default();
    dent_same_as tie = {0, id_a, 0};
    def.vertex_count = 3;
    def.element_count = 1;
    def.element_corners = plane.faces[0];
    def.positions_t0 = dent_positions_double(plane.vertices[0]);
    def.same_as = &tie;
    def.same_as_count = 1;
    assert_int_equal(dent_body_set_topology(scene->world, id_b, &def), DENT_OK);
    assert_int_equal(scene_ask(scene).verdict, DENT_MOTION_FREE);
    scene_free(scene);
}

static void new_positions_are_read_when_given_and_when_said(void **state)
{
    (void)state;
    const double a[3] = {-1, -1, 0}, b[3] = {1, -1, 0}, c[3] = {0, 1, 0};
    struct oracle_body plane = triangle_of(a, b, c), point = point_at(0, 0, 1);
    struct motion_scene *scene = scene_new(NULL);
    dent_body_id id = scene_body(scene, &point, scene_frame(scene, DENT_FRAME_WORLD, sliding(0, 0, -2)));
    scene_body(scene, &plane, DENT_FRAME_WORLD);
    dent_motion_impact_result result = scene_ask(scene);
    check_time(&result, 0.5, 2, "first");
    assert_int_equal(result.counters.trees_built, 2);
    assert_int_equal(scene_ask(scene).counters.trees_built, 0);
    for (int v = 0; v < 3; v++) {
        scene->bodies[0].vertices[v][2] = 1.5;
    }
    scene->def.meshes_changed = true; /* overwritten in place, and said so */
    result = scene_ask(scene);
    check_time(&result, 0.75, 2, "in place");
    assert_int_equal(result.counters.trees_built, 1);
    scene->def.meshes_changed = false;
    struct oracle_body other = point_at(0, 0, 0.5);
    dent_positions positions = dent_positions_double(other.vertices[0]);
    assert_int_equal(dent_body_set_positions(scene->world, id, &positions, NULL), DENT_OK);
    result = scene_ask(scene);
    check_time(&result, 0.25, 2, "given");
    scene_free(scene);
}

/* ---- limits ------------------------------------------------------------------------------------------------------ */

static void a_spent_budget_is_undecided_and_never_wrong(void **state)
{
    (void)state;
    uint64_t undecided = 0;
    for (uint64_t seed = 0; seed < 60; seed++) {
        struct motion_scene *scene = scene_new(NULL);
        struct random_pair pair;
        make_pair(scene->context, seed, &pair);
        for (int side = 0; side < 2; side++) {
            scene_body(scene, &pair.bodies[side], scene_frame(scene, DENT_FRAME_WORLD, pair.motions[side]));
        }
        dent_motion_impact_result full = scene_ask(scene);
        double last = 0;
        for (uint64_t limit = 1; limit < 100000; limit *= 3) {
            scene->def.box_limit = limit;
            dent_motion_impact_result result = scene_ask(scene);
            undecided += result.verdict == DENT_MOTION_UNDECIDED;
            assert_true(result.verdict == full.verdict || result.verdict == DENT_MOTION_UNDECIDED);
            assert_true((result.verdict == DENT_MOTION_UNDECIDED) == (result.outcome == DENT_OUTCOME_BUDGET_SPENT));
            assert_true(result.t_lo <= full.t_lo && result.t_lo >= last); /* safe, and better with more work */
            last = result.t_lo;
        }
        scene_free(scene);
    }
    assert_true(undecided > 50);
}

static void a_cancelled_query_says_so(void **state)
{
    (void)state;
    struct motion_scene *scene = crowd(NULL, 3);
    int stop = 1;
    scene->def.cancel = &stop;
    dent_motion_impact_result result = scene_ask(scene);
    assert_true(result.outcome == DENT_OUTCOME_CANCELLED && result.verdict == DENT_MOTION_UNDECIDED &&
                result.t_lo == 0 && result.contact_count == 0);
    scene_free(scene);
}

static void expect_refusal(struct motion_scene *scene, dent_status expected, const char *words)
{
    dent_motion_impact_result result, untouched;
    memset(&result, 0x55, sizeof result);
    untouched = result;
    dent_status status = dent_world_motion_impact(scene->world, &scene->def, &result);
    const char *message = dent_world_message(scene->world);
    if (status != expected || !strstr(message, words)) {
        fail_msg("status %d, \"%s\" does not say \"%s\"", (int)status, message, words);
    }
    assert_memory_equal(&result, &untouched, sizeof result);
    printf("%s\n", message);
}

static void bad_input_is_refused_in_words(void **state)
{
    (void)state;
    struct motion_scene *scene = scene_new(NULL);
    struct oracle_body one = point_at(0, 0, 1), two = point_at(0, 0, 0);
    scene_frame(scene, DENT_FRAME_WORLD, sliding(0, 0, -2));
    scene_body(scene, &one, scene_frame(scene, 0, turning(0, 0, 1, 1)));
    scene_body(scene, &two, DENT_FRAME_WORLD);
    dent_motion good = scene->frames[1].motion;
    dent_motion *motion = &scene->frames[1].motion;
    memset(motion->start.rotation, 0, sizeof motion->start.rotation);
    expect_refusal(scene, DENT_ERROR_INVALID_ARGUMENT, "frame 1 cannot be used: its quaternion is zero");
    *motion = good;
    motion->displacement[1] = NAN;
    expect_refusal(scene, DENT_ERROR_BAD_NUMBER, "frame 1");
    *motion = good;
    motion->axis[2] = 0;
    expect_refusal(scene, DENT_ERROR_INVALID_ARGUMENT, "axis that is zero");
    *motion = good;
    motion->angle = 1e4;
    expect_refusal(scene, DENT_ERROR_INVALID_ARGUMENT, "1000 radians");
    *motion = good;
    motion->kind = (dent_motion_kind)9;
    expect_refusal(scene, DENT_ERROR_INVALID_ARGUMENT, "kind of motion");
    *motion = good;
    scene->frames[1].parent = 1;
    expect_refusal(scene, DENT_ERROR_INVALID_ARGUMENT, "a parent must come before its children");
    scene->frames[1].parent = 0;
    scene->attached[0].frame = 7;
    expect_refusal(scene, DENT_ERROR_INVALID_ARGUMENT, "attached to frame 7");
    scene->attached[0].frame = 1;
    scene->attached[1].body = scene->attached[0].body;
    expect_refusal(scene, DENT_ERROR_INVALID_ARGUMENT, "attached to two frames");
    scene->attached[1].body = (dent_body_id){77, 1};
    expect_refusal(scene, DENT_ERROR_STALE_ID, "");
    scene->attached[1].body = dent_world_body_at(scene->world, 1);
    scene->def.tolerance = -1;
    expect_refusal(scene, DENT_ERROR_INVALID_ARGUMENT, "tolerance");
    scene->def.tolerance = NAN;
    expect_refusal(scene, DENT_ERROR_INVALID_ARGUMENT, "tolerance");
    scene->def.tolerance = 0;
    scene->def.box_limit = 0;
    expect_refusal(scene, DENT_ERROR_INVALID_ARGUMENT, "box limit");
    scene->def.box_limit = 1000;
    scene->def.volume = (dent_motion_volume)9;
    expect_refusal(scene, DENT_ERROR_INVALID_ARGUMENT, "volume");
    scene->def.volume = DENT_MOTION_VOLUME_AUTO;
    scene->def.bounds = (dent_motion_bounds)9;
    expect_refusal(scene, DENT_ERROR_INVALID_ARGUMENT, "bounds");
    scene->def.bounds = DENT_MOTION_BOUNDS_AUTO;
    scene->bodies[0].vertices[2][1] = INFINITY;
    expect_refusal(scene, DENT_ERROR_BAD_NUMBER, "vertex 2");
    scene->bodies[0].vertices[2][1] = 0;
    scene->def.frames = NULL;
    expect_refusal(scene, DENT_ERROR_INVALID_ARGUMENT, "null");
    scene->def.frames = scene->frames;
    scene->def.struct_size = 3;
    expect_refusal(scene, DENT_ERROR_INVALID_ARGUMENT, "dent_motion_impact_def_default");
    scene->def.struct_size = sizeof scene->def;
    scene_ask(scene);
    scene_free(scene);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static void after_one_query_nothing_is_allocated(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 10; seed++) {
        struct motion_scene *scene = crowd(NULL, seed);
        scene_ask(scene);
        uint64_t before = dent_context_memory_use(scene->context).allocations;
        scene_ask(scene);
        scene_ask(scene);
        assert_true(dent_context_memory_use(scene->context).allocations == before);
        scene_free(scene);
    }
}

static void every_failing_allocation_is_reported_and_leaks_nothing(void **state)
{
    (void)state;
    struct motion_scene *reference = crowd(NULL, 11);
    dent_motion_impact_result expected = scene_ask(reference);
    bool succeeded = false;
    for (uint64_t n = 1; n < 5000 && !succeeded; n++) {
        struct failing_allocator memory = failing_allocator_make();
        dent_context_def def = dent_context_def_default();
        def.allocator = failing_allocator_hook(&memory);
        def.thread_count = 1;
        struct motion_scene *scene = crowd(&def, 11);
        memory.requests = 0;
        memory.fail_at = n;
        dent_motion_impact_result result;
        dent_status status = dent_world_motion_impact(scene->world, &scene->def, &result);
        succeeded = status == DENT_OK;
        assert_true(succeeded || status == DENT_ERROR_OUT_OF_MEMORY);
        memory.fail_at = 0;
        result = scene_ask(scene); /* the world is still good */
        assert_true(result.t_lo == expected.t_lo && result.contact_count == expected.contact_count);
        scene_free(scene);
        assert_true(failing_allocator_clean(&memory));
    }
    assert_true(succeeded);
    scene_free(reference);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_turning_rod_meets_a_point_on_time),
        cmocka_unit_test(balls_meet_between_their_inner_and_outer_radius),
        cmocka_unit_test(balls_that_slide_meet_on_time),
        cmocka_unit_test(gear_teeth_meet_on_time),
        cmocka_unit_test(a_screwing_point_meets_a_plane_on_time),
        cmocka_unit_test(touching_at_the_start_is_initial_and_a_small_gap_is_not),
        cmocka_unit_test(bodies_that_move_together_never_meet),
        cmocka_unit_test(swapping_the_bodies_changes_nothing),
        cmocka_unit_test(moving_both_by_the_same_rigid_motion_changes_nothing),
        cmocka_unit_test(reversing_time_turns_free_into_free_and_the_first_contact_into_the_last),
        cmocka_unit_test(volumes_and_bounds_change_the_time_by_less_than_the_tolerance),
        cmocka_unit_test(far_bodies_change_nothing),
        cmocka_unit_test(halving_the_step_gives_the_same_time),
        cmocka_unit_test(threads_and_instruction_sets_give_the_same_bits),
        cmocka_unit_test(the_answers_are_the_golden_ones),
        cmocka_unit_test(huge_and_tiny_worlds_scale_exactly),
        cmocka_unit_test(excluded_filtered_and_tied_pairs_are_not_asked),
        cmocka_unit_test(new_positions_are_read_when_given_and_when_said),
        cmocka_unit_test(a_spent_budget_is_undecided_and_never_wrong),
        cmocka_unit_test(a_cancelled_query_says_so),
        cmocka_unit_test(bad_input_is_refused_in_words),
        cmocka_unit_test(after_one_query_nothing_is_allocated),
        cmocka_unit_test(every_failing_allocation_is_reported_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
