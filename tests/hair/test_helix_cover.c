/* Covers of helices: the tube lies inside, checked with points computed in long double by other formulas; the cases of
 * the tutorial; bad numbers. */
#include "support/cmocka_includes.h"

#include "support/test_context.h"

#include <dent/hair.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The curve itself, by its axis and radius unless it is nearly straight. */
static void true_point(const dent_helix_piece *piece, long double axes[3][3], long double s, long double out[3])
{
    long double k = piece->curvature, t = piece->torsion, w = sqrtl(k * k + t * t), f = w * s, local[3] = {s, 0, 0};
    if (w > 0) {
        long double sine = sinl(f), half = sinl(f / 2), bend = k / w, twist = t / w;
        long double lag = f < 1e-3L ? f * f * f / 6 - f * f * f * f * f / 120 : f - sine;
        local[0] = s - bend * bend * lag / w;
        local[1] = bend * 2 * half * half / w;
        local[2] = bend * twist * lag / w;
    }
    for (int i = 0; i < 3; i++) {
        out[i] = piece->start[i] + local[0] * axes[0][i] + local[1] * axes[1][i] + local[2] * axes[2][i];
    }
}

static void unit(long double v[3])
{
    long double length = sqrtl(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int i = 0; i < 3; i++) {
        v[i] /= length;
    }
}

static void true_axes(const dent_helix_piece *piece, long double axes[3][3])
{
    long double along = 0;
    for (int i = 0; i < 3; i++) {
        axes[0][i] = piece->tangent[i];
        axes[1][i] = piece->normal[i];
    }
    unit(axes[0]);
    for (int i = 0; i < 3; i++) {
        along += axes[0][i] * axes[1][i];
    }
    for (int i = 0; i < 3; i++) {
        axes[1][i] -= along * axes[0][i];
    }
    unit(axes[1]);
    for (int i = 0; i < 3; i++) {
        axes[2][i] = axes[0][(i + 1) % 3] * axes[1][(i + 2) % 3] - axes[0][(i + 2) % 3] * axes[1][(i + 1) % 3];
    }
}

/* Is the ball around the point inside the cylinder? */
static bool contains(const dent_cylinder *cylinder, const long double point[3], long double radius)
{
    long double axis[3], to[3], length = 0, along = 0, across = 0;
    for (int i = 0; i < 3; i++) {
        axis[i] = (long double)cylinder->b[i] - cylinder->a[i];
        to[i] = point[i] - cylinder->a[i];
        length += axis[i] * axis[i];
    }
    length = sqrtl(length);
    for (int i = 0; i < 3; i++) {
        along += to[i] * axis[i] / length;
    }
    for (int i = 0; i < 3; i++) {
        long double off = to[i] - along * axis[i] / length;
        across += off * off;
    }
    return along - radius >= 0 && along + radius <= length && sqrtl(across) + radius <= cylinder->radius;
}

static double log_uniform(dent_random *random, double low, double high)
{
    return low * pow(high / low, dent_random_unit(random));
}

static void random_piece(dent_random *random, dent_helix_piece *piece)
{
    memset(piece, 0, sizeof *piece);
    bool plain = dent_random_below(random, 4) == 0;
    for (int i = 0; i < 3; i++) {
        piece->start[i] = plain ? 0 : 2 * dent_random_unit(random) - 1;
        piece->tangent[i] = plain ? i == 0 : dent_random_unit(random) - 0.5;
        piece->normal[i] = plain ? i == 1 : dent_random_unit(random) - 0.5;
    }
    piece->curvature = dent_random_below(random, 8) == 0 ? 0 : log_uniform(random, 1e-4, 1e4);
    piece->torsion = dent_random_below(random, 8) == 0 ? 0 : log_uniform(random, 1e-4, 1e4);
    piece->torsion *= dent_random_below(random, 2) ? 1 : -1;
    piece->length = log_uniform(random, 1e-4, 1e2);
    piece->radius = dent_random_below(random, 8) == 0 ? 0 : piece->length * log_uniform(random, 1e-4, 1);
}

