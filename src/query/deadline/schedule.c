/* Many interruptible searches under one budget. See dent/schedule.h.
 *
 * Worst first. Let c_i(E) be the work that search i needs until importance times error is at most E. The schedule works
 * on a search only while its key is the largest, so when the largest is E, search i has done c_i(E) and at most one
 * slice more. Any division of the work that reaches E needs the sum of c_i(E). So at equal work the schedule is at most
 * one slice for each search behind the best division in hindsight.
 *
 * The largest key is kept in a tournament: a complete binary tree over the searches, each inner node holding the winner
 * of its two sides, ties to the smaller index. A slice changes one key: log2 n comparisons. What a search found is
 * copied to its entry after each slice, so returning costs the same whatever the number of searches. A slice that a
 * budget cuts goes on in the next run, so two budgets are their sum.
 */
#include <dent/schedule.h>

#include "query/deadline/time_critical_search.h"

#include "base/allocator.h"
#include "base/containers/heap_sort.h"
#include "base/floating_point_guard.h"

#include <float.h>

enum { SLICE_MOST = 1 << 20, SEARCHES_MOST = 1 << 24 };

/* A tree, and its epoch when the searches began: fewer than searches, as bodies meet many others. */
struct watched_tree {
    struct bound_tree *tree;
    uint64_t epoch;
};

struct dent_schedule {
    dent_context *context;
    uint32_t count, leaves; /* leaves: the power of two above, or at, count */
    uint64_t slice_units;
    dent_time_critical **searches;
    dent_schedule_entry *entries;
    double *importance;
    double *keys;      /* importance times error; below 0: nothing more to do */
    uint32_t *winners; /* tournament: node k has the sides 2k and 2k + 1; `leaves` of them, [0] unused */
    struct watched_tree *trees;
    uint32_t tree_count;
    bool begun;

    uint32_t current; /* the search of a slice that was cut, or UINT32_MAX */
    uint64_t slice_end;
    uint64_t units, granted, slices;
    uint32_t complete_count;
    double stuck_worst; /* of searches with full lists */
    uint32_t stuck_search;
    uint64_t margin_ns;
};

dent_schedule_def dent_schedule_def_default(void)
{
    return (dent_schedule_def){.struct_size = sizeof(dent_schedule_def), .slice_units = 64};
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

static bool importance_is_good(double value)
{
    return value >= 0 && isfinite(value);
}

static dent_status check_def(dent_context *context, const dent_schedule_def *def)
{
    if (def->struct_size != sizeof *def) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT,
                         "the schedule def was not made by dent_schedule_def_default()");
    }
    if (!def->searches || def->search_count < 1 || def->search_count > SEARCHES_MOST) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "searches: expected 1 to %d; got %u", SEARCHES_MOST,
                         def->searches ? (unsigned)def->search_count : 0u);
    }
    if (def->slice_units < 1 || def->slice_units > SLICE_MOST) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "slice_units: expected 1 to %d; got %u", SLICE_MOST,
                         (unsigned)def->slice_units);
    }
    for (uint32_t i = 0; i < def->search_count; i++) {
        if (!def->searches[i] || def->searches[i]->context != context) {
            return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "search %u: %s", (unsigned)i,
                             def->searches[i] ? "is of another context" : "is null");
        }
        if (def->importance && !importance_is_good(def->importance[i])) {
            return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT,
                             "importance %u: expected a finite number of at least 0; got %g", (unsigned)i,
                             def->importance[i]);
        }
    }
    return DENT_OK;
}

static bool tree_before(const void *a, const void *b, const void *data)
{
    (void)data;
    return (uintptr_t)((const struct watched_tree *)a)->tree < (uintptr_t)((const struct watched_tree *)b)->tree;
}

