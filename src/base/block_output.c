/* Per-block lists joined in block order. Each list has a cache line of its own, so that blocks on different threads do
 * not write to the same line. */
#include "base/block_output.h"

#include "base/allocator.h"
#include "base/dent_assert.h"

/* Records follow. */
struct record_chunk {
    struct record_chunk *next;
    uint32_t count, capacity;
};

struct block_output_list {
    _Alignas(ALLOCATION_ALIGNMENT) struct record_chunk *first, *last;
    size_t count;
    bool failed;
};

enum { CHUNK_BYTES = 2048, FEWEST_RECORDS = 8 };

void block_output_init(struct block_output *output, dent_context *context, size_t record_size)
{
    size_t bytes = sizeof(struct record_chunk) + FEWEST_RECORDS * record_size;
    bytes += ALLOCATION_ALIGNMENT - 1;
    bytes -= bytes % ALLOCATION_ALIGNMENT;
    *output = (struct block_output){
        .context = context, .record_size = record_size, .chunk_bytes = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES};
}

static bool is_of_store(const struct block_output *output, const struct record_chunk *chunk)
{
    uintptr_t at = (uintptr_t)chunk, store = (uintptr_t)output->store;
    return at >= store && at - store < output->store_chunks * output->chunk_bytes;
}

static size_t bytes_of_chunk(const struct block_output *output, const struct record_chunk *chunk)
{
    return sizeof *chunk + chunk->capacity * output->record_size;
}

/* Empties the lists of the last loop and gives back what they took beyond the store; returns how many bytes. */
static size_t empty_lists(struct block_output *output)
{
    size_t bytes = 0;
    bool all_of_store = output->taken <= output->store_chunks;
    output->taken = 0;
    for (uint32_t i = 0; i < output->block_count; i++) {
        struct record_chunk *next, *chunk = all_of_store ? NULL : output->lists[i].first;
        output->lists[i] = (struct block_output_list){.first = NULL};
        for (; chunk; chunk = next) {
            next = chunk->next;
            if (!is_of_store(output, chunk)) {
                bytes += bytes_of_chunk(output, chunk);
                dent_release(output->context, chunk, bytes_of_chunk(output, chunk), 1);
            }
        }
    }
    return bytes;
}

void block_output_destroy(struct block_output *output)
{
    empty_lists(output);
    dent_release(output->context, output->store, output->store_chunks, output->chunk_bytes);
    dent_release(output->context, output->lists, output->list_count, sizeof *output->lists);
    block_output_init(output, output->context, output->record_size);
}

/* The lists are empty, so there is nothing to keep. */
static bool make_lists(struct block_output *output, uint32_t needed)
{
    if (needed <= output->list_count) {
        return true;
    }
    uint32_t count = needed <= UINT32_MAX / 2 ? needed + needed / 2 : needed; /* the next loop may have more blocks */
    struct block_output_list *lists = dent_allocate(output->context, count, sizeof *lists);
    if (!lists) {
        return false;
    }
    dent_release(output->context, output->lists, output->list_count, sizeof *lists);
    output->lists = lists;
    output->list_count = count;
    return true;
}

/* A store of twice what the last loop wrote, if that was more than it holds. Not to get it is no failure: chunks then
 * come from the allocator again. */
static void enlarge_store(struct block_output *output, size_t extra_bytes)
{
    size_t chunks = 2 * (output->store_chunks + extra_bytes / output->chunk_bytes + 1);
    if (extra_bytes == 0) {
        return;
    }
    unsigned char *store = dent_allocate(output->context, chunks, output->chunk_bytes);
    if (store) {
        dent_release(output->context, output->store, output->store_chunks, output->chunk_bytes);
        output->store = store;
        output->store_chunks = chunks;
    }
}

bool block_output_begin(struct block_output *output, uint32_t block_count)
{
    enlarge_store(output, empty_lists(output));
    output->block_count = 0;
    if (!make_lists(output, block_count)) {
        return false;
    }
    for (uint32_t i = 0; i < block_count; i++) {
        output->lists[i] = (struct block_output_list){.first = NULL};
    }
    output->block_count = block_count;
    return true;
}

