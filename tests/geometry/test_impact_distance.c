/* Minimum separation: nothing that comes near is missed, what is reported is near, the time is safe. Distances are
 * measured here with long doubles at many times. */
#include "support/cmocka_includes.h"

#include <stdlib.h>

#include "geometry/impact_cases.h"

typedef long double wide;

static long tier(long usual)
{
    return getenv("DENT_LONG_TESTS") != NULL ? 20 * usual : getenv("DENT_QUICK_TESTS") != NULL ? usual / 20 : usual;
}

static wide dot(const wide a[3], const wide b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void subtract(const wide a[3], const wide b[3], wide r[3])
{
    for (int k = 0; k < 3; k++) {
        r[k] = a[k] - b[k];
    }
}

static wide to_segment(const wide p[3], const wide x[3], const wide y[3])
{
    wide e[3], w[3];
    subtract(y, x, e);
    subtract(p, x, w);
    wide ee = dot(e, e), s = ee > 0 ? dot(w, e) / ee : 0;
    s = s < 0 ? 0 : s > 1 ? 1 : s;
    for (int k = 0; k < 3; k++) {
        w[k] -= s * e[k];
    }
    return sqrtl(dot(w, w));
}

static wide distance_at(const impact_case *query, wide t)
{
    wide x[4][3], q[3], a[3], b[3];
    for (int i = 0; i < 12; i++) {
        const struct impact_vertex *v = &query->vertices[i / 3];
        x[i / 3][i % 3] = (wide)v->start[i % 3] + t * ((wide)v->end[i % 3] - (wide)v->start[i % 3]);
    }
    bool face = query->kind == IMPACT_VERTEX_FACE;
    subtract(x[face ? 0 : 2], x[face ? 1 : 0], q);
    subtract(x[face ? 2 : 1], x[face ? 1 : 0], a);
    subtract(x[3], x[face ? 1 : 2], b);
    wide aa = dot(a, a), bb = dot(b, b), ab = dot(a, b), qa = dot(q, a), qb = dot(q, b), det = aa * bb - ab * ab;
    wide least =
        face ? fminl(to_segment(x[0], x[1], x[2]), fminl(to_segment(x[0], x[2], x[3]), to_segment(x[0], x[3], x[1])))
             : fminl(fminl(to_segment(x[0], x[2], x[3]), to_segment(x[1], x[2], x[3])),
                     fminl(to_segment(x[2], x[0], x[1]), to_segment(x[3], x[0], x[1])));
    wide u = (qa * bb - qb * ab) / det, v = face ? (qb * aa - qa * ab) / det : (qa * ab - qb * aa) / det;
    if (det > 1e-14L * aa * bb && u >= 0 && v >= 0 && (face ? u + v <= 1 : u <= 1 && v <= 1)) {
        wide n[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
        least = fminl(least, fabsl(dot(q, n)) / sqrtl(dot(n, n)));
    }
    return least;
}

static double size_of(const impact_case *query)
{
    double most = 0.0;
    for (int i = 0; i < 24; i++) {
        most = fmax(most,
                    fabs(i % 2 == 0 ? query->vertices[i / 6].start[i / 2 % 3] : query->vertices[i / 6].end[i / 2 % 3]));
    }
    return most;
}

static void show(const impact_case *query)
{
    print_message("kind %d\n", query->kind);
    for (int i = 0; i < 4; i++) {
        const struct impact_vertex *v = &query->vertices[i];
        print_message("  %a %a %a -> %a %a %a\n", v->start[0], v->start[1], v->start[2], v->end[0], v->end[1],
                      v->end[2]);
    }
}

static void near_pairs_are_found_in_time_and_far_ones_are_free(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(21);
    long hits = 0, frees = 0, late = 0;
    for (long i = 0; i < tier(30000); i++) {
        impact_case query;
        struct impact_result result;
        make_case(&query, &random, (enum impact_family)(i % CASE_FAMILIES));
        double size = size_of(&query);
        struct impact_separation separation = {.distance =
                                                   size * ldexp(dent_random_unit(&random) + 0.01, -(int)(i / 7 % 12)),
                                               .tolerance = 1e-6 * size,
                                               .no_zero_toi = i % 2 == 0};
        impact_test_separation(query.kind, query.corners, &separation, 1.0, &result);
        assert_true(result.answer == IMPACT_FREE || result.answer == IMPACT_HIT);
        bool hit = result.answer == IMPACT_HIT;
        wide end = hit ? result.toi : 1.0L, margin = 1e-13L * size;
        for (int k = 0; k <= 40; k++) {
            wide t = end * k / 40;
            if ((!hit || t < end) && !(distance_at(&query, t) > separation.distance - margin)) {
                print_message("answer %d at %a, but %Lg apart at %Lg (asked for %g)\n", result.answer, result.toi,
                              distance_at(&query, t), t, separation.distance);
                show(&query);
                fail();
            }
        }
        if (hit && !(distance_at(&query, result.toi) <= separation.distance + separation.tolerance + 1e-7L * size)) {
            print_message("reported at %a, but %Lg apart, asked for %g\n", result.toi, distance_at(&query, result.toi),
                          separation.distance);
            show(&query);
            fail();
        }
        if (hit && separation.no_zero_toi && distance_at(&query, 0) > separation.distance + margin) {
            assert_true(result.toi > 0.0);
            late++;
        }
        const double *n = result.normal;
        assert_true(fabs(n[0] * n[0] + n[1] * n[1] + n[2] * n[2] - 1.0) < 1e-14);
        assert_true(result.u >= 0.0 && result.u <= 1.0 && result.v >= 0.0 && result.v <= 1.0);
        hits += hit;
        frees += !hit;
    }
    print_message("%ld hits, %ld of them later than the start, %ld free\n", hits, late, frees);
    assert_true(hits > 100 && frees > 100 && late > 50);
}

static void contacts_are_within_every_separation(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(22);
    long hits = 0;
    for (long i = 0; i < tier(30000); i++) {
        impact_case query;
        struct impact_result contact, result;
        make_case(&query, &random, (enum impact_family)(i % CASE_FAMILIES));
        double size = size_of(&query);
        struct impact_separation separation = {.distance = size * ldexp(1.0, -(int)dent_random_below(&random, 60)),
                                               .tolerance = 1e-6 * size};
        impact_test(query.kind, query.corners, 1.0, &contact);
        impact_test_separation(query.kind, query.corners, &separation, 1.0, &result);
        if (contact.answer == IMPACT_HIT) {
            assert_int_equal(result.answer, IMPACT_HIT);
            assert_true(result.toi <= contact.toi);
            hits++;
        }
    }
    assert_true(hits > 100);
}

/* The limit of a search for the earliest time hides what is later and changes no bit of the rest. */
/* Also where a pair runs out of steps: its time is the one reached, and not above the limit. */
static void a_time_limit_changes_nothing_below_it(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(23);
    long early = 0;
    for (long i = 0; i < tier(20000); i++) {
        impact_case query;
        struct impact_result all, limited;
        make_case(&query, &random, (enum impact_family)(i % CASE_FAMILIES));
        struct impact_separation separation = {.distance = 0.05 * size_of(&query), .tolerance = 1e-6 * size_of(&query)};
        separation.work_limit = i % 2 == 0 ? 0 : 1 + dent_random_below(&random, 3);
        double limit = 0.25 * dent_random_below(&random, 4);
        impact_test_separation(query.kind, query.corners, &separation, 1.0, &all);
        limit = i % 4 == 3 ? all.toi : limit;
        impact_test_separation(query.kind, query.corners, &separation, limit, &limited);
        if (all.answer != IMPACT_FREE && all.toi <= limit) {
            assert_int_equal(limited.answer, all.answer);
            assert_true(limited.toi == all.toi);
        } else {
            assert_int_equal(limited.answer, IMPACT_FREE);
        }
        early += all.answer == IMPACT_HIT_BUDGET && all.toi <= limit;
    }
    assert_true(early > 0);
}

/* Two edges pass each other at a constant distance a little above the separation: a slab that lasts, not steps of the
 * gap. */
static void sliding_at_a_constant_distance_takes_few_steps(void **state)
{
    (void)state;
    impact_case query = {.kind = IMPACT_EDGE_EDGE,
                         .vertices = {{.start = {-1, 0, 0}, .end = {-1, 3, 0}},
                                      {.start = {1, 0, 0}, .end = {1, 3, 0}},
                                      {.start = {0, -1, 0.1001}, .end = {0, -1, 0.1001}},
                                      {.start = {0, 1, 0.1001}, .end = {0, 1, 0.1001}}}};
    struct impact_result result;
    for (int i = 0; i < 4; i++) {
        query.corners[i] = &query.vertices[i];
    }
    struct impact_separation separation = {.distance = 0.1, .tolerance = 1e-9, .work_limit = 5};
    impact_test_separation(query.kind, query.corners, &separation, 1.0, &result);
    assert_int_equal(result.answer, IMPACT_FREE);
    separation.distance = 0.1001;
    impact_test_separation(query.kind, query.corners, &separation, 1.0, &result);
    assert_int_equal(result.answer, IMPACT_HIT);
}

/* Stopped early, the time is that of the last step: safe. */
static void an_exhausted_budget_is_safe(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(24);
    long stopped = 0;
    for (long i = 0; i < tier(20000); i++) {
        impact_case query;
        struct impact_result all, early;
        make_case(&query, &random, CASE_RANDOM);
        struct impact_separation separation = {.distance = 0.05, .tolerance = 1e-9};
        impact_test_separation(query.kind, query.corners, &separation, 1.0, &all);
        separation.work_limit = 2;
        impact_test_separation(query.kind, query.corners, &separation, 1.0, &early);
        stopped += early.answer == IMPACT_HIT_BUDGET;
        assert_true(all.answer == IMPACT_FREE || early.toi <= all.toi);
        assert_true(all.answer == IMPACT_FREE || early.answer != IMPACT_FREE);
    }
    assert_true(stopped > 10);
}

static void coordinates_that_are_not_finite_are_an_error(void **state)
{
    (void)state;
    impact_case query;
    struct impact_result result;
    dent_random random = dent_random_seeded(25);
    make_case(&query, &random, CASE_RANDOM);
    query.vertices[2].end[1] = NAN;
    struct impact_separation separation = {.distance = 0.05, .tolerance = 1e-9};
    impact_test_separation(query.kind, query.corners, &separation, 1.0, &result);
    assert_int_equal(result.answer, IMPACT_ERROR);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(near_pairs_are_found_in_time_and_far_ones_are_free),
        cmocka_unit_test(contacts_are_within_every_separation),
        cmocka_unit_test(a_time_limit_changes_nothing_below_it),
        cmocka_unit_test(sliding_at_a_constant_distance_takes_few_steps),
        cmocka_unit_test(an_exhausted_budget_is_safe),
        cmocka_unit_test(coordinates_that_are_not_finite_are_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
