/* Canonical order by all workers. See answer_order.h.
 *
 *   lists of the blocks -> bins by (body a, feature a) -> shares of a few bins, sorted as words of 64 bits -> pairs
 *
 * One loop over runs of equally many answers, which may begin within a list, counts how many of each run fall into each
 * bin, a second one puts them there, packed. Neighbouring bins are joined to shares of about the same size, wherever the
 * contact is, and a third loop sorts every share, the largest first, and writes its pairs to their final places. Only when there were repetitions, which no share can
 * know of the others, a fourth one moves the pairs up.
 *
 * Most worlds have room for body, feature, body, feature and kind in 64 bits. Those that have not are sorted by the
 * calling thread with keys of 128 bits.
 */
#include "query/pairs/answer_order.h"

#include "base/radix_sort.h"

enum {
    KIND_BITS = 3,
    BINS_MAX = 1024,
    ANSWERS_PER_BIN = 16, /* at least */
    SHARES_MAX = 128,
    ANSWERS_PER_SHARE = 32, /* at least */
    RUNS_MAX = 48,          /* many numbers of workers divide this */
    RUNS_STEP = 16,
    ANSWERS_PER_RUN = 64 /* at least */
};

_Static_assert(ANSWER_ORDER_FEW / ANSWERS_PER_RUN >= RUNS_STEP, "what is divided has at least one run");

/* ---- packing ----------------------------------------------------------------------------------------------------- */

/* How the numbers of a pair are packed into one word. */
struct packing {
    int feature_a, body_b, feature_b; /* bits */
};

static int bit_width(uint64_t largest)
{
    return largest ? 64 - __builtin_clzll(largest) : 0;
}

/* `all`: numbers that have every bit of those in any pair. False when the pairs do not fit. */
static bool choose_packing(const dent_pair *all, struct packing *packing)
{
    *packing = (struct packing){bit_width(all->feature_a), bit_width(all->body_b), bit_width(all->feature_b)};
    return bit_width(all->body_a) + packing->feature_a + packing->body_b + packing->feature_b + KIND_BITS <= 64;
}

static void add_bits(dent_pair *all, const dent_pair *pair)
{
    all->body_a |= pair->body_a;
    all->feature_a |= pair->feature_a;
    all->body_b |= pair->body_b;
    all->feature_b |= pair->feature_b;
}

static inline uint64_t pack(const dent_pair *pair, struct packing packing)
{
    uint64_t key = (uint64_t)pair->body_a << packing.feature_a | pair->feature_a;
    key = key << packing.body_b | pair->body_b;
    key = key << packing.feature_b | pair->feature_b;
    return key << KIND_BITS | pair->kind;
}

static inline uint32_t take_bits(uint64_t *key, int bits)
{
    uint32_t value = (uint32_t)(*key & ((UINT64_C(1) << bits) - 1));
    *key >>= bits;
    return value;
}

static inline dent_pair unpack(uint64_t key, struct packing packing)
{
    dent_pair pair;
    pair.kind = take_bits(&key, KIND_BITS);
    pair.feature_b = take_bits(&key, packing.feature_b);
    pair.body_b = take_bits(&key, packing.body_b);
    pair.feature_a = take_bits(&key, packing.feature_a);
    pair.body_a = (uint32_t)key;
    return pair;
}

/* ---- one share --------------------------------------------------------------------------------------------------- */

/* Leaves out repetitions, among the keys too; returns how many are left. */
static size_t unpack_once(uint64_t *keys, size_t count, struct packing packing, dent_pair *pairs)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || keys[i] >> KIND_BITS != keys[kept - 1] >> KIND_BITS) {
            pairs[kept] = unpack(keys[i], packing);
            keys[kept++] = keys[i];
        }
    }
    return kept;
}

/* ---- shares ------------------------------------------------------------------------------------------------------ */

/* Answers that one block of a loop goes through. */
struct answer_run {
    uint32_t list;              /* it begins in this one, */
    size_t skipped;             /* behind so many answers */
    size_t first_answer, count; /* of all answers, in the order of the lists */
    dent_pair all;              /* bits of all its answers */
    uint32_t counts[BINS_MAX];  /* of its answers by bin; then how many of the runs before it are in the bin */
};

