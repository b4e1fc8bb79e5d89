/* A face in a cell, by signs. See face_cell_overlap.h. */
#include "geometry/face_cell_overlap.h"

#include <string.h>

static const uint8_t edge_corners[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

/* The edges of the face opposite a corner, in circular order, and whether each runs along with it (1) or against it (-1). */
static const uint8_t face_edge[4][3] = {{3, 5, 4}, {2, 5, 1}, {0, 4, 2}, {1, 3, 0}};
static const int8_t face_edge_sense[4][3] = {{1, 1, -1}, {1, -1, -1}, {1, 1, -1}, {1, -1, -1}};

/* Where p lies seen from the cell's face opposite `corner`: 1 on the inner side. */
static int side_of_cell_face(const struct numbered_point cell[4], uint32_t corner, struct numbered_point p, int orientation,
                             bool *zero, predicate_counters *counters)
{
    struct numbered_point moved[4] = {cell[0], cell[1], cell[2], cell[3]};
    moved[corner] = p;
    return orientation * perturbed_orientation(moved[0], moved[1], moved[2], moved[3], zero, counters);
}

static void fill_edges_and_corners(struct face_cell_overlap *overlap, const uint8_t pierced[3])
{
    for (uint32_t k = 0; k < 3; k++) {
        uint32_t ends = (1u << k) | (1u << (k + 1) % 3);
        if (pierced[k] || (overlap->face_corners & ends)) {
            overlap->face_edges |= (uint8_t)(1u << k);
        }
        overlap->cell_faces |= pierced[k];
    }
    overlap->meets = overlap->face_edges || overlap->cell_edges;
}

void face_cell_overlap_shared(const struct numbered_point face[3], const struct numbered_point cell[4], int orientation,
                              struct face_cell_overlap *overlap, predicate_counters *counters)
{
    int height[4], corner_side[3][4], edge_side[3][6];
    uint8_t pierced[3] = {0}; /* by edge of the face: faces of the cell it pierces */
    *overlap = (struct face_cell_overlap){0};
    for (uint32_t i = 0; i < 4; i++) {
        height[i] = perturbed_orientation(face[0], face[1], face[2], cell[i], &overlap->degenerate, counters);
    }
    for (uint32_t k = 0; k < 3; k++) {
        bool inside = true;
        for (uint32_t corner = 0; corner < 4; corner++) {
            corner_side[k][corner] = side_of_cell_face(cell, corner, face[k], orientation, &overlap->degenerate, counters);
            inside &= corner_side[k][corner] > 0;
        }
        overlap->face_corners |= (uint8_t)(inside ? 1u << k : 0);
        for (uint32_t m = 0; m < 6; m++) {
            edge_side[k][m] = perturbed_orientation(face[k], face[(k + 1) % 3], cell[edge_corners[m][0]], cell[edge_corners[m][1]],
                                                    &overlap->degenerate, counters);
        }
    }
    for (uint32_t m = 0; m < 6; m++) {
        bool through = height[edge_corners[m][0]] * height[edge_corners[m][1]] < 0 && edge_side[0][m] != 0 &&
                       edge_side[0][m] == edge_side[1][m] && edge_side[1][m] == edge_side[2][m];
        overlap->cell_edges |= (uint8_t)(through ? 1u << m : 0);
    }
    for (uint32_t corner = 0; corner < 4; corner++) {
        for (uint32_t k = 0; k < 3; k++) {
            int sides[3];
            for (uint32_t i = 0; i < 3; i++) {
                sides[i] = edge_side[k][face_edge[corner][i]] * face_edge_sense[corner][i];
            }
            bool through = corner_side[k][corner] * corner_side[(k + 1) % 3][corner] < 0 && sides[0] != 0 && sides[0] == sides[1] &&
                           sides[1] == sides[2];
            pierced[k] |= (uint8_t)(through ? 1u << corner : 0);
        }
        for (uint32_t i = 0; i < 3; i++) {
            overlap->cell_faces |= (uint8_t)(overlap->cell_edges >> face_edge[corner][i] & 1 ? 1u << corner : 0);
        }
    }
    fill_edges_and_corners(overlap, pierced);
}

/* ---- without common corners ---------------------------------------------------------------------------------------------- */

/* The polygon that a plane cuts from a cell, by the set of corners above it (bits; 0 and 15: none). */
struct cut_polygon {
    uint8_t count;
    uint8_t edges[4]; /* of the cell; its corners */
    uint8_t faces[4]; /* of the cell: side i of the polygon runs from corner i to i + 1 */
};

static const struct cut_polygon polygons[16] = {
    {0},
    {3, {0, 1, 2}, {3, 1, 2}},
    {3, {0, 3, 4}, {3, 0, 2}},
    {4, {1, 2, 4, 3}, {1, 2, 0, 3}},
    {3, {1, 3, 5}, {3, 0, 1}},
    {4, {0, 2, 5, 3}, {2, 1, 0, 3}},
    {4, {0, 1, 5, 4}, {3, 1, 0, 2}},
    {3, {2, 4, 5}, {2, 0, 1}},
    {3, {2, 4, 5}, {2, 0, 1}},
    {4, {0, 1, 5, 4}, {3, 1, 0, 2}},
    {4, {0, 2, 5, 3}, {2, 1, 0, 3}},
    {3, {1, 3, 5}, {3, 0, 1}},
    {4, {1, 2, 4, 3}, {1, 2, 0, 3}},
    {3, {0, 3, 4}, {3, 0, 2}},
    {3, {0, 1, 2}, {3, 1, 2}},
    {0},
};

/* Bit k of inner[i]: polygon corner i is on the inner side of edge k of the face. */
static void judge_polygon_corners(const struct numbered_point face[3], const struct numbered_point cell[4], uint32_t above,
                                  const struct cut_polygon *polygon, uint8_t inner[4], struct face_cell_overlap *overlap,
                                  predicate_counters *counters)
{
    for (uint32_t i = 0; i < polygon->count; i++) {
        const uint8_t *ends = edge_corners[polygon->edges[i]];
        int inner_sign = above >> ends[0] & 1 ? -1 : 1;
        inner[i] = 0;
        for (uint32_t k = 0; k < 3; k++) {
            int sign = perturbed_orientation(face[k], face[(k + 1) % 3], cell[ends[0]], cell[ends[1]], &overlap->degenerate, counters);
            inner[i] |= (uint8_t)(sign == inner_sign ? 1u << k : 0);
        }
        overlap->cell_edges |= (uint8_t)(inner[i] == 7 ? 1u << polygon->edges[i] : 0);
    }
}

/* Bit k of within[i]: corner k of the face is on the inner side of polygon side i. */
static void judge_face_corners(const struct numbered_point face[3], const struct numbered_point cell[4], int orientation,
                               const struct cut_polygon *polygon, uint8_t within[4], struct face_cell_overlap *overlap,
                               predicate_counters *counters)
{
    overlap->face_corners = 7;
    for (uint32_t i = 0; i < polygon->count; i++) {
        within[i] = 0;
        for (uint32_t k = 0; k < 3; k++) {
            int side = side_of_cell_face(cell, polygon->faces[i], face[k], orientation, &overlap->degenerate, counters);
            within[i] |= (uint8_t)(side > 0 ? 1u << k : 0);
        }
        overlap->face_corners &= within[i];
    }
}

void face_cell_overlap_apart(const struct numbered_point face[3], const struct numbered_point cell[4], int orientation,
                             struct face_cell_overlap *overlap, predicate_counters *counters)
{
    uint8_t inner[4], within[4], pierced[3] = {0};
    uint32_t above = 0;
    *overlap = (struct face_cell_overlap){0};
    for (uint32_t i = 0; i < 4; i++) {
        int height = perturbed_orientation(face[0], face[1], face[2], cell[i], &overlap->degenerate, counters);
        above |= height > 0 ? 1u << i : 0;
    }
    const struct cut_polygon *polygon = &polygons[above];
    if (polygon->count == 0) {
        return;
    }
    judge_polygon_corners(face, cell, above, polygon, inner, overlap, counters);
    judge_face_corners(face, cell, orientation, polygon, within, overlap, counters);
    for (uint32_t i = 0; i < polygon->count; i++) {
        uint32_t next = i + 1 == polygon->count ? 0 : i + 1;
        uint32_t ends_apart = inner[i] ^ inner[next]; /* edges of the face that part the ends of this side */
        uint32_t turned = (uint32_t)(within[i] >> 1 | (within[i] & 1) << 2);
        uint32_t crossed = ends_apart & (within[i] ^ turned); /* and whose own ends the side parts */
        for (uint32_t k = 0; k < 3; k++) {
            pierced[k] |= (uint8_t)(crossed >> k & 1 ? 1u << polygon->faces[i] : 0);
        }
        if (inner[i] == 7 || inner[next] == 7) {
            overlap->cell_faces |= (uint8_t)(1u << polygon->faces[i]);
        }
    }
    fill_edges_and_corners(overlap, pierced);
}
