/* Conjugate gradients in floats for large scenes: products of elements, blocks of them in parallel, and the
 * preconditioner of coarse_space.c. Right sides come from gradients in doubles, steps go back to doubles: what floats
 * lose, the next iteration of Newton's method sees. Rigid bodies, contacts and the coarse equations are in doubles.
 *
 * All sums have a fixed order: over the elements of a block, the blocks of a vertex, the vertices of a node, and nodes. */
#include "minimise.h"
#include "rigid_bonds.h"

#include <math.h>
#include <string.h>

enum { SLOTS_A_CHUNK = 512, NODES_A_CHUNK = 4 };

typedef float four __attribute__((vector_size(16), aligned(4)));

static inline four row_at(const float *rows, size_t number)
{
    return *(const four *)(const void *)(rows + 4 * number);
}

static inline void set_row(float *rows, size_t number, four row)
{
    *(four *)(void *)(rows + 4 * number) = row;
}

static inline four splat(float x)
{
    return (four){x, x, x, x};
}

static inline double sum_of(four row)
{
    return ((double)row[0] + (double)row[1]) + (double)row[2];
}

struct float_call {
    const struct sim_model *model;
    const struct sim_state *state;
    struct minimiser *work;
    struct float_system *system;
    float factor;
    double step; /* the same, for rigid bodies */
};

static void run(const struct float_call *call, uint32_t count, dent_block_function *function)
{
    if (count == 1) {
        function((void *)call, 0, 0);
    } else if (count > 1) {
        dent_parallel_for(call->model->context, count, function, (void *)call);
    }
}

static uint32_t chunks_of(uint32_t count, uint32_t size)
{
    return count > 0 ? (count - 1) / size + 1 : 0;
}

static uint32_t chunk_end(uint32_t begin, uint32_t size, uint32_t count)
{
    return count - begin > size ? begin + size : count;
}

static double sum_partial(const struct float_system *system, uint32_t count)
{
    double sum = 0;
    for (uint32_t n = 0; n < count; n++) {
        sum += system->partial[n];
    }
    return sum;
}

/* ---- products ---------------------------------------------------------------------------------------------------- */

/* Positions of a block, from its first vertex, in units of length. */
static void prepare_task(void *data, uint32_t number, uint32_t worker)
{
    const struct float_call *call = data;
    const struct float_system *system = call->system;
    const struct float_block *block = &system->blocks[number];
    float *rows = system->scratch + 4 * (size_t)system->most_rows * worker;
    const uint32_t *vertices = system->row_vertices + block->first_row;
    const double *origin = call->state->positions + 3 * (size_t)vertices[0];
    double unit = 1 / system->length;
    for (uint32_t n = 0; n < block->row_count; n++) {
        const double *x = call->state->positions + 3 * (size_t)vertices[n];
        set_row(rows, n,
                (four){(float)((x[0] - origin[0]) * unit), (float)((x[1] - origin[1]) * unit),
                       (float)((x[2] - origin[2]) * unit), 0});
    }
    system->kernels->prepare(&block->elements, rows);
}

static void block_task(void *data, uint32_t number, uint32_t worker)
{
    const struct float_call *call = data;
    const struct float_system *system = call->system;
    const struct float_block *block = &system->blocks[number];
    float *rows = system->scratch + 4 * (size_t)system->most_rows * worker;
    float *sums = system->sums + 4 * (size_t)block->first_row;
    const uint32_t *slots = system->row_slots + block->first_row;
    for (uint32_t n = 0; n < block->row_count; n++) {
        set_row(rows, n, row_at(system->p.rows, slots[n]));
    }
    memset(sums, 0, 4 * (size_t)block->row_count * sizeof *sums);
    system->kernels->product(&block->elements, rows, sums);
}

