/* Stage 0 of the impact test, four candidates at a time. See impact_kernels.h. */
#include "geometry/impact/impact_kernels.h"

#if defined(__x86_64__)

#include "simd/double_lanes_avx2.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

enum { LANES = 4 };

static inline lane_mask mask_and(lane_mask a, lane_mask b)
{
    return _mm256_and_pd(a, b);
}

#include "geometry/impact/impact_lanes.h"

static inline uint32_t mask_bits(lane_mask mask)
{
    return (uint32_t)_mm256_movemask_pd(mask);
}

/* Four records of (x y z -) at one end become columns. */
static inline void turn(const double *r0, const double *r1, const double *r2, const double *r3, lanes columns[3])
{
    __m256d a = _mm256_load_pd(r0), b = _mm256_load_pd(r1), c = _mm256_load_pd(r2), d = _mm256_load_pd(r3);
    __m256d ab_even = _mm256_unpacklo_pd(a, b), cd_even = _mm256_unpacklo_pd(c, d);
    __m256d ab_odd = _mm256_unpackhi_pd(a, b), cd_odd = _mm256_unpackhi_pd(c, d);
    columns[0] = _mm256_permute2f128_pd(ab_even, cd_even, 0x20);
    columns[1] = _mm256_permute2f128_pd(ab_odd, cd_odd, 0x20);
    columns[2] = _mm256_permute2f128_pd(ab_even, cd_even, 0x31);
}

static inline void lanes_fetch(struct lane_corners *points, const struct impact_vertex *vertices,
                               const uint32_t *const of_lane[LANES])
{
    for (int corner = 0; corner < 4; corner++) {
        const struct impact_vertex *r0 = &vertices[of_lane[0][corner]], *r1 = &vertices[of_lane[1][corner]];
        const struct impact_vertex *r2 = &vertices[of_lane[2][corner]], *r3 = &vertices[of_lane[3][corner]];
        turn(r0->start, r1->start, r2->start, r3->start, points->at[corner][0]);
        turn(r0->end, r1->end, r2->end, r3->end, points->at[corner][1]);
    }
}

static inline uint32_t lanes_keep(uint32_t *to, const uint32_t *numbers, uint32_t bits)
{
    uint32_t kept = 0;
    for (int lane = 0; lane < LANES; lane++) {
        to[kept] = numbers[lane];
        kept += bits >> lane & 1;
    }
    return kept;
}

const struct impact_kernels impact_kernels_avx2 = IMPACT_KERNELS_ROW;

#endif
