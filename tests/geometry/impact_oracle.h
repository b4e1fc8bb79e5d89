/* The impact question answered once more, with GMP integers and other formulas than the library's, as a judge for the
 * tests.
 *
 * Library: signs of projections (degree 2), roots counted by a hand-made Sturm sequence of the cubic, signs at roots
 * from linear remainders. Here: conditions multiplied by N (degree 4), squared-length conditions for points on
 * segments, general Sturm sequences, signs at a root by Tarski queries (the Sturm sequence of f and f' g), roots
 * isolated by bisection in (-1, 2). Motion that is always coplanar: contact at the roots of everything that can change
 * it.
 *
 * Half of the queries have no root to look at, and few need the squared lengths: conditions are made when they are
 * first asked for. The caller may guess the time; a right guess saves the bisection for its bits, a wrong one costs two
 * signs. Tarski queries are for what a narrow interval around the root cannot decide (every sign that is zero, and near
 * ones).
 */
#ifndef DENT_TESTS_IMPACT_ORACLE_H
#define DENT_TESTS_IMPACT_ORACLE_H

#include <gmp.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "geometry/impact/impact_test.h"
#include "geometry/numbers/wide_integer.h"

enum { POLY_ROOM = 9, CHAIN_ROOM = 8, POOL = 400 };

typedef struct poly {
    mpz_t c[POLY_ROOM];
    int degree;
} poly;

/* All polynomials come from one pool that is rewound after every query: GMP numbers are made once. */
static poly oracle_pool[POOL];
static int oracle_used, oracle_made;
static mpz_t oracle_t1, oracle_t2, oracle_t3, oracle_t4, oracle_t5, oracle_narrow[2];

static poly *poly_new(void)
{
    if (oracle_made == 0) {
        mpz_inits(oracle_t1, oracle_t2, oracle_t3, oracle_t4, oracle_t5, oracle_narrow[0], oracle_narrow[1], NULL);
    }
    if (oracle_used == POOL) {
        abort();
    }
    poly *p = &oracle_pool[oracle_used++];
    if (oracle_used > oracle_made) {
        for (int i = 0; i < POLY_ROOM; i++) {
            mpz_init(p->c[i]);
        }
        oracle_made = oracle_used;
    }
    p->degree = -1;
    return p;
}

static void poly_trim(poly *p, int degree)
{
    while (degree >= 0 && mpz_sgn(p->c[degree]) == 0) {
        degree--;
    }
    p->degree = degree;
}

static poly *poly_combine(const poly *a, const poly *b, bool minus)
{
    poly *r = poly_new();
    int degree = a->degree > b->degree ? a->degree : b->degree;
    for (int i = 0; i <= degree; i++) {
        mpz_set_ui(r->c[i], 0);
        if (i <= a->degree) {
            mpz_set(r->c[i], a->c[i]);
        }
        if (i <= b->degree && minus) {
            mpz_sub(r->c[i], r->c[i], b->c[i]);
        } else if (i <= b->degree) {
            mpz_add(r->c[i], r->c[i], b->c[i]);
        }
    }
    poly_trim(r, degree);
    return r;
}

static poly *poly_times(const poly *a, const poly *b)
{
    poly *r = poly_new();
    int degree = a->degree + b->degree;
    if (a->degree < 0 || b->degree < 0) {
        return r;
    }
    for (int i = 0; i <= degree; i++) {
        mpz_set_ui(r->c[i], 0);
    }
    for (int i = 0; i <= a->degree; i++) {
        for (int j = 0; j <= b->degree; j++) {
            mpz_addmul(r->c[i + j], a->c[i], b->c[j]);
        }
    }
    poly_trim(r, degree);
    return r;
}

static poly *poly_dot(poly *const a[3], poly *const b[3])
{
    return poly_combine(poly_combine(poly_times(a[0], b[0]), poly_times(a[1], b[1]), false), poly_times(a[2], b[2]),
                        false);
}

