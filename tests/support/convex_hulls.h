/* GJK on the convex hulls of two point sets, for tests and benchmarks. */
#ifndef DENT_TESTS_CONVEX_HULLS_H
#define DENT_TESTS_CONVEX_HULLS_H

#include <math.h>

#include "geometry/metric/convex_gjk.h"

static inline double larger_magnitude(double largest, const double *const *points, int count)
{
    for (int i = 0; i < 3 * count; i++) {
        largest = fmax(largest, fabs(points[i / 3][i % 3]));
    }
    return largest;
}

static inline struct gjk_result gjk_of_hulls(const double *const *a, int count_a, const double *const *b, int count_b)
{
    struct convex_points points_a = {a, count_a}, points_b = {b, count_b};
    struct gjk_input input = {.support_a = convex_points_support,
                              .support_b = convex_points_support,
                              .shape_a = &points_a,
                              .shape_b = &points_b,
                              .magnitude = larger_magnitude(larger_magnitude(0, a, count_a), b, count_b)};
    return convex_gjk(&input);
}

#endif
