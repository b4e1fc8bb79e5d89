/* The interruptible search as the public interface shows it: its life, its start, and the loop under a budget. See
 * time_critical_search.h.
 *
 * The clock is read every CLOCK_UNITS units of work, about a microsecond; the loop ends when the time left is less than
 * a recent longest batch. Returning from there costs the same whatever the lists hold.
 */
#include "query/deadline/time_critical_search.h"

#include "base/allocator.h"
#include "base/floating_point_guard.h"
#include "query/world/question_row.h"
#include "structures/bounds/bound_kernels.h"
#include "structures/bounds/bound_tests.h"

enum { MARGIN_MOST_NS = 4000 };

/* Every page of the lists is touched when they are made: no more than a machine may have. */
static const uint32_t CAPACITY_MOST = UINT32_C(1) << 28;

dent_time_critical_def dent_time_critical_def_default(void)
{
    return (dent_time_critical_def){.struct_size = sizeof(dent_time_critical_def),
                                    .pending_capacity = 65536,
                                    .confirmed_capacity = 16384,
                                    .pair_capacity = 65536};
}

static dent_status check_def(dent_context *context, const dent_time_critical_def *def)
{
    if (!def || def->struct_size != sizeof *def) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT,
                         "the search def was not made by dent_time_critical_def_default()");
    }
    if (!def->tree_a || !def->tree_b) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "a search needs two trees");
    }
    if (def->order < DENT_REFINE_PRIORITY || def->order > DENT_REFINE_SIZE) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "there is no order number %d", (int)def->order);
    }
    if (def->pending_capacity < 1 || def->pending_capacity > 1u << 24 || def->confirmed_capacity < 1 ||
        def->confirmed_capacity > CAPACITY_MOST || def->pair_capacity < 1 || def->pair_capacity > CAPACITY_MOST ||
        def->front_capacity > CAPACITY_MOST) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT,
                         "capacities are %u, %u, %u and %u: 1 to 2^24, twice 1 to 2^28, and 0 to 2^28 are needed",
                         (unsigned)def->pending_capacity, (unsigned)def->confirmed_capacity,
                         (unsigned)def->pair_capacity, (unsigned)def->front_capacity);
    }
    return DENT_OK;
}

/* Vertices of different worlds are never the same, whatever their numbers. */
static bool may_share_vertices(const dent_bound_tree *a, const dent_bound_tree *b)
{
    return a->world == b->world && (a->tree.identities || b->tree.identities || a->identity_base == b->identity_base);
}

static void choose_kernel(dent_time_critical *search)
{
    search->kernels = bound_kernels_for(dent_context_isa(search->context));
    if (bound_has_balls(search->a) == bound_has_balls(search->b)) {
        search->kernel = bound_has_balls(search->a) ? search->kernels->balls : search->kernels->boxes;
    }
    search->use_slabs = bounds_share_slabs(search->a, search->b);
}

dent_status dent_time_critical_create(dent_context *context, const dent_time_critical_def *def,
                                      dent_time_critical **search)
{
    DENT_REQUIRE(context, context);
    DENT_REQUIRE(context, def);
    DENT_REQUIRE(context, search);
    dent_status status = check_def(context, def);
    if (status != DENT_OK) {
        return status;
    }
    dent_time_critical *fresh = dent_allocate(context, 1, sizeof *fresh);
    if (!fresh) {
        return dent_fail(context, DENT_ERROR_OUT_OF_MEMORY, "out of memory for a search");
    }
    memset(fresh, 0, sizeof *fresh);
    fresh->context = context;
    fresh->def = *def;
    fresh->a = &def->tree_a->tree;
    fresh->b = &def->tree_b->tree;
    choose_kernel(fresh);
    fresh->share_vertices = may_share_vertices(def->tree_a, def->tree_b);
    fresh->active = REGION_NONE;
    fresh->margin_ns = MARGIN_FIRST_NS;
    fresh->queue.capacity = def->pending_capacity;
    region_queue_create(&fresh->queue);
    uint32_t deep = BOUND_BRANCHING_MAX * (fresh->a->level_count + fresh->b->level_count);
    fresh->reserve = deep < def->pending_capacity / 2 ? deep : def->pending_capacity / 2;
    fresh->queue.entries = dent_allocate(context, def->pending_capacity, sizeof *fresh->queue.entries);
    fresh->confirmed = dent_allocate(context, def->confirmed_capacity, sizeof *fresh->confirmed);
    fresh->pairs = dent_allocate(context, def->pair_capacity, sizeof *fresh->pairs);
    fresh->front = dent_allocate(context, def->front_capacity, sizeof *fresh->front);
    fresh->old = dent_allocate(context, def->front_capacity, sizeof *fresh->old);
    if (!inside_create(fresh) || !fresh->queue.entries || !fresh->confirmed || !fresh->pairs || !fresh->front ||
        !fresh->old) {
        dent_time_critical_destroy(fresh);
        return dent_fail(context, DENT_ERROR_OUT_OF_MEMORY, "out of memory for the lists of a search");
    }
    /* Touch the pages now, not under a deadline. */
    memset(fresh->queue.entries, 0, def->pending_capacity * sizeof *fresh->queue.entries);
    memset(fresh->confirmed, 0, def->confirmed_capacity * sizeof *fresh->confirmed);
    memset(fresh->pairs, 0, def->pair_capacity * sizeof *fresh->pairs);
    memset(fresh->front, 0, def->front_capacity * sizeof *fresh->front);
    memset(fresh->old, 0, def->front_capacity * sizeof *fresh->old);
    *search = fresh;
    return DENT_OK;
}