/* The row of a slot in the matrix of bending, times p. */
static inline four bend(const struct float_system *system, uint32_t slot, four p)
{
    uint32_t n = system->bend_starts[slot], end = system->bend_starts[slot + 1];
    if (n == end) {
        return splat(0);
    }
    four even = splat(system->bend_values[n++]) * p, odd = splat(0);
    for (; n + 2 <= end; n += 2) { /* two sums, so that an addition need not wait for the last */
        even += splat(system->bend_values[n]) * (row_at(system->p.rows, system->bend_slots[n]) - p);
        odd += splat(system->bend_values[n + 1]) * (row_at(system->p.rows, system->bend_slots[n + 1]) - p);
    }
    if (n < end) {
        even += splat(system->bend_values[n]) * (row_at(system->p.rows, system->bend_slots[n]) - p);
    }
    return even + odd;
}

/* q = all blocks + bending + inertia, and p . q of the chunk. */
static void gather_task(void *data, uint32_t chunk, uint32_t worker)
{
    (void)worker;
    const struct float_call *call = data;
    const struct float_system *system = call->system;
    uint32_t begin = chunk * SLOTS_A_CHUNK, end = chunk_end(begin, SLOTS_A_CHUNK, system->slot_count);
    four dot = splat(0);
    for (uint32_t s = begin; s < end; s++) {
        four p = row_at(system->p.rows, s), sum = splat(system->inertia[s]) * p + bend(system, s, p);
        for (uint32_t n = system->slot_starts[s]; n < system->slot_starts[s + 1]; n++) {
            sum += row_at(system->sums, system->slot_rows[n]);
        }
        set_row(system->q.rows, s, sum);
        if (s < system->free_count) {
            dot += p * sum;
        }
    }
    system->partial[chunk] = sum_of(dot);
}

/* How a side of a term moves along p. */
static void side_motion(const struct float_system *system, const struct float_side *side, double motion[3])
{
    if (side->slot != SIM_NONE) {
        const float *row = system->p.rows + 4 * (size_t)side->slot;
        for (int k = 0; k < 3; k++) {
            motion[k] = side->weight * (double)row[k];
        }
        return;
    }
    const double *six = system->p.rigid + 6 * (size_t)side->rigid;
    sim_cross(six + 3, side->arm, motion);
    for (int k = 0; k < 3; k++) {
        motion[k] = side->weight * (motion[k] + six[k]);
    }
}

/* Adds the terms to q; returns what the rows of vertices that move add to p . q. */
static double add_terms(struct float_system *system)
{
    double curvature = 0;
    for (uint64_t i = 0; i < system->term_count; i++) {
        const struct float_term *term = &system->terms[i];
        double apart[3] = {0, 0, 0}, motions[8][3], moment[3];
        const double *m = term->matrix;
        for (uint32_t k = 0; k < term->side_count; k++) {
            side_motion(system, &term->sides[k], motions[k]);
            sim_add_scaled(apart, 1, motions[k]);
        }
        double force[3] = {m[0] * apart[0] + m[1] * apart[1] + m[2] * apart[2],
                           m[1] * apart[0] + m[3] * apart[1] + m[4] * apart[2],
                           m[2] * apart[0] + m[4] * apart[1] + m[5] * apart[2]};
        for (uint32_t k = 0; k < term->side_count; k++) {
            const struct float_side *side = &term->sides[k];
            if (side->slot != SIM_NONE) {
                float *row = system->q.rows + 4 * (size_t)side->slot;
                for (int axis = 0; axis < 3; axis++) {
                    row[axis] += (float)(side->weight * force[axis]);
                }
                curvature += side->slot < system->free_count ? sim_dot(motions[k], force) : 0;
            } else {
                double *six = system->q.rigid + 6 * (size_t)side->rigid;
                sim_cross(side->arm, force, moment);
                sim_add_scaled(six, side->weight, force);
                sim_add_scaled(six + 3, side->weight, moment);
            }
        }
    }
    return curvature;
}

