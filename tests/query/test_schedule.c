/* Many searches under one budget: whatever stops them, each has true lists and bounds; worst first is as good as the
 * best division in hindsight, up to a slice for each search; two budgets are their sum; the flag stops, and costs
 * nothing. */
#include "query/schedule_crowd.h"

#include "support/failing_allocator.h"

#include <pthread.h>

/* ---- truth ------------------------------------------------------------------------------------------------------- */

static void assert_pair_is_true(const struct crowd *crowd, uint32_t i, const dent_schedule_entry *entry)
{
    const struct stage *pair = &crowd->pairs[i];
    dent_time_critical_result result = crowd_result(crowd, i);
    uint32_t *place_a = places(pair->tree_a), *place_b = places(pair->tree_b);
    assert_int_equal(hidden_pairs(pair, &result, place_a, place_b), 0);
    for (uint32_t k = 0; k < result.pending_count; k++) {
        assert_gap_is_between(pair, &result.pending[k]);
        assert_true(result.pending[k].error <= result.pending_error);
    }
    assert_true(entry->error == result.error && entry->depth == result.depth);
    assert_int_equal(entry->work_units, result.work_units);
    assert_int_equal(entry->pending_count, result.pending_count);
    assert_int_equal(entry->pair_count, result.pair_count);
    assert_int_equal(entry->confirmed_count, result.confirmed_count);
    assert_int_equal(entry->outcome == DENT_OUTCOME_COMPLETE, result.outcome == DENT_OUTCOME_COMPLETE);
    if (entry->outcome == DENT_OUTCOME_COMPLETE) {
        assert_is_truth(pair, &result);
    }
    free(place_a);
    free(place_b);
}

static double largest_error(const dent_schedule_result *result, const double *importance)
{
    double largest = 0;
    for (uint32_t i = 0; i < result->entry_count; i++) {
        largest = fmax(largest, (importance ? importance[i] : 1) * result->entries[i].error);
    }
    return largest;
}

static void bounds_and_lists_are_true_whatever_the_budget(void **state)
{
    (void)state;
    dent_context *context = make_context(1, DENT_ISA_AUTO);
    bool is_long = getenv("DENT_LONG_TESTS") != NULL;
    uint32_t runs = 0, complete = 0, crowds = is_long ? 400 : rounds(6);
    for (uint32_t seed = 0; seed < crowds; seed++) {
        struct crowd crowd;
        dent_random random = dent_random_seeded(900 + seed);
        crowd_open(&crowd, context, seed, 3 + seed % 4);
        double importance[CROWD_PAIRS_MAX];
        for (uint32_t i = 0; i < crowd.pair_count; i++) {
            importance[i] = dent_random_below(&random, 4) ? 4 * dent_random_unit(&random) : 0;
        }
        const double *weights = seed % 2 ? importance : NULL;
        dent_schedule *schedule = crowd_schedule(&crowd, 1 + dent_random_below(&random, 200), weights);
        for (uint32_t k = 0; k < 25; k++, runs++) {
            dent_schedule_result result;
            uint64_t units = dent_random_below(&random, 2u << dent_random_below(&random, 16));
            dent_schedule_begin(schedule, NULL);
            assert_int_equal(dent_schedule_run(schedule, dent_budget_units(units), &result), DENT_OK);
            assert_true(result.worst == largest_error(&result, weights));
            assert_true(result.outcome == DENT_OUTCOME_COMPLETE || result.outcome == DENT_OUTCOME_BUDGET_SPENT);
            assert_int_equal(result.outcome == DENT_OUTCOME_COMPLETE, result.complete_count == crowd.pair_count);
            complete += result.outcome == DENT_OUTCOME_COMPLETE;
            for (uint32_t i = 0; i < crowd.pair_count; i++) {
                assert_pair_is_true(&crowd, i, &result.entries[i]);
            }
        }
        dent_schedule_destroy(schedule);
        crowd_close(&crowd);
    }
    print_message("%u runs of %u crowds, %u complete\n", runs, crowds, complete);
    assert_true(complete > 0 && complete < runs);
    dent_context_destroy(context);
}

