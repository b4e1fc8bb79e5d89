/* How often a closed triangle surface winds around a point: exact for all finite doubles.
 *
 * For a closed, consistently oriented surface; positive (1 for a simple solid) inside when the faces' normals, (p1 -
 * p0) x (p2 - p0), point outward. For a surface that is not closed the number means nothing, but the call is still
 * safe. Pure functions; any thread; O(triangles), with a box test for most of them.
 */
#ifndef DENT_GEOMETRY_WINDING_NUMBER_H
#define DENT_GEOMETRY_WINDING_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "geometry/predicates/predicate_kinds.h"

/* *on_surface: p lies on a closed triangle (and then the number is 0). */
int winding_number(const double p[3], const double (*positions)[3], const uint32_t (*triangles)[3],
                   size_t triangle_count, predicate_counters *counters, bool *on_surface);

/* The same at the exact mean of one to three points, which need not be a double: a midpoint or a centroid. */
int winding_number_at_mean(const double *const points[], int point_count, const double (*positions)[3],
                           const uint32_t (*triangles)[3], size_t triangle_count, predicate_counters *counters,
                           bool *on_surface);

#endif
