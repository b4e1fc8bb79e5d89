/* Orientation signs against GMP integers: ten million cases in space (random, nearly degenerate, exactly degenerate,
 * lattices, every exponent), fewer in the plane and for sums. The reference expands the 4x4 determinant of
 * homogeneous coordinates instead of the 3x3 determinant of differences. */
#include "support/cmocka_includes.h"

#include "geometry/integer_points.h"
#include "geometry/predicates/orientation_predicates.h"
#include "geometry/point_cases.h"

static mpz_t integer[16][3], one_term, product, sum_of_terms, pair_terms[6];

static void initialise_integers(void)
{
    for (int k = 0; k < 16; k++) {
        mpz_inits(integer[k][0], integer[k][1], integer[k][2], NULL);
    }
    for (int k = 0; k < 6; k++) {
        mpz_init(pair_terms[k]);
    }
    mpz_inits(one_term, product, sum_of_terms, NULL);
}

/* x_i y_j - x_j y_i of two points. */
static void pair_determinant(mpz_t result, mpz_t p[3], mpz_t q[3])
{
    mpz_mul(result, p[0], q[1]);
    mpz_submul(result, p[1], q[0]);
}

/* |a b c d| with rows (1, x, y, z), by Laplace expansion along the columns (x, y) and (1, z). Equals det[b-a, c-a,
 * d-a]. */
static void homogeneous_determinant(mpz_t result, mpz_t (*p)[3])
{
    static const int pairs[6][4] = {{0, 1, 2, 3}, {0, 2, 1, 3}, {0, 3, 1, 2}, {1, 2, 0, 3}, {1, 3, 0, 2}, {2, 3, 0, 1}};
    static const int signs[6] = {1, -1, 1, 1, -1, 1};
    mpz_set_ui(result, 0);
    for (int k = 0; k < 6; k++) {
        pair_determinant(one_term, p[pairs[k][0]], p[pairs[k][1]]);
        mpz_sub(product, p[pairs[k][3]][2], p[pairs[k][2]][2]);
        mpz_mul(one_term, one_term, product);
        if (signs[k] > 0) {
            mpz_add(result, result, one_term);
        } else {
            mpz_sub(result, result, one_term);
        }
    }
}

static int reference_3d(const double *const points[4])
{
    set_integer_points(integer, points, 4);
    homogeneous_determinant(sum_of_terms, integer);
    return mpz_sgn(sum_of_terms);
}

/* a x b + b x c + c x a */
static void plane_determinant(mpz_t result, mpz_t (*p)[3], int i, int j)
{
    mpz_set_ui(result, 0);
    for (int k = 0; k < 3; k++) {
        mpz_addmul(result, p[k][i], p[(k + 1) % 3][j]);
        mpz_submul(result, p[k][j], p[(k + 1) % 3][i]);
    }
}

enum {
    CASE_UNIFORM,
    CASE_SMALL_LATTICE,
    CASE_SCALED_LATTICE_IN_PLANE,
    CASE_NEAR_PLANE,
    CASE_ANY_EXPONENT,
    CASE_SPECIAL_VALUES,
    CASE_FLOATS_OFFSET,
    CASE_REPEATED,
    CASE_ALMOST_IN_PLANE,
    CASE_KINDS
};

static const char *const case_names[CASE_KINDS] = {"uniform",        "small lattice",        "in plane, scaled",
                                                   "near a plane",   "any exponent",         "special values",
                                                   "floats, offset", "repeated, axis plane", "a hair off a plane"};

/* Exponents that differ by two thousand take both sides a hundred times as long as ordinary ones. In the default tier
 * they are a tenth of the cases; DENT_LONG_TESTS draws more of them and gives every kind the same share. */
static int kind_of_case(int n)
{
    static const unsigned char turns[20] = {
        CASE_UNIFORM,    CASE_SMALL_LATTICE,   CASE_SCALED_LATTICE_IN_PLANE, CASE_NEAR_PLANE,      CASE_FLOATS_OFFSET,
        CASE_REPEATED,   CASE_NEAR_PLANE,      CASE_SCALED_LATTICE_IN_PLANE, CASE_NEAR_PLANE,      CASE_ANY_EXPONENT,
        CASE_UNIFORM,    CASE_SMALL_LATTICE,   CASE_SCALED_LATTICE_IN_PLANE, CASE_NEAR_PLANE,      CASE_FLOATS_OFFSET,
        CASE_NEAR_PLANE, CASE_ALMOST_IN_PLANE, CASE_SCALED_LATTICE_IN_PLANE, CASE_ALMOST_IN_PLANE, CASE_SPECIAL_VALUES};
    return getenv("DENT_LONG_TESTS") != NULL ? n % CASE_KINDS : turns[n % 20];
}