/* A direction of a rigid body as one of its bonded vertices. */
static void expand_task(void *data, uint32_t rigid, uint32_t worker)
{
    (void)worker;
    const struct float_call *call = data;
    const struct float_system *system = call->system;
    const double *six = system->p.rigid + 6 * (size_t)rigid, *center = call->state->rigids[rigid].center;
    for (uint32_t k = call->model->bonds->starts[rigid]; k < call->model->bonds->starts[rigid + 1]; k++) {
        double arm[3], moved[3];
        sim_subtract(call->state->positions + 3 * (size_t)call->model->bonds->bonds[k].vertex, center, arm);
        sim_cross(six + 3, arm, moved);
        set_row(system->p.rows, system->free_count + k,
                (four){(float)(moved[0] + six[0]), (float)(moved[1] + six[1]), (float)(moved[2] + six[2]), 0});
    }
}

/* Forces on bonded vertices as force and moment on their rigid body, and its inertia. */
static void contract_task(void *data, uint32_t rigid, uint32_t worker)
{
    (void)worker;
    const struct float_call *call = data;
    const struct float_system *system = call->system;
    const struct inertia_terms *inertia = &call->work->inertia;
    const double *p = system->p.rigid + 6 * (size_t)rigid, *center = call->state->rigids[rigid].center;
    double *six = system->q.rigid + 6 * (size_t)rigid, arm[3], moment[3];
    if (!inertia->rigid_active[rigid]) {
        memset(six, 0, 6 * sizeof *six);
        return;
    }
    for (uint32_t k = call->model->bonds->starts[rigid]; k < call->model->bonds->starts[rigid + 1]; k++) {
        const float *row = system->q.rows + 4 * (size_t)(system->free_count + k);
        const double force[3] = {(double)row[0], (double)row[1], (double)row[2]};
        sim_subtract(call->state->positions + 3 * (size_t)call->model->bonds->bonds[k].vertex, center, arm);
        sim_cross(arm, force, moment);
        sim_add_scaled(six, 1, force);
        sim_add_scaled(six + 3, 1, moment);
    }
    double c = inertia->rigid / system->stiffness;
    newton_inertia_times(&call->model->rigids[rigid], call->state->rigids[rigid].orientation, p + 3, moment);
    sim_add_scaled(six, c * call->model->rigids[rigid].mass, p);
    sim_add_scaled(six + 3, c, moment);
}

/* q = matrix p; returns p . q. */
static double multiply(const struct float_call *call)
{
    struct float_system *system = call->system;
    uint32_t rigids = call->model->rigid_count, chunks = chunks_of(system->slot_count, SLOTS_A_CHUNK);
    memset(system->q.rigid, 0, 6 * (size_t)rigids * sizeof(double));
    run(call, rigids, expand_task);
    run(call, system->block_count, block_task);
    run(call, chunks, gather_task);
    double sum = sum_partial(system, chunks) + add_terms(system);
    run(call, rigids, contract_task);
    for (size_t n = 0; n < 6 * (size_t)rigids; n++) {
        sum += system->p.rigid[n] * system->q.rigid[n];
    }
    call->work->products++;
    return sum;
}

/* ---- the preconditioner ------------------------------------------------------------------------------------------ */

static void transposed_times(const double *matrix, const double *vector, double *out)
{
    for (int i = 0; i < 3; i++) {
        out[i] = matrix[i] * vector[0] + matrix[3 + i] * vector[1] + matrix[6 + i] * vector[2];
    }
}

