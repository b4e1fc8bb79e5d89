/* Every row of copy_positions: the same numbers, the same bounds as a plain loop, and no number that is not finite gets
 * by, wherever it stands. */
#include "support/cmocka_includes.h"

#include <math.h>
#include <string.h>

#include "bodies/copy_positions.h"

enum { VERTICES_MAX = 41 };

static const dent_isa all_isas[] = {DENT_ISA_SCALAR, DENT_ISA_AVX2, DENT_ISA_AVX512};

static void fill(double (*xyz)[3], uint32_t count, uint32_t seed)
{
    for (uint32_t i = 0; i < 3 * count; i++) {
        seed = seed * 1664525u + 1013904223u;
        xyz[i / 3][i % 3] = ((double)seed - 2147483648.0) * (i % 7 == 0 ? 1e150 : 1.0);
    }
}

static void copies_and_bounds_are_those_of_a_plain_loop(void **state)
{
    (void)state;
    unsigned char odd[VERTICES_MAX * 24 + 1];
    double xyz[VERTICES_MAX][3], copy[VERTICES_MAX + 1][3], lo[3], hi[3];
    for (size_t row = 0; row < sizeof all_isas / sizeof all_isas[0]; row++) {
        if (!dent_isa_available(all_isas[row])) {
            continue;
        }
        dent_isa isa = all_isas[row];
        for (uint32_t count = 0; count <= VERTICES_MAX; count++) {
            fill(xyz, count, count);
            memcpy(odd + 1, xyz, count * sizeof xyz[0]);
            memset(copy, 0x55, sizeof copy);
            assert_true(copy_positions_for(isa)(odd + 1, count, copy, lo, hi));
            assert_memory_equal(copy, xyz, count * sizeof xyz[0]);
            assert_int_equal(((unsigned char *)copy[count])[0], 0x55); /* nothing behind the last */
            for (int axis = 0; axis < 3; axis++) {
                double least = INFINITY, most = -INFINITY;
                for (uint32_t vertex = 0; vertex < count; vertex++) {
                    least = fmin(least, xyz[vertex][axis]);
                    most = fmax(most, xyz[vertex][axis]);
                }
                assert_true(lo[axis] == least && hi[axis] == most);
            }
        }
    }
}

static void a_number_that_is_not_finite_is_seen_at_every_place(void **state)
{
    (void)state;
    const double bad[] = {NAN, INFINITY, -INFINITY};
    double xyz[VERTICES_MAX][3], copy[VERTICES_MAX][3], lo[3], hi[3];
    for (size_t row = 0; row < sizeof all_isas / sizeof all_isas[0]; row++) {
        if (!dent_isa_available(all_isas[row])) {
            continue;
        }
        for (uint32_t count = 1; count <= VERTICES_MAX; count++) {
            for (uint32_t place = 0; place < 9 * count; place++) {
                fill(xyz, count, count);
                xyz[place / 9][place / 3 % 3] = bad[place % 3];
                assert_false(copy_positions_for(all_isas[row])(xyz, count, copy, lo, hi));
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_and_bounds_are_those_of_a_plain_loop),
        cmocka_unit_test(a_number_that_is_not_finite_is_seen_at_every_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