/* A determinant some 2^-20 to 2^-130 of the size of its terms: neither doubles nor short integers see its sign, and pairs
 * of doubles only where it is one of the larger ones. The axes have scales of their own, from 2^-1070 to 2^250. */
static void fill_almost_in_plane(dent_random *random, double p[4][3])
{
    double weights[2] = {random_between(random, -1, 1), random_between(random, -1, 1)};
    int fine = random_between(random, 0, 2);
    for (int axis = 0; axis < 3; axis++) {
        for (int k = 0; k < 3; k++) {
            p[k][axis] =
                (double)((int64_t)(dent_random_bits(random) >> 14) - (INT64_C(1) << 49)); /* products fill a pair */
        }
        p[3][axis] = p[0][axis] + weights[0] * (p[1][axis] - p[0][axis]) + weights[1] * (p[2][axis] - p[0][axis]);
    }
    double middle = p[3][fine]; /* moved to 0, where doubles are finest */
    for (int k = 0; k < 4; k++) {
        p[k][fine] -= middle;
    }
    p[3][fine] = ldexp(random_between(random, -1, 1), -random_between(random, -30, 80));
    for (int axis = 0; axis < 3; axis++) {
        int exponent =
            random_between(random, 0, 3) == 0 ? random_between(random, -1070, -700) : random_between(random, 200, 250);
        for (int k = 0; k < 4; k++) {
            p[k][axis] = ldexp(p[k][axis], exponent);
        }
    }
}

static void fill_case(dent_random *random, int kind, double p[4][3])
{
    double scale[3], weights[2];
    switch (kind) {
    case CASE_UNIFORM:
        for (int k = 0; k < 12; k++) {
            p[k / 3][k % 3] = random_signed_unit(random);
        }
        break;
    case CASE_SMALL_LATTICE:
        for (int k = 0; k < 12; k++) {
            p[k / 3][k % 3] = random_between(random, -2, 2);
        }
        break;
    case CASE_SCALED_LATTICE_IN_PLANE: { /* d on the plane of a, b, c, or one step off it; then the axes are scaled */
        random_axis_scales(random, scale);
        int range = 1 << random_between(random, 1, 14), step = random_between(random, -1, 1);
        weights[0] = random_between(random, -4, 4);
        weights[1] = random_between(random, -4, 4);
        for (int axis = 0; axis < 3; axis++) {
            for (int k = 0; k < 3; k++) {
                p[k][axis] = random_between(random, -range, range);
            }
            p[3][axis] = p[0][axis] + weights[0] * (p[1][axis] - p[0][axis]) + weights[1] * (p[2][axis] - p[0][axis]);
        }
        p[3][random_between(random, 0, 2)] += step;
        for (int k = 0; k < 12; k++) {
            p[k / 3][k % 3] *= scale[k % 3];
        }
        break;
    }
    case CASE_NEAR_PLANE:
        weights[0] = random_signed_unit(random);
        weights[1] = random_signed_unit(random);
        for (int axis = 0; axis < 3; axis++) {
            double offset = random_between(random, 0, 3) == 0 ? 100.0 : 0.0;
            for (int k = 0; k < 3; k++) {
                p[k][axis] = offset + random_signed_unit(random);
            }
            p[3][axis] = p[0][axis] + weights[0] * (p[1][axis] - p[0][axis]) + weights[1] * (p[2][axis] - p[0][axis]);
            p[3][axis] = nudged(random, p[3][axis], 3);
        }
        break;
    case CASE_ANY_EXPONENT:
        for (int k = 0; k < 12; k++) {
            p[k / 3][k % 3] = random_finite(random);
        }
        break;
    case CASE_SPECIAL_VALUES:
        for (int k = 0; k < 12; k++) {
            p[k / 3][k % 3] = random_special(random);
        }
        break;
    case CASE_ALMOST_IN_PLANE:
        fill_almost_in_plane(random, p);
        break;
    case CASE_FLOATS_OFFSET:
        for (int axis = 0; axis < 3; axis++) {
            float offset = (float)random_between(random, -1000, 1000);
            for (int k = 0; k < 4; k++) {
                p[k][axis] = offset + (float)random_signed_unit(random) * 0x1p-12f;
            }
        }
        break;
    default:
        for (int k = 0; k < 12; k++) {
            p[k / 3][k % 3] = dent_random_bits(random) & 1 ? random_signed_unit(random) : random_special(random);
        }
        if (dent_random_bits(random) & 1) {
            memcpy(p[random_between(random, 1, 3)], p[0], sizeof p[0]);
        } else {
            int axis = random_between(random, 0, 2);
            p[1][axis] = p[2][axis] = p[3][axis] = p[0][axis];
        }
        break;
    }
    for (int k = 0; k < 3; k++) { /* any order of points */
        int other = random_between(random, k, 3);
        double swapped[3];
        memcpy(swapped, p[k], sizeof swapped);
        memcpy(p[k], p[other], sizeof swapped);
        memcpy(p[other], swapped, sizeof swapped);
    }
}