/* Each tree once. The order is of no consequence. */
static void list_trees(dent_schedule *schedule)
{
    for (uint32_t i = 0; i < schedule->count; i++) {
        schedule->trees[2 * (size_t)i] = (struct watched_tree){.tree = schedule->searches[i]->a};
        schedule->trees[2 * (size_t)i + 1] = (struct watched_tree){.tree = schedule->searches[i]->b};
    }
    heap_sort(schedule->trees, 2 * (size_t)schedule->count, sizeof *schedule->trees, tree_before, NULL);
    for (size_t i = 0; i < 2 * (size_t)schedule->count; i++) {
        if (i == 0 || schedule->trees[i].tree != schedule->trees[schedule->tree_count - 1].tree) {
            schedule->trees[schedule->tree_count++] = schedule->trees[i];
        }
    }
}

struct numbered_search {
    const dent_time_critical *search;
    uint32_t index;
};

static bool search_before(const void *left, const void *right, const void *data)
{
    const struct numbered_search *a = left, *b = right;
    (void)data;
    return a->search != b->search ? (uintptr_t)a->search < (uintptr_t)b->search : a->index < b->index;
}

static dent_status check_repeats(dent_context *context, const dent_schedule_def *def)
{
    struct numbered_search *sorted = dent_allocate(context, def->search_count, sizeof *sorted);
    dent_status status = DENT_OK;
    if (!sorted) {
        return dent_fail(context, DENT_ERROR_OUT_OF_MEMORY, "out of memory for a schedule");
    }
    for (uint32_t i = 0; i < def->search_count; i++) {
        sorted[i] = (struct numbered_search){def->searches[i], i};
    }
    heap_sort(sorted, def->search_count, sizeof *sorted, search_before, NULL);
    for (uint32_t i = 1; i < def->search_count && status == DENT_OK; i++) {
        if (sorted[i].search == sorted[i - 1].search) {
            status = dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "search %u: is search %u again",
                               (unsigned)sorted[i].index, (unsigned)sorted[i - 1].index);
        }
    }
    dent_release(context, sorted, def->search_count, sizeof *sorted);
    return status;
}

static bool allocate_lists(dent_schedule *schedule)
{
    dent_context *context = schedule->context;
    schedule->searches = dent_allocate(context, schedule->count, sizeof(dent_time_critical *));
    schedule->entries = dent_allocate(context, schedule->count, sizeof *schedule->entries);
    schedule->importance = dent_allocate(context, schedule->count, sizeof *schedule->importance);
    schedule->keys = dent_allocate(context, schedule->leaves, sizeof *schedule->keys);
    schedule->winners = dent_allocate(context, schedule->leaves, sizeof *schedule->winners);
    schedule->trees = dent_allocate(context, 2 * (size_t)schedule->count, sizeof *schedule->trees);
    return schedule->searches && schedule->entries && schedule->importance && schedule->keys && schedule->winners &&
           schedule->trees;
}

dent_status dent_schedule_create(dent_context *context, const dent_schedule_def *def, dent_schedule **schedule)
{
    DENT_REQUIRE(context, context);
    DENT_REQUIRE(context, def);
    DENT_REQUIRE(context, schedule);
    dent_status status = check_def(context, def);
    status = status == DENT_OK ? check_repeats(context, def) : status;
    if (status != DENT_OK) {
        return status;
    }
    dent_schedule *fresh = dent_allocate(context, 1, sizeof *fresh);
    if (!fresh) {
        return dent_fail(context, DENT_ERROR_OUT_OF_MEMORY, "out of memory for a schedule");
    }
    memset(fresh, 0, sizeof *fresh);
    fresh->context = context;
    fresh->count = def->search_count;
    fresh->leaves = 1;
    while (fresh->leaves < fresh->count) {
        fresh->leaves *= 2;
    }
    fresh->slice_units = def->slice_units;
    fresh->margin_ns = MARGIN_FIRST_NS;
    if (!allocate_lists(fresh)) {
        dent_schedule_destroy(fresh);
        return dent_fail(context, DENT_ERROR_OUT_OF_MEMORY, "out of memory for the lists of a schedule");
    }
    memset(fresh->entries, 0, fresh->count * sizeof *fresh->entries);
    for (uint32_t i = 0; i < fresh->count; i++) {
        fresh->searches[i] = def->searches[i];
        fresh->importance[i] = def->importance ? def->importance[i] : 1;
    }
    list_trees(fresh);
    *schedule = fresh;
    return DENT_OK;
}

