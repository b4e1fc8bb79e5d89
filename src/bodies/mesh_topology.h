/* What follows from the indices of a body alone; computed once, when it is created. */
#ifndef DENT_BODIES_MESH_TOPOLOGY_H
#define DENT_BODIES_MESH_TOPOLOGY_H

#include "bodies/body_data.h"

/* Fills neighbours, surface faces, edges, vertex use, components and the counts of a body whose elements are copied and
 * split. O(n) but for the small sorts. On failure what was filled is left for body_destroy. *first_nonmanifold_cell:
 * the first cell with a face that has more than two, UINT32_MAX when there is none. */
dent_status mesh_topology_compute(struct body *body, struct message *message, uint32_t *first_nonmanifold_cell);

/* Corners of the caller's element. */
static inline const uint32_t *mesh_element(const struct body *body, uint32_t element, uint32_t *corner_count)
{
    if (body->element_start) {
        *corner_count = (uint32_t)(body->element_start[element + 1] - body->element_start[element]);
        return body->element_corners + body->element_start[element];
    }
    *corner_count = kind_corner_count(body->kind);
    return body->element_corners + (size_t)element * *corner_count;
}

static inline uint32_t mesh_cell_of(const struct body *body, uint32_t tetrahedron)
{
    return body->cell_of_tetrahedron ? body->cell_of_tetrahedron[tetrahedron] : tetrahedron;
}

/* The face of a tetrahedron opposite a corner, counter-clockwise seen from outside when the tetrahedron is positive. */
static inline void mesh_face_of(const uint32_t tetrahedron[4], uint32_t corner, uint32_t vertices[3])
{
    static const uint8_t opposite[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    for (uint32_t i = 0; i < 3; i++) {
        vertices[i] = tetrahedron[opposite[corner][i]];
    }
}

/* The stages, each in its own file; called in this order by mesh_topology_compute. They return false when memory is
 * short. */
bool mesh_faces_find_neighbours(struct body *body, uint32_t *first_nonmanifold_cell);
void mesh_wedges_follow_neighbours(struct body *body);
bool mesh_faces_list_surface(struct body *body);
/* *too_many: more distinct edges than 32 bits can number; then false is returned too. */
bool mesh_edges_list(struct body *body, bool *too_many);
bool mesh_edges_judge_surface(struct body *body);

#endif
