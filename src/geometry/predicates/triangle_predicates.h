/* Triangle against triangle and point against triangle: exact for all finite doubles, and the metric facts of a
 * crossing.
 *
 * A triangle is the convex hull of its corners; a degenerate one is a segment or a point with its own relative
 * interior. Pure functions; any thread.
 */
#ifndef DENT_GEOMETRY_TRIANGLE_PREDICATES_H
#define DENT_GEOMETRY_TRIANGLE_PREDICATES_H

#include <stdbool.h>

#include "geometry/predicates/predicate_kinds.h"

/* All six corners in one plane: COPLANAR iff the triangles share area, else TOUCHING iff they meet. Otherwise:
 * CROSSING iff the relative interiors meet, else TOUCHING iff the closed triangles meet, else NONE. Symmetric in a
 * and b. */
face_pair_kind triangle_versus_triangle(const double *const a[3], const double *const b[3],
                                        predicate_counters *counters);

/* p in the closed triangle. */
bool point_in_triangle_closed(const double p[3], const double *const triangle[3], predicate_counters *counters);

/* The two closed triangles share a point: triangle_versus_triangle(...) != FACE_PAIR_NONE. */
bool triangles_meet(const double *const a[3], const double *const b[3], predicate_counters *counters);

/* For a CROSSING pair: the end points of the common segment (equal ones when it is a point), the lexicographically
 * smaller first. Which edges make the ends is decided exactly; each end is then one fixed sequence of double
 * operations, the same bits when a and b change places or their corners are permuted. Finite, and inside both
 * triangles' boxes. For other pairs the result is finite and means nothing. */
void common_segment(const double *const a[3], const double *const b[3], double end0[3], double end1[3]);

/* Length of the shortest translation of one triangle that ends their overlap, by fixed double arithmetic: >= 0, finite,
 * symmetric; 0 for separated pairs, and for pairs in one plane, which the slightest move along its normal separates. An
 * estimate for reports; decides nothing. */
double triangle_separation_depth(const double *const a[3], const double *const b[3]);

#endif
