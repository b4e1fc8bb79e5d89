/* The graph against all pairs of points, and the kernels that measure neighbourhoods against plain code. */
#include "clouds/cloud_shapes.h"

#include "clouds/kernels/cloud_kernels.h"
#include "clouds/symmetric_eigen.h"
#include "support/test_context.h"

/* ---- edges ------------------------------------------------------------------------------------------------------- */

static double distance_of(const double *xyz, uint32_t a, uint32_t b)
{
    double x = xyz[3 * a] - xyz[3 * b], y = xyz[3 * a + 1] - xyz[3 * b + 1], z = xyz[3 * a + 2] - xyz[3 * b + 2];
    return sqrt((x * x + y * y) + z * z);
}

static int compare_numbers(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Distances to the k-th neighbour. */
static void sphere_radii(const double *xyz, uint32_t count, uint32_t k, double *radius)
{
    double *distances = malloc(count * sizeof *distances);
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = 0; j < count; j++) {
            distances[j] = distance_of(xyz, i, j);
        }
        qsort(distances, count, sizeof *distances, compare_numbers);
        radius[i] = distances[k < count - 1 ? k : count - 1]; /* the first is the point itself */
    }
    free(distances);
}

static bool has_edge(const dent_cloud *cloud, uint32_t a, uint32_t b)
{
    uint32_t others[4096], count = dent_cloud_point_edges(cloud, a, 4096, others);
    for (uint32_t i = 0; i < count; i++) {
        if (others[i] == b) {
            return true;
        }
    }
    return false;
}

/* Pairs of points whose spheres of influence meet are edges, except for those counted as left out; none else is. */
static void edges_are_the_pairs_whose_spheres_meet(void **state)
{
    static const uint32_t counts[] = {2, 5, 9, 64, 700, 2500}; /* the last one has two blocks of slots */
    for (uint32_t kind = 0; kind < sizeof counts / sizeof *counts; kind++) {
        uint32_t count = counts[kind], k = 8;
        double *xyz = points_on_sphere(count, 1, 40 + kind), *radius = malloc(count * sizeof *radius);
        for (uint32_t i = 0; i < count / 4; i++) { /* a crowd */
            xyz[3 * i] *= 0.125;
        }
        dent_cloud *cloud = cloud_of(*state, xyz, count);
        dent_cloud_info info = dent_cloud_get_info(cloud);
        sphere_radii(xyz, count, k, radius);
        uint64_t meeting = 0, left = 0, ends = 0;
        for (uint32_t i = 0; i < count; i++) {
            ends += dent_cloud_point_at(cloud, i).degree;
            for (uint32_t j = 0; j < i; j++) {
                bool meets = distance_of(xyz, i, j) <= radius[i] + radius[j];
                meeting += meets;
                if (meets) {
                    bool is_edge = has_edge(cloud, i, j);
                    assert_true(is_edge == has_edge(cloud, j, i));
                    left += is_edge;
                }
            }
        }
        print_message("%u points: %llu pairs meet, %llu are edges\n", count, (unsigned long long)meeting,
                      (unsigned long long)left);
        assert_true(info.edges == left && ends == 2 * left);
        assert_true(info.edges + info.pruned_long + info.pruned_across == meeting);
        dent_cloud_destroy(cloud);
        free(radius);
        free(xyz);
    }
}

/* Squares of roots are rounded: none of equal edges is longer than the mean. */
static void edges_of_one_length_are_kept(void **state)
{
    dent_random random = dent_random_seeded(8);
    for (int round = 0; round < 200; round++) {
        double xyz[9], side = dent_random_unit(&random);
        for (int i = 0; i < 9; i++) { /* a regular triangle */
            xyz[i] = side * (i % 4 == 0);
        }
        for (uint32_t count = 2; count <= 3; count++) {
            dent_cloud *cloud = cloud_of(*state, xyz, count);
            assert_int_equal(dent_cloud_get_info(cloud).edges, count * (count - 1) / 2);
            dent_cloud_destroy(cloud);
        }
    }
}

/* ---- measures ---------------------------------------------------------------------------------------------------- */

/* Balls of sizes 1 to 1e4, and single points far away: the measures are those of sorting all numbers. */
static void spacing_and_radius_are_those_of_the_sorted_points(void **state)
{
    enum { COUNT = 1500, LONE = 2 };
    uint32_t count = COUNT + LONE, measured = 0;
    double *xyz = points_on_sphere(count, 1, 9), *radius = malloc(count * sizeof *radius);
    double *area = malloc(count * sizeof *area);
    for (uint32_t i = 0; i < 3 * COUNT; i++) {
        uint32_t ball = i / 3 % 7 < 5 ? i / 3 % 7 % 2 : 2; /* three of unlike sizes */
        xyz[i] = xyz[i] * (ball == 0 ? 1 : ball == 1 ? 1e2 : 1e4) + 1e5 * ball;
    }
    for (uint32_t i = 3 * COUNT; i < 3 * count; i++) {
        xyz[i] = i < 3 * (COUNT + 1) ? 1e7 : -1e8;
    }
    dent_cloud *cloud = cloud_of(*state, xyz, count);
    dent_cloud_info info = dent_cloud_get_info(cloud);
    sphere_radii(xyz, count, 8, area);
    for (uint32_t i = 0; i < count; i++) {
        dent_cloud_point point = dent_cloud_point_at(cloud, i);
        radius[measured] = point.radius;
        area[measured] = 3.14159265358979323846 * area[i] * area[i] / 8;
        measured += point.degree > 0;
    }
    qsort(radius, measured, sizeof *radius, compare_numbers);
    qsort(area, measured, sizeof *area, compare_numbers);
    print_message("%u of %u points have edges; radii %.3g to %.3g\n", measured, count, radius[0], radius[measured - 1]);
    assert_true(measured >= COUNT && info.isolated == count - measured);
    assert_true(info.radius == radius[9 * measured / 10]);
    assert_true(fabs(info.spacing / sqrt(area[measured / 2]) - 1) < 1e-12);
    dent_cloud_destroy(cloud);
    free(area);
    free(radius);
    free(xyz);
}

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