/* ---- probabilistic bounds ---------------------------------------------------------------------------------------- */

/* The true gap of an entry, face by face. */
static double gap_of(const struct stage *stage, const dent_region_pair *entry)
{
    dent_bound_node a = dent_bound_tree_node(stage->tree_a, entry->node_a),
                    b = dent_bound_tree_node(stage->tree_b, entry->node_b);
    double gap = INFINITY;
    for (uint32_t i = a.first_face; i < a.first_face + a.face_count; i++) {
        for (uint32_t j = b.first_face; j < b.first_face + b.face_count; j++) {
            const double *face_a[3], *face_b[3];
            corners_of(stage, false, i, face_a);
            corners_of(stage, true, j, face_b);
            gap = fmin(gap, face_distance(face_a, face_b));
        }
    }
    return gap;
}

struct coverage {
    uint32_t runs, share_holds, mean_holds;
};

static void count_coverage(struct crowd *crowd, uint32_t i, uint32_t seeds, struct coverage *coverage)
{
    dent_time_critical_result result = crowd_result(crowd, i);
    if (result.pending_count < 3 || crowd->pairs[i].body_a == crowd->pairs[i].body_b) {
        return;
    }
    double *gaps = test_allocate(result.pending_count, sizeof *gaps), mean = 0;
    for (uint32_t k = 0; k < result.pending_count; k++) {
        gaps[k] = gap_of(&crowd->pairs[i], &result.pending[k]);
        mean += gaps[k] / result.pending_count;
    }
    dent_region_estimate_def def = dent_region_estimate_def_default();
    def.samples = 12;
    def.confidence = 0.9;
    for (uint32_t seed = 0; seed < seeds; seed++) {
        dent_region_estimate estimate;
        uint32_t larger = 0;
        def.seed = 1000 * (uint64_t)i + seed;
        assert_int_equal(dent_time_critical_estimate(crowd->searches[i], &def, &estimate), DENT_OK);
        for (uint32_t k = 0; k < result.pending_count; k++) {
            larger += gaps[k] > estimate.gap;
        }
        assert_true(estimate.gap <= result.pending_error && estimate.mean <= estimate.gap);
        assert_true(fabs(estimate.share - (1 - pow(0.1, 1.0 / 12))) < 1e-6);
        coverage->runs++;
        coverage->share_holds += larger <= estimate.share * result.pending_count;
        coverage->mean_holds += mean <= estimate.mean_bound;
    }
    free(gaps);
}

static void estimates_hold_at_their_confidence(void **state)
{
    (void)state;
    dent_context *context = make_context(1, DENT_ISA_AUTO);
    struct coverage coverage = {0};
    for (uint32_t seed = 0; seed < 3 + rounds(4); seed++) {
        struct crowd crowd;
        crowd_open(&crowd, context, 700 + seed, 6);
        dent_schedule *schedule = crowd_schedule(&crowd, 64, NULL);
        for (uint64_t units = 200; units <= 6000; units *= 3) {
            dent_schedule_result result;
            dent_schedule_begin(schedule, NULL);
            assert_int_equal(dent_schedule_run(schedule, dent_budget_units(units), &result), DENT_OK);
            for (uint32_t i = 0; i < crowd.pair_count; i++) {
                count_coverage(&crowd, i, 60, &coverage);
            }
        }
        dent_schedule_destroy(schedule);
        crowd_close(&crowd);
    }
    double sigma = sqrt(0.9 * 0.1 / coverage.runs);
    print_message("%u estimates at 0.9: share holds in %.4f, mean in %.4f (3 sigma: %.4f)\n", coverage.runs,
                  (double)coverage.share_holds / coverage.runs, (double)coverage.mean_holds / coverage.runs, 3 * sigma);
    assert_true(coverage.runs >= 100);
    assert_true(coverage.share_holds >= (0.9 - 3 * sigma) * coverage.runs);
    assert_true(coverage.mean_holds >= (0.9 - 3 * sigma) * coverage.runs);
    dent_context_destroy(context);
}

