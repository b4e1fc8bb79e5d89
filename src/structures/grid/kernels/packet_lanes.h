/* The part of the packet kernels that is the same text for every instruction set: plain loops over sixteen lanes, which
 * the compiler turns into vector code for the file that includes them. No sum is reordered, so all give the same bits.
 */
#ifndef DENT_STRUCTURES_PACKET_LANES_H
#define DENT_STRUCTURES_PACKET_LANES_H

#include <math.h>
#include <string.h>

#include "structures/grid/kernels/packet_kernels.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

typedef float lane_row[PACKET_LANES];

#define FOR_LANES for (int lane = 0; lane < PACKET_LANES; lane++)

static inline void lanes_cross(const lane_row *a, const lane_row *b, lane_row *product)
{
    FOR_LANES
    {
        product[0][lane] = a[1][lane] * b[2][lane] - a[2][lane] * b[1][lane];
        product[1][lane] = a[2][lane] * b[0][lane] - a[0][lane] * b[2][lane];
        product[2][lane] = a[0][lane] * b[1][lane] - a[1][lane] * b[0][lane];
    }
}

static inline void lanes_subtract(const lane_row *a, const lane_row *b, lane_row *difference)
{
    for (int axis = 0; axis < 3; axis++) {
        FOR_LANES
        {
            difference[axis][lane] = a[axis][lane] - b[axis][lane];
        }
    }
}

static inline void lanes_dot(const lane_row *a, const lane_row *b, lane_row sum)
{
    FOR_LANES
    {
        sum[lane] = a[0][lane] * b[0][lane] + a[1][lane] * b[1][lane] + a[2][lane] * b[2][lane];
    }
}

/* Box and largest edge of each lane. */
static inline void lanes_box(struct packet *packet, int corners)
{
    for (int axis = 0; axis < 3; axis++) {
        FOR_LANES
        {
            float lo = packet->corner[0][axis][lane], hi = lo;
            for (int k = 1; k < corners; k++) {
                float x = packet->corner[k][axis][lane];
                lo = x < lo ? x : lo;
                hi = x > hi ? x : hi;
            }
            packet->lo[axis][lane] = lo;
            packet->hi[axis][lane] = hi;
        }
    }
    FOR_LANES
    {
        float x = packet->hi[0][lane] - packet->lo[0][lane], y = packet->hi[1][lane] - packet->lo[1][lane];
        float z = packet->hi[2][lane] - packet->lo[2][lane];
        float larger = x > y ? x : y;
        packet->size[lane] = larger > z ? larger : z;
    }
}

static inline void lanes_cell_planes(struct packet *packet)
{
    lane_row ab[3], ac[3], ad[3], bc[3], bd[3], determinant, sign;
    const lane_row(*corner)[3] = (const lane_row(*)[3])packet->corner;
    lanes_subtract(corner[1], corner[0], ab);
    lanes_subtract(corner[2], corner[0], ac);
    lanes_subtract(corner[3], corner[0], ad);
    lanes_subtract(corner[2], corner[1], bc);
    lanes_subtract(corner[3], corner[1], bd);
    lanes_cross(ab, ac, packet->normal[3]);
    lanes_cross(ad, ab, packet->normal[2]);
    lanes_cross(ac, ad, packet->normal[1]);
    lanes_cross(bd, bc, packet->normal[0]);
    lanes_dot((const lane_row *)packet->normal[3], (const lane_row *)ad, determinant);
    FOR_LANES
    {
        float error = PACKET_ERROR * packet->size[lane] * (1.0f + packet->size[lane]);
        float bound = error * packet->size[lane] + PACKET_TINY;
        sign[lane] = determinant[lane] < 0.0f ? -1.0f : 1.0f;
        packet->error[lane] = determinant[lane] * sign[lane] > bound ? error : INFINITY;
    }
    for (int k = 0; k < 4; k++) {
        for (int axis = 0; axis < 3; axis++) {
            FOR_LANES
            {
                packet->normal[k][axis][lane] *= sign[lane];
            }
        }
        lanes_dot((const lane_row *)packet->normal[k], corner[k == 0 ? 1 : 0], packet->offset[k]);
    }
}

static inline void lanes_face_plane(struct packet *packet)
{
    lane_row ab[3], ac[3];
    const lane_row(*corner)[3] = (const lane_row(*)[3])packet->corner;
    lanes_subtract(corner[1], corner[0], ab);
    lanes_subtract(corner[2], corner[0], ac);
    lanes_cross(ab, ac, packet->normal[0]);
    lanes_dot((const lane_row *)packet->normal[0], corner[0], packet->offset[0]);
    FOR_LANES
    {
        packet->error[lane] = PACKET_ERROR * packet->size[lane] * (1.0f + packet->size[lane]);
    }
}

/* Box of all lanes and the most flat axes, by halving: a shape the compiler can turn into vectors without reordering
 * anything. */
