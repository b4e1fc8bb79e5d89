/* The predicates built from orientations against exact linear programming (simplex_oracle.h): every kind of answer,
 * many times.
 *
 * A case is made of small lattice points (all degeneracies) or of doubles; the reference sees it as made, the
 * library sees it after changes that leave the answer alone: axes scaled by powers of two, permuted and mirrored, an
 * exact translation, corners permuted, sides exchanged. More than 100,000 cases in the default tier; ten million,
 * with the union tests, when DENT_LONG_TESTS is set.
 */
#include "support/cmocka_includes.h"

#include "geometry/integer_reference.h"
#include "geometry/point_cases.h"
#include "geometry/predicates/tetrahedron_predicates.h"
#include "geometry/predicates/triangle_predicates.h"

/* ---- cases ----------------------------------------------------------------------------------------------------- */

struct composite_case {
    double made[INTEGER_POINTS][3]; /* as the reference sees it */
    double seen[INTEGER_POINTS][3]; /* as the library sees it */
};

static void make_lattice(dent_random *random, double p[][3], int count)
{
    static const int ranges[] = {1, 2, 3, 4, 8};
    int range = ranges[random_between(random, 0, 4)];
    for (int k = 0; k < 3 * count; k++) {
        p[k / 3][k % 3] = random_between(random, 0, range);
    }
}

static void make_doubles(dent_random *random, double p[][3], int count)
{
    for (int k = 0; k < 3 * count; k++) {
        p[k / 3][k % 3] = random_signed_unit(random);
    }
}

/* Later points are rounded combinations of earlier ones: on edges and faces, up to rounding. */
static void make_near_degenerate(dent_random *random, double p[][3], int count)
{
    make_doubles(random, p, count);
    for (int k = 3; k < count; k++) {
        double s = random_between(random, 0, 4) / 4.0, t = random_between(random, 0, 4) / 4.0;
        int a = random_between(random, 0, k - 1), b = random_between(random, 0, k - 1),
            c = random_between(random, 0, k - 1);
        if (random_between(random, 0, 1) == 0) {
            continue;
        }
        for (int axis = 0; axis < 3; axis++) {
            p[k][axis] = p[a][axis] + s * (p[b][axis] - p[a][axis]) + t * (p[c][axis] - p[a][axis]);
        }
    }
}

static void make_any_exponent(dent_random *random, double p[][3], int count)
{
    for (int k = 0; k < 3 * count; k++) {
        p[k / 3][k % 3] = dent_random_bits(random) & 1 ? random_special(random) : random_finite(random);
    }
}

/* Puts lattice points on one plane, upright or tilted. */
static void flatten(dent_random *random, double p[][3], int count)
{
    int i = random_between(random, 0, 2), j = (i + 1) % 3, k = (i + 2) % 3;
    double s = random_between(random, -1, 2), t = random_between(random, -1, 2);
    for (int n = 0; n < count; n++) {
        p[n][k] = s * p[n][i] + t * p[n][j];
    }
}

/* Moves lattice point 0 to a mean of four of the others: on their corners, edges and faces, and inside. */
static void centre_first_point(dent_random *random, double p[][3], int count)
{
    for (int k = 0; k < 3 * count; k++) {
        p[k / 3][k % 3] *= 4.0;
    }
    int chosen[4];
    for (int k = 0; k < 4; k++) {
        chosen[k] = random_between(random, 1, count - 1);
    }
    for (int axis = 0; axis < 3; axis++) {
        p[0][axis] = 0.25 * (p[chosen[0]][axis] + p[chosen[1]][axis] + p[chosen[2]][axis] + p[chosen[3]][axis]);
    }
}

/* Repeats corners, so that triangles become segments and points, and pairs share corners. */
static void repeat_corners(dent_random *random, double p[][3], int count)
{
    for (int n = random_between(random, 1, 2); n > 0; n--) {
        int from = random_between(random, 0, count - 1), to = random_between(random, 0, count - 1);
        memmove(p[to], p[from], sizeof p[0]);
    }
}

