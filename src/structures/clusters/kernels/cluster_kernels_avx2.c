/* The leaves of the cluster search, eight lanes. A table of 32 takes four permutes and three blends. */
#include "structures/clusters/kernels/cluster_kernels.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define LANE_COUNT 8
enum { LANES = LANE_COUNT };

typedef __m256 lanes;
typedef struct lane_index {
    __m256i slot;
    __m256 bit3, bit4; /* sign bits say which table */
} lane_index;
struct lane_table {
    __m256 part[4];
};

static inline lanes lanes_load(const float *from)
{
    return _mm256_load_ps(from);
}
static inline void lanes_store(float *to, lanes a)
{
    _mm256_store_ps(to, a);
}
static inline lanes lanes_set(float a)
{
    return _mm256_set1_ps(a);
}
static inline lanes lanes_add(lanes a, lanes b)
{
    return _mm256_add_ps(a, b);
}
static inline lanes lanes_subtract(lanes a, lanes b)
{
    return _mm256_sub_ps(a, b);
}
static inline lanes lanes_multiply(lanes a, lanes b)
{
    return _mm256_mul_ps(a, b);
}
static inline lanes lanes_least(lanes a, lanes b)
{
    return _mm256_min_ps(a, b);
}
static inline lanes lanes_most(lanes a, lanes b)
{
    return _mm256_max_ps(a, b);
}
static inline uint32_t lanes_less(lanes a, lanes b)
{
    return (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_LT_OQ));
}
/* Lanes where small[k] <= large[k] for all six k. */
static inline uint32_t lanes_ordered6(const lanes small[6], const lanes large[6])
{
    __m256 a =
        _mm256_and_ps(_mm256_cmp_ps(small[0], large[0], _CMP_LE_OQ), _mm256_cmp_ps(small[1], large[1], _CMP_LE_OQ));
    __m256 b =
        _mm256_and_ps(_mm256_cmp_ps(small[2], large[2], _CMP_LE_OQ), _mm256_cmp_ps(small[3], large[3], _CMP_LE_OQ));
    __m256 c =
        _mm256_and_ps(_mm256_cmp_ps(small[4], large[4], _CMP_LE_OQ), _mm256_cmp_ps(small[5], large[5], _CMP_LE_OQ));
    return (uint32_t)_mm256_movemask_ps(_mm256_and_ps(_mm256_and_ps(a, b), c));
}

static inline lanes lanes_choose(uint32_t bits, lanes a, lanes b)
{
    const __m256i slots = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    __m256i chosen = _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32((int)bits), slots), slots);
    return _mm256_blendv_ps(b, a, _mm256_castsi256_ps(chosen));
}

/* Four reductions at once. */
#define FOLD_FOUR(name, operation, half_operation)                                                                     \
    static inline void name(lanes a, lanes b, lanes c, lanes d, float out[4])                                          \
    {                                                                                                                  \
        __m256 ab = operation(_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b));                                     \
        __m256 cd = operation(_mm256_unpacklo_ps(c, d), _mm256_unpackhi_ps(c, d));                                     \
        __m256 all = operation(_mm256_shuffle_ps(ab, cd, 0x44), _mm256_shuffle_ps(ab, cd, 0xEE));                      \
        _mm_storeu_ps(out, half_operation(_mm256_castps256_ps128(all), _mm256_extractf128_ps(all, 1)));                \
    }

FOLD_FOUR(lanes_sum4, _mm256_add_ps, _mm_add_ps)
FOLD_FOUR(lanes_least4, _mm256_min_ps, _mm_min_ps)

static inline lanes lanes_of_shorts(const int16_t *from)
{
    return _mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(_mm_load_si128((const __m128i *)from)));
}
/* Lanes from 0 up to below 32768, cut to whole numbers. */
static inline void lanes_to_shorts(uint16_t *to, lanes a)
{
    __m256i whole = _mm256_cvttps_epi32(a);
    _mm_store_si128((__m128i *)to, _mm_packus_epi32(_mm256_castsi256_si128(whole), _mm256_extracti128_si256(whole, 1)));
}

struct short_table {
    __m256i low, high;
};
static inline struct short_table shorts_load(const uint16_t *from)
{
    return (struct short_table){_mm256_load_si256((const __m256i *)from),
                                _mm256_load_si256((const __m256i *)(from + 16))};
}

