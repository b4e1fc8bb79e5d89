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
    floats_store(packet->normal[plane][0] + i, normal.x);
    floats_store(packet->normal[plane][1] + i, normal.y);
    floats_store(packet->normal[plane][2] + i, normal.z);
    floats_store(packet->offset[plane] + i, floats3_dot(normal, through));
}

/* Box and largest edge of the lanes of the group at i. */
static inline floats bound_group(struct packet *packet, int corners, int i)
{
    struct floats3 lo = corners_at(packet, 0, i), hi = lo;
    for (int k = 1; k < corners; k++) {
        lo = floats3_least(corners_at(packet, k, i), lo);
        hi = floats3_most(corners_at(packet, k, i), hi);
    }
    floats_store(packet->lo[0] + i, lo.x);
    floats_store(packet->lo[1] + i, lo.y);
    floats_store(packet->lo[2] + i, lo.z);
    floats_store(packet->hi[0] + i, hi.x);
    floats_store(packet->hi[1] + i, hi.y);
    floats_store(packet->hi[2] + i, hi.z);
    floats size = floats3_largest(floats3_subtract(hi, lo));
    floats_store(packet->size + i, size);
    return size;
}

static inline floats error_of_size(floats size)
{
    return floats_set(PACKET_ERROR) * size * (floats_set(1) + size);
}

/* Planes of cells with the inside positive. Those of cells that are nearly flat say nothing. */
static inline void put_cell_planes(struct packet *packet, int i, floats size)
{
    struct floats3 a = corners_at(packet, 0, i), b = corners_at(packet, 1, i), c = corners_at(packet, 2, i),
                   d = corners_at(packet, 3, i);
    struct floats3 ab = floats3_subtract(b, a), ac = floats3_subtract(c, a), ad = floats3_subtract(d, a);
    struct floats3 bc = floats3_subtract(c, b), bd = floats3_subtract(d, b);
    struct floats3 normals[4] = {floats3_cross(bd, bc), floats3_cross(ac, ad), floats3_cross(ad, ab),
                                 floats3_cross(ab, ac)};
    floats determinant = floats3_dot(normals[3], ad), error = error_of_size(size);
    floats bound = error * size + floats_set(PACKET_TINY);
    floats sign = floats_choose(floats_less(determinant, floats_set(0)), floats_set(-1), floats_set(1));
    floats_mask decided = floats_less(bound, determinant * sign);
    floats_store(packet->error + i, floats_choose(decided, error, floats_set(INFINITY)));
    for (int k = 0; k < 4; k++) {
        struct floats3 inward = {normals[k].x * sign, normals[k].y * sign, normals[k].z * sign};
        put_plane(packet, k, i, inward, k == 0 ? b : a);
    }
}

static inline void put_face_plane(struct packet *packet, int i, floats size)
{
    struct floats3 a = corners_at(packet, 0, i);
    struct floats3 ab = floats3_subtract(corners_at(packet, 1, i), a),
                   ac = floats3_subtract(corners_at(packet, 2, i), a);
    put_plane(packet, 0, i, floats3_cross(ab, ac), a);
    floats_store(packet->error + i, error_of_size(size));
}

/* Box of all lanes, and the number of axes along which they have no extent. */
static inline void reduce_lanes(struct packet *packet)
{
    struct floats3 lo = floats3_load(packet->lo[0], packet->lo[1], packet->lo[2]);
    struct floats3 hi = floats3_load(packet->hi[0], packet->hi[1], packet->hi[2]);
    uint32_t one = 0, two = 0, three = 0; /* lanes that are flat along so many axes */
    for (int i = 0; i < PACKET_LANES; i += FLOATS) {
        const words yes = words_set(1), no = words_set(0);
        words flat = no;
        for (int axis = 0; axis < 3; axis++) {
            floats_mask equal = floats_equal(floats_load(packet->lo[axis] + i), floats_load(packet->hi[axis] + i));
            uint32_t bits = floats_mask_bits(equal) << i;
            flat = words_add(flat, words_choose(equal, yes, no));
            three |= two & bits;
            two |= one & bits;
            one |= bits;
        }
        words_store((uint32_t *)packet->flat + i, flat);
        lo = floats3_least(lo, floats3_load(packet->lo[0] + i, packet->lo[1] + i, packet->lo[2] + i));
        hi = floats3_most(hi, floats3_load(packet->hi[0] + i, packet->hi[1] + i, packet->hi[2] + i));
    }
    floats3_bounds(lo, hi, packet->box_lo, packet->box_hi);
    packet->most_flat = three ? 3 : two ? 2 : one ? 1 : 0;
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
        put_cell_planes(packet, i, bound_group(packet, 4, i));
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
        put_face_plane(packet, i, bound_group(packet, 3, i));
    }
    finish_packet(packet, count, use_planes);
}
