/* Rigid bodies as the responses see them: a snapshot with the centre of mass as origin, and two velocities. The small
 * functions a caller with an own integrator needs are public; nothing here but sqrt comes from libm, so snapshots have the
 * same bits everywhere. */
#include <math.h>

#include "response/response_rows.h"

void quaternion_rotate(const double q[4], const double v[3], double out[3])
{
    /* v + 2 w (u x v) + 2 u x (u x v) with q = (w, u) */
    double once[3], twice[3];
    vector_cross(q + 1, v, once);
    vector_cross(q + 1, once, twice);
    for (int i = 0; i < 3; i++) {
        out[i] = v[i] + 2 * (q[0] * once[i] + twice[i]);
    }
}

void quaternion_turn(double q[4], const double turn[3])
{
    /* q + (0, turn) q / 2, then unit: the turn of an explicit step, exact to first order and never of length 0 */
    double added[3];
    vector_cross(turn, q + 1, added);
    double w = q[0] - 0.5 * vector_dot(turn, q + 1);
    double result[4] = {w, 0, 0, 0};
    for (int i = 0; i < 3; i++) {
        result[1 + i] = q[1 + i] + 0.5 * (q[0] * turn[i] + added[i]);
    }
    double length = sqrt(result[0] * result[0] + vector_dot(result + 1, result + 1));
    if (length > 0 && length <= 1e300) {
        for (int i = 0; i < 4; i++) {
            q[i] = result[i] / length;
        }
    }
}

static void rotation_matrix(const double q[4], double matrix[9])
{
    static const double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int axis = 0; axis < 3; axis++) {
        double column[3];
        quaternion_rotate(q, axes[axis], column);
        for (int i = 0; i < 3; i++) {
            matrix[3 * i + axis] = column[i];
        }
    }
}

void dent_rigid_inverse_inertia(const dent_rigid_state *state, double inverse_inertia[9])
{
    if (!state || !inverse_inertia) {
        return;
    }
    double rotation[9], half[9];
    rotation_matrix(state->orientation, rotation);
    for (int i = 0; i < 3; i++) { /* R I */
        for (int j = 0; j < 3; j++) {
            half[3 * i + j] =
                (rotation[3 * i] * state->inverse_inertia[j] + rotation[3 * i + 1] * state->inverse_inertia[3 + j]) +
                rotation[3 * i + 2] * state->inverse_inertia[6 + j];
        }
    }
    for (int i = 0; i < 3; i++) { /* (R I) R^T, made symmetric */
        for (int j = i; j < 3; j++) {
            double value = vector_dot(half + 3 * i, rotation + 3 * j);
            inverse_inertia[3 * i + j] = inverse_inertia[3 * j + i] = value;
        }
    }
}

void dent_rigid_move_point(const dent_rigid_state *from, const dent_rigid_state *to, const double point[3],
                           double moved[3])
{
    if (!from || !to || !point || !moved) {
        return;
    }
    const double back[4] = {from->orientation[0], -from->orientation[1], -from->orientation[2], -from->orientation[3]};
    double arm[3] = {point[0] - from->center[0], point[1] - from->center[1], point[2] - from->center[2]};
    double local[3], flipped[3];
    quaternion_rotate(back, arm, local);
    quaternion_rotate(to->orientation, local, flipped);
    for (int i = 0; i < 3; i++) {
        moved[i] = to->center[i] + flipped[i];
    }
}

void dent_rigid_velocity_between(const dent_rigid_state *from, dent_rigid_state *to, double time_step)
{
    if (!from || !to) {
        return;
    }
    /* to = (0, w dt / 2) from + from, made unit: with d = to conj(from), w dt / 2 = vector part / scalar part. */
    const double *p = from->orientation, *q = to->orientation;
    double difference[4];
    difference[0] = q[0] * p[0] + vector_dot(q + 1, p + 1);
    double crossed[3];
    vector_cross(q + 1, p + 1, crossed);
    for (int i = 0; i < 3; i++) {
        difference[1 + i] = (q[1 + i] * p[0] - q[0] * p[1 + i]) - crossed[i];
    }
    if (difference[0] < 0) { /* the shorter way round: q and -q are the same turn */
        for (int i = 0; i < 4; i++) {
            difference[i] = -difference[i];
        }
    }
    double scalar = difference[0] > 1e-3 ? difference[0] : 1e-3; /* nearly half a turn in one step: no such speed */
    for (int i = 0; i < 3; i++) {
        to->linear_velocity[i] = (to->center[i] - from->center[i]) / time_step;
        to->angular_velocity[i] = 2 * difference[1 + i] / scalar / time_step;
    }
}

void dent_rigid_advance(dent_rigid_state *state, double time_step)
{
    if (!state) {
        return;
    }
    double turn[3];
    for (int i = 0; i < 3; i++) {
        state->center[i] += time_step * state->linear_velocity[i];
        turn[i] = time_step * state->angular_velocity[i];
    }
    quaternion_turn(state->orientation, turn);
}

void side_position(const struct response_side *side, const double *positions, const dent_rigid_state *rigid,
                   double out[3])
{
    if (side->kind == SIDE_VERTICES) {
        side_sum(side, positions, out);
    } else if (side->kind == SIDE_RIGID) {
        quaternion_rotate(rigid->orientation, side->point, out);
        vector_add_scaled(out, 1, rigid->center);
    } else {
        for (int i = 0; i < 3; i++) {
            out[i] = side->point[i];
        }
    }
}

void side_velocity(const struct response_side *side, const double *velocities, const dent_rigid_state *rigid,
                   double out[3])
{
    out[0] = out[1] = out[2] = 0;
    if (side->kind == SIDE_VERTICES && velocities) {
        side_sum(side, velocities, out);
    } else if (side->kind == SIDE_RIGID && rigid) {
        vector_cross(rigid->angular_velocity, side->arm, out);
        vector_add_scaled(out, 1, rigid->linear_velocity);
    }
}