void dent_time_critical_destroy(dent_time_critical *search)
{
    if (!search) {
        return;
    }
    dent_context *context = search->context;
    dent_release(context, search->queue.entries, search->def.pending_capacity, sizeof *search->queue.entries);
    dent_release(context, search->confirmed, search->def.confirmed_capacity, sizeof *search->confirmed);
    dent_release(context, search->pairs, search->def.pair_capacity, sizeof *search->pairs);
    inside_end(search);
    dent_release(context, search->front, search->def.front_capacity, sizeof *search->front);
    dent_release(context, search->old, search->def.front_capacity, sizeof *search->old);
    dent_release(context, search, 1, sizeof *search);
}

/* ---- start ------------------------------------------------------------------------------------------------------- */

static void forget_lists(dent_time_critical *search)
{
    search->active = REGION_NONE;
    search->set_aside = 0;
    search->confirmed_count = search->pair_count = 0;
    search->confirmed_depth = 0;
    search->front_count = 0;
    search->front_lost = false;
    search->covered = false;
    search->old_count = search->old_next = 0;
}

/* The bounds as they are now, if they are better than those before: never while the topmost buckets are no lower. */
static void tighten_bounds(dent_time_critical *search)
{
    const struct region_queue *queue = &search->queue;
    if (queue->count > 0) {
        uint32_t error_bucket = counts_highest(&queue->errors), depth_bucket = counts_highest(&queue->depths);
        if (error_bucket >= search->least_error_bucket && depth_bucket >= search->least_depth_bucket) {
            return;
        }
        search->least_error_bucket =
            error_bucket < search->least_error_bucket ? error_bucket : search->least_error_bucket;
        search->least_depth_bucket =
            depth_bucket < search->least_depth_bucket ? depth_bucket : search->least_depth_bucket;
    }
    double error = region_queue_error(queue), depth = region_queue_depth(queue);
    depth = search->confirmed_depth > depth ? search->confirmed_depth : depth;
    search->error = error < search->error ? error : search->error;
    search->depth = depth < search->depth ? depth : search->depth;
}

static bool begin_queue(dent_time_critical *search, dent_region_pair *roots)
{
    bool empty = search->a->face_count == 0 || search->b->face_count == 0;
    bool meet = !empty && search_test_pair(search, 0, 0, roots);
    /* Parts may be farther apart than the roots: the size of these, not their distance, says where buckets begin. */
    double depth = meet ? -roots->lo : 0,
           error = meet ? up(search->a->volumes[0].error + search->b->volumes[0].error) : 0;
    region_queue_reset(&search->queue, error, depth,
                       search->def.order == DENT_REFINE_PRIORITY || search->def.order == DENT_REFINE_SIZE ? error
                       : search->def.order == DENT_REFINE_DEEPEST                                         ? 1
                       : search->def.order == DENT_REFINE_DEPTH                                           ? depth
                                                                                                          : 0);
    return meet;
}

/* Keeps the counts of work and the bounds, which stay true. */
void search_begin_at_roots(dent_time_critical *search)
{
    dent_region_pair roots;
    forget_lists(search);
    search->from_roots = true;
    bool meet = begin_queue(search, &roots);
    if (meet) {
        search_push(search, &roots);
    }
    inside_begin(search, !meet);
}

