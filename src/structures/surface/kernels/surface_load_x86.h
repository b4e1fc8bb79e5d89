/* Four vertices at a time: load, centre, scale, round, and turn rows into columns. Included by the x86 rows of the
 * surface kernels. */

static inline __m128 load_rounded(const double *from, __m256d centre, __m256d first, __m256d second)
{
    return _mm256_cvtpd_ps(_mm256_mul_pd(_mm256_mul_pd(_mm256_sub_pd(_mm256_loadu_pd(from), centre), first), second));
}

static void load_points(const uint32_t vertices[LEAF_VERTICES], const double (*xyz)[3], const struct forest_map *map,
                        struct leaf_points *points)
{
    /* The fourth number of a load belongs to the next vertex: times zero, it may become NaN and is not stored. */
    const __m256d centre = _mm256_setr_pd(map->centre[0], map->centre[1], map->centre[2], 0.0);
    const __m256d first = _mm256_setr_pd(map->first, map->first, map->first, 0.0);
    const __m256d second = _mm256_setr_pd(map->second, map->second, map->second, 0.0);
    for (int i = 0; i < LEAF_VERTICES; i += 4) {
        __m128 a = load_rounded(xyz[vertices[i]], centre, first, second),
               b = load_rounded(xyz[vertices[i + 1]], centre, first, second);
        __m128 c = load_rounded(xyz[vertices[i + 2]], centre, first, second),
               d = load_rounded(xyz[vertices[i + 3]], centre, first, second);
        __m128 ab = _mm_unpacklo_ps(a, b), cd = _mm_unpacklo_ps(c, d);
        _mm_store_ps(&points->x[0][i], _mm_movelh_ps(ab, cd));
        _mm_store_ps(&points->x[1][i], _mm_movehl_ps(cd, ab));
        _mm_store_ps(&points->x[2][i], _mm_movelh_ps(_mm_unpackhi_ps(a, b), _mm_unpackhi_ps(c, d)));
    }
}