/* ---- several confidences, independent searches ------------------------------------------------------------------- */

enum { LEVELS = 3, SPOTS = 24 };
static const double levels[LEVELS] = {0.5, 0.9, 0.99};

/* What a tree could store with each node instead: the mean distance of points of its ball from its faces. */
static double stored_average(const struct stage *stage, bool second, uint32_t node, dent_random *random)
{
    dent_bound_node ball = dent_bound_tree_node(second ? stage->tree_b : stage->tree_a, node);
    double sum = 0;
    for (int n = 0; n < SPOTS; n++) {
        double spot[3], square = 2, nearest = INFINITY;
        const double *point[3] = {spot, spot, spot}, *face[3];
        while (square > 1) {
            square = 0;
            for (int k = 0; k < 3; k++) {
                spot[k] = 2 * dent_random_unit(random) - 1;
                square += spot[k] * spot[k];
            }
        }
        for (int k = 0; k < 3; k++) {
            spot[k] = ball.center[k] + ball.radius * spot[k];
        }
        for (uint32_t i = ball.first_face; i < ball.first_face + ball.face_count; i++) {
            corners_of(stage, second, i, face);
            nearest = fmin(nearest, face_distance(point, face));
        }
        sum += nearest / SPOTS;
    }
    return sum;
}

struct level_count {
    uint32_t share_holds, mean_holds;
};

struct independent {
    uint32_t searches, stored_holds;
    struct level_count counts[LEVELS];
    double drawn_ratio, stored_ratio; /* bound over truth, summed */
    uint32_t ratios;
};

static void count_search(struct crowd *crowd, uint32_t i, dent_random *random, struct independent *sums)
{
    dent_time_critical_result result;
    dent_time_critical_begin(crowd->searches[i], NULL);
    uint64_t units = 20u << dent_random_below(random, 8);
    assert_int_equal(dent_time_critical_run(crowd->searches[i], dent_budget_units(units), &result), DENT_OK);
    if (result.pending_count < 3 || crowd->pairs[i].body_a == crowd->pairs[i].body_b) {
        return;
    }
    double *gaps = test_allocate(result.pending_count, sizeof *gaps), mean = 0, stored = 0;
    for (uint32_t k = 0; k < result.pending_count; k++) {
        const dent_region_pair *entry = &result.pending[k];
        gaps[k] = gap_of(&crowd->pairs[i], entry);
        mean += gaps[k] / result.pending_count;
        double expected = stored_average(&crowd->pairs[i], false, entry->node_a, random) +
                          stored_average(&crowd->pairs[i], true, entry->node_b, random);
        stored += (fmax(entry->lo, 0) + expected) / result.pending_count;
    }
    dent_region_estimate_def def = dent_region_estimate_def_default();
    for (int level = 0; level < LEVELS; level++) {
        dent_region_estimate estimate;
        uint32_t larger = 0;
        def.samples = 1 + dent_random_below(random, 40);
        def.confidence = levels[level];
        def.seed = dent_random_below(random, UINT32_MAX);
        assert_int_equal(dent_time_critical_estimate(crowd->searches[i], &def, &estimate), DENT_OK);
        for (uint32_t k = 0; k < result.pending_count; k++) {
            larger += gaps[k] > estimate.gap;
        }
        sums->counts[level].share_holds += larger <= estimate.share * result.pending_count;
        sums->counts[level].mean_holds += mean <= estimate.mean_bound;
        sums->drawn_ratio += level == 1 && mean > 0 ? estimate.mean / mean : 0;
    }
    sums->searches++;
    sums->stored_holds += mean <= stored;
    sums->stored_ratio += mean > 0 ? stored / mean : 0;
    sums->ratios += mean > 0;
    free(gaps);
}

