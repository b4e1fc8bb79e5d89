/* Lists of answers in canonical order, whatever the numbers in them: those that fit one word of 64 bits and those that
 * do not. */
#include "support/cmocka_includes.h"

#include <stdlib.h>
#include <string.h>

#include "query/pairs/answer_order.h"
#include "support/failing_allocator.h"
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

/* What the canonical list must be; returns how many pairs it has. */
static size_t order_plainly(dent_pair *pairs, size_t count)
{
    size_t kept = 0;
    qsort(pairs, count, sizeof pairs[0], in_canonical_order);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || in_canonical_order(&pairs[i], &pairs[i - 1]) != 0) {
            pairs[kept++] = pairs[i];
        }
    }
    return kept;
}

/* Sorts `pairs` too. */
static void check_ordered(struct block_output *blocks, const struct feature_numbers *numbers, struct arena *scratch,
                          dent_pair *pairs, size_t count)
{
    struct dynamic_array ordered;
    array_init(&ordered, blocks->context, sizeof(dent_pair));
    assert_true(answer_order(blocks, numbers, &ordered, scratch));
    size_t kept = order_plainly(pairs, count);
    assert_int_equal(ordered.count, kept);
    assert_memory_equal(ordered.data, pairs, kept * sizeof pairs[0]);
    assert_int_equal(block_output_count(blocks), 0);
    array_destroy(&ordered);
    arena_reset(scratch);
}

