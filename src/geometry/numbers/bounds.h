/* Axis-aligned bounds, closed: of points, of two bounds, and whether two have a point in common. For doubles and, with
 * `float_` in front, for floats. The functions take the two corners, so that they serve every structure that has them.
 * Cleared bounds hold nothing: they meet none, and adding them changes none. Coordinates are never NaN. */
#ifndef DENT_GEOMETRY_BOUNDS_H
#define DENT_GEOMETRY_BOUNDS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#define BOUNDS_FUNCTIONS(number, prefix)                                                                               \
    static inline void prefix##bounds_clear(number lo[3], number hi[3])                                                \
    {                                                                                                                  \
        for (int axis = 0; axis < 3; axis++) {                                                                         \
            lo[axis] = (number)INFINITY;                                                                               \
            hi[axis] = -(number)INFINITY;                                                                              \
        }                                                                                                              \
    }                                                                                                                  \
    static inline void prefix##bounds_add(number lo[3], number hi[3], const number more_lo[3],                         \
                                          const number more_hi[3])                                                     \
    {                                                                                                                  \
        for (int axis = 0; axis < 3; axis++) {                                                                         \
            lo[axis] = more_lo[axis] < lo[axis] ? more_lo[axis] : lo[axis];                                            \
            hi[axis] = more_hi[axis] > hi[axis] ? more_hi[axis] : hi[axis];                                            \
        }                                                                                                              \
    }                                                                                                                  \
    static inline bool prefix##bounds_meet(const number lo_a[3], const number hi_a[3], const number lo_b[3],           \
                                           const number hi_b[3])                                                       \
    {                                                                                                                  \
        return lo_a[0] <= hi_b[0] && lo_b[0] <= hi_a[0] && lo_a[1] <= hi_b[1] && lo_b[1] <= hi_a[1] &&                 \
               lo_a[2] <= hi_b[2] && lo_b[2] <= hi_a[2];                                                               \
    }

BOUNDS_FUNCTIONS(double, )
BOUNDS_FUNCTIONS(float, float_)

static inline void bounds_add_point(double lo[3], double hi[3], const double point[3])
{
    bounds_add(lo, hi, point, point);
}

/* Of some vertices, at least one. */
static inline void bounds_of_vertices(double lo[3], double hi[3], const double (*xyz)[3], const uint32_t *vertices,
                                      uint32_t count)
{
    for (int axis = 0; axis < 3; axis++) {
        lo[axis] = hi[axis] = xyz[vertices[0]][axis];
    }
    for (uint32_t i = 1; i < count; i++) {
        bounds_add_point(lo, hi, xyz[vertices[i]]);
    }
}

#endif
