/* The filter of the proximity search, and the measuring of pairs, sixteen floats or eight doubles at a time. */
#if defined(__x86_64__)

#include "geometry/metric/near_filter.h"

#include <immintrin.h>

#define FEATURE_LANES 8
#define FEATURE_ROOT(x) ((row)_mm512_sqrt_pd((__m512d)(x)))

#include "geometry/metric/feature_rows.h"

static inline uint32_t meet_sixteen(const struct feature_boxes *boxes, uint32_t at, const float lo[3],
                                    const float hi[3])
{
    __mmask16 meets = 0xFFFF;
    for (int axis = 0; axis < 3; axis++) {
        meets &= _mm512_cmp_ps_mask(_mm512_load_ps(boxes->lo[axis] + at), _mm512_set1_ps(hi[axis]), _CMP_LE_OQ);
        meets &= _mm512_cmp_ps_mask(_mm512_load_ps(boxes->hi[axis] + at), _mm512_set1_ps(lo[axis]), _CMP_GE_OQ);
    }
    return meets;
}

static void match_vertices(const uint32_t a[16], const uint32_t b[16], uint16_t same[16])
{
    __m512i all = _mm512_loadu_si512(a);
    for (int j = 0; j < 16; j++) {
        same[j] = (uint16_t)_mm512_cmpeq_epi32_mask(all, _mm512_set1_epi32((int)b[j]));
    }
}

#include "geometry/metric/near_boxes.h"

const struct near_kernels near_kernels_avx512 = {meet_boxes,   meet_box_rows, match_vertices,  far_edges,
                                                 far_vertices, measure_edges, measure_vertices};

#else
typedef int nothing_for_this_machine;
#endif
