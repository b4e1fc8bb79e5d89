/* Masks and stars, one lane, and the tables of directions. See curvature_kernels.h. */
#include "simd/lanes_scalar.h"

#include "structures/surface/kernels/curvature_leaf.h"

const int8_t curvature_axes[CURVATURE_AXES][3] = {{1, 0, 0},   {0, 1, 0},   {0, 0, 1}, {1, 1, 1},  {1, -1, -1},
                                                  {-1, 1, -1}, {-1, -1, 1}, {0, 1, 1}, {0, 1, -1}, {1, 0, 1},
                                                  {1, 0, -1},  {1, 1, 0},   {1, -1, 0}};

/* E x F is the direction itself; the opposite direction has them exchanged. */
const float curvature_bases[2 * CURVATURE_AXES][2][3] = {
    {{0, 1, 0}, {0, 0, 1}},  {{0, 0, 1}, {1, 0, 0}},  {{1, 0, 0}, {0, 1, 0}},  {{1, -1, 0}, {0, 1, -1}},
    {{0, 1, -1}, {1, 1, 0}}, {{0, 1, 1}, {1, 1, 0}},  {{1, -1, 0}, {0, 1, 1}}, {{1, 0, 0}, {0, 1, -1}},
    {{0, 1, 1}, {1, 0, 0}},  {{0, 1, 0}, {-1, 0, 1}}, {{0, 1, 0}, {1, 0, 1}},  {{0, 0, 1}, {1, -1, 0}},
    {{1, 1, 0}, {0, 0, 1}},

    {{0, 0, 1}, {0, 1, 0}},  {{1, 0, 0}, {0, 0, 1}},  {{0, 1, 0}, {1, 0, 0}},  {{0, 1, -1}, {1, -1, 0}},
    {{1, 1, 0}, {0, 1, -1}}, {{1, 1, 0}, {0, 1, 1}},  {{0, 1, 1}, {1, -1, 0}}, {{0, 1, -1}, {1, 0, 0}},
    {{1, 0, 0}, {0, 1, 1}},  {{-1, 0, 1}, {0, 1, 0}}, {{1, 0, 1}, {0, 1, 0}},  {{1, -1, 0}, {0, 0, 1}},
    {{0, 0, 1}, {1, 1, 0}},
};

const struct curvature_kernels curvature_kernels_scalar = CURVATURE_KERNELS_ROW;