/* The whole of 100,000 pieces: DENT_LONG_TESTS=1. */
static void cylinders_contain_1000_points_of_every_random_piece(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(19);
    uint64_t pieces = test_count(300, 4000, 100000), ones = 0, twos = 0, axes_used = 0;
    for (uint64_t n = 0; n < pieces; n++) {
        dent_helix_piece piece;
        dent_cylinder cylinders[2];
        long double axes[3][3];
        random_piece(&random, &piece);
        true_axes(&piece, axes);
        uint32_t count = dent_helix_cover(&piece, cylinders);
        assert_true(count == 1 || count == 2);
        for (int i = 0; i <= 1000; i++) {
            long double point[3], s = piece.length * (i / 1000.0L);
            true_point(&piece, axes, s, point);
            bool first = contains(&cylinders[0], point, piece.radius);
            bool second = count == 2 && contains(&cylinders[1], point, piece.radius);
            /* A half belongs to its own cylinder, so that a ball at the seam is whole. */
            assert_true(count == 1 ? first : i <= 500 ? first : second);
        }
        ones += count == 1;
        twos += count == 2;
        double rate = sqrt(piece.curvature * piece.curvature + piece.torsion * piece.torsion);
        axes_used += count == 1 && rate * piece.length > 6.3 && piece.curvature > 0;
    }
    printf("%llu pieces: %llu with one cylinder (%llu of several turns), %llu with two\n", (unsigned long long)pieces,
           (unsigned long long)ones, (unsigned long long)axes_used, (unsigned long long)twos);
    assert_true(ones > pieces / 10 && twos > pieces / 20 && axes_used > pieces / 20);
}

static void a_line_a_circle_and_a_screw_have_the_expected_cylinders(void **state)
{
    (void)state;
    dent_helix_piece piece = {.tangent = {1, 0, 0}, .normal = {0, 1, 0}, .length = 2, .radius = 0.1};
    dent_cylinder cylinders[2];
    assert_int_equal(dent_helix_cover(&piece, cylinders), 1);
    assert_true(fabs(cylinders[0].radius - 0.1) < 1e-12 && fabs(cylinders[0].b[0] - 2.1) < 1e-12);
    piece.curvature = 2; /* 4 radians: less than a turn, far from its chord */
    assert_int_equal(dent_helix_cover(&piece, cylinders), 2);
    piece.length = 4; /* more than a turn */
    assert_int_equal(dent_helix_cover(&piece, cylinders), 1);
    assert_true(fabs(cylinders[0].radius - 0.6) < 1e-12 && fabs(cylinders[0].a[1] - 0.5) < 1e-12);
    assert_true(fabs(fabs(cylinders[0].b[2] - cylinders[0].a[2]) - (0.2 + 0.6 / 32)) < 1e-12);
    piece.length = 0.1; /* an arc flatter than the tube */
    assert_int_equal(dent_helix_cover(&piece, cylinders), 1);
    assert_true(cylinders[0].radius < 0.1 + 0.0026);
    /* The chord cylinder is no wider than needed: the sagitta of an arc of 0.2 radians. */
    assert_true(cylinders[0].radius > 0.1 + 0.5 * (1 - cos(0.1)));
    piece.curvature = 1;
    piece.torsion = 0.5;
    piece.length = 100;
    assert_int_equal(dent_helix_cover(&piece, cylinders), 1);
    assert_true(fabs(cylinders[0].radius - (0.8 + 0.1)) < 1e-10);
}

static void points_of_the_curve_are_accurate_and_tangents_unit(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(7);
    double worst = 0;
    for (int n = 0; n < 20000; n++) {
        dent_helix_piece piece;
        long double axes[3][3], expected[3];
        double point[3], tangent[3], s;
        random_piece(&random, &piece);
        s = piece.length * dent_random_unit(&random);
        double rate = sqrt(piece.curvature * piece.curvature + piece.torsion * piece.torsion);
        if (rate * s > 2048) {
            continue;
        }
        true_axes(&piece, axes);
        true_point(&piece, axes, s, expected);
        assert_true(dent_helix_point(&piece, s, point, tangent));
        double size = s + fmax(fabs(piece.start[0]), fmax(fabs(piece.start[1]), fabs(piece.start[2])));
        for (int i = 0; i < 3; i++) {
            worst = fmax(worst, (double)fabsl(point[i] - expected[i]) / size);
        }
        double length = sqrt(tangent[0] * tangent[0] + tangent[1] * tangent[1] + tangent[2] * tangent[2]);
        assert_true(fabs(length - 1) < 1e-12);
    }
    printf("largest error of a point %.3g of s + |start|\n", worst);
    assert_true(worst < 0x1p-48);
}

