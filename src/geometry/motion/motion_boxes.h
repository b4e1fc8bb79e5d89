/* Four pairs of oriented boxes at once, each over the same piece of time: the 15-axis test of motion_volumes.h for two
 * and two children of two nodes. The same numbers in the same order on every instruction set; spheres are only tested
 * against the length of the sweep, so the answer may differ from volumes_apart by being more cautious.
 */
#ifndef DENT_GEOMETRY_MOTION_BOXES_H
#define DENT_GEOMETRY_MOTION_BOXES_H

#include "simd/kernel_choice.h"
#include "geometry/motion/motion_volumes.h"

struct motion_box_result {
    double first[4], last[4]; /* the windows, of pairs that are not apart */
    double rest[4];           /* as in placed_volume */
    unsigned soon;            /* bits, as in piece_window; of pairs that are not apart */
};

struct motion_box_kernels {
    /* Bit i: a[i % 2] and b[i / 2] stay apart during the window. */
    unsigned (*test_boxes)(const struct motion_piece *piece, const struct motion_volume a[2],
                           const struct motion_volume b[2], const struct piece_window *window,
                           struct motion_box_result *result);
};

extern const struct motion_box_kernels motion_box_kernels_scalar;
#if defined(__x86_64__)
extern const struct motion_box_kernels motion_box_kernels_avx2;
#endif

static inline const struct motion_box_kernels *motion_box_kernels_for(dent_isa isa)
{
    return KERNELS_FOR(isa, motion_box_kernels_scalar, motion_box_kernels_avx2, motion_box_kernels_avx2);
}

#endif