/* One draw of each confidence for each search, and no body in two searches that count: independent trials. */
static void confidences_hold_over_independent_searches(void **state)
{
    (void)state;
    dent_context *context = make_context(1, DENT_ISA_AUTO);
    struct independent sums = {0};
    dent_random random = dent_random_seeded(20);
    uint32_t crowds = getenv("DENT_LONG_TESTS") ? 6000 : getenv("DENT_QUICK_TESTS") ? 150 : 600;
    for (uint32_t seed = 0; seed < crowds; seed++) {
        struct crowd crowd;
        crowd_open(&crowd, context, 5000 + seed, 2);
        count_search(&crowd, 1, &random, &sums); /* pairs are 0 and 0, 0 and 1, 1 and 1 */
        crowd_close(&crowd);
    }
    for (int level = 0; level < LEVELS; level++) {
        double sigma = sqrt(levels[level] * (1 - levels[level]) / sums.searches);
        double share = (double)sums.counts[level].share_holds / sums.searches;
        double mean = (double)sums.counts[level].mean_holds / sums.searches;
        print_message("%u independent searches at %g: share holds in %.4f, mean in %.4f (3 sigma: %.4f)\n", sums.searches,
                      levels[level], share, mean, 3 * sigma);
        assert_true(share >= levels[level] - 3 * sigma && mean >= levels[level] - 3 * sigma);
    }
    print_message("stored averages: at least the mean true gap in %.4f of them; over it by %.2f, drawn means by %.2f\n",
                  (double)sums.stored_holds / sums.searches, sums.stored_ratio / sums.ratios,
                  sums.drawn_ratio / sums.ratios);
    assert_true(sums.searches >= 40);
    dent_context_destroy(context);
}

/* ---- worst first ------------------------------------------------------------------------------------------------- */

struct curve {
    uint32_t count;
    uint64_t units[20000]; /* after these units … */
    double error[20000];   /* … the error is this; falling */
};

static void record_curve(dent_time_critical *search, struct curve *curve, uint64_t *longest_step)
{
    dent_time_critical_result result;
    uint64_t before = 0;
    dent_time_critical_begin(search, NULL);
    curve->count = 0;
    do {
        assert_int_equal(dent_time_critical_run(search, dent_budget_units(curve->count ? 1 : 0), &result), DENT_OK);
        *longest_step = result.work_units - before > *longest_step ? result.work_units - before : *longest_step;
        before = result.work_units;
        if (curve->count == 0 || result.error < curve->error[curve->count - 1]) {
            assert_true(curve->count < 20000);
            curve->units[curve->count] = result.work_units;
            curve->error[curve->count++] = result.error;
        }
    } while (result.outcome == DENT_OUTCOME_BUDGET_SPENT);
}

/* Work that one search needs until its error is at most `error`. */
static uint64_t work_until(const struct curve *curve, double error)
{
    for (uint32_t k = 0; k < curve->count; k++) {
        if (curve->error[k] <= error) {
            return curve->units[k];
        }
    }
    return UINT64_MAX;
}

static void worst_first_is_within_a_slice_a_search_of_the_best_division_in_hindsight(void **state)
{
    (void)state;
    enum { SLICE = 16 };
    dent_context *context = make_context(1, DENT_ISA_AUTO);
    struct curve *curves = test_allocate(CROWD_PAIRS_MAX, sizeof *curves);
    for (uint32_t seed = 0; seed < rounds(2); seed++) {
        struct crowd crowd;
        crowd_open(&crowd, context, 300 + seed, 6);
        uint64_t step = 0;
        for (uint32_t i = 0; i < crowd.pair_count; i++) {
            record_curve(crowd.searches[i], &curves[i], &step);
        }
        dent_schedule *schedule = crowd_schedule(&crowd, SLICE, NULL);
        for (uint32_t i = 0; i < crowd.pair_count; i++) {
            for (uint32_t k = 0; k < curves[i].count; k += 1 + curves[i].count / 8) { /* every error that is reached */
                double error = curves[i].error[k];
                uint64_t best = 0;
                for (uint32_t j = 0; j < crowd.pair_count; j++) {
                    best += work_until(&curves[j], error);
                }
                dent_schedule_result result;
                dent_schedule_begin(schedule, NULL);
                uint64_t budget = best + crowd.pair_count * (SLICE + step);
                assert_int_equal(dent_schedule_run(schedule, dent_budget_units(budget), &result), DENT_OK);
                assert_true(result.worst <= error);
            }
        }
        dent_schedule_destroy(schedule);
        crowd_close(&crowd);
    }
    free(curves);
    dent_context_destroy(context);
}

