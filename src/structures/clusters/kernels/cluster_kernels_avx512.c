/* The leaves of the cluster search, sixteen lanes. */
#include "structures/clusters/kernels/cluster_kernels.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define LANE_COUNT 16
enum { LANES = LANE_COUNT };

typedef __m512 lanes;
typedef __m512i lane_index;
struct lane_table {
    __m512 low, high;
};

static inline lanes lanes_load(const float *from)
{
    return _mm512_load_ps(from);
}
static inline void lanes_store(float *to, lanes a)
{
    _mm512_store_ps(to, a);
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
static inline uint32_t lanes_less(lanes a, lanes b)
{
    return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ);
}
/* Lanes where small[k] <= large[k] for all six k. Two chains of three: one of six would be waited for. */
static inline uint32_t lanes_ordered6(const lanes small[6], const lanes large[6])
{
    __mmask16 bits = _mm512_cmp_ps_mask(small[0], large[0], _CMP_LE_OQ);
    __mmask16 others = _mm512_cmp_ps_mask(small[1], large[1], _CMP_LE_OQ);
    bits = _mm512_mask_cmp_ps_mask(bits, small[2], large[2], _CMP_LE_OQ);
    others = _mm512_mask_cmp_ps_mask(others, small[3], large[3], _CMP_LE_OQ);
    bits = _mm512_mask_cmp_ps_mask(bits, small[4], large[4], _CMP_LE_OQ);
    others = _mm512_mask_cmp_ps_mask(others, small[5], large[5], _CMP_LE_OQ);
    return _mm512_kand(bits, others);
}
static inline lanes lanes_choose(uint32_t bits, lanes a, lanes b)
{
    return _mm512_mask_mov_ps(b, (__mmask16)bits, a);
}

static inline lanes lanes_of_shorts(const int16_t *from)
{
    return _mm512_cvtepi32_ps(_mm512_cvtepi16_epi32(_mm256_load_si256((const __m256i *)from)));
}
/* Lanes from 0 up to below 32768, cut to whole numbers. */
static inline void lanes_to_shorts(uint16_t *to, lanes a)
{
    _mm256_store_si256((__m256i *)to, _mm512_cvtepi32_epi16(_mm512_cvttps_epi32(a)));
}

struct short_table {
    __m512i all;
};
static inline struct short_table shorts_load(const uint16_t *from)
{
    return (struct short_table){_mm512_load_si512(from)};
}

/* Which of the 32 points lie between lo and hi on all three axes. A difference that would be negative is 0. */
static inline uint32_t shorts_in_box(const struct short_table x[3], const uint16_t lo[3], const uint16_t hi[3])
{
    __m512i outside[3];
    for (int axis = 0; axis < 3; axis++) {
        outside[axis] = _mm512_or_si512(_mm512_subs_epu16(_mm512_set1_epi16((short)lo[axis]), x[axis].all),
                                        _mm512_subs_epu16(x[axis].all, _mm512_set1_epi16((short)hi[axis])));
    }
    __m512i any = _mm512_ternarylogic_epi32(outside[0], outside[1], outside[2], 0xFE);
    return _mm512_testn_epi16_mask(any, any);
}

static inline lanes lanes_root(lanes a)
{
    return _mm512_sqrt_ps(a);
}

/* Four reductions at once: halves are folded pair by pair until each quarter holds one of the four. */
#define FOLD_FOUR(name, operation)                                                                                     \
    static inline void name(lanes a, lanes b, lanes c, lanes d, float out[4])                                          \
    {                                                                                                                  \
        __m512 ab = operation(_mm512_shuffle_f32x4(a, b, 0x44), _mm512_shuffle_f32x4(a, b, 0xEE));                     \
        __m512 cd = operation(_mm512_shuffle_f32x4(c, d, 0x44), _mm512_shuffle_f32x4(c, d, 0xEE));                     \
        __m512 all = operation(_mm512_shuffle_f32x4(ab, cd, 0x88), _mm512_shuffle_f32x4(ab, cd, 0xDD));                \
        all = operation(all, _mm512_permute_ps(all, 0x4E));                                                            \
        all = operation(all, _mm512_permute_ps(all, 0xB1));                                                            \
        const __m512i slots = _mm512_setr_epi32(0, 4, 8, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);                      \
        _mm_storeu_ps(out, _mm512_castps512_ps128(_mm512_permutexvar_ps(slots, all)));                                 \
    }

