/* Passes in doubles over the blocks of float_layout.c. The rows of a block are copied once and stay in the nearest cache;
 * what its elements put on them is added there. Sums have a fixed order: over the elements of a block, and over blocks. */
#include "elastic_pass.h"
#include "float_solve.h"

#include <string.h>

enum { SLOTS_A_TASK = 512 };

struct block_call {
    const struct float_system *system;
    const struct element_pass *pass;
    double *out;
    bool cloth, line;
};

static void copy_rows(const struct float_system *system, const struct float_block *block, const double *from,
                      double *to)
{
    const uint32_t *vertices = system->row_vertices + block->first_row;
    for (uint32_t n = 0; n < block->row_count; n++) {
        __builtin_prefetch(from + 3 * (size_t)vertices[n + 16 < block->row_count ? n + 16 : n]);
        memcpy(to + 4 * (size_t)n, from + 3 * (size_t)vertices[n], 3 * sizeof *to);
    }
}

/* Rows that a kernel reads, in the scratch of the worker. */
static struct block_rows rows_of(const struct block_call *call, const struct float_block *block, uint32_t worker)
{
    const struct float_system *system = call->system;
    size_t size = 4 * (size_t)system->most_rows;
    double *now = system->double_scratch + 3 * size * worker, *start = now + size, *direction = start + size;
    copy_rows(system, block, call->pass->now, now);
    if (call->pass->rate > 0) {
        copy_rows(system, block, call->pass->start, start);
    }
    if (call->pass->direction) {
        copy_rows(system, block, call->pass->direction, direction);
    }
    return (struct block_rows){now, start, direction, call->pass->rate};
}

/* From the beginning to now: what does not move by itself has been put where it is before. */
static struct block_rows rows_since(const struct block_call *call, const struct float_block *block, uint32_t worker)
{
    const struct float_system *system = call->system;
    size_t size = 4 * (size_t)system->most_rows;
    double *now = system->double_scratch + 3 * size * worker, *begin = now + size, *direction = begin + size;
    const uint32_t *vertices = system->row_vertices + block->first_row, *slots = system->row_slots + block->first_row;
    for (uint32_t n = 0; n < block->row_count; n++) {
        const double *from = call->pass->begin + 3 * (size_t)vertices[n];
        double *b = begin + 4 * (size_t)n, *d = direction + 4 * (size_t)n;
        const double *x = now + 4 * (size_t)n;
        for (int k = 0; k < 3; k++) {
            b[k] = slots[n] < system->slot_count ? from[k] : x[k];
            d[k] = x[k] - b[k];
        }
    }
    return (struct block_rows){begin, NULL, direction, 0};
}

static void gradient_task(void *data, uint32_t number, uint32_t worker)
{
    const struct block_call *call = data;
    const struct float_block *block = &call->system->blocks[number];
    struct block_rows rows = rows_of(call, block, worker);
    double *sums = call->system->double_sums + 4 * (size_t)block->first_row;
    memset(sums, 0, 4 * (size_t)block->row_count * sizeof *sums);
    call->system->block_kernels->gradient(&block->doubles, &rows, sums);
}

static void gather_task(void *data, uint32_t task, uint32_t worker)
{
    (void)worker;
    const struct block_call *call = data;
    const struct float_system *system = call->system;
    uint32_t begin = task * SLOTS_A_TASK, left = system->slot_count - begin;
    uint32_t end = begin + (left < SLOTS_A_TASK ? left : SLOTS_A_TASK);
    for (uint32_t s = begin; s < end; s++) {
        double x = 0, y = 0, z = 0, *to = call->out + 3 * (size_t)system->slot_vertices[s];
        for (uint32_t n = system->slot_starts[s]; n < system->slot_starts[s + 1]; n++) {
            const double *row = system->double_sums + 4 * (size_t)system->slot_rows[n];
            x += row[0];
            y += row[1];
            z += row[2];
        }
        to[0] = x;
        to[1] = y;
        to[2] = z;
    }
}

