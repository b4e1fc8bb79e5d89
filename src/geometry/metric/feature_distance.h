/* Distance and closest points of a vertex and a face, and of two edges: the arithmetic behind the question `proximity`.
 *
 * One fixed sequence of double operations decides (feature_lanes.h, also for eight pairs at a time). It
 * depends on the positions alone, not on the order in which corners, ends or the two edges are given: they are first
 * put into lexicographic order of their coordinates. Any finite input is good: zero-area faces, zero-length and
 * parallel edges, coordinates from 1e-308 to 1e308. Pure functions; any thread.
 *
 * Accuracy. Let u = 2^-53 and E the largest |difference of coordinates| between the first point and the others. The
 * computed distance D and the true one d of the closed sets satisfy
 *
 *     D >= d - 32 u E   whatever candidate is taken, it is a point of the sets up to rounding; derived in
 *                       feature_lanes.h
 *     D <= d + 2^-22 E  of two edges; derived in feature_lanes.h
 *     D <= d + 8 u E    tested against exact rationals, not proven; 1.8 seen
 *
 * A search is conservative, therefore, when it finds every pair with d <= threshold + 32 u E; E is at most twice the
 * largest |coordinate|.
 */
#ifndef DENT_GEOMETRY_FEATURE_DISTANCE_H
#define DENT_GEOMETRY_FEATURE_DISTANCE_H

#include <float.h>
#include <math.h>
#include <stdbool.h>

struct closest_pair {
    double distance;     /* the number that decides; infinite when it overflows */
    double weights_a[2]; /* of the ends of edge a (vertex: 1 and 0); exactly 0 where an end takes no part */
    double weights_b[3]; /* of the corners of face b, or of the ends of edge b and 0 */
    double direction[3]; /* unit, from b to a; never NaN, see below */
};

/* The vertex p (side a) and the face (side b). With a distance of at most 2^-48 (32 u) times the widest side of the box
 * of all points, 2^-38 where the closest points lie inside both features, they touch: the closest points differ by
 * rounding, and the direction is the face's normal on the side of that difference, in the order of the corners where it
 * has none (distance 0). Where the normal vanishes up to rounding: the difference; the x axis with neither. */
void closest_of_vertex_and_face(const double p[3], const double *const corners[3], struct closest_pair *pair);

/* Edge a and edge b. When they touch: the same with the cross product of a and b, first to second end, for the
 * normal. */
void closest_of_edges(const double *const a[2], const double *const b[2], struct closest_pair *pair);

/* The distances alone, the same bits. */
double vertex_face_distance(const double p[3], const double *const corners[3]);
double edge_edge_distance(const double *const a[2], const double *const b[2]);

/* The decision: two features of thickness a and b are near iff this holds for their computed distance. The sum is
 * rounded to nearest and may be infinite. */
static inline bool distance_is_within(double distance, double thickness_a, double thickness_b)
{
    return distance <= thickness_a + thickness_b;
}

/* How far the boxes of a body of this thickness have to grow so that no pair is missed, where `largest` bounds all
 * |coordinates| of the world: if distance_is_within holds, two sets lie no farther apart on any axis than the two
 * growths together.
 *
 * The true distance of such a pair is at most fl(ta + tb) + 32 u E <= (ta + tb)(1 + u) + 64 u largest, and half a
 * step of the subnormal grid where the result is rounded there. Each body gets t (1 + 4u) + 64 u largest + 2^-1074,
 * in operations whose own rounding (2u of the sum) is covered by the spare 3u t and 64 u largest. Growths beyond four
 * times the largest coordinate reach everything: they are cut there, so that scaled boxes stay finite. A thickness
 * whose sum with another may overflow reaches everything, too: an infinite sum is met by infinite distances. */
static inline double growth_of_thickness(double thickness, double largest)
{
    double growth = (thickness * (1.0 + 0x1p-51) + 0x1p-46 * largest) + DBL_TRUE_MIN;
    double enough = 4.0 * largest;
    return growth < enough && thickness < 0x1p1022 ? growth : enough;
}

#endif
