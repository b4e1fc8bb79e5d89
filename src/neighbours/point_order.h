/* An order of points in which eight that follow one another, and eight times eight, lie close together. */
#ifndef DENT_NEIGHBOURS_POINT_ORDER_H
#define DENT_NEIGHBOURS_POINT_ORDER_H

#include "base/arena.h"

struct ordered_point {
    double point[3];
    uint32_t index; /* where it lay before */
};

/* Sorts along a Morton curve over the points' box. Where a cell of the curve holds many points, they are sorted again
 * over a box of their own: a far outlier does not spoil the order. Then runs of 512 are split along their longest side
 * into halves, down to eight. O(n log n). The coordinates must be finite and at most 2^1000 in size. Fails with
 * OUT_OF_MEMORY. */
dent_status point_order_sort(dent_context *context, struct ordered_point *points, uint32_t count);
/* The same with memory from an arena, about 64 bytes a point, which gets it back. */
dent_status point_order_sort_in(dent_context *context, struct ordered_point *points, uint32_t count,
                                struct arena *arena);

#endif
