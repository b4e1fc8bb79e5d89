/* Metric results are the same bits for every compiler, optimisation level and machine: hashes of many of them,
 * written down. */
#include "support/cmocka_includes.h"

#include <string.h>

#include "base/hash.h"
#include "geometry/metric/closest_points.h"
#include "geometry/metric/feature_distance.h"
#include "geometry/point_cases.h"
#include "geometry/predicates/tetrahedron_predicates.h"
#include "geometry/predicates/triangle_predicates.h"

struct golden_hashes {
    uint64_t barycentric, segment, depth, closest, proximity;
};

/* Ordinary numbers, numbers near a plane, lattices, and any exponent. */
static void make_points(dent_random *random, int kind, double p[6][3])
{
    for (int k = 0; k < 18; k++) {
        double value = random_signed_unit(random);
        p[k / 3][k % 3] = kind == 0   ? value
                          : kind == 1 ? (k % 3 == 2 ? value * 0x1p-45 : value)
                          : kind == 2 ? (double)random_between(random, 0, 4)
                                      : random_finite(random);
    }
}

static uint64_t hash_doubles(uint64_t hash, const double *values, int count)
{
    for (int k = 0; k < count; k++) {
        uint64_t bits;
        memcpy(&bits, &values[k], sizeof bits);
        hash = hash_u64(hash, bits);
    }
    return hash;
}

static struct golden_hashes hash_everything(void)
{
    struct golden_hashes hashes = {HASH_START, HASH_START, HASH_START, HASH_START, HASH_START};
    dent_random random = dent_random_seeded(2024);
    for (int n = 0; n < 20000; n++) {
        double p[6][3], out[6];
        make_points(&random, n % 4, p);
        const double *const t[4] = {p[1], p[2], p[3], p[4]};
        const double *const a[3] = {p[0], p[1], p[2]}, *const b[3] = {p[3], p[4], p[5]};
        barycentric_coordinates(p[0], t, out);
        hashes.barycentric = hash_doubles(hashes.barycentric, out, 4);
        common_segment(a, b, out, out + 3);
        hashes.segment = hash_doubles(hashes.segment, out, 6);
        out[0] = triangle_separation_depth(a, b);
        hashes.depth = hash_doubles(hashes.depth, out, 1);
        out[3] = distance_to_triangle(p[0], b, out);
        hashes.closest = hash_doubles(hashes.closest, out, 4);
        struct closest_pair pair;
        closest_of_vertex_and_face(p[0], b, &pair);
        hashes.proximity = hash_doubles(hash_doubles(hashes.proximity, &pair.distance, 1), pair.direction, 3);
        hashes.proximity = hash_doubles(hashes.proximity, pair.weights_b, 3);
        closest_of_edges(a, b, &pair);
        hashes.proximity = hash_doubles(hash_doubles(hashes.proximity, &pair.distance, 1), pair.direction, 3);
        hashes.proximity = hash_doubles(hash_doubles(hashes.proximity, pair.weights_a, 2), pair.weights_b, 3);
    }
    return hashes;
}

static void metric_results_have_the_golden_bits(void **state)
{
    (void)state;
    struct golden_hashes hashes = hash_everything();
    print_message("barycentric %016llx, segment %016llx, depth %016llx, closest %016llx, proximity %016llx\n",
                  (unsigned long long)hashes.barycentric, (unsigned long long)hashes.segment,
                  (unsigned long long)hashes.depth, (unsigned long long)hashes.closest,
                  (unsigned long long)hashes.proximity);
    assert_true(hashes.barycentric == UINT64_C(0x56FF0DCA12B2DE88));
    assert_true(hashes.segment == UINT64_C(0xB852A478C8310C3C));
    assert_true(hashes.depth == UINT64_C(0xBBC63E6F16724CE7));
    assert_true(hashes.closest == UINT64_C(0x1EDD949564F12039));
    /* Since features that touch up to rounding have the direction of their normal instead of the rounding's. */
    assert_true(hashes.proximity == UINT64_C(0xEBEDA52212709F23));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(metric_results_have_the_golden_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
