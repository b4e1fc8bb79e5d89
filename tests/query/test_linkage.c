/* Linkages: what is refused and how it is said, the order of the frames, forward kinematics against hand-made cases,
 * and frames that agree with the poses at both ends. */
#include "support/cmocka_includes.h"
#include "support/failing_allocator.h"
#include "support/test_context.h"

#include <dent/linkage.h>

#include <fenv.h>
#include <math.h>
#include <string.h>

static dent_joint_def joint(dent_joint_kind kind, const char *name, uint32_t parent, uint32_t child)
{
    dent_joint_def def = dent_joint_def_default();
    def.kind = kind;
    def.name = name;
    def.parent = parent;
    def.child = child;
    return def;
}

static dent_status create(dent_context *context, uint32_t links, uint32_t joints, const dent_joint_def *defs,
                          dent_linkage **linkage)
{
    dent_linkage_def def = dent_linkage_def_default();
    def.link_count = links;
    def.joint_count = joints;
    def.joints = defs;
    *linkage = NULL;
    return dent_linkage_create(context, &def, linkage);
}

static void assert_refused(dent_context *context, uint32_t links, uint32_t joints, const dent_joint_def *defs,
                           dent_status status, const char *message)
{
    dent_linkage *linkage;
    char said[1024];
    uint64_t bytes = dent_context_memory_use(context).bytes;
    assert_int_equal(create(context, links, joints, defs, &linkage), status);
    assert_null(linkage);
    dent_context_message(context, said, sizeof said);
    assert_string_equal(said, message);
    assert_null(strchr(said, '\n'));
    assert_int_equal(dent_context_memory_use(context).bytes, bytes);
}

/* ---- what is refused --------------------------------------------------------------------------------------------- */

static void joints_that_form_a_cycle_are_refused_and_named(void **state)
{
    dent_joint_def ring[3] = {joint(DENT_JOINT_FIXED, "a", 0, 1), joint(DENT_JOINT_FIXED, "b", 1, 2),
                              joint(DENT_JOINT_FIXED, "c", 2, 0)};
    assert_refused(*state, 3, 3, ring, DENT_ERROR_INVALID_ARGUMENT, "joints form a cycle: 'c', 'b', 'a'");
    /* A root beside the cycle does not hide it. */
    assert_refused(*state, 4, 3, ring, DENT_ERROR_INVALID_ARGUMENT, "joints form a cycle: 'c', 'b', 'a'");
    dent_joint_def closed[3] = {joint(DENT_JOINT_FIXED, "a", 0, 1), joint(DENT_JOINT_FIXED, "b", 0, 2),
                                joint(DENT_JOINT_FIXED, "c", 1, 2)};
    assert_refused(*state, 3, 3, closed, DENT_ERROR_INVALID_ARGUMENT,
                   "link 'link 2' is the child of two joints, 'b' and 'c': links form a tree, without cycles");
    dent_joint_def self = joint(DENT_JOINT_FIXED, "a", 1, 1);
    assert_refused(*state, 2, 1, &self, DENT_ERROR_INVALID_ARGUMENT,
                   "joint 'a' joins link 'link 1' with itself: a cycle");
}

static void a_long_cycle_is_still_one_line(void **state)
{
    dent_joint_def ring[500];
    for (uint32_t i = 0; i < 500; i++) {
        ring[i] = joint(DENT_JOINT_FIXED, NULL, i, (i + 1) % 500);
    }
    dent_linkage *linkage;
    char said[1024];
    assert_int_equal(create(*state, 500, 500, ring, &linkage), DENT_ERROR_INVALID_ARGUMENT);
    dent_context_message(*state, said, sizeof said);
    assert_memory_equal(said, "joints form a cycle: 'joint 499', 'joint 498'", 40);
    assert_true(strlen(said) < 700);
}

