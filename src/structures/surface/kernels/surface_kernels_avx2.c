/* The leaves of the surface forest, two times eight lanes. */
#include "structures/surface/kernels/surface_kernels.h"

#if defined(__x86_64__)

#include <immintrin.h>

typedef struct wide_t {
    __m256 a, b;
} wide_t;
typedef struct wide_index {
    __m256i slot_a, slot_b;
    __m256 upper_a, upper_b; /* sign bits: in the upper half of the table */
} wide_index;
typedef struct octet_t {
    __m256d a, b;
} octet_t;

static inline wide_t wide_add(wide_t x, wide_t y)
{
    return (wide_t){_mm256_add_ps(x.a, y.a), _mm256_add_ps(x.b, y.b)};
}
static inline octet_t octet_add(octet_t x, octet_t y)
{
    return (octet_t){_mm256_add_pd(x.a, y.a), _mm256_add_pd(x.b, y.b)};
}
static inline wide_t wide_subtract(wide_t x, wide_t y)
{
    return (wide_t){_mm256_sub_ps(x.a, y.a), _mm256_sub_ps(x.b, y.b)};
}
static inline octet_t octet_subtract(octet_t x, octet_t y)
{
    return (octet_t){_mm256_sub_pd(x.a, y.a), _mm256_sub_pd(x.b, y.b)};
}
static inline wide_t wide_multiply(wide_t x, wide_t y)
{
    return (wide_t){_mm256_mul_ps(x.a, y.a), _mm256_mul_ps(x.b, y.b)};
}
static inline octet_t octet_multiply(octet_t x, octet_t y)
{
    return (octet_t){_mm256_mul_pd(x.a, y.a), _mm256_mul_pd(x.b, y.b)};
}
static inline wide_t wide_least(wide_t x, wide_t y)
{
    return (wide_t){_mm256_min_ps(x.a, y.a), _mm256_min_ps(x.b, y.b)};
}
static inline octet_t octet_least(octet_t x, octet_t y)
{
    return (octet_t){_mm256_min_pd(x.a, y.a), _mm256_min_pd(x.b, y.b)};
}
static inline wide_t wide_most(wide_t x, wide_t y)
{
    return (wide_t){_mm256_max_ps(x.a, y.a), _mm256_max_ps(x.b, y.b)};
}
static inline octet_t octet_most(octet_t x, octet_t y)
{
    return (octet_t){_mm256_max_pd(x.a, y.a), _mm256_max_pd(x.b, y.b)};
}
static inline wide_t wide_load(const float *from)
{
    return (wide_t){_mm256_load_ps(from), _mm256_load_ps(from + 8)};
}
static inline void wide_store(float *to, wide_t x)
{
    _mm256_store_ps(to, x.a);
    _mm256_store_ps(to + 8, x.b);
}
static inline wide_t wide_set(float x)
{
    return (wide_t){_mm256_set1_ps(x), _mm256_set1_ps(x)};
}
static inline __m256 eight_lanes_of_bits(uint32_t bits)
{
    const __m256i slots = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    return _mm256_castsi256_ps(_mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32((int)bits), slots), slots));
}
static inline wide_t wide_choose(uint32_t bits, wide_t x, wide_t y)
{
    return (wide_t){_mm256_blendv_ps(y.a, x.a, eight_lanes_of_bits(bits)),
                    _mm256_blendv_ps(y.b, x.b, eight_lanes_of_bits(bits >> 8))};
}
static inline uint32_t wide_less(wide_t x, wide_t y)
{
    return (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(x.a, y.a, _CMP_LT_OQ)) |
           (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(x.b, y.b, _CMP_LT_OQ)) << 8;
}
static inline wide_t wide_magnitude(wide_t x)
{
    const __m256 sign = _mm256_set1_ps(-0.0f);
    return (wide_t){_mm256_andnot_ps(sign, x.a), _mm256_andnot_ps(sign, x.b)};
}
static inline void wide_range(wide_t x, float *least, float *most)
{
    __m256 lo8 = _mm256_min_ps(x.a, x.b), hi8 = _mm256_max_ps(x.a, x.b);
    __m128 lo = _mm_min_ps(_mm256_castps256_ps128(lo8), _mm256_extractf128_ps(lo8, 1));
    __m128 hi = _mm_max_ps(_mm256_castps256_ps128(hi8), _mm256_extractf128_ps(hi8, 1));
    lo = _mm_min_ps(lo, _mm_movehl_ps(lo, lo));
    hi = _mm_max_ps(hi, _mm_movehl_ps(hi, hi));
    *least = _mm_cvtss_f32(_mm_min_ss(lo, _mm_movehdup_ps(lo)));
    *most = _mm_cvtss_f32(_mm_max_ss(hi, _mm_movehdup_ps(hi)));
}
static inline wide_index index_load(const uint8_t *from)
{
    __m256i a = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)from));
    __m256i b = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(from + 8)));
    return (wide_index){a, b, _mm256_castsi256_ps(_mm256_slli_epi32(a, 28)),
                        _mm256_castsi256_ps(_mm256_slli_epi32(b, 28))};
}
static inline wide_t wide_pick(const float *table, wide_index index)
{
    __m256 low = _mm256_load_ps(table), high = _mm256_load_ps(table + 8);
    return (wide_t){_mm256_blendv_ps(_mm256_permutevar8x32_ps(low, index.slot_a),
                                     _mm256_permutevar8x32_ps(high, index.slot_a), index.upper_a),
                    _mm256_blendv_ps(_mm256_permutevar8x32_ps(low, index.slot_b),
                                     _mm256_permutevar8x32_ps(high, index.slot_b), index.upper_b)};
}