static void what_is_important_goes_first_and_what_is_not_goes_last(void **state)
{
    (void)state;
    dent_context *context = make_context(1, DENT_ISA_AUTO);
    struct crowd crowd;
    crowd_open(&crowd, context, 5, 6);
    dent_schedule *schedule = crowd_schedule(&crowd, 8, NULL);
    dent_schedule_result result;
    for (uint32_t chosen = 0; chosen < crowd.pair_count; chosen++) {
        for (uint32_t i = 0; i < crowd.pair_count; i++) {
            assert_int_equal(dent_schedule_set_importance(schedule, i, i == chosen), DENT_OK);
        }
        dent_schedule_begin(schedule, NULL);
        assert_int_equal(dent_schedule_run(schedule, dent_budget_units(40), &result), DENT_OK);
        for (uint32_t i = 0; i < crowd.pair_count; i++) {
            assert_true(i == chosen || result.entries[i].work_units == 0 || result.entries[chosen].error == 0);
        }
        assert_int_equal(dent_schedule_run(schedule, dent_budget_units(UINT64_MAX), &result), DENT_OK);
        assert_int_equal(result.outcome, DENT_OUTCOME_COMPLETE);
        assert_true(result.worst == 0 && result.worst_search == UINT32_MAX);
    }
    dent_schedule_destroy(schedule);
    crowd_close(&crowd);
    dent_context_destroy(context);
}

/* ---- the same answer --------------------------------------------------------------------------------------------- */

static void assert_same_schedule(const dent_schedule_result *left, const dent_schedule_result *right)
{
    assert_memory_equal(left->entries, right->entries, left->entry_count * sizeof *left->entries);
    assert_true(left->worst == right->worst && left->worst_search == right->worst_search);
    assert_int_equal(left->work_units, right->work_units);
    assert_int_equal(left->outcome, right->outcome);
}

static void two_budgets_are_their_sum_for_every_instruction_set(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < rounds(4); seed++) {
        dent_context *contexts[2] = {make_context(1, DENT_ISA_AUTO), make_context(2, DENT_ISA_SCALAR)};
        struct crowd crowds[2];
        dent_schedule *schedules[2];
        dent_schedule_result whole, part;
        for (int side = 0; side < 2; side++) {
            crowd_open(&crowds[side], contexts[side], 40 + seed, 5);
            schedules[side] = crowd_schedule(&crowds[side], 1 + 20 * (seed % 4), NULL);
        }
        dent_random random = dent_random_seeded(seed);
        for (int round = 0; round < 20; round++) {
            uint64_t total = 0;
            dent_schedule_begin(schedules[0], NULL);
            dent_schedule_begin(schedules[1], NULL);
            do {
                uint64_t units = dent_random_below(&random, 2u << (round / 2));
                total += units;
                assert_int_equal(dent_schedule_run(schedules[0], dent_budget_units(units), &part), DENT_OK);
            } while (dent_random_below(&random, 6));
            assert_int_equal(dent_schedule_run(schedules[1], dent_budget_units(total), &whole), DENT_OK);
            assert_same_schedule(&whole, &part);
            for (uint32_t i = 0; i < crowds[0].pair_count; i++) {
                dent_time_critical_result a = crowd_result(&crowds[0], i), b = crowd_result(&crowds[1], i);
                assert_same_lists(&a, &b);
            }
        }
        for (int side = 0; side < 2; side++) {
            dent_schedule_destroy(schedules[side]);
            crowd_close(&crowds[side]);
            dent_context_destroy(contexts[side]);
        }
    }
}