/* x += factor p, r -= factor q; what is left of r on the unknowns of the node: force, and moment in its frame. */
static void restrict_node(const struct float_call *call, uint32_t number)
{
    const struct coarse_space *space = &call->work->space;
    const struct float_system *system = call->system;
    const struct coarse_node *node = &space->nodes[number];
    double *values = space->values + node->first;
    if (node->rigid != SIM_NONE) {
        size_t first = 6 * (size_t)node->rigid;
        for (size_t n = first; n < first + 6; n++) {
            system->x.rigid[n] += call->step * system->p.rigid[n];
            system->r.rigid[n] -= call->step * system->q.rigid[n];
        }
        transposed_times(node->frame, system->r.rigid + first, values);
        transposed_times(node->frame, system->r.rigid + first + 3, values + 3);
        return;
    }
    four force = splat(0), products[3] = {splat(0), splat(0), splat(0)}, factor = splat(call->factor);
    for (uint32_t s = space->node_starts[number]; s < space->node_starts[number + 1]; s++) {
        const float *arm = system->arms + 4 * (size_t)s;
        four r = row_at(system->r.rows, s) - factor * row_at(system->q.rows, s);
        set_row(system->x.rows, s, row_at(system->x.rows, s) + factor * row_at(system->p.rows, s));
        set_row(system->r.rows, s, r);
        force += r;
        for (int k = 0; k < 3; k++) {
            products[k] += splat(arm[k]) * r;
        }
    }
    double sums[4][3], local[4][3]; /* local[k + 1][i]: sum of arm k times force i */
    for (int i = 0; i < 3; i++) {
        sums[0][i] = (double)force[i];
        for (int k = 0; k < 3; k++) {
            sums[k + 1][i] = system->length * (double)products[k][i];
        }
    }
    for (int k = 0; k < 4; k++) {
        transposed_times(node->frame, sums[k], local[k]);
    }
    memcpy(values, local[0], sizeof local[0]);
    values[3] = local[2][2] - local[3][1];
    values[4] = local[3][0] - local[1][2];
    values[5] = local[1][1] - local[2][0];
}

static void restrict_task(void *data, uint32_t chunk, uint32_t worker)
{
    (void)worker;
    const struct float_call *call = data;
    uint32_t count = call->work->space.node_count, begin = chunk * NODES_A_CHUNK;
    for (uint32_t n = begin; n < chunk_end(begin, NODES_A_CHUNK, count); n++) {
        restrict_node(call, n);
    }
}

/* z of a rigid body. */
static double prolong_rigid(const struct float_call *call, const struct coarse_node *node, const double *values)
{
    const struct float_system *system = call->system;
    const double *r = system->r.rigid + 6 * (size_t)node->rigid;
    double *z = system->z.rigid + 6 * (size_t)node->rigid, sum = 0;
    bool active = call->work->inertia.rigid_active[node->rigid] != 0;
    for (int i = 0; i < 3; i++) {
        z[i] = active ? system->stiffness * sim_dot(node->frame + 3 * i, values) : 0;
        z[3 + i] = active ? system->stiffness * sim_dot(node->frame + 3 * i, values + 3) : 0;
    }
    for (int i = 0; i < 6; i++) {
        sum += r[i] * z[i];
    }
    return sum;
}

