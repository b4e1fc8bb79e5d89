/* In-between motions: they meet their poses, are rigid, turn the documented way round, and their enclosures over pieces
 * of time hold every pose in between, for single motions and for chains. */
#include "query/motion_oracle.h"

#include "geometry/motion/interval_kernels.h"
#include "geometry/motion/motion_bounds.h"
#include "geometry/metric/quaternion.h"

static const double pi = 3.14159265358979323846;

/* One instruction set after the other, of those that are there. */
static const struct interval_kernels *intervals_of(uint64_t number)
{
    dent_isa isa = number % 2 && dent_isa_available(DENT_ISA_AVX2) ? DENT_ISA_AVX2 : DENT_ISA_SCALAR;
    return interval_kernels_for(isa);
}

static dent_pose rotated_pose(const dent_pose *pose, const double axis[3], double angle, const double way[3])
{
    double unit[4], q[4], u[3] = {0};
    dent_pose result;
    vector_make_unit(axis, u);
    q[0] = cos(angle / 2);
    for (int k = 0; k < 3; k++) {
        q[k + 1] = sin(angle / 2) * u[k];
        result.translation[k] = pose->translation[k] + way[k];
    }
    quaternion_make_unit(pose->rotation, unit);
    quaternion_multiply(q, unit, result.rotation);
    return result;
}

static double largest_difference(const dent_pose *a, const dent_pose *b)
{
    double matrix_a[16], matrix_b[16], worst = 0;
    dent_pose_to_matrix(a, matrix_a);
    dent_pose_to_matrix(b, matrix_b);
    for (int k = 0; k < 16; k++) {
        worst = fmax(worst, fabs(matrix_a[k] - matrix_b[k]));
    }
    return worst;
}

static void motions_meet_their_poses_for_every_angle(void **state)
{
    (void)state;
    dent_context *context = dent_context_create(NULL, NULL);
    static const double angles[] = {0,    1e-300, 1e-150, 1e-100, 1e-17, 1e-16,     1e-12,
                                    1e-9, 1e-8,   1e-6,   1e-4,   1e-2,  0.1,       0.5,
                                    1,    1.57,   2,      3,      3.14,  3.1415926, 3.14159265358979};
    for (uint64_t seed = 0; seed < 400; seed++) {
        dent_random random = dent_random_seeded(seed);
        for (size_t i = 0; i < sizeof angles / sizeof angles[0]; i++) {
            dent_pose start = oracle_random_pose(&random, 3);
            double axis[3], way[3], centre[3];
            oracle_random_axis(&random, axis);
            for (int k = 0; k < 3; k++) {
                way[k] = oracle_uniform(&random, -2, 2);
                centre[k] = oracle_uniform(&random, -2, 2);
            }
            dent_pose end = rotated_pose(&start, axis, angles[i], way);
            for (int kind = 0; kind < 2; kind++) {
                dent_motion motion;
                assert_int_equal(dent_motion_between(context, &start, &end, (dent_motion_kind)kind, centre, 0, &motion),
                                 DENT_OK);
                dent_pose at_start = dent_motion_at(&motion, 0), at_end = dent_motion_at(&motion, 1);
                assert_true(fabs(motion.angle - angles[i]) < 4e-15);
                assert_true(largest_difference(&at_start, &start) < 2e-15);
                assert_true(largest_difference(&at_end, &end) < 8e-15);
                struct trajectory trajectory;
                double rotation[9], translation[3], t = dent_random_unit(&random);
                trajectory_from_motion(&motion, 1, &trajectory);
                trajectory_at(&trajectory, t, rotation, translation);
                dent_pose between = dent_motion_at(&motion, t);
                double matrix[16];
                dent_pose_to_matrix(&between, matrix);
                for (int k = 0; k < 9; k++) {
                    double product = 0;
                    for (int j = 0; j < 3; j++) {
                        product += rotation[3 * j + k / 3] * rotation[3 * j + k % 3];
                    }
                    assert_true(fabs(product - (k % 4 == 0)) < 3e-15);
                    assert_true(fabs(matrix[4 * (k / 3) + k % 3] - rotation[k]) < 3e-15);
                }
            }
        }
    }
    dent_context_destroy(context);
}

