/* What makes boxes of the vertices, edges and faces of a leaf: the rounded coordinates of its vertices (struct
 * leaf_points), and by how much to grow a box. Boxes are made again where they are needed: cheap, and nothing per
 * feature is stored. Features at a distance of at most g have boxes that meet after growing each by
 * leaf_growth(map, g / 2). */
#ifndef DENT_STRUCTURES_LEAF_FEATURES_H
#define DENT_STRUCTURES_LEAF_FEATURES_H

#include "structures/surface/surface_tree.h"

/* The rounded coordinates of a leaf at t0, as the last refit left them. */
static inline const struct leaf_points *leaf_points_of(const struct surface_forest *forest, uint32_t body_index,
                                                       uint32_t leaf)
{
    return &forest->bodies[body_index].tree->points[leaf];
}

/* A length in rounded units, rounded up, with the error of the coordinates. */
static inline float leaf_growth(const struct forest_map *map, double length)
{
    double scaled = length * map->first * map->second * (1 + 0x1p-20) + 2 * (double)FOREST_INPUT_ERROR;
    return scaled < 8.0 ? (float)scaled * (1.0f + 0x1p-20f) : 8.0f;
}

#endif
