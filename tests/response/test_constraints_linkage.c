/* Linkages in joint space: rows and mass matrix against the poses, and the exact solver with them against the same
 * linkage as rigid bodies whose joints are equations. */
#include "support/test_context.h"
#include <dent/base.h>

#include <dent/constraints.h>
#include <dent/linkage.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINKS = 7, RATES = 6 * LINKS, CONTACTS = 4, ROWS = 6 * LINKS + CONTACTS };

static uint32_t cases(uint32_t quick, uint32_t standard, uint32_t extended)
{
    return getenv("DENT_LONG_TESTS") ? extended : getenv("DENT_QUICK_TESTS") ? quick : standard;
}

static double between(dent_random *random, double lo, double hi)
{
    return lo + (hi - lo) * dent_random_unit(random);
}

struct arm {
    dent_linkage *linkage;
    uint32_t link_count, rate_count;
    dent_joint_def joints[LINKS];
    double values[7 * LINKS];
    dent_pose poses[LINKS];
    dent_link_mass masses[LINKS];
    double matrix[RATES * RATES];
};

static void random_direction(dent_random *random, double v[3])
{
    double length;
    do {
        for (int k = 0; k < 3; k++) {
            v[k] = between(random, -1, 1);
        }
        length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    } while (!(length > 0.2 && length < 1));
    for (int k = 0; k < 3; k++) {
        v[k] /= length;
    }
}

static void place(struct arm *arm)
{
    assert_int_equal(dent_linkage_poses(arm->linkage, NULL, arm->values, arm->poses), DENT_OK);
}

static void open_arm(struct arm *arm, dent_context *context, dent_random *random, bool simple)
{
    static const dent_joint_kind kinds[] = {DENT_JOINT_REVOLUTE, DENT_JOINT_PRISMATIC, DENT_JOINT_SCREW,
                                            DENT_JOINT_BALL,     DENT_JOINT_FREE,      DENT_JOINT_PLANAR,
                                            DENT_JOINT_FIXED};
    *arm = (struct arm){.link_count = simple ? 2 + dent_random_below(random, 4) : LINKS};
    uint32_t last = DENT_JOINT_NONE;
    for (uint32_t j = 0; j + 1 < arm->link_count; j++) {
        dent_joint_def *joint = &arm->joints[j];
        *joint = dent_joint_def_default();
        joint->kind = kinds[simple ? dent_random_below(random, 2) : dent_random_below(random, 7)];
        joint->parent = simple ? j : dent_random_below(random, j + 1);
        joint->child = j + 1;
        random_direction(random, joint->axis);
        joint->pitch = between(random, -0.3, 0.3);
        for (int k = 0; k < 3; k++) {
            joint->origin.translation[k] = between(random, -1, 1);
        }
        for (int k = 0; k < 4; k++) {
            joint->origin.rotation[k] = between(random, -1, 1);
        }
        bool single = joint->kind == DENT_JOINT_REVOLUTE || joint->kind == DENT_JOINT_PRISMATIC;
        if (!simple && single && last != DENT_JOINT_NONE && dent_random_below(random, 3) == 0) {
            joint->mimics = last;
            joint->multiplier = between(random, -2, 2);
        } else {
            last = single ? j : last;
        }
    }
    dent_linkage_def def = dent_linkage_def_default();
    def.link_count = arm->link_count;
    def.joint_count = arm->link_count - 1;
    def.joints = arm->joints;
    assert_int_equal(dent_linkage_create(context, &def, &arm->linkage), DENT_OK);
    arm->rate_count = dent_linkage_rate_count(arm->linkage);
    for (uint32_t i = 0; i < dent_linkage_value_count(arm->linkage); i++) {
        arm->values[i] = between(random, -1, 1);
    }
    place(arm);
    for (uint32_t l = 0; l < arm->link_count; l++) {
        dent_link_mass *mass = &arm->masses[l];
        double a = between(random, 0.1, 1), b = between(random, 0.1, 1), c = between(random, 0.1, 1);
        mass->mass = between(random, 0.5, 3);
        for (int k = 0; k < 3; k++) {
            mass->center[k] = between(random, -0.5, 0.5);
        }
        memcpy(mass->inertia, (double[6]){b + c + 0.2, -0.05, 0.03, a + c + 0.2, 0.04, a + b + 0.2},
               sizeof mass->inertia);
    }
    assert_int_equal(dent_linkage_mass_matrix(arm->linkage, arm->poses, arm->masses, arm->matrix), DENT_OK);
}

