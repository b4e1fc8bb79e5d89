/* Per-block lists joined in block order. Each list has a cache line of its own, so that blocks on different threads do
 * not write to the same line. */
#include "block_output.h"

#include "dent_assert.h"

struct block_output_list {
    _Alignas(ALLOCATION_ALIGNMENT) struct dynamic_array records;
    bool failed;
};

void block_output_init(struct block_output *output, dent_context *context, size_t record_size)
{
    *output = (struct block_output){.context = context, .record_size = record_size};
}

void block_output_destroy(struct block_output *output)
{
    for (uint32_t i = 0; i < output->list_count; i++) {
        array_destroy(&output->lists[i].records);
    }
    dent_release(output->context, output->lists, output->list_count, sizeof *output->lists);
    block_output_init(output, output->context, output->record_size);
}

static bool make_lists(struct block_output *output, uint32_t needed)
{
    if (needed <= output->list_count) {
        return true;
    }
    struct block_output_list *lists =
        dent_reallocate(output->context, output->lists, output->list_count, needed, sizeof *lists);
    if (!lists) {
        return false;
    }
    for (uint32_t i = output->list_count; i < needed; i++) {
        array_init(&lists[i].records, output->context, output->record_size);
    }
    output->lists = lists;
    output->list_count = needed;
    return true;
}

bool block_output_begin(struct block_output *output, uint32_t block_count)
{
    output->block_count = 0;
    if (!make_lists(output, block_count)) {
        return false;
    }
    for (uint32_t i = 0; i < block_count; i++) {
        array_clear(&output->lists[i].records);
        output->lists[i].failed = false;
    }
    output->block_count = block_count;
    return true;
}

void *block_output_extend(struct block_output *output, uint32_t block, size_t count)
{
    DENT_ASSERT(block < output->block_count);
    struct block_output_list *list = &output->lists[block];
    void *room = array_extend(&list->records, count);
    if (!room) {
        list->failed = true;
    }
    return room;
}

bool block_output_append(struct block_output *output, uint32_t block, const void *records, size_t count)
{
    if (count == 0) {
        return true;
    }
    void *room = block_output_extend(output, block, count);
    if (!room) {
        return false;
    }
    memcpy(room, records, count * output->record_size);
    return true;
}

const void *block_output_records(const struct block_output *output, uint32_t block, size_t *count)
{
    DENT_ASSERT(block < output->block_count);
    *count = output->lists[block].records.count;
    return output->lists[block].records.data;
}

size_t block_output_count(const struct block_output *output)
{
    size_t total = 0;
    for (uint32_t i = 0; i < output->block_count; i++) {
        total += output->lists[i].records.count; /* cannot overflow: the records are all in memory */
    }
    return total;
}

bool block_output_merge(const struct block_output *output, struct dynamic_array *array)
{
    DENT_ASSERT(array->element_size == output->record_size);
    for (uint32_t i = 0; i < output->block_count; i++) {
        if (output->lists[i].failed) {
            return false;
        }
    }
    size_t total = block_output_count(output);
    if (total == 0) {
        return true;
    }
    unsigned char *room = array_extend(array, total);
    if (!room) {
        return false;
    }
    for (uint32_t i = 0; i < output->block_count; i++) {
        const struct dynamic_array *records = &output->lists[i].records;
        if (records->count > 0) {
            memcpy(room, records->data, records->count * output->record_size);
            room += records->count * output->record_size;
        }
    }
    return true;
}

bool block_output_even_out(struct block_output *output)
{
    size_t fullest = 0;
    for (uint32_t i = 0; i < output->block_count; i++) {
        size_t count = output->lists[i].records.count;
        fullest = count > fullest ? count : fullest;
    }
    for (uint32_t i = 0; i < output->list_count; i++) {
        if (!array_reserve(&output->lists[i].records, 2 * fullest)) {
            return false;
        }
    }
    return true;
}
