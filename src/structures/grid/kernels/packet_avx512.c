/* Packet kernels, sixteen lanes in one register. See packet_kernels.h; the arithmetic is that of packet_scalar.c. */
#include "structures/grid/kernels/packet_lanes.h"

#if defined(__x86_64__)

#include <immintrin.h>

static void prepare_cells(struct packet *packet, const struct point_record *points, const uint32_t (*corners)[4],
                          uint32_t count, bool use_planes)
{
    lanes_prepare_cells(packet, points, corners, count, use_planes);
}

static void prepare_faces(struct packet *packet, const struct face_record *faces, const uint32_t *numbers,
                          uint32_t count, bool use_planes)
{
    lanes_prepare_faces(packet, faces, numbers, count, use_planes);
}

static uint32_t scan_row(const struct grid_columns *columns, uint32_t begin, uint32_t end,
                         const struct grid_window *window, bool any_row, uint32_t *found)
{
    uint32_t count = 0;
    for (uint32_t i = begin; i < end; i += 16) {
        uint32_t left = end - i;
        __mmask16 meets = left >= 16 ? (__mmask16)0xFFFF : (__mmask16)((1u << left) - 1);
        __mmask16 lanes = meets;
        if (!any_row) {
            meets = _mm512_mask_cmpeq_epi32_mask(meets, _mm512_maskz_loadu_epi32(lanes, columns->row_y + i),
                                                 _mm512_set1_epi32(window->row_y));
            meets = _mm512_mask_cmpeq_epi32_mask(meets, _mm512_maskz_loadu_epi32(lanes, columns->row_z + i),
                                                 _mm512_set1_epi32(window->row_z));
        }
        for (int axis = 0; axis < 3; axis++) {
            meets = _mm512_mask_cmp_ps_mask(meets, _mm512_maskz_loadu_ps(lanes, columns->lo[axis] + i),
                                            _mm512_set1_ps(window->hi[axis]), _CMP_LE_OQ);
            meets = _mm512_mask_cmp_ps_mask(meets, _mm512_maskz_loadu_ps(lanes, columns->hi[axis] + i),
                                            _mm512_set1_ps(window->lo[axis]), _CMP_GE_OQ);
        }
        _mm512_storeu_si512(found + count,
                            _mm512_maskz_compress_epi32(meets, _mm512_maskz_loadu_epi32(lanes, columns->number + i)));
        count += (uint32_t)__builtin_popcount(meets);
        if (left < 16) {
            break; /* i + 16 might wrap */
        }
    }
    return count;
}

/* Boxes of a packet, kept in registers over a list. */
struct boxes {
    __m512 lo[3], hi[3];
};

static inline struct boxes load_boxes(const struct packet *packet)
{
    struct boxes boxes;
    for (int axis = 0; axis < 3; axis++) {
        boxes.lo[axis] = _mm512_load_ps(packet->lo[axis]);
        boxes.hi[axis] = _mm512_load_ps(packet->hi[axis]);
    }
    return boxes;
}

/* Six compares that do not wait for each other. */
static inline __mmask16 box_lanes(const struct boxes *boxes, const float *lo, const float *hi)
{
    __mmask16 x = _mm512_cmp_ps_mask(boxes->lo[0], _mm512_set1_ps(hi[0]), _CMP_LE_OQ);
    __mmask16 y = _mm512_cmp_ps_mask(boxes->lo[1], _mm512_set1_ps(hi[1]), _CMP_LE_OQ);
    __mmask16 z = _mm512_cmp_ps_mask(boxes->lo[2], _mm512_set1_ps(hi[2]), _CMP_LE_OQ);
    x = _mm512_mask_cmp_ps_mask(x, boxes->hi[0], _mm512_set1_ps(lo[0]), _CMP_GE_OQ);
    y = _mm512_mask_cmp_ps_mask(y, boxes->hi[1], _mm512_set1_ps(lo[1]), _CMP_GE_OQ);
    z = _mm512_mask_cmp_ps_mask(z, boxes->hi[2], _mm512_set1_ps(lo[2]), _CMP_GE_OQ);
    return x & y & z;
}

