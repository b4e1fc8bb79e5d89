/* Candidates in, answers out: the workers of an impact query. See impact_run.h.
 *
 * A worker fills a queue for each kind and hands it to the block test when it is full, or when it begins another
 * block of the search. In a search for the earliest time the best time of all workers limits each block; it only ever
 * leaves out what is later, so the earliest answer does not depend on who was first.
 */
#include "query/impact/impact_run.h"

/* A search for the earliest tests smaller blocks: the sooner a good time is known, the more can be passed over. */
enum { EARLIEST_BLOCK = 256 };

double impact_best_time(const struct impact_run *run)
{
    uint64_t bits = __atomic_load_n(&run->best_bits, __ATOMIC_RELAXED);
    double time;
    memcpy(&time, &bits, sizeof time);
    return time;
}

static void lower_best_time(struct impact_run *run, double time)
{
    uint64_t bits, seen = __atomic_load_n(&run->best_bits, __ATOMIC_RELAXED);
    memcpy(&bits, &time, sizeof bits);
    while (bits < seen &&
           !__atomic_compare_exchange_n(&run->best_bits, &seen, bits, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
}

bool impact_workers_create(struct impact_run *run)
{
    uint32_t count = dent_context_worker_count(run->context);
    run->workers = arena_allocate(run->scratch, count, sizeof *run->workers);
    for (uint32_t worker = 0; run->workers && worker < count; worker++) {
        struct impact_worker *worker_state = &run->workers[worker];
        worker_state->block = UINT32_MAX;
        worker_state->found = false;
        worker_state->box_tests = worker_state->candidates = worker_state->impacts = 0;
        worker_state->stages = (struct impact_counters){0};
        worker_state->leaves = NULL;
        worker_state->queues[0].count = worker_state->queues[1].count = 0;
    }
    return run->workers != NULL;
}

static int compare_numbers(uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

bool impact_is_before(const dent_impact *a, const dent_impact *b)
{
    if (a->toi != b->toi) {
        return a->toi < b->toi;
    }
    int order = compare_numbers(a->kind, b->kind);
    order = order ? order : compare_numbers(a->body_a, b->body_a);
    order = order ? order : compare_numbers(a->feature_a, b->feature_a);
    order = order ? order : compare_numbers(a->body_b, b->body_b);
    return (order ? order : compare_numbers(a->feature_b, b->feature_b)) < 0;
}

void impact_worker_answer(struct impact_run *run, struct impact_worker *worker_state, enum impact_kind kind,
                          struct impact_pair pair, const struct impact_result *result)
{
    dent_impact impact = {
        .kind = kind == IMPACT_VERTEX_FACE ? DENT_IMPACT_VERTEX_FACE : DENT_IMPACT_EDGE_EDGE,
        .body_a = pair.body_a,
        .feature_a = pair.feature_a,
        .body_b = pair.body_b,
        .feature_b = pair.feature_b,
        .toi = result->toi,
    };
    if (run->details) {
        impact.u = result->u;
        impact.v = result->v;
        memcpy(impact.normal, result->normal, sizeof impact.normal);
    }
    worker_state->impacts++;
    if (!run->earliest) {
        block_output_append(&run->state->blocks, worker_state->block, &impact,
                            1); /* a failure is remembered and met at the merge */
    } else if (!worker_state->found || impact_is_before(&impact, &worker_state->best)) {
        worker_state->found = true;
        worker_state->best = impact;
        lower_best_time(run, impact.toi);
    }
}

static void test_queue(struct impact_run *run, struct impact_worker *worker_state, enum impact_kind kind)
{
    struct impact_queue *queue = &worker_state->queues[kind];
    struct impact_block block = {
        .kind = kind,
        .count = queue->count,
        .vertices = run->vertices,
        .corners = (const uint32_t(*)[4])queue->corners,
        .t_limit = run->earliest ? impact_best_time(run) : 1,
        .earliest = run->earliest,
    };
    uint32_t hit_count =
        run->separation > 0
            ? impact_test_separation_block(&block, &run->settings, run->isa, &worker_state->workspace,
                                           worker_state->hits, &worker_state->stages)
            : impact_test_block(&block, run->isa, &worker_state->workspace, worker_state->hits, &worker_state->stages);
    for (uint32_t i = 0; i < hit_count; i++) {
        impact_worker_answer(run, worker_state, kind, queue->pairs[worker_state->hits[i].candidate],
                             &worker_state->hits[i].result);
    }
    worker_state->candidates += queue->count;
    queue->count = 0;
}

static void test_queues(struct impact_run *run, struct impact_worker *worker_state)
{
    for (int kind = 0; kind < 2; kind++) {
        if (worker_state->queues[kind].count > 0) {
            test_queue(run, worker_state, (enum impact_kind)kind);
        }
    }
}

void impact_worker_enter(struct impact_run *run, struct impact_worker *worker_state, uint32_t block)
{
    if (worker_state->block != block) {
        test_queues(run, worker_state);
        worker_state->block = block;
    }
}

void impact_worker_add(struct impact_run *run, struct impact_worker *worker_state, enum impact_kind kind,
                       const uint32_t corners[4], struct impact_pair pair)
{
    struct impact_queue *queue = &worker_state->queues[kind];
    memcpy(queue->corners[queue->count], corners, sizeof queue->corners[0]);
    queue->pairs[queue->count++] = pair;
    if (queue->count == (run->earliest ? EARLIEST_BLOCK : IMPACT_BLOCK)) {
        test_queue(run, worker_state, kind);
    }
}

void impact_workers_clear(struct impact_run *run)
{
    for (uint32_t worker = 0; worker < dent_context_worker_count(run->context); worker++) {
        struct impact_worker *worker_state = &run->workers[worker];
        if (!cancel_requested(run->cancel)) {
            test_queues(run, worker_state);
        }
        run->counters->box_tests += worker_state->box_tests;
        run->counters->candidates += worker_state->candidates;
        run->counters->impacts += worker_state->impacts;
        run->counters->rejected_by_axes += worker_state->stages.free_by[IMPACT_STAGE_AXES];
        run->counters->rejected_by_cubic += worker_state->stages.free_by[IMPACT_STAGE_CUBIC];
        run->counters->rejected_by_free_axis += worker_state->stages.free_by[IMPACT_STAGE_FREE_AXIS];
        for (int stage = IMPACT_STAGE_SHARED; stage < IMPACT_STAGE_COUNT; stage++) {
            uint64_t decided = worker_state->stages.free_by[stage] + worker_state->stages.hits_by[stage];
            bool in_double = stage == IMPACT_STAGE_SHARED || stage == IMPACT_STAGE_DOUBLE;
            *(in_double ? &run->counters->decided_in_double : &run->counters->decided_exactly) += decided;
        }
    }
}

static void bound(const struct impact_run *run, const uint32_t *corners, int count, int axis, double *lo, double *hi)
{
    *lo = *hi = run->vertices[corners[0]].start[axis];
    for (int i = 0; i < count; i++) {
        double start = run->vertices[corners[i]].start[axis], end = run->vertices[corners[i]].end[axis];
        *lo = start < *lo ? start : *lo;
        *lo = end < *lo ? end : *lo;
        *hi = start > *hi ? start : *hi;
        *hi = end > *hi ? end : *hi;
    }
}

/* Rounding to nearest keeps order and leaves the separation, a double, where it is: a difference that is not above it
 * is not above it after rounding either. */
bool impact_boxes_apart(const struct impact_run *run, enum impact_kind kind, const uint32_t corners[4])
{
    int count_a = kind == IMPACT_VERTEX_FACE ? 1 : 2;
    for (int axis = 0; axis < 3; axis++) {
        double lo_a, hi_a, lo_b, hi_b;
        bound(run, corners, count_a, axis, &lo_a, &hi_a);
        bound(run, corners + count_a, 4 - count_a, axis, &lo_b, &hi_b);
        if (lo_a - hi_b > run->separation || lo_b - hi_a > run->separation) {
            return true;
        }
    }
    return false;
}

dent_status impact_out_of_memory(struct impact_run *run)
{
    return message_fail(run->message, DENT_ERROR_OUT_OF_MEMORY, "out of memory for an impact query");
}
