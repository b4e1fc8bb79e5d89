/* Collecting and ordering pairs. See box_pairs.h.
 *
 * The order is made in three steps that each stay in a cache: pairs are dealt out to ranges of RANGE_SIZE smaller
 * indices, then within a range by a counting sort to each index, then each index's few partners by insertion.
 */
#include "boxes/box_pairs.h"

#include "base/radix_sort.h"

#include <string.h>

enum { RANGE_BITS = 12, RANGE_SIZE = 1 << RANGE_BITS, INSERTION_MOST = 48 };

void pair_collector_init(struct pair_collector *collector, dent_context *context)
{
    *collector = (struct pair_collector){.context = context};
    block_output_init(&collector->found, context, sizeof(uint64_t));
    array_init(&collector->grouped, context, sizeof(uint64_t));
    array_init(&collector->ends, context, sizeof(uint64_t));
    array_init(&collector->block_work, context, sizeof(struct block_work));
    array_init(&collector->fresh, context, sizeof(dent_box_pair));
}

void pair_collector_destroy(struct pair_collector *collector)
{
    block_output_destroy(&collector->found);
    array_destroy(&collector->grouped);
    array_destroy(&collector->ends);
    array_destroy(&collector->block_work);
    array_destroy(&collector->fresh);
}

/* ---- out of the blocks ------------------------------------------------------------------------------------------- */

static bool is_pair(const struct box_store *store, uint32_t a, uint32_t b)
{
    if ((store->groups.count || store->masks.count) && !box_store_may_meet(store, a, b)) {
        return false;
    }
    const struct box_corners *corners = store->corners.data;
    return store->exact || corners_meet(&corners[a], &corners[b]);
}

static void flush_pairs(struct pair_buffer *buffer)
{
    struct pair_collector *collector = buffer->data;
    const struct box_store *store = collector->store;
    uint64_t keys[PAIRS_BUFFERED];
    uint32_t count = 0;
    bool sure = store->exact && !store->groups.count && !store->masks.count;
    for (uint32_t i = 0; i < buffer->count; i++) {
        uint32_t a = buffer->a[i], b = buffer->b[i];
        keys[count] = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
        count += sure || is_pair(store, a, b);
    }
    struct block_work *work = (struct block_work *)collector->block_work.data + buffer->block;
    work->candidates += buffer->count;
    buffer->count = 0;
    block_output_append(&collector->found, buffer->block, keys, count); /* a failure comes out at the end */
}

struct collector_call {
    struct pair_collector *collector;
    pair_block_function *function;
    void *data;
    struct dynamic_array *pairs;
};

static void collect_block(void *data, uint32_t block, uint32_t worker)
{
    struct collector_call *call = data;
    struct pair_buffer buffer;
    (void)worker;
    buffer.count = 0;
    buffer.tests = 0;
    buffer.flush = flush_pairs;
    buffer.data = call->collector;
    buffer.block = block;
    call->function(call->data, block, &buffer);
    buffer.flush(&buffer);
    ((struct block_work *)call->collector->block_work.data)[block].tests = buffer.tests;
}

/* ---- order ------------------------------------------------------------------------------------------------------- */

/* Counts, then deals out. ends[r] is the end of range r afterwards. */
static void deal_out(struct pair_collector *collector, uint32_t range_count)
{
    uint64_t *ends = collector->ends.data, *grouped = collector->grouped.data;
    memset(ends, 0, ((size_t)range_count + 1) * sizeof *ends);
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t block = 0; block < collector->found.block_count; block++) {
            struct record_run run = block_output_first(&collector->found, block);
            for (; run.count > 0; run = block_output_next(&run)) {
                const uint64_t *keys = run.records;
                for (size_t i = 0; i < run.count; i++) {
                    uint64_t range = keys[i] >> (32 + RANGE_BITS);
                    if (pass == 0) {
                        ends[range + 1]++;
                    } else {
                        grouped[ends[range]++] = keys[i];
                    }
                }
            }
        }
        for (uint32_t range = 0; pass == 0 && range < range_count; range++) {
            ends[range + 1] += ends[range];
        }
    }
}

static uint64_t load_key(const dent_box_pair *at)
{
    uint64_t key;
    memcpy(&key, at, sizeof key);
    return key;
}

static void store_key(dent_box_pair *at, uint64_t key)
{
    memcpy(at, &key, sizeof key);
}

/* Partners of one index. `scratch` has room for as many keys. */
static void sort_partners(dent_box_pair *pairs, uint64_t *scratch, uint64_t count)
{
    if (count > INSERTION_MOST) {
        uint64_t *keys = (uint64_t *)(void *)pairs; /* holds keys now */
        radix_sort_u64(keys, NULL, scratch, NULL, (size_t)count);
        return;
    }
    for (uint64_t i = 1; i < count; i++) {
        uint64_t key = load_key(&pairs[i]), at = i;
        for (; at > 0 && load_key(&pairs[at - 1]) > key; at--) {
            pairs[at] = pairs[at - 1];
        }
        store_key(&pairs[at], key);
    }
}

