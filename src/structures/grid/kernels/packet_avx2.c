/* Packet kernels, sixteen lanes as two halves of eight. See packet_kernels.h; the arithmetic is that of
 * packet_scalar.c. */
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

static inline __m256 meets_axis(const float *lo, const float *hi, __m256 window_lo, __m256 window_hi)
{
    return _mm256_and_ps(_mm256_cmp_ps(_mm256_loadu_ps(lo), window_hi, _CMP_LE_OQ),
                         _mm256_cmp_ps(_mm256_loadu_ps(hi), window_lo, _CMP_GE_OQ));
}

static uint32_t scan_row(const struct grid_columns *columns, uint32_t begin, uint32_t end,
                         const struct grid_window *window, bool any_row, uint32_t *found)
{
    uint32_t count = 0, i = begin;
    for (; end - i >= 8; i += 8) {
        __m256 meets = _mm256_castsi256_ps(_mm256_set1_epi32(-1));
        for (int axis = 0; axis < 3; axis++) {
            meets =
                _mm256_and_ps(meets, meets_axis(columns->lo[axis] + i, columns->hi[axis] + i,
                                                _mm256_set1_ps(window->lo[axis]), _mm256_set1_ps(window->hi[axis])));
        }
        if (!any_row) {
            __m256i y = _mm256_cmpeq_epi32(_mm256_loadu_si256((const void *)(columns->row_y + i)),
                                           _mm256_set1_epi32(window->row_y));
            __m256i z = _mm256_cmpeq_epi32(_mm256_loadu_si256((const void *)(columns->row_z + i)),
                                           _mm256_set1_epi32(window->row_z));
            meets = _mm256_and_ps(meets, _mm256_castsi256_ps(_mm256_and_si256(y, z)));
        }
        for (unsigned mask = (unsigned)_mm256_movemask_ps(meets); mask; mask &= mask - 1) {
            found[count++] = columns->number[i + (uint32_t)__builtin_ctz(mask)];
        }
    }
    return count + packet_kernels_scalar.scan_row(columns, i, end, window, any_row, found + count);
}

/* Boxes of a packet, kept close over a list. */
struct boxes {
    __m256 lo[2][3], hi[2][3];
};

static inline struct boxes load_boxes(const struct packet *packet)
{
    struct boxes boxes;
    for (int half = 0; half < 2; half++) {
        for (int axis = 0; axis < 3; axis++) {
            boxes.lo[half][axis] = _mm256_load_ps(packet->lo[axis] + half * 8);
            boxes.hi[half][axis] = _mm256_load_ps(packet->hi[axis] + half * 8);
        }
    }
    return boxes;
}

static inline __m256 boxes_meet(const struct boxes *boxes, int half, const __m256 lo[3], const __m256 hi[3])
{
    __m256 x = _mm256_and_ps(_mm256_cmp_ps(boxes->lo[half][0], hi[0], _CMP_LE_OQ),
                             _mm256_cmp_ps(boxes->hi[half][0], lo[0], _CMP_GE_OQ));
    __m256 y = _mm256_and_ps(_mm256_cmp_ps(boxes->lo[half][1], hi[1], _CMP_LE_OQ),
                             _mm256_cmp_ps(boxes->hi[half][1], lo[1], _CMP_GE_OQ));
    __m256 z = _mm256_and_ps(_mm256_cmp_ps(boxes->lo[half][2], hi[2], _CMP_LE_OQ),
                             _mm256_cmp_ps(boxes->hi[half][2], lo[2], _CMP_GE_OQ));
    return _mm256_and_ps(x, _mm256_and_ps(y, z));
}

/* Lanes of `lanes` that have no corner with this id. */
static inline __m256 strangers(const struct packet *packet, int corners, int half, __m256 lanes, uint32_t id)
{
    __m256i ids = _mm256_set1_epi32((int)id), same = _mm256_setzero_si256();
    for (int k = 0; k < corners; k++) {
        same =
            _mm256_or_si256(same, _mm256_cmpeq_epi32(_mm256_load_si256((const void *)(packet->id[k] + half * 8)), ids));
    }
    return _mm256_andnot_ps(_mm256_castsi256_ps(same), lanes);
}

