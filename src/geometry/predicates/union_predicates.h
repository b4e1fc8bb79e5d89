/* Points and triangles against a union of closed tetrahedra (a hexahedron, wedge or pyramid after splitting): exact.
 *
 * The interior of the union is its interior in space, so a point on the face between two of its tetrahedra is
 * inside. Any mix of positive, inverted, flat and overlapping tetrahedra is answered. At most UNION_TETRAHEDRA_MAX
 * of them. Pure functions; any thread; the rare local tests need some 60 kB of stack.
 */
#ifndef DENT_GEOMETRY_UNION_PREDICATES_H
#define DENT_GEOMETRY_UNION_PREDICATES_H

#include "geometry/predicates/predicate_kinds.h"

enum { UNION_TETRAHEDRA_MAX = 6 };

/* INTERIOR: in the interior of the union. BOUNDARY: in the union otherwise. */
point_relation point_versus_tetrahedra_union(const double p[3], const double *const tetrahedra[][4], int count,
                                             predicate_counters *counters);

/* INTERIOR: the closed triangle meets the interior of the union. TOUCHING: it meets the union otherwise. */
overlap_relation triangle_versus_tetrahedra_union(const double *const triangle[3], const double *const tetrahedra[][4],
                                                  int count, predicate_counters *counters);

#endif