/* ---- the flag ---------------------------------------------------------------------------------------------------- */

static void a_flag_that_is_set_stops_at_once_and_the_next_run_continues(void **state)
{
    (void)state;
    dent_context *context = make_context(1, DENT_ISA_AUTO);
    struct crowd crowd;
    int flag = 1;
    crowd_open(&crowd, context, 12, 6);
    dent_schedule *schedule = crowd_schedule(&crowd, 64, NULL);
    dent_schedule_result result;
    dent_budget budget = dent_budget_units(1000000);
    budget.interrupt = &flag;
    dent_schedule_begin(schedule, NULL);
    assert_int_equal(dent_schedule_run(schedule, budget, &result), DENT_OK);
    assert_int_equal(result.outcome, DENT_OUTCOME_CANCELLED);
    assert_int_equal(result.work_units, 0);
    assert_int_equal(dent_schedule_run(schedule, dent_budget_units(0), &result), DENT_OK);
    assert_int_equal(result.work_units, 0); /* the units of the run that was stopped have lapsed */
    flag = 0;
    assert_int_equal(dent_schedule_run(schedule, budget, &result), DENT_OK);
    assert_int_equal(result.outcome, DENT_OUTCOME_COMPLETE);
    for (uint32_t i = 0; i < crowd.pair_count; i++) {
        assert_pair_is_true(&crowd, i, &result.entries[i]);
    }
    flag = 1;
    dent_time_critical_result one;
    uint32_t stopped = 0;
    for (uint32_t i = 0; i < crowd.pair_count; i++) {
        dent_time_critical_begin(crowd.searches[i], NULL);
        assert_int_equal(dent_time_critical_run(crowd.searches[i], budget, &one), DENT_OK);
        assert_true(one.work_units == 0);
        stopped += one.outcome == DENT_OUTCOME_CANCELLED;
        assert_int_equal(dent_time_critical_run(crowd.searches[i], dent_budget_units(UINT64_MAX), &one), DENT_OK);
        assert_is_truth(&crowd.pairs[i], &one);
    }
    assert_true(stopped > 0);
    dent_schedule_destroy(schedule);
    crowd_close(&crowd);
    dent_context_destroy(context);
}

static void *set_flag_soon(void *user)
{
    uint64_t start = dent_clock_ns();
    while (dent_clock_ns() - start < 20000) {
    }
    __atomic_store_n((int *)user, 1, __ATOMIC_RELAXED);
    return NULL;
}

static void a_flag_set_by_another_thread_stops_a_run_that_has_no_end_of_its_own(void **state)
{
    (void)state;
    dent_context *context = make_context(1, DENT_ISA_AUTO);
    struct crowd crowd;
    crowd_open(&crowd, context, 12, 8);
    dent_schedule *schedule = crowd_schedule(&crowd, 64, NULL);
    for (uint32_t round = 0; round < rounds(30); round++) {
        int flag = 0;
        pthread_t thread;
        dent_schedule_result result;
        dent_budget budget = dent_budget_ns(INFINITY);
        budget.interrupt = &flag;
        assert_int_equal(pthread_create(&thread, NULL, set_flag_soon, &flag), 0);
        do { /* over and over: it ends by the flag alone */
            dent_schedule_begin(schedule, NULL);
            assert_int_equal(dent_schedule_run(schedule, budget, &result), DENT_OK);
        } while (result.outcome == DENT_OUTCOME_COMPLETE);
        pthread_join(thread, NULL);
        assert_int_equal(result.outcome, DENT_OUTCOME_CANCELLED);
        for (uint32_t i = 0; i < crowd.pair_count && round < 3; i++) {
            assert_pair_is_true(&crowd, i, &result.entries[i]);
        }
    }
    dent_schedule_destroy(schedule);
    crowd_close(&crowd);
    dent_context_destroy(context);
}

/* ---- full lists, bad input, memory ------------------------------------------------------------------------------- */

