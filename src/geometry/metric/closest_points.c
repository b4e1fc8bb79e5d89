/* Closest point of a triangle: the foot of the perpendicular when it falls inside, else the closest of the three
 * edges' points.
 *
 * The foot is accepted only when its three weights, each from the triangle's normal, are positive; a sliver whose
 * normal is lost to rounding falls back to its edges, which are never farther than rounding from the truth then. All
 * candidates are compared by distance, so no chain of region tests can end in the wrong region. Coordinates are
 * relative to p and scaled to about 1.
 */
#include "geometry/metric/closest_points.h"

#include <float.h>
#include <math.h>

#include "geometry/metric/closest_points_local.h"

static struct candidate closest_of_triangle(const struct local_corners *local)
{
    struct candidate best = candidate_of_edge(local, 0, 1), foot;
    best = better_of(best, candidate_of_edge(local, 1, 2));
    best = better_of(best, candidate_of_edge(local, 2, 0));
    return candidate_of_foot(local, &foot) ? better_of(best, foot) : best;
}

/* Turns a candidate into a point in the corners' box and a distance. */
static double finish(const struct candidate *candidate, int exponent, const double *const corners[], int count,
                     double closest[3])
{
    weighted_point(candidate->weight, corners, count, closest);
    double distance = scale_by_power_of_two(sqrt(candidate->squared), exponent);
    return distance < DBL_MAX ? distance : DBL_MAX;
}

double distance_to_triangle(const double p[3], const double *const triangle[3], double closest[3])
{
    struct local_corners local = corners_seen_from(p, triangle, 3);
    struct candidate best = closest_of_triangle(&local);
    return finish(&best, local.exponent, triangle, 3, closest);
}
