/* Pairs of moving boxes one at a time. See motion_boxes.h. */
#include "geometry/kernels/motion_boxes.h"

#include "geometry/kernels/impact_lanes_scalar.h"

struct box_lanes {
    lanes centre[3], half_extent[3], radius, reach, turn[4], axes[9];
};

static inline struct box_lanes box_load(const struct motion_volume *const *volumes)
{
    struct box_lanes box;
    for (int k = 0; k < 3; k++) {
        box.centre[k] = volumes[0]->centre[k];
        box.half_extent[k] = volumes[0]->half_extent[k];
    }
    for (int k = 0; k < 4; k++) {
        box.turn[k] = (double)volumes[0]->turn[k];
    }
    box.radius = volumes[0]->radius;
    box.reach = volumes[0]->reach;
    return box;
}

#include "geometry/kernels/motion_box_lanes.h"

static unsigned test_boxes(const struct motion_piece *piece, const struct motion_volume *const a[4],
                           const struct motion_volume *const b[4], const struct piece_window *window,
                           struct motion_box_result *result)
{
    unsigned apart = 0;
    result->soon = 0;
    for (unsigned pair = 0; pair < 4; pair++) {
        struct window_lanes got = test_box_lanes(piece, a + pair, b + pair, window, &result->rest[pair]);
        result->first[pair] = got.first;
        result->last[pair] = got.last;
        apart |= (unsigned)got.apart << pair;
        result->soon |= (unsigned)got.soon << pair;
    }
    return apart;
}

const struct motion_box_kernels motion_box_kernels_scalar = {.test_boxes = test_boxes};