/* z = R (inverse diagonal) R^T r + the motion of the node; returns r . z. */
static double prolong_node(const struct float_call *call, uint32_t number)
{
    const struct coarse_space *space = &call->work->space;
    const struct float_system *system = call->system;
    const struct coarse_node *node = &space->nodes[number];
    const double *values = space->values + node->first, *frame = node->frame;
    if (node->rigid != SIM_NONE) {
        return prolong_rigid(call, node, values);
    }
    double unit = system->stiffness, turn = unit * system->length;
    const double spin[3][3] = {{0, turn * values[5], -turn * values[4]},
                               {-turn * values[5], 0, turn * values[3]},
                               {turn * values[4], -turn * values[3], 0}};
    const double shift[3] = {unit * values[0], unit * values[1], unit * values[2]};
    four rows[3], columns[3], move, spins[3], dot = splat(0);
    for (int i = 0; i < 3; i++) {
        rows[i] = (four){(float)frame[3 * i], (float)frame[3 * i + 1], (float)frame[3 * i + 2], 0};
        columns[i] = (four){(float)frame[i], (float)frame[3 + i], (float)frame[6 + i], 0};
        spins[i] = (four){(float)sim_dot(frame, spin[i]), (float)sim_dot(frame + 3, spin[i]),
                          (float)sim_dot(frame + 6, spin[i]), 0};
    }
    move = (four){(float)sim_dot(frame, shift), (float)sim_dot(frame + 3, shift), (float)sim_dot(frame + 6, shift), 0};
    for (uint32_t s = space->node_starts[number]; s < space->node_starts[number + 1]; s++) {
        const float *arm = system->arms + 4 * (size_t)s;
        four r = row_at(system->r.rows, s);
        four local = (splat(r[0]) * rows[0] + splat(r[1]) * rows[1]) + splat(r[2]) * rows[2];
        four smooth = (splat(local[0]) * row_at(system->inverses, 3 * (size_t)s) +
                       splat(local[1]) * row_at(system->inverses, 3 * (size_t)s + 1)) +
                      splat(local[2]) * row_at(system->inverses, 3 * (size_t)s + 2);
        four z = move + ((splat(arm[0]) * spins[0] + splat(arm[1]) * spins[1]) + splat(arm[2]) * spins[2]);
        z += (splat(smooth[0]) * columns[0] + splat(smooth[1]) * columns[1]) + splat(smooth[2]) * columns[2];
        set_row(system->z.rows, s, z);
        dot += r * z;
    }
    return sum_of(dot);
}

static void prolong_task(void *data, uint32_t chunk, uint32_t worker)
{
    (void)worker;
    const struct float_call *call = data;
    uint32_t count = call->work->space.node_count, begin = chunk * NODES_A_CHUNK;
    double sum = 0;
    for (uint32_t n = begin; n < chunk_end(begin, NODES_A_CHUNK, count); n++) {
        sum += prolong_node(call, n);
    }
    call->system->partial[chunk] = sum;
}

/* Goes `step` along p, then z = preconditioner times r; returns r . z. */
static double advance(struct float_call *call, double step)
{
    const struct coarse_space *space = &call->work->space;
    uint32_t chunks = chunks_of(space->node_count, NODES_A_CHUNK);
    call->step = step;
    call->factor = (float)step;
    run(call, chunks, restrict_task);
    envelope_solve(&space->envelope, space->kernels, space->values);
    run(call, chunks, prolong_task);
    return sum_partial(call->system, chunks);
}

static void turn_task(void *data, uint32_t chunk, uint32_t worker)
{
    (void)worker;
    const struct float_call *call = data;
    const struct float_system *system = call->system;
    uint32_t begin = chunk * SLOTS_A_CHUNK, end = chunk_end(begin, SLOTS_A_CHUNK, system->free_count);
    four factor = splat(call->factor);
    for (uint32_t s = begin; s < end; s++) {
        set_row(system->p.rows, s, row_at(system->z.rows, s) + factor * row_at(system->p.rows, s));
    }
}

/* p = z + factor p */
static void turn(struct float_call *call, double factor)
{
    const struct float_system *system = call->system;
    call->factor = (float)factor;
    run(call, chunks_of(system->free_count, SLOTS_A_CHUNK), turn_task);
    for (size_t n = 0; n < 6 * (size_t)call->model->rigid_count; n++) {
        system->p.rigid[n] = system->z.rigid[n] + factor * system->p.rigid[n];
    }
}

/* ---- terms ------------------------------------------------------------------------------------------------------- */

static bool acts(const struct point_term *term)
{
    return term->matrix[0] + term->matrix[3] + term->matrix[5] > 0;
}