static inline void lanes_reduce(struct packet *packet)
{
    lane_row lo[3], hi[3];
    int32_t flat[PACKET_LANES];
    FOR_LANES
    {
        packet->flat[lane] = (packet->lo[0][lane] == packet->hi[0][lane]) +
                             (packet->lo[1][lane] == packet->hi[1][lane]) +
                             (packet->lo[2][lane] == packet->hi[2][lane]);
    }
    memcpy(lo, packet->lo, sizeof lo);
    memcpy(hi, packet->hi, sizeof hi);
    memcpy(flat, packet->flat, sizeof flat);
    for (int half = PACKET_LANES / 2; half > 0; half /= 2) {
        for (int axis = 0; axis < 3; axis++) {
            for (int lane = 0; lane < half; lane++) {
                lo[axis][lane] = lo[axis][lane + half] < lo[axis][lane] ? lo[axis][lane + half] : lo[axis][lane];
                hi[axis][lane] = hi[axis][lane + half] > hi[axis][lane] ? hi[axis][lane + half] : hi[axis][lane];
            }
        }
        for (int lane = 0; lane < half; lane++) {
            flat[lane] = flat[lane + half] > flat[lane] ? flat[lane + half] : flat[lane];
        }
    }
    for (int axis = 0; axis < 3; axis++) {
        packet->box_lo[axis] = lo[axis][0];
        packet->box_hi[axis] = hi[axis][0];
    }
    packet->most_flat = flat[0];
}

/* Lanes from `count` on (filled with lane 0 so far) meet nothing; without planes no lane is rejected by them. */
static inline void lanes_finish(struct packet *packet, uint32_t count, bool use_planes)
{
    lanes_reduce(packet);
    for (uint32_t lane = count; lane < PACKET_LANES; lane++) {
        for (int axis = 0; axis < 3; axis++) {
            packet->lo[axis][lane] = INFINITY;
            packet->hi[axis][lane] = -INFINITY;
        }
    }
    for (uint32_t lane = 0; lane < PACKET_LANES && !use_planes; lane++) {
        packet->error[lane] = INFINITY;
    }
}

/* Corner k of all lanes from records to columns: four records of four numbers are turned at a time. */
static inline void lanes_fetch_corner(struct packet *packet, int k, const struct point_record *points,
                                      const uint32_t *const of_lane[PACKET_LANES])
{
#if defined(__AVX2__)
    for (int lane = 0; lane < PACKET_LANES; lane += 4) {
        __m128 x = _mm_loadu_ps(points[of_lane[lane][k]].position),
               y = _mm_loadu_ps(points[of_lane[lane + 1][k]].position);
        __m128 z = _mm_loadu_ps(points[of_lane[lane + 2][k]].position),
               id = _mm_loadu_ps(points[of_lane[lane + 3][k]].position);
        _MM_TRANSPOSE4_PS(x, y, z, id);
        _mm_store_ps(packet->corner[k][0] + lane, x);
        _mm_store_ps(packet->corner[k][1] + lane, y);
        _mm_store_ps(packet->corner[k][2] + lane, z);
        _mm_store_si128((__m128i *)(packet->id[k] + lane), _mm_castps_si128(id));
    }
#else
    for (int lane = 0; lane < PACKET_LANES; lane++) {
        const struct point_record *point = &points[of_lane[lane][k]];
        packet->corner[k][0][lane] = point->position[0];
        packet->corner[k][1][lane] = point->position[1];
        packet->corner[k][2][lane] = point->position[2];
        packet->id[k][lane] = point->id;
    }
#endif
}

static inline void lanes_prepare_cells(struct packet *packet, const struct point_record *points,
                                       const uint32_t (*corners)[4], uint32_t count, bool use_planes)
{
    const uint32_t *of_lane[PACKET_LANES];
    for (uint32_t lane = 0; lane < PACKET_LANES; lane++) {
        of_lane[lane] = corners[lane < count ? lane : 0];
    }
    for (int k = 0; k < 4; k++) {
        lanes_fetch_corner(packet, k, points, of_lane);
    }
    lanes_box(packet, 4);
    lanes_cell_planes(packet);
    lanes_finish(packet, count, use_planes);
}

static inline void lanes_prepare_faces(struct packet *packet, const struct face_record *faces, const uint32_t *numbers,
                                       uint32_t count, bool use_planes)
{
    for (uint32_t lane = 0; lane < PACKET_LANES; lane++) {
        const struct face_record *face = &faces[numbers[lane < count ? lane : 0]];
        packet->number[lane] = numbers[lane < count ? lane : 0];
        for (int k = 0; k < 3; k++) {
            packet->corner[k][0][lane] = face->corner[k][0];
            packet->corner[k][1][lane] = face->corner[k][1];
            packet->corner[k][2][lane] = face->corner[k][2];
            packet->id[k][lane] = face->id[k];
        }
    }
    lanes_box(packet, 3);
    lanes_face_plane(packet);
    lanes_finish(packet, count, use_planes);
}

#undef FOR_LANES

#endif