/* The lanes that have no corner with this id. */
static inline __mmask16 strangers(const struct packet *packet, int corners, __mmask16 lanes, uint32_t id)
{
    __m512i ids = _mm512_set1_epi32((int)id);
    __mmask16 same = _mm512_cmpeq_epi32_mask(_mm512_load_si512(packet->id[0]), ids);
    for (int k = 1; k < corners; k++) {
        same |= _mm512_cmpeq_epi32_mask(_mm512_load_si512(packet->id[k]), ids);
    }
    return (__mmask16)(lanes & ~same);
}

static inline __m512 plane_value(const struct packet *packet, int plane, const float *p)
{
    __m512 x = _mm512_mul_ps(_mm512_load_ps(packet->normal[plane][0]), _mm512_set1_ps(p[0]));
    __m512 y = _mm512_mul_ps(_mm512_load_ps(packet->normal[plane][1]), _mm512_set1_ps(p[1]));
    __m512 z = _mm512_mul_ps(_mm512_load_ps(packet->normal[plane][2]), _mm512_set1_ps(p[2]));
    return _mm512_sub_ps(_mm512_add_ps(_mm512_add_ps(x, y), z), _mm512_load_ps(packet->offset[plane]));
}

static inline __m512 error_bound(__m512 error, __m512 reach)
{
    return _mm512_add_ps(_mm512_mul_ps(error, reach), _mm512_set1_ps(PACKET_TINY));
}

static inline __m512 negative(__m512 x)
{
    return _mm512_sub_ps(_mm512_setzero_ps(), x);
}

static inline uint32_t emit(uint32_t *hits, uint32_t found, uint32_t i, __mmask16 lanes, __mmask16 certain)
{
    for (unsigned left = lanes; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        hits[found++] = i * 32 + lane * 2 + ((unsigned)certain >> lane & 1);
    }
    return found;
}

static uint32_t match_points(const struct packet *packet, const struct point_record *points, const uint32_t *list,
                             uint32_t count, uint32_t *hits)
{
    const struct boxes boxes = load_boxes(packet);
    const __m512 bound = error_bound(_mm512_load_ps(packet->error), _mm512_load_ps(packet->size));
    const __m512 minus = negative(bound);
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct point_record *point = &points[list[i]];
        __mmask16 lanes = box_lanes(&boxes, point->position, point->position);
        if (!lanes || !(lanes = strangers(packet, 4, lanes, point->id))) {
            continue;
        }
        __m512 value[4];
        for (int k = 0; k < 2; k++) {
            value[k] = plane_value(packet, k, point->position);
            lanes &= _mm512_cmp_ps_mask(value[k], minus, _CMP_NLT_UQ);
        }
        if (!lanes) {
            continue;
        }
        for (int k = 2; k < 4; k++) {
            value[k] = plane_value(packet, k, point->position);
            lanes &= _mm512_cmp_ps_mask(value[k], minus, _CMP_NLT_UQ);
        }
        if (!lanes) {
            continue;
        }
        __mmask16 certain = lanes;
        for (int k = 0; k < 4; k++) {
            certain &= _mm512_cmp_ps_mask(value[k], bound, _CMP_GT_OQ);
        }
        found = emit(hits, found, i, lanes, certain);
    }
    return found;
}

/* What is known of the lanes of a pair: they may be answers, they surely are. */
struct verdict {
    __mmask16 possible, certain;
};

static inline __m512 dot(const __m512 a[3], const __m512 b[3])
{
    return _mm512_add_ps(_mm512_add_ps(_mm512_mul_ps(a[0], b[0]), _mm512_mul_ps(a[1], b[1])),
                         _mm512_mul_ps(a[2], b[2]));
}

/* Which lanes have corner k surely above and surely below the plane of the face. */
struct corner_sides {
    __mmask16 above[4], below[4];
};

