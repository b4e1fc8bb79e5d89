/* The kernels of the proximity search: every instruction set measures with the bits of geometry/metric/feature_distance.h,
 * whatever the numbers; the filter never calls a pair far that is within reach; rows of boxes are what one comparison
 * after the other gives. */
#include "support/cmocka_includes.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "geometry/metric/feature_distance.h"
#include "geometry/metric/near_kernels.h"
#include "structures/surface/kernels/surface_kernels.h"
#include "geometry/point_cases.h"

static const dent_isa isas[] = {DENT_ISA_SCALAR, DENT_ISA_AVX2, DENT_ISA_AVX512};

/* Four points of a kind that hurts: anything, lattices, near misses, tiny and huge. */
static void make_points(dent_random *random, int kind, double p[4][3])
{
    int exponent = kind == 3 ? random_between(random, -1040, 1000) : 0;
    for (int k = 0; k < 12; k++) {
        double *value = &p[k / 3][k % 3];
        switch (kind) {
        case 0:
            *value = random_signed_unit(random);
            break;
        case 1:
            *value = random_between(random, 0, 2);
            break;
        case 2:
            *value = dent_random_bits(random) & 1 ? random_special(random) : random_finite(random);
            break;
        case 3:
            *value = ldexp(random_signed_unit(random), exponent);
            break;
        default:
            *value = 100.0 + random_between(random, 0, 2) + random_signed_unit(random) * 1e-12;
            break;
        }
    }
}

enum { POINT_KINDS = 5 };

static void check_lane(const struct feature_rows *rows, int lane, const struct closest_pair *pair, bool edges)
{
    assert_memory_equal(&rows->distance[lane], &pair->distance, sizeof(double));
    for (int k = 0; k < 3; k++) {
        double weight = edges ? rows->weight[k == 0 ? 2 : 3][lane] : rows->weight[k + 1][lane];
        if (!edges || k < 2) {
            assert_memory_equal(&weight, &pair->weights_b[k], sizeof(double));
        }
    }
    for (int k = 0; edges && k < 2; k++) {
        assert_memory_equal(&rows->weight[k][lane], &pair->weights_a[k], sizeof(double));
    }
    for (int axis = 0; axis < 3; axis++) {
        assert_memory_equal(&rows->direction[axis][lane], &pair->direction[axis], sizeof(double));
    }
}

static void every_instruction_set_measures_the_same_bits(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof isas / sizeof isas[0]; i++) {
        if (!dent_isa_available(isas[i])) {
            print_message("%s is not available here\n", dent_isa_name(isas[i]));
            continue;
        }
        const struct near_kernels *kernels = near_kernels_for(isas[i]);
        dent_random random = dent_random_seeded(5);
        for (int round = 0; round < case_count(20000); round++) {
            double p[FEATURE_BATCH + 1][4][3], distance[2][FEATURE_BATCH]; /* rows are read one double past their end */
            struct feature_points points;
            struct feature_rows faces, edges;
            for (int lane = 0; lane < FEATURE_BATCH; lane++) {
                make_points(&random, (round + lane) % POINT_KINDS, p[lane]);
                for (int k = 0; k < 4; k++) {
                    points.point[k][lane] = p[lane][k];
                }
            }
            kernels->describe_vertices(&points, &faces);
            kernels->describe_edges(&points, &edges);
            kernels->measure_vertices(&points, distance[0]);
            kernels->measure_edges(&points, distance[1]);
            assert_memory_equal(distance[0], faces.distance, sizeof faces.distance);
            assert_memory_equal(distance[1], edges.distance, sizeof edges.distance);
            for (int lane = 0; lane < FEATURE_BATCH; lane++) {
                const double *const q[4] = {p[lane][0], p[lane][1], p[lane][2], p[lane][3]};
                struct closest_pair pair;
                closest_of_vertex_and_face(q[0], q + 1, &pair);
                check_lane(&faces, lane, &pair, false);
                closest_of_edges(q, q + 2, &pair);
                check_lane(&edges, lane, &pair, true);
            }
        }
    }
}