static inline __m256 plane_value(const struct packet *packet, int half, int plane, const float *p)
{
    __m256 x = _mm256_mul_ps(_mm256_load_ps(packet->normal[plane][0] + half * 8), _mm256_set1_ps(p[0]));
    __m256 y = _mm256_mul_ps(_mm256_load_ps(packet->normal[plane][1] + half * 8), _mm256_set1_ps(p[1]));
    __m256 z = _mm256_mul_ps(_mm256_load_ps(packet->normal[plane][2] + half * 8), _mm256_set1_ps(p[2]));
    return _mm256_sub_ps(_mm256_add_ps(_mm256_add_ps(x, y), z), _mm256_load_ps(packet->offset[plane] + half * 8));
}

static inline __m256 error_bound(__m256 error, __m256 reach)
{
    return _mm256_add_ps(_mm256_mul_ps(error, reach), _mm256_set1_ps(PACKET_TINY));
}

static inline __m256 negative(__m256 x)
{
    return _mm256_sub_ps(_mm256_setzero_ps(), x);
}

static inline bool none(__m256 lanes)
{
    return _mm256_movemask_ps(lanes) == 0;
}

static inline uint32_t emit(uint32_t *hits, uint32_t found, uint32_t i, int half, __m256 lanes, __m256 certain)
{
    unsigned sure = (unsigned)_mm256_movemask_ps(certain);
    for (unsigned left = (unsigned)_mm256_movemask_ps(lanes); left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        hits[found++] = i * 32 + (lane + (unsigned)half * 8) * 2 + (sure >> lane & 1);
    }
    return found;
}

static uint32_t match_points(const struct packet *packet, const struct point_record *points, const uint32_t *list,
                             uint32_t count, uint32_t *hits)
{
    const struct boxes boxes = load_boxes(packet);
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct point_record *point = &points[list[i]];
        const float *p = point->position;
        const __m256 position[3] = {_mm256_set1_ps(p[0]), _mm256_set1_ps(p[1]), _mm256_set1_ps(p[2])};
        for (int half = 0; half < 2; half++) {
            __m256 lanes = boxes_meet(&boxes, half, position, position);
            if (none(lanes) || none(lanes = strangers(packet, 4, half, lanes, point->id))) {
                continue;
            }
            __m256 bound =
                error_bound(_mm256_load_ps(packet->error + half * 8), _mm256_load_ps(packet->size + half * 8));
            __m256 minus = negative(bound), certain = lanes;
            for (int k = 0; k < 4; k++) {
                __m256 value = plane_value(packet, half, k, p);
                lanes = _mm256_andnot_ps(_mm256_cmp_ps(value, minus, _CMP_LT_OQ), lanes);
                certain = _mm256_and_ps(certain, _mm256_cmp_ps(value, bound, _CMP_GT_OQ));
            }
            found = emit(hits, found, i, half, lanes, certain);
        }
    }
    return found;
}

/* What is known of the lanes of a pair: they may be answers, they surely are. */
struct verdict {
    __m256 possible, certain;
};

static inline __m256 dot(const __m256 a[3], const __m256 b[3])
{
    return _mm256_add_ps(_mm256_add_ps(_mm256_mul_ps(a[0], b[0]), _mm256_mul_ps(a[1], b[1])),
                         _mm256_mul_ps(a[2], b[2]));
}

/* Which lanes have corner k surely above and surely below the plane of the face. */
struct corner_sides {
    __m256 above[4], below[4];
};

static inline void sides_of_corners(const struct packet *packet, int corners, int half, __m256 reach,
                                    const struct face_record *face, struct corner_sides *sides, struct verdict *verdict)
{
    const __m256 bound = error_bound(_mm256_set1_ps(face->error), reach), minus = negative(bound);
    const __m256 normal[3] = {_mm256_set1_ps(face->normal[0]), _mm256_set1_ps(face->normal[1]),
                              _mm256_set1_ps(face->normal[2])};
    __m256 all_above = verdict->possible, all_below = verdict->possible, any_above = _mm256_setzero_ps(),
           any_below = _mm256_setzero_ps();
    for (int k = 0; k < corners; k++) {
        const __m256 corner[3] = {_mm256_load_ps(packet->corner[k][0] + half * 8),
                                  _mm256_load_ps(packet->corner[k][1] + half * 8),
                                  _mm256_load_ps(packet->corner[k][2] + half * 8)};
        __m256 value = _mm256_sub_ps(dot(corner, normal), _mm256_set1_ps(face->offset));
        sides->above[k] = _mm256_cmp_ps(value, bound, _CMP_GT_OQ);
        sides->below[k] = _mm256_cmp_ps(value, minus, _CMP_LT_OQ);
        all_above = _mm256_and_ps(all_above, sides->above[k]);
        all_below = _mm256_and_ps(all_below, sides->below[k]);
        any_above = _mm256_or_ps(any_above, sides->above[k]);
        any_below = _mm256_or_ps(any_below, sides->below[k]);
    }
    verdict->possible = _mm256_andnot_ps(_mm256_or_ps(all_above, all_below), verdict->possible);
    verdict->certain = _mm256_and_ps(verdict->certain, _mm256_and_ps(any_above, any_below));
}

