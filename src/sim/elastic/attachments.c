/* Attachments and grabs: constraints between two points, each carried by up to four vertices or by a rigid body.
 *
 * Position corrections as in XPBD (Macklin, Mueller and Chentanez 2016): with C = |a - b| - length and generalised
 * inverse masses W, the multiplier changes by -(C + alpha lambda) / (W + alpha), alpha = compliance / h^2. Rigid bodies
 * turn by their inverse inertia (Mueller et al. 2020). Taken one after the other in the order of the def. Hard
 * attachments carry their force into the elastic sweep as contacts do (contacts/contact_forces.c), so that what hangs on them
 * hangs still. A grab is a soft attachment to a point in space whose stiffness follows from the mass it pulls, so that
 * it can break nothing. */
#include "rigid_bonds.h"

#include <math.h>
#include <string.h>

enum { TIE_SWEEPS = 4 }; /* a body on several ties comes to rest with four, and trembles with one */

/* One end: vertices with weights, or a point of a rigid body, or a point in space (nothing moves). */
struct end {
    dent_rigid_state *rigid;
    double inverse[9]; /* inertia of the rigid body in space */
    uint32_t vertices[4];
    double weights[4];
    double point[3];
};

static struct end make_end(const struct sim_model *model, struct sim_state *state, uint32_t body,
                           const uint32_t *vertices, const double *weights)
{
    struct end end = {.rigid = NULL, .point = {0, 0, 0}};
    const struct sim_body *owner = &model->bodies[body];
    /* Vertices of rigid bodies are placed after the corrections: add them in the body's frame, and ask the pose. */
    bool is_rigid = owner->rigid != SIM_NONE;
    const double *positions = is_rigid ? model->rigids[owner->rigid].local : state->positions;
    uint32_t first = is_rigid ? owner->first_vertex : 0;
    for (int k = 0; k < 4; k++) {
        end.vertices[k] = vertices[k];
        end.weights[k] = vertices[k] == SIM_NONE ? 0 : weights[k];
        if (vertices[k] != SIM_NONE) {
            sim_add_scaled(end.point, weights[k], positions + 3 * (size_t)(vertices[k] - first));
        }
    }
    if (is_rigid) {
        double turn[9], local[3] = {end.point[0], end.point[1], end.point[2]};
        end.rigid = &state->rigids[owner->rigid];
        rigid_rotation(end.rigid->orientation, turn);
        dent_rigid_inverse_inertia(end.rigid, end.inverse);
        for (int axis = 0; axis < 3; axis++) {
            end.point[axis] = end.rigid->center[axis] + sim_dot(turn + 3 * axis, local);
        }
    }
    return end;
}

static double end_inverse_mass(const struct sim_model *model, const struct end *end, const double *direction)
{
    double sum = 0;
    if (end->rigid) {
        double arm[3], moment[3];
        sim_subtract(end->point, end->rigid->center, arm);
        sim_cross(arm, direction, moment);
        for (int i = 0; i < 3; i++) {
            sum += moment[i] * sim_dot(end->inverse + 3 * i, moment);
        }
        return sum + end->rigid->inverse_mass;
    }
    for (int k = 0; k < 4; k++) {
        if (end->vertices[k] != SIM_NONE) {
            sum += end->weights[k] * end->weights[k] * model->inverse_masses[end->vertices[k]];
        }
    }
    return sum;
}

/* Moves an end by the impulse-like `push`. */
static void push_end(const struct sim_model *model, struct sim_state *state, const struct end *end, const double *push)
{
    if (end->rigid) {
        double arm[3], moment[3], angle[3];
        sim_subtract(end->point, end->rigid->center, arm);
        sim_cross(arm, push, moment);
        for (int i = 0; i < 3; i++) {
            angle[i] = sim_dot(end->inverse + 3 * i, moment);
        }
        sim_add_scaled(end->rigid->center, end->rigid->inverse_mass, push);
        rigid_turn(end->rigid, angle);
        return;
    }
    for (int k = 0; k < 4; k++) {
        if (end->vertices[k] != SIM_NONE) {
            sim_add_scaled(state->positions + 3 * (size_t)end->vertices[k],
                           end->weights[k] * model->inverse_masses[end->vertices[k]], push);
        }
    }
}

