/* GJK against the exact tests: wherever it is certain, the exact test says the same; where the sets are well apart or
 * overlap well, it is certain. Random, lattice (touching) and scaled cases of triangles and tetrahedra, and hulls of
 * more points against their parts.
 */
#include "support/cmocka_includes.h"
#include "support/convex_hulls.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <dent/dent.h>

#include "geometry/predicates/orientation_predicates.h"
#include "geometry/predicates/tetrahedron_predicates.h"

enum { ROUNDS = 60000 };

struct tally {
    unsigned long long separated, overlapping, undecided, iterations;
};

static void turn(double p[3])
{
    static const double rows[3][3] = {{0.36, 0.48, -0.8}, {-0.8, 0.6, 0}, {0.48, 0.64, 0.6}};
    const double x = p[0], y = p[1], z = p[2];
    for (int axis = 0; axis < 3; axis++) {
        p[axis] = rows[axis][0] * x + rows[axis][1] * y + rows[axis][2] * z;
    }
}

/* style 0: random; 1: lattice; 2: random at 1e150; 3: random at 1e-150; 4: a turned lattice, whose sets touch but for
 * rounding */
static void make_points(dent_random *random, int style, double (*points)[3], int count, double shift)
{
    double scale = style == 2 ? 1e150 : style == 3 ? 1e-150 : 1;
    for (int i = 0; i < count; i++) {
        for (int axis = 0; axis < 3; axis++) {
            double x = style == 1 || style == 4 ? dent_random_below(random, 4) : dent_random_unit(random) * 4 - 2;
            points[i][axis] = (x + (axis == 0 ? shift : 0)) * scale;
        }
        if (style == 4) {
            turn(points[i]);
        }
    }
}

static void count(struct tally *tally, struct gjk_result result)
{
    tally->separated += result.relation == GJK_SEPARATED;
    tally->overlapping += result.relation == GJK_OVERLAPPING;
    tally->undecided += result.relation == GJK_UNDECIDED;
    tally->iterations += (unsigned long long)result.iterations;
}

static void print_tally(const char *name, const struct tally *tally)
{
    printf("%-24s %6llu separated, %6llu overlapping, %6llu undecided, %.2f iterations\n", name, tally->separated,
           tally->overlapping, tally->undecided,
           (double)tally->iterations / (double)(tally->separated + tally->overlapping + tally->undecided));
}

static void where_gjk_is_certain_the_exact_tests_agree(void **state)
{
    (void)state;
    static const char *const names[] = {"random", "lattice", "random at 1e150", "random at 1e-150", "turned lattice"};
    dent_random random = dent_random_seeded(17);
    for (int style = 0; style < 5; style++) {
        struct tally tets = {0, 0, 0, 0}, faces = {0, 0, 0, 0};
        for (int round = 0; round < ROUNDS / 4; round++) {
            double a[4][3], b[4][3];
            predicate_counters counters = {0};
            make_points(&random, style, a, 4, 0);
            make_points(&random, style, b, 4, round % 4);
            const double *pa[4] = {a[0], a[1], a[2], a[3]}, *pb[4] = {b[0], b[1], b[2], b[3]};
            struct gjk_result result = gjk_of_hulls(pa, 4, pb, 4);
            /* A flat tetrahedron has no interior for the exact tests, but a relative one for GJK. */
            bool flat_a = orientation_3d_counted(pa[0], pa[1], pa[2], pa[3], &counters) == 0;
            bool flat_b = orientation_3d_counted(pb[0], pb[1], pb[2], pb[3], &counters) == 0;
            if (result.relation && !flat_a && !flat_b) {
                assert_int_equal(tetrahedra_interiors_meet(pa, pb, &counters), result.relation == GJK_OVERLAPPING);
                assert_true(result.margin > 0);
            }
            count(&tets, result);
            result = gjk_of_hulls(pa, 3, pb, 4);
            if (result.relation && !flat_b) {
                assert_int_equal(triangle_versus_tetrahedron(pa, pb, &counters),
                                 result.relation == GJK_OVERLAPPING ? OVERLAP_INTERIOR : OVERLAP_NONE);
            }
            count(&faces, result);
        }
        printf("%s:\n", names[style]);
        print_tally("  tet-tet", &tets);
        print_tally("  triangle-tet", &faces);
        assert_true(style == 1 || style == 4 ||
                    tets.undecided + faces.undecided < (tets.separated + tets.overlapping) / 50);
    }
}

