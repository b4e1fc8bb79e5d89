/* The text of the cloud kernels over the types of simd/lanes.h; see cloud_kernels.h. */
#ifndef DENT_CLOUDS_CLOUD_LANES_H
#define DENT_CLOUDS_CLOUD_LANES_H

#include "clouds/kernels/cloud_kernels.h"

#include <math.h>

enum { CLOUD_NODES_WAITING = 8 * NEIGHBOUR_LEVELS_MOST };

static inline uint32_t cloud_lanes_at_most(doubles8 a, doubles8 b)
{
    uint32_t bits = 0;
    LANES_EACH_PART(doubles8, bits |= doubles_mask_bits(doubles_less_equal(a.part[k], b.part[k])) << k * DOUBLES);
    return bits;
}

static inline doubles8 cloud_dot(const doubles8 a[3], const doubles8 b[3])
{
    doubles8 sum = doubles8_add(doubles8_multiply(a[0], b[0]), doubles8_multiply(a[1], b[1]));
    return doubles8_add(sum, doubles8_multiply(a[2], b[2]));
}

/* Squared distances of a place to eight boxes; NaN for empty lanes. */
static inline doubles8 cloud_box_distances(const struct neighbour_node *node, const double place[3])
{
    doubles8 gap[3];
    for (int axis = 0; axis < 3; axis++) {
        doubles8 at = doubles8_set(place[axis]);
        doubles8 above = doubles8_subtract(doubles8_load(node->low[axis]), at);
        doubles8 below = doubles8_subtract(at, doubles8_load(node->high[axis]));
        gap[axis] = doubles8_most(doubles8_set(0.0), doubles8_most(above, below));
    }
    return cloud_dot(gap, gap);
}

static inline void cloud_differences(const struct cloud_leaf *leaf, const double place[3], doubles8 difference[3])
{
    for (int axis = 0; axis < 3; axis++) {
        difference[axis] = doubles8_subtract(doubles8_load(leaf->point[axis]), doubles8_set(place[axis]));
    }
}

/* Nodes still to be opened. */
struct cloud_walk {
    uint32_t count;
    struct {
        double distance;
        uint32_t level, node;
    } waiting[CLOUD_NODES_WAITING];
};

static inline void cloud_walk_push(struct cloud_walk *walk, double distance, uint32_t level, uint32_t node)
{
    walk->waiting[walk->count].distance = distance;
    walk->waiting[walk->count].level = level;
    walk->waiting[walk->count++].node = node;
}

static inline void cloud_nearest_in_leaf(const struct cloud_tree *tree, uint32_t leaf, const double place[3],
                                         double *limit, uint32_t *best)
{
    doubles8 difference[3];
    cloud_differences(&tree->leaves[leaf], place, difference);
    doubles8 distance = cloud_dot(difference, difference);
    uint32_t bits = cloud_lanes_at_most(distance, doubles8_set(*limit));
    if (bits) {
        _Alignas(64) double distances[CLOUD_LANES];
        doubles8_store(distances, distance);
        for (; bits; bits &= bits - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(bits), slot = leaf * CLOUD_LANES + lane;
            if (distances[lane] < *limit || (distances[lane] == *limit && slot < *best)) {
                *limit = distances[lane];
                *best = slot;
            }
        }
    }
}

/* The lanes of the bits, nearest last, so that it is opened first. */
static inline uint32_t cloud_order_lanes(const double distances[CLOUD_LANES], uint32_t bits,
                                         uint32_t order[CLOUD_LANES])
{
    uint32_t count = 0;
    for (; bits; bits &= bits - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(bits), at = count++;
        for (; at > 0 && distances[order[at - 1]] < distances[lane]; at--) {
            order[at] = order[at - 1];
        }
        order[at] = lane;
    }
    return count;
}

