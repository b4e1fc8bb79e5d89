/* The leaves of the surface forest, sixteen lanes. */
#include "structures/surface/kernels/surface_kernels.h"

#if defined(__x86_64__)

#include <immintrin.h>

typedef __m512 wide_t;
typedef __m512i wide_index;
typedef __m512d octet_t;

static inline wide_t wide_load(const float *from)
{
    return _mm512_load_ps(from);
}
static inline void wide_store(float *to, wide_t a)
{
    _mm512_store_ps(to, a);
}
static inline wide_t wide_set(float a)
{
    return _mm512_set1_ps(a);
}
static inline wide_t wide_add(wide_t a, wide_t b)
{
    return _mm512_add_ps(a, b);
}
static inline wide_t wide_subtract(wide_t a, wide_t b)
{
    return _mm512_sub_ps(a, b);
}
static inline wide_t wide_multiply(wide_t a, wide_t b)
{
    return _mm512_mul_ps(a, b);
}
static inline wide_t wide_least(wide_t a, wide_t b)
{
    return _mm512_min_ps(a, b);
}
static inline wide_t wide_most(wide_t a, wide_t b)
{
    return _mm512_max_ps(a, b);
}
static inline wide_t wide_choose(uint32_t bits, wide_t a, wide_t b)
{
    return _mm512_mask_mov_ps(b, (__mmask16)bits, a);
}
static inline uint32_t wide_less(wide_t a, wide_t b)
{
    return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ);
}
static inline wide_t wide_magnitude(wide_t a)
{
    return _mm512_abs_ps(a);
}
static inline void wide_range(wide_t a, float *least, float *most)
{
    __m256 low = _mm512_castps512_ps256(a), high = _mm512_extractf32x8_ps(a, 1);
    __m256 lo8 = _mm256_min_ps(low, high), hi8 = _mm256_max_ps(low, high);
    __m128 lo = _mm_min_ps(_mm256_castps256_ps128(lo8), _mm256_extractf128_ps(lo8, 1));
    __m128 hi = _mm_max_ps(_mm256_castps256_ps128(hi8), _mm256_extractf128_ps(hi8, 1));
    lo = _mm_min_ps(lo, _mm_movehl_ps(lo, lo));
    hi = _mm_max_ps(hi, _mm_movehl_ps(hi, hi));
    *least = _mm_cvtss_f32(_mm_min_ss(lo, _mm_movehdup_ps(lo)));
    *most = _mm_cvtss_f32(_mm_max_ss(hi, _mm_movehdup_ps(hi)));
}
static inline wide_index index_load(const uint8_t *from)
{
    return _mm512_cvtepu8_epi32(_mm_load_si128((const __m128i *)from));
}
static inline wide_t wide_pick(const float *table, wide_index index)
{
    return _mm512_permutexvar_ps(index, _mm512_load_ps(table));
}

static inline octet_t octet_load(const double *from)
{
    return _mm512_load_pd(from);
}
static inline octet_t octet_set(double a)
{
    return _mm512_set1_pd(a);
}
static inline octet_t octet_add(octet_t a, octet_t b)
{
    return _mm512_add_pd(a, b);
}
static inline octet_t octet_subtract(octet_t a, octet_t b)
{
    return _mm512_sub_pd(a, b);
}
static inline octet_t octet_multiply(octet_t a, octet_t b)
{
    return _mm512_mul_pd(a, b);
}
static inline octet_t octet_least(octet_t a, octet_t b)
{
    return _mm512_min_pd(a, b);
}
static inline octet_t octet_most(octet_t a, octet_t b)
{
    return _mm512_max_pd(a, b);
}
static inline octet_t octet_magnitude(octet_t a)
{
    return _mm512_abs_pd(a);
}
static inline octet_t octet_choose(uint32_t bits, octet_t a, octet_t b)
{
    return _mm512_mask_mov_pd(b, (__mmask8)bits, a);
}
static inline uint32_t octet_less(octet_t a, octet_t b)
{
    return _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ);
}

