/* The double stages in lanes (impact_double_kernels.h) against the way of single queries and against exact integers:
 * blocks of constructed queries, degenerate ones and ones over the whole range of exponents, on every instruction set,
 * with and without a limit; rows of the table against one another, bit by bit. */
#include "support/cmocka_includes.h"

#include <fenv.h>
#include <stdlib.h>

#include "geometry/impact_cases.h"

/* The text of the kernels, in one lane: the reference of the other rows. */
#include "geometry/impact/impact_double_kernels.h"
#include "simd/lanes_scalar.h"

#include "geometry/impact/impact_double_lanes.h"

static const struct impact_double_kernels one_lane = IMPACT_DOUBLE_KERNELS_ROW;

enum { CASES = 700 };

struct cases {
    enum impact_kind kind;
    uint32_t count;
    struct impact_vertex vertices[4 * CASES];
    uint32_t corners[CASES][4], list[CASES];
};

static struct cases cases;
static struct impact_hit hits[IMPACT_BLOCK];
static struct impact_workspace workspace;
static struct impact_result expected[CASES];

static long tier(long usual)
{
    return getenv("DENT_LONG_TESTS") != NULL ? 10 * usual : getenv("DENT_QUICK_TESTS") != NULL ? usual / 10 : usual;
}

/* Exponents anywhere: all by one power of two, or every coordinate by its own. */
static void spread_exponents(impact_case *query, dent_random *random)
{
    int common = (int)dent_random_below(random, 2000) - 1050, spread = 1 << dent_random_below(random, 9);
    bool each = dent_random_below(random, 2) == 0;
    for (int i = 0; i < 24; i++) {
        double *x = coordinate(query, i / 6, i / 3 % 2, i % 3);
        *x = ldexp(*x, common + (each ? (int)dent_random_below(random, (uint32_t)spread) : 0));
        *x = isfinite(*x) ? *x : copysign(0x1p1000, *x);
    }
}

/* families: the first of them, in turn; `wide`: with exponents of the whole range. */
static void fill_cases(enum impact_kind kind, uint32_t count, bool wide, dent_random *random)
{
    cases.kind = kind;
    cases.count = count;
    for (uint32_t i = 0; i < count; i++) {
        impact_case query;
        do {
            make_case(&query, random, (enum impact_family)dent_random_below(random, CASE_FAMILIES));
        } while (query.kind != kind);
        if (wide) {
            spread_exponents(&query, random);
        }
        cases.list[i] = i;
        for (uint32_t k = 0; k < 4; k++) {
            cases.vertices[4 * i + k] = query.vertices[k];
            cases.corners[i][k] = 4 * i + k;
        }
    }
}

static void corners_of(uint32_t i, const struct impact_vertex *corners[4])
{
    for (uint32_t k = 0; k < 4; k++) {
        corners[k] = &cases.vertices[cases.corners[i][k]];
    }
}

static bool same_bits(const struct impact_result *a, const struct impact_result *b)
{
    return a->answer == b->answer && memcmp(&a->toi, &b->toi, sizeof a->toi) == 0 &&
           memcmp(&a->u, &b->u, sizeof a->u) == 0 && memcmp(&a->v, &b->v, sizeof a->v) == 0 &&
           memcmp(a->normal, b->normal, sizeof a->normal) == 0;
}

static void show(uint32_t i)
{
    print_message("kind %d\n", cases.kind);
    for (uint32_t k = 0; k < 4; k++) {
        const struct impact_vertex *v = &cases.vertices[cases.corners[i][k]];
        print_message("  %a %a %a -> %a %a %a\n", v->start[0], v->start[1], v->start[2], v->end[0], v->end[1],
                      v->end[2]);
    }
}

/* Single queries; what doubles decided there, integers confirm. */
static void answer_alone(void)
{
    for (uint32_t i = 0; i < cases.count; i++) {
        const struct impact_vertex *corners[4];
        struct impact_result exact;
        corners_of(i, corners);
        impact_test(cases.kind, corners, 1.0, &expected[i]);
        if (expected[i].stage == IMPACT_STAGE_DOUBLE && i % 4 == 0) {
            impact_test_exact(workspace.limbs, cases.kind, corners, &exact);
            assert_true(same_bits(&exact, &expected[i]));
        }
    }
}

