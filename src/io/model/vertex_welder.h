/* Triangles that come as positions, not as indices: corners at bitwise-equal positions become one vertex, numbered by
 * first appearance. No triangle is dropped: a corner that coincides with an earlier one of the same triangle gets a
 * vertex of its own, since an element must not name a vertex twice; a notice counts such triangles. */
#ifndef DENT_IO_VERTEX_WELDER_H
#define DENT_IO_VERTEX_WELDER_H

#include "io/bytes/key_tree.h"
#include "mesh_builder.h"

struct vertex_welder {
    struct mesh_builder *builder;
    uint32_t *slots;     /* vertex + 1, or 0 */
    uint64_t slot_count; /* a power of two, 0 before the first */
    uint64_t used;
    bool by_tree;         /* the positions were chosen against the hash function: */
    struct key_tree tree; /* of the vertices in the slots, and of all later ones */
};

struct vertex_welder welder_over(struct mesh_builder *builder);
void welder_release(struct vertex_welder *welder);

/* `line` is that of the text, or 0. */
dent_status welder_add_triangle(struct vertex_welder *welder, double positions[3][3], uint64_t line);

#endif
