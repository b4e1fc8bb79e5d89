/* The text of the winding kernels over the types of simd/lanes.h; see winding_tree.h. */
#ifndef DENT_INSIDE_WINDING_LANES_H
#define DENT_INSIDE_WINDING_LANES_H

#include "inside/winding_tree.h"

/* Boxes of a node that the rays of a group may meet. */
static inline uint32_t boxes_ahead(const struct winding_node *node, const struct winding_group *group)
{
    uint32_t missed = doubles8_less(doubles8_load(node->high[0]), doubles8_set(group->low[0]));
    for (int axis = 1; axis < 3; axis++) {
        missed |= doubles8_less(doubles8_load(node->high[axis]), doubles8_set(group->low[axis]));
        missed |= doubles8_less(doubles8_set(group->high[axis]), doubles8_load(node->low[axis]));
    }
    return ~missed & 255u;
}

/* Points of the group whose rays may meet one box. */
static inline uint32_t points_at(const struct winding_node *node, uint32_t lane, const struct winding_group *group)
{
    uint32_t missed = doubles8_less(doubles8_set(node->high[0][lane]), doubles8_load(group->point[0]));
    for (int axis = 1; axis < 3; axis++) {
        doubles8 point = doubles8_load(group->point[axis]);
        missed |= doubles8_less(doubles8_set(node->high[axis][lane]), point);
        missed |= doubles8_less(point, doubles8_set(node->low[axis][lane]));
    }
    return ~(missed | group->on) & ((1u << group->used) - 1u);
}

/* Triangles of a leaf whose boxes a ray may meet. */
static inline uint32_t faces_ahead(const struct winding_leaf *leaf, doubles8 x, doubles8 y, doubles8 z)
{
    uint32_t missed = doubles8_less(doubles8_load(leaf->high[0]), x);
    missed |= doubles8_less(doubles8_load(leaf->high[1]), y) | doubles8_less(y, doubles8_load(leaf->low[1]));
    missed |= doubles8_less(doubles8_load(leaf->high[2]), z) | doubles8_less(z, doubles8_load(leaf->low[2]));
    return ~missed & 255u;
}

static inline void compare_leaf(const struct winding_tree *tree, const struct winding_leaf *leaf, uint32_t lane,
                                struct winding_group *group)
{
    doubles8 x = doubles8_set(group->point[0][lane]), y = doubles8_set(group->point[1][lane]),
             z = doubles8_set(group->point[2][lane]);
    uint32_t open = faces_ahead(leaf, x, y, z);
    if (!open) {
        return;
    }
    uint32_t before = doubles8_less(x, doubles8_load(leaf->low[0])); /* the whole triangle is ahead */
    doubles8 bound = doubles8_load(leaf->edge_bound), minus = doubles8_subtract(doubles8_set(0.0), bound);
    y = doubles8_subtract(y, doubles8_set(leaf->centre[1]));
    z = doubles8_subtract(z, doubles8_set(leaf->centre[2]));
    uint32_t outside = 0, inside = 255u;
    for (int k = 0; k < 3; k++) {
        doubles8 value = doubles8_add(doubles8_subtract(doubles8_multiply(doubles8_load(leaf->edge[k][0]), z),
                                                        doubles8_multiply(doubles8_load(leaf->edge[k][1]), y)),
                                      doubles8_load(leaf->edge[k][2]));
        outside |= doubles8_less(value, minus);
        inside &= doubles8_less(bound, value);
    }
    open &= ~outside & ~(before & leaf->upright);
    if (!open) {
        return;
    }
    x = doubles8_subtract(x, doubles8_set(leaf->centre[0]));
    doubles8 side = doubles8_add(doubles8_add(doubles8_multiply(doubles8_load(leaf->plane[0]), x),
                                              doubles8_multiply(doubles8_load(leaf->plane[1]), y)),
                                 doubles8_add(doubles8_multiply(doubles8_load(leaf->plane[2]), z),
                                              doubles8_load(leaf->plane[3])));
    doubles8 side_bound = doubles8_load(leaf->plane_bound);
    uint32_t behind = ~before & doubles8_less(side_bound, side);
    before |= doubles8_less(side, doubles8_subtract(doubles8_set(0.0), side_bound));
    uint32_t crossed = open & inside & before;
    group->number[lane] += __builtin_popcount(crossed & leaf->positive) - __builtin_popcount(crossed & ~leaf->positive);
    for (open &= ~(inside & (before | behind)); open && !(group->on >> lane & 1); open &= open - 1) {
        winding_test_exactly(tree, leaf->faces[__builtin_ctz(open)], lane, group);
    }
}

/* Parts that lie ahead of all points and have a chain; the others are left over. */
static inline uint32_t add_chains(const struct winding_tree *tree, const struct winding_node *node, uint32_t bits,
                                  struct winding_group *group)
{
    uint32_t chains = bits & node->chains & doubles8_less(doubles8_set(group->high[0]), doubles8_load(node->low[0]));
    bits &= ~chains;
    for (; chains; chains &= chains - 1) {
        uint32_t part = (uint32_t)__builtin_ctz(chains);
        uint32_t lanes = node->chain_count[part] ? points_at(node, part, group) : 0;
        for (; lanes; lanes &= lanes - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(lanes);
            const double point[3] = {group->point[0][lane], group->point[1][lane], group->point[2][lane]};
            group->number[lane] += winding_of_chain(tree, node->chain_first[part], node->chain_count[part], point);
        }
    }
    return bits;
}

static void winding(const struct winding_tree *tree, struct winding_group *group)
{
    struct {
        uint32_t level, node;
    } waiting[8 * WINDING_LEVELS_MOST];
    uint32_t count = tree->level_count > 0;
    waiting[0].level = tree->level_count - 1;
    waiting[0].node = 0;
    group->on = 0;
    for (int lane = 0; lane < WINDING_LANES; lane++) {
        group->number[lane] = 0;
    }
    while (count > 0) {
        uint32_t level = waiting[--count].level, index = waiting[count].node;
        const struct winding_node *node = &tree->nodes[tree->first_node[level] + index];
        uint32_t bits = boxes_ahead(node, group);
        if (level > 0) {
            for (bits = add_chains(tree, node, bits, group); bits; bits &= bits - 1) {
                waiting[count].level = level - 1;
                waiting[count++].node = index * WINDING_LANES + (uint32_t)__builtin_ctz(bits);
            }
            continue;
        }
        for (; bits; bits &= bits - 1) {
            uint32_t part = (uint32_t)__builtin_ctz(bits);
            for (uint32_t lanes = points_at(node, part, group); lanes; lanes &= lanes - 1) {
                compare_leaf(tree, &tree->leaves[index * WINDING_LANES + part], (uint32_t)__builtin_ctz(lanes), group);
            }
        }
    }
}

#define WINDING_KERNELS_ROW                                                                                            \
    {                                                                                                                  \
        .winding = winding                                                                                             \
    }

#endif
