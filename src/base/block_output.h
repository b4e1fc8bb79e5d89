/* The output of a parallel loop, in an order that does not depend on the threads: every block appends records to a list
 * of its own, and the lists are joined in block order afterwards.
 *
 *     block_output_begin(&output, block_count);  // false: out of memory
 *     dent_parallel_for(...);                    // blocks call block_output_append(&output, block, ...)
 *     block_output_merge(&output, &array);       // false: some worker, or the merge, ran out of memory
 *
 * Lists are chains of small chunks out of one store, which is kept from loop to loop: what counts is how much all
 * blocks write together, not which of them does. Contact that wanders through a body, or workers that find things in
 * another order, need no new memory; a loop that writes more than the store holds takes the rest from the allocator,
 * and the merge makes a store of twice that size. A block that runs out of memory need not say so to anybody:
 * the failure is remembered and comes out at the merge. */
#ifndef DENT_BASE_BLOCK_OUTPUT_H
#define DENT_BASE_BLOCK_OUTPUT_H

#include "base/containers/dynamic_array.h"

struct block_output_list;

struct block_output {
    dent_context *context;
    struct block_output_list *lists; /* list_count of them; those of the current loop come first */
    uint32_t list_count;
    uint32_t block_count; /* of the current loop */
    size_t record_size;
    unsigned char *store; /* store_chunks of them, chunk_bytes each */
    size_t store_chunks, chunk_bytes;
    size_t taken; /* chunks asked for in the current loop, some of them beyond the store; by all threads */
};

/* Takes no memory yet. */
void block_output_init(struct block_output *output, dent_context *context, size_t record_size);
void block_output_destroy(struct block_output *output);

/* Empties all lists and makes one for each of block_count blocks. False when memory runs out; the output is then
 * empty. */
bool block_output_begin(struct block_output *output, uint32_t block_count);

/* Copies `count` records to the end of the block's list. False when memory runs out: some of them may be missing then.
 * Threads: one per block. */
bool block_output_append(struct block_output *output, uint32_t block, const void *records, size_t count);

/* Records of one block, and of all. */
size_t block_output_count_of(const struct block_output *output, uint32_t block);
size_t block_output_count(const struct block_output *output);

/* Has a block run out of memory? */
bool block_output_failed(const struct block_output *output);

/* The records of a list where they lie, run by run, so that several threads can read them at once. */
struct record_run {
    const void *records;
    size_t count; /* 0: there are no more */
    const void *chunk;
};
struct record_run block_output_first(const struct block_output *output, uint32_t block);
struct record_run block_output_next(const struct record_run *run);

/* Empties the lists, as a merge does. */
void block_output_empty(struct block_output *output);

/* Appends the lists to `array` (of the same record size) in block order and empties them. False when a block or the
 * array ran out of memory; the array is then as it was. */
bool block_output_merge(struct block_output *output, struct dynamic_array *array);

#endif
