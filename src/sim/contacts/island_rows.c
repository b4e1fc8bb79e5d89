/* The geometry of a contact of an island: its normal, arms and gap where the bodies are, and how its prescribed sides move.
 *
 * A contact was found at the beginning of the interval. Since then its points moved with their bodies, and its normal
 * turned with side b, or is the common perpendicular of two edges. The point at which it acts is one point for both
 * sides, so angular momentum is kept. */
#include "island_stages.h"

#include <math.h>
#include <string.h>

/* Depths whose error is not below them are estimates: this share of them counts. */
#define UNCERTAIN_SHARE 0.25

/* The point of a prescribed side. */
static void carried_point(const struct contact_side *side, const double *positions, double point[3])
{
    point[0] = point[1] = point[2] = 0;
    for (int k = 0; k < 4; k++) {
        if (side->vertices[k] != SIM_NONE) {
            sim_add_scaled(point, side->weights[k], positions + 3 * (side->first + side->vertices[k]));
        }
    }
}

static void rotate(const double turn[9], const double *vector, double out[3])
{
    for (int i = 0; i < 3; i++) {
        out[i] = sim_dot(turn + 3 * i, vector);
    }
}

static void rotate_back(const double turn[9], const double *vector, double out[3])
{
    for (int i = 0; i < 3; i++) {
        out[i] = turn[i] * vector[0] + turn[3 + i] * vector[1] + turn[6 + i] * vector[2];
    }
}

/* The contact in the frames of its bodies, from the poses at which it was found. Once in an interval. */
static void place_row(const struct islands_call *call, const struct island_body *bodies, struct island_row *row)
{
    const dent_contact *contact = &call->contacts->records[row->contact];
    const double *points[2] = {contact->point_a, contact->point_b};
    for (int s = 0; s < 2; s++) {
        if (row->side[s] != SIM_NONE) {
            const dent_rigid_state *found = &call->contacts->rigid_detected[bodies[row->side[s]].rigid];
            double turn[9], arm[3];
            rigid_rotation(found->orientation, turn);
            sim_subtract(points[s], found->center, arm);
            rotate_back(turn, arm, row->local[s]);
            if (s == 1) {
                rotate_back(turn, contact->normal, row->local_normal);
            }
        }
    }
    row->placed = true;
}

void islands_turn_bodies(const struct island_problem *problem, const dent_rigid_state *poses)
{
    for (uint32_t i = 0; i < problem->island->body_count; i++) {
        rigid_rotation(poses[problem->bodies[i].rigid].orientation, problem->bodies[i].turn);
    }
}

/* The direction of an edge of a contact side. */
static void edge_direction(const struct sim_model *model, const struct contact_side *side,
                           const struct island_body *body, const double *positions, double direction[3])
{
    if (!body) {
        sim_subtract(positions + 3 * (side->first + side->vertices[1]),
                     positions + 3 * (side->first + side->vertices[0]), direction);
        return;
    }
    const double *local = model->rigids[body->rigid].local;
    double along[3];
    sim_subtract(local + 3 * (size_t)side->vertices[1], local + 3 * (size_t)side->vertices[0], along);
    rotate(body->turn, along, direction);
}

/* Two edges that are not nearly parallel have their common perpendicular as normal, however the bodies turn, and act
 * where their lines are nearest. False: keep the normal that was found, and the points. */
static bool measure_edges(const struct sim_model *model, const dent_contact *contact, const struct contact_side *sides,
                          const struct island_body *bodies, struct island_row *row, const double *positions,
                          double points[2][3])
{
    double edges[2][3], cross[3], apart[3];
    for (int s = 0; s < 2; s++) {
        if (sides[s].vertices[0] == SIM_NONE || sides[s].vertices[1] == SIM_NONE) {
            return false;
        }
        const struct island_body *body = row->side[s] != SIM_NONE ? &bodies[row->side[s]] : NULL;
        edge_direction(model, &sides[s], body, positions, edges[s]);
    }
    double aa = sim_dot(edges[0], edges[0]), bb = sim_dot(edges[1], edges[1]), ab = sim_dot(edges[0], edges[1]);
    sim_cross(edges[0], edges[1], cross);
    double square = sim_dot(cross, cross);
    if (!(square > 1e-2 * aa * bb)) {
        return false;
    }
    double length = sim_dot(cross, contact->normal) < 0 ? -sqrt(square) : sqrt(square);
    for (int i = 0; i < 3; i++) {
        row->normal[i] = cross[i] / length;
    }
    sim_subtract(points[1], points[0], apart);
    double da = sim_dot(apart, edges[0]), db = sim_dot(apart, edges[1]);
    sim_add_scaled(points[0], (da * bb - db * ab) / square, edges[0]);
    sim_add_scaled(points[1], (da * ab - db * aa) / square, edges[1]);
    return true;
}