static void a_half_turn_takes_the_axis_whose_first_component_is_positive(void **state)
{
    (void)state;
    dent_context *context = dent_context_create(NULL, NULL);
    static const double axes[][3] = {{1, 0, 0},  {-1, 0, 0},     {0, 1, 0},      {0, -1, 0},    {0, 0, 1},
                                     {0, 0, -1}, {0.6, -0.8, 0}, {-0.6, 0.8, 0}, {0, -0.6, 0.8}};
    for (size_t i = 0; i < sizeof axes / sizeof axes[0]; i++) {
        dent_pose start = dent_pose_identity(), end = start;
        dent_motion motion;
        end.rotation[0] = 0;
        memcpy(end.rotation + 1, axes[i], sizeof axes[i]);
        assert_int_equal(dent_motion_between(context, &start, &end, DENT_MOTION_SCREW, NULL, 0, &motion), DENT_OK);
        assert_true(fabs(motion.angle - pi) < 1e-15);
        int first = motion.axis[0] != 0 ? 0 : motion.axis[1] != 0 ? 1 : 2;
        assert_true(motion.axis[first] > 0);
        assert_true(fabs(fabs(motion.axis[first]) - fabs(axes[i][first])) < 1e-15);
    }
    dent_context_destroy(context);
}

static void full_turns_are_added_about_the_same_axis(void **state)
{
    (void)state;
    dent_context *context = dent_context_create(NULL, NULL);
    dent_pose start = dent_pose_identity(), end;
    const double axis[3] = {0, 0, 1}, way[3] = {1, 0, 0};
    dent_motion motion;
    end = rotated_pose(&start, axis, 1, way);
    for (int turns = -150; turns <= 150; turns += 50) {
        assert_int_equal(
            dent_motion_between(context, &start, &end, DENT_MOTION_CONSTANT_VELOCITY, NULL, turns, &motion), DENT_OK);
        dent_pose reached = dent_motion_at(&motion, 1);
        assert_true(fabs(motion.angle - (1 + turns * 2 * pi)) < 1e-12);
        assert_true(largest_difference(&reached, &end) < 1e-12);
    }
    assert_int_equal(dent_motion_between(context, &start, &end, DENT_MOTION_CONSTANT_VELOCITY, NULL, 151, &motion),
                     DENT_ERROR_INVALID_ARGUMENT);
    end = start;
    end.translation[0] = 1;
    assert_int_equal(dent_motion_between(context, &start, &end, DENT_MOTION_SCREW, NULL, 1, &motion),
                     DENT_ERROR_INVALID_ARGUMENT);
    end.translation[0] = 0;
    end.translation[2] = 1; /* along the axis a body without turn is given */
    assert_int_equal(dent_motion_between(context, &start, &end, DENT_MOTION_SCREW, NULL, 1, &motion), DENT_OK);
    dent_context_destroy(context);
}

/* A point of a screw motion stays at one distance from the axis that textbooks give. */
static void a_screw_turns_about_one_axis(void **state)
{
    (void)state;
    dent_context *context = dent_context_create(NULL, NULL);
    for (uint64_t seed = 0; seed < 200; seed++) {
        dent_random random = dent_random_seeded(seed + 3);
        dent_pose start = oracle_random_pose(&random, 2), end = oracle_random_pose(&random, 2);
        dent_motion motion;
        assert_int_equal(dent_motion_between(context, &start, &end, DENT_MOTION_SCREW, NULL, 0, &motion), DENT_OK);
        double along = vector_dot(motion.axis, motion.displacement), across[3], side[3], point[3];
        for (int k = 0; k < 3; k++) {
            across[k] = motion.displacement[k] - along * motion.axis[k];
        }
        vector_cross(motion.axis, across, side);
        for (int k = 0; k < 3; k++) { /* O = c0 + (D + cot(w/2) u x D) / 2 */
            point[k] = start.translation[k] + 0.5 * (across[k] + side[k] / tan(motion.angle / 2));
        }
        double first = -1;
        for (int i = 0; i <= 10; i++) {
            dent_pose pose = dent_motion_at(&motion, i / 10.0);
            double from[3], radius[3];
            for (int k = 0; k < 3; k++) {
                from[k] = pose.translation[k] - point[k];
            }
            vector_cross(motion.axis, from, radius);
            first = i == 0 ? vector_length(radius) : first;
            assert_true(fabs(vector_length(radius) - first) < 1e-13 * (1 + first));
            assert_true(fabs(vector_dot(from, motion.axis) - along * i / 10.0 -
                             vector_dot(motion.axis, start.translation) + vector_dot(motion.axis, point)) <
                        1e-13 * (1 + first));
        }
    }
    dent_context_destroy(context);
}

