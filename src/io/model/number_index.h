/* Finding things by a number from a file: node tags, group tags. Sorted lists and binary search, because a file may
 * choose its numbers to make any hash function collide. */
#ifndef DENT_IO_NUMBER_INDEX_H
#define DENT_IO_NUMBER_INDEX_H

#include <dent/base.h>

struct number_entry {
    int64_t key;
    uint32_t value;
};

/* Sorts by key; entries with equal keys keep their order. False: no memory. O(n) when sorted already, else O(n log n).
 */
bool number_index_sort(dent_context *context, struct number_entry *entries, size_t count);

/* The last entry with this key in a sorted list, or null. O(log n). */
const struct number_entry *number_index_find(const struct number_entry *entries, size_t count, int64_t key);

/* Which distinct keys there are, in order of first appearance, and which of them each element has. */
struct number_groups {
    int64_t *keys; /* `count` of them */
    size_t capacity;
    uint32_t count;
    uint32_t *group_of; /* one per element; null when there is one group only */
    size_t element_count;
};

/* False: no memory, and *groups is empty. element_count > 0. */
bool number_groups_find(dent_context *context, const int64_t *keys, size_t element_count, struct number_groups *groups);
void number_groups_release(dent_context *context, struct number_groups *groups);

#endif
