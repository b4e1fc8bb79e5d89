/* Distances of vertices and faces, edges and edges, against exact rationals: never too small by more than the proven
 * 32 u E, never too large by more than the stated 8 u E; the same bits in whatever order the corners come; finite,
 * with unit directions. */
#include "support/cmocka_includes.h"

#include <dent/base.h>
#include <float.h>
#include <gmp.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "geometry/metric/feature_distance.h"

/* ---- exact squared distances ----------------------------------------------------------------- */

typedef mpq_t vector[3];

static void vector_init(vector v)
{
    mpq_inits(v[0], v[1], v[2], NULL);
}

static void vector_clear(vector v)
{
    mpq_clears(v[0], v[1], v[2], NULL);
}

static void vector_between(vector result, const double from[3], const double to[3])
{
    mpq_t start;
    mpq_init(start);
    for (int axis = 0; axis < 3; axis++) {
        mpq_set_d(start, from[axis]);
        mpq_set_d(result[axis], to[axis]);
        mpq_sub(result[axis], result[axis], start);
    }
    mpq_clear(start);
}

static void exact_dot(mpq_t result, vector a, vector b)
{
    mpq_t term;
    mpq_init(term);
    mpq_mul(result, a[0], b[0]);
    for (int axis = 1; axis < 3; axis++) {
        mpq_mul(term, a[axis], b[axis]);
        mpq_add(result, result, term);
    }
    mpq_clear(term);
}

static void keep_smaller(mpq_t best, const mpq_t other)
{
    if (mpq_sgn(best) < 0 || mpq_cmp(other, best) < 0) {
        mpq_set(best, other);
    }
}

/* best = min(best, squared distance of p to the segment); best < 0 means none yet. */
static void point_to_segment(mpq_t best, const double p[3], const double a[3], const double b[3])
{
    vector direction, offset;
    mpq_t along, length, squared;
    vector_init(direction);
    vector_init(offset);
    mpq_inits(along, length, squared, NULL);
    vector_between(direction, a, b);
    vector_between(offset, a, p);
    exact_dot(along, direction, offset);
    exact_dot(length, direction, direction);
    if (mpq_sgn(along) > 0 && mpq_cmp(along, length) >= 0) {
        vector_between(offset, b, p);
        exact_dot(squared, offset, offset);
    } else {
        exact_dot(squared, offset, offset);
        if (mpq_sgn(along) > 0) {
            mpq_mul(along, along, along);
            mpq_div(along, along, length);
            mpq_sub(squared, squared, along);
        }
    }
    keep_smaller(best, squared);
    vector_clear(direction);
    vector_clear(offset);
    mpq_clears(along, length, squared, NULL);
}

/* Solves a x + b y = e, b x + c y = f; false when the determinant is zero. */
static bool solve(mpq_t x, mpq_t y, mpq_t a, mpq_t b, mpq_t c, mpq_t e, mpq_t f)
{
    mpq_t determinant, term;
    mpq_inits(determinant, term, NULL);
    mpq_mul(determinant, a, c);
    mpq_mul(term, b, b);
    mpq_sub(determinant, determinant, term);
    bool regular = mpq_sgn(determinant) != 0;
    if (regular) {
        mpq_mul(x, e, c);
        mpq_mul(term, b, f);
        mpq_sub(x, x, term);
        mpq_div(x, x, determinant);
        mpq_mul(y, a, f);
        mpq_mul(term, b, e);
        mpq_sub(y, y, term);
        mpq_div(y, y, determinant);
    }
    mpq_clears(determinant, term, NULL);
    return regular;
}

/* The plane of origin + x u + y v: squared distance of `offset` to it, if 0 < x, y and the region's third condition
 * holds. */
static void flat_candidate(mpq_t best, vector u, vector v, vector offset, bool triangle)
{
    mpq_t a, b, c, e, f, x, y, squared, one;
    mpq_inits(a, b, c, e, f, x, y, squared, one, NULL);
    mpq_set_ui(one, 1, 1);
    exact_dot(a, u, u);
    exact_dot(b, u, v);
    exact_dot(c, v, v);
    exact_dot(e, u, offset);
    exact_dot(f, v, offset);
    if (solve(x, y, a, b, c, e, f) && mpq_sgn(x) >= 0 && mpq_sgn(y) >= 0) {
        exact_dot(squared, offset, offset); /* |offset|^2 - x e - y f */
        mpq_mul(a, x, e);
        mpq_sub(squared, squared, a);
        mpq_mul(a, y, f);
        mpq_sub(squared, squared, a);
        mpq_add(b, x, y);
        bool inside = triangle ? mpq_cmp(b, one) <= 0 : mpq_cmp(x, one) <= 0 && mpq_cmp(y, one) <= 0;
        if (inside) {
            keep_smaller(best, squared);
        }
    }
    mpq_clears(a, b, c, e, f, x, y, squared, one, NULL);
}

