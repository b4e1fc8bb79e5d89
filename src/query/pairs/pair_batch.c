/* Candidates in lanes. See pair_batch.h. */
#include "query/pairs/pair_batch.h"

/* Candidates that wait for a kernel. */
struct lane_queue {
    enum pair_kernel_kind kind;
    uint32_t count;
    struct candidate candidates[PAIR_BATCH];
    struct pair_rows rows;
};

/* One call: candidates wait for the first kernel, those it passes on for the second. */
struct lane_queues {
    const struct pair_batch *batch;
    struct lane_queue first, second;
};

static void answer(const struct pair_batch *batch, const struct candidate *candidate, dent_pair_kind kind)
{
    dent_pair pair = {candidate->body_a, candidate->feature_a, candidate->body_b, candidate->feature_b, kind};
    block_output_append(batch->answers, batch->block, &pair, 1);
}

static void test_exactly(const struct pair_batch *batch, const struct candidate *candidate)
{
    dent_pair_kind kind = batch->row->test(batch->snapshot, candidate, batch->touching, batch->counters);
    if (kind) {
        answer(batch, candidate, kind);
    }
}

static void copy_lane(const struct lane_queue *from, uint32_t lane, struct lane_queue *to)
{
    for (int k = 0; k < PAIR_CORNERS; k++) {
        to->rows.corner[k][to->count] = from->rows.corner[k][lane];
    }
    to->candidates[to->count++] = from->candidates[lane];
}

static void decide(struct lane_queues *queues, struct lane_queue *queue)
{
    const struct pair_batch *batch = queues->batch;
    uint32_t count = queue->count, waiting = (1u << count) - 1;
    if (count == 0) {
        return;
    }
    while (queue->count < PAIR_BATCH) { /* empty lanes repeat the first */
        copy_lane(queue, 0, queue);
    }
    queue->count = 0;
    struct pair_bits bits = batch->kernels->test[queue->kind](&queue->rows, batch->touching);
    for (uint32_t left = waiting & ~bits.apart; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        const struct candidate *candidate = &queue->candidates[lane];
        if (bits.meet >> lane & 1) {
            answer(batch, candidate, batch->row->meeting);
        } else if (bits.coplanar >> lane & 1) {
            answer(batch, candidate, DENT_PAIR_COPLANAR);
        } else if (bits.uncut >> lane & 1) {
            copy_lane(queue, lane, &queues->second);
            if (queues->second.count == PAIR_BATCH) {
                decide(queues, &queues->second);
            }
        } else {
            test_exactly(batch, candidate);
        }
    }
}

static void put_lane(struct lane_queue *queue, const struct candidate *candidate, const double *const corners[])
{
    for (int k = 0; k < PAIR_CORNERS; k++) {
        queue->rows.corner[k][queue->count] = corners[k];
    }
    queue->candidates[queue->count++] = *candidate;
}

void pair_batch_test(const struct pair_batch *batch, const struct candidate *candidates, size_t count)
{
    struct lane_queues queues;
    queues.batch = batch;
    queues.first.kind = batch->row->kernel;
    queues.second.kind = PAIR_FACE_CELL_CUT;
    queues.first.count = queues.second.count = 0;
    for (size_t i = 0; i < count; i++) {
        const double *corners[PAIR_CORNERS];
        enum pair_lane_use use = batch->row->corners(batch->snapshot, &candidates[i], corners);
        if (use == PAIR_LANE_EXACT) {
            test_exactly(batch, &candidates[i]);
        } else if (use == PAIR_LANE_USED) {
            put_lane(&queues.first, &candidates[i], corners);
            if (queues.first.count == PAIR_BATCH) {
                decide(&queues, &queues.first);
            }
        }
    }
    decide(&queues, &queues.first);
    decide(&queues, &queues.second);
}

void pair_batch_test_plainly(const struct pair_batch *batch, const struct candidate *candidates, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        test_exactly(batch, &candidates[i]);
    }
}