struct ordering {
    const struct block_output *blocks;
    const struct feature_numbers *numbers;
    dent_pair *pairs;
    size_t count;
    uint64_t *keys, *scratch;
    uint16_t *bin_of; /* by answer, in the order of the lists */
    struct packing packing;
    int bin_shift;
    uint32_t run_count, bin_count, share_count;
    struct answer_run *runs;
    uint32_t bins[BINS_MAX];      /* where they begin among the keys */
    size_t first[SHARES_MAX + 1]; /* the same of the shares */
    size_t kept[SHARES_MAX], begin[SHARES_MAX];
    uint32_t largest_first[SHARES_MAX]; /* shares */
};

/* A number that grows with (body a, feature a). */
static inline uint64_t place_of(const struct feature_numbers *numbers, const dent_pair *pair)
{
    const struct body_snapshot *body = &numbers->bodies[pair->body_a];
    uint64_t end = pair->body_a + 1 < numbers->body_count ? body[1].first[numbers->kind] : numbers->count;
    uint64_t slot = body->first[numbers->kind] + (uint64_t)pair->feature_a;
    return slot < end ? slot : end;
}

/* Runs differ by one answer at most: what they cost is what they read. */
static void choose_runs(struct ordering *ordering)
{
    uint32_t lists = ordering->blocks->block_count, runs = ordering->run_count, run = 0;
    size_t answers = 0;
    for (uint32_t list = 0; list < lists && run < runs; list++) {
        size_t end = answers + block_output_count_of(ordering->blocks, list);
        for (; run < runs && ordering->count / runs * run + ordering->count % runs * run / runs < end; run++) {
            size_t first = ordering->count / runs * run + ordering->count % runs * run / runs;
            struct answer_run *next = &ordering->runs[run];
            next->list = list;
            next->skipped = first - answers;
            next->first_answer = first;
            next->count = ordering->count - first; /* until the next one begins */
            if (run > 0) {
                next[-1].count = first - next[-1].first_answer;
            }
        }
        answers = end;
    }
}

/* The answers of a run, piece by piece as they lie in memory. */
struct run_cursor {
    const struct block_output *blocks;
    uint32_t list;
    size_t skipped, left;
    struct record_run records;
};

static struct run_cursor run_begin(const struct ordering *ordering, const struct answer_run *run)
{
    return (struct run_cursor){ordering->blocks, run->list, run->skipped, run->count,
                               block_output_first(ordering->blocks, run->list)};
}

/* How many there are at *pairs; 0: no more. */
static size_t run_next(struct run_cursor *cursor, const dent_pair **pairs)
{
    while (cursor->left > 0) {
        struct record_run records = cursor->records;
        if (records.count == 0) {
            cursor->records = block_output_first(cursor->blocks, ++cursor->list);
            continue;
        }
        cursor->records = block_output_next(&records);
        if (records.count <= cursor->skipped) {
            cursor->skipped -= records.count;
            continue;
        }
        size_t count = records.count - cursor->skipped;
        *pairs = (const dent_pair *)records.records + cursor->skipped;
        count = count < cursor->left ? count : cursor->left;
        cursor->skipped = 0;
        cursor->left -= count;
        return count;
    }
    return 0;
}

static void count_run(void *data, uint32_t block, uint32_t worker)
{
    (void)worker;
    struct ordering *ordering = data;
    struct answer_run *run = &ordering->runs[block];
    uint16_t *bin_of = ordering->bin_of + run->first_answer;
    dent_pair all = {0, 0, 0, 0, 0};
    memset(run->counts, 0, ordering->bin_count * sizeof *run->counts);
    struct run_cursor cursor = run_begin(ordering, run);
    const dent_pair *pairs = NULL;
    for (size_t count; (count = run_next(&cursor, &pairs)) > 0;) {
        for (size_t i = 0; i < count; i++) {
            uint64_t bin = place_of(ordering->numbers, &pairs[i]) >> ordering->bin_shift;
            add_bits(&all, &pairs[i]);
            run->counts[bin]++;
            *bin_of++ = (uint16_t)bin;
        }
    }
    run->all = all;
}

/* Neighbouring bins together, until there are enough answers in them. */
static void join_bins(struct ordering *ordering)
{
    size_t wanted = ordering->count / SHARES_MAX + 1, slot = 0;
    wanted = wanted > ANSWERS_PER_SHARE ? wanted : ANSWERS_PER_SHARE;
    uint32_t shares = 0;
    ordering->first[0] = 0;
    for (uint32_t bin = 0; bin < ordering->bin_count; bin++) {
        uint32_t count = ordering->bins[bin];
        ordering->bins[bin] = (uint32_t)slot;
        slot += count;
        if (slot - ordering->first[shares] >= wanted) {
            ordering->first[++shares] = slot;
        }
    }
    ordering->first[shares + 1] = slot;
    ordering->share_count = shares + (slot > ordering->first[shares]);
}

