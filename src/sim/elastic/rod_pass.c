/* Passes over all rods, group after group on the context's threads. A vertex belongs to one strand, so nothing is
 * gathered; sums of strands add up in the order of the groups: the same bits for any number of threads. */
#include "rod_pass.h"

#include "coarse_space.h"
#include "sim/model/sim_state.h"
#include "simd/kernel_choice.h"

#include <string.h>

enum { GROUPS_A_BLOCK = 2, MANY_VERTICES = 10000 };

dent_status rods_build(struct sim_model *model, struct rod_work *work, size_t first)
{
    size_t rows = model->rods->row_count, groups = model->rods->group_count;
    dent_isa isa = dent_context_isa(model->context);
    work->kernels = KERNELS_FOR(isa, rod_kernels_scalar, rod_kernels_avx2, rod_kernels_avx512);
    work->first = first;
    work->aims = sim_allocate(model, rows, sizeof *work->aims);
    work->begin = sim_allocate(model, rows, sizeof *work->begin);
    work->now = sim_allocate(model, rows, sizeof *work->now);
    work->trial = sim_allocate(model, rows, sizeof *work->trial);
    work->values = sim_allocate(model, rows, sizeof *work->values);
    work->solved = sim_allocate(model, rows, sizeof *work->solved);
    work->matrix = sim_allocate(model, rows, sizeof *work->matrix);
    work->added = sim_allocate(model, rows, sizeof *work->added);
    work->inertia = sim_allocate(model, rows, sizeof *work->inertia);
    work->begin_directors = sim_allocate(model, rows, sizeof *work->begin_directors);
    work->trial_directors = sim_allocate(model, rows, sizeof *work->trial_directors);
    work->turned = sim_allocate(model, ROD_LANES * rows, sizeof *work->turned);
    work->sums = sim_allocate(model, ROD_LANES * groups, sizeof *work->sums);
    work->partial = sim_allocate(model, groups, sizeof *work->partial);
    work->touched = sim_allocate(model, groups, 1);
    work->row_groups = sim_allocate(model, rows, sizeof *work->row_groups);
    for (uint32_t g = 0; g < groups && work->row_groups; g++) {
        const struct rod_group *group = &model->rods->groups[g];
        work->most_rows = group->row_count > work->most_rows ? group->row_count : work->most_rows;
        for (uint32_t i = 0; i < group->row_count; i++) {
            work->row_groups[group->first_row + i] = g;
        }
    }
    work->scratch = sim_allocate(model, (size_t)work->most_rows * dent_context_worker_count(model->context), sizeof *work->scratch);
    work->alone = ROD_LANES * rows > MANY_VERTICES;
    for (uint32_t b = 0; b < model->body_count; b++) {
        dent_sim_body_kind kind = model->bodies[b].kind;
        work->alone = work->alone && (kind == DENT_SIM_STRANDS || kind == DENT_SIM_PRESCRIBED);
    }
    return work->aims && work->begin && work->now && work->trial && work->values && work->solved && work->matrix &&
                   work->added && work->inertia && work->begin_directors && work->trial_directors && work->turned &&
                   work->sums && work->partial && work->touched && work->row_groups && work->scratch
               ? DENT_OK
               : sim_no_memory(model->context);
}

static struct rod_director *directors_of(const struct sim_state *state)
{
    return (struct rod_director *)(void *)state->directors;
}

/* ---- loops over groups ------------------------------------------------------------------------------------------- */

struct rod_call {
    const struct sim_model *model;
    struct sim_state *state; /* written by few */
    const struct inertia_terms *inertia;
    struct rod_work *work;
    const double *in, *positions;
    double *out;
    double part, rate;
    void (*function)(const struct rod_call *call, const struct rod_group *group, uint32_t number);
    void (*worker_function)(const struct rod_call *call, const struct rod_group *group, uint32_t number, uint32_t worker);
};

