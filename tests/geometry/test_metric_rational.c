/* Metric results: barycentric coordinates against exact rationals, end points of crossings, separation depth,
 * closest points. They decide nothing, so they need only be accurate; but they must be finite, ordered, and the same
 * bits whichever way a pair is given. */
#include "support/cmocka_includes.h"

#include "geometry/metric/closest_points.h"
#include "geometry/numbers/vector3.h"
#include "geometry/predicates/hull_predicates.h"
#include "geometry/integer_points.h"
#include "geometry/point_cases.h"
#include "geometry/predicates/tetrahedron_predicates.h"
#include "geometry/predicates/triangle_predicates.h"

static double distance_between(const double a[3], const double b[3])
{
    double difference[3];
    vector_subtract(a, b, difference);
    return vector_length(difference);
}

static void make_points(dent_random *random, int kind, double p[][3], int count)
{
    double scale[3];
    random_axis_scales(random, scale);
    for (int k = 0; k < 3 * count; k++) {
        double *value = &p[k / 3][k % 3];
        switch (kind) {
        case 0:
            *value = random_signed_unit(random);
            break;
        case 1:
            *value = random_between(random, 0, 5) * scale[k % 3];
            break;
        case 2:
            *value = random_signed_unit(random) * scale[k % 3];
            break;
        case 3:
            *value = 1000.0 + random_signed_unit(random) * (k % 3 == 2 ? 1e-9 : 1.0);
            break;
        case 4:
            *value = dent_random_bits(random) & 1 ? random_special(random) : random_finite(random);
            break;
        default:
            *value = random_finite(random) * 0x1p-3;
            break;
        }
    }
}

enum { MAKE_KINDS = 6 };

/* ---- barycentric coordinates ----------------------------------------------------------------------------------- */

static mpz_t integer[5][3], rows[3][3], term;

static void volume(mpz_t result, const int corners[4])
{
    for (int k = 0; k < 9; k++) {
        mpz_sub(rows[k / 3][k % 3], integer[corners[k / 3 + 1]][k % 3], integer[corners[0]][k % 3]);
    }
    mpz_set_ui(result, 0);
    for (int k = 0; k < 3; k++) {
        mpz_mul(term, rows[0][k], rows[1][(k + 1) % 3]);
        mpz_addmul(result, term, rows[2][(k + 2) % 3]);
        mpz_mul(term, rows[0][k], rows[1][(k + 2) % 3]);
        mpz_submul(result, term, rows[2][(k + 1) % 3]);
    }
}

static double exact_ratio(const mpz_t numerator, const mpz_t denominator)
{
    mpq_t ratio;
    mpq_init(ratio);
    mpz_set(mpq_numref(ratio), numerator);
    mpz_set(mpq_denref(ratio), denominator);
    mpq_canonicalize(ratio);
    double result = mpq_get_d(ratio);
    mpq_clear(ratio);
    return result;
}

static void barycentric_coordinates_are_weights(void **state)
{
    (void)state;
    mpz_t part, whole;
    mpz_inits(part, whole, term, NULL);
    for (int k = 0; k < 15; k++) {
        mpz_init(integer[k / 3][k % 3]);
    }
    for (int k = 0; k < 9; k++) {
        mpz_init(rows[k / 3][k % 3]);
    }
    dent_random random = dent_random_seeded(401);
    int inside = 0;
    double worst_sum = 0.0;
    for (int n = 0; n < 60000; n++) {
        double p[5][3], out[4];
        make_points(&random, n % MAKE_KINDS, p, 5);
        if (n % 3 == 0 && n % MAKE_KINDS < 4) { /* surely inside or nearly so */
            double weights[4] = {dent_random_unit(&random), dent_random_unit(&random), dent_random_unit(&random), 1e-9};
            double sum = weights[0] + weights[1] + weights[2] + weights[3];
            for (int axis = 0; axis < 3; axis++) {
                p[0][axis] = 0.0;
                for (int k = 0; k < 4; k++) {
                    p[0][axis] += weights[k] / sum * p[k + 1][axis];
                }
            }
        }
        const double *const t[4] = {p[1], p[2], p[3], p[4]};
        barycentric_coordinates(p[0], t, out);
        for (int k = 0; k < 4; k++) {
            assert_true(isfinite(out[k]));
        }
        predicate_counters counters = {0};
        if (!vertex_in_tetrahedron(p[0], t[0], t[1], t[2], t[3], &counters)) {
            continue;
        }
        inside++;
        double sum = (out[0] + out[1]) + (out[2] + out[3]);
        worst_sum = fabs(sum - 1.0) > worst_sum ? fabs(sum - 1.0) : worst_sum;
        const double *const points[5] = {p[0], p[1], p[2], p[3], p[4]};
        set_integer_points(integer, points, 5);
        volume(whole, (const int[4]){1, 2, 3, 4});
        for (int k = 0; k < 4; k++) {
            int corners[4] = {1, 2, 3, 4};
            corners[k] = 0;
            volume(part, corners);
            double exact = exact_ratio(part, whole);
            assert_true(out[k] >= 0.0);
            assert_true(fabs(out[k] - exact) <= 4e-6 * exact + 0x1p-900);
        }
    }
    print_message("%d points inside; the sum differs from 1 by at most %g\n", inside, worst_sum);
    assert_true(inside > 5000);
    assert_true(worst_sum <= 4.0 * DBL_EPSILON);
    mpz_clears(part, whole, NULL);
}