static inline octet_t octet_load(const double *from)
{
    return (octet_t){_mm256_load_pd(from), _mm256_load_pd(from + 4)};
}
static inline octet_t octet_set(double x)
{
    return (octet_t){_mm256_set1_pd(x), _mm256_set1_pd(x)};
}
static inline octet_t octet_magnitude(octet_t x)
{
    const __m256d sign = _mm256_set1_pd(-0.0);
    return (octet_t){_mm256_andnot_pd(sign, x.a), _mm256_andnot_pd(sign, x.b)};
}
static inline __m256d lanes_of_bits(uint32_t bits)
{
    const __m256i slots = _mm256_setr_epi64x(1, 2, 4, 8);
    return _mm256_castsi256_pd(_mm256_cmpeq_epi64(_mm256_and_si256(_mm256_set1_epi64x((long long)bits), slots), slots));
}
static inline octet_t octet_choose(uint32_t bits, octet_t x, octet_t y)
{
    return (octet_t){_mm256_blendv_pd(y.a, x.a, lanes_of_bits(bits)),
                     _mm256_blendv_pd(y.b, x.b, lanes_of_bits(bits >> 4))};
}
static inline uint32_t octet_less(octet_t x, octet_t y)
{
    return (uint32_t)_mm256_movemask_pd(_mm256_cmp_pd(x.a, y.a, _CMP_LT_OQ)) |
           (uint32_t)_mm256_movemask_pd(_mm256_cmp_pd(x.b, y.b, _CMP_LT_OQ)) << 4;
}

static inline __m256 boxes_in_half(const float *const lo_of[3], const float *const hi_of[3], int at, const float lo[3],
                                   const float hi[3])
{
    __m256 all = _mm256_castsi256_ps(_mm256_set1_epi32(-1));
    for (int axis = 0; axis < 3; axis++) {
        all = _mm256_and_ps(all, _mm256_cmp_ps(_mm256_load_ps(lo_of[axis] + at), _mm256_set1_ps(hi[axis]), _CMP_LE_OQ));
        all = _mm256_and_ps(all, _mm256_cmp_ps(_mm256_load_ps(hi_of[axis] + at), _mm256_set1_ps(lo[axis]), _CMP_GE_OQ));
    }
    return all;
}

static inline uint32_t boxes_in_row(const struct leaf_side *boxes, const float lo[3], const float hi[3], uint32_t asked)
{
    const float *const lo_of[3] = {boxes->lo[0], boxes->lo[1], boxes->lo[2]};
    const float *const hi_of[3] = {boxes->hi[0], boxes->hi[1], boxes->hi[2]};
    uint32_t low = (uint32_t)_mm256_movemask_ps(boxes_in_half(lo_of, hi_of, 0, lo, hi));
    uint32_t high = (uint32_t)_mm256_movemask_ps(boxes_in_half(lo_of, hi_of, 8, lo, hi));
    return (low | high << 8) & asked;
}

struct vertex_sets {
    __m256i bits; /* by face: its vertices, 16 bits each */
};

