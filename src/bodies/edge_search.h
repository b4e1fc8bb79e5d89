/* The number of an edge by its ends: edges are sorted, so those that begin at a vertex lie together. */
#ifndef DENT_BODIES_EDGE_SEARCH_H
#define DENT_BODIES_EDGE_SEARCH_H

#include "bodies/body_data.h"

/* first_edge[v]: the first edge whose smaller end is v, vertex_count + 1 of them. The edge a-b must be there. */
static inline uint32_t find_edge(const struct body *body, const uint32_t *first_edge, uint32_t a, uint32_t b)
{
    uint32_t v0 = a < b ? a : b, v1 = a < b ? b : a;
    uint32_t low = first_edge[v0], high = first_edge[v0 + 1];
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (body->edges[middle].v1 <= v1) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

#endif
