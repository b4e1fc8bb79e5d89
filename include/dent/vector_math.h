/* dent/vector_math.h — plain value types. Includes no other header of dent.
 *
 * These helpers round as written (build with -ffp-contract=off, as dent itself is). No decision of the library depends
 * on them: every yes/no result comes from the exact predicates.
 */
#ifndef DENT_VECTOR_MATH_H
#define DENT_VECTOR_MATH_H

#include <math.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dent_vec3 {
    double x, y, z;
} dent_vec3;

static inline dent_vec3 dent_vec3_make(double x, double y, double z)
{
    dent_vec3 v;
    v.x = x;
    v.y = y;
    v.z = z;
    return v;
}

static inline dent_vec3 dent_vec3_add(dent_vec3 a, dent_vec3 b)
{
    return dent_vec3_make(a.x + b.x, a.y + b.y, a.z + b.z);
}

static inline dent_vec3 dent_vec3_subtract(dent_vec3 a, dent_vec3 b)
{
    return dent_vec3_make(a.x - b.x, a.y - b.y, a.z - b.z);
}

static inline dent_vec3 dent_vec3_scale(dent_vec3 a, double s)
{
    return dent_vec3_make(a.x * s, a.y * s, a.z * s);
}

static inline double dent_vec3_dot(dent_vec3 a, dent_vec3 b)
{
    return (a.x * b.x + a.y * b.y) + a.z * b.z;
}

static inline dent_vec3 dent_vec3_cross(dent_vec3 a, dent_vec3 b)
{
    return dent_vec3_make(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static inline double dent_vec3_length(dent_vec3 a)
{
    return sqrt(dent_vec3_dot(a, a));
}

#ifdef __cplusplus
}
#endif

#endif