static void exact_vertex_face(mpq_t best, const double p[3], const double *const corner[3])
{
    vector u, v, offset;
    vector_init(u);
    vector_init(v);
    vector_init(offset);
    mpq_set_si(best, -1, 1);
    for (int k = 0; k < 3; k++) {
        point_to_segment(best, p, corner[k], corner[(k + 1) % 3]);
    }
    vector_between(u, corner[0], corner[1]);
    vector_between(v, corner[0], corner[2]);
    vector_between(offset, corner[0], p);
    flat_candidate(best, u, v, offset, true);
    vector_clear(u);
    vector_clear(v);
    vector_clear(offset);
}

static void exact_edge_edge(mpq_t best, const double *const a[2], const double *const b[2])
{
    vector u, v, offset;
    vector_init(u);
    vector_init(v);
    vector_init(offset);
    mpq_set_si(best, -1, 1);
    for (int k = 0; k < 2; k++) {
        point_to_segment(best, a[k], b[0], b[1]);
        point_to_segment(best, b[k], a[0], a[1]);
    }
    vector_between(u, a[0], a[1]);
    vector_between(v, b[1], b[0]); /* b0 - a0 = s u + t v with t along b0 - b1 */
    vector_between(offset, a[0], b[0]);
    flat_candidate(best, u, v, offset, false);
    vector_clear(u);
    vector_clear(v);
    vector_clear(offset);
}

/* ---- cases ----------------------------------------------------------------------------------- */

static double between(dent_random *random, double lo, double hi)
{
    return lo + (hi - lo) * dent_random_unit(random);
}

static double small_angle(dent_random *random)
{
    return ldexp(1.0 + dent_random_unit(random), -(int)dent_random_below(random, 60));
}

enum { CASES = 10 };

/* Four points: a vertex and a face, or two edges. */
static void make_points(dent_random *random, int kind, double p[4][3])
{
    for (int k = 0; k < 12; k++) {
        p[k / 3][k % 3] = kind == 1 || kind == 6 ? (double)dent_random_below(random, 4) : between(random, -1, 1);
    }
    double shrink = small_angle(random);
    for (int axis = 0; axis < 3; axis++) {
        double turn = between(random, -1, 1) * shrink, aside = between(random, -1, 1) * small_angle(random);
        switch (kind) {
        case 2: /* nearly parallel edges; a sliver */
            p[3][axis] = p[2][axis] + (p[1][axis] - p[0][axis]) * 0.75 + turn;
            break;
        case 3: /* nearly parallel edges that nearly meet */
            p[2][axis] = p[0][axis] + (p[1][axis] - p[0][axis]) * 0.25 + aside;
            p[3][axis] = p[0][axis] + (p[1][axis] - p[0][axis]) * 0.75 + turn;
            break;
        case 4: /* a short edge, a needle */
            p[3][axis] = p[2][axis] + turn;
            break;
        case 5: /* a vertex near the face's interior */
            p[0][axis] = 0.3 * p[1][axis] + 0.3 * p[2][axis] + 0.4 * p[3][axis] + turn;
            break;
        case 7: /* zero length, two corners in one place */
            p[3][axis] = p[2][axis];
            break;
        case 8: /* far from the origin */
            for (int k = 0; k < 4; k++) {
                p[k][axis] = 1000.0 + p[k][axis] * 0x1p-20;
            }
            break;
        default:
            break;
        }
    }
    int exponent = kind == 9 ? (int)dent_random_below(random, 2000) - 1000 : 0;
    for (int k = 0; k < 12; k++) {
        p[k / 3][k % 3] = ldexp(p[k / 3][k % 3], exponent);
    }
}

static double extent_of(double p[4][3])
{
    double extent = 0;
    for (int k = 1; k < 4; k++) {
        for (int axis = 0; axis < 3; axis++) {
            extent = fmax(extent, fabs(p[k][axis] - p[0][axis]));
        }
    }
    return 2 * extent; /* whichever point is the first */
}

/* In units of u E: how far above (positive) or below the computed distance lies. */
static double error_of(double distance, double p[4][3], const mpq_t squared)
{
    double unit = extent_of(p) * 0x1p-53;
    if (unit == 0) {
        assert_true(distance == 0);
        return 0;
    }
    mpf_t exact, computed;
    mpf_init2(exact, 4096);
    mpf_init2(computed, 4096);
    mpf_set_q(exact, squared);
    mpf_sqrt(exact, exact);
    mpf_set_d(computed, distance);
    mpf_sub(computed, computed, exact);
    mpf_set_d(exact, unit);
    mpf_div(computed, computed, exact);
    double error = mpf_get_d(computed);
    mpf_clears(exact, computed, NULL);
    return error;
}

