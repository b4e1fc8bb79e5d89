/* The volumes of a bounding tree (structures/bounds/bound_tree.h) and lower bounds of the distance between two of them.
 *
 * Bounds are certified: rounded down, so positive means apart for sure. Negative: the volumes overlap, and moving one
 * by that much (along the line of the centres, or a direction of the slabs) parts them.
 */
#ifndef DENT_GEOMETRY_BOUND_VOLUMES_H
#define DENT_GEOMETRY_BOUND_VOLUMES_H

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* One cache line: the vector kernels load halves of it. */
struct bound_volume {
    double v[7]; /* balls: centre, radius, witness; boxes and the boxes of slabs: lo, hi */
    double error;
};
_Static_assert(sizeof(struct bound_volume) == 64, "a volume is a cache line");

/* ---- rounding ---------------------------------------------------------------------------------------------------- */

/* An upper bound of |a - b|, a little above the computed length; finite whenever the numbers leave room. The computed
 * square has a relative error of at most 2u from each difference, u from each product and 2u from the sums: 5u, its
 * root 2.5u and u more; 2^-50 = 8u covers that and the product itself. Where squares overflow or come near the
 * subnormals the sum of the three magnitudes serves. */
static inline double distance_above(const double a[3], const double b[3])
{
    double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    double square = (x * x + y * y) + z * z;
    if (square > 1e-280 && square < 1e300) {
        return sqrt(square) * (1 + 0x1p-50);
    }
    return ((fabs(x) + fabs(y)) + fabs(z)) * (1 + 0x1p-50);
}

/* A lower bound of |a - b|; at the ends of the range the largest magnitude. Infinite differences count as the largest
 * double. */
static inline double distance_below(const double a[3], const double b[3])
{
    double x = fabs(a[0] - b[0]), y = fabs(a[1] - b[1]), z = fabs(a[2] - b[2]);
    double square = (x * x + y * y) + z * z;
    if (square > 1e-280 && square < 1e300) {
        return sqrt(square) * (1 - 0x1p-50);
    }
    double largest = x > y ? x : y;
    largest = (largest > z ? largest : z) * (1 - 0x1p-50);
    return largest <= DBL_MAX ? largest : DBL_MAX;
}

/* Rounds a sum of a few terms of like size outward. */
static inline double up(double value)
{
    return value + fabs(value) * 0x1p-51;
}

static inline double down(double value)
{
    return value - fabs(value) * 0x1p-51;
}

/* ---- two volumes ------------------------------------------------------------------------------------------------- */

static inline double ball_gap(const double a[6], const double b[6])
{
    double gap = down(distance_below(a, b) - up(a[3] + b[3]));
    return gap == gap ? gap : -INFINITY;
}

/* Apart for sure, without a root: most pairs. With the errors of distance_above (5u for the square, u for the sum of
 * radii, u for its square) the distance is above the sum when the square is above (1 + 16u) times that of the sum. What
 * is too small or too large for squares is left to ball_gap. */
static inline bool balls_clearly_apart(const double a[6], const double b[6])
{
    double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2], sum = a[3] + b[3];
    double square = (x * x + y * y) + z * z;
    return square > 1e-280 && square > (sum * sum) * (1 + 0x1p-49);
}

/* The largest of the signed gaps along the axes. Signs are exact: a difference of doubles has the sign of the true
 * difference. */
static inline double box_gap(const double a[6], const double b[6])
{
    double largest = -INFINITY;
    for (int axis = 0; axis < 3; axis++) {
        double after = b[axis] - a[axis + 3], before = a[axis] - b[axis + 3];
        double gap = after > before ? after : before;
        largest = gap > largest ? gap : largest;
    }
    double rounded = down(largest);
    return rounded <= DBL_MAX ? rounded : DBL_MAX;
}

static inline double ball_box_gap(const double ball[6], const double box[6])
{
    double nearest[3], inward = INFINITY;
    bool outside = false;
    for (int axis = 0; axis < 3; axis++) {
        double c = ball[axis];
        outside |= c < box[axis] || c > box[axis + 3];
        nearest[axis] = c < box[axis] ? box[axis] : c > box[axis + 3] ? box[axis + 3] : c;
        double to_side = c - box[axis] < box[axis + 3] - c ? c - box[axis] : box[axis + 3] - c;
        inward = to_side < inward ? to_side : inward;
    }
    double gap = outside ? down(distance_below(ball, nearest) - ball[3]) : down(-inward - ball[3]);
    return gap == gap ? gap : -INFINITY;
}

/* ---- slabs ------------------------------------------------------------------------------------------------------- */

/* Slabs across directions that are no axes: sums of coordinates with signs, lo of all directions first, then hi. With
 * the box they make a 14-DOP (the four diagonals of a cube) or an 18-DOP (the six of its sides). */
enum { SLABS_MAX = 6 };

static inline uint32_t slab_sums(uint32_t directions, const double p[3], double sums[SLABS_MAX])
{
    if (directions == 4) {
        sums[0] = (p[0] + p[1]) + p[2];
        sums[1] = (p[0] + p[1]) - p[2];
        sums[2] = (p[0] - p[1]) + p[2];
        sums[3] = (p[0] - p[1]) - p[2];
    } else {
        sums[0] = p[0] + p[1];
        sums[1] = p[0] - p[1];
        sums[2] = p[0] + p[2];
        sums[3] = p[0] - p[2];
        sums[4] = p[1] + p[2];
        sums[5] = p[1] - p[2];
    }
    return directions;
}

/* Widens the slabs so that they hold the point: with s the sum of the three magnitudes a sum carries at most 2u s, the
 * widening u s more; 2^-51 s = 4u s covers that and its own rounding (among subnormals sums are exact). Where sums may
 * overflow the slabs are without limits. */
static inline void slabs_add_point(uint32_t directions, const double p[3], double *slabs)
{
    double sums[SLABS_MAX], size = (fabs(p[0]) + fabs(p[1])) + fabs(p[2]);
    double margin = size < 1e300 ? size * 0x1p-51 : INFINITY;
    slab_sums(directions, p, sums);
    for (uint32_t k = 0; k < directions; k++) {
        double lo = size < 1e300 ? sums[k] - margin : -INFINITY, hi = size < 1e300 ? sums[k] + margin : INFINITY;
        slabs[k] = lo < slabs[k] ? lo : slabs[k];
        slabs[directions + k] = hi > slabs[directions + k] ? hi : slabs[directions + k];
    }
}

static inline double largest_slab_gap(uint32_t directions, const double *a, const double *b)
{
    double largest = -INFINITY;
    for (uint32_t k = 0; k < directions; k++) {
        double after = b[k] - a[directions + k], before = a[k] - b[directions + k];
        double gap = after > before ? after : before;
        largest = gap > largest ? gap : largest;
    }
    return largest;
}

/* The largest signed gap over all directions, as a length: divided by the length of the direction, which is the root of
 * 3 or 2. Both roundings of the product are within `down`; among subnormals, where they are not, a step of their grid
 * is taken off. Written for the two counts, so that the loops unroll. */
static inline double slab_gap(uint32_t directions, const double *a, const double *b)
{
    return directions == 4 ? down(largest_slab_gap(4, a, b) * 0.57735026918962576) - DBL_TRUE_MIN
                           : down(largest_slab_gap(6, a, b) * 0.70710678118654752) - DBL_TRUE_MIN;
}

#endif
