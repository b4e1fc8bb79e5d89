/* Volumes of bounding trees: every instruction set decides and measures children with the bits of the scalar functions,
 * whatever the numbers and however many children; and what slabs call apart is apart, however the sums were rounded. */
#include "support/cmocka_includes.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "structures/bounds/bound_kernels.h"
#include "geometry/point_cases.h"

static const dent_isa isas[] = {DENT_ISA_SCALAR, DENT_ISA_AVX2, DENT_ISA_AVX512};

enum { NUMBER_KINDS = 5 };

/* Numbers that hurt: anything, a lattice where volumes touch exactly, special values, tiny and huge. */
static double make_number(dent_random *random, int kind, int exponent)
{
    switch (kind) {
    case 0:
        return random_signed_unit(random);
    case 1:
        return random_between(random, -3, 3);
    case 2:
        return random_finite(random);
    case 3:
        return ldexp(random_signed_unit(random), exponent);
    default:
        return 1e6 + random_between(random, 0, 2) + random_signed_unit(random) * 1e-10;
    }
}

static void make_volume(dent_random *random, int kind, int exponent, bool ball, struct bound_volume *volume)
{
    memset(volume, 0xFF, sizeof *volume); /* what is not a number must not matter */
    for (int i = 0; i < 6; i++) {
        volume->v[i] = make_number(random, kind, exponent);
    }
    for (int axis = 0; !ball && axis < 3; axis++) {
        double lo = fmin(volume->v[axis], volume->v[axis + 3]), hi = fmax(volume->v[axis], volume->v[axis + 3]);
        volume->v[axis] = lo;
        volume->v[axis + 3] = hi;
    }
    volume->v[3] = ball ? fabs(volume->v[3]) : volume->v[3];
}

/* Gives a ball a radius with which it touches the other, but for a few units in the last place. */
static void make_touching(dent_random *random, const struct bound_volume *other, struct bound_volume *ball)
{
    double x = ball->v[0] - other->v[0], y = ball->v[1] - other->v[1], z = ball->v[2] - other->v[2];
    double radius = sqrt(x * x + y * y + z * z) - other->v[3];
    if (radius > 0 && radius < 1e300) {
        ball->v[3] = radius * (1 + random_between(random, -16, 16) * DBL_EPSILON);
    }
}

/* One after the other: the rows of the table share their text, so none of them is the reference. */
static uint32_t plain_balls(const struct bound_volume *parts, uint32_t count, const struct bound_volume *other,
                            double lo[BOUND_KERNEL_LANES])
{
    uint32_t meet = 0;
    for (uint32_t i = 0; i < count; i++) {
        lo[i] = ball_gap(parts[i].v, other->v);
        meet |= (uint32_t)(!balls_clearly_apart(parts[i].v, other->v) && !(lo[i] > 0)) << i;
    }
    return meet;
}

static uint32_t plain_boxes(const struct bound_volume *parts, uint32_t count, const struct bound_volume *other,
                            double lo[BOUND_KERNEL_LANES])
{
    uint32_t meet = 0;
    for (uint32_t i = 0; i < count; i++) {
        lo[i] = box_gap(parts[i].v, other->v);
        meet |= (uint32_t) !(lo[i] > 0) << i;
    }
    return meet;
}

static void check_kernel(bound_kernel *kernel, bound_kernel *reference, bool ball, uint32_t *met)
{
    dent_random random = dent_random_seeded(ball ? 11 : 12);
    for (int round = 0; round < case_count(100000); round++) {
        struct bound_volume volumes[BOUND_KERNEL_LANES], other;
        double lo[BOUND_KERNEL_LANES], expected[BOUND_KERNEL_LANES];
        int kind = round % NUMBER_KINDS, exponent = random_between(&random, -1040, 1000);
        uint32_t count = 1 + dent_random_below(&random, BOUND_KERNEL_LANES);
        struct bound_volume *parts = volumes + BOUND_KERNEL_LANES - count; /* reading on would leave the array */
        make_volume(&random, kind, exponent, ball, &other);
        for (uint32_t i = 0; i < count; i++) {
            bool odd = dent_random_below(&random, 16) == 0; /* one that squares cannot bear among others */
            make_volume(&random, odd ? 3 : kind, exponent, ball, &parts[i]);
            if (ball && dent_random_below(&random, 4) == 0) {
                make_touching(&random, &other, &parts[i]);
            }
        }
        uint32_t found = kernel(parts, count, &other, lo), truth = reference(parts, count, &other, expected);
        assert_int_equal(found, truth);
        for (uint32_t i = 0; i < count; i++) {
            assert_true(!(truth >> i & 1) || memcmp(&lo[i], &expected[i], sizeof lo[i]) == 0);
            *met += truth >> i & 1;
        }
    }
}