/* From counts to places. False: the pairs cannot be packed. */
static bool place_bins(struct ordering *ordering)
{
    dent_pair all = {0, 0, 0, 0, 0};
    memset(ordering->bins, 0, sizeof ordering->bins);
    for (uint32_t run = 0; run < ordering->run_count; run++) {
        uint32_t *counts = ordering->runs[run].counts;
        add_bits(&all, &ordering->runs[run].all);
        for (uint32_t bin = 0; bin < ordering->bin_count; bin++) {
            uint32_t count = counts[bin];
            counts[bin] = ordering->bins[bin];
            ordering->bins[bin] += count;
        }
    }
    join_bins(ordering);
    return choose_packing(&all, &ordering->packing);
}

static void put_run(void *data, uint32_t block, uint32_t worker)
{
    (void)worker;
    struct ordering *ordering = data;
    struct answer_run *run = &ordering->runs[block];
    const uint16_t *bin_of = ordering->bin_of + run->first_answer;
    uint64_t *keys = ordering->keys;
    for (uint32_t bin = 0; bin < ordering->bin_count; bin++) {
        run->counts[bin] += ordering->bins[bin];
    }
    struct run_cursor cursor = run_begin(ordering, run);
    const dent_pair *pairs = NULL;
    for (size_t count; (count = run_next(&cursor, &pairs)) > 0;) {
        for (size_t i = 0; i < count; i++) {
            keys[run->counts[*bin_of++]++] = pack(&pairs[i], ordering->packing);
        }
    }
}

static size_t size_of_share(const struct ordering *ordering, uint32_t share)
{
    return ordering->first[share + 1] - ordering->first[share];
}

/* One more insertion sort: shares are few. */
static void put_largest_first(struct ordering *ordering)
{
    uint32_t *order = ordering->largest_first;
    for (uint32_t share = 0; share < ordering->share_count; share++) {
        uint32_t slot = share;
        size_t size = size_of_share(ordering, share);
        for (; slot > 0 && size_of_share(ordering, order[slot - 1]) < size; slot--) {
            order[slot] = order[slot - 1];
        }
        order[slot] = share;
    }
}

static void sort_share(void *data, uint32_t number, uint32_t worker)
{
    (void)worker;
    struct ordering *ordering = data;
    uint32_t share = ordering->largest_first[number];
    size_t first = ordering->first[share], count = ordering->first[share + 1] - first;
    uint64_t *keys = ordering->keys + first;
    radix_sort_u64(keys, NULL, ordering->scratch + first, NULL, count);
    ordering->kept[share] = unpack_once(keys, count, ordering->packing, ordering->pairs + first);
}

static void move_share(void *data, uint32_t share, uint32_t worker)
{
    (void)worker;
    const struct ordering *ordering = data;
    const uint64_t *keys = ordering->keys + ordering->first[share];
    dent_pair *pairs = ordering->pairs + ordering->begin[share];
    for (size_t i = 0; i < ordering->kept[share]; i++) {
        pairs[i] = unpack(keys[i], ordering->packing);
    }
}

/* Returns how many pairs are left without repetitions. */
static size_t sort_shares(struct ordering *ordering, dent_context *context)
{
    size_t kept = 0;
    put_largest_first(ordering);
    dent_parallel_for(context, ordering->share_count, sort_share, ordering);
    for (uint32_t share = 0; share < ordering->share_count; share++) {
        ordering->begin[share] = kept;
        kept += ordering->kept[share];
    }
    if (kept < ordering->count) {
        dent_parallel_for(context, ordering->share_count, move_share, ordering);
    }
    return kept;
}

/* ---- the calling thread alone ------------------------------------------------------------------------------------ */

static struct key128 wide_key(const dent_pair *pair)
{
    return (struct key128){(uint64_t)pair->body_a << 32 | pair->feature_a,
                           (uint64_t)pair->body_b << 32 | pair->feature_b};
}

/* Pairs that do not fit 64 bits. */
static bool sort_wide(struct dynamic_array *pairs, struct arena *scratch)
{
    size_t count = pairs->count, kept = 0;
    dent_pair *sorted = pairs->data, *unsorted = arena_allocate(scratch, count, sizeof *unsorted);
    struct key128 *keys = arena_allocate(scratch, count, 2 * sizeof *keys);
    uint32_t *order = arena_allocate(scratch, count, 2 * sizeof *order);
    if (!unsorted || !keys || !order) {
        return false;
    }
    memcpy(unsorted, sorted, count * sizeof *unsorted);
    for (size_t i = 0; i < count; i++) {
        keys[i] = wide_key(&unsorted[i]);
        order[i] = (uint32_t)i;
    }
    radix_sort_u128(keys, order, keys + count, order + count, count);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || keys[i].high != keys[i - 1].high || keys[i].low != keys[i - 1].low) {
            sorted[kept++] = unsorted[order[i]];
        }
    }
    pairs->count = kept;
    return true;
}