static inline void sides_of_corners(const struct packet *packet, int corners, __m512 reach,
                                    const struct face_record *face, struct corner_sides *sides, struct verdict *verdict)
{
    const __m512 bound = error_bound(_mm512_set1_ps(face->error), reach), minus = negative(bound);
    const __m512 normal[3] = {_mm512_set1_ps(face->normal[0]), _mm512_set1_ps(face->normal[1]),
                              _mm512_set1_ps(face->normal[2])};
    __mmask16 all_above = 0xFFFF, all_below = 0xFFFF, any_above = 0, any_below = 0;
    for (int k = 0; k < corners; k++) {
        const __m512 corner[3] = {_mm512_load_ps(packet->corner[k][0]), _mm512_load_ps(packet->corner[k][1]),
                                  _mm512_load_ps(packet->corner[k][2])};
        __m512 value = _mm512_sub_ps(dot(corner, normal), _mm512_set1_ps(face->offset));
        sides->above[k] = _mm512_cmp_ps_mask(value, bound, _CMP_GT_OQ);
        sides->below[k] = _mm512_cmp_ps_mask(value, minus, _CMP_LT_OQ);
        all_above &= sides->above[k];
        all_below &= sides->below[k];
        any_above |= sides->above[k];
        any_below |= sides->below[k];
    }
    verdict->possible &= (__mmask16) ~(all_above | all_below);
    verdict->certain &= any_above & any_below;
}

/* The cut of the lanes by the plane of the face against one edge of the face. */
static inline void cut_versus_edge(const struct packet *packet, int corners, __m512 reach,
                                   const struct face_record *face, int edge, const struct corner_sides *sides,
                                   struct verdict *verdict)
{
    const float *u = face->corner[edge], *v = face->corner[edge == 2 ? 0 : edge + 1];
    const __m512 d[3] = {_mm512_set1_ps(v[0] - u[0]), _mm512_set1_ps(v[1] - u[1]), _mm512_set1_ps(v[2] - u[2])};
    const __m512 square = _mm512_mul_ps(_mm512_mul_ps(_mm512_set1_ps(PACKET_ERROR), reach), reach);
    const __m512 bound = error_bound(square, _mm512_add_ps(_mm512_set1_ps(1.0f), reach)), minus = negative(bound);
    __m512 w[4][3], q[4][3];
    for (int k = 0; k < corners; k++) {
        for (int axis = 0; axis < 3; axis++) {
            w[k][axis] = _mm512_sub_ps(_mm512_load_ps(packet->corner[k][axis]), _mm512_set1_ps(u[axis]));
        }
        q[k][0] = _mm512_sub_ps(_mm512_mul_ps(w[k][1], d[2]), _mm512_mul_ps(w[k][2], d[1]));
        q[k][1] = _mm512_sub_ps(_mm512_mul_ps(w[k][2], d[0]), _mm512_mul_ps(w[k][0], d[2]));
        q[k][2] = _mm512_sub_ps(_mm512_mul_ps(w[k][0], d[1]), _mm512_mul_ps(w[k][1], d[0]));
    }
    __mmask16 inside = 0, outside = 0xFFFF;
    for (int i = 0; i < corners; i++) {
        for (int j = i + 1; j < corners; j++) {
            __m512 value = dot(w[i], q[j]);
            __mmask16 positive = _mm512_cmp_ps_mask(value, bound, _CMP_GT_OQ),
                      negative_lanes = _mm512_cmp_ps_mask(value, minus, _CMP_LT_OQ);
            __mmask16 rising = sides->below[i] & sides->above[j], falling = sides->above[i] & sides->below[j];
            __mmask16 level = (__mmask16)((sides->below[i] & sides->below[j]) | (sides->above[i] & sides->above[j]));
            inside |= (__mmask16)((rising & positive) | (falling & negative_lanes));
            outside &= (__mmask16)(level | (rising & negative_lanes) | (falling & positive));
        }
    }
    verdict->possible &= (__mmask16)~outside;
    verdict->certain &= inside;
}

