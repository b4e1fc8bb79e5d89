/* Moving boxes, sixteen at a time; corners of faces and ends of edges are picked from a register. See moving_boxes.h.
 */
#include "structures/surface/kernels/moving_boxes.h"

#if defined(__x86_64__)

#include <immintrin.h>
#include <math.h>

static inline __mmask16 apart_on_axis(const float *x, uint32_t stride_x, const float *y, uint32_t stride_y,
                                      uint32_t axis)
{
    __m512 low_0 = _mm512_set1_ps(x[axis * stride_x]), high_0 = _mm512_set1_ps(x[(3 + axis) * stride_x]);
    __m512 low_1 = _mm512_set1_ps(x[(6 + axis) * stride_x]), high_1 = _mm512_set1_ps(x[(9 + axis) * stride_x]);
    __mmask16 above = _mm512_cmp_ps_mask(low_0, _mm512_load_ps(y + (3 + axis) * stride_y), _CMP_GT_OQ);
    __mmask16 below = _mm512_cmp_ps_mask(_mm512_load_ps(y + axis * stride_y), high_0, _CMP_GT_OQ);
    above = _mm512_mask_cmp_ps_mask(above, low_1, _mm512_load_ps(y + (9 + axis) * stride_y), _CMP_GT_OQ);
    below = _mm512_mask_cmp_ps_mask(below, _mm512_load_ps(y + (6 + axis) * stride_y), high_1, _CMP_GT_OQ);
    return above | below;
}

static void meet(const struct moving_boxes *a, uint64_t wanted, const struct moving_boxes *b, uint64_t *masks)
{
    for (; wanted; wanted &= wanted - 1) {
        const float *x = a->rows + __builtin_ctzll(wanted);
        uint64_t mask = 0;
        for (uint32_t first = 0; first < b->count; first += 16) {
            const float *y = b->rows + first;
            uint32_t apart =
                (uint32_t)(apart_on_axis(x, a->stride, y, b->stride, 0) | apart_on_axis(x, a->stride, y, b->stride, 1) |
                           apart_on_axis(x, a->stride, y, b->stride, 2));
            mask |= (uint64_t)(~apart & 0xFFFF) << first;
        }
        *masks++ = mask;
    }
}

static inline __m512i slots(const uint8_t *bytes)
{
    return _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)(const void *)bytes));
}

static inline __mmask16 used_lanes(uint32_t count)
{
    return count >= 16 ? (__mmask16)0xFFFF : (__mmask16)((1u << count) - 1);
}

static void bound(const struct moving_leaf_shape *shape, const struct leaf_points *start, const struct leaf_points *end,
                  float grow_start, float grow_end, struct moving_leaf_boxes *boxes)
{
    const __m512 infinite = _mm512_set1_ps(INFINITY), minus_infinite = _mm512_set1_ps(-INFINITY);
    const __m512i p = slots(shape->corners[0]), q = slots(shape->corners[1]), r = slots(shape->corners[2]);
    const __mmask16 faces = used_lanes(shape->face_count);
    __m512i from[3], to[3];
    __mmask16 edges[3];
    for (uint32_t i = 0; i < 3; i++) {
        from[i] = slots(shape->edge_ends[0] + 16 * i);
        to[i] = slots(shape->edge_ends[1] + 16 * i);
        edges[i] = used_lanes(shape->edge_count > 16 * i ? shape->edge_count - 16 * i : 0);
    }
    for (uint32_t row = 0; row < MOVING_BOX_ROWS; row = row == 2 ? 6 : row == 8 ? 12 : row + 1) {
        const __m512 x = _mm512_load_ps(row < 6 ? start->x[row] : end->x[row - 6]);
        const __m512 grow = _mm512_set1_ps(row < 6 ? grow_start : grow_end);
        const __m512 low = _mm512_sub_ps(x, grow), high = _mm512_add_ps(x, grow);
        _mm512_store_ps(boxes->vertices[row], low);
        _mm512_store_ps(boxes->vertices[row + 3], high);
        __m512 face_low = _mm512_min_ps(_mm512_min_ps(_mm512_permutexvar_ps(p, low), _mm512_permutexvar_ps(q, low)),
                                        _mm512_permutexvar_ps(r, low));
        __m512 face_high = _mm512_max_ps(_mm512_max_ps(_mm512_permutexvar_ps(p, high), _mm512_permutexvar_ps(q, high)),
                                         _mm512_permutexvar_ps(r, high));
        _mm512_store_ps(boxes->faces[row], _mm512_mask_blend_ps(faces, infinite, face_low));
        _mm512_store_ps(boxes->faces[row + 3], _mm512_mask_blend_ps(faces, minus_infinite, face_high));
        for (uint32_t i = 0; i < 3; i++) {
            __m512 edge_low = _mm512_min_ps(_mm512_permutexvar_ps(from[i], low), _mm512_permutexvar_ps(to[i], low));
            __m512 edge_high = _mm512_max_ps(_mm512_permutexvar_ps(from[i], high), _mm512_permutexvar_ps(to[i], high));
            _mm512_store_ps(boxes->edges[row] + 16 * i, _mm512_mask_blend_ps(edges[i], infinite, edge_low));
            _mm512_store_ps(boxes->edges[row + 3] + 16 * i, _mm512_mask_blend_ps(edges[i], minus_infinite, edge_high));
        }
        _mm512_store_ps(boxes->whole[row],
                        _mm512_mask_blend_ps(1, infinite, _mm512_set1_ps(_mm512_reduce_min_ps(low))));
        _mm512_store_ps(boxes->whole[row + 3],
                        _mm512_mask_blend_ps(1, minus_infinite, _mm512_set1_ps(_mm512_reduce_max_ps(high))));
    }
}

const struct moving_box_kernels moving_box_kernels_avx512 = {meet, bound};

#endif
