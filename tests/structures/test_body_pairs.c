/* Boxes that meet, found by comparing all and by sweeping: the pairs of a double loop, each from both sides. */
#include "support/cmocka_includes.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "structures/boxes/body_pairs.h"
#include "support/test_context.h"

enum { BOXES_MAX = 1700 };

static bool meet(const struct cluster_box *a, const struct cluster_box *b)
{
    for (int axis = 0; axis < 3; axis++) {
        if (!(a->lo[axis] <= b->hi[axis] && b->lo[axis] <= a->hi[axis])) {
            return false;
        }
    }
    return true;
}

/* On a lattice many boxes only touch; a few are empty. */
static void make_boxes(dent_random *random, struct cluster_box *boxes, uint32_t count, bool lattice)
{
    for (uint32_t i = 0; i < count; i++) {
        bool empty = dent_random_below(random, 40) == 0;
        for (int axis = 0; axis < 3; axis++) {
            double at = lattice ? dent_random_below(random, 12) : 12 * dent_random_unit(random);
            double size = lattice ? dent_random_below(random, 3) : 2 * dent_random_unit(random);
            boxes[i].lo[axis] = empty ? INFINITY : (float)at;
            boxes[i].hi[axis] = empty ? -INFINITY : (float)(at + size);
        }
    }
}

static void assert_partners(const struct body_pairs *pairs, const struct cluster_box *boxes, uint32_t count)
{
    static uint8_t found[BOXES_MAX];
    for (uint32_t a = 0; a < count; a++) {
        memset(found, 0, sizeof found);
        for (uint32_t i = pairs->first[a]; i < pairs->first[a + 1]; i++) {
            found[pairs->partners[i]]++;
        }
        for (uint32_t b = 0; b < count; b++) {
            assert_int_equal(found[b], a != b && meet(&boxes[a], &boxes[b]));
        }
    }
}

static void pairs_are_those_of_a_double_loop(void **state)
{
    (void)state;
    static const uint32_t counts[] = {0, 1, 2, 31, 32, 33, 64, 191, 192, 193, 200, 333, 500};
    static struct cluster_box boxes[BOXES_MAX];
    dent_random random = dent_random_seeded(11);
    for (int i = 0; i < 2 * DENT_ISA_COUNT; i++) {
        dent_isa isa = (dent_isa)(i / 2);
        if (!dent_isa_available(isa)) {
            continue;
        }
        dent_context *context = test_context(i % 2 == 0 ? 1 : 3, isa);
        isa = dent_context_isa(context);
        struct body_pairs pairs;
        struct arena scratch;
        arena_init(&scratch, context);
        body_pairs_init(&pairs, context);
        for (size_t n = 0; n < 2 * sizeof counts / sizeof counts[0]; n++) {
            uint32_t count = counts[n / 2];
            make_boxes(&random, boxes, count, n % 2 == 0);
            assert_true(body_pairs_find(&pairs, boxes, count, isa, &scratch));
            assert_partners(&pairs, boxes, count);
            arena_reset(&scratch);
        }
        body_pairs_destroy(&pairs);
        arena_destroy(&scratch);
        dent_context_destroy(context);
    }
}

/* All begin at once, so that a sweep looks at all the others behind each; half of them are near one another across. */
static void make_tower(dent_random *random, struct cluster_box *boxes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        for (int axis = 0; axis < 3; axis++) {
            double at = axis == 0 ? 1e-3 * dent_random_unit(random) : 3 * dent_random_unit(random);
            boxes[i].lo[axis] = (float)at;
            boxes[i].hi[axis] = (float)(at + 1);
        }
    }
}

static void sweeps_longer_than_one_scan_find_every_pair(void **state)
{
    (void)state;
    static const uint32_t counts[] = {512, 513, 514, 528, 529, 1024, 1025, 1537, BOXES_MAX};
    static struct cluster_box boxes[BOXES_MAX];
    dent_random random = dent_random_seeded(12);
    for (uint32_t threads = 1; threads <= 3; threads += 2) {
        dent_context *context = test_context(threads, DENT_ISA_AUTO);
        struct body_pairs pairs;
        struct arena scratch;
        arena_init(&scratch, context);
        body_pairs_init(&pairs, context);
        for (size_t n = 0; n < sizeof counts / sizeof counts[0]; n++) {
            make_tower(&random, boxes, counts[n]);
            assert_true(body_pairs_find(&pairs, boxes, counts[n], dent_context_isa(context), &scratch));
            assert_true(pairs.found.count > (size_t)counts[n] * counts[n] / 20); /* long lists, too */
            assert_partners(&pairs, boxes, counts[n]);
            arena_reset(&scratch);
        }
        body_pairs_destroy(&pairs);
        arena_destroy(&scratch);
        dent_context_destroy(context);
    }
}

static void run_in_order(void *user, uint32_t block_count, dent_block_function *function, void *data)
{
    (void)user;
    for (uint32_t block = 0; block < block_count; block++) {
        function(data, block, block % 1024);
    }
}

static void a_thousand_workers_take_no_more_scratch_than_one(void **state)
{
    (void)state;
    static struct cluster_box boxes[BOXES_MAX];
    dent_random random = dent_random_seeded(13);
    make_boxes(&random, boxes, BOXES_MAX, false);
    size_t used[2] = {0, 0};
    for (int many = 0; many < 2; many++) {
        dent_context_def def = dent_context_def_default();
        def.parallel = (dent_parallel){.run = run_in_order, .worker_count = many ? 1024 : 1};
        dent_context *context = dent_context_create(&def, NULL);
        struct body_pairs pairs;
        struct arena scratch;
        arena_init(&scratch, context);
        body_pairs_init(&pairs, context);
        assert_true(body_pairs_find(&pairs, boxes, BOXES_MAX, dent_context_isa(context), &scratch));
        assert_partners(&pairs, boxes, BOXES_MAX);
        used[many] = scratch.high_water;
        body_pairs_destroy(&pairs);
        arena_destroy(&scratch);
        dent_context_destroy(context);
    }
    assert_int_equal(used[1], used[0]);
    assert_true(used[0] <= BOXES_MAX * 48 + 16 * 64);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_are_those_of_a_double_loop),
        cmocka_unit_test(sweeps_longer_than_one_scan_find_every_pair),
        cmocka_unit_test(a_thousand_workers_take_no_more_scratch_than_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