static void bad_numbers_give_no_cover(void **state)
{
    (void)state;
    const dent_helix_piece good = {
        .tangent = {1, 0, 0}, .normal = {0, 1, 0}, .curvature = 1, .torsion = 1, .length = 2, .radius = 0.1};
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    dent_cylinder cylinders[2];
    double point[3];
    for (int i = 0; i < 3; i++) {
        for (int field = 0; field < 6; field++) {
            dent_helix_piece piece = good;
            double *numbers[6] = {&piece.start[1], &piece.tangent[0], &piece.curvature,
                                  &piece.torsion,  &piece.length,     &piece.radius};
            *numbers[field] = bad[i];
            assert_int_equal(dent_helix_cover(&piece, cylinders), 0);
            assert_false(dent_helix_point(&piece, 1, point, NULL));
        }
    }
    dent_helix_piece piece = good;
    piece.curvature = -1;
    assert_int_equal(dent_helix_cover(&piece, cylinders), 0);
    piece = good;
    piece.normal[0] = 5;
    piece.normal[1] = 0; /* along the tangent */
    assert_int_equal(dent_helix_cover(&piece, cylinders), 0);
    piece = good;
    piece.start[0] = 1.7e308;
    piece.length = 1.7e308;
    assert_int_equal(dent_helix_cover(&piece, cylinders), 0);
    piece = good;
    piece.curvature = piece.torsion = 1.7e308; /* no rate of turning in doubles */
    piece.length = 1e-300;
    assert_int_equal(dent_helix_cover(&piece, cylinders), 0);
    assert_false(dent_helix_point(&good, 2.5, point, NULL));
    assert_false(dent_helix_point(&good, -1, point, NULL));
}

static void extreme_sizes_are_covered(void **state)
{
    (void)state;
    static const double sizes[] = {1e-300, 1e-150, 1e-30, 1e30, 1e150, 1e300};
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++) {
            for (int k = 0; k < 6; k++) {
                dent_helix_piece piece = {.tangent = {1, 0, 0},
                                          .normal = {0, 1, 0},
                                          .curvature = sizes[i],
                                          .torsion = sizes[j],
                                          .length = sizes[k] < 1e200 ? sizes[k] : 1};
                dent_cylinder cylinders[2];
                uint32_t count = dent_helix_cover(&piece, cylinders);
                assert_true(count == 1 || count == 2);
                assert_true(cylinders[0].radius >= 0 && cylinders[0].radius <= 4 * piece.length);
            }
        }
    }
}

static void subnormal_curvature_and_torsion_do_not_stretch_the_curve(void **state)
{
    (void)state;
    dent_helix_piece piece = {.tangent = {1, 0, 0},
                              .normal = {0, 1, 0},
                              .curvature = 0x1p-1074,
                              .torsion = 0x1p-1074,
                              .length = 1e300};
    double point[3];
    assert_true(dent_helix_point(&piece, piece.length, point, NULL));
    assert_true(fabs(point[0] - piece.length) <= 0x1p-48 * piece.length);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cylinders_contain_1000_points_of_every_random_piece),
        cmocka_unit_test(a_line_a_circle_and_a_screw_have_the_expected_cylinders),
        cmocka_unit_test(points_of_the_curve_are_accurate_and_tangents_unit),
        cmocka_unit_test(bad_numbers_give_no_cover),
        cmocka_unit_test(extreme_sizes_are_covered),
        cmocka_unit_test(subnormal_curvature_and_torsion_do_not_stretch_the_curve),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
