/* Velocities of a linkage in joint space: rows of points and links, and the mass matrix.
 *
 * A joint moves everything behind it as a rigid body. Each of its rates is a column: an angular velocity w and the
 * velocity v of the child's origin o. So a point p behind the joint gets v + w x (p - o). A joint that mimics another
 * adds to the rate of that one. The mass matrix is the sum over all links of m v_a . v_b + w_a . I w_b, over the columns
 * a and b of the joints between the link and the root. */
#include "kinematics/linkage_data.h"

#include "base/containers/vectors.h"
#include "base/floating_point_guard.h"

#include <math.h>
#include <string.h>

enum { COLUMNS_MOST = 6 };

/* The columns of one joint, in space. */
struct joint_columns {
    uint32_t first, count;
    double share; /* of the rate that each adds to */
    double origin[3];
    double linear[COLUMNS_MOST][3], angular[COLUMNS_MOST][3];
};

static uint32_t rates_of(const struct linkage_joint *joint)
{
    switch (joint->def.kind) {
    case DENT_JOINT_REVOLUTE:
    case DENT_JOINT_PRISMATIC:
    case DENT_JOINT_SCREW:
        return joint->def.mimics == DENT_JOINT_NONE;
    case DENT_JOINT_BALL:
    case DENT_JOINT_PLANAR:
        return 3;
    case DENT_JOINT_FREE:
        return 6;
    default:
        return 0;
    }
}

static uint32_t first_rate(const dent_linkage *linkage, uint32_t joint)
{
    uint32_t first = 0;
    for (uint32_t j = 0; j < joint; j++) {
        first += rates_of(&linkage->joints[j]);
    }
    return first;
}

uint32_t dent_linkage_rate_count(const dent_linkage *linkage)
{
    return linkage ? first_rate(linkage, linkage->joint_count) : 0;
}

uint32_t dent_linkage_first_rate(const dent_linkage *linkage, uint32_t joint)
{
    if (!linkage || joint >= linkage->joint_count || rates_of(&linkage->joints[joint]) == 0) {
        return UINT32_MAX;
    }
    return first_rate(linkage, joint);
}

/* ---- one joint --------------------------------------------------------------------------------------------------- */

static void add_column(struct joint_columns *columns, const double matrix[16], const double linear[3],
                       const double angular[3])
{
    for (int i = 0; i < 3; i++) {
        const double *row = matrix + 4 * i;
        columns->linear[columns->count][i] = (row[0] * linear[0] + row[1] * linear[1]) + row[2] * linear[2];
        columns->angular[columns->count][i] = (row[0] * angular[0] + row[1] * angular[1]) + row[2] * angular[2];
    }
    columns->count++;
}