void dent_schedule_destroy(dent_schedule *schedule)
{
    if (!schedule) {
        return;
    }
    dent_context *context = schedule->context;
    dent_release(context, schedule->searches, schedule->count, sizeof(dent_time_critical *));
    dent_release(context, schedule->entries, schedule->count, sizeof *schedule->entries);
    dent_release(context, schedule->importance, schedule->count, sizeof *schedule->importance);
    dent_release(context, schedule->keys, schedule->leaves, sizeof *schedule->keys);
    dent_release(context, schedule->winners, schedule->leaves, sizeof *schedule->winners);
    dent_release(context, schedule->trees, 2 * (size_t)schedule->count, sizeof *schedule->trees);
    dent_release(context, schedule, 1, sizeof *schedule);
}

/* ---- the tournament ---------------------------------------------------------------------------------------------- */

static uint32_t winner_of(const dent_schedule *schedule, uint32_t node)
{
    return node >= schedule->leaves ? node - schedule->leaves : schedule->winners[node];
}

static void play(dent_schedule *schedule, uint32_t node)
{
    uint32_t left = winner_of(schedule, 2 * node), right = winner_of(schedule, 2 * node + 1);
    schedule->winners[node] = schedule->keys[right] > schedule->keys[left] ? right : left;
}

static void play_all(dent_schedule *schedule)
{
    for (uint32_t node = schedule->leaves - 1; node >= 1; node--) {
        play(schedule, node);
    }
}

static void play_for(dent_schedule *schedule, uint32_t search)
{
    for (uint32_t node = (schedule->leaves + search) / 2; node >= 1; node /= 2) {
        play(schedule, node);
    }
}

static uint32_t first_of(const dent_schedule *schedule)
{
    return schedule->leaves == 1 ? 0 : schedule->winners[1];
}

static double weighted_error(const dent_schedule *schedule, uint32_t i)
{
    double key = schedule->importance[i] * schedule->entries[i].error;
    return isfinite(key) ? key : schedule->importance[i] > 0 ? DBL_MAX : 0;
}

/* After a slice: what the search has, and what it is worth to go on. */
static void note_search(dent_schedule *schedule, uint32_t i, bool stuck)
{
    const dent_time_critical *search = schedule->searches[i];
    bool complete = search_is_complete(search);
    schedule->entries[i] =
        (dent_schedule_entry){.error = search->error,
                              .depth = search->depth,
                              .work_units = search->units,
                              .pending_count = search->queue.count,
                              .confirmed_count = search->confirmed_count,
                              .pair_count = search->pair_count,
                              .components_pending = search->components_pending,
                              .outcome = complete ? DENT_OUTCOME_COMPLETE
                                         : stuck  ? DENT_OUTCOME_TRUNCATED
                                                  : DENT_OUTCOME_BUDGET_SPENT};
    double key = weighted_error(schedule, i);
    schedule->keys[i] = complete || stuck ? -1 : key;
    schedule->complete_count += complete;
    if (stuck && key > schedule->stuck_worst) {
        schedule->stuck_worst = key;
        schedule->stuck_search = i;
    }
}

static void find_stuck_worst(dent_schedule *schedule)
{
    schedule->stuck_worst = 0;
    for (uint32_t i = 0; i < schedule->count; i++) {
        double key = weighted_error(schedule, i);
        if (schedule->entries[i].outcome == DENT_OUTCOME_TRUNCATED && key > schedule->stuck_worst) {
            schedule->stuck_worst = key;
            schedule->stuck_search = i;
        }
    }
}