static inline __m256 either(__m256 a, __m256 b, __m256 c, __m256 d)
{
    return _mm256_or_ps(_mm256_and_ps(a, b), _mm256_and_ps(c, d));
}

/* The cut of the lanes by the plane of the face against one edge of the face. */
static inline void cut_versus_edge(const struct packet *packet, int corners, int half, __m256 reach,
                                   const struct face_record *face, int edge, const struct corner_sides *sides,
                                   struct verdict *verdict)
{
    const float *u = face->corner[edge], *v = face->corner[edge == 2 ? 0 : edge + 1];
    const __m256 d[3] = {_mm256_set1_ps(v[0] - u[0]), _mm256_set1_ps(v[1] - u[1]), _mm256_set1_ps(v[2] - u[2])};
    const __m256 square = _mm256_mul_ps(_mm256_mul_ps(_mm256_set1_ps(PACKET_ERROR), reach), reach);
    const __m256 bound = error_bound(square, _mm256_add_ps(_mm256_set1_ps(1.0f), reach)), minus = negative(bound);
    __m256 w[4][3], q[4][3];
    for (int k = 0; k < corners; k++) {
        for (int axis = 0; axis < 3; axis++) {
            w[k][axis] = _mm256_sub_ps(_mm256_load_ps(packet->corner[k][axis] + half * 8), _mm256_set1_ps(u[axis]));
        }
        q[k][0] = _mm256_sub_ps(_mm256_mul_ps(w[k][1], d[2]), _mm256_mul_ps(w[k][2], d[1]));
        q[k][1] = _mm256_sub_ps(_mm256_mul_ps(w[k][2], d[0]), _mm256_mul_ps(w[k][0], d[2]));
        q[k][2] = _mm256_sub_ps(_mm256_mul_ps(w[k][0], d[1]), _mm256_mul_ps(w[k][1], d[0]));
    }
    __m256 inside = _mm256_setzero_ps(), outside = verdict->possible;
    for (int i = 0; i < corners; i++) {
        for (int j = i + 1; j < corners; j++) {
            __m256 value = dot(w[i], q[j]);
            __m256 above = _mm256_cmp_ps(value, bound, _CMP_GT_OQ), below = _mm256_cmp_ps(value, minus, _CMP_LT_OQ);
            __m256 rising = _mm256_and_ps(sides->below[i], sides->above[j]),
                   falling = _mm256_and_ps(sides->above[i], sides->below[j]);
            __m256 level = either(sides->below[i], sides->below[j], sides->above[i], sides->above[j]);
            inside = _mm256_or_ps(inside, either(rising, above, falling, below));
            outside = _mm256_and_ps(outside, _mm256_or_ps(level, either(rising, below, falling, above)));
        }
    }
    verdict->possible = _mm256_andnot_ps(outside, verdict->possible);
    verdict->certain = _mm256_and_ps(verdict->certain, inside);
}

/* Plane and edges of the face, for the lanes that are left. */
static inline void judge_by_face(const struct packet *packet, int corners, int half, __m256 reach,
                                 const struct face_record *face, struct verdict *verdict)
{
    struct corner_sides sides;
    sides_of_corners(packet, corners, half, reach, face, &sides, verdict);
    for (int edge = 0; edge < 3 && !none(verdict->possible); edge++) {
        cut_versus_edge(packet, corners, half, reach, face, edge, &sides, verdict);
    }
}

/* Lanes whose box meets the face's and that share no corner with it. */
static inline __m256 near_face(const struct packet *packet, const struct boxes *boxes, int corners, int half,
                               const struct face_record *face)
{
    const __m256 lo[3] = {_mm256_set1_ps(face->lo[0]), _mm256_set1_ps(face->lo[1]), _mm256_set1_ps(face->lo[2])};
    const __m256 hi[3] = {_mm256_set1_ps(face->hi[0]), _mm256_set1_ps(face->hi[1]), _mm256_set1_ps(face->hi[2])};
    __m256 lanes = boxes_meet(boxes, half, lo, hi);
    for (int corner = 0; corner < 3 && !none(lanes); corner++) {
        lanes = strangers(packet, corners, half, lanes, face->id[corner]);
    }
    return lanes;
}

