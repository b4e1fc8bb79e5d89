/* Four vertices at a time: load, centre, scale, round, and turn rows into columns. Included by the x86 rows of the
 * cluster kernels. */

static inline __m128 load_rounded(const double *from, __m256d centre, __m256d scale)
{
    return _mm256_cvtpd_ps(_mm256_mul_pd(_mm256_sub_pd(_mm256_loadu_pd(from), centre), scale));
}

static void load_points(const struct cluster *cluster, const double (*xyz)[3], const double centre[3], double scale,
                        struct cluster_points *points)
{
    const __m256d middle = _mm256_setr_pd(centre[0], centre[1], centre[2], 0.0);
    const __m256d factor = _mm256_setr_pd(scale, scale, scale, 0.0);
    const uint32_t *vertices = cluster->vertices;
    int i = 0;
    for (; i < cluster->vertex_count; i += 4) {
        __m128 a = load_rounded(xyz[vertices[i]], middle, factor),
               b = load_rounded(xyz[vertices[i + 1]], middle, factor);
        __m128 c = load_rounded(xyz[vertices[i + 2]], middle, factor),
               d = load_rounded(xyz[vertices[i + 3]], middle, factor);
        __m128 ab = _mm_unpacklo_ps(a, b), cd = _mm_unpacklo_ps(c, d);
        _mm_store_ps(&points->x[0][i], _mm_movelh_ps(ab, cd));
        _mm_store_ps(&points->x[1][i], _mm_movehl_ps(cd, ab));
        _mm_store_ps(&points->x[2][i], _mm_movelh_ps(_mm_unpackhi_ps(a, b), _mm_unpackhi_ps(c, d)));
    }
    for (; i < CLUSTER_VERTICES; i += 4) {
        _mm_store_ps(&points->x[0][i], _mm_set1_ps(points->x[0][0]));
        _mm_store_ps(&points->x[1][i], _mm_set1_ps(points->x[1][0]));
        _mm_store_ps(&points->x[2][i], _mm_set1_ps(points->x[2][0]));
    }
}