/* R^T M R of a symmetric M. */
static void turn_back(const double frame[9], const double m[6], double out[6])
{
    const double full[9] = {m[0], m[1], m[2], m[1], m[3], m[4], m[2], m[4], m[5]};
    double half[3][3];
    for (int j = 0; j < 3; j++) {
        double column[3] = {frame[j], frame[3 + j], frame[6 + j]};
        for (int i = 0; i < 3; i++) {
            half[j][i] = sim_dot(full + 3 * i, column);
        }
    }
    for (int i = 0, n = 0; i < 3; i++) {
        double column[3] = {frame[i], frame[3 + i], frame[6 + i]};
        for (int j = i; j < 3; j++, n++) {
            out[n] = sim_dot(column, half[j]);
        }
    }
}

static void set_inverse(const struct inertia_terms *inertia, const struct coarse_space *space,
                        struct float_system *system, uint32_t slot)
{
    uint32_t v = system->slot_vertices[slot];
    const double *rest = space->diagonal + 6 * (size_t)v;
    double diagonal[6], s[6], factor = space->weight * system->stiffness;
    for (size_t n = 0; n < 6; n++) {
        bool main = n == 0 || n == 3 || n == 5;
        diagonal[n] = rest[n] + system->added[6 * (size_t)slot + n] + (main ? inertia->vertices[v] : 0);
    }
    coarse_invert_symmetric(diagonal, s);
    const double rows[3][3] = {{s[0], s[1], s[2]}, {s[1], s[3], s[4]}, {s[2], s[4], s[5]}};
    for (size_t k = 0; k < 3; k++) {
        set_row(system->inverses, 3 * (size_t)slot + k,
                (four){(float)(factor * rows[k][0]), (float)(factor * rows[k][1]), (float)(factor * rows[k][2]), 0});
    }
}

void float_set_inertia(const struct inertia_terms *inertia, struct float_system *system)
{
    for (uint32_t s = 0; system->built && s < system->free_count; s++) {
        system->inertia[s] = (float)(inertia->vertices[system->slot_vertices[s]] / system->stiffness);
        system->touched[s] = s;
    }
    system->touched_count = system->built ? system->free_count : 0;
}

struct inverse_call {
    const struct inertia_terms *inertia;
    const struct coarse_space *space;
    struct float_system *system;
};

static void inverse_task(void *data, uint32_t chunk, uint32_t worker)
{
    (void)worker;
    const struct inverse_call *call = data;
    uint32_t begin = chunk * SLOTS_A_CHUNK, end = chunk_end(begin, SLOTS_A_CHUNK, call->system->touched_count);
    for (uint32_t n = begin; n < end; n++) {
        set_inverse(call->inertia, call->space, call->system, call->system->touched[n]);
    }
}

/* Arms and all inverses, where cloth has been made anew. */
static void take_cloth(const struct coarse_space *space, struct float_system *system)
{
    for (uint32_t s = 0; s < system->free_count; s++) {
        const double *arm = space->arms + 3 * (size_t)system->slot_vertices[s];
        set_row(system->arms, s,
                (four){(float)(arm[0] / system->length), (float)(arm[1] / system->length),
                       (float)(arm[2] / system->length), 0});
        system->touched[s] = s;
    }
    system->touched_count = system->free_count;
}

void float_refresh(const struct sim_model *model, const struct point_terms *terms, const struct inertia_terms *inertia,
                   const struct coarse_space *space, struct float_system *system, bool elements)
{
    struct inverse_call inverses = {inertia, space, system};
    if (elements && space->cloth.used) {
        take_cloth(space, system);
    }
    if (system->touched_count > 0) {
        dent_parallel_for(model->context, chunks_of(system->touched_count, SLOTS_A_CHUNK), inverse_task, &inverses);
    }
    system->touched_count = 0;
    for (uint64_t i = 0; i < terms->count; i++) {
        const struct point_term *term = &terms->terms[i];
        for (int k = 0; k < 8 && acts(term); k++) {
            const struct term_point *point = k < 4 ? &term->a : &term->b;
            uint32_t v = point->vertices[k % 4], slot;
            if (point->rigid != SIM_NONE || v == SIM_NONE || (slot = system->vertex_slots[v]) >= system->free_count) {
                continue;
            }
            double *added = system->added + 6 * (size_t)slot, local[6];
            double square = point->weights[k % 4] * point->weights[k % 4];
            if (!(square * (term->matrix[0] + term->matrix[3] + term->matrix[5]) > 0)) {
                continue;
            }
            if (added[0] + added[3] + added[5] == 0) {
                system->touched[system->touched_count++] = slot;
            }
            turn_back(space->nodes[space->vertex_nodes[v]].frame, term->matrix, local);
            for (int n = 0; n < 6; n++) {
                added[n] += square * local[n];
            }
        }
    }
    for (uint32_t n = 0; n < system->touched_count; n++) {
        set_inverse(inertia, space, system, system->touched[n]);
        memset(system->added + 6 * (size_t)system->touched[n], 0, 6 * sizeof(double));
    }
}

