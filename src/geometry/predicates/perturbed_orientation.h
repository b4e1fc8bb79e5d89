/* Orientation signs that are never zero: every point moved by an infinitesimal amount of its own, chosen by its number.
 *
 * Simulation of simplicity (Edelsbrunner and Mücke 1990). Coordinate j of the point with number i is thought of as
 * x + e(i, j) with e(i, j) so small, and so much smaller for larger i, that every determinant of different points has a
 * sign: that of the first coefficient of its expansion in the e that is not zero. The signs are those of one real
 * configuration near the given one, so whatever holds for all meshes in general position holds for them; and what is
 * true in an open set of positions (a vertex in an open cell, a closed face that meets an open cell) stays true under
 * so small a move. The contour walk rests on both facts.
 *
 * In: positions and numbers. Out: signs; 0 only when two of the points are the same point (equal numbers).
 */
#ifndef DENT_GEOMETRY_PERTURBED_ORIENTATION_H
#define DENT_GEOMETRY_PERTURBED_ORIENTATION_H

#include <stdbool.h>

#include "geometry/predicates/orientation_predicates.h"

struct numbered_point {
    const double *xyz;
    uint32_t number; /* equal numbers: the same point */
};

/* What is left when the filter cannot decide. *zero is set when the points are exactly in one plane. */
int perturbed_orientation_slow(struct numbered_point a, struct numbered_point b, struct numbered_point c,
                               struct numbered_point d, bool *zero, predicate_counters *counters);

/* Sign of det[b - a, c - a, d - a] of the moved points. *zero becomes true when that of the given points is zero. */
static inline int perturbed_orientation(struct numbered_point a, struct numbered_point b, struct numbered_point c,
                                        struct numbered_point d, bool *zero, predicate_counters *counters)
{
    double bound;
    double determinant = orientation_3d_determinant(a.xyz, b.xyz, c.xyz, d.xyz, &bound);
    if (fabs(determinant) > bound) {
        return determinant > 0.0 ? 1 : -1;
    }
    return perturbed_orientation_slow(a, b, c, d, zero, counters);
}

/* The line from s to t goes through the face; *zero becomes true when it does so for the moved points only. */
static inline bool perturbed_line_pierces(struct numbered_point s, struct numbered_point t,
                                          const struct numbered_point face[3], bool *zero,
                                          predicate_counters *counters)
{
    int first = perturbed_orientation(s, t, face[0], face[1], zero, counters);
    return first != 0 && first == perturbed_orientation(s, t, face[1], face[2], zero, counters) &&
           first == perturbed_orientation(s, t, face[2], face[0], zero, counters);
}

/* Of the corners of a face over the plane of another; a common corner has height 0. */
struct corner_heights {
    int sign[3];
    bool zero[3]; /* for the moved points only */
};

/* The heights of b's corners over the plane of a. False when they are all on one side: the faces do not cross. Two
 * faces in general position cross when both straddle the other's plane and an edge whose ends differ in height pierces
 * the other face. */
static inline bool face_straddles(const struct numbered_point a[3], const struct numbered_point b[3],
                                  struct corner_heights *heights, predicate_counters *counters)
{
    int lowest = 1, highest = -1;
    for (int k = 0; k < 3; k++) {
        heights->zero[k] = false;
        int sign = heights->sign[k] = perturbed_orientation(a[0], a[1], a[2], b[k], &heights->zero[k], counters);
        lowest = sign < lowest ? sign : lowest;
        highest = sign > highest ? sign : highest;
    }
    return lowest < 0 && highest > 0;
}

#endif
