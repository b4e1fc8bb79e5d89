/* The error bounds of the double stages in lanes, measured against exact rationals: every polynomial of a window stays
 * within the bound its code uses and within the one impact_double_kernels.h derives. */
#include "support/cmocka_includes.h"

#include <stdlib.h>

#include "geometry/impact_rationals.h"

/* The text of the kernels, in one lane. */
#include "geometry/impact/impact_double_kernels.h"
#include "simd/lanes_scalar.h"

#include "geometry/impact/impact_double_lanes.h"

static const struct impact_double_kernels one_lane = IMPACT_DOUBLE_KERNELS_ROW;

enum { ROW_CUBIC, ROW_NORMAL, ROW_U, ROW_REST, ROW_AXIS, ROW_TIME, ROWS };

static const struct {
    const char *name;
    double used, derived;
} rows[ROWS] = {
    {"D of a window", IMPACT_CUBIC_BOUND * 0x1p53, 122},
    {"N of a window", IMPACT_CROSS_BOUND * 0x1p53, 22},
    {"U of a window", IMPACT_CROSS_BOUND * 0x1p53, 22},
    {"N - U of a window", IMPACT_REST_BOUND * 0x1p53, 26},
    {"d . F at l", IMPACT_AXIS_BOUND * 0x1p53, 26},
    {"D in double-double", IMPACT_TIME_ERROR * 0x1p53, 546 * 0x1p-53},
};

static void prepare(const impact_case *query, struct lane_points *points, struct lane_query *x)
{
    static const uint32_t corners[1][4] = {{0, 1, 2, 3}}, list[1] = {0}, place[1] = {0};
    struct impact_chosen chosen = {query->vertices, corners, list};
    fetch_places(&chosen, place, 1, points);
    prepare_query(query->kind, points, x);
}

static void measure_quadratics(const struct lane_query *x, const struct lane_window *window,
                               const struct lane_polynomials *p, int axis, double l, double r, double most[ROWS])
{
    struct lane_projection along = {true, true, axis == 1, axis == 2};
    double q[2][2], b[2][2], u[3];
    project(&along, window->q, q);
    project(&along, window->b, b);
    cross_quadratic(q, b, u);
    for (int m = 0; m < 3; m++) {
        double n = p->normal[axis][m], ab = x->size_a * x->size_b, qb = x->size_q * x->size_b;
        keep_most(&most[ROW_NORMAL], quadratic_error(exact_a, exact_b, axis, n, l, r, m, ab));
        keep_most(&most[ROW_U], quadratic_error(exact_q, exact_b, axis, u[m], l, r, m, qb));
        keep_most(&most[ROW_REST], rest_error(axis, n - u[m], l, r, m, ab + qb));
    }
}

static void measure(const impact_case *query, dent_random *random, double most[ROWS])
{
    struct lane_points points;
    struct lane_query x;
    struct lane_window window;
    struct lane_polynomials p;
    struct impact_pairs pairs = impact_pairs_of(query->kind);
    prepare(query, &points, &x);
    if (!x.in_range) {
        return;
    }
    set_exact_differences(query, pairs.q, pairs.a, pairs.b);
    double l = dent_random_unit(random), r = dent_random_unit(random);
    double d[3] = {unit(random), unit(random), unit(random)};
    open_window(&x.whole, (struct lane_interval){l, r}, &window);
    expand(&window, &p);
    for (int m = 0; m < 4; m++) {
        keep_most(&most[ROW_CUBIC], cubic_error(x.product, p.cubic[m], l, r, m));
    }
    measure_quadratics(&x, &window, &p, (int)dent_random_below(random, 3), l, r, most);
    double computed = lanes_dot(d, window.q[0]) - lanes_dot(d, window.a[0]);
    double size = lanes_largest(d) * (x.size_q + x.size_a + x.size_b);
    keep_most(&most[ROW_AXIS], axis_difference_error(d, l, computed, size));
    struct doubles_pair value = coplanarity_at(query->kind, &points, l);
    mpq_set_ui(exact_total, 0, 1);
    add_triple(l, l, l);
    mpq_set_d(exact_error, value.low);
    mpq_sub(exact_total, exact_total, exact_error);
    keep_most(&most[ROW_TIME], error_in_units(value.high, 1, x.product));
}

static void computed_values_stay_within_their_bounds(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(32);
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

/* Every verdict of a kernel about an interval, checked by the sign of the exact polynomials: where the cubic is dropped
 * all its exact coefficients have one sign, and where one change is claimed the exact ends differ. */
static void certain_signs_are_those_of_the_exact_coefficients(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(33);
    long count = getenv("DENT_QUICK_TESTS") != NULL ? 500 : 8000, dropped = 0, changes = 0;
    for (long i = 0; i < count; i++) {
        impact_case query;
        struct lane_points points;
        struct lane_query x;
        struct lane_window window;
        struct lane_polynomials p;
        make_case(&query, &random, (enum impact_family)(i % CASE_FAMILIES));
        struct impact_pairs pairs = impact_pairs_of(query.kind);
        prepare(&query, &points, &x);
        if (!x.in_range) {
            continue;
        }
        set_exact_differences(&query, pairs.q, pairs.a, pairs.b);
        double l = 0.5 * dent_random_unit(&random), r = l + 0.5 * dent_random_unit(&random);
        open_window(&x.whole, (struct lane_interval){l, r}, &window);
        expand(&window, &p);
        int signs[4];
        for (int m = 0; m < 4; m++) {
            cubic_error(1.0, 0.0, l, r, m);
            signs[m] = mpq_sgn(exact_total);
        }
        double bound = IMPACT_CUBIC_BOUND * x.product;
        if (cubic_of_one_sign(p.cubic, bound)) {
            assert_true(signs[0] != 0 && signs[0] == signs[1] && signs[1] == signs[2] && signs[2] == signs[3]);
            dropped++;
        } else if (one_change(p.cubic, bound)) {
            assert_true(signs[0] * signs[3] < 0);
            assert_true(signs[1] * signs[0] > 0 || signs[2] * signs[3] > 0);
            changes++;
        }
    }
    print_message("%ld of one sign, %ld with one change\n", dropped, changes);
    assert_true(dropped > count / 20 && changes > count / 20);
}

int main(void)
{
    (void)one_lane;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(computed_values_stay_within_their_bounds),
        cmocka_unit_test(certain_signs_are_those_of_the_exact_coefficients),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