/* A point of a link, in space. */
static void point_of(const dent_pose *pose, const double local[3], double point[3])
{
    double m[16];
    dent_pose_to_matrix(pose, m);
    for (int i = 0; i < 3; i++) {
        point[i] = m[4 * i] * local[0] + m[4 * i + 1] * local[1] + m[4 * i + 2] * local[2] + m[4 * i + 3];
    }
}

static double dot_row(const double *row, const double *rates, uint32_t count)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        sum += row[i] * rates[i];
    }
    return sum;
}

/* ---- rows ---------------------------------------------------------------------------------------------------------- */

/* q after a turn by `angle` about an axis of the joint. */
static void turn_quaternion(double q[4], int axis, double angle)
{
    double h[4] = {cos(angle / 2), 0, 0, 0}, w = q[0], x = q[1], y = q[2], z = q[3];
    h[1 + axis] = sin(angle / 2);
    q[0] = h[0] * w - h[1] * x - h[2] * y - h[3] * z;
    q[1] = h[0] * x + h[1] * w + h[2] * z - h[3] * y;
    q[2] = h[0] * y - h[1] * z + h[2] * w + h[3] * x;
    q[3] = h[0] * z + h[1] * y - h[2] * x + h[3] * w;
}

/* The values after a short time with one rate of 1. */
static void step_rate(const struct arm *arm, uint32_t joint, uint32_t k, double time, double *values)
{
    double *own = values + dent_linkage_first_value(arm->linkage, joint);
    switch (arm->joints[joint].kind) {
    case DENT_JOINT_BALL:
        turn_quaternion(own, (int)k, time);
        break;
    case DENT_JOINT_FREE:
        if (k < 3) {
            own[k] += time;
        } else {
            turn_quaternion(own + 3, (int)k - 3, time);
        }
        break;
    default:
        own[k] += time;
    }
}

static void rows_are_the_derivatives_of_the_poses(void **state)
{
    (void)state;
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    dent_random random = dent_random_seeded(11);
    uint32_t tested = 0, kinds[DENT_JOINT_KIND_COUNT] = {0};
    for (uint32_t n = 0; n < cases(20, 300, 5000); n++) {
        struct arm arm;
        open_arm(&arm, context, &random, false);
        uint32_t link = dent_random_below(&random, arm.link_count);
        double local[3], direction[3], row[RATES];
        random_direction(&random, local);
        random_direction(&random, direction);
        double point[3];
        point_of(&arm.poses[link], local, point);
        dent_linkage_point_row(arm.linkage, arm.poses, link, point, direction, row);
        for (uint32_t j = 0; j + 1 < arm.link_count; j++) {
            uint32_t first = dent_linkage_first_rate(arm.linkage, j);
            uint32_t next = j + 2 < arm.link_count ? UINT32_MAX : arm.rate_count;
            for (uint32_t h = j + 1; h + 1 < arm.link_count && next == UINT32_MAX; h++) {
                next = dent_linkage_first_rate(arm.linkage, h);
            }
            next = next == UINT32_MAX ? arm.rate_count : next;
            for (uint32_t k = 0; first != UINT32_MAX && first + k < next; k++, tested++) {
                double moved[2], h = 1e-5;
                kinds[arm.joints[j].kind]++;
                for (int side = 0; side < 2; side++) {
                    double values[7 * LINKS], p[3];
                    dent_pose poses[LINKS];
                    memcpy(values, arm.values, sizeof values);
                    step_rate(&arm, j, k, side ? h : -h, values);
                    assert_int_equal(dent_linkage_poses(arm.linkage, NULL, values, poses), DENT_OK);
                    point_of(&poses[link], local, p);
                    moved[side] = p[0] * direction[0] + p[1] * direction[1] + p[2] * direction[2];
                }
                assert_true(fabs((moved[1] - moved[0]) / (2 * h) - row[first + k]) < 1e-7);
            }
        }
        dent_linkage_destroy(arm.linkage);
    }
    for (int kind = 1; kind < DENT_JOINT_KIND_COUNT; kind++) {
        assert_true(kinds[kind] > 0);
    }
    print_message("%u derivatives\n", tested);
    dent_context_destroy(context);
}