static int rounds(int standard)
{
    return getenv("DENT_QUICK_TESTS") ? standard / 10 : getenv("DENT_LONG_TESTS") ? standard * 20 : standard;
}

static void distances_are_those_of_exact_arithmetic(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(77);
    mpq_t squared;
    mpq_init(squared);
    double lowest = 0, highest = 0;
    for (int round = 0; round < rounds(4000); round++) {
        for (int kind = 0; kind < CASES; kind++) {
            double p[4][3];
            make_points(&random, kind, p);
            const double *const face[3] = {p[1], p[2], p[3]};
            const double *const a[2] = {p[0], p[1]}, *const b[2] = {p[2], p[3]};
            exact_vertex_face(squared, p[0], face);
            double error = error_of(vertex_face_distance(p[0], face), p, squared);
            lowest = fmin(lowest, error);
            highest = fmax(highest, error);
            assert_true(error >= -32 && error <= 8);
            exact_edge_edge(squared, a, b);
            error = error_of(edge_edge_distance(a, b), p, squared);
            lowest = fmin(lowest, error);
            highest = fmax(highest, error);
            assert_true(error >= -32 && error <= 8);
        }
    }
    print_message("%d cases: between %.2f and %.2f u E of the truth\n", rounds(4000) * CASES * 2, lowest, highest);
    mpq_clear(squared);
}

static void check_pair(const struct closest_pair *pair, double distance)
{
    double squared = 0, sum_a = pair->weights_a[0] + pair->weights_a[1];
    double sum_b = pair->weights_b[0] + pair->weights_b[1] + pair->weights_b[2];
    assert_true(pair->distance == distance);
    assert_true(distance >= 0);
    for (int k = 0; k < 3; k++) {
        squared += pair->direction[k] * pair->direction[k];
        assert_true(pair->weights_b[k] >= 0 && pair->weights_b[k] <= 1);
    }
    assert_true(fabs(squared - 1) <= 8 * DBL_EPSILON);
    assert_true(fabs(sum_a - 1) <= 4 * DBL_EPSILON && fabs(sum_b - 1) <= 4 * DBL_EPSILON);
}