static void what_is_wrong_with_a_joint_is_said_in_one_line(void **state)
{
    dent_joint_def bad = joint(DENT_JOINT_REVOLUTE, "elbow", 0, 1);
    bad.axis[0] = 0;
    assert_refused(*state, 2, 1, &bad, DENT_ERROR_INVALID_ARGUMENT, "joint 'elbow': its axis is 0 0 0");
    bad.axis[0] = NAN;
    assert_refused(*state, 2, 1, &bad, DENT_ERROR_BAD_NUMBER, "joint 'elbow' has a number that is not finite");
    bad = joint(DENT_JOINT_REVOLUTE, "elbow", 0, 1);
    bad.has_limits = true;
    bad.lower = 1;
    bad.upper = -1;
    assert_refused(*state, 2, 1, &bad, DENT_ERROR_INVALID_ARGUMENT,
                   "joint 'elbow': its limits are the wrong way round, lower 1 and upper -1");
    bad = joint(DENT_JOINT_FIXED, "elbow", 0, 1);
    bad.origin.rotation[0] = 0;
    assert_refused(*state, 2, 1, &bad, DENT_ERROR_INVALID_ARGUMENT,
                   "joint 'elbow': the quaternion of its origin is zero");
    bad = joint((dent_joint_kind)9, "elbow", 0, 1);
    assert_refused(*state, 2, 1, &bad, DENT_ERROR_INVALID_ARGUMENT, "joint 'elbow' has an unknown kind, 9");
    bad = joint(DENT_JOINT_FIXED, "elbow", 0, 7);
    assert_refused(*state, 2, 1, &bad, DENT_ERROR_INVALID_ARGUMENT, "joint 'elbow' names link 7, and there are 2");
    bad = joint(DENT_JOINT_REVOLUTE, "elbow", 0, 1);
    bad.mimics = 0;
    assert_refused(*state, 2, 1, &bad, DENT_ERROR_INVALID_ARGUMENT, "joint 'elbow' mimics itself");
    bad.mimics = 3;
    assert_refused(*state, 2, 1, &bad, DENT_ERROR_INVALID_ARGUMENT, "joint 'elbow' mimics joint 3, and there are 1");
    assert_refused(*state, 2, 0, NULL, DENT_ERROR_INVALID_ARGUMENT,
                   "links 'link 0' and 'link 1' both are the child of no joint: a linkage has one root");
    assert_refused(*state, 0, 0, NULL, DENT_ERROR_INVALID_ARGUMENT, "a linkage without links");
    dent_linkage_def def = {0};
    dent_linkage *linkage = NULL;
    assert_int_equal(dent_linkage_create(*state, &def, &linkage), DENT_ERROR_INVALID_ARGUMENT);
    assert_null(linkage);
}

static void joints_that_mimic_one_another_in_a_circle_are_refused(void **state)
{
    dent_joint_def defs[3] = {joint(DENT_JOINT_REVOLUTE, "a", 0, 1), joint(DENT_JOINT_REVOLUTE, "b", 1, 2),
                              joint(DENT_JOINT_REVOLUTE, "c", 2, 3)};
    defs[0].mimics = 1;
    defs[1].mimics = 2;
    defs[2].mimics = 1;
    dent_linkage *linkage;
    assert_int_equal(create(*state, 4, 3, defs, &linkage), DENT_ERROR_INVALID_ARGUMENT);
    defs[2].mimics = DENT_JOINT_NONE;
    defs[2].kind = DENT_JOINT_BALL;
    assert_refused(*state, 4, 3, defs, DENT_ERROR_INVALID_ARGUMENT,
                   "joint 'a' (revolute) cannot mimic joint 'c' (ball): both must have one value");
}

/* ---- forward kinematics ------------------------------------------------------------------------------------------ */

static void place(const dent_pose *pose, double x, double y, double z, double at[3])
{
    double m[16];
    dent_pose_to_matrix(pose, m);
    for (int i = 0; i < 3; i++) {
        at[i] = m[4 * i] * x + m[4 * i + 1] * y + m[4 * i + 2] * z + m[4 * i + 3];
    }
}

static void assert_at(const dent_pose *pose, double x, double y, double z, double ex, double ey, double ez)
{
    double at[3];
    place(pose, x, y, z, at);
    assert_true(fabs(at[0] - ex) < 1e-14 && fabs(at[1] - ey) < 1e-14 && fabs(at[2] - ez) < 1e-14);
}

