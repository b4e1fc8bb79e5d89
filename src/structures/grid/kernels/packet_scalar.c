/* Packet kernels, reference version. See packet_kernels.h. */
#include "structures/grid/kernels/packet_lanes.h"

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
    for (uint32_t i = begin; i < end; i++) {
        bool meets = any_row | ((columns->row_y[i] == window->row_y) & (columns->row_z[i] == window->row_z));
        for (int axis = 0; axis < 3; axis++) {
            meets = meets & (columns->lo[axis][i] <= window->hi[axis]) & (columns->hi[axis][i] >= window->lo[axis]);
        }
        found[count] = columns->number[i];
        count += meets;
    }
    return count;
}

/* Lanes whose box meets [lo, hi]. */
static unsigned box_lanes(const struct packet *packet, const float *lo, const float *hi)
{
    unsigned char meets[PACKET_LANES];
    for (int lane = 0; lane < PACKET_LANES; lane++) {
        meets[lane] = (unsigned char)((packet->lo[0][lane] <= hi[0]) & (packet->hi[0][lane] >= lo[0]) &
                                      (packet->lo[1][lane] <= hi[1]) & (packet->hi[1][lane] >= lo[1]) &
                                      (packet->lo[2][lane] <= hi[2]) & (packet->hi[2][lane] >= lo[2]));
    }
    unsigned lanes = 0;
    for (int lane = 0; lane < PACKET_LANES; lane++) {
        lanes |= (unsigned)meets[lane] << lane;
    }
    return lanes;
}

static bool shares(const struct packet *packet, int corners, int lane, const uint32_t *ids, int id_count)
{
    for (int k = 0; k < corners; k++) {
        for (int i = 0; i < id_count; i++) {
            if (packet->id[k][lane] == ids[i]) {
                return true;
            }
        }
    }
    return false;
}

static float plane_value(const struct packet *packet, int plane, int lane, const float *p)
{
    return packet->normal[plane][0][lane] * p[0] + packet->normal[plane][1][lane] * p[1] +
           packet->normal[plane][2][lane] * p[2] - packet->offset[plane][lane];
}

/* Bit 0: not surely outside. Bit 1: surely inside. */
static unsigned point_in_lane(const struct packet *packet, int lane, const float *p)
{
    float bound = packet->error[lane] * packet->size[lane] + PACKET_TINY;
    unsigned result = 3;
    for (int k = 0; k < 4; k++) {
        float value = plane_value(packet, k, lane, p);
        if (value < -bound) {
            return 0;
        }
        result &= value > bound ? 3u : 1u;
    }
    return result;
}

static uint32_t match_points(const struct packet *packet, const struct point_record *points, const uint32_t *list,
                             uint32_t count, uint32_t *hits)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct point_record *point = &points[list[i]];
        for (unsigned lanes = box_lanes(packet, point->position, point->position); lanes; lanes &= lanes - 1) {
            int lane = __builtin_ctz(lanes);
            unsigned inside = shares(packet, 4, lane, &point->id, 1) ? 0 : point_in_lane(packet, lane, point->position);
            hits[found] = i * 32 + (uint32_t)lane * 2 + (inside >> 1);
            found += inside & 1;
        }
    }
    return found;
}

/* What is known of a pair: bit 0 it may be an answer, bit 1 it surely is one. */
enum { APART = 0, POSSIBLE = 1, CERTAIN = 3 };

/* The face's corners against plane k of the lane. CERTAIN: some corner is surely inside. */
static unsigned face_beyond_plane(const struct packet *packet, int plane, int lane, const struct face_record *face)
{
    float bound = packet->error[lane] * (packet->size[lane] + face->size) + PACKET_TINY;
    unsigned outer = 0, inner = 0;
    for (int corner = 0; corner < 3; corner++) {
        float value = plane_value(packet, plane, lane, face->corner[corner]);
        outer += value < -bound;
        inner += value > bound;
    }
    return outer == 3 ? APART : inner ? CERTAIN : POSSIBLE;
}

/* Which corners of the lane are surely above and surely below the plane of the face, as bits. */
struct corner_sides {
    unsigned above, below;
};

static struct corner_sides sides_of_corners(const struct packet *packet, int corners, int lane,
                                            const struct face_record *face)
{
    float bound = face->error * (packet->size[lane] + face->size) + PACKET_TINY;
    struct corner_sides sides = {0, 0};
    for (int k = 0; k < corners; k++) {
        float value = packet->corner[k][0][lane] * face->normal[0] + packet->corner[k][1][lane] * face->normal[1] +
                      packet->corner[k][2][lane] * face->normal[2] - face->offset;
        sides.above |= (unsigned)(value > bound) << k;
        sides.below |= (unsigned)(value < -bound) << k;
    }
    return sides;
}

