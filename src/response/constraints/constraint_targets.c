/* Rows and right-hand sides of contacts between rigid bodies: resting (the tutorial's eq. 27 with the centripetal terms
 * moved to the right), impact (28), target gap (29, with a rate term and the gap's own), repositioning (30, read
 * as a displacement). */
#include <math.h>
#include <string.h>

#include "geometry/numbers/vector3.h"

#include <dent/constraints.h>

void dent_constraint_rigid_metric(const dent_rigid_state *body, double metric[10])
{
    if (!body || !metric) {
        return;
    }
    metric[0] = body->inverse_mass;
    dent_rigid_inverse_inertia(body, metric + 1);
}

static void arm_of(const dent_rigid_state *body, const double point[3], double arm[3])
{
    for (int i = 0; i < 3; i++) {
        arm[i] = point[i] - body->center[i];
    }
}

void dent_constraint_rigid_row(const dent_rigid_state *body, const double point[3], const double direction[3],
                               double coefficients[6])
{
    if (!body || !point || !direction || !coefficients) {
        return;
    }
    double arm[3];
    arm_of(body, point, arm);
    memcpy(coefficients, direction, 3 * sizeof *coefficients);
    vector_cross(arm, direction, coefficients + 3);
}

void dent_constraint_face_normal_rate(const dent_rigid_state *face, const double normal[3], double rate[3])
{
    if (!normal || !rate) {
        return;
    }
    memset(rate, 0, 3 * sizeof *rate);
    if (face) {
        vector_cross(face->angular_velocity, normal, rate);
    }
}

static double length_of(const double v[3])
{
    return sqrt(vector_dot(v, v));
}

void dent_constraint_edge_normal_rate(const dent_rigid_state *a, const dent_rigid_state *b, const double edge_a[3],
                                      const double edge_b[3], const double normal[3], double rate[3])
{
    if (!edge_a || !edge_b || !normal || !rate) {
        return;
    }
    double across[3], moved_a[3] = {0}, moved_b[3] = {0}, first[3], second[3];
    memset(rate, 0, 3 * sizeof *rate);
    vector_cross(edge_a, edge_b, across);
    double length = length_of(across);
    if (!(length > 1e-6 * length_of(edge_a) * length_of(edge_b))) {
        return;
    }
    if (a) {
        vector_cross(a->angular_velocity, edge_a, moved_a);
    }
    if (b) {
        vector_cross(b->angular_velocity, edge_b, moved_b);
    }
    vector_cross(moved_a, edge_b, first);
    vector_cross(edge_a, moved_b, second);
    double sign = vector_dot(across, normal) < 0 ? -1 : 1, along = 0;
    for (int i = 0; i < 3; i++) {
        rate[i] = sign * (first[i] + second[i]) / length;
        along += rate[i] * normal[i];
    }
    for (int i = 0; i < 3; i++) { /* a unit vector changes across itself only */
        rate[i] -= along * normal[i];
    }
}

/* Velocity of a point of the body, and its acceleration from turning alone. */
static void point_motion(const dent_rigid_state *body, const double point[3], double velocity[3], double centripetal[3])
{
    memset(velocity, 0, 3 * sizeof *velocity);
    memset(centripetal, 0, 3 * sizeof *centripetal);
    if (body) {
        double arm[3], turning[3];
        arm_of(body, point, arm);
        vector_cross(body->angular_velocity, arm, turning);
        vector_cross(body->angular_velocity, turning, centripetal);
        for (int i = 0; i < 3; i++) {
            velocity[i] = body->linear_velocity[i] + turning[i];
        }
    }
}

static void relative_motion(const dent_constraint_contact *contact, double velocity[3], double centripetal[3])
{
    double other_velocity[3], other_centripetal[3];
    point_motion(contact->a, contact->point_a, velocity, centripetal);
    point_motion(contact->b, contact->point_b, other_velocity, other_centripetal);
    vector_add_scaled(velocity, -1, other_velocity);
    vector_add_scaled(centripetal, -1, other_centripetal);
}

double dent_constraint_speed(const dent_constraint_contact *contact)
{
    if (!contact) {
        return 0;
    }
    double velocity[3], centripetal[3];
    relative_motion(contact, velocity, centripetal);
    return vector_dot(velocity, contact->normal);
}

double dent_constraint_resting_target(const dent_constraint_contact *contact)
{
    if (!contact) {
        return 0;
    }
    double velocity[3], centripetal[3];
    relative_motion(contact, velocity, centripetal);
    return -2 * vector_dot(velocity, contact->normal_rate) - vector_dot(contact->normal, centripetal);
}

double dent_constraint_impact_target(const dent_constraint_contact *contact, double restitution)
{
    return contact ? -restitution * dent_constraint_speed(contact) : 0;
}

double dent_constraint_gap_target(const dent_constraint_contact *contact, double target_gap, double rate,
                                       double damping)
{
    if (!contact) {
        return 0;
    }
    double resting = dent_constraint_resting_target(contact), d = contact->gap;
    if (!(d < target_gap)) {
        return resting;
    }
    return resting + d * vector_dot(contact->normal_rate, contact->normal_rate) +
           rate * rate * (target_gap - d) - 2 * damping * rate * dent_constraint_speed(contact);
}

double dent_constraint_reposition_target(const dent_constraint_contact *contact, double target_gap)
{
    return contact ? target_gap - contact->gap : 0;
}
