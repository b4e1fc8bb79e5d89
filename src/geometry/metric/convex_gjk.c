/* GJK on the difference of two convex sets. See convex_gjk.h.
 *
 * The sets overlap iff their difference {a - b} holds the origin. A simplex of points of the difference walks towards
 * the origin: its point v nearest to the origin gives the next direction, -v, to look in. If even the farthest point
 * that way stays on the far side, v separates; if a tetrahedron surrounds the origin, the sets overlap. Everything is
 * scaled by a power of two so that coordinates are at most 1: with u = 2^-53, a support point may be off along a
 * direction d by 8 u |d|1 (two dot products compared), a difference a - b is rounded by u |w|, and a determinant of
 * three differences of size s by less than 96 u s^3.
 */
#include "geometry/numbers/vector3.h"
#include "geometry/metric/convex_gjk.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#define ROUNDING 1.1102230246251565e-16 /* u */

enum { ITERATIONS_DEFAULT = 64 };

static void subtract(const double a[3], const double b[3], double difference[3])
{
    for (int axis = 0; axis < 3; axis++) {
        difference[axis] = a[axis] - b[axis];
    }
}

static double sum_of_sizes(const double a[3])
{
    return fabs(a[0]) + fabs(a[1]) + fabs(a[2]);
}

void convex_points_support(const void *shape, const double direction[3], double point[3])
{
    const struct convex_points *set = shape;
    int best = 0;
    double farthest = vector_dot(set->points[0], direction);
    for (int i = 1; i < set->count; i++) {
        double along = vector_dot(set->points[i], direction);
        best = along > farthest ? i : best;
        farthest = along > farthest ? along : farthest;
    }
    memcpy(point, set->points[best], 3 * sizeof *point);
}

/* ---- the simplex ------------------------------------------------------------------------------------------------ */

struct simplex {
    double points[4][3];
    int count;
};

/* Nearest point to the origin of the segment p-q; keep[] says which ends it needs. */
static void nearest_on_segment(const double p[3], const double q[3], double nearest[3], bool keep[2])
{
    double edge[3];
    subtract(q, p, edge);
    double along = -vector_dot(p, edge), length = vector_dot(edge, edge);
    keep[0] = !(along >= length);
    keep[1] = along > 0;
    double t = along <= 0 || length <= 0 ? 0 : along >= length ? 1 : along / length;
    for (int axis = 0; axis < 3; axis++) {
        nearest[axis] = p[axis] + t * edge[axis];
    }
    keep[0] |= !keep[1];
}

/* The same for a triangle: the foot on its plane when it lies over all three edges, else the nearest of the edges. */
static void nearest_on_triangle(const double p[3][3], double nearest[3], bool keep[3])
{
    double ab[3], ac[3], normal[3], weight[3], sum = 0;
    subtract(p[1], p[0], ab);
    subtract(p[2], p[0], ac);
    vector_cross(ab, ac, normal);
    bool inside = true;
    for (int k = 0; k < 3; k++) {
        double turn[3];
        vector_cross(p[(k + 1) % 3], p[(k + 2) % 3], turn);
        weight[k] = vector_dot(turn, normal);
        inside &= weight[k] > 0;
        sum += weight[k];
    }
    if (inside && sum > 0) {
        double height = vector_dot(p[0], normal) / vector_dot(normal, normal);
        for (int axis = 0; axis < 3; axis++) {
            nearest[axis] = height * normal[axis];
        }
        keep[0] = keep[1] = keep[2] = true;
        return;
    }
    double best = INFINITY;
    for (int k = 0; k < 3; k++) {
        double candidate[3];
        bool ends[2];
        nearest_on_segment(p[k], p[(k + 1) % 3], candidate, ends);
        double distance = vector_dot(candidate, candidate);
        if (distance < best) {
            best = distance;
            memcpy(nearest, candidate, sizeof candidate);
            keep[k] = ends[0];
            keep[(k + 1) % 3] = ends[1];
            keep[(k + 2) % 3] = false;
        }
    }
}

/* Signed volumes of the tetrahedron with each corner moved to the origin, positive when the origin is on the corner's
 * side of its face. */
