/* Loops over vertices on the threads of the context. Sums have blocks of fixed size and add them up in order: the same
 * bits for any number of threads. */
#include "sim/model/sim_model.h"

#include <string.h>

struct range_call {
    sim_range_function *function;
    void *data;
    uint32_t begin, end;
};

static void range_block(void *data, uint32_t block, uint32_t worker)
{
    (void)worker;
    const struct range_call *call = data;
    uint32_t begin = call->begin + block * SIM_BLOCK;
    uint32_t end = call->end - begin > SIM_BLOCK ? begin + SIM_BLOCK : call->end;
    call->function(call->data, begin, end);
}

void sim_parallel(dent_context *context, uint32_t begin, uint32_t end, sim_range_function *function, void *data)
{
    if (begin >= end) {
        return;
    }
    if (end - begin <= SIM_BLOCK) {
        function(data, begin, end);
        return;
    }
    struct range_call call = {function, data, begin, end};
    dent_parallel_for(context, (end - begin - 1) / SIM_BLOCK + 1, range_block, &call);
}

struct copy_call {
    char *to;
    const char *from;
    size_t size;
};

enum { COPY_BLOCK = 1 << 17 };

static void copy_block(void *data, uint32_t block, uint32_t worker)
{
    (void)worker;
    const struct copy_call *call = data;
    size_t begin = (size_t)block * COPY_BLOCK, left = call->size - begin;
    memcpy(call->to + begin, call->from + begin, left < COPY_BLOCK ? left : COPY_BLOCK);
}

void sim_copy(dent_context *context, void *to, const void *from, size_t size)
{
    struct copy_call call = {to, from, size};
    if (size > COPY_BLOCK) {
        dent_parallel_for(context, (uint32_t)((size - 1) / COPY_BLOCK + 1), copy_block, &call);
    } else if (size > 0) {
        memcpy(to, from, size);
    }
}

/* ---- sums -------------------------------------------------------------------------------------------------------- */

enum { SUM_BLOCK = 1024, MOST_BLOCKS = 128 };

struct sum_call {
    sim_sum_function *function;
    void *data;
    uint32_t begin, end;
    double sums[MOST_BLOCKS][SIM_MOST_SUMS];
};

static void sum_block(void *data, uint32_t block, uint32_t worker)
{
    (void)worker;
    struct sum_call *call = data;
    uint32_t begin = call->begin + block * SUM_BLOCK, left = call->end - begin;
    memset(call->sums[block], 0, sizeof call->sums[block]);
    call->function(call->data, begin, left < SUM_BLOCK ? call->end : begin + SUM_BLOCK, call->sums[block]);
}

/* Some blocks from `begin` on, at most those there is room for; returns how many. */
static uint32_t run_some(dent_context *context, struct sum_call *call, uint32_t begin, uint32_t end)
{
    uint32_t left = end - begin, some = left < SUM_BLOCK * MOST_BLOCKS ? left : SUM_BLOCK * MOST_BLOCKS;
    uint32_t blocks = (some - 1) / SUM_BLOCK + 1;
    call->begin = begin;
    call->end = begin + some;
    if (blocks == 1) {
        sum_block(call, 0, 0);
    } else {
        dent_parallel_for(context, blocks, sum_block, call);
    }
    return blocks;
}

void sim_parallel_sums(dent_context *context, uint32_t begin, uint32_t end, sim_sum_function *function, void *data,
                       double sums[SIM_MOST_SUMS])
{
    struct sum_call call = {.function = function, .data = data};
    memset(sums, 0, SIM_MOST_SUMS * sizeof *sums);
    for (; begin < end; begin = call.end) {
        uint32_t count = run_some(context, &call, begin, end) * SIM_MOST_SUMS;
        for (uint32_t n = 0; n < count; n++) {
            sums[n % SIM_MOST_SUMS] += call.sums[n / SIM_MOST_SUMS][n % SIM_MOST_SUMS];
        }
    }
}

double sim_parallel_most(dent_context *context, uint32_t begin, uint32_t end, sim_sum_function *function, void *data)
{
    struct sum_call call = {.function = function, .data = data};
    double most = 0;
    for (; begin < end; begin = call.end) {
        uint32_t count = run_some(context, &call, begin, end);
        for (uint32_t n = 0; n < count; n++) {
            most = call.sums[n][0] > most ? call.sums[n][0] : most;
        }
    }
    return most;
}
