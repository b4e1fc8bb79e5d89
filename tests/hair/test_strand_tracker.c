/* Tracked closest pairs against all pairs of segments: every contact is one, straight strands lose none, a shaken head
 * loses few when it is seeded. */
#include "support/cmocka_includes.h"

#include "geometry/metric/feature_distance.h"
#include "support/failing_allocator.h"
#include "support/test_context.h"

#include <dent/hair.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STRANDS = 60, NODES = 16, VERTICES = STRANDS * NODES };

struct head {
    uint32_t first[STRANDS + 1];
    double positions[3 * VERTICES];
    double radius;
    uint32_t *a, *b;
    double *distances;
    uint64_t count, capacity;
};

/* Wavy strands that hang from a patch and swing. */
static void head_pose(struct head *head, double time)
{
    for (uint32_t v = 0; v < VERTICES; v++) {
        uint32_t s = v / NODES, n = v % NODES;
        double *x = head->positions + 3 * v, phase = 0.7 * s, swing = 0.3 * sin(3 * time + 0.02 * s) * n / NODES;
        x[0] = 0.05 * (s % 10) + 0.03 * sin(0.9 * n + phase + time) + swing;
        x[1] = 0.05 * (s / 10) + 0.03 * cos(0.7 * n + 1.3 * phase - 0.5 * time);
        x[2] = -0.04 * n;
    }
}

static void head_open(struct head *head)
{
    memset(head, 0, sizeof *head);
    for (uint32_t s = 0; s <= STRANDS; s++) {
        head->first[s] = s * NODES;
    }
    head->radius = 0.006;
    head_pose(head, 0);
}

static void head_close(struct head *head)
{
    free(head->a);
    free(head->b);
    free(head->distances);
}

/* All pairs of segments of different strands within `reach` times the radii. */
static void head_search(struct head *head, double reach)
{
    head->count = 0;
    for (uint32_t a = 0; a < VERTICES; a++) {
        for (uint32_t b = (a / NODES + 1) * NODES; b < VERTICES; b++) {
            if (a % NODES == NODES - 1 || b % NODES == NODES - 1) {
                continue;
            }
            const double *ends_a[2] = {head->positions + 3 * a, head->positions + 3 * a + 3};
            const double *ends_b[2] = {head->positions + 3 * b, head->positions + 3 * b + 3};
            double distance = edge_edge_distance(ends_a, ends_b);
            if (distance > reach * (2 * head->radius)) {
                continue;
            }
            if (head->count == head->capacity) {
                head->capacity = 2 * head->capacity + 1000;
                head->a = realloc(head->a, head->capacity * sizeof *head->a);
                head->b = realloc(head->b, head->capacity * sizeof *head->b);
                head->distances = realloc(head->distances, head->capacity * sizeof *head->distances);
            }
            head->a[head->count] = a;
            head->b[head->count] = b;
            head->distances[head->count++] = distance;
        }
    }
}

static dent_strand_tracker *tracker_for(dent_context *context, const struct head *head)
{
    dent_strand_tracker_def def = dent_strand_tracker_def_default();
    dent_strand_tracker *tracker = NULL;
    def.strand_count = STRANDS;
    def.first = head->first;
    def.radius = head->radius;
    assert_int_equal(dent_strand_tracker_create(context, &def, &tracker), DENT_OK);
    return tracker;
}

/* Recall over a shake, seeded every `interval` steps; 0: never. */
static double shake(dent_context *context, int interval, uint64_t *contacts)
{
    struct head head;
    uint64_t all = 0, met = 0;
    head_open(&head);
    dent_strand_tracker *tracker = tracker_for(context, &head);
    *contacts = 0;
    for (int step = 0; step < (int)test_count(12, 40, 40); step++) {
        dent_strand_tracker_result result;
        uint64_t total, found;
        head_pose(&head, 0.01 * step);
        if (interval > 0 && step % interval == 0) { /* with what may touch soon */
            head_search(&head, 3);
            assert_int_equal(dent_strand_tracker_seed(tracker, head.count, head.a, head.b), DENT_OK);
        }
        head_search(&head, 1);
        assert_int_equal(dent_strand_tracker_update(tracker, head.positions, &result), DENT_OK);
        assert_int_equal(
            dent_strand_tracker_recall(tracker, head.count, head.a, head.b, head.distances, &total, &found), DENT_OK);
        all += total;
        met += found;
        *contacts += result.contact_count;
        for (uint64_t i = 0; i < result.contact_count; i++) { /* every one is a pair of the exact search */
            const dent_contact *contact = &result.contacts[i];
            bool there = false;
            for (uint64_t k = 0; k < head.count && !there; k++) {
                there = head.a[k] == contact->feature_a && head.b[k] == contact->feature_b &&
                        head.distances[k] == contact->gap;
            }
            assert_true(there);
        }
    }
    dent_strand_tracker_destroy(tracker);
    head_close(&head);
    return all ? (double)met / (double)all : 1;
}

