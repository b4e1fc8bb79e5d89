/* The audit: was momentum kept? It does not believe the sweeps. It compares the caller's numbers after the call with a
 * copy from before, node by node, adds what nodes that cannot move would have got, and sees whether the sum is zero.
 *
 *     linear   sum of m dv over what moved + impulses on what is fixed
 *     angular  sum of x cross m dv, of rigid bodies with I dw; x at entry. About the origin
 *
 * For forces m dv is the force times the time step, for positions it is m dx / time step. Bodies whose positions are
 * not given cannot be weighed by angle: there the contact's own point and impulse count, and no error is seen. Sums run
 * in the order of bodies and vertices: the same bits for any number of threads. */
#include <float.h>
#include <math.h>

#include "geometry/numbers/power_of_two.h"
#include "response/response_rows.h"

static double *changed_array(const dent_response_body *body, enum response_quantity quantity)
{
    return quantity == QUANTITY_POSITION   ? body->positions
           : quantity == QUANTITY_VELOCITY ? body->velocities
                                           : body->forces;
}

/* Six numbers of a rigid body's state that change, or nothing where the sums of the sweeps serve. */
enum { RIGID_NUMBERS = 6 };

dent_status response_audit_begin(struct response_work *work)
{
    const dent_response_problem *problem = work->problem;
    struct dynamic_array *entry = &work->response->entry;
    array_clear(entry);
    if (!problem->audit) {
        return DENT_OK;
    }
    for (uint32_t i = 0; i < problem->body_count; i++) {
        const dent_response_body *body = &problem->bodies[i];
        const double *array = changed_array(body, work->quantity);
        bool copied = true;
        work->states[i].entry = entry->count;
        if (body->rigid) {
            double numbers[RIGID_NUMBERS] = {0};
            if (work->quantity == QUANTITY_FORCE && body->rigid_forces) {
                memcpy(numbers, body->rigid_forces, sizeof numbers);
            } else if (work->quantity == QUANTITY_VELOCITY) {
                memcpy(numbers, body->rigid->linear_velocity, 3 * sizeof(double));
                memcpy(numbers + 3, body->rigid->angular_velocity, 3 * sizeof(double));
            } else if (work->quantity == QUANTITY_POSITION) {
                memcpy(numbers, body->rigid->center, 3 * sizeof(double));
            }
            copied = array_push_many(entry, numbers, RIGID_NUMBERS);
        } else if (array) {
            copied = array_push_many(entry, array, 3 * (size_t)body->vertex_count);
        }
        if (!copied) {
            return dent_fail(work->response->context, DENT_ERROR_OUT_OF_MEMORY, "no memory for the audit");
        }
    }
    return DENT_OK;
}

struct audit {
    struct response_work *work;
    dent_response_report *report;
    double scale;
    double moment[3]; /* change of angular momentum */
};

static void add_momentum(struct audit *audit, const double at[3], const double momentum[3])
{
    double moment[3];
    vector_cross(at, momentum, moment);
    vector_add_scaled(audit->report->momentum_error, 1, momentum);
    vector_add_scaled(audit->moment, 1, moment);
}

/* Without squares that overflow or vanish. */
static double length_of(const double v[3])
{
    double largest = fabs(v[0]) > fabs(v[1]) ? fabs(v[0]) : fabs(v[1]);
    largest = fabs(v[2]) > largest ? fabs(v[2]) : largest;
    if ((largest > 1e-140 && largest < 1e140) || !(largest > 0 && largest <= DBL_MAX)) {
        return sqrt(vector_dot(v, v));
    }
    const double scaled[3] = {v[0] / largest, v[1] / largest, v[2] / largest};
    return largest * sqrt(vector_dot(scaled, scaled));
}

/* The matrix whose inverse is given; false where it has none. Scaled to about 1, so that no product overflows. */
static bool invert3(const double matrix[9], double out[9])
{
    double determinant = 0, largest = 0, m[9];
    for (int i = 0; i < 9; i++) {
        largest = fabs(matrix[i]) > largest ? fabs(matrix[i]) : largest;
    }
    if (!(largest > 0 && largest <= DBL_MAX)) {
        return false;
    }
    int exponent = binary_exponent(largest);
    for (int i = 0; i < 9; i++) {
        m[i] = scale_by_power_of_two(matrix[i], -exponent);
    }
    largest = 0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            int a = (i + 1) % 3, b = (i + 2) % 3, c = (j + 1) % 3, d = (j + 2) % 3;
            out[3 * j + i] = m[3 * a + c] * m[3 * b + d] - m[3 * a + d] * m[3 * b + c];
            largest = fabs(m[3 * i + j]) > largest ? fabs(m[3 * i + j]) : largest;
        }
    }
    for (int j = 0; j < 3; j++) {
        determinant += m[j] * out[3 * j];
    }
    if (!(fabs(determinant) > 1e-12 * largest * largest * largest) || !(largest > 0)) {
        return false;
    }
    for (int i = 0; i < 9; i++) {
        out[i] = scale_by_power_of_two(out[i] / determinant, -exponent);
    }
    return true;
}

