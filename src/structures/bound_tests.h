/* What a search asks two volumes: a lower bound of the distance between them. Certified: rounded down; positive means
 * apart for sure.
 *
 * Negative: they overlap, and moving one by that much (along the line of the centres, or an axis) parts them.
 */
#ifndef DENT_STRUCTURES_BOUND_TESTS_H
#define DENT_STRUCTURES_BOUND_TESTS_H

#include "structures/bound_tree.h"

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

/* Signs are exact: a difference of doubles has the sign of the true difference. */
static inline double box_gap(const double a[6], const double b[6])
{
    double largest = -INFINITY, square = 0;
    for (int axis = 0; axis < 3; axis++) {
        double after = b[axis] - a[axis + 3], before = a[axis] - b[axis + 3];
        double gap = after > before ? after : before;
        largest = gap > largest ? gap : largest;
        square += gap > 0 ? gap * gap : 0;
    }
    if (square > 1e-280 && square < 1e300) {
        return sqrt(square) * (1 - 0x1p-50);
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

static inline double volume_gap(const struct bound_tree *a, uint32_t node_a, const struct bound_tree *b,
                                uint32_t node_b)
{
    const double *va = a->volumes[node_a].v, *vb = b->volumes[node_b].v;
    if (a->kind == DENT_BOUND_SPHERES) {
        return b->kind == DENT_BOUND_SPHERES ? ball_gap(va, vb) : ball_box_gap(va, vb);
    }
    return b->kind == DENT_BOUND_SPHERES ? ball_box_gap(vb, va) : box_gap(va, vb);
}

/* True when the ray from p in direction +x surely misses the volume. */
static inline bool ray_misses(const struct bound_tree *tree, uint32_t node, const double p[3])
{
    const double *v = tree->volumes[node].v;
    if (tree->kind == DENT_BOUND_BOXES) {
        return p[0] > v[3] || p[1] < v[1] || p[1] > v[4] || p[2] < v[2] || p[2] > v[5];
    }
    double across[3] = {0, v[1], v[2]}, point[3] = {0, p[1], p[2]};
    return down(p[0] - v[0]) > v[3] || distance_below(across, point) > v[3];
}

#endif