static void poly_cross(poly *const a[3], poly *const b[3], poly *r[3])
{
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        r[k] = poly_combine(poly_times(a[i], b[j]), poly_times(a[j], b[i]), true);
    }
}

/* Divides by the greatest common divisor of the coefficients. */
static void poly_primitive(poly *p)
{
    if (p->degree < 0) {
        return;
    }
    mpz_abs(oracle_t1, p->c[0]);
    for (int i = 1; i <= p->degree; i++) {
        mpz_gcd(oracle_t1, oracle_t1, p->c[i]);
    }
    for (int i = 0; i <= p->degree; i++) {
        mpz_divexact(p->c[i], p->c[i], oracle_t1);
    }
}

/* The remainder of a by b times a positive number; *quotient (may be null) times some number not zero. */
static poly *poly_remainder(const poly *a, const poly *b, poly *quotient)
{
    poly *r = poly_new();
    for (int i = 0; i <= a->degree; i++) {
        mpz_set(r->c[i], a->c[i]);
    }
    r->degree = a->degree;
    if (quotient != NULL) {
        for (int i = 0; i < POLY_ROOM; i++) {
            mpz_set_ui(quotient->c[i], 0);
        }
    }
    while (r->degree >= b->degree && r->degree >= 0) {
        int shift = r->degree - b->degree;
        mpz_abs(oracle_t1, b->c[b->degree]);
        mpz_set(oracle_t2, r->c[r->degree]);
        if (mpz_sgn(b->c[b->degree]) < 0) {
            mpz_neg(oracle_t2, oracle_t2);
        }
        for (int i = 0; i <= r->degree; i++) {
            mpz_mul(r->c[i], r->c[i], oracle_t1);
        }
        for (int i = 0; i < POLY_ROOM && quotient != NULL; i++) {
            mpz_mul(quotient->c[i], quotient->c[i], oracle_t1);
        }
        if (quotient != NULL) {
            mpz_add(quotient->c[shift], quotient->c[shift], oracle_t2);
        }
        for (int i = 0; i <= b->degree; i++) {
            mpz_submul(r->c[i + shift], oracle_t2, b->c[i]);
        }
        poly_trim(r, r->degree - 1);
    }
    if (quotient != NULL) {
        poly_trim(quotient, POLY_ROOM - 1);
    }
    return r;
}

/* Sign at n / 2^k. */
static int poly_sign_at(const poly *p, const mpz_t n, unsigned k)
{
    if (p->degree < 0) {
        return 0;
    }
    mpz_set(oracle_t3, p->c[p->degree]);
    for (int i = p->degree - 1; i >= 0; i--) {
        mpz_mul(oracle_t3, oracle_t3, n);
        mpz_mul_2exp(oracle_t1, p->c[i], (mp_bitcnt_t)k * (unsigned)(p->degree - i));
        mpz_add(oracle_t3, oracle_t3, oracle_t1);
    }
    return mpz_sgn(oracle_t3);
}

typedef struct chain {
    const poly *element[CHAIN_ROOM];
    int count;
} chain;

static poly *poly_derivative(const poly *f)
{
    poly *r = poly_new();
    for (int i = 1; i <= f->degree; i++) {
        mpz_mul_ui(r->c[i - 1], f->c[i], (unsigned)i);
    }
    r->degree = f->degree > 0 ? f->degree - 1 : -1;
    return r;
}

static chain chain_of(const poly *f, const poly *second)
{
    chain s = {{f, second}, second->degree >= 0 ? 2 : 1};
    while (s.count >= 2 && s.count < CHAIN_ROOM) {
        poly *next = poly_remainder(s.element[s.count - 2], s.element[s.count - 1], NULL);
        if (next->degree < 0) {
            break;
        }
        poly_primitive(next);
        for (int i = 0; i <= next->degree; i++) {
            mpz_neg(next->c[i], next->c[i]);
        }
        s.element[s.count++] = next;
    }
    return s;
}