static void a_flat_tetrahedron_has_equal_weights(void **state)
{
    (void)state;
    const double o[3] = {0, 0, 0}, x[3] = {1, 0, 0}, y[3] = {0, 1, 0}, xy[3] = {1, 1, 0}, p[3] = {0.5, 0.25, 0};
    const double *const flat[4] = {o, x, y, xy};
    double out[4];
    barycentric_coordinates(p, flat, out);
    for (int k = 0; k < 4; k++) {
        assert_true(out[k] == 0.25);
    }
}

/* ---- the common segment ---------------------------------------------------------------------------------------- */

static bool in_box(const double p[3], const double *const triangle[3])
{
    const double *const point[1] = {p};
    return !boxes_are_apart(point, 1, triangle, 3);
}

static void end_points_are_finite_ordered_in_both_boxes_and_symmetric(void **state)
{
    (void)state;
    static const int permutations[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    dent_random random = dent_random_seeded(402);
    int crossing = 0, points = 0;
    for (int n = 0; n < 60000; n++) {
        double p[6][3];
        make_points(&random, n % MAKE_KINDS, p, 6);
        if (n % 5 == 0) { /* a segment */
            memcpy(p[2], p[random_between(&random, 0, 1)], sizeof p[0]);
        }
        const double *const a[3] = {p[0], p[1], p[2]}, *const b[3] = {p[3], p[4], p[5]};
        predicate_counters counters = {0};
        double ends[2][3], again[2][3];
        common_segment(a, b, ends[0], ends[1]);
        for (int k = 0; k < 6; k++) {
            assert_true(isfinite(ends[k / 3][k % 3]));
        }
        if (triangle_versus_triangle(a, b, &counters) != FACE_PAIR_CROSSING) {
            continue;
        }
        crossing++;
        points += compare_points(ends[0], ends[1]) == 0;
        assert_true(compare_points(ends[0], ends[1]) <= 0);
        for (int k = 0; k < 2; k++) {
            assert_true(in_box(ends[k], a) && in_box(ends[k], b));
        }
        const int *i = permutations[random_between(&random, 0, 5)], *j = permutations[random_between(&random, 0, 5)];
        const double *const a_again[3] = {a[i[0]], a[i[1]], a[i[2]]}, *const b_again[3] = {b[j[0]], b[j[1]], b[j[2]]};
        common_segment(b_again, a_again, again[0], again[1]);
        assert_memory_equal(ends, again, sizeof ends);
    }
    print_message("%d crossings, %d of them points\n", crossing, points);
    assert_true(crossing > 2000 && points > 200);
}

/* Triangles of ordinary size: the ends lie on both triangles, and half a unit beyond either end does not. */
static void end_points_are_the_ends_of_the_common_segment(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(403);
    int checked = 0;
    for (int n = 0; n < 40000; n++) {
        double p[6][3], ends[2][3], nearest[3];
        make_points(&random, 0, p, 6);
        const double *const a[3] = {p[0], p[1], p[2]}, *const b[3] = {p[3], p[4], p[5]};
        predicate_counters counters = {0};
        if (triangle_versus_triangle(a, b, &counters) != FACE_PAIR_CROSSING) {
            continue;
        }
        common_segment(a, b, ends[0], ends[1]);
        double length = distance_between(ends[0], ends[1]);
        if (length < 1e-3) {
            continue;
        }
        checked++;
        for (int k = 0; k < 2; k++) {
            assert_true(distance_to_triangle(ends[k], a, nearest) < 1e-11);
            assert_true(distance_to_triangle(ends[k], b, nearest) < 1e-11);
            double beyond[3];
            for (int axis = 0; axis < 3; axis++) {
                beyond[axis] = ends[k][axis] + (ends[k][axis] - ends[1 - k][axis]) / length * 1e-4;
            }
            double from_a = distance_to_triangle(beyond, a, nearest), from_b = distance_to_triangle(beyond, b, nearest);
            assert_true((from_a > from_b ? from_a : from_b) > 1e-8);
        }
    }
    print_message("%d segments\n", checked);
    assert_true(checked > 2000);
}

/* ---- separation depth ------------------------------------------------------------------------------------------ */

static void the_depth_of_known_pairs_is_known(void **state)
{
    (void)state;
    const double a0[3] = {-5, -5, 0}, a1[3] = {5, -5, 0}, a2[3] = {0, 9, 0};
    const double b0[3] = {-1, 0, -0.25}, b1[3] = {1, 0, -0.25}, b2[3] = {0, 0, 3};
    const double *const a[3] = {a0, a1, a2}, *const b[3] = {b0, b1, b2};
    assert_true(fabs(triangle_separation_depth(a, b) - 0.25) < 1e-15);
    assert_true(triangle_separation_depth(a, a) == 0.0); /* one plane */
    const double c0[3] = {-1, 0, 1}, c1[3] = {1, 0, 1}, c2[3] = {0, 0, 3};
    const double *const c[3] = {c0, c1, c2};
    assert_true(triangle_separation_depth(a, c) == 0.0); /* apart */
    const double *const segment[3] = {b0, b2, b2}, *const point[3] = {b0, b0, b0};
    assert_true(fabs(triangle_separation_depth(a, segment) - 0.25) < 1e-15);
    assert_true(triangle_separation_depth(point, point) == 0.0);
}

static void the_depth_is_finite_symmetric_and_scales(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(404);
    for (int n = 0; n < 30000; n++) {
        double p[6][3];
        make_points(&random, n % MAKE_KINDS, p, 6);
        const double *const a[3] = {p[0], p[1], p[2]}, *const b[3] = {p[3], p[4], p[5]};
        const double *const rotated[3] = {p[2], p[0], p[1]};
        double depth = triangle_separation_depth(a, b), other = triangle_separation_depth(b, rotated);
        assert_true(isfinite(depth) && depth >= 0.0);
        assert_true(depth == other);
        if (n % MAKE_KINDS == 0) {
            for (int k = 0; k < 18; k++) {
                p[k / 3][k % 3] = ldexp(p[k / 3][k % 3], 700);
            }
            assert_true(triangle_separation_depth(a, b) == ldexp(depth, 700));
        }
    }
}

/* Triangles that cross still meet after any shorter move. */
static void no_shorter_move_separates(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(405);
    int checked = 0;
    for (int n = 0; n < 40000; n++) {
        double p[6][3], direction[3], length = 0.0;
        make_points(&random, 0, p, 6);
        const double *const a[3] = {p[0], p[1], p[2]}, *const b[3] = {p[3], p[4], p[5]};
        predicate_counters counters = {0};
        double depth = triangle_separation_depth(a, b);
        if (triangle_versus_triangle(a, b, &counters) != FACE_PAIR_CROSSING) {
            assert_true(depth < 1e-12);
            continue;
        }
        assert_true(depth > 0.0);
        for (int axis = 0; axis < 3; axis++) {
            direction[axis] = random_signed_unit(&random);
            length += direction[axis] * direction[axis];
        }
        for (int k = 0; k < 9; k++) {
            p[k / 3][k % 3] += direction[k % 3] / sqrt(length) * (depth * 0.999999 - 1e-12);
        }
        assert_true(triangles_meet(a, b, &counters));
        checked++;
    }
    assert_true(checked > 2000);
}

/* ---- closest points -------------------------------------------------------------------------------------------- */

static void no_point_of_the_triangle_is_closer(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(406);
    for (int n = 0; n < 30000; n++) {
        double p[4][3], closest[3];
        int kind = n % 4;
        make_points(&random, kind == 2 ? 0 : kind, p, 4);
        if (n % 5 == 0) { /* slivers and segments */
            for (int axis = 0; axis < 3; axis++) {
                p[3][axis] = p[1][axis] + 0.375 * (p[2][axis] - p[1][axis]);
            }
        }
        const double *const triangle[3] = {p[1], p[2], p[3]};
        double distance = distance_to_triangle(p[0], triangle, closest), size = distance;
        for (int k = 0; k < 9; k++) {
            double extent = fabs(p[1 + k / 3][k % 3] - p[0][k % 3]);
            size = extent > size ? extent : size;
        }
        double rounding = (kind == 3 ? 1e-12 : 0.0) + 1e-14 * size + 0x1p-1070; /* the last: subnormal results */
        assert_true(in_box(closest, triangle));
        assert_true(fabs(distance_between(p[0], closest) - distance) <= rounding);
        for (int m = 0; m < 20; m++) {
            double s = random_between(&random, 0, 8) / 8.0, t = random_between(&random, 0, 8) / 8.0, sample[3];
            s = s + t > 1.0 ? 1.0 - s : s;
            t = s + t > 1.0 ? 1.0 - t : t;
            for (int axis = 0; axis < 3; axis++) {
                sample[axis] = (1.0 - s - t) * p[1][axis] + s * p[2][axis] + t * p[3][axis];
            }
            assert_true(s + t > 1.0 || distance_between(p[0], sample) >= distance - rounding);
        }
    }
}

static void known_closest_points_are_found(void **state)
{
    (void)state;
    const double a[3] = {0, 0, 0}, b[3] = {4, 0, 0}, c[3] = {0, 4, 0};
    const double *const triangle[3] = {a, b, c};
    const struct {
        double p[3], closest[3], distance;
    } cases[] = {
        {{1, 1, 3}, {1, 1, 0}, 3},  {{-1, -2, 2}, {0, 0, 0}, 3},     {{5, -1, 0}, {4, 0, 0}, sqrt(2)},
        {{2, -3, 4}, {2, 0, 0}, 5}, {{3, 3, 0}, {2, 2, 0}, sqrt(2)}, {{-2, 1, 0}, {0, 1, 0}, 2},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        double closest[3];
        assert_true(fabs(distance_to_triangle(cases[k].p, triangle, closest) - cases[k].distance) < 1e-14);
        assert_true(distance_between(closest, cases[k].closest) < 1e-15);
    }
}

static void closest_points_are_finite_for_any_input(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(407);
    for (int n = 0; n < 30000; n++) {
        double p[4][3], closest[3];
        make_points(&random, n % MAKE_KINDS, p, 4);
        const double *const triangle[3] = {p[1], p[2], p[3]};
        double distance = distance_to_triangle(p[0], triangle, closest);
        assert_true(isfinite(distance) && distance >= 0.0 && in_box(closest, triangle));
        const double *const segment[3] = {p[1], p[2], p[2]};
        distance = distance_to_triangle(p[0], segment, closest);
        assert_true(isfinite(distance) && distance >= 0.0 && in_box(closest, segment));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(barycentric_coordinates_are_weights),
        cmocka_unit_test(a_flat_tetrahedron_has_equal_weights),
        cmocka_unit_test(end_points_are_finite_ordered_in_both_boxes_and_symmetric),
        cmocka_unit_test(end_points_are_the_ends_of_the_common_segment),
        cmocka_unit_test(the_depth_of_known_pairs_is_known),
        cmocka_unit_test(the_depth_is_finite_symmetric_and_scales),
        cmocka_unit_test(no_shorter_move_separates),
        cmocka_unit_test(no_point_of_the_triangle_is_closer),
        cmocka_unit_test(known_closest_points_are_found),
        cmocka_unit_test(closest_points_are_finite_for_any_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