static void group_block(void *data, uint32_t block, uint32_t worker)
{
    const struct rod_call *call = data;
    const struct rod_mesh *rods = call->model->rods;
    uint32_t begin = block * GROUPS_A_BLOCK;
    for (uint32_t g = begin; g < begin + GROUPS_A_BLOCK && g < rods->group_count; g++) {
        if (call->function) {
            call->function(call, &rods->groups[g], g);
        } else {
            call->worker_function(call, &rods->groups[g], g, worker);
        }
    }
}

static void for_groups(struct rod_call *call)
{
    uint32_t blocks = (call->model->rods->group_count + GROUPS_A_BLOCK - 1) / GROUPS_A_BLOCK;
    if (blocks == 1) {
        group_block(call, 0, 0);
    } else if (blocks > 1) {
        dent_parallel_for(call->model->context, blocks, group_block, call);
    }
}

static double sum_groups(const struct rod_call *call)
{
    double sum = 0;
    for (uint32_t g = 0; g < call->model->rods->group_count; g++) {
        sum += call->work->partial[g];
    }
    return sum;
}

static struct rod_pass pass_at(const struct rod_call *call, const struct rod_group *group, const double *positions,
                               const struct rod_director *directors)
{
    return (struct rod_pass){call->model->rods->rows + group->first_row, call->work->aims + group->first_row,
                             directors + group->first_row, positions};
}

/* ---- vectors ----------------------------------------------------------------------------------------------------- */

/* A vector as rows of a group. */
static void gather(const struct rod_call *call, const struct rod_group *group, const double *vector,
                   struct rod_values *rows)
{
    const double *turns = vector + call->work->first + ROD_LANES * (size_t)group->first_row;
    for (uint32_t i = 0; i < group->row_count; i++) {
        memcpy(rows[i].at[3], turns + ROD_LANES * (size_t)i, sizeof rows[i].at[3]);
    }
    for (uint32_t lane = 0; lane < ROD_LANES; lane++) {
        const double *x = vector + 3 * (size_t)group->first_vertex[lane];
        uint32_t count = lane < group->lane_count ? group->vertex_count[lane] : 0;
        for (uint32_t i = 0; i < count; i++) { /* held parts of vectors are 0 */
            rows[i].at[0][lane] = x[3 * (size_t)i];
            rows[i].at[1][lane] = x[3 * (size_t)i + 1];
            rows[i].at[2][lane] = x[3 * (size_t)i + 2];
        }
        for (uint32_t i = count; i < group->row_count; i++) {
            rows[i].at[0][lane] = rows[i].at[1][lane] = rows[i].at[2][lane] = 0;
        }
    }
}

static void scatter(const struct rod_call *call, const struct rod_group *group, const struct rod_values *rows,
                    double *vector)
{
    double *turns = vector + call->work->first + ROD_LANES * (size_t)group->first_row;
    for (uint32_t i = 0; i < group->row_count; i++) {
        memcpy(turns + ROD_LANES * (size_t)i, rows[i].at[3], sizeof rows[i].at[3]);
    }
    for (uint32_t lane = 0; lane < group->lane_count; lane++) {
        double *x = vector + 3 * (size_t)group->first_vertex[lane];
        for (uint32_t i = 0; i < group->vertex_count[lane]; i++) {
            x[3 * (size_t)i] = rows[i].at[0][lane];
            x[3 * (size_t)i + 1] = rows[i].at[1][lane];
            x[3 * (size_t)i + 2] = rows[i].at[2][lane];
        }
    }
}

/* ---- a substep begins -------------------------------------------------------------------------------------------- */

