/* Straight walks through the cells of a body, from face to face towards a point.
 *
 * Points are moved as in geometry/predicates/perturbed_orientation.h, so a walk never meets an edge or a vertex on its way and
 * always has exactly one face to leave through. Cells taken out (inverted ones) are as good as outside.
 */
#ifndef DENT_STRUCTURES_CELL_WALK_H
#define DENT_STRUCTURES_CELL_WALK_H

#include "geometry/predicates/perturbed_orientation.h"
#include "structures/walk/walk_mesh.h"

#define NO_CELL UINT32_MAX

/* Removed: turned inside out, not to be walked. Flat: without interior, walked as the moved points say. */
enum { CELL_REMOVED = 1, CELL_FLAT = 2 };

/* A body in one snapshot, as the walk sees it. */
struct walk_body {
    const struct body *body;
    const struct walk_mesh *mesh;
    const double (*xyz)[3];
    uint32_t first_vertex, first_cell, first_face; /* in the numbering of the world */
    const int8_t *orientations;                    /* by component of cells */
    bool all_positive;                             /* every cell, in the order of the caller's corners */
    const uint8_t *odd_cells;                      /* by cell: CELL_REMOVED, CELL_FLAT; null: none is */
    uint32_t cover; /* no point of space lies in more of its cells than this; UINT32_MAX: unknown */
    bool met_twice; /* a vertex of its own was found in more than one of its cells */
};

static inline struct numbered_point walk_point(const struct walk_body *body, uint32_t vertex)
{
    return (struct numbered_point){body->xyz[vertex], body->first_vertex + vertex};
}

static inline void walk_cell_points(const struct walk_body *body, const struct walk_cell *cell,
                                    struct numbered_point points[4])
{
    for (int corner = 0; corner < 4; corner++) {
        points[corner] = walk_point(body, cell->vertices[corner]);
    }
}

static inline int walk_orientation(const struct walk_body *body, const struct walk_cell *cell)
{
    return body->orientations[cell->component];
}

static inline bool walk_is_removed(const struct walk_body *body, uint32_t cell)
{
    return body->odd_cells && (body->odd_cells[cell] & CELL_REMOVED);
}

enum walk_end {
    WALK_ARRIVED, /* in the cell that holds the target */
    WALK_LEFT,    /* left the body before */
    WALK_AT_HOME, /* in a cell that has the target as a corner */
    WALK_LOST     /* went on for longer than there are cells: never seen; ask another method */
};

/* From `cell` towards `to` along the line from `from`. entered: the corner opposite the face the walk came in through,
 * or 4 when `from` lies in the cell. *arrived: the last cell. */
enum walk_end walk_straight(const struct walk_body *body, struct numbered_point from, struct numbered_point to,
                            uint32_t cell, uint32_t entered, uint32_t *arrived, bool *degenerate,
                            predicate_counters *counters);

#endif
