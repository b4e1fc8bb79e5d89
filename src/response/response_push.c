/* One impulse, both sides: +p on a and -p on b, through the masses at the vertices or the inertia of a rigid body, into
 * positions or velocities, whichever the response moves. That the two are the same number with two signs is all there
 * is to the conservation of momentum. */
#include "response/response_rows.h"

#include <float.h>

static void push_rigid(struct response_work *work, const struct response_side *side, double sign, const double push[3])
{
    struct response_body_state *state = &work->states[side->body];
    dent_rigid_state *rigid = work->problem->bodies[side->body].rigid;
    double moment[3], turn[3];
    if (state->node_count == 0) {
        return;
    }
    vector_cross(side->arm, push, moment);
    multiply3(state->inverse_inertia, moment, turn);
    for (int i = 0; i < 3; i++) {
        turn[i] *= sign;
    }
    double step = sign * rigid->inverse_mass;
    if (work->quantity == QUANTITY_POSITION) {
        vector_add_scaled(rigid->center, step, push);
        quaternion_turn(rigid->orientation, turn);
        vector_add_scaled(state->turn, 1,
                          turn); /* the snapshot does not tell how far it was turned to the last digit */
    } else {
        vector_add_scaled(rigid->linear_velocity, step, push);
        vector_add_scaled(rigid->angular_velocity, 1, turn);
    }
}

static void push_side(struct response_work *work, const struct response_side *side, double sign, const double push[3])
{
    if (side->kind == SIDE_RIGID) {
        push_rigid(work, side, sign, push);
    } else if (side->kind == SIDE_VERTICES) {
        const dent_response_body *body = &work->problem->bodies[side->body];
        double *array = work->quantity == QUANTITY_POSITION ? body->positions : body->velocities;
        for (uint32_t i = 0; i < side->count; i++) {
            if (side->inverse_masses[i] > 0) {
                vector_add_scaled(array + 3 * (size_t)side->vertices[i],
                                  sign * side->weights[i] * side->inverse_masses[i], push);
            }
        }
    }
}

bool response_push(struct response_work *work, struct response_row *row, const double push[3])
{
    double size = vector_dot(push, push);
    if (!(size <= DBL_MAX)) { /* overflow or NaN: never into the caller's numbers */
        row->state = DENT_ACTION_REJECTED;
        return false;
    }
    if (size > 0) {
        push_side(work, &row->a, 1, push);
        push_side(work, &row->b, -1, push);
    }
    return true;
}

bool response_push_tangent(struct response_work *work, struct response_row *row, double wanted[3], double push[3])
{
    double length = sqrt(vector_dot(wanted, wanted));
    row->state = DENT_ACTION_STICKING;
    if (length > row->material.friction_static * row->impulse) {
        double share = row->material.friction_kinetic * row->impulse / length;
        row->state = DENT_ACTION_SLIDING;
        for (int i = 0; i < 3; i++) {
            wanted[i] *= share;
        }
    }
    for (int i = 0; i < 3; i++) {
        push[i] = wanted[i] - row->tangent[i];
    }
    if (!response_push(work, row, push)) {
        return false;
    }
    vector_copy(wanted, row->tangent);
    return true;
}

/* ---- forces, for the responses that move nothing -------------------------------------------------------------- */

static void add_side_force(const struct response_work *work, const struct response_side *side, double sign,
                           const double force[3])
{
    const dent_response_body *body = &work->problem->bodies[side->body];
    if (side->kind == SIDE_RIGID && body->rigid_forces) {
        double torque[3];
        vector_cross(side->arm, force, torque);
        vector_add_scaled(body->rigid_forces, sign, force);
        vector_add_scaled(body->rigid_forces + 3, sign, torque);
    } else if (side->kind == SIDE_VERTICES && body->forces) {
        for (uint32_t i = 0; i < side->count; i++) {
            vector_add_scaled(body->forces + 3 * (size_t)side->vertices[i], sign * side->weights[i], force);
        }
    }
}

void response_add_forces(struct response_work *work)
{
    for (uint64_t i = 0; i < work->row_count; i++) {
        struct response_row *row = &work->rows[i];
        if (row->state == DENT_ACTION_STICKING || row->state == DENT_ACTION_SLIDING) {
            double force[3] = {row->tangent[0], row->tangent[1], row->tangent[2]};
            vector_add_scaled(force, row->impulse, row->normal);
            add_side_force(work, &row->a, 1, force);
            add_side_force(work, &row->b, -1, force);
        }
    }
}
