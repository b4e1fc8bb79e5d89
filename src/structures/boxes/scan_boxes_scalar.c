/* Box scan, reference version: no branch per box, so that it is quick where most boxes miss and where most meet. */
#include "structures/boxes/scan_boxes.h"

uint32_t scan_boxes_scalar(const struct box_columns *boxes, uint32_t begin, uint32_t end,
                           const struct box_window *window, uint32_t *found)
{
    uint32_t count = 0;
    for (uint32_t i = begin; i < end; i++) {
        found[count] = i;
        count += (boxes->lo1[i] <= window->hi1) & (boxes->hi1[i] >= window->lo1) & (boxes->lo2[i] <= window->hi2) &
                 (boxes->hi2[i] >= window->lo2);
    }
    return count;
}
