/* Closest point of a triangle: metric results by one fixed sequence of double operations; they decide nothing exact.
 *
 * Works in coordinates relative to the point and scaled by a power of two, so any finite input gives finite output;
 * a sliver or degenerate triangle is treated as its edges. Pure functions; any thread.
 */
#ifndef DENT_GEOMETRY_CLOSEST_POINTS_H
#define DENT_GEOMETRY_CLOSEST_POINTS_H

/* The point of the closed triangle closest to p; returns the distance (DBL_MAX where it would overflow). Distances, not
 * their squares, which may overflow or underflow where the distance does not. */
double distance_to_triangle(const double p[3], const double *const triangle[3], double closest[3]);

#endif
