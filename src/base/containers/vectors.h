/* Vectors of three doubles: fixed sequences of operations, so that all that use them round alike. Results may be one of
 * the arguments.
 */
#ifndef DENT_BASE_VECTORS_H
#define DENT_BASE_VECTORS_H

static inline void vector_subtract(const double a[3], const double b[3], double out[3])
{
    for (int axis = 0; axis < 3; axis++) {
        out[axis] = a[axis] - b[axis];
    }
}

/* out += factor * a */
static inline void vector_add_scaled(double out[3], double factor, const double a[3])
{
    for (int axis = 0; axis < 3; axis++) {
        out[axis] += factor * a[axis];
    }
}

static inline double vector_dot(const double a[3], const double b[3])
{
    return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
}

static inline void vector_cross(const double a[3], const double b[3], double out[3])
{
    double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2], z = a[0] * b[1] - a[1] * b[0];
    out[0] = x;
    out[1] = y;
    out[2] = z;
}

#endif
