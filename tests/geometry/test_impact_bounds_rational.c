/* The error bounds of the double stages, measured against exact rationals: every computed coefficient, on subintervals
 * too, stays within the bound its code uses, and the table of docs/methods/impact.md is printed anew. */
#include "support/cmocka_includes.h"

#include <stdlib.h>

#include "geometry/impact_rationals.h"

/* The file itself, for its static functions. */
#define impact_double_time impact_double_time_measured
#include "geometry/impact/impact_double.c"
#undef impact_double_time

enum { ROW_CUBIC, ROW_CUBIC_PART, ROW_NORMAL, ROW_U, ROW_REST, ROW_AXIS, ROW_SLOPE, ROW_TIME, ROWS };

/* What the code uses, and what the comments of impact_double.c and impact_time.c derive, in units of u: measured errors
 * stay far below either, so a bound that is too small would not show in them. */
static const struct {
    const char *name;
    double used, derived;
} rows[ROWS] = {
    {"D on [0, 1]", IMPACT_CUBIC_BOUND * 0x1p53, 68},
    {"D on [l, r]", IMPACT_CUBIC_BOUND * 0x1p53, 122},
    {"N on [l, r]", IMPACT_CROSS_BOUND * 0x1p53, 22},
    {"U on [l, r]", IMPACT_CROSS_BOUND * 0x1p53, 22},
    {"N - U on [l, r]", IMPACT_REST_BOUND * 0x1p53, 26},
    {"d . F at l", IMPACT_AXIS_BOUND * 0x1p53, 26},
    {"D' on [l, r]", IMPACT_SLOPE_BOUND * 0x1p53, 696},
    {"D in double-double", IMPACT_TIME_ERROR * 0x1p53, 546 * 0x1p-53},
};

/* d . (q - a) at time l, computed as separated_on does. */
static double axis_error(const struct impact_doubles *x, double l, dent_random *random)
{
    double d[3] = {unit(random), unit(random), unit(random)}, q[3], a[3];
    interpolate_vector(x->q, l, q);
    interpolate_vector(x->a, l, a);
    return axis_difference_error(d, l, lanes_dot(d, q) - lanes_dot(d, a),
                                 lanes_largest(d) * (x->size_q + x->size_a + x->size_b));
}

/* The exact D' on [l, r], m of its two arguments r: three times the difference of the blossoms of D at 1 and 0. */
static void exact_slope(double l, double r, int m)
{
    static const double ends[2] = {0, 1};
    mpq_set_ui(exact_scratch[5], 0, 1);
    for (int end = 0; end < 2; end++) {
        unsigned ways = 0;
        mpq_set_ui(exact_total, 0, 1);
        for (int place = 0; place < 3; place++) {
            for (int mask = 0; mask < 4; mask++) {
                if (__builtin_popcount((unsigned)mask) == m) {
                    double t[3];
                    t[place] = ends[end];
                    t[(place + 1) % 3] = mask & 1 ? r : l;
                    t[(place + 2) % 3] = mask & 2 ? r : l;
                    add_triple(t[0], t[1], t[2]);
                    ways++;
                }
            }
        }
        mpq_set_ui(exact_error, 3, ways);
        mpq_canonicalize(exact_error);
        mpq_mul(exact_total, exact_total, exact_error);
        if (end == 0) {
            mpq_sub(exact_scratch[5], exact_scratch[5], exact_total);
        } else {
            mpq_add(exact_scratch[5], exact_scratch[5], exact_total);
        }
    }
}

/* By how much the enclosure of D' misses the bound around the exact one: between 0 and twice the bound where it is an
 * enclosure; in units of u times the product. */
static double slope_error(const struct impact_doubles *x, double l, double r)
{
    double least, most, worst = 0;
    bool above = true, below = true;
    impact_enclose_slope(x, l, r, &least, &most);
    for (int m = 0; m < 3;
         m++) { /* it holds every coefficient with the bound to spare, less the measured exact_error */
        exact_slope(l, r, m);
        mpq_set(exact_total, exact_scratch[5]);
        double to_least = error_in_units(least, 1, x->product);
        above = above && mpq_sgn(exact_error) < 0;
        mpq_set(exact_total, exact_scratch[5]);
        double to_most = error_in_units(most, 1, x->product);
        below = below && mpq_sgn(exact_error) > 0;
        double spare = to_least < to_most ? to_least : to_most;
        keep_most(&worst, IMPACT_SLOPE_BOUND * 0x1p53 - spare);
    }
    assert_true(above && below);
    return worst;
}

static double time_error(const struct impact_doubles *x, const impact_case *query, double t)
{
    struct double_double value = impact_coplanarity_at(query->kind, query->corners, t);
    mpq_set_ui(exact_total, 0, 1);
    add_triple(t, t, t);
    mpq_set_d(exact_error, value.low);
    mpq_sub(exact_total, exact_total, exact_error);
    return error_in_units(value.high, 1, x->product);
}

static void measure(const impact_case *query, dent_random *random, double most[ROWS])
{
    struct impact_doubles x;
    struct impact_pairs pairs = impact_pairs_of(query->kind);
    if (!prepare(&x, query->kind, query->corners)) {
        return;
    }
    set_exact_differences(query, pairs.q, pairs.a, pairs.b);
    double l = dent_random_unit(random), r = dent_random_unit(random), c[4], n[3], u[3], whole[3];
    cubic_on(x.cubic, l, r, c);
    int axis = (int)dent_random_below(random, 3);
    quadratic_on(x.normal[axis], l, r, n);
    cross_component(x.q, x.b, axis, whole);
    quadratic_on(whole, l, r, u);
    for (int m = 0; m < 4; m++) {
        keep_most(&most[ROW_CUBIC], cubic_error(x.product, x.cubic[m], 0.0, 1.0, m));
        keep_most(&most[ROW_CUBIC_PART], cubic_error(x.product, c[m], l, r, m));
    }
    for (int m = 0; m < 3; m++) {
        keep_most(&most[ROW_NORMAL], quadratic_error(exact_a, exact_b, axis, n[m], l, r, m, x.size_a * x.size_b));
        keep_most(&most[ROW_U], quadratic_error(exact_q, exact_b, axis, u[m], l, r, m, x.size_q * x.size_b));
    }
    for (int m = 0; m < 3; m++) {
        double both = x.size_a * x.size_b + x.size_q * x.size_b;
        keep_most(&most[ROW_REST], rest_error(axis, n[m] - u[m], l, r, m, both));
    }
    assert_true(x.cubic_bound == IMPACT_CUBIC_BOUND * x.product);
    keep_most(&most[ROW_SLOPE], slope_error(&x, l < r ? l : r, l < r ? r : l));
    keep_most(&most[ROW_AXIS], axis_error(&x, l, random));
    keep_most(&most[ROW_TIME], time_error(&x, query, l));
}

static void computed_values_stay_within_their_bounds(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(31);
    double most[ROWS] = {0};
    long count = getenv("DENT_LONG_TESTS") != NULL ? 100000 : getenv("DENT_QUICK_TESTS") != NULL ? 500 : 8000;
    init_numbers();
    for (long i = 0; i < count; i++) {
        impact_case query;
        make_measured_case(&query, &random, i);
        measure(&query, &random, most);
    }
    for (int row = 0; row < ROWS; row++) {
        print_message("%-20s largest error %.3g u, derived %.3g u, used %.3g u\n", rows[row].name, most[row],
                      rows[row].derived, rows[row].used);
        assert_true(most[row] > 0.0 && most[row] <= rows[row].derived && rows[row].derived < rows[row].used);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(computed_values_stay_within_their_bounds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
