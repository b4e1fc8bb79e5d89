/* One body made ready for walking: cells with their neighbours in one record each, the surface with its edges, and the
 * places where the mesh is not a plain solid. Computed once per body from its connectivity.
 *
 * Cells that share a face are oriented alike, component by component: then they lie on different sides of the face iff
 * both have the same orientation sign. Faces with more than two cells, and faces across which no common orientation
 * exists, are cut: nobody walks across them. A wall is a face of a cell without neighbour: a surface face, or a cut
 * one.
 */
#ifndef DENT_STRUCTURES_WALK_MESH_H
#define DENT_STRUCTURES_WALK_MESH_H

#include "bodies/body_data.h"

#define WALK_WALL UINT32_MAX

/* Corners of the six edges of a cell, and the face opposite each corner, counter-clockwise from outside in a positive
 * cell. */
extern const uint8_t walk_edge_corners[6][2];
extern const uint8_t walk_face_corners[4][3];

struct walk_cell {
    _Alignas(64) uint32_t vertices[4]; /* of the body */
    uint32_t neighbours[4];            /* across the face opposite each corner; WALK_WALL: none */
    uint8_t back[4];     /* the same face seen from the neighbour: which of its corners it lies opposite */
    uint32_t component;  /* of cells connected through faces */
    uint8_t owned_edges; /* bits: every edge is owned by at least one of its cells */
    bool flipped;        /* corners in the opposite sense of the body's */
};

/* The cells around a surface edge from one surface face to the other, at least three of them. */
struct walk_fan {
    uint32_t edge[2];      /* vertices: apexes turn positively about the direction from edge[0] to edge[1] */
    uint32_t faces[2];     /* surface faces at both ends */
    uint32_t first, count; /* count cells from `first` in fan_cells; count + 1 apexes from `first_apex` in fan_apexes */
    uint32_t first_apex;
    uint32_t first_check, check_count; /* in fan_checks; 0: none */
};

struct walk_star_pair {
    uint32_t face, cell;
};

struct walk_mesh {
    dent_context *context;
    uint32_t cell_count, face_count, vertex_count, component_count, flipped_count;
    struct walk_cell *cells;
    uint32_t *owners; /* by surface face: cell * 4 + corner it lies opposite; null for surfaces */
    uint32_t *ring; /* by face * 3 + edge (corner k to k + 1): the next face * 3 + edge at the same edge, in a circle */
    uint8_t *designated;       /* by surface face: bits of the corners whose vertex this face answers for */
    uint32_t *representatives; /* one face of every part of the surface that hangs together by edges */
    uint32_t representative_count;
    uint32_t *inner_first, *inner; /* by vertex: neighbours that are not on the surface; vertex_count + 1 starts */
    uint32_t inner_count;
    struct walk_fan *fans;
    uint32_t fan_count;
    uint32_t *fan_cells, *fan_apexes;
    uint32_t fan_cell_count;
    /* Tetrahedra of the edge and two apexes, positive where the cells are if those between turn by less than half a
     * turn. A fan of three cells with one such pair, or of four with two, turns by less than once. */
    uint32_t (*fan_checks)[4];
    uint32_t fan_check_count;
    uint32_t *link_first; /* by vertex, vertex_count + 1 starts: what is around a surface vertex of a solid, in order */
    uint32_t *link_faces; /* surface faces */
    uint32_t *links; /* the corner of each that is shared with the one before. Empty where the faces do not close up in
                        one circle: there star_pairs has everything */
    uint32_t link_count;
    struct walk_star_pair
        *star_pairs; /* at edges and vertices where several parts of the mesh meet: faces and cells to be compared */
    uint32_t star_pair_count;
    /* Inner edges with five or more cells around them, about which the cells could turn twice. Each cell turns by less
     * than half a turn; if k - 4 pairs of consecutive ones also do, all k together turn by less than two. So for up to
     * eight cells it is enough that the tetrahedra in ring_checks, edge and two apexes, are all positive where the
     * cells are. */
    uint32_t (*ring_checks)[4];
    uint32_t *checked_rings; /* by ring_check: cell * 8 + edge of the edge */
    uint32_t ring_check_count;
    uint32_t *long_rings; /* cell * 8 + edge: more than eight cells */
    uint32_t long_ring_count;
    uint32_t *cuts; /* cell * 4 + corner of the cut faces */
    uint32_t cut_count;
    bool odd; /* this is no solid in space (the cells around some vertex close up, but not like a ball), or too tangled:
                 not to be walked */
};

/* False when memory runs out; nothing is left behind then. */
bool walk_mesh_create(struct walk_mesh *mesh, dent_context *context, const struct body *body);
void walk_mesh_destroy(struct walk_mesh *mesh);

/* The circle of apexes around an inner edge (cell * 8 + edge), in positive sense where the cells are positive, at most
 * `room` of them, and its ends; returns how many there are. */
uint32_t walk_mesh_ring(const struct walk_mesh *mesh, uint32_t ring, uint32_t ends[2], uint32_t *apexes, uint32_t room);

/* Which corner of the cell a vertex is; 4: none. */
static inline uint32_t walk_corner_of(const struct walk_cell *cell, uint32_t vertex)
{
    uint32_t corner = 0;
    while (corner < 4 && cell->vertices[corner] != vertex) {
        corner++;
    }
    return corner;
}

#endif
