/* What the predicates of this folder can answer, and the counters they keep.
 *
 * Positions are `const double p[3]`, all finite. A triangle is three positions, a tetrahedron four, given as arrays
 * of pointers so that callers need not copy; equal positions, collinear triangles and flat tetrahedra are welcome
 * everywhere and mean the convex hull of their corners. Orientation never changes an answer.
 */
#ifndef DENT_GEOMETRY_PREDICATE_KINDS_H
#define DENT_GEOMETRY_PREDICATE_KINDS_H

#include <stdint.h>

/* Owned by one thread; the caller adds them up. */
typedef struct predicate_counters {
    uint64_t exact_fallbacks; /* signs that the floating-point filter left open and integer arithmetic decided */
} predicate_counters;

typedef enum point_relation {
    POINT_OUTSIDE = 0,
    POINT_BOUNDARY = 1, /* in the closed set, not in its interior in space */
    POINT_INTERIOR = 2
} point_relation;

typedef enum overlap_relation {
    OVERLAP_NONE = 0,
    OVERLAP_TOUCHING = 1, /* the closed sets meet, but not as INTERIOR asks */
    OVERLAP_INTERIOR = 2  /* the closed face meets the open cell */
} overlap_relation;

typedef enum face_pair_kind {
    FACE_PAIR_NONE = 0,
    FACE_PAIR_TOUCHING = 1, /* the closed triangles meet otherwise */
    FACE_PAIR_CROSSING = 2, /* relative interiors meet, the six corners are not in one plane */
    FACE_PAIR_COPLANAR = 3  /* the six corners are in one plane and the triangles share area */
} face_pair_kind;

#endif
