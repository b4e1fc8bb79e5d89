/* Deterministic random numbers: the published sequence, no bias, the right range. */
#include "support/cmocka_includes.h"

#include <dent/base.h>

static void the_sequence_is_that_of_splitmix64(void **state)
{
    (void)state;
    /* The values other implementations of SplitMix64 give for this seed. */
    const uint64_t expected[] = {UINT64_C(6457827717110365317), UINT64_C(3203168211198807973),
                                 UINT64_C(9817491932198370423), UINT64_C(4593380528125082431),
                                 UINT64_C(16408922859458223821)};
    dent_random random = dent_random_seeded(1234567);
    for (int i = 0; i < 5; i++) {
        assert_true(dent_random_bits(&random) == expected[i]);
    }
    dent_random zero = dent_random_seeded(0);
    assert_true(dent_random_bits(&zero) == UINT64_C(0xE220A8397B1DCDAF));
}

static void a_copy_forks_the_sequence(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(9);
    dent_random_bits(&random);
    dent_random copy = random;
    for (int i = 0; i < 100; i++) {
        assert_true(dent_random_bits(&random) == dent_random_bits(&copy));
    }
}

static void numbers_below_a_bound_are_below_it_and_evenly_spread(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(5);
    const uint32_t bounds[] = {1, 2, 3, 7, 10, 100};
    for (int i = 0; i < 6; i++) {
        uint32_t hits[100] = {0};
        const uint32_t draws = 20000 * bounds[i];
        for (uint32_t j = 0; j < draws; j++) {
            uint32_t number = dent_random_below(&random, bounds[i]);
            assert_true(number < bounds[i]);
            hits[number]++;
        }
        for (uint32_t j = 0; j < bounds[i]; j++) {
            assert_in_range(hits[j], 19000, 21000); /* seven standard deviations */
        }
    }
}

static void a_large_bound_is_not_biased(void **state)
{
    (void)state;
    /* With bound 3 * 2^30 a plain multiply-and-shift gives every third number twice as often. */
    dent_random random = dent_random_seeded(6);
    const uint32_t bound = UINT32_C(3) << 30;
    uint32_t remainders[3] = {0};
    for (int i = 0; i < 300000; i++) {
        uint32_t number = dent_random_below(&random, bound);
        assert_true(number < bound);
        remainders[number % 3]++;
    }
    for (int i = 0; i < 3; i++) {
        assert_in_range(remainders[i], 98000, 102000);
    }
    for (int i = 0; i < 1000; i++) {
        assert_true(dent_random_below(&random, UINT32_MAX) < UINT32_MAX);
    }
}

static void bounded_numbers_have_golden_values(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(42);
    uint64_t mixed = 0;
    for (uint32_t i = 1; i <= 1000; i++) {
        mixed = mixed * 31 + dent_random_below(&random, i * 4000000u + 1);
    }
    assert_true(mixed == UINT64_C(4287756720952117477));
}

static void unit_numbers_are_multiples_of_two_to_minus_53_below_one(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(7);
    double sum = 0.0;
    for (int i = 0; i < 100000; i++) {
        double number = dent_random_unit(&random);
        assert_true(number >= 0.0 && number < 1.0);
        double scaled = number * 0x1p53;
        assert_true(scaled == (double)(uint64_t)scaled);
        sum += number;
    }
    assert_true(sum > 49000.0 && sum < 51000.0);
    dent_random golden = dent_random_seeded(1234567);
    assert_true(dent_random_unit(&golden) == (double)(UINT64_C(6457827717110365317) >> 11) / 9007199254740992.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sequence_is_that_of_splitmix64),
        cmocka_unit_test(a_copy_forks_the_sequence),
        cmocka_unit_test(numbers_below_a_bound_are_below_it_and_evenly_spread),
        cmocka_unit_test(a_large_bound_is_not_biased),
        cmocka_unit_test(bounded_numbers_have_golden_values),
        cmocka_unit_test(unit_numbers_are_multiples_of_two_to_minus_53_below_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