/* The cut of the lane by the plane of the face against one edge of the face. */
static unsigned cut_versus_edge(const struct packet *packet, int corners, int lane, const struct face_record *face,
                                int edge, struct corner_sides sides)
{
    const float *u = face->corner[edge], *v = face->corner[edge == 2 ? 0 : edge + 1];
    float d[3] = {v[0] - u[0], v[1] - u[1], v[2] - u[2]}, w[4][3], q[4][3];
    float reach = packet->size[lane] + face->size;
    float bound = PACKET_ERROR * reach * reach * (1.0f + reach) + PACKET_TINY;
    bool inside = false, outside = true;
    for (int k = 0; k < corners; k++) {
        for (int axis = 0; axis < 3; axis++) {
            w[k][axis] = packet->corner[k][axis][lane] - u[axis];
        }
        q[k][0] = w[k][1] * d[2] - w[k][2] * d[1];
        q[k][1] = w[k][2] * d[0] - w[k][0] * d[2];
        q[k][2] = w[k][0] * d[1] - w[k][1] * d[0];
    }
    for (int i = 0; i < corners; i++) {
        for (int j = i + 1; j < corners; j++) {
            float value = w[i][0] * q[j][0] + w[i][1] * q[j][1] + w[i][2] * q[j][2];
            bool rising = (sides.below >> i & 1) && (sides.above >> j & 1),
                 falling = (sides.above >> i & 1) && (sides.below >> j & 1);
            bool level = ((sides.below >> i & 1) && (sides.below >> j & 1)) ||
                         ((sides.above >> i & 1) && (sides.above >> j & 1));
            bool positive = value > bound, negative = value < -bound;
            inside |= (rising && positive) || (falling && negative);
            outside &= level || (rising && negative) || (falling && positive);
        }
    }
    return outside ? APART : inside ? CERTAIN : POSSIBLE;
}

/* Planes of the lane (four or one; of a face both sides count), plane and edges of the face. */
static unsigned judge(const struct packet *packet, int corners, int lane, const struct face_record *face)
{
    unsigned result = CERTAIN;
    if (corners == 4) {
        for (int k = 0; k < 4 && result; k++) {
            result &= face_beyond_plane(packet, k, lane, face);
        }
    } else {
        float bound = packet->error[lane] * (packet->size[lane] + face->size) + PACKET_TINY;
        int above = 0, below = 0;
        for (int corner = 0; corner < 3; corner++) {
            float value = plane_value(packet, 0, lane, face->corner[corner]);
            above += value > bound;
            below += value < -bound;
        }
        result = above == 3 || below == 3 ? APART : above && below ? CERTAIN : POSSIBLE;
    }
    if (result == APART) {
        return APART;
    }
    struct corner_sides sides = sides_of_corners(packet, corners, lane, face);
    unsigned all = (1u << corners) - 1;
    if (sides.above == all || sides.below == all) {
        return APART;
    }
    result &= sides.above && sides.below ? CERTAIN : POSSIBLE;
    for (int edge = 0; edge < 3 && result; edge++) {
        result &= cut_versus_edge(packet, corners, lane, face, edge, sides);
    }
    return result;
}

static uint32_t match_cell_faces(const struct packet *packet, const struct face_record *faces, const uint32_t *list,
                                 uint32_t count, uint32_t *hits)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct face_record *face = &faces[list[i]];
        for (unsigned lanes = box_lanes(packet, face->lo, face->hi); lanes; lanes &= lanes - 1) {
            int lane = __builtin_ctz(lanes);
            unsigned result = shares(packet, 4, lane, face->id, 3) ? APART : judge(packet, 4, lane, face);
            hits[found] = i * 32 + (uint32_t)lane * 2 + (result >> 1);
            found += result & 1;
        }
    }
    return found;
}

static uint32_t match_faces(const struct packet *packet, const struct face_record *faces, const uint32_t *list,
                            uint32_t count, uint32_t *hits)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct face_record *face = &faces[list[i]];
        for (unsigned lanes = box_lanes(packet, face->lo, face->hi); lanes; lanes &= lanes - 1) {
            int lane = __builtin_ctz(lanes);
            bool skip = packet->number[lane] >= list[i] || shares(packet, 3, lane, face->id, 3);
            unsigned result = skip ? APART : judge(packet, 3, lane, face);
            hits[found] = i * 32 + (uint32_t)lane * 2 + (result >> 1);
            found += result & 1;
        }
    }
    return found;
}

const struct packet_kernels packet_kernels_scalar = {prepare_cells, prepare_faces,    scan_row,
                                                     match_points,  match_cell_faces, match_faces};