/* Gathers where the last search ended in `old`. False: it did not fit, or is not worth it. */
static bool take_front(dent_time_critical *search)
{
    uint64_t rest = search->covered ? search->old_count - search->old_next : 0,
             pending = search->queue.count - search->covered;
    uint64_t total = search->front_count + rest + pending;
    if (!search->begun || search->front_lost || total == 0 || total > search->def.front_capacity ||
        total > 2 * (uint64_t)search->fresh_front_count + 64) {
        return false;
    }
    memcpy(search->front + search->front_count, search->old + search->old_next, rest * sizeof *search->old);
    search->front_count += (uint32_t)rest;
    for (uint32_t i = search->covered; i < search->queue.count; i++) {
        const dent_region_pair *pair = &search->queue.entries[i];
        search->front[search->front_count++] = (struct front_record){pair->node_a, pair->node_b, 0};
    }
    struct front_record *kept = search->front;
    search->front = search->old;
    search->old = kept;
    return true;
}

static DENT_NOINLINE void begin_search(dent_time_critical *search, bool reuse_front)
{
    if (search->from_roots) {
        search->fresh_front_count = search->front_count + search->queue.count;
    }
    bool reuse = reuse_front && take_front(search);
    uint32_t old_count = reuse ? search->front_count : 0;
    search->units = search->granted = search->effort = 0;
    search->splits = search->bound_tests = search->face_tests = search->nodes_updated = 0;
    search->error = search->depth = INFINITY;
    search->least_error_bucket = search->least_depth_bucket = UINT32_MAX;
    search->predicates = (predicate_counters){0};
    search_begin_at_roots(search);
    if (reuse && search->queue.count > 0) { /* the roots stand for all of it until it is tested */
        region_queue_set_aside(&search->queue, 0);
        search->covered = true;
        search->old_count = old_count;
        search->from_roots = false;
    }
    tighten_bounds(search);
    search->units = 0; /* the roots come free */
    search->epoch_a = search->a->epoch;
    search->epoch_b = search->b->epoch;
    search->begun = true;
}

void dent_time_critical_begin(dent_time_critical *search, const dent_time_critical_start *start)
{
    if (!search) {
        return;
    }
    struct floating_point_guard guard;
    floating_point_guard_enter(&guard);
    begin_search(search, start && start->reuse_front);
    floating_point_guard_leave(&guard);
}

dent_status search_check_trees(const dent_time_critical *search)
{
    const char *reason = NULL;
    if (!search->begun) {
        reason = "dent_time_critical_begin() comes first";
    } else if (search->epoch_a != search->a->epoch || search->epoch_b != search->b->epoch) {
        reason = "a tree was updated since dent_time_critical_begin()";
    } else if (bound_tree_is_behind(search->a) || bound_tree_is_behind(search->b)) {
        reason = "an embedding was moved and its tree was not updated: dent_bound_tree_update() comes first";
    }
    return reason ? dent_fail(search->context, DENT_ERROR_INVALID_ARGUMENT, "%s", reason) : DENT_OK;
}

/* ---- run --------------------------------------------------------------------------------------------------------- */

dent_status stopwatch_check(dent_context *context, dent_budget budget)
{
    return budget.ns >= 0 ? DENT_OK
                          : dent_fail(context, DENT_ERROR_BAD_NUMBER,
                                      "the budget is %g ns: a number of nanoseconds is needed", budget.ns);
}

struct stopwatch stopwatch_start(dent_budget budget, uint64_t margin_ns)
{
    struct stopwatch watch = {.began = dent_clock_ns(), .interrupt = budget.interrupt, .margin_ns = margin_ns};
    watch.timed = budget.ns >= 0 && budget.ns < 1e18;
    watch.polls = watch.timed || watch.interrupt;
    watch.deadline = watch.timed ? watch.began + (uint64_t)budget.ns : UINT64_MAX;
    watch.last = watch.began;
    return watch;
}

dent_outcome stopwatch_look(struct stopwatch *watch, uint64_t effort)
{
    watch->last_effort = effort;
    if (watch->interrupt && __atomic_load_n(watch->interrupt, __ATOMIC_RELAXED) != 0) {
        return watch->said = DENT_OUTCOME_CANCELLED;
    }
    if (!watch->timed) {
        return watch->said = DENT_OUTCOME_COMPLETE;
    }
    uint64_t now = dent_clock_ns(), batch = now - watch->last;
    watch->last = now;
    watch->worst_batch = batch > watch->worst_batch ? batch : watch->worst_batch;
    /* Falls slowly and rises at once; what is longer was not ours but the system's. */
    watch->margin_ns -= watch->margin_ns / 64;
    watch->margin_ns = batch > watch->margin_ns ? batch : watch->margin_ns;
    watch->margin_ns = watch->margin_ns < MARGIN_MOST_NS ? watch->margin_ns : MARGIN_MOST_NS;
    watch->said = now + watch->margin_ns >= watch->deadline ? DENT_OUTCOME_BUDGET_SPENT : DENT_OUTCOME_COMPLETE;
    return watch->said;
}

