/* Overlap of two convex sets by their support functions alone: the algorithm of Gilbert, Johnson and Keerthi (1988).
 *
 * An independent second opinion on the exact tests, and the narrow test of the BucketTree article. Sets of any kind: a
 * tetrahedron, a triangle, a hexahedron, a ball. Fixed double arithmetic, a finite number of iterations, and an answer
 * that says when it does not know:
 *
 *   SEPARATED    a direction was found along which the closed sets have a gap that rounding cannot explain
 *   OVERLAPPING  four points of the difference of the sets were found that surround the origin by more than rounding:
 *                the interiors (of a flat set: its relative interior) have a common point
 *   UNDECIDED    neither: sets that touch, nearly touch, or have a flat difference
 *
 * Both certain answers are proofs; the tests hold them against the exact predicates. Pure; any thread.
 */
#ifndef DENT_GEOMETRY_CONVEX_GJK_H
#define DENT_GEOMETRY_CONVEX_GJK_H

/* Writes a point of the set that is farthest along `direction`. For the certain answers to be certain it must be one of
 * finitely many points whose dot products with the direction (three products, two sums, in double) are compared. */
typedef void convex_support(const void *shape, const double direction[3], double point[3]);

/* The convex hull of points: shape is a struct convex_points. */
struct convex_points {
    const double *const *points;
    int count;
};
void convex_points_support(const void *shape, const double direction[3], double point[3]);

typedef enum gjk_relation { GJK_UNDECIDED = 0, GJK_SEPARATED = 1, GJK_OVERLAPPING = 2 } gjk_relation;

struct gjk_input {
    convex_support *support_a, *support_b;
    const void *shape_a, *shape_b;
    double magnitude;     /* no coordinate of either set is larger in size; > 0 */
    int iteration_max;    /* 0: 64 */
    double margin_wanted; /* sets apart: go on until the margin is this large, or within a thousandth of the distance.
                             0: any will do */
    const double *start;  /* direction to begin with, not 0; null: any */
};

struct gjk_result {
    gjk_relation relation;
    /* SEPARATED: a lower bound of the distance. OVERLAPPING: a lower bound of the length of the shortest translation
     * that ends the overlap. Both in the unit of the coordinates, certain but for rounding. UNDECIDED: 0. */
    double margin;
    double direction[3]; /* SEPARATED: unit, from b to a */
    int iterations;
};

struct gjk_result convex_gjk(const struct gjk_input *input);

#endif
