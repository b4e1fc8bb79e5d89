/* Box scan, sixteen lanes. */
#include "structures/boxes/scan_boxes.h"

#if defined(__x86_64__)

#include "simd/lanes_avx512.h"
#include "structures/boxes/scan_boxes_lanes.h"

uint32_t scan_boxes_avx512(const struct box_columns *boxes, uint32_t begin, uint32_t end,
                           const struct box_window *window, uint32_t *found)
{
    return scan_boxes(boxes, begin, end, window, found);
}

#endif