/* One joint of each kind, in a chain, listed from the last to the first. */
static dent_linkage *chain(dent_context *context)
{
    dent_joint_def defs[5] = {joint(DENT_JOINT_FREE, "free", 3, 0), joint(DENT_JOINT_BALL, "ball", 5, 3),
                              joint(DENT_JOINT_SCREW, "screw", 1, 5), joint(DENT_JOINT_PRISMATIC, "slide", 2, 1),
                              joint(DENT_JOINT_REVOLUTE, "turn", 4, 2)};
    defs[2].pitch = 0.5;
    defs[2].axis[0] = 0;
    defs[2].axis[2] = 1e-200; /* any length will do */
    defs[3].axis[0] = 3;
    defs[4].axis[0] = 0;
    defs[4].axis[2] = 2;
    defs[4].origin.translation[2] = 10;
    dent_linkage *linkage;
    assert_int_equal(create(context, 6, 5, defs, &linkage), DENT_OK);
    return linkage;
}

static void values_have_their_places_and_links_their_frames(void **state)
{
    dent_linkage *linkage = chain(*state);
    assert_int_equal(dent_linkage_value_count(linkage), 7 + 4 + 1 + 1 + 1);
    static const uint32_t first[5] = {0, 7, 11, 12, 13};
    for (uint32_t j = 0; j < 5; j++) {
        assert_int_equal(dent_linkage_first_value(linkage, j), first[j]);
    }
    static const uint32_t frames[6] = {5, 2, 1, 4, 0, 3};
    for (uint32_t i = 0; i < 6; i++) {
        assert_int_equal(dent_linkage_frame_of(linkage, i), frames[i]);
    }
    assert_string_equal(dent_linkage_link_name(linkage, 3), "link 3");
    assert_int_equal(dent_linkage_find_joint(linkage, "slide"), 3);
    assert_int_equal(dent_linkage_find_link(linkage, "link 5"), 5);
    assert_int_equal(dent_linkage_find_link(linkage, "none"), UINT32_MAX);
    assert_null(dent_linkage_link_name(linkage, 6));
    assert_null(dent_linkage_joint(linkage, 5));
    dent_linkage_destroy(linkage);
}

static void every_kind_of_joint_does_what_it_says(void **state)
{
    const double pi = 3.14159265358979323846;
    dent_linkage *linkage = chain(*state);
    double values[14];
    dent_pose poses[6];
    dent_linkage_zero_values(linkage, values);
    assert_int_equal(dent_linkage_poses(linkage, NULL, values, poses), DENT_OK);
    assert_at(&poses[0], 1, 2, 3, 1, 2, 13);
    values[13] = pi / 2; /* turn about z, at height 10 */
    values[12] = 2;      /* slide along x, which is y now */
    assert_int_equal(dent_linkage_poses(linkage, NULL, values, poses), DENT_OK);
    assert_at(&poses[2], 1, 0, 0, 0, 1, 10);
    assert_at(&poses[1], 1, 0, 0, 0, 3, 10);
    values[11] = pi; /* half a turn about z, half a unit up a radian */
    assert_int_equal(dent_linkage_poses(linkage, NULL, values, poses), DENT_OK);
    assert_at(&poses[5], 1, 0, 0, 0, 1, 10 + pi / 2);
    values[7] = 0; /* ball: half a turn about x, of any length */
    values[8] = 5;
    assert_int_equal(dent_linkage_poses(linkage, NULL, values, poses), DENT_OK);
    assert_at(&poses[3], 0, 1, 1, -1, 2, 10 + pi / 2 - 1);
    dent_pose base = dent_pose_identity();
    base.translation[0] = 100;
    assert_int_equal(dent_linkage_poses(linkage, &base, values, poses), DENT_OK);
    assert_at(&poses[4], 0, 0, 0, 100, 0, 0);
    values[8] = 0;
    assert_int_equal(dent_linkage_poses(linkage, NULL, values, poses), DENT_ERROR_INVALID_ARGUMENT);
    values[8] = INFINITY;
    assert_int_equal(dent_linkage_poses(linkage, NULL, values, poses), DENT_ERROR_BAD_NUMBER);
    dent_linkage_destroy(linkage);
}

