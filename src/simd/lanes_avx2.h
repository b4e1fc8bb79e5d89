/* Eight floats, four doubles: AVX2. Only for files built for it. See lanes.h. */
#ifndef DENT_SIMD_LANES_AVX2_H
#define DENT_SIMD_LANES_AVX2_H

#include <immintrin.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "simd/lanes_define.h"

#define FLOATS 8
#define DOUBLES 4

typedef __m256 floats, floats_mask; /* of a mask: all bits of a lane, or none */
typedef __m256d doubles, doubles_mask;

/* S: the suffix of the intrinsics. */
#define LANES_AVX2(T, E, S, minus_zero, bits_in_lanes)                                                                 \
    LANES_FUNCTION(T, T##_set, (E x), _mm256_set1_##S(x))                                                              \
    LANES_FUNCTION(T, T##_load, (const E *from), _mm256_load_##S(from))                                                \
    LANES_FUNCTION(T, T##_load_any, (const E *from), _mm256_loadu_##S(from))                                           \
    static inline void T##_store(E *to, T a)                                                                           \
    {                                                                                                                  \
        _mm256_store_##S(to, a);                                                                                       \
    }                                                                                                                  \
    static inline void T##_store_any(E *to, T a)                                                                       \
    {                                                                                                                  \
        _mm256_storeu_##S(to, a);                                                                                      \
    }                                                                                                                  \
    LANES_FUNCTION(T, T##_least, (T a, T b), _mm256_min_##S(a, b))                                                     \
    LANES_FUNCTION(T, T##_most, (T a, T b), _mm256_max_##S(a, b))                                                      \
    LANES_FUNCTION(T, T##_absolute, (T a), _mm256_andnot_##S(_mm256_set1_##S(minus_zero), a))                          \
    LANES_FUNCTION(T, T##_root, (T a), _mm256_sqrt_##S(a))                                                             \
    LANES_FUNCTION(T##_mask, T##_less, (T a, T b), _mm256_cmp_##S(a, b, _CMP_LT_OQ))                                   \
    LANES_FUNCTION(T##_mask, T##_greater, (T a, T b), _mm256_cmp_##S(a, b, _CMP_GT_OQ))                                \
    LANES_FUNCTION(T##_mask, T##_less_equal, (T a, T b), _mm256_cmp_##S(a, b, _CMP_LE_OQ))                             \
    LANES_FUNCTION(T##_mask, T##_equal, (T a, T b), _mm256_cmp_##S(a, b, _CMP_EQ_OQ))                                  \
    LANES_FUNCTION(T##_mask, T##_ordered, (T a, T b), _mm256_cmp_##S(a, b, _CMP_ORD_Q))                                \
    LANES_FUNCTION(T##_mask, T##_less_equal_within, (T##_mask mask, T a, T b),                                         \
                   _mm256_and_##S(mask, _mm256_cmp_##S(a, b, _CMP_LE_OQ)))                                             \
    LANES_FUNCTION(T, T##_choose, (T##_mask mask, T a, T b), _mm256_blendv_##S(b, a, mask))                            \
    LANES_FUNCTION(T##_mask, T##_mask_and, (T##_mask a, T##_mask b), _mm256_and_##S(a, b))                             \
    LANES_FUNCTION(T##_mask, T##_mask_or, (T##_mask a, T##_mask b), _mm256_or_##S(a, b))                               \
    LANES_FUNCTION(T##_mask, T##_mask_and_not, (T##_mask a, T##_mask b), _mm256_andnot_##S(b, a))                      \
    LANES_FUNCTION(T##_mask, T##_mask_all, (void), _mm256_castsi256_##S(_mm256_set1_epi32(-1)))                        \
    LANES_FUNCTION(T##_mask, T##_mask_not, (T##_mask a), _mm256_andnot_##S(a, T##_mask_all()))                         \
    LANES_FUNCTION(T##_mask, T##_mask_nothing, (void), _mm256_setzero_##S())                                           \
    LANES_FUNCTION(uint32_t, T##_mask_bits, (T##_mask mask), (uint32_t)_mm256_movemask_##S(mask))                      \
    LANES_FUNCTION(T##_mask, T##_mask_of_bits, (uint32_t bits), _mm256_castsi256_##S(bits_in_lanes(bits)))             \
    LANES_FUNCTION(bool, T##_mask_none, (T##_mask mask), _mm256_movemask_##S(mask) == 0)

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

/* a * b + c, rounded twice. */
static inline doubles doubles_multiply_add(doubles a, doubles b, doubles c)
{
    return a * b + c;
}

/* The lowest five bits of an index count. */
typedef __m128i doubles_index;

static inline doubles_index doubles_index_load(const uint8_t *from)
{
    int bytes;
    memcpy(&bytes, from, sizeof bytes);
    return _mm_and_si128(_mm_cvtepu8_epi32(_mm_cvtsi32_si128(bytes)), _mm_set1_epi32(31));
}

static inline doubles_index doubles_index_of_byte(const uint32_t *words, int k)
{
    __m128i all = _mm_loadu_si128((const __m128i *)(const void *)words);
    return _mm_and_si128(_mm_srli_epi32(all, 8 * k), _mm_set1_epi32(31));
}

static inline doubles doubles_pick32(const double table[32], doubles_index index)
{
    return _mm256_i32gather_pd(table, index, sizeof *table);
}

/* The lanes of the mask; 0 in the others, which are not read. */
static inline doubles doubles_load_within(doubles_mask mask, const double *from)
{
    return _mm256_maskload_pd(from, _mm256_castpd_si256(mask));
}

/* The 64 bits of a double, for arithmetic on exponents. */
typedef uint64_t doubles_bits __attribute__((vector_size(32)));

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
    uint32_t kept = 0;
    for (int lane = 0; lane < DOUBLES; lane++) {
        to[kept] = from[lane];
        kept += bits >> lane & 1;
    }
    return kept;
}

/* ---- rows become columns ----------------------------------------------------------------------------------------- */

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

/* Sixteen numbers, rows into columns. */
static inline void doubles_transpose4(doubles rows[4][4 / DOUBLES], doubles columns[4][4 / DOUBLES])
{
    doubles_transpose(rows[0], columns[0]);
}

/* Rows of two numbers: the first ones and the second ones. */
static inline void doubles_load_pairs(const double *const pairs[DOUBLES], doubles *first, doubles *second)
{
    __m256d left = _mm256_set_m128d(_mm_loadu_pd(pairs[2]), _mm_loadu_pd(pairs[0]));
    __m256d right = _mm256_set_m128d(_mm_loadu_pd(pairs[3]), _mm_loadu_pd(pairs[1]));
    *first = _mm256_unpacklo_pd(left, right);
    *second = _mm256_unpackhi_pd(left, right);
}

static inline void doubles_store_pairs(double *const pairs[DOUBLES], doubles first, doubles second)
{
    __m256d even = _mm256_unpacklo_pd(first, second), odd = _mm256_unpackhi_pd(first, second);
    _mm_storeu_pd(pairs[0], _mm256_castpd256_pd128(even));
    _mm_storeu_pd(pairs[1], _mm256_castpd256_pd128(odd));
    _mm_storeu_pd(pairs[2], _mm256_extractf128_pd(even, 1));
    _mm_storeu_pd(pairs[3], _mm256_extractf128_pd(odd, 1));
}

/* Four by four numbers in each half: rows become columns, and back. */
static inline void floats_turn_halves(const __m256 rows[4], __m256 columns[4])
{
    __m256 low01 = _mm256_unpacklo_ps(rows[0], rows[1]), high01 = _mm256_unpackhi_ps(rows[0], rows[1]);
    __m256 low23 = _mm256_unpacklo_ps(rows[2], rows[3]), high23 = _mm256_unpackhi_ps(rows[2], rows[3]);
    columns[0] = _mm256_shuffle_ps(low01, low23, 0x44);
    columns[1] = _mm256_shuffle_ps(low01, low23, 0xEE);
    columns[2] = _mm256_shuffle_ps(high01, high23, 0x44);
    columns[3] = _mm256_shuffle_ps(high01, high23, 0xEE);
}

static inline void floats_columns4(const float *const rows[FLOATS], floats columns[4])
{
    __m256 two[4]; /* rows i and i + 4 */
    for (int i = 0; i < 4; i++) {
        two[i] = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(rows[i])), _mm_loadu_ps(rows[i + 4]), 1);
    }
    floats_turn_halves(two, columns);
}

static inline void floats_rows4(const floats columns[4], float *rows)
{
    __m256 two[4];
    floats_turn_halves(columns, two);
    for (int i = 0; i < 4; i++) {
        _mm_storeu_ps(rows + 4 * i, _mm256_castps256_ps128(two[i]));
        _mm_storeu_ps(rows + 4 * (i + 4), _mm256_extractf128_ps(two[i], 1));
    }
}

static inline void doubles_columns4(const double *const rows[DOUBLES], doubles columns[4])
{
    const doubles loaded[4] = {_mm256_loadu_pd(rows[0]), _mm256_loadu_pd(rows[1]), _mm256_loadu_pd(rows[2]),
                               _mm256_loadu_pd(rows[3])};
    doubles_transpose(loaded, columns);
}

static inline void doubles_rows4(const doubles columns[4], double *rows)
{
    doubles turned[4];
    doubles_transpose(columns, turned);
    for (int i = 0; i < 4; i++) {
        _mm256_storeu_pd(rows + 4 * i, turned[i]);
    }
}

static inline void doubles_columns4_of_floats(const float *const rows[DOUBLES], doubles columns[4])
{
    const doubles loaded[4] = {_mm256_cvtps_pd(_mm_loadu_ps(rows[0])), _mm256_cvtps_pd(_mm_loadu_ps(rows[1])),
                               _mm256_cvtps_pd(_mm_loadu_ps(rows[2])), _mm256_cvtps_pd(_mm_loadu_ps(rows[3]))};
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

/* ---- words: as many numbers of 32 bits ------------------------------------------------------- */

typedef __m256i words;

static inline words words_load(const uint32_t *from)
{
    return _mm256_load_si256((const __m256i *)from);
}
static inline words words_load_any(const uint32_t *from)
{
    return _mm256_loadu_si256((const __m256i *)from);
}
static inline void words_store(uint32_t *to, words a)
{
    _mm256_store_si256((__m256i *)to, a);
}
static inline void words_store_any(uint32_t *to, words a)
{
    _mm256_storeu_si256((__m256i *)to, a);
}
static inline words words_set(uint32_t a)
{
    return _mm256_set1_epi32((int)a);
}
/* 0, 1, 2 ... */
static inline words words_count_up(void)
{
    return _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
}
static inline words words_add(words a, words b)
{
    return _mm256_add_epi32(a, b);
}
static inline words words_and(words a, words b)
{
    return _mm256_and_si256(a, b);
}
static inline words words_or(words a, words b)
{
    return _mm256_or_si256(a, b);
}
static inline words words_shift_right(words a, int count)
{
    return _mm256_srli_epi32(a, count);
}
static inline words words_shift_right_each(words a, words counts)
{
    return _mm256_srlv_epi32(a, counts);
}
static inline words words_shift_left_each(words a, words counts)
{
    return _mm256_sllv_epi32(a, counts);
}
static inline words words_choose(floats_mask mask, words a, words b)
{
    return _mm256_blendv_epi8(b, a, _mm256_castps_si256(mask));
}
static inline floats_mask words_equal(words a, words b)
{
    return _mm256_castsi256_ps(_mm256_cmpeq_epi32(a, b));
}
static inline floats_mask words_less(words a, words b)
{
    const __m256i flip = _mm256_set1_epi32(INT32_MIN); /* unsigned order by a signed compare */
    return _mm256_castsi256_ps(_mm256_cmpgt_epi32(_mm256_xor_si256(b, flip), _mm256_xor_si256(a, flip)));
}
static inline floats_mask words_disjoint(words a, words b)
{
    return words_equal(_mm256_and_si256(a, b), _mm256_setzero_si256());
}
/* Lanes with a bit in common. */
static inline floats_mask words_meet(words a, words b)
{
    return floats_mask_not(words_disjoint(a, b));
}
/* Lanes of the mask without one. */
static inline floats_mask words_disjoint_within(floats_mask mask, words a, words b)
{
    return _mm256_and_ps(mask, words_disjoint(a, b));
}

/* ---- tables of words ------------------------------------------------------------------------- */

static inline floats_index floats_index_of_byte(words a, int k)
{
    return (floats_index){_mm256_srli_epi32(a, 8 * k), _mm256_castsi256_ps(_mm256_slli_epi32(a, 28 - 8 * k)),
                          _mm256_castsi256_ps(_mm256_slli_epi32(a, 27 - 8 * k))};
}
static inline floats words_pick16(const uint32_t *table, floats_index index)
{
    floats_table16 both = {_mm256_castsi256_ps(words_load_any(table)), _mm256_castsi256_ps(words_load_any(table + 8))};
    return floats_table16_pick(both, index);
}
static inline words words_pick32(const uint32_t table[32], floats_index index)
{
    return _mm256_castps_si256(
        _mm256_blendv_ps(words_pick16(table, index), words_pick16(table + 16, index), index.bit4));
}
static inline words words_pick48(const uint32_t table[48], words index)
{
    floats_index low_bits = floats_index_of_byte(index, 0);
    __m256 early = _mm256_castsi256_ps(words_pick32(table, low_bits)), late = words_pick16(table + 32, low_bits);
    __m256 bit5 = _mm256_castsi256_ps(_mm256_slli_epi32(index, 26));
    return _mm256_castps_si256(_mm256_blendv_ps(early, late, bit5));
}

/* ---- loads of some lanes, and keeping some --------------------------------------------------- */

static inline floats floats_load_within(floats_mask mask, const float *from)
{
    return _mm256_maskload_ps(from, _mm256_castps_si256(mask));
}
static inline words words_load_within(floats_mask mask, const uint32_t *from)
{
    return _mm256_maskload_epi32((const int *)from, _mm256_castps_si256(mask));
}

/* For every set of lanes their numbers one behind the other, a byte each. */
#define LANE_BEHIND(set, i)                                                                                            \
    ((set) >> (i)&1 ? UINT64_C(i) << 8 * __builtin_popcount((set) & ((1u << (i)) - 1)) : UINT64_C(0))
#define LANES_OF_SET(set)                                                                                              \
    (LANE_BEHIND(set, 0) | LANE_BEHIND(set, 1) | LANE_BEHIND(set, 2) | LANE_BEHIND(set, 3) | LANE_BEHIND(set, 4) |     \
     LANE_BEHIND(set, 5) | LANE_BEHIND(set, 6) | LANE_BEHIND(set, 7))
#define LANES_OF_4(set) LANES_OF_SET(set), LANES_OF_SET((set) + 1), LANES_OF_SET((set) + 2), LANES_OF_SET((set) + 3)
#define LANES_OF_16(set) LANES_OF_4(set), LANES_OF_4((set) + 4), LANES_OF_4((set) + 8), LANES_OF_4((set) + 12)
#define LANES_OF_64(set) LANES_OF_16(set), LANES_OF_16((set) + 16), LANES_OF_16((set) + 32), LANES_OF_16((set) + 48)
static const uint64_t lanes_of_sets[256] = {LANES_OF_64(0u), LANES_OF_64(64u), LANES_OF_64(128u), LANES_OF_64(192u)};

/* Which lanes are kept. They are stored one behind the other, FLOATS numbers are written. */
typedef __m256i floats_order;
static inline floats_order floats_order_of_bits(uint32_t bits)
{
    return _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)&lanes_of_sets[bits]));
}
static inline void floats_keep(float *to, floats a, floats_order order)
{
    _mm256_storeu_ps(to, _mm256_permutevar8x32_ps(a, order));
}
static inline void words_keep(uint32_t *to, words a, floats_order order)
{
    words_store_any(to, _mm256_permutevar8x32_epi32(a, order));
}

/* ---- reductions ------------------------------------------------------------------------------- */

/* Four reductions at once. */
#define FOLD_FOUR(name, operation, half_operation)                                                                     \
    static inline void name(floats a, floats b, floats c, floats d, float out[4])                                      \
    {                                                                                                                  \
        __m256 ab = operation(_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b));                                     \
        __m256 cd = operation(_mm256_unpacklo_ps(c, d), _mm256_unpackhi_ps(c, d));                                     \
        __m256 all = operation(_mm256_shuffle_ps(ab, cd, 0x44), _mm256_shuffle_ps(ab, cd, 0xEE));                      \
        _mm_storeu_ps(out, half_operation(_mm256_castps256_ps128(all), _mm256_extractf128_ps(all, 1)));                \
    }
FOLD_FOUR(floats_sum4, _mm256_add_ps, _mm_add_ps)
FOLD_FOUR(floats_least4, _mm256_min_ps, _mm_min_ps)
#undef FOLD_FOUR

/* ---- numbers of 16 bits ---------------------------------------------------------------------- */

static inline floats floats_of_shorts(const int16_t *from)
{
    return _mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(_mm_load_si128((const __m128i *)from)));
}
static inline floats floats_of_bytes(const uint8_t *from)
{
    return _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)from)));
}
/* Lanes from 0 up to below 32768, cut to whole numbers. */
static inline void floats_to_shorts(uint16_t *to, floats a)
{
    __m256i whole = _mm256_cvttps_epi32(a);
    _mm_store_si128((__m128i *)to, _mm_packus_epi32(_mm256_castsi256_si128(whole), _mm256_extracti128_si256(whole, 1)));
}

/* Thirty-two of 15 bits. */
struct shorts32 {
    __m256i low, high;
};
static inline struct shorts32 shorts32_load(const uint16_t *from)
{
    return (struct shorts32){_mm256_load_si256((const __m256i *)from), _mm256_load_si256((const __m256i *)(from + 16))};
}
/* Which of the first `count` boxes [lo, hi] meet the box [least, most]. A difference that would be negative is 0. */
static inline uint32_t shorts32_meet(const struct shorts32 lo[3], const struct shorts32 hi[3], const uint16_t least[3],
                                     const uint16_t most[3], uint32_t count)
{
    const __m256i zero = _mm256_setzero_si256();
    __m256i low = zero, high = zero;
    for (int axis = 0; axis < 3; axis++) {
        __m256i from = _mm256_set1_epi16((short)least[axis]), to = _mm256_set1_epi16((short)most[axis]);
        low = _mm256_or_si256(
            low, _mm256_or_si256(_mm256_subs_epu16(from, hi[axis].low), _mm256_subs_epu16(lo[axis].low, to)));
        high = _mm256_or_si256(
            high, _mm256_or_si256(_mm256_subs_epu16(from, hi[axis].high), _mm256_subs_epu16(lo[axis].high, to)));
    }
    __m256i bytes = _mm256_packs_epi16(_mm256_cmpeq_epi16(low, zero), _mm256_cmpeq_epi16(high, zero));
    uint32_t found = (uint32_t)_mm256_movemask_epi8(_mm256_permute4x64_epi64(bytes, 0xD8));
    return count < 32 ? found & ((1u << count) - 1) : found;
}

#include "simd/lanes.h"

#endif
