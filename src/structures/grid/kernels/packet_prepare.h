/* Packets from records, for any number of lanes: columns, boxes, planes and errors. Included by packet_<isa>.c behind its
 * lanes header. No sum is reordered, so all give the same bits.
 */
#include "structures/grid/kernels/packet_kernels.h"

static inline struct floats3 corners_at(const struct packet *packet, int k, int i)
{
    return floats3_load(packet->corner[k][0] + i, packet->corner[k][1] + i, packet->corner[k][2] + i);
}

static inline void put_plane(struct packet *packet, int plane, int i, struct floats3 normal, struct floats3 through)
{
    floats3_store(packet->normal[plane][0] + i, packet->normal[plane][1] + i, packet->normal[plane][2] + i, normal);
    floats_store(packet->offset[plane] + i, floats3_dot(normal, through));
}

/* Box and largest edge of the lanes of the group at i, which have these corners. */
static inline floats put_boxes(struct packet *packet, int i, struct floats3 a, struct floats3 b, struct floats3 c,
                               struct floats3 d)
{
    struct floats3 lo = floats3_least(d, floats3_least(c, floats3_least(b, a)));
    struct floats3 hi = floats3_most(d, floats3_most(c, floats3_most(b, a)));
    floats size = floats3_largest(floats3_subtract(hi, lo));
    floats3_store(packet->lo[0] + i, packet->lo[1] + i, packet->lo[2] + i, lo);
    floats3_store(packet->hi[0] + i, packet->hi[1] + i, packet->hi[2] + i, hi);
    floats_store(packet->size + i, size);
    return size;
}

static inline floats error_of_size(floats size)
{
    return floats_set(PACKET_ERROR) * size * (floats_set(1) + size);
}

/* Boxes and planes of cells, the inside positive; planes of cells that are nearly flat say nothing. No loops in here, so
 * that with one lane the compiler makes vectors of the loop over the lanes. */
static inline void put_cells(struct packet *packet, int i)
{
    struct floats3 a = corners_at(packet, 0, i), b = corners_at(packet, 1, i), c = corners_at(packet, 2, i),
                   d = corners_at(packet, 3, i);
    struct floats3 ab = floats3_subtract(b, a), ac = floats3_subtract(c, a), ad = floats3_subtract(d, a);
    struct floats3 bc = floats3_subtract(c, b), bd = floats3_subtract(d, b), base = floats3_cross(ab, ac);
    floats size = put_boxes(packet, i, a, b, c, d), error = error_of_size(size), determinant = floats3_dot(base, ad);
    floats sign = floats_choose(floats_less(determinant, floats_set(0)), floats_set(-1), floats_set(1));
    floats_mask decided = floats_less(error * size + floats_set(PACKET_TINY), determinant * sign);
    floats_store(packet->error + i, floats_choose(decided, error, floats_set(INFINITY)));
    put_plane(packet, 0, i, floats3_scale(floats3_cross(bd, bc), sign), b);
    put_plane(packet, 1, i, floats3_scale(floats3_cross(ac, ad), sign), a);
    put_plane(packet, 2, i, floats3_scale(floats3_cross(ad, ab), sign), a);
    put_plane(packet, 3, i, floats3_scale(base, sign), a);
}

static inline void put_faces(struct packet *packet, int i)
{
    struct floats3 a = corners_at(packet, 0, i), b = corners_at(packet, 1, i), c = corners_at(packet, 2, i);
    floats size = put_boxes(packet, i, a, b, c, c);
    put_plane(packet, 0, i, floats3_cross(floats3_subtract(b, a), floats3_subtract(c, a)), a);
    floats_store(packet->error + i, error_of_size(size));
}

/* Box of all lanes, and the most axes along which one of them has no extent. */
static inline void reduce_lanes(struct packet *packet)
{
    struct floats3 lo = {floats16_smallest_part(floats16_load(packet->lo[0])),
                         floats16_smallest_part(floats16_load(packet->lo[1])),
                         floats16_smallest_part(floats16_load(packet->lo[2]))};
    struct floats3 hi = {floats16_largest_part(floats16_load(packet->hi[0])),
                         floats16_largest_part(floats16_load(packet->hi[1])),
                         floats16_largest_part(floats16_load(packet->hi[2]))};
    floats3_bounds(lo, hi, packet->box_lo, packet->box_hi);
    packet->most_flat = 0;
    for (int lane = 0; lane < PACKET_LANES; lane++) {
        packet->flat[lane] = (packet->lo[0][lane] == packet->hi[0][lane]) +
                             (packet->lo[1][lane] == packet->hi[1][lane]) +
                             (packet->lo[2][lane] == packet->hi[2][lane]);
    }
    for (int lane = 0; lane < PACKET_LANES; lane++) {
        packet->most_flat = packet->flat[lane] > packet->most_flat ? packet->flat[lane] : packet->most_flat;
    }
}

/* Lanes from `count` on (filled with lane 0 so far) meet nothing; without planes no lane is rejected by them. */
static inline void finish_packet(struct packet *packet, uint32_t count, bool use_planes)
{
    reduce_lanes(packet);
    for (uint32_t lane = count; lane < PACKET_LANES; lane++) {
        packet_empty_lane(packet, lane);
    }
    for (uint32_t lane = 0; lane < PACKET_LANES && !use_planes; lane++) {
        packet->error[lane] = INFINITY;
    }
}

static void prepare_cells(struct packet *packet, const struct point_record *points, const uint32_t (*corners)[4],
                          uint32_t count, bool use_planes)
{
    const uint32_t *of_lane[PACKET_LANES];
    for (uint32_t lane = 0; lane < PACKET_LANES; lane++) {
        of_lane[lane] = corners[lane < count ? lane : 0];
    }
    for (int k = 0; k < 4; k++) {
        for (int lane = 0; lane < PACKET_LANES; lane += 4) {
            turn_four_rows(points[of_lane[lane][k]].position, points[of_lane[lane + 1][k]].position,
                           points[of_lane[lane + 2][k]].position, points[of_lane[lane + 3][k]].position,
                           packet->corner[k][0] + lane, packet->corner[k][1] + lane, packet->corner[k][2] + lane,
                           (float *)packet->id[k] + lane);
        }
    }
    for (int i = 0; i < PACKET_LANES; i += FLOATS) {
        put_cells(packet, i);
    }
    finish_packet(packet, count, use_planes);
}

static void prepare_faces(struct packet *packet, const struct face_record *faces, const uint32_t *numbers,
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
    for (int i = 0; i < PACKET_LANES; i += FLOATS) {
        put_faces(packet, i);
    }
    finish_packet(packet, count, use_planes);
}
