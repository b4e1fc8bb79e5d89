/* Exact rationals beside the doubles of the impact test: differences of corners, D and the quadratics on any interval,
 * and the error of a computed number in units of u = 2^-53 times a size. */
#ifndef DENT_TESTS_IMPACT_RATIONALS_H
#define DENT_TESTS_IMPACT_RATIONALS_H

#include <gmp.h>

#include "geometry/impact_cases.h"

static mpq_t exact_q[2][3], exact_a[2][3], exact_b[2][3], exact_blend, exact_rest, exact_term, exact_total, exact_error,
    exact_scratch[8];

static void init_numbers(void)
{
    for (int i = 0; i < 6; i++) {
        mpq_inits(exact_q[i / 3][i % 3], exact_a[i / 3][i % 3], exact_b[i / 3][i % 3], NULL);
    }
    mpq_inits(exact_blend, exact_rest, exact_term, exact_total, exact_error, NULL);
    for (int i = 0; i < 8; i++) {
        mpq_init(exact_scratch[i]);
    }
}

static void exact_difference(const impact_case *query, int to, int from, mpq_t out[2][3])
{
    for (int axis = 0; axis < 3; axis++) {
        mpq_set_d(out[0][axis], query->vertices[to].start[axis]);
        mpq_set_d(exact_term, query->vertices[from].start[axis]);
        mpq_sub(out[0][axis], out[0][axis], exact_term);
        mpq_set_d(out[1][axis], query->vertices[to].end[axis]);
        mpq_set_d(exact_term, query->vertices[from].end[axis]);
        mpq_sub(out[1][axis], out[1][axis], exact_term);
    }
}

/* out = x(s), linear between its ends. */
static void at_time(mpq_t x[2][3], int axis, double s, mpq_t out)
{
    mpq_set_d(exact_blend, s);
    mpq_set_ui(exact_rest, 1, 1);
    mpq_sub(exact_rest, exact_rest, exact_blend);
    mpq_mul(out, x[0][axis], exact_rest);
    mpq_mul(exact_term, x[1][axis], exact_blend);
    mpq_add(out, out, exact_term);
}

/* Adds q(r) . (a(s) x b(t)) to total. */
static void add_triple(double r, double s, double t)
{
    for (int axis = 0; axis < 3; axis++) {
        int i = (axis + 1) % 3, j = (axis + 2) % 3;
        at_time(exact_q, axis, r, exact_scratch[0]);
        at_time(exact_a, i, s, exact_scratch[1]);
        at_time(exact_b, j, t, exact_scratch[2]);
        at_time(exact_a, j, s, exact_scratch[3]);
        at_time(exact_b, i, t, exact_scratch[4]);
        mpq_mul(exact_scratch[1], exact_scratch[1], exact_scratch[2]);
        mpq_mul(exact_scratch[3], exact_scratch[3], exact_scratch[4]);
        mpq_sub(exact_scratch[1], exact_scratch[1], exact_scratch[3]);
        mpq_mul(exact_scratch[1], exact_scratch[1], exact_scratch[0]);
        mpq_add(exact_total, exact_total, exact_scratch[1]);
    }
}

/* |computed - total / parts| in units of u * size. */
static double error_in_units(double computed, unsigned parts, double size)
{
    mpq_set_ui(exact_error, parts, 1);
    mpq_div(exact_total, exact_total, exact_error);
    mpq_set_d(exact_error, computed);
    mpq_sub(exact_error, exact_error, exact_total);
    mpq_set_d(exact_term, size);
    mpq_div(exact_error, exact_error, exact_term);
    return fabs(mpq_get_d(exact_error)) * 0x1p53;
}

/* The blossom of D with m arguments r and 3 - m arguments l: the mean over all ways to give them to q, a and b. */
static double cubic_error(double product, double computed, double l, double r, int m)
{
    unsigned ways = 0;
    mpq_set_ui(exact_total, 0, 1);
    for (int mask = 0; mask < 8; mask++) {
        if (__builtin_popcount((unsigned)mask) == m) {
            add_triple(mask & 1 ? r : l, mask & 2 ? r : l, mask & 4 ? r : l);
            ways++;
        }
    }
    return error_in_units(computed, ways, product);
}

static double quadratic_error(mpq_t p[2][3], mpq_t q[2][3], int axis, double computed, double l, double r, int m,
                              double size)
{
    int i = (axis + 1) % 3, j = (axis + 2) % 3;
    unsigned ways = 0;
    mpq_set_ui(exact_total, 0, 1);
    for (int mask = 0; mask < 4; mask++) {
        if (__builtin_popcount((unsigned)mask) == m) {
            double s = mask & 1 ? r : l, t = mask & 2 ? r : l;
            at_time(p, i, s, exact_scratch[1]);
            at_time(q, j, t, exact_scratch[2]);
            at_time(p, j, s, exact_scratch[3]);
            at_time(q, i, t, exact_scratch[4]);
            mpq_mul(exact_scratch[1], exact_scratch[1], exact_scratch[2]);
            mpq_mul(exact_scratch[3], exact_scratch[3], exact_scratch[4]);
            mpq_sub(exact_scratch[1], exact_scratch[1], exact_scratch[3]);
            mpq_add(exact_total, exact_total, exact_scratch[1]);
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

/* The exact d . (q - a) at time l beside a computed one. */
static double axis_difference_error(const double d[3], double l, double computed, double size)
{
    mpq_set_ui(exact_total, 0, 1);
    for (int axis = 0; axis < 3; axis++) {
        at_time(exact_q, axis, l, exact_scratch[0]);
        at_time(exact_a, axis, l, exact_scratch[1]);
        mpq_sub(exact_scratch[0], exact_scratch[0], exact_scratch[1]);
        mpq_set_d(exact_scratch[1], d[axis]);
        mpq_mul(exact_scratch[0], exact_scratch[0], exact_scratch[1]);
        mpq_add(exact_total, exact_total, exact_scratch[0]);
    }
    return error_in_units(computed, 1, size);
}

/* The exact N - U = (a x b - q x b)_axis beside a computed one. */
static double rest_error(int axis, double computed, double l, double r, int m, double size)
{
    quadratic_error(exact_q, exact_b, axis, 0, l, r, m, 1);
    mpq_set(exact_scratch[6], exact_total); /* U */
    quadratic_error(exact_a, exact_b, axis, 0, l, r, m, 1);
    mpq_sub(exact_total, exact_total, exact_scratch[6]);
    return error_in_units(computed, 1, size);
}

static void set_exact_differences(const impact_case *query, const uint8_t q[2], const uint8_t a[2], const uint8_t b[2])
{
    exact_difference(query, q[0], q[1], exact_q);
    exact_difference(query, a[0], a[1], exact_a);
    exact_difference(query, b[0], b[1], exact_b);
}

static void keep_most(double *most, double value)
{
    *most = value > *most ? value : *most;
}

#endif