/* Targets of energy and damping together, tensions, inertia of spin. */
static void aim_row(const struct rod_row *row, const struct rod_strains *before, double rate, double spin,
                    struct rod_aim *aim)
{
    for (int lane = 0; lane < ROD_LANES; lane++) {
        double viscous = row->damping[lane] * rate, factor = 1 + viscous;
        double beyond = before->at[0][lane] - row->length[lane];
        aim->factor[lane] = factor;
        aim->tension[lane] = beyond > 0 ? row->stretch[lane] * beyond : 0;
        aim->spin[lane] = spin * row->spin_inertia[lane];
        for (int k = 0; k < ROD_STRAINS; k++) {
            double natural = k == 0 ? row->length[lane] : row->natural[k - 1][lane];
            aim->target[k][lane] = natural + viscous / factor * (before->at[k][lane] - natural);
        }
    }
}

static void begin_group(const struct rod_call *call, const struct rod_group *group, uint32_t number)
{
    (void)number;
    struct rod_work *work = call->work;
    struct rod_director *directors = directors_of(call->state) + group->first_row;
    struct rod_pass pass = pass_at(call, group, call->positions, directors_of(call->state));
    work->kernels->strains(group, &pass, work->begin + group->first_row);
    for (uint32_t i = group->first_row; i < group->first_row + group->row_count; i++) {
        aim_row(&call->model->rods->rows[i], &work->begin[i], call->rate, call->inertia->rigid, &work->aims[i]);
    }
    work->kernels->carry(group, directors, call->positions, call->state->positions, NULL, 0, directors);
}

static void strains_group(const struct rod_call *call, const struct rod_group *group, uint32_t number)
{
    (void)number;
    struct rod_pass pass = pass_at(call, group, call->state->positions, directors_of(call->state));
    call->work->kernels->strains(group, &pass, call->work->begin + group->first_row);
}

double rods_spin_energy(const struct sim_model *model, const struct sim_state *state)
{
    double sum = 0;
    for (uint32_t b = 0; b < model->body_count; b++) {
        sum += rod_spin_energy(model, state, b);
    }
    return sum;
}

void rods_begin(const struct sim_model *model, struct sim_state *state, const struct inertia_terms *inertia,
                const double *previous, double time, struct rod_work *work)
{
    if (!has_rods(model)) {
        return;
    }
    size_t rows = model->rods->row_count;
    struct rod_call call = {.model = model, .state = state, .inertia = inertia, .work = work, .positions = previous};
    call.rate = inertia->rate;
    work->step = model->substep;
    work->spin_before = rods_spin_energy(model, state);
    call.function = begin_group;
    for_groups(&call);
    rods_place_clamps(model, state, time);
    call.function = strains_group;
    for_groups(&call);
    memcpy(work->begin_directors, state->directors, rows * sizeof *work->begin_directors);
    memcpy(work->now, work->begin, rows * sizeof *work->now);
    memset(work->turned, 0, ROD_LANES * rows * sizeof *work->turned);
}

/* ---- gradient, product, factor ----------------------------------------------------------------------------------- */

static void gradient_group(const struct rod_call *call, const struct rod_group *group, uint32_t number)
{
    (void)number;
    struct rod_work *work = call->work;
    struct rod_pass pass = pass_at(call, group, call->state->positions, directors_of(call->state));
    struct rod_values *values = work->values + group->first_row;
    work->kernels->gradient(group, &pass, work->now + group->first_row, values);
    for (uint32_t i = 0; i < group->row_count; i++) {
        const struct rod_row *row = &pass.rows[i];
        for (uint32_t lane = 0; lane < ROD_LANES; lane++) {
            size_t n = ROD_LANES * (size_t)(group->first_row + i) + lane;
            double beyond = work->turned[n] - work->step * call->state->spins[n];
            values[i].at[3][lane] += row->turns[lane] * (pass.aims[i].spin[lane] * beyond);
        }
    }
    scatter(call, group, values, call->out);
}

void rods_gradient(const struct sim_model *model, const struct sim_state *state, struct rod_work *work, double *out)
{
    struct rod_call call = {.model = model, .state = (struct sim_state *)state, .work = work, .out = out};
    call.function = gradient_group;
    for_groups(&call);
}

