/* Node numbers. Most files count 1, 2, 3 … and need no table at all; files written part by part permute them, and a
 * table over their range answers in one step; only really sparse numbers pay for a sorted list. */
#include "node_tags.h"

#include <string.h>

void node_tags_init(struct node_tags *tags, dent_context *context)
{
    *tags = (struct node_tags){.context = context};
    array_init(&tags->tags, context, sizeof(int64_t));
}

void node_tags_release(struct node_tags *tags)
{
    array_destroy(&tags->tags);
    dent_release(tags->context, tags->table, tags->table_size, sizeof *tags->table);
    dent_release(tags->context, tags->sorted, tags->count, sizeof *tags->sorted);
    node_tags_init(tags, tags->context);
}

bool node_tags_reserve(struct node_tags *tags, size_t count)
{
    return array_reserve_growing(&tags->tags, tags->tags.count + count);
}

bool node_tags_add(struct node_tags *tags, int64_t tag)
{
    return array_push(&tags->tags, &tag);
}

static dent_status make_table(struct node_tags *tags, const int64_t *list, int64_t *duplicate)
{
    tags->table = dent_allocate(tags->context, tags->table_size, sizeof *tags->table);
    if (!tags->table) {
        return DENT_ERROR_OUT_OF_MEMORY;
    }
    memset(tags->table, 0xff, tags->table_size * sizeof *tags->table);
    for (uint32_t i = 0; i < tags->count; i++) {
        uint32_t *place = &tags->table[list[i] - tags->first];
        if (*place != UINT32_MAX) {
            *duplicate = list[i];
            return DENT_ERROR_BAD_MESH;
        }
        *place = i;
    }
    return DENT_OK;
}

static dent_status make_sorted(struct node_tags *tags, const int64_t *list, int64_t *duplicate)
{
    tags->sorted = dent_allocate(tags->context, tags->count, sizeof *tags->sorted);
    if (!tags->sorted) {
        return DENT_ERROR_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < tags->count; i++) {
        tags->sorted[i] = (struct number_entry){.key = list[i], .value = i};
    }
    if (!number_index_sort(tags->context, tags->sorted, tags->count)) {
        return DENT_ERROR_OUT_OF_MEMORY;
    }
    for (uint32_t i = 1; i < tags->count; i++) {
        if (tags->sorted[i].key == tags->sorted[i - 1].key) {
            *duplicate = tags->sorted[i].key;
            return DENT_ERROR_BAD_MESH;
        }
    }
    return DENT_OK;
}

dent_status node_tags_finish(struct node_tags *tags, int64_t *duplicate)
{
    const int64_t *list = tags->tags.data;
    tags->count = (uint32_t)tags->tags.count;
    bool consecutive = true;
    int64_t lowest = tags->count ? list[0] : 0;
    int64_t highest = lowest;
    for (uint32_t i = 1; i < tags->count; i++) {
        consecutive = consecutive && list[i] == list[i - 1] + 1;
        lowest = list[i] < lowest ? list[i] : lowest;
        highest = list[i] > highest ? list[i] : highest;
    }
    tags->first = lowest;
    dent_status status = DENT_OK;
    if (!consecutive) {
        uint64_t range = (uint64_t)highest - (uint64_t)lowest;
        if (range < 4 * (uint64_t)tags->count + 1024) {
            tags->table_size = (size_t)range + 1;
            status = make_table(tags, list, duplicate);
        } else {
            status = make_sorted(tags, list, duplicate);
        }
    }
    array_destroy(&tags->tags);
    return status;
}

bool node_tags_find(const struct node_tags *tags, int64_t tag, uint32_t *position)
{
    if (tags->sorted) {
        const struct number_entry *entry = number_index_find(tags->sorted, tags->count, tag);
        *position = entry ? entry->value : 0;
        return entry != NULL;
    }
    uint64_t offset = (uint64_t)tag - (uint64_t)tags->first;
    if (tag < tags->first || offset >= (tags->table ? tags->table_size : tags->count)) {
        return false;
    }
    *position = tags->table ? tags->table[offset] : (uint32_t)offset;
    return *position != UINT32_MAX;
}
