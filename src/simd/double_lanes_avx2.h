/* Four doubles at a time, by names: what the AVX2 kernels on doubles share. Only for files with that flag. */
#ifndef DENT_SIMD_DOUBLE_LANES_AVX2_H
#define DENT_SIMD_DOUBLE_LANES_AVX2_H

#include <immintrin.h>

typedef __m256d lanes;
typedef __m256d lane_mask;

static inline lanes lanes_set(double a)
{
    return _mm256_set1_pd(a);
}
static inline lanes lanes_add(lanes a, lanes b)
{
    return _mm256_add_pd(a, b);
}
static inline lanes lanes_subtract(lanes a, lanes b)
{
    return _mm256_sub_pd(a, b);
}
static inline lanes lanes_multiply(lanes a, lanes b)
{
    return _mm256_mul_pd(a, b);
}
static inline lanes lanes_divide(lanes a, lanes b)
{
    return _mm256_div_pd(a, b);
}
static inline lanes lanes_least(lanes a, lanes b)
{
    return _mm256_min_pd(a, b);
}
static inline lanes lanes_most(lanes a, lanes b)
{
    return _mm256_max_pd(a, b);
}
static inline lanes lanes_absolute(lanes a)
{
    return _mm256_andnot_pd(_mm256_set1_pd(-0.0), a);
}
static inline lane_mask lanes_less(lanes a, lanes b)
{
    return _mm256_cmp_pd(a, b, _CMP_LT_OQ);
}
static inline lanes lanes_choose(lane_mask mask, lanes a, lanes b)
{
    return _mm256_blendv_pd(b, a, mask);
}
static inline lane_mask mask_or(lane_mask a, lane_mask b)
{
    return _mm256_or_pd(a, b);
}

#endif
