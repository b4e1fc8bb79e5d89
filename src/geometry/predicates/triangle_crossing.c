/* The metric facts of two triangles that cross: the common segment and how far apart they would have to be moved.
 *
 * Each end of the common segment is where an edge of one triangle meets the plane of the other; which edges is
 * decided exactly. The point itself divides the edge in the ratio of two volumes of opposite sign (no cancellation),
 * computed with points sorted lexicographically, so that the order in which anything was given does not matter.
 *
 * The separation depth is the smallest overlap of the two triangles' shadows on the directions in which their
 * Minkowski difference has faces: two normals and nine products of edges.
 */
#include "geometry/numbers/vector3.h"
#include "geometry/predicates/triangle_predicates.h"

#include <float.h>
#include <math.h>

#include "geometry/predicates/hull_predicates.h"
#include "geometry/numbers/power_of_two.h"
#include "geometry/predicates/signed_volume.h"
#include "geometry/predicates/triangle_sides.h"

static void sort_points(const double *points[], int count)
{
    for (int k = 1; k < count; k++) {
        for (int m = k; m > 0 && compare_points(points[m], points[m - 1]) < 0; m--) {
            const double *swapped = points[m];
            points[m] = points[m - 1];
            points[m - 1] = swapped;
        }
    }
}

static double clamp(double value, double low, double high)
{
    return value < low ? low : value > high ? high : value;
}

/* Where the segment from p to q, with ends not both in the plane of the triangle and not on the same side of it,
 * meets it. */
static void edge_meets_plane(const double p[3], const double q[3], const double *const triangle[3], double point[3])
{
    const double *edge[2] = {p, q}, *plane[3] = {triangle[0], triangle[1], triangle[2]};
    sort_points(edge, 2);
    sort_points(plane, 3);
    struct scaled_double first = signed_volume(plane[0], plane[1], plane[2], edge[0]);
    struct scaled_double second = signed_volume(plane[0], plane[1], plane[2], edge[1]);
    int largest = second.mantissa == 0.0 || (first.mantissa != 0.0 && first.exponent > second.exponent)
                      ? first.exponent
                      : second.exponent;
    double weight_second =
        first.mantissa == 0.0 ? 0.0 : fabs(scale_by_power_of_two(first.mantissa, first.exponent - largest));
    double weight_first =
        second.mantissa == 0.0 ? 0.0 : fabs(scale_by_power_of_two(second.mantissa, second.exponent - largest));
    double total = weight_first + weight_second;
    if (total == 0.0) { /* not for pairs that cross */
        weight_first = 1.0;
        total = 1.0;
    }
    weight_first /= total;
    weight_second /= total;
    for (int axis = 0; axis < 3; axis++) {
        double a = edge[0][axis], b = edge[1][axis];
        double low = a < b ? a : b, high = a < b ? b : a;
        double plane_low = plane[0][axis], plane_high = plane_low;
        for (int k = 1; k < 3; k++) {
            plane_low = plane[k][axis] < plane_low ? plane[k][axis] : plane_low;
            plane_high = plane[k][axis] > plane_high ? plane[k][axis] : plane_high;
        }
        point[axis] = clamp(clamp(weight_first * a + weight_second * b, low, high), plane_low, plane_high);
    }
}

/* Two candidates for one end of the segment: an edge of a with the plane of b, or the other way round. `order` tells
 * which one counts (< 0: that of a); on a tie they are the same point, and the lexicographically smaller edge is
 * taken. */
static void end_of_segment(const double *const a_edge[2], const double *const a[3], const double *const b_edge[2],
                           const double *const b[3], int order, double point[3])
{
    if (order == 0) {
        const double *first[2] = {a_edge[0], a_edge[1]}, *second[2] = {b_edge[0], b_edge[1]};
        sort_points(first, 2);
        sort_points(second, 2);
        order = compare_points(first[0], second[0]);
        order = order != 0 ? order : compare_points(first[1], second[1]);
    }
    if (order < 0) {
        edge_meets_plane(a_edge[0], a_edge[1], b, point);
    } else {
        edge_meets_plane(b_edge[0], b_edge[1], a, point);
    }
}

/* One of the triangles is collinear: the segment is a point. */
static void point_of_segment(const double *const a[3], const struct triangle_sides *sides_a, const double *const b[3],
                             double end0[3], double end1[3])
{
    const double *const *segment = sides_are_zero(sides_a) ? b : a, *const *triangle = segment == a ? b : a;
    const double *first, *last;
    lexicographic_ends(segment, 3, &first, &last);
    edge_meets_plane(first, last, triangle, end0);
    for (int axis = 0; axis < 3; axis++) {
        end1[axis] = end0[axis];
    }
}

