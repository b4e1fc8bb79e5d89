/* The building of a walk mesh: what its parts share. One part for the cells, one for what lies around edges, one for
 * what lies around vertices; walk_mesh.c puts them together. They return false when memory runs out.
 */
#ifndef DENT_STRUCTURES_WALK_MESH_BUILD_H
#define DENT_STRUCTURES_WALK_MESH_BUILD_H

#include "base/arena.h"
#include "base/containers/dynamic_array.h"
#include "structures/walk/walk_mesh.h"

/* What is needed only while building. */
struct walk_build {
    struct walk_mesh *mesh;
    const struct body *body;
    struct arena arena;
    struct dynamic_array fans, fan_cells, fan_apexes, star_pairs, cuts, representatives, links, link_faces, ring_checks,
        fan_checks, checked_rings, long_rings;
    uint8_t *pinched;                      /* by vertex */
    uint32_t *star_first, *star;           /* cells around each vertex */
    uint32_t *face_star_first, *face_star; /* surface faces around each vertex */
};

/* walk_mesh_cells.c: cells oriented alike by a flood through their faces, with cuts where that is impossible. */
bool walk_build_cells(struct walk_build *build);
/* walk_mesh_edges.c: edges owned by cells, circles around inner edges, fans around surface edges. */
bool walk_build_edges(struct walk_build *build);
/* walk_mesh_vertices.c: what is around each vertex, and where it is pinched. */
bool walk_build_vertices(struct walk_build *build);

static inline bool walk_push(struct dynamic_array *array, uint32_t value)
{
    return array_push(array, &value);
}

#endif
