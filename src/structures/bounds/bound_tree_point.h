/* Points and a bounding tree: the nearest face, and how often a closed surface winds around a point. For trees whose
 * positions are all at hand.
 */
#ifndef DENT_STRUCTURES_BOUND_TREE_POINT_H
#define DENT_STRUCTURES_BOUND_TREE_POINT_H

#include "structures/bounds/bound_tree.h"

struct nearest_face {
    uint32_t face; /* UINT32_MAX: none */
    double distance;
    double point[3];
};

/* Of faces at equal distance the one with the smallest number. `left_out` (null: none) has a byte per face, not 0:
 * passed over. */
void bound_tree_nearest(const struct bound_tree *tree, const uint8_t *left_out, const double p[3],
                        struct nearest_face *nearest);

/* Exact; 0 on the surface. */
int bound_tree_winding(const struct bound_tree *tree, const double p[3]);

#endif