static double pose_distance(const dent_pose *a, const dent_pose *b)
{
    double ma[16], mb[16], most = 0;
    dent_pose_to_matrix(a, ma);
    dent_pose_to_matrix(b, mb);
    for (int i = 0; i < 16; i++) {
        most = fmax(most, fabs(ma[i] - mb[i]));
    }
    return most;
}

static void random_values(const dent_linkage *linkage, dent_random *random, double *values)
{
    for (uint32_t i = 0; i < dent_linkage_value_count(linkage); i++) {
        values[i] = 6 * dent_random_unit(random) - 3;
    }
}

static void frames_agree_with_the_poses_at_both_ends_and_between(void **state)
{
    dent_linkage *linkage = chain(*state);
    dent_random random = dent_random_seeded(11);
    for (int round = 0; round < 200; round++) {
        double values_t0[14], values_t1[14], between[14];
        dent_pose poses[6];
        dent_motion_frame frames[6 + 2];
        random_values(linkage, &random, values_t0);
        random_values(linkage, &random, values_t1);
        values_t1[13] += round % 3 * 7; /* more than a turn */
        assert_int_equal(dent_linkage_motion(linkage, NULL, values_t0, values_t1, 2, frames + 2), DENT_OK);
        frames[0] = frames[1] = frames[2];
        for (int k = 0; k <= 8; k++) {
            double t = k / 8.0;
            for (int i = 0; i < 14; i++) {
                between[i] = values_t0[i] + t * (values_t1[i] - values_t0[i]);
            }
            bool at_end = k == 0 || k == 8; /* quaternions do not turn in proportion between the ends */
            assert_int_equal(dent_linkage_poses(linkage, NULL, k == 8 ? values_t1 : between, poses), DENT_OK);
            for (uint32_t link = 0; link < 6; link++) {
                uint32_t frame = 2 + dent_linkage_frame_of(linkage, link);
                assert_true(frames[frame].parent == DENT_FRAME_WORLD || frames[frame].parent < frame);
                dent_pose pose = dent_motion_frame_at(frames, frame, t);
                assert_true((!at_end && (link == 3 || link == 0)) || pose_distance(&pose, &poses[link]) < 1e-13);
            }
        }
    }
    dent_linkage_destroy(linkage);
}

/* Two links, a planar joint with this normal between them. */
static dent_linkage *plane(dent_context *context, double x, double y, double z)
{
    dent_joint_def def = joint(DENT_JOINT_PLANAR, "plane", 0, 1);
    def.axis[0] = x;
    def.axis[1] = y;
    def.axis[2] = z;
    dent_linkage *linkage;
    assert_int_equal(create(context, 2, 1, &def, &linkage), DENT_OK);
    assert_int_equal(dent_linkage_value_count(linkage), 3);
    return linkage;
}

static void a_planar_joint_slides_across_its_axis_and_turns_about_it(void **state)
{
    const double pi = 3.14159265358979323846;
    /* The normal, and where the joint's x and y lie then. */
    static const double cases[5][3][3] = {{{0, 0, 3}, {1, 0, 0}, {0, 1, 0}},
                                          {{0, 0, -2}, {1, 0, 0}, {0, -1, 0}},
                                          {{1, 0, 0}, {0, 0, -1}, {0, 1, 0}},
                                          {{0, -1, 0}, {1, 0, 0}, {0, 0, 1}},
                                          {{1e-200, 0, -1}, {-1, 0, -1e-200}, {0, 1, 0}}};
    for (int i = 0; i < 5; i++) {
        dent_linkage *linkage = plane(*state, cases[i][0][0], cases[i][0][1], cases[i][0][2]);
        const double *x = cases[i][1], *y = cases[i][2], values[3] = {2, 3, 0}, rotated[3] = {2, 3, pi / 2};
        dent_pose poses[2];
        double at[3] = {2 * x[0] + 3 * y[0], 2 * x[1] + 3 * y[1], 2 * x[2] + 3 * y[2]};
        assert_int_equal(dent_linkage_poses(linkage, NULL, values, poses), DENT_OK);
        assert_at(&poses[1], 0, 0, 0, at[0], at[1], at[2]);
        assert_at(&poses[1], 1, 0, 0, at[0] + 1, at[1], at[2]);
        assert_int_equal(dent_linkage_poses(linkage, NULL, rotated, poses), DENT_OK);
        assert_at(&poses[1], 0, 0, 0, at[0], at[1], at[2]);
        assert_at(&poses[1], x[0], x[1], x[2], at[0] + y[0], at[1] + y[1], at[2] + y[2]);
        dent_linkage_destroy(linkage);
    }
}

