/* Points, triangles and tetrahedra against a tetrahedron: exact for all finite doubles.
 *
 * The open tetrahedron is its interior in space: empty when it is flat, the same set when it is inverted. The closed
 * one is the convex hull of its four corners, flat or not. Pure functions; any thread.
 */
#ifndef DENT_GEOMETRY_TETRAHEDRON_PREDICATES_H
#define DENT_GEOMETRY_TETRAHEDRON_PREDICATES_H

#include <stdbool.h>

#include "geometry/predicates/predicate_kinds.h"

/* p in the open tetrahedron. At most four orientations, two on the average for points outside. */
bool vertex_in_tetrahedron(const double p[3], const double t0[3], const double t1[3], const double t2[3],
                           const double t3[3], predicate_counters *counters);

/* INTERIOR: in the open tetrahedron. BOUNDARY: in the closed one otherwise. */
point_relation point_versus_tetrahedron(const double p[3], const double t0[3], const double t1[3], const double t2[3],
                                        const double t3[3], predicate_counters *counters);

/* INTERIOR: the closed triangle meets the open tetrahedron. TOUCHING: the closed sets meet otherwise. */
overlap_relation triangle_versus_tetrahedron(const double *const triangle[3], const double *const tetrahedron[4],
                                             predicate_counters *counters);

/* triangle_versus_tetrahedron(...) == OVERLAP_INTERIOR, cheaper. */
bool triangle_meets_open_tetrahedron(const double *const triangle[3], const double *const tetrahedron[4],
                                     predicate_counters *counters);

/* The open tetrahedra have a common point. */
bool tetrahedra_interiors_meet(const double *const a[4], const double *const b[4], predicate_counters *counters);

/* Barycentric coordinates of p: out[i] is the signed volume of the tetrahedron with corner i moved to p, over the
 * sum of the four. A metric result: one fixed sequence of double operations, exact integers stepping in (by a fixed
 * rule) for a volume whose sign the doubles leave open. Always finite. For p in the open tetrahedron all four are >=
 * 0 and their sum is 1 within 4 ulp. A flat tetrahedron gives 1/4 each. */
void barycentric_coordinates(const double p[3], const double *const tetrahedron[4], double out[4]);

#endif
