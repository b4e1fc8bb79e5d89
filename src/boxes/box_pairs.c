/* Collecting and ordering pairs. See box_pairs.h.
 *
 * The order is made in steps that each stay in a cache: pairs are dealt out to ranges of RANGE_SIZE smaller indices, then
 * each range is sorted by digits. A box has few partners as a rule. Then the highest digit of their indices is enough,
 * and what is left is mended pair by pair.
 */
#include "boxes/box_pairs.h"

#include "base/radix_sort.h"

#include <string.h>

enum { RANGE_BITS = 12, RANGE_SIZE = 1 << RANGE_BITS, DIGIT_BITS = 11, PASSES_MOST = 4, FEW_PARTNERS = 64 };

/* Where the digits of each pass begin: 64 KiB, too much for small stacks. One for each worker. */
struct digit_places {
    uint32_t of_pass[PASSES_MOST][RANGE_SIZE];
};

void pair_collector_init(struct pair_collector *collector, dent_context *context)
{
    *collector = (struct pair_collector){.context = context};
    block_output_init(&collector->found, context, sizeof(uint64_t));
    array_init(&collector->grouped, context, sizeof(uint64_t));
    array_init(&collector->ends, context, sizeof(uint64_t));
    array_init(&collector->block_work, context, sizeof(struct block_work));
    array_init(&collector->fresh, context, sizeof(dent_box_pair));
    array_init(&collector->places, context, sizeof(struct digit_places));
}

