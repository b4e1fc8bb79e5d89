/* From the answers of many blocks to one canonical list. See answer_list.h. */
#include "query/pairs/answer_list.h"

#include "base/radix_sort.h"
#include "query/pairs/pair_tests.h"

void answer_list_init(struct answer_list *list, dent_context *context, const struct pair_row *row)
{
    list->row = row;
    block_output_init(&list->blocks, context, sizeof(dent_pair));
    array_init(&list->pairs, context, sizeof(dent_pair));
    array_init(&list->details, context, row && row->detail ? row->detail_size : 1);
}

void answer_list_destroy(struct answer_list *list)
{
    block_output_destroy(&list->blocks);
    array_destroy(&list->pairs);
    array_destroy(&list->details);
}

static struct key128 pair_key(const dent_pair *pair)
{
    return (struct key128){(uint64_t)pair->body_a << 32 | pair->feature_a,
                           (uint64_t)pair->body_b << 32 | pair->feature_b};
}

static void sort_and_make_unique(struct dynamic_array *pairs, const dent_pair *unsorted, struct key128 *keys,
                                 uint32_t *order, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        keys[i] = pair_key(&unsorted[i]);
        order[i] = (uint32_t)i;
    }
    radix_sort_u128(keys, order, keys + count, order + count, count);
    dent_pair *sorted = pairs->data;
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || keys[i].high != keys[i - 1].high || keys[i].low != keys[i - 1].low) {
            sorted[kept++] = unsorted[order[i]];
        }
    }
    pairs->count = kept;
}

/* How the numbers of a pair are packed into one word: most worlds have room for body, feature, body, feature and kind
 * in 64 bits, which sorts several times faster than 128 bits and a payload. */
struct packing {
    int feature_a, body_b, feature_b; /* bits */
};

enum { KIND_BITS = 3 };

static int bit_width(uint32_t largest)
{
    int width = 0;
    for (; largest > 0; largest >>= 1) {
        width++;
    }
    return width;
}

/* False when the pairs do not fit. */
static bool choose_packing(const dent_pair *pairs, size_t count, struct packing *packing)
{
    dent_pair all = {0, 0, 0, 0, 0};
    for (size_t i = 0; i < count; i++) {
        all.body_a |= pairs[i].body_a;
        all.feature_a |= pairs[i].feature_a;
        all.body_b |= pairs[i].body_b;
        all.feature_b |= pairs[i].feature_b;
    }
    *packing = (struct packing){bit_width(all.feature_a), bit_width(all.body_b), bit_width(all.feature_b)};
    return bit_width(all.body_a) + packing->feature_a + packing->body_b + packing->feature_b + KIND_BITS <= 64;
}

static uint64_t pack(const dent_pair *pair, struct packing packing)
{
    uint64_t key = (uint64_t)pair->body_a << packing.feature_a | pair->feature_a;
    key = key << packing.body_b | pair->body_b;
    key = key << packing.feature_b | pair->feature_b;
    return key << KIND_BITS | pair->kind;
}

static uint32_t take_bits(uint64_t *key, int bits)
{
    uint32_t value = (uint32_t)(*key & ((UINT64_C(1) << bits) - 1));
    *key >>= bits;
    return value;
}

static dent_pair unpack(uint64_t key, struct packing packing)
{
    dent_pair pair;
    pair.kind = take_bits(&key, KIND_BITS);
    pair.feature_b = take_bits(&key, packing.feature_b);
    pair.body_b = take_bits(&key, packing.body_b);
    pair.feature_a = take_bits(&key, packing.feature_a);
    pair.body_a = (uint32_t)key;
    return pair;
}

static bool sort_packed(struct dynamic_array *pairs, struct packing packing, struct arena *scratch)
{
    size_t count = pairs->count, kept = 0;
    dent_pair *sorted = pairs->data;
    uint64_t *keys = arena_allocate(scratch, count, 2 * sizeof *keys);
    if (!keys) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        keys[i] = pack(&sorted[i], packing);
    }
    radix_sort_u64(keys, NULL, keys + count, NULL, count);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || keys[i] >> KIND_BITS != keys[i - 1] >> KIND_BITS) {
            sorted[kept++] = unpack(keys[i], packing);
        }
    }
    pairs->count = kept;
    return true;
}

bool answer_list_sort(struct answer_list *list, struct arena *scratch)
{
    array_clear(&list->pairs);
    array_clear(&list->details);
    if (!block_output_merge(&list->blocks, &list->pairs)) {
        return false;
    }
    size_t count = list->pairs.count;
    struct packing packing;
    struct arena_mark mark = arena_mark(scratch);
    bool enough = true;
    if (count > 0 && choose_packing(list->pairs.data, count, &packing)) {
        enough = sort_packed(&list->pairs, packing, scratch);
    } else if (count > 0) {
        dent_pair *unsorted = arena_allocate(scratch, count, sizeof *unsorted);
        struct key128 *keys = arena_allocate(scratch, count, 2 * sizeof *keys);
        uint32_t *order = arena_allocate(scratch, count, 2 * sizeof *order);
        enough = unsorted && keys && order;
        if (enough) {
            memcpy(unsorted, list->pairs.data, count * sizeof *unsorted);
            sort_and_make_unique(&list->pairs, unsorted, keys, order, count);
        }
    }
    arena_rewind(scratch, mark);
    return enough;
}

struct detail_loop {
    struct answer_list *list;
    const struct snapshot *snapshot;
};

enum { DETAIL_BLOCK = 1024 };

static void add_block_details(void *data, uint32_t block, uint32_t worker)
{
    (void)worker;
    const struct detail_loop *loop = data;
    const struct pair_row *row = loop->list->row;
    const dent_pair *pairs = loop->list->pairs.data;
    size_t first = (size_t)block * DETAIL_BLOCK;
    size_t last = first + DETAIL_BLOCK < loop->list->pairs.count ? first + DETAIL_BLOCK : loop->list->pairs.count;
    for (size_t i = first; i < last; i++) {
        row->detail(loop->snapshot, &pairs[i], (char *)loop->list->details.data + i * row->detail_size);
    }
}

bool answer_list_add_details(struct answer_list *list, dent_context *context, const struct snapshot *snapshot)
{
    if (!list->row || !list->row->detail || list->pairs.count == 0) {
        return true;
    }
    if (!array_extend(&list->details, list->pairs.count)) {
        return false;
    }
    struct detail_loop loop = {list, snapshot};
    dent_parallel_for(context, (uint32_t)((list->pairs.count + DETAIL_BLOCK - 1) / DETAIL_BLOCK), add_block_details,
                      &loop);
    return true;
}

void answer_list_view(const struct answer_list *list, bool with_details, dent_pair_list *view)
{
    *view = (dent_pair_list){.pairs = list->pairs.data, .count = list->pairs.count};
    if (with_details && list->pairs.count > 0 && list->row && list->row->detail) {
        memcpy((char *)view + list->row->detail_offset, &list->details.data, sizeof list->details.data);
    }
}
