/* Kernels of the spatial hash: sixteen probes (cells or faces) at a time against lists of points or faces.
 *
 * Coordinates are floats made from the doubles by a map that keeps order (structures/boxes/float_space.h), in [-1, 1].
 * Because rounding keeps order, a box test on them (closed) never loses a pair. The tests against planes carry an error
 * bound and reject only what is strictly apart in the doubles.
 *
 * The bound: with s the largest box edge of the element that makes the plane, r >= s a bound of |p - corner| in every
 * component, and u = 2^-24, the coordinates are off by at most u/2, so edges by u (1 + s), normals (2 products each) by
 * u (4 s + 10 s^2) a component, p - corner by u. The two dot products n.p and n.corner, with |n| <= 2 s^2 and
 * coordinates up to 1, are rounded by at most 16 u s^2 each. Together |error| <= u (38 s^2 + 12 s r + 36 s^2 r) <= u
 * (50 s r + 36 s^2 r), which 64 u s (1 + s) r covers with room for the terms of second order. PACKET_TINY covers
 * underflow.
 *
 * Face against cell, planes of both: the plane of the face cuts the cell in a polygon, and two polygons in a plane are
 * apart iff an edge of one of them has the other beyond it. Edges of the polygon lie in the planes of the cell; for an
 * edge u-v of the face, the corner of the polygon on the cell's edge from `lower` to `upper` (seen from the face) lies
 * inside iff d . (l x m) > 0, d = v - u, l = lower - u, m = upper - u. So 4 + 1 + 3 tests decide all but the close
 * cases, both ways; likewise face against face. With d and both differences bounded by r, d . (l x m) is off by at most
 * u (18 r^2 (1 + r) + 42 r^3) <= 64 u r^2 (1 + r).
 */
#ifndef DENT_STRUCTURES_PACKET_KERNELS_H
#define DENT_STRUCTURES_PACKET_KERNELS_H

#include <math.h>
#include <dent/base.h>

#include "simd/kernel_choice.h"

enum { PACKET_LANES = 16 };

#define PACKET_ERROR 3.814697265625e-06f /* 64 * 2^-24 */
#define PACKET_TINY 1e-34f

/* A vertex; two are the same iff their ids are equal. */
struct point_record {
    float position[3];
    uint32_t id;
};

/* A surface face with what the kernels need of it. */
struct face_record {
    float lo[3], hi[3];
    float corner[3][3];
    uint32_t id[3];
    float normal[3], offset; /* the plane: normal . x - offset */
    float size;              /* largest box edge */
    float error;             /* of the plane, for r = 1 */
};

/* use_planes false: the plane says nothing. */
static inline void face_record_make(struct face_record *face, const struct point_record *points,
                                    const uint32_t corners[3], bool use_planes)
{
    float edge[2][3];
    face->size = 0;
    for (int axis = 0; axis < 3; axis++) {
        float a = points[corners[0]].position[axis], b = points[corners[1]].position[axis],
              c = points[corners[2]].position[axis];
        face->corner[0][axis] = a;
        face->corner[1][axis] = b;
        face->corner[2][axis] = c;
        float lo = a < b ? a : b, hi = a < b ? b : a;
        face->lo[axis] = lo = c < lo ? c : lo;
        face->hi[axis] = hi = c > hi ? c : hi;
        face->size = hi - lo > face->size ? hi - lo : face->size;
        edge[0][axis] = b - a;
        edge[1][axis] = c - a;
    }
    face->offset = 0;
    for (int axis = 0; axis < 3; axis++) {
        int y = (axis + 1) % 3, z = (axis + 2) % 3;
        face->id[axis] = points[corners[axis]].id;
        face->normal[axis] = edge[0][y] * edge[1][z] - edge[0][z] * edge[1][y];
        face->offset += face->normal[axis] * face->corner[0][axis];
    }
    face->error = use_planes ? PACKET_ERROR * face->size * (1 + face->size) : INFINITY;
}

/* Up to sixteen cells (four corners, four planes, inside positive) or faces (three corners, one plane), column by
 * column. Lanes that are not used have an empty box. */
struct packet {
    _Alignas(64) float lo[3][PACKET_LANES];
    float hi[3][PACKET_LANES];
    float corner[4][3][PACKET_LANES];
    float normal[4][3][PACKET_LANES], offset[4][PACKET_LANES];
    float size[PACKET_LANES];
    float error[PACKET_LANES]; /* infinite: the planes say nothing about this lane */
    uint32_t id[4][PACKET_LANES];
    uint32_t number[PACKET_LANES]; /* faces: the number of the face */
    int32_t flat[PACKET_LANES];    /* number of axes along which the box has no extent in the floats */
    float box_lo[3], box_hi[3];    /* of all lanes */
    int32_t most_flat;
};

/* Takes an element out of its packet: its box meets nothing. */
static inline void packet_empty_lane(struct packet *packet, uint32_t lane)
{
    for (int axis = 0; axis < 3; axis++) {
        packet->lo[axis][lane] = INFINITY;
        packet->hi[axis][lane] = -INFINITY;
    }
}

/* Entries of a grid, column by column; points have lo == hi. */
struct grid_columns {
    const float *lo[3], *hi[3];
    const int32_t *row_y, *row_z; /* the row of cells each entry lies in */
    const uint32_t *number;
};

struct grid_window {
    float lo[3], hi[3];
    int32_t row_y, row_z;
};

/* A hit: (index in the list) * 32 + lane * 2 + 1 if it is surely an answer. */
struct packet_kernels {
    /* Corners of `count` cells (4 each) or faces (3 each) fetched into the columns; boxes, planes, sizes and errors
     * computed. */
    void (*prepare_cells)(struct packet *packet, const struct point_record *points, const uint32_t (*corners)[4],
                          uint32_t count, bool use_planes);
    void (*prepare_faces)(struct packet *packet, const struct face_record *faces, const uint32_t *numbers,
                          uint32_t count, bool use_planes);
    /* Numbers of the entries in [begin, end) that lie in the row of the window (any_row: in any) and meet it. `found`
     * has room for end - begin + 16. */
    uint32_t (*scan_row)(const struct grid_columns *columns, uint32_t begin, uint32_t end,
                         const struct grid_window *window, bool any_row, uint32_t *found);
    /* Pairs that are not surely apart and share no vertex (sure answers: the vertex or face meets the open cell; the
     * faces cross); `hits` has room for count * 16. In match_faces only pairs whose packet number is below the list's.
     */
    uint32_t (*match_points)(const struct packet *packet, const struct point_record *points, const uint32_t *list,
                             uint32_t count, uint32_t *hits);
    uint32_t (*match_cell_faces)(const struct packet *packet, const struct face_record *faces, const uint32_t *list,
                                 uint32_t count, uint32_t *hits);
    uint32_t (*match_faces)(const struct packet *packet, const struct face_record *faces, const uint32_t *list,
                            uint32_t count, uint32_t *hits);
};

extern const struct packet_kernels packet_kernels_scalar;
#if defined(__x86_64__)
extern const struct packet_kernels packet_kernels_avx2;
extern const struct packet_kernels packet_kernels_avx512;
#endif

static inline const struct packet_kernels *packet_kernels_for(dent_isa isa)
{
    return KERNELS_FOR(isa, packet_kernels_scalar, packet_kernels_avx2, packet_kernels_avx512);
}

#endif
