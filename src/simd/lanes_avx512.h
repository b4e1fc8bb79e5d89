/* Sixteen floats, eight doubles: AVX-512 (F, DQ, BW, VL). Only for files built for it. See lanes.h. */
#ifndef DENT_SIMD_LANES_AVX512_H
#define DENT_SIMD_LANES_AVX512_H

#include <immintrin.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "simd/lanes_define.h"

#define FLOATS 16
#define DOUBLES 8

typedef __m512 floats;
typedef __m512d doubles;
typedef __mmask16 floats_mask;
typedef __mmask8 doubles_mask;

/* S: the suffix of the intrinsics. */
#define LANES_AVX512(T, E, S, count)                                                                                   \
    LANES_FUNCTION(T, T##_set, (E x), _mm512_set1_##S(x))                                                              \
    LANES_FUNCTION(T, T##_load, (const E *from), _mm512_load_##S(from))                                                \
    LANES_FUNCTION(T, T##_load_any, (const E *from), _mm512_loadu_##S(from))                                           \
    static inline void T##_store(E *to, T a)                                                                           \
    {                                                                                                                  \
        _mm512_store_##S(to, a);                                                                                       \
    }                                                                                                                  \
    static inline void T##_store_any(E *to, T a)                                                                       \
    {                                                                                                                  \
        _mm512_storeu_##S(to, a);                                                                                      \
    }                                                                                                                  \
    LANES_FUNCTION(T, T##_least, (T a, T b), _mm512_min_##S(a, b))                                                     \
    LANES_FUNCTION(T, T##_most, (T a, T b), _mm512_max_##S(a, b))                                                      \
    LANES_FUNCTION(T, T##_absolute, (T a), _mm512_abs_##S(a))                                                          \
    LANES_FUNCTION(T, T##_root, (T a), _mm512_sqrt_##S(a))                                                             \
    LANES_FUNCTION(T##_mask, T##_less, (T a, T b), _mm512_cmp_##S##_mask(a, b, _CMP_LT_OQ))                            \
    LANES_FUNCTION(T##_mask, T##_greater, (T a, T b), _mm512_cmp_##S##_mask(a, b, _CMP_GT_OQ))                         \
    LANES_FUNCTION(T##_mask, T##_less_equal, (T a, T b), _mm512_cmp_##S##_mask(a, b, _CMP_LE_OQ))                      \
    LANES_FUNCTION(T##_mask, T##_equal, (T a, T b), _mm512_cmp_##S##_mask(a, b, _CMP_EQ_OQ))                           \
    LANES_FUNCTION(T##_mask, T##_ordered, (T a, T b), _mm512_cmp_##S##_mask(a, b, _CMP_ORD_Q))                         \
    LANES_FUNCTION(T##_mask, T##_less_equal_within, (T##_mask mask, T a, T b),                                         \
                   _mm512_mask_cmp_##S##_mask(mask, a, b, _CMP_LE_OQ))                                                 \
    LANES_FUNCTION(T, T##_choose, (T##_mask mask, T a, T b), _mm512_mask_mov_##S(b, mask, a))                          \
    LANES_FUNCTION(T##_mask, T##_mask_and, (T##_mask a, T##_mask b), (T##_mask)(a & b))                                \
    LANES_FUNCTION(T##_mask, T##_mask_or, (T##_mask a, T##_mask b), (T##_mask)(a | b))                                 \
    LANES_FUNCTION(T##_mask, T##_mask_and_not, (T##_mask a, T##_mask b), (T##_mask)(a & ~b))                           \
    LANES_FUNCTION(T##_mask, T##_mask_not, (T##_mask a), (T##_mask) ~a)                                                \
    LANES_FUNCTION(T##_mask, T##_mask_all, (void), (T##_mask) ~0u)                                                     \
    LANES_FUNCTION(T##_mask, T##_mask_nothing, (void), 0)                                                              \
    LANES_FUNCTION(T##_mask, T##_mask_first, (uint32_t first),                                                         \
                   first >= (count) ? T##_mask_all() : (T##_mask)((1u << first) - 1))                                  \
    LANES_FUNCTION(uint32_t, T##_mask_bits, (T##_mask mask), mask)                                                     \
    LANES_FUNCTION(T##_mask, T##_mask_of_bits, (uint32_t bits), (T##_mask)bits)                                        \
    LANES_FUNCTION(bool, T##_mask_none, (T##_mask mask), mask == 0)

LANES_AVX512(floats, float, ps, FLOATS)
LANES_AVX512(doubles, double, pd, DOUBLES)

#define LANES_FOLD(name, operation)                                                                                    \
    static inline float floats_##name(floats a)                                                                        \
    {                                                                                                                  \
        __m256 eight = _mm256_##operation##_ps(_mm512_castps512_ps256(a), _mm512_extractf32x8_ps(a, 1));               \
        __m128 four = _mm_##operation##_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));            \
        __m128 two = _mm_##operation##_ps(four, _mm_movehl_ps(four, four));                                            \
        return _mm_cvtss_f32(_mm_##operation##_ss(two, _mm_movehdup_ps(two)));                                         \
    }                                                                                                                  \
    static inline double doubles_##name(doubles a)                                                                     \
    {                                                                                                                  \
        __m256d four = _mm256_##operation##_pd(_mm512_castpd512_pd256(a), _mm512_extractf64x4_pd(a, 1));               \
        __m128d two = _mm_##operation##_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));              \
        return _mm_cvtsd_f64(_mm_##operation##_sd(two, _mm_unpackhi_pd(two, two)));                                    \
    }

LANES_FOLD(sum, add)
LANES_FOLD(smallest, min)
LANES_FOLD(largest, max)

/* Sixteen reductions at once: interleave and halve until each lane holds one. */
static inline void floats_least_of_each(const floats values[FLOATS], float least[FLOATS])
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
    _mm512_storeu_ps(least,
                     _mm512_min_ps(_mm512_shuffle_f32x4(low, high, 0x88), _mm512_shuffle_f32x4(low, high, 0xDD)));
}

/* ---- picking from a table ---------------------------------------------------------------------------------------- */

typedef __m512i floats_index;

static inline floats_index floats_index_load(const uint8_t *from)
{
    return _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)(const void *)from));
}

/* The permutes look at the lowest bits of an index only. */
typedef __m512 floats_table16;
typedef struct floats_table32 {
    __m512 low, high;
} floats_table32;

static inline floats_table16 floats_table16_load(const float *from)
{
    return _mm512_load_ps(from);
}

static inline floats floats_table16_pick(floats_table16 table, floats_index index)
{
    return _mm512_permutexvar_ps(index, table);
}

static inline floats_table32 floats_table32_load(const float *from)
{
    return (floats_table32){_mm512_load_ps(from), _mm512_load_ps(from + 16)};
}

static inline floats floats_table32_pick(floats_table32 table, floats_index index)
{
    return _mm512_permutex2var_ps(table.low, index, table.high);
}

/* Lane i takes lane i - 1; the first one stays. */
static inline doubles doubles_shift_up(doubles a)
{
    return _mm512_mask_mov_pd(_mm512_castsi512_pd(_mm512_alignr_epi64(_mm512_castpd_si512(a), _mm512_castpd_si512(a), 7)),
                              1, a);
}

/* a * b + c, rounded once. */
static inline doubles doubles_multiply_add(doubles a, doubles b, doubles c)
{
    return _mm512_fmadd_pd(a, b, c);
}

/* The lowest five bits of an index count. */
typedef __m512i doubles_index;

static inline doubles_index doubles_index_load(const uint8_t *from)
{
    return _mm512_cvtepu8_epi64(_mm_loadl_epi64((const __m128i *)(const void *)from));
}

static inline doubles_index doubles_index_of_byte(const uint32_t *words, int k)
{
    __m256i all = _mm256_loadu_si256((const __m256i *)(const void *)words);
    return _mm512_cvtepu32_epi64(_mm256_srli_epi32(all, 8 * k));
}

static inline doubles doubles_pick32(const double table[32], doubles_index index)
{
    __m512d low = _mm512_permutex2var_pd(_mm512_loadu_pd(table), index, _mm512_loadu_pd(table + 8));
    __m512d high = _mm512_permutex2var_pd(_mm512_loadu_pd(table + 16), index, _mm512_loadu_pd(table + 24));
    return _mm512_mask_mov_pd(low, _mm512_test_epi64_mask(index, _mm512_set1_epi64(16)), high);
}

/* The lanes of the mask; 0 in the others, which are not read. */
static inline doubles doubles_load_within(doubles_mask mask, const double *from)
{
    return _mm512_maskz_loadu_pd(mask, from);
}

/* The 64 bits of a double, for arithmetic on exponents. */
typedef uint64_t doubles_bits __attribute__((vector_size(64)));

static inline doubles_bits doubles_to_bits(doubles a)
{
    return (doubles_bits)a;
}

static inline doubles doubles_of_bits(doubles_bits bits)
{
    return (doubles)bits;
}

/* Words whose lanes have their bit set come to the front of `to`, which has room for all lanes; returns how many. */
static inline uint32_t doubles_keep_words(uint32_t *to, const uint32_t *from, uint32_t bits)
{
    /* not straight to memory: that form is very slow on some processors */
    __m256i all = _mm256_loadu_si256((const __m256i *)(const void *)from);
    _mm256_storeu_si256((__m256i *)(void *)to, _mm256_maskz_compress_epi32((__mmask8)bits, all));
    return (uint32_t)__builtin_popcount(bits);
}

/* ---- rows become columns ----------------------------------------------------------------------------------------- */

/* Each register holds rows i and i + 4. */
static inline void doubles_transpose_pairs(const __m512d two[4], doubles columns[4])
{
    const __m512i front = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13),
                  back = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
    __m512d even01 = _mm512_unpacklo_pd(two[0], two[1]), odd01 = _mm512_unpackhi_pd(two[0], two[1]);
    __m512d even23 = _mm512_unpacklo_pd(two[2], two[3]), odd23 = _mm512_unpackhi_pd(two[2], two[3]);
    columns[0] = _mm512_permutex2var_pd(even01, front, even23);
    columns[1] = _mm512_permutex2var_pd(odd01, front, odd23);
    columns[2] = _mm512_permutex2var_pd(even01, back, even23);
    columns[3] = _mm512_permutex2var_pd(odd01, back, odd23);
}

static inline void doubles_columns4(const double *const rows[DOUBLES], doubles columns[4])
{
    __m512d two[4];
    for (int i = 0; i < 4; i++) {
        two[i] = _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_loadu_pd(rows[i])), _mm256_loadu_pd(rows[i + 4]), 1);
    }
    doubles_transpose_pairs(two, columns);
}

static inline void doubles_rows4(const doubles columns[4], double *rows)
{
    __m512d two[4];
    doubles_transpose_pairs(columns, two);
    for (int i = 0; i < 4; i++) {
        _mm256_storeu_pd(rows + 4 * i, _mm512_castpd512_pd256(two[i]));
        _mm256_storeu_pd(rows + 4 * (i + 4), _mm512_extractf64x4_pd(two[i], 1));
    }
}

static inline void doubles_columns4_of_floats(const float *const rows[DOUBLES], doubles columns[4])
{
    __m512d two[4];
    for (int i = 0; i < 4; i++) {
        two[i] = _mm512_cvtps_pd(_mm256_set_m128(_mm_loadu_ps(rows[i + 4]), _mm_loadu_ps(rows[i])));
    }
    doubles_transpose_pairs(two, columns);
}

/* Four by four numbers in each quarter: rows become columns, and back. */
static inline void floats_turn_quarters(const __m512 rows[4], __m512 columns[4])
{
    __m512 low01 = _mm512_unpacklo_ps(rows[0], rows[1]), high01 = _mm512_unpackhi_ps(rows[0], rows[1]);
    __m512 low23 = _mm512_unpacklo_ps(rows[2], rows[3]), high23 = _mm512_unpackhi_ps(rows[2], rows[3]);
    columns[0] = _mm512_shuffle_ps(low01, low23, 0x44);
    columns[1] = _mm512_shuffle_ps(low01, low23, 0xEE);
    columns[2] = _mm512_shuffle_ps(high01, high23, 0x44);
    columns[3] = _mm512_shuffle_ps(high01, high23, 0xEE);
}

static inline void floats_columns4(const float *const rows[FLOATS], floats columns[4])
{
    __m512 four[4]; /* rows i, i + 4, i + 8, i + 12 */
    for (int i = 0; i < 4; i++) {
        four[i] = _mm512_insertf32x4(_mm512_castps128_ps512(_mm_loadu_ps(rows[i])), _mm_loadu_ps(rows[i + 4]), 1);
        four[i] = _mm512_insertf32x4(four[i], _mm_loadu_ps(rows[i + 8]), 2);
        four[i] = _mm512_insertf32x4(four[i], _mm_loadu_ps(rows[i + 12]), 3);
    }
    floats_turn_quarters(four, columns);
}

static inline void floats_rows4(const floats columns[4], float *rows)
{
    __m512 four[4];
    floats_turn_quarters(columns, four);
    for (int i = 0; i < 4; i++) {
        _mm_storeu_ps(rows + 4 * i, _mm512_castps512_ps128(four[i]));
        _mm_storeu_ps(rows + 4 * (i + 4), _mm512_extractf32x4_ps(four[i], 1));
        _mm_storeu_ps(rows + 4 * (i + 8), _mm512_extractf32x4_ps(four[i], 2));
        _mm_storeu_ps(rows + 4 * (i + 12), _mm512_extractf32x4_ps(four[i], 3));
    }
}

/* Columns 0, 2, 4, 6 or 1, 3, 5, 7 of pairs of rows that were interleaved. */
static inline void doubles_every_second_column(const __m512d pairs[4], doubles columns[7])
{
    __m512d front01 = _mm512_shuffle_f64x2(pairs[0], pairs[1], 0x88),
            front23 = _mm512_shuffle_f64x2(pairs[2], pairs[3], 0x88);
    __m512d back01 = _mm512_shuffle_f64x2(pairs[0], pairs[1], 0xDD),
            back23 = _mm512_shuffle_f64x2(pairs[2], pairs[3], 0xDD);
    columns[0] = _mm512_shuffle_f64x2(front01, front23, 0x88);
    columns[2] = _mm512_shuffle_f64x2(back01, back23, 0x88);
    columns[4] = _mm512_shuffle_f64x2(front01, front23, 0xDD);
    columns[6] = _mm512_shuffle_f64x2(back01, back23, 0xDD);
}

static inline void doubles_columns8(const double *const rows[DOUBLES], doubles columns[8])
{
    __m512d even[4], odd[4];
    for (int i = 0; i < 4; i++) {
        __m512d first = _mm512_loadu_pd(rows[2 * i]), second = _mm512_loadu_pd(rows[2 * i + 1]);
        even[i] = _mm512_unpacklo_pd(first, second);
        odd[i] = _mm512_unpackhi_pd(first, second);
    }
    doubles_every_second_column(even, columns);
    doubles_every_second_column(odd, columns + 1);
}

#include "simd/lanes_x86.h"

/* ---- sixteen sets of sixteen bits -------------------------------------------------------------------------------- */

typedef struct bit_sets {
    __m256i bits;
} bit_sets;

static inline __m256i bits_of_indices(const uint8_t *indices)
{
    __m256i wide = _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)(const void *)indices));
    return _mm256_sllv_epi16(_mm256_set1_epi16(1), wide);
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
    return (uint32_t)_mm256_testn_epi16_mask(sets.bits, _mm256_set1_epi16((short)bits)) & asked;
}

/* ---- words: as many numbers of 32 bits ------------------------------------------------------- */

typedef __m512i words;

static inline words words_load(const uint32_t *from)
{
    return _mm512_load_si512(from);
}
static inline words words_load_any(const uint32_t *from)
{
    return _mm512_loadu_si512(from);
}
static inline void words_store(uint32_t *to, words a)
{
    _mm512_store_si512(to, a);
}
static inline void words_store_any(uint32_t *to, words a)
{
    _mm512_storeu_si512(to, a);
}
static inline words words_set(uint32_t a)
{
    return _mm512_set1_epi32((int)a);
}
/* 0, 1, 2 ... */
static inline words words_count_up(void)
{
    return _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}
static inline words words_add(words a, words b)
{
    return _mm512_add_epi32(a, b);
}
static inline words words_and(words a, words b)
{
    return _mm512_and_si512(a, b);
}
static inline words words_or(words a, words b)
{
    return _mm512_or_si512(a, b);
}
static inline words words_shift_right(words a, int count)
{
    return _mm512_srli_epi32(a, (unsigned)count);
}
static inline words words_shift_right_each(words a, words counts)
{
    return _mm512_srlv_epi32(a, counts);
}
static inline words words_shift_left_each(words a, words counts)
{
    return _mm512_sllv_epi32(a, counts);
}
static inline words words_choose(floats_mask mask, words a, words b)
{
    return _mm512_mask_mov_epi32(b, mask, a);
}
static inline floats_mask words_equal(words a, words b)
{
    return _mm512_cmpeq_epi32_mask(a, b);
}
static inline floats_mask words_less(words a, words b)
{
    return _mm512_cmplt_epu32_mask(a, b);
}
/* Lanes with a bit in common. */
static inline floats_mask words_meet(words a, words b)
{
    return _mm512_test_epi32_mask(a, b);
}
/* Lanes of the mask without one. */
static inline floats_mask words_disjoint_within(floats_mask mask, words a, words b)
{
    return _mm512_mask_testn_epi32_mask(mask, a, b);
}

/* ---- tables of words ------------------------------------------------------------------------- */

/* The permute looks at the lowest five bits only. */
static inline floats_index floats_index_of_byte(words a, int k)
{
    return _mm512_srli_epi32(a, (unsigned)(8 * k));
}
static inline words words_pick32(const uint32_t table[32], floats_index index)
{
    return _mm512_permutex2var_epi32(_mm512_loadu_si512(table), index, _mm512_loadu_si512(table + 16));
}
static inline words words_pick48(const uint32_t table[48], words index)
{
    __mmask16 late = _mm512_test_epi32_mask(index, _mm512_set1_epi32(32));
    return _mm512_mask_permutexvar_epi32(words_pick32(table, index), late, index, _mm512_loadu_si512(table + 32));
}

/* ---- loads of some lanes, and keeping some --------------------------------------------------- */

static inline floats floats_load_within(floats_mask mask, const float *from)
{
    return _mm512_maskz_loadu_ps(mask, from);
}
static inline words words_load_within(floats_mask mask, const uint32_t *from)
{
    return _mm512_maskz_loadu_epi32(mask, from);
}

/* Which lanes are kept. They are stored one behind the other, FLOATS numbers are written: in a register first, since
 * compressing into memory is very slow on some processors. */
typedef __mmask16 floats_order;
static inline floats_order floats_order_of_bits(uint32_t bits)
{
    return (__mmask16)bits;
}
static inline void floats_keep(float *to, floats a, floats_order order)
{
    _mm512_storeu_ps(to, _mm512_maskz_compress_ps(order, a));
}
static inline void words_keep(uint32_t *to, words a, floats_order order)
{
    _mm512_storeu_si512(to, _mm512_maskz_compress_epi32(order, a));
}
/* first + i for each bit i, ascending; returns how many. Up to sixteen numbers behind them are written. No branch. */
static inline uint32_t words_of_bits(uint32_t *to, uint32_t first, uint32_t bits)
{
    uint32_t early = bits & 0xFFFF, early_count = (uint32_t)__builtin_popcount(early);
    words numbers = words_add(words_count_up(), words_set(first));
    words_keep(to, numbers, floats_order_of_bits(early));
    words_keep(to + early_count, words_add(numbers, words_set(16)), floats_order_of_bits(bits >> 16));
    return early_count + (uint32_t)__builtin_popcount(bits >> 16);
}

/* ---- reductions ------------------------------------------------------------------------------- */

/* Four reductions at once: halves are folded pair by pair until each quarter holds one of the four. */
#define FOLD_FOUR(name, operation)                                                                                     \
    static inline void name(floats a, floats b, floats c, floats d, float out[4])                                      \
    {                                                                                                                  \
        __m512 ab = operation(_mm512_shuffle_f32x4(a, b, 0x44), _mm512_shuffle_f32x4(a, b, 0xEE));                     \
        __m512 cd = operation(_mm512_shuffle_f32x4(c, d, 0x44), _mm512_shuffle_f32x4(c, d, 0xEE));                     \
        __m512 all = operation(_mm512_shuffle_f32x4(ab, cd, 0x88), _mm512_shuffle_f32x4(ab, cd, 0xDD));                \
        all = operation(all, _mm512_permute_ps(all, 0x4E));                                                            \
        all = operation(all, _mm512_permute_ps(all, 0xB1));                                                            \
        const __m512i firsts = _mm512_setr_epi32(0, 4, 8, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);                     \
        _mm_storeu_ps(out, _mm512_castps512_ps128(_mm512_permutexvar_ps(firsts, all)));                                \
    }
FOLD_FOUR(floats_sum4, _mm512_add_ps)
FOLD_FOUR(floats_least4, _mm512_min_ps)
#undef FOLD_FOUR

/* ---- numbers of 16 bits ---------------------------------------------------------------------- */

static inline floats floats_of_shorts(const int16_t *from)
{
    return _mm512_cvtepi32_ps(_mm512_cvtepi16_epi32(_mm256_load_si256((const __m256i *)from)));
}
static inline floats floats_of_bytes(const uint8_t *from)
{
    return _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(_mm_load_si128((const __m128i *)from)));
}
/* Lanes from 0 up to below 32768, cut to whole numbers. */
static inline void floats_to_shorts(uint16_t *to, floats a)
{
    _mm256_store_si256((__m256i *)to, _mm512_cvtepi32_epi16(_mm512_cvttps_epi32(a)));
}

/* Thirty-two of 15 bits. */
struct shorts32 {
    __m512i all;
};
static inline struct shorts32 shorts32_load(const uint16_t *from)
{
    return (struct shorts32){_mm512_load_si512(from)};
}
/* Which of the first `count` boxes [lo, hi] meet the box [least, most]. A difference that would be negative is 0. */
static inline uint32_t shorts32_meet(const struct shorts32 lo[3], const struct shorts32 hi[3], const uint16_t least[3],
                                     const uint16_t most[3], uint32_t count)
{
    __m512i apart[3];
    for (int axis = 0; axis < 3; axis++) {
        apart[axis] = _mm512_or_si512(_mm512_subs_epu16(_mm512_set1_epi16((short)least[axis]), hi[axis].all),
                                      _mm512_subs_epu16(lo[axis].all, _mm512_set1_epi16((short)most[axis])));
    }
    __m512i any = _mm512_ternarylogic_epi32(apart[0], apart[1], apart[2], 0xFE);
    uint32_t found = _mm512_testn_epi16_mask(any, any);
    return count < 32 ? found & ((1u << count) - 1) : found;
}

#include "simd/lanes.h"

#endif
