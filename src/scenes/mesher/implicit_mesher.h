/* Tetrahedra for an implicit solid: isosurface stuffing on a body-centred cubic lattice.
 *
 * The mesh has positive cells only; every dihedral angle lies between MESHER_LEAST_ANGLE and MESHER_MOST_ANGLE degrees
 * whatever the shape; the boundary is closed and manifold; vertices on the boundary lie on the surface of the shape.
 * Features thinner than about 1.2 spacings may be lost. The same input gives the same bits everywhere. */
#ifndef DENT_SCENES_IMPLICIT_MESHER_H
#define DENT_SCENES_IMPLICIT_MESHER_H

#include "implicit_shapes.h"
#include "scenes/scene_mesh.h"

/* Worst dihedral angles over all stencils with all their points in the worst places; see docs/scenes.md. */
#define MESHER_LEAST_ANGLE 10.4
#define MESHER_MOST_ANGLE 163.8

struct mesher_def {
    double low[3], high[3]; /* a box that contains the shape */
    double spacing;         /* edge of the cubes of the lattice; interior cells have edges of 1 and 0.87 of it */
    double (*value)(const void *shape, const double point[3]); /* negative inside; null: shape_value */
    const void *shape;
};

/* How many lattice points the def asks for, as a double: to be checked before meshing. */
double mesher_lattice_points(const struct mesher_def *def);

/* Only the largest piece is kept when the shape falls apart at this spacing. A shape that the lattice does not see at
 * all gives an empty mesh (no cells). */
dent_status implicit_mesh_create(dent_context *context, const struct mesher_def *def, struct scene_mesh *mesh);

#endif
