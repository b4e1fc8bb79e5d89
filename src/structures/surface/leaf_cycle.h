/* The order of the vertices of a leaf of the surface forest: along its border first. */
#ifndef DENT_STRUCTURES_LEAF_CYCLE_H
#define DENT_STRUCTURES_LEAF_CYCLE_H

#include "structures/surface/surface_forest.h"

/* Renumbers the vertices of a leaf (and its corners) so that those on its border come first, one behind the other as
 * the faces go around: the self-collision culling then finds outlines as runs of places. A leaf whose border is not one
 * simple cycle gets any order. */
void leaf_vertices_along_border(struct surface_leaf *leaf);

#endif
