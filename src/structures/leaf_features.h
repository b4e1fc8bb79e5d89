/* Boxes of the vertices, edges and faces of a leaf, made again from the rounded coordinates of its vertices (struct
 * leaf_points): cheap, and nothing per feature is stored. All boxes are in rounded coordinates (forest->map); grow them
 * as the refit does when looking for what is near: features at a distance of at most g have boxes that meet after
 * growing each by leaf_growth(map, g / 2). */
#ifndef DENT_STRUCTURES_LEAF_FEATURES_H
#define DENT_STRUCTURES_LEAF_FEATURES_H

#include "structures/surface_tree.h"

/* Sixteen boxes side by side (faces), or up to 48 (edges). */
struct feature_boxes {
    _Alignas(64) float lo[3][LEAF_EDGES], hi[3][LEAF_EDGES];
};

/* The rounded coordinates of a leaf at t0, as the last refit left them. */
static inline const struct leaf_points *leaf_points_of(const struct surface_forest *forest, uint32_t rank,
                                                       uint32_t leaf)
{
    return &forest->bodies[rank].tree->points[leaf];
}

/* A length in rounded units, rounded up, with the error of the coordinates. */
static inline float leaf_growth(const struct forest_map *map, double length)
{
    double scaled = length * map->first * map->second * (1 + 0x1p-20) + 2 * (double)FOREST_INPUT_ERROR;
    return scaled < 8.0 ? (float)scaled * (1.0f + 0x1p-20f) : 8.0f;
}

static inline void leaf_face_boxes(const struct surface_leaf *leaf, const struct leaf_points *points,
                                   struct feature_boxes *boxes)
{
    for (int axis = 0; axis < 3; axis++) {
        const float *x = points->x[axis];
        for (uint32_t face = 0; face < LEAF_FACES; face++) {
            float a = x[leaf->corners[0][face]], b = x[leaf->corners[1][face]], c = x[leaf->corners[2][face]];
            float lo = a < b ? a : b, hi = a > b ? a : b;
            boxes->lo[axis][face] = c < lo ? c : lo;
            boxes->hi[axis][face] = c > hi ? c : hi;
        }
    }
}

/* Of the edges the leaf owns. */
static inline void leaf_edge_boxes(const struct surface_leaf *leaf, const struct leaf_points *points,
                                   struct feature_boxes *boxes)
{
    for (int axis = 0; axis < 3; axis++) {
        const float *x = points->x[axis];
        for (uint32_t edge = 0; edge < leaf->edge_count; edge++) {
            float a = x[leaf->edge_ends[0][edge]], b = x[leaf->edge_ends[1][edge]];
            boxes->lo[axis][edge] = a < b ? a : b;
            boxes->hi[axis][edge] = a < b ? b : a;
        }
    }
}

#endif
