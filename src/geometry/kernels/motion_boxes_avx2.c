/* Pairs of moving boxes four at a time. See motion_boxes.h. */
#include "geometry/kernels/motion_boxes.h"

#if defined(__x86_64__)

#include "geometry/kernels/double_lanes_avx2.h"

#include <stddef.h>

struct box_lanes {
    lanes centre[3], half_extent[3], radius, reach, turn[4], axes[9];
};

/* Four rows of four numbers become four columns. */
static inline void transpose(__m256d rows[4])
{
    __m256d a = _mm256_unpacklo_pd(rows[0], rows[1]), b = _mm256_unpackhi_pd(rows[0], rows[1]);
    __m256d c = _mm256_unpacklo_pd(rows[2], rows[3]), d = _mm256_unpackhi_pd(rows[2], rows[3]);
    rows[0] = _mm256_permute2f128_pd(a, c, 0x20);
    rows[1] = _mm256_permute2f128_pd(b, d, 0x20);
    rows[2] = _mm256_permute2f128_pd(a, c, 0x31);
    rows[3] = _mm256_permute2f128_pd(b, d, 0x31);
}

_Static_assert(offsetof(struct motion_volume, half_extent) == 3 * sizeof(double) &&
                   offsetof(struct motion_volume, radius) == 6 * sizeof(double) &&
                   offsetof(struct motion_volume, reach) == 7 * sizeof(double),
               "eight numbers in a row");

static inline struct box_lanes box_load(const struct motion_volume *const *volumes)
{
    struct box_lanes box;
    __m256d rows[4];
    for (int half = 0; half < 2; half++) {
        for (int lane = 0; lane < 4; lane++) {
            rows[lane] = _mm256_loadu_pd((const double *)(const void *)volumes[lane] + 4 * half);
        }
        transpose(rows);
        if (half == 0) {
            box.centre[0] = rows[0];
            box.centre[1] = rows[1];
            box.centre[2] = rows[2];
            box.half_extent[0] = rows[3];
        } else {
            box.half_extent[1] = rows[0];
            box.half_extent[2] = rows[1];
            box.radius = rows[2];
            box.reach = rows[3];
        }
    }
    for (int lane = 0; lane < 4; lane++) {
        rows[lane] = _mm256_cvtps_pd(_mm_loadu_ps(volumes[lane]->turn));
    }
    transpose(rows);
    for (int k = 0; k < 4; k++) {
        box.turn[k] = rows[k];
    }
    return box;
}

#include "geometry/kernels/motion_box_lanes.h"

static unsigned test_boxes(const struct motion_piece *piece, const struct motion_volume *const a[4],
                           const struct motion_volume *const b[4], const struct piece_window *window,
                           struct motion_box_result *result)
{
    lanes rest;
    struct window_lanes got = test_box_lanes(piece, a, b, window, &rest);
    _mm256_storeu_pd(result->first, got.first);
    _mm256_storeu_pd(result->last, got.last);
    _mm256_storeu_pd(result->rest, rest);
    result->soon = (unsigned)_mm256_movemask_pd(got.soon);
    return (unsigned)_mm256_movemask_pd(got.apart);
}

const struct motion_box_kernels motion_box_kernels_avx2 = {.test_boxes = test_boxes};

#else

/* A file must not be empty. */
typedef int motion_boxes_avx2_unused;

#endif
