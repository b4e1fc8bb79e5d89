/* Moving boxes in plain C: the reference. Inner loops go over sixteen boxes without branches, which a compiler may well
 * turn into vector code of the plain instruction set. See moving_boxes.h. */
#include "structures/surface/kernels/moving_boxes.h"

#include <math.h>

/* Adds to apart[j] whether axis `axis` separates box x from box j of the sixteen at y. */
static void apart_on_axis(const float *x, uint32_t stride_x, const float *y, uint32_t stride_y, uint32_t axis,
                          int32_t *apart)
{
    const float low_0 = x[axis * stride_x], high_0 = x[(3 + axis) * stride_x];
    const float low_1 = x[(6 + axis) * stride_x], high_1 = x[(9 + axis) * stride_x];
    const float *y_low_0 = y + axis * stride_y, *y_high_0 = y + (3 + axis) * stride_y;
    const float *y_low_1 = y + (6 + axis) * stride_y, *y_high_1 = y + (9 + axis) * stride_y;
    for (int j = 0; j < 16; j++) {
        apart[j] |= ((low_0 > y_high_0[j]) & (low_1 > y_high_1[j])) | ((y_low_0[j] > high_0) & (y_low_1[j] > high_1));
    }
}

static void meet(const struct moving_boxes *a, uint64_t wanted, const struct moving_boxes *b, uint64_t *masks)
{
    for (; wanted; wanted &= wanted - 1) {
        const float *x = a->rows + __builtin_ctzll(wanted);
        uint64_t mask = 0;
        for (uint32_t first = 0; first < b->count; first += 16) {
            int32_t apart[16] = {0};
            for (uint32_t axis = 0; axis < 3; axis++) {
                apart_on_axis(x, a->stride, b->rows + first, b->stride, axis, apart);
            }
            for (uint32_t j = 0; j < 16; j++) {
                mask |= (uint64_t)(apart[j] ^ 1) << (first + j);
            }
        }
        *masks++ = mask;
    }
}

static float smaller(float a, float b)
{
    return a < b ? a : b;
}

static float larger(float a, float b)
{
    return a > b ? a : b;
}

/* One axis at one end of the step. */
static void bound_axis(const struct moving_leaf_shape *shape, const float *x, float grow, uint32_t row,
                       struct moving_leaf_boxes *boxes)
{
    float *low = boxes->vertices[row], *high = boxes->vertices[row + 3];
    float whole_low = INFINITY, whole_high = -INFINITY;
    for (uint32_t i = 0; i < LEAF_VERTICES; i++) {
        low[i] = x[i] - grow;
        high[i] = x[i] + grow;
        whole_low = smaller(low[i], whole_low);
        whole_high = larger(high[i], whole_high);
    }
    for (uint32_t i = 0; i < LEAF_FACES; i++) {
        uint8_t p = shape->corners[0][i], q = shape->corners[1][i], r = shape->corners[2][i];
        bool used = i < shape->face_count;
        boxes->faces[row][i] = used ? smaller(smaller(low[p], low[q]), low[r]) : INFINITY;
        boxes->faces[row + 3][i] = used ? larger(larger(high[p], high[q]), high[r]) : -INFINITY;
    }
    for (uint32_t i = 0; i < MOVING_EDGES; i++) {
        bool used = i < shape->edge_count;
        uint8_t p = used ? shape->edge_ends[0][i] : 0, q = used ? shape->edge_ends[1][i] : 0;
        boxes->edges[row][i] = used ? smaller(low[p], low[q]) : INFINITY;
        boxes->edges[row + 3][i] = used ? larger(high[p], high[q]) : -INFINITY;
    }
    for (uint32_t i = 0; i < 16; i++) {
        boxes->whole[row][i] = i == 0 ? whole_low : INFINITY;
        boxes->whole[row + 3][i] = i == 0 ? whole_high : -INFINITY;
    }
}

static void bound(const struct moving_leaf_shape *shape, const struct leaf_points *start, const struct leaf_points *end,
                  float grow_start, float grow_end, struct moving_leaf_boxes *boxes)
{
    for (uint32_t axis = 0; axis < 3; axis++) {
        bound_axis(shape, start->x[axis], grow_start, axis, boxes);
        bound_axis(shape, end->x[axis], grow_end, 6 + axis, boxes);
    }
}

const struct moving_box_kernels moving_box_kernels_scalar = {meet, bound};