bool search_is_complete(const dent_time_critical *search)
{
    return search->queue.count == 0 && search->components_pending == 0;
}

dent_outcome search_work(dent_time_critical *search, struct stopwatch *watch)
{
    while (!search_is_complete(search)) {
        if (search->units >= search->granted) {
            return DENT_OUTCOME_BUDGET_SPENT;
        }
        if (watch->polls && search->effort - watch->last_effort >= CLOCK_UNITS) {
            dent_outcome stop = stopwatch_look(watch, search->effort);
            if (stop != DENT_OUTCOME_COMPLETE) {
                return stop;
            }
        }
        if (!search_step(search)) {
            return DENT_OUTCOME_TRUNCATED;
        }
        tighten_bounds(search);
    }
    return DENT_OUTCOME_COMPLETE;
}

static void fill_result(const dent_time_critical *search, dent_time_critical_result *result)
{
    const struct region_queue *queue = &search->queue;
    result->pending = queue->entries;
    result->pending_count = queue->count;
    result->confirmed = search->confirmed;
    result->confirmed_count = search->confirmed_count;
    result->pairs = search->pairs;
    result->pair_count = search->pair_count;
    result->components = search->components;
    result->component_count = search->component_count;
    result->components_pending = search->components_pending;
    result->error = search->error;
    result->pending_error = region_queue_error(queue);
    result->depth = search->depth;
    result->work_units = search->units;
    result->splits = search->splits;
    result->bound_tests = search->bound_tests;
    result->face_tests = search->face_tests;
    result->nodes_updated = search->nodes_updated;
    result->exact_fallbacks = search->predicates.exact_fallbacks;
    uint32_t levels = search->a->level_count > search->b->level_count ? search->a->level_count : search->b->level_count;
    uint32_t lowest = queue->count > 0 ? counts_lowest(&queue->levels) : REGION_LEVELS;
    result->levels_done = lowest < levels ? lowest : levels;
}

static DENT_NOINLINE void run_search(dent_time_critical *search, dent_budget budget, struct stopwatch *watch,
                                     dent_time_critical_result *result)
{
    search->granted =
        budget.work_units > UINT64_MAX - search->granted ? UINT64_MAX : search->granted + budget.work_units;
    result->outcome = search_is_complete(search) || !watch->polls ? DENT_OUTCOME_COMPLETE
                                                                 : stopwatch_look(watch, search->effort);
    if (result->outcome == DENT_OUTCOME_COMPLETE) {
        result->outcome = search_work(search, watch);
    }
    if ((watch->timed || result->outcome == DENT_OUTCOME_CANCELLED) && search->granted > search->units) {
        search->granted = search->units; /* what a deadline left lapses: the next run has its own units only */
    }
    fill_result(search, result);
}

dent_status dent_time_critical_run(dent_time_critical *search, dent_budget budget, dent_time_critical_result *result)
{
    DENT_REQUIRE(NULL, search);
    DENT_REQUIRE(search->context, result);
    struct stopwatch watch = stopwatch_start(budget, search->margin_ns);
    dent_status status = stopwatch_check(search->context, budget);
    status = status == DENT_OK ? search_check_trees(search) : status;
    if (status != DENT_OK) {
        return status;
    }
    struct floating_point_guard guard;
    floating_point_guard_enter(&guard);
    run_search(search, budget, &watch, result);
    floating_point_guard_leave(&guard);
    search->margin_ns = watch.margin_ns;
    uint64_t end = dent_clock_ns();
    result->ns = end - watch.began;
    result->overrun_ns = end > watch.deadline ? end - watch.deadline : 0;
    result->worst_batch_ns = watch.worst_batch;
    return DENT_OK;
}

const struct question_row time_critical_question = {
    .info =
        {
            .question = DENT_QUESTION_TIME_CRITICAL,
            .name = "time-critical",
            .meaning = "surface faces of two bodies that cross, as far as a deadline or a work budget allows",
            .numbers = "bounds of the error and of the depth for the whole search",
            .call = "dent_time_critical_run",
            .features = {{DENT_FEATURE_FACE, DENT_FEATURE_FACE}},
            .feature_pair_count = 1,
            .self_contact = true,
        },
    .methods = 1u << DENT_METHOD_AUTO,
};
