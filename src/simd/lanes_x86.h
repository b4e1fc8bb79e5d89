/* What AVX2 and AVX-512 do alike. Included by their lanes. */
#ifndef DENT_SIMD_LANES_X86_H
#define DENT_SIMD_LANES_X86_H

/* x -> float((x - centre) * first * second), axis by axis. */
struct row_rounding {
    __m256d centre, first, second;
};

/* The fourth number of a row belongs to something else: times zero, it may become NaN, and is not stored. A second factor
 * of 1 costs nothing: the compiler sees that it is 1 in all lanes. */
static inline struct row_rounding row_rounding_of(const double centre[3], double first, double second)
{
    return (struct row_rounding){_mm256_setr_pd(centre[0], centre[1], centre[2], 0.0),
                                 _mm256_setr_pd(first, first, first, 0.0), _mm256_set1_pd(second)};
}

static inline __m128 round_row(const struct row_rounding *map, const double *row)
{
    __m256d from_centre = _mm256_sub_pd(_mm256_loadu_pd(row), map->centre);
    return _mm256_cvtpd_ps(_mm256_mul_pd(_mm256_mul_pd(from_centre, map->first), map->second));
}

/* Four points become four numbers of each column; x, y, z are aligned to 16 bytes. Reads the double behind each point. */
static inline void round_four_rows(const struct row_rounding *map, const double *a, const double *b, const double *c,
                                   const double *d, float *x, float *y, float *z)
{
    __m128 p = round_row(map, a), q = round_row(map, b), r = round_row(map, c), s = round_row(map, d);
    __m128 pq = _mm_unpacklo_ps(p, q), rs = _mm_unpacklo_ps(r, s);
    _mm_store_ps(x, _mm_movelh_ps(pq, rs));
    _mm_store_ps(y, _mm_movehl_ps(rs, pq));
    _mm_store_ps(z, _mm_movelh_ps(_mm_unpackhi_ps(p, q), _mm_unpackhi_ps(r, s)));
}

/* Four rows of four numbers of 32 bits, turned into columns. */
static inline void turn_four_rows(const float *a, const float *b, const float *c, const float *d, float *x, float *y,
                                  float *z, float *w)
{
    __m128 first = _mm_loadu_ps(a), second = _mm_loadu_ps(b), third = _mm_loadu_ps(c), fourth = _mm_loadu_ps(d);
    _MM_TRANSPOSE4_PS(first, second, third, fourth);
    _mm_store_ps(x, first);
    _mm_store_ps(y, second);
    _mm_store_ps(z, third);
    _mm_store_ps(w, fourth);
}

#endif
