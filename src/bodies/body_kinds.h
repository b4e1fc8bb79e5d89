/* The table of body kinds: what the elements of a body are. Everything that differs between kinds is asked here, so that
 * a new kind is one row and the places where it means something new.
 */
#ifndef DENT_BODIES_BODY_KINDS_H
#define DENT_BODIES_BODY_KINDS_H

#include <dent/body.h>

#include "bodies/cell_split.h"

/* The rows, each at the value of its kind; other slots have no name. Everything below takes a kind that has a row. */
extern const dent_body_kind_info body_kind_rows[];

/* Are the elements cells, with an inside; are they faces; segments of strands; points? */
static inline bool kind_has_cells(dent_body_kind kind)
{
    return body_kind_rows[kind].has_cells;
}

static inline bool kind_has_faces(dent_body_kind kind)
{
    return body_kind_rows[kind].dimension == 2;
}

static inline bool kind_has_segments(dent_body_kind kind)
{
    return body_kind_rows[kind].dimension == 1;
}

static inline bool kind_has_points(dent_body_kind kind)
{
    return body_kind_rows[kind].dimension == 0;
}

/* Corners of a plain element (a tetrahedron, for cells). */
static inline uint32_t kind_corner_count(dent_body_kind kind)
{
    return body_kind_rows[kind].corner_count;
}

/* The most corners and faces an element can have. */
static inline uint32_t kind_most_corners(dent_body_kind kind)
{
    return kind_has_cells(kind) ? CELL_MAX_CORNERS : kind_corner_count(kind);
}

static inline uint32_t kind_face_count(dent_body_kind kind)
{
    return kind_has_cells(kind) ? kind_corner_count(kind) : kind_has_faces(kind);
}

#endif
