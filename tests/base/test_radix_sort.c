/* Radix sort against qsort with the original place as tie-breaker: the same keys in the same order, payload along. */
#include "support/cmocka_includes.h"

#include "base/radix_sort.h"

#include <dent/base.h>

#include <stdlib.h>
#include <string.h>

/* How the keys of a test are made. */
enum pattern {
    RANDOM_BITS,
    FEW_VALUES,
    ALL_EQUAL,
    ASCENDING,
    DESCENDING,
    ONE_OUT_OF_PLACE,
    HIGH_BYTE_ONLY,
    EXTREMES,
    SMALL_INDICES,
    PATTERN_COUNT
};

static uint64_t make_word(enum pattern pattern, dent_random *random, size_t i, size_t count)
{
    switch (pattern) {
    case RANDOM_BITS:
        return dent_random_bits(random);
    case FEW_VALUES:
        return dent_random_below(random, 3) * UINT64_C(0x0100000001);
    case ALL_EQUAL:
        return UINT64_C(0xDEADBEEF12345678);
    case ASCENDING:
        return i * 3;
    case DESCENDING:
        return (count - i) * UINT64_C(0x10001);
    case ONE_OUT_OF_PLACE:
        return i == count - 1 ? 0 : i + 1;
    case HIGH_BYTE_ONLY:
        return (uint64_t)dent_random_below(random, 256) << 56;
    case EXTREMES:
        return dent_random_below(random, 2) ? UINT64_MAX - dent_random_below(random, 2) : dent_random_below(random, 2);
    case SMALL_INDICES:
        return (uint64_t)dent_random_below(random, 4) << 32 | dent_random_below(random, 50000);
    case PATTERN_COUNT:
        break;
    }
    return 0;
}

struct record {
    struct key128 key;
    uint32_t place;
};

static int compare_records(const void *a, const void *b)
{
    const struct record *x = a, *y = b;
    if (x->key.high != y->key.high) {
        return x->key.high < y->key.high ? -1 : 1;
    }
    if (x->key.low != y->key.low) {
        return x->key.low < y->key.low ? -1 : 1;
    }
    return (x->place > y->place) - (x->place < y->place);
}

static const size_t counts[] = {0, 1, 2, 3, 10, 63, 64, 65, 100, 255, 256, 257, 1000, 20000};

/* The payload is not the place itself but a mixed-up number that tells it. */
static uint32_t payload_of(uint32_t place)
{
    return place * 2654435761u;
}

static void check_u64(enum pattern pattern, size_t count, dent_random *random, int with_payload)
{
    struct record *expected = calloc(count + 1, sizeof *expected);
    uint64_t *keys = calloc(2 * count + 1, sizeof *keys);
    uint32_t *payload = calloc(2 * count + 1, sizeof *payload);
    for (size_t i = 0; i < count; i++) {
        keys[i] = make_word(pattern, random, i, count);
        payload[i] = payload_of((uint32_t)i);
        expected[i] = (struct record){{0, keys[i]}, (uint32_t)i};
    }
    qsort(expected, count, sizeof *expected, compare_records);
    radix_sort_u64(keys, with_payload ? payload : NULL, keys + count, with_payload ? payload + count : NULL, count);
    for (size_t i = 0; i < count; i++) {
        assert_true(keys[i] == expected[i].key.low);
        assert_int_equal(payload[i], payload_of(with_payload ? expected[i].place : (uint32_t)i));
    }
    free(expected);
    free(keys);
    free(payload);
}

static void check_u128(enum pattern high, enum pattern low, size_t count, dent_random *random, int with_payload)
{
    struct record *expected = calloc(count + 1, sizeof *expected);
    struct key128 *keys = calloc(2 * count + 1, sizeof *keys);
    uint32_t *payload = calloc(2 * count + 1, sizeof *payload);
    for (size_t i = 0; i < count; i++) {
        keys[i].high = make_word(high, random, i, count);
        keys[i].low = make_word(low, random, i, count);
        payload[i] = payload_of((uint32_t)i);
        expected[i] = (struct record){keys[i], (uint32_t)i};
    }
    qsort(expected, count, sizeof *expected, compare_records);
    radix_sort_u128(keys, with_payload ? payload : NULL, keys + count, with_payload ? payload + count : NULL, count);
    for (size_t i = 0; i < count; i++) {
        assert_true(keys[i].high == expected[i].key.high && keys[i].low == expected[i].key.low);
        assert_int_equal(payload[i], payload_of(with_payload ? expected[i].place : (uint32_t)i));
    }
    free(expected);
    free(keys);
    free(payload);
}

static void words_of_64_bits_come_out_as_from_a_stable_comparison_sort(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(3);
    for (int pattern = 0; pattern < PATTERN_COUNT; pattern++) {
        for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
            check_u64((enum pattern)pattern, counts[i], &random, 1);
            check_u64((enum pattern)pattern, counts[i], &random, 0);
        }
    }
}

static void words_of_128_bits_come_out_as_from_a_stable_comparison_sort(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(4);
    for (int high = 0; high < PATTERN_COUNT; high++) {
        for (int low = 0; low < PATTERN_COUNT; low++) {
            for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
                if (counts[i] < 20000 || high == low) {
                    check_u128((enum pattern)high, (enum pattern)low, counts[i], &random, (high + low) % 3 != 0);
                }
            }
        }
    }
}

static void every_single_byte_of_the_key_counts(void **state)
{
    (void)state;
    enum { COUNT = 300 };
    for (int byte = 0; byte < 16; byte++) {
        struct key128 keys[COUNT], scratch[COUNT];
        uint32_t payload[COUNT], payload_scratch[COUNT];
        for (uint32_t i = 0; i < COUNT; i++) {
            uint64_t digit = (COUNT - 1 - i) % 256;
            keys[i] = (struct key128){UINT64_C(0x1111111111111111), UINT64_C(0x2222222222222222)};
            uint64_t *word = byte < 8 ? &keys[i].low : &keys[i].high;
            *word &= ~(UINT64_C(255) << (8 * (byte % 8)));
            *word |= digit << (8 * (byte % 8));
            payload[i] = i;
        }
        radix_sort_u128(keys, payload, scratch, payload_scratch, COUNT);
        for (uint32_t i = 1; i < COUNT; i++) {
            const uint64_t before = (byte < 8 ? keys[i - 1].low : keys[i - 1].high) >> (8 * (byte % 8)) & 255;
            const uint64_t here = (byte < 8 ? keys[i].low : keys[i].high) >> (8 * (byte % 8)) & 255;
            assert_true(before < here || (before == here && payload[i - 1] < payload[i]));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_of_64_bits_come_out_as_from_a_stable_comparison_sort),
        cmocka_unit_test(words_of_128_bits_come_out_as_from_a_stable_comparison_sort),
        cmocka_unit_test(every_single_byte_of_the_key_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
