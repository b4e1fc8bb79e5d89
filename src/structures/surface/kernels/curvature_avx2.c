/* Masks and stars, twice eight lanes. See curvature_kernels.h. */
#include "structures/surface/kernels/curvature_kernels.h"

#if defined(__x86_64__)

#include <immintrin.h>
#include <stddef.h>

typedef struct lanes {
    __m256 low, high;
} lanes;

#define LANES_ELEMENTWISE(name, operation)                                                                             \
    static inline lanes name(lanes a, lanes b)                                                                         \
    {                                                                                                                  \
        return (lanes){operation(a.low, b.low), operation(a.high, b.high)};                                            \
    }

LANES_ELEMENTWISE(lanes_add, _mm256_add_ps)
LANES_ELEMENTWISE(lanes_subtract, _mm256_sub_ps)
LANES_ELEMENTWISE(lanes_multiply, _mm256_mul_ps)
LANES_ELEMENTWISE(lanes_least, _mm256_min_ps)
LANES_ELEMENTWISE(lanes_most, _mm256_max_ps)

static inline lanes lanes_load(const float *from)
{
    return (lanes){_mm256_load_ps(from), _mm256_load_ps(from + 8)};
}
static inline lanes lanes_load_any(const float *from)
{
    return (lanes){_mm256_loadu_ps(from), _mm256_loadu_ps(from + 8)};
}
static inline void lanes_store(float *to, lanes a)
{
    _mm256_store_ps(to, a.low);
    _mm256_store_ps(to + 8, a.high);
}
static inline void lanes_store_any(float *to, lanes a)
{
    _mm256_storeu_ps(to, a.low);
    _mm256_storeu_ps(to + 8, a.high);
}
static inline void copy_eight(float *to, const float *from)
{
    _mm256_storeu_ps(to, _mm256_loadu_ps(from));
}
static inline lanes lanes_set(float a)
{
    return (lanes){_mm256_set1_ps(a), _mm256_set1_ps(a)};
}

/* Bit 3 of an index says which half of the table; it becomes the sign that the blend looks at. */
static inline __m256 pick_eight(__m256 low, __m256 high, const uint8_t *index)
{
    __m256i slot = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)index));
    __m256 second = _mm256_castsi256_ps(_mm256_slli_epi32(slot, 28));
    return _mm256_blendv_ps(_mm256_permutevar8x32_ps(low, slot), _mm256_permutevar8x32_ps(high, slot), second);
}
static inline lanes lanes_pick(const float *table, const uint8_t *index)
{
    __m256 low = _mm256_load_ps(table), high = _mm256_load_ps(table + 8);
    return (lanes){pick_eight(low, high, index), pick_eight(low, high, index + 8)};
}
static inline __m256 size_of(__m256 a)
{
    return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a);
}
static inline lanes lanes_sum_of_sizes(const lanes v[3])
{
    return (lanes){_mm256_add_ps(_mm256_add_ps(size_of(v[0].low), size_of(v[1].low)), size_of(v[2].low)),
                   _mm256_add_ps(_mm256_add_ps(size_of(v[0].high), size_of(v[1].high)), size_of(v[2].high))};
}

#define LANES_FOLD(name, whole, half, single)                                                                          \
    static inline float name(lanes a)                                                                                  \
    {                                                                                                                  \
        __m256 eight = whole(a.low, a.high);                                                                           \
        __m128 four = half(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));                            \
        __m128 two = half(four, _mm_movehl_ps(four, four));                                                            \
        return _mm_cvtss_f32(single(two, _mm_movehdup_ps(two)));                                                       \
    }

LANES_FOLD(lanes_sum, _mm256_add_ps, _mm_add_ps, _mm_add_ss)
LANES_FOLD(lanes_least_one, _mm256_min_ps, _mm_min_ps, _mm_min_ss)
LANES_FOLD(lanes_most_one, _mm256_max_ps, _mm_max_ps, _mm_max_ss)

/* Eight reductions at once. */
static inline void least_of_eight(const __m256 v[8], float *least)
{
    __m256 pairs[4], fours[2];
    for (int i = 0; i < 4; i++) {
        pairs[i] =
            _mm256_min_ps(_mm256_unpacklo_ps(v[2 * i], v[2 * i + 1]), _mm256_unpackhi_ps(v[2 * i], v[2 * i + 1]));
    }
    for (int i = 0; i < 2; i++) {
        fours[i] = _mm256_min_ps(_mm256_shuffle_ps(pairs[2 * i], pairs[2 * i + 1], 0x44),
                                 _mm256_shuffle_ps(pairs[2 * i], pairs[2 * i + 1], 0xEE));
    }
    __m256 low = _mm256_permute2f128_ps(fours[0], fours[1], 0x20),
           high = _mm256_permute2f128_ps(fours[0], fours[1], 0x31);
    _mm256_store_ps(least, _mm256_min_ps(low, high));
}
static inline void lanes_least_of_each(const lanes values[CURVATURE_LANES], float least[CURVATURE_LANES])
{
    __m256 folded[CURVATURE_LANES];
    for (int i = 0; i < CURVATURE_LANES; i++) {
        folded[i] = _mm256_min_ps(values[i].low, values[i].high);
    }
    least_of_eight(folded, least);
    least_of_eight(folded + 8, least + 8);
}
static inline uint32_t lanes_greater(const float values[CURVATURE_LANES], float bound)
{
    __m256 limit = _mm256_set1_ps(bound);
    uint32_t low = (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(_mm256_load_ps(values), limit, _CMP_GT_OQ));
    return low | (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(_mm256_load_ps(values + 8), limit, _CMP_GT_OQ)) << 8;
}
static inline uint32_t lanes_negative(lanes a)
{
    uint32_t low = (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(a.low, _mm256_setzero_ps(), _CMP_LT_OQ));
    return low | (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(a.high, _mm256_setzero_ps(), _CMP_LT_OQ)) << 8;
}
static inline __m256 choose_eight(uint32_t bits, __m256 a, __m256 b)
{
    const __m256i slots = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    __m256i chosen = _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32((int)bits), slots), slots);
    return _mm256_blendv_ps(b, a, _mm256_castsi256_ps(chosen));
}
static inline lanes lanes_choose(uint32_t bits, lanes a, lanes b)
{
    return (lanes){choose_eight(bits, a.low, b.low), choose_eight(bits >> 8, a.high, b.high)};
}

#include "structures/surface/kernels/curvature_leaf.h"

const struct curvature_kernels curvature_kernels_avx2 = {leaf_curvature, star};

#endif
