/* What a search asks the volumes of bounding trees: a lower bound of the distance between two nodes, certified; and
 * whether a ray misses one.
 */
#ifndef DENT_STRUCTURES_BOUND_TESTS_H
#define DENT_STRUCTURES_BOUND_TESTS_H

#include "structures/bounds/bound_tree.h"

/* Both have slabs across the same directions. */
static inline bool bounds_share_slabs(const struct bound_tree *a, const struct bound_tree *b)
{
    return a->slab_directions > 0 && a->slab_directions == b->slab_directions;
}

/* A better bound than that of the boxes, where the slabs know one. */
static inline double gap_with_slabs(const struct bound_tree *a, uint32_t node_a, const struct bound_tree *b,
                                    uint32_t node_b, double gap_of_boxes)
{
    double gap = slab_gap(a->slab_directions, bound_slabs(a, node_a), bound_slabs(b, node_b));
    return gap > gap_of_boxes ? gap : gap_of_boxes;
}

static inline double volume_gap(const struct bound_tree *a, uint32_t node_a, const struct bound_tree *b,
                                uint32_t node_b)
{
    const double *va = a->volumes[node_a].v, *vb = b->volumes[node_b].v;
    if (bound_has_balls(a)) {
        return bound_has_balls(b) ? ball_gap(va, vb) : ball_box_gap(va, vb);
    }
    if (bound_has_balls(b)) {
        return ball_box_gap(vb, va);
    }
    double gap = box_gap(va, vb);
    return bounds_share_slabs(a, b) ? gap_with_slabs(a, node_a, b, node_b, gap) : gap;
}

/* True when the ray from p in direction +x surely misses the volume. */
static inline bool ray_misses(const struct bound_tree *tree, uint32_t node, const double p[3])
{
    const double *v = tree->volumes[node].v;
    if (!bound_has_balls(tree)) {
        return p[0] > v[3] || p[1] < v[1] || p[1] > v[4] || p[2] < v[2] || p[2] > v[5];
    }
    double across[3] = {0, v[1], v[2]}, point[3] = {0, p[1], p[2]};
    return down(p[0] - v[0]) > v[3] || distance_below(across, point) > v[3];
}

#endif