void block_gradient(const struct sim_model *model, const struct float_system *system, const struct element_pass *pass,
                    double *out)
{
    struct element_pass still = *pass;
    still.direction = NULL;
    struct block_call call = {system, &still, out, false, false};
    dent_parallel_for(model->context, system->block_count, gradient_task, &call);
    if (system->slot_count > 0) {
        dent_parallel_for(model->context, (system->slot_count - 1) / SLOTS_A_TASK + 1, gather_task, &call);
    }
}

_Static_assert((int)CHANGE_KINDS <= (int)LINE_TERMS, "double_partial has room for either");

static double sum_lanes(const double lanes[FLOAT_LANES])
{
    double sum = 0;
    for (int lane = 0; lane < FLOAT_LANES; lane++) {
        sum += lanes[lane];
    }
    return sum;
}

/* While its elements are near: how the energy of the block has changed since the beginning. */
static double change_since(const struct block_call *call, const struct float_block *block, uint32_t worker)
{
    const struct block_kernels *kernels = call->system->block_kernels;
    double sums[CHANGE_KINDS][FLOAT_LANES] = {{0}};
    struct block_rows rows = rows_since(call, block, worker);
    (call->cloth ? kernels->change_cloth : kernels->change_tets)(&block->doubles, &rows, sums);
    return sum_lanes(sums[call->cloth ? CHANGE_CLOTH : CHANGE_TETS]);
}

static void change_task(void *data, uint32_t number, uint32_t worker)
{
    const struct block_call *call = data;
    const struct float_block *block = &call->system->blocks[number];
    const struct float_elements *elements = &block->elements;
    double *partial = call->system->double_partial + BLOCK_SUMS * (size_t)number, sums[LINE_TERMS][FLOAT_LANES];
    int kinds = call->line ? LINE_TERMS : CHANGE_KINDS;
    memset(partial, 0, BLOCK_SUMS * sizeof *partial);
    if ((call->cloth ? elements->triangle_count + elements->hinge_count : elements->tet_count) == 0) {
        return;
    }
    struct block_rows rows = rows_of(call, block, worker);
    const struct block_kernels *kernels = call->system->block_kernels;
    memset(sums, 0, sizeof sums);
    (call->line    ? kernels->line
     : call->cloth ? kernels->change_cloth
                   : kernels->change_tets)(&block->doubles, &rows, sums);
    for (int kind = 0; kind < kinds; kind++) {
        partial[kind] = sum_lanes(sums[kind]);
    }
    if (call->pass->begin) {
        partial[BLOCK_SINCE] = change_since(call, block, worker);
    }
}

static double sum_kind(const struct float_system *system, int kind)
{
    double sum = 0;
    for (uint32_t b = 0; b < system->block_count; b++) {
        sum += system->double_partial[BLOCK_SUMS * (size_t)b + (size_t)kind];
    }
    return sum;
}

/* Returns the change since the beginning. */
static double sum_blocks(const struct sim_model *model, struct block_call *call, int kinds, double *sums)
{
    dent_parallel_for(model->context, call->system->block_count, change_task, call);
    for (int kind = 0; kind < kinds; kind++) {
        sums[kind] = sum_kind(call->system, kind);
    }
    return call->pass->begin ? sum_kind(call->system, BLOCK_SINCE) : 0;
}

double block_change(const struct sim_model *model, const struct float_system *system, const struct element_pass *pass,
                    bool cloth, double change[CHANGE_KINDS])
{
    struct block_call call = {system, pass, NULL, cloth, false};
    return sum_blocks(model, &call, CHANGE_KINDS, change);
}

double block_line(const struct sim_model *model, const struct float_system *system, const struct element_pass *pass,
                  double terms[LINE_TERMS])
{
    struct block_call call = {system, pass, NULL, false, true};
    return sum_blocks(model, &call, LINE_TERMS, terms);
}
