/* Which surface faces of a body lie across which edges, and a consistent orientation of them; both follow from the
 * indices alone.
 *
 * Half-edge 3f + k is the edge from corner k of surface face f to corner (k + 1) % 3.
 */
#ifndef DENT_STRUCTURES_FACE_ADJACENCY_H
#define DENT_STRUCTURES_FACE_ADJACENCY_H

#include "base/arena.h"
#include "bodies/body_data.h"

#define MATE_NONE UINT32_MAX              /* an edge with one face */
#define MATE_NONMANIFOLD (UINT32_MAX - 1) /* an edge with more than two, or a face with a repeated corner */

struct face_adjacency {
    uint32_t *mate; /* of each half-edge: the half-edge of the other face there, or one of the two above */
    /* All half-edges, those of one edge next to each other (by smaller vertex, larger vertex, number of the half-edge).
     */
    uint32_t *by_edge;
    uint8_t *edge_begins; /* of each slot in by_edge: 1 where a new edge begins */
};

/* All arrays are taken from `scratch`. O(n). False when memory runs out, or when half-edges cannot be numbered with 32
 * bits. */
bool face_adjacency_find(struct face_adjacency *adjacency, const struct body *body, struct arena *scratch);

enum face_turn {
    FACE_TURNED = 1,   /* bit: the corners are to be read backwards */
    FACE_DOUBTFUL = 2, /* bit: touches an edge with more than two faces, or one whose faces cannot be made to agree */
};

/* Turns the faces of every component (connected across edges with two faces) so that neighbours run along their common
 * edge in opposite directions; the smallest face of a component is kept as it is. turn: one byte per surface face, bits
 * of enum face_turn. A flood fill; O(n). False when memory runs out. */
bool face_adjacency_orient(const struct face_adjacency *adjacency, const struct body *body, uint8_t *turn,
                           struct arena *scratch);

#endif