/* Random surroundings with many equal squares. */
static void fill_surroundings(struct cloud_surroundings *around, uint32_t count, dent_random *random)
{
    around->count = count;
    for (uint32_t i = 0; i < (count + 15) / 16 * 16; i++) {
        double square = 0;
        for (int axis = 0; axis < 3; axis++) {
            double x = i < count ? 0.25 * dent_random_below(random, 5) - 0.5 : 0;
            around->point[axis][i] = x;
            square += x * x;
        }
        around->square[i] = i < count ? square : INFINITY;
    }
}

static void quartiles_are_those_of_the_sorted_squares(void **state)
{
    dent_random random = dent_random_seeded(1);
    (void)state;
    for (int isa = DENT_ISA_SCALAR; isa < DENT_ISA_COUNT; isa++) {
        for (uint32_t count = 1; count <= RANKED_MOST && dent_isa_available((dent_isa)isa); count++) {
            struct cloud_surroundings around;
            double quartiles[3], sorted[RANKED_MOST];
            fill_surroundings(&around, count, &random);
            memcpy(sorted, around.square, count * sizeof *sorted);
            qsort(sorted, count, sizeof *sorted, compare_numbers);
            cloud_kernels_for((dent_isa)isa)->quartiles(&around, quartiles);
            for (uint32_t i = 0; i < 3; i++) {
                assert_true(quartiles[i] == sorted[(i + 1) * count / 4]);
            }
        }
    }
}

/* Coordinates are quarters: sums are exact in any order. */
static void moments_are_sums_over_the_near_points(void **state)
{
    dent_random random = dent_random_seeded(2);
    (void)state;
    for (int isa = DENT_ISA_SCALAR; isa < DENT_ISA_COUNT; isa++) {
        for (uint32_t count = 0; count <= 100 && dent_isa_available((dent_isa)isa); count++) {
            struct cloud_surroundings around;
            double sums[MOMENTS], expected[MOMENTS] = {0}, most = count % 3 ? 0.25 * (count % 3) : INFINITY;
            uint32_t near = 0;
            fill_surroundings(&around, count, &random);
            for (uint32_t i = 0; i < count; i++) {
                for (int a = 0, k = 3; a < 3 && around.square[i] <= most; a++) {
                    expected[a] += around.point[a][i];
                    for (int b = a; b < 3; b++, k++) {
                        expected[k] += around.point[a][i] * around.point[b][i];
                    }
                }
                near += around.square[i] <= most;
            }
            assert_int_equal(cloud_kernels_for((dent_isa)isa)->moments(&around, most, sums), near);
            for (int i = 0; i < MOMENTS; i++) {
                assert_true(sums[i] == expected[i]);
            }
        }
    }
}

/* Full, flat and thin ones, and eight of different kinds at once. */
static void eigenvalues_in_lanes_are_those_of_plain_code(void **state)
{
    dent_random random = dent_random_seeded(3);
    (void)state;
    for (int round = 0; round < 300; round++) {
        struct eigen_lanes lanes = {.matrix = {{0}}};
        for (int lane = 0; lane < CLOUD_LANES; lane++) {
            for (int k = 0; k < (round + lane) % 5; k++) {
                double p[3];
                for (int axis = 0; axis < 3; axis++) {
                    p[axis] = ldexp(dent_random_unit(&random) - 0.5, (int)dent_random_below(&random, 20));
                    p[axis] *= dent_random_below(&random, 3) > 0;
                }
                for (int a = 0, i = 0; a < 3; a++) {
                    for (int b = a; b < 3; b++, i++) {
                        lanes.matrix[i][lane] += p[a] * p[b];
                    }
                }
            }
        }
        for (int isa = DENT_ISA_SCALAR; isa < DENT_ISA_COUNT; isa++) {
            struct eigen_lanes made = lanes;
            if (!dent_isa_available((dent_isa)isa)) {
                continue;
            }
            cloud_kernels_for((dent_isa)isa)->eigen(&made);
            for (int lane = 0; lane < CLOUD_LANES; lane++) {
                double matrix[6], values[3], smallest[3];
                for (int i = 0; i < 6; i++) {
                    matrix[i] = lanes.matrix[i][lane];
                }
                symmetric_eigen(matrix, values, smallest);
                for (int i = 0; i < 3; i++) {
                    assert_memory_equal(&made.values[i][lane], &values[i], sizeof(double));
                    assert_memory_equal(&made.smallest[i][lane], &smallest[i], sizeof(double));
                }
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edges_are_the_pairs_whose_spheres_meet),
        cmocka_unit_test(edges_of_one_length_are_kept),
        cmocka_unit_test(spacing_and_radius_are_those_of_the_sorted_points),
        cmocka_unit_test(quartiles_are_those_of_the_sorted_squares),
        cmocka_unit_test(moments_are_sums_over_the_near_points),
        cmocka_unit_test(eigenvalues_in_lanes_are_those_of_plain_code),
    };
    return cmocka_run_group_tests(tests, test_open_context_of_two, test_close_context);
}
