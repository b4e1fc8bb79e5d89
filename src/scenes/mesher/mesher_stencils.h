/* The lattice of the mesher after its points have been moved, and the stencils that cut its tetrahedra. */
#ifndef DENT_SCENES_MESHER_STENCILS_H
#define DENT_SCENES_MESHER_STENCILS_H

#include "scenes/scene_mesh.h"

#define LATTICE_NONE UINT32_MAX
enum { LATTICE_DIRECTIONS = 14 };

/* Where the surface cuts an edge. */
struct lattice_cut {
    double part;       /* of the edge, from its owner */
    uint32_t vertex;   /* of the mesh, or LATTICE_NONE */
    uint8_t direction; /* from its owner */
};

struct lattice {
    double origin[3], half; /* position of (0, 0, 0); half the spacing */
    int32_t cells[3];
    uint32_t corner_count; /* points with even coordinates come first, those with odd ones after them */
    uint32_t point_count;
    double *positions;   /* 3 per point, moved onto the surface where it was near */
    double *values;      /* negative inside, 0 on the surface */
    uint32_t *vertices;  /* of the mesh, or LATTICE_NONE */
    uint32_t *first_cut; /* into cuts, by owner; point_count + 1 */
    struct lattice_cut *cuts;
    uint32_t cut_count;
};

/* Number of the point at integer coordinates, or LATTICE_NONE; and back. */
uint32_t lattice_point(const struct lattice *lattice, const int32_t at[3]);
void lattice_place(const struct lattice *lattice, uint32_t point, int32_t at[3]);
struct lattice_cut *lattice_find_cut(const struct lattice *lattice, uint32_t owner, int direction);

/* Cuts every tetrahedron of the lattice and keeps what is inside. On failure the mesh is empty. */
dent_status stuff_lattice(dent_context *context, struct lattice *lattice, struct scene_mesh *mesh);

#endif
