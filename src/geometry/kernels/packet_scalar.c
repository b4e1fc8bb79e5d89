/* Packet kernels, reference version. See packet_kernels.h. */
#include "geometry/kernels/packet_lanes.h"

static void prepare_cells(struct packet *packet, const struct point_record *points, const uint32_t (*corners)[4], uint32_t count,
                          bool use_planes)
{
    lanes_prepare_cells(packet, points, corners, count, use_planes);
}

static void prepare_faces(struct packet *packet, const struct face_record *faces, const uint32_t *numbers, uint32_t count,
                          bool use_planes)
{
    lanes_prepare_faces(packet, faces, numbers, count, use_planes);
}

static uint32_t scan_row(const struct grid_columns *columns, uint32_t begin, uint32_t end, const struct grid_window *window, bool any_row,
                         uint32_t *found)
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
        meets[lane] = (unsigned char)((packet->lo[0][lane] <= hi[0]) & (packet->hi[0][lane] >= lo[0]) & (packet->lo[1][lane] <= hi[1]) &
                                      (packet->hi[1][lane] >= lo[1]) & (packet->lo[2][lane] <= hi[2]) & (packet->hi[2][lane] >= lo[2]));
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
    return packet->normal[plane][0][lane] * p[0] + packet->normal[plane][1][lane] * p[1] + packet->normal[plane][2][lane] * p[2] -
           packet->offset[plane][lane];
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

static uint32_t match_points(const struct packet *packet, const struct point_record *points, const uint32_t *list, uint32_t count,
                             uint32_t *hits)
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

/* The face's corners against the four planes of the cell, as point_in_lane: surely inside when one corner is. */
static unsigned corners_in_lane(const struct packet *packet, int lane, const struct face_record *face)
{
    float bound = packet->error[lane] * (packet->size[lane] + face->size) + PACKET_TINY;
    unsigned inside = 7;
    for (int k = 0; k < 4; k++) {
        unsigned outer = 0;
        for (int corner = 0; corner < 3; corner++) {
            float value = plane_value(packet, k, lane, face->corner[corner]);
            outer += value < -bound;
            inside &= value > bound ? 7u : ~(1u << corner);
        }
        if (outer == 3) {
            return 0;
        }
    }
    return inside ? 3 : 1;
}

/* All `corners` corners of the lane are on one side of the plane of the face, surely. */
static bool lane_is_beside(const struct packet *packet, int corners, int lane, const struct face_record *face)
{
    float bound = face->error * (packet->size[lane] + face->size) + PACKET_TINY;
    int above = 0, below = 0;
    for (int k = 0; k < corners; k++) {
        float value = packet->corner[k][0][lane] * face->normal[0] + packet->corner[k][1][lane] * face->normal[1] +
                      packet->corner[k][2][lane] * face->normal[2] - face->offset;
        above += value > bound;
        below += value < -bound;
    }
    return above == corners || below == corners;
}

static bool face_is_beside_lane(const struct packet *packet, int lane, const struct face_record *face)
{
    float bound = packet->error[lane] * (packet->size[lane] + face->size) + PACKET_TINY;
    int above = 0, below = 0;
    for (int corner = 0; corner < 3; corner++) {
        float value = plane_value(packet, 0, lane, face->corner[corner]);
        above += value > bound;
        below += value < -bound;
    }
    return above == 3 || below == 3;
}

static uint32_t match_cell_faces(const struct packet *packet, const struct face_record *faces, const uint32_t *list, uint32_t count,
                                 uint32_t *hits)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct face_record *face = &faces[list[i]];
        for (unsigned lanes = box_lanes(packet, face->lo, face->hi); lanes; lanes &= lanes - 1) {
            int lane = __builtin_ctz(lanes);
            if (shares(packet, 4, lane, face->id, 3)) {
                continue;
            }
            unsigned inside = corners_in_lane(packet, lane, face);
            inside = inside == 1 && lane_is_beside(packet, 4, lane, face) ? 0 : inside;
            hits[found] = i * 32 + (uint32_t)lane * 2 + (inside >> 1);
            found += inside & 1;
        }
    }
    return found;
}

static uint32_t match_faces(const struct packet *packet, const struct face_record *faces, const uint32_t *list, uint32_t count,
                            uint32_t *hits)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct face_record *face = &faces[list[i]];
        for (unsigned lanes = box_lanes(packet, face->lo, face->hi); lanes; lanes &= lanes - 1) {
            int lane = __builtin_ctz(lanes);
            if (packet->number[lane] < list[i] && !shares(packet, 3, lane, face->id, 3) && !face_is_beside_lane(packet, lane, face) &&
                !lane_is_beside(packet, 3, lane, face)) {
                hits[found++] = i * 32 + (uint32_t)lane * 2;
            }
        }
    }
    return found;
}

const struct packet_kernels packet_kernels_scalar = {prepare_cells, prepare_faces, scan_row, match_points, match_cell_faces, match_faces};