/* A block through all stages, or all of its candidates through the double ones. */
static uint32_t run_block(dent_isa isa, bool all_stages, double limit, bool earliest, struct impact_counters *counters)
{
    struct impact_block block = {cases.kind, cases.count, cases.vertices, (const uint32_t(*)[4])cases.corners,
                                 limit,      earliest};
    *counters = (struct impact_counters){0};
    if (all_stages) {
        return impact_test_block(&block, isa, &workspace, hits, counters);
    }
    for (uint32_t i = 0; i < cases.count; i++) {
        workspace.first[i] = i;
    }
    return impact_test_rounds(&block, isa, cases.count, &workspace, hits, counters);
}

static void expect_as_alone(uint32_t hit_count, double limit, bool earliest, const struct impact_counters *counters)
{
    uint32_t next = 0;
    uint64_t counted = 0;
    double first = HUGE_VAL, first_there = HUGE_VAL;
    for (uint32_t i = 0; i < cases.count; i++) {
        bool hit = expected[i].answer == IMPACT_HIT, matters = hit && expected[i].toi <= limit;
        first = matters && expected[i].toi < first ? expected[i].toi : first;
        if (next < hit_count && hits[next].candidate == i) {
            if (!hit || !same_bits(&hits[next].result, &expected[i])) {
                print_message("stage %d at %a, alone %d at %a\n", hits[next].result.stage, hits[next].result.toi,
                              expected[i].answer, expected[i].toi);
                show(i);
                fail();
            }
            first_there = expected[i].toi <= limit && expected[i].toi < first_there ? expected[i].toi : first_there;
            next++;
        } else if (matters && !earliest) {
            show(i);
            fail();
        }
    }
    assert_int_equal(next, hit_count);
    assert_true(first == first_there);
    if (earliest) { /* all of those at the smallest time */
        next = 0;
        for (uint32_t i = 0; i < cases.count; i++) {
            bool told = next < hit_count && hits[next].candidate == i;
            next += told;
            assert_true(told || expected[i].answer != IMPACT_HIT || expected[i].toi != first);
        }
    }
    for (int stage = 0; stage < IMPACT_STAGE_COUNT; stage++) {
        counted += counters->free_by[stage] + counters->hits_by[stage];
    }
    assert_int_equal(counted, cases.count);
}

static void try_every_way(double limit, bool earliest)
{
    struct impact_counters counters;
    for (int isa = DENT_ISA_SCALAR; isa < DENT_ISA_COUNT; isa++) {
        for (int all_stages = 0; all_stages < 2 && dent_isa_available((dent_isa)isa); all_stages++) {
            uint32_t count = run_block((dent_isa)isa, all_stages, limit, earliest, &counters);
            expect_as_alone(count, limit, earliest, &counters);
        }
    }
}

static void lanes_answer_as_single_queries_and_integers_do(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(41);
    for (long trial = 0; trial < tier(60); trial++) {
        uint32_t count = trial % 3 == 0 ? 1 + dent_random_below(&random, 20) : CASES - dent_random_below(&random, 9);
        fill_cases((enum impact_kind)(trial % 2), count, false, &random);
        answer_alone();
        try_every_way(1.0, false);
        try_every_way(1.0, true);
        try_every_way(dent_random_below(&random, 9) * 0.125, false);
        try_every_way(dent_random_unit(&random), true);
    }
}

static void lanes_answer_alike_over_the_whole_range_of_exponents(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(42);
    for (long trial = 0; trial < tier(10); trial++) {
        fill_cases((enum impact_kind)(trial % 2), 250, true, &random);
        answer_alone();
        try_every_way(1.0, false);
        try_every_way(0.5, true);
    }
}

/* Times at a limit: the limit itself and its neighbours, which hide what is later and nothing else. */
static void a_limit_at_the_time_itself_keeps_the_contact(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(43);
    for (long trial = 0; trial < tier(40); trial++) {
        fill_cases((enum impact_kind)(trial % 2), 60, false, &random);
        answer_alone();
        for (uint32_t i = 0; i < cases.count; i++) {
            if (expected[i].answer == IMPACT_HIT && expected[i].toi < 1.0 && dent_random_below(&random, 8) == 0) {
                try_every_way(expected[i].toi, false);
                try_every_way(nextafter(expected[i].toi, -1.0), false);
                try_every_way(nextafter(expected[i].toi, 2.0), true);
            }
        }
    }
}