static void searches_with_full_lists_stay_and_their_errors_count(void **state)
{
    (void)state;
    dent_context *context = make_context(1, DENT_ISA_AUTO);
    struct crowd crowd;
    crowd_open(&crowd, context, 8, 6);
    uint32_t truncated = 0;
    for (uint32_t i = 0; i < crowd.pair_count; i += 2) {
        dent_time_critical_def def = dent_time_critical_def_default();
        def.tree_a = crowd.pairs[i].tree_a;
        def.tree_b = crowd.pairs[i].tree_b;
        def.pending_capacity = 2;
        def.confirmed_capacity = def.pair_capacity = 1;
        dent_time_critical_destroy(crowd.searches[i]);
        assert_int_equal(dent_time_critical_create(context, &def, &crowd.searches[i]), DENT_OK);
    }
    dent_schedule *schedule = crowd_schedule(&crowd, 64, NULL);
    dent_schedule_result result;
    dent_schedule_begin(schedule, NULL);
    assert_int_equal(dent_schedule_run(schedule, dent_budget_ns(INFINITY), &result), DENT_OK);
    assert_int_equal(result.outcome, DENT_OUTCOME_TRUNCATED);
    for (uint32_t i = 0; i < crowd.pair_count; i++) {
        truncated += result.entries[i].outcome == DENT_OUTCOME_TRUNCATED;
        assert_true(result.entries[i].outcome != DENT_OUTCOME_BUDGET_SPENT);
        assert_pair_is_true(&crowd, i, &result.entries[i]);
    }
    assert_true(truncated > 0);
    assert_true(result.worst == largest_error(&result, NULL));
    assert_int_equal(dent_schedule_set_importance(schedule, result.worst_search, 0), DENT_OK);
    double before = result.worst;
    assert_int_equal(dent_schedule_run(schedule, dent_budget_ns(INFINITY), &result), DENT_OK);
    assert_true(result.worst <= before && result.outcome == DENT_OUTCOME_TRUNCATED);
    dent_schedule_destroy(schedule);
    crowd_close(&crowd);
    dent_context_destroy(context);
}

static void assert_refused(dent_context *context, const dent_schedule_def *def, const char *words)
{
    dent_schedule *schedule = NULL;
    char message[256];
    assert_int_equal(dent_schedule_create(context, def, &schedule), DENT_ERROR_INVALID_ARGUMENT);
    assert_null(schedule);
    dent_context_message(context, message, sizeof message);
    assert_non_null(strstr(message, words));
}

