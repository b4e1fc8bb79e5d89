/* Impact tests against an independent exact implementation with GMP (impact_oracle.h): the answer and the time to the
 * last bit.
 *
 * The judge takes about 0.05 ms a query. The test is registered four times with different seeds (tests/CMakeLists.txt),
 * 62,500 queries each: a quarter of a million in the default tier. DENT_LONG_TESTS makes them ten million in all
 * (half an hour on one core). DENT_IMPACT_QUERIES gives any number and DENT_IMPACT_SEED another sequence, so that a
 * long run can be cut in pieces.
 */
#include "support/cmocka_includes.h"

#include <stdlib.h>

#include "geometry/impact_cases.h"
#include "geometry/impact_oracle.h"

static long query_count(void)
{
    const char *given = getenv("DENT_IMPACT_QUERIES");
    if (given != NULL) {
        return atol(given);
    }
    return getenv("DENT_LONG_TESTS") != NULL ? 2500000 : getenv("DENT_QUICK_TESTS") != NULL ? 1500 : 62500;
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

static void check(const impact_case *query, const struct impact_result *result, bool hit, double toi, const char *what)
{
    if ((result->answer == IMPACT_HIT) != hit || result->toi != toi) {
        print_message("%s: answer %d at %a, truth %d at %a\n", what, result->answer, result->toi, hit, toi);
        show(query);
        fail();
    }
}

static void answers_and_times_are_those_of_the_rational_oracle(void **state)
{
    (void)state;
    const char *seed = getenv("DENT_IMPACT_SEED");
    dent_random random = dent_random_seeded(seed != NULL ? strtoull(seed, NULL, 10) : 6);
    long count = query_count(), hits[CASE_FAMILIES] = {0}, asked[CASE_FAMILIES] = {0}, exact[CASE_FAMILIES] = {0};
    for (long i = 0; i < count; i++) {
        enum impact_family family = (enum impact_family)(i % CASE_FAMILIES);
        impact_case query;
        struct impact_result staged, alone;
        double toi;
        make_case(&query, &random, family);
        impact_test(query.kind, query.corners, 1.0, &staged);
        alone = staged; /* where the last stage decided, it has been asked */
        if (staged.stage != IMPACT_STAGE_EXACT) {
            impact_test_exact(NULL, query.kind, query.corners, &alone);
        }
        bool hit = oracle_impact(query.kind, query.corners, staged.toi, &toi);
        check(&query, &alone, hit, toi, "exact stage");
        check(&query, &staged, hit, toi, "all stages");
        asked[family]++;
        hits[family] += hit;
        exact[family] += staged.stage == IMPACT_STAGE_EXACT;
        if ((i + 1) % 1000000 == 0) {
            print_message("%ld million\n", (i + 1) / 1000000);
        }
    }
    for (int family = 0; family < CASE_FAMILIES; family++) {
        print_message("%-26s %7ld queries, %7ld hits, %7ld decided by the exact stage\n", impact_family_names[family],
                      asked[family], hits[family], exact[family]);
        if (family == CASE_EXACT_CONTACT) {
            assert_int_equal(hits[family], asked[family]);
        } else {
            assert_true(hits[family] > 0 && hits[family] < asked[family]);
        }
    }
}

/* Multiplies coordinates by powers of two, drawn for each coordinate from all there are or from two, for each vertex,
 * for each axis, or given for the axes; results may be subnormal, or zero, and are never infinite. */
static void spread_exponents(impact_case *query, dent_random *random, int way, int axis)
{
    int of_axis[3], of_vertex[8];
    for (int k = 0; k < 11; k++) {
        *(k < 3 ? &of_axis[k] : &of_vertex[k - 3]) = (int)dent_random_below(random, 2060) - 1074;
    }
    for (int k = 0; k < 24; k++) {
        double *x = coordinate(query, k / 6, k / 3 % 2, k % 3);
        int exponent = way == 0        ? (int)dent_random_below(random, 2060) - 1074
                       : way == 1      ? 900 * (int)dent_random_below(random, 2) - 900
                       : way == 2      ? of_vertex[k / 3]
                       : way == 3      ? of_axis[k % 3]
                       : k % 3 == axis ? -1020
                                       : 990;
        *x = ldexp(*x, exponent);
    }
}

/* Exponents over the whole range of doubles: the longest integers there are. */
static void the_whole_range_of_exponents_is_exact(void **state)
{
    (void)state;
    const char *seed = getenv("DENT_IMPACT_SEED"); /* another quarter in every part */
    dent_random random = dent_random_seeded(seed != NULL ? 1000 + strtoull(seed, NULL, 10) : 7);
    int count = getenv("DENT_QUICK_TESTS") != NULL ? 60 : getenv("DENT_LONG_TESTS") != NULL ? 5000 : 120, hits = 0;
    for (int i = 0; i < count; i++) {
        impact_case query;
        struct impact_result result;
        double toi;
        make_case(&query, &random, i % 2 == 0 ? CASE_RANDOM : CASE_EXACT_CONTACT);
        spread_exponents(&query, &random, i / 2 % 5, i % 3);
        impact_test(query.kind, query.corners, 1.0, &result);
        bool hit = oracle_impact(query.kind, query.corners, result.toi, &toi);
        check(&query, &result, hit, toi, "wide range");
        hits += hit;
    }
    print_message("%d of %d hit\n", hits, count);
    assert_true(hits > 0 && hits < count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_and_times_are_those_of_the_rational_oracle),
        cmocka_unit_test(the_whole_range_of_exponents_is_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
