/* Orientations and plane normals of positions as wide integers: exact, each axis scaled by a power of two of the
 * caller's choice.
 *
 * Values computed with the same scale may be compared and added; the sign of an orientation does not depend on it.
 */
#ifndef DENT_GEOMETRY_WIDE_DETERMINANTS_H
#define DENT_GEOMETRY_WIDE_DETERMINANTS_H

#include "geometry/numbers/wide_integer.h"

/* For each axis an exponent such that every coordinate is a multiple of 2^exponent. */
struct axis_scale {
    int exponent[3];
};

struct axis_scale axis_scale_of_nothing(void);
void axis_scale_include(struct axis_scale *scale, const double *const points[], int count);

/* det[b - a, c - a, d - a] / 2^(sum of the three exponents). */
void wide_orientation_3d(struct wide_integer *result, const double *const corners[4], const struct axis_scale *scale);

/* det[b - a, c - a] of the axes i and j / 2^(sum of their exponents). */
void wide_orientation_2d(struct wide_integer *result, const double *const corners[3], int i, int j,
                         const struct axis_scale *scale);

/* Sign of det[n1, n2, n3] for the normals (t1 - t0) x (t2 - t0) of three triangles. */
int sign_of_three_normals(const double *const first[3], const double *const second[3], const double *const third[3]);

#endif
