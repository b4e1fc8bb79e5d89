/* See the header. Stack: at most 25 wide integers (40 kB) at a time. */
#include "geometry/numbers/wide_determinants.h"

#include <limits.h>

struct axis_scale axis_scale_of_nothing(void)
{
    return (struct axis_scale){{INT_MAX, INT_MAX, INT_MAX}};
}

void axis_scale_include(struct axis_scale *scale, const double *const points[], int count)
{
    for (int k = 0; k < count; k++) {
        for (int axis = 0; axis < 3; axis++) {
            int exponent = lowest_bit_exponent(points[k][axis]);
            scale->exponent[axis] = exponent < scale->exponent[axis] ? exponent : scale->exponent[axis];
        }
    }
}

static void wide_difference(struct wide_integer *result, const double a[3], const double b[3], int axis,
                            const struct axis_scale *scale)
{
    struct wide_integer subtracted;
    wide_from_double(result, a[axis], scale->exponent[axis]);
    wide_from_double(&subtracted, b[axis], scale->exponent[axis]);
    wide_subtract(result, result, &subtracted);
}

void wide_orientation_3d(struct wide_integer *result, const double *const corners[4], const struct axis_scale *scale)
{
    struct wide_integer rows[3][3];
    for (int k = 0; k < 3; k++) {
        for (int axis = 0; axis < 3; axis++) {
            wide_difference(&rows[k][axis], corners[k + 1], corners[0], axis, scale);
        }
    }
    wide_determinant_3(result, rows[0], rows[1], rows[2]);
}

void wide_orientation_2d(struct wide_integer *result, const double *const corners[3], int i, int j,
                         const struct axis_scale *scale)
{
    struct wide_integer rows[2][2];
    for (int k = 0; k < 2; k++) {
        wide_difference(&rows[k][0], corners[k + 1], corners[0], i, scale);
        wide_difference(&rows[k][1], corners[k + 1], corners[0], j, scale);
    }
    wide_determinant_2(result, &rows[0][0], &rows[0][1], &rows[1][0], &rows[1][1]);
}

static void wide_normal(struct wide_integer result[3], const double *const triangle[3], const struct axis_scale *scale)
{
    /* Differences are made anew for each component: six of them kept would be ten kilobytes of stack. */
    for (int axis = 0; axis < 3; axis++) {
        int next = axis == 2 ? 0 : axis + 1, last = axis == 0 ? 2 : axis - 1;
        wide_orientation_2d(&result[axis], triangle, next, last, scale);
    }
}

/* Scaling the axes by positive factors scales each component of every normal by its own positive factor, and the
 * determinant by their product. */
int sign_of_three_normals(const double *const first[3], const double *const second[3], const double *const third[3])
{
    struct axis_scale scale = axis_scale_of_nothing();
    axis_scale_include(&scale, first, 3);
    axis_scale_include(&scale, second, 3);
    axis_scale_include(&scale, third, 3);
    struct wide_integer normals[3][3], determinant;
    wide_normal(normals[0], first, &scale);
    wide_normal(normals[1], second, &scale);
    wide_normal(normals[2], third, &scale);
    wide_determinant_3(&determinant, normals[0], normals[1], normals[2]);
    return determinant.sign;
}
