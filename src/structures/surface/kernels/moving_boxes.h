/* Boxes at the beginning and at the end of a step, made and compared many at a time.
 *
 * Points move on straight lines, so on one axis "all of a above all of b" at both ends of the step holds all the time
 * between. Two moving boxes are apart when some axis separates them in the same sense at both ends; that includes all
 * pairs whose boxes over the whole step are apart. Coordinates may have gone through any map that keeps order: apart
 * from growing, numbers are only compared.
 */
#ifndef DENT_STRUCTURES_MOVING_BOXES_H
#define DENT_STRUCTURES_MOVING_BOXES_H

#include <dent/base.h>

#include "simd/kernel_choice.h"
#include "structures/surface/kernels/surface_kernels.h"

/* Rows of `stride` floats (a multiple of 16): low x, y, z at the beginning, high x, y, z at the beginning, then the
 * same at the end. Places from `count` on hold empty boxes: low infinite, high -infinite. */
struct moving_boxes {
    const float *rows;
    uint32_t stride, count;
};

enum { MOVING_BOX_ROWS = 12, MOVING_EDGES = 48 };

/* The boxes of a leaf of the surface forest: of its vertices, faces and edges, and one of all. */
struct moving_leaf_boxes {
    _Alignas(64) float vertices[MOVING_BOX_ROWS][LEAF_VERTICES]; /* unused places repeat the first vertex */
    float faces[MOVING_BOX_ROWS][LEAF_FACES];
    float edges[MOVING_BOX_ROWS][MOVING_EDGES];
    float whole[MOVING_BOX_ROWS][16]; /* in the first slot; the others are empty */
};

/* Which vertices make the faces and edges, as slots in the leaf. */
struct moving_leaf_shape {
    const uint8_t (*corners)[LEAF_FACES];     /* three rows; unused places hold any place */
    const uint8_t (*edge_ends)[MOVING_EDGES]; /* two rows; the same */
    uint32_t face_count, edge_count;
};

struct moving_box_kernels {
    /* For each set bit i of wanted, lowest first: which boxes of b are not apart from box i of a, as bits, into the
     * next of masks. */
    void (*meet)(const struct moving_boxes *a, uint64_t wanted, const struct moving_boxes *b, uint64_t *masks);
    /* Makes the boxes of a leaf, grown on every side, at the beginning and at the end by different amounts. */
    void (*bound)(const struct moving_leaf_shape *shape, const struct leaf_points *start, const struct leaf_points *end,
                  float grow_start, float grow_end, struct moving_leaf_boxes *boxes);
};

extern const struct moving_box_kernels moving_box_kernels_scalar;
#if defined(__x86_64__)
extern const struct moving_box_kernels moving_box_kernels_avx2;
extern const struct moving_box_kernels moving_box_kernels_avx512;
#endif

static inline const struct moving_box_kernels *moving_box_kernels_for(dent_isa isa)
{
    return KERNELS_FOR(isa, moving_box_kernels_scalar, moving_box_kernels_avx2, moving_box_kernels_avx512);
}

#endif
