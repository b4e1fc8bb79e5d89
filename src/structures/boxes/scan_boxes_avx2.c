/* Box scan, eight boxes at a time. Loads stop at `end`: the rest is done by the scalar version. */
#include "structures/boxes/scan_boxes.h"

#if defined(__x86_64__)

#include <immintrin.h>

uint32_t scan_boxes_avx2(const struct box_columns *boxes, uint32_t begin, uint32_t end, const struct box_window *window,
                         uint32_t *found)
{
    const __m256 lo1 = _mm256_set1_ps(window->lo1), hi1 = _mm256_set1_ps(window->hi1);
    const __m256 lo2 = _mm256_set1_ps(window->lo2), hi2 = _mm256_set1_ps(window->hi2);
    uint32_t count = 0, i = begin;
    for (; end - i >= 8; i += 8) {
        __m256 meets1 = _mm256_and_ps(_mm256_cmp_ps(_mm256_loadu_ps(boxes->lo1 + i), hi1, _CMP_LE_OQ),
                                      _mm256_cmp_ps(_mm256_loadu_ps(boxes->hi1 + i), lo1, _CMP_GE_OQ));
        __m256 meets2 = _mm256_and_ps(_mm256_cmp_ps(_mm256_loadu_ps(boxes->lo2 + i), hi2, _CMP_LE_OQ),
                                      _mm256_cmp_ps(_mm256_loadu_ps(boxes->hi2 + i), lo2, _CMP_GE_OQ));
        unsigned mask = (unsigned)_mm256_movemask_ps(_mm256_and_ps(meets1, meets2));
        for (; mask; mask &= mask - 1) {
            found[count++] = i + (uint32_t)__builtin_ctz(mask);
        }
    }
    return count + scan_boxes_scalar(boxes, i, end, window, found + count);
}

#endif
