/* The text of the neighbour kernels over the types of simd/lanes.h; see neighbour_kernels.h. */
#ifndef DENT_NEIGHBOURS_NEIGHBOUR_LANES_H
#define DENT_NEIGHBOURS_NEIGHBOUR_LANES_H

#include "neighbours/kernels/neighbour_kernels.h"

#include <math.h>

enum {
    NODES_WAITING = 8 * NEIGHBOUR_LEVELS_MOST, /* one node's children a level */
    LEAVES_WAITING = 120,
    SEED_REACH = 2 /* leaves before and behind the first one that are looked at before the tree is walked */
};

/* Leaves that the walk has found near, not yet compared. */
struct near_leaves {
    uint32_t count;
    double distances[LEAVES_WAITING + NEIGHBOUR_LANES];
    uint32_t leaves[LEAVES_WAITING + NEIGHBOUR_LANES];
};

/* Lanes where a <= b; not where one is NaN. */
static inline uint32_t lanes_at_most(doubles8 a, doubles8 b)
{
    uint32_t bits = 0;
    LANES_EACH_PART(doubles8, bits |= doubles_mask_bits(doubles_less_equal(a.part[k], b.part[k])) << k * DOUBLES);
    return bits;
}

static inline doubles8 sum_of_squares(const doubles8 difference[3])
{
    doubles8 sum =
        doubles8_add(doubles8_multiply(difference[0], difference[0]), doubles8_multiply(difference[1], difference[1]));
    return doubles8_add(sum, doubles8_multiply(difference[2], difference[2]));
}

/* Squared distances of the eight boxes of a node to the box of the group. Empty lanes stay NaN: `most` gives its second
 * operand where one is NaN. */
static inline doubles8 node_distances(const struct neighbour_node *node, const struct neighbour_group *group)
{
    doubles8 gap[3];
    for (int axis = 0; axis < 3; axis++) {
        doubles8 above = doubles8_subtract(doubles8_load(node->low[axis]), doubles8_set(group->high[axis]));
        doubles8 below = doubles8_subtract(doubles8_set(group->low[axis]), doubles8_load(node->high[axis]));
        gap[axis] = doubles8_most(doubles8_set(0.0), doubles8_most(above, below));
    }
    return sum_of_squares(gap);
}

/* Squared distances of the places to one box. */
static inline doubles8 place_distances(const struct neighbour_node *node, uint32_t lane,
                                       const struct neighbour_group *group)
{
    doubles8 gap[3];
    for (int axis = 0; axis < 3; axis++) {
        doubles8 place = doubles8_load(group->place[axis]);
        doubles8 above = doubles8_subtract(doubles8_set(node->low[axis][lane]), place);
        doubles8 below = doubles8_subtract(place, doubles8_set(node->high[axis][lane]));
        gap[axis] = doubles8_most(doubles8_set(0.0), doubles8_most(above, below));
    }
    return sum_of_squares(gap);
}

/* Squared distances of the eight points, or boxes, of a leaf to one place. A box of one point has the distance of that
 * point: the square forgets the sign. */
static inline doubles8 point_distances(const struct neighbour_tree *tree, uint32_t leaf,
                                       const struct neighbour_group *group, uint32_t lane)
{
    doubles8 difference[3];
    for (int axis = 0; axis < 3; axis++) {
        doubles8 place = doubles8_set(group->place[axis][lane]);
        difference[axis] = doubles8_subtract(doubles8_load(tree->leaves[leaf].point[axis]), place);
        if (tree->upper) { /* empty lanes stay NaN, as in node_distances() */
            doubles8 below = doubles8_subtract(place, doubles8_load(tree->upper[leaf].point[axis]));
            difference[axis] = doubles8_most(doubles8_set(0.0), doubles8_most(difference[axis], below));
        }
    }
    return sum_of_squares(difference);
}

/* The list with a value at `slot`; the last one falls out. */
static inline doubles8 insert_lane(doubles8 list, uint32_t slot, double value)
{
    doubles8 shifted = doubles8_choose(1u << slot, doubles8_set(value), doubles8_shift_up(list));
    return doubles8_choose((1u << slot) - 1, list, shifted);
}

/* Puts the points of the bits into a list of at most eight. */
static inline void keep_in_short_list(struct neighbour_group *group, uint32_t lane, const double *distances,
                                      const uint32_t *indices, uint32_t bits)
{
    doubles8 kept = doubles8_load(group->short_distances[lane]),
             kept_indices = doubles8_load(group->short_indices[lane]);
    for (; bits; bits &= bits - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(bits);
        if (indices[i] != group->own[lane]) {
            doubles8 distance = doubles8_set(distances[i]);
            uint32_t before = doubles8_less(kept, distance) |
                              (lanes_at_most(kept, distance) & doubles8_less(kept_indices, doubles8_set(indices[i])));
            uint32_t slot = (uint32_t)__builtin_popcount(before);
            kept = insert_lane(kept, slot, distances[i]);
            kept_indices = insert_lane(kept_indices, slot, indices[i]);
        }
    }
    doubles8_store(group->short_distances[lane], kept);
    doubles8_store(group->short_indices[lane], kept_indices);
    double last = group->short_distances[lane][group->capacity - 1];
    group->limit[lane] = last < group->limit[lane] ? last : group->limit[lane];
}

