/* Where faces are when a motion starts, to twice the precision, and how long they stay apart from there: held against
 * integers, and against dense sampling of an independent evaluation of the motion. */
#include "geometry/motion/motion_start.h"

#include "query/motion_oracle.h"

/* ---- the pose at t = 0 ------------------------------------------------------------------------------------------- */

/* |q|^2 times the rotation of an integer quaternion, in integers. */
static void integer_rotation(const int64_t q[4], int64_t m[9])
{
    int64_t w = q[0], x = q[1], y = q[2], z = q[3], n = w * w + x * x + y * y + z * z;
    const int64_t times[9] = {n - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                              2 * (x * y + w * z),     n - 2 * (x * x + z * z), 2 * (y * z - w * x),
                              2 * (x * z - w * y),     2 * (y * z + w * x),     n - 2 * (x * x + y * y)};
    memcpy(m, times, sizeof times);
}

static int64_t small_integer(dent_random *random, int64_t most)
{
    return (int64_t)dent_random_below(random, (uint32_t)(2 * most + 1)) - most;
}

enum { LINKS = 3 };

struct integer_chain {
    dent_motion motions[LINKS];
    int64_t turns[LINKS][4];
    struct trajectory trajectories[LINKS];
    const struct trajectory *links[LINKS];
};

static void make_integer_chain(dent_random *random, struct integer_chain *chain)
{
    for (int link = 0; link < LINKS; link++) {
        dent_motion *motion = &chain->motions[link];
        int64_t *q = chain->turns[link];
        *motion = (dent_motion){.axis = {1, 2, 3}, .angle = 0.7, .centre = {0.3, 0.1, 0.7}};
        do {
            for (int k = 0; k < 4; k++) {
                q[k] = small_integer(random, 3);
            }
        } while (q[0] == 0 && q[1] == 0 && q[2] == 0 && q[3] == 0);
        for (int k = 0; k < 4; k++) { /* of any length: here up to 2^8 times as long */
            motion->start.rotation[k] = ldexp((double)q[k], 8 * link);
        }
        for (int k = 0; k < 3; k++) {
            motion->start.translation[k] = (double)small_integer(random, 1000);
        }
        trajectory_from_motion(motion, 1, &chain->trajectories[link]);
        chain->links[link] = &chain->trajectories[link];
    }
}

/* x is a multiple of the product of all |q|^2, so that every coordinate on the way is an integer. */
static void integer_slot(const struct integer_chain *chain, int64_t x[3])
{
    for (int link = LINKS - 1; link >= 0; link--) {
        const int64_t *q = chain->turns[link];
        int64_t m[9], moved[3], n = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
        integer_rotation(q, m);
        for (int i = 0; i < 3; i++) {
            int64_t sum = m[3 * i] * x[0] + m[3 * i + 1] * x[1] + m[3 * i + 2] * x[2];
            assert_int_equal(sum % n, 0);
            moved[i] = sum / n + (int64_t)chain->motions[link].start.translation[i] * n;
        }
        memcpy(x, moved, sizeof moved);
    }
}

static int64_t squares_of(const struct integer_chain *chain)
{
    int64_t product = 1;
    for (int link = 0; link < LINKS; link++) {
        const int64_t *q = chain->turns[link];
        product *= q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    }
    return product;
}

/* Translations of link k are multiplied by |q_k|^2 and by those before it, which keeps integers whole. */
static void keep_integers_whole(struct integer_chain *chain)
{
    for (int link = 0; link < LINKS; link++) {
        int64_t n = 1;
        for (int before = 0; before <= link; before++) {
            const int64_t *q = chain->turns[before];
            n *= q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
        }
        const int64_t *q = chain->turns[link];
        int64_t own = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
        dent_motion applied = chain->motions[link];
        for (int k = 0; k < 3; k++) {
            chain->motions[link].start.translation[k] *= (double)(n / own);
            applied.start.translation[k] = chain->motions[link].start.translation[k] * (double)own;
        }
        trajectory_from_motion(&applied, 1, &chain->trajectories[link]);
    }
}

