/* dent/schedule.h — many time-critical searches under one deadline.
 *
 * A dent_schedule shares one budget among searches (time_critical.h). Each search has an importance. The schedule always
 * continues the search with the largest importance times `error`, for a slice of work, then chooses again. So the
 * largest weighted error of all searches falls as fast as their own orders allow. No other division of the same work
 * reaches a smaller one by more than what a slice of each search does. Even shares refine pairs whose error is small
 * already.
 *
 *   dent_bound_tree_update(…);                          each tree
 *   dent_schedule_begin(schedule, NULL);                all searches
 *   dent_schedule_run(schedule, budget, &result);       stops by the deadline, at the budget, or at the interrupt flag
 *   dent_time_critical_run(search, dent_budget_units(0), &one);     the lists of one search
 *
 * With a budget in work units the result is the same on every machine. Two budgets in a row give the result of their
 * sum. Searches that are complete cost nothing more. Searches whose lists are full (TRUNCATED) stay as they are; their
 * error counts.
 *
 * Threads: a schedule, its searches and their trees are used by one thread at a time. `begin` and `run` allocate
 * nothing, take no lock and make no system call.
 */
#ifndef DENT_SCHEDULE_H
#define DENT_SCHEDULE_H

#include <dent/time_critical.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dent_schedule dent_schedule;

typedef struct dent_schedule_def {
    size_t struct_size;
    dent_time_critical *const *searches; /**< each at most once; read during create only. The searches themselves are
                                            borrowed and must outlive the schedule */
    uint32_t search_count;               /**< 1 to 2^24 */
    const double *importance; /**< one per search, finite and >= 0; copied. Null (default): 1 for all. Searches of
                                 importance 0 continue when nothing else is left to do */
    uint32_t slice_units;     /**< work units that a search gets before the others are considered: 1 to 2^20; default
                                 64. Less follows the errors more closely, and costs more */
} dent_schedule_def;
DENT_API dent_schedule_def dent_schedule_def_default(void);

/** Allocates all memory the schedule will ever use: about 100 bytes per search. Fails with INVALID_ARGUMENT for a null
 * or repeated search, a bad importance or slice, and searches of another context; the message names the index. */
DENT_API dent_status dent_schedule_create(dent_context *context, const dent_schedule_def *def,
                                          dent_schedule **schedule);
/** Destroys the schedule, not its searches. Null is allowed. */
DENT_API void dent_schedule_destroy(dent_schedule *schedule);

/** Sets the importance of one search from now on. O(log n). Fails with INVALID_ARGUMENT for an index that is not below
 * the count and BAD_NUMBER for a value that is negative or not finite. Nothing is changed then. */
DENT_API dent_status dent_schedule_set_importance(dent_schedule *schedule, uint32_t search, double importance);

/** Begins all searches (dent_time_critical_begin) with the current trees. O(n) tests of two roots. */
DENT_API void dent_schedule_begin(dent_schedule *schedule, const dent_time_critical_start *start);

/** How far one search is. */
typedef struct dent_schedule_entry {
    double error, depth; /**< bounds, as in dent_time_critical_result */
    uint64_t work_units; /**< used since begin */
    uint32_t pending_count, confirmed_count, pair_count, components_pending;
    dent_outcome outcome; /**< COMPLETE, TRUNCATED, or BUDGET_SPENT: there is more to do */
} dent_schedule_entry;

typedef struct dent_schedule_result {
    dent_outcome outcome; /**< COMPLETE: all searches are; BUDGET_SPENT; CANCELLED by the interrupt flag; TRUNCATED: all
                             that is left are searches with full lists */
    const dent_schedule_entry *entries; /**< one per search; valid until the next call on the schedule */
    uint32_t entry_count;
    uint32_t complete_count; /**< searches that are complete */
    double worst;            /**< the largest importance times error of all searches; 0 if all are complete */
    uint32_t worst_search;   /**< its index; UINT32_MAX if worst is 0 */
    uint64_t work_units;     /**< of all searches since begin */
    uint64_t slices;         /**< since begin */
    uint64_t ns, overrun_ns, worst_batch_ns; /**< of this run, as in dent_time_critical_result */
} dent_schedule_result;

/** Continues until all searches are complete, the budget is spent or its flag is set. The units are those of all
 * searches together. Between begin and the last run, run single searches with 0 units only: the schedule does not see
 * what they do by themselves. Failure changes nothing. BAD_NUMBER: a budget that is negative or NaN. INVALID_ARGUMENT:
 * `begin` was never called, or a tree was updated or an embedding moved since. */
DENT_API dent_status dent_schedule_run(dent_schedule *schedule, dent_budget budget, dent_schedule_result *result);

#ifdef __cplusplus
}
#endif

#endif
