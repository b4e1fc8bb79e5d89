/* Rationals that are doubles, and those that are not: against GMP, over the whole range of exponents. */
#include "support/cmocka_includes.h"

#include "io/bytes/rational_number.h"

#include <gmp.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double random_double(dent_random *random)
{
    for (;;) {
        uint64_t bits = dent_random_bits(random);
        double value;
        if (dent_random_below(random, 4) == 0) {
            bits &= ~(UINT64_C(0x7FF) << 52); /* subnormal */
        }
        if (dent_random_below(random, 4) == 0) {
            bits &= UINT64_MAX << dent_random_below(random, 52); /* few bits */
        }
        memcpy(&value, &bits, sizeof value);
        if (isfinite(value)) {
            return value;
        }
    }
}

static enum rational_result convert(const char *numerator, const char *denominator, double *value)
{
    struct text_span above = {numerator, strlen(numerator)}, below = {denominator, strlen(denominator)};
    return rational_to_double(above, below, value);
}

static enum rational_result convert_mpz(const mpz_t numerator, const mpz_t denominator, double *value)
{
    char *above = mpz_get_str(NULL, 10, numerator), *below = mpz_get_str(NULL, 10, denominator);
    enum rational_result result = convert(above, below, value);
    free(above);
    free(below);
    return result;
}

static void every_double_comes_back_reduced_or_not(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(1);
    mpq_t exact;
    mpz_t factor, above, below;
    mpq_init(exact);
    mpz_inits(factor, above, below, NULL);
    for (int i = 0; i < 20000; i++) {
        double expected = random_double(&random), value = NAN;
        mpq_set_d(exact, expected);
        assert_int_equal(convert_mpz(mpq_numref(exact), mpq_denref(exact), &value), RATIONAL_IS_DOUBLE);
        assert_true(value == expected && (expected != 0 || !signbit(value)));
        mpz_set_ui(factor, dent_random_bits(&random) | 1);
        mpz_pow_ui(factor, factor, 1 + dent_random_below(&random, 20));
        mpz_mul(above, mpq_numref(exact), factor);
        mpz_mul(below, mpq_denref(exact), factor);
        value = NAN;
        assert_int_equal(convert_mpz(above, below, &value), RATIONAL_IS_DOUBLE);
        assert_true(value == expected);
        /* One more in the numerator is another number, and only rarely a double. */
        mpz_add_ui(above, above, 1);
        enum rational_result result = convert_mpz(above, below, &value);
        mpq_set_num(exact, above);
        mpq_set_den(exact, below);
        mpq_canonicalize(exact);
        double near = mpq_get_d(exact);
        mpq_t back;
        mpq_init(back);
        mpq_set_d(back, near);
        bool is_double = mpq_equal(back, exact);
        mpq_clear(back);
        assert_int_equal(result, is_double ? RATIONAL_IS_DOUBLE : RATIONAL_IS_NO_DOUBLE);
    }
    mpz_clears(factor, above, below, NULL);
    mpq_clear(exact);
}

static void what_lies_between_doubles_is_refused(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(2);
    mpq_t a, b;
    mpq_inits(a, b, NULL);
    for (int i = 0; i < 20000; i++) {
        double x = random_double(&random), y = nextafter(x, INFINITY), value = 777;
        if (!isfinite(y)) {
            continue;
        }
        mpq_set_d(a, x);
        mpq_set_d(b, y);
        mpq_add(a, a, b);
        mpq_set_ui(b, 2, 1);
        mpq_div(a, a, b);
        assert_int_equal(convert_mpz(mpq_numref(a), mpq_denref(a), &value), RATIONAL_IS_NO_DOUBLE);
        assert_true(value == 777);
    }
    mpq_clears(a, b, NULL);
}

static void the_ends_of_the_range(void **state)
{
    (void)state;
    mpz_t big;
    double value;
    char *text, *digits = malloc(3000);
    mpz_init(big);
    mpz_ui_pow_ui(big, 2, 1074);
    text = mpz_get_str(NULL, 10, big);
    assert_int_equal(convert("1", text, &value), RATIONAL_IS_DOUBLE);
    assert_true(value == 0x1p-1074);
    assert_int_equal(convert("-3", text, &value), RATIONAL_IS_DOUBLE);
    assert_true(value == -3 * 0x1p-1074);
    free(text);
    mpz_mul_2exp(big, big, 1);
    text = mpz_get_str(NULL, 10, big);
    assert_int_equal(convert("1", text, &value), RATIONAL_IS_NO_DOUBLE); /* half of the smallest */
    assert_int_equal(convert("3", text, &value), RATIONAL_IS_NO_DOUBLE);
    free(text);
    mpz_ui_pow_ui(big, 2, 1024);
    text = mpz_get_str(NULL, 10, big);
    assert_int_equal(convert(text, "1", &value), RATIONAL_IS_NO_DOUBLE);
    free(text);
    memset(digits, '9', 2999);
    digits[2999] = '\0';
    assert_int_equal(convert(digits, "1", &value), RATIONAL_TOO_LONG);
    assert_int_equal(convert(digits, digits, &value), RATIONAL_TOO_LONG);
    digits[2000] = '\0';
    assert_int_equal(convert(digits, digits, &value), RATIONAL_IS_DOUBLE);
    assert_true(value == 1);
    assert_int_equal(convert("1", digits, &value), RATIONAL_IS_NO_DOUBLE);
    assert_int_equal(convert(digits, "1", &value), RATIONAL_IS_NO_DOUBLE);
    memset(digits, '0', 2500);
    digits[2500] = '7';
    digits[2501] = '\0';
    assert_int_equal(convert(digits, "2", &value), RATIONAL_IS_DOUBLE); /* leading zeros count for nothing */
    assert_true(value == 3.5);
    free(digits);
    mpz_clear(big);
}

static void what_is_no_rational_is_refused(void **state)
{
    (void)state;
    double value;
    assert_int_equal(convert("", "1", &value), RATIONAL_NOT_AN_INTEGER);
    assert_int_equal(convert("-", "1", &value), RATIONAL_NOT_AN_INTEGER);
    assert_int_equal(convert("1", "", &value), RATIONAL_NOT_AN_INTEGER);
    assert_int_equal(convert("+1", "1", &value), RATIONAL_NOT_AN_INTEGER);
    assert_int_equal(convert("1.0", "1", &value), RATIONAL_NOT_AN_INTEGER);
    assert_int_equal(convert("1e3", "1", &value), RATIONAL_NOT_AN_INTEGER);
    assert_int_equal(convert("1", "0", &value), RATIONAL_BAD_DENOMINATOR);
    assert_int_equal(convert("1", "-2", &value), RATIONAL_BAD_DENOMINATOR);
    assert_int_equal(convert("0", "0", &value), RATIONAL_BAD_DENOMINATOR);
    assert_int_equal(convert("-0", "3", &value), RATIONAL_IS_DOUBLE);
    assert_true(value == 0 && !signbit(value));
    assert_int_equal(convert("1", "3", &value), RATIONAL_IS_NO_DOUBLE);
    assert_int_equal(convert("-9", "3", &value), RATIONAL_IS_DOUBLE);
    assert_true(value == -3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_double_comes_back_reduced_or_not),
        cmocka_unit_test(what_lies_between_doubles_is_refused),
        cmocka_unit_test(the_ends_of_the_range),
        cmocka_unit_test(what_is_no_rational_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
