/* Copying positions, eight vertices at a time: three registers, in each of which a lane belongs to one axis; the last
 * ones under a mask. */
#include "geometry/kernels/kernel_table.h"

#if defined(__x86_64__)

#include <immintrin.h>
#include <math.h>

enum { NOT_FINITE = 0x99 }; /* quiet NaN, +infinity, -infinity, signalling NaN */

bool copy_positions_avx512(const void *from, size_t vertex_count, double (*to)[3], double lo[3], double hi[3])
{
    __m512d least[3], most[3];
    __mmask8 bad = 0;
    const double *in = from;
    double *out = &to[0][0];
    size_t count = 3 * vertex_count;
    for (int k = 0; k < 3; k++) {
        least[k] = _mm512_set1_pd(INFINITY);
        most[k] = _mm512_set1_pd(-INFINITY);
    }
    size_t i = 0;
    for (; i + 24 <= count; i += 24) {
        for (int k = 0; k < 3; k++) {
            __m512d x = _mm512_loadu_pd(in + i + 8 * k);
            _mm512_storeu_pd(out + i + 8 * k, x);
            least[k] = _mm512_min_pd(x, least[k]);
            most[k] = _mm512_max_pd(x, most[k]);
            bad |= _mm512_fpclass_pd_mask(x, NOT_FINITE);
        }
    }
    for (int k = 0; i + 8 * (size_t)k < count; k++) {
        size_t left = count - i - 8 * (size_t)k;
        __mmask8 lanes = left >= 8 ? (__mmask8)0xFF : (__mmask8)((1u << left) - 1);
        __m512d x = _mm512_maskz_loadu_pd(lanes, in + i + 8 * k);
        _mm512_mask_storeu_pd(out + i + 8 * k, lanes, x);
        least[k] = _mm512_mask_min_pd(least[k], lanes, x, least[k]);
        most[k] = _mm512_mask_max_pd(most[k], lanes, x, most[k]);
        bad |= _mm512_fpclass_pd_mask(x, NOT_FINITE);
    }
    double lows[24], highs[24];
    for (int k = 0; k < 3; k++) {
        _mm512_storeu_pd(lows + 8 * k, least[k]);
        _mm512_storeu_pd(highs + 8 * k, most[k]);
    }
    for (int k = 3; k < 24; k++) {
        lows[k % 3] = lows[k] < lows[k % 3] ? lows[k] : lows[k % 3];
        highs[k % 3] = highs[k] > highs[k % 3] ? highs[k] : highs[k % 3];
    }
    for (int axis = 0; axis < 3; axis++) {
        lo[axis] = lows[axis];
        hi[axis] = highs[axis];
    }
    return bad == 0;
}

#endif