static struct composite_case make_case(dent_random *random, int count)
{
    struct composite_case result;
    int kind = random_between(random, 0, 19);
    bool lattice = kind < 14;
    if (lattice) {
        make_lattice(random, result.made, count);
        if (random_between(random, 0, 5) == 0) {
            flatten(random, result.made, count);
        }
        if (random_between(random, 0, 3) == 0) {
            centre_first_point(random, result.made, count);
        }
    } else if (kind < 16) {
        make_doubles(random, result.made, count);
    } else if (kind < 19) {
        make_near_degenerate(random, result.made, count);
    } else {
        make_any_exponent(random, result.made, count);
    }
    if (random_between(random, 0, 3) == 0) {
        repeat_corners(random, result.made, count);
    }
    int first_axis = random_between(random, 0, 2), step = random_between(random, 1, 2);
    double scale[3] = {1.0, 1.0, 1.0}, offset[3] = {0.0, 0.0, 0.0};
    if (lattice) {
        random_axis_scales(random, scale);
    }
    for (int axis = 0; axis < 3; axis++) {
        int source = (first_axis + axis * step) % 3;
        double mirror = dent_random_bits(random) & 1 ? -1.0 : 1.0;
        if (lattice && dent_random_bits(random) & 1) {
            offset[axis] = random_between(random, -1000000, 1000000);
        }
        for (int k = 0; k < count; k++) {
            result.seen[k][axis] = mirror * (result.made[k][source] + offset[axis]) * scale[axis];
        }
    }
    const double *points[INTEGER_POINTS];
    for (int k = 0; k < count; k++) {
        points[k] = result.made[k];
    }
    set_integer_points(integer, points, count);
    return result;
}

/* Pointers to the library's points first .. first + count - 1, in random order. */
static void permuted_points(dent_random *random, const struct composite_case *one, int first, int count,
                            const double *points[])
{
    for (int k = 0; k < count; k++) {
        points[k] = one->seen[first + k];
    }
    for (int k = 0; k < count - 1; k++) {
        int other = random_between(random, k, count - 1);
        const double *swapped = points[k];
        points[k] = points[other];
        points[other] = swapped;
    }
}

/* ---- references ------------------------------------------------------------------------------------------------ */

/* The closed hull of `count` points against a tetrahedron: 0 none, 1 touching, 2 interior. */
static int reference_against_tetrahedron(int first, int count, int tetrahedron)
{
    bool proper = reference_orientation(tetrahedron, tetrahedron + 1, tetrahedron + 2, tetrahedron + 3) != 0;
    return (int)reference_meeting(first, count, false, tetrahedron, 4, proper);
}

static face_pair_kind reference_face_pair(void)
{
    bool one_plane = true;
    for (int a = 0; a < 6 && one_plane; a++) {
        for (int b = a + 1; b < 6 && one_plane; b++) {
            for (int c = b + 1; c < 6 && one_plane; c++) {
                for (int d = c + 1; d < 6 && one_plane; d++) {
                    one_plane = reference_orientation(a, b, c, d) == 0;
                }
            }
        }
    }
    hull_meeting meeting = reference_meeting(0, 3, true, 3, 3, true);
    if (meeting == HULLS_APART) {
        return FACE_PAIR_NONE;
    }
    if (meeting == HULLS_MEET) {
        return FACE_PAIR_TOUCHING;
    }
    if (!one_plane) {
        return FACE_PAIR_CROSSING;
    }
    return reference_triangle_has_area(0) && reference_triangle_has_area(3) ? FACE_PAIR_COPLANAR : FACE_PAIR_TOUCHING;
}

/* ---- tests ----------------------------------------------------------------------------------------------------- */

static void check_answer(const struct composite_case *one, int count, int expected, int found)
{
    if (expected == found) {
        return;
    }
    print_message("expected %d, found %d for\n", expected, found);
    for (int k = 0; k < count; k++) {
        print_message("  %a, %a, %a   seen as %a, %a, %a\n", one->made[k][0], one->made[k][1], one->made[k][2],
                      one->seen[k][0], one->seen[k][1], one->seen[k][2]);
    }
    fail();
}

static void print_counts(const char *name, const char *const names[], const uint64_t counts[], int count)
{
    print_message("%-28s", name);
    for (int k = 0; k < count; k++) {
        print_message(" %s %llu", names[k], (unsigned long long)counts[k]);
    }
    print_message("\n");
    for (int k = 0; k < count; k++) {
        assert_true(counts[k] >= required_count());
    }
}

static const char *const relation_names[3] = {"none", "touching", "interior"};

static void triangle_against_triangle_is_exact(void **state)
{
    (void)state;
    static const char *const names[4] = {"none", "touching", "crossing", "coplanar"};
    uint64_t counts[4] = {0};
    dent_random random = dent_random_seeded(101);
    for (int n = case_count(40000); n > 0; n--) {
        struct composite_case one = make_case(&random, 6);
        const double *a[3], *b[3];
        permuted_points(&random, &one, 0, 3, a);
        permuted_points(&random, &one, 3, 3, b);
        predicate_counters counters = {0};
        face_pair_kind expected = reference_face_pair();
        check_answer(&one, 6, expected, triangle_versus_triangle(a, b, &counters));
        check_answer(&one, 6, expected, triangle_versus_triangle(b, a, &counters));
        assert_int_equal(triangles_meet(b, a, &counters), expected != FACE_PAIR_NONE);
        counts[expected]++;
    }
    print_counts("triangle triangle:", names, counts, 4);
}

