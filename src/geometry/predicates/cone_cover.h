/* Open cones of half-spaces with a common corner, exactly: does one have a point, do several closed ones cover all
 * of space?
 *
 * A plane is given by three of its points, not in line; only its normal (t1 - t0) x (t2 - t0) matters, the common
 * corner being understood. Used where several tetrahedra meet at a point, along a segment, or (in homogeneous
 * coordinates) where triangles of one plane overlap. Rare and slow: every sign is a determinant of normals in wide
 * integers, computed once.
 */
#ifndef DENT_GEOMETRY_CONE_COVER_H
#define DENT_GEOMETRY_CONE_COVER_H

#include <stdbool.h>
#include <stdint.h>

enum {
    CONE_PLANES_MAX = 18, /* six cones of three */
    CONE_AXES = 3,        /* the coordinate planes, needed to compare parallel normals */
    CONE_NORMALS_MAX = CONE_PLANES_MAX + CONE_AXES,
    CONE_TRIPLES = CONE_NORMALS_MAX * (CONE_NORMALS_MAX - 1) * (CONE_NORMALS_MAX - 2) / 6
};

struct plane_set {
    int count;
    const double *plane[CONE_NORMALS_MAX][3];
    int8_t sign[CONE_TRIPLES]; /* of three normals in rising order; 2: not yet known */
};

/* A set of the coordinate planes only. */
void plane_set_begin(struct plane_set *set);

/* Adds a plane and returns its number. */
int plane_set_add(struct plane_set *set, const double *const plane[3]);

/* The open half-spaces plane[k] * side[k] > 0 have a common point. */
struct open_cone {
    int count;
    int plane[CONE_PLANES_MAX];
    int side[CONE_PLANES_MAX];
};

/* Adds a half-space to a cone that has a point; false when the result has none. */
bool open_cone_add(struct open_cone *cone, struct plane_set *set, int plane, int side);

/* The closed cones (each the set of points weakly inside its half-spaces) cover all of space. */
bool cones_cover_space(const struct open_cone cones[], int count, struct plane_set *set);

#endif
