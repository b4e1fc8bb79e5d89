/* view_vectors.h — vectors of three doubles for what the viewer draws: this library sees include/dent alone, so it has its
 * own copy of these two. */
#ifndef VIEW_VECTORS_H
#define VIEW_VECTORS_H

static inline double view_dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void view_cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

#endif
