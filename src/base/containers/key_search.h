/* Binary search in records that are sorted by a key, the uint64_t at their beginning. */
#ifndef DENT_BASE_KEY_SEARCH_H
#define DENT_BASE_KEY_SEARCH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The first record whose key is not below `key`; `count` if there is none. */
static inline size_t key_search(const void *records, size_t count, size_t size, uint64_t key)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        uint64_t found;
        memcpy(&found, (const char *)records + middle * size, sizeof found);
        if (found < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* A record with this key, or null. */
static inline const void *key_search_record(const void *records, size_t count, size_t size, uint64_t key)
{
    size_t i = key_search(records, count, size, key);
    uint64_t found = 0;
    if (i < count) {
        memcpy(&found, (const char *)records + i * size, sizeof found);
    }
    return i < count && found == key ? (const char *)records + i * size : NULL;
}

#endif