static void the_mass_matrix_gives_the_kinetic_energy(void **state)
{
    (void)state;
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    dent_random random = dent_random_seeded(12);
    double worst = 0;
    for (uint32_t n = 0; n < cases(20, 300, 5000); n++) {
        struct arm arm;
        double rates[RATES], row[RATES], twice = 0, expected = 0;
        open_arm(&arm, context, &random, false);
        for (uint32_t i = 0; i < arm.rate_count; i++) {
            rates[i] = between(&random, -1, 1);
        }
        for (uint32_t i = 0; i < arm.rate_count; i++) {
            twice += rates[i] * dot_row(arm.matrix + (size_t)arm.rate_count * i, rates, arm.rate_count);
        }
        for (uint32_t l = 0; l < arm.link_count; l++) {
            const dent_link_mass *mass = &arm.masses[l];
            double center[3], m[16], w[3];
            point_of(&arm.poses[l], mass->center, center);
            dent_pose_to_matrix(&arm.poses[l], m);
            for (int axis = 0; axis < 3; axis++) {
                double e[3] = {axis == 0, axis == 1, axis == 2}, own[3] = {m[axis], m[4 + axis], m[8 + axis]};
                dent_linkage_point_row(arm.linkage, arm.poses, l, center, e, row);
                double v = dot_row(row, rates, arm.rate_count);
                expected += mass->mass * v * v;
                dent_linkage_turn_row(arm.linkage, arm.poses, l, own, row); /* along the axes of the link */
                w[axis] = dot_row(row, rates, arm.rate_count);
            }
            const double *i = mass->inertia;
            expected += i[0] * w[0] * w[0] + i[3] * w[1] * w[1] + i[5] * w[2] * w[2] +
                        2 * (i[1] * w[0] * w[1] + i[2] * w[0] * w[2] + i[4] * w[1] * w[2]);
        }
        worst = fmax(worst, fabs(twice - expected) / (1 + expected));
        dent_linkage_destroy(arm.linkage);
    }
    print_message("energies differ by %.2g at most\n", worst);
    assert_true(worst < 1e-12);
    dent_context_destroy(context);
}

/* ---- the solver in both coordinates -------------------------------------------------------------------------------- */

struct bodies {
    dent_rigid_state states[LINKS];
    double metrics[LINKS][10], coefficients[ROWS][2][6], free_motion[6 * LINKS], motion[6 * LINKS];
    dent_constraint_block blocks[LINKS];
    dent_constraint_part parts[ROWS][2];
    dent_constraint_row rows[ROWS];
    uint32_t count;
};

/* Row of the relative velocity of two links at a point, or of their angular velocities; link 0 is fixed. */
static dent_constraint_row *relative_row(struct bodies *bodies, uint32_t a, uint32_t b, const double *point,
                                         const double direction[3])
{
    uint32_t n = bodies->count++;
    dent_constraint_row *row = &bodies->rows[n];
    *row = dent_constraint_row_default();
    row->parts = bodies->parts[n];
    for (int side = 0; side < 2; side++) {
        uint32_t link = side ? b : a;
        double sign = side ? -1 : 1, *to = bodies->coefficients[n][side];
        const double along[3] = {sign * direction[0], sign * direction[1], sign * direction[2]};
        if (link == 0) {
            continue;
        }
        memset(to, 0, 6 * sizeof *to);
        memcpy(to + 3, along, sizeof along);
        if (point) {
            dent_constraint_rigid_row(&bodies->states[link], point, along, to);
        }
        bodies->parts[n][row->part_count++] = (dent_constraint_part){link - 1, to};
    }
    return row;
}

