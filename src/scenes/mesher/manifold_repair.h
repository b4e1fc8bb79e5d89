/* Makes the boundary of a mesh of tetrahedra manifold by taking cells away. */
#ifndef DENT_SCENES_MANIFOLD_REPAIR_H
#define DENT_SCENES_MANIFOLD_REPAIR_H

#include "scenes/scene_mesh.h"

/* Removes cells until every boundary edge has two boundary faces and the boundary faces around every vertex form one
 * fan; then keeps the largest piece that is connected through faces, and the vertices it uses, in their order. The
 * boundary of a set of cells is always closed. On failure the mesh is as it was. */
dent_status repair_manifold(dent_context *context, struct scene_mesh *mesh);

#endif