/* ---- enclosures -------------------------------------------------------------------------------------------------- */

struct random_chain {
    dent_motion_frame frames[8];
    struct trajectory trajectories[8];
    const struct trajectory *links[8];
    struct motion_chain chain;
};

static void make_chain(dent_context *context, dent_random *random, struct random_chain *made)
{
    uint32_t count = 1 + dent_random_below(random, 8);
    for (uint32_t f = 0; f < count; f++) {
        made->frames[f].parent = f == 0 ? DENT_FRAME_WORLD : f - 1;
        made->frames[f].motion = oracle_random_motion(context, random, 2);
        if (dent_random_below(random, 3) == 0) { /* hardly any turn */
            made->frames[f].motion.angle = ldexp(1, -(int)dent_random_below(random, 60));
        }
        trajectory_from_motion(&made->frames[f].motion, 1, &made->trajectories[f]);
        made->links[f] = &made->trajectories[f];
    }
    made->chain = (struct motion_chain){made->links, count};
}

/* R(t) and T(t) within the rests; the matrix norm by its Frobenius norm over the square root of 3, and by columns. */
static void check_piece(const struct motion_piece *piece, const struct oracle_pose *pose, double s, uint64_t seed)
{
    for (int j = 0; j < 3; j++) {
        long double squares = 0;
        for (int i = 0; i < 3; i++) {
            long double off =
                pose->rotation[i][j] - piece->rotation[3 * i + j] - (long double)s * piece->rotation_rate[3 * i + j];
            squares += off * off;
        }
        if (sqrtl(squares) > piece->rotation_rest) {
            fail_msg("seed %llu: a column is off by %Lg, the bound is %g", (unsigned long long)seed, sqrtl(squares),
                     piece->rotation_rest);
        }
    }
    long double squares = 0;
    for (int i = 0; i < 3; i++) {
        long double off = pose->translation[i] - piece->translation[i] - (long double)s * piece->translation_rate[i];
        squares += off * off;
    }
    if (sqrtl(squares) > piece->translation_rest) {
        fail_msg("seed %llu: the translation is off by %Lg, the bound is %g", (unsigned long long)seed, sqrtl(squares),
                 piece->translation_rest);
    }
}

static void enclosures_hold_every_pose(void **state)
{
    (void)state;
    dent_context *context = dent_context_create(NULL, NULL);
    uint64_t count = test_count(300, 4000, 60000);
    for (uint64_t seed = 0; seed < count; seed++) {
        dent_random random = dent_random_seeded(seed + 31);
        struct random_chain made;
        make_chain(context, &random, &made);
        uint32_t level = dent_random_below(&random, 30);
        double half = ldexp(0.5, -(int)level), lo = 2 * half * floor(dent_random_unit(&random) / (2 * half));
        for (int bounds = DENT_MOTION_BOUNDS_TAYLOR; bounds < DENT_MOTION_BOUNDS_COUNT; bounds++) {
            struct motion_piece piece;
            chain_motion(&made.chain, lo, half, (dent_motion_bounds)bounds, intervals_of(seed), &piece);
            for (int i = 0; i < 6; i++) {
                double s = i == 0 ? -half : i == 1 ? half : oracle_uniform(&random, -half, half);
                struct oracle_pose pose;
                oracle_frame_at(made.frames, made.chain.count - 1, (long double)(lo + half) + s, &pose);
                check_piece(&piece, &pose, s, seed);
            }
        }
    }
    dent_context_destroy(context);
}

