/* Where a moving frame is over a piece of time: its pose and velocity in the middle, and a certified bound of how far
 * it can be from there.
 *
 * For |s| <= half, every R and T of the piece satisfies
 *
 *     |R(middle + s) - rotation    - s rotation_rate|    <= rotation_rest      (spectral norm)
 *     |T(middle + s) - translation - s translation_rate| <= translation_rest   (length)
 *
 * Three ways to get there (dent_motion_bounds). TAYLOR: Taylor's theorem with a bound of the second derivative, so the
 * rest shrinks with the square of the piece; links are composed by the product rule, first and second derivatives
 * bounded link by link (the idea of Zhang et al. 2007 with fewer terms). INTERVAL: interval matrices over the whole
 * piece, each product intersected with what is known of it otherwise: entries of a rotation, rows and columns of length
 * 1, and the centred form R(middle) + [R'] (t - middle). PLAIN_INTERVAL: interval matrices multiplied as they come; the
 * rates are then zero and the rest is half the width.
 *
 * Rounding. u = 2^-53. Everything computed at the middle carries explicit error terms that start at trajectory_piece
 * and grow with every product; bounds that are sums of non-negative numbers are computed with relative errors below
 * 2^-46 and multiplied by 1 + 2^-40 at the end.
 */
#ifndef DENT_GEOMETRY_MOTION_BOUNDS_H
#define DENT_GEOMETRY_MOTION_BOUNDS_H

#include <dent/experimental.h>

#include "geometry/motion/in_between_motion.h"
#include "geometry/numbers/interval.h"

struct motion_piece {
    double rotation[9], translation[3];
    double rotation_rate[9], translation_rate[3];
    double half;            /* half the length of the piece of time */
    double spin[3];         /* w of rotation_rate = [w] rotation, up to spin_rest in norm */
    double turning, speed;  /* bounds of |R'|, |T'| over the piece */
    double bending, swerve; /* bounds of |R''|, |T''| */
    double reach;           /* bound of |T| */
    /* How far the computed values in the middle may be from the true ones. */
    double rotation_error, rotation_rate_error, translation_error, translation_rate_error;
    /* The rests above; filled by motion_piece_finish. */
    double rotation_rest, translation_rest, spin_rest;
};

/* The motions from a common ancestor down to a body; none: the body rests in the ancestor. */
struct motion_chain {
    const struct trajectory *const *links;
    uint32_t count;
};

enum { MOTION_CHAIN_LIMIT = 1024 };

struct interval_kernels; /* kernels/interval_kernels.h */

/* The motion of chain b seen from the end of chain a, over [lo, lo + 2 half]: y = R x + T takes points of b to the
 * coordinates of a. reach_a and reach_b bound |x| for the points of the two bodies; the rest covers the rounding of
 * computing with such points, 64 roundings of the largest length. kernels: for interval bounds alone. */
void relative_motion(const struct motion_chain *a, const struct motion_chain *b, double lo, double half,
                     dent_motion_bounds bounds, const struct interval_kernels *kernels, double reach_a, double reach_b,
                     struct motion_piece *piece);

/* For tests and figures: the motion of a chain in its ancestor. */
void chain_motion(const struct motion_chain *chain, double lo, double half, dent_motion_bounds bounds,
                  const struct interval_kernels *kernels, struct motion_piece *piece);

/* Interval poses (motion_intervals.c). */
struct interval_pose {
    struct interval rotation[9], translation[3];
};
void relative_interval_motion(const struct interval_kernels *kernels, const struct motion_chain *a,
                              const struct motion_chain *b, double lo, double half, bool tight,
                              struct motion_piece *piece);

/* Taylor pieces (motion_bounds.c). */
void trajectory_piece(const struct trajectory *trajectory, double middle, double half, struct motion_piece *piece);
/* One more link at the end of a chain. */
void append_link(struct motion_piece *piece, const struct trajectory *link, double middle);
void chain_piece(const struct motion_chain *chain, double middle, double half, struct motion_piece *piece);

#endif