static void solve_ends(const struct sim_model *model, struct sim_state *state, const struct end *a, const struct end *b,
                       double length, double alpha, struct tie_sums *sums)
{
    double direction[3], distance;
    sim_subtract(a->point, b->point, direction);
    distance = sqrt(sim_dot(direction, direction));
    if (!(distance > 0)) {
        return;
    }
    for (int axis = 0; axis < 3; axis++) {
        direction[axis] /= distance;
    }
    double weight = end_inverse_mass(model, a, direction) + end_inverse_mass(model, b, direction);
    if (!(weight + alpha > 0) || !(weight > 0)) {
        return;
    }
    double change = -(distance - length + alpha * sums->lambda) / (weight + alpha);
    sums->lambda += change;
    double push[3] = {change * direction[0], change * direction[1], change * direction[2]};
    double back[3] = {-push[0], -push[1], -push[2]};
    push_end(model, state, a, push);
    push_end(model, state, b, back);
    sim_add_scaled(sums->pushed, 1, push);
}

static struct end end_in_space(const double *point)
{
    struct end end = {.rigid = NULL, .vertices = {SIM_NONE, SIM_NONE, SIM_NONE, SIM_NONE}};
    memcpy(end.point, point, sizeof end.point);
    return end;
}

/* Both ends of an attachment, at the present positions. */
static void make_ends(const struct sim_model *model, struct sim_state *state, const struct sim_attachment *tie,
                      struct end *a, struct end *b)
{
    static const double whole[4] = {1, 0, 0, 0};
    const uint32_t vertices[4] = {tie->vertex_a, SIM_NONE, SIM_NONE, SIM_NONE};
    *a = make_end(model, state, tie->body_a, vertices, whole);
    *b = tie->body_b == SIM_NONE ? end_in_space(tie->point)
                                 : make_end(model, state, tie->body_b, tie->vertices_b, tie->weights_b);
}

/* Of the mobility of the elastic vertices, the part that is inertia; 1: nothing is carried. */
static double share_of(const struct sim_model *model, const struct sim_attachment *tie)
{
    double all = 0, inertia = 0;
    for (int k = 0; k < 5; k++) {
        uint32_t v = k < 4 ? tie->vertices_b[k] : tie->vertex_a;
        double weight = k < 4 ? tie->weights_b[k] : 1;
        if (v != SIM_NONE && model->inverse_masses[v] > 0) {
            all += weight * weight * model->inverse_masses[v];
            inertia += weight * weight * model->inverse_masses[v] * model->inertia_shares[v];
        }
    }
    return all > 0 && tie->compliance == 0 ? inertia / all : 1;
}

dent_status attachments_build(struct sim_model *model, struct elastic_work *work)
{
    work->tie_sums = sim_allocate(model, model->attachment_count, sizeof *work->tie_sums);
    if (!work->tie_sums) {
        return sim_no_memory(model->context);
    }
    for (uint32_t n = 0; n < model->attachment_count; n++) {
        model->attachments[n].share = share_of(model, &model->attachments[n]);
        model->free_ties = model->free_ties || !model->attachments[n].bonded;
    }
    return DENT_OK;
}

/* Gives `push` to an end: to the elastic sweep all of it, to a rigid body what will not be taken out. */
static void carry_end(const struct sim_model *model, struct carried_forces *carried, const struct end *end,
                      double share, double sign, const double *push)
{
    if (end->rigid) {
        double arm[3], moment[3], factor = sign * (1 - share) / model->substep;
        sim_subtract(end->point, end->rigid->center, arm);
        sim_cross(arm, push, moment);
        for (int i = 0; i < 3; i++) {
            end->rigid->linear_velocity[i] += factor * end->rigid->inverse_mass * push[i];
            end->rigid->angular_velocity[i] += factor * sim_dot(end->inverse + 3 * i, moment);
        }
        return;
    }
    for (int k = 0; k < 4; k++) {
        if (end->vertices[k] != SIM_NONE) {
            double move = sign * end->weights[k] * model->inverse_masses[end->vertices[k]];
            carried_add(carried, end->vertices[k], share, move, push);
        }
    }
}

/* Of a push of this size, the part that moves no vertex further than `carried_part` allows. */
static double end_part(const struct sim_model *model, const struct end *end, double share, double size)
{
    double part = 1;
    for (int k = 0; k < 4 && !end->rigid; k++) {
        if (end->vertices[k] != SIM_NONE) {
            double here = carried_part(model, end->vertices[k], share,
                                       fabs(end->weights[k]) * model->inverse_masses[end->vertices[k]] * size);
            part = here < part ? here : part;
        }
    }
    return part;
}