static void bad_defs_and_budgets_are_refused_and_change_nothing(void **state)
{
    (void)state;
    dent_context *context = make_context(1, DENT_ISA_AUTO), *other = make_context(1, DENT_ISA_AUTO);
    struct crowd crowd;
    crowd_open(&crowd, context, 3, 4);
    dent_schedule_def good = dent_schedule_def_default(), def;
    good.searches = crowd.searches;
    good.search_count = crowd.pair_count;
    def = good;
    def.struct_size--;
    assert_refused(context, &def, "dent_schedule_def_default");
    def = good;
    def.search_count = 0;
    assert_refused(context, &def, "searches");
    def = good;
    def.slice_units = 0;
    assert_refused(context, &def, "slice_units");
    double importance[CROWD_PAIRS_MAX] = {1, 1, NAN};
    def = good;
    def.importance = importance;
    assert_refused(context, &def, "importance 2");
    dent_time_critical *searches[3] = {crowd.searches[0], crowd.searches[1], crowd.searches[0]};
    def = good;
    def.searches = searches;
    def.search_count = 3;
    assert_refused(context, &def, "search 2: is search 0 again");
    searches[2] = NULL;
    assert_refused(context, &def, "search 2: is null");
    assert_refused(other, &good, "search 0: is of another context");
    dent_schedule *schedule = crowd_schedule(&crowd, 64, NULL);
    dent_schedule_result result = {.work_units = 77};
    assert_int_equal(dent_schedule_run(schedule, dent_budget_units(1), &result), DENT_ERROR_INVALID_ARGUMENT);
    dent_schedule_begin(schedule, NULL);
    assert_int_equal(dent_schedule_run(schedule, dent_budget_ns(-1), &result), DENT_ERROR_BAD_NUMBER);
    assert_int_equal(dent_schedule_run(schedule, dent_budget_ns(NAN), &result), DENT_ERROR_BAD_NUMBER);
    assert_int_equal(dent_schedule_set_importance(schedule, crowd.pair_count, 1), DENT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(dent_schedule_set_importance(schedule, 0, -1), DENT_ERROR_BAD_NUMBER);
    assert_int_equal(dent_schedule_set_importance(schedule, 0, INFINITY), DENT_ERROR_BAD_NUMBER);
    assert_int_equal(dent_bound_tree_update(crowd.trees[2]), DENT_OK);
    assert_int_equal(dent_schedule_run(schedule, dent_budget_units(1), &result), DENT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(result.work_units, 77);
    dent_schedule_begin(schedule, NULL);
    assert_int_equal(dent_schedule_run(schedule, dent_budget_ns(INFINITY), &result), DENT_OK);
    assert_int_equal(result.outcome, DENT_OUTCOME_COMPLETE);
    dent_schedule_destroy(schedule);
    dent_schedule_destroy(NULL);
    crowd_close(&crowd);
    dent_context_destroy(context);
    dent_context_destroy(other);
}

static void every_allocation_may_fail_and_a_step_makes_none(void **state)
{
    (void)state;
    struct failing_allocator memory = failing_allocator_make();
    dent_context_def context_def = dent_context_def_default();
    context_def.allocator = failing_allocator_hook(&memory);
    context_def.thread_count = 1;
    dent_context *context = dent_context_create(&context_def, NULL);
    struct crowd crowd;
    crowd_open(&crowd, context, 3, 5);
    dent_schedule_def def = dent_schedule_def_default();
    def.searches = crowd.searches;
    def.search_count = crowd.pair_count;
    dent_schedule *schedule = NULL;
    uint32_t failures = 0;
    for (uint32_t n = 1; !schedule; n++) {
        uint64_t blocks = memory.live_blocks;
        memory.requests = 0;
        memory.fail_at = n;
        dent_status status = dent_schedule_create(context, &def, &schedule);
        memory.fail_at = 0;
        assert_true(schedule ? status == DENT_OK : status == DENT_ERROR_OUT_OF_MEMORY);
        assert_true(schedule || memory.live_blocks == blocks);
        failures += status != DENT_OK;
    }
    assert_true(failures >= 8);
    memory.requests = 0;
    for (int step = 0; step < 20; step++) {
        dent_schedule_result result;
        dent_schedule_begin(schedule, NULL);
        assert_int_equal(dent_schedule_run(schedule, dent_budget_ns(step * 1000), &result), DENT_OK);
    }
    assert_int_equal(memory.requests, 0);
    dent_schedule_destroy(schedule);
    crowd_close(&crowd);
    dent_context_destroy(context);
    assert_true(failing_allocator_clean(&memory));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_and_lists_are_true_whatever_the_budget),
        cmocka_unit_test(estimates_hold_at_their_confidence),
        cmocka_unit_test(confidences_hold_over_independent_searches),
        cmocka_unit_test(worst_first_is_within_a_slice_a_search_of_the_best_division_in_hindsight),
        cmocka_unit_test(what_is_important_goes_first_and_what_is_not_goes_last),
        cmocka_unit_test(two_budgets_are_their_sum_for_every_instruction_set),
        cmocka_unit_test(a_flag_that_is_set_stops_at_once_and_the_next_run_continues),
        cmocka_unit_test(a_flag_set_by_another_thread_stops_a_run_that_has_no_end_of_its_own),
        cmocka_unit_test(searches_with_full_lists_stay_and_their_errors_count),
        cmocka_unit_test(bad_defs_and_budgets_are_refused_and_change_nothing),
        cmocka_unit_test(every_allocation_may_fail_and_a_step_makes_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
