/* Moving boxes one at a time: the reference. See moving_boxes.h. */
#include "geometry/kernels/moving_boxes.h"

static bool apart(const struct moving_boxes *a, uint32_t i, const struct moving_boxes *b, uint32_t j)
{
    const float *x = a->rows + i, *y = b->rows + j;
    for (uint32_t axis = 0; axis < 3; axis++) {
        const float *low_x = x + axis * a->stride, *high_x = x + (3 + axis) * a->stride;
        const float *low_y = y + axis * b->stride, *high_y = y + (3 + axis) * b->stride;
        uint32_t end_x = 6 * a->stride, end_y = 6 * b->stride;
        bool above = low_x[0] > high_y[0] && low_x[end_x] > high_y[end_y];
        bool below = low_y[0] > high_x[0] && low_y[end_y] > high_x[end_x];
        if (above || below) {
            return true;
        }
    }
    return false;
}

void moving_boxes_meet_scalar(const struct moving_boxes *a, uint64_t wanted, const struct moving_boxes *b, uint64_t *masks)
{
    for (; wanted; wanted &= wanted - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(wanted);
        uint64_t mask = 0;
        for (uint32_t j = 0; j < b->count; j++) {
            mask |= (uint64_t)!apart(a, i, b, j) << j;
        }
        *masks++ = mask;
    }
}