void attachments_carry(const struct sim_model *model, struct sim_state *state, struct elastic_work *work)
{
    for (uint32_t n = 0; n < model->attachment_count && model->free_ties; n++) {
        const struct sim_attachment *tie = &model->attachments[n];
        double *push = state->tie_pushes + 3 * (size_t)n;
        struct end a, b;
        if (!tie->bonded && tie->share < 1 && sim_dot(push, push) > 0) {
            make_ends(model, state, tie, &a, &b);
            double size = sqrt(sim_dot(push, push)), part_a = end_part(model, &a, tie->share, size);
            double part_b = end_part(model, &b, tie->share, size), part = part_a < part_b ? part_a : part_b;
            for (int axis = 0; axis < 3 && part < 1; axis++) {
                push[axis] *= part;
            }
            carry_end(model, &work->carried, &a, tie->share, 1, push);
            carry_end(model, &work->carried, &b, tie->share, -1, push);
        }
    }
}

void attachments_solve(const struct sim_model *model, struct sim_state *state, struct elastic_work *work)
{
    double h = model->substep;
    if (!model->free_ties) {
        return;
    }
    for (uint32_t n = 0; n < model->attachment_count; n++) {
        work->tie_sums[n] = (struct tie_sums){0};
    }
    for (uint32_t n = 0; n < TIE_SWEEPS * model->attachment_count; n++) {
        uint32_t number = n % model->attachment_count;
        const struct sim_attachment *tie = &model->attachments[number];
        struct end a, b;
        if (tie->bonded) {
            continue;
        }
        make_ends(model, state, tie, &a, &b);
        solve_ends(model, state, &a, &b, tie->length, tie->compliance / (h * h), &work->tie_sums[number]);
    }
    for (uint32_t n = 0; n < model->attachment_count; n++) {
        const struct sim_attachment *tie = &model->attachments[n];
        const double *pushed = work->tie_sums[n].pushed;
        double *carried = state->tie_pushes + 3 * (size_t)n;
        /* As for contacts: what acted, or less when it lets go. */
        double acted[3];
        for (int axis = 0; axis < 3; axis++) {
            acted[axis] = (1 - tie->share) * carried[axis] + pushed[axis];
        }
        bool lets_go = sim_dot(pushed, pushed) < tie->share * tie->share * sim_dot(acted, acted);
        for (int axis = 0; axis < 3; axis++) {
            carried[axis] = lets_go ? pushed[axis] / tie->share : acted[axis];
        }
    }
}

/* A body that is held as stiffly as it is light would not feel that: there the grab is a spring half as stiff as what
 * holds the body, in the same equations. */
void grabs_add_to_blocks(const struct sim_model *model, struct sim_state *state, struct elastic_work *work)
{
    static const double whole[4] = {1, 0, 0, 0};
    for (uint32_t n = 0; n < state->grab_count; n++) {
        const struct sim_grab *grab = &state->grabs[n];
        struct rigid_block *block = bonds_block(model, work, grab->body);
        if (!block) {
            continue;
        }
        uint32_t vertices[4] = {model->bodies[grab->body].first_vertex + grab->vertex, SIM_NONE, SIM_NONE, SIM_NONE};
        struct end end = make_end(model, state, grab->body, vertices, whole);
        double displacement[3], force[3], length;
        sim_subtract(grab->target, end.point, displacement);
        length = sqrt(sim_dot(displacement, displacement));
        if (length > 0) {
            double unit[3] = {displacement[0] / length, displacement[1] / length, displacement[2] / length};
            double stiffness = 0.5 / bonds_compliance(state, block, end.point, unit);
            for (int axis = 0; axis < 3; axis++) {
                force[axis] = stiffness * displacement[axis];
            }
            bonds_add_spring(state, block, end.point, force, unit, stiffness, stiffness);
        }
    }
}

/* A grab pulls with the strength that would bring the mass it holds to its target in about ten substeps. */
void grabs_solve(const struct sim_model *model, struct sim_state *state, struct elastic_work *work)
{
    static const double whole[4] = {1, 0, 0, 0};
    for (uint32_t n = 0; n < state->grab_count; n++) {
        const struct sim_grab *grab = &state->grabs[n];
        uint32_t vertices[4] = {model->bodies[grab->body].first_vertex + grab->vertex, SIM_NONE, SIM_NONE, SIM_NONE};
        if (bonds_block(model, work, grab->body)) {
            continue;
        }
        struct end a = make_end(model, state, grab->body, vertices, whole), b = end_in_space(grab->target);
        double direction[3] = {1, 0, 0};
        struct tie_sums sums = {0};
        double weight = end_inverse_mass(model, &a, direction);
        solve_ends(model, state, &a, &b, 0, 9 * weight, &sums);
    }
}
