/* Coordinates of surface vertices that are measured along the mesh: they know nothing of the shape and change only with
 * the connectivity.
 *
 * Each of the three is the number of edges to one vertex less that to another, the two far from each other and from
 * those before: as on a map, a sheet of cloth gets two coordinates that run along it however it is crumpled.
 */
#ifndef DENT_STRUCTURES_MESH_COORDINATES_H
#define DENT_STRUCTURES_MESH_COORDINATES_H

#include "base/arena.h"
#include "bodies/body_data.h"

struct mesh_coordinates {
    float (*at)[3];      /* by vertex */
    uint32_t *component; /* by vertex: connected along edges of surface faces; UINT32_MAX: not on the surface */
    uint32_t component_count;
};

/* Seven breadth-first walks; O(n). Arrays are taken from the arena. False when memory runs out. */
bool mesh_coordinates_find(struct mesh_coordinates *coordinates, const struct body *body, struct arena *arena);

#endif