void common_segment(const double *const a[3], const double *const b[3], double end0[3], double end1[3])
{
    predicate_counters ignored = {0};
    struct triangle_sides sides_b = sides_of_plane(a, b, &ignored), sides_a = sides_of_plane(b, a, &ignored);
    if (!sides_straddle(&sides_a) || !sides_straddle(&sides_b)) {
        point_of_segment(a, &sides_a, b, end0, end1);
        return;
    }
    struct straddling_pair pair = arrange_straddling_pair(a, &sides_a, b, &sides_b);
    const double *a1[2] = {pair.a[0], pair.a[1]}, *a2[2] = {pair.a[0], pair.a[2]};
    const double *b1[2] = {pair.b[0], pair.b[1]}, *b2[2] = {pair.b[0], pair.b[2]};
    /* From the larger of i1 and k2 to the smaller of i2 and k1 (triangle_sides.h). */
    int start = orientation_3d(pair.a[0], pair.a[1], pair.b[0], pair.b[2]);
    int finish = orientation_3d(pair.a[0], pair.a[2], pair.b[0], pair.b[1]);
    double ends[2][3];
    end_of_segment(a1, a, b2, b, -start, ends[0]);
    end_of_segment(a2, a, b1, b, finish, ends[1]);
    int swap = compare_points(ends[0], ends[1]) > 0;
    for (int axis = 0; axis < 3; axis++) {
        end0[axis] = ends[swap][axis];
        end1[axis] = ends[1 - swap][axis];
    }
}

/* Both triangles relative to one corner and scaled by a power of two to lengths of about 1; returns the exponent
 * taken out. The sizes are halved twice before anything is subtracted when they might overflow. */
static int local_coordinates(const double *const corners[6], double local[6][3])
{
    double largest = 0.0;
    for (int k = 0; k < 18; k++) {
        double size = fabs(corners[k / 3][k % 3]);
        largest = size > largest ? size : largest;
    }
    int halved = largest > 0x1p1000 ? 4 : 0;
    double factor = power_of_two(-halved), extent = 0.0;
    for (int k = 0; k < 18; k++) {
        local[k / 3][k % 3] = corners[k / 3][k % 3] * factor - corners[0][k % 3] * factor;
        double size = fabs(local[k / 3][k % 3]);
        extent = size > extent ? size : extent;
    }
    if (extent == 0.0) {
        return 0;
    }
    int exponent = binary_exponent(extent);
    for (int k = 0; k < 18; k++) {
        local[k / 3][k % 3] = scale_by_power_of_two(local[k / 3][k % 3], -exponent);
    }
    return exponent + halved;
}

/* Overlap of the shadows on one direction, as a length; DBL_MAX for a direction of no length. */
static double overlap_along(const double axis[3], const double local[6][3])
{
    double length = sqrt(vector_dot(axis, axis));
    if (!(length > 0x1p-500)) {
        return DBL_MAX;
    }
    double low[2], high[2];
    for (int side = 0; side < 2; side++) {
        low[side] = high[side] = vector_dot(axis, local[3 * side]);
        for (int k = 1; k < 3; k++) {
            double position = vector_dot(axis, local[3 * side + k]);
            low[side] = position < low[side] ? position : low[side];
            high[side] = position > high[side] ? position : high[side];
        }
    }
    double forward = high[0] - low[1], backward = high[1] - low[0];
    return (forward < backward ? forward : backward) / length;
}

double triangle_separation_depth(const double *const a[3], const double *const b[3])
{
    const double *corners[6] = {a[0], a[1], a[2], b[0], b[1], b[2]};
    sort_points(corners, 3);
    sort_points(corners + 3, 3);
    if (compare_points(corners[3], corners[0]) < 0) { /* the same operations whichever triangle is named first */
        for (int k = 0; k < 3; k++) {
            const double *swapped = corners[k];
            corners[k] = corners[k + 3];
            corners[k + 3] = swapped;
        }
    }
    double local[6][3], edges[6][3], axis[3];
    int exponent = local_coordinates(corners, local);
    for (int k = 0; k < 6; k++) {
        int next = k % 3 == 2 ? k - 2 : k + 1;
        for (int m = 0; m < 3; m++) {
            edges[k][m] = local[next][m] - local[k][m];
        }
    }
    double depth = DBL_MAX;
    for (int k = 0; k < 11; k++) {
        if (k < 9) {
            vector_cross(edges[k / 3], edges[3 + k % 3], axis);
        } else {
            vector_cross(edges[k == 9 ? 0 : 3], edges[k == 9 ? 1 : 4], axis);
        }
        double overlap = overlap_along(axis, local);
        depth = overlap < depth ? overlap : depth;
    }
    if (!(depth > 0.0) || depth == DBL_MAX) { /* apart, in one plane, or all on one line */
        return 0.0;
    }
    depth = scale_by_power_of_two(depth, exponent);
    return depth < DBL_MAX ? depth : DBL_MAX;
}
