/* Pairs from the rows to the caller: exact test, filters, canonical order.
 *
 * In: pairs of indices whose records meet, each once, in any order. Out: those whose boxes meet and whose filters agree,
 * sorted. Rows write into a pair_buffer, which empties itself into the list of its block.
 */
#ifndef DENT_BOXES_BOX_PAIRS_H
#define DENT_BOXES_BOX_PAIRS_H

#include "base/arena.h"
#include "base/block_output.h"
#include "boxes/box_store.h"

struct pair_collector {
    dent_context *context;
    const struct box_store *store;
    struct block_output found;      /* uint64_t: smaller index << 32 | larger */
    struct dynamic_array grouped;   /* uint64_t: by ranges of the smaller index */
    struct dynamic_array ends;      /* uint64_t: of each range */
    struct dynamic_array block_work; /* struct block_work */
    struct dynamic_array fresh;      /* dent_box_pair: room for pairs that are not yet all there are */
    struct dynamic_array places;     /* struct digit_places: one for each worker */
};

/* What a block has counted. */
struct block_work {
    uint64_t tests, candidates;
};

void pair_collector_init(struct pair_collector *collector, dent_context *context);
void pair_collector_destroy(struct pair_collector *collector);

/* Finds the pairs of one block. */
typedef void pair_block_function(void *data, uint32_t block, struct pair_buffer *out);

/* Runs the blocks and sorts what they find into `pairs` (dent_box_pair). Fails with OUT_OF_MEMORY or TOO_LARGE; `pairs` is
 * as it was then, but for its room. */
dent_status pair_collector_run(struct pair_collector *collector, const struct box_store *store, uint32_t block_count,
                               pair_block_function *function, void *data, struct dynamic_array *pairs,
                               struct block_work *work);

#endif
