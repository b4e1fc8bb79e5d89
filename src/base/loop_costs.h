/* A parallel loop that remembers how long its blocks took: next time the longest are begun first, so that none of them
 * keeps one worker busy when the others are done. Which block runs when changes no answer; what the blocks are, and
 * what they are called, stays as it is.
 *
 * Meant for loops that come again and again with the same blocks, such as the search of a world from step to step. With
 * one worker it is a plain loop. */
#ifndef DENT_BASE_LOOP_COSTS_H
#define DENT_BASE_LOOP_COSTS_H

#include "base/containers/dynamic_array.h"

struct loop_costs {
    struct dynamic_array ns;    /* uint32_t by block, of the last loop */
    struct dynamic_array order; /* uint32_t: blocks, the longest first */
};

/* Takes no memory yet. */
void loop_costs_init(struct loop_costs *costs, dent_context *context);
void loop_costs_destroy(struct loop_costs *costs);

/* dent_parallel_for() in that order. Blocks of a loop with another number of them than the last one run in the order
 * of their numbers, as they do without memory for the costs. */
void loop_costs_run(struct loop_costs *costs, dent_context *context, uint32_t block_count,
                    dent_block_function *function, void *data);

#endif
