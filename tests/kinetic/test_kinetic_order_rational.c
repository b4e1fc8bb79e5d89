/* Orders of moving values and the times at which they change, against rational numbers. */
#include "support/cmocka_includes.h"

#include "kinetic/kinetic_order.h"
#include "support/test_context.h"

#include <gmp.h>
#include <math.h>

static void place_of(const struct moving_value *value, double t, mpq_t place)
{
    mpq_t time, start, length, step;
    mpq_inits(time, start, length, step, NULL);
    mpq_set_d(place, value->x0);
    if (!isinf(value->t1)) {
        mpq_set_d(time, t);
        mpq_set_d(start, value->t0);
        mpq_set_d(length, value->t1);
        mpq_sub(length, length, start);
        mpq_sub(time, time, start);
        mpq_div(time, time, length);
        mpq_set_d(step, value->x1);
        mpq_sub(step, step, place);
        mpq_mul(step, step, time);
        mpq_add(place, place, step);
    }
    mpq_clears(time, start, length, step, NULL);
}

static int rational_sign(const struct moving_value *a, const struct moving_value *b, double t)
{
    mpq_t first, second;
    mpq_inits(first, second, NULL);
    place_of(a, t, first);
    place_of(b, t, second);
    int order = mpq_cmp(first, second);
    mpq_clears(first, second, NULL);
    return (order > 0) - (order < 0);
}

/* Small integers often coincide; others are of all sizes. */
static double random_key(dent_random *random, int kind)
{
    double whole = (double)dent_random_below(random, 9) - 4;
    double real = 2 * dent_random_unit(random) - 1;
    switch (kind) {
    case 0:
        return whole;
    case 1:
        return real;
    case 2:
        return 1 + real * 0x1p-50;
    case 3:
        return ldexp(real, (int)dent_random_below(random, 2090) - 1070);
    default:
        return ldexp(whole, -1074);
    }
}

static struct moving_value random_value(dent_random *random, int kind, bool stands, const struct moving_value *like)
{
    struct moving_value value = {0, INFINITY, random_key(random, kind), 0};
    value.x1 = value.x0;
    if (!stands) {
        value.t0 = like ? like->t0 : -(double)(1 + dent_random_below(random, 3)) / (kind == 1 ? 3 : 1);
        value.t1 = like ? like->t1 : (double)(1 + dent_random_below(random, 3)) / (kind == 1 ? 7 : 1);
        value.x1 = random_key(random, kind);
    }
    return value;
}

static double random_time(dent_random *random, const struct moving_value *a, const struct moving_value *b)
{
    double first = fmax(a->t0, b->t0), last = fmin(a->t1, b->t1);
    last = isinf(last) ? first + 1 : last;
    uint32_t kind = dent_random_below(random, 6);
    double time = kind == 0 ? first : kind == 1 ? last : kind == 2 ? 0.0 : first + (last - first) * dent_random_unit(random);
    return fmin(last, fmax(first, time));
}

static void test_signs_are_those_of_rational_numbers(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(11);
    uint64_t zeros = 0, negative = 0;
    for (uint32_t round = 0; round < test_count(20000, 40000, 1000000); round++) {
        int kind = (int)dent_random_below(&random, 5);
        struct moving_value a = random_value(&random, kind, dent_random_below(&random, 5) == 0, NULL);
        bool common = dent_random_below(&random, 2) && !isinf(a.t1);
        struct moving_value b = random_value(&random, kind, dent_random_below(&random, 5) == 0, common ? &a : NULL);
        double t = random_time(&random, &a, &b);
        int sign = rational_sign(&a, &b, t);
        assert_int_equal(moving_sign(&a, &b, t), sign);
        assert_int_equal(moving_sign(&b, &a, t), -sign);
        zeros += sign == 0;
        negative += sign < 0;
        double lo, hi;
        moving_bounds(&a, t, &lo, &hi);
        struct moving_value low = {0, INFINITY, lo, lo}, high = {0, INFINITY, hi, hi};
        assert_true(rational_sign(&low, &a, t) <= 0 && rational_sign(&a, &high, t) <= 0);
    }
    print_message("%llu equal, %llu negative\n", (unsigned long long)zeros, (unsigned long long)negative);
    assert_true(zeros >= 200 && negative >= 200);
}

static void test_failures_are_the_first_doubles(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(12);
    uint64_t found = 0;
    for (uint32_t round = 0; round < test_count(20000, 40000, 1000000); round++) {
        int kind = (int)dent_random_below(&random, 5);
        struct moving_value a = random_value(&random, kind, dent_random_below(&random, 5) == 0, NULL);
        bool common = dent_random_below(&random, 2) && !isinf(a.t1);
        struct moving_value b = random_value(&random, kind, dent_random_below(&random, 5) == 0, common ? &a : NULL);
        double t = random_time(&random, &a, &b), end = fmin(a.t1, b.t1);
        if (t >= end || rational_sign(&a, &b, t) <= 0) {
            continue;
        }
        double failure = moving_first_failure(&a, &b, t);
        if (isinf(failure)) {
            assert_true(isinf(end) || rational_sign(&a, &b, nextafter(end, t)) > 0 || nextafter(end, t) <= t);
            continue;
        }
        assert_true(failure > t && failure < end);
        assert_true(rational_sign(&a, &b, failure) <= 0);
        assert_true(rational_sign(&a, &b, nextafter(failure, -INFINITY)) > 0);
        found++;
    }
    print_message("%llu failures\n", (unsigned long long)found);
    assert_true(found >= 200);
}

static void test_equal_places_are_told_apart_by_what_follows(void **state)
{
    (void)state;
    struct moving_value rising = {0, 2, 0, 2}, falling = {0, 4, 2, -2}, standing = {0, INFINITY, 1, 1};
    assert_int_equal(moving_sign(&rising, &falling, 1), 0);
    assert_int_equal(moving_order(&rising, &falling, 1), 1);
    assert_int_equal(moving_order(&falling, &standing, 1), -1);
    assert_int_equal(moving_order(&standing, &standing, 1), 0);
    assert_true(moving_first_failure(&falling, &rising, 0) == 1.0);
    assert_true(isinf(moving_first_failure(&rising, &falling, 1.5)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_signs_are_those_of_rational_numbers),
        cmocka_unit_test(test_failures_are_the_first_doubles),
        cmocka_unit_test(test_equal_places_are_told_apart_by_what_follows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
