/* Moving boxes, written once over the lanes of simd/lanes.h. Included by moving_boxes_<isa>.c. See moving_boxes.h. */
#include "structures/surface/kernels/moving_boxes.h"

/* Lanes whose boxes, from y on, axis `axis` separates from box x. */
static inline floats_mask apart_on_axis(const float *x, uint32_t stride_x, const float *y, uint32_t stride_y,
                                        uint32_t axis)
{
    const floats low_0 = floats_set(x[axis * stride_x]), high_0 = floats_set(x[(3 + axis) * stride_x]);
    const floats low_1 = floats_set(x[(6 + axis) * stride_x]), high_1 = floats_set(x[(9 + axis) * stride_x]);
    floats_mask above = floats_mask_and(floats_greater(low_0, floats_load(y + (3 + axis) * stride_y)),
                                        floats_greater(low_1, floats_load(y + (9 + axis) * stride_y)));
    floats_mask below = floats_mask_and(floats_less(high_0, floats_load(y + axis * stride_y)),
                                        floats_less(high_1, floats_load(y + (6 + axis) * stride_y)));
    return floats_mask_or(above, below);
}

/* With one lane sixteen are compared before any becomes a bit: a loop that a compiler can turn into vectors. */
enum { AT_ONCE = FLOATS == 1 ? 16 : FLOATS };

static void meet(const struct moving_boxes *a, uint64_t wanted, const struct moving_boxes *b, uint64_t *masks)
{
    const uint32_t stride_x = a->stride, stride_y = b->stride, count = b->count;
    const float *rows = b->rows;
    for (; wanted; wanted &= wanted - 1) {
        const float *x = a->rows + __builtin_ctzll(wanted);
        uint64_t found = 0;
        for (uint32_t first = 0; first < count; first += AT_ONCE) {
            floats_mask apart[AT_ONCE / FLOATS];
            for (uint32_t k = 0; k < AT_ONCE / FLOATS; k++) {
                const float *y = rows + first + k * FLOATS;
                apart[k] = floats_mask_or(floats_mask_or(apart_on_axis(x, stride_x, y, stride_y, 0),
                                                         apart_on_axis(x, stride_x, y, stride_y, 1)),
                                          apart_on_axis(x, stride_x, y, stride_y, 2));
            }
            for (uint32_t k = 0; k < AT_ONCE / FLOATS; k++) {
                uint32_t bits = ~floats_mask_bits(apart[k]) & ((1u << FLOATS) - 1);
                found |= (uint64_t)bits << (first + k * FLOATS);
            }
        }
        *masks++ = found;
    }
}

/* The shape of a leaf in registers, for all axes and both ends: which vertices, and which lanes are in use. */
struct lanes_of_shape {
    floats_index corners[3][LEAF_FACES / FLOATS], edge_ends[2][MOVING_EDGES / FLOATS];
    floats_mask faces[LEAF_FACES / FLOATS], edges[MOVING_EDGES / FLOATS];
};

static inline void load_shape(const struct moving_leaf_shape *shape, struct lanes_of_shape *lanes)
{
    for (uint32_t i = 0; i < LEAF_FACES / FLOATS; i++) {
        for (int corner = 0; corner < 3; corner++) {
            lanes->corners[corner][i] = floats_index_load(shape->corners[corner] + i * FLOATS);
        }
        lanes->faces[i] = floats_mask_first(shape->face_count > i * FLOATS ? shape->face_count - i * FLOATS : 0);
    }
    for (uint32_t i = 0; i < MOVING_EDGES / FLOATS; i++) {
        lanes->edge_ends[0][i] = floats_index_load(shape->edge_ends[0] + i * FLOATS);
        lanes->edge_ends[1][i] = floats_index_load(shape->edge_ends[1] + i * FLOATS);
        lanes->edges[i] = floats_mask_first(shape->edge_count > i * FLOATS ? shape->edge_count - i * FLOATS : 0);
    }
}

/* One axis at one end of the step. */
static inline void bound_axis(const struct lanes_of_shape *shape, const float *x, float grow, uint32_t row,
                              struct moving_leaf_boxes *boxes)
{
    const floats16 low = floats16_subtract(floats16_load(x), floats16_set(grow));
    const floats16 high = floats16_add(floats16_load(x), floats16_set(grow));
    const floats_table16 lows = floats16_table(&low), highs = floats16_table(&high);
    const floats infinite = floats_set(INFINITY), minus_infinite = floats_set(-INFINITY);
    floats16_store(boxes->vertices[row], low);
    floats16_store(boxes->vertices[row + 3], high);
    for (uint32_t i = 0; i < LEAF_FACES / FLOATS; i++) {
        floats_index p = shape->corners[0][i], q = shape->corners[1][i], r = shape->corners[2][i];
        floats least = floats_least(floats_least(floats_table16_pick(lows, p), floats_table16_pick(lows, q)),
                                    floats_table16_pick(lows, r));
        floats most = floats_most(floats_most(floats_table16_pick(highs, p), floats_table16_pick(highs, q)),
                                  floats_table16_pick(highs, r));
        floats_store(boxes->faces[row] + i * FLOATS, floats_choose(shape->faces[i], least, infinite));
        floats_store(boxes->faces[row + 3] + i * FLOATS, floats_choose(shape->faces[i], most, minus_infinite));
    }
    for (uint32_t i = 0; i < MOVING_EDGES / FLOATS; i++) {
        floats_index p = shape->edge_ends[0][i], q = shape->edge_ends[1][i];
        floats least = floats_least(floats_table16_pick(lows, p), floats_table16_pick(lows, q));
        floats most = floats_most(floats_table16_pick(highs, p), floats_table16_pick(highs, q));
        floats_store(boxes->edges[row] + i * FLOATS, floats_choose(shape->edges[i], least, infinite));
        floats_store(boxes->edges[row + 3] + i * FLOATS, floats_choose(shape->edges[i], most, minus_infinite));
    }
    floats16_store(boxes->whole[row], floats16_set(INFINITY));
    floats16_store(boxes->whole[row + 3], floats16_set(-INFINITY));
    boxes->whole[row][0] = floats16_smallest(low);
    boxes->whole[row + 3][0] = floats16_largest(high);
}

static void bound(const struct moving_leaf_shape *shape, const struct leaf_points *start, const struct leaf_points *end,
                  float grow_start, float grow_end, struct moving_leaf_boxes *boxes)
{
    struct lanes_of_shape lanes;
    load_shape(shape, &lanes);
    for (uint32_t axis = 0; axis < 3; axis++) {
        bound_axis(&lanes, start->x[axis], grow_start, axis, boxes);
        bound_axis(&lanes, end->x[axis], grow_end, 6 + axis, boxes);
    }
}

#define MOVING_BOX_KERNELS_ROW                                                                                         \
    {                                                                                                                  \
        meet, bound                                                                                                    \
    }
