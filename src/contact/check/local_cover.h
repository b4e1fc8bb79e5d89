/* Does a pile of closed tetrahedra that all have a point on their boundary cover a neighbourhood of it? Exact.
 *
 * This is what tells an inner face, edge or vertex of a solid from its surface without trusting the mesh: cells may be
 * inverted, overlap, or belong to parts that only meet by position. Pure functions; any thread.
 */
#ifndef DENT_CONTACT_LOCAL_COVER_H
#define DENT_CONTACT_LOCAL_COVER_H

#include <stdbool.h>
#include <stdint.h>

#include "geometry/predicates/predicate_kinds.h"

/* A tetrahedron (not flat) as seen from a point p of its boundary: near p it is a cone bounded by those of its four
 * planes that hold p. */
struct cone {
    const double *corners[4];
    int orientation; /* of the tetrahedron: 1 or -1 */
    uint32_t planes; /* bit k: p lies in the plane of the face opposite corner k */
};

/* What the tetrahedron is near p. *cone is filled for POINT_BOUNDARY of a tetrahedron that is not flat; a flat one has
 * an empty interior and covers nothing: POINT_OUTSIDE. */
point_relation cone_at_point(const double p[3], const double *const corners[4], struct cone *cone,
                             predicate_counters *counters);

/* True when the cones, together, contain all directions. `signs` is room for 6 * count bytes. */
bool cones_cover_neighbourhood(const struct cone *cones, uint32_t count, int8_t *signs, predicate_counters *counters);

#endif