static void places_at_the_start_are_right_to_twice_the_precision(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(5);
    const struct motion_chain none = {NULL, 0};
    const struct motion_piece still = {.half = 0.5};
    for (uint64_t round = 0; round < test_count(200, 2000, 200000); round++) {
        struct integer_chain chain;
        struct start_pose pose;
        struct start_face face;
        make_integer_chain(&random, &chain);
        keep_integers_whole(&chain);
        struct motion_chain links = {chain.links, LINKS};
        int64_t n = squares_of(&chain), x[3][3];
        double corners[3][3];
        for (int k = 0; k < 9; k++) {
            x[k / 3][k % 3] = small_integer(&random, 1000) * n;
            corners[k / 3][k % 3] = (double)x[k / 3][k % 3];
        }
        start_pose_of(&none, &links, &pose);
        start_face_of(&pose, &still, &still, (const double(*)[3])corners, NULL, &face);
        for (int c = 0; c < 3; c++) {
            integer_slot(&chain, x[c]);
            for (int k = 0; k < 3; k++) {
                double off = (face.position[c][k].high - (double)x[c][k]) + face.position[c][k].low;
                assert_true(fabs(off) <= face.error && face.error < 0x1p-80 * (pose.size + fabs(corners[c][k]) + 1e9));
            }
        }
        /* Seen from itself a chain is where it is: no part of the error is lost between the two. */
        start_pose_of(&links, &links, &pose);
        start_face_of(&pose, &still, &still, (const double(*)[3])corners, NULL, &face);
        for (int k = 0; k < 9; k++) {
            struct double_double position = face.position[k / 3][k % 3];
            assert_true(fabs((position.high - corners[k / 3][k % 3]) + position.low) <= face.error);
        }
    }
}

/* ---- leaving ----------------------------------------------------------------------------------------------------- */

/* A triangle and another one that moves; frame 0 carries the first, 1 the second. */
struct two_faces {
    dent_motion_frame frames[2];
    struct trajectory trajectories[2];
    struct oracle_body bodies[2];
    double end[ORACLE_VERTICES][3];
    bool soft;
};

static void make_two_faces(dent_context *context, dent_random *random, struct two_faces *two)
{
    static const double fractions[5] = {0, 0.25, 0.5, 0.75, 1};
    double there[3] = {0, 0, 0}, here[3] = {0, 0, 0};
    double gap = pow(10, -oracle_uniform(random, 2, 12)), axis[3];
    *two = (struct two_faces){.soft = dent_random_below(random, 4) == 0};
    for (uint32_t b = 0; b < 2; b++) {
        two->bodies[b] = (struct oracle_body){.vertex_count = 3, .face_count = 1, .faces = {{0, 1, 2}}};
        for (int k = 0; k < 9; k++) {
            two->bodies[b].vertices[k / 3][k % 3] = oracle_uniform(random, -1, 1);
        }
        two->frames[b] = (dent_motion_frame){DENT_FRAME_WORLD, oracle_random_motion(context, random, 0.5)};
        double slow = pow(10, -oracle_uniform(random, 0, 3));
        two->frames[b].motion.angle *= slow;
        for (int k = 0; k < 3; k++) {
            two->frames[b].motion.displacement[k] *= slow;
        }
    }
    if (two->soft) { /* in the coordinates of the world */
        two->frames[1].motion = dent_motion_stationary(&(dent_pose){{1, 0, 0, 0}, {0, 0, 0}});
    }
    /* Some point of one face comes to lie near some point of the other, corners and edges among them. */
    double(*slots[2])[3], placed[2][ORACLE_VERTICES][3];
    double weights[2][2];
    for (uint32_t b = 0; b < 2; b++) {
        struct oracle_pose pose;
        oracle_frame_at(two->frames, b, 0, &pose);
        oracle_place(&two->bodies[b], &pose, placed[b]);
        slots[b] = placed[b];
        weights[b][0] = fractions[dent_random_below(random, 5)];
        weights[b][1] = fractions[dent_random_below(random, 5)] * (1 - weights[b][0]);
        for (int k = 0; k < 3; k++) {
            double *sum = b ? here : there;
            sum[k] = weights[b][0] * slots[b][0][k] + weights[b][1] * slots[b][1][k] +
                     (1 - weights[b][0] - weights[b][1]) * slots[b][2][k];
        }
    }
    oracle_random_axis(random, axis);
    for (int k = 0; k < 3; k++) {
        double step = there[k] - here[k] + gap * axis[k];
        for (int c = 0; c < 3 && two->soft; c++) {
            two->bodies[1].vertices[c][k] += step;
        }
        two->frames[1].motion.start.translation[k] += two->soft ? 0 : step;
    }
    for (int c = 0; c < 3; c++) {
        for (int k = 0; k < 3; k++) {
            two->end[c][k] = two->bodies[1].vertices[c][k] + oracle_uniform(random, -1, 1);
        }
    }
    for (uint32_t b = 0; b < 2; b++) {
        trajectory_from_motion(&two->frames[b].motion, 1, &two->trajectories[b]);
    }
}

static struct leaving leave(const struct two_faces *two, double horizon)
{
    const struct trajectory *links[2] = {&two->trajectories[0], &two->trajectories[1]};
    struct motion_chain a = {&links[0], 1}, b = {&links[1], two->soft ? 0 : 1};
    struct motion_piece now, over;
    struct start_pose pose;
    struct start_face face;
    double guess[3] = {0, 0, 0};
    start_pose_of(&a, &b, &pose);
    relative_motion(&a, &b, 0, 0, DENT_MOTION_BOUNDS_TAYLOR, NULL, 2, 2, &now);
    relative_motion(&a, &b, 0, horizon / 2, DENT_MOTION_BOUNDS_TAYLOR, NULL, 2, 2, &over);
    start_face_of(&pose, &now, &over, two->bodies[1].vertices, two->soft ? two->end : NULL, &face);
    for (int k = 0; k < 9; k++) {
        guess[k % 3] += face.position[k / 3][k % 3].high - two->bodies[0].vertices[k / 3][k % 3];
    }
    return faces_leave(two->bodies[0].vertices, &face, now.spin, guess);
}

