/* From the answers of many blocks to one canonical list. See answer_list.h. */
#include "query/pairs/answer_list.h"

#include "query/pairs/answer_order.h"
#include "query/pairs/pair_tests.h"

/* Cells have no numbers of their own: they are divided like the faces. */
static enum feature_kind kind_of(dent_feature_kind kind)
{
    return kind == DENT_FEATURE_VERTEX ? FEATURE_VERTEX : kind == DENT_FEATURE_EDGE ? FEATURE_EDGE : FEATURE_FACE;
}

void answer_list_init(struct answer_list *list, dent_context *context, const struct pair_row *row,
                      dent_feature_kind side_a)
{
    list->row = row;
    list->side_a = kind_of(side_a);
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

bool answer_list_sort(struct answer_list *list, const struct snapshot *snapshot, struct arena *scratch)
{
    struct feature_numbers numbers = {snapshot->bodies, snapshot->body_count, list->side_a,
                                      snapshot->count[list->side_a]};
    array_clear(&list->details);
    /* What few workers gain with a few thousand answers is lost with three more loops. */
    enum { FEW_WORKERS = 8 };
    uint32_t workers = dent_context_worker_count(list->blocks.context);
    bool alone =
        workers == 1 || (workers < FEW_WORKERS && block_output_count(&list->blocks) < 4 * (size_t)ANSWER_ORDER_FEW);
    return answer_order(&list->blocks, alone ? NULL : &numbers, &list->pairs, scratch);
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
