/* Bounding volumes that move: are two of them apart during a whole piece of time?
 *
 * Everything happens in the coordinates of body a, where a's volumes rest and b's move by a motion_piece. Over the
 * piece the centre of a volume of b goes along a short line, up to the rest of the piece, and the volume turns about
 * it: along a direction n its points leave the box of the middle by at most half * radius * |w x n|, w the angular
 * velocity. So the moving box lies in
 *
 *     box in the middle  +  line from -sweep to +sweep  +  ball of radius `rest`  +  the turn
 *
 * and is tested as that: spheres by the distance of the centres (turning does not move a sphere); boxes of a along a's
 * own axes (swept boxes); oriented boxes on the 15 axes of Gottschalk et al. (1996). Along an axis the two intervals
 * meet from one time to another, and they meet altogether only while they do so on all axes. With interval bounds the
 * line is a point and the ball is the width of the intervals: that is the 15-axis interval test of Redon et al. (2002).
 *
 * Rounding: a test compares sums of at most 12 products whose terms are bounded by the lengths that motion_bounds.h
 * puts into the rest 64 roundings of; that the axes are orthonormal to within 16 roundings only is allowed for by
 * volumes_apart.
 */
#ifndef DENT_GEOMETRY_MOTION_VOLUMES_H
#define DENT_GEOMETRY_MOTION_VOLUMES_H

#include <dent/motion.h>

#include "geometry/motion/motion_bounds.h"

/* A volume of a rigid body, in the body's coordinates: the points centre + sum s_j axis_j, |s_j| <= half_extent_j, and
 * at the same time those within `radius` of the centre. */
struct motion_volume {
    double centre[3];
    double half_extent[3];
    double radius;
    double reach;   /* bounds |x| of all points */
    float turn[4];  /* quaternion w, x, y, z, nearly of unit length: its matrix has the axes as columns */
    uint32_t size;  /* of a leaf: faces; 0: an inner node */
    uint32_t first; /* first face of a leaf, in the order of the tree; or the first of two children */
};

/* A volume of b seen by a over a piece. */
struct placed_volume {
    double centre[3], sweep[3], half_extent[3], axes[9];
    double spin[3]; /* half * radius * spin of the piece */
    double radius, sweep_length, rest;
};

/* A volume of a body whose vertices move on straight lines: boxes along the axes of the world, at both ends. */
struct linear_volume {
    double centre[2][3];
    double half_extent[3]; /* the larger of both ends */
    double radius, reach;
    uint32_t size, first;
};

/* The axes, column j is axis j: axes[3 * i + j]; orthonormal to within 16 roundings whatever the floats are. */
static inline void volume_axes(const struct motion_volume *volume, double axes[9])
{
    double w = (double)volume->turn[0], x = (double)volume->turn[1], y = (double)volume->turn[2];
    double z = (double)volume->turn[3], s = 2 / ((w * w + x * x) + (y * y + z * z));
    double sx = s * x, sy = s * y, sz = s * z;
    axes[0] = 1 - (sy * y + sz * z);
    axes[1] = sx * y - sz * w;
    axes[2] = sx * z + sy * w;
    axes[3] = sx * y + sz * w;
    axes[4] = 1 - (sx * x + sz * z);
    axes[5] = sy * z - sx * w;
    axes[6] = sx * z - sy * w;
    axes[7] = sy * z + sx * w;
    axes[8] = 1 - (sx * x + sy * y);
}

void place_volume(const struct motion_piece *piece, const struct motion_volume *volume, struct placed_volume *placed);
void place_linear_volume(const struct motion_piece *piece, double middle, const struct linear_volume *volume,
                         struct placed_volume *placed);

/* The part of a piece during which two volumes may meet: from `first` to `last`, -1 the begin of the piece, 1 its end.
 */
struct piece_window {
    double first, last;
    bool soon; /* apart but for the rest, which falls with the square of the piece: halving time will help */
};

/* True: apart by more than `more` throughout the window. False: the window is narrowed to the time during which they
 * may be nearer. `volume` is one of SPHERE, ALIGNED_BOX, ORIENTED_BOX. */
bool volumes_apart(dent_motion_volume kind, const struct motion_volume *a, const struct placed_volume *b, double more,
                   struct piece_window *window);

#endif