static void report_difference(const double p[4][3], int count, int expected, int found)
{
    print_message("expected %d, found %d for\n", expected, found);
    for (int k = 0; k < count; k++) {
        print_message("  %a %a %a\n", p[k][0], p[k][1], p[k][2]);
    }
}

static void millions_of_orientations_have_the_exact_sign(void **state)
{
    (void)state;
    int cases = getenv("DENT_QUICK_TESTS") != NULL ? 500000 : getenv("DENT_LONG_TESTS") != NULL ? 10000000 : 3000000;
    uint64_t signs[CASE_KINDS][3] = {{0}}, fallbacks[CASE_KINDS] = {0};
    dent_random random = dent_random_seeded(20240901);
    for (int n = 0; n < cases; n++) {
        int kind = kind_of_case(n);
        double p[4][3];
        fill_case(&random, kind, p);
        const double *const points[4] = {p[0], p[1], p[2], p[3]};
        predicate_counters counters = {0};
        int expected = reference_3d(points);
        int found = orientation_3d_counted(p[0], p[1], p[2], p[3], &counters);
        if (expected != found) {
            report_difference(p, 4, expected, found);
            fail();
        }
        signs[kind][expected + 1]++;
        fallbacks[kind] += counters.exact_fallbacks;
    }
    for (int kind = 0; kind < CASE_KINDS; kind++) {
        print_message("%-22s negative %8llu  zero %8llu  positive %8llu  by integers %8llu\n", case_names[kind],
                      (unsigned long long)signs[kind][0], (unsigned long long)signs[kind][1],
                      (unsigned long long)signs[kind][2], (unsigned long long)fallbacks[kind]);
    }
}

static void orientations_in_the_plane_have_the_exact_sign(void **state)
{
    (void)state;
    uint64_t signs[3] = {0};
    dent_random random = dent_random_seeded(7);
    for (int n = 0; n < 1000000; n++) {
        double p[4][3];
        fill_case(&random, kind_of_case(n), p);
        int i = random_between(&random, 0, 2), j = (i + random_between(&random, 1, 2)) % 3;
        if (n % 3 == 0) { /* on a line, or one step off it */
            int weight = random_between(&random, -3, 3);
            for (int axis = 0; axis < 3; axis++) {
                p[0][axis] = random_between(&random, -9, 9);
                p[1][axis] = random_between(&random, -9, 9);
                p[2][axis] = p[0][axis] + weight * (p[1][axis] - p[0][axis]);
            }
            p[2][i] += random_between(&random, -1, 1);
            double scale[3];
            random_axis_scales(&random, scale);
            for (int k = 0; k < 9; k++) {
                p[k / 3][k % 3] *= scale[k % 3];
            }
        }
        if (n % 3 == 1) { /* on a line up to rounding */
            double weight = random_signed_unit(&random), offset = n % 2 == 0 ? 8.0 : 0.0;
            for (int axis = 0; axis < 3; axis++) {
                p[0][axis] = random_signed_unit(&random) + offset;
                p[1][axis] = random_signed_unit(&random) + offset;
                p[2][axis] = nudged(&random, p[0][axis] + weight * (p[1][axis] - p[0][axis]), 2);
            }
        }
        const double *const points[3] = {p[0], p[1], p[2]};
        set_integer_points(integer, points, 3);
        plane_determinant(sum_of_terms, integer, i, j);
        int expected = mpz_sgn(sum_of_terms), found = orientation_2d(p[0], p[1], p[2], i, j);
        if (expected != found) {
            report_difference(p, 3, expected, found);
            fail();
        }
        signs[expected + 1]++;
    }
    print_message("plane: negative %llu  zero %llu  positive %llu\n", (unsigned long long)signs[0],
                  (unsigned long long)signs[1], (unsigned long long)signs[2]);
    assert_true(signs[0] > 100000 && signs[1] > 100000 && signs[2] > 100000);
}

