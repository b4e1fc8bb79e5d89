/* Stage 0 of the impact test, eight candidates at a time. See impact_kernels.h. */
#include "geometry/impact/impact_kernels.h"

#if defined(__x86_64__)

#include <immintrin.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

enum { LANES = 8 };

typedef __m512d lanes;
typedef __mmask8 lane_mask;

static inline lanes lanes_set(double a)
{
    return _mm512_set1_pd(a);
}
static inline lanes lanes_add(lanes a, lanes b)
{
    return _mm512_add_pd(a, b);
}
static inline lanes lanes_subtract(lanes a, lanes b)
{
    return _mm512_sub_pd(a, b);
}
static inline lanes lanes_multiply(lanes a, lanes b)
{
    return _mm512_mul_pd(a, b);
}
static inline lanes lanes_divide(lanes a, lanes b)
{
    return _mm512_div_pd(a, b);
}
static inline lanes lanes_least(lanes a, lanes b)
{
    return _mm512_min_pd(a, b);
}
static inline lanes lanes_most(lanes a, lanes b)
{
    return _mm512_max_pd(a, b);
}
static inline lanes lanes_absolute(lanes a)
{
    return _mm512_abs_pd(a);
}
static inline lane_mask lanes_less(lanes a, lanes b)
{
    return _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ);
}
static inline lanes lanes_choose(lane_mask mask, lanes a, lanes b)
{
    return _mm512_mask_mov_pd(b, mask, a);
}
static inline lane_mask mask_and(lane_mask a, lane_mask b)
{
    return (lane_mask)(a & b);
}
static inline lane_mask mask_or(lane_mask a, lane_mask b)
{
    return (lane_mask)(a | b);
}

#include "geometry/impact/impact_lanes.h"

static inline uint32_t mask_bits(lane_mask mask)
{
    return mask;
}

/* Eight records (x y z - x y z -) become six columns. */
static inline void turn(const struct impact_vertex *const r[LANES], lanes columns[2][3])
{
    __m512d even[4], odd[4];
    for (int i = 0; i < 4; i++) { /* even: x x z z x x z z of two records */
        __m512d first = _mm512_load_pd(r[2 * i]), second = _mm512_load_pd(r[2 * i + 1]);
        even[i] = _mm512_unpacklo_pd(first, second);
        odd[i] = _mm512_unpackhi_pd(first, second);
    }
    /* quarters 0 and 2 are x at the start and at the end, 1 and 3 are z */
    __m512d x01 = _mm512_shuffle_f64x2(even[0], even[1], 0x88), x23 = _mm512_shuffle_f64x2(even[2], even[3], 0x88);
    __m512d z01 = _mm512_shuffle_f64x2(even[0], even[1], 0xDD), z23 = _mm512_shuffle_f64x2(even[2], even[3], 0xDD);
    __m512d y01 = _mm512_shuffle_f64x2(odd[0], odd[1], 0x88), y23 = _mm512_shuffle_f64x2(odd[2], odd[3], 0x88);
    columns[0][0] = _mm512_shuffle_f64x2(x01, x23, 0x88);
    columns[1][0] = _mm512_shuffle_f64x2(x01, x23, 0xDD);
    columns[0][1] = _mm512_shuffle_f64x2(y01, y23, 0x88);
    columns[1][1] = _mm512_shuffle_f64x2(y01, y23, 0xDD);
    columns[0][2] = _mm512_shuffle_f64x2(z01, z23, 0x88);
    columns[1][2] = _mm512_shuffle_f64x2(z01, z23, 0xDD);
}

static inline void lanes_fetch(struct lane_corners *points, const struct impact_vertex *vertices,
                               const uint32_t *const of_lane[LANES])
{
    for (int corner = 0; corner < 4; corner++) {
        const struct impact_vertex *records[LANES];
        for (int lane = 0; lane < LANES; lane++) {
            records[lane] = &vertices[of_lane[lane][corner]];
        }
        turn(records, points->at[corner]);
    }
}

static inline uint32_t lanes_keep(uint32_t *to, const uint32_t *numbers, uint32_t bits)
{
    /* not straight to memory: that form is very slow on some processors */
    __m256i all = _mm256_loadu_si256((const __m256i *)numbers);
    _mm256_storeu_si256((__m256i *)to, _mm256_maskz_compress_epi32((__mmask8)bits, all));
    return (uint32_t)__builtin_popcount(bits);
}

const struct impact_kernels impact_kernels_avx512 = IMPACT_KERNELS_ROW;

#endif
