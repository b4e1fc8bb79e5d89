/* Box scan for any number of lanes. Included by scan_boxes_<isa>.c behind its lanes header. No branch per box, so that it
 * is quick where most boxes miss and where most meet.
 */
#include "structures/boxes/scan_boxes.h"

/* The window as values: a store of lanes may alias anything, so what is read through a pointer is read again for each
 * group. */
struct scan_window {
    floats lo1, hi1, lo2, hi2;
};

static inline floats_mask window_meets(const struct scan_window *scan, floats lo1, floats hi1, floats lo2, floats hi2)
{
    return floats_mask_and(
        floats_mask_and(floats_less_equal(lo1, scan->hi1), floats_less_equal(scan->lo1, hi1)),
        floats_mask_and(floats_less_equal(lo2, scan->hi2), floats_less_equal(scan->lo2, hi2)));
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
    const struct scan_window scan = {floats_set(window->lo1), floats_set(window->hi1), floats_set(window->lo2),
                              floats_set(window->hi2)};
    const float *lo1 = boxes->lo1, *hi1 = boxes->hi1, *lo2 = boxes->lo2, *hi2 = boxes->hi2;
    uint32_t count = 0, i = begin;
    for (; end - i >= FLOATS; i += FLOATS) {
        floats_mask meets = window_meets(&scan, floats_load_any(lo1 + i), floats_load_any(hi1 + i),
                                         floats_load_any(lo2 + i), floats_load_any(hi2 + i));
        count += keep_indices(found + count, i, meets);
    }
    if (FLOATS > 1 && i < end) { /* the last ones: loads stop at `end` */
        const floats_mask present = floats_mask_first(end - i);
        floats_mask meets =
            window_meets(&scan, floats_load_within(present, lo1 + i), floats_load_within(present, hi1 + i),
                         floats_load_within(present, lo2 + i), floats_load_within(present, hi2 + i));
        count += keep_indices(found + count, i, floats_mask_and(present, meets));
    }
    return count;
}
