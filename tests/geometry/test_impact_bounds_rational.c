/* The error bounds of the double stages, measured against exact rationals: every computed coefficient, on subintervals
 * too, stays within the bound its code uses, and the table of docs/methods/impact.md is printed anew. */
#include "support/cmocka_includes.h"

#include <gmp.h>
#include <stdlib.h>

#include "geometry/impact_cases.h"

/* The file itself, for its static functions. */
#define impact_double_time impact_double_time_measured
#include "geometry/impact/impact_double.c"
#undef impact_double_time

static mpq_t exact_q[2][3], exact_a[2][3], exact_b[2][3], blend, rest, term, total, error, scratch[8];

static void init_numbers(void)
{
    for (int i = 0; i < 6; i++) {
        mpq_inits(exact_q[i / 3][i % 3], exact_a[i / 3][i % 3], exact_b[i / 3][i % 3], NULL);
    }
    mpq_inits(blend, rest, term, total, error, NULL);
    for (int i = 0; i < 8; i++) {
        mpq_init(scratch[i]);
    }
}

static void exact_difference(const impact_case *query, int to, int from, mpq_t out[2][3])
{
    for (int axis = 0; axis < 3; axis++) {
        mpq_set_d(out[0][axis], query->vertices[to].start[axis]);
        mpq_set_d(term, query->vertices[from].start[axis]);
        mpq_sub(out[0][axis], out[0][axis], term);
        mpq_set_d(out[1][axis], query->vertices[to].end[axis]);
        mpq_set_d(term, query->vertices[from].end[axis]);
        mpq_sub(out[1][axis], out[1][axis], term);
    }
}

/* out = x(s), linear between its ends. */
static void at_time(mpq_t x[2][3], int axis, double s, mpq_t out)
{
    mpq_set_d(blend, s);
    mpq_set_ui(rest, 1, 1);
    mpq_sub(rest, rest, blend);
    mpq_mul(out, x[0][axis], rest);
    mpq_mul(term, x[1][axis], blend);
    mpq_add(out, out, term);
}

/* Adds q(r) . (a(s) x b(t)) to total. */
static void add_triple(double r, double s, double t)
{
    for (int axis = 0; axis < 3; axis++) {
        int i = (axis + 1) % 3, j = (axis + 2) % 3;
        at_time(exact_q, axis, r, scratch[0]);
        at_time(exact_a, i, s, scratch[1]);
        at_time(exact_b, j, t, scratch[2]);
        at_time(exact_a, j, s, scratch[3]);
        at_time(exact_b, i, t, scratch[4]);
        mpq_mul(scratch[1], scratch[1], scratch[2]);
        mpq_mul(scratch[3], scratch[3], scratch[4]);
        mpq_sub(scratch[1], scratch[1], scratch[3]);
        mpq_mul(scratch[1], scratch[1], scratch[0]);
        mpq_add(total, total, scratch[1]);
    }
}

/* |computed - total / parts| in units of u * size. */
static double error_in_units(double computed, unsigned parts, double size)
{
    mpq_set_ui(error, parts, 1);
    mpq_div(total, total, error);
    mpq_set_d(error, computed);
    mpq_sub(error, error, total);
    mpq_set_d(term, size);
    mpq_div(error, error, term);
    return fabs(mpq_get_d(error)) * 0x1p53;
}

/* The blossom of D with m arguments r and 3 - m arguments l: the mean over all ways to give them to q, a and b. */
static double cubic_error(const struct impact_doubles *x, double computed, double l, double r, int m)
{
    unsigned ways = 0;
    mpq_set_ui(total, 0, 1);
    for (int mask = 0; mask < 8; mask++) {
        if (__builtin_popcount((unsigned)mask) == m) {
            add_triple(mask & 1 ? r : l, mask & 2 ? r : l, mask & 4 ? r : l);
            ways++;
        }
    }
    return error_in_units(computed, ways, x->product);
}

static double quadratic_error(mpq_t p[2][3], mpq_t q[2][3], int axis, double computed, double l, double r, int m,
                              double size)
{
    int i = (axis + 1) % 3, j = (axis + 2) % 3;
    unsigned ways = 0;
    mpq_set_ui(total, 0, 1);
    for (int mask = 0; mask < 4; mask++) {
        if (__builtin_popcount((unsigned)mask) == m) {
            double s = mask & 1 ? r : l, t = mask & 2 ? r : l;
            at_time(p, i, s, scratch[1]);
            at_time(q, j, t, scratch[2]);
            at_time(p, j, s, scratch[3]);
            at_time(q, i, t, scratch[4]);
            mpq_mul(scratch[1], scratch[1], scratch[2]);
            mpq_mul(scratch[3], scratch[3], scratch[4]);
            mpq_sub(scratch[1], scratch[1], scratch[3]);
            mpq_add(total, total, scratch[1]);
            ways++;
        }
    }
    return error_in_units(computed, ways, size);
}