/* Random integers of 25 bits that doubles find in contact. */
static void make_certain_contact(impact_case *query, enum impact_kind kind, dent_random *random)
{
    struct impact_result result;
    do {
        make_case(query, random, CASE_RANDOM);
        for (int k = 0; k < 24; k++) {
            double *x = coordinate(query, k / 6, k / 3 % 2, k % 3);
            *x = floor(0x1p25 * *x);
        }
        impact_test(query->kind, query->corners, 1.0, &result);
    } while (query->kind != kind || result.answer != IMPACT_HIT || result.stage != IMPACT_STAGE_DOUBLE);
}

/* One contact many times over, in other units each: the times are the same, Newton's method ends at different doubles
 * near them, and all are the earliest. */
static void contacts_at_the_same_time_are_all_the_earliest(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(50);
    for (long trial = 0; trial < tier(60); trial++) {
        impact_case query;
        fill_cases((enum impact_kind)(trial % 2), 40, false, &random);
        make_certain_contact(&query, cases.kind, &random);
        for (uint32_t i = 0; i < cases.count; i++) {
            memcpy(&cases.vertices[4 * i], query.vertices, sizeof query.vertices);
            for (uint32_t k = 0; k < 24; k++) { /* 32 bits: exact */
                struct impact_vertex *vertex = &cases.vertices[4 * i + k / 6];
                (k % 6 < 3 ? vertex->start : vertex->end)[k % 3] *= (double)(2 * i + 1);
            }
        }
        answer_alone();
        try_every_way(1.0, true);
        try_every_way(expected[0].toi, true);
    }
}

/* Nothing but what has no end: motion in one plane, which splits until there is no room for tasks. */
static void more_tasks_than_there_is_room_for_are_left_to_integers(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(44);
    for (int kind = 0; kind < 2; kind++) {
        fill_cases((enum impact_kind)kind, CASES, false, &random);
        for (uint32_t i = 0; i < CASES; i++) {
            impact_case query;
            do {
                make_case(&query, &random, i % 2 == 0 ? CASE_SLIDING : CASE_SLIDING_IN_MOVING_PLANE);
            } while ((int)query.kind != kind);
            memcpy(&cases.vertices[4 * i], query.vertices, sizeof query.vertices);
        }
        answer_alone();
        try_every_way(1.0, false);
        try_every_way(1.0, true);
    }
}

/* ---- rows of the table against one another ----------------------------------------------------------------------- */

static bool same_tasks(const struct impact_tasks *a, const struct impact_tasks *b)
{
    return a->count == b->count && memcmp(a->place, b->place, a->count * sizeof a->place[0]) == 0 &&
           memcmp(a->l, b->l, a->count * sizeof a->l[0]) == 0 && memcmp(a->r, b->r, a->count * sizeof a->r[0]) == 0;
}

static bool same_hits(const struct impact_brackets *a, const struct impact_brackets *b)
{
    size_t bytes = a->count * sizeof a->left[0];
    return a->count == b->count && memcmp(a->place, b->place, a->count * sizeof a->place[0]) == 0 &&
           memcmp(a->left, b->left, bytes) == 0 && memcmp(a->right, b->right, bytes) == 0 &&
           memcmp(a->middle, b->middle, bytes) == 0;
}

/* What a row makes of a list of tasks. */
struct outcome {
    struct impact_tasks roots, parts;
    struct impact_brackets hits;
    double times[IMPACT_TASKS + IMPACT_LANES_MAX];
    struct impact_descriptions descriptions;
    uint8_t uncertain[CASES];
};

static void run_row(const struct impact_double_kernels *kernels, const struct impact_tasks *tasks, bool whole,
                    struct outcome *outcome)
{
    struct impact_chosen chosen = {cases.vertices, (const uint32_t(*)[4])cases.corners, cases.list};
    struct impact_task_outputs outputs = {&outcome->roots, &outcome->parts, outcome->uncertain};
    struct impact_horizon horizon = {0.875, nextafter(0.875, 1.0)};
    memset(outcome, 0, sizeof *outcome);
    if (whole) {
        kernels->test_whole[cases.kind](&chosen, tasks, &outputs);
    } else {
        kernels->test[cases.kind](&chosen, tasks, &horizon, true, &outputs);
    }
    kernels->bracket[cases.kind](&chosen, &outcome->roots, &outcome->hits, outcome->uncertain);
    kernels->refine[cases.kind](&chosen, &outcome->hits, outcome->times);
    kernels->describe[cases.kind](&chosen, outcome->hits.place, outcome->hits.count, outcome->times,
                                  &outcome->descriptions);
}