void pair_collector_destroy(struct pair_collector *collector)
{
    block_output_destroy(&collector->found);
    array_destroy(&collector->grouped);
    array_destroy(&collector->ends);
    array_destroy(&collector->block_work);
    array_destroy(&collector->fresh);
    array_destroy(&collector->places);
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

/* ends[r + 1] is how many pairs range r has. */
static void count_ranges(const struct block_output *found, uint64_t *ends)
{
    for (uint32_t block = 0; block < found->block_count; block++) {
        for (struct record_run run = block_output_first(found, block); run.count > 0; run = block_output_next(&run)) {
            const uint64_t *keys = run.records, *last = keys + run.count;
            while (keys < last) {
                ends[(*keys++ >> (32 + RANGE_BITS)) + 1]++;
            }
        }
    }
}

/* Keys range by range. ends[r] is the end of range r afterwards. */
static void deal_out(struct pair_collector *collector, uint32_t range_count, uint64_t *grouped)
{
    const struct block_output *found = &collector->found;
    uint64_t *ends = collector->ends.data;
    memset(ends, 0, ((size_t)range_count + 1) * sizeof *ends);
    count_ranges(found, ends);
    for (uint32_t range = 0; range < range_count; range++) {
        ends[range + 1] += ends[range];
    }
    for (uint32_t block = 0; block < found->block_count; block++) {
        for (struct record_run run = block_output_first(found, block); run.count > 0; run = block_output_next(&run)) {
            const uint64_t *keys = run.records, *last = keys + run.count;
            while (keys < last) {
                uint64_t key = *keys++;
                grouped[ends[key >> (32 + RANGE_BITS)]++] = key;
            }
        }
    }
}

/* One step of a sort: by the bits [shift, shift + bits) of the keys. */
struct digit {
    uint32_t shift, bits;
};

struct digit_plan {
    struct digit digits[PASSES_MOST];
    uint32_t passes;
};

/* All digits of the larger index, or only the highest, then the smaller one within its range. */
static struct digit_plan plan_digits(uint32_t box_count, bool all)
{
    struct digit_plan plan = {.passes = 0};
    uint32_t bits = 1;
    while (bits < 32 && (box_count - 1) >> bits != 0) {
        bits++;
    }
    uint32_t from = all || bits <= DIGIT_BITS ? 0 : bits - DIGIT_BITS;
    for (uint32_t passes = (bits - from + DIGIT_BITS - 1) / DIGIT_BITS; passes > 0; passes--) {
        uint32_t width = (bits - from + passes - 1) / passes;
        plan.digits[plan.passes++] = (struct digit){from, width};
        from += width;
    }
    plan.digits[plan.passes++] = (struct digit){32, RANGE_BITS};
    return plan;
}

static inline uint32_t digit_of(uint64_t key, struct digit digit)
{
    return (uint32_t)(key >> digit.shift) & ((UINT32_C(1) << digit.bits) - 1);
}

/* How often the digits of two passes occur: two at a time is what compilers make a tight loop of. */
static void count_two(struct digit one, struct digit two, const uint64_t *keys, uint64_t count, uint32_t *ones, uint32_t *twos)
{
    memset(ones, 0, sizeof *ones << one.bits);
    memset(twos, 0, sizeof *twos << two.bits);
    for (uint64_t i = 0; i < count; i++) {
        ones[digit_of(keys[i], one)]++;
        twos[digit_of(keys[i], two)]++;
    }
}

/* Counts become the places where digits begin. Returns the largest count. */
static uint32_t add_up(uint32_t *places, uint32_t bits)
{
    uint32_t sum = 0, most = 0;
    for (uint32_t digit = 0; digit >> bits == 0; digit++) {
        uint32_t own = places[digit];
        places[digit] = sum;
        sum += own;
        most = own > most ? own : most;
    }
    return most;
}

/* Returns the largest number of keys with one last digit. */
static uint32_t find_places(const struct digit_plan *plan, const uint64_t *keys, uint64_t count,
                            uint32_t places[PASSES_MOST][RANGE_SIZE])
{
    uint32_t most = 0;
    for (uint32_t pass = 0; pass < plan->passes; pass += 2) {
        uint32_t next = pass + 1 < plan->passes ? pass + 1 : 0;
        count_two(plan->digits[pass], plan->digits[next], keys, count, places[pass], places[next]);
    }
    for (uint32_t pass = 0; pass < plan->passes; pass++) {
        most = add_up(places[pass], plan->digits[pass].bits);
    }
    return most;
}

static inline uint64_t key_of(const dent_box_pair *pair)
{
    return (uint64_t)pair->a << 32 | pair->b;
}

/* Pairs that stand behind a larger one are moved ahead of it. */
static void mend_order(dent_box_pair *pairs, uint64_t count)
{
    uint64_t before = key_of(&pairs[0]);
    for (uint64_t i = 1; i < count; i++) {
        uint64_t key = key_of(&pairs[i]), at = i;
        if (key < before) {
            dent_box_pair pair = pairs[i];
            for (; at > 0 && key < key_of(&pairs[at - 1]); at--) {
                pairs[at] = pairs[at - 1];
            }
            pairs[at] = pair;
            key = before;
        }
        before = key;
    }
}

/* The keys lie where the pairs of the range shall. The passes go to and fro between there and `spare`; the last one writes
 * pairs. */
static void order_keys(const struct digit_plan *plan, uint32_t places[PASSES_MOST][RANGE_SIZE], uint64_t *keys,
                       uint64_t *spare, uint64_t count, uint32_t first)
{
    uint64_t *from = keys, *to = spare;
    if (plan->passes % 2) {
        memcpy(spare, keys, count * sizeof *keys);
        from = spare;
        to = keys;
    }
    uint32_t last = plan->passes - 1;
    for (uint32_t pass = 0; pass < last; pass++) {
        struct digit digit = plan->digits[pass];
        uint32_t *at = places[pass];
        for (uint64_t i = 0; i < count; i++) {
            uint64_t key = from[i];
            to[at[digit_of(key, digit)]++] = key;
        }
        uint64_t *other = from;
        from = to;
        to = other;
    }
    dent_box_pair *pairs = (dent_box_pair *)(void *)keys;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t key = from[i];
        pairs[places[last][key >> 32 & (RANGE_SIZE - 1)]++] =
            (dent_box_pair){first | (uint32_t)(key >> 32 & (RANGE_SIZE - 1)), (uint32_t)key};
    }
}

static void order_range(void *data, uint32_t range, uint32_t worker)
{
    struct collector_call *call = data;
    const uint64_t *ends = call->collector->ends.data;
    uint32_t box_count = box_store_count(call->collector->store);
    uint64_t begin = range > 0 ? ends[range - 1] : 0, count = ends[range] - begin;
    dent_box_pair *pairs = (dent_box_pair *)call->pairs->data + begin;
    uint64_t *keys = (uint64_t *)(void *)pairs, *spare = (uint64_t *)call->collector->grouped.data + begin;
    struct digit_plan plan = plan_digits(box_count, false);
    uint32_t(*places)[RANGE_SIZE] = ((struct digit_places *)call->collector->places.data)[worker].of_pass;
    if (count == 0) {
        return;
    }
    if (find_places(&plan, keys, count, places) > FEW_PARTNERS) {
        plan = plan_digits(box_count, true);
        find_places(&plan, keys, count, places);
    }
    order_keys(&plan, places, keys, spare, count, range << RANGE_BITS);
    mend_order(pairs, count);
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
    if (!resize(&collector->places, dent_context_worker_count(collector->context))) {
        return DENT_ERROR_OUT_OF_MEMORY;
    }
    deal_out(collector, ranges, (uint64_t *)call->pairs->data);
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
