/* Moving boxes, eight at a time. See moving_boxes.h. */
#include "geometry/kernels/moving_boxes.h"

#if defined(__AVX2__)
#include <immintrin.h>

static inline __m256 apart_on_axis(const float *x, uint32_t stride_x, const float *y, uint32_t stride_y, uint32_t axis)
{
    __m256 low_0 = _mm256_set1_ps(x[axis * stride_x]), high_0 = _mm256_set1_ps(x[(3 + axis) * stride_x]);
    __m256 low_1 = _mm256_set1_ps(x[(6 + axis) * stride_x]), high_1 = _mm256_set1_ps(x[(9 + axis) * stride_x]);
    __m256 above = _mm256_and_ps(_mm256_cmp_ps(low_0, _mm256_load_ps(y + (3 + axis) * stride_y), _CMP_GT_OQ),
                                 _mm256_cmp_ps(low_1, _mm256_load_ps(y + (9 + axis) * stride_y), _CMP_GT_OQ));
    __m256 below = _mm256_and_ps(_mm256_cmp_ps(_mm256_load_ps(y + axis * stride_y), high_0, _CMP_GT_OQ),
                                 _mm256_cmp_ps(_mm256_load_ps(y + (6 + axis) * stride_y), high_1, _CMP_GT_OQ));
    return _mm256_or_ps(above, below);
}

void moving_boxes_meet_avx2(const struct moving_boxes *a, uint64_t wanted, const struct moving_boxes *b, uint64_t *masks)
{
    for (; wanted; wanted &= wanted - 1) {
        const float *x = a->rows + __builtin_ctzll(wanted);
        uint64_t mask = 0;
        for (uint32_t first = 0; first < b->count; first += 8) {
            const float *y = b->rows + first;
            __m256 apart = _mm256_or_ps(_mm256_or_ps(apart_on_axis(x, a->stride, y, b->stride, 0),
                                                     apart_on_axis(x, a->stride, y, b->stride, 1)),
                                        apart_on_axis(x, a->stride, y, b->stride, 2));
            mask |= (uint64_t)(~(uint32_t)_mm256_movemask_ps(apart) & 0xFF) << first;
        }
        *masks++ = mask;
    }
}
#endif
