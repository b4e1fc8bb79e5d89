/* Copying positions, eight vertices at a time: three registers, in each of which a lane belongs to one axis; the last
 * ones under a mask. */

#if defined(__x86_64__)

#include "bodies/copy_positions.h"
#include <immintrin.h>
#include <math.h>

enum { NOT_FINITE = 0x99 }; /* quiet NaN, +infinity, -infinity, signalling NaN */

/* Lane i of register k belongs to axis (8 k + i) % 3. Brings all lanes of the second and third under those of the first
 * with their axis (every lane at least once), then the lanes 3 to 7 under 0, 1, 2, which hold the bounds in the end. */
#define FOLD_AXES(name, operation)                                                                                     \
    static inline void name(const __m512d registers[3], double bounds[3])                                              \
    {                                                                                                                  \
        const __m512i second = _mm512_setr_epi64(1, 2, 0, 4, 5, 3, 7, 5);                                              \
        const __m512i third = _mm512_setr_epi64(2, 0, 1, 5, 3, 4, 2, 6);                                               \
        const __m512i left_over = _mm512_setr_epi64(1, 2, 6, 1, 2, 15, 1, 2);                                          \
        __m512d a = operation(registers[0], _mm512_permutexvar_pd(second, registers[1]));                              \
        __m512d b = operation(_mm512_permutexvar_pd(third, registers[2]),                                              \
                              _mm512_permutex2var_pd(registers[1], left_over, registers[2]));                          \
        a = operation(a, b);                                                                                           \
        a = operation(a, _mm512_permutexvar_pd(_mm512_setr_epi64(3, 4, 5, 3, 4, 5, 6, 7), a));                         \
        a = operation(a, _mm512_permutexvar_pd(_mm512_setr_epi64(6, 7, 2, 3, 4, 5, 6, 7), a));                         \
        /* not under a mask: what is stored so cannot be loaded again at once */                                       \
        _mm_storeu_pd(bounds, _mm512_castpd512_pd128(a));                                                              \
        _mm_store_sd(bounds + 2, _mm512_extractf64x2_pd(a, 1));                                                        \
    }

FOLD_AXES(fold_least, _mm512_min_pd)
FOLD_AXES(fold_most, _mm512_max_pd)

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
    fold_least(least, lo);
    fold_most(most, hi);
    return bad == 0;
}

#endif
