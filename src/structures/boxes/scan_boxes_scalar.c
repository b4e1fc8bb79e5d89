/* Box scan, one lane: the reference version. */
#include "simd/lanes_scalar.h"
#include "structures/boxes/scan_boxes_lanes.h"

uint32_t scan_boxes_scalar(const struct box_columns *boxes, uint32_t begin, uint32_t end,
                           const struct box_window *window, uint32_t *found)
{
    return scan_boxes(boxes, begin, end, window, found);
}