/* Half of the sums are made of opposite terms, so that they vanish or nearly do. */
static void sums_of_orientations_have_the_exact_sign(void **state)
{
    (void)state;
    uint64_t signs[2][3] = {{0}};
    mpz_t total;
    mpz_init(total);
    dent_random random = dent_random_seeded(11);
    for (int n = 0; n < 100000; n++) {
        double p[4][4][3];
        const double *points[4][4], *flat[16], *triangles[4][3];
        int count = random_between(&random, 1, 4), kind = random_between(&random, 0, CASE_KINDS - 1);
        for (int k = 0; k < count; k++) {
            fill_case(&random, kind, p[k]);
            if (k % 2 == 1 && n % 2 == 0) { /* the same simplex turned over, sometimes moved by a rounding error */
                memcpy(p[k][0], p[k - 1][1], sizeof p[k][0]);
                memcpy(p[k][1], p[k - 1][0], sizeof p[k][0]);
                memcpy(p[k][2], p[k - 1][2], 2 * sizeof p[k][0]);
                double *moved = &p[k][random_between(&random, 0, 3)][random_between(&random, 0, 2)];
                *moved = nudged(&random, *moved, 1);
            }
            for (int corner = 0; corner < 4; corner++) {
                points[k][corner] = flat[4 * k + corner] = p[k][corner];
            }
            memcpy(triangles[k], points[k], sizeof triangles[k]);
        }
        set_integer_points(integer, flat, 4 * count);
        mpz_set_ui(total, 0);
        for (int k = 0; k < count; k++) {
            homogeneous_determinant(sum_of_terms, integer + 4 * k);
            mpz_add(total, total, sum_of_terms);
        }
        assert_int_equal(orientation_3d_sum_sign(points, count), mpz_sgn(total));
        signs[0][mpz_sgn(total) + 1]++;

        int i = random_between(&random, 0, 2), j = (i + 1) % 3;
        mpz_set_ui(total, 0);
        for (int k = 0; k < count; k++) {
            plane_determinant(sum_of_terms, integer + 4 * k, i, j);
            mpz_add(total, total, sum_of_terms);
        }
        assert_int_equal(orientation_2d_sum_sign(triangles, count, i, j), mpz_sgn(total));
        signs[1][mpz_sgn(total) + 1]++;
    }
    for (int k = 0; k < 2; k++) {
        print_message("sums in %s: negative %llu  zero %llu  positive %llu\n", k == 0 ? "space" : "the plane",
                      (unsigned long long)signs[k][0], (unsigned long long)signs[k][1],
                      (unsigned long long)signs[k][2]);
        assert_true(signs[k][0] > 1000 && signs[k][1] > 1000 && signs[k][2] > 1000);
    }
    mpz_clear(total);
}

static void a_positive_cell_is_positive(void **state)
{
    (void)state;
    const double o[3] = {0, 0, 0}, x[3] = {1, 0, 0}, y[3] = {0, 1, 0}, z[3] = {0, 0, 1};
    assert_int_equal(orientation_3d(o, x, y, z), 1);
    assert_int_equal(orientation_3d(o, y, x, z), -1);
    assert_int_equal(orientation_2d(o, x, y, 0, 1), 1);
    assert_int_equal(orientation_2d(o, y, x, 0, 1), -1);
}

static void points_of_an_axis_plane_do_not_need_integers(void **state)
{
    (void)state;
    const double p[4][3] = {{0.1, 0.7, 0.3}, {0.9, 0.2, 0.3}, {0.4, 0.45, 0.3}, {0.3, 0.8, 0.3}};
    predicate_counters counters = {0};
    assert_int_equal(orientation_3d_counted(p[0], p[1], p[2], p[3], &counters), 0);
    assert_int_equal(counters.exact_fallbacks, 0);
    const double q[3] = {0.3, 0.8, nextafter(0.3, 1.0)};
    assert_int_not_equal(orientation_3d_counted(p[0], p[1], p[2], q, &counters), 0);
}

int main(void)
{
    initialise_integers();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_positive_cell_is_positive),
        cmocka_unit_test(points_of_an_axis_plane_do_not_need_integers),
        cmocka_unit_test(orientations_in_the_plane_have_the_exact_sign),
        cmocka_unit_test(sums_of_orientations_have_the_exact_sign),
        cmocka_unit_test(millions_of_orientations_have_the_exact_sign),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
