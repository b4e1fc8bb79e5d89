/* Rigid bodies with elastic solids bonded to them: a tooth in its ligament.
 *
 * Vertices that a hard attachment ties to a rigid body become part of it: their mass is added to the body's and they
 * move with it. So the body is an unknown of the minimisation with the elements around it, and the forces through the
 * bond are as exact as the elasticity. Only vertices of solids that are held elsewhere and touch nothing are bonded;
 * other hard attachments are stiff springs (minimise_terms.c). */
#include "rigid_bonds.h"

#include <string.h>

static bool is_host(const struct sim_model *model, uint32_t body)
{
    for (uint32_t b = 0; b < model->body_count; b++) {
        if (model->bodies[b].kind == DENT_SIM_EMBEDDED && model->bodies[b].host == body) {
            return true;
        }
    }
    return false;
}

static bool may_bond(const struct sim_model *model, const struct sim_attachment *tie)
{
    if (tie->compliance > 0 || tie->length > 0 || tie->body_b == SIM_NONE ||
        model->bodies[tie->body_b].rigid == SIM_NONE) {
        return false;
    }
    const struct sim_body *solid = &model->bodies[tie->body_a];
    return solid->kind == DENT_SIM_SOLID && solid->fixed_count > 0 && solid->collision_mask == 0 &&
           model->inverse_masses[tie->vertex_a] > 0 && !is_host(model, tie->body_a);
}

static void bond(struct sim_model *model, uint32_t attachment, struct rigid_bond *bond)
{
    struct sim_attachment *tie = &model->attachments[attachment];
    const struct sim_body *owner = &model->bodies[tie->body_b];
    const double *local = model->rigids[owner->rigid].local;
    *bond = (struct rigid_bond){tie->vertex_a, attachment, owner->rigid, 0, {0, 0, 0}};
    for (int k = 0; k < 4; k++) {
        if (tie->vertices_b[k] != SIM_NONE) {
            sim_add_scaled(bond->local, tie->weights_b[k],
                           local + 3 * (size_t)(tie->vertices_b[k] - owner->first_vertex));
        }
    }
    tie->bonded = true;
    model->inverse_masses[tie->vertex_a] = 0; /* the body moves it from now on */
}

/* Mass, centre and inertia of the body with its bonded vertices. */
static void add_masses(struct sim_model *model, struct sim_state *state, uint32_t rigid, struct rigid_bond *bonds,
                       uint32_t count)
{
    double moments[10] = {0}, shift[3]; /* mass, first, second (xx xy xz yy yz zz), in the body's frame */
    for (uint32_t k = 0; k < count; k++) {
        double mass = model->masses[bonds[k].vertex];
        const double *at = bonds[k].local;
        moments[0] += mass;
        sim_add_scaled(moments + 1, mass, at);
        for (int i = 0, n = 4; i < 3; i++) {
            for (int j = i; j < 3; j++, n++) {
                moments[n] += mass * at[i] * at[j];
            }
        }
    }
    rigid_add_mass(model, state, rigid, moments, shift);
    for (uint32_t k = 0; k < count; k++) {
        sim_subtract(bonds[k].local, shift, bonds[k].local);
    }
}

dent_status bonds_find(struct sim_model *model, struct sim_state *state)
{
    struct rigid_bonds *bonds = sim_allocate(model, 1, sizeof *bonds);
    if (!bonds) {
        return sim_no_memory(model->context);
    }
    model->bonds = bonds;
    bonds->bonds = sim_allocate(model, model->attachment_count, sizeof *bonds->bonds);
    bonds->starts = sim_allocate(model, (size_t)model->rigid_count + 1, sizeof *bonds->starts);
    if (!bonds->bonds || !bonds->starts) {
        return sim_no_memory(model->context);
    }
    for (uint32_t r = 0; r < model->rigid_count; r++) {
        uint32_t first = bonds->bond_count;
        for (uint32_t n = 0; n < model->attachment_count; n++) {
            if (model->attachments[n].body_b == model->rigids[r].body && may_bond(model, &model->attachments[n])) {
                bond(model, n, &bonds->bonds[bonds->bond_count++]);
            }
        }
        if (bonds->bond_count > first) {
            add_masses(model, state, r, bonds->bonds + first, bonds->bond_count - first);
        }
        bonds->starts[r + 1] = bonds->bond_count;
    }
    return DENT_OK;
}