static void corner_volumes(const double p[4][3], double volumes[4], double normals[4][3])
{
    static const int faces[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    for (int k = 0; k < 4; k++) {
        double ab[3], ac[3], ad[3];
        const double *a = p[faces[k][0]];
        subtract(p[faces[k][1]], a, ab);
        subtract(p[faces[k][2]], a, ac);
        subtract(p[k], a, ad);
        vector_cross(ab, ac, normals[k]);
        double side = vector_dot(ad, normals[k]), origin = -vector_dot(a, normals[k]);
        volumes[k] = side < 0 ? -origin : side > 0 ? origin : -INFINITY;
    }
}

static double largest_size(const double p[4][3])
{
    double largest = 0;
    for (int i = 0; i < 4; i++) {
        for (int axis = 0; axis < 3; axis++) {
            largest = fabs(p[i][axis]) > largest ? fabs(p[i][axis]) : largest;
        }
    }
    return 2 * largest;
}

/* True when the origin is surely inside; *depth is then the distance to the nearest face. */
static bool surrounds_origin(const double p[4][3], double *depth)
{
    double volumes[4], normals[4][3], size = largest_size(p), bound = 96 * ROUNDING * size * size * size;
    *depth = INFINITY;
    corner_volumes(p, volumes, normals);
    for (int k = 0; k < 4; k++) {
        if (!(volumes[k] > bound)) {
            return false;
        }
        double distance = volumes[k] / sqrt(vector_dot(normals[k], normals[k]));
        *depth = distance < *depth ? distance : *depth;
    }
    return true;
}

static void nearest_on_tetrahedron(const double p[4][3], double nearest[3], bool keep[4])
{
    static const int faces[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    double volumes[4], normals[4][3], best = INFINITY;
    corner_volumes(p, volumes, normals);
    for (int k = 0; k < 4; k++) {
        double face[3][3], candidate[3];
        bool corners[3];
        if (volumes[k] > 0) {
            continue; /* the origin is on the inner side of this face */
        }
        for (int i = 0; i < 3; i++) {
            memcpy(face[i], p[faces[k][i]], sizeof face[i]);
        }
        nearest_on_triangle((const double(*)[3])face, candidate, corners);
        double distance = vector_dot(candidate, candidate);
        if (distance < best) {
            best = distance;
            memcpy(nearest, candidate, sizeof candidate);
            keep[k] = false;
            for (int i = 0; i < 3; i++) {
                keep[faces[k][i]] = corners[i];
            }
        }
    }
    if (best == INFINITY) { /* inside, by rounding only */
        memset(nearest, 0, 3 * sizeof *nearest);
    }
}

/* Nearest point of the simplex to the origin; the simplex is cut down to the corners that make it. */
static void reduce(struct simplex *simplex, double nearest[3])
{
    bool keep[4] = {true, true, true, true};
    const double(*p)[3] = (const double(*)[3])simplex->points;
    switch (simplex->count) {
    case 1:
        memcpy(nearest, p[0], sizeof simplex->points[0]);
        return;
    case 2:
        nearest_on_segment(p[0], p[1], nearest, keep);
        break;
    case 3:
        nearest_on_triangle(p, nearest, keep);
        break;
    default:
        nearest_on_tetrahedron(p, nearest, keep);
        break;
    }
    int kept = 0;
    for (int i = 0; i < simplex->count; i++) {
        if (keep[i]) {
            memmove(simplex->points[kept++], simplex->points[i], sizeof simplex->points[i]);
        }
    }
    simplex->count = kept;
}

/* ---- the walk --------------------------------------------------------------------------------------------------- */

struct walk {
    const struct gjk_input *input;
    double first, second; /* the scaling, in two factors so that neither overflows */
};

/* The point of the scaled difference a - b that is farthest against `direction`. */
static void difference_point(const struct walk *walk, const double direction[3], double point[3])
{
    double a[3], b[3];
    const double backward[3] = {-direction[0], -direction[1], -direction[2]};
    walk->input->support_a(walk->input->shape_a, backward, a);
    walk->input->support_b(walk->input->shape_b, direction, b);
    for (int axis = 0; axis < 3; axis++) {
        point[axis] = a[axis] * walk->first * walk->second - b[axis] * walk->first * walk->second;
    }
}

static bool already_in(const struct simplex *simplex, const double point[3])
{
    for (int i = 0; i < simplex->count; i++) {
        if (memcmp(simplex->points[i], point, sizeof simplex->points[i]) == 0) {
            return true;
        }
    }
    return false;
}

static double unscaled(const struct walk *walk, double length)
{
    return length / walk->second / walk->first;
}

static void normalise(const double v[3], double length, double unit[3])
{
    for (int axis = 0; axis < 3; axis++) {
        unit[axis] = v[axis] / length;
    }
}

struct gjk_result convex_gjk(const struct gjk_input *input)
{
    struct gjk_result result = {.relation = GJK_UNDECIDED};
    struct walk walk = {.input = input};
    struct simplex simplex = {.count = 0};
    int exponent = 0;
    frexp(input->magnitude, &exponent);
    walk.first = ldexp(1.0, -exponent / 2);
    walk.second = ldexp(1.0, -exponent - -exponent / 2);
    double v[3] = {1, 0.61, 0.37}; /* any start; no axis of a lattice */
    if (input->start) {
        memcpy(v, input->start, sizeof v);
    }
    int most = input->iteration_max > 0 ? input->iteration_max : ITERATIONS_DEFAULT;
    while (result.iterations < most) {
        double w[3], length = sqrt(vector_dot(v, v)), depth;
        result.iterations++;
        difference_point(&walk, v, w);
        double gap = vector_dot(v, w) - 32 * ROUNDING * sum_of_sizes(v);
        if (gap > 0 && unscaled(&walk, gap / length) > result.margin) {
            result.relation = GJK_SEPARATED;
            result.margin = unscaled(&walk, gap / length);
            normalise(v, length, result.direction);
        }
        if (gap > 0 &&
            (result.margin >= input->margin_wanted || (simplex.count > 0 && gap > 0.999 * length * length))) {
            return result;
        }
        if (already_in(&simplex, w)) {
            return result; /* no farther point, and no certain gap */
        }
        memcpy(simplex.points[simplex.count++], w, sizeof w);
        if (simplex.count == 4 && surrounds_origin((const double(*)[3])simplex.points, &depth)) {
            result.relation = GJK_OVERLAPPING;
            result.margin = unscaled(&walk, depth);
            return result;
        }
        reduce(&simplex, v);
        if (simplex.count == 4 || !(vector_dot(v, v) > 0)) {
            return result; /* the origin is on the simplex to within rounding */
        }
    }
    return result;
}
