/* Small convex hulls in one plane or on one line: what triangles and tetrahedra come down to when orientations are
 * zero.
 *
 * Shared by the predicates of this folder. All answers are exact.
 */
#ifndef DENT_GEOMETRY_HULL_PREDICATES_H
#define DENT_GEOMETRY_HULL_PREDICATES_H

#include <stdbool.h>

#include "geometry/predicates/predicate_kinds.h"

typedef enum planar_relation {
    PLANAR_DISJOINT = 0,
    PLANAR_TOUCHING = 1, /* the closed sets meet, their interiors in the plane do not */
    PLANAR_OVERLAP = 2   /* the interiors in the plane meet */
} planar_relation;

/* Two axes on which a plane projects one to one, and the orientation of the triangle that spans it seen along them. */
struct plane_projection {
    int i, j;
    int orientation; /* -1, 1; 0 when the triangle is collinear, and then there is no projection */
};

/* True when the boxes of two sets of points have no common point. */
static inline bool boxes_are_apart(const double *const a[], int a_count, const double *const b[], int b_count)
{
    for (int axis = 0; axis < 3; axis++) {
        double a_low = a[0][axis], a_high = a_low, b_low = b[0][axis], b_high = b_low;
        for (int k = 1; k < a_count; k++) {
            a_low = a[k][axis] < a_low ? a[k][axis] : a_low;
            a_high = a[k][axis] > a_high ? a[k][axis] : a_high;
        }
        for (int k = 1; k < b_count; k++) {
            b_low = b[k][axis] < b_low ? b[k][axis] : b_low;
            b_high = b[k][axis] > b_high ? b[k][axis] : b_high;
        }
        if (a_high < b_low || b_high < a_low) {
            return true;
        }
    }
    return false;
}

/* -1, 0, 1 by x, then y, then z. Along any line this is the order of its points, or the reverse of it. */
static inline int compare_points(const double a[3], const double b[3])
{
    for (int axis = 0; axis < 3; axis++) {
        if (a[axis] != b[axis]) {
            return a[axis] < b[axis] ? -1 : 1;
        }
    }
    return 0;
}

struct plane_projection projection_of_triangle(const double *const triangle[3], predicate_counters *counters);

/* The first and the last of `count` points in lexicographic order: the ends of a collinear set. */
void lexicographic_ends(const double *const points[], int count, const double **first, const double **last);

/* The hull of 1 to 3 points (three: not collinear) against a triangle that is not collinear, all in one plane. */
planar_relation hull_versus_triangle_in_plane(const double *const points[], int count, const double *const triangle[3],
                                              struct plane_projection projection, predicate_counters *counters);

bool point_on_segment(const double p[3], const double a[3], const double b[3], predicate_counters *counters);

/* Two closed segments anywhere in space, either or both perhaps a point. */
bool segments_meet(const double a0[3], const double a1[3], const double b0[3], const double b1[3],
                   predicate_counters *counters);

#endif
