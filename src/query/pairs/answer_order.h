/* The answers of many blocks as one list in canonical order, without repetitions. Many answers are ordered by all
 * workers; the list is the same for any number of them. */
#ifndef DENT_QUERY_ANSWER_ORDER_H
#define DENT_QUERY_ANSWER_ORDER_H

#include <dent/query.h>

#include "base/arena.h"
#include "base/block_output.h"
#include "bodies/snapshot.h"

/* Which features side a has, for an even division of the work: what is wrong here changes the order of nothing. */
struct feature_numbers {
    const struct body_snapshot *bodies;
    uint32_t body_count;
    enum feature_kind kind;
    size_t count; /* of that kind, in all bodies */
};

/* Empties `blocks` (of dent_pair) and fills `pairs`. Without `numbers` the calling thread does it alone. False when
 * memory runs out, now or in a block. */
bool answer_order(struct block_output *blocks, const struct feature_numbers *numbers, struct dynamic_array *pairs,
                  struct arena *scratch);

/* Fewer answers than this are not worth dividing. */
enum { ANSWER_ORDER_FEW = 1024 };

#endif
