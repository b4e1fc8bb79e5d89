/* Masks and stars, sixteen lanes. See curvature_kernels.h. */
#include "structures/surface/kernels/curvature_kernels.h"

#if defined(__x86_64__)

#include <immintrin.h>
#include <stddef.h>

typedef __m512 lanes;

static inline lanes lanes_load(const float *from)
{
    return _mm512_load_ps(from);
}
static inline lanes lanes_load_any(const float *from)
{
    return _mm512_loadu_ps(from);
}
static inline void lanes_store(float *to, lanes a)
{
    _mm512_store_ps(to, a);
}
static inline void lanes_store_any(float *to, lanes a)
{
    _mm512_storeu_ps(to, a);
}
static inline void copy_eight(float *to, const float *from)
{
    _mm256_storeu_ps(to, _mm256_loadu_ps(from));
}
static inline lanes lanes_set(float a)
{
    return _mm512_set1_ps(a);
}
static inline lanes lanes_add(lanes a, lanes b)
{
    return _mm512_add_ps(a, b);
}
static inline lanes lanes_subtract(lanes a, lanes b)
{
    return _mm512_sub_ps(a, b);
}
static inline lanes lanes_multiply(lanes a, lanes b)
{
    return _mm512_mul_ps(a, b);
}
static inline lanes lanes_least(lanes a, lanes b)
{
    return _mm512_min_ps(a, b);
}
static inline lanes lanes_most(lanes a, lanes b)
{
    return _mm512_max_ps(a, b);
}
static inline lanes lanes_pick(const float *table, const uint8_t *index)
{
    return _mm512_permutexvar_ps(_mm512_cvtepu8_epi32(_mm_load_si128((const __m128i *)index)), _mm512_load_ps(table));
}
static inline lanes lanes_sum_of_sizes(const lanes v[3])
{
    return _mm512_add_ps(_mm512_add_ps(_mm512_abs_ps(v[0]), _mm512_abs_ps(v[1])), _mm512_abs_ps(v[2]));
}

#define LANES_FOLD(name, whole, half, single)                                                                          \
    static inline float name(lanes a)                                                                                  \
    {                                                                                                                  \
        __m256 eight = whole(_mm512_castps512_ps256(a), _mm512_extractf32x8_ps(a, 1));                                 \
        __m128 four = half(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));                            \
        __m128 two = half(four, _mm_movehl_ps(four, four));                                                            \
        return _mm_cvtss_f32(single(two, _mm_movehdup_ps(two)));                                                       \
    }

LANES_FOLD(lanes_sum, _mm256_add_ps, _mm_add_ps, _mm_add_ss)
LANES_FOLD(lanes_least_one, _mm256_min_ps, _mm_min_ps, _mm_min_ss)
LANES_FOLD(lanes_most_one, _mm256_max_ps, _mm_max_ps, _mm_max_ss)

/* Sixteen reductions at once: interleave and halve until each lane holds one. */
static inline void lanes_least_of_each(const lanes values[CURVATURE_LANES], float least[CURVATURE_LANES])
{
    __m512 pairs[8], fours[4];
    for (int i = 0; i < 8; i++) {
        pairs[i] = _mm512_min_ps(_mm512_unpacklo_ps(values[2 * i], values[2 * i + 1]),
                                 _mm512_unpackhi_ps(values[2 * i], values[2 * i + 1]));
    }
    for (int i = 0; i < 4; i++) {
        fours[i] = _mm512_min_ps(_mm512_shuffle_ps(pairs[2 * i], pairs[2 * i + 1], 0x44),
                                 _mm512_shuffle_ps(pairs[2 * i], pairs[2 * i + 1], 0xEE));
    }
    __m512 low =
        _mm512_min_ps(_mm512_shuffle_f32x4(fours[0], fours[1], 0x44), _mm512_shuffle_f32x4(fours[0], fours[1], 0xEE));
    __m512 high =
        _mm512_min_ps(_mm512_shuffle_f32x4(fours[2], fours[3], 0x44), _mm512_shuffle_f32x4(fours[2], fours[3], 0xEE));
    _mm512_store_ps(least, _mm512_min_ps(_mm512_shuffle_f32x4(low, high, 0x88), _mm512_shuffle_f32x4(low, high, 0xDD)));
}
static inline uint32_t lanes_greater(const float values[CURVATURE_LANES], float bound)
{
    return _mm512_cmp_ps_mask(_mm512_load_ps(values), _mm512_set1_ps(bound), _CMP_GT_OQ);
}
static inline uint32_t lanes_negative(lanes a)
{
    return _mm512_cmp_ps_mask(a, _mm512_setzero_ps(), _CMP_LT_OQ);
}
static inline lanes lanes_choose(uint32_t bits, lanes a, lanes b)
{
    return _mm512_mask_mov_ps(b, (__mmask16)bits, a);
}

#include "structures/surface/kernels/curvature_leaf.h"

const struct curvature_kernels curvature_kernels_avx512 = {leaf_curvature, star};

#endif
