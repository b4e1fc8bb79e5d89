/* Boxes that meet, found by comparing all and by sweeping: the pairs of a double loop, each from both sides. */
#include "support/cmocka_includes.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "structures/boxes/body_pairs.h"
#include "support/test_context.h"

enum { BOXES_MAX = 500 };

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
    static const uint32_t counts[] = {0, 1, 2, 31, 32, 33, 64, 191, 192, 193, 200, 333, BOXES_MAX};
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_are_those_of_a_double_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