static void product_group(const struct rod_call *call, const struct rod_group *group, uint32_t number)
{
    (void)number;
    struct rod_work *work = call->work;
    struct rod_pass pass = pass_at(call, group, call->state->positions, directors_of(call->state));
    gather(call, group, call->in, work->values + group->first_row);
    work->kernels->product(group, &pass, work->values + group->first_row, work->solved + group->first_row);
    scatter(call, group, work->solved + group->first_row, call->out);
}

void rods_product(const struct sim_model *model, const struct sim_state *state, struct rod_work *work,
                  const double *direction, double *out)
{
    struct rod_call call = {.model = model, .state = (struct sim_state *)state, .work = work, .in = direction, .out = out};
    call.function = product_group;
    for_groups(&call);
}

/* What the points of a term add between vertices of one strand; `factor` times. */
static void add_point(const struct rod_mesh *rods, const struct term_point *point, const double matrix[6], double factor,
                      const struct inertia_terms *inertia, struct rod_work *work)
{
    for (int k = 0; k < 4; k++) {
        uint32_t v = point->rigid == SIM_NONE ? point->vertices[k] : SIM_NONE;
        uint32_t slot = v == SIM_NONE || !(inertia->vertices[v] > 0) ? SIM_NONE : rods->vertex_slots[v];
        if (slot == SIM_NONE) {
            continue;
        }
        struct rod_added *row = &work->added[slot / ROD_LANES];
        uint32_t lane = slot % ROD_LANES;
        for (int n = 0; n < 6; n++) {
            row->own[n][lane] += factor * point->weights[k] * point->weights[k] * matrix[n];
        }
        for (int other = 0; other < 4; other++) {
            uint32_t w = point->vertices[other];
            bool before = w != SIM_NONE && w + 1 == v && rods->vertex_slots[w] == slot - ROD_LANES && inertia->vertices[w] > 0;
            for (int n = 0; n < 6 && before; n++) {
                row->before[n][lane] += factor * point->weights[k] * point->weights[other] * matrix[n];
            }
        }
    }
}

