/* Eight children of a bounding tree at a time. See bound_kernels.h: the operations of the scalar functions in the same
 * order. */
#include "structures/bounds/bound_kernels.h"

#if defined(__x86_64__)

#include <immintrin.h>

static __m512d load_two_rows(const struct bound_volume *parts, uint32_t count, uint32_t i, int first)
{
    uint32_t low = i < count ? i : count - 1, high = i + 4 < count ? i + 4 : count - 1;
    return _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_loadu_pd((const double *)&parts[low] + first)),
                              _mm256_loadu_pd((const double *)&parts[high] + first), 1);
}

/* Numbers first … first + 3 of the parts as four columns; beyond the last part, that part. */
static void load_columns(const struct bound_volume *parts, uint32_t count, int first, __m512d columns[4])
{
    const __m512i front = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13),
                  back = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
    __m512d rows[4];
    for (uint32_t i = 0; i < 4; i++) {
        rows[i] = load_two_rows(parts, count, i, first);
    }
    __m512d low01 = _mm512_unpacklo_pd(rows[0], rows[1]), high01 = _mm512_unpackhi_pd(rows[0], rows[1]);
    __m512d low23 = _mm512_unpacklo_pd(rows[2], rows[3]), high23 = _mm512_unpackhi_pd(rows[2], rows[3]);
    columns[0] = _mm512_permutex2var_pd(low01, front, low23);
    columns[1] = _mm512_permutex2var_pd(high01, front, high23);
    columns[2] = _mm512_permutex2var_pd(low01, back, low23);
    columns[3] = _mm512_permutex2var_pd(high01, back, high23);
}

static __m512d down_lanes(__m512d value)
{
    return _mm512_sub_pd(value, _mm512_mul_pd(_mm512_abs_pd(value), _mm512_set1_pd(0x1p-51)));
}

static uint32_t balls(const struct bound_volume *parts, uint32_t count, const struct bound_volume *other,
                      double lo[BOUND_KERNEL_LANES])
{
    __m512d c[4];
    load_columns(parts, count, 0, c);
    __m512d x = _mm512_sub_pd(c[0], _mm512_set1_pd(other->v[0])), y = _mm512_sub_pd(c[1], _mm512_set1_pd(other->v[1])),
            z = _mm512_sub_pd(c[2], _mm512_set1_pd(other->v[2])),
            sum = _mm512_add_pd(c[3], _mm512_set1_pd(other->v[3]));
    __m512d square = _mm512_add_pd(_mm512_add_pd(_mm512_mul_pd(x, x), _mm512_mul_pd(y, y)), _mm512_mul_pd(z, z));
    __mmask8 in_range = _mm512_cmp_pd_mask(square, _mm512_set1_pd(1e-280), _CMP_GT_OQ) &
                        _mm512_cmp_pd_mask(square, _mm512_set1_pd(1e300), _CMP_LT_OQ);
    if (in_range != 0xFF) {
        return balls_one_by_one(parts, 0, count, other, lo);
    }
    __m512d sum_square = _mm512_mul_pd(_mm512_mul_pd(sum, sum), _mm512_set1_pd(1 + 0x1p-49));
    uint32_t apart = _mm512_cmp_pd_mask(square, sum_square, _CMP_GT_OQ);
    if (apart == 0xFF) {
        return 0;
    }
    __m512d reach = _mm512_add_pd(sum, _mm512_mul_pd(_mm512_abs_pd(sum), _mm512_set1_pd(0x1p-51)));
    __m512d gap = down_lanes(_mm512_sub_pd(_mm512_mul_pd(_mm512_sqrt_pd(square), _mm512_set1_pd(1 - 0x1p-50)), reach));
    gap = _mm512_mask_mov_pd(gap, _mm512_cmp_pd_mask(gap, gap, _CMP_UNORD_Q), _mm512_set1_pd(-INFINITY));
    _mm512_storeu_pd(lo, gap);
    uint32_t positive = _mm512_cmp_pd_mask(gap, _mm512_setzero_pd(), _CMP_GT_OQ);
    return ~(apart | positive) & ((1u << count) - 1);
}

static uint32_t boxes(const struct bound_volume *parts, uint32_t count, const struct bound_volume *other,
                      double lo[BOUND_KERNEL_LANES])
{
    __m512d c[8], largest = _mm512_set1_pd(-INFINITY);
    load_columns(parts, count, 0, c);
    load_columns(parts, count, 4, c + 4);
    for (int axis = 0; axis < 3; axis++) {
        __m512d after = _mm512_sub_pd(_mm512_set1_pd(other->v[axis]), c[axis + 3]);
        __m512d before = _mm512_sub_pd(c[axis], _mm512_set1_pd(other->v[axis + 3]));
        largest = _mm512_max_pd(_mm512_max_pd(after, before), largest);
    }
    _mm512_storeu_pd(lo, down_lanes(largest)); /* which has the same sign */
    return ~(uint32_t)_mm512_cmp_pd_mask(largest, _mm512_setzero_pd(), _CMP_GT_OQ) & ((1u << count) - 1);
}

const struct bound_kernels bound_kernels_avx512 = {balls, boxes};

#endif
