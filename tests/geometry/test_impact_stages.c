/* The stages of the impact test against one another and against themselves: rejects and double stages never contradict
 * the exact one, every instruction set rejects the same, relabelling and reversal change nothing, parts of a step agree
 * with the whole. Four hundred thousand constructed queries in the default tier, four million in the long one. */
#include "support/cmocka_includes.h"

#include <fenv.h>
#include <stdlib.h>

#include "geometry/impact_cases.h"
#include "geometry/impact/impact_kernels.h"

static long tier(long usual)
{
    return getenv("DENT_LONG_TESTS") != NULL ? 10 * usual : getenv("DENT_QUICK_TESTS") != NULL ? usual / 50 : usual;
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

/* Everything but the stage. */
static bool same_result(const struct impact_result *a, const struct impact_result *b)
{
    return a->answer == b->answer && a->toi == b->toi && a->u == b->u && a->v == b->v &&
           memcmp(a->normal, b->normal, sizeof a->normal) == 0;
}

static void staged_answers_are_those_of_the_exact_stage(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(8);
    long count = tier(400000), by_double = 0;
    for (long i = 0; i < count; i++) {
        impact_case query;
        struct impact_result staged, exact;
        make_case(&query, &random, (enum impact_family)(i % CASE_FAMILIES));
        impact_test(query.kind, query.corners, 1.0, &staged);
        by_double += staged.stage == IMPACT_STAGE_DOUBLE;
        if (staged.stage == IMPACT_STAGE_EXACT) {
            continue;
        }
        impact_test_exact(NULL, query.kind, query.corners, &exact);
        if (!same_result(&staged, &exact)) {
            print_message("answer %d at %a, exact %d at %a\n", staged.answer, staged.toi, exact.answer, exact.toi);
            show(&query);
            fail();
        }
    }
    print_message("%ld of %ld decided by doubles\n", by_double, count);
    assert_true(by_double > count / 3);
}

/* A sliver of the plane at random: what u, v and the normal claim must hold. */
static void places_and_normals_are_sane(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(9);
    for (long i = 0; i < tier(50000); i++) {
        impact_case query;
        struct impact_result result;
        make_case(&query, &random, (enum impact_family)(i % CASE_FAMILIES));
        impact_test(query.kind, query.corners, 1.0, &result);
        const double *n = result.normal;
        double length = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
        assert_true(length > 1.0 - 1e-14 && length < 1.0 + 1e-14);
        assert_true(result.u >= 0.0 && result.u <= 1.0 && result.v >= 0.0 && result.v <= 1.0);
        assert_true(result.toi >= 0.0 && result.toi <= 1.0);
        assert_true(query.kind == IMPACT_EDGE_EDGE || result.u + result.v <= 1.0 + 0x1p-52);
    }
}

/* The contact point computed from u and v must be the same on both primitives. */
static void u_and_v_name_one_point_of_both(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(10);
    long hits = 0, count = tier(40000);
    for (long i = 0; i < count; i++) {
        impact_case query;
        struct impact_result result;
        make_case(&query, &random, i % 2 == 0 ? CASE_RANDOM : CASE_EXACT_CONTACT);
        impact_test(query.kind, query.corners, 1.0, &result);
        if (result.answer != IMPACT_HIT) {
            continue;
        }
        double at[4][3], most = 0.0, gap = 0.0;
        for (int k = 0; k < 12; k++) {
            const struct impact_vertex *v = query.corners[k / 3];
            at[k / 3][k % 3] = v->start[k % 3] * (1.0 - result.toi) + v->end[k % 3] * result.toi;
            most = fmax(most, fabs(at[k / 3][k % 3]));
        }
        for (int k = 0; k < 3; k++) {
            double first = at[0][k], second;
            if (query.kind == IMPACT_VERTEX_FACE) {
                second = at[1][k] + result.u * (at[2][k] - at[1][k]) + result.v * (at[3][k] - at[1][k]);
            } else {
                first = at[0][k] + result.u * (at[1][k] - at[0][k]);
                second = at[2][k] + result.v * (at[3][k] - at[2][k]);
            }
            gap = fmax(gap, fabs(first - second));
        }
        hits++;
        if (!(gap <= 1e-9 * most)) {
            print_message("gap %g of %g\n", gap, most);
            show(&query);
            fail();
        }
    }
    assert_true(hits > count / 4);
}

static void permute(const impact_case *query, const int order[4], impact_case *result)
{
    for (int i = 0; i < 4; i++) {
        result->vertices[i] = query->vertices[order[i]];
        result->corners[i] = &result->vertices[i];
    }
    result->kind = query->kind;
}

static void expect_same_time(const impact_case *original, const struct impact_result *before,
                             const impact_case *changed, const char *what)
{
    struct impact_result after;
    impact_test(changed->kind, changed->corners, 1.0, &after);
    if (after.answer != before->answer || after.toi != before->toi) {
        print_message("%s: %d at %a, before %d at %a\n", what, after.answer, after.toi, before->answer, before->toi);
        show(original);
        fail();
    }
}

static void relabelling_scaling_and_reversal_change_nothing(void **state)
{
    (void)state;
    static const int orders[2][6][4] = {
        {{0, 2, 3, 1}, {0, 3, 1, 2}, {0, 2, 1, 3}, {0, 1, 3, 2}, {0, 3, 2, 1}, {0, 1, 2, 3}},
        {{1, 0, 2, 3}, {0, 1, 3, 2}, {1, 0, 3, 2}, {2, 3, 0, 1}, {3, 2, 0, 1}, {3, 2, 1, 0}},
    };
    dent_random random = dent_random_seeded(11);
    for (long i = 0; i < tier(30000); i++) {
        impact_case query, changed;
        struct impact_result before, after;
        enum impact_family family = (enum impact_family)(i % CASE_FAMILIES);
        make_case(&query, &random, family);
        impact_test(query.kind, query.corners, 1.0, &before);
        permute(&query, orders[query.kind][dent_random_below(&random, 6)], &changed);
        expect_same_time(&query, &before, &changed, "relabelled");
        permute(&query, (const int[]){0, 1, 2, 3}, &changed);
        move_all(&changed, ldexp(1.0, (int)dent_random_below(&random, 100)), 0.0); /* up: subnormals stay exact */
        expect_same_time(&query, &before, &changed, "scaled");
        permute(&query, (const int[]){0, 1, 2, 3}, &changed);
        for (int k = 0; k < 4; k++) { /* axes turned, one of them mirrored */
            struct impact_vertex *v = &changed.vertices[k];
            for (int axis = 0; axis < 3; axis++) {
                double sign = axis == 1 ? -1.0 : 1.0;
                v->start[axis] = sign * query.vertices[k].start[(axis + 1) % 3];
                v->end[axis] = sign * query.vertices[k].end[(axis + 1) % 3];
            }
        }
        expect_same_time(&query, &before, &changed, "turned");
        for (int k = 0; k < 4; k++) {
            memcpy(changed.vertices[k].start, query.vertices[k].end, sizeof changed.vertices[k].start);
            memcpy(changed.vertices[k].end, query.vertices[k].start, sizeof changed.vertices[k].end);
        }
        impact_test(changed.kind, changed.corners, 1.0, &after);
        if (after.answer != before.answer) {
            print_message("reversed: %d, before %d\n", after.answer, before.answer);
            show(&query);
            fail();
        }
    }
}

/* Even integers: positions at t = 1/2 are exact, so both halves are queries of their own. */
static void halves_of_a_step_agree_with_the_whole(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(12);
    for (long i = 0; i < tier(30000); i++) {
        impact_case query, halves[2];
        struct impact_result whole, half[2];
        make_case(&query, &random, i % 2 == 0 ? CASE_EXACT_CONTACT : CASE_SMALL_INTEGERS);
        move_all(&query, 2.0, 0.0);
        for (int k = 0; k < 2; k++) {
            permute(&query, (const int[]){0, 1, 2, 3}, &halves[k]);
        }
        for (int k = 0; k < 12; k++) {
            double middle = position_at(&query, k / 3, k % 3, 1);
            *coordinate(&halves[0], k / 3, 1, k % 3) = middle;
            *coordinate(&halves[1], k / 3, 0, k % 3) = middle;
        }
        impact_test(query.kind, query.corners, 1.0, &whole);
        impact_test(query.kind, halves[0].corners, 1.0, &half[0]);
        impact_test(query.kind, halves[1].corners, 1.0, &half[1]);
        bool either = half[0].answer == IMPACT_HIT || half[1].answer == IMPACT_HIT;
        bool fine = (whole.answer == IMPACT_HIT) == either;
        if (half[0].answer == IMPACT_HIT) {
            fine = fine && half[0].toi == 2.0 * whole.toi;
        } else if (either) {
            double first = 0.5 + 0.5 * half[1].toi; /* rounded: the whole may lie one double beside it */
            fine = fine && fabs(first - whole.toi) <= 0x1p-52;
        }
        if (!fine) {
            print_message("whole %d at %a, halves %d at %a and %d at %a\n", whole.answer, whole.toi, half[0].answer,
                          half[0].toi, half[1].answer, half[1].toi);
            show(&query);
            fail();
        }
    }
}

/* A limit only hides what is later. */
static void a_time_limit_changes_nothing_below_it(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(13);
    for (long i = 0; i < tier(30000); i++) {
        impact_case query;
        struct impact_result all, limited;
        make_case(&query, &random, (enum impact_family)(i % CASE_FAMILIES));
        double limit = dent_random_below(&random, 4) * 0.25;
        impact_test(query.kind, query.corners, 1.0, &all);
        impact_test(query.kind, query.corners, limit, &limited);
        if (all.answer == IMPACT_HIT && (all.toi <= limit || limited.answer == IMPACT_HIT)) {
            assert_true(same_result(&all, &limited));
        } else {
            assert_int_equal(limited.answer, IMPACT_FREE);
        }
    }
}

/* ------------------------------------------------------------------------------------------------------ blocks */

enum { BLOCK_CASES = 500 };

struct block_case {
    struct impact_vertex vertices[4 * BLOCK_CASES];
    uint32_t corners[BLOCK_CASES][4];
};

static void fill_block(struct block_case *block, enum impact_kind kind, dent_random *random)
{
    for (uint32_t i = 0; i < BLOCK_CASES; i++) {
        impact_case query;
        do {
            make_case(&query, random, (enum impact_family)dent_random_below(random, CASE_FAMILIES));
        } while (query.kind != kind);
        for (uint32_t k = 0; k < 4; k++) {
            block->vertices[4 * i + k] = query.vertices[k];
            block->corners[i][k] = 4 * i + k;
        }
    }
}

static void every_instruction_set_rejects_the_same_and_rightly(void **state)
{
    (void)state;
    static struct block_case block;
    uint32_t expected[2][BLOCK_CASES + 16], found[BLOCK_CASES + 16];
    dent_random random = dent_random_seeded(14);
    uint64_t rejected = 0;
    for (long trial = 0; trial < tier(200) + 2; trial++) {
        enum impact_kind kind = (enum impact_kind)(trial % 2);
        uint32_t count = trial % 3 == 0 ? dent_random_below(&random, 30) + 1 : BLOCK_CASES, kept[2] = {0, 0};
        fill_block(&block, kind, &random);
        uint64_t axes = 0, axes_there = 0;
        for (int isa = DENT_ISA_SCALAR; isa < DENT_ISA_COUNT; isa++) {
            if (!dent_isa_available((dent_isa)isa)) {
                continue;
            }
            const struct impact_kernels *kernels = impact_kernels_for((dent_isa)isa);
            const uint32_t(*corners)[4] = (const uint32_t(*)[4])block.corners;
            if (isa == DENT_ISA_SCALAR) {
                kept[0] = kernels->reject[kind](block.vertices, corners, count, expected[0], &axes);
                kept[1] = kernels->separate[kind](block.vertices, corners, expected[0], kept[0], expected[1]);
                continue;
            }
            axes_there = 0;
            assert_int_equal(kernels->reject[kind](block.vertices, corners, count, found, &axes_there), kept[0]);
            assert_memory_equal(found, expected[0], kept[0] * sizeof *found);
            assert_int_equal(axes, axes_there);
            assert_int_equal(kernels->separate[kind](block.vertices, corners, expected[0], kept[0], found), kept[1]);
            assert_memory_equal(found, expected[1], kept[1] * sizeof *found);
        }
        uint32_t next = 0;
        for (uint32_t i = 0; i < count; i++) {
            if (next < kept[1] && expected[1][next] == i) {
                next++;
                continue;
            }
            const struct impact_vertex *corners[4] = {&block.vertices[4 * i], &block.vertices[4 * i + 1],
                                                      &block.vertices[4 * i + 2], &block.vertices[4 * i + 3]};
            struct impact_result result;
            impact_test_exact(NULL, kind, corners, &result);
            assert_int_equal(result.answer, IMPACT_FREE);
            rejected++;
        }
    }
    assert_true(rejected > 100);
}

static void a_block_reports_what_single_queries_report(void **state)
{
    (void)state;
    static struct block_case cases;
    static struct impact_hit hits[IMPACT_BLOCK];
    static struct impact_workspace workspace;
    dent_random random = dent_random_seeded(15);
    for (int trial = 0; trial < 40; trial++) {
        struct impact_counters counters = {0};
        enum impact_kind kind = (enum impact_kind)(trial % 2);
        fill_block(&cases, kind, &random);
        bool earliest = trial % 4 >= 2;
        struct impact_block block = {kind, BLOCK_CASES, cases.vertices, (const uint32_t(*)[4])cases.corners,
                                     1.0,  earliest};
        dent_isa isa = (dent_isa)(DENT_ISA_SCALAR + trial % (DENT_ISA_COUNT - DENT_ISA_SCALAR));
        isa = dent_isa_available(isa) ? isa : DENT_ISA_SCALAR;
        uint32_t count = impact_test_block(&block, isa, &workspace, hits, &counters), next = 0;
        double first = 2.0, first_there = 2.0;
        uint64_t counted = 0;
        for (uint32_t i = 0; i < BLOCK_CASES; i++) {
            const struct impact_vertex *corners[4] = {&cases.vertices[4 * i], &cases.vertices[4 * i + 1],
                                                      &cases.vertices[4 * i + 2], &cases.vertices[4 * i + 3]};
            struct impact_result result;
            impact_test(kind, corners, 1.0, &result);
            first = result.answer == IMPACT_HIT && result.toi < first ? result.toi : first;
            if (next < count && hits[next].candidate == i) {
                assert_true(same_result(&result, &hits[next].result));
                first_there = result.toi < first_there ? result.toi : first_there;
                next++;
            } else if (!earliest) {
                assert_int_equal(result.answer, IMPACT_FREE);
            }
        }
        for (int stage = 0; stage < IMPACT_STAGE_COUNT; stage++) {
            counted += counters.free_by[stage] + counters.hits_by[stage];
        }
        assert_int_equal(next, count);
        assert_int_equal(counted, BLOCK_CASES);
        assert_true(first == first_there);
    }
}

static void coordinates_that_are_not_finite_are_an_error(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(16);
    const double bad[] = {NAN, HUGE_VAL, -HUGE_VAL};
    for (int i = 0; i < 24 * 3; i++) {
        impact_case query;
        struct impact_result result;
        make_case(&query, &random, CASE_RANDOM);
        *coordinate(&query, i / 3 / 6, i / 3 / 3 % 2, i / 3 % 3) = bad[i % 3];
        impact_test(query.kind, query.corners, 1.0, &result);
        assert_int_equal(result.answer, IMPACT_ERROR);
        assert_true(result.toi == 0.0);
        impact_test_exact(NULL, query.kind, query.corners, &result);
        assert_int_equal(result.answer, IMPACT_ERROR);
    }
}

/* Bounds assume rounding to nearest; in another mode the integers must decide. */
static void another_rounding_mode_changes_no_answer(void **state)
{
    (void)state;
    static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    dent_random random = dent_random_seeded(17);
    for (int i = 0; i < 3000; i++) {
        impact_case query;
        struct impact_result before, after;
        make_case(&query, &random, (enum impact_family)(i % CASE_FAMILIES));
        impact_test(query.kind, query.corners, 1.0, &before);
        assert_int_equal(fesetround(modes[i % 3]), 0);
        impact_test(query.kind, query.corners, 1.0, &after);
        fesetround(FE_TONEAREST);
        assert_int_equal(after.stage, IMPACT_STAGE_EXACT);
        assert_int_equal(after.answer, before.answer);
        assert_true(after.toi == before.toi);
    }
}

/* Sums of finite numbers may overflow; the answer must not. */
static void the_largest_numbers_are_fine(void **state)
{
    (void)state;
    const double m = 1.7e308;
    impact_case query = {.kind = IMPACT_VERTEX_FACE,
                         .vertices = {{.start = {0, 0, m}, .end = {0, 0, -m}},
                                      {.start = {-m, -m, 0}, .end = {-m, -m, 0}},
                                      {.start = {m, -m, 0}, .end = {m, -m, 0}},
                                      {.start = {0, m, 0}, .end = {0, m, 0}}}};
    for (int i = 0; i < 4; i++) {
        query.corners[i] = &query.vertices[i];
    }
    struct impact_result result;
    impact_test(query.kind, query.corners, 1.0, &result);
    assert_int_equal(result.answer, IMPACT_HIT);
    assert_true(result.toi == 0.5);
    assert_true(fabs(result.normal[2]) == 1.0);
    assert_true(fabs(result.u - 0.25) < 1e-12 && fabs(result.v - 0.5) < 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(staged_answers_are_those_of_the_exact_stage),
        cmocka_unit_test(places_and_normals_are_sane),
        cmocka_unit_test(u_and_v_name_one_point_of_both),
        cmocka_unit_test(relabelling_scaling_and_reversal_change_nothing),
        cmocka_unit_test(halves_of_a_step_agree_with_the_whole),
        cmocka_unit_test(a_time_limit_changes_nothing_below_it),
        cmocka_unit_test(every_instruction_set_rejects_the_same_and_rightly),
        cmocka_unit_test(a_block_reports_what_single_queries_report),
        cmocka_unit_test(coordinates_that_are_not_finite_are_an_error),
        cmocka_unit_test(another_rounding_mode_changes_no_answer),
        cmocka_unit_test(the_largest_numbers_are_fine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
