/* Collecting and ordering pairs. See box_pairs.h.
 *
 * The order is made in two steps that each stay in a cache: pairs are dealt out to ranges of RANGE_SIZE smaller indices, then
 * each range is sorted by digits. No branch depends on the numbers.
 */
#include "boxes/box_pairs.h"

#include "base/radix_sort.h"

#include <string.h>

enum { RANGE_BITS = 12, RANGE_SIZE = 1 << RANGE_BITS, DIGIT_BITS_MOST = 11, PASSES_MOST = 4 };

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
        uint32_t a = buffer->a[i], b = buffer->b[i], low = a < b ? a : b, high = a < b ? b : a;
        keys[count] = (uint64_t)low << 32 | high;
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

/* How the pairs of a range are sorted: by the digits of (a - first of the range) << b_bits | b, the lowest one first. */
struct digit_plan {
    uint32_t b_bits, digit_bits, passes;
};

static struct digit_plan plan_digits(uint32_t box_count)
{
    struct digit_plan plan = {.b_bits = 1};
    while (plan.b_bits < 32 && (box_count - 1) >> plan.b_bits != 0) {
        plan.b_bits++;
    }
    plan.passes = (plan.b_bits + RANGE_BITS + DIGIT_BITS_MOST - 1) / DIGIT_BITS_MOST;
    plan.digit_bits = (plan.b_bits + RANGE_BITS + plan.passes - 1) / plan.passes;
    return plan;
}

/* Packs keys, and counts the digits of all passes. */
static void count_digits(const struct digit_plan *plan, const uint64_t *from, uint64_t *to, uint64_t count,
                         uint32_t places[PASSES_MOST][1 << DIGIT_BITS_MOST])
{
    uint64_t mask = (UINT64_C(1) << plan->digit_bits) - 1;
    memset(places, 0, plan->passes * sizeof *places);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t key = (from[i] >> 32 & (RANGE_SIZE - 1)) << plan->b_bits | (uint32_t)from[i], digits = key;
        to[i] = key;
        for (uint32_t pass = 0; pass < plan->passes; pass++, digits >>= plan->digit_bits) {
            places[pass][digits & mask]++;
        }
    }
    for (uint32_t pass = 0; pass < plan->passes; pass++) {
        uint32_t sum = 0;
        for (uint64_t digit = 0; digit <= mask; digit++) {
            uint32_t own = places[pass][digit];
            places[pass][digit] = sum;
            sum += own;
        }
    }
}

/* The passes go to and fro between the two lists; the last one writes pairs. */
static void order_range(void *data, uint32_t range, uint32_t worker)
{
    struct collector_call *call = data;
    const uint64_t *ends = call->collector->ends.data;
    struct digit_plan plan = plan_digits(box_store_count(call->collector->store));
    uint64_t begin = range > 0 ? ends[range - 1] : 0, count = ends[range] - begin;
    uint64_t mask = (UINT64_C(1) << plan.digit_bits) - 1, low = (UINT64_C(1) << plan.b_bits) - 1;
    uint64_t *grouped = (uint64_t *)call->collector->grouped.data + begin;
    dent_box_pair *pairs = (dent_box_pair *)call->pairs->data + begin;
    uint32_t places[PASSES_MOST][1 << DIGIT_BITS_MOST];
    uint64_t *from = plan.passes % 2 ? grouped : (uint64_t *)(void *)pairs, *to = plan.passes % 2 ? (uint64_t *)(void *)pairs : grouped;
    (void)worker;
    if (count == 0) {
        return;
    }
    count_digits(&plan, grouped, from, count, places);
    for (uint32_t pass = 0, shift = 0; pass + 1 < plan.passes; pass++, shift += plan.digit_bits) {
        for (uint64_t i = 0; i < count; i++) {
            to[places[pass][from[i] >> shift & mask]++] = from[i];
        }
        uint64_t *other = from;
        from = to;
        to = other;
    }
    uint32_t last = plan.passes - 1, shift = last * plan.digit_bits;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t key = from[i];
        pairs[places[last][key >> shift & mask]++] =
            (dent_box_pair){range << RANGE_BITS | (uint32_t)(key >> plan.b_bits), (uint32_t)(key & low)};
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
