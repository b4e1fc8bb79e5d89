/* The filter of the proximity search, and the measuring of pairs, eight floats or four doubles at a time. */
#if defined(__x86_64__)

#include "geometry/metric/near_filter.h"

#include <immintrin.h>

#define FEATURE_LANES 4
#define FEATURE_ROOT(x) ((row)_mm256_sqrt_pd((__m256d)(x)))

#include "geometry/metric/feature_rows.h"

static inline uint32_t meet_eight(const struct feature_boxes *boxes, uint32_t at, const float lo[3], const float hi[3])
{
    __m256 all = _mm256_castsi256_ps(_mm256_set1_epi32(-1));
    for (int axis = 0; axis < 3; axis++) {
        all = _mm256_and_ps(all,
                            _mm256_cmp_ps(_mm256_load_ps(boxes->lo[axis] + at), _mm256_set1_ps(hi[axis]), _CMP_LE_OQ));
        all = _mm256_and_ps(all,
                            _mm256_cmp_ps(_mm256_load_ps(boxes->hi[axis] + at), _mm256_set1_ps(lo[axis]), _CMP_GE_OQ));
    }
    return (uint32_t)_mm256_movemask_ps(all);
}

static inline uint32_t meet_sixteen(const struct feature_boxes *boxes, uint32_t at, const float lo[3],
                                    const float hi[3])
{
    return meet_eight(boxes, at, lo, hi) | meet_eight(boxes, at + 8, lo, hi) << 8;
}

static void match_vertices(const uint32_t a[16], const uint32_t b[16], uint16_t same[16])
{
    __m256i low = _mm256_loadu_si256((const __m256i *)a), high = _mm256_loadu_si256((const __m256i *)(a + 8));
    for (int j = 0; j < 16; j++) {
        __m256i one = _mm256_set1_epi32((int)b[j]);
        int bits_low = _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(low, one)));
        int bits_high = _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(high, one)));
        same[j] = (uint16_t)(bits_low | bits_high << 8);
    }
}

#include "geometry/metric/near_boxes.h"

const struct near_kernels near_kernels_avx2 = {meet_boxes,   meet_box_rows, match_vertices,  far_edges,
                                               far_vertices, measure_edges, measure_vertices};

#else
typedef int nothing_for_this_machine;
#endif