static void a_seeded_tracker_finds_99_percent_of_a_shaken_head(void **state)
{
    uint64_t contacts;
    double never = shake(*state, 0, &contacts);
    double seldom = shake(*state, 10, &contacts);
    double often = shake(*state, 1, &contacts);
    printf("recall: never seeded %.4f, every 10 steps %.4f, every step %.4f; %llu contacts\n", never, seldom, often,
           (unsigned long long)contacts);
    assert_true(contacts > 20 * test_count(12, 40, 40));
    assert_true(often >= 0.999 && seldom >= 0.99 && often >= seldom - 1e-3 && seldom >= never - 1e-3);
}

static void straight_strands_lose_nothing(void **state)
{
    struct head head;
    dent_random random = dent_random_seeded(5);
    uint64_t all = 0, met = 0;
    head_open(&head);
    head.radius = 0.05;
    for (int round = 0; round < (int)test_count(4, 20, 20); round++) {
        for (uint32_t s = 0; s < STRANDS; s++) {
            double from[3], to[3];
            for (int axis = 0; axis < 3; axis++) {
                from[axis] = dent_random_unit(&random);
                to[axis] = dent_random_unit(&random);
            }
            for (uint32_t n = 0; n < NODES; n++) {
                for (int axis = 0; axis < 3; axis++) {
                    head.positions[3 * (s * NODES + n) + (uint32_t)axis] =
                        from[axis] + (to[axis] - from[axis]) * n / (NODES - 1);
                }
            }
        }
        dent_strand_tracker *tracker = tracker_for(*state, &head);
        dent_strand_tracker_result result;
        uint64_t total, found;
        head_search(&head, 1);
        for (int step = 0; step < 4; step++) { /* nearly parallel strands need more than the sweeps of one step */
            assert_int_equal(dent_strand_tracker_update(tracker, head.positions, &result), DENT_OK);
        }
        assert_int_equal(
            dent_strand_tracker_recall(tracker, head.count, head.a, head.b, head.distances, &total, &found), DENT_OK);
        all += total;
        met += found;
        dent_strand_tracker_destroy(tracker);
    }
    printf("straight strands: %llu of %llu minima\n", (unsigned long long)met, (unsigned long long)all);
    assert_true(all > 500 && met == all);
    head_close(&head);
}

static void places_do_not_multiply_and_nothing_is_allocated_when_warm(void **state)
{
    (void)state;
    struct failing_allocator memory = failing_allocator_make();
    dent_context_def context_def = dent_context_def_default();
    context_def.allocator = failing_allocator_hook(&memory);
    context_def.thread_count = 1;
    dent_context *context = dent_context_create(&context_def, NULL);
    struct head head;
    head_open(&head);
    dent_strand_tracker *tracker = tracker_for(context, &head);
    dent_strand_tracker_result first, last;
    for (int i = 0; i < 5; i++) {
        assert_int_equal(dent_strand_tracker_update(tracker, head.positions, i ? &last : &first), DENT_OK);
    }
    uint64_t pairs = last.pair_count;
    memory.requests = 0;
    for (int i = 0; i < 5; i++) {
        assert_int_equal(dent_strand_tracker_update(tracker, head.positions, &last), DENT_OK);
    }
    assert_int_equal(memory.requests, 0);
    assert_int_equal(last.pair_count, pairs);
    assert_true(last.strand_pairs <= last.pair_count);
    for (uint64_t i = 1; i < last.pair_count; i++) { /* merged: none within half a window of another */
        const dent_tracked_pair *a = &last.pairs[i - 1], *b = &last.pairs[i];
        assert_true(a->strand_a != b->strand_a || a->strand_b != b->strand_b || fabs(a->at_a - b->at_a) >= 1 ||
                    fabs(a->at_b - b->at_b) >= 1);
    }
    head.positions[100] = NAN;
    assert_int_equal(dent_strand_tracker_update(tracker, head.positions, &last), DENT_ERROR_BAD_NUMBER);
    uint32_t wrong = VERTICES;
    assert_int_equal(dent_strand_tracker_seed(tracker, 1, &wrong, &wrong), DENT_ERROR_INVALID_ARGUMENT);
    wrong = NODES - 1; /* a tip */
    assert_int_equal(dent_strand_tracker_seed(tracker, 1, &wrong, &wrong), DENT_ERROR_INVALID_ARGUMENT);
    dent_strand_tracker_destroy(tracker);
    head_close(&head);
    dent_context_destroy(context);
    assert_true(failing_allocator_clean(&memory));
}

static void strands_that_do_not_begin_at_vertex_0_are_refused(void **state)
{
    const uint32_t first[2] = {2, 4};
    dent_strand_tracker *tracker = NULL;
    dent_strand_tracker_def def = dent_strand_tracker_def_default();
    def.strand_count = 1;
    def.first = first;
    (void)state;
    dent_context *context = dent_context_create(NULL, NULL);
    assert_int_equal(dent_strand_tracker_create(context, &def, &tracker), DENT_ERROR_INVALID_ARGUMENT);
    dent_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_seeded_tracker_finds_99_percent_of_a_shaken_head),
        cmocka_unit_test(straight_strands_lose_nothing),
        cmocka_unit_test(strands_that_do_not_begin_at_vertex_0_are_refused),
        cmocka_unit_test(places_do_not_multiply_and_nothing_is_allocated_when_warm),
    };
    return cmocka_run_group_tests(tests, test_open_context_of_one, test_close_context);
}
