/* Records put into buckets by their smallest vertex and sorted within: the one tool behind faces, edges and duplicates.
 *
 * Use: vertex_buckets_begin; count every record; vertex_buckets_allocate; put every record in the same order; then
 * vertex_buckets_sort. The records of vertex a are then records[start[a]] to records[start[a + 1] - 1], by (key0, key1,
 * ref).
 */
#ifndef DENT_BODIES_VERTEX_BUCKETS_H
#define DENT_BODIES_VERTEX_BUCKETS_H

#include <dent/base.h>

struct bucket_record {
    uint32_t key0, key1; /* sorted by key0, then key1, then ref: a total order, so the result is unique */
    uint32_t ref;
};

struct vertex_buckets {
    dent_context *context;
    uint32_t vertex_count;
    uint64_t record_count;
    uint64_t *start; /* vertex_count + 2 */
    struct bucket_record *records;
};

/* False when memory is short; vertex_buckets_end is then still allowed. */
bool vertex_buckets_begin(struct vertex_buckets *buckets, dent_context *context, uint32_t vertex_count);
bool vertex_buckets_allocate(struct vertex_buckets *buckets);
void vertex_buckets_sort(struct vertex_buckets *buckets);
void vertex_buckets_end(struct vertex_buckets *buckets);

static inline void vertex_buckets_count(struct vertex_buckets *buckets, uint32_t vertex)
{
    buckets->start[(size_t)vertex + 2]++;
}

static inline void vertex_buckets_put(struct vertex_buckets *buckets, uint32_t vertex, uint32_t key0, uint32_t key1,
                                      uint32_t ref)
{
    struct bucket_record *record = &buckets->records[buckets->start[(size_t)vertex + 1]++];
    record->key0 = key0;
    record->key1 = key1;
    record->ref = ref;
}

#endif
