/* The inside of a dent_inside: a copy of the surface, its two trees, and the memory of calls. */
#ifndef DENT_INSIDE_INSIDE_DATA_H
#define DENT_INSIDE_INSIDE_DATA_H

#include "base/containers/dynamic_array.h"
#include "inside/solid_bsp.h"
#include "inside/winding_tree.h"

#include <dent/inside.h>

#include <stdatomic.h>

enum { AUTO_POINTS = 20000 }; /* asked before AUTO makes the BSP tree */

enum { ENTRY_BITS = 5, ENTRIES = 1 << 3 * ENTRY_BITS };

struct dent_inside {
    dent_context *context;
    dent_inside_method method; /* as given */
    uint32_t vertex_count, triangle_count;
    double (*positions)[3];
    uint32_t (*triangles)[3];
    double low[3], high[3]; /* of the triangles; low > high: there are none */
    struct winding_tree winding;
    struct solid_bsp bsp; /* node_count 0: not yet made */
    bool has_bsp;
    int32_t *entries; /* of the cells of the finest grid, with the BSP tree */
    uint64_t points;
    atomic_uint_fast64_t exact_tests;
    /* Of the points of a part: uint16_t, uint32_t, uint32_t, struct inside_point. */
    struct dynamic_array cells, with_cell, starts, sorted;
};

/* A grid over the box of the triangles. */
struct cell_grid inside_grid(const dent_inside *inside, int bits);
/* Makes the BSP tree unless it stands. Fails with OUT_OF_MEMORY. */
dent_status inside_make_bsp(dent_inside *inside);
/* Room for `count` records, without a promise about their content. */
bool inside_make_room(struct dynamic_array *array, size_t count);

#endif
