/* Bounds and Morton codes: closed boxes that touch meet, empty ones meet nothing and add nothing; codes interleave the
 * bits of three indices. */
#include "support/cmocka_includes.h"

#include <dent/base.h>

#include <float.h>

#include "geometry/numbers/bounds.h"
#include "base/containers/morton_code.h"

static void boxes_that_touch_meet_and_those_apart_on_one_axis_do_not(void **state)
{
    (void)state;
    for (int axis = 0; axis < 3; axis++) {
        double lo[3] = {0, 0, 0}, hi[3] = {1, 1, 1}, other_lo[3] = {0.5, 0.5, 0.5}, other_hi[3] = {2, 2, 2};
        float flo[3] = {0, 0, 0}, fhi[3] = {1, 1, 1}, fother_lo[3] = {0.5f, 0.5f, 0.5f}, fother_hi[3] = {2, 2, 2};
        for (int k = 0; k < 3; k++) {
            bool meets = k < 2;
            other_lo[axis] = k == 0 ? 0.5 : k == 1 ? 1 : nextafter(1, 2);
            fother_lo[axis] = k == 0 ? 0.5f : k == 1 ? 1 : nextafterf(1, 2);
            assert_int_equal(bounds_meet(lo, hi, other_lo, other_hi), meets);
            assert_int_equal(bounds_meet(other_lo, other_hi, lo, hi), meets);
            assert_int_equal(float_bounds_meet(flo, fhi, fother_lo, fother_hi), meets);
            assert_int_equal(float_bounds_meet(fother_lo, fother_hi, flo, fhi), meets);
        }
    }
}

static void cleared_bounds_meet_nothing_and_add_nothing(void **state)
{
    (void)state;
    double lo[3], hi[3], all_lo[3] = {-DBL_MAX, -DBL_MAX, -DBL_MAX}, all_hi[3] = {DBL_MAX, DBL_MAX, DBL_MAX};
    bounds_clear(lo, hi);
    assert_false(bounds_meet(lo, hi, all_lo, all_hi));
    assert_false(bounds_meet(lo, hi, lo, hi));
    double one_lo[3] = {1, 2, 3}, one_hi[3] = {4, 5, 6};
    bounds_add(one_lo, one_hi, lo, hi);
    bounds_add(lo, hi, one_lo, one_hi);
    const double expected[2][3] = {{1, 2, 3}, {4, 5, 6}};
    assert_memory_equal(one_lo, expected[0], sizeof one_lo);
    assert_memory_equal(one_hi, expected[1], sizeof one_hi);
    assert_memory_equal(lo, expected[0], sizeof lo);
    assert_memory_equal(hi, expected[1], sizeof hi);
    float flo[3], fhi[3];
    float_bounds_clear(flo, fhi);
    assert_false(float_bounds_meet(flo, fhi, flo, fhi));
}

static void bounds_of_vertices_are_those_of_the_listed_ones(void **state)
{
    (void)state;
    const double xyz[4][3] = {{9, 9, 9}, {1, -2, 3}, {-1, 5, 3}, {0, 0, -7}};
    const uint32_t vertices[3] = {1, 2, 3};
    double lo[3], hi[3];
    bounds_of_vertices(lo, hi, xyz, vertices, 3);
    assert_memory_equal(lo, ((const double[3]){-1, -2, -7}), sizeof lo);
    assert_memory_equal(hi, ((const double[3]){1, 5, 3}), sizeof hi);
}

static void a_morton_code_has_the_bits_of_the_indices_in_turn(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(3);
    for (int i = 0; i < 1000; i++) {
        uint32_t index[3] = {dent_random_below(&random, 1u << 21), dent_random_below(&random, 1u << 21),
                             dent_random_below(&random, 1u << 21)};
        uint64_t code = morton_code(index);
        for (int bit = 0; bit < 63; bit++) {
            assert_int_equal(code >> bit & 1, index[bit % 3] >> (bit / 3) & 1);
        }
        assert_int_equal(code >> 63, 0);
        index[1] |= UINT32_C(1) << 21; /* dropped */
        assert_int_equal(morton_code(index), code);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_that_touch_meet_and_those_apart_on_one_axis_do_not),
        cmocka_unit_test(cleared_bounds_meet_nothing_and_add_nothing),
        cmocka_unit_test(bounds_of_vertices_are_those_of_the_listed_ones),
        cmocka_unit_test(a_morton_code_has_the_bits_of_the_indices_in_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
