/* Float boxes contain the doubles they stand for, whatever the exponents, and are no wider than the next float. */
#include "support/cmocka_includes.h"

#include <dent/base.h>

#include <float.h>

#include "geometry/metric/float_boxes.h"

/* A random finite double of any exponent. */
static double any_double(dent_random *random)
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

static void check(double x, double largest)
{
    struct box_scaling scaling = box_scaling_for(largest);
    double scaled = box_scale(scaling, x);
    float lo = float_below(scaled, x), hi = float_above(scaled, x);
    assert_true(isfinite(lo) && isfinite(hi));
    assert_true(lo <= hi);
    assert_true(fabsf(lo) <= 1.0f && fabsf(hi) <= 1.0f);
    /* Compare in long double, where two powers of two apart are exact. */
    int exponent;
    frexp(largest, &exponent);
    long double exact = ldexpl((long double)x, largest > 0 ? -exponent : 0);
    assert_true((long double)lo <= exact && exact <= (long double)hi);
    if (lo != hi) {
        assert_true(float_step(lo, 1) == hi || (lo < 0 && hi == 0) || (lo == 0 && hi > 0));
        assert_true((long double)lo < exact && exact < (long double)hi);
    }
}

static void boxes_contain_their_numbers_for_all_exponents(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(3);
    for (int i = 0; i < 2000000; i++) {
        double a = any_double(&random), b = any_double(&random);
        double largest = fabs(a) > fabs(b) ? fabs(a) : fabs(b);
        check(a, largest);
        check(b, largest);
    }
}

static void extremes_are_safe(void **state)
{
    (void)state;
    static const double values[] = {0, -0.0, DBL_TRUE_MIN, -DBL_TRUE_MIN, DBL_MIN, -DBL_MIN, 1, -1, DBL_MAX, -DBL_MAX};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        for (size_t j = 0; j < sizeof values / sizeof values[0]; j++) {
            if (fabs(values[j]) >= fabs(values[i])) {
                check(values[i], fabs(values[j]));
            }
        }
    }
}

static void order_is_kept(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(4);
    for (int i = 0; i < 1000000; i++) {
        double a = any_double(&random), b = any_double(&random);
        double largest = fabs(a) > fabs(b) ? fabs(a) : fabs(b), low = a < b ? a : b, high = a < b ? b : a;
        struct box_scaling scaling = box_scaling_for(largest);
        assert_true(float_below(box_scale(scaling, low), low) <= float_below(box_scale(scaling, high), high));
        assert_true(float_above(box_scale(scaling, low), low) <= float_above(box_scale(scaling, high), high));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_contain_their_numbers_for_all_exponents),
        cmocka_unit_test(extremes_are_safe),
        cmocka_unit_test(order_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