/* A translation by less than the margin changes nothing, whatever its direction. */
static void margins_hold_under_translation(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(23);
    for (int round = 0; round < 4000; round++) {
        double a[4][3], b[4][3], moved[4][3], step[3], length = 0;
        predicate_counters counters = {0};
        make_points(&random, 0, a, 4, 0);
        make_points(&random, 0, b, 4, round % 4);
        const double *pa[4] = {a[0], a[1], a[2], a[3]}, *pb[4] = {b[0], b[1], b[2], b[3]};
        const double *pm[4] = {moved[0], moved[1], moved[2], moved[3]};
        struct gjk_result result = gjk_of_hulls(pa, 4, pb, 4);
        if (!result.relation) {
            continue;
        }
        for (int axis = 0; axis < 3; axis++) {
            step[axis] = dent_random_unit(&random) - 0.5;
            length += step[axis] * step[axis];
        }
        for (int i = 0; i < 4; i++) {
            for (int axis = 0; axis < 3; axis++) {
                moved[i][axis] = a[i][axis] + step[axis] / sqrt(length) * result.margin * 0.999;
            }
        }
        assert_int_equal(tetrahedra_interiors_meet(pm, pb, &counters), result.relation == GJK_OVERLAPPING);
    }
}

/* Eight points: a bent hexahedron's hull contains the tetrahedra made of its corners. */
static void hulls_overlap_what_their_parts_overlap(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(29);
    int overlaps = 0;
    for (int round = 0; round < 4000; round++) {
        double hull[8][3], other[4][3];
        make_points(&random, 0, hull, 8, 0);
        make_points(&random, 0, other, 4, round % 4);
        const double *ph[8], *po[4] = {other[0], other[1], other[2], other[3]};
        for (int i = 0; i < 8; i++) {
            ph[i] = hull[i];
        }
        struct gjk_result whole = gjk_of_hulls(ph, 8, po, 4), part = gjk_of_hulls(ph + round % 5, 4, po, 4);
        if (part.relation == GJK_OVERLAPPING) {
            assert_int_not_equal(whole.relation, GJK_SEPARATED);
            overlaps++;
        }
        if (whole.relation == GJK_SEPARATED) {
            assert_int_not_equal(part.relation, GJK_OVERLAPPING);
        }
    }
    assert_true(overlaps > 100);
}

static void it_always_ends_and_flat_sets_are_not_called_overlapping(void **state)
{
    (void)state;
    const double p[3] = {1, 2, 3}, q[3] = {1, 2, 3}, r[3] = {5, 2, 3};
    const double *one[1] = {p}, *same[4] = {p, q, p, q}, *line[2] = {p, r};
    assert_int_equal(gjk_of_hulls(one, 1, same, 4).relation, GJK_UNDECIDED);
    assert_int_equal(gjk_of_hulls(line, 2, same, 4).relation, GJK_UNDECIDED);
    const double *end[1] = {r};
    struct gjk_result apart = gjk_of_hulls(end, 1, same, 4);
    assert_int_equal(apart.relation, GJK_SEPARATED);
    assert_true(apart.margin <= 4 && apart.margin > 0);
    assert_true(apart.direction[0] > 0);
    assert_true(apart.iterations <= 64);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(where_gjk_is_certain_the_exact_tests_agree),
        cmocka_unit_test(margins_hold_under_translation),
        cmocka_unit_test(hulls_overlap_what_their_parts_overlap),
        cmocka_unit_test(it_always_ends_and_flat_sets_are_not_called_overlapping),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