static void far_pairs_are_never_within_reach(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(6);
    long far = 0, near_and_kept = 0, total = 0;
    for (int round = 0; round < case_count(40000); round++) {
        struct near_batch batch;
        double p[NEAR_BATCH][4][3], reach[NEAR_BATCH];
        for (int lane = 0; lane < NEAR_BATCH; lane++) {
            double size = ldexp(1.0, -random_between(&random, 0, 24));
            bool lattice = random_between(&random, 0, 3) == 0;
            double middle[3] = {0.5 * random_signed_unit(&random), 0.5 * random_signed_unit(&random),
                                0.5 * random_signed_unit(&random)};
            for (int k = 0; k < 12; k++) {
                double offset = lattice ? random_between(&random, -2, 2) * 0.25 : random_signed_unit(&random) * 0.5;
                p[lane][k / 3][k % 3] = middle[k % 3] + size * offset;
                batch.point[k / 3][k % 3][lane] = (float)p[lane][k / 3][k % 3];
            }
            const double *const q[4] = {p[lane][0], p[lane][1], p[lane][2], p[lane][3]};
            double distance = round % 2 ? edge_edge_distance(q, q + 2) : vertex_face_distance(q[0], q + 1);
            reach[lane] =
                distance * (1 + 1e-12) * (random_between(&random, 0, 1) ? 1.0 : 1.0 - 0.1 * dent_random_unit(&random));
            float extent = (float)(size * 1.0001) + 0x1p-22f;
            batch.bound[lane] =
                ((float)reach[lane] + 8 * FOREST_INPUT_ERROR + 16 * 0x1p-24f * extent) * (1.0f + 0x1p-20f);
        }
        uint32_t bits = 0;
        for (size_t i = 0; i < sizeof isas / sizeof isas[0]; i++) {
            if (dent_isa_available(isas[i])) {
                const struct near_kernels *kernels = near_kernels_for(isas[i]);
                uint32_t got = (round % 2 ? kernels->far_edges : kernels->far_vertices)(&batch);
                assert_true(i == 0 || got == bits);
                bits = got;
            }
        }
        for (int lane = 0; lane < NEAR_BATCH; lane++) {
            const double *const q[4] = {p[lane][0], p[lane][1], p[lane][2], p[lane][3]};
            double distance = round % 2 ? edge_edge_distance(q, q + 2) : vertex_face_distance(q[0], q + 1);
            bool is_far = bits >> lane & 1, within = distance <= reach[lane];
            assert_false(is_far && within);
            far += is_far;
            near_and_kept += within;
            total++;
        }
    }
    print_message("%ld pairs, %ld within reach, %ld of the others told far\n", total, near_and_kept, far);
    assert_true(far > total / 10 && near_and_kept > total / 4);
}

static void rows_of_boxes_are_single_comparisons(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(7);
    for (int round = 0; round < case_count(2000); round++) {
        struct feature_boxes a, b;
        uint32_t count = (uint32_t)random_between(&random, 1, NEAR_FEATURES), vertices_a[16], vertices_b[16];
        float reach = (float)random_between(&random, 0, 2) * 0.5f;
        uint64_t which = dent_random_bits(&random) & ((UINT64_C(1) << NEAR_FEATURES) - 1);
        for (int k = 0; k < 3 * NEAR_FEATURES; k++) {
            int axis = k / NEAR_FEATURES, i = k % NEAR_FEATURES;
            a.lo[axis][i] = (float)random_between(&random, -4, 4);
            a.hi[axis][i] = a.lo[axis][i] + (float)random_between(&random, 0, 2);
            b.lo[axis][i] = (uint32_t)i < count ? (float)random_between(&random, -4, 4) : INFINITY;
            b.hi[axis][i] = (uint32_t)i < count ? b.lo[axis][i] + (float)random_between(&random, 0, 2) : -INFINITY;
        }
        for (int i = 0; i < 16; i++) {
            vertices_a[i] = dent_random_below(&random, 20);
            vertices_b[i] = dent_random_below(&random, 20);
        }
        for (size_t set = 0; set < sizeof isas / sizeof isas[0]; set++) {
            uint64_t rows[NEAR_FEATURES];
            uint16_t same[16];
            if (!dent_isa_available(isas[set])) {
                continue;
            }
            const struct near_kernels *kernels = near_kernels_for(isas[set]);
            kernels->meet_rows(&a, which, reach, &b, count, rows);
            kernels->match(vertices_a, vertices_b, same);
            for (int i = 0; i < NEAR_FEATURES; i++) {
                for (uint32_t j = 0; (which >> i & 1) && j < count; j++) {
                    bool meets = true;
                    for (int axis = 0; axis < 3; axis++) {
                        meets =
                            meets && b.lo[axis][j] <= a.hi[axis][i] + reach && b.hi[axis][j] >= a.lo[axis][i] - reach;
                    }
                    assert_int_equal(rows[i] >> j & 1, meets);
                }
                assert_true(!(which >> i & 1) || rows[i] >> count == 0 || count == NEAR_FEATURES);
            }
            for (int i = 0; i < 256; i++) {
                assert_int_equal(same[i / 16] >> (i % 16) & 1, vertices_a[i % 16] == vertices_b[i / 16]);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_instruction_set_measures_the_same_bits),
        cmocka_unit_test(far_pairs_are_never_within_reach),
        cmocka_unit_test(rows_of_boxes_are_single_comparisons),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