static int chain_changes(const chain *s, const mpz_t n, unsigned k)
{
    int changes = 0, before = 0;
    for (int i = 0; i < s->count; i++) {
        int sign = poly_sign_at(s->element[i], n, k);
        changes += sign != 0 && before != 0 && sign != before;
        before = sign != 0 ? sign : before;
    }
    return changes;
}

/* An isolated root: the only one of the square-free f in (low, high) / 2^k, ends no roots. */
typedef struct oracle_root {
    const poly *f;
    mpz_t low, high;
    unsigned k;
    int sign_at_low;
    bool narrowed; /* to a few times 2^-45, within [-2, 2] */
} oracle_root;

/* The sign of x / 2^k - y / 2^m. */
static int compare_dyadic(const mpz_t x, unsigned k, const mpz_t y, unsigned m)
{
    if (k >= m) {
        mpz_mul_2exp(oracle_t4, y, k - m);
        return mpz_cmp(x, oracle_t4);
    }
    mpz_mul_2exp(oracle_t4, x, m - k);
    return mpz_cmp(oracle_t4, y);
}

static int compare_with(const oracle_root *root, const mpz_t n, unsigned k)
{
    if (compare_dyadic(n, k, root->low, root->k) <= 0) {
        return 1;
    }
    if (compare_dyadic(n, k, root->high, root->k) >= 0) {
        return -1;
    }
    int at_x = poly_sign_at(root->f, n, k);
    return at_x == 0 ? 0 : at_x == root->sign_at_low ? 1 : -1;
}

/* Sign of root - value. */
static int compare_with_double(const oracle_root *root, double value)
{
    int exponent;
    double mantissa = frexp(value, &exponent);
    mpz_set_d(oracle_t5, ldexp(mantissa, 53));
    exponent -= 53;
    if (exponent > 0) {
        mpz_mul_2exp(oracle_t5, oracle_t5, (unsigned)exponent);
        exponent = 0;
    }
    return compare_with(root, oracle_t5, (unsigned)-exponent);
}

/* The largest double not above a root in [0, 1]. */
static double root_floor(const oracle_root *root, double guess)
{
    int64_t low = 0, high;
    double one = 1.0;
    if (guess >= 0.0 && guess <= 1.0 && compare_with_double(root, guess) >= 0 &&
        compare_with_double(root, nextafter(guess, 2.0)) < 0) {
        return guess;
    }
    memcpy(&high, &one, sizeof high);
    high++;
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        double value;
        memcpy(&value, &middle, sizeof value);
        if (compare_with_double(root, value) >= 0) {
            low = middle;
        } else {
            high = middle;
        }
    }
    double value;
    memcpy(&value, &low, sizeof value);
    return value;
}

/* A root is usually easy to find in doubles; if f changes its sign within 2^-44 of what was found, that is a narrower
 * isolating interval. An unlucky guess changes nothing. */
static void narrow(oracle_root *root, mpz_t low, mpz_t high)
{
    enum { NARROW = 45 };
    if (root->k >= NARROW) {
        return;
    }
    double left = ldexp(mpz_get_d(root->low), -(int)root->k), right = ldexp(mpz_get_d(root->high), -(int)root->k);
    double c[POLY_ROOM];
    long top = LONG_MIN, exponent[POLY_ROOM];
    for (int i = 0; i <= root->f->degree; i++) {
        c[i] = mpz_get_d_2exp(&exponent[i], root->f->c[i]);
        top = c[i] != 0.0 && exponent[i] > top ? exponent[i] : top;
    }
    for (int i = 0; i <= root->f->degree; i++) {
        c[i] = c[i] == 0.0 || exponent[i] < top - 900 ? 0.0 : ldexp(c[i], (int)(exponent[i] - top));
    }
    for (int step = 0; step < 50; step++) {
        double middle = 0.5 * (left + right), value = 0.0;
        for (int i = root->f->degree; i >= 0; i--) {
            value = value * middle + c[i];
        }
        if ((value > 0.0) - (value < 0.0) == root->sign_at_low) {
            left = middle;
        } else {
            right = middle;
        }
    }
    mpz_set_d(low, floor(ldexp(left, NARROW)) - 1.0);
    mpz_set_d(high, floor(ldexp(left, NARROW)) + 2.0);
    if (left > -1.5 && left < 1.5 && compare_dyadic(low, NARROW, root->low, root->k) > 0 &&
        compare_dyadic(high, NARROW, root->high, root->k) < 0 &&
        poly_sign_at(root->f, low, NARROW) == root->sign_at_low &&
        poly_sign_at(root->f, high, NARROW) == -root->sign_at_low) {
        *root->low = *low;
        *root->high = *high;
        root->k = NARROW;
        root->narrowed = true;
    }
}

