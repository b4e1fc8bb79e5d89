/* Winding numbers against the sum of solid angles (Van Oosterom and Strackee 1983), which shares nothing with
 * counting crossings, and against exact linear programming for "on the surface". Lattice surfaces, so that rays meet
 * edges and corners all the time; the library sees them scaled up to the ends of the range of double. */
#include "support/cmocka_includes.h"

#include "geometry/integer_points.h"
#include "geometry/point_cases.h"
#include "geometry/simplex_oracle.h"
#include "geometry/predicates/winding_number.h"

enum { VERTICES_MAX = 64, TRIANGLES_MAX = 128 };

struct surface {
    uint32_t vertex_count, triangle_count;
    double made[VERTICES_MAX][3], seen[VERTICES_MAX][3];
    uint32_t triangles[TRIANGLES_MAX][3];
};

/* Triangles of a tetrahedron's boundary; any four vertices make a closed surface, flat and inverted ones included. */
static void add_tetrahedron(struct surface *surface, const uint32_t v[4])
{
    static const int faces[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    for (int k = 0; k < 4; k++) {
        uint32_t *triangle = surface->triangles[surface->triangle_count++];
        for (int m = 0; m < 3; m++) {
            triangle[m] = v[faces[k][m]];
        }
    }
}

/* Returns the largest coordinate. */
static int make_surface(dent_random *random, struct surface *surface)
{
    int range = random_between(random, 1, 4), tetrahedra = random_between(random, 1, 12);
    surface->vertex_count = (uint32_t)random_between(random, 4, 12);
    surface->triangle_count = 0;
    for (uint32_t k = 0; k < 3 * surface->vertex_count; k++) {
        surface->made[k / 3][k % 3] = 4 * random_between(random, 0, range);
    }
    for (int n = 0; n < tetrahedra; n++) {
        uint32_t v[4], first = dent_random_below(random, surface->vertex_count);
        for (uint32_t k = 0; k < 4; k++) {
            v[k] = n % 2 == 0 ? dent_random_below(random, surface->vertex_count) : (first + k) % surface->vertex_count;
        }
        add_tetrahedron(surface, v);
    }
    return 4 * range;
}

/* Solid angle of the surface seen from p, in units of the full sphere; the sum of exact multiples plus rounding. */
static double solid_angle(const struct surface *surface, const double p[3])
{
    double total = 0.0;
    for (uint32_t n = 0; n < surface->triangle_count; n++) {
        double r[3][3], length[3];
        for (int k = 0; k < 3; k++) {
            for (int axis = 0; axis < 3; axis++) {
                r[k][axis] = surface->made[surface->triangles[n][k]][axis] - p[axis];
            }
            length[k] = sqrt(r[k][0] * r[k][0] + r[k][1] * r[k][1] + r[k][2] * r[k][2]);
        }
        double numerator = r[0][0] * (r[1][1] * r[2][2] - r[1][2] * r[2][1]) +
                           r[0][1] * (r[1][2] * r[2][0] - r[1][0] * r[2][2]) +
                           r[0][2] * (r[1][0] * r[2][1] - r[1][1] * r[2][0]);
        double denominator = length[0] * length[1] * length[2];
        for (int k = 0; k < 3; k++) {
            const double *u = r[k], *v = r[(k + 1) % 3];
            denominator += (u[0] * v[0] + u[1] * v[1] + u[2] * v[2]) * length[(k + 2) % 3];
        }
        total += 2.0 * atan2(numerator, denominator);
    }
    return total / (4.0 * 3.14159265358979323846);
}

static struct simplex oracle;
static mpz_t integer[4][3];

static void initialise_integers(void)
{
    simplex_initialise(&oracle);
    for (int k = 0; k < 12; k++) {
        mpz_init(integer[k / 3][k % 3]);
    }
}

static bool reference_on_surface(const struct surface *surface, const double p[3])
{
    mpz_t(*point[1])[3] = {&integer[0]}, (*triangle[3])[3] = {&integer[1], &integer[2], &integer[3]};
    for (uint32_t n = 0; n < surface->triangle_count; n++) {
        const double *points[4] = {p, surface->made[surface->triangles[n][0]], surface->made[surface->triangles[n][1]],
                                   surface->made[surface->triangles[n][2]]};
        set_integer_points(integer, points, 4);
        if (hulls_meeting(&oracle, point, 1, false, triangle, 3, false) != HULLS_APART) {
            return true;
        }
    }
    return false;
}

/* Axis permutations that keep the orientation, and positive scales: the number stays. */
struct view {
    int first_axis;
    double scale[3];
};

static struct view random_view(dent_random *random)
{
    struct view view = {random_between(random, 0, 2), {0}};
    random_axis_scales(random, view.scale);
    return view;
}

static void see(struct view view, const double made[3], double seen[3])
{
    for (int axis = 0; axis < 3; axis++) {
        seen[axis] = made[(view.first_axis + axis) % 3] * view.scale[axis];
    }
}

struct winding_counts {
    uint64_t on_surface, numbers[41];
};

static void print_and_require(const struct winding_counts *counts)
{
    uint64_t zero = counts->numbers[20], negative = 0, positive = 0;
    for (int k = 0; k < 20; k++) {
        negative += counts->numbers[k];
        positive += counts->numbers[40 - k];
    }
    print_message("on surface %llu, number 0 %llu, negative %llu, positive %llu\n",
                  (unsigned long long)counts->on_surface, (unsigned long long)zero, (unsigned long long)negative,
                  (unsigned long long)positive);
    uint64_t required = required_count();
    assert_true(counts->on_surface >= required && zero >= required && negative >= required && positive >= required);
}

/* The mean of `parts` lattice points, made as three times or six times the lattice so that the reference sees a
 * double. */
static void check_means(uint64_t seed, int parts)
{
    struct winding_counts counts = {0};
    dent_random random = dent_random_seeded(seed);
    for (int n = case_count(20000); n > 0; n--) {
        struct surface surface;
        int largest = make_surface(&random, &surface);
        for (uint32_t k = 0; k < 3 * surface.vertex_count; k++) {
            surface.made[k / 3][k % 3] *= parts;
        }
        struct view view = random_view(&random);
        for (uint32_t k = 0; k < surface.vertex_count; k++) {
            see(view, surface.made[k], surface.seen[k]);
        }
        double made[3][3], seen[3][3], p[3] = {0.0, 0.0, 0.0};
        const double *points[3] = {seen[0], seen[1], seen[2]};
        for (int k = 0; k < parts; k++) {
            for (int axis = 0; axis < 3; axis++) {
                made[k][axis] = parts * random_between(&random, 0, largest);
                p[axis] += made[k][axis] / parts;
            }
            see(view, made[k], seen[k]);
        }
        bool on_surface;
        predicate_counters counters = {0};
        int found = parts == 1 ? winding_number(seen[0], surface.seen, surface.triangles, surface.triangle_count,
                                                &counters, &on_surface)
                               : winding_number_at_mean(points, parts, surface.seen, surface.triangles,
                                                        surface.triangle_count, &counters, &on_surface);
        assert_int_equal(on_surface, reference_on_surface(&surface, p));
        if (on_surface) {
            assert_int_equal(found, 0);
            counts.on_surface++;
            continue;
        }
        double angle = solid_angle(&surface, p);
        assert_true(fabs(angle - found) < 1e-6);
        counts.numbers[20 + found]++;
    }
    print_and_require(&counts);
}

static void the_number_at_a_point_is_exact(void **state)
{
    (void)state;
    check_means(301, 1);
}

static void the_number_at_a_midpoint_is_exact(void **state)
{
    (void)state;
    check_means(302, 2);
}

static void the_number_at_a_centroid_is_exact(void **state)
{
    (void)state;
    check_means(303, 3);
}

static void the_number_is_right_at_the_ends_of_the_range(void **state)
{
    (void)state;
    const double m = DBL_MAX;
    const double positions[4][3] = {{-m, -m, -m}, {m, -m, -m}, {-m, m, -m}, {-m, -m, m}};
    struct surface surface = {0};
    const uint32_t corners[4] = {0, 1, 2, 3};
    add_tetrahedron(&surface, corners);
    const double inside[3] = {-m / 2, -m / 2, -m / 2}, outside[3] = {m, m, m}, corner[3] = {m, -m, -m},
                 on[3] = {-m, 0, 0};
    predicate_counters counters = {0};
    bool on_surface;
    assert_int_equal(winding_number(inside, positions, surface.triangles, 4, &counters, &on_surface), 1);
    assert_false(on_surface);
    assert_int_equal(winding_number(outside, positions, surface.triangles, 4, &counters, &on_surface), 0);
    assert_false(on_surface);
    winding_number(corner, positions, surface.triangles, 4, &counters, &on_surface);
    assert_true(on_surface);
    winding_number(on, positions, surface.triangles, 4, &counters, &on_surface);
    assert_true(on_surface);
}

int main(void)
{
    initialise_integers();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_number_at_a_point_is_exact),
        cmocka_unit_test(the_number_at_a_midpoint_is_exact),
        cmocka_unit_test(the_number_at_a_centroid_is_exact),
        cmocka_unit_test(the_number_is_right_at_the_ends_of_the_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
