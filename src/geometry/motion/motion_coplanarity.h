/* The elementary tests of the chapter (Redon 2006, eqs. 21 and 22), beside the distances of hulls (motion_inclusion.h).
 *
 *     vertex a and face b c d:   f(t) = ab . (bc x bd)
 *     edges ab and cd:           f(t) = ac . (ab x cd)
 *
 * Two faces that are apart at the beginning of a piece of time can only meet in it if one of their 6 vertex-face and 9
 * edge-edge pairs does, and f of that pair is then 0. Each f is bounded by interval arithmetic with outward rounding
 * over the piece. If no f can be 0, the faces stay apart. The reverse does not hold: features far from each other are
 * coplanar now and then. So the caller halves time, and where a piece is short asks for the distance. */
#ifndef DENT_GEOMETRY_MOTION_COPLANARITY_H
#define DENT_GEOMETRY_MOTION_COPLANARITY_H

#include "geometry/motion/motion_inclusion.h"

/* True: two faces (3 points each) that are apart at s = first stay so up to s = last. */
bool faces_never_coplanar(const double (*a)[3], const struct moving_points *b, double first, double last);

#endif
