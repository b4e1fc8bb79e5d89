/* The impact test of a vertex and a face that is at rest: a segment from..to against a closed triangle. The answer is that
 * of impact_test.h, at a tenth of its cost: D is linear
 * in time, and its root needs no search.
 *
 * Everything is relative to `from`: A, B, C are the vectors to the corners, d = to - from, a = C - A and so on the sides,
 * N = a x b. With the volumes V0 = d . (B x C), V1 = d . (C x A), V2 = d . (A x B)
 *   - two strict and opposite signs: the line misses the face;
 *   - three equal and strict signs: the line meets its interior, at t = A . N / d . N.
 * Everything else, an edge or a corner hit or a ray in the plane of the face, is left to impact_test().
 *
 * Bounds (u = 2^-53). A rounded difference has relative error u. A volume of three of them, x . (y x z), has six products
 * of at most X Y Z, the largest components, and eight roundings on each: 48u XYZ to first order; used are 64u. Sizes
 * outside (2^-300, 2^300) are left alone, so nothing overflows, and underflow is far below the bounds.
 */
#ifndef DENT_GEOMETRY_IMPACT_STILL_FACE_H
#define DENT_GEOMETRY_IMPACT_STILL_FACE_H

#include "geometry/impact/impact_test.h"

enum still_face_answer {
    STILL_FACE_FREE, /* certainly no contact at t <= t_limit */
    STILL_FACE_HIT,  /* certainly in contact; the time is between *low and *high */
    STILL_FACE_OPEN  /* impact_test() decides */
};

/* Of finite coordinates, in ordinary arithmetic. *low and *high, both in (0, 1), hold the exact time and its toi. */
enum still_face_answer still_face_test(const double from[3], const double to[3], const double *const corners[3],
                                       double t_limit, double *low, double *high);

/* The same as a question for impact_test.h: the vertex first, then the corners. */
void still_face_vertices(const double from[3], const double to[3], const double *const corners[3],
                         struct impact_vertex vertices[4]);

/* The general test. */
void still_face_decide(const double from[3], const double to[3], const double *const corners[3], double t_limit,
                       struct impact_result *result);

/* Writes u, v and the normal of the contact at result->toi, by the operations of impact_test(). */
void still_face_describe(const struct impact_vertex vertices[4], struct impact_result *result);

#endif
