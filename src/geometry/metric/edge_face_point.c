/* See edge_face_point.h. The division by volumes is that of triangle_crossing.c: both volumes have relative error below
 * 2^-20 and opposite signs, so their ratio has no cancellation.
 */
#include "geometry/numbers/vector3.h"
#include "geometry/metric/edge_face_point.h"

#include <math.h>
#include <stdbool.h>

#include "geometry/numbers/power_of_two.h"
#include "geometry/predicates/signed_volume.h"

/* Not fmin and fmax: they may choose either of two zeros. */
static double smaller(double a, double b)
{
    return b < a ? b : a;
}

static double larger(double a, double b)
{
    return b > a ? b : a;
}

static double clamp(double value, double low, double high)
{
    return value < low ? low : value > high ? high : value;
}

/* Differences to an origin scaled to at most 1 in size; false when all are zero. Halved first where they might
 * overflow. */
static bool local_vectors(const double origin[3], const double *const points[], int count, double local[][3])
{
    double largest = 0.0;
    for (int k = 0; k < count * 3; k++) {
        local[k / 3][k % 3] = points[k / 3][k % 3] * 0.25 - origin[k % 3] * 0.25;
        double size = fabs(local[k / 3][k % 3]);
        largest = size > largest ? size : largest;
    }
    if (largest < 0x1p-1000) { /* the quarter may have been lost: nothing near overflow here */
        largest = 0.0;
        for (int k = 0; k < count * 3; k++) {
            local[k / 3][k % 3] = points[k / 3][k % 3] - origin[k % 3];
            double size = fabs(local[k / 3][k % 3]);
            largest = size > largest ? size : largest;
        }
    }
    if (largest == 0.0) {
        return false;
    }
    int exponent = binary_exponent(largest);
    for (int k = 0; k < count * 3; k++) {
        local[k / 3][k % 3] = scale_by_power_of_two(local[k / 3][k % 3], -exponent);
    }
    return true;
}

/* Scales to length about 1 first: small vectors keep their direction. False for no vector. */
static bool normalise(double v[3])
{
    double largest = larger(fabs(v[0]), larger(fabs(v[1]), fabs(v[2])));
    if (!(largest > 0.0)) {
        return false;
    }
    int exponent = binary_exponent(largest);
    for (int axis = 0; axis < 3; axis++) {
        v[axis] = scale_by_power_of_two(v[axis], -exponent);
    }
    double length = sqrt(vector_dot(v, v));
    for (int axis = 0; axis < 3; axis++) {
        v[axis] /= length;
    }
    return true;
}

void face_unit_normal(const double *const face[3], double normal[3])
{
    double side[2][3];
    if (!local_vectors(face[0], face + 1, 2, side)) {
        normal[0] = normal[1] = 0.0;
        normal[2] = 1.0;
        return;
    }
    vector_cross(side[0], side[1], normal);
    if (normalise(normal)) {
        return;
    }
    /* No area. Normal to the longest side: the cross product with the axis it is farthest from. */
    const double *longest = vector_dot(side[0], side[0]) > vector_dot(side[1], side[1]) ? side[0] : side[1];
    int least = 0;
    for (int axis = 1; axis < 3; axis++) {
        least = fabs(longest[axis]) < fabs(longest[least]) ? axis : least;
    }
    double unit[3] = {least == 0, least == 1, least == 2};
    vector_cross(longest, unit, normal);
    normalise(normal);
}

/* The edge lies in the plane of the face, up to rounding: the middle of the part of it that the face covers, seen along
 * the normal. */
static double middle_of_common_part(const double p[3], const double q[3], const double *const face[3])
{
    const double *points[4] = {face[1], face[2], p, q};
    double local[4][3], sides[2][3], normal[3];
    double first = 0.0, last = 1.0;
    if (!local_vectors(face[0], points, 4, local)) {
        return 0.5;
    }
    for (int axis = 0; axis < 3; axis++) {
        sides[0][axis] = local[0][axis];
        sides[1][axis] = local[1][axis];
    }
    vector_cross(sides[0], sides[1], normal);
    const double origin[3] = {0, 0, 0};
    const double *corners[3] = {origin, local[0], local[1]};
    for (int k = 0; k < 3; k++) {
        const double *from = corners[k], *to = corners[k == 2 ? 0 : k + 1];
        double along[3], inward[3], start[3], finish[3];
        for (int axis = 0; axis < 3; axis++) {
            along[axis] = to[axis] - from[axis];
            start[axis] = local[2][axis] - from[axis];
            finish[axis] = local[3][axis] - from[axis];
        }
        vector_cross(normal, along, inward);
        double begin = vector_dot(inward, start), end = vector_dot(inward, finish);
        if (begin < 0.0 && end > 0.0) {
            double t = begin / (begin - end);
            first = t > first ? t : first;
        } else if (begin > 0.0 && end < 0.0) {
            double t = begin / (begin - end);
            last = t < last ? t : last;
        }
    }
    double middle = 0.5 * (first + last);
    return clamp(middle == middle ? middle : 0.5, 0.0, 1.0);
}

double edge_face_point(const double p[3], const double q[3], const double *const face[3], double point[3])
{
    struct scaled_double first = signed_volume(face[0], face[1], face[2], p);
    struct scaled_double second = signed_volume(face[0], face[1], face[2], q);
    double parameter;
    if (first.mantissa == 0.0 && second.mantissa == 0.0) {
        parameter = middle_of_common_part(p, q, face);
    } else {
        int largest = second.mantissa == 0.0 || (first.mantissa != 0.0 && first.exponent > second.exponent)
                          ? first.exponent
                          : second.exponent;
        double a = first.mantissa == 0.0 ? 0.0 : fabs(scale_by_power_of_two(first.mantissa, first.exponent - largest));
        double b =
            second.mantissa == 0.0 ? 0.0 : fabs(scale_by_power_of_two(second.mantissa, second.exponent - largest));
        parameter = a / (a + b);
    }
    for (int axis = 0; axis < 3; axis++) {
        double low = smaller(p[axis], q[axis]), high = larger(p[axis], q[axis]);
        double face_low = smaller(face[0][axis], smaller(face[1][axis], face[2][axis]));
        double face_high = larger(face[0][axis], larger(face[1][axis], face[2][axis]));
        double value = (1.0 - parameter) * p[axis] + parameter * q[axis];
        point[axis] = clamp(clamp(value, low, high), face_low, face_high);
    }
    return parameter;
}
