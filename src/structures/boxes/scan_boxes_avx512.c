/* Box scan, sixteen boxes at a time; the last ones under a load mask. */
#include "structures/boxes/scan_boxes.h"

#if defined(__x86_64__)

#include <immintrin.h>

uint32_t scan_boxes_avx512(const struct box_columns *boxes, uint32_t begin, uint32_t end,
                           const struct box_window *window, uint32_t *found)
{
    const __m512 lo1 = _mm512_set1_ps(window->lo1), hi1 = _mm512_set1_ps(window->hi1);
    const __m512 lo2 = _mm512_set1_ps(window->lo2), hi2 = _mm512_set1_ps(window->hi2);
    const __m512i ramp = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    uint32_t count = 0;
    for (uint32_t i = begin; i < end; i += 16) {
        uint32_t left = end - i;
        __mmask16 lanes = left >= 16 ? (__mmask16)0xFFFF : (__mmask16)((1u << left) - 1);
        __mmask16 meets = _mm512_mask_cmp_ps_mask(lanes, _mm512_maskz_loadu_ps(lanes, boxes->lo1 + i), hi1, _CMP_LE_OQ);
        meets = _mm512_mask_cmp_ps_mask(meets, _mm512_maskz_loadu_ps(lanes, boxes->hi1 + i), lo1, _CMP_GE_OQ);
        meets = _mm512_mask_cmp_ps_mask(meets, _mm512_maskz_loadu_ps(lanes, boxes->lo2 + i), hi2, _CMP_LE_OQ);
        meets = _mm512_mask_cmp_ps_mask(meets, _mm512_maskz_loadu_ps(lanes, boxes->hi2 + i), lo2, _CMP_GE_OQ);
        /* In a register first: compressing into memory is very slow on some processors. */
        __m512i numbers = _mm512_add_epi32(_mm512_set1_epi32((int)i), ramp);
        _mm512_storeu_si512(found + count, _mm512_maskz_compress_epi32(meets, numbers));
        count += (uint32_t)__builtin_popcount(meets);
        if (left < 16) {
            break; /* i + 16 might wrap */
        }
    }
    return count;
}

#endif
