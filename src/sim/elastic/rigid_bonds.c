/* Rigid bodies with elastic solids bonded to them: a tooth in its ligament.
 *
 * Ties that are solved after the elastic sweep hand on no more force than the inertia of a vertex can carry in a
 * substep: for a light stiff solid a small part of the truth. So vertices that a hard attachment ties to a rigid body
 * become part of it: their mass is added to the body's, they move with it, and the body is a block of the sweep. After
 * each sweep over the vertices it goes to the minimum over its six degrees of freedom of
 *
 *     inertia + energy of the edges and tetrahedra between bonded and other vertices + springs of its contacts,
 *
 * by one step of Gauss and Newton: exact in translation, where the energy is quadratic (the volume of a tetrahedron is
 * linear in a common translation of some of its corners), and to first order in the angle. The matrix is made once per
 * detection (with springs: in every sweep); forces in every sweep (block_equations.c). Elements with bonded corners
 * only do not change. Contact forces are carried as for elastic vertices (contact_forces.c), with the share that the
 * block itself answers.
 *
 * Soft attachments of a rigid body to space or to a prescribed body are springs of the same sum, for the same reason.
 *
 * Only vertices of solids that are held elsewhere and touch nothing are bonded: nobody else pushes them, and momentum,
 * which the unfinished sweep keeps to its accuracy only, goes to what holds the solid. Other ties: attachments.c. */
#include "rigid_bonds.h"

#include <math.h>
#include <string.h>

struct rigid_block *bonds_block(const struct sim_model *model, const struct elastic_work *work, uint32_t body)
{
    uint32_t rigid = model->bodies[body].rigid;
    if (rigid == SIM_NONE || model->bonds->block_of_rigid[rigid] == SIM_NONE) {
        return NULL;
    }
    return &work->blocks[model->bonds->block_of_rigid[rigid]];
}

/* ---- motion ------------------------------------------------------------------------------------------------------ */

static void place_block(const struct sim_model *model, struct sim_state *state, const struct block_lists *block)
{
    const dent_rigid_state *pose = &state->rigids[block->rigid];
    double turn[9];
    rigid_rotation(pose->orientation, turn);
    for (uint32_t k = block->bond_begin; k < block->bond_end; k++) {
        const struct rigid_bond *bond = &model->bonds->bonds[k];
        double *x = state->positions + 3 * (size_t)bond->vertex;
        for (int axis = 0; axis < 3; axis++) {
            x[axis] = pose->center[axis] + sim_dot(turn + 3 * axis, bond->local);
        }
    }
}

void bonds_place_vertices(const struct sim_model *model, struct sim_state *state)
{
    for (uint32_t n = 0; n < model->bonds->block_count; n++) {
        place_block(model, state, &model->bonds->blocks[n]);
    }
}

/* Moves a pose by an impulse and its moment during h, as if it were free. */
static void drift(dent_rigid_state *pose, const double impulse[6], double h)
{
    double inverse[9], angle[3];
    dent_rigid_inverse_inertia(pose, inverse);
    for (int i = 0; i < 3; i++) {
        angle[i] = h * sim_dot(inverse + 3 * i, impulse + 3);
    }
    sim_add_scaled(pose->center, h * pose->inverse_mass, impulse);
    rigid_turn(pose, angle);
}

void bonds_refresh(const struct sim_model *model, const struct sim_state *state, struct elastic_work *work)
{
    for (uint32_t n = 0; n < model->bonds->block_count; n++) {
        struct rigid_block *block = &work->blocks[n];
        block_make_matrix(model, state, block);
        block_factorise(block->matrix, block->factor);
    }
}

void bonds_begin(const struct sim_model *model, struct sim_state *state, struct elastic_work *work)
{
    double h = model->substep;
    for (uint32_t n = 0; n < model->bonds->block_count; n++) {
        struct rigid_block *block = &work->blocks[n];
        block->target = state->rigids[block->rigid];
        drift(&block->target, block->carried, h);
        memset(block->carried, 0, sizeof block->carried);
        /* The sweep starts where a body that is held will be: gravity moves it no further. */
        sim_add_scaled(state->rigids[block->rigid].center, -h * h, state->gravity);
        place_block(model, state, block->lists);
    }
}

