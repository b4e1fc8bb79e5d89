/* Faces that are very near each other when a motion starts: how far apart they are, and how long they stay apart.
 *
 * The other tests know positions to 2^-42 of the size of a body only. At t = 0, however, a pose is a rational function
 * of the numbers it was given by, so there points are placed in double-double arithmetic. From there on growth is what
 * tells a retreat from a contact. Let b_j(t) be the corners of one face seen from the other, whose corners a_i rest,
 * and n(t) = n0 + t n1 any direction that turns. With
 *
 *     f_ij(t) = n(t) . (b_j(t) - a_i),   f_ij(0) >= L > 0,   f_ij'(0) >= r,   |f_ij''| <= K on [0, horizon]
 *
 * Taylor's theorem gives f_ij(t) >= L + r t - K t^2 / 2: the faces are apart up to the first zero of the nine
 * parabolas. L comes from the start, r and K from an enclosure of the motion (motion_bounds.h), all rounded to the safe
 * side.
 *
 * Which directions are tried decides how far this reaches, never whether it is true: the normal of a's face and in its
 * plane those of its edges, at rest; the same of b's face, turning with it; products of two edges, turning with b's
 * edge; and the direction of the shortest distance, at rest and turning with b. A direction that turns is needed where
 * an edge or a face of b, all of it equally near, tilts as it leaves.
 */
#ifndef DENT_GEOMETRY_MOTION_START_H
#define DENT_GEOMETRY_MOTION_START_H

#include "geometry/numbers/double_double.h"
#include "geometry/motion/motion_bounds.h"

/* Body b seen from body a at t = 0. */
struct start_pose {
    struct double_double rotation[9], translation[3];
    double precision; /* a point x is placed to within precision (size + |x|) */
    double size;
};
void start_pose_of(const struct motion_chain *a, const struct motion_chain *b, struct start_pose *pose);

/* A face of b seen from a at t = 0 and for some time after. */
struct start_face {
    struct double_double position[3][3]; /* by corner */
    double error;                        /* of a position, a length */
    double rate[3][3], rate_error;       /* the velocities at t = 0 */
    double speed, curve;                 /* bounds of |b'| and |b''| on [0, horizon] */
    double horizon;
};
/* `now` and `over` enclose the motion at t = 0 and over [0, horizon]; they are Taylor pieces. ends: null, or where the
 * corners go on straight lines in the coordinates of b. */
void start_face_of(const struct start_pose *pose, const struct motion_piece *now, const struct motion_piece *over,
                   const double (*corners)[3], const double (*ends)[3], struct start_face *face);

struct leaving {
    double gap;   /* the faces are at least so far apart at t = 0; 0: they touch, cross, or it is not certain */
    double until; /* and apart for all t in [0, until], at most the horizon */
};
/* spin: angular velocity of b seen from a; guess: the direction from a to b, any length. Both only propose. */
struct leaving faces_leave(const double (*a)[3], const struct start_face *b, const double spin[3],
                           const double guess[3]);

#endif