/* Six independent comparisons, then the masks are joined: a chain of masked ones would wait for each. */
static inline uint32_t boxes_in_row(const struct leaf_side *boxes, const float lo[3], const float hi[3], uint32_t asked)
{
    uint32_t a = _mm512_cmp_ps_mask(_mm512_load_ps(boxes->lo[0]), _mm512_set1_ps(hi[0]), _CMP_LE_OQ);
    uint32_t b = _mm512_cmp_ps_mask(_mm512_load_ps(boxes->hi[0]), _mm512_set1_ps(lo[0]), _CMP_GE_OQ);
    uint32_t c = _mm512_cmp_ps_mask(_mm512_load_ps(boxes->lo[1]), _mm512_set1_ps(hi[1]), _CMP_LE_OQ);
    uint32_t d = _mm512_cmp_ps_mask(_mm512_load_ps(boxes->hi[1]), _mm512_set1_ps(lo[1]), _CMP_GE_OQ);
    uint32_t e = _mm512_cmp_ps_mask(_mm512_load_ps(boxes->lo[2]), _mm512_set1_ps(hi[2]), _CMP_LE_OQ);
    uint32_t f = _mm512_cmp_ps_mask(_mm512_load_ps(boxes->hi[2]), _mm512_set1_ps(lo[2]), _CMP_GE_OQ);
    return (a & b) & (c & d) & (e & f) & asked;
}

struct vertex_sets {
    __m256i bits; /* by face: its vertices */
};

static inline struct vertex_sets vertex_sets_of(const uint8_t (*corners)[LEAF_FACES])
{
    const __m256i one = _mm256_set1_epi16(1);
    __m256i p = _mm256_sllv_epi16(one, _mm256_cvtepu8_epi16(_mm_load_si128((const __m128i *)corners[0])));
    __m256i q = _mm256_sllv_epi16(one, _mm256_cvtepu8_epi16(_mm_load_si128((const __m128i *)corners[1])));
    __m256i r = _mm256_sllv_epi16(one, _mm256_cvtepu8_epi16(_mm_load_si128((const __m128i *)corners[2])));
    return (struct vertex_sets){_mm256_or_si256(_mm256_or_si256(p, q), r)};
}

static inline uint32_t faces_beyond(const struct leaf_side *planes, uint32_t plane, float reach,
                                    const struct leaf_points *points, const struct vertex_sets *sets, uint32_t asked)
{
    __m512 x = _mm512_sub_ps(_mm512_load_ps(points->x[0]), _mm512_set1_ps(planes->base[0][plane]));
    __m512 y = _mm512_sub_ps(_mm512_load_ps(points->x[1]), _mm512_set1_ps(planes->base[1][plane]));
    __m512 z = _mm512_sub_ps(_mm512_load_ps(points->x[2]), _mm512_set1_ps(planes->base[2][plane]));
    __m512 side = _mm512_add_ps(_mm512_add_ps(_mm512_mul_ps(x, _mm512_set1_ps(planes->normal[0][plane])),
                                              _mm512_mul_ps(y, _mm512_set1_ps(planes->normal[1][plane]))),
                                _mm512_mul_ps(z, _mm512_set1_ps(planes->normal[2][plane])));
    float bound = planes->slope[plane] * reach + planes->floor[plane];
    uint32_t not_above = ~(uint32_t)_mm512_cmp_ps_mask(side, _mm512_set1_ps(bound), _CMP_GT_OQ);
    uint32_t not_below = ~(uint32_t)_mm512_cmp_ps_mask(side, _mm512_set1_ps(-bound), _CMP_LT_OQ);
    uint32_t beyond = (uint32_t)_mm256_testn_epi16_mask(sets->bits, _mm256_set1_epi16((short)not_above)) |
                      (uint32_t)_mm256_testn_epi16_mask(sets->bits, _mm256_set1_epi16((short)not_below));
    return beyond & asked;
}

static uint32_t meet_volumes(float *const *lo, float *const *hi, uint32_t offset, int axis_count, const float *box_lo,
                             const float *box_hi)
{
    uint32_t found = 0xFFFF;
    for (int axis = 0; axis < axis_count; axis++) {
        found &= _mm512_cmp_ps_mask(_mm512_load_ps(lo[axis] + offset), _mm512_set1_ps(box_hi[axis]), _CMP_LE_OQ);
        found &= _mm512_cmp_ps_mask(_mm512_load_ps(hi[axis] + offset), _mm512_set1_ps(box_lo[axis]), _CMP_GE_OQ);
        if (axis == 2 && !found) {
            return 0;
        }
    }
    return found;
}

#include "structures/surface/kernels/surface_load_x86.h"
#include "structures/surface/kernels/surface_leaf.h"

const struct surface_kernels surface_kernels_avx512 = SURFACE_KERNELS_ROW;

#endif