static void add_equations(struct bodies *bodies, const struct arm *arm, uint32_t j)
{
    const dent_joint_def *joint = &arm->joints[j];
    dent_pose frame = dent_pose_product(&arm->poses[joint->parent], &joint->origin);
    double m[16], axis[3], across[2][3];
    dent_pose_to_matrix(&frame, m);
    for (int i = 0; i < 3; i++) {
        axis[i] = m[4 * i] * joint->axis[0] + m[4 * i + 1] * joint->axis[1] + m[4 * i + 2] * joint->axis[2];
    }
    int least = fabs(axis[0]) < fabs(axis[1]) ? 0 : 1;
    least = fabs(axis[2]) < fabs(axis[least]) ? 2 : least;
    double e[3] = {least == 0, least == 1, least == 2}, length = 0;
    for (int i = 0; i < 3; i++) {
        across[0][i] = axis[(i + 1) % 3] * e[(i + 2) % 3] - axis[(i + 2) % 3] * e[(i + 1) % 3];
        length += across[0][i] * across[0][i];
    }
    for (int i = 0; i < 3; i++) {
        across[0][i] /= sqrt(length);
    }
    for (int i = 0; i < 3; i++) {
        across[1][i] = axis[(i + 1) % 3] * across[0][(i + 2) % 3] - axis[(i + 2) % 3] * across[0][(i + 1) % 3];
    }
    const double *origin = arm->poses[joint->child].translation;
    for (int k = 0; k < 5; k++) {
        bool turns = joint->kind == DENT_JOINT_REVOLUTE; /* all three of the one, two of the other */
        const double *direction = k < 2 ? across[k] : k < 4 ? across[k - 2] : axis;
        bool is_point = turns ? k >= 2 : k < 2;
        dent_constraint_row *row =
            relative_row(bodies, joint->child, joint->parent, is_point ? origin : NULL, direction);
        row->lower = -INFINITY;
    }
}

/* The inverse of a symmetric matrix: xx xy xz yy yz zz. */
static void invert_inertia(const double i[6], double inverse[9])
{
    double det = i[0] * (i[3] * i[5] - i[4] * i[4]) - i[1] * (i[1] * i[5] - i[4] * i[2]) +
                 i[2] * (i[1] * i[4] - i[3] * i[2]);
    const double made[9] = {(i[3] * i[5] - i[4] * i[4]) / det, (i[2] * i[4] - i[1] * i[5]) / det,
                            (i[1] * i[4] - i[2] * i[3]) / det, (i[2] * i[4] - i[1] * i[5]) / det,
                            (i[0] * i[5] - i[2] * i[2]) / det, (i[1] * i[2] - i[0] * i[4]) / det,
                            (i[1] * i[4] - i[2] * i[3]) / det, (i[1] * i[2] - i[0] * i[4]) / det,
                            (i[0] * i[3] - i[1] * i[1]) / det};
    memcpy(inverse, made, sizeof made);
}