/* Depths that are estimates count in part. */
static double certain_gap(const dent_contact *contact)
{
    bool uncertain = contact->gap < 0 && contact->error >= -contact->gap;
    return uncertain ? UNCERTAIN_SHARE * contact->gap : contact->gap;
}

/* Where the points of the sides are. */
static void place_points(const struct contact_side *sides, const struct island_body *bodies,
                         const struct island_row *row, const dent_rigid_state *poses, const double *positions,
                         double points[2][3])
{
    for (int s = 0; s < 2; s++) {
        if (row->side[s] == SIM_NONE) {
            carried_point(&sides[s], positions, points[s]);
        } else {
            const struct island_body *body = &bodies[row->side[s]];
            rotate(body->turn, row->local[s], points[s]);
            sim_add_scaled(points[s], 1, poses[body->rigid].center);
        }
    }
}

void row_measure(const struct islands_call *call, const struct island_body *bodies, struct island_row *row,
                 const dent_rigid_state *poses, const double *positions)
{
    const struct sim_model *model = call->model;
    const dent_contact *contact = &call->contacts->records[row->contact];
    bool edges = contact->kind == DENT_CONTACT_EDGE_EDGE;
    struct contact_side sides[2] = {contact_side(model, contact, 0), contact_side(model, contact, 1)};
    double points[2][3], apart[3], found[3], acting[3];
    if (!row->placed) {
        place_row(call, bodies, row);
    }
    place_points(sides, bodies, row, poses, positions, points);
    if (edges) {
        memcpy(row->normal, contact->normal, sizeof contact->normal);
        measure_edges(model, contact, sides, bodies, row, positions, points);
    } else if (row->side[1] != SIM_NONE) {
        rotate(bodies[row->side[1]].turn, row->local_normal, row->normal);
        double length = sqrt(sim_dot(row->normal, row->normal));
        for (int i = 0; i < 3; i++) {
            row->normal[i] /= length;
        }
    } else {
        memcpy(row->normal, contact->normal, sizeof contact->normal);
    }
    sim_subtract(points[0], points[1], apart);
    sim_subtract(contact->point_a, contact->point_b, found);
    row->gap = certain_gap(contact) + (sim_dot(row->normal, apart) - sim_dot(contact->normal, found));
    for (int i = 0; i < 3; i++) {
        acting[i] = edges ? 0.5 * (points[0][i] + points[1][i]) : points[0][i];
    }
    for (int s = 0; s < 2; s++) {
        if (row->side[s] != SIM_NONE) {
            sim_subtract(acting, poses[bodies[row->side[s]].rigid].center, row->arm[s]);
        }
    }
}

void row_measure_drift(const struct islands_call *call, struct island_row *row)
{
    const dent_contact *contact = &call->contacts->records[row->contact];
    row->drift[0] = row->drift[1] = row->drift[2] = 0;
    for (int s = 0; s < 2; s++) {
        double before[3], after[3];
        if (row->side[s] != SIM_NONE) {
            continue;
        }
        struct contact_side side = contact_side(call->model, contact, s);
        carried_point(&side, call->start, before);
        carried_point(&side, call->state->positions, after);
        for (int i = 0; i < 3; i++) {
            row->drift[i] += side.sign * (after[i] - before[i]) / call->model->substep;
        }
    }
    row->moving = row->drift[0] != 0 || row->drift[1] != 0 || row->drift[2] != 0;
}

double row_least_overlap(const struct sim_model *model, const dent_contact *contact)
{
    double rest = model->bodies[contact->body_a].thickness + model->bodies[contact->body_b].thickness;
    return rest > 0 ? 1e-4 * rest : 1e-7 * model->mean_edge;
}
