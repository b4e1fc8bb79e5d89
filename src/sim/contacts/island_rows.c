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

/* The point of a side, on a rigid body at `pose`, else by its vertices at `positions`. */
static void side_point(const struct sim_model *model, const struct contact_set *contacts,
                       const struct contact_side *side, const dent_rigid_state *poses, const double *positions,
                       double point[3])
{
    uint32_t rigid = model->bodies[side->body].rigid;
    if (rigid != SIM_NONE) {
        dent_rigid_move_point(&contacts->rigid_detected[rigid], &poses[rigid], side->point, point);
        return;
    }
    point[0] = point[1] = point[2] = 0;
    for (int k = 0; k < 4; k++) {
        if (side->vertices[k] != SIM_NONE) {
            sim_add_scaled(point, side->weights[k], positions + 3 * (side->first + side->vertices[k]));
        }
    }
}

/* A direction that turned with a body since contacts were found. */
static void turned_direction(const struct sim_model *model, const struct contact_set *contacts, uint32_t body,
                             const dent_rigid_state *poses, const double *direction, double turned[3])
{
    uint32_t rigid = model->bodies[body].rigid;
    memcpy(turned, direction, 3 * sizeof *turned);
    if (rigid != SIM_NONE && memcmp(contacts->rigid_detected[rigid].orientation, poses[rigid].orientation,
                                    sizeof poses[rigid].orientation) != 0) {
        double before[9], after[9], local[3];
        rigid_rotation(contacts->rigid_detected[rigid].orientation, before);
        rigid_rotation(poses[rigid].orientation, after);
        for (int i = 0; i < 3; i++) {
            local[i] = before[i] * direction[0] + before[3 + i] * direction[1] + before[6 + i] * direction[2];
        }
        for (int i = 0; i < 3; i++) {
            turned[i] = sim_dot(after + 3 * i, local);
        }
        double length = sqrt(sim_dot(turned, turned));
        for (int i = 0; i < 3; i++) {
            turned[i] /= length;
        }
    }
}

/* The direction of an edge of a contact side. */
static void edge_direction(const struct sim_model *model, const struct contact_side *side,
                           const dent_rigid_state *poses, const double *positions, double direction[3])
{
    uint32_t rigid = model->bodies[side->body].rigid;
    if (rigid == SIM_NONE) {
        sim_subtract(positions + 3 * (side->first + side->vertices[1]),
                     positions + 3 * (side->first + side->vertices[0]), direction);
        return;
    }
    const double *local = model->rigids[rigid].local;
    double turn[9], along[3];
    sim_subtract(local + 3 * (size_t)side->vertices[1], local + 3 * (size_t)side->vertices[0], along);
    rigid_rotation(poses[rigid].orientation, turn);
    for (int i = 0; i < 3; i++) {
        direction[i] = sim_dot(turn + 3 * i, along);
    }
}

/* Two edges that are not nearly parallel have their common perpendicular as normal, however the bodies turn, and act
 * where their lines are nearest. False: keep the normal that was found, and the points. */
static bool measure_edges(const struct sim_model *model, const dent_contact *contact, const struct contact_side *sides,
                          const dent_rigid_state *poses, const double *positions, double points[2][3], double normal[3])
{
    double edges[2][3], cross[3], apart[3];
    for (int s = 0; s < 2; s++) {
        if (sides[s].vertices[0] == SIM_NONE || sides[s].vertices[1] == SIM_NONE) {
            return false;
        }
        edge_direction(model, &sides[s], poses, positions, edges[s]);
    }
    double aa = sim_dot(edges[0], edges[0]), bb = sim_dot(edges[1], edges[1]), ab = sim_dot(edges[0], edges[1]);
    sim_cross(edges[0], edges[1], cross);
    double square = sim_dot(cross, cross);
    if (!(square > 1e-2 * aa * bb)) {
        return false;
    }
    double length = sim_dot(cross, contact->normal) < 0 ? -sqrt(square) : sqrt(square);
    for (int i = 0; i < 3; i++) {
        normal[i] = cross[i] / length;
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

void row_measure(const struct islands_call *call, const struct island_body *bodies, struct island_row *row,
                        const dent_rigid_state *poses, const double *positions)
{
    const struct sim_model *model = call->model;
    const dent_contact *contact = &call->contacts->records[row->contact];
    struct contact_side sides[2] = {contact_side(model, contact, 0), contact_side(model, contact, 1)};
    double points[2][3], apart[3], found[3], acting[3];
    for (int s = 0; s < 2; s++) {
        side_point(model, call->contacts, &sides[s], poses, positions, points[s]);
    }
    bool edges = contact->kind == DENT_CONTACT_EDGE_EDGE;
    if (edges) {
        memcpy(row->normal, contact->normal, sizeof contact->normal);
        measure_edges(model, contact, sides, poses, positions, points, row->normal);
    } else {
        turned_direction(model, call->contacts, contact->body_b, poses, contact->normal, row->normal);
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
        struct contact_side side = contact_side(call->model, contact, s);
        double before[3], after[3];
        if (row->side[s] != SIM_NONE) {
            continue;
        }
        side_point(call->model, call->contacts, &side, NULL, call->start, before);
        side_point(call->model, call->contacts, &side, NULL, call->state->positions, after);
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