/* The body of link l as it moves with the rates of the arm. */
static void place_body(struct bodies *bodies, const struct arm *arm, uint32_t l, const double *rates)
{
    dent_rigid_state *body = &bodies->states[l];
    double length = 0, row[RATES];
    body->inverse_mass = 1 / arm->masses[l].mass;
    invert_inertia(arm->masses[l].inertia, body->inverse_inertia);
    point_of(&arm->poses[l], arm->masses[l].center, body->center);
    for (int k = 0; k < 4; k++) {
        length += arm->poses[l].rotation[k] * arm->poses[l].rotation[k];
    }
    for (int k = 0; k < 4; k++) {
        body->orientation[k] = arm->poses[l].rotation[k] / sqrt(length);
    }
    dent_constraint_rigid_metric(body, bodies->metrics[l]);
    bodies->blocks[l - 1] = (dent_constraint_block){DENT_METRIC_RIGID, 6, bodies->metrics[l]};
    for (int axis = 0; axis < 3; axis++) {
        double e[3] = {axis == 0, axis == 1, axis == 2};
        dent_linkage_point_row(arm->linkage, arm->poses, l, body->center, e, row);
        bodies->free_motion[6 * (l - 1) + (uint32_t)axis] = dot_row(row, rates, arm->rate_count);
        dent_linkage_turn_row(arm->linkage, arm->poses, l, e, row);
        bodies->free_motion[6 * (l - 1) + 3 + (uint32_t)axis] = dot_row(row, rates, arm->rate_count);
    }
}

/* Contacts of an arm in joint space. */
struct joint_contacts {
    double rows[CONTACTS][RATES];
    dent_constraint_row small[CONTACTS];
    dent_constraint_part parts[CONTACTS];
    uint32_t count;
};

/* Points of links against the world, stopped or thrown back, for both. */
static void add_contacts(struct joint_contacts *contacts, struct bodies *bodies, const struct arm *arm,
                         const double *rates, dent_random *random)
{
    contacts->count = 1 + dent_random_below(random, CONTACTS);
    for (uint32_t c = 0; c < contacts->count; c++) {
        uint32_t link = 1 + dent_random_below(random, arm->link_count - 1);
        double local[3], point[3], normal[3];
        random_direction(random, local);
        random_direction(random, normal);
        point_of(&arm->poses[link], local, point);
        dent_linkage_point_row(arm->linkage, arm->poses, link, point, normal, contacts->rows[c]);
        double target = -0.5 * dot_row(contacts->rows[c], rates, arm->rate_count);
        contacts->small[c] = dent_constraint_row_default();
        contacts->parts[c] = (dent_constraint_part){0, contacts->rows[c]};
        contacts->small[c].parts = &contacts->parts[c];
        contacts->small[c].part_count = 1;
        contacts->small[c].target = target;
        relative_row(bodies, link, 0, point, normal)->target = target;
    }
}

/* How far the motion of the joints is from that of the bodies, relative to the largest number. */
static double difference_of_motions(const struct arm *arm, const struct bodies *bodies, const double *reduced)
{
    double size = 1, worst = 0, row[RATES];
    for (uint32_t i = 0; i < 6 * (arm->link_count - 1); i++) {
        size = fmax(size, fabs(bodies->motion[i]));
    }
    for (uint32_t l = 1; l < arm->link_count; l++) {
        for (int axis = 0; axis < 3; axis++) {
            double e[3] = {axis == 0, axis == 1, axis == 2};
            const double *own = bodies->motion + 6 * (l - 1);
            dent_linkage_point_row(arm->linkage, arm->poses, l, bodies->states[l].center, e, row);
            worst = fmax(worst, fabs(dot_row(row, reduced, arm->rate_count) - own[axis]) / size);
            dent_linkage_turn_row(arm->linkage, arm->poses, l, e, row);
            worst = fmax(worst, fabs(dot_row(row, reduced, arm->rate_count) - own[3 + axis]) / size);
        }
    }
    return worst;
}