/* The sign of g at a narrowed root if g cannot change it within the isolating interval, which lies in [-2, 2]: there g
 * moves by at most the interval's width times the sum of i |c_i| 2^(i - 1). 0 if that does not tell. */
static int sign_by_distance(const oracle_root *root, const poly *g)
{
    int sign = poly_sign_at(g, root->low, root->k); /* leaves the value times 2^(k degree) in oracle_t3 */
    mpz_set_ui(oracle_t1, 0);
    for (int i = g->degree; i >= 1; i--) {
        mpz_mul_2exp(oracle_t1, oracle_t1, 1);
        mpz_abs(oracle_t2, g->c[i]);
        mpz_addmul_ui(oracle_t1, oracle_t2, (unsigned)i);
    }
    mpz_sub(oracle_t2, root->high, root->low);
    mpz_mul(oracle_t1, oracle_t1, oracle_t2);
    mpz_mul_2exp(oracle_t1, oracle_t1, (mp_bitcnt_t)root->k * (unsigned)(g->degree - 1));
    return mpz_cmpabs(oracle_t3, oracle_t1) > 0 ? sign : 0;
}

static int sign_at_root(const oracle_root *root, const poly *g)
{
    if (g->degree < 1) {
        return g->degree < 0 ? 0 : mpz_sgn(g->c[0]);
    }
    int quick = root->narrowed ? sign_by_distance(root, g) : 0;
    if (quick != 0) {
        return quick;
    }
    int used = oracle_used;
    chain s = chain_of(root->f, poly_times(poly_derivative(root->f), g));
    int sign = chain_changes(&s, root->low, root->k) - chain_changes(&s, root->high, root->k);
    oracle_used = used;
    return sign;
}

/* The square-free part, and its Sturm sequence. */
static const poly *square_free(const poly *f, chain *sturm)
{
    *sturm = chain_of(f, poly_derivative(f));
    const poly *common = sturm->element[sturm->count - 1];
    if (common->degree < 1) {
        return f;
    }
    poly *quotient = poly_new();
    poly_remainder(f, common, quotient);
    poly_primitive(quotient);
    *sturm = chain_of(quotient, poly_derivative(quotient));
    return quotient;
}

typedef void root_visitor(const oracle_root *root, void *user);

static void isolate(const poly *f, const chain *s, const mpz_t low, const mpz_t high, unsigned k, int count,
                    root_visitor *visit, void *user)
{
    if (count == 0) {
        return;
    }
    if (count == 1) {
        oracle_root root = {f, {*low}, {*high}, k, poly_sign_at(f, low, k), false};
        narrow(&root, oracle_narrow[0], oracle_narrow[1]);
        visit(&root, user);
        return;
    }
    mpz_t l, h, m;
    mpz_inits(l, h, m, NULL);
    mpz_mul_2exp(l, low, 4);
    mpz_mul_2exp(h, high, 4);
    mpz_sub(m, h, l);
    mpz_mul_ui(m, m, 7);
    mpz_fdiv_q_2exp(m, m, 4);
    mpz_add(m, m, l);
    while (poly_sign_at(f, m, k + 4) == 0) {
        mpz_add_ui(m, m, 1);
    }
    int left = chain_changes(s, l, k + 4) - chain_changes(s, m, k + 4);
    isolate(f, s, l, m, k + 4, left, visit, user);
    isolate(f, s, m, h, k + 4, count - left, visit, user);
    mpz_clears(l, h, m, NULL);
}

