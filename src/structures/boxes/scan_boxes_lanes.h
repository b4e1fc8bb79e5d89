/* Box scan for any number of lanes. Included by scan_boxes_<isa>.c behind its lanes header. No branch per box, so that it
 * is quick where most boxes miss and where most meet.
 */
#include "structures/boxes/scan_boxes.h"

static inline floats_mask interval_meets(floats lo, floats hi, float window_lo, float window_hi)
{
    return floats_mask_and(floats_less_equal(lo, floats_set(window_hi)), floats_less_equal(floats_set(window_lo), hi));
}

/* Stores the indices of the lanes with their bits set; returns how many. */
static inline uint32_t keep_indices(uint32_t *found, uint32_t i, floats_mask meets)
{
    const uint32_t bits = floats_mask_bits(meets);
    words_keep(found, words_add(words_count_up(), words_set(i)), floats_order_of_bits(bits));
    return (uint32_t)__builtin_popcount(bits);
}

static inline uint32_t scan_boxes(const struct box_columns *boxes, uint32_t begin, uint32_t end,
                                  const struct box_window *window, uint32_t *found)
{
    uint32_t count = 0, i = begin;
    for (; end - i >= FLOATS; i += FLOATS) {
        floats_mask meets1 =
            interval_meets(floats_load_any(boxes->lo1 + i), floats_load_any(boxes->hi1 + i), window->lo1, window->hi1);
        floats_mask meets2 =
            interval_meets(floats_load_any(boxes->lo2 + i), floats_load_any(boxes->hi2 + i), window->lo2, window->hi2);
        count += keep_indices(found + count, i, floats_mask_and(meets1, meets2));
    }
    if (FLOATS > 1 && i < end) { /* the last ones: loads stop at `end` */
        const floats_mask present = floats_mask_first(end - i);
        floats_mask meets1 = interval_meets(floats_load_within(present, boxes->lo1 + i),
                                            floats_load_within(present, boxes->hi1 + i), window->lo1, window->hi1);
        floats_mask meets2 = interval_meets(floats_load_within(present, boxes->lo2 + i),
                                            floats_load_within(present, boxes->hi2 + i), window->lo2, window->hi2);
        count += keep_indices(found + count, i, floats_mask_and(present, floats_mask_and(meets1, meets2)));
    }
    return count;
}
