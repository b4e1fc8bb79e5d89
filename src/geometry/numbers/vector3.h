/* Vectors of three doubles for depths and directions: fixed sequences of operations, lengths that neither overflow nor
 * vanish. Multiplying all coordinates by a power of two multiplies the lengths by it, bit for bit.
 */
#ifndef DENT_GEOMETRY_VECTOR3_H
#define DENT_GEOMETRY_VECTOR3_H

#include <math.h>
#include <stdbool.h>

#include "base/containers/vectors.h"
#include "geometry/numbers/power_of_two.h"

static inline void vector_copy(const double a[3], double out[3])
{
    for (int axis = 0; axis < 3; axis++) {
        out[axis] = a[axis];
    }
}

static inline double vector_largest(const double a[3])
{
    double largest = fabs(a[0]);
    largest = fabs(a[1]) > largest ? fabs(a[1]) : largest;
    return fabs(a[2]) > largest ? fabs(a[2]) : largest;
}

static inline double vector_length(const double a[3])
{
    double largest = vector_largest(a);
    if (largest > 0x1p-400 && largest < 0x1p400) {
        return sqrt(vector_dot(a, a));
    }
    if (!(largest > 0)) {
        return 0;
    }
    int exponent = binary_exponent(largest);
    double scaled[3];
    for (int axis = 0; axis < 3; axis++) {
        scaled[axis] = scale_by_power_of_two(a[axis], -exponent);
    }
    return scale_by_power_of_two(sqrt(vector_dot(scaled, scaled)), exponent);
}

/* Unit length; false, and unchanged, for no vector at all. */
static inline bool vector_normalise(double a[3])
{
    double largest = vector_largest(a);
    if (!(largest > 0) || !(largest < INFINITY)) {
        return false;
    }
    int exponent = binary_exponent(largest);
    double scaled[3];
    for (int axis = 0; axis < 3; axis++) {
        scaled[axis] = scale_by_power_of_two(a[axis], -exponent);
    }
    double length = sqrt(vector_dot(scaled, scaled));
    for (int axis = 0; axis < 3; axis++) {
        a[axis] = scaled[axis] / length;
    }
    return true;
}

#endif
