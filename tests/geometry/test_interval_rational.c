/* Interval arithmetic encloses: random expressions against exact rationals, sine and cosine against rational Taylor
 * sums with a bound of what was dropped. */
#include <gmp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <dent/base.h>

#include "geometry/numbers/interval.h"
#include "geometry/motion/interval_kernels.h"
#include "support/cmocka_includes.h"

static uint64_t count_of(uint64_t quick, uint64_t usual, uint64_t most)
{
    return getenv("DENT_QUICK_TESTS") ? quick : getenv("DENT_LONG_TESTS") ? most : usual;
}

/* A double of any exponent in [-range, range], sometimes special. */
static double random_double(dent_random *random, int range)
{
    static const double special[] = {0, -0.0, 1, -1, 0x1p-1074, -0x1p-1074, 0x1p-1022, 1 + 0x1p-52};
    if (dent_random_below(random, 16) == 0) {
        return special[dent_random_below(random, 8)];
    }
    double mantissa = 2 * dent_random_unit(random) - 1;
    int exponent = (int)dent_random_below(random, 2 * (uint32_t)range + 1) - range;
    return ldexp(mantissa, range > 1000 && exponent < -1000 ? exponent - 60 : exponent);
}

static struct interval random_interval(dent_random *random, int range)
{
    double a = random_double(random, range), b = dent_random_below(random, 3) ? random_double(random, range) : a;
    return interval_of(a < b ? a : b, a < b ? b : a);
}

static bool encloses(struct interval a, const mpq_t x)
{
    mpq_t end;
    mpq_init(end);
    bool inside = true;
    if (isfinite(a.lo)) {
        mpq_set_d(end, a.lo);
        inside = mpq_cmp(end, x) <= 0;
    }
    if (isfinite(a.hi)) {
        mpq_set_d(end, a.hi);
        inside = inside && mpq_cmp(end, x) >= 0;
    }
    mpq_clear(end);
    return inside && a.lo <= a.hi && a.lo < INFINITY && a.hi > -INFINITY;
}

/* A point of the interval as a rational: an end or something between. */
static void random_point(dent_random *random, struct interval a, mpq_t x)
{
    uint32_t choice = dent_random_below(random, 3);
    double middle = a.lo + dent_random_unit(random) * (a.hi - a.lo);
    middle = middle < a.lo || !(middle == middle) ? a.lo : middle > a.hi ? a.hi : middle;
    mpq_set_d(x, choice == 0 ? a.lo : choice == 1 ? a.hi : middle);
}

static void random_operations_enclose_the_exact_results(void **state)
{
    (void)state;
    mpq_t x, y, z;
    mpq_inits(x, y, z, NULL);
    uint64_t count = count_of(20000, 300000, 3000000);
    for (uint64_t seed = 0; seed < count; seed++) {
        dent_random random = dent_random_seeded(seed);
        int range = seed % 3 == 0 ? 1020 : seed % 3 == 1 ? 500 : 30;
        struct interval a = random_interval(&random, range), b = random_interval(&random, range), c;
        random_point(&random, a, x);
        random_point(&random, b, y);
        switch (dent_random_below(&random, 5)) {
        case 0:
            c = interval_add(a, b);
            mpq_add(z, x, y);
            break;
        case 1:
            c = interval_subtract(a, b);
            mpq_sub(z, x, y);
            break;
        case 2:
            c = interval_multiply(a, b);
            mpq_mul(z, x, y);
            break;
        case 3:
            c = interval_square(a);
            mpq_mul(z, x, x);
            assert_true(c.lo >= 0);
            break;
        default:
            c = interval_absolute(a);
            mpq_abs(z, x);
            break;
        }
        if (!encloses(c, z)) {
            fail_msg("seed %llu: [%a, %a] and [%a, %a] give [%a, %a]", (unsigned long long)seed, a.lo, a.hi, b.lo, b.hi,
                     c.lo, c.hi);
        }
    }
    mpq_clears(x, y, z, NULL);
}