static void the_plane_of_a_planar_joint_is_spanned_by_unit_vectors_whatever_its_normal(void **state)
{
    dent_random random = dent_random_seeded(5);
    for (int round = 0; round < 2000; round++) {
        double n[3], squares = 0, x[3], y[3];
        for (int k = 0; k < 3; k++) {
            n[k] = 2 * dent_random_unit(&random) - 1;
            n[k] *= k < 2 && round % 3 ? ldexp(1, -(int)dent_random_below(&random, 80)) : 1;
            squares += n[k] * n[k];
        }
        dent_linkage *linkage = plane(*state, n[0], n[1], n[2]);
        for (int k = 0; k < 2; k++) {
            double values[3] = {k == 0, k == 1, 0};
            dent_pose poses[2];
            assert_int_equal(dent_linkage_poses(linkage, NULL, values, poses), DENT_OK);
            memcpy(k ? y : x, poses[1].translation, sizeof x);
        }
        double xx = 0, yy = 0, xy = 0, cross[3], off = 0;
        for (int k = 0; k < 3; k++) {
            int i = (k + 1) % 3, j = (k + 2) % 3;
            xx += x[k] * x[k];
            yy += y[k] * y[k];
            xy += x[k] * y[k];
            cross[k] = x[i] * y[j] - x[j] * y[i];
            off = fmax(off, fabs(cross[k] - n[k] / sqrt(squares)));
        }
        assert_true(fabs(xx - 1) < 1e-14 && fabs(yy - 1) < 1e-14 && fabs(xy) < 1e-14 && off < 1e-14);
        dent_linkage_destroy(linkage);
    }
}

static void a_planar_joint_moves_in_proportion_and_by_more_than_a_turn(void **state)
{
    dent_joint_def def = joint(DENT_JOINT_PLANAR, "plane", 0, 1);
    dent_random random = dent_random_seeded(12);
    for (int round = 0; round < 200; round++) {
        dent_linkage *linkage;
        for (int k = 0; k < 4; k++) {
            def.origin.rotation[k] = 2 * dent_random_unit(&random) - 1;
            def.axis[k % 3] = 2 * dent_random_unit(&random) - 1;
            def.origin.translation[k % 3] = 2 * dent_random_unit(&random) - 1;
        }
        assert_int_equal(create(*state, 2, 1, &def, &linkage), DENT_OK);
        double from[3], to[3], between[3];
        dent_motion_frame frames[2];
        random_values(linkage, &random, from);
        random_values(linkage, &random, to);
        to[2] += round % 3 * 7;
        assert_int_equal(dent_linkage_motion(linkage, NULL, from, to, 0, frames), DENT_OK);
        assert_true(frames[1].motion.angle == to[2] - from[2]);
        for (int k = 0; k <= 8; k++) {
            dent_pose poses[2], pose = dent_motion_frame_at(frames, 1, k / 8.0);
            for (int i = 0; i < 3; i++) {
                between[i] = from[i] + k / 8.0 * (to[i] - from[i]);
            }
            assert_int_equal(dent_linkage_poses(linkage, NULL, between, poses), DENT_OK);
            assert_true(pose_distance(&pose, &poses[1]) < 1e-13);
        }
        dent_linkage_destroy(linkage);
    }
    def.axis[0] = def.axis[1] = def.axis[2] = 0;
    assert_refused(*state, 2, 1, &def, DENT_ERROR_INVALID_ARGUMENT, "joint 'plane': its axis is 0 0 0");
    def.axis[2] = 1;
    dent_linkage *linkage;
    dent_motion_frame frames[2];
    assert_int_equal(create(*state, 2, 1, &def, &linkage), DENT_OK);
    const double zero[3] = {0, 0, 0}, spun[3] = {0, 0, 1001};
    assert_int_equal(dent_linkage_motion(linkage, NULL, zero, spun, 0, frames), DENT_ERROR_INVALID_ARGUMENT);
    dent_linkage_destroy(linkage);
}