static inline void compare_leaf(const struct neighbour_tree *tree, uint32_t leaf, struct neighbour_group *group)
{
    uint32_t lanes =
        lanes_at_most(place_distances(&tree->levels[0][leaf / NEIGHBOUR_LANES], leaf % NEIGHBOUR_LANES, group),
                      doubles8_load(group->limit));
    const uint32_t *indices = tree->indices + (size_t)leaf * NEIGHBOUR_LANES;
    for (; lanes; lanes &= lanes - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(lanes);
        doubles8 distance = point_distances(tree, leaf, group, lane);
        uint32_t near = lanes_at_most(distance, doubles8_set(group->limit[lane]));
        if (near) {
            _Alignas(64) double distances[NEIGHBOUR_LANES];
            doubles8_store(distances, distance);
            if (group->capacity <= NEIGHBOUR_LANES) {
                keep_in_short_list(group, lane, distances, indices, near);
                continue;
            }
            for (; near; near &= near - 1) {
                uint32_t i = (uint32_t)__builtin_ctz(near);
                keep_point(group, lane, distances[i], indices[i]);
            }
        }
    }
}

static inline double group_limit(const struct neighbour_group *group)
{
    double limit = group->limit[0];
    for (uint32_t lane = 1; lane < group->used; lane++) {
        limit = group->limit[lane] > limit ? group->limit[lane] : limit;
    }
    return limit;
}

/* Nearest first, so that the limits shrink early. */
static inline void sort_leaves(struct near_leaves *near)
{
    for (uint32_t i = 1; i < near->count; i++) {
        double distance = near->distances[i];
        uint32_t leaf = near->leaves[i], at = i;
        for (; at > 0 && near->distances[at - 1] > distance; at--) {
            near->distances[at] = near->distances[at - 1];
            near->leaves[at] = near->leaves[at - 1];
        }
        near->distances[at] = distance;
        near->leaves[at] = leaf;
    }
}

static double compare_leaves(const struct neighbour_tree *tree, struct near_leaves *near, struct neighbour_group *group,
                             double limit)
{
    sort_leaves(near);
    for (uint32_t i = 0; i < near->count && near->distances[i] <= limit; i++) {
        compare_leaf(tree, near->leaves[i], group);
        if (i % 4 == 3) {
            limit = group_limit(group);
        }
    }
    near->count = 0;
    return group_limit(group);
}

/* Where a walk stands: nodes still to be opened. */
struct node_walk {
    uint32_t count;
    struct {
        uint32_t level, node;
    } waiting[NODES_WAITING];
};

static inline void walk_begin(const struct neighbour_tree *tree, struct node_walk *walk)
{
    walk->count = 1;
    walk->waiting[0].level = tree->level_count - 1;
    walk->waiting[0].node = 0;
}

static inline void walk_push(struct node_walk *walk, uint32_t level, uint32_t first, uint32_t bits)
{
    for (; bits; bits &= bits - 1) {
        walk->waiting[walk->count].level = level;
        walk->waiting[walk->count++].node = first + (uint32_t)__builtin_ctz(bits);
    }
}

static void nearest(const struct neighbour_tree *tree, struct neighbour_group *group)
{
    uint32_t first = group->first_leaf > SEED_REACH ? group->first_leaf - SEED_REACH : 0;
    uint32_t last =
        tree->leaf_count - 1 - group->first_leaf > SEED_REACH ? group->first_leaf + SEED_REACH : tree->leaf_count - 1;
    compare_leaf(tree, group->first_leaf, group);
    for (uint32_t leaf = first; leaf <= last; leaf++) {
        if (leaf != group->first_leaf) {
            compare_leaf(tree, leaf, group);
        }
    }
    double limit = group_limit(group);
    struct near_leaves near;
    near.count = 0;
    struct node_walk walk;
    walk_begin(tree, &walk);
    while (walk.count > 0) {
        uint32_t level = walk.waiting[--walk.count].level, node = walk.waiting[walk.count].node;
        _Alignas(64) double distances[NEIGHBOUR_LANES];
        doubles8 distance = node_distances(&tree->levels[level][node], group);
        uint32_t bits = lanes_at_most(distance, doubles8_set(limit));
        if (level > 0) {
            walk_push(&walk, level - 1, node * NEIGHBOUR_LANES, bits);
            continue;
        }
        doubles8_store(distances, distance);
        for (; bits; bits &= bits - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(bits), leaf = node * NEIGHBOUR_LANES + lane;
            near.distances[near.count] = distances[lane];
            near.leaves[near.count] = leaf;
            near.count += leaf < first || leaf > last;
        }
        if (near.count >= LEAVES_WAITING) {
            limit = compare_leaves(tree, &near, group, limit);
        }
    }
    compare_leaves(tree, &near, group, limit);
}