static uint32_t cloud_nearest(const struct cloud_tree *tree, const double place[3], double *squared_distance)
{
    double limit = *squared_distance;
    uint32_t best = UINT32_MAX;
    struct cloud_walk walk;
    walk.count = 0;
    cloud_walk_push(&walk, 0.0, tree->level_count - 1, 0);
    while (walk.count > 0) {
        uint32_t level = walk.waiting[--walk.count].level, node = walk.waiting[walk.count].node;
        if (walk.waiting[walk.count].distance > limit) {
            continue;
        }
        _Alignas(64) double distances[CLOUD_LANES];
        doubles8 distance = cloud_box_distances(&tree->levels[level][node], place);
        uint32_t order[CLOUD_LANES];
        doubles8_store(distances, distance);
        uint32_t count = cloud_order_lanes(distances, cloud_lanes_at_most(distance, doubles8_set(limit)), order);
        for (uint32_t i = 0; level > 0 && i < count; i++) {
            cloud_walk_push(&walk, distances[order[i]], level - 1, node * CLOUD_LANES + order[i]);
        }
        for (uint32_t i = count; level == 0 && i-- > 0;) {
            if (distances[order[i]] <= limit) {
                cloud_nearest_in_leaf(tree, node * CLOUD_LANES + order[i], place, &limit, &best);
            }
        }
    }
    *squared_distance = limit;
    return best;
}

static inline doubles8 cloud_exponential_of_minus(doubles8 x, int halvings)
{
    static const double terms[12] = EXPONENTIAL_TERMS;
    double scale = 1.0;
    for (int i = 0; i < halvings; i++) {
        scale *= 0.5;
    }
    doubles8 argument = doubles8_multiply(x, doubles8_set(-scale)), sum = doubles8_set(terms[0]);
    for (int i = 1; i < 12; i++) {
        sum = doubles8_add(doubles8_multiply(sum, argument), doubles8_set(terms[i]));
    }
    for (int i = 0; i < halvings; i++) {
        sum = doubles8_multiply(sum, sum);
    }
    return sum;
}

/* w, wq (3), wn (3), w q.q, w q.n */
enum { SPHERE_SUMS = 9 };

/* The lanes of points that cannot be on one sheet with p1. */
static inline uint32_t cloud_apart(const struct cloud_leaf *leaf, const struct sphere_query *query,
                                   const doubles8 normal[3], const doubles8 side[3])
{
    doubles8 both[3], from[3], zero = doubles8_set(0.0), most = doubles8_set(query->off_most);
    cloud_differences(leaf, query->point, from);
    for (int axis = 0; axis < 3; axis++) {
        both[axis] = doubles8_add(normal[axis], side[axis]);
    }
    doubles8 off = cloud_dot(both, from);
    return doubles8_less(most, off) | doubles8_less(most, doubles8_subtract(zero, off));
}

static inline uint32_t cloud_add_leaf(const struct cloud_leaf *leaf, const struct sphere_query *query,
                                      doubles8 sums[SPHERE_SUMS], struct sphere_sums *counts)
{
    doubles8 difference[3], normal[3], side[3];
    cloud_differences(leaf, query->place, difference);
    doubles8 square = cloud_dot(difference, difference), part = doubles8_load(leaf->part);
    doubles8 wanted = doubles8_set(query->part);
    uint32_t bits = cloud_lanes_at_most(square, doubles8_set(query->cut_squared)) & cloud_lanes_at_most(part, wanted) &
                    cloud_lanes_at_most(wanted, part);
    if (!bits) {
        return 0;
    }
    for (int axis = 0; axis < 3; axis++) {
        normal[axis] = doubles8_load(leaf->normal[axis]);
        side[axis] = doubles8_set(query->normal[axis]);
    }
    bits &= doubles8_less(doubles8_set(0.0), cloud_dot(normal, side));
    uint32_t near = bits & cloud_lanes_at_most(square, doubles8_set(0.25 * query->cut_squared));
    if (near) {
        counts->near += (uint32_t)__builtin_popcount(near);
        counts->apart += (uint32_t)__builtin_popcount(near & cloud_apart(leaf, query, normal, side));
    }
    doubles8 weight =
        cloud_exponential_of_minus(doubles8_multiply(square, doubles8_set(query->inverse_square)), query->halvings);
    doubles8 zero = doubles8_set(0.0), product = doubles8_choose(bits, cloud_dot(difference, normal), zero);
    weight = doubles8_choose(bits, weight, zero);
    square = doubles8_choose(bits, square, zero);
    sums[0] = doubles8_add(sums[0], weight);
    for (int axis = 0; axis < 3; axis++) {
        doubles8 place = doubles8_choose(bits, difference[axis], zero), up = doubles8_choose(bits, normal[axis], zero);
        sums[1 + axis] = doubles8_add(sums[1 + axis], doubles8_multiply(weight, place));
        sums[4 + axis] = doubles8_add(sums[4 + axis], doubles8_multiply(weight, up));
    }
    sums[7] = doubles8_add(sums[7], doubles8_multiply(weight, square));
    sums[8] = doubles8_add(sums[8], doubles8_multiply(weight, product));
    return (uint32_t)__builtin_popcount(bits);
}

