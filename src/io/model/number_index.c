/* Sorted lists of numbers, by a bottom-up merge sort: stable, no bad cases. Grouping sorts only the runs of equal keys,
 * since files commonly list one group after the other. */
#include "number_index.h"

#include <string.h>

static bool is_sorted(const struct number_entry *entries, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        if (entries[i].key < entries[i - 1].key) {
            return false;
        }
    }
    return true;
}

static void merge(const struct number_entry *from, size_t low, size_t middle, size_t high, struct number_entry *to)
{
    size_t a = low;
    size_t b = middle;
    for (size_t i = low; i < high; i++) {
        bool take_a = b == high || (a < middle && from[a].key <= from[b].key);
        to[i] = from[take_a ? a++ : b++];
    }
}

bool number_index_sort(dent_context *context, struct number_entry *entries, size_t count)
{
    if (is_sorted(entries, count)) {
        return true;
    }
    struct number_entry *spare = dent_allocate(context, count, sizeof *spare);
    if (!spare) {
        return false;
    }
    struct number_entry *from = entries;
    struct number_entry *to = spare;
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t low = 0; low < count; low += 2 * width) {
            size_t middle = count - low > width ? low + width : count;
            size_t high = count - middle > width ? middle + width : count;
            merge(from, low, middle, high, to);
        }
        struct number_entry *swap = from;
        from = to;
        to = swap;
    }
    if (from != entries) {
        memcpy(entries, from, count * sizeof *entries);
    }
    dent_release(context, spare, count, sizeof *spare);
    return true;
}

const struct number_entry *number_index_find(const struct number_entry *entries, size_t count, int64_t key)
{
    /* The first entry with a larger key; the one before it is the answer if there is one. */
    size_t low = 0;
    size_t high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (entries[middle].key <= key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low > 0 && entries[low - 1].key == key ? &entries[low - 1] : NULL;
}

/* ---- groups ---------------------------------------------------------------------------------------------------- */

void number_groups_release(dent_context *context, struct number_groups *groups)
{
    dent_release(context, groups->keys, groups->capacity, sizeof *groups->keys);
    dent_release(context, groups->group_of, groups->element_count, sizeof *groups->group_of);
    *groups = (struct number_groups){0};
}

static size_t count_runs(const int64_t *keys, size_t count)
{
    size_t runs = 1;
    for (size_t i = 1; i < count; i++) {
        runs += keys[i] != keys[i - 1];
    }
    return runs;
}

/* One entry per run, sorted by key, then made unique; returns how many are left. Values are set to "no group yet". */
static bool distinct_keys(dent_context *context, const int64_t *keys, size_t count, struct number_entry *entries,
                          size_t *distinct)
{
    size_t runs = 0;
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || keys[i] != keys[i - 1]) {
            entries[runs++] = (struct number_entry){.key = keys[i], .value = UINT32_MAX};
        }
    }
    if (!number_index_sort(context, entries, runs)) {
        return false;
    }
    size_t kept = 0;
    for (size_t i = 0; i < runs; i++) {
        if (i == 0 || entries[i].key != entries[kept - 1].key) {
            entries[kept++] = entries[i];
        }
    }
    *distinct = kept;
    return true;
}

static void number_by_appearance(const int64_t *keys, struct number_entry *entries, size_t distinct,
                                 struct number_groups *groups)
{
    struct number_entry *last = NULL;
    for (size_t i = 0; i < groups->element_count; i++) {
        if (!last || last->key != keys[i]) {
            last = entries + (number_index_find(entries, distinct, keys[i]) - entries);
            if (last->value == UINT32_MAX) {
                last->value = groups->count;
                groups->keys[groups->count++] = keys[i];
            }
        }
        groups->group_of[i] = last->value;
    }
}

bool number_groups_find(dent_context *context, const int64_t *keys, size_t element_count, struct number_groups *groups)
{
    *groups = (struct number_groups){0};
    size_t runs = count_runs(keys, element_count);
    size_t distinct = 1;
    struct number_entry *entries = dent_allocate(context, runs, sizeof *entries);
    bool good = entries && distinct_keys(context, keys, element_count, entries, &distinct);
    if (good) {
        groups->capacity = distinct;
        groups->keys = dent_allocate(context, distinct, sizeof *groups->keys);
        good = groups->keys != NULL;
    }
    if (good && distinct > 1) {
        groups->element_count = element_count;
        groups->group_of = dent_allocate(context, element_count, sizeof *groups->group_of);
        good = groups->group_of != NULL;
    }
    if (good && distinct > 1) {
        number_by_appearance(keys, entries, distinct, groups);
    } else if (good) {
        groups->keys[0] = keys[0];
        groups->count = 1;
    }
    dent_release(context, entries, runs, sizeof *entries);
    if (!good) {
        number_groups_release(context, groups);
    }
    return good;
}
