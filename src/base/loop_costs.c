/* Blocks by what they cost last time. See loop_costs.h. */
#include "base/loop_costs.h"

#include <dent/base.h>

void loop_costs_init(struct loop_costs *costs, dent_context *context)
{
    array_init(&costs->ns, context, sizeof(uint32_t));
    array_init(&costs->order, context, sizeof(uint32_t));
}

void loop_costs_destroy(struct loop_costs *costs)
{
    array_destroy(&costs->ns);
    array_destroy(&costs->order);
}

/* Four classes to an octave, the dearest first. */
enum { CLASSES = 128 };
static uint32_t class_of(uint32_t ns)
{
    uint32_t octave = 31 - (uint32_t)__builtin_clz(ns | 4);
    return CLASSES - 1 - (4 * octave + ((ns >> (octave - 2)) & 3));
}

/* In each class the order of the numbers: nearly as good as sorted. */
static void sort_blocks(const uint32_t *ns, uint32_t *order, uint32_t count)
{
    uint32_t places[CLASSES] = {0};
    for (uint32_t block = 0; block < count; block++) {
        places[class_of(ns[block])]++;
    }
    uint32_t first = 0;
    for (int class = 0; class < CLASSES; class ++) {
        uint32_t in_class = places[class];
        places[class] = first;
        first += in_class;
    }
    for (uint32_t block = 0; block < count; block++) {
        order[places[class_of(ns[block])]++] = block;
    }
}

struct timed_loop {
    uint32_t *ns;
    const uint32_t *order;
    dent_block_function *function;
    void *data;
};

/* A cost grows to no more than twice the old one in one loop: the worker may have been disturbed. */
static void run_timed(void *data, uint32_t number, uint32_t worker)
{
    const struct timed_loop *loop = data;
    uint32_t block = loop->order[number];
    uint64_t began = dent_clock_ns();
    loop->function(loop->data, block, worker);
    uint64_t took = dent_clock_ns() - began, old = loop->ns[block];
    took = old > 0 && took > 2 * old ? 2 * old : took;
    loop->ns[block] = took < UINT32_MAX ? (uint32_t)took : UINT32_MAX;
}

/* False: there is no memory for it. */
static bool make_room(struct loop_costs *costs, uint32_t block_count)
{
    if (costs->ns.count == block_count) {
        return true;
    }
    array_clear(&costs->ns);
    array_clear(&costs->order);
    uint32_t *ns = array_extend(&costs->ns, block_count);
    if (!ns || !array_extend(&costs->order, block_count)) {
        array_clear(&costs->ns);
        return false;
    }
    memset(ns, 0, block_count * sizeof *ns);
    return true;
}

void loop_costs_run(struct loop_costs *costs, dent_context *context, uint32_t block_count,
                    dent_block_function *function, void *data)
{
    if (dent_context_worker_count(context) == 1 || !make_room(costs, block_count)) {
        dent_parallel_for(context, block_count, function, data);
        return;
    }
    struct timed_loop loop = {costs->ns.data, costs->order.data, function, data};
    sort_blocks(costs->ns.data, costs->order.data, block_count);
    dent_parallel_for(context, block_count, run_timed, &loop);
}