/* Solves one impact in joint space and with bodies. False: not solved, or too near to singular to be compared. */
static bool solve_both(dent_constraints *solver, const struct arm *arm, struct bodies *bodies,
                       struct joint_contacts *contacts, const double *rates, double *reduced, uint32_t *active)
{
    dent_constraint_block block = {DENT_METRIC_MASS_MATRIX, arm->rate_count, arm->matrix};
    dent_constraint_problem problem = dent_constraint_problem_default();
    dent_constraint_report report[2];
    problem.blocks = &block;
    problem.block_count = 1;
    problem.rows = contacts->small;
    problem.row_count = contacts->count;
    problem.free_motion = rates;
    problem.motion = reduced;
    assert_int_equal(dent_constraints_solve(solver, &problem, &report[0]), DENT_OK);
    problem.blocks = bodies->blocks;
    problem.block_count = arm->link_count - 1;
    problem.rows = bodies->rows;
    problem.row_count = bodies->count;
    problem.free_motion = bodies->free_motion;
    problem.motion = bodies->motion;
    assert_int_equal(dent_constraints_solve(solver, &problem, &report[1]), DENT_OK);
    assert_int_equal(report[0].outcome, report[1].outcome);
    if (report[0].outcome != DENT_CONSTRAINTS_SOLVED || report[0].diagonal < 1e-4 || report[1].diagonal < 1e-4) {
        return false;
    }
    *active += report[0].active;
    return true;
}

static void joint_space_and_bodies_with_joint_equations_give_one_motion(void **state)
{
    (void)state;
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    dent_constraints *solver = dent_constraints_create(context);
    dent_random random = dent_random_seeded(13);
    double worst = 0;
    uint32_t active = 0, solved = 0;
    for (uint32_t n = 0; n < cases(20, 400, 20000); n++) {
        struct arm arm;
        static struct bodies bodies;
        static struct joint_contacts contacts;
        double rates[RATES], reduced[RATES];
        open_arm(&arm, context, &random, true);
        memset(&bodies, 0, sizeof bodies);
        for (uint32_t i = 0; i < arm.rate_count; i++) {
            rates[i] = between(&random, -1, 1);
        }
        for (uint32_t l = 1; l < arm.link_count; l++) {
            place_body(&bodies, &arm, l, rates);
        }
        add_contacts(&contacts, &bodies, &arm, rates, &random);
        for (uint32_t j = 0; j + 1 < arm.link_count; j++) {
            add_equations(&bodies, &arm, j);
        }
        if (solve_both(solver, &arm, &bodies, &contacts, rates, reduced, &active)) {
            worst = fmax(worst, difference_of_motions(&arm, &bodies, reduced));
            solved++;
        }
        dent_linkage_destroy(arm.linkage);
    }
    print_message("%u linkages, %u contacts pushed: velocities differ by %.2g at most\n", solved, active, worst);
    assert_true(active > solved / 2 && solved > 10);
    assert_true(worst < 1e-8);
    dent_constraints_destroy(solver);
    dent_context_destroy(context);
}

static void bad_masses_are_named_and_nothing_is_written(void **state)
{
    (void)state;
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    dent_random random = dent_random_seeded(14);
    struct arm arm;
    char message[300];
    open_arm(&arm, context, &random, true);
    double before = arm.matrix[0];
    arm.masses[1].mass = -1;
    assert_int_equal(dent_linkage_mass_matrix(arm.linkage, arm.poses, arm.masses, arm.matrix),
                     DENT_ERROR_INVALID_ARGUMENT);
    dent_context_message(context, message, sizeof message);
    assert_non_null(strstr(message, "link 1"));
    arm.masses[1].mass = 1;
    arm.masses[0].inertia[2] = NAN;
    assert_int_equal(dent_linkage_mass_matrix(arm.linkage, arm.poses, arm.masses, arm.matrix), DENT_ERROR_BAD_NUMBER);
    assert_true(arm.matrix[0] == before);
    assert_int_equal(dent_linkage_first_rate(arm.linkage, arm.link_count), UINT32_MAX);
    dent_linkage_destroy(arm.linkage);
    dent_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_the_derivatives_of_the_poses),
        cmocka_unit_test(the_mass_matrix_gives_the_kinetic_energy),
        cmocka_unit_test(joint_space_and_bodies_with_joint_equations_give_one_motion),
        cmocka_unit_test(bad_masses_are_named_and_nothing_is_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
