/* Where and in which direction a contact happens: u, v and the normal at the time of impact.
 *
 * One fixed sequence of double operations, so the same bits on every path that found the time. All coordinates are
 * scaled by one power of two first, so that nothing overflows; sides that are (nearly) parallel, where the cross
 * product means nothing, fall back to the nearest vertex-on-edge choice.
 */
#include <math.h>

#include "geometry/numbers/vector3.h"
#include "geometry/impact/impact_internal.h"
#include "geometry/numbers/power_of_two.h"

struct contact_points {
    double at[4][3], velocity[4][3];
};

static void subtract(const double a[3], const double b[3], double result[3])
{
    for (int axis = 0; axis < 3; axis++) {
        result[axis] = a[axis] - b[axis];
    }
}

static double largest(const double a[3])
{
    double most = fabs(a[0]);
    most = fabs(a[1]) > most ? fabs(a[1]) : most;
    return fabs(a[2]) > most ? fabs(a[2]) : most;
}

static double clamp(double x)
{
    return x > 0.0 ? (x < 1.0 ? x : 1.0) : 0.0; /* 0 for what is not a number */
}

/* Positions and velocities at toi, scaled by a power of two so that no coordinate is above 1. */
static void place(const struct impact_vertex *const corners[4], double toi, struct contact_points *points)
{
    double most = 0.0;
    for (int i = 0; i < 4; i++) {
        double start = largest(corners[i]->start), end = largest(corners[i]->end);
        most = start > most ? start : most;
        most = end > most ? end : most;
    }
    int down = most > 0.0 ? -binary_exponent(most) : 0;
    for (int i = 0; i < 4; i++) {
        for (int axis = 0; axis < 3; axis++) {
            double start = scale_by_power_of_two(corners[i]->start[axis], down);
            double end = scale_by_power_of_two(corners[i]->end[axis], down);
            points->at[i][axis] = start * (1.0 - toi) + end * toi;
            points->velocity[i][axis] = end - start;
        }
    }
}

/* Scales a vector to length 1; false where it is zero. */
static bool normalise(double vector[3])
{
    double most = largest(vector);
    if (!(most > 0.0)) {
        return false;
    }
    int down = -binary_exponent(most);
    for (int axis = 0; axis < 3; axis++) {
        vector[axis] = scale_by_power_of_two(vector[axis], down);
    }
    double length = sqrt(vector_dot(vector, vector));
    for (int axis = 0; axis < 3; axis++) {
        vector[axis] = vector[axis] / length;
    }
    return true;
}

/* Scales by the power of two that brings `most` near 1. */
static void unit_scale(double vector[3], double most)
{
    double factor = power_of_two(most > 0.0 ? -binary_exponent(most) : 0);
    for (int axis = 0; axis < 3; axis++) {
        vector[axis] *= factor;
    }
}

/* Place of the point nearest to p on the segment from x to y, and its squared distance. */
static double nearest_on_segment(const double p[3], const double x[3], const double y[3], double *distance)
{
    double edge[3], from[3], gap[3];
    subtract(y, x, edge);
    subtract(p, x, from);
    double square = vector_dot(edge, edge);
    double place_on = square > 0.0 ? clamp(vector_dot(from, edge) / square) : 0.0;
    for (int axis = 0; axis < 3; axis++) {
        gap[axis] = from[axis] - place_on * edge[axis];
    }
    *distance = vector_dot(gap, gap);
    return place_on;
}

/* u and v where the sides are parallel: the vertex nearest to an edge of the other primitive. */
static void describe_parallel(enum impact_kind kind, const struct contact_points *points, struct impact_result *result)
{
    double best = INFINITY;
    for (int i = 0; i < impact_on_segment_count(kind); i++) {
        const uint8_t *choice = impact_on_segment[kind][i];
        double distance;
        double s = nearest_on_segment(points->at[choice[0]], points->at[choice[1]], points->at[choice[2]], &distance);
        if (!(distance < best)) {
            continue;
        }
        best = distance;
        if (kind == IMPACT_VERTEX_FACE) {
            result->u = i == 0 ? s : i == 1 ? 0.0 : 1.0 - s;
            result->v = i == 0 ? 0.0 : s;
        } else {
            result->u = i < 2 ? (double)i : s;
            result->v = i < 2 ? s : (double)(i - 2);
        }
    }
}

static void relative_velocity(enum impact_kind kind, const struct contact_points *points, double u, double v,
                              double velocity[3])
{
    const double(*w)[3] = points->velocity;
    for (int axis = 0; axis < 3; axis++) {
        if (kind == IMPACT_VERTEX_FACE) {
            velocity[axis] = (w[0][axis] - w[1][axis]) - u * (w[2][axis] - w[1][axis]) - v * (w[3][axis] - w[1][axis]);
        } else {
            velocity[axis] = (w[0][axis] - w[2][axis]) + u * (w[1][axis] - w[0][axis]) - v * (w[3][axis] - w[2][axis]);
        }
    }
}

void impact_describe_contact(enum impact_kind kind, const struct impact_vertex *const corners[4],
                             struct impact_result *result)
{
    struct contact_points points;
    struct impact_pairs pairs = impact_pairs_of(kind);
    double q[3], a[3], b[3], normal[3], with_b[3], with_a[3], velocity[3];
    place(corners, result->toi, &points);
    subtract(points.at[pairs.q[0]], points.at[pairs.q[1]], q);
    subtract(points.at[pairs.a[0]], points.at[pairs.a[1]], a);
    subtract(points.at[pairs.b[0]], points.at[pairs.b[1]], b);
    double most = largest(a) > largest(b) ? largest(a) : largest(b);
    most = largest(q) > most ? largest(q) : most;
    unit_scale(q, most);
    unit_scale(a, most);
    unit_scale(b, most);
    vector_cross(a, b, normal);
    double square = vector_dot(normal, normal);
    bool proper = square > 0x1p-80 * (vector_dot(a, a) * vector_dot(b, b)) && square > 0x1p-900;
    if (proper) {
        vector_cross(q, b, with_b);
        if (kind == IMPACT_VERTEX_FACE) {
            vector_cross(a, q, with_a);
        } else {
            vector_cross(q, a, with_a);
        }
        result->u = clamp(vector_dot(with_b, normal) / square);
        result->v = clamp(vector_dot(with_a, normal) / square);
        if (kind == IMPACT_VERTEX_FACE && result->u + result->v > 1.0) {
            double sum = result->u + result->v;
            result->u = result->u / sum;
            result->v = 1.0 - result->u;
        }
    } else {
        describe_parallel(kind, &points, result);
    }
    relative_velocity(kind, &points, result->u, result->v, velocity);
    if (proper && normalise(normal)) {
        double turn = vector_dot(normal, velocity) > 0.0 ? -1.0 : 1.0;
        for (int axis = 0; axis < 3; axis++) {
            result->normal[axis] = turn * normal[axis];
        }
    } else if (normalise(velocity)) {
        for (int axis = 0; axis < 3; axis++) {
            result->normal[axis] = -velocity[axis];
        }
    } else {
        result->normal[0] = 0.0;
        result->normal[1] = 0.0;
        result->normal[2] = 1.0;
    }
}
