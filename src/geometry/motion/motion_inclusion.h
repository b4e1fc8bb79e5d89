/* The elementary test along a motion: do two faces, a vertex and a face, or two edges stay apart over a piece of time?
 *
 * The map (t, u, v) -> difference of a point of b and a point of a is tested for a zero. Over a piece of time the
 * vertices of b move on short lines, up to a ball of radius `rest` (motion_bounds.h), so the image of the whole box
 * lies in the difference of two convex hulls, a's points and both ends of the lines of b's points, grown by the ball. u
 * and v need no subdivision, therefore: the distance of the two hulls is found at once, by a walk over simplices as in
 * convex_gjk.c, and only time is split. A vertex and a face are hulls of 1 and 3 points, edges of 2 and 2, faces of 3
 * and 3; two faces meet iff one of their 15 vertex-face and edge-edge pairs does.
 *
 * The walk only proposes directions. Apart means: along such a direction all points of b lie beyond all points of a by
 * more than `rest`, which holds 64 roundings of the largest length against the rounding of these dot products.
 */
#ifndef DENT_GEOMETRY_MOTION_INCLUSION_H
#define DENT_GEOMETRY_MOTION_INCLUSION_H

#include "geometry/motion/motion_bounds.h"

/* Points of b over a piece, in the coordinates of a: at time s of the piece, from -1 to 1, point k is at
 * place[k] + s sweep[k], up to the rest. */
struct moving_points {
    double position[3][3], sweep[3][3];
    int count;
    double rest;
    double motion; /* no point is farther than this from its position during the piece */
};

/* Corners in the coordinates of b that move rigidly with the piece. */
void move_points(const struct motion_piece *piece, const double (*corners)[3], int count, struct moving_points *moving);

/* Corners that go on straight lines in the coordinates of b (of the world). */
void move_linear_points(const struct motion_piece *piece, double middle, const double (*start)[3],
                        const double (*end)[3], int count, struct moving_points *moving);

/* True: the hulls stay apart by more than `more` from s = first to s = last. */
bool points_stay_apart(const double (*a)[3], int count_a, const struct moving_points *b, double first, double last,
                       double more);

/* The shortest distance at s = 0, up to rounding and the rest, and its direction from a to b; 0 where they meet. */
double points_distance(const double (*a)[3], int count_a, const struct moving_points *b, double direction[3]);

/* Conservative advancement along the lines (Mirtich; Tang et al. 2009): from s = first on, steps as long as the
 * distance, along its own direction, cannot be used up. Returns how far it got: nothing touches before; above `last`
 * when nothing touches at all. It stops when the distance is at most `near` or hardly more than the rest, or after some
 * steps. */
struct advance {
    double s;
    double distance; /* at s, an upper bound up to rounding, the rest not included */
    double approach; /* by how much the distance falls at most from s to s + 1 */
};
struct advance advance_points(const double (*a)[3], int count_a, const struct moving_points *b, double first,
                              double last, double near);

#endif