static void for_each_root(const poly *given, root_visitor *visit, void *user)
{
    if (given->degree < 1) {
        return;
    }
    chain s;
    const poly *f = square_free(given, &s);
    mpz_t low, high;
    mpz_init_set_si(low, -1);
    mpz_init_set_si(high, 2);
    while (poly_sign_at(f, low, 0) == 0) {
        mpz_sub_ui(low, low, 1);
    }
    while (poly_sign_at(f, high, 0) == 0) {
        mpz_add_ui(high, high, 1);
    }
    isolate(f, &s, low, high, 0, chain_changes(&s, low, 0) - chain_changes(&s, high, 0), visit, user);
    mpz_clears(low, high, NULL);
}

/* ------------------------------------------------------------------------------------------------------ the question
 */

typedef struct oracle_query {
    enum impact_kind kind;
    poly *point[4][3];
    poly *q[3], *a[3], *b[3], *n[3];
    poly *nn; /* null until the conditions are made */
    poly *conditions[4];
    int condition_count;
    poly *segment[4][4]; /* e.e, w.e, w.w, and w.w e.e - (w.e)^2 */
    poly *past_end[4];   /* e.e - w.e */
    int segment_count; /* 0 until they are made */
    bool contact;
    double toi, guess;
} oracle_query;

static void oracle_subtract(const oracle_query *query, int a, int b, poly *r[3])
{
    for (int axis = 0; axis < 3; axis++) {
        r[axis] = poly_combine(query->point[a][axis], query->point[b][axis], true);
    }
}

static void oracle_segment(oracle_query *query, int p, int x, int y)
{
    poly *w[3], *e[3];
    int i = query->segment_count++;
    oracle_subtract(query, p, x, w);
    oracle_subtract(query, y, x, e);
    query->segment[i][0] = poly_dot(e, e);
    query->segment[i][1] = poly_dot(w, e);
    query->segment[i][2] = poly_dot(w, w);
    query->segment[i][3] = poly_combine(poly_times(query->segment[i][2], query->segment[i][0]),
                                        poly_times(query->segment[i][1], query->segment[i][1]), true);
    query->past_end[i] = poly_combine(query->segment[i][0], query->segment[i][1], true);
}

static void make_conditions(oracle_query *query)
{
    bool face = query->kind == IMPACT_VERTEX_FACE;
    poly *x[3], *y[3];
    poly_cross(query->q, query->b, x);
    poly_cross(face ? query->a : query->q, face ? query->q : query->a, y);
    query->nn = poly_dot(query->n, query->n);
    query->conditions[0] = poly_dot(x, query->n);
    query->conditions[1] = poly_dot(y, query->n);
    query->conditions[2] = poly_combine(query->nn, query->conditions[0], true);
    query->conditions[3] = poly_combine(query->nn, query->conditions[1], true);
    query->condition_count = 4;
    if (face) {
        query->conditions[2] = poly_combine(query->conditions[2], query->conditions[1], true);
        query->condition_count = 3;
    }
}

static void make_segments(oracle_query *query)
{
    if (query->kind == IMPACT_VERTEX_FACE) {
        oracle_segment(query, 0, 1, 2);
        oracle_segment(query, 0, 2, 3);
        oracle_segment(query, 0, 3, 1);
    } else {
        oracle_segment(query, 0, 2, 3);
        oracle_segment(query, 1, 2, 3);
        oracle_segment(query, 2, 0, 1);
        oracle_segment(query, 3, 0, 1);
    }
}

static bool oracle_contact_at(oracle_query *query, const oracle_root *root)
{
    if (query->nn == NULL) {
        make_conditions(query);
    }
    if (sign_at_root(root, query->nn) != 0) {
        for (int i = 0; i < query->condition_count; i++) {
            if (sign_at_root(root, query->conditions[i]) < 0) {
                return false;
            }
        }
        return true;
    }
    if (query->segment_count == 0) {
        make_segments(query);
    }
    for (int i = 0; i < query->segment_count; i++) {
        poly *const *s = query->segment[i];
        if (sign_at_root(root, s[0]) == 0) {
            if (sign_at_root(root, s[2]) == 0) {
                return true;
            }
        } else if (sign_at_root(root, s[3]) == 0 && sign_at_root(root, s[1]) >= 0 &&
                   sign_at_root(root, query->past_end[i]) >= 0) {
            return true;
        }
    }
    return false;
}

