/* The leaves of the cluster search, sixteen lanes. */
#include "geometry/kernels/cluster_kernels.h"

#if defined(__x86_64__)

#include <immintrin.h>

enum { LANES = 16 };

typedef __m512 lanes;
typedef __m512i lane_index;
struct lane_table {
    __m512 low, high;
};

static inline lanes lanes_load(const float *from) { return _mm512_load_ps(from); }
static inline void lanes_store(float *to, lanes a) { _mm512_store_ps(to, a); }
static inline lanes lanes_set(float a) { return _mm512_set1_ps(a); }
static inline lanes lanes_add(lanes a, lanes b) { return _mm512_add_ps(a, b); }
static inline lanes lanes_subtract(lanes a, lanes b) { return _mm512_sub_ps(a, b); }
static inline lanes lanes_multiply(lanes a, lanes b) { return _mm512_mul_ps(a, b); }
static inline lanes lanes_least(lanes a, lanes b) { return _mm512_min_ps(a, b); }
static inline lanes lanes_most(lanes a, lanes b) { return _mm512_max_ps(a, b); }
static inline uint32_t lanes_less(lanes a, lanes b) { return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ); }
static inline uint32_t lanes_not_more(lanes a, lanes b) { return _mm512_cmp_ps_mask(a, b, _CMP_LE_OQ); }
static inline lanes lanes_choose(uint32_t bits, lanes a, lanes b) { return _mm512_mask_mov_ps(b, (__mmask16)bits, a); }
static inline float lanes_smallest(lanes a) { return _mm512_reduce_min_ps(a); }
static inline float lanes_largest(lanes a) { return _mm512_reduce_max_ps(a); }

static inline float lanes_sum(lanes a) { return _mm512_reduce_add_ps(a); }
static inline lanes lanes_of_shorts(const int16_t *from)
{
    return _mm512_cvtepi32_ps(_mm512_cvtepi16_epi32(_mm256_load_si256((const __m256i *)from)));
}
static inline lanes lanes_magnitude(lanes a) { return _mm512_abs_ps(a); }
static inline lanes lanes_root(lanes a) { return _mm512_sqrt_ps(a); }

static inline uint32_t lanes_with_bits(const uint32_t *words, uint32_t bits)
{
    return _mm512_test_epi32_mask(_mm512_load_si512(words), _mm512_set1_epi32((int)bits));
}

static inline uint32_t lanes_equal_to(const uint32_t *words, uint32_t word)
{
    return _mm512_cmpeq_epi32_mask(_mm512_loadu_si512(words), _mm512_set1_epi32((int)word));
}

static inline struct lane_table table_load(const float *from)
{
    return (struct lane_table){_mm512_load_ps(from), _mm512_load_ps(from + 16)};
}

static inline lane_index index_load(const uint8_t *from)
{
    return _mm512_cvtepu8_epi32(_mm_load_si128((const __m128i *)from));
}

static inline lanes table_pick(struct lane_table table, lane_index index)
{
    return _mm512_permutex2var_ps(table.low, index, table.high);
}

#include "geometry/kernels/cluster_load_x86.h"
#include "geometry/kernels/cluster_leaf.h"
#include "geometry/kernels/cluster_strain.h"

const struct cluster_kernels cluster_kernels_avx512 = CLUSTER_KERNELS_ROW;

#endif