static void columns_of(const dent_linkage *linkage, const dent_pose *poses, uint32_t index,
                       struct joint_columns *columns)
{
    static const double none[3] = {0, 0, 0}, unit[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const struct linkage_joint *joint = &linkage->joints[index];
    const dent_joint_def *def = &joint->def;
    const double *axis = joint->unit_axis;
    bool mimics = def->mimics != DENT_JOINT_NONE && dent_joint_kind_value_count(def->kind) == 1;
    dent_pose frame = dent_pose_product(&poses[def->parent], &def->origin);
    double matrix[16], x[3], y[3];
    dent_pose_to_matrix(&frame, matrix);
    *columns = (struct joint_columns){.first = first_rate(linkage, mimics ? def->mimics : index),
                                      .share = mimics ? def->multiplier : 1};
    memcpy(columns->origin, poses[def->child].translation, sizeof columns->origin);
    const double along[3] = {def->pitch * axis[0], def->pitch * axis[1], def->pitch * axis[2]};
    switch (def->kind) {
    case DENT_JOINT_REVOLUTE:
        add_column(columns, matrix, none, axis);
        break;
    case DENT_JOINT_PRISMATIC:
        add_column(columns, matrix, axis, none);
        break;
    case DENT_JOINT_SCREW:
        add_column(columns, matrix, along, axis);
        break;
    case DENT_JOINT_PLANAR:
        linkage_plane_axes(axis, x, y);
        add_column(columns, matrix, x, none);
        add_column(columns, matrix, y, none);
        add_column(columns, matrix, none, axis);
        break;
    case DENT_JOINT_FREE:
    case DENT_JOINT_BALL:
        for (int k = 0; k < 3 && def->kind == DENT_JOINT_FREE; k++) {
            add_column(columns, matrix, unit[k], none);
        }
        for (int k = 0; k < 3; k++) {
            add_column(columns, matrix, none, unit[k]);
        }
        break;
    default:
        break;
    }
}

/* The velocity that one column gives to a point. */
static void column_at(const struct joint_columns *columns, uint32_t k, const double point[3], double velocity[3])
{
    const double *w = columns->angular[k], *v = columns->linear[k];
    double r[3];
    for (int i = 0; i < 3; i++) {
        r[i] = point[i] - columns->origin[i];
    }
    velocity[0] = v[0] + (w[1] * r[2] - w[2] * r[1]);
    velocity[1] = v[1] + (w[2] * r[0] - w[0] * r[2]);
    velocity[2] = v[2] + (w[0] * r[1] - w[1] * r[0]);
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* Of a point, or (null) of the angular velocity. */
static DENT_NOINLINE void write_row(const dent_linkage *linkage, const dent_pose *poses, uint32_t link,
                                    const double *point, const double direction[3], double *coefficients)
{
    struct joint_columns columns;
    memset(coefficients, 0, dent_linkage_rate_count(linkage) * sizeof *coefficients);
    for (uint32_t j = linkage->links[link].joint; j != DENT_JOINT_NONE;
         j = linkage->links[linkage->joints[j].def.parent].joint) {
        columns_of(linkage, poses, j, &columns);
        for (uint32_t k = 0; k < columns.count; k++) {
            double velocity[3];
            if (point) {
                column_at(&columns, k, point, velocity);
            }
            coefficients[columns.first + k] += columns.share * vector_dot(direction, point ? velocity : columns.angular[k]);
        }
    }
}

void dent_linkage_point_row(const dent_linkage *linkage, const dent_pose *poses, uint32_t link, const double point[3],
                            const double direction[3], double *coefficients)
{
    if (!linkage || !poses || !point || !direction || !coefficients || link >= linkage->link_count) {
        return;
    }
    struct floating_point_guard guard;
    floating_point_guard_enter(&guard);
    write_row(linkage, poses, link, point, direction, coefficients);
    floating_point_guard_leave(&guard);
}

void dent_linkage_turn_row(const dent_linkage *linkage, const dent_pose *poses, uint32_t link,
                           const double direction[3], double *coefficients)
{
    if (!linkage || !poses || !direction || !coefficients || link >= linkage->link_count) {
        return;
    }
    struct floating_point_guard guard;
    floating_point_guard_enter(&guard);
    write_row(linkage, poses, link, NULL, direction, coefficients);
    floating_point_guard_leave(&guard);
}

/* ---- the mass matrix --------------------------------------------------------------------------------------------- */

static dent_status check_masses(const dent_linkage *linkage, const dent_link_mass *masses)
{
    for (uint32_t l = 0; l < linkage->link_count; l++) {
        double sum = masses[l].mass;
        for (int i = 0; i < 3; i++) {
            sum += fabs(masses[l].center[i]);
        }
        for (int i = 0; i < 6; i++) {
            sum += fabs(masses[l].inertia[i]);
        }
        if (!isfinite(sum)) {
            return dent_fail(linkage->context, DENT_ERROR_BAD_NUMBER, "link '%s': its mass is not finite",
                             linkage->links[l].name);
        }
        if (masses[l].mass < 0) {
            return dent_fail(linkage->context, DENT_ERROR_INVALID_ARGUMENT, "link '%s': its mass is %g",
                             linkage->links[l].name, masses[l].mass);
        }
    }
    return DENT_OK;
}

/* A link where it is: centre and inertia in space. */
struct placed_mass {
    double mass, center[3], inertia[3][3];
};

static void place_mass(const dent_pose *pose, const dent_link_mass *link, struct placed_mass *placed)
{
    const double *n = link->inertia;
    const double own[3][3] = {{n[0], n[1], n[2]}, {n[1], n[3], n[4]}, {n[2], n[4], n[5]}};
    double matrix[16], half[3][3];
    dent_pose_to_matrix(pose, matrix);
    placed->mass = link->mass;
    for (int i = 0; i < 3; i++) {
        placed->center[i] = vector_dot(matrix + 4 * i, link->center) + matrix[4 * i + 3];
        for (int k = 0; k < 3; k++) {
            half[i][k] = (matrix[4 * i] * own[0][k] + matrix[4 * i + 1] * own[1][k]) + matrix[4 * i + 2] * own[2][k];
        }
    }
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            placed->inertia[i][k] = vector_dot(half[i], matrix + 4 * k);
        }
    }
}