static void triangle_against_tetrahedron_is_exact(void **state)
{
    (void)state;
    uint64_t counts[3] = {0};
    dent_random random = dent_random_seeded(102);
    for (int n = case_count(25000); n > 0; n--) {
        struct composite_case one = make_case(&random, 7);
        const double *triangle[3], *tetrahedron[4];
        permuted_points(&random, &one, 0, 3, triangle);
        permuted_points(&random, &one, 3, 4, tetrahedron);
        predicate_counters counters = {0};
        int expected = reference_against_tetrahedron(0, 3, 3);
        check_answer(&one, 7, expected, triangle_versus_tetrahedron(triangle, tetrahedron, &counters));
        check_answer(&one, 7, expected == 2, triangle_meets_open_tetrahedron(triangle, tetrahedron, &counters));
        counts[expected]++;
    }
    print_counts("triangle tetrahedron:", relation_names, counts, 3);
}

static void tetrahedron_against_tetrahedron_is_exact(void **state)
{
    (void)state;
    static const char *const names[2] = {"apart", "meet"};
    uint64_t counts[2] = {0};
    dent_random random = dent_random_seeded(103);
    for (int n = case_count(9000); n > 0; n--) {
        struct composite_case one = make_case(&random, 8);
        if (n % 20 == 0) { /* the same tetrahedron */
            memcpy(one.made[4], one.made[0], 4 * sizeof one.made[0]);
            memcpy(one.seen[4], one.seen[0], 4 * sizeof one.seen[0]);
            for (int k = 0; k < 12; k++) {
                mpz_set(integer[4 + k / 3][k % 3], integer[k / 3][k % 3]);
            }
        }
        const double *a[4], *b[4];
        permuted_points(&random, &one, 0, 4, a);
        permuted_points(&random, &one, 4, 4, b);
        predicate_counters counters = {0};
        bool expected = reference_orientation(0, 1, 2, 3) != 0 && reference_orientation(4, 5, 6, 7) != 0 &&
                        reference_meeting(0, 4, true, 4, 4, true) == HULLS_MEET_STRICTLY;
        check_answer(&one, 8, expected, tetrahedra_interiors_meet(a, b, &counters));
        check_answer(&one, 8, expected, tetrahedra_interiors_meet(b, a, &counters));
        counts[expected]++;
    }
    print_counts("tetrahedron tetrahedron:", names, counts, 2);
}

static void point_against_tetrahedron_is_exact(void **state)
{
    (void)state;
    uint64_t counts[3] = {0};
    dent_random random = dent_random_seeded(104);
    for (int n = case_count(20000); n > 0; n--) {
        struct composite_case one = make_case(&random, 5);
        const double *t[4];
        permuted_points(&random, &one, 1, 4, t);
        predicate_counters counters = {0};
        int expected = reference_against_tetrahedron(0, 1, 1);
        check_answer(&one, 5, expected, point_versus_tetrahedron(one.seen[0], t[0], t[1], t[2], t[3], &counters));
        check_answer(&one, 5, expected == 2, vertex_in_tetrahedron(one.seen[0], t[0], t[1], t[2], t[3], &counters));
        counts[expected]++;
    }
    print_counts("point tetrahedron:", relation_names, counts, 3);
}

static void point_in_triangle_is_exact(void **state)
{
    (void)state;
    static const char *const names[2] = {"outside", "in"};
    uint64_t counts[2] = {0};
    dent_random random = dent_random_seeded(105);
    for (int n = case_count(20000); n > 0; n--) {
        struct composite_case one = make_case(&random, 4);
        const double *triangle[3];
        permuted_points(&random, &one, 1, 3, triangle);
        predicate_counters counters = {0};
        bool expected = reference_meeting(0, 1, false, 1, 3, false) == HULLS_MEET;
        check_answer(&one, 4, expected, point_in_triangle_closed(one.seen[0], triangle, &counters));
        counts[expected]++;
    }
    print_counts("point triangle:", names, counts, 2);
}

int main(void)
{
    initialise_integers();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(point_in_triangle_is_exact),
        cmocka_unit_test(point_against_tetrahedron_is_exact),
        cmocka_unit_test(triangle_against_triangle_is_exact),
        cmocka_unit_test(triangle_against_tetrahedron_is_exact),
        cmocka_unit_test(tetrahedron_against_tetrahedron_is_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
