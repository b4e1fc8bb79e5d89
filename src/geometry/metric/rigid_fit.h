/* The rotation that turns one set of points best into another: least squares, by the unit quaternion that is the
 * eigenvector of the largest eigenvalue of a symmetric 4x4 matrix (Horn 1987), found by Jacobi's method. Always a
 * proper rotation, also for flat, inverted or coinciding points (then the identity, or one of the best). Fixed double
 * arithmetic; sqrt only. Pure functions; any thread.
 */
#ifndef DENT_GEOMETRY_RIGID_FIT_H
#define DENT_GEOMETRY_RIGID_FIT_H

/* Sum over pairs of (to - mean to)(from - mean from)^T, in any positive scale: element [i][j] goes with to_i from_j.
 * Writes the rotation row by row; its rows are orthonormal to within 8 units in the last place. */
void rotation_from_moments(const double moments[3][3], double rotation[9]);

#endif