/* Plane and edges of the face, for the lanes that are left. */
static inline void judge_by_face(const struct packet *packet, int corners, __m512 reach, const struct face_record *face,
                                 struct verdict *verdict)
{
    struct corner_sides sides;
    sides_of_corners(packet, corners, reach, face, &sides, verdict);
    for (int edge = 0; edge < 3 && verdict->possible; edge++) {
        cut_versus_edge(packet, corners, reach, face, edge, &sides, verdict);
    }
}

static uint32_t match_cell_faces(const struct packet *packet, const struct face_record *faces, const uint32_t *list,
                                 uint32_t count, uint32_t *hits)
{
    const struct boxes boxes = load_boxes(packet);
    const __m512 size = _mm512_load_ps(packet->size), error = _mm512_load_ps(packet->error);
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct face_record *face = &faces[list[i]];
        __mmask16 lanes = box_lanes(&boxes, face->lo, face->hi);
        for (int corner = 0; corner < 3 && lanes; corner++) {
            lanes = strangers(packet, 4, lanes, face->id[corner]);
        }
        if (!lanes) {
            continue;
        }
        const __m512 reach = _mm512_add_ps(size, _mm512_set1_ps(face->size));
        const __m512 bound = error_bound(error, reach), minus = negative(bound);
        struct verdict verdict = {lanes, lanes};
        struct corner_sides sides;
        sides_of_corners(packet, 4, reach, face, &sides, &verdict);
        for (int k = 0; k < 4 && verdict.possible; k++) {
            __mmask16 outer = verdict.possible, inner = 0;
            for (int corner = 0; corner < 3; corner++) {
                __m512 value = plane_value(packet, k, face->corner[corner]);
                outer &= _mm512_cmp_ps_mask(value, minus, _CMP_LT_OQ);
                inner |= _mm512_cmp_ps_mask(value, bound, _CMP_GT_OQ);
            }
            verdict.possible &= (__mmask16)~outer;
            verdict.certain &= inner;
        }
        for (int edge = 0; edge < 3 && verdict.possible; edge++) {
            cut_versus_edge(packet, 4, reach, face, edge, &sides, &verdict);
        }
        found = emit(hits, found, i, verdict.possible, verdict.certain);
    }
    return found;
}

static uint32_t match_faces(const struct packet *packet, const struct face_record *faces, const uint32_t *list,
                            uint32_t count, uint32_t *hits)
{
    const struct boxes boxes = load_boxes(packet);
    const __m512 size = _mm512_load_ps(packet->size), error = _mm512_load_ps(packet->error);
    const __m512i number = _mm512_load_si512(packet->number);
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct face_record *face = &faces[list[i]];
        __mmask16 lanes = box_lanes(&boxes, face->lo, face->hi);
        lanes = _mm512_mask_cmplt_epu32_mask(lanes, number, _mm512_set1_epi32((int)list[i]));
        for (int corner = 0; corner < 3 && lanes; corner++) {
            lanes = strangers(packet, 3, lanes, face->id[corner]);
        }
        if (!lanes) {
            continue;
        }
        const __m512 reach = _mm512_add_ps(size, _mm512_set1_ps(face->size));
        const __m512 bound = error_bound(error, reach), minus = negative(bound);
        __mmask16 all_above = lanes, all_below = lanes, any_above = 0, any_below = 0;
        for (int corner = 0; corner < 3; corner++) {
            __m512 value = plane_value(packet, 0, face->corner[corner]);
            __mmask16 above = _mm512_cmp_ps_mask(value, bound, _CMP_GT_OQ),
                      below = _mm512_cmp_ps_mask(value, minus, _CMP_LT_OQ);
            all_above &= above;
            all_below &= below;
            any_above |= above;
            any_below |= below;
        }
        struct verdict verdict = {(__mmask16)(lanes & ~(all_above | all_below)),
                                  (__mmask16)(lanes & any_above & any_below)};
        if (verdict.possible) {
            judge_by_face(packet, 3, reach, face, &verdict);
            found = emit(hits, found, i, verdict.possible, verdict.certain);
        }
    }
    return found;
}

const struct packet_kernels packet_kernels_avx512 = {prepare_cells, prepare_faces,    scan_row,
                                                     match_points,  match_cell_faces, match_faces};

#endif
