/* Eight floats, four doubles: AVX2. Only for files built for it. See lanes.h. */
#ifndef DENT_SIMD_LANES_AVX2_H
#define DENT_SIMD_LANES_AVX2_H

#include <immintrin.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#define FLOATS 8
#define DOUBLES 4

typedef __m256 floats, floats_mask; /* of a mask: all bits of a lane, or none */
typedef __m256d doubles, doubles_mask;

/* S: the suffix of the intrinsics. */
#define LANES_AVX2(T, E, S, minus_zero, bits_in_lanes)                                                                 \
    static inline T T##_set(E x)                                                                                       \
    {                                                                                                                  \
        return _mm256_set1_##S(x);                                                                                     \
    }                                                                                                                  \
    static inline T T##_load(const E *from)                                                                            \
    {                                                                                                                  \
        return _mm256_load_##S(from);                                                                                  \
    }                                                                                                                  \
    static inline T T##_load_any(const E *from)                                                                        \
    {                                                                                                                  \
        return _mm256_loadu_##S(from);                                                                                 \
    }                                                                                                                  \
    static inline void T##_store(E *to, T a)                                                                           \
    {                                                                                                                  \
        _mm256_store_##S(to, a);                                                                                       \
    }                                                                                                                  \
    static inline void T##_store_any(E *to, T a)                                                                       \
    {                                                                                                                  \
        _mm256_storeu_##S(to, a);                                                                                      \
    }                                                                                                                  \
    static inline T T##_least(T a, T b)                                                                                \
    {                                                                                                                  \
        return _mm256_min_##S(a, b);                                                                                   \
    }                                                                                                                  \
    static inline T T##_most(T a, T b)                                                                                 \
    {                                                                                                                  \
        return _mm256_max_##S(a, b);                                                                                   \
    }                                                                                                                  \
    static inline T T##_absolute(T a)                                                                                  \
    {                                                                                                                  \
        return _mm256_andnot_##S(_mm256_set1_##S(minus_zero), a);                                                      \
    }                                                                                                                  \
    static inline T T##_root(T a)                                                                                      \
    {                                                                                                                  \
        return _mm256_sqrt_##S(a);                                                                                     \
    }                                                                                                                  \
    static inline T##_mask T##_less(T a, T b)                                                                          \
    {                                                                                                                  \
        return _mm256_cmp_##S(a, b, _CMP_LT_OQ);                                                                       \
    }                                                                                                                  \
    static inline T##_mask T##_greater(T a, T b)                                                                       \
    {                                                                                                                  \
        return _mm256_cmp_##S(a, b, _CMP_GT_OQ);                                                                       \
    }                                                                                                                  \
    static inline T##_mask T##_less_equal(T a, T b)                                                                    \
    {                                                                                                                  \
        return _mm256_cmp_##S(a, b, _CMP_LE_OQ);                                                                       \
    }                                                                                                                  \
    static inline T##_mask T##_equal(T a, T b)                                                                         \
    {                                                                                                                  \
        return _mm256_cmp_##S(a, b, _CMP_EQ_OQ);                                                                       \
    }                                                                                                                  \
    static inline T##_mask T##_ordered(T a, T b)                                                                       \
    {                                                                                                                  \
        return _mm256_cmp_##S(a, b, _CMP_ORD_Q);                                                                       \
    }                                                                                                                  \
    static inline T##_mask T##_less_equal_within(T##_mask mask, T a, T b)                                              \
    {                                                                                                                  \
        return _mm256_and_##S(mask, _mm256_cmp_##S(a, b, _CMP_LE_OQ));                                                 \
    }                                                                                                                  \
    static inline T T##_choose(T##_mask mask, T a, T b)                                                                \
    {                                                                                                                  \
        return _mm256_blendv_##S(b, a, mask);                                                                          \
    }                                                                                                                  \
    static inline T##_mask T##_mask_and(T##_mask a, T##_mask b)                                                        \
    {                                                                                                                  \
        return _mm256_and_##S(a, b);                                                                                   \
    }                                                                                                                  \
    static inline T##_mask T##_mask_or(T##_mask a, T##_mask b)                                                         \
    {                                                                                                                  \
        return _mm256_or_##S(a, b);                                                                                    \
    }                                                                                                                  \
    static inline T##_mask T##_mask_and_not(T##_mask a, T##_mask b)                                                    \
    {                                                                                                                  \
        return _mm256_andnot_##S(b, a);                                                                                \
    }                                                                                                                  \
    static inline T##_mask T##_mask_all(void)                                                                          \
    {                                                                                                                  \
        return _mm256_castsi256_##S(_mm256_set1_epi32(-1));                                                            \
    }                                                                                                                  \
    static inline T##_mask T##_mask_not(T##_mask a)                                                                    \
    {                                                                                                                  \
        return _mm256_andnot_##S(a, T##_mask_all());                                                                   \
    }                                                                                                                  \
    static inline T##_mask T##_mask_nothing(void)                                                                      \
    {                                                                                                                  \
        return _mm256_setzero_##S();                                                                                   \
    }                                                                                                                  \
    static inline uint32_t T##_mask_bits(T##_mask mask)                                                                \
    {                                                                                                                  \
        return (uint32_t)_mm256_movemask_##S(mask);                                                                    \
    }                                                                                                                  \
    static inline T##_mask T##_mask_of_bits(uint32_t bits)                                                             \
    {                                                                                                                  \
        return _mm256_castsi256_##S(bits_in_lanes(bits));                                                              \
    }                                                                                                                  \
    static inline bool T##_mask_none(T##_mask mask)                                                                    \
    {                                                                                                                  \
        return _mm256_movemask_##S(mask) == 0;                                                                         \
    }