static void add_sides(const struct sim_state *state, const struct float_system *system, const struct term_point *point,
                      double sign, struct float_term *term)
{
    struct placement at = {state->positions, state->rigids};
    if (point->rigid != SIM_NONE) {
        struct float_side *side = &term->sides[term->side_count++];
        *side = (struct float_side){.slot = SIM_NONE, .rigid = point->rigid, .weight = sign};
        term_point_place(point, &at, side->arm);
        sim_subtract(side->arm, state->rigids[point->rigid].center, side->arm);
        return;
    }
    for (int k = 0; k < 4; k++) {
        uint32_t slot = point->vertices[k] == SIM_NONE ? system->slot_count : system->vertex_slots[point->vertices[k]];
        if (slot < system->slot_count) {
            term->sides[term->side_count++] =
                (struct float_side){.slot = slot, .rigid = SIM_NONE, .weight = sign * point->weights[k]};
        }
    }
}

static dent_status list_terms(const struct sim_model *model, const struct sim_state *state,
                              const struct point_terms *terms, struct float_system *system)
{
    dent_status status = sim_reserve(model->context, (void **)&system->terms, &system->term_capacity, terms->count,
                                     sizeof *system->terms);
    system->term_count = 0;
    for (uint64_t i = 0; i < terms->count && status == DENT_OK; i++) {
        if (acts(&terms->terms[i])) {
            struct float_term *term = &system->terms[system->term_count++];
            term->side_count = 0;
            add_sides(state, system, &terms->terms[i].a, 1, term);
            add_sides(state, system, &terms->terms[i].b, -1, term);
            for (int n = 0; n < 6; n++) {
                term->matrix[n] = terms->terms[i].matrix[n] / system->stiffness;
            }
        }
    }
    return status;
}

/* ---- the equations ----------------------------------------------------------------------------------------------- */

static void largest_range(void *data, uint32_t begin, uint32_t end, double sums[SIM_MOST_SUMS])
{
    const struct float_call *call = data;
    for (uint32_t s = begin; s < end; s++) {
        const double *g = call->work->gradient + 3 * (size_t)call->system->slot_vertices[s];
        for (int k = 0; k < 3; k++) {
            sums[0] = fabs(g[k]) > sums[0] ? fabs(g[k]) : sums[0];
        }
    }
}

/* A power of two at the largest entry of the right side. */
static double unit_of(struct float_call *call)
{
    const struct sim_model *model = call->model;
    double largest = sim_parallel_most(model->context, 0, call->system->free_count, largest_range, call);
    const double *six = call->work->gradient + 3 * (size_t)model->vertex_count;
    for (size_t n = 0; n < 6 * (size_t)model->rigid_count; n++) {
        largest = fabs(six[n]) > largest ? fabs(six[n]) : largest;
    }
    int exponent;
    frexp(largest, &exponent);
    return largest > 0 && isfinite(largest) ? ldexp(1, exponent > -1000 ? exponent : -1000) : 1;
}

