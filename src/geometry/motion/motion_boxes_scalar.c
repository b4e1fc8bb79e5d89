/* Pairs of moving boxes one at a time. See motion_boxes.h. */
#include "geometry/motion/motion_boxes.h"

#include "simd/double_lanes_scalar.h"

static inline bool mask_all(lane_mask mask)
{
    return mask;
}

#include "geometry/motion/motion_box_lanes.h"

static inline struct box_lanes box_load(const struct motion_volume *volume)
{
    struct box_lanes box;
    lanes turn[4];
    for (int k = 0; k < 3; k++) {
        box.centre[k] = volume->centre[k];
        box.half_extent[k] = volume->half_extent[k];
    }
    for (int k = 0; k < 4; k++) {
        turn[k] = (double)volume->turn[k];
    }
    box.radius = volume->radius;
    box.reach = volume->reach;
    axes_lanes(turn, box.axes);
    return box;
}

static unsigned test_boxes(const struct motion_piece *piece, const struct motion_volume a[2],
                           const struct motion_volume b[2], const struct piece_window *window,
                           struct motion_box_result *result)
{
    const struct box_lanes boxes_a[2] = {box_load(&a[0]), box_load(&a[1])};
    const struct box_lanes boxes_b[2] = {box_load(&b[0]), box_load(&b[1])};
    unsigned apart = 0;
    result->soon = 0;
    for (unsigned pair = 0; pair < 4; pair++) {
        struct window_lanes got =
            test_box_lanes(piece, &boxes_a[pair % 2], &boxes_b[pair / 2], window, &result->rest[pair]);
        result->first[pair] = got.first;
        result->last[pair] = got.last;
        apart |= (unsigned)got.apart << pair;
        result->soon |= (unsigned)got.soon << pair;
    }
    return apart;
}

const struct motion_box_kernels motion_box_kernels_scalar = {.test_boxes = test_boxes};
