/* Self-collision culling: which parts of a surface cannot cross themselves in this snapshot, proven.
 *
 * Volino and Magnenat-Thalmann's observation: a surface whose normals all lie in one half space, and whose outline does
 * not fold over itself when seen along that direction, cannot intersect itself. What is needed of the outline they
 * leave to chance; here it is checked. Let R be a set of faces, consistently oriented, whose boundary is one simple
 * cycle of edges (both checked once). If for a direction D (1) n . D > 0 for every face of R, and (2) seen along D, the
 * cycle goes once around some point, its angle about it always growing, then the projection along D is injective on R:
 * faces of R meet in their common vertices and edges only. By (2) the projected cycle is a simple closed curve with
 * winding number 1 inside and 0 outside; by (1) the number of faces over a point off the curve is that winding number,
 * so no two faces overlap in projection. A point of R that is no point of the cycle has a neighbourhood that covers a
 * disc, so another point of R with the same projection would make faces overlap; two points of the cycle with the same
 * projection are the same point. So crossing, coplanar and touching pairs are all excluded, with or without common
 * vertices. Both conditions are tested with bounds on the rounding (curvature_kernels.h); whatever is uncertain is not
 * culled.
 *
 * R is a node of the tree, or the nodes of one level around a vertex where three or more of them meet, or two nodes
 * along an edge. Such groups are listed once, with their cycles; a group inside something culled one level up is culled
 * for free.
 */
#ifndef DENT_STRUCTURES_SURFACE_CULLING_H
#define DENT_STRUCTURES_SURFACE_CULLING_H

#include "structures/surface/surface_tree.h"

struct curvature_kernels;

/* Marks node_culled and pair_culled in the levels of all trees of a forest for the snapshot of its last refit (t0). Lists
 * what it needs for trees that it has not seen yet (`snapshot`: their bodies); afterwards it allocates nothing but
 * `scratch`. Trees for which it did not pay in their last query are passed over most of the time: their levels then
 * have no marks. False when memory runs out: nothing is marked then. The same marks for every instruction set and
 * number of threads. */
bool surface_culling_run(struct surface_forest *forest, const struct snapshot *snapshot, dent_isa isa,
                         struct arena *scratch, struct culling_counts *counts);

/* Called when a tree goes. Null is allowed. */
void surface_culling_destroy(struct surface_culling *culling);

#endif
