/* From the answers of many blocks to one canonical list. See answer_list.h. */
#include "query/answer_list.h"

#include "base/radix_sort.h"
#include "query/pair_tests.h"

int question_index(dent_question question)
{
    return question == DENT_QUESTION_VERTEX_CELL ? 0 : question == DENT_QUESTION_FACE_CELL ? 1 : 2;
}

static size_t detail_size(dent_question question)
{
    return question == DENT_QUESTION_VERTEX_CELL ? sizeof(dent_cell_point)
           : question == DENT_QUESTION_FACE_FACE ? sizeof(dent_segment)
                                                 : 1;
}

void answer_list_init(struct answer_list *list, dent_context *context, dent_question question)
{
    list->question = question;
    block_output_init(&list->blocks, context, sizeof(dent_pair));
    array_init(&list->pairs, context, sizeof(dent_pair));
    array_init(&list->details, context, detail_size(question));
}

void answer_list_destroy(struct answer_list *list)
{
    block_output_destroy(&list->blocks);
    array_destroy(&list->pairs);
    array_destroy(&list->details);
}

static struct key128 pair_key(const dent_pair *pair)
{
    return (struct key128){(uint64_t)pair->body_a << 32 | pair->feature_a, (uint64_t)pair->body_b << 32 | pair->feature_b};
}

static void sort_and_make_unique(struct dynamic_array *pairs, const dent_pair *unsorted, struct key128 *keys, uint32_t *order,
                                 size_t count)
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

bool answer_list_sort(struct answer_list *list, struct arena *scratch)
{
    array_clear(&list->pairs);
    array_clear(&list->details);
    if (!block_output_merge(&list->blocks, &list->pairs)) {
        return false;
    }
    size_t count = list->pairs.count;
    if (count == 0) {
        return true;
    }
    struct arena_mark mark = arena_mark(scratch);
    dent_pair *unsorted = arena_allocate(scratch, count, sizeof *unsorted);
    struct key128 *keys = arena_allocate(scratch, count, 2 * sizeof *keys);
    uint32_t *order = arena_allocate(scratch, count, 2 * sizeof *order);
    bool enough = unsorted && keys && order;
    if (enough) {
        memcpy(unsorted, list->pairs.data, count * sizeof *unsorted);
        sort_and_make_unique(&list->pairs, unsorted, keys, order, count);
    }
    arena_rewind(scratch, mark);
    return enough;
}

struct detail_loop {
    struct answer_list *list;
    const struct pose *pose;
};

enum { DETAIL_BLOCK = 1024 };

static void add_block_details(void *data, uint32_t block, uint32_t worker)
{
    (void)worker;
    const struct detail_loop *loop = data;
    const dent_pair *pairs = loop->list->pairs.data;
    size_t first = (size_t)block * DETAIL_BLOCK;
    size_t last = first + DETAIL_BLOCK < loop->list->pairs.count ? first + DETAIL_BLOCK : loop->list->pairs.count;
    for (size_t i = first; i < last; i++) {
        if (loop->list->question == DENT_QUESTION_VERTEX_CELL) {
            pair_cell_point(loop->pose, &pairs[i], (dent_cell_point *)loop->list->details.data + i);
        } else {
            pair_segment(loop->pose, &pairs[i], (dent_segment *)loop->list->details.data + i);
        }
    }
}

bool answer_list_add_details(struct answer_list *list, dent_context *context, const struct pose *pose)
{
    if (list->question == DENT_QUESTION_FACE_CELL || list->pairs.count == 0) {
        return true;
    }
    if (!array_extend(&list->details, list->pairs.count)) {
        return false;
    }
    struct detail_loop loop = {list, pose};
    dent_parallel_for(context, (uint32_t)((list->pairs.count + DETAIL_BLOCK - 1) / DETAIL_BLOCK), add_block_details, &loop);
    return true;
}

void answer_list_view(const struct answer_list *list, bool with_details, dent_pair_list *view)
{
    *view = (dent_pair_list){.pairs = list->pairs.data, .count = list->pairs.count};
    if (with_details && list->pairs.count > 0) {
        view->cell_points = list->question == DENT_QUESTION_VERTEX_CELL ? list->details.data : NULL;
        view->segments = list->question == DENT_QUESTION_FACE_FACE ? list->details.data : NULL;
    }
}