static void faces_are_apart_as_long_as_is_said(void **state)
{
    uint64_t rounds = test_count(500, 10000, 1000000), certain = 0, to_the_end = 0;
    for (uint64_t seed = 0; seed < rounds; seed++) {
        dent_random random = dent_random_seeded(seed + 300);
        struct two_faces two;
        make_two_faces(*state, &random, &two);
        double horizon = dent_random_below(&random, 2) ? 1 : 0.125;
        struct leaving leaving = leave(&two, horizon);
        struct oracle_pair pair = {&two.bodies[0], &two.bodies[1], two.frames, 0, 1, two.soft ? two.end : NULL};
        double distance = oracle_pair_distance(&pair, 0);
        assert_true(leaving.until <= horizon && leaving.gap <= distance + 1e-14);
        assert_true(leaving.gap > 0 ? distance > 0 || leaving.gap < 1e-14 : leaving.until == 0);
        assert_true(leaving.gap > 0 || distance < 1e-14); /* what is apart is found to be */
        certain += leaving.gap > 0;
        to_the_end += leaving.until == horizon;
        /* The distance is at least gap (1 - t / until): no times at which that is below the oracle's rounding. */
        double last = leaving.gap > 1e-13 ? leaving.until * (1 - 4e-15 / leaving.gap) : 0;
        for (int sample = 0; sample < 24; sample++) {
            double t = last * (sample < 12 ? ldexp(1, -sample) : dent_random_unit(&random));
            if (leaving.gap > 1e-13 && oracle_pair_distance(&pair, t) == 0) {
                fail_msg("seed %llu: the faces meet at %.17g, said to be apart until %.17g", (unsigned long long)seed,
                         t, leaving.until);
            }
        }
    }
    printf("%llu starts: %llu apart, %llu for the whole time\n", (unsigned long long)rounds,
           (unsigned long long)certain, (unsigned long long)to_the_end);
    assert_true(certain > rounds / 5 && to_the_end > rounds / 20 && to_the_end < certain);
}

/* ---- at the bound ------------------------------------------------------------------------------------------------ */

/* A corner `height` above the middle of a face, going by so much along its normal, and turning about it. */
static struct leaving lift_corner(double height, double along, double angle)
{
    struct two_faces two = {.frames = {{DENT_FRAME_WORLD, {.start = {{1, 0, 0, 0}, {0, 0, 0}}}},
                                       {DENT_FRAME_WORLD, {.start = {{1, 0, 0, 0}, {0, 0, 0}}}}}};
    static const double corners[2][3][3] = {{{-1, -1, 0}, {1, -1, 0}, {0, 2, 0}}, {{0, 0, 0}, {1, 0, 1}, {0, 1, 1}}};
    for (uint32_t b = 0; b < 2; b++) {
        memcpy(two.bodies[b].vertices, corners[b], sizeof corners[b]);
    }
    dent_motion *motion = &two.frames[1].motion;
    motion->start.translation[2] = height;
    motion->displacement[2] = along;
    motion->axis[2] = 1;
    motion->angle = angle;
    for (uint32_t b = 0; b < 2; b++) {
        trajectory_from_motion(&two.frames[b].motion, 1, &two.trajectories[b]);
    }
    return leave(&two, 1);
}

static void the_least_gap_counts_and_touching_is_none(void **state)
{
    (void)state;
    for (int exponent = -80; exponent <= -4; exponent += 4) {
        double height = ldexp(1, exponent);
        struct leaving up = lift_corner(height, 1, 0), down = lift_corner(height, -1, 0);
        assert_true(up.gap > 0.99 * height && up.gap <= height && up.until == 1);
        assert_true(down.gap == up.gap && down.until > 0.99 * height && down.until <= height);
        struct leaving screwing = lift_corner(height, 1, 0.5);
        assert_true(screwing.gap > 0.99 * height && screwing.until == 1);
    }
    assert_true(lift_corner(0, 1, 0).gap == 0 && lift_corner(0, 1, 0).until == 0);
    assert_true(lift_corner(-0x1p-70, 1, 0).gap == 0);
    assert_true(lift_corner(-0.5, 1, 1).gap == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_at_the_start_are_right_to_twice_the_precision),
        cmocka_unit_test(faces_are_apart_as_long_as_is_said),
        cmocka_unit_test(the_least_gap_counts_and_touching_is_none),
    };
    return cmocka_run_group_tests(tests, test_open_context_of_one, test_close_context);
}