static void visit_root(const oracle_root *root, void *user)
{
    oracle_query *query = user;
    if (compare_with_double(root, 0.0) < 0 || compare_with_double(root, 1.0) > 0) {
        return;
    }
    if (query->contact && compare_with_double(root, query->toi) >= 0) {
        return;
    }
    if (oracle_contact_at(query, root)) {
        query->toi = root_floor(root, query->guess);
        query->contact = true;
    }
}

static void oracle_points(oracle_query *query, const struct impact_vertex *const corners[4])
{
    int lowest = INT_MAX;
    for (int i = 0; i < 24; i++) {
        const struct impact_vertex *v = corners[i / 6];
        int bit = lowest_bit_exponent(i % 6 < 3 ? v->start[i % 3] : v->end[i % 3]);
        lowest = bit < lowest ? bit : lowest;
    }
    for (int i = 0; i < 4; i++) {
        for (int axis = 0; axis < 3; axis++) {
            poly *p = query->point[i][axis] = poly_new();
            for (int end = 0; end < 2; end++) {
                double value = end == 0 ? corners[i]->start[axis] : corners[i]->end[axis];
                int exponent;
                mpz_set_d(p->c[end], ldexp(frexp(value, &exponent), 53));
                int shift = value == 0.0 ? 0 : exponent - 53 - lowest;
                if (shift >= 0) {
                    mpz_mul_2exp(p->c[end], p->c[end], (unsigned)shift);
                } else {
                    mpz_tdiv_q_2exp(p->c[end], p->c[end], (unsigned)-shift);
                }
            }
            mpz_sub(p->c[1], p->c[1], p->c[0]);
            poly_trim(p, 1);
        }
    }
}

/* Whether the primitives meet in [0, 1], and the largest double not above the first time; guess is where that time is
 * expected, or negative. */
static bool oracle_impact(enum impact_kind kind, const struct impact_vertex *const corners[4], double guess,
                          double *toi)
{
    static oracle_query query;
    memset(&query, 0, sizeof query);
    oracle_used = 0;
    query.kind = kind;
    query.guess = guess;
    oracle_points(&query, corners);
    bool face = kind == IMPACT_VERTEX_FACE;
    oracle_subtract(&query, face ? 0 : 2, face ? 1 : 0, query.q);
    oracle_subtract(&query, face ? 2 : 1, face ? 1 : 0, query.a);
    oracle_subtract(&query, 3, face ? 1 : 2, query.b);
    poly_cross(query.a, query.b, query.n);
    poly *coplanarity = poly_dot(query.q, query.n);
    if (coplanarity->degree >= 0) {
        for_each_root(coplanarity, visit_root, &query);
    } else {
        make_conditions(&query);
        make_segments(&query);
        poly *time = poly_new();
        mpz_set_ui(time->c[0], 0);
        mpz_set_ui(time->c[1], 1);
        time->degree = 1;
        for_each_root(time, visit_root, &query);
        const poly *all[25] = {query.nn};
        int count = 1;
        for (int i = 0; i < query.condition_count; i++) {
            all[count++] = query.conditions[i];
        }
        for (int i = 0; i < query.segment_count; i++) {
            for (int k = 0; k < 4; k++) {
                all[count++] = query.segment[i][k];
            }
            all[count++] = query.past_end[i];
        }
        for (int i = 0; i < count && !(query.contact && query.toi == 0.0); i++) {
            int used = oracle_used;
            for_each_root(all[i], visit_root, &query);
            oracle_used = used;
        }
    }
    *toi = query.contact ? query.toi : 1.0;
    return query.contact;
}

#endif
