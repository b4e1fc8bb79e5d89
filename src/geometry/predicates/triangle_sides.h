/* The sides of one triangle's corners of the other's plane, and the arrangement of a pair in which both straddle.
 * Shared by the exact decision (triangle_predicates.c) and the metric facts (triangle_crossing.c). */
#ifndef DENT_GEOMETRY_TRIANGLE_SIDES_H
#define DENT_GEOMETRY_TRIANGLE_SIDES_H

#include <stdbool.h>

#include "geometry/predicates/orientation_predicates.h"

struct triangle_sides {
    int side[3];
};

/* Of the corners of `triangle` with respect to the plane of `plane`; all zero also when `plane` is collinear. */
static inline struct triangle_sides sides_of_plane(const double *const plane[3], const double *const triangle[3],
                                                   predicate_counters *counters)
{
    struct triangle_sides sides;
    for (int k = 0; k < 3; k++) {
        sides.side[k] = orientation_3d_counted(plane[0], plane[1], plane[2], triangle[k], counters);
    }
    return sides;
}

static inline bool sides_are_strict(const struct triangle_sides *sides)
{
    return sides->side[0] != 0 && sides->side[0] == sides->side[1] && sides->side[0] == sides->side[2];
}

static inline bool sides_are_zero(const struct triangle_sides *sides)
{
    return (sides->side[0] | sides->side[1] | sides->side[2]) == 0;
}

/* Corners strictly on both sides. */
static inline bool sides_straddle(const struct triangle_sides *sides)
{
    bool above = sides->side[0] > 0 || sides->side[1] > 0 || sides->side[2] > 0;
    bool below = sides->side[0] < 0 || sides->side[1] < 0 || sides->side[2] < 0;
    return above && below;
}

/* Corner 0 of each triangle is alone strictly on its side of the other's plane, the positive side for the order of
 * corners given here. Let i1, i2 be where the edges a0a1, a0a2 meet the common line of the planes, and k1, k2 the
 * same for b. Then along the line (in one of its directions) i1 < i2, k2 < k1, and orientation(a0, ax, b0, by) has
 * the sign of ix - ky. */
struct straddling_pair {
    const double *a[3], *b[3];
};

static inline int lone_corner(const struct triangle_sides *sides)
{
    for (int k = 0; k < 2; k++) {
        int next = k + 1, last = k == 0 ? 2 : 0;
        if (sides->side[k] != 0 && sides->side[next] != sides->side[k] && sides->side[last] != sides->side[k]) {
            return k;
        }
    }
    return 2;
}

static inline struct straddling_pair arrange_straddling_pair(const double *const a[3],
                                                             const struct triangle_sides *sides_a,
                                                             const double *const b[3],
                                                             const struct triangle_sides *sides_b)
{
    int lone_a = lone_corner(sides_a), lone_b = lone_corner(sides_b);
    /* Turning one triangle over changes the sign of the other's sides. */
    int turn_a = sides_b->side[lone_b] < 0, turn_b = sides_a->side[lone_a] < 0;
    struct straddling_pair pair;
    pair.a[0] = a[lone_a];
    pair.a[1 + turn_a] = a[(lone_a + 1) % 3];
    pair.a[2 - turn_a] = a[(lone_a + 2) % 3];
    pair.b[0] = b[lone_b];
    pair.b[1 + turn_b] = b[(lone_b + 1) % 3];
    pair.b[2 - turn_b] = b[(lone_b + 2) % 3];
    return pair;
}

#endif