static DENT_NOINLINE void weigh(dent_schedule *schedule, uint32_t search, double importance)
{
    schedule->importance[search] = importance;
    if (!schedule->begun) {
        return;
    }
    if (schedule->entries[search].outcome == DENT_OUTCOME_TRUNCATED) {
        find_stuck_worst(schedule);
    } else if (schedule->entries[search].outcome != DENT_OUTCOME_COMPLETE) {
        schedule->keys[search] = weighted_error(schedule, search);
        play_for(schedule, search);
    }
}

dent_status dent_schedule_set_importance(dent_schedule *schedule, uint32_t search, double importance)
{
    DENT_REQUIRE(NULL, schedule);
    if (search >= schedule->count) {
        return dent_fail(schedule->context, DENT_ERROR_INVALID_ARGUMENT, "search %u: the schedule has %u",
                         (unsigned)search, (unsigned)schedule->count);
    }
    if (!importance_is_good(importance)) {
        return dent_fail(schedule->context, DENT_ERROR_BAD_NUMBER,
                         "importance: expected a finite number of at least 0; got %g", importance);
    }
    struct floating_point_guard guard;
    floating_point_guard_enter(&guard);
    weigh(schedule, search, importance);
    floating_point_guard_leave(&guard);
    return DENT_OK;
}

/* ---- a step ------------------------------------------------------------------------------------------------------ */

static DENT_NOINLINE void note_all(dent_schedule *schedule)
{
    schedule->units = schedule->granted = schedule->slices = 0;
    schedule->complete_count = 0;
    schedule->stuck_worst = 0;
    schedule->current = UINT32_MAX;
    for (uint32_t i = 0; i < schedule->count; i++) {
        note_search(schedule, i, false);
    }
    for (uint32_t i = schedule->count; i < schedule->leaves; i++) {
        schedule->keys[i] = -1;
    }
    play_all(schedule);
}

void dent_schedule_begin(dent_schedule *schedule, const dent_time_critical_start *start)
{
    if (!schedule) {
        return;
    }
    for (uint32_t i = 0; i < schedule->count; i++) {
        dent_time_critical_begin(schedule->searches[i], start);
    }
    for (uint32_t i = 0; i < schedule->tree_count; i++) {
        schedule->trees[i].epoch = schedule->trees[i].tree->epoch;
    }
    struct floating_point_guard guard;
    floating_point_guard_enter(&guard);
    note_all(schedule);
    floating_point_guard_leave(&guard);
    schedule->begun = true;
}

static dent_status check_trees(const dent_schedule *schedule)
{
    const char *reason = schedule->begun ? NULL : "dent_schedule_begin() comes first";
    for (uint32_t i = 0; i < schedule->tree_count && !reason; i++) {
        const struct watched_tree *watched = &schedule->trees[i];
        if (watched->epoch != watched->tree->epoch) {
            reason = "a tree was updated since dent_schedule_begin()";
        } else if (bound_tree_is_behind(watched->tree)) {
            reason = "an embedding was moved and its tree was not updated: dent_bound_tree_update() comes first";
        }
    }
    return reason ? dent_fail(schedule->context, DENT_ERROR_INVALID_ARGUMENT, "%s", reason) : DENT_OK;
}

/* The search of the cut slice, or a new slice for the worst. UINT32_MAX: nothing is left to do. */
static uint32_t next_search(dent_schedule *schedule)
{
    if (schedule->current == UINT32_MAX) {
        uint32_t first = first_of(schedule);
        if (schedule->keys[first] < 0) {
            return UINT32_MAX;
        }
        schedule->current = first;
        schedule->slice_end = schedule->searches[first]->units + schedule->slice_units;
        schedule->slices++;
    }
    return schedule->current;
}