/* By a search: for single vertices, where there is no table. */
static uint32_t group_of_vertex(const struct rod_mesh *rods, uint32_t v)
{
    uint32_t row = rods->vertex_slots[v] / ROD_LANES, low = 0, high = rods->group_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (rods->groups[middle].first_row <= row) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

static void touch(const struct rod_mesh *rods, const struct term_point *point, struct rod_work *work)
{
    for (int k = 0; k < 4; k++) {
        uint32_t v = point->rigid == SIM_NONE ? point->vertices[k] : SIM_NONE;
        if (v != SIM_NONE && rods->vertex_slots[v] != SIM_NONE) {
            uint32_t g = work->row_groups[rods->vertex_slots[v] / ROD_LANES];
            const struct rod_group *group = &rods->groups[g];
            if (!work->touched[g]) {
                memset(work->added + group->first_row, 0, group->row_count * sizeof *work->added);
            }
            work->touched[g] = 1;
        }
    }
}

static bool is_movable(const struct term_point *point, const struct inertia_terms *inertia)
{
    for (int k = 0; k < 4; k++) {
        if (point->rigid == SIM_NONE && point->vertices[k] != SIM_NONE && inertia->vertices[point->vertices[k]] > 0) {
            return true;
        }
    }
    return false;
}

static void add_terms(const struct sim_model *model, const struct point_terms *terms, const struct inertia_terms *inertia,
                      bool twice, struct rod_work *work)
{
    memset(work->touched, 0, model->rods->group_count);
    for (uint64_t i = 0; i < terms->count; i++) {
        const struct point_term *term = &terms->terms[i];
        if (term->matrix[0] + term->matrix[3] + term->matrix[5] > 0) {
            touch(model->rods, &term->a, work);
            touch(model->rods, &term->b, work);
            double factor = twice && is_movable(&term->a, inertia) && is_movable(&term->b, inertia) ? 2 : 1;
            add_point(model->rods, &term->a, term->matrix, factor, inertia, work);
            add_point(model->rods, &term->b, term->matrix, factor, inertia, work);
        }
    }
}

static void factor_into(const struct rod_call *call, const struct rod_group *group, uint32_t number,
                        struct rod_matrix *matrix)
{
    struct rod_work *work = call->work;
    struct rod_pass pass = pass_at(call, group, call->state->positions, directors_of(call->state));
    double(*inertia)[ROD_LANES] = work->inertia + group->first_row;
    for (uint32_t lane = 0; lane < ROD_LANES; lane++) {
        for (uint32_t i = 0; i < group->row_count; i++) {
            bool used = i < group->vertex_count[lane];
            inertia[i][lane] = used ? call->inertia->vertices[group->first_vertex[lane] + i] : 0;
        }
    }
    work->kernels->factor(group, &pass, (const double(*)[ROD_LANES])inertia,
                          work->touched[number] ? work->added + group->first_row : NULL, matrix);
}

static void factor_group(const struct rod_call *call, const struct rod_group *group, uint32_t number)
{
    factor_into(call, group, number, call->work->matrix + group->first_row);
}

static void step_group(const struct rod_call *call, const struct rod_group *group, uint32_t number, uint32_t worker)
{
    struct rod_work *work = call->work;
    struct rod_matrix *matrix = work->scratch + (size_t)worker * work->most_rows;
    struct rod_values *values = work->values + group->first_row, *solved = work->solved + group->first_row;
    double sums[ROD_LANES] = {0}, all = 0;
    factor_into(call, group, number, matrix);
    gather(call, group, call->in, values);
    work->kernels->solve(group, matrix, values, solved);
    for (uint32_t i = 0; i < group->row_count; i++) {
        for (uint32_t k = 0; k < 4; k++) {
            for (uint32_t lane = 0; lane < ROD_LANES; lane++) {
                solved[i].at[k][lane] = -solved[i].at[k][lane];
                sums[lane] += values[i].at[k][lane] * solved[i].at[k][lane];
            }
        }
    }
    for (uint32_t lane = 0; lane < ROD_LANES; lane++) {
        all += sums[lane];
    }
    work->partial[number] = all;
    scatter(call, group, solved, call->out);
}

double rods_step(const struct sim_model *model, const struct sim_state *state, const struct point_terms *terms,
                 const struct inertia_terms *inertia, const double *gradient, double *solution, struct rod_work *work)
{
    struct rod_call call = {.model = model, .state = (struct sim_state *)state, .work = work, .inertia = inertia};
    add_terms(model, terms, inertia, true, work);
    call.in = gradient;
    call.out = solution;
    call.worker_function = step_group;
    for_groups(&call);
    return sum_groups(&call);
}

void rods_refresh(const struct sim_model *model, const struct sim_state *state, const struct point_terms *terms,
                  const struct inertia_terms *inertia, struct rod_work *work)
{
    if (has_rods(model)) {
        struct rod_call call = {.model = model, .state = (struct sim_state *)state, .work = work, .inertia = inertia};
        add_terms(model, terms, inertia, false, work);
        call.function = factor_group;
        for_groups(&call);
    }
}

static void apply_group(const struct rod_call *call, const struct rod_group *group, uint32_t number)
{
    (void)number;
    struct rod_work *work = call->work;
    gather(call, group, call->in, work->values + group->first_row);
    work->kernels->solve(group, work->matrix + group->first_row, work->values + group->first_row,
                         work->solved + group->first_row);
    scatter(call, group, work->solved + group->first_row, call->out);
}

void rods_apply(const struct sim_model *model, struct rod_work *work, const double *r, double *z)
{
    struct rod_call call = {.model = model, .work = work, .in = r, .out = z};
    call.function = apply_group;
    for_groups(&call);
}

/* ---- trials ------------------------------------------------------------------------------------------------------ */

static void place_group(const struct rod_call *call, const struct rod_group *group, uint32_t number)
{
    (void)number;
    struct rod_work *work = call->work;
    struct rod_values *values = work->values + group->first_row;
    const double *turns = call->in + work->first + ROD_LANES * (size_t)group->first_row;
    for (uint32_t i = 0; i < group->row_count; i++) {
        memcpy(values[i].at[3], turns + ROD_LANES * (size_t)i, sizeof values[i].at[3]);
    }
    work->kernels->carry(group, directors_of(call->state) + group->first_row, call->state->positions, call->positions, values,
                         call->part, work->trial_directors + group->first_row);
}

void rods_place_trial(const struct sim_model *model, const struct sim_state *state, const double *trial,
                      const double *solution, double part, struct rod_work *work)
{
    struct rod_call call = {.model = model, .state = (struct sim_state *)state, .work = work, .in = solution};
    call.positions = trial;
    call.part = work->part = part;
    call.function = place_group;
    for_groups(&call);
}

/* Spin: inertia/2 ((turned - h spin)^2), strand by strand with the energy. */
static void change_group(const struct rod_call *call, const struct rod_group *group, uint32_t number)
{
    struct rod_work *work = call->work;
    struct rod_pass now = pass_at(call, group, call->state->positions, directors_of(call->state));
    struct rod_pass trial = pass_at(call, group, call->positions, work->trial_directors);
    double *sums = work->sums + ROD_LANES * (size_t)number, all = 0;
    work->kernels->strains(group, &trial, work->trial + group->first_row);
    work->kernels->difference(group, &now, work->now + group->first_row, work->trial + group->first_row, sums);
    for (uint32_t i = 0; i < group->row_count; i++) {
        for (uint32_t lane = 0; lane < ROD_LANES; lane++) {
            size_t n = ROD_LANES * (size_t)(group->first_row + i) + lane;
            double beyond = work->turned[n] - work->step * call->state->spins[n];
            double turn = work->part * call->in[work->first + n];
            sums[lane] += now.aims[i].spin[lane] * turn * (beyond + 0.5 * turn);
        }
    }
    for (uint32_t lane = 0; lane < ROD_LANES; lane++) {
        all += sums[lane];
    }
    work->partial[number] = all;
}

double rods_trial_change(const struct sim_model *model, const struct sim_state *state, const double *trial,
                         const double *solution, struct rod_work *work)
{
    struct rod_call call = {.model = model, .state = (struct sim_state *)state, .work = work, .in = solution};
    call.positions = trial;
    call.function = change_group;
    for_groups(&call);
    return sum_groups(&call);
}

void rods_take_trial(const struct sim_model *model, struct sim_state *state, const double *solution, struct rod_work *work)
{
    size_t rows = model->rods->row_count;
    struct rod_strains *now = work->now;
    work->now = work->trial;
    work->trial = now;
    if (rows > 0) {
        memcpy(state->directors, work->trial_directors, rows * sizeof *work->trial_directors);
    }
    for (size_t n = 0; n < ROD_LANES * rows; n++) {
        work->turned[n] += work->part * solution[work->first + n];
    }
}

void rods_end(const struct sim_model *model, struct sim_state *state, const struct rod_work *work)
{
    for (size_t n = 0; n < ROD_LANES * (size_t)model->rods->row_count; n++) {
        state->spins[n] = work->turned[n] / work->step;
    }
}

/* ---- energy ------------------------------------------------------------------------------------------------------ */

static void energy_group(const struct rod_call *call, const struct rod_group *group, uint32_t number)
{
    struct rod_work *work = call->work;
    struct rod_pass now = pass_at(call, group, call->state->positions, directors_of(call->state));
    double *sums = work->sums + ROD_LANES * (size_t)number, all = 0;
    now.aims = NULL;
    work->kernels->strains(group, &now, work->now + group->first_row);
    work->kernels->difference(group, &now, work->begin + group->first_row, work->now + group->first_row, sums);
    for (uint32_t lane = 0; lane < ROD_LANES; lane++) {
        all += sums[lane];
    }
    work->partial[number] = all;
}

double rods_energy_change(const struct sim_model *model, const struct sim_state *state, struct rod_work *work)
{
    struct rod_call call = {.model = model, .state = (struct sim_state *)state, .work = work};
    call.function = energy_group;
    for_groups(&call);
    return sum_groups(&call);
}

static void back_group(const struct rod_call *call, const struct rod_group *group, uint32_t number)
{
    (void)number;
    struct rod_work *work = call->work;
    struct rod_values *values = work->values + group->first_row;
    for (uint32_t i = 0; i < group->row_count; i++) {
        memcpy(values[i].at[3], work->turned + ROD_LANES * (size_t)(group->first_row + i), sizeof values[i].at[3]);
    }
    work->kernels->carry(group, work->begin_directors + group->first_row, call->positions, call->state->positions, values, 1,
                         directors_of(call->state) + group->first_row);
}

void rods_go_back(const struct sim_model *model, struct sim_state *state, const double *begin, double part,
                  struct rod_work *work)
{
    struct rod_call call = {.model = model, .state = state, .work = work, .positions = begin};
    for (size_t n = 0; n < ROD_LANES * (size_t)model->rods->row_count; n++) {
        work->turned[n] *= part;
    }
    call.function = back_group;
    for_groups(&call);
    rods_end(model, state, work);
}

/* Of a short piece of its strand: two edges on both sides. */
void rods_vertex_gradient(const struct sim_model *model, const struct sim_state *state, uint32_t vertex,
                          double gradient[3])
{
    enum { PIECE = 5 };
    const struct rod_mesh *rods = model->rods;
    uint32_t slot = rods->vertex_slots[vertex], lane = slot % ROD_LANES;
    const struct rod_group *group = &rods->groups[group_of_vertex(rods, vertex)];
    uint32_t i = slot / ROD_LANES - group->first_row, from = i > 2 ? i - 2 : 0;
    struct rod_group piece = {.row_count = PIECE};
    struct rod_row rows[PIECE];
    struct rod_aim aims[PIECE];
    struct rod_director directors[PIECE];
    struct rod_strains strains[PIECE];
    struct rod_values values[PIECE];
    memset(rows, 0, sizeof rows);
    memset(aims, 0, sizeof aims);
    memset(directors, 0, sizeof directors);
    for (uint32_t l = 0; l < ROD_LANES; l++) {
        piece.first_vertex[l] = group->first_vertex[lane] + from;
        piece.vertex_count[l] = 1;
    }
    uint32_t left = group->vertex_count[lane] - from;
    piece.vertex_count[0] = left < PIECE ? left : PIECE;
    for (uint32_t k = 0; k < piece.vertex_count[0]; k++) {
        const struct rod_row *row = &rods->rows[group->first_row + from + k];
        bool edge = k + 1 < piece.vertex_count[0];
        rows[k].length[0] = row->length[lane];
        rows[k].stretch[0] = edge ? row->stretch[lane] : 0;
        rows[k].bend[0] = edge && k > 0 ? row->bend[lane] : 0;
        rows[k].twist[0] = edge && k > 0 ? row->twist[lane] : 0;
        rows[k].moves[0] = 1;
        aims[k].factor[0] = 1;
        aims[k].target[0][0] = row->length[lane];
        for (int n = 0; n < 3; n++) {
            aims[k].target[1 + n][0] = row->natural[n][lane];
            directors[k].at[n][0] = directors_of(state)[group->first_row + from + k].at[n][lane];
        }
    }
    struct rod_pass pass = {rows, aims, directors, state->positions};
    rod_kernels_scalar.gradient(&piece, &pass, strains, values);
    for (int axis = 0; axis < 3; axis++) {
        gradient[axis] = values[i - from].at[axis][0];
    }
}