static double widest_side(const double (*p)[3])
{
    double widest = 0;
    for (int k = 0; k < 18; k++) {
        static const int pairs[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
        widest = fmax(widest, fabs(0.5 * p[pairs[k / 3][0]][k % 3] - 0.5 * p[pairs[k / 3][1]][k % 3]));
    }
    return widest;
}

static void the_order_of_corners_and_edges_changes_no_bit(void **state)
{
    (void)state;
    static const int orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    dent_random random = dent_random_seeded(78);
    for (int round = 0; round < rounds(4000) * CASES; round++) {
        double p[4][3];
        struct closest_pair pair, again;
        make_points(&random, round % CASES, p);
        const double *const a[2] = {p[0], p[1]}, *const b[2] = {p[2], p[3]};
        double faces = 0;
        for (int order = 0; order < 6; order++) {
            const double *const face[3] = {p[1 + orders[order][0]], p[1 + orders[order][1]], p[1 + orders[order][2]]};
            closest_of_vertex_and_face(p[0], face, &pair);
            faces = order == 0 ? pair.distance : faces;
            assert_true(pair.distance == faces);
            check_pair(&pair, vertex_face_distance(p[0], face));
        }
        closest_of_edges(a, b, &pair);
        check_pair(&pair, edge_edge_distance(a, b));
        for (int turn = 0; turn < 8; turn++) {
            const double *const x[2] = {a[turn & 1], a[!(turn & 1)]}, *const y[2] = {b[turn >> 1 & 1],
                                                                                     b[!(turn >> 1 & 1)]};
            closest_of_edges(turn & 4 ? y : x, turn & 4 ? x : y, &again);
            assert_true(again.distance == pair.distance);
            if (pair.distance > 0x1p-37 * widest_side(p)) { /* nearer ones may have a normal of either sign */
                for (int axis = 0; axis < 3; axis++) {
                    assert_true(again.direction[axis] == (turn & 4 ? -pair.direction[axis] : pair.direction[axis]));
                }
            }
        }
    }
}

static void the_extremes_of_double_give_numbers(void **state)
{
    (void)state;
    static const double values[] = {0,        DBL_TRUE_MIN, -DBL_TRUE_MIN, DBL_MIN, 1,     -1,
                                    0x1p1000, DBL_MAX,      -DBL_MAX,      3e-320,  1e-200};
    dent_random random = dent_random_seeded(79);
    for (int round = 0; round < rounds(100000); round++) {
        double p[4][3];
        struct closest_pair pair;
        for (int k = 0; k < 12; k++) {
            p[k / 3][k % 3] = values[dent_random_below(&random, sizeof values / sizeof values[0])];
        }
        const double *const face[3] = {p[1], p[2], p[3]};
        const double *const a[2] = {p[0], p[1]}, *const b[2] = {p[2], p[3]};
        closest_of_vertex_and_face(p[0], face, &pair);
        check_pair(&pair, vertex_face_distance(p[0], face));
        closest_of_edges(a, b, &pair);
        check_pair(&pair, edge_edge_distance(a, b));
    }
}

static void touching_features_have_documented_directions(void **state)
{
    (void)state;
    const double o[3] = {0, 0, 0}, x[3] = {2, 0, 0}, y[3] = {0, 2, 0}, inside[3] = {0.5, 0.5, 0}, far[3] = {1, 3, 0},
                 below[3] = {1, -1, 0};
    const double *const face[3] = {o, x, y}, *const rotated[3] = {o, y, x}, *const flat[3] = {o, x, x};
    const double *const along[2] = {o, x}, *const across[2] = {below, far};
    struct closest_pair pair;
    closest_of_vertex_and_face(inside, face, &pair);
    assert_true(pair.distance == 0 && pair.direction[2] == 1);
    closest_of_vertex_and_face(inside, rotated, &pair);
    assert_true(pair.distance == 0 && pair.direction[2] == -1);
    closest_of_vertex_and_face(o, flat, &pair);
    assert_true(pair.distance == 0 && pair.direction[0] == 1);
    closest_of_edges(along, across, &pair);
    assert_true(pair.distance == 0 && pair.direction[2] == 1);
    closest_of_edges(across, along, &pair);
    assert_true(pair.distance == 0 && pair.direction[2] == -1);
    closest_of_edges(along, along, &pair);
    assert_true(pair.distance == 0 && pair.direction[0] == 1);
}

/* Points on a face, and edges through one another, up to rounding: what is left of the difference lies anywhere. */
static void features_that_touch_up_to_rounding_have_the_direction_of_their_normals(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(80);
    long rounded = 0;
    for (int round = 0; round < rounds(20000); round++) {
        double p[4][3], weights[3], sum = 0;
        struct closest_pair pair;
        for (int k = 0; k < 12; k++) {
            p[k / 3][k % 3] = 2 * dent_random_unit(&random) - 1;
        }
        double height = p[0][2];
        p[1][2] = p[2][2] = p[3][2] = height;
        for (int k = 0; k < 3; k++) {
            weights[k] = 0.05 + dent_random_unit(&random);
            sum += weights[k];
        }
        for (int axis = 0; axis < 2; axis++) {
            p[0][axis] = (weights[0] * p[1][axis] + weights[1] * p[2][axis] + weights[2] * p[3][axis]) / sum;
        }
        double turn = (p[2][0] - p[1][0]) * (p[3][1] - p[1][1]) - (p[2][1] - p[1][1]) * (p[3][0] - p[1][0]);
        if (fabs(turn) < 0.01) {
            continue;
        }
        const double *const face[3] = {p[1], p[2], p[3]};
        closest_of_vertex_and_face(p[0], face, &pair);
        assert_true(pair.distance <= 32 * DBL_EPSILON);
        assert_true(fabs(fabs(pair.direction[2]) - 1) <= 1e-12);
        rounded += pair.distance > 0;

        /* From the face's first corner through the vertex: an edge across the opposite side, in the plane. */
        double across[3] = {2 * p[0][0] - p[1][0], 2 * p[0][1] - p[1][1], height};
        const double *const a[2] = {p[1], across}, *const b[2] = {p[2], p[3]};
        double cross = (across[0] - p[1][0]) * (p[3][1] - p[2][1]) - (across[1] - p[1][1]) * (p[3][0] - p[2][0]);
        closest_of_edges(a, b, &pair);
        if (pair.distance <= 0x1p-52 && fabs(cross) > 0.01) {
            assert_true(fabs(fabs(pair.direction[2]) - 1) <= 1e-12);
            rounded += pair.distance > 0;
        }
    }
    assert_true(rounded > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_are_those_of_exact_arithmetic),
        cmocka_unit_test(the_order_of_corners_and_edges_changes_no_bit),
        cmocka_unit_test(the_extremes_of_double_give_numbers),
        cmocka_unit_test(touching_features_have_documented_directions),
        cmocka_unit_test(features_that_touch_up_to_rounding_have_the_direction_of_their_normals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