/* The right side; nothing is solved yet. */
static void start_task(void *data, uint32_t chunk, uint32_t worker)
{
    (void)worker;
    const struct float_call *call = data;
    struct float_system *system = call->system;
    uint32_t begin = chunk * SLOTS_A_CHUNK, end = chunk_end(begin, SLOTS_A_CHUNK, system->free_count);
    float *const cleared[] = {system->x.rows, system->p.rows, system->q.rows};
    double unit = system->right;
    for (uint32_t s = begin; s < end; s++) {
        const double *g = call->work->gradient + 3 * (size_t)system->slot_vertices[s];
        set_row(system->r.rows, s, (four){(float)(-g[0] / unit), (float)(-g[1] / unit), (float)(-g[2] / unit), 0});
    }
    for (int n = 0; n < 3; n++) {
        memset(cleared[n] + 4 * (size_t)begin, 0, 4 * (size_t)(end - begin) * sizeof(float));
    }
}

double float_start(const struct sim_model *model, struct minimiser *work)
{
    struct float_system *system = &work->floats;
    struct float_call call = {.model = model, .work = work, .system = system};
    size_t numbers = 6 * (size_t)model->rigid_count;
    double unit = system->right = unit_of(&call);
    run(&call, chunks_of(system->free_count, SLOTS_A_CHUNK), start_task);
    for (size_t n = 0; n < numbers; n++) {
        system->r.rigid[n] = -work->gradient[3 * (size_t)model->vertex_count + n] / unit;
    }
    memset(system->x.rigid, 0, numbers * sizeof(double));
    memset(system->p.rigid, 0, numbers * sizeof(double));
    memset(system->q.rigid, 0, numbers * sizeof(double));
    return advance(&call, 0) * unit * unit / system->stiffness;
}

static void write_task(void *data, uint32_t chunk, uint32_t worker)
{
    (void)worker;
    const struct float_call *call = data;
    const struct float_system *system = call->system;
    uint32_t begin = chunk * SLOTS_A_CHUNK, end = chunk_end(begin, SLOTS_A_CHUNK, system->free_count);
    for (uint32_t s = begin; s < end; s++) {
        double *to = call->work->solution + 3 * (size_t)system->slot_vertices[s];
        for (size_t k = 0; k < 3; k++) {
            to[k] = call->step * (double)system->x.rows[4 * (size_t)s + k];
        }
    }
}

/* What is no slot has no part in the solution, and keeps the 0 it has (aim_range()). */
static void write_solution(struct float_call *call)
{
    const struct float_system *system = call->system;
    double *six = call->work->solution + 3 * (size_t)call->model->vertex_count;
    call->step = system->right / system->stiffness;
    run(call, chunks_of(system->free_count, SLOTS_A_CHUNK), write_task);
    for (size_t n = 0; n < 6 * (size_t)call->model->rigid_count; n++) {
        six[n] = call->step * system->x.rigid[n];
    }
}

double float_solve(const struct sim_model *model, const struct sim_state *state, struct minimiser *work,
                   uint32_t most_products, double share)
{
    struct float_system *system = &work->floats;
    struct float_call call = {.model = model, .state = state, .work = work, .system = system};
    double rz = 0, first;
    if (list_terms(model, state, &work->terms, system) != DENT_OK) {
        return -1;
    }
    run(&call, system->block_count, prepare_task);
    rz = first = sum_partial(system, chunks_of(work->space.node_count, NODES_A_CHUNK));
    turn(&call, 0);
    for (uint32_t n = 0; n < most_products && rz > share * first; n++) {
        double curvature = multiply(&call);
        if (!(curvature > 0) || !isfinite(curvature) || !isfinite(rz)) {
            if (n == 0) {
                return -1;
            }
            break;
        }
        double next = advance(&call, rz / curvature);
        turn(&call, next / rz);
        rz = next;
    }
    write_solution(&call);
    return isfinite(rz) ? rz / first : -1;
}