/* A chunk of the store, or, when it is used up, one as large as all chunks of the list: a long list needs few. */
static struct record_chunk *take_chunk(struct block_output *output, const struct block_output_list *list)
{
    size_t records = (output->chunk_bytes - sizeof(struct record_chunk)) / output->record_size;
    size_t number = __atomic_fetch_add(&output->taken, 1, __ATOMIC_RELAXED);
    struct record_chunk *chunk;
    if (number < output->store_chunks) {
        chunk = (struct record_chunk *)(output->store + number * output->chunk_bytes);
    } else {
        records = list->count > records ? list->count : records;
        records = records < UINT32_MAX ? records : UINT32_MAX;
        size_t bytes;
        if (!size_multiply(records, output->record_size, &bytes) || !size_add(bytes, sizeof *chunk, &bytes)) {
            return NULL;
        }
        chunk = dent_allocate(output->context, bytes, 1);
    }
    if (chunk) {
        *chunk = (struct record_chunk){.capacity = (uint32_t)records};
    }
    return chunk;
}

/* A chunk of the list with room for a record. */
static struct record_chunk *chunk_with_room(struct block_output *output, struct block_output_list *list)
{
    struct record_chunk *last = list->last;
    if (last && last->count < last->capacity) {
        return last;
    }
    struct record_chunk *chunk = take_chunk(output, list);
    if (!chunk) {
        list->failed = true;
        return NULL;
    }
    *(last ? &last->next : &list->first) = chunk;
    list->last = chunk;
    return chunk;
}

static unsigned char *records_of(struct record_chunk *chunk)
{
    return (unsigned char *)(chunk + 1);
}

bool block_output_append(struct block_output *output, uint32_t block, const void *records, size_t count)
{
    DENT_ASSERT(block < output->block_count);
    struct block_output_list *list = &output->lists[block];
    const unsigned char *from = records;
    while (count > 0) {
        struct record_chunk *chunk = chunk_with_room(output, list);
        if (!chunk) {
            return false;
        }
        size_t room = chunk->capacity - chunk->count, part = count < room ? count : room;
        memcpy(records_of(chunk) + chunk->count * output->record_size, from, part * output->record_size);
        chunk->count += (uint32_t)part;
        list->count += part;
        from += part * output->record_size;
        count -= part;
    }
    return true;
}

size_t block_output_count_of(const struct block_output *output, uint32_t block)
{
    DENT_ASSERT(block < output->block_count);
    return output->lists[block].count;
}

size_t block_output_count(const struct block_output *output)
{
    size_t total = 0;
    for (uint32_t i = 0; i < output->block_count; i++) {
        total += output->lists[i].count; /* cannot overflow: the records are all in memory */
    }
    return total;
}

bool block_output_failed(const struct block_output *output)
{
    bool failed = false;
    for (uint32_t i = 0; i < output->block_count; i++) {
        failed = failed || output->lists[i].failed;
    }
    return failed;
}

static struct record_run run_of(const struct record_chunk *chunk)
{
    return chunk ? (struct record_run){chunk + 1, chunk->count, chunk} : (struct record_run){NULL, 0, NULL};
}

struct record_run block_output_first(const struct block_output *output, uint32_t block)
{
    DENT_ASSERT(block < output->block_count);
    return run_of(output->lists[block].first);
}

struct record_run block_output_next(const struct record_run *run)
{
    return run_of(((const struct record_chunk *)run->chunk)->next);
}

void block_output_empty(struct block_output *output)
{
    enlarge_store(output, empty_lists(output)); /* now: the same again must not allocate */
}

bool block_output_merge(struct block_output *output, struct dynamic_array *array)
{
    DENT_ASSERT(array->element_size == output->record_size);
    if (block_output_failed(output)) {
        return false;
    }
    size_t total = block_output_count(output), needed = array->count + total;
    if (needed > array->capacity) { /* with some to spare: the next step may find a little more */
        (void)array_reserve(array, needed + needed / 4);
    }
    unsigned char *room = total > 0 ? array_extend(array, total) : NULL;
    if (total > 0 && !room) {
        return false;
    }
    for (uint32_t i = 0; i < output->block_count && total > 0; i++) {
        for (struct record_chunk *chunk = output->lists[i].first; chunk; chunk = chunk->next) {
            size_t bytes = chunk->count * output->record_size;
            memcpy(room, records_of(chunk), bytes);
            room += bytes;
        }
    }
    block_output_empty(output);
    return true;
}