FOLD_FOUR(lanes_sum4, _mm512_add_ps)
FOLD_FOUR(lanes_least4, _mm512_min_ps)

/* Lanes where small[k] <= large[k] for all six k, and none of the bits is in the word. */
static inline uint32_t lanes_ordered6_without(const lanes small[6], const lanes large[6], const uint32_t *words,
                                              uint32_t bits)
{
    __mmask16 ordered = (__mmask16)lanes_ordered6(small, large);
    return _mm512_mask_testn_epi32_mask(ordered, _mm512_load_si512(words), _mm512_set1_epi32((int)bits));
}

static inline uint32_t lanes_with_bits(const uint32_t *words, uint32_t bits)
{
    return _mm512_test_epi32_mask(_mm512_load_si512(words), _mm512_set1_epi32((int)bits));
}

static inline uint32_t lanes_equal_to(const uint32_t *words, uint32_t word)
{
    return _mm512_cmpeq_epi32_mask(_mm512_loadu_si512(words), _mm512_set1_epi32((int)word));
}

/* Which of 32 words are a, b or c. */
static inline uint32_t words_equal_to_one(const uint32_t words[CLUSTER_VERTICES], uint32_t a, uint32_t b, uint32_t c)
{
    const __m512i first = _mm512_loadu_si512(words), second = _mm512_loadu_si512(words + 16);
    const __m512i word[3] = {_mm512_set1_epi32((int)a), _mm512_set1_epi32((int)b), _mm512_set1_epi32((int)c)};
    __mmask16 low = _mm512_cmpeq_epi32_mask(first, word[0]), high = _mm512_cmpeq_epi32_mask(second, word[0]);
    low = _mm512_kor(low, _mm512_cmpeq_epi32_mask(first, word[1]));
    high = _mm512_kor(high, _mm512_cmpeq_epi32_mask(second, word[1]));
    low = _mm512_kor(low, _mm512_cmpeq_epi32_mask(first, word[2]));
    high = _mm512_kor(high, _mm512_cmpeq_epi32_mask(second, word[2]));
    return _mm512_kunpackw(high, low);
}

static inline struct lane_table table_load(const float *from)
{
    return (struct lane_table){_mm512_load_ps(from), _mm512_load_ps(from + 16)};
}

static inline lane_index index_load(const uint8_t *from)
{
    return _mm512_cvtepu8_epi32(_mm_load_si128((const __m128i *)from));
}

/* Corner k of sixteen cells. The permute looks at the lowest five bits only. */
static inline lane_index index_of_corner(const uint32_t *from, int k)
{
    return _mm512_srli_epi32(_mm512_load_si512(from), (unsigned)(8 * k));
}

static inline lanes table_pick(struct lane_table table, lane_index index)
{
    return _mm512_permutex2var_ps(table.low, index, table.high);
}

/* Vertices i to i + 15 of a cluster with their bits set wait, without a branch. */
static inline void put_waiting(struct waiting_points *waiting, const struct leaf_features *features, int i,
                               uint32_t bits)
{
    const __m512i sixteen = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    uint32_t slot = waiting->count;
    __mmask16 kept = (__mmask16)bits;
    for (int axis = 0; axis < 3; axis++) {
        __m512 x = _mm512_load_ps(&features->points->x[axis][i]);
        _mm512_storeu_ps(&waiting->x[axis][slot], _mm512_maskz_compress_ps(kept, x));
    }
    __m512i vertices = _mm512_add_epi32(sixteen, _mm512_set1_epi32(i));
    _mm512_storeu_si512(&waiting->vertex[slot], _mm512_maskz_compress_epi32(kept, vertices));
    _mm512_storeu_si512(&waiting->cluster[slot], _mm512_set1_epi32((int)features->number));
    if (features->identities) {
        __m512i identities = _mm512_loadu_si512(&features->identities[i]);
        _mm512_storeu_si512(&waiting->identity[slot], _mm512_maskz_compress_epi32(kept, identities));
    }
    waiting->count += (uint32_t)__builtin_popcount(bits);
}