static void expect_same_descriptions(const struct outcome *a, const struct outcome *b)
{
    for (uint32_t i = 0; i < a->hits.count; i++) {
        assert_memory_equal(&a->times[i], &b->times[i], sizeof a->times[i]);
        if (a->times[i] < 0.0) {
            continue;
        }
        assert_memory_equal(&a->descriptions.u[i], &b->descriptions.u[i], sizeof(double));
        if (a->descriptions.u[i] >= 0.0) {
            assert_memory_equal(&a->descriptions.v[i], &b->descriptions.v[i], sizeof(double));
            for (int axis = 0; axis < 3; axis++) {
                assert_memory_equal(&a->descriptions.normal[axis][i], &b->descriptions.normal[axis][i], sizeof(double));
            }
        }
    }
}

static void every_row_makes_the_same_of_its_tasks(void **state)
{
    (void)state;
    static struct outcome reference, found;
    static struct impact_tasks tasks;
    dent_random random = dent_random_seeded(45);
    uint64_t hit_count = 0;
    for (long trial = 0; trial < tier(100); trial++) {
        bool whole = trial % 4 < 2;
        fill_cases((enum impact_kind)(trial % 2), IMPACT_CHUNK - (uint32_t)(trial % 9), trial % 5 == 4, &random);
        tasks.count = cases.count;
        for (uint32_t i = 0; i < cases.count; i++) {
            tasks.place[i] = i;
            tasks.l[i] = whole ? 0.0 : dent_random_unit(&random);
            tasks.r[i] = whole ? 1.0 : tasks.l[i] + (1.0 - tasks.l[i]) * dent_random_unit(&random);
        }
        run_row(&one_lane, &tasks, whole, &reference);
        hit_count += reference.hits.count;
        for (int isa = DENT_ISA_SCALAR; isa < DENT_ISA_COUNT; isa++) {
            if (!dent_isa_available((dent_isa)isa)) {
                continue;
            }
            run_row(impact_double_kernels_for((dent_isa)isa), &tasks, whole, &found);
            assert_true(same_tasks(&found.roots, &reference.roots));
            assert_true(same_tasks(&found.parts, &reference.parts));
            assert_true(same_hits(&found.hits, &reference.hits));
            assert_memory_equal(found.uncertain, reference.uncertain, cases.count);
            expect_same_descriptions(&reference, &found);
        }
    }
    print_message("%lu hits\n", (unsigned long)hit_count);
    assert_true(hit_count > 100);
}

/* Most of what is random and not degenerate must not need the way of single queries. */
static void lanes_decide_nearly_all_random_queries(void **state)
{
    (void)state;
    static struct impact_tasks tasks;
    static struct outcome found;
    dent_random random = dent_random_seeded(46);
    uint32_t uncertain = 0;
    fill_cases(IMPACT_EDGE_EDGE, IMPACT_CHUNK, false, &random);
    tasks.count = IMPACT_CHUNK;
    for (uint32_t i = 0; i < IMPACT_CHUNK; i++) {
        for (uint32_t k = 0; k < 24; k++) {
            struct impact_vertex *v = &cases.vertices[4 * i + k / 6];
            (k % 6 < 3 ? v->start : v->end)[k % 3] = unit(&random);
        }
        tasks.place[i] = i;
        tasks.l[i] = 0.0;
        tasks.r[i] = 1.0;
    }
    run_row(&one_lane, &tasks, true, &found);
    for (uint32_t i = 0; i < IMPACT_CHUNK; i++) {
        uncertain += found.uncertain[i];
    }
    for (uint32_t i = 0; i < found.hits.count; i++) {
        assert_true(found.times[i] >= 0.0 && found.descriptions.u[i] >= 0.0);
    }
    assert_true(found.hits.count > 20);
    assert_int_equal(uncertain, 0);
}

/* ---- parts ------------------------------------------------------------------------------------------------------- */