/* Points of b in the coordinates of a: the transpose of a's rotation times the difference. */
static void relative_enclosures_hold_every_pose(void **state)
{
    (void)state;
    dent_context *context = dent_context_create(NULL, NULL);
    uint64_t count = test_count(300, 4000, 60000);
    for (uint64_t seed = 0; seed < count; seed++) {
        dent_random random = dent_random_seeded(seed + 77);
        struct random_chain a, b;
        make_chain(context, &random, &a);
        make_chain(context, &random, &b);
        uint32_t level = dent_random_below(&random, 30);
        double half = ldexp(0.5, -(int)level), lo = 2 * half * floor(dent_random_unit(&random) / (2 * half));
        for (int bounds = DENT_MOTION_BOUNDS_TAYLOR; bounds < DENT_MOTION_BOUNDS_COUNT; bounds++) {
            struct motion_piece piece;
            relative_motion(&a.chain, &b.chain, lo, half, (dent_motion_bounds)bounds, intervals_of(seed), 1, 1, &piece);
            for (int i = 0; i < 4; i++) {
                double s = i == 0 ? -half : i == 1 ? half : oracle_uniform(&random, -half, half);
                struct oracle_pose from, to, seen;
                oracle_frame_at(a.frames, a.chain.count - 1, (long double)(lo + half) + s, &from);
                oracle_frame_at(b.frames, b.chain.count - 1, (long double)(lo + half) + s, &to);
                for (int r = 0; r < 3; r++) {
                    seen.translation[r] = 0;
                    for (int c = 0; c < 3; c++) {
                        seen.rotation[r][c] = 0;
                        seen.translation[r] += from.rotation[c][r] * (to.translation[c] - from.translation[c]);
                        for (int k = 0; k < 3; k++) {
                            seen.rotation[r][c] += from.rotation[k][r] * to.rotation[k][c];
                        }
                    }
                }
                check_piece(&piece, &seen, s, seed);
            }
        }
    }
    dent_context_destroy(context);
}

static void taylor_bounds_shrink_with_the_square_of_the_piece(void **state)
{
    (void)state;
    dent_motion_frame frames[30];
    dent_random random = dent_random_seeded(30);
    for (uint32_t f = 0; f < 30; f++) {
        dent_pose start = dent_pose_identity();
        start.translation[0] = f > 0;
        frames[f].parent = f == 0 ? DENT_FRAME_WORLD : f - 1;
        frames[f].motion = dent_motion_stationary(&start);
        frames[f].motion.angle = 0.4;
        oracle_random_axis(&random, frames[f].motion.axis);
    }
    struct trajectory trajectories[30];
    const struct trajectory *links[30];
    struct motion_chain chain = {links, 30};
    double widths[3][DENT_MOTION_BOUNDS_COUNT];
    for (uint32_t f = 0; f < 30; f++) {
        trajectory_from_motion(&frames[f].motion, 1, &trajectories[f]);
        links[f] = &trajectories[f];
    }
    for (int i = 0; i < 3; i++) {
        for (int bounds = 1; bounds < DENT_MOTION_BOUNDS_COUNT; bounds++) {
            struct motion_piece piece;
            chain_motion(&chain, 0.5, ldexp(0.5, -3 * (i + 1)), (dent_motion_bounds)bounds, intervals_of(0), &piece);
            widths[i][bounds] = piece.rotation_rest;
        }
        assert_true(widths[i][DENT_MOTION_BOUNDS_TAYLOR] < 0.3 * widths[i][DENT_MOTION_BOUNDS_INTERVAL]);
        assert_true(widths[i][DENT_MOTION_BOUNDS_INTERVAL] < 0.05 * widths[i][DENT_MOTION_BOUNDS_PLAIN_INTERVAL]);
    }
    assert_true(widths[2][DENT_MOTION_BOUNDS_TAYLOR] < widths[1][DENT_MOTION_BOUNDS_TAYLOR] / 50);
}

/* ---- bad input --------------------------------------------------------------------------------------------------- */

static void expect_message(dent_context *context, dent_status got, const char *words)
{
    char text[256];
    dent_context_message(context, text, sizeof text);
    assert_int_equal(got, DENT_ERROR_INVALID_ARGUMENT);
    if (!strstr(text, words)) {
        fail_msg("\"%s\" does not say \"%s\"", text, words);
    }
    printf("%s\n", text);
}

