/* Clouds for tests: random points on planes, spheres and sheets, and a cloud made of them. */
#ifndef DENT_TESTS_CLOUD_SHAPES_H
#define DENT_TESTS_CLOUD_SHAPES_H

#include "support/cmocka_includes.h"

#include <dent/cloud.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Uniform on a sphere about the origin; normals outwards if wanted. */
static inline double *points_on_sphere(uint32_t count, double radius, uint64_t seed)
{
    double *xyz = malloc(3 * sizeof *xyz * (count + 1));
    dent_random random = dent_random_seeded(seed);
    for (uint32_t i = 0; i < count;) {
        double p[3], square = 0;
        for (int axis = 0; axis < 3; axis++) {
            p[axis] = 2 * dent_random_unit(&random) - 1;
            square += p[axis] * p[axis];
        }
        if (square > 1e-4 && square <= 1) {
            for (int axis = 0; axis < 3; axis++) {
                xyz[3 * (size_t)i + (size_t)axis] = radius * p[axis] / sqrt(square);
            }
            i++;
        }
    }
    return xyz;
}

/* In the square [0, 1]^2 of the plane through `at` with these two directions. */
static inline double *points_on_plane(uint32_t count, const double at[3], const double u[3], const double v[3],
                                      uint64_t seed)
{
    double *xyz = malloc(3 * sizeof *xyz * (count + 1));
    dent_random random = dent_random_seeded(seed);
    for (uint32_t i = 0; i < count; i++) {
        double s = dent_random_unit(&random), t = dent_random_unit(&random);
        for (int axis = 0; axis < 3; axis++) {
            xyz[3 * (size_t)i + (size_t)axis] = at[axis] + s * u[axis] + t * v[axis];
        }
    }
    return xyz;
}

static inline dent_cloud_def cloud_def_of(const double *xyz, uint32_t count)
{
    dent_cloud_def def = dent_cloud_def_default();
    def.positions = dent_positions_double(xyz);
    def.point_count = count;
    return def;
}

static inline dent_cloud *cloud_of(dent_context *context, const double *xyz, uint32_t count)
{
    dent_cloud_def def = cloud_def_of(xyz, count);
    dent_cloud *cloud = NULL;
    assert_int_equal(dent_cloud_create(context, &def, &cloud), DENT_OK);
    return cloud;
}

static inline dent_cloud_value cloud_value(const dent_cloud *cloud, dent_cloud_function function, double x, double y,
                                           double z)
{
    double place[3] = {x, y, z};
    dent_cloud_value value;
    assert_int_equal(dent_cloud_evaluate(cloud, function, dent_positions_double(place), 1, &value), DENT_OK);
    return value;
}

static inline dent_pose shifted(double x, double y, double z)
{
    return (dent_pose){{1, 0, 0, 0}, {x, y, z}};
}

#endif
