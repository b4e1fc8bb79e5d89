/* How a face lies in a cell: whether it meets the interior, and through which faces and edges both go on.
 *
 * Points are moved as in perturbed_orientation.h, so nothing is ever just touching; a face and a cell may have one or
 * two corners in common (equal numbers), three make the face a face of the cell, which meets nothing. All signs with a
 * repeated corner are 0 and mean "no", which is right: what passes through a common corner or edge alone is no overlap,
 * and what also passes elsewhere is seen there.
 *
 * Seen in the plane of the face, the cell is a polygon of three or four corners (where edges of the cell cross the
 * plane) and the face a triangle; the two tables of signs, polygon corners against triangle edges and triangle corners
 * against polygon edges, answer everything.
 *
 * In: seven points. Out: sets of bits. Pure functions; any thread.
 */
#ifndef DENT_GEOMETRY_FACE_CELL_OVERLAP_H
#define DENT_GEOMETRY_FACE_CELL_OVERLAP_H

#include "geometry/predicates/kernels/overlap_kernels.h"
#include "geometry/predicates/perturbed_orientation.h"

struct face_cell_overlap {
    uint8_t cell_faces;   /* bit k: the face meets the cell's face opposite corner k */
    uint8_t face_edges;   /* bit k: the face's edge from corner k to k + 1 passes through the cell */
    uint8_t face_corners; /* bit k: corner k of the face is in the cell */
    uint8_t cell_edges;   /* bit m: edge m of the cell (01 02 03 12 13 23) pierces the face */
    uint8_t above;        /* bit i: corner i of the cell is above the plane of the face */
    bool meets;           /* the face meets the interior of the cell */
    bool degenerate;      /* some sign was that of the moved points only */
};

/* Any face and cell; orientation: the sign of the cell's corners in order. */
void face_cell_overlap_shared(const struct numbered_point face[3], const struct numbered_point cell[4], int orientation,
                              struct face_cell_overlap *overlap, predicate_counters *counters);

/* The same, quicker, for a face and a cell without common corners. prepared: the face in floats. */
void face_cell_overlap_apart(const struct overlap_kernels *kernels, const struct overlap_face *prepared,
                             const struct numbered_point face[3], const struct numbered_point cell[4], int orientation,
                             struct face_cell_overlap *overlap, predicate_counters *counters);

#endif