static void bad_poses_are_refused_in_words(void **state)
{
    (void)state;
    dent_context *context = dent_context_create(NULL, NULL);
    double good[16] = {1, 0, 0, 4, 0, 1, 0, 5, 0, 0, 1, 6, 0, 0, 0, 1}, bad[16];
    dent_pose pose, untouched;
    memset(&pose, 0x55, sizeof pose);
    untouched = pose;
    memcpy(bad, good, sizeof bad);
    bad[0] = 2;
    expect_message(context, dent_pose_from_matrix(context, bad, &pose), "not a rotation");
    bad[0] = -1;
    expect_message(context, dent_pose_from_matrix(context, bad, &pose), "mirror image");
    bad[0] = NAN;
    expect_message(context, dent_pose_from_matrix(context, bad, &pose), "not finite");
    memcpy(bad, good, sizeof bad);
    bad[7] = INFINITY;
    expect_message(context, dent_pose_from_matrix(context, bad, &pose), "translation");
    memcpy(bad, good, sizeof bad);
    bad[12] = 1;
    expect_message(context, dent_pose_from_matrix(context, bad, &pose), "last row");
    assert_memory_equal(&pose, &untouched, sizeof pose);
    memcpy(bad, good, sizeof bad);
    bad[1] = 4e-7;
    assert_int_equal(dent_pose_from_matrix(context, bad, &pose), DENT_OK);
    double matrix[16];
    dent_pose_to_matrix(&pose, matrix);
    assert_true(fabs(matrix[1] - 2e-7) < 1e-9 && matrix[3] == 4 && matrix[7] == 5 && matrix[11] == 6);

    dent_pose start = dent_pose_identity(), end = start;
    dent_motion motion;
    memset(end.rotation, 0, sizeof end.rotation);
    expect_message(context, dent_motion_between(context, &start, &end, DENT_MOTION_SCREW, NULL, 0, &motion),
                   "quaternion of the end pose is zero");
    end = start;
    end.translation[1] = NAN;
    expect_message(context, dent_motion_between(context, &end, &start, DENT_MOTION_SCREW, NULL, 0, &motion),
                   "start pose has a number");
    expect_message(context, dent_motion_between(context, &start, &start, (dent_motion_kind)7, NULL, 0, &motion),
                   "kind of motion");
    const double centre[3] = {0, INFINITY, 0};
    expect_message(context,
                   dent_motion_between(context, &start, &start, DENT_MOTION_CONSTANT_VELOCITY, centre, 0, &motion),
                   "centre");
    dent_context_destroy(context);
}

static void poses_multiply_and_invert(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        dent_random random = dent_random_seeded(seed);
        dent_pose pose = oracle_random_pose(&random, 3), inverse = dent_pose_inverse(&pose);
        dent_pose product = dent_pose_product(&pose, &inverse), identity = dent_pose_identity();
        assert_true(largest_difference(&product, &identity) < 1e-14);
        double matrix[16];
        dent_pose back;
        dent_context *context = dent_context_create(NULL, NULL);
        dent_pose_to_matrix(&pose, matrix);
        assert_int_equal(dent_pose_from_matrix(context, matrix, &back), DENT_OK);
        assert_true(largest_difference(&pose, &back) < 4e-15);
        dent_context_destroy(context);
    }
    dent_pose tiny = {{1e-310, 0, 0, 1e-310}, {0, 0, 0}}, huge = {{1e300, 0, 0, 1e300}, {0, 0, 0}};
    assert_true(largest_difference(&tiny, &huge) < 1e-14);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(motions_meet_their_poses_for_every_angle),
        cmocka_unit_test(a_half_turn_takes_the_axis_whose_first_component_is_positive),
        cmocka_unit_test(full_turns_are_added_about_the_same_axis),
        cmocka_unit_test(a_screw_turns_about_one_axis),
        cmocka_unit_test(enclosures_hold_every_pose),
        cmocka_unit_test(relative_enclosures_hold_every_pose),
        cmocka_unit_test(taylor_bounds_shrink_with_the_square_of_the_piece),
        cmocka_unit_test(bad_poses_are_refused_in_words),
        cmocka_unit_test(poses_multiply_and_invert),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