static inline double cloud_sum_of_lanes(doubles8 a)
{
    _Alignas(64) double lane[CLOUD_LANES];
    doubles8_store(lane, a);
    return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

static void cloud_sphere(const struct cloud_tree *tree, const struct sphere_query *query, struct sphere_sums *sums)
{
    doubles8 totals[SPHERE_SUMS];
    for (int i = 0; i < SPHERE_SUMS; i++) {
        totals[i] = doubles8_set(0.0);
    }
    sums->count = sums->near = sums->apart = 0;
    struct cloud_walk walk;
    walk.count = 0;
    cloud_walk_push(&walk, 0.0, tree->level_count - 1, 0);
    while (walk.count > 0) {
        uint32_t level = walk.waiting[--walk.count].level, node = walk.waiting[walk.count].node;
        uint32_t bits = cloud_lanes_at_most(cloud_box_distances(&tree->levels[level][node], query->place),
                                            doubles8_set(query->cut_squared));
        for (; bits; bits &= bits - 1) {
            uint32_t child = node * CLOUD_LANES + (uint32_t)__builtin_ctz(bits);
            if (level > 0) {
                cloud_walk_push(&walk, 0.0, level - 1, child);
            } else {
                sums->count += cloud_add_leaf(&tree->leaves[child], query, totals, sums);
            }
        }
    }
    double total[SPHERE_SUMS];
    for (int i = 0; i < SPHERE_SUMS; i++) {
        total[i] = cloud_sum_of_lanes(totals[i]);
    }
    sums->weight = total[0];
    for (int axis = 0; axis < 3; axis++) {
        sums->point[axis] = total[1 + axis];
        sums->normal[axis] = total[4 + axis];
    }
    sums->square = total[7];
    sums->product = total[8];
}

static double cloud_covers(const struct cover_centres *a, const struct cover_centres *b)
{
    doubles8 least = doubles8_set(INFINITY);
    for (uint32_t j = 0; j < b->count; j += CLOUD_LANES) {
        doubles8 place[3];
        for (int axis = 0; axis < 3; axis++) {
            place[axis] = doubles8_load(b->place[axis] + j);
        }
        for (uint32_t i = 0; i < a->count; i++) {
            doubles8 difference[3];
            for (int axis = 0; axis < 3; axis++) {
                difference[axis] = doubles8_subtract(doubles8_set(a->place[axis][i]), place[axis]);
            }
            least = doubles8_least(cloud_dot(difference, difference), least);
        }
    }
    _Alignas(64) double lane[CLOUD_LANES];
    doubles8_store(lane, least);
    for (int i = 1; i < CLOUD_LANES; i++) {
        lane[0] = lane[i] < lane[0] ? lane[i] : lane[0];
    }
    return lane[0];
}

#define CLOUD_KERNELS_ROW                                                                                              \
    {                                                                                                                  \
        .nearest = cloud_nearest, .covers = cloud_covers, .sphere = cloud_sphere                                       \
    }

#endif