static void order_range(void *data, uint32_t range, uint32_t worker)
{
    struct collector_call *call = data;
    const uint64_t *ends = call->collector->ends.data;
    uint64_t begin = range > 0 ? ends[range - 1] : 0, count = ends[range] - begin;
    uint64_t *grouped = (uint64_t *)call->collector->grouped.data + begin;
    dent_box_pair *pairs = (dent_box_pair *)call->pairs->data + begin;
    uint32_t first[RANGE_SIZE + 1] = {0};
    (void)worker;
    if (count == 0) {
        return;
    }
    for (uint64_t i = 0; i < count; i++) {
        first[(grouped[i] >> 32 & (RANGE_SIZE - 1)) + 1]++;
    }
    for (uint32_t i = 0; i < RANGE_SIZE; i++) {
        first[i + 1] += first[i];
    }
    for (uint64_t i = 0; i < count; i++) {
        store_key(&pairs[first[grouped[i] >> 32 & (RANGE_SIZE - 1)]++], grouped[i]);
    }
    for (uint32_t i = 0, from = 0; i < RANGE_SIZE; from = first[i++]) {
        sort_partners(pairs + from, grouped + from, first[i] - from);
    }
    for (uint64_t i = 0; i < count; i++) {
        uint64_t key = load_key(&pairs[i]);
        pairs[i] = (dent_box_pair){(uint32_t)(key >> 32), (uint32_t)key};
    }
}

static bool resize(struct dynamic_array *array, size_t count)
{
    if (!array_reserve_growing(array, count)) {
        return false;
    }
    array->count = count;
    return true;
}

/* Few pairs of many boxes: one sort of all. */
static void order_few(const struct collector_call *call)
{
    const struct block_output *found = &call->collector->found;
    uint64_t *keys = call->collector->grouped.data, *scratch = (uint64_t *)call->pairs->data;
    dent_box_pair *pairs = call->pairs->data;
    size_t count = 0;
    for (uint32_t block = 0; block < found->block_count; block++) {
        for (struct record_run run = block_output_first(found, block); run.count > 0; run = block_output_next(&run)) {
            memcpy(keys + count, run.records, run.count * sizeof *keys);
            count += run.count;
        }
    }
    radix_sort_u64(keys, NULL, scratch, NULL, count);
    for (size_t i = 0; i < count; i++) {
        pairs[i] = (dent_box_pair){(uint32_t)(keys[i] >> 32), (uint32_t)keys[i]};
    }
}

static dent_status order_pairs(struct collector_call *call)
{
    struct pair_collector *collector = call->collector;
    uint32_t ranges = (box_store_count(collector->store) >> RANGE_BITS) + 1;
    size_t total = block_output_count(&collector->found);
    if (total > UINT32_MAX) {
        return dent_fail(collector->context, DENT_ERROR_TOO_LARGE, "%zu pairs of boxes: less than 2^32 expected", total);
    }
    if (block_output_failed(&collector->found) || !resize(&collector->grouped, total) ||
        !resize(&collector->ends, (size_t)ranges + 1) || !resize(call->pairs, total)) {
        return DENT_ERROR_OUT_OF_MEMORY;
    }
    if (total < box_store_count(collector->store) / 8) {
        order_few(call);
        return DENT_OK;
    }
    deal_out(collector, ranges);
    return dent_parallel_for(collector->context, ranges, order_range, call);
}

dent_status pair_collector_run(struct pair_collector *collector, const struct box_store *store, uint32_t block_count,
                               pair_block_function *function, void *data, struct dynamic_array *pairs,
                               struct block_work *work)
{
    struct collector_call call = {collector, function, data, pairs};
    size_t kept = pairs->count;
    collector->store = store;
    dent_status status = DENT_ERROR_OUT_OF_MEMORY;
    if (resize(&collector->block_work, block_count) && block_output_begin(&collector->found, block_count)) {
        memset(collector->block_work.data, 0, block_count * sizeof(struct block_work));
        status = dent_parallel_for(collector->context, block_count, collect_block, &call);
    }
    if (status == DENT_OK) {
        status = order_pairs(&call);
    }
    if (status == DENT_ERROR_OUT_OF_MEMORY) {
        dent_fail(collector->context, status, "no memory for the pairs of %u boxes", (unsigned)box_store_count(store));
    }
    if (status) {
        pairs->count = kept;
    }
    const struct block_work *blocks = collector->block_work.data;
    *work = (struct block_work){0, 0};
    for (uint32_t block = 0; block < block_count && status == DENT_OK; block++) {
        work->tests += blocks[block].tests;
        work->candidates += blocks[block].candidates;
    }
    block_output_empty(&collector->found);
    return status;
}
