/* How deep: an estimate by fixed double arithmetic, the same bits on every machine and for any number of threads.
 *
 * The deepest of several kinds of witnesses; see max_depth in dent/penetration.h. Nothing exact is decided here.
 */
#ifndef DENT_CONTACT_PENETRATION_DEPTH_H
#define DENT_CONTACT_PENETRATION_DEPTH_H

#include "contact/check/check_run.h"
#include "contact/check/inside_test.h"

/* Distance from p to the nearest surface face of y (faces with an excluded vertex left out); DBL_MAX when there is
 * none. As soon as a face not farther than `enough` is found its distance is returned instead: it cannot be the
 * deepest. */
double distance_to_surface(const struct check_body *y, const double p[3], const struct exclusion *exclusion,
                           double enough, struct check_tally *tally);

/* Vertices of x inside y, and centroids of overlapping elements of x inside y: their distance to y's surface. */
dent_status stage_depth_of_points(struct check_run *run, struct check_side *side);

/* Surface faces of overlapping elements of x that cross surface faces of y: the shortest translation that parts the
 * two. */
dent_status stage_depth_of_crossings(struct check_run *run, struct check_side *side);

/* Two closed surfaces that coincide in places: the middle of the chord below such a face, inside both. */
dent_status stage_depth_of_chords(struct check_run *run, struct check_side *side);

/* When a pair penetrates and the witnesses above found nothing: overlapping tetrahedra (and faces in them), parted as
 * convex bodies. */
dent_status stage_depth_of_last_resort(struct check_run *run, struct check_side *side);

#endif