/* Where the copy before the call has this body's numbers. */
static const double *entry_of(const struct audit *audit, uint32_t number)
{
    return (const double *)audit->work->response->entry.data + audit->work->states[number].entry;
}

/* ---- what moved ---------------------------------------------------------------------------------------------- */

static void weigh_vertex(struct audit *audit, const dent_response_body *body, uint32_t vertex, const double *before)
{
    enum response_quantity quantity = audit->work->quantity;
    const double *after = changed_array(body, quantity) + 3 * (size_t)vertex;
    double inverse_mass = body->inverse_masses ? body->inverse_masses[vertex] : 0, momentum[3], factor;
    const double *at = quantity == QUANTITY_POSITION ? before
                       : body->positions             ? body->positions + 3 * (size_t)vertex
                                                     : NULL;
    static const double origin[3] = {0, 0, 0};
    if (quantity != QUANTITY_FORCE && !(inverse_mass > 0)) {
        return;
    }
    factor = quantity == QUANTITY_FORCE      ? audit->work->problem->time_step
             : quantity == QUANTITY_POSITION ? 1 / (inverse_mass * audit->work->problem->time_step)
                                             : 1 / inverse_mass;
    double energy = 0;
    for (int i = 0; i < 3; i++) {
        double change = after[i] - before[i];
        momentum[i] = factor * change;
        if (quantity == QUANTITY_VELOCITY) {
            energy += 0.5 * momentum[i] * (after[i] + before[i]);
        } else if (quantity == QUANTITY_POSITION) {
            const double *start = body->positions_start ? body->positions_start + 3 * (size_t)vertex : before;
            energy +=
                0.5 * momentum[i] * ((after[i] - start[i]) + (before[i] - start[i])) / audit->work->problem->time_step;
        } else if (body->velocities) {
            energy += momentum[i] * body->velocities[3 * (size_t)vertex + i];
        }
    }
    audit->report->energy_change += energy;
    add_momentum(audit, at ? at : origin, momentum);
}

static void weigh_rigid(struct audit *audit, uint32_t number, const double before[RIGID_NUMBERS])
{
    const struct response_work *work = audit->work;
    const dent_response_body *body = &work->problem->bodies[number];
    const struct response_body_state *state = &work->states[number];
    const dent_rigid_state *rigid = body->rigid;
    double momentum[3] = {0}, spin[3] = {0}, inertia[9];
    if (work->quantity == QUANTITY_FORCE) {
        for (int i = 0; i < 3 && body->rigid_forces; i++) {
            momentum[i] = (body->rigid_forces[i] - before[i]) * work->problem->time_step;
            spin[i] = (body->rigid_forces[3 + i] - before[3 + i]) * work->problem->time_step;
        }
        audit->report->energy_change +=
            vector_dot(momentum, rigid->linear_velocity) + vector_dot(spin, rigid->angular_velocity);
        add_momentum(audit, rigid->center, momentum);
        vector_add_scaled(audit->moment, 1, spin);
        return;
    }
    double unit = work->quantity == QUANTITY_POSITION ? 1 / work->problem->time_step : 1;
    const double *center = work->quantity == QUANTITY_POSITION ? before : rigid->center;
    if (rigid->inverse_mass > 0) {
        for (int i = 0; i < 3; i++) {
            double after = work->quantity == QUANTITY_POSITION ? rigid->center[i] : rigid->linear_velocity[i];
            momentum[i] = unit * (after - before[i]) / rigid->inverse_mass;
        }
        add_momentum(audit, center, momentum);
    }
    if (invert3(state->inverse_inertia, inertia)) {
        double turn[3];
        for (int i = 0; i < 3; i++) {
            turn[i] = work->quantity == QUANTITY_POSITION ? state->turn[i] * unit
                                                          : rigid->angular_velocity[i] - before[3 + i];
        }
        multiply3(inertia, turn, spin);
        vector_add_scaled(audit->moment, 1, spin);
    }
    if (work->quantity == QUANTITY_VELOCITY) {
        for (int i = 0; i < 3; i++) {
            audit->report->energy_change += 0.5 * momentum[i] * (rigid->linear_velocity[i] + before[i]) +
                                            0.5 * spin[i] * (rigid->angular_velocity[i] + before[3 + i]);
        }
    } else {
        const dent_rigid_state *start = body->rigid_start;
        for (int i = 0; i < 3; i++) {
            double from = start ? start->center[i] : before[i];
            audit->report->energy_change += 0.5 * momentum[i] * ((rigid->center[i] - from) + (before[i] - from)) * unit;
        }
    }
}

static void weigh_bodies(struct audit *audit)
{
    const dent_response_problem *problem = audit->work->problem;
    for (uint32_t i = 0; i < problem->body_count; i++) {
        const dent_response_body *body = &problem->bodies[i];
        if (body->rigid) {
            weigh_rigid(audit, i, entry_of(audit, i));
        } else if (changed_array(body, audit->work->quantity)) {
            for (uint32_t v = 0; v < body->vertex_count; v++) {
                weigh_vertex(audit, body, v, entry_of(audit, i) + 3 * (size_t)v);
            }
        }
    }
}

