/* The exact covering test around a point against plain sampling of directions. */
#include "support/cmocka_includes.h"

#include <dent/base.h>

#include <math.h>
#include <stdio.h>

#include "contact/check/local_cover.h"
#include "geometry/predicates/tetrahedron_predicates.h"

enum { CELLS_MAX = 40 };

struct pile {
    double xyz[CELLS_MAX][4][3];
    struct cone cones[CELLS_MAX];
    uint32_t count;
};

static void corners_of(const struct pile *pile, uint32_t i, const double *corners[4])
{
    for (int k = 0; k < 4; k++) {
        corners[k] = pile->xyz[i][k];
    }
}

/* Tetrahedra with the origin on their boundary: a corner at it, an edge or a face through it. */
static void make_pile(struct pile *pile, dent_random *random, uint32_t wanted, uint32_t reach)
{
    const double origin[3] = {0, 0, 0};
    predicate_counters counters = {0};
    pile->count = 0;
    while (pile->count < wanted) {
        const double *corners[4];
        for (int k = 0; k < 4; k++) {
            for (int axis = 0; axis < 3; axis++) {
                pile->xyz[pile->count][k][axis] = (double)dent_random_below(random, 2 * reach + 1) - reach;
            }
        }
        if (dent_random_below(random, 2)) {
            int at = (int)dent_random_below(random, 4);
            for (int axis = 0; axis < 3; axis++) {
                pile->xyz[pile->count][at][axis] = 0;
            }
        }
        corners_of(pile, pile->count, corners);
        if (cone_at_point(origin, corners, &pile->cones[pile->count], &counters) == POINT_BOUNDARY) {
            pile->count++;
        }
    }
}

/* A direction that no closed cell holds next to the origin, among random ones. */
static bool sampling_finds_a_gap(const struct pile *pile, dent_random *random, int samples)
{
    predicate_counters counters = {0};
    for (int sample = 0; sample < samples; sample++) {
        double q[3];
        bool held = false;
        for (int axis = 0; axis < 3; axis++) {
            q[axis] = ldexp((double)dent_random_below(random, 20001) - 10000.0, -30);
        }
        for (uint32_t i = 0; i < pile->count && !held; i++) {
            const double *c[4];
            corners_of(pile, i, c);
            held = point_versus_tetrahedron(q, c[0], c[1], c[2], c[3], &counters) != POINT_OUTSIDE;
        }
        if (!held) {
            return true;
        }
    }
    return false;
}

static void piles_cover_iff_sampling_finds_no_gap(void **state)
{
    uint64_t covered = 0, gaps = 0;
    (void)state;
    for (uint64_t seed = 0; seed < 1500; seed++) {
        dent_random random = dent_random_seeded(seed);
        predicate_counters counters = {0};
        int8_t signs[6 * CELLS_MAX];
        struct pile pile;
        uint32_t cells = 2 + dent_random_below(&random, 24);
        uint32_t reach = 1 + dent_random_below(&random, 3);
        make_pile(&pile, &random, cells, reach);
        bool exact = cones_cover_neighbourhood(pile.cones, pile.count, signs, &counters);
        bool gap = sampling_finds_a_gap(&pile, &random, 4000) ||
                   (!exact && sampling_finds_a_gap(&pile, &random, 4000000)); /* some gaps are thin */
        if (exact == gap) {
            printf("seed %llu: %u cells, exact %d, gap %d\n", (unsigned long long)seed, pile.count, exact, gap);
        }
        assert_true(exact != gap);
        covered += exact;
        gaps += gap;
    }
    printf("%llu piles cover, %llu leave a gap\n", (unsigned long long)covered, (unsigned long long)gaps);
    assert_true(covered > 200 && gaps > 200);
}

/* The same pile far from ordinary exponents: powers of two change nothing. */
static void scaling_by_powers_of_two_changes_nothing(void **state)
{
    static const int exponents[] = {-1000, -300, 300, 900};
    (void)state;
    for (uint64_t seed = 0; seed < 40; seed++) {
        dent_random random = dent_random_seeded(seed + 500);
        predicate_counters counters = {0};
        const double origin[3] = {0, 0, 0};
        int8_t signs[6 * CELLS_MAX];
        struct pile pile;
        make_pile(&pile, &random, 12, 2);
        bool expected = cones_cover_neighbourhood(pile.cones, pile.count, signs, &counters);
        for (int e = 0; e < 4; e++) {
            struct pile scaled = pile;
            for (uint32_t i = 0; i < pile.count; i++) {
                const double *corners[4];
                for (int k = 0; k < 12; k++) {
                    scaled.xyz[i][k / 3][k % 3] = ldexp(pile.xyz[i][k / 3][k % 3], exponents[e]);
                }
                corners_of(&scaled, i, corners);
                assert_int_equal(cone_at_point(origin, corners, &scaled.cones[i], &counters), POINT_BOUNDARY);
            }
            assert_int_equal(cones_cover_neighbourhood(scaled.cones, scaled.count, signs, &counters), expected);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(piles_cover_iff_sampling_finds_no_gap),
        cmocka_unit_test(scaling_by_powers_of_two_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