static uint32_t match_cell_faces(const struct packet *packet, const struct face_record *faces, const uint32_t *list,
                                 uint32_t count, uint32_t *hits)
{
    const struct boxes boxes = load_boxes(packet);
    uint32_t found = 0;
    for (uint32_t i = 0; i < 2 * count; i++) {
        int half = (int)(i & 1);
        const struct face_record *face = &faces[list[i / 2]];
        __m256 lanes = near_face(packet, &boxes, 4, half, face);
        if (none(lanes)) {
            continue;
        }
        const __m256 reach = _mm256_add_ps(_mm256_load_ps(packet->size + half * 8), _mm256_set1_ps(face->size));
        const __m256 bound = error_bound(_mm256_load_ps(packet->error + half * 8), reach), minus = negative(bound);
        struct verdict verdict = {lanes, lanes};
        for (int k = 0; k < 4 && !none(verdict.possible); k++) {
            __m256 outer = verdict.possible, inner = _mm256_setzero_ps();
            for (int corner = 0; corner < 3; corner++) {
                __m256 value = plane_value(packet, half, k, face->corner[corner]);
                outer = _mm256_and_ps(outer, _mm256_cmp_ps(value, minus, _CMP_LT_OQ));
                inner = _mm256_or_ps(inner, _mm256_cmp_ps(value, bound, _CMP_GT_OQ));
            }
            verdict.possible = _mm256_andnot_ps(outer, verdict.possible);
            verdict.certain = _mm256_and_ps(verdict.certain, inner);
        }
        if (!none(verdict.possible)) {
            judge_by_face(packet, 4, half, reach, face, &verdict);
            found = emit(hits, found, i / 2, half, verdict.possible, verdict.certain);
        }
    }
    return found;
}

static uint32_t match_faces(const struct packet *packet, const struct face_record *faces, const uint32_t *list,
                            uint32_t count, uint32_t *hits)
{
    const struct boxes boxes = load_boxes(packet);
    const __m256i flip = _mm256_set1_epi32(INT32_MIN); /* unsigned order by a signed compare */
    uint32_t found = 0;
    for (uint32_t i = 0; i < 2 * count; i++) {
        int half = (int)(i & 1);
        const struct face_record *face = &faces[list[i / 2]];
        __m256i number = _mm256_xor_si256(_mm256_load_si256((const void *)(packet->number + half * 8)), flip);
        __m256i other = _mm256_xor_si256(_mm256_set1_epi32((int)list[i / 2]), flip);
        __m256 lanes = _mm256_and_ps(near_face(packet, &boxes, 3, half, face),
                                     _mm256_castsi256_ps(_mm256_cmpgt_epi32(other, number)));
        if (none(lanes)) {
            continue;
        }
        const __m256 reach = _mm256_add_ps(_mm256_load_ps(packet->size + half * 8), _mm256_set1_ps(face->size));
        const __m256 bound = error_bound(_mm256_load_ps(packet->error + half * 8), reach), minus = negative(bound);
        __m256 all_above = lanes, all_below = lanes, any_above = _mm256_setzero_ps(), any_below = _mm256_setzero_ps();
        for (int corner = 0; corner < 3; corner++) {
            __m256 value = plane_value(packet, half, 0, face->corner[corner]);
            __m256 above = _mm256_cmp_ps(value, bound, _CMP_GT_OQ), below = _mm256_cmp_ps(value, minus, _CMP_LT_OQ);
            all_above = _mm256_and_ps(all_above, above);
            all_below = _mm256_and_ps(all_below, below);
            any_above = _mm256_or_ps(any_above, above);
            any_below = _mm256_or_ps(any_below, below);
        }
        struct verdict verdict = {_mm256_andnot_ps(_mm256_or_ps(all_above, all_below), lanes),
                                  _mm256_and_ps(lanes, _mm256_and_ps(any_above, any_below))};
        if (!none(verdict.possible)) {
            judge_by_face(packet, 3, half, reach, face, &verdict);
            found = emit(hits, found, i / 2, half, verdict.possible, verdict.certain);
        }
    }
    return found;
}

const struct packet_kernels packet_kernels_avx2 = {prepare_cells, prepare_faces,    scan_row,
                                                   match_points,  match_cell_faces, match_faces};

#endif