/* ---- what could not ---------------------------------------------------------------------------------------------- */

/* Where the side was at entry; false where nobody can say (the contact's own point serves). */
static bool entry_position(const struct audit *audit, const struct response_side *side, const double point[3],
                           double at[3])
{
    const dent_response_body *body = &audit->work->problem->bodies[side->body];
    memcpy(at, point, 3 * sizeof *at);
    if (side->kind == SIDE_RIGID) {
        const double *center =
            audit->work->quantity == QUANTITY_POSITION ? entry_of(audit, side->body) : body->rigid->center;
        for (int i = 0; i < 3; i++) {
            at[i] = center[i] + side->arm[i];
        }
        return true;
    }
    if (side->kind == SIDE_VERTICES && audit->work->quantity == QUANTITY_POSITION) {
        side_sum(side, entry_of(audit, side->body), at);
        return true;
    }
    if (side->kind == SIDE_VERTICES && body->positions) {
        side_sum(side, body->positions, at);
        return true;
    }
    return false;
}

/* Adds what fixed vertices, fixed bodies and arrays not wanted would have got. */
static void add_fixed_part(struct audit *audit, const struct response_side *side, double sign, const double impulse[3],
                           const double at[3], bool placed)
{
    const struct response_work *work = audit->work;
    const dent_response_body *body = &work->problem->bodies[side->body];
    double momentum[3] = {sign * impulse[0], sign * impulse[1], sign * impulse[2]}, moment[3], inertia[9];
    if (side->kind == SIDE_RIGID) {
        const double *center = work->quantity == QUANTITY_POSITION ? entry_of(audit, side->body) : body->rigid->center;
        bool forced = work->quantity == QUANTITY_FORCE;
        if (forced ? !body->rigid_forces : !(body->rigid->inverse_mass > 0)) {
            add_momentum(audit, center, momentum);
        }
        if (forced ? !body->rigid_forces : !invert3(work->states[side->body].inverse_inertia, inertia)) {
            vector_cross(side->arm, momentum, moment);
            vector_add_scaled(audit->moment, 1, moment);
        }
        return;
    }
    bool written = side->kind == SIDE_VERTICES && changed_array(body, work->quantity);
    if (!written) {
        add_momentum(audit, at, momentum);
        return;
    }
    const double *positions = work->quantity == QUANTITY_POSITION ? entry_of(audit, side->body) : body->positions;
    for (uint32_t i = 0; i < side->count; i++) {
        double share[3];
        if (work->quantity == QUANTITY_FORCE || side->inverse_masses[i] > 0) {
            continue;
        }
        for (int k = 0; k < 3; k++) {
            share[k] = side->weights[i] * momentum[k];
        }
        add_momentum(audit, placed ? positions + 3 * (size_t)side->vertices[i] : at, share);
    }
    if (!placed) { /* the vertices that moved were weighed at the origin: put their moment at the contact's point */
        for (uint32_t i = 0; i < side->count; i++) {
            if (work->quantity == QUANTITY_FORCE || side->inverse_masses[i] > 0) {
                vector_cross(at, momentum, moment);
                vector_add_scaled(audit->moment, side->weights[i], moment);
            }
        }
    }
}

static void audit_row(struct audit *audit, const struct response_row *row)
{
    const dent_contact *contact = &audit->work->problem->contacts[row->index];
    double impulse[3], at_a[3], at_b[3], apart[3], moment[3];
    for (int i = 0; i < 3; i++) {
        impulse[i] = audit->scale * (row->impulse * row->normal[i] + row->tangent[i]);
    }
    bool placed_a = entry_position(audit, &row->a, contact->point_a, at_a);
    bool placed_b = entry_position(audit, &row->b, contact->point_b, at_b);
    add_fixed_part(audit, &row->a, 1, impulse, at_a, placed_a);
    add_fixed_part(audit, &row->b, -1, impulse, at_b, placed_b);
    for (int i = 0; i < 3; i++) {
        apart[i] = at_a[i] - at_b[i];
    }
    vector_cross(apart, impulse, moment);
    vector_add_scaled(audit->report->angular_predicted, 1, moment);
    double size = length_of(impulse);
    audit->report->momentum_scale += size;
    audit->report->angular_scale += size * (length_of(at_a) + length_of(at_b));
}

void response_audit_end(struct response_work *work, double scale, dent_response_report *report)
{
    if (!work->problem->audit) {
        return;
    }
    struct audit audit = {work, report, scale, {0, 0, 0}};
    weigh_bodies(&audit);
    for (uint64_t i = 0; i < work->row_count; i++) {
        const struct response_row *row = &work->rows[i];
        if (row->impulse != 0 || vector_dot(row->tangent, row->tangent) > 0) {
            audit_row(&audit, row);
        }
    }
    for (int i = 0; i < 3; i++) {
        report->angular_error[i] = audit.moment[i] - report->angular_predicted[i];
    }
}
