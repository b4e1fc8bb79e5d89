/* Moving boxes, eight at a time; corners of faces and ends of edges are picked from two registers. See moving_boxes.h.
 */
#include "structures/surface/kernels/moving_boxes.h"

#if defined(__x86_64__)

#include <immintrin.h>
#include <math.h>

static inline __m256 apart_on_axis(const float *x, uint32_t stride_x, const float *y, uint32_t stride_y, uint32_t axis)
{
    __m256 low_0 = _mm256_set1_ps(x[axis * stride_x]), high_0 = _mm256_set1_ps(x[(3 + axis) * stride_x]);
    __m256 low_1 = _mm256_set1_ps(x[(6 + axis) * stride_x]), high_1 = _mm256_set1_ps(x[(9 + axis) * stride_x]);
    __m256 above = _mm256_and_ps(_mm256_cmp_ps(low_0, _mm256_load_ps(y + (3 + axis) * stride_y), _CMP_GT_OQ),
                                 _mm256_cmp_ps(low_1, _mm256_load_ps(y + (9 + axis) * stride_y), _CMP_GT_OQ));
    __m256 below = _mm256_and_ps(_mm256_cmp_ps(_mm256_load_ps(y + axis * stride_y), high_0, _CMP_GT_OQ),
                                 _mm256_cmp_ps(_mm256_load_ps(y + (6 + axis) * stride_y), high_1, _CMP_GT_OQ));
    return _mm256_or_ps(above, below);
}

static void meet(const struct moving_boxes *a, uint64_t wanted, const struct moving_boxes *b, uint64_t *masks)
{
    for (; wanted; wanted &= wanted - 1) {
        const float *x = a->rows + __builtin_ctzll(wanted);
        uint64_t mask = 0;
        for (uint32_t first = 0; first < b->count; first += 8) {
            const float *y = b->rows + first;
            __m256 apart = _mm256_or_ps(_mm256_or_ps(apart_on_axis(x, a->stride, y, b->stride, 0),
                                                     apart_on_axis(x, a->stride, y, b->stride, 1)),
                                        apart_on_axis(x, a->stride, y, b->stride, 2));
            mask |= (uint64_t)(~(uint32_t)_mm256_movemask_ps(apart) & 0xFF) << first;
        }
        *masks++ = mask;
    }
}

static inline __m256i slots(const uint8_t *bytes)
{
    return _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)bytes));
}

/* Lanes of the sixteen floats in two registers; bit 3 of the slot chooses the register. */
static inline __m256 pick(__m256 x0, __m256 x1, __m256i slot)
{
    __m256 upper = _mm256_castsi256_ps(_mm256_slli_epi32(slot, 28));
    return _mm256_blendv_ps(_mm256_permutevar8x32_ps(x0, slot), _mm256_permutevar8x32_ps(x1, slot), upper);
}

static inline __m256 used_lanes(uint32_t count)
{
    const __m256i ramp = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm256_castsi256_ps(_mm256_cmpgt_epi32(_mm256_set1_epi32((int)count), ramp));
}

static inline uint32_t beyond(uint32_t count, uint32_t first)
{
    return count > first ? count - first : 0;
}

static float smallest(__m256 x)
{
    __m128 half = _mm_min_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    half = _mm_min_ps(half, _mm_movehl_ps(half, half));
    return _mm_cvtss_f32(_mm_min_ss(half, _mm_shuffle_ps(half, half, 1)));
}

static float largest(__m256 x)
{
    __m128 half = _mm_max_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    half = _mm_max_ps(half, _mm_movehl_ps(half, half));
    return _mm_cvtss_f32(_mm_max_ss(half, _mm_shuffle_ps(half, half, 1)));
}

/* One axis at one end of the step. */
static void bound_axis(const struct moving_leaf_shape *shape, const float *x, float grow_by, uint32_t row,
                       struct moving_leaf_boxes *boxes)
{
    const __m256 infinite = _mm256_set1_ps(INFINITY), minus_infinite = _mm256_set1_ps(-INFINITY),
                 grow = _mm256_set1_ps(grow_by);
    const __m256 x0 = _mm256_load_ps(x), x1 = _mm256_load_ps(x + 8);
    const __m256 low0 = _mm256_sub_ps(x0, grow), low1 = _mm256_sub_ps(x1, grow);
    const __m256 high0 = _mm256_add_ps(x0, grow), high1 = _mm256_add_ps(x1, grow);
    _mm256_store_ps(boxes->vertices[row], low0);
    _mm256_store_ps(boxes->vertices[row] + 8, low1);
    _mm256_store_ps(boxes->vertices[row + 3], high0);
    _mm256_store_ps(boxes->vertices[row + 3] + 8, high1);
    for (uint32_t i = 0; i < LEAF_FACES; i += 8) {
        __m256i p = slots(shape->corners[0] + i), q = slots(shape->corners[1] + i), r = slots(shape->corners[2] + i);
        __m256 low = _mm256_min_ps(_mm256_min_ps(pick(low0, low1, p), pick(low0, low1, q)), pick(low0, low1, r));
        __m256 high = _mm256_max_ps(_mm256_max_ps(pick(high0, high1, p), pick(high0, high1, q)), pick(high0, high1, r));
        __m256 used = used_lanes(beyond(shape->face_count, i));
        _mm256_store_ps(boxes->faces[row] + i, _mm256_blendv_ps(infinite, low, used));
        _mm256_store_ps(boxes->faces[row + 3] + i, _mm256_blendv_ps(minus_infinite, high, used));
    }
    for (uint32_t i = 0; i < MOVING_EDGES; i += 8) {
        __m256i from = slots(shape->edge_ends[0] + i), to = slots(shape->edge_ends[1] + i);
        __m256 low = _mm256_min_ps(pick(low0, low1, from), pick(low0, low1, to));
        __m256 high = _mm256_max_ps(pick(high0, high1, from), pick(high0, high1, to));
        __m256 used = used_lanes(beyond(shape->edge_count, i));
        _mm256_store_ps(boxes->edges[row] + i, _mm256_blendv_ps(infinite, low, used));
        _mm256_store_ps(boxes->edges[row + 3] + i, _mm256_blendv_ps(minus_infinite, high, used));
    }
    _mm256_store_ps(boxes->whole[row], infinite);
    _mm256_store_ps(boxes->whole[row] + 8, infinite);
    _mm256_store_ps(boxes->whole[row + 3], minus_infinite);
    _mm256_store_ps(boxes->whole[row + 3] + 8, minus_infinite);
    boxes->whole[row][0] = smallest(_mm256_min_ps(low0, low1));
    boxes->whole[row + 3][0] = largest(_mm256_max_ps(high0, high1));
}

static void bound(const struct moving_leaf_shape *shape, const struct leaf_points *start, const struct leaf_points *end,
                  float grow_start, float grow_end, struct moving_leaf_boxes *boxes)
{
    for (uint32_t axis = 0; axis < 3; axis++) {
        bound_axis(shape, start->x[axis], grow_start, axis, boxes);
        bound_axis(shape, end->x[axis], grow_end, 6 + axis, boxes);
    }
}

const struct moving_box_kernels moving_box_kernels_avx2 = {meet, bound};

#endif