/* Part of a slice, or all of it. */
static void work_on(dent_schedule *schedule, uint32_t i, struct stopwatch *watch)
{
    dent_time_critical *search = schedule->searches[i];
    uint64_t before = search->units, left = schedule->granted - schedule->units;
    uint64_t share = schedule->slice_end - before < left ? schedule->slice_end - before : left;
    search->granted = before + share;
    watch->last_effort = search->effort - watch->last_effort; /* what was done since the last look, by whichever search */
    dent_outcome outcome = search_work(search, watch);
    watch->last_effort = search->effort - watch->last_effort;
    search->granted = search->units;
    schedule->units += search->units - before;
    bool stuck = outcome == DENT_OUTCOME_TRUNCATED;
    note_search(schedule, i, stuck);
    play_for(schedule, i);
    if (stuck || search_is_complete(search) || search->units >= schedule->slice_end) {
        schedule->current = UINT32_MAX;
    }
}

/* Between slices watch->last_effort is the effort since the last look, not that of a search at it. */
static dent_outcome work(dent_schedule *schedule, struct stopwatch *watch)
{
    uint32_t i = next_search(schedule);
    if (i != UINT32_MAX && watch->polls) {
        stopwatch_look(watch, 0);
    }
    while (i != UINT32_MAX && watch->said == DENT_OUTCOME_COMPLETE) {
        if (schedule->units >= schedule->granted) {
            return DENT_OUTCOME_BUDGET_SPENT;
        }
        work_on(schedule, i, watch);
        i = next_search(schedule);
    }
    return i != UINT32_MAX                               ? watch->said
           : schedule->complete_count == schedule->count ? DENT_OUTCOME_COMPLETE
                                                         : DENT_OUTCOME_TRUNCATED;
}

static void fill_result(const dent_schedule *schedule, dent_schedule_result *result)
{
    uint32_t first = first_of(schedule);
    double open = schedule->keys[first] > 0 ? schedule->keys[first] : 0;
    bool stuck = schedule->stuck_worst > open;
    result->entries = schedule->entries;
    result->entry_count = schedule->count;
    result->complete_count = schedule->complete_count;
    result->worst = stuck ? schedule->stuck_worst : open;
    result->worst_search = stuck ? schedule->stuck_search : open > 0 ? first : UINT32_MAX;
    result->work_units = schedule->units;
    result->slices = schedule->slices;
}

static DENT_NOINLINE void run_schedule(dent_schedule *schedule, dent_budget budget, struct stopwatch *watch,
                                       dent_schedule_result *result)
{
    uint64_t room = UINT64_MAX - schedule->granted;
    schedule->granted = budget.work_units > room ? UINT64_MAX : schedule->granted + budget.work_units;
    result->outcome = work(schedule, watch);
    if ((watch->said != DENT_OUTCOME_COMPLETE || watch->timed) && schedule->granted > schedule->units) {
        schedule->granted = schedule->units; /* what a deadline left lapses */
    }
    fill_result(schedule, result);
}

dent_status dent_schedule_run(dent_schedule *schedule, dent_budget budget, dent_schedule_result *result)
{
    DENT_REQUIRE(NULL, schedule);
    DENT_REQUIRE(schedule->context, result);
    struct stopwatch watch = stopwatch_start(budget, schedule->margin_ns);
    dent_status status = stopwatch_check(schedule->context, budget);
    status = status == DENT_OK ? check_trees(schedule) : status;
    if (status != DENT_OK) {
        return status;
    }
    struct floating_point_guard guard;
    floating_point_guard_enter(&guard);
    run_schedule(schedule, budget, &watch, result);
    floating_point_guard_leave(&guard);
    schedule->margin_ns = watch.margin_ns;
    uint64_t end = dent_clock_ns();
    result->ns = end - watch.began;
    result->overrun_ns = end > watch.deadline ? end - watch.deadline : 0;
    result->worst_batch_ns = watch.worst_batch;
    return DENT_OK;
}