void bonds_take_out(const struct sim_model *model, struct sim_state *state, struct elastic_work *work)
{
    double h = model->substep;
    for (uint32_t n = 0; n < model->bonds->block_count; n++) {
        struct rigid_block *block = &work->blocks[n];
        dent_rigid_state *pose = &state->rigids[block->rigid];
        drift(pose, block->taken, -h);
        block_solve_lower(block->factor, block->excess);
        block_solve_upper(block->factor, block->excess);
        sim_add_scaled(pose->center, -1 / h, block->excess);
        double back[3] = {-block->excess[3] / h, -block->excess[4] / h, -block->excess[5] / h};
        rigid_turn(pose, back);
        memset(block->taken, 0, sizeof block->taken);
        memset(block->excess, 0, sizeof block->excess);
    }
}

struct assemble_call {
    const struct sim_model *model;
    const struct sim_state *state;
    struct elastic_work *work;
};

static void assemble_task(void *data, uint32_t number, uint32_t worker)
{
    (void)worker;
    const struct assemble_call *call = data;
    block_assemble(call->model, call->state, call->work->previous, &call->work->blocks[number]);
}

void bonds_assemble(const struct sim_model *model, const struct sim_state *state, struct elastic_work *work)
{
    if (model->bonds->block_count > 0) {
        struct assemble_call call = {model, state, work};
        dent_parallel_for(model->context, model->bonds->block_count, assemble_task, &call);
    }
}

struct move_call {
    const struct sim_model *model;
    struct sim_state *state;
    struct elastic_work *work;
};

static void move_task(void *data, uint32_t number, uint32_t worker)
{
    (void)worker;
    const struct move_call *call = data;
    struct rigid_block *block = &call->work->blocks[number];
    dent_rigid_state *pose = &call->state->rigids[block->rigid];
    double factor[6][6], move[6];
    memcpy(move, block->system.force, sizeof move);
    block_factorise(block->system.matrix, factor);
    block_solve_lower(factor, move);
    block_solve_upper(factor, move);
    if (!isfinite(move[0] + move[1] + move[2] + move[3] + move[4] + move[5])) {
        return; /* forces beyond all numbers: where to is not known */
    }
    /* The equations are good to first order in the angle: beyond a radian they say where to, not how far. */
    double angle = sqrt(sim_dot(move + 3, move + 3)), part = angle > 1 ? 1 / angle : 1;
    const double turn[3] = {part * move[3], part * move[4], part * move[5]};
    sim_add_scaled(pose->center, part, move);
    rigid_turn(pose, turn);
    place_block(call->model, call->state, block->lists);
}

void bonds_move(const struct sim_model *model, struct sim_state *state, struct elastic_work *work)
{
    if (model->bonds->block_count > 0) {
        struct move_call call = {model, state, work};
        dent_parallel_for(model->context, model->bonds->block_count, move_task, &call);
    }
}

/* ---- contacts ---------------------------------------------------------------------------------------------------- */

void bonds_carry(const struct sim_state *state, struct rigid_block *block, const double *point, const double *impulse,
                 double share)
{
    double arm[3];
    arm_of(point, &state->rigids[block->rigid], arm);
    block_add_force(block->carried, arm, 1, impulse);
    block_add_force(block->taken, arm, share, impulse);
}

void bonds_take(const struct sim_state *state, struct rigid_block *block, const double *point, double sign,
                const double *again, const double *excess)
{
    double arm[3];
    arm_of(point, &state->rigids[block->rigid], arm);
    block_add_force(block->taken, arm, sign, again);
    block_add_force(block->excess, arm, sign, excess);
}

double bonds_compliance(const struct sim_state *state, const struct rigid_block *block, const double *point,
                        const double *direction)
{
    double arm[3], g[6] = {0}, sum = 0, factor[6][6];
    arm_of(point, &state->rigids[block->rigid], arm);
    block_add_force(g, arm, 1, direction);
    memcpy(factor, block->factor, sizeof factor);
    block_solve_lower(factor, g);
    for (int i = 0; i < 6; i++) {
        sum += g[i] * g[i];
    }
    return sum;
}

double bonds_inertial_give(const struct sim_model *model, const struct sim_state *state,
                           const struct rigid_block *block, const double *point, const double *direction)
{
    const dent_rigid_state *pose = &state->rigids[block->rigid];
    double arm[3], moment[3], inverse[9], sum = pose->inverse_mass;
    arm_of(point, pose, arm);
    sim_cross(arm, direction, moment);
    dent_rigid_inverse_inertia(pose, inverse);
    for (int i = 0; i < 3; i++) {
        sum += moment[i] * sim_dot(inverse + 3 * i, moment);
    }
    return sum * model->substep * model->substep;
}

