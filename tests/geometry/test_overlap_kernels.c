/* Signs that floats and doubles tell before anything exact is asked: where they are told they are the exact ones,
 * whatever the exponents. */
#include "support/cmocka_includes.h"

#include "geometry/predicates/kernels/overlap_kernels.h"
#include "geometry/predicates/orientation_predicates.h"
#include "geometry/point_cases.h"
#include "support/test_context.h"

enum { CELLS = 8, POINTS = 12 };

/* Readable 8 bytes past the last coordinate. */
struct points {
    double xyz[POINTS + 1][3];
};

/* Small coordinates, scaled so that products of three (all alike, or one axis more and another less) are at the ends of
 * the range of doubles; or any doubles. */
static void draw_points(struct points *points, dent_random *random)
{
    static const int ends[4] = {1022, -1022, -1074, -900};
    int sum = ends[dent_random_below(random, 4)] + random_between(random, -9, 3);
    int spread = random_between(random, 0, 1) ? random_between(random, -300, 300) : 0;
    const int exponents[3] = {sum / 3 + spread, sum / 3 - spread, sum - 2 * (sum / 3)};
    bool any = dent_random_below(random, 4) == 0, lattice = dent_random_below(random, 2) == 0;
    for (int i = 0; i <= POINTS; i++) {
        for (int axis = 0; axis < 3; axis++) {
            double x = lattice ? (double)random_between(random, -3, 3) : 3 * random_signed_unit(random);
            points->xyz[i][axis] = any ? random_finite(random) : ldexp(x, exponents[axis]);
        }
    }
}

static void draw_cells(uint32_t cells[CELLS][4], dent_random *random)
{
    for (int i = 0; i < 4 * CELLS; i++) {
        bool repeated;
        do {
            repeated = false;
            cells[i / 4][i % 4] = dent_random_below(random, POINTS);
            for (int k = i / 4 * 4; k < i; k++) {
                repeated |= cells[k / 4][k % 4] == cells[i / 4][i % 4];
            }
        } while (repeated);
    }
}

static void told_orientations_are_exact_at_any_magnitudes(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(15);
    uint64_t told = 0, open = 0;
    for (uint64_t round = 0; round < test_count(2000, 20000, 400000); round++) {
        struct points points;
        uint32_t cells[CELLS][4];
        int8_t signs[CELLS], same[CELLS];
        draw_points(&points, &random);
        draw_cells(cells, &random);
        const double(*xyz)[3] = (const double(*)[3])points.xyz;
        overlap_kernels_scalar.orientations(xyz, (const uint32_t(*)[4])cells, CELLS, signs);
#if defined(__x86_64__)
        if (dent_isa_available(DENT_ISA_AVX2)) {
            overlap_kernels_avx2.orientations(xyz, (const uint32_t(*)[4])cells, CELLS, same);
            assert_memory_equal(signs, same, sizeof signs);
        }
#else
        (void)same;
#endif
        for (int i = 0; i < CELLS; i++) {
            const uint32_t *c = cells[i];
            assert_true(signs[i] == 0 || signs[i] == orientation_3d(xyz[c[0]], xyz[c[1]], xyz[c[2]], xyz[c[3]]));
            told += signs[i] != 0;
            open += signs[i] == 0;
        }
    }
    printf("%llu signs told, %llu left open\n", (unsigned long long)told, (unsigned long long)open);
    assert_true(told > open / 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(told_orientations_are_exact_at_any_magnitudes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