static void descriptions_have_the_bits_of_the_single_one(void **state)
{
    (void)state;
    static struct impact_descriptions found;
    dent_random random = dent_random_seeded(47);
    long described = 0, count = tier(60);
    for (long trial = 0; trial < count; trial++) {
        uint32_t places[IMPACT_CHUNK];
        double times[IMPACT_CHUNK + IMPACT_LANES_MAX] = {0};
        fill_cases((enum impact_kind)(trial % 2), IMPACT_CHUNK, trial % 3 == 2, &random);
        for (uint32_t i = 0; i < IMPACT_CHUNK; i++) {
            places[i] = i;
            times[i] = i % 8 == 0 ? 0.0 : dent_random_unit(&random);
        }
        struct impact_chosen chosen = {cases.vertices, (const uint32_t(*)[4])cases.corners, cases.list};
        one_lane.describe[cases.kind](&chosen, places, IMPACT_CHUNK, times, &found);
        for (uint32_t i = 0; i < IMPACT_CHUNK; i++) {
            const struct impact_vertex *corners[4];
            struct impact_result result = {IMPACT_HIT, IMPACT_STAGE_DOUBLE, times[i], 0, 0, {0, 0, 0}};
            if (found.u[i] < 0.0) {
                continue;
            }
            corners_of(i, corners);
            impact_describe_contact(cases.kind, corners, &result);
            struct impact_result lanes_result = {IMPACT_HIT, IMPACT_STAGE_DOUBLE, times[i],
                                                 found.u[i], found.v[i],          {0, 0, 0}};
            for (int axis = 0; axis < 3; axis++) {
                lanes_result.normal[axis] = found.normal[axis][i];
            }
            assert_true(same_bits(&result, &lanes_result));
            described++;
        }
    }
    assert_true(described > count * IMPACT_CHUNK / 4);
}

static void the_double_below_is_the_double_below(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(48);
    for (long i = 0; i < 1000000; i++) {
        double x = ldexp(1.0 + dent_random_unit(&random), -(int)dent_random_below(&random, 899) - 1);
        x = i % 3 == 0 ? ldexp(1.0, -(int)(i % 899)) : i % 3 == 1 ? nextafter(ldexp(1.0, -(int)(i % 899)), 0.0) : x;
        assert_true(sum_down(x, -ldexp(x, -60)) == nextafter(x, -1.0));
        assert_true(sum_down(x, ldexp(x, -60)) == x && sum_down(x, 0.0) == x);
    }
}

/* Bounds assume rounding to nearest; in another mode the integers must decide every candidate of a block. */
static void another_rounding_mode_changes_no_answer_of_a_block(void **state)
{
    (void)state;
    static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    dent_random random = dent_random_seeded(49);
    for (int trial = 0; trial < 6; trial++) {
        struct impact_counters counters;
        fill_cases((enum impact_kind)(trial % 2), 100, false, &random);
        answer_alone();
        assert_int_equal(fesetround(modes[trial % 3]), 0);
        dent_isa isa = dent_isa_available(DENT_ISA_AVX2) && trial % 2 == 0 ? DENT_ISA_AVX2 : DENT_ISA_SCALAR;
        uint32_t count = run_block(isa, true, 1.0, false, &counters);
        fesetround(FE_TONEAREST);
        uint32_t next = 0;
        for (uint32_t i = 0; i < cases.count; i++) {
            bool told = next < count && hits[next].candidate == i;
            assert_int_equal(told, expected[i].answer == IMPACT_HIT);
            assert_true(!told ||
                        (hits[next].result.stage == IMPACT_STAGE_EXACT && hits[next].result.toi == expected[i].toi));
            next += told;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_answer_as_single_queries_and_integers_do),
        cmocka_unit_test(lanes_answer_alike_over_the_whole_range_of_exponents),
        cmocka_unit_test(a_limit_at_the_time_itself_keeps_the_contact),
        cmocka_unit_test(contacts_at_the_same_time_are_all_the_earliest),
        cmocka_unit_test(more_tasks_than_there_is_room_for_are_left_to_integers),
        cmocka_unit_test(every_row_makes_the_same_of_its_tasks),
        cmocka_unit_test(lanes_decide_nearly_all_random_queries),
        cmocka_unit_test(descriptions_have_the_bits_of_the_single_one),
        cmocka_unit_test(the_double_below_is_the_double_below),
        cmocka_unit_test(another_rounding_mode_changes_no_answer_of_a_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