static void make_measured_case(impact_case *query, dent_random *random, long i)
{
    make_case(query, random, CASE_RANDOM);
    for (int k = 0; k < 24; k++) {
        double *x = coordinate(query, k / 6, k / 3 % 2, k % 3);
        switch (i % 4) {
        case 0:
            *x = ldexp(*x, (int)(i % 41) - 20);
            break;
        case 1:
            *x += 1e4;
            break; /* cancelling differences */
        case 2:
            *x = ldexp(*x, (int)dent_random_below(random, 40) - 20);
            break; /* mixed exponents */
        default:
            *x = 1.0 + ldexp(floor(*x * 4.0), -50);
            break; /* a few ulps apart */
        }
    }
}

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

static void keep_most(double *most, double value)
{
    *most = value > *most ? value : *most;
}

/* d . (q - a) at time l, computed as separated_on does. */
static double axis_error(const struct impact_doubles *x, double l, dent_random *random)
{
    double d[3] = {unit(random), unit(random), unit(random)}, q[3], a[3];
    interpolate_vector(x->q, l, q);
    interpolate_vector(x->a, l, a);
    double computed = lanes_dot(d, q) - lanes_dot(d, a);
    mpq_set_ui(total, 0, 1);
    for (int axis = 0; axis < 3; axis++) {
        at_time(exact_q, axis, l, scratch[0]);
        at_time(exact_a, axis, l, scratch[1]);
        mpq_sub(scratch[0], scratch[0], scratch[1]);
        mpq_set_d(scratch[1], d[axis]);
        mpq_mul(scratch[0], scratch[0], scratch[1]);
        mpq_add(total, total, scratch[0]);
    }
    return error_in_units(computed, 1, lanes_largest(d) * (x->size_q + x->size_a + x->size_b));
}

/* The exact D' on [l, r], m of its two arguments r: three times the difference of the blossoms of D at 1 and 0. */
static void exact_slope(double l, double r, int m)
{
    static const double ends[2] = {0, 1};
    mpq_set_ui(scratch[5], 0, 1);
    for (int end = 0; end < 2; end++) {
        unsigned ways = 0;
        mpq_set_ui(total, 0, 1);
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
        mpq_set_ui(error, 3, ways);
        mpq_canonicalize(error);
        mpq_mul(total, total, error);
        if (end == 0) {
            mpq_sub(scratch[5], scratch[5], total);
        } else {
            mpq_add(scratch[5], scratch[5], total);
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
    for (int m = 0; m < 3; m++) { /* it holds every coefficient with the bound to spare, less the measured error */
        exact_slope(l, r, m);
        mpq_set(total, scratch[5]);
        double to_least = error_in_units(least, 1, x->product);
        above = above && mpq_sgn(error) < 0;
        mpq_set(total, scratch[5]);
        double to_most = error_in_units(most, 1, x->product);
        below = below && mpq_sgn(error) > 0;
        double spare = to_least < to_most ? to_least : to_most;
        keep_most(&worst, IMPACT_SLOPE_BOUND * 0x1p53 - spare);
    }
    assert_true(above && below);
    return worst;
}

static double time_error(const struct impact_doubles *x, const impact_case *query, double t)
{
    struct double_double value = impact_coplanarity_at(query->kind, query->corners, t);
    mpq_set_ui(total, 0, 1);
    add_triple(t, t, t);
    mpq_set_d(error, value.low);
    mpq_sub(total, total, error);
    return error_in_units(value.high, 1, x->product);
}

static void measure(const impact_case *query, dent_random *random, double most[ROWS])
{
    struct impact_doubles x;
    struct impact_pairs pairs = impact_pairs_of(query->kind);
    if (!prepare(&x, query->kind, query->corners)) {
        return;
    }
    exact_difference(query, pairs.q[0], pairs.q[1], exact_q);
    exact_difference(query, pairs.a[0], pairs.a[1], exact_a);
    exact_difference(query, pairs.b[0], pairs.b[1], exact_b);
    double l = dent_random_unit(random), r = dent_random_unit(random), c[4], n[3], u[3], whole[3];
    cubic_on(x.cubic, l, r, c);
    int axis = (int)dent_random_below(random, 3);
    quadratic_on(x.normal[axis], l, r, n);
    cross_component(x.q, x.b, axis, whole);
    quadratic_on(whole, l, r, u);
    for (int m = 0; m < 4; m++) {
        keep_most(&most[ROW_CUBIC], cubic_error(&x, x.cubic[m], 0.0, 1.0, m));
        keep_most(&most[ROW_CUBIC_PART], cubic_error(&x, c[m], l, r, m));
    }
    for (int m = 0; m < 3; m++) {
        keep_most(&most[ROW_NORMAL], quadratic_error(exact_a, exact_b, axis, n[m], l, r, m, x.size_a * x.size_b));
        keep_most(&most[ROW_U], quadratic_error(exact_q, exact_b, axis, u[m], l, r, m, x.size_q * x.size_b));
    }
    for (int m = 0; m < 3; m++) {
        double both = x.size_a * x.size_b + x.size_q * x.size_b;
        quadratic_error(exact_q, exact_b, axis, 0, l, r, m, 1);
        mpq_set(scratch[6], total); /* U */
        quadratic_error(exact_a, exact_b, axis, 0, l, r, m, 1);
        mpq_sub(total, total, scratch[6]);
        keep_most(&most[ROW_REST], error_in_units(n[m] - u[m], 1, both));
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