/* Which of the 32 points lie between lo and hi on all three axes. A difference that would be negative is 0. */
static inline uint32_t shorts_in_box(const struct short_table x[3], const uint16_t lo[3], const uint16_t hi[3])
{
    __m256i low = _mm256_setzero_si256(), high = low;
    for (int axis = 0; axis < 3; axis++) {
        __m256i least = _mm256_set1_epi16((short)lo[axis]), most = _mm256_set1_epi16((short)hi[axis]);
        low = _mm256_or_si256(
            low, _mm256_or_si256(_mm256_subs_epu16(least, x[axis].low), _mm256_subs_epu16(x[axis].low, most)));
        high = _mm256_or_si256(
            high, _mm256_or_si256(_mm256_subs_epu16(least, x[axis].high), _mm256_subs_epu16(x[axis].high, most)));
    }
    const __m256i zero = _mm256_setzero_si256();
    __m256i bytes = _mm256_packs_epi16(_mm256_cmpeq_epi16(low, zero), _mm256_cmpeq_epi16(high, zero));
    return (uint32_t)_mm256_movemask_epi8(_mm256_permute4x64_epi64(bytes, 0xD8));
}

static inline lanes lanes_root(lanes a)
{
    return _mm256_sqrt_ps(a);
}

static inline uint32_t lanes_with_bits(const uint32_t *words, uint32_t bits)
{
    __m256i common = _mm256_and_si256(_mm256_load_si256((const __m256i *)words), _mm256_set1_epi32((int)bits));
    __m256i none = _mm256_cmpeq_epi32(common, _mm256_setzero_si256());
    return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(none)) ^ 0xFFu;
}

static inline uint32_t lanes_equal_to(const uint32_t *words, uint32_t word)
{
    __m256i equal = _mm256_cmpeq_epi32(_mm256_loadu_si256((const __m256i *)words), _mm256_set1_epi32((int)word));
    return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(equal));
}

/* Which of 32 words are a, b or c. */
static inline uint32_t words_equal_to_one(const uint32_t words[CLUSTER_VERTICES], uint32_t a, uint32_t b, uint32_t c)
{
    const __m256i word[3] = {_mm256_set1_epi32((int)a), _mm256_set1_epi32((int)b), _mm256_set1_epi32((int)c)};
    uint32_t found = 0;
    for (int i = 0; i < CLUSTER_VERTICES; i += LANES) {
        __m256i eight = _mm256_loadu_si256((const __m256i *)(words + i));
        __m256i equal = _mm256_or_si256(_mm256_cmpeq_epi32(eight, word[0]), _mm256_cmpeq_epi32(eight, word[1]));
        equal = _mm256_or_si256(equal, _mm256_cmpeq_epi32(eight, word[2]));
        found |= (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(equal)) << i;
    }
    return found;
}

static inline struct lane_table table_load(const float *from)
{
    return (struct lane_table){
        {_mm256_load_ps(from), _mm256_load_ps(from + 8), _mm256_load_ps(from + 16), _mm256_load_ps(from + 24)}};
}

static inline lane_index index_load(const uint8_t *from)
{
    __m256i index = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)from));
    return (lane_index){index, _mm256_castsi256_ps(_mm256_slli_epi32(index, 28)),
                        _mm256_castsi256_ps(_mm256_slli_epi32(index, 27))};
}

/* Corner k of eight cells. */
static inline lane_index index_of_corner(const uint32_t *from, int k)
{
    __m256i corners = _mm256_load_si256((const __m256i *)from);
    return (lane_index){_mm256_srli_epi32(corners, 8 * k), _mm256_castsi256_ps(_mm256_slli_epi32(corners, 28 - 8 * k)),
                        _mm256_castsi256_ps(_mm256_slli_epi32(corners, 27 - 8 * k))};
}

static inline lanes table_pick(struct lane_table table, lane_index index)
{
    __m256 low = _mm256_blendv_ps(_mm256_permutevar8x32_ps(table.part[0], index.slot),
                                  _mm256_permutevar8x32_ps(table.part[1], index.slot), index.bit3);
    __m256 high = _mm256_blendv_ps(_mm256_permutevar8x32_ps(table.part[2], index.slot),
                                   _mm256_permutevar8x32_ps(table.part[3], index.slot), index.bit3);
    return _mm256_blendv_ps(low, high, index.bit4);
}

#include "structures/clusters/kernels/cluster_load_x86.h"
#include "structures/clusters/kernels/cluster_leaf.h"
#include "structures/clusters/kernels/cluster_leaf_faces.h"
#include "structures/clusters/kernels/cluster_strain.h"

const struct cluster_kernels cluster_kernels_avx2 = CLUSTER_KERNELS_ROW;

#endif
