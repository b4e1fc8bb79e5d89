/* Decimal text to doubles: equal to the C library's strtod under round-to-nearest (which glibc rounds correctly), on
 * random and on hardest inputs, and untouched by rounding mode and locale. */
#include "support/cmocka_includes.h"

#include "io/bytes/decimal_number.h"

#include <dent/base.h>

#include <fenv.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void assert_same_as_strtod(const char *text)
{
    double expected = strtod(text, NULL);
    double value = -1;
    if (!decimal_to_double(text, strlen(text), &value) || bits_of(value) != bits_of(expected)) {
        print_error("%s: %a instead of %a\n", text, value, expected);
        fail();
    }
}

static double random_double(dent_random *random)
{
    for (;;) {
        uint64_t bits = dent_random_bits(random);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (isfinite(value)) {
            return value;
        }
    }
}

static void random_doubles_printed_with_any_number_of_digits_come_back_as_strtod_reads_them(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(1);
    char text[64];
    for (int i = 0; i < 200000; i++) {
        double value = random_double(&random);
        if (i % 2) {
            value = (dent_random_unit(&random) - 0.5) * 1000; /* what meshes hold */
        }
        snprintf(text, sizeof text, "%.*g", 1 + (int)dent_random_below(&random, 25), value);
        assert_same_as_strtod(text);
    }
}

static void seventeen_digits_give_back_the_same_double(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(2);
    for (int i = 0; i < 100000; i++) {
        double value = random_double(&random);
        double back;
        char text[64];
        snprintf(text, sizeof text, "%.17g", value);
        assert_true(decimal_to_double(text, strlen(text), &back));
        assert_int_equal(bits_of(back), bits_of(value));
    }
}

static void random_digit_strings_with_random_exponents_agree_with_strtod(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(3);
    char text[1200];
    for (int i = 0; i < 50000; i++) {
        uint32_t digits = 1 + dent_random_below(&random, i % 20 == 0 ? 1000 : 40);
        uint32_t point = dent_random_below(&random, digits + 1);
        size_t used = 0;
        for (uint32_t k = 0; k < digits; k++) {
            if (k == point) {
                text[used++] = '.';
            }
            text[used++] = (char)('0' + (dent_random_below(&random, 3) ? dent_random_below(&random, 10) : 0));
        }
        snprintf(text + used, sizeof text - used, "e%d", (int)dent_random_below(&random, 720) - 370);
        assert_same_as_strtod(text);
    }
}

/* Exactly half way between two doubles, a little below and a little above. */
static void numbers_half_way_between_doubles_go_to_the_even_one(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(4);
    char text[1300];
    for (int i = 0; i < 2000; i++) {
        double low = fabs(random_double(&random));
        if (i % 4 == 0) {
            low = ldexp(low, -1022 - ilogb(low) - (int)dent_random_below(&random, 52)); /* subnormal */
        } else if (i % 4 == 1) {
            low = ldexp(low, -ilogb(low) + (int)dent_random_below(&random, 80) - 40);
        }
        long double middle = ((long double)low + (long double)nextafter(low, INFINITY)) / 2;
        if (!isfinite(low) || (double)middle - low > 0.9 * (nextafter(low, INFINITY) - low) * 2) {
            continue;
        }
        snprintf(text, sizeof text, "%.1100Lg", middle);
        assert_same_as_strtod(text);
        char *mark = strpbrk(text, "e");
        char exponent[16] = "";
        if (mark) {
            snprintf(exponent, sizeof exponent, "%s", mark);
            *mark = 0;
        }
        size_t length = strlen(text);
        snprintf(text + length, sizeof text - length, "%s%s%s", strchr(text, '.') ? "" : ".", "000001", exponent);
        assert_same_as_strtod(text);
    }
}

/* Half way between 1 and the next double; then zeros without end, and something in the very last place. */
static void a_digit_counts_however_far_behind_it_stands(void **state)
{
    (void)state;
    static const char half[] = "1.00000000000000011102230246251565404236316680908203125";
    for (int zeros = 0; zeros < 1500; zeros++) {
        char text[1700];
        int length = snprintf(text, sizeof text, "%s%0*d", half, zeros + 1, 1);
        assert_true(length > zeros);
        double value = 0;
        assert_true(decimal_to_double(text, (size_t)length, &value));
        assert_true(value == 1 + 0x1p-52);
        text[length - 1] = '0';
        assert_true(decimal_to_double(text, (size_t)length, &value));
        assert_true(value == 1);
    }
}