/* Lanes with their bits set, one behind the other; all sixteen places are written. */
static inline void lanes_keep(float *to, lanes a, uint32_t bits)
{
    _mm512_storeu_ps(to, _mm512_maskz_compress_ps((__mmask16)bits, a));
}

/* The same for words picked out of 32; without words, NO_IDENTITY. */
static inline void words_keep_picked(uint32_t *to, const uint32_t *words, lane_index index, uint32_t bits)
{
    __m512i picked = _mm512_set1_epi32((int)NO_IDENTITY);
    if (words) {
        picked = _mm512_permutex2var_epi32(_mm512_loadu_si512(words), index, _mm512_loadu_si512(words + 16));
    }
    _mm512_storeu_si512(to, _mm512_maskz_compress_epi32((__mmask16)bits, picked));
}

/* The same for the numbers of the lanes, counted from `first`. */
static inline void words_keep_numbers(uint32_t *to, uint32_t first, uint32_t bits)
{
    const __m512i sixteen = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    __m512i numbers = _mm512_add_epi32(sixteen, _mm512_set1_epi32((int)first));
    _mm512_storeu_si512(to, _mm512_maskz_compress_epi32((__mmask16)bits, numbers));
}

static inline void words_keep(uint32_t *to, const uint32_t *from, uint32_t bits)
{
    _mm512_storeu_si512(to, _mm512_maskz_compress_epi32((__mmask16)bits, _mm512_load_si512(from)));
}

/* Corners of the cells of sixteen pairs of a face and a cell. */
static inline void corners_of_pairs(uint32_t *corners, const uint32_t cells[CLUSTER_CELLS], const uint32_t *pairs)
{
    __m512i cell = _mm512_srli_epi32(_mm512_load_si512(pairs), 8);
    __m512i early = _mm512_permutex2var_epi32(_mm512_load_si512(cells), cell, _mm512_load_si512(cells + 16));
    __mmask16 late = _mm512_test_epi32_mask(cell, _mm512_set1_epi32(32));
    _mm512_store_si512(corners, _mm512_mask_permutexvar_epi32(early, late, cell, _mm512_load_si512(cells + 32)));
}

/* leaf_queue.features of pairs of a waiting face and a cell. */
static inline void words_keep_features(uint32_t *to, const uint32_t *faces, const uint32_t *pairs, uint32_t provable,
                                       uint32_t bits)
{
    __m512i pair = _mm512_load_si512(pairs);
    __m512i face = _mm512_permutex2var_epi32(_mm512_load_si512(faces), pair, _mm512_load_si512(faces + 16));
    __m512i word = _mm512_or_si512(face, _mm512_and_si512(pair, _mm512_set1_epi32(0xFF00)));
    word = _mm512_mask_or_epi32(word, (__mmask16)provable, word, _mm512_set1_epi32(FEATURE_PROVABLE));
    _mm512_storeu_si512(to, _mm512_maskz_compress_epi32((__mmask16)bits, word));
}

static inline void words_fill(uint32_t *to, uint32_t word)
{
    _mm512_storeu_si512(to, _mm512_set1_epi32((int)word));
}

#include "structures/clusters/kernels/cluster_load_x86.h"
#include "structures/clusters/kernels/cluster_leaf.h"
#include "structures/clusters/kernels/cluster_leaf_faces.h"
#include "structures/clusters/kernels/cluster_strain.h"

const struct cluster_kernels cluster_kernels_avx512 = CLUSTER_KERNELS_ROW;

#endif