void bonds_collect_loads(const struct sim_model *model, const struct sim_state *state, struct load_work *loads)
{
    for (uint32_t k = 0; k < model->bonds->bond_count && loads->forces; k++) {
        const struct rigid_bond *bond = &model->bonds->bonds[k];
        loads_add_to_rigid(model, state, loads, bond->rigid, state->positions + 3 * (size_t)bond->vertex,
                           loads->forces + 3 * (size_t)bond->vertex);
    }
}

struct bond_call {
    const struct sim_model *model;
    const struct sim_state *state;
    const dent_rigid_state *rigids;
    double *vector;
};

/* For each rigid body, where there are bonds. */
static void for_rigids(const struct sim_model *model, dent_block_function *function, struct bond_call *call)
{
    if (model->bonds->bond_count > 0) {
        dent_parallel_for(model->context, model->rigid_count, function, call);
    }
}

static void place_task(void *data, uint32_t r, uint32_t worker)
{
    (void)worker;
    const struct bond_call *call = data;
    const struct rigid_bonds *bonds = call->model->bonds;
    double turn[9];
    rigid_rotation(call->rigids[r].orientation, turn);
    for (uint32_t k = bonds->starts[r]; k < bonds->starts[r + 1]; k++) {
        double *x = call->vector + 3 * (size_t)bonds->bonds[k].vertex;
        for (int axis = 0; axis < 3; axis++) {
            x[axis] = call->rigids[r].center[axis] + sim_dot(turn + 3 * axis, bonds->bonds[k].local);
        }
    }
}

void bonds_place_vertices(const struct sim_model *model, const dent_rigid_state *rigids, double *positions)
{
    struct bond_call call = {model, NULL, rigids, positions};
    for_rigids(model, place_task, &call);
}

void bonds_expand(const struct sim_model *model, const struct sim_state *state, double *direction)
{
    for (uint32_t k = 0; k < model->bonds->bond_count; k++) {
        const struct rigid_bond *bond = &model->bonds->bonds[k];
        const double *six = direction + 3 * (size_t)model->vertex_count + 6 * (size_t)bond->rigid;
        double arm[3], *d = direction + 3 * (size_t)bond->vertex;
        sim_subtract(state->positions + 3 * (size_t)bond->vertex, state->rigids[bond->rigid].center, arm);
        sim_cross(six + 3, arm, d);
        sim_add_scaled(d, 1, six);
    }
}

static void contract_task(void *data, uint32_t r, uint32_t worker)
{
    (void)worker;
    const struct bond_call *call = data;
    const struct rigid_bonds *bonds = call->model->bonds;
    double *six = call->vector + 3 * (size_t)call->model->vertex_count + 6 * (size_t)r;
    for (uint32_t k = bonds->starts[r]; k < bonds->starts[r + 1]; k++) {
        size_t v = bonds->bonds[k].vertex;
        double arm[3], moment[3], *f = call->vector + 3 * v;
        sim_subtract(call->state->positions + 3 * v, call->state->rigids[r].center, arm);
        sim_cross(arm, f, moment);
        sim_add_scaled(six, 1, f);
        sim_add_scaled(six + 3, 1, moment);
        f[0] = f[1] = f[2] = 0;
    }
}

void bonds_contract(const struct sim_model *model, const struct sim_state *state, double *forces)
{
    struct bond_call call = {model, state, NULL, forces};
    for_rigids(model, contract_task, &call);
}