/* 1 << place for 16 places below 16: the low and the high byte from tables. */
static inline __m256i bits_of_slots(const uint8_t *slots)
{
    const __m128i low_bits = _mm_setr_epi8(1, 2, 4, 8, 16, 32, 64, -128, 0, 0, 0, 0, 0, 0, 0, 0);
    const __m128i high_bits = _mm_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 64, -128);
    __m128i index = _mm_load_si128((const __m128i *)slots);
    __m128i low = _mm_shuffle_epi8(low_bits, index), high = _mm_shuffle_epi8(high_bits, index);
    return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_unpacklo_epi8(low, high)), _mm_unpackhi_epi8(low, high),
                                   1);
}

static inline struct vertex_sets vertex_sets_of(const uint8_t (*corners)[LEAF_FACES])
{
    return (struct vertex_sets){_mm256_or_si256(_mm256_or_si256(bits_of_slots(corners[0]), bits_of_slots(corners[1])),
                                                bits_of_slots(corners[2]))};
}

/* Faces none of whose vertices is in the set. */
static inline uint32_t faces_without(const struct vertex_sets *sets, uint32_t vertices)
{
    __m256i common = _mm256_and_si256(sets->bits, _mm256_set1_epi16((short)vertices));
    __m256i none = _mm256_cmpeq_epi16(common, _mm256_setzero_si256());
    __m128i bytes = _mm_packs_epi16(_mm256_castsi256_si128(none), _mm256_extracti128_si256(none, 1));
    return (uint32_t)_mm_movemask_epi8(bytes);
}

static inline uint32_t faces_beyond(const struct leaf_side *planes, uint32_t plane, float reach,
                                    const struct leaf_points *points, const struct vertex_sets *sets, uint32_t asked)
{
    const __m256 px = _mm256_set1_ps(planes->base[0][plane]), nx = _mm256_set1_ps(planes->normal[0][plane]);
    const __m256 py = _mm256_set1_ps(planes->base[1][plane]), ny = _mm256_set1_ps(planes->normal[1][plane]);
    const __m256 pz = _mm256_set1_ps(planes->base[2][plane]), nz = _mm256_set1_ps(planes->normal[2][plane]);
    const float most = planes->slope[plane] * reach + planes->floor[plane];
    const __m256 bound = _mm256_set1_ps(most), minus = _mm256_set1_ps(-most);
    uint32_t above = 0, below = 0;
    for (int at = 0; at < LEAF_VERTICES; at += 8) {
        __m256 x = _mm256_sub_ps(_mm256_load_ps(points->x[0] + at), px);
        __m256 y = _mm256_sub_ps(_mm256_load_ps(points->x[1] + at), py);
        __m256 z = _mm256_sub_ps(_mm256_load_ps(points->x[2] + at), pz);
        __m256 side = _mm256_add_ps(_mm256_add_ps(_mm256_mul_ps(x, nx), _mm256_mul_ps(y, ny)), _mm256_mul_ps(z, nz));
        above |= (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(side, bound, _CMP_GT_OQ)) << at;
        below |= (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(side, minus, _CMP_LT_OQ)) << at;
    }
    return (faces_without(sets, ~above) | faces_without(sets, ~below)) & asked;
}

static uint32_t meet_volumes(float *const *lo, float *const *hi, uint32_t offset, int axis_count, const float *box_lo,
                             const float *box_hi)
{
    uint32_t found = 0;
    for (uint32_t at = 0; at < 16; at += 8) {
        __m256 all = _mm256_castsi256_ps(_mm256_set1_epi32(-1));
        for (int axis = 0; axis < axis_count; axis++) {
            all = _mm256_and_ps(
                all, _mm256_cmp_ps(_mm256_load_ps(lo[axis] + offset + at), _mm256_set1_ps(box_hi[axis]), _CMP_LE_OQ));
            all = _mm256_and_ps(
                all, _mm256_cmp_ps(_mm256_load_ps(hi[axis] + offset + at), _mm256_set1_ps(box_lo[axis]), _CMP_GE_OQ));
        }
        found |= (uint32_t)_mm256_movemask_ps(all) << at;
    }
    return found;
}

#include "structures/surface/kernels/surface_load_x86.h"
#include "structures/surface/kernels/surface_leaf.h"

const struct surface_kernels surface_kernels_avx2 = SURFACE_KERNELS_ROW;

#endif