static double energy_between(const struct placed_mass *mass, const struct joint_columns *a, uint32_t i,
                             const struct joint_columns *b, uint32_t k)
{
    double va[3], vb[3], turned[3];
    column_at(a, i, mass->center, va);
    column_at(b, k, mass->center, vb);
    for (int n = 0; n < 3; n++) {
        turned[n] = vector_dot(mass->inertia[n], b->angular[k]);
    }
    return a->share * b->share * (mass->mass * vector_dot(va, vb) + vector_dot(a->angular[i], turned));
}

static void add_link(const dent_linkage *linkage, const dent_pose *poses, uint32_t link, const dent_link_mass *own,
                     uint32_t count, double *matrix)
{
    struct placed_mass mass;
    struct joint_columns a, b;
    place_mass(&poses[link], own, &mass);
    for (uint32_t j = linkage->links[link].joint; j != DENT_JOINT_NONE;
         j = linkage->links[linkage->joints[j].def.parent].joint) {
        columns_of(linkage, poses, j, &a);
        for (uint32_t h = linkage->links[link].joint; h != DENT_JOINT_NONE;
             h = linkage->links[linkage->joints[h].def.parent].joint) {
            columns_of(linkage, poses, h, &b);
            for (uint32_t n = 0; n < a.count * b.count; n++) {
                uint32_t i = n / b.count, k = n % b.count;
                matrix[(size_t)count * (a.first + i) + (b.first + k)] += energy_between(&mass, &a, i, &b, k);
            }
        }
    }
}

static DENT_NOINLINE void write_matrix(const dent_linkage *linkage, const dent_pose *poses,
                                       const dent_link_mass *masses, double *matrix)
{
    uint32_t count = dent_linkage_rate_count(linkage);
    memset(matrix, 0, (size_t)count * count * sizeof *matrix);
    for (uint32_t l = 0; l < linkage->link_count; l++) {
        add_link(linkage, poses, l, &masses[l], count, matrix);
    }
    for (uint32_t i = 0; i < count; i++) { /* the same to the last bit on both sides */
        for (uint32_t k = 0; k < i; k++) {
            matrix[(size_t)count * k + i] = matrix[(size_t)count * i + k];
        }
    }
}

dent_status dent_linkage_mass_matrix(const dent_linkage *linkage, const dent_pose *poses, const dent_link_mass *masses,
                                     double *matrix)
{
    DENT_REQUIRE(NULL, linkage);
    DENT_REQUIRE(linkage->context, poses);
    DENT_REQUIRE(linkage->context, masses);
    DENT_REQUIRE_ARRAY(linkage->context, dent_linkage_rate_count(linkage), matrix);
    struct floating_point_guard guard;
    floating_point_guard_enter(&guard);
    dent_status status = check_masses(linkage, masses);
    if (status == DENT_OK) {
        write_matrix(linkage, poses, masses, matrix);
    }
    floating_point_guard_leave(&guard);
    return status;
}
