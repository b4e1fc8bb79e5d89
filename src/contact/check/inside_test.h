/* Is a point in the interior of a body? Exact.
 *
 * A solid's interior is that of the union of its closed cells: inner faces, edges and vertices belong to it. A closed
 * surface's interior is where it winds around the point, the surface itself left out. Any thread.
 */
#ifndef DENT_CONTACT_INSIDE_TEST_H
#define DENT_CONTACT_INSIDE_TEST_H

#include "contact/check/check_run.h"

/* Cells that have one of the excluded vertices (of y itself) do not count: how a body is asked about itself. */
struct exclusion {
    const uint32_t *vertices;
    uint32_t count;
};

bool point_is_inside_solid(const struct check_run *run, const struct check_body *y, const double p[3],
                           const struct exclusion *exclusion, struct check_tally *tally);

/* VERTEX_INSIDE, VERTEX_OUTSIDE or VERTEX_ON for the exact mean of one to three points with respect to a closed
 * surface. */
int point_versus_closed_surface(const struct check_body *y, const double *const points[], int point_count,
                                struct check_tally *tally);

/* Inside a solid or a closed surface; never inside an open one. */
bool point_is_inside(const struct check_run *run, const struct check_body *y, const double p[3],
                     const struct exclusion *exclusion, struct check_tally *tally);

/* The winding numbers of a closed surface on the two sides of one of its faces, at the face's centroid: [0] on the side
 * its normal points to, [1] on the other. False when the face is degenerate or another face passes through its
 * centroid. */
bool windings_beside_face(const struct check_body *x, uint32_t face, int windings[2], struct check_tally *tally);

#endif