static inline __m256i bits_in_eight(uint32_t bits)
{
    const __m256i powers = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    return _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32((int)bits), powers), powers);
}

static inline __m256i bits_in_four(uint32_t bits)
{
    const __m256i powers = _mm256_setr_epi64x(1, 2, 4, 8);
    return _mm256_cmpeq_epi64(_mm256_and_si256(_mm256_set1_epi64x((long long)bits), powers), powers);
}

LANES_AVX2(floats, float, ps, -0.0f, bits_in_eight)
LANES_AVX2(doubles, double, pd, -0.0, bits_in_four)

static inline floats_mask floats_mask_first(uint32_t count)
{
    const __m256i ramp = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm256_castsi256_ps(_mm256_cmpgt_epi32(_mm256_set1_epi32(count < 8 ? (int)count : 8), ramp));
}

static inline doubles_mask doubles_mask_first(uint32_t count)
{
    return _mm256_castsi256_pd(_mm256_cmpgt_epi64(_mm256_set1_epi64x(count), _mm256_setr_epi64x(0, 1, 2, 3)));
}

#define LANES_FOLD(name, operation)                                                                                    \
    static inline float floats_##name(floats a)                                                                        \
    {                                                                                                                  \
        __m128 four = _mm_##operation##_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));                    \
        __m128 two = _mm_##operation##_ps(four, _mm_movehl_ps(four, four));                                            \
        return _mm_cvtss_f32(_mm_##operation##_ss(two, _mm_movehdup_ps(two)));                                         \
    }                                                                                                                  \
    static inline double doubles_##name(doubles a)                                                                     \
    {                                                                                                                  \
        __m128d two = _mm_##operation##_pd(_mm256_castpd256_pd128(a), _mm256_extractf128_pd(a, 1));                    \
        return _mm_cvtsd_f64(_mm_##operation##_sd(two, _mm_unpackhi_pd(two, two)));                                    \
    }

LANES_FOLD(sum, add)
LANES_FOLD(smallest, min)
LANES_FOLD(largest, max)

/* Eight reductions at once: interleave and halve until each lane holds one. */
static inline void floats_least_of_each(const floats values[FLOATS], float least[FLOATS])
{
    __m256 pairs[4], fours[2];
    for (int i = 0; i < 4; i++) {
        pairs[i] = _mm256_min_ps(_mm256_unpacklo_ps(values[2 * i], values[2 * i + 1]),
                                 _mm256_unpackhi_ps(values[2 * i], values[2 * i + 1]));
    }
    for (int i = 0; i < 2; i++) {
        fours[i] = _mm256_min_ps(_mm256_shuffle_ps(pairs[2 * i], pairs[2 * i + 1], 0x44),
                                 _mm256_shuffle_ps(pairs[2 * i], pairs[2 * i + 1], 0xEE));
    }
    __m256 low = _mm256_permute2f128_ps(fours[0], fours[1], 0x20),
           high = _mm256_permute2f128_ps(fours[0], fours[1], 0x31);
    _mm256_storeu_ps(least, _mm256_min_ps(low, high));
}

/* ---- picking from a table ---------------------------------------------------------------------------------------- */

typedef struct floats_index {
    __m256i lane;      /* its lowest three bits count */
    __m256 bit3, bit4; /* sign bits: which registers of the table */
} floats_index;

static inline floats_index floats_index_of(__m256i lane)
{
    return (floats_index){lane, _mm256_castsi256_ps(_mm256_slli_epi32(lane, 28)),
                          _mm256_castsi256_ps(_mm256_slli_epi32(lane, 27))};
}

static inline floats_index floats_index_load(const uint8_t *from)
{
    return floats_index_of(_mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)from)));
}

static inline floats_index floats_index_of_byte(const uint32_t *words, int k)
{
    __m256i all = _mm256_load_si256((const __m256i *)(const void *)words);
    return (floats_index){_mm256_srli_epi32(all, 8 * k), _mm256_castsi256_ps(_mm256_slli_epi32(all, 28 - 8 * k)),
                          _mm256_castsi256_ps(_mm256_slli_epi32(all, 27 - 8 * k))};
}