static bool visit_leaf(const struct neighbour_tree *tree, uint32_t leaf, const struct neighbour_group *group,
                       neighbour_visit *visit, void *data)
{
    uint32_t lanes =
        lanes_at_most(place_distances(&tree->levels[0][leaf / NEIGHBOUR_LANES], leaf % NEIGHBOUR_LANES, group),
                      doubles8_load(group->limit));
    for (; lanes; lanes &= lanes - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(lanes);
        doubles8 distance = point_distances(tree, leaf, group, lane);
        uint32_t near = lanes_at_most(distance, doubles8_set(group->limit[lane]));
        _Alignas(64) double distances[NEIGHBOUR_LANES];
        doubles8_store(distances, distance);
        if (near && !visit(data, lane, tree->indices + (size_t)leaf * NEIGHBOUR_LANES, distances, near)) {
            return false;
        }
    }
    return true;
}

/* The next node over leaves, and which of them are near the group; no bits: there is none. */
static inline uint32_t walk_on(const struct neighbour_tree *tree, const struct neighbour_group *group, double limit,
                               struct node_walk *walk, uint32_t *first_leaf)
{
    while (walk->count > 0) {
        uint32_t level = walk->waiting[--walk->count].level, node = walk->waiting[walk->count].node;
        uint32_t bits = lanes_at_most(node_distances(&tree->levels[level][node], group), doubles8_set(limit));
        *first_leaf = node * NEIGHBOUR_LANES;
        if (level == 0 && bits) {
            return bits;
        }
        if (level > 0) {
            walk_push(walk, level - 1, *first_leaf, bits);
        }
    }
    return 0;
}

static bool within(const struct neighbour_tree *tree, const struct neighbour_group *group, neighbour_visit *visit,
                   void *data)
{
    double limit = group_limit(group);
    struct node_walk walk;
    uint32_t first_leaf, bits;
    walk_begin(tree, &walk);
    while ((bits = walk_on(tree, group, limit, &walk, &first_leaf)) != 0) {
        for (; bits; bits &= bits - 1) {
            if (!visit_leaf(tree, first_leaf + (uint32_t)__builtin_ctz(bits), group, visit, data)) {
                return false;
            }
        }
    }
    return true;
}

/* Lanes of a leaf with a smaller sphere than the place, or an equal one and a later place. */
static inline uint32_t later_spheres(const struct neighbour_group *group, uint32_t lane, uint32_t leaf, doubles8 radius,
                                     doubles8 own)
{
    uint32_t behind = leaf > group->first_leaf ? 0xff : leaf < group->first_leaf ? 0 : 0xfe << lane;
    return doubles8_less(radius, own) | (lanes_at_most(radius, own) & behind);
}

static bool meet_leaf(const struct neighbour_tree *tree, uint32_t leaf, const struct neighbour_group *group,
                      const double *radius, neighbour_meeting *visit, void *data)
{
    uint32_t lanes =
        lanes_at_most(place_distances(&tree->levels[0][leaf / NEIGHBOUR_LANES], leaf % NEIGHBOUR_LANES, group),
                      doubles8_load(group->limit));
    doubles8 others = doubles8_load_any(radius + (size_t)leaf * NEIGHBOUR_LANES);
    for (; lanes; lanes &= lanes - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(lanes);
        doubles8 own = doubles8_set(radius[(size_t)group->first_leaf * NEIGHBOUR_LANES + lane]);
        doubles8 sum = doubles8_add(own, others), distance = point_distances(tree, leaf, group, lane);
        uint32_t bits = lanes_at_most(distance, doubles8_multiply(sum, sum));
        bits &= later_spheres(group, lane, leaf, others, own);
        if (bits && !visit(data, lane, leaf, bits)) {
            return false;
        }
    }
    return true;
}

static bool meetings(const struct neighbour_tree *tree, const struct neighbour_group *group, const double *radius,
                     neighbour_meeting *visit, void *data)
{
    double limit = group_limit(group);
    struct node_walk walk;
    uint32_t first_leaf, bits;
    walk_begin(tree, &walk);
    while ((bits = walk_on(tree, group, limit, &walk, &first_leaf)) != 0) {
        for (; bits; bits &= bits - 1) {
            if (!meet_leaf(tree, first_leaf + (uint32_t)__builtin_ctz(bits), group, radius, visit, data)) {
                return false;
            }
        }
    }
    return true;
}

#define NEIGHBOUR_KERNELS_ROW                                                                                          \
    {                                                                                                                  \
        .nearest = nearest, .within = within, .meetings = meetings                                                     \
    }

#endif
