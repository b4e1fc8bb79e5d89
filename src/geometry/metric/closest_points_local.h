/* The arithmetic under closest_points.c and feature_distance.c: a point and corners relative to it, scaled to about
 * 1, and the candidates among which the closest is chosen. One fixed sequence of double operations.
 */
#ifndef DENT_GEOMETRY_CLOSEST_POINTS_LOCAL_H
#define DENT_GEOMETRY_CLOSEST_POINTS_LOCAL_H

#include <math.h>
#include <stdbool.h>

#include "base/containers/vectors.h"
#include "geometry/numbers/power_of_two.h"

/* Corners relative to p, scaled; value = scaled * 2^exponent. */
struct local_corners {
    double corner[3][3];
    int exponent;
};

static inline struct local_corners corners_seen_from(const double p[3], const double *const corners[], int count)
{
    struct local_corners local = {{{0}}, 0};
    double largest = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        largest = fabs(p[axis]) > largest ? fabs(p[axis]) : largest;
        for (int k = 0; k < count; k++) {
            largest = fabs(corners[k][axis]) > largest ? fabs(corners[k][axis]) : largest;
        }
    }
    int halved = largest > 0x1p1000 ? 4 : 0;
    double factor = power_of_two(-halved), extent = 0.0;
    for (int k = 0; k < count; k++) {
        for (int axis = 0; axis < 3; axis++) {
            local.corner[k][axis] = corners[k][axis] * factor - p[axis] * factor;
            extent = fabs(local.corner[k][axis]) > extent ? fabs(local.corner[k][axis]) : extent;
        }
    }
    if (extent == 0.0) {
        return local;
    }
    int exponent = binary_exponent(extent);
    for (int k = 0; k < count; k++) {
        for (int axis = 0; axis < 3; axis++) {
            local.corner[k][axis] = scale_by_power_of_two(local.corner[k][axis], -exponent);
        }
    }
    local.exponent = exponent + halved;
    return local;
}

/* A candidate: weights of the corners and the squared distance from the origin, scaled. */
struct candidate {
    double weight[3];
    double squared;
};

static inline void weigh(const struct candidate *candidate, const struct local_corners *local, double point[3])
{
    for (int axis = 0; axis < 3; axis++) {
        point[axis] = (candidate->weight[0] * local->corner[0][axis] + candidate->weight[1] * local->corner[1][axis]) +
                      candidate->weight[2] * local->corner[2][axis];
    }
}

static inline void measure(struct candidate *candidate, const struct local_corners *local)
{
    double point[3];
    weigh(candidate, local, point);
    candidate->squared = vector_dot(point, point);
}

/* The point of the segment between two corners closest to the origin. */
static inline struct candidate candidate_of_edge(const struct local_corners *local, int from, int to)
{
    double direction[3];
    for (int axis = 0; axis < 3; axis++) {
        direction[axis] = local->corner[to][axis] - local->corner[from][axis];
    }
    double along = -vector_dot(direction, local->corner[from]), length = vector_dot(direction, direction);
    double t = along <= 0.0 || length == 0.0 ? 0.0 : along >= length ? 1.0 : along / length;
    struct candidate candidate = {{0.0, 0.0, 0.0}, 0.0};
    candidate.weight[from] = 1.0 - t;
    candidate.weight[to] += t;
    measure(&candidate, local);
    return candidate;
}

static inline struct candidate better_of(struct candidate a, struct candidate b)
{
    return b.squared < a.squared ? b : a;
}

/* The foot of the perpendicular from the origin, where it falls inside; false: it does not, or the triangle is too
 * thin to tell. */
static inline bool candidate_of_foot(const struct local_corners *local, struct candidate *foot)
{
    double ab[3], ac[3], normal[3], flipped[3], total = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        ab[axis] = local->corner[1][axis] - local->corner[0][axis];
        ac[axis] = local->corner[2][axis] - local->corner[0][axis];
    }
    vector_cross(ab, ac, normal);
    for (int k = 0; k < 3; k++) {
        vector_cross(local->corner[k == 2 ? 0 : k + 1], local->corner[k == 0 ? 2 : k - 1], flipped);
        foot->weight[k] = vector_dot(flipped, normal);
        total += foot->weight[k];
    }
    if (!(foot->weight[0] > 0.0 && foot->weight[1] > 0.0 && foot->weight[2] > 0.0)) {
        return false;
    }
    for (int k = 0; k < 3; k++) {
        foot->weight[k] /= total;
    }
    measure(foot, local);
    return true;
}

/* The point with these weights of the corners, kept inside their box. */
static inline void weighted_point(const double *weight, const double *const corners[], int count, double point[3])
{
    for (int axis = 0; axis < 3; axis++) {
        double low = corners[0][axis], high = low, sum = 0.0;
        for (int k = 0; k < count; k++) {
            low = corners[k][axis] < low ? corners[k][axis] : low;
            high = corners[k][axis] > high ? corners[k][axis] : high;
            sum += weight[k] * corners[k][axis];
        }
        point[axis] = sum < low ? low : sum > high ? high : sum;
    }
}

#endif
