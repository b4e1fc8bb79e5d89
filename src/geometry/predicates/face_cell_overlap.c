/* A face in a cell, by signs. See face_cell_overlap.h. */
#include "geometry/predicates/face_cell_overlap.h"

#include <string.h>

static const uint8_t edge_corners[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

/* The edges of the face opposite a corner, in circular order, and whether each runs along with it (1) or against it
 * (-1). */
static const uint8_t face_edge[4][3] = {{3, 5, 4}, {2, 5, 1}, {0, 4, 2}, {1, 3, 0}};
static const int8_t face_edge_sense[4][3] = {{1, 1, -1}, {1, -1, -1}, {1, 1, -1}, {1, -1, -1}};

/* Where p lies seen from the cell's face opposite `corner`: 1 on the inner side. */
static int side_of_cell_face(const struct numbered_point cell[4], uint32_t corner, struct numbered_point p,
                             int orientation, bool *zero, predicate_counters *counters)
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
        overlap->above |= (uint8_t)(height[i] > 0 ? 1u << i : 0);
    }
    for (uint32_t k = 0; k < 3; k++) {
        bool inside = true;
        for (uint32_t corner = 0; corner < 4; corner++) {
            corner_side[k][corner] =
                side_of_cell_face(cell, corner, face[k], orientation, &overlap->degenerate, counters);
            inside &= corner_side[k][corner] > 0;
        }
        overlap->face_corners |= (uint8_t)(inside ? 1u << k : 0);
        for (uint32_t m = 0; m < 6; m++) {
            edge_side[k][m] = perturbed_orientation(face[k], face[(k + 1) % 3], cell[edge_corners[m][0]],
                                                    cell[edge_corners[m][1]], &overlap->degenerate, counters);
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
            bool through = corner_side[k][corner] * corner_side[(k + 1) % 3][corner] < 0 && sides[0] != 0 &&
                           sides[0] == sides[1] && sides[1] == sides[2];
            pierced[k] |= (uint8_t)(through ? 1u << corner : 0);
        }
        for (uint32_t i = 0; i < 3; i++) {
            overlap->cell_faces |= (uint8_t)(overlap->cell_edges >> face_edge[corner][i] & 1 ? 1u << corner : 0);
        }
    }
    fill_edges_and_corners(overlap, pierced);
}

/* ---- without common corners ------------------------------------------------------------------ */

/* By the set of corners above a plane: the edges it cuts, and the edges whose first corner is above. */
static const uint8_t cut_edges[16] = {0, 7, 25, 30, 42, 45, 51, 52, 52, 51, 45, 42, 30, 25, 7, 0};
static const uint8_t first_above[16] = {0, 7, 24, 31, 32, 39, 56, 63, 0, 7, 24, 31, 32, 39, 56, 63};

/* By a set of edges: the faces that have an edge in it, and those that have an odd number of edges in it. */
static const uint8_t faces_with_edge[64] = {
    0,  12, 10, 14, 6,  14, 14, 14, 9,  13, 11, 15, 15, 15, 15, 15, 5,  13, 15, 15, 7,  15,
    15, 15, 13, 13, 15, 15, 15, 15, 15, 15, 3,  15, 11, 15, 7,  15, 15, 15, 11, 15, 11, 15,
    15, 15, 15, 15, 7,  15, 15, 15, 7,  15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15,
};
static const uint8_t faces_with_odd[64] = {
    0, 12, 10, 6, 6, 10, 12, 0, 9,  5, 3, 15, 15, 3, 5, 9,  5, 9,  15, 3, 3, 15, 9,  5, 12, 0, 6, 10, 10, 6, 0, 12,
    3, 15, 9,  5, 5, 9,  15, 3, 10, 6, 0, 12, 12, 0, 6, 10, 6, 10, 12, 0, 0, 12, 10, 6, 15, 3, 5, 9,  9,  5, 3, 15,
};

/* Everything from the signs, none of them open. */
static void read_signs(const struct overlap_signs *signs, int orientation, struct face_cell_overlap *overlap)
{
    uint32_t cut = cut_edges[signs->above], faces = faces_with_edge[cut], flipped = orientation < 0 ? 15 : 0;
    uint32_t inner[3], within[3]; /* edges of the cell whose corner of the polygon is inside edge k; faces with corner k
                                     on the inner side */
    uint8_t pierced[3];
    overlap->above = signs->above;
    for (int k = 0; k < 3; k++) {
        inner[k] = (signs->edges[k] ^ first_above[signs->above]) &
                   cut; /* a positive sign means inside when the first corner is below */
        within[k] = (signs->within[k] ^ flipped) & faces;
    }
    overlap->cell_edges = (uint8_t)(inner[0] & inner[1] & inner[2]);
    overlap->cell_faces = faces_with_edge[overlap->cell_edges];
    for (int k = 0; k < 3; k++) {
        overlap->face_corners |= (uint8_t)(within[k] == faces ? 1u << k : 0);
        pierced[k] = (uint8_t)(faces_with_odd[inner[k]] & (within[k] ^ within[(k + 1) % 3]));
    }
    fill_edges_and_corners(overlap, pierced);
}

static void signs_of_moved_points(const struct numbered_point face[3], const struct numbered_point cell[4],
                                  struct overlap_signs *signs, bool *degenerate, predicate_counters *counters)
{
    *signs = (struct overlap_signs){0};
    for (uint32_t i = 0; i < 4; i++) {
        signs->above |=
            (uint8_t)(perturbed_orientation(face[0], face[1], face[2], cell[i], degenerate, counters) > 0 ? 1u << i
                                                                                                          : 0);
    }
    uint32_t cut = cut_edges[signs->above], faces = faces_with_edge[cut];
    for (uint32_t k = 0; k < 3; k++) {
        for (uint32_t m = 0; m < 6; m++) {
            if (cut >> m & 1) {
                int sign = perturbed_orientation(face[k], face[(k + 1) % 3], cell[edge_corners[m][0]],
                                                 cell[edge_corners[m][1]], degenerate, counters);
                signs->edges[k] |= (uint8_t)(sign > 0 ? 1u << m : 0);
            }
        }
        for (uint32_t corner = 0; corner < 4; corner++) {
            if (faces >> corner & 1) {
                int side = side_of_cell_face(cell, corner, face[k], 1, degenerate, counters);
                signs->within[k] |= (uint8_t)(side > 0 ? 1u << corner : 0);
            }
        }
    }
}

void face_cell_overlap_apart(const struct overlap_kernels *kernels, const struct overlap_face *prepared,
                             const struct numbered_point face[3], const struct numbered_point cell[4], int orientation,
                             struct face_cell_overlap *overlap, predicate_counters *counters)
{
    const double *const points[4] = {cell[0].xyz, cell[1].xyz, cell[2].xyz, cell[3].xyz};
    struct overlap_signs signs;
    *overlap = (struct face_cell_overlap){0};
    kernels->signs(prepared, points, &signs);
    uint32_t cut = cut_edges[signs.above];
    if (signs.above_open || signs.edges_open & cut || signs.within_open & faces_with_edge[cut]) {
        signs_of_moved_points(face, cell, &signs, &overlap->degenerate, counters);
        cut = cut_edges[signs.above];
    }
    if (cut) {
        read_signs(&signs, orientation, overlap);
    }
}
