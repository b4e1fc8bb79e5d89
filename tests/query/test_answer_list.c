/* Lists of answers in canonical order, whatever the numbers in them: those that fit one word of 64 bits and those that
 * do not. */
#include "support/cmocka_includes.h"

#include <stdlib.h>
#include <string.h>

#include "query/pairs/answer_list.h"
#include "support/test_context.h"

enum { COUNT = 64 };

static int in_canonical_order(const void *a, const void *b)
{
    const dent_pair *p = a, *q = b;
    const uint32_t left[4] = {p->body_a, p->feature_a, p->body_b, p->feature_b};
    const uint32_t right[4] = {q->body_a, q->feature_a, q->body_b, q->feature_b};
    for (int i = 0; i < 4; i++) {
        if (left[i] != right[i]) {
            return left[i] < right[i] ? -1 : 1;
        }
    }
    return 0;
}

/* A number below 2^bits, in the first pair one that needs them all. */
static uint32_t number_of(dent_random *random, uint32_t bits, uint32_t place)
{
    uint64_t range = UINT64_C(1) << bits;
    uint64_t number = dent_random_bits(random) % range;
    return (uint32_t)(bits > 0 && place == 0 ? number | range / 2 : number);
}

/* Pairs whose four numbers need these widths together with the three bits of the kind. */
static void sorts(dent_context *context, struct arena *scratch, const uint32_t bits[4], dent_random *random)
{
    struct answer_list list;
    dent_pair pairs[COUNT];
    answer_list_init(&list, context, NULL);
    for (uint32_t i = 0; i < COUNT; i++) {
        pairs[i] = (dent_pair){number_of(random, bits[0], i), number_of(random, bits[1], i),
                               number_of(random, bits[2], i), number_of(random, bits[3], i), DENT_PAIR_INTERIOR};
    }
    assert_true(block_output_begin(&list.blocks, 2));
    block_output_append(&list.blocks, 0, pairs, COUNT / 2);
    block_output_append(&list.blocks, 1, pairs + COUNT / 2, COUNT / 2);
    assert_true(answer_list_sort(&list, scratch));
    qsort(pairs, COUNT, sizeof pairs[0], in_canonical_order);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        if (i == 0 || in_canonical_order(&pairs[i], &pairs[i - 1]) != 0) {
            pairs[kept++] = pairs[i];
        }
    }
    assert_int_equal(list.pairs.count, kept);
    assert_memory_equal(list.pairs.data, pairs, kept * sizeof pairs[0]);
    answer_list_destroy(&list);
    arena_reset(scratch);
}

static void pairs_of_any_width_come_back_in_canonical_order(void **state)
{
    dent_random random = dent_random_seeded(86);
    struct arena scratch;
    uint32_t around[8] = {0};
    arena_init(&scratch, *state);
    for (uint32_t turn = 0; turn < 4000; turn++) {
        uint32_t bits[4], sum = 3;
        for (int i = 0; i < 4; i++) {
            bits[i] = dent_random_below(&random, 33);
            sum += bits[i];
        }
        if (turn % 2) { /* near the width of a word */
            uint32_t wanted = 61 + dent_random_below(&random, 8);
            bits[0] = wanted - 3 > 60 ? wanted - 63 : 0;
            bits[1] = 30;
            bits[2] = dent_random_below(&random, 3);
            bits[3] = wanted - 3 - bits[0] - bits[1] - bits[2];
            sum = wanted;
        }
        around[sum >= 61 && sum < 69 ? sum - 61 : 0]++;
        sorts(*state, &scratch, bits, &random);
    }
    for (int i = 1; i < 8; i++) {
        assert_true(around[i] > 100);
    }
    arena_destroy(&scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_of_any_width_come_back_in_canonical_order),
    };
    return cmocka_run_group_tests(tests, test_open_context_of_one, test_close_context);
}