/* Horner-like chains of operations: errors must not add up past the bounds. */
static void random_expressions_stay_enclosed(void **state)
{
    (void)state;
    mpq_t value, x, square;
    mpq_inits(value, x, square, NULL);
    uint64_t count = count_of(500, 5000, 100000);
    for (uint64_t seed = 0; seed < count; seed++) {
        dent_random random = dent_random_seeded(seed + 99);
        struct interval sum = random_interval(&random, 4);
        random_point(&random, sum, value);
        for (int step = 0; step < 12; step++) {
            struct interval b = random_interval(&random, 4);
            random_point(&random, b, x);
            if (step % 2) {
                sum = interval_multiply(sum, b);
                mpq_mul(value, value, x);
            } else {
                sum = interval_add(sum, b);
                mpq_add(value, value, x);
            }
        }
        assert_true(encloses(sum, value));
        struct interval root = interval_square_root(interval_absolute(sum)); /* root^2 encloses |value| */
        mpq_abs(value, value);
        mpq_set_d(square, root.lo);
        mpq_mul(square, square, square);
        assert_true(mpq_cmp(square, value) <= 0);
        mpq_set_d(square, root.hi);
        mpq_mul(square, square, square);
        assert_true(mpq_cmp(square, value) >= 0);
    }
    mpq_clears(value, x, square, NULL);
}