typedef struct floats_table16 {
    __m256 low, high;
} floats_table16;
typedef struct floats_table32 {
    floats_table16 low, high;
} floats_table32;

static inline floats_table16 floats_table16_load(const float *from)
{
    return (floats_table16){_mm256_load_ps(from), _mm256_load_ps(from + 8)};
}

static inline floats floats_table16_pick(floats_table16 table, floats_index index)
{
    return _mm256_blendv_ps(_mm256_permutevar8x32_ps(table.low, index.lane),
                            _mm256_permutevar8x32_ps(table.high, index.lane), index.bit3);
}

static inline floats_table32 floats_table32_load(const float *from)
{
    return (floats_table32){floats_table16_load(from), floats_table16_load(from + 16)};
}

static inline floats floats_table32_pick(floats_table32 table, floats_index index)
{
    return _mm256_blendv_ps(floats_table16_pick(table.low, index), floats_table16_pick(table.high, index), index.bit4);
}

/* Words whose lanes have their bit set come to the front of `to`, which has room for all lanes; returns how many. */
static inline uint32_t doubles_keep_words(uint32_t *to, const uint32_t *words, uint32_t bits)
{
    uint32_t kept = 0;
    for (int lane = 0; lane < DOUBLES; lane++) {
        to[kept] = words[lane];
        kept += bits >> lane & 1;
    }
    return kept;
}

/* ---- rows become columns ----------------------------------------------------------------------------------------- */

static inline doubles doubles_load_floats(const float *from)
{
    return _mm256_cvtps_pd(_mm_loadu_ps(from));
}

/* Four registers of four become their own columns. */
static inline void doubles_transpose(const doubles rows[4], doubles columns[4])
{
    __m256d even01 = _mm256_unpacklo_pd(rows[0], rows[1]), odd01 = _mm256_unpackhi_pd(rows[0], rows[1]);
    __m256d even23 = _mm256_unpacklo_pd(rows[2], rows[3]), odd23 = _mm256_unpackhi_pd(rows[2], rows[3]);
    columns[0] = _mm256_permute2f128_pd(even01, even23, 0x20);
    columns[1] = _mm256_permute2f128_pd(odd01, odd23, 0x20);
    columns[2] = _mm256_permute2f128_pd(even01, even23, 0x31);
    columns[3] = _mm256_permute2f128_pd(odd01, odd23, 0x31);
}

static inline void doubles_columns4(const double *const rows[DOUBLES], doubles columns[4])
{
    const doubles loaded[4] = {_mm256_loadu_pd(rows[0]), _mm256_loadu_pd(rows[1]), _mm256_loadu_pd(rows[2]),
                               _mm256_loadu_pd(rows[3])};
    doubles_transpose(loaded, columns);
}

static inline void doubles_columns8(const double *const rows[DOUBLES], doubles columns[8])
{
    const double *const behind[DOUBLES] = {rows[0] + 4, rows[1] + 4, rows[2] + 4, rows[3] + 4};
    doubles_columns4(rows, columns);
    doubles_columns4(behind, columns + 4);
}

#include "simd/lanes_x86.h"

/* ---- sixteen sets of sixteen bits -------------------------------------------------------------------------------- */

typedef struct bit_sets {
    __m256i bits;
} bit_sets;

/* 1 << i for sixteen i below 16: the low and the high byte from tables. */
static inline __m256i bits_of_indices(const uint8_t *indices)
{
    const __m128i low_bits = _mm_setr_epi8(1, 2, 4, 8, 16, 32, 64, -128, 0, 0, 0, 0, 0, 0, 0, 0);
    const __m128i high_bits = _mm_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 64, -128);
    __m128i index = _mm_loadu_si128((const __m128i *)(const void *)indices);
    __m128i low = _mm_shuffle_epi8(low_bits, index), high = _mm_shuffle_epi8(high_bits, index);
    return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_unpacklo_epi8(low, high)), _mm_unpackhi_epi8(low, high),
                                   1);
}

/* Set i holds the three bits corners[0][i], corners[1][i], corners[2][i], all below 16. */
static inline bit_sets bit_sets_of_corners(const uint8_t (*corners)[16])
{
    return (bit_sets){_mm256_or_si256(_mm256_or_si256(bits_of_indices(corners[0]), bits_of_indices(corners[1])),
                                      bits_of_indices(corners[2]))};
}

/* Those of the sets `asked` that have no bit in common with `bits`. */
static inline uint32_t bit_sets_without(bit_sets sets, uint32_t bits, uint32_t asked)
{
    __m256i common = _mm256_and_si256(sets.bits, _mm256_set1_epi16((short)bits));
    __m256i none = _mm256_cmpeq_epi16(common, _mm256_setzero_si256());
    __m128i bytes = _mm_packs_epi16(_mm256_castsi256_si128(none), _mm256_extracti128_si256(none, 1));
    return (uint32_t)_mm_movemask_epi8(bytes) & asked;
}

#include "simd/lanes.h"

#endif
