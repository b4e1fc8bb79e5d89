/* Sorts records in place, in O(n log n) on every input and without memory of its own: qsort may allocate, and the radix
 * sort needs scratch arrays and integer keys. Records that compare equal end in an order that depends on nothing but
 * the input. */
#ifndef DENT_BASE_HEAP_SORT_H
#define DENT_BASE_HEAP_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Does record a come before record b? `data` is what heap_sort was given. */
typedef bool record_order(const void *a, const void *b, const void *data);

static inline void heap_sort_swap(unsigned char *a, unsigned char *b, size_t size)
{
    unsigned char spare[64];
    for (size_t done = 0, part; done < size; done += part) {
        part = size - done < sizeof spare ? size - done : sizeof spare;
        memcpy(spare, a + done, part);
        memcpy(a + done, b + done, part);
        memcpy(b + done, spare, part);
    }
}

/* `count` records of `size` bytes. */
static inline void heap_sort(void *records, size_t count, size_t size, record_order *before, const void *data)
{
    unsigned char *first = records;
    /* The first count / 2 turns build the heap, largest on top; each further one moves the top to the end. */
    for (size_t turn = count / 2 + count; turn > 1; turn--) {
        size_t root = turn > count ? turn - count - 1 : 0, end = turn > count ? count : turn - 1;
        if (turn <= count) {
            heap_sort_swap(first, first + end * size, size);
        }
        for (size_t child; (child = 2 * root + 1) < end; root = child) {
            child += child + 1 < end && before(first + child * size, first + (child + 1) * size, data);
            if (!before(first + root * size, first + child * size, data)) {
                break;
            }
            heap_sort_swap(first + root * size, first + child * size, size);
        }
    }
}

#endif