static void the_edges_of_the_range_are_right(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "0",
        "-0",
        "0e999999999999999999",
        "1e-400",
        "4.9406564584124654e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "2.47032822920623272e-324",
        "2.2250738585072014e-308",
        "2.2250738585072011e-308",
        "1.7976931348623157e308",
        "1.7976931348623158e308",
        "1.7976931348623159e308",
        "1e308",
        "1e309",
        "-1e309",
        "1e99999999999999999999",
        "1e-99999999999999999999",
        "9007199254740993",
        "9007199254740992.5",
        "9007199254740993.00000000000000000000000000000001",
        "123456789012345678901234567890",
        "0.000000000000000000000000000000000000000000000001",
        "1e22",
        "1e23",
        "8.5e22",
        "1e27",
        "1e28",
        "1e-27",
        "1e-28",
        "6.123233995736766e-17",
        ".5",
        "5.",
        "+7",
        "00001.5000",
        "1e+5",
        "1E5",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_same_as_strtod(texts[i]);
    }
    /* A million zeros, then a digit, then an exponent that takes them back. */
    size_t length = 1000000;
    char *text = malloc(length + 32);
    assert_non_null(text);
    memset(text, '0', length);
    text[1] = '.';
    strcpy(text + length, "7e1000000");
    double value;
    assert_true(decimal_to_double(text, strlen(text), &value));
    assert_true(value == 70.0);
    free(text);
}

static void fortran_exponents_nan_and_infinity_are_understood(void **state)
{
    (void)state;
    double value;
    assert_true(decimal_to_double("1.5D+02", 7, &value) && value == 150.0);
    assert_true(decimal_to_double("-1.5d-1", 7, &value) && value == -0.15);
    assert_true(decimal_to_double("NaN", 3, &value) && value != value);
    assert_true(decimal_to_double("-nan", 4, &value) && value != value);
    assert_true(decimal_to_double("-Inf", 4, &value) && value == -INFINITY);
    assert_true(decimal_to_double("infinity", 8, &value) && value == INFINITY);
}

static void what_is_not_a_number_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"",   "-",   "+",  ".",  "e5",    "1e",   "1e+", "1.2.3", "1,5", "0x10",
                                        "1f", "--1", "1 ", " 1", "1e5.0", "nanx", "in",  "1_000", "½"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        double value;
        assert_false(decimal_to_double(texts[i], strlen(texts[i]), &value));
    }
}

static void the_result_does_not_depend_on_the_rounding_mode_or_the_locale(void **state)
{
    (void)state;
    static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    static const char *const texts[] = {"0.1", "-0.1", "3.3333333333333333333333333", "6.123233995736766e-17",
                                        "1e-310"};
    setlocale(LC_NUMERIC, "de_DE.UTF-8"); /* where it exists, the point is a comma */
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        double nearest;
        assert_true(decimal_to_double(texts[i], strlen(texts[i]), &nearest));
        for (int m = 0; m < 3; m++) {
            double value;
            fesetround(modes[m]);
            bool good = decimal_to_double(texts[i], strlen(texts[i]), &value);
            fesetround(FE_TONEAREST);
            assert_true(good);
            assert_int_equal(bits_of(value), bits_of(nearest));
        }
    }
    setlocale(LC_NUMERIC, "C");
}

static void integers_stop_at_64_bits(void **state)
{
    (void)state;
    int64_t value;
    bool fits;
    assert_true(decimal_to_integer("9223372036854775807", 19, &value, &fits) && value == INT64_MAX);
    assert_true(decimal_to_integer("-9223372036854775808", 20, &value, &fits) && value == INT64_MIN);
    assert_true(decimal_to_integer("+0012", 5, &value, &fits) && value == 12);
    assert_false(decimal_to_integer("9223372036854775808", 19, &value, &fits));
    assert_false(fits);
    assert_false(decimal_to_integer("-9223372036854775809", 20, &value, &fits));
    assert_false(fits);
    assert_false(decimal_to_integer("99999999999999999999999999", 26, &value, &fits));
    assert_false(fits);
    assert_false(decimal_to_integer("99999999999999999999999999x", 27, &value, &fits));
    assert_true(fits); /* not an integer at all */
    assert_false(decimal_to_integer("", 0, &value, &fits));
    assert_false(decimal_to_integer("-", 1, &value, &fits));
    assert_false(decimal_to_integer("1.0", 3, &value, &fits));
    assert_true(fits);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_doubles_printed_with_any_number_of_digits_come_back_as_strtod_reads_them),
        cmocka_unit_test(seventeen_digits_give_back_the_same_double),
        cmocka_unit_test(random_digit_strings_with_random_exponents_agree_with_strtod),
        cmocka_unit_test(numbers_half_way_between_doubles_go_to_the_even_one),
        cmocka_unit_test(a_digit_counts_however_far_behind_it_stands),
        cmocka_unit_test(the_edges_of_the_range_are_right),
        cmocka_unit_test(fortran_exponents_nan_and_infinity_are_understood),
        cmocka_unit_test(what_is_not_a_number_is_refused),
        cmocka_unit_test(the_result_does_not_depend_on_the_rounding_mode_or_the_locale),
        cmocka_unit_test(integers_stop_at_64_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
