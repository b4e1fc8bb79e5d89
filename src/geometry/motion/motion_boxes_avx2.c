/* Pairs of moving boxes four at a time. See motion_boxes.h. */
#include "geometry/motion/motion_boxes.h"

#if defined(__x86_64__)

#include "simd/double_lanes_avx2.h"

#include <stddef.h>

static inline bool mask_all(lane_mask mask)
{
    return _mm256_movemask_pd(mask) == 15;
}

#include "geometry/motion/motion_box_lanes.h"

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

/* Four volumes, one a lane. */
static inline struct box_lanes box_load(const struct motion_volume *const volumes[4])
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
    axes_lanes(rows, box.axes);
    return box;
}

/* The lanes 0 1 0 1, and 2 2 3 3. */
#define PICK_A 0x44
#define PICK_B 0xfa
#define PICK_LANES(box, order, result)                                                                                 \
    do {                                                                                                               \
        for (int k = 0; k < 3; k++) {                                                                                  \
            (result)->centre[k] = _mm256_permute4x64_pd((box)->centre[k], order);                                      \
            (result)->half_extent[k] = _mm256_permute4x64_pd((box)->half_extent[k], order);                            \
        }                                                                                                              \
        for (int k = 0; k < 9; k++) {                                                                                  \
            (result)->axes[k] = _mm256_permute4x64_pd((box)->axes[k], order);                                          \
        }                                                                                                              \
        (result)->radius = _mm256_permute4x64_pd((box)->radius, order);                                                \
        (result)->reach = _mm256_permute4x64_pd((box)->reach, order);                                                  \
    } while (0)

static unsigned test_boxes(const struct motion_piece *piece, const struct motion_volume a[2],
                           const struct motion_volume b[2], const struct piece_window *window,
                           struct motion_box_result *result)
{
    const struct motion_volume *const volumes[4] = {&a[0], &a[1], &b[0], &b[1]};
    struct box_lanes four = box_load(volumes), boxes_a, boxes_b;
    PICK_LANES(&four, PICK_A, &boxes_a);
    PICK_LANES(&four, PICK_B, &boxes_b);
    lanes rest;
    struct window_lanes got = test_box_lanes(piece, &boxes_a, &boxes_b, window, &rest);
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
