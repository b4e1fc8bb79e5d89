/* Closest point of a triangle: the foot of the perpendicular when it falls inside, else the closest of the three
 * edges' points.
 *
 * The foot is accepted only when its three weights, each from the triangle's normal, are positive; a sliver whose
 * normal is lost to rounding falls back to its edges, which are never farther than rounding from the truth then. All
 * candidates are compared by distance, so no chain of region tests can end in the wrong region. Coordinates are
 * relative to p and scaled to about 1.
 */
#include "geometry/closest_points.h"

#include <float.h>
#include <math.h>

#include "geometry/power_of_two.h"

/* Corners relative to p, scaled; value = scaled * 2^exponent. */
struct local_corners {
    double corner[3][3];
    int exponent;
};

static struct local_corners corners_seen_from(const double p[3], const double *const corners[], int count)
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

static double dot(const double a[3], const double b[3])
{
    return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double result[3])
{
    result[0] = a[1] * b[2] - a[2] * b[1];
    result[1] = a[2] * b[0] - a[0] * b[2];
    result[2] = a[0] * b[1] - a[1] * b[0];
}

/* A candidate: weights of the corners and the squared distance from the origin, scaled. */
struct candidate {
    double weight[3];
    double squared;
};

static void measure(struct candidate *candidate, const struct local_corners *local)
{
    double point[3];
    for (int axis = 0; axis < 3; axis++) {
        point[axis] = (candidate->weight[0] * local->corner[0][axis] + candidate->weight[1] * local->corner[1][axis]) +
                      candidate->weight[2] * local->corner[2][axis];
    }
    candidate->squared = dot(point, point);
}

/* The point of the segment between two corners closest to the origin. */
static struct candidate candidate_of_edge(const struct local_corners *local, int from, int to)
{
    double direction[3];
    for (int axis = 0; axis < 3; axis++) {
        direction[axis] = local->corner[to][axis] - local->corner[from][axis];
    }
    double along = -dot(direction, local->corner[from]), length = dot(direction, direction);
    double t = along <= 0.0 || length == 0.0 ? 0.0 : along >= length ? 1.0 : along / length;
    struct candidate candidate = {{0.0, 0.0, 0.0}, 0.0};
    candidate.weight[from] = 1.0 - t;
    candidate.weight[to] += t;
    measure(&candidate, local);
    return candidate;
}

static struct candidate better_of(struct candidate a, struct candidate b)
{
    return b.squared < a.squared ? b : a;
}

static struct candidate closest_of_triangle(const struct local_corners *local)
{
    struct candidate best = candidate_of_edge(local, 0, 1);
    best = better_of(best, candidate_of_edge(local, 1, 2));
    best = better_of(best, candidate_of_edge(local, 2, 0));

    double ab[3], ac[3], normal[3], turned[3];
    for (int axis = 0; axis < 3; axis++) {
        ab[axis] = local->corner[1][axis] - local->corner[0][axis];
        ac[axis] = local->corner[2][axis] - local->corner[0][axis];
    }
    cross(ab, ac, normal);
    struct candidate foot;
    double total = 0.0;
    for (int k = 0; k < 3; k++) {
        cross(local->corner[k == 2 ? 0 : k + 1], local->corner[k == 0 ? 2 : k - 1], turned);
        foot.weight[k] = dot(turned, normal);
        total += foot.weight[k];
    }
    if (foot.weight[0] > 0.0 && foot.weight[1] > 0.0 && foot.weight[2] > 0.0) {
        for (int k = 0; k < 3; k++) {
            foot.weight[k] /= total;
        }
        measure(&foot, local);
        best = better_of(best, foot);
    }
    return best;
}

static double clamped_square(double distance)
{
    double squared = distance * distance;
    return squared < DBL_MAX ? squared : DBL_MAX;
}

/* Turns a candidate into a point in the corners' box and a distance. */
static double finish(const struct candidate *candidate, int exponent, const double *const corners[], int count,
                     double closest[3])
{
    for (int axis = 0; axis < 3; axis++) {
        double low = corners[0][axis], high = low, sum = 0.0;
        for (int k = 0; k < count; k++) {
            low = corners[k][axis] < low ? corners[k][axis] : low;
            high = corners[k][axis] > high ? corners[k][axis] : high;
            sum += candidate->weight[k] * corners[k][axis];
        }
        closest[axis] = sum < low ? low : sum > high ? high : sum;
    }
    double distance = scale_by_power_of_two(sqrt(candidate->squared), exponent);
    return distance < DBL_MAX ? distance : DBL_MAX;
}

double distance_to_triangle(const double p[3], const double *const triangle[3], double closest[3])
{
    struct local_corners local = corners_seen_from(p, triangle, 3);
    struct candidate best = closest_of_triangle(&local);
    return finish(&best, local.exponent, triangle, 3, closest);
}

double distance_to_segment(const double p[3], const double a[3], const double b[3], double closest[3])
{
    const double *const ends[2] = {a, b};
    struct local_corners local = corners_seen_from(p, ends, 2);
    struct candidate best = candidate_of_edge(&local, 0, 1);
    return finish(&best, local.exponent, ends, 2, closest);
}

double closest_point_on_triangle(const double p[3], const double *const triangle[3], double closest[3])
{
    return clamped_square(distance_to_triangle(p, triangle, closest));
}

double closest_point_on_segment(const double p[3], const double a[3], const double b[3], double closest[3])
{
    return clamped_square(distance_to_segment(p, a, b, closest));
}