void bonds_add_spring(const struct sim_state *state, struct rigid_block *block, const double *point,
                      const double *force, const double *direction, double along, double across)
{
    double arm[3];
    arm_of(point, &state->rigids[block->rigid], arm);
    block_add_force(block->system.force, arm, 1, force);
    block_add_stiffness(block->system.matrix, arm, direction, along, across);
}

/* ---- forces ------------------------------------------------------------------------------------------------------ */

static void add_pull(const double *positions, uint32_t vertex, uint32_t other, double weight, double *forces)
{
    double difference[3];
    sim_subtract(positions + 3 * (size_t)other, positions + 3 * (size_t)vertex, difference);
    sim_add_scaled(forces + 3 * (size_t)vertex, weight, difference);
}

/* Gradient of six times the volume with respect to corner k. */
static void volume_gradient(const double *const x[4], int k, double gradient[3])
{
    static const uint8_t seen_from[4][3] = {{1, 3, 2}, {0, 2, 3}, {0, 3, 1}, {0, 1, 2}};
    double to_q[3], to_r[3];
    sim_subtract(x[seen_from[k][1]], x[seen_from[k][0]], to_q);
    sim_subtract(x[seen_from[k][2]], x[seen_from[k][0]], to_r);
    sim_cross(to_q, to_r, gradient);
}

/* What elements put on bonded vertices: 3 per vertex of the simulation. */
static void elastic_forces(const struct sim_model *model, const double *positions, double *forces)
{
    const struct rigid_bonds *bonds = model->bonds;
    memset(forces, 0, 3 * (size_t)model->vertex_count * sizeof *forces);
    for (uint32_t e = 0; e < bonds->edge_count; e++) {
        add_pull(positions, bonds->edges[e].vertex, bonds->edges[e].other, bonds->edges[e].weight, forces);
    }
    for (uint64_t n = 0; n < bonds->inner_count; n++) {
        const struct held_edge *edge = &bonds->inner[n];
        add_pull(positions, edge->i, edge->j, edge->weight, forces);
        add_pull(positions, edge->j, edge->i, edge->weight, forces);
    }
    for (uint64_t t = 0; t < model->elastic->tet_count; t++) {
        const struct tet_visit *tet = &model->elastic->tet_energy[t];
        const uint32_t corners[4] = {tet->p, tet->q, tet->r, tet->reserved};
        const double *x[4];
        double gradients[4][3], to_last[3];
        for (int k = 0; k < 4; k++) {
            x[k] = positions + 3 * (size_t)corners[k];
        }
        for (int k = 0; k < 4; k++) {
            volume_gradient(x, k, gradients[k]);
        }
        sim_subtract(x[3], x[0], to_last);
        double off = sim_dot(gradients[3], to_last) - tet->target;
        for (int k = 0; k < 4; k++) {
            sim_add_scaled(forces + 3 * (size_t)corners[k], -tet->stiffness * off, gradients[k]);
        }
    }
}

void bonds_forces(const struct sim_model *model, const struct sim_state *state, double *scratch, double *forces)
{
    const struct rigid_bonds *bonds = model->bonds;
    if (bonds->bond_count > 0) {
        elastic_forces(model, state->positions, scratch);
    }
    for (uint32_t k = 0; k < bonds->bond_count; k++) { /* a bond holds what the elements pull */
        for (size_t axis = 0; axis < 3; axis++) {
            forces[3 * (size_t)bonds->bonds[k].attachment + axis] = -scratch[3 * (size_t)bonds->bonds[k].vertex + axis];
        }
    }
    for (uint32_t n = 0; n < bonds->block_count; n++) {
        for (uint32_t k = bonds->blocks[n].spring_begin; k < bonds->blocks[n].spring_end; k++) {
            const struct bond_spring *spring = &bonds->springs[k];
            struct spring_pull pull = block_spring_pull(model, state, bonds->blocks[n].rigid, spring);
            for (size_t axis = 0; axis < 3; axis++) {
                forces[3 * (size_t)spring->attachment + axis] = spring->is_b ? -pull.force[axis] : pull.force[axis];
            }
        }
    }
}
