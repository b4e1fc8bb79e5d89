/* Moving boxes, sixteen at a time. See moving_boxes.h. */
#include "geometry/kernels/moving_boxes.h"

#if defined(__AVX512F__)
#include <immintrin.h>

static inline __mmask16 apart_on_axis(const float *x, uint32_t stride_x, const float *y, uint32_t stride_y, uint32_t axis)
{
    __m512 low_0 = _mm512_set1_ps(x[axis * stride_x]), high_0 = _mm512_set1_ps(x[(3 + axis) * stride_x]);
    __m512 low_1 = _mm512_set1_ps(x[(6 + axis) * stride_x]), high_1 = _mm512_set1_ps(x[(9 + axis) * stride_x]);
    __mmask16 above = _mm512_cmp_ps_mask(low_0, _mm512_load_ps(y + (3 + axis) * stride_y), _CMP_GT_OQ);
    __mmask16 below = _mm512_cmp_ps_mask(_mm512_load_ps(y + axis * stride_y), high_0, _CMP_GT_OQ);
    above = _mm512_mask_cmp_ps_mask(above, low_1, _mm512_load_ps(y + (9 + axis) * stride_y), _CMP_GT_OQ);
    below = _mm512_mask_cmp_ps_mask(below, _mm512_load_ps(y + (6 + axis) * stride_y), high_1, _CMP_GT_OQ);
    return above | below;
}

void moving_boxes_meet_avx512(const struct moving_boxes *a, uint64_t wanted, const struct moving_boxes *b, uint64_t *masks)
{
    for (; wanted; wanted &= wanted - 1) {
        const float *x = a->rows + __builtin_ctzll(wanted);
        uint64_t mask = 0;
        for (uint32_t first = 0; first < b->count; first += 16) {
            const float *y = b->rows + first;
            uint32_t apart = apart_on_axis(x, a->stride, y, b->stride, 0) | apart_on_axis(x, a->stride, y, b->stride, 1) |
                             apart_on_axis(x, a->stride, y, b->stride, 2);
            mask |= (uint64_t)(~apart & 0xFFFF) << first;
        }
        *masks++ = mask;
    }
}
#endif