static void overflow_and_nan_give_true_bounds(void **state)
{
    (void)state;
    struct interval huge = {1e300, 1e308}, line = interval_whole_line();
    struct interval product = interval_multiply(huge, huge);
    assert_true(product.lo <= 1e308 * 10 && product.hi == INFINITY);
    product = interval_multiply(line, interval_point(0));
    assert_true(product.lo <= 0 && product.hi >= 0);
    product = interval_subtract(line, line);
    assert_true(product.lo == -INFINITY && product.hi == INFINITY);
    struct interval sum = interval_add(interval_point(1.7e308), interval_point(1.7e308));
    assert_true(sum.lo <= 1.7e308 && sum.hi == INFINITY);
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* Entries that stay finite, or anything with infinite and not-a-number products among it. */
static void random_interval_pose(dent_random *random, int range, struct interval_pose *pose)
{
    static const double odd[4] = {INFINITY, -INFINITY, 1.7e308, -1.7e308};
    for (int k = 0; k < 12; k++) {
        struct interval a = random_interval(random, range);
        if (range > 500 && dent_random_below(random, 6) == 0) {
            double b = odd[dent_random_below(random, 4)];
            a = b < a.lo ? interval_of(b, a.hi) : interval_of(a.lo, b > a.hi ? b : a.hi);
        }
        *(k < 9 ? &pose->rotation[k] : &pose->translation[k - 9]) = a;
    }
}

static void random_trajectory(dent_random *random, int range, struct trajectory *trajectory)
{
    for (int k = 0; k < 9; k++) {
        trajectory->fixed[k] = random_double(random, range);
        trajectory->cosine_part[k] = random_double(random, range);
        trajectory->sine_part[k] = random_double(random, range);
    }
    for (int k = 0; k < 3; k++) {
        trajectory->origin[k] = random_double(random, range);
        trajectory->velocity[k] = random_double(random, range);
        trajectory->centre[k] = random_double(random, range);
        trajectory->arc[k] = random_double(random, range);
        trajectory->arc_across[k] = random_double(random, range);
    }
}

/* The kernels with the functions of interval.h, one interval after the other. */
static struct interval entry_of(const struct interval_pose *pose, int row, int column)
{
    return column < 3 ? pose->rotation[3 * row + column] : pose->translation[row];
}

static void plain_multiply_rows(const struct interval *factors, int row_step, int step, const struct interval_pose *q,
                                struct interval_pose *product)
{
    for (int k = 0; k < 12; k++) {
        int row = k / 4, column = k % 4;
        const struct interval *of_row = factors + row_step * row;
        struct interval sum = interval_multiply(of_row[0], entry_of(q, 0, column));
        sum = interval_add(sum, interval_multiply(of_row[step], entry_of(q, 1, column)));
        sum = interval_add(sum, interval_multiply(of_row[2 * step], entry_of(q, 2, column)));
        *(column < 3 ? &product->rotation[3 * row + column] : &product->translation[row]) = sum;
    }
}

static void plain_trajectory_pose(const struct trajectory *trajectory, const struct interval_phase *phase,
                                  struct interval_pose *pose)
{
    for (int k = 0; k < 9; k++) {
        struct interval moving = interval_add(interval_scale(phase->cosine, trajectory->cosine_part[k]),
                                              interval_scale(phase->sine, trajectory->sine_part[k]));
        pose->rotation[k] = interval_add(interval_point(trajectory->fixed[k]), moving);
    }
    for (int i = 0; i < 3; i++) {
        struct interval sum =
            interval_add(interval_point(trajectory->origin[i]), interval_scale(phase->t, trajectory->velocity[i]));
        sum = interval_add(sum, interval_scale(phase->g1, trajectory->arc[i]));
        sum = interval_add(sum, interval_scale(phase->g2, trajectory->arc_across[i]));
        for (int j = 0; j < 3; j++) {
            sum = interval_subtract(sum, interval_scale(pose->rotation[3 * i + j], trajectory->centre[j]));
        }
        pose->translation[i] = sum;
    }
}

static double plain_bound(double others, double defect)
{
    double left = 1 + 4 * defect - rounded_down(rounded_down(others));
    return left > 0 ? rounded_up(sqrt(rounded_up(left))) : 0;
}

static void plain_use_unit_length(struct interval_pose *pose, double defect)
{
    const struct interval_pose before = *pose;
    for (int k = 0; k < 9; k++) {
        double along = 0, across = 0;
        for (int j = 0; j < 3; j++) {
            along += j == k % 3 ? 0 : interval_square(before.rotation[k / 3 * 3 + j]).lo;
            across += j == k / 3 ? 0 : interval_square(before.rotation[3 * j + k % 3]).lo;
        }
        double most = fmin(1 + defect, fmin(plain_bound(along, defect), plain_bound(across, defect)));
        pose->rotation[k] = interval_intersect(before.rotation[k], interval_of(-most, most));
    }
}

static void rows_have_the_same_bits_on_every_instruction_set(void **state)
{
    (void)state;
    uint64_t count = count_of(2000, 20000, 500000);
    for (int isa = DENT_ISA_SCALAR; isa <= DENT_ISA_AVX512; isa++) {
        if (!dent_isa_available((dent_isa)isa)) {
            continue;
        }
        const struct interval_kernels *kernels = interval_kernels_for((dent_isa)isa);
        dent_random random = dent_random_seeded(91);
        for (uint64_t i = 0; i < count; i++) {
            int range = i % 3 == 0 ? 1 : i % 3 == 1 ? 30 : 1020;
            struct interval_pose p, q, got, expected;
            struct trajectory trajectory;
            struct interval_phase phase = {random_interval(&random, range), random_interval(&random, range),
                                           random_interval(&random, range), random_interval(&random, range),
                                           random_interval(&random, range)};
            random_interval_pose(&random, range, &p);
            random_interval_pose(&random, range, &q);
            random_trajectory(&random, range, &trajectory);
            bool transposed = i % 2;
            kernels->multiply_rows(p.rotation, transposed ? 1 : 3, transposed ? 3 : 1, &q, &got);
            plain_multiply_rows(p.rotation, transposed ? 1 : 3, transposed ? 3 : 1, &q, &expected);
            assert_memory_equal(&got, &expected, sizeof got);
            kernels->trajectory_pose(&trajectory, &phase, &got);
            plain_trajectory_pose(&trajectory, &phase, &expected);
            assert_memory_equal(&got, &expected, sizeof got);
            got = expected = p;
            kernels->use_unit_length(&got, ldexp(1, -40));
            plain_use_unit_length(&expected, ldexp(1, -40));
            for (int k = 0; k < 12; k++) { /* a clipped end of zero has any sign */
                struct interval a = k < 9 ? got.rotation[k] : got.translation[k - 9];
                struct interval b = k < 9 ? expected.rotation[k] : expected.translation[k - 9];
                assert_true(a.lo == b.lo && a.hi == b.hi);
            }
        }
    }
}

/* Sums of three products of points of the intervals, in rationals. */
static void products_of_rows_enclose_the_exact_ones(void **state)
{
    (void)state;
    uint64_t count = count_of(300, 3000, 100000);
    dent_random random = dent_random_seeded(92);
    mpq_t factors[3][3], rows[3][4], sum, product;
    mpq_inits(sum, product, NULL);
    for (int k = 0; k < 12; k++) {
        mpq_init(rows[k / 4][k % 4]);
        if (k < 9) {
            mpq_init(factors[k / 3][k % 3]);
        }
    }
    for (uint64_t i = 0; i < count; i++) {
        struct interval_pose p, q, got;
        random_interval_pose(&random, i % 2 ? 1 : 60, &p);
        random_interval_pose(&random, i % 2 ? 1 : 60, &q);
        for (int k = 0; k < 12; k++) {
            int row = k / 4, column = k % 4;
            random_point(&random, column < 3 ? q.rotation[3 * row + column] : q.translation[row], rows[row][column]);
            if (k < 9) {
                random_point(&random, p.rotation[k], factors[k / 3][k % 3]);
            }
        }
        dent_isa isa = i % 4 < 2 && dent_isa_available(DENT_ISA_AVX2) ? DENT_ISA_AVX2 : DENT_ISA_SCALAR;
        interval_kernels_for(isa)->multiply_rows(p.rotation, 3, 1, &q, &got);
        for (int k = 0; k < 12; k++) {
            int row = k / 4, column = k % 4;
            mpq_set_ui(sum, 0, 1);
            for (int j = 0; j < 3; j++) {
                mpq_mul(product, factors[row][j], rows[j][column]);
                mpq_add(sum, sum, product);
            }
            assert_true(encloses(column < 3 ? got.rotation[3 * row + column] : got.translation[row], sum));
        }
    }
    for (int k = 0; k < 12; k++) {
        mpq_clear(rows[k / 4][k % 4]);
        if (k < 9) {
            mpq_clear(factors[k / 3][k % 3]);
        }
    }
    mpq_clears(sum, product, NULL);
}

/* ---- sine and cosine --------------------------------------------------------------------------------------------- */

/* Partial sums of the series about 0 at a rational; the first dropped term bounds the error once terms shrink. Terms
 * are rounded to a grid of 2^-400, each by less than that. */
static void series(const mpq_t x, bool cosine, mpq_t sum, mpq_t error)
{
    mpq_t term, square, step, size;
    mpz_t number;
    mpq_inits(term, square, step, size, NULL);
    mpz_init(number);
    mpq_mul(square, x, x);
    mpq_set_ui(sum, 0, 1);
    if (cosine) {
        mpq_set_ui(term, 1, 1);
    } else {
        mpq_set(term, x);
    }
    unsigned long n = cosine ? 0 : 1;
    mpq_set_ui(error, 0, 1);
    for (int i = 0; i < 30000; i++) {
        mpq_add(sum, sum, term);
        mpq_mul(term, term, square);
        mpq_set_ui(step, 1, (n + 1) * (n + 2));
        mpq_mul(term, term, step);
        mpq_neg(term, term);
        n += 2;
        mpq_mul_2exp(term, term, 4600); /* to the grid */
        mpz_tdiv_q(number, mpq_numref(term), mpq_denref(term));
        mpq_set_z(term, number);
        mpq_div_2exp(term, term, 4600);
        mpq_abs(size, term);
        mpq_mul_2exp(size, size, 400);
        if (mpq_cmp_ui(size, 1, 1) < 0 && mpq_cmp_ui(square, n * n, 1) < 0) {
            break;
        }
    }
    mpq_set_ui(error, 1, 1);
    mpq_div_2exp(error, error, 390);
    mpq_clears(term, square, step, size, NULL);
    mpz_clear(number);
}

static void check_point(double angle)
{
    mpq_t x, sum, error, value, bound;
    mpq_inits(x, sum, error, value, bound, NULL);
    struct sine_cosine got = sine_and_cosine(angle);
    mpq_set_d(x, angle);
    for (int cosine = 0; cosine < 2; cosine++) {
        series(x, cosine, sum, error);
        struct interval at = cosine ? interval_cosine(interval_point(angle)) : interval_sine(interval_point(angle));
        if (!encloses(at, sum)) {
            fail_msg("%s of %a is not in [%a, %a]", cosine ? "cosine" : "sine", angle, at.lo, at.hi);
        }
        mpq_set_d(value, cosine ? got.cosine : got.sine);
        mpq_sub(value, value, sum);
        mpq_abs(value, value);
        mpq_set_d(bound, SINE_COSINE_ERROR * (!cosine && fabs(angle) < 0.7 ? fabs(angle) : 1));
        mpq_add(bound, bound, error);
        if (mpq_cmp(value, bound) > 0) {
            fail_msg("%s of %a is off by %g", cosine ? "cosine" : "sine", angle, mpq_get_d(value));
        }
    }
    mpq_clears(x, sum, error, value, bound, NULL);
}

static void sine_and_cosine_keep_their_error_bound(void **state)
{
    (void)state;
    const double pi = 3.14159265358979323846;
    for (int k = -12; k <= 12; k++) { /* at and beside multiples of pi/4 */
        double x = k * pi / 4;
        check_point(x);
        check_point(nextafter(x, 1000));
        check_point(nextafter(x, -1000));
    }
    check_point(0);
    check_point(0x1p-1074);
    check_point(1e-200);
    check_point(1e-9);
    uint64_t count = count_of(100, 1500, 20000);
    for (uint64_t seed = 0; seed < count; seed++) {
        dent_random random = dent_random_seeded(seed + 5);
        double size = seed % 20 == 0 ? 300 : seed % 3 == 0 ? 0.7 : 7;
        check_point(size * (2 * dent_random_unit(&random) - 1));
    }
    check_point(1000);
    check_point(-2047.5);
}

/* Any angle within the interval: against the point enclosure, which the test above holds against rationals. */
static void sine_and_cosine_of_intervals_enclose(void **state)
{
    (void)state;
    uint64_t count = count_of(20000, 300000, 3000000);
    for (uint64_t seed = 0; seed < count; seed++) {
        dent_random random = dent_random_seeded(seed + 55);
        double size = seed % 5 == 0 ? 1000 : 8, a = size * (2 * dent_random_unit(&random) - 1);
        double width = ldexp(dent_random_unit(&random), -(int)dent_random_below(&random, 40)) * 8;
        struct interval angle = {a, a + width};
        struct interval sine = interval_sine(angle), cosine = interval_cosine(angle);
        double inside = a + dent_random_unit(&random) * width;
        inside = inside > angle.hi ? angle.hi : inside;
        struct sine_cosine at = sine_and_cosine(inside);
        assert_true(sine.lo <= at.sine + SINE_COSINE_ERROR && at.sine - SINE_COSINE_ERROR <= sine.hi);
        assert_true(cosine.lo <= at.cosine + SINE_COSINE_ERROR && at.cosine - SINE_COSINE_ERROR <= cosine.hi);
        width = angle.hi - angle.lo;
        assert_true(sine.hi - sine.lo <= width + 1e-14 && sine.lo >= -1 && sine.hi <= 1);
        assert_true(cosine.hi - cosine.lo <= width + 1e-14 && cosine.lo >= -1 && cosine.hi <= 1);
    }
    struct interval all = interval_sine(interval_of(1.5, 1.6));
    assert_true(all.hi == 1 && all.lo > 0.99);
    all = interval_cosine(interval_of(3, 3.2));
    assert_true(all.lo == -1);
    all = interval_cosine(interval_of(-1e9, 0));
    assert_true(all.lo == -1 && all.hi == 1);
}

static void the_angle_of_a_direction_is_right_everywhere(void **state)
{
    (void)state;
    for (int i = 0; i <= 4000; i++) {
        double angle = 3.14159265358979323846 * i / 4000;
        double got = angle_of_direction(sin(angle), cos(angle));
        assert_true(fabs(got - angle) <= 4e-16 * (angle > 1 ? angle : 1));
    }
    assert_true(angle_of_direction(1e-140, 1) == 1e-140);
    assert_true(fabs(angle_of_direction(1e-9, -1) - (3.14159265358979323846 - 1e-9)) < 1e-15);
    assert_true(fabs(angle_of_direction(0, -1) - 3.14159265358979323846) < 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_operations_enclose_the_exact_results),
        cmocka_unit_test(random_expressions_stay_enclosed),
        cmocka_unit_test(overflow_and_nan_give_true_bounds),
        cmocka_unit_test(rows_have_the_same_bits_on_every_instruction_set),
        cmocka_unit_test(products_of_rows_enclose_the_exact_ones),
        cmocka_unit_test(sine_and_cosine_keep_their_error_bound),
        cmocka_unit_test(sine_and_cosine_of_intervals_enclose),
        cmocka_unit_test(the_angle_of_a_direction_is_right_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