static void a_joint_that_mimics_follows(void **state)
{
    dent_joint_def defs[3] = {joint(DENT_JOINT_PRISMATIC, "a", 0, 1), joint(DENT_JOINT_PRISMATIC, "b", 0, 2),
                              joint(DENT_JOINT_PRISMATIC, "c", 0, 3)};
    defs[0].mimics = 2; /* c by way of b is resolved too */
    defs[0].multiplier = -1;
    defs[0].offset = 10;
    defs[2].mimics = 1;
    defs[2].multiplier = 2;
    defs[2].offset = 0.5;
    defs[2].has_limits = true;
    defs[2].lower = 0;
    defs[2].upper = 4;
    dent_linkage *linkage;
    assert_int_equal(create(*state, 4, 3, defs, &linkage), DENT_OK);
    assert_int_equal(dent_linkage_value_count(linkage), 1);
    double value = 1.5;
    dent_pose poses[4];
    assert_int_equal(dent_linkage_poses(linkage, NULL, &value, poses), DENT_OK);
    assert_true(poses[2].translation[0] == 1.5 && poses[3].translation[0] == 3.5 && poses[1].translation[0] == 6.5);
    assert_int_equal(dent_linkage_check_values(linkage, &value), DENT_OK);
    value = 2;
    assert_int_equal(dent_linkage_check_values(linkage, &value), DENT_ERROR_INVALID_ARGUMENT);
    char said[256];
    dent_context_message(*state, said, sizeof said);
    assert_string_equal(said, "joint 'c': 4.5 is above its limit, 4");
    dent_linkage_destroy(linkage);
}

static void an_angle_beyond_all_reason_is_refused_and_nothing_is_written(void **state)
{
    dent_joint_def def = joint(DENT_JOINT_REVOLUTE, "spin", 0, 1);
    dent_linkage *linkage;
    assert_int_equal(create(*state, 2, 1, &def, &linkage), DENT_OK);
    double from = 0, to = 2000;
    dent_motion_frame frames[2], before[2];
    memset(frames, 0x5a, sizeof frames);
    memcpy(before, frames, sizeof frames);
    assert_int_equal(dent_linkage_motion(linkage, NULL, &from, &to, 0, frames), DENT_ERROR_INVALID_ARGUMENT);
    assert_memory_equal(frames, before, sizeof frames);
    dent_linkage_destroy(linkage);
}

/* ---- neighbours -------------------------------------------------------------------------------------------------- */

