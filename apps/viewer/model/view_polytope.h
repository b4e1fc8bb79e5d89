/* view_polytope.h — the edges of a k-DOP, for pictures: the intersection of slabs as a polytope. */
#ifndef DENT_VIEW_POLYTOPE_H
#define DENT_VIEW_POLYTOPE_H

#include <dent/time_critical.h>

/* A polytope of 18 faces has at most 2 * 18 - 4 corners and 3 * 18 - 6 edges; the rest is for corners that rounding
 * split. */
enum { VIEW_POLYTOPE_CORNERS = 64, VIEW_POLYTOPE_EDGES = 128 };

typedef struct view_polytope {
    uint32_t corner_count, edge_count;
    uint32_t face_count; /* polygons with an area */
    double corners[VIEW_POLYTOPE_CORNERS][3];
    uint8_t edges[VIEW_POLYTOPE_EDGES][2]; /* each once; places in corners */
} view_polytope;

/** The slabs of a node, as dent_bound_tree_slabs gives them: the axes first, their ends finite. Slabs that hold one
 * point or one line or a flat piece make a polytope without edges, of one edge, of one polygon. Corners lie on their
 * planes within 1e-6 of the size of the box and the rounding of their coordinates. */
void view_polytope_make(const dent_bound_slab *slabs, uint32_t slab_count, view_polytope *polytope);

#endif
