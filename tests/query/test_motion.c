/* The question motion-impact: analytic cases to within the tolerance. Invariants and the same bits everywhere are in
 * test_motion_invariants.c, who is asked, limits, bad input and memory in test_motion_calls.c, random pairs in
 * test_motion_random.c, what is made to break it in test_motion_adversary.c. */
#include "query/motion_scene.h"

static const double pi = 3.14159265358979323846;

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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