/* Pairs whose four numbers need these widths together with the three bits of the kind. */
static void sorts(dent_context *context, struct arena *scratch, const uint32_t bits[4], dent_random *random)
{
    struct block_output blocks;
    dent_pair pairs[COUNT];
    block_output_init(&blocks, context, sizeof(dent_pair));
    for (uint32_t i = 0; i < COUNT; i++) {
        pairs[i] = (dent_pair){number_of(random, bits[0], i), number_of(random, bits[1], i),
                               number_of(random, bits[2], i), number_of(random, bits[3], i), DENT_PAIR_INTERIOR};
    }
    assert_true(block_output_begin(&blocks, 2));
    block_output_append(&blocks, 0, pairs, COUNT / 2);
    block_output_append(&blocks, 1, pairs + COUNT / 2, COUNT / 2);
    check_ordered(&blocks, NULL, scratch, pairs, COUNT);
    block_output_destroy(&blocks);
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

/* ---- many answers, divided ----------------------------------------------------------------------------------------- */

enum { BODIES = 40, MOST = 30000, LISTS = 97 };

/* How the answers of a world lie. */
struct contact {
    const char *what;
    uint32_t count;
    uint32_t features;  /* of side a that take part, in each body */
    uint32_t bodies;    /* of side a that take part */
    uint32_t cells;     /* other sides to choose from: few of them mean repetitions */
    uint32_t body_bits; /* of side b: many do not fit a word */
    bool one_list;
};

static const struct contact contacts[] = {
    {"everywhere", MOST, 3000, BODIES, 1u << 20, 5, false},
    {"one body of many", MOST, 3000, 1, 1u << 20, 5, false},
    {"one feature", 5000, 1, 1, 1u << 20, 5, false},
    {"repeated", MOST, 200, BODIES, 4, 1, false},
    {"repeated once in a while", MOST, 3000, BODIES, 50, 3, false},
    {"one block", MOST, 3000, BODIES, 1u << 20, 5, true},
    {"beyond one word", MOST, 3000, BODIES, UINT32_MAX, 31, false},
    {"just enough to be divided", ANSWER_ORDER_FEW, 3000, BODIES, 1u << 20, 5, false},
    {"just not enough", ANSWER_ORDER_FEW - 1, 3000, BODIES, 1u << 20, 5, false},
};

static void divide(dent_context *context, const struct contact *contact, dent_random *random)
{
    static dent_pair pairs[MOST];
    struct body_snapshot bodies[BODIES];
    struct block_output blocks;
    struct arena scratch;
    arena_init(&scratch, context);
    block_output_init(&blocks, context, sizeof(dent_pair));
    for (uint32_t body = 0; body < BODIES; body++) { /* body 0 is large; all have more features than one would think */
        bodies[body].first[FEATURE_FACE] = body == 0 ? 0 : 2500 + 10 * (size_t)body;
    }
    const struct feature_numbers numbers = {bodies, BODIES, FEATURE_FACE, 2500 + 10 * (size_t)BODIES};
    for (int turn = 0; turn < 2; turn++) { /* the second in the memory of the first */
        assert_true(block_output_begin(&blocks, LISTS));
        for (uint32_t i = 0; i < contact->count; i++) {
            pairs[i] =
                (dent_pair){dent_random_below(random, contact->bodies), dent_random_below(random, contact->features),
                            (uint32_t)dent_random_bits(random) >> (32 - contact->body_bits),
                            dent_random_below(random, contact->cells), DENT_PAIR_INTERIOR};
            uint32_t list = contact->one_list ? LISTS / 2 : dent_random_below(random, LISTS);
            assert_true(block_output_append(&blocks, list, &pairs[i], 1));
        }
        check_ordered(&blocks, &numbers, &scratch, pairs, contact->count);
    }
    block_output_destroy(&blocks);
    arena_destroy(&scratch);
}

static void many_answers_come_in_the_same_order_from_any_number_of_threads(void **state)
{
    (void)state;
    const uint32_t threads[] = {1, 2, 3, 8};
    dent_random random = dent_random_seeded(87);
    for (int i = 0; i < 4; i++) {
        dent_context *context = test_context(threads[i], DENT_ISA_AUTO);
        for (size_t k = 0; k < sizeof contacts / sizeof contacts[0]; k++) {
            divide(context, &contacts[k], &random);
        }
        dent_context_destroy(context);
    }
}

/* ---- keys of 128 bits ---------------------------------------------------------------------------------------------- */

/* The four numbers and the kind need `width` bits together, which is more than a word; every number may have up to 32. */
static void draw_widths(dent_random *random, uint32_t width, uint32_t bits[4])
{
    uint32_t left = width - 3;
    for (int i = 0; i < 4; i++) {
        uint32_t others = 32 * (uint32_t)(3 - i), least = left > others ? left - others : 0;
        uint32_t most = left < 32 ? left : 32;
        bits[i] = least + dent_random_below(random, most - least + 1);
        left -= bits[i];
    }
}

/* Many answers, half of them repetitions, all kinds, dealt to lists of which some are empty. Side a may be any body and
 * feature: more than the world says it has. */
static void sort_beyond_a_word(dent_context *context, uint32_t width, dent_random *random)
{
    enum { ANSWERS = 3000 };
    static dent_pair pairs[ANSWERS];
    struct body_snapshot bodies[BODIES] = {{.first = {0}}};
    struct block_output blocks;
    struct arena scratch;
    uint32_t bits[4];
    draw_widths(random, width, bits);
    const struct feature_numbers numbers = {bodies, BODIES, FEATURE_FACE, 5000};
    arena_init(&scratch, context);
    block_output_init(&blocks, context, sizeof(dent_pair));
    assert_true(block_output_begin(&blocks, LISTS));
    bool divided = bits[0] <= 5; /* bodies of side a are those of the world, or the calling thread does all */
    for (uint32_t i = 0; i < ANSWERS; i++) {
        bool again = i > 0 && dent_random_below(random, 2) == 0;
        pairs[i] = again ? pairs[dent_random_below(random, i)]
                         : (dent_pair){number_of(random, bits[0], i), number_of(random, bits[1], i),
                                       number_of(random, bits[2], i), number_of(random, bits[3], i), (uint32_t)(i % 7)};
        assert_true(block_output_append(&blocks, dent_random_below(random, LISTS / 2) * 2, &pairs[i], 1));
    }
    check_ordered(&blocks, divided ? &numbers : NULL, &scratch, pairs, ANSWERS);
    block_output_destroy(&blocks);
    arena_destroy(&scratch);
}

static void pairs_beyond_one_word_are_ordered_at_every_width_up_to_131_bits(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(88);
    for (uint32_t threads = 1; threads <= 4; threads += 3) {
        dent_context *context = test_context(threads, DENT_ISA_AUTO);
        for (uint32_t width = 62; width <= 131; width++) { /* a few that fit, for the edge between them */
            for (int turn = 0; turn < 3; turn++) {
                sort_beyond_a_word(context, width, &random);
            }
        }
        dent_context_destroy(context);
    }
}

static void lists_are_cut_anywhere_and_none_is_lost_or_doubled(void **state)
{
    (void)state;
    enum { SHAPES = 300 };
    dent_random random = dent_random_seeded(89);
    static dent_pair pairs[MOST];
    struct body_snapshot bodies[BODIES] = {{.first = {0}}};
    for (int shape = 0; shape < SHAPES; shape++) {
        dent_context *context = test_context(1 + (uint32_t)shape % 3, DENT_ISA_AUTO);
        struct block_output blocks;
        struct arena scratch;
        const struct feature_numbers numbers = {bodies, BODIES, FEATURE_FACE, 4000};
        arena_init(&scratch, context);
        block_output_init(&blocks, context, sizeof(dent_pair));
        uint32_t lists = 1 + dent_random_below(&random, LISTS), count = 0;
        assert_true(block_output_begin(&blocks, lists));
        uint32_t wanted = ANSWER_ORDER_FEW + dent_random_below(&random, 6000);
        while (count < wanted) { /* lists of very different lengths, some never written to */
            uint32_t list = dent_random_below(&random, lists), length = 1u << dent_random_below(&random, 11);
            for (; length > 0 && count < wanted; length--, count++) {
                pairs[count] = (dent_pair){dent_random_below(&random, BODIES), dent_random_below(&random, 100),
                                           dent_random_below(&random, BODIES), count, DENT_PAIR_INTERIOR};
                assert_true(block_output_append(&blocks, list, &pairs[count], 1));
            }
        }
        check_ordered(&blocks, &numbers, &scratch, pairs, count);
        block_output_destroy(&blocks);
        arena_destroy(&scratch);
        dent_context_destroy(context);
    }
}

/* No allocation may fail unnoticed, and none may break anything. */
static void every_allocation_may_fail(void **state)
{
    (void)state;
    bool done = false;
    for (uint64_t failing = 1; !done; failing++) {
        struct failing_allocator memory = failing_allocator_make();
        dent_context_def def = dent_context_def_default();
        def.allocator = failing_allocator_hook(&memory);
        def.thread_count = 1;
        dent_context *context = dent_context_create(&def, NULL);
        struct block_output blocks;
        struct dynamic_array ordered;
        struct arena scratch;
        const struct body_snapshot body = {.first = {0}};
        const struct feature_numbers numbers = {&body, 1, FEATURE_VERTEX, 4096};
        arena_init(&scratch, context);
        array_init(&ordered, context, sizeof(dent_pair));
        block_output_init(&blocks, context, sizeof(dent_pair));
        memory.requests = 0;
        memory.fail_at = failing;
        memory.fail_once = 1;
        bool begun = block_output_begin(&blocks, 3);
        for (uint32_t i = 0; begun && i < 4096; i++) {
            dent_pair pair = {0, (i * 2654435761u) % 4096, 0, i, DENT_PAIR_INTERIOR};
            block_output_append(&blocks, i % 3, &pair, 1);
        }
        bool ordered_all = begun && answer_order(&blocks, &numbers, &ordered, &scratch);
        assert_true(!ordered_all || ordered.count == 4096);
        done = ordered_all && memory.requests < failing;
        array_destroy(&ordered);
        block_output_destroy(&blocks);
        arena_destroy(&scratch);
        dent_context_destroy(context);
        assert_true(failing_allocator_clean(&memory));
        assert_true(!done || failing > 5);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_of_any_width_come_back_in_canonical_order),
        cmocka_unit_test(many_answers_come_in_the_same_order_from_any_number_of_threads),
        cmocka_unit_test(pairs_beyond_one_word_are_ordered_at_every_width_up_to_131_bits),
        cmocka_unit_test(lists_are_cut_anywhere_and_none_is_lost_or_doubled),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, test_open_context_of_one, test_close_context);
}
