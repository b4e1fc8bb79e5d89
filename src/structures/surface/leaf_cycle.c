/* A border edge is one that no other face of the leaf goes the other way; following them from place to place gives the
 * order, and what was not met comes behind. See leaf_cycle.h. */
#include "structures/surface/leaf_cycle.h"

#include <string.h>

enum { NOWHERE = 255 };

/* By place: the next one along the border. Where two border edges start, one of them is taken. */
static void find_next(const struct surface_leaf *leaf, uint8_t next[LEAF_VERTICES])
{
    uint16_t goes_to[LEAF_VERTICES] = {0}; /* bits */
    memset(next, NOWHERE, LEAF_VERTICES);
    for (uint32_t face = 0; face < leaf->face_count; face++) {
        for (int side = 0; side < 3; side++) {
            goes_to[leaf->corners[side][face]] |= (uint16_t)(1u << leaf->corners[side == 2 ? 0 : side + 1][face]);
        }
    }
    for (uint32_t face = 0; face < leaf->face_count; face++) {
        for (int side = 0; side < 3; side++) {
            uint8_t from = leaf->corners[side][face], to = leaf->corners[side == 2 ? 0 : side + 1][face];
            if (!(goes_to[to] >> from & 1)) {
                next[from] = to;
            }
        }
    }
}

void leaf_vertices_along_border(struct surface_leaf *leaf)
{
    uint8_t next[LEAF_VERTICES], slot[LEAF_VERTICES], placed = 0;
    uint32_t vertices[LEAF_VERTICES];
    find_next(leaf, next);
    memset(slot, NOWHERE, sizeof slot);
    for (uint8_t first = 0; first < leaf->vertex_count; first++) {
        for (uint8_t at = first; next[first] != NOWHERE && at != NOWHERE && slot[at] == NOWHERE; at = next[at]) {
            slot[at] = placed++;
        }
    }
    for (uint8_t at = 0; at < leaf->vertex_count; at++) {
        slot[at] = slot[at] == NOWHERE ? placed++ : slot[at];
        vertices[slot[at]] = leaf->vertices[at];
    }
    memcpy(leaf->vertices, vertices, leaf->vertex_count * sizeof *vertices);
    for (int corner = 0; corner < 3; corner++) {
        for (uint32_t face = 0; face < leaf->face_count; face++) {
            leaf->corners[corner][face] = slot[leaf->corners[corner][face]];
        }
    }
}
