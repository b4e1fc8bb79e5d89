/* Copying positions, four vertices at a time: three registers, in each of which a lane belongs to one axis. */

#if defined(__x86_64__)

#include "bodies/copy_positions.h"
#include <immintrin.h>
#include <math.h>

bool copy_positions_avx2(const void *from, size_t vertex_count, double (*to)[3], double lo[3], double hi[3])
{
    const __m256d zero = _mm256_setzero_pd();
    __m256d least[3], most[3], bad = zero;
    const double *in = from;
    double *out = &to[0][0];
    size_t count = 3 * vertex_count, i = 0;
    for (int k = 0; k < 3; k++) {
        least[k] = _mm256_set1_pd(INFINITY);
        most[k] = _mm256_set1_pd(-INFINITY);
    }
    for (; i + 12 <= count; i += 12) {
        for (int k = 0; k < 3; k++) {
            __m256d x = _mm256_loadu_pd(in + i + 4 * k);
            _mm256_storeu_pd(out + i + 4 * k, x);
            least[k] = _mm256_min_pd(x, least[k]);
            most[k] = _mm256_max_pd(x, most[k]);
            bad = _mm256_or_pd(bad, _mm256_cmp_pd(_mm256_sub_pd(x, x), zero, _CMP_NEQ_UQ));
        }
    }
    double lows[12], highs[12];
    for (int k = 0; k < 3; k++) {
        _mm256_storeu_pd(lows + 4 * k, least[k]);
        _mm256_storeu_pd(highs + 4 * k, most[k]);
    }
    for (int k = 3; k < 12; k++) {
        lows[k % 3] = lows[k] < lows[k % 3] ? lows[k] : lows[k % 3];
        highs[k % 3] = highs[k] > highs[k % 3] ? highs[k] : highs[k % 3];
    }
    bool finite = _mm256_movemask_pd(bad) == 0;
    double last[9]; /* the rest, where it can be read by name */
    for (int k = 0; i + (size_t)k < count; k++) {
        __builtin_memcpy(&last[k], (const char *)from + (i + (size_t)k) * sizeof(double), sizeof(double));
        out[i + (size_t)k] = last[k];
        lows[k % 3] = last[k] < lows[k % 3] ? last[k] : lows[k % 3];
        highs[k % 3] = last[k] > highs[k % 3] ? last[k] : highs[k % 3];
        finite = finite && last[k] - last[k] == 0.0;
    }
    for (int axis = 0; axis < 3; axis++) {
        lo[axis] = lows[axis];
        hi[axis] = highs[axis];
    }
    return finite;
}

#endif
