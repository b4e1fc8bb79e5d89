/* Wide integers against GMP, up to the longest numbers the predicates can make. */
#include "support/cmocka_includes.h"

#include "geometry/integer_points.h"
#include "geometry/point_cases.h"
#include "geometry/numbers/wide_integer.h"

static void to_gmp(mpz_t result, const struct wide_integer *value)
{
    mpz_import(result, (size_t)value->length, -1, sizeof value->limbs[0], 0, 0, value->limbs);
    if (value->sign < 0) {
        mpz_neg(result, result);
    }
}

static void from_gmp(struct wide_integer *result, const mpz_t value)
{
    size_t count = 0;
    mpz_export(result->limbs, &count, -1, sizeof result->limbs[0], 0, 0, value);
    result->length = (int)count;
    result->sign = mpz_sgn(value);
}

static void assert_same(const struct wide_integer *found, const mpz_t expected)
{
    mpz_t value;
    mpz_init(value);
    to_gmp(value, found);
    assert_int_equal(found->sign, mpz_sgn(expected));
    assert_int_equal(mpz_cmp(value, expected), 0);
    assert_true(found->length == 0 || found->limbs[found->length - 1] != 0);
    mpz_clear(value);
}

/* Up to `limbs` limbs; often with long runs of zeros and ones, which is where carries go wrong. */
static void random_integer(mpz_t result, dent_random *random, gmp_randstate_t generator, int limbs)
{
    unsigned long bits = dent_random_below(random, (uint32_t)(64 * limbs + 1));
    if (dent_random_bits(random) & 1) {
        mpz_rrandomb(result, generator, bits);
    } else {
        mpz_urandomb(result, generator, bits);
    }
    if (dent_random_bits(random) & 1) {
        mpz_neg(result, result);
    }
}

static void arithmetic_equals_gmp(void **state)
{
    (void)state;
    mpz_t a, b, expected;
    mpz_inits(a, b, expected, NULL);
    gmp_randstate_t generator;
    gmp_randinit_mt(generator);
    gmp_randseed_ui(generator, 5);
    dent_random random = dent_random_seeded(5);
    static struct wide_integer wide_a, wide_b, result;
    for (int n = 0; n < 200000; n++) {
        int limbs = n % 100 == 0 ? 99 : n % 10 == 0 ? 20 : 3;
        random_integer(a, &random, generator, limbs);
        random_integer(b, &random, generator, limbs);
        if (n % 7 == 0) { /* differences that cancel almost or fully */
            mpz_set(b, a);
            mpz_add_ui(b, b, n % 3 == 0 ? 0 : 1);
        }
        from_gmp(&wide_a, a);
        from_gmp(&wide_b, b);
        mpz_add(expected, a, b);
        wide_add(&result, &wide_a, &wide_b);
        assert_same(&result, expected);
        mpz_sub(expected, a, b);
        wide_subtract(&result, &wide_a, &wide_b);
        assert_same(&result, expected);
        mpz_mul(expected, a, b);
        wide_multiply(&result, &wide_a, &wide_b);
        assert_same(&result, expected);
        mpz_add(expected, a, b);
        wide_add(&wide_a, &wide_a, &wide_b); /* in place */
        assert_same(&wide_a, expected);
        mpz_sub(expected, expected, b);
        wide_subtract(&wide_a, &wide_a, &wide_b);
        assert_same(&wide_a, expected);
        wide_subtract(&wide_a, &wide_a, &wide_a);
        assert_int_equal(wide_a.sign, 0);
    }
    gmp_randclear(generator);
    mpz_clears(a, b, expected, NULL);
}

static void every_finite_double_becomes_its_integer(void **state)
{
    (void)state;
    mpz_t expected;
    mpz_init(expected);
    dent_random random = dent_random_seeded(6);
    for (int n = 0; n < 100000; n++) {
        double value = n % 2 == 0 ? random_finite(&random) : random_special(&random);
        int lowest = lowest_bit_exponent(value);
        if (value == 0.0) {
            assert_true(lowest > 2000);
            lowest = 0;
        } else {
            assert_true(fmod(ldexp(value, -lowest > 1000 ? 0 : -lowest), 1.0) == 0.0 || -lowest > 1000);
        }
        int scale = lowest - random_between(&random, 0, lowest + 1074 > 0 ? lowest + 1074 : 0);
        struct wide_integer wide;
        wide_from_double(&wide, value, scale);
        set_integer(expected, value, -1200); /* a reference that is certainly low enough */
        mpz_t shifted;
        mpz_init(shifted);
        to_gmp(shifted, &wide);
        mpz_mul_2exp(shifted, shifted, (mp_bitcnt_t)(scale + 1200));
        assert_int_equal(mpz_cmp(shifted, expected), 0);
        assert_int_equal(wide.sign, mpz_sgn(expected));
        mpz_clear(shifted);
    }
    mpz_clear(expected);
}

static void rounding_to_a_scaled_double_is_within_one_unit(void **state)
{
    (void)state;
    mpz_t a, low, high;
    mpz_inits(a, low, high, NULL);
    gmp_randstate_t generator;
    gmp_randinit_mt(generator);
    gmp_randseed_ui(generator, 9);
    dent_random random = dent_random_seeded(9);
    for (int n = 0; n < 50000; n++) {
        random_integer(a, &random, generator, n % 10 == 0 ? 190 : 4);
        struct wide_integer wide;
        from_gmp(&wide, a);
        struct scaled_double rounded = wide_to_scaled(&wide);
        if (mpz_sgn(a) == 0) {
            assert_true(rounded.mantissa == 0.0);
            continue;
        }
        assert_true(fabs(rounded.mantissa) >= 0.5 && fabs(rounded.mantissa) < 1.0);
        /* |value * 2^60 - mantissa * 2^(exponent + 60)| <= 2^(exponent + 60 - 53) */
        mpz_set_d(low, ldexp(rounded.mantissa, 60));
        mpz_mul_2exp(low, low, (mp_bitcnt_t)rounded.exponent);
        mpz_mul_2exp(high, a, 60);
        mpz_sub(low, low, high);
        mpz_set_ui(high, 1);
        mpz_mul_2exp(high, high, (mp_bitcnt_t)(rounded.exponent + 7));
        assert_true(mpz_cmpabs(low, high) <= 0);
    }
    gmp_randclear(generator);
    mpz_clears(a, low, high, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arithmetic_equals_gmp),
        cmocka_unit_test(every_finite_double_becomes_its_integer),
        cmocka_unit_test(rounding_to_a_scaled_double_is_within_one_unit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