static bool sort_alone(struct dynamic_array *pairs, struct arena *scratch)
{
    dent_pair *sorted = pairs->data, all = {0, 0, 0, 0, 0};
    struct packing packing;
    size_t count = pairs->count;
    for (size_t i = 0; i < count; i++) {
        add_bits(&all, &sorted[i]);
    }
    if (!choose_packing(&all, &packing)) {
        return sort_wide(pairs, scratch);
    }
    uint64_t *keys = arena_allocate(scratch, count, 2 * sizeof *keys);
    for (size_t i = 0; keys && i < count; i++) {
        keys[i] = pack(&sorted[i], packing);
    }
    if (keys) {
        radix_sort_u64(keys, NULL, keys + count, NULL, count);
        pairs->count = unpack_once(keys, count, packing, sorted);
    }
    return keys != NULL;
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

/* As a merge would have it: a quarter to spare, as the next step may find a little more. */
static bool make_room(struct dynamic_array *pairs, size_t count)
{
    if (count > pairs->capacity) {
        (void)array_reserve(pairs, count + count / 4);
    }
    return array_extend(pairs, count) != NULL;
}

static uint32_t at_most(size_t count, uint32_t most)
{
    return count < most ? (uint32_t)count : most;
}

/* Bins of equally many features. */
static void choose_bins(struct ordering *ordering)
{
    uint64_t largest = ordering->numbers->count;
    uint32_t bins = at_most(ordering->count / ANSWERS_PER_BIN, BINS_MAX);
    for (ordering->bin_shift = 0; largest >> ordering->bin_shift >= bins; ordering->bin_shift++) {
    }
    ordering->bin_count = (uint32_t)(largest >> ordering->bin_shift) + 1;
}

/* *packed false: nothing was written, the pairs do not fit 64 bits. */
static bool sort_together(struct block_output *blocks, const struct feature_numbers *numbers,
                          struct dynamic_array *pairs, struct arena *scratch, bool *packed)
{
    size_t count = block_output_count(blocks);
    struct ordering *ordering = arena_allocate(scratch, 1, sizeof *ordering);
    uint32_t runs = at_most(count / ANSWERS_PER_RUN, RUNS_MAX) / RUNS_STEP * RUNS_STEP;
    struct answer_run *run_room = arena_allocate(scratch, runs, sizeof *run_room);
    uint64_t *keys = arena_allocate(scratch, count, 2 * sizeof *keys);
    uint16_t *bin_of = arena_allocate(scratch, count, sizeof *bin_of);
    if (!ordering || !run_room || !keys || !bin_of || !make_room(pairs, count)) {
        return false;
    }
    ordering->blocks = blocks;
    ordering->numbers = numbers;
    ordering->pairs = pairs->data;
    ordering->count = count;
    ordering->keys = keys;
    ordering->scratch = keys + count;
    ordering->bin_of = bin_of;
    ordering->runs = run_room;
    ordering->run_count = runs;
    choose_bins(ordering);
    choose_runs(ordering);
    dent_parallel_for(blocks->context, ordering->run_count, count_run, ordering);
    *packed = place_bins(ordering);
    if (!*packed) {
        array_clear(pairs);
        return true;
    }
    dent_parallel_for(blocks->context, ordering->run_count, put_run, ordering);
    pairs->count = sort_shares(ordering, blocks->context);
    block_output_empty(blocks);
    return true;
}

bool answer_order(struct block_output *blocks, const struct feature_numbers *numbers, struct dynamic_array *pairs,
                  struct arena *scratch)
{
    array_clear(pairs);
    if (block_output_failed(blocks)) {
        return false;
    }
    struct arena_mark mark = arena_mark(scratch);
    bool packed = false;
    bool enough = !numbers || block_output_count(blocks) < ANSWER_ORDER_FEW ||
                  sort_together(blocks, numbers, pairs, scratch, &packed);
    if (enough && !packed) {
        enough = block_output_merge(blocks, pairs) && (pairs->count == 0 || sort_alone(pairs, scratch));
    }
    arena_rewind(scratch, mark);
    return enough;
}