static void links_joined_by_one_moving_joint_and_fixed_ones_are_neighbours(void **state)
{
    /* 0 -fixed- 1 -turn- 2 -fixed- 3 -turn- 4, and 5 fixed to 0 */
    dent_joint_def defs[5] = {joint(DENT_JOINT_FIXED, NULL, 0, 1), joint(DENT_JOINT_REVOLUTE, NULL, 1, 2),
                              joint(DENT_JOINT_FIXED, NULL, 2, 3), joint(DENT_JOINT_REVOLUTE, NULL, 3, 4),
                              joint(DENT_JOINT_FIXED, NULL, 0, 5)};
    dent_linkage *linkage;
    assert_int_equal(create(*state, 6, 5, defs, &linkage), DENT_OK);
    static const char table[6][7] = {"111101", "111101", "111111", "111111", "001110", "111101"};
    dent_body_id ids[6];
    for (uint32_t a = 0; a < 6; a++) {
        ids[a] = (dent_body_id){a + 1, 1, 1};
        for (uint32_t b = 0; b < 6; b++) {
            assert_int_equal(dent_linkage_neighbours(linkage, a, b), table[a][b] == '1');
        }
    }
    ids[0] = (dent_body_id){0};
    dent_excluded_pair pairs[15];
    uint32_t count = dent_linkage_excluded_pairs(linkage, ids, pairs, 15);
    assert_int_equal(count, 8); /* 12 13 15 23 24 25 34 35 */
    assert_true(pairs[0].a.index1 == 2 && pairs[0].b.index1 == 3);
    assert_int_equal(dent_linkage_excluded_pairs(linkage, ids, NULL, 0), count);
    dent_linkage_destroy(linkage);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    struct failing_allocator memory = failing_allocator_make();
    dent_context_def def = dent_context_def_default();
    def.thread_count = 1;
    def.allocator = failing_allocator_hook(&memory);
    dent_context *context = dent_context_create(&def, NULL);
    uint64_t bytes = memory.live_bytes;
    dent_joint_def defs[2] = {joint(DENT_JOINT_REVOLUTE, "a", 0, 1), joint(DENT_JOINT_BALL, NULL, 1, 2)};
    dent_linkage *linkage = NULL;
    uint64_t n = 0;
    do {
        assert_null(linkage);
        assert_int_equal(memory.live_bytes, bytes);
        memory.requests = 0;
        memory.fail_at = ++n;
    } while (create(context, 3, 2, defs, &linkage) == DENT_ERROR_OUT_OF_MEMORY);
    assert_true(n > 5);
    assert_non_null(linkage);
    dent_linkage_destroy(linkage);
    dent_context_destroy(context);
    assert_true(failing_allocator_clean(&memory));
}

static void the_callers_rounding_mode_changes_nothing(void **state)
{
    dent_linkage *linkage = chain(*state);
    double values_t0[14], values_t1[14];
    dent_random random = dent_random_seeded(3);
    random_values(linkage, &random, values_t0);
    random_values(linkage, &random, values_t1);
    dent_motion_frame frames[2][6];
    memset(frames, 0, sizeof frames);
    assert_int_equal(dent_linkage_motion(linkage, NULL, values_t0, values_t1, 0, frames[0]), DENT_OK);
    fesetround(FE_UPWARD);
    assert_int_equal(dent_linkage_motion(linkage, NULL, values_t0, values_t1, 0, frames[1]), DENT_OK);
    fesetround(FE_TONEAREST);
    for (int f = 0; f < 6; f++) { /* field by field: padding may hold anything */
        const dent_motion *a = &frames[0][f].motion, *b = &frames[1][f].motion;
        assert_true(frames[0][f].parent == frames[1][f].parent && a->kind == b->kind);
        assert_memory_equal(&a->start, &b->start, sizeof a->start);
        assert_memory_equal(a->axis, b->axis, sizeof a->axis);
        assert_memory_equal(&a->angle, &b->angle, sizeof a->angle);
        assert_memory_equal(a->displacement, b->displacement, sizeof a->displacement);
        assert_memory_equal(a->centre, b->centre, sizeof a->centre);
    }
    dent_linkage_destroy(linkage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joints_that_form_a_cycle_are_refused_and_named),
        cmocka_unit_test(a_long_cycle_is_still_one_line),
        cmocka_unit_test(what_is_wrong_with_a_joint_is_said_in_one_line),
        cmocka_unit_test(joints_that_mimic_one_another_in_a_circle_are_refused),
        cmocka_unit_test(values_have_their_places_and_links_their_frames),
        cmocka_unit_test(every_kind_of_joint_does_what_it_says),
        cmocka_unit_test(frames_agree_with_the_poses_at_both_ends_and_between),
        cmocka_unit_test(a_planar_joint_slides_across_its_axis_and_turns_about_it),
        cmocka_unit_test(the_plane_of_a_planar_joint_is_spanned_by_unit_vectors_whatever_its_normal),
        cmocka_unit_test(a_planar_joint_moves_in_proportion_and_by_more_than_a_turn),
        cmocka_unit_test(a_joint_that_mimics_follows),
        cmocka_unit_test(an_angle_beyond_all_reason_is_refused_and_nothing_is_written),
        cmocka_unit_test(links_joined_by_one_moving_joint_and_fixed_ones_are_neighbours),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(the_callers_rounding_mode_changes_nothing),
    };
    return cmocka_run_group_tests(tests, test_open_context_of_one, test_close_context);
}