static void every_instruction_set_judges_children_with_the_same_bits(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof isas / sizeof isas[0]; i++) {
        if (!dent_isa_available(isas[i])) {
            print_message("%s is not available here\n", dent_isa_name(isas[i]));
            continue;
        }
        const struct bound_kernels *kernels = bound_kernels_for(isas[i]);
        uint32_t met[2] = {0, 0};
        check_kernel(kernels->balls, plain_balls, true, &met[0]);
        check_kernel(kernels->boxes, plain_boxes, false, &met[1]);
        print_message("%s: %u balls and %u boxes met\n", dent_isa_name(isas[i]), met[0], met[1]);
        assert_true(met[0] > 1000 && met[1] > 1000);
    }
}

/* A segment and its middle have a point in common: their slabs must meet. Coordinates are exact, multiples of `unit`
 * below 2^53; sums of three of them are not. Often the segment is at right angles to one of the directions: then all
 * three points have the same true sum, and the roundings alone tell them apart. */
static void make_segment(dent_random *random, double unit, double ends[2][3], double middle[3])
{
    double a[3], d[3];
    int first = random_between(random, 0, 2), second = (first + 1) % 3, third = (first + 2) % 3;
    for (int axis = 0; axis < 3; axis++) {
        a[axis] = random_between(random, -1000, 1000) * ldexp(1, random_between(random, 41, 43)) +
                  random_between(random, 0, 1000);
        d[axis] = random_between(random, -1000, 1000);
    }
    double sign = dent_random_below(random, 2) ? 1 : -1;
    switch (dent_random_below(random, 3)) {
    case 0: /* at right angles to a diagonal of a side */
        d[second] = sign * d[first];
        d[third] = dent_random_below(random, 2) ? 0 : d[third];
        break;
    case 1: /* … of the cube */
        d[third] = sign * (d[first] + d[second]);
        break;
    default:
        break;
    }
    for (int axis = 0; axis < 3; axis++) {
        ends[0][axis] = (a[axis] - d[axis]) * unit;
        ends[1][axis] = (a[axis] + d[axis]) * unit;
        middle[axis] = a[axis] * unit;
    }
}

static void slabs_of_sets_with_a_common_point_meet(void **state)
{
    (void)state;
    static const uint32_t directions[2] = {4, 6};
    dent_random random = dent_random_seeded(13);
    for (int round = 0; round < case_count(200000); round++) {
        uint32_t count = directions[round & 1];
        double unit = ldexp(1, random_between(&random, -1074, 900)), slabs[2][2 * SLABS_MAX], ends[2][3], middle[3];
        for (uint32_t k = 0; k < count; k++) {
            slabs[0][k] = slabs[1][k] = INFINITY;
            slabs[0][count + k] = slabs[1][count + k] = -INFINITY;
        }
        make_segment(&random, unit, ends, middle);
        slabs_add_point(count, ends[0], slabs[0]);
        slabs_add_point(count, ends[1], slabs[0]);
        slabs_add_point(count, middle, slabs[1]);
        assert_false(slab_gap(count, slabs[0], slabs[1]) > 0);
        assert_false(slab_gap(count, slabs[1], slabs[0]) > 0);
    }
}

/* Lengths: the gap along a diagonal of two points is their distance, not more. */
static void a_slab_gap_is_a_length_and_not_above_the_distance(void **state)
{
    (void)state;
    static const uint32_t directions[2] = {4, 6};
    dent_random random = dent_random_seeded(14);
    double best[2] = {0, 0};
    for (int round = 0; round < case_count(100000); round++) {
        uint32_t count = directions[round & 1];
        double points[2][3], slabs[2][2 * SLABS_MAX];
        for (int side = 0; side < 2; side++) {
            for (uint32_t k = 0; k < count; k++) {
                slabs[side][k] = INFINITY;
                slabs[side][count + k] = -INFINITY;
            }
            for (int axis = 0; axis < 3; axis++) {
                points[side][axis] = random_signed_unit(&random);
            }
            slabs_add_point(count, points[side], slabs[side]);
        }
        double gap = slab_gap(count, slabs[0], slabs[1]), distance = distance_above(points[0], points[1]);
        assert_true(gap <= distance);
        best[round & 1] = fmax(best[round & 1], gap / distance);
    }
    assert_true(best[0] > 0.999 && best[1] > 0.999);
}

/* Sums that overflow leave slabs that say nothing. */
static void slabs_of_the_largest_numbers_are_without_limits(void **state)
{
    (void)state;
    double p[3] = {DBL_MAX, DBL_MAX, -DBL_MAX}, q[3] = {-DBL_MAX, 0, 1}, slabs[2][2 * SLABS_MAX];
    for (uint32_t count = 4; count <= 6; count += 2) {
        for (uint32_t k = 0; k < count; k++) {
            slabs[0][k] = slabs[1][k] = INFINITY;
            slabs[0][count + k] = slabs[1][count + k] = -INFINITY;
        }
        slabs_add_point(count, p, slabs[0]);
        slabs_add_point(count, q, slabs[1]);
        assert_false(slab_gap(count, slabs[0], slabs[1]) > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_instruction_set_judges_children_with_the_same_bits),
        cmocka_unit_test(slabs_of_sets_with_a_common_point_meet),
        cmocka_unit_test(a_slab_gap_is_a_length_and_not_above_the_distance),
        cmocka_unit_test(slabs_of_the_largest_numbers_are_without_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
