/* Candidates of a discrete question, tested eight at a time in lanes of doubles (pair_kernels.h); what these leave open
 * goes to the exact test of the question one by one. The answers are those of the exact test alone.
 *
 * In: candidates of one block. Out: answers, in any order. Threads: each has its own batch.
 */
#ifndef DENT_QUERY_PAIR_BATCH_H
#define DENT_QUERY_PAIR_BATCH_H

#include "base/block_output.h"
#include "query/pairs/pair_tests.h"

struct pair_batch {
    const struct pair_row *row;
    const struct pair_kernels *kernels;
    const struct snapshot *snapshot;
    bool touching;
    predicate_counters *counters;
    struct block_output *answers; /* of the question: a failure is remembered and met at the merge */
    uint32_t block;
};

/* Candidates in canonical sides. */
void pair_batch_test(const struct pair_batch *batch, const struct candidate *candidates, size_t count);

/* The same without lanes. */
void pair_batch_test_plainly(const struct pair_batch *batch, const struct candidate *candidates, size_t count);

#endif
