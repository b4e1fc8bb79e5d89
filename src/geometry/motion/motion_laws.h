/* Enclosures of motions that do not follow the clock: with time laws, or given by the caller's function.
 *
 * Let P be the linear motion and a(t), b(t) its laws. Then R = P_R(a), R' = P_R'(a) a', R'' = P_R''(a) a'^2 + P_R'(a) a''.
 * With |P_R'| = w and |P_R''| = w^2 bounds of a, a' and a'' give those of R; T is the same with the lengths it is made
 * of. Each returns a bound of |R'| over the piece; all of `piece` but turning, speed, reach and the rests is filled. */
#ifndef DENT_GEOMETRY_MOTION_LAWS_H
#define DENT_GEOMETRY_MOTION_LAWS_H

#include "geometry/motion/motion_bounds.h"

/* The two laws over [middle - half, middle + half]; what cannot be is noted in trajectory->fault and replaced. */
void law_over(const struct trajectory *trajectory, double middle, double half, dent_law_enclosure *turn,
              dent_law_enclosure *slide);

double timed_piece(const struct trajectory *trajectory, double middle, double half, struct motion_piece *piece);
double given_piece(const struct trajectory *trajectory, double middle, double half, struct motion_piece *piece);

#endif
